#include "proof/certify.h"

#include <math.h>

#include "proof/cell/cell.h"
#include "proof/prover.h"
#include "proof/matrix.h"

/* ---- words that are answered wrong ----------------------------------------------------------- */

static bool misjudged(const ThProofProver *v, int i, double *logits)
{
    int right = v->p->labels->answer[v->sample.label[i]];
    th_proof_map_logits(v->f, v->sample.z + i * v->f->dim, logits);
    for (int c = 0; right >= 0 && c < v->f->n_classes; c++)
        if (c != right && logits[c] >= logits[right])
            return true;
    return false;
}

/* Finds a vector that is misjudged, and of which the model says that its string is.  (A vector
 * whose left edge has more pads than its string needs is no string's root.) */
static bool find_wrong(ThProofProver *v, ThError *err)
{
    enum { TRIES = 50 };
    ThProof *p = v->p;
    double *logits TH_OWNED(free) = th_alloc((size_t)v->f->n_classes, sizeof *logits, err);
    bool ok = logits != NULL;
    for (int i = 0, tries = 0; ok && !p->word && i < v->sample.n && tries < TRIES; i++) {
        if (!misjudged(v, i, logits))
            continue;
        tries++;
        p->right = p->labels->answer[v->sample.label[i]];
        p->word = th_proof_sample_word(&v->sample, i, &p->length, err);
        ok = p->word && th_proof_ask(v->m, p->word, p->length, &p->said, err);
        if (ok && p->said == p->right) {
            free(p->word);
            p->word = NULL;
        }
    }
    if (p->word)
        p->verdict = TH_PROOF_WRONG;
    return ok;
}

/* ---- how far a float run is from the map ----------------------------------------------------- */

/* Compares a level of a run with what the map makes of the level below, whose vectors are in *at
 * (n of them); then moves on. */
static bool compare_level(ThProofProver *v, const ThModelTraceLayer *y, double *at, int n,
                          ThError *err)
{
    int d = v->f->dim, odd = n % 2;
    double *out TH_OWNED(free) = th_alloc((size_t)d, sizeof *out, err);
    bool ok = out != NULL;
    for (int i = 0; ok && i < y->n_rows; i++) {
        const double *later = at + (2 * i + 1 - odd) * d;
        ok = th_proof_map_apply(v->f, i == 0 && odd ? NULL : later - d, later, 1, out, err);
        for (int k = 0; k < d; k++)
            out[k] -= y->state[i * d + k];
        v->p->float_error = fmax(v->p->float_error, th_proof_length(out, d));
    }
    return ok;
}

static bool compare_word(ThProofProver *v, const int *word, int length, ThError *err)
{
    int d = v->f->dim;
    ThModelTrace *t TH_OWNED(th_model_trace_free) = th_model_trace(v->m, word, length, err);
    double *at TH_OWNED(free) = th_alloc((size_t)length * (size_t)d, sizeof *at, err);
    bool ok = t && at;
    for (int i = 0; ok && i < length; i++)
        memcpy(at + i * d, v->f->leaf + word[i] * d, (size_t)d * sizeof *at);
    for (int l = 0, n = length; ok && l < t->n_layers; l++) {
        const ThModelTraceLayer *y = &t->layer[l];
        if (y->n_rows != (n + 1) / 2)
            break; /* the dilated form, which computes the same vectors and others */
        ok = compare_level(v, y, at, n, err);
        n = y->n_rows;
        memcpy(at, y->state, (size_t)n * (size_t)d * sizeof *at);
    }
    return ok;
}

static bool measure_floats(ThProofProver *v, ThError *err)
{
    enum { WORDS = 16, LONGEST = 64 };
    ThRng r = th_rng(1, "proof.float", 0);
    int word[LONGEST];
    for (int i = 0; i < WORDS; i++) {
        int length = 1 + (int)th_rng_below(&r, LONGEST);
        for (int k = 0; k < length; k++)
            word[k] = (int)th_rng_below(&r, (uint64_t)v->f->n_symbols);
        if (!compare_word(v, word, length, err))
            return false;
    }
    return true;
}

/* ---- all in all ------------------------------------------------------------------------------ */

static bool prepare(ThProofProver *v, const ThProofClaim *claim, const ThProofHow *how,
                    ThError *err)
{
    ThProof *p = v->p;
    p->labels = th_proof_labels_new(claim->machine, claim->domain, v->f->n_classes, how->limit,
                                    v->stop, err);
    if (!p->labels)
        return false;
    size_t n = (size_t)(p->n = p->labels->n);
    p->dim = v->f->dim;
    p->digest = v->f->digest;
    th_proof_open(p, claim->slack);
    p->centre = th_alloc(n * (size_t)p->dim, sizeof *p->centre, err);
    p->radius = th_alloc(n, sizeof *p->radius, err);
    ThProofSampleShape shape = {.levels = 12, .per_level = 1200, .seed = how->seed};
    return p->centre && p->radius &&
           th_proof_sample(v->f, p->labels, &shape, v->stop, &v->sample, err);
}

static bool certify(ThProofProver *v, const ThProofClaim *claim, const ThProofHow *how,
                    ThError *err)
{
    if (!prepare(v, claim, how, err) || !find_wrong(v, err))
        return false;
    if (v->p->verdict == TH_PROOF_WRONG)
        return true;
    return th_proof_centres(v->f, v->p->labels, &v->sample, v->p->centre, &v->p->reach, err) &&
           measure_floats(v, err) && th_proof_close(v, err);
}

bool th_proof_takes(const ThModel *m, const ThProofClaim *claim, ThError *err)
{
    if (claim->bits)
        return th_fail(err, TH_EVALUE, "answers that are sets of classes cannot be certified");
    return !claim->domain || !th_proof_is_cell(m) ||
           th_fail(err, TH_EVALUE, "what is proved of recurrent networks is about all strings");
}

ThProof *th_proof_certify(const ThModel *m, const ThProofClaim *claim, const ThProofHow *how,
                          ThStop *stop, ThError *err)
{
    if (!th_proof_takes(m, claim, err))
        return NULL;
    if (th_proof_is_cell(m))
        return th_proof_certify_cell(m, claim, how, stop, err);
    ThProofMap *f TH_OWNED(th_proof_map_free) = th_proof_map_new(m, err);
    ThProof *p = f ? th_alloc(1, sizeof *p, err) : NULL;
    ThProofProver v = {.m = m, .f = f, .p = p, .stop = stop, .balls = how->balls};
    bool ok = p && certify(&v, claim, how, err);
    th_proof_sample_free(&v.sample);
    return TH_KEEP_IF(ok, p, th_proof_free);
}
