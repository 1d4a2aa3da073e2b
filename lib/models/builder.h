/* builder.h - how an architecture of layers lists its parameters, and the pieces that most have.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef struct ThModelBuilder ThModelBuilder;

/* Adds a hidden matrix, whose deviation is `by` times what it else would be; its index, or -1. */
typedef int ThModelBuildMatrix(ThModelBuilder *b, const char *name, int rows, int cols, double by);

/* The first failure is remembered, so that an architecture asks once, at the end. */
struct ThModelBuilder {
    ThModel *m;
    int layer; /* names begin with layerN. while this is not -1 */
    ThError *err;
    bool failed;
    ThModelBuildMatrix *matrix; /* how matrices of the pieces begin; NULL: th_model_build_matrix */
    double shrink; /* the factor of those that add to a residual stream; 0: they are as others */
};

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

/* Adds a matrix as b->matrix does; adds: to a residual stream. */
int th_model_build_hidden(ThModelBuilder *b, const char *name, int rows, int cols, bool adds);

/* Adds a vector of zeros or ones. */
int th_model_build_vector(ThModelBuilder *b, const char *name, int cols, ThInit init);

/* name.part as the name of a parameter, which its maker copies. */
typedef struct {
    char text[64];
} ThModelBuildName;
ThModelBuildName th_model_build_name(const char *name, const char *part);

/* A row of a table of options, for macros that hold several. */
#define TH_MODEL_OPTION(...)                                                                       \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* ---- pieces: indices into the parameter table; names are name.gain and so on ---- */

typedef struct {
    int gain, offset;
} ThModelNorm;
ThModelNorm th_model_build_norm(ThModelBuilder *b, const char *name, int dim);
ThVar th_model_norm(ThTape *t, const ThModelNorm *n, ThVar x);
ThVar th_model_norm_sum(ThTape *t, const ThModelNorm *n, ThVar x, ThVar y); /* y: -1 is none */

/* RMS norm (Zhang and Sennrich 2019): x gain / √(mean of x² + epsilon), no mean taken away; of x
 * (n,d), gain a parameter (1,d). */
ThVar th_model_rms_norm(ThTape *t, ThVar x, int gain, double epsilon);
ThModelNorm th_model_build_rms_norm(ThModelBuilder *b, const char *name, int dim); /* offset: -1 */

/* A linear map, GELU or ReLU, and another one, which adds to a residual stream. */
typedef struct {
    int up, up_bias, down, down_bias;
} ThModelNetwork;
ThModelNetwork th_model_build_network(ThModelBuilder *b, const char *name, int in, int wide,
                                      int out);
ThVar th_model_network(ThTape *t, const ThModelNetwork *n, ThVar x);
ThVar th_model_network_gelu_tanh(ThTape *t, const ThModelNetwork *n, ThVar x);
ThVar th_model_network_relu(ThTape *t, const ThModelNetwork *n, ThVar x);

/* The feed-forward layer of Shazeer 2020, SwiGLU: (SiLU(x gate) times (x up)) down, of parameters
 * name.gate, name.up and name.down without biases. */
typedef struct {
    int gate, up, down;
} ThModelGated;
ThModelGated th_model_build_gated(ThModelBuilder *b, const char *name, int dim, int wide);
ThVar th_model_gated(ThTape *t, const ThModelGated *n, ThVar x);

/* A last linear map, whose matrix is no hidden one: head and head_bias. */
typedef struct {
    int weight, bias;
} ThModelHead;
ThModelHead th_model_build_head(ThModelBuilder *b, int dim);
ThVar th_model_head(ThTape *t, const ThModelHead *h, ThVar x);
