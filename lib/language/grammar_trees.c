/* Trees of a grammar: how many there are of each length and of each word, and one at random.
 *
 * Counting by length: Hickey and Cohen 1983, and Mairson 1994, "Generating words in a context-free
 * language uniformly at random"; splits are tried from both ends, as Flajolet, Zimmermann and Van
 * Cutsem 1994 do.  Trees are drawn uniformly; a word with t trees is kept with probability 1/t. */
#include <math.h>

#include "language/grammar.h"
#include "language/trees.h"

static bool count_word(const ThGrammar *g, ThLanguageWord word, ThStop *stop, double *n,
                       ThError *err);

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
             count_word(w->l->data, (ThLanguageWord){word, w->length}, w->stop, &trees, err);
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

static bool find_ambiguous(const ThLanguage *l, int length, ThLanguageAmbiguity *a, ThStop *stop,
                           ThError *err);

/* Numbers of words are those of trees where no word to a length that can be tried has two. */
bool th_grammar_count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop,
                      ThError *err)
{
    const ThGrammar *g = l->data;
    const ThGrammarPairs *p = &g->pairs;
    size_t rows = (size_t)hi + 1, all = (size_t)p->n_variables * rows;
    ThLanguageAmbiguity a;
    if (!find_ambiguous(l, hi < 12 ? hi : 12, &a, stop, err))
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

/* ---- trees of a word ------------------------------------------------------------------------- */

typedef struct {
    const ThGrammarPairs *p;
    ThLanguageWord word;
    size_t n;    /* places: the symbols and one */
    double *of;  /* (n_variables, n, n): trees of the symbols i … j - 1 */
    double *sum; /* (n_variables, n): of the row that is filled, from splits inside */
} Table;

static double *cell(const Table *t, int v, size_t i)
{
    return t->of + ((size_t)v * t->n + i) * t->n;
}

/* All that a rule adds to a cell but splits strictly inside. */
static double at_ends(const Table *t, const ThGrammarPair *r, size_t i, size_t j)
{
    switch (r->n) {
    case 0:
        return i == j;
    case -1:
        return j == i + 1 && t->word.symbol[i] == r->b;
    case 1:
        return cell(t, r->b, i)[j];
    default:
        return i == j ? cell(t, r->b, i)[i] * cell(t, r->c, i)[i]
                      : cell(t, r->b, i)[i] * cell(t, r->c, i)[j] +
                            cell(t, r->b, i)[j] * cell(t, r->c, j)[j];
    }
}

static void fill_cells(const Table *t, size_t i, size_t j)
{
    const ThGrammarPairs *p = t->p;
    for (int o = 0; o < p->n_variables; o++) {
        int v = p->order[o];
        double n = t->sum[(size_t)v * t->n + j];
        for (size_t k = p->first[o]; k < p->first[o + 1]; k++)
            n += at_ends(t, &p->rule[p->by_order[k]], i, j);
        cell(t, v, i)[j] = n;
    }
}

/* Passes on what the cells (i, j) give to longer ones of row i. */
static void pass_on(const Table *t, size_t i, size_t j)
{
    for (size_t k = 0; k < t->p->n; k++) {
        const ThGrammarPair *r = &t->p->rule[k];
        double b = r->n == 2 ? cell(t, r->b, i)[j] : 0;
        if (b == 0)
            continue;
        const double *c = cell(t, r->c, j);
        double *to = t->sum + (size_t)r->left * t->n;
        for (size_t m = j + 1; m < t->n; m++)
            to[m] += b * c[m];
    }
}

static bool fill_table(const Table *t, ThStop *stop, ThError *err)
{
    size_t v = (size_t)t->p->n_variables;
    for (size_t i = t->n; i-- > 0;) {
        if (th_stopped(stop, err))
            return false;
        for (size_t k = 0; k < v * t->n; k++)
            t->sum[k] = 0;
        fill_cells(t, i, i);
        for (size_t j = i + 1; j < t->n; j++) {
            fill_cells(t, i, j);
            pass_on(t, i, j);
        }
    }
    return true;
}

/* Of the rules without cycles. */
static bool count_word(const ThGrammar *g, ThLanguageWord word, ThStop *stop, double *n,
                       ThError *err)
{
    const ThGrammarPairs *p = &g->pairs;
    Table t = {.p = p, .word = word, .n = (size_t)word.n + 1};
    size_t v = (size_t)p->n_variables;
    t.of = th_alloc(v * t.n * t.n, sizeof *t.of, err);
    t.sum = th_alloc(v * t.n, sizeof *t.sum, err);
    bool ok = t.of && t.sum && fill_table(&t, stop, err);
    if (ok)
        *n = cell(&t, 0, 0)[word.n];
    TH_FREE(t.of, t.sum);
    return ok;
}

/* The grammar of a language, or of what answers in its place, whose trees can be counted. */
static const ThGrammar *grammar_of(const ThLanguage *l, ThError *err)
{
    l = l->as ? l->as : l;
    const ThGrammar *g = l->kind == &th_language_kind_grammar ? l->data : NULL;
    if (!g)
        th_fail(err, TH_EUSAGE, "only words of a grammar have trees");
    else if (g->pairs.cut)
        th_fail(err, TH_EVALUE, "a word may have infinitely many trees");
    return g && !g->pairs.cut ? g : NULL;
}

bool th_language_trees(const ThLanguage *l, ThLanguageWord word, ThStop *stop, double *n,
                       ThError *err)
{
    const ThGrammar *g = grammar_of(l, err);
    return g && count_word(g, word, stop, n, err);
}

/* ---- ambiguity ------------------------------------------------------------------------------- */

typedef struct {
    const ThLanguage *l;
    ThLanguageAmbiguity *a;
    ThStop *stop;
    ThError *err;
} Search;

static bool look_at(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    Search *s = context;
    double trees;
    (void)answer;
    if (!count_word(s->l->data, word, s->stop, &trees, s->err))
        return false;
    if (trees < 2)
        return true;
    s->a->word = th_copy(word.symbol, (size_t)word.n, sizeof *word.symbol, s->err);
    s->a->n = word.n;
    s->a->trees = trees;
    return false;
}

static bool find_ambiguous(const ThLanguage *l, int length, ThLanguageAmbiguity *a, ThStop *stop,
                           ThError *err)
{
    enum { MOST = 100000 };
    ThError inner = {0};
    Search s = {l, a, stop, &inner};
    long long tried = 0;
    *a = (ThLanguageAmbiguity){.tried_to = -1};
    for (int n = 0; n <= length && tried < MOST && !a->word; n++) {
        bool ok = th_language_each(l, n, MOST - tried, look_at, &s, &tried, stop, &inner);
        if (inner.code == TH_ELIMIT)
            return true;
        if (!ok || inner.code)
            return th_fail(err, inner.code, "%s", inner.msg);
        a->tried_to = a->word ? a->tried_to : n;
    }
    return true;
}

bool th_language_ambiguity(const ThLanguage *l, int length, ThLanguageAmbiguity *a, ThStop *stop,
                           ThError *err)
{
    *a = (ThLanguageAmbiguity){.tried_to = -1};
    return grammar_of(l, err) && find_ambiguous(l->as ? l->as : l, length, a, stop, err);
}

bool th_language_has_cycles(const ThLanguage *l)
{
    l = l->as ? l->as : l;
    return l->kind == &th_language_kind_grammar && ((const ThGrammar *)l->data)->pairs.cut;
}

const char *th_language_remarks(const ThLanguage *l)
{
    bool grammar = l->kind == &th_language_kind_grammar;
    return grammar ? ((const ThGrammar *)l->data)->remarks.data : NULL;
}
