/* algebra.c - the minimal machine of an operand, its transition monoid, and their figures. */
#include "commands/automata/monoid.h"

/* ---- the minimal machine --------------------------------------------------------------------- */

static int follow_arc(const ThAutomaton *a, int q, int symbol)
{
    for (size_t i = q < 0 ? 0 : a->first[q]; q >= 0 && i < a->first[q + 1]; i++)
        if (a->arc[i].symbol == symbol)
            return a->arc[i].to;
    return -1;
}

/* For every state of d the first state of `a` that words lead to, both followed breadth first; -1:
 * nowhere.  False if memory runs out. */
static bool pair_states(const ThDfa *d, const ThAutomaton *a, int *pair, ThError *err)
{
    int n = 0, *queue TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *queue, err);
    bool *met TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *met, err);
    if (queue && met) {
        pair[d->start] = -1;
        for (int q = a->n_states - 1; q >= 0; q--)
            pair[d->start] = a->start[q] ? q : pair[d->start];
        met[d->start] = true;
        queue[n++] = d->start;
    }
    for (int i = 0; i < n; i++)
        for (int b = 0; b < d->n_symbols; b++) {
            int to = d->next[queue[i] * d->n_symbols + b];
            if (met[to])
                continue;
            met[to] = true;
            pair[to] = follow_arc(a, pair[queue[i]], b);
            queue[n++] = to;
        }
    return queue && met;
}

/* States of a nondeterministic automaton's machine are those of the minimal automaton. */
static bool name_states(ShMachine *m, const ThAutomaton *original, ThError *err)
{
    int n = m->d->n_states;
    const ThAutomaton *a = th_automaton_deterministic(original) ? original : m->minimal;
    const char *sink = th_symbols_find(a->state, a->n_states, "sink") < 0 ? "sink" : "sink'";
    int *pair TH_OWNED(free) = th_alloc((size_t)n, sizeof *pair, err);
    m->state = th_alloc((size_t)n, sizeof *m->state, err);
    bool ok = pair && m->state && pair_states(m->d, a, pair, err);
    for (int q = 0; ok && q < n; q++) {
        m->state[q] = th_strdup(pair[q] < 0 ? sink : a->state[pair[q]], err);
        ok = m->state[q] != NULL;
    }
    return ok;
}

/* A transducer with outputs on its transitions is minimal with these; d knows acceptance only. */
static ThDfa *complete(const ThAutomaton *minimal, ShSession *s, ThError *err)
{
    ThDfa *d = th_automaton_dfa(minimal, 0, sh_stop(s), err);
    if (!d || th_automaton_mealy(minimal))
        return d;
    ThDfa *smallest = th_dfa_minimize(d, sh_stop(s), err);
    th_dfa_free(d);
    return smallest;
}

bool sh_machine_of(ShMachine *m, ShSession *s, const ShOperand *o, ThError *err)
{
    *m = (ShMachine){0};
    ThAutomaton *a TH_OWNED(th_automaton_free) = sh_automaton_value(s, o, err);
    if (!a)
        return false;
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    m->minimal = th_automaton_minimize(a, limit, sh_stop(s), err);
    m->d = m->minimal ? complete(m->minimal, s, err) : NULL;
    bool ok = m->d && name_states(m, a, err);
    if (ok)
        return true;
    sh_machine_free(m);
    return sh_error_inside(err, o);
}

void sh_machine_free(ShMachine *m)
{
    if (m->d)
        TH_FREE_EACH(m->state, m->d->n_states);
    th_automaton_free(m->minimal);
    th_dfa_free(m->d);
    *m = (ShMachine){0};
}

/* ---- the algebra of it ----------------------------------------------------------------------- */

bool sh_algebra_of(ShAlgebra *a, ShSession *s, const ShOperand *o, ThError *err)
{
    *a = (ShAlgebra){0};
    if (!sh_machine_of(&a->machine, s, o, err))
        return false;
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    a->m = th_monoid_new(a->machine.d, limit, sh_stop(s), err);
    a->g = a->m ? th_green_new(a->m, sh_stop(s), err) : NULL;
    if (a->g && th_varieties_of(&a->v, a->m, a->g, sh_stop(s), err))
        return true;
    sh_algebra_free(a);
    if (err->code == TH_ELIMIT)
        th_hint(err, "set limit-states sets this limit");
    return sh_error_inside(err, o);
}

void sh_algebra_free(ShAlgebra *a)
{
    th_varieties_free(&a->v);
    th_green_free(a->g);
    th_monoid_free(a->m);
    sh_machine_free(&a->machine);
    *a = (ShAlgebra){0};
}

char *sh_element_name(const ShAlgebra *a, int x, ThError *err)
{
    enum { LONGEST = 200 };
    ThText t = {0};
    int word[LONGEST], length = a->m->length[x];
    if (length <= LONGEST) {
        th_monoid_word(a->m, x, word);
        th_symbols_write(&t, a->machine.minimal->symbol, a->m->n_symbols, word, length);
    } else {
        th_text_printf(&t, "#%d", x);
    }
    th_text_add(&t, x == 0 ? "ε" : "");
    return th_text_take(&t, err);
}

char **sh_element_names(const ShAlgebra *a, ThError *err)
{
    int n = a->m->size;
    char **name = th_alloc((size_t)n, sizeof *name, err);
    for (int x = 0; name && x < n; x++) {
        name[x] = sh_element_name(a, x, err);
        if (!name[x]) {
            TH_FREE_EACH(name, n);
            return NULL;
        }
    }
    return name;
}

int sh_reset_element(const ThMonoid *m)
{
    for (int x = 0; x < m->size; x++) {
        int q = 1;
        while (q < m->n_states && th_monoid_image(m, x, q) == th_monoid_image(m, x, 0))
            q++;
        if (q >= m->n_states)
            return x;
    }
    return -1;
}

void sh_set_algebra(ShSession *s, const ShAlgebra *a)
{
    const ThVarieties *v = &a->v;
    int reset = sh_reset_element(a->m);
    sh_results(s,
               "size:i idempotents:i aperiodic:b group:b solvable:b period:i exponent:i "
               "complete_states:i classes:i star_free:b commutative:b definite:b reset:b "
               "locally_testable:b j_trivial:b r_trivial:b l_trivial:b reset_length:i",
               (long long)a->m->size, (long long)a->g->n_idempotents, v->aperiodic, v->group,
               v->solvable, (long long)v->period, (long long)v->exponent, (long long)a->m->n_states,
               (long long)a->g->n_d, v->aperiodic, v->commutative, v->definite, v->reset,
               v->locally_testable, v->j_trivial, v->r_trivial, v->l_trivial,
               (long long)(reset < 0 ? -1 : a->m->length[reset]));
}

/* ---- text ------------------------------------------------------------------------------------ */

void sh_say_wrapped(ShSession *s, const char *label, ThText *t)
{
    sh_say_folded(s, "%s %s", label, th_text_string(t));
    th_text_free(t);
}
