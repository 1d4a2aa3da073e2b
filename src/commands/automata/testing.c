/* testing.c - commands about words that test: what brings all states together, what reaches and
 * tells them apart, and which words prove that something is a machine. */
#include "commands/modelling.h"

static const char *or_empty(const char *word)
{
    return *word ? word : "ε";
}

/* ---- synchronize ----------------------------------------------------------------------------- */

/* The machine of an automaton as it stands, state by state: it has to be deterministic, and every
 * state to have every symbol. */
static ThDfa *as_it_stands(const ThAutomaton *a, ThError *err)
{
    size_t cells = (size_t)a->n_states * (size_t)a->n_symbols;
    if (!th_automaton_deterministic(a) || a->n_arcs != cells)
        return th_null(
            th_fail(err, TH_EVALUE, "the automaton is not deterministic and complete") ||
            th_hint(err,
                    "determinize(A), complete(A): their states are those that the word resets"));
    ThDfa *d = th_dfa_new(a->n_states, a->n_symbols, 2, err);
    for (size_t i = 0; d && i < cells; i++)
        d->next[i] = a->arc[i].to;
    return d;
}

static bool say_reset(ShSession *s, const ThAutomaton *a, const ThDfaReset *r, ThError *err)
{
    if (!r->word) {
        sh_results(s, "reset:b length:i apart:s apart2:s", false, -1LL, a->state[r->apart[0]],
                   a->state[r->apart[1]]);
        sh_say(s, "no reset word: no word leads %s and %s to one state\n", a->state[r->apart[0]],
               a->state[r->apart[1]]);
        return true;
    }
    char *text TH_OWNED(free) = th_symbols_text(a->symbol, a->n_symbols, r->word, r->length, err);
    if (!text)
        return false;
    sh_results(s, "reset:b word:s length:i state:s shortest:b", true, text, (long long)r->length,
               a->state[r->state], r->shortest);
    sh_say(s, "%s, %d symbol%s, leads every state to %s; %s\n", or_empty(text), r->length,
           sh_plural(r->length), a->state[r->state],
           r->shortest
               ? "no shorter word does"
               : "a shorter word may do so, too: its sets of states are more than limit-states");
    return true;
}

SH_COMMAND(
    synchronize, .group = "automata",
    .summary = "find a reset word: it leads every state of an automaton to the same one",
    .detail = "The automaton is taken as it stands: deterministic, and every state with every "
              "symbol.  The word (a synchronizing word) is the shortest, first in order, found by "
              "searching the sets of states; beyond limit-states of them it is one that merges the "
              "nearest two states again and again (Eppstein 1990), which may be longer: $shortest "
              "says which.  Where there is none, two states are named that no word leads to one.",
    .example = "automaton c { start 1; accept 1; 1 a -> 2; 2 a -> 3; 3 a -> 4; 4 a -> 1; 4 b -> 1; "
               "1 b -> 1; 2 b -> 2; 3 b -> 3 }\n"
               "synchronize c\n"
               "#> baaabaaab, 9 symbols, leads every state to 1; no shorter word does",
    .results = "reset word length state shortest apart apart2", .args = {{A_AUTOMATON, "A", 0}})
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    ThDfa *d TH_OWNED(th_dfa_free) = as_it_stands(a, err);
    ThDfaReset r = {0};
    bool ok =
        d && th_dfa_reset_word(d, (size_t)sh_setting_int(s, "limit-states"), sh_stop(s), &r, err);
    ok = ok ? say_reset(s, a, &r, err) : sh_error_inside(err, &call->operand[0]);
    free(r.word);
    return ok;
}

/* ---- distinguish ----------------------------------------------------------------------------- */

/* Returns new: the minimal machine of an automaton's language, or of its states' outputs. */
static ThDfa *minimal_of(ShSession *s, const ThAutomaton *a, ThError *err)
{
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_dfa(a, limit, sh_stop(s), err);
    return d ? th_dfa_minimize(d, sh_stop(s), err) : NULL;
}

static bool state_row(ShSession *s, const ThAutomaton *a, const ThDfaTells *t, int q, ThError *err)
{
    char *access TH_OWNED(free) = th_symbols_text(a->symbol, a->n_symbols, t->access.word[q].symbol,
                                                  t->access.word[q].length, err);
    ThText of = {0};
    for (size_t i = 0; i < t->apart.n; i++) {
        if (!t->tells[(size_t)q * t->apart.n + i])
            continue;
        if (of.size)
            th_text_add(&of, ", ");
        if (t->apart.word[i].length == 0)
            th_text_add(&of, "ε");
        th_symbols_write(&of, a->symbol, a->n_symbols, t->apart.word[i].symbol,
                         t->apart.word[i].length);
    }
    char *words TH_OWNED(free) = th_text_take(&of, err);
    if (access && words)
        sh_row(s, (long long)q, or_empty(access), words);
    return access && words;
}

SH_COMMAND(distinguish, .group = "automata",
           .summary = "list words that reach the states of an automaton, and tell them apart",
           .detail = "Of the minimal automaton, whose states are numbered from 0: of each the "
                     "first of the shortest words that lead there (access word), and words after "
                     "which it differs, in acceptance or, where states have outputs, in output, "
                     "from every other state (separating words).",
           .example = "distinguish regex \"(ab)*\"\n"
                      "#> state  access  tells\n"
                      "#>     0  ε       ε\n"
                      "#>     1  a       b\n"
                      "#>     2  b       ε, b",
           .results = "states words", .args = {{A_AUTOMATON, "A", 0}}, .flags = C_PAGED)
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    ThDfa *d TH_OWNED(th_dfa_free) = minimal_of(s, a, err);
    ThDfaTells t TH_OWNED(th_dfa_tells_free) = {0};
    if (!d || !th_dfa_tells(d, sh_stop(s), &t, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_results(s, "states:i words:i", (long long)d->n_states, (long long)t.apart.n);
    sh_table(s, "states", "state:i access:s tells:s");
    bool ok = true;
    for (int q = 0; ok && q < d->n_states; q++)
        ok = state_row(s, a, &t, q, err);
    sh_table_end(s);
    return ok;
}

/* ---- conformance ----------------------------------------------------------------------------- */

static const ThOptionSpec conformance_options[] = {
    {"states", TH_INT, NULL, 1, 1e6, NULL,
     "states that what is tested has at most; those of the minimal automaton"},
    {"method", TH_CHOICE, "wp", 0, 0, "wp|w", "the partial W method, or the W method"},
    {"most", TH_INT, "1000000", 1, 1e9, NULL, "words of the test at most"},
    {"accept", TH_STRING, NULL, 0, 0, NULL,
     "the class of the model, or of sets the symbol or end, that an automaton accepts"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static bool test_words(ShSession *s, const ShCall *call, const ThDfa *d, ThDfaWords *words,
                       long long *states, ThError *err)
{
    const ThOptions *o = &call->options;
    *states = th_option_given(o, "states") ? th_option_int(o, "states") : d->n_states;
    ThDfaTest how = {.max_states = (int)*states,
                     .whole = strcmp(th_option_text(o, "method"), "w") == 0,
                     .most = (size_t)th_option_int(o, "most"),
                     .stop = sh_stop(s)};
    return th_dfa_test_words(d, &how, words, err);
}

/* What transitions write is no answer to a word here: words would prove nothing about it. */
static bool answers_words(const ShOperand *o, ThError *err)
{
    if (!th_automaton_mealy(o->object->as.automaton))
        return true;
    sh_fail_operand(err, o, TH_EVALUE, "what transitions write is not tested");
    return th_hint(err, "project(A, input) are the words that are accepted; outputs of states are "
                        "tested");
}

/* The words of a test, each with what is due. */
static bool list_test(ShSession *s, const ShCall *call, ThError *err)
{
    if (!answers_words(&call->operand[0], err))
        return false;
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    ThDfa *d TH_OWNED(th_dfa_free) = minimal_of(s, a, err);
    ThDfaWords words TH_OWNED(th_dfa_words_free) = {0};
    long long states = 0;
    bool moore = th_automaton_moore(a);
    if (!d || !test_words(s, call, d, &words, &states, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_results(s, "words:i states:i", (long long)words.n, states);
    sh_table(s, "words", "word:s due:s");
    for (size_t i = 0; i < words.n; i++) {
        char *text TH_OWNED(free) = th_symbols_text(a->symbol, a->n_symbols, words.word[i].symbol,
                                                    words.word[i].length, err);
        int due = th_dfa_class(d, words.word[i].symbol, (size_t)words.word[i].length);
        const char *name = moore && due > 0 ? a->output[due - 1] : "-";
        if (!text)
            return false;
        sh_row(s, or_empty(text), moore ? name : due ? "accept" : "reject");
    }
    sh_table_end(s);
    sh_say(s, "%zu word%s: what has at most %lld state%s and answers them so %s this automaton\n",
           words.n, sh_plural((long long)words.n), states, sh_plural(states),
           moore ? "has the outputs of" : "is");
    return true;
}

/* Returns new: the truth's machine with its answers as classes, minimal. */
static ThDfa *answers_machine(ShSession *s, const ThInspectTruth *t, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_copy(t->machine, err);
    ThIntern answers TH_OWNED(th_intern_free) = {0};
    size_t width = (size_t)t->width, index;
    for (int q = 0; d && q < d->n_states; q++) {
        const int *answer = t->answer + (size_t)q * width;
        if (!th_intern(&answers, answer, width * sizeof *answer, &index, err))
            return NULL;
        d->label[q] = (int)index;
        d->n_classes = (int)answers.n;
    }
    return d ? th_dfa_minimize(d, sh_stop(s), err) : NULL;
}

/* Every word but the empty one is asked about: what is not tells no states apart. */
static bool all_asked(const ThInspectTruth *t, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_copy(t->machine, err);
    for (int q = 0; d && q < d->n_states; q++)
        d->label[q] = t->answer[(size_t)q * (size_t)t->width] < 0;
    ThDfa *met TH_OWNED(th_dfa_free) = d ? th_dfa_reachable(d, err) : NULL;
    for (size_t i = 0; met && i < (size_t)met->n_states * (size_t)met->n_symbols; i++)
        if (met->label[met->next[i]])
            return th_fail(err, TH_EVALUE, "not every word is asked about, as a test needs it");
    return met != NULL;
}

/* Has the model read every word but the empty one; *wrong is the first that it answers otherwise,
 * or the number of words. */
static bool read_words(ShSession *s, const ThModel *m, const ThInspectTruth *t,
                       const ThDfaWords *words, size_t *wrong, ThError *err)
{
    int longest = words->word[words->n - 1].length; /* they are in order of lengths */
    size_t width = m->signature.target == TH_TARGET_BITS ? (size_t)m->signature.n_classes : 1;
    int *answer TH_OWNED(free) = th_alloc((size_t)longest * width + 1, sizeof *answer, err);
    int *said TH_OWNED(free) = th_alloc((size_t)t->width, sizeof *said, err);
    for (*wrong = 0; answer && said && *wrong < words->n; ++*wrong) {
        const ThDfaWord *w = &words->word[*wrong];
        const int *due;
        if (w->length == 0)
            continue;
        sh_progress(s, "%zu of %zu words", *wrong, words->n);
        if (th_stopped(sh_stop(s), err) || !th_lab_predict(m, w->symbol, w->length, answer, err))
            return false;
        if (th_inspect_truth_wrong(t, w->symbol, w->length, answer, &due, said, NULL, NULL) >= 0)
            break;
    }
    return answer && said;
}

static bool say_tested(ShSession *s, const ShCall *call, const ThDfaWords *words, size_t wrong,
                       long long states, ThError *err)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    bool agree = wrong == words->n;
    ThDfaWord word = {0};
    if (!agree)
        word = words->word[wrong];
    char *text TH_OWNED(free) =
        th_symbols_text(g->symbol, g->n_symbols, word.symbol, word.length, err);
    if (!text)
        return false;
    sh_results(s, "agree:b words:i states:i word:s", agree, (long long)words->n, states, text);
    if (!agree)
        sh_say(s, "%s is wrong on %s\n", call->operand[0].text, text);
    else
        sh_say(
            s,
            "right on all %zu words of the test: if %s answers as a machine of at most %lld states "
            "does,\nwhich says of the empty word what %s says, it is right on every word\n",
            words->n, call->operand[0].text, states, call->operand[1].text);
    return true;
}

static bool test_model(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    ThInspectTruth t TH_OWNED(th_inspect_truth_free) = {0};
    if (!sh_find_truth(&t, &m->signature, &call->operand[1],
                       th_option_text(&call->options, "accept"), err))
        return false;
    ThDfa *d TH_OWNED(th_dfa_free) = all_asked(&t, err) ? answers_machine(s, &t, err) : NULL;
    ThDfaWords words TH_OWNED(th_dfa_words_free) = {0};
    long long states = 0;
    size_t wrong = 0;
    if (!d || !test_words(s, call, d, &words, &states, err))
        return sh_error_inside(err, &call->operand[1]);
    return (read_words(s, m, &t, &words, &wrong, err) || sh_error_inside(err, &call->operand[0])) &&
           say_tested(s, call, &words, wrong, states, err);
}

SH_COMMAND(
    conformance, .group = "automata",
    .summary =
        "list the words that prove that something is an automaton, or test a model with them",
    .detail =
        "A machine with the automaton's symbols and at most states= states that answers every one "
        "of these words as the automaton does is equivalent to it: no other word has to be tried.  "
        "The W method (Chow 1978) has every word that tells states apart behind every word that "
        "reaches one, one symbol more, and up to states= less the automaton's states further; the "
        "partial W method (Fujiwara et al. 1991) leaves out what is known by then.  The number of "
        "words grows like the power of the symbols by the states that states= is more.  Outputs of "
        "states are the answers where there are some; what transitions write is not tested.\n\n"
        "A model reads them, each by itself, all but the empty one, and the first is shown that it "
        "answers otherwise, which is none of the shortest that it does not know: see compare.  "
        "Where it is right on all, it is the automaton if it answers as any machine of so many "
        "states does: of a network that is an assumption, which extract and certify look into.",
    .example = "conformance regex \"(a|b)*b\"\n"
               "#> word  due\n"
               "#> ε     reject\n"
               "#> a     reject\n"
               "#> b     accept\n"
               "#> ba    reject\n"
               "#> bb    accept\n"
               "#> 5 words: what has at most 2 states and answers them so is this automaton\n"
               "compile parity as m prove=no > \"said.txt\"\n"
               "conformance m on parity states=4 > \"tested.txt\"\n"
               "assert agree and words == 23",
    .results = "words states agree word", .args = {{A_AUTOMATON, "A", 0}},
    .args2 = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_OBJECT, "A", 0}},
    .options = conformance_options, .flags = C_PAGED)
{
    if (call->form == 2)
        return test_model(s, call, err);
    if (th_option_given(&call->options, "accept"))
        return th_fail(err, TH_EUSAGE, "accept= is for models");
    return list_test(s, call, err);
}

/* ---- pumping --------------------------------------------------------------------------------- */

static bool say_pumping(ShSession *s, const ThAutomaton *a, const ThDfaPumping *p, ThError *err)
{
    char *word TH_OWNED(free) = th_symbols_text(a->symbol, a->n_symbols, p->word, p->n, err);
    if (!word)
        return false;
    sh_results(s, "length:i word:s", (long long)p->length, word);
    sh_say(s, "the least pumping length is %d", p->length);
    if (p->word)
        sh_say(s, ": no part of the first %d symbol%s of %s can be repeated and left out",
               p->length - 1, sh_plural(p->length - 1), or_empty(word));
    sh_say(s, "\n");
    return true;
}

SH_COMMAND(pumping, .group = "automata",
           .summary = "find the least pumping length of a regular language",
           .detail = "It is the least p (1 at least) such that every word of the language with p "
                     "symbols or more can be cut into x y z, where y is not empty, x y has p "
                     "symbols at most, and x z, x y z, x y y z, ... are all in the language.  The "
                     "states of the minimal automaton are always enough, and often more than that. "
                     " The word that is shown is long enough and cannot be cut so with p - 1.",
           .example = "pumping regex \"(ab)*\"\n"
                      "#> the least pumping length is 2: no part of the first 1 symbol of ab can "
                      "be repeated and left out\n"
                      "pumping regex \"a*b*\"\n"
                      "#> the least pumping length is 1",
           .results = "length word", .args = {{A_AUTOMATON, "A", 0}})
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    ThDfa *any TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, limit, sh_stop(s), err);
    ThDfa *d TH_OWNED(th_dfa_free) = any ? th_dfa_minimize(any, sh_stop(s), err) : NULL;
    ThDfaPumping p = {0};
    bool ok = d && th_dfa_pumping(d, limit, sh_stop(s), &p, err);
    ok = ok ? say_pumping(s, a, &p, err) : sh_error_inside(err, &call->operand[0]);
    free(p.word);
    return ok;
}
