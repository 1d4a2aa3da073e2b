/* Proofs: the clusters of a model level by level, and its pairs of labels at the last one; and the
 * sets of a certificate, and what must stay within them, as shadows on a plane: each set on a tile
 * of its own scale, for sets are a hundredth as large as they are apart. */
#include <math.h>

#include "plot/views.h"

/* ---- clusters by level ----------------------------------------------------------------------- */

static void put(ThFigure *f, double x)
{
    if (isfinite(x))
        th_figure_printf(f, " %.9g", x);
    else
        th_figure_printf(f, " NaN"); /* what gnuplot leaves out */
}

static void put_levels(ThFigure *f, const ThProofClosure *c)
{
    th_figure_block(f, "LEVELS");
    for (int i = 0; i < c->levels; i++) {
        const ThProofClosureLevel *l = &c->level[i];
        const double number[] = {l->radius, l->gap, l->at, l->between};
        th_figure_printf(f, "%d", i + 1);
        for (int k = 0; k < 4; k++)
            put(f, number[k]);
        th_figure_printf(f, " %d %lld\n", l->clusters, l->wrong);
    }
    th_figure_end_block(f);
}

void th_plot_closure(ThFigure *f, const char *title, const ThProofClosure *c)
{
    th_figure_begin(f, title, NULL);
    put_levels(f, c);
    if (c->first < 0)
        th_figure_subtitle(f, "every product that was tried stays in its cluster");
    else
        th_figure_subtitle(f, "products leave their clusters from level %d on", c->first + 1);
    th_figure_printf(f, "set xtics ()\n");
    th_figure_printf(f,
                     "set border 11; set xrange [0.5:%d.5]\n"
                     "set xlabel 'level, and below it the number of clusters' offset 0,-1 "
                     "textcolor rgb '#404040'\n"
                     "set ylabel 'distance' textcolor rgb '#404040'; set yrange [0:*]\n"
                     "set y2label 'slope |Jx| + |Jy|' textcolor rgb '#404040'\n"
                     "set y2range [0:*]; set y2tics textcolor rgb '#404040'\n"
                     "set grid ytics lc rgb '#e4e4e4' lw 0.7\n"
                     "set key bmargin center horizontal; set bmargin 7.5\n"
                     "set offsets 0, 0, graph 0.08, 0\n",
                     c->levels);
    for (int i = 0; i < c->levels; i += 1 + c->levels / 30)
        th_figure_printf(f, "set xtics add (\"%d\\n%d\" %d)\n", i + 1, c->level[i].clusters, i + 1);
    th_figure_printf(
        f, "plot $LEVELS using 1:3 with linespoints lt 3 lw 2 pt 7 ps 0.6 title 'gap', \\\n     "
           "$LEVELS using 1:2 with linespoints lt 1 lw 2 pt 5 ps 0.6 title 'radius', \\\n     "
           "$LEVELS using 1:4 axes x1y2 with linespoints lt 2 lw 1.6 dt 2 pt 9 ps 0.6 title 'slope "
           "at the middles', \\\n     $LEVELS using 1:5 axes x1y2 with linespoints lt 4 lw 1.6 dt "
           "3 pt 11 ps 0.6 title 'slope between clusters'\n");
}

/* ---- pairs of labels ------------------------------------------------------------------------- */

static void put_pairs(ThFigure *f, const ThProofClosure *c, char *const *name, bool named)
{
    th_figure_block(f, named ? "NAMED" : "PAIRS");
    for (int i = 0; i < c->n_pairs; i++) {
        const ThProofClosurePair *p = &c->pair[i];
        if (isnan(p->spread) || (named && !name[i]))
            continue;
        put(f, th_proof_closure_share(p));
        put(f, p->at);
        put(f, p->between);
        th_figure_printf(f, " ");
        th_figure_last_cell(f, named ? name[i] : "");
    }
    th_figure_end_block(f);
}

void th_plot_closure_pairs(ThFigure *f, const char *title, const ThProofClosure *c,
                           char *const *name)
{
    th_figure_begin(f, title, NULL);
    put_pairs(f, c, name, false);
    put_pairs(f, c, name, true);
    th_figure_subtitle(
        f, "a proof wants slopes at the middles below 1, and products far from where it is steep");
    th_figure_printf(
        f, "set xlabel 'how far products lie from their middle, of half the way to the nearest "
           "other middle' textcolor rgb '#404040'\n"
           "set ylabel 'slope |Jx| + |Jy|' textcolor rgb '#404040'\n"
           "set xrange [0:*]; set logscale y; set offsets 0, graph 0.2, graph 0.06, 0\n"
           "set grid lc rgb '#e4e4e4' lw 0.7\n"
           "set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#a0a0a0' dt 2\n"
           "set key bmargin center horizontal\n");
    th_figure_printf(
        f,
        "plot $PAIRS using 1:2:(0):($3-$2) with vectors nohead lc rgb '#b0b0b0' notitle, \\\n"
        "     $PAIRS using 1:3 with points lt 4 pt 9 ps 0.6 title 'between clusters', \\\n"
        "     $PAIRS using 1:2 with points lt 2 pt 7 ps 0.5 title 'at the middles', \\\n"
        "     $NAMED using 1:3:4 with labels left rotate by 35 offset 0.5,0.5 font ',8' noenhanced "
        "textcolor rgb '#404040' notitle\n");
}

/* ---- the plane ------------------------------------------------------------------------------- */

/* v (d) <- v without what it has along u, of length 1; or some axis if nothing is left. */
static void straighten(double *v, const double *u, int d)
{
    double along = 0, square = 0;
    for (int i = 0; u && i < d; i++)
        along += v[i] * u[i];
    for (int i = 0; i < d; i++) {
        v[i] -= u ? along * u[i] : 0;
        square += v[i] * v[i];
    }
    for (int i = 0; i < d; i++)
        v[i] /= sqrt(square);
}

/* v <- where points, off their mean, are spread most, across u: a step of powers. */
static void spread(const ThProofCertificate *c, const double *mean, double *v, double *next)
{
    memset(next, 0, (size_t)c->dim * sizeof *next);
    for (int i = 0; i < c->n_labels; i++) {
        const double *at = c->centre + i * c->dim;
        double along = 0;
        for (int k = 0; k < c->dim; k++)
            along += (at[k] - mean[k]) * v[k];
        for (int k = 0; k < c->dim; k++)
            next[k] += along * (at[k] - mean[k]);
    }
    for (int k = 0; k < c->dim; k++)
        v[k] = next[k] + 1e-9 * v[k]; /* points on a line leave the rest as it is */
}

double *th_plot_sets_ways(const ThProofCertificate *c, ThError *err)
{
    enum { POWERS = 200 };
    const int d = c->dim;
    double *way = th_alloc((size_t)TH_PLOT_WAYS * (size_t)d, sizeof *way, err);
    double *axis TH_OWNED(free) = th_alloc(4 * (size_t)d, sizeof *axis, err);
    if (!way || !axis) {
        free(way);
        return NULL;
    }
    double *mean = axis + 2 * d, *next = mean + d;
    for (int i = 0; i < c->n_labels * d; i++)
        mean[i % d] += c->centre[i] / c->n_labels;
    for (int a = 0; a < 2; a++) {
        double *v = axis + a * d;
        for (int i = 0; i < d; i++)
            v[i] = sin(1.0 + i + 0.7 * a * i);
        straighten(v, a ? axis : NULL, d);
        for (int p = 0; p < POWERS; p++) {
            spread(c, mean, v, next);
            straighten(v, a ? axis : NULL, d);
        }
    }
    for (int w = 0; w < TH_PLOT_WAYS; w++)
        for (int i = 0; i < d; i++)
            way[w * d + i] = cos(2 * M_PI * w / TH_PLOT_WAYS) * axis[i] +
                             (d > 1 ? sin(2 * M_PI * w / TH_PLOT_WAYS) * axis[d + i] : 0);
    return way;
}

/* ---- outlines -------------------------------------------------------------------------------- */

/* Where a tile's set has its middle in the plane and on the page, and how much it is enlarged. */
typedef struct {
    double at[2], to[2], by;
} Tile;

/* The outline of a convex shadow with `at` in its middle that reaches so far along each way: where
 * the lines across neighbouring ways meet. */
static void put_outline(ThFigure *f, const Tile *t, const double at[2], const double *reach)
{
    const double step = 2 * M_PI / TH_PLOT_WAYS;
    for (int w = 0; w <= TH_PLOT_WAYS; w++) {
        double angle = w * step, here = reach[w % TH_PLOT_WAYS],
               next = reach[(w + 1) % TH_PLOT_WAYS];
        double beside = (next - here * cos(step)) / sin(step);
        double x = at[0] - t->at[0] + here * cos(angle) - beside * sin(angle);
        double y = at[1] - t->at[1] + here * sin(angle) + beside * cos(angle);
        th_figure_printf(f, "%.7g %.7g\n", t->to[0] + t->by * x, t->to[1] + t->by * y);
    }
    th_figure_printf(f, "\n");
}

/* How far a certificate's set reaches along each way; and its tile, but for its place. */
static Tile find_set(const ThPlotSets *v, int i, double *reach)
{
    const ThProofCertificate *c = v->certificate;
    const int d = c->dim;
    const double *centre = c->centre + i * d,
                 *shape = c->shape ? c->shape + (size_t)i * (size_t)(d * d) : NULL;
    Tile t = {.by = HUGE_VAL};
    for (int w = 0; w < TH_PLOT_WAYS; w++) {
        const double *way = v->pairs->way + w * d;
        double along = 0, square = 0;
        for (int k = 0; k < d; k++) {
            double turned = shape ? 0 : way[k];
            for (int m = 0; shape && m < d; m++)
                turned += shape[k * d + m] * way[m];
            square += turned * turned;
            along += centre[k] * way[k];
        }
        reach[w] = c->radius[i] * sqrt(square);
        t.by = fmin(t.by, 1 / reach[w]);
        if (w == 0 || w == TH_PLOT_WAYS / 4)
            t.at[w > 0] = along;
    }
    return t;
}

static void put_pair(ThFigure *f, const ThPlotSets *v, size_t p, const Tile *t)
{
    const double *seen = v->pairs->seen + p * 2 * TH_PLOT_WAYS;
    const double at[2] = {seen[0], seen[TH_PLOT_WAYS / 4]};
    put_outline(f, t, at, seen + TH_PLOT_WAYS);
}

/* Writes the outlines of all sets, of all that pairs make, and the names. */
static void put_sets(ThFigure *f, const ThPlotSets *v, const Tile *tile, double *reach)
{
    const ThProofPairs *p = v->pairs;
    th_figure_block(f, "SETS");
    for (int i = 0; i < v->certificate->n_labels; i++) {
        find_set(v, i, reach);
        put_outline(f, &tile[i], tile[i].at, reach);
    }
    th_figure_end_block(f);
    th_figure_block(f, "PAIRS");
    for (size_t k = 0; k < p->n; k++)
        put_pair(f, v, k, &tile[p->pair[k].into]);
    th_figure_end_block(f);
    th_figure_block(f, "NAMES");
    for (int i = 0; i < v->certificate->n_labels; i++) {
        th_figure_printf(f, "%g %g ", tile[i].to[0], tile[i].to[1] + 1.15);
        th_figure_last_cell(f, v->name[i]);
    }
    th_figure_end_block(f);
}

bool th_plot_sets(ThFigure *f, const char *title, const ThPlotSets *v, ThError *err)
{
    const double wide = 2.5, high = 2.8;
    const int n = v->certificate->n_labels, columns = (int)ceil(sqrt(n)),
              rows = (n + columns - 1) / columns;
    double reach[TH_PLOT_WAYS];
    Tile *tile TH_OWNED(free) = th_alloc((size_t)n, sizeof *tile, err);
    if (!tile)
        return false;
    for (int i = 0; i < n; i++) {
        tile[i] = find_set(v, i, reach);
        tile[i].to[0] = wide * (i % columns);
        tile[i].to[1] = -high * (i / columns); // NOLINT(bugprone-integer-division): of rows
    }
    f->width = fmin(14, 0.6 + 1.7 * columns);
    f->height = f->width * (high * rows + 0.6) / (wide * columns);
    th_figure_begin(f, title, NULL);
    put_sets(f, v, tile, reach);
    th_figure_subtitle(f, "each set at its own scale, and within it what pairs of sets become");
    th_figure_printf(f,
                     "unset key; unset border; unset tics; if (!plain) set size ratio -1\n"
                     "set xrange [%g:%g]; set yrange [%g:%g]\n"
                     "plot $PAIRS using 1:2 with lines lc rgb '#D55E00' lw 0.5, \\\n"
                     "    $SETS using 1:2 with lines lc rgb '#0072B2' lw 2, \\\n"
                     "    $NAMES using 1:2:3 with labels font ',9' noenhanced\n",
                     -wide / 2, wide * (columns - 0.5), -high * (rows - 1) - 1.1, 1.4);
    return true;
}
