/* object_kinds.h - what a kind of object can do under the commands that take any kind: show, run,
 * trace.
 *
 * Each function is written beside the other commands of its kind; objects.c dispatches to them.
 * call->operand[0] is the object; for run and trace the inputs follow it.
 */
#pragma once

#include "command.h"

/* Returns new: a task of a kind with its options; source are the n_source operands behind the kind,
 * at least one for those that take any.  NULL and an error, which has a position only where it is
 * the source's. */
ThTask *sh_task_of(ShSession *s, const ThTaskKind *kind, const ThOptions *options,
                   const ShOperand *source, int n_source, ThError *err); /* commands/tasks.c */

/* Print the object in the syntax that defines it, where it has one, on sh_listing(s), and set its
 * figures. */
bool sh_show_automaton(ShSession *s, const ShObject *o, ThError *err); /* commands/automata.c */
bool sh_show_as(ShSession *s, const ShCall *call, ThError *err);       /* commands/automata.c */
bool sh_show_machine(ShSession *s, const ShObject *o, ThError *err);   /* commands/turing.c */
bool sh_show_language(ShSession *s, const ShObject *o, ThError *err);  /* languages/languages.c */
bool sh_show_task(ShSession *s, const ShObject *o, ThError *err);      /* commands/tasks.c */
bool sh_show_model(ShSession *s, const ShObject *o, ThError *err);     /* commands/models.c */
bool sh_show_rasp(ShSession *s, const ShObject *o, ThError *err);      /* commands/rasp.c */

/* Set the figures that describe an object, as its definition and `show` do. */
void sh_automaton_figures(ShSession *s, const ThAutomaton *a); /* commands/automata.c */
void sh_machine_size_figures(ShSession *s, const ThTm *m);     /* commands/turing.c */
void sh_model_figures(ShSession *s, const ThModel *m);         /* commands/models.c */

/* What `list` says of an object: what it is of (a kind of task or model, a type; or NULL), and
 * counts of it, as many as have a name. */
typedef struct {
    const char *of;
    struct {
        const char *name; /* in the plural; NULL: no more */
        long long n;
    } count[5];
} ShSize;

/* The size of what RASP holds. */
ShSize sh_rasp_size(ShSession *s, const ShObject *o); /* commands/rasp.c */

/* Returns new: the size of any object as text ("2 states, 4 transitions"); NULL if memory runs out.
 */
char *sh_object_size_text(ShSession *s, const ShObject *o);

bool sh_run_automaton(ShSession *s, const ShCall *call, ThError *err); /* commands/automata.c */
bool sh_run_list(ShSession *s, const ShCall *call, ThError *err);      /* each machine of a file */
bool sh_run_machine(ShSession *s, const ShCall *call, ThError *err);   /* commands/turing.c */
bool sh_run_model(ShSession *s, const ShCall *call, ThError *err);     /* commands/models.c */
bool sh_run_rasp(ShSession *s, const ShCall *call, ThError *err);      /* commands/rasp.c */
bool sh_run_language(ShSession *s, const ShCall *call, ThError *err);
bool sh_trace_language(ShSession *s, const ShCall *call, ThError *err);
bool sh_trace_automaton(ShSession *s, const ShCall *call, ThError *err);
bool sh_trace_machine(ShSession *s, const ShCall *call, ThError *err);
bool sh_trace_model(ShSession *s, const ShCall *call, ThError *err);
bool sh_trace_rasp(ShSession *s, const ShCall *call, ThError *err);

/* generate of an s-op, in both its forms. */
bool sh_generate_rasp(ShSession *s, const ShCall *call,
                      ThError *err); /* commands/rasp_programs.c */

/* compare where the operands are no automata: of RASP. */
bool sh_compare_rasp(ShSession *s, const ShCall *call, ThError *err); /* commands/rasp_cost.c */

/* The options of run and trace: a machine's, and tokens= of an s-op. */
extern const ThOptionSpec sh_run_options[], sh_trace_options[];
