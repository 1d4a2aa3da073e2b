/* board_impl.h - putting states and arrows on a board.
 *
 * Memory running out is remembered, and reported by th_plot_board_finish.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "plot/graph/board.h"
#include "plot/graph/draw_graph.h"

ThPlotBoard *th_plot_board_new(ThError *err); /* returns new, before its first step */

/* What is put or wiped off now is so from the present step on.  A node's number is the count of
 * those before. */
void th_plot_board_node(ThPlotBoard *b, const char *name, ThPlotNodeLook look, bool start);
void th_plot_board_arc(ThPlotBoard *b, int from, int to, const char *label);
void th_plot_board_wipe_node(ThPlotBoard *b, int q); /* and its arrows */
void th_plot_board_wipe_arcs(ThPlotBoard *b, int from, int to);

/* How a node looks from the present step on. */
void th_plot_board_look(ThPlotBoard *b, int q, ThPlotNodeLook look, bool start);

/* In the present step only. */
void th_plot_board_mark(ThPlotBoard *b, int q, int mark);

/* Ends the present step; false and TH_ELIMIT where there are too many. */
bool th_plot_board_step(ThPlotBoard *b, ThText *caption, ThError *err);

/* Returns b, or frees it and returns NULL where `good` is false or memory ran out. */
ThPlotBoard *th_plot_board_finish(ThPlotBoard *b, bool good, ThError *err);
