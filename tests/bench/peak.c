/* peak.c - what the machine's matrix product reaches: `peak THREADS` prints the name of the
 * kernels in use and the best rate of sgemm, in GFLOP/s, over a few sizes that suit it. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALLEST = 1024, LARGEST = 2048 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of several runs: what the machine can do when nobody disturbs it. */
static double rate(int n, const float *a, const float *b, float *c)
{
    double best = 0;
    for (int i = 0; i < 12; i++) {
        double start = now();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        double reached = 2.0 * n * n * n / (now() - start) * 1e-9;
        best = reached > best ? reached : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    openblas_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
    size_t n = (size_t)LARGEST * LARGEST;
    float *block = malloc(3 * n * sizeof *block);
    if (!block)
        return 1;
    for (size_t i = 0; i < 3 * n; i++)
        block[i] = (float)(i * 7919 % 1000) / 1000 - 0.5f;
    double best = 0;
    for (int size = SMALLEST; size <= LARGEST; size *= 2) {
        double reached = rate(size, block, block + n, block + 2 * n);
        best = reached > best ? reached : best;
    }
    printf("%s %.1f\n", openblas_get_corename(), best);
    free(block);
    return 0;
}
