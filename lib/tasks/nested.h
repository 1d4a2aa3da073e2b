/* nested.h - expressions with a pair of brackets around every operation, modulo 5, as Delétang et
 * al. 2023 draw them.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/rng.h"

/* The symbols: digits, and these. */
enum {
    TH_TASK_MODULUS = 5,
    TH_TASK_PLUS = TH_TASK_MODULUS,
    TH_TASK_MINUS,
    TH_TASK_TIMES,
    TH_TASK_OPEN,
    TH_TASK_CLOSE,
    TH_TASK_EQUALS,
    TH_TASK_X
};

/* An expression's value and factor of x modulo 5. */
typedef struct {
    int value, factor;
} ThTaskLinear;

/* False where the word is no expression, or no linear one. */
bool th_task_read_nested(const int *word, int n, ThTaskLinear *value);

/* E(1) = d, E(2) = -d, E(3) = (d), E(4) = (-d), E(n) = (E(l) op E(n - 3 - l)), l uniform, op one of
 * the first of + - *. */
void th_task_draw_nested(ThRng *r, int n, int operations, int *word);

/* The probability of the most frequent value of E(n) with three operations, exactly; O(n^2). */
double th_task_chance_nested(int n);
