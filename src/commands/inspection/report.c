/* report.c - one page about a model and what it should have learned: what other commands say. */
#include <unistd.h>

#include "shell.h"

#define WANTED "report_wanted"
#define FOUND  "report_found"

/* %m is the model, %t the task as it was typed, %l the lengths. */
static const struct {
    const char *title, *command;
    bool drawn; /* what it draws is a picture of a page */
} sections[] = {{"The model", "show %m", false},
                {"Accuracy by length", "evaluate %m on %t%l", false},
                {"First wrong strings", "compare %m %t", false},
                {"The automaton that it should be", "show " WANTED, false},
                {"", "plot " WANTED, true},
                {"The automaton that it is", "extract " FOUND " from %m on %t", false},
                {"", "show " FOUND, false},
                {"", "plot " FOUND, true},
                {"Clusters of its vectors", "clusters %m on %t", false},
                {"Certificate", "certify %m on %t", false}};
enum { SECTIONS = sizeof sections / sizeof *sections };

static const ThOptionSpec report_options[] = {
    {"length", TH_RANGE, "41..500:51", 1, 1000000, NULL, "lengths of the strings"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Returns new: a command with the names put in, and behind it `more`. */
static char *command_of(const ShCall *call, const char *pattern, const char *more, ThError *err)
{
    ThText t = {0};
    for (const char *c = pattern; *c; c++)
        if (c[0] != '%')
            th_text_add_bytes(&t, c, 1);
        else if (*++c == 'm')
            th_text_add(&t, call->operand[0].text);
        else if (*c == 't')
            th_text_add(&t, call->operand[1].text);
        else
            th_text_printf(&t, " length=%s", th_option_text(&call->options, "length"));
    th_text_add(&t, more);
    return th_text_take(&t, err);
}

/* Appends what a command prints, or why it fails.  False where it is stopped. */
static bool run_into(ShSession *s, const char *command, ThText *to, ThError *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *before = s->out.stream, *buffer = open_memstream(&text, &size);
    ShOutputFormat format = s->out.format;
    ThError own = {0};
    ShLexer lx = {0};
    if (!buffer)
        return th_fail(err, TH_ENOMEM, "out of memory");
    s->out.stream = buffer;
    s->out.format = SH_FORMAT_TEXT;
    sh_lex_begin(&lx, 1);
    bool ok = sh_lex(&lx, command, strlen(command), &own);
    if (ok)
        ok = sh_execute(s, &(ShStatement){&lx, 0, lx.n > 0 ? lx.n - 1 : 0}, &own);
    s->out.stream = before;
    s->out.format = format;
    sh_lex_free(&lx);
    fclose(buffer);
    th_text_add_bytes(to, text, size);
    free(text);
    if (!ok && (own.code == TH_EINTERRUPTED || th_stopped(sh_stop(s), NULL)))
        return th_fail(err, TH_EINTERRUPTED, "interrupted");
    if (!ok)
        th_text_printf(to, "not said: %s\n%s%s", own.msg, own.hint, own.hint[0] ? "\n" : "");
    return true;
}

static void add_escaped(ThText *t, const char *text)
{
    for (const char *c = text; c && *c; c++)
        if (strchr("<>&", *c))
            th_text_add(t, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
        else
            th_text_add_bytes(t, c, 1);
}

/* Appends a picture, as it stands in a page; nothing where it cannot be drawn. */
static bool add_picture(ShSession *s, const ShCall *call, size_t i, ThText *page, ThError *err)
{
    size_t n;
    ThText file = {0}, more = {0}, said TH_OWNED(th_text_free) = {0};
    th_text_printf(&file, "%s-%ld.svg", call->redirect, (long)getpid());
    char *path TH_OWNED(free) = th_text_take(&file, err);
    th_text_add(&more, " > ");
    th_text_quoted(&more, path ? path : "");
    char *to TH_OWNED(free) = path ? th_text_take(&more, err) : NULL;
    char *command TH_OWNED(free) = to ? command_of(call, sections[i].command, to, err) : NULL;
    bool ok = command && run_into(s, command, &said, err);
    char *svg TH_OWNED(free) = ok ? th_file_read(path, 1 << 24, &n, NULL) : NULL;
    const char *from = svg ? strstr(svg, "<svg") : NULL;
    if (from)
        th_text_printf(page, "<div>%s</div>\n", from);
    if (path)
        unlink(path);
    return ok;
}

static bool add_section(ShSession *s, const ShCall *call, size_t i, bool html, ThText *page,
                        ThError *err)
{
    ThText said TH_OWNED(th_text_free) = {0};
    if (sections[i].drawn)
        return !html || add_picture(s, call, i, page, err);
    char *command TH_OWNED(free) = command_of(call, sections[i].command, "", err);
    if (!command || !run_into(s, command, &said, err))
        return false;
    if (sections[i].title[0])
        th_text_printf(page, html ? "<h2>%s</h2>\n" : "%s\n\n", sections[i].title);
    if (html)
        th_text_add(page, "<pre>");
    (html ? add_escaped : th_text_add)(page, th_text_string(&said));
    th_text_add(page, html ? "</pre>\n" : "\n");
    return true;
}

static bool write_page(ShSession *s, const ShCall *call, bool html, ThText *page, ThError *err)
{
    const char *head = "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                       "<style>body{max-width:60em;margin:2em auto;font-family:sans-serif}"
                       "pre{overflow-x:auto;background:#f4f4f4;padding:1em}</style>\n";
    char *title TH_OWNED(free) = command_of(call, "%m on %t", "", err);
    if (html) {
        th_text_printf(page, "%s<title>", head);
        add_escaped(page, title);
        th_text_add(page, "</title>\n<h1>");
    }
    (html ? add_escaped : th_text_add)(page, title ? title : "");
    th_text_add(page, html ? "</h1>\n" : "\n\n");
    for (size_t i = 0; i < SECTIONS; i++)
        if (!add_section(s, call, i, html, page, err))
            return false;
    if (html)
        th_text_add(page, "</html>\n");
    return title != NULL;
}

/* Defines the automaton that labels the task, where there is one: classes are outputs of states. */
static bool define_wanted(ShSession *s, const ThTask *t, ThError *err)
{
    const ThDfa *d = th_task_machine(t, NULL);
    const ThSignature *g = &t->signature;
    bool accepts = g->n_classes == 2 && strcmp(g->label[1], "accept") == 0;
    ThText text = {0}, said TH_OWNED(th_text_free) = {0};
    if (!d)
        return true;
    th_text_printf(&text, "automaton " WANTED " { start q%d", d->start);
    for (int q = 0; q < d->n_states; q++) {
        int class = d->label[q];
        if (accepts && class == 1)
            th_text_printf(&text, "; accept q%d", q);
        if (!accepts && class >= 0 && class < g->n_classes) {
            th_text_printf(&text, "; output q%d ", q);
            th_text_symbol(&text, g->label[class]);
        }
        for (int a = 0; a < g->n_symbols; a++) {
            th_text_printf(&text, "; q%d ", q);
            th_text_symbol(&text, g->symbol[a]);
            th_text_printf(&text, " -> q%d", d->next[q * d->n_symbols + a]);
        }
    }
    th_text_add(&text, " }");
    char *command TH_OWNED(free) = th_text_take(&text, err);
    return command && run_into(s, command, &said, err);
}

static void drop(ShSession *s, const char *name)
{
    ShObject *o = sh_find(s, name);
    if (o)
        sh_undefine(s, o);
}

static bool put_page(ShSession *s, const ShCall *call, const char *page, ThError *err)
{
    ThFile file = {0};
    if (!call->redirect) {
        fputs(page, sh_listing(s));
        return true;
    }
    FILE *out = th_file_begin(&file, call->redirect, err);
    if (out)
        fputs(page, out);
    return out && th_file_commit(&file, err);
}

SH_COMMAND(
    report, .group = "inspection", .summary = "write one page about a model and its task",
    .detail =
        "What show, evaluate, compare, extract, clusters and certify say of a model on a task, "
        "with their defaults: accuracy by length, the first string that is answered wrong, the "
        "automaton that it should be and the one that it is, clusters, and the certificate.  "
        "What does not apply to the model or the task says why.\n\n"
        "> \"FILE.html\" writes a page for a browser, with the automata drawn; else it is "
        "text.  It takes as long as all these commands together.",
    .example = "task t = parity\nmodel m = gru dim=4\n"
               "train m on t length=1..6 steps=100 seed=1 > \"train.txt\"\n"
               "report m on t length=7..8 > \"m.html\"",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = report_options, .flags = C_OWN_REDIRECT | C_PAGED)
{
    const ThTask *t = call->operand[1].object->as.task;
    const char *to = call->redirect;
    bool html = to && (th_ends_with(to, ".html") || th_ends_with(to, ".htm"));
    if (call->append || (to && !html && !th_ends_with(to, ".txt") && !th_ends_with(to, ".md")))
        return th_fail(err, TH_EUSAGE, "a report goes to a .html or a .txt file");
    ThText page TH_OWNED(th_text_free) = {0};
    bool ok = define_wanted(s, t, err) && write_page(s, call, html, &page, err);
    drop(s, WANTED);
    drop(s, FOUND);
    s->out.command = call->command;
    return ok && put_page(s, call, th_text_string(&page), err);
}
