/* Proofs about models without positions: what is bounded over boxes of counts is what runs do, the
 * machine that a model is up to a length is proved and any other refuted, and what no shares can
 * decide is not proved. */
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
#include "proof/check/shares.h"

enum { SYMBOLS = 3, LONGEST = 60, TWO = 2 };

static const struct {
    const char *kind, *settings;
    bool exact; /* counts and the last symbol are all that there is */
} given[] = {
    {"transformer", "dim=12 heads=3 layers=2 position=none", true},
    {"transformer", "dim=8 heads=2 layers=1 position=none causal=yes", true},
    {"transformer", "dim=8 heads=2 layers=3 position=none causal=yes", false},
    {"gpt", "dim=8 heads=2 layers=1 position=none head_bias=yes", true},
    {"gpt", "dim=12 heads=3 layers=2 position=none block=neox activation=relu scale=yes", false},
    {"gpt", "dim=8 heads=2 layers=2 position=none norm=after final_norm=no causal=no", true},
};
enum { GIVEN = sizeof given / sizeof *given };

/* Gains and offsets near to what they begin with, so that numbers are of a usual size. */
static ThModel *model_of(int i, int symbols)
{
    ThModel *m = bound_to(given[i].kind, given[i].settings, TH_TARGET_FINAL, symbols, false);
    for (int k = 0; k < m->params.n; k++) {
        const ThParam *p = &m->params.item[k];
        for (int j = 0; j < p->rows * p->cols; j++)
            m->params.value[p->offset + (size_t)j] =
                m->params.value[p->offset + (size_t)j] / 2 + (strstr(p->name, "gain") != NULL);
    }
    return m;
}

/* to <- the logits behind a word. */
static void run(const ThModel *m, ThTapePrecision kind, int *word, int n, double *to)
{
    ThError err = {0};
    ThTape *t = th_model_tape(m, kind, 1, &err);
    assert_non_null(t);
    ThBatch b = {.B = 1, .T = n, .token = word};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, t, &b, &(ThModelForward){.share = true});
    assert_true(th_tape_ok(t, &err));
    th_tape_read(t, z, to);
    th_tape_free(t);
}

/* ---- boxes ------------------------------------------------------------------------------------
 */

typedef struct {
    double low[SYMBOLS], high[SYMBOLS];
} Box;

static void look_at(const ThModel *m, const Box *b, bool in_float, double *at, double *off)
{
    ThError err = {0};
    const double *const share[] = {b->low, b->high};
    assert_true(th_proof_counts_logits(m, share, LONGEST, in_float, at, off, &err));
}

/* Runs lie where is said that those of their counts do; where these are all that there is, to ten
 * places; and so do those of all counts in a box. */
static void test_runs(void **state)
{
    (void)state;
    enum { TRIES = 30, ALL = SYMBOLS * SYMBOLS };
    double at[ALL], off[ALL], wide[ALL], wide_off[ALL], of_float[ALL], in_float[ALL];
    double seen[SYMBOLS];
    for (int i = 0; i < GIVEN; i++) {
        ThModel *m = model_of(i, SYMBOLS);
        ThRng r = th_rng((uint64_t)i, "counts", 0);
        assert_true(th_proof_counts_fit(m));
        for (int n = 0; n < TRIES; n++) {
            int word[LONGEST], length = 1 + (int)th_rng_below(&r, LONGEST);
            Box here = {.low = {0}}, around;
            for (int j = 0; j < length; j++) {
                word[j] = (int)th_rng_below(&r, 1 + (uint64_t)n % SYMBOLS);
                here.low[word[j]]++;
            }
            for (int a = 0; a < SYMBOLS; a++) {
                here.high[a] = here.low[a];
                around.low[a] = here.low[a] / length * (n % 2 ? 0.98 : 0.5);
                around.high[a] = here.low[a] / length + (n % 2 ? 0.01 : 0.3);
            }
            look_at(m, &here, false, at, off);
            look_at(m, &here, true, of_float, in_float);
            look_at(m, &around, false, wide, wide_off);
            int last = word[length - 1] * SYMBOLS;
            run(m, TH_TAPE_DOUBLE, word, length, seen);
            for (int c = 0; c < SYMBOLS; c++) {
                assert_true(fabs(seen[c] - at[last + c]) <= off[last + c]);
                assert_true(!given[i].exact || off[last + c] < 1e-6);
                assert_true(fabs(seen[c] - wide[last + c]) <= wide_off[last + c]);
            }
            run(m, TH_TAPE_FLOAT, word, length, seen);
            for (int c = 0; c < SYMBOLS; c++)
                assert_true(fabs(seen[c] - of_float[last + c]) <= in_float[last + c]);
        }
        th_model_free(m);
    }
}

/* Corners of a box are mixtures that heads can make: what is said of the box has them all, closely
 * where it is narrow. */
static void test_boxes(void **state)
{
    (void)state;
    enum { TRIES = 60, ALL = SYMBOLS * SYMBOLS };
    double at[ALL], off[ALL], wide[ALL], wide_off[ALL];
    ThModel *m = model_of(1, SYMBOLS);
    ThRng r = th_rng(1, "boxes", 0);
    for (int n = 0; n < TRIES; n++) {
        Box box, point;
        double by = pow(10, -1 - n % 6), far = 0, said = 0;
        for (int a = 0; a < SYMBOLS; a++) {
            box.low[a] = th_rng_uniform(&r) + 0.2;
            box.high[a] = box.low[a] * (1 + by);
        }
        look_at(m, &box, false, wide, wide_off);
        for (int corner = 0; corner < 1 << SYMBOLS; corner++) {
            for (int a = 0; a < SYMBOLS; a++)
                point.low[a] = point.high[a] = corner >> a & 1 ? box.low[a] : box.high[a];
            look_at(m, &point, false, at, off);
            for (int i = 0; i < ALL; i++) {
                assert_true(fabs(at[i] - wide[i]) <= wide_off[i] + off[i]);
                far = fmax(far, fabs(at[i] - wide[i]));
                said = fmax(said, wide_off[i]);
            }
        }
        assert_true(n % 6 < 2 || said < 1500 * far);
    }
    th_model_free(m);
}

/* What a run rounds grows with the positions that it sums over. */
static void test_rounding(void **state)
{
    (void)state;
    ThError err = {0};
    double at[TWO * TWO], few[TWO * TWO], many[TWO * TWO];
    ThModel *m = model_of(1, TWO);
    const double *const share[] = {(double[]){0.25, 0.75}, (double[]){0.25, 0.75}};
    assert_true(th_proof_counts_logits(m, share, 1 << 10, true, at, few, &err));
    assert_true(th_proof_counts_logits(m, share, 1 << 16, true, at, many, &err));
    for (int i = 0; i < TWO * TWO; i++)
        assert_true(many[i] > 16 * few[i]);
    th_model_free(m);
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* States of two counts and the last symbol, of words of up to LONGEST_WORD symbols, and two beyond
 * these, by the last symbol. */
enum { LONGEST_WORD = 14, SIDE = LONGEST_WORD + 2, BEYOND = SIDE * SIDE * TWO };

/* Returns new: the machine whose classes are a model's answers, in double precision, to words of up
 * to LONGEST_WORD symbols; *domain <- accepts these.  *least <- the least lead. */
static ThDfa *machine_of(const ThModel *m, ThDfa **domain, double *least)
{
    ThError err = {0};
    ThDfa *d = th_dfa_new(BEYOND + TWO, TWO, TWO, &err), *e = *domain = th_dfa_copy(d, &err);
    *least = HUGE_VAL;
    for (int q = 0; q < BEYOND + TWO; q++) {
        int a = q / TWO / SIDE, b = q / TWO % SIDE, last = q % TWO, word[2 * SIDE];
        for (int next = 0; next < TWO; next++) {
            int to = ((a + (next == 0)) * SIDE + b + (next == 1)) * TWO + next;
            d->next[q * TWO + next] = a + b >= LONGEST_WORD || q >= BEYOND ? BEYOND + next : to;
        }
        d->label[q] = q >= BEYOND ? q - BEYOND : 0;
        e->label[q] = q < BEYOND && a + b > 0;
        if (q >= BEYOND || a + b > LONGEST_WORD || (last ? b : a) == 0)
            continue;
        for (int i = 0; i < a + b; i++)
            word[i] = last ? i >= a : i < b;
        double z[TWO];
        run(m, TH_TAPE_DOUBLE, word, a + b, z);
        d->label[q] = z[1] > z[0];
        *least = fmin(*least, fabs(z[1] - z[0]));
    }
    memcpy(e->next, d->next, sizeof *d->next * (BEYOND + TWO) * TWO);
    return d;
}

static ThProofWindows *look(const ThModel *m, const ThDfa *d, const ThDfa *domain, double slack)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, d, domain, slack, NULL};
    ThProofClaim *claim = th_proof_claim_new(m, &asked, NULL, &err);
    assert_non_null(claim);
    ThProofWindows *w = th_proof_counts(m, claim, slack, NULL, &err);
    assert_non_null(w);
    th_proof_claim_free(claim);
    return w;
}

/* Moves a logit so that with b last that of 1 leads by `lead` where the shares are equal. */
static void favour(const ThModel *m, double lead)
{
    double z[TWO];
    run(m, TH_TAPE_DOUBLE, (int[]){0, 1}, 2, z);
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    bias[1] += (float)(lead - (z[1] - z[0]));
}

/* The machine that a model is up to a length is proved; with any answer changed it is refuted, by a
 * word of that state, or by one as short; and not where the domain leaves that out. */
static void test_wrong(void **state)
{
    (void)state;
    ThError err = {0};
    for (int i = 0; i < 2; i++) {
        ThModel *m = model_of(i == 0 ? 5 : 3, TWO);
        ThDfa *domain;
        double least;
        if (i == 1)
            favour(m, 0.01);
        ThDfa *d = machine_of(m, &domain, &least);
        ThProofWindows *w = look(m, d, domain, 0);
        assert_true(w->holds && !w->endless && !w->word && least > 1e-5);
        assert_int_equal(w->reach, LONGEST_WORD);
        th_proof_windows_free(w);
        for (int q = 0, n = 0; q < BEYOND; q++) {
            int a = q / TWO / SIDE, b = q / TWO % SIDE;
            if (a + b > LONGEST_WORD || a + b == 0 || (q % TWO ? b : a) == 0 || n++ % 5 != 0)
                continue;
            d->label[q] = !d->label[q];
            w = look(m, d, domain, 0);
            assert_true(!w->holds && !w->in_float && w->wrong);
            assert_int_equal(w->length, a + b);
            assert_int_equal(th_dfa_walk(d, d->start, w->word, (size_t)w->length), q);
            assert_true(w->answer == !d->label[q] && w->right == d->label[q]);
            th_proof_windows_free(w);
            ThDfa *less = th_dfa_copy(domain, &err);
            less->label[q] = 0;
            w = look(m, d, less, 0);
            assert_true(w->holds);
            th_proof_windows_free(w);
            th_dfa_free(less);
            d->label[q] = !d->label[q];
        }
        th_dfa_free(domain);
        th_dfa_free(d);
        th_model_free(m);
    }
}

/* Returns new: accepts what ends in b; and, with `once`, what has a b anywhere. */
static ThDfa *ends_in_b(bool once)
{
    ThDfa *d = th_dfa_new(2, TWO, TWO, NULL);
    for (int i = 0; i < 2 * TWO; i++)
        d->next[i] = i % TWO || (once && i / TWO);
    d->label[1] = 1;
    return d;
}

/* Returns new: accepts what begins with a, or ends in b. */
static ThDfa *begins_or_ends(void)
{
    static const int next[] = {1, 2, 1, 1, 3, 2, 3, 2};
    ThDfa *d = th_dfa_new(4, TWO, TWO, NULL);
    memcpy(d->next, next, sizeof next);
    d->label[1] = d->label[2] = 1;
    return d;
}

/* Is a wrong answer sure behind a symbol where all others are the other one? */
static bool wrong_at_end(const ThModel *m, int symbol)
{
    ThError err = {0};
    double at[TWO * TWO], off[TWO * TWO];
    const double *const share[] = {(double[]){symbol, !symbol}, (double[]){symbol, !symbol}};
    assert_true(th_proof_counts_logits(m, share, TWO, false, at, off, &err));
    const double *z = at + symbol * TWO;
    return z[!symbol] - z[symbol] > off[symbol * TWO] + off[symbol * TWO + 1];
}

/* The more a head looks, the more do other symbols count: as soon as an answer is wrong where they
 * are nearly all, be it on one side alone, nothing is proved. */
static void check_looking(ThModel *m, const ThDfa *last, int *sides)
{
    bool end = false;
    for (int n = 0; n < 60 && !end; n++) {
        bool wrong[] = {wrong_at_end(m, 0), wrong_at_end(m, 1)};
        end = wrong[0] || wrong[1];
        if (end && wrong[0] != wrong[1])
            sides[wrong[1]]++;
        ThProofWindows *w = look(m, last, NULL, 0);
        assert_false(end && w->holds);
        th_proof_windows_free(w);
        for (int i = 0; i < m->params.n; i++) {
            const ThParam *p = &m->params.item[i];
            for (int k = 0; strstr(p->name, "attention.output") && k < p->rows * p->cols; k++)
                m->params.value[p->offset + (size_t)k] *= 1.3F;
        }
    }
    assert_true(end);
}

/* What the model says is of the last symbol, but for this share of what layers add. */
static void read_last(ThModel *m, float share)
{
    float *embedding = th_params_at(&m->params, th_params_find(&m->params, "embedding"));
    float *head = th_params_at(&m->params, th_params_find(&m->params, "head"));
    int d = (int)th_option_int(&m->options, "dim");
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        bool quiet = strstr(p->name, "attention.output") || strstr(p->name, "down");
        for (int k = 0; quiet && k < p->rows * p->cols; k++)
            m->params.value[p->offset + (size_t)k] *= share;
    }
    for (int i = 0; i < d; i++) {
        embedding[i] = i % 2 ? 1 : -1;
        embedding[d + i] = -embedding[i];
        head[i * TWO] = embedding[i] / (float)d;
        head[i * TWO + 1] = -head[i * TWO];
    }
}

/* A model whose heads see nothing: its answer is that of the last symbol, which is proved of real
 * numbers at every length; with a head that looks it is, as long as that changes little; and what
 * has a b anywhere is not, nor is it with a slack as large as the lead. */
static void test_endless(void **state)
{
    (void)state;
    int sides[2] = {0};
    for (int kind = 3; kind < 6; kind++) {
        ThModel *m = model_of(kind, TWO);
        ThDfa *last = ends_in_b(false), *anywhere = ends_in_b(true), *both = begins_or_ends();
        read_last(m, 0.02F);
        ThProofWindows *w = look(m, last, NULL, 0);
        assert_true(w->holds && w->endless && !w->in_float && w->certain >= 1024);
        th_proof_windows_free(w);
        w = look(m, last, NULL, 3);
        assert_true(!w->holds && !w->wrong && w->why[0]);
        th_proof_windows_free(w);
        w = look(m, anywhere, NULL, 0);
        assert_true(!w->holds && w->wrong && w->length == 2);
        th_proof_windows_free(w);
        w = look(m, both, NULL, 0);
        assert_true(!w->holds && w->wrong && w->length == 1 && w->right == 1);
        th_proof_windows_free(w);
        if (kind != 4)
            check_looking(m, last, sides);
        th_dfa_free(both);
        th_dfa_free(last);
        th_dfa_free(anywhere);
        th_model_free(m);
    }
    assert_true(sides[0] > 0 && sides[1] > 0);
}

/* A model whose answer is that of the last symbol, but behind a alone by no more than `lead`. */
static void nearly(ThModel *m, double lead)
{
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    read_last(m, 0);
    double z[TWO];
    bias[0] = bias[1] = 0;
    run(m, TH_TAPE_DOUBLE, (int[]){0}, 1, z);
    bias[1] = (float)(z[0] - z[1]);
    bias[0] = (float)(lead + ((double)bias[1] - (z[0] - z[1])));
}

/* Of strings that are looked at one by one, too, is it said up to which length runs are sure. */
static void test_one_by_one(void **state)
{
    (void)state;
    static const int next[] = {1, 2, 3, 2, 3, 2, 3, 2};
    ThDfa *last = ends_in_b(false), *domain = th_dfa_new(4, TWO, TWO, NULL);
    memcpy(domain->next, next, sizeof next);
    domain->label[1] = domain->label[2] = 1; /* a, and what ends in b */
    for (int near = 0; near < 2; near++) {
        ThModel *m = model_of(3, TWO);
        nearly(m, near ? 1e-7 : 1e-2);
        ThProofWindows *w = look(m, last, domain, 0);
        assert_true(w->holds && w->endless && !w->word);
        assert_true(near ? w->certain == 0 : w->certain >= 16);
        th_proof_windows_free(w);
        th_model_free(m);
    }
    th_dfa_free(last);
    th_dfa_free(domain);
}

/* What is not told by shares alone is refused. */
static void test_fit(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
        ThTarget target;
    } other[] = {
        {"transformer", "dim=8 heads=2 layers=1 position=alibi causal=yes", TH_TARGET_FINAL},
        {"transformer", "dim=8 heads=2 layers=1 position=none", TH_TARGET_EVERY},
        {"gpt", "dim=8 heads=2 layers=1 position=rope", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=none activation=gelu_tanh", TH_TARGET_FINAL},
        {"gpt", "dim=8 heads=2 layers=1 position=hard_alibi window_heads=2", TH_TARGET_FINAL},
        {"universal", "dim=8 heads=2 position=none", TH_TARGET_FINAL},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        ThModel *m = bound_to(other[i].kind, other[i].settings, other[i].target, TWO, false);
        assert_false(th_proof_counts_fit(m));
        th_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),     cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_endless),  cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
