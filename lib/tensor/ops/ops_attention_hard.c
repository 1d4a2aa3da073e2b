/* Attention that only looks at the greatest logits: at the latest of them, or at their mean.  Which
 * these are has no slope, so queries and keys get no gradient.  All sums are in double precision.
 */
#include <math.h>

#include "tensor/ops/attention_impl.h"

/* Numbers of either precision. */
typedef struct {
    float *single;
    double *twice;
} Numbers;

typedef struct {
    const ThTapeAttend *f;
    Numbers q, kv, y, dy, dkv;
    double *w; /* (T): of the query at hand */
} Work;

/* One query of one head of one string. */
typedef struct {
    int keys;     /* how many it sees */
    size_t q, kv; /* offsets: of the query, and of the string's first key */
} Query;

static double get(const Numbers *n, size_t i)
{
    return n->twice ? n->twice[i] : n->single ? (double)n->single[i] : 0;
}

static void add(const Numbers *n, size_t i, double value)
{
    if (n->twice)
        n->twice[i] += value;
    else
        n->single[i] += (float)value;
}

static void put(const Numbers *n, size_t i, double value)
{
    if (n->twice)
        n->twice[i] = value;
    else
        n->single[i] = (float)value;
}

/* ---- one query ------------------------------------------------------------------------------- */

static Query query(const ThTapeAttend *f, int number)
{
    int heads = f->how.heads, b = number / (heads * f->queries), head = number / f->queries % heads;
    int row = number % f->queries, i = th_tape_attend_first(f, b) + row;
    int length = th_tape_attend_length(f, b);
    size_t column = (size_t)head * (size_t)f->width, room = (size_t)f->how.room;
    Query p = {.q = (size_t)(b * f->queries + row) * (size_t)f->d + column};
    p.kv = f->how.by_heads ? (size_t)(b * heads + head) * room * (size_t)f->kv_row
                           : (size_t)b * room * (size_t)f->kv_row + column;
    p.keys = f->how.hard == TH_TAPE_RIGHTMOST && i > 0 ? i : i + 1;
    if (i < 0 || i >= length)
        p.keys = 0;
    else if (!f->how.causal)
        p.keys = length;
    return p;
}

static size_t row_of(const Work *k, const Query *p, int j)
{
    return p->kv + (size_t)j * (size_t)k->f->kv_row;
}

static double logit(const Work *k, const Query *p, int j)
{
    double sum = 0;
    for (size_t c = 0; c < (size_t)k->f->width; c++)
        sum += get(&k->q, p->q + c) * get(&k->kv, row_of(k, p, j) + c);
    return sum;
}

/* Marks the keys that are looked at in w; returns how many there are. */
static int look(const Work *k, const Query *p)
{
    double most = -HUGE_VAL;
    int winners = 0;
    for (int j = 0; j < p->keys; j++) {
        k->w[j] = logit(k, p, j);
        most = fmax(most, k->w[j]);
    }
    for (int j = p->keys - 1; j >= 0; j--) {
        bool wins = k->w[j] == most && (winners == 0 || k->f->how.hard == TH_TAPE_AVERAGE);
        winners += wins;
        k->w[j] = wins;
    }
    return winners;
}

/* The mean is a sum that is divided once. */
static void mix(const Work *k, const Query *p, int winners)
{
    for (size_t c = 0; c < (size_t)k->f->width; c++) {
        double sum = 0;
        for (int j = 0; j < p->keys; j++)
            if (k->w[j] > 0)
                sum += get(&k->kv, row_of(k, p, j) + (size_t)k->f->value + c);
        put(&k->y, p->q + c, winners ? sum / winners : 0);
    }
}

static void mix_back(const Work *k, const Query *p, int winners)
{
    for (int j = 0; j < p->keys; j++)
        for (size_t c = 0; k->w[j] > 0 && c < (size_t)k->f->width; c++)
            add(&k->dkv, row_of(k, p, j) + (size_t)k->f->value + c,
                get(&k->dy, p->q + c) / winners);
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef void Each(const Work *k, const Query *p, int winners);

static void for_each_query(ThTape *t, Work *k, Each *each, const Numbers *published)
{
    const ThTapeAttend *f = k->f;
    size_t T = (size_t)f->how.T;
    k->w = th_tape_take(t, T, sizeof *k->w);
    for (int i = 0; k->w && i < f->how.B * f->how.heads * f->queries && th_tape_goes_on(t); i++) {
        Query p = query(f, i);
        int winners = look(k, &p);
        each(k, &p, winners);
        for (int j = 0; (published->single || published->twice) && j < p.keys; j++)
            put(published, (size_t)i * T + (size_t)j, k->w[j] / winners);
    }
}

static Work work(ThTape *t, const ThTapeNode *n, bool twice)
{
    Work k = {.f = n->args};
    if (twice) {
        k.q.twice = th_tape_in(t, n, TH_TAPE_ATTEND_Q)->value;
        k.kv.twice = th_tape_in(t, n, TH_TAPE_ATTEND_KV)->value;
        k.y.twice = n->value;
        k.dy.twice = n->grad;
    } else {
        k.q.single = th_tape_in(t, n, TH_TAPE_ATTEND_Q)->value;
        k.kv.single = th_tape_in(t, n, TH_TAPE_ATTEND_KV)->value;
        k.y.single = n->value;
        k.dy.single = n->grad;
    }
    return k;
}

static void forward(ThTape *t, ThTapeNode *n)
{
    Work k = work(t, n, false);
    Numbers published = {.single = th_tape_attend_publish(t, k.f, sizeof(float))};
    for_each_query(t, &k, mix, &published);
}

static void forward_double(ThTape *t, ThTapeNode *n)
{
    Work k = work(t, n, true);
    Numbers published = {.twice = th_tape_attend_publish(t, k.f, sizeof(double))};
    for_each_query(t, &k, mix, &published);
}

static void backward(ThTape *t, ThTapeNode *n)
{
    Work k = work(t, n, false);
    k.dkv.single = th_tape_grad_float_zeroed(t, n, TH_TAPE_ATTEND_KV);
    if (k.dkv.single)
        for_each_query(t, &k, mix_back, &(Numbers){0});
}

static void backward_double(ThTape *t, ThTapeNode *n)
{
    Work k = work(t, n, true);
    k.dkv.twice = th_tape_grad_double(t, n, TH_TAPE_ATTEND_KV);
    if (k.dkv.twice)
        for_each_query(t, &k, mix_back, &(Numbers){0});
}

const ThOp th_tape_attend_hard = {"attention", forward, backward, forward_double, backward_double};
