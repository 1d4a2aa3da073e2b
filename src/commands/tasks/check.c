/* check.c - reading scratchpads back. */

#include "commands/inspection/proofs.h"

static const char kinds[] = "any"
#define KIND(name) "|" #name
#include "scratchpad/kinds.def"
#undef KIND
    ;

static const ThOptionSpec options[] = {
    {"kind", TH_CHOICE, "any", 0, 0, kinds, "what it is; any: recognised by how it begins"},
    {"style", TH_STRING, NULL, 0, 0, NULL,
     "its layout, as style= or variant= of scratchpad; default: recognised"},
    {"machine", TH_STRING, NULL, 0, 0, NULL,
     "the machine whose rules must be followed; default: those that the run itself shows"},
    {"model", TH_STRING, NULL, 0, 0, NULL,
     "of a certificate: its model; what check certificate does, with task= as it takes TASK"},
    {"task", TH_STRING, NULL, 0, 0, NULL, "the task on which the model is claimed to be right"},
    {"domain", TH_STRING, NULL, 0, 0, NULL, "as of check certificate"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* What the kinds may be told. */
static const ThOptionSpec *kind_options(size_t i)
{
    size_t n;
    const ThPadKind *const *kind = th_pad_kinds(&n);
    static const ThOptionSpec none[] = {{0}};
    if (i >= n)
        return NULL;
    return kind[i]->check_options ? kind[i]->check_options : none;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool rules_of(ShSession *s, const ShCall *call, ThPadCheckRules *r, ThError *err)
{
    const ThOptions *o = &call->options;
    *r = (ThPadCheckRules){.options = o};
    r->kind = th_pad_kind(th_option_text(o, "kind"));
    r->style = th_option_text(o, "style");
    if (th_option_given(o, "machine")) {
        ShObject *m = sh_need_object(s, th_option_text(o, "machine"), SH_MACHINE, err);
        if (!m)
            return false;
        r->machine = m->as.machine;
    }
    if (!r->style || th_pad_style_known(r->kind, r->style))
        return true;
    return th_fail(err, TH_EUSAGE, "no layout of %s is called '%s'",
                   r->kind ? r->kind->name : "scratchpads", r->style) ||
           th_hint(err, "help scratchpad lists the values of style= and variant=");
}

/* ---- what was found -------------------------------------------------------------------------- */

/* The line with the slip, as much as fits, and a mark below it. */
static void show_line(ShSession *s, const char *text, size_t size, const ThPadChecked *c)
{
    enum { BEFORE = 40, WIDTH = 72 };
    size_t from = c->offset, to = c->offset;
    while (from > 0 && text[from - 1] != '\n' && c->offset - from < BEFORE)
        from--;
    while (from < c->offset && ((unsigned char)text[from] & 0xc0) == 0x80)
        from++;
    while (to < size && text[to] != '\n' && to - from < WIDTH)
        to++;
    while (to < size && to > c->offset && ((unsigned char)text[to] & 0xc0) == 0x80)
        to--;
    if (!th_utf8_valid(text + from, to - from))
        return;
    char *before TH_OWNED(free) = th_strndup(text + from, c->offset - from, NULL);
    if (before)
        sh_say(s, "  %.*s\n  %*s^\n", (int)(to - from), text + from, th_utf8_width(before), "");
}

static const char *kind_name(const ThPadChecked *c)
{
    return c->kind ? c->kind->name : "unknown";
}

static void say_checked(ShSession *s, const char *text, size_t size, const ThPadChecked *c)
{
    const char *style = c->style;
    sh_say(s, "%s%s%s%s: ", kind_name(c), *style ? " (" : "", style, *style ? ")" : "");
    if (c->slip == TH_PAD_SLIP_NONE) {
        sh_say(s, "right, %zu line%s%s\n", c->lines, sh_plural(c->lines),
               c->misprint ? ", but for a misprint of the paper" : "");
        return;
    }
    sh_say(s, "%s at line %zu, column %zu: ", th_pad_slip_name(c->slip), c->line, c->column);
    if (*c->expected && *c->found)
        sh_say(s, "%s where %s is due\n", c->found, c->expected);
    else if (*c->expected)
        sh_say(s, "%s is due\n", c->expected);
    else
        sh_say(s, "%s behind the end\n", c->found);
    if (size > 0)
        show_line(s, text, size, c);
}

static void set_figures(ShSession *s, const ThPadChecked *c)
{
    sh_results(s,
               "right:b kind:s style:s first_error:s line:i column:i lines:i expected:s found:s "
               "misprint:b",
               c->slip == TH_PAD_SLIP_NONE, kind_name(c), c->style, th_pad_slip_name(c->slip),
               (long long)c->line, (long long)c->column, (long long)c->lines, c->expected, c->found,
               c->misprint);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    const ThPadCheckRules *rules;
    long long n, right, slips[TH_PAD_SLIP_FORMAT + 1];
} Tally;

static bool check_record(Tally *t, const char *text, size_t size, ThError *err)
{
    ThPadChecked c;
    if (th_stopped(sh_stop(t->s), err) || !th_pad_check(text, size, t->rules, &c, err))
        return false;
    t->n++;
    t->right += c.slip == TH_PAD_SLIP_NONE;
    t->slips[c.slip]++;
    if (c.slip)
        sh_row(t->s, t->n, kind_name(&c), th_pad_slip_name(c.slip), (long long)c.line,
               (long long)c.column, c.expected, c.found);
    return true;
}

/* The member "text" of a record. */
static bool check_json(Tally *t, const char *line, size_t size, long long number, ThError *err)
{
    json_error_t problem;
    json_t *record = json_loadb(line, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
    const json_t *text = json_object_get(record, "text");
    bool ok = json_is_string(text);
    if (!record)
        th_fail_at(err, TH_EPARSE, (int)number, problem.column > 0 ? problem.column : 1,
                   "no JSON: %.200s", problem.text);
    else if (!ok)
        th_fail_at(err, TH_EPARSE, (int)number, 1, "the record has no member \"text\"");
    else
        ok = check_record(t, json_string_value(text), json_string_length(text), err);
    json_decref(record);
    return ok;
}

static bool check_lines(Tally *t, const char *text, size_t size, bool records, ThError *err)
{
    long long number = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) - at : size - at;
        number++;
        if (n > 0 && !(records ? check_json(t, text + at, n, number, err)
                               : check_record(t, text + at, n, err)))
            return false;
        at += n + 1;
    }
    return true;
}

static bool check_file(ShSession *s, const ShOperand *file, const ThPadCheckRules *rules,
                       ThError *err)
{
    enum { MOST_BYTES = 1 << 30 };
    size_t size, length = strlen(file->text);
    char *text TH_OWNED(free) = th_file_read(file->text, MOST_BYTES, &size, err);
    if (!text)
        return sh_error_inside(err, file);
    Tally t = {.s = s, .rules = rules};
    bool records = length > 6 && strcmp(file->text + length - 6, ".jsonl") == 0;
    sh_table(s, "errors", "record:i kind:s first_error:s line:i column:i expected:s found:s");
    bool ok = check_lines(&t, text, size, records, err);
    sh_table_end(s);
    if (!ok) {
        char where[64] = "";
        if (err && err->line > 0)
            snprintf(where, sizeof where, "line %d, column %d: ", err->line, err->col);
        ThError inside = err ? *err : (ThError){0};
        if (err)
            *err = (ThError){0};
        return sh_fail_operand(err, file, inside.code, "%s%.400s", where, inside.msg);
    }
    sh_results(s, "checked:i right:i", (long long)t.n, (long long)t.right);
    sh_say(s, "%lld of %lld right", t.right, t.n);
    for (int i = TH_PAD_SLIP_COPY; i <= TH_PAD_SLIP_FORMAT; i++)
        if (t.slips[i])
            sh_say(s, ", %s %lld", th_pad_slip_name((ThPadSlip)i), t.slips[i]);
    sh_say(s, "\n");
    return true;
}

/* What certificates were checked by before they had a command of their own. */
static bool check_as_certificate(ShSession *s, const ShCall *call, ThError *err)
{
    const ThOptions *o = &call->options;
    const char *name = th_option_text(o, "model");
    ShObject *m = sh_need_object(s, name, SH_MODEL, err);
    if (!m)
        return false;
    if (!th_option_given(o, "task"))
        return th_fail(err, TH_EUSAGE, "a certificate is checked against a task") ||
               th_hint(err, "check certificate \"%s\" of %s on TASK", call->operand[0].text, name);
    ShObject *t = sh_need_object(s, th_option_text(o, "task"), SH_TASK, err);
    if (!t)
        return false;
    sh_say_once(s, "note: check file with model= is check certificate FILE of MODEL on TASK\n");
    return sh_check_certificate(s, call, m, t, err);
}

SH_COMMAND(check, .group = "tasks",
           .summary = "say whether every line of a scratchpad follows from the one before",
           .detail =
               "Reads a scratchpad of any kind and layout that scratchpad writes, with or without "
               "<|BOS|> and <|EOS|>, and compares each line with what the lines before ask for.  "
               "At the first place that is wrong it says the line (the question is line 1), the "
               "column, and the kind of error:\n\n"
               "  copy: what should stay the same does not\n"
               "  digit: a digit, or a prediction or step of sgd, is wrong\n"
               "  carry: a carry is wrong\n"
               "  write: a wrong symbol is written\n"
               "  move: the mark of the head is missing, or in the wrong place\n"
               "  state: a wrong state, or wrong weights of sgd\n"
               "  early end: it ends, or answers, before it is done\n"
               "  format: what cannot stand there\n\n"
               "A wrong line is an answer, and no failure of the command: the results right, "
               "first_error, line and column tell it to assert.  With the word file, every line of "
               "a .txt file is checked, or the member text of every record of a .jsonl file; those "
               "that are wrong are listed.  With model= and task= the file is a certificate, as "
               "check certificate takes it.\n\n"
               "Where the sources contradict each other both ways are right, unless an option says "
               "which.  What the paper prints with a misprint is right, and misprint is set.  Of "
               "sgd, numbers are recomputed from the tokens of the data and may differ by "
               "tolerance=.  A run of a machine must follow machine=, or else give the same "
               "transition whenever state and symbols are the same; where the machine can stop and "
               "has not, a run of several steps ends early, unless steps= says how many it has.",
           .example = "check \"99+1|9j+b(1,0)|j+^(1,00)|^+^(0,100)|100\"\n"
                      "#> addition (compact): right, 5 lines\n"
                      "check \"99+1|9j+b(1,0)|j+^(0,00)|^+^(0,100)|100\"\n"
                      "#> addition (compact): carry at line 3, column 5: 0 where 1 is due\n"
                      "#>   99+1|9j+b(1,0)|j+^(0,00)|^+^(0,100)|100\n"
                      "#>                      ^\n"
                      "assert first_error == \"carry\" and line == 3\n"
                      "scratchpad multiplication count=100 > \"products.jsonl\"\n"
                      "check file \"products.jsonl\"\n"
                      "#> 100 of 100 right",
           .results = "right kind style first_error line column lines expected found misprint "
                      "checked holds in_float in_double checks tightest tolerance rounding why",
           .args = {{A_TEXT, "TEXT", 0}}, .args2 = {{A_KEYWORD, "file", 0}, {A_FILE, "FILE", 0}},
           .options = options, .more_options = kind_options, .flags = C_PAGED)
{
    ThPadCheckRules rules;
    ThPadChecked c;
    if (call->form == 2 && th_option_given(&call->options, "model"))
        return check_as_certificate(s, call, err);
    if (!rules_of(s, call, &rules, err))
        return false;
    if (call->form == 2)
        return check_file(s, &call->operand[0], &rules, err);
    const ShOperand *o = &call->operand[0];
    const char *text = o->text;
    const ShObject *named = o->quoted ? NULL : sh_find(s, text);
    if (named)
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is %s, no text", text,
                               sh_a_kind(named->kind));
    if (!th_pad_check(text, strlen(text), &rules, &c, err))
        return false;
    set_figures(s, &c);
    say_checked(s, text, strlen(text), &c);
    return true;
}
