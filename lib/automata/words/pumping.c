#include "automata/words/pumping.h"

#include "base/intern.h"

/* A memory: the state; sets of states, one for each way to cut what was read (q is in all of them,
 * and none is in another); and for each place behind which a piece may begin the state there and
 * what the symbols since do to states. */
enum { STATES = 64 };

typedef struct {
    int q, sets, begun;
    int level;     /* symbols read */
    uint64_t *set; /* (sets) */
    int *map;      /* (begun, 1 + n_states) */
    size_t cap[2];
} Memory;

typedef struct {
    const ThDfa *d;
    size_t limit;
    ThIntern node; /* memories, or states with sets */
    size_t *from;  /* (nodes) */
    int *by;       /* (nodes): the symbol */
    size_t cap[2];
    uint64_t accepting;
    ThStop *stop;
    ThError *err;
} Search;

static int step(const Search *s, int q, int a)
{
    return s->d->next[q * s->d->n_symbols + a];
}

static uint64_t step_set(const Search *s, uint64_t set, int a)
{
    uint64_t to = 0;
    for (; set; set &= set - 1)
        to |= (uint64_t)1 << step(s, __builtin_ctzll(set), a);
    return to;
}

/* Keeps the sets that are least, in order. */
static bool add_set(Search *s, Memory *m, uint64_t set)
{
    int n = 0, at;
    for (int i = 0; i < m->sets; i++)
        if ((m->set[i] & ~set) == 0)
            return true;
    for (int i = 0; i < m->sets; i++)
        if ((set & ~m->set[i]) != 0)
            m->set[n++] = m->set[i];
    if (!th_grow(&m->set, &m->cap[0], (size_t)n + 1, sizeof *m->set, s->err))
        return false;
    for (at = n; at > 0 && m->set[at - 1] > set; at--)
        m->set[at] = m->set[at - 1];
    m->set[at] = set;
    m->sets = n + 1;
    return true;
}

/* Begins a piece here, unless one like it has begun. */
static bool begin(Search *s, Memory *m, const int *map)
{
    size_t row = (size_t)s->d->n_states + 1;
    for (int i = 0; i < m->begun; i++)
        if (memcmp(m->map + (size_t)i * row, map, row * sizeof *map) == 0)
            return true;
    if (!th_grow(&m->map, &m->cap[1], ((size_t)m->begun + 1) * row, sizeof *m->map, s->err))
        return false;
    memcpy(m->map + (size_t)m->begun++ * row, map, row * sizeof *map);
    return true;
}

/* The memory behind one more symbol.  Its first set has one state only if every word that goes on
 * from here can be pumped. */
static bool go_on(Search *s, const Memory *m, int a, Memory *to)
{
    int n = s->d->n_states, row[STATES + 1];
    to->q = step(s, m->q, a);
    to->sets = to->begun = 0;
    to->level = m->level + 1;
    for (int i = 0; i < m->sets; i++)
        if (!add_set(s, to, step_set(s, m->set[i], a)))
            return false;
    for (int i = 0; i <= m->begun; i++) {
        const int *old = i < m->begun ? m->map + (size_t)i * ((size_t)n + 1) : NULL;
        uint64_t loop = 0;
        row[0] = old ? old[0] : m->q;
        for (int q = 0; q < n; q++)
            row[1 + q] = step(s, old ? old[1 + q] : q, a);
        for (int q = row[0]; !(loop >> q & 1); q = row[1 + q])
            loop |= (uint64_t)1 << q;
        if (!begin(s, to, row) || !add_set(s, to, loop))
            return false;
    }
    return true;
}

static bool pumped(const Memory *m)
{
    for (int i = 0; i < m->sets; i++)
        if ((m->set[i] & (m->set[i] - 1)) == 0)
            return true;
    return false;
}

/* Adds a memory as a node; `whole`: with what pieces to come need. */
static bool add_node(Search *s, const Memory *m, bool whole, size_t from, int by, size_t *index)
{
    const int head[] = {m->q, m->sets, m->level};
    size_t row = ((size_t)s->d->n_states + 1) * sizeof *m->map,
           sets = (size_t)m->sets * sizeof *m->set, maps = whole ? (size_t)m->begun * row : 0;
    unsigned char *key TH_OWNED(free) = th_alloc(sizeof head + sets + maps, 1, s->err);
    size_t before = s->node.n;
    if (!key)
        return false;
    memcpy(key, head, sizeof head);
    if (sets)
        memcpy(key + sizeof head, m->set, sets);
    if (maps)
        memcpy(key + sizeof head + sets, m->map, maps);
    if (!th_intern(&s->node, key, sizeof head + sets + maps, index, s->err) ||
        !th_grow(&s->from, &s->cap[0], s->node.n, sizeof *s->from, s->err) ||
        !th_grow(&s->by, &s->cap[1], s->node.n, sizeof *s->by, s->err))
        return false;
    if (s->limit && s->node.n > s->limit)
        return th_fail(s->err, TH_ELIMIT, "more than %zu ways to cut words", s->limit);
    if (*index == before) {
        s->from[*index] = from;
        s->by[*index] = by;
    }
    return !th_stopped(s->stop, s->err);
}

/* Reads a node again. */
static bool read_node(Search *s, size_t i, Memory *m)
{
    size_t size, row = (size_t)s->d->n_states + 1;
    const unsigned char *key = th_intern_at(&s->node, i, &size);
    int head[3];
    memcpy(head, key, sizeof head);
    size_t sets = (size_t)head[1] * sizeof *m->set, maps = size - sizeof head - sets;
    if (!th_grow(&m->set, &m->cap[0], (size_t)head[1] + 1, sizeof *m->set, s->err) ||
        !th_grow(&m->map, &m->cap[1], maps / sizeof *m->map + 1, sizeof *m->map, s->err))
        return false;
    memcpy(m->set, key + sizeof head, sets);
    memcpy(m->map, key + sizeof head + sets, maps);
    m->q = head[0];
    m->sets = head[1];
    m->level = head[2];
    m->begun = (int)(maps / sizeof *m->map / row);
    return true;
}

static void free_search(Search *s)
{
    th_intern_free(&s->node);
    TH_FREE(s->from, s->by);
    *s = (Search){0};
}

/* The symbols to a node from those without one before, in front of n others. */
static bool take_word(const Search *s, size_t node, int **word, int *n, ThError *err)
{
    int more = 0;
    for (size_t i = node; s->from[i] != SIZE_MAX; i = s->from[i])
        more++;
    int *all = th_alloc((size_t)(more + *n) + 1, sizeof *all, err);
    if (!all)
        return false;
    if (*n)
        memcpy(all + more, *word, (size_t)*n * sizeof *all);
    free(*word);
    *word = all;
    *n += more;
    for (size_t i = node; s->from[i] != SIZE_MAX; i = s->from[i])
        all[--more] = s->by[i];
    return true;
}

/* Whether some rest is accepted, and by no set as a whole: p->word gets it. */
static bool find_rest(const Search *whole, const Memory *m, ThDfaPumping *p, bool *found)
{
    Search s = {.d = whole->d,
                .limit = whole->limit,
                .accepting = whole->accepting,
                .stop = whole->stop,
                .err = whole->err};
    Memory at = {0}, to = {0};
    size_t index;
    bool ok = add_node(&s, m, false, SIZE_MAX, 0, &index);
    *found = false;
    for (size_t i = 0; ok && !*found && i < s.node.n; i++) {
        ok = read_node(&s, i, &at);
        *found = ok && (s.accepting >> at.q & 1);
        for (int k = 0; k < at.sets; k++)
            *found = *found && (at.set[k] & ~s.accepting) != 0;
        if (*found)
            ok = take_word(&s, i, &p->word, &p->n, s.err);
        for (int a = 0; ok && !*found && a < s.d->n_symbols; a++) {
            to.q = step(&s, at.q, a);
            to.sets = 0;
            to.level = at.level;
            for (int k = 0; ok && k < at.sets; k++)
                ok = add_set(&s, &to, step_set(&s, at.set[k], a));
            ok = ok && (pumped(&to) || add_node(&s, &to, false, i, a, &index));
        }
    }
    TH_FREE(at.set, at.map, to.set, to.map);
    free_search(&s);
    return ok;
}

/* The memories of words of one more symbol: nodes from *first on. */
static bool next_level(Search *s, size_t *first)
{
    Memory m = {0}, to = {0};
    size_t end = s->node.n, index;
    bool ok = true;
    for (size_t i = *first; ok && i < end; i++) {
        ok = read_node(s, i, &m);
        for (int a = 0; ok && a < s->d->n_symbols; a++)
            ok = go_on(s, &m, a, &to) && (pumped(&to) || add_node(s, &to, true, i, a, &index));
    }
    *first = end;
    TH_FREE(m.set, m.map, to.set, to.map);
    return ok;
}

/* Whether a word with one of these beginnings cannot be pumped in it. */
static bool find_word(Search *s, size_t first, ThDfaPumping *p, bool *found)
{
    Memory m = {0};
    bool ok = true;
    *found = false;
    for (size_t i = first; ok && !*found && i < s->node.n; i++) {
        int *word = p->word, n = p->n;
        p->word = NULL;
        p->n = 0;
        ok = read_node(s, i, &m) && find_rest(s, &m, p, found) &&
             (!*found || take_word(s, i, &p->word, &p->n, s->err));
        if (*found || !ok)
            free(word);
        else {
            p->word = word;
            p->n = n;
        }
    }
    TH_FREE(m.set, m.map);
    return ok;
}

bool th_dfa_pumping(const ThDfa *d, size_t limit, ThStop *stop, ThDfaPumping *p, ThError *err)
{
    Search s = {.d = d, .limit = limit, .stop = stop, .err = err};
    Memory start = {.q = d->start};
    size_t first = 0, index;
    bool found = true;
    *p = (ThDfaPumping){0};
    if (d->n_states > STATES)
        return th_fail(err, TH_ELIMIT, "more than %d states", STATES);
    for (int q = 0; q < d->n_states; q++)
        s.accepting |= (uint64_t)(d->label[q] == 1) << q;
    bool ok = th_grow(&start.set, &start.cap[0], 1, sizeof *start.set, err) &&
              add_node(&s, &start, true, SIZE_MAX, 0, &index);
    while (ok && found) {
        ok = find_word(&s, first, p, &found) && (!found || next_level(&s, &first));
        p->length += ok && found;
    }
    TH_FREE(start.set, start.map);
    if (p->length <= 1) {
        free(p->word);
        p->word = NULL;
        p->n = 0;
        p->length = 1;
    }
    free_search(&s);
    return ok;
}
