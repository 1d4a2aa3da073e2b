/* until_measure.c - how far a model is from a proof, and the strings that show it. */
#include <math.h>

#include "lab/until_impl.h"
#include "proof/cell/cell_sample.h"

/* ---- what is claimed ---- */

bool th_train_claim_new(ThTrainClaim *c, const ThTrainProving *how, ThError *err)
{
    const ThTask *t = how->task;
    ThDfa *words TH_OWNED(th_dfa_free) = NULL;
    const double slack = 1e-3; /* what certify takes */
    *c = (ThTrainClaim){0};
    if (!th_task_machine(t, err) || !th_task_words(t, &words, err))
        return false;
    const ThProofAsked asked = {&t->signature, t->machine, words, slack, t->bits};
    c->claim = th_proof_claim_new(how->model, &asked, how->stop, err);
    if (c->claim && !how->model->kind->advance)
        c->labels = th_proof_labels_new(c->claim->machine, c->claim->domain,
                                        how->model->signature.n_classes, TH_TRAIN_MOST_FUNCTIONS,
                                        how->stop, err);
    return c->claim && (c->labels || how->model->kind->advance);
}

void th_train_claim_free(ThTrainClaim *c)
{
    th_proof_labels_free(c->labels);
    th_proof_claim_free(c->claim);
}

/* ---- words that join ---- */

bool th_train_join(ThModel *m, const ThTask *t, const int *word, int length, ThError *err)
{
    const ThSignature *g = &m->signature;
    ThBatch *joined = &m->training.joined, both = {0};
    ThBatch own TH_OWNED(th_batch_free) = {.B = 1, .T = length};
    if (th_batch_holds(joined, word, length))
        return true;
    if (!th_batch_reserve(&own, g, false, err))
        return false;
    memcpy(own.token, word, (size_t)length * sizeof *word);
    th_task_label(t, &own);
    int leave = joined->B < TH_TRAIN_JOINED ? 0 : joined->B + 1 - TH_TRAIN_JOINED;
    ThBatch stay = th_batch_slice(joined, g, leave, joined->B - leave);
    if (!th_batch_join(&both, g, &stay, &own, err)) {
        th_batch_free(&both);
        return false;
    }
    th_batch_free(joined);
    *joined = both;
    return true;
}

/* ---- measuring ---- */

typedef struct {
    const ThTrainProving *how;
    const ThProofLabels *l; /* of a tree, */
    ThProofMap *f;
    const ThDfa *machine; /* or of a cell: label q k + a is state q behind the a-th of k symbols */
    ThProofCell *cell;
    int n, dim, n_classes; /* n: labels */
    ThProofSample s;
    double *centre; /* (n, dim) */
    int *function; /* (n): which function on the automaton's states alone it is, or which state; -1:
                      no vector has this label */
    double *room;  /* (classes, dim) at least */
    double reach;
} Measure;

static double distance(const double *a, const double *b, int dim)
{
    double squares = 0;
    for (int k = 0; k < dim; k++)
        squares += (a[k] - b[k]) * (a[k] - b[k]);
    return squares;
}

/* Numbers functions by the first label that has them: those of a domain's states do not count, for
 * they are nothing to be learned. */
static void find_functions(Measure *m)
{
    for (int i = 0; i < m->n; i++)
        for (m->function[i] = 0; !th_proof_labels_same_map(m->l, i, m->function[i]);)
            m->function[i]++;
}

/* Two labels that have to be told apart. */
static bool rivals(const Measure *m, int i, int j)
{
    return m->function[i] != m->function[j] && m->function[i] >= 0 && m->function[j] >= 0 &&
           (m->cell || m->l->kind[i] == m->l->kind[j]);
}

/* The class that vectors of a label should be read as; -1: none is asked for. */
static int answer_of(const Measure *m, int label)
{
    int class = m->cell ? m->machine->label[label / m->machine->n_symbols] : m->l->answer[label];
    return class < m->n_classes ? class : -1;
}

static void find_logits(const Measure *m, const double *z)
{
    if (m->cell)
        th_proof_cell_logits(m->cell, z, m->room);
    else
        th_proof_map_logits(m->f, z, m->room);
}

/* Is a vector read as another class, or nearer to another centre? */
static bool mixed(Measure *m, int i)
{
    int label = m->s.label[i], right = answer_of(m, label), dim = m->dim;
    const double *z = m->s.z + i * dim;
    if (right >= 0)
        find_logits(m, z);
    for (int c = 0; right >= 0 && c < m->n_classes; c++)
        if (c != right && m->room[c] >= m->room[right])
            return true;
    double own = distance(z, m->centre + label * dim, dim);
    for (int other = 0; other < m->n; other++)
        if (rivals(m, label, other) && distance(z, m->centre + other * dim, dim) <= own)
            return true;
    return false;
}

/* The mean distance of centres from their nearest rivals; 0: there are none. */
static double mean_gap(const Measure *m)
{
    double sum = 0;
    int n = 0, dim = m->dim;
    for (int i = 0; i < m->n; i++) {
        double least = HUGE_VAL;
        for (int j = 0; j < m->n; j++)
            if (rivals(m, i, j))
                least = fmin(least, distance(m->centre + i * dim, m->centre + j * dim, dim));
        sum += isfinite(least) ? sqrt(least) : 0;
        n += isfinite(least);
    }
    return n > 0 ? sum / n : 0;
}

static bool join_vector(Measure *m, int i, ThError *err)
{
    enum { LONGEST = 64 };
    int length;
    int *word TH_OWNED(free) = m->cell ? th_proof_cell_word(&m->s, i, &length, err)
                                       : th_proof_sample_word(&m->s, i, &length, err);
    return word &&
           (length > LONGEST || th_train_join(m->how->model, m->how->task, word, length, err));
}

/* The words of the vectors that are farthest from their centres, one of each label. */
static bool join_farthest(Measure *m, ThError *err)
{
    enum { JOIN = 8 };
    int dim = m->dim, *at TH_OWNED(free) = th_alloc((size_t)m->n, sizeof *at, err);
    double *far TH_OWNED(free) = th_alloc((size_t)m->n, sizeof *far, err);
    bool ok = at && far;
    for (int i = 0; ok && i < m->s.n; i++) {
        int label = m->s.label[i];
        double off = distance(m->s.z + i * dim, m->centre + label * dim, dim);
        if (off > far[label]) {
            far[label] = off;
            at[label] = i;
        }
    }
    for (int k = 0; ok && k < JOIN && k < m->n; k++) {
        int most = 0;
        for (int i = 1; i < m->n; i++)
            most = far[i] > far[most] ? i : most;
        far[most] = 0;
        ok = join_vector(m, at[most], err);
    }
    return ok;
}

static bool judge(Measure *m, ThModelStage *to, ThError *err)
{
    enum { JOIN = 16 };
    int n = 0;
    bool ok = true;
    for (int i = 0; ok && i < m->s.n; i++) {
        ok = !th_stopped(m->how->stop, err);
        if (!ok || !mixed(m, i))
            continue;
        n++;
        ok = n > JOIN || join_vector(m, i, err);
    }
    to->mixed = (double)n / m->s.n;
    to->gap = mean_gap(m);
    to->reach = m->reach / fmax(to->gap, 1e-9);
    return ok && (n > 0 || join_farthest(m, err));
}

static bool take_room(Measure *m, ThError *err)
{
    size_t n = (size_t)m->n, dim = (size_t)m->dim;
    m->centre = th_alloc(n * dim, sizeof *m->centre, err);
    m->room = th_alloc((size_t)m->n_classes + dim, sizeof *m->room, err);
    m->function = th_alloc(n, sizeof *m->function, err);
    return m->centre && m->room && m->function;
}

static bool measure_tree(Measure *m, ThError *err)
{
    const ThProofSampleShape shape = {.levels = 9, .per_level = 800, .seed = 2};
    if (!(m->f = th_proof_map_new(m->how->model, err)))
        return false;
    m->n = m->l->n;
    m->dim = m->f->dim;
    m->n_classes = m->f->n_classes;
    if (!take_room(m, err))
        return false;
    find_functions(m);
    return th_proof_sample(m->f, m->l, &shape, m->how->stop, &m->s, err) &&
           th_proof_centres(m->f, m->l, &m->s, m->centre, &m->reach, err);
}

static bool measure_cell(Measure *m, ThError *err)
{
    int k = m->machine->n_symbols;
    if (!(m->cell = th_proof_cell_new(m->how->model, err)))
        return false;
    m->n = m->machine->n_states * k;
    m->dim = m->cell->dim;
    m->n_classes = m->cell->n_classes;
    if (!take_room(m, err) || !th_proof_cell_sample(m->cell, m->machine, 2, &m->s, err))
        return false;
    th_proof_cell_behind(&m->s, k, k, 1);
    for (int i = 0; i < m->n; i++) {
        bool met = th_proof_sample_centre(&m->s, i, m->centre + i * m->dim, &m->reach);
        m->function[i] = met ? i / k : -1;
    }
    return true;
}

bool th_train_measure(const ThTrainProving *how, const ThTrainClaim *c, ThModelStage *to,
                      ThError *err)
{
    Measure m = {.how = how, .l = c->labels, .machine = c->claim->machine};
    bool ok = (m.l ? measure_tree(&m, err) : measure_cell(&m, err)) && judge(&m, to, err);
    th_proof_sample_free(&m.s);
    th_proof_map_free(m.f);
    th_proof_cell_free(m.cell);
    TH_FREE(m.centre, m.room, m.function);
    return ok;
}
