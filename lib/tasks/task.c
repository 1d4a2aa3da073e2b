#include "tasks/task.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tasks/kit.h"

static const ThTaskKind *const kinds[] = {
#define KIND(name) &th_task_##name,
#include "tasks/kinds.def"
#undef KIND
};

const ThTaskKind *const *th_task_kinds(size_t *n)
{
    *n = sizeof kinds / sizeof *kinds;
    return kinds;
}

const ThTaskKind *th_task_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

ThTask *th_task_new(const ThTaskKind *kind, const ThOptions *options, const ThAutomaton *a,
                    ThError *err)
{
    if (kind->takes_automaton && !a) {
        th_fail(err, TH_EUSAGE, "%s needs an automaton", kind->name);
        th_hint(err, "task t = %s NAME", kind->name);
        return NULL;
    }
    if (kind->takes_automaton && a->n_symbols == 0) {
        th_fail(err, TH_EVALUE, "the automaton's alphabet is empty");
        return NULL;
    }
    ThTask *t = th_alloc(1, sizeof *t, err);
    if (!t)
        return NULL;
    t->kind = kind;
    if (!th_options_copy(&t->options, options, err) || !kind->init(t, a, err)) {
        th_task_free(t);
        return NULL;
    }
    return t;
}

ThTask *th_task_copy(const ThTask *t, ThError *err)
{
    ThTask *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    *c = *t;
    c->options = (ThOptions){0};
    c->signature = (ThSignature){0};
    c->machine = NULL;
    c->bits = NULL;
    if (!th_options_copy(&c->options, &t->options, err) ||
        !th_signature_copy(&c->signature, &t->signature, err) ||
        !(c->machine = th_dfa_copy(t->machine, err)))
        goto fail;
    size_t n_bits = (size_t)t->machine->n_states * (size_t)t->signature.n_classes;
    if (t->bits && !(c->bits = th_copy(t->bits, n_bits, sizeof *t->bits, err)))
        goto fail;
    return c;
fail:
    th_task_free(c);
    return NULL;
}

void th_task_free(ThTask *t)
{
    if (!t)
        return;
    th_options_free(&t->options);
    th_signature_free(&t->signature);
    th_dfa_free(t->machine);
    free(t->bits);
    free(t);
}

int th_task_length(const ThTask *t, int length)
{
    return t->kind->length ? t->kind->length(t, length) : length;
}

static size_t answers(const ThTask *t)
{
    return t->signature.target == TH_TARGET_BITS ? (size_t)t->signature.n_classes : 1;
}

bool th_task_sample(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    if (length < 1)
        return th_fail(err, TH_EVALUE, "a string of length %d cannot be drawn: the least is 1",
                       length);
    b->T = th_task_length(t, length);
    if (!th_batch_reserve(b, &t->signature, false, err) || !t->kind->draw(t, r, b, err))
        return false;
    th_task_label(t, b);
    return true;
}

static int label(const ThTask *t, int q)
{
    int c = t->machine->label[q];
    return c < t->signature.n_classes ? c : -1;
}

/* The answers at every position of one string. */
static void label_prefixes(const ThTask *t, const int *word, int length, int *target)
{
    const ThDfa *d = t->machine;
    size_t n = answers(t);
    int q = d->start;
    for (int i = 0; i < length; i++) {
        q = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)word[i]];
        if (t->bits)
            memcpy(target + (size_t)i * n, t->bits + (size_t)q * n, n * sizeof *target);
        else
            target[i] = label(t, q);
    }
}

void th_task_label(const ThTask *t, ThBatch *b)
{
    size_t T = (size_t)b->T;
    for (size_t i = 0; i < (size_t)b->B; i++) {
        const int *word = b->token + i * T;
        if (t->signature.target == TH_TARGET_FINAL)
            b->target[i] = label(t, th_dfa_walk(t->machine, t->machine->start, word, T));
        else
            label_prefixes(t, word, b->T, b->target + i * T * answers(t));
    }
}

double th_task_chance(const ThTask *t, int length)
{
    return t->kind->chance(t, th_task_length(t, length));
}
