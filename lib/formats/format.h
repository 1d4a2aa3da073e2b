/* format.h - files of other programs and of this one: one constant a format.
 *
 * A format is one file with one constant ThFormat, and one line in formats.def.  It says what its
 * files hold, an automaton, a Turing machine or a model, and how each is read and written; the list
 * of formats, the choices of format= and the recognition of machines are made from it.
 *
 *     const ThFormat *f = th_format_named("viz");
 *     ThTm *m = th_format_machine_read(f, text, size, NULL, &notes, &err);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "formats/machines/machine_files.h"
#include "language/any_language.h"
#include "models/model.h"

/* A file that is read. */
typedef struct {
    char *text; /* its bytes and a zero; they may be changed */
    size_t size;
    const char *beside; /* the text of the table beside it; NULL: there is none */
    ThStop *stop;
} ThFormatInput;

/* What is written: the file, and the table beside it. */
typedef struct {
    ThText text, beside;
} ThFormatOutput;

/* The beginning of a text that may be a machine. */
typedef struct {
    const char *text; /* behind a byte order mark and white space */
    size_t size;
    const char *head; /* as much of all of it as is looked at line by line: n_head bytes */
    size_t n_head;
    const char *line; /* the first line with more than a comment; NULL: there is none */
    size_t n_line;
} ThFormatLook;

typedef struct ThFormat {
    const char *name;      /* the word of format= */
    const char *title;     /* what a file is, in a few words: "a list of words" */
    const char *extension; /* with its dot; NULL: has none of its own */
    const char *also;      /* a second one that is read and written alike; NULL: none */
    const char *summary;   /* for the list of extensions */
    const char *looks;     /* of machines: how they are recognised; NULL: it holds none */
    const char *beside;    /* extension of a table that stands beside the file; NULL: none */
    bool shared;           /* files of this extension may well be in another format */
    bool text;             /* zero bytes cannot be read */
    size_t most_bytes;     /* that are read; 0: 64 MiB */

    /* Each returns new, or is NULL where there is nothing to be read or written.  Notes get a line
     * for each change.  Errors have the line and column in the file. */
    ThAutomaton *(*read_automaton)(const ThFormatInput *in, ThText *notes, ThError *err);
    /* NULL without an error: the file holds no language, but something else. */
    ThLanguage *(*read_language)(const ThFormatInput *in, ThText *notes, ThError *err);
    bool (*write_automaton)(ThFormatOutput *to, const ThAutomaton *a, const char *name,
                            ThText *notes, ThError *err);
    /* Of distributions, or of grammars and stacks; others are refused. */
    bool (*write_language)(ThFormatOutput *to, const ThLanguage *l, ThText *notes, ThError *err);
    ThTm *(*read_machine)(const char *text, size_t size, const ThFormatMachineReading *how,
                          ThText *notes, ThError *err);
    bool (*write_machine)(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err);
    ThModel *(*load_model)(const char *path, ThError *err);
    bool (*save_model)(const ThModel *m, const char *path, ThError *err); /* whole or not at all */

    /* Of formats of machines: how much a text looks like one, 0: not at all; the greatest wins.
     * Clears *sure where a list of words may look so.  NULL: it is never guessed. */
    int (*likely)(const ThFormatLook *look, bool *sure);
    /* Where automata and machines can be read: is it a machine? */
    bool (*holds_machine)(const char *text, size_t size);
} ThFormat;

const ThFormat *const *th_format_all(size_t *n);          /* the registry, in manual order */
const ThFormat *th_format_named(const char *name);        /* view, or NULL */
const ThFormat *th_format_of_extension(const char *path); /* by how a path ends; view, or NULL */

/* The format of machines that a text is in, or NULL; looks at the beginning of it only.  *sure (may
 * be NULL): it cannot well be a list of words. */
const ThFormat *th_format_machine_sniff(const char *text, size_t size, bool *sure);

/* f->read_machine; how: NULL for what the format says.  Returns new.  Errors: TH_EPARSE, TH_EVALUE
 * and TH_ELIMIT, with line and column. */
ThTm *th_format_machine_read(const ThFormat *f, const char *text, size_t size,
                             const ThFormatMachineReading *how, ThText *notes, ThError *err);

/* f->write_machine.  A name is written where the format has room for one. */
bool th_format_machine_write(ThText *to, const ThFormat *f, const ThTm *m, const char *name,
                             ThText *notes, ThError *err);
