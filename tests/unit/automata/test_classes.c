/* Classes of languages against their definitions by words and states, published languages, closure
 * properties and inclusions; the witnesses against the automaton itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/classes.h"
#include "automata/algebra/counting.h"
#include "automata/algebra/equation.h"
#include "automata/algebra/testable.h"
#include "automata/algebra/varieties.h"
#include "base/symbols.h"
#include "given.h"
#include "sanitized.h"

static char letter[][2] = {"a", "b", "c"}, *letters[] = {letter[0], letter[1], letter[2]};
enum { MOST_STATES = 6, LESS = SANITIZED ? 5 : 1 };

static ThDfa *minimal(ThDfa *d)
{
    ThDfa *m = th_dfa_minimize(d, NULL, NULL);
    assert_non_null(m);
    th_dfa_free(d);
    return m;
}

/* Half of them with most transitions forwards, so that all classes are met. */
static ThDfa *random_minimal(ThRng *r, int k)
{
    int n = 2 + below(r, MOST_STATES - 1), forwards = below(r, 2), sink = below(r, 2);
    ThDfa *d = th_dfa_new(n, k, 2, NULL);
    for (int i = 0; i < n * k; i++) {
        int q = i / k, how = below(r, 8);
        d->next[i] = below(r, n);
        if (forwards && how < 5)
            d->next[i] = how < 2 || q == n - 1 ? q : q + 1;
        if (sink && q == n - 1)
            d->next[i] = q;
    }
    for (int q = 0; q < n; q++)
        d->label[q] = !(sink && q == n - 1) && below(r, 2);
    return minimal(d);
}

static ThClassReport *report(const ThDfa *d)
{
    ThError err = {0};
    ThClassReport *r = th_class_report(d, letters, 20000, NULL, &err);
    if (!r)
        fail_msg("%s", err.msg);
    return r;
}

static ThDfa *of_expression(const char *text)
{
    ThAutomaton *a = evaluate(text);
    ThDfa *d = minimal(th_automaton_acceptor(a, 0, NULL, NULL));
    th_automaton_free(a);
    return d;
}

/* ---- published languages ---- */

static const int column[] = {
    TH_CLASS_SL,    TH_CLASS_COSL,       TH_CLASS_SP,      TH_CLASS_COSP,   TH_CLASS_TSL,
    TH_CLASS_LT,    TH_CLASS_LTT,        TH_CLASS_PT,      TH_CLASS_PLT,    TH_CLASS_TLT,
    TH_CLASS_TPLT,  TH_CLASS_STAR_FREE,  TH_CLASS_DA,      TH_CLASS_R,      TH_CLASS_L,
    TH_CLASS_CRASP, TH_CLASS_R_INFINITY, TH_CLASS_R_GROUP, TH_CLASS_SIGMA2, TH_CLASS_PI2};

/* McNaughton and Papert, Rogers et al., Tomita, Yang and Chiang, Pin and Weil on these: sl cosl sp
 * cosp tsl, lt ltt pt plt tlt, tplt sf da r l, c-rasp r-infinity r-group sigma2 pi2; the k of SL
 * and TSL, 0 for none. */
static const struct {
    const char *language, *is;
    int monoid, sl, tsl;
} published[] = {
    {"regex \"(aa)*\"", "----- ----- ----- --+--", 2, 0, 0},
    {"parity", "----- ----- ----- --+--", 2, 0, 0},
    {"regex \"(b*ab*ab*a)*b*\"", "----- ----- ----- --+--", 3, 0, 0},
    {"regex \"a*b*\"", "+-+-+ +++++ +++++ +++++", 5, 2, 2},
    {"regex \".*a.*b.*a.*\"", "---+- -+++- +++++ +++++", 7, 0, 0},
    {"regex \"b*ab*\"", "----+ -++++ +++++ +++++", 3, 0, 2},
    {"regex \"a.*\" over \"ab\"", "++--+ ++-++ ++++- +++++", 3, 2, 2},
    {"regex \".*a\" over \"ab\"", "++--+ ++-++ +++-+ ---++", 3, 2, 2},
    {"regex \".*a.\" over \"ab\"", "++--+ ++-++ +++-+ ---++", 7, 3, 3},
    {"regex \"a.*a|b.*b|a|b\"", "----- ++-++ +++-- ---++", 5, 0, 0},
    {"regex \"ab*a\"", "+---+ +++++ +++++ +++++", 7, 3, 3},
    {"regex \"(ab)*\"", "+---+ ++-++ ++--- +++-+", 6, 2, 2},
    {"regex \"c*(ac*bc*)*\"", "----+ ----+ ++--- +++-+", 6, 0, 2},
    {"regex \".*ab.*\" over \"ab\"", "-+-+- +++++ +++++ +++++", 5, 0, 0},
    {"regex \".*aa.*\" over \"ab\"", "-+--- ++-++ ++--- ---+-", 6, 0, 0},
    {"tomita(4)", "+---+ ++-++ ++--- ----+", 12, 3, 3},
    {"tomita(3)", "----- ----- ----- -----", 26, 0, 0},
    {"tomita(7)", "--+-- -+++- +++++ +++++", 9, 0, 0},
    {"regex \"(a(ab)*b)*\"", "----- ----- -+--- +++--", 15, 0, 0},
    {"regex \"(ab|ba)*\"", "----- ----- -+--- +++--", 15, 0, 0},
    {"regex \"((a|b)ba)*\"", "+---+ ++-++ ++--- -++-+", 14, 4, 4},
    {"regex \"(baab)*\"", "+---+ ++-++ ++--- +++-+", 20, 3, 3},
    {"flip_flop", "----+ ----+ +++-+ ---++", 3, 0, 2},
};

static void test_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        ThDfa *d = of_expression(published[i].language);
        ThClassReport *r = report(d);
        char is[32], *at = is;
        for (int c = 0; c < (int)(sizeof column / sizeof *column); c++) {
            if (c > 0 && c % 5 == 0)
                *at++ = ' ';
            *at++ = "-+?"[r->verdict[column[c]].is];
        }
        *at = '\0';
        if (strcmp(is, published[i].is) != 0)
            fail_msg("%s: %s, not %s", published[i].language, is, published[i].is);
        assert_int_equal(r->monoid, published[i].monoid);
        assert_int_equal(r->verdict[TH_CLASS_SL].k, published[i].sl);
        assert_int_equal(r->verdict[TH_CLASS_TSL].k, published[i].tsl);
        th_class_report_free(r);
        th_dfa_free(d);
    }
}

/* ---- what is forbidden ---- */

static void test_constraints(void **state)
{
    static const struct {
        const char *language;
        int class;
        const char *witness;
    } known[] = {
        {"regex \"a*b*\"", TH_CLASS_SL, "forbids ba"},
        {"regex \"a*b*\"", TH_CLASS_SP, "forbids ba"},
        {"regex \"(ab)*\"", TH_CLASS_SL, "forbids a< >b aa bb"},
        {"regex \"ab*a\"", TH_CLASS_SL, "forbids >< >a< >b b< aaa aab baa bab"},
        {"tomita(7)", TH_CLASS_SP, "forbids baba"},
        {"regex \"~(.*a.*b.*|.*c.*c.*)\" over \"abc\"", TH_CLASS_SP, "forbids ab cc"},
        {"regex \".*aa.*\" over \"ab\"", TH_CLASS_COSL, "requires one of aa"},
        {"regex \"b*ab*\"", TH_CLASS_TSL, "forbids >< aa"},
        {"regex \"c*(ac*bc*)*\"", TH_CLASS_TSL, "forbids a< >b aa bb"},
        {"regex \"(a(ab)*b)*\"", TH_CLASS_CRASP, "by #a - #b"},
        {"regex \"(aab)*\"", TH_CLASS_CRASP, "by #a - 2·#b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThDfa *d = of_expression(known[i].language);
        ThClassReport *r = report(d);
        assert_string_equal(r->verdict[known[i].class].witness, known[i].witness);
        th_class_report_free(r);
        th_dfa_free(d);
    }
}

/* ---- by definition ---- */

static bool accepts(const ThDfa *d, const int *word, int length)
{
    return th_dfa_class(d, word, (size_t)length) == 1;
}

/* Strictly k-local: words of k-1 symbols leave at most one state from which anything is accepted.
 */
static bool suffix_decides(const ThDfa *d, int of, int k)
{
    bool live[MOST_STATES];
    for (int q = 0; q < d->n_states; q++) {
        int word[MAX_WORD] = {0}, n = 0;
        live[q] = d->label[q] == of;
        while (!live[q] && next_word(word, &n, d->n_symbols, MOST_STATES))
            live[q] = d->label[th_dfa_walk(d, q, word, (size_t)n)] == of;
    }
    int word[MAX_WORD] = {0};
    do {
        int left = -1;
        for (int q = 0; q < d->n_states; q++) {
            int to = th_dfa_walk(d, q, word, (size_t)(k - 1));
            if (live[to] && left >= 0 && to != left)
                return false;
            left = live[to] ? to : left;
        }
    } while (th_symbols_next(word, k - 1, d->n_symbols));
    return true;
}

static void check_local(const ThDfa *d, const ThClassVerdict *v, int of)
{
    enum { MOST = 8 };
    for (int k = 1; k <= MOST; k++)
        assert_int_equal(suffix_decides(d, of, k), v->is == TH_CLASS_YES && k >= v->k);
}

/* Closed under taking a symbol out (of = 1), or the complement is. */
static bool is_piecewise(const ThDfa *d, int of)
{
    enum { LENGTH = 8 };
    int word[MAX_WORD] = {0}, n = 0, less[MAX_WORD];
    while (next_word(word, &n, d->n_symbols, LENGTH))
        for (int i = 0; i < n && accepts(d, word, n) == of; i++) {
            memcpy(less, word, (size_t)i * sizeof *word);
            memcpy(less + i, word + i + 1, (size_t)(n - 1 - i) * sizeof *word);
            if (accepts(d, less, n - 1) != of)
                return false;
        }
    return true;
}

static void test_strictly(void **state)
{
    (void)state;
    int yes[2] = {0};
    for (int turn = 0; turn < 300 / LESS; turn++) {
        ThRng g = th_rng(5, "strictly", (uint64_t)turn);
        ThDfa *d = random_minimal(&g, 2);
        ThClassReport *r = report(d);
        check_local(d, &r->verdict[TH_CLASS_SL], 1);
        check_local(d, &r->verdict[TH_CLASS_COSL], 0);
        assert_int_equal(r->verdict[TH_CLASS_SP].is, is_piecewise(d, 1));
        assert_int_equal(r->verdict[TH_CLASS_COSP].is, is_piecewise(d, 0));
        yes[0] += r->verdict[TH_CLASS_SL].is;
        yes[1] += r->verdict[TH_CLASS_SP].is;
        th_class_report_free(r);
        th_dfa_free(d);
    }
    assert_in_range(yes[0], 25 / LESS, 275 / LESS);
    assert_in_range(yes[1], 25 / LESS, 275 / LESS);
}

/* ---- pieces ---- */

static int count_factor(const int *w, int n, const int *f, int k, int most)
{
    int count = 0;
    for (int i = 0; i + k <= n; i++)
        count += memcmp(w + i, f, (size_t)k * sizeof *w) == 0;
    return count < most ? count : most;
}

/* Have two words the same first and last k-1 symbols and factors of length k, up to t of each? */
static bool same_factors(const int *u, int m, const int *w, int n, int k, int t)
{
    int f[MAX_WORD] = {0}, ends = k - 1;
    if (m < ends || n < ends)
        return m == n && memcmp(u, w, (size_t)n * sizeof *w) == 0;
    if (memcmp(u, w, (size_t)ends * sizeof *w) != 0 ||
        memcmp(u + m - ends, w + n - ends, (size_t)ends * sizeof *w) != 0)
        return false;
    do {
        if (count_factor(u, m, f, k, t) != count_factor(w, n, f, k, t))
            return false;
    } while (th_symbols_next(f, k, 2));
    return true;
}

static bool is_subword(const int *f, int k, const int *w, int n)
{
    int at = 0;
    for (int i = 0; i < n && at < k; i++)
        at += w[i] == f[at];
    return at == k;
}

static bool same_subwords(const int *u, int m, const int *w, int n, int k)
{
    int f[MAX_WORD] = {0}, length = 0;
    bool same = true;
    do
        same = is_subword(f, length, u, m) == is_subword(f, length, w, n);
    while (same && next_word(f, &length, 2, k));
    return same;
}

/* Do words of up to eight symbols with the same pieces end alike?  t = 0: scattered subwords. */
static bool pieces_suffice(const ThDfa *d, int k, int t)
{
    enum { LENGTH = 8 };
    int u[MAX_WORD] = {0}, m = 0;
    do {
        int w[MAX_WORD] = {0}, n = 0;
        do
            if (accepts(d, u, m) && !accepts(d, w, n) &&
                (t ? same_factors(u, m, w, n, k, t) : same_subwords(u, m, w, n, k)))
                return false;
        while (next_word(w, &n, 2, LENGTH));
    } while (next_word(u, &m, 2, LENGTH));
    return true;
}

/* In these small machines eight symbols show every difference that there is. */
static void test_pieces(void **state)
{
    (void)state;
    int suffices[2] = {0};
    for (int turn = 0; turn < 40 / LESS; turn++) {
        ThRng g = th_rng(6, "pieces", (uint64_t)turn);
        ThDfa *d = random_minimal(&g, 2);
        for (int k = 1; d->n_states <= 4 && k <= 3; k++) {
            for (int t = 1; t <= (k < 3 ? 2 : 1); t++) {
                int found = th_dfa_factors_suffice(d, k, t, NULL, NULL);
                assert_int_equal(found, pieces_suffice(d, k, t));
                suffices[found]++;
            }
            assert_int_equal(th_dfa_subsequences_suffice(d, k, NULL, NULL),
                             pieces_suffice(d, k, 0));
        }
        th_dfa_free(d);
    }
    assert_in_range(suffices[0], 20 / LESS, 200 / LESS);
    assert_in_range(suffices[1], 20 / LESS, 200 / LESS);
}

/* ---- counting: how many of all automata with three and four states, by their graphs ---- */

/* Are the states numbered as a walk breadth first meets them? */
static bool is_canonical(const ThDfa *d)
{
    int met = 1;
    for (int i = 0; i < d->n_states * d->n_symbols; i++) {
        if (i / d->n_symbols >= met || d->next[i] > met)
            return false;
        met += d->next[i] == met;
    }
    return met == d->n_states;
}

static void test_counted(void **state)
{
    static const struct {
        int states, canonical, in;
    } known[] = {{3, 216, 18}, {4, 5248, 168}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int canonical = 0, in = 0, n = known[i].states;
        ThDfa *d = th_dfa_new(n, 2, 2, NULL);
        do {
            ThDfaCounting c;
            ThText sums = {0};
            if (!is_canonical(d))
                continue;
            assert_true(th_dfa_counting(d, letters, &c, &sums, NULL, NULL));
            th_text_free(&sums);
            canonical++;
            in += c.decided == 1;
        } while (th_symbols_next(d->next, 2 * n, n));
        assert_int_equal(canonical, known[i].canonical);
        assert_int_equal(in, known[i].in);
        th_dfa_free(d);
    }
}

/* ---- equations against Green's relations ---- */

static void test_equations(void **state)
{
    static const ThMonoidEquation law[] = {
        {"x", "x^x", "x^", false},         {"x y", "(xy)^x", "(xy)^", false},
        {"x y", "y(xy)^", "(xy)^", false}, {"x y", "(xy)^x(xy)^", "(xy)^", false},
        {"e x", "xe", "e", false},         {"e x", "ex", "e", false},
        {"e x:ee", "x", "e", false},       {"x y", "xy", "yx", false},
        {"x", "xx", "x", false},
    };
    (void)state;
    int holds[9] = {0};
    for (int turn = 0; turn < 800 / LESS; turn++) {
        ThRng r = th_rng(7, "equations", (uint64_t)turn);
        ThDfa *d = random_minimal(&r, 2 + below(&r, 2));
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        ThGreen *g = th_green_new(m, NULL, NULL);
        ThMonoidTable *t = th_monoid_table_new(d, m, g, NULL);
        ThVarieties v;
        assert_true(th_varieties_of(&v, m, g, NULL, NULL));
        const bool flag[] = {v.aperiodic,
                             v.r_trivial,
                             v.l_trivial,
                             v.da,
                             v.definite,
                             v.reverse_definite,
                             v.generalized_definite,
                             v.commutative,
                             v.idempotent};
        for (int i = 0; i < 9; i++) {
            ThMonoidBreach where;
            int is = th_monoid_satisfies(t, &law[i], &where, NULL, NULL);
            if (is >= 0)
                assert_int_equal(is, flag[i]);
            holds[i] += is == 1;
        }
        th_monoid_table_free(t);
        th_varieties_free(&v);
        th_green_free(g);
        th_monoid_free(m);
        th_dfa_free(d);
    }
    for (int i = 0; i < 9; i++)
        assert_in_range(holds[i], 30 / LESS, 770 / LESS);
}

/* ---- inclusions, closure, witnesses ---- */

/* "… accepts V, not W": the automaton does. */
static int check_words(const ThDfa *d, const char *witness)
{
    const char *v = strstr(witness, "accepts "), *w = v ? strstr(v, ", not ") : NULL;
    char text[2][400];
    if (!w)
        return 0;
    snprintf(text[0], sizeof text[0], "%.*s", (int)(w - v - 8), v + 8);
    snprintf(text[1], sizeof text[1], "%s", w + 6);
    for (int i = 0; i < 2; i++) {
        int n, *word = th_symbols_read(letters, d->n_symbols,
                                       strcmp(text[i], "ε") == 0 ? "" : text[i], &n, NULL);
        assert_non_null(word);
        assert_int_equal(accepts(d, word, n), i == 0);
        free(word);
    }
    return 1;
}

static void test_inclusions(void **state)
{
    (void)state;
    int words = 0, yes[TH_CLASS_COUNT] = {0};
    for (int turn = 0; turn < 500 / LESS; turn++) {
        ThRng g = th_rng(8, "inclusions", (uint64_t)turn);
        ThDfa *d = random_minimal(&g, 2 + below(&g, 2));
        ThClassReport *r = report(d);
        for (int c = 0; c < TH_CLASS_COUNT; c++) {
            yes[c] += r->verdict[c].is == TH_CLASS_YES;
            words += check_words(d, r->verdict[c].witness);
            if (r->verdict[c].is == TH_CLASS_NO && c != TH_CLASS_SOLVABLE)
                assert_true(r->verdict[c].witness[0] != '\0');
            for (int b = 0; b < TH_CLASS_COUNT; b++)
                if (th_class_within(c, b) && r->verdict[c].is == TH_CLASS_YES)
                    assert_int_equal(r->verdict[b].is, TH_CLASS_YES);
        }
        bool both = r->verdict[TH_CLASS_SIGMA2].is && r->verdict[TH_CLASS_PI2].is;
        assert_int_equal(both, r->verdict[TH_CLASS_DA].is == TH_CLASS_YES);
        assert_int_equal(r->verdict[TH_CLASS_R].is && r->verdict[TH_CLASS_L].is,
                         r->verdict[TH_CLASS_PT].is == TH_CLASS_YES);
        th_class_report_free(r);
        th_dfa_free(d);
    }
    assert_true(words > 4000 / LESS);
    for (int c = 0; c < TH_CLASS_SOLVABLE; c++)
        assert_in_range(yes[c], 12 / LESS, 488 / LESS);
}

/* What operations leave alone: BOTH complement and union, JOIN union and intersection, MEET
 * intersection; ANY_MAP inverse images under all morphisms, MAP those that erase nothing. */
enum { BOTH = 1, JOIN = 2, MEET = 4, MAP = 8, ANY_MAP = 16 };
static const struct {
    int class, under;
} closed[] = {
    {TH_CLASS_CRASP, BOTH | ANY_MAP},
    {TH_CLASS_R, BOTH | ANY_MAP},
    {TH_CLASS_R_INFINITY, BOTH | ANY_MAP},
    {TH_CLASS_R_GROUP, BOTH | ANY_MAP},
    {TH_CLASS_STAR_FREE, BOTH | ANY_MAP},
    {TH_CLASS_DA, BOTH | ANY_MAP},
    {TH_CLASS_PT, BOTH | ANY_MAP},
    {TH_CLASS_L, BOTH | ANY_MAP},
    {TH_CLASS_SIGMA2, JOIN | ANY_MAP},
    {TH_CLASS_PI2, JOIN | ANY_MAP},
    {TH_CLASS_COSP, JOIN | ANY_MAP},
    {TH_CLASS_LT, BOTH | MAP},
    {TH_CLASS_LTT, BOTH | MAP},
    {TH_CLASS_PLT, BOTH | MAP},
    {TH_CLASS_FO2, BOTH | MAP},
    {TH_CLASS_DEFINITE, BOTH | MAP},
    {TH_CLASS_GENERALIZED_DEFINITE, BOTH | MAP},
    {TH_CLASS_SIGMA1, JOIN | MAP},
    {TH_CLASS_PI1, JOIN | MAP},
    {TH_CLASS_SL, MEET},
    {TH_CLASS_SP, MEET},
    {TH_CLASS_GROUP, BOTH},
};

static void check_in(ThDfa *d, int class, const char *how)
{
    ThDfa *m = minimal(d);
    ThClassReport *r = report(m);
    if (r->verdict[class].is == TH_CLASS_NO)
        fail_msg("%s: %s leads out of it", th_class_kind(class)->name, how);
    th_class_report_free(r);
    th_dfa_free(m);
}

/* Each symbol is replaced by a word; the inverse image. */
static ThDfa *inverse_image(const ThDfa *d, ThRng *g, bool erasing)
{
    ThDfa *m = th_dfa_copy(d, NULL);
    for (int a = 0; a < d->n_symbols; a++) {
        int n = below(g, 3) + !erasing, word[4];
        for (int i = 0; i < n; i++)
            word[i] = below(g, d->n_symbols);
        for (int q = 0; q < d->n_states; q++)
            m->next[q * d->n_symbols + a] = th_dfa_walk(d, q, word, (size_t)n);
    }
    return m;
}

static void check_closed(const ThDfa *a, const ThDfa *b, ThRng *g, int class, int under)
{
    static const bool or [4] = {0, 1, 1, 1}, and[4] = {0, 0, 0, 1},
                         xor[4] = {
                             0, 1, 1, 0};
    if (under & (BOTH | JOIN))
        check_in(th_dfa_product(a, b, or, 0, NULL, NULL), class, "union");
    check_in(th_dfa_product(a, b, and, 0, NULL, NULL), class, "intersection");
    if (under & BOTH)
        check_in(th_dfa_product(a, b, xor, 0, NULL, NULL), class, "difference");
    if (under & (MAP | ANY_MAP))
        check_in(inverse_image(a, g, under & ANY_MAP), class, "an inverse image");
    ThDfa *quotient = th_dfa_copy(a, NULL);
    quotient->start = below(g, a->n_states);
    check_in(quotient, class, "a quotient");
}

static void test_closed(void **state)
{
    (void)state;
    enum { KEPT = 20 / LESS };
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        ThRng g = th_rng(9, "closed", i);
        ThDfa *kept = NULL;
        for (int n = 0; n < KEPT;) {
            ThDfa *d = random_minimal(&g, 2);
            ThClassReport *r = report(d);
            bool in = r->verdict[closed[i].class].is == TH_CLASS_YES && d->n_states > 1;
            th_class_report_free(r);
            if (in && kept)
                check_closed(d, kept, &g, closed[i].class, closed[i].under);
            n += in;
            if (in) {
                th_dfa_free(kept);
                kept = d;
            } else {
                th_dfa_free(d);
            }
        }
        th_dfa_free(kept);
    }
}

/* ---- large machines ---- */

static void test_large(void **state)
{
    (void)state;
    ThDfa *d = of_expression("dyck(1,198)");
    ThClassReport *r = th_class_report(d, letters, 1000, NULL, NULL);
    assert_int_equal(r->monoid, 0);
    assert_int_equal(r->verdict[TH_CLASS_CRASP].is, TH_CLASS_YES);
    assert_int_equal(r->verdict[TH_CLASS_STAR_FREE].is, TH_CLASS_YES);
    assert_string_equal(r->verdict[TH_CLASS_STAR_FREE].witness, "as it is in C-RASP");
    assert_int_equal(r->verdict[TH_CLASS_LT].is, TH_CLASS_UNKNOWN);
    assert_int_equal(r->verdict[TH_CLASS_PT].is, TH_CLASS_NO);
    th_class_report_free(r);
    th_dfa_free(d);
    d = of_expression("regex \"(abab)*\"");
    r = th_class_report(d, letters, 3, NULL, NULL);
    assert_int_equal(r->verdict[TH_CLASS_STAR_FREE].is, TH_CLASS_UNKNOWN);
    th_class_report_free(r);
    th_dfa_free(d);
    d = of_expression("parity");
    r = th_class_report(d, letters, 1, NULL, NULL);
    assert_int_equal(r->period, 2);
    assert_int_equal(r->verdict[TH_CLASS_STAR_FREE].is, TH_CLASS_NO);
    assert_string_equal(r->verdict[TH_CLASS_STAR_FREE].witness, "b goes round 2 states");
    th_class_report_free(r);
    th_dfa_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),  cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_strictly),   cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_counted),    cmocka_unit_test(test_equations),
        cmocka_unit_test(test_inclusions), cmocka_unit_test(test_closed),
        cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
