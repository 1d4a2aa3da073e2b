#include "rasp/interpret/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* ---- objects --------------------------------------------------------------------------------- */

bool th_rasp_charge(ThRaspHeap *h, ThRaspObject *o, size_t bytes, ThError *err)
{
    if (bytes > h->limit || h->bytes > h->limit - bytes) {
        th_fail(err, TH_ELIMIT, "lists and functions take more than %zu MiB", h->limit >> 20);
        return false;
    }
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
        th_fail(err, TH_ENOMEM, "out of memory");
        return NULL;
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
        free(d->key);
        free(d->value);
        free(d->slot);
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
        free(s->slot);
    } else if (o->kind == TH_RASP_OBJECT_PROGRAM) {
        ThRaspProgram *p = (ThRaspProgram *)o;
        th_rasp_tree_free(&p->tree);
        free(p->text);
        free(p->label);
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
        ThRaspObject *d = h->dead;
        h->dead = d->after;
        empty(h, d);
        h->bytes -= d->bytes;
        free(d);
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
        ThRaspObject *o = h->all;
        h->all = o->after;
        empty(NULL, o);
        free(o);
    }
    h->bytes = 0;
}

/* ---- lists and dictionaries ------------------------------------------------------------------ */

ThRaspList *th_rasp_list_new(ThRaspHeap *h, size_t n, ThError *err)
{
    if (n > TH_RASP_LIST_MAX) {
        th_fail(err, TH_ELIMIT, "a list may have %d elements, not %zu", TH_RASP_LIST_MAX, n);
        return NULL;
    }
    return (ThRaspList *)th_rasp_object(h, TH_RASP_OBJECT_LIST,
                                        sizeof(ThRaspList) + n * sizeof(ThRaspValue), err);
}

/* Notes that `v` is inside `o`; false and an error where that nests too deep. */
static bool nest(ThRaspObject *o, ThRaspValue v, ThError *err)
{
    if (v.kind != TH_RASP_VALUE_LIST && v.kind != TH_RASP_VALUE_DICT)
        return true;
    uint32_t depth = v.as.object->depth + 1;
    o->depth = depth > o->depth ? depth : o->depth;
    return depth < TH_RASP_NESTED ||
           th_fail(err, TH_ELIMIT, "lists are nested more than %d deep", TH_RASP_NESTED);
}

bool th_rasp_list_add(ThRaspHeap *h, ThRaspList *l, ThRaspValue v, ThError *err)
{
    if (!nest(&l->head, v, err)) {
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

/* The slot where a key is, or belongs. */
static size_t dict_slot(const ThRaspAtoms *atoms, const ThRaspDict *d, ThRaspAtom key)
{
    size_t i = th_rasp_atom_hash(atoms, key) & (d->n_slots - 1);
    while (d->slot[i] && !th_rasp_atom_equal(atoms, d->key[d->slot[i] - 1], key))
        i = (i + 1) & (d->n_slots - 1);
    return i;
}

static bool dict_room(ThRaspHeap *h, const ThRaspAtoms *atoms, ThRaspDict *d, ThError *err)
{
    if (d->n * 2 < d->n_slots)
        return true;
    size_t n = d->n_slots ? d->n_slots * 2 : 8;
    if (n > TH_RASP_LIST_MAX)
        return th_fail(err, TH_ELIMIT, "a dictionary may have %d keys", TH_RASP_LIST_MAX / 2);
    size_t each = sizeof *d->key + sizeof *d->value + 2 * sizeof *d->slot;
    if (!th_rasp_charge(h, &d->head, n / 2 * each, err))
        return false;
    uint32_t *slot = th_alloc(n, sizeof *slot, err);
    ThRaspAtom *key = slot ? realloc(d->key, n / 2 * sizeof *key) : NULL;
    d->key = key ? key : d->key;
    ThRaspValue *value = key ? realloc(d->value, n / 2 * sizeof *value) : NULL;
    d->value = value ? value : d->value;
    if (!value) {
        free(slot);
        return th_fail(err, TH_ENOMEM, "out of memory");
    }
    free(d->slot);
    d->slot = slot;
    d->n_slots = n;
    for (size_t i = 0; i < d->n; i++)
        d->slot[dict_slot(atoms, d, d->key[i])] = (uint32_t)i + 1;
    return true;
}

bool th_rasp_dict_set(ThRaspHeap *h, const ThRaspAtoms *atoms, ThRaspDict *d, ThRaspAtom key,
                      ThRaspValue v, ThError *err)
{
    if (!nest(&d->head, v, err) || !dict_room(h, atoms, d, err)) {
        th_rasp_release(h, v);
        return false;
    }
    size_t i = dict_slot(atoms, d, key);
    if (d->slot[i]) {
        ThRaspValue *old = &d->value[d->slot[i] - 1], before = *old;
        *old = v;
        th_rasp_release(h, before);
        return true;
    }
    d->key[d->n] = key;
    d->value[d->n++] = v;
    d->slot[i] = (uint32_t)d->n;
    return true;
}

const ThRaspValue *th_rasp_dict_get(const ThRaspAtoms *atoms, const ThRaspDict *d, ThRaspAtom key)
{
    if (d->n == 0)
        return NULL;
    size_t i = dict_slot(atoms, d, key);
    return d->slot[i] ? &d->value[d->slot[i] - 1] : NULL;
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

static size_t scope_slot(const ThRaspScope *s, uint32_t name)
{
    size_t i = th_hash_mix(name) & (s->n_slots - 1);
    while (s->slot[i] && s->item[s->slot[i] - 1].name != name)
        i = (i + 1) & (s->n_slots - 1);
    return i;
}

ThRaspBinding *th_rasp_scope_find(const ThRaspScope *s, uint32_t name)
{
    if (s->slot) {
        size_t i = scope_slot(s, name);
        ThRaspBinding *b = s->slot[i] ? &s->item[s->slot[i] - 1] : NULL;
        return b && b->there ? b : NULL;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->item[i].name == name)
            return s->item[i].there ? &s->item[i] : NULL;
    return NULL;
}

static bool scope_index(ThRaspScope *s, ThError *err)
{
    if (s->n < FEW || s->n * 2 < s->n_slots)
        return true;
    size_t n = s->n_slots ? s->n_slots * 2 : FEW * 4;
    uint32_t *slot = th_alloc(n, sizeof *slot, err);
    if (!slot)
        return false;
    free(s->slot);
    s->slot = slot;
    s->n_slots = n;
    for (size_t i = 0; i < s->n; i++)
        s->slot[scope_slot(s, s->item[i].name)] = (uint32_t)i + 1;
    return true;
}

bool th_rasp_scope_set(ThRaspHeap *h, ThRaspScope *s, uint32_t name, ThRaspValue v, ThError *err)
{
    ThRaspBinding *b = NULL;
    for (size_t i = 0; !s->slot && i < s->n; i++)
        if (s->item[i].name == name)
            b = &s->item[i];
    if (s->slot && s->slot[scope_slot(s, name)])
        b = &s->item[s->slot[scope_slot(s, name)] - 1];
    if (b) {
        ThRaspValue before = b->value;
        bool was_there = b->there;
        b->value = v;
        b->there = true;
        if (was_there)
            th_rasp_release(h, before);
        return true;
    }
    if (!th_grow(&s->item, &s->cap, s->n + 1, sizeof *s->item, err) || !scope_index(s, err)) {
        th_rasp_release(h, v);
        return false;
    }
    s->item[s->n++] = (ThRaspBinding){name, v, true, 0};
    if (s->slot)
        s->slot[scope_slot(s, name)] = (uint32_t)s->n;
    return true;
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
        h->draining = true; /* s itself is still wanted */
        for (size_t i = 0; i < n; i++)
            if (s->item[i].there)
                th_rasp_release(h, s->item[i].value);
        h->draining = false;
    }
    th_rasp_object_release(h, &s->head);
}
