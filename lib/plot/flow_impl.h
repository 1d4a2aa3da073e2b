/* flow_impl.h - the content of a flow picture (flow.c), for where it is drawn (flow_draw.c).
 * Unit of length: an inch, y downwards. */
#ifndef TH_PLOT_FLOW_IMPL_H
#define TH_PLOT_FLOW_IMPL_H

#include "plot/flow.h"

/* A selector in a layer.  Its keys, its queries and the aggregates that use it are side[key …],
 * side[query …] and side[use … end). */
typedef struct {
    ThSop selector;
    int layer;
    size_t key, query, use, end;
    double x, y, width, height;
    double left; /* room for labels left of the cells */
} ThFlowHead;

typedef struct {
    double y, width, height;
    double table; /* y of the element-wise s-ops */
    double left;  /* room for their labels */
    int rows;     /* how many there are */
} ThFlowLayer;

typedef struct {
    ThFigure *f;
    ThRasp *r;
    ThRaspGraph *g;
    ThRaspRun *run;
    ThStop *stop;
    size_t n; /* positions */
    ThSop *node;
    size_t n_nodes;
    char **label;   /* by node, of those that are shown */
    uint8_t *shown; /* by node */
    uint8_t *mark;  /* by node, 0 between uses */
    ThSop *side;
    size_t n_sides, side_cap;
    ThFlowHead *head;
    size_t n_heads, head_cap;
    ThFlowLayer *layer;
    int n_layers;
    double cell; /* width of a value */
    int pass;    /* which kind of marks is being written */
} ThFlow;

/* View of the text of element i, until the next one. */
const char *th_flow_value(const ThFlow *p, const ThSeq *s, size_t i, ThText *t);

bool th_flow_draw(ThFlow *p, const char *title, ThSop sop, ThError *err);
bool th_flow_draw_head(ThFlow *p, const char *title, ThError *err);

#endif
