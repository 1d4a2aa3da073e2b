/* elementwise.h - functions of one number, and of two, as tables.
 *
 * To add one: a name here and a row in ops_elementwise.c (the function and its slope, in double
 * precision).  It then runs everywhere; a row in kernels_elementwise.c makes it fast.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

typedef enum {
    TH_MAP_RELU,       /* max(0, x) */
    TH_MAP_GELU,       /* x Φ(x), Φ the normal distribution: the exact form */
    TH_MAP_SIGMOID,    /* 1 / (1 + exp(-x)) */
    TH_MAP_TANH,       /* tanh x */
    TH_MAP_SILU,       /* x sigmoid(x) */
    TH_MAP_SOFTPLUS,   /* log(1 + exp(x)), which does not overflow */
    TH_MAP_EXP,        /* exp x */
    TH_MAP_LOG,        /* log x */
    TH_MAP_SQRT,       /* √x */
    TH_MAP_SQUARE,     /* x² */
    TH_MAP_RECIPROCAL, /* 1 / x */
    TH_MAP_ABS,        /* |x|, of slope 0 at 0 */
    TH_MAP_SIN,        /* sin x */
    TH_MAP_COS,        /* cos x */
    TH_TAPE_MAPS       /* how many there are */
} ThOpMap;

typedef enum {
    TH_ZIP_ADD,      /* a + b */
    TH_ZIP_SUBTRACT, /* a - b */
    TH_ZIP_MULTIPLY, /* a b */
    TH_ZIP_DIVIDE,   /* a / b */
    TH_TAPE_ZIPS     /* how many there are */
} ThOpZip;

/* The rows of the tables: names as messages show them (views), values and slopes in double
 * precision.  y is the value at x. */
const char *th_op_map_name(ThOpMap f);
double th_op_map_value(ThOpMap f, double x);
double th_op_map_slope(ThOpMap f, double x, double y);
const char *th_op_zip_name(ThOpZip f);
