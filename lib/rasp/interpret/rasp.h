/* rasp.h - the language RASP: programs are read and run, names are defined, values are shown.
 *
 * The language is that of Weiss, Goldberg and Yahav, "Thinking Like Transformers" (ICML 2021), with
 * the meaning that their interpreter gives to it, and what the causal dialect of "Universal Length
 * Generalization with Turing Programs" (Hou et al. 2024, appendix D) adds: see syntax.h, value.h,
 * graph.h.
 *
 *     ThRasp *r = th_rasp_new(&host, &err);
 *     th_rasp_execute(r, "a = tokens == \"l\";\nhist(a);", false, false, stop, &err);
 *
 * Every statement either succeeds or changes nothing.  What statements show is handed to the host;
 * the library prints nothing itself.  An interpreter is not thread-safe.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/evaluate/rasp_run.h"
#include "rasp/syntax/syntax.h"

typedef struct ThRasp ThRasp;

/* ---- values ---------------------------------------------------------------------------------- */

typedef enum {
    TH_RASP_VALUE_ATOM,
    TH_RASP_VALUE_SOP,
    TH_RASP_VALUE_SELECTOR,
    TH_RASP_VALUE_LIST,
    TH_RASP_VALUE_DICT,
    TH_RASP_VALUE_FUNCTION,
    TH_RASP_VALUE_SEQUENCE, /* what an s-op gives on an input: s("abc") */
    TH_RASP_VALUE_GRID      /* what a selector gives */
} ThRaspValueKind;

typedef struct ThRaspObject ThRaspObject; /* a list, dictionary, function, sequence or grid */

/* Values do not change.  Those that a function below returns are views until the next statement. */
typedef struct {
    ThRaspValueKind kind;
    union {
        ThRaspAtom atom;
        ThRaspSop sop; /* s-ops and selectors */
        ThRaspObject *object;
    } as;
} ThRaspValue;

static inline bool th_rasp_is_node(const ThRaspValue *v) /* an s-op or a selector */
{
    return v->kind == TH_RASP_VALUE_SOP || v->kind == TH_RASP_VALUE_SELECTOR;
}

/* "s-op", "selector", "function", "list", "dict", or an atom's kind. */
const char *th_rasp_kind_name(const ThRaspValue *v);

/* ---- the host -------------------------------------------------------------------------------- */

typedef enum {
    TH_RASP_SHOWN_RESULT,     /* the value of an expression or of a name that was assigned */
    TH_RASP_SHOWN_NAME,       /* a name that `load` has defined: without its example */
    TH_RASP_SHOWN_EXAMPLE,    /* show example: name is "s-op" or "selector", value its example */
    TH_RASP_SHOWN_APPLICATION /* s("abc") or draw(s, "abc"): a sequence or grid */
} ThRaspShownAs;

typedef struct {
    ThRaspShownAs as;
    const char *name;
    ThRaspValue value;
} ThRaspShown;

/* What an interpreter asks of the program around it; members may be NULL. */
typedef struct {
    void *context;
    /* A statement has succeeded and has something to show: see th_rasp_write. */
    bool (*show)(void *context, const ThRaspShown *shown, ThError *err);
    /* May a global be defined?  False and an error refuses it. */
    bool (*may_define)(void *context, const char *name, ThError *err);
    /* A statement that has succeeded has defined a global. */
    bool (*defined)(void *context, const char *name, const ThRaspValue *v, ThError *err);
    /* A statement of a loaded file has failed; loading goes on behind it. */
    void (*failed)(void *context, const char *path, const ThError *err);
    /* draw(sop, input): the picture; the value is shown afterwards. */
    bool (*draw)(void *context, ThRaspSop sop, const ThRaspSeq *input, ThError *err);
    /* quit or exit was typed. */
    void (*leave)(void *context);
    /* The value of $NAME. */
    bool (*insert)(void *context, const char *name, ThRaspAtom *value, ThError *err);
    /* Appends what a string of the user's own statements means, whose inside holds a $; errors have
     * their place in the string, its first quote being column 1.  Strings of loaded files have
     * their dollar signs for themselves. */
    bool (*insert_text)(void *context, const char *inside, ThText *to, ThError *err);
} ThRaspHost;

/* ---- the interpreter ------------------------------------------------------------------------- */

/* Returns new: an interpreter that knows the library and whose examples are "hello".  NULL and
 * TH_ENOMEM. */
ThRasp *th_rasp_new(const ThRaspHost *host, ThError *err);
void th_rasp_free(ThRasp *r); /* NULL is fine */

/* Runs the statements of a text, up to the first that fails; `prompt` and `lines` as in
 * ThRaspDialect, whose grammar is the interpreter's own setting.  Positions of errors count in the
 * text.  Errors: TH_EPARSE, TH_EINCOMPLETE, TH_EVALUE, TH_ENUMERIC, TH_ELIMIT, TH_EINTERRUPTED,
 * TH_ENOMEM, and what the host's functions return. */
bool th_rasp_execute(ThRasp *r, const char *text, bool prompt, bool lines, ThStop *stop,
                     ThError *err);

/* Runs the statements of a tree that has been read; text, of n bytes, is its source.  Positions of
 * errors are those of the tree; errors as above. */
bool th_rasp_run_tree(ThRasp *r, const ThRaspTree *t, const char *text, size_t n, ThStop *stop,
                      ThError *err);

/* Evaluates one expression, shows nothing, and gives its value, which `out` holds, too.  Errors as
 * above, and TH_EPARSE for what is no single expression. */
bool th_rasp_evaluate(ThRasp *r, const char *text, ThRaspValue *v, ThStop *stop, ThError *err);

/* Loads a program in an environment of its own and defines its public names.  The path gets .rasp
 * where it does not end in it; it is looked for beside the file that loads it, in the current
 * directory, and among the programs that are built in ("raspl").  Statements that fail are told to
 * the host and skipped; then the whole fails with TH_EVALUE and has changed nothing. */
bool th_rasp_load(ThRasp *r, const char *path, ThStop *stop, ThError *err);

/* The same for a program's text; the label stands for its path. */
bool th_rasp_load_text(ThRasp *r, const char *label, const char *text, ThStop *stop, ThError *err);

/* Where programs are looked for besides the current directory: in the folder of this file, a copy
 * of whose name is kept; NULL: nowhere. */
void th_rasp_set_folder(ThRasp *r, const char *beside);

/* The source of a program that is built in, without .rasp: "raspl" or "library"; NULL: none. */
const char *th_rasp_builtin_source(const char *name, size_t *size);

/* How operators bind from now on; borrowed, one of th_rasp_grammars. */
void th_rasp_set_grammar(ThRasp *r, const ThRaspGrammar *g);
ThRaspGraph *th_rasp_graph(ThRasp *r);

/* ---- names ----------------------------------------------------------------------------------- */

/* The value of a global, or of a name of the library; false if there is none. */
bool th_rasp_lookup(const ThRasp *r, const char *name, ThRaspValue *v);

/* Every name that can be used, globals first in order of definition: view of name i, NULL past the
 * end. */
const char *th_rasp_name_at(const ThRasp *r, size_t i);

/* Gives a value a name, takes a name away.  Errors of the first: TH_EUSAGE for a reserved word or
 * what is no name, TH_ENOMEM. */
bool th_rasp_define(ThRasp *r, const char *name, const ThRaspValue *v, ThError *err);
void th_rasp_undefine(ThRasp *r, const char *name);
bool th_rasp_name_ok(const char *name, ThError *err);

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Returns new: a run of the interpreter's graph on an input: a string's characters, or a list of
 * atoms.  NULL and TH_EVALUE, TH_ELIMIT, TH_ENOMEM. */
ThRaspRun *th_rasp_run_on(ThRasp *r, const ThRaspValue *input, ThError *err);
ThRaspRun *th_rasp_run_on_text(ThRasp *r, const char *text, ThError *err);

/* The example for TH_RASP_FOR_SOPS or TH_RASP_FOR_SELECTORS: a view until it changes. */
ThRaspRun *th_rasp_example_run(ThRasp *r, int which);

/* ---- showing (show.c) ------------------------------------------------------------------------ */

/* Appends what the reference interpreter prints for this: "     s-op: x", an example line, the grid
 * of a selector, "    value: a =  3", ….  Errors as for evaluation. */
bool th_rasp_write(ThRasp *r, const ThRaspShown *shown, ThText *t, ThStop *stop, ThError *err);

/* Appends "[3, 1, 3] (ints)" or "[2]*5 (ints)"; the elements alone with a blank between them; one
 * element as it stands in a sequence (floats with three decimals at most, T and F). */
void th_rasp_write_sequence(const ThRasp *r, const ThRaspSeq *s, ThText *t);
void th_rasp_write_elements(const ThRasp *r, const ThRaspSeq *s, ThText *t);
void th_rasp_write_element(const ThRasp *r, ThRaspAtom a, ThText *t);

/* Appends a value as an expression of the language would give it ("[1, 'a']"); s-ops and functions
 * by their names. */
void th_rasp_write_value(const ThRasp *r, const ThRaspValue *v, ThText *t);

/* Appends the matrix of a selector: a header of the input's elements, then a row for each. */
bool th_rasp_write_grid(ThRasp *r, ThRaspRun *run, ThRaspSop selector, ThText *t, ThStop *stop,
                        ThError *err);

/* Views of a sequence's elements and of a grid's cells (n × n); NULL if v is none. */
const ThRaspSeq *th_rasp_sequence(const ThRaspValue *v);
const uint8_t *th_rasp_grid(const ThRaspValue *v, size_t *n, const ThRaspSeq **input);

/* View of a function's source, *size bytes; NULL for those written in C. */
const char *th_rasp_function_source(const ThRaspValue *v, size_t *size);

/* ---- saving (save.c) ------------------------------------------------------------------------- */

/* Appends statements that define names of the session again as what they are now, with those that
 * their functions look up, under every grammar; s-ops as their graphs.  Errors: TH_EUSAGE for names
 * without a value and for what no program can hold (strings with quotes), TH_ELIMIT, TH_ENOMEM. */
bool th_rasp_save(ThRasp *r, const char *const *name, size_t n, ThText *t, ThError *err);

/* The same of one value that is to be called `name`, alone. */
bool th_rasp_write_definition(ThRasp *r, const char *name, const ThRaspValue *v, ThText *t,
                              ThError *err);

/* Elements of a list, sequence or dictionary; 0 for others. */
size_t th_rasp_length(const ThRaspValue *v);

/* View of element i of a list or sequence. */
ThRaspValue th_rasp_element(const ThRaspValue *list, size_t i);

/* Keep a value beyond the statement that it is a view until, and give it up again. */
void th_rasp_keep(const ThRaspValue *v);
void th_rasp_give_up(ThRasp *r, const ThRaspValue *v);
