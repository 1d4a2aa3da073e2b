/* Certificates of compiled models: what they may say is what the task says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "compile/weights.h"
#include "given.h"
#include "proof/check/algebra.h"
#include "proof/check/check.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/map_impl.h"
#include "proof/check/quantize.h"

/* Three symbols that do not commute, three classes, and a start that is not the first state. */
static const char S3[] = "x a -> y ; y a -> z ; z a -> x\n"
                         "x b -> y ; y b -> x ; z b -> z\n"
                         "x c -> x ; y c -> z ; z c -> y\n"
                         "start y\noutput x X\noutput y Y\noutput z Z";

typedef struct {
    ThTask *task;
    ThModel *model;
    ThProofClaim *claim;
    ThProofCertificate *paper;
} Made;

static Made make_all(ThTask *t, bool by_elements)
{
    ThError err = {0};
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, &err);
    Made m = {.task = t};
    m.model = th_compile_regulargpt(t, monoid, &(ThCompileShape){.chunk = 2, .monoid = by_elements},
                                    NULL, &err);
    const ThProofAsked asked = {&t->signature, t->machine, NULL, 1e-5, t->bits};
    m.claim = th_proof_claim_new(m.model, &asked, NULL, &err);
    m.paper = th_proof_certificate_by(TH_PROOF_BY_ALGEBRA, m.model, m.claim, 3e-3, &err);
    assert_true(monoid && m.model && m.claim && m.paper);
    th_monoid_free(monoid);
    return m;
}

static void drop(Made *m)
{
    th_proof_certificate_free(m->paper);
    th_proof_claim_free(m->claim);
    th_model_free(m->model);
    th_task_free(m->task);
}

/* Signs what was edited anew, and checks it. */
static ThProofChecked look(Made *m)
{
    ThError err = {0};
    ThProofChecked k;
    m->paper->weights = th_proof_digest(&m->model->params);
    m->paper->digest = th_proof_certificate_digest(m->paper);
    if (!th_proof_check(m->paper, m->model, m->claim, NULL, &k, &err))
        fail_msg("%s", err.msg);
    return k;
}

static void refused(Made *m, const char *why)
{
    ThProofChecked k = look(m);
    assert_false(k.holds || k.in_float);
    if (!strstr(k.why, why))
        fail_msg("'%s' does not say '%s'", k.why, why);
}

static void swap(char **a, char **b)
{
    char *was = *a;
    *a = *b;
    *b = was;
}

/* Everything that a file says beside its radius is the task's. */
static void test_nothing_is_believed(void **state)
{
    (void)state;
    Made m = make_all(made_task("output", "labels=final", S3), false);
    ThProofCertificate *c = m.paper;
    assert_true(look(&m).holds);
    swap(&c->symbol[0], &c->symbol[2]);
    refused(&m, "symbols");
    swap(&c->symbol[0], &c->symbol[2]);
    swap(&c->class_name[0], &c->class_name[1]);
    refused(&m, "classes");
    swap(&c->class_name[0], &c->class_name[1]);
    for (int q = 0; q < c->n_states; q++) {
        int was = c->answer[q];
        c->answer[q] = -1;
        refused(&m, "they differ on");
        c->answer[q] = was;
    }
    int start = c->start;
    c->start = (start + 1) % c->n_states;
    refused(&m, "they differ on");
    c->start = start;
    char *name = c->symbol[1], escape[] = "\033[31mb";
    c->symbol[1] = escape;
    refused(&m, "symbols");
    c->symbol[1] = name;
    c->ball = (double)NAN;
    refused(&m, "radius");
    c->ball = 0.5;
    refused(&m, "");
    c->ball = 3e-3;
    assert_true(look(&m).holds);
    drop(&m);
}

/* A slack of next to nothing in the file leaves that of the claim; a greater one counts. */
static void test_slack_is_the_claims(void **state)
{
    (void)state;
    Made m = make_all(made_task("output", "labels=final", S3), false);
    m.paper->slack = 1e-300;
    assert_true(look(&m).tolerance == 1e-5);
    m.claim->slack = 4e-3;
    refused(&m, "");
    m.claim->slack = 1e-5;
    m.paper->slack = 4e-3;
    refused(&m, "");
    drop(&m);
}

/* What is written is read, for answers that are sets, too; and nothing changes unseen. */
static void test_files_hold_it_all(void **state)
{
    (void)state;
    ThError err = {0};
    for (int i = 0; i < 2; i++) {
        Made m = make_all(i ? made_task("next_symbols", "",
                                        "start x ; accept x\n x a -> y ; y a -> z\n"
                                        "z a -> x ; x b -> y ; y b -> x ; z b -> z")
                            : made_task("output", "labels=final", S3),
                          i == 1);
        assert_true((m.paper->bits != NULL) == (i == 1));
        assert_true(th_proof_certificate_write(m.paper, "test_proof_algebra.cert", &err));
        th_proof_certificate_free(m.paper);
        m.paper = th_proof_certificate_read("test_proof_algebra.cert", &err);
        remove("test_proof_algebra.cert");
        assert_non_null(m.paper);
        assert_true(m.paper->digest == th_proof_certificate_digest(m.paper));
        assert_true(look(&m).holds);
        if (m.paper->bits) {
            m.paper->bits[1] ^= 1;
            refused(&m, "they differ on");
        }
        m.paper->ball = 2e-3;
        assert_true(m.paper->digest != th_proof_certificate_digest(m.paper));
        drop(&m);
    }
}

/* The model snaps from now on, and the certificate is by its table. */
static void snap(Made *m)
{
    ThError err = {0};
    m->claim->slack = 0;
    ThProofQuantized *q = th_proof_quantize(m->model, m->claim, 100, 1, NULL, &err);
    ThModel *snapped = q ? th_proof_snapped(m->model, q, &err) : NULL;
    if (!snapped)
        fail_msg("%s", err.msg);
    th_proof_quantized_free(q);
    th_model_free(m->model);
    m->model = snapped;
    th_proof_certificate_free(m->paper);
    m->paper = th_proof_certificate_by(TH_PROOF_BY_TABLE, m->model, m->claim, 0, &err);
    assert_non_null(m->paper);
}

/* A certificate by a table is written, read, and held against the claim as others are; of the
 * table itself nothing is in it: another model's weights make another. */
static void test_tables(void **state)
{
    (void)state;
    ThError err = {0};
    Made m = make_all(made_task("output", "labels=final", S3), true);
    snap(&m);
    assert_true(th_proof_certificate_write(m.paper, "test_proof_table.cert", &err));
    th_proof_certificate_free(m.paper);
    m.paper = th_proof_certificate_read("test_proof_table.cert", &err);
    remove("test_proof_table.cert");
    assert_non_null(m.paper);
    ThProofCertificate *c = m.paper;
    assert_true(c->method == TH_PROOF_BY_TABLE && c->digest == th_proof_certificate_digest(c));
    ThProofChecked k = look(&m);
    assert_true(k.holds && k.in_double && k.in_float && k.checks > 36);
    int *edited[] = {&c->start, &c->next[1], &c->answer[2]};
    for (int i = 0; i < 3; i++) {
        int was = *edited[i];
        *edited[i] = (was + 1) % 3;
        refused(&m, "they differ on");
        *edited[i] = was;
    }
    swap(&c->class_name[1], &c->class_name[2]);
    refused(&m, "classes");
    swap(&c->class_name[1], &c->class_name[2]);
    float *centre = th_compile_weights(m.model, "centres");
    int d = (int)th_option_int(&m.model->options, "dim");
    for (int i = 0; i < d; i++) {
        float was = centre[i];
        centre[i] = centre[d + i];
        centre[d + i] = was;
    }
    refused(&m, "");
    drop(&m);
}

/* The model becomes the same with a row of hidden units more, all zero. */
static void widen(Made *m)
{
    ThError err = {0};
    ThOptions o = {0};
    char text[16];
    assert_true(th_options_copy(&o, &m->model->options, &err));
    snprintf(text, sizeof text, "%d", 1 + (int)th_option_int(&o, "hidden"));
    assert_true(th_options_set(&o, "hidden", text, &err));
    ThModel *to = th_model_new(m->model->kind, &o, &err);
    th_options_free(&o);
    assert_true(to && th_model_bind(to, &m->model->signature, 0, &err));
    memset(to->params.value, 0, to->params.total * sizeof *to->params.value);
    for (int i = 0; i < to->params.n; i++) {
        const ThParam *a = &m->model->params.item[i], *b = &to->params.item[i];
        for (int r = 0; r < a->rows; r++)
            memcpy(th_params_at(&to->params, i) + r * b->cols,
                   th_params_at(&m->model->params, i) + r * a->cols,
                   (size_t)a->cols * sizeof(float));
    }
    th_model_free(m->model);
    m->model = to;
}

/* Units of a million that cancel in real numbers, and in double, swamp a run in single precision.
 */
static void test_what_cancels_is_seen(void **state)
{
    (void)state;
    static const float size[] = {0, 1, 1e6F};
    for (int i = 0; i < 3; i++) {
        Made m = make_all(made_task("parity", "", NULL), true);
        int d = (int)th_option_int(&m.model->options, "dim");
        int spare = d * (int)th_option_int(&m.model->options, "hidden");
        widen(&m);
        float *bias = th_compile_weights(m.model, "layer0.feed_forward.up_bias");
        float *down = th_compile_weights(m.model, "layer0.feed_forward.down");
        bias[spare] = bias[spare + 1] = size[i];
        down[spare * d] = 1;
        down[(spare + 1) * d] = -1;
        ThProofChecked k = look(&m);
        assert_true(k.holds);
        assert_true(k.in_float == (i < 2));
        drop(&m);
    }
}

/* A weight that is no number, wherever it stands: in keys, too, which queries of zero leave unread
 * but for 0 times them. */
static void test_numbers_are_numbers(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, 3e38F};
    Made m = make_all(made_task("output", "labels=final", S3), true);
    for (int i = 0; i < m.model->params.n; i++)
        for (int b = 0; b < 3; b++) {
            ThError err = {0};
            ThProofChecked k;
            float *w = th_params_at(&m.model->params, i), was = *w;
            *w = bad[b];
            m.paper->weights = th_proof_digest(&m.model->params);
            m.paper->digest = th_proof_certificate_digest(m.paper);
            bool ok = th_proof_check(m.paper, m.model, m.claim, NULL, &k, &err);
            if (ok && (k.holds || k.in_float))
                fail_msg("%s", m.model->params.item[i].name);
            *w = was;
        }
    drop(&m);
}

/* By how much the right class leads in a ball around x, calculated a second time: as a distance,
 * with what a run rounds by `unit` in sums of so many numbers. */
static long double lead_of(const ThModel *m, const float *x, long double scale, int right,
                           long double unit)
{
    int d = (int)th_option_int(&m->options, "dim"), other = 1 - right;
    const float *head = th_params_at(&m->params, th_params_find(&m->params, "head"));
    const float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    long double lead = (long double)bias[right] - (long double)bias[other], square = 0;
    long double size = fabsl((long double)bias[0]) + fabsl((long double)bias[1]);
    for (int i = 0; i < d; i++) {
        long double a = (long double)head[2 * i + right], b = (long double)head[2 * i + other];
        lead += (a - b) * scale * (long double)x[i];
        square += (a - b) * (a - b);
        size += (fabsl(a) + fabsl(b)) * (scale * fabsl((long double)x[i]) + 1e-3L);
    }
    return (lead - 2e-6L - (d + 4) * unit / (1 - (d + 4) * unit) * size) / sqrtl(square);
}

/* What a run rounds of the logits of a compiled model: nothing of it may be missing. */
static void test_read_out(void **state)
{
    (void)state;
    ThError err = {0};
    Made m = make_all(made_task("parity", "", NULL), false);
    ThMonoid *monoid = th_monoid_new(m.task->machine, 0, NULL, &err);
    const ThProofTruth truth = {m.task->machine, NULL, monoid};
    const float *pad = th_params_at(&m.model->params, th_params_find(&m.model->params, "pad"));
    const float *rows =
        th_params_at(&m.model->params, th_params_find(&m.model->params, "embedding"));
    int d = (int)th_option_int(&m.model->options, "dim");
    long double is[2], wanted[2];
    for (int in_float = 0; in_float < 2; in_float++) {
        ThProofAlgebra p;
        long double unit = in_float ? 0x1p-24L * (1 + 1e-9L) : 0x1p-44L;
        ThProofAlgebraHow how = {.radius = 1e-3, .slack = 1e-6, .in_float = in_float};
        assert_true(th_proof_algebra(m.model, &truth, &how, &p, &err));
        is[in_float] = (long double)p.margin;
        wanted[in_float] = HUGE_VALL;
        for (int e = 0; e < monoid->size; e++) {
            int q = th_monoid_image(monoid, e, m.task->machine->start);
            const float *x = e == 0 ? pad : rows + monoid->last[e] * d;
            wanted[in_float] = fminl(wanted[in_float], lead_of(m.model, x, e == 0 ? 1 : sqrtl(d),
                                                               m.task->machine->label[q], unit));
        }
    }
    assert_true(monoid->size == 2 && fabsl(is[0] - wanted[0]) <= 1e-7L * wanted[0]);
    assert_true(fabsl(is[0] - is[1] - (wanted[0] - wanted[1])) <= 1e-3L * (wanted[0] - wanted[1]));
    th_monoid_free(monoid);
    drop(&m);
}

/* From which distance of a centre on an answer is not shown any longer: the bias of the right class
 * is so low that the other's, near to 0 where floats are fine, decides. */
static double distance_at_fault(const ThModel *m, const ThProofTruth *truth,
                                const ThProofAlgebraHow *how)
{
    ThError err = {0};
    ThProofAlgebra p;
    float *bias = th_compile_weights(m, "head_bias"), low = -1, high = 1;
    double margin[2] = {0};
    bias[1] = -10;
    for (int n = 0; n < 60; n++) {
        bias[0] = low + (high - low) / 2;
        assert_true(th_proof_algebra(m, truth, how, &p, &err));
        margin[p.right] = p.margin;
        *(p.right ? &low : &high) = bias[0];
    }
    assert_true(low > -1 && high < 1 && !p.right == (p.why[0] != 0));
    return (margin[0] + margin[1]) / 2;
}

/* With norm=pre answers are read behind a layer norm, which rounds, too. */
static void test_read_out_behind_norm(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("parity", "", NULL);
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, &err);
    const ThProofTruth truth = {t->machine, NULL, monoid};
    ThModel *m = th_compile_regulargpt(
        t, monoid, &(ThCompileShape){.chunk = 2, .monoid = true, .pre = true}, NULL, &err);
    assert_non_null(m);
    for (int in_float = 0; in_float < 2; in_float++) {
        ThProofAlgebraHow how = {.radius = 1e-4, .in_float = in_float};
        ThProofChunk f;
        double unit = in_float ? TH_PROOF_FLOAT_UNIT * TH_PROOF_WIDER : TH_PROOF_DOUBLE_UNIT;
        assert_true(th_proof_chunk_read(&f, m, 2, &err));
        const float *row = th_proof_chunk_weights(m, "embedding");
        for (int i = 0; i < f.dim; i++) { /* of b, the answer to which is not class 0 */
            f.x[i] = f.centre[i] = sqrt(f.dim) * (double)row[f.dim + i];
            f.centre[f.dim + i] = (double)th_proof_chunk_weights(m, "pad")[i];
        }
        assert_true(th_proof_chunk_round(&f, unit, 2, how.radius, &err));
        double radius = how.radius + f.noise[TH_PROOF_IN_MEAN];
        th_proof_chunk_normalise(&f, f.x, "final_norm.gain", "final_norm.offset", &radius);
        double is = distance_at_fault(m, &truth, &how) - radius, wanted = f.noise[TH_PROOF_OUT];
        if (!(fabs(is - wanted) <= 0.02 * wanted + 1e-11))
            fail_msg("%g is taken for the roundings of the norm, not %g", is, wanted);
        th_proof_chunk_free(&f);
    }
    th_monoid_free(monoid);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_out_behind_norm),
        cmocka_unit_test(test_nothing_is_believed),
        cmocka_unit_test(test_slack_is_the_claims),
        cmocka_unit_test(test_files_hold_it_all),
        cmocka_unit_test(test_what_cancels_is_seen),
        cmocka_unit_test(test_numbers_are_numbers),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_read_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
