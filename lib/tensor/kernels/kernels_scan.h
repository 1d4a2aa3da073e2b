/* kernels_scan.h - the loops of linear recurrences, see th_op_scan.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"
#include "tensor/kernels/dispatch.h"

typedef enum { TH_SCAN_DIAGONAL, TH_SCAN_COMPLEX, TH_SCAN_BLOCKS } ThKernelScanForm;

/* Position p = s*T + i reads row a_row[p] of a, which is a_width wide, and row b_row[p] of b (…,d).
 * start is (B,d), or one row for all where one_start is set. */
typedef struct {
    ThKernelScanForm form;
    int B, T, d, k; /* k: size of a block */
    const int *length, *a_row, *b_row;
    size_t a_width;
    const float *a, *b, *start;
    bool one_start, columns; /* columns: `a` holds those of each block, which is faster, not rows */
    float *h;                /* (B*T,d) */
    ThStop *stop;            /* looked at before every string, whose rest is left undone; or NULL */
} ThKernelScan;

static inline bool th_kernel_scan_goes_on(const ThKernelScan *s, int string)
{
    return string < s->B && !(s->stop && *s->stop);
}

TH_KERNEL(void, th_kernel_scan)(const ThKernelScan *s);

/* Its backward pass: da, db and dstart are added to; dstart may be NULL.  Where clear_a or clear_b
 * is set every row belongs to one position, and is zeroed when that is met. */
typedef struct {
    const ThKernelScan *forward;
    const float *dy;
    float *da, *db, *dstart;
    bool clear_a, clear_b;
    float *g, *next; /* scratch (d) */
} ThKernelScanBack;

TH_KERNEL(void, th_kernel_scan_back)(const ThKernelScanBack *b);
