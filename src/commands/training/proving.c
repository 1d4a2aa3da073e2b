/* proving.c - training that goes on until a model is proved, and repair. */

#include "commands/inspection/proofs.h"
#include "commands/modelling.h"
#include "commands/training/training.h"
#include "terminal/signals.h"

typedef struct {
    ShSession *s;
    ShObject *object; /* the model's */
    const ShObject *task;
    const ThOptions *o;     /* of the call */
    const char *checkpoint; /* a path, or NULL; rank 0 alone has one */
    long long first_step;
    double started;
    bool quantized; /* what is to be proved is a model whose vectors snap */
    ShDomain d;
} Proving;

enum { QUANTIZED = 2 }; /* of until= */

static const char *const verdicts[] = {"proved", "wrong", "open"};

/* ---- a line for every stage ------------------------------------------------------------------ */

/* What the prover said after a stage. */
static void write_word(const ThModelStage *v, const ThTrainProof *p, FILE *out)
{
    if (v->verdict == TH_PROOF_PROVED)
        fprintf(out, "; proved, the tightest bound at %.2g", v->excess);
    else if (v->verdict == TH_PROOF_WRONG)
        fprintf(out, "; wrong on a string of %d", p->proof->length);
    else if (p->checked.holds)
        fprintf(out, "; proved of real numbers, not of the runs that are meant");
    else if (v->excess > 0)
        fprintf(out, "; the worst pair reaches %.3g of its room", v->excess);
}

static void write_vectors(const ThModelStage *v, const ThTrainProof *p, FILE *out)
{
    if (v->mixed > 0)
        fprintf(out, " %.3g %% of vectors are taken for another function", 100 * v->mixed);
    else
        fprintf(out, " farthest %.2g of %.3g between centres", v->reach * v->gap, v->gap);
    write_word(v, p, out);
}

static void write_table(const ThModelStage *v, const ThTrainProof *p, FILE *out)
{
    if (p->table->wrong > 0)
        fprintf(out, " snapped, %d of %d products are wrong", p->table->wrong, p->table->checked);
    else
        fprintf(out, " snapped, all %d products are right%s", p->table->checked,
                v->verdict == TH_PROOF_PROVED ? ": proved" : ", not in the runs that are meant");
}

static void write_stage(const ThModelStage *v, const ThTrainProof *p, bool quantized, FILE *out)
{
    fprintf(out, "step %-6lld %-9s", v->step, th_train_stage_name((ThTrainStage)v->stage));
    if (v->step == 0)
        fprintf(out, " nothing is learned yet");
    else if (v->undone)
        fprintf(out, " undone: it made %s",
                quantized ? "more products wrong" : "vectors of different functions one");
    else
        (quantized ? write_table : write_vectors)(v, p, out);
    fprintf(out, "\n");
    fflush(out);
}

static void staged(void *context, const ThModelStage *v, const ThTrainProof *p)
{
    const Proving *t = context;
    FILE *out = sh_out(t->s);
    if (out)
        write_stage(v, p, t->quantized, out);
    else
        sh_row(t->s, v->step, th_train_stage_name((ThTrainStage)v->stage), v->mixed, v->reach,
               v->gap, v->excess, v->undone != 0, v->verdict < 0 ? "" : verdicts[v->verdict],
               sh_clock() - t->started);
}

static bool stepped(void *context, const ThTrainer *trainer, ThError *err TH_UNUSED)
{
    const Proving *t = context;
    ThTrainerProgress p = th_trainer_progress(trainer);
    sh_progress(t->s, "step %lld of %lld in this stage  loss %.4g  accuracy %.4g", p.step,
                p.last_step, p.loss, p.accuracy);
    return true;
}

static bool save(void *context, ThError *err)
{
    const Proving *t = context;
    return !t->checkpoint || th_safetensors_save(t->object->as.model, t->checkpoint, err);
}

/* ---- in the end ------------------------------------------------------------------------------ */

/* Was the table right after the last stage that ended?  Then it is not proved of the runs. */
static bool table_is_right(const ThModelStage *last)
{
    return last->stage == TH_TRAIN_TABLE && last->excess == 0;
}

/* What is worth a try where there is no proof. */
static const char *advice(const ThModelStage *last, const ThTrainProof *p)
{
    if (last->step == 0)
        return "more time, or a checkpoint=, from which the same command goes on";
    if (p->checked.holds || table_is_right(last))
        return "set precision double, which rounds less";
    if (last->mixed > 0)
        return "not all functions are told apart: more steps=, a larger dim=";
    if (last->stage == TH_TRAIN_TABLE)
        return "not all products are right: more steps=, a larger dim=";
    if (last->excess > 0 && last->excess < 2)
        return "it is near: train again, which goes on from here";
    return "a larger dim=, which makes the map flatter, or more steps=";
}

static const ThModelStage *last_stage(const Proving *t)
{
    static const ThModelStage none;
    const ThModelTraining *m = &t->object->as.model->training;
    return m->n_stages > 0 ? &m->stage[m->n_stages - 1] : &none;
}

static void say_end(const Proving *t, const ThTrainProof *p)
{
    if (p->table)
        sh_say_quantized(t->s, t->object, p->table, &p->checked, &t->d);
    else if (p->proof)
        sh_say_proof(t->s, t->object, &t->d, p->proof, &p->checked);
    else
        sh_results(t->s, "verdict:s", "open");
    sh_results(t->s, "steps:i seconds:r", t->object->as.model->training.step - t->first_step,
               sh_clock() - t->started);
    if (!p->table)
        sh_result_real(t->s, "tightest",
                       p->certificate ? p->checked.tightest : last_stage(t)->excess);
}

/* The last word of what is neither proved nor wrong. */
static void say_open(const Proving *t, const ThModelStage *last)
{
    if (last->step == 0)
        sh_say(t->s, "open: no stage of training has ended yet\n");
    else if (table_is_right(last))
        sh_say(t->s,
               "open: after step %lld all products were right, not in the runs that are meant\n",
               last->step);
    else if (t->quantized)
        sh_say(t->s, "open: after step %lld %.3g %% of products were wrong\n", last->step,
               100 * last->excess);
    else if (last->mixed > 0)
        sh_say(t->s, "open: after step %lld %.3g %% of vectors are taken for another function\n",
               last->step, 100 * last->mixed);
    else if (last->verdict == TH_PROOF_WRONG)
        sh_say(t->s, "open: after step %lld a string was answered wrong\n", last->step);
    else if (last->excess > 1)
        sh_say(t->s, "open: the worst pair reaches %.3g of its room\n", last->excess);
    else
        sh_say(t->s, "open: the sets do not close in the runs that are meant\n");
}

static void say_advice(const Proving *t, const ThTrainProof *p)
{
    const ThModelStage *last = last_stage(t);
    if (p->certificate && p->table)
        sh_say(t->s,
               "  next         quantize %s on %s as %s_snapped elements=%d seed=%d\n"
               "               makes the model that is proved\n",
               t->object->name, t->task->name, t->object->name, (int)TH_TRAIN_MOST_FUNCTIONS,
               (int)TH_TRAIN_TABLE_SEED);
    if (p->certificate)
        return;
    if (!p->table && (!p->proof || p->proof->verdict != TH_PROOF_WRONG))
        say_open(t, last);
    sh_say(t->s, "  try          %s\n", advice(last, p));
}

static bool write_certificate(const Proving *t, const ThTrainProof *p, ThError *err)
{
    const char *path = th_option_text(t->o, "certificate");
    return !path || !p->certificate || sh_session_is_silent(t->s) ||
           th_proof_certificate_write(p->certificate, path, err);
}

/* ---- what both commands do ------------------------------------------------------------------- */

static ThTrainProving how_of(Proving *t, const ThOptions *train)
{
    t->quantized = th_option_choice(train, "until") == QUANTIZED;
    return (ThTrainProving){.model = t->object->as.model,
                            .task = t->task->as.task,
                            .options = train,
                            .threads = sh_threads(t->s),
                            .rate = 1,
                            .in_double = sh_setting_choice(t->s, "precision") == 1,
                            .quantized = t->quantized,
                            .stop = sh_stop(t->s),
                            .context = t,
                            .stepped = stepped,
                            .staged = staged,
                            .save = save,
                            .every = th_option_int(train, "every")};
}

static void begin(Proving *t)
{
    t->first_step = t->object->as.model->training.step;
    t->started = sh_clock();
    sh_about_model(t->s, t->object, t->task);
    if (!sh_out(t->s))
        sh_table(t->s, "stages",
                 "step:i stage:s mixed:r reach:r gap:r excess:r undone:b verdict:s seconds:r");
}

static void end(const Proving *t)
{
    if (!sh_out(t->s))
        sh_table_end(t->s);
}

/* Where time is over the answer is what is known by then, and no error. */
static bool out_of_time(const Proving *t, ThError *err)
{
    if (err->code != TH_EINTERRUPTED || !sh_out_of_time())
        return false;
    *err = (ThError){0};
    sh_say(t->s, "the time limit of %g s is over\n", sh_setting_real(t->s, "limit-time"));
    return true;
}

/* ---- train until=proved ---------------------------------------------------------------------- */

static bool refuse(const ThOptions *o, ThError *err)
{
    static const char *const others[] = {
        "validate", "keep",  "patience", "samples", "counterexamples", "counterexample_length",
        "accept",   "report"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (th_option_given(o, others[i])) {
            th_fail(err, TH_EUSAGE, "%s= does not go with until=%s, which chooses by itself",
                    others[i], th_option_choice(o, "until") == QUANTIZED ? "quantized" : "proved");
            return th_option_error(o, others[i], err);
        }
    if (th_option_choice(o, "until") == QUANTIZED && th_option_given(o, "certificate")) {
        th_fail(err, TH_EUSAGE, "until=quantized makes no certificate of this model");
        th_hint(err, "quantize MODEL on TASK as NAME makes the model that is proved, and certify "
                     "NAME its certificate");
        return th_option_error(o, "certificate", err);
    }
    return true;
}

/* With a model that is bound; steps: that are left to do. */
static bool train(Proving *t, long long steps, bool resumed, ThError *err)
{
    ThTrainProof p TH_OWNED(th_train_proof_free) = {0};
    ThTrainProving how = how_of(t, t->o);
    how.most = how.model->training.step + steps;
    how.resumed = resumed;
    if (sh_session_is_silent(t->s))
        t->checkpoint = NULL;
    begin(t);
    bool ok = sh_note_task(how.model, t->task, err) &&
              (th_train_until_proved(&how, &p, err) || out_of_time(t, err));
    if (ok) {
        end(t);
        say_end(t, &p);
        say_advice(t, &p);
    }
    return ok && write_certificate(t, &p, err);
}

bool sh_train_until_proved(ShSession *s, const ShCall *call, const ThOptions *o, ThError *err)
{
    enum { MOST = 50000 };
    ShObject *object = call->operand[0].object;
    const ShObject *task = call->operand[1].object;
    Proving t = {.s = s, .object = object, .task = task, .o = o};
    t.checkpoint = th_option_text(o, "checkpoint");
    long long steps = th_option_given(o, "steps") ? th_option_int(o, "steps") : MOST;
    bool resumed, fresh = !object->as.model->bound;
    uint64_t seed = th_option_given(o, "seed") ? (uint64_t)th_option_int(o, "seed") : 1;
    if (!sh_need_machine(&call->operand[1], err) || !refuse(o, err) ||
        !sh_try_file(s, o, "certificate", err) ||
        !sh_resume(s, object, task, t.checkpoint, &steps, &resumed, err))
        return false;
    bool ok = th_model_bind(object->as.model, &task->as.task->signature, seed, err) &&
              sh_find_domain(s, call, object->as.model, task, &t.d, err) &&
              train(&t, steps, resumed, err);
    th_dfa_free(t.d.words);
    if (!ok && fresh && object->as.model->training.step == 0)
        th_model_unbind(object->as.model);
    return ok || sh_error_inside(err, &call->operand[1]);
}

/* ---- repair ---------------------------------------------------------------------------------- */

static const ThOptionSpec repair_options[] = {
    {"steps", TH_INT, "4000", 1, 1e9, NULL, "of each training, at most"},
    {"test", TH_RANGE, "41..500:51", 1, 100000, NULL, "lengths on which accuracy is measured"},
    {"samples", TH_INT, "64", 1, 1e6, NULL, "strings of each of them"},
    {"certificate", TH_STRING, NULL, 0, 0, NULL, "file that the proof is written to"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* The mean accuracy over the lengths of test=. */
static bool measure(const Proving *t, double *accuracy, ThError *err)
{
    ThRange l = th_option_range(t->o, "test");
    ThEvaluator *e TH_OWNED(th_evaluator_free) = th_evaluator_new(
        t->object->as.model, t->task->as.task, sh_setting_int(t->s, "seed"), sh_threads(t->s), err);
    bool ok = e != NULL;
    *accuracy = 0;
    for (long long n = l.lo; ok && n <= l.hi; n += l.step) {
        ThScore x;
        ok = !th_stopped(sh_stop(t->s), err) &&
             th_evaluator_length(e, (int)n, (int)th_option_int(t->o, "samples"), &x, err);
        *accuracy += ok ? x.accuracy : 0;
    }
    *accuracy /= (double)th_range_count(l);
    return ok;
}

static void say_repaired(const Proving *t, const ThTrainProof *p, const ThTrainRepaired *r,
                         bool late, double before, double after)
{
    const char *name = t->object->name;
    if (late)
        sh_say(t->s, "%s is as it was\n", name);
    else if (!p->certificate)
        sh_say(t->s, "%s is as it was: %d trainings led to no proof\n", name, r->tries);
    else if (r->tries == 0)
        sh_say(t->s, "%s was proved as it stood\n", name);
    else
        sh_say(t->s, "weights moved by %.3g of their length, %.3g of the way of training %d\n",
               r->moved, r->part, r->tries);
    if (after >= 0)
        sh_say(t->s, "accuracy     %.4g before, %.4g after\n", before, after);
    sh_results(t->s, "moved:r part:r tries:i", r->moved, r->part, (long long)r->tries);
    if (before >= 0)
        sh_result_real(t->s, "before", before);
    if (after >= 0)
        sh_result_real(t->s, "after", after);
}

/* Is a part of the work done, or the time over, which *late says? */
static bool in_time(const Proving *t, bool ok, bool *late, ThError *err)
{
    *late = !ok && out_of_time(t, err);
    return ok || *late;
}

/* *accuracy is below 0 where time did not suffice, which *late says. */
static bool measure_in_time(const Proving *t, double *accuracy, bool *late, ThError *err)
{
    bool ok = in_time(t, measure(t, accuracy, err), late, err);
    if (*late)
        *accuracy = -1;
    return ok;
}

static bool repair(Proving *t, const ThOptions *train, ThError *err)
{
    ThTrainProof p TH_OWNED(th_train_proof_free) = {0};
    ThTrainProving how = how_of(t, train);
    ThTrainRepaired to = {0};
    long long steps = th_option_int(t->o, "steps");
    double before, after;
    bool late, unmeasured;
    ThError stopped = {0}; /* while what has been proved was measured */
    begin(t);
    if (!measure_in_time(t, &before, &late, err) ||
        (!late && !in_time(t, th_train_repair(&how, steps, &p, &to, err), &late, err)))
        return false;
    after = before;
    if (late) /* it is as it was */
        th_train_proof_free(&p);
    else if (!measure_in_time(t, &after, &unmeasured, &stopped))
        after = -1;
    if (p.certificate && !sh_note_task(how.model, t->task, err))
        return false;
    end(t);
    say_end(t, &p);
    say_repaired(t, &p, &to, late, before, after);
    if (!write_certificate(t, &p, err))
        return false;
    if (stopped.code != 0)
        *err = stopped;
    return stopped.code == 0;
}

SH_COMMAND(
    repair, .group = "training", .summary = "bring a nearly right model to a proof",
    .detail =
        "A trained model, a loaded one too, that is nearly right on a task is brought to a proof "
        "with as little change as is found.  Trainings as of train until=proved begin at its "
        "weights, gently at first, each with larger steps than the one before, until one ends with "
        "a proof.  Then as little of the way from the old weights to the new ones is gone as is "
        "still proved.  moved says how far that is, beside the length of all weights; before and "
        "after are the accuracy on the lengths of test=.  Where no training leads to a proof, the "
        "model stays as it was.\n\n"
        "Such a training has stages, and says a line of each.  learn: as long as vectors of one "
        "element of the automaton's monoid are misjudged or nearer to those of another; draw: "
        "until those of each lie together; contract: against the pairs of elements of which the "
        "model takes vectors farthest off.  After each certify is asked, and the checker behind "
        "it.  Strings that are answered wrong, or whose vectors are taken for others or lie "
        "farthest out, join all batches.  A stage that makes vectors of different elements one is "
        "undone, and weight and rate of its loss are halved.  What is given of the options of "
        "train until=proved holds in all stages.  In the end the verdict is that of certify, and "
        "excess how far the worst pair of sets gets beside its room; where that is open or wrong, "
        "what may help is said.  set limit-time ends it, too: a repair with the model as it was, a "
        "train so that it goes on from its checkpoint=.  It is for the models of trees and the "
        "tasks that certify takes, and for rnn, gru and lstm, of which the vectors are states: "
        "learn has the table loss of the automaton's steps there, and states are never drawn "
        "together by a stage of its own, for those of a map that contracts come together by "
        "themselves.\n\n"
        "train until=quantized is about the model whose vectors snap, of which the table is the "
        "proof: it need not contract, and comes to a proof in far fewer steps, with hundreds of "
        "functions, too.  It has one sort of stages, table: strings hardly meet most pairs of "
        "functions, and train table_loss= learns the products of all from the table itself, with "
        "centres that move, too, until quantize, which takes these centres, finds it right.  A "
        "stage after which more products are wrong is undone.  farthest and mean say of pairs how "
        "far they are from right, which is 0 and less.  The model that was trained does not snap, "
        "is not proved by it, and may be wrong on strings itself.",
    .example = "task p = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on p steps=1500 seed=1 > \"train.txt\"\n"
               "repair m on p > \"repair.txt\"\n"
               "assert verdict == \"proved\" and moved < 0.5 and after == 1",
    .results = "model architecture task seed verdict radius margin labels pairs farthest slope "
               "contraction float_error in_float in_double tolerance rounding word pair obstacle "
               "excess steps seconds tightest gap moved part tries before after",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = repair_options)
{
    ShObject *object = call->operand[0].object;
    const ShObject *task = call->operand[1].object;
    Proving t = {.s = s, .object = object, .task = task, .o = &call->options};
    ThOptions train TH_OWNED(th_options_free) = {0};
    if (!object->as.model->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE, "the %s has not been trained",
                               object->as.model->kind->name);
    if (!sh_need_answers(object->as.model, &call->operand[1], err) ||
        !sh_try_file(s, t.o, "certificate", err) ||
        !th_options_init(&train, th_train_options, err) ||
        !th_options_set(&train, "until", "proved", err) ||
        !sh_find_domain(s, call, object->as.model, task, &t.d, err))
        return false;
    bool ok = repair(&t, &train, err) || sh_error_inside(err, &call->operand[0]);
    th_dfa_free(t.d.words);
    return ok;
}
