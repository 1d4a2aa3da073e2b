/* until_stages.c - which stage follows, and what it does: tables. */
#include <math.h>
#include <stdio.h>

#include "lab/train_impl.h"
#include "lab/until_impl.h"

/* A stage's options where they are not given; `loss` is the one that is weakened where it was too
 * strong.  The first time it has so many steps, and each time more.  The rate falls, for what
 * nearly contracts is easily spoiled; where there are many functions it would come to nothing
 * before the last pairs contract (modulo 3 stood at 1.06 of its room), so that it falls no farther
 * than `slowest`. */
typedef struct {
    const char *name, *options, *loss;
    double weight, rate;
    double slower, slowest; /* the rate each time beside the last, and at least beside the first */
    double narrowest, widest; /* balls: between these, a few times how far vectors lie from their
                                 centres, beyond which slopes are others; 0: as options have it */
    long long steps, most;
} Stage;

static const Stage stages[TH_TRAIN_STAGES] = {
    [TH_TRAIN_BEFORE] = {.name = "before"},
    [TH_TRAIN_LEARN] = {"learn",
                        "batch=64 noise=0.1 auxiliary_loss=1 optimizer=muon segments=balanced "
                        "schedule=cosine recipe=plain",
                        "centre_loss", 0.02, 2e-3, 1, 1, 0, 0, 1500, 6000},
    [TH_TRAIN_DRAW] = {"draw",
                       "batch=32 noise=0.2 ramp=0.3 auxiliary_loss=1 optimizer=muon "
                       "segments=balanced schedule=cosine recipe=plain",
                       "centre_loss", 0.5, 2e-3, 1, 1, 0, 0, 1500, 6000},
    [TH_TRAIN_CONTRACT] = {"contract",
                           "batch=16 warmup=100 optimizer=muon segments=balanced "
                           "schedule=cosine recipe=plain",
                           "contraction_loss", 1, 3e-3, 0.7, 0.2, 0.03, 0.05, 1500, 6000},
    [TH_TRAIN_TABLE] = {"table",
                        "batch=16 noise=0.1 warmup=20 optimizer=muon segments=balanced "
                        "schedule=cosine recipe=plain",
                        "table_loss", 1, 2e-3, 0.7, 0, 0, 0, 300, 6000}};
/* A cell's states come together once it is made to contract; that its steps stay those of the
 * automaton is learned on meanwhile. */
static const Stage of_cells[TH_TRAIN_STAGES] = {
    [TH_TRAIN_LEARN] = {"learn",
                        "batch=16 noise=0.4 optimizer=adamw decay=0.01 warmup=20 schedule=cosine "
                        "recipe=plain",
                        "table_loss", 1, 1e-2, 0.7, 0, 0, 0, 1500, 6000},
    [TH_TRAIN_CONTRACT] = {
        "contract",
        "batch=16 warmup=100 radius=0.05 table_loss=0.1 noise=0.4 optimizer=muon decay=0.01 "
        "schedule=cosine recipe=plain",
        "contraction_loss", 1, 1e-2, 0.6, 0, 0, 0, 3000, 6000}};

const char *th_train_stage_name(ThTrainStage stage)
{
    return stages[stage].name;
}

/* How often a stage was done, and of these times undone. */
static int count(const ThModelTraining *t, ThTrainStage stage, bool undone)
{
    int n = 0;
    for (size_t i = 0; i < t->n_stages; i++)
        n += t->stage[i].stage == (int)stage && (!undone || t->stage[i].undone);
    return n;
}

/* What the last figures ask for. */
static ThTrainStage choose(const ThTrainRun *r, const ThModelStage *last)
{
    const double near = 0.1; /* a reach from which contraction can go on */
    bool draws = !r->how->model->kind->advance;
    if (r->how->quantized)
        return TH_TRAIN_TABLE;
    if (last->mixed > 0 || last->verdict == TH_PROOF_WRONG)
        return TH_TRAIN_LEARN;
    /* what is drawn without end is not drawn near */
    return last->reach > near && draws && last->stage != TH_TRAIN_DRAW ? TH_TRAIN_DRAW
                                                                       : TH_TRAIN_CONTRACT;
}

static const Stage *stage_of(const ThTrainRun *r, ThTrainStage stage)
{
    return r->how->model->kind->advance ? &of_cells[stage] : &stages[stage];
}

ThTrainPlan th_train_plan(const ThTrainRun *r)
{
    const ThModelTraining *t = &r->how->model->training;
    enum { SHORTEST = 16, LONGEST = 64 };
    const double few = 3.5;
    const ThModelStage *last = &t->stage[t->n_stages - 1];
    ThTrainStage stage = choose(r, last);
    const Stage *s = stage_of(r, stage);
    ThTrainPlan p = {.stage = stage, .longest = SHORTEST};
    int done = count(t, stage, false), undone = count(t, stage, true);
    int learned = count(t, TH_TRAIN_LEARN, false);
    p.strength = pow(0.5, undone);
    p.rate = p.strength * fmax(pow(s->slower, done - undone), s->slowest);
    p.radius = fmax(s->narrowest, fmin(s->widest, few * last->reach * last->gap));
    p.steps = s->steps;
    for (int i = 0; i < done && p.steps < s->most; i++)
        p.steps *= 2;
    for (int i = 1; i < learned + (stage == TH_TRAIN_LEARN) && p.longest < LONGEST; i++)
        p.longest *= 2;
    return p;
}

bool th_train_stage_options(const ThTrainRun *r, const ThTrainPlan *p, ThOptions *o, ThError *err)
{
    const Stage *s = stage_of(r, p->stage);
    char own[200], radius[40] = "";
    if (p->radius > 0)
        snprintf(radius, sizeof radius, " radius=%.9g", p->radius);
    snprintf(own, sizeof own, "%s=%.9g lr=%.9g length=1..%d%s", s->loss, s->weight * p->strength,
             s->rate * p->rate * r->how->rate, p->longest, radius);
    return th_options_copy(o, r->how->options, err) && th_train_set_words(o, own, err) &&
           th_train_set_words(o, s->options, err) && th_options_set_int(o, "steps", p->steps, err);
}
