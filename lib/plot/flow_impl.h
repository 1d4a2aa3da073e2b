/* flow_impl.h - the content of a flow picture (flow.c), for where it is drawn (flow_draw.c).
 * Unit of length: an inch, y downwards.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "plot/flow.h"

/* A selector in a layer.  Its keys, its queries and the aggregates that use it are side[key …],
 * side[query …] and side[use … end). */
typedef struct {
    ThRaspSop selector;
    int layer;
    size_t key, query, use, end;
    double x, y, width, height;
    double left; /* room for labels left of the cells */
} ThPlotFlowHead;

typedef struct {
    double y, width, height;
    double table; /* y of the element-wise s-ops */
    double left;  /* room for their labels */
    int rows;     /* how many there are */
} ThPlotFlowLayer;

typedef struct {
    ThFigure *f;
    ThRasp *r;
    ThRaspGraph *g;
    ThRaspRun *run;
    ThStop *stop;
    size_t n; /* positions */
    ThRaspSop *node;
    size_t n_nodes;
    char **label;   /* by node, of those that are shown */
    uint8_t *shown; /* by node */
    uint8_t *mark;  /* by node, 0 between uses */
    ThRaspSop *side;
    size_t n_sides, side_cap;
    ThPlotFlowHead *head;
    size_t n_heads, head_cap;
    ThPlotFlowLayer *layer;
    int n_layers;
    double cell; /* width of a value */
    int pass;    /* which kind of marks is being written */
} ThPlotFlow;

/* View of the text of element i, until the next one. */
const char *th_plot_flow_value(const ThPlotFlow *p, const ThRaspSeq *s, size_t i, ThText *t);

bool th_plot_flow_draw(ThPlotFlow *p, const char *title, ThRaspSop sop, ThError *err);
bool th_plot_flow_draw_head(ThPlotFlow *p, const char *title, ThError *err);
