/* teacher.c - automata, tasks and models that answer the questions of a learner. */
#include "commands/learn.h"

#include <stdlib.h>
#include <string.h>

#include "automata/core/run.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/symbols.h"
#include "commands/modelling.h"
#include "lab/evaluate.h"

/* The number of a row of bits as a class, which is named when it is met for the first time. */
static bool class_of_set(ShTeacher *t, const ThSignature *g, const int *bit, int *label,
                         ThError *err)
{
    size_t n = (size_t)g->n_classes, index, before = t->set.n;
    unsigned char *row = th_alloc(n, 1, err);
    for (size_t i = 0; row && i < n; i++)
        row[i] = bit[i] != 0;
    bool ok = row && th_intern(&t->set, row, n, &index, err);
    free(row);
    if (!ok || index < before) {
        *label = ok ? (int)index : 0;
        return ok;
    }
    if (index >= SH_TEACHER_SETS)
        return th_fail(err, TH_ELIMIT, "the model answers with more than %d different sets",
                       SH_TEACHER_SETS);
    ThText name = {0};
    sh_write_answers(&name, g, bit, 1);
    t->name[index] = t->set_name[index] = th_text_take(&name, err);
    t->n_classes = (int)t->set.n;
    *label = (int)index;
    return t->name[index] != NULL;
}

static bool class_of_model(ShTeacher *t, const int *word, int length, int *label, ThError *err)
{
    const ThModel *m = t->object->as.model;
    const ThSignature *g = &m->signature;
    bool bits = g->target == TH_TARGET_BITS;
    size_t width = bits ? (size_t)g->n_classes : 1;
    size_t n = g->target == TH_TARGET_FINAL ? 1 : (size_t)length * width;
    *label = t->sets ? 0 : t->empty;
    if (length > 0) {
        if (!th_grow(&t->answer, &t->answer_cap, n, sizeof *t->answer, err) ||
            !th_lab_predict(m, word, length, t->answer, err))
            return false;
        if (t->sets)
            return class_of_set(t, g, t->answer + n - width, label, err);
        if (bits) {
            *label = t->answer[n - width + (size_t)t->wanted];
            return true;
        }
        *label = t->answer[n - 1];
    }
    if (t->wanted >= 0)
        *label = *label == t->wanted;
    return true;
}

static uint64_t hash_of(const ShTeacher *t, const int *word, int length)
{
    uint64_t h = length ? th_hash_bytes(word, (size_t)length * sizeof *word) : 0;
    return th_hash_mix(h ^ th_hash_mix(t->seed + 1));
}

bool sh_teacher_member(void *context, const int *word, int length, int *label, ThError *err)
{
    ShTeacher *t = context;
    if (!t->machine && !class_of_model(t, word, length, label, err))
        return false;
    if (t->machine)
        *label = th_dfa_class(t->machine, word, (size_t)length);
    if (t->flip > 0) {
        uint64_t h = hash_of(t, word, length);
        if ((double)(h >> 11) * 0x1p-53 < t->flip)
            *label = (*label + 1 + (int)(h % (uint64_t)(t->n_classes - 1))) % t->n_classes;
    }
    if (++t->asked % 64 == 0)
        sh_progress(t->s, "%lld words asked for, %d state%s", t->asked,
                    t->report ? t->report->states : 0, "s");
    return true;
}

bool sh_teacher_exact(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ShTeacher *t = context;
    ThError own = {0};
    *word = th_dfa_distinguish(t->machine, guess, length, sh_stop(t->s), &own);
    if (own.code != TH_OK && err && err->code == TH_OK)
        *err = own;
    return own.code == TH_OK;
}

bool sh_teacher_sampled(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ShTeacher *t = context;
    return th_pac_equivalent(&t->sampling, guess, word, length, err);
}

void sh_teacher_free(ShTeacher *t)
{
    th_dfa_free(t->machine);
    for (size_t i = 0; t->set_name && i < t->set.n; i++)
        free(t->set_name[i]);
    free(t->set_name);
    th_intern_free(&t->set);
    free(t->answer);
    free(t->name);
    th_automaton_classes_free(&t->classes);
}

/* The names of the classes. */
static bool name_classes(ShTeacher *t, char *const *name, int n, ThError *err)
{
    t->name = th_alloc((size_t)n + 1, sizeof *t->name, err);
    if (!t->name)
        return false;
    for (int i = 0; i < n; i++)
        t->name[i] = name[i];
    t->n_classes = n;
    return true;
}

static bool name_verdicts(ShTeacher *t, ThError *err)
{
    t->name = th_alloc(2, sizeof *t->name, err);
    if (!t->name)
        return false;
    t->name[0] = "reject";
    t->name[1] = "accept";
    t->n_classes = 2;
    return true;
}

/* An automaton with outputs answers with all that a state does: accept, put out, put out on each
 * symbol. */
static bool from_transducer(ShTeacher *t, const ThAutomaton *a, ThError *err)
{
    if (!th_automaton_classes_of(&t->classes, a, err))
        return false;
    t->n_classes = t->classes.n_classes;
    t->machine = th_automaton_classes_dfa(a, t->classes.of_state, t->n_classes, err);
    t->name = th_alloc((size_t)t->n_classes, sizeof *t->name, err);
    for (int i = 0; t->name && i < t->n_classes && !th_automaton_mealy(a); i++) {
        int output = t->classes.row[(size_t)i * (2 + (size_t)t->n_symbols) + 1];
        t->name[i] = output == TH_AUTOMATON_NO_OUTPUT ? NULL : a->output[output];
    }
    return t->machine && t->name;
}

static bool from_automaton(ShTeacher *t, const ThAutomaton *a, size_t most, ThError *err)
{
    t->symbol = a->symbol;
    t->n_symbols = a->n_symbols;
    if (th_automaton_moore(a) || th_automaton_mealy(a))
        return from_transducer(t, a, err);
    t->language = true;
    t->machine = th_automaton_acceptor(a, most, sh_stop(t->s), err);
    return t->machine && name_verdicts(t, err);
}

static bool is_verdict(const ThSignature *g)
{
    return g->target == TH_TARGET_FINAL && g->n_classes == 2 &&
           strcmp(g->label[0], "reject") == 0 && strcmp(g->label[1], "accept") == 0;
}

static bool hint_classes(const ThSignature *g, ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < g->n_classes && t.size < 200; i++)
        th_text_printf(&t, " %s", g->label[i]);
    th_hint(err, "the classes are%s", t.data ? t.data : "");
    th_text_free(&t);
    return false;
}

/* The number of a class that an option names, or `fallback` where the option is not given; -1 and
 * an error for a name that is no class. */
static bool class_option(const ShCall *call, const char *option, const ThSignature *g, int *label,
                         ThError *err)
{
    if (!th_option_given(&call->options, option))
        return true;
    const char *name = th_option_text(&call->options, option);
    *label = th_symbols_find(g->label, g->n_classes, name);
    if (*label >= 0)
        return true;
    const char *near = th_nearest(name, (const char *const *)g->label, (size_t)g->n_classes);
    th_fail(err, TH_EVALUE, "%s=%s: there is no class of that name", option, name);
    if (near)
        return th_hint(err, "did you mean %s?", near);
    return hint_classes(g, err);
}

/* Answers in sets of bits: room for their names; class 0 is the empty set. */
static bool name_sets(ShTeacher *t, const ThSignature *g, ThError *err)
{
    int label, *none = th_alloc((size_t)g->n_classes, sizeof *none, err);
    t->sets = true;
    t->name = th_alloc(SH_TEACHER_SETS, sizeof *t->name, err);
    t->set_name = th_alloc(SH_TEACHER_SETS, sizeof *t->set_name, err);
    bool ok = none && t->name && t->set_name && class_of_set(t, g, none, &label, err);
    free(none);
    return ok;
}

/* What a task and a model have in common.  A class, or one of the bits, that accepts makes a
 * language. */
static bool from_signature(ShTeacher *t, const ShCall *call, const ThSignature *g, ThError *err)
{
    t->symbol = g->symbol;
    t->n_symbols = g->n_symbols;
    t->wanted = -1;
    if (!class_option(call, "accept", g, &t->wanted, err))
        return false;
    t->language = t->wanted >= 0 || is_verdict(g);
    if (t->language)
        return name_verdicts(t, err);
    return g->target == TH_TARGET_BITS ? name_sets(t, g, err)
                                       : name_classes(t, g->label, g->n_classes, err);
}

/* The classes of a task's states where its answers are bits. */
static bool classes_of_bits(ShTeacher *t, const ThTask *task, ThDfa *d, ThError *err)
{
    const ThSignature *g = &task->signature;
    int *bit = th_alloc((size_t)g->n_classes, sizeof *bit, err);
    bool ok = bit != NULL;
    for (int q = 0; ok && q < d->n_states; q++) {
        for (int i = 0; i < g->n_classes; i++)
            bit[i] = task->bits[(size_t)q * (size_t)g->n_classes + (size_t)i];
        if (t->language)
            d->label[q] = bit[t->wanted];
        else
            ok = class_of_set(t, g, bit, &d->label[q], err);
    }
    free(bit);
    return ok;
}

static bool from_task(ShTeacher *t, const ShCall *call, const ThTask *task, ThError *err)
{
    const ThSignature *g = &task->signature;
    if (!from_signature(t, call, g, err))
        return false;
    ThDfa *d = t->machine = th_dfa_copy(task->machine, err);
    if (!d || (task->bits && !classes_of_bits(t, task, d, err)))
        return false;
    for (int q = 0; !task->bits && t->wanted >= 0 && q < d->n_states; q++)
        d->label[q] = d->label[q] == t->wanted;
    if (!t->language && !t->sets && d->n_classes > t->n_classes)
        t->n_classes = d->n_classes;
    d->n_classes = t->n_classes;
    return true;
}

/* The class of the empty word, which a model cannot read; a set is empty then. */
static bool class_of_empty(ShTeacher *t, const ShCall *call, const ThSignature *g, ThError *err)
{
    t->empty = g->target == TH_TARGET_BITS ? -1 : 0;
    if (t->sets && th_option_given(&call->options, "empty"))
        return th_fail(err, TH_EVALUE, "empty= needs accept=: here the empty word has the set {}");
    return class_option(call, "empty", g, &t->empty, err);
}

static bool from_model(ShTeacher *t, const ShCall *call, const ThModel *m, ThError *err)
{
    if (!m->bound) {
        th_fail(err, TH_EVALUE, "the model '%s' has no alphabet yet", t->object->name);
        return th_hint(err, "train it first");
    }
    const ThSignature *g = &m->signature;
    if (!from_signature(t, call, g, err) || !class_of_empty(t, call, g, err))
        return false;
    if (t->sets && th_option_real(&call->options, "flip") > 0)
        return th_fail(err, TH_EVALUE, "flip= needs accept= where the answers are sets");
    return true;
}

bool sh_teacher_make(ShTeacher *t, const ShCall *call, ThError *err)
{
    const ThOptions *o = &call->options;
    ShSession *s = t->s;
    size_t most = (size_t)sh_setting_int(s, "limit-states");
    ShKind kind = t->object->kind;
    if (kind != SH_AUTOMATON && kind != SH_TASK && kind != SH_MODEL)
        return th_fail(err, TH_EVALUE, "'%s' is no automaton, task or model", t->object->name);
    bool ok = t->object->kind == SH_AUTOMATON
                  ? from_automaton(t, t->object->as.automaton, most, err)
              : t->object->kind == SH_TASK ? from_task(t, call, t->object->as.task, err)
                                           : from_model(t, call, t->object->as.model, err);
    if (!ok)
        return false;
    t->flip = t->n_classes > 1 ? th_option_real(o, "flip") : 0;
    t->seed = (uint64_t)(th_option_given(o, "seed") ? th_option_int(o, "seed")
                                                    : sh_setting_int(s, "seed"));
    ThRange length = th_option_range(o, "length");
    t->sampling = (ThPac){.n_symbols = t->n_symbols,
                          .context = t,
                          .member = sh_teacher_member,
                          .lo = (int)length.lo,
                          .hi = (int)length.hi,
                          .error = th_option_real(o, "error"),
                          .confidence = th_option_real(o, "confidence"),
                          .noise = th_option_real(o, "noise"),
                          .rng = th_rng(t->seed, "learn", 0),
                          .stop = sh_stop(s)};
    return true;
}
