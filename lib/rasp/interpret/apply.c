/* apply.c - calls: functions on their arguments, s-ops and selectors on inputs. */

#include "rasp/interpret/interp.h"

static const ThRaspNode *at(const ThRaspFrame *f, int32_t node)
{
    return &f->program->tree.node[node];
}

bool th_rasp_new_function(ThRasp *r, const ThRaspFrame *f, int32_t node, const char *name,
                          ThRaspValue *v)
{
    ThRaspFunction *fn =
        (ThRaspFunction *)th_rasp_object(&r->heap, TH_RASP_OBJECT_FUNCTION, sizeof *fn, r->err);
    if (!fn)
        return false;
    fn->name = th_strdup(name, r->err);
    fn->id = ++r->functions;
    fn->node = node;
    fn->program = f->program;
    f->program->head.refs++;
    fn->scope = f->scope;
    f->scope->head.refs++;
    *v = (ThRaspValue){TH_RASP_VALUE_FUNCTION, {.object = &fn->head}};
    if (fn->name)
        return true;
    th_rasp_release(&r->heap, *v);
    return false;
}

/* ---- functions of RASP ----------------------------------------------------------------------- */

static bool wrong_arity(ThRasp *r, const ThRaspFrame *f, const ThRaspFunction *fn, size_t given)
{
    int32_t names = at(f, fn->node)->first;
    ThText t TH_OWNED(th_text_free) = {0};
    size_t n = th_rasp_siblings(f, at(f, names)->first), least = 0;
    for (int32_t p = at(f, names)->first; p >= 0; p = at(f, p)->next) {
        th_text_printf(&t, "%s%s", t.size ? ", " : "", th_rasp_text(&f->program->tree, p));
        least += at(f, p)->first < 0;
    }
    if (least < n)
        th_rasp_error(r, TH_EVALUE, "%s takes %zu to %zu arguments, not %zu", fn->name, least, n,
                      given);
    else
        th_rasp_error(r, TH_EVALUE, "%s takes %zu argument%s, not %zu", fn->name, n,
                      n == 1 ? "" : "s", given);
    return th_hint(r->err, "%s(%.200s)", fn->name, th_text_string(&t));
}

static bool set_in(ThRasp *r, const ThRaspFrame *f, int32_t name, ThRaspValue v)
{
    return th_rasp_scope_set(&r->heap, f->scope, (uint32_t)at(f, name)->number.integer, v, r->err);
}

/* The named argument for a parameter; NULL: none. */
static const ThRaspArgument *named(const ThRaspArgument *arg, size_t n, uint32_t name)
{
    for (size_t i = 0; i < n; i++)
        if (*arg[i].name && arg[i].name_id == name)
            return &arg[i];
    return NULL;
}

/* Are the names among the arguments those of parameters that no argument has by its position? */
static bool check_names(ThRasp *r, const ThRaspFrame *f, const ThRaspFunction *fn,
                        const ThRaspArgument *arg, size_t n)
{
    int32_t first = at(f, at(f, fn->node)->first)->first;
    size_t positional = 0;
    while (positional < n && !*arg[positional].name)
        positional++;
    if (positional > th_rasp_siblings(f, first))
        return wrong_arity(r, f, fn, n);
    for (size_t i = positional; i < n; i++) {
        size_t k = 0;
        int32_t p = first;
        while (p >= 0 && (uint32_t)at(f, p)->number.integer != arg[i].name_id) {
            p = at(f, p)->next;
            k++;
        }
        if (!*arg[i].name)
            return th_rasp_error(r, TH_EVALUE, "named arguments of %s stand last", fn->name);
        if (p < 0)
            return th_rasp_error(r, TH_EVALUE, "%s has no parameter '%s'", fn->name, arg[i].name);
        if (k < positional || named(arg, i, arg[i].name_id))
            return th_rasp_error(r, TH_EVALUE, "the parameter '%s' of %s is given twice",
                                 arg[i].name, fn->name);
    }
    return true;
}

/* Binds arguments to parameters in the call's scope: by position, then by name, then defaults. */
static bool bind_arguments(ThRasp *r, const ThRaspFrame *f, const ThRaspFunction *fn,
                           const ThRaspArgument *arg, size_t n)
{
    size_t i = 0;
    ThRaspFrame outside = {fn->program, fn->scope};
    if (!check_names(r, f, fn, arg, n))
        return false;
    for (int32_t p = at(f, at(f, fn->node)->first)->first; p >= 0; p = at(f, p)->next, i++) {
        const ThRaspArgument *given =
            i < n && !*arg[i].name ? &arg[i] : named(arg, n, (uint32_t)at(f, p)->number.integer);
        ThRaspValue v = {0};
        if (given)
            v = th_rasp_retain(given->value);
        else if (at(f, p)->first < 0)
            return wrong_arity(r, f, fn, n);
        else if (!th_rasp_eval(r, &outside, at(f, p)->first, &v))
            return false;
        if (!set_in(r, f, p, v))
            return false;
    }
    return true;
}

static bool run_body(ThRasp *r, const ThRaspFrame *f, const ThRaspFunction *fn, ThRaspValue *v)
{
    int32_t body = at(f, at(f, fn->node)->first)->next;
    if (at(f, fn->node)->kind == TH_RASP_R_LAMBDA)
        return th_rasp_eval(r, f, body, v);
    return th_rasp_block(r, f, body, v);
}

static bool call_function(ThRasp *r, const ThRaspFunction *fn, ThRaspArgument *arg, size_t n,
                          ThRaspValue *v)
{
    if (fn->builtin) {
        const ThRaspBuiltin *b = fn->builtin;
        for (size_t i = 0; i < n; i++)
            if (*arg[i].name)
                return th_rasp_error(r, TH_EVALUE, "%s takes no named arguments", b->name);
        if (n >= b->least && n <= b->most)
            return b->call(r, b, arg, n, v);
        return th_rasp_error(r, TH_EVALUE, "%s does not take %zu argument%s", b->name, n,
                             n == 1 ? "" : "s") ||
               th_hint(r->err, "%s(%s)", b->name, b->parameters);
    }
    if (th_stopped(r->stop, r->err))
        return false;
    if (r->calls >= TH_RASP_CALLS)
        return th_rasp_error(r, TH_ELIMIT, "more than %d calls are running inside each other",
                             TH_RASP_CALLS) ||
               th_hint(r->err, "does %s call itself without an end?", fn->name);
    ThRaspFrame f = {fn->program, th_rasp_scope_new(&r->heap, fn->scope, r->err)};
    r->calls++;
    bool ok = f.scope && bind_arguments(r, &f, fn, arg, n) && run_body(r, &f, fn, v);
    r->calls--;
    if (f.scope)
        th_rasp_scope_leave(&r->heap, f.scope);
    return ok;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* *s becomes new: the sequence that an input stands for. */
static bool input_sequence(ThRasp *r, const ThRaspValue *input, ThRaspSeq *s)
{
    size_t n = 0;
    if (!th_rasp_is_list(input) &&
        (input->kind != TH_RASP_VALUE_ATOM || input->as.atom.kind != TH_RASP_ATOM_STRING))
        return th_rasp_error(r, TH_EVALUE, "an input is a string or a list, not %s",
                             th_rasp_what(input));
    ThRaspAtom *atom TH_OWNED(free) = th_rasp_atoms_of(r, input, "an input", &n);
    return atom && (n > 0 || th_rasp_error(r, TH_EVALUE, "an input cannot be empty")) &&
           th_rasp_seq_of(atom, n, s, r->err);
}

ThRaspRun *th_rasp_run_on(ThRasp *r, const ThRaspValue *input, ThError *err)
{
    ThError *before = r->err;
    ThRaspSeq s TH_OWNED(th_rasp_seq_free) = {0};
    r->err = err;
    ThRaspRun *run = input_sequence(r, input, &s) ? th_rasp_run_new(r->graph, &s, 0, err) : NULL;
    r->err = before;
    return run;
}

ThRaspRun *th_rasp_run_on_text(ThRasp *r, const char *text, ThError *err)
{
    ThRaspAtom a;
    if (!th_rasp_atom_string(&r->atoms, text, strlen(text), &a, err))
        return NULL;
    ThRaspValue input = th_rasp_atom_value(a);
    return th_rasp_run_on(r, &input, err);
}

static bool sequence_value(ThRasp *r, const ThRaspSeq *s, ThRaspValue *v)
{
    ThRaspSequence *q =
        (ThRaspSequence *)th_rasp_object(&r->heap, TH_RASP_OBJECT_SEQUENCE, sizeof *q, r->err);
    if (!q)
        return false;
    *v = (ThRaspValue){TH_RASP_VALUE_SEQUENCE, {.object = &q->head}};
    if (th_rasp_charge(&r->heap, &q->head, s->n * sizeof *s->cell, r->err) &&
        th_rasp_seq_copy(s, &q->seq, r->err))
        return true;
    th_rasp_release(&r->heap, *v);
    return false;
}

static bool grid_value(ThRasp *r, ThRaspRun *run, ThRaspSop selector, ThRaspValue *v)
{
    ThRaspGrid *g = (ThRaspGrid *)th_rasp_object(&r->heap, TH_RASP_OBJECT_GRID, sizeof *g, r->err);
    if (!g)
        return false;
    *v = (ThRaspValue){TH_RASP_VALUE_GRID, {.object = &g->head}};
    const ThRaspSeq *input = th_rasp_run_input(run);
    g->n = input->n;
    g->cell = th_rasp_run_grid(run, selector, r->stop, r->err);
    if (g->cell && th_rasp_seq_copy(input, &g->input, r->err) &&
        th_rasp_charge(&r->heap, &g->head, g->n * g->n, r->err))
        return true;
    th_rasp_release(&r->heap, *v);
    return false;
}

bool th_rasp_on_input(ThRasp *r, const ThRaspValue *sop, const ThRaspValue *input, ThRaspValue *v)
{
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = th_rasp_run_on(r, input, r->err);
    if (!run)
        return false;
    bool ok;
    if (sop->kind == TH_RASP_VALUE_SELECTOR) {
        ok = grid_value(r, run, sop->as.sop, v);
    } else {
        const ThRaspSeq *s = th_rasp_run_value(run, sop->as.sop, r->stop, r->err);
        ok = s && sequence_value(r, s, v);
    }
    return ok;
}

/* ---- a call as written ----------------------------------------------------------------------- */

/* Is a word of a list separated by | a node's name? */
static bool is_one_of(const char *words, const char *name)
{
    size_t n = strlen(name);
    for (const char *w = words; w && *w; w += strcspn(w, "|"), w += *w == '|')
        if (strcspn(w, "|") == n && memcmp(w, name, n) == 0)
            return true;
    return false;
}

static bool eval_argument(ThRasp *r, const ThRaspFrame *f, int32_t node, const char *words,
                          ThRaspArgument *a)
{
    const ThRaspTree *t = &f->program->tree;
    *a = (ThRaspArgument){.name = ""};
    if (at(f, node)->kind == TH_RASP_R_NAMED) {
        a->name = th_rasp_text(t, node);
        a->name_id = (uint32_t)at(f, node)->number.integer;
        return th_rasp_eval(r, f, at(f, node)->first, &a->value);
    }
    if (at(f, node)->kind == TH_RASP_R_NAME && is_one_of(words, th_rasp_text(t, node))) {
        const char *word = th_rasp_text(t, node);
        ThRaspAtom atom;
        bool ok = th_rasp_atom_string(&r->atoms, word, strlen(word), &atom, r->err);
        if (ok)
            a->value = th_rasp_atom_value(atom);
        return ok;
    }
    return th_rasp_eval(r, f, node, &a->value);
}

static bool call_on_input(ThRasp *r, const ThRaspValue *callee, const ThRaspArgument *arg, size_t n,
                          ThRaspValue *v)
{
    if (n != 1 || *arg[0].name)
        return th_rasp_error(r, TH_EVALUE, "%s is applied to one input, a string or a list",
                             th_rasp_what(callee));
    const ThRaspValue *a = &arg[0].value;
    bool indices = callee->kind == TH_RASP_VALUE_SOP &&
                   th_rasp_node(r->graph, callee->as.sop)->kind == TH_RASP_NODE_INDICES;
    if (indices && a->kind == TH_RASP_VALUE_SOP) { /* as appendix D writes it */
        *v = *callee;
        return true;
    }
    return th_rasp_on_input(r, callee, a, v);
}

/* The arguments of a call, *n of them, as far as they have values; not on the stack, which calls
 * inside calls would fill. */
static bool eval_arguments(ThRasp *r, const ThRaspFrame *f, int32_t node, const ThRaspFunction *fn,
                           ThRaspArgument *arg, size_t *n)
{
    bool ok = true;
    for (int32_t a = at(f, node)->first; ok && a >= 0; a = at(f, a)->next) {
        const char *words = fn && fn->builtin && *n == 3 ? fn->builtin->word : NULL;
        ok = eval_argument(r, f, a, words, &arg[*n]) && ++*n;
    }
    return ok;
}

static bool call_with(ThRasp *r, const ThRaspFrame *f, int32_t node, const ThRaspValue *callee,
                      const char *name, ThRaspArgument *arg, size_t n, ThRaspValue *v)
{
    const ThRaspFunction *fn = th_rasp_function_of(callee);
    th_rasp_here(r, f, node);
    if (th_rasp_is_node(callee))
        return call_on_input(r, callee, arg, n, v);
    if (!fn)
        return th_rasp_error(r, TH_EVALUE, "%s cannot be called", th_rasp_what(callee));
    const char *label = *name ? name : fn->name;
    if (!th_rasp_enter(r->graph, label, at(f, node)->line, at(f, node)->col, r->err))
        return false;
    bool ok = call_function(r, fn, arg, n, v);
    th_rasp_leave(r->graph);
    return ok;
}

bool th_rasp_call(ThRasp *r, const ThRaspFrame *f, int32_t node, const ThRaspValue *callee,
                  const char *name, ThRaspValue *v)
{
    size_t n = 0, given = th_rasp_siblings(f, at(f, node)->first);
    if (given > TH_RASP_ARGUMENTS) {
        th_rasp_here(r, f, node);
        return th_rasp_error(r, TH_ELIMIT, "a call may have %d arguments", TH_RASP_ARGUMENTS);
    }
    ThRaspArgument *arg TH_OWNED(free) = th_alloc(given, sizeof *arg, r->err);
    bool ok = arg && eval_arguments(r, f, node, th_rasp_function_of(callee), arg, &n) &&
              call_with(r, f, node, callee, name, arg, n, v);
    while (n > 0)
        th_rasp_release(&r->heap, arg[--n].value);
    return ok;
}

/* ---- functions over elements ----------------------------------------------------------------- */

typedef struct {
    ThRasp *r;
    ThRaspValue function;
} Mapped;

static void release_mapped(void *context)
{
    Mapped *m TH_OWNED(free) = context;
    th_rasp_release(&m->r->heap, m->function);
}

static bool call_mapped(void *context, ThRaspAtoms *atoms TH_UNUSED, const ThRaspAtom *args,
                        size_t n, ThRaspAtom *result, ThError *err)
{
    const Mapped *m = context;
    ThRasp *r = m->r;
    ThRaspArgument arg[TH_RASP_ARGUMENTS];
    ThError *before = r->err;
    ThRaspInside inside = r->inside;
    ThRaspValue v = {0};
    for (size_t i = 0; i < n; i++)
        arg[i] = (ThRaspArgument){.value = th_rasp_atom_value(args[i]), .name = ""};
    r->err = err;
    r->mapping++;
    bool ok = call_function(r, th_rasp_function_of(&m->function), arg, n, &v);
    if (ok && v.kind != TH_RASP_VALUE_ATOM) {
        ok = th_rasp_error(r, TH_EVALUE, "a mapped function must give single values, not %s",
                           th_rasp_what(&v));
        th_rasp_release(&r->heap, v);
    }
    r->mapping--;
    r->err = before;
    if (ok) {
        *result = v.as.atom;
        r->inside = inside;
    }
    return ok;
}

const ThRaspFunction *th_rasp_called(const ThRaspFunctionOf *f)
{
    return th_rasp_function_of(&((const Mapped *)f->context)->function);
}

static Mapped *mapped(ThRasp *r, const ThRaspValue *function, uint64_t *id)
{
    const ThRaspFunction *fn = th_rasp_function_of(function);
    if (!fn)
        return th_null(
            th_rasp_error(r, TH_EVALUE, "expected a function, not %s", th_rasp_what(function)));
    Mapped *m = th_alloc(1, sizeof *m, r->err);
    if (m)
        *m = (Mapped){r, th_rasp_retain(*function)};
    *id = fn->id;
    return m;
}

bool th_rasp_map_value(ThRasp *r, const ThRaspValue *function, const ThRaspSop *x, size_t n,
                       ThRaspValue *v)
{
    uint64_t id = 0;
    Mapped *m = mapped(r, function, &id);
    if (!m)
        return false;
    ThRaspFunctionOf f = {id, call_mapped, m, release_mapped};
    ThRaspSop node = th_rasp_map(r->graph, &f, x, n, r->err);
    if (node == TH_RASP_NO_SOP)
        release_mapped(m);
    return th_rasp_made(r, node, v);
}

bool th_rasp_match_value(ThRasp *r, const ThRaspValue *function, ThRaspSop keys, ThRaspSop queries,
                         bool causal, ThRaspValue *v)
{
    uint64_t id = 0;
    Mapped *m = mapped(r, function, &id);
    if (!m)
        return false;
    ThRaspFunctionOf f = {id, call_mapped, m, release_mapped};
    ThRaspSop node = th_rasp_match(r->graph, &f, keys, queries, causal, r->err);
    if (node == TH_RASP_NO_SOP)
        release_mapped(m);
    return th_rasp_made(r, node, v);
}
