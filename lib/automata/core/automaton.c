#include "automata/core/automaton.h"

#include <stdio.h>

#include "automata/core/build.h"

ThAutomaton *th_automaton_alloc(const ThAutomaton *sizes, size_t name_bytes, ThError *err)
{
    ThAutomaton *a = th_alloc(1, sizeof *a, err);
    if (!a)
        return NULL;
    size_t n = (size_t)sizes->n_states;
    a->n_symbols = sizes->n_symbols;
    a->n_outputs = sizes->n_outputs;
    a->n_states = sizes->n_states;
    a->n_arcs = sizes->n_arcs;
    a->names = th_alloc(name_bytes, 1, err);
    a->symbol = th_alloc((size_t)a->n_symbols, sizeof *a->symbol, err);
    a->output = th_alloc((size_t)a->n_outputs, sizeof *a->output, err);
    a->state = th_alloc(n, sizeof *a->state, err);
    a->start = th_alloc(n, sizeof *a->start, err);
    a->accept = th_alloc(n, sizeof *a->accept, err);
    a->moore = th_alloc(n, sizeof *a->moore, err);
    a->arc = th_alloc(a->n_arcs, sizeof *a->arc, err);
    a->first = th_alloc(n + 1, sizeof *a->first, err);
    return TH_KEEP_IF(a->names && a->symbol && a->output && a->state && a->start && a->accept &&
                          a->moore && a->arc && a->first,
                      a, th_automaton_free);
}

static size_t bytes_of(char *const *name, int n)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += strlen(name[i]) + 1;
    return bytes;
}

static char *copy_names(char **to, char *const *from, int n, char *at)
{
    for (int i = 0; i < n; i++) {
        to[i] = at;
        at = stpcpy(at, from[i]) + 1;
    }
    return at;
}

void th_automaton_number_states(ThAutomaton *a, char *at)
{
    for (int q = 0; q < a->n_states; q++) {
        a->state[q] = at;
        at += sprintf(at, "q%d", q) + 1;
    }
}

ThAutomaton *th_automaton_named(const ThAutomaton *sizes, char *const *symbol, char *const *output,
                                ThError *err)
{
    enum { STATE_NAME = 12 };
    size_t bytes = bytes_of(symbol, sizes->n_symbols) + bytes_of(output, sizes->n_outputs);
    ThAutomaton *a = th_automaton_alloc(sizes, bytes + STATE_NAME * (size_t)sizes->n_states, err);
    if (!a)
        return NULL;
    char *at = copy_names(a->symbol, symbol, a->n_symbols, a->names);
    th_automaton_number_states(a, copy_names(a->output, output, a->n_outputs, at));
    for (int q = 0; q < a->n_states; q++)
        a->moore[q] = TH_AUTOMATON_NO_OUTPUT;
    return a;
}

void th_automaton_free(ThAutomaton *a)
{
    if (!a)
        return;
    TH_FREE(a->names, a->symbol, a->output, a->state, a->start, a->accept, a->moore, a->arc,
            a->first, a);
}

/* Makes the pointers of `to` point into its own names as those of `from` do. */
static void move_names(char **to, char *names, char *const *from, const char *old, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = names + (from[i] - old);
}

/* Bytes of the block of names: up to the end of the last one. */
static size_t name_bytes(const ThAutomaton *a)
{
    char *const *const list[] = {a->symbol, a->output, a->state};
    const int n[] = {a->n_symbols, a->n_outputs, a->n_states};
    size_t bytes = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < n[i]; j++) {
            size_t end = (size_t)(list[i][j] - a->names) + strlen(list[i][j]) + 1;
            bytes = end > bytes ? end : bytes;
        }
    }
    return bytes;
}

ThAutomaton *th_automaton_copy(const ThAutomaton *a, ThError *err)
{
    size_t n = (size_t)a->n_states, bytes = name_bytes(a);
    ThAutomaton *c = th_automaton_alloc(a, bytes, err);
    if (!c)
        return NULL;
    memcpy(c->names, a->names, bytes);
    move_names(c->symbol, c->names, a->symbol, a->names, a->n_symbols);
    move_names(c->output, c->names, a->output, a->names, a->n_outputs);
    move_names(c->state, c->names, a->state, a->names, a->n_states);
    memcpy(c->start, a->start, n * sizeof *c->start);
    memcpy(c->accept, a->accept, n * sizeof *c->accept);
    memcpy(c->moore, a->moore, n * sizeof *c->moore);
    memcpy(c->arc, a->arc, a->n_arcs * sizeof *c->arc);
    memcpy(c->first, a->first, (n + 1) * sizeof *c->first);
    return c;
}

static int compare_arcs(const ThAutomatonArc *x, const ThAutomatonArc *y)
{
    int xs[] = {x->from, x->symbol, x->to, x->output},
        ys[] = {y->from, y->symbol, y->to, y->output};
    for (int i = 0; i < 4; i++)
        if (xs[i] != ys[i])
            return xs[i] < ys[i] ? -1 : 1;
    return 0;
}

typedef enum { BY_OUTPUT, BY_TO, BY_SYMBOL, BY_FROM } SortKey;

/* A key of an arc as a number from 0. */
static size_t key_of(const ThAutomatonArc *arc, SortKey key)
{
    switch (key) {
    case BY_OUTPUT:
        return (size_t)(arc->output - TH_AUTOMATON_NO_OUTPUT);
    case BY_TO:
        return (size_t)arc->to;
    case BY_SYMBOL:
        return (size_t)(arc->symbol - TH_AUTOMATON_EPSILON);
    default:
        return (size_t)arc->from;
    }
}

/* One stable counting sort; count has room for range + 1. */
static void sort_by(SortKey key, size_t range, ThAutomatonArc *to, const ThAutomatonArc *from,
                    size_t n, size_t *count)
{
    memset(count, 0, (range + 1) * sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[key_of(&from[i], key) + 1]++;
    for (size_t i = 1; i <= range; i++)
        count[i] += count[i - 1];
    for (size_t i = 0; i < n; i++)
        to[count[key_of(&from[i], key)]++] = from[i];
}

static bool sort_arcs(ThAutomaton *a, ThError *err)
{
    size_t n = (size_t)a->n_states, most = n;
    size_t range[] = {(size_t)a->n_outputs + 1, n, (size_t)a->n_symbols + 1, n};
    for (int i = 0; i < 4; i++)
        most = range[i] > most ? range[i] : most;
    ThAutomatonArc *other TH_OWNED(free) = th_alloc(a->n_arcs, sizeof *other, err);
    size_t *count TH_OWNED(free) = th_alloc(most + 1, sizeof *count, err);
    if (!other || !count)
        return false;
    for (int key = BY_OUTPUT; key <= BY_FROM; key++) {
        sort_by(key, range[key], other, a->arc, a->n_arcs, count);
        ThAutomatonArc *swap = a->arc;
        a->arc = other;
        other = swap;
    }
    return true;
}

bool th_automaton_sort(ThAutomaton *a, ThError *err)
{
    size_t i = 1;
    while (i < a->n_arcs && compare_arcs(&a->arc[i - 1], &a->arc[i]) <= 0)
        i++;
    if (i < a->n_arcs && !sort_arcs(a, err))
        return false;
    size_t kept = 0;
    for (i = 0; i < a->n_arcs; i++)
        if (kept == 0 || compare_arcs(&a->arc[kept - 1], &a->arc[i]) != 0)
            a->arc[kept++] = a->arc[i];
    a->n_arcs = kept;
    memset(a->first, 0, ((size_t)a->n_states + 1) * sizeof *a->first);
    for (i = 0; i < kept; i++)
        a->first[a->arc[i].from + 1]++;
    for (int q = 0; q < a->n_states; q++)
        a->first[q + 1] += a->first[q];
    return true;
}

bool th_automaton_deterministic(const ThAutomaton *a)
{
    int starts = 0;
    for (int q = 0; q < a->n_states; q++)
        starts += a->start[q];
    if (starts > 1)
        return false;
    for (size_t i = 0; i < a->n_arcs; i++) {
        if (a->arc[i].symbol == TH_AUTOMATON_EPSILON)
            return false;
        if (i && a->arc[i].from == a->arc[i - 1].from && a->arc[i].symbol == a->arc[i - 1].symbol)
            return false;
    }
    return true;
}

bool th_automaton_moore(const ThAutomaton *a)
{
    for (int q = 0; q < a->n_states; q++)
        if (a->moore[q] != TH_AUTOMATON_NO_OUTPUT)
            return true;
    return false;
}

bool th_automaton_mealy(const ThAutomaton *a)
{
    for (size_t i = 0; i < a->n_arcs; i++)
        if (a->arc[i].output != TH_AUTOMATON_NO_OUTPUT)
            return true;
    return false;
}

bool th_automaton_transducer(const ThAutomaton *a)
{
    return th_automaton_moore(a) || th_automaton_mealy(a);
}
