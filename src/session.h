/* session.h - the state of one tapehead: named objects, settings, output. */
#ifndef TH_SESSION_H
#define TH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "automata/automaton.h"
#include "base/error.h"
#include "base/option.h"
#include "base/stop.h"
#include "models/model.h"
#include "result.h"
#include "tasks/task.h"
#include "turing/stepper.h"

/* The last four are names of RASP, whose values the interpreter holds. */
typedef enum {
    TH_AUTOMATON,
    TH_TASK,
    TH_MODEL,
    TH_MACHINE,
    TH_S_OP,
    TH_SELECTOR,
    TH_FUNCTION,
    TH_VALUE,
    TH_N_KINDS
} ThKind;

typedef struct {
    ThKind kind;
    char *name;
    union {
        ThAutomaton *automaton;
        ThTask *task;
        ThModel *model;
        ThTuring *machine;
    } as;
    char *made_by;      /* how it was defined, after the `=`; NULL: from a block or a file */
    ThStepper *stepper; /* the run of a machine by hand, and its breakpoints; NULL: none */
} ThObject;

/* Objects, in order of definition. */
ThObject *th_find(ThSession *s, const char *name); /* view, or NULL */
ThObject *th_object_at(ThSession *s, size_t i);    /* NULL past the end */
const char *th_kind_name(ThKind kind);             /* "automaton", … */
const char *th_a_kind(ThKind kind);                /* "an automaton", … */

/* Defines or replaces; takes the object over (frees it on failure).  Fails on a name that is no
 * word, or that belongs to a command. */
bool th_define(ThSession *s, const char *name, ThKind kind, void *object, const char *made_by,
               ThError *err);

/* The same for a name that RASP has defined, which may be a command's, too; made_by is the
 * statement.
 */
bool th_define_rasp(ThSession *s, const char *name, ThKind kind, const char *made_by, ThError *err);

/* Removes an object and what it owns. */
void th_undefine(ThSession *s, ThObject *o);
bool th_rename(ThSession *s, ThObject *o, const char *name, ThError *err);

/* An object of a kind by name; TH_EUSAGE says what the name is instead, or the nearest name. */
ThObject *th_need_object(ThSession *s, const char *name, int kind, ThError *err); /* -1: any */
ThAutomaton *th_need_automaton(ThSession *s, const char *name, ThError *err);
ThTask *th_need_task(ThSession *s, const char *name, ThError *err);
ThModel *th_need_model(ThSession *s, const char *name, ThError *err);

/* True if a name may be defined: a word that is no command. */
bool th_name_ok(const char *name, ThError *err);

/* Settings, all described by the table in settings.c. */
long long th_setting_int(const ThSession *s, const char *name);
double th_setting_real(const ThSession *s, const char *name);
const char *th_setting_text(const ThSession *s, const char *name);
bool th_setting_flag(const ThSession *s, const char *name);

double th_clock(void); /* seconds, monotonic */

/* Threads to use: the setting, or the processors at hand (16 at most) where that is 0. */
int th_threads(const ThSession *s);

/* Non-zero once Ctrl-C was pressed while a command ran. */
ThStop *th_stop(const ThSession *s);
bool th_interactive(const ThSession *s);

#endif
