#include "tasks/acceptor.h"

enum { MAX_STATES = 1 << 16 };

ThDfa *th_task_own_acceptor(const ThAutomaton *a, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, MAX_STATES, NULL, err);
    return d ? th_dfa_minimize(d, NULL, err) : NULL;
}

bool th_task_names_and(char ***list, int *n_list, char *const *from, int n, const char *last,
                       ThError *err)
{
    *n_list = 0;
    *list = th_alloc((size_t)n + 1, sizeof **list, err);
    if (!*list)
        return false;
    for (; *n_list < n + (last != NULL); ++*n_list)
        if (!((*list)[*n_list] = th_strdup(*n_list < n ? from[*n_list] : last, err)))
            return false;
    return true;
}

bool th_task_own_names(char ***list, int *n_list, char *const *from, int n, ThError *err)
{
    return th_task_names_and(list, n_list, from, n, NULL, err);
}
