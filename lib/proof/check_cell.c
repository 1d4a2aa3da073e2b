/* Certificates of recurrent networks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/check.h"
#include "proof/check_image.h"
#include "proof/check_impl.h"

typedef struct {
    const ThProofCertificate *c;
    const ThProofCell *f;
    ThProofChecked *out;
    ThProofCheckImage *e;
    double *next, *gate, *logit; /* (dim), (gates width), (n_classes) */
} Check;

static ThProofEllipsoid set_of(const Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    return (ThProofEllipsoid){c->centre + (size_t)i * (size_t)c->dim, c->radius[i],
                              c->shape ? i : 0};
}

static int state_of(const Check *k, int set)
{
    return k->c->map[set * k->c->n_states + k->c->start];
}

/* The set of a state whose centre is nearest to k->next, or -1. */
static int target(const Check *k, int state)
{
    int near = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < k->c->n_labels; i++) {
        double square = 0;
        for (int m = 0; m < k->f->dim; m++) {
            double off = k->next[m] - set_of(k, i).centre[m];
            square += off * off;
        }
        if (state_of(k, i) == state && square < least) {
            least = square;
            near = i;
        }
    }
    return near;
}

static bool refuse(Check *k, const char *what, int set, int symbol)
{
    snprintf(k->out->why, sizeof k->out->why, "%s (set %d, symbol %s)", what, set + 1,
             symbol < 0 ? "none" : k->c->symbol[symbol]);
    return false;
}

static bool within(Check *k, double far, double limit)
{
    k->out->checks++;
    if (!(far <= limit))
        return false;
    k->out->tightest = fmax(k->out->tightest, limit > 0 ? far / limit : 1);
    return true;
}

/* A symbol takes a set (-1: the start) into one of the state that it leads to. */
static bool check_symbol(Check *k, int set, int symbol)
{
    const ThProofCertificate *c = k->c;
    ThProofEllipsoid from = set < 0 ? (ThProofEllipsoid){k->f->start, 0, 0} : set_of(k, set);
    int state = set < 0 ? c->start : state_of(k, set);
    th_proof_cell_apply(k->f, from.centre, symbol, k->gate, k->next);
    int to = target(k, c->next[state * c->n_symbols + symbol]);
    if (to < 0)
        return refuse(k, "no set is there for the state that follows", set, symbol);
    ThProofEllipsoid into = set_of(k, to);
    double far = c->slack * th_proof_check_image_stretch(k->e, into.shape);
    for (int i = 0; i < c->dim; i++)
        k->next[i] -= into.centre[i];
    far += set < 0 ? th_proof_check_image_distance(k->e, k->next, into.shape)
                   : th_proof_check_image(k->e, &from, symbol, &into);
    return within(k, far, into.radius) || refuse(k, "what follows leaves its set", set, symbol);
}

/* Everywhere in a set the right class has the greatest logit. */
static bool check_answer(Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    ThProofEllipsoid set = set_of(k, i);
    int right = c->answer[state_of(k, i)];
    th_proof_cell_logits(k->f, set.centre, k->logit);
    for (int q = 0; right >= 0 && q < c->n_classes; q++) {
        double at = k->logit[right] - k->logit[q];
        if (q != right &&
            !within(k, at - th_proof_check_image_lead(k->e, &set, right, q) + 2 * c->slack, at))
            return refuse(k, "an answer can become another", i, -1);
    }
    return true;
}

static bool check_all(Check *k, ThStop *stop, ThError *err)
{
    const ThProofCertificate *c = k->c;
    ThError inside = {0};
    k->e = th_proof_check_image_new(k->f, c->shape, c->n_labels, &inside);
    if (!k->e && inside.code != TH_EVALUE)
        return th_fail(err, inside.code, "%s", inside.msg);
    if (!k->e) {
        snprintf(k->out->why, sizeof k->out->why, "%.150s", inside.msg);
        return false;
    }
    for (int i = -1; i < c->n_labels; i++)
        for (int a = 0; a < c->n_symbols; a++)
            if (th_stopped(stop, err) || !check_symbol(k, i, a))
                return false;
    for (int i = 0; i < c->n_labels; i++)
        if (!check_answer(k, i))
            return false;
    return true;
}

bool th_proof_check_cell(const ThProofCertificate *c, const ThProofCell *f, ThStop *stop,
                         ThProofChecked *checked, ThError *err)
{
    ThError problem = {0};
    Check k = {.c = c, .f = f, .out = checked};
    ThProofCheckedModel model = {f->dim, f->n_symbols, f->n_classes, f->digest};
    *checked = (ThProofChecked){0};
    k.next = th_alloc((size_t)f->dim, sizeof *k.next, &problem);
    k.gate = th_alloc((size_t)f->gates * (size_t)f->width, sizeof *k.gate, &problem);
    k.logit = th_alloc((size_t)f->n_classes, sizeof *k.logit, &problem);
    checked->holds = problem.code == TH_OK && th_proof_check_papers(c, &model, checked) &&
                     check_all(&k, stop, &problem);
    th_proof_check_image_free(k.e);
    free(k.next);
    free(k.gate);
    free(k.logit);
    return problem.code == TH_OK || th_fail(err, problem.code, "%s", problem.msg);
}
