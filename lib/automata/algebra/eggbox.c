#include "automata/algebra/eggbox.h"

#include "base/text.h"

bool th_eggbox_group(const ThEggbox *e, int d, int row, int column)
{
    int n;
    const int *cell = th_green_cell(e->g, d, row, column, &n);
    bool group = false;
    for (int i = 0; i < n && !group; i++)
        group = th_monoid_idempotent(e->m, cell[i]);
    return group;
}

char *th_eggbox_cell(const ThEggbox *e, int d, int row, int column, ThError *err)
{
    int n, width = -1;
    const int *cell = th_green_cell(e->g, d, row, column, &n);
    ThText t = {0};
    for (int i = 0; i < n && width <= e->widest; i++) {
        width += th_utf8_width(e->name[cell[i]]) + 1;
        th_text_printf(&t, "%s%s%s", i ? " " : "", e->name[cell[i]],
                       th_monoid_idempotent(e->m, cell[i]) ? e->mark : "");
    }
    if (width > e->widest) {
        th_text_free(&t);
        th_text_printf(&t, "%d%s", n, th_eggbox_group(e, d, row, column) ? e->mark : "");
    }
    return th_text_take(&t, err);
}
