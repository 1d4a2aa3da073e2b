/* The machine of a table. */

#include "proof/check/quantize.h"

/* The label that the tree of a word comes to; level has room for the word. */
static int label_of(const ThProofQuantized *q, const int *word, int length, int *level)
{
    const ThProofLabels *l = q->labels;
    int odd = length % 2, n = (length + 1) / 2;
    for (int i = 0; i < n; i++) {
        const int *last = word + 2 * i + 1 - odd;
        level[i] = odd && i == 0 ? q->single[*last] : q->pair[last[-1] * l->n_symbols + *last];
    }
    for (; n > 1; n = (n + 1) / 2) {
        odd = n % 2;
        level[0] = odd ? q->alone[level[0]] : q->product[level[0] * l->n + level[1]];
        for (int i = 1; i < (n + 1) / 2; i++)
            level[i] = q->product[level[2 * i - odd] * l->n + level[2 * i + 1 - odd]];
    }
    return level[0];
}

/* Labels as they are met, with the shortest words that lead there. */
typedef struct {
    const ThProofQuantized *q;
    ThDfa *d;          /* state 0 is the start, the others are labels in the order of `found` */
    int *place;        /* (labels): state, or 0 */
    int *word, *level; /* (labels + 1, labels + 1), (labels + 1) */
    int *length, n;    /* (labels + 1), states so far */
} Search;

static void extend(Search *s, int state, int symbol)
{
    int room = s->q->labels->n + 1, *word = s->word + state * room;
    word[s->length[state]] = symbol;
    int label = label_of(s->q, word, s->length[state] + 1, s->level);
    if (s->place[label] == 0) {
        s->place[label] = s->n;
        s->length[s->n] = s->length[state] + 1;
        memcpy(s->word + s->n * room, word, (size_t)s->length[s->n] * sizeof *word);
        s->d->label[s->n++] =
            s->q->labels->answer[label] < 0 ? s->d->n_classes - 1 : s->q->said[label];
    }
    s->d->next[state * s->d->n_symbols + symbol] = s->place[label];
}

ThDfa *th_proof_quantized_machine(const ThProofQuantized *q, int n_classes, int empty, ThError *err)
{
    size_t room = (size_t)q->labels->n + 1;
    Search s = {.q = q,
                .d = th_dfa_new((int)room, q->labels->n_symbols, n_classes + 1, err),
                .place = th_alloc(room, sizeof *s.place, err),
                .word = th_alloc(room * room, sizeof *s.word, err),
                .level = th_alloc(room, sizeof *s.level, err),
                .length = th_alloc(room, sizeof *s.length, err),
                .n = 1};
    bool ok = s.d && s.place && s.word && s.level && s.length;
    if (ok)
        s.d->label[0] = empty;
    for (int state = 0; ok && state < s.n; state++)
        for (int a = 0; a < s.d->n_symbols; a++)
            extend(&s, state, a);
    TH_FREE(s.place, s.word, s.level, s.length);
    if (ok)
        return s.d;
    th_dfa_free(s.d);
    return NULL;
}
