/* rasp.c - what names of RASP do under show, run, trace and save. */
#include "rasp.h"

#include "formats.h"
#include "object_kinds.h"

/* ---- show ------------------------------------------------------------------------------------ */

static bool show_source(ShSession *s, const ShObject *o, const ThRaspValue *v)
{
    size_t n = 0;
    const char *source = th_rasp_function_source(v, &n);
    sh_result_text(s, "kind", "function");
    if (!source)
        return false;
    bool lambda = n >= 6 && strncmp(source, "lambda", 6) == 0;
    FILE *out = sh_listing(s);
    if (lambda)
        fprintf(out, "%s = ", o->name);
    fwrite(source, 1, n, out);
    fputs(lambda ? ";\n" : "\n", out);
    return true;
}

bool sh_show_rasp(ShSession *s, const ShObject *o, ThError *err)
{
    ThRaspValue v = {0};
    ThText t TH_OWNED(th_text_free) = {0};
    if (!sh_rasp_value_of(s, o, &v, err))
        return false;
    if (v.kind == TH_RASP_VALUE_FUNCTION && show_source(s, o, &v))
        return true;
    ThRaspShown shown = {TH_RASP_SHOWN_RESULT, sh_shown_name(o), v};
    bool ok = th_rasp_is_node(&v) ? th_rasp_write_definition(s->rasp, sh_shown_name(o), &v, &t, err)
                                  : th_rasp_write(s->rasp, &shown, &t, sh_stop(s), err);
    if (ok) {
        fputs(th_text_string(&t), sh_listing(s));
        sh_rasp_figures(s, &v);
    }
    return ok;
}

ShSize sh_rasp_size(ShSession *s, const ShObject *o)
{
    ThRaspValue v = {0};
    if (!sh_rasp_value_of(s, o, &v, NULL))
        return (ShSize){0};
    if (th_rasp_is_node(&v)) {
        size_t n = 0;
        const ThRaspGraph *g = th_rasp_graph(s->rasp);
        free(th_rasp_ancestors(g, v.as.sop, &n, NULL));
        return (ShSize){NULL,
                        {{"layers", th_rasp_node(g, v.as.sop)->depth}, {"nodes", (long long)n}}};
    }
    if (v.kind == TH_RASP_VALUE_FUNCTION)
        return (ShSize){.of = "function of RASP"};
    if (v.kind == TH_RASP_VALUE_LIST || v.kind == TH_RASP_VALUE_DICT || th_rasp_sequence(&v))
        return (ShSize){th_rasp_kind_name(&v), {{"elements", (long long)th_rasp_length(&v)}}};
    return (ShSize){.of = th_rasp_kind_name(&v)};
}

/* ---- run ------------------------------------------------------------------------------------- */

static bool runs(const ShOperand *o, ThError *err)
{
    if (o->object->kind == SH_S_OP || o->object->kind == SH_SELECTOR)
        return true;
    return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is %s, and does not run", o->text,
                           sh_a_kind(o->object->kind)) ||
           th_hint(err, "show %s shows it", o->text);
}

/* What the inputs of one command give. */
typedef struct {
    ShSession *s;
    ThRaspSop node;
    bool selector, table; /* table: a row each, not what people read */
    ShRaspTokens as;
} Runs;

static bool answer_selector(const Runs *x, ThRaspRun *run, const char *input, ThText *t,
                            ThError *err)
{
    size_t n = th_rasp_run_input(run)->n;
    uint8_t *cell TH_OWNED(free) = th_rasp_run_grid(run, x->node, sh_stop(x->s), err);
    if (cell && x->table) {
        sh_rasp_write_cells(cell, n, t);
        sh_row(x->s, input, th_text_string(t), "selector", (long long)n);
    }
    bool ok =
        cell && (x->table || th_rasp_write_grid(x->s->rasp, run, x->node, t, sh_stop(x->s), err));
    if (ok)
        sh_rasp_grid_figures(x->s, cell, n);
    return ok;
}

static bool answer_sop(const Runs *x, ThRaspRun *run, const char *input, ThText *t, ThError *err)
{
    const ThRaspSeq *q = th_rasp_run_value(run, x->node, sh_stop(x->s), err);
    if (q && x->table) {
        th_rasp_write_elements(x->s->rasp, q, t);
        sh_row(x->s, input, th_text_string(t), th_rasp_atom_kind_plural(q->kind), (long long)q->n);
    } else if (q) {
        th_rasp_write_sequence(x->s->rasp, q, t);
        th_text_add(t, "\n");
    }
    if (q)
        sh_rasp_sequence_figures(x->s, q, !x->table);
    return q != NULL;
}

static bool run_one(const Runs *x, const ShOperand *input, ThError *err)
{
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = sh_rasp_run_on(x->s->rasp, input->text, x->as, err);
    ThText t TH_OWNED(th_text_free) = {0};
    FILE *out = sh_out(x->s);
    bool ok = run && (x->selector ? answer_selector(x, run, input->text, &t, err)
                                  : answer_sop(x, run, input->text, &t, err));
    if (ok && out)
        fputs(th_text_string(&t), out);
    return ok || sh_error_inside(err, input);
}

bool sh_run_rasp(ShSession *s, const ShCall *call, ThError *err)
{
    ThRaspValue v = {0};
    const ShOperand *o = &call->operand[0];
    if (!runs(o, err) || !sh_rasp_value_of(s, o->object, &v, err))
        return false;
    Runs x = {.s = s,
              .node = v.as.sop,
              .selector = v.kind == TH_RASP_VALUE_SELECTOR,
              .table = !sh_out(s) && call->n > 2,
              .as = (ShRaspTokens)th_option_choice(&call->options, "tokens")};
    bool ok = true;
    if (x.table)
        sh_table(s, "runs", "input:s output:s type:s length:i");
    for (int i = 1; ok && i < call->n; i++)
        ok = run_one(&x, &call->operand[i], err);
    if (x.table)
        sh_table_end(s);
    return ok;
}

/* ---- trace ----------------------------------------------------------------------------------- */

typedef struct {
    ThRasp *rasp;
    ThRaspGraph *graph;
    const ThRaspSop *node; /* in the order in which they are shown */
    size_t n;
} Trace;

/* A node as later lines refer to it: by its name, its value where it is a constant, or its line. */
static void write_reference(const Trace *x, ThRaspSop node, ThText *t)
{
    const ThRaspNodeInfo *info = th_rasp_node(x->graph, node);
    const char *name = th_rasp_name_of(x->graph, node);
    size_t line = 0;
    while (line < x->n && x->node[line] != node)
        line++;
    if (info->kind == TH_RASP_NODE_CONSTANT) {
        ThRaspValue v = {TH_RASP_VALUE_ATOM, {.atom = info->atom}};
        th_rasp_write_value(x->rasp, &v, t);
    } else if (name) {
        th_text_add(t, name);
    } else {
        th_text_printf(t, "#%zu", line + 1);
    }
}

static void write_arguments(const Trace *x, ThRaspSop node, const char *between, ThText *t)
{
    size_t n = th_rasp_node(x->graph, node)->n_args;
    for (size_t i = 0; i < n; i++) {
        th_text_add(t, i ? between : "");
        write_reference(x, th_rasp_arg(x->graph, node, i), t);
    }
}

static void write_call(const Trace *x, ThRaspSop node, const char *name, const char *last,
                       ThText *t)
{
    th_text_printf(t, "%s(", name);
    write_arguments(x, node, ", ", t);
    th_text_printf(t, "%s%s)", *last ? ", " : "", last);
}

static void write_choice(const Trace *x, ThRaspSop node, ThText *t)
{
    write_reference(x, th_rasp_arg(x->graph, node, 1), t);
    th_text_add(t, " if ");
    write_reference(x, th_rasp_arg(x->graph, node, 0), t);
    th_text_add(t, " else ");
    write_reference(x, th_rasp_arg(x->graph, node, 2), t);
}

static void write_aggregate(const Trace *x, ThRaspSop node, ThText *t)
{
    static const char *const how[] = {"", "mean", "max", "min", "rightmost", "leftmost"};
    const ThRaspNodeInfo *info = th_rasp_node(x->graph, node);
    ThText last TH_OWNED(th_text_free) = {0};
    ThRaspValue v = {TH_RASP_VALUE_ATOM, {.atom = info->atom}};
    if (info->has_default || info->op != TH_RASP_REDUCE_MEAN)
        th_rasp_write_value(x->rasp, &v, &last);
    if (info->op != TH_RASP_REDUCE_MEAN)
        th_text_printf(&last, ", %s", how[info->op]);
    write_call(x, node, "aggregate", th_text_string(&last), t);
}

/* What a node does, in terms of the lines before it. */
static void write_operation(const Trace *x, ThRaspSop node, ThText *t)
{
    static const char *const tokens[] = {"tokens_asis", "tokens_str", "tokens_int", "tokens_float",
                                         "tokens_bool"};
    const ThRaspNodeInfo *info = th_rasp_node(x->graph, node);
    char between[16];
    snprintf(between, sizeof between, " %s ", th_rasp_binary_name((ThRaspBinary)info->op));
    if (info->kind == TH_RASP_NODE_TOKENS)
        th_text_add(t, tokens[info->op]);
    else if (info->kind == TH_RASP_NODE_INDICES)
        th_text_add(t, "indices");
    else if (info->kind == TH_RASP_NODE_CONSTANT)
        write_reference(x, node, t);
    else if (info->kind == TH_RASP_NODE_UNARY)
        write_call(x, node, th_rasp_unary_name((ThRaspUnary)info->op), "", t);
    else if (info->kind == TH_RASP_NODE_BINARY)
        write_arguments(x, node, between, t);
    else if (info->kind == TH_RASP_NODE_CHOICE)
        write_choice(x, node, t);
    else if (info->kind == TH_RASP_NODE_AGGREGATE)
        write_aggregate(x, node, t);
    else if (info->kind == TH_RASP_NODE_SELECT)
        write_call(x, node, info->causal ? "causal select" : "select",
                   th_rasp_binary_name((ThRaspBinary)info->op), t);
    else if (info->kind == TH_RASP_NODE_BOTH || info->kind == TH_RASP_NODE_EITHER)
        write_arguments(x, node, info->kind == TH_RASP_NODE_BOTH ? " and " : " or ", t);
    else
        write_call(x, node,
                   info->kind == TH_RASP_NODE_MEMBER   ? "in a list"
                   : info->kind == TH_RASP_NODE_LOOKUP ? "look up"
                   : info->kind == TH_RASP_NODE_MAP    ? "map"
                   : info->kind == TH_RASP_NODE_TUPLE  ? "tuple"
                   : info->kind == TH_RASP_NODE_WIDTH  ? "sel_width"
                   : info->kind == TH_RASP_NODE_MATCH  ? "select by a function"
                                                       : "not",
                   "", t);
}

/* The widest grid whose rows a trace shows in one cell of its table. */
enum { WIDEST = 32 };

static bool write_node_value(ShSession *s, ThRaspRun *run, ThRaspSop node, ThText *t, ThError *err)
{
    if (!th_rasp_is_selector(th_rasp_graph(s->rasp), node)) {
        const ThRaspSeq *q = th_rasp_run_value(run, node, sh_stop(s), err);
        if (q)
            th_rasp_write_sequence(s->rasp, q, t);
        return q != NULL;
    }
    size_t n = th_rasp_run_input(run)->n;
    if (n > WIDEST) {
        th_text_printf(t, "%zu x %zu cells", n, n);
        return true;
    }
    uint8_t *cell TH_OWNED(free) = th_rasp_run_grid(run, node, sh_stop(s), err);
    for (size_t i = 0; cell && i < n * n; i++)
        th_text_printf(t, "%s%s", i > 0 && i % n == 0 ? " " : "", cell[i] ? "1" : ".");
    return cell != NULL;
}

static bool trace_node(ShSession *s, const Trace *x, size_t i, ThRaspRun *run, ThError *err)
{
    ThText operation TH_OWNED(th_text_free) = {0}, value TH_OWNED(th_text_free) = {0};
    const char *name = th_rasp_name_of(x->graph, x->node[i]);
    write_operation(x, x->node[i], &operation);
    bool ok = write_node_value(s, run, x->node[i], &value, err);
    if (ok)
        sh_row(s, (long long)i + 1, (long long)th_rasp_node(x->graph, x->node[i])->depth,
               name ? name : "", th_text_string(&operation), th_text_string(&value));
    return ok;
}

/* Without the constants, which the others show. */
static size_t drop_constants(const ThRaspGraph *g, ThRaspSop *node, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (th_rasp_node(g, node[i])->kind != TH_RASP_NODE_CONSTANT || i + 1 == n)
            node[kept++] = node[i];
    return kept;
}

bool sh_trace_rasp(ShSession *s, const ShCall *call, ThError *err)
{
    ThRaspValue v = {0};
    const ShOperand *o = &call->operand[0];
    if (!runs(o, err) || !sh_rasp_value_of(s, o->object, &v, err))
        return false;
    ShRaspTokens as = (ShRaspTokens)th_option_choice(&call->options, "tokens");
    ThRaspRun *run TH_OWNED(th_rasp_run_free) =
        sh_rasp_run_on(s->rasp, call->operand[1].text, as, err);
    Trace x = {s->rasp, th_rasp_graph(s->rasp), NULL, 0};
    ThRaspSop *node TH_OWNED(free) = run ? th_rasp_ancestors(x.graph, v.as.sop, &x.n, err) : NULL;
    bool ok = node != NULL;
    if (ok) {
        x.n = drop_constants(x.graph, node, x.n);
        x.node = node;
        sh_table(s, "trace", "step:i layer:i name:s operation:s value:s");
        for (size_t i = 0; ok && i < x.n; i++)
            ok = trace_node(s, &x, i, run, err);
        sh_table_end(s);
    }
    if (ok && v.kind == TH_RASP_VALUE_SOP)
        sh_rasp_sequence_figures(s, th_rasp_run_value(run, v.as.sop, sh_stop(s), err), true);
    return ok || sh_error_inside(err, &call->operand[1]);
}

/* ---- save ------------------------------------------------------------------------------------ */

/* Does a task that a program answers mention a name, of RASP, which is not among the objects? */
static bool is_needed(const ShObject *o, ShObject *const *object, int n)
{
    bool needed = false;
    for (int i = 0; i < n; i++) {
        const ShObject *t = object[i];
        bool labelled = t->kind == SH_TASK && t->as.task->kind->takes_program && t->made_by;
        if (t == o)
            return false;
        needed = needed || (labelled && sh_mentions(t->made_by, o->name));
    }
    return needed && sh_is_rasp(o->kind);
}

bool sh_rasp_write_objects(ShSession *s, ThText *t, ShObject *const *object, int n, ThError *err)
{
    const char **name TH_OWNED(free) = th_alloc((size_t)n + s->n, sizeof *name, err);
    size_t k = 0;
    for (int i = 0; name && i < n; i++)
        if (sh_is_rasp(object[i]->kind))
            name[k++] = object[i]->name;
    for (size_t i = 0; name && i < s->n; i++)
        if (is_needed(s->object[i], object, n))
            name[k++] = s->object[i]->name;
    return name && (k == 0 || th_rasp_save(s->rasp, name, k, t, err));
}
