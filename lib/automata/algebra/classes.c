#include "automata/algebra/class_impl.h"

#include "automata/algebra/class_witness.h"
#include "automata/algebra/counting.h"
#include "automata/algebra/strictly.h"
#include "automata/algebra/testable.h"
#include "automata/core/components.h"

typedef ThClassSide Side;
typedef ThClassWork Work;
typedef ThClassRow Row;

enum { BY_EQUATION = -1, FEWEST_SHOWN = 8 };

/* ---- by equations ---------------------------------------------------------------------------- */

static void write_breach(Work *w, const ThMonoidEquation *law, const ThMonoidBreach *b)
{
    const Side *s = w->on;
    for (int i = 0; i < b->n; i++) {
        int *word = th_alloc((size_t)s->m->length[b->value[i]], sizeof *word, w->err);
        if (!word)
            return;
        th_monoid_word(s->m, b->value[i], word);
        th_text_printf(w->text, "%s%c = ", i ? ", " : "", b->name[i]);
        th_class_word(w->text, s->symbol, s->d->n_symbols, word, s->m->length[b->value[i]]);
        free(word);
    }
    th_class_write_parting(w->text, s->d, s->symbol, s->m, b->left, b->right, law->ordered, w->err);
}

static const bool *flag_of(const Side *s, const Row *row)
{
    return (const bool *)((const char *)&s->v + row->known);
}

/* The least common multiple of two numbers, or the first where it would be too large. */
int th_class_multiple(int m, int n)
{
    enum { MOST = 1000000 };
    int x = m, y = n;
    while (y) {
        int rest = x % y;
        x = y;
        y = rest;
    }
    return n / x <= MOST / m ? n / x * m : m;
}

/* The longest cycle of states that a symbol makes; with `all` the least common multiple of all. */
int th_class_cycle(const ThDfa *d, int a, bool all)
{
    int n = 1, length;
    for (int q = 0; q < d->n_states; q++) {
        int p = d->next[q * d->n_symbols + a];
        for (length = 1; length <= d->n_states && p != q; length++)
            p = d->next[p * d->n_symbols + a];
        if (p != q)
            continue;
        n = all ? th_class_multiple(n, length) : length > n ? length : n;
    }
    return n;
}

/* What a large monoid leaves undecided, unless a symbol makes a cycle where none may be. */
static ThClassAnswer too_large(Work *w, const Row *row)
{
    const Side *s = w->on;
    for (int a = 0;
         row->kind.key == th_class_rows[TH_CLASS_STAR_FREE].kind.key && a < s->d->n_symbols; a++)
        if (th_class_cycle(s->d, a, false) > 1) {
            th_text_printf(w->text, "%s goes round %d states", s->symbol[a],
                           th_class_cycle(s->d, a, false));
            return TH_CLASS_NO;
        }
    th_text_add(w->text, "the monoid is too large");
    return TH_CLASS_UNKNOWN;
}

/* The flag of Green's relations answers at once; the equation is looked at for a witness. */
static ThClassAnswer by_equations(Work *w, const Row *row, ThClassVerdict *v TH_UNUSED)
{
    ThMonoidBreach where;
    if (!w->on->m)
        return too_large(w, row);
    if (row->known != BY_EQUATION && *flag_of(w->on, row))
        return TH_CLASS_YES;
    int holds = 1;
    for (int i = 0; i < 2 && holds == 1 && row->law[i].variables; i++) {
        holds = th_monoid_satisfies(w->on->table, &row->law[i], &where, w->stop, w->err);
        if (holds == 0)
            write_breach(w, &row->law[i], &where);
    }
    if (row->known != BY_EQUATION)
        return TH_CLASS_NO;
    return holds < 0 ? too_large(w, row) : holds ? TH_CLASS_YES : TH_CLASS_NO;
}

static ThClassAnswer by_knast(Work *w, const Row *row, ThClassVerdict *v TH_UNUSED)
{
    ThMonoidBreach where;
    if (!w->on->m)
        return too_large(w, row);
    int holds = th_monoid_satisfies_knast(w->on->table, &where, w->stop, w->err);
    if (holds == 0)
        write_breach(w, &row->law[0], &where);
    return holds < 0 ? too_large(w, row) : holds ? TH_CLASS_YES : TH_CLASS_NO;
}

/* ---- with the length of the pieces ------------------------------------------------------------
 */

/* The least k + t that suffice, k first. */
static void find_factors(Work *w, ThClassVerdict *v, int most_threshold)
{
    enum { MOST_SUM = 7 };
    for (int sum = 2; sum <= MOST_SUM; sum++)
        for (int k = 1; k < sum; k++) {
            int t = sum - k;
            if (t > most_threshold || th_dfa_factors_suffice(w->on->d, k, t, w->stop, w->err) != 1)
                continue;
            v->k = k;
            v->threshold = t;
            return;
        }
}

static ThClassAnswer by_testing(Work *w, const Row *row, ThClassVerdict *v)
{
    bool once = strstr(row->kind.key, "ltt") == NULL;
    ThClassAnswer is = by_equations(w, row, v);
    if (is == TH_CLASS_YES)
        find_factors(w, v, once ? 1 : 6);
    return is;
}

static ThClassAnswer by_simon(Work *w, const Row *row, ThClassVerdict *v)
{
    enum { MOST = 6 };
    ThClassAnswer is = by_equations(w, row, v);
    for (int k = 1; is == TH_CLASS_YES && k <= MOST && v->k == 0; k++)
        if (th_dfa_subsequences_suffice(w->on->d, k, w->stop, w->err) == 1)
            v->k = k;
    return is;
}

/* ---- strictly local and piecewise -------------------------------------------------------------
 */

static bool is_co(const Row *row)
{
    return row->kind.key[0] == 'c';
}

static ThClassAnswer by_pairs(Work *w, const Row *row, ThClassVerdict *v)
{
    const Side *s = w->on;
    ThDfaStrictLoop loop;
    int k = th_dfa_strictly_local(s->d, !is_co(row), &loop, w->err);
    if (k > 0) {
        v->k = k;
        th_text_add(w->text, is_co(row) ? "requires one of " : "forbids ");
        th_dfa_forbidden_factors(s->d, !is_co(row), k, s->symbol, FEWEST_SHOWN, w->text, w->stop,
                                 w->err);
    } else if (k == 0) {
        th_class_write_loop(w->text, s->d, s->symbol, loop.p, loop.q, loop.word, loop.length,
                            w->err);
    }
    free(loop.word);
    return k > 0 ? TH_CLASS_YES : TH_CLASS_NO;
}

static ThClassAnswer by_inclusion(Work *w, const Row *row, ThClassVerdict *v)
{
    const ThDfa *d = w->on->d;
    size_t n = (size_t)d->n_states;
    bool *inside TH_OWNED(free) = th_alloc(n * n, sizeof *inside, w->err);
    bool ok = inside && th_dfa_inclusions(d, inside, w->err), co = is_co(row);
    for (int i = 0; ok && i < d->n_states * d->n_symbols; i++) {
        size_t q = (size_t)(i / d->n_symbols), to = (size_t)d->next[i];
        if (co ? inside[q * n + to] : inside[to * n + q])
            continue;
        th_class_write_deletion(w->text, d, w->on->symbol, (int)q, i % d->n_symbols, co, w->err);
        return TH_CLASS_NO;
    }
    th_text_add(w->text, co ? "requires one of " : "forbids ");
    if (ok)
        th_dfa_forbidden_subsequences(d, !co, &v->k, w->on->symbol, FEWEST_SHOWN, w->text, w->stop,
                                      w->err);
    return TH_CLASS_YES;
}

/* ---- by components --------------------------------------------------------------------------- */

static ThClassAnswer by_order(Work *w, const Row *row TH_UNUSED, ThClassVerdict *v TH_UNUSED)
{
    const ThDfa *d = w->on->d;
    int *component TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *component, w->err);
    bool ok = component &&
              th_automaton_components(d->next, d->n_states, d->n_symbols, component, w->err) >= 0;
    int p = 0, q = d->n_states;
    for (; ok && p < d->n_states && q == d->n_states; p++)
        for (q = p + 1; q < d->n_states && component[p] != component[q];)
            q++;
    if (!ok || p == d->n_states)
        return TH_CLASS_YES;
    th_class_write_cycle(w->text, d, w->on->symbol, p - 1, q, w->err);
    return TH_CLASS_NO;
}

static ThClassAnswer by_counting(Work *w, const Row *row TH_UNUSED, ThClassVerdict *v)
{
    ThText sums TH_OWNED(th_text_free) = {0};
    ThDfaCounting c;
    if (!th_dfa_counting(w->on->d, w->on->symbol, &c, &sums, w->stop, w->err))
        c.decided = -1;
    if (c.decided == 1 && sums.size)
        th_text_printf(w->text, "by %s", sums.data);
    if (c.decided == 1 && c.rounds > 1)
        th_text_printf(w->text, "%scounts of counts", sums.size ? ", and " : "by ");
    if (c.decided < 0)
        th_text_add(w->text, "its numbers are too large");
    v->k = c.decided == 1 ? c.rounds : 0;
    if (c.decided == 0) {
        th_class_write_cycle(w->text, w->on->d, w->on->symbol, c.p, c.q, w->err);
        th_text_add(w->text, ", and no counts tell them apart");
    }
    return c.decided < 0 ? TH_CLASS_UNKNOWN : c.decided ? TH_CLASS_YES : TH_CLASS_NO;
}

/* ---- by Green's relations ---------------------------------------------------------------------
 */

/* Two idempotents e, f with ef = f and fe = e: of one R-class.  False: none. */
static bool find_idempotents(Work *w, int *e, int *f)
{
    const ThGreen *g = w->on->g;
    for (*f = 0; *f < w->on->m->size; ++*f) {
        if (g->d_class[g->d[*f]].n_groups < 2 || !th_monoid_idempotent(w->on->m, *f))
            continue;
        for (*e = 0; *e < *f; ++*e)
            if (g->d[*e] == g->d[*f] && g->row[*e] == g->row[*f] &&
                th_monoid_idempotent(w->on->m, *e))
                return true;
    }
    return false;
}

static ThClassAnswer by_rows(Work *w, const Row *row, ThClassVerdict *v)
{
    ThMonoidBreach b = {.n = 2, .name = {'e', 'f'}};
    if (row->law[0].variables) {
        ThClassAnswer is = by_equations(w, row, v);
        if (is != TH_CLASS_YES)
            return is;
    }
    if (!w->on->m)
        return too_large(w, row);
    if (!find_idempotents(w, &b.value[0], &b.value[1]))
        return TH_CLASS_YES;
    b.left = b.value[0];
    b.right = b.value[1];
    write_breach(w, &(ThMonoidEquation){.ordered = false}, &b);
    return TH_CLASS_NO;
}

static ThClassAnswer by_group(Work *w, const Row *row, ThClassVerdict *v)
{
    (void)v;
    const ThDfa *d = w->on->d;
    if (row->kind.key[0] == 's') {
        if (!w->on->m)
            return too_large(w, row);
        for (int i = 0; i < w->on->g->n_d; i++)
            if (w->on->v.groups[i].order > 0 && !w->on->v.groups[i].solvable) {
                th_text_printf(w->text, "the group %s", w->on->v.groups[i].name);
                return TH_CLASS_NO;
            }
        return TH_CLASS_YES;
    }
    for (int i = 0; i < d->n_states * d->n_symbols; i++)
        for (int j = i + d->n_symbols; j < d->n_states * d->n_symbols; j += d->n_symbols)
            if (d->next[i] == d->next[j]) {
                th_class_write_merging(w->text, d, w->on->symbol, i / d->n_symbols,
                                       j / d->n_symbols, i % d->n_symbols, w->err);
                return TH_CLASS_NO;
            }
    return TH_CLASS_YES;
}

static ThClassAnswer always(Work *w TH_UNUSED, const Row *row TH_UNUSED,
                            ThClassVerdict *v TH_UNUSED)
{
    return TH_CLASS_YES;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define FLAG(field) (ptrdiff_t) offsetof(ThVarieties, field)
#define KNAST                                                                                      \
    {                                                                                              \
        "e f p:ef q:fe r:ef s:fe", "(pq)^ps(rs)^", "(pq)^(rs)^", false                             \
    }
#define COMMUTING                                                                                  \
    {                                                                                              \
        "e x:ee y:ee", "xy", "yx", false                                                           \
    }
#define IDEMPOTENT                                                                                 \
    {                                                                                              \
        "e x:ee", "xx", "x", false                                                                 \
    }
#define THRESHOLD                                                                                  \
    {                                                                                              \
        "e f x:ef q:fe y:ef", "xqy", "yqx", false                                                  \
    }
#define APERIODIC                                                                                  \
    {                                                                                              \
        "x", "x^x", "x^", false                                                                    \
    }

const Row th_class_rows[TH_CLASS_COUNT] = {
    [TH_CLASS_COFINITE] = {{"cofinite",
                            "finite or cofinite",
                            "all long words alike (dot-depth 0)",
                            "Pin 2020, Mathematical Foundations of Automata Theory",
                            {TH_CLASS_DEFINITE, TH_CLASS_REVERSE_DEFINITE, TH_CLASS_PT, -1}},
                           false,
                           by_equations,
                           BY_EQUATION,
                           {{"e x", "xe", "e", false}, {"e x", "ex", "e", false}}},
    [TH_CLASS_DEFINITE] = {{"definite",
                            "definite",
                            "the last k symbols decide",
                            "Perles, Rabin, Shamir 1963",
                            {TH_CLASS_GENERALIZED_DEFINITE, TH_CLASS_SL, TH_CLASS_COSL,
                             TH_CLASS_L}},
                           false,
                           by_equations,
                           FLAG(definite),
                           {{"e x", "xe", "e", false}}},
    [TH_CLASS_REVERSE_DEFINITE] = {{"reverse_definite",
                                    "reverse definite",
                                    "the first k symbols decide",
                                    "Ginzburg 1966",
                                    {TH_CLASS_GENERALIZED_DEFINITE, TH_CLASS_SL, TH_CLASS_COSL,
                                     TH_CLASS_R}},
                                   false,
                                   by_equations,
                                   FLAG(reverse_definite),
                                   {{"e x", "ex", "e", false}}},
    [TH_CLASS_GENERALIZED_DEFINITE] = {{"generalized_definite",
                                        "generalized definite",
                                        "the first and last k symbols decide",
                                        "Ginzburg 1966",
                                        {TH_CLASS_LT, -1}},
                                       false,
                                       by_equations,
                                       FLAG(generalized_definite),
                                       {{"e x:ee", "x", "e", false}}},
    [TH_CLASS_SL] = {{"sl",
                      "SL",
                      "strictly local: no forbidden factor",
                      "McNaughton, Papert 1971; Caron 2000",
                      {TH_CLASS_LT, TH_CLASS_TSL, TH_CLASS_PI1, -1}},
                     false,
                     by_pairs,
                     BY_EQUATION,
                     {{0}}},
    [TH_CLASS_COSL] = {{"cosl",
                        "coSL",
                        "some required factor: the complement is SL",
                        "McNaughton, Papert 1971",
                        {TH_CLASS_LT, TH_CLASS_SIGMA1, -1}},
                       false,
                       by_pairs,
                       BY_EQUATION,
                       {{0}}},
    [TH_CLASS_SP] = {{"sp",
                      "SP",
                      "strictly piecewise: no forbidden scattered subword (Pi1[<])",
                      "Rogers et al. 2010; Haines 1969",
                      {TH_CLASS_PT, TH_CLASS_PI1, -1}},
                     false,
                     by_inclusion,
                     BY_EQUATION,
                     {{0}}},
    [TH_CLASS_COSP] = {{"cosp",
                        "coSP",
                        "some required scattered subword (Sigma1[<])",
                        "Rogers et al. 2010; Haines 1969",
                        {TH_CLASS_PT, TH_CLASS_SIGMA1, -1}},
                       false,
                       by_inclusion,
                       BY_EQUATION,
                       {{0}}},
    [TH_CLASS_LT] = {{"lt",
                      "LT",
                      "locally testable: which factors there are",
                      "Brzozowski, Simon 1973; McNaughton 1974",
                      {TH_CLASS_LTT, TH_CLASS_TLT, -1}},
                     false,
                     by_testing,
                     FLAG(locally_testable),
                     {COMMUTING, IDEMPOTENT}},
    [TH_CLASS_LTT] = {{"ltt",
                       "LTT",
                       "locally threshold testable: how many, up to t (FO[+1])",
                       "Beauquier, Pin 1989; Thérien, Weiss 1985",
                       {TH_CLASS_PLT, TH_CLASS_TLTT, -1}},
                      false,
                      by_testing,
                      BY_EQUATION,
                      {APERIODIC, THRESHOLD}},
    [TH_CLASS_PT] = {{"pt",
                      "PT",
                      "piecewise testable: which scattered subwords there are",
                      "Simon 1975",
                      {TH_CLASS_PLT, TH_CLASS_R, TH_CLASS_L, -1}},
                     false,
                     by_simon,
                     FLAG(j_trivial),
                     {{"x y", "(xy)^x", "(xy)^", false}, {"x y", "y(xy)^", "(xy)^", false}}},
    [TH_CLASS_SIGMA1] = {{"sigma1",
                          "Sigma1[<,+1]",
                          "unions of u1 A* u2 A* ... (dot-depth 1/2)",
                          "Pin, Weil 1997",
                          {TH_CLASS_PLT, TH_CLASS_SIGMA2, -1}},
                         false,
                         by_equations,
                         BY_EQUATION,
                         {{"e x:ee", "x", "e", true}}},
    [TH_CLASS_PI1] = {{"pi1",
                       "Pi1[<,+1]",
                       "complements of those",
                       "Pin, Weil 1997",
                       {TH_CLASS_PLT, TH_CLASS_PI2, -1}},
                      false,
                      by_equations,
                      BY_EQUATION,
                      {{"e x:ee", "e", "x", true}}},
    [TH_CLASS_PLT] = {{"plt",
                       "PLT",
                       "piecewise locally testable: dot-depth 1",
                       "Knast 1983",
                       {TH_CLASS_TPLT, TH_CLASS_FO2, -1}},
                      false,
                      by_knast,
                      BY_EQUATION,
                      {KNAST}},
    [TH_CLASS_TSL] = {{"tsl",
                       "TSL",
                       "SL on the tier: without symbols that change nothing",
                       "Heinz, Rawal, Tanner 2011; Lambert, Rogers 2020",
                       {TH_CLASS_TLT, -1}},
                      true,
                      by_pairs,
                      BY_EQUATION,
                      {{0}}},
    [TH_CLASS_TLT] = {{"tlt", "TLT", "LT on the tier", "Lambert 2022", {TH_CLASS_TLTT, -1}},
                      true,
                      by_testing,
                      FLAG(locally_testable),
                      {COMMUTING, IDEMPOTENT}},
    [TH_CLASS_TLTT] = {{"tltt", "TLTT", "LTT on the tier", "Lambert 2022", {TH_CLASS_TPLT, -1}},
                       true,
                       by_testing,
                       BY_EQUATION,
                       {APERIODIC, THRESHOLD}},
    [TH_CLASS_TPLT] =
        {{"tplt", "TPLT", "PLT on the tier", "Lambert 2022", {TH_CLASS_STAR_FREE, -1}},
         true,
         by_knast,
         BY_EQUATION,
         {KNAST}},
    [TH_CLASS_R] = {{"r_trivial",
                     "R-trivial",
                     "no way back to a state: past temporal logic",
                     "Brzozowski, Fich 1980",
                     {TH_CLASS_DA, TH_CLASS_CRASP, -1}},
                    false,
                    by_order,
                    BY_EQUATION,
                    {{0}}},
    [TH_CLASS_L] = {{"l_trivial",
                     "L-trivial",
                     "R-trivial read backwards",
                     "Brzozowski, Fich 1980",
                     {TH_CLASS_DA, -1}},
                    false,
                    by_equations,
                    FLAG(l_trivial),
                    {{"x y", "y(xy)^", "(xy)^", false}}},
    [TH_CLASS_DA] = {{"da",
                      "DA",
                      "first-order with two variables, FO2[<]",
                      "Thérien, Wilke 1998",
                      {TH_CLASS_FO2, TH_CLASS_SIGMA2, TH_CLASS_PI2, -1}},
                     false,
                     by_equations,
                     FLAG(da),
                     {{"x y", "(xy)^x(xy)^", "(xy)^", false}}},
    [TH_CLASS_FO2] = {{"fo2",
                       "FO2[<,+1]",
                       "two variables and successor: locally DA",
                       "Thérien, Wilke 1998",
                       {TH_CLASS_STAR_FREE, -1}},
                      false,
                      by_equations,
                      BY_EQUATION,
                      {{"e x:ee y:ee", "(xy)^x(xy)^", "(xy)^", false}}},
    [TH_CLASS_SIGMA2] = {{"sigma2",
                          "Sigma2[<]",
                          "unions of A1* a1 A2* a2 ... (level 3/2)",
                          "Pin, Weil 1997",
                          {TH_CLASS_STAR_FREE, -1}},
                         false,
                         by_equations,
                         BY_EQUATION,
                         {{"e+ s<e", "ese", "e", true}}},
    [TH_CLASS_PI2] =
        {{"pi2", "Pi2[<]", "complements of those", "Pin, Weil 1997", {TH_CLASS_STAR_FREE, -1}},
         false,
         by_equations,
         BY_EQUATION,
         {{"e+ s<e", "e", "ese", true}}},
    [TH_CLASS_CRASP] = {{"c_rasp",
                         "C-RASP",
                         "counts of positions, compared, find the state",
                         "Yang, Chiang 2024",
                         {TH_CLASS_R_INFINITY, -1}},
                        false,
                        by_counting,
                        BY_EQUATION,
                        {{0}}},
    [TH_CLASS_R_INFINITY] = {{"r_infinity",
                              "R-infinity",
                              "star-free, one idempotent an R-class",
                              "Yang, Chiang 2024",
                              {TH_CLASS_STAR_FREE, TH_CLASS_R_GROUP, -1}},
                             false,
                             by_rows,
                             FLAG(aperiodic),
                             {APERIODIC}},
    [TH_CLASS_STAR_FREE] = {{"star_free",
                             "star-free",
                             "aperiodic: first-order, FO[<], LTL",
                             "Schützenberger 1965; Kamp 1968",
                             {TH_CLASS_SOLVABLE, -1}},
                            false,
                            by_equations,
                            FLAG(aperiodic),
                            {APERIODIC}},
    [TH_CLASS_GROUP] = {{"group",
                         "group",
                         "every symbol permutes the states",
                         "Pin 2020, Mathematical Foundations of Automata Theory",
                         {TH_CLASS_R_GROUP, -1}},
                        false,
                        by_group,
                        BY_EQUATION,
                        {{0}}},
    [TH_CLASS_R_GROUP] = {{"r_group",
                           "R o G",
                           "one idempotent an R-class",
                           "Pin 1986, Varieties of Formal Languages",
                           {TH_CLASS_REGULAR, -1}},
                          false,
                          by_rows,
                          BY_EQUATION,
                          {{0}}},
    [TH_CLASS_SOLVABLE] = {{"solvable",
                            "solvable",
                            "its groups are solvable (in ACC0)",
                            "Straubing 1979; Barrington, Thérien 1988",
                            {TH_CLASS_REGULAR, -1}},
                           false,
                           by_group,
                           BY_EQUATION,
                           {{0}}},
    [TH_CLASS_REGULAR] = {{"regular", "regular", "all languages of automata", "Kleene 1956", {-1}},
                          false,
                          always,
                          BY_EQUATION,
                          {{0}}},
};
