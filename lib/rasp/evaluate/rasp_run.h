/* rasp_run.h - evaluating a graph on an input.
 *
 * A run belongs to one graph and one input and remembers the value of every class that it has
 * evaluated, so asking for a second s-op costs only what is new.  Aggregation goes through a
 * selection row by row, each as bits, and never holds the n × n matrix: it takes time in proportion
 * to the cells that are selected and to n² / 64.
 *
 * Means are exact: the sum is taken without rounding and divided once, so a mean is the float
 * nearest to the true mean and does not depend on any order of summation.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"
#include "rasp/graph/rasp_graph.h"

typedef struct ThRaspRun ThRaspRun;

/* Returns new: a run of g on a copy of the input, n ≥ 1.  The graph must outlive it and may grow.
 * `bytes` limits the memory of its values; 0: TH_RASP_RUN_BYTES.
 * Errors: TH_EVALUE for an empty input, TH_ENOMEM. */
#define TH_RASP_RUN_BYTES ((size_t)4 << 30)
ThRaspRun *th_rasp_run_new(ThRaspGraph *g, const ThRaspSeq *input, size_t bytes, ThError *err);
void th_rasp_run_free(ThRaspRun *r); /* NULL is fine */
TH_RELEASES(th_rasp_run_free, ThRaspRun)

const ThRaspSeq *th_rasp_run_input(const ThRaspRun *r); /* view */

/* Returns a view of an s-op's value that lives as long as the run (or until the node is forgotten),
 * or NULL.  Errors: TH_EVALUE and TH_ENUMERIC of the program, TH_ELIMIT, TH_ENOMEM,
 * TH_EINTERRUPTED; th_rasp_run_failed says which node failed (TH_RASP_NO_SOP: none). */
const ThRaspSeq *th_rasp_run_value(ThRaspRun *r, ThRaspSop sop, ThStop *stop, ThError *err);
ThRaspSop th_rasp_run_failed(const ThRaspRun *r);

/* Evaluates an s-op or a selector just to see whether that can be done; the same errors. */
bool th_rasp_run_check(ThRaspRun *r, ThRaspSop node, ThStop *stop, ThError *err);

/* Returns new: a selector's matrix, n × n, row after row, 1 where selected; freed with free().
 * NULL and err; TH_ELIMIT beyond n = TH_RASP_GRID_MAX. */
enum { TH_RASP_GRID_MAX = 4096 };
uint8_t *th_rasp_run_grid(ThRaspRun *r, ThRaspSop selector, ThStop *stop, ThError *err);
