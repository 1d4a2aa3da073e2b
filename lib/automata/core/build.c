#include "automata/core/build.h"

static int intern_name(ThAutomatonBuild *b, ThIntern *t, const char *name)
{
    size_t index = 0;
    if (b->failed || !th_intern(t, name, strlen(name) + 1, &index, NULL))
        b->failed = true;
    return (int)index;
}

int th_automaton_build_symbol(ThAutomatonBuild *b, const char *name)
{
    return intern_name(b, &b->symbol, name);
}

int th_automaton_build_output(ThAutomatonBuild *b, const char *name)
{
    return intern_name(b, &b->output, name);
}

int th_automaton_build_state(ThAutomatonBuild *b, const char *name)
{
    size_t before = b->state.n;
    int q = intern_name(b, &b->state, name);
    if (b->state.n > before) {
        if (!th_grow(&b->info, &b->info_cap, b->state.n, sizeof *b->info, NULL))
            b->failed = true;
        else
            b->info[q] = (ThAutomatonBuildState){.moore = TH_AUTOMATON_NO_OUTPUT};
    }
    return q;
}

void th_automaton_build_start(ThAutomatonBuild *b, int q)
{
    if (!b->failed)
        b->info[q].start = true;
}

void th_automaton_build_accept(ThAutomatonBuild *b, int q)
{
    if (!b->failed)
        b->info[q].accept = true;
}

void th_automaton_build_moore(ThAutomatonBuild *b, int q, int output)
{
    if (!b->failed)
        b->info[q].moore = output;
}

void th_automaton_build_arc(ThAutomatonBuild *b, ThAutomatonArc arc)
{
    if (b->failed || !th_grow(&b->arc, &b->arc_cap, b->n_arcs + 1, sizeof *b->arc, NULL))
        b->failed = true;
    else
        b->arc[b->n_arcs++] = arc;
}

/* Copies the names of one table to *at, sets the pointers to them, and moves *at behind. */
static void place_names(char **name, const ThIntern *t, char **at)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t size;
        const void *from = th_intern_at(t, i, &size);
        memcpy(*at, from, size);
        name[i] = *at;
        *at += size;
    }
}

static ThAutomaton *assemble(const ThAutomatonBuild *b, ThError *err)
{
    ThAutomaton sizes = {.n_symbols = (int)b->symbol.n,
                         .n_outputs = (int)b->output.n,
                         .n_states = (int)b->state.n,
                         .n_arcs = b->n_arcs};
    ThAutomaton *a =
        th_automaton_alloc(&sizes, b->symbol.size + b->output.size + b->state.size, err);
    if (!a)
        return NULL;
    char *at = a->names;
    place_names(a->symbol, &b->symbol, &at);
    place_names(a->output, &b->output, &at);
    place_names(a->state, &b->state, &at);
    for (int q = 0; q < a->n_states; q++) {
        a->start[q] = b->info[q].start;
        a->accept[q] = b->info[q].accept;
        a->moore[q] = b->info[q].moore;
    }
    if (b->n_arcs)
        memcpy(a->arc, b->arc, b->n_arcs * sizeof *a->arc);
    return TH_KEEP_IF(th_automaton_sort(a, err), a, th_automaton_free);
}

ThAutomaton *th_automaton_build_finish(ThAutomatonBuild *b, ThError *err)
{
    ThAutomaton *a = NULL;
    if (b->failed)
        th_fail(err, TH_ENOMEM, "out of memory for an automaton");
    else
        a = assemble(b, err);
    th_automaton_build_free(b);
    return a;
}

void th_automaton_build_free(ThAutomatonBuild *b)
{
    th_intern_free(&b->symbol);
    th_intern_free(&b->output);
    th_intern_free(&b->state);
    TH_FREE(b->info, b->arc);
    *b = (ThAutomatonBuild){0};
}
