#include "scratchpad/hints.h"

#include <stdio.h>

#include "scratchpad/writing.h"

enum { MARK_SIZE = 16, MOST_MARK_DIGITS = 9 };

enum { GROWING, ANY }; /* marks= */

int th_pad_hints(const ThPad *p)
{
    return th_option_known(&p->options, "hints") ? (int)th_option_int(&p->options, "hints") : 0;
}

bool th_pad_hints_begin(ThPad *p, ThError *err)
{
    int hints = th_pad_hints(p);
    char name[MARK_SIZE];
    if (hints > 0 && p->kind->places_fit && !p->kind->places_fit(p, err))
        return false;
    if (hints > 0 && !p->words) {
        p->words = p->spaced = true;
        p->separator = *p->separator == '|' ? " | " : " = ";
    }
    for (int i = 1; i <= hints; i++) {
        size_t before = p->token.n;
        snprintf(name, sizeof name, "@%d", i);
        if (!th_pad_add_token(p, name, err))
            return false;
        if (p->token.n == before)
            return th_fail(err, TH_EVALUE, "%s is a symbol here, and cannot be a mark", name);
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The tokens of a text without marks: characters, or what stands between blanks.  Returns how
 * many. */
static size_t split(const ThPad *p, const ThText *t, ThPadPiece *to)
{
    size_t n = 0;
    for (size_t i = 0; i < t->size;) {
        const char *s = t->data + i;
        size_t size = p->spaced ? 1 : strcspn(s, " ");
        if (size > 0)
            to[n++] = (ThPadPiece){s, size};
        i += size + !p->spaced;
    }
    return n;
}

static int greatest(const int *place, size_t n)
{
    int most = 0;
    for (size_t i = 0; i < n; i++)
        most = place[i] > most ? place[i] : most;
    return most;
}

/* n of the numbers 1 … of: every subset is as likely, and growing or in any order. */
static void draw_marks(int n, int of, bool growing, ThRng *r, int *mark)
{
    int drawn = 0;
    for (int i = 0; i < of && drawn < n; i++)
        if (th_rng_hits(r, (uint64_t)(n - drawn), (uint64_t)(of - i)))
            mark[drawn++] = i + 1;
    for (int i = n - 1; i > 0 && !growing; i--) {
        size_t j = th_rng_below(r, (uint64_t)i + 1);
        int other = mark[j];
        mark[j] = mark[i];
        mark[i] = other;
    }
}

static void put_tokens(ThPadExample *e, const ThPadExample *plain, const ThPadPiece *token,
                       const int *place, size_t n, const int *mark)
{
    ThText *t = &e->text;
    e->question = e->answer = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)(token[i].s - plain->text.data);
        th_text_add(t, i > 0 ? " " : "");
        if (at >= plain->question && e->question == SIZE_MAX)
            e->question = t->size;
        if (at >= plain->answer && e->answer == SIZE_MAX)
            e->answer = t->size;
        if (place[i] > 0)
            th_text_printf(t, "@%d ", mark[place[i] - 1]);
        th_text_add_bytes(t, token[i].s, token[i].n);
    }
    e->question = e->question == SIZE_MAX ? t->size : e->question;
    e->answer = e->answer == SIZE_MAX ? t->size : e->answer;
}

bool th_pad_hints_put(const ThPad *p, ThRng *r, ThPadExample *e, ThError *err)
{
    ThPadExample plain TH_OWNED(th_pad_example_free) = *e;
    *e = (ThPadExample){0};
    size_t size = plain.text.size;
    int hints = th_pad_hints(p);
    ThPadPiece *token TH_OWNED(free) = th_alloc(size + 1, sizeof *token, err);
    int *place TH_OWNED(free) = th_alloc(size + 1, sizeof *place, err);
    int *mark TH_OWNED(free) = th_alloc((size_t)hints, sizeof *mark, err);
    if (!token || !place || !mark || !th_pad_example_begin(e, 0, err))
        return false;
    size_t n = split(p, &plain.text, token);
    p->kind->places(-1, token, n, place);
    int places = greatest(place, n);
    if (places > hints)
        return th_fail(err, TH_EVALUE,
                       "the scratchpad has %d places, and hints=%d has no more marks", places,
                       hints);
    draw_marks(places, hints, th_option_choice(&p->options, "marks") == GROWING, r, mark);
    put_tokens(e, &plain, token, place, n, mark);
    return th_pad_example_good(e, err);
}

/* ---- reading back ---------------------------------------------------------------------------- */

/* The number of a mark, or 0. */
static int mark_of(const char *s, size_t n)
{
    int number = 0;
    if (n < 2 || n > 1 + MOST_MARK_DIGITS || s[0] != '@' || s[1] == '0')
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return 0;
        number = 10 * number + s[i] - '0';
    }
    return number;
}

/* The next word from *at on: sets *at behind it and returns its size, or 0 at the end. */
static size_t next_word(const ThPadChecking *k, size_t *at)
{
    while (*at < k->end && th_pad_check_is_space(k->text[*at]))
        ++*at;
    size_t from = *at;
    while (*at < k->end && !th_pad_check_is_space(k->text[*at]))
        ++*at;
    return *at - from;
}

bool th_pad_hints_are_in(const ThPadChecking *k)
{
    for (size_t at = k->begin, n; (n = next_word(k, &at)) > 0;)
        if (mark_of(k->text + at - n, n))
            return true;
    return false;
}

void th_pad_hints_free(ThPadHints *h)
{
    th_text_free(&h->plain);
    TH_FREE(h->token, h->piece);
    *h = (ThPadHints){0};
}

/* Where all tokens are characters, nothing stands between them in the text without marks. */
static bool all_characters(const ThPadChecking *k)
{
    for (size_t at = k->begin, n; (n = next_word(k, &at)) > 0;)
        if (n > 1 && k->text[at - n] != '@')
            return false;
    return true;
}

bool th_pad_hints_strip(ThPadHints *h, const ThPadChecking *k, ThError *err)
{
    bool joined = all_characters(k);
    ThPadHinted next = {0};
    h->loose = SIZE_MAX;
    for (size_t at = k->begin, n; (n = next_word(k, &at)) > 0;) {
        const char *word = k->text + at - n;
        int mark = mark_of(word, n);
        if (mark && next.mark && h->loose == SIZE_MAX)
            h->loose = next.mark_at;
        if (mark) {
            next = (ThPadHinted){.mark = mark, .mark_at = at - n};
            continue;
        }
        if (!th_grow(&h->token, &h->cap, h->n + 1, sizeof *h->token, err))
            return false;
        th_text_add(&h->plain, joined || h->n == 0 ? "" : " ");
        next.at = at - n;
        next.plain = h->plain.size;
        th_text_add_bytes(&h->plain, word, n);
        h->token[h->n++] = next;
        next = (ThPadHinted){0};
    }
    if (next.mark && h->loose == SIZE_MAX)
        h->loose = next.mark_at;
    if (h->plain.failed || !th_grow(&h->piece, &h->piece_cap, h->n + 1, sizeof *h->piece, err))
        return th_fail(err, TH_ENOMEM, "out of memory");
    for (size_t i = 0; i < h->n; i++) {
        size_t end = i + 1 < h->n ? h->token[i + 1].plain - !joined : h->plain.size;
        h->piece[i] = (ThPadPiece){h->plain.data + h->token[i].plain, end - h->token[i].plain};
    }
    return true;
}

/* Where in the text byte `plain` of that without marks stands. */
static size_t offset_of(const ThPadHints *h, const ThPadChecking *k, size_t plain)
{
    size_t i = 0;
    if (plain >= h->plain.size)
        return k->end;
    while (i < h->n && h->token[i].plain <= plain)
        i++;
    return h->token[i - 1].at + (plain - h->token[i - 1].plain);
}

/* A mark that is not the one of its place, which is `wanted`; 0: none that is known. */
static void tell(const ThPadHints *h, size_t i, int place, int wanted, ThPadChecked *c)
{
    const ThPadHinted *t = &h->token[i];
    char expected[MARK_SIZE] = "a mark", found[MARK_SIZE];
    if (wanted > 0)
        snprintf(expected, sizeof expected, "@%d", wanted);
    snprintf(found, sizeof found, "@%d", t->mark);
    const ThPadPiece *p = &h->piece[i];
    th_pad_slip_at(c, TH_PAD_SLIP_MOVE, t->mark ? t->mark_at : t->at, place ? expected : p->s,
                   place ? strlen(expected) : p->n, t->mark ? found : p->s,
                   t->mark ? strlen(found) : p->n);
}

/* The marks that tokens name, and what there is room for: (places + 1) and (n). */
typedef struct {
    const ThPadHints *h;
    const int *place;
    int places, *mark, *sorted;
    bool growing;
} Marks;

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Do the marks that the first n tokens name, each place by one, grow with the places, or at least
 * differ? */
static bool agree(const Marks *m, size_t n)
{
    size_t known = 0;
    memset(m->mark, 0, ((size_t)m->places + 1) * sizeof *m->mark);
    for (size_t i = 0; i < n; i++)
        m->mark[m->place[i]] = m->place[i] > 0 ? m->h->token[i].mark : 0;
    for (int p = 1; p <= m->places; p++)
        if (m->mark[p] > 0)
            m->sorted[known++] = m->mark[p];
    if (!m->growing)
        qsort(m->sorted, known, sizeof *m->sorted, by_number);
    for (size_t i = 1; i < known; i++)
        if (m->sorted[i] <= m->sorted[i - 1])
            return false;
    return true;
}

/* The first of n tokens with which marks do not agree any more, and n where they do: what does not
 * agree never does again, so that half of what is left is looked at each time. */
static size_t first_apart(const Marks *m, size_t n)
{
    size_t good = 0, bad = n + 1;
    while (bad - good > 1) {
        size_t half = good + (bad - good) / 2;
        if (!agree(m, half))
            bad = half;
        else
            good = half;
    }
    return good;
}

/* The first of n tokens without the mark that its place has, *wanted, 0 where it has none yet or is
 * none; n: there is none. */
static size_t first_wrong(const Marks *m, size_t n, int *wanted)
{
    memset(m->mark, 0, ((size_t)m->places + 1) * sizeof *m->mark);
    for (size_t i = 0; i < n; i++) {
        int *mark = &m->mark[m->place[i]], found = m->h->token[i].mark;
        *wanted = *mark;
        if (m->place[i] == 0 ? found != 0 : found == 0 || (*mark != 0 && *mark != found))
            return i;
        *mark = found;
    }
    return n;
}

/* Of the tokens before byte `end`. */
static void compare_marks(const Marks *m, size_t end, ThPadChecked *c)
{
    size_t n = 0;
    while (n < m->h->n && m->h->token[n].at < end)
        n++;
    int wanted;
    size_t wrong = first_wrong(m, n, &wanted), apart = first_apart(m, wrong);
    if (apart < wrong)
        tell(m->h, apart, m->place[apart], 0, c);
    else if (wrong < n)
        tell(m->h, wrong, m->place[wrong], wanted, c);
}

bool th_pad_hints_compare(const ThPadHints *h, const ThPadChecking *k, ThPadChecked *c,
                          ThError *err)
{
    int *place TH_OWNED(free) = th_alloc(3 * h->n + 3, sizeof *place, err);
    if (!place)
        return false;
    c->offset = offset_of(h, k, c->offset);
    bool slip = c->slip != TH_PAD_SLIP_NONE;
    size_t end = slip ? c->offset + 1 : k->end;
    if (c->kind && c->kind->places) {
        c->kind->places(-1, h->piece, h->n, place);
        Marks m = {.h = h,
                   .place = place,
                   .places = greatest(place, h->n),
                   .mark = place + 2 * h->n,
                   .sorted = place + h->n,
                   .growing = th_option_choice(k->options, "marks") == GROWING};
        compare_marks(&m, end, c);
    }
    slip = c->slip != TH_PAD_SLIP_NONE;
    if (h->loose != SIZE_MAX && (!slip || h->loose < c->offset) && c->slip != TH_PAD_SLIP_EARLY_END)
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, h->loose, slip ? "a symbol" : "",
                           k->text + h->loose, strcspn(k->text + h->loose, " \n"));
    return true;
}
