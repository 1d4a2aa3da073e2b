

#include "automata/core/build.h"

/* Marks what is reachable from the start states; queue has room for all states. */
static void reach_forwards(const ThAutomaton *a, bool *reached, int *queue)
{
    int n = 0;
    for (int q = 0; q < a->n_states; q++) {
        if (a->start[q]) {
            reached[q] = true;
            queue[n++] = q;
        }
    }
    for (int i = 0; i < n; i++) {
        for (size_t j = a->first[queue[i]]; j < a->first[queue[i] + 1]; j++) {
            int to = a->arc[j].to;
            if (!reached[to]) {
                reached[to] = true;
                queue[n++] = to;
            }
        }
    }
}

/* Marks what can reach a state that counts; before[i], i in [head[q], head[q+1]), are the sources
 * of the arcs into q. */
static void reach_backwards(const ThAutomaton *a, bool *useful, int *queue, const size_t *head,
                            const int *before)
{
    int n = 0;
    for (int q = 0; q < a->n_states; q++) {
        if (a->accept[q] || a->moore[q] != TH_AUTOMATON_NO_OUTPUT) {
            useful[q] = true;
            queue[n++] = q;
        }
    }
    for (int i = 0; i < n; i++) {
        for (size_t j = head[queue[i]]; j < head[queue[i] + 1]; j++) {
            if (!useful[before[j]]) {
                useful[before[j]] = true;
                queue[n++] = before[j];
            }
        }
    }
}

static void invert_arcs(const ThAutomaton *a, size_t *head, int *before)
{
    for (size_t i = 0; i < a->n_arcs; i++)
        head[a->arc[i].to]++;
    for (int q = 0; q < a->n_states; q++)
        head[q + 1] += head[q];
    for (size_t i = a->n_arcs; i-- > 0;)
        before[--head[a->arc[i].to]] = a->arc[i].from;
}

/* Sets keep[q] for the states that are reachable and useful. */
static bool mark(const ThAutomaton *a, bool *keep, ThError *err)
{
    size_t n = (size_t)a->n_states;
    bool *useful TH_OWNED(free) = th_alloc(n, sizeof *useful, err);
    int *queue TH_OWNED(free) = th_alloc(n, sizeof *queue, err);
    size_t *head TH_OWNED(free) = th_alloc(n + 1, sizeof *head, err);
    int *before TH_OWNED(free) = th_alloc(a->n_arcs, sizeof *before, err);
    bool good = useful && queue && head && before;
    if (good) {
        reach_forwards(a, keep, queue);
        invert_arcs(a, head, before);
        reach_backwards(a, useful, queue, head, before);
        for (size_t q = 0; q < n; q++)
            keep[q] = keep[q] && useful[q];
    }
    return good;
}

void th_automaton_size(const ThAutomaton *a, size_t *states, size_t *transitions)
{
    bool *keep TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *keep, NULL);
    *states = (size_t)a->n_states;
    *transitions = a->n_arcs;
    if (keep && mark(a, keep, NULL)) {
        *states = *transitions = 0;
        for (int q = 0; q < a->n_states; q++)
            *states += keep[q];
        for (size_t i = 0; i < a->n_arcs; i++)
            *transitions += keep[a->arc[i].from] && keep[a->arc[i].to];
    }
}

/* Moves state q of a to number i, in place: i ≤ q. */
static void move_state(ThAutomaton *a, int i, int q)
{
    a->state[i] = a->state[q];
    a->start[i] = a->start[q];
    a->accept[i] = a->accept[q];
    a->moore[i] = a->moore[q];
}

ThAutomaton *th_automaton_trim(const ThAutomaton *a, ThError *err)
{
    size_t n = (size_t)a->n_states, kept = 0;
    bool *keep TH_OWNED(free) = th_alloc(n, sizeof *keep, err);
    int *number TH_OWNED(free) = th_alloc(n, sizeof *number, err);
    ThAutomaton *t = NULL;
    if (keep && number && mark(a, keep, err))
        t = th_automaton_copy(a, err);
    if (t) {
        t->n_states = 0;
        for (size_t q = 0; q < n; q++) {
            if (keep[q] || a->start[q]) {
                number[q] = t->n_states;
                move_state(t, t->n_states++, (int)q);
            }
        }
        for (size_t i = 0; i < a->n_arcs; i++) {
            ThAutomatonArc arc = a->arc[i];
            if (keep[arc.from] && keep[arc.to]) {
                arc.from = number[arc.from];
                arc.to = number[arc.to];
                t->arc[kept++] = arc;
            }
        }
        t->n_arcs = kept;
        if (!th_automaton_sort(t, err)) {
            th_automaton_free(t);
            t = NULL;
        }
    }
    return t;
}
