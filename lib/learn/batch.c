#include "learn/batch.h"

#include <limits.h>

bool th_batch_fits(int B, int T, ThError *err)
{
    if ((long long)B * T <= INT_MAX)
        return true;
    return th_fail(err, TH_EVALUE, "%d strings of %d symbols are too much at a time", B, T) ||
           th_hint(err, "at most %d symbols: make batch= or length= smaller", INT_MAX);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Numbers in the target of a position. */
static size_t per_answer(const ThSignature *s)
{
    return s->target == TH_TARGET_BITS ? (size_t)s->n_classes : 1;
}

size_t th_batch_answers(const ThSignature *s, const ThBatch *b)
{
    return (s->target == TH_TARGET_FINAL ? 1 : (size_t)b->T) * per_answer(s);
}

int th_batch_outputs(const ThSignature *s, const ThBatch *b)
{
    return s->target == TH_TARGET_FINAL ? b->B : b->B * b->T;
}

int th_batch_length(const ThBatch *b, int i)
{
    return b->length ? b->length[i] : b->T;
}

int *th_batch_token(const ThBatch *b, int i)
{
    return b->token + (size_t)i * (size_t)b->T;
}

int *th_batch_target(const ThSignature *s, const ThBatch *b, int i)
{
    return b->target + (size_t)i * th_batch_answers(s, b);
}

bool th_batch_holds(const ThBatch *b, const int *word, int length)
{
    for (int i = 0; i < b->B; i++)
        if (th_batch_length(b, i) == length &&
            memcmp(th_batch_token(b, i), word, (size_t)length * sizeof *word) == 0)
            return true;
    return false;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Room only grows, so that a loop over batches asks for memory in its first turns only. */
static bool room(int **array, size_t *have, size_t need, ThError *err)
{
    if (*array && *have >= need)
        return true;
    free(*array);
    *array = th_alloc(need, sizeof **array, err);
    *have = *array ? need : 0;
    return *array != NULL;
}

bool th_batch_reserve(ThBatch *b, const ThSignature *s, bool ragged, ThError *err)
{
    size_t rows = (size_t)b->B;
    if (!th_batch_fits(b->B, b->T, err) ||
        !room(&b->token, &b->n_token, rows * (size_t)b->T, err) ||
        !room(&b->target, &b->n_target, rows * th_batch_answers(s, b), err))
        return false;
    if (!ragged) {
        free(b->length);
        b->length = NULL;
        b->n_length = 0;
        return true;
    }
    if (!room(&b->length, &b->n_length, rows, err))
        return false;
    for (int i = 0; i < b->B; i++)
        b->length[i] = b->T;
    return true;
}

void th_batch_pad(ThBatch *b, const ThSignature *s)
{
    for (int i = 0; b->length && i < b->B; i++) {
        size_t n = (size_t)b->length[i], left = (size_t)b->T - n;
        memset(th_batch_token(b, i) + n, 0, left * sizeof *b->token);
        if (s->target != TH_TARGET_FINAL)
            memset(th_batch_target(s, b, i) + n * per_answer(s), 0xff,
                   left * per_answer(s) * sizeof *b->target);
    }
}

/* Moves rows of `size` bytes from a distance of `from` bytes to a smaller one. */
static void move_together(void *rows, int B, size_t from, size_t to)
{
    char *base = rows;
    for (size_t i = 1; rows && from != to && i < (size_t)B; i++)
        memmove(base + i * to, base + i * from, to);
}

void th_batch_trim(ThBatch *b, const ThSignature *s)
{
    int longest = 1;
    bool ragged = false;
    for (int i = 0; b->length && i < b->B; i++) {
        longest = b->length[i] > longest ? b->length[i] : longest;
        ragged |= b->length[i] != b->length[0];
    }
    if (!b->length)
        return;
    size_t width = (size_t)b->T * sizeof(int), less = (size_t)longest * sizeof(int);
    size_t answers = th_batch_answers(s, b) * sizeof(int);
    b->T = longest;
    move_together(b->token, b->B, width, less);
    move_together(b->target, b->B, answers, th_batch_answers(s, b) * sizeof(int));
    if (ragged)
        return;
    free(b->length);
    b->length = NULL;
    b->n_length = 0;
}

void th_batch_put(ThBatch *to, const ThSignature *s, int at, const ThBatch *from)
{
    size_t answers = th_batch_answers(s, from) * sizeof *to->target;
    for (int i = 0; i < from->B; i++) {
        int n = th_batch_length(from, i);
        to->length[at + i] = n;
        memcpy(th_batch_token(to, at + i), th_batch_token(from, i), (size_t)n * sizeof *to->token);
        memcpy(th_batch_target(s, to, at + i), th_batch_target(s, from, i), answers);
    }
}

bool th_batch_join(ThBatch *to, const ThSignature *s, const ThBatch *first, const ThBatch *second,
                   ThError *err)
{
    to->B = first->B + second->B;
    to->T = first->T > second->T ? first->T : second->T;
    if (!th_batch_reserve(to, s, true, err))
        return false;
    th_batch_put(to, s, 0, first);
    th_batch_put(to, s, first->B, second);
    th_batch_pad(to, s);
    return true;
}

ThBatch th_batch_slice(const ThBatch *b, const ThSignature *s, int first, int n)
{
    size_t cells = (size_t)first * (size_t)b->T;
    return (ThBatch){.B = n,
                     .T = b->T,
                     .token = b->token ? b->token + cells : NULL,
                     .target = b->target ? th_batch_target(s, b, first) : NULL,
                     .length = b->length ? b->length + first : NULL};
}

void th_batch_free(ThBatch *b)
{
    TH_FREE(b->token, b->target, b->length);
    *b = (ThBatch){0};
}
