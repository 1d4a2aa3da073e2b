/* classes.c - the classes of regular languages that a language belongs to. */

#include "commands/automata/monoid.h"
#include "commands/plots/plots.h"

static const ThOptionSpec options[] = {
    {"elements", TH_INT, "20000", 1, 1e8, NULL, "of the monoid that are looked at, at most"},
    {"show", TH_CHOICE, "witness", 0, 0, "witness|meaning", "what stands beside the answers"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
typedef enum { SHOW_WITNESS, SHOW_MEANING } Show; /* show= */

#define RESULTS                                                                                    \
    "size tier least cofinite definite reverse_definite generalized_definite sl cosl sp cosp lt "  \
    "ltt pt sigma1 pi1 plt tsl tlt tltt tplt r_trivial l_trivial da fo2 sigma2 pi2 c_rasp "        \
    "r_infinity star_free group r_group solvable regular"

static const char *const answers[] = {"no", "yes", "unknown"};

/* The words that an automaton accepts, whatever its outputs. */
typedef struct {
    ThAutomaton *automaton;
    ThDfa *d;
    ThClassReport *r;
} Language;

static bool language_of(Language *l, ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0];
    size_t elements = (size_t)th_option_int(&call->options, "elements");
    *l = (Language){.automaton = sh_automaton_value(s, o, err)};
    if (!l->automaton)
        return false;
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(
        l->automaton, (size_t)sh_setting_int(s, "limit-states"), sh_stop(s), err);
    l->d = d ? th_dfa_minimize(d, sh_stop(s), err) : NULL;
    l->r = l->d ? th_class_report(l->d, l->automaton->symbol, elements, sh_stop(s), err) : NULL;
    return l->r || sh_error_inside(err, o);
}

static void free_language(Language *l)
{
    th_class_report_free(l->r);
    th_dfa_free(l->d);
    th_automaton_free(l->automaton);
}

/* A class is least if it is one of the language's and contains no other such. */
static bool is_least(const ThClassReport *r, int class)
{
    bool least = r->verdict[class].is == TH_CLASS_YES;
    for (int c = 0; c < class && least; c++)
        least = r->verdict[c].is != TH_CLASS_YES || !th_class_within(c, class);
    return least;
}

static void set_figures(ShSession *s, const Language *l)
{
    const ThClassReport *r = l->r;
    ThText least = {0};
    for (int c = 0; c < TH_CLASS_COUNT; c++) {
        const ThClassKind *kind = th_class_kind(c);
        if (r->verdict[c].is == TH_CLASS_UNKNOWN)
            sh_result_text(s, kind->key, answers[TH_CLASS_UNKNOWN]);
        else
            sh_result_flag(s, kind->key, r->verdict[c].is == TH_CLASS_YES);
        if (is_least(r, c))
            th_text_printf(&least, "%s%s", least.size ? ", " : "", kind->name);
    }
    sh_result_int(s, "size", r->monoid);
    sh_result_int(s, "tier", r->tier);
    sh_result_text(s, "least", th_text_string(&least));
    sh_say(s, "%d state%s, ", l->d->n_states, sh_plural(l->d->n_states));
    if (r->monoid)
        sh_say(s, "a monoid of %d", r->monoid);
    else
        sh_say(s, "a monoid too large to look at");
    sh_say(s, ", a tier of %d of %d symbols\n", r->tier, l->d->n_symbols);
    th_text_add(&least, "");
    sh_say_wrapped(s, "smallest classes:", &least);
}

static void write_number(ThText *t, int n)
{
    if (n > 0)
        th_text_printf(t, "%d", n);
    else
        th_text_add(t, "");
}

static bool show_row(ShSession *s, const ThClassVerdict *v, const ThClassKind *kind, Show show)
{
    ThText k TH_OWNED(th_text_free) = {0}, threshold TH_OWNED(th_text_free) = {0};
    write_number(&k, v->k);
    write_number(&threshold, v->threshold);
    bool ok = k.data && threshold.data;
    if (ok && show == SHOW_WITNESS)
        sh_row(s, kind->name, answers[v->is], k.data, threshold.data, v->witness);
    else if (ok)
        sh_row(s, kind->name, answers[v->is], kind->meaning, kind->source);
    return ok;
}

static bool show_classes(ShSession *s, const Language *l, Show show, ThError *err)
{
    bool ok = true;
    set_figures(s, l);
    sh_table(s, "classes",
             show == SHOW_WITNESS ? "class:s in:s k:s t:s witness:s"
                                  : "class:s in:s meaning:s source:s");
    for (int c = 0; ok && c < TH_CLASS_COUNT; c++)
        ok = show_row(s, &l->r->verdict[c], th_class_kind(c), show) ||
             th_fail(err, TH_ENOMEM, "out of memory");
    sh_table_end(s);
    return ok;
}

SH_COMMAND(
    classes, .group = "automata",
    .summary = "tell to which classes of regular languages a language belongs, with witnesses",
    .detail =
        "Decided on the minimal complete machine and on its monoid; nothing is measured or "
        "guessed.  A row a class, those that contain it behind it: definite and locally testable "
        "languages, strictly local and piecewise ones and their complements (SL, SP, coSL, coSP), "
        "the same on a tier (T...: symbols that change no state are left out), the classes of "
        "first-order logic with < (and the successor, +1), C-RASP, the star-free languages, "
        "groups.  show=meaning says what each is and who found the test.\n\n"
        "k is the least length of the pieces that decide, for C-RASP how deep counts of counts "
        "go in one strongly connected component; t up to how many are counted; empty where it is "
        "not searched for or would take too long (pieces of more than six symbols, or too "
        "many different ones).\n\n"
        "The witness of a no is where the law of the class breaks: words for the variables, and "
        "two words that the law makes alike, of which the language has one; or words that lead to "
        "two states and between them.  That of a yes are the constraints where the class has "
        "them: forbidden factors, with > and < for the ends of the string, forbidden scattered "
        "subwords (what coSL and coSP require one of), sums of counts that tell the states of a "
        "component apart.\n\n"
        "Beyond elements= elements of the monoid only what the machine shows is decided (SL, SP, "
        "TSL, R-trivial, C-RASP, groups), and what follows from it; the rest is unknown.  Of a "
        "transducer it is the words that are accepted.",
    .example = "classes regex \"a*b*\"\n"
               "assert sl and sp and not cosl and c_rasp and size == 5\n"
               "classes parity show=meaning > \"meaning.txt\"\n"
               "assert group and not star_free and least == \"group, solvable\"",
    .results = RESULTS, .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = options,
    .flags = C_PAGED)
{
    Language l;
    Show show = (Show)th_option_choice(&call->options, "show");
    bool ok = language_of(&l, s, call, err);
    if (ok)
        ok = show_classes(s, &l, show, err);
    free_language(&l);
    return ok;
}

SH_PLOT(plot_classes,
        .summary = "draw the classes of regular languages, and where a language stands",
        .detail = "The classes that classes decides, each above those that it contains.  Those "
                  "that the language belongs to are blue, the smallest of them dark blue; "
                  "white ones it does not belong to, and of grey ones it is not known.",
        .example = "plot classes tomita(4) > \"classes.svg\"", .results = RESULTS,
        .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = options)
{
    Language l;
    ThText title TH_OWNED(th_text_free) = {0};
    th_text_printf(&title, "classes of %s", call->operand[0].text);
    bool ok =
        language_of(&l, s, call, err) && title.data && th_plot_classes(f, title.data, l.r, err);
    if (ok)
        set_figures(s, &l);
    free_language(&l);
    return ok;
}
