/* views.h - what there is to plot: each function writes one figure from what was computed.
 *
 * f must be empty; title is a line of text.  Errors: TH_EVALUE where there is nothing to draw.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/words/growth.h"
#include "automata/words/words.h"
#include "inspect/clusters.h"
#include "inspect/receptive_field.h"
#include "inspect/halting_depth.h"
#include "inspect/position_profile.h"
#include "inspect/first_errors.h"
#include "lab/evaluate.h"
#include "plot/figure.h"
#include "proof/check/check.h"
#include "proof/tree/closure.h"

/* RegularGPT: the routing path of the last position over positions and levels, with edges as thick
 * as the mean weight over heads, and below it every head's mean weight on each key; other models:
 * heat maps of the weights, one a layer and head.  symbol names the trace's tokens. */
bool th_plot_attention(ThFigure *f, const char *title, const ThModelTrace *trace, const int *token,
                       char *const *symbol, ThError *err);

/* An input of a model: length symbols, by number, and their names. */
typedef struct {
    const int *token;
    int length;
    char *const *symbol;
} ThPlotInput;

/* The mass that each state of each position or unit got, and how deep in brackets the symbols
 * stand. */
bool th_plot_halting(ThFigure *f, const char *title, const ThModelHalted *h, const ThPlotInput *in,
                     ThError *err);

/* How long the model thought about each string by nesting, length and operators, with the rank
 * correlations. */
bool th_plot_thoughts(ThFigure *f, const char *title, const ThInspectHalting *h, ThError *err);

/* Hidden vectors on their first two principal components, coloured by the function that their
 * segment induces; larger points belong to higher levels. */
bool th_plot_clusters(ThFigure *f, const char *title, const ThClusters *c, ThError *err);

/* An answer for every vector of a model that reads a string: boxes over what the vectors have read,
 * level by level, coloured by the answer, the stronger the greater its share. */
typedef struct {
    int layer, first, last; /* from 0 */
    const char *text;
    double share; /* 0 … 1 */
} ThPlotLevelCell;
typedef struct {
    const ThPlotLevelCell *cell; /* (n) */
    int n, n_layers, n_classes, length;
    bool segments;      /* vectors are about first … last; else they stand at last */
    char *const *label; /* (n_classes): answers that have colours */
    char *const *symbol;
    const int *token; /* (length) */
    const char *what; /* the line below the title */
} ThPlotLevels;
bool th_plot_levels(ThFigure *f, const char *title, const ThPlotLevels *v, ThError *err);

/* The share of the gradient at and after every position, and the straight line that means that all
 * positions matter alike.  The greatest length trained on is shaded; 0: none. */
bool th_plot_field(ThFigure *f, const char *title, const ThField *field, int trained_hi,
                   ThError *err);

/* Heat maps of queries and keys, one a head; what is masked is grey. */
void th_plot_positions(ThFigure *f, const char *title, const ThInspectPositions *p);

/* Level by level: radius of the clusters against the gap between them, how many there are, and the
 * slopes of the map at their middles and between them. */
void th_plot_closure(ThFigure *f, const char *title, const ThProofClosure *c);

/* The pairs of labels at the last level, a point each: across how far products lie from the middle
 * of their label's, as a share of half the way to the nearest other middle; upwards the slope
 * of the map, from what it is at the middles to what it is between them.  name (n_pairs): what is
 * written beside a point, NULL: nothing. */
void th_plot_closure_pairs(ThFigure *f, const char *title, const ThProofClosure *c,
                           char *const *name);

/* What a selector selects (n, n), and beside it where a head looks (n, n + 1), the beginning of the
 * string first; rows ask. */
typedef struct {
    int layer, head; /* from 0 */
    char *selector;
    uint8_t *selected;
    double *weight;
} ThPlotSelecting;
void th_plot_selecting(ThFigure *f, const char *title, const ThPlotSelecting *head, size_t n,
                       const ThPlotInput *in);

typedef struct {
    int length;
    double accuracy;
} ThPlotDot;

/* What is drawn of one model among others. */
typedef struct {
    const char *name;
    const char *label; /* in the legend; NULL: the name, or nothing where there is no other */
    const ThModelTraining *training;
    const ThScore *score; /* (n_scores): of its evaluation */
    size_t n_scores;
    const ThPlotDot *dot; /* (n_dots): single figures beside the scores, which are means */
    size_t n_dots;
    const char *band; /* what lo to hi of the scores are; NULL: the 95 % interval, "": not drawn */
} ThPlotModel;

/* Loss (logarithmic) and accuracy by step, in validations too; of several models their losses. */
bool th_plot_loss(ThFigure *f, const char *title, const ThPlotModel *model, size_t n, ThError *err);

/* The states of the automata that models were at each comparison by step; of one model, the share
 * of wrong words, too.  TH_EVALUE for a model that was not compared. */
bool th_plot_states(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                    ThError *err);

/* How a training until proved went: by step the distance of centres, the farthest vector from its
 * own, and the worst pair of sets beside its room, on a logarithmic scale.  TH_EUSAGE for several
 * models, TH_EVALUE for one that was not trained so. */
bool th_plot_stages(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                    ThError *err);

/* Accuracy by length with its 95 % interval and the chance level, on f->axes; the lengths trained
 * on, if any, are shaded, or where models differ in them, their ends are marked. */
bool th_plot_accuracy(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                      ThError *err);

/* Shares from 0 to 1 as shades with their numbers: share (rows, columns), NaN where there is none,
 * and the names. */
typedef struct {
    int rows, columns;
    char **row, **column;
    const char *down, *over; /* what rows and columns are values of */
    double *share;
    bool compact; /* cells are small, and without numbers: with a digit where they are characters */
} ThPlotGrid;
bool th_plot_grid(ThFigure *f, const char *title, const ThPlotGrid *g, ThError *err);

/* The sets of a certificate, and what its pairs make that must stay within them, as shadows on the
 * plane of the ways.  The ways go round in the plane of the first two principal components of the
 * centres, (TH_PLOT_WAYS, dim), new: the checker is to look along them. */
enum { TH_PLOT_WAYS = 64 };
typedef struct {
    const ThProofCertificate *certificate; /* by sets */
    const ThProofPairs *pairs;             /* with these ways */
    char *const *name;                     /* (n_labels) */
} ThPlotSets;
double *th_plot_sets_ways(const ThProofCertificate *c, ThError *err);
bool th_plot_sets(ThFigure *f, const char *title, const ThPlotSets *v, ThError *err);

/* First slips of n ≥ 1 strings, in the order of their lengths: the share of each kind by length,
 * and each by line and column (by length and column where all are on one line), filled where at
 * least `gram` symbols before it are repeated. */
bool th_plot_slips(ThFigure *f, const char *title, const ThInspectSlip *slip, size_t n, int gram,
                   ThError *err);

/* The number of words by length on a logarithmic scale: log10 of it for every length of the range,
 * -1 for none, beside that of all words over n_symbols symbols. */
bool th_plot_growth(ThFigure *f, const char *title, const double *log10, ThRange range,
                    int n_symbols, const ThWordsGrowth *g, ThError *err);

/* States and transitions; laid out by Graphviz's dot where it is installed, else on a circle.  dot
 * is given numbers only, never a name.  Errors: TH_ELIMIT beyond a few hundred states. */
bool th_plot_automaton(ThFigure *f, const char *title, const ThAutomaton *a, ThStop *stop,
                       ThError *err);
