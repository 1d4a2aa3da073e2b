#include "automata/algebra/equation.h"

enum { LARGEST_TABLE = 2048 };
static const long MOST_TRIED = 30000000, MOST_TRIED_SLOWLY = 300000;

/* ---- the order ------------------------------------------------------------------------------- */

/* By symbol a and state q: the states that a leads to q are source[first[a·(n+1)+q]] and so on. */
static void find_sources(const ThDfa *d, size_t *first, size_t *source)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols, at = 0;
    for (size_t a = 0; a < k; a++)
        for (size_t to = 0; to <= n; to++) {
            first[a * (n + 1) + to] = at;
            for (size_t q = 0; to < n && q < n; q++)
                if ((size_t)d->next[q * k + a] == to)
                    source[at++] = q;
        }
}

bool th_dfa_inclusions(const ThDfa *d, bool *inside, ThError *err)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols, top = 0;
    size_t *first TH_OWNED(free) = th_alloc(k * (n + 1), sizeof *first, err);
    size_t *source TH_OWNED(free) = th_alloc(k * n, sizeof *source, err);
    size_t *stack TH_OWNED(free) = th_alloc(n * n, sizeof *stack, err);
    bool ok = first && source && stack;
    if (ok)
        find_sources(d, first, source);
    for (size_t i = 0; ok && i < n * n; i++) {
        inside[i] = !d->label[i / n] || d->label[i % n];
        if (!inside[i])
            stack[top++] = i;
    }
    while (top > 0) {
        size_t pair = stack[--top];
        for (size_t a = 0; a < k; a++) {
            const size_t *of = first + a * (n + 1), p = pair / n, q = pair % n;
            for (size_t i = of[p]; i < of[p + 1]; i++)
                for (size_t j = of[q]; j < of[q + 1]; j++) {
                    size_t before = source[i] * n + source[j];
                    if (inside[before])
                        stack[top++] = before;
                    inside[before] = false;
                }
        }
    }
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------- */

ThMonoidTable *th_monoid_table_new(const ThDfa *d, const ThMonoid *m, const ThGreen *g,
                                   ThError *err)
{
    ThMonoidTable *t = th_alloc(1, sizeof *t, err);
    if (!t)
        return NULL;
    size_t size = (size_t)m->size, k = (size_t)m->n_symbols, n = (size_t)d->n_states;
    *t = (ThMonoidTable){.d = d, .m = m, .g = g};
    t->power = th_alloc(size, sizeof *t->power, err);
    t->below = th_alloc(n * n, sizeof *t->below, err);
    if (size <= LARGEST_TABLE)
        t->product = th_alloc(size * size, sizeof *t->product, err);
    if (!t->power || !t->below || (size <= LARGEST_TABLE && !t->product) ||
        !th_dfa_inclusions(d, t->below, err)) {
        th_monoid_table_free(t);
        return NULL;
    }
    for (size_t i = 0; i < size * k; i++)
        t->empty_word_induced = t->empty_word_induced || m->right[i] == 0;
    memset(t->power, -1, size * sizeof *t->power);
    for (size_t x = 0; t->product && x < size; x++) {
        int *row = t->product + x * size;
        row[0] = (int)x;
        for (size_t y = 1; y < size; y++)
            row[y] = m->right[(size_t)row[m->prefix[y]] * k + (size_t)m->last[y]];
    }
    return t;
}

void th_monoid_table_free(ThMonoidTable *t)
{
    if (!t)
        return;
    TH_FREE(t->product, t->power, t->below, t);
}

static int product(const ThMonoidTable *t, int x, int y)
{
    return t->product ? t->product[(size_t)x * (size_t)t->m->size + (size_t)y]
                      : th_monoid_product(t->m, x, y);
}

static int power(ThMonoidTable *t, int x)
{
    int y = t->power[x];
    if (y >= 0)
        return y;
    for (y = x; !th_monoid_idempotent(t->m, y);)
        y = product(t, y, x);
    return t->power[x] = y;
}

/* ---- terms ----------------------------------------------------------------------------------- */

typedef struct {
    ThMonoidTable *t;
    const ThMonoidEquation *equation;
    ThMonoidBreach *now;
    int **list, *key; /* by variable: its values, and for which e and f they were found */
    bool *met;        /* (size): scratch */
    int n_list[TH_MONOID_VARIABLES];
    const char *declared[TH_MONOID_VARIABLES];
    int n;
    long tried;
    ThStop *stop;
    ThError *err;
} Search;

static int value_of(const ThMonoidBreach *b, char name)
{
    int i = 0;
    while (b->name[i] != name)
        i++;
    return b->value[i];
}

/* The value of a term up to its end or a closing bracket, behind which *s is left. */
static int term(const Search *w, const char **s)
{
    int x = 0;
    while (**s && **s != ')') {
        char c = *(*s)++;
        int y = c == '(' ? term(w, s) : c == '1' ? 0 : value_of(w->now, c);
        if (**s == '^') {
            y = power(w->t, y);
            (*s)++;
        }
        x = product(w->t, x, y);
    }
    *s += **s == ')';
    return x;
}

static bool breaks(Search *w)
{
    const char *left = w->equation->left, *right = w->equation->right;
    int x = w->now->left = term(w, &left), y = w->now->right = term(w, &right);
    if (!w->equation->ordered || x == y)
        return x != y;
    for (int q = 0; q < w->t->d->n_states; q++) {
        int more = th_monoid_image(w->t->m, x, q), less = th_monoid_image(w->t->m, y, q);
        if (!w->t->below[(size_t)less * (size_t)w->t->d->n_states + (size_t)more])
            return true;
    }
    return false;
}

/* ---- what variables range over ----------------------------------------------------------------
 */

static int list_idempotents(const Search *w, bool with_identity, int *list)
{
    int n = 0;
    for (int d = 0; d < w->t->g->n_d; d++) {
        int e = w->t->g->d_class[d].idempotent;
        if (e > 0 || (e == 0 && (with_identity || w->t->empty_word_induced)))
            list[n++] = e;
    }
    return n;
}

/* eMf. */
static int list_local(const Search *w, int e, int f, int *list)
{
    int n = 0, size = w->t->m->size;
    memset(w->met, 0, (size_t)size * sizeof *w->met);
    for (int x = 0; x < size; x++) {
        int y = product(w->t, product(w->t, e, x), f);
        if (!w->met[y])
            list[n++] = y;
        w->met[y] = true;
    }
    return n;
}

/* The elements that `from` reaches by symbols, those with used[a] only where it is given; and from
 * the left where `both`. */
static int reach(const Search *w, int from, const bool *used, bool both, int *list)
{
    const ThMonoid *m = w->t->m;
    int n = 0;
    memset(w->met, 0, (size_t)m->size * sizeof *w->met);
    w->met[from] = true;
    list[n++] = from;
    const int sides = both ? 2 : 1;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < m->n_symbols; a++) {
            size_t at = (size_t)list[i] * (size_t)m->n_symbols + (size_t)a;
            for (int side = 0; side < sides && (!used || used[a]); side++) {
                int y = side ? m->left[at] : m->right[at];
                if (!w->met[y])
                    list[n++] = y;
                w->met[y] = true;
            }
        }
    return n;
}

/* Symbols a with e in MaM, and what they generate. */
static int list_above(const Search *w, int e, int *list)
{
    int k = w->t->m->n_symbols;
    bool *used TH_OWNED(free) = th_alloc((size_t)k, sizeof *used, w->err);
    for (int a = 0; used && a < k; a++) {
        reach(w, w->t->m->right[a], NULL, true, list);
        used[a] = w->met[e];
    }
    return used ? reach(w, 0, used, false, list) : 0;
}

/* The values of a variable, given those before it. */
static void find_values(Search *w, int variable)
{
    const char *s = w->declared[variable];
    bool all = s[1] == '\0' || s[1] == ' ';
    int *list = w->list[variable], size = w->t->m->size;
    int e = all || s[1] == '+' ? 0 : value_of(w->now, s[2]);
    int f = s[1] == ':' ? value_of(w->now, s[3]) : 0;
    int key[2] = {e, f};
    if (w->key[2 * variable] == e && w->key[2 * variable + 1] == f)
        return;
    memcpy(w->key + 2 * variable, key, sizeof key);
    if (s[1] == ':')
        w->n_list[variable] = list_local(w, e, f, list);
    else if (s[1] == '<')
        w->n_list[variable] = list_above(w, e, list);
    else if (*s == 'e' || *s == 'f')
        w->n_list[variable] = list_idempotents(w, s[1] == '+', list);
    else
        for (w->n_list[variable] = 0; w->n_list[variable] < size; w->n_list[variable]++)
            list[w->n_list[variable]] = w->n_list[variable];
}

/* ---- trying ---------------------------------------------------------------------------------- */

static bool may_go_on(Search *w)
{
    enum { LOOK = 4095 };
    if (((++w->tried) & LOOK) == 0 && th_stopped(w->stop, w->err))
        return false;
    return w->tried <= (w->t->product ? MOST_TRIED : MOST_TRIED_SLOWLY);
}

/* 1: it holds for all values of the variables from this one on; 0: not; -1: given up. */
static int try_all(Search *w, int variable)
{
    if (variable == w->n)
        return !may_go_on(w) ? -1 : !breaks(w);
    find_values(w, variable);
    for (int i = 0; i < w->n_list[variable]; i++) {
        w->now->value[variable] = w->list[variable][i];
        int holds = try_all(w, variable + 1);
        if (holds != 1)
            return holds;
    }
    return 1;
}

/* Finds the variables and makes room for their values. */
static bool begin(Search *w)
{
    size_t size = (size_t)w->t->m->size;
    for (const char *s = w->equation->variables; *s; s += strcspn(s, " "), s += *s == ' ') {
        w->declared[w->n] = s;
        w->now->name[w->n++] = *s;
    }
    w->now->n = w->n;
    w->met = th_alloc(size, sizeof *w->met, w->err);
    w->key = th_alloc(2 * (size_t)w->n, sizeof *w->key, w->err);
    w->list = th_alloc((size_t)w->n, sizeof *w->list, w->err);
    bool ok = w->met && w->key && w->list;
    for (int i = 0; ok && i < w->n; i++) {
        w->key[2 * i] = -1;
        w->list[i] = th_alloc(size, sizeof **w->list, w->err);
        ok = w->list[i] != NULL;
    }
    return ok;
}

static void end(Search *w)
{
    TH_FREE_EACH(w->list, w->n);
    TH_FREE(w->key, w->met);
}

int th_monoid_satisfies(ThMonoidTable *t, const ThMonoidEquation *e, ThMonoidBreach *where,
                        ThStop *stop, ThError *err)
{
    *where = (ThMonoidBreach){0};
    Search w = {.t = t, .equation = e, .now = where, .stop = stop, .err = err};
    int holds = begin(&w) ? try_all(&w, 0) : -1;
    end(&w);
    return holds;
}

/* ---- Knast ----------------------------------------------------------------------------------- */

/* A pair (power, factor) and the partner of the factor that makes it. */
typedef struct {
    int power, factor, partner;
} Half;

/* For p in eMf and q in fMe the different ((pq)^, p), or with `second` ((pq)^, q). */
static bool find_halves(Search *w, bool second, Half **half, size_t *n, size_t *cap)
{
    ThHashTable met TH_OWNED(th_hash_free) = {0};
    bool ok = true;
    *n = 0;
    for (int i = 0; ok && i < w->n_list[2]; i++)
        for (int j = 0; ok && j < w->n_list[3]; j++) {
            int p = w->list[2][i], q = w->list[3][j];
            Half h = {power(w->t, product(w->t, p, q)), second ? q : p, second ? p : q};
            ok = may_go_on(w) && th_hash_reserve(&met, w->err) &&
                 th_grow(half, cap, *n + 1, sizeof **half, w->err);
            uint64_t key = (uint64_t)(uint32_t)h.power << 32 | (uint32_t)h.factor;
            ThHashSeek s = th_hash_seek(th_hash_mix(key));
            bool there = false;
            for (uint32_t x; ok && !there && (x = th_hash_next(&met, &s)) != TH_HASH_END;)
                there = (*half)[x].power == h.power && (*half)[x].factor == h.factor;
            if (ok && !there) {
                th_hash_put(&met, &s, *n);
                (*half)[(*n)++] = h;
            }
        }
    return ok;
}

/* One e and f, which are set. */
static int knast_of(Search *w, Half *half[2], size_t cap[2])
{
    size_t n[2];
    ThMonoidTable *t = w->t;
    find_values(w, 2);
    find_values(w, 3);
    for (int i = 0; i < 2; i++)
        if (!find_halves(w, i == 1, &half[i], &n[i], &cap[i]))
            return -1;
    for (size_t i = 0; i < n[0]; i++)
        for (size_t j = 0; j < n[1]; j++) {
            Half a = half[0][i], b = half[1][j];
            w->now->right = product(t, a.power, b.power);
            w->now->left = product(t, product(t, product(t, a.power, a.factor), b.factor), b.power);
            if (!may_go_on(w))
                return -1;
            if (w->now->left == w->now->right)
                continue;
            const int value[] = {a.factor, a.partner, b.partner, b.factor};
            memcpy(w->now->value + 2, value, sizeof value);
            return 0;
        }
    return 1;
}

int th_monoid_satisfies_knast(ThMonoidTable *t, ThMonoidBreach *where, ThStop *stop, ThError *err)
{
    static const ThMonoidEquation knast = {"e f p:ef q:fe r:ef s:fe", "", "", false};
    *where = (ThMonoidBreach){0};
    Search w = {.t = t, .equation = &knast, .now = where, .stop = stop, .err = err};
    Half *half[2] = {NULL, NULL};
    size_t cap[2] = {0, 0};
    int holds = begin(&w) ? 1 : -1;
    if (holds == 1) {
        find_values(&w, 0);
        find_values(&w, 1);
    }
    for (int i = 0; holds == 1 && i < w.n_list[0]; i++)
        for (int j = 0; holds == 1 && j < w.n_list[1]; j++) {
            where->value[0] = w.list[0][i];
            where->value[1] = w.list[1][j];
            holds = knast_of(&w, half, cap);
        }
    end(&w);
    TH_FREE(half[0], half[1]);
    return holds;
}
