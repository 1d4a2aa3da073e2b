#include "automata/regex/term.h"

/* A list of terms that is being put together. */
typedef struct {
    int *item;
    size_t n, cap;
    bool stars; /* of the factors some may be a repetition */
    bool failed;
} List;

static void push(List *l, int term)
{
    if (l->failed || !th_grow(&l->item, &l->cap, l->n + 1, sizeof *l->item, NULL))
        l->failed = true;
    else
        l->item[l->n++] = term;
}

const int *th_regex_term_children(const ThRegexTerms *t, int term, int *n, ThRegexTermKind *kind)
{
    size_t size;
    const int *data = th_intern_at(&t->term, (size_t)term, &size);
    *kind = (ThRegexTermKind)data[0];
    *n = (int)(size / sizeof *data) - 1;
    return data + 1;
}

static ThRegexTermKind kind_of(const ThRegexTerms *t, int term)
{
    ThRegexTermKind kind;
    int n;
    th_regex_term_children(t, term, &n, &kind);
    return kind;
}

static size_t add_lengths(size_t x, size_t y)
{
    return x + y < TH_REGEX_TERM_LONG ? x + y : TH_REGEX_TERM_LONG;
}

static ThRegexTermInfo describe(const ThRegexTerms *t, ThRegexTermKind kind, const int *child,
                                size_t n)
{
    ThRegexTermInfo info = {.nullable = kind != TH_REGEX_TERM_UNION &&
                                        kind != TH_REGEX_TERM_IS_NONE && kind != TH_REGEX_TERM_SET};
    info.length = kind == TH_REGEX_TERM_SET && n == 1 ? 1 : kind == TH_REGEX_TERM_STAR ? 1 : 2;
    if (kind == TH_REGEX_TERM_CONCAT)
        info.length = 0;
    for (size_t i = 0; i < n; i++) {
        if (kind == TH_REGEX_TERM_SET) {
            info.length = add_lengths(info.length, n > 1);
            continue;
        }
        const ThRegexTermInfo *c = &t->info[child[i]];
        bool brackets = kind == TH_REGEX_TERM_STAR && kind_of(t, child[i]) == TH_REGEX_TERM_CONCAT;
        info.length = add_lengths(info.length, c->length + (brackets ? 2 : 0));
        info.length = add_lengths(info.length, kind == TH_REGEX_TERM_UNION);
        if (kind == TH_REGEX_TERM_UNION)
            info.nullable = info.nullable || c->nullable;
        if (kind == TH_REGEX_TERM_CONCAT)
            info.nullable = info.nullable && c->nullable;
    }
    return info;
}

/* The number of a term from its kind and children. */
static int make(ThRegexTerms *t, ThRegexTermKind kind, const int *child, size_t n)
{
    size_t index;
    if (t->failed || !th_grow(&t->scratch, &t->scratch_cap, n + 1, sizeof *t->scratch, NULL))
        goto fail;
    t->scratch[0] = (int)kind;
    if (n)
        memcpy(t->scratch + 1, child, n * sizeof *child);
    if (!th_intern(&t->term, t->scratch, (n + 1) * sizeof *t->scratch, &index, NULL) ||
        !th_grow(&t->info, &t->info_cap, index + 1, sizeof *t->info, NULL))
        goto fail;
    if (index + 1 == t->term.n)
        t->info[index] = describe(t, kind, t->scratch + 1, n);
    return (int)index;
fail:
    t->failed = true;
    return TH_REGEX_TERM_NONE;
}

static int make_take(ThRegexTerms *t, ThRegexTermKind kind, List *l)
{
    t->failed = t->failed || l->failed;
    int term = t->failed ? TH_REGEX_TERM_NONE : make(t, kind, l->item, l->n);
    free(l->item);
    return term;
}

bool th_regex_terms_begin(ThRegexTerms *t, ThError *err)
{
    *t = (ThRegexTerms){0};
    make(t, TH_REGEX_TERM_IS_NONE, NULL, 0);
    make(t, TH_REGEX_TERM_IS_WORD, NULL, 0);
    return !t->failed || th_fail(err, TH_ENOMEM, "out of memory for an expression");
}

void th_regex_terms_free(ThRegexTerms *t)
{
    th_intern_free(&t->term);
    TH_FREE(t->info, t->scratch);
    *t = (ThRegexTerms){0};
}

int th_regex_term_symbol(ThRegexTerms *t, int symbol)
{
    return make(t, TH_REGEX_TERM_SET, &symbol, 1);
}

/* Appends the parts of a term of this kind, or the term itself. */
static void flatten(const ThRegexTerms *t, ThRegexTermKind kind, int term, List *to)
{
    ThRegexTermKind is;
    int n;
    const int *child = th_regex_term_children(t, term, &n, &is);
    if (is != kind) {
        push(to, term);
        return;
    }
    for (int i = 0; i < n; i++)
        push(to, child[i]);
}

int th_regex_term_inside(const ThRegexTerms *t, int term)
{
    ThRegexTermKind kind;
    int n;
    const int *child = th_regex_term_children(t, term, &n, &kind);
    return kind == TH_REGEX_TERM_STAR ? child[0] : -1;
}

/* ---- one after the other ---- */

/* Does x* swallow y: is y nullable and y* = x*?  Then x*y = yx* = x*. */
static bool swallows(ThRegexTerms *t, int star, int y)
{
    return th_regex_term_inside(t, star) >= 0 && t->info[y].nullable &&
           th_regex_term_star(t, y) == star;
}

/* The number of factors of x in the factor x*, or 0; the factors in *part. */
static int star_factors(const ThRegexTerms *t, int star, const int **part)
{
    int inner = th_regex_term_inside(t, star), n;
    ThRegexTermKind kind;
    if (inner < 0)
        return 0;
    *part = th_regex_term_children(t, inner, &n, &kind);
    return kind == TH_REGEX_TERM_CONCAT ? n : 0;
}

/* Does x stand, factor by factor, before place `at`, where x* is? */
static bool stands_before(const List *l, size_t at, const int *part, int n)
{
    return at >= (size_t)n && memcmp(l->item + at - n, part, (size_t)n * sizeof *part) == 0;
}

/* y(xy)* is (yx)*y: moves the star at the end as far to the front as it goes, unless it follows its
 * own inside, as in xy(xy)*. */
static void rotate_star(ThRegexTerms *t, List *l)
{
    for (size_t at = l->n - 1; at > 0 && !l->failed && !t->failed; at--) {
        const int *part = NULL;
        int n = star_factors(t, l->item[at], &part);
        if (n == 0 || l->item[at - 1] != part[n - 1] || stands_before(l, at, part, n))
            return;
        int *turned = malloc((size_t)n * sizeof *turned);
        if (!turned) {
            t->failed = true;
            return;
        }
        turned[0] = part[n - 1];
        memcpy(turned + 1, part, (size_t)(n - 1) * sizeof *turned);
        int inside = make(t, TH_REGEX_TERM_CONCAT, turned, (size_t)n);
        free(turned);
        l->item[at] = l->item[at - 1];
        l->item[at - 1] = make(t, TH_REGEX_TERM_STAR, &inside, 1);
    }
}

/* x*x is xx*, also where x has several factors. */
static void move_star_back(const ThRegexTerms *t, List *l)
{
    size_t end = l->n;
    for (size_t at = end - 1; at-- > 0;) {
        const int *part = NULL;
        size_t n = (size_t)star_factors(t, l->item[at], &part), behind = end - at - 1;
        bool single = behind == 1 && th_regex_term_inside(t, l->item[at]) == l->item[end - 1];
        if (!single &&
            (!part || n != behind || memcmp(l->item + at + 1, part, n * sizeof *part) != 0))
            continue;
        int star = l->item[at];
        memmove(l->item + at, l->item + at + 1, behind * sizeof *l->item);
        l->item[end - 1] = star;
        return;
    }
}

static void append_factor(ThRegexTerms *t, List *l, int factor)
{
    while (l->n > 0) {
        int last = l->item[l->n - 1];
        if (swallows(t, last, factor))
            return;
        if (!swallows(t, factor, last))
            break;
        l->n--;
    }
    push(l, factor);
    if (l->failed || t->failed)
        return;
    if (th_regex_term_inside(t, factor) >= 0) {
        l->stars = true;
        rotate_star(t, l);
    } else if (l->stars) {
        move_star_back(t, l);
    }
}

int th_regex_term_concat(ThRegexTerms *t, int x, int y)
{
    if (x == TH_REGEX_TERM_NONE || y == TH_REGEX_TERM_NONE)
        return TH_REGEX_TERM_NONE;
    if (x == TH_REGEX_TERM_WORD)
        return y;
    if (y == TH_REGEX_TERM_WORD)
        return x;
    List l = {0}, more = {0};
    flatten(t, TH_REGEX_TERM_CONCAT, x, &l);
    flatten(t, TH_REGEX_TERM_CONCAT, y, &more);
    for (size_t i = 0; i < l.n && !l.stars; i++)
        l.stars = th_regex_term_inside(t, l.item[i]) >= 0;
    for (size_t i = 0; i < more.n; i++)
        append_factor(t, &l, more.item[i]);
    l.failed = l.failed || more.failed;
    free(more.item);
    if (l.n != 1 || l.failed)
        return make_take(t, TH_REGEX_TERM_CONCAT, &l);
    int only = l.item[0];
    free(l.item);
    return only;
}

/* The product of factors from … to - 1. */
static int product(ThRegexTerms *t, const int *factor, int from, int to)
{
    if (from >= to)
        return TH_REGEX_TERM_WORD;
    return to - from == 1 ? factor[from]
                          : make(t, TH_REGEX_TERM_CONCAT, factor + from, (size_t)(to - from));
}

/* ---- either ---- */

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort_distinct(List *l)
{
    if (l->failed || l->n == 0)
        return;
    qsort(l->item, l->n, sizeof *l->item, ascending);
    size_t n = 1;
    for (size_t i = 1; i < l->n; i++)
        if (l->item[i] != l->item[n - 1])
            l->item[n++] = l->item[i];
    l->n = n;
}

/* Replaces the sets among the alternatives by one. */
static void merge_sets(ThRegexTerms *t, List *l)
{
    List set = {0};
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        ThRegexTermKind kind;
        int n;
        const int *child = th_regex_term_children(t, l->item[i], &n, &kind);
        if (kind != TH_REGEX_TERM_SET)
            l->item[kept++] = l->item[i];
        for (int j = 0; kind == TH_REGEX_TERM_SET && j < n; j++)
            push(&set, child[j]);
    }
    l->n = kept;
    sort_distinct(&set);
    if (set.n > 0)
        push(l, make_take(t, TH_REGEX_TERM_SET, &set));
}

/* Is x part of the language of y, as far as can be seen at once? */
static bool within(const ThRegexTerms *t, int x, int y)
{
    int inner = th_regex_term_inside(t, y), n;
    ThRegexTermKind kind;
    if (x == TH_REGEX_TERM_WORD)
        return y != x && t->info[y].nullable;
    if (inner < 0 || x == inner)
        return inner >= 0;
    const int *factor = th_regex_term_children(t, x, &n, &kind);
    bool all = kind == TH_REGEX_TERM_CONCAT;
    for (int i = 0; i < n && all; i++)
        all = factor[i] == inner || factor[i] == y;
    return all;
}

static void drop_covered(const ThRegexTerms *t, List *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        bool covered = false;
        for (size_t j = 0; j < l->n && !covered; j++)
            covered = i != j && within(t, l->item[i], l->item[j]);
        if (!covered)
            l->item[kept++] = l->item[i];
    }
    l->n = kept;
}

/* The first (or last) factor of a term, and the rest. */
static int end_factor(ThRegexTerms *t, int term, bool last, int *rest)
{
    ThRegexTermKind kind;
    int n;
    const int *child = th_regex_term_children(t, term, &n, &kind);
    *rest = TH_REGEX_TERM_WORD;
    if (kind != TH_REGEX_TERM_CONCAT)
        return term;
    int *copy TH_OWNED(free) = th_alloc((size_t)n, sizeof *copy, NULL);
    if (!copy) {
        t->failed = true;
        return term;
    }
    memcpy(copy, child, (size_t)n * sizeof *copy);
    int factor = copy[last ? n - 1 : 0];
    *rest = last ? product(t, copy, 0, n - 1) : product(t, copy, 1, n);
    return factor;
}

/* xy|xz becomes x(y|z), and yx|zx becomes (y|z)x; true if there was such a pair. */
static bool factor_out(ThRegexTerms *t, List *l, bool last)
{
    for (size_t i = 0; i < l->n; i++) {
        int rest, factor = end_factor(t, l->item[i], last, &rest);
        for (size_t j = i + 1; factor != TH_REGEX_TERM_WORD && j < l->n; j++) {
            int other_rest;
            if (end_factor(t, l->item[j], last, &other_rest) != factor)
                continue;
            int both = th_regex_term_union(t, rest, other_rest);
            l->item[i] = last ? th_regex_term_concat(t, both, factor)
                              : th_regex_term_concat(t, factor, both);
            l->item[j] = l->item[--l->n];
            return true;
        }
    }
    return false;
}

/* The empty word or xx* is x*. */
static bool absorb_word(ThRegexTerms *t, List *l)
{
    size_t word = SIZE_MAX;
    for (size_t i = 0; i < l->n; i++)
        if (l->item[i] == TH_REGEX_TERM_WORD)
            word = i;
    for (size_t i = 0; word != SIZE_MAX && i < l->n; i++) {
        int rest, factor = end_factor(t, l->item[i], false, &rest);
        int inner = th_regex_term_inside(t, rest);
        if (inner < 0 || (inner != factor)) {
            int star = end_factor(t, l->item[i], true, &rest);
            if (th_regex_term_inside(t, star) != rest || rest == TH_REGEX_TERM_WORD)
                continue;
            rest = star;
        }
        l->item[i] = rest;
        l->item[word] = l->item[--l->n];
        return true;
    }
    return false;
}

static bool contains(const List *l, int term)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->item[i] == term)
            return true;
    return false;
}

/* Takes the parts of an alternative out of the list if all of them are in it. */
static bool take_parts(const ThRegexTerms *t, List *l, int alternative)
{
    ThRegexTermKind kind;
    int n;
    const int *part = th_regex_term_children(t, alternative, &n, &kind);
    bool all = kind == TH_REGEX_TERM_UNION;
    for (int i = 0; i < n && all; i++)
        all = contains(l, part[i]);
    size_t kept = 0;
    for (size_t i = 0; all && i < l->n; i++) {
        bool drop = false;
        for (int j = 0; j < n; j++)
            drop = drop || l->item[i] == part[j];
        if (!drop)
            l->item[kept++] = l->item[i];
    }
    l->n = all ? kept : l->n;
    return all;
}

/* The empty word or x or x?y is x?y?, and likewise from behind. */
static bool absorb_optional(ThRegexTerms *t, List *l, bool last)
{
    for (size_t i = 0; contains(l, TH_REGEX_TERM_WORD) && i < l->n; i++) {
        int rest, whole = l->item[i], factor = end_factor(t, whole, last, &rest);
        if (rest == TH_REGEX_TERM_WORD || !t->info[factor].nullable || !take_parts(t, l, factor))
            continue;
        for (size_t j = 0; j < l->n; j++)
            if (l->item[j] == whole)
                l->item[j] = l->item[--l->n];
        int optional = th_regex_term_union(t, TH_REGEX_TERM_WORD, rest);
        push(l, last ? th_regex_term_concat(t, optional, factor)
                     : th_regex_term_concat(t, factor, optional));
        return true;
    }
    return false;
}

int th_regex_term_union(ThRegexTerms *t, int x, int y)
{
    if (x == TH_REGEX_TERM_NONE || x == y)
        return y;
    if (y == TH_REGEX_TERM_NONE)
        return x;
    List l = {0};
    flatten(t, TH_REGEX_TERM_UNION, x, &l);
    flatten(t, TH_REGEX_TERM_UNION, y, &l);
    bool again = true;
    while (again && !l.failed && !t->failed) {
        merge_sets(t, &l);
        sort_distinct(&l);
        drop_covered(t, &l);
        again = l.n > 1 && (absorb_word(t, &l) || absorb_optional(t, &l, false) ||
                            absorb_optional(t, &l, true) || factor_out(t, &l, false) ||
                            factor_out(t, &l, true));
        for (size_t i = 0; again && i < l.n; i++) {
            if (kind_of(t, l.item[i]) == TH_REGEX_TERM_UNION) {
                int nested = l.item[i];
                l.item[i] = l.item[--l.n];
                flatten(t, TH_REGEX_TERM_UNION, nested, &l);
            }
        }
    }
    if (l.n != 1 || l.failed)
        return make_take(t, TH_REGEX_TERM_UNION, &l);
    int only = l.item[0];
    free(l.item);
    return only;
}

/* ---- repetition ---- */

/* What may stand for x under a star: x without the empty word and without stars of its own. */
static int under_star(ThRegexTerms *t, int x, int depth)
{
    ThRegexTermKind kind;
    int n, m;
    th_regex_term_children(t, x, &n, &kind);
    int result = TH_REGEX_TERM_NONE;
    if (x == TH_REGEX_TERM_WORD)
        return TH_REGEX_TERM_NONE;
    if (depth > 50)
        return x;
    if (kind == TH_REGEX_TERM_STAR)
        return under_star(t, th_regex_term_inside(t, x), depth + 1);
    if (kind == TH_REGEX_TERM_CONCAT) {
        int rest, factor = end_factor(t, x, false, &rest);
        if (th_regex_term_inside(t, rest) == factor)
            return under_star(t, factor, depth + 1);
    }
    if (kind != TH_REGEX_TERM_UNION && !(kind == TH_REGEX_TERM_CONCAT && t->info[x].nullable))
        return x;
    for (int i = 0; i < n; i++) {
        int part = th_regex_term_children(t, x, &m, &kind)[i];
        result = th_regex_term_union(t, result, under_star(t, part, depth + 1));
    }
    return result;
}

int th_regex_term_star(ThRegexTerms *t, int x)
{
    int inner = under_star(t, x, 0);
    if (inner == TH_REGEX_TERM_NONE)
        return TH_REGEX_TERM_WORD;
    if (th_regex_term_inside(t, inner) >= 0)
        return inner;
    return make(t, TH_REGEX_TERM_STAR, &inner, 1);
}
