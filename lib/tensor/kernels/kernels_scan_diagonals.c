/* Scans whose blocks have eight rows and belong to several positions each: two blocks fill a
 * register, and a state stays in registers from position to position.  Numbers change places within
 * these only: diagonal r holds what number i ^ r of a state adds to number i of the next. */
#include "tensor/kernels/kernels_scan.h"
#include "tensor/kernels/kernels_tile.h"

enum {
    EIGHT = 8,
    LANE = TH_KERNEL_TILE_LANE,
    PAIR = TH_SCAN_PAIR,
    TOGETHER = 4 /* pairs that are walked along at a time */
};

bool th_kernel_scan_has_diagonals(const ThKernelScan *s)
{
    return s->form == TH_SCAN_BLOCKS && s->k == EIGHT && s->d % LANE == 0 && th_kernel_tile_pays();
}

/* Where number i of diagonal r of a pair lies among its rows; back: those of the transposed. */
static size_t place(int i, int r, bool back)
{
    int other = i ^ r;
    return (size_t)(back ? other * EIGHT + i % EIGHT : i * EIGHT + other % EIGHT);
}

void th_kernel_scan_turn(float *to, const float *a, size_t pairs)
{
    for (; pairs > 0; pairs--, to += PAIR, a += PAIR)
        for (int r = 0; r < EIGHT; r++)
            for (int i = 0; i < LANE; i++)
                to[r * LANE + i] = a[place(i, r, false)];
}

void th_kernel_scan_turn_back(float *to, const float *a, size_t pairs)
{
    for (; pairs > 0; pairs--, to += 2 * PAIR, a += PAIR)
        for (int r = 0; r < EIGHT; r++)
            for (int i = 0; i < LANE; i++) {
                to[r * LANE + i] = a[place(i, r, true)];
                to[PAIR + r * LANE + i] = 0;
            }
}

void th_kernel_scan_add_turned(float *a, const float *from, size_t pairs)
{
    for (; pairs > 0; pairs--, from += 2 * PAIR, a += PAIR)
        for (int r = 0; r < EIGHT; r++)
            for (int i = 0; i < LANE; i++)
                a[place(i, r, true)] += from[PAIR + r * LANE + i];
}

/* Number i ^ r of x in the place of number i. */
#define SWAPPED(x, r)                                                                              \
    TH_KERNEL_SHUFFLE(ThKernelLaneInts, x, x, 0 ^ r, 1 ^ r, 2 ^ r, 3 ^ r, 4 ^ r, 5 ^ r, 6 ^ r,     \
                      7 ^ r, 8 ^ r, 9 ^ r, 10 ^ r, 11 ^ r, 12 ^ r, 13 ^ r, 14 ^ r, 15 ^ r)
#define EACH_DIAGONAL(step) step(0) step(1) step(2) step(3) step(4) step(5) step(6) step(7)

static inline TH_KERNEL_TILE_INLINE const float *start_of(const ThKernelScan *s, int string)
{
    return s->start + (s->one_start ? 0 : (size_t)string * (size_t)s->d);
}

/* n pairs of a string, from column `from` on. */
static inline TH_KERNEL_TILE_INLINE void walk(const ThKernelScan *s, int string, size_t from, int n)
{
    size_t d = (size_t)s->d, p = (size_t)string * (size_t)s->T;
    const ThKernelLane *start = (const ThKernelLane *)(start_of(s, string) + from);
    int length = s->length ? s->length[string] : s->T;
    ThKernelLane x[TOGETHER];
    for (int k = 0; k < n; k++)
        x[k] = start[k];
    for (int i = 0; i < s->T; i++, p++) {
        const float *row = s->a + (size_t)s->a_row[p] * s->a_width + from * EIGHT;
        const ThKernelLane *a = (const ThKernelLane *)row;
        const ThKernelLane *b = (const ThKernelLane *)(s->b + (size_t)s->b_row[p] * d + from);
        ThKernelLane *y = (ThKernelLane *)(s->h + p * d + from);
#pragma GCC unroll 4
        for (int k = 0; k < n; k++, a += EIGHT) {
            if (i < length) {
                ThKernelLane sum = b[k];
#define MULTIPLY(r) sum += a[r] * SWAPPED(x[k], r);
                EACH_DIAGONAL(MULTIPLY)
                x[k] = sum;
            }
            y[k] = x[k];
        }
    }
}

static inline TH_KERNEL_TILE_INLINE void walk_back(const ThKernelScanBack *x, int string,
                                                   size_t from, int n)
{
    const ThKernelScan *s = x->forward;
    size_t d = (size_t)s->d;
    int length = s->length ? s->length[string] : s->T;
    ThKernelLane g[TOGETHER];
    for (int k = 0; k < n; k++)
        g[k] = (ThKernelLane){0};
    for (int i = s->T - 1; i >= 0; i--) {
        size_t p = (size_t)string * (size_t)s->T + (size_t)i;
        float *row = x->da + 2 * ((size_t)s->a_row[p] * s->a_width + from * EIGHT);
        const float *previous = i == 0 ? start_of(s, string) : s->h + (p - 1) * d;
        const ThKernelLane *h = (const ThKernelLane *)(previous + from);
        const ThKernelLane *dy = (const ThKernelLane *)(x->dy + p * d + from);
        const ThKernelLane *a = (const ThKernelLane *)row;
        ThKernelLane *da = (ThKernelLane *)(row + PAIR);
        ThKernelLane *db = (ThKernelLane *)(x->db + (size_t)s->b_row[p] * d + from);
#pragma GCC unroll 4
        for (int k = 0; k < n; k++, a += 2 * EIGHT, da += 2 * EIGHT) {
            g[k] += dy[k];
            if (i < length) {
                ThKernelLane sum = {0}, before = h[k], now = g[k];
                db[k] += now;
#define MULTIPLY_BACK(r)                                                                           \
    sum += a[r] * SWAPPED(now, r);                                                                 \
    da[r] += before * SWAPPED(now, r);
                EACH_DIAGONAL(MULTIPLY_BACK)
                g[k] = sum;
            }
        }
    }
    if (!x->dstart)
        return;
    ThKernelLane *to = (ThKernelLane *)(x->dstart + (s->one_start ? 0 : (size_t)string * d) + from);
    for (int k = 0; k < n; k++)
        to[k] += g[k];
}

TH_KERNEL_TILE_REGISTERS void th_kernel_scan_diagonals(const ThKernelScan *s)
{
    for (int string = 0; th_kernel_scan_goes_on(s, string); string++) {
        int from = 0;
        for (; from + TOGETHER * LANE <= s->d; from += TOGETHER * LANE)
            walk(s, string, (size_t)from, TOGETHER);
        for (; from < s->d; from += LANE)
            walk(s, string, (size_t)from, 1);
    }
}

TH_KERNEL_TILE_REGISTERS void th_kernel_scan_diagonals_back(const ThKernelScanBack *b)
{
    const ThKernelScan *s = b->forward;
    for (int string = 0; th_kernel_scan_goes_on(s, string); string++) {
        int from = 0;
        for (; from + TOGETHER * LANE <= s->d; from += TOGETHER * LANE)
            walk_back(b, string, (size_t)from, TOGETHER);
        for (; from < s->d; from += LANE)
            walk_back(b, string, (size_t)from, 1);
    }
}
