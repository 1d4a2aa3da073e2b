/* layout.h - where the states and transitions of an automaton go on paper.
 *
 * Unit of length: an inch, y upwards.  Graphviz's dot finds the places where it is installed; the
 * program is given numbers and lengths of labels only.  Else the states stand on a circle.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"

typedef struct {
    double x, y;
} ThPlotPoint;

/* One drawn arc.  from -1: the arrow that marks a start state. */
typedef struct {
    int from, to;
    int label_width;   /* in characters; 0: no label */
    int label_lines;   /* 0 counts as 1 */
    ThPlotPoint *path; /* (n_path): points from the rim of one state to that of the other */
    int n_path;
    ThPlotPoint label; /* centre of the label */
} ThLayoutArc;

typedef struct {
    int n_nodes, n_arcs;
    double radius;     /* of every state */
    ThPlotPoint *node; /* (n_nodes) */
    ThLayoutArc *arc;
    ThPlotPoint low, high; /* corners of all that is drawn */
} ThLayout;

/* Returns new: n_arcs arcs whose from, to and label_width the caller sets before th_layout_place.
 */
ThLayout *th_layout_new(int n_nodes, int n_arcs, double radius, ThError *err);

/* Finds places and paths.  use_dot false: the circle.  Errors: TH_EINTERRUPTED, TH_ENOMEM. */
bool th_layout_place(ThLayout *l, bool use_dot, ThStop *stop, ThError *err);
void th_layout_free(ThLayout *l); /* NULL is fine */
