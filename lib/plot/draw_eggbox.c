#include <math.h>

#include "plot/draw_algebra.h"
#include "plot/boxes.h"

enum { MOST_CLASSES = 400, MOST_CELLS = 6000, MOST_WORDS = 500 };

static const double CHARACTER = 0.085, LINE = 0.22, BARE = 0.1, HEADER = 0.2;

typedef struct {
    const ThEggbox *e;
    ThBoxes boxes;
    char **cell;   /* (n_h) texts, NULL where they have no room */
    double *width; /* (n_d): of the class's cells */
} Picture;

static void free_picture(Picture *p)
{
    TH_FREE_EACH(p->cell, p->e->g->n_h);
    free(p->width);
    th_boxes_free(&p->boxes);
}

/* Texts of all cells, and how wide each class's cells are. */
static bool write_cells(Picture *p, ThError *err)
{
    const ThGreen *g = p->e->g;
    bool words = g->n_h <= MOST_WORDS, ok = true;
    for (int d = 0, i = 0; ok && d < g->n_d; d++) {
        p->width[d] = words ? 0 : BARE;
        for (int j = 0; ok && words && j < g->d_class[d].n_r * g->d_class[d].n_l; j++, i++) {
            int columns = g->d_class[d].n_l;
            p->cell[i] = th_eggbox_cell(p->e, d, j / columns, j % columns, err);
            ok = p->cell[i] != NULL;
            if (ok)
                p->width[d] = fmax(p->width[d], CHARACTER * (th_utf8_width(p->cell[i]) + 2));
        }
    }
    return ok;
}

static double line_height(const Picture *p)
{
    return p->cell[0] ? LINE : BARE;
}

static bool join_classes(Picture *p, ThError *err)
{
    size_t n;
    int *pair TH_OWNED(free) = th_green_covers(p->e->g, p->e->m, &n, err);
    bool ok = pair != NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = th_boxes_join(&p->boxes, pair[2 * i], pair[2 * i + 1], err);
    return ok;
}

/* A box has room for its label above the cells. */
static bool place_classes(Picture *p, char *const *label, ThError *err)
{
    const ThGreen *g = p->e->g;
    bool ok = true;
    p->boxes.gap_x = 0.35;
    p->boxes.gap_y = 0.3;
    for (int d = 0; ok && d < g->n_d; d++) {
        double cells = p->width[d] * g->d_class[d].n_l, least = CHARACTER * th_utf8_width(label[d]);
        ok = th_boxes_add(&p->boxes,
                          (ThPlotBox){.row = g->d_class[d].depth,
                                      .width = fmax(cells, least),
                                      .height = HEADER + line_height(p) * g->d_class[d].n_r},
                          err);
    }
    return ok && join_classes(p, err) && th_boxes_place(&p->boxes, err);
}

/* Where the cells of a class begin. */
static ThPlotBox cells_of(const Picture *p, int d)
{
    ThPlotBox b = p->boxes.box[d];
    double cells = p->width[d] * p->e->g->d_class[d].n_l;
    b.x += (b.width - cells) / 2;
    b.y += HEADER;
    b.width = cells;
    b.height -= HEADER;
    return b;
}

/* Rows: centre, corners, colour, and the text of a cell. */
static void put_cells(ThFigure *f, const Picture *p)
{
    const ThGreen *g = p->e->g;
    double height = line_height(p);
    th_figure_block(f, "CELLS");
    for (int d = 0, i = 0; d < g->n_d; d++) {
        ThPlotBox box = cells_of(p, d);
        for (int j = 0; j < g->d_class[d].n_r * g->d_class[d].n_l; j++, i++) {
            int row = j / g->d_class[d].n_l, column = j % g->d_class[d].n_l;
            double x = box.x + column * p->width[d], y = -box.y - row * height;
            th_figure_printf(f, "%.4f %.4f %.4f %.4f %.4f %.4f %d ", x + p->width[d] / 2,
                             y - height / 2, x, x + p->width[d], y - height, y,
                             th_eggbox_group(p->e, d, row, column) ? 0xcfe3f2 : 0xffffff);
            th_figure_last_cell(f, p->cell[i] ? p->cell[i] : "");
        }
    }
    th_figure_end_block(f);
}

static void put_labels(ThFigure *f, const Picture *p, char *const *label)
{
    th_figure_block(f, "CLASSES");
    for (int d = 0; d < p->e->g->n_d; d++) {
        ThPlotBox b = cells_of(p, d);
        th_figure_printf(f, "%.4f %.4f %.4f %.4f %.4f %.4f ", b.x + b.width / 2, -b.y + HEADER / 2,
                         b.x, b.x + b.width, -b.y - b.height, -b.y);
        th_figure_last_cell(f, label[d]);
    }
    th_figure_end_block(f);
}

static void draw(ThFigure *f, const char *title, const Picture *p, char *const *label)
{
    th_figure_begin(f, title, NULL);
    th_boxes_put_lines(f, &p->boxes);
    put_cells(f, p);
    put_labels(f, p, label);
    double scale = th_boxes_page(f, &p->boxes, 0);
    int size = (int)lround(fmax(3, 10 * scale));
    th_figure_printf(f,
                     "plot $LINES using 1:2 with lines lw 1 lc rgb '#a0a0a0', \\\n"
                     "     $CELLS using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 border lc rgb "
                     "'#b0b0b0' fc rgb variable, \\\n"
                     "     $CLASSES using (($3+$4)/2):(($5+$6)/2):3:4:5:6 with boxxyerror "
                     "lw %.1f lc rgb '#303030' fs empty border lc rgb '#303030'",
                     fmax(0.6, 1.3 * scale));
    if (p->cell[0])
        th_figure_printf(f,
                         ", \\\n     $CELLS using 1:2:8 with labels noenhanced font ',%d' "
                         "textcolor rgb '#202020'",
                         size);
    th_figure_printf(f,
                     ", \\\n     $CLASSES using 1:2:7 with labels noenhanced font ',%d' "
                     "textcolor rgb '#0072B2'\n",
                     size > 9 ? 9 : size);
}

bool th_plot_eggbox(ThFigure *f, const char *title, const ThEggbox *e, char *const *label,
                    ThError *err)
{
    const ThGreen *g = e->g;
    if (g->n_d > MOST_CLASSES)
        return th_fail(err, TH_ELIMIT, "%d classes are too many to draw", g->n_d);
    if (g->n_h > MOST_CELLS)
        return th_fail(err, TH_ELIMIT, "%d cells are too many to draw", g->n_h);
    Picture p = {.e = e};
    p.cell = th_alloc((size_t)g->n_h, sizeof *p.cell, err);
    p.width = th_alloc((size_t)g->n_d, sizeof *p.width, err);
    bool ok = p.cell && p.width && write_cells(&p, err) && place_classes(&p, label, err);
    if (ok)
        draw(f, title, &p, label);
    free_picture(&p);
    return ok;
}
