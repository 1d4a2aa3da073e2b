#include "automata/words/ambiguity.h"

#include "automata/core/nfa.h"
#include "automata/core/word_tree.h"
#include "automata/words/ambiguity_growth.h"
#include "automata/words/state_tuples.h"
#include "base/symbols.h"

/* ---- without empty moves ---- */

/* The states that empty moves reach from q, in reach[0 … n - 1]; mark is all false, and again so.
 */
static int closure(const ThAutomaton *a, int q, int *reach, bool *mark)
{
    int n = 0;
    reach[n++] = q;
    mark[q] = true;
    for (int i = 0; i < n; i++) {
        for (size_t j = a->first[reach[i]]; j < a->first[reach[i] + 1]; j++) {
            const ThAutomatonArc *arc = &a->arc[j];
            if (arc->symbol == TH_AUTOMATON_EPSILON && !mark[arc->to]) {
                mark[arc->to] = true;
                reach[n++] = arc->to;
            }
        }
    }
    for (int i = 0; i < n; i++)
        mark[reach[i]] = false;
    return n;
}

static bool close_state(ThNfa *n, const ThAutomaton *a, int q, int *reach, bool *mark, ThError *err)
{
    int count = closure(a, q, reach, mark);
    for (int i = 0; i < count; i++) {
        if (a->accept[reach[i]])
            n->mark[q] |= TH_NFA_ACCEPT;
        for (size_t j = a->first[reach[i]]; j < a->first[reach[i] + 1]; j++) {
            ThAutomatonArc arc = {q, a->arc[j].symbol, a->arc[j].to, TH_AUTOMATON_NO_OUTPUT};
            if (arc.symbol != TH_AUTOMATON_EPSILON && !th_nfa_arc(n, arc, err))
                return false;
        }
    }
    return true;
}

/* Returns new: the same without empty moves and useless states. */
static ThAutomaton *without_empty_moves(const ThAutomaton *a, ThError *err)
{
    ThNfa n = {0};
    size_t size = (size_t)a->n_states;
    int *reach TH_OWNED(free) = th_alloc(size, sizeof *reach, err);
    bool *mark TH_OWNED(free) = th_alloc(size, sizeof *mark, err);
    bool good = reach && mark;
    for (int q = 0; good && q < a->n_states; q++)
        good = th_nfa_state(&n, a->start[q] ? TH_NFA_START : 0, err) >= 0;
    for (int q = 0; good && q < a->n_states; q++)
        good = close_state(&n, a, q, reach, mark, err);
    ThNfaNames names = {.symbol = a->symbol, .n_symbols = a->n_symbols};
    return th_nfa_finish(&n, &names, good, err);
}

/* ---- a word with two ways ---- */

static bool is_accepted_twice(void *context, size_t node)
{
    const ThWordsTuples *t = context;
    int state[TH_WORDS_TUPLE_PLACES] = {0};
    th_words_tuples_unpack(t, node, state);
    return t->a->accept[state[0]] && t->a->accept[state[1]];
}

static bool find_word(const ThWordsAmbiguitySubject *of, ThWordsTuples *t, char **text,
                      ThError *err)
{
    size_t end, n = 0;
    int length = 0;
    uint32_t *start TH_OWNED(free) = th_alloc(t->nodes, sizeof *start, err);
    for (size_t node = 0; start && node < t->nodes; node++) {
        int state[TH_WORDS_TUPLE_PLACES] = {0};
        th_words_tuples_unpack(t, node, state);
        if (t->a->start[state[0]] && t->a->start[state[1]])
            start[n++] = (uint32_t)node;
    }
    ThWordsTupleWay way = {start, n, true, is_accepted_twice, t};
    int *word TH_OWNED(free) = start ? th_words_tuples_word(t, &way, &length, &end, err) : NULL;
    *text = word ? th_symbols_text(of->a->symbol, of->a->n_symbols, word, length, err) : NULL;
    return *text || length < 0;
}

/* ---- finitely: how many ways lead to every state ---- */

typedef struct {
    const ThWordsAmbiguitySubject *s;
    ThWordTree vector; /* (states) numbers of ways */
    size_t most_vectors;
    uint64_t *here, *next; /* (states) */
} Ways;

static bool step_vector(Ways *w, size_t i, int symbol, ThError *err)
{
    const ThAutomaton *a = w->s->a;
    memset(w->next, 0, (size_t)a->n_states * sizeof *w->next);
    for (int q = 0; q < a->n_states; q++) {
        const size_t *by = w->s->by + (size_t)q * (size_t)a->n_symbols + (size_t)symbol;
        for (size_t j = by[0]; w->here[q] && j < by[1]; j++)
            w->next[a->arc[j].to] += w->here[q];
    }
    return th_word_tree_meet(&w->vector, w->next, (size_t)a->n_states * sizeof *w->next, i, symbol,
                             err);
}

/* Breadth first over the vectors, which are finitely many here, but may be very many. */
static bool follow_vectors(Ways *w, ThWordsAmbiguity *out, ThError *err)
{
    const ThAutomaton *a = w->s->a;
    size_t n = (size_t)a->n_states, best = 0, most = 0;
    for (int q = 0; q < a->n_states; q++)
        w->here[q] = a->start[q];
    if (!th_word_tree_meet(&w->vector, w->here, n * sizeof *w->here, 0, -1, err))
        return false;
    for (size_t i = 0; i < w->vector.n; i++) {
        size_t ways = 0;
        memcpy(w->here, th_intern_at(&w->vector.met, i, NULL), n * sizeof *w->here);
        for (size_t q = 0; q < n; q++)
            ways += a->accept[q] ? w->here[q] : 0;
        best = ways > most ? i : best;
        most = ways > most ? ways : most;
        for (int c = 0; c < a->n_symbols; c++)
            if (!step_vector(w, i, c, err))
                return false;
        if (w->vector.n > w->most_vectors)
            return true;
        if (i % 256 == 0 && th_stopped(w->s->stop, err))
            return false;
    }
    int length, *word TH_OWNED(free) = th_word_tree_word(&w->vector, best, &length, err);
    out->most = most;
    out->most_word = word ? th_symbols_text(a->symbol, a->n_symbols, word, length, err) : NULL;
    return out->most_word != NULL;
}

static bool greatest_number(const ThWordsAmbiguitySubject *s, size_t max_vectors,
                            ThWordsAmbiguity *out, ThError *err)
{
    enum { USUAL = 1 << 20, BYTES = 1 << 28 };
    size_t n = (size_t)s->a->n_states, room = BYTES / (n * sizeof(uint64_t) + 1);
    Ways w = {.s = s, .most_vectors = max_vectors ? max_vectors : USUAL};
    w.most_vectors = w.most_vectors < room ? w.most_vectors : room;
    w.here = th_alloc(n, sizeof *w.here, err);
    w.next = th_alloc(n, sizeof *w.next, err);
    bool good = w.here && w.next && follow_vectors(&w, out, err);
    th_word_tree_free(&w.vector);
    TH_FREE(w.here, w.next);
    return good;
}

/* ---- all of it ---- */

static bool classify(const ThWordsAmbiguitySubject *s, size_t max_vectors, ThWordsAmbiguity *out,
                     ThError *err)
{
    ThWordsTuples pairs;
    bool good = th_words_tuples_begin(&pairs, s->a, s->by, 2, NULL, s->stop, err) &&
                find_word(s, &pairs, &out->word, err);
    th_words_tuples_free(&pairs);
    if (!good || !out->word)
        return good;
    out->kind = TH_WORDS_FINITELY_AMBIGUOUS;
    return th_words_ambiguity_growth(s, out, err) &&
           (out->kind != TH_WORDS_FINITELY_AMBIGUOUS || greatest_number(s, max_vectors, out, err));
}

bool th_automaton_ambiguity(const ThAutomaton *a, size_t max_vectors, ThStop *stop,
                            ThWordsAmbiguity *out, ThError *err)
{
    *out = (ThWordsAmbiguity){0};
    ThAutomaton *plain TH_OWNED(th_automaton_free) = without_empty_moves(a, err);
    ThWordsAmbiguitySubject s = {plain, plain ? th_words_tuple_arcs(plain, err) : NULL, stop};
    bool good = s.by && classify(&s, max_vectors, out, err);
    free(s.by);
    if (!good)
        th_words_ambiguity_free(out);
    return good;
}

void th_words_ambiguity_free(ThWordsAmbiguity *a)
{
    TH_FREE_EACH(a->part, 2 * a->n_loops + 1);
    TH_FREE(a->word, a->most_word);
    *a = (ThWordsAmbiguity){0};
}
