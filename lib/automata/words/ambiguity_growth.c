#include "automata/words/ambiguity_growth.h"

#include "automata/words/state_tuples.h"
#include "base/symbols.h"

/* ---- words between states ---- */

typedef struct {
    const ThWordsTuples *t;
    const bool *accept;     /* a goal is a state marked here, … */
    const uint32_t *inside; /* … or else a pair of different states that is marked here, … */
    int state[TH_WORDS_TUPLE_PLACES]; /* … or else this tuple */
} Goal;

static bool is_goal(void *context, size_t node)
{
    const Goal *g = context;
    int state[TH_WORDS_TUPLE_PLACES] = {0};
    th_words_tuples_unpack(g->t, node, state);
    if (g->accept)
        return g->accept[state[0]];
    if (g->inside)
        return state[0] != state[1] && g->inside[node];
    return memcmp(state, g->state, sizeof state) == 0;
}

/* Appends the shortest word from some root to the goal; its end is *end. */
static bool add_word(const ThWordsTuples *t, const uint32_t *root, size_t n, Goal *goal, ThText *to,
                     size_t *end, ThError *err)
{
    const ThAutomaton *a = t->a;
    int length;
    goal->t = t;
    ThWordsTupleWay way = {.root = root, .n = n, .goal = is_goal, .context = goal};
    int *word TH_OWNED(free) = th_words_tuples_word(t, &way, &length, end, err);
    if (!word)
        return false;
    bool gap = to->size > 0 && length > 0 && !th_symbols_single(a->symbol, a->n_symbols);
    th_text_add(to, gap ? " " : "");
    th_symbols_write(to, a->symbol, a->n_symbols, word, length);
    return true;
}

static bool make_parts(ThWordsAmbiguity *out, int n_loops, ThError *err)
{
    out->part = th_alloc(2 * (size_t)n_loops + 1, sizeof *out->part, err);
    out->n_loops = out->part ? n_loops : 0;
    return out->part != NULL;
}

static bool keep_part(ThWordsAmbiguity *out, int *n, ThText *text, ThError *err)
{
    out->part[*n] = th_text_take(text, err);
    return out->part[(*n)++] != NULL;
}

/* The part from state `from`, or from the starts (-1), to a state, or to acceptance (-1). */
static bool state_part(const ThWordsAmbiguitySubject *s, int from, int to, ThWordsAmbiguity *out,
                       int *n, ThError *err)
{
    ThWordsTuples one TH_OWNED(th_words_tuples_free) = {0};
    ThText text TH_OWNED(th_text_free) = {0};
    Goal goal = {.accept = to < 0 ? s->a->accept : NULL, .state = {to, 0, 0}};
    uint32_t *root TH_OWNED(free) = th_alloc((size_t)s->a->n_states, sizeof *root, err);
    size_t roots = 0, end;
    bool good = th_words_tuples_begin(&one, s->a, s->by, 1, NULL, s->stop, err) && root;
    for (int q = 0; good && q < s->a->n_states; q++)
        if (from < 0 ? s->a->start[q] : q == from)
            root[roots++] = (uint32_t)q;
    return good && add_word(&one, root, roots, &goal, &text, &end, err) &&
           keep_part(out, n, &text, err);
}

/* ---- strong components of the states ---- */

typedef struct {
    int n, *of_state; /* (states): those that a component leads to have smaller numbers */
    bool *cyclic;     /* (n): a word leads from a state of it to itself */
} Components;

static bool note_component(void *context, int number, const uint32_t *node, size_t n,
                           const uint32_t *component TH_UNUSED)
{
    Components *c = context;
    for (size_t i = 0; i < n; i++)
        c->of_state[node[i]] = number;
    c->n = number + 1;
    return true;
}

static bool find_components(Components *c, const ThWordsAmbiguitySubject *s, ThError *err)
{
    ThWordsTuples one TH_OWNED(th_words_tuples_free) = {0};
    size_t n = (size_t)s->a->n_states;
    uint32_t *root TH_OWNED(free) = th_alloc(n, sizeof *root, err);
    c->of_state = th_alloc(n, sizeof *c->of_state, err);
    c->cyclic = th_alloc(n, sizeof *c->cyclic, err);
    bool good = th_words_tuples_begin(&one, s->a, s->by, 1, NULL, s->stop, err) && root &&
                c->of_state && c->cyclic;
    for (size_t q = 0; root && q < n; q++)
        root[q] = (uint32_t)q;
    good = good && th_words_tuples_components(&one, root, n, note_component, c, err);
    for (size_t i = 0; good && i < s->a->n_arcs; i++) {
        int from = c->of_state[s->a->arc[i].from];
        c->cyclic[from] = c->cyclic[from] || from == c->of_state[s->a->arc[i].to];
    }
    return good;
}

/* ---- exponentially: two ways from a state back to it ---- */

typedef struct {
    ThWordsTuples t;
    int state;        /* of a (q, q) whose component has a pair of different states, or -1 */
    uint32_t *inside; /* (t.nodes): 1 for the members of that component */
} Doubled;

/* Different ways from q to q by one word pass through a pair of different states: both are in the
 * component of (q, q). */
static bool note_doubled(void *context, int number TH_UNUSED, const uint32_t *node, size_t n,
                         const uint32_t *component TH_UNUSED)
{
    Doubled *d = context;
    int same = -1;
    bool differ = false;
    for (size_t i = 0; i < n; i++) {
        int state[TH_WORDS_TUPLE_PLACES] = {0};
        th_words_tuples_unpack(&d->t, node[i], state);
        if (state[0] != state[1])
            differ = true;
        else if (same < 0 || state[0] < same)
            same = state[0];
    }
    if (same < 0 || !differ)
        return true;
    d->state = same;
    for (size_t i = 0; i < n; i++)
        d->inside[node[i]] = 1;
    return false;
}

/* The word u v^n w: from a start to q, from q to q in two ways, on to acceptance. */
static bool doubled_parts(const ThWordsAmbiguitySubject *s, const Doubled *d, ThWordsAmbiguity *out,
                          ThError *err)
{
    int n = 0, q = d->state, same[TH_WORDS_TUPLE_PLACES] = {q, q, 0};
    size_t apart, end;
    ThText loop TH_OWNED(th_text_free) = {0};
    Goal differ = {.inside = d->inside}, back = {.state = {q, q, 0}};
    uint32_t root = (uint32_t)th_words_tuples_pack(&d->t, same);
    bool good = make_parts(out, 1, err) && state_part(s, -1, q, out, &n, err) &&
                add_word(&d->t, &root, 1, &differ, &loop, &apart, err);
    root = good ? (uint32_t)apart : 0;
    return good && add_word(&d->t, &root, 1, &back, &loop, &end, err) &&
           keep_part(out, &n, &loop, err) && state_part(s, q, -1, out, &n, err);
}

/* Looks into one component of the states, those marked in `in`; *answer: it was found. */
static bool look_for_doubled(const ThWordsAmbiguitySubject *s, const bool *in, bool *answer,
                             ThWordsAmbiguity *out, ThError *err)
{
    Doubled d = {.state = -1};
    const bool *const places[TH_WORDS_TUPLE_PLACES] = {in, in, NULL};
    size_t roots = 0;
    uint32_t *root = th_alloc((size_t)s->a->n_states, sizeof *root, err);
    bool good = th_words_tuples_begin(&d.t, s->a, s->by, 2, places, s->stop, err) && root;
    d.inside = good ? th_alloc(d.t.nodes, sizeof *d.inside, err) : NULL;
    for (int q = 0; d.inside && q < s->a->n_states; q++) {
        int same[TH_WORDS_TUPLE_PLACES] = {q, q, 0};
        if (in[q])
            root[roots++] = (uint32_t)th_words_tuples_pack(&d.t, same);
    }
    good = d.inside && th_words_tuples_components(&d.t, root, roots, note_doubled, &d, err);
    *answer = good && d.state >= 0;
    if (*answer)
        good = doubled_parts(s, &d, out, err);
    TH_FREE(root, d.inside);
    th_words_tuples_free(&d.t);
    return good;
}

static bool is_exponential(const ThWordsAmbiguitySubject *s, const Components *c, bool *answer,
                           ThWordsAmbiguity *out, ThError *err)
{
    size_t n = (size_t)s->a->n_states;
    bool *in TH_OWNED(free) = th_alloc(n, sizeof *in, err);
    bool good = in != NULL;
    *answer = false;
    for (int k = 0; good && !*answer && k < c->n; k++) {
        for (size_t q = 0; q < n; q++)
            in[q] = c->of_state[q] == k;
        good = !c->cyclic[k] || look_for_doubled(s, in, answer, out, err);
    }
    return good;
}

/* ---- polynomially: one way stays at p, one goes from p to q, one stays at q ---- */

typedef struct {
    ThWordsTuples t;
    int p, q; /* states between which there is such a word, or -1 */
} Split;

/* By an arc back from (p, q, q) to (p, p, q) both lie in one component if and only if there is a
 * word for these p and q. */
static bool note_split(void *context, int number, const uint32_t *node, size_t n,
                       const uint32_t *component)
{
    Split *s = context;
    for (size_t i = 0; n > 1 && i < n; i++) {
        int state[TH_WORDS_TUPLE_PLACES] = {0};
        th_words_tuples_unpack(&s->t, node[i], state);
        if (state[0] != state[1] || s->t.number[1][state[2]] < 0)
            continue;
        state[1] = state[2];
        if (component[th_words_tuples_pack(&s->t, state)] != (uint32_t)number)
            continue;
        s->p = state[0];
        s->q = state[2];
        return false;
    }
    return true;
}

/* From a component of the states on. */
typedef struct {
    int next;   /* the component that follows on the best chain, or -1 */
    int degree; /* loops on that chain */
    int p, q;   /* where a loop leads from here to `next`, else -1 */
} Link;

typedef struct {
    const ThWordsAmbiguitySubject *s;
    const Components *c;
    bool *reach;                     /* (n, n): by components */
    Link *link;                      /* (n) */
    bool *in[TH_WORDS_TUPLE_PLACES]; /* (states) */
    uint32_t *root;
    size_t root_cap;
} Chains;

static bool reaches(const Chains *h, int from, int to)
{
    return h->reach[(size_t)from * (size_t)h->c->n + (size_t)to];
}

/* Triples of a state of component `from`, one between, and one of component `to`. */
static bool between(const Chains *h, int from, int to, ThWordsTuples *t, ThError *err)
{
    for (int q = 0; q < h->s->a->n_states; q++) {
        int k = h->c->of_state[q];
        h->in[0][q] = k == from;
        h->in[1][q] = reaches(h, from, k) && reaches(h, k, to);
        h->in[2][q] = k == to;
    }
    const bool *const places[TH_WORDS_TUPLE_PLACES] = {h->in[0], h->in[1], h->in[2]};
    return th_words_tuples_begin(t, h->s->a, h->s->by, 3, places, h->s->stop, err);
}

/* Is there a word for some p in component `from` and q in component `to`? */
static bool find_split(Chains *h, int from, int to, int *p, int *q, ThError *err)
{
    Split split = {.p = -1, .q = -1};
    ThWordsTuples *t = &split.t;
    size_t roots = 0;
    bool good = between(h, from, to, t, err) &&
                th_grow(&h->root, &h->root_cap, t->size[0] * t->size[2], sizeof *h->root, err);
    t->back = true;
    for (size_t i = 0; good && i < t->size[0]; i++) {
        for (size_t j = 0; j < t->size[2]; j++) {
            int state[TH_WORDS_TUPLE_PLACES] = {t->member[0][i], t->member[0][i], t->member[2][j]};
            h->root[roots++] = (uint32_t)th_words_tuples_pack(t, state);
        }
    }
    good = good && th_words_tuples_components(t, h->root, roots, note_split, &split, err);
    th_words_tuples_free(t);
    *p = split.p;
    *q = split.q;
    return good;
}

/* The best chain from component k: through an arc, or by a loop to one of those that it reaches. */
static bool extend(Chains *h, int k, ThError *err)
{
    const ThAutomaton *a = h->s->a;
    const Components *c = h->c;
    size_t n = (size_t)c->n;
    Link *best = &h->link[k];
    *best = (Link){-1, 0, -1, -1};
    h->reach[(size_t)k * n + (size_t)k] = true;
    for (size_t i = 0; i < a->n_arcs; i++) {
        int to = c->of_state[a->arc[i].to];
        if (c->of_state[a->arc[i].from] != k || to == k || reaches(h, k, to))
            continue;
        for (size_t j = 0; j <= (size_t)to; j++)
            h->reach[(size_t)k * n + j] |= h->reach[(size_t)to * n + j];
        if (h->link[to].degree > best->degree)
            *best = (Link){to, h->link[to].degree, -1, -1};
    }
    for (int to = 0; c->cyclic[k] && to < k; to++) {
        int p, q;
        if (!c->cyclic[to] || !reaches(h, k, to) || h->link[to].degree < best->degree)
            continue;
        if (!find_split(h, k, to, &p, &q, err) || th_stopped(h->s->stop, err))
            return false;
        if (p >= 0)
            *best = (Link){to, h->link[to].degree + 1, p, q};
    }
    return true;
}

/* The part that leads p to p, p to q and q to q. */
static bool split_part(const Chains *h, int p, int q, ThWordsAmbiguity *out, int *n, ThError *err)
{
    ThWordsTuples t TH_OWNED(th_words_tuples_free) = {0};
    ThText text TH_OWNED(th_text_free) = {0};
    size_t end;
    int from[TH_WORDS_TUPLE_PLACES] = {p, p, q};
    Goal goal = {.state = {p, q, q}};
    bool good = between(h, h->c->of_state[p], h->c->of_state[q], &t, err);
    uint32_t root = good ? (uint32_t)th_words_tuples_pack(&t, from) : 0;
    return good && add_word(&t, &root, 1, &goal, &text, &end, err) && keep_part(out, n, &text, err);
}

/* The parts along the chain from component k. */
static bool chain_parts(const Chains *h, int k, ThWordsAmbiguity *out, ThError *err)
{
    int n = 0, at = -1;
    bool good = make_parts(out, h->link[k].degree, err);
    for (; good && k >= 0; k = h->link[k].next) {
        const Link *link = &h->link[k];
        if (link->p < 0)
            continue;
        good = state_part(h->s, at, link->p, out, &n, err) &&
               split_part(h, link->p, link->q, out, &n, err);
        at = link->q;
    }
    return good && state_part(h->s, at, -1, out, &n, err);
}

static bool polynomial_degree(const ThWordsAmbiguitySubject *s, const Components *c,
                              ThWordsAmbiguity *out, ThError *err)
{
    size_t n = (size_t)c->n, states = (size_t)s->a->n_states;
    Chains h = {.s = s, .c = c};
    h.reach = th_alloc(n * n, sizeof *h.reach, err);
    h.link = th_alloc(n, sizeof *h.link, err);
    bool good = h.reach && h.link;
    for (int i = 0; i < TH_WORDS_TUPLE_PLACES; i++) {
        h.in[i] = th_alloc(states, sizeof *h.in[i], err);
        good = good && h.in[i];
    }
    int best = -1;
    for (int k = 0; good && k < c->n; k++) {
        good = extend(&h, k, err);
        if (good && h.link[k].degree > out->degree) {
            out->degree = h.link[k].degree;
            best = k;
        }
    }
    if (good && best >= 0)
        good = chain_parts(&h, best, out, err);
    TH_FREE(h.reach, h.link, h.root);
    for (int i = 0; i < TH_WORDS_TUPLE_PLACES; i++)
        free(h.in[i]);
    return good;
}

bool th_words_ambiguity_growth(const ThWordsAmbiguitySubject *s, ThWordsAmbiguity *out,
                               ThError *err)
{
    Components c = {0};
    bool exponential = false;
    bool good = find_components(&c, s, err) && is_exponential(s, &c, &exponential, out, err) &&
                (exponential || polynomial_degree(s, &c, out, err));
    if (exponential || out->degree > 0)
        out->kind =
            exponential ? TH_WORDS_EXPONENTIALLY_AMBIGUOUS : TH_WORDS_POLYNOMIALLY_AMBIGUOUS;
    TH_FREE(c.of_state, c.cyclic);
    return good;
}
