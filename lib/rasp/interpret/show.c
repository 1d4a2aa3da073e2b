/* show.c - values as the authors' interpreter prints them. */
#include <math.h>
#include <stdio.h>

#include "rasp/interpret/interp.h"

enum {
    MOST_SHOWN = 10000, /* elements of a list or sequence */
    MOST_BYTES =
        1 << 20,      /* of a value: lists in lists soon have more elements than anybody reads */
    WIDEST_GRID = 256 /* positions of a grid */
};

/* ---- elements -------------------------------------------------------------------------------- */

/* Rounded to three decimals, with as few of them as say the same. */
static void write_rounded(const ThRasp *r, double x, ThText *t)
{
    char digits[64];
    if (fabs(x) >= 1e15) {
        th_rasp_atom_write(&r->atoms, th_rasp_float(x), t);
        return;
    }
    int n = snprintf(digits, sizeof digits, "%.3f", x);
    while (n > 1 && digits[n - 1] == '0' && digits[n - 2] != '.')
        n--;
    th_text_add_bytes(t, digits, (size_t)n);
}

void th_rasp_write_element(const ThRasp *r, ThRaspAtom a, ThText *t)
{
    if (a.kind == TH_RASP_ATOM_BOOL)
        th_text_add(t, a.cell.i ? "T" : "F");
    else if (a.kind == TH_RASP_ATOM_FLOAT)
        write_rounded(r, a.cell.x, t);
    else
        th_rasp_atom_write(&r->atoms, a, t);
}

static void write_between(const ThRasp *r, const ThRaspSeq *s, const char *between, ThText *t)
{
    size_t i = 0, end = t->size + MOST_BYTES;
    for (; i < s->n && i < MOST_SHOWN && t->size < end; i++) {
        if (i > 0)
            th_text_add(t, between);
        th_rasp_write_element(r, th_rasp_seq_at(s, i), t);
    }
    if (i < s->n)
        th_text_printf(t, "%s… and %zu more", between, s->n - i);
}

void th_rasp_write_elements(const ThRasp *r, const ThRaspSeq *s, ThText *t)
{
    write_between(r, s, " ", t);
}

void th_rasp_write_sequence(const ThRasp *r, const ThRaspSeq *s, ThText *t)
{
    th_text_add(t, "[");
    if (s->n > 1 && th_rasp_seq_uniform(&r->atoms, s)) {
        th_rasp_write_element(r, th_rasp_seq_at(s, 0), t);
        th_text_printf(t, "]*%zu", s->n);
    } else {
        write_between(r, s, ", ", t);
        th_text_add(t, "]");
    }
    th_text_printf(t, " (%s)", th_rasp_atom_kind_plural(s->kind));
}

/* ---- values ---------------------------------------------------------------------------------- */

static void write_string(const ThRasp *r, ThRaspAtom a, char quote, ThText *t)
{
    size_t n = 0;
    const char *s = th_rasp_string_at(&r->atoms, a, &n), mark[2] = {quote, '\0'};
    th_text_add(t, mark);
    th_text_add_bytes(t, s, n);
    th_text_add(t, mark);
}

static const char *node_name(const ThRasp *r, const ThRaspValue *v)
{
    const char *name = th_rasp_name_of(r->graph, v->as.sop);
    return name ? name : v->kind == TH_RASP_VALUE_SOP ? "s-op" : "selector";
}

/* Inside lists strings have single quotes, as the authors' interpreter shows them.  Elements are
 * left out where the text has `end` bytes. */
static void write_nested(const ThRasp *r, const ThRaspValue *v, size_t end, ThText *t);

static void write_list(const ThRasp *r, const ThRaspValue *v, size_t end, ThText *t)
{
    size_t n = th_rasp_length(v), i = 0;
    th_text_add(t, "[");
    for (; i < n && i < MOST_SHOWN && t->size < end; i++) {
        ThRaspValue e = th_rasp_element(v, i);
        th_text_add(t, i ? ", " : "");
        write_nested(r, &e, end, t);
    }
    if (i < n)
        th_text_printf(t, ", … and %zu more", n - i);
    th_text_add(t, "]");
}

static void write_dict(const ThRasp *r, const ThRaspDict *d, size_t end, ThText *t)
{
    size_t i = 0;
    th_text_add(t, "{");
    for (; i < d->n && i < MOST_SHOWN && t->size < end; i++) {
        ThRaspValue key = th_rasp_atom_value(d->key[i]);
        th_text_add(t, i ? ", " : "");
        write_nested(r, &key, end, t);
        th_text_add(t, ": ");
        write_nested(r, &d->value[i], end, t);
    }
    if (i < d->n)
        th_text_printf(t, ", … and %zu more", d->n - i);
    th_text_add(t, "}");
}

static void write_nested(const ThRasp *r, const ThRaspValue *v, size_t end, ThText *t)
{
    if (th_rasp_is_list(v))
        write_list(r, v, end, t);
    else if (v->kind == TH_RASP_VALUE_DICT)
        write_dict(r, (const ThRaspDict *)v->as.object, end, t);
    else if (v->kind == TH_RASP_VALUE_ATOM && v->as.atom.kind == TH_RASP_ATOM_STRING)
        write_string(r, v->as.atom, '\'', t);
    else if (v->kind == TH_RASP_VALUE_ATOM)
        th_rasp_atom_write(&r->atoms, v->as.atom, t);
    else if (v->kind == TH_RASP_VALUE_FUNCTION)
        th_text_add(t, ((const ThRaspFunction *)v->as.object)->name);
    else if (v->kind == TH_RASP_VALUE_GRID)
        th_text_add(t, "grid");
    else
        th_text_add(t, node_name(r, v));
}

void th_rasp_write_value(const ThRasp *r, const ThRaspValue *v, ThText *t)
{
    if (v->kind == TH_RASP_VALUE_ATOM && v->as.atom.kind == TH_RASP_ATOM_STRING)
        write_string(r, v->as.atom, '"', t);
    else
        write_nested(r, v, t->size + MOST_BYTES, t);
}

/* ---- sequences in columns, and grids --------------------------------------------------------- */

static void pad(ThText *t, int width)
{
    for (; width > 0; width--)
        th_text_add(t, " ");
}

/* New: an element as text; "" for the commoner of two bools, where `only` says which is shown. */
static char *cell_text(const ThRasp *r, ThRaspAtom a, int only)
{
    ThText t = {0};
    if (only < 0 || a.cell.i == only)
        th_rasp_write_element(r, a, &t);
    return th_text_take(&t, NULL);
}

static int rarer(const ThRaspSeq *s)
{
    size_t yes = 0;
    for (size_t i = 0; i < s->n; i++)
        yes += th_rasp_seq_at(s, i).cell.i != 0;
    return yes * 2 <= s->n;
}

/* Input above output, element under element. */
static void write_columns(const ThRasp *r, const ThRaspSeq *in, const ThRaspSeq *out, ThText *t)
{
    ThText below TH_OWNED(th_text_free) = {0};
    int only = out->kind == TH_RASP_ATOM_BOOL ? rarer(out) : -1;
    th_text_add(t, "\n\t\t");
    th_text_add(&below, "\t\t");
    for (size_t i = 0; i < out->n && i < MOST_SHOWN; i++) {
        char *a TH_OWNED(free) = cell_text(r, th_rasp_seq_at(in, i), -1),
                *b TH_OWNED(free) = cell_text(r, th_rasp_seq_at(out, i), only);
        int wa = a ? th_utf8_width(a) : 0, wb = b ? th_utf8_width(b) : 0;
        int width = wa > wb ? wa : wb;
        th_text_printf(t, " %s", a ? a : "");
        pad(t, width - wa);
        th_text_printf(&below, " %s", b ? b : "");
        pad(&below, width - wb);
    }
    th_text_printf(t, " (%s)\n%s (%s)", th_rasp_atom_kind_plural(in->kind), th_text_string(&below),
                   th_rasp_atom_kind_plural(out->kind));
}

static void write_cells(const ThRasp *r, const ThRaspSeq *in, const uint8_t *cell, ThText *t)
{
    size_t n = in->n;
    int *width TH_OWNED(free) = th_alloc(n, sizeof *width, NULL), widest = 1;
    for (size_t j = 0; width && j < n; j++) {
        char *a TH_OWNED(free) = cell_text(r, th_rasp_seq_at(in, j), -1);
        width[j] = a && th_utf8_width(a) > 1 ? th_utf8_width(a) : 1;
        widest = width[j] > widest ? width[j] : widest;
    }
    for (size_t i = 0; width && i <= n; i++) { /* row 0 is the header */
        th_text_add(t, " \t\t\t ");
        pad(t, i == 0 ? widest + 3 : widest - width[i - 1]);
        if (i > 0) {
            th_rasp_write_element(r, th_rasp_seq_at(in, i - 1), t);
            th_text_add(t, " | ");
        }
        for (size_t j = 0; j < n; j++) {
            th_text_add(t, j ? " " : "");
            if (i == 0)
                th_rasp_write_element(r, th_rasp_seq_at(in, j), t);
            else
                th_text_add(t, cell[(i - 1) * n + j] ? "1" : " ");
            pad(t, i == 0 ? 0 : width[j] - 1);
        }
        th_text_add(t, "\n");
    }
}

static void write_matrix(const ThRasp *r, const ThRaspSeq *in, const uint8_t *cell, ThText *t)
{
    if (in->n <= WIDEST_GRID)
        write_cells(r, in, cell, t);
    else
        th_text_printf(t, " \t\t\t %zu x %zu cells\n", in->n, in->n);
}

bool th_rasp_write_grid(ThRasp *r, ThRaspRun *run, ThRaspSop selector, ThText *t, ThStop *stop,
                        ThError *err)
{
    const ThRaspSeq *in = th_rasp_run_input(run);
    if (in->n > WIDEST_GRID) {
        write_matrix(r, in, NULL, t);
        return true;
    }
    uint8_t *cell TH_OWNED(free) = th_rasp_run_grid(run, selector, stop, err);
    if (cell)
        write_cells(r, in, cell, t);
    return cell != NULL;
}

/* ---- what a statement shows ------------------------------------------------------------------ */

static bool show_sop(ThRasp *r, const ThRaspShown *s, ThText *t, ThStop *stop, ThError *err)
{
    th_text_printf(t, "     s-op: %s\n", s->name);
    if (s->as == TH_RASP_SHOWN_NAME || !r->example[0].on)
        return true;
    ThRaspRun *run = r->example[0].run;
    const ThRaspSeq *out = th_rasp_run_value(run, s->value.as.sop, stop, err);
    if (!out)
        return false;
    th_text_printf(t, " \t Example: %s(", s->name);
    th_rasp_write_value(r, &r->example[0].value, t);
    th_text_add(t, ") =");
    bool constant = out->n > 1 && th_rasp_seq_uniform(&r->atoms, out);
    if (r->full_display && !constant) {
        write_columns(r, th_rasp_run_input(run), out, t);
    } else {
        th_text_add(t, " ");
        th_rasp_write_sequence(r, out, t);
        if (r->full_display)
            th_text_add(t, ", the same everywhere");
    }
    th_text_add(t, "\n");
    return true;
}

static bool show_selector(ThRasp *r, const ThRaspShown *s, ThText *t, ThStop *stop, ThError *err)
{
    th_text_printf(t, "     selector: %s\n", s->name);
    if (s->as == TH_RASP_SHOWN_NAME || !r->example[1].on)
        return true;
    th_text_add(t, " \t Example:\n");
    return th_rasp_write_grid(r, r->example[1].run, s->value.as.sop, t, stop, err);
}

static void show_function(const ThRasp *r TH_UNUSED, const ThRaspShown *s, ThText *t)
{
    const ThRaspFunction *f = (const ThRaspFunction *)s->value.as.object;
    if (f->builtin) {
        th_text_printf(t, "     built-in function: %s(%s)\n", s->name, f->builtin->parameters);
        return;
    }
    const ThRaspTree *tree = &f->program->tree;
    th_text_printf(t, "     %s function: %s(", f->program->label, s->name);
    int32_t first = tree->node[tree->node[f->node].first].first;
    for (int32_t p = first; p >= 0; p = tree->node[p].next)
        th_text_printf(t, "%s%s", p == first ? "" : ", ", th_rasp_text(tree, p));
    th_text_add(t, ")\n");
}

/* Does a list or dictionary hold s-ops, selectors or functions, at any depth? */
static bool holds_nodes(const ThRaspValue *v)
{
    size_t n;
    const ThRaspValue *held = th_rasp_held(v, &n);
    bool found = th_rasp_is_node(v) || v->kind == TH_RASP_VALUE_FUNCTION;
    for (size_t i = 0; i < n && !found; i++)
        found = holds_nodes(&held[i]);
    return found;
}

/* One block an element, named by what gets at it. */
static bool show_elements(ThRasp *r, const ThRaspShown *s, ThText *t, ThStop *stop, ThError *err)
{
    bool ok = true;
    size_t n = th_rasp_length(&s->value), i = 0;
    for (; ok && i < n && i < MOST_SHOWN && t->size < MOST_BYTES; i++) {
        ThText name TH_OWNED(th_text_free) = {0};
        ThRaspShown inner = *s;
        th_text_printf(&name, "%s[", s->name);
        if (s->value.kind == TH_RASP_VALUE_DICT) {
            const ThRaspDict *d = (const ThRaspDict *)s->value.as.object;
            ThRaspValue key = th_rasp_atom_value(d->key[i]);
            th_rasp_write_value(r, &key, &name);
            inner.value = d->value[i];
        } else {
            th_text_printf(&name, "%zu", i);
            inner.value = th_rasp_element(&s->value, i);
        }
        th_text_add(&name, "]");
        inner.name = th_text_string(&name);
        ok = th_rasp_write(r, &inner, t, stop, err);
    }
    if (ok && i < n)
        th_text_printf(t, "    … and %zu more elements\n", n - i);
    return ok;
}

static bool show_collection(ThRasp *r, const ThRaspShown *s, ThText *t, ThStop *stop, ThError *err)
{
    const char *kind = s->value.kind == TH_RASP_VALUE_DICT ? "dict" : "list";
    if (s->as != TH_RASP_SHOWN_NAME && holds_nodes(&s->value)) {
        th_text_printf(t, "    %s: %s with %zu elements\n", kind, s->name,
                       th_rasp_length(&s->value));
        return show_elements(r, s, t, stop, err);
    }
    th_text_printf(t, "    %s: %s = ", kind, s->name);
    th_rasp_write_value(r, &s->value, t);
    th_text_add(t, "\n");
    return true;
}

static void show_application(const ThRasp *r, const ThRaspShown *s, ThText *t)
{
    size_t n = 0;
    const ThRaspSeq *input;
    const uint8_t *cell = th_rasp_grid(&s->value, &n, &input);
    if (cell) {
        write_matrix(r, input, cell, t);
        return;
    }
    th_text_add(t, "\t =  ");
    th_rasp_write_sequence(r, th_rasp_sequence(&s->value), t);
    th_text_add(t, "\n");
}

bool th_rasp_write(ThRasp *r, const ThRaspShown *s, ThText *t, ThStop *stop, ThError *err)
{
    bool ok = true;
    if (s->as == TH_RASP_SHOWN_EXAMPLE) {
        th_text_printf(t, "    %s example: ", s->name);
        th_rasp_write_value(r, &s->value, t);
        th_text_add(t, "\n");
    } else if (s->value.kind == TH_RASP_VALUE_SOP) {
        ok = show_sop(r, s, t, stop, err);
    } else if (s->value.kind == TH_RASP_VALUE_SELECTOR) {
        ok = show_selector(r, s, t, stop, err);
    } else if (s->value.kind == TH_RASP_VALUE_FUNCTION) {
        show_function(r, s, t);
    } else if (s->value.kind == TH_RASP_VALUE_LIST || s->value.kind == TH_RASP_VALUE_DICT) {
        ok = show_collection(r, s, t, stop, err);
    } else if (s->value.kind == TH_RASP_VALUE_ATOM) {
        th_text_printf(t, "    value: %s =  ", s->name);
        th_rasp_write_value(r, &s->value, t);
        th_text_add(t, "\n");
    } else {
        show_application(r, s, t);
    }
    return ok;
}
