/* A Turing machine as a language: a word is on the first tape, and belongs to it if the machine
 * accepts; where it has no state that accepts, if it halts.  What is not decided within the steps
 * has no answer. */
#include <inttypes.h>

#include "automata/core/build.h"
#include "base/symbols.h"
#include "language/language_kind.h"
#include "turing/making.h"
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

/* What comes of an input within so many steps. */
typedef struct {
    ThTmVerdict verdict;
    uint64_t steps; /* after which it has stopped */
} End;

/* All runs of a machine that has the choice of rules. */
static bool search(const Machine *m, const ThTmTapeWords *words, uint64_t steps, ThStop *stop,
                   End *end, ThError *err)
{
    ThTmSearch x TH_OWNED(th_tm_search_free) = {0};
    ThTmSearchLimits limits = {steps, UINT64_MAX, MOST_NODES};
    bool ok = th_tm_search_start(&x, m->machine, words, limits, false, err);
    while (ok && x.verdict == TH_TM_GOES_ON)
        ok = th_tm_search_go(&x, 1000, stop, err);
    *end = (End){x.verdict, ok && x.goal != TH_TM_NO_NODE ? x.node[x.goal].depth : steps};
    return ok;
}

static bool run(const Machine *m, const ThTmTapeWords *words, uint64_t steps, ThStop *stop,
                End *end, ThError *err)
{
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    ThTmRunLimits limits = {steps, UINT64_MAX};
    bool ok = th_tm_running_start_words(&r, m->machine, words, err) &&
              th_tm_running_go(&r, steps + 1, limits, stop, err);
    *end = (End){r.verdict, r.steps};
    return ok;
}

/* Returns new: the machine's symbols of a word. */
static int *input_of(const Machine *m, ThLanguageWord word, ThError *err)
{
    int *input = th_alloc((size_t)word.n, sizeof *input, err);
    for (int i = 0; input && i < word.n; i++)
        input[i] = m->symbol[word.symbol[i]];
    return input;
}

static bool run_word(const Machine *m, ThLanguageWord word, uint64_t steps, ThStop *stop, End *end,
                     ThError *err)
{
    int *input TH_OWNED(free) = input_of(m, word, err);
    ThTmTapeWords words = {.word = {input}, .length = {word.n}};
    *end = (End){0};
    bool ok = input && (m->machine->branching ? search : run)(m, &words, steps, stop, end, err);
    return ok;
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop, ThLanguageAnswer *answer,
                   ThError *err)
{
    const Machine *m = l->data;
    End end;
    bool ok = run_word(m, word, m->steps, stop, &end, err);
    *answer = answer_of(m, end.verdict);
    return ok;
}

/* ---- dovetailing ----------------------------------------------------------------------------- */

/* Word number i, from 0, in order of length and symbols, into room for i + 1 symbols; its length.
 */
static int word_number(uint64_t i, uint64_t n_symbols, int *word)
{
    int n = 0;
    for (uint64_t words = 1; n_symbols > 0 && i >= words; n++) {
        i -= words;
        words *= n_symbols;
    }
    for (int k = n; k-- > 0; i /= n_symbols)
        word[k] = (int)(i % n_symbols);
    return n;
}

typedef struct {
    uint64_t stage, number;
} Found;

static int by_stage(const void *a, const void *b)
{
    const Found *x = a, *y = b;
    int stage = (x->stage > y->stage) - (x->stage < y->stage);
    return stage ? stage : (x->number > y->number) - (x->number < y->number);
}

/* Word number i from 1 is found at stage max(i, the steps that it takes): those of the stages
 * behind `from` up to `to`, which are gone through together. */
static bool find_words(const ThLanguage *l, uint64_t from, uint64_t to, int *word, Found **found,
                       size_t *n, ThStop *stop, ThError *err)
{
    const Machine *m = l->data;
    size_t cap = 0;
    bool ok = true;
    for (uint64_t i = 1; ok && i <= (l->n_symbols ? to : 1); i++) {
        int length = word_number(i - 1, (uint64_t)l->n_symbols, word);
        End end;
        ok = run_word(m, (ThLanguageWord){word, length}, to, stop, &end, err) &&
             !th_stopped(stop, err);
        uint64_t stage = end.steps > i ? end.steps : i;
        if (ok && answer_of(m, end.verdict) == TH_LANGUAGE_YES && stage > from)
            ok = TH_APPEND(*found, *n, cap, err, (Found){stage, i});
    }
    if (*n)
        qsort(*found, *n, sizeof **found, by_stage);
    return ok;
}

static bool enumerate(const ThLanguage *l, ThLanguageFound *seen, void *context, ThStop *stop,
                      ThError *err)
{
    enum { FIRST = 64, MOST_STAGES = 1 << 24 };
    uint64_t last = ((const Machine *)l->data)->steps;
    last = last < MOST_STAGES ? last : MOST_STAGES;
    bool ok = true, go_on = true;
    for (uint64_t from = 0, to = FIRST; ok && go_on && from < last; from = to, to *= 2) {
        to = to < last ? to : last;
        size_t n = 0;
        Found *found TH_OWNED(free) = NULL;
        int *word TH_OWNED(free) = th_alloc(to + 1, sizeof *word, err);
        ok = word && find_words(l, from, to, word, &found, &n, stop, err);
        for (size_t i = 0; ok && go_on && i < n; i++) {
            int length = word_number(found[i].number - 1, (uint64_t)l->n_symbols, word);
            go_on = seen(context, (ThLanguageWord){word, length}, found[i].stage);
        }
    }
    return ok;
}

/* ---- machines that never write --------------------------------------------------------------- */

/* A machine with one tape that never writes is a finite automaton (Shepherdson 1959): what it does
 * on a beginning of a word is the state in which it leaves that to the right for the first time,
 * and in which it leaves it again for every state in which it comes back. */
enum { YES = -1, NO = -2, MOST_STATES = 65536, MOST_NUMBERS = 1 << 24 };

static bool refuse(const ThTm *m, size_t rule, const char *why, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_tm_write_rule(&t, m, rule);
    return th_fail(err, TH_EVALUE, "%s: %s", why, t.data ? t.data : "");
}

bool th_language_reads_only(const ThTm *m, ThError *err)
{
    if (m->n_tapes > 1)
        return th_fail(err, TH_EVALUE, "it has %d tapes", m->n_tapes);
    if (m->branching)
        return th_fail(err, TH_EVALUE, "it has the choice of rules");
    if (m->missing == TH_TM_MISSING_STEP)
        return th_fail(err, TH_EVALUE, "it makes a step where no rule applies");
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        if (r->undefined)
            return refuse(m, i, "a rule is undefined", err);
        if (r->write[0] != TH_TM_ANY && (r->read[0] == TH_TM_ANY || r->write[0] != r->read[0]))
            return refuse(m, i, "it writes", err);
        if (r->move[0] < 0 && m->edge == TH_TM_EDGE_ERROR)
            return refuse(m, i, "it goes to the left on a tape with an edge that is an error", err);
    }
    return true;
}

/* The state in which the head leaves a symbol that it has come to in state q, or what it decides
 * there; beyond[p] is the state in which it comes back that leaves to `side` in state p, or what it
 * decides before it does.  Never to leave is NO. */
static int on_symbol(const Machine *l, const int *beyond, int side, int q, int symbol)
{
    const ThTm *m = l->machine;
    for (int i = 0; i <= m->n_states && q >= 0; i++) {
        ThTmVerdict v = th_tm_entered(m, q);
        int rule = v == TH_TM_GOES_ON ? th_tm_rule(m, q, &symbol) : -1;
        uint64_t steps = 0;
        if (rule < 0) {
            v = v == TH_TM_GOES_ON ? th_tm_missed(m, &steps) : v;
            return answer_of(l, v) == TH_LANGUAGE_YES ? YES : NO;
        }
        q = th_tm_target(&m->rule[rule], q);
        if (m->rule[rule].move[0] == -side)
            return q;
        if (m->rule[rule].move[0] == side)
            q = beyond[q];
    }
    return q < 0 ? q : NO;
}

/* The same of all states in which the head can come from the other side, as `comes` says. */
static void with_symbol(const Machine *l, const int *comes, const int *beyond, int side, int symbol,
                        int *next)
{
    for (int q = 0; q < l->machine->n_states; q++)
        next[q] = comes[q] & (side < 0 ? 1 : 2) ? on_symbol(l, beyond, side, q, symbol) : NO;
}

/* What comes of leaving the word to a side, where all cells are blank: one cell after the other is
 * added until nothing changes. */
static void beside_word(const Machine *l, const int *comes, int side, int *beyond, int *next)
{
    const ThTm *m = l->machine;
    for (int q = 0; q < m->n_states; q++)
        next[q] = side < 0 && m->edge == TH_TM_EDGE_STAY ? q : NO;
    do {
        memcpy(beyond, next, (size_t)m->n_states * sizeof *next);
        if (side > 0 || m->edge == TH_TM_TWO_WAY)
            with_symbol(l, comes, beyond, side, m->blank, next);
    } while (memcmp(beyond, next, (size_t)m->n_states * sizeof *next) != 0);
}

/* Is the word accepted whose end is passed as the key says? */
static bool accepts_behind(const Machine *l, const int *key, const int *right)
{
    int q = key[0];
    for (int i = 0; i <= l->machine->n_states && q >= 0; i++)
        q = right[q] >= 0 ? key[1 + right[q]] : right[q];
    return q == YES;
}

/* States are keys: where the head leaves, then where it leaves again.  comes, right (n_states). */
typedef struct {
    const Machine *m;
    ThAutomatonBuild b;
    ThIntern keys;
    int *comes, *right, *key, *next;
} Crossing;

static bool find_state(Crossing *x, const int *key, size_t *i, ThError *err)
{
    size_t known = x->keys.n, n = (size_t)x->m->machine->n_states + 1;
    if (!th_intern(&x->keys, key, n * sizeof *key, i, err))
        return false;
    ThText name TH_OWNED(th_text_free) = {0};
    th_text_add(&name, key[0] == YES ? "accepted" : x->m->machine->state[key[0]]);
    while (*i == known && !name.failed &&
           th_intern_find(&x->b.state, name.data, name.size + 1) != SIZE_MAX)
        th_text_printf(&name, ".%zu", *i);
    if (*i == known)
        th_automaton_build_state(&x->b, name.data ? name.data : "");
    if (*i == known && accepts_behind(x->m, key, x->right))
        th_automaton_build_accept(&x->b, (int)*i);
    return true;
}

static bool add_arcs(Crossing *x, int from, int n_symbols, ThError *err)
{
    const Machine *m = x->m;
    size_t n = (size_t)m->machine->n_states, to;
    memcpy(x->key, th_intern_at(&x->keys, (size_t)from, NULL), (n + 1) * sizeof *x->key);
    for (int s = 0; s < n_symbols; s++) {
        with_symbol(m, x->comes, x->key + 1, -1, m->symbol[s], x->next + 1);
        x->next[0] =
            x->key[0] < 0 ? x->key[0] : on_symbol(m, x->key + 1, -1, x->key[0], m->symbol[s]);
        for (size_t q = 1; x->next[0] == YES && q <= n; q++)
            x->next[q] = NO;
        if (x->next[0] == NO)
            continue;
        if (!find_state(x, x->next, &to, err))
            return false;
        th_automaton_build_arc(&x->b, (ThAutomatonArc){from, s, (int)to, TH_AUTOMATON_NO_OUTPUT});
    }
    return true;
}

static bool automaton(const ThLanguage *l, ThAutomaton **a, ThStop *stop, ThError *err)
{
    Crossing x = {.m = l->data};
    const ThTm *m = x.m->machine;
    size_t n = (size_t)m->n_states, first, i = 0;
    *a = NULL;
    if (!th_language_reads_only(m, NULL))
        return true;
    int *all TH_OWNED(free) = x.comes = th_alloc(4 * n + 2, sizeof *all, err);
    if (!all)
        return false;
    x.right = x.comes + n;
    x.key = x.right + n;
    x.next = x.key + n + 1;
    for (size_t r = 0; r < m->n_rules; r++)
        for (int q = 0; q < m->n_states; q++)
            if (m->rule[r].to == q || m->rule[r].to == TH_TM_ANY)
                x.comes[q] |= m->rule[r].move[0] >= 0 ? 2 : m->edge == TH_TM_EDGE_STAY ? 3 : 1;
    x.comes[m->start] |= 2;
    for (int s = 0; s < l->n_symbols; s++)
        th_automaton_build_symbol(&x.b, l->symbol[s]);
    beside_word(x.m, x.comes, 1, x.right, x.next);
    beside_word(x.m, x.comes, -1, x.key + 1, x.next);
    x.key[0] = m->start;
    bool ok = find_state(&x, x.key, &first, err);
    for (; ok && i < x.keys.n && i < MOST_STATES && i * n < MOST_NUMBERS; i++)
        ok = add_arcs(&x, (int)i, l->n_symbols, err) && !th_stopped_at(stop, i, "states", err);
    th_automaton_build_start(&x.b, 0);
    if (ok && i == x.keys.n)
        ok = (*a = th_automaton_build_finish(&x.b, err)) != NULL;
    th_automaton_build_free(&x.b);
    th_intern_free(&x.keys);
    return ok;
}

/* ---- states ---------------------------------------------------------------------------------- */

static bool states(const ThLanguage *l, char ***name, int *n, ThError *err)
{
    const ThTm *m = ((const Machine *)l->data)->machine;
    bool ok = !m->branching || th_fail(err, TH_EVALUE,
                                       "the machine has the choice of rules, and is in several "
                                       "states behind a prefix");
    for (int q = 0; ok && q < m->n_states; q++)
        ok = th_language_add_state(name, n, m->state[q], "", err);
    return ok;
}

/* What lies behind a prefix is not seen before the head stands there, so that one run tells of all
 * of them. */
static bool track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop, ThError *err)
{
    const Machine *m = l->data;
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    int *input TH_OWNED(free) = input_of(m, word, err);
    ThTmTapeWords words = {.word = {input}, .length = {word.n}};
    int i = 0;
    bool ok = input && th_tm_running_start_words(&r, m->machine, &words, err);
    while (ok && i < word.n && r.verdict == TH_TM_GOES_ON) {
        ok = th_tm_running_go(&r, 1, (ThTmRunLimits){m->steps, UINT64_MAX}, stop, err);
        if (ok && r.tape[0].head > i)
            state[i++] = r.state;
    }
    for (; i < word.n; i++)
        state[i] = r.verdict > TH_TM_ENDLESS ? -1 : r.state;
    return ok;
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
    .enumerate = enumerate,
    .states = states,
    .track = track,
};

bool th_language_machine_symbols(ThLanguage *l, const ThTm *m, const ThLanguageAlphabet *alphabet,
                                 int **symbol, ThError *err)
{
    int *own = *symbol = th_alloc((size_t)m->n_symbols, sizeof *own, err);
    bool ok = own != NULL;
    for (int i = 0; ok && !alphabet && i < m->n_symbols; i++) {
        if (i == m->blank)
            continue;
        own[l->n_symbols] = i;
        ok = th_language_symbol(l, m->symbol[i], err) >= 0;
    }
    for (int i = 0; ok && alphabet && i < alphabet->n; i++) {
        int s = th_symbols_find(m->symbol, m->n_symbols, alphabet->name[i]);
        if (s < 0)
            return th_fail(err, TH_EVALUE, "'%s' is no symbol of the machine", alphabet->name[i]);
        int known = l->n_symbols, a = th_language_symbol(l, m->symbol[s], err);
        if (a >= 0 && a < known)
            return th_fail(err, TH_EVALUE, "'%s' is twice in the alphabet", alphabet->name[i]);
        ok = a >= 0;
        if (ok)
            own[a] = s;
    }
    return ok;
}

/* One that never writes answers as its automaton does: no run of it is cut off. */
static bool ask_automaton(ThLanguage *l, ThStop *stop, ThError *err)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = NULL;
    if (!automaton(l, &a, stop, err))
        return false;
    l->as = a ? th_language_of_automaton(a, 0, stop, err) : NULL;
    l->may_not_answer = !a;
    return !a || l->as;
}

ThLanguage *th_language_of_machine(const ThTm *m, const ThLanguageAlphabet *alphabet,
                                   uint64_t steps, ThStop *stop, ThError *err)
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
    return TH_KEEP_IF(own->machine &&
                          th_language_machine_symbols(l, m, alphabet, &own->symbol, err) &&
                          ask_automaton(l, stop, err),
                      l, th_language_free);
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
