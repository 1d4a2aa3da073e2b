/* show.h - what a kind of object can do under the commands that take any kind: show, run, trace.
 *
 * Each function is written beside the other commands of its kind; objects.c dispatches to them.
 * call->operand[0] is the object; for run and trace the inputs follow it.
 */
#ifndef TH_SHOW_H
#define TH_SHOW_H

#include "command.h"

/* Print the object in the syntax that defines it, where it has one, on th_listing(s), and set its
 * figures. */
bool th_show_automaton(ThSession *s, const ThObject *o, ThError *err); /* commands/automata.c */
bool th_show_regex(ThSession *s, const ThObject *o, ThError *err);     /* commands/automata.c */
bool th_show_machine(ThSession *s, const ThObject *o, ThError *err);   /* commands/turing.c */
bool th_show_task(ThSession *s, const ThObject *o, ThError *err);      /* commands/tasks.c */
bool th_show_model(ThSession *s, const ThObject *o, ThError *err);     /* commands/models.c */
bool th_show_rasp(ThSession *s, const ThObject *o, ThError *err);      /* commands/rasp.c */

/* Returns new: what `list` says of a name of RASP. */
char *th_rasp_size(ThSession *s, const ThObject *o);

bool th_run_automaton(ThSession *s, const ThCall *call, ThError *err); /* commands/automata.c */
bool th_run_machine(ThSession *s, const ThCall *call, ThError *err);   /* commands/turing.c */
bool th_run_model(ThSession *s, const ThCall *call, ThError *err);     /* commands/models.c */
bool th_run_rasp(ThSession *s, const ThCall *call, ThError *err);      /* commands/rasp.c */
bool th_trace_automaton(ThSession *s, const ThCall *call, ThError *err);
bool th_trace_machine(ThSession *s, const ThCall *call, ThError *err);
bool th_trace_model(ThSession *s, const ThCall *call, ThError *err);
bool th_trace_rasp(ThSession *s, const ThCall *call, ThError *err);

/* compare where the operands are no automata: of RASP. */
bool th_compare_rasp(ThSession *s, const ThCall *call, ThError *err); /* commands/rasp_cost.c */

/* The options of run and trace, which are a machine's. */
extern const ThOptionSpec th_run_options[], th_trace_options[];

#endif
