#include "help/help.h"

#include <stdarg.h>

#include "formats.h"
#include "help/glossary.h"
#include "help/help_start.h"
#include "session_impl.h"
#include "help/sections.h"
#include "help/synonyms.h"

const char *const sh_help_topics[] = {
    "all",       "tutorial",   "examples", "syntax",    "tasks",    "models",
    "positions", "optimizers", "automata", "functions", "rasp",     "regex",
    "logic",     "variables",  "keys",     "weights",   "settings", "formats",
    "figures",   "results",    "proofs",   "words",     NULL};

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
static void put_options(ShDocument *d, const ThOptionSpec *specs, const char *after)
{
    for (; specs && specs->name; specs++) {
        if (d->form != SH_SCREEN && strncmp(specs->help, "position=", 9) == 0)
            continue; /* the page of positional encodings has it */
        ThText values TH_OWNED(th_text_free) = {0}, name TH_OWNED(th_text_free) = {0};
        sh_option_values(&values, specs);
        th_text_printf(&name, "%s%s", specs->name, after);
        sh_document_option(d, name.data ? name.data : specs->name, th_text_string(&values),
                           specs->help);
    }
}

/* ---- topics ---------------------------------------------------------------------------------- */

/* In pages what is common to many stands in a page of its own. */
static bool stands_elsewhere(const ShDocument *d, const ShCommand *c, const ThOptionSpec *specs)
{
    return d->form != SH_SCREEN && c && c->common && c->more_options && specs == c->more_options(0);
}

/* The options of a command, of a kind, or of both. */
static void put_all_options(ShDocument *d, const ShCommand *c, const ShKindRow *kind)
{
    static const ShCommand none = {0};
    const ThOptionSpec *specs;
    bool any = false;
    for (size_t i = 0; (specs = sh_command_options(c ? c : &none, kind, i)); i++) {
        if (stands_elsewhere(d, c, specs))
            continue;
        if (!any && specs->name)
            sh_document_heading(d, "Options");
        any = any || specs->name;
        put_options(d, specs, "=");
    }
}

void sh_help_command(ShDocument *d, const ShCommand *c)
{
    for (int form = 1; form <= (c->args2[0].kind != A_NONE ? 2 : 1); form++) {
        ThText synopsis TH_OWNED(th_text_free) = {0};
        sh_synopsis(&synopsis, c, form);
        sh_document_call(d, synopsis.data ? synopsis.data : c->name);
    }
    sh_document_summary(d, c->summary);
    sh_document_detail(d, c->detail);
    if (d->form == SH_SCREEN)
        sh_document_detail(d, c->common);
    put_all_options(d, c, NULL);
    sh_document_said(d, "Results", c->results);
    sh_document_example(d, c->example);
}

/* A kind; c: the command whose second word it is, or NULL. */
void sh_help_kind(ShDocument *d, const ShFamily *f, const ShKindRow *k, const ShCommand *c)
{
    ThText synopsis TH_OWNED(th_text_free) = {0}, context TH_OWNED(th_text_free) = {0};
    sh_kind_synopsis(&synopsis, f, k);
    sh_document_call(d, synopsis.data ? synopsis.data : k->name);
    sh_document_summary(d, k->summary);
    sh_document_detail(d, k->detail);
    sh_document_detail(d, c ? c->detail : NULL);
    put_all_options(d, c, k);
    th_text_printf(&context, "%d tokens unless context= is given", k->context);
    sh_document_said(d, "Context", k->context > 0 ? context.data : NULL);
    sh_document_said(d, "Results", c ? c->results : NULL);
    sh_document_example(d, k->example);
    sh_document_said(d, "Source", k->source);
}

static void put_kinds(ShDocument *d, const ShFamily *f, const char *before)
{
    for (size_t i = 0; i < f->count(); i++) {
        ShKindRow k = f->row(i);
        char *name TH_OWNED(free) = th_printed(NULL, "%s%s", before, k.name);
        sh_document_row(d, name ? name : k.name, k.summary);
    }
}

/* A command in a list, or each of its second words. */
static void put_command_row(ShDocument *d, const ShCommand *c)
{
    char typed[SH_COMMAND_NAME];
    const ShFamily *f = sh_family_of_command(c);
    if (f)
        put_kinds(d, f, f->before);
    else
        sh_document_row(d, sh_command_typed(c, typed), c->summary);
}

static bool help_group(ShDocument *d, const char *group)
{
    size_t n;
    bool found = false;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(commands[i]->group, group) != 0)
            continue;
        put_command_row(d, commands[i]);
        found = true;
    }
    return found;
}

static void help_all(ShDocument *d)
{
    size_t n;
    const ShCommandGroup *group = sh_command_groups(&n);
    for (size_t g = 0; g < n; g++) {
        if (g > 0)
            sh_document_gap(d);
        sh_document_lead(d, group[g].name);
        help_group(d, group[g].name);
    }
}

static void builtin_call(ThText *t, const ThAutomatonBuiltin *b)
{
    th_text_add(t, b->name);
    for (int i = 0; i < b->n_arguments; i++)
        th_text_printf(t, "%s%s", i ? ", " : "(", b->argument[i].name);
    th_text_add(t, b->n_arguments ? ")" : "");
}

static void help_builtin(ShDocument *d, const ThAutomatonBuiltin *b)
{
    ThText call TH_OWNED(th_text_free) = {0};
    th_text_add(&call, "automaton NAME = ");
    builtin_call(&call, b);
    sh_document_call(d, call.data ? call.data : b->name);
    sh_document_summary(d, b->summary);
    for (int i = 0; i < b->n_arguments; i++) {
        ThText values TH_OWNED(th_text_free) = {0};
        th_text_printf(&values, "integer from %d to %d", b->argument[i].least, b->argument[i].most);
        if (b->argument[i].fallback)
            th_text_printf(&values, "; default %d", b->argument[i].fallback);
        sh_document_option(d, b->argument[i].name, th_text_string(&values), "");
    }
}

static void help_results(ShDocument *d)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    sh_document_gap(d);
    for (size_t i = 0; i < n; i++) {
        char typed[SH_COMMAND_NAME];
        if (commands[i]->results)
            sh_document_row(d, sh_command_typed(commands[i], typed), commands[i]->results);
    }
}

static void help_formats(ShDocument *d)
{
    ShFileKind k;
    for (size_t i = 0; sh_file_kind(i, &k); i++) {
        char *text TH_OWNED(free) = th_printed(NULL, "%s (%s)", k.summary,
                                               k.saves && k.loads ? "save and load"
                                               : k.saves          ? "save"
                                                                  : "load");
        sh_document_row(d, k.extension, text ? text : k.summary);
    }
    sh_document_row(d, ".csv .json .txt", "tables and results (COMMAND > FILE)");
    size_t n;
    const ThFormat *const *f = th_format_all(&n);
    sh_document_gap(d);
    sh_document_lead(d, "Turing machines, by what a file holds or by format=:");
    for (size_t i = 0; i < n; i++)
        if (f[i]->looks)
            sh_document_row(d, f[i]->name, f[i]->looks);
}

static void help_proofs(ShDocument *d)
{
    const ThProofProvable *p;
    for (int i = 0; (p = th_proof_provable(i)); i++) {
        char *text TH_OWNED(free) =
            th_printed(NULL, "%s%s", p->how, p->trained ? "; until=proved trains it" : "");
        sh_document_row(d, p->kinds, text ? text : "");
    }
}

/* The families of which a topic is the list. */
static void list_kinds(ShDocument *d, const char *topic)
{
    size_t n;
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        if (f[i].second_word || strcmp(f[i].topic, topic) != 0)
            continue;
        char *lead TH_OWNED(free) =
            th_printed(NULL, "kinds of %s, for %sKIND:", f[i].word, f[i].before);
        sh_document_lead(d, lead ? lead : "");
        put_kinds(d, &f[i], "");
        return;
    }
}

static void list_builtins(ShDocument *d)
{
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    sh_document_lead(d, "built-in automata, for automaton NAME = EXPRESSION:");
    for (size_t i = 0; i < n; i++) {
        ThText call TH_OWNED(th_text_free) = {0};
        builtin_call(&call, &b[i]);
        sh_document_row(d, call.data ? call.data : b[i].name, b[i].summary);
    }
}

static void list_languages(ShDocument *d)
{
    sh_document_lead(d, "languages by name, wherever a language is wanted:");
    for (size_t i = 0; th_language_library(i); i++)
        sh_document_row(d, th_language_library(i)->name, th_language_library(i)->summary);
}

static void list_functions(ShDocument *d)
{
    size_t n;
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    sh_document_lead(d, "functions of automaton expressions:");
    for (size_t i = 0; i < n; i++) {
        char *call TH_OWNED(free) = th_printed(NULL, "%s(%s)", f[i].name, f[i].arguments);
        sh_document_row(d, call ? call : f[i].name, f[i].summary);
    }
}

static void list_automata(ShDocument *d)
{
    list_builtins(d);
    sh_document_gap(d);
    list_languages(d);
    sh_document_gap(d);
    list_functions(d);
}

static void help_rasp(ShDocument *d)
{
    ShRaspTopic t;
    sh_document_gap(d);
    sh_document_lead(d, "What is always there:");
    for (const char *at = NULL; sh_rasp_topic_next(&at, &t);)
        sh_document_term(d, t.call, t.summary);
}

/* What the commands that draw have in common. */
static void help_figures(ShDocument *d)
{
    size_t n, i = 0;
    const ShCommand *const *commands = sh_commands(&n);
    while (i + 1 < n && !commands[i]->common)
        i++;
    sh_document_text(d, commands[i]->common);
    sh_document_heading(d, "Options");
    put_options(d, commands[i]->more_options(0), "=");
}

static void help_words(ShDocument *d)
{
    ShTerm t;
    sh_document_text(d, "Words of the field: what they mean, and behind the colon what to type.");
    for (const char *at = NULL; sh_term_next(&at, &t);) {
        ThText text TH_OWNED(th_text_free) = {0};
        sh_term_write(&t, &text);
        sh_document_row(d, t.term, text.data ? text.data : t.is);
    }
}

static void help_examples(ShDocument *d)
{
    sh_help_examples(&d->sheet);
}

static void help_tutorial(ShDocument *d)
{
    sh_help_tutorial(&d->sheet);
}

static void help_settings(ShDocument *d)
{
    put_options(d, sh_settings, "");
}

bool sh_put_guide(ShDocument *d, const char *name)
{
    ThText t TH_OWNED(th_text_free) = {0};
    if (!sh_section_text(sh_guides, name, &t))
        return false;
    sh_document_text(d, th_text_string(&t));
    return true;
}

/* A guide, a list of what there is, or one behind the other. */
void sh_help_topic(ShDocument *d, const char *topic)
{
    static const struct {
        const char *topic;
        void (*list)(ShDocument *d);
    } lists[] = {
        {"all", help_all},
        {"examples", help_examples},
        {"tutorial", help_tutorial},
        {"automata", list_automata},
        {"functions", list_functions},
        {"rasp", help_rasp},
        {"weights", sh_help_exchange},
        {"figures", help_figures},
        {"words", help_words},
        {"settings", help_settings},
        {"formats", help_formats},
        {"results", help_results},
        {"proofs", help_proofs},
    };
    sh_put_guide(d, topic);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].topic, topic) == 0)
            lists[i].list(d);
    list_kinds(d, topic);
}

static bool is_topic(const char *word)
{
    size_t i = 0;
    while (sh_help_topics[i] && strcmp(sh_help_topics[i], word) != 0)
        i++;
    return sh_help_topics[i] != NULL;
}

static void gap_if(ShDocument *d, bool found)
{
    if (found)
        sh_document_gap(d);
}

static void put_entry(ShDocument *d, const char *summary, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How something is typed, and what it is. */
static void put_entry(ShDocument *d, const char *summary, const char *format, ...)
{
    char call[200];
    va_list args;
    va_start(args, format);
    vsnprintf(call, sizeof call, format, args);
    va_end(args);
    sh_document_call(d, call);
    sh_document_summary(d, summary);
}

/* Kinds of tasks and models, built-in automata, functions and settings of that name: any number may
 * fit. */
static bool help_kinds(ShDocument *d, const char *name, bool found)
{
    size_t n;
    ShKindRow kind;
    const ShFamily *family = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        if (family[i].second_word || !sh_family_find(&family[i], name, &kind))
            continue;
        gap_if(d, found);
        sh_help_kind(d, &family[i], &kind, NULL);
        found = true;
    }
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(b[i].name, name) != 0)
            continue;
        gap_if(d, found);
        help_builtin(d, &b[i]);
        found = true;
    }
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(f[i].name, name) != 0)
            continue;
        gap_if(d, found);
        put_entry(d, f[i].summary, "automaton NAME = %s(%s)", name, f[i].arguments);
        found = true;
    }
    ShRaspTopic t;
    for (const char *at = NULL; sh_rasp_topic_next(&at, &t);) {
        if (strcmp(t.name, name) != 0)
            continue;
        gap_if(d, found);
        put_entry(d, t.summary, "%s   in RASP", t.call);
        found = true;
    }
    for (const ThOptionSpec *s = sh_settings; s->name; s++) {
        if (strcmp(s->name, name) != 0)
            continue;
        ThText values TH_OWNED(th_text_free) = {0};
        sh_option_values(&values, s);
        gap_if(d, found);
        put_entry(d, s->help, "set %s VALUE   %s", name, th_text_string(&values));
        found = true;
    }
    return found;
}

/* `help plot`: the commands whose first word it is, where it is a command itself as what else
 * there is. */
static bool help_prefix(ShDocument *d, const char *word, bool found)
{
    size_t n, length = strlen(word);
    bool heading = found;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        const ShCommand *c = commands[i];
        bool second = strncmp(c->name, word, length) == 0 && c->name[length] == '_';
        if (!second && !(sh_family_of_command(c) && strcmp(c->name, word) == 0))
            continue;
        if (heading)
            sh_document_heading(d, "See also");
        heading = false;
        put_command_row(d, c);
        found = true;
    }
    return found;
}

/* A word of other programs: what does its work here. */
static bool help_synonym(ShDocument *d, const char *word)
{
    ShSynonym synonym;
    ShTerm term;
    ThText text TH_OWNED(th_text_free) = {0};
    if (sh_synonym(word, &synonym))
        th_text_add(&text, synonym.see);
    else if (sh_term(word, &term))
        sh_term_write(&term, &text);
    if (text.data)
        sh_document_text(d, text.data);
    return text.data != NULL;
}

/* `help scratchpad addition`. */
static bool help_second_word(ShDocument *d, const char *topic)
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
        sh_help_kind(d, f, &kind, commands[i]);
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
    ShDocument d = {.sheet = *to};
    char name[128];
    snprintf(name, sizeof name, "%s", topic);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    ShSynonym synonym;
    const ShCommand *c = sh_command(name);
    bool group = help_group(&d, topic);
    if (group && c)
        sh_document_gap(&d);
    if (c)
        sh_help_command(&d, c);
    bool about = is_topic(name);
    if ((group || c) && about)
        sh_document_gap(&d);
    if (about)
        sh_help_topic(&d, name);
    bool found = help_second_word(&d, name);
    found = help_prefix(&d, name, found || c || about || group);
    found = help_kinds(&d, name, found) || found;
    bool known = found || c || about || group;
    known = known || help_synonym(&d, topic);
    if (!c && !about && !group && !sh_synonym(topic, &synonym) && sh_help_option(NULL, name)) {
        gap_if(&d, known);
        return sh_help_option(to, name);
    }
    return known || sh_help_unknown(topic, err);
}
