/* random.c - random automata. */

#include "commands/modelling.h"
#include "object_kinds.h"
#include "terminal/confirm.h"

static const ThOptionSpec options[] = {
    {"states", TH_INT, "5", 1, 1000000, NULL, "of the automaton, all reachable"},
    {"symbols", TH_INT, "2", 1, 26, NULL, "that it reads: a, b, …"},
    {"alphabet", TH_STRING, NULL, 0, 0, NULL,
     "the symbols instead: a character each, or words with blanks between them"},
    {"deterministic", TH_FLAG, "yes", 0, 0, NULL,
     "at most one transition for each state and symbol"},
    {"arcs", TH_REAL, NULL, 0, 1000000, NULL,
     "transitions for each state and symbol, in the mean; default: 1, a complete automaton, or "
     "1.25 with deterministic=no"},
    {"accepting", TH_REAL, "0.5", 0, 1, NULL, "share of the states that accept"},
    {"minimal", TH_FLAG, "no", 0, 0, NULL, "no smaller complete automaton accepts the same words"},
    {"class", TH_STRING, NULL, 0, 0, NULL,
     "classes that the language belongs to, with blanks between them: the figures of classes"},
    {"outside", TH_STRING, NULL, 0, 0, NULL, "classes that it does not belong to"},
    {"monoid", TH_RANGE, NULL, 1, 1000000, NULL, "elements of its syntactic monoid"},
    {"ambiguity", TH_CHOICE, "none", 0, 0, "none|finite|polynomial|exponential",
     "in how many ways words are accepted, with deterministic=no"},
    {"tries", TH_INT, "10000", 1, 1e9, NULL,
     "automata to draw until one is as the last five options say"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of what is drawn; default: set seed"},
    {0},
};

/* Returns new: the names of the symbols. */
static char **read_symbols(const ThOptions *o, int *n, ThError *err)
{
    const char *alphabet = th_option_text(o, "alphabet");
    char letters[] = "abcdefghijklmnopqrstuvwxyz";
    if (alphabet && th_option_given(o, "symbols"))
        return th_null(
            th_fail(err, TH_EUSAGE, "symbols= and alphabet= both say what the symbols are"));
    letters[th_option_int(o, "symbols")] = '\0';
    return th_symbols_list(alphabet ? alphabet : letters, false, n, err);
}

/* ---- with properties ------------------------------------------------------------------------- */

/* What is asked of an automaton besides its size. */
typedef struct {
    ShSession *s;
    const ThOptions *o;
    bool wanted[TH_CLASS_COUNT][2]; /* a class, and that it is not */
    bool of_language;               /* classes or the monoid have to be looked at */
} Asked;

static bool read_classes(Asked *w, const char *option, bool outside, ThError *err)
{
    int n = 0;
    const char *list = th_option_text(w->o, option);
    if (!th_option_given(w->o, option))
        return true;
    char **key TH_OWNED(free) = th_symbols_list(list, strpbrk(list, " \t") == NULL, &n, err);
    bool ok = key != NULL;
    for (int i = 0, c; ok && i < n; i++) {
        for (c = 0; c < TH_CLASS_COUNT && strcmp(th_class_kind(c)->key, key[i]) != 0;)
            c++;
        ok = c < TH_CLASS_COUNT;
        if (ok)
            w->wanted[c][outside] = w->of_language = true;
        else
            ok = th_fail(err, TH_EVALUE, "'%s' is no class of languages", key[i]) ||
                 th_option_error(w->o, option, err);
    }
    return ok || th_hint(err, "classes A has them as figures, sl, lt, star_free, ...");
}

static bool in_classes(const Asked *w, const ThClassReport *r)
{
    static const ThClassAnswer due[] = {TH_CLASS_YES, TH_CLASS_NO};
    ThRange size = th_option_range(w->o, "monoid");
    if (th_option_given(w->o, "monoid") && (r->monoid < size.lo || r->monoid > size.hi))
        return false;
    for (int c = 0; c < TH_CLASS_COUNT; c++) {
        for (int k = 0; k < 2; k++)
            if (w->wanted[c][k] && r->verdict[c].is != due[k])
                return false;
    }
    return true;
}

/* Is the language as it should be, and of so many states? */
static bool language_fits(const Asked *w, const ThAutomaton *a, bool *fits, ThError *err)
{
    size_t limit = (size_t)sh_setting_int(w->s, "limit-states");
    ThDfa *any TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, limit, sh_stop(w->s), err);
    ThDfa *d TH_OWNED(th_dfa_free) = any ? th_dfa_minimize(any, sh_stop(w->s), err) : NULL;
    if (!d)
        return false;
    *fits = !th_option_flag(w->o, "minimal") || d->n_states == a->n_states;
    if (!*fits || !w->of_language)
        return true;
    ThClassReport *r TH_OWNED(th_class_report_free) =
        th_class_report(d, a->symbol, 20000, sh_stop(w->s), err);
    *fits = r && in_classes(w, r);
    return r != NULL;
}

static bool ambiguity_fits(const Asked *w, const ThAutomaton *a, bool *fits, ThError *err)
{
    ThWordsAmbiguity found;
    if (!th_automaton_ambiguity(a, (size_t)sh_setting_int(w->s, "limit-states"), sh_stop(w->s),
                                &found, err))
        return false;
    *fits = (int)found.kind == th_option_choice(w->o, "ambiguity");
    th_words_ambiguity_free(&found);
    return true;
}

/* Returns new: the first of tries= automata that is as it should be; the seeds of the others follow
 * from the first one's, which is that of an automaton of which nothing is asked. */
static ThAutomaton *draw(const Asked *w, ThAutomatonDraw d, char **symbol, int n, ThError *err)
{
    bool ambiguity = th_option_given(w->o, "ambiguity");
    long long tries = th_option_int(w->o, "tries");
    for (long long i = 0; i < tries; i++, d.seed += 0x9E3779B97F4A7C15U) {
        bool fits = true;
        ThAutomaton *a = th_automaton_random(&d, symbol, n, err);
        bool ok = a && !th_stopped_at(sh_stop(w->s), (size_t)i, "tries", err) &&
                  (!ambiguity || ambiguity_fits(w, a, &fits, err)) &&
                  (!fits || !(w->of_language || th_option_flag(w->o, "minimal")) ||
                   language_fits(w, a, &fits, err));
        if (ok && fits)
            return a;
        th_automaton_free(a);
        if (!ok)
            return NULL;
        sh_progress(w->s, "%lld tried", i + 1);
    }
    th_fail(err, TH_EVALUE, "none of %lld automata that were drawn is so", tries);
    th_hint(err, "tries= says how many are drawn");
    return NULL;
}

SH_COMMAND(
    random_automaton, .group = "automata", .summary = "define a random automaton",
    .detail = "Has as many states as it says, q0 the start, and all can be reached from it; the "
              "number of transitions is arcs times states times symbols, that of accepting states "
              "accepting times states, both rounded.  First a tree is drawn that reaches every "
              "state, then the other transitions, each with the same chance.  The same options "
              "and seed give the same automaton.  minimize says what is left of it.\n\n"
              "With deterministic=no, arcs= and accepting= are the two densities of Tabakov and "
              "Vardi (Experimental evaluation of classical automata constructions, 2005), who "
              "found determinization hardest at 1.25, the default.\n\n"
              "minimal=, class=, outside=, monoid= and ambiguity= ask for more, as an exam needs "
              "it: automata are drawn until one is so.",
    .example = "random automaton a states=6 symbols=3 seed=4\n"
               "assert all_states == 6 and all_transitions == 18\n"
               "random automaton n states=8 deterministic=no accepting=0.25 seed=1\n"
               "assert all_transitions == 20\n"
               "random automaton e states=4 minimal=yes class=star_free outside=\"lt pt\" seed=1\n"
               "classes e > \"of.txt\"\n"
               "assert star_free and not lt and not pt",
    .results = "states transitions symbols all_states all_transitions",
    .args = {{A_NEW, "NAME", 0}}, .options = options)
{
    const ThOptions *o = &call->options;
    const ShOperand *name = &call->operand[0];
    bool deterministic = th_option_flag(o, "deterministic");
    ThAutomatonDraw d = {.states = (int)th_option_int(o, "states"),
                         .deterministic = deterministic,
                         .arcs = th_option_given(o, "arcs") ? th_option_real(o, "arcs")
                                 : deterministic            ? 1
                                                            : 1.25,
                         .accepting = th_option_real(o, "accepting"),
                         .seed = (uint64_t)sh_seed(s, o)};
    Asked w = {.s = s, .o = o, .of_language = th_option_given(o, "monoid")};
    int n = 0;
    bool ok = read_classes(&w, "class", false, err) && read_classes(&w, "outside", true, err);
    char **symbol = ok ? read_symbols(o, &n, err) : NULL;
    ThAutomaton *a = symbol ? draw(&w, d, symbol, n, err) : NULL;
    free(symbol);
    if (!a)
        return false;
    if (!sh_define(s, name->text, SH_AUTOMATON, a, NULL, err))
        return sh_error_inside(err, name);
    sh_automaton_figures(s, a);
    sh_say_defined(s, name->text);
    return true;
}
