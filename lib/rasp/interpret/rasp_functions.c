/* rasp_functions.c - the functions that are not written in RASP. */

#include "rasp/interpret/interp.h"

static bool is_string(const ThRasp *r, const ThRaspValue *v, const char *text)
{
    size_t n = 0;
    if (v->kind != TH_RASP_VALUE_ATOM || v->as.atom.kind != TH_RASP_ATOM_STRING)
        return false;
    const char *s = th_rasp_string_at(&r->atoms, v->as.atom, &n);
    return n == strlen(text) && memcmp(s, text, n) == 0;
}

static bool want_int(ThRasp *r, const ThRaspBuiltin *self, const ThRaspValue *v, int64_t *i)
{
    if (v->kind != TH_RASP_VALUE_ATOM ||
        (v->as.atom.kind != TH_RASP_ATOM_INT && v->as.atom.kind != TH_RASP_ATOM_BOOL))
        return th_rasp_error(r, TH_EVALUE, "%s takes ints, not %s", self->name, th_rasp_what(v));
    *i = v->as.atom.cell.i;
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool do_range(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n,
                     ThRaspValue *v)
{
    int64_t value[3] = {0, 0, 1};
    for (size_t i = 0; i < n; i++)
        if (!want_int(r, self, &arg[i].value, &value[n == 1 ? 1 : i]))
            return false;
    int64_t from = value[0], to = value[1], step = value[2];
    if (step == 0)
        return th_rasp_error(r, TH_EVALUE, "the step of range cannot be 0");
    uint64_t distance = step > 0 ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
    uint64_t width = step > 0 ? (uint64_t)step : -(uint64_t)step;
    bool none = step > 0 ? from >= to : from <= to;
    uint64_t size = none ? 0 : (distance - 1) / width + 1;
    ThRaspList *l = th_rasp_list_new(&r->heap, size, r->err);
    if (!l)
        return false;
    for (uint64_t i = 0; i < size; i++)
        l->item[i] =
            th_rasp_atom_value(th_rasp_int((int64_t)((uint64_t)from + i * (uint64_t)step)));
    l->n = size;
    l->head.span = size * sizeof *l->item;
    *v = (ThRaspValue){TH_RASP_VALUE_LIST, {.object = &l->head}};
    return true;
}

static bool do_zip(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n,
                   ThRaspValue *v)
{
    for (size_t i = 0; i < n; i++) {
        if (!th_rasp_is_list(&arg[i].value))
            return th_rasp_error(r, TH_EVALUE, "%s takes lists, not %s", self->name,
                                 th_rasp_what(&arg[i].value));
        if (th_rasp_length(&arg[i].value) != th_rasp_length(&arg[0].value))
            return th_rasp_error(r, TH_EVALUE, "%s takes lists of one length, not of %zu and %zu",
                                 self->name, th_rasp_length(&arg[0].value),
                                 th_rasp_length(&arg[i].value));
    }
    size_t size = th_rasp_length(&arg[0].value);
    ThRaspList *l = th_rasp_list_new(&r->heap, size, r->err);
    bool ok = l != NULL;
    for (size_t k = 0; ok && k < size; k++) {
        ThRaspList *row = th_rasp_list_new(&r->heap, n, r->err);
        ok = row && !th_stopped(r->stop, r->err);
        for (size_t i = 0; ok && i < n; i++)
            ok = th_rasp_list_add(&r->heap, &r->atoms, row,
                                  th_rasp_retain(th_rasp_element(&arg[i].value, k)), r->err);
        ThRaspValue e = {TH_RASP_VALUE_LIST, {.object = row ? &row->head : NULL}};
        if (ok)
            ok = th_rasp_list_add(&r->heap, &r->atoms, l, e, r->err);
        else if (row)
            th_rasp_release(&r->heap, e);
    }
    if (ok)
        *v = (ThRaspValue){TH_RASP_VALUE_LIST, {.object = &l->head}};
    else if (l)
        th_rasp_object_release(&r->heap, &l->head);
    return ok;
}

static bool do_len(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n TH_UNUSED,
                   ThRaspValue *v)
{
    if (!th_rasp_is_list(&arg[0].value) && arg[0].value.kind != TH_RASP_VALUE_DICT) {
        th_rasp_error(r, TH_EVALUE, "%s takes a list or a dict, not %s", self->name,
                      th_rasp_what(&arg[0].value));
        return arg[0].value.kind == TH_RASP_VALUE_SOP
                   ? th_hint(r->err, "length is the s-op of an input's length")
                   : false;
    }
    *v = th_rasp_atom_value(th_rasp_int((int64_t)th_rasp_length(&arg[0].value)));
    return true;
}

static bool do_unary(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n TH_UNUSED,
                     ThRaspValue *v)
{
    return th_rasp_apply_unary(r, (ThRaspUnary)self->op, &arg[0].value, v);
}

static bool do_binary(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n TH_UNUSED,
                      ThRaspValue *v)
{
    return th_rasp_apply_binary(r, (ThRaspBinary)self->op, &arg[0].value, &arg[1].value, v);
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* Is a function one of the comparisons?  Then *op is which. */
static bool comparison(const ThRaspValue *v, ThRaspBinary *op)
{
    if (v->kind != TH_RASP_VALUE_FUNCTION)
        return false;
    const ThRaspBuiltin *b = ((const ThRaspFunction *)v->as.object)->builtin;
    if (!b || b->call != do_binary)
        return false;
    *op = (ThRaspBinary)b->op;
    return true;
}

static bool do_select(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n,
                      ThRaspValue *v)
{
    ThRaspBinary op;
    ThRaspSop k = 0, q = 0;
    bool causal = false;
    if (n == 4) {
        const ThRaspValue *c = &arg[3].value;
        bool flag = c->kind == TH_RASP_VALUE_ATOM && c->as.atom.kind == TH_RASP_ATOM_BOOL;
        if (!flag && !is_string(r, c, "causal"))
            return th_rasp_error(r, TH_EVALUE, "the last argument of %s is causal, True or False",
                                 self->name);
        causal = !flag || c->as.atom.cell.i;
    }
    for (int i = 0; i < 2; i++)
        if (arg[i].value.kind != TH_RASP_VALUE_SOP && arg[i].value.kind != TH_RASP_VALUE_ATOM)
            return th_rasp_error(r, TH_EVALUE, "%s takes s-ops or single values, not %s",
                                 self->name, th_rasp_what(&arg[i].value));
    if (arg[2].value.kind != TH_RASP_VALUE_FUNCTION)
        return th_rasp_error(r, TH_EVALUE, "%s compares by == != < <= > >= or a function, not %s",
                             self->name, th_rasp_what(&arg[2].value)) ||
               th_hint(r->err, "%s(%s)", self->name, self->parameters);
    if (!th_rasp_sop(r, &arg[0].value, &k) || !th_rasp_sop(r, &arg[1].value, &q))
        return false;
    if (!comparison(&arg[2].value, &op))
        return th_rasp_match_value(r, &arg[2].value, k, q, causal, v);
    return th_rasp_made(r, th_rasp_select(r->graph, k, q, op, causal, r->err), v);
}

static bool reduction(ThRasp *r, const ThRaspBuiltin *self, const ThRaspValue *v,
                      ThRaspReduction *how)
{
    if (is_string(r, v, "mean"))
        *how = TH_RASP_REDUCE_MEAN_INT;
    else if (is_string(r, v, "max"))
        *how = TH_RASP_REDUCE_MAX;
    else if (is_string(r, v, "min"))
        *how = TH_RASP_REDUCE_MIN;
    else if (is_string(r, v, "rightmost"))
        *how = TH_RASP_REDUCE_RIGHTMOST;
    else if (is_string(r, v, "leftmost"))
        *how = TH_RASP_REDUCE_LEFTMOST;
    else
        return th_rasp_error(r, TH_EVALUE, "the last argument of %s is %s", self->name,
                             "mean, max, min, rightmost or leftmost");
    return true;
}

static bool do_aggregate(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n,
                         ThRaspValue *v)
{
    ThRaspReduction how = TH_RASP_REDUCE_MEAN;
    ThRaspSop values = 0;
    if (arg[0].value.kind != TH_RASP_VALUE_SELECTOR)
        return th_rasp_error(r, TH_EVALUE, "%s takes a selector first, not %s", self->name,
                             th_rasp_what(&arg[0].value)) ||
               th_hint(r->err, "%s(%s)", self->name, self->parameters);
    if (arg[1].value.kind != TH_RASP_VALUE_SOP && arg[1].value.kind != TH_RASP_VALUE_ATOM)
        return th_rasp_error(r, TH_EVALUE, "%s takes an s-op second, not %s", self->name,
                             th_rasp_what(&arg[1].value));
    if (n > 2 && arg[2].value.kind != TH_RASP_VALUE_ATOM)
        return th_rasp_error(r, TH_EVALUE, "the default of %s is a single value, not %s",
                             self->name, th_rasp_what(&arg[2].value));
    if (n > 3 && !reduction(r, self, &arg[3].value, &how))
        return false;
    ThRaspAtom missing = n > 2 ? arg[2].value.as.atom : th_rasp_int(0);
    return th_rasp_sop(r, &arg[1].value, &values) &&
           th_rasp_made(r,
                        th_rasp_aggregate(r->graph, arg[0].value.as.sop, values,
                                          n > 2 ? &missing : NULL, how, r->err),
                        v);
}

/* ---- the causal dialect ---------------------------------------------------------------------- */

static bool do_width(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n TH_UNUSED,
                     ThRaspValue *v)
{
    if (arg[0].value.kind != TH_RASP_VALUE_SELECTOR)
        return th_rasp_error(r, TH_EVALUE, "%s takes a selector, not %s", self->name,
                             th_rasp_what(&arg[0].value));
    return th_rasp_made(r, th_rasp_width(r->graph, arg[0].value.as.sop, r->err), v);
}

static bool do_full(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n TH_UNUSED,
                    ThRaspValue *v)
{
    const ThRaspValue *c = &arg[1].value;
    if (c->kind != TH_RASP_VALUE_ATOM)
        return th_rasp_error(r, TH_EVALUE, "%s takes a single value, not %s", self->name,
                             th_rasp_what(c));
    return th_rasp_made(r, th_rasp_constant(r->graph, c->as.atom, r->err), v);
}

static bool map(ThRasp *r, const ThRaspValue *function, const ThRaspArgument *arg, size_t n,
                ThRaspValue *v)
{
    ThRaspSop x[TH_RASP_ARGUMENTS];
    bool sops = false;
    if (function->kind != TH_RASP_VALUE_FUNCTION)
        return th_rasp_error(r, TH_EVALUE, "expected a function, not %s", th_rasp_what(function));
    for (size_t i = 0; i < n; i++)
        sops = sops || arg[i].value.kind == TH_RASP_VALUE_SOP;
    if (!sops)
        return th_rasp_error(r, TH_EVALUE, "a function is mapped over s-ops, not %s",
                             th_rasp_what(&arg[0].value));
    for (size_t i = 0; i < n; i++)
        if (!th_rasp_sop(r, &arg[i].value, &x[i]))
            return false;
    return th_rasp_map_value(r, function, x, n, v);
}

/* The function stands first in map, last in tok_map and seq_map, as in appendix D. */
static bool do_map(ThRasp *r, const ThRaspBuiltin *self, ThRaspArgument *arg, size_t n,
                   ThRaspValue *v)
{
    if (self->op == 0)
        return map(r, &arg[0].value, arg + 1, n - 1, v);
    return map(r, &arg[n - 1].value, arg, n - 1, v);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const ThRaspBuiltin builtins[] = {
    {"select", "keys, queries, comparison, causal", 3, 4, do_select, 0, "causal"},
    {"aggregate", "selector, values, default, mean|max|min|rightmost|leftmost", 2, 4, do_aggregate,
     0, "mean|max|min|rightmost|leftmost"},
    {"range", "from, to, step", 1, 3, do_range, 0, NULL},
    {"zip", "list, list, ...", 1, TH_RASP_ARGUMENTS, do_zip, 0, NULL},
    {"len", "list", 1, 1, do_len, 0, NULL},
    {"round", "value", 1, 1, do_unary, TH_RASP_OP_ROUND, NULL},
    {"indicator", "sop", 1, 1, do_unary, TH_RASP_OP_INDICATOR, NULL},
    {"equals", "a, b", 2, 2, do_binary, TH_RASP_OP_EQ, NULL},
    {"unequal", "a, b", 2, 2, do_binary, TH_RASP_OP_NE, NULL},
    {"lt", "a, b", 2, 2, do_binary, TH_RASP_OP_LT, NULL},
    {"leq", "a, b", 2, 2, do_binary, TH_RASP_OP_LE, NULL},
    {"gt", "a, b", 2, 2, do_binary, TH_RASP_OP_GT, NULL},
    {"geq", "a, b", 2, 2, do_binary, TH_RASP_OP_GE, NULL},
    {"sel_width", "selector", 1, 1, do_width, 0, NULL},
    {"full", "sop, value", 2, 2, do_full, 0, NULL},
    {"map", "function, sop, ...", 2, TH_RASP_ARGUMENTS, do_map, 0, NULL},
    {"tok_map", "sop, function", 2, 2, do_map, 1, NULL},
    {"seq_map", "sop, sop, function", 3, 3, do_map, 1, NULL},
};

static bool install(ThRasp *r, const char *name, ThRaspValue v)
{
    uint32_t id;
    if (!th_rasp_name_id(r, name, &id)) {
        th_rasp_release(&r->heap, v);
        return false;
    }
    return th_rasp_scope_set(&r->heap, r->base, id, v, r->err);
}

static bool install_sop(ThRasp *r, const char *name, ThRaspSop sop)
{
    ThRaspValue v = {0};
    return th_rasp_made(r, sop, &v) && th_rasp_name(r->graph, sop, name, r->err) &&
           install(r, name, v);
}

bool th_rasp_install_builtins(ThRasp *r)
{
    static const char *const tokens[] = {"tokens_asis", "tokens_str", "tokens_int", "tokens_float",
                                         "tokens_bool"};
    bool ok = install(r, "True", th_rasp_atom_value(th_rasp_bool(true))) &&
              install(r, "False", th_rasp_atom_value(th_rasp_bool(false)));
    for (size_t i = 0; ok && i < sizeof builtins / sizeof *builtins; i++) {
        ThRaspFunction *f =
            (ThRaspFunction *)th_rasp_object(&r->heap, TH_RASP_OBJECT_FUNCTION, sizeof *f, r->err);
        if (!f)
            return false;
        f->builtin = &builtins[i];
        f->id = ++r->functions;
        f->name = th_strdup(builtins[i].name, r->err);
        ThRaspValue v = {TH_RASP_VALUE_FUNCTION, {.object = &f->head}};
        ok = install(r, builtins[i].name, v) && f->name;
    }
    for (int i = 0; ok && i < 5; i++)
        ok = install_sop(r, tokens[i], th_rasp_tokens(r->graph, (ThRaspTokensAs)i, r->err));
    return ok && install_sop(r, "indices", th_rasp_indices(r->graph, r->err));
}
