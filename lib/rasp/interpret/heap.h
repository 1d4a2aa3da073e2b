/* heap.h - the values of the interpreter that are no atoms, counted; internal to lib/rasp.
 *
 * Lists, dictionaries, functions, sequences, grids and scopes are counted objects that never change
 * once they are visible (scopes do).  A function that is stored in the scope it was made in is a
 * cycle: th_rasp_scope_leave takes the common ones apart, and the others last as long as the heap,
 * which knows all objects and is limited in bytes.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/interpret/rasp.h"

typedef enum {
    TH_RASP_OBJECT_LIST,
    TH_RASP_OBJECT_DICT,
    TH_RASP_OBJECT_FUNCTION,
    TH_RASP_OBJECT_SEQUENCE,
    TH_RASP_OBJECT_GRID,
    TH_RASP_OBJECT_SCOPE,
    TH_RASP_OBJECT_PROGRAM
} ThRaspObjectKind;

struct ThRaspObject {
    ThRaspObjectKind kind;
    uint32_t refs;
    uint32_t depth; /* lists and dictionaries: how deep they are nested */
    size_t span;    /* lists and dictionaries: bytes, with what is inside, each time */
    size_t bytes;
    ThRaspObject *before, *after; /* in the heap */
};

typedef struct {
    ThRaspObject *all, *dead;
    bool draining;
    size_t bytes, limit;
} ThRaspHeap;

typedef struct {
    ThRaspObject head;
    size_t n;
    ThRaspValue item[];
} ThRaspList;

typedef struct {
    ThRaspObject head;
    size_t n, cap;
    ThRaspAtom *key;
    ThRaspValue *value; /* (n) in order of arrival */
    ThHashTable table;  /* of the keys */
} ThRaspDict;

/* A text with its tree, kept for as long as a function of it lives. */
typedef struct {
    ThRaspObject head;
    ThRaspTree tree;
    char *text;
    char *label;    /* "console", or the file's name without folder and extension */
    uint32_t where; /* the name of what it defines, as errors inside of that call it */
    bool library;
} ThRaspProgram;

typedef struct {
    uint32_t name;
    ThRaspValue value;
    bool there;     /* false: removed */
    uint32_t saved; /* the statement that has noted what it was before */
} ThRaspBinding;

typedef struct ThRaspScope {
    ThRaspObject head;
    struct ThRaspScope *parent; /* counted; NULL: none */
    ThRaspBinding *item;        /* in order of arrival */
    size_t n, cap;
    ThHashTable table; /* of the names; empty while there are few */
} ThRaspScope;

struct ThRaspBuiltin;

typedef struct {
    ThRaspObject head;
    uint64_t id;                         /* another one for every function made */
    const struct ThRaspBuiltin *builtin; /* NULL: written in RASP, which the following are for */
    ThRaspProgram *program;
    ThRaspScope *scope; /* where it was defined */
    int32_t node;       /* TH_RASP_R_DEF or TH_RASP_R_LAMBDA */
    char *name;
} ThRaspFunction;

typedef struct {
    ThRaspObject head;
    ThRaspSeq seq;
} ThRaspSequence;

typedef struct {
    ThRaspObject head;
    size_t n;
    uint8_t *cell; /* (n, n) */
    ThRaspSeq input;
} ThRaspGrid;

enum {
    TH_RASP_NESTED = 100,        /* lists in lists */
    TH_RASP_LIST_MAX = 1 << 24,  /* elements of a list */
    TH_RASP_SPAN = 1 << 28,      /* bytes of one list, with all that is inside */
    TH_RASP_HEAP_BYTES = 1 << 30 /* all objects together */
};

/* New objects with one reference.  NULL and TH_ENOMEM or TH_ELIMIT. */
ThRaspObject *th_rasp_object(ThRaspHeap *h, ThRaspObjectKind kind, size_t size, ThError *err);
bool th_rasp_charge(ThRaspHeap *h, ThRaspObject *o, size_t bytes, ThError *err);

/* A list with room for n values, which the caller fills in (n is 0 until then). */
ThRaspList *th_rasp_list_new(ThRaspHeap *h, size_t n, ThError *err);

/* Puts a value at the end; takes it over also where it fails, with TH_ELIMIT: nested too deep, or
 * longer than TH_RASP_SPAN when written out, though its parts are shared. */
bool th_rasp_list_add(ThRaspHeap *h, const ThRaspAtoms *atoms, ThRaspList *l, ThRaspValue v,
                      ThError *err);
ThRaspDict *th_rasp_dict_new(ThRaspHeap *h, ThError *err);

/* Adds or replaces; takes the value over also where it fails. */
bool th_rasp_dict_set(ThRaspHeap *h, const ThRaspAtoms *atoms, ThRaspDict *d, ThRaspAtom key,
                      ThRaspValue v, ThError *err);
const ThRaspValue *th_rasp_dict_get(const ThRaspAtoms *atoms, const ThRaspDict *d, ThRaspAtom key);

ThRaspValue th_rasp_retain(ThRaspValue v);
void th_rasp_release(ThRaspHeap *h, ThRaspValue v);
void th_rasp_object_release(ThRaspHeap *h, ThRaspObject *o); /* NULL is fine */
void th_rasp_heap_free(ThRaspHeap *h);

/* Scopes.  th_rasp_scope_find looks in this one only; th_rasp_scope_set takes the value over, also
 * where it fails. */
ThRaspScope *th_rasp_scope_new(ThRaspHeap *h, ThRaspScope *parent, ThError *err);
ThRaspBinding *th_rasp_scope_find(const ThRaspScope *s, uint32_t name);
bool th_rasp_scope_set(ThRaspHeap *h, ThRaspScope *s, uint32_t name, ThRaspValue v, ThError *err);

/* At the end of a call: forgets the scope, also where only functions that nothing else uses hold
 * it. */
void th_rasp_scope_leave(ThRaspHeap *h, ThRaspScope *s);

static inline ThRaspValue th_rasp_atom_value(ThRaspAtom a)
{
    return (ThRaspValue){TH_RASP_VALUE_ATOM, {.atom = a}};
}

static inline bool th_rasp_is_object(ThRaspValueKind k)
{
    return k >= TH_RASP_VALUE_LIST;
}
