#include "tensor/optimizers/optimizer.h"

#include "base/registry.h"

#define OPTIMIZER(id) extern const ThOptimizer th_optimizer_##id;
#include "tensor/optimizers/optimizers.def"
#undef OPTIMIZER

static const ThOptimizer *const all[] = {
#define OPTIMIZER(id) &th_optimizer_##id,
#include "tensor/optimizers/optimizers.def"
#undef OPTIMIZER
};

const char th_optimizer_choices[] =
#define OPTIMIZER(id) "|" #id
#include "tensor/optimizers/optimizers.def"
#undef OPTIMIZER
    ;

TH_REGISTRY(ThOptimizer, all, th_optimizer_all, th_optimizer_find)

static size_t size_of(const ThParam *p)
{
    return (size_t)p->rows * (size_t)p->cols;
}

static ThOptimizerRun run_at(const ThOptimizerUpdate *u, const ThOptimizerState *s,
                             const ThParam *p, size_t at)
{
    ThOptimizerRun r = {.w = s->params->value + at,
                        .g = s->gradient + at,
                        .decays = p->decays,
                        .scratch = s->scratch};
    for (int k = 0; k < u->rule->slots; k++)
        r.slot[k] = s->slot[k] + at;
    return r;
}

/* Where a slice that begins, or ends, at a place in the list does so in a parameter: vector code
 * rounds otherwise than what it leaves to the end, so that all slices are whole blocks but for the
 * parameter's end, and the same bits come of any number of them. */
static size_t place_in(const ThParam *p, size_t at)
{
    enum { BLOCK = 64 };
    size_t n = size_of(p), behind = at > p->offset ? (at - p->offset) / BLOCK * BLOCK : 0;
    return p->offset + (at >= p->offset + n ? n : behind);
}

/* A slice may begin and end within a parameter. */
static void update_slice(const ThOptimizerUpdate *u, const ThOptimizerState *s, size_t from,
                         size_t to)
{
    for (int i = 0; i < s->params->n; i++) {
        const ThParam *item = &s->params->item[i];
        size_t first = place_in(item, from), last = place_in(item, to);
        if (first >= last)
            continue;
        ThOptimizerRun r = run_at(u, s, item, first);
        r.n = last - first;
        u->rule->update(u, &r);
    }
}

/* How long an update takes, more or less: products of matrices where it is hidden. */
static double cost_of(const ThParam *p)
{
    int inner = p->rows < p->cols ? p->rows : p->cols;
    return (double)size_of(p) * (p->hidden ? 2.0 * inner : 1.0);
}

static void update_piece(const ThOptimizerUpdate *u, const ThOptimizerState *s, const ThParam *p,
                         int piece, bool prepare)
{
    int cols = p->hidden ? p->cols / p->hidden : p->cols;
    ThOptimizerRun r = run_at(u, s, p, p->offset + (size_t)piece * (size_t)cols);
    r.n = size_of(p);
    if (p->hidden) {
        r.rows = p->rows;
        r.cols = cols;
        r.stride = p->cols;
    }
    if (!prepare)
        u->rule->update(u, &r);
    else if (p->hidden && !(u->stop && *u->stop))
        u->rule->prepare(u, &r);
}

/* The pieces in their order, cut where about the same work has been given to every part. */
static void update_whole(const ThOptimizerUpdate *u, const ThOptimizerState *s, int part, int parts,
                         bool prepare)
{
    double total = 0, before = 0;
    for (int i = 0; i < s->params->n; i++)
        total += cost_of(&s->params->item[i]);
    for (int i = 0; i < s->params->n; i++) {
        const ThParam *p = &s->params->item[i];
        int pieces = p->hidden ? p->hidden : 1;
        for (int k = 0; k < pieces; k++) {
            double each = cost_of(p) / pieces;
            if ((int)((before + each / 2) / total * parts) == part)
                update_piece(u, s, p, k, prepare);
            before += each;
        }
    }
}

void th_optimizer_prepare(const ThOptimizerUpdate *u, const ThOptimizerState *s, int part,
                          int parts)
{
    if (u->rule->prepare)
        update_whole(u, s, part, parts, true);
}

void th_optimizer_update(const ThOptimizerUpdate *u, const ThOptimizerState *s, int part, int parts)
{
    size_t total = s->params->total, n = (size_t)parts, i = (size_t)part;
    if (u->rule->whole)
        update_whole(u, s, part, parts, false);
    else
        update_slice(u, s, total / n * i, part + 1 == parts ? total : total / n * (i + 1));
}

size_t th_optimizer_scratch(const ThOptimizer *rule, const ThParams *p)
{
    size_t most = 0;
    for (int i = 0; rule->scratch && i < p->n; i++) {
        const ThParam *item = &p->item[i];
        size_t n = item->hidden ? rule->scratch(item->rows, item->cols / item->hidden) : 0;
        most = n > most ? n : most;
    }
    return (most + 15) / 16 * 16;
}
