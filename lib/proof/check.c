#include "proof/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "proof/check_impl.h"

typedef struct {
    const ThProofCertificate *c;
    const ThProofMap *f;
    ThProofBounds *b;
    ThStop *stop;
    ThProofChecked *out;
    double *logit; /* (n_classes) */
    int *product;  /* (n_states): a map */
    double *room;  /* (dim) */
} Check;

/* Notes what does not hold.  Returns false, always. */
static bool refuse(Check *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(Check *k, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(k->out->why, sizeof k->out->why, format, values);
    va_end(values);
    return false;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The label of a kind with the map in k->product, or -1. */
static int find_label(const Check *k, bool complete)
{
    const ThProofCertificate *c = k->c;
    size_t states = (size_t)c->n_states;
    for (int i = 0; i < c->n_labels; i++)
        if (c->complete[i] == complete &&
            memcmp(c->map + (size_t)i * states, k->product, states * sizeof *c->map) == 0)
            return i;
    return -1;
}

/* k->product <- the map of symbol a, or of a and then b. */
static void symbol_map(Check *k, int a, int b)
{
    const ThProofCertificate *c = k->c;
    for (int q = 0; q < c->n_states; q++) {
        int to = c->next[q * c->n_symbols + a];
        k->product[q] = b < 0 ? to : c->next[to * c->n_symbols + b];
    }
}

/* The label of F(i, j); i -1: nothing. */
static int product_label(Check *k, int i, int j)
{
    const ThProofCertificate *c = k->c;
    const int *later = c->map + (size_t)j * (size_t)c->n_states;
    for (int q = 0; q < c->n_states; q++)
        k->product[q] = later[i < 0 ? q : c->map[i * c->n_states + q]];
    return find_label(k, i >= 0 && c->complete[i]);
}

static ThProofEllipsoid ellipsoid(const Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    return (ThProofEllipsoid){c->centre + (size_t)i * (size_t)c->dim, c->radius[i],
                              c->shape ? i : 0};
}

/* Is a bound within what it may be? */
static bool within(Check *k, double bound, double limit)
{
    k->out->checks++;
    if (!(bound <= limit))
        return false;
    k->out->tightest = fmax(k->out->tightest, limit > 0 ? bound / limit : 1);
    return true;
}

/* ---- the three conditions -------------------------------------------------------------------- */

/* The vectors of one and two symbols lie in their sets. */
static bool check_leaf(Check *k, int a, int b, ThError *err)
{
    const ThProofMap *f = k->f;
    const double *x = a < 0 ? NULL : f->leaf + (size_t)a * (size_t)f->dim;
    if (!th_proof_map_apply(f, x, f->leaf + (size_t)b * (size_t)f->dim, 1, k->room, err))
        return false;
    symbol_map(k, a < 0 ? b : a, a < 0 ? -1 : b);
    int to = find_label(k, a >= 0);
    if (to < 0)
        return refuse(k, "no set is there for the symbols %s %s", a < 0 ? "" : k->c->symbol[a],
                      k->c->symbol[b]);
    ThProofEllipsoid into = ellipsoid(k, to);
    double far = th_proof_bounds_point(k->b, k->room, &into) +
                 k->c->slack * th_proof_bounds_stretch(k->b, into.shape);
    return within(k, far, into.radius) ||
           refuse(k, "the vector of %s %s is %.6g from the centre of set %d, whose radius is %.6g",
                  a < 0 ? "" : k->c->symbol[a], k->c->symbol[b], far, to + 1, into.radius);
}

/* F takes the sets of two labels into that of their product. */
static bool check_pair(Check *k, int i, int j)
{
    int to = product_label(k, i, j);
    if (to < 0)
        return refuse(k, "no set is there for the product of sets %d and %d", i + 1, j + 1);
    ThProofEllipsoid x = ellipsoid(k, i < 0 ? 0 : i), y = ellipsoid(k, j), into = ellipsoid(k, to);
    double far = th_proof_bounds_image(k->b, i < 0 ? NULL : &x, &y, &into) +
                 k->c->slack * th_proof_bounds_stretch(k->b, into.shape);
    return within(k, far, into.radius) ||
           refuse(k, "sets %d and %d reach %.6g from the centre of set %d, whose radius is %.6g",
                  i + 1, j + 1, far, to + 1, into.radius);
}

/* Everywhere in a set the right class has the greatest logit. */
static bool check_answer(Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    const ThProofMap *f = k->f;
    int right = c->answer[c->map[i * c->n_states + c->start]];
    ThProofEllipsoid set = ellipsoid(k, i);
    th_proof_map_logits(f, set.centre, k->logit);
    for (int q = 0; right >= 0 && q < c->n_classes; q++) {
        if (q == right)
            continue;
        for (int m = 0; m < f->dim; m++)
            k->room[m] = f->head[m * f->n_classes + right] - f->head[m * f->n_classes + q];
        double most = set.radius * th_proof_bounds_width(k->b, k->room, set.shape) + 2 * c->slack;
        if (!within(k, most + 1e-9, k->logit[right] - k->logit[q]))
            return refuse(k, "in set %d the answer %s can become %s", i + 1, c->class_name[right],
                          c->class_name[q]);
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool check_leaves(Check *k, ThError *err)
{
    for (int a = -1; a < k->c->n_symbols; a++)
        for (int b = 0; b < k->c->n_symbols; b++)
            if (!check_leaf(k, a, b, err))
                return false;
    return true;
}

static bool check_sets(Check *k, ThError *err)
{
    const ThProofCertificate *c = k->c;
    for (int i = -1; i < c->n_labels; i++)
        for (int j = 0; j < c->n_labels; j++)
            if (th_stopped(k->stop, err) || ((i < 0 || c->complete[j]) && !check_pair(k, i, j)))
                return false;
    for (int i = 0; i < c->n_labels; i++)
        if (!check_answer(k, i))
            return false;
    return true;
}

bool th_proof_check_papers(const ThProofCertificate *c, const ThProofCheckedModel *m,
                           ThProofChecked *out)
{
    Check k = {.out = out};
    if (c->dim != m->dim || c->n_symbols != m->n_symbols || c->n_classes != m->n_classes)
        return refuse(&k, "it is about a model of another size");
    if (th_proof_certificate_digest(c) != c->digest)
        return refuse(&k, "it was changed after it was written");
    if (c->weights != m->weights)
        return refuse(&k, "it is about other weights");
    if (!(c->slack >= 0))
        return refuse(&k, "its slack is negative");
    for (int i = 0; i < c->n_labels; i++)
        if (!(c->radius[i] > 0))
            return refuse(&k, "the radius of set %d is not positive", i + 1);
    return true;
}

static bool check_all(Check *k, ThError *err)
{
    const ThProofCertificate *c = k->c;
    ThError inside = {0};
    k->b = th_proof_bounds_new(k->f, c->shape, c->n_labels, &inside);
    if (!k->b && inside.code == TH_EVALUE)
        return refuse(k, "%.150s", inside.msg);
    if (!k->b)
        return th_fail(err, inside.code, "%s", inside.msg);
    return check_leaves(k, err) && check_sets(k, err);
}

bool th_proof_check(const ThProofCertificate *c, const ThProofMap *f, ThStop *stop,
                    ThProofChecked *checked, ThError *err)
{
    ThError problem = {0};
    Check k = {.c = c, .f = f, .stop = stop, .out = checked};
    *checked = (ThProofChecked){0};
    k.logit = th_alloc((size_t)c->n_classes, sizeof *k.logit, &problem);
    k.product = th_alloc((size_t)c->n_states, sizeof *k.product, &problem);
    k.room = th_alloc((size_t)f->dim, sizeof *k.room, &problem);
    ThProofCheckedModel model = {f->dim, f->n_symbols, f->n_classes, f->digest};
    checked->holds = problem.code == TH_OK && th_proof_check_papers(c, &model, checked) &&
                     check_all(&k, &problem);
    th_proof_bounds_free(k.b);
    free(k.logit);
    free(k.product);
    free(k.room);
    return problem.code == TH_OK || th_fail(err, problem.code, "%s", problem.msg);
}
