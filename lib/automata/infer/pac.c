#include "automata/infer/pac.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbols.h"

int th_pac_draw(ThPac *s, int *word)
{
    int length = s->lo + (int)th_rng_below(&s->rng, (uint64_t)(s->hi - s->lo) + 1);
    if (s->n_symbols == 0)
        return 0;
    for (int i = 0; i < length; i++)
        word[i] = (int)th_rng_below(&s->rng, (uint64_t)s->n_symbols);
    return length;
}

/* Is the guess wrong about a word? */
static bool test(const ThPac *s, const ThDfa *guess, const int *word, int length, bool *wrong,
                 ThError *err)
{
    int label;
    if (th_stopped(s->stop, err) || !s->member(s->context, word, length, &label, err))
        return false;
    *wrong = label != th_dfa_class(guess, word, (size_t)length);
    return true;
}

/* All words, the shortest first, as long as there are at most a thousand of a length. */
static bool try_short(const ThPac *s, const ThDfa *guess, int *word, int *length, bool *wrong,
                      ThError *err)
{
    enum { MOST = 1000 };
    double n = 1;
    *wrong = false;
    for (*length = 0; n <= MOST && *length <= s->hi; ++*length, n *= s->n_symbols) {
        if (*length && s->n_symbols == 0)
            break;
        memset(word, 0, (size_t)*length * sizeof *word);
        do {
            if (!test(s, guess, word, *length, wrong, err))
                return false;
            if (*wrong)
                return true;
        } while (th_symbols_next(word, *length, s->n_symbols));
        if (s->n_symbols == 1 && *length >= MOST)
            break;
    }
    return true;
}

/* For every state the one before it on a shortest word, and that word's last symbol. */
static bool find_ways(const ThDfa *guess, int *parent, int *symbol, ThError *err)
{
    int n = guess->n_states, k = guess->n_symbols, head = 0, tail = 0;
    int *queue = th_alloc((size_t)n, sizeof *queue, err);
    if (!queue)
        return false;
    for (int q = 0; q < n; q++)
        parent[q] = symbol[q] = -1;
    queue[tail++] = guess->start;
    while (head < tail) {
        int q = queue[head++];
        for (int a = 0; a < k; a++) {
            int to = guess->next[(size_t)q * (size_t)k + (size_t)a];
            if (to != guess->start && parent[to] < 0) {
                parent[to] = q;
                symbol[to] = a;
                queue[tail++] = to;
            }
        }
    }
    free(queue);
    return true;
}

/* A shortest word to q into word, cut at `most` symbols. */
static int way_to(const int *parent, const int *symbol, int q, int *word, int most)
{
    int depth = 0;
    for (int p = q; parent[p] >= 0; p = parent[p])
        depth++;
    int n = depth;
    for (int p = q; parent[p] >= 0; p = parent[p]) {
        if (--n < most)
            word[n] = symbol[p];
    }
    return depth < most ? depth : most;
}

/* Words through every state of the guess. */
static bool try_states(ThPac *s, const ThDfa *guess, int *word, int *length, bool *wrong,
                       ThError *err)
{
    enum { TURNS = 4, LEAST = 200 };
    int n = guess->n_states;
    int *parent = th_alloc((size_t)n, sizeof *parent, err),
        *symbol = th_alloc((size_t)n, sizeof *symbol, err);
    bool ok = parent && symbol && find_ways(guess, parent, symbol, err);
    long long turns = s->n_symbols == 0 ? 0 : (long long)n * s->n_symbols * TURNS;
    turns = turns && turns < LEAST ? LEAST : turns;
    *wrong = false;
    for (long long i = 0; ok && !*wrong && i < turns; i++) {
        int used = way_to(parent, symbol, (int)(i % n), word, s->hi);
        int more = (int)th_rng_below(&s->rng, (uint64_t)(s->hi - used) + 1);
        for (int j = 0; j < more; j++)
            word[used + j] = (int)th_rng_below(&s->rng, (uint64_t)s->n_symbols);
        *length = used + more;
        ok = test(s, guess, word, *length, wrong, err);
    }
    free(parent);
    free(symbol);
    return ok;
}

/* A sample that is large enough for this round; the shortest word that refutes the guess is kept
 * in `kept`. */
static bool try_random(ThPac *s, const ThDfa *guess, int *kept, int *length, bool *refuted,
                       ThError *err)
{
    double wanted = (log(1 / (1 - s->confidence)) + (double)s->round * log(2)) / s->error;
    long long n = (long long)ceil(wanted), wrong = 0;
    int *word = th_alloc((size_t)s->hi + 1, sizeof *word, err);
    bool ok = word != NULL;
    for (long long i = 0; ok && i < n && (s->noise > 0 || wrong == 0); i++) {
        bool is_wrong = false;
        int drawn = th_pac_draw(s, word);
        s->drawn++;
        ok = test(s, guess, word, drawn, &is_wrong, err);
        if (is_wrong && (wrong++ == 0 || drawn < *length)) {
            *length = drawn;
            memcpy(kept, word, (size_t)drawn * sizeof *word);
        }
    }
    free(word);
    *refuted = (double)wrong > s->noise * (double)n;
    return ok;
}

bool th_pac_equivalent(void *sampling, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThPac *s = sampling;
    bool refuted = false;
    int *kept = th_alloc((size_t)s->hi + 1, sizeof *kept, err);
    s->round++;
    bool ok = kept != NULL;
    if (ok && s->noise <= 0)
        ok = try_short(s, guess, kept, length, &refuted, err) &&
             (refuted || try_states(s, guess, kept, length, &refuted, err));
    if (ok && !refuted)
        ok = try_random(s, guess, kept, length, &refuted, err);
    if (ok && refuted) {
        *word = kept;
        return true;
    }
    free(kept);
    return ok;
}

bool th_pac_disagreement(ThPac *s, const ThDfa *guess, long long n, long long *wrong, ThError *err)
{
    int *word = th_alloc((size_t)s->hi + 1, sizeof *word, err);
    bool ok = word != NULL;
    *wrong = 0;
    for (long long i = 0; ok && i < n; i++) {
        bool is_wrong = false;
        int length = th_pac_draw(s, word);
        ok = test(s, guess, word, length, &is_wrong, err);
        *wrong += is_wrong;
    }
    free(word);
    return ok;
}
