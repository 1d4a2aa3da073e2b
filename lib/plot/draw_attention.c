#include "plot/views.h"

#include <math.h>

#include "inspect/routing_path.h"

enum {
    N_WIDTHS = 8,     /* classes of edges, thin and pale to thick and dark */
    MOST_CELLS = 120, /* cells that get their value as a label */
    MOST_FULL = 40,   /* positions up to which all rows of a dense model are drawn */
    MOST_PANELS = 48,
    CURVE = 24 /* pieces of an edge */
};

typedef struct {
    const ThModelTrace *trace;
    const ThPath *path;
    const int *token;
    char *const *symbol;
} View;

/* ---- the routing path ------------------------------------------------------------------------ */

static int width_class(double weight)
{
    int c = (int)(weight * N_WIDTHS);
    return c < 0 ? 0 : (c >= N_WIDTHS ? N_WIDTHS - 1 : c);
}

/* Where key k of a row stands: its position, or for the p-th pad of the row p places left of the
 * string. */
static int key_position(const ThModelTraceLayer *l, int i, int k)
{
    int key = l->key[(size_t)i * l->n_keys + k], pads = 0;
    if (key >= 0)
        return key;
    for (int j = 0; j <= k; j++)
        pads += l->key[(size_t)i * l->n_keys + j] == TH_MODEL_KEY_PAD;
    return -pads;
}

/* Calls visit for every edge of the path. */
typedef void Visit(ThFigure *f, const ThModelTraceLayer *l, int layer, int i, int k);

static void for_edges(ThFigure *f, const View *v, Visit *visit, int only_class)
{
    for (int l = 0; l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        for (int i = 0; i < layer->n_rows; i++)
            for (int k = 0; v->path->row[l][i] && k < layer->n_keys; k++)
                if (layer->key[(size_t)i * layer->n_keys + k] != TH_MODEL_KEY_MASKED &&
                    (only_class < 0 || width_class(th_path_mean_weight(layer, i, k)) == only_class))
                    visit(f, layer, l, i, k);
    }
}

static void put_edge(ThFigure *f, const ThModelTraceLayer *l, int layer, int i, int k)
{
    double from = key_position(l, i, k), to = l->last[i];
    for (int s = 0; s <= CURVE; s++) {
        double t = (double)s / CURVE, x = from + (to - from) * t * t * (3 - 2 * t);
        th_figure_printf(f, "%.4g %.4g\n", x, layer + t);
        if (from == to)
            s += CURVE - 1;
    }
    th_figure_printf(f, "\n");
}

static void put_pad(ThFigure *f, const ThModelTraceLayer *l, int layer, int i, int k)
{
    if (l->key[(size_t)i * l->n_keys + k] == TH_MODEL_KEY_PAD)
        th_figure_printf(f, "%d %d\n", key_position(l, i, k), layer);
}

static void put_child(ThFigure *f, const ThModelTraceLayer *l, int layer, int i, int k)
{
    if (layer == 0 && l->key[(size_t)i * l->n_keys + k] >= 0)
        th_figure_printf(f, "%d 0\n", key_position(l, i, k));
}

static bool has_class(const View *v, int c)
{
    for (int l = 0; l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        for (int i = 0; i < layer->n_rows; i++)
            for (int k = 0; v->path->row[l][i] && k < layer->n_keys; k++)
                if (layer->key[(size_t)i * layer->n_keys + k] != TH_MODEL_KEY_MASKED &&
                    width_class(th_path_mean_weight(layer, i, k)) == c)
                    return true;
    }
    return false;
}

/* Returns how many pads stand left of the string. */
static int count_pads(const View *v)
{
    int most = 0;
    for (int l = 0; l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        for (int i = 0; i < layer->n_rows; i++)
            for (int k = 0; v->path->row[l][i] && k < layer->n_keys; k++)
                if (layer->key[(size_t)i * layer->n_keys + k] == TH_MODEL_KEY_PAD)
                    most = -key_position(layer, i, k) > most ? -key_position(layer, i, k) : most;
    }
    return most;
}

static void put_path(ThFigure *f, const View *v)
{
    for (int c = 0; c < N_WIDTHS; c++) {
        if (!has_class(v, c))
            continue;
        th_figure_printf(f, "$EDGES%d << TH_EOD\n", c);
        for_edges(f, v, put_edge, c);
        th_figure_end_block(f);
    }
    if (count_pads(v) > 0) {
        th_figure_block(f, "PADS");
        for_edges(f, v, put_pad, -1);
        th_figure_end_block(f);
    }
    th_figure_block(f, "NODES");
    for_edges(f, v, put_child, -1);
    for (int l = 0; l < v->trace->n_layers; l++)
        for (int i = 0; i < v->trace->layer[l].n_rows; i++)
            if (v->path->row[l][i])
                th_figure_printf(f, "%d %d\n", v->trace->layer[l].last[i], l + 1);
    th_figure_end_block(f);
    th_figure_block(f, "TOKENS");
    for (int p = 0; p < v->trace->length; p++) {
        th_figure_printf(f, "%d ", p);
        th_figure_cell(f, v->symbol[v->token[p]]);
        th_figure_printf(f, "\n");
    }
    th_figure_end_block(f);
    if (v->trace->length <= TH_FIGURE_MOST_NAMED) {
        th_figure_block(f, "CELLS");
        for (int l = 0; l <= v->trace->n_layers; l++)
            for (int p = 0; p < v->trace->length; p++)
                th_figure_printf(f, "%d %d\n", p, l);
        th_figure_end_block(f);
    }
}

/* A shade between pale and dark blue. */
static unsigned shade(double t)
{
    static const double pale[3] = {176, 202, 222}, dark[3] = {0, 58, 112};
    unsigned rgb = 0;
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (unsigned)lround(pale[i] + (dark[i] - pale[i]) * t);
    return rgb;
}

static void draw_path(ThFigure *f, const View *v)
{
    int length = v->trace->length, pads = count_pads(v), depth = v->trace->n_layers;
    double node = length <= 24 ? 1.5 : (length <= TH_FIGURE_MOST_NAMED ? 0.9 : 0.35);
    th_figure_printf(f,
                     "set xrange [%.4g:%.4g]; set yrange [-0.75:%.4g]\n"
                     "set border 0; unset xtics; set ytics 0,1,%d scale 0\n"
                     "set ylabel 'level' textcolor rgb '#404040'; unset key\n",
                     -pads - 0.6 - 0.01 * length, length - 0.4 + 0.01 * length, depth + 0.35,
                     depth);
    if (length > TH_FIGURE_MOST_NAMED)
        th_figure_printf(f, "set yrange [-0.3:*]; set xtics autofreq scale 0 offset 0,0.6\n"
                            "set xlabel 'position' offset 0,1.2 textcolor rgb '#404040'\n");
    const char *comma = "plot";
    if (length <= TH_FIGURE_MOST_NAMED) {
        th_figure_printf(
            f, "plot $CELLS using (plain ? NaN : $1):2 with points pt 7 ps %.3g lc rgb '#e9eef3'",
            0.8 * node);
        comma = ", \\\n    ";
    }
    for (int c = 0; c < N_WIDTHS; c++) {
        if (!has_class(v, c))
            continue;
        double t = (c + 0.5) / N_WIDTHS;
        th_figure_printf(f, "%s $EDGES%d using 1:2 with lines lw %.3g lc rgb 0x%06x", comma, c,
                         (length <= TH_FIGURE_MOST_NAMED ? 0.5 + 5 * t : 0.3 + 1.6 * t), shade(t));
        comma = ", \\\n    ";
    }
    if (pads > 0)
        th_figure_printf(f, ", \\\n     $PADS using 1:2 with points pt 4 ps %.3g lc rgb '#D55E00'",
                         0.8 * node);
    th_figure_printf(f, ", \\\n     $NODES using 1:2 with points pt 7 ps %.3g lc rgb '#0072B2'",
                     node);
    th_figure_printf(f, ", \\\n     $NODES using 1:2:(plain ? 'o' : '') with labels");
    if (length <= TH_FIGURE_MOST_NAMED)
        th_figure_printf(f,
                         ", \\\n     $TOKENS using 1:(-0.45):2 with labels noenhanced font ',%d'",
                         length <= 40 ? 11 : 7);
    th_figure_printf(f, "\n");
}

/* ---- what every head looks at ---------------------------------------------------------------- */

/* Mean weight of one head on key k over the path's rows of a layer. */
static double head_weight(const View *v, int l, int head, int k)
{
    double sum = 0;
    int rows = 0;
    for (int i = 0; i < v->trace->layer[l].n_rows; i++) {
        if (v->path->row[l][i]) {
            sum += th_path_weight(&v->trace->layer[l], head, i, k);
            rows++;
        }
    }
    return rows > 0 ? sum / rows : 0;
}

/* Keys are drawn as the string has them: the oldest left, the row's own position right. */
static int put_heads(ThFigure *f, const View *v)
{
    int cells = 0;
    double x = 0;
    th_figure_block(f, "HEADS");
    for (int l = 0; l < v->trace->n_layers; l++, x += 0.5) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        for (int k = layer->n_keys - 1; k >= 0; k--, x++)
            for (int h = 0; h < layer->n_heads; h++, cells++)
                th_figure_printf(f, "%.4g %d %.6g\n", x, h + 1, head_weight(v, l, h, k));
    }
    th_figure_end_block(f);
    return cells;
}

static void draw_heads(ThFigure *f, const View *v, int cells)
{
    int heads = v->trace->layer[0].n_heads;
    double x = 0;
    th_figure_printf(f, "set xtics scale 0 (");
    for (int l = 0; l < v->trace->n_layers; l++) {
        int keys = v->trace->layer[l].n_keys;
        th_figure_printf(f, "%s'%d→%d' %.4g", l ? ", " : "", l, l + 1, x + (keys - 1) / 2.0);
        x += keys + 0.5;
    }
    th_figure_printf(f,
                     ") offset 0,0.4 textcolor rgb '#404040'\nset xlabel 'from level to level; in "
                     "each, the keys from the "
                     "oldest to the position itself' offset 0,0.5 textcolor rgb '#404040'\n"
                     "set xrange [-0.6:%.4g]; set yrange [%.4g:0.45]\n"
                     "set ylabel 'head' textcolor rgb '#404040'; set ytics 1,%d scale 0\n"
                     "set border 0; unset key; unset title; unset label 1\n",
                     x - 0.9, heads + 0.55, heads > 8 ? 4 : 1);
    th_figure_printf(f, "set palette defined (0 '#ffffff', 1 '#003a70'); set cbrange [0:1]\n"
                        "set colorbox; set cbtics 0,0.5,1 scale 0; set cblabel 'mean weight'\n"
                        "set style fill solid 1 border lc rgb '#d8dee4'\n"
                        "plot $HEADS using 1:2:(0.5):(0.5):3 with boxxyerror lc palette lw 0.5");
    if (cells <= MOST_CELLS)
        th_figure_printf(f, ", \\\n     $HEADS using 1:2:(sprintf('%%.2f', $3)):($3 > 0.5 ? "
                            "0xffffff : 0x404040) with labels font ',7' textcolor rgb variable");
    th_figure_printf(f, "\n");
}

static void draw_routed(ThFigure *f, const char *title, const View *v)
{
    f->width = 8;
    f->height = 6.5;
    th_figure_begin(f, title, NULL);
    put_path(f, v);
    int cells = put_heads(f, v);
    th_figure_subtitle(f,
                       "the path to the last position: the darker and thicker, the greater the "
                       "mean weight over heads%s",
                       count_pads(v) > 0 ? "; squares are padding" : "");
    th_figure_printf(f, "if (plain) set label 1 'the path to the last position'\n");
    th_figure_printf(f, "if (!plain) {\nset multiplot\nset lmargin at screen 0.08; set rmargin at "
                        "screen 0.87\nset tmargin at screen 0.89; set bmargin at screen 0.42\n}\n");
    draw_path(f, v);
    th_figure_printf(f, "if (!plain) {\nset tmargin at screen 0.36; set bmargin at screen 0.10\n");
    draw_heads(f, v, cells);
    th_figure_printf(f, "unset multiplot\n}\n");
}

/* ---- models that attend to every position -----------------------------------------------------
 */

/* One panel a layer and head: rows are asking positions.  What is not put there, because the row
 * does not see the key or was not computed, stays as grey as the ground. */
static void put_full(ThFigure *f, const View *v)
{
    int panels = 0;
    for (int l = 0; l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        for (int h = 0; h < layer->n_heads; h++, panels++) {
            th_figure_printf(f, "$P%d << TH_EOD\n", panels);
            for (int i = 0; i < layer->n_rows; i++)
                for (int k = 0; k < layer->n_keys; k++)
                    if (layer->key[(size_t)i * layer->n_keys + k] != TH_MODEL_KEY_MASKED)
                        th_figure_printf(f, "%d %d %.5g\n", k, layer->last[i],
                                         th_path_weight(layer, h, i, k));
            th_figure_end_block(f);
        }
    }
}

/* One panel a layer: rows are heads, of the last position. */
static void put_last(ThFigure *f, const View *v)
{
    for (int l = 0; l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        th_figure_printf(f, "$P%d << TH_EOD\n", l);
        for (int h = 0; h < layer->n_heads; h++)
            for (int k = 0; k < layer->n_keys; k++)
                th_figure_printf(f, "%d %d %.5g\n", k, h + 1,
                                 th_path_weight(layer, h, layer->n_rows - 1, k));
        th_figure_end_block(f);
    }
}

/* Inches of the page around and between the panels. */
static const double LEFT = 0.75, RIGHT = 0.95, TOP = 1.05, BOTTOM = 0.7, BESIDE = 0.3,
                    BETWEEN = 0.55;

typedef struct {
    int panels, columns, rows;
    bool full;            /* all rows, else those of the last position */
    double width, height; /* of a panel, in inches */
    double top;           /* of the colour scale */
} Grid;

/* The greatest weight, rounded up to two digits of which the second is 0 or 5. */
static double scale_top(const View *v, bool full)
{
    double most = 0;
    for (int l = 0; l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        for (int h = 0; h < layer->n_heads; h++)
            for (int i = full ? 0 : layer->n_rows - 1; i < layer->n_rows; i++)
                for (int k = 0; k < layer->n_keys; k++)
                    most = fmax(most, th_path_weight(layer, h, i, k));
    }
    if (!(most > 0))
        return 1;
    double step = pow(10, floor(log10(most))) / 2;
    return fmin(1, ceil(most / step - 1e-9) * step);
}

static Grid make_grid(const View *v)
{
    int layers = v->trace->n_layers, heads = v->trace->layer[0].n_heads;
    Grid g = {.full = v->trace->length <= MOST_FULL && v->trace->layer[0].n_rows > 1 &&
                      layers * heads <= MOST_PANELS};
    g.panels = g.full ? layers * heads : layers;
    g.columns = g.full ? (heads <= 8 ? heads : 8) : 1;
    g.rows = (g.panels + g.columns - 1) / g.columns;
    g.width = g.full ? fmax(1.6, fmin(3.2, 7.0 / g.columns)) : 7;
    g.height = g.full ? g.width : fmax(0.5, 0.22 * heads);
    g.top = scale_top(v, g.full);
    return g;
}

static void set_axes(ThFigure *f, const View *v, const Grid *g)
{
    int heads = v->trace->layer[0].n_heads;
    th_figure_printf(f,
                     "set palette defined (0 '#ffffff', 0.1 '#cfe0ee', 1 '#003a70')\n"
                     "set cbrange [0:%.4g]; set cbtics 0,%.4g scale 0 font ',8'\n"
                     "set cblabel 'weight' font ',9' textcolor rgb '#404040'\n"
                     "set format cb '%%g'; unset key; set border 15\n"
                     "set style fill solid 1 border lc rgb '#e9eef3'\n"
                     "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#dcdcdc' "
                     "fs solid noborder\n",
                     g->top, g->top / 2);
    th_figure_symbol_tics(f, "x", v->symbol, v->token, v->trace->length, g->full ? 7 : 8);
    if (g->full)
        th_figure_symbol_tics(f, "y", v->symbol, v->token, v->trace->length, 7);
    else
        th_figure_printf(f, "set ytics 1,1 scale 0 font ',8'\n");
    th_figure_printf(f, "set xrange [-0.5:%.4g]; set yrange [%.4g:%.4g]\n", v->trace->length - 0.5,
                     g->full ? v->trace->length - 0.5 : heads + 0.5, g->full ? -0.5 : 0.5);
}

/* What the rows and columns are, and what grey means, said once for all panels. */
static void describe_dense(ThFigure *f, const View *v, const Grid *g)
{
    bool missing = false, masked = false;
    for (int l = 0; g->full && l < v->trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &v->trace->layer[l];
        missing = missing || layer->n_rows < v->trace->length;
        for (size_t k = 0; k < (size_t)layer->n_rows * (size_t)layer->n_keys; k++)
            masked = masked || layer->key[k] == TH_MODEL_KEY_MASKED;
    }
    th_figure_printf(f,
                     "if (!plain) set label 1 '%s%s%s%s' at screen 0.5,%.4g center font ',9' "
                     "textcolor rgb '#606060'\n",
                     g->full ? "each row: a position, and where it looks"
                             : "where the last position looks, a row for each head",
                     masked || missing ? "; grey: " : "", masked ? "not seen" : "",
                     !missing ? ""
                     : masked ? ", or not computed"
                              : "not computed",
                     1 - 0.58 / f->height);
}

/* True if the number of every cell has room in it. */
static bool numbers_fit(const View *v, const Grid *g)
{
    return g->full && g->width / v->trace->length >= 0.24;
}

/* Rows that the answer does not need are not there: of the last layer all but the last. */
static void say_missing(ThFigure *f, const View *v, int layer)
{
    const ThModelTraceLayer *l = &v->trace->layer[layer];
    if (l->n_rows + 1 < v->trace->length)
        th_figure_printf(f,
                         "set label 2 'not computed' at graph 0.5, first %.4g center font ',8' "
                         "textcolor rgb '#606060'\n",
                         (v->trace->length - l->n_rows - 1) / 2.0);
}

static void draw_panel(ThFigure *f, const View *v, const Grid *g, int p)
{
    int heads = v->trace->layer[0].n_heads, layer = g->full ? p / heads : p;
    /* In characters there is room for one panel. */
    th_figure_printf(f, "if (!plain || %d == 0) {\n", p);
    if (g->full)
        th_figure_printf(f, "set title 'layer %d, head %d'", layer + 1, p % heads + 1);
    else
        th_figure_printf(f, "set title 'layer %d'", layer + 1);
    th_figure_printf(f,
                     " font ',9' offset 0,-0.6\n"
                     "if (plain) { set title 'layer 1%s: tenths of the weight' }\n",
                     g->full ? ", head 1" : "");
    if (p % g->columns == 0)
        th_figure_printf(f, "set ylabel '%s' font ',9' textcolor rgb '#404040'\n",
                         g->full ? "from" : "head");
    if (p + g->columns >= g->panels)
        th_figure_printf(f, "set xlabel 'to' font ',9' textcolor rgb '#404040'\n");
    if (p == 0)
        th_figure_printf(f, "set colorbox user origin screen %.4g,%.4g size screen %.4g,%.4g\n",
                         1 - (RIGHT - 0.15) / f->width, BOTTOM / f->height, 0.14 / f->width,
                         fmin(0.6, 1 - (TOP + BOTTOM) / f->height));
    say_missing(f, v, layer);
    th_figure_printf(f,
                     "if (plain) {\n"
                     "plot $P%d using 1:2:(sprintf('%%d', int(9.99 * $3))) with labels\n"
                     "} else {\n"
                     "plot $P%d using 1:2:(0.5):(0.5):3 with boxxyerror lc palette lw 0.4",
                     p, p);
    if (numbers_fit(v, g))
        th_figure_printf(f,
                         ", $P%d using 1:2:(sprintf('%%.2f', $3)):($3 > %.4g ? 0xffffff : "
                         "0x404040) with labels font ',6' textcolor rgb variable",
                         p, 0.5 * g->top);
    th_figure_printf(f, "\n}\nunset ylabel; unset xlabel; unset colorbox; unset label 1; unset "
                        "label 2\n}\n");
}

static void draw_dense(ThFigure *f, const char *title, const View *v)
{
    Grid g = make_grid(v);
    f->width = LEFT + RIGHT + g.columns * g.width + (g.columns - 1) * BESIDE;
    f->height = TOP + BOTTOM + g.rows * g.height + (g.rows - 1) * BETWEEN;
    th_figure_begin(f, title, NULL);
    if (g.full)
        put_full(f, v);
    else
        put_last(f, v);
    set_axes(f, v, &g);
    describe_dense(f, v, &g);
    th_figure_printf(f, "if (!plain) {\nset multiplot layout %d,%d title ", g.rows, g.columns);
    th_figure_string(f, th_figure_title(f, title));
    th_figure_printf(
        f,
        " noenhanced font ',13' margins screen %.4g,%.4g,%.4g,%.4g spacing screen %.4g,%.4g\n}\n",
        LEFT / f->width, 1 - RIGHT / f->width, BOTTOM / f->height, 1 - TOP / f->height,
        BESIDE / f->width, BETWEEN / f->height);
    for (int p = 0; p < g.panels; p++)
        draw_panel(f, v, &g, p);
    th_figure_printf(f, "if (!plain) { unset multiplot }\n");
}

bool th_plot_attention(ThFigure *f, const char *title, const ThModelTrace *trace, const int *token,
                       char *const *symbol, ThError *err)
{
    ThPath *path TH_OWNED(th_path_free) = th_path_of_trace(trace, err);
    if (!path)
        return false;
    View v = {trace, path, token, symbol};
    if (path->routed)
        draw_routed(f, title, &v);
    else
        draw_dense(f, title, &v);
    return true;
}
