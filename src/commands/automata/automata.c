/* automata.c - commands about automata: defining, comparing, minimizing; and how an automaton is
 * shown. */

#include "commands/languages/languages.h"
#include "terminal/confirm.h"
#include "language/operand.h"
#include "object_kinds.h"
#include "rasp.h"

static size_t max_states(const ShSession *s)
{
    return (size_t)sh_setting_int(s, "limit-states");
}

void sh_automaton_figures(ShSession *s, const ThAutomaton *a)
{
    size_t states, transitions;
    th_automaton_size(a, &states, &transitions);
    sh_results(s, "states:i transitions:i symbols:i all_states:i all_transitions:i",
               (long long)states, (long long)transitions, (long long)a->n_symbols,
               (long long)a->n_states, (long long)a->n_arcs);
}

/* ---- defining -------------------------------------------------------------------------------- */

SH_COMMAND(
    automaton, .group = "automata", .summary = "define an automaton",
    .detail =
        "In a block, one statement a line:\n\n"
        "  alphabet A B ...: the symbols in order; without it, those used\n"
        "  start Q ...: several make the automaton nondeterministic\n"
        "  accept Q ...\n"
        "  Q A -> R: a transition; Q A,B -> R for several symbols\n"
        "  Q eps -> R: an empty move\n"
        "  Q A -> R / X: a transition with an output (Mealy)\n"
        "  output Q X: a state with an output (Moore)\n"
        "  states Q ... and outputs X ...: all there are, in order; seldom needed\n\n"
        "States are what the statements mention.  A missing transition rejects; an automaton with "
        "outputs and without accept accepts wherever it can go.  A name that is no plain word "
        "stands in quotes.\n\n"
        "After = stands an expression: names of automata, built-in automata (help automata), "
        "regular expressions, functions, and for the languages, from tight to loose, ~A (the words "
        "over its alphabet that A rejects), A & B, and A | B and A - B, where the - needs blanks "
        "around it.  Operations on languages drop outputs, and unite the alphabets.\n\n"
        "regex \"...\" knows literals, . [a-z] [^ab] [[:digit:]] ( ) | * + ? {m,n}, and & "
        "(intersection), - (difference) and ~ (complement).  From tight to loose: repetitions, ~, "
        "juxtaposition, &, and | and -, so that ~a*b is (~(a*))b.  'w0' is one symbol, blanks mean "
        "nothing, \\ takes a character's meaning away, () is the empty word and [] no word.  The "
        "alphabet is what is mentioned, in the order of the characters; regex \"...\" over \"ab\" "
        "puts others in front.\n\n"
        "group \"S5\" is a group: its elements are the states and the outputs, generators the "
        "symbols.  C6, D4 (8 elements), S5, A5, Q8, SD16, M16, F20 (x to ax + b modulo 5; F39: "
        "modulo 13), He3, M10, and SL(2,3), PSL(2,7), GL(2,3), PGL(2,9), PΓL(2,9), AGL(1,8), "
        "AΓL(1,8) over fields of all sizes have names.  C2 x C4 is a product, S4 wr C2 a wreath "
        "product, Dih(C3 x C3) has an involution that inverts, and (Z_9 : Z_3, r = 4) a generator "
        "that takes x to x^4, (Z_3 x Z_3 : Q_8, r = 0 1, 2 0; 1 1, 1 2) one matrix a generator of "
        "Q_8, its rows the images of those before the colon.  All names that monoid writes are "
        "read.  cayley(group \"A5\") has every element as a symbol, and task t = track "
        "cayley(group \"A5\") asks for the product after each: the word problem; cayley(A, "
        "generators) is that of what A's symbols do to its states, with only these as symbols, and "
        "dihedral(n) is group \"Dn\".\n\n"
        "The functions are concat, star, reverse, prefixes, suffixes, quotient, left_quotient, "
        "shuffle, homomorphism, inverse, determinize, minimize, trim, complete and cayley, and for "
        "transducers compose, invert, project and apply; help automata says what each does.",
    .example = "automaton ends {\n"
               "  alphabet a b\n"
               "  start  any\n"
               "  accept done\n"
               "  any  a,b -> any\n"
               "  any  a   -> seen\n"
               "  seen b   -> done\n"
               "}\n"
               "automaton both = minimize(parity & ends)\n"
               "echo $states states\n"
               "#> 4 states\n"
               "compare ends regex \"(a|b)*ab\"\n"
               "#> equivalent\n"
               "automaton images = homomorphism(ends, a -> \"xy\", b -> eps)\n"
               "show images as regex\n"
               "#> automaton images = regex \"(xy)+\"",
    .results = "states transitions symbols all_states all_transitions",
    .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}},
    .args2 = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_AUTOMATON_EXPRESSION, "EXPRESSION", 0}},
    .flags = C_DEFINES)
{
    const ShOperand *body = &call->operand[1];
    ThAutomaton *a = NULL;
    if (call->form == 1) {
        a = th_automaton_parse(body->text, err);
        if (!a)
            return sh_error_inside(err, body);
    } else {
        a = sh_automaton_value(s, body, err);
        if (!a)
            return false;
    }
    const char *made_by = call->form == 1 ? NULL : body->text;
    if (!sh_define(s, call->operand[0].text, SH_AUTOMATON, a, made_by, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_automaton_figures(s, a);
    sh_say_defined(s, call->operand[0].text);
    return true;
}

bool sh_show_automaton(ShSession *s, const ShObject *o, ThError *err)
{
    ThText t = {0};
    th_automaton_write(&t, o->as.automaton, sh_shown_name(o));
    char *text TH_OWNED(free) = th_text_take(&t, err);
    if (!text)
        return false;
    sh_automaton_figures(s, o->as.automaton);
    fputs(text, sh_listing(s));
    return true;
}

/* The alphabet as regex … over reads it: characters, or names between blanks. */
static void write_over(ThText *t, char *const *symbol, int n)
{
    ThText list TH_OWNED(th_text_free) = {0};
    bool single = th_symbols_single(symbol, n);
    for (int i = 0; i < n; i++)
        th_text_printf(&list, "%s%s", !single && i ? " " : "", symbol[i]);
    th_text_add(&list, !single && n == 1 ? " " : "");
    t->failed = t->failed || list.failed;
    th_text_add(t, " over ");
    th_text_quoted(t, th_text_string(&list));
}

/* A formula that counts as the block that it is read from. */
static void write_counting(ThText *t, const char *name, char *const *symbol, int n,
                           const char *formula)
{
    th_text_add(t, "counting ");
    th_text_symbol(t, name);
    th_text_add(t, " { alphabet");
    for (int i = 0; i < n; i++) {
        th_text_add(t, " ");
        th_text_symbol(t, symbol[i]);
    }
    th_text_add(t, "; formula ");
    th_text_quoted(t, formula);
    th_text_add(t, " }");
}

/* Returns new: the minimal machine of a language that is star-free, or with counting in C-RASP. */
static ThDfa *machine_in(ShSession *s, const ThAutomaton *a, bool counting, ThError *err)
{
    enum { ELEMENTS = 20000 };
    ThDfa *any TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, max_states(s), sh_stop(s), err);
    ThDfa *d = any ? th_dfa_minimize(any, sh_stop(s), err) : NULL;
    ThClassReport *r TH_OWNED(th_class_report_free) =
        d ? th_class_report(d, a->symbol, ELEMENTS, sh_stop(s), err) : NULL;
    const ThClassVerdict *v =
        r ? &r->verdict[counting ? TH_CLASS_CRASP : TH_CLASS_STAR_FREE] : NULL;
    if (v && v->is == TH_CLASS_NO) {
        th_fail(err, TH_EVALUE, "no %s says this: it is not %s",
                counting ? "counting" : "formula of temporal logic",
                counting ? "in C-RASP" : "star-free");
        th_hint(err, "%s", v->witness);
    }
    return TH_KEEP_IF(v && v->is != TH_CLASS_NO, d, th_dfa_free);
}

enum { AS_REGEX, AS_LTL, AS_COUNTS, AS_BRASP, AS_CRASP, AS_FORMS };
static const char *const as_forms[] = {"regex", "ltl", "counts", "brasp", "crasp"};

/* Returns new: an automaton in a form; *whole: it mentions every symbol. */
static char *form_of(ShSession *s, const ShObject *o, int form, bool *whole, ThError *err)
{
    const ThAutomaton *a = o->as.automaton;
    size_t most = max_states(s);
    if (form == AS_REGEX)
        return th_regex_of(a, whole, most, sh_stop(s), err);
    ThDfa *d TH_OWNED(th_dfa_free) = machine_in(s, a, form == AS_COUNTS || form == AS_CRASP, err);
    if (!d || form == AS_LTL)
        return d ? th_automaton_star_free(d, a->symbol, most, sh_stop(s), err) : NULL;
    char name[64];
    snprintf(name, sizeof name, "in_%s", th_is_word(o->name) ? o->name : "it");
    return th_automaton_program(d, a->symbol, form != AS_BRASP, form == AS_COUNTS ? NULL : name,
                                most, sh_stop(s), err);
}

/* Shows what a program says of a word. */
static bool show_program_as(ShSession *s, const ShObject *o, int form, const char *alphabet,
                            ThError *err)
{
    ThRaspValue v = {0};
    ThText t = {0};
    ThLanguageProgram p TH_OWNED(th_language_program_free) = {0};
    int n = 0;
    char **letter TH_OWNED(free) = alphabet ? th_symbols_list(alphabet, false, &n, err) : NULL;
    if ((alphabet && !letter) || !sh_rasp_value_of(s, o, &v, err) ||
        !th_language_program(&p, th_rasp_graph(s->rasp), v.as.sop, letter, n, err))
        return false;
    if (!p.formula)
        return th_fail(err, TH_EVALUE, "a language's program gives truth values");
    if (form == AS_LTL && p.counts != TH_RASP_NO_SOP)
        return th_fail(err, TH_EVALUE, "the program counts: it is shown as counts, not as ltl");
    if (form == AS_COUNTS) {
        write_counting(&t, sh_shown_name(o), p.letter, p.letters, p.formula);
    } else {
        th_text_printf(&t, "ltl \"%s\"", p.formula);
        write_over(&t, p.letter, p.letters);
    }
    sh_result_text(s, as_forms[form], p.formula);
    char *line TH_OWNED(free) = th_text_take(&t, err);
    if (line)
        fprintf(sh_listing(s), "%s\n", line);
    return line != NULL;
}

/* Shows a formula that counts as a program. */
static bool show_counting_as(ShSession *s, const ShObject *o, ThError *err)
{
    char name[64];
    snprintf(name, sizeof name, "in_%s", th_is_word(o->name) ? o->name : "it");
    char *text TH_OWNED(free) = th_language_counting_program(o->as.language, name, err);
    if (!text)
        return false;
    sh_result_text(s, as_forms[AS_CRASP], text);
    fputs(text, sh_listing(s));
    return true;
}

bool sh_show_as(ShSession *s, const ShCall *call, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    bool program = o->kind == SH_S_OP, whole = false;
    bool counting = o->kind == SH_LANGUAGE && th_language_is_counting(o->as.language);
    int form = AS_REGEX;
    while (form < AS_FORMS && strcmp(as_forms[form], call->operand[1].text) != 0)
        form++;
    if (counting && form == AS_CRASP)
        return show_counting_as(s, o, err) || sh_error_inside(err, &call->operand[0]);
    if (counting)
        return sh_fail_operand(err, &call->operand[1], TH_EUSAGE,
                               "a formula that counts is shown as crasp, not as '%s'",
                               call->operand[1].text);
    if (!program && o->kind != SH_AUTOMATON)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "%s has no other forms",
                               sh_a_kind(o->kind));
    if (form == AS_FORMS || (program && form != AS_LTL && form != AS_COUNTS))
        return sh_fail_operand(err, &call->operand[1], TH_EUSAGE, "%s is shown as %s, not as '%s'",
                               sh_a_kind(o->kind),
                               program ? "ltl or counts" : "regex, ltl, counts, brasp or crasp",
                               call->operand[1].text);
    if (!program && th_option_given(&call->options, "alphabet"))
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "alphabet is for programs of RASP");
    if (program)
        return show_program_as(s, o, form, th_option_text_or(&call->options, "alphabet", NULL),
                               err) ||
               sh_error_inside(err, &call->operand[0]);
    ThText t = {0};
    char *text TH_OWNED(free) = form_of(s, o, form, &whole, err);
    if (!text)
        return sh_error_inside(err, &call->operand[0]);
    if (form <= AS_LTL) {
        th_text_add(&t, "automaton ");
        th_text_symbol(&t, sh_shown_name(o));
        th_text_printf(&t, " = %s \"%s\"", as_forms[form], text);
    } else
        th_text_add(&t, form == AS_COUNTS ? "" : text);
    if (form == AS_COUNTS)
        write_counting(&t, sh_shown_name(o), o->as.automaton->symbol, o->as.automaton->n_symbols,
                       text);
    if (form < AS_COUNTS && !whole)
        write_over(&t, o->as.automaton->symbol, o->as.automaton->n_symbols);
    sh_automaton_figures(s, o->as.automaton);
    sh_result_text(s, as_forms[form], text);
    char *line TH_OWNED(free) = th_text_take(&t, err);
    if (line)
        fprintf(sh_listing(s), "%s%s", line, form < AS_BRASP ? "\n" : "");
    return line != NULL;
}

/* ---- comparing and minimizing ---------------------------------------------------------------- */

/* Says what one side makes of the word. */
static void say_side(ShSession *s, const ThAutomatonDifference *d, int side, const char *name)
{
    sh_say(s, "  %s %s it", name, d->accepted[side] ? "accepts" : "rejects");
    if (d->by_output)
        sh_say(s, " and puts out %s", d->out[side] ? d->out[side] : "nothing");
    sh_say(s, "\n");
}

/* What the languages have in common, where they are not the same. */
static void say_relation(ShSession *s, const ThAutomatonRelation *r, const char *a, const char *b)
{
    if (!r->known)
        return;
    sh_results(s, "included:b includes:b disjoint:b common:s", !r->only[0], !r->only[1], !r->both,
               r->both ? r->both : "");
    if (!r->only[0] && r->only[1])
        sh_say(s, "  every word of %s is one of %s\n", a, b);
    if (!r->only[1] && r->only[0])
        sh_say(s, "  every word of %s is one of %s\n", b, a);
    if (!r->both && (r->only[0] || r->only[1]))
        sh_say(s, "  they have no word in common\n");
}

/* The shortest word that tells them apart, and which side takes it. */
static void say_difference(ShSession *s, const ThAutomatonDifference *d, const char *a,
                           const char *b)
{
    const char *word = d->word ? d->word : "";
    sh_results(s, "equivalent:b word:s", d->equivalent, word);
    if (d->equivalent) {
        sh_say(s, "equivalent\n");
        return;
    }
    sh_say(s, "they differ on %s\n", *word ? word : "the empty word");
    say_side(s, d, 0, a);
    say_side(s, d, 1, b);
}

bool sh_compare_automata(ShSession *s, const ShCall *call, const ThAutomaton *a,
                         const ThAutomaton *b, ThError *err)
{
    ThAutomatonDifference d = {0};
    bool ok = th_automaton_compare(a, b, max_states(s), sh_stop(s), &d, err);
    if (ok)
        say_difference(s, &d, call->operand[0].text, call->operand[1].text);
    free(d.word);
    return ok;
}

static const ThOptionSpec compare_options[] = {
    {"alphabet", TH_STRING, "ab", 0, 0, NULL,
     "what the inputs of RASP programs, or of a machine, consist of: characters, or words with "
     "blanks between them; of a machine beside a language: that one's symbols"},
    {"length", TH_RANGE, "0..6", 0, 1000, NULL, "lengths of these inputs"},
    TH_LANGUAGE_STEPS_OPTION,
    {0}};

static bool only_automata(const ShCall *call, ThError *err)
{
    static const char *const others[] = {"alphabet", "length", "steps"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (th_option_given(&call->options, others[i]))
            return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                                   "automata are compared on all words: alphabet, length and steps "
                                   "are for RASP and machines");
    return true;
}

SH_COMMAND(
    compare, .group = "automata",
    .summary = "tell whether two automata, or two programs of RASP, are equivalent, or a shortest "
               "input that shows that they are not",
    .detail =
        "B may be an expression.  The word is the shortest that the two treat differently, and "
        "among those the first in the order of the alphabet of A.  Two automata with outputs are "
        "compared by the last output of every word, too.\n\n"
        "Where the languages differ it is also said whether one is part of the other ($included: "
        "every word of A is one of B; $includes: the other way round) and whether they are "
        "$disjoint; $common is the shortest word of both.  These are left out where more pairs of "
        "states than limit-states would have to be looked at.\n\n"
        "P and Q are names of s-ops or selectors of RASP, or expressions, in brackets or quotes.  "
        "They are run on every input over the alphabet, shortest first; what differs is a value, "
        "or that only one of the two is an error.  $agree says that they do not differ on these; "
        "of longer inputs nothing is known.  $at is the first element that differs, $inputs how "
        "many inputs were compared, and on $errors of them both are an error.\n\n"
        "An s-op that gives truth values is a language, too: what it gives at the last position of "
        "a word says whether the word belongs to it.  With an automaton for the other one it is "
        "run on all words over the automaton's alphabet up to the greatest length.\n\n"
        "Where A or B names a grammar, a machine or another language that is not known to be "
        "regular, both are asked about all words of these lengths: $agree says whether they are "
        "the same on them, which is no proof.  $open counts words that one gave no answer to; then "
        "they do not agree.\n\n"
        "Where A or B names a model, or both name machines, this is compare models or compare "
        "machines.",
    .example = "automaton p = parity\n"
               "compare p even_pairs\n"
               "#> they differ on b\n"
               "#>   p rejects it\n"
               "#>   even_pairs accepts it\n"
               "compare p minimize(p)\n"
               "#> equivalent\n"
               "compare p regex \"(aa)*\"\n"
               "#> they differ on a\n"
               "#>   p accepts it\n"
               "#>   regex \"(aa)*\" rejects it\n"
               "#>   every word of regex \"(aa)*\" is one of p\n"
               "compare \"sort(tokens, tokens)\" \"sort(tokens, indices)\" length=1..4\n"
               "#> they differ on ba\n"
               "#>   sort(tokens, tokens) = [a, b] (strings)\n"
               "#>   sort(tokens, indices) = [b, a] (strings)",
    .results = "equivalent agree word included includes disjoint common at inputs errors open",
    .options = compare_options, .args = {{A_AUTOMATON, "A", 0}, {A_AUTOMATON_EXPRESSION, "B", 0}},
    .args2 = {{A_PROGRAM, "P", 0}, {A_PROGRAM, "Q", 0}})
{
    const ShOperand *first = &call->operand[0], *second = &call->operand[1];
    const ShObject *o = sh_find(s, second->text);
    ThRaspSop node;
    ShKind kind;
    bool languages;
    if (!sh_compare_languages(s, call, &languages, err))
        return false;
    if (languages)
        return true;
    if (call->form == 2 || (o && o->kind == SH_S_OP))
        return sh_compare_rasp(s, call, err);
    const ThAutomaton *a = first->object->as.automaton;
    ThAutomatonRelation r TH_OWNED(th_automaton_relation_free) = {0};
    ThAutomaton *b TH_OWNED(th_automaton_free) = sh_automaton_value(s, second, err);
    if (!b && sh_program_value(s, second, &node, &kind, err))
        return sh_compare_rasp(s, call, err);
    bool ok = b && only_automata(call, err) && sh_compare_automata(s, call, a, b, err) &&
              th_automaton_relate(a, b, max_states(s), sh_stop(s), &r, err);
    if (ok)
        say_relation(s, &r, first->text, second->text);
    return ok;
}

SH_COMMAND(minimize, .group = "automata", .summary = "make an automaton minimal and deterministic",
           .detail = "States are numbered breadth first from the start, in the order of the "
                     "symbols, so that equivalent automata become the same.  A sink is left out: a "
                     "missing transition rejects.  With `as` the automaton itself stays as it is.  "
                     "Hopcroft's algorithm, after the subset construction where it is needed.",
           .example = "automaton both = parity & even_pairs\n"
                      "minimize both as small\n"
                      "#> small: 7 states, 14 transitions\n"
                      "compare both small\n"
                      "#> equivalent",
           .results = "states transitions symbols all_states all_transitions",
           .args = {{A_AUTOMATON, "A", A_NAMED}},
           .args2 = {{A_AUTOMATON, "A", 0}, {A_KEYWORD, "as", 0}, {A_NEW, "B", 0}})
{
    const ShOperand *target = &call->operand[call->n - 1];
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    ThAutomaton *m = th_automaton_minimize(a, max_states(s), sh_stop(s), err);
    ThText made_by TH_OWNED(th_text_free) = {0};
    th_text_printf(&made_by, "minimize(%s)", call->operand[0].text);
    char *origin TH_OWNED(free) = m && call->n > 1 ? th_text_take(&made_by, err) : NULL;
    bool ok = m && (origin || call->n == 1);
    if (!ok)
        th_automaton_free(m);
    ok = ok &&
         (sh_define(s, target->text, SH_AUTOMATON, m, origin, err) || sh_error_inside(err, target));
    if (!ok)
        return false;
    sh_automaton_figures(s, m);
    sh_say(s, "%s: %d state%s, %zu transition%s\n", target->text, m->n_states,
           sh_plural(m->n_states), m->n_arcs, sh_plural(m->n_arcs));
    return true;
}
