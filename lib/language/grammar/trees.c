/* In how many ways a grammar derives a word, and whether some word has two. */
#include "language/trees.h"

#include "language/grammar.h"

/* ---- trees of a word ------------------------------------------------------------------------- */

/* Trees of a variable that end at a place. */
typedef struct {
    size_t end;
    double trees;
} Cell;

/* The table of Cocke, Younger and Kasami, row by row from the last one, a row being of the parts
 * that begin at a place; only what is not zero is kept. */
typedef struct {
    const ThGrammarPairs *p;
    ThLanguageWord word;
    size_t n;   /* places: the symbols and one */
    Cell *cell; /* of the rows that are done, without parts of no symbols */
    size_t cells, cap;
    size_t *first;     /* (n, n_variables + 1): those of a row and a variable begin in cell */
    double *empty;     /* (n_variables): trees of the empty word */
    double *row, *sum; /* (n, n_variables): the row that is filled; from splits inside */
    bool *due;         /* (n): places where one of its parts may end */
    size_t *end, ends; /* (n): and where one does */
} Table;

static double *at(const Table *t, double *of, size_t j)
{
    return of + j * (size_t)t->p->n_variables;
}

/* All that a rule adds to a cell of the row i but splits strictly inside. */
static double at_ends(const Table *t, const ThGrammarPair *r, size_t i, size_t j)
{
    const double *here = at(t, t->row, j);
    switch (r->n) {
    case 0:
        return i == j;
    case -1:
        return j == i + 1 && t->word.symbol[i] == r->b;
    case 1:
        return here[r->b];
    default:
        return i == j ? here[r->b] * here[r->c]
                      : t->empty[r->b] * here[r->c] + here[r->b] * t->empty[r->c];
    }
}

static void fill_cells(const Table *t, size_t i, size_t j)
{
    const ThGrammarPairs *p = t->p;
    for (int o = 0; o < p->n_variables; o++) {
        double n = at(t, t->sum, j)[p->order[o]];
        for (size_t k = p->first[o]; k < p->first[o + 1]; k++)
            n += at_ends(t, &p->rule[p->by_order[k]], i, j);
        at(t, t->row, j)[p->order[o]] = n;
    }
}

/* Passes on what the parts that end at j give to longer ones of the row. */
static void pass_on(const Table *t, size_t j)
{
    size_t variables = (size_t)t->p->n_variables;
    for (size_t k = 0; t->cell && k < t->p->n; k++) { /* no row is done before the last one */
        const ThGrammarPair *r = &t->p->rule[k];
        double b = r->n == 2 ? at(t, t->row, j)[r->b] : 0;
        const size_t *first = t->first + j * (variables + 1) + (b == 0 ? 0 : r->c);
        for (size_t c = first[0]; b != 0 && c < first[1]; c++) {
            at(t, t->sum, t->cell[c].end)[r->left] += b * t->cell[c].trees;
            t->due[t->cell[c].end] = true;
        }
    }
}

/* Takes the row to the cells, and leaves its room empty. */
static bool keep_row(Table *t, size_t i, ThError *err)
{
    size_t variables = (size_t)t->p->n_variables;
    bool ok = th_grow(&t->cell, &t->cap, t->cells + t->ends * variables, sizeof *t->cell, err);
    for (size_t v = 0; ok && v <= variables; v++) {
        t->first[i * (variables + 1) + v] = t->cells;
        for (size_t k = 1; v < variables && k < t->ends; k++) {
            double trees = at(t, t->row, t->end[k])[v];
            if (trees != 0)
                t->cell[t->cells++] = (Cell){t->end[k], trees};
        }
    }
    for (size_t k = 0; k < t->ends; k++) {
        memset(at(t, t->row, t->end[k]), 0, variables * sizeof *t->row);
        memset(at(t, t->sum, t->end[k]), 0, variables * sizeof *t->sum);
    }
    return ok;
}

static void fill_row(Table *t, size_t i)
{
    t->ends = 0;
    t->due[i] = true;
    t->due[i + (i + 1 < t->n)] = true;
    for (const bool *j; (j = memchr(t->due + i, true, t->n - i)) != NULL;) {
        size_t end = t->end[t->ends++] = (size_t)(j - t->due);
        t->due[end] = false;
        fill_cells(t, i, end);
        if (end > i)
            pass_on(t, end);
        else
            memcpy(t->empty, at(t, t->row, i), (size_t)t->p->n_variables * sizeof *t->empty);
    }
}

static void free_table(Table *t)
{
    TH_FREE(t->cell, t->first, t->empty, t->row, t->due, t->end);
}
TH_RELEASES_VALUE(free_table, Table)

bool th_grammar_trees(const ThGrammar *g, ThLanguageWord word, ThStop *stop, double *trees,
                      ThError *err)
{
    Table t TH_OWNED(free_table) = {.p = &g->pairs, .word = word, .n = (size_t)word.n + 1};
    size_t v = (size_t)t.p->n_variables;
    t.first = th_alloc(t.n * (v + 1), sizeof *t.first, err);
    t.row = th_alloc(2 * t.n * v, sizeof *t.row, err);
    t.empty = th_alloc(v, sizeof *t.empty, err);
    t.due = th_alloc(t.n, sizeof *t.due, err);
    t.end = th_alloc(t.n, sizeof *t.end, err);
    bool ok = t.first && t.row && t.empty && t.due && t.end;
    t.sum = ok ? t.row + t.n * v : NULL;
    for (size_t i = t.n; ok && i-- > 0;) {
        fill_row(&t, i);
        *trees = at(&t, t.row, (size_t)word.n)[0];
        ok = !th_stopped(stop, err) && keep_row(&t, i, err);
    }
    return ok;
}

/* The grammar of a language, or of what answers in its place, whose trees can be counted. */
static const ThGrammar *grammar_of(const ThLanguage *l, ThError *err)
{
    l = th_language_asked(l);
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
    return g && th_grammar_trees(g, word, stop, n, err);
}

/* ---- ambiguity ------------------------------------------------------------------------------- */

typedef struct {
    const ThLanguage *l;
    ThLanguageAmbiguity *a;
    ThStop *stop;
    ThError *err;
} Search;

static bool look_at(void *context, ThLanguageWord word, ThLanguageAnswer answer TH_UNUSED)
{
    Search *s = context;
    double trees;
    if (!th_grammar_trees(s->l->data, word, s->stop, &trees, s->err))
        return false;
    if (trees < 2)
        return true;
    s->a->word = th_copy(word.symbol, (size_t)word.n, sizeof *word.symbol, s->err);
    s->a->n = word.n;
    s->a->trees = trees;
    return false;
}

bool th_grammar_ambiguity(const ThLanguage *l, int length, ThLanguageAmbiguity *a, ThStop *stop,
                          ThError *err)
{
    enum { MOST = 100000 };
    ThError inner = {0};
    Search s = {l, a, stop, &inner};
    long long tried = 0;
    *a = (ThLanguageAmbiguity){((const ThGrammar *)l->data)->pairs.one_tree, .tried_to = -1};
    for (int n = 0; n <= length && tried < MOST && !a->word && !a->never; n++) {
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
    return grammar_of(l, err) && th_grammar_ambiguity(th_language_asked(l), length, a, stop, err);
}

bool th_language_has_cycles(const ThLanguage *l)
{
    l = th_language_asked(l);
    return l->kind == &th_language_kind_grammar && ((const ThGrammar *)l->data)->pairs.cut;
}

const char *th_language_remarks(const ThLanguage *l)
{
    bool grammar = l->kind == &th_language_kind_grammar;
    return grammar ? ((const ThGrammar *)l->data)->remarks.data : NULL;
}
