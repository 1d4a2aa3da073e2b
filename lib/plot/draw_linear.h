/* draw_linear.h - figures of linear recurrences.  As for views.h: f must be empty, title is a line
 * of text.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "inspect/scans.h"
#include "plot/figure.h"

/* Who is combined with whom, a panel for each scan of `length` positions, round below round. */
void th_plot_scans(ThFigure *f, const char *title, int length,
                   const ThInspectScanPlan plan[TH_INSPECT_SCANS]);

/* Eigenvalues of a word. */
typedef struct {
    char *word;
    int n;
    double *value; /* (2, n): real parts, imaginary parts */
} ThPlotSpectrum;

/* Eigenvalues in the complex plane, a colour for each of n words, and the unit circle. */
void th_plot_spectra(ThFigure *f, const char *title, const ThPlotSpectrum *x, int n);
