#include <math.h>
#include <stdio.h>

#include "plot/draw_algebra.h"
#include "plot/boxes.h"

enum { MOST_COMPONENTS = 300, CAPTION = TH_GROUP_NAME + 32 };

static const double CHARACTER = 0.085, HEIGHT = 0.5;

typedef struct {
    const ThHolonomy *h;
    char *const *text;
    int n; /* components: the families of more than one state, which come first */
    ThBoxes boxes;
} Picture;

/* The upper line of a box: its group, or that it only resets. */
static void write_caption(const ThAutomatonFamily *f, char to[CAPTION])
{
    if (f->facts.order > 1)
        snprintf(to, CAPTION, "%s on %d tiles", f->facts.name, f->n_tiles);
    else
        snprintf(to, CAPTION, "%d tiles", f->n_tiles);
}

/* Lines to the components of the tiles, one each. */
static bool join(Picture *p, int i, ThError *err)
{
    const ThAutomatonFamily *family = &p->h->families[i];
    for (int t = 0; t < family->n_tiles; t++) {
        int to = p->h->family[family->tile[t]];
        bool first = to < p->n;
        for (int u = 0; u < t && first; u++)
            first = p->h->family[family->tile[u]] != to;
        if (first && !th_boxes_join(&p->boxes, i, to, err))
            return false;
    }
    return true;
}

static bool place(Picture *p, ThError *err)
{
    char caption[CAPTION];
    bool ok = true;
    p->boxes.gap_x = 0.3;
    p->boxes.gap_y = 0.4;
    for (int i = 0; ok && i < p->n; i++) {
        write_caption(&p->h->families[i], caption);
        int upper = th_utf8_width(caption), lower = th_utf8_width(p->text[i]);
        double width = CHARACTER * ((upper > lower ? upper : lower) + 3);
        ok = th_boxes_add(
            &p->boxes,
            (ThPlotBox){.row = p->h->families[i].level, .width = width, .height = HEIGHT}, err);
    }
    for (int i = 0; ok && i < p->n; i++)
        ok = join(p, i, err);
    return ok && th_boxes_place(&p->boxes, err);
}

static void put_boxes(ThFigure *f, const Picture *p)
{
    char caption[CAPTION];
    th_figure_block(f, "BOXES");
    for (int i = 0; i < p->n; i++) {
        const ThPlotBox *b = &p->boxes.box[i];
        write_caption(&p->h->families[i], caption);
        th_figure_printf(f, "%.4f %.4f %.4f %.4f %.4f %.4f %d ", b->x + b->width / 2,
                         -b->y - b->height / 2, b->x, b->x + b->width, -b->y - b->height, -b->y,
                         p->h->families[i].facts.order > 1 ? 0xcfe3f2 : 0xf4f4f4);
        th_figure_cell(f, caption);
        th_figure_printf(f, " ");
        th_figure_last_cell(f, p->text[i]);
    }
    th_figure_end_block(f);
}

static void put_levels(ThFigure *f, const Picture *p)
{
    th_figure_block(f, "LEVELS");
    for (int level = 0, i = 0; level < p->h->n_levels; level++) {
        while (i < p->n && p->h->families[i].level < level)
            i++;
        th_figure_printf(f, "-0.3 %.4f \"level %d\"\n", -p->boxes.box[i].y - HEIGHT / 2, level + 1);
    }
    th_figure_end_block(f);
}

bool th_plot_decomposition(ThFigure *f, const char *title, const ThHolonomy *h, char *const *text,
                           ThError *err)
{
    Picture p = {.h = h, .text = text};
    while (p.n < h->n_families && h->families[p.n].n_points > 1)
        p.n++;
    if (p.n == 0)
        return th_fail(err, TH_EVALUE, "a machine with one state has nothing to decompose");
    if (p.n > MOST_COMPONENTS)
        return th_fail(err, TH_ELIMIT, "%d components are too many to draw", p.n);
    bool ok = place(&p, err);
    if (ok) {
        th_figure_begin(f, title, NULL);
        th_boxes_put_lines(f, &p.boxes);
        put_boxes(f, &p);
        put_levels(f, &p);
        int size = (int)lround(fmax(3, 10 * th_boxes_page(f, &p.boxes, 0.75)));
        th_figure_printf(
            f,
            "plot $LINES using 1:2 with lines lw 1 lc rgb '#a0a0a0', \\\n"
            "     $BOXES using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 border lc rgb '#606060' "
            "fc rgb variable, \\\n"
            "     $BOXES using 1:($2+0.11):8 with labels noenhanced font ',%d' textcolor rgb "
            "'#0072B2', \\\n"
            "     $BOXES using 1:($2-0.11):9 with labels noenhanced font ',%d' textcolor rgb "
            "'#202020', \\\n"
            "     $LEVELS using 1:2:3 with labels right noenhanced font ',%d' textcolor rgb "
            "'#606060'\n",
            size, size, size > 9 ? 9 : size);
    }
    th_boxes_free(&p.boxes);
    return ok;
}
