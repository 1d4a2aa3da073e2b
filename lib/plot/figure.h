/* figure.h - figures are complete, self-contained gnuplot scripts; one function runs gnuplot.
 *
 * A view builds its script with th_figure_*: data blocks first, then settings and the plot command.
 * Text of the user's reaches a script only through th_figure_string and th_figure_cell, which make
 * it inert whatever it contains.
 *
 *     ThFigure f = {0};
 *     th_figure_begin(&f, "loss of ", name, NULL);
 *     th_figure_block(&f, "LOSS");
 *     th_figure_printf(&f, "%d %.9g\n", step, loss);
 *     th_figure_end_block(&f);
 *     th_figure_printf(&f, "plot $LOSS using 1:2 with lines notitle\n");
 *     th_figure_render(&f, &(ThPlotTarget){.path = "loss.png"}, &err);
 *     th_figure_free(&f);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"
#include "base/text.h"

/* How whoever asks wants axes and legend; nothing: as the view has them. */
typedef struct {
    double x[2], y[2]; /* limits; equal: none are given.  Of a logarithmic axis they are above 0 */
    bool log_x, log_y;
    const char
        *legend; /* in gnuplot's words, "bottom left" or "off"; NULL: where the view has it */
} ThFigureAxes;

typedef struct {
    ThText script;        /* everything but terminal and output; the variable `plain` in it is 1
                             where characters are the pixels */
    double width, height; /* in inches; 0: 7 by 5 */
    bool drawing;         /* texts belong to shapes, and grow with the page */
    int least_columns, least_rows; /* where characters are the pixels: in fewer, texts would lie
                                      over each other; 0: any will do */
    ThText tikz; /* empty, or the drawing for .tex behind the first options of its picture, */
    double tikz_width, tikz_height; /* and its size in cm */
    const char *title; /* takes the place of the one that the view gives; NULL: that one */
    ThFigureAxes axes; /* looked at by th_plot_accuracy */
} ThFigure;

/* The house preamble and a title made of the given strings, NULL-ended; f->title if there is one.
 */
void th_figure_begin(ThFigure *f, ...) __attribute__((sentinel));

/* The title that a figure has: f->title, or else this one. */
const char *th_figure_title(const ThFigure *f, const char *title);

/* A page for a drawing in the units of its axes, which it hides: between these limits it shows
 * everything, x and y to the same scale.  Returns the factor, at most 1, by which texts must be
 * smaller because the drawing was made smaller to fit on paper. */
double th_figure_page(ThFigure *f, double left, double right, double low, double high);

/* A smaller line under the title (it takes the place of gnuplot's label 1). */
void th_figure_subtitle(ThFigure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Commands of gnuplot's; up to a thousand characters at a time. */
void th_figure_printf(ThFigure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a gnuplot string literal that means `text` literally; control characters and bytes that
 * are no UTF-8 become blanks. */
void th_figure_string(ThFigure *f, const char *text);

/* The same for the label of a tic, which gnuplot takes for a format of numbers. */
void th_figure_tic(ThFigure *f, const char *text);

/* Appends a number as axes have it: 5·10⁶ for large and small ones; and 10 to an exponent, on an
 * axis that has another as its greatest. */
void th_figure_number(ThText *t, double x);
void th_figure_power(ThText *t, int exponent, int greatest);

/* Tics of an axis ("x", "y", "y2") that shows the numbers from lo to hi, the large ones as powers
 * of ten; where there are none gnuplot's own tics stay.  The second one makes it logarithmic;
 * lo must be positive. */
void th_figure_axis(ThFigure *f, const char *axis, double lo, double hi);
void th_figure_log_axis(ThFigure *f, const char *axis, double lo, double hi);

/* Tics of an axis ("x", "y") along which symbols stand, with their names in a font size; where
 * there are more than can be named, numbers. */
enum { TH_FIGURE_MOST_NAMED = 80 };
void th_figure_symbol_tics(ThFigure *f, const char *axis, char *const *symbol, const int *token,
                           int length, int size);

/* `$NAME << TH_EOD` … rows … end.  Cells are separated by blanks. */
void th_figure_block(ThFigure *f, const char *name);
void th_figure_cell(ThFigure *f, const char *text);      /* a quoted string column */
void th_figure_last_cell(ThFigure *f, const char *text); /* and the end of its row */
void th_figure_end_block(ThFigure *f);
void th_figure_free(ThFigure *f);

/* Where a figure goes. */
typedef enum {
    TH_PLOT_FILE,
    TH_PLOT_WINDOW,
    TH_PLOT_TEXT,
    TH_PLOT_SIXEL, /* as terminals show pictures: DEC's sixels; kitty's protocol, of a PNG */
    TH_PLOT_KITTY
} ThPlotWhere;
typedef struct {
    ThPlotWhere where;
    const char *path;     /* TH_PLOT_FILE: its extension chooses png, svg, pdf, tex, txt or gp */
    int columns, rows;    /* TH_PLOT_TEXT: size of the terminal; 0: 79 by 24 */
    double width, height; /* of a picture, in cm; 0: the figure's own */
    const char *font;     /* of letters, digits, blanks and hyphens; NULL: DejaVu Sans */
    double font_size;     /* in points; 0: 10, or less in small figures */
    ThStop *stop;         /* ends gnuplot; may be NULL */
    char *text; /* returned new, what to print, freed with free(): not for TH_PLOT_FILE, and for
                   TH_PLOT_WINDOW only where gnuplot was built without windows; else NULL */
} ThPlotTarget;

/* Runs gnuplot on the script (not for .gp, which is the script itself); the file appears at the
 * end, whole.  Errors: TH_EIO with gnuplot's own last words, and no file; TH_EUSAGE for an
 * extension that it does not know. */
bool th_figure_render(const ThFigure *f, ThPlotTarget *to, ThError *err);
