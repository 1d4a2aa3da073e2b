/* Breadth-first search over the pairs of states that the same word reaches. */
#include "automata/operations/relate.h"

#include "automata/core/alphabets.h"
#include "automata/core/word_tree.h"
#include "base/symbols.h"

typedef struct {
    int p, q;
} Pair;

typedef struct {
    ThDfa *a, *b;
    ThAutomatonAlphabets u;
    ThWordTree pair;
    size_t found[4]; /* by acceptance: index + 1 of the first pair, 0: none yet */
    ThError *err;
} Search;

static bool visit(Search *s, Pair at, size_t parent, int symbol)
{
    size_t *found = &s->found[2 * s->a->label[at.p] + s->b->label[at.q]];
    bool ok = th_word_tree_meet(&s->pair, &at, sizeof at, parent, symbol, s->err);
    *found = *found ? *found : s->pair.n;
    return ok;
}

/* *known is false afterwards if there were too many pairs. */
static bool search(Search *s, size_t max_states, ThStop *stop, bool *known)
{
    size_t k = (size_t)s->a->n_symbols;
    *known = true;
    if (!visit(s, (Pair){s->a->start, s->b->start}, 0, -1))
        return false;
    for (size_t i = 0; i < s->pair.n && !(s->found[1] && s->found[2] && s->found[3]); i++) {
        Pair at;
        memcpy(&at, th_intern_at(&s->pair.met, i, NULL), sizeof at);
        for (size_t c = 0; c < k; c++) {
            Pair to = {s->a->next[(size_t)at.p * k + c], s->b->next[(size_t)at.q * k + c]};
            if (!visit(s, to, i, (int)c))
                return false;
        }
        if (max_states && s->pair.n > max_states) {
            *known = false;
            return true;
        }
        if (i % 4096 == 4095 && th_stopped_at(stop, s->pair.n, "pairs of states", s->err))
            return false;
    }
    return true;
}

/* The word that leads to a pair; `found` is its index + 1, or 0 for no word. */
static bool word_to(const Search *s, size_t found, char **text)
{
    *text = NULL;
    if (!found)
        return true;
    int length, *word TH_OWNED(free) = th_word_tree_word(&s->pair, found - 1, &length, s->err);
    *text = word ? th_symbols_text(s->u.name, s->u.n, word, length, s->err) : NULL;
    return *text != NULL;
}

bool th_automaton_relate(const ThAutomaton *a, const ThAutomaton *b, size_t max_states,
                         ThStop *stop, ThAutomatonRelation *r, ThError *err)
{
    Search s = {.err = err};
    *r = (ThAutomatonRelation){0};
    bool good = th_automaton_alphabets(&s.u, a->symbol, a->n_symbols, b->symbol, b->n_symbols, err);
    if (good) {
        s.a =
            th_automaton_widen_take(&s.u, 0, th_automaton_acceptor(a, max_states, stop, err), err);
        s.b =
            th_automaton_widen_take(&s.u, 1, th_automaton_acceptor(b, max_states, stop, err), err);
        good = s.a && s.b && search(&s, max_states, stop, &r->known);
    }
    if (good && r->known)
        good = word_to(&s, s.found[2], &r->only[0]) && word_to(&s, s.found[1], &r->only[1]) &&
               word_to(&s, s.found[3], &r->both);
    th_dfa_free(s.a);
    th_dfa_free(s.b);
    th_automaton_alphabets_free(&s.u);
    th_word_tree_free(&s.pair);
    return good;
}

void th_automaton_relation_free(ThAutomatonRelation *r)
{
    TH_FREE(r->only[0], r->only[1], r->both);
    *r = (ThAutomatonRelation){0};
}
