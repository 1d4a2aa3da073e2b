#include "tensor/kernels_gemm.h"

#include "tensor/kernels_tile.h"

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

bool th_kernel_gemm_pays(const ThKernelGemm *g)
{
    enum {
        LEAST_ROWS = 64,
        LEAST_COLUMNS = 24,
        MOST_WEIGHTS = 1 << 15,
        MOST_SUMS = 1 << 14,
        FEW_TERMS = 32
    };
    long long weights = (long long)g->n * g->k, sums = (long long)g->m * g->n;
    bool small = g->a_step == 1 ? weights <= MOST_WEIGHTS : sums <= MOST_SUMS || g->k <= FEW_TERMS;
    bool wide = small && g->m >= LEAST_ROWS && g->n >= LEAST_COLUMNS;
    return (wide || has_few_rows(g)) && g->k > 0 && th_kernel_tile_pays();
}

/* k rows of n columns of b behind each other, and zeros up to full lanes. */
static inline TH_KERNEL_TILE_INLINE void pack(float *to, const float *b, const ThKernelGemm *g,
                                              int k, int n)
{
    int full = (n + LANE - 1) / LANE * LANE;
    for (int p = 0; p < k; p++)
        for (int j = 0; j < full; j++)
            to[p * PANEL + j] = j < n ? b[p * g->b_row + j * g->b_step] : 0;
}

static inline TH_KERNEL_TILE_INLINE int least(int a, int b)
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

TH_KERNEL_TILE_REGISTERS void th_kernel_gemm(const ThKernelGemm *g)
{
    float room[DEEP * PANEL];
    for (int p = 0; p < g->k; p += DEEP)
        for (int i = 0; i < g->m; i += BAND)
            for (int j = 0; j < g->n; j += PANEL)
                part(g, p, i, j, room);
}
