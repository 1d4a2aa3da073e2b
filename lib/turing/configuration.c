#include "turing/configuration.h"

#include "base/symbols.h"

bool th_tm_configuration_writer(ThTmConfigurationWriter *w, const ThTm *m,
                                ThTmConfigurationForm form, int width, ThError *err)
{
    size_t n = (size_t)m->n_symbols, states = (size_t)m->n_states;
    *w = (ThTmConfigurationWriter){.machine = m, .form = form, .width = width, .bytes = true};
    w->single = th_symbols_single(m->symbol, m->n_symbols);
    w->length = th_alloc(n, sizeof *w->length, err);
    w->columns = th_alloc(n, sizeof *w->columns, err);
    w->byte = th_alloc(n, 1, err);
    w->state_length = th_alloc(states, sizeof *w->state_length, err);
    if (!w->length || !w->columns || !w->byte || !w->state_length) {
        th_tm_configuration_writer_free(w);
        return false;
    }
    for (size_t s = 0; s < n; s++) {
        w->length[s] = strlen(m->symbol[s]);
        w->columns[s] = th_utf8_width(m->symbol[s]);
        w->byte[s] = m->symbol[s][0];
        w->bytes = w->bytes && w->length[s] == 1;
        w->most = w->length[s] > w->most ? w->length[s] : w->most;
    }
    for (size_t q = 0; q < states; q++)
        w->state_length[q] = strlen(m->state[q]);
    return true;
}

void th_tm_configuration_writer_free(ThTmConfigurationWriter *w)
{
    TH_FREE(w->length, w->columns, w->byte, w->state_length);
    *w = (ThTmConfigurationWriter){0};
}

/* ---- what is shown of a tape ----------------------------------------------------------------- */

/* Cells from … to, among them the scanned one, and whether there is more that is not blank. */
typedef struct {
    int64_t from, to;
    bool more_left, more_right;
} Window;

/* Goes from the head to one side until all that is not blank, `marks` cells, or `most` cells (or
 * runs of equal cells) have been seen.  Returns the last position that is shown. */
static int64_t look(const ThTmTape *t, int blank, int way, uint64_t marks, int64_t most, bool runs,
                    bool *more)
{
    const uint16_t *cell = t->cell + (t->head - t->base);
    int64_t at = 0, end = 0, seen = 0;
    int before = -1;
    while (marks > 0) {
        int symbol = cell[at + way];
        seen += !runs || symbol != before;
        if (seen > most)
            break;
        before = symbol;
        at += way;
        if (symbol != blank) {
            marks--;
            end = at;
        }
    }
    *more = marks > 0;
    return t->head + (marks > 0 ? at : end);
}

static Window window_of(const ThTmConfigurationWriter *w, const ThTmTape *t)
{
    Window x;
    int64_t most = w->width > 0 ? w->width / 2 : INT64_MAX;
    bool runs = w->form == TH_TM_SHOW_RUNS;
    x.from = look(t, w->machine->blank, -1, t->left, most, runs, &x.more_left);
    x.to = look(t, w->machine->blank, 1, t->right, most, runs, &x.more_right);
    return x;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Makes room for n bytes more and returns where they go, or NULL. */
static char *reserve(ThText *t, size_t n)
{
    if (t->failed || !th_grow(&t->data, &t->cap, t->size + n + 1, 1, NULL)) {
        t->failed = true;
        return NULL;
    }
    return t->data + t->size;
}

/* Appends n cells; `gap` says that one stands before them, from which a blank separates them. */
static void add_cells(ThText *t, const ThTmConfigurationWriter *w, const uint16_t *cell, int64_t n,
                      bool gap)
{
    char *to = n > 0 ? reserve(t, (size_t)n * (w->most + 1)) : NULL;
    if (!to)
        return;
    for (int64_t i = 0; w->bytes && i < n; i++)
        *to++ = w->byte[cell[i]];
    for (int64_t i = 0; !w->bytes && i < n; i++) {
        if (!w->single && (gap || i > 0))
            *to++ = ' ';
        memcpy(to, w->machine->symbol[cell[i]], w->length[cell[i]]);
        to += w->length[cell[i]];
    }
    *to = '\0';
    t->size = (size_t)(to - t->data);
}

enum { DIGITS = 20 };

/* Writes a number, of DIGITS characters at most; returns the end. */
static char *put_number(char *to, uint64_t n)
{
    char digit[DIGITS];
    size_t at = sizeof digit;
    do
        digit[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    memcpy(to, digit + at, sizeof digit - at);
    return to + (sizeof digit - at);
}

static void add_number(ThText *t, uint64_t n)
{
    char digit[DIGITS];
    th_text_add_bytes(t, digit, (size_t)(put_number(digit, n) - digit));
}

static void add_state(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r)
{
    th_text_add_bytes(t, w->machine->state[r->state], w->state_length[r->state]);
}

/* The cells of a window with the scanned one as the form has it. */
static void write_cells(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r,
                        const ThTmTape *tape, const Window *x)
{
    const uint16_t *cell = tape->cell - tape->base;
    const char *gap = w->single ? "" : " ";
    th_text_add(t, x->more_left ? ".." : "");
    add_cells(t, w, cell + x->from, tape->head - x->from, false);
    th_text_add(t, x->from < tape->head ? gap : "");
    if (w->form == TH_TM_SHOW_HEAD)
        th_text_add(t, "[");
    if (w->form == TH_TM_SHOW_STATE) {
        add_state(t, w, r);
        th_text_add(t, gap);
    }
    add_cells(t, w, cell + tape->head, 1, false);
    th_text_add(t, w->form == TH_TM_SHOW_HEAD ? "]" : "");
    add_cells(t, w, cell + tape->head + 1, x->to - tape->head, true);
    th_text_add(t, x->more_right ? ".." : "");
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void add_item(ThText *t, bool *any, const char *what)
{
    th_text_add(t, *any ? " " : "");
    th_text_add(t, what);
    *any = true;
}

static void add_runs(ThText *t, const ThTmConfigurationWriter *w, const uint16_t *cell, int64_t n,
                     bool *any)
{
    for (int64_t i = 0, j; i < n; i = j) {
        char *to = reserve(t, w->most + 2 + DIGITS);
        if (!to)
            return;
        for (j = i + 1; j < n && cell[j] == cell[i];)
            j++;
        if (*any)
            *to++ = ' ';
        *any = true;
        memcpy(to, w->machine->symbol[cell[i]], w->length[cell[i]]);
        to += w->length[cell[i]];
        if (j - i > 1) {
            *to++ = '^';
            to = put_number(to, (uint64_t)(j - i));
        }
        *to = '\0';
        t->size = (size_t)(to - t->data);
    }
}

/* The head looks to where it moved last. */
static void write_runs(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r, int k,
                       const Window *x)
{
    const ThTmTape *tape = &r->tape[k];
    const uint16_t *cell = tape->cell - tape->base;
    bool to_left = r->rule >= 0 && w->machine->rule[r->rule].move[k] < 0, any = false;
    int64_t middle = tape->head + to_left;
    if (x->more_left)
        add_item(t, &any, "..");
    add_runs(t, w, cell + x->from, middle - x->from, &any);
    add_item(t, &any, to_left ? "<" : "");
    add_state(t, w, r);
    th_text_add(t, to_left ? "" : ">");
    add_runs(t, w, cell + middle, x->to - middle + 1, &any);
    if (x->more_right)
        add_item(t, &any, "..");
}

/* ---- whole configurations -------------------------------------------------------------------- */

static void add_blanks(ThText *t, int64_t n)
{
    char *to = n > 0 ? reserve(t, (size_t)n) : NULL;
    if (!to)
        return;
    memset(to, ' ', (size_t)n);
    to[n] = '\0';
    t->size += (size_t)n;
}

/* Columns of cells from … to - 1, each with the blank after it where words have them. */
static int64_t columns_of(const ThTmConfigurationWriter *w, const ThTmTape *tape, int64_t from,
                          int64_t to)
{
    int64_t n = 0;
    for (int64_t i = from; i < to; i++)
        n += w->columns[tape->cell[i - tape->base]] + !w->single;
    return n;
}

/* The second line of TH_TM_SHOW_CARET. */
static void write_carets(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r,
                         int indent)
{
    int64_t at = indent, written = 0;
    for (int k = 0; k < w->machine->n_tapes; k++) {
        const ThTmTape *tape = &r->tape[k];
        Window x = window_of(w, tape);
        int64_t caret = at + (x.more_left ? 2 : 0) + columns_of(w, tape, x.from, tape->head);
        add_blanks(t, caret - written);
        th_text_add(t, "^");
        written = caret + 1;
        at += (x.more_left ? 2 : 0) + columns_of(w, tape, x.from, x.to + 1) - !w->single +
              (x.more_right ? 2 : 0) + 3;
    }
}

void th_tm_configuration_write(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r,
                               int indent)
{
    for (int k = 0; k < w->machine->n_tapes; k++) {
        Window x = window_of(w, &r->tape[k]);
        th_text_add(t, k ? " | " : "");
        if (w->form == TH_TM_SHOW_RUNS)
            write_runs(t, w, r, k, &x);
        else
            write_cells(t, w, r, &r->tape[k], &x);
    }
    if (w->form == TH_TM_SHOW_CARET) {
        th_text_add(t, "\n");
        write_carets(t, w, r, indent);
    }
}

void th_tm_configuration_line(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r)
{
    size_t begun = t->size;
    add_number(t, r->steps);
    th_text_add(t, "  ");
    int indent = (int)(t->size - begun) + 2;
    if (w->form == TH_TM_SHOW_HEAD || w->form == TH_TM_SHOW_CARET) {
        add_state(t, w, r);
        th_text_add(t, "  ");
        indent += th_utf8_width(w->machine->state[r->state]);
    }
    th_tm_configuration_write(t, w, r, indent);
    th_text_add(t, "\n");
}

void th_tm_running_write(ThText *t, const ThTmRunning *r, ThTmConfigurationForm form, int width)
{
    ThTmConfigurationWriter w;
    bool ok = th_tm_configuration_writer(&w, r->machine, form, width, NULL);
    if (ok)
        th_tm_configuration_write(t, &w, r, 0);
    t->failed = t->failed || !ok;
    th_tm_configuration_writer_free(&w);
}
