#include "proof/check/quantize.h"

#include "proof/check/check_impl.h"
#include "proof/check/nearest.h"
#include "proof/check/points.h"
#include "proof/check/settle.h"
#include "proof/prover.h"
#include "proof/sample.h"

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct {
    ThProofQuantized *q;
    const ThModel *m;
    const ThProofMap *f;
    double *x, *y,
        *z;         /* (labels, dim) each, symbols where they are more: pairs, and what F gives */
    double *margin; /* (labels): by how much the nearest centre is nearer; -1: nothing is asked */
    double *off;    /* (labels): how far a run can be off */
    double *shape;  /* (dim, dim): zero */
    ThProofNearest *nearest;
    ThProofPoints *p;
    ThProofCheckSet *s;
} Table;

/* ---- rounding -------------------------------------------------------------------------------- */

/* Whether a run that rounds by `unit` reads `said` off a centre. */
static bool leads(Table *t, const double *centre, int said, double unit)
{
    t->s->unit = unit;
    const ThProofEllipsoid e = {.centre = centre, .shape = t->shape};
    for (int c = 0; c < t->f->n_classes; c++)
        if (c != said && !(th_proof_check_tree_lead(t->s, t->f, &e, said, c) > 0))
            return false;
    return true;
}

/* A row of the table: what can come behind x, which is NULL for nothing. */
typedef struct {
    const double *x, *y; /* (dim), (n, dim) */
    int n;
    bool leaves;
    ThProofKind kind; /* of what they become */
} Row;

/* The i-th entry of a row, which should snap to `right`; -1: it is in no string that is meant. */
static void enter(Table *t, const Row *r, int i, int right, int *entry)
{
    ThProofQuantized *q = t->q;
    double margin;
    *entry = th_proof_nearest_find(t->nearest, t->z + i * q->dim, r->kind, right, &margin);
    t->margin[i] = right < 0 ? -1 : margin;
    if (right < 0)
        return;
    if (*entry == th_proof_nearest_first(t->nearest, right))
        *entry = right;
    q->checked++;
    q->wrong += *entry != right;
    q->margin = fmin(q->margin, margin);
}

/* Fills t->z: what F makes of a row. */
static bool apply(Table *t, const Row *r, ThError *err)
{
    size_t d = (size_t)t->f->dim;
    for (int i = 0; i < r->n; i++)
        memcpy(t->x + (size_t)i * d, r->x ? r->x : t->f->pad, d * sizeof *t->x);
    return th_proof_map_apply(t->f, r->x ? t->x : NULL, r->y, r->n, t->z, err);
}

/* Could a run that rounds by `unit` snap to other centres than the table says?  Raises *most to
 * what it is off by. */
static bool stays(Table *t, const Row *r, double unit, double *most)
{
    const ThProofPointRows rows = {t->x, r->y, t->z, r->n, !r->x, r->leaves};
    bool ok = true;
    th_proof_points_off(t->p, &rows, unit, t->off);
    for (int i = 0; i < r->n; i++) {
        if (t->margin[i] < 0)
            continue;
        *most = t->off[i] <= *most ? *most : t->off[i];
        ok &= 2 * t->off[i] < t->margin[i];
    }
    return ok;
}

/* What a row's rounding decides; nothing where the table is wrong. */
static void round_row(Table *t, const Row *r)
{
    ThProofQuantized *q = t->q;
    double most = 0;
    if (q->wrong > 0 || stays(t, r, TH_PROOF_FLOAT_UNIT, &q->rounding))
        return; /* what rounds less stays, too */
    q->in_float = false;
    q->in_double &= stays(t, r, TH_PROOF_DOUBLE_UNIT, &most);
}

static bool fill_symbols(Table *t, ThError *err)
{
    const ThProofLabels *l = t->q->labels;
    int k = l->n_symbols, d = t->f->dim;
    for (int a = -1; a < k; a++) {
        const Row r = {a < 0 ? NULL : t->f->leaf + a * d, t->f->leaf, k, true,
                       a < 0 ? TH_PROOF_EDGE : TH_PROOF_COMPLETE};
        const int *right = a < 0 ? l->single : l->pair + a * k;
        int *entry = a < 0 ? t->q->single : t->q->pair + a * k;
        if (!apply(t, &r, err))
            return false;
        for (int b = 0; b < k; b++)
            enter(t, &r, b, right[b], entry + b);
        round_row(t, &r);
    }
    return true;
}

/* All that can come behind the vector of a label, -1: behind nothing. */
static bool fill_row(Table *t, int x, ThError *err)
{
    const ThProofLabels *l = t->q->labels;
    size_t d = (size_t)t->f->dim;
    Row r = {x < 0 ? NULL : t->q->centre + (size_t)x * d, t->y, 0, false,
             x < 0 ? TH_PROOF_EDGE : l->kind[x]};
    const int *right = x < 0 ? l->alone : l->product + x * l->n;
    int *entry = x < 0 ? t->q->alone : t->q->product + x * l->n, i = 0;
    for (int y = 0; y < l->n; y++)
        if (x < 0 || l->kind[y] == TH_PROOF_COMPLETE)
            memcpy(t->y + (size_t)r.n++ * d, t->q->centre + (size_t)y * d, d * sizeof *t->y);
    if (r.n > 0 && !apply(t, &r, err))
        return false;
    for (int y = 0; y < l->n; y++)
        if (x < 0 || l->kind[y] == TH_PROOF_COMPLETE)
            enter(t, &r, i++, right[y], entry + y);
    if (r.n > 0)
        round_row(t, &r);
    return true;
}

static bool fill_products(Table *t, ThStop *stop, ThError *err)
{
    for (int x = -1; x < t->q->labels->n; x++)
        if (th_stopped(stop, err) || !fill_row(t, x, err))
            return false;
    return true;
}

static bool fill_answers(Table *t, ThError *err)
{
    ThProofQuantized *q = t->q;
    int classes = t->f->n_classes;
    double *logit TH_OWNED(free) = th_alloc((size_t)classes, sizeof *logit, err);
    for (int i = 0; logit && i < q->labels->n; i++) {
        const double *centre = q->centre + i * t->f->dim;
        th_proof_map_logits(t->f, t->q->centre + i * t->f->dim, logit);
        for (int c = 1; c < classes; c++)
            if (logit[c] > logit[q->said[i]])
                q->said[i] = c;
        q->in_float &= leads(t, centre, q->said[i], TH_PROOF_FLOAT_UNIT);
        q->in_double &= leads(t, centre, q->said[i], TH_PROOF_DOUBLE_UNIT);
        q->checked += q->labels->answer[i] >= 0;
        q->wrong += q->labels->answer[i] >= 0 && q->said[i] != q->labels->answer[i];
    }
    return logit != NULL;
}

static bool fill(Table *t, ThStop *stop, ThError *err)
{
    ThProofQuantized *q = t->q;
    size_t n = (size_t)q->labels->n;
    q->checked = q->wrong = 0;
    q->margin = HUGE_VAL;
    q->rounding = 0;
    q->in_float = q->in_double = true;
    memset(q->said, 0, n * sizeof *q->said);
    th_proof_nearest_update(t->nearest);
    return fill_symbols(t, err) && fill_products(t, stop, err) && fill_answers(t, err);
}

/* ---- all in all ------------------------------------------------------------------------------ */

static bool take(ThProofQuantized *q, ThError *err)
{
    size_t n = (size_t)q->labels->n, k = (size_t)q->labels->n_symbols;
    q->product = th_alloc(n * n, sizeof *q->product, err);
    q->alone = th_alloc(n, sizeof *q->alone, err);
    q->pair = th_alloc(k * k, sizeof *q->pair, err);
    q->single = th_alloc(k, sizeof *q->single, err);
    q->said = th_alloc(n, sizeof *q->said, err);
    q->centre = th_alloc(n * (size_t)q->dim, sizeof *q->centre, err);
    return q->centre && q->product && q->alone && q->pair && q->single && q->said;
}

/* The centres of sampled vectors. */
static bool sample_centres(Table *t, int levels, uint64_t seed, ThStop *stop, ThError *err)
{
    const ThProofLabels *l = t->q->labels;
    ThProofSample sample = {0};
    ThProofSampleShape shape = {.levels = levels, .per_level = 1200, .seed = seed};
    double reach = 0;
    bool ok = th_proof_sample(t->f, l, &shape, stop, &sample, err) &&
              th_proof_centres(t->f, l, &sample, t->q->centre, &reach, err);
    th_proof_sample_free(&sample);
    if (ok)
        th_proof_settle_round(l, t->q->dim, t->q->centre);
    return ok;
}

/* The centres of a model that snaps, or whose table was trained; else those of samples: where the
 * table is wrong, of lower levels, for vectors of long strings can lie far off, and moved to where
 * its entries are. */
static bool find_table(Table *t, uint64_t seed, ThStop *stop, ThError *err)
{
    enum { LEVELS = 12, LOW = 6 };
    ThProofQuantized *q = t->q;
    const double *left = th_model_centres(t->m, q->labels->n, q->dim),
                 *known = t->f->snap ? t->f->snap : left;
    if (known) {
        size_t size = (size_t)q->labels->n * (size_t)q->dim;
        memcpy(q->centre, known, size * sizeof *q->centre);
        if (!t->f->snap)
            th_proof_settle_round(q->labels, q->dim, q->centre);
        return fill(t, stop, err);
    }
    return sample_centres(t, LEVELS, seed, stop, err) && fill(t, stop, err) &&
           (q->wrong == 0 ||
            (sample_centres(t, LOW, seed, stop, err) &&
             th_proof_settle(t->f, q->labels, seed, q->centre, stop, err) && fill(t, stop, err)));
}

static int count_edges(const ThProofLabels *l)
{
    int n = 0;
    for (int i = 0; i < l->n; i++)
        n += l->kind[i] == TH_PROOF_EDGE;
    return n;
}

/* Asks the model that snaps about the string that its table answers wrong: a run, which rounds, may
 * answer it right, and then there is none. */
static bool ask_model(const Table *t, ThError *err)
{
    ThProofQuantized *q = t->q;
    if (!q->word)
        return true;
    ThModel *made TH_OWNED(th_model_free) = t->f->snap ? NULL : th_proof_snapped(t->m, q, err);
    const ThModel *m = t->f->snap ? t->m : made;
    if (!m || !th_proof_ask(m, q->word, q->length, &q->answer, err))
        return false;
    if (q->answer == q->right) {
        free(q->word);
        q->word = NULL;
        q->length = 0;
    }
    return true;
}

static bool quantize(Table *t, uint64_t seed, ThStop *stop, ThError *err)
{
    const ThProofLabels *l = t->q->labels;
    if (t->f->snap && (t->f->n_snap != l->n || t->f->n_edge != count_edges(l)))
        return th_fail(err, TH_EVALUE,
                       "the model snaps to %d centres, %d of them for strings that lack symbols; "
                       "the automaton has %d and %d labels",
                       t->f->n_snap, t->f->n_edge, l->n, count_edges(l));
    t->q->dim = t->f->dim;
    size_t d = (size_t)t->f->dim;
    int most = l->n > l->n_symbols ? l->n : l->n_symbols;
    size_t rows = (size_t)most;
    t->x = th_alloc(rows * d, sizeof *t->x, err);
    t->y = th_alloc(rows * d, sizeof *t->y, err);
    t->z = th_alloc(rows * d, sizeof *t->z, err);
    t->margin = th_alloc(rows, sizeof *t->margin, err);
    t->off = th_alloc(rows, sizeof *t->off, err);
    t->shape = th_alloc(d * d, sizeof *t->shape, err);
    t->p = th_proof_points_new(t->f, most, err);
    t->s = th_proof_check_set_new((int)d, 1, 0, (int)d, err); /* for answers alone */
    bool ok = t->x && t->y && t->z && t->margin && t->off && t->shape && t->p && t->s &&
              take(t->q, err) &&
              (t->nearest = th_proof_nearest_new(l, t->q->centre, t->f->dim, err)) &&
              find_table(t, seed, stop, err) &&
              (t->q->wrong == 0 || (th_proof_quantized_word(t->q, stop, err) && ask_model(t, err)));
    th_proof_points_free(t->p);
    th_proof_nearest_free(t->nearest);
    TH_FREE(t->x, t->y, t->z, t->margin, t->off, t->shape, t->s);
    return ok;
}

ThProofQuantized *th_proof_quantize(const ThModel *m, const ThProofClaim *claim, size_t limit,
                                    uint64_t seed, ThStop *stop, ThError *err)
{
    ThProofMap *f TH_OWNED(th_proof_map_free) = th_proof_map_of_snapping(m, err);
    ThProofQuantized *q = f ? th_alloc(1, sizeof *q, err) : NULL;
    if (q)
        q->labels =
            th_proof_labels_new(claim->machine, claim->domain, f->n_classes, limit, stop, err);
    Table t = {.q = q, .m = m, .f = f};
    return TH_KEEP_IF(q && q->labels && quantize(&t, seed, stop, err), q, th_proof_quantized_free);
}

void th_proof_quantized_free(ThProofQuantized *q)
{
    if (!q)
        return;
    th_proof_labels_free(q->labels);
    TH_FREE(q->product, q->alone, q->pair, q->single, q->said, q->word, q->centre, q);
}

/* ---- as a model ------------------------------------------------------------------------------ */

/* Weights by their names; those that only the other has are its centres. */
static void copy_weights(const ThModel *m, const ThProofQuantized *q, ThModel *to)
{
    for (int i = 0; i < to->params.n; i++) {
        const ThParam *p = &to->params.item[i];
        int from = th_params_find(&m->params, p->name);
        float *value = th_params_at(&to->params, i);
        size_t n = (size_t)p->rows * (size_t)p->cols;
        for (size_t k = 0; from < 0 && k < n; k++)
            value[k] = (float)q->centre[k];
        if (from >= 0)
            memcpy(value, th_params_at(&m->params, from), n * sizeof *value);
    }
}

/* What it was trained on; the optimiser begins anew, for there are other parameters. */
static bool copy_training(const ThModelTraining *from, ThModelTraining *to, ThError *err)
{
    to->step = to->began = from->step;
    to->trained_lo = from->trained_lo;
    to->trained_hi = from->trained_hi;
    return !from->task || (to->task = th_strdup(from->task, err));
}

ThModel *th_proof_snapped(const ThModel *m, const ThProofQuantized *q, ThError *err)
{
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_copy(&o, &m->options, err) &&
              th_options_set_int(&o, "codebook", q->labels->n, err) &&
              th_options_set_int(&o, "edge_codebook", count_edges(q->labels), err);
    ThModel *to = ok ? th_model_new(m->kind, &o, err) : NULL;
    if (to)
        to->bounds = m->bounds;
    if (!to || !th_model_bind(to, &m->signature, m->training.seed, err) ||
        !copy_training(&m->training, &to->training, err)) {
        th_model_free(to);
        return NULL;
    }
    copy_weights(m, q, to);
    return to;
}
