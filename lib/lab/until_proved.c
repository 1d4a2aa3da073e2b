#include "lab/until_proved.h"

#include <math.h>

#include "automata/algebra/varieties.h"
#include "lab/train_impl.h"
#include "lab/until_impl.h"
#include "proof/provable.h"

typedef ThTrainRun Run;

void th_train_proof_free(ThTrainProof *p)
{
    th_proof_free(p->proof);
    th_proof_quantized_free(p->table);
    th_proof_certificate_free(p->certificate);
    *p = (ThTrainProof){0};
}

static bool save(const Run *r, ThError *err)
{
    return !r->how->save || r->how->save(r->how->context, err);
}

/* ---- asking the prover ----------------------------------------------------------------------- */

/* Lets the checker decide about a model; what it does not agree to for the runs that are meant is
 * open.  Takes the certificate over, which may be NULL: an error. */
static bool confirm(Run *r, ThProofCertificate *made, const ThModel *m, double slack, ThError *err)
{
    ThTrainProof *p = r->to;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) = made;
    ThProofClaim claim = *r->claim.claim;
    claim.slack = slack;
    if (!c || !th_proof_check(c, m, &claim, r->how->stop, &p->checked, err))
        return false;
    bool runs = r->how->in_double ? p->checked.in_double : p->checked.in_float;
    if (p->checked.holds && runs) {
        p->certificate = c;
        c = NULL;
    }
    return true;
}

/* Asks whether the model is right whose vectors snap: by its table. */
static bool ask_table(Run *r, ThModelStage *to, ThError *err)
{
    const ThTrainProving *h = r->how;
    th_train_proof_free(r->to);
    ThProofQuantized *q = r->to->table = th_proof_quantize(
        h->model, r->claim.claim, TH_TRAIN_MOST_FUNCTIONS, TH_TRAIN_TABLE_SEED, h->stop, err);
    if (!q)
        return false;
    to->verdict = TH_PROOF_OPEN;
    to->excess = (double)q->wrong / q->checked;
    if (q->wrong > 0)
        return true;
    ThModel *snapped TH_OWNED(th_model_free) = th_proof_snapped(h->model, q, err);
    if (!snapped ||
        !confirm(r, th_proof_certificate_by(TH_PROOF_BY_TABLE, snapped, r->claim.claim, 0, err),
                 snapped, 0, err))
        return false;
    to->verdict = r->to->certificate ? TH_PROOF_PROVED : TH_PROOF_OPEN;
    return true;
}

/* Asks for balls, and for ellipsoids where these nearly close. */
bool th_train_ask(Run *r, ThModelStage *to, ThError *err)
{
    if (r->how->quantized)
        return ask_table(r, to, err);
    const double nearly = 1.5;
    enum { MOST_SETS = 16 }; /* of a state of the automaton */
    bool cell = !r->claim.labels;
    ThProofHow how = {.limit = TH_TRAIN_MOST_FUNCTIONS,
                      .seed = 1,
                      .balls = true,
                      .finer = true,
                      .cover = cell ? MOST_SETS : 0};
    th_train_proof_free(r->to);
    ThTrainProof *p = r->to;
    const ThModel *m = r->how->model;
    p->proof = th_proof_certify(m, r->claim.claim, &how, r->how->stop, err);
    if (p->proof && !cell && p->proof->verdict == TH_PROOF_OPEN && p->proof->excess < nearly) {
        th_proof_free(p->proof);
        how.balls = false;
        p->proof = th_proof_certify(m, r->claim.claim, &how, r->how->stop, err);
    }
    if (!p->proof)
        return false;
    to->verdict = p->proof->verdict;
    to->excess =
        p->proof->verdict == TH_PROOF_OPEN && isfinite(p->proof->excess) ? p->proof->excess : 0;
    if (p->proof->verdict != TH_PROOF_PROVED)
        return true;
    /* The slack is the finer one, if that was needed. */
    if (!confirm(r, th_proof_certificate_new(p->proof, &m->signature, err), m, p->proof->slack,
                 err))
        return false;
    to->verdict = p->certificate ? TH_PROOF_PROVED : TH_PROOF_OPEN;
    to->excess = p->checked.tightest;
    return true;
}

/* The string that was answered wrong joins the batches, if it is of a length to learn from. */
static bool join_wrong(Run *r, ThError *err)
{
    enum { LONGEST = 128 };
    const ThProof *p = r->to->proof;
    const ThProofQuantized *q = r->to->table;
    const int *word = q ? q->word : p && p->verdict == TH_PROOF_WRONG ? p->word : NULL;
    int length = q ? q->length : p ? p->length : 0;
    return !word || length > LONGEST ||
           th_train_join(r->how->model, r->how->task, word, length, err);
}

/* ---- after a stage --------------------------------------------------------------------------- */

/* Did a stage make different vectors one?  A cell that was right stays so. */
static bool spoiled(const Run *r, const ThModelStage *before, const ThModelStage *now)
{
    const double few = r->claim.labels ? 0.002 : 0;
    if (now->stage == TH_TRAIN_LEARN)
        return false;
    return now->mixed > before->mixed + few || now->gap < before->gap / 4;
}

static void undo(Run *r, const ThModelStage *before, ThModelStage *now)
{
    ThModel *m = r->how->model;
    int centres = m->training.n_centres;
    th_train_put_back(m, m->training.best);
    if (r->to->table && centres > 0)
        th_train_table_undo(&m->training, centres, r->to->table->dim);
    th_train_proof_free(r->to);
    now->undone = 1;
    now->mixed = before->mixed;
    now->gap = before->gap;
    now->reach = before->reach;
    now->verdict = before->verdict;
    now->excess = before->excess;
}

/* Asks about a model whose vectors are not mixed up, and undoes a stage that made them so. */
static bool judge_vectors(Run *r, const ThModelStage *before, ThModelStage *now, ThError *err)
{
    if (!th_train_measure(r->how, &r->claim, now, err))
        return false;
    if (before && spoiled(r, before, now)) {
        undo(r, before, now);
        return true;
    }
    return now->mixed > 0 || (th_train_ask(r, now, err) && join_wrong(r, err));
}

/* Of one whose vectors are to snap its table says how it stands. */
static bool judge_table(Run *r, const ThModelStage *before, ThModelStage *now, ThError *err)
{
    if (!th_train_ask(r, now, err))
        return false;
    if (!before || now->excess <= before->excess)
        return join_wrong(r, err);
    undo(r, before, now);
    return true;
}

/* Writes down how the model stands after a stage. */
static bool record(Run *r, int stage, ThError *err)
{
    ThModelTraining *t = &r->how->model->training;
    ThModelStage now = {.step = t->step, .stage = stage, .verdict = -1};
    if (!th_grow(&t->stage, &t->cap_stages, t->n_stages + 1, sizeof *t->stage, err) || !t->stage)
        return false;
    const ThModelStage *before = t->n_stages ? &t->stage[t->n_stages - 1] : NULL;
    if (t->step == 0) { /* parameters as they were drawn */
        now.mixed = 1;
        now.excess = r->how->quantized ? 1 : 0;
    } else if (!(r->how->quantized ? judge_table : judge_vectors)(r, before, &now, err))
        return false;
    t->stage[t->n_stages++] = now;
    free(t->best);
    t->best = NULL;
    if (r->how->staged)
        r->how->staged(r->how->context, &now, r->to);
    return save(r, err);
}

/* ---- a stage --------------------------------------------------------------------------------- */

/* An end before the last step; what is interrupted is saved. */
static bool ended(const Run *r, const ThError *why, ThError *err)
{
    if (why->code == TH_EINTERRUPTED)
        return save(r, err) &&
               th_fail(err, TH_EINTERRUPTED, "interrupted; the model is as after step %lld",
                       r->how->model->training.step);
    return th_fail_as(err, why);
}

/* Keeps the parameters of before the stage, for it to be undone. */
static bool keep(ThModel *m, ThError *err)
{
    ThModelTraining *t = &m->training;
    float *before = th_params_floats(m->params.total, err);
    if (!before)
        return false;
    memcpy(before, m->params.value, m->params.total * sizeof *before);
    free(t->best);
    t->best = before;
    t->began = t->step;
    for (int i = 0; i < TH_OPTIMIZER_SLOTS; i++)
        if (t->moment[i])
            memset(t->moment[i], 0, m->params.total * sizeof *before);
    t->updates = 0;
    return true;
}

static bool run_steps(Run *r, ThTrainer *trainer, ThError *err)
{
    const ThTrainProving *h = r->how;
    while (!th_trainer_done(trainer)) {
        if (th_stopped(h->stop, err) || !th_trainer_step(trainer, err) ||
            (h->stepped && !h->stepped(h->context, trainer, err)))
            return false;
        long long step = h->model->training.step;
        if (h->every > 0 && step % h->every == 0 && !save(r, err))
            return false;
    }
    return true;
}

/* Does what is left to do of a stage: all of it, or behind a checkpoint the rest. */
static bool run_stage(Run *r, const ThTrainPlan *plan, ThError *err)
{
    const ThTrainProving *h = r->how;
    ThModelTraining *t = &h->model->training;
    bool begun = t->step > t->stage[t->n_stages - 1].step;
    th_train_proof_free(r->to); /* it is not of the parameters that come */
    ThOptions o TH_OWNED(th_options_free) = {0};
    if ((!begun && !keep(h->model, err)) || !th_train_stage_options(r, plan, &o, err))
        return false;
    long long left = t->began + plan->steps - t->step;
    if (left <= 0)
        return true;
    ThTrainer *trainer TH_OWNED(th_trainer_free) =
        th_options_set_int(&o, "steps", left, err)
            ? th_trainer_new(h->model, h->task, &o, h->threads, err)
            : NULL;
    if (trainer && begun)
        th_trainer_resume(trainer);
    return trainer && run_steps(r, trainer, err);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool over(const Run *r)
{
    const ThModelTraining *t = &r->how->model->training;
    return r->to->certificate || t->step >= r->how->most;
}

bool th_train_stages(Run *r, ThError *err)
{
    ThModelTraining *t = &r->how->model->training;
    if (!r->how->resumed) {
        t->n_stages = 0;
        th_batch_free(&t->joined);
    }
    if (t->n_stages == 0 && !record(r, TH_TRAIN_BEFORE, err))
        return false;
    /* A checkpoint of a proved model has no proof. */
    ThModelStage last = t->stage[t->n_stages - 1];
    if (r->how->resumed && last.verdict == TH_PROOF_PROVED && !th_train_ask(r, &last, err))
        return false;
    while (!over(r)) {
        ThTrainPlan plan = th_train_plan(r);
        long long began = t->stage[t->n_stages - 1].step;
        if (plan.steps > r->how->most - began)
            plan.steps = r->how->most - began;
        if (!run_stage(r, &plan, err) || !record(r, (int)plan.stage, err))
            return false;
    }
    last = t->stage[t->n_stages - 1];
    return r->to->proof || r->to->table ||
           th_train_ask(r, &last, err); /* a string that shows that it is wrong */
}

/* Of a linear step nothing can be proved but what the last symbols decide. */
static bool takes_linear(const ThDfa *m, ThError *err)
{
    bool definite;
    if (!th_dfa_definite(m, &definite, err))
        return false;
    return definite ||
           th_fail(err, TH_EVALUE,
                   "no lrnn can be proved right about this: what is far back counts, and "
                   "a step of it is linear") ||
           th_hint(err, "rnn, lstm and gru can; help proofs says what is provable of each kind");
}

bool th_train_run_open(Run *r, const ThTrainProving *how, ThTrainProof *to, ThError *err)
{
    *to = (ThTrainProof){0};
    *r = (Run){.how = how, .to = to};
    const ThProofProvable *p = th_proof_provable_kind(how->model->kind->name);
    if (!p || !p->trained)
        return th_fail(err, TH_EVALUE, "no training leads models of kind %s to a proof: %s",
                       how->model->kind->name, p ? p->why : "nothing is known of its kind") ||
               th_hint(err,
                       "regulargpt, rnn, lstm, gru and lrnn can be trained so; help proofs says "
                       "what is provable of each kind");
    bool cell = how->model->kind->advance != NULL;
    if (how->quantized && cell)
        return th_fail(err, TH_EUSAGE,
                       "until=quantized is for models of trees; the states of %s do not snap",
                       how->model->kind->name) ||
               th_hint(err, "until=proved is for it, too");
    ThProofMap *f TH_OWNED(th_proof_map_free) = cell ? NULL : th_proof_map_new(how->model, err);
    ThProofCell *g TH_OWNED(th_proof_cell_free) = cell ? th_proof_cell_new(how->model, err) : NULL;
    return (f || g) && th_train_claim_new(&r->claim, how, err) &&
           th_proof_takes(how->model, r->claim.claim, err) &&
           (!g || g->kind != TH_PROOF_LRNN || takes_linear(r->claim.claim->machine, err));
}

bool th_train_until_proved(const ThTrainProving *how, ThTrainProof *to, ThError *err)
{
    Run r;
    ThError why = {0};
    bool ok = th_train_run_open(&r, how, to, &why) && th_train_stages(&r, &why);
    th_train_claim_free(&r.claim);
    return ok || ended(&r, &why, err);
}
