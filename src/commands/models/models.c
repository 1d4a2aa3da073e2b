/* models.c - commands about models: defining, showing, running and tracing one. */
#include <math.h>

#include "blas_kernels.h"
#include "commands/inspection/ablation.h"
#include "commands/modelling.h"
#include "terminal/confirm.h"
#include "help/help.h"
#include "object_kinds.h"

/* A width in units, as other programs take it, would be a model hundreds of times too large.  Those
 * that compile makes may be wider. */
static bool hidden_fits(const ThModelKind *kind, const ThOptions *o, ThError *err)
{
    enum { MOST = 64 };
    bool multiple = strcmp(kind->name, "regulargpt") == 0;
    if (!multiple || th_option_int(o, "mlp_ratio") <= MOST)
        return true;
    long long hidden = th_option_int(o, "mlp_ratio"), dim = th_option_int(o, "dim");
    return th_fail(err, TH_EVALUE,
                   "mlp_ratio=%lld is %lld units: it is in multiples of dim, at most %d", hidden,
                   hidden * dim, MOST) ||
           th_hint(err, "%lld units are mlp_ratio=%lld", hidden, hidden > dim ? hidden / dim : 1);
}

SH_COMMAND(model, .group = "models", .summary = "define a model: an architecture and its sizes",
           .detail =
               "A model has an architecture and options; help models lists the architectures, help "
               "KIND explains one and its options.  Its alphabet, its classes and its parameters "
               "come with the first task that it is trained on, and stay.",
           .example = "model m = regulargpt dim=32 heads=4\n"
                      "model l = lstm\n"
                      "list models\n"
                      "#> name  kind   size\n"
                      "#> m     model  regulargpt, no task yet\n"
                      "#> l     model  lstm, no task yet",
           .args = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_MODEL_KIND, "KIND", 0}},
           .flags = C_DEFINES)
{
    const ThModelKind *kind = th_model_kind(call->operand[1].text);
    if (!hidden_fits(kind, &call->options, err))
        return false;
    char *options TH_OWNED(free) = th_options_format(&call->options, err);
    char *made_by TH_OWNED(free) = th_printed(
        err, "%s%s%s", kind->name, options && *options ? " " : "", options ? options : "");
    ThModel *m = options && made_by ? th_model_new(kind, &call->options, err) : NULL;
    bool ok = m && sh_define(s, call->operand[0].text, SH_MODEL, m, made_by, err);
    if (ok)
        sh_say_defined(s, call->operand[0].text);
    return ok || sh_error_inside(err, &call->operand[1]);
}

/* ---- show ------------------------------------------------------------------------------------ */

static void describe_init(const ThParam *p, char *to, size_t size)
{
    switch (p->init) {
    case TH_INIT_ZERO:
        snprintf(to, size, "0");
        return;
    case TH_INIT_ONE:
        snprintf(to, size, "1");
        return;
    case TH_INIT_CONSTANT:
        snprintf(to, size, "%.4g", p->scale);
        return;
    case TH_INIT_NORMAL:
        snprintf(to, size, "normal, deviation %.4g", p->scale);
        return;
    case TH_INIT_TRUNCATED:
        snprintf(to, size, "normal within 2, times %.4g", p->scale);
        return;
    case TH_INIT_UNIFORM:
        snprintf(to, size, "uniform in ±%.4g", p->scale);
        return;
    case TH_INIT_PLACE:
        snprintf(to, size, "one of 0 … %.0f", p->scale - 1);
        return;
    case TH_INIT_DRAWN:
    case TH_INIT_ROW:
        snprintf(to, size, "as the architecture says");
        return;
    }
}

static void show_parameters(ShSession *s, const ThParams *params)
{
    sh_table(s, "parameters", "parameter:s shape:s initial:s numbers:i");
    for (int i = 0; i < params->n; i++) {
        const ThParam *p = &params->item[i];
        char shape[48], init[64];
        snprintf(shape, sizeof shape, "%d × %d", p->rows, p->cols);
        describe_init(p, init, sizeof init);
        sh_row(s, p->name, shape, init, (long long)p->rows * p->cols);
    }
    sh_table_end(s);
}

/* In lines of the terminal's width, where there is one. */
static void show_options(ShSession *s, const ThOptions *o)
{
    ShSheet to = sh_session_sheet(s);
    int column = fprintf(to.out, "# options  ");
    for (size_t i = 0; i < o->n; i++) {
        const char *name = o->item[i].spec->name, *text = o->item[i].text;
        int width = text ? 2 + th_utf8_width(name) + th_utf8_width(text) : 0;
        if (sh_interactive(s) && column + width > to.width)
            column = fprintf(to.out, "\n#          ") - 1;
        if (text)
            fprintf(to.out, " %s=%s", name, text);
        column += width;
    }
    fprintf(to.out, "\n");
}

static void show_training(FILE *out, const ThModelTraining *t)
{
    if (t->step == 0 && t->task)
        fprintf(out, "# training  none yet; parameters %s\n", t->task);
    else if (t->step == 0)
        fprintf(out, "# training  none yet; parameters drawn with seed %llu\n",
                (unsigned long long)t->seed);
    if (t->step == 0)
        return;
    fprintf(out, "# training  %lld steps on %s, lengths %d to %d%s%s, seed %llu\n", t->step,
            t->task ? t->task : "a task", t->trained_lo, t->trained_hi, t->optimizer ? ", " : "",
            t->optimizer ? t->optimizer : "", (unsigned long long)t->seed);
    if (t->made_on && strcmp(t->made_on, sh_blas_kernels()) != 0)
        fprintf(out, "# made by   kernels %s; here they are %s\n", t->made_on, sh_blas_kernels());
    if (t->n_history > 0) {
        const ThModelHistoryPoint *h = &t->history[t->n_history - 1];
        fprintf(out, "# at step   %lld: loss %.4g, accuracy %.4g\n", h->step, h->loss, h->accuracy);
    }
    const ThModelValidation *best = th_train_best(t, t->began);
    if (best)
        fprintf(out, "# validated the best at step %lld: accuracy %.4g, loss %.4g\n", best->step,
                best->accuracy, best->loss);
}

static void show_scores(FILE *out, const ThModel *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->n_scores; i++)
        sum += m->scores[i].accuracy;
    if (m->n_scores > 0)
        fprintf(out, "# evaluated on lengths %d to %d: mean accuracy %.6g\n", m->scores[0].least,
                m->scores[m->n_scores - 1].length, sum / (double)m->n_scores);
}

/* What a position costs, where positions are encoded. */
static void show_positions(FILE *out, const ThModel *m)
{
    ThInspectPositionCost c;
    if (!th_inspect_position_cost(m, &c))
        return;
    fprintf(out,
            "# positions  %s has %lld parameters; a position costs %lld multiply-adds for each "
            "symbol it sees",
            c.name, c.numbers, c.pair);
    if (c.window)
        fprintf(out, ", at most %lld in windows", c.window);
    if (c.kept)
        fprintf(out, ", and keeps %lld bytes to generate", c.kept);
    fprintf(out, "\n");
}

void sh_model_figures(ShSession *s, const ThModel *m)
{
    sh_result_flag(s, "bound", m->bound);
    if (!m->bound)
        return;
    sh_results(s, "parameters:i steps:i", (long long)th_params_count(&m->params),
               (long long)m->training.step);
}

/* Before any step the text says what the parameters were made from. */
const char *sh_trained_on(const ThModel *m)
{
    return m->training.step > 0 ? m->training.task : NULL;
}

void sh_about_model(ShSession *s, const ShObject *model, const ShObject *task)
{
    const ThModel *m = model->as.model;
    const char *trained = sh_trained_on(m) ? sh_trained_on(m) : "";
    sh_results(s, "model:s architecture:s task:s seed:i", sh_shown_name(model),
               model->made_by ? model->made_by : m->kind->name,
               !task           ? trained
               : task->made_by ? task->made_by
                               : task->name,
               (long long)m->training.seed);
    sh_result_about(s);
}

static void show_ablations(FILE *out, const ThModel *m)
{
    ThText t TH_OWNED(th_text_free) = {0};
    sh_write_ablations(&t, m);
    if (t.size > 0)
        fprintf(out, "# ablated   %s\n", t.data);
}

/* Of a model that quantize made. */
static void show_centres(FILE *out, const ThModel *m)
{
    int centres = th_params_find(&m->params, "centres");
    if (centres >= 0)
        fprintf(out, "# snapped   every level's vectors to the nearest of %d centres\n",
                m->params.item[centres].rows);
}

bool sh_show_model(ShSession *s, const ShObject *o, ThError *err TH_UNUSED)
{
    const ThModel *m = o->as.model;
    FILE *out = sh_listing(s);
    fprintf(out, "model %s = %s\n", o->name, o->made_by ? o->made_by : m->kind->name);
    fprintf(out, "# %s\n# %s\n", m->kind->summary, m->kind->source);
    show_options(s, &m->options);
    sh_model_figures(s, m);
    if (!m->bound) {
        fprintf(out, "# alphabet, classes and parameters come with the first task\n");
        return true;
    }
    sh_list_names(out, "symbols", m->signature.symbol, m->signature.n_symbols);
    sh_list_names(out, "classes", m->signature.label, m->signature.n_classes);
    fprintf(out, "# answers   %s\n", sh_target_name(m->signature.target));
    show_training(out, &m->training);
    show_centres(out, m);
    show_scores(out, m);
    fprintf(out, "# numbers   %zu parameters\n", th_params_count(&m->params));
    show_positions(out, m);
    show_ablations(out, m);
    show_parameters(s, &m->params);
    return true;
}

/* ---- run ------------------------------------------------------------------------------------- */

int *sh_model_input(const ThModel *m, const ShOperand *o, int *length, ThError *err)
{
    if (!m->bound)
        return th_null(
            sh_fail_operand(err, o, TH_EVALUE, "the model has no alphabet before it is trained"));
    const ThSignature *sig = &m->signature;
    int *token = th_symbols_read(sig->symbol, sig->n_symbols, o->text, length, err);
    if (!token) {
        sh_error_inside(err, o);
    } else if (*length == 0) {
        free(token);
        return th_null(sh_fail_operand(err, o, TH_EVALUE, "a model reads at least one symbol"));
    }
    return token;
}

/* A word that was run: its outputs as probabilities, and the answers they stand for. */
typedef struct {
    const ThSignature *sig;
    const char *input;
    int *token, *answer;
    double *p;
    int length, rows;
    int truth; /* the right class, or -1 */
} Prediction;

static void free_prediction(Prediction *r)
{
    TH_FREE(r->token, r->answer, r->p);
}

/* The probability that the model gives to its answer in one row. */
static double confidence(const Prediction *r, int row)
{
    int n = r->sig->n_classes;
    const double *p = r->p + (size_t)row * (size_t)n;
    if (r->sig->target != TH_TARGET_BITS)
        return p[r->answer[row]];
    double all = 1;
    for (int c = 0; c < n; c++)
        all *= fmax(p[c], 1 - p[c]);
    return all;
}

static bool predict(const ThModel *m, const ShOperand *o, Prediction *r, ThError *err)
{
    r->sig = &m->signature;
    r->input = o->text;
    r->token = sh_model_input(m, o, &r->length, err);
    if (!r->token)
        return false;
    r->truth = th_task_truth(r->sig, (ThTaskWord){r->token, r->length});
    r->rows = r->sig->target == TH_TARGET_FINAL ? 1 : r->length;
    size_t n = (size_t)r->sig->n_classes, all = (size_t)r->rows * n;
    r->p = th_alloc(all, sizeof *r->p, err);
    r->answer = th_alloc(all, sizeof *r->answer, err);
    if (!r->p || !r->answer || !th_lab_predict(m, r->token, r->length, r->answer, err) ||
        !th_lab_logits(m, r->token, r->length, r->p, err))
        return sh_error_inside(err, o);
    for (int i = 0; i < r->rows; i++)
        th_lab_probabilities(r->sig->target, r->p + (size_t)i * n, r->sig->n_classes);
    return true;
}

/* Whether the right class of some input is known. */
static bool any_truth(const ShCall *call)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    bool any = false;
    for (int i = 1; !any && i < call->n; i++) {
        ThError err = {0};
        int n, *token TH_OWNED(free) =
                   th_symbols_read(g->symbol, g->n_symbols, call->operand[i].text, &n, &err);
        any = token && th_task_truth(g, (ThTaskWord){token, n}) >= 0;
    }
    return any;
}

/* told: the table has a column for what is right. */
static bool add_prediction(ShSession *s, const Prediction *r, bool told, ThError *err)
{
    bool bits = r->sig->target == TH_TARGET_BITS;
    for (int i = 0; i < r->rows; i++) {
        char *answer TH_OWNED(free) =
            sh_answers_text(r->sig, r->answer + i * (bits ? r->sig->n_classes : 1), 1, err);
        if (!answer)
            return false;
        const double *p = r->p + (size_t)i * (size_t)r->sig->n_classes;
        const char *truth = r->truth < 0 ? "" : r->sig->label[r->truth];
        if (told)
            sh_row(s, r->input, answer, truth, confidence(r, i), p);
        else if (r->sig->target == TH_TARGET_FINAL)
            sh_row(s, r->input, answer, confidence(r, i), p);
        else
            sh_row(s, r->input, (long long)i, r->sig->symbol[r->token[i]], answer, confidence(r, i),
                   p);
    }
    return true;
}

/* Of one string with one answer: all classes, which people cannot see in its row. */
static void say_classes(ShSession *s, const Prediction *r)
{
    sh_say(s, "\n");
    sh_table(s, "classes", "class:s probability:r");
    for (int c = 0; c < r->sig->n_classes; c++)
        sh_row(s, r->sig->label[c], r->p[c]);
    sh_table_end(s);
}

static bool set_output(ShSession *s, const Prediction *r, ThError *err)
{
    char *output TH_OWNED(free) = sh_answers_text(r->sig, r->answer, r->length, err);
    if (!output)
        return false;
    sh_result_text(s, "output", output);
    if (r->truth >= 0)
        sh_result_text(s, "truth", r->sig->label[r->truth]);
    return true;
}

bool sh_run_model(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    bool final = m->signature.target == TH_TARGET_FINAL, ok = true;
    bool told = m->bound && any_truth(call);
    sh_about_model(s, call->operand[0].object, NULL);
    sh_table(s, "predictions",
             told    ? "input:s output:s truth:s probability:r p:v"
             : final ? "input:s output:s probability:r p:v"
                     : "input:s position:i symbol:s output:s probability:r p:v");
    sh_table_parts(s, (const char *const *)m->signature.label, m->signature.n_classes);
    Prediction r = {.truth = -1};
    for (int i = 1; ok && i < call->n; i++) {
        free_prediction(&r);
        r = (Prediction){.truth = -1};
        ok = predict(m, &call->operand[i], &r, err) && add_prediction(s, &r, told, err);
    }
    if (ok) {
        sh_table_end(s);
        if (final && call->n == 2 && sh_out(s))
            say_classes(s, &r);
        ok = set_output(s, &r, err);
    }
    free_prediction(&r);
    return ok;
}

/* ---- trace ----------------------------------------------------------------------------------- */

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* The keys with the greatest weights, at most three, as `position:weight`. */
static void list_keys(ThText *t, const ThModelTraceLayer *l, int row)
{
    enum { MOST = 3 };
    double bound = HUGE_VAL;
    int last = -1;
    for (int n = 0; l->weight && n < MOST; n++) {
        int best = -1;
        for (int k = 0; k < l->n_keys; k++) {
            double w = th_path_mean_weight(l, row, k);
            bool taken = w > bound || (w == bound && k <= last);
            if (l->key[row * l->n_keys + k] == TH_MODEL_KEY_MASKED || taken)
                continue;
            if (best < 0 || w > th_path_mean_weight(l, row, best))
                best = k;
        }
        if (best < 0)
            return;
        last = best;
        bound = th_path_mean_weight(l, row, best);
        int key = l->key[row * l->n_keys + best];
        th_text_add(t, n ? " " : "");
        if (key == TH_MODEL_KEY_PAD)
            th_text_printf(t, "pad:%.2f", bound);
        else
            th_text_printf(t, "%d:%.2f", key, bound);
    }
}

static bool add_trace_row(ShSession *s, const ThModel *m, const int *token, int layer,
                          const ThModelTraceLayer *l, int row, ThError *err)
{
    ThText keys = {0};
    int first = l->first[row], last = l->last[row];
    list_keys(&keys, l, row);
    char *text TH_OWNED(free) = th_symbols_text(m->signature.symbol, m->signature.n_symbols,
                                                token + first, last - first + 1, err),
               *reads TH_OWNED(free) = th_text_take(&keys, err);
    if (text && reads)
        sh_row(s, (long long)layer + 1, (long long)first, (long long)last, text,
               norm(l->state + (size_t)row * (size_t)l->dim, l->dim), reads);
    return text && reads;
}

/* What the model answers after every prefix, its last answer where there is one a position. */
static bool trace_prefixes(ShSession *s, const ThModel *m, const int *token, int length,
                           ThError *err)
{
    const ThSignature *sig = &m->signature;
    size_t n = (size_t)sig->n_classes, rows = sig->target == TH_TARGET_FINAL ? 1 : (size_t)length;
    int *answer TH_OWNED(free) = th_alloc(rows * n, sizeof *answer, err);
    bool ok = answer != NULL;
    sh_table(s, "prefixes", "length:i symbol:s output:s");
    for (int k = 1; ok && k <= length; k++) {
        size_t at = sig->target == TH_TARGET_FINAL ? 0 : (size_t)(k - 1);
        ok = !th_stopped(sh_stop(s), err) && th_lab_predict(m, token, k, answer, err);
        if (!ok)
            break;
        char *output TH_OWNED(free) =
            sh_answers_text(sig, answer + at * (sig->target == TH_TARGET_BITS ? n : 1), 1, err);
        ok = output != NULL;
        if (ok)
            sh_row(s, (long long)k, sig->symbol[token[k - 1]], output);
        if (ok && k == length)
            sh_result_text(s, "output", output);
    }
    if (ok)
        sh_table_end(s);
    return ok;
}

static bool trace_layers(ShSession *s, const ThModel *m, const int *token, int length, ThError *err)
{
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = th_model_trace(m, token, length, err);
    bool ok = trace != NULL;
    int n = ok ? trace->n_layers : 0;
    if (ok && n > 0)
        sh_say(s, "\n");
    sh_table(s, "layers", "layer:i first:i last:i reads:s norm:r attends:s");
    for (int i = 0; i < n; i++)
        for (int row = 0; ok && row < trace->layer[i].n_rows; row++)
            ok = add_trace_row(s, m, token, i, &trace->layer[i], row, err);
    if (ok)
        sh_table_end(s);
    return ok;
}

bool sh_trace_model(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    int length = 0;
    int *token TH_OWNED(free) = sh_model_input(m, &call->operand[1], &length, err);
    sh_about_model(s, call->operand[0].object, NULL);
    bool ok =
        token && trace_prefixes(s, m, token, length, err) && trace_layers(s, m, token, length, err);
    return ok;
}
