#include "tensor/kernels/kernels_gemm.h"

#include "tensor/kernels/kernels_tile.h"

/* DEEP terms of a sum are added up at a time: so much of the columns of b stays in the nearest
 * cache while BAND rows of a go by. */
enum { LANE = TH_KERNEL_TILE_LANE, PANEL = TH_KERNEL_TILE_WIDE * LANE, DEEP = 128, BAND = 384 };

/* Each number of b counts for few numbers of c: copying it would cost more than the product. */
static bool has_few_rows(const ThKernelGemm *g)
{
    enum { FEW_ROWS = 32 };
    return g->m <= FEW_ROWS && g->a_step == 1 && g->b_step == 1 &&
           (g->n >= PANEL || g->n % LANE == 0);
}

/* Few columns, of which there would be less than a lane: c is computed turned, from whole squares
 * of a where its rows lie as rows. */
static bool has_few_columns(const ThKernelGemm *g)
{
    bool turns = g->a_row == 1 || (g->a_step == 1 && g->m % LANE == 0);
    return g->n < LANE && g->m >= LANE && turns && g->b_step == 1;
}

/* Both operands' terms lie behind each other: numbers of c are dot products. */
static bool is_dots(const ThKernelGemm *g)
{
    enum { MOST_ROWS = 8, LEAST_TERMS = 64 };
    return g->m <= MOST_ROWS && g->a_step == 1 && g->b_row == 1 && g->k >= LEAST_TERMS;
}

bool th_kernel_gemm_pays(const ThKernelGemm *g)
{
    enum {
        LEAST_ROWS = 64,
        LEAST_COLUMNS = 24,
        MOST_WEIGHTS = 1 << 16,
        MOST_SUMS = 1 << 15,
        FEW_TERMS = 32
    };
    long long weights = (long long)g->n * g->k, sums = (long long)g->m * g->n;
    bool small = g->a_step == 1 ? weights <= MOST_WEIGHTS : sums <= MOST_SUMS || g->k <= FEW_TERMS;
    bool wide = small && g->m >= LEAST_ROWS && g->n >= LEAST_COLUMNS;
    return (wide || has_few_rows(g) || has_few_columns(g) || is_dots(g)) && g->k > 0;
}

/* A square of columns of b that lie as rows. */
static inline TH_KERNEL_TILE_INLINE void pack_square(float *to, const float *b, ptrdiff_t step)
{
    ThKernelLane row[LANE];
#pragma GCC unroll 16
    for (int j = 0; j < LANE; j++)
        row[j] = *(const ThKernelLane *)(b + j * step);
    th_kernel_tile_transpose(row);
#pragma GCC unroll 16
    for (int p = 0; p < LANE; p++)
        *(ThKernelLane *)(to + p * PANEL) = row[p];
}

/* k rows of n columns of b behind each other, and zeros up to full lanes. */
static inline TH_KERNEL_TILE_INLINE void pack(float *to, const float *b, const ThKernelGemm *g,
                                              int k, int n)
{
    int full = (n + LANE - 1) / LANE * LANE, p = 0;
    if (g->b_row == 1 && n % LANE == 0)
        for (; p + LANE <= k; p += LANE)
            for (int j = 0; j < n; j += LANE)
                pack_square(to + p * PANEL + j, b + p + j * g->b_step, g->b_step);
    for (; p < k; p++)
        for (int j = 0; j < full; j++)
            to[p * PANEL + j] = j < n ? b[p * g->b_row + j * g->b_step] : 0;
}

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

/* The terms from p on of some rows from i and columns from j on. */
static inline TH_KERNEL_TILE_INLINE void part(const ThKernelGemm *g, int p, int i, int j,
                                              float *room)
{
    int k = least(g->k - p, DEEP), m = least(g->m - i, BAND), n = least(g->n - j, PANEL);
    ThKernelTile t = {.a = g->a + i * g->a_row + p * g->a_step,
                      .b = g->b + p * g->b_row + j * g->b_step,
                      .row = p == 0 && g->row ? g->row + j : NULL,
                      .c = g->c + i * g->c_row + j,
                      .a_row = g->a_row,
                      .a_step = g->a_step,
                      .b_row = g->b_row,
                      .c_row = g->c_row,
                      .k = k,
                      .last = (n - 1) % LANE + 1,
                      .beta = p > 0 ? 1 : g->beta};
    if (g->b_step != 1 || (g->n > PANEL && !has_few_rows(g)) || n % LANE != 0) {
        pack(room, t.b, g, k, n);
        t.b = room;
        t.b_row = PANEL;
    }
    th_kernel_tile_panel(&t, m, n);
}

static void panels(const ThKernelGemm *g)
{
    float room[DEEP * PANEL];
    for (int p = 0; p < g->k; p += DEEP)
        for (int i = 0; i < g->m; i += BAND)
            for (int j = 0; j < g->n; j += PANEL)
                part(g, p, i, j, room);
}

/* What number j of a row of c is before the product comes to it. */
static inline float before(const ThKernelGemm *g, const float *c, int j)
{
    return g->row ? g->row[j] : g->beta == 0 ? 0 : g->beta * c[j];
}

static void turned(const ThKernelGemm *g)
{
    float room[LANE * PANEL] = {0};
    for (int from = 0; from < g->m; from += PANEL) {
        int rows = least(g->m - from, PANEL);
        panels(&(ThKernelGemm){.m = g->n,
                               .n = rows,
                               .k = g->k,
                               .a_row = 1,
                               .a_step = g->b_row,
                               .b_row = g->a_step,
                               .b_step = g->a_row,
                               .c_row = PANEL,
                               .a = g->b,
                               .b = g->a + from * g->a_row,
                               .c = room});
        for (int i = 0; i < rows; i++) {
            float *c = g->c + (from + i) * g->c_row;
            for (int j = 0; j < g->n; j++)
                c[j] = room[j * PANEL + i] + before(g, c, j);
        }
    }
}

/* Some rows of c from i on. */
static inline TH_KERNEL_TILE_INLINE void dots_of_rows(const ThKernelGemm *g, int i, int rows)
{
    const float *a = g->a + i * g->a_row, *b = g->b;
    float *c = g->c + i * g->c_row;
    for (int j = 0; j < g->n; j++, b += g->b_step, c++) {
        float sum[5] = {0};
        for (int p = 0; p < g->k; p++)
#pragma GCC unroll 5
            for (int r = 0; r < rows; r++)
                sum[r] += a[r * g->a_row + p] * b[p];
        for (int r = 0; r < rows; r++)
            c[r * g->c_row] = sum[r] + before(g, g->c + (i + r) * g->c_row, j);
    }
}

/* Up to five rows read b once. */
static void dots(const ThKernelGemm *g)
{
    for (int i = 0, n; i < g->m; i += n) {
        n = g->m - i > 5 ? (g->m - i + 1) / 2 : g->m - i;
        if (n == 5)
            dots_of_rows(g, i, 5);
        else if (n == 4)
            dots_of_rows(g, i, 4);
        else if (n == 3)
            dots_of_rows(g, i, 3);
        else
            dots_of_rows(g, i, n = 1);
    }
}

void th_kernel_gemm(const ThKernelGemm *g)
{
    if (has_few_columns(g))
        turned(g);
    else if (is_dots(g))
        dots(g);
    else
        panels(g);
}
