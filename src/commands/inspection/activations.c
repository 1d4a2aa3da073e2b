/* activations.c - what a model computes on the way to its answer: activations, lens, probe. */

#include "commands/inspection/inspect.h"
#include "commands/modelling.h"
#include "language/redirect.h"

/* ---- activations ----------------------------------------------------------------------------- */

/* The values of one input that are asked for, by the names that the user sees. */
typedef struct {
    const char *input;
    ThTape *tape; /* holds the numbers */
    ThSafetensorsMatrix *value;
    char **name; /* (n): own */
    size_t n;
} Values;

static void free_values(Values *v, int n)
{
    for (int i = 0; v && i < n; i++) {
        TH_FREE_EACH(v[i].name, v[i].n);
        free(v[i].value);
        th_tape_free(v[i].tape);
    }
    free(v);
}

/* Is it the value that is asked for, by its whole name, or by that of all levels? */
static bool is_wanted(const char *wanted, const ThTapeTag *tag, const char *name)
{
    return !wanted || strcmp(wanted, name) == 0 || strcmp(wanted, tag->name) == 0;
}

static bool name_values(Values *v, const char *wanted, ThError *err)
{
    size_t n;
    const ThTapeTag *tag = th_tape_tags(v->tape, &n);
    v->name = th_alloc(n, sizeof *v->name, err);
    v->value = th_alloc(n, sizeof *v->value, err);
    for (size_t i = 0; v->name && v->value && i < n; i++) {
        ThText t = {0};
        th_text_add(&t, tag[i].name);
        if (tag[i].index >= 0)
            th_text_printf(&t, ".%d", tag[i].index + 1);
        char *name = th_text_take(&t, err);
        if (!name)
            return false;
        v->name[v->n] = name;
        v->value[v->n] = (ThSafetensorsMatrix){name, th_tape_rows(v->tape, tag[i].var),
                                               th_tape_cols(v->tape, tag[i].var), 0,
                                               th_tape_floats(v->tape, tag[i].var)};
        if (is_wanted(wanted, &tag[i], name))
            v->n++;
        else
            free(name);
    }
    return v->name && v->value;
}

static bool find_values(const ShCall *call, int i, Values *v, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ShOperand *input = &call->operand[i + 1];
    const char *wanted = th_option_text(&call->options, "value");
    int *token TH_OWNED(free) = NULL, length;
    v->input = input->text;
    v->tape = th_model_tape(m, TH_TAPE_FLOAT, call->n - 1, err);
    token = v->tape ? sh_model_input(m, input, &length, err) : NULL;
    if (!token)
        return false;
    ThModelTrace *trace TH_OWNED(th_model_trace_free) =
        th_model_trace_on(m, v->tape, token, length, err);
    bool ok = trace && name_values(v, wanted, err);
    if (ok && v->n == 0)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE, "the model names no value '%s'",
                               wanted) ||
               th_hint(err, "activations without value= lists the names");
    return ok || sh_error_inside(err, input);
}

/* The rows of one value, those of all inputs below each other. */
static bool write_npy(const ShCall *call, const Values *v, int n, ThError *err)
{
    size_t rows = 0, done = 0, cols = (size_t)v->value[0].cols;
    for (int i = 0; i < n; i++) {
        if (v[i].n != 1)
            return th_fail(err, TH_EUSAGE, "a .npy file holds one value, not %zu", v[i].n) ||
                   th_hint(err, "value= names one; .safetensors files hold all");
        if ((size_t)v[i].value->cols != cols)
            return th_fail(err, TH_EVALUE, "%s has %zu columns for one string and %d for another",
                           v->name[0], cols, v[i].value->cols);
        rows += (size_t)v[i].value->rows;
    }
    float *all TH_OWNED(free) = th_alloc(rows * cols, sizeof *all, err);
    for (int i = 0; all && i < n; i++) {
        size_t size = (size_t)v[i].value->rows * cols;
        memcpy(all + done, v[i].value->value, size * sizeof *all);
        done += size;
    }
    return all && th_npy_write(call->redirect, TH_NPY_FLOAT32, rows, cols, all, err);
}

/* Of several inputs the names begin with the number of the input. */
static bool write_all(const ShCall *call, const Values *v, int n, ThError *err)
{
    size_t total = 0, k = 0;
    for (int i = 0; i < n; i++)
        total += v[i].n;
    ThSafetensorsMatrix *all TH_OWNED(free) = th_alloc(total, sizeof *all, err);
    char **name TH_OWNED(free) = th_alloc(total, sizeof *name, err);
    bool ok = all && name;
    for (int i = 0; ok && i < n; i++) {
        for (size_t j = 0; ok && j < v[i].n; j++, k++) {
            ThText t = {0};
            if (n > 1)
                th_text_printf(&t, "%d.", i + 1);
            th_text_add(&t, v[i].name[j]);
            all[k] = v[i].value[j];
            all[k].name = name[k] = th_text_take(&t, err);
            ok = name[k] != NULL;
        }
    }
    ok = ok && th_safetensors_write(all, total, NULL, call->redirect, err);
    for (k = 0; name && k < total; k++)
        free(name[k]);
    return ok;
}

static bool write_arrays(const ShCall *call, const Values *v, int n, ThError *err)
{
    if (call->append)
        return th_fail(err, TH_EUSAGE, "nothing can be appended to a file of arrays");
    return th_ends_with(call->redirect, ".npy") ? write_npy(call, v, n, err)
                                                : write_all(call, v, n, err);
}

static bool list_numbers(ShSession *s, const Values *v, const ThSafetensorsMatrix *m, ThError *err)
{
    for (int i = 0; i < m->rows && !th_stopped(sh_stop(s), err); i++)
        for (int j = 0; j < m->cols; j++)
            sh_row(s, v->input, m->name, (long long)i, (long long)j,
                   (double)m->value[(size_t)i * (size_t)m->cols + (size_t)j]);
    return !th_stopped(sh_stop(s), err);
}

/* People see what there is, programs all the numbers. */
static bool list_values(ShSession *s, const Values *v, int n, ThError *err)
{
    bool text = sh_out(s) != NULL, ok = true;
    sh_table(s, "values",
             text ? "input:s value:s rows:i columns:i" : "input:s value:s row:i column:i number:r");
    for (int i = 0; ok && i < n; i++) {
        for (size_t k = 0; ok && k < v[i].n; k++) {
            const ThSafetensorsMatrix *m = &v[i].value[k];
            if (text)
                sh_row(s, v[i].input, m->name, (long long)m->rows, (long long)m->cols);
            else
                ok = list_numbers(s, &v[i], m, err);
        }
    }
    if (ok)
        sh_table_end(s);
    return ok;
}

static const ThOptionSpec activations_options[] = {
    {"value", TH_STRING, NULL, 0, 0, NULL,
     "one value, as state.2, or state for those of all levels"},
    {0},
};

SH_COMMAND(
    activations, .group = "inspection",
    .summary = "list or write everything that a model computes when it reads an input",
    .detail =
        "Runs the model on each INPUT by itself and lists the values that its architecture names, "
        "with their shapes: embedding; of attention query, key, value, attention (the weights, a "
        "row for a query and head), heads (what the heads read, beside each other) and attended "
        "(behind the output matrix); feed_forward; state, what a level hands on; of linear "
        "recurrences input, state and output; logits.  A number behind the name is the level, from "
        "1.  Rows are positions, or the vectors that trace lists.\n\n"
        "> \"x.npy\" writes one value, which value= names, > \"x.safetensors\" all of them by "
        "their names, of several inputs with the number of the input before: 2.state.1.  In csv "
        "and json there is a row for every number.",
    .example = SH_EXAMPLE_TRAINED "activations m \"abba\" value=state\n"
                                  "#> input  value    rows  columns\n"
                                  "#> abba   state.1     2       16\n"
                                  "#> abba   state.2     1       16\n"
                                  "activations m \"abba\" value=state.2 > \"state.npy\"\n"
                                  "activations m \"abba\" \"bb\" > \"all.safetensors\"\n"
                                  "assert values == 28",
    .results = "model architecture task seed values numbers",
    .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", A_REPEATED}}, .options = activations_options,
    .flags = C_PAGED | C_ARRAYS)
{
    int n = call->n - 1;
    long long values = 0, numbers = 0;
    Values *v = th_alloc((size_t)n, sizeof *v, err);
    bool ok = v != NULL;
    for (int i = 0; ok && i < n; i++) {
        ok = find_values(call, i, &v[i], err);
        values += (long long)v[i].n;
        for (size_t k = 0; k < v[i].n; k++)
            numbers += (long long)v[i].value[k].rows * v[i].value[k].cols;
    }
    if (ok)
        sh_about_model(s, call->operand[0].object, NULL);
    ok = ok &&
         (sh_redirect_is_array(call) ? write_arrays(call, v, n, err) : list_values(s, v, n, err));
    free_values(v, n);
    sh_results(s, "values:i numbers:i", (long long)values, (long long)numbers);
    return ok;
}

/* ---- lens ------------------------------------------------------------------------------------ */

ThInspectLens *sh_call_lens(const ShCall *call, int **token, int *length, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    *token = sh_model_input(m, &call->operand[1], length, err);
    ThInspectLens *l = *token ? th_inspect_lens(m, *token, *length, err) : NULL;
    if (*token && !l) {
        sh_error_inside(err, &call->operand[1]);
        free(*token);
        *token = NULL;
    }
    return l;
}

static bool lens_row(ShSession *s, const ThSignature *g, const int *token,
                     const ThInspectLensRow *row, ThError *err)
{
    double *p TH_OWNED(free) = th_copy(row->logit, (size_t)g->n_classes, sizeof *p, err);
    char *output TH_OWNED(free) = sh_logits_text(g, row->logit, err),
                 *segment TH_OWNED(free) = th_symbols_text(
                     g->symbol, g->n_symbols, token + row->first, row->last - row->first + 1, err);
    bool ok = p && output && segment;
    if (ok) {
        th_lab_probabilities(g->target, p, g->n_classes);
        sh_row(s, (long long)row->layer + 1, (long long)row->first, (long long)row->last, segment,
               output, th_inspect_probability(g, row->logit, row->logit), p);
        sh_result_text(s, "output", output);
    }
    return ok;
}

SH_COMMAND(
    lens, .group = "inspection", .summary = "show what a model would answer after each level",
    .detail = "Applies the model's read-out to the vectors that every level hands on, not only the "
              "last one's: what the answer would be if the level were the last.  first and last "
              "are what a vector has read, as in trace; probability is that of the answer, and csv "
              "and json have those of all classes.  The last row is the model's answer, unless it "
              "halts by itself (universal with halt=), which then mixes the levels.\n\n"
              "A RegularGPT that answers right reads every segment right, too, where its answers "
              "say what the segment does; the levels of a Transformer come to the answer by and "
              "by.  plot lens draws it.",
    .example = "task p = parity\n"
               "compile p as m > \"proof.txt\"\n"
               "lens m \"abbb\"\n"
               "#> level  first  last  reads  output  probability\n"
               "#>     1      0     1  ab     odd        0.999955\n"
               "#>     1      2     3  bb     even       0.999955\n"
               "#>     2      0     3  abbb   odd        0.999955",
    .results = "model architecture task seed levels output",
    .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}}, .flags = C_PAGED)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    int *token TH_OWNED(free) = NULL, length;
    ThInspectLens *l TH_OWNED(th_inspect_lens_free) = sh_call_lens(call, &token, &length, err);
    if (!l)
        return false;
    sh_about_model(s, call->operand[0].object, NULL);
    sh_result_int(s, "levels", l->n_layers);
    sh_table(s, "lens", "level:i first:i last:i reads:s output:s probability:r p:v");
    sh_table_parts(s, (const char *const *)g->label, g->n_classes);
    bool ok = true;
    for (int i = 0; ok && i < l->n_rows; i++)
        ok = lens_row(s, g, token, &l->row[i], err);
    if (ok)
        sh_table_end(s);
    return ok;
}

/* ---- probe ----------------------------------------------------------------------------------- */

static const ThOptionSpec probe_options[] = {
    {"for", TH_CHOICE, "function", 0, 0, "function|state|symbol",
     "what is read: the function that a vector's segment induces on the states, the state after "
     "its last position, or the symbol there"},
    {"length", TH_INT, "40", 1, 20000, NULL, "length of the strings"},
    {"strings", TH_INT, "60", 2, 100000, NULL, "number of strings; half of them are held out"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

static void print_probes(ShSession *s, const ThInspectProbed *p, int n)
{
    double best = 0;
    sh_table(s, "levels", "level:i width:i labels:i vectors:i accuracy:r low:r high:r chance:r");
    for (int l = 0; l < n; l++) {
        double accuracy = (double)p[l].right / (double)p[l].held;
        best = accuracy > best ? accuracy : best;
        sh_row(s, (long long)l + 1, (long long)p[l].dim, (long long)p[l].n_labels, p[l].held,
               accuracy, p[l].low, p[l].high, p[l].chance);
    }
    sh_table_end(s);
    sh_results(s, "levels:i accuracy:r chance:r best:r", (long long)n,
               (double)p[n - 1].right / (double)p[n - 1].held, p[n - 1].chance, best);
}

SH_COMMAND(
    probe, .group = "inspection",
    .summary = "measure what a linear map can read from a model's vectors",
    .detail =
        "Draws strings of the task, fits multinomial logistic regression to the vectors of every "
        "level by itself, for half of the strings, and measures on the other half how often it "
        "names the label right, with the 95 % interval.  for= says what the labels are; a vector "
        "of a RegularGPT has a segment of its own, those of other models all symbols up to their "
        "position.  chance is how often, on the other half, the label would be right that is most "
        "frequent among the fitted vectors.  The figures accuracy and chance are those of the last "
        "level.\n\n"
        "That something can be read does not mean that the model uses it: patch tells.",
    .example = "task p = parity\n"
               "compile p as m > \"proof.txt\"\n"
               "probe m on p for=function length=16 strings=20\n"
               "#> level  width  labels  vectors  accuracy       low  high  chance\n"
               "#>     1      4       2       80         1  0.954936     1  0.4125\n"
               "#>     2      4       2       40         1  0.911903     1  0.3750\n"
               "#>     3      4       2       20         1  0.831567     1  0.5500\n"
               "#>     4      4       2       10         1  0.691503     1  0.3000\n"
               "probe m on p for=state length=16 strings=20 > \"states.csv\"\n"
               "assert accuracy == 1",
    .results = "model architecture task seed levels accuracy chance best",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = probe_options)
{
    const ThTask *t = call->operand[1].object->as.task;
    if (!sh_check_pair(call, err) || !sh_need_machine(&call->operand[1], err))
        return false;
    int n = 0;
    ThDfa *machine TH_OWNED(th_dfa_free) = sh_true_machine(t, sh_stop(s), err);
    ThInspectProbing how = {.label = (ThInspectLabel)th_option_choice(&call->options, "for"),
                            .machine = machine,
                            .length = (int)th_option_int(&call->options, "length"),
                            .strings = (int)th_option_int(&call->options, "strings"),
                            .seed = (uint64_t)sh_seed(s, &call->options),
                            .stop = sh_stop(s)};
    ThInspectProbed *p TH_OWNED(free) =
        machine ? th_inspect_probe(call->operand[0].object->as.model, t, &how, &n, err) : NULL;
    if (!p)
        return sh_error_inside(err, &call->operand[0]);
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    print_probes(s, p, n);
    return true;
}
