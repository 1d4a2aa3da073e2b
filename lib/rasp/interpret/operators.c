/* operators.c - operators on the interpreter's values. */

#include "rasp/interpret/interp.h"

bool th_rasp_is_list(const ThRaspValue *v)
{
    return v->kind == TH_RASP_VALUE_LIST || v->kind == TH_RASP_VALUE_SEQUENCE;
}

size_t th_rasp_length(const ThRaspValue *v)
{
    if (v->kind == TH_RASP_VALUE_LIST)
        return ((const ThRaspList *)v->as.object)->n;
    if (v->kind == TH_RASP_VALUE_SEQUENCE)
        return ((const ThRaspSequence *)v->as.object)->seq.n;
    return v->kind == TH_RASP_VALUE_DICT ? ((const ThRaspDict *)v->as.object)->n : 0;
}

const ThRaspValue *th_rasp_held(const ThRaspValue *v, size_t *n)
{
    bool list = v->kind == TH_RASP_VALUE_LIST, dict = v->kind == TH_RASP_VALUE_DICT;
    *n = list || dict ? th_rasp_length(v) : 0;
    return list   ? ((const ThRaspList *)v->as.object)->item
           : dict ? ((const ThRaspDict *)v->as.object)->value
                  : NULL;
}

ThRaspValue th_rasp_element(const ThRaspValue *list, size_t i)
{
    if (list->kind == TH_RASP_VALUE_LIST)
        return ((const ThRaspList *)list->as.object)->item[i];
    return th_rasp_atom_value(th_rasp_seq_at(&((const ThRaspSequence *)list->as.object)->seq, i));
}

const ThRaspSeq *th_rasp_sequence(const ThRaspValue *v)
{
    return v->kind == TH_RASP_VALUE_SEQUENCE ? &((const ThRaspSequence *)v->as.object)->seq : NULL;
}

const uint8_t *th_rasp_grid(const ThRaspValue *v, size_t *n, const ThRaspSeq **input)
{
    if (v->kind != TH_RASP_VALUE_GRID)
        return NULL;
    const ThRaspGrid *g = (const ThRaspGrid *)v->as.object;
    *n = g->n;
    *input = &g->input;
    return g->cell;
}

const char *th_rasp_kind_name(const ThRaspValue *v)
{
    static const char *const names[] = {"",     "s-op",     "selector", "list",
                                        "dict", "function", "sequence", "grid"};
    return v->kind == TH_RASP_VALUE_ATOM ? th_rasp_atom_kind_name(v->as.atom.kind) : names[v->kind];
}

const char *th_rasp_what(const ThRaspValue *v)
{
    static const char *const names[] = {"",       "an s-op",    "a selector", "a list",
                                        "a dict", "a function", "a sequence", "a grid"};
    static const char *const atoms[] = {"an int", "a float", "a bool", "a string", "a tuple"};
    return v->kind == TH_RASP_VALUE_ATOM ? atoms[v->as.atom.kind] : names[v->kind];
}

/* ---- nodes ----------------------------------------------------------------------------------- */

bool th_rasp_made(ThRasp *r, ThRaspSop node, ThRaspValue *v)
{
    if (node == TH_RASP_NO_SOP)
        return false;
    if (r->mapping > 0)
        return th_rasp_error(r, TH_EVALUE,
                             "a function that is mapped over elements cannot make s-ops") ||
               th_hint(r->err, "it is called with single values");
    size_t need = (size_t)node + 1;
    if (!th_grow(&r->place, &r->cap_places, need, sizeof *r->place, r->err))
        return false;
    for (; r->n_places < need; r->n_places++)
        r->place[r->n_places] = (ThRaspPlace){0};
    r->place[node] = (ThRaspPlace){r->serial, r->line, r->col, r->inside};
    bool selector = th_rasp_is_selector(r->graph, node);
    *v = (ThRaspValue){selector ? TH_RASP_VALUE_SELECTOR : TH_RASP_VALUE_SOP, {.sop = node}};
    return true;
}

bool th_rasp_sop(ThRasp *r, const ThRaspValue *v, ThRaspSop *sop)
{
    ThRaspValue made = {0};
    if (th_rasp_is_node(v)) {
        *sop = v->as.sop;
        return true;
    }
    if (v->kind != TH_RASP_VALUE_ATOM)
        return th_rasp_error(r, TH_EVALUE, "expected an s-op or a single value, not %s",
                             th_rasp_what(v));
    *sop = th_rasp_constant(r->graph, v->as.atom, r->err);
    return th_rasp_made(r, *sop, &made);
}

ThRaspAtom *th_rasp_atoms_of(ThRasp *r, const ThRaspValue *v, const char *what, size_t *n)
{
    if (v->kind == TH_RASP_VALUE_ATOM && v->as.atom.kind == TH_RASP_ATOM_STRING) {
        size_t size = 0;
        const char *text = th_rasp_string_at(&r->atoms, v->as.atom, &size);
        char *copy TH_OWNED(free) = th_strndup(text, size, r->err);
        ThRaspSeq s TH_OWNED(th_rasp_seq_free) = {0};
        bool ok = copy && th_rasp_seq_of_text(&r->atoms, copy, size, &s, r->err);
        ThRaspAtom *atom = ok ? th_alloc(s.n, sizeof *atom, r->err) : NULL;
        for (*n = 0; atom && *n < s.n; ++*n)
            atom[*n] = th_rasp_seq_at(&s, *n);
        return atom;
    }
    if (!th_rasp_is_list(v))
        return th_null(th_rasp_error(r, TH_EVALUE, "%s must be a list of single values, not %s",
                                     what, th_rasp_what(v)));
    *n = th_rasp_length(v);
    ThRaspAtom *atom = th_alloc(*n, sizeof *atom, r->err);
    for (size_t i = 0; atom && i < *n; i++) {
        ThRaspValue e = th_rasp_element(v, i);
        if (e.kind != TH_RASP_VALUE_ATOM) {
            th_rasp_error(r, TH_EVALUE, "%s must be a list of single values; element %zu is %s",
                          what, i, th_rasp_what(&e));
            free(atom);
            return NULL;
        }
        atom[i] = e.as.atom;
    }
    return atom;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool concatenate(ThRasp *r, const ThRaspValue *a, const ThRaspValue *b, ThRaspValue *v)
{
    size_t n = th_rasp_length(a), m = th_rasp_length(b);
    ThRaspList *l = th_rasp_list_new(&r->heap, n + m, r->err);
    bool ok = l != NULL;
    for (size_t i = 0; ok && i < n + m; i++) {
        ThRaspValue e = i < n ? th_rasp_element(a, i) : th_rasp_element(b, i - n);
        ok = th_rasp_list_add(&r->heap, &r->atoms, l, th_rasp_retain(e), r->err);
    }
    if (!ok) {
        th_rasp_object_release(&r->heap, l ? &l->head : NULL);
        return false;
    }
    *v = (ThRaspValue){TH_RASP_VALUE_LIST, {.object = &l->head}};
    return true;
}

bool th_rasp_apply_binary(ThRasp *r, ThRaspBinary op, const ThRaspValue *a, const ThRaspValue *b,
                          ThRaspValue *v)
{
    if (a->kind == TH_RASP_VALUE_ATOM && b->kind == TH_RASP_VALUE_ATOM) {
        ThRaspAtom atom;
        if (!th_rasp_atom_binary(&r->atoms, op, a->as.atom, b->as.atom, &atom, r->err))
            return false;
        *v = th_rasp_atom_value(atom);
        return true;
    }
    if (op == TH_RASP_OP_ADD && th_rasp_is_list(a) && th_rasp_is_list(b))
        return concatenate(r, a, b, v);
    bool nodes = (th_rasp_is_node(a) || a->kind == TH_RASP_VALUE_ATOM) &&
                 (th_rasp_is_node(b) || b->kind == TH_RASP_VALUE_ATOM);
    if (!nodes)
        return th_rasp_error(r, TH_EVALUE, "'%s' does not take %s and %s", th_rasp_binary_name(op),
                             th_rasp_what(a), th_rasp_what(b));
    bool selector = a->kind == TH_RASP_VALUE_SELECTOR || b->kind == TH_RASP_VALUE_SELECTOR;
    if (selector && a->kind != b->kind)
        return th_rasp_error(r, TH_EVALUE, "'%s' does not take %s and %s", th_rasp_binary_name(op),
                             th_rasp_what(a), th_rasp_what(b)) ||
               th_hint(r->err, "selectors combine with selectors only");
    ThRaspSop x = 0, y = 0;
    return th_rasp_sop(r, a, &x) && th_rasp_sop(r, b, &y) &&
           th_rasp_made(r, th_rasp_binary(r->graph, op, x, y, r->err), v);
}

bool th_rasp_apply_unary(ThRasp *r, ThRaspUnary op, const ThRaspValue *a, ThRaspValue *v)
{
    if (a->kind == TH_RASP_VALUE_ATOM && op == TH_RASP_OP_INDICATOR)
        return th_rasp_error(r, TH_EVALUE, "indicator takes an s-op, not %s", th_rasp_what(a));
    if (a->kind == TH_RASP_VALUE_ATOM) {
        ThRaspAtom atom;
        if (!th_rasp_atom_unary(&r->atoms, op, a->as.atom, &atom, r->err))
            return false;
        *v = th_rasp_atom_value(atom);
        return true;
    }
    if (!th_rasp_is_node(a))
        return th_rasp_error(r, TH_EVALUE, "'%s' does not take %s", th_rasp_unary_name(op),
                             th_rasp_what(a));
    return th_rasp_made(r, th_rasp_unary(r->graph, op, a->as.sop, r->err), v);
}

/* atom in s-op: does it occur anywhere?  One head that looks everywhere. */
static bool occurs(ThRasp *r, const ThRaspValue *a, const ThRaspValue *b, ThRaspValue *v)
{
    ThRaspValue full = {0}, equal = {0}, mark = {0}, mean = {0};
    if (!th_rasp_lookup_base(r, "full_s", &full))
        return th_rasp_error(r, TH_EVALUE, "the library is missing");
    if (!th_rasp_apply_binary(r, TH_RASP_OP_EQ, b, a, &equal) ||
        !th_rasp_apply_unary(r, TH_RASP_OP_INDICATOR, &equal, &mark))
        return false;
    ThRaspSop m =
        th_rasp_aggregate(r->graph, full.as.sop, mark.as.sop, NULL, TH_RASP_REDUCE_MEAN, r->err);
    ThRaspValue zero = th_rasp_atom_value(th_rasp_int(0));
    return th_rasp_made(r, m, &mean) && th_rasp_apply_binary(r, TH_RASP_OP_GT, &mean, &zero, v);
}

/* x in dict: is it a key? */
static bool is_key(ThRasp *r, const ThRaspValue *a, const ThRaspDict *d, ThRaspValue *v)
{
    if (a->kind == TH_RASP_VALUE_SOP)
        return th_rasp_made(r, th_rasp_member(r->graph, a->as.sop, d->key, d->n, r->err), v);
    *v = th_rasp_atom_value(th_rasp_bool(th_rasp_dict_get(&r->atoms, d, a->as.atom) != NULL));
    return true;
}

bool th_rasp_apply_in(ThRasp *r, const ThRaspValue *a, const ThRaspValue *b, ThRaspValue *v)
{
    bool single = a->kind == TH_RASP_VALUE_SOP || a->kind == TH_RASP_VALUE_ATOM;
    if (a->kind == TH_RASP_VALUE_ATOM && b->kind == TH_RASP_VALUE_SOP)
        return occurs(r, a, b, v);
    if (single && b->kind == TH_RASP_VALUE_DICT)
        return is_key(r, a, (const ThRaspDict *)b->as.object, v);
    if (!single || !th_rasp_is_list(b))
        return th_rasp_error(r, TH_EVALUE, "'in' does not take %s and %s", th_rasp_what(a),
                             th_rasp_what(b)) ||
               th_hint(r->err, "an s-op or a value is in a list or dict; a value is in an s-op");
    size_t n = 0;
    ThRaspAtom *atom TH_OWNED(free) = th_rasp_atoms_of(r, b, "what stands behind 'in'", &n);
    if (!atom)
        return false;
    bool ok = true;
    if (a->kind == TH_RASP_VALUE_SOP) {
        ok = th_rasp_made(r, th_rasp_member(r->graph, a->as.sop, atom, n, r->err), v);
    } else {
        bool found = false;
        for (size_t i = 0; i < n && !found; i++)
            found = th_rasp_atom_equal(&r->atoms, a->as.atom, atom[i]);
        *v = th_rasp_atom_value(th_rasp_bool(found));
    }
    return ok;
}

/* ---- indices --------------------------------------------------------------------------------- */

static bool index_of(ThRasp *r, const ThRaspValue *i, size_t n, size_t *at)
{
    if (i->kind != TH_RASP_VALUE_ATOM ||
        (i->as.atom.kind != TH_RASP_ATOM_INT && i->as.atom.kind != TH_RASP_ATOM_BOOL))
        return th_rasp_error(r, TH_EVALUE, "an index is an int, not %s", th_rasp_what(i));
    int64_t k = i->as.atom.cell.i;
    bool inside = k >= 0 ? (uint64_t)k < n : k >= -(int64_t)n;
    if (!inside)
        return th_rasp_error(r, TH_EVALUE, "index %lld is outside of the %zu elements",
                             (long long)k, n) ||
               th_hint(r->err, "indices begin at 0; negative ones count from the end");
    *at = k >= 0 ? (size_t)k : n - (size_t)-k;
    return true;
}

static bool list_by_sop(ThRasp *r, const ThRaspValue *a, ThRaspSop i, ThRaspValue *v)
{
    size_t n = 0;
    ThRaspAtom *atom TH_OWNED(free) = th_rasp_atoms_of(r, a, "what an s-op is an index of", &n);
    return atom && th_rasp_made(r, th_rasp_list(r->graph, i, atom, n, r->err), v);
}

static bool dict_by_sop(ThRasp *r, const ThRaspDict *d, ThRaspSop i, ThRaspValue *v)
{
    ThRaspAtom *value TH_OWNED(free) = th_alloc(d->n, sizeof *value, r->err);
    bool ok = value != NULL;
    for (size_t k = 0; ok && k < d->n; k++)
        if (d->value[k].kind != TH_RASP_VALUE_ATOM)
            ok = th_rasp_error(r, TH_EVALUE,
                               "a dict that an s-op looks up must hold single values, not %s",
                               th_rasp_what(&d->value[k]));
        else
            value[k] = d->value[k].as.atom;
    return ok && th_rasp_made(r, th_rasp_dict(r->graph, i, d->key, value, d->n, r->err), v);
}

static bool dict_by_key(ThRasp *r, const ThRaspDict *d, const ThRaspValue *i, ThRaspValue *v)
{
    if (i->kind == TH_RASP_VALUE_SOP)
        return dict_by_sop(r, d, i->as.sop, v);
    if (i->kind != TH_RASP_VALUE_ATOM)
        return th_rasp_error(r, TH_EVALUE, "a key is a single value, not %s", th_rasp_what(i));
    const ThRaspValue *found = th_rasp_dict_get(&r->atoms, d, i->as.atom);
    if (!found) {
        ThText t TH_OWNED(th_text_free) = {0};
        th_rasp_write_value(r, i, &t);
        return th_rasp_error(r, TH_EVALUE, "the dict has no key %.100s", th_text_string(&t));
    }
    *v = th_rasp_retain(*found);
    return true;
}

/* s[k]: the value at position k, everywhere; from the end where k is negative. */
static bool sop_at(ThRasp *r, const ThRaspValue *a, const ThRaspValue *i, ThRaspValue *v)
{
    ThRaspValue length = {0}, where = *i, selector = {0};
    if (i->kind != TH_RASP_VALUE_ATOM || i->as.atom.kind != TH_RASP_ATOM_INT)
        return th_rasp_error(r, TH_EVALUE, "an s-op's index is an int, not %s", th_rasp_what(i)) ||
               th_hint(r->err, "load_from_location(s, positions) takes an s-op of positions");
    if (i->as.atom.cell.i < 0 && (!th_rasp_lookup_base(r, "length", &length) ||
                                  !th_rasp_apply_binary(r, TH_RASP_OP_ADD, &length, i, &where)))
        return false;
    ThRaspSop at = 0, indices = th_rasp_indices(r->graph, r->err);
    return th_rasp_made(r, indices, &selector) && th_rasp_sop(r, &where, &at) &&
           th_rasp_made(r, th_rasp_select(r->graph, indices, at, TH_RASP_OP_EQ, false, r->err),
                        &selector) &&
           th_rasp_made(r,
                        th_rasp_aggregate(r->graph, selector.as.sop, a->as.sop, NULL,
                                          TH_RASP_REDUCE_MEAN, r->err),
                        v);
}

static bool tuple_at(ThRasp *r, ThRaspAtom tuple, const ThRaspValue *i, ThRaspValue *v)
{
    size_t n = 0, at = 0;
    th_rasp_tuple_at(&r->atoms, tuple, &n);
    if (!index_of(r, i, n, &at))
        return false;
    *v = th_rasp_atom_value(th_rasp_tuple_at(&r->atoms, tuple, &n)[at]);
    return true;
}

static bool string_at(ThRasp *r, const ThRaspValue *a, const ThRaspValue *i, ThRaspValue *v)
{
    size_t n = 0, at = 0;
    ThRaspAtom *atom TH_OWNED(free) = th_rasp_atoms_of(r, a, "a string", &n);
    bool ok = atom && index_of(r, i, n, &at);
    if (ok)
        *v = th_rasp_atom_value(atom[at]);
    return ok;
}

bool th_rasp_apply_index(ThRasp *r, const ThRaspValue *a, const ThRaspValue *i, ThRaspValue *v)
{
    bool string = a->kind == TH_RASP_VALUE_ATOM && a->as.atom.kind == TH_RASP_ATOM_STRING;
    if (a->kind == TH_RASP_VALUE_DICT)
        return dict_by_key(r, (const ThRaspDict *)a->as.object, i, v);
    if (a->kind == TH_RASP_VALUE_SOP)
        return sop_at(r, a, i, v);
    if ((string || th_rasp_is_list(a)) && i->kind == TH_RASP_VALUE_SOP)
        return list_by_sop(r, a, i->as.sop, v);
    if (string)
        return string_at(r, a, i, v);
    if (a->kind == TH_RASP_VALUE_ATOM && a->as.atom.kind == TH_RASP_ATOM_TUPLE)
        return tuple_at(r, a->as.atom, i, v);
    if (!th_rasp_is_list(a))
        return th_rasp_error(r, TH_EVALUE, "%s has no elements", th_rasp_what(a));
    size_t at = 0;
    if (!index_of(r, i, th_rasp_length(a), &at))
        return false;
    *v = th_rasp_retain(th_rasp_element(a, at));
    return true;
}
