/* session.h - the state of one tapehead: named objects, settings, output. */
#pragma once

#include "result.h"
#include "tapehead.h"

/* The last four are names of RASP, whose values the interpreter holds. */
typedef enum {
    SH_AUTOMATON,
    SH_TASK,
    SH_MODEL,
    SH_MACHINE,
    SH_LANGUAGE, /* a grammar and the like: see language/any_language.h */
    SH_S_OP,
    SH_SELECTOR,
    SH_FUNCTION,
    SH_VALUE,
    SH_N_KINDS
} ShKind;

typedef struct {
    ShKind kind;
    char *name;
    union {
        ThAutomaton *automaton;
        ThTask *task;
        ThModel *model;
        ThTm *machine;
        ThLanguage *language;
        ThRaspSop node; /* of an s-op or selector that has no name */
    } as;
    bool saved; /* it stands in a file as it was after so many steps of training: */
    long long saved_step;
    size_t statement;     /* the number of the user's statement that defined it */
    char *made_by;        /* how it was defined, after the `=`; NULL: from a block or a file */
    ThTmEngine *engine;   /* a run of a machine that was stopped before its end; NULL: none */
    ThTmStepper *stepper; /* the run of a machine by hand, and its breakpoints; NULL: none */
    int *word;            /* that an automaton reads by hand; NULL: none */
    int word_length, word_read;
} ShObject;

/* Objects, in order of definition. */
ShObject *sh_find(ShSession *s, const char *name); /* view, or NULL */
ShObject *sh_object_at(ShSession *s, size_t i);    /* NULL past the end */
const char *sh_kind_name(ShKind kind);             /* "automaton", … */
const char *sh_a_kind(ShKind kind);                /* "an automaton", … */

/* Returns new: an object that is in no session; its name is what was typed for it.  Takes the value
 * over (frees it on failure: NULL and TH_ENOMEM). */
ShObject *sh_object_of(const ShSession *s, ShKind kind, const char *name, void *value,
                       ThError *err);
void sh_object_free(ShObject *o); /* NULL is fine */

/* The name that an object is shown under: "it" for the value of an expression. */
const char *sh_shown_name(const ShObject *o);

/* Defines or replaces; takes the object over (frees it on failure).  Fails on a name that is no
 * word, or that belongs to a command, and where a trained model is to be kept (sh_confirm_loss). */
bool sh_define(ShSession *s, const char *name, ShKind kind, void *object, const char *made_by,
               ThError *err);

/* The same for a name that RASP has defined, which may be a command's, too. */
bool sh_define_rasp(ShSession *s, const char *name, ShKind kind, ThError *err);

/* Forgets the run of a machine that was stopped before its end; a run by hand. */
void sh_drop_run(ShObject *o);
void sh_drop_stepping(ShObject *o);

/* Removes an object and what it owns. */
void sh_undefine(ShSession *s, ShObject *o);
bool sh_rename(ShSession *s, ShObject *o, const char *name, ThError *err);

/* An object of a kind by name; TH_EUSAGE says what the name is instead, or the nearest name. */
ShObject *sh_need_object(ShSession *s, const char *name, int kind, ThError *err); /* -1: any */
ThAutomaton *sh_need_automaton(ShSession *s, const char *name, ThError *err);

/* True if a name may be defined: a word that is no command. */
bool sh_name_ok(const char *name, ThError *err);

/* Settings, all described by the table in settings.c. */
long long sh_setting_int(const ShSession *s, const char *name);
double sh_setting_real(const ShSession *s, const char *name);
const char *sh_setting_text(const ShSession *s, const char *name);
int sh_setting_choice(const ShSession *s, const char *name); /* as th_option_choice */
bool sh_setting_flag(const ShSession *s, const char *name);

double sh_clock(void);             /* seconds, monotonic */
double sh_processor_seconds(void); /* of this process so far, of all its threads */

/* Threads to use: the setting, or the processors at hand (16 at most) where that is 0. */
int sh_threads(const ShSession *s);

/* Non-zero once Ctrl-C was pressed while a command ran. */
ThStop *sh_stop(const ShSession *s);
bool sh_interactive(const ShSession *s);

/* True if what is written is left to another process, rank 0 of mpirun; the points of a sweep write
 * in any. */
bool sh_session_is_silent(const ShSession *s);
