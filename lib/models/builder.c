#include "models/builder.h"

#include <math.h>
#include <stdio.h>

int th_model_build(ThModelBuilder *b, const char *name, int rows, int cols, ThInit init,
                   double scale)
{
    char full[64];
    if (b->layer < 0)
        snprintf(full, sizeof full, "%s", name);
    else
        snprintf(full, sizeof full, "layer%d.%s", b->layer, name);
    int index = th_params_add(&b->m->params, full, rows, cols, init, scale, b->err);
    b->failed |= index < 0;
    return index;
}

int th_model_build_matrix(ThModelBuilder *b, const char *name, int rows, int cols)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_TRUNCATED, 1 / sqrt(rows));
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

int th_model_build_row(ThModelBuilder *b, const char *name, int rows, int cols, const double *row)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_ZERO, 0);
    b->failed |= index < 0 || !th_param_row(&b->m->params, index, row, b->err);
    return index;
}

int th_model_build_vector(ThModelBuilder *b, const char *name, int cols, ThInit init)
{
    return th_model_build(b, name, 1, cols, init, 0);
}

int th_model_build_drawn(ThModelBuilder *b, const char *name, int rows, int cols, ThParamDraw *draw)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_DRAWN, 0);
    th_param_drawn(&b->m->params, index, draw);
    return index;
}
