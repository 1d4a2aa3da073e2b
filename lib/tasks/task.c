#include "tasks/task.h"

#include <limits.h>
#include <math.h>

#include "base/registry.h"
#include "tasks/epoch.h"
#include "tasks/task_parts.h"

static const ThTaskKind *const kinds[] = {
#define KIND(name) &th_task_kind_##name,
#include "tasks/kinds.def"
#undef KIND
};

TH_REGISTRY(ThTaskKind, kinds, th_task_kinds, th_task_kind)

/* Whether there is what the kind takes. */
static bool check_source(const ThTaskKind *kind, const ThTaskSource *from, ThError *err)
{
    if (kind->takes_language && from->language)
        return true;
    if (kind->takes_automaton && !from->automaton)
        return th_fail(err, TH_EUSAGE, "%s needs an automaton", kind->name) ||
               th_hint(err, "task t = %s NAME", kind->name);
    if (kind->takes_automaton && from->automaton->n_symbols == 0)
        return th_fail(err, TH_EVALUE, "the automaton's alphabet is empty");
    if (kind->takes_file && !from->file)
        return th_fail(err, TH_EUSAGE, "%s needs the name of a file", kind->name) ||
               th_hint(err, "task t = %s \"FILE\"", kind->name);
    if (kind->takes_pad && !from->pad)
        return th_fail(err, TH_EUSAGE, "%s needs a kind of scratchpad", kind->name) ||
               th_hint(err, "task t = %s addition", kind->name);
    if (kind->takes_program && !(from->program && from->name))
        return th_fail(err, TH_EUSAGE, "%s needs an s-op", kind->name) ||
               th_hint(err, "task t = %s NAME", kind->name);
    return true;
}

ThTask *th_task_new(const ThTaskKind *kind, const ThOptions *options, const ThTaskSource *from,
                    ThError *err)
{
    static const ThTaskSource nothing = {0};
    if (!from)
        from = &nothing;
    if (!check_source(kind, from, err))
        return NULL;
    ThTask *t = th_alloc(1, sizeof *t, err);
    if (!t)
        return NULL;
    t->kind = from->language && kind->of_language ? kind->of_language : kind;
    bool ok = options ? th_options_copy(&t->options, options, err)
                      : th_options_init(&t->options, kind->options, err);
    return TH_KEEP_IF(ok && t->kind->init(t, from, err), t, th_task_free);
}

ThTask *th_task_copy(const ThTask *t, ThError *err)
{
    ThTask *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    *c = *t;
    c->options = (ThOptions){0};
    c->signature = (ThSignature){0};
    c->machine = NULL;
    c->bits = NULL;
    c->data = NULL;
    if (!th_options_copy(&c->options, &t->options, err) ||
        !th_signature_copy(&c->signature, &t->signature, err) ||
        (t->machine && !(c->machine = th_dfa_copy(t->machine, err))) ||
        (t->data && !(c->data = t->kind->copy_data(t->data, err))))
        goto fail;
    size_t n_bits =
        t->bits && t->machine ? (size_t)t->machine->n_states * (size_t)t->signature.n_classes : 0;
    if (t->bits && !(c->bits = th_copy(t->bits, n_bits, sizeof *t->bits, err)))
        goto fail;
    return c;
fail:
    th_task_free(c);
    return NULL;
}

void th_task_free(ThTask *t)
{
    if (!t)
        return;
    th_options_free(&t->options);
    th_signature_free(&t->signature);
    th_dfa_free(t->machine);
    free(t->bits);
    if (t->data)
        t->kind->free_data(t->data);
    free(t);
}

const ThDfa *th_task_machine(const ThTask *t, ThError *err)
{
    if (!t->machine)
        th_fail(err, TH_EVALUE, "no automaton labels the strings of a task of kind %s",
                t->kind->name);
    return t->machine;
}

bool th_task_words(const ThTask *t, ThDfa **words, ThError *err)
{
    *words = t->kind->words ? t->kind->words(t, err) : NULL;
    return *words || !t->kind->words;
}

int th_task_length(const ThTask *t, int length)
{
    return t->kind->length ? t->kind->length(t, length) : length;
}

int th_task_tokens(const ThTask *t, int length)
{
    int drawn = th_task_length(t, length);
    return t->kind->tokens ? t->kind->tokens(t, drawn) : drawn;
}

/* ---- drawing and labelling ------------------------------------------------------------------- */

bool th_task_sample(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    if (length < 1)
        return th_fail(err, TH_EVALUE, "a string of length %d cannot be drawn: the least is 1",
                       length);
    bool ragged = t->kind->ragged;
    b->T = th_task_tokens(t, length);
    if (!th_batch_reserve(b, &t->signature, ragged, err) ||
        !t->kind->draw(t, r, th_task_length(t, length), b, err))
        return false;
    th_task_label(t, b);
    th_batch_pad(b, &t->signature);
    th_batch_trim(b, &t->signature);
    return true;
}

ThRange th_task_lengths(const ThTask *t, ThRange otherwise)
{
    return t->kind->lengths ? t->kind->lengths(t) : otherwise;
}

static int label(const ThTask *t, int q)
{
    int c = t->machine->label[q];
    return c < t->signature.n_classes ? c : -1;
}

/* The answers at every position of one string. */
static void label_prefixes(const ThTask *t, const int *word, int length, int *target)
{
    const ThDfa *d = t->machine;
    size_t n = t->bits ? (size_t)t->signature.n_classes : 1;
    int q = d->start;
    for (int i = 0; i < length; i++) {
        q = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)word[i]];
        if (t->bits)
            memcpy(target + (size_t)i * n, t->bits + (size_t)q * n, n * sizeof *target);
        else
            target[i] = t->last_only && i < length - 1 ? -1 : label(t, q);
    }
}

static void label_by_machine(const ThTask *t, ThBatch *b)
{
    const ThDfa *d = t->machine;
    for (int i = 0; i < b->B; i++) {
        const int *word = th_batch_token(b, i);
        int n = th_batch_length(b, i), *target = th_batch_target(&t->signature, b, i);
        if (t->signature.target == TH_TARGET_FINAL)
            *target = label(t, th_dfa_walk(d, d->start, word, (size_t)n));
        else
            label_prefixes(t, word, n, target);
    }
}

void th_task_label(const ThTask *t, ThBatch *b)
{
    if (t->machine)
        label_by_machine(t, b);
    else if (t->kind->label)
        t->kind->label(t, b);
}

bool th_task_judge(const ThTask *t, ThTaskWord prompt, ThTaskWord said, ThTaskVerdict *v,
                   ThError *err)
{
    *v = (ThTaskVerdict){.kind = ""};
    if (!t->kind->judge)
        return th_fail(err, TH_EVALUE, "a task of kind %s has nothing to judge", t->kind->name);
    return t->kind->judge(t, prompt, said, v, err);
}

bool th_task_same_answer(const ThTask *t, ThTaskWord said, ThTaskWord truth)
{
    if (t->kind->same_answer)
        return t->kind->same_answer(t, said, truth);
    return said.n == truth.n &&
           memcmp(said.token, truth.token, (size_t)said.n * sizeof *said.token) == 0;
}

int th_task_truth(const ThSignature *s, ThTaskWord word)
{
    int class = -1;
    for (size_t i = 0; class < 0 && i < sizeof kinds / sizeof *kinds; i++)
        class = kinds[i]->truth ? kinds[i]->truth(s, word) : -1;
    return class;
}

int th_task_separator(const ThTask *t)
{
    return t->kind->separator ? t->kind->separator(t) : -1;
}

double th_task_chance(const ThTask *t, int length)
{
    return t->kind->chance ? t->kind->chance(t, th_task_length(t, length)) : (double)NAN;
}

/* ---- data sets ------------------------------------------------------------------------------- */

bool th_task_finite(const ThTask *t)
{
    return t->kind->count != NULL;
}

long long th_task_count(const ThTask *t, const ThTaskRows *which)
{
    return t->kind->count ? t->kind->count(t, which) : 0;
}

bool th_task_need_rows(const ThTask *t, const ThTaskRows *which, ThError *err)
{
    const char *use = which->part == TH_TASK_TRAIN ? "train" : "test";
    if (th_task_count(t, which) > 0)
        return true;
    if (th_task_count(t, &(ThTaskRows){which->part, 1, INT_MAX}) == 0)
        return th_fail(err, TH_EVALUE, "there is no row to %s on", use) ||
               th_hint(err, "split= says which share of the rows is for training");
    if (which->lo == which->hi)
        return th_fail(err, TH_EVALUE, "no row to %s on has %d symbols", use, which->lo);
    return th_fail(err, TH_EVALUE, "no row to %s on has %d to %d symbols", use, which->lo,
                   which->hi);
}

bool th_task_take(const ThTask *t, const ThTaskRows *which, const uint64_t *shuffle,
                  long long first, ThBatch *b, ThError *err)
{
    long long n = th_task_count(t, which);
    if (n < 1)
        return th_task_need_rows(t, which, err);
    long long *number TH_OWNED(free) = th_alloc((size_t)b->B, sizeof *number, err);
    if (!number)
        return false;
    for (int i = 0; i < b->B; i++)
        number[i] = shuffle ? th_task_epoch(*shuffle, n, first + i) : (first + i) % n;
    return t->kind->take(t, which, number, b, err);
}

bool th_task_extent(const ThTask *t, const ThTaskRows *which, int *shortest, int *longest,
                    ThError *err)
{
    ThBatch b TH_OWNED(th_batch_free) = {.B = 1};
    bool ok = th_task_take(t, which, NULL, 0, &b, err);
    *shortest = b.T;
    ok = ok && th_task_take(t, which, NULL, th_task_count(t, which) - 1, &b, err);
    *longest = b.T;
    return ok;
}

/* Adds up how often each class is the answer in rows first … first+b->B-1. */
static bool count_classes(const ThTask *t, const ThTaskRows *which, long long first, ThBatch *b,
                          long long *count)
{
    if (!th_task_take(t, which, NULL, first, b, NULL) || !b->target)
        return false;
    size_t n = (size_t)b->B * th_batch_answers(&t->signature, b);
    for (size_t i = 0; i < n; i++)
        if (b->target[i] >= 0)
            count[b->target[i]]++;
    return true;
}

double th_task_majority(const ThTask *t, const ThTaskRows *which)
{
    enum { CHUNK = 1024 };
    long long rows = th_task_count(t, which), most = 0, all = 0;
    long long *count TH_OWNED(free) = th_alloc((size_t)t->signature.n_classes, sizeof *count, NULL);
    ThBatch b TH_OWNED(th_batch_free) = {0};
    bool ok = count != NULL;
    for (long long at = 0; ok && at < rows; at += b.B) {
        b.B = rows - at < CHUNK ? (int)(rows - at) : CHUNK;
        ok = count_classes(t, which, at, &b, count);
    }
    for (int c = 0; ok && c < t->signature.n_classes; c++) {
        all += count[c];
        most = count[c] > most ? count[c] : most;
    }
    return ok && all > 0 ? (double)most / (double)all : (double)NAN;
}
