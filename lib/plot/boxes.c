#include "plot/boxes.h"

#include <math.h>

/* Room for a line that passes a row. */
static const double LANE = 0.05;

bool th_boxes_add(ThBoxes *b, ThPlotBox box, ThError *err)
{
    if (!th_grow(&b->box, &b->cap, b->n + 1, sizeof *b->box, err))
        return false;
    b->n_rows = box.row >= b->n_rows ? box.row + 1 : b->n_rows;
    b->box[b->n++] = box;
    return true;
}

bool th_boxes_join(ThBoxes *b, int from, int to, ThError *err)
{
    ThPlotBoxLine line = {.from = from, .to = to, .bend = (int)b->n};
    for (int row = b->box[from].row + 1; row < b->box[to].row; row++, line.bends++)
        if (!th_boxes_add(b, (ThPlotBox){.row = row, .width = LANE}, err))
            return false;
    return TH_APPEND(b->line, b->n_lines, b->line_cap, err, line);
}

void th_boxes_free(ThBoxes *b)
{
    TH_FREE(b->box, b->line);
    *b = (ThBoxes){0};
}

bool th_boxes_place(ThBoxes *b, ThError *err)
{
    double *width TH_OWNED(free) = th_alloc((size_t)b->n_rows, sizeof *width, err);
    double *height TH_OWNED(free) = th_alloc((size_t)b->n_rows, sizeof *height, err);
    bool ok = width && height;
    for (size_t i = 0; ok && i < b->n; i++) {
        int row = b->box[i].row;
        b->box[i].x = width[row] > 0 ? width[row] + b->gap_x : 0;
        width[row] = b->box[i].x + b->box[i].width;
        height[row] = fmax(height[row], b->box[i].height);
        b->width = fmax(b->width, width[row]);
    }
    for (int row = 0; ok && row < b->n_rows; row++) {
        for (size_t i = 0; i < b->n; i++) {
            ThPlotBox *box = &b->box[i];
            if (box->row != row)
                continue;
            box->x += (b->width - width[row]) / 2;
            if (box->height <= 0) /* a lane is as high as its row */
                box->height = height[row];
            box->y = b->height + (height[row] - box->height) / 2;
        }
        b->height += height[row] + (row + 1 < b->n_rows ? b->gap_y : 0);
    }
    return ok;
}

double th_boxes_page(ThFigure *f, const ThBoxes *b, double left)
{
    return th_figure_page(f, -left - 0.3, b->width + 0.3, -b->height - 0.25, 0.15);
}

void th_boxes_put_lines(ThFigure *f, const ThBoxes *b)
{
    th_figure_block(f, "LINES");
    for (size_t i = 0; i < b->n_lines; i++) {
        const ThPlotBoxLine *line = &b->line[i];
        const ThPlotBox *from = &b->box[line->from], *to = &b->box[line->to];
        th_figure_printf(f, "%.4f %.4f\n", from->x + from->width / 2, -from->y - from->height);
        for (int j = 0; j < line->bends; j++) {
            const ThPlotBox *lane = &b->box[line->bend + j];
            double x = lane->x + lane->width / 2;
            th_figure_printf(f, "%.4f %.4f\n%.4f %.4f\n", x, -lane->y, x, -lane->y - lane->height);
        }
        th_figure_printf(f, "%.4f %.4f\n\n", to->x + to->width / 2, -to->y);
    }
    th_figure_printf(f, "NaN NaN\n");
    th_figure_end_block(f);
}
