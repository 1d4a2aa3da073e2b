/* rasp_cost.c - what a RASP program costs a transformer, and where two programs differ. */

#include "rasp.h"
#include "object_kinds.h"

enum { SHOWN = 60, BREACHES = 20, CALLS = 4 };

/* The s-op or selector that an operand names, or whose expression it is. */
static bool program_of(ShSession *s, const ShOperand *o, ThRaspValue *v, ThError *err)
{
    ThRasp *r = sh_session_rasp(s, err);
    const ShObject *other = sh_find(s, o->text);
    if (other && !sh_is_rasp(other->kind))
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is %s, no program of RASP", o->text,
                               sh_a_kind(other->kind));
    if (!r || (!th_rasp_lookup(r, o->text, v) && !th_rasp_evaluate(r, o->text, v, sh_stop(s), err)))
        return sh_error_inside(err, o);
    if (th_rasp_is_node(v))
        return true;
    sh_fail_operand(err, o, TH_EUSAGE, "'%s' is no s-op and no selector", o->text);
    if (v->kind == TH_RASP_VALUE_FUNCTION)
        return th_hint(err, "a function makes one from its arguments: %s(tokens), for instance",
                       o->text);
    return false;
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Appends an expression for a node, cut where it is long, and the calls in which it was made, the
 * innermost first.  That of the built-in function that made it goes without saying. */
static void write_made(const ThRaspGraph *g, ThRaspSop node, ThText *t)
{
    uint32_t origin = th_rasp_node(g, node)->origin;
    size_t start = t->size;
    th_rasp_describe(g, node, NULL, SHOWN, t);
    ThRaspOrigin o = th_rasp_origin(g, origin);
    size_t n = origin ? strlen(o.label) : 0;
    bool itself = n && t->data && strncmp(t->data + start, o.label, n) == 0;
    bool built_in = itself || (origin && strcmp(o.label, "select") == 0) ||
                    (origin && strcmp(o.label, "aggregate") == 0);
    if (built_in)
        origin = o.outer;
    for (int k = 0; origin && k < CALLS; k++) {
        o = th_rasp_origin(g, origin);
        th_text_printf(t, " in %s", o.label);
        origin = o.outer;
    }
    th_text_add(t, origin ? " in …" : "");
}

/* Appends why a layer is needed. */
static void write_reason(const ThRaspGraph *g, const ThRaspForce *f, ThText *t)
{
    if (f->aggregate == TH_RASP_NO_SOP)
        th_text_add(t, "the selector itself");
    else
        write_made(g, f->aggregate, t);
    if (f->waits_for == TH_RASP_NO_SOP)
        return;
    th_text_add(t, f->by_values ? ", gathers " : ", compares ");
    const char *name = th_rasp_name_of(g, f->waits_for);
    if (name)
        th_text_add(t, name);
    else
        th_rasp_describe(g, f->waits_for, NULL, SHOWN, t);
}

/* "2,1": one number a layer; in json they are an array. */
static void list_figure(ShSession *s, const char *name, const size_t *count, uint32_t n)
{
    ThText t TH_OWNED(th_text_free) = {0};
    json_t *list = s->out.format == SH_FORMAT_JSON ? json_array() : NULL;
    for (uint32_t k = 0; k < n; k++) {
        th_text_printf(&t, "%s%zu", k ? "," : "", count[k]);
        json_array_append_new(list, json_integer((json_int_t)count[k]));
    }
    sh_result_text(s, name, th_text_string(&t));
    if (list)
        sh_output_member(s, name, list);
}

static void say_layers(ShSession *s, const ThRaspGraph *g, const ThRaspCost *c)
{
    sh_table(s, "by_layer", "layer:i heads:i merged:i because:s");
    for (uint32_t k = 0; k < c->layers; k++) {
        ThText t TH_OWNED(th_text_free) = {0};
        write_reason(g, &c->force[k], &t);
        sh_row(s, (long long)k + 1, (long long)c->heads[k], (long long)c->merged[k],
               th_text_string(&t));
    }
    sh_table_end(s);
}

static void say_breaches(ShSession *s, const ThRaspGraph *g, const ThRaspBreach *list, size_t n)
{
    sh_result_flag(s, "rasp_l", n == 0);
    if (!n) {
        sh_say(s, "a program of RASP-L: causal, no arithmetic on indices, bounded values\n");
        return;
    }
    sh_say(s, "not a program of RASP-L:\n");
    for (size_t k = 0; k < n && k < BREACHES; k++) {
        ThText t TH_OWNED(th_text_free) = {0};
        write_made(g, list[k].node, &t);
        sh_say_folded(s, "  %s: %s", th_rasp_break_name(list[k].what), th_text_string(&t));
    }
    if (n > BREACHES)
        sh_say(s, "  … and %zu more\n", n - BREACHES);
}

/* What is B-RASP or C-RASP, and else what is not. */
static bool say_dialects(ShSession *s, ThRaspGraph *g, ThRaspSop node, ThError *err)
{
    ThLanguageProgram p TH_OWNED(th_language_program_free) = {0};
    ThError own = {0};
    ThText why TH_OWNED(th_text_free) = {0};
    bool known = th_language_program(&p, g, node, NULL, 0, &own);
    if (!known && (own.code == TH_ENOMEM || own.code == TH_EINTERRUPTED))
        return th_fail(err, own.code, "%s", own.msg);
    ThRaspSop counts = known ? p.counts : p.refused, other = known ? p.picks : p.refused;
    bool ahead = known && other == TH_RASP_NO_SOP && p.ahead != TH_RASP_NO_SOP;
    other = ahead ? p.ahead : other;
    bool b = counts == TH_RASP_NO_SOP, c = other == TH_RASP_NO_SOP, near = p.near != TH_RASP_NO_SOP;
    sh_results(s, "b_rasp:b c_rasp:b local:b", b, c, c && near);
    if (!known) {
        write_made(g, p.refused, &why);
        sh_say_folded(s, "not a program of B-RASP or C-RASP: %s: %s", own.msg,
                      th_text_string(&why));
        return true;
    }
    if (!b || !c)
        write_made(g, b ? other : counts, &why);
    const char *what = th_text_string(&why);
    if (b && c)
        sh_say(s, "a program of B-RASP, and of C-RASP%s\n", near ? " with near positions" : "");
    else if (b)
        sh_say_folded(s, "a program of B-RASP, not of C-RASP: %s: %s",
                      ahead ? "looks ahead" : "the last or first of several", what);
    else
        sh_say_folded(s, "%s of C-RASP%s, not of B-RASP: counts: %s",
                      c ? "a program" : "not a program", c && near ? " with near positions" : "",
                      what);
    return true;
}

static bool say_cost(ShSession *s, ThRaspGraph *g, ThRaspSop node, ThError *err)
{
    ThRaspCost c TH_OWNED(th_rasp_cost_free) = {0};
    size_t n, heads = 0, merged = 0;
    if (!th_rasp_cost(g, node, &c, err))
        return false;
    ThRaspBreach *breach TH_OWNED(free) = th_rasp_breaches(g, node, &n, err);
    for (uint32_t k = 0; breach && k < c.layers; k++) {
        heads += c.heads[k];
        merged += c.merged[k];
    }
    if (breach) {
        sh_results(s, "layers:i heads:i merged:i", (long long)c.layers, (long long)heads,
                   (long long)merged);
        list_figure(s, "heads_per_layer", c.heads, c.layers);
        list_figure(s, "merged_per_layer", c.merged, c.layers);
        sh_say(s, "%u layer%s, %zu head%s", c.layers, sh_plural(c.layers), heads, sh_plural(heads));
        if (merged < heads)
            sh_say(s, ", %zu after merging equal selectors", merged);
        sh_say(s, "\n");
        if (c.layers)
            say_layers(s, g, &c);
        say_breaches(s, g, breach, n);
    }
    return breach && say_dialects(s, g, node, err);
}

SH_COMMAND(
    cost, .group = "rasp",
    .summary = "count the layers and heads that a transformer needs for a RASP program",
    .detail =
        "EXPRESSION is a name or any expression whose value is an s-op or a selector.  Layers are "
        "counted as the authors of RASP do: tokens, indices and constants are there from the "
        "start; what is computed element by element costs nothing; an aggregate needs a layer "
        "above its values and above the keys and queries of its selector.  The heads of a layer "
        "are the different selectors that its aggregates use.  The same select written twice is "
        "two heads; `merged` counts equal ones once.\n\n"
        "For every layer it is said which aggregate needs it, in which calls it was made, and what "
        "it has to wait for: the values that it gathers, or what its selector compares.\n\n"
        "RASP-L is the part of RASP whose programs transformers tend to learn so that they work on "
        "longer inputs, too: no head looks ahead; indices, and how many positions are selected, "
        "are only compared, chosen, fetched and moved by a fixed number, also by functions, which "
        "are tried on some; and no other numbers grow with the input.  What breaks these rules is "
        "listed.\n\n"
        "B-RASP (Yang, Chiang and Angluin 2024) has truth values, or values of a fixed set, and "
        "aggregates by rightmost, leftmost, max and min, or of what is the same everywhere: it is "
        "first-order logic with <.  C-RASP (Yang and Chiang 2024) has sel_width of causal "
        "selectors, sums of them and inequalities; near positions (indices - 1) are its extension "
        "by local relations.  Every part of such a program is turned into a formula, which show "
        "NAME as ltl writes; else it is said what has none.",
    .example = "cost sort(tokens, tokens)\n"
               "#> 2 layers, 3 heads\n"
               "#> layer  heads  merged  because\n"
               "#>     1      2       2  aggregate(_before or _first, indicator(indices == 0)) in "
               "selector_width in sort\n"
               "#>     2      1       1  aggregate(select(_place, indices, ==), tokens) in sort, "
               "compares _place\n"
               "#> not a program of RASP-L:\n"
               "#>   looks ahead: _before or _first in selector_width in sort\n"
               "#>   looks ahead: _before and _first in selector_width in sort\n"
               "#>   unbounded values: 1 / _share in selector_width in sort\n"
               "#>   looks ahead: select(_place, indices, ==) in sort\n"
               "#> not a program of B-RASP or C-RASP: a mean of several values: aggregate(_before\n"
               "#>   or _first, indicator(indices == 0)) in selector_width in sort\n"
               "cost aggregate(select(indices, indices, <=), indices)\n"
               "#> 1 layer, 1 head\n"
               "#> layer  heads  merged  because\n"
               "#>     1      1       1  aggregate(select(indices, indices, <=), indices)\n"
               "#> a program of RASP-L: causal, no arithmetic on indices, bounded values\n"
               "#> not a program of B-RASP or C-RASP: what another position has counted:\n"
               "#>   aggregate(select(indices, indices, <=), indices)",
    .results = "layers heads merged heads_per_layer merged_per_layer rasp_l b_rasp c_rasp local",
    .args = {{A_RAW, "EXPRESSION", 0}})
{
    ThRaspValue v = {0};
    return program_of(s, &call->operand[0], &v, err) &&
           say_cost(s, th_rasp_graph(s->rasp), v.as.sop, err);
}

/* ---- compare --------------------------------------------------------------------------------- */

/* The input as it can be typed again: characters, or names with blanks between them. */
static void write_input(const ThRasp *r, const ThRaspSeq *input, ThText *t)
{
    bool single = true;
    for (size_t i = 0; i < input->n; i++) {
        ThText one TH_OWNED(th_text_free) = {0};
        th_rasp_write_element(r, th_rasp_seq_at(input, i), &one);
        single &= one.data && th_utf8_length(one.data) == 1;
    }
    for (size_t i = 0; i < input->n; i++) {
        th_text_add(t, i && !single ? " " : "");
        th_rasp_write_element(r, th_rasp_seq_at(input, i), t);
    }
}

static bool say_side(ShSession *s, const ThRaspDifferOf *d, int side, const ShOperand *o,
                     ThRaspSop node, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    if (d->fails[side]) {
        sh_say(s, "  %s is an error: %s\n", o->text, d->why[side].msg);
        return true;
    }
    ThRaspRun *run TH_OWNED(th_rasp_run_free) =
        th_rasp_run_new(th_rasp_graph(s->rasp), &d->input, 0, err);
    bool ok = run != NULL;
    if (ok && th_rasp_is_selector(th_rasp_graph(s->rasp), node)) {
        ok = th_rasp_write_grid(s->rasp, run, node, &t, sh_stop(s), err);
        if (ok)
            sh_say(s, "  %s is\n%s", o->text, th_text_string(&t));
    } else if (ok) {
        const ThRaspSeq *q = th_rasp_run_value(run, node, sh_stop(s), err);
        ok = q != NULL;
        if (ok)
            th_rasp_write_sequence(s->rasp, q, &t);
        if (ok)
            sh_say(s, "  %s = %s\n", o->text, th_text_string(&t));
    }
    return ok;
}

static void say_same(ShSession *s, const ShCall *call, const ThRaspDifferOf *d)
{
    ThRange length = th_option_range(&call->options, "length");
    sh_say(s, "the same on all %llu inputs of %lld to %lld symbol%s over %s\n",
           (unsigned long long)d->inputs, length.lo > 0 ? length.lo : 1, length.hi,
           sh_plural(length.hi), th_option_text(&call->options, "alphabet"));
    if (d->errors > 0)
        sh_say(s, "on %llu of them both are errors\n", (unsigned long long)d->errors);
}

static bool say_differ(ShSession *s, const ShCall *call, const ThRaspDifferOf *d,
                       const ThRaspSop *node, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    sh_results(s, "agree:b inputs:i errors:i", !d->differ, (long long)d->inputs,
               (long long)d->errors);
    if (!d->differ)
        say_same(s, call, d);
    if (!d->differ)
        return true;
    write_input(s->rasp, &d->input, &t);
    sh_result_text(s, "word", th_text_string(&t));
    if (d->at != SIZE_MAX)
        sh_result_int(s, "at", (long long)d->at);
    sh_say(s, "they differ on %s\n", th_text_string(&t));
    return say_side(s, d, 0, &call->operand[0], node[0], err) &&
           say_side(s, d, 1, &call->operand[1], node[1], err);
}

static bool may_be_program(ShSession *s, const ShOperand *o)
{
    ThRaspValue v;
    const ThRasp *r = sh_session_rasp(s, NULL);
    return r && (o->quoted || !th_is_word(o->text) || th_rasp_lookup(r, o->text, &v));
}

/* A bare word that RASP does not know was meant as an automaton. */
static bool is_program(ShSession *s, const ShOperand *o, ThError *err)
{
    if (may_be_program(s, o))
        return true;
    sh_need_automaton(s, o->text, err);
    return sh_error_inside(err, o);
}

/* An automaton, or the expression of one that is no program. */
static bool is_automaton(ShSession *s, const ShOperand *o)
{
    ThRaspValue v;
    const ThRasp *r = sh_session_rasp(s, NULL);
    if (r && th_rasp_lookup(r, o->text, &v))
        return false;
    ThError ignored = {0};
    ThAutomaton *a TH_OWNED(th_automaton_free) = sh_automaton_value(s, o, &ignored);
    return a != NULL;
}

/* One of each. */
static bool compare_with_automaton(ShSession *s, const ShCall *call, int automaton, ThError *err)
{
    const ShOperand *program = &call->operand[!automaton];
    ThRaspValue v = {0};
    if (!program_of(s, program, &v, err))
        return false;
    if (v.kind != TH_RASP_VALUE_SOP)
        return sh_fail_operand(err, program, TH_EUSAGE, "'%s' is no s-op", program->text);
    if (th_option_given(&call->options, "alphabet"))
        return sh_fail_operand(err, program, TH_EUSAGE, "the alphabet is that of the automaton");
    return sh_compare_language(s, call, program, v.as.sop, &call->operand[automaton], err);
}

bool sh_compare_rasp(ShSession *s, const ShCall *call, ThError *err)
{
    ThRaspValue v[2] = {{0}};
    int n;
    for (int k = 0; k < 2; k++)
        if (is_automaton(s, &call->operand[k]) && may_be_program(s, &call->operand[!k]) &&
            !is_automaton(s, &call->operand[!k]))
            return compare_with_automaton(s, call, k, err);
    ThRange length = th_option_range(&call->options, "length");
    ThRaspDifferOf d TH_OWNED(th_rasp_differ_free) = {0};
    if (!is_program(s, &call->operand[0], err) || !program_of(s, &call->operand[0], &v[0], err) ||
        !program_of(s, &call->operand[1], &v[1], err))
        return false;
    char **name TH_OWNED(free) =
        th_symbols_list(th_option_text(&call->options, "alphabet"), false, &n, err);
    ThRaspAtom *letter TH_OWNED(free) = name ? th_alloc((size_t)n, sizeof *letter, err) : NULL;
    bool ok = letter != NULL;
    for (int k = 0; ok && k < n; k++)
        ok = th_rasp_atom_string(th_rasp_atoms(th_rasp_graph(s->rasp)), name[k], strlen(name[k]),
                                 &letter[k], err);
    ThRaspSop node[] = {v[0].as.sop, v[1].as.sop};
    ThRaspDifferInputs in = {letter, (size_t)n, (size_t)length.lo, (size_t)length.hi};
    ok = ok && th_rasp_differ(th_rasp_graph(s->rasp), node[0], node[1], &in, &d, sh_stop(s), err);
    if (!ok)
        sh_error_inside(err, &call->operand[1]);
    ok = ok && say_differ(s, call, &d, node, err);
    return ok;
}
