/* closed_words.c - tapes as words that are repeated, how often not being told beyond a few times.
 */

#include "base/intern.h"
#include "turing/closed/closed.h"

enum { MOST = 4, LONGEST = 64, MOST_WORDS = 255, MOST_ITEMS = 100, MOST_STEPS = 20000 };

/* What becomes of a word, or several equal ones, that the head enters in a state from a side. */
typedef struct {
    bool known, fails; /* fails: it stops inside, or is there too long */
    int state, side;   /* in which it leaves, and where */
    unsigned char word[MOST];
} Move;

/* A half of the tape, from its far end to the head: a word's number and how many times. */
typedef struct {
    unsigned char n, item[MOST_ITEMS][2];
} Half;

typedef struct {
    int state, side;
    Half half[2]; /* left, right */
} Tape;

typedef struct {
    const ThTmTable *t;
    ThTmRepeated *r;
    size_t limit;
    ThIntern word, met;
    Move *move; /* (MOST_WORDS, most, states, 2), made when they are asked for */
    bool fails;
    ThError *err;
} Search;

/* Runs the machine inside a word so many times over. */
static bool find_move(Search *s, Move *m, int word, int times)
{
    unsigned char cell[MOST * LONGEST] = {0};
    int length = s->r->length, n = length * times, at = m->side ? 0 : n - 1;
    for (int i = 0; i < times; i++)
        memcpy(cell + i * length, th_intern_at(&s->word, (size_t)word, NULL), (size_t)length);
    for (int k = 0; k < MOST_STEPS && at >= 0 && at < n && m->state >= 0; k++) {
        int a = cell[at], q = m->state;
        cell[at] = (unsigned char)s->t->at[q][a].write;
        at += s->t->at[q][a].move;
        m->state = s->t->at[q][a].to;
    }
    m->known = true;
    m->fails = m->state < 0 || (at >= 0 && at < n);
    m->side = at >= n;
    for (int i = 0; !m->fails && i < times; i++) {
        size_t index;
        if (!th_intern(&s->word, cell + i * length, (size_t)length, &index, s->err))
            return false;
        m->fails = index >= MOST_WORDS;
        m->word[i] = (unsigned char)index;
    }
    return true;
}

/* Puts a word on a half: blank ones at the far end are none, equal ones are counted. */
static bool put(const Search *s, Half *h, unsigned char word)
{
    if (h->n == 0 && word == 0)
        return true;
    unsigned char *last = h->item[h->n ? h->n - 1 : 0];
    if (h->n > 0 && last[0] == word) {
        last[1] = (unsigned char)(last[1] + (last[1] < s->r->most));
        return true;
    }
    if (h->n == MOST_ITEMS)
        return false;
    h->item[h->n][0] = word;
    h->item[h->n++][1] = 1;
    return true;
}

static bool remember(Search *s, const Tape *x)
{
    unsigned char text[4 + 4 * MOST_ITEMS];
    size_t n = 0, index;
    text[n++] = (unsigned char)x->state;
    text[n++] = (unsigned char)x->side;
    for (int i = 0; i < 2; i++) {
        text[n++] = x->half[i].n;
        memcpy(text + n, x->half[i].item, 2U * x->half[i].n);
        n += 2U * x->half[i].n;
    }
    if (!th_intern(&s->met, text, n, &index, s->err))
        return false;
    s->fails = s->fails || s->met.n > s->limit;
    return true;
}

/* The head goes through a word, some times over; what is behind it is in x already. */
static bool pass(Search *s, Tape x, int word, int times)
{
    size_t at =
        (((size_t)word * MOST + (size_t)times - 1) * (size_t)s->t->states + (size_t)x.state) * 2;
    Move *m = &s->move[at + (size_t)x.side];
    if (!m->known) {
        m->state = x.state;
        m->side = x.side;
        if (!find_move(s, m, word, times))
            return false;
    }
    s->fails = s->fails || m->fails;
    x.state = m->state;
    x.side = m->side;
    for (int i = 0; !s->fails && i < times; i++)
        s->fails = !put(s, &x.half[!m->side], m->word[m->side ? i : times - 1 - i]);
    return s->fails || remember(s, &x);
}

static bool step(Search *s, size_t i)
{
    const unsigned char *text = th_intern_at(&s->met, i, NULL);
    Tape x = {.state = text[0], .side = text[1]};
    text += 2;
    for (int k = 0; k < 2; k++) {
        x.half[k].n = *text++;
        memcpy(x.half[k].item, text, 2U * x.half[k].n);
        text += 2U * x.half[k].n;
    }
    Half *h = &x.half[x.side];
    if (h->n == 0)
        return pass(s, x, 0, 1);
    int word = h->item[h->n - 1][0], times = h->item[h->n - 1][1];
    if (times == s->r->most && !pass(s, x, word, 1)) /* there are more behind it */
        return false;
    h->n--;
    return s->fails || pass(s, x, word, times);
}

/* Whether a length of words and a number of times prove it. */
static bool attempt(const ThTmTable *t, ThTmRepeated *r, size_t limit, ThStop *stop, bool *proved,
                    ThError *err)
{
    static const unsigned char blank[LONGEST];
    size_t index;
    Search s = {.t = t, .r = r, .limit = limit, .err = err};
    s.move = th_alloc((size_t)MOST_WORDS * MOST * (size_t)t->states * 2, sizeof *s.move, err);
    bool ok = s.move && th_intern(&s.word, blank, (size_t)r->length, &index, err) &&
              remember(&s, &(Tape){.side = 1});
    for (size_t i = 0; ok && !s.fails && i < s.met.n; i++)
        ok = !th_stopped(stop, err) && step(&s, i);
    *proved = ok && !s.fails;
    r->configurations = s.met.n;
    th_intern_free(&s.word);
    th_intern_free(&s.met);
    free(s.move);
    return ok;
}

bool th_tm_repeated(ThTmRepeated *r, const ThTmTable *t, int longest, ThStop *stop, bool *proved,
                    ThError *err)
{
    static const size_t limit[] = {300, 20000};
    *proved = false;
    for (size_t round = 0; round < sizeof limit / sizeof *limit; round++)
        for (int most = 2; most <= MOST; most++)
            for (int length = 1; length <= longest && length <= LONGEST; length++) {
                *r = (ThTmRepeated){length, most, 0};
                if (!attempt(t, r, limit[round], stop, proved, err))
                    return false;
                if (*proved)
                    return true;
            }
    return true;
}
