/* ablation.c - what a model's answer depends on: ablate silences parts of it, patch replaces
 * vectors.
 */

#include "commands/inspection/ablation.h"
#include "commands/inspection/inspect.h"
#include "commands/modelling.h"

/* ---- ablate ---------------------------------------------------------------------------------- */

static const ThOptionSpec ablate_options[] = {
    {"head", TH_STRING, NULL, 0, 0, NULL, "head of attention: 1.2 is head 2 of level 1, 2 of all"},
    {"level", TH_INT, NULL, 1, 1000, NULL, "level whose vectors are silenced"},
    {"position", TH_INT, NULL, 0, 999999, NULL, "position whose symbol is silenced, from 0"},
    {"length", TH_INT, "40", 1, 20000, NULL, "of the strings for the mean"},
    {"strings", TH_INT, "100", 1, 100000, NULL, "number of strings for the mean"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

static bool read_head(const char *text, ThModelAblation *a, ThError *err)
{
    char *end, *dot = strchr(text, '.');
    long level = dot ? strtol(text, &end, 10) : 0, head = strtol(dot ? dot + 1 : text, &end, 10);
    bool digits = strspn(text, "0123456789.") == strlen(text) && end > text && *end == 0;
    if (!digits || level < 0 || level > 1000 || head < 1 || head > 1024 || (dot && level < 1))
        return th_fail(err, TH_EUSAGE, "head=%s names no head", text) ||
               th_hint(err, "head=1.2 is head 2 of level 1, head=2 that of every level");
    *a = (ThModelAblation){.part = TH_MODEL_HEAD, .layer = (int)level - 1, .number = (int)head - 1};
    return true;
}

/* Fills the parts that the options name; returns how many there are, or -1. */
static int read_parts(const ThOptions *o, ThModelAblation a[3], ThError *err)
{
    int n = 0;
    if (th_option_given(o, "head") && !read_head(th_option_text(o, "head"), &a[n++], err))
        return -1;
    if (th_option_given(o, "level"))
        a[n++] =
            (ThModelAblation){.part = TH_MODEL_LEVEL, .layer = (int)th_option_int(o, "level") - 1};
    if (th_option_given(o, "position"))
        a[n++] = (ThModelAblation){.part = TH_MODEL_POSITION,
                                   .number = (int)th_option_int(o, "position")};
    if (n > 0)
        return n;
    th_fail(err, TH_EUSAGE, "which part is to be ablated?");
    th_hint(err, "head=, level= or position= says so");
    return -1;
}

/* Silences a part of the copy; the mean is that of the model as it was. */
static bool ablate_one(ShSession *s, const ShCall *call, ThModel *copy, ThModelAblation *a,
                       ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ThOptions *o = &call->options;
    bool ok = th_model_ablation_fit(m, a, err);
    if (ok && call->form == 2) {
        const ThInspectStrings of = {.task = call->operand[1].object->as.task,
                                     .length = (int)th_option_int(o, "length"),
                                     .strings = (int)th_option_int(o, "strings"),
                                     .seed = (uint64_t)sh_seed(s, o)};
        ok = th_inspect_mean(m, a, &of, sh_stop(s), err);
    }
    ok = ok && th_model_ablate(copy, a, err);
    free(a->mean);
    return ok;
}

static void write_part(ThText *t, const ThModelAblation *a)
{
    if (a->part == TH_MODEL_POSITION)
        th_text_printf(t, "position %d", a->number);
    else if (a->part == TH_MODEL_LEVEL)
        th_text_printf(t, "level %d", a->layer + 1);
    else
        th_text_printf(t, "head %d of ", a->number + 1);
    if (a->part == TH_MODEL_HEAD && a->layer < 0)
        th_text_add(t, "all levels");
    else if (a->part == TH_MODEL_HEAD)
        th_text_printf(t, "level %d", a->layer + 1);
    th_text_add(t, a->mean ? " (mean)" : " (zeros)");
}

void sh_write_ablations(ThText *t, const ThModel *m)
{
    for (size_t i = 0; i < m->n_ablations; i++) {
        th_text_add(t, i ? ", " : "");
        write_part(t, &m->ablation[i]);
    }
}

SH_COMMAND(
    ablate, .group = "inspection", .summary = "make a model of which a part is silent",
    .detail = "NAME is a copy of MODEL in which, wherever it is run, the part is replaced: by "
              "zeros, or with `on TASK` by its mean over all vectors while MODEL reads strings of "
              "the task.  The part is a head of attention (what it reads, before the output "
              "matrix), the vectors that a level hands on, or the embedded symbol at a position; "
              "several options silence several parts, and so does ablating again.  Levels and "
              "heads count from 1, as in attention, positions from 0.\n\n"
              "evaluate, run, trace, attention, activations, lens, probe, patch, clusters, "
              "receptive field and learn take the new model as any other; show says what is "
              "ablated.  What looks at the weights alone, or changes or saves them, refuses it: "
              "save, train, certify, quantize, scan.",
    .example = "task p = parity\n"
               "compile p as m > \"proof.txt\"\n"
               "ablate m position=1 as deaf\n"
               "#> deaf: m without position 1 (zeros)\n"
               "evaluate m on p length=10 > \"scores.txt\"\n"
               "assert accuracy == 1\n"
               "evaluate deaf on p length=10 > \"scores.txt\"\n"
               "assert accuracy < 0.6\n"
               "ablate m on p head=1.1 as mute > \"parts.txt\"",
    .results = "ablated", .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "as", 0}, {A_NEW, "NAME", 0}},
    .args2 = {{A_MODEL, "MODEL", 0},
              {A_KEYWORD, "on", 0},
              {A_TASK, "TASK", 0},
              {A_KEYWORD, "as", 0},
              {A_NEW, "NAME", 0}},
    .options = ablate_options)
{
    const ShObject *o = call->operand[0].object;
    const char *name = call->operand[call->n - 1].text;
    ThModelAblation part[3];
    int n = read_parts(&call->options, part, err);
    if (n < 0)
        return sh_error_inside(err, &call->operand[0]);
    if (call->form == 2 && !sh_check_pair(call, err))
        return false;
    ThModel *copy = th_model_copy(o->as.model, err);
    bool ok = copy != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = ablate_one(s, call, copy, &part[i], err) || sh_error_inside(err, &call->operand[0]);
    ThText t = {0};
    if (ok)
        sh_write_ablations(&t, copy);
    char *text TH_OWNED(free) = ok ? th_text_take(&t, err) : NULL;
    if (!text)
        th_model_free(copy);
    ok = text && sh_define(s, name, SH_MODEL, copy, o->made_by, err);
    if (ok) {
        sh_say(s, "%s: %s without %s\n", name, o->name, text);
        sh_result_text(s, "ablated", text);
    }
    return ok;
}

/* ---- patch ----------------------------------------------------------------------------------- */

const ThOptionSpec sh_patch_options[] = {
    {"segment", TH_RANGE, NULL, 0, 1e6, NULL,
     "first and last position of the vector that is replaced, from 0; default: each by itself"},
    {"with", TH_RANGE, NULL, 0, 1e6, NULL,
     "those of the vector that takes its place; default: the same"},
    {"level", TH_INT, NULL, 1, 1000, NULL, "level of the vector; default: every level"},
    {"length", TH_INT, "16", 2, 20000, NULL, "of the strings that are drawn"},
    {"pairs", TH_INT, "100", 1, 100000, NULL, "number of pairs of strings that are drawn"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

static ThInspectPatchWhich read_which(const ThOptions *o)
{
    ThInspectPatchWhich w = {(int)th_option_int_or(o, "level", 0) - 1, -1, -1, -1, -1};
    if (th_option_given(o, "segment")) {
        w.first = (int)th_option_range(o, "segment").lo;
        w.last = (int)th_option_range(o, "segment").hi;
    }
    if (th_option_given(o, "with")) {
        w.of_first = (int)th_option_range(o, "with").lo;
        w.of_last = (int)th_option_range(o, "with").hi;
    }
    return w;
}

/* Of the options those that the form of the call asks nothing of are refused. */
static bool fits_form(const ShCall *call, ThError *err)
{
    static const char *const words[] = {"segment", "with", "level"};
    static const char *const task[] = {"length", "pairs", "seed"};
    const ThOptions *o = &call->options;
    for (int i = 0; i < 3; i++) {
        const char *name = call->form == 2 ? words[i] : task[i];
        if (th_option_given(o, name))
            return th_fail(err, TH_EUSAGE, "%s= is for patch %s", name,
                           call->form == 2 ? "from WORD to WORD" : "on TASK");
    }
    return !th_option_given(o, "with") || th_option_given(o, "segment") ||
           th_fail(err, TH_EUSAGE, "with= says what takes the place of segment=");
}

ThInspectPatch *sh_call_patch(ShSession *s, const ShCall *call, int *word[2], ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    ThInspectPatchWhich w = read_which(&call->options);
    int length[2];
    if (!fits_form(call, err))
        return th_null(sh_error_inside(err, &call->operand[0]));
    for (int i = 0; i < 2; i++) {
        word[i] = sh_model_input(m, &call->operand[i + 1], &length[i], err);
        if (!word[i])
            return NULL;
    }
    ThInspectPatch *p = th_inspect_patch(m, &(ThTaskWord){word[0], length[0]},
                                         &(ThTaskWord){word[1], length[1]}, &w, sh_stop(s), err);
    if (!p)
        sh_error_inside(err, &call->operand[0]);
    return p;
}

static bool patch_row(ShSession *s, const ThSignature *g, const int *word, const ThInspectPatch *p,
                      int i, ThError *err)
{
    const ThInspectLensRow *row = &p->row[i];
    char *reads TH_OWNED(free) = th_symbols_text(g->symbol, g->n_symbols, word + row->first,
                                                 row->last - row->first + 1, err),
                *answer TH_OWNED(free) = sh_logits_text(g, row->logit, err);
    double *all TH_OWNED(free) = th_copy(row->logit, (size_t)g->n_classes, sizeof *all, err);
    bool ok = reads && answer && all;
    if (ok) {
        th_lab_probabilities(g->target, all, g->n_classes);
        sh_row(s, (long long)row->layer + 1, (long long)row->first, (long long)row->last, reads,
               answer, th_inspect_probability(g, row->logit, p->target),
               th_inspect_probability(g, row->logit, p->source), all);
        sh_result_text(s, "after", answer);
    }
    return ok;
}

static bool print_patch(ShSession *s, const ShCall *call, const ThInspectPatch *p, const int *word,
                        ThError *err)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    char *source TH_OWNED(free) = sh_logits_text(g, p->source, err),
                 *target TH_OWNED(free) = sh_logits_text(g, p->target, err);
    long long changed = 0;
    bool ok = source && target;
    for (int i = 0; i < p->n_rows; i++)
        changed += !th_inspect_same_answer(g, p->row[i].logit, p->target);
    if (ok) {
        sh_say(s, "%s: %s; %s: %s\n\n", call->operand[1].text, source, call->operand[2].text,
               target);
        sh_results(s, "source:s before:s", source, target);
    }
    sh_table(s, "patches", "level:i first:i last:i replaced:s output:s own:r other:r p:v");
    sh_table_parts(s, (const char *const *)g->label, g->n_classes);
    for (int i = 0; ok && i < p->n_rows; i++)
        ok = patch_row(s, g, word, p, i, err);
    if (ok)
        sh_table_end(s);
    sh_results(s, "vectors:i changed:i", (long long)p->n_rows, (long long)changed);
    return ok;
}

static bool patch_words(ShSession *s, const ShCall *call, ThError *err)
{
    int *word[2] = {0};
    ThInspectPatch *p TH_OWNED(th_inspect_patch_free) = sh_call_patch(s, call, word, err);
    if (p)
        sh_about_model(s, call->operand[0].object, NULL);
    bool ok = p && print_patch(s, call, p, word[1], err);
    TH_FREE(word[0], word[1]);
    return ok;
}

static double share(long long part, long long all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

static void print_causes(ShSession *s, const ThInspectCause *c, int n)
{
    ThInspectCause all = {0};
    sh_table(s, "levels", "level:i same:i kept:r other:i follows:r low:r high:r");
    for (int l = 0; l < n; l++) {
        ThStatsInterval of = {0, 1};
        if (c[l].other > 0)
            of = th_stats_share((double)c[l].other_right, (double)c[l].other);
        sh_row(s, (long long)l + 1, c[l].same, share(c[l].same_right, c[l].same), c[l].other,
               share(c[l].other_right, c[l].other), of.low, of.high);
        all.same += c[l].same;
        all.same_right += c[l].same_right;
        all.other += c[l].other;
        all.other_right += c[l].other_right;
    }
    sh_table_end(s);
    double kept = share(all.same_right, all.same), follows = share(all.other_right, all.other);
    sh_say(s,
           "\n%lld vectors replaced: by one of the same function %lld, and %.4g %% of the answers "
           "stay right;\nby one of another %lld, and %.4g %% follow it\n",
           all.same + all.other, all.same, 100 * kept, all.other, 100 * follows);
    sh_results(s, "vectors:i kept:r follows:r", (long long)(all.same + all.other), kept, follows);
}

static bool patch_task(ShSession *s, const ShCall *call, ThError *err)
{
    const ThTask *t = call->operand[1].object->as.task;
    const ThOptions *o = &call->options;
    if (!fits_form(call, err) || !sh_check_pair(call, err) ||
        !sh_need_machine(&call->operand[1], err))
        return false;
    const ThInspectPairs pairs = {.seed = (uint64_t)sh_seed(s, o),
                                  .length = (int)th_option_int(o, "length"),
                                  .pairs = (int)th_option_int(o, "pairs")};
    int n = 0;
    ThDfa *machine TH_OWNED(th_dfa_free) = sh_true_machine(t, sh_stop(s), err);
    ThInspectCause *c TH_OWNED(free) = machine
                                           ? th_inspect_causes(call->operand[0].object->as.model, t,
                                                               machine, &pairs, sh_stop(s), &n, err)
                                           : NULL;
    if (!c)
        return sh_error_inside(err, &call->operand[0]);
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    print_causes(s, c, n);
    return true;
}

SH_COMMAND(
    patch, .group = "inspection",
    .summary = "replace a vector by that of another string and see what is answered",
    .detail =
        "Runs the model on the second WORD, but with one vector that a level hands on replaced by "
        "the vector that stands there when it reads the first.  Each row is one vector: what it "
        "has read of the second word, the answer, and the probabilities of the answers to the "
        "second word (own) and to the first (other).  segment= and level= choose vectors, with= "
        "takes the replacement from another segment of the first word.  In a RegularGPT a vector "
        "stands for a segment; in other models it is named by its position.\n\n"
        "on TASK, for RegularGPT: the causal test of what clusters shows.  In pairs of strings "
        "every vector is replaced by that of the other string, and the answer compared with that "
        "of the automaton on the string with the segment replaced.  Where the segments have the "
        "same function the answer must stay (kept); where they differ it must follow the function "
        "of the vector (follows, with its 95 % interval).\n\n"
        "A model whose vectors nothing reads but the answer, as those of one recurrent layer, is "
        "refused.  plot patch draws it.",
    .example = "task p = parity\n"
               "compile p as m > \"proof.txt\"\n"
               "patch m from \"abab\" to \"aaab\" segment=0..1 > \"patch.csv\"\n"
               "assert before == \"odd\" and after == \"even\"\n"
               "patch m on p pairs=20 > \"causes.csv\"\n"
               "assert kept == 1 and follows == 1",
    .results = "model architecture task seed source before after vectors changed kept follows",
    .args = {{A_MODEL, "MODEL", 0},
             {A_KEYWORD, "from", 0},
             {A_INPUT, "WORD", 0},
             {A_KEYWORD, "to", 0},
             {A_INPUT, "WORD", 0}},
    .args2 = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = sh_patch_options, .flags = C_PAGED)
{
    return call->form == 2 ? patch_task(s, call, err) : patch_words(s, call, err);
}
