#include "tasks/nested.h"

#include <math.h>

#include "base/memory.h"

/* Within brackets: what has been read. */
typedef struct {
    ThTaskLinear value;
    int operation;         /* 0: none yet */
    bool behind, negative; /* an operand has been read; a sign has */
} Frame;

static bool apply(Frame *f, ThTaskLinear x)
{
    bool product = f->operation == TH_TASK_TIMES;
    int sign = f->negative != (f->operation == TH_TASK_MINUS) ? TH_TASK_MODULUS - 1 : 1;
    if (f->behind || (product && (x.factor || f->value.factor)))
        return false;
    if (product)
        f->value.value = f->value.value * sign * x.value % TH_TASK_MODULUS;
    else
        f->value = (ThTaskLinear){(f->value.value + sign * x.value) % TH_TASK_MODULUS,
                                  (f->value.factor + sign * x.factor) % TH_TASK_MODULUS};
    f->behind = true;
    f->negative = false;
    return true;
}

/* Reads one symbol into the frame within *depth brackets. */
static bool read_symbol(Frame *f, int *depth, int symbol)
{
    Frame *now = &f[*depth];
    if (symbol < TH_TASK_MODULUS || symbol == TH_TASK_X)
        return apply(now, symbol == TH_TASK_X ? (ThTaskLinear){0, 1} : (ThTaskLinear){symbol, 0});
    if (symbol == TH_TASK_OPEN) {
        f[++*depth] = (Frame){0};
        return !now->behind && !now->negative;
    }
    if (symbol == TH_TASK_CLOSE)
        return (*depth)-- > 0 && now->behind && apply(now - 1, now->value);
    if (symbol == TH_TASK_MINUS && !now->behind)
        return !now->negative && (now->negative = true);
    bool fits = symbol <= TH_TASK_TIMES && now->behind && !now->operation && *depth > 0;
    now->operation = symbol;
    now->behind = false;
    return fits;
}

bool th_task_read_nested(const int *word, int n, ThTaskLinear *value)
{
    Frame *f TH_OWNED(free) = th_alloc((size_t)n + 2, sizeof *f, NULL);
    int depth = 0;
    bool ok = f != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = read_symbol(f, &depth, word[i]);
    if (ok)
        *value = f[0].value;
    return ok && depth == 0 && f[0].behind;
}

void th_task_draw_nested(ThRng *r, int n, int operations, int *word)
{
    typedef struct {
        int at, n;
    } Part;
    Part *part TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *part, NULL);
    int parts = part ? 1 : 0;
    if (part)
        part[0] = (Part){0, n};
    while (parts > 0) {
        Part p = part[--parts];
        int *w = word + p.at, l = p.n < 5 ? 0 : 1 + (int)th_rng_below(r, (uint64_t)p.n - 4);
        if (p.n >= 3) {
            w[0] = TH_TASK_OPEN;
            w[p.n - 1] = TH_TASK_CLOSE;
        }
        if (p.n < 5) {
            if (p.n % 2 == 0)
                w[p.n / 2 - 1] = TH_TASK_MINUS;
            w[p.n / 2] = (int)th_rng_below(r, TH_TASK_MODULUS);
            continue;
        }
        w[1 + l] = TH_TASK_PLUS + (int)th_rng_below(r, (uint64_t)operations);
        part[parts++] = (Part){p.at + 1, l};
        part[parts++] = (Part){p.at + 2 + l, p.n - 3 - l};
    }
}

/* The values of E(1), …, E(n), each from those of its parts. */
double th_task_chance_nested(int n)
{
    double(*p)[TH_TASK_MODULUS] TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *p, NULL);
    double most = 0;
    for (int i = 1; p && i <= n; i++) {
        for (int v = 0; i < 5 && v < TH_TASK_MODULUS; v++)
            p[i][v] = 1.0 / TH_TASK_MODULUS;
        for (int l = 1; l <= i - 4; l++)
            for (int x = 0; x < TH_TASK_MODULUS; x++)
                for (int y = 0; y < TH_TASK_MODULUS; y++) {
                    double one = p[l][x] * p[i - 3 - l][y] / (3 * (i - 4));
                    p[i][(x + y) % TH_TASK_MODULUS] += one;
                    p[i][(x - y + TH_TASK_MODULUS) % TH_TASK_MODULUS] += one;
                    p[i][x * y % TH_TASK_MODULUS] += one;
                }
    }
    for (int v = 0; p && v < TH_TASK_MODULUS; v++)
        most = fmax(most, p[n][v]);
    return p ? most : (double)NAN;
}
