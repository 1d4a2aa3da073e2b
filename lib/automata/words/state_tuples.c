#include "automata/words/state_tuples.h"

#include "automata/core/word_tree.h"

size_t *th_words_tuple_arcs(const ThAutomaton *a, ThError *err)
{
    size_t k = (size_t)a->n_symbols;
    size_t *by = th_alloc((size_t)a->n_states * k + 1, sizeof *by, err);
    if (!by)
        return NULL;
    for (int q = 0; q < a->n_states; q++) {
        size_t i = a->first[q];
        for (size_t c = 0; c < k; c++) {
            by[(size_t)q * k + c] = i;
            while (i < a->first[q + 1] && a->arc[i].symbol <= (int)c)
                i++;
        }
    }
    by[(size_t)a->n_states * k] = a->n_arcs;
    return by;
}

bool th_words_tuples_begin(ThWordsTuples *t, const ThAutomaton *a, const size_t *by, int k,
                           const bool *const in[TH_WORDS_TUPLE_PLACES], ThStop *stop, ThError *err)
{
    *t = (ThWordsTuples){.a = a, .by = by, .k = k, .nodes = 1, .stop = stop};
    for (int i = 0; i < k; i++) {
        t->member[i] = th_alloc((size_t)a->n_states, sizeof *t->member[i], err);
        t->number[i] = th_alloc((size_t)a->n_states, sizeof *t->number[i], err);
        if (!t->member[i] || !t->number[i])
            return false;
        for (int q = 0; q < a->n_states; q++) {
            bool is = !in || !in[i] || in[i][q];
            t->number[i][q] = is ? (int)t->size[i] : -1;
            if (is)
                t->member[i][t->size[i]++] = q;
        }
        if (t->size[i] > TH_WORDS_TUPLES_MOST || t->nodes * t->size[i] > TH_WORDS_TUPLES_MOST)
            return th_fail(err, TH_ELIMIT, "%d states are too many to tell how ambiguous they are",
                           a->n_states);
        t->nodes *= t->size[i];
    }
    return true;
}

void th_words_tuples_free(ThWordsTuples *t)
{
    for (int i = 0; i < TH_WORDS_TUPLE_PLACES; i++)
        TH_FREE(t->member[i], t->number[i]);
    *t = (ThWordsTuples){0};
}

size_t th_words_tuples_pack(const ThWordsTuples *t, const int state[TH_WORDS_TUPLE_PLACES])
{
    size_t node = 0;
    for (int i = 0; i < t->k && i < TH_WORDS_TUPLE_PLACES; i++)
        node = node * t->size[i] + (size_t)t->number[i][state[i]];
    return node;
}

void th_words_tuples_unpack(const ThWordsTuples *t, size_t node, int state[TH_WORDS_TUPLE_PLACES])
{
    for (int i = t->k; i-- > 0;) {
        state[i] = t->member[i][node % t->size[i]];
        node /= t->size[i];
    }
}

/* The tuple behind arc number *turn by a symbol; SIZE_MAX if one of its states is no member, and
 * false behind the last arc. */
static bool follow(const ThWordsTuples *t, const int *state, int symbol, size_t turn, size_t *to)
{
    size_t node = 0;
    bool member = true;
    for (int i = 0; i < t->k; i++) {
        const size_t *by = t->by + (size_t)state[i] * (size_t)t->a->n_symbols + (size_t)symbol;
        size_t degree = by[1] - by[0];
        if (degree == 0)
            return false;
        int number = t->number[i][t->a->arc[by[0] + turn % degree].to];
        member = member && number >= 0;
        node = node * t->size[i] + (size_t)number;
        turn /= degree;
    }
    *to = member ? node : SIZE_MAX;
    return turn == 0;
}

static bool back_arc(const ThWordsTuples *t, const int *state, size_t *to)
{
    if (!t->back || state[0] == state[1] || state[1] != state[2] || t->number[1][state[0]] < 0)
        return false;
    *to = th_words_tuples_pack(t, (int[]){state[0], state[0], state[2]});
    return true;
}

/* The next arc of a tuple: *to and its symbol (-1: a back arc).  False behind the last. */
static bool next_arc(const void *tuples, size_t node, ThAutomatonCursor *c, size_t *to, int *symbol)
{
    const ThWordsTuples *t = tuples;
    int state[TH_WORDS_TUPLE_PLACES] = {0}, n = t->a->n_symbols;
    th_words_tuples_unpack(t, node, state);
    while (c->symbol < n) {
        if (!follow(t, state, c->symbol, c->turn, to)) {
            c->symbol++;
            c->turn = 0;
            continue;
        }
        c->turn++;
        *symbol = c->symbol;
        if (*to != SIZE_MAX)
            return true;
    }
    *symbol = -1;
    return c->symbol++ == n && back_arc(t, state, to);
}

bool th_words_tuples_components(const ThWordsTuples *t, const uint32_t *root, size_t n,
                                ThAutomatonComponent *tell, void *context, ThError *err)
{
    ThAutomatonGraph g = {t, next_arc, t->nodes, t->stop};
    return th_automaton_components_of(&g, root, n, tell, context, err);
}

/* ---- shortest words ---- */

typedef struct {
    const ThWordsTuples *t;
    const ThWordsTupleWay *way;
    bool *seen;      /* by places: nodes, or two for each, the second one where ways have parted */
    uint32_t *queue; /* of places, in the order of the words */
    ThWordTree word;
    bool found; /* the last one is a goal */
} Breadth;

static bool meet(Breadth *s, size_t node, bool parted, size_t before, int symbol, ThError *err)
{
    size_t place = node;
    if (s->way->parting) {
        int state[TH_WORDS_TUPLE_PLACES] = {0};
        th_words_tuples_unpack(s->t, node, state);
        parted = parted || state[0] != state[1];
        place = 2 * node + parted;
    }
    if (s->seen[place])
        return true;
    s->seen[place] = true;
    s->queue[s->word.n] = (uint32_t)place;
    s->found = (parted || !s->way->parting) && s->way->goal(s->way->context, node);
    return th_word_tree_add(&s->word, before, symbol, err);
}

int *th_words_tuples_word(const ThWordsTuples *t, const ThWordsTupleWay *way, int *length,
                          size_t *end, ThError *err)
{
    size_t copies = way->parting ? 2 : 1;
    bool *seen TH_OWNED(free) = th_alloc(copies * t->nodes, sizeof *seen, err);
    uint32_t *queue TH_OWNED(free) = th_alloc(copies * t->nodes, sizeof *queue, err);
    Breadth s = {.t = t, .way = way, .seen = seen, .queue = queue};
    bool good = seen && queue;
    for (size_t i = 0; good && !s.found && i < way->n; i++)
        good = meet(&s, way->root[i], false, 0, -1, err);
    for (size_t i = 0; good && !s.found && i < s.word.n; i++) {
        ThAutomatonCursor c = {0, 0};
        size_t to;
        int symbol;
        while (good && !s.found && next_arc(t, queue[i] / copies, &c, &to, &symbol))
            good = symbol < 0 || meet(&s, to, queue[i] % copies, i, symbol, err);
        good = good && (i % 4096 || !th_stopped(t->stop, err));
    }
    *length = good ? -1 : 0;
    int *word = good && s.found ? th_word_tree_word(&s.word, s.word.n - 1, length, err) : NULL;
    *end = word ? queue[s.word.n - 1] / copies : 0;
    th_word_tree_free(&s.word);
    return word;
}
