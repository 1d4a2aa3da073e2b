/* interp.h - the inside of the interpreter, shared by its files.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/interpret/heap.h"

enum {
    TH_RASP_CALLS = 1000,  /* functions that may be running inside each other */
    TH_RASP_DEPTH = 8000,  /* expressions that may be evaluated inside each other, through calls */
    TH_RASP_LOADS = 16,    /* files that may load each other */
    TH_RASP_ARGUMENTS = 64 /* of one call */
};

typedef struct {
    ThRaspValue value; /* a string, or a list of atoms */
    ThRaspRun *run;
    bool on;
} ThRaspExample;

/* The examples and how they are shown: what statements change besides names. */
typedef struct {
    ThRaspValue value[2]; /* counted */
    bool on[2], full_display;
} ThRaspManner;

/* What a binding was before the statement that is being executed. */
typedef struct {
    ThRaspScope *scope; /* counted */
    uint32_t name;
    bool was_there;
    ThRaspValue before;
} ThRaspUndo;

/* Where in a function that another statement has defined; line 0: in none. */
typedef struct {
    uint32_t where;
    int line, col;
} ThRaspInside;

/* Where in which statement a node was made. */
typedef struct {
    uint32_t serial;
    int line, col;
    ThRaspInside inside;
} ThRaspPlace;

typedef struct {
    ThRaspShownAs as;
    uint32_t name;
    ThRaspValue value;
} ThRaspToShow;

struct ThRasp {
    ThRaspHost host;
    ThRaspAtoms atoms;
    ThRaspGraph *graph;
    ThRaspHeap heap;
    ThIntern names;
    ThRaspScope *base, *global; /* the library; the session's own */
    ThRaspExample example[2];   /* of s-ops, of selectors */
    bool full_display;
    const ThRaspGrammar *grammar; /* NULL: the authors' */
    uint64_t functions;           /* made so far */

    /* the statement that is being executed */
    ThError *err;
    ThStop *stop;
    const ThRaspProgram *top; /* whose positions errors have */
    int line, col;
    ThRaspInside inside;
    int calls;   /* that are running */
    int depth;   /* of th_rasp_eval inside itself */
    int mapping; /* inside functions that are mapped over elements */
    int plain;   /* inside loops and functions, whose values are not shown */
    uint32_t serial;
    ThRaspPlace *place; /* by node */
    size_t n_places, cap_places;
    ThRaspUndo *undo;
    size_t n_undo, cap_undo;
    ThRaspToShow *shown;
    size_t n_shown, cap_shown;

    /* loading */
    int loads;
    char *beside;       /* the folder of the script that loads; owned; NULL: none */
    const char *folder; /* of the file that is being loaded; NULL: none */
    bool quit;          /* that file says that it ends here */
};

typedef struct {
    ThRaspProgram *program;
    ThRaspScope *scope;
} ThRaspFrame;

/* One argument of a call; name is "" for those without one. */
typedef struct {
    ThRaspValue value;
    const char *name;
    uint32_t name_id;
} ThRaspArgument;

typedef bool ThRaspBuiltinCall(ThRasp *r, const struct ThRaspBuiltin *self, ThRaspArgument *arg,
                               size_t n, ThRaspValue *v);

/* A function that is written in C. */
typedef struct ThRaspBuiltin {
    const char *name;
    const char *parameters; /* as shown */
    size_t least, most;     /* arguments */
    ThRaspBuiltinCall *call;
    int op;           /* of the functions that are operators */
    const char *word; /* words that may stand, as bare names, at argument 3, separated by | */
} ThRaspBuiltin;

/* interp.c: errors at the place at hand; returns false, always. */
bool th_rasp_error(ThRasp *r, ThErrc code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void th_rasp_here(ThRasp *r, const ThRaspFrame *f,
                  int32_t node); /* that is now the place at hand */
bool th_rasp_name_id(ThRasp *r, const char *name, uint32_t *id);
const char *th_rasp_id_name(const ThRasp *r, uint32_t id);

/* View of a name of the library, also where it has been redefined. */
bool th_rasp_lookup_base(const ThRasp *r, const char *name, ThRaspValue *v);
const char *th_rasp_what(const ThRaspValue *v); /* "an int", "a list", "an s-op", … */

/* Returns new: a program object of a tree, which is taken over in any case, and of its source, with
 * its names numbered. */
ThRaspProgram *th_rasp_program(ThRasp *r, ThRaspTree *t, const char *text, size_t n,
                               const char *label, ThError *err);

/* One statement of a program, in a scope; undone if it fails. */
bool th_rasp_statement(ThRasp *r, const ThRaspFrame *f, int32_t node, ThError *err);
/* execute.c: what a statement does, without undoing; the value that a global gets must have one on
 * the example; is a scope that of a session or a file? */
bool th_rasp_do(ThRasp *r, const ThRaspFrame *f, int32_t node);
bool th_rasp_check(ThRasp *r, const ThRaspValue *v);
bool th_rasp_is_global(const ThRasp *r, const ThRaspScope *s);

/* Does something that succeeds, or changes nothing; then tells the host. */
bool th_rasp_guard(ThRasp *r, bool (*body)(ThRasp *r, const void *context), const void *context,
                   ThError *err);

/* execute.c: the examples of now; the end of what may have changed them, perhaps back to those. */
ThRaspManner th_rasp_manner(ThRasp *r);
void th_rasp_manner_end(ThRasp *r, ThRaspManner *before, bool back);

/* Notes something to be shown once the statement has succeeded. */
bool th_rasp_to_show(ThRasp *r, ThRaspShownAs as, uint32_t name, ThRaspValue v);
bool th_rasp_block(ThRasp *r, const ThRaspFrame *f, int32_t block, ThRaspValue *returned);
bool th_rasp_bind(ThRasp *r, const ThRaspFrame *f, int32_t name, ThRaspValue v);
bool th_rasp_set_global(ThRasp *r, ThRaspScope *scope, uint32_t name, ThRaspValue v);

/* apply.c: the function that a node of the graph calls.  load.c: is a name `tokens`, with the value
 * that it has to begin with? */
const ThRaspFunction *th_rasp_called(const ThRaspFunctionOf *f);
bool th_rasp_is_own_tokens(const ThRasp *r, uint32_t name, const ThRaspValue *v);

/* load.c: a file's names into a scope; the library; a new scope with the library and tokens. */
bool th_rasp_load_file(ThRasp *r, const char *path, ThRaspScope *into);
bool th_rasp_load_library(ThRasp *r, ThError *err);
ThRaspScope *th_rasp_environment(ThRasp *r, ThError *err);

/* expression.c: the value is new (to be released). */
bool th_rasp_eval(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue *v);

/* A node and those that follow it: how many; evaluated into a list. */
size_t th_rasp_siblings(const ThRaspFrame *f, int32_t node);
bool th_rasp_eval_list(ThRasp *r, const ThRaspFrame *f, int32_t first, ThRaspValue *v);
bool th_rasp_each(ThRasp *r, const ThRaspFrame *f, int32_t names, ThRaspValue list,
                  bool (*body)(ThRasp *r, const ThRaspFrame *f, void *context), void *context);

/* operate.c: operators on values; nothing is consumed. */
bool th_rasp_apply_binary(ThRasp *r, ThRaspBinary op, const ThRaspValue *a, const ThRaspValue *b,
                          ThRaspValue *v);
bool th_rasp_apply_unary(ThRasp *r, ThRaspUnary op, const ThRaspValue *a, ThRaspValue *v);
bool th_rasp_apply_in(ThRasp *r, const ThRaspValue *a, const ThRaspValue *b, ThRaspValue *v);
bool th_rasp_apply_index(ThRasp *r, const ThRaspValue *a, const ThRaspValue *i, ThRaspValue *v);

/* The s-op of a value that is an s-op or an atom (a constant); a new value for a node, or false. */
bool th_rasp_sop(ThRasp *r, const ThRaspValue *v, ThRaspSop *sop);
bool th_rasp_made(ThRasp *r, ThRaspSop node, ThRaspValue *v);

/* New: the atoms of a list, sequence or string (its characters), *n of them; NULL and an error. */
ThRaspAtom *th_rasp_atoms_of(ThRasp *r, const ThRaspValue *v, const char *what, size_t *n);

/* A list's or sequence's elements. */
bool th_rasp_is_list(const ThRaspValue *v);

/* A view of the values that a list or a dictionary holds, *n of them; anything else holds none. */
const ThRaspValue *th_rasp_held(const ThRaspValue *v, size_t *n);

/* The function that a value is, or NULL. */
static inline const ThRaspFunction *th_rasp_function_of(const ThRaspValue *v)
{
    return v->kind == TH_RASP_VALUE_FUNCTION ? (const ThRaspFunction *)v->as.object : NULL;
}

/* apply.c: calls. */
bool th_rasp_call(ThRasp *r, const ThRaspFrame *f, int32_t node, const ThRaspValue *callee,
                  const char *name, ThRaspValue *v);
bool th_rasp_new_function(ThRasp *r, const ThRaspFrame *f, int32_t node, const char *name,
                          ThRaspValue *v);

/* rasp_functions.c */
bool th_rasp_install_builtins(ThRasp *r);

/* For th_rasp_map and th_rasp_match: a function of RASP over atoms. */
bool th_rasp_map_value(ThRasp *r, const ThRaspValue *function, const ThRaspSop *x, size_t n,
                       ThRaspValue *v);

bool th_rasp_match_value(ThRasp *r, const ThRaspValue *function, ThRaspSop keys, ThRaspSop queries,
                         bool causal, ThRaspValue *v);

/* apply_input: an s-op or a selector on an input. */
bool th_rasp_on_input(ThRasp *r, const ThRaspValue *sop, const ThRaspValue *input, ThRaspValue *v);
