#include "help/manual.h"

#include "help/help.h"
#include "help/pages.h"
#include "session_impl.h"

/* ---- json ------------------------------------------------------------------------------------ */

static void add_json_options(json_t *list, const ThOptionSpec *specs)
{
    for (; specs && specs->name; specs++) {
        ThText values TH_OWNED(th_text_free) = {0};
        sh_option_values(&values, specs);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s*,s:s}", "name", specs->name, "values",
                                              th_text_string(&values), "default", specs->fallback,
                                              "help", specs->help));
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
        ThText synopsis TH_OWNED(th_text_free) = {0}, name TH_OWNED(th_text_free) = {0};
        sh_kind_synopsis(&synopsis, f, &k);
        th_text_printf(&name, "%s%s", f->before, k.name);
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:s,s:s*,s:s*,s:s*,s:o}", "name", name.data,
                                        "group", c->group, "synopsis", synopsis.data, "summary",
                                        k.summary, "detail", k.detail, "example", k.example,
                                        "results", c->results, "options", json_all_options(c, &k)));
    }
}

static json_t *json_commands(void)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        if (sh_family_of_command(commands[i]))
            add_json_second_words(list, commands[i], sh_family_of_command(commands[i]));
        else
            add_json_command(list, commands[i]);
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
    json_t *all TH_OWNED(json_decref) =
        json_pack("{s:o,s:o,s:o}", "commands", json_commands(), "kinds", kinds, "settings",
                  json_options(sh_settings));
    bool ok = all && json_dumpf(all, out, JSON_INDENT(1)) == 0;
    fputc('\n', out);
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
        sh_emit_pages(out, SH_MDOC);
    else if (strcmp(what, "markdown") == 0)
        sh_emit_pages(out, SH_MARKDOWN);
    else if (strcmp(what, "words") == 0)
        sh_emit_words(out);
    else if (strcmp(what, "json") == 0)
        return emit_json(out);
    else if (strcmp(what, "examples") == 0)
        emit_examples(out);
    else
        return false;
    return true;
}
