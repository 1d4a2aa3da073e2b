/* tasks.c - commands about tasks: defining one, and looking at its examples. */
#include <limits.h>

#include "terminal/confirm.h"
#include "commands/languages/languages.h"
#include "commands/modelling.h"
#include "language/operand.h"
#include "rasp.h"
#include "object_kinds.h"

long long sh_seed(const ShSession *s, const ThOptions *options)
{
    return th_option_given(options, "seed") ? th_option_int(options, "seed")
                                            : sh_setting_int(s, "seed");
}

enum { CHUNK = 1024, CHUNK_SYMBOLS = 1 << 20 }; /* that are drawn at a time, one string at least */

/* Returns new: how the task was defined, after the `=`. */
static char *definition(const ShCall *call, ThError *err)
{
    ThText t = {0};
    char *options = th_options_format(&call->options, err);
    for (int i = 1; i < call->n; i++) {
        th_text_add(&t, i > 1 ? " " : "");
        if (call->operand[i].kind == A_FILE)
            th_text_quoted(&t, call->operand[i].text);
        else
            th_text_add(&t, call->operand[i].text);
    }
    th_text_printf(&t, "%s%s", options && *options ? " " : "", options ? options : "");
    free(options);
    if (options)
        return th_text_take(&t, err);
    th_text_free(&t);
    return NULL;
}

/* What an s-op is called in its source where it has no name. */
static const char nameless[] = "answers";

/* Returns new: the source of the s-op that an operand names, or is the expression of. */
static char *program_of(ShSession *s, const ShOperand *o, ThError *err)
{
    ShOperand program = {.kind = A_OBJECT, .text = o->text, .line = o->line, .col = o->col};
    ThRaspValue v;
    ThText t = {0};
    bool ok = sh_operand_resolve(s, &program, false, err);
    ShObject *object = program.object;
    if (ok && object->kind != SH_S_OP)
        ok = th_fail(err, TH_EUSAGE, "'%s' is %s, and no s-op", o->text, sh_a_kind(object->kind));
    if (ok && program.own)
        ok = sh_rasp_value_of(s, object, &v, err) &&
             th_rasp_write_definition(s->rasp, nameless, &v, &t, err);
    else if (ok)
        ok = sh_rasp_write_objects(s, &t, &object, 1, err);
    sh_object_free(program.own);
    if (ok)
        return th_text_take(&t, err);
    th_text_free(&t);
    if (err->line == 0)
        sh_error_inside(err, o);
    return NULL;
}

/* Makes the task of a definition; a place in a file that it reads is told with the file's name. */
static ThTask *make_task(const ThTaskKind *kind, const ThOptions *options, ThTaskSource from,
                         ThError *err)
{
    ThError own = {0};
    ThTask *t = th_task_new(kind, options, &from, &own);
    if (t || !own.code)
        return t;
    if (kind->takes_file && own.line > 0)
        sh_error_in_file(err, from.file, &own);
    else if (kind->takes_file && own.code == TH_EVALUE)
        th_fail(err, own.code, "%s: %s", from.file, own.msg);
    else
        th_fail_at(err, own.code, own.line, own.col, "%s", own.msg);
    if (own.hint[0])
        th_hint(err, "%s", own.hint);
    return NULL;
}

/* Sets *l to the language that an operand names, where that is what the kind takes and no automaton
 * (nor an s-op, where the kind takes programs); else to NULL. */
static bool language_of(ShSession *s, const ThTaskKind *kind, const ThOptions *options,
                        const ShOperand *source, ThLanguage **l, ThError *err)
{
    const ShObject *o = kind->takes_language ? sh_find(s, source->text) : NULL;
    bool wanted = o && (o->kind == SH_LANGUAGE || o->kind == SH_MACHINE ||
                        (o->kind == SH_S_OP && !kind->takes_program));
    ThError own = {0};
    *l = wanted                       ? sh_language_with(s, o, options, NULL, err)
         : kind->takes_language && !o ? th_language_named(source->text, &own)
                                      : NULL;
    return *l || (!wanted && !own.code);
}

ThTask *sh_task_of(ShSession *s, const ThTaskKind *kind, const ThOptions *options,
                   const ShOperand *source, int n_source, ThError *err)
{
    ThTask *t = NULL;
    ThTaskSource from = {.file = kind->takes_file ? source->text : NULL,
                         .pad = kind->takes_pad ? source->text : NULL,
                         .stop = sh_stop(s)};
    if (kind->takes_pad && n_source > 1)
        from.machine = source[1].object->as.machine;
    ThLanguage *l;
    ThAutomaton *a = NULL;
    if (!language_of(s, kind, options, source, &l, err) ||
        (l && !th_language_automaton(l, &a, sh_stop(s), err))) {
        th_language_free(l);
        return NULL;
    }
    static const char *const asked[] = {"alphabet", "steps"};
    for (int i = 0; i < 2 && kind->takes_automaton && kind->takes_language && !l; i++)
        if (th_option_known(options, asked[i]) && th_option_given(options, asked[i]))
            return th_null(
                sh_fail_operand(err, source, TH_EUSAGE, "%s= is for machines and s-ops", asked[i]));
    const ShObject *o = kind->takes_automaton && !l ? sh_find(s, source->text) : NULL;
    if (o && o->kind != SH_AUTOMATON)
        return th_null(sh_fail_operand(err, source, TH_EUSAGE,
                                       "'%s' is %s, and %s needs an automaton", source->text,
                                       sh_a_kind(o->kind), kind->name));
    if (kind->takes_automaton && !l)
        a = sh_automaton_value(s, source, err);
    char *program TH_OWNED(free) = kind->takes_program && !l ? program_of(s, source, err) : NULL;
    from.automaton = a;
    from.language = a && kind->takes_automaton ? NULL : l;
    from.program = program;
    from.name = program && th_is_word(source->text) ? source->text : nameless;
    if (a || l || program || (!kind->takes_automaton && !kind->takes_program))
        t = make_task(kind, options, from, err);
    th_automaton_free(a);
    th_language_free(l);
    return t;
}

SH_COMMAND(
    task, .group = "tasks", .summary = "define a task: where labelled strings come from",
    .detail = "A task is an alphabet, a set of classes, and strings with their answers: drawn, and "
              "labelled by an automaton or by a rule of their own, or read from a file.  help "
              "tasks lists the kinds; help KIND explains one and its options.\n\n"
              "The kinds recognize, track and next_symbols take an automaton or an expression of "
              "automata after their name (task t = A is task t = recognize A), text the name of a "
              "file, file that of one with labelled "
              "strings, label an s-op of RASP, scratchpad a kind of scratchpad.  To scratchpads, "
              "copy, reverse, duplicate and ngram a model answers with the symbol that follows.",
    .example = "task p = parity\n"
               "task nav = cycle_navigation modulus=7\n"
               "task own = recognize minimize(parity)\n"
               "sample p length=1..9 count=20 > \"rows.csv\"\n"
               "task mine = file \"rows.csv\" label=answer\n"
               "list tasks\n"
               "#> name  kind  size\n"
               "#> p     task  parity, 2 symbols, 2 classes\n"
               "#> nav   task  cycle_navigation, 3 symbols, 7 classes\n"
               "#> own   task  recognize, 2 symbols, 2 classes\n"
               "#> mine  task  file, 2 symbols, 2 classes",
    .results = "symbols classes",
    .args = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_TASK_KIND, "KIND", 0}}, .flags = C_DEFINES)
{
    const ThTaskKind *kind = th_task_kind(call->operand[1].text);
    const ShOperand *o = &call->operand[2];
    char *made_by TH_OWNED(free) = definition(call, err);
    ThTask *t = made_by ? sh_task_of(s, kind, &call->options, o, call->n - 2, err) : NULL;
    int symbols = t ? t->signature.n_symbols : 0, classes = t ? t->signature.n_classes : 0;
    bool ok = t && sh_define(s, call->operand[0].text, SH_TASK, t, made_by, err);
    if (!ok && err->line == 0)
        return sh_error_inside(err, &call->operand[call->n - 1]);
    if (!ok)
        return false;
    sh_results(s, "symbols:i classes:i", (long long)symbols, (long long)classes);
    sh_say_defined(s, call->operand[0].text);
    return true;
}

/* ---- show ------------------------------------------------------------------------------------ */

const char *sh_target_name(ThTarget target)
{
    static const char *const names[] = {"one answer a string", "one answer at every position",
                                        "a set of answers at every position"};
    return names[target];
}

const ThDfa *sh_need_machine(const ShOperand *task, ThError *err)
{
    const ThTask *t = task->object->as.task;
    if (!t->machine &&
        !sh_fail_operand(err, task, TH_EVALUE,
                         "task %s has no automaton: the answers of %s tasks do not come from one",
                         task->object->name, t->kind->name) &&
        th_lab_can_try(t))
        th_hint(err, "compare MODEL %s reads every prompt of a length", task->object->name);
    return t->machine;
}

const ThDfa *sh_need_answers(const ThModel *m, const ShOperand *task, ThError *err)
{
    const ThDfa *machine = sh_need_machine(task, err);
    if (machine && m->bound &&
        !th_signature_match(&m->signature, &task->object->as.task->signature, err))
        return th_null(sh_error_inside(err, task));
    return machine;
}

void sh_list_names(FILE *out, const char *label, char *const *name, int n)
{
    enum { MOST = 24 };
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < n && i < MOST; i++) {
        th_text_add(&t, i ? " " : "");
        th_text_symbol(&t, name[i]);
    }
    fprintf(out, "# %-9s %s%s\n", label, th_text_string(&t), n > MOST ? " …" : "");
}

/* What the kind has to add. */
static void describe_kind(FILE *out, const ThTask *t)
{
    ThText lines TH_OWNED(th_text_free) = {0};
    if (t->kind->describe)
        t->kind->describe(t, &lines);
    fputs(th_text_string(&lines), out);
}

bool sh_show_task(ShSession *s, const ShObject *o, ThError *err TH_UNUSED)
{
    const ThTask *t = o->as.task;
    FILE *out = sh_listing(s);
    fprintf(out, "task %s = %s\n", o->name, o->made_by ? o->made_by : t->kind->name);
    fprintf(out, "# %s\n# %s\n", t->kind->summary, t->kind->source);
    sh_list_names(out, "symbols", t->signature.symbol, t->signature.n_symbols);
    sh_list_names(out, t->bits ? "may say" : "classes", t->signature.label, t->signature.n_classes);
    fprintf(out, "# answers   %s\n", sh_target_name(t->signature.target));
    if (t->machine)
        fprintf(out, "# machine   %d states\n", t->machine->n_states);
    if (t->kind->chance)
        fprintf(out, "# chance    %.6g at length 40, %.6g at 41\n", th_task_chance(t, 40),
                th_task_chance(t, 41));
    describe_kind(out, t);
    sh_results(s, "symbols:i classes:i", (long long)t->signature.n_symbols,
               (long long)t->signature.n_classes);
    return true;
}

/* ---- sample ---------------------------------------------------------------------------------- */

char *sh_answers_text(const ThSignature *s, const int *answer, int length, ThError *err)
{
    ThText t = {0};
    int positions = s->target == TH_TARGET_FINAL ? 1 : length;
    for (int i = 0; i < positions; i++) {
        th_text_add(&t, i ? " " : "");
        const int *at = answer + i * (s->target == TH_TARGET_BITS ? s->n_classes : 1);
        if (*at >= 0 && s->target == TH_TARGET_BITS)
            th_lab_write_set(s, at, &t);
        else
            th_text_add(&t, *at < 0 ? "-" : s->label[*at]);
    }
    return th_text_take(&t, err);
}

/* The rows of one batch. */
static bool add_rows(ShSession *s, const ThTask *t, const ThBatch *b, ThError *err)
{
    const ThSignature *sig = &t->signature;
    bool ok = true;
    for (int i = 0; ok && i < b->B; i++) {
        int length = th_batch_length(b, i);
        ok = !th_stopped(sh_stop(s), err);
        char *in TH_OWNED(free) =
            th_symbols_text(sig->symbol, sig->n_symbols, th_batch_token(b, i), length, err),
                 *out TH_OWNED(free) =
                     sh_answers_text(sig, th_batch_target(sig, b, i), length, err);
        ok = ok && in && out;
        char edits[16] = "-";
        if (b->edits && b->edits[i])
            snprintf(edits, sizeof edits, "%d", b->edits[i]);
        if (ok && b->edits)
            sh_row(s, in, out, edits);
        else if (ok)
            sh_row(s, in, out);
    }
    return ok;
}

/* Is there a column of the edits that made near misses?  A data set has no such column. */
static bool has_edits(const ThTask *t, const ShCall *call)
{
    return !call->redirect && th_option_known(&t->options, "outside") &&
           th_option_choice(&t->options, "outside") != 0;
}

static bool add_length(ShSession *s, const ThTask *t, const ShCall *call, int length,
                       long long count, ThError *err)
{
    ThBatch b TH_OWNED(th_batch_free) = {0};
    ThRng r = th_rng((uint64_t)sh_seed(s, &call->options), "sample", (uint64_t)length);
    bool ok = true;
    int most = length > CHUNK ? (CHUNK_SYMBOLS + length - 1) / length : CHUNK;
    int edits[CHUNK] = {0};
    for (long long left = count; ok && left > 0; left -= b.B) {
        b.B = left < most ? (int)left : most;
        b.edits = has_edits(t, call) ? edits : NULL;
        ok = !th_stopped(sh_stop(s), err) && th_task_sample(t, &r, length, &b, err) &&
             add_rows(s, t, &b, err);
    }
    return ok;
}

/* Rows of a data set in the order of training's first epoch, those to test on where there are no
 * others; *count becomes the number of rows. */
static bool add_examples(ShSession *s, const ThTask *t, const ShCall *call, long long *count,
                         ThError *err)
{
    const ThOptions *o = &call->options;
    ThRange lengths = th_option_range(o, "length");
    ThTaskRows rows = {TH_TASK_TRAIN, 1, INT_MAX};
    if (th_option_given(o, "length"))
        rows = (ThTaskRows){TH_TASK_TRAIN, (int)lengths.lo, (int)lengths.hi};
    if (th_task_count(t, &(ThTaskRows){TH_TASK_TRAIN, 1, INT_MAX}) == 0)
        rows.part = TH_TASK_TEST;
    if (!th_task_need_rows(t, &rows, err))
        return false;
    long long n = th_task_count(t, &rows);
    *count = *count < n ? *count : n;
    uint64_t seed = (uint64_t)sh_seed(s, o);
    ThBatch b TH_OWNED(th_batch_free) = {0};
    bool ok = true;
    for (long long at = 0; ok && at < *count; at += b.B) {
        b.B = *count - at < CHUNK ? (int)(*count - at) : CHUNK;
        ok = !th_stopped(sh_stop(s), err) && th_task_take(t, &rows, &seed, at, &b, err) &&
             add_rows(s, t, &b, err);
    }
    return ok;
}

static bool add_drawn(ShSession *s, const ThTask *t, const ShCall *call, long long *count,
                      ThError *err)
{
    ThRange lengths = th_option_range(&call->options, "length");
    for (long long length = lengths.lo; length <= lengths.hi; length += lengths.step)
        if (!add_length(s, t, call, (int)length, *count, err))
            return false;
    *count *= (long long)th_range_count(lengths);
    return true;
}

static const ThOptionSpec sample_options[] = {
    {"length", TH_RANGE, "10", 1, 1000000, NULL, "length of the strings, or a range of lengths"},
    {"count", TH_INT, "5", 1, 100000000, NULL, "strings of each length"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the random numbers; default: set seed"},
    {0},
};

SH_COMMAND(
    sample, .group = "tasks", .summary = "show labelled examples of a task",
    .detail = "Draws strings as training does and prints each with its answer: a class; the "
              "classes after every symbol (- where nothing is asked); or the sets of "
              "symbols that may follow, in braces.  Of a file's rows it takes count= of "
              "those to train on, whose lengths are in length= if that is given.  Beside a near "
              "miss (recognize outside=) stands how many edits made it, beside others a dash.\n\n"
              "With > \"file\" the examples become a data set, in the format that the "
              "extension names (txt, csv, json): task NAME = file \"FILE\" takes the first two.",
    .example = "task t2 = tomita number=2\n"
               "sample t2 length=4 count=2 seed=3\n"
               "#> input  answer\n"
               "#> 1010   accept\n"
               "#> 0100   reject\n"
               "task c = copy\n"
               "sample c length=4 count=1 seed=3\n"
               "#> input       answer\n"
               "#> $kfks|kfks  - - - - - k f k s .\n"
               "sample t2 length=1..40 count=10 > \"t2.txt\"",
    .results = "count", .args = {{A_TASK, "TASK", 0}}, .options = sample_options, .flags = C_PAGED)
{
    const ThTask *t = call->operand[0].object->as.task;
    long long count = th_option_int(&call->options, "count");
    sh_table(s, "examples", has_edits(t, call) ? "input:s answer:s edits:s" : "input:s answer:s");
    if (!(th_task_finite(t) ? add_examples : add_drawn)(s, t, call, &count, err))
        return false;
    sh_table_end(s);
    sh_result_int(s, "count", count);
    return true;
}
