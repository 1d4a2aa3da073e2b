/* rasp.h - RASP at the prompt: which lines are its statements, and how they run.
 *
 * The names that RASP defines are objects of the session: their kinds are TH_SOP … TH_VALUE, their
 * values are the interpreter's.
 */
#ifndef TH_SHELL_RASP_H
#define TH_SHELL_RASP_H

#include "rasp/rasp.h"
#include "session_impl.h"

/* The session's interpreter, made when it is first wanted; NULL and TH_ENOMEM. */
ThRasp *th_session_rasp(ThSession *s, ThError *err);

/* Does a text begin with a statement of RASP?  By its first word and what follows it: a name of
 * RASP's, a word that only RASP has there, or something that no command is followed by. */
bool th_rasp_begins(ThSession *s, const char *text, size_t n);

/* For the lexer: how many bytes the statement of RASP at the start of a text takes; *is false:
 * there is none.  False and TH_EINCOMPLETE if it asks for more, or another error of its syntax. */
bool th_rasp_span(void *session, const char *text, size_t n, bool *is, size_t *used, ThError *err);

/* The command that a statement of RASP runs as: its operand 0 is the statement. */
extern const ThCommand th_rasp_statement_command;

/* Runs a RASP program's file, or one that is built in, and defines its names. */
bool th_load_rasp(ThSession *s, const char *path, ThError *err);

/* Draws an s-op on an input where there is a display, else as characters. */
bool th_draw_rasp(ThSession *s, ThSop sop, const ThSeq *input, ThError *err);

/* The kind of object that a value is. */
ThKind th_rasp_object_kind(const ThRaspValue *v);
bool th_is_rasp(ThKind kind);

/* The value of an object of RASP; false and TH_EUSAGE if it is gone. */
bool th_rasp_value_of(ThSession *s, const ThObject *o, ThRaspValue *v, ThError *err);

/* Sets the figures `output` (and `type`, `length`) of a sequence or another value. */
void th_rasp_figures(ThSession *s, const ThRaspValue *v);
void th_rasp_sequence_figures(ThSession *s, const ThSeq *q);

/* Appends statements that define objects again, with those they need in front. */
bool th_rasp_write_objects(ThSession *s, ThText *t, ThObject *const *object, int n, ThError *err);

#endif
