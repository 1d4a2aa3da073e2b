/* rasp.h - RASP at the prompt: how its statements run.
 *
 * The names that RASP defines are objects of the session: their kinds are SH_S_OP … SH_VALUE, their
 * values are the interpreter's.
 */
#pragma once

#include "session_impl.h"

/* The session's interpreter, made when it is first wanted; NULL and TH_ENOMEM. */
ThRasp *sh_session_rasp(ShSession *s, ThError *err);

/* How its operators bind: the setting rasp-precedence. */
const ThRaspGrammar *sh_session_grammar(const ShSession *s);

/* How statements are read under the settings of now. */
ThRaspDialect sh_rasp_dialect(const ShSession *s);

/* The command that a statement of RASP, the session's present one, runs as. */
extern const ShCommand sh_rasp_statement_command;

/* Runs a RASP program's file, or one that is built in, and defines its names. */
bool sh_load_rasp(ShSession *s, const char *path, ThError *err);

/* What the tokens of an input are, in the order of the option. */
typedef enum { SH_TOKENS_CHARACTERS, SH_TOKENS_WORDS, SH_TOKENS_INTS } ShRaspTokens;
#define SH_RASP_TOKENS                                                                             \
    {                                                                                              \
        "tokens", TH_CHOICE, "characters", 0, 0, "characters|words|ints",                          \
            "of an s-op: what the tokens of an input are: characters, words, or ints between "     \
            "blanks"                                                                               \
    }

/* Returns new: the atoms of an input, *n of them, one at least; NULL and an error inside the text's
 * own place.  A run on them. */
ThRaspAtom *sh_rasp_read_input(ThRasp *r, const char *text, ShRaspTokens as, size_t *n,
                               ThError *err);
ThRaspRun *sh_rasp_run_on(ThRasp *r, const char *text, ShRaspTokens as, ThError *err);

/* Draws an s-op on an input where there is a display, else as characters. */
bool sh_draw_rasp(ShSession *s, ThRaspSop sop, const ThRaspSeq *input, ThError *err);

/* The kind of object that a value is. */
ShKind sh_rasp_object_kind(const ThRaspValue *v);
bool sh_is_rasp(ShKind kind);

/* The value of an object of RASP; false and TH_EUSAGE if it is gone. */
bool sh_rasp_value_of(ShSession *s, const ShObject *o, ThRaspValue *v, ThError *err);

/* Set the figures `output` (and `type`, `length`) of a value; of a sequence, in json perhaps with
 * its elements; of a grid of n x n cells, whose rows of 0 and 1 have blanks between them. */
void sh_rasp_figures(ShSession *s, const ThRaspValue *v);
void sh_rasp_sequence_figures(ShSession *s, const ThRaspSeq *q, bool elements);
void sh_rasp_grid_figures(ShSession *s, const uint8_t *cell, size_t n);
void sh_rasp_write_cells(const uint8_t *cell, size_t n, ThText *t);

/* compare of an s-op, as a language, and an automaton. */
bool sh_compare_language(ShSession *s, const ShCall *call, const ShOperand *program, ThRaspSop sop,
                         const ShOperand *automaton, ThError *err);

/* Appends statements that define the names of RASP among objects again, as what they are, with
 * those that their functions look up. */
bool sh_rasp_write_objects(ShSession *s, ThText *t, ShObject *const *object, int n, ThError *err);
