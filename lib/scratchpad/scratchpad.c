#include "scratchpad/scratchpad.h"

#include <limits.h>

#include "base/registry.h"
#include "scratchpad/hints.h"
#include "scratchpad/writing.h"

static const ThPadKind *const kinds[] = {
#define KIND(name) &th_pad_##name,
#include "scratchpad/kinds.def"
#undef KIND
};

enum { MOST_BYTES = 1 << 30 };

TH_REGISTRY(ThPadKind, kinds, th_pad_kinds, th_pad_kind)

/* ---- making one ------------------------------------------------------------------------------ */

bool th_pad_add_token(ThPad *p, const char *token, ThError *err)
{
    size_t index, size = strlen(token);
    if (!th_intern(&p->token, token, size, &index, err))
        return false;
    if (index > INT_MAX / 2)
        return th_fail(err, TH_ELIMIT, "too many tokens");
    if (size == 1)
        p->byte[(unsigned char)*token] = (int)index;
    return true;
}

bool th_pad_add_tokens(ThPad *p, const char *list, ThError *err)
{
    char word[32];
    for (const char *c = list; *c;) {
        size_t n = strcspn(c, " ");
        memcpy(word, c, n);
        word[n] = '\0';
        if (!th_pad_add_token(p, word, err))
            return false;
        c += n;
        c += strspn(c, " ");
    }
    return true;
}

static bool take_options(ThPad *p, const ThOptions *from, ThError *err)
{
    if (!th_options_init(&p->options, p->kind->options, err))
        return false;
    for (size_t i = 0; from && i < from->n; i++) {
        const ThOption *o = &from->item[i];
        for (const ThOptionSpec *spec = p->kind->options; o->given && spec->name; spec++)
            if (strcmp(spec->name, o->spec->name) == 0 &&
                !th_options_set(&p->options, spec->name, o->text, err))
                return false;
    }
    return true;
}

/* The number of a token, which may stand between blanks; -1: there is none of that name. */
static int find_token(const ThPad *p, const char *token)
{
    token += strspn(token, " ");
    size_t i = th_intern_find(&p->token, token, strcspn(token, " "));
    return i == SIZE_MAX ? -1 : (int)i;
}

ThPad *th_pad_new(const ThPadKind *kind, const ThOptions *options, const ThTm *m, ThError *err)
{
    ThPad *p = th_alloc(1, sizeof *p, err);
    if (!p)
        return NULL;
    p->kind = kind;
    p->source = 1;
    p->answer = -1;
    for (int i = 0; i < 256; i++)
        p->byte[i] = -1;
    bool ok = take_options(p, options, err) &&
              (!kind->takes_machine || (p->machine = th_tm_copy(m, err))) && kind->init(p, err) &&
              th_pad_hints_begin(p, err) &&
              (kind->own_ends ||
               (th_pad_add_token(p, TH_PAD_BOS, err) && th_pad_add_token(p, TH_PAD_EOS, err)));
    if (!ok) {
        th_pad_free(p);
        return NULL;
    }
    p->line_end = find_token(p, p->separator);
    if (p->answer < 0)
        p->answer = p->line_end;
    p->bos = find_token(p, TH_PAD_BOS);
    p->eos = find_token(p, TH_PAD_EOS);
    p->padding = kind->padding ? find_token(p, kind->padding) : -1;
    return p;
}

ThPad *th_pad_copy_of(const ThPad *p, ThError *err)
{
    return th_pad_new(p->kind, &p->options, p->machine, err);
}

void th_pad_free(ThPad *p)
{
    if (!p)
        return;
    th_options_free(&p->options);
    th_tm_free(p->machine);
    th_intern_free(&p->token);
    TH_FREE(p->of_machine, p);
}

void th_pad_example_free(ThPadExample *e)
{
    th_text_free(&e->text);
    *e = (ThPadExample){0};
}

static bool add_hints(const ThPad *p, ThRng *r, ThPadExample *e, ThError *err)
{
    return th_pad_hints(p) == 0 || th_pad_hints_put(p, r, e, err);
}

bool th_pad_write(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err)
{
    o->wrong = 0;
    return p->kind->write(p, o, r, e, err) && add_hints(p, r, e, err);
}

ThRange th_pad_sizes(const ThPad *p)
{
    return th_option_range(&p->options, p->kind->size);
}

bool th_pad_draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err)
{
    ThRange usual = th_pad_sizes(p);
    return p->kind->draw(p, sizes ? sizes : &usual, r, e, err) && add_hints(p, r, e, err);
}

size_t th_pad_most(const ThPad *p, int size)
{
    size_t tokens = p->kind->most(p, (size_t)size);
    return (th_pad_hints(p) ? 2 : 1) * tokens + (p->bos >= 0 ? 2 : 0);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

int th_pad_tokens(const ThPad *p)
{
    return (int)p->token.n;
}

const char *th_pad_token(const ThPad *p, int id, size_t *size)
{
    return th_intern_at(&p->token, (size_t)id, size);
}

static bool unknown_token(const char *token, size_t size, ThError *err)
{
    return th_fail(err, TH_EVALUE, "'%.*s' is no token of this kind of scratchpad",
                   size > 40 ? 40 : (int)size, token);
}

static bool encode_characters(const ThPad *p, const ThPadExample *e, int *id, ThError *err)
{
    const char *text = e->text.data;
    int lowest = 0;
    for (size_t i = 0; i < e->text.size; i++) {
        id[i] = p->byte[(unsigned char)text[i]];
        lowest = id[i] < lowest ? id[i] : lowest;
    }
    for (size_t i = 0; lowest < 0 && i < e->text.size; i++)
        if (id[i] < 0)
            return unknown_token(text + i, 1, err);
    return true;
}

/* Words between blanks.  Where lines are a separator they are a token; comments are none. */
static bool encode_words(const ThPad *p, const ThPadExample *e, int *id, size_t *n,
                         size_t *question, ThError *err)
{
    const char *text = e->text.data;
    size_t size = e->text.size;
    *n = *question = 0;
    for (size_t i = 0; i < size;) {
        while (i < size && text[i] == ' ')
            i++;
        if (i < size && text[i] == '#' && p->byte['#'] < 0)
            while (i < size && text[i] != '\n')
                i++;
        size_t from = i;
        i += i < size && text[i] == '\n';
        while (i < size && text[from] != '\n' && text[i] != ' ' && text[i] != '\n')
            i++;
        if (i == from)
            continue;
        size_t found = i - from == 1 && p->byte[(unsigned char)text[from]] >= 0
                           ? (size_t)p->byte[(unsigned char)text[from]]
                           : th_intern_find(&p->token, text + from, i - from);
        if (found == SIZE_MAX)
            return unknown_token(text + from, i - from, err);
        id[(*n)++] = (int)found;
        *question += from < e->question;
    }
    return true;
}

bool th_pad_encode(const ThPad *p, const ThPadExample *e, int **id, size_t *cap, size_t *n,
                   size_t *question, ThError *err)
{
    if (!th_grow(id, cap, e->text.size + 2, sizeof **id, err))
        return false;
    *n = e->text.size;
    *question = e->question;
    int *to = *id + (p->bos >= 0);
    bool ok =
        p->words ? encode_words(p, e, to, n, question, err) : encode_characters(p, e, to, err);
    if (!ok || p->bos < 0)
        return ok;
    (*id)[0] = p->bos;
    (*id)[*n + 1] = p->eos;
    *n += 2;
    *question += 1;
    return true;
}

void th_pad_decode(const ThPad *p, const int *id, size_t n, ThText *t)
{
    for (size_t i = 0; i < n; i++) {
        size_t size;
        const char *token = th_pad_token(p, id[i], &size);
        if (p->words && i > 0)
            th_text_add_bytes(t, " ", 1);
        th_text_add_bytes(t, token, size);
    }
}

/* Tokens behind the last `mark`. */
static size_t answer_size(const int *id, size_t n, int mark)
{
    size_t size = 0;
    while (size < n && id[n - 1 - size] != mark)
        size++;
    return size;
}

bool th_pad_same_answer(const ThPad *p, const int *a, size_t n, const int *b, size_t m)
{
    size_t size = answer_size(a, n, p->answer);
    if (size != answer_size(b, m, p->answer))
        return false;
    for (size_t i = 1; i <= size; i++) {
        int x = a[n - i], y = b[m - i];
        bool near = x < p->numbers && y < p->numbers && abs(x - y) <= p->near;
        if (x != y && !near)
            return false;
    }
    return true;
}

bool th_pad_example_line(const ThPad *p, const ThPadExample *e, size_t *from, size_t *at,
                         size_t *size)
{
    if (*from == 0)
        *from = e->question;
    if (*from >= e->answer)
        return false;
    size_t gap = strlen(p->separator);
    const char *end = strstr(e->text.data + *from, p->separator);
    size_t to = end ? (size_t)(end - e->text.data) : e->answer;
    *at = *from;
    *size = (to < e->answer ? to : e->answer) - *from;
    *from = to + gap;
    return true;
}

/* ---- for the kinds --------------------------------------------------------------------------- */

static bool too_long(ThError *err)
{
    return th_fail(err, TH_ELIMIT, "the scratchpad would have more than %d characters", MOST_BYTES);
}

char *th_pad_example_begin(ThPadExample *e, size_t size, ThError *err)
{
    e->text.size = e->question = e->answer = 0;
    e->text.failed = false;
    if (size > MOST_BYTES) {
        too_long(err);
        return NULL;
    }
    return th_grow(&e->text.data, &e->text.cap, size + 1, 1, err) ? e->text.data : NULL;
}

void th_pad_example_end(ThPadExample *e, const char *end, size_t question, size_t answer)
{
    e->text.size = (size_t)(end - e->text.data);
    e->text.data[e->text.size] = '\0';
    e->question = question;
    e->answer = answer;
}

bool th_pad_example_good(const ThPadExample *e, ThError *err)
{
    if (e->text.failed || !e->text.data)
        return th_fail(err, TH_ENOMEM, "out of memory");
    return e->text.size <= MOST_BYTES || too_long(err);
}

long long th_pad_draw_from(ThRange range, ThRng *r)
{
    return range.lo + range.step * (long long)th_rng_below(r, th_range_count(range));
}

bool th_pad_digits_ok(const char *text, ThError *err)
{
    size_t n = strspn(text, "0123456789");
    if (n > 0 && text[n] == '\0')
        return true;
    return th_fail_at(err, TH_EVALUE, 1, (int)n + 1, "an operand is made of the digits 0 to 9");
}

void th_pad_draw_digits(char *to, size_t n, ThRng *r)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (char)('0' + th_rng_below(r, 10));
}
