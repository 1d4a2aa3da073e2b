/* run_automaton.c - how an automaton is run on words, and traced. */

#include "commands/automata/runs.h"
#include "object_kinds.h"

static const char *symbol_name(const ThAutomaton *a, int symbol)
{
    return symbol == TH_AUTOMATON_EPSILON ? "eps" : a->symbol[symbol];
}

void sh_write_states(ThText *t, const ThAutomaton *a, const ThAutomatonRun *r, int i)
{
    bool set = r->layer[i + 1] - r->layer[i] != 1;
    th_text_add(t, set ? "{" : "");
    for (size_t j = r->layer[i]; j < r->layer[i + 1]; j++) {
        th_text_add(t, j > r->layer[i] ? ", " : "");
        th_text_add(t, a->state[r->node[j].state]);
    }
    th_text_add(t, set ? "}" : "");
}

/* Appends the outputs along a path: of its states (Moore) or of its transitions (Mealy). */
static void write_outputs(ThText *t, const ThAutomaton *a, const ThAutomatonRun *r,
                          const size_t *path, size_t n)
{
    bool moore = th_automaton_moore(a), single = th_symbols_single(a->output, a->n_outputs);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const ThAutomatonRunNode *node = &r->node[path[i]];
        int output = moore ? a->moore[node->state] : node->output;
        if (output == TH_AUTOMATON_NO_OUTPUT)
            continue;
        th_text_add(t, any && !single ? " " : "");
        th_text_add(t, a->output[output]);
        any = true;
    }
}

/* Appends the path, its middle left out where it is long. */
static void write_path(ThText *t, const ThAutomaton *a, const ThAutomatonRun *r, const size_t *path,
                       size_t n)
{
    enum { FRONT = 60, BACK = 20 };
    for (size_t i = 0; i < n; i++) {
        const ThAutomatonRunNode *node = &r->node[path[i]];
        if (n > FRONT + BACK && i == FRONT) {
            i = n - BACK;
            th_text_printf(t, " ... (%zu more) ...", i - FRONT);
        }
        if (i)
            th_text_printf(t, " -%s-> ", symbol_name(a, node->symbol));
        th_text_add(t, a->state[node->state]);
    }
}

typedef struct {
    char *state, *output, *path;
} RunTexts;

static void texts_free(RunTexts *x)
{
    TH_FREE(x->state, x->output, x->path);
}

/* What is printed of a run: where it ends, what it puts out, how it gets there. */
static bool describe_run(RunTexts *x, const ThAutomaton *a, const ThAutomatonRun *r, ThError *err)
{
    ThText state = {0}, output = {0}, path = {0};
    size_t n = 0, *nodes TH_OWNED(free) = th_automaton_run_path(r, &n, err);
    if (!nodes)
        return false;
    bool whole = r->read == r->length;
    bool alone = whole && r->layer[r->read + 1] - r->layer[r->read] == 1;
    if (r->accepted)
        th_text_add(&state, a->state[r->node[r->last].state]);
    else if (whole)
        sh_write_states(&state, a, r, r->read);
    if (r->accepted || (alone && th_automaton_moore(a)))
        write_outputs(&output, a, r, nodes, n);
    write_path(&path, a, r, nodes, n);
    x->state = th_text_take(&state, err);
    x->output = th_text_take(&output, err);
    x->path = th_text_take(&path, err);
    return x->state && x->output && x->path;
}

static void set_run(ShSession *s, const ThAutomaton *a, const ThAutomatonRun *r, const RunTexts *x)
{
    sh_results(s, "accepted:b state:s", r->accepted, x->state);
    if (th_automaton_transducer(a))
        sh_result_text(s, "output", x->output);
}

/* One input in text format. */
static void say_run(ShSession *s, const ThAutomaton *a, const ThAutomatonRun *r, const RunTexts *x,
                    const int *word)
{
    sh_say(s, "%s\n", r->accepted ? "accept" : "reject");
    if (r->read < r->length)
        sh_say(s, "  %s, then nowhere by %s (symbol %d of %d)\n", x->path, a->symbol[word[r->read]],
               r->read + 1, r->length);
    else
        sh_say(s, "  %s\n", x->path);
    if (!r->accepted && r->read == r->length && *x->state == '{')
        sh_say(s, "  all ends: %s\n", x->state);
    if (th_automaton_transducer(a))
        sh_say(s, "  output: %s\n", *x->output ? x->output : "none");
}

/* The run on one input as *r and its texts as *x, which the caller frees in either case.  Returns
 * new: the word, *length symbols; NULL and an error. */
static int *run_word(ShSession *s, const ThAutomaton *a, const char *input, int *length,
                     ThAutomatonRun *r, RunTexts *x, ThError *err)
{
    int *word = th_symbols_read(a->symbol, a->n_symbols, input, length, err);
    if (word && th_automaton_run_word(r, a, word, *length, sh_stop(s), err) &&
        describe_run(x, a, r, err))
        return word;
    free(word);
    return NULL;
}

/* Runs on one input.  In text format says so, else adds a row to the table. */
static bool run_input(ShSession *s, const ThAutomaton *a, const ShOperand *input, bool several,
                      ThError *err)
{
    ThAutomatonRun r TH_OWNED(th_automaton_run_free) = {0};
    RunTexts x = {0};
    int length = 0, *word TH_OWNED(free) = run_word(s, a, input->text, &length, &r, &x, err);
    bool ok = word != NULL;
    if (ok) {
        set_run(s, a, &r, &x);
        if (sh_out(s)) {
            if (several)
                sh_say(s, "%s: ", *input->text ? input->text : "\"\"");
            say_run(s, a, &r, &x, word);
        } else {
            sh_row(s, input->text, (int)r.accepted, x.state, x.output, x.path);
        }
    }
    texts_free(&x);
    return ok || sh_error_inside(err, input);
}

bool sh_run_automaton(ShSession *s, const ShCall *call, ThError *err)
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    bool ok = true;
    sh_table(s, "runs", "input:s accepted:b state:s output:s path:s");
    for (int i = 1; ok && i < call->n; i++)
        ok = run_input(s, a, &call->operand[i], call->n > 2, err);
    sh_table_end(s);
    return ok;
}

/* ---- tracing --------------------------------------------------------------------------------- */

/* The output at prefix i where that is one only. */
static const char *layer_output(const ThAutomaton *a, const ThAutomatonRun *r, int i)
{
    const ThAutomatonRunNode *node = &r->node[r->layer[i]];
    int output = th_automaton_moore(a) ? a->moore[node->state] : node->output;
    return r->layer[i + 1] - r->layer[i] != 1 || output == TH_AUTOMATON_NO_OUTPUT
               ? ""
               : a->output[output];
}

static bool trace_row(ShSession *s, const ThAutomaton *a, const ThAutomatonRun *r, const int *word,
                      int i, ThError *err)
{
    ThText t = {0};
    if (i <= r->read)
        sh_write_states(&t, a, r, i);
    else
        th_text_add(&t, "nowhere");
    char *states TH_OWNED(free) = th_text_take(&t, err);
    const char *symbol = i ? a->symbol[word[i - 1]] : "";
    if (states && th_automaton_transducer(a))
        sh_row(s, (long long)i, symbol, states, i <= r->read ? layer_output(a, r, i) : "");
    else if (states)
        sh_row(s, (long long)i, symbol, states);
    return states != NULL;
}

bool sh_trace_automaton(ShSession *s, const ShCall *call, ThError *err)
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    const ShOperand *input = &call->operand[1];
    ThAutomatonRun r TH_OWNED(th_automaton_run_free) = {0};
    RunTexts x = {0};
    int length = 0, *word TH_OWNED(free) = run_word(s, a, input->text, &length, &r, &x, err);
    bool ok = word != NULL;
    if (ok) {
        bool output = th_automaton_transducer(a);
        set_run(s, a, &r, &x);
        sh_table(s, "trace",
                 output ? "step:i symbol:s states:s output:s" : "step:i symbol:s states:s");
        int steps = r.read < length ? r.read + 1 : length;
        for (int i = 0; ok && i <= steps; i++)
            ok = trace_row(s, a, &r, word, i, err);
        sh_table_end(s);
        sh_say(s, "%s\n", r.accepted ? "accept" : "reject");
    }
    texts_free(&x);
    return ok || sh_error_inside(err, input);
}
