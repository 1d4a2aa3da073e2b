#include <math.h>
#include <stdlib.h>

#include "automata/words/log_count.h"
#include "base/memory.h"
#include "base/owned.h"
#include "tasks/acceptor.h"

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    const ThAutomaton *a = from->automaton;
    ThSignature *s = &t->signature;
    t->machine = th_task_own_acceptor(a, err);
    return t->machine &&
           th_task_own_names(&s->symbol, &s->n_symbols, a->symbol, a->n_symbols, err) &&
           th_task_names(&s->label, &s->n_classes, (ThTaskNames){0, "reject accept"}, err);
}

/* Counts of the words of one class. */
static ThWordCount *count(const ThTask *t, int label, int length, ThError *err)
{
    const ThDfa *d = t->machine;
    bool *wanted TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *wanted, err);
    if (!wanted)
        return NULL;
    for (int q = 0; q < d->n_states; q++)
        wanted[q] = d->label[q] == label;
    ThWordCount *c = th_words_count(d, wanted, length, err);
    return c;
}

static bool any(const ThTask *t, const ThWordCount *c, int length)
{
    return th_words_log(c, t->machine->start, length) > -HUGE_VAL;
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    ThWordCount *sort[2] = {count(t, 0, length, err), NULL};
    sort[1] = sort[0] ? count(t, 1, length, err) : NULL;
    bool ok = sort[1] != NULL;
    if (ok) {
        bool members = any(t, sort[1], length), others = any(t, sort[0], length);
        int n = !others ? b->B : members ? th_task_half(r, b->B) : 0;
        for (int i = 0; i < b->B; i++)
            th_words_draw(sort[i < n], r, th_batch_token(b, i), length);
    }
    th_words_free(sort[0]);
    th_words_free(sort[1]);
    return ok;
}

typedef struct {
    const ThDfa *d;
    int length;
    bool sort[2];
} Sorts;

static bool note_sorts(void *context, int k, const bool *reached)
{
    Sorts *s = context;
    for (int q = 0; k == s->length && q < s->d->n_states; q++)
        s->sort[s->d->label[q]] |= reached[q];
    return true;
}

static double chance(const ThTask *t, int length)
{
    Sorts s = {.d = t->machine, .length = length};
    if (!th_dfa_reach(t->machine, length, note_sorts, &s, NULL))
        return (double)NAN;
    return s.sort[0] && s.sort[1] ? 0.5 : 1;
}

const ThTaskKind th_task_kind_recognize = {
    .name = "recognize",
    .summary = "does an automaton accept the string?",
    .source = "any regular language; protocol of Chi et al. 2023 for D_n and Tomita",
    .detail =
        "task t = recognize A, where A is an automaton or an expression.  Half of the strings "
        "are accepted and half rejected where a length has both sorts; within each sort "
        "every string of the length is equally likely.  The strings are drawn by counting "
        "the ways to accept, and to reject, from every state with every number of symbols "
        "left.",
    .takes_automaton = true,
    .init = init,
    .draw = draw,
    .chance = chance,
};
