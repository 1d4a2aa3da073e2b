#include <stdio.h>

#include "tasks/of_language.h"

enum { NOWHERE = -1 };

/* Marks the states that the start leads to with 0 in place, the others with NOWHERE.  stack has
 * room for all states. */
static void mark_reachable(const ThAutomaton *a, int *place, int *stack)
{
    int n = 0;
    for (int q = 0; q < a->n_states; q++) {
        place[q] = a->start[q] ? 0 : NOWHERE;
        if (a->start[q])
            stack[n++] = q;
    }
    while (n > 0) {
        int q = stack[--n];
        for (size_t i = a->first[q]; i < a->first[q + 1]; i++) {
            int to = a->arc[i].to;
            if (place[to] == NOWHERE) {
                place[to] = 0;
                stack[n++] = to;
            }
        }
    }
}

/* Numbers the marked states in order and returns how many there are; *partial tells whether one of
 * them lacks a successor. */
static int number_marked(const ThAutomaton *a, int *place, bool *partial)
{
    int n = 0;
    for (int q = 0; q < a->n_states; q++) {
        if (place[q] == NOWHERE)
            continue;
        place[q] = n++;
        *partial |= a->first[q + 1] - a->first[q] < (size_t)a->n_symbols;
    }
    *partial |= n == 0;
    return n;
}

/* The machine of a deterministic automaton, state for state; state n is the sink if there is one.
 */
static ThDfa *machine_of(const ThAutomaton *a, const int *place, int n, bool partial, ThError *err)
{
    ThDfa *d = th_dfa_new(n + partial, a->n_symbols, n + partial, err);
    if (!d)
        return NULL;
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = q;
    for (int i = 0; i < d->n_states * d->n_symbols; i++)
        d->next[i] = n;
    for (int q = 0; q < a->n_states; q++)
        if (a->start[q])
            d->start = place[q];
    for (size_t i = 0; i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        if (place[arc->from] != NOWHERE)
            d->next[place[arc->from] * d->n_symbols + arc->symbol] = place[arc->to];
    }
    return d;
}

/* Names the sink so that no state has the same name. */
static char *sink_name(const ThAutomaton *a, ThError *err)
{
    ThText name = {0};
    th_text_add(&name, "sink");
    for (int q = 0; q < a->n_states && !name.failed;) {
        if (strcmp(a->state[q++], name.data) == 0) {
            th_text_add(&name, "'");
            q = 0;
        }
    }
    return th_text_take(&name, err);
}

static bool name_states(ThTask *t, const ThAutomaton *a, const int *place, bool partial,
                        ThError *err)
{
    ThSignature *s = &t->signature;
    s->label = th_alloc((size_t)t->machine->n_states, sizeof *s->label, err);
    if (!s->label)
        return false;
    for (int q = 0; q < a->n_states; q++) {
        if (place[q] == NOWHERE)
            continue;
        if (!(s->label[s->n_classes] = th_strdup(a->state[q], err)))
            return false;
        s->n_classes++;
    }
    if (!partial)
        return true;
    s->label[s->n_classes] = sink_name(a, err);
    return s->label[s->n_classes++] != NULL;
}

static bool init_deterministic(ThTask *t, const ThAutomaton *a, ThError *err)
{
    int *place TH_OWNED(free) = th_alloc((size_t)a->n_states, 2 * sizeof *place, err);
    if (!place)
        return false;
    bool partial = false;
    mark_reachable(a, place, place + a->n_states);
    int n = number_marked(a, place, &partial);
    t->machine = machine_of(a, place, n, partial, err);
    return t->machine && name_states(t, a, place, partial, err);
}

/* The states of an automaton with choices are those of its minimal deterministic machine. */
static bool init_minimal(ThTask *t, const ThAutomaton *a, ThError *err)
{
    t->machine = th_task_own_acceptor(a, err);
    if (!t->machine)
        return false;
    ThSignature *s = &t->signature;
    int n = t->machine->n_states;
    t->machine->n_classes = n;
    s->label = th_alloc((size_t)n, sizeof *s->label, err);
    if (!s->label)
        return false;
    for (int q = 0; q < n; q++, s->n_classes++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", q);
        t->machine->label[q] = q;
        if (!(s->label[q] = th_strdup(name, err)))
            return false;
    }
    return true;
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    const ThAutomaton *a = from->automaton;
    ThSignature *s = &t->signature;
    s->target = TH_TARGET_EVERY;
    if (from->language)
        return th_task_set_language(t, from->language, from->stop, err) &&
               th_language_states(from->language, &s->label, &s->n_classes, err);
    return th_task_own_names(&s->symbol, &s->n_symbols, a->symbol, a->n_symbols, err) &&
           (th_automaton_deterministic(a) ? init_deterministic : init_minimal)(t, a, err);
}

/* Behind what is not known nothing is asked. */
static void label(const ThTask *t, ThBatch *b)
{
    const ThTaskLanguage *d = t->data;
    for (int i = 0; i < b->B; i++) {
        ThLanguageWord word = {th_batch_token(b, i), th_batch_length(b, i)};
        int *target = th_batch_target(&t->signature, b, i);
        for (int k = 0; k < word.n; k++)
            target[k] = -1;
        th_language_track(d->language, word, target, d->stop, NULL);
    }
}

static double chance(const ThTask *t, int length)
{
    return t->machine ? th_task_chance_uniform(t, length) : th_task_measured_chance(t, length);
}

static const ThOptionSpec options[] = {TH_TASK_LANGUAGE_OPTIONS, {0}};

const ThTaskKind th_task_kind_track = {
    .name = "track",
    .summary = "the state of an automaton after every prefix",
    .source = "any regular language; state tracking as in Chi et al. 2023, §7",
    .detail =
        "task t = track A, where A is an automaton or an expression.  Uniform strings.  The "
        "classes are the automaton's states by name, with a sink where a move is missing; of "
        "an automaton with choices they are the states q0, q1, … of its minimal "
        "deterministic machine.\n\n"
        "Of a language with counters they are the states, and which counters are zero (p:0+); "
        "of a deterministic pushdown automaton the states, and the top of the stack (p:X); of "
        "a Turing machine the states in which its head first stands behind the prefix, or in "
        "which it stops before.  Grammars, s-ops and formulas have no states.",
    .takes_automaton = true,
    .takes_language = true,
    .options = options,
    .init = init,
    .draw = th_task_draw_uniform,
    .label = label,
    .copy_data = th_task_copy_language,
    .free_data = th_task_free_language,
    .describe = th_task_describe_chance,
    .chance = chance,
};
