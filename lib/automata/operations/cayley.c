#include "automata/operations/cayley.h"

#include "automata/algebra/group_names.h"
#include "automata/algebra/monoid.h"
#include "automata/core/build.h"

/* ---- what elements are called --------------------------------------------------------------- */

/* States of their own names, as outputs, too; the first is where it starts and accepts.  Elements
 * whose shortest word is long have numbers. */
static void build_states(ThAutomatonBuild *b, const ThMonoid *m, char *const *letter, bool single)
{
    enum { LONGEST = 64 };
    for (int i = 0; i < m->size; i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        const char *before = i ? th_intern_at(&b->state, (size_t)m->prefix[i], NULL) : "";
        if (i > 0 && m->length[i] > LONGEST)
            th_text_printf(&t, "#%d", i);
        else if (i > 0)
            th_text_printf(&t, "%s%s%s", m->length[i] > 1 ? before : "",
                           single || m->length[i] == 1 ? "" : ".", letter[m->last[i]]);
        const char *name = i == 0 ? "e" : th_text_string(&t);
        int q = th_automaton_build_state(b, name);
        th_automaton_build_moore(b, q, th_automaton_build_output(b, name));
    }
    th_automaton_build_start(b, 0);
    th_automaton_build_accept(b, 0);
}

static bool are_single(char *const *letter, int n)
{
    bool single = true;
    for (int i = 0; i < n; i++)
        single = single && strlen(letter[i]) == 1 && letter[i][0] != 'e';
    return single;
}

/* Elements as states, letters as symbols: x a is where a leads from x. */
static ThAutomaton *right_graph(const ThMonoid *m, char *const *letter, int n, ThError *err)
{
    ThAutomatonBuild b = {0};
    for (int i = 0; i < n; i++)
        th_automaton_build_symbol(&b, letter[i]);
    build_states(&b, m, letter, are_single(letter, n));
    const int *to = m->right;
    for (int x = 0; x < m->size; x++)
        for (int g = 0; g < n; g++)
            th_automaton_build_arc(&b, (ThAutomatonArc){x, g, *to++, TH_AUTOMATON_NO_OUTPUT});
    return th_automaton_build_finish(&b, err);
}

/* ---- groups by name -------------------------------------------------------------------------- */

/* The most points that one is moved to: no more than there are elements.  0 without memory. */
static int longest_orbit(const ThDfa *d, ThError *err)
{
    bool *seen TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *seen, err);
    int *orbit TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *orbit, err);
    int longest = 0;
    for (int q = 0; seen && orbit && q < d->n_states; q++) {
        int n = 0;
        if (!seen[q])
            orbit[n++] = q;
        seen[q] = true;
        for (int i = 0; i < n; i++)
            for (int a = 0; a < d->n_symbols; a++) {
                int to = d->next[(size_t)orbit[i] * (size_t)d->n_symbols + (size_t)a];
                if (!seen[to])
                    orbit[n++] = to;
                seen[to] = true;
            }
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* Are its elements, each of which says where all points go, too many to be kept? */
static bool fits(const ThDfa *d, const char *name, ThError *err)
{
    const double MOST = 1u << 29;
    int elements = longest_orbit(d, err);
    if ((double)elements * d->n_states <= MOST)
        return elements > 0;
    return th_fail(err, TH_ELIMIT,
                   "%s has at least %d elements, each of which moves %d points: more than can be "
                   "kept",
                   name, elements, d->n_states);
}

ThAutomaton *th_automaton_group(const char *name, char *const *alphabet, int n, size_t max_states,
                                ThStop *stop, ThError *err)
{
    enum { MOST_GENERATORS = 20 };
    ThGroupGenerators all = {0};
    char own[MOST_GENERATORS][2], *letter[MOST_GENERATORS];
    if (!th_group_generators(name, &all, err)) {
        free(all.generator);
        return NULL;
    }
    bool ok = all.n <= MOST_GENERATORS && (n == 0 || n == all.n);
    if (!ok)
        th_fail(err, TH_EVALUE, "%s has %d generators", name, all.n);
    for (int i = 0; ok && i < all.n; i++) {
        own[i][0] = (char)('a' + i + (i >= 4)); /* e is the identity */
        own[i][1] = '\0';
        letter[i] = n ? alphabet[i] : own[i];
    }
    ThDfa *points TH_OWNED(th_dfa_free) = ok ? th_dfa_new(all.degree, all.n, 1, err) : NULL;
    for (int i = 0; points && i < all.degree * all.n; i++)
        points->next[i] = all.generator[i % all.n * all.degree + i / all.n];
    ThMonoid *m TH_OWNED(th_monoid_free) =
        points && fits(points, name, err) ? th_monoid_new(points, max_states, stop, err) : NULL;
    free(all.generator);
    if (!m)
        return NULL;
    return right_graph(m, letter, all.n, err);
}

/* ---- word problems --------------------------------------------------------------------------- */

ThAutomaton *th_automaton_cayley(const ThAutomaton *a, bool generators, ThAutomatonWork w,
                                 ThError *err)
{
    enum { MOST = 2048 };
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_dfa(a, w.max_states, w.stop, err);
    ThMonoid *m TH_OWNED(th_monoid_free) =
        d ? th_monoid_new(d, generators ? w.max_states : MOST, w.stop, err) : NULL;
    if (!m)
        return NULL;
    if (generators)
        return right_graph(m, a->symbol, a->n_symbols, err);
    ThAutomatonBuild b = {0};
    build_states(&b, m, a->symbol, are_single(a->symbol, a->n_symbols));
    for (int x = 0; x < m->size; x++)
        th_automaton_build_symbol(&b, th_intern_at(&b.state, (size_t)x, NULL));
    for (int s = 0; s < m->size; s++)
        for (int x = 0; x < m->size; x++)
            th_automaton_build_arc(
                &b, (ThAutomatonArc){s, x, th_monoid_product(m, s, x), TH_AUTOMATON_NO_OUTPUT});
    return th_automaton_build_finish(&b, err);
}
