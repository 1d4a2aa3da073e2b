/* Automata with probabilities, read from blocks, as languages and as what they are. */
#include <math.h>

#include <gsl/gsl_linalg.h>

#include "automata/core/build.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/symbols.h"
#include "language/language_text.h"
#include "language/probability.h"

#define TOLERANCE 1e-9 /* of sums */

typedef struct {
    int from, symbol, to; /* symbol -1: a stop */
    double p;
    int line, col;
} Move;

typedef struct {
    int n; /* states; number 0 is the start */
    ThIntern state;
    Move *move;
    size_t moves, cap;
} Distribution;

static void free_data(void *data)
{
    Distribution *d = data;
    th_intern_free(&d->state);
    TH_FREE(d->move, d);
}

static const char *name_of(const Distribution *d, int q)
{
    return th_intern_at(&d->state, (size_t)q, NULL);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    ThLanguageText text;
    Distribution *d;
} Parser;

enum { START, ALPHABET, ACCEPT, N_KEYWORDS };

static const char *const keywords[N_KEYWORDS] = {"start", "alphabet", "accept"};

static bool unexpected(Parser *p, const ThToken *t, const char *wanted)
{
    return th_token_unexpected(&p->text.tokens, t, wanted, p->text.err);
}

static bool read_state(Parser *p, const ThToken *t, int *q)
{
    size_t index;
    const char *name = th_language_token_text(&p->text, t);
    if (!th_token_is_name(t))
        return unexpected(p, t, "a state");
    if (!th_intern(&p->d->state, name, strlen(name) + 1, &index, p->text.err))
        return false;
    *q = (int)index;
    p->d->n = (int)p->d->state.n;
    return true;
}

/* A number above 0 and up to 1, or a fraction of whole numbers. */
static bool read_probability(Parser *p, const ThToken **t, double *x)
{
    const ThToken *first = *t;
    double part[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        const char *text = th_language_token_text(&p->text, *t);
        char *end;
        part[i] = strtod(text, &end);
        if ((*t)->kind != TH_TOKEN_WORD || *end || *text < '0' || *text > '9')
            return unexpected(p, *t, "a probability");
        if ((++*t)->kind != '/')
            break;
        *t += i == 0;
    }
    *x = part[0] / part[1];
    return (*x > 0 && *x <= 1) ||
           th_language_token_fail(&p->text, first, "", " is no probability above 0 and up to 1");
}

/* FROM SYMBOL P -> TO, or accept FROM P. */
static bool read_move(void *context, ThStatement s)
{
    Parser *p = context;
    int k = th_statement_keyword(&p->text.tokens, s, keywords, N_KEYWORDS);
    Move m = {.symbol = -1, .line = s.first->line, .col = s.first->col};
    const ThToken *t = s.first + (k == ACCEPT);
    if (k == ALPHABET)
        return true; /* has been read */
    if (k == START)
        return read_state(p, t + 1, &m.from) &&
               (t + 2 == s.end || unexpected(p, t + 2, "the end of the statement"));
    if (!read_state(p, t++, &m.from) ||
        (k != ACCEPT && (m.symbol = th_language_token_symbol(&p->text, t++)) < 0) ||
        !read_probability(p, &t, &m.p))
        return false;
    if (k != ACCEPT && t->kind != TH_TOKEN_ARROW)
        return unexpected(p, t, "'->'");
    if (k != ACCEPT && (!read_state(p, t + 1, &m.to) || !(t += 2)))
        return false;
    Distribution *d = p->d;
    if (t != s.end || !th_grow(&d->move, &d->cap, d->moves + 1, sizeof m, p->text.err))
        return t != s.end && unexpected(p, t, "the end of the statement");
    d->move[d->moves++] = m;
    return true;
}

/* start and alphabet come first wherever they stand. */
static bool read_declaration(void *context, ThStatement s)
{
    Parser *p = context;
    int k = th_statement_keyword(&p->text.tokens, s, keywords, N_KEYWORDS);
    return k == ALPHABET ? th_language_read_alphabet(&p->text, s)
                         : k != START || read_move(context, s);
}

/* Do the probabilities of every state add up, and does some word end behind it? */
static bool check(const Distribution *d, ThError *err)
{
    bool *ends TH_OWNED(free) = th_alloc((size_t)d->n + 1, sizeof *ends, err);
    for (bool more = ends != NULL; more;) {
        more = false;
        for (size_t i = 0; i < d->moves; i++)
            if (!ends[d->move[i].from] && (d->move[i].symbol < 0 || ends[d->move[i].to]))
                ends[d->move[i].from] = more = true;
    }
    for (int q = 0; ends && q < d->n; q++) {
        const Move *at = NULL;
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
                              name_of(d, q), sum);
        if (!ends[q])
            return th_fail_at(err, TH_EVALUE, line, col, "no word ends behind state %s",
                              name_of(d, q)) ||
                   th_hint(err, "accept Q P: the probability to end in a state");
    }
    return ends && (d->n > 0 || th_fail_at(err, TH_EPARSE, 1, 1, "no states"));
}

static bool parse(ThLanguage *l, const char *text, ThError *err)
{
    Parser p = {.text = {.l = l, .err = err}};
    l->data = p.d = th_alloc(1, sizeof *p.d, err);
    bool ok = p.d && th_tokens_read(&p.text.tokens, text, err) &&
              th_language_each_statement(&p.text, read_declaration, &p) &&
              th_language_each_statement(&p.text, read_move, &p) &&
              th_language_check_symbols(&p.text) && check(p.d, err);
    th_tokens_free(&p.text.tokens);
    return ok;
}

/* With as many digits as are needed to read the same number again. */
static void write_number(ThText *t, double x)
{
    char text[32];
    int digits = 1;
    do
        snprintf(text, sizeof text, "%.*g", digits, x);
    while (strtod(text, NULL) != x && ++digits <= 17);
    th_text_add(t, text);
}

static void write(ThText *t, const ThLanguage *l)
{
    const Distribution *d = l->data;
    th_language_write_alphabet(t, l);
    th_text_add(t, "  start ");
    th_text_symbol(t, name_of(d, 0));
    for (size_t i = 0; i < d->moves; i++) {
        const Move *m = &d->move[i];
        th_text_add(t, m->symbol < 0 ? "\n  accept " : "\n  ");
        th_text_symbol(t, name_of(d, m->from));
        th_text_add(t, " ");
        if (m->symbol >= 0) {
            th_language_write_symbol(t, l->symbol[m->symbol]);
            th_text_add(t, " ");
        }
        write_number(t, m->p);
        if (m->symbol >= 0) {
            th_text_add(t, " -> ");
            th_text_symbol(t, name_of(d, m->to));
        }
    }
    th_text_add(t, "\n");
}

/* Labels "a 0.3"; a state shows the probability to end in it. */
static ThAutomaton *picture(const ThLanguage *l, ThError *err)
{
    const Distribution *d = l->data;
    ThAutomatonBuild b = {0};
    for (int q = 0; q < d->n; q++) {
        ThText t TH_OWNED(th_text_free) = {0};
        th_text_add(&t, name_of(d, q));
        for (size_t i = 0; i < d->moves; i++)
            if (d->move[i].from == q && d->move[i].symbol < 0) {
                th_text_add(&t, " ");
                write_number(&t, d->move[i].p);
            }
        th_automaton_build_state(&b, t.data ? t.data : "");
    }
    th_automaton_build_start(&b, 0);
    for (size_t i = 0; i < d->moves; i++) {
        const Move *m = &d->move[i];
        ThText t TH_OWNED(th_text_free) = {0};
        if (m->symbol < 0) {
            th_automaton_build_accept(&b, m->from);
            continue;
        }
        th_text_printf(&t, "%s ", l->symbol[m->symbol]);
        write_number(&t, m->p);
        int label = th_automaton_build_symbol(&b, t.data ? t.data : "");
        th_automaton_build_arc(&b, (ThAutomatonArc){m->from, label, m->to, TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, err);
}

/* ---- reading a word -------------------------------------------------------------------------- */

/* to += the vector from over a symbol; -1: what ends there, in to[0]. */
static double advance(const Distribution *d, const double *from, int symbol, double *to)
{
    double sum = 0;
    memset(to, 0, (size_t)d->n * sizeof *to);
    for (size_t i = 0; i < d->moves; i++)
        if (d->move[i].symbol == symbol) {
            to[d->move[i].to] += from[d->move[i].from] * d->move[i].p;
            sum += from[d->move[i].from] * d->move[i].p;
        }
    return sum;
}

/* Forward vectors, each scaled to a sum of 1, as words of any length are read. */
typedef struct {
    const Distribution *d;
    double *f; /* (n + 2, states): the last row is for the stop */
    size_t cap;
    int n;
} Reading;

static void *start_reading(const ThLanguage *l, ThError *err)
{
    Reading *r = th_alloc(1, sizeof *r, err);
    const Distribution *d = l->data;
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

static bool accepts(void *reading, ThLanguageAnswer *answer, ThError *err)
{
    (void)err;
    *answer = ends_here(reading) > 0 ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return true;
}

/* ---- words of a length, by weight ------------------------------------------------------------ */

typedef struct {
    const Distribution *d;
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
    const Distribution *d = l->data;
    Words *w = th_alloc(1, sizeof *w, err);
    double *row = w ? th_alloc(((size_t)length + 1) * (size_t)d->n, sizeof *row, err) : NULL;
    if (!row || th_stopped(stop, err)) {
        free(row);
        free(w);
        return NULL;
    }
    *w = (Words){d, length, row};
    for (int m = 0; m <= length; m++, row += d->n) {
        double most = 0;
        for (size_t i = 0; i < d->moves; i++) {
            const Move *x = &d->move[i];
            if ((x->symbol < 0) == (m == 0))
                row[x->from] += x->p * (m ? row[x->to - d->n] : 1);
        }
        for (int q = 0; q < d->n; q++)
            most = fmax(most, row[q]);
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

/* A move from a state, by its weight times that of what follows (NULL: of anything). */
static const Move *draw_move(const Distribution *d, int q, const double *next, ThRng *r)
{
    const Move *found = NULL;
    double all = 0;
    for (int pass = 0; pass < 2; pass++) {
        double left = pass ? th_rng_uniform(r) * all : 0;
        for (size_t i = 0; i < d->moves && left >= 0; i++) {
            const Move *m = &d->move[i];
            double p = m->from != q ? 0 : !next ? m->p : m->symbol < 0 ? 0 : m->p * next[m->to];
            found = p > 0 ? m : found;
            all += pass ? 0 : p;
            left -= pass ? p : 0;
        }
    }
    return found;
}

static bool draw(const void *words, ThRng *r, int *word, ThError *err)
{
    const Words *w = words;
    int q = 0;
    (void)err;
    for (int m = w->length; m > 0; m--) {
        const Move *x = draw_move(w->d, q, w->w + (size_t)(m - 1) * (size_t)w->d->n, r);
        *word++ = x->symbol;
        q = x->to;
    }
    return true;
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

static const Distribution *need(const ThLanguage *l, ThError *err)
{
    if (th_language_is_distribution(l))
        return l->data;
    return th_null(
        th_fail(err, TH_EUSAGE, "a language of kind %s has no probabilities", l->kind->name));
}

bool th_distribution_log(const ThLanguage *l, ThLanguageWord word, double *to, ThError *err)
{
    Reading *r = need(l, err) ? start_reading(l, err) : NULL;
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

bool th_distribution_path(const ThLanguage *l, ThLanguageWord word, const char **state, double *to,
                          ThError *err)
{
    const Distribution *d = need(l, err);
    size_t n = d ? (size_t)d->n : 0, rows = (size_t)word.n + 2;
    double *best TH_OWNED(free) = d ? th_alloc(rows * n, sizeof *best, err) : NULL;
    int *from TH_OWNED(free) = best ? th_alloc(rows * n, sizeof *from, err) : NULL;
    if (!from)
        return false;
    for (size_t i = 1; i < rows * n; i++)
        best[i] = -HUGE_VAL;
    for (size_t k = 1; k < rows; k++)
        for (size_t i = 0; i < d->moves; i++) {
            const Move *m = &d->move[i];
            size_t at = k * n + (size_t)m->to; /* of a stop: state 0 */
            double p = best[(k - 1) * n + (size_t)m->from] + log(m->p);
            bool reads = m->symbol == (k + 1 < rows ? word.symbol[k - 1] : -1);
            if (reads && p > -HUGE_VAL && (p > best[at] || (p == best[at] && m->from < from[at]))) {
                best[at] = p;
                from[at] = m->from;
            }
        }
    *to = best[(rows - 1) * n];
    int q = 0;
    for (size_t k = rows - 1; k-- > 0;) {
        q = from[(k + 1) * n + (size_t)q];
        state[k] = *to > -HUGE_VAL ? name_of(d, q) : NULL;
    }
    return true;
}

/* Does every word have one way? */
static bool one_way(const Distribution *d)
{
    for (size_t i = 0; i < d->moves; i++)
        for (size_t k = 0; k < i; k++)
            if (d->move[i].from == d->move[k].from && d->move[i].symbol == d->move[k].symbol)
                return false;
    return true;
}

/* v (I - A)^-1 in place, or the same from the right, for a vector; a is I - A, factored. */
typedef struct {
    gsl_matrix *a;
    gsl_permutation *p;
} Factored;

static bool factor(const Distribution *d, bool transposed, Factored *f)
{
    int sign;
    size_t n = (size_t)d->n;
    *f = (Factored){gsl_matrix_alloc(n, n), gsl_permutation_alloc(n)};
    if (!f->a || !f->p)
        return false;
    gsl_matrix_set_identity(f->a);
    for (size_t i = 0; i < d->moves; i++) {
        const Move *m = &d->move[i];
        size_t row = (size_t)(transposed ? m->to : m->from);
        size_t col = (size_t)(transposed ? m->from : m->to);
        if (m->symbol >= 0)
            *gsl_matrix_ptr(f->a, row, col) -= m->p;
    }
    return gsl_linalg_LU_decomp(f->a, f->p, &sign) == 0;
}

bool th_distribution_moments(const ThLanguage *l, ThDistributionMoments *m, ThError *err)
{
    const Distribution *d = need(l, err);
    Factored f = {NULL, NULL};
    double *v TH_OWNED(free) = d ? th_alloc((size_t)d->n * 2, sizeof *v, err) : NULL;
    if (!v)
        return false;
    double *x = v + d->n;
    gsl_vector_view of = gsl_vector_view_array(v, (size_t)d->n);
    gsl_vector_view more = gsl_vector_view_array(x, (size_t)d->n);
    v[0] = 1; /* becomes the number of visits of each state: the start's row of (I - A)^-1 */
    bool ok = factor(d, true, &f) && gsl_linalg_LU_svx(f.a, f.p, &of.vector) == 0;
    double visits = 0, pairs = 0, entropy = 0;
    for (size_t i = 0; i < d->moves; i++) {
        const Move *k = &d->move[i];
        entropy -= v[k->from] * k->p * log2(k->p);
        x[k->to] += k->symbol >= 0 ? v[k->from] * k->p : 0;
    }
    /* Each visit but the first, and the visits from there on: pairs of positions. */
    ok = ok && gsl_linalg_LU_svx(f.a, f.p, &more.vector) == 0;
    for (int q = 0; q < d->n; q++) {
        visits += v[q];
        pairs += x[q];
    }
    double mean = visits - 1;
    *m = (ThDistributionMoments){.states = d->n, .mean = mean, .entropy = entropy};
    m->variance = 2 * pairs - mean - mean * mean;
    m->entropy = one_way(d) ? entropy : (double)NAN;
    gsl_matrix_free(f.a);
    gsl_permutation_free(f.p);
    return ok || th_fail(err, TH_ENOMEM, "out of memory (%d states)", d->n);
}

/* ---- two ------------------------------------------------------------------------------------- */

/* Two distributions, whose moves are paired where their symbols are the same. */
typedef struct {
    const Distribution *of[2];
    const int *symbol; /* of the second: its number in the first */
} Pair;

static bool paired(const Pair *x, const Move *a, const Move *b)
{
    return a->symbol < 0 ? b->symbol < 0 : b->symbol >= 0 && a->symbol == x->symbol[b->symbol];
}

/* The number of a pair of states. */
static size_t pair_of(const Pair *x, int a, int b)
{
    return (size_t)a * (size_t)x->of[1]->n + (size_t)b;
}

/* v = (I - T)^-1 v, for T the moves of pairs of states that read, with the probabilities of the
 * first, or of both. */
static bool solve(const Pair *x, bool both, double *v, ThError *err)
{
    int sign;
    size_t n = pair_of(x, x->of[0]->n, 0);
    gsl_vector_view of = gsl_vector_view_array(v, n);
    Factored f = {gsl_matrix_alloc(n, n), gsl_permutation_alloc(n)};
    bool ok = f.a && f.p;
    if (ok)
        gsl_matrix_set_identity(f.a);
    for (size_t i = 0; ok && i < x->of[0]->moves; i++)
        for (size_t k = 0; k < x->of[1]->moves; k++) {
            const Move *a = &x->of[0]->move[i], *b = &x->of[1]->move[k];
            if (a->symbol >= 0 && paired(x, a, b))
                *gsl_matrix_ptr(f.a, pair_of(x, a->from, b->from), pair_of(x, a->to, b->to)) -=
                    a->p * (both ? b->p : 1);
        }
    ok = ok && gsl_linalg_LU_decomp(f.a, f.p, &sign) == 0 &&
         gsl_linalg_LU_svx(f.a, f.p, &of.vector) == 0;
    gsl_matrix_free(f.a);
    gsl_permutation_free(f.p);
    return ok || th_fail(err, TH_ENOMEM, "out of memory (%zu pairs of states)", n);
}

/* The sum over all words of the product of their probabilities. */
static bool inner(const Pair *x, double *sum, ThError *err)
{
    double *v TH_OWNED(free) = th_alloc(pair_of(x, x->of[0]->n, 0), sizeof *v, err);
    for (size_t i = 0; v && i < x->of[0]->moves; i++)
        for (size_t k = 0; k < x->of[1]->moves; k++) {
            const Move *a = &x->of[0]->move[i], *b = &x->of[1]->move[k];
            if (a->symbol < 0 && b->symbol < 0)
                v[pair_of(x, a->from, b->from)] += a->p * b->p;
        }
    bool ok = v && solve(x, true, v, err);
    *sum = ok ? v[0] : 0;
    return ok;
}

/* Of two that read every word in one way. */
static bool diverge(const Pair *x, double *sum, ThError *err)
{
    const Distribution *p = x->of[0], *q = x->of[1];
    size_t n = pair_of(x, p->n, 0);
    double *v TH_OWNED(free) = th_alloc(n, sizeof *v, err);
    bool *reached TH_OWNED(free) = v ? th_alloc(n, sizeof *reached, err) : NULL;
    if (!reached)
        return false;
    reached[0] = true;
    *sum = HUGE_VAL;
    for (bool more = true; more;) {
        more = false;
        memset(v, 0, n * sizeof *v);
        for (size_t i = 0; i < p->moves; i++)
            for (int state = 0; state < q->n; state++) {
                const Move *a = &p->move[i], *b = NULL;
                int at = a->from * q->n + state;
                for (size_t k = 0; k < q->moves; k++)
                    if (q->move[k].from == state && paired(x, a, &q->move[k]))
                        b = &q->move[k];
                if (!reached[at])
                    continue;
                if (!b)
                    return true; /* words that end behind it are impossible in q */
                v[at] += a->p * log2(a->p / b->p);
                int to = a->to * q->n + b->to;
                more = more || (a->symbol >= 0 && !reached[to]);
                reached[to] = reached[to] || a->symbol >= 0;
            }
    }
    bool ok = solve(x, false, v, err);
    *sum = v[0];
    return ok;
}

bool th_distribution_distance(const ThLanguage *p, const ThLanguage *q, ThDistributionDistance *to,
                              ThError *err)
{
    enum { MOST_PAIRS = 2000 };
    const Distribution *a = need(p, err), *b = a ? need(q, err) : NULL;
    int *symbol TH_OWNED(free) = b ? th_alloc((size_t)q->n_symbols + 1, sizeof *symbol, err) : NULL;
    if (!symbol)
        return false;
    for (int i = 0; i < q->n_symbols; i++)
        symbol[i] = th_symbols_find(p->symbol, p->n_symbols, q->symbol[i]);
    for (int i = 0; i < q->n_symbols; i++)
        if (p->n_symbols != q->n_symbols || symbol[i] < 0)
            return th_fail(err, TH_EVALUE, "the two have different symbols");
    double n = (double)a->n * b->n;
    if (fmax(n, fmax((double)a->n * a->n, (double)b->n * b->n)) > MOST_PAIRS)
        return th_fail(err, TH_ELIMIT, "there are more than %d pairs of states", MOST_PAIRS);
    int *same TH_OWNED(free) = th_alloc((size_t)q->n_symbols + 1, sizeof *same, err);
    for (int i = 0; same && i < q->n_symbols; i++)
        same[i] = i;
    double aa, ab, bb;
    bool ok = same && inner(&(Pair){{a, a}, same}, &aa, err) &&
              inner(&(Pair){{a, b}, symbol}, &ab, err) && inner(&(Pair){{b, b}, same}, &bb, err);
    *to = (ThDistributionDistance){ok ? fmax(aa - 2 * ab + bb, 0) : 0, (double)NAN};
    return ok &&
           (!one_way(a) || !one_way(b) || diverge(&(Pair){{a, b}, symbol}, &to->divergence, err));
}

bool th_distribution_lengths(const ThLanguage *l, int hi, double *p, ThError *err)
{
    const Distribution *d = need(l, err);
    double *v TH_OWNED(free) = d ? th_alloc((size_t)d->n * 2, sizeof *v, err) : NULL;
    if (!v)
        return false;
    double *from = v, *to = v + d->n;
    from[0] = 1;
    for (int k = 0; k <= hi; k++) {
        p[k] = advance(d, from, -1, to);
        memset(to, 0, (size_t)d->n * sizeof *to);
        for (size_t i = 0; i < d->moves; i++)
            if (d->move[i].symbol >= 0)
                to[d->move[i].to] += from[d->move[i].from] * d->move[i].p;
        double *other = from;
        from = to;
        to = other;
    }
    return true;
}

bool th_distribution_draw(const ThLanguage *l, ThRng *r, int **word, size_t *cap, int *n,
                          ThStop *stop, ThError *err)
{
    enum { LONGEST = 1000000 };
    const Distribution *d = need(l, err);
    *n = 0;
    for (int q = 0; d && !th_stopped(stop, err);) {
        const Move *m = draw_move(d, q, NULL, r);
        if (m->symbol < 0)
            return true;
        if (*n == LONGEST)
            return th_fail(err, TH_ELIMIT, "a word has more than %d symbols", LONGEST);
        if (!th_grow(word, cap, (size_t)*n + 1, sizeof **word, err))
            return false;
        (*word)[(*n)++] = m->symbol;
        q = m->to;
    }
    return false;
}
