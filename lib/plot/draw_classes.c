#include <math.h>

#include "plot/boxes.h"
#include "plot/draw_algebra.h"

static const double CHARACTER = 0.085, HEIGHT = 0.3;

/* How many classes are above it, in the longest chain. */
static int depth_of(int class)
{
    const ThClassKind *kind = th_class_kind(class);
    int depth = 0;
    for (int i = 0; i < TH_CLASS_COVERS && kind->above[i] >= 0; i++) {
        int below = depth_of(kind->above[i]) + 1;
        depth = below > depth ? below : depth;
    }
    return depth;
}

/* Does the language belong to a class that this one contains? */
static bool has_smaller(const ThClassReport *r, int class)
{
    bool smaller = false;
    for (int c = 0; c < class; c++)
        smaller = smaller || (r->verdict[c].is == TH_CLASS_YES && th_class_within(c, class));
    return smaller;
}

static int color_of(const ThClassReport *r, int class)
{
    if (r->verdict[class].is == TH_CLASS_UNKNOWN)
        return 0xd8d8d8;
    if (r->verdict[class].is == TH_CLASS_NO)
        return 0xffffff;
    return has_smaller(r, class) ? 0xcfe3f2 : 0x86bbdf;
}

static bool place(ThBoxes *b, ThError *err)
{
    bool ok = true;
    b->gap_x = 0.2;
    b->gap_y = 0.3;
    for (int c = 0; ok && c < TH_CLASS_COUNT; c++) {
        double width = CHARACTER * (th_utf8_width(th_class_kind(c)->name) + 3);
        ok =
            th_boxes_add(b, (ThPlotBox){.row = depth_of(c), .width = width, .height = HEIGHT}, err);
    }
    for (int c = 0; ok && c < TH_CLASS_COUNT; c++)
        for (int i = 0; ok && i < TH_CLASS_COVERS && th_class_kind(c)->above[i] >= 0; i++)
            ok = th_boxes_join(b, th_class_kind(c)->above[i], c, err);
    return ok && th_boxes_place(b, err);
}

bool th_plot_classes(ThFigure *f, const char *title, const ThClassReport *r, ThError *err)
{
    ThBoxes boxes = {0};
    bool ok = place(&boxes, err);
    if (ok) {
        th_figure_begin(f, title, NULL);
        th_boxes_put_lines(f, &boxes);
        th_figure_block(f, "BOXES");
        for (int c = 0; c < TH_CLASS_COUNT; c++) {
            const ThPlotBox *b = &boxes.box[c];
            th_figure_printf(f, "%.4f %.4f %.4f %.4f %.4f %.4f %d ", b->x + b->width / 2,
                             -b->y - b->height / 2, b->x, b->x + b->width, -b->y - b->height, -b->y,
                             color_of(r, c));
            th_figure_cell(f, th_class_kind(c)->name);
            th_figure_printf(f, "\n");
        }
        th_figure_end_block(f);
        int size = (int)lround(fmax(3, 10 * th_boxes_page(f, &boxes, 0)));
        th_figure_printf(f,
                         "plot $LINES using 1:2 with lines lw 1 lc rgb '#a0a0a0', \\\n"
                         "     $BOXES using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 border lc rgb "
                         "'#606060' fc rgb variable, \\\n"
                         "     $BOXES using 1:2:8 with labels noenhanced font ',%d' textcolor rgb "
                         "'#202020'\n",
                         size);
    }
    th_boxes_free(&boxes);
    return ok;
}
