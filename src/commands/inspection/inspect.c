/* inspect.c - commands that look inside a model. */
#include "commands/inspection/inspect.h"

#include <math.h>

#include "commands/modelling.h"
#include "commands/plots/selecting.h"

enum { LONGEST_SHOWN = 32 /* characters of an input in a title */ };

/* The option matrix=: writes what the command shows, in full, where a file is named.  values is
 * freed; NULL: memory ran out and err says so. */
static bool write_matrix(const ThOptions *o, double *values, size_t rows, size_t cols, ThError *err)
{
    bool ok = values &&
              th_npy_write(th_option_text(o, "matrix"), TH_NPY_FLOAT64, rows, cols, values, err);
    free(values);
    return ok;
}

/* ---- attention ------------------------------------------------------------------------------- */

ThModelTrace *sh_call_trace(const ShCall *call, int **token, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ShOperand *input = &call->operand[1];
    int length;
    *token = NULL;
    if (!m->bound)
        return th_null(sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                                       "the model has no alphabet before its first training"));
    int *word =
        th_symbols_read(m->signature.symbol, m->signature.n_symbols, input->text, &length, err);
    ThModelTrace *trace = word ? th_model_trace(m, word, length, err) : NULL;
    if (!trace) {
        free(word);
        return th_null(sh_error_inside(err, input));
    }
    *token = word;
    return trace;
}

static void write_logits(ThText *t, const ThSignature *s, const double *z)
{
    if (s->target == TH_TARGET_BITS) {
        bool first = true;
        for (int c = 0; c < s->n_classes; c++) {
            if (z[c] <= 0)
                continue;
            th_text_printf(t, "%s%s", first ? "" : " ", s->label[c]);
            first = false;
        }
        if (first)
            th_text_add(t, "nothing");
        return;
    }
    int best = 0;
    for (int c = 1; c < s->n_classes; c++)
        if (z[c] > z[best])
            best = c;
    th_text_add(t, s->label[best]);
}

char *sh_logits_text(const ThSignature *s, const double *z, ThError *err)
{
    ThText t = {0};
    write_logits(&t, s, z);
    return th_text_take(&t, err);
}

void sh_write_answer_line(ThText *t, const ShCall *call, const ThModelTrace *trace,
                          const int *token)
{
    const char *input = call->operand[1].text;
    size_t n = strlen(input), at = 0, size;
    for (int i = 0; i < LONGEST_SHOWN && (size = th_utf8_next(input + at, n - at, NULL)) > 0; i++)
        at += size;
    th_text_printf(t, "%s on \"", call->operand[0].object->name);
    th_text_add_bytes(t, input, at);
    th_text_printf(t, "%s\"", at < n ? "…" : "");
    if (at < n)
        th_text_printf(t, " (%d symbols)", trace->length);
    th_text_add(t, ": ");
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    write_logits(t, g, trace->output + (size_t)(trace->n_outputs - 1) * g->n_classes);
    int truth = th_task_truth(g, (ThTaskWord){token, trace->length});
    if (truth >= 0)
        th_text_printf(t, " (truth %s)", g->label[truth]);
}

/* A key as it is printed: its position, or what stands there instead. */
static const char *key_name(int key, char to[16])
{
    if (key == TH_MODEL_KEY_PAD)
        return "pad";
    snprintf(to, 16, "%d", key);
    return to;
}

static void print_path(ShSession *s, const ThModelTrace *trace, const ThPath *path)
{
    char name[16];
    sh_table(s, "path", "layer:i position:i first:i last:i key:s weight:r");
    for (int l = 0; l < trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &trace->layer[l];
        for (int i = 0; i < layer->n_rows; i++) {
            for (int k = 0; path->row[l][i] && k < layer->n_keys; k++) {
                int key = layer->key[(size_t)i * layer->n_keys + k];
                if (key != TH_MODEL_KEY_MASKED)
                    sh_row(s, (long long)l + 1, (long long)layer->last[i],
                           (long long)layer->first[i], (long long)layer->last[i],
                           key_name(key, name), th_path_mean_weight(layer, i, k));
            }
        }
    }
    sh_table_end(s);
}

/* Weight of one head on its k-th key, averaged over the layer's rows on the path. */
static double mean_over_path(const ThModelTraceLayer *l, const bool *row, int head, int k)
{
    double sum = 0;
    int rows = 0;
    for (int i = 0; i < l->n_rows; i++) {
        if (row[i]) {
            sum += th_path_weight(l, head, i, k);
            rows++;
        }
    }
    return rows > 0 ? sum / rows : 0;
}

static void print_heads(ShSession *s, const ThModelTrace *trace, const ThPath *path)
{
    sh_table(s, "heads",
             path->routed ? "layer:i head:i back:i weight:r" : "layer:i head:i key:i weight:r");
    for (int l = 0; l < trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &trace->layer[l];
        for (int h = 0; h < layer->n_heads; h++)
            for (int k = 0; k < layer->n_keys; k++)
                sh_row(s, (long long)l + 1, (long long)h + 1, (long long)k,
                       mean_over_path(layer, path->row[l], h, k));
    }
    sh_table_end(s);
}

static void print_attention(ShSession *s, const ThModelTrace *trace, const ThPath *path)
{
    print_path(s, trace, path);
    sh_say(s, "\n");
    print_heads(s, trace, path);
    sh_results(s, "layers:i heads:i", (long long)trace->n_layers,
               (long long)trace->layer[0].n_heads);
}

static size_t count_weights(const ThModelTrace *trace)
{
    size_t n = 0;
    for (int l = 0; l < trace->n_layers; l++)
        n += (size_t)trace->layer[l].n_heads * trace->layer[l].n_rows * trace->layer[l].n_keys;
    return n;
}

enum { WEIGHT_COLUMNS = 5 };

/* Returns where the next layer's rows go. */
static double *put_weights(double *to, int layer, const ThModelTraceLayer *y)
{
    for (int h = 0; h < y->n_heads; h++) {
        for (int i = 0; i < y->n_rows; i++) {
            for (int k = 0; k < y->n_keys; k++, to += WEIGHT_COLUMNS) {
                to[0] = layer;
                to[1] = h + 1;
                to[2] = y->last[i];
                to[3] = y->key[(size_t)i * y->n_keys + k];
                to[4] = th_path_weight(y, h, i, k);
            }
        }
    }
    return to;
}

/* Every weight of every row, on the path or not. */
static bool write_weights(const ThOptions *o, const ThModelTrace *trace, ThError *err)
{
    if (!th_option_given(o, "matrix"))
        return true;
    size_t n = count_weights(trace);
    double *values = th_alloc(n * WEIGHT_COLUMNS, sizeof *values, err), *to = values;
    for (int l = 0; values && l < trace->n_layers; l++)
        to = put_weights(to, l + 1, &trace->layer[l]);
    return write_matrix(o, values, n, WEIGHT_COLUMNS, err);
}

static bool show_attention(ShSession *s, const ShCall *call, const ThModelTrace *trace,
                           const int *token, ThError *err)
{
    ThPath *path TH_OWNED(th_path_free) = th_path_of_trace(trace, err);
    if (!path)
        return sh_error_inside(err, &call->operand[0]);
    bool ok = write_weights(&call->options, trace, err);
    ThText line TH_OWNED(th_text_free) = {0};
    if (ok) {
        sh_about_model(s, call->operand[0].object, NULL);
        sh_write_answer_line(&line, call, trace, token);
        sh_say(s, "%s\n", th_text_string(&line));
        print_attention(s, trace, path);
    }
    return ok;
}

static const ThOptionSpec attention_options[] = {
    {"matrix", TH_STRING, NULL, 0, 0, NULL, "file to write a row a weight to, as .npy"},
    {0},
};

SH_COMMAND(
    attention, .group = "inspection", .summary = "show where a model looks when it reads an input",
    .detail = "For a RegularGPT, the first table is the routing path of the last position (Fig. 1 "
              "of the paper): every vector that the answer is made of, by layer and position, the "
              "part of the input that it covers, and its keys with their weights, averaged over "
              "the heads.  A key is the position whose vector it is, or a pad.  The second table "
              "has every head's weights, averaged over the path's vectors of a layer: back 0 is "
              "the position itself, back 1 the one before it at that level, and so on.\n\n"
              "For a transformer, the tables show what the last position looks at in every layer, "
              "and each head by itself.\n\n"
              "matrix= writes every weight, of all vectors, as rows of layer, head, position, key "
              "(-1: a pad, -2: nothing) and weight.  plot attention draws the tables.\n\n"
              "Of a model that was compiled from an s-op, beside SOP prints each of its heads: at "
              "the left what the selector selects, a row a query, at the right where the head "
              "looks, first at the beginning of the string, which takes the rows that select "
              "nothing.  outside is the greatest weight on what is not selected.",
    .example = SH_EXAMPLE_TRAINED "attention m \"abbab\" > \"attention.txt\"\n"
                                  "assert layers == 3 and heads == 2\n"
                                  "examples off\n"
                                  "same = select(tokens, tokens, ==);\n"
                                  "#>      selector: same\n"
                                  "hist = selector_width(same);\n"
                                  "#>      s-op: hist\n"
                                  "compile hist as h tokens=\"ab\" length=3 > \"said.txt\"\n"
                                  "attention h \"aba\" beside hist > \"heads.txt\"\n"
                                  "assert heads == 2 and outside < 1e-6",
    .results = "model architecture task seed layers heads outside",
    .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}},
    .args2 = {{A_MODEL, "MODEL", 0},
              {A_INPUT, "INPUT", 0},
              {A_KEYWORD, "beside", 0},
              {A_OBJECT, "SOP", 0}},
    .options = attention_options, .flags = C_PAGED)
{
    if (call->form == 2)
        return sh_show_selecting(s, call, err);
    int *token TH_OWNED(free) = NULL;
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = sh_call_trace(call, &token, err);
    return trace && show_attention(s, call, trace, token, err);
}

/* ---- clusters -------------------------------------------------------------------------------- */

const ThOptionSpec sh_clusters_options[] = {
    {"length", TH_INT, "500", 2, 20000, NULL, "length of the string"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the string; default: set seed"},
    {"matrix", TH_STRING, NULL, 0, 0, NULL, "file to write a row a vector to, as .npy"},
    {0},
};

bool sh_check_pair(const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    if (!m->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "the model has no alphabet before its first training");
    return th_signature_match(&m->signature, &call->operand[1].object->as.task->signature, err) ||
           sh_error_inside(err, &call->operand[1]);
}

ThDfa *sh_true_machine(const ThTask *t, ThStop *stop, ThError *err)
{
    return t->bits ? th_dfa_copy(t->machine, err) : th_dfa_minimize(t->machine, stop, err);
}

static void set_cluster_figures(ShSession *s, const ThClusters *c)
{
    sh_results(s, "clusters:i purity:r variance:r functions:i gap:r spread:r",
               (long long)c->n_clusters, c->purity, c->variance[0] + c->variance[1],
               (long long)c->n_functions, c->gap, c->spread);
}

static bool write_points(const ThOptions *o, const ThClusters *c, ThError *err)
{
    enum { COLUMNS = 7 };
    if (!th_option_given(o, "matrix"))
        return true;
    double *values = th_alloc((size_t)c->n_points * COLUMNS, sizeof *values, err), *to = values;
    for (int i = 0; values && i < c->n_points; i++) {
        const ThClustersPoint *p = &c->point[i];
        const double row[COLUMNS] = {p->layer + 1, p->first,   p->last,    p->x,
                                     p->y,         p->cluster, p->function};
        memcpy(to, row, sizeof row);
        to += COLUMNS;
    }
    return write_matrix(o, values, (size_t)c->n_points, COLUMNS, err);
}

/* The figure string: what was read, of several the first. */
static bool set_string(ShSession *s, const ThSignature *g, const int *token, int length,
                       ThError *err)
{
    char *text TH_OWNED(free) = th_symbols_text(g->symbol, g->n_symbols, token, length, err);
    if (text)
        sh_result_text(s, "string", text);
    return text != NULL;
}

/* Returns new: the user's string, or one that is drawn. */
static int *string_of(ShSession *s, const ShCall *call, int *length, ThError *err)
{
    const ThTask *t = call->operand[1].object->as.task;
    if (call->n > 2)
        return sh_model_input(call->operand[0].object->as.model, &call->operand[2], length, err);
    ThRng r = th_rng((uint64_t)sh_seed(s, &call->options), "inspect.clusters", 0);
    ThBatch b TH_OWNED(th_batch_free) = {.B = 1};
    bool ok = th_task_sample(t, &r, (int)th_option_int(&call->options, "length"), &b, err);
    *length = ok ? th_batch_length(&b, 0) : 0;
    int *token = ok ? th_copy(b.token, (size_t)*length, sizeof *token, err) : NULL;
    if (!token)
        sh_error_inside(err, &call->operand[0]);
    return token;
}

/* A string of one's own has its length. */
static bool fits_strings(const ShCall *call, ThError *err)
{
    static const char *const drawn[] = {"length", "strings", "seed"};
    for (int i = 0; call->n > 2 && i < 3; i++)
        if (th_option_known(&call->options, drawn[i]) && th_option_given(&call->options, drawn[i]))
            return sh_fail_operand(err, &call->operand[2], TH_EUSAGE,
                                   "%s= is for strings that are drawn", drawn[i]);
    return true;
}

ThClusters *sh_call_clusters(ShSession *s, const ShCall *call, ThError *err)
{
    if (!sh_check_pair(call, err) || !sh_need_machine(&call->operand[1], err) ||
        !fits_strings(call, err))
        return NULL;
    const ThModel *m = call->operand[0].object->as.model;
    const ThTask *t = call->operand[1].object->as.task;
    ThClusters *c = NULL;
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = NULL;
    int length, *token TH_OWNED(free) = string_of(s, call, &length, err);
    if (!token)
        return NULL;
    ThDfa *machine TH_OWNED(th_dfa_free) = sh_true_machine(t, sh_stop(s), err);
    if (machine)
        trace = th_model_trace(m, token, length, err);
    if (trace)
        c = th_clusters(trace, machine, token, t->signature.symbol, sh_stop(s), err);
    if (c && (!write_points(&call->options, c, err) ||
              !set_string(s, &t->signature, token, length, err))) {
        th_clusters_free(c);
        c = NULL;
    }
    if (c)
        set_cluster_figures(s, c);
    else
        sh_error_inside(err, &call->operand[0]);
    return c;
}

/* Which string it was, where it was drawn. */
static void say_string(ShSession *s, const ShCall *call, const int *token, int length, int strings)
{
    const ThSignature *g = &call->operand[1].object->as.task->signature;
    int shown = length > LONGEST_SHOWN ? LONGEST_SHOWN : length;
    ThText t TH_OWNED(th_text_free) = {0};
    if (call->n > 2)
        return;
    th_text_printf(&t, "drawn with seed %lld: ", sh_seed(s, &call->options));
    if (strings > 1)
        th_text_printf(&t, "%d strings, the first ", strings);
    th_symbols_write(&t, g->symbol, g->n_symbols, token, shown);
    sh_say(s, "%s%s\n", th_text_string(&t), shown < length ? "…" : "");
}

static void print_functions(ShSession *s, const ThClusters *c)
{
    sh_table(s, "functions", "function:s vectors:i clusters:i");
    for (int f = 0; f < c->n_functions; f++) {
        long long points = 0, clusters = 0;
        for (int k = 0; k < c->n_clusters; k++) {
            long long here = 0;
            for (int i = 0; i < c->n_points; i++)
                here += c->point[i].function == f && c->point[i].cluster == k;
            points += here;
            clusters += here > 0;
        }
        sh_row(s, c->function[f], points, clusters);
    }
    sh_table_end(s);
}

static void print_clusters(ShSession *s, const ThClusters *c)
{
    sh_table(s, "layers", "layer:i vectors:i clusters:i purity:r");
    for (int l = 0; l < c->n_layers; l++)
        sh_row(s, (long long)l + 1, (long long)c->layer[l].points, (long long)c->layer[l].clusters,
               c->layer[l].purity);
    sh_table_end(s);
    sh_say(s, "\n");
    print_functions(s, c);
    sh_say(s,
           "\n%d cluster%s for %d function%s, purity %.6g; two components have %.4g %% of the "
           "variance",
           c->n_clusters, sh_plural(c->n_clusters), c->n_functions, sh_plural(c->n_functions),
           c->purity, 100 * (c->variance[0] + c->variance[1]));
    if (c->n_clusters > 1)
        sh_say(s, "; centres %.4g apart, radius %.4g", c->gap, c->spread);
    sh_say(s, "\n");
}

SH_COMMAND(
    clusters, .group = "inspection",
    .summary = "compare a model's hidden vectors with the task's transition functions",
    .detail = "Draws one string, or takes STRING, takes the output vectors of every layer, and "
              "asks whether vectors that stand for the same function on states lie together (Fig. "
              "3 of the RegularGPT paper).  The function of a vector is the one that its part of "
              "the input induces on the states of the task's minimal machine; pads count as the "
              "identity.  Functions are named by the first word that induces them.\n\n"
              "The number of clusters is found from the vectors alone: of all distances at which a "
              "single-linkage hierarchy could be cut, the widest range in which the number of "
              "clusters does not change is taken; where no range is wide, there is one cluster.  "
              "Purity is the share of vectors whose cluster has their function as its majority, "
              "the clusters being common to all layers.  variance is the share of the first two "
              "principal components, gap the least distance of two centres, spread the root mean "
              "square distance of vectors to their centre.\n\n"
              "A model that has learned the task has as many clusters as functions, and purity 1 "
              "in every layer.  plot clusters draws the vectors; matrix= writes them as rows of "
              "layer, first and last position, the two components, cluster and function.",
    .example = SH_EXAMPLE_TRAINED "clusters m on p length=100 > \"clusters.txt\"\n"
                                  "assert functions == 2 and purity >= 0.5",
    .results = "model architecture task seed string clusters purity variance functions gap spread",
    .args = {{A_MODEL, "MODEL", 0},
             {A_KEYWORD, "on", 0},
             {A_TASK, "TASK", 0},
             {A_INPUT, "STRING", A_OPTIONAL}},
    .options = sh_clusters_options, .flags = C_PAGED)
{
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    ThClusters *c TH_OWNED(th_clusters_free) = sh_call_clusters(s, call, err);
    if (!c)
        return false;
    print_clusters(s, c);
    say_string(s, call, c->token, c->length, 1);
    return true;
}

/* ---- field ----------------------------------------------------------------------------------- */

const ThOptionSpec sh_field_options[] = {
    {"length", TH_INT, "500", 2, 20000, NULL, "length of the strings"},
    {"strings", TH_INT, "100", 1, 100000, NULL, "number of strings to average over"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {"matrix", TH_STRING, NULL, 0, 0, NULL,
     "file to write the shares of all positions to, as .npy"},
    {0},
};

/* Greatest distance of the curve from the straight line. */
static double deviation(const ThField *f)
{
    double most = 0;
    for (int m = 0; m < f->length; m++)
        most = fmax(most, fabs(f->cumulative[m] - (double)(f->length - m) / f->length));
    return most;
}

static bool write_shares(const ThOptions *o, const ThField *f, ThError *err)
{
    if (!th_option_given(o, "matrix"))
        return true;
    size_t n = (size_t)f->length;
    return write_matrix(o, th_copy(f->cumulative, n, sizeof *f->cumulative, err), n, 1, err);
}

/* The field of the user's strings. */
static ThField *own_field(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    int n = call->n - 2, length = 0, **word = th_alloc((size_t)n, sizeof *word, err);
    bool ok = word != NULL;
    for (int i = 0; ok && i < n; i++) {
        int before = length;
        word[i] = sh_model_input(m, &call->operand[i + 2], &length, err);
        ok = word[i] && (i == 0 || length == before ||
                         sh_fail_operand(err, &call->operand[i + 2], TH_EVALUE,
                                         "the strings have %d and %d symbols", before, length));
    }
    ThField *f = ok ? th_field_of(m, word, n, length, sh_stop(s), err) : NULL;
    TH_FREE_EACH(word, n);
    if (ok && !f)
        sh_error_inside(err, &call->operand[0]);
    return f;
}

static ThField *drawn_field(ShSession *s, const ShCall *call, ThError *err)
{
    const ThOptions *o = &call->options;
    ThField *f = th_field(call->operand[0].object->as.model, call->operand[1].object->as.task,
                          (int)th_option_int(o, "length"), (int)th_option_int(o, "strings"),
                          (uint64_t)sh_seed(s, o), sh_stop(s), err);
    if (!f)
        sh_error_inside(err, &call->operand[0]);
    return f;
}

ThField *sh_call_field(ShSession *s, const ShCall *call, ThError *err)
{
    if (!sh_check_pair(call, err) || !fits_strings(call, err))
        return NULL;
    const ThSignature *g = &call->operand[1].object->as.task->signature;
    ThField *f = call->n > 2 ? own_field(s, call, err) : drawn_field(s, call, err);
    if (f &&
        (!write_shares(&call->options, f, err) || !set_string(s, g, f->token, f->length, err))) {
        th_field_free(f);
        return NULL;
    }
    if (!f)
        return NULL;
    sh_results(s, "extent:r deviation:r", f->reach, deviation(f));
    return f;
}

SH_COMMAND(
    receptive_field, .alias = "field", .group = "inspection",
    .summary = "measure how far back a model's answer depends",
    .detail = "Draws strings, or takes those given, which have one length, takes the gradient of "
              "the winning logit with respect to the embedding of every position, and adds up the "
              "norms from the last position backwards (Fig. 4 of the RegularGPT paper); the table "
              "has the share at and after some twenty positions, averaged over the strings.\n\n"
              "Where every position matters alike, the share falls on a straight line from 1 at "
              "the first position; deviation is the greatest distance from it.  extent is the "
              "length of the shortest ending that carries 99 % of the gradient, as a share of the "
              "input.  plot receptive field draws the curve.",
    .example = SH_EXAMPLE_TRAINED "receptive field m on p length=40 strings=2 > \"field.txt\"\n"
                                  "assert extent > 0 and extent <= 1",
    .results = "model architecture task seed string extent deviation",
    .args = {{A_MODEL, "MODEL", 0},
             {A_KEYWORD, "on", 0},
             {A_TASK, "TASK", 0},
             {A_INPUT, "STRING", A_OPTIONAL | A_REPEATED}},
    .options = sh_field_options)
{
    enum { ROWS = 20 };
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    ThField *f TH_OWNED(th_field_free) = sh_call_field(s, call, err);
    if (!f)
        return false;
    int step = f->length > ROWS ? f->length / ROWS : 1;
    sh_table(s, "field", "position:i share:r line:r");
    for (int m = 0; m < f->length; m++)
        if (m % step == 0 || m == f->length - 1)
            sh_row(s, (long long)m, f->cumulative[m], (double)(f->length - m) / f->length);
    sh_table_end(s);
    sh_say(s, "\n99 %% of the gradient lies in the last %.4g %% of the input\n", 100 * f->reach);
    say_string(s, call, f->token, f->length, f->strings);
    return true;
}
