#include "automata/core/random_automaton.h"

#include <math.h>
#include <stdio.h>

#include "automata/core/build.h"
#include "base/rng.h"

/* A transition has a place: state × symbols + symbol, and in a nondeterministic automaton that
 * times the states, plus the target. */
typedef struct {
    const ThAutomatonDraw *d;
    int n_symbols;
    size_t places, wanted;
    int *target; /* (places): of the transition at a place; -1: there is none */
    ThRng rng;
} Draw;

static int draw_below(Draw *w, size_t n)
{
    return (int)th_rng_below(&w->rng, n);
}

static void put(Draw *w, size_t from_symbol, int to)
{
    w->target[w->d->deterministic ? from_symbol : from_symbol * (size_t)w->d->states + (size_t)to] =
        to;
}

/* Hangs every state on one before it; a deterministic state can bear as many as there are symbols,
 * so that what is drawn from are the free pairs of state and symbol. */
static bool draw_tree(Draw *w, ThError *err)
{
    size_t k = (size_t)w->n_symbols, n_free = 0;
    size_t *free_pair TH_OWNED(free) = th_alloc((size_t)w->d->states * k, sizeof *free_pair, err);
    if (!free_pair)
        return false;
    for (int q = 0; q < w->d->states; q++) {
        if (q > 0) {
            size_t i = (size_t)draw_below(w, n_free);
            put(w, free_pair[i], q);
            if (w->d->deterministic)
                free_pair[i] = free_pair[--n_free];
        }
        for (size_t a = 0; a < k; a++)
            free_pair[n_free++] = (size_t)q * k + a;
    }
    return true;
}

/* As many places as are wanted, by selection sampling (Knuth, The Art of Computer Programming 2,
 * section 3.4.2, algorithm S), which passes each place once. */
static void draw_others(Draw *w)
{
    size_t n = (size_t)w->d->states, missing = w->wanted - (n - 1), left = w->places - (n - 1);
    for (size_t i = 0; i < w->places && missing > 0; i++) {
        if (w->target[i] >= 0)
            continue;
        if (th_rng_below(&w->rng, left--) < missing) {
            w->target[i] = w->d->deterministic ? draw_below(w, n) : (int)(i % n);
            missing--;
        }
    }
}

static void add_states(Draw *w, ThAutomatonBuild *b)
{
    size_t n = (size_t)w->d->states, accepting = (size_t)lround(w->d->accepting * (double)n);
    for (size_t q = 0; q < n; q++) {
        char name[32];
        snprintf(name, sizeof name, "q%zu", q);
        int state = th_automaton_build_state(b, name);
        if (state < 0)
            return;
        if (q == 0)
            th_automaton_build_start(b, state);
        if (th_rng_below(&w->rng, n - q) < accepting) {
            th_automaton_build_accept(b, state);
            accepting--;
        }
    }
}

static ThAutomaton *build(Draw *w, char *const *symbol, ThError *err)
{
    ThAutomatonBuild b = {0};
    size_t targets = w->d->deterministic ? 1 : (size_t)w->d->states;
    for (int a = 0; a < w->n_symbols; a++) {
        int number = th_automaton_build_symbol(&b, symbol[a]);
        if (number >= 0 && number < a) {
            th_automaton_build_free(&b);
            return th_null(th_fail(err, TH_EVALUE, "the symbol '%s' is there twice", symbol[a]));
        }
    }
    add_states(w, &b);
    for (size_t i = 0; i < w->places && !b.failed; i++) {
        int pair = (int)(i / targets);
        if (w->target[i] >= 0)
            th_automaton_build_arc(&b, (ThAutomatonArc){pair / w->n_symbols, pair % w->n_symbols,
                                                        w->target[i], TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, err);
}

/* Counts the places and the transitions wanted. */
static bool measure(Draw *w, ThError *err)
{
    if (w->n_symbols < 1)
        return th_fail(err, TH_EVALUE, "an automaton needs a symbol");
    double n = w->d->states, pairs = n * w->n_symbols;
    double places = w->d->deterministic ? pairs : pairs * n, wanted = round(w->d->arcs * pairs);
    if (places > TH_AUTOMATON_MOST_DRAWN)
        return th_fail(err, TH_ELIMIT, "%d states over %d symbols have room for %.0f transitions",
                       w->d->states, w->n_symbols, places);
    if (wanted > places)
        return th_fail(err, TH_EVALUE,
                       "%d states over %d symbols have at most %.0f transitions, not %.0f",
                       w->d->states, w->n_symbols, places, wanted) ||
               th_hint(err, "at most %g a state and symbol", places / pairs);
    if (wanted < n - 1)
        return th_fail(err, TH_EVALUE, "%.0f transition%s cannot reach all of %d states", wanted,
                       wanted == 1 ? "" : "s", w->d->states) ||
               th_hint(err, "from %.4g a state and symbol on they can", ceil(n - 1) / pairs);
    w->places = (size_t)places;
    w->wanted = (size_t)wanted;
    return true;
}

ThAutomaton *th_automaton_random(const ThAutomatonDraw *d, char *const *symbol, int n_symbols,
                                 ThError *err)
{
    Draw w = {.d = d, .n_symbols = n_symbols, .rng = th_rng(d->seed, "automaton.random", 0)};
    ThAutomaton *result = NULL;
    if (measure(&w, err) && (w.target = th_alloc(w.places, sizeof *w.target, err))) {
        for (size_t i = 0; i < w.places; i++)
            w.target[i] = -1;
        if (draw_tree(&w, err)) {
            draw_others(&w);
            result = build(&w, symbol, err);
        }
    }
    free(w.target);
    return result;
}
