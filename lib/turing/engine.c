#include "turing/engine.h"

#include "base/hash.h"
#include "base/symbols.h"
#include "turing/reductions.h"

/* ---- running --------------------------------------------------------------------------------- */

bool th_tm_engine_start(ThTmEngine *e, const ThTm *m, const ThTmTapeWords *words, ThError *err)
{
    *e = (ThTmEngine){.machine = m};
    if (th_tm_fast_possible(m) && words->head[0] == 0) {
        e->fast = th_tm_fast_new(m, words->word[0], words->length[0], 0, err);
        return e->fast != NULL;
    }
    return th_tm_running_start_words(&e->plain, m, words, err);
}

void th_tm_engine_free(ThTmEngine *e)
{
    th_tm_fast_free(e->fast);
    th_tm_running_free(&e->plain);
    *e = (ThTmEngine){0};
}

bool th_tm_engine_take(ThTmEngine *e, ThTmRunning *r, ThError *err)
{
    if (e->fast && !th_tm_fast_running(e->fast, r, err))
        return false;
    if (!e->fast)
        *r = e->plain;
    e->plain = e->fast ? e->plain : (ThTmRunning){0};
    th_tm_engine_free(e);
    return true;
}

bool th_tm_engine_go(ThTmEngine *e, uint64_t work, ThTmRunLimits limits, ThStop *stop, ThError *err)
{
    return e->fast ? th_tm_fast_go(e->fast, work, limits, stop, err)
                   : th_tm_running_go(&e->plain, work, limits, stop, err);
}

ThTmVerdict th_tm_engine_verdict(const ThTmEngine *e)
{
    return e->fast ? th_tm_fast_verdict(e->fast) : e->plain.verdict;
}

uint64_t th_tm_engine_steps(const ThTmEngine *e)
{
    return e->fast ? th_tm_fast_steps(e->fast) : e->plain.steps;
}

ThTmFastFigures th_tm_engine_figures(const ThTmEngine *e)
{
    if (e->fast)
        return th_tm_fast_figures(e->fast);
    const ThTmRunning *r = &e->plain;
    ThTmFastFigures x = {r->verdict, r->state, r->steps, r->cells, 0, r->tape[0].head, 0, -1};
    for (int t = r->machine->n_tapes - 1; t >= 0; t--)
        x.nonblank += th_tm_tape_extent(&r->tape[t], r->machine->blank, &x.first, &x.last);
    return x;
}

/* ---- tapes as text --------------------------------------------------------------------------- */

enum { MOST_ITEMS = 2000 };

/* Runs of a tape: a stretch of cells and how often it is there. */
typedef struct {
    ThText *t;
    const ThTm *m;
    int symbol;     /* of the run that is not written yet */
    uint64_t count; /* 0: there is none */
    int items;
} Runs;

static void write_run(Runs *r, int symbol, uint64_t count)
{
    if (r->items++ == MOST_ITEMS)
        th_text_add(r->t, " ...");
    if (r->items > MOST_ITEMS)
        return;
    th_text_printf(r->t, r->items > 1 ? " %s" : "%s", r->m->symbol[symbol]);
    if (count > 1)
        th_text_printf(r->t, "^%llu", (unsigned long long)count);
}

static void flush_run(Runs *r)
{
    if (r->count > 0)
        write_run(r, r->symbol, r->count);
    r->count = 0;
}

static void add_cells(Runs *r, int symbol, uint64_t count)
{
    if (symbol == r->m->blank && r->count == 0 && r->items == 0)
        return; /* what lies left of everything */
    if (r->count > 0 && symbol != r->symbol)
        flush_run(r);
    r->symbol = symbol;
    r->count += count;
}

/* A stretch that is repeated and not all one symbol. */
static void add_group(Runs *r, const uint16_t *cell, int n, uint64_t count)
{
    flush_run(r);
    if (r->items++ >= MOST_ITEMS)
        return;
    th_text_add(r->t, r->items > 1 ? " (" : "(");
    for (int i = 0; i < n; i++)
        th_text_printf(r->t, i ? " %s" : "%s", r->m->symbol[cell[i]]);
    th_text_printf(r->t, ")^%llu", (unsigned long long)count);
}

static void see_runs(void *context, const uint16_t *cell, int n, uint64_t count)
{
    enum { FEW = 4 };
    Runs *r = context;
    bool uniform = true;
    for (int i = 1; i < n; i++)
        uniform = uniform && cell[i] == cell[0];
    if (uniform) {
        add_cells(r, cell[0], (uint64_t)n * count);
    } else if (count > FEW) {
        add_group(r, cell, n, count);
    } else {
        for (uint64_t j = 0; j < count; j++)
            for (int i = 0; i < n; i++)
                add_cells(r, cell[i], 1);
    }
}

static void end_runs(Runs *r)
{
    if (r->symbol != r->m->blank)
        flush_run(r);
}

typedef struct {
    uint16_t *cell;
    int64_t at, first, last;
} Window;

static void see_window(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Window *w = context;
    int64_t size = n * (int64_t)count;
    int64_t from = w->at < w->first ? w->first - w->at : 0;
    for (int64_t i = from; i < size && w->at + i <= w->last; i++)
        w->cell[w->at + i - w->first] = cell[i % n];
    w->at += size;
}

/* Returns new: cells first … last of the fast engine's tape. */
static uint16_t *window(const ThTmFast *f, int64_t first, int64_t last, ThError *err)
{
    Window w = {.at = th_tm_fast_left_end(f), .first = first, .last = last};
    w.cell = th_alloc((size_t)(last - first + 1), sizeof *w.cell, err);
    if (w.cell)
        th_tm_fast_each(f, see_window, &w);
    return w.cell;
}

static bool fast_tape(ThText *t, const ThTmEngine *e, int64_t most, ThError *err)
{
    ThTmFastFigures x = th_tm_fast_figures(e->fast);
    Runs r = {.t = t, .m = e->machine};
    if (x.last - x.first >= most) {
        th_tm_fast_each(e->fast, see_runs, &r);
        end_runs(&r);
        return true;
    }
    uint16_t *cell TH_OWNED(free) = window(e->fast, x.first, x.last, err);
    bool single = th_symbols_single(e->machine->symbol, e->machine->n_symbols);
    for (int64_t i = 0; cell && i <= x.last - x.first; i++)
        th_text_printf(t, i && !single ? " %s" : "%s", e->machine->symbol[cell[i]]);
    return cell != NULL;
}

bool th_tm_engine_tape(ThText *t, const ThTmEngine *e, int64_t most, ThError *err)
{
    if (e->fast)
        return fast_tape(t, e, most, err);
    const ThTm *m = e->machine;
    for (int k = 0; k < m->n_tapes; k++) {
        const ThTmTape *tape = &e->plain.tape[k];
        int64_t first, last;
        Runs r = {.t = t, .m = m};
        th_text_add(t, k ? " | " : "");
        th_tm_tape_extent(tape, m->blank, &first, &last);
        if (last - first < most) {
            th_tm_tape_write(t, m, tape, first, last);
            continue;
        }
        for (int64_t i = first; i <= last; i++)
            add_cells(&r, th_tm_tape_at(tape, i, m->blank), 1);
        end_runs(&r);
    }
    return true;
}

typedef struct {
    const ThTm *m;
    int width;               /* of the codes of cells; 0: they count themselves */
    int64_t at;              /* the next one's place */
    uint64_t digest, blanks; /* that came since the last cell that is none */
    bool begun;
} Digest;

/* NULL: a blank. */
static void see(Digest *d, const char *symbol)
{
    d->at++;
    if (!symbol) {
        d->blanks += d->begun;
        return;
    }
    if (d->width && !d->begun)
        d->digest = th_hash_mix(d->digest ^ (uint64_t)d->at);
    d->digest = th_hash_mix(d->digest ^ d->blanks);
    d->digest = th_hash_mix(d->digest ^ th_hash_text(symbol));
    d->blanks = 0;
    d->begun = true;
}

static void see_digest(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Digest *d = context;
    for (uint64_t j = 0; j < count; j++)
        for (int i = 0; i < n; i++) {
            int code = d->width ? th_tm_binary_code(d->m, cell[i]) : 0;
            for (int bit = d->width; bit-- > 0;)
                see(d, code >> bit & 1 ? "1" : NULL);
            if (d->width == 0)
                see(d, cell[i] == d->m->blank ? NULL : d->m->symbol[cell[i]]);
        }
}

uint64_t th_tm_engine_digest(const ThTmEngine *e, bool coded)
{
    int width = coded ? th_tm_binary_width(e->machine) : 0;
    Digest d = {.m = e->machine, .width = width};
    if (e->fast) {
        d.at = th_tm_fast_left_end(e->fast) * width;
        th_tm_fast_each(e->fast, see_digest, &d);
    }
    for (int k = 0; !e->fast && k < e->machine->n_tapes; k++) {
        const ThTmTape *tape = &e->plain.tape[k];
        int64_t first, last;
        th_tm_tape_extent(tape, d.m->blank, &first, &last);
        d = (Digest){.m = e->machine,
                     .width = width,
                     .at = first * width,
                     .digest = k ? th_hash_mix(d.digest + 1) : 0};
        for (int64_t i = first; i <= last; i++) {
            uint16_t cell = (uint16_t)th_tm_tape_at(tape, i, d.m->blank);
            see_digest(&d, &cell, 1, 1);
        }
    }
    return d.digest;
}
