/* In-context language learning: every string is of words of an automaton of its own, which it has
 * to be read for.
 *
 *     |abc|ab|bca …   all states accept; what comes next is one of the moves of the state
 *
 * The target of a position is the symbol after it, where that is no bar. */
#include <math.h>

#include "tasks/task_parts.h"

enum { LETTERS = 26, MOST_STATES = 1000 };

static const ThOptionSpec options[] = {
    {"states", TH_RANGE, "4..12", 2, MOST_STATES, NULL, "states of an automaton"},
    {"letters", TH_INT, "18", 1, LETTERS, NULL, "that there are"},
    {"symbols", TH_RANGE, "4..18", 1, LETTERS, NULL, "letters that one automaton uses"},
    {"moves", TH_RANGE, "1..3", 1, LETTERS, NULL, "of a state, to as many other states"},
    {"words", TH_RANGE, "1..49", 1, 1000000, NULL, "symbols of a word"},
    {"automata", TH_INT, "5000", 1, 1e9, NULL,
     "that training has strings of; those of tests are new"},
    {0}};

static int bar(const ThTask *t)
{
    return t->signature.n_symbols - 1;
}

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    char words[2 * LETTERS + 2];
    long long n = th_option_int(&t->options, "letters");
    if (th_option_range(&t->options, "symbols").hi > n && th_option_given(&t->options, "symbols"))
        return th_fail(err, TH_EVALUE, "there are %lld letters", n) ||
               th_option_error(&t->options, "symbols", err);
    for (int i = 0; i < n; i++) {
        words[2 * i] = (char)('a' + i);
        words[2 * i + 1] = ' ';
    }
    memcpy(words + 2 * n, "|", 2);
    t->signature.next = true;
    return th_task_signature(t, TH_TARGET_EVERY, (ThTaskNames){0, words}, (ThTaskNames){0, words},
                             err);
}

/* ---- automata -------------------------------------------------------------------------------- */

/* State q has moves[q] moves; number k of them reads symbol[q][k] and leads to to[q][k]. */
typedef struct {
    int n, moves[MOST_STATES], symbol[MOST_STATES][LETTERS], to[MOST_STATES][LETTERS];
} Automaton;

static int draw_in(const ThTask *t, ThRng *r, const char *option, int least, int most)
{
    ThRange range = th_option_range(&t->options, option);
    long long n = range.lo + range.step * (long long)th_rng_below(r, th_range_count(range));
    return n > most ? most : n < least ? least : (int)n;
}

/* Moves k of n things to the front, all choices being equally likely. */
static void choose(ThRng *r, int *item, int n, int k)
{
    for (int i = 0; i < k; i++) {
        int other = i + (int)th_rng_below(r, (uint64_t)(n - i)), was = item[i];
        item[i] = item[other];
        item[other] = was;
    }
}

static void draw_automaton(const ThTask *t, ThRng *r, Automaton *a)
{
    int letter[LETTERS] = {0}, state[MOST_STATES] = {0}, letters = bar(t);
    int used = draw_in(t, r, "symbols", 1, letters);
    for (int i = 0; i < letters; i++)
        letter[i] = i;
    choose(r, letter, letters, used);
    a->n = draw_in(t, r, "states", 2, MOST_STATES);
    for (int q = 0; q < a->n; q++) {
        a->moves[q] = draw_in(t, r, "moves", 1, used < a->n - 1 ? used : a->n - 1);
        for (int i = 0; i < a->n - 1; i++)
            state[i] = i + (i >= q); /* any other state */
        choose(r, letter, used, a->moves[q]);
        choose(r, state, a->n - 1, a->moves[q]);
        memcpy(a->symbol[q], letter, (size_t)a->moves[q] * sizeof *letter);
        memcpy(a->to[q], state, (size_t)a->moves[q] * sizeof *state);
    }
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Row i as words of a; p, which may be NULL: (T, n_classes). */
static void write_row(const ThTask *t, ThRng *r, const Automaton *a, ThBatch *b, int i, double *p)
{
    int *row = th_batch_token(b, i), *target = th_batch_target(&t->signature, b, i);
    for (int k = 0, left = 0, q = 0; k < b->T; k++) {
        bool begins = left == 0;
        row[k] = begins ? bar(t) : target[k - 1];
        q = begins ? 0 : q;
        left = begins ? draw_in(t, r, "words", 1, 1000000) : left - 1;
        target[k] = -1;
        if (left == 0)
            continue; /* a bar comes next */
        int move = (int)th_rng_below(r, (uint64_t)a->moves[q]);
        for (int m = 0; p && m < a->moves[q]; m++)
            p[k * t->signature.n_classes + a->symbol[q][m]] = 1.0 / a->moves[q];
        target[k] = a->symbol[q][move];
        q = a->to[q][move];
    }
}

/* Strings of new automata, or, with `known`, of any of those of training. */
static bool write_rows(const ThTask *t, ThRng *r, bool known, ThBatch *b, double *p, ThError *err)
{
    Automaton *a TH_OWNED(free) = th_alloc(1, sizeof *a, err);
    size_t size = (size_t)b->T * (size_t)t->signature.n_classes;
    for (int i = 0; a && i < b->B; i++) {
        uint64_t n = (uint64_t)th_option_int(&t->options, "automata");
        ThRng own = known ? th_rng(0, "in_context", th_rng_below(r, n)) : *r;
        ThRng *from = known ? &own : r;
        if (p)
            memset(p + (size_t)i * size, 0, size * sizeof *p);
        draw_automaton(t, from, a);
        write_row(t, from, a, b, i, p ? p + (size_t)i * size : NULL);
    }
    return a;
}

static bool draw(const ThTask *t, ThRng *r, int length TH_UNUSED, ThBatch *b, ThError *err)
{
    return write_rows(t, r, false, b, NULL, err);
}

static bool study(const ThTask *t, ThRng *r, const ThRange *sizes, ThBatch *b, ThError *err)
{
    b->T = (int)(sizes->lo + sizes->step * (long long)th_rng_below(r, th_range_count(*sizes)));
    return th_batch_reserve(b, &t->signature, false, err) && write_rows(t, r, true, b, NULL, err);
}

static bool foretell(const ThTask *t, ThRng *r, ThTaskForetold *which, ThBatch *b, double *p,
                     ThError *err)
{
    which->all = false;
    which->probability = which->entropy = (double)NAN;
    return write_rows(t, r, false, b, p, err);
}

static ThRange lengths(const ThTask *t TH_UNUSED)
{
    return (ThRange){256, 256, 1};
}

const ThTaskKind th_task_kind_in_context = {
    .name = "in_context",
    .summary = "learn a language from the words before: every string is of an automaton of its own",
    .source = "Akyürek et al. 2024, In-context language learning (RegBench)",
    .detail = "A string is |WORD|WORD|... cut at the length, of words of one automaton, which is "
              "drawn anew for every string: states=, letters of its own, and for every state "
              "moves= different letters that lead to different other states; all states accept.  "
              "A word has words= symbols, each of the state's moves being equally likely.  What "
              "comes next is asked for everywhere but before a bar.\n\n"
              "Training reads strings of automata= automata, each always with the same string; "
              "sample and evaluate draw new ones.  evaluate says, in bits a symbol, cross-entropy "
              "beside the entropy; variation is the mean of half the sum of |p - q| over the "
              "symbols, and accuracy the share of symbols where what the model expects most is a "
              "move of the state.",
    .options = options,
    .init = init,
    .lengths = lengths,
    .draw = draw,
    .study = study,
    .foretell = foretell,
};
