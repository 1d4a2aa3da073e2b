#include "rasp/run.h"

#include <stdlib.h>
#include <string.h>

#include "rasp/run_impl.h"

ThRaspRun *th_rasp_run_new(ThRaspGraph *g, const ThSeq *input, size_t bytes, ThError *err)
{
    if (!input->n) {
        th_fail(err, TH_EVALUE, "the input is empty");
        th_hint(err, "an input has at least one element");
        return NULL;
    }
    ThRaspRun *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    if (!th_seq_copy(input, &r->input, err)) {
        free(r);
        return NULL;
    }
    r->g = g;
    r->atoms = th_rasp_atoms(g);
    r->n = r->length = input->n;
    r->limit = bytes ? bytes : TH_RUN_BYTES;
    r->failed = TH_NO_SOP;
    return r;
}

static void clear_slot(ThSlot *s)
{
    if (!s->borrowed)
        th_seq_free(&s->value);
    for (int k = 0; k < TH_N_RANKS_BY; k++)
        th_ranks_free(s->ranks[k]);
    th_match_free(s->match);
    *s = (ThSlot){0};
}

void th_rasp_run_free(ThRaspRun *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->cap; i++)
        clear_slot(&r->slot[i]);
    free(r->slot);
    th_seq_free(&r->input);
    free(r);
}

const ThSeq *th_rasp_run_input(const ThRaspRun *r)
{
    return &r->input;
}

ThSop th_rasp_run_failed(const ThRaspRun *r)
{
    return r->failed;
}

bool th_run_charge(ThRaspRun *r, size_t bytes, ThError *err)
{
    if (bytes > r->limit - r->bytes) {
        th_fail(err, TH_ELIMIT, "the values take more than %zu MB", r->limit >> 20);
        return th_hint(err, "a shorter input takes less");
    }
    r->bytes += bytes;
    return true;
}

/* Makes slots for all nodes up to `node`. */
static bool make_slots(ThRaspRun *r, ThSop node, ThError *err)
{
    size_t cap = r->cap;
    if (!th_grow(&r->slot, &r->cap, (size_t)node + 1, sizeof *r->slot, err))
        return false;
    memset(r->slot + cap, 0, (r->cap - cap) * sizeof *r->slot);
    return true;
}

/* Forgets what the slot holds of a node that is no more. */
static ThSlot *slot_of(ThRaspRun *r, ThSop class)
{
    ThSlot *s = &r->slot[class];
    uint64_t serial = th_rasp_node(r->g, class)->serial;
    if (s->serial != serial) {
        clear_slot(s);
        s->serial = serial;
    }
    return s;
}

static bool is_done(ThRaspRun *r, ThSop class)
{
    const ThSlot *s = slot_of(r, class);
    return s->value.cell || s->checked;
}

static int by_number(const void *a, const void *b)
{
    ThSop x = *(const ThSop *)a, y = *(const ThSop *)b;
    return (x > y) - (x < y);
}

/* Is a class of those that are collected? */
static bool belongs(ThRaspRun *r, ThSop class, ThCollect what)
{
    return what == TH_PENDING ? !is_done(r, class) : th_rasp_is_selector(r->g, class);
}

ThSop *th_run_collect(ThRaspRun *r, ThSop class, ThCollect what, size_t *n, ThError *err)
{
    ThSop *list = NULL;
    size_t cap = 0;
    uint32_t mark = ++r->mark;
    *n = 0;
    if (!th_grow(&list, &cap, 1, sizeof *list, err))
        return NULL;
    list[(*n)++] = class;
    for (size_t at = 0; at < *n; at++) {
        size_t args = th_rasp_node(r->g, list[at])->n_args;
        if (!th_grow(&list, &cap, *n + args, sizeof *list, err)) {
            free(list);
            return NULL;
        }
        for (size_t k = 0; k < args; k++) {
            ThSop arg = th_run_arg(r, list[at], k);
            if (!belongs(r, arg, what) || r->slot[arg].mark == mark)
                continue;
            r->slot[arg].mark = mark;
            list[(*n)++] = arg;
        }
    }
    qsort(list, *n, sizeof *list, by_number);
    return list;
}

static size_t seq_bytes(const ThSeq *s)
{
    size_t n = s->constant ? 1 : s->n;
    return n * (sizeof *s->cell + (s->is_float != NULL));
}

static bool evaluate(ThRaspRun *r, ThSop class, ThStop *stop, ThError *err)
{
    const ThNodeInfo *node = th_rasp_node(r->g, class);
    ThSlot *s = slot_of(r, class);
    if (node->selector) {
        bool leaf = node->kind == TH_NODE_SELECT || node->kind == TH_NODE_MATCH;
        return r->slot[class].checked = !leaf || th_run_match(r, class, stop, err);
    }
    bool as_is =
        node->kind == TH_NODE_TOKENS &&
        (node->op == TH_AS_IS || (node->op == TH_AS_STR && r->input.kind == TH_ATOM_STRING) ||
         (node->op == TH_AS_INT && r->input.kind == TH_ATOM_INT));
    if (as_is) {
        s->value = r->input;
        return s->borrowed = true;
    }
    ThSeq value = {0};
    bool gather = node->kind == TH_NODE_AGGREGATE || node->kind == TH_NODE_WIDTH;
    bool ok = gather ? th_run_aggregate(r, class, &value, stop, err)
                     : th_run_elements(r, class, &value, stop, err);
    ok = ok && th_run_charge(r, seq_bytes(&value), err);
    if (!ok) {
        th_seq_free(&value);
        return false;
    }
    r->slot[class].value = value;
    return true;
}

bool th_rasp_run_check(ThRaspRun *r, ThSop node, ThStop *stop, ThError *err)
{
    ThSop class = th_rasp_node(r->g, node)->class;
    r->failed = TH_NO_SOP;
    if (!make_slots(r, class, err))
        return false;
    if (is_done(r, class))
        return true;
    size_t n;
    ThSop *list = th_run_collect(r, class, TH_PENDING, &n, err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        ok = !th_stopped(stop, err) && evaluate(r, list[i], stop, err);
        if (!ok)
            r->failed = list[i];
    }
    free(list);
    return ok;
}

const ThSeq *th_rasp_run_value(ThRaspRun *r, ThSop sop, ThStop *stop, ThError *err)
{
    if (th_rasp_is_selector(r->g, sop)) {
        th_fail(err, TH_EVALUE, "a selector has no sequence as its value");
        return NULL;
    }
    if (!th_rasp_run_check(r, sop, stop, err))
        return NULL;
    return th_run_value_of(r, th_rasp_node(r->g, sop)->class);
}

const ThRanks *th_run_ranks(ThRaspRun *r, ThSop class, ThRanksBy by, ThStop *stop, ThError *err)
{
    const ThSeq *keys = th_run_value_of(r, class);
    /* Only of tuples, and of ints with floats among them, is there more than one. */
    if (keys->kind != TH_ATOM_TUPLE && !(keys->kind == TH_ATOM_MIXED && by == TH_BY_IDENTITY))
        by = TH_BY_ORDER;
    ThRanks **ranks = &r->slot[class].ranks[by];
    if (*ranks)
        return *ranks;
    ThRanks *new = th_ranks_new(r->atoms, keys, by, stop, err);
    if (!new || !th_run_charge(r, th_ranks_bytes(new), err)) {
        th_ranks_free(new);
        return NULL;
    }
    return *ranks = new;
}

uint8_t *th_rasp_run_grid(ThRaspRun *r, ThSop selector, ThStop *stop, ThError *err)
{
    if (r->n > TH_GRID_MAX) {
        th_fail(err, TH_ELIMIT, "a matrix for %zu elements: %d at most can be shown", r->n,
                TH_GRID_MAX);
        return NULL;
    }
    if (!th_rasp_is_selector(r->g, selector)) {
        th_fail(err, TH_EVALUE, "an s-op has no matrix");
        return NULL;
    }
    if (!th_rasp_run_check(r, selector, stop, err))
        return NULL;
    ThRows rows;
    if (!th_rows_open(&rows, r, th_rasp_node(r->g, selector)->class, err))
        return NULL;
    uint8_t *cell = th_alloc(r->n * r->n, 1, err);
    for (size_t i = 0; cell && i < r->n; i++) {
        const uint64_t *row = th_rows_row(&rows, i);
        for (size_t j = 0; j < r->n; j++)
            cell[i * r->n + j] = row[j / 64] >> (j % 64) & 1;
    }
    th_rows_close(&rows);
    return cell;
}
