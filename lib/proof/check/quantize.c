#include "proof/check/quantize.h"

#include "proof/check/check_impl.h"
#include "proof/check/points.h"
#include "proof/sample.h"

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct {
    ThProofQuantized *q;
    const ThProofMap *f;
    double *x, *y,
        *z;         /* (labels, dim) each, symbols where they are more: pairs, and what F gives */
    double *margin; /* (labels): by how much the nearest centre is nearer; -1: nothing is asked */
    double *off;    /* (labels): how far a run can be off */
    double *shape;  /* (dim, dim): zero */
    double *mean;   /* (labels, dim): of what F gives where a label is right, */
    int *met;       /* (labels): so often */
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

/* Labels of which no strings but those of a domain know that they differ share a centre. */
static bool same_centre(const ThProofQuantized *q, int i, int j)
{
    size_t d = (size_t)q->dim;
    return memcmp(q->centre + (size_t)i * d, q->centre + (size_t)j * d, d * sizeof *q->centre) == 0;
}

/* The square of the distance of two vectors, or a lower bound of it that is `enough`. */
static double square_distance(const double *a, const double *b, int dim, double enough)
{
    enum { AT_ONCE = 8 };
    double square = 0;
    for (int from = 0; from < dim && square < enough; from += AT_ONCE)
        for (int k = from; k < dim && k < from + AT_ONCE; k++)
            square += (a[k] - b[k]) * (a[k] - b[k]);
    return square;
}

/* The first label of a kind whose centre is nearest to z; *margin becomes by how much, beside other
 * centres. */
static int snap(const ThProofQuantized *q, const double *z, ThProofKind kind, double *margin)
{
    double near = HUGE_VAL, next = HUGE_VAL;
    int label = -1;
    for (int i = 0; i < q->labels->n; i++) {
        if (q->labels->kind[i] != kind)
            continue;
        double square = square_distance(z, q->centre + i * q->dim, q->dim, next);
        if (square >= next || (label >= 0 && same_centre(q, i, label)))
            continue;
        next = fmax(near, square);
        if (square < near) {
            near = square;
            label = i;
        }
    }
    *margin = sqrt(next) - sqrt(near);
    return label;
}

/* A row of the table: what can come behind x, which is NULL for nothing. */
typedef struct {
    const double *x, *y; /* (dim), (n, dim) */
    int n;
    bool leaves;
    ThProofKind kind; /* of what they become */
} Row;

static void add_to_mean(Table *t, int label, const double *z)
{
    int d = t->q->dim, n = ++t->met[label];
    for (int k = 0; k < d; k++)
        t->mean[label * d + k] += (z[k] - t->mean[label * d + k]) / n;
}

/* The i-th entry of a row, which should snap to `right`; -1: it is in no string that is meant. */
static void enter(Table *t, const Row *r, int i, int right, int *entry)
{
    ThProofQuantized *q = t->q;
    double margin;
    *entry = snap(q, t->z + i * q->dim, r->kind, &margin);
    t->margin[i] = right < 0 ? -1 : margin;
    if (right < 0)
        return;
    add_to_mean(t, right, t->z + i * q->dim);
    if (*entry >= 0 && same_centre(q, *entry, right))
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
    memset(t->met, 0, n * sizeof *t->met);
    memset(t->mean, 0, n * (size_t)q->dim * sizeof *t->mean);
    return fill_symbols(t, err) && fill_products(t, stop, err) && fill_answers(t, err);
}

/* ---- the shortest string that is wrong ------------------------------------------------------- */

enum { MOST_LEVELS = 12, MOST_ITEMS = 400 };

/* A vector that a level can hold: where it snaps to, what it stands for, the length of a shortest
 * string of it, and its children in the level below (symbols at the lowest; x -1: nothing). */
typedef struct {
    int at, label, length, x, y;
} Item;

typedef struct {
    Item item[MOST_ITEMS];
    int n;
} Level;

typedef struct {
    ThProofQuantized *q;
    Level *level; /* (MOST_LEVELS) */
    int depth;
    Item wrong; /* the shortest of this level that is answered wrong; length 0: none */
} Search;

static void offer(Search *s, Level *to, const Item *new, bool root)
{
    const ThProofQuantized *q = s->q;
    if (new->label < 0 || new->at < 0) /* in no string that is meant; or there is no centre */
        return;
    int right = q->labels->answer[new->label];
    if (root && right >= 0 && q->said[new->at] != right &&
        (s->wrong.length == 0 || new->length < s->wrong.length))
        s->wrong = *new;
    for (int i = 0; i < to->n; i++) {
        Item *known = &to->item[i];
        if (known->at != new->at || known->label != new->label)
            continue;
        if (new->length < known->length)
            *known = *new;
        return;
    }
    if (to->n < MOST_ITEMS)
        to->item[to->n++] = *new;
}

static void first_level(Search *s)
{
    const ThProofQuantized *q = s->q;
    const ThProofLabels *l = q->labels;
    int k = l->n_symbols;
    for (int a = -1; a < k; a++)
        for (int b = 0; b < k; b++) {
            Item new = {a < 0 ? q->single[b] : q->pair[a * k + b],
                        a < 0 ? l->single[b] : l->pair[a * k + b], a < 0 ? 1 : 2, a, b};
            offer(s, &s->level[0], &new, true);
        }
}

static void next_level(Search *s, const Level *from, Level *to)
{
    const ThProofQuantized *q = s->q;
    const ThProofLabels *l = q->labels;
    for (int y = 0; y < from->n; y++) {
        const Item *later = &from->item[y];
        Item new = {q->alone[later->at], l->alone[later->label], later->length, -1, y};
        offer(s, to, &new, false); /* no string's root: it has a level more than it needs */
        for (int x = 0; l->kind[later->label] == TH_PROOF_COMPLETE && x < from->n; x++) {
            const Item *e = &from->item[x];
            new =
                (Item){q->product[e->at * l->n + later->at],
                       l->product[e->label * l->n + later->label], e->length + later->length, x, y};
            offer(s, to, &new, true);
        }
    }
}

/* Writes the symbols of an item of a level; returns the place behind them. */
static int *spell(const Search *s, int level, const Item *item, int *to)
{
    if (level == 0) {
        if (item->x >= 0)
            *to++ = item->x;
        *to++ = item->y;
        return to;
    }
    const Level *below = &s->level[level - 1];
    if (item->x >= 0)
        to = spell(s, level - 1, &below->item[item->x], to);
    return spell(s, level - 1, &below->item[item->y], to);
}

static bool find_word(ThProofQuantized *q, ThStop *stop, ThError *err)
{
    Search s = {.q = q, .level = th_alloc(MOST_LEVELS, sizeof *s.level, err)};
    bool ok = s.level != NULL;
    if (ok)
        first_level(&s);
    while (ok && s.wrong.length == 0 && ++s.depth < MOST_LEVELS) {
        ok = !th_stopped(stop, err);
        next_level(&s, &s.level[s.depth - 1], &s.level[s.depth]);
    }
    if (ok && s.wrong.length > 0) {
        q->length = s.wrong.length;
        q->right = q->labels->answer[s.wrong.label];
        q->answer = q->said[s.wrong.at];
        q->word = th_alloc((size_t)q->length, sizeof *q->word, err);
        ok = q->word != NULL;
        if (ok)
            spell(&s, s.depth, &s.wrong, q->word);
    }
    free(s.level);
    return ok;
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

static bool share_centre(const ThProofLabels *l, int i, int j)
{
    return l->kind[i] == l->kind[j] && th_proof_labels_same_map(l, i, j);
}

/* Labels that share a centre get the mean of theirs. */
static void share_centres(const ThProofLabels *l, int d, double *centre)
{
    for (int i = 0; i < l->n; i++) {
        double *mean = centre + i * d;
        int n = 1, first = 0;
        while (!share_centre(l, i, first))
            first++;
        if (first < i)
            memcpy(mean, centre + first * d, (size_t)d * sizeof *mean);
        for (int j = i + 1; first == i && j < l->n; j++) {
            if (!share_centre(l, i, j))
                continue;
            n++;
            for (int k = 0; k < d; k++)
                mean[k] += (centre[j * d + k] - mean[k]) / n;
        }
    }
}

/* As a model would hold them. */
static void round_centres(Table *t)
{
    int size = t->q->labels->n * t->q->dim;
    share_centres(t->q->labels, t->q->dim, t->q->centre);
    for (int i = 0; i < size; i++)
        t->q->centre[i] = (double)(float)t->q->centre[i];
}

/* The centres of sampled vectors, and the table. */
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
        round_centres(t);
    return ok && fill(t, stop, err);
}

/* Moves centres to the means of what the table's rows give, as long as fewer entries are wrong:
 * there the map takes pairs of centres, which need not be where vectors of strings are. */
static bool move_centres(Table *t, ThStop *stop, ThError *err)
{
    enum { ROUNDS = 8 };
    ThProofQuantized *q = t->q;
    size_t d = (size_t)q->dim, size = (size_t)q->labels->n * d * sizeof *q->centre;
    double *before TH_OWNED(free) = th_alloc(size, 1, err);
    for (int round = 0; round < ROUNDS && before && q->wrong > 0; round++) {
        int wrong = q->wrong;
        memcpy(before, q->centre, size);
        for (int i = 0; i < q->labels->n; i++)
            if (t->met[i] > 0)
                memcpy(q->centre + (size_t)i * d, t->mean + (size_t)i * d, d * sizeof *t->mean);
        round_centres(t);
        if (!fill(t, stop, err))
            return false;
        if (q->wrong < wrong)
            continue;
        memcpy(q->centre, before, size);
        return fill(t, stop, err);
    }
    return before != NULL;
}

/* The centres of a model that snaps; else those of samples: where the table is wrong, of lower
 * levels, for vectors of long strings can lie far off. */
static bool find_table(Table *t, uint64_t seed, ThStop *stop, ThError *err)
{
    enum { LEVELS = 12, LOW = 6 };
    ThProofQuantized *q = t->q;
    if (t->f->snap) {
        size_t size = (size_t)q->labels->n * (size_t)q->dim;
        memcpy(q->centre, t->f->snap, size * sizeof *q->centre);
        return fill(t, stop, err);
    }
    return sample_centres(t, LEVELS, seed, stop, err) &&
           (q->wrong == 0 ||
            (sample_centres(t, LOW, seed, stop, err) && move_centres(t, stop, err)));
}

static int count_edges(const ThProofLabels *l)
{
    int n = 0;
    for (int i = 0; i < l->n; i++)
        n += l->kind[i] == TH_PROOF_EDGE;
    return n;
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
    t->mean = th_alloc((size_t)l->n * d, sizeof *t->mean, err);
    t->met = th_alloc((size_t)l->n, sizeof *t->met, err);
    bool ok = t->mean && t->met && t->x && t->y && t->z && t->margin && t->off && t->shape &&
              t->p && t->s && take(t->q, err) && find_table(t, seed, stop, err) &&
              (t->q->wrong == 0 || find_word(t->q, stop, err));
    th_proof_points_free(t->p);
    TH_FREE(t->x, t->y, t->z, t->margin, t->off, t->shape, t->mean, t->met, t->s);
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
    Table t = {.q = q, .f = f};
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
