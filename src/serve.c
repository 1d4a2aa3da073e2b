#include "serve.h"

#include "language/operand.h"
#include "rasp.h"
#include "terminal/complete.h"
#include "terminal/diagnostics.h"
#include "terminal/signals.h"

/* What a request is about: its text, and the members of the answer besides done and status. */
typedef bool Request(ShSession *s, const char *text, json_t *answer);

static bool run(ShSession *s, const char *text, json_t *answer TH_UNUSED)
{
    return sh_shell_text(s, text, "<cell>");
}

static bool complete(ShSession *s, const char *text, json_t *answer)
{
    ShCandidates c = {0};
    size_t start = strlen(text);
    while (start > 0 && !strchr(" \t\n(),=|&", text[start - 1]))
        start--;
    sh_complete(s, text, start, &c);
    json_t *matches = json_array();
    for (size_t i = 0; i < c.n; i++)
        json_array_append_new(matches, json_string(c.item[i]));
    sh_candidates_free(&c);
    return json_object_set_new(answer, "matches", matches) == 0 &&
           json_object_set_new(answer, "start", json_integer((json_int_t)start)) == 0;
}

static bool incomplete(ShSession *s, const char *text, json_t *answer)
{
    ThError err = {0};
    ThRaspDialect dialect = sh_rasp_dialect(s);
    ShLexer lx TH_OWNED(sh_lex_free) = {.rasp = &dialect};
    sh_lex_begin(&lx, 1);
    bool whole = sh_lex(&lx, text, strlen(text), &err) || err.code != TH_EINCOMPLETE;
    return json_object_set_new(answer, "incomplete", json_boolean(!whole)) == 0;
}

/* An operand: the literal word, or what it is called and the kinds of objects that it may name. */
static json_t *describe_operand(const ShArg *a)
{
    json_t *kinds = json_array();
    ShArgKind kind = a->kind == A_AUTOMATON_EXPRESSION ? A_AUTOMATON : a->kind;
    for (int k = 0; k < SH_N_KINDS; k++)
        if (sh_operand_takes(kind, k))
            json_array_append_new(kinds, json_string(sh_kind_name(k)));
    bool raw = a->kind == A_RAW || a->kind == A_NEW;
    return json_pack("{s:s, s:b, s:b, s:b, s:b, s:o}", "name", a->name, "keyword",
                     a->kind == A_KEYWORD, "optional", a->flags & A_OPTIONAL, "repeated",
                     a->flags & A_REPEATED, "raw", raw, "kinds", kinds);
}

static json_t *describe_form(const ShArg *args)
{
    json_t *form = json_array();
    for (const ShArg *a = args; a < args + 8 && a->kind != A_NONE; a++)
        json_array_append_new(form, describe_operand(a));
    return form;
}

/* The table of commands, for who makes methods of them. */
static bool commands(ShSession *s, const char *text, json_t *answer)
{
    (void)s, (void)text;
    size_t n;
    char typed[SH_COMMAND_NAME];
    const ShCommand *const *c = sh_commands(&n);
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:[o,o]}", "name",
                                             sh_command_typed(c[i], typed), "summary",
                                             c[i]->summary, "forms", describe_form(c[i]->args),
                                             describe_form(c[i]->args2)));
    return json_object_set_new(answer, "commands", all) == 0;
}

static const struct {
    const char *name;
    Request *request;
} requests[] = {
    {"run", run}, {"complete", complete}, {"incomplete", incomplete}, {"commands", commands}};

static bool answer_line(ShSession *s, const char *line, size_t n, json_t *answer)
{
    json_error_t why;
    json_t *asked TH_OWNED(json_decref) = json_loadb(line, n, JSON_REJECT_DUPLICATES, &why);
    const char *text = NULL;
    bool ok = false;
    for (size_t i = 0; !text && i < sizeof requests / sizeof *requests; i++) {
        text = json_string_value(json_object_get(asked, requests[i].name));
        ok = text && requests[i].request(s, text, answer);
    }
    ThError err = {0};
    if (!text) {
        th_fail(&err, TH_EUSAGE, "not a request: %s",
                asked ? "it has none of run, complete, incomplete, commands" : why.text);
        sh_print_error(s, &err);
    }
    return ok;
}

void sh_serve(ShSession *s)
{
    char *line TH_OWNED(free) = NULL;
    size_t cap = 0;
    json_int_t number = 0;
    for (ssize_t n; !s->leaving && !s->broken_pipe && !sh_terminated() &&
                    (n = getline(&line, &cap, stdin)) > 0;) {
        json_t *answer = json_object();
        sh_signals_clear();
        bool ok = answer_line(s, line, (size_t)n, answer);
        const char *status = sh_interrupted() ? "interrupted" : ok ? "ok" : "error";
        json_object_set_new(answer, "done", json_integer(++number));
        json_object_set_new(answer, "status", json_string(status));
        json_dumpf(answer, stdout, JSON_COMPACT);
        json_decref(answer);
        putchar('\n');
        fflush(stdout);
    }
    sh_signals_clear();
}
