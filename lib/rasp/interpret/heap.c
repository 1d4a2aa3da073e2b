#include "rasp/interpret/heap.h"

/* ---- objects --------------------------------------------------------------------------------- */

bool th_rasp_charge(ThRaspHeap *h, ThRaspObject *o, size_t bytes, ThError *err)
{
    if (bytes > h->limit || h->bytes > h->limit - bytes)
        return th_fail(err, TH_ELIMIT, "lists and functions take more than %zu MiB",
                       h->limit >> 20);
    h->bytes += bytes;
    o->bytes += bytes;
    return true;
}

ThRaspObject *th_rasp_object(ThRaspHeap *h, ThRaspObjectKind kind, size_t size, ThError *err)
{
    ThRaspObject limit = {0};
    if (!th_rasp_charge(h, &limit, size, err))
        return NULL;
    ThRaspObject *o = calloc(1, size);
    if (!o) {
        h->bytes -= size;
        return th_null(th_fail(err, TH_ENOMEM, "out of memory"));
    }
    o->kind = kind;
    o->refs = 1;
    o->bytes = size;
    o->after = h->all;
    if (h->all)
        h->all->before = o;
    h->all = o;
    return o;
}

ThRaspValue th_rasp_retain(ThRaspValue v)
{
    if (th_rasp_is_object(v.kind))
        v.as.object->refs++;
    return v;
}

static void drop(ThRaspHeap *h, ThRaspObject *o)
{
    if (!o || --o->refs > 0)
        return;
    if (o->before)
        o->before->after = o->after;
    else
        h->all = o->after;
    if (o->after)
        o->after->before = o->before;
    o->after = h->dead;
    h->dead = o;
}

static void drop_value(ThRaspHeap *h, ThRaspValue v)
{
    if (th_rasp_is_object(v.kind))
        drop(h, v.as.object);
}

/* Drops what an object refers to, where `h` is given, and frees what it owns. */
static void empty(ThRaspHeap *h, ThRaspObject *o)
{
    if (o->kind == TH_RASP_OBJECT_LIST) {
        ThRaspList *l = (ThRaspList *)o;
        for (size_t i = 0; h && i < l->n; i++)
            drop_value(h, l->item[i]);
    } else if (o->kind == TH_RASP_OBJECT_DICT) {
        ThRaspDict *d = (ThRaspDict *)o;
        for (size_t i = 0; h && i < d->n; i++)
            drop_value(h, d->value[i]);
        TH_FREE(d->key, d->value);
        th_hash_free(&d->table);
    } else if (o->kind == TH_RASP_OBJECT_FUNCTION) {
        ThRaspFunction *f = (ThRaspFunction *)o;
        if (h && f->program)
            drop(h, &f->program->head);
        if (h && f->scope)
            drop(h, &f->scope->head);
        free(f->name);
    } else if (o->kind == TH_RASP_OBJECT_SCOPE) {
        ThRaspScope *s = (ThRaspScope *)o;
        for (size_t i = 0; h && i < s->n; i++)
            if (s->item[i].there)
                drop_value(h, s->item[i].value);
        if (h && s->parent)
            drop(h, &s->parent->head);
        free(s->item);
        th_hash_free(&s->table);
    } else if (o->kind == TH_RASP_OBJECT_PROGRAM) {
        ThRaspProgram *p = (ThRaspProgram *)o;
        th_rasp_tree_free(&p->tree);
        TH_FREE(p->text, p->label);
    } else if (o->kind == TH_RASP_OBJECT_SEQUENCE) {
        th_rasp_seq_free(&((ThRaspSequence *)o)->seq);
    } else {
        free(((ThRaspGrid *)o)->cell);
        th_rasp_seq_free(&((ThRaspGrid *)o)->input);
    }
}

void th_rasp_object_release(ThRaspHeap *h, ThRaspObject *o)
{
    drop(h, o);
    if (h->draining)
        return;
    h->draining = true;
    while (h->dead) {
        ThRaspObject *d TH_OWNED(free) = h->dead;
        h->dead = d->after;
        empty(h, d);
        h->bytes -= d->bytes;
    }
    h->draining = false;
}

void th_rasp_release(ThRaspHeap *h, ThRaspValue v)
{
    if (th_rasp_is_object(v.kind))
        th_rasp_object_release(h, v.as.object);
}

void th_rasp_heap_free(ThRaspHeap *h)
{
    while (h->all) {
        ThRaspObject *o TH_OWNED(free) = h->all;
        h->all = o->after;
        empty(NULL, o);
    }
    h->bytes = 0;
}

/* ---- lists and dictionaries ------------------------------------------------------------------ */

ThRaspList *th_rasp_list_new(ThRaspHeap *h, size_t n, ThError *err)
{
    if (n > TH_RASP_LIST_MAX)
        return th_null(
            th_fail(err, TH_ELIMIT, "a list may have %d elements, not %zu", TH_RASP_LIST_MAX, n));
    return (ThRaspList *)th_rasp_object(h, TH_RASP_OBJECT_LIST,
                                        sizeof(ThRaspList) + n * sizeof(ThRaspValue), err);
}

/* Bytes of a value if nothing in it were shared, as after saving and loading it. */
static size_t span_of(const ThRaspAtoms *atoms, ThRaspValue v)
{
    size_t n = 0;
    if (v.kind == TH_RASP_VALUE_LIST || v.kind == TH_RASP_VALUE_DICT)
        n = sizeof(ThRaspDict) + v.as.object->span;
    else if (v.kind == TH_RASP_VALUE_SEQUENCE)
        n = ((const ThRaspSequence *)v.as.object)->seq.n * sizeof v;
    else if (v.kind == TH_RASP_VALUE_ATOM)
        n = th_rasp_atom_span(atoms, v.as.atom);
    return sizeof v + n;
}

/* Notes that `v` is inside `o`; false and an error where that nests too deep or grows too long. */
static bool nest(const ThRaspAtoms *atoms, ThRaspObject *o, ThRaspValue v, ThError *err)
{
    o->span += span_of(atoms, v);
    if (o->span > TH_RASP_SPAN)
        return th_fail(err, TH_ELIMIT, "a list of more than %d MiB, with all that is in it",
                       TH_RASP_SPAN >> 20);
    if (v.kind != TH_RASP_VALUE_LIST && v.kind != TH_RASP_VALUE_DICT)
        return true;
    uint32_t depth = v.as.object->depth + 1;
    o->depth = depth > o->depth ? depth : o->depth;
    return depth < TH_RASP_NESTED ||
           th_fail(err, TH_ELIMIT, "lists are nested more than %d deep", TH_RASP_NESTED);
}

bool th_rasp_list_add(ThRaspHeap *h, const ThRaspAtoms *atoms, ThRaspList *l, ThRaspValue v,
                      ThError *err)
{
    if (!nest(atoms, &l->head, v, err)) {
        th_rasp_release(h, v);
        return false;
    }
    l->item[l->n++] = v;
    return true;
}

ThRaspDict *th_rasp_dict_new(ThRaspHeap *h, ThError *err)
{
    return (ThRaspDict *)th_rasp_object(h, TH_RASP_OBJECT_DICT, sizeof(ThRaspDict), err);
}

/* The number of the key that a search finds, or TH_HASH_END. */
static uint32_t dict_find(const ThRaspAtoms *atoms, const ThRaspDict *d, ThHashSeek *s,
                          ThRaspAtom key)
{
    uint32_t i;
    while ((i = th_hash_next(&d->table, s)) != TH_HASH_END)
        if (th_rasp_atom_equal(atoms, d->key[i], key))
            break;
    return i;
}

static bool dict_room(ThRaspHeap *h, ThRaspDict *d, ThError *err)
{
    if (d->n < d->cap)
        return th_hash_reserve(&d->table, err);
    size_t cap = d->cap ? 2 * d->cap : 4;
    if (cap > TH_RASP_LIST_MAX / 2)
        return th_fail(err, TH_ELIMIT, "a dictionary may have %d keys", TH_RASP_LIST_MAX / 2);
    size_t each = sizeof *d->key + sizeof *d->value + 2 * sizeof *d->table.slot;
    if (!th_rasp_charge(h, &d->head, cap * each, err) || !th_hash_reserve(&d->table, err))
        return false;
    ThRaspAtom *key = realloc(d->key, cap * sizeof *key);
    if (!key)
        return th_fail(err, TH_ENOMEM, "out of memory");
    d->key = key;
    ThRaspValue *value = realloc(d->value, cap * sizeof *value);
    if (!value)
        return th_fail(err, TH_ENOMEM, "out of memory");
    d->value = value;
    d->cap = cap;
    return true;
}

bool th_rasp_dict_set(ThRaspHeap *h, const ThRaspAtoms *atoms, ThRaspDict *d, ThRaspAtom key,
                      ThRaspValue v, ThError *err)
{
    if (!nest(atoms, &d->head, th_rasp_atom_value(key), err) || !nest(atoms, &d->head, v, err) ||
        !dict_room(h, d, err)) {
        th_rasp_release(h, v);
        return false;
    }
    ThHashSeek s = th_hash_seek(th_rasp_atom_hash(atoms, key));
    uint32_t i = dict_find(atoms, d, &s, key);
    if (i != TH_HASH_END) {
        ThRaspValue before = d->value[i];
        d->value[i] = v;
        th_rasp_release(h, before);
        return true;
    }
    th_hash_put(&d->table, &s, d->n);
    d->key[d->n] = key;
    d->value[d->n++] = v;
    return true;
}

const ThRaspValue *th_rasp_dict_get(const ThRaspAtoms *atoms, const ThRaspDict *d, ThRaspAtom key)
{
    ThHashSeek s = th_hash_seek(d->n ? th_rasp_atom_hash(atoms, key) : 0);
    uint32_t i = dict_find(atoms, d, &s, key);
    return i != TH_HASH_END ? &d->value[i] : NULL;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

enum { FEW = 8 }; /* bindings that are looked through without a table */

ThRaspScope *th_rasp_scope_new(ThRaspHeap *h, ThRaspScope *parent, ThError *err)
{
    ThRaspScope *s = (ThRaspScope *)th_rasp_object(h, TH_RASP_OBJECT_SCOPE, sizeof *s, err);
    if (s && parent) {
        s->parent = parent;
        parent->head.refs++;
    }
    return s;
}

/* The binding of a name, be it there or removed, or NULL. */
static ThRaspBinding *binding_of(const ThRaspScope *s, uint32_t name)
{
    if (s->table.n) {
        ThHashSeek seek = th_hash_seek(th_hash_mix(name));
        for (uint32_t i; (i = th_hash_next(&s->table, &seek)) != TH_HASH_END;)
            if (s->item[i].name == name)
                return &s->item[i];
        return NULL;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->item[i].name == name)
            return &s->item[i];
    return NULL;
}

ThRaspBinding *th_rasp_scope_find(const ThRaspScope *s, uint32_t name)
{
    ThRaspBinding *b = binding_of(s, name);
    return b && b->there ? b : NULL;
}

/* Adds a binding; once there are many, all are in the table. */
static bool scope_add(ThRaspScope *s, uint32_t name, ThRaspValue v, ThError *err)
{
    if (!th_grow(&s->item, &s->cap, s->n + 1, sizeof *s->item, err))
        return false;
    s->item[s->n] = (ThRaspBinding){name, v, true, 0};
    size_t from = s->table.n ? s->n : 0;
    for (size_t i = from; s->n >= FEW && i <= s->n; i++) {
        if (!th_hash_add(&s->table, th_hash_mix(s->item[i].name), i, err)) {
            if (from == 0)
                th_hash_clear(&s->table);
            return false;
        }
    }
    s->n++;
    return true;
}

bool th_rasp_scope_set(ThRaspHeap *h, ThRaspScope *s, uint32_t name, ThRaspValue v, ThError *err)
{
    ThRaspBinding *b = binding_of(s, name);
    if (b) {
        ThRaspValue before = b->value;
        bool was_there = b->there;
        b->value = v;
        b->there = true;
        if (was_there)
            th_rasp_release(h, before);
        return true;
    }
    if (scope_add(s, name, v, err))
        return true;
    th_rasp_release(h, v);
    return false;
}

void th_rasp_scope_leave(ThRaspHeap *h, ThRaspScope *s)
{
    uint32_t own = 0;
    for (size_t i = 0; s->head.refs > 1 && i < s->n; i++) {
        const ThRaspObject *o = s->item[i].value.as.object;
        if (s->item[i].there && s->item[i].value.kind == TH_RASP_VALUE_FUNCTION && o->refs == 1)
            own += ((const ThRaspFunction *)o)->scope == s;
    }
    if (s->head.refs == own + 1 && own > 0) {
        size_t n = s->n;
        s->n = 0;
        th_hash_clear(&s->table);
        h->draining = true; /* s itself is still wanted */
        for (size_t i = 0; i < n; i++)
            if (s->item[i].there)
                th_rasp_release(h, s->item[i].value);
        h->draining = false;
    }
    th_rasp_object_release(h, &s->head);
}
