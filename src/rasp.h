/* rasp.h - RASP at the prompt: how its statements run.
 *
 * The names that RASP defines are objects of the session: their kinds are TH_SOP … SH_VALUE, their
 * values are the interpreter's.
 */
#ifndef SH_RASP_H
#define SH_RASP_H

#include "rasp/interpret/rasp.h"
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

/* Draws an s-op on an input where there is a display, else as characters. */
bool sh_draw_rasp(ShSession *s, ThRaspSop sop, const ThRaspSeq *input, ThError *err);

/* The kind of object that a value is. */
ShKind sh_rasp_object_kind(const ThRaspValue *v);
bool sh_is_rasp(ShKind kind);

/* The value of an object of RASP; false and TH_EUSAGE if it is gone. */
bool sh_rasp_value_of(ShSession *s, const ShObject *o, ThRaspValue *v, ThError *err);

/* Sets the figures `output` (and `type`, `length`) of a sequence or another value. */
void sh_rasp_figures(ShSession *s, const ThRaspValue *v);
void sh_rasp_sequence_figures(ShSession *s, const ThRaspSeq *q);

/* Appends statements that define the names of RASP among objects again, as what they are, with
 * those that their functions look up. */
bool sh_rasp_write_objects(ShSession *s, ThText *t, ShObject *const *object, int n, ThError *err);

#endif
