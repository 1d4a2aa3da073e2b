#include "inspect/verify.h"

#include <math.h>

#include "automata/words/log_count.h"
#include "automata/words/words.h"
#include "inspect/reader.h"

enum { AT_ONCE = 512 };

typedef struct {
    const ThInspectTruth *truth;
    const ThInspectVerification *how;
    ThInspectVerified *v;
    ThInspectReader reader;
    ThWordCount *count; /* of the words that are asked about */
    int *symbol;        /* (AT_ONCE, longest): words that are still to be read */
    size_t start[AT_ONCE + 1];
    int n;
    int *said; /* (width) */
    int *next; /* the tree of wrong words: (nodes, n_symbols), 0: none; node 0 is the root */
    bool *end; /* (nodes): a wrong word ends there */
    size_t nodes, next_cap, end_cap;
    bool too_many;
} Verify;

/* ---- the tree of wrong words ----------------------------------------------------------------- */

static bool add_node(Verify *x, ThError *err)
{
    size_t k = (size_t)x->truth->machine->n_symbols;
    if (!th_grow(&x->next, &x->next_cap, (x->nodes + 1) * k, sizeof *x->next, err) ||
        !th_grow(&x->end, &x->end_cap, x->nodes + 1, sizeof *x->end, err))
        return false;
    memset(x->next + x->nodes * k, 0, k * sizeof *x->next);
    x->end[x->nodes++] = false;
    return true;
}

static bool remember(Verify *x, const int *word, int length, ThError *err)
{
    size_t k = (size_t)x->truth->machine->n_symbols, node = 0;
    if (x->too_many || x->how->most_nodes == 0)
        return true;
    for (int i = 0; i < length; i++) {
        size_t at = node * k + (size_t)word[i];
        if (x->next[at] == 0) {
            if ((x->too_many = x->nodes >= x->how->most_nodes))
                return true;
            x->next[at] = (int)x->nodes;
            if (!add_node(x, err))
                return false;
        }
        node = (size_t)x->next[at];
    }
    x->end[node] = true;
    return true;
}

/* The tree with a sink, made minimal. */
static bool fold(Verify *x, ThError *err)
{
    int n = (int)x->nodes, k = x->truth->machine->n_symbols;
    if (x->too_many || x->how->most_nodes == 0)
        return true;
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(n + 1, k, 2, err);
    if (!d)
        return false;
    for (int i = 0; i < (n + 1) * k; i++)
        d->next[i] = i < n * k && x->next[i] ? x->next[i] : n;
    for (int q = 0; q < n; q++)
        d->label[q] = x->end[q];
    x->v->errors = th_dfa_minimize(d, x->how->stop, err);
    return x->v->errors != NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The first wrong word, with what is said at its first wrong position. */
static bool keep(Verify *x, const int *word, int length, const int *due, ThError *err)
{
    ThInspectVerified *v = x->v;
    size_t width = (size_t)x->truth->width;
    v->word = th_copy(word, (size_t)length, sizeof *word, err);
    v->due = th_copy(due, width, sizeof *due, err);
    v->said = th_copy(x->said, width, sizeof *x->said, err);
    v->n_word = length;
    return v->word && v->due && v->said;
}

static bool told(void *context, size_t i, const int *answer, ThError *err)
{
    Verify *x = context;
    ThInspectVerified *v = x->v;
    ThInspectVerifiedLength *l = &v->length[v->n - 1];
    const int *word = x->symbol + x->start[i], *due = NULL;
    int at =
        th_inspect_truth_wrong(x->truth, word, l->length, answer, &due, x->said, x->how->stop, err);
    l->words++;
    v->open += at == TH_INSPECT_TRUTH_OPEN;
    if (at < 0)
        return at != TH_INSPECT_TRUTH_ERROR;
    l->wrong++;
    if (x->how->wrong && !x->how->wrong(x->how->context, word, l->length, err))
        return false;
    if (!v->word) {
        v->at = at;
        if (!keep(x, word, l->length, due, err))
            return false;
    }
    return !l->all || remember(x, word, l->length, err);
}

/* Reads the words that have been put together. */
static bool flush(Verify *x, ThError *err)
{
    ThLstarWords words = {(size_t)x->n, x->symbol, x->start};
    bool ok =
        th_inspect_read(&x->reader, &(ThInspectRead){&words, x, told, x->how->stop, true}, err);
    x->n = 0;
    return ok;
}

/* Makes room for one more word of a length; returns NULL where that fails. */
static int *more(Verify *x, int length, ThError *err)
{
    if (x->n == AT_ONCE && !flush(x, err))
        return NULL;
    x->start[x->n + 1] = x->start[x->n] + (size_t)length;
    return x->symbol + x->start[x->n++];
}

static bool read_all(Verify *x, int length, ThError *err)
{
    ThError own = {0};
    const int *word;
    int n;
    ThWordsList *list TH_OWNED(th_word_list_free) =
        th_word_list(x->truth->machine, length, length, err);
    bool ok = list != NULL;
    while (ok && th_word_list_next(list, &word, &n, x->how->stop, &own)) {
        int *to = more(x, length, err);
        ok = to != NULL;
        if (ok)
            memcpy(to, word, (size_t)length * sizeof *word);
    }
    if (ok && own.code != TH_OK)
        return th_fail(err, own.code, "%s", own.msg);
    return ok && flush(x, err);
}

static bool read_some(Verify *x, int length, ThError *err)
{
    ThRng r = th_rng(x->how->seed, "verify", (uint64_t)length);
    for (int i = 0; i < x->how->samples; i++) {
        int *to = more(x, length, err);
        if (!to)
            return false;
        th_words_draw(x->count, &r, to, length);
    }
    return flush(x, err);
}

/* The words of one length; `whole` tells whether all words up to here could be read, and becomes
 * whether these were. */
static bool read_length(Verify *x, int length, bool *whole, ThError *err)
{
    ThInspectVerified *v = x->v;
    double words = exp(th_words_log(x->count, x->truth->machine->start, length));
    if (words < 0.5)
        return true;
    *whole = *whole && (double)v->words + words < (double)x->how->words + 0.5;
    ThInspectVerifiedLength *l = &v->length[v->n++];
    *l = (ThInspectVerifiedLength){.length = length, .all = *whole};
    if (x->how->progress)
        x->how->progress(x->how->context, v->words + v->drawn, length);
    if (!(*whole ? read_all : read_some)(x, length, err))
        return false;
    if (*whole)
        v->all = length;
    *(*whole ? &v->words : &v->drawn) += l->words;
    *(*whole ? &v->wrong : &v->drawn_wrong) += l->wrong;
    return true;
}

static bool prepare(Verify *x, ThError *err)
{
    const ThDfa *d = x->truth->machine;
    size_t longest = (size_t)x->how->length.hi;
    bool *asked TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *asked, err);
    for (int q = 0; asked && q < d->n_states; q++)
        asked[q] = d->label[q] == 1;
    x->count = asked ? th_words_count(d, asked, (int)longest, err) : NULL;
    x->v->length = th_alloc(th_range_count(x->how->length), sizeof *x->v->length, err);
    x->symbol = th_alloc(AT_ONCE * longest, sizeof *x->symbol, err);
    x->said = th_alloc((size_t)x->truth->width, sizeof *x->said, err);
    return x->count && x->v->length && x->symbol && x->said && add_node(x, err);
}

bool th_inspect_verify(const ThModel *m, const ThInspectTruth *t, const ThInspectVerification *how,
                       ThInspectVerified *v, ThError *err)
{
    *v = (ThInspectVerified){.step = (int)how->length.step};
    Verify x = {.truth = t, .how = how, .v = v, .reader = {.model = m}};
    ThRange l = how->length;
    bool whole = true, ok = prepare(&x, err);
    for (long long n = l.lo; ok && n <= l.hi; n += l.step)
        ok = read_length(&x, (int)n, &whole, err);
    if (ok && v->n == 0)
        ok = th_fail(err, TH_EVALUE, "nothing is asked about words of %lld to %lld symbols", l.lo,
                     l.hi);
    else if (ok && v->words + v->drawn == 0)
        ok = th_fail(err, TH_EVALUE, "words= and samples= are too few to read any word");
    v->shortest = v->word && l.lo == 1 && l.step == 1 && v->n_word <= v->all;
    ok = ok && fold(&x, err);
    th_inspect_reader_free(&x.reader);
    th_words_free(x.count);
    TH_FREE(x.symbol, x.said, x.next, x.end);
    return ok;
}

void th_inspect_verified_free(ThInspectVerified *v)
{
    TH_FREE(v->length, v->word, v->due, v->said);
    th_dfa_free(v->errors);
    *v = (ThInspectVerified){0};
}
