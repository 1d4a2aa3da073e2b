#include "help/manual.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "automata/expression/builtins.h"
#include "automata/expression/functions.h"
#include "base/text.h"
#include "formats.h"
#include "help/help.h"
#include "session_impl.h"

/* ---- mdoc ------------------------------------------------------------------------------------ */

/* True after a word that ends with a full stop and is followed by the start of a sentence. */
static bool ends_sentence(const char *end, size_t n, char next)
{
    bool goes_on = (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9');
    return n > 1 && strchr(".?!", end[-1]) && !goes_on;
}

static void mdoc_put(FILE *out, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputs(word[i] == '\\' ? "\\e" : (const char[]){word[i], '\0'}, out);
}

/* The bytes of a word once roff's preprocessor has written what is not ASCII as \[u....]. */
static size_t mdoc_length(const char *word, size_t n)
{
    size_t length = n;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)word[i];
        length += c == '\\' ? 1 : c >= 0xc0 ? 7 : 0;
    }
    return length;
}

/* Lines that begin with a blank, as they stand.  Returns what follows them. */
static const char *mdoc_lines(FILE *out, const char *text)
{
    fputs(".Bd -literal -offset indent -compact\n", out);
    while (*text == ' ') {
        text += strspn(text, " ");
        size_t n = strcspn(text, "\n");
        fputs(n > 0 && (*text == '.' || *text == '\'') ? "\\&" : "", out);
        mdoc_put(out, text, n);
        fputc('\n', out);
        text += n;
        if (text[0] == '\n' && text[1] == ' ')
            text++;
    }
    fputs(".Ed\n", out);
    return text;
}

/* Text as mdoc input: a sentence begins a line, lines are short, nothing is taken for markup. */
static void mdoc_text(FILE *out, const char *text)
{
    size_t column = 0;
    const char *c = text;
    while (*c) {
        if (*c == '\n') {
            bool paragraph = c[1] == '\n';
            fputs(column ? "\n" : "", out);
            fputs(paragraph ? ".Pp\n" : "", out);
            c += strspn(c, "\n");
            column = 0;
            if (*c == ' ')
                c = mdoc_lines(out, c);
            continue;
        }
        size_t n = strcspn(c, " \n");
        size_t length = mdoc_length(c, n);
        if (column > 0 && column + 1 + length > 78) {
            fputc('\n', out);
            column = 0;
        }
        if (column > 0)
            column += (size_t)(fputc(' ', out) != EOF);
        else if (*c == '.' || *c == '\'')
            fputs("\\&", out);
        mdoc_put(out, c, n);
        column += length;
        c += n;
        char next = c[strspn(c, " ")];
        if (*c == ' ' && ends_sentence(c, n, next)) {
            fputc('\n', out);
            column = 0;
        }
        c += strspn(c, " ");
    }
    fputs(column ? "\n" : "", out);
}

/* A summary, which has no full stop, as a sentence. */
static void mdoc_summary(FILE *out, const char *summary)
{
    ThText t = {0};
    th_text_add(&t, summary);
    size_t n = strlen(summary);
    if (n > 0 && !strchr(".?!", summary[n - 1]))
        th_text_add(&t, ".");
    if (t.data && t.data[0] >= 'a' && t.data[0] <= 'z')
        t.data[0] = (char)(t.data[0] - 'a' + 'A');
    mdoc_text(out, t.data ? t.data : "");
    th_text_free(&t);
}

/* Text as one argument of a macro. */
static void mdoc_word(FILE *out, const char *text)
{
    fputs(" \"", out);
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            fputs("\\e", out);
        else if (*c == '"')
            fputs("\"\"", out);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void mdoc_literal(FILE *out, const char *text)
{
    fputs(".Bd -literal -offset indent\n", out);
    bool start = true;
    for (const char *c = text; *c; c++) {
        if (*c == '\n' && !c[1])
            break;
        if (start && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        start = *c == '\n';
        if (*c == '\\')
            fputs("\\e", out);
        else
            fputc(*c, out);
    }
    fputs("\n.Ed\n", out);
}

static void mdoc_options(FILE *out, const ThOptionSpec *specs)
{
    if (!specs || !specs->name)
        return;
    fputs(".Bl -tag -width Ds\n", out);
    for (; specs->name; specs++) {
        ThText values = {0};
        sh_option_values(&values, specs);
        fprintf(out, ".It Cm %s Ns =\n", specs->name);
        mdoc_text(out, specs->help);
        fputs(".Pq", out);
        mdoc_word(out, values.data ? values.data : "");
        fputc('\n', out);
        th_text_free(&values);
    }
    fputs(".El\n", out);
}

static void mdoc_synopsis(FILE *out, ThText *synopsis)
{
    fputs(".D1", out);
    mdoc_word(out, synopsis->data ? synopsis->data : "");
    fputc('\n', out);
    th_text_free(synopsis);
}

static void mdoc_form(FILE *out, const ShCommand *c, int form)
{
    ThText synopsis = {0};
    sh_synopsis(&synopsis, c, form);
    mdoc_synopsis(out, &synopsis);
}

/* The kinds that are second words of a command, as commands of their own. */
static void mdoc_second_words(FILE *out, const ShFamily *f)
{
    for (size_t i = 0; i < f->count(); i++) {
        ShKindRow k = f->row(i);
        ThText synopsis = {0};
        fprintf(out, ".It Ic %s%s\n", f->before, k.name);
        mdoc_summary(out, k.summary);
        sh_kind_synopsis(&synopsis, f, &k);
        mdoc_synopsis(out, &synopsis);
        fputs(".Pp\n", out);
        mdoc_text(out, k.detail);
        fputs(".Pp\nOptions besides those of all kinds:\n", out);
        mdoc_options(out, k.options);
        if (k.example)
            mdoc_literal(out, k.example);
        fputs(".Pp\nSource:\n", out);
        mdoc_text(out, k.source);
    }
}

static void mdoc_command(FILE *out, const ShCommand *c)
{
    char typed[SH_COMMAND_NAME];
    fprintf(out, ".It Ic %s\n", sh_command_typed(c, typed));
    fprintf(out, "%c",
            c->summary[0] >= 'a' && c->summary[0] <= 'z' ? c->summary[0] - 32 : c->summary[0]);
    mdoc_text(out, c->summary + 1);
    mdoc_form(out, c, 1);
    if (c->args2[0].kind != A_NONE)
        mdoc_form(out, c, 2);
    if (c->detail) {
        fputs(".Pp\n", out);
        mdoc_text(out, c->detail);
    }
    const ThOptionSpec *specs;
    for (size_t i = 0; (specs = sh_command_options(c, NULL, i)); i++) {
        fputs(i == 0 ? ".Pp\nOptions:\n" : "", out);
        mdoc_options(out, specs);
    }
    if (c->results) {
        fputs(".Pp\nResults:\n", out);
        mdoc_text(out, c->results);
    }
    if (c->example)
        mdoc_literal(out, c->example);
    if (sh_family_of_command(c))
        mdoc_second_words(out, sh_family_of_command(c));
}

static void mdoc_commands(FILE *out)
{
    size_t n_groups, n;
    const ShCommandGroup *group = sh_command_groups(&n_groups);
    const ShCommand *const *commands = sh_commands(&n);
    fputs(".Sh COMMANDS\n", out);
    for (size_t g = 0; g < n_groups; g++) {
        const char *name = group[g].name;
        fprintf(out, ".Ss %c%s\n.Bl -tag -width Ds\n", name[0] - 32, name + 1);
        for (size_t i = 0; i < n; i++)
            if (strcmp(commands[i]->group, name) == 0)
                mdoc_command(out, commands[i]);
        fputs(".El\n", out);
    }
}

static void mdoc_kind(FILE *out, const char *name, const char *summary, const char *detail,
                      const ThOptionSpec *options, const char *source)
{
    fprintf(out, ".It Cm %s\n", name);
    mdoc_summary(out, summary);
    if (detail) {
        fputs(".Pp\n", out);
        mdoc_text(out, detail);
    }
    mdoc_options(out, options);
    if (source) {
        fputs(".Pp\nSource:\n", out);
        mdoc_text(out, source);
    }
}

static void mdoc_families(FILE *out)
{
    size_t n;
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        if (f[i].second_word)
            continue;
        fputs(".Sh ", out);
        for (const char *c = f[i].topic; *c; c++)
            fputc(*c - 32, out);
        fprintf(out, "\nThe kinds of\n.Ic %s :\n.Bl -tag -width Ds\n", f[i].word);
        for (size_t k = 0; k < f[i].count(); k++) {
            ShKindRow row = f[i].row(k);
            mdoc_kind(out, row.name, row.summary, row.detail, row.options, row.source);
        }
        fputs(".El\n", out);
    }
}

static void mdoc_automata(FILE *out)
{
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    fputs(".Sh AUTOMATA\nThe automata that expressions know by name:\n.Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, ".It Cm %s", b[i].name);
        for (int k = 0; k < b[i].n_arguments; k++)
            fprintf(out, " %s Ar %s", k ? "," : "Ns Pq", b[i].argument[k].name);
        fputc('\n', out);
        mdoc_summary(out, b[i].summary);
        for (int k = 0; k < b[i].n_arguments; k++) {
            fprintf(out, "The argument\n.Ar %s\nis an integer from %d to %d", b[i].argument[k].name,
                    b[i].argument[k].least, b[i].argument[k].most);
            if (b[i].argument[k].fallback > 0)
                fprintf(out, ", %d where it is left out", b[i].argument[k].fallback);
            fputs(".\n", out);
        }
    }
    fputs(".El\n", out);
}

static void mdoc_functions(FILE *out)
{
    size_t n;
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    fputs(".Sh FUNCTIONS\nWhat automaton expressions can do to automata\n.Pq A, B\n"
          "and transducers\n.Pq T, U :\n.Bl -tag -width Ds\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, ".It Cm %s Ns Pq Ar", f[i].name);
        mdoc_word(out, f[i].arguments);
        fputc('\n', out);
        mdoc_summary(out, f[i].summary);
    }
    fputs(".El\n", out);
}

static void mdoc_guide(FILE *out, const char *heading, const char *const *paragraph)
{
    fprintf(out, ".Sh %s\n", heading);
    for (size_t i = 0; paragraph[i]; i++) {
        fputs(i > 0 ? ".Pp\n" : "", out);
        mdoc_text(out, paragraph[i]);
    }
}

static void mdoc_rasp(FILE *out)
{
    size_t n;
    const ShRaspTopic *t = sh_rasp_topics(&n);
    mdoc_guide(out, "RASP", sh_rasp_guide);
    fputs(".Pp\nThese are always there:\n.Bl -tag -width Ds\n", out);
    for (size_t i = 0; i < n; i++) {
        fputs(".It Xo\n", out);
        mdoc_text(out, t[i].call);
        fputs(".Xc\n", out);
        mdoc_summary(out, t[i].summary);
    }
    fputs(".El\n", out);
}

static void mdoc_settings(FILE *out)
{
    fputs(".Sh SETTINGS\nWhat\n.Ic set\nchanges:\n.Bl -tag -width Ds\n", out);
    for (const ThOptionSpec *s = sh_settings; s->name; s++) {
        ThText values = {0};
        sh_option_values(&values, s);
        fprintf(out, ".It Cm %s\n", s->name);
        mdoc_text(out, s->help);
        fputs(".Pq", out);
        mdoc_word(out, values.data ? values.data : "");
        fputc('\n', out);
        th_text_free(&values);
    }
    fputs(".El\n", out);
}

static void mdoc_formats(FILE *out)
{
    ShFileKind k;
    fputs(".Sh FORMATS\nWhat\n.Ic save\nand\n.Ic load\nunderstand:\n.Bl -tag -width Ds\n", out);
    for (size_t i = 0; sh_file_kind(i, &k); i++) {
        fprintf(out, ".It Pa %s\n", k.extension);
        mdoc_summary(out, k.summary);
        if (!k.loads || !k.saves)
            fprintf(out, ".Pq %s only\n", k.saves ? "save" : "load");
    }
    size_t n;
    const ThFormat *const *f = th_format_all(&n);
    fputs(".El\n.Pp\nTuring machines, by what a file holds or by\n.Cm format Ns = :\n"
          ".Bl -tag -width Ds\n",
          out);
    for (size_t i = 0; i < n; i++) {
        if (f[i]->looks) {
            fprintf(out, ".It Cm %s\n", f[i]->name);
            mdoc_summary(out, f[i]->looks);
        }
    }
    fputs(".El\n", out);
}

static void emit_man(FILE *out)
{
    fputs(".Sh SYNTAX\n", out);
    mdoc_text(out, sh_syntax_text);
    mdoc_commands(out);
    mdoc_families(out);
    mdoc_automata(out);
    mdoc_functions(out);
    mdoc_rasp(out);
    mdoc_guide(out, "WEIGHTS", sh_weights_guide);
    mdoc_settings(out);
    mdoc_formats(out);
}

/* ---- json ------------------------------------------------------------------------------------ */

static void add_json_options(json_t *list, const ThOptionSpec *specs)
{
    for (; specs && specs->name; specs++) {
        ThText values = {0};
        sh_option_values(&values, specs);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s*,s:s}", "name", specs->name, "values",
                                              values.data ? values.data : "", "default",
                                              specs->fallback, "help", specs->help));
        th_text_free(&values);
    }
}

static json_t *json_options(const ThOptionSpec *specs)
{
    json_t *list = json_array();
    add_json_options(list, specs);
    return list;
}

static json_t *json_all_options(const ShCommand *c, const ShKindRow *kind)
{
    json_t *list = json_array();
    const ThOptionSpec *specs;
    for (size_t i = 0; (specs = sh_command_options(c, kind, i)); i++)
        add_json_options(list, specs);
    return list;
}

static void add_json_command(json_t *list, const ShCommand *c)
{
    char typed[SH_COMMAND_NAME];
    ThText synopsis[2] = {{0}, {0}};
    sh_synopsis(&synopsis[0], c, 1);
    if (c->args2[0].kind != A_NONE)
        sh_synopsis(&synopsis[1], c, 2);
    json_array_append_new(list,
                          json_pack("{s:s,s:s,s:s,s:s*,s:s,s:s*,s:s*,s:s*,s:o}", "name",
                                    sh_command_typed(c, typed), "group", c->group, "synopsis",
                                    synopsis[0].data, "synopsis2", synopsis[1].data, "summary",
                                    c->summary, "detail", c->detail, "example", c->example,
                                    "results", c->results, "options", json_all_options(c, NULL)));
    th_text_free(&synopsis[0]);
    th_text_free(&synopsis[1]);
}

/* The kinds that are second words of a command, as commands of their own. */
static void add_json_second_words(json_t *list, const ShCommand *c, const ShFamily *f)
{
    for (size_t i = 0; i < f->count(); i++) {
        ShKindRow k = f->row(i);
        ThText synopsis = {0}, name = {0};
        sh_kind_synopsis(&synopsis, f, &k);
        th_text_printf(&name, "%s%s", f->before, k.name);
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:s,s:s*,s:s*,s:s*,s:o}", "name", name.data,
                                        "group", c->group, "synopsis", synopsis.data, "summary",
                                        k.summary, "detail", k.detail, "example", k.example,
                                        "results", c->results, "options", json_all_options(c, &k)));
        th_text_free(&synopsis);
        th_text_free(&name);
    }
}

static json_t *json_commands(void)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        if (sh_family_of_command(commands[i]))
            add_json_second_words(list, commands[i], sh_family_of_command(commands[i]));
        else
            add_json_command(list, commands[i]);
    }
    return list;
}

static json_t *json_kinds(void)
{
    size_t n;
    json_t *all = json_object();
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        json_t *list = json_array();
        for (size_t k = 0; k < f[i].count() && !f[i].second_word; k++) {
            ShKindRow row = f[i].row(k);
            json_array_append_new(list,
                                  json_pack("{s:s,s:s,s:o}", "name", row.name, "summary",
                                            row.summary, "options", json_options(row.options)));
        }
        if (f[i].second_word)
            json_decref(list);
        else
            json_object_set_new(all, f[i].topic, list);
    }
    return all;
}

static bool emit_json(FILE *out)
{
    json_t *kinds = json_kinds();
    json_t *all = json_pack("{s:o,s:o,s:o}", "commands", json_commands(), "kinds", kinds,
                            "settings", json_options(sh_settings));
    bool ok = all && json_dumpf(all, out, JSON_INDENT(1)) == 0;
    fputc('\n', out);
    json_decref(all);
    return ok;
}

/* ---- examples -------------------------------------------------------------------------------- */

static void emit_example(FILE *out, const char *name, const char *example, bool slow)
{
    size_t n = example ? strlen(example) : 0;
    if (n > 0)
        fprintf(out, "##! %s %s\n%s%s", name, slow ? "slow" : "quick", example,
                example[n - 1] == '\n' ? "" : "\n");
}

/* Every example after a line `##! NAME quick|slow`. */
static void emit_examples(FILE *out)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        const ShCommand *c = commands[i];
        const ShFamily *f = sh_family_of_command(c);
        emit_example(out, c->name, c->example, c->flags & C_SLOW_EXAMPLE);
        for (size_t k = 0; f && k < f->count(); k++) {
            char name[2 * SH_COMMAND_NAME];
            ShKindRow row = f->row(k);
            snprintf(name, sizeof name, "%s_%s", c->name, row.name);
            emit_example(out, name, row.example, c->flags & C_SLOW_EXAMPLE);
        }
    }
}

bool sh_emit(FILE *out, const char *what)
{
    if (strcmp(what, "man") == 0)
        emit_man(out);
    else if (strcmp(what, "bash") == 0)
        sh_emit_bash(out);
    else if (strcmp(what, "vim") == 0)
        sh_emit_vim(out);
    else if (strcmp(what, "json") == 0)
        return emit_json(out);
    else if (strcmp(what, "examples") == 0)
        emit_examples(out);
    else
        return false;
    return true;
}
