#include "tasks/of_language.h"

static const ThOptionSpec options[] = {
    TH_TASK_LANGUAGE_OPTIONS,
    {"labels", TH_CHOICE, "every", 0, 0, "every|final",
     "an answer after every symbol, or one for the whole string"},
    {0}};

/* Makes class c+1 class c, and class 0, which has no output, the one behind all others. */
static void none_last(ThDfa *d)
{
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = (d->label[q] + d->n_classes - 1) % d->n_classes;
}

/* Returns new: the machine whose states are a state of a and the output of the transition that led
 * there, in the order of state and output; and a sink, where nothing is written. */
static ThDfa *written(const ThAutomaton *a, ThError *err)
{
    int outputs = a->n_outputs + 1, sink = a->n_states * outputs;
    ThDfa *d = th_dfa_new(sink + 1, a->n_symbols, outputs, err);
    if (!d)
        return NULL;
    d->start = sink;
    for (int q = 0; q <= sink; q++)
        d->label[q] = q % outputs;
    for (int i = 0; i < d->n_states * d->n_symbols; i++)
        d->next[i] = sink;
    for (int q = 0; q < a->n_states; q++)
        d->start = a->start[q] ? q * outputs : d->start;
    for (size_t i = 0; i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        int *next = d->next + arc->from * outputs * d->n_symbols + arc->symbol;
        for (int x = 0; x < outputs; x++)
            next[x * d->n_symbols] = arc->to * outputs + arc->output + 1;
    }
    d->label[sink] = 0;
    return d;
}

static ThDfa *machine_of(const ThAutomaton *a, ThError *err)
{
    enum { MOST = 1 << 16 };
    if (!th_automaton_mealy(a))
        return th_automaton_dfa(a, MOST, NULL, err);
    if (!th_automaton_deterministic(a))
        return th_null(th_fail(err, TH_EVALUE,
                               "a transducer with choices has no answer of its own to a string"));
    return written(a, err);
}

/* The answers of a language are whether it has the prefixes. */
static bool init_language(ThTask *t, const ThTaskSource *from, ThError *err)
{
    bool open = th_language_may_not_answer(from->language);
    t->signature.target = th_task_labels(t);
    return th_task_set_language(t, from->language, from->stop, err) &&
           th_task_names(&t->signature.label, &t->signature.n_classes,
                         (ThTaskNames){0, open ? "reject accept no_answer" : "reject accept"}, err);
}

static double chance(const ThTask *t, int length)
{
    return t->machine ? th_task_chance_uniform(t, length) : th_task_measured_chance(t, length);
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    if (from->language)
        return init_language(t, from, err);
    const ThAutomaton *a = from->automaton;
    ThSignature *s = &t->signature;
    bool transducer = th_automaton_transducer(a);
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of(a, err);
    t->machine = d ? th_dfa_minimize(d, NULL, err) : NULL;
    s->target = th_task_labels(t);
    if (!t->machine || !th_task_own_names(&s->symbol, &s->n_symbols, a->symbol, a->n_symbols, err))
        return false;
    if (!transducer)
        return th_task_names(&s->label, &s->n_classes, (ThTaskNames){0, "reject accept"}, err);
    none_last(t->machine);
    return th_task_own_names(&s->label, &s->n_classes, a->output, a->n_outputs, err);
}

const ThTaskKind th_task_kind_output = {
    .name = "output",
    .summary = "what an automaton says after every symbol",
    .source = "any regular language or sequential function",
    .detail = "task t = output A, where A is an automaton or an expression, or names a grammar or "
              "another language, which accepts or rejects every prefix.  Uniform strings.  The "
              "classes are the outputs: of the state (Moore) or of the transition (Mealy) that the "
              "last symbol leads to, nothing being asked where there is none; of an automaton "
              "without outputs they are reject and accept.",
    .takes_automaton = true,
    .takes_language = true,
    .options = options,
    .init = init,
    .draw = th_task_draw_uniform,
    .label = th_task_label_members,
    .chance = chance,
    .copy_data = th_task_copy_language,
    .free_data = th_task_free_language,
    .describe = th_task_describe_chance,
};
