/* boxes.h - what egg-boxes and decompositions have in common: rows of boxes with lines between
 * them.  Unit of length: an inch, y downwards while boxes are placed.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "plot/figure.h"

typedef struct {
    int row;
    double width, height;
    double x, y; /* of the upper left corner, set by th_boxes_place */
} ThPlotBox;

/* From the bottom of one box to the top of another in a lower row.  Where it passes rows, it goes
 * through `bends` empty boxes from `bend` on. */
typedef struct {
    int from, to, bend, bends;
} ThPlotBoxLine;

/* The caller adds boxes first, then lines.  Zero-initialised it is empty. */
typedef struct {
    ThPlotBox *box;
    ThPlotBoxLine *line;
    size_t n, n_lines, cap, line_cap;
    int n_rows;
    double gap_x, gap_y;
    double width, height; /* of all, set by th_boxes_place */
} ThBoxes;

bool th_boxes_add(ThBoxes *b, ThPlotBox box, ThError *err);
bool th_boxes_join(ThBoxes *b, int from, int to, ThError *err);
void th_boxes_free(ThBoxes *b);

/* Sets boxes side by side in their rows, in order, every row centred. */
bool th_boxes_place(ThBoxes *b, ThError *err);

/* Sets the page and the axes, which hold y upwards (a y of the boxes is -y there), with `left`
 * inches free at the left; returns the factor by which the drawing is made smaller. */
double th_boxes_page(ThFigure *f, const ThBoxes *b, double left);

/* The block $LINES, never empty. */
void th_boxes_put_lines(ThFigure *f, const ThBoxes *b);
