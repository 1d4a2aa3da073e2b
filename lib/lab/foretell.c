#include "lab/foretell.h"

#include <math.h>

#include "lab/evaluate.h"

enum { CHUNK = 64 };

/* What is being added up. */
typedef struct {
    const ThModel *model;
    const ThTask *task;
    ThTape *tape;
    ThBatch batch;
    double *p, *q; /* of a batch, and of an answer */
    size_t cap_p;
    double weight, steps; /* sums of weights of strings, and of these times the answers */
} Sum;

/* Adds one string, whose logits begin at an entry of z. */
static void add_string(Sum *u, int row, ThVar z, bool all, ThLabForetold *to)
{
    const ThBatch *b = &u->batch;
    const ThSignature *s = &u->task->signature;
    const int *target = th_batch_target(s, b, row);
    size_t n = (size_t)s->n_classes, at = (size_t)row * (size_t)b->T * n;
    double cross = 0, entropy = 0, apart = 0, possible = 0, answers = 0;
    for (int k = 0; k < b->T; k++, at += n) {
        const double *p = u->p + at;
        if (target[k] < 0)
            continue;
        for (size_t c = 0; c < n; c++)
            u->q[c] = th_tape_at(u->tape, z, at + c);
        possible += p[th_score_class(u->q, (int)n)] > 0;
        th_lab_probabilities(s->target, u->q, (int)n);
        for (size_t c = 0; c < n; c++)
            apart += fabs(p[c] - u->q[c]) / 2;
        cross -= log2(u->q[target[k]]);
        entropy -= log2(p[target[k]]);
        answers++;
    }
    double w = all ? exp2(-entropy) : 1;
    if (!(w > 0))
        return; /* an impossible one */
    bool steps = isnan(to->probability);
    u->weight += w;
    u->steps += w * answers;
    to->cross += w * cross;
    to->entropy += w * entropy;
    to->variation += w * (steps ? apart : fmax(0, 1 - exp2(entropy - cross)));
    to->accuracy += w * possible;
    to->strings++;
}

static bool add_batch(Sum *u, ThTaskForetold *which, uint64_t seed, ThLabForetold *to, ThError *err)
{
    ThBatch *b = &u->batch;
    const ThSignature *s = &u->task->signature;
    size_t size = (size_t)CHUNK * (size_t)(b->T = th_task_tokens(u->task, which->length));
    ThRng r = th_rng(seed, "foretell", (uint64_t)which->length << 32 | (uint64_t)which->first);
    b->B = which->most - which->first < CHUNK ? (int)(which->most - which->first) : CHUNK;
    if (!th_batch_reserve(b, s, false, err) ||
        !th_grow(&u->p, &u->cap_p, size * (size_t)s->n_classes, sizeof *u->p, err) ||
        !u->task->kind->foretell(u->task, &r, which, b, u->p, err))
        return false;
    if (b->B < 1)
        return true;
    th_tape_begin(u->tape, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(u->model, u->tape, b, &(ThModelForward){.share = true});
    if (!th_tape_ok(u->tape, err))
        return false;
    to->probability = which->probability;
    for (int i = 0; i < b->B; i++)
        add_string(u, i, z, which->all, to);
    return isfinite(to->cross) || th_model_fail_infinite(u->model, err);
}

/* From sums to means; what is known takes the place of what was drawn. */
static void divide(const Sum *u, const ThTaskForetold *which, ThLabForetold *to)
{
    bool steps = isnan(to->probability);
    to->all = which->all;
    to->cross /= steps ? u->steps : u->weight;
    to->entropy /= steps ? u->steps : u->weight;
    to->accuracy /= u->steps;
    to->variation /= steps ? u->steps : u->weight / to->probability;
    if (!which->all && isfinite(which->entropy)) {
        to->cross += which->entropy - to->entropy;
        to->entropy = which->entropy;
    }
}

bool th_lab_foretell(const ThModel *m, const ThTask *t, ThTaskForetold which, uint64_t seed,
                     ThLabForetold *to, ThStop *stop, ThError *err)
{
    Sum u = {.model = m, .task = t};
    *to = (ThLabForetold){.length = which.length};
    if (!t->kind->foretell)
        return th_fail(err, TH_EVALUE, "the truth is not known of a task of kind %s",
                       t->kind->name);
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has not been trained on any task yet");
    if (!th_signature_match(&m->signature, &t->signature, err))
        return false;
    u.tape = th_model_run_tape(m, 1, err);
    u.q = th_alloc((size_t)t->signature.n_classes, sizeof *u.q, err);
    bool ok = u.tape && u.q;
    for (u.batch.B = 1; ok && u.batch.B > 0 && which.first < which.most; which.first += u.batch.B)
        ok = !th_stopped(stop, err) && add_batch(&u, &which, seed, to, err);
    if (ok && !(u.weight > 0))
        ok = th_fail(err, TH_EVALUE, "no string has length %d", which.length);
    if (ok)
        divide(&u, &which, to);
    th_tape_free(u.tape);
    th_batch_free(&u.batch);
    TH_FREE(u.p, u.q);
    return ok;
}
