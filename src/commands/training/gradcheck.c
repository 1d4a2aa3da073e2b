/* gradcheck.c - the command that checks a model's gradient. */
#include "commands/modelling.h"

static const ThOptionSpec gradcheck_options[] = {
    {"length", TH_INT, "7", 1, 1000, NULL, "length of the strings"},
    {"batch", TH_INT, "3", 1, 1000, NULL, "number of strings"},
    {"coordinates", TH_INT, "10", 1, 1000000, NULL, "numbers checked of every parameter"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

static void print_gradcheck(ShSession *s, const ThGradcheck *g)
{
    sh_table(s, "parameters", "parameter:s checked:i reference:r fast:r");
    for (int i = 0; i < g->n; i++)
        sh_row(s, g->row[i].name, (long long)g->row[i].checked, g->row[i].analytic_error,
               g->row[i].fast_error);
    sh_table_end(s);
    sh_results(s, "worst:r worst_fast:r", g->worst, g->worst_fast);
}

SH_COMMAND(
    gradcheck, .group = "training", .summary = "check a model's gradient",
    .detail =
        "Compares the gradient of the loss on one batch, computed in double precision, with "
        "central differences, and the gradient that training uses with the one in double "
        "precision.  Prints the worst relative error of each parameter.  The model is not changed.",
    .example = "task p = parity\n"
               "model m = regulargpt dim=8 heads=2\n"
               "gradcheck m on p\n"
               "assert worst < 1e-4 and worst_fast < 1e-3",
    .results = "model architecture task seed worst worst_fast",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = gradcheck_options)
{
    const ThOptions *o = &call->options;
    ThGradcheckShape shape = {.length = (int)th_option_int(o, "length"),
                              .batch = (int)th_option_int(o, "batch"),
                              .coordinates = (int)th_option_int(o, "coordinates"),
                              .seed = (uint64_t)sh_seed(s, o)};
    ThModel *copy TH_OWNED(th_model_free) = th_model_copy(call->operand[0].object->as.model, err);
    ThGradcheck *g TH_OWNED(th_gradcheck_free) =
        copy ? th_gradcheck(copy, call->operand[1].object->as.task, &shape, err) : NULL;
    if (!g)
        return sh_error_inside(err, &call->operand[0]);
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    print_gradcheck(s, g);
    return true;
}
