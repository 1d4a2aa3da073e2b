#include "models/ragged.h"

#include "models/ablation.h"

/* Strings of one length as a rectangle; row i of it is row[i] of the batch. */
typedef struct {
    ThBatch batch;
    const int *row;
} Group;

/* The rows of a batch by length, those of one length in their order; NULL: no memory. */
static int *sort_rows(ThTape *t, const ThBatch *b)
{
    int *row = th_tape_take(t, (size_t)b->B, sizeof *row);
    int *place = th_tape_take(t, (size_t)b->T + 1, sizeof *place);
    if (!row || !place)
        return NULL;
    memset(place, 0, ((size_t)b->T + 1) * sizeof *place);
    for (int i = 0; i < b->B; i++)
        place[b->length[i]]++;
    for (int n = 0, before = 0; n <= b->T; n++) {
        int rows = place[n];
        place[n] = before;
        before += rows;
    }
    for (int i = 0; i < b->B; i++)
        row[place[b->length[i]]++] = i;
    return row;
}

/* The group of as many rows from row[0] on as have its length. */
static bool take_group(ThTape *t, const ThBatch *b, const int *row, int left, Group *g)
{
    int T = b->length[row[0]], n = 1;
    while (n < left && b->length[row[n]] == T)
        n++;
    *g = (Group){.batch = {.B = n, .T = T}, .row = row};
    int *token = g->batch.token = th_tape_take(t, (size_t)n * (size_t)T, sizeof *token);
    for (int i = 0; token && i < n; i++)
        memcpy(th_batch_token(&g->batch, i), th_batch_token(b, row[i]), (size_t)T * sizeof *token);
    return token != NULL;
}

/* Notes where the group's logits stand among all, `at` rows being before them; returns how many the
 * group has. */
static int place_logits(const ThModel *m, const ThBatch *b, const Group *g, int at, int *index)
{
    bool final = m->signature.target == TH_TARGET_FINAL;
    for (int i = 0; i < g->batch.B; i++) {
        int row = g->row[i], T = g->batch.T;
        if (final)
            index[row] = at + i;
        for (int k = 0; !final && k < T; k++)
            index[row * b->T + k] = at + i * T + k;
    }
    return th_batch_outputs(&m->signature, &g->batch);
}

ThVar th_model_by_length(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    size_t outputs = (size_t)th_batch_outputs(&m->signature, b);
    int *row = sort_rows(t, b), *index = th_tape_take(t, outputs, sizeof *index), at = 0;
    ThVar all = -1;
    if (!row || !index)
        return -1;
    memset(index, 0xff, outputs * sizeof *index);
    for (int done = 0; done < b->B;) {
        Group g;
        if (!take_group(t, b, row + done, b->B - done, &g))
            return -1;
        ThVar z = th_model_run(m, t, &g.batch, how);
        if (z < 0)
            return -1;
        at += place_logits(m, b, &g, at, index);
        all = all < 0 ? z : th_op_stack(t, all, z);
        done += g.batch.B;
    }
    return th_op_rows(t, all, index, (int)outputs, 1);
}
