#include "tasks/table.h"

void th_task_table_free(void *table)
{
    ThTaskTable *d TH_OWNED(free) = table;
    if (!d)
        return;
    TH_FREE(d->start, d->token, d->answer, d->order);
}

void *th_task_table_copy(const void *table, ThError *err)
{
    const ThTaskTable *d = table;
    ThTaskTable *c = th_copy(d, 1, sizeof *d, err);
    if (!c)
        return NULL;
    size_t n = (size_t)d->n, total = d->start[n];
    c->start = th_copy(d->start, n + 1, sizeof *d->start, err);
    c->token = th_copy(d->token, total, sizeof *d->token, err);
    c->answer = th_copy(d->answer, d->every ? total : n, sizeof *d->answer, err);
    c->order = th_copy(d->order, n, sizeof *d->order, err);
    return TH_KEEP_IF(c->start && c->token && c->answer && c->order, c, th_task_table_free);
}

static int length_of(const ThTaskTable *d, int row)
{
    return (int)(d->start[row + 1] - d->start[row]);
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct {
    int row, length;
} Ordered;

static int by_length(const void *a, const void *b)
{
    const Ordered *x = a, *y = b;
    return x->length != y->length ? (x->length > y->length) - (x->length < y->length)
                                  : (x->row > y->row) - (x->row < y->row);
}

bool th_task_table_order(ThTaskTable *d, ThRng *r, ThError *err)
{
    Ordered *row TH_OWNED(free) = th_alloc((size_t)d->n, sizeof *row, err);
    d->order = th_alloc((size_t)d->n, sizeof *d->order, err);
    if (!row || !d->order)
        return false;
    for (int i = 0; i < d->n; i++) { /* Fisher and Yates, inside out */
        int j = r ? (int)th_rng_below(r, (uint64_t)i + 1) : i;
        row[i] = row[j];
        row[j] = (Ordered){i, length_of(d, i)};
    }
    qsort(row, (size_t)d->n_train, sizeof *row, by_length);
    qsort(row + d->n_train, (size_t)(d->n - d->n_train), sizeof *row, by_length);
    for (int i = 0; i < d->n; i++)
        d->order[i] = row[i].row;
    return true;
}

/* ---- rows that are drawn ----------------------------------------------------------------------
 */

static bool same_row(const ThTaskTable *d, int row, ThTaskWord word)
{
    return length_of(d, row) == word.n &&
           memcmp(d->token + d->start[row], word.token, (size_t)word.n * sizeof *word.token) == 0;
}

bool th_task_pool_keep(ThTaskPool *p, ThTaskWord word, int answer, bool *kept, ThError *err)
{
    ThTaskTable *d = p->table;
    size_t rows = (size_t)d->n, size = (size_t)word.n * sizeof *word.token;
    *kept = false;
    if (!th_hash_reserve(&p->known, err) ||
        !th_grow(&d->start, &p->cap_start, rows + 2, sizeof *d->start, err) ||
        !th_grow(&d->answer, &p->cap_answer, rows + 1, sizeof *d->answer, err))
        return false;
    size_t to = d->n > 0 ? d->start[d->n] : 0;
    if (!th_grow(&d->token, &p->cap_token, to + (size_t)word.n, sizeof *d->token, err))
        return false;
    ThHashSeek s = th_hash_seek(th_hash_bytes(word.token, size));
    for (uint32_t i; (i = th_hash_next(&p->known, &s)) != TH_HASH_END;)
        if (same_row(d, (int)i, word))
            return true;
    th_hash_put(&p->known, &s, (uint32_t)d->n);
    memcpy(d->token + to, word.token, size);
    d->start[d->n] = to;
    d->answer[d->n++] = answer;
    d->start[d->n] = to + (size_t)word.n;
    return *kept = true;
}

void th_task_pool_free(ThTaskPool *p)
{
    th_hash_free(&p->known);
}

bool th_task_table_select(ThTaskTable *d, const int *row, int n, ThError *err)
{
    size_t total = 0;
    for (int i = 0; i < n; i++)
        total += (size_t)length_of(d, row[i]);
    size_t *start = th_alloc((size_t)n + 1, sizeof *start, err);
    int *token = th_alloc(total, sizeof *token, err);
    int *answer = th_alloc((size_t)n, sizeof *answer, err);
    if (!start || !token || !answer) {
        TH_FREE(start, token, answer);
        return false;
    }
    for (int i = 0; i < n; i++) {
        size_t length = (size_t)length_of(d, row[i]);
        memcpy(token + start[i], d->token + d->start[row[i]], length * sizeof *token);
        start[i + 1] = start[i] + length;
        answer[i] = d->answer[row[i]];
    }
    TH_FREE(d->start, d->token, d->answer, d->order);
    *d = (ThTaskTable){.n = n, .unit = d->unit, .start = start, .token = token, .answer = answer};
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The first place in [from, end) of the order whose row has at least `length` symbols. */
static int first_of_length(const ThTaskTable *d, int from, int end, int length)
{
    while (from < end) {
        int middle = from + (end - from) / 2;
        if (length_of(d, d->order[middle]) < length)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* The places of some rows in the order: [*from, return). */
static int find_rows(const ThTaskTable *d, const ThTaskRows *which, int *from)
{
    bool test = which->part == TH_TASK_TEST;
    int first = test ? d->n_train : 0, end = test ? d->n : d->n_train;
    *from = first_of_length(d, first, end, which->lo);
    return which->hi >= TH_TASK_LONGEST_ROW ? end : first_of_length(d, *from, end, which->hi + 1);
}

long long th_task_table_count(const ThTask *t, const ThTaskRows *which)
{
    int from, end = find_rows(t->data, which, &from);
    return end - from;
}

static void put_row(const ThTask *t, int row, ThBatch *b, int at)
{
    const ThTaskTable *d = t->data;
    size_t n = (size_t)length_of(d, row), from = d->start[row];
    b->length[at] = (int)n;
    memcpy(th_batch_token(b, at), d->token + from, n * sizeof *d->token);
    memcpy(th_batch_target(&t->signature, b, at), d->answer + (d->every ? from : (size_t)row),
           (d->every ? n : 1) * sizeof *d->answer);
}

bool th_task_table_take(const ThTask *t, const ThTaskRows *which, const long long *number,
                        ThBatch *b, ThError *err)
{
    const ThTaskTable *d = t->data;
    int from;
    find_rows(d, which, &from);
    b->T = 1;
    for (int i = 0; i < b->B; i++) {
        int n = length_of(d, d->order[from + (int)number[i]]);
        b->T = n > b->T ? n : b->T;
    }
    if (!th_batch_reserve(b, &t->signature, true, err))
        return false;
    for (int i = 0; i < b->B; i++)
        put_row(t, d->order[from + (int)number[i]], b, i);
    th_batch_pad(b, &t->signature);
    th_batch_trim(b, &t->signature);
    return true;
}

/* Rows of one length from the part to train on, or where there is none, to test on. */
static ThTaskRows of_length(const ThTaskTable *d, int lo, int hi)
{
    return (ThTaskRows){d->n_train > 0 ? TH_TASK_TRAIN : TH_TASK_TEST, lo, hi};
}

int th_task_table_drawn_length(const ThTask *t, int length)
{
    const ThTaskTable *d = t->data;
    ThTaskRows upto = of_length(d, 1, length < TH_TASK_LONGEST_ROW ? length : TH_TASK_LONGEST_ROW);
    int from, end = find_rows(d, &upto, &from);
    return length_of(d, d->order[end > from ? end - 1 : from]);
}

bool th_task_table_draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    const ThTaskTable *d = t->data;
    ThTaskRows rows = of_length(d, length, length);
    int from, end = find_rows(d, &rows, &from);
    for (int i = 0; i < b->B; i++) {
        int place = from + (int)th_rng_below(r, (uint64_t)(end - from));
        put_row(t, d->order[place], b, i);
    }
    return true;
}

void th_task_table_describe(const ThTask *t, ThText *to)
{
    const ThTaskTable *d = t->data;
    int shortest = length_of(d, 0), longest = shortest;
    for (int i = 1; i < d->n; i++) {
        int n = length_of(d, i);
        shortest = n < shortest ? n : shortest;
        longest = n > longest ? n : longest;
    }
    th_text_printf(to, "# rows      %d to train on, %d to test on\n", d->n_train,
                   d->n - d->n_train);
    th_text_printf(to, "# inputs    %d to %d %s\n", shortest, longest, d->unit);
}
