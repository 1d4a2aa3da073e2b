#include "help/help.h"

#include <stdlib.h>
#include <string.h>

#include "automata/expression/builtins.h"
#include "automata/expression/functions.h"
#include "base/text.h"
#include "family.h"
#include "formats.h"
#include "help/glossary.h"
#include "help/help_start.h"
#include "session_impl.h"
#include "help/synonyms.h"
#include "help/wrapped_text.h"

const char sh_syntax_text[] =
    "One command a line; ; separates commands on one line.  # begins a comment that ends with the "
    "line.  An open {, ( or [, an open string, or a \\ at the end of a line continues the command "
    "on the next line.\n\n"
    "Names are made of letters, digits, _, -, . and '.  Text that is no name stands in \"double "
    "quotes\", with \\n, \\t, \\\\, \\\", \\$ and \\u{…} (a code point in hexadecimal).  All text "
    "is "
    "UTF-8.  Ranges are written 7, 1..40 or, with a step, 41..500:20.  Options are written "
    "key=value, without blanks around the =, in any order after the operands.\n\n"
    "A symbol is a name, or anything else in quotes.  An input is one word or string: where every "
    "symbol of the alphabet is a single character, its characters are the symbols (abba); "
    "otherwise "
    "its symbols are separated by blanks (\"s1 a6 L\").\n\n"
    "Variables are constants of RASP: x = 3, lr = 1e-3, sizes = [32, 64].  $x or ${x} in a word or "
    "a "
    "string inserts one, or else a figure of the last result ($accuracy), which best = $accuracy "
    "keeps; what stands for nothing is an error; \\$ in a string, and $$, is a dollar sign.  The "
    "blocks of definitions and files of RASP programs are taken as they stand.  Commands of the "
    "system's shell are never changed: they find the variables that they speak of in their "
    "environment, as $x (but neither $1 nor names in capitals, and what the environment has "
    "already "
    "stays).  for and if run a body of commands and statements of RASP: help for, help if.\n\n"
    "Where an automaton is wanted, an expression may stand: words tomita(1), run a & b \"abba\"; "
    "where a machine is, its text in a format that load knows: run \"1RB1LB_1LA1RZ\"; where a task "
    "is, a kind with its options in parentheses: evaluate m on parity(probability=0.1), or an "
    "automaton, which is then to be recognized: certify m on odd; where an s-op is, an expression "
    "of RASP, in brackets or a call: run (indices + 1) \"abc\".  Integers "
    "may be written 1e6, 10^6 or 1_000_000, and numbers may be computed: steps=$n*2, "
    "cycle($n + 1), lr=1e-3/4.\n\n"
    "> FILE at the end sends a command's output to a file, whole or not at all; >> FILE appends.  "
    "A file that ends with .csv or .json gets that format, and one whose ending means something "
    "else is refused; devices and pipes are written to as they are.  | COMMAND sends it to a "
    "command of the system's shell, which gets the rest of the line: words p | head.  In "
    "definitions and in brackets a | unites automata.  !COMMAND runs a command of the shell.  log "
    "FILE keeps what is typed and printed.";

const char *const sh_help_topics[] = {
    "all",        "tutorial", "examples",  "syntax",  "tasks", "models",    "positions",
    "optimizers", "automata", "functions", "rasp",    "regex", "variables", "keys",
    "weights",    "settings", "formats",   "results", "words", NULL};

/* ---- parts ----------------------------------------------------------------------------------- */

static void add_args(ThText *t, const ShArg *args)
{
    bool bracket = false;
    for (int i = 0; i < 8 && args[i].kind != A_NONE; i++) {
        const ShArg *a = &args[i];
        bool optional = a->flags & A_OPTIONAL;
        if (a->flags & A_SILENT)
            continue;
        if (!bracket)
            th_text_printf(t, " %s", optional ? "[" : "");
        else
            th_text_add(t, " ");
        if (a->kind == A_BLOCK)
            th_text_printf(t, "{ %s }", a->name);
        else
            th_text_printf(t, "%s%s", a->name, a->flags & A_REPEATED ? "..." : "");
        bool keyword = optional && a->kind == A_KEYWORD; /* shares the bracket of what follows */
        if (optional && !keyword)
            th_text_add(t, "]");
        bracket = keyword;
        const ShFamily *f = sh_family_of(a->kind);
        if (a->kind == A_TASK_KIND)
            th_text_add(t, " [AUTOMATON]");
        if (f)
            th_text_add(t, f->second_word ? " [OPERAND...]" : " [OPTION=VALUE...]");
    }
}

void sh_synopsis(ThText *t, const ShCommand *c, int form)
{
    char typed[SH_COMMAND_NAME];
    th_text_add(t, sh_command_typed(c, typed));
    add_args(t, form == 1 ? c->args : c->args2);
    if (sh_command_options(c, NULL, 0))
        th_text_add(t, " [OPTION=VALUE...]");
}

void sh_kind_synopsis(ThText *t, const ShFamily *f, const ShKindRow *k)
{
    th_text_printf(t, "%s%s", f->before, k->name);
    if (k->takes.kind != A_NONE)
        th_text_printf(t, " %s", k->takes.name);
    add_args(t, k->args);
    if (k->options && k->options->name)
        th_text_add(t, " [OPTION=VALUE...]");
}

void sh_option_values(ThText *t, const ThOptionSpec *spec)
{
    bool whole = spec->type != TH_REAL;
    switch (spec->type) {
    case TH_INT:
    case TH_RANGE:
    case TH_REAL:
        th_text_add(t, spec->type == TH_INT ? "integer" : whole ? "range" : "number");
        if (spec->max > spec->min)
            th_text_printf(t, whole ? " from %.0f to %.0f" : " from %g to %g", spec->min,
                           spec->max);
        break;
    case TH_FLAG:
        th_text_add(t, "yes or no");
        break;
    case TH_CHOICE:
        th_text_printf(t, "%s", spec->choices);
        break;
    case TH_STRING:
        th_text_add(t, "text");
        break;
    }
    if (spec->fallback && *spec->fallback)
        th_text_printf(t, "; default %s", spec->fallback);
}

/* `after` follows the names: "=" for options, "" for settings. */
static void print_specs(const ShSheet *to, const ThOptionSpec *specs, const char *after)
{
    for (; specs && specs->name; specs++) {
        ThText values = {0};
        sh_option_values(&values, specs);
        fprintf(to->out, "    %s%s   %s\n", specs->name, after, values.data ? values.data : "");
        th_text_free(&values);
        sh_wrap(to, 8, specs->help);
    }
}

static void print_example(const ShSheet *to, const char *example)
{
    while (*example) {
        size_t n = strcspn(example, "\n");
        fprintf(to->out, "    %.*s\n", (int)n, example);
        example += n + (example[n] == '\n');
    }
}

/* ---- topics ---------------------------------------------------------------------------------- */

static void print_paragraphs(const ShSheet *to, const char *detail)
{
    if (detail) {
        fputc('\n', to->out);
        sh_wrap(to, 4, detail);
    }
}

static void print_line(const ShSheet *to, const char *what, const char *text)
{
    if (text)
        sh_wrap_from(to, fprintf(to->out, "\n%s: ", what) - 1, 4, text);
}

/* The options of a command, of a kind, or of both. */
static void print_all_options(const ShSheet *to, const ShCommand *c, const ShKindRow *kind)
{
    static const ShCommand none = {0};
    const ThOptionSpec *specs;
    bool any = false;
    for (size_t i = 0; (specs = sh_command_options(c ? c : &none, kind, i)); i++) {
        fputs(!any && specs->name ? "\nOptions:\n" : "", to->out);
        any = any || specs->name;
        print_specs(to, specs, "=");
    }
}

static void print_rest(const ShSheet *to, const char *results, const char *example)
{
    print_line(to, "Results", results);
    if (example) {
        fputs("\nExample:\n", to->out);
        print_example(to, example);
    }
}

static void help_command(const ShSheet *to, const ShCommand *c)
{
    for (int form = 1; form <= (c->args2[0].kind != A_NONE ? 2 : 1); form++) {
        ThText synopsis = {0};
        sh_synopsis(&synopsis, c, form);
        fprintf(to->out, "%s\n", synopsis.data ? synopsis.data : c->name);
        th_text_free(&synopsis);
    }
    sh_wrap(to, 4, c->summary);
    print_paragraphs(to, c->detail);
    print_all_options(to, c, NULL);
    print_rest(to, c->results, c->example);
}

/* A kind; c: the command whose second word it is, or NULL. */
static void help_kind(const ShSheet *to, const ShFamily *f, const ShKindRow *k, const ShCommand *c)
{
    ThText synopsis = {0};
    sh_kind_synopsis(&synopsis, f, k);
    fprintf(to->out, "%s\n", synopsis.data ? synopsis.data : k->name);
    th_text_free(&synopsis);
    sh_wrap(to, 4, k->summary);
    print_paragraphs(to, k->detail);
    print_paragraphs(to, c ? c->detail : NULL);
    print_all_options(to, c, k);
    if (k->context > 0)
        fprintf(to->out, "\nContext: %d tokens unless context= is given\n", k->context);
    print_rest(to, c ? c->results : NULL, k->example);
    print_line(to, "Source", k->source);
}

static void print_kinds(const ShSheet *to, const ShFamily *f, const char *before)
{
    for (size_t i = 0; i < f->count(); i++) {
        ThText name = {0};
        ShKindRow k = f->row(i);
        th_text_printf(&name, "%s%s", before, k.name);
        sh_wrap_row(to, name.data ? name.data : k.name, k.summary);
        th_text_free(&name);
    }
}

/* A command in a list, or each of its second words. */
static void print_command_row(const ShSheet *to, const ShCommand *c)
{
    char typed[SH_COMMAND_NAME];
    const ShFamily *f = sh_family_of_command(c);
    if (f)
        print_kinds(to, f, f->before);
    else
        sh_wrap_row(to, sh_command_typed(c, typed), c->summary);
}

static bool help_group(const ShSheet *to, const char *group)
{
    size_t n;
    bool found = false;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(commands[i]->group, group) != 0)
            continue;
        print_command_row(to, commands[i]);
        found = true;
    }
    return found;
}

static void help_all(const ShSheet *to)
{
    size_t n;
    const ShCommandGroup *group = sh_command_groups(&n);
    for (size_t g = 0; g < n; g++) {
        fprintf(to->out, "%s%s\n", g ? "\n" : "", group[g].name);
        help_group(to, group[g].name);
    }
}

static void builtin_call(ThText *t, const ThAutomatonBuiltin *b)
{
    th_text_add(t, b->name);
    for (int i = 0; i < b->n_arguments; i++)
        th_text_printf(t, "%s%s", i ? ", " : "(", b->argument[i].name);
    th_text_add(t, b->n_arguments ? ")" : "");
}

static void help_builtin(const ShSheet *to, const ThAutomatonBuiltin *b)
{
    ThText call = {0};
    builtin_call(&call, b);
    fprintf(to->out, "automaton NAME = %s\n", call.data ? call.data : b->name);
    th_text_free(&call);
    sh_wrap(to, 4, b->summary);
    for (int i = 0; i < b->n_arguments; i++) {
        fprintf(to->out, "    %s   integer from %d to %d", b->argument[i].name,
                b->argument[i].least, b->argument[i].most);
        if (b->argument[i].fallback > 0)
            fprintf(to->out, "; default %d", b->argument[i].fallback);
        fputc('\n', to->out);
    }
}

static void help_results(const ShSheet *to)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    sh_wrap(
        to, 0,
        "Commands leave figures behind, which assert and echo read by name until another command "
        "sets its own; with set format json they are the members of the object that a command "
        "prints, beside its tables.  With set format csv a command prints its tables, between "
        "which "
        "there is an empty line, or its figures as a row where it has none; definitions print "
        "nothing, and tables of commands that follow each other, also by >>, are one where they "
        "have the same columns.  Of what models answer, each row begins with model, architecture, "
        "task and seed.");
    fputc('\n', to->out);
    for (size_t i = 0; i < n; i++) {
        char typed[SH_COMMAND_NAME];
        if (commands[i]->results)
            sh_wrap_row(to, sh_command_typed(commands[i], typed), commands[i]->results);
    }
}

static void help_formats(const ShSheet *to)
{
    ShFileKind k;
    for (size_t i = 0; sh_file_kind(i, &k); i++) {
        ThText text = {0};
        th_text_printf(&text, "%s (%s)", k.summary,
                       k.saves && k.loads ? "save and load"
                       : k.saves          ? "save"
                                          : "load");
        sh_wrap_row(to, k.extension, text.data ? text.data : k.summary);
        th_text_free(&text);
    }
    sh_wrap_row(to, ".csv .json .txt", "tables and results (COMMAND > FILE)");
    size_t n;
    const ThFormat *const *f = th_format_all(&n);
    fputs("\nTuring machines, by what a file holds or by format=:\n", to->out);
    for (size_t i = 0; i < n; i++)
        if (f[i]->looks)
            sh_wrap_row(to, f[i]->name, f[i]->looks);
}

/* The families of which a topic is the list. */
static void list_kinds(const ShSheet *to, const char *topic)
{
    size_t n;
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        if (f[i].second_word || strcmp(f[i].topic, topic) != 0)
            continue;
        fprintf(to->out, "kinds of %s, for %sKIND:\n", f[i].word, f[i].before);
        print_kinds(to, &f[i], "");
        return;
    }
}

static void list_builtins(const ShSheet *to)
{
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    fputs("built-in automata, for automaton NAME = EXPRESSION:\n", to->out);
    for (size_t i = 0; i < n; i++) {
        ThText call = {0};
        builtin_call(&call, &b[i]);
        sh_wrap_row(to, call.data ? call.data : b[i].name, b[i].summary);
        th_text_free(&call);
    }
}

static void list_functions(const ShSheet *to)
{
    size_t n;
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    fputs("functions of automaton expressions:\n", to->out);
    for (size_t i = 0; i < n; i++) {
        ThText call = {0};
        th_text_printf(&call, "%s(%s)", f[i].name, f[i].arguments);
        sh_wrap_row(to, call.data ? call.data : f[i].name, f[i].summary);
        th_text_free(&call);
    }
}

static void list_automata(const ShSheet *to)
{
    list_builtins(to);
    fputc('\n', to->out);
    list_functions(to);
}

static void print_guide(const ShSheet *to, const char *const *paragraph)
{
    for (size_t i = 0; paragraph[i]; i++) {
        fputs(i > 0 ? "\n" : "", to->out);
        sh_wrap(to, 0, paragraph[i]);
    }
}

static void help_rasp(const ShSheet *to)
{
    size_t n;
    const ShRaspTopic *t = sh_rasp_topics(&n);
    print_guide(to, sh_rasp_guide);
    fputc('\n', to->out);
    fputs("What is always there:\n", to->out);
    for (size_t i = 0; i < n; i++) {
        fprintf(to->out, "  %s\n", t[i].call);
        sh_wrap(to, 6, t[i].summary);
    }
}

static void help_words(const ShSheet *to)
{
    size_t n;
    const ShTerm *t = sh_glossary(&n);
    sh_wrap(to, 0, "Words of the field: what they mean, and behind the colon what to type.");
    for (size_t i = 0; i < n; i++) {
        ThText text = {0};
        sh_term_write(&t[i], &text);
        sh_wrap_row(to, t[i].term, text.data ? text.data : t[i].is);
        th_text_free(&text);
    }
}

static void help_topic(const ShSheet *to, const char *topic)
{
    if (strcmp(topic, "all") == 0)
        help_all(to);
    else if (strcmp(topic, "examples") == 0)
        sh_help_examples(to);
    else if (strcmp(topic, "tutorial") == 0)
        sh_help_tutorial(to);
    else if (strcmp(topic, "syntax") == 0)
        sh_wrap(to, 0, sh_syntax_text);
    else if (strcmp(topic, "automata") == 0)
        list_automata(to);
    else if (strcmp(topic, "functions") == 0)
        list_functions(to);
    else if (strcmp(topic, "rasp") == 0)
        help_rasp(to);
    else if (strcmp(topic, "weights") == 0)
        print_guide(to, sh_weights_guide);
    else if (strcmp(topic, "regex") == 0)
        print_guide(to, sh_regex_guide);
    else if (strcmp(topic, "variables") == 0)
        print_guide(to, sh_variables_guide);
    else if (strcmp(topic, "keys") == 0)
        print_guide(to, sh_keys_guide);
    else if (strcmp(topic, "words") == 0)
        help_words(to);
    else if (strcmp(topic, "settings") == 0)
        print_specs(to, sh_settings, "");
    else if (strcmp(topic, "formats") == 0)
        help_formats(to);
    else if (strcmp(topic, "results") == 0)
        help_results(to);
    else
        list_kinds(to, topic);
}

static bool is_topic(const char *word)
{
    size_t i = 0;
    while (sh_help_topics[i] && strcmp(sh_help_topics[i], word) != 0)
        i++;
    return sh_help_topics[i] != NULL;
}

/* Kinds of tasks and models, built-in automata, functions and settings of that name: any number may
 * fit. */
static bool help_kinds(const ShSheet *to, const char *name, bool found)
{
    size_t n;
    ShKindRow kind;
    const ShFamily *family = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        if (family[i].second_word || !sh_family_find(&family[i], name, &kind))
            continue;
        fputs(found ? "\n" : "", to->out);
        help_kind(to, &family[i], &kind, NULL);
        found = true;
    }
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(b[i].name, name) != 0)
            continue;
        fputs(found ? "\n" : "", to->out);
        help_builtin(to, &b[i]);
        found = true;
    }
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(f[i].name, name) != 0)
            continue;
        fprintf(to->out, "%sautomaton NAME = %s(%s)\n", found ? "\n" : "", name, f[i].arguments);
        sh_wrap(to, 4, f[i].summary);
        found = true;
    }
    const ShRaspTopic *t = sh_rasp_topics(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(t[i].name, name) != 0)
            continue;
        fprintf(to->out, "%s%s   in RASP\n", found ? "\n" : "", t[i].call);
        sh_wrap(to, 4, t[i].summary);
        found = true;
    }
    for (const ThOptionSpec *s = sh_settings; s->name; s++) {
        if (strcmp(s->name, name) != 0)
            continue;
        ThText values = {0};
        sh_option_values(&values, s);
        fprintf(to->out, "%sset %s VALUE   %s\n", found ? "\n" : "", name,
                values.data ? values.data : "");
        th_text_free(&values);
        sh_wrap(to, 4, s->help);
        found = true;
    }
    return found;
}

/* `help plot`: the commands whose first word it is, where it is a command itself as what else
 * there is. */
static bool help_prefix(const ShSheet *to, const char *word, bool found)
{
    size_t n, length = strlen(word);
    const char *heading = found ? "\nSee also:\n" : "";
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        const ShCommand *c = commands[i];
        bool second = strncmp(c->name, word, length) == 0 && c->name[length] == '_';
        if (!second && !(sh_family_of_command(c) && strcmp(c->name, word) == 0))
            continue;
        fputs(heading, to->out);
        heading = "";
        print_command_row(to, c);
        found = true;
    }
    return found;
}

/* A word of other programs: what does its work here. */
static bool help_synonym(const ShSheet *to, const char *word)
{
    const ShSynonym *known = sh_synonym(word);
    const ShTerm *term = known ? NULL : sh_term(word);
    ThText text = {0};
    if (term)
        sh_term_write(term, &text);
    if (known || text.data)
        sh_wrap(to, 0, known ? known->see : text.data);
    th_text_free(&text);
    return known || term;
}

/* `help scratchpad addition`. */
static bool help_second_word(const ShSheet *to, const char *topic)
{
    size_t n;
    ShKindRow kind;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        const ShFamily *f = sh_family_of_command(commands[i]);
        size_t length = strlen(commands[i]->name);
        if (!f || strncmp(topic, commands[i]->name, length) != 0 || topic[length] != '_' ||
            !sh_family_find(f, topic + length + 1, &kind))
            continue;
        help_kind(to, f, &kind, commands[i]);
        return true;
    }
    return false;
}

bool sh_help(const ShSheet *to, const char *topic, ThError *err)
{
    if (!*topic) {
        sh_help_start(to);
        return true;
    }
    char name[128];
    snprintf(name, sizeof name, "%s", topic);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    const ShCommand *c = sh_command(name);
    bool group = help_group(to, topic);
    if (group && c)
        fputs("\n", to->out);
    if (c)
        help_command(to, c);
    bool about = is_topic(name);
    if ((group || c) && about)
        fputs("\n", to->out);
    if (about)
        help_topic(to, name);
    bool found = help_second_word(to, name);
    found = help_prefix(to, name, found || c || about || group);
    found = help_kinds(to, name, found) || found;
    bool known = found || c || about || group;
    known = known || help_synonym(to, topic);
    if (!c && !about && !group && !sh_synonym(topic) && sh_help_option(NULL, name)) {
        fputs(known ? "\n" : "", to->out);
        return sh_help_option(to, name);
    }
    return known || sh_help_unknown(topic, err);
}
