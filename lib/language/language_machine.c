/* A Turing machine as a language: a word is on the first tape, and belongs to it if the machine
 * accepts; where it has no state that accepts, if it halts.  What is not decided within the steps
 * has no answer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "automata/core/build.h"
#include "base/intern.h"
#include "base/memory.h"
#include "language/language_kind.h"
#include "turing/search.h"

enum { MOST_NODES = 1000000 };

typedef struct {
    ThTm *machine;
    uint64_t steps;
    int *symbol;  /* (n_symbols): the machine's symbol of each of the language */
    bool accepts; /* some state does */
} Machine;

static void free_data(void *data)
{
    Machine *m = data;
    th_tm_free(m->machine);
    TH_FREE(m->symbol, m);
}

static ThLanguageAnswer answer_of(const Machine *m, ThTmVerdict v)
{
    if (v == TH_TM_ACCEPTED || (v == TH_TM_HALTED && !m->accepts))
        return TH_LANGUAGE_YES;
    return v == TH_TM_GOES_ON || v > TH_TM_ENDLESS ? TH_LANGUAGE_UNKNOWN : TH_LANGUAGE_NO;
}

/* All runs of a machine that has the choice of rules. */
static bool search(const Machine *m, const ThTmTapeWords *words, ThStop *stop, ThTmVerdict *v,
                   ThError *err)
{
    ThTmSearch x = {0};
    ThTmSearchLimits limits = {m->steps, UINT64_MAX, MOST_NODES};
    bool ok = th_tm_search_start(&x, m->machine, words, limits, false, err);
    while (ok && x.verdict == TH_TM_GOES_ON)
        ok = th_tm_search_go(&x, 1000, stop, err);
    *v = x.verdict;
    th_tm_search_free(&x);
    return ok;
}

static bool run(const Machine *m, const ThTmTapeWords *words, ThStop *stop, ThTmVerdict *v,
                ThError *err)
{
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    ThTmRunLimits limits = {m->steps, UINT64_MAX};
    bool ok = th_tm_running_start_words(&r, m->machine, words, err) &&
              th_tm_running_go(&r, m->steps + 1, limits, stop, err);
    *v = r.verdict;
    return ok;
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop, ThLanguageAnswer *answer,
                   ThError *err)
{
    const Machine *m = l->data;
    ThTmTapeWords words = {0};
    ThTmVerdict v = TH_TM_GOES_ON;
    int *input TH_OWNED(free) = th_alloc((size_t)word.n, sizeof *input, err);
    if (!input)
        return false;
    for (int i = 0; i < word.n; i++)
        input[i] = m->symbol[word.symbol[i]];
    words.word[0] = input;
    words.length[0] = word.n;
    bool ok = (m->machine->branching ? search : run)(m, &words, stop, &v, err);
    *answer = answer_of(m, v);
    return ok;
}

/* ---- machines that never write --------------------------------------------------------------- */

/* A machine with one tape that never writes, and only moves to the right or stays, is a finite
 * automaton. */
static bool reads_only(const ThTm *m)
{
    bool ok = m->n_tapes == 1 && !m->branching && m->missing != TH_TM_MISSING_STEP;
    for (size_t i = 0; ok && i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        bool same =
            r->write[0] == TH_TM_ANY || (r->read[0] != TH_TM_ANY && r->write[0] == r->read[0]);
        ok = same && r->move[0] >= 0 && !r->undefined;
    }
    return ok;
}

typedef enum { GOES_RIGHT, SAYS_YES, SAYS_NO } End;

/* What the machine does on one symbol in state *q: it goes on to the right in another *q, or says
 * yes or no, or never leaves, which is no. */
static End on_symbol(const Machine *l, int *q, int symbol)
{
    const ThTm *m = l->machine;
    for (int i = 0; i <= m->n_states; i++) {
        ThTmVerdict v = th_tm_entered(m, *q);
        int rule = v == TH_TM_GOES_ON ? th_tm_rule(m, *q, &symbol) : -1;
        uint64_t steps = 0;
        if (rule < 0) {
            v = v == TH_TM_GOES_ON ? th_tm_missed(m, &steps) : v;
            return answer_of(l, v) == TH_LANGUAGE_YES ? SAYS_YES : SAYS_NO;
        }
        const ThTmRule *r = &m->rule[rule];
        *q = r->to == TH_TM_ANY ? *q : r->to;
        if (r->move[0] > 0)
            return GOES_RIGHT;
    }
    return SAYS_NO;
}

/* Is the word accepted whose end was passed in state q? */
static bool accepts_behind(const Machine *l, int q)
{
    End e = GOES_RIGHT;
    for (int i = 0; e == GOES_RIGHT && i <= l->machine->n_states; i++)
        e = on_symbol(l, &q, l->machine->blank);
    return e == SAYS_YES;
}

static bool automaton(const ThLanguage *l, ThAutomaton **a, ThStop *stop, ThError *err)
{
    const Machine *m = l->data;
    ThAutomatonBuild b = {0};
    int n = m->machine->n_states;
    (void)stop;
    *a = NULL;
    if (!reads_only(m->machine))
        return true;
    for (int i = 0; i < l->n_symbols; i++)
        th_automaton_build_symbol(&b, l->symbol[i]);
    for (int q = 0; q < n; q++)
        th_automaton_build_state(&b, m->machine->state[q]);
    ThText name = {0}; /* of the state behind a decision, which no other has */
    do
        th_text_add(&name, name.size ? "'" : "accepted");
    while (!name.failed && th_intern_find(&b.state, name.data, name.size + 1) != SIZE_MAX);
    int yes = th_automaton_build_state(&b, name.data ? name.data : "");
    th_text_free(&name);
    for (int q = 0; q <= n; q++) {
        if (q == yes || accepts_behind(m, q))
            th_automaton_build_accept(&b, q);
        for (int s = 0; s < l->n_symbols; s++) {
            int to = q;
            End e = q == yes ? SAYS_YES : on_symbol(m, &to, m->symbol[s]);
            if (e != SAYS_NO)
                th_automaton_build_arc(
                    &b, (ThAutomatonArc){q, s, e == SAYS_YES ? yes : to, TH_AUTOMATON_NO_OUTPUT});
        }
    }
    th_automaton_build_start(&b, m->machine->start);
    *a = th_automaton_build_finish(&b, err);
    return *a != NULL;
}

static void identify(ThText *t, const ThLanguage *l)
{
    const Machine *m = l->data;
    th_text_printf(t, "%" PRIu64 " steps\n", m->steps);
    th_tm_write(t, m->machine, "");
}

static const ThLanguageKind kind = {
    .name = "machine",
    .may_not_answer = true,
    .free_data = free_data,
    .identify = identify,
    .member = member,
    .automaton = automaton,
};

/* The symbols that words are made of. */
static bool take_symbols(ThLanguage *l, Machine *own, const ThLanguageAlphabet *alphabet,
                         ThError *err)
{
    const ThTm *m = own->machine;
    own->symbol = th_alloc((size_t)m->n_symbols, sizeof *own->symbol, err);
    bool ok = own->symbol != NULL;
    for (int i = 0; ok && !alphabet && i < m->n_symbols; i++) {
        if (i == m->blank)
            continue;
        own->symbol[l->n_symbols] = i;
        ok = th_language_symbol(l, m->symbol[i], err) >= 0;
    }
    for (int i = 0; ok && alphabet && i < alphabet->n; i++) {
        int s = 0;
        while (s < m->n_symbols && strcmp(m->symbol[s], alphabet->name[i]) != 0)
            s++;
        if (s == m->n_symbols)
            return th_fail(err, TH_EVALUE, "'%s' is no symbol of the machine", alphabet->name[i]);
        int known = l->n_symbols, a = th_language_symbol(l, m->symbol[s], err);
        if (a >= 0 && a < known)
            return th_fail(err, TH_EVALUE, "'%s' is twice in the alphabet", alphabet->name[i]);
        ok = a >= 0;
        if (ok)
            own->symbol[a] = s;
    }
    return ok;
}

ThLanguage *th_language_of_machine(const ThTm *m, const ThLanguageAlphabet *alphabet,
                                   uint64_t steps, ThError *err)
{
    ThLanguage *l = th_language_new(&kind, err);
    Machine *own = l ? th_alloc(1, sizeof *own, err) : NULL;
    if (!own) {
        th_language_free(l);
        return NULL;
    }
    l->data = own;
    own->steps = steps;
    own->machine = th_tm_copy(m, err);
    for (int q = 0; own->machine && q < m->n_states; q++)
        own->accepts = own->accepts || m->role[q] == TH_TM_ACCEPTS;
    return TH_KEEP_IF(own->machine && take_symbols(l, own, alphabet, err), l, th_language_free);
}

/* ---- automata as machines -------------------------------------------------------------------- */

/* An arc as a rule; an empty move may be made whatever is read. */
static void add_arc(ThTmBuild *b, const ThAutomatonArc *r)
{
    ThTmRule rule = {.from = r->from, .to = r->to, .write = {TH_TM_ANY}};
    bool empty = r->symbol == TH_AUTOMATON_EPSILON;
    rule.move[0] = !empty;
    for (int s = 0; s < b->m.n_symbols; s++) {
        rule.read[0] = s;
        if (empty || s == r->symbol)
            th_tm_add(b, &rule);
    }
}

ThTm *th_language_automaton_machine(const ThAutomaton *a, ThError *err)
{
    ThTmBuild b = {.m = {.n_tapes = 1, .missing = TH_TM_MISSING_REJECT}};
    b.m.nondeterministic = !th_automaton_deterministic(a);
    for (int s = 0; s < a->n_symbols; s++)
        th_tm_symbol(&b, a->symbol[s]);
    b.m.blank = th_tm_new_symbol(&b, "_");
    for (int q = 0; q < a->n_states; q++)
        th_tm_state(&b, a->state[q]);
    int yes = th_tm_new_state(&b, "accept", TH_TM_ACCEPTS);
    for (size_t i = 0; i < a->n_arcs; i++)
        add_arc(&b, &a->arc[i]);
    for (int q = 0; q < a->n_states; q++)
        if (a->accept[q])
            th_tm_add(&b, &(ThTmRule){q, yes, {b.m.blank}, {TH_TM_ANY}, {0}, false, false});
    int starts = 0;
    for (int q = 0; q < a->n_states; q++)
        if (a->start[q] && starts++ == 0)
            b.m.start = q;
    int first = b.m.start;
    if (starts != 1) /* of none or several */
        b.m.start = th_tm_new_state(&b, "start", TH_TM_RUNS);
    for (int q = first; starts > 1 && q < a->n_states; q++)
        if (a->start[q])
            add_arc(&b, &(ThAutomatonArc){b.m.start, TH_AUTOMATON_EPSILON, q, 0});
    return th_tm_finish(&b, err);
}
