#include "tensor/kernels_gemm.h"

#define INLINE static inline __attribute__((always_inline))

/* Called only where has_wide_registers says so. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE_REGISTERS __attribute__((target("arch=x86-64-v4")))
#else
#define WIDE_REGISTERS
#endif

/* Six rows of four times sixteen columns are added up in registers, DEEP terms at a time: so much
 * of 64 columns of b stays in the nearest cache while BAND rows of a go by. */
enum { LANE = 16, WIDE = 4, PANEL = WIDE * LANE, TALL = 6, DEEP = 128, BAND = 384 };
typedef float Lane __attribute__((vector_size(LANE * sizeof(float)), aligned(sizeof(float))));

/* Registers of 512 bits hold it; with fewer, OpenBLAS is faster. */
static bool has_wide_registers(void)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

bool th_kernel_gemm_pays(const ThKernelGemm *g)
{
    enum { LEAST_ROWS = 64, LEAST_COLUMNS = 48, MOST_WEIGHTS = 1 << 15, MOST_SUMS = 1 << 14 };
    long long weights = (long long)g->n * g->k, sums = (long long)g->m * g->n;
    bool small = g->a_step == 1 ? weights <= MOST_WEIGHTS : sums <= MOST_SUMS;
    return small && g->m >= LEAST_ROWS && g->n >= LEAST_COLUMNS && g->k > 0 && has_wide_registers();
}

/* What is multiplied next: `last` columns of the last sixteen count. */
typedef struct {
    const float *a, *b;
    float *c;
    ptrdiff_t a_row, a_step, b_row, c_row;
    int k, last;
    float beta;
} Part;

/* The columns that do not fill a lane.  Not inline: there would be a hundred of it. */
__attribute__((noinline)) static void put(float *c, const float *sum, float beta, int n)
{
    for (int j = 0; j < n; j++)
        c[j] = sum[j] + (beta == 0 ? 0 : beta * c[j]);
}

INLINE void tile(const Part *t, int rows, int lanes)
{
    Lane sum[TALL][WIDE], b[WIDE];
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < lanes; j++)
            sum[i][j] = (Lane){0};
#pragma GCC unroll 1
    for (int p = 0; p < t->k; p++) {
#pragma GCC unroll 4
        for (int j = 0; j < lanes; j++)
            b[j] = *(const Lane *)(t->b + p * t->b_row + LANE * j);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            float a = t->a[i * t->a_row + p * t->a_step];
#pragma GCC unroll 4
            for (int j = 0; j < lanes; j++)
                sum[i][j] += a * b[j];
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < lanes; j++) {
            Lane *c = (Lane *)(t->c + i * t->c_row + LANE * j);
            if (j == lanes - 1 && t->last < LANE) {
                Lane rest = sum[i][j];
                put((float *)c, (const float *)&rest, t->beta, t->last);
            } else
                *c = t->beta == 0 ? sum[i][j] : sum[i][j] + t->beta * *c;
        }
}

INLINE void column(Part t, int m, int lanes)
{
    int i = 0;
    for (; i + TALL <= m; i += TALL, t.a += TALL * t.a_row, t.c += TALL * t.c_row)
        tile(&t, TALL, lanes);
    for (; i < m; i++, t.a += t.a_row, t.c += t.c_row)
        tile(&t, 1, lanes);
}

/* k rows of n columns of b behind each other, and zeros up to full lanes. */
INLINE void pack(float *to, const float *b, const ThKernelGemm *g, int k, int n)
{
    int full = (n + LANE - 1) / LANE * LANE;
    for (int p = 0; p < k; p++)
        for (int j = 0; j < full; j++)
            to[p * PANEL + j] = j < n ? b[p * g->b_row + j * g->b_step] : 0;
}

INLINE int least(int a, int b)
{
    return a < b ? a : b;
}

/* The terms from p on of some rows from i and columns from j on. */
INLINE void part(const ThKernelGemm *g, int p, int i, int j, float *room)
{
    int k = least(g->k - p, DEEP), m = least(g->m - i, BAND), n = least(g->n - j, PANEL);
    Part t = {.a = g->a + i * g->a_row + p * g->a_step,
              .b = g->b + p * g->b_row + j * g->b_step,
              .c = g->c + i * g->c_row + j,
              .a_row = g->a_row,
              .a_step = g->a_step,
              .b_row = g->b_row,
              .c_row = g->c_row,
              .k = k,
              .last = (n - 1) % LANE + 1,
              .beta = p > 0 ? 1 : g->beta};
    if (g->b_step != 1 || g->n > PANEL || n % LANE != 0) {
        pack(room, t.b, g, k, n);
        t.b = room;
        t.b_row = PANEL;
    }
    if (n > 3 * LANE)
        column(t, m, 4);
    else if (n > 2 * LANE)
        column(t, m, 3);
    else if (n > LANE)
        column(t, m, 2);
    else
        column(t, m, 1);
}

WIDE_REGISTERS void th_kernel_gemm(const ThKernelGemm *g)
{
    float room[DEEP * PANEL];
    for (int p = 0; p < g->k; p += DEEP)
        for (int i = 0; i < g->m; i += BAND)
            for (int j = 0; j < g->n; j += PANEL)
                part(g, p, i, j, room);
}
