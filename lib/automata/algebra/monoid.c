#include "automata/algebra/monoid.h"

#include "automata/algebra/schreier_sims.h"

enum { MOST = 1 << 30 };

/* What only the enumeration needs. */
typedef struct {
    ThMonoid *m;
    const ThDfa *d;
    int *suffix;   /* (cap): the element of the shortest word without its first symbol */
    int *first;    /* (cap): that symbol */
    bool *reduced; /* (cap, n_symbols): x·a is the shortest word of an element */
    size_t limit;
    ThStop *stop;
} Enumeration;

/* ---- maps ------------------------------------------------------------------------------------ */

static int get(const unsigned char *row, int width, int q)
{
    if (width == 1)
        return row[q];
    if (width == 2) {
        uint16_t x;
        memcpy(&x, row + 2 * (size_t)q, sizeof x);
        return x;
    }
    int x;
    memcpy(&x, row + 4 * (size_t)q, sizeof x);
    return x;
}

static void put(unsigned char *row, int width, int q, int value)
{
    if (width == 1) {
        row[q] = (unsigned char)value;
    } else if (width == 2) {
        uint16_t x = (uint16_t)value;
        memcpy(row + 2 * (size_t)q, &x, sizeof x);
    } else {
        memcpy(row + 4 * (size_t)q, &value, sizeof value);
    }
}

static size_t row_bytes(const ThMonoid *m)
{
    return (size_t)m->n_states * (size_t)m->width;
}

static unsigned char *row_of(const ThMonoid *m, int x)
{
    return m->map + (size_t)x * row_bytes(m);
}

int th_monoid_image(const ThMonoid *m, int x, int q)
{
    return get(row_of(m, x), m->width, q);
}

/* ---- the table of maps ----------------------------------------------------------------------- */

/* The element that a search finds, or -1. */
static int find(const ThMonoid *m, ThHashSeek *s, const unsigned char *row)
{
    for (uint32_t x; (x = th_hash_next(&m->table, s)) != TH_HASH_END;)
        if (memcmp(row_of(m, (int)x), row, row_bytes(m)) == 0)
            return (int)x;
    return -1;
}

static int find_scratch(const ThMonoid *m)
{
    ThHashSeek s = th_hash_seek(th_hash_bytes(m->scratch, row_bytes(m)));
    return find(m, &s, m->scratch);
}

int th_monoid_find(const ThMonoid *m, const int *map)
{
    for (int q = 0; q < m->n_states; q++)
        put(m->scratch, m->width, q, map[q]);
    return find_scratch(m);
}

int th_monoid_product(const ThMonoid *m, int x, int y)
{
    for (int q = 0; q < m->n_states; q++)
        put(m->scratch, m->width, q, th_monoid_image(m, y, th_monoid_image(m, x, q)));
    return find_scratch(m);
}

void th_monoid_word(const ThMonoid *m, int x, int *word)
{
    for (int i = m->length[x]; i > 0; x = m->prefix[x])
        word[--i] = m->last[x];
}

bool th_monoid_idempotent(const ThMonoid *m, int x)
{
    const unsigned char *row = row_of(m, x);
    for (int q = 0; q < m->n_states; q++) {
        int p = get(row, m->width, q);
        if (get(row, m->width, p) != p)
            return false;
    }
    return true;
}

/* ---- enumeration ----------------------------------------------------------------------------- */

static bool grow_array(void *array, size_t n, size_t size, ThError *err)
{
    void **p = array;
    void *bigger = n > SIZE_MAX / size ? NULL : realloc(*p, n * size);
    if (!bigger)
        return th_fail(err, TH_ENOMEM, "out of memory");
    *p = bigger;
    return true;
}

static bool grow_elements(Enumeration *e, ThError *err)
{
    ThMonoid *m = e->m;
    size_t cap = m->cap ? 2 * m->cap : 256, k = (size_t)m->n_symbols + (m->n_symbols == 0);
    if (!grow_array(&m->right, cap * k, sizeof *m->right, err) ||
        !grow_array(&m->left, cap * k, sizeof *m->left, err) ||
        !grow_array(&m->prefix, cap, sizeof *m->prefix, err) ||
        !grow_array(&m->last, cap, sizeof *m->last, err) ||
        !grow_array(&m->length, cap, sizeof *m->length, err) ||
        !grow_array(&m->map, cap, row_bytes(m), err) ||
        !grow_array(&e->suffix, cap, sizeof *e->suffix, err) ||
        !grow_array(&e->first, cap, sizeof *e->first, err) ||
        !grow_array(&e->reduced, cap * k, sizeof *e->reduced, err))
        return false;
    m->cap = cap;
    return true;
}

/* Adds the map in scratch, which a search has not found, with the word of `prefix` and `a`. */
static bool add(Enumeration *e, int prefix, int a, const ThHashSeek *s, ThError *err)
{
    ThMonoid *m = e->m;
    if ((size_t)m->size >= e->limit)
        return th_fail(err, TH_ELIMIT, "the monoid has more than %zu elements", e->limit);
    if ((size_t)m->size == m->cap && !grow_elements(e, err))
        return false;
    int x = m->size, k = m->n_symbols;
    memcpy(row_of(m, x), m->scratch, row_bytes(m));
    th_hash_put(&m->table, s, (size_t)x);
    m->prefix[x] = prefix;
    m->last[x] = a;
    m->length[x] = a < 0 ? 0 : m->length[prefix] + 1;
    /* Sizes and capacity begin at zero, so the arrays have been grown by now. */
    e->first[x] = prefix == 0 ? a : e->first[prefix]; // NOLINT(clang-analyzer-core.NullDereference)
    e->suffix[x] = prefix == 0 ? 0 : m->right[(size_t)e->suffix[prefix] * (size_t)k + (size_t)a];
    memset(e->reduced + (size_t)x * (size_t)k, 0, (size_t)k * sizeof *e->reduced);
    m->size++;
    return true;
}

/* The product x·a by looking at the states. */
static bool multiply(Enumeration *e, int x, int a, ThError *err)
{
    ThMonoid *m = e->m;
    size_t k = (size_t)m->n_symbols;
    const unsigned char *row = row_of(m, x);
    for (int q = 0; q < m->n_states; q++)
        put(e->m->scratch, m->width, q, e->d->next[(size_t)get(row, m->width, q) * k + (size_t)a]);
    if (!th_hash_reserve(&m->table, err))
        return false;
    ThHashSeek s = th_hash_seek(th_hash_bytes(m->scratch, row_bytes(m)));
    int y = find(m, &s, m->scratch);
    if (y < 0) {
        y = m->size;
        if (!add(e, x, a, &s, err))
            return false;
        e->reduced[(size_t)x * k + (size_t)a] = true;
    }
    m->right[(size_t)x * k + (size_t)a] = y;
    return true;
}

/* All x·a of one element.  Where x = b·s and s·a has a shorter or smaller word r = p·c, the product
 * is (b·p)·c, which is known. */
static bool multiply_all(Enumeration *e, int x, ThError *err)
{
    ThMonoid *m = e->m;
    size_t k = (size_t)m->n_symbols;
    for (int a = 0; a < m->n_symbols; a++) {
        /* x is an element, so the arrays have been grown. */
        size_t s = (size_t)e->suffix[x]; // NOLINT(clang-analyzer-core.NullDereference)
        size_t b = (size_t)(x ? e->first[x] : 0);
        if (x == 0 || e->reduced[s * k + (size_t)a]) {
            if (!multiply(e, x, a, err))
                return false;
            continue;
        }
        int r = m->right[s * k + (size_t)a];
        int y =
            r == 0
                ? m->right[b]
                : m->right[(size_t)m->left[(size_t)m->prefix[r] * k + b] * k + (size_t)m->last[r]];
        m->right[(size_t)x * k + (size_t)a] = y;
    }
    return true;
}

/* a·x for the elements with words of one length, once all their right products are known. */
static void multiply_left(ThMonoid *m, int from, int to)
{
    size_t k = (size_t)m->n_symbols;
    for (int x = from; x < to; x++)
        for (size_t a = 0; a < k; a++)
            m->left[(size_t)x * k + a] =
                x == 0 ? m->right[a]
                       : m->right[(size_t)m->left[(size_t)m->prefix[x] * k + a] * k +
                                  (size_t)m->last[x]];
}

static bool enumerate(Enumeration *e, ThError *err)
{
    ThMonoid *m = e->m;
    if (!th_hash_reserve(&m->table, err))
        return false;
    for (int q = 0; q < m->n_states; q++)
        put(e->m->scratch, m->width, q, q);
    ThHashSeek s = th_hash_seek(th_hash_bytes(m->scratch, row_bytes(m)));
    if (!add(e, 0, -1, &s, err))
        return false;
    for (int from = 0, to = 1; from < m->size; from = to, to = m->size) {
        for (int x = from; x < to; x++) {
            if (e->stop && *e->stop)
                return th_fail(err, TH_EINTERRUPTED, "interrupted at %d elements of the monoid",
                               m->size);
            if (!multiply_all(e, x, err))
                return false;
        }
        multiply_left(m, from, to);
    }
    return true;
}

/* Too many elements to be listed: of a group there is its order to be told. */
static bool too_many(const ThDfa *d, const ThError *cause, ThStop *stop, ThError *err)
{
    char *text TH_OWNED(free) = NULL;
    if (!th_group_schreier_sims(d, &text, stop, err))
        return false;
    th_fail(err, TH_ELIMIT, "%s", cause->msg);
    return text && th_hint(err, "it is %s, by Schreier and Sims's algorithm", text);
}

ThMonoid *th_monoid_new(const ThDfa *d, size_t limit, ThStop *stop, ThError *err)
{
    Enumeration e = {.d = d, .limit = limit && limit < MOST ? limit : MOST, .stop = stop};
    ThError cause = {0};
    e.m = th_alloc(1, sizeof *e.m, err);
    if (!e.m)
        return NULL;
    e.m->n_states = d->n_states;
    e.m->n_symbols = d->n_symbols;
    e.m->width = d->n_states <= 256 ? 1 : d->n_states <= 65536 ? 2 : 4;
    e.m->scratch = th_alloc(row_bytes(e.m), 1, &cause);
    bool ok = e.m->scratch && enumerate(&e, &cause);
    if (cause.code == TH_ENOMEM)
        th_fail(err, TH_ENOMEM, "out of memory at %d elements of the monoid", e.m->size);
    else if (!ok && cause.code == TH_ELIMIT)
        too_many(d, &cause, stop, err);
    else if (!ok)
        th_fail(err, cause.code, "%s", cause.msg);
    TH_FREE(e.suffix, e.first, e.reduced);
    return TH_KEEP_IF(ok, e.m, th_monoid_free);
}

void th_monoid_free(ThMonoid *m)
{
    if (!m)
        return;
    th_hash_free(&m->table);
    TH_FREE(m->right, m->left, m->prefix, m->last, m->length, m->map, m->scratch, m);
}
