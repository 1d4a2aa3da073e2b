/* acceptor.h - what the tasks made from a user's own automaton share.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_TASKS_ACCEPTOR_H
#define TH_TASKS_ACCEPTOR_H

#include "tasks/task_parts.h"

/* Returns new: the minimal machine that accepts what the automaton accepts, class 1 meaning
 * accepted. TH_ELIMIT beyond 65536 states. */
ThDfa *th_task_own_acceptor(const ThAutomaton *a, ThError *err);

/* Copies names into a signature's symbols or classes, which may be freed whether this succeeds. */
bool th_task_own_names(char ***list, int *n_list, char *const *from, int n, ThError *err);

/* The same with one name more behind them; NULL: none. */
bool th_task_names_and(char ***list, int *n_list, char *const *from, int n, const char *last,
                       ThError *err);

#endif
