#include "inspect/predict.h"

#include <stdlib.h>
#include <string.h>

#include "automata/expression/builtins.h"
#include "base/memory.h"
#include "base/owned.h"
#include "inspect/literature.h"

static bool holds(ThInspectPaperCondition c, const ThInspectLanguage *l)
{
    const ThVarieties *v = l->algebra;
    switch (c) {
    case TH_INSPECT_OF_PERIODIC:
        return !v->aperiodic;
    case TH_INSPECT_OF_GROUP:
        return v->group && !v->aperiodic;
    default:
        return true;
    }
}

/* The same words?  1, 0, or -1: an error. */
static int is_same(const ThDfa *a, const ThDfa *b, ThError *err)
{
    int length;
    if (a->n_symbols != b->n_symbols)
        return 0;
    int *word TH_OWNED(free) = th_dfa_distinguish(a, b, &length, NULL, err);
    return word ? 0 : length < 0 ? 1 : -1;
}

/* The same, or with two symbols in the other order. */
static int is_like(const ThDfa *a, const ThDfa *b, ThError *err)
{
    static const int swapped[] = {1, 0};
    int same = is_same(a, b, err);
    if (same != 0 || a->n_symbols != 2)
        return same;
    ThDfa *other TH_OWNED(th_dfa_free) = th_dfa_widen(a, 2, swapped, err);
    return other ? is_same(other, b, err) : -1;
}

/* The same words, or the same outputs, as a built-in automaton. */
static int is_builtin(const ThDfa *d, const ThAutomaton *a, ThError *err)
{
    int like = 0;
    for (int i = 0; like == 0 && i < 2; i++) {
        ThDfa *other TH_OWNED(th_dfa_free) =
            i == 0 ? th_automaton_acceptor(a, 0, NULL, err) : th_automaton_dfa(a, 0, NULL, err);
        like = other ? is_like(d, other, err) : -1;
    }
    return like;
}

bool th_inspect_language(ThInspectLanguage *l, const ThDfa *d, const ThVarieties *algebra, int size,
                         ThError *err)
{
    *l = (ThInspectLanguage){.states = d->n_states, .size = size, .algebra = algebra};
    for (const ThInspectPaperLanguage *named = th_inspect_paper_languages; named->name; named++) {
        const ThAutomatonBuiltin *b = th_automaton_builtin(named->name);
        ThAutomaton *a TH_OWNED(th_automaton_free) =
            th_automaton_builtin_build(b, named->argument, named->n, err);
        int like = a ? is_builtin(d, a, err) : -1;
        if (like < 0)
            return false;
        l->named |= like ? named->language : 0;
    }
    return true;
}

size_t th_inspect_predictions(void)
{
    size_t n = 0;
    while (th_inspect_paper_models[n].kind)
        n++;
    return n;
}

ThInspectPrediction th_inspect_predict(size_t i, const ThInspectLanguage *l)
{
    ThInspectPrediction p = {.kind = th_inspect_paper_models[i].kind,
                             .options = th_inspect_paper_models[i].options,
                             .learns = TH_INSPECT_UNKNOWN,
                             .extends = TH_INSPECT_UNKNOWN,
                             .why = "",
                             .source = ""};
    for (const ThInspectPaperRow *row = th_inspect_paper_rows; row->kind; row++) {
        bool meant = row->languages == 0 || (row->languages & l->named);
        if (strcmp(row->kind, p.kind) != 0 || !meant || !holds(row->of, l))
            continue;
        p.learns = row->learns;
        p.extends = row->extends;
        p.why = row->why;
        p.source = row->source;
        break;
    }
    return p;
}

ThInspectVerdict th_inspect_counting(const ThInspectLanguage *l)
{
    const ThVarieties *v = l->algebra;
    bool thresholds = v->commutative && v->aperiodic;
    return v->j_trivial || thresholds ? TH_INSPECT_YES : TH_INSPECT_UNKNOWN;
}
