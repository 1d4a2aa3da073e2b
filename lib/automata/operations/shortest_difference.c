/* Comparing automata: alphabets and outputs get common numbers, then machines are compared. */
#include "automata/operations/shortest_difference.h"

#include "automata/core/alphabets.h"
#include "automata/core/state_classes.h"
#include "base/symbols.h"

/* The class of acceptance together with a last output, 0 being neither. */
static int class_of(bool accept, int output, const int *number)
{
    return accept + 2 * (output == TH_AUTOMATON_NO_OUTPUT ? 0 : number[output] + 1);
}

/* The machine of a Mealy automaton: a state is a state with the last output, or the sink. */
static ThDfa *mealy_machine(const ThAutomaton *a, const int *number, int n_classes, ThError *err)
{
    size_t outs = (size_t)a->n_outputs + 1, n = (size_t)a->n_states * outs;
    size_t k = (size_t)a->n_symbols;
    if (!th_automaton_deterministic(a))
        return th_null(
            th_fail(err, TH_EVALUE, "an automaton with outputs has to be deterministic for this"));
    if (n >= INT32_MAX)
        return th_null(th_fail(err, TH_ELIMIT, "too many states and outputs to compare"));
    ThDfa *d = th_dfa_new((int)n + 1, a->n_symbols, n_classes, err);
    if (!d)
        return NULL;
    d->start = (int)n;
    for (size_t i = 0; i < (n + 1) * k; i++)
        d->next[i] = (int)n;
    for (size_t i = 0; i < n; i++) {
        size_t q = i / outs;
        if (a->start[q] && i % outs == 0)
            d->start = (int)i;
        d->label[i] = class_of(a->accept[q], (int)(i % outs) - 1, number);
        for (size_t j = a->first[q]; j < a->first[q + 1]; j++) {
            const ThAutomatonArc *arc = &a->arc[j];
            d->next[i * k + (size_t)arc->symbol] = arc->to * (int)outs + arc->output + 1;
        }
    }
    return d;
}

static ThDfa *moore_machine(const ThAutomaton *a, const int *number, int n_classes, ThError *err)
{
    int *label TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *label, err);
    if (!label)
        return NULL;
    for (int q = 0; q < a->n_states; q++)
        label[q] = class_of(a->accept[q], a->moore[q], number);
    return th_automaton_classes_dfa(a, label, n_classes, err);
}

/* The machine that shows the last outputs.  States that cannot reach acceptance have none. */
static ThDfa *output_machine(const ThAutomaton *a, const int *number, int n_classes, ThError *err)
{
    ThAutomaton *t TH_OWNED(th_automaton_free) = th_automaton_trim(a, err);
    ThDfa *d = NULL;
    if (t)
        d = (th_automaton_mealy(t) ? mealy_machine : moore_machine)(t, number, n_classes, err);
    return d;
}

static bool describe(ThAutomatonDifference *d, const ThAutomatonAlphabets *symbols,
                     const ThAutomatonAlphabets *outputs, ThDfa *const machine[2], const int *word,
                     int length, ThError *err)
{
    d->word = th_symbols_text(symbols->name, symbols->n, word, length, err);
    for (int side = 0; side < 2; side++) {
        int label = th_dfa_class(machine[side], word, (size_t)length);
        d->accepted[side] = label % 2;
        d->out[side] = label > 1 ? outputs->name[label / 2 - 1] : NULL;
    }
    return d->word != NULL;
}

bool th_automaton_compare(const ThAutomaton *a, const ThAutomaton *b, size_t max_states,
                          ThStop *stop, ThAutomatonDifference *d, ThError *err)
{
    const ThAutomaton *side[] = {a, b};
    ThAutomatonAlphabets symbols TH_OWNED(th_automaton_alphabets_free) = {0},
                                 outputs TH_OWNED(th_automaton_alphabets_free) = {0};
    ThDfa *first TH_OWNED(th_dfa_free) = NULL, *second TH_OWNED(th_dfa_free) = NULL;
    ThDfa **const machine[] = {&first, &second};
    int length = 0;
    *d = (ThAutomatonDifference){.by_output =
                                     th_automaton_transducer(a) && th_automaton_transducer(b)};
    if (!th_automaton_alphabets(&symbols, a->symbol, a->n_symbols, b->symbol, b->n_symbols, err) ||
        !th_automaton_alphabets(&outputs, a->output, a->n_outputs, b->output, b->n_outputs, err))
        return false;
    for (int i = 0; i < 2; i++) {
        ThDfa *m = d->by_output ? output_machine(side[i], outputs.of[i], 2 * (outputs.n + 1), err)
                                : th_automaton_acceptor(side[i], max_states, stop, err);
        *machine[i] = th_automaton_widen_take(&symbols, i, m, err);
        if (!*machine[i])
            return false;
    }
    int *word TH_OWNED(free) = th_dfa_distinguish(first, second, &length, stop, err);
    d->equivalent = !word && length < 0;
    return word ? describe(d, &symbols, &outputs, (ThDfa *[]){first, second}, word, length, err)
                : d->equivalent;
}
