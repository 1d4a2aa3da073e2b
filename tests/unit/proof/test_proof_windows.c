/* Proofs about decoders that see windows: what is bounded is what runs do, strings count as their
 * ends do, and a lead that is just too small is none.  And about those that see whole strings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bound.h"
#include "models/model.h"
#include "proof/check/certificate.h"
#include "proof/check/check.h"
#include "proof/check/windows.h"

enum { SYMBOLS = 3, LONGEST = 40 };

static const struct {
    const char *kind, *settings;
    int reach;
} given[] = {
    {"transformer", "dim=12 heads=3 layers=2 causal=yes position=hard_alibi window_heads=3", 5},
    {"transformer", "dim=8 heads=2 layers=3 causal=yes position=hard_alibi window_heads=2", 4},
    {"gpt", "dim=12 heads=3 layers=2 position=hard_alibi window_heads=3 head_bias=yes", 5},
    {"gpt",
     "dim=8 heads=2 layers=2 position=hard_alibi window_heads=2 block=neox activation=relu "
     "scale=yes",
     3},
    {"gpt",
     "dim=8 heads=2 layers=2 position=hard_alibi window_heads=2 norm=after final_norm=no "
     "head_bias=yes window_layers=2",
     3},
};
enum { GIVEN = sizeof given / sizeof *given };

/* Models whose answers depend on whole strings. */
static const struct {
    const char *kind, *settings;
} whole[] = {
    {"transformer", "dim=12 heads=3 layers=2"},
    {"transformer", "dim=12 heads=3 layers=2 position=xl causal=yes"},
    {"transformer", "dim=12 heads=3 layers=1 position=sinusoidal"},
    {"transformer", "dim=8 heads=2 layers=2 position=learned longest=12 causal=yes"},
    {"transformer", "dim=12 heads=3 layers=1 position=alibi"},
    {"gpt", "dim=12 heads=3 layers=2 position=alibi head_bias=yes"},
    {"gpt", "dim=12 heads=3 layers=2 head_bias=yes"},
    {"gpt", "dim=8 heads=2 layers=1 position=rope causal=no block=neox activation=relu scale=yes"},
    {"gpt",
     "dim=12 heads=3 layers=2 position=hard_alibi window_heads=2 window_layers=1 head_bias=yes"},
    {"gpt", "dim=8 heads=2 layers=1 position=hard_alibi norm=after final_norm=no head_bias=yes"},
};
enum { WHOLE = sizeof whole / sizeof *whole, UP_TO = 4 };

/* Gains and offsets near to what they begin with, so that numbers are of a usual size. */
static ThModel *near_to_begin(const char *kind, const char *settings, ThTarget target)
{
    ThModel *m = bound_to(kind, settings, target, SYMBOLS, false);
    for (int k = 0; k < m->params.n; k++) {
        const ThParam *p = &m->params.item[k];
        for (int j = 0; strstr(p->name, "gain") && j < p->rows * p->cols; j++)
            m->params.value[p->offset + (size_t)j] += 1;
    }
    return m;
}

static ThModel *model_of(int i, ThTarget target)
{
    return near_to_begin(given[i].kind, given[i].settings, target);
}

/* to <- the logits behind word number `row` of some strings of one length, read together. */
static void run(const ThModel *m, ThTapePrecision kind, int *words, int strings, int n, int row,
                double *to)
{
    ThError err = {0};
    ThTape *t = th_model_tape(m, kind, 1, &err);
    assert_non_null(t);
    ThBatch b = {.B = strings, .T = n, .token = words};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, t, &b, &(ThModelForward){.share = true});
    assert_true(th_tape_ok(t, &err));
    int rows = th_tape_rows(t, z), c = m->signature.n_classes;
    double *all = malloc((size_t)rows * (size_t)c * sizeof *all);
    th_tape_read(t, z, all);
    memcpy(to, all + (ptrdiff_t)((row + 1) * (rows / strings) - 1) * c, (size_t)c * sizeof *to);
    free(all);
    th_tape_free(t);
}

static void draw(ThRng *r, int *word, int n)
{
    for (int i = 0; i < n; i++)
        word[i] = (int)th_rng_below(r, SYMBOLS);
}

/* What runs answer behind long strings, in batches, in either arithmetic, is what is said of their
 * ends; and in double precision to ten places. */
static void check_runs(int i, ThTarget target)
{
    enum { TRIES = 40, STRINGS = 3 };
    ThError err = {0};
    ThModel *m = model_of(i, target);
    ThRng r = th_rng((uint64_t)i, "windows", 0);
    int word[STRINGS * LONGEST], reach = given[i].reach, beyond = 0;
    double at[SYMBOLS], off[SYMBOLS], wide[SYMBOLS], seen[SYMBOLS], shorter[SYMBOLS];
    assert_true(th_proof_windows_fit(m));
    for (int n = 0; n < TRIES; n++) {
        int length = 1 + (int)th_rng_below(&r, LONGEST), row = n % STRINGS;
        int from = length > reach ? length - reach : 0;
        draw(&r, word, STRINGS * length);
        const int *end = word + row * length + from;
        assert_true(th_proof_windows_logits(m, end, length - from, false, at, off, &err));
        run(m, TH_TAPE_DOUBLE, word, STRINGS, length, row, seen);
        for (int c = 0; c < SYMBOLS; c++)
            assert_true(fabs(seen[c] - at[c]) <= off[c] && fabs(seen[c] - at[c]) < 1e-9);
        assert_true(th_proof_windows_logits(m, end, length - from, true, at, wide, &err));
        run(m, TH_TAPE_FLOAT, word, STRINGS, length, row, seen);
        for (int c = 0; c < SYMBOLS; c++)
            assert_true(fabs(seen[c] - at[c]) <= wide[c] && off[c] < wide[c]);
        if (from == 0)
            continue;
        assert_true(th_proof_windows_logits(m, end + 1, reach - 1, false, shorter, off, &err));
        beyond += fabs(shorter[0] - at[0]) > 1e-6;
    }
    assert_true(beyond > 5); /* a symbol less is not enough */
    th_model_free(m);
}

static void test_runs(void **state)
{
    (void)state;
    for (int i = 0; i < GIVEN; i++) {
        check_runs(i, TH_TARGET_FINAL);
        check_runs(i, TH_TARGET_EVERY);
    }
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* Returns new: the machine whose states are the ends of strings of at most `reach` symbols, each
 * with the class that the model answers; *lead <- the least lead, and *least its string's number.
 */
static ThDfa *machine_of(const ThModel *m, int reach, double *lead, int *least)
{
    ThError err = {0};
    int n = 0, first[LONGEST] = {0}, many = 1;
    for (int length = 0; length <= reach; length++, many *= SYMBOLS) {
        first[length] = n;
        n += many;
    }
    ThDfa *d = th_dfa_new(n, SYMBOLS, SYMBOLS, &err);
    *lead = HUGE_VAL;
    for (int length = 0, all = 1; length <= reach; length++, all *= SYMBOLS)
        for (int k = 0; k < all; k++) {
            int q = first[length] + k, word[LONGEST];
            for (int i = length - 1, left = k; i >= 0; i--, left /= SYMBOLS)
                word[i] = left % SYMBOLS;
            for (int a = 0; a < SYMBOLS; a++)
                d->next[q * SYMBOLS + a] = length < reach
                                               ? first[length + 1] + k * SYMBOLS + a
                                               : first[reach] + k % (all / SYMBOLS) * SYMBOLS + a;
            if (length == 0)
                continue;
            double logit[SYMBOLS], next = -HUGE_VAL;
            run(m, TH_TAPE_DOUBLE, word, 1, length, 0, logit);
            int best = logit[1] > logit[0] ? 1 : 0;
            best = logit[2] > logit[best] ? 2 : best;
            for (int c = 0; c < SYMBOLS; c++)
                next = c == best ? next : fmax(next, logit[c]);
            d->label[q] = best;
            if (logit[best] - next < *lead) {
                *lead = logit[best] - next;
                *least = q;
            }
        }
    return d;
}

static ThProofWindows *look(const ThModel *m, const ThDfa *d, const ThDfa *domain, double slack)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, d, domain, slack, NULL};
    ThProofClaim *claim = th_proof_claim_new(m, &asked, NULL, &err);
    assert_non_null(claim);
    ThProofWindows *w = th_proof_windows(m, claim, slack, NULL, &err);
    assert_non_null(w);
    th_proof_claim_free(claim);
    return w;
}

static bool holds(const ThModel *m, const ThDfa *d)
{
    ThProofWindows *w = look(m, d, NULL, 0);
    bool found = w->holds;
    th_proof_windows_free(w);
    return found;
}

/* Moves the read-out's logit of a class by so much. */
static void favour(const ThModel *m, int class, double by)
{
    int i = th_params_find(&m->params, "head_bias");
    th_params_at(&m->params, i)[class] += (float)by;
}

/* The machine that a model is, is proved; with the least lead all but taken away it still is, and
 * with a little more than that it is not. */
static void test_leads(void **state)
{
    (void)state;
    double lead;
    for (int i = 0; i < GIVEN; i++) {
        if (i == 3)
            continue; /* it has no bias to move */
        int least = 0;
        ThModel *m = model_of(i, i % 2 ? TH_TARGET_FINAL : TH_TARGET_EVERY);
        ThDfa *d = machine_of(m, given[i].reach, &lead, &least);
        ThProofWindows *w = look(m, d, NULL, 0);
        assert_true(w->holds && !w->word && !w->wrong);
        assert_int_equal(w->reach, given[i].reach);
        assert_true(w->lead <= lead + 1e-9 && w->lead > 0.97 * lead);
        th_proof_windows_free(w);
        favour(m, d->label[least], -0.98 * lead);
        assert_true(holds(m, d));
        favour(m, d->label[least], -0.12 * lead);
        assert_false(holds(m, d));
        th_dfa_free(d);
        th_model_free(m);
    }
}

/* One answer changed, behind a string of each length in turn: that it is wrong is found, on a
 * shortest string; and not where the domain leaves it out. */
static void test_wrong(void **state)
{
    (void)state;
    double lead;
    int least = 0;
    ThError err = {0};
    ThModel *m = model_of(1, TH_TARGET_FINAL);
    ThDfa *d = machine_of(m, given[1].reach, &lead, &least);
    for (int q = 1, length = 1, end = 4; q < d->n_states; q = q < 40 ? q + 1 : q + 7) {
        while (q >= end) {
            int many = 1;
            for (int i = 0; i < length + 1; i++)
                many *= SYMBOLS;
            end += many;
            length++;
        }
        int was = d->label[q];
        d->label[q] = (was + 1) % SYMBOLS;
        ThProofWindows *w = look(m, d, NULL, 0);
        assert_true(!w->holds && !w->in_float && w->wrong);
        assert_int_equal(w->length, length);
        assert_int_equal(th_dfa_walk(d, d->start, w->word, (size_t)w->length), q);
        assert_true(w->answer == was && w->right == d->label[q]);
        th_proof_windows_free(w);
        ThDfa *domain = th_dfa_copy(d, &err);
        for (int p = 0; p < d->n_states; p++)
            domain->label[p] = p != q;
        domain->n_classes = 2;
        w = look(m, d, domain, 0);
        assert_true(w->holds);
        th_proof_windows_free(w);
        th_dfa_free(domain);
        d->label[q] = was;
    }
    th_dfa_free(d);
    th_model_free(m);
}

/* A machine that remembers more than the model reads is refuted by a string that is longer. */
static void test_beyond(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = model_of(3, TH_TARGET_FINAL);
    ThDfa *first = th_dfa_new(4, SYMBOLS, SYMBOLS, &err);
    for (int i = 0; i < 4 * SYMBOLS; i++)
        first->next[i] = i < SYMBOLS ? 1 + i % SYMBOLS : i / SYMBOLS;
    for (int q = 1; q < 4; q++)
        first->label[q] = q - 1;
    ThProofWindows *w = look(m, first, NULL, 0);
    assert_true(w->wrong && !w->holds);
    th_proof_windows_free(w);
    th_dfa_free(first);
    th_model_free(m);
}

/* Returns new: a machine that answers as d does, but that behind strings of more than `reach`
 * symbols it has states of its own, of which the last has another class. */
static ThDfa *later_wrong(const ThDfa *d, int reach)
{
    ThError err = {0};
    int n = d->n_states, last = 1;
    for (int i = 0; i < reach; i++)
        last *= SYMBOLS;
    ThDfa *to = th_dfa_new(n + last, SYMBOLS, SYMBOLS, &err);
    for (int q = 0; q < n + last; q++) {
        int from = q < n ? q : q - last;
        to->label[q] = d->label[from];
        for (int a = 0; a < SYMBOLS; a++) {
            int next = d->next[from * SYMBOLS + a];
            to->next[q * SYMBOLS + a] = from >= n - last ? next + last : next;
        }
    }
    to->label[n + last - 1] = (to->label[n + last - 1] + 1) % SYMBOLS;
    return to;
}

/* That answers must not depend on what came before the window is looked at. */
static void test_before(void **state)
{
    (void)state;
    double lead;
    int least = 0;
    ThModel *m = model_of(3, TH_TARGET_FINAL);
    ThDfa *d = machine_of(m, given[3].reach, &lead, &least), *to = later_wrong(d, given[3].reach);
    ThProofWindows *w = look(m, to, NULL, 0);
    assert_true(!w->holds && w->wrong);
    assert_true(w->length > given[3].reach);
    th_proof_windows_free(w);
    th_dfa_free(to);
    th_dfa_free(d);
    th_model_free(m);
}

/* Two classes with one logit: whichever a run says, neither is proved. */
static void test_tie(void **state)
{
    (void)state;
    double lead;
    int least = 0;
    ThModel *m = model_of(1, TH_TARGET_FINAL);
    float *head = th_params_at(&m->params, th_params_find(&m->params, "head"));
    for (int i = 0; i < 8; i++)
        head[i * SYMBOLS + 1] = head[i * SYMBOLS];
    head = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    head[1] = head[0] = 50;
    ThDfa *d = machine_of(m, given[1].reach, &lead, &least);
    ThProofWindows *w = look(m, d, NULL, 0);
    assert_true(!w->holds && !w->in_float && !w->wrong && w->word);
    th_proof_windows_free(w);
    th_dfa_free(d);
    th_model_free(m);
}

/* What is not read through windows alone is refused. */
static void test_fit(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
    } other[] = {
        {"transformer", "dim=8 heads=2 layers=1 position=hard_alibi window_heads=1 causal=yes"},
        {"transformer", "dim=8 heads=2 layers=2 position=hard_alibi window_heads=2 window_layers=1 "
                        "causal=yes"},
        {"gpt", "dim=8 heads=2 layers=1 position=alibi"},
        {"gpt", "dim=8 heads=2 layers=1 position=none"},
        {"gpt", "dim=8 heads=2 layers=1 position=hard_alibi window_heads=2 activation=gelu_tanh"},
        {"rnn", "dim=8"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        ThModel *m = bound_to(other[i].kind, other[i].settings, TH_TARGET_FINAL, SYMBOLS, false);
        assert_false(th_proof_windows_fit(m));
        th_model_free(m);
    }
}

/* ---- whole strings --------------------------------------------------------------------------- */

static ThTarget target_of(int i)
{
    return strstr(whole[i].settings, "causal=yes") ? TH_TARGET_EVERY : TH_TARGET_FINAL;
}

static ThModel *whole_model(int i)
{
    return near_to_begin(whole[i].kind, whole[i].settings, target_of(i));
}

/* What runs answer, in batches and in either arithmetic; and in double precision to ten places. */
static void test_whole_runs(void **state)
{
    (void)state;
    enum { TRIES = 24, STRINGS = 3, MOST = 12 };
    ThError err = {0};
    int word[STRINGS * MOST];
    double at[SYMBOLS], off[SYMBOLS], wide[SYMBOLS], seen[SYMBOLS];
    for (int i = 0; i < WHOLE; i++) {
        ThModel *m = whole_model(i);
        ThRng r = th_rng((uint64_t)i, "whole", 0);
        assert_true(th_proof_strings_fit(m));
        for (int n = 0; n < TRIES; n++) {
            int length = 1 + n % MOST, row = n % STRINGS;
            draw(&r, word, STRINGS * length);
            const int *own = word + row * length;
            assert_true(th_proof_windows_logits(m, own, length, false, at, off, &err));
            run(m, TH_TAPE_DOUBLE, word, STRINGS, length, row, seen);
            for (int c = 0; c < SYMBOLS; c++)
                assert_true(fabs(seen[c] - at[c]) <= off[c] && fabs(seen[c] - at[c]) < 1e-9);
            assert_true(th_proof_windows_logits(m, own, length, true, at, wide, &err));
            run(m, TH_TAPE_FLOAT, word, STRINGS, length, row, seen);
            for (int c = 0; c < SYMBOLS; c++)
                assert_true(fabs(seen[c] - at[c]) <= wide[c] && off[c] < wide[c]);
        }
        th_model_free(m);
    }
}

/* Returns new: the acceptor of strings of at least and at most so many symbols. */
static ThDfa *of_lengths(int least, int most)
{
    ThDfa *d = th_dfa_new(most + 2, SYMBOLS, 2, NULL);
    for (int q = 0; q < most + 2; q++) {
        d->label[q] = q >= least && q <= most;
        for (int a = 0; a < SYMBOLS; a++)
            d->next[q * SYMBOLS + a] = q <= most ? q + 1 : q;
    }
    return d;
}

/* NULL where it is an error. */
static ThProofWindows *look_whole(const ThModel *m, const ThDfa *d, const ThDfa *domain,
                                  ThError *err)
{
    const ThProofAsked asked = {&m->signature, d, domain, 0, NULL};
    ThProofClaim *claim = th_proof_claim_new(m, &asked, NULL, err);
    assert_non_null(claim);
    ThProofWindows *w = th_proof_strings(m, claim, 0, NULL, err);
    th_proof_claim_free(claim);
    return w;
}

/* As test_leads, to 2 per cent of what is said of the lead. */
static void test_whole_leads(void **state)
{
    (void)state;
    ThError err = {0};
    ThDfa *domain = of_lengths(1, UP_TO);
    for (int i = 0; i < WHOLE; i++) {
        double lead;
        int least = 0;
        ThModel *m = whole_model(i);
        ThDfa *d = machine_of(m, UP_TO, &lead, &least);
        ThProofWindows *w = look_whole(m, d, domain, &err);
        assert_true(w && w->holds && !w->word && !w->wrong);
        assert_true(w->reach == UP_TO && w->strings == 120 && w->answers == 120);
        assert_true(w->lead <= lead + 1e-9 && w->lead > (i == 8 ? 0.95 : 0.98) * lead);
        const double most = 0.98 * w->lead, more = 1.02 * lead - most;
        th_proof_windows_free(w);
        for (int k = 0; k < 2 && th_params_find(&m->params, "head_bias") >= 0; k++) {
            favour(m, d->label[least], k ? -more : -most);
            w = look_whole(m, d, domain, &err);
            assert_true(w && w->holds == !k);
            th_proof_windows_free(w);
        }
        th_dfa_free(d);
        th_model_free(m);
    }
    th_dfa_free(domain);
}

/* One answer changed: it is found, at this string, and not where the domain leaves its length out.
 */
static void test_whole_wrong(void **state)
{
    (void)state;
    double lead;
    int least = 0;
    ThError err = {0};
    ThModel *m = whole_model(8);
    ThDfa *d = machine_of(m, UP_TO, &lead, &least), *all = of_lengths(1, UP_TO),
          *last = of_lengths(UP_TO, UP_TO), *others = of_lengths(1, UP_TO - 1);
    for (int q = 1; q < d->n_states; q += q < 40 ? 3 : 11) {
        int was = d->label[q];
        d->label[q] = (was + 1) % SYMBOLS;
        ThProofWindows *w = look_whole(m, d, all, &err);
        assert_true(w && !w->holds && !w->in_float && w->wrong);
        assert_int_equal(th_dfa_walk(d, d->start, w->word, (size_t)w->length), q);
        assert_true(w->answer == was && w->right == d->label[q]);
        th_proof_windows_free(w);
        w = look_whole(m, d, q < 40 ? last : others, &err);
        assert_true(w && w->holds && w->strings == (q < 40 ? 81 : 39));
        th_proof_windows_free(w);
        d->label[q] = was;
    }
    th_dfa_free(all);
    th_dfa_free(last);
    th_dfa_free(others);
    th_dfa_free(d);
    th_model_free(m);
}

/* Strings without a greatest length, longer ones than are looked at, than the model has positions
 * for, or about none of which something is asked, are errors. */
static void test_whole_errors(void **state)
{
    (void)state;
    const struct {
        int model, least, most;
        int code;
    } given_errors[] = {{8, 70, 70, TH_EVALUE},
                        {8, 65, 65, TH_EVALUE},
                        {3, 1, 13, TH_EVALUE},
                        {8, 1, 0, TH_EVALUE}};
    for (size_t i = 0; i < sizeof given_errors / sizeof *given_errors; i++) {
        ThError err = {0};
        ThModel *m = whole_model(given_errors[i].model);
        ThDfa *d = th_dfa_new(1, SYMBOLS, SYMBOLS, NULL), *domain = NULL;
        for (int a = 0; a < SYMBOLS; a++)
            d->next[a] = 0;
        d->label[0] = given_errors[i].most ? 0 : SYMBOLS;
        d->n_classes = SYMBOLS + 1;
        domain = given_errors[i].most ? of_lengths(given_errors[i].least, given_errors[i].most)
                                      : of_lengths(1, 3);
        assert_null(look_whole(m, d, domain, &err));
        assert_int_equal(err.code, given_errors[i].code);
        d->label[0] = 0;
        err = (ThError){0};
        assert_null(look_whole(m, d, NULL, &err));
        assert_int_equal(err.code, TH_EVALUE);
        th_dfa_free(d);
        th_dfa_free(domain);
        th_model_free(m);
    }
}

/* What the others know, or nobody does, is refused. */
static void test_whole_fit(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
        ThTarget target;
    } other[] = {
        {"transformer", "dim=8 heads=2 layers=1", TH_TARGET_EVERY},
        {"transformer", "dim=8 heads=2 layers=1 position=none causal=yes", TH_TARGET_FINAL},
        {"transformer", "dim=8 heads=2 layers=1 position=t5", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=hard_alibi window_heads=2", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=hard_alibi log_length=8", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=rope rotary_fraction=0.5", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=rope base=100", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=alibi activation=gelu_tanh", TH_TARGET_FINAL},
        {"rnn", "dim=8", TH_TARGET_FINAL},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        ThModel *m = bound_to(other[i].kind, other[i].settings, other[i].target, SYMBOLS, false);
        assert_false(th_proof_strings_fit(m));
        th_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),         cmocka_unit_test(test_leads),
        cmocka_unit_test(test_wrong),        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_before),       cmocka_unit_test(test_tie),
        cmocka_unit_test(test_fit),          cmocka_unit_test(test_whole_runs),
        cmocka_unit_test(test_whole_leads),  cmocka_unit_test(test_whole_wrong),
        cmocka_unit_test(test_whole_errors), cmocka_unit_test(test_whole_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
