#include "tensor/kernels/level.h"

#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_attention.h"
#include "tensor/kernels/kernels_blocks.h"
#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/kernels/kernels_fast_weights.h"
#include "tensor/kernels/kernels_fourier.h"
#include "tensor/kernels/kernels_gate.h"
#include "tensor/kernels/kernels_one_hot.h"
#include "tensor/kernels/kernels_recurrent.h"
#include "tensor/kernels/kernels_scan.h"
#include "tensor/kernels/kernels_space.h"
#include "tensor/kernels/kernels_wired.h"

/* clang-format off */
#define KERNELS(K)                                                                                 \
    K(add) K(multiply) K(add_scaled) K(scale) K(sum_squares) K(bias) K(column_sums) K(outer)       \
    K(relu) K(relu_back) K(gelu) K(gelu_slope) K(sigmoid) K(softmax)                               \
    K(softmax_rows) K(normals) K(layer_norm) K(layer_norm_back) K(adam) K(window)                  \
    K(window_back) K(attention_from) K(attention_to) K(attention) K(attention_back)                \
    K(attention_relative_back) K(attention_bias_back) K(band_weights) K(band) K(one_query)         \
    K(dots) K(band_back) K(turn) K(bound_blocks) K(bound_blocks_back) K(affine) K(add_product)     \
    K(times_row) K(times_column) K(product_column_sums) K(product_row_sums) K(row_sums)            \
    K(momentum) K(softmax_back) K(map) K(zip) K(fast_weights) K(fast_weights_back)                 \
    K(fourier_size) K(fourier_room) K(fourier) K(gate) K(gate_back) K(gated_half)                  \
    K(gated_half_back) K(one_hot) K(one_hot_back) K(two_outer) K(rnn) K(rnn_tanh) K(lstm)          \
    K(gru) K(rnn_back) K(rnn_tanh_back) K(lstm_back) K(gru_back) K(scan) K(scan_back) K(space)     \
    K(space_back) K(convolve) K(convolve_back) K(wired) K(wired_back)
/* clang-format on */

#if defined(__x86_64__)
#define LEVELS(F) F(plain) F(v3) F(v4)
#else
#define LEVELS(F) F(plain)
#endif
enum { UNSET = -1, PLAIN, V3, V4 };

#define LEVEL_NAME(level) #level,
static const char *const names[] = {LEVELS(LEVEL_NAME)};

/* What callers call: one pointer a kernel, and the functions of all levels behind it. */
#define DECLARE(name, level) extern __typeof__(*th_kernel_##name) th_kernel_##name##_##level;
#if defined(__x86_64__)
#define POINTER(name)                                                                              \
    DECLARE(name, plain)                                                                           \
    DECLARE(name, v3)                                                                              \
    DECLARE(name, v4) __typeof__(th_kernel_##name) th_kernel_##name = th_kernel_##name##_plain;
#define SET(name)                                                                                  \
    th_kernel_##name = level == V4   ? th_kernel_##name##_v4                                       \
                       : level == V3 ? th_kernel_##name##_v3                                       \
                                     : th_kernel_##name##_plain;
#else
#define POINTER(name)                                                                              \
    DECLARE(name, plain) __typeof__(th_kernel_##name) th_kernel_##name = th_kernel_##name##_plain;
#define SET(name) th_kernel_##name = th_kernel_##name##_plain;
#endif
KERNELS(POINTER)
static int level_in_use = UNSET;

static void set_level(int level)
{
    KERNELS(SET)
    level_in_use = level;
}

static int highest(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
        return PLAIN;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? V4
               : V3;
#else
    return PLAIN;
#endif
}

/* Before main, so that nobody who links with the library has to ask for it. */
__attribute__((constructor)) static void start(void)
{
    if (level_in_use == UNSET)
        set_level(highest());
}

const char *th_kernel_level(void)
{
    return names[level_in_use];
}

bool th_kernel_choose(const char *name, ThError *err)
{
    int level = PLAIN, n = (int)(sizeof names / sizeof *names);
    while (level < n && strcmp(name, names[level]) != 0)
        level++;
    if (level == n)
        return th_fail(err, TH_EUSAGE, "there are no kernels \"%s\": plain%s", name,
                       n > 1 ? ", v3 or v4" : " is all that there is here");
    if (level > highest())
        return th_fail(err, TH_EUSAGE,
                       "this processor cannot run the kernels %s: %s is its highest", name,
                       names[highest()]);
    set_level(level);
    return true;
}

bool th_kernel_is_wide(void)
{
    return level_in_use == V4;
}
