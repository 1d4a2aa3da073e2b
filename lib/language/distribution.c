/* Automata with probabilities, read from blocks, as languages and as what they are. */
#include <math.h>
#include <stdio.h>

#include "automata/core/build.h"
#include "language/distribution_impl.h"
#include "language/language_text.h"

#define TOLERANCE 1e-9 /* of sums */

static void free_data(void *data)
{
    ThDistribution *d = data;
    th_intern_free(&d->state);
    TH_FREE(d->move, d);
}

const char *th_distribution_name(const ThDistribution *d, int q)
{
    return th_intern_at(&d->state, (size_t)q, NULL);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    ThLanguageText text;
    ThDistribution *d;
} Parser;

enum { START, ALPHABET, WEIGHTS, ACCEPT, N_KEYWORDS };

static const char *const keywords[N_KEYWORDS] = {"start", "alphabet", "weights", "accept"};

static bool read_state(Parser *p, const ThToken *t, int *q)
{
    bool ok = th_language_read_state(&p->text, &p->d->state, t, q);
    p->d->n = (int)p->d->state.n;
    return ok;
}

/* A number above 0 and up to 1, or a fraction of whole numbers; of weights any number. */
static bool read_probability(Parser *p, const ThToken **t, double *x)
{
    const ThToken *first = *t;
    double part[2] = {0, 1};
    bool minus = p->d->weights && (*t)->kind == '-';
    *t += minus;
    for (int i = 0; i < 2; i++) {
        const char *text = th_language_token_text(&p->text, *t);
        char *end;
        part[i] = strtod(text, &end);
        if ((*t)->kind != TH_TOKEN_WORD || *end || *text < '0' || *text > '9')
            return th_language_unexpected(&p->text, *t, "a probability");
        if ((++*t)->kind != '/')
            break;
        *t += i == 0;
    }
    *x = (minus ? -1 : 1) * part[0] / part[1];
    char denominator[32] = "";
    if (*t - first > 1 + minus)
        snprintf(denominator, sizeof denominator, "/%g", part[1]);
    return (p->d->weights ? isfinite(*x) && *x != 0 : *x > 0 && *x <= 1) ||
           th_fail_at(p->text.err, TH_EVALUE, first->line, first->col, "%g%s is no %s", part[0],
                      denominator, p->d->weights ? "weight" : "probability above 0 and up to 1");
}

/* FROM SYMBOL P -> TO, or accept FROM P. */
static bool read_move(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    ThDistribution *d = p->d;
    ThDistributionMove m = {.symbol = -1, .line = s.first->line, .col = s.first->col};
    const ThToken *t = s.first + (keyword == ACCEPT);
    if (keyword < ACCEPT)
        return true; /* has been read */
    if (!read_state(p, t++, &m.from) ||
        (keyword != ACCEPT && (m.symbol = th_language_token_symbol(&p->text, t++)) < 0) ||
        !read_probability(p, &t, &m.p))
        return false;
    if (keyword != ACCEPT && t->kind != TH_TOKEN_ARROW)
        return th_language_unexpected(&p->text, t, "'->'");
    if (keyword != ACCEPT && (!read_state(p, t + 1, &m.to) || !(t += 2)))
        return false;
    if (!th_language_end(&p->text, s, t) ||
        !th_grow(&d->move, &d->cap, d->moves + 1, sizeof m, p->text.err))
        return false;
    d->move[d->moves++] = m;
    return true;
}

/* The start is the first state, wherever it is said. */
static bool read_declaration(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    int q;
    p->d->weights = p->d->weights || keyword == WEIGHTS;
    return (keyword != START || read_state(p, s.first + 1, &q)) &&
           ((keyword != START && keyword != WEIGHTS) ||
            th_language_end(&p->text, s, s.first + 1 + (keyword == START)));
}

/* Do the probabilities of every state add up, and does some word end behind it? */
static bool check(const ThDistribution *d, ThError *err)
{
    bool *ends TH_OWNED(free) = th_alloc((size_t)d->n + 1, sizeof *ends, err);
    for (bool more = ends != NULL; more;) {
        more = false;
        for (size_t i = 0; i < d->moves; i++)
            if (!ends[d->move[i].from] && (d->move[i].symbol < 0 || ends[d->move[i].to]))
                ends[d->move[i].from] = more = true;
    }
    for (int q = 0; ends && q < d->n; q++) {
        const ThDistributionMove *at = NULL;
        double sum = 0;
        for (size_t i = d->moves; i-- > 0;)
            if (d->move[i].from == q) {
                at = &d->move[i];
                sum += at->p;
            }
        int line = at ? at->line : 1, col = at ? at->col : 1;
        if (!(fabs(sum - 1) <= TOLERANCE))
            return th_fail_at(err, TH_EVALUE, line, col,
                              "the probabilities of state %s add up to %.12g, not to 1",
                              th_distribution_name(d, q), sum);
        if (!ends[q])
            return th_fail_at(err, TH_EVALUE, line, col, "no word ends behind state %s",
                              th_distribution_name(d, q)) ||
                   th_hint(err, "accept Q P: the probability to end in a state");
    }
    return ends && (d->n > 0 || th_fail_at(err, TH_EPARSE, 1, 1, "no states"));
}

static bool parse(ThLanguage *l, const char *text, ThError *err)
{
    static ThLanguagePass *const pass[] = {read_declaration, read_move};
    Parser p = {.text = {.l = l, .keyword = keywords, .n_keywords = N_KEYWORDS, .err = err}};
    l->data = p.d = th_alloc(1, sizeof *p.d, err);
    bool ok = p.d && th_language_read_block(&p.text, text, pass, 2, &p) && check(p.d, err);
    th_tokens_free(&p.text.tokens);
    return ok;
}

ThLanguage *th_distribution_build(char *const *symbol, int n_symbols, const ThDistribution *from,
                                  ThError *err)
{
    ThLanguage *l = th_language_new(&th_language_kind_distribution, err);
    ThDistribution *d = l ? l->data = th_alloc(1, sizeof *d, err) : NULL;
    bool ok = d && (d->move = th_copy(from->move, from->moves, sizeof *d->move, err));
    for (int q = 0; ok && q < from->n; q++) {
        char number[16];
        size_t index;
        snprintf(number, sizeof number, "q%d", q);
        const char *name = (size_t)q < from->state.n ? th_distribution_name(from, q) : number;
        ok = th_intern(&d->state, name, strlen(name) + 1, &index, err);
    }
    for (int a = 0; ok && a < n_symbols; a++)
        ok = th_language_symbol(l, symbol[a], err) >= 0;
    if (ok) {
        d->n = from->n;
        d->moves = d->cap = from->moves;
        d->weights = from->weights;
        ok = check(d, err);
    }
    return TH_KEEP_IF(ok, l, th_language_free);
}

static void write(ThText *t, const ThLanguage *l)
{
    const ThDistribution *d = l->data;
    th_language_write_alphabet(t, l);
    th_text_add(t, d->weights ? "  weights\n  start " : "  start ");
    th_text_symbol(t, th_distribution_name(d, 0));
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        th_text_add(t, m->symbol < 0 ? "\n  accept " : "\n  ");
        th_text_symbol(t, th_distribution_name(d, m->from));
        th_text_add(t, " ");
        if (m->symbol >= 0) {
            th_language_write_symbol(t, l->symbol[m->symbol]);
            th_text_add(t, " ");
        }
        th_text_real(t, m->p);
        if (m->symbol >= 0) {
            th_text_add(t, " -> ");
            th_text_symbol(t, th_distribution_name(d, m->to));
        }
    }
    th_text_add(t, "\n");
}

/* Labels "a 0.3"; a state shows the probability to end in it. */
static ThAutomaton *picture(const ThLanguage *l, ThError *err)
{
    const ThDistribution *d = l->data;
    ThAutomatonBuild b = {0};
    for (int q = 0; q < d->n; q++) {
        ThText t TH_OWNED(th_text_free) = {0};
        th_text_add(&t, th_distribution_name(d, q));
        for (size_t i = 0; i < d->moves; i++)
            if (d->move[i].from == q && d->move[i].symbol < 0) {
                th_text_add(&t, " ");
                th_text_real(&t, d->move[i].p);
            }
        th_automaton_build_state(&b, t.data ? t.data : "");
    }
    th_automaton_build_start(&b, 0);
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        ThText t TH_OWNED(th_text_free) = {0};
        if (m->symbol < 0) {
            th_automaton_build_accept(&b, m->from);
            continue;
        }
        th_text_printf(&t, "%s ", l->symbol[m->symbol]);
        th_text_real(&t, m->p);
        int label = th_automaton_build_symbol(&b, t.data ? t.data : "");
        th_automaton_build_arc(&b, (ThAutomatonArc){m->from, label, m->to, TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, err);
}

/* ---- reading a word -------------------------------------------------------------------------- */

/* to (states) <- the vector `from` over a symbol; -1: what ends there, in to[0].  Returns its sum.
 */
static double advance(const ThDistribution *d, const double *from, int symbol, double *to)
{
    double sum = 0;
    memset(to, 0, (size_t)d->n * sizeof *to);
    for (size_t i = 0; i < d->moves; i++)
        if (d->move[i].symbol == symbol) {
            to[d->move[i].to] += from[d->move[i].from] * d->move[i].p;
            sum += from[d->move[i].from] * d->move[i].p;
        }
    return fmax(sum, 0);
}

/* Forward vectors, each scaled to a sum of 1, as words of any length are read. */
typedef struct {
    const ThDistribution *d;
    double *f; /* (n + 2, states): the last row is for the stop */
    size_t cap;
    int n;
} Reading;

static void *start_reading(const ThLanguage *l, ThError *err)
{
    Reading *r = th_alloc(1, sizeof *r, err);
    const ThDistribution *d = l->data;
    if (!r || !th_grow(&r->f, &r->cap, 2 * (size_t)d->n, sizeof *r->f, err)) {
        free(r);
        return NULL;
    }
    r->d = d;
    memset(r->f, 0, (size_t)d->n * sizeof *r->f);
    r->f[0] = 1;
    return r;
}

static void stop_reading(void *reading)
{
    Reading *r = reading;
    TH_FREE(r->f, r);
}

/* One symbol more, *sum being its probability after those before. */
static bool read_symbol(Reading *r, int symbol, double *sum, ThError *err)
{
    size_t n = (size_t)r->d->n;
    if (!th_grow(&r->f, &r->cap, n * ((size_t)r->n + 3), sizeof *r->f, err))
        return false;
    double *to = r->f + n * ((size_t)r->n + 1);
    *sum = advance(r->d, to - n, symbol, to);
    for (size_t q = 0; *sum > 0 && q < n; q++)
        to[q] /= *sum;
    r->n++;
    return true;
}

static bool push(void *reading, int symbol, bool *viable, ThError *err)
{
    double sum;
    bool ok = read_symbol(reading, symbol, &sum, err);
    *viable = ok && sum > 0;
    return ok;
}

static void pop(void *reading)
{
    ((Reading *)reading)->n--;
}

static double ends_here(const Reading *r)
{
    double *at = r->f + (size_t)r->d->n * (size_t)r->n;
    return advance(r->d, at, -1, at + r->d->n);
}

static bool accepts(void *reading, ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    *answer = ends_here(reading) > 0 ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return true;
}

/* ---- words of a length, by weight ------------------------------------------------------------ */

typedef struct {
    const ThLanguage *l;
    const ThDistribution *d;
    int length;
    double *w; /* (length + 1, states): to end after so many symbols, each row scaled */
} Words;

static void free_words(void *words)
{
    Words *w = words;
    TH_FREE(w->w, w);
}

static void *words(const ThLanguage *l, int length, ThStop *stop, ThError *err)
{
    const ThDistribution *d = l->data;
    Words *w = th_alloc(1, sizeof *w, err);
    double *row = w ? th_alloc(((size_t)length + 1) * (size_t)d->n, sizeof *row, err) : NULL;
    if (!row || th_stopped(stop, err)) {
        free(row);
        free(w);
        return NULL;
    }
    *w = (Words){l, d, length, row};
    for (int m = 0; m <= length; m++, row += d->n) {
        double most = 0;
        for (size_t i = 0; i < d->moves; i++) {
            const ThDistributionMove *x = &d->move[i];
            if ((x->symbol < 0) == (m == 0))
                row[x->from] += x->p * (m ? row[x->to - d->n] : 1);
        }
        for (int q = 0; q < d->n; q++)
            most = fmax(most, fabs(row[q]));
        for (int q = 0; most > 0 && q < d->n; q++)
            row[q] /= most;
    }
    return w;
}

/* Their number is that of an automaton, which is not looked for. */
static double log_words(const void *words)
{
    const Words *w = words;
    return w->w[(size_t)w->length * (size_t)w->d->n] > 0 ? (double)NAN : -HUGE_VAL;
}

/* p (n_symbols + 1) <- what follows a forward vector f, the last one that the word ends; with
 * `next`, in proportion to what is still to come, by states, and no end.  Below 0, as weights may
 * be, is 0; returns the sum. */
static double follow(const ThLanguage *l, const double *f, const double *next, double *p)
{
    const ThDistribution *d = l->data;
    double sum = 0;
    memset(p, 0, ((size_t)l->n_symbols + 1) * sizeof *p);
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        p[m->symbol < 0 ? l->n_symbols : m->symbol] += f[m->from] * m->p *
                                                       (!next           ? 1
                                                        : m->symbol < 0 ? 0
                                                                        : next[m->to]);
    }
    for (int a = 0; a <= l->n_symbols; a++)
        sum += p[a] = fmax(p[a], 0);
    return sum;
}

/* Draws what follows f, which becomes the vector behind it, scaled; n_symbols: the word ends. */
static int draw_next(const ThLanguage *l, double *f, const double *next, double *room, ThRng *r)
{
    const ThDistribution *d = l->data;
    double *to = room, *p = room + d->n, left = th_rng_uniform(r) * follow(l, f, next, p);
    int a = 0, found = l->n_symbols;
    for (; a <= l->n_symbols && left >= 0; left -= p[a++])
        found = p[a] > 0 ? a : found;
    double sum = found < l->n_symbols ? advance(d, f, found, to) : 0;
    for (int q = 0; sum > 0 && q < d->n; q++)
        f[q] = to[q] / sum;
    return found;
}

/* The vector of the empty word, and room for draw_next. */
static double *begin_draw(const ThLanguage *l, ThError *err)
{
    const ThDistribution *d = l->data;
    double *f = th_alloc(2 * (size_t)d->n + (size_t)l->n_symbols + 1, sizeof *f, err);
    if (f)
        f[0] = 1;
    return f;
}

static bool draw(const void *words, ThRng *r, int *word, ThError *err)
{
    const Words *w = words;
    size_t n = (size_t)w->d->n;
    double *f TH_OWNED(free) = begin_draw(w->l, err);
    for (int m = w->length; f && m > 0; m--)
        *word++ = draw_next(w->l, f, w->w + (size_t)(m - 1) * n, f + n, r) % w->l->n_symbols;
    return f != NULL;
}

const ThLanguageKind th_language_kind_distribution = {
    .name = "distribution",
    .knows_prefixes = true,
    .parse = parse,
    .write = write,
    .free_data = free_data,
    .picture = picture,
    .read = start_reading,
    .push = push,
    .pop = pop,
    .accepts = accepts,
    .stop_reading = stop_reading,
    .words = words,
    .log_words = log_words,
    .draw = draw,
    .free_words = free_words,
};

/* ---- what is asked of distributions only ----------------------------------------------------- */

bool th_language_is_distribution(const ThLanguage *l)
{
    return l->kind == &th_language_kind_distribution;
}

const ThDistribution *th_distribution_of(const ThLanguage *l, ThError *err)
{
    if (th_language_is_distribution(l))
        return l->data;
    return th_null(
        th_fail(err, TH_EUSAGE, "a language of kind %s has no probabilities", l->kind->name));
}

bool th_distribution_log(const ThLanguage *l, ThLanguageWord word, double *to, ThError *err)
{
    Reading *r = th_distribution_of(l, err) ? start_reading(l, err) : NULL;
    *to = 0;
    if (!r)
        return false;
    bool ok = true;
    for (int i = 0; ok && i < word.n; i++) {
        double sum = 0;
        ok = read_symbol(r, word.symbol[i], &sum, err);
        *to += log(sum);
    }
    *to += ok ? log(ends_here(r)) : 0;
    stop_reading(r);
    return ok;
}

bool th_distribution_next(const ThLanguage *l, ThLanguageWord word, double *p, ThError *err)
{
    Reading *r = th_distribution_of(l, err) ? start_reading(l, err) : NULL;
    bool ok = r != NULL;
    double sum = 1;
    size_t width = (size_t)l->n_symbols + 1;
    for (int k = 0; ok && k <= word.n; k++, p += width) {
        double all = follow(l, r->f + (size_t)r->d->n * (size_t)r->n, NULL, p);
        for (size_t a = 0; a < width; a++)
            p[a] = sum > 0 ? p[a] / all : 0;
        ok = k == word.n || sum <= 0 || read_symbol(r, word.symbol[k], &sum, err);
    }
    if (r)
        stop_reading(r);
    return ok;
}

bool th_distribution_draw(const ThLanguage *l, ThRng *r, int **word, size_t *cap, int *n,
                          ThStop *stop, ThError *err)
{
    enum { LONGEST = 1000000 };
    const ThDistribution *d = th_distribution_of(l, err);
    double *f TH_OWNED(free) = d ? begin_draw(l, err) : NULL;
    *n = 0;
    while (f && !th_stopped(stop, err)) {
        int a = draw_next(l, f, NULL, f + d->n, r);
        if (a == l->n_symbols)
            return true;
        if (*n == LONGEST)
            return th_fail(err, TH_ELIMIT, "a word has more than %d symbols", LONGEST);
        if (!th_grow(word, cap, (size_t)*n + 1, sizeof **word, err))
            return false;
        (*word)[(*n)++] = a;
    }
    return false;
}
