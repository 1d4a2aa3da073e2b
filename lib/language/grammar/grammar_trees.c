/* Trees of a grammar: how many there are of each length and of each word, and one at random.
 *
 * Counting by length: Hickey and Cohen 1983, and Mairson 1994, "Generating words in a context-free
 * language uniformly at random"; splits are tried from both ends, as Flajolet, Zimmermann and Van
 * Cutsem 1994 do.  Trees are drawn uniformly; a word with t trees is kept with probability 1/t. */
#include <math.h>

#include "language/grammar.h"

/* ---- trees by length ------------------------------------------------------------------------- */

typedef struct {
    const ThLanguage *l;
    const ThGrammarPairs *p;
    int length;
    ThStop *stop;
    long double *of;   /* (n_variables, length + 1): trees with so many symbols */
    long double *rule; /* (n, length + 1): those that begin with a rule */
    int *least, *most; /* (n_variables): the lengths that trees were found of; most -1: none */
} Words;

void th_grammar_free_words(void *words)
{
    Words *w = words;
    TH_FREE(w->of, w->rule, w->least, w);
}

static long double *row(const Words *w, long double *table, size_t i)
{
    return table + i * ((size_t)w->length + 1);
}

static long double trees_of_rule(const Words *w, const ThGrammarPair *r, int n)
{
    if (r->n <= 0)
        return n == (r->n == 0 ? 0 : 1);
    const long double *b = row(w, w->of, (size_t)r->b), *c = row(w, w->of, (size_t)r->c);
    if (r->n == 1)
        return b[n];
    long double sum = 0;
    int from = n - w->most[r->c], to = n - w->least[r->c];
    from = from > w->least[r->b] ? from : w->least[r->b];
    to = to < w->most[r->b] ? to : w->most[r->b];
    for (int i = from; i <= to; i++)
        sum += b[i] * c[n - i];
    return sum;
}

/* False beyond the range of numbers. */
static bool fill_length(Words *w, int n)
{
    const ThGrammarPairs *p = w->p;
    bool finite = true;
    for (int i = 0; i < p->n_variables; i++) {
        int v = p->order[i];
        long double *of = &row(w, w->of, (size_t)v)[n];
        for (size_t k = p->first[i]; k < p->first[i + 1]; k++) {
            long double *x = &row(w, w->rule, p->by_order[k])[n];
            *x = trees_of_rule(w, &p->rule[p->by_order[k]], n);
            *of += *x;
        }
        if (*of != 0 && w->most[v] < 0)
            w->least[v] = n;
        if (*of != 0)
            w->most[v] = n;
        finite = finite && isfinite(*of);
    }
    return finite;
}

void *th_grammar_words(const ThLanguage *l, int length, ThStop *stop, ThError *err)
{
    const ThGrammar *g = l->data;
    const ThGrammarPairs *p = &g->pairs;
    Words *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    size_t n = (size_t)length + 1;
    *w = (Words){.l = l, .p = p, .length = length, .stop = stop};
    w->of = th_alloc((size_t)p->n_variables * n, sizeof *w->of, err);
    w->rule = th_alloc(p->n * n, sizeof *w->rule, err);
    w->least = th_alloc(2 * (size_t)p->n_variables, sizeof *w->least, err);
    bool ok = w->of && w->rule && w->least;
    for (int v = 0; ok && v < p->n_variables; v++)
        (w->most = w->least + p->n_variables)[v] = -1;
    for (int i = 0; ok && i <= length; i++) {
        ok = !th_stopped(stop, err) &&
             (fill_length(w, i) ||
              th_fail(err, TH_ELIMIT, "the words of up to %d symbols are too many to be drawn",
                      length));
    }
    if (ok)
        return w;
    th_grammar_free_words(w);
    return NULL;
}

double th_grammar_log_words(const void *words)
{
    const Words *w = words;
    long double n = w->of[w->length];
    return n > 0 ? (double)logl(n) : -HUGE_VAL;
}

/* ---- one at random --------------------------------------------------------------------------- */

typedef struct {
    int variable, n;
} Part;

/* The rule that a tree of so many symbols begins with. */
static const ThGrammarPair *draw_rule(const Words *w, Part part, const int *place, ThRng *r)
{
    const ThGrammarPairs *p = w->p;
    long double all = row(w, w->of, (size_t)part.variable)[part.n];
    long double left = (long double)th_rng_uniform(r) * all;
    const ThGrammarPair *last = NULL;
    int at = place[part.variable];
    for (size_t k = p->first[at]; k < p->first[at + 1]; k++) {
        long double x = row(w, w->rule, p->by_order[k])[part.n];
        if (x > 0)
            last = &p->rule[p->by_order[k]];
        if (x > 0 && (left -= x) < 0)
            break;
    }
    return last;
}

/* How many of n symbols the first of two variables gets: 0, n, 1, n - 1, … are tried. */
static int draw_split(const Words *w, const ThGrammarPair *rule, int n, ThRng *r)
{
    const long double *b = row(w, w->of, (size_t)rule->b), *c = row(w, w->of, (size_t)rule->c);
    long double left =
        (long double)th_rng_uniform(r) * row(w, w->rule, (size_t)(rule - w->p->rule))[n];
    int last = 0;
    for (int k = 0; k <= n; k++) {
        int i = k % 2 ? n - k / 2 : k / 2;
        long double x = b[i] * c[n - i];
        if (x > 0)
            last = i;
        if (x > 0 && (left -= x) < 0)
            break;
    }
    return last;
}

/* Draws a tree and writes its word.  Parts without symbols are passed over: they write nothing. */
static bool draw_tree(const Words *w, const int *place, ThRng *r, int *word, ThError *err)
{
    size_t n = 1, cap = 0;
    Part *stack TH_OWNED(free) = NULL;
    bool ok = th_grow(&stack, &cap, 1, sizeof *stack, err);
    if (ok)
        stack[0] = (Part){0, w->length};
    while (ok && n > 0 && w->length > 0) {
        Part part = stack[--n];
        const ThGrammarPair *rule = draw_rule(w, part, place, r);
        if (rule->n == -1)
            *word++ = rule->b;
        if (rule->n == 1)
            stack[n++] = (Part){rule->b, part.n};
        if (rule->n < 2)
            continue;
        int i = draw_split(w, rule, part.n, r);
        ok = th_grow(&stack, &cap, n + 2, sizeof *stack, err);
        if (ok && i < part.n)
            stack[n++] = (Part){rule->c, part.n - i};
        if (ok && i > 0)
            stack[n++] = (Part){rule->b, i};
    }
    return ok;
}

bool th_grammar_draw(const void *words, ThRng *r, int *word, ThError *err)
{
    enum { TRIES = 1000 };
    const Words *w = words;
    int *place TH_OWNED(free) = th_alloc((size_t)w->p->n_variables, sizeof *place, err);
    bool ok = place != NULL, kept = false;
    for (int i = 0; ok && i < w->p->n_variables; i++)
        place[w->p->order[i]] = i;
    double trees = 1;
    for (int i = 0; ok && !kept && i < TRIES; i++) {
        ok = !th_stopped(w->stop, err) && draw_tree(w, place, r, word, err) &&
             (w->p->one_tree || th_grammar_trees(w->l->data, (ThLanguageWord){word, w->length},
                                                 w->stop, &trees, err));
        kept = ok && (trees <= 1 || th_rng_uniform(r) * trees < 1);
    }
    if (!ok || kept)
        return ok;
    th_fail(err, TH_ELIMIT,
            "the grammar is too ambiguous to draw from: %d trees of length %d were rejected in a "
            "row, the last one's word having %.4g",
            TRIES, w->length, trees);
    return th_hint(err, "words of the same language come from a grammar with fewer trees");
}

/* ---- exact numbers --------------------------------------------------------------------------- */

/* trees[v * (hi + 1) + n] for all v and n. */
static bool count_trees(const ThGrammarPairs *p, int hi, mpz_t *trees, ThStop *stop, ThError *err)
{
    size_t rows = (size_t)hi + 1;
    for (int n = 0; n <= hi; n++) {
        if (th_stopped(stop, err))
            return false;
        for (int i = 0; i < p->n_variables; i++) {
            mpz_t *of = &trees[(size_t)p->order[i] * rows + (size_t)n];
            for (size_t k = p->first[i]; k < p->first[i + 1]; k++) {
                const ThGrammarPair *r = &p->rule[p->by_order[k]];
                mpz_t *b = trees + (size_t)r->b * rows, *c = trees + (size_t)r->c * rows;
                if (r->n <= 0 && n == (r->n == 0 ? 0 : 1))
                    mpz_add_ui(*of, *of, 1);
                if (r->n == 1)
                    mpz_add(*of, *of, b[n]);
                for (int j = 0; r->n == 2 && j <= n; j++)
                    mpz_addmul(*of, b[j], c[n - j]);
            }
        }
    }
    return true;
}

/* Numbers of words are those of trees where no word to a length that can be tried has two. */
bool th_grammar_count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop,
                      ThError *err)
{
    const ThGrammar *g = l->data;
    const ThGrammarPairs *p = &g->pairs;
    size_t rows = (size_t)hi + 1, all = (size_t)p->n_variables * rows;
    ThLanguageAmbiguity a;
    if (!th_grammar_ambiguity(l, hi < 12 ? hi : 12, &a, stop, err))
        return false;
    free(a.word);
    *known = a.word == NULL;
    mpz_t *trees TH_OWNED(free) = *known ? th_alloc(all, sizeof *trees, err) : NULL;
    if (!trees)
        return !*known;
    for (size_t i = 0; i < all; i++)
        mpz_init(trees[i]);
    bool ok = count_trees(p, hi, trees, stop, err);
    for (int i = 0; ok && i <= hi; i++)
        mpz_set(n[i], trees[i]);
    for (size_t i = 0; i < all; i++)
        mpz_clear(trees[i]);
    return ok;
}
