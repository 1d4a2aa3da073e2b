/* rasp_programs.c - next-token programs in RASP: from machines, and at work. */

#include "commands/machines/machines.h"
#include "rasp.h"
#include "object_kinds.h"

/* ---- rasp ------------------------------------------------------------------------------------ */

static const ThOptionSpec rasp_options[] = {
    {"n", TH_INT, "4", 0, TH_TM_PROGRAM_GRAM, NULL, "tokens compared, besides the last one"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* May an s-op have this name? */
static bool is_free(ShSession *s, const char *name, const ShOperand *o, ThError *err)
{
    const ShObject *old = sh_find(s, name);
    if (!th_rasp_name_ok(name, err))
        return sh_error_inside(err, o);
    if (!old || sh_is_rasp(old->kind))
        return true;
    return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is %s", name, sh_a_kind(old->kind)) ||
           th_hint(err, "drop %s gives the name free", name);
}

SH_COMMAND(
    rasp, .group = "rasp", .summary = "a machine's next-token program in RASP",
    .detail =
        "Writes the program of the paper on Turing Programs for one machine: an s-op that says, at "
        "every token of a run's text, which token follows.  Printed, it can be read, sent to a "
        "file with >, edited, and loaded; with as NAME it becomes an s-op of the session.  "
        "generate lets it carry out the machine, cost counts its layers and heads.\n\n"
        "The tokens are strings: < begins a configuration, > ends it, | follows it; between them "
        "stand the symbols, and the state right behind the scanned cell.  A name that is taken "
        "gets an apostrophe: a state 0 beside a symbol 0 is called 0'.\n\n"
        "The program works out the line after each line of the text, and looks in it for the last "
        "n+1 tokens; the token behind them is the next.  It is exact where no line contains these "
        "n+1 tokens twice: ngrams tells for which n that is so.",
    .example = SH_EXAMPLE_MACHINE "rasp increment as next n=2\n"
                                  "#>      s-op: next\n"
                                  "generate next on increment 10 steps=4\n"
                                  "#> < 1 right 0 _ > |\n"
                                  "#> < 1 0 right _ > |\n"
                                  "#> < 1 0 _ right > |\n"
                                  "#> < 1 0 carry _ > |\n"
                                  "#> < 1 done 1 _ > |\n"
                                  "#> exact: all 28 tokens are right",
    .args = {{A_MACHINE, "MACHINE", 0}},
    .args2 = {{A_MACHINE, "MACHINE", 0}, {A_KEYWORD, "as", 0}, {A_NEW, "NAME", 0}},
    .options = rasp_options, .flags = C_PAGED)
{
    const ShObject *machine = call->operand[0].object;
    const char *name = call->form == 2 ? call->operand[1].text : "next";
    ThTmTokens tokens = {machine->as.machine, false};
    ThText t = {0};
    int n = (int)th_option_int(&call->options, "n");
    if (call->form == 2 && !is_free(s, name, &call->operand[1], err))
        return false;
    bool ok = th_tm_program(&t, &tokens, n, name, machine->name, err) ||
              sh_error_inside(err, &call->operand[0]);
    char *source TH_OWNED(free) = th_text_take(&t, ok ? err : NULL);
    ok = ok && source;
    if (ok && call->form == 1) {
        fputs(source, sh_listing(s));
    } else if (ok) {
        ThRasp *r = sh_session_rasp(s, err);
        ok = r && th_rasp_load_text(r, machine->name, source, sh_stop(s), err);
    }
    return ok;
}

/* ---- generate: from an input ----------------------------------------------------------------- */

/* A sequence that grows by what is generated.  Atoms of one kind. */
typedef struct {
    ThRasp *rasp;
    ThRaspSop sop;
    ThRaspAtom *atom;
    size_t n, cap;
} Text;

static bool add_atom(Text *x, ThRaspAtom a, ThError *err)
{
    return TH_APPEND(x->atom, x->n, x->cap, err, a);
}

/* The s-op's value at the last of the first n atoms. */
static bool predict(ShSession *s, const Text *x, size_t n, ThRaspAtom *next, ThError *err)
{
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = NULL;
    bool ok = th_rasp_seq_of(x->atom, n, &input, err) &&
              (run = th_rasp_run_new(th_rasp_graph(x->rasp), &input, 0, err)) != NULL;
    const ThRaspSeq *q = ok ? th_rasp_run_value(run, x->sop, sh_stop(s), err) : NULL;
    if (q)
        *next = th_rasp_seq_at(q, n - 1);
    return q != NULL;
}

static bool read_input(Text *x, const char *text, ShRaspTokens as, ThError *err)
{
    x->atom = sh_rasp_read_input(x->rasp, text, as, &x->n, err);
    x->cap = x->n;
    return x->atom != NULL;
}

static void say_tokens(ShSession *s, const Text *x, size_t from, size_t to, const char *between)
{
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t i = from; i < to; i++) {
        th_text_add(&t, i > from ? between : "");
        th_rasp_write_element(x->rasp, x->atom[i], &t);
    }
    sh_say(s, "%s\n", th_text_string(&t));
}

static bool is_end(const Text *x, ThRaspAtom a, const char *until)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_rasp_write_element(x->rasp, a, &t);
    return until && t.data && strcmp(t.data, until) == 0;
}

static bool generate(ShSession *s, const ShCall *call, Text *x, ThError *err)
{
    ShRaspTokens as = (ShRaspTokens)th_option_choice(&call->options, "tokens");
    const char *until = th_option_text(&call->options, "until");
    long long count = th_option_int(&call->options, "count");
    bool ended = false;
    if (!read_input(x, call->operand[1].text, as, err))
        return sh_error_inside(err, &call->operand[1]);
    size_t first = x->n;
    for (long long i = 0; i < count && !ended; i++) {
        ThRaspAtom a;
        if (th_stopped(sh_stop(s), err) || !predict(s, x, x->n, &a, err) || !add_atom(x, a, err))
            return false;
        sh_progress(s, "%lld of %lld tokens", i + 1, count);
        ended = is_end(x, a, until);
    }
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t i = first; i < x->n; i++) {
        th_text_add(&t, i > first && as != SH_TOKENS_CHARACTERS ? " " : "");
        th_rasp_write_element(x->rasp, x->atom[i], &t);
    }
    sh_say(s, "%s\n", th_text_string(&t));
    sh_results(s, "output:s tokens:i ended:b", th_text_string(&t), (long long)(x->n - first),
               ended);
    return true;
}

/* ---- generate: a machine's run --------------------------------------------------------------- */

enum { MOST_TOKENS = 1 << 22 };

/* The text of the machine's own run. */
typedef struct {
    int *token;
    size_t n, line; /* tokens in all and in a configuration, with the gap behind it */
    uint64_t steps;
    ThTmVerdict verdict;
} Reference;

static bool write_reference(Reference *ref, const ThTmTokens *k, const ThTmRunStart *start,
                            ThTmRunLimits limits, ThStop *stop, ThError *err)
{
    ThTmRunExtent x;
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    if (!th_tm_run_extent(&x, start, limits, stop, err))
        return false;
    ref->line = (size_t)th_tm_configuration_length(k, x.first, x.last);
    ref->steps = x.steps;
    ref->verdict = x.verdict;
    if (x.steps + 1 > MOST_TOKENS / ref->line)
        return th_fail(err, TH_ELIMIT, "the run has more than %d tokens", MOST_TOKENS);
    ref->n = ref->line * ((size_t)x.steps + 1);
    ref->token = th_alloc(ref->n + 1, sizeof *ref->token, err);
    bool ok = ref->token && th_tm_running_from(&r, start, err);
    for (uint64_t i = 0; ok && i <= x.steps; i++) {
        th_tm_configuration_tokens(k, &r, x.first, x.last, ref->token + i * ref->line);
        ok = i == x.steps ||
             th_tm_running_go(&r, 1, (ThTmRunLimits){UINT64_MAX, UINT64_MAX}, stop, err);
    }
    return ok;
}

static bool is_causal(const ThRaspGraph *g, ThRaspSop sop, bool *causal, ThError *err)
{
    size_t n;
    ThRaspBreach *b TH_OWNED(free) = th_rasp_breaches(g, sop, &n, err);
    *causal = true;
    for (size_t i = 0; b && i < n; i++)
        *causal = *causal && b[i].what != TH_RASP_LOOKS_AHEAD;
    return b != NULL;
}

static bool same_atom(const Text *x, ThRaspAtom a, ThRaspAtom b)
{
    return a.kind == b.kind && th_rasp_atom_equal(th_rasp_atoms(th_rasp_graph(x->rasp)), a, b);
}

/* Finds the first token from `from` on that is generated wrongly: x->n if none is.  Up to there the
 * generated text is the run's, so where no head looks ahead all predictions come from evaluating
 * the s-op on the whole run once. */
static bool first_wrong(ShSession *s, const Text *x, size_t from, size_t *wrong,
                        ThRaspAtom *predicted, ThError *err)
{
    bool causal, ok = is_causal(th_rasp_graph(x->rasp), x->sop, &causal, err);
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = NULL;
    const ThRaspSeq *q = NULL;
    *wrong = from;
    if (ok && causal && x->n > from) {
        ok = th_rasp_seq_of(x->atom, x->n - 1, &input, err) &&
             (run = th_rasp_run_new(th_rasp_graph(x->rasp), &input, 0, err)) != NULL &&
             (q = th_rasp_run_value(run, x->sop, sh_stop(s), err)) != NULL;
    }
    for (; ok && x->atom && *wrong < x->n; ++*wrong) {
        if (q)
            *predicted = th_rasp_seq_at(q, *wrong - 1);
        else
            ok = !th_stopped(sh_stop(s), err) && predict(s, x, *wrong, predicted, err);
        if (ok && !same_atom(x, *predicted, x->atom[*wrong]))
            break;
    }
    return ok;
}

/* Where the n+1 tokens before place `at` of a line end once more in it, or -1. */
static long long place_again(const int *line, size_t size, size_t at, int n)
{
    for (size_t j = 1; j <= size; j++) {
        bool same = j != at;
        for (size_t i = 1; same && i <= (size_t)n + 1; i++)
            same = (i > j ? 0 : line[j - i]) == (i > at ? 0 : line[at - i]);
        if (same)
            return (long long)j;
    }
    return -1;
}

static void say_wrong(ShSession *s, const Text *x, const Reference *ref, size_t wrong,
                      ThRaspAtom predicted, int n)
{
    size_t step = wrong / ref->line, place = wrong % ref->line;
    ThText stands TH_OWNED(th_text_free) = {0}, instead TH_OWNED(th_text_free) = {0};
    th_rasp_write_element(x->rasp, x->atom[wrong], &stands);
    th_rasp_write_element(x->rasp, predicted, &instead);
    sh_say(s,
           "%zu tokens are right; then token %zu of the configuration after %zu step%s is %s, "
           "where %s stands\n",
           wrong - ref->line, place + 1, step, sh_plural(step), th_text_string(&instead),
           th_text_string(&stands));
    long long again = place_again(ref->token + step * ref->line, ref->line, place, n);
    if (again >= 0)
        sh_say(s, "the %d token%s before it %s there again, up to token %lld\n", n + 1,
               n ? "s" : "", n ? "are" : "is", again);
    else
        sh_say(s, "no repeated tokens explain that: the %d before it %s there once\n", n + 1,
               n ? "are" : "is");
    sh_results(s, "step:i token:i stands:s predicted:s repeated:b", (long long)step,
               (long long)place + 1, th_text_string(&stands), th_text_string(&instead), again >= 0);
}

static bool compare_run(ShSession *s, const ShCall *call, Text *x, const Reference *ref,
                        ThError *err)
{
    size_t wrong;
    ThRaspAtom predicted = {0};
    if (!first_wrong(s, x, ref->line, &wrong, &predicted, err))
        return false;
    for (size_t i = 0; i < x->n && i <= wrong; i += ref->line)
        if (i + ref->line <= wrong || i == 0)
            say_tokens(s, x, i, i + ref->line, " ");
    bool exact = wrong == x->n || !x->atom, whole = th_tm_verdict_final(ref->verdict);
    sh_results(s, "exact:b steps:i tokens:i", exact && whole, (long long)ref->steps,
               (long long)(wrong - ref->line));
    if (exact)
        sh_say(s, "%sall %zu tokens are right\n", whole ? "exact: " : "so far ", x->n - ref->line);
    else
        say_wrong(s, x, ref, wrong, predicted, (int)th_option_int(&call->options, "n"));
    return true;
}

static bool name_tokens(Text *x, const Reference *ref, const ThTmTokens *k, ThError *err)
{
    ThRaspAtoms *p = th_rasp_atoms(th_rasp_graph(x->rasp));
    char **name = th_tm_program_names(k, err);
    bool ok = name != NULL;
    for (size_t i = 0; ok && i < ref->n; i++) {
        ThRaspAtom a;
        const char *text = name[ref->token[i]];
        ok = th_rasp_atom_string(p, text, strlen(text), &a, err) && add_atom(x, a, err);
    }
    th_tm_program_names_free(name);
    return ok;
}

static bool generate_run(ShSession *s, const ShCall *call, Text *x, ThError *err)
{
    const ThTm *m = call->operand[1].object->as.machine;
    const ShOperand *input = call->n > 2 ? &call->operand[2] : NULL;
    ThTmTokens k = {m, false};
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTmRunStart start;
    Reference ref = {0};
    ThTmRunLimits limits = {(uint64_t)th_option_int(&call->options, "steps"), UINT64_MAX};
    if (!th_tm_tape_words_read(&words, m, input ? input->text : "", err))
        return sh_error_inside(err, input);
    bool ok =
        th_tm_run_start(&start, m, &words, err) || (sh_error_inside(err, &call->operand[1]), false);
    ok = ok && write_reference(&ref, &k, &start, limits, sh_stop(s), err) &&
         name_tokens(x, &ref, &k, err) && compare_run(s, call, x, &ref, err);
    free(ref.token);
    return ok;
}

bool sh_generate_rasp(ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0];
    ThRaspValue v;
    if (!sh_rasp_value_of(s, o->object, &v, err))
        return sh_error_inside(err, o);
    Text x = {.rasp = s->rasp, .sop = v.as.sop};
    bool ok = call->form == 1 ? generate(s, call, &x, err) : generate_run(s, call, &x, err);
    free(x.atom);
    return ok;
}
