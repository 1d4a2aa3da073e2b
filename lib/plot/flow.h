/* flow.h - the computation of an s-op as a picture of the transformer that would compute it, and a
 * selector as the attention that it stands for (Weiss, Goldberg and Yahav 2021, figures 1 to 3).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "plot/figure.h"
#include "rasp/interpret/rasp.h"

enum { TH_PLOT_FLOW_INPUT = 64 /* longest input of a picture */ };

/* A box for each layer.  In it a box for each head, that is, for each selector that aggregates of
 * this layer use: its cells, the keys above and the queries beside them; below, for each aggregate,
 * the values that come in, where they go, and the result.  Under the heads the element-wise s-ops
 * of the layer.  Constants and unnamed intermediate results that only one other element-wise s-op
 * uses are left out.  f must be empty; title is a line of text; run is one of r's graph.
 * Errors: those of evaluation; TH_ELIMIT for more than fits a page. */
bool th_plot_flow(ThFigure *f, const char *title, ThRasp *r, ThRaspRun *run, ThRaspSop sop,
                  ThStop *stop, ThError *err);

/* The matrix of a selector alone, with its keys and queries. */
bool th_plot_selector(ThFigure *f, const char *title, ThRasp *r, ThRaspRun *run, ThRaspSop selector,
                      ThStop *stop, ThError *err);
