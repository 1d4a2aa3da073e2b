/* tex.h - figures for TeX: what gnuplot's tikz terminal writes, made safe to be typeset.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/text.h"

/* Appends a picture of gnuplot's: texts mean themselves whatever they contain, dates and notes are
 * left out, and a first line says what a document needs to read it. */
void th_plot_tex(ThText *to, const char *tikz);

/* The same for a drawing made of states and arrows: what stands between its options and its end,
 * with the name in a comment; scale is that of the whole, its texts included. */
void th_plot_tex_graph(ThText *to, const char *inside, double scale, double font_size);
