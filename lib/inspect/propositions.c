#include "inspect/propositions.h"

#include <math.h>

#include "base/memory.h"
#include "base/rng.h"

enum { ZERO, ONE, MINUS, SYMBOLS };

typedef struct {
    int n;
    double *a;    /* (SYMBOLS, n, n) */
    double *u;    /* (SYMBOLS, n) */
    double *z;    /* (n): the start */
    double *x[5]; /* (n): room */
} Recurrence;

static void draw(Recurrence *r, ThInspectTransition kind, uint64_t seed)
{
    ThRng g = th_rng(seed, "proposition", (uint64_t)kind);
    int n = r->n, nn = n * n;
    double deviation = kind == TH_INSPECT_DIAGONAL ? 1 : 1 / sqrt(n);
    for (int i = 0; i < SYMBOLS * nn; i++) {
        double x = deviation * th_rng_normal(&g);
        bool beside = i % nn % (n + 1) != 0;
        r->a[i] = kind == TH_INSPECT_DIAGONAL && beside ? 0 : x;
    }
    if (kind == TH_INSPECT_FIXED)
        for (int i = nn; i < SYMBOLS * nn; i++)
            r->a[i] = r->a[i % nn];
    for (int i = 0; i < SYMBOLS * n; i++)
        r->u[i] = th_rng_normal(&g);
    for (int i = 0; i < n; i++)
        r->z[i] = th_rng_normal(&g);
}

/* The state after an expression of 0, 1 and -, in r->x[at]; r->x[4] is used up. */
static void read(const Recurrence *r, const char *text, int at)
{
    int n = r->n;
    double *x = r->x[at], *next = r->x[4];
    memcpy(x, r->z, (size_t)n * sizeof *x);
    for (; *text; text++) {
        int c = *text == '-' ? MINUS : *text == '1' ? ONE : ZERO;
        for (int i = 0; i < n; i++) {
            next[i] = r->u[c * n + i];
            for (int j = 0; j < n; j++)
                next[i] += r->a[(c * n + i) * n + j] * x[j];
        }
        memcpy(x, next, (size_t)n * sizeof *x);
    }
}

static void measure(const Recurrence *r, ThInspectProposition *to)
{
    read(r, "0-1", 0);
    read(r, "1-0", 1);
    read(r, "0-0-1", 2);
    read(r, "0-1-0", 3);
    *to = (ThInspectProposition){0, 0, 0};
    for (int i = 0; i < r->n; i++) {
        double apart = r->x[0][i] - r->x[1][i], equal = r->x[2][i] - r->x[3][i];
        to->apart = hypot(to->apart, apart);
        to->equal = hypot(to->equal, equal);
        to->differ = hypot(to->differ, apart - equal);
    }
}

bool th_inspect_proposition(ThInspectTransition kind, int n, uint64_t seed,
                            ThInspectProposition *to, ThError *err)
{
    size_t size = (size_t)n, square = size * size;
    double *all TH_OWNED(free) = th_alloc(SYMBOLS * (square + size) + 6 * size, sizeof *all, err);
    if (!all)
        return false;
    Recurrence r = {.n = n, .a = all, .u = all + SYMBOLS * square};
    r.z = r.u + SYMBOLS * size;
    for (size_t i = 0; i < 5; i++)
        r.x[i] = r.z + (i + 1) * size;
    draw(&r, kind, seed);
    measure(&r, to);
    return true;
}
