#include "plot/flow.h"

#include <math.h>

#include "plot/flow_impl.h"
#include "rasp/graph/describe.h"

enum { MOST_NODES = 3000, MOST_CELLS = 120000, LABEL_BYTES = 36, VALUE_WIDTH = 6 };

/* ---- what is shown --------------------------------------------------------------------------- */

static bool is_elementwise(ThRaspNodeKind k)
{
    return k >= TH_RASP_NODE_UNARY && k <= TH_RASP_NODE_TUPLE;
}

/* Marks what is left out: constants, and unnamed results that only one element-wise s-op uses. */
static void choose(ThPlotFlow *p, ThRaspSop result, uint32_t *uses, uint8_t *by_element)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        ThRaspSop node = p->node[i];
        const ThRaspNodeInfo *info = th_rasp_node(p->g, node);
        for (size_t j = 0; j < info->n_args; j++) {
            ThRaspSop arg = th_rasp_arg(p->g, node, j);
            uses[arg]++;
            by_element[arg] = is_elementwise(info->kind);
        }
    }
    for (size_t i = 0; i < p->n_nodes; i++) {
        ThRaspSop node = p->node[i];
        const ThRaspNodeInfo *info = th_rasp_node(p->g, node);
        bool minor = is_elementwise(info->kind) && !th_rasp_name_of(p->g, node) &&
                     uses[node] == 1 && by_element[node];
        p->shown[node] =
            node == result || (info->kind != TH_RASP_NODE_CONSTANT && !info->selector && !minor);
    }
}

/* Inputs go by what they are, whatever the program calls them. */
static bool name_inputs(ThPlotFlow *p, ThError *err)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(p->g, p->node[i]);
        ThText t = {0};
        if (info->kind != TH_RASP_NODE_TOKENS && info->kind != TH_RASP_NODE_INDICES)
            continue;
        th_rasp_describe(p->g, p->node[i], NULL, LABEL_BYTES, &t);
        p->label[p->node[i]] = th_text_take(&t, err);
        if (!p->label[p->node[i]])
            return false;
    }
    return true;
}

/* A shown node goes by its name, or by a number where it has none or shares it. */
static bool name_nodes(ThPlotFlow *p, ThError *err)
{
    int number = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_nodes; i++) {
        ThRaspSop node = p->node[i];
        if (!p->shown[node] || p->label[node])
            continue;
        const char *name = th_rasp_name_of(p->g, node);
        bool taken = false;
        for (size_t j = 0; name && j < i; j++) {
            const char *other = p->shown[p->node[j]] ? th_rasp_name_of(p->g, p->node[j]) : NULL;
            taken = taken || (other && strcmp(other, name) == 0);
        }
        ThText t = {0};
        if (name && strlen(name) <= LABEL_BYTES)
            th_text_add(&t, name);
        if (taken || !t.size)
            th_text_printf(&t, "#%d", ++number);
        p->label[node] = th_text_take(&t, err);
        ok = p->label[node] != NULL;
    }
    return ok;
}

static bool is_new(const ThPlotFlow *p, size_t first, ThRaspSop node)
{
    for (size_t i = first; i < p->n_sides; i++)
        if (p->side[i] == node)
            return false;
    return true;
}

static bool add_side(ThPlotFlow *p, size_t first, ThRaspSop node, ThError *err)
{
    if (th_rasp_node(p->g, node)->kind == TH_RASP_NODE_CONSTANT || !is_new(p, first, node))
        return true;
    return TH_APPEND(p->side, p->n_sides, p->side_cap, err, node);
}

/* Appends the keys (argument 0) or queries (argument 1) of a selector's parts, each once. */
static bool add_sides(ThPlotFlow *p, ThRaspSop selector, int which, ThError *err)
{
    size_t first = p->n_sides, n;
    ThRaspSop *part TH_OWNED(free) = th_rasp_ancestors(p->g, selector, &n, err);
    bool ok = part != NULL;
    for (size_t i = n; ok && i-- > 0;) {
        ThRaspNodeKind kind = th_rasp_node(p->g, part[i])->kind;
        bool inside = part[i] == selector;
        for (size_t j = i + 1; j < n && !inside; j++) { /* part of the selector itself? */
            const ThRaspNodeInfo *outer = th_rasp_node(p->g, part[j]);
            for (size_t a = 0; outer->selector && p->mark[part[j]] && a < outer->n_args; a++)
                inside = inside || th_rasp_arg(p->g, part[j], a) == part[i];
        }
        p->mark[part[i]] = inside;
        if (inside && (kind == TH_RASP_NODE_SELECT || kind == TH_RASP_NODE_MATCH))
            ok = add_side(p, first, th_rasp_arg(p->g, part[i], (size_t)which), err);
    }
    for (size_t i = 0; part && i < n; i++)
        p->mark[part[i]] = 0;
    return ok;
}

static ThPlotFlowHead *find_head(ThPlotFlow *p, ThRaspSop selector, int layer)
{
    for (size_t i = 0; i < p->n_heads; i++)
        if (p->head[i].selector == selector && p->head[i].layer == layer)
            return &p->head[i];
    return NULL;
}

static bool add_head(ThPlotFlow *p, ThRaspSop selector, int layer, ThError *err)
{
    ThPlotFlowHead h = {.selector = selector, .layer = layer};
    if (!th_grow(&p->head, &p->head_cap, p->n_heads + 1, sizeof *p->head, err))
        return false;
    h.key = p->n_sides;
    if (!add_sides(p, selector, 0, err))
        return false;
    h.query = p->n_sides;
    if (!add_sides(p, selector, 1, err))
        return false;
    h.use = p->n_sides;
    for (size_t i = 0; i < p->n_nodes; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(p->g, p->node[i]);
        if ((info->kind == TH_RASP_NODE_AGGREGATE || info->kind == TH_RASP_NODE_WIDTH) &&
            (int)info->depth == layer && th_rasp_arg(p->g, p->node[i], 0) == selector &&
            !add_side(p, h.use, p->node[i], err))
            return false;
    }
    h.end = p->n_sides;
    p->head[p->n_heads++] = h;
    return true;
}

static bool find_heads(ThPlotFlow *p, ThError *err)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(p->g, p->node[i]);
        if (info->kind != TH_RASP_NODE_AGGREGATE && info->kind != TH_RASP_NODE_WIDTH)
            continue;
        ThRaspSop selector = th_rasp_arg(p->g, p->node[i], 0);
        int layer = (int)info->depth;
        if (!find_head(p, selector, layer) && !add_head(p, selector, layer, err))
            return false;
    }
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The text of an element, cut to the width of a cell. */
static void write_value(const ThPlotFlow *p, const ThRaspSeq *s, size_t i, ThText *t)
{
    t->size = 0;
    th_rasp_write_element(p->r, th_rasp_seq_at(s, i), t);
    if (t->failed || !t->data || th_utf8_width(t->data) <= VALUE_WIDTH)
        return;
    size_t at = 0;
    for (int k = 0; k < VALUE_WIDTH - 1; k++)
        at += th_utf8_next(t->data + at, t->size - at, NULL);
    t->size = at;
    t->data[at] = '\0';
    th_text_add(t, "…");
}

/* Evaluates what is shown, so that nothing can fail later; the widest value makes the cells. */
static bool evaluate(ThPlotFlow *p, ThError *err)
{
    int widest = 1;
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < p->n_nodes; i++) {
        bool side = false;
        for (size_t j = 0; j < p->n_sides && !side; j++)
            side = p->side[j] == p->node[i];
        if (!p->shown[p->node[i]] && !side)
            continue;
        const ThRaspSeq *s = th_rasp_run_value(p->run, p->node[i], p->stop, err);
        if (!s)
            return false;
        for (size_t k = 0; k < p->n; k++) {
            write_value(p, s, k, &t);
            int width = t.data ? th_utf8_width(t.data) : 0;
            widest = width > widest ? width : widest;
        }
    }
    p->cell = fmax(0.24, 0.085 * widest + 0.09);
    return !t.failed || th_fail(err, TH_ENOMEM, "out of memory");
}

const char *th_plot_flow_value(const ThPlotFlow *p, const ThRaspSeq *s, size_t i, ThText *t)
{
    write_value(p, s, i, t);
    return th_text_string(t);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void free_flow(ThPlotFlow *p, ThRaspSop last)
{
    TH_FREE_EACH(p->label, last + 1);
    TH_FREE(p->shown, p->mark, p->node, p->side, p->head, p->layer);
}

static bool fits(const ThPlotFlow *p, ThError *err)
{
    if (p->n > TH_PLOT_FLOW_INPUT)
        return th_fail(err, TH_ELIMIT, "an input of %zu elements is too long for a picture",
                       p->n) ||
               th_hint(err, "%d elements fit", TH_PLOT_FLOW_INPUT);
    if (p->n_nodes > MOST_NODES || (p->n_heads + 1) * p->n * p->n > MOST_CELLS)
        return th_fail(err, TH_ELIMIT, "%zu s-ops in %zu heads are too many for a picture",
                       p->n_nodes, p->n_heads);
    return true;
}

static bool begin(ThPlotFlow *p, ThRaspSop last, ThError *err)
{
    p->g = th_rasp_graph(p->r);
    p->n = th_rasp_run_input(p->run)->n;
    p->label = th_alloc((size_t)last + 1, sizeof *p->label, err);
    p->shown = th_alloc((size_t)last + 1, 1, err);
    p->mark = th_alloc((size_t)last + 1, 1, err);
    p->node = th_rasp_ancestors(p->g, last, &p->n_nodes, err);
    return p->label && p->shown && p->mark && p->node && fits(p, err) && name_inputs(p, err);
}

static bool prepare(ThPlotFlow *p, ThRaspSop sop, ThError *err)
{
    uint32_t *uses TH_OWNED(free) = th_alloc((size_t)sop + 1, sizeof *uses, err);
    uint8_t *by_element TH_OWNED(free) = th_alloc((size_t)sop + 1, 1, err);
    bool ok = uses && by_element;
    if (ok)
        choose(p, sop, uses, by_element);
    return ok && name_nodes(p, err) && find_heads(p, err) && fits(p, err) && evaluate(p, err);
}

bool th_plot_flow(ThFigure *f, const char *title, ThRasp *r, ThRaspRun *run, ThRaspSop sop,
                  ThStop *stop, ThError *err)
{
    ThPlotFlow p = {.f = f, .r = r, .run = run, .stop = stop};
    bool ok =
        begin(&p, sop, err) && prepare(&p, sop, err) && th_plot_flow_draw(&p, title, sop, err);
    free_flow(&p, sop);
    return ok;
}

bool th_plot_selector(ThFigure *f, const char *title, ThRasp *r, ThRaspRun *run, ThRaspSop selector,
                      ThStop *stop, ThError *err)
{
    ThPlotFlow p = {.f = f, .r = r, .run = run, .stop = stop};
    bool ok = begin(&p, selector, err) && add_head(&p, selector, -1, err) && evaluate(&p, err) &&
              th_plot_flow_draw_head(&p, title, err);
    free_flow(&p, selector);
    return ok;
}
