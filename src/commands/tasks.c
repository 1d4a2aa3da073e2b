/* tasks.c - commands about tasks: defining one, and looking at its examples. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbols.h"
#include "command.h"
#include "commands/modelling.h"
#include "show.h"

long long sh_seed(const ShSession *s, const ThOptions *options)
{
    return th_option_given(options, "seed") ? th_option_int(options, "seed")
                                            : sh_setting_int(s, "seed");
}

enum { CHUNK = 1024 }; /* strings that are drawn at a time */

/* Returns new: how the task was defined, after the `=`. */
static char *definition(const ShCall *call, ThError *err)
{
    ThText t = {0};
    char *options = th_options_format(&call->options, err);
    for (int i = 1; i < call->n; i++)
        th_text_printf(&t, "%s%s", i > 1 ? " " : "", call->operand[i].text);
    th_text_printf(&t, "%s%s", options && *options ? " " : "", options ? options : "");
    free(options);
    if (options)
        return th_text_take(&t, err);
    th_text_free(&t);
    return NULL;
}

SH_COMMAND(task, .group = "tasks", .summary = "define a task: where labelled strings come from",
           .detail =
               "A task is an alphabet, a set of classes, a way to draw strings, and a machine "
               "that says what the answer for a string is.  help tasks lists the kinds; help "
               "KIND explains one and its options.\n\n"
               "The kinds recognize, track and next_symbols take an automaton or an "
               "expression of automata after their name.",
           .example = "task p = parity\n"
                      "task nav = cycle_navigation modulus=7\n"
                      "task own = recognize minimize(parity)\n"
                      "list tasks\n"
                      "#> name  kind  size\n"
                      "#> p     task  parity, 2 symbols, 2 classes\n"
                      "#> nav   task  cycle_navigation, 3 symbols, 7 classes\n"
                      "#> own   task  recognize, 2 symbols, 2 classes",
           .results = "symbols classes",
           .args = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_TASK_KIND, "KIND", 0}})
{
    const ThTaskKind *kind = th_task_kind(call->operand[1].text);
    ThAutomaton *a = NULL;
    if (kind->takes_automaton && !(a = sh_automaton_value(s, &call->operand[2], err)))
        return false;
    char *made_by = definition(call, err);
    ThTask *t = made_by ? th_task_new(kind, &call->options, a, err) : NULL;
    int symbols = t ? t->signature.n_symbols : 0, classes = t ? t->signature.n_classes : 0;
    bool ok = t && sh_define(s, call->operand[0].text, SH_TASK, t, made_by, err);
    th_automaton_free(a);
    free(made_by);
    if (!ok)
        return sh_error_inside(err, &call->operand[call->n - 1]);
    sh_result_int(s, "symbols", symbols);
    sh_result_int(s, "classes", classes);
    return true;
}

/* ---- show ------------------------------------------------------------------------------------ */

const char *sh_target_name(ThTarget target)
{
    static const char *const names[] = {"one answer a string", "one answer at every position",
                                        "a set of answers at every position"};
    return names[target];
}

void sh_list_names(FILE *out, const char *label, char *const *name, int n)
{
    enum { MOST = 24 };
    ThText t = {0};
    for (int i = 0; i < n && i < MOST; i++) {
        th_text_add(&t, i ? " " : "");
        th_text_symbol(&t, name[i]);
    }
    fprintf(out, "# %-9s %s%s\n", label, t.data ? t.data : "", n > MOST ? " …" : "");
    th_text_free(&t);
}

bool sh_show_task(ShSession *s, const ShObject *o, ThError *err)
{
    (void)err;
    const ThTask *t = o->as.task;
    FILE *out = sh_listing(s);
    fprintf(out, "task %s = %s\n", o->name, o->made_by ? o->made_by : t->kind->name);
    fprintf(out, "# %s\n# %s\n", t->kind->summary, t->kind->source);
    sh_list_names(out, "symbols", t->signature.symbol, t->signature.n_symbols);
    sh_list_names(out, t->bits ? "may say" : "classes", t->signature.label, t->signature.n_classes);
    fprintf(out, "# answers   %s\n", sh_target_name(t->signature.target));
    fprintf(out, "# machine   %d states\n", t->machine->n_states);
    fprintf(out, "# chance    %.6g at length 40, %.6g at 41\n", th_task_chance(t, 40),
            th_task_chance(t, 41));
    sh_result_int(s, "symbols", t->signature.n_symbols);
    sh_result_int(s, "classes", t->signature.n_classes);
    return true;
}

/* ---- sample ---------------------------------------------------------------------------------- */

void sh_write_answers(ThText *t, const ThSignature *s, const int *answer, int length)
{
    int n = s->n_classes, positions = s->target == TH_TARGET_FINAL ? 1 : length;
    for (int i = 0; i < positions; i++) {
        th_text_add(t, i ? " " : "");
        if (s->target != TH_TARGET_BITS) {
            th_text_add(t, answer[i] < 0 ? "-" : s->label[answer[i]]);
            continue;
        }
        bool first = true;
        th_text_add(t, "{");
        for (int c = 0; c < n; c++) {
            if (!answer[i * n + c])
                continue;
            th_text_printf(t, "%s%s", first ? "" : ",", s->label[c]);
            first = false;
        }
        th_text_add(t, "}");
    }
}

/* The rows of one batch. */
static bool add_rows(ShSession *s, const ThTask *t, const ThBatch *b, ThError *err)
{
    const ThSignature *sig = &t->signature;
    size_t answers = sig->target == TH_TARGET_FINAL ? 1 : (size_t)b->T;
    if (sig->target == TH_TARGET_BITS)
        answers *= (size_t)sig->n_classes;
    bool ok = true;
    for (size_t i = 0; ok && i < (size_t)b->B; i++) {
        ThText input = {0}, answer = {0};
        th_symbols_write(&input, sig->symbol, sig->n_symbols, b->token + i * (size_t)b->T, b->T);
        sh_write_answers(&answer, sig, b->target + i * answers, b->T);
        char *in = th_text_take(&input, err), *out = th_text_take(&answer, err);
        ok = in && out;
        if (ok)
            sh_row(s, in, out);
        free(in);
        free(out);
    }
    return ok;
}

static bool add_length(ShSession *s, const ThTask *t, uint64_t seed, int length, long long count,
                       ThError *err)
{
    ThBatch b = {0};
    ThRng r = th_rng(seed, "sample", (uint64_t)length);
    bool ok = true;
    for (long long left = count; ok && left > 0; left -= b.B) {
        b.B = left < CHUNK ? (int)left : CHUNK;
        ok = !th_stopped(sh_stop(s), err) && th_task_sample(t, &r, length, &b, err) &&
             add_rows(s, t, &b, err);
    }
    th_batch_free(&b);
    return ok;
}

static const ThOptionSpec sample_options[] = {
    {"length", TH_RANGE, "10", 1, 1000000, NULL, "length of the strings, or a range of lengths"},
    {"count", TH_INT, "5", 1, 100000000, NULL, "strings of each length"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the random numbers; default: set seed"},
    {0},
};

SH_COMMAND(sample, .group = "tasks", .summary = "show labelled examples of a task",
           .detail = "Draws strings as training does and prints each with its answer: a class; the "
                     "classes after every symbol (- where nothing is asked); or the sets of "
                     "symbols that may follow, in braces.\n\n"
                     "With > \"file\" the examples become a data set, in the format that the "
                     "extension names (txt, csv, json).",
           .example = "task t2 = tomita number=2\n"
                      "sample t2 length=4 count=2 seed=3\n"
                      "#> input  answer\n"
                      "#> 1010   accept\n"
                      "#> 0100   reject\n"
                      "sample t2 length=1..40 count=10 > \"t2.txt\"",
           .results = "count", .args = {{A_TASK, "TASK", 0}}, .options = sample_options,
           .flags = C_PAGED)
{
    const ThTask *t = call->operand[0].object->as.task;
    ThRange lengths = th_option_range(&call->options, "length");
    long long count = th_option_int(&call->options, "count");
    uint64_t seed = (uint64_t)sh_seed(s, &call->options);
    sh_table(s, "examples", "input:s answer:s");
    for (long long length = lengths.lo; length <= lengths.hi; length += lengths.step)
        if (!add_length(s, t, seed, (int)length, count, err))
            return false;
    sh_table_end(s);
    sh_result_int(s, "count", count * (long long)th_range_count(lengths));
    return true;
}
