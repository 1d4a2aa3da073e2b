/* draw_algebra.h - figures of the algebra of a language.  As for views.h: f must be empty, title is
 * a line of text.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/classes.h"
#include "automata/algebra/eggbox.h"
#include "automata/algebra/holonomy.h"
#include "plot/figure.h"

/* D-classes as egg-boxes, each row of them one step below the one above it, joined where nothing
 * lies between; cells that are groups are coloured.  label (n_d): a line above every box.
 * TH_ELIMIT beyond a few hundred classes or some thousand cells. */
bool th_plot_eggbox(ThFigure *f, const char *title, const ThEggbox *e, char *const *label,
                    ThError *err);

/* The components of a decomposition, a row for every level, joined to those that their tiles lie
 * in; components with groups are coloured.  text (n_families): what stands for the set.
 * TH_ELIMIT beyond a few hundred components, TH_EVALUE where there is none. */
bool th_plot_decomposition(ThFigure *f, const char *title, const ThHolonomy *h, char *const *text,
                           ThError *err);

/* The classes of regular languages, each row contained in rows above it where a line says so; those
 * of the report are coloured, the smallest of them darker, and grey where it is not known. */
bool th_plot_classes(ThFigure *f, const char *title, const ThClassReport *r, ThError *err);
