/* builder.h - how an architecture of layers lists its parameters.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_MODELS_BUILDER_H
#define TH_MODELS_BUILDER_H

#include "models/model.h"

/* The first failure is remembered, so that an architecture asks once, at the end. */
typedef struct {
    ThModel *m;
    int layer; /* names begin with layerN. while this is not -1 */
    ThError *err;
    bool failed;
} ThModelBuilder;

/* Adds a parameter to the model's table, as th_params_add does; its index, or -1. */
int th_model_build(ThModelBuilder *b, const char *name, int rows, int cols, ThInit init,
                   double scale);

/* Adds a hidden matrix (th_param_hidden) drawn as Haiku does: truncated normal, deviation by
 * fan-in. */
int th_model_build_matrix(ThModelBuilder *b, const char *name, int rows, int cols);

/* Adds a parameter whose beginning a function draws, see th_param_drawn. */
int th_model_build_drawn(ThModelBuilder *b, const char *name, int rows, int cols,
                         ThParamDraw *draw);

/* Adds a parameter of which every row begins as `row`, see th_param_row. */
int th_model_build_row(ThModelBuilder *b, const char *name, int rows, int cols, const double *row);

/* Adds a vector of zeros or ones. */
int th_model_build_vector(ThModelBuilder *b, const char *name, int cols, ThInit init);

#endif
