#include "rasp/evaluate/rasp_run.h"

#include "rasp/evaluate/run_impl.h"

ThRaspRun *th_rasp_run_new(ThRaspGraph *g, const ThRaspSeq *input, size_t bytes, ThError *err)
{
    if (!input->n)
        return th_null(th_fail(err, TH_EVALUE, "the input is empty") ||
                       th_hint(err, "an input has at least one element"));
    ThRaspRun *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    if (!th_rasp_seq_copy(input, &r->input, err)) {
        free(r);
        return NULL;
    }
    r->g = g;
    r->atoms = th_rasp_atoms(g);
    r->n = input->n;
    r->limit = bytes ? bytes : TH_RASP_RUN_BYTES;
    r->failed = TH_RASP_NO_SOP;
    return r;
}

static void clear_slot(ThRaspSlot *s)
{
    if (!s->borrowed)
        th_rasp_seq_free(&s->value);
    for (int k = 0; k < TH_RASP_N_RANKS_BY; k++)
        th_rasp_ranks_free(s->ranks[k]);
    th_rasp_match_free(s->match);
    *s = (ThRaspSlot){0};
}

void th_rasp_run_free(ThRaspRun *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->cap; i++)
        clear_slot(&r->slot[i]);
    th_rasp_seq_free(&r->input);
    TH_FREE(r->slot, r);
}

const ThRaspSeq *th_rasp_run_input(const ThRaspRun *r)
{
    return &r->input;
}

ThRaspSop th_rasp_run_failed(const ThRaspRun *r)
{
    return r->failed;
}

bool th_rasp_run_charge(ThRaspRun *r, size_t bytes, ThError *err)
{
    if (bytes > r->limit - r->bytes)
        return th_fail(err, TH_ELIMIT, "the values take more than %zu MB", r->limit >> 20) ||
               th_hint(err, "a shorter input takes less");
    r->bytes += bytes;
    return true;
}

/* Makes slots for all nodes up to `node`. */
static bool make_slots(ThRaspRun *r, ThRaspSop node, ThError *err)
{
    size_t cap = r->cap;
    if (!th_grow(&r->slot, &r->cap, (size_t)node + 1, sizeof *r->slot, err))
        return false;
    memset(r->slot + cap, 0, (r->cap - cap) * sizeof *r->slot);
    return true;
}

/* Forgets what the slot holds of a node that is no more. */
static ThRaspSlot *slot_of(ThRaspRun *r, ThRaspSop canonical)
{
    ThRaspSlot *s = &r->slot[canonical];
    uint64_t serial = th_rasp_node(r->g, canonical)->serial;
    if (s->serial != serial) {
        clear_slot(s);
        s->serial = serial;
    }
    return s;
}

static bool is_done(ThRaspRun *r, ThRaspSop canonical)
{
    const ThRaspSlot *s = slot_of(r, canonical);
    return s->value.cell || s->checked;
}

static int by_number(const void *a, const void *b)
{
    ThRaspSop x = *(const ThRaspSop *)a, y = *(const ThRaspSop *)b;
    return (x > y) - (x < y);
}

/* Is a class of those that are collected? */
static bool belongs(ThRaspRun *r, ThRaspSop canonical, ThRaspCollect what)
{
    return what == TH_RASP_PENDING ? !is_done(r, canonical) : th_rasp_is_selector(r->g, canonical);
}

ThRaspSop *th_rasp_run_collect(ThRaspRun *r, ThRaspSop canonical, ThRaspCollect what, size_t *n,
                               ThError *err)
{
    ThRaspSop *list = NULL;
    size_t cap = 0;
    uint32_t mark = ++r->mark;
    *n = 0;
    if (!th_grow(&list, &cap, 1, sizeof *list, err))
        return NULL;
    list[(*n)++] = canonical;
    for (size_t at = 0; at < *n; at++) {
        size_t args = th_rasp_node(r->g, list[at])->n_args;
        if (!th_grow(&list, &cap, *n + args, sizeof *list, err)) {
            free(list);
            return NULL;
        }
        for (size_t k = 0; k < args; k++) {
            ThRaspSop arg = th_rasp_run_arg(r, list[at], k);
            if (!belongs(r, arg, what) || r->slot[arg].mark == mark)
                continue;
            r->slot[arg].mark = mark;
            list[(*n)++] = arg;
        }
    }
    qsort(list, *n, sizeof *list, by_number);
    return list;
}

static size_t seq_bytes(const ThRaspSeq *s)
{
    size_t n = s->constant ? 1 : s->n;
    return n * (sizeof *s->cell + (s->is_float != NULL));
}

static bool evaluate(ThRaspRun *r, ThRaspSop canonical, ThStop *stop, ThError *err)
{
    const ThRaspNodeInfo *node = th_rasp_node(r->g, canonical);
    ThRaspSlot *s = slot_of(r, canonical);
    if (node->selector) {
        bool leaf = node->kind == TH_RASP_NODE_SELECT || node->kind == TH_RASP_NODE_MATCH;
        return r->slot[canonical].checked = !leaf || th_rasp_run_match(r, canonical, stop, err);
    }
    bool as_is = node->kind == TH_RASP_NODE_TOKENS &&
                 (node->op == TH_RASP_AS_IS ||
                  (node->op == TH_RASP_AS_STR && r->input.kind == TH_RASP_ATOM_STRING) ||
                  (node->op == TH_RASP_AS_INT && r->input.kind == TH_RASP_ATOM_INT));
    if (as_is) {
        s->value = r->input;
        return s->borrowed = true;
    }
    ThRaspSeq value = {0};
    bool gather = node->kind == TH_RASP_NODE_AGGREGATE || node->kind == TH_RASP_NODE_WIDTH;
    bool ok = gather ? th_rasp_run_aggregate(r, canonical, &value, stop, err)
                     : th_rasp_run_elements(r, canonical, &value, stop, err);
    ok = ok && th_rasp_run_charge(r, seq_bytes(&value), err);
    if (!ok) {
        th_rasp_seq_free(&value);
        return false;
    }
    r->slot[canonical].value = value;
    return true;
}

bool th_rasp_run_check(ThRaspRun *r, ThRaspSop node, ThStop *stop, ThError *err)
{
    ThRaspSop canonical = th_rasp_node(r->g, node)->canonical;
    r->failed = TH_RASP_NO_SOP;
    if (!make_slots(r, canonical, err))
        return false;
    if (is_done(r, canonical))
        return true;
    size_t n;
    ThRaspSop *list TH_OWNED(free) = th_rasp_run_collect(r, canonical, TH_RASP_PENDING, &n, err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        ok = !th_stopped(stop, err) && evaluate(r, list[i], stop, err);
        if (!ok)
            r->failed = list[i];
    }
    return ok;
}

const ThRaspSeq *th_rasp_run_value(ThRaspRun *r, ThRaspSop sop, ThStop *stop, ThError *err)
{
    if (th_rasp_is_selector(r->g, sop))
        return th_null(th_fail(err, TH_EVALUE, "a selector has no sequence as its value"));
    if (!th_rasp_run_check(r, sop, stop, err))
        return NULL;
    return th_rasp_run_value_of(r, th_rasp_node(r->g, sop)->canonical);
}

const ThRaspRanks *th_rasp_run_ranks(ThRaspRun *r, ThRaspSop canonical, ThRaspRanksBy by,
                                     ThStop *stop, ThError *err)
{
    const ThRaspSeq *keys = th_rasp_run_value_of(r, canonical);
    /* Only of tuples, and of ints with floats among them, is there more than one. */
    if (keys->kind != TH_RASP_ATOM_TUPLE &&
        !(keys->kind == TH_RASP_ATOM_MIXED && by == TH_RASP_BY_IDENTITY))
        by = TH_RASP_BY_ORDER;
    ThRaspRanks **ranks = &r->slot[canonical].ranks[by];
    if (*ranks)
        return *ranks;
    ThRaspRanks *new = th_rasp_ranks_new(r->atoms, keys, by, stop, err);
    if (!new || !th_rasp_run_charge(r, th_rasp_ranks_bytes(new), err)) {
        th_rasp_ranks_free(new);
        return NULL;
    }
    return *ranks = new;
}

uint8_t *th_rasp_run_grid(ThRaspRun *r, ThRaspSop selector, ThStop *stop, ThError *err)
{
    if (r->n > TH_RASP_GRID_MAX)
        return th_null(th_fail(err, TH_ELIMIT, "a matrix for %zu elements: %d at most can be shown",
                               r->n, TH_RASP_GRID_MAX));
    if (!th_rasp_is_selector(r->g, selector))
        return th_null(th_fail(err, TH_EVALUE, "an s-op has no matrix"));
    if (!th_rasp_run_check(r, selector, stop, err))
        return NULL;
    ThRaspRows rows;
    if (!th_rasp_rows_open(&rows, r, th_rasp_node(r->g, selector)->canonical, err))
        return NULL;
    uint8_t *cell = th_alloc(r->n * r->n, 1, err);
    for (size_t i = 0; cell && i < r->n; i++) {
        const uint64_t *row = th_rasp_rows_row(&rows, i);
        for (size_t j = 0; j < r->n; j++)
            cell[i * r->n + j] = row[j / 64] >> (j % 64) & 1;
    }
    th_rasp_rows_close(&rows);
    return cell;
}
