#include "automata/core/word_tree.h"

bool th_word_tree_add(ThWordTree *t, size_t before, int symbol, ThError *err)
{
    return TH_APPEND(t->step, t->n, t->cap, err, (ThWordStep){before, symbol});
}

bool th_word_tree_meet(ThWordTree *t, const void *bytes, size_t size, size_t before, int symbol,
                       ThError *err)
{
    size_t index;
    return th_intern(&t->met, bytes, size, &index, err) &&
           (t->met.n == t->n || th_word_tree_add(t, before, symbol, err));
}

bool th_word_tree_states(ThWordTree *t, const ThDfa *d, ThError *err)
{
    bool ok = th_word_tree_meet(t, &d->start, sizeof d->start, 0, -1, err);
    for (size_t i = 0; ok && i < t->n; i++) {
        int q;
        memcpy(&q, th_intern_at(&t->met, i, NULL), sizeof q);
        for (int a = 0; ok && a < d->n_symbols; a++)
            ok = th_word_tree_meet(t, &d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a],
                                   sizeof q, i, a, err);
    }
    return ok;
}

int *th_word_tree_word(const ThWordTree *t, size_t at, int *length, ThError *err)
{
    int n = 0;
    for (size_t i = at; t->step[i].symbol >= 0; i = t->step[i].before)
        n++;
    int *word = th_alloc((size_t)n, sizeof *word, err);
    *length = word ? n : 0;
    for (size_t i = at; word && t->step[i].symbol >= 0; i = t->step[i].before)
        word[--n] = t->step[i].symbol;
    return word;
}

void th_word_tree_free(ThWordTree *t)
{
    th_intern_free(&t->met);
    free(t->step);
    *t = (ThWordTree){0};
}
