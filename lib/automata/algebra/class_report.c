#include "automata/algebra/class_impl.h"

const ThClassKind *th_class_kind(int class)
{
    return &th_class_rows[class].kind;
}

bool th_class_within(int class, int other)
{
    bool within = class == other;
    for (int i = 0; i < TH_CLASS_COVERS && th_class_rows[class].kind.above[i] >= 0 && !within; i++)
        within = th_class_within(th_class_rows[class].kind.above[i], other);
    return within;
}

/* The monoid and what follows from it; none where it is too large. */
static bool find_algebra(ThClassWork *w, ThClassSide *s, size_t elements)
{
    ThError own = {0};
    s->m = th_monoid_new(s->d, elements, w->stop, &own);
    if (!s->m)
        return own.code == TH_ELIMIT || th_fail(w->err, own.code, "%s", own.msg);
    s->g = th_green_new(s->m, w->stop, w->err);
    if (!s->g || !th_varieties_of(&s->v, s->m, s->g, w->stop, w->err))
        return false;
    s->table = th_monoid_table_new(s->d, s->m, s->g, w->err);
    return s->table != NULL;
}

/* The tier: the machine and names of the symbols that change some state. */
static bool find_tier(ThClassWork *w, char *const *symbol)
{
    const ThDfa *d = w->side[0].d;
    ThClassSide *s = &w->side[1];
    int n = 0, k = d->n_symbols, *from TH_OWNED(free) = th_alloc((size_t)k, sizeof *from, w->err);
    s->symbol = th_alloc((size_t)k + 1, sizeof *s->symbol, w->err);
    for (int a = 0; from && s->symbol && a < k; a++)
        for (int q = 0; q < d->n_states; q++)
            if (d->next[q * k + a] != q) {
                s->symbol[n] = symbol[a];
                from[n++] = a;
                break;
            }
    s->d = from && s->symbol ? th_dfa_new(d->n_states, n, 2, w->err) : NULL;
    for (int i = 0; s->d && i < d->n_states * n; i++)
        s->d->next[i] = d->next[i / n * k + from[i % n]];
    for (int q = 0; s->d && q < d->n_states; q++)
        s->d->label[q] = d->label[q];
    if (s->d)
        s->d->start = d->start;
    w->report->tier = n;
    return s->d != NULL;
}

static void free_side(ThClassSide *s)
{
    th_monoid_table_free(s->table);
    th_varieties_free(&s->v);
    th_green_free(s->g);
    th_monoid_free(s->m);
    th_dfa_free(s->d);
    free(s->symbol);
}

static bool decide(ThClassWork *w, int class)
{
    const ThClassRow *row = &th_class_rows[class];
    ThClassVerdict *v = &w->report->verdict[class];
    ThText text = {0};
    w->text = &text;
    w->on = &w->side[row->tier && w->side[1].d->n_symbols < w->side[0].d->n_symbols];
    v->is = row->decide(w, row, v);
    w->text = NULL;
    v->witness = th_text_take(&text, w->err);
    return w->err->code == TH_OK;
}

/* Yes follows for classes above, no for those below. */
static bool follow(ThClassReport *r, ThError *err)
{
    for (int i = 0; i < TH_CLASS_COUNT; i++)
        for (int c = 0; c < TH_CLASS_COUNT && r->verdict[i].is == TH_CLASS_UNKNOWN; c++) {
            ThClassAnswer is = r->verdict[c].is;
            if (is == TH_CLASS_UNKNOWN || !(is ? th_class_within(c, i) : th_class_within(i, c)))
                continue;
            ThText t = {0};
            th_text_printf(&t, "as it is %sin %s", is ? "" : "not ", th_class_rows[c].kind.name);
            free(r->verdict[i].witness);
            r->verdict[i].is = is;
            r->verdict[i].witness = th_text_take(&t, err);
            if (!r->verdict[i].witness)
                return false;
        }
    return true;
}

static bool find_all(ThClassWork *w, const ThDfa *d, char *const *symbol, size_t elements)
{
    ThError *err = w->err;
    size_t k = (size_t)d->n_symbols;
    w->side[0].d = th_dfa_copy(d, err);
    w->side[0].symbol = th_copy(symbol, k, sizeof *symbol, err);
    if (!w->side[0].d || !w->side[0].symbol || !find_tier(w, symbol) ||
        !find_algebra(w, &w->side[0], elements) ||
        (w->report->tier < d->n_symbols && !find_algebra(w, &w->side[1], elements)))
        return false;
    w->report->period = 1;
    for (int a = 0; a < d->n_symbols; a++)
        w->report->period = th_class_multiple(w->report->period, th_class_cycle(d, a, true));
    w->report->monoid = w->side[0].m ? w->side[0].m->size : 0;
    for (int c = 0; c < TH_CLASS_COUNT; c++)
        if (th_stopped(w->stop, err) || !decide(w, c))
            return false;
    return follow(w->report, err);
}

ThClassReport *th_class_report(const ThDfa *d, char *const *symbol, size_t elements, ThStop *stop,
                               ThError *err)
{
    ThClassReport *r = th_alloc(1, sizeof *r, err);
    ThClassWork w = {.report = r, .stop = stop};
    w.err = &w.error;
    bool ok = r && find_all(&w, d, symbol, elements);
    if (!ok)
        th_fail(err, w.error.code, "%s", w.error.msg);
    free_side(&w.side[0]);
    free_side(&w.side[1]);
    if (ok)
        return r;
    th_class_report_free(r);
    return NULL;
}

void th_class_report_free(ThClassReport *r)
{
    for (int c = 0; r && c < TH_CLASS_COUNT; c++)
        free(r->verdict[c].witness);
    free(r);
}
