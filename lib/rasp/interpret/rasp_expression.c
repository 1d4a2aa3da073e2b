/* rasp_expression.c - the value of an expression. */

#include "rasp/interpret/interp.h"

typedef bool Evaluator(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v);

static const ThRaspNode *at(const ThRaspFrame *f, int32_t node)
{
    return &f->program->tree.node[node];
}

static int32_t next(const ThRaspFrame *f, int32_t node)
{
    return at(f, node)->next;
}

static void release(ThRasp *r, ThRaspValue v)
{
    th_rasp_release(&r->heap, v);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Whether the host would insert something for $name: a figure of the last command. */
static bool is_result(const ThRasp *r, const char *name)
{
    ThRaspAtom value;
    ThError none = {0};
    return r->host.insert && r->host.insert(r->host.context, name, &value, &none);
}

static bool unknown_name(ThRasp *r, const char *name)
{
    const char *names[512];
    size_t n = 0;
    for (const char *s; n < sizeof names / sizeof *names && (s = th_rasp_name_at(r, n)); n++)
        names[n] = s;
    const char *near = th_nearest(name, names, n), *habit = th_rasp_habit("", name, "");
    th_rasp_error(r, TH_EVALUE, "undefined name '%.100s'", name);
    if (is_result(r, name))
        return th_hint(r->err, "a result of the last command: $%.100s", name);
    if (habit)
        return th_hint(r->err, "%s", habit);
    return near ? th_hint(r->err, "did you mean %s?", near) : false;
}

/* Gives an error of the program around the place of the node at hand, and what it says of a place
 * inside of it.  Returns false. */
static bool at_node(ThRasp *r)
{
    if (r->err && r->err->code != TH_OK && r->err->line <= 1) {
        r->err->col = r->col + (r->err->line == 1 ? r->err->col - 1 : 0);
        r->err->line = r->line;
    }
    return false;
}

static bool eval_name(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    uint32_t id = (uint32_t)at(f, node)->number.integer;
    for (const ThRaspScope *s = f->scope; s; s = s->parent) {
        const ThRaspBinding *b = th_rasp_scope_find(s, id);
        if (b) {
            *v = th_rasp_retain(b->value);
            return true;
        }
    }
    const char *name = th_rasp_text(&f->program->tree, node);
    th_rasp_here(r, f, node);
    if (name[0] != '$' || !r->host.insert)
        return unknown_name(r, name);
    *v = (ThRaspValue){.kind = TH_RASP_VALUE_ATOM};
    return r->host.insert(r->host.context, name + 1, &v->as.atom, r->err) || at_node(r);
}

size_t th_rasp_siblings(const ThRaspFrame *f, int32_t node)
{
    size_t n = 0;
    for (; node >= 0; node = next(f, node))
        n++;
    return n;
}

/* ---- lists, tuples, dictionaries ------------------------------------------------------------- */

bool th_rasp_eval_list(ThRasp *r, const ThRaspFrame *f, int32_t first, ThRaspValue *v)
{
    ThRaspList *l = th_rasp_list_new(&r->heap, th_rasp_siblings(f, first), r->err);
    bool ok = l != NULL;
    for (int32_t e = first; ok && e >= 0; e = next(f, e)) {
        ThRaspValue element = {0};
        ok = th_rasp_eval(r, f, e, &element) &&
             th_rasp_list_add(&r->heap, &r->atoms, l, element, r->err);
    }
    if (ok)
        *v = (ThRaspValue){TH_RASP_VALUE_LIST, {.object = &l->head}};
    else if (l)
        th_rasp_object_release(&r->heap, &l->head);
    return ok;
}

static bool eval_list(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    return th_rasp_eval_list(r, f, at(f, node)->first, v);
}

/* Single values make one; with s-ops among them it is an s-op of tuples. */
static bool make_tuple(ThRasp *r, const ThRaspValue *element, size_t n, ThRaspValue *v)
{
    ThRaspAtom atom[TH_RASP_ARGUMENTS];
    ThRaspSop sop[TH_RASP_ARGUMENTS];
    bool atoms = true;
    for (size_t i = 0; i < n; i++) {
        if (element[i].kind != TH_RASP_VALUE_ATOM && element[i].kind != TH_RASP_VALUE_SOP)
            return th_rasp_error(r, TH_EVALUE, "a tuple holds single values or s-ops, not %s",
                                 th_rasp_what(&element[i]));
        atoms = atoms && element[i].kind == TH_RASP_VALUE_ATOM;
        atom[i] = element[i].as.atom;
    }
    if (atoms) {
        ThRaspAtom tuple;
        bool ok = th_rasp_atom_tuple(&r->atoms, atom, n, &tuple, r->err);
        if (ok)
            *v = th_rasp_atom_value(tuple);
        return ok;
    }
    for (size_t i = 0; i < n; i++)
        if (!th_rasp_sop(r, &element[i], &sop[i]))
            return false;
    return th_rasp_made(r, th_rasp_tuple(r->graph, sop, n, r->err), v);
}

static bool eval_tuple(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    ThRaspValue element[TH_RASP_ARGUMENTS] = {0};
    size_t n = 0;
    bool ok = true;
    for (int32_t e = at(f, node)->first; ok && e >= 0; e = next(f, e))
        if (n == TH_RASP_ARGUMENTS)
            ok = th_rasp_error(r, TH_ELIMIT, "a tuple may have %d elements", TH_RASP_ARGUMENTS);
        else
            ok = th_rasp_eval(r, f, e, &element[n]) && ++n;
    th_rasp_here(r, f, node);
    ok = ok && make_tuple(r, element, n, v);
    while (n > 0)
        release(r, element[--n]);
    return ok;
}

static bool set_key(ThRasp *r, const ThRaspFrame *f, int32_t key_node, ThRaspDict *d)
{
    ThRaspValue key = {0}, value = {0};
    if (!th_rasp_eval(r, f, key_node, &key))
        return false;
    if (key.kind != TH_RASP_VALUE_ATOM) {
        th_rasp_here(r, f, key_node);
        th_rasp_error(r, TH_EVALUE, "a key of a dict is a single value, not %s",
                      th_rasp_what(&key));
        release(r, key);
        return false;
    }
    return th_rasp_eval(r, f, next(f, key_node), &value) &&
           th_rasp_dict_set(&r->heap, &r->atoms, d, key.as.atom, value, r->err);
}

static bool eval_dict(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    ThRaspDict *d = th_rasp_dict_new(&r->heap, r->err);
    bool ok = d != NULL;
    for (int32_t e = at(f, node)->first; ok && e >= 0; e = next(f, next(f, e)))
        ok = set_key(r, f, e, d);
    if (ok)
        *v = (ThRaspValue){TH_RASP_VALUE_DICT, {.object = &d->head}};
    else if (d)
        th_rasp_object_release(&r->heap, &d->head);
    return ok;
}

/* ---- comprehensions -------------------------------------------------------------------------- */

typedef struct {
    int32_t node; /* element, or key and value */
    ThRaspList *list;
    ThRaspDict *dict;
} Collected;

static bool collect(ThRasp *r, const ThRaspFrame *f, void *context)
{
    Collected *c = context;
    ThRaspValue e = {0};
    if (c->dict)
        return set_key(r, f, c->node, c->dict);
    return th_rasp_eval(r, f, c->node, &e) &&
           th_rasp_list_add(&r->heap, &r->atoms, c->list, e, r->err);
}

static bool unpack(ThRasp *r, const ThRaspFrame *f, int32_t names, const ThRaspValue *e)
{
    int32_t first = at(f, names)->first;
    if (next(f, first) < 0)
        return th_rasp_bind(r, f, first, th_rasp_retain(*e));
    size_t n = th_rasp_siblings(f, first), i = 0;
    if (!th_rasp_is_list(e) || th_rasp_length(e) != n) {
        th_rasp_here(r, f, names);
        return th_rasp_error(r, TH_EVALUE, "cannot unpack %s into %zu names",
                             th_rasp_is_list(e) ? "a list of another length" : th_rasp_what(e), n);
    }
    for (int32_t k = first; k >= 0; k = next(f, k))
        if (!th_rasp_bind(r, f, k, th_rasp_retain(th_rasp_element(e, i++))))
            return false;
    return true;
}

bool th_rasp_each(ThRasp *r, const ThRaspFrame *f, int32_t names, ThRaspValue list,
                  bool (*body)(ThRasp *r, const ThRaspFrame *f, void *context), void *context)
{
    bool dict = list.kind == TH_RASP_VALUE_DICT;
    if (!dict && !th_rasp_is_list(&list)) {
        th_rasp_error(r, TH_EVALUE, "'for' goes through a list or the keys of a dict, not %s",
                      th_rasp_what(&list));
        return list.kind == TH_RASP_VALUE_SOP
                   ? th_hint(r->err, "an s-op's length is not known before there is an input")
                   : false;
    }
    for (size_t i = 0; i < th_rasp_length(&list); i++) {
        ThRaspValue e = dict ? th_rasp_atom_value(((const ThRaspDict *)list.as.object)->key[i])
                             : th_rasp_element(&list, i);
        if (th_stopped(r->stop, r->err) || !unpack(r, f, names, &e) || !body(r, f, context))
            return false;
    }
    return true;
}

static bool eval_each(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    bool dict = at(f, node)->kind == TH_RASP_R_EACH_DICT;
    Collected c = {.node = at(f, node)->first};
    int32_t names = next(f, dict ? next(f, c.node) : c.node);
    ThRaspValue list = {0};
    if (!th_rasp_eval(r, f, next(f, names), &list))
        return false;
    th_rasp_here(r, f, next(f, names));
    ThRaspFrame inner = {f->program, th_rasp_scope_new(&r->heap, f->scope, r->err)};
    if (dict)
        c.dict = th_rasp_dict_new(&r->heap, r->err);
    else
        c.list = th_rasp_list_new(&r->heap, th_rasp_length(&list), r->err);
    ThRaspObject *made = dict ? (c.dict ? &c.dict->head : NULL) : (c.list ? &c.list->head : NULL);
    bool ok = inner.scope && made && th_rasp_each(r, &inner, names, list, collect, &c);
    if (inner.scope)
        th_rasp_scope_leave(&r->heap, inner.scope);
    release(r, list);
    if (ok)
        *v = (ThRaspValue){dict ? TH_RASP_VALUE_DICT : TH_RASP_VALUE_LIST, {.object = made}};
    else
        th_rasp_object_release(&r->heap, made);
    return ok;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool eval_prefix(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    int32_t operand = at(f, node)->first;
    if (!th_rasp_eval(r, f, operand, v))
        return false;
    for (int32_t link = next(f, operand); link >= 0; link = next(f, link)) {
        ThRaspValue a = *v;
        th_rasp_here(r, f, link);
        bool ok = th_rasp_apply_unary(r, (ThRaspUnary)at(f, link)->op, &a, v);
        release(r, a);
        if (!ok)
            return false;
    }
    return true;
}

static bool eval_chain(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    int32_t first = at(f, node)->first;
    if (!th_rasp_eval(r, f, first, v))
        return false;
    for (int32_t link = next(f, first); link >= 0; link = next(f, link)) {
        uint8_t op = at(f, link)->op;
        ThRaspValue a = *v, b = {0};
        bool ok = th_rasp_eval(r, f, at(f, link)->first, &b);
        if (ok) {
            th_rasp_here(r, f, link);
            ok = op == TH_RASP_R_IN ? th_rasp_apply_in(r, &a, &b, v)
                                    : th_rasp_apply_binary(r, (ThRaspBinary)op, &a, &b, v);
            release(r, b);
        }
        release(r, a);
        if (!ok)
            return false;
    }
    return true;
}

static bool choose(ThRasp *r, const ThRaspValue *c, const ThRaspValue *yes, const ThRaspValue *no,
                   ThRaspValue *v)
{
    ThRaspSop a = 0, b = 0;
    return th_rasp_sop(r, yes, &a) && th_rasp_sop(r, no, &b) &&
           th_rasp_made(r, th_rasp_choice(r->graph, c->as.sop, a, b, r->err), v);
}

/* A condition of `if`: an s-op, or *truth of a plain value. */
static bool eval_condition(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *c,
                           bool *truth)
{
    if (!th_rasp_eval(r, f, node, c))
        return false;
    if (c->kind == TH_RASP_VALUE_ATOM)
        *truth = th_rasp_atom_true(&r->atoms, c->as.atom);
    if (c->kind == TH_RASP_VALUE_ATOM || c->kind == TH_RASP_VALUE_SOP)
        return true;
    th_rasp_here(r, f, node);
    th_rasp_error(r, TH_EVALUE, "a condition is an s-op or a single value, not %s",
                  th_rasp_what(c));
    release(r, *c);
    return false;
}

/* ((v if c1 else e1) if c2 else e2) …, whose last condition decides first.  `link` are the
 * condition nodes; *k is counted down to the first one that matters. */
static bool eval_if(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    int32_t first = at(f, node)->first, base = first;
    size_t n = 0, k = 0;
    for (int32_t c = next(f, first); c >= 0; c = next(f, next(f, c)))
        n++;
    int32_t *condition TH_OWNED(free) = th_alloc(n, sizeof *condition, r->err);
    ThRaspValue *sop TH_OWNED(free) = th_alloc(n, sizeof *sop, r->err);
    bool ok = condition && sop;
    for (int32_t c = next(f, first), i = 0; ok && c >= 0; c = next(f, next(f, c)))
        condition[i++] = c;
    for (k = n; ok && k > 0 && base == first;) {
        bool truth = true;
        ok = eval_condition(r, f, condition[k - 1], &sop[k - 1], &truth);
        if (ok && !truth)
            base = next(f, condition[k - 1]);
        k -= ok;
    }
    size_t from = k + (base != first); /* conditions from here on are s-ops, or true */
    ok = ok && th_rasp_eval(r, f, base, v);
    for (size_t i = from; ok && i < n; i++) {
        if (sop[i].kind != TH_RASP_VALUE_SOP)
            continue;
        ThRaspValue yes = *v, no = {0};
        ok = th_rasp_eval(r, f, next(f, condition[i]), &no);
        if (ok) {
            th_rasp_here(r, f, condition[i]);
            ok = choose(r, &sop[i], &yes, &no, v);
            release(r, no);
        }
        release(r, yes);
    }
    return ok;
}

/* ---- calls, indices, functions --------------------------------------------------------------- */

static bool eval_postfix(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    int32_t first = at(f, node)->first;
    const char *name =
        at(f, first)->kind == TH_RASP_R_NAME ? th_rasp_text(&f->program->tree, first) : "";
    if (!th_rasp_eval(r, f, first, v))
        return false;
    for (int32_t more = next(f, first); more >= 0; more = next(f, more)) {
        ThRaspValue a = *v, i = {0};
        bool ok;
        if (at(f, more)->kind == TH_RASP_R_CALL) {
            ok = th_rasp_call(r, f, more, &a, name, v);
        } else {
            ok = th_rasp_eval(r, f, at(f, more)->first, &i);
            if (ok) {
                th_rasp_here(r, f, more);
                ok = th_rasp_apply_index(r, &a, &i, v);
                release(r, i);
            }
        }
        release(r, a);
        if (!ok)
            return false;
        name = "";
    }
    return true;
}

static bool eval_lambda(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    return th_rasp_new_function(r, f, node, "lambda", v);
}

static bool eval_string(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    ThRaspAtom a;
    ThText meant TH_OWNED(th_text_free) = {0};
    const char *text = th_rasp_text(&f->program->tree, node);
    bool ok = true;
    th_rasp_here(r, f, node);
    if (at(f, node)->op && strchr(text, '$') && r->host.insert_text)
        ok = r->host.insert_text(r->host.context, text, &meant, r->err) || at_node(r);
    else
        th_text_unescape(&meant, text, strlen(text));
    if (ok && meant.failed)
        ok = th_fail(r->err, TH_ENOMEM, "out of memory for a string");
    ok = ok && th_rasp_atom_string(&r->atoms, th_text_string(&meant), meant.size, &a, r->err);
    if (ok)
        *v = th_rasp_atom_value(a);
    return ok;
}

static bool eval_number(ThRasp *r TH_UNUSED, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    const ThRaspNode *n = at(f, node);
    *v = th_rasp_atom_value(n->kind == TH_RASP_R_INT ? th_rasp_int(n->number.integer)
                                                     : th_rasp_float(n->number.real));
    return true;
}

/* A comparison as an argument is the function that compares. */
static bool eval_compare(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    static const char *const names[] = {"equals", "unequal", "lt", "leq", "gt", "geq"};
    ThRaspValue found = {0};
    if (!th_rasp_lookup_base(r, names[at(f, node)->op], &found))
        return th_rasp_error(r, TH_EVALUE, "the library is missing");
    *v = th_rasp_retain(found);
    return true;
}

bool th_rasp_eval(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v)
{
    static Evaluator *const by_kind[] = {
        [TH_RASP_R_INT] = eval_number,      [TH_RASP_R_REAL] = eval_number,
        [TH_RASP_R_STRING] = eval_string,   [TH_RASP_R_NAME] = eval_name,
        [TH_RASP_R_LIST] = eval_list,       [TH_RASP_R_TUPLE] = eval_tuple,
        [TH_RASP_R_DICT] = eval_dict,       [TH_RASP_R_EACH_LIST] = eval_each,
        [TH_RASP_R_EACH_DICT] = eval_each,  [TH_RASP_R_LAMBDA] = eval_lambda,
        [TH_RASP_R_COMPARE] = eval_compare, [TH_RASP_R_POSTFIX] = eval_postfix,
        [TH_RASP_R_PREFIX] = eval_prefix,   [TH_RASP_R_CHAIN] = eval_chain,
        [TH_RASP_R_IF] = eval_if,
    };
    if (r->depth >= TH_RASP_DEPTH)
        return th_rasp_error(r, TH_ELIMIT, "expressions and calls are nested too deep") ||
               th_hint(r->err, "does a function call itself without an end?");
    r->depth++;
    bool ok = by_kind[at(f, node)->kind](r, f, node, v);
    r->depth--;
    return ok;
}
