/* functional.c - the command about transducers as functions of words. */
#include "commands/modelling.h"

static ThAutomatonWork work(ShSession *s)
{
    return (ThAutomatonWork){(size_t)sh_setting_int(s, "limit-states"), sh_stop(s)};
}

/* Says a word for which two are written. */
static void say_twofold(ShSession *s, const ThAutomaton *a, const ThAutomatonTwofold *two)
{
    ThText word TH_OWNED(th_text_free) = {0}, out[2] = {{0}, {0}};
    th_symbols_write(&word, a->symbol, a->n_symbols, two->word, two->n);
    for (int i = 0; i < 2; i++)
        th_symbols_write(&out[i], a->output, a->n_outputs, two->out[i], two->n_out[i]);
    sh_results(s, "word:s first:s second:s", two->n ? word.data : "",
               two->n_out[0] ? out[0].data : "", two->n_out[1] ? out[1].data : "");
    sh_say(s, "%s is written as %s and as %s\n", two->n ? word.data : "the empty word",
           two->n_out[0] ? out[0].data : "nothing", two->n_out[1] ? out[1].data : "nothing");
    th_text_free(&out[0]);
    th_text_free(&out[1]);
}

static bool say_function(ShSession *s, const ThAutomaton *t, ThError *err)
{
    ThAutomatonTwofold two TH_OWNED(th_automaton_twofold_free) = {0};
    ThError own = {0};
    if (!th_automaton_twofold(t, NULL, work(s), &two, err))
        return false;
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        two.found ? NULL : th_automaton_sequential(t, work(s), &own);
    if (!two.found && !a && own.code != TH_EVALUE)
        return th_fail(err, own.code, "%s", own.msg);
    sh_results(s, "functional:b sequential:b states:i", !two.found, a != NULL,
               a ? (long long)a->n_states : 0LL);
    if (two.found) {
        sh_say(s, "no function: ");
        say_twofold(s, t, &two);
    } else if (a)
        sh_say(s, "a function, and sequential: %d state%s, see sequential(T)\n", a->n_states,
               sh_plural(a->n_states));
    else
        sh_say(s, "a function, %s\n", own.msg);
    return true;
}

/* Whether outputs have the same numbers in both, and symbols. */
static bool same_names(const ThAutomaton *t, const ThAutomaton *u)
{
    return th_symbols_same(t->symbol, t->n_symbols, u->symbol, u->n_symbols) &&
           th_symbols_same(t->output, t->n_outputs, u->output, u->n_outputs);
}

static bool say_equal(ShSession *s, const ShCall *call, ThError *err)
{
    const ThAutomaton *t = call->operand[0].object->as.automaton,
                      *u = call->operand[1].object->as.automaton;
    ThAutomatonTwofold two TH_OWNED(th_automaton_twofold_free) = {0};
    size_t most = work(s).max_states;
    if (!same_names(t, u))
        return sh_fail_operand(err, &call->operand[1], TH_EVALUE,
                               "the two have other symbols or outputs, or in another order") ||
               th_hint(err, "alphabet and outputs at the beginning of a block fix the order");
    for (int i = 0; i < 2; i++) {
        const ThAutomaton *of = i ? u : t;
        if (!th_automaton_twofold(of, NULL, work(s), &two, err))
            return sh_error_inside(err, &call->operand[i]);
        if (two.found)
            return sh_fail_operand(err, &call->operand[i], TH_EVALUE, "%s is no function",
                                   call->operand[i].text);
    }
    ThAutomaton *a TH_OWNED(th_automaton_free) = th_automaton_project(t, false, work(s), err);
    ThAutomaton *b TH_OWNED(th_automaton_free) =
        a ? th_automaton_project(u, false, work(s), err) : NULL;
    ThAutomatonDifference x = {0};
    if (!b || !th_automaton_compare(a, b, most, sh_stop(s), &x, err) ||
        !th_automaton_twofold(t, u, work(s), &two, err))
        return false;
    char *word TH_OWNED(free) = x.word;
    sh_results(s, "equal:b", x.equivalent && !two.found);
    if (two.found)
        say_twofold(s, t, &two);
    else if (!x.equivalent) {
        sh_result_text(s, "word", word ? word : "");
        sh_say(s, "only one of them reads %s\n", word && *word ? word : "the empty word");
    } else
        sh_say(s, "the same function\n");
    return true;
}

SH_COMMAND(
    functional, .group = "automata",
    .summary = "tell whether a transducer writes one word for a word, or two the same",
    .detail =
        "Of a transducer, nondeterministic or with empty moves, it is told whether it writes one "
        "word at most for every word that it reads (Béal, Carton, Prieur and Sakarovitch 2003), "
        "else a word with two; and whether what it writes can be written while reading, by a "
        "machine with one way for every word (sequential, Choffrut; Mohri 1997), else a word, or "
        "two words, after one of which ever more would have to be remembered.  sequential(T) is "
        "that machine.\n\n"
        "Of two functions it is told whether they are the same: of the same words, with the "
        "same written for them.",
    .example = "automaton t { start s; accept f; s a -> s / x; s a -> p; p b -> f / y }\n"
               "functional t\n"
               "#> a function, and sequential: 3 states, see sequential(T)\n"
               "automaton u = sequential(t)\n"
               "functional t u\n"
               "#> the same function",
    .results = "functional sequential states equal word first second",
    .args = {{A_AUTOMATON, "T", 0}}, .args2 = {{A_AUTOMATON, "T", 0}, {A_AUTOMATON, "U", 0}})
{
    if (call->form == 2)
        return say_equal(s, call, err);
    return say_function(s, call->operand[0].object->as.automaton, err) ||
           sh_error_inside(err, &call->operand[0]);
}
