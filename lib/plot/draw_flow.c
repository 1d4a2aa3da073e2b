#include <math.h>

#include "plot/flow_impl.h"
#include "rasp/graph/describe.h"

/* The marks are written kind by kind, each into a data block of its own; everything is drawn once
 * for every kind. */
enum { BOXES, CELLS, LINES, RIGHT, CENTRE, TITLES, PASSES };
static const char *const block_name[PASSES] = {"BOXES", "CELLS",  "LINES",
                                               "RIGHT", "CENTRE", "TITLES"};

enum {
    LAYER = 0xfffbe6,
    HEAD = 0xfdeedd,
    PLAIN = 0xffffff,
    QUERY = 0xd5efd0,
    KEY = 0xc9ecec,
    VALUE = 0xfbdde4,
    RESULT = 0xe8d3b0,
    ELEMENT = 0xe3edf6
};

static const double CHARACTER = 0.085, ROW = 0.2, GAP = 0.12, FAN = 0.32, TITLE = 0.26;

/* ---- marks ----------------------------------------------------------------------------------- */

static void put_box(const ThPlotFlow *p, double x, double y, double width, double height, int color)
{
    if (p->pass == BOXES)
        th_figure_printf(p->f, "%.3f %.3f %.3f %.3f %.3f %.3f %d\n", x + width / 2, -y - height / 2,
                         x, x + width, -y - height, -y, color);
}

/* A selected cell. */
static void put_cell(const ThPlotFlow *p, double x, double y)
{
    if (p->pass == CELLS)
        th_figure_printf(p->f, "%.3f %.3f %.3f %.3f %.3f %.3f\n", x + p->cell / 2, -y - ROW / 2, x,
                         x + p->cell, -y - ROW, -y);
}

static void put_text(const ThPlotFlow *p, int pass, double x, double y, const char *text)
{
    if (p->pass != pass)
        return;
    th_figure_printf(p->f, "%.3f %.3f ", x, -y);
    th_figure_last_cell(p->f, text);
}

/* The text left of x, and what stands for it where there is little room. */
static void put_label(const ThPlotFlow *p, double x, double y, const char *text, const char *brief)
{
    if (p->pass != RIGHT)
        return;
    th_figure_printf(p->f, "%.3f %.3f ", x - 0.06, -y);
    th_figure_cell(p->f, text);
    th_figure_last_cell(p->f, brief);
}

/* A row of values behind their label. */
static void put_values(const ThPlotFlow *p, double x, double y, ThRaspSop node, int color)
{
    const ThRaspSeq *s = th_rasp_run_value(p->run, node, p->stop, NULL);
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; s && i < p->n; i++) {
        put_box(p, x + (double)i * p->cell, y, p->cell, ROW, color);
        if (p->pass == CENTRE)
            put_text(p, CENTRE, x + ((double)i + 0.5) * p->cell, y + ROW / 2,
                     th_plot_flow_value(p, s, i, &t));
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

enum { SHORT = 48, LONG = 60 };

static void write_name(const ThPlotFlow *p, ThRaspSop node, ThText *t)
{
    const char *name = p->label[node] ? p->label[node] : th_rasp_name_of(p->g, node);
    if (name)
        th_text_add(t, name);
    else
        th_rasp_describe(p->g, node, p->label, SHORT, t);
}

/* `name = expression`, or what there is of it. */
static void write_entry(const ThPlotFlow *p, ThRaspSop node, ThText *t)
{
    ThRaspNodeKind kind = th_rasp_node(p->g, node)->kind;
    write_name(p, node, t);
    if (kind != TH_RASP_NODE_TOKENS && kind != TH_RASP_NODE_INDICES && p->label[node]) {
        th_text_add(t, " = ");
        th_rasp_describe(p->g, node, p->label, SHORT, t);
    }
}

static void write_title(const ThPlotFlow *p, const ThPlotFlowHead *h, int number, ThText *t)
{
    const char *name = th_rasp_name_of(p->g, h->selector);
    if (number > 0)
        th_text_printf(t, "head %d: ", number);
    if (name)
        th_text_add(t, name);
    else
        th_rasp_describe(p->g, h->selector, p->label, LONG, t);
}

static void write_queries(const ThPlotFlow *p, const ThPlotFlowHead *h, ThText *t)
{
    th_text_add(t, h->query < h->use ? "by " : "");
    for (size_t i = h->query; i < h->use; i++) {
        th_text_add(t, i > h->query ? ", " : "");
        write_name(p, p->side[i], t);
    }
}

static double width_of(const ThText *t)
{
    return t->data ? CHARACTER * th_utf8_width(t->data) : 0;
}

/* A label in *t, which is emptied first. */
static const char *text_of(ThText *t)
{
    return th_text_string(t);
}

static void clear(ThText *t)
{
    t->size = 0;
    if (t->data)
        t->data[0] = '\0';
}

/* A row of values with its node's name. */
static void put_row(const ThPlotFlow *p, double x, double y, ThRaspSop node, int color)
{
    ThText t TH_OWNED(th_text_free) = {0};
    write_name(p, node, &t);
    put_label(p, x, y + ROW / 2, text_of(&t), text_of(&t));
    put_values(p, x, y, node, color);
}

/* A row of the table: the name, with its expression. */
static void put_entry(const ThPlotFlow *p, double x, double y, ThRaspSop node)
{
    ThText t TH_OWNED(th_text_free) = {0}, brief TH_OWNED(th_text_free) = {0};
    write_entry(p, node, &t);
    write_name(p, node, &brief);
    put_label(p, x, y + ROW / 2, text_of(&t), text_of(&brief));
    put_values(p, x, y, node, ELEMENT);
}

/* ---- heads ----------------------------------------------------------------------------------- */

static bool is_width(const ThPlotFlow *p, ThRaspSop use)
{
    return th_rasp_node(p->g, use)->kind == TH_RASP_NODE_WIDTH;
}

/* Height of what an aggregate takes under the cells. */
static double use_height(const ThPlotFlow *p, ThRaspSop use)
{
    return is_width(p, use) ? GAP + ROW : GAP + ROW + FAN + ROW;
}

static void measure_head(const ThPlotFlow *p, ThPlotFlowHead *h, int number)
{
    ThText t TH_OWNED(th_text_free) = {0};
    write_queries(p, h, &t);
    h->left = fmax(width_of(&t), p->cell * (double)(h->use - h->query));
    for (size_t i = h->key; i < h->end; i++) {
        bool use = i >= h->use;
        if (i >= h->query && !use)
            continue;
        clear(&t);
        write_name(p, p->side[i], &t);
        h->left = fmax(h->left, width_of(&t));
        if (!use || is_width(p, p->side[i]))
            continue;
        clear(&t);
        write_name(p, th_rasp_arg(p->g, p->side[i], 1), &t);
        h->left = fmax(h->left, width_of(&t));
    }
    clear(&t);
    write_title(p, h, number, &t);
    h->left += 0.1;
    h->width = fmax(h->left + (double)p->n * p->cell, width_of(&t)) + 2 * GAP;
    h->height = TITLE + ROW * (double)(h->query - h->key + 1 + p->n) + GAP;
    for (size_t i = h->use; i < h->end; i++)
        h->height += use_height(p, p->side[i]);
}

/* The cells, the queries in columns at their left. */
static void put_grid(const ThPlotFlow *p, const ThPlotFlowHead *h, const uint8_t *grid, double x,
                     double y)
{
    ThText t TH_OWNED(th_text_free) = {0};
    write_queries(p, h, &t);
    put_label(p, x, y - ROW / 2, text_of(&t), text_of(&t));
    put_box(p, x, y, p->cell * (double)p->n, ROW * (double)p->n, PLAIN);
    for (size_t row = 0; row < p->n; row++)
        for (size_t column = 0; column < p->n; column++)
            if (grid[row * p->n + column])
                put_cell(p, x + p->cell * (double)column, y + ROW * (double)row);
    for (size_t q = h->query; q < h->use; q++) {
        const ThRaspSeq *s = th_rasp_run_value(p->run, p->side[q], p->stop, NULL);
        double left = x - p->cell * (double)(h->use - q) - 0.04;
        for (size_t i = 0; s && i < p->n; i++) {
            put_box(p, left, y + ROW * (double)i, p->cell, ROW, QUERY);
            if (p->pass == CENTRE)
                put_text(p, CENTRE, left + p->cell / 2, y + ROW * ((double)i + 0.5),
                         th_plot_flow_value(p, s, i, &t));
        }
    }
}

/* Lines from the values that a row selects to its result. */
static void put_fan(const ThPlotFlow *p, const uint8_t *grid, double x, double y)
{
    for (size_t row = 0; p->pass == LINES && row < p->n; row++)
        for (size_t column = 0; column < p->n; column++)
            if (grid[row * p->n + column])
                th_figure_printf(p->f, "%.3f %.3f\n%.3f %.3f\n\n",
                                 x + p->cell * ((double)column + 0.5), -y,
                                 x + p->cell * ((double)row + 0.5), -y - FAN);
}

static void put_use(const ThPlotFlow *p, ThRaspSop use, const uint8_t *grid, double x, double y)
{
    const ThRaspNodeInfo *info = th_rasp_node(p->g, use);
    ThText t TH_OWNED(th_text_free) = {0};
    y += GAP;
    if (!is_width(p, use)) {
        ThRaspSop value = th_rasp_arg(p->g, use, 1);
        put_row(p, x, y, value, VALUE);
        put_fan(p, grid, x, y + ROW);
        y += ROW + FAN;
    }
    put_row(p, x, y, use, RESULT);
    if (info->has_default) {
        th_text_add(&t, "where none: ");
        th_rasp_write_element(p->r, info->atom, &t);
        put_label(p, x, y - FAN / 2, text_of(&t), text_of(&t));
    }
}

static bool put_head(const ThPlotFlow *p, const ThPlotFlowHead *h, int number, ThError *err)
{
    uint8_t *grid TH_OWNED(free) = th_rasp_run_grid(p->run, h->selector, p->stop, err);
    if (!grid)
        return false;
    double x = h->x + GAP + h->left, y = h->y + TITLE;
    ThText t TH_OWNED(th_text_free) = {0};
    put_box(p, h->x, h->y, h->width, h->height, HEAD);
    write_title(p, h, number, &t);
    put_text(p, TITLES, h->x + GAP / 2, h->y + TITLE / 2, text_of(&t));
    for (size_t i = h->key; i < h->query; i++, y += ROW)
        put_row(p, x, y, p->side[i], KEY);
    y += ROW;
    put_grid(p, h, grid, x, y);
    y += ROW * (double)p->n;
    for (size_t i = h->use; i < h->end; i++) {
        put_use(p, p->side[i], grid, x, y);
        y += use_height(p, p->side[i]);
    }
    return true;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* The s-ops in the table of a layer: what is shown and comes from no head. */
static bool in_table(const ThPlotFlow *p, ThRaspSop node, int layer)
{
    const ThRaspNodeInfo *info = th_rasp_node(p->g, node);
    return p->shown[node] && (int)info->depth == layer && info->kind != TH_RASP_NODE_AGGREGATE &&
           info->kind != TH_RASP_NODE_WIDTH;
}

static void measure_table(const ThPlotFlow *p, int layer)
{
    ThPlotFlowLayer *l = &p->layer[layer];
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < p->n_nodes; i++) {
        if (!in_table(p, p->node[i], layer))
            continue;
        clear(&t);
        write_entry(p, p->node[i], &t);
        l->left = fmax(l->left, width_of(&t) + 0.1);
        l->rows++;
    }
}

/* Heads side by side, in as many rows as they need; the table under them. */
static void place_layer(ThPlotFlow *p, int layer, double y, double wrap)
{
    ThPlotFlowLayer *l = &p->layer[layer];
    double x = GAP, row = 0;
    int number = 0;
    *l = (ThPlotFlowLayer){0};
    l->y = y;
    y += TITLE;
    for (size_t i = 0; i < p->n_heads; i++) {
        ThPlotFlowHead *h = &p->head[i];
        if (h->layer != layer)
            continue;
        measure_head(p, h, ++number);
        if (x > GAP && x + h->width > wrap) {
            y += row + GAP;
            x = GAP;
            row = 0;
        }
        h->x = x;
        h->y = y;
        x += h->width + GAP;
        row = fmax(row, h->height);
        l->width = fmax(l->width, x);
    }
    measure_table(p, layer);
    l->table = y + row + (row > 0 ? GAP : 0);
    l->height = l->table + ROW * l->rows + GAP - l->y;
    if (l->rows > 0)
        l->width = fmax(l->width, 2 * GAP + l->left + p->cell * (double)p->n);
}

static bool put_layer(const ThPlotFlow *p, int layer, double width, ThError *err)
{
    const ThPlotFlowLayer *l = &p->layer[layer];
    ThText t TH_OWNED(th_text_free) = {0};
    double y = l->table;
    int number = 0;
    bool ok = true;
    put_box(p, 0, l->y, width, l->height, LAYER);
    th_text_printf(&t, layer ? "layer %d" : "input", layer);
    put_text(p, TITLES, GAP / 2, l->y + TITLE / 2, text_of(&t));
    for (size_t i = 0; ok && i < p->n_heads; i++)
        if (p->head[i].layer == layer)
            ok = put_head(p, &p->head[i], ++number, err);
    for (size_t i = 0; ok && i < p->n_nodes; i++) {
        if (!in_table(p, p->node[i], layer))
            continue;
        put_entry(p, GAP + l->left, y, p->node[i]);
        y += ROW;
    }
    return ok;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Where characters are the pixels, lines would hide the values. */
static void put_plot(const ThPlotFlow *p, double width, double height)
{
    double scale = th_figure_page(p->f, -0.1, width + 0.1, -height - 0.1, 0.1);
    p->f->least_columns = (int)ceil((width + 0.2) / CHARACTER) + 4;
    p->f->least_rows = (int)ceil((height + 0.2) / (2 * CHARACTER)) + 4; /* twice as high as wide */
    int size = (int)lround(fmax(2, 9 * scale));
    th_figure_printf(p->f, "if (plain) plot $CELLS using 1:2 with points pt '#', $RIGHT using "
                           "1:2:4 with labels right noenhanced, $CENTRE using 1:2:3 with labels "
                           "center noenhanced, $TITLES using 1:2:3 with labels left noenhanced\n"
                           "if (!plain) plot $BOXES using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 "
                           "border lc rgb '#b0a890' fc rgb variable, \\\n"
                           "     $CELLS using 1:2:3:4:5:6 with boxxyerror fs solid 1 border lc rgb "
                           "'#b0a890' fc rgb '#cc79a7', \\\n"
                           "     $LINES using 1:2 with lines lw 0.6 lc rgb '#907080', \\\n");
    th_figure_printf(
        p->f,
        "     $RIGHT using 1:2:3 with labels right noenhanced font ',%d' textcolor rgb '#202020', "
        "\\\n"
        "     $CENTRE using 1:2:3 with labels center noenhanced font ',%d' textcolor rgb "
        "'#202020', \\\n"
        "     $TITLES using 1:2:3 with labels left noenhanced font ',%d' textcolor rgb '#0072B2'\n",
        size, size, size);
}

/* Every kind of mark is there at least once, out of sight, for gnuplot wants no empty block, and
 * breaks down where all marks of a kind are nowhere: boxes are far away, texts empty. */
static void open_block(const ThPlotFlow *p)
{
    th_figure_block(p->f, block_name[p->pass]);
    if (p->pass == BOXES || p->pass == CELLS)
        th_figure_printf(p->f, "1e9 1e9 1e9 1e9 1e9 1e9 0\n");
    else
        th_figure_printf(p->f, p->pass == LINES ? "NaN NaN\n\n" : "0 0 \"\" \"\"\n");
}

/* Places everything, with rows of heads at most `wrap` wide; sets the size of the whole. */
static void place_layers(ThPlotFlow *p, double wrap, double *width, double *height)
{
    *width = *height = 0;
    for (int l = 0; l < p->n_layers; l++) {
        place_layer(p, l, *height, wrap);
        *height += p->layer[l].height + GAP;
        *width = fmax(*width, p->layer[l].width);
    }
}

/* Tries rows of several widths: the one with which the whole is shown largest on a page. */
static double best_wrap(ThPlotFlow *p)
{
    enum { TRIES = 12 };
    const double page_width = 17, page_height = 12;
    double best = 0, best_scale = 0, wrap = 12;
    for (int i = 0; i < TRIES; i++, wrap *= 1.3) {
        double width, height;
        place_layers(p, wrap, &width, &height);
        double scale = fmin(1, fmin(page_width / width, page_height / height));
        if (scale > best_scale) {
            best = wrap;
            best_scale = scale;
        }
    }
    return best;
}

bool th_plot_flow_draw(ThPlotFlow *p, const char *title, ThRaspSop sop, ThError *err)
{
    double width, height;
    bool ok = true;
    p->n_layers = (int)th_rasp_node(p->g, sop)->depth + 1;
    p->layer = th_alloc((size_t)p->n_layers, sizeof *p->layer, err);
    if (!p->layer)
        return false;
    place_layers(p, best_wrap(p), &width, &height);
    th_figure_begin(p->f, title, NULL);
    for (p->pass = 0; ok && p->pass < PASSES; p->pass++) {
        open_block(p);
        for (int l = 0; ok && l < p->n_layers; l++)
            ok = put_layer(p, l, width, err);
        th_figure_end_block(p->f);
    }
    put_plot(p, width, height);
    return ok;
}

bool th_plot_flow_draw_head(ThPlotFlow *p, const char *title, ThError *err)
{
    ThPlotFlowHead *h = &p->head[0];
    bool ok = true;
    measure_head(p, h, 0);
    th_figure_begin(p->f, title, NULL);
    for (p->pass = 0; ok && p->pass < PASSES; p->pass++) {
        open_block(p);
        ok = put_head(p, h, 0, err);
        th_figure_end_block(p->f);
    }
    put_plot(p, h->width, h->height);
    return ok;
}
