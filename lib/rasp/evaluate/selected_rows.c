/* Selectors row by row.  A row takes time in proportion to what it selects and a 64th of its
 * length, and memory of one row for every part. */

#include "rasp/evaluate/run_impl.h"

/* Where a class is in a list that contains it. */
static uint32_t place_of(const ThRaspSop *list, size_t n, ThRaspSop canonical)
{
    size_t a = 0, b = n;
    while (b - a > 1) {
        size_t mid = a + (b - a) / 2;
        if (list[mid] <= canonical)
            a = mid;
        else
            b = mid;
    }
    return (uint32_t)a;
}

bool th_rasp_rows_open(ThRaspRows *rows, ThRaspRun *r, ThRaspSop selector, ThError *err)
{
    *rows = (ThRaspRows){.run = r, .words = (r->n + 63) / 64};
    rows->part = th_rasp_run_collect(r, selector, TH_RASP_PARTS, &rows->n_parts, err);
    bool ok = rows->part && (rows->arg = th_alloc(rows->n_parts, sizeof *rows->arg, err)) &&
              (rows->bits = th_alloc(rows->n_parts * rows->words, sizeof *rows->bits, err));
    for (size_t k = 0; ok && k < rows->n_parts; k++) {
        const ThRaspNodeInfo *node = th_rasp_node(r->g, rows->part[k]);
        bool leaf = node->kind == TH_RASP_NODE_SELECT || node->kind == TH_RASP_NODE_MATCH;
        for (size_t a = 0; !leaf && a < node->n_args; a++)
            rows->arg[k][a] = place_of(rows->part, k, th_rasp_run_arg(r, rows->part[k], a));
    }
    if (!ok)
        th_rasp_rows_close(rows);
    return ok;
}

void th_rasp_rows_close(ThRaspRows *rows)
{
    TH_FREE(rows->part, rows->arg, rows->bits);
    *rows = (ThRaspRows){0};
}

/* Row i of a select by intervals: a slice of the elements by their ranks. */
static void interval_row(const ThRaspMatch *m, size_t i, size_t length, uint64_t *bits)
{
    const uint32_t *order = m->keys->order, *rank = m->keys->rank;
    size_t a = 0, b = length, words = (length + 63) / 64;
    while (a < b) {
        size_t mid = a + (b - a) / 2;
        if (rank[order[mid]] < m->lo[i])
            a = mid + 1;
        else
            b = mid;
    }
    memset(bits, 0, words * sizeof *bits);
    for (; a < length && rank[order[a]] < m->hi[i]; a++)
        bits[order[a] / 64] |= (uint64_t)1 << order[a] % 64;
    for (size_t w = 0; m->except && w < words; w++)
        bits[w] = ~bits[w];
}

/* Row i of a select by a function. */
static void table_row(const ThRaspMatch *m, size_t i, const uint32_t *rank, size_t length,
                      uint64_t *bits)
{
    const uint64_t *chosen = m->table + m->query[i] * m->words;
    memset(bits, 0, (length + 63) / 64 * sizeof *bits);
    for (size_t j = 0; j < length; j++)
        bits[j / 64] |= (chosen[rank[j] / 64] >> (rank[j] % 64) & 1) << (j % 64);
}

/* Removes what lies right of column `last`. */
static void cut(uint64_t *bits, size_t words, size_t last)
{
    size_t w = last / 64;
    if (last % 64 != 63)
        bits[w] &= ((uint64_t)2 << (last % 64)) - 1;
    for (w++; w < words; w++)
        bits[w] = 0;
}

const uint64_t *th_rasp_rows_row(ThRaspRows *rows, size_t i)
{
    const ThRaspRun *r = rows->run;
    size_t words = rows->words;
    uint64_t *bits = rows->bits;
    for (size_t k = 0; k < rows->n_parts; k++, bits += words) {
        const ThRaspNodeInfo *node = th_rasp_node(r->g, rows->part[k]);
        const uint64_t *a = rows->bits + rows->arg[k][0] * words;
        const uint64_t *b = rows->bits + rows->arg[k][1] * words;
        const ThRaspMatch *m = r->slot[rows->part[k]].match;
        if (m && m->table)
            table_row(m, i, m->keys->rank, r->n, bits);
        else if (m)
            interval_row(m, i, r->n, bits);
        for (size_t w = 0; !m && w < words; w++)
            bits[w] = node->kind == TH_RASP_NODE_BOTH     ? a[w] & b[w]
                      : node->kind == TH_RASP_NODE_EITHER ? a[w] | b[w]
                                                          : ~a[w];
        cut(bits, words, node->causal ? i : r->n - 1);
    }
    return bits - words;
}
