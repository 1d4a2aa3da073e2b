#include "inspect/reader.h"

#include "lab/evaluate.h"

enum { MOST_WORDS = 512, MOST_TOKENS = 1 << 14 };

static int length_of(const ThLstarWords *w, size_t i)
{
    return (int)(w->start[i + 1] - w->start[i]);
}

/* How many words from number `first` on, of at most so many, go into one batch; *longest gets the
 * symbols of the longest of them. */
static int take(const ThLstarWords *w, size_t first, int most_words, int *longest)
{
    int n = 0;
    *longest = 0;
    for (; first + (size_t)n < w->n && n < most_words; n++) {
        int length = length_of(w, first + (size_t)n);
        int most = length > *longest ? length : *longest;
        if (n > 0 && (n + 1) * (long long)most > MOST_TOKENS)
            break;
        *longest = most;
    }
    return n;
}

static bool fill(ThInspectReader *r, const ThInspectRead *how, size_t first, ThError *err)
{
    ThBatch *b = &r->batch;
    const ThLstarWords *w = how->words;
    const ThSignature *s = &r->model->signature;
    b->B = take(w, first, how->alone ? 1 : MOST_WORDS, &b->T);
    if (!th_batch_reserve(b, s, true, err))
        return false;
    for (int i = 0; i < b->B; i++) {
        b->length[i] = length_of(w, first + (size_t)i);
        memcpy(th_batch_token(b, i), w->symbol + w->start[first + (size_t)i],
               (size_t)b->length[i] * sizeof *b->token);
    }
    th_batch_pad(b, s);
    th_batch_trim(b, s);
    return true;
}

bool th_inspect_read(ThInspectReader *r, const ThInspectRead *how, ThError *err)
{
    const ThSignature *s = &r->model->signature;
    if (!r->tape && !(r->tape = th_model_run_tape(r->model, 1, err)))
        return false;
    for (size_t first = 0; first < how->words->n; first += (size_t)r->batch.B) {
        if (th_stopped(how->stop, err) || !fill(r, how, first, err))
            return false;
        size_t width = th_batch_answers(s, &r->batch);
        if (!th_grow(&r->answer, &r->answer_cap, width * (size_t)r->batch.B, sizeof *r->answer,
                     err) ||
            !th_lab_answer(r->model, r->tape, &r->batch, r->answer, err))
            return false;
        for (int i = 0; i < r->batch.B; i++)
            if (!how->told(how->context, first + (size_t)i, r->answer + (size_t)i * width, err))
                return false;
    }
    return true;
}

void th_inspect_reader_free(ThInspectReader *r)
{
    th_tape_free(r->tape);
    th_batch_free(&r->batch);
    free(r->answer);
    *r = (ThInspectReader){.model = r->model};
}
