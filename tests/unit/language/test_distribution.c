/* Distributions over words against sums over all words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "language/probability.h"

static const char example[] = "q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
                              "r a 0.4 -> r; r b 0.35 -> q; accept r 0.25";

static ThLanguage *distributed(const char *text)
{
    ThError err = {0};
    ThLanguage *l = th_language_parse("distribution", text, &err);
    if (!l)
        fail_msg("%s", err.msg);
    return l;
}

/* Drawn numbers: a move of state q over a to `to`, and stops; of words a and b. */
enum { MOST = 5, LONGEST = 14 };
typedef struct {
    int n, to[MOST][2];
    double p[MOST][2], stop[MOST];
} Drawn;

/* With stops of .9 and more 14 symbols are all of it, and without cycles all words are short. */
static Drawn draw(ThRng *r, bool cycles)
{
    Drawn d = {.n = 1 + below(r, MOST)};
    for (int q = 0; q < d.n; q++) {
        bool last = !cycles && q == d.n - 1;
        double stop = last ? 1 : cycles ? 0.9 + 0.1 * th_rng_uniform(r) : th_rng_uniform(r) / 2;
        double share = th_rng_uniform(r);
        d.stop[q] = stop;
        for (int a = 0; a < 2; a++) {
            d.to[q][a] = cycles ? below(r, d.n) : last ? q : q + 1 + below(r, d.n - q - 1);
            d.p[q][a] = (1 - stop) * (a ? 1 - share : share);
        }
    }
    return d;
}

static ThLanguage *language_of(const Drawn *d)
{
    ThText t = {0};
    th_text_add(&t, "alphabet a b; start q0\n");
    for (int q = 0; q < d->n; q++) {
        for (int a = 0; a < 2; a++)
            if (d->p[q][a] > 0)
                th_text_printf(&t, "q%d %c %.17g -> q%d\n", q, 'a' + a, d->p[q][a], d->to[q][a]);
        if (d->stop[q] > 0)
            th_text_printf(&t, "accept q%d %.17g\n", q, d->stop[q]);
    }
    ThLanguage *l = distributed(t.data);
    th_text_free(&t);
    return l;
}

typedef struct {
    double entropy, mean, square;
} Sums;

/* Adds what the words below a prefix of probability p contribute. */
static void add_words(const Drawn *d, int q, int length, double p, Sums *s)
{
    double w = p * d->stop[q];
    s->entropy -= w > 0 ? w * log2(w) : 0;
    s->mean += w * length;
    s->square += w * length * length;
    for (int a = 0; a < 2 && length < LONGEST; a++)
        if (d->p[q][a] > 0)
            add_words(d, d->to[q][a], length + 1, p * d->p[q][a], s);
}

static void moments_are_sums(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "distributions", 0);
    for (int i = 0; i < 1000; i++) {
        Drawn d = draw(&r, i % 2);
        Sums s = {0};
        ThDistributionMoments m;
        ThLanguage *l = language_of(&d);
        add_words(&d, 0, 0, 1, &s);
        assert_true(th_distribution_moments(l, &m, NULL));
        assert_true(fabs(m.entropy - s.entropy) < 1e-10);
        assert_true(fabs(m.mean - s.mean) < 1e-10);
        assert_true(fabs(m.variance - (s.square - s.mean * s.mean)) < 1e-9);
        double p[4], entropy[4]; /* the empty word is alone, and a length has 2^n words at most */
        assert_true(th_distribution_lengths(l, 3, p, entropy, NULL, NULL));
        assert_true(p[0] == 0 || entropy[0] == 0);
        for (int n = 1; n < 4; n++)
            assert_true(p[n] == 0 || (entropy[n] >= 0 && entropy[n] <= n + 1e-12));
        th_language_free(l);
    }
}

/* The same words by copies of each state, which share every move: all can be read in many ways. */
static ThLanguage *in_copies(const Drawn *d, int copies)
{
    ThText t = {0};
    th_text_add(&t, "alphabet a b; start q0\n");
    for (int k = 0; k < copies * d->n; k++) {
        for (int a = 0; a < 2; a++)
            for (int copy = 0; copy < copies; copy++)
                th_text_printf(&t, "q%d %c %.17g -> q%d\n", k, 'a' + a,
                               d->p[k / copies][a] * (copy + 1) * 2 / (copies * (copies + 1)),
                               copies * d->to[k / copies][a] + copy);
        th_text_printf(&t, "accept q%d %.17g\n", k, d->stop[k / copies]);
    }
    ThLanguage *l = distributed(t.data);
    th_text_free(&t);
    return l;
}

/* With the entropies that the formula has for one way. */
static void several_ways_are_one(void **state)
{
    (void)state;
    ThRng r = th_rng(5, "ways", 0);
    for (int i = 0; i < 50; i++) {
        Drawn d = draw(&r, true);
        ThLanguage *one = language_of(&d), *many = in_copies(&d, 2);
        double p[2][9], entropy[2][9];
        assert_true(th_distribution_lengths(one, 8, p[0], entropy[0], NULL, NULL));
        assert_true(th_distribution_lengths(many, 8, p[1], entropy[1], NULL, NULL));
        for (int n = 0; n < 9; n++)
            if (!(fabs(entropy[0][n] - entropy[1][n]) < 1e-9))
                fail_msg("length %d: %g, not %g", n, entropy[1][n], entropy[0][n]);
        double far[2][61]; /* 2^60 words are too many */
        assert_true(th_distribution_lengths(many, 60, far[0], far[1], NULL, NULL));
        assert_true(isnan(far[1][60]) && far[1][8] == entropy[1][8]);
        th_language_free(one);
        th_language_free(many);
    }
}

/* Adds what the words below a prefix contribute to the distance of two. */
static void add_distance(const Drawn *const d[2], const int *q, int length, const double *p,
                         ThDistributionDistance *sum)
{
    double w = p[0] * d[0]->stop[q[0]], x = p[1] * d[1]->stop[q[1]];
    sum->squares += (w - x) * (w - x);
    sum->divergence += w > 0 ? w * log2(w / x) : 0;
    for (int a = 0; a < 2 && length < LONGEST; a++) {
        int to[2];
        double on[2];
        for (int k = 0; k < 2; k++) {
            to[k] = d[k]->to[q[k]][a];
            on[k] = p[k] * d[k]->p[q[k]][a];
        }
        add_distance(d, to, length + 1, on, sum);
    }
}

static void distances_are_sums(void **state)
{
    (void)state;
    ThRng r = th_rng(3, "distances", 0);
    for (int i = 0; i < 50; i++) {
        Drawn one = draw(&r, true), two = draw(&r, true);
        const Drawn *both[2] = {&one, &two};
        ThDistributionDistance sum = {0}, d;
        ThLanguage *p = language_of(&one), *q = language_of(&two);
        add_distance(both, (int[2]){0, 0}, 0, (double[2]){1, 1}, &sum);
        assert_true(th_distribution_distance(p, q, &d, NULL, NULL));
        assert_true(fabs(d.squares - sum.squares) < 1e-10);
        assert_true(fabs(d.divergence - sum.divergence) < 1e-10);
        assert_true(th_distribution_distance(p, p, &d, NULL, NULL));
        assert_true(d.squares < 1e-15 && fabs(d.divergence) < 1e-14);
        th_language_free(p);
        th_language_free(q);
    }
    ThDistributionDistance d;
    ThLanguage *p = distributed(example);
    /* the other way round are the symbols; some words are impossible */
    ThLanguage *u = distributed("alphabet b a; s a 0.5 -> s; s b 0.25 -> s; accept s 0.25");
    ThLanguage *less = distributed("alphabet a b; s a 0.5 -> s; accept s 0.5");
    assert_true(th_distribution_distance(p, u, &d, NULL, NULL));
    assert_true(fabs(d.divergence - .107965) < 1e-6 && fabs(d.squares - .00367440) < 1e-8);
    assert_true(th_distribution_distance(p, less, &d, NULL, NULL));
    assert_true(isinf(d.divergence));
    assert_true(th_distribution_distance(less, p, &d, NULL, NULL));
    assert_true(d.divergence > 0 && d.divergence < 10);
    /* z, which lacks words of the other one, is reached by none */
    ThLanguage *more = distributed("alphabet a b; s a 0.5 -> s; accept s 0.5; z b 0.5 -> z; "
                                   "accept z 0.5");
    assert_true(th_distribution_distance(less, more, &d, NULL, NULL));
    assert_true(fabs(d.divergence) < 1e-15);
    th_language_free(more);
    th_language_free(p);
    th_language_free(u);
    th_language_free(less);
}

/* Pairs that are followed, of 50 states and more, beside those that are solved; and divergences of
 * words with many ways that are those of one. */
static void copies_are_as_far(void **state)
{
    (void)state;
    ThRng r = th_rng(7, "copies", 0);
    for (int i = 0; i < 6; i++) {
        Drawn one = draw(&r, true), two = draw(&r, true);
        int copies = i % 2 ? 2 : 2 + 45 / (one.n < two.n ? one.n : two.n);
        ThDistributionDistance few, many;
        ThLanguage *p[2] = {language_of(&one), in_copies(&one, copies)};
        ThLanguage *q[2] = {language_of(&two), in_copies(&two, copies)};
        assert_true(th_distribution_distance(p[0], q[0], &few, NULL, NULL));
        assert_true(th_distribution_distance(p[1], q[1], &many, NULL, NULL));
        assert_true(fabs(few.squares - many.squares) < 1e-12);
        assert_true(i % 2 || (many.squares_error > 0 && many.squares_error < 1e-12));
        assert_true(fabs(few.divergence - many.divergence) < 1e-9 * few.divergence + 1e-12);
        assert_true(few.divergence_most == few.divergence);
        assert_true(many.divergence_most == many.divergence || i % 2 == 0);
        for (int k = 0; k < 2; k++) {
            th_language_free(p[k]);
            th_language_free(q[k]);
        }
    }
}

/* Of weights no rest is known: pairs that are too many to be solved are refused. */
static void weights_are_solved(void **state)
{
    (void)state;
    ThDistributionDistance d;
    ThError err = {0};
    for (int n = 40; n < 50; n += 9) {
        ThText t = {0};
        th_text_add(&t, "weights; start q0; accept q0 1.25");
        for (int q = 0; q < n; q++)
            th_text_printf(&t, "; q%d a %s -> q%d; accept q%d 0.5", q, q ? "0.5" : "-0.75",
                           (q + 1) % n, q);
        ThLanguage *l = th_language_parse("distribution", t.data, &err);
        if (!l)
            fail_msg("%s", err.msg);
        assert_true(th_distribution_distance(l, l, &d, NULL, &err) == (n == 40));
        assert_true(n != 40 || (d.squares < 1e-15 && isnan(d.divergence)));
        th_language_free(l);
        th_text_free(&t);
    }
    assert_int_equal(err.code, TH_ELIMIT);
}

/* Any moves of three states, two of a symbol at most; some words are impossible. */
typedef struct {
    double p[3][2][3], stop[3];
} Ways;

static ThLanguage *draw_ways(ThRng *r, double stop, Ways *w)
{
    ThText t = {0};
    th_text_add(&t, "alphabet a b; start q0\n");
    *w = (Ways){.stop = {0}};
    for (int q = 0; q < 3; q++) {
        double share[4], all = 0;
        for (int i = 0; i < 4; i++)
            all += share[i] = below(r, 3) ? 0.1 + th_rng_uniform(r) : 0;
        w->stop[q] = all > 0 ? stop : 1;
        for (int i = 0; i < 4; i++)
            w->p[q][i % 2][below(r, 3)] += all > 0 ? (1 - stop) * share[i] / all : 0;
        for (int i = 0; i < 6; i++)
            if (w->p[q][i % 2][i / 2] > 0)
                th_text_printf(&t, "q%d %c %.17g -> q%d\n", q, 'a' + i % 2, w->p[q][i % 2][i / 2],
                               i / 2);
        th_text_printf(&t, "accept q%d %.17g\n", q, w->stop[q]);
    }
    ThLanguage *l = distributed(t.data);
    th_text_free(&t);
    return l;
}

typedef struct {
    double divergence, squares, variation[LONGEST + 1];
} Far;

static void add_ways(const Ways *const w[2], double (*v)[3], int length, int longest, Far *to)
{
    double p[2] = {0}, next[2][3];
    for (int k = 0; k < 2; k++)
        for (int q = 0; q < 3; q++)
            p[k] += v[k][q] * w[k]->stop[q];
    to->divergence += p[0] > 0 ? p[0] * log2(p[0] / p[1]) : 0;
    to->squares += (p[0] - p[1]) * (p[0] - p[1]);
    to->variation[length] += fabs(p[0] - p[1]) / 2;
    for (int a = 0; a < 2 && length < longest; a++) {
        memset(next, 0, sizeof next);
        for (int i = 0; i < 18; i++)
            next[i / 9][i % 3] += v[i / 9][i / 3 % 3] * w[i / 9]->p[i / 3 % 3][a][i % 3];
        add_ways(w, next, length + 1, longest, to);
    }
}

static void several_ways_have_bounds(void **state)
{
    (void)state;
    ThRng r = th_rng(9, "bounds", 0);
    int never = 0, found = 0, between = 0;
    for (int i = 0; i < 60; i++) {
        enum { SHORT = 9 };
        bool quick = i % 2; /* then what is longer is less than 1e-11 */
        Ways one, two;
        const Ways *both[2] = {&one, &two};
        ThLanguage *p = draw_ways(&r, quick ? 0.95 : 0.4, &one);
        ThLanguage *q = draw_ways(&r, quick ? 0.95 : 0.4, &two);
        Far far = {0};
        ThDistributionDistance d;
        double variation[SHORT + 1];
        add_ways(both, (double[2][3]){{1}, {1}}, 0, SHORT, &far);
        assert_true(th_distribution_distance(p, q, &d, NULL, NULL));
        assert_true(th_distribution_variation(p, q, SHORT, variation, NULL, NULL));
        for (int n = 0; n <= SHORT; n++)
            assert_true(fabs(variation[n] - far.variation[n]) < 1e-12);
        assert_true(!quick || fabs(d.squares - far.squares) < 1e-12);
        never += isinf(far.divergence);
        assert_true(isinf(far.divergence) == isinf(d.divergence));
        assert_true(d.divergence <= d.divergence_most);
        if (quick && !isinf(far.divergence)) {
            found += d.divergence_most - d.divergence < 1e-9;
            if (!(far.divergence > d.divergence - 1e-9 &&
                  far.divergence < d.divergence_most + 1e-9))
                fail_msg("%d: %.12g, not %.12g to %.12g", i, far.divergence, d.divergence,
                         d.divergence_most);
        }
        between += d.divergence_most - d.divergence > 1e-9;
        th_language_free(p);
        th_language_free(q);
    }
    if (never < 5 || found < 5 || between < 5)
        fail_msg("%d never, %d found, %d between", never, found, between);
}

/* Figures computed elsewhere. */
static void the_example(void **state)
{
    (void)state;
    static const double of_length[] = {.2, .175, .1385, .108025};
    static const double bits_of_length[] = {0, .985228, 1.931656, 2.890508};
    ThLanguage *l = distributed(example);
    ThDistributionMoments m;
    double p[4], h[4], log, best;
    const char *path[4];
    assert_true(th_distribution_moments(l, &m, NULL));
    assert_true(fabs(m.entropy - 6.968958) < 1e-6 && fabs(m.mean - 3.615385) < 1e-6);
    assert_true(fabs(m.variance - 15.897436) < 1e-6);
    assert_true(th_distribution_lengths(l, 3, p, h, NULL, NULL));
    for (int k = 0; k < 4; k++)
        assert_true(fabs(p[k] - of_length[k]) < 1e-12 && fabs(h[k] - bits_of_length[k]) < 1e-6);
    ThLanguageWord word = {(const int[]){0, 1, 1}, 3};
    assert_true(th_distribution_log(l, word, &log, NULL));
    assert_true(fabs(exp(log) - .5 * .3 * .35 * .2) < 1e-15);
    assert_true(th_distribution_path(l, word, path, &best, NULL));
    assert_true(fabs(best - log) < 1e-12);
    for (int k = 0; k < 4; k++)
        assert_string_equal(path[k], k == 2 ? "r" : "q");
    th_language_free(l);
    /* Two ways: the sum, and the better one; equal ones go by the states named first. */
    l = distributed(
        "s a 1/4 -> s; s a 1/4 -> t; s a 1/4 -> u; accept s 1/4; accept t 1; accept u 1");
    word = (ThLanguageWord){(const int[]){0}, 1};
    assert_true(th_distribution_log(l, word, &log, NULL));
    assert_true(fabs(exp(log) - 9. / 16) < 1e-15);
    assert_true(th_distribution_path(l, word, path, &best, NULL));
    assert_string_equal(path[1], "t");
    assert_true(fabs(exp(best) - 1. / 4) < 1e-15);
    assert_true(th_distribution_moments(l, &m, NULL));
    assert_true(isnan(m.entropy));
    th_language_free(l);
    l = th_language_parse("grammar", "S -> a", NULL);
    assert_false(th_distribution_moments(l, &m, NULL));
    th_language_free(l);
}

/* Below this lies chi squared of some degrees with probability 0.9999. */
static double bound(int degrees)
{
    double d = degrees, z = 1 - 2 / (9 * d) + 3.72 * sqrt(2 / (9 * d));
    return d * z * z * z;
}

/* Words of up to three symbols, and all longer ones; then those of three symbols. */
static void words_come_by_weight(void **state)
{
    (void)state;
    enum { DRAWN = 100000, CELLS = 16 };
    ThLanguage *l = distributed(example);
    for (int fixed = 0; fixed < 2; fixed++) {
        ThRng r = th_rng(7, "words", (uint64_t)fixed);
        ThLanguageWords *w = th_language_words(l, 3, NULL, NULL);
        int seen[CELLS] = {0}, three[3], *word = NULL, n = 3;
        size_t cap = 0;
        double chi = 0, rest = 1;
        for (int i = 0; i < DRAWN; i++) {
            if (fixed)
                assert_true(th_language_draw(w, &r, three, NULL));
            else
                assert_true(th_distribution_draw(l, &r, &word, &cap, &n, NULL, NULL));
            int cell = 1;
            for (int k = 0; k < n && n <= 3; k++)
                cell = 2 * cell + (fixed ? three : word)[k];
            seen[n > 3 ? 0 : cell]++;
        }
        for (int cell = CELLS - 1; cell >= 0; cell--) {
            int length = 0, letters[3];
            double log;
            while (cell >> (length + 1))
                length++;
            for (int k = 0; k < length; k++)
                letters[k] = cell >> (length - 1 - k) & 1;
            assert_true(th_distribution_log(l, (ThLanguageWord){letters, length}, &log, NULL));
            double p = cell ? exp(log) : rest;
            rest -= p;
            if (fixed && (cell == 0 || length < 3)) {
                assert_int_equal(seen[cell], 0);
                continue;
            }
            double due = DRAWN * p / (fixed ? .108025 : 1);
            chi += (seen[cell] - due) * (seen[cell] - due) / due;
        }
        assert_true(chi < bound(fixed ? 7 : CELLS - 1));
        th_language_words_free(w);
        free(word);
    }
    th_language_free(l);
}

/* What is written is read again as it was. */
static void blocks_are_read_again(void **state)
{
    (void)state;
    ThRng r = th_rng(2, "blocks", 0);
    for (int i = 0; i < 50; i++) {
        Drawn d = draw(&r, true);
        ThLanguage *l = language_of(&d);
        ThText one = {0}, two = {0};
        th_language_write(&one, l, "p");
        char *inside = strchr(one.data, '{') + 1;
        char *text = strndup(inside, strlen(inside) - 2);
        ThLanguage *again = distributed(text);
        th_language_write(&two, again, "p");
        assert_string_equal(one.data, two.data);
        free(text);
        th_text_free(&one);
        th_text_free(&two);
        th_language_free(l);
        th_language_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_sums),     cmocka_unit_test(several_ways_are_one),
        cmocka_unit_test(distances_are_sums),   cmocka_unit_test(the_example),
        cmocka_unit_test(words_come_by_weight), cmocka_unit_test(blocks_are_read_again),
        cmocka_unit_test(copies_are_as_far),    cmocka_unit_test(several_ways_have_bounds),
        cmocka_unit_test(weights_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
