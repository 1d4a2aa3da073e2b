/* A text of the user's own, to be gone on with symbol by symbol; and how well it is foretold when
 * the model has read a window of it. */
#include <math.h>

#include "base/file.h"
#include "tasks/task_parts.h"

enum { MOST_BYTES = 1 << 30, MOST_SYMBOLS = UINT16_MAX, POINTS = 0x110000 };

static const ThOptionSpec options[] = {
    {"tokens", TH_CHOICE, "characters", 0, 0, "characters|bytes", "what the symbols are"},
    {"context", TH_INT, "128", 2, 1000000, NULL,
     "symbols of the windows that training reads; train length= says others"},
    {"split", TH_REAL, "0.9", 0, 1, NULL,
     "the share of the text, from its beginning, that is for training; the rest is to test on"},
    {"scored", TH_CHOICE, "last", 0, 0, "last|all",
     "what evaluate asks for in a window: its last symbol, or all but the first"},
    {0}};
enum { TOKENS_CHARACTERS, TOKENS_BYTES }; /* tokens= */
enum { SCORED_LAST, SCORED_ALL };         /* scored= */

typedef struct {
    size_t n, n_train;
    uint16_t *token; /* (n) */
    double most;     /* the share of the most frequent symbol in what is to test on */
    double entropy;  /* of its symbols, in nats: the loss of the best answer that reads nothing */
} Data;

static void free_data(void *data)
{
    Data *d TH_OWNED(free) = data;
    free(d->token);
}

static void *copy_data(const void *data, ThError *err)
{
    const Data *d = data;
    Data *c = th_copy(d, 1, sizeof *d, err);
    return TH_KEEP_IF(c && (c->token = th_copy(d->token, d->n, sizeof *d->token, err)), c, free);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The next symbol of a text as a number, a byte or a character; returns its size, or 0 for what is
 * no character. */
static size_t next_symbol(const char *s, size_t n, bool bytes, int32_t *symbol)
{
    if (!bytes)
        return th_utf8_next(s, n, symbol);
    *symbol = (unsigned char)*s;
    return 1;
}

static bool bad_symbol(const char *text, size_t at, ThError *err)
{
    int line = 1, col = 1;
    for (size_t i = 0; i < at; i++) {
        col = text[i] == '\n' ? 1 : col + (((unsigned char)text[i] & 0xc0) != 0x80);
        line += text[i] == '\n';
    }
    return th_fail_at(err, TH_EVALUE, line, col,
                      text[at] ? "this is no character of UTF-8" : "a character without a name") ||
           th_hint(err, "tokens=bytes takes every file");
}

static char *name_of(int32_t symbol, const char *text, size_t size, bool bytes, ThError *err)
{
    char name[TH_TASK_BYTE_NAME];
    if (!bytes)
        return th_strndup(text, size, err);
    th_task_byte_name((unsigned char)symbol, name);
    return th_strdup(name, err);
}

/* Marks the symbols that occur: where[symbol] becomes 1 and a place where it stands. */
static bool find_symbols(const char *text, size_t size, bool bytes, size_t *where, ThError *err)
{
    int32_t symbol = 0;
    for (size_t at = 0, step; at < size; at += step) {
        step = next_symbol(text + at, size - at, bytes, &symbol);
        if (step == 0 || (symbol == 0 && !bytes))
            return bad_symbol(text, at, err);
        where[symbol] = at + 1;
    }
    return true;
}

/* Names the symbols in their order; where[symbol] becomes its number. */
static bool name_symbols(ThSignature *s, const char *text, size_t size, bool bytes, size_t *where,
                         ThError *err)
{
    int n = 0;
    for (int32_t i = 0; i < POINTS; i++)
        n += where[i] > 0;
    if (n < 2 || n > MOST_SYMBOLS)
        return th_fail(err, TH_EVALUE, "a text has 2 to %d different symbols, and this has %d",
                       MOST_SYMBOLS, n);
    s->symbol = th_alloc((size_t)n, sizeof *s->symbol, err);
    s->label = th_alloc((size_t)n, sizeof *s->label, err);
    for (int32_t i = 0; s->symbol && s->label && i < POINTS; i++) {
        if (where[i] == 0)
            continue;
        const char *at = text + where[i] - 1;
        size_t left = size - (where[i] - 1);
        int32_t symbol;
        size_t step = next_symbol(at, left, bytes, &symbol);
        where[i] = (size_t)s->n_symbols;
        if (!(s->symbol[s->n_symbols] = name_of(i, at, step, bytes, err)))
            return false;
        s->n_symbols++;
        if (!(s->label[s->n_classes] = th_strdup(s->symbol[s->n_classes], err)))
            return false;
        s->n_classes++;
    }
    return s->n_symbols == n;
}

static bool number_symbols(Data *d, const char *text, size_t size, bool bytes, const size_t *where,
                           ThError *err)
{
    int32_t symbol;
    d->token = th_alloc(size, sizeof *d->token, err);
    for (size_t at = 0; d->token && at < size; d->n++) {
        at += next_symbol(text + at, size - at, bytes, &symbol);
        d->token[d->n] = (uint16_t)where[symbol];
    }
    return d->token != NULL;
}

/* How often the symbols stand in what is to test on. */
static bool count_symbols(Data *d, int n_symbols, ThError *err)
{
    size_t *count TH_OWNED(free) = th_alloc((size_t)n_symbols, sizeof *count, err);
    double n = (double)(d->n - d->n_train);
    for (size_t i = d->n_train; count && i < d->n; i++)
        count[d->token[i]]++;
    for (int i = 0; count && i < n_symbols; i++) {
        double share = (double)count[i] / n;
        d->most = fmax(d->most, share);
        d->entropy -= share > 0 ? share * log(share) : 0;
    }
    return count != NULL;
}

static bool read_text(ThTask *t, const char *text, size_t size, ThError *err)
{
    bool bytes = th_option_choice(&t->options, "tokens") == TOKENS_BYTES;
    size_t *where TH_OWNED(free) = th_alloc(POINTS, sizeof *where, err);
    Data *d = t->data = th_alloc(1, sizeof *d, err);
    bool ok = where && d && find_symbols(text, size, bytes, where, err) &&
              name_symbols(&t->signature, text, size, bytes, where, err) &&
              number_symbols(d, text, size, bytes, where, err);
    if (!ok)
        return false;
    d->n_train = (size_t)(th_option_real(&t->options, "split") * (double)d->n);
    return count_symbols(d, t->signature.n_symbols, err);
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    size_t size;
    char *text TH_OWNED(free) = th_file_read(from->file, MOST_BYTES, &size, err);
    t->signature.target = TH_TARGET_EVERY;
    t->signature.next = true;
    return text && read_text(t, text, size, err);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* A window has a symbol to be asked for, and one before it. */
static int length(const ThTask *t TH_UNUSED, int length)
{
    return length < 2 ? 2 : length;
}

static int tokens(const ThTask *t TH_UNUSED, int length)
{
    return length - 1;
}

static ThRange lengths(const ThTask *t)
{
    long long context = th_option_int(&t->options, "context");
    return (ThRange){context, context, 1};
}

/* A part of the text, from first to end. */
typedef struct {
    size_t first, end;
    bool by_last; /* what is drawn is a window's last symbol, not its first one */
} Part;

/* Where a window begins.  Where its last symbol is drawn, the same draw is the same symbol at every
 * width, but where too few stand before it. */
static size_t draw_window(ThRng *r, const Part *p, size_t width)
{
    size_t n = p->end - p->first, places = n - width + 1;
    if (!p->by_last)
        return p->first + th_rng_below(r, places);
    size_t last = th_rng_below(r, n);
    return p->first + (last < width - 1 ? last % places : last - (width - 1));
}

/* Fills rows with windows of b->T+1 symbols. */
static bool put_windows(const ThTask *t, ThRng *r, const Part *p, ThBatch *b, ThError *err)
{
    const Data *d = t->data;
    size_t width = (size_t)b->T + 1;
    if (p->end - p->first < width)
        return th_fail(err, TH_EVALUE, "the text to %s on has %zu symbols, and a window %zu",
                       p->by_last ? "test" : "train", p->end - p->first, width) ||
               th_hint(err, "split= says which share of it is for training");
    for (int i = 0; i < b->B; i++) {
        const uint16_t *from = d->token + draw_window(r, p, width);
        int *row = th_batch_token(b, i), *target = th_batch_target(&t->signature, b, i);
        for (int k = 0; k < b->T; k++) {
            row[k] = from[k];
            target[k] = from[k + 1];
        }
    }
    return true;
}

static bool study(const ThTask *t, ThRng *r, const ThRange *sizes, ThBatch *b, ThError *err)
{
    const Data *d = t->data;
    long long drawn = sizes->lo + sizes->step * (long long)th_rng_below(r, th_range_count(*sizes));
    b->T = tokens(t, length(t, (int)drawn));
    return th_batch_reserve(b, &t->signature, false, err) &&
           put_windows(t, r, &(Part){0, d->n_train, false}, b, err);
}

static bool draw(const ThTask *t, ThRng *r, int length TH_UNUSED, ThBatch *b, ThError *err)
{
    const Data *d = t->data;
    if (!put_windows(t, r, &(Part){d->n_train, d->n, true}, b, err))
        return false;
    if (th_option_choice(&t->options, "scored") == SCORED_ALL)
        return true;
    for (int i = 0; i < b->B; i++) {
        int *target = th_batch_target(&t->signature, b, i);
        for (int k = 0; k + 1 < b->T; k++)
            target[k] = -1;
    }
    return true;
}

static double chance(const ThTask *t, int length TH_UNUSED)
{
    return ((const Data *)t->data)->most;
}

static void describe(const ThTask *t, ThText *to)
{
    const Data *d = t->data;
    const char *what = th_option_text(&t->options, "tokens");
    th_text_printf(to, "# text      %zu %s to train on, %zu to test on", d->n_train, what,
                   d->n - d->n_train);
    if (d->n > d->n_train)
        th_text_printf(to, "; of these, by their frequencies alone, the perplexity is %.4g",
                       exp(d->entropy));
    th_text_add(to, "\n");
}

const ThTaskKind th_task_kind_text = {
    .name = "text",
    .summary = "go on with a text of your own, by characters or bytes",
    .source = "Chi et al. 2023 (RegularGPT), section 6; Press, Smith and Lewis 2022",
    .detail =
        "task t = text \"book.txt\".  The symbols are the characters of UTF-8 in the file, or with "
        "tokens=bytes its bytes, of which those that do not print are called <0A> and so on.  The "
        "beginning of the text is for training, the end for tests, which split= divides.\n\n"
        "train reads windows of context= symbols from random places, or of train length=; every "
        "symbol but the first is asked for.  evaluate draws windows of each length from the text "
        "to test on and asks for the last symbol only, all others being read, so that every "
        "answer has as much in front of it, and for the same symbols at every length, so that "
        "lengths compare; perplexity is e to the power of the mean loss "
        "(papers take samples=1000).  Its chance is the share of the most frequent symbol.",
    .takes_file = true,
    .perplexity = true,
    .options = options,
    .init = init,
    .length = length,
    .tokens = tokens,
    .lengths = lengths,
    .study = study,
    .draw = draw,
    .chance = chance,
    .describe = describe,
    .copy_data = copy_data,
    .free_data = free_data,
};
