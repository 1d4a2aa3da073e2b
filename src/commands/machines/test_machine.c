/* test_machine.c - a file of tests for a Turing machine. */

#include "commands/languages/languages.h"
#include "commands/machines/machines.h"

enum { MOST_BYTES = 1 << 28 };

/* An error inside the file becomes one about the file, at the operand that names it. */
static bool tell_file(const ShOperand *o, const ThError *own, int line, int col, ThError *err)
{
    sh_fail_operand(err, o, own->code, "%s:%d:%d: %s", o->text, line, col, own->msg);
    return *own->hint ? th_hint(err, "%s", own->hint) : false;
}

static bool read_cases(ThTmTestCases *c, const ShOperand *file, ThError *err)
{
    ThError own = {0};
    size_t size;
    char *text TH_OWNED(free) = th_file_read(file->text, MOST_BYTES, &size, err);
    if (!text)
        return sh_error_inside(err, file);
    bool ok = strlen(text) == size;
    if (!ok)
        sh_fail_operand(err, file, TH_EPARSE, "%s holds a zero byte: it is no text", file->text);
    else if (!th_tm_test_cases_read(c, text, &own))
        ok = tell_file(file, &own, own.line, own.col, err);
    return ok;
}

/* All inputs must be words over the machine's symbols, before anything is run. */
static bool check_inputs(const ThTm *m, const ThTmTestCases *c, const ShOperand *file, ThError *err)
{
    for (size_t i = 0; i < c->n; i++) {
        const ThTmTestCase *x = &c->item[i];
        ThError own = {0};
        ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
        if (!th_tm_tape_words_read(&words, m, x->input, &own))
            return tell_file(file, &own, x->line, x->col + (own.col > 0 ? own.col - 1 : 0), err);
    }
    return true;
}

/* What a language says about the input of a case. */
static bool ask(ShSession *s, const ThLanguage *l, const ThTmTestCase *c, const ShOperand *file,
                ThTmVerdict *verdict, ThError *err)
{
    static const ThTmVerdict of[] = {TH_TM_REJECTED, TH_TM_ACCEPTED, TH_TM_OUT_OF_STEPS};
    ThLanguageAnswer answer;
    ThError own = {0};
    int n, length;
    char *const *symbol = th_language_symbols(l, &n);
    int *word TH_OWNED(free) = th_symbols_read(symbol, n, c->input, &length, &own);
    if (!word)
        return tell_file(file, &own, c->line, c->col + (own.col > 0 ? own.col - 1 : 0), err);
    bool ok = th_language_member(l, (ThLanguageWord){word, length}, sh_stop(s), &answer, err);
    *verdict = ok ? of[answer] : TH_TM_GOES_ON;
    return ok;
}

/* The same of a language that is no machine: words are members or not. */
static bool ask_cases(ShSession *s, const ShCall *call, const ThTmTestCases *c, size_t *failed,
                      ThError *err)
{
    ThLanguage *l TH_OWNED(th_language_free) = sh_language_of(s, call->operand[0].object, err);
    bool ok = l != NULL;
    *failed = 0;
    sh_table(s, "failures", "line:i input:s expected:s verdict:s");
    for (size_t i = 0; ok && i < c->n; i++) {
        const ThTmTestCase *t = &c->item[i];
        ThTmVerdict v;
        ok = ask(s, l, t, &call->operand[1], &v, err);
        bool passed = ok && th_tm_test_fulfilled(t, v) && !t->tape;
        *failed += ok && !passed;
        if (ok && !passed)
            sh_row(s, (long long)t->line, t->input, th_tm_test_expected(t), th_tm_verdict_name(v));
    }
    sh_table_end(s);
    return ok;
}

bool sh_machine_end(ShSession *s, const ShCall *call, const char *input, ShMachineEnd *end,
                    ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {0};
    bool ok = th_tm_tape_words_read(&words, m, input, err);
    if (ok && m->branching) {
        ok = sh_machine_search(s, call, &words, true, end, err);
    } else if (ok) {
        ok = th_tm_engine_start(&e, m, &words, err) &&
             sh_machine_go(s, &e, &call->options, sh_machine_limits(call), &end->figures, err) &&
             th_tm_engine_tape(&end->tape, &e, SH_TAPE_LONGEST, err);
        end->digest = ok ? th_tm_engine_digest(&e, end->coded) : 0;
    }
    return ok;
}

static bool run_cases(ShSession *s, const ShCall *call, const ThTmTestCases *c, size_t *failed,
                      ThError *err)
{
    bool ok = true;
    *failed = 0;
    sh_table(s, "failures", "line:i input:s expected:s verdict:s steps:i tape:s");
    for (size_t i = 0; ok && i < c->n; i++) {
        const ThTmTestCase *t = &c->item[i];
        ShMachineEnd end = {0};
        ok = sh_machine_end(s, call, t->input, &end, err);
        ThTmFastFigures x = end.figures;
        const char *text = th_text_string(&end.tape);
        bool passed =
            th_tm_test_fulfilled(t, x.verdict) && (!t->tape || strcmp(t->tape, text) == 0);
        *failed += ok && !passed;
        char *expected TH_OWNED(free) = th_printed(NULL, "%s%s%s", th_tm_test_expected(t),
                                                   t->tape ? " " : "", t->tape ? t->tape : "");
        if (ok && !passed && expected)
            sh_row(s, (long long)t->line, t->input, expected, th_tm_verdict_name(x.verdict),
                   (long long)x.steps, text);
        th_text_free(&end.tape);
    }
    sh_table_end(s);
    return ok;
}

static const ThOptionSpec test_options[] = {
    SH_RUN_LIMITS,
    {"configurations", TH_INT, "1000000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

SH_COMMAND(
    test, .group = "machines",
    .summary = "test a Turing machine or a language on a file of inputs and verdicts",
    .detail =
        "Each line of the file holds an input and the verdict that is expected: accept, reject, "
        "halt, edge, endless, or limit for any limit that is reached; a third field is the tape "
        "at the end.  Fields are separated by commas and may stand in quotes, as in CSV; the "
        "empty input is an empty field.  A first line input,verdict is a heading.  All inputs are "
        "read before the first is run; the limits hold for each.  What fails is shown, and makes "
        "the command fail.  Of an automaton, a grammar or another language accept and reject say "
        "which words it has.",
    .example = SH_EXAMPLE_MACHINE "echo input,verdict > \"cases.csv\"\n"
                                  "echo 1011,halt,1100 >> \"cases.csv\"\n"
                                  "echo 111,halt,1000 >> \"cases.csv\"\n"
                                  "test increment \"cases.csv\"\n"
                                  "#> 2 passed, 0 failed",
    .results = "passed failed", .args = {{A_LANGUAGE, "MACHINE", 0}, {A_FILE, "FILE", 0}},
    .options = test_options)
{
    const ShOperand *file = &call->operand[1];
    ThTmTestCases c = {0};
    size_t failed = 0;
    if (!read_cases(&c, file, err))
        return false;
    const ShObject *o = call->operand[0].object;
    bool ok = o->kind == SH_MACHINE ? check_inputs(o->as.machine, &c, file, err) &&
                                          run_cases(s, call, &c, &failed, err)
                                    : ask_cases(s, call, &c, &failed, err);
    if (ok) {
        sh_say(s, "%zu passed, %zu failed\n", c.n - failed, failed);
        sh_results(s, "passed:i failed:i", (long long)(c.n - failed), (long long)failed);
        if (failed > 0)
            ok = sh_fail_operand(err, file, TH_EASSERT, "%zu of %zu test%s failed", failed, c.n,
                                 sh_plural(c.n));
    }
    th_tm_test_cases_free(&c);
    return ok;
}
