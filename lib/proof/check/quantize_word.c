/* The shortest string that a table answers wrong. */

#include "proof/check/quantize.h"

enum { MOST_LEVELS = 12, MOST_ITEMS = 400 };

/* A vector that a level can hold: where it snaps to, what it stands for, the length of a shortest
 * string of it, and its children in the level below (symbols at the lowest; x -1: nothing). */
typedef struct {
    int at, label, length, x, y;
} Item;

typedef struct {
    Item item[MOST_ITEMS];
    int n;
} Level;

typedef struct {
    ThProofQuantized *q;
    Level *level; /* (MOST_LEVELS) */
    int depth;
    Item wrong; /* the shortest of this level that is answered wrong; length 0: none */
} Search;

static void offer(Search *s, Level *to, const Item *new, bool root)
{
    const ThProofQuantized *q = s->q;
    if (new->label < 0 || new->at < 0) /* in no string that is meant; or there is no centre */
        return;
    int right = q->labels->answer[new->label];
    if (root && right >= 0 && q->said[new->at] != right &&
        (s->wrong.length == 0 || new->length < s->wrong.length))
        s->wrong = *new;
    for (int i = 0; i < to->n; i++) {
        Item *known = &to->item[i];
        if (known->at != new->at || known->label != new->label)
            continue;
        if (new->length < known->length)
            *known = *new;
        return;
    }
    if (to->n < MOST_ITEMS)
        to->item[to->n++] = *new;
}

static void first_level(Search *s)
{
    const ThProofQuantized *q = s->q;
    const ThProofLabels *l = q->labels;
    int k = l->n_symbols;
    for (int a = -1; a < k; a++)
        for (int b = 0; b < k; b++) {
            Item new = {a < 0 ? q->single[b] : q->pair[a * k + b],
                        a < 0 ? l->single[b] : l->pair[a * k + b], a < 0 ? 1 : 2, a, b};
            offer(s, &s->level[0], &new, true);
        }
}

static void next_level(Search *s, const Level *from, Level *to)
{
    const ThProofQuantized *q = s->q;
    const ThProofLabels *l = q->labels;
    for (int y = 0; y < from->n; y++) {
        const Item *later = &from->item[y];
        Item new = {q->alone[later->at], l->alone[later->label], later->length, -1, y};
        offer(s, to, &new, false); /* no string's root: it has a level more than it needs */
        for (int x = 0; l->kind[later->label] == TH_PROOF_COMPLETE && x < from->n; x++) {
            const Item *e = &from->item[x];
            new =
                (Item){q->product[e->at * l->n + later->at],
                       l->product[e->label * l->n + later->label], e->length + later->length, x, y};
            offer(s, to, &new, true);
        }
    }
}

/* Writes the symbols of an item of a level; returns the place behind them. */
static int *spell(const Search *s, int level, const Item *item, int *to)
{
    if (level == 0) {
        if (item->x >= 0)
            *to++ = item->x;
        *to++ = item->y;
        return to;
    }
    const Level *below = &s->level[level - 1];
    if (item->x >= 0)
        to = spell(s, level - 1, &below->item[item->x], to);
    return spell(s, level - 1, &below->item[item->y], to);
}

bool th_proof_quantized_word(ThProofQuantized *q, ThStop *stop, ThError *err)
{
    Search s = {.q = q, .level = th_alloc(MOST_LEVELS, sizeof *s.level, err)};
    bool ok = s.level != NULL;
    if (ok)
        first_level(&s);
    while (ok && s.wrong.length == 0 && ++s.depth < MOST_LEVELS) {
        ok = !th_stopped(stop, err);
        next_level(&s, &s.level[s.depth - 1], &s.level[s.depth]);
    }
    if (ok && s.wrong.length > 0) {
        q->length = s.wrong.length;
        q->right = q->labels->answer[s.wrong.label];
        q->answer = q->said[s.wrong.at];
        q->word = th_alloc((size_t)q->length, sizeof *q->word, err);
        ok = q->word != NULL;
        if (ok)
            spell(&s, s.depth, &s.wrong, q->word);
    }
    free(s.level);
    return ok;
}
