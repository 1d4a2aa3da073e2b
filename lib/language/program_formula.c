#include "language/program_formula.h"

#include "language/program_impl.h"

typedef ThLanguageCase Case;
typedef ThLanguageValue Value;
typedef ThLanguageWork Work;

/* ---- element by element ---- */

static bool take_unary(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = th_language_argument(w, node, 0);
    ThRaspUnary op = th_rasp_node(w->g, node)->op;
    for (size_t i = 0; i < x->n; i++) {
        Case c = x->list[i];
        ThRaspAtom z;
        if (c.n && (op == TH_RASP_OP_NOT || op == TH_RASP_OP_INDICATOR))
            return th_language_refuse(w, "a count as a truth value");
        bool ok = c.n ? th_language_add_sum(w, v, c.when, c, op == TH_RASP_OP_NEGATE ? -1 : 1,
                                            (Case){.atom = th_rasp_int(0)}, 0)
                      : th_rasp_atom_unary(w->atoms, op, c.atom, &z, w->err) &&
                            th_language_add_atom(w, v, c.when, z);
        if (!ok)
            return false;
    }
    return true;
}

static bool take_binary(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = th_language_argument(w, node, 0), *y = th_language_argument(w, node, 1);
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < y->n; j++) {
            int when = th_language_and(w, x->list[i].when, y->list[j].when);
            if (when < 0 || (when != th_language_untrue(w) &&
                             !th_language_take_pair(w, th_rasp_node(w->g, node)->op, &x->list[i],
                                                    &y->list[j], when, v)))
                return false;
        }
    return true;
}

static bool take_choice(Work *w, ThRaspSop node, Value *v)
{
    const Value *condition = th_language_argument(w, node, 0);
    for (size_t i = 0; i < condition->n; i++) {
        const Case *c = &condition->list[i];
        if (c->n)
            return th_language_refuse(w, "a count as a truth value");
        const Value *from =
            th_language_argument(w, node, th_rasp_atom_true(w->atoms, c->atom) ? 1 : 2);
        for (size_t j = 0; j < from->n; j++) {
            Case z = from->list[j];
            z.when = th_language_and(w, c->when, z.when);
            if (!th_language_add_case(w, v, z))
                return false;
        }
    }
    return true;
}

/* What a list, a dictionary, a tuple or a function makes of atoms. */
static bool make_of(Work *w, ThRaspSop node, const ThRaspAtom *x, ThRaspAtom *z)
{
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    if (info->kind == TH_RASP_NODE_TUPLE)
        return th_rasp_atom_tuple(w->atoms, x, info->n_args, z, w->err);
    if (info->kind == TH_RASP_NODE_MAP) {
        const ThRaspFunctionOf *f = th_rasp_function(w->g, info->table);
        return f->call(f->context, w->atoms, x, info->n_args, z, w->err);
    }
    ThRaspTable t = th_rasp_table(w->g, info->table);
    bool member = info->kind == TH_RASP_NODE_MEMBER;
    size_t i = 0;
    if (t.key || member)
        while (i < t.n && !th_rasp_atom_equal(w->atoms, *x, t.key ? t.key[i] : t.value[i]))
            i++;
    else if (x->kind == TH_RASP_ATOM_INT)
        i = (size_t)(x->cell.i + (x->cell.i < 0 ? (int64_t)t.n : 0));
    else
        i = t.n;
    if (!member && i >= t.n)
        return th_language_refuse(w, "a value that a table does not have");
    *z = member ? th_rasp_bool(i < t.n) : t.value[i];
    return true;
}

static bool take_tuples(Work *w, ThRaspSop node, size_t k, int when, ThRaspAtom *x, Value *v)
{
    ThRaspAtom z = {0};
    if (when < 0 || when == th_language_untrue(w))
        return when >= 0;
    if (k == th_rasp_node(w->g, node)->n_args)
        return make_of(w, node, x, &z) && th_language_add_atom(w, v, when, z);
    const Value *from = th_language_argument(w, node, k);
    for (size_t i = 0; i < from->n; i++) {
        if (from->list[i].n)
            return th_language_refuse(w, "a function of counts");
        x[k] = from->list[i].atom;
        if (!take_tuples(w, node, k + 1, th_language_and(w, when, from->list[i].when), x, v))
            return false;
    }
    return true;
}

static bool take_tokens(Work *w, ThRaspSop node, Value *v)
{
    static const ThRaspAtomKind kind[] = {TH_RASP_ATOM_STRING, TH_RASP_ATOM_STRING,
                                          TH_RASP_ATOM_INT, TH_RASP_ATOM_FLOAT, TH_RASP_ATOM_BOOL};
    for (size_t a = 0; a < w->f->letters; a++) {
        ThRaspAtom s, z;
        const char *name = w->f->letter[a];
        if (!th_rasp_atom_string(w->atoms, name, strlen(name), &s, w->err) ||
            !th_rasp_atom_convert(w->atoms, s, kind[th_rasp_node(w->g, node)->op], &z, w->err) ||
            !th_language_add_atom(w, v, th_automaton_formula_is(w->f, (int)a, w->err), z))
            return false;
    }
    return true;
}

/* One less than how many positions there are up to here. */
static bool take_indices(Work *w, Value *v)
{
    if (!th_grow(&w->term, &w->term_cap, w->terms + 1, sizeof *w->term, w->err))
        return false;
    w->term[w->terms] = (ThAutomatonTerm){th_language_truth(w), 1};
    return th_language_add_case(
        w, v, (Case){.when = th_language_truth(w), .first = (int)w->terms++, .n = 1, .by = -1});
}

/* ---- the program ---- */

static bool take(Work *w, ThRaspSop node)
{
    Value *v = &w->value[node];
    ThRaspAtom x[TH_RASP_MAP_ARGS] = {0};
    w->at = node;
    switch (th_rasp_node(w->g, node)->kind) {
    case TH_RASP_NODE_TOKENS:
        return take_tokens(w, node, v);
    case TH_RASP_NODE_INDICES:
        return take_indices(w, v);
    case TH_RASP_NODE_CONSTANT:
        return th_language_add_atom(w, v, th_language_truth(w), th_rasp_node(w->g, node)->atom);
    case TH_RASP_NODE_UNARY:
        return take_unary(w, node, v);
    case TH_RASP_NODE_BINARY:
        return take_binary(w, node, v);
    case TH_RASP_NODE_CHOICE:
        return take_choice(w, node, v);
    case TH_RASP_NODE_AGGREGATE:
        return th_language_take_aggregate(w, node, v);
    case TH_RASP_NODE_WIDTH:
        return th_language_take_width(w, node, v);
    case TH_RASP_NODE_SELECT:
    case TH_RASP_NODE_MATCH:
        return th_language_take_select(w, node, v);
    case TH_RASP_NODE_BOTH:
    case TH_RASP_NODE_EITHER:
        return th_language_take_both(w, node, v);
    case TH_RASP_NODE_OTHER:
        return th_language_take_other(w, node, v);
    default:
        return take_tuples(w, node, 0, th_language_truth(w), x, v);
    }
}

/* Of two cases the more complicated is where the other is not. */
static bool tidy(Work *w, Value *v)
{
    if (!v->list || v->n != 2)
        return true;
    int less = v->list[1].ways < v->list[0].ways;
    return (v->list[!less].when = th_language_not(w, v->list[less].when)) >= 0;
}

/* Adds an atom that is a string to the letters. */
static bool mention(Work *w, ThRaspAtom a)
{
    size_t size = 0;
    if (a.kind != TH_RASP_ATOM_STRING)
        return true;
    const char *text = th_rasp_string_at(w->atoms, a, &size);
    return size == 0 || th_automaton_formula_letter(w->f, text, size, w->err) >= 0;
}

static bool find_letters(Work *w, const ThRaspSop *node, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(w->g, node[i]);
        bool table = info->kind == TH_RASP_NODE_MEMBER || info->kind == TH_RASP_NODE_LOOKUP;
        ThRaspTable t = table ? th_rasp_table(w->g, info->table) : (ThRaspTable){0};
        for (size_t k = 0; ok && k < t.n; k++)
            ok = mention(w, t.key ? t.key[k] : t.value[k]);
        ok = ok && (info->kind != TH_RASP_NODE_CONSTANT || mention(w, info->atom));
    }
    for (const char *a = "ab"; ok && *a && w->f->letters < 2; a++)
        ok = th_automaton_formula_letter(w->f, a, 1, w->err) >= 0;
    return ok;
}

/* What is true where the value is; -1 where it is no truth value. */
static int whole_of(Work *w, const Value *v)
{
    int whole = th_language_untrue(w);
    for (size_t i = 0; i < v->n; i++) {
        if (v->list[i].n || v->list[i].atom.kind != TH_RASP_ATOM_BOOL)
            return -1;
        if (v->list[i].atom.cell.i)
            whole = th_language_or(w, whole, v->list[i].when);
    }
    return whole;
}

bool th_language_program(ThLanguageProgram *p, ThRaspGraph *g, ThRaspSop sop, char *const *letter,
                         int n, ThError *err)
{
    const ThRaspSop none = TH_RASP_NO_SOP;
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    *p = (ThLanguageProgram){NULL, NULL, 0, none, none, none, none, none};
    Work w = {.p = p, .f = &f, .g = g, .atoms = th_rasp_atoms(g), .err = err};
    size_t nodes = 0;
    ThRaspSop *node TH_OWNED(free) = th_rasp_ancestors(g, sop, &nodes, err);
    w.value = node ? th_alloc((size_t)sop + 1, sizeof *w.value, err) : NULL;
    bool ok = w.value && (letter ? th_automaton_formula_letters(&f, letter, n, err)
                                 : find_letters(&w, node, nodes));
    for (size_t i = 0; ok && i < nodes; i++)
        ok = take(&w, node[i]) && tidy(&w, &w.value[node[i]]);
    p->refused = ok ? TH_RASP_NO_SOP : w.at;
    f.whole = ok && !th_rasp_is_selector(g, sop) ? whole_of(&w, &w.value[sop]) : -1;
    if (f.whole >= 0)
        ok = (p->formula = th_automaton_formula_write(&f, false, false, err)) != NULL;
    p->letter = f.letter;
    p->letters = (int)f.letters;
    f.letters = 0;
    f.letter = NULL;
    for (size_t i = 0; w.value && i <= sop; i++)
        th_language_value_free(&w.value[i]);
    TH_FREE(w.value, w.term);
    return ok;
}

void th_language_program_free(ThLanguageProgram *p)
{
    for (int i = 0; i < p->letters; i++)
        free(p->letter[i]);
    TH_FREE(p->formula, p->letter);
    *p = (ThLanguageProgram){0};
}
