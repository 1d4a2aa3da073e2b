/* Training until proved: stages follow from figures, what is interrupted and continued gives the
 * bits of what was not, a stage that spoils a model is undone, and what is called proved is so. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/models/safetensors.h"
#include "given.h"
#include "lab/evaluate.h"
#include "lab/until_impl.h"
#include "proof/cell/cell_sample.h"

/* Words of three symbols that begin with a and end with b: not commutative, and with a sink. */
static const char *const a_to_b =
    "start s; accept y; s a -> x; s b, c -> no; x a, c -> x; x b -> y; y a, c -> x; y b -> y; "
    "no a, b, c -> no";

/* ---- a training that can be stopped ---- */

typedef struct {
    ThModel *m;
    sig_atomic_t stop;
    bool quantized;         /* the proof is to be of the model that snaps */
    long long stop_at;      /* a step; 0: never */
    int staged, stop_after; /* stages that were told of; to be stopped at the step behind so many */
    ThModelStage last;
} Watch;

static bool stepped(void *context, const ThTrainer *trainer, ThError *err)
{
    Watch *w = context;
    (void)err;
    if (th_trainer_progress(trainer).step == w->stop_at)
        w->stop = 1;
    return true;
}

static void staged(void *context, const ThModelStage *stage, const ThTrainProof *p)
{
    Watch *w = context;
    assert_true((stage->verdict == TH_PROOF_PROVED) == (p->certificate != NULL));
    w->staged++;
    w->last = *stage;
    if (w->staged == w->stop_after)
        w->stop = 1;
}

static bool train(ThModel *m, const ThTask *t, const char *settings, Watch *w, bool resumed,
                  ThTrainProof *p, ThError *err)
{
    ThOptions o;
    set_all(&o, th_train_options, settings);
    assert_true(th_options_set(&o, "until", "proved", NULL));
    ThTrainProving how = {.model = m,
                          .task = t,
                          .options = &o,
                          .threads = 1,
                          .most = th_option_int(&o, "steps"),
                          .rate = 1,
                          .resumed = resumed,
                          .quantized = w->quantized,
                          .stop = &w->stop,
                          .context = w,
                          .stepped = stepped,
                          .staged = staged};
    bool ok = th_train_until_proved(&how, p, err);
    th_options_free(&o);
    return ok;
}

/* settings: of a regulargpt, or those of another kind behind its name and a colon. */
static ThModel *bound(const char *settings, const ThTask *t, uint64_t seed)
{
    char kind[16] = "regulargpt";
    const char *colon = strchr(settings, ':');
    if (colon)
        snprintf(kind, sizeof kind, "%.*s", (int)(colon - settings), settings);
    ThModel *m = made_model(kind, colon ? colon + 1 : settings);
    assert_true(th_model_bind(m, &t->signature, seed, NULL));
    return m;
}

/* ---- proofs ---- */

static void prove(const char *model, const char *settings)
{
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound(model, t, 1);
    Watch w = {.m = m};
    ThTrainProof p;
    assert_true(train(m, t, settings, &w, false, &p, NULL));
    assert_non_null(p.certificate);
    assert_true(p.checked.holds && p.checked.in_float && p.proof->verdict == TH_PROOF_PROVED);
    assert_int_equal(w.last.verdict, TH_PROOF_PROVED);
    assert_true(w.last.mixed == 0 && w.last.excess == p.checked.tightest);
    assert_int_equal(m->training.n_stages, w.staged);
    /* What the certificate is worth: it is checked again, from the model as it stands. */
    ThTrainClaim c;
    ThProofChecked again;
    assert_true(th_train_claim_new(&c, &(ThTrainProving){.model = m, .task = t}, NULL));
    assert_true(th_proof_check(p.certificate, m, c.claim, NULL, &again, NULL) && again.holds);
    ThEvaluator *e = th_evaluator_new(m, t, 5, 1, NULL);
    ThScore score;
    for (int length = 1; length < 300; length += 37) {
        assert_true(th_evaluator_length(e, length, 64, &score, NULL));
        assert_true(score.accuracy == 1);
    }
    th_evaluator_free(e);
    th_train_claim_free(&c);
    th_train_proof_free(&p);
    th_model_free(m);
    th_task_free(t);
}

static void test_proved(void **state)
{
    (void)state;
    prove("dim=16 heads=2", "steps=9000 batch=32");
}

/* What is proved is the model that snaps, not the one that was trained. */
static void test_quantized(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound("dim=16 heads=2", t, 1);
    Watch w = {.m = m, .quantized = true};
    ThTrainProof p;
    assert_true(train(m, t, "steps=9000 batch=32", &w, false, &p, NULL));
    assert_true(p.certificate && !p.proof && p.table->wrong == 0 && p.table->checked > 20);
    assert_true(w.last.verdict == TH_PROOF_PROVED && w.last.excess == 0);
    assert_true(p.checked.holds && p.checked.in_float);
    ThModel *snapped = th_proof_snapped(m, p.table, NULL);
    ThTrainClaim c;
    ThProofChecked again, other;
    assert_true(th_train_claim_new(&c, &(ThTrainProving){.model = m, .task = t}, NULL));
    c.claim->slack = 0;
    assert_true(th_proof_check(p.certificate, snapped, c.claim, NULL, &again, NULL));
    assert_true(again.holds && again.in_float);
    assert_false(th_proof_check(p.certificate, m, c.claim, NULL, &other, NULL) && other.holds);
    ThEvaluator *e = th_evaluator_new(snapped, t, 5, 1, NULL);
    ThScore score;
    for (int length = 1; length < 300; length += 37) {
        assert_true(th_evaluator_length(e, length, 64, &score, NULL));
        assert_true(score.accuracy == 1);
    }
    th_evaluator_free(e);
    th_train_claim_free(&c);
    th_train_proof_free(&p);
    th_model_free(snapped);
    th_model_free(m);
    th_task_free(t);
}

/* A few products that are wrong are counted, and are no proof. */
static void test_quantized_wrong(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound("dim=8 heads=2", t, 3);
    Watch w = {.m = m, .quantized = true};
    ThTrainProof p;
    assert_true(train(m, t, "steps=700 batch=2", &w, false, &p, NULL));
    assert_true(!p.certificate && p.table && p.table->wrong > 0);
    assert_true(2 * p.table->wrong < p.table->checked);
    const ThModelStage *first = &m->training.stage[1];
    assert_true(!first->undone && first->excess > w.last.excess && first->excess < 1);
    assert_true(w.last.verdict != TH_PROOF_PROVED);
    th_train_proof_free(&p);
    th_model_free(m);
    th_task_free(t);
}

/* The mean distance of the centres of (state, last symbol) from the nearest of another state, and
 * the farthest vector from its own beside it: calculated once more, for a network as it was drawn.
 */
static void test_measured_cell(void **state)
{
    (void)state;
    enum { STATES = 4, SYMBOLS = 3, DIM = 5, LABELS = STATES * SYMBOLS };
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound("gru:dim=5", t, 2);
    ThTrainProving how = {.model = m, .task = t};
    ThTrainClaim c;
    ThModelStage to = {0};
    assert_true(th_train_claim_new(&c, &how, NULL) && th_train_measure(&how, &c, &to, NULL));
    ThProofCell *f = th_proof_cell_new(m, NULL);
    ThProofSample s;
    assert_true(th_proof_cell_sample(f, c.claim->machine, 2, &s, NULL));
    assert_int_equal(c.claim->machine->n_states, STATES);
    double centre[LABELS][DIM], far = 0, sum = 0;
    bool met[LABELS];
    int n = 0;
    for (int i = 0; i < LABELS; i++) {
        ThProofSample own = s;
        int *label = test_malloc((size_t)s.n * sizeof *label);
        for (int k = 0; k < s.n; k++)
            label[k] = s.label[k] == i / SYMBOLS && s.y[k] == i % SYMBOLS;
        own.label = label;
        met[i] = th_proof_sample_centre(&own, 1, centre[i], &far);
        test_free(label);
    }
    for (int i = 0; i < LABELS; i++) {
        double least = HUGE_VAL;
        for (int j = 0; met[i] && j < LABELS; j++) {
            double squares = 0;
            for (int k = 0; k < DIM; k++)
                squares += (centre[i][k] - centre[j][k]) * (centre[i][k] - centre[j][k]);
            if (met[j] && i / SYMBOLS != j / SYMBOLS)
                least = fmin(least, sqrt(squares));
        }
        n += isfinite(least);
        sum += isfinite(least) ? least : 0;
    }
    assert_true(n >= 6 && fabs(to.gap / (sum / n) - 1) < 1e-12);
    assert_true(fabs(to.reach / (far / (sum / n)) - 1) < 1e-12);
    th_proof_sample_free(&s);
    th_proof_cell_free(f);
    th_train_claim_free(&c);
    th_model_free(m);
    th_task_free(t);
}

static void test_cells(void **state)
{
    (void)state;
    prove("rnn:dim=16 activation=tanh", "steps=30000");
    prove("gru:dim=16", "steps=30000");
    prove("lstm:dim=8", "steps=30000");
}

/* ---- interrupted ---- */

static void assert_equal(const ThModel *a, const ThModel *b)
{
    assert_int_equal(a->training.step, b->training.step);
    assert_int_equal(a->training.n_stages, b->training.n_stages);
    for (size_t i = 0; i < a->training.n_stages; i++) {
        const ThModelStage *x = &a->training.stage[i], *y = &b->training.stage[i];
        assert_true(x->step == y->step && x->stage == y->stage && x->undone == y->undone &&
                    x->verdict == y->verdict && x->mixed == y->mixed && x->reach == y->reach &&
                    x->gap == y->gap && x->excess == y->excess);
    }
    assert_int_equal(a->training.joined.B, b->training.joined.B);
    assert_memory_equal(a->params.value, b->params.value, a->params.total * sizeof(float));
}

/* Trains to the end, stopped at a step or behind so many stages, with a file in between. */
static ThModel *in_two(const ThTask *t, const char *model, const char *settings, Watch w)
{
    char path[] = "/tmp/untilXXXXXX";
    ThModel *m = bound(model, t, 3);
    ThTrainProof p;
    ThError err = {0};
    w.m = m;
    assert_false(train(m, t, settings, &w, false, &p, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    th_train_proof_free(&p);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && th_safetensors_save(m, path, NULL));
    fclose(fdopen(fd, "r"));
    th_model_free(m);
    m = th_safetensors_load(path, NULL);
    remove(path);
    assert_non_null(m);
    w = (Watch){.m = m, .quantized = w.quantized};
    assert_true(train(m, t, settings, &w, true, &p, NULL));
    th_train_proof_free(&p);
    return m;
}

static void interrupt(const char *model, const char *settings, const Watch *stop, size_t stops)
{
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *whole = bound(model, t, 3);
    Watch w = {.m = whole, .quantized = stop->quantized};
    ThTrainProof p;
    assert_true(train(whole, t, settings, &w, false, &p, NULL));
    assert_true(w.staged >= 3); /* or there is nothing to stop in */
    th_train_proof_free(&p);
    for (size_t i = 0; i < stops; i++) {
        ThModel *m = in_two(t, model, settings, stop[i]);
        assert_equal(whole, m);
        th_model_free(m);
    }
    th_model_free(whole);
    th_task_free(t);
}

static void test_interrupted(void **state)
{
    (void)state;
    static const Watch stops[] = {{.stop_at = 700},
                                  {.stop_at = 1500},
                                  {.stop_at = 2000},
                                  {.stop_after = 1},
                                  {.stop_after = 2}};
    interrupt("dim=8 heads=2", "steps=4700 batch=8 radius=0.1", stops, 5);
    interrupt("gru:dim=6", "steps=2400 batch=8 lr=1e-4", stops + 1, 2);
    static const Watch snapping[] = {{.quantized = true, .stop_at = 2000},
                                     {.quantized = true, .stop_after = 2}};
    interrupt("dim=6 heads=1 hidden=2", "steps=2700 batch=1", snapping, 2);
}

/* ---- undone ---- */

/* A contraction that is far too strong makes all vectors one: the model is as before. */
static void test_undone(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound("dim=16 heads=2", t, 1);
    Watch w = {.m = m};
    ThTrainProof p;
    assert_true(train(m, t, "steps=20 batch=2", &w, false, &p, NULL));
    assert_true(w.last.mixed > 0.1 && w.last.verdict == -1); /* there is nothing to ask about */
    th_train_proof_free(&p);
    assert_true(train(m, t, "steps=1500 batch=32", &w, false, &p, NULL));
    th_train_proof_free(&p);
    assert_true(w.last.mixed == 0);
    size_t size = m->params.total * sizeof(float);
    float *before = malloc(size);
    memcpy(before, m->params.value, size);
    m->training.stage[m->training.n_stages - 1].verdict = TH_PROOF_OPEN;
    m->training.stage[m->training.n_stages - 1].reach = 0;
    assert_true(train(m, t, "steps=3000 batch=4 lr=0.3 clip=0 contraction_loss=1000 radius=10", &w,
                      true, &p, NULL));
    const ThModelStage *s = &m->training.stage[m->training.n_stages - 1];
    assert_true(s->stage == TH_TRAIN_CONTRACT && s->undone && s->mixed == 0 && s->step == 3000);
    assert_memory_equal(before, m->params.value, size);
    ThTrainRun run = {.how = &(ThTrainProving){.model = m}};
    assert_true(th_train_plan(&run).strength == 0.5);
    th_train_proof_free(&p);
    free(before);
    th_model_free(m);
    th_task_free(t);
}

/* The same of what snaps, by its table: all of it was right. */
static void test_undone_table(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound("dim=16 heads=2", t, 1);
    Watch w = {.m = m, .quantized = true};
    ThTrainProof p;
    assert_true(train(m, t, "steps=2000 batch=32", &w, false, &p, NULL));
    assert_true(p.certificate && w.last.mixed == 0);
    th_train_proof_free(&p);
    long long step = m->training.step;
    assert_true(train(m, t, "steps=2000", &w, false, &p, NULL)); /* nothing is left to do */
    assert_true(p.certificate && m->training.step == step);
    th_train_proof_free(&p);
    size_t size = m->params.total * sizeof(float), centres = (size_t)m->training.n_centres * 16;
    float *before = th_copy(m->params.value, m->params.total, sizeof *before, NULL);
    double *centre =
        th_copy(th_model_centres(m, m->training.n_centres, 16), centres, sizeof *centre, NULL);
    m->training.stage[m->training.n_stages - 1].verdict = TH_PROOF_OPEN;
    char again[80];
    snprintf(again, sizeof again, "steps=%lld batch=4 lr=3 clip=0 warmup=0", step + 60);
    w.stop_at = step + 30; /* what was before the stage is known behind a checkpoint, too */
    assert_false(train(m, t, again, &w, true, &p, NULL));
    th_train_proof_free(&p);
    w.stop_at = w.stop = 0;
    assert_true(train(m, t, again, &w, true, &p, NULL));
    const ThModelStage *s = &m->training.stage[m->training.n_stages - 1];
    assert_true(s->stage == TH_TRAIN_TABLE && s->undone && s->excess == 0);
    assert_memory_equal(before, m->params.value, size);
    assert_memory_equal(centre, th_model_centres(m, m->training.n_centres, 16),
                        centres * sizeof *centre);
    th_train_proof_free(&p);
    free(before);
    free(centre);
    th_model_free(m);
    th_task_free(t);
}

/* ---- what follows ---- */

static ThTrainPlan plan_of(const ThModelStage *s, size_t n, bool quantized)
{
    ThModel *m = made_model("regulargpt", "");
    m->training.stage = malloc(n * sizeof *s);
    m->training.n_stages = n;
    memcpy(m->training.stage, s, n * sizeof *s);
    ThTrainRun run = {.how = &(ThTrainProving){.model = m, .quantized = quantized}};
    ThTrainPlan p = th_train_plan(&run);
    th_model_free(m);
    return p;
}

/* The table of what snaps is learned until it is right: at rates that fall, and at half of that
 * where it became worse. */
static void test_plan_of_tables(void **state)
{
    (void)state;
    ThModelStage s[] = {
        {.stage = TH_TRAIN_BEFORE, .mixed = 1, .verdict = -1},
        {.stage = TH_TRAIN_TABLE, .excess = 0.5, .verdict = TH_PROOF_OPEN},
        {.stage = TH_TRAIN_TABLE, .excess = 0.1, .verdict = TH_PROOF_OPEN},
        {.stage = TH_TRAIN_TABLE, .excess = 0.1, .undone = 1, .verdict = TH_PROOF_OPEN}};
    static const double rate[] = {1, 0.7, 0.49, 0.245};
    static const int steps[] = {300, 600, 1200, 2400};
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        ThTrainPlan p = plan_of(s, i + 1, true);
        assert_int_equal(p.stage, TH_TRAIN_TABLE);
        assert_true(p.strength == (i < 3 ? 1 : 0.5) && fabs(p.rate - rate[i]) < 1e-12);
        assert_int_equal(p.steps, steps[i]);
        assert_int_equal(p.longest, 16);
    }
    assert_int_equal(plan_of(s, 1, false).stage, TH_TRAIN_LEARN);
}

static void test_plan(void **state)
{
    (void)state;
    ThModelStage s[] = {
        {.stage = TH_TRAIN_BEFORE, .mixed = 1, .verdict = -1},
        {.stage = TH_TRAIN_LEARN, .mixed = 0.01, .verdict = -1},
        {.stage = TH_TRAIN_LEARN, .reach = 0.3, .verdict = TH_PROOF_OPEN},
        {.stage = TH_TRAIN_DRAW, .reach = 0.01, .verdict = TH_PROOF_OPEN},
        {.stage = TH_TRAIN_CONTRACT, .undone = 1, .reach = 0.01, .verdict = TH_PROOF_OPEN},
        {.stage = TH_TRAIN_CONTRACT, .reach = 0.01, .verdict = TH_PROOF_WRONG}};
    static const ThTrainStage next[] = {TH_TRAIN_LEARN,    TH_TRAIN_LEARN,    TH_TRAIN_DRAW,
                                        TH_TRAIN_CONTRACT, TH_TRAIN_CONTRACT, TH_TRAIN_LEARN};
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        assert_int_equal(plan_of(s, i + 1, false).stage, next[i]);
    assert_true(plan_of(s, 2, false).steps > plan_of(s, 1, false).steps);
    assert_true(plan_of(s, 2, false).longest > plan_of(s, 1, false).longest);
    ThTrainPlan first = plan_of(s, 4, false), weaker = plan_of(s, 5, false);
    assert_true(first.strength == 1 && weaker.strength == 0.5 && weaker.rate < first.rate);
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = made_model("lrnn", "dim=8");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    Watch w = {.m = m};
    ThTrainProof p;
    ThError err = {0};
    assert_false(train(m, t, "", &w, false, &p, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_int_equal(m->training.step, 0);
    th_train_proof_free(&p);
    th_model_free(m);
    m = bound("gru:dim=8", t, 1);
    w = (Watch){.m = m, .quantized = true};
    err = (ThError){0};
    assert_false(train(m, t, "", &w, false, &p, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    assert_int_equal(m->training.step, 0);
    th_train_proof_free(&p);
    th_model_free(m);
    th_task_free(t);
}

/* ---- repair ---- */

static void test_repair(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", a_to_b);
    ThModel *m = bound("dim=16 heads=2", t, 1);
    Watch w = {.m = m};
    ThTrainProof p;
    assert_true(train(m, t, "steps=9000 batch=32", &w, false, &p, NULL));
    assert_non_null(p.certificate);
    th_train_proof_free(&p);
    ThRng r = th_rng(7, "until", 0);
    for (size_t i = 0; i < m->params.total; i++)
        m->params.value[i] += (float)(0.03 * th_rng_normal(&r));
    float *was = malloc(m->params.total * sizeof *was);
    memcpy(was, m->params.value, m->params.total * sizeof *was);
    ThOptions o;
    set_all(&o, th_train_options, "until=proved batch=32");
    ThTrainProving how = {.model = m, .task = t, .options = &o, .threads = 1};
    ThTrainRepaired to;
    assert_true(th_train_repair(&how, 4000, &p, &to, NULL));
    assert_true(p.certificate && to.tries > 0 && to.part > 0.04 && to.part <= 1);
    double way = 0, all = 0;
    for (size_t i = 0; i < m->params.total; i++) {
        double off = (double)m->params.value[i] - (double)was[i];
        way += off * off;
        all += (double)was[i] * (double)was[i];
    }
    assert_true(fabs(to.moved / sqrt(way / all) - 1) < 1e-9 && to.moved < 1);
    th_train_proof_free(&p);
    /* Of a proved one nothing is moved. */
    memcpy(was, m->params.value, m->params.total * sizeof *was);
    assert_true(th_train_repair(&how, 4000, &p, &to, NULL));
    assert_true(p.certificate && to.tries == 0 && to.moved == 0);
    assert_memory_equal(was, m->params.value, m->params.total * sizeof *was);
    th_train_proof_free(&p);
    th_options_free(&o);
    free(was);
    th_model_free(m);
    th_task_free(t);
}

/* A contraction's rate falls to a fifth and no farther, its balls are 3.5 times as wide as vectors
 * lie from their centres, and between 0.03 and 0.05; a table's rate falls on, and it has no balls.
 */
static void test_plan_of_contractions(void **state)
{
    (void)state;
    enum { N = 8 };
    static const double rate[N] = {1, 0.7, 0.49, 0.343, 0.2401, 0.2, 0.2, 0.2};
    static const double reach[N] = {0.04, 0.002, 0.0014, 0.0012, 0.001, 0.0008, 0.0001, 0.03};
    static const double radius[N] = {0.05, 0.05, 0.0392, 0.0336, 0.03, 0.03, 0.03, 0.05};
    ThModelStage s[N], table[N];
    for (int i = 0; i < N; i++) {
        ThTrainStage stage = i ? TH_TRAIN_CONTRACT : TH_TRAIN_LEARN;
        s[i] =
            (ThModelStage){.stage = stage, .reach = reach[i], .gap = 8, .verdict = TH_PROOF_OPEN};
        table[i] = (ThModelStage){.stage = TH_TRAIN_TABLE, .verdict = TH_PROOF_OPEN};
        ThTrainPlan p = plan_of(s, (size_t)i + 1, false);
        assert_int_equal(p.stage, TH_TRAIN_CONTRACT);
        assert_true(fabs(p.rate - rate[i]) < 1e-12 && fabs(p.radius - radius[i]) < 1e-12);
    }
    ThTrainPlan last = plan_of(table, N, true);
    assert_true(fabs(last.rate - pow(0.7, N)) < 1e-12 && last.radius == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_proved),
                                       cmocka_unit_test(test_cells),
                                       cmocka_unit_test(test_measured_cell),
                                       cmocka_unit_test(test_interrupted),
                                       cmocka_unit_test(test_undone),
                                       cmocka_unit_test(test_undone_table),
                                       cmocka_unit_test(test_plan),
                                       cmocka_unit_test(test_plan_of_tables),
                                       cmocka_unit_test(test_plan_of_contractions),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_repair),
                                       cmocka_unit_test(test_quantized),
                                       cmocka_unit_test(test_quantized_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
