/* teacher.c - automata, tasks and models that answer the questions of a learner. */
#include "commands/learn.h"

#include <stdlib.h>
#include <string.h>

#include "automata/run.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/symbols.h"
#include "lab/evaluate.h"

static bool class_of_model(ThTeacher *t, const int *word, int length, int *class, ThError *err)
{
    const ThModel *m = t->object->as.model;
    const ThSignature *g = &m->signature;
    size_t width = g->target == TH_BITS ? (size_t)g->n_classes : 1;
    size_t n = g->target == TH_FINAL ? 1 : (size_t)length * width;
    *class = t->empty;
    if (length > 0) {
        if (!th_grow(&t->answer, &t->answer_cap, n, sizeof *t->answer, err) ||
            !th_predict(m, word, length, t->answer, err))
            return false;
        *class = t->answer[n - 1];
    }
    if (t->wanted >= 0)
        *class = *class == t->wanted;
    return true;
}

static uint64_t hash_of(const ThTeacher *t, const int *word, int length)
{
    uint64_t h = length ? th_hash_bytes(word, (size_t)length * sizeof *word) : 0;
    return th_hash_mix(h ^ th_hash_mix(t->seed + 1));
}

bool th_teacher_member(void *context, const int *word, int length, int *class, ThError *err)
{
    ThTeacher *t = context;
    if (!t->machine && !class_of_model(t, word, length, class, err))
        return false;
    if (t->machine)
        *class = th_dfa_class(t->machine, word, (size_t)length);
    if (t->flip > 0) {
        uint64_t h = hash_of(t, word, length);
        if ((double)(h >> 11) * 0x1p-53 < t->flip)
            *class = (*class + 1 + (int)(h % (uint64_t)(t->n_classes - 1))) % t->n_classes;
    }
    if (++t->asked % 64 == 0)
        th_progress(t->s, "%lld words asked for, %d state%s", t->asked,
                    t->report ? t->report->states : 0, "s");
    return true;
}

bool th_teacher_exact(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThTeacher *t = context;
    ThError own = {0};
    *word = th_dfa_distinguish(t->machine, guess, length, th_stop(t->s), &own);
    if (own.code != TH_OK && err && err->code == TH_OK)
        *err = own;
    return own.code == TH_OK;
}

bool th_teacher_sampled(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThTeacher *t = context;
    return th_sampling_equivalent(&t->sampling, guess, word, length, err);
}

void th_teacher_free(ThTeacher *t)
{
    th_dfa_free(t->machine);
    free(t->answer);
    free(t->name);
    th_classes_free(&t->classes);
}

/* The names of the classes. */
static bool name_classes(ThTeacher *t, char *const *name, int n, ThError *err)
{
    t->name = th_alloc((size_t)n + 1, sizeof *t->name, err);
    if (!t->name)
        return false;
    for (int i = 0; i < n; i++)
        t->name[i] = name[i];
    t->n_classes = n;
    return true;
}

static bool name_verdicts(ThTeacher *t, ThError *err)
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
static bool from_transducer(ThTeacher *t, const ThAutomaton *a, ThError *err)
{
    if (!th_classes_of(&t->classes, a, NULL, err))
        return false;
    t->n_classes = t->classes.n_classes;
    t->machine = th_classes_dfa(a, t->classes.of_state, t->n_classes, err);
    t->name = th_alloc((size_t)t->n_classes, sizeof *t->name, err);
    for (int i = 0; t->name && i < t->n_classes && !th_automaton_mealy(a); i++) {
        int output = t->classes.row[(size_t)i * (2 + (size_t)t->n_symbols) + 1];
        t->name[i] = output == TH_NO_OUTPUT ? NULL : a->output[output];
    }
    return t->machine && t->name;
}

static bool from_automaton(ThTeacher *t, const ThAutomaton *a, size_t most, ThError *err)
{
    t->symbol = a->symbol;
    t->n_symbols = a->n_symbols;
    if (th_automaton_moore(a) || th_automaton_mealy(a))
        return from_transducer(t, a, err);
    t->language = true;
    t->machine = th_automaton_acceptor(a, most, th_stop(t->s), err);
    return t->machine && name_verdicts(t, err);
}

static bool is_verdict(const ThSignature *g)
{
    return g->target == TH_FINAL && g->n_classes == 2 && strcmp(g->class[0], "reject") == 0 &&
           strcmp(g->class[1], "accept") == 0;
}

/* The number of a class that an option names, or `fallback` where the option is not given; -1 and
 * an error for a name that is no class. */
static bool class_option(const ThCall *call, const char *option, const ThSignature *g, int *class,
                         ThError *err)
{
    if (!th_option_given(&call->options, option))
        return true;
    const char *name = th_option_text(&call->options, option);
    *class = th_symbols_find(g->class, g->n_classes, name);
    if (*class >= 0)
        return true;
    const char *near = th_nearest(name, (const char *const *)g->class, (size_t)g->n_classes);
    th_fail(err, TH_EVALUE, "%s=%s: there is no class of that name", option, name);
    return near ? th_hint(err, "did you mean %s?", near) : false;
}

/* What a task and a model have in common.  Where there is one bit a symbol, the last one says
 * whether the word may end: that is a language. */
static bool from_signature(ThTeacher *t, const ThCall *call, const ThSignature *g, ThError *err)
{
    bool bits = g->target == TH_BITS;
    t->symbol = g->symbol;
    t->n_symbols = g->n_symbols;
    t->wanted = -1;
    if (!bits && !class_option(call, "accept", g, &t->wanted, err))
        return false;
    t->language = bits || t->wanted >= 0 || is_verdict(g);
    if (t->language)
        return name_verdicts(t, err);
    return name_classes(t, g->class, g->n_classes, err);
}

static bool from_task(ThTeacher *t, const ThCall *call, const ThTask *task, ThError *err)
{
    const ThSignature *g = &task->signature;
    if (!from_signature(t, call, g, err))
        return false;
    t->machine = th_dfa_copy(task->machine, err);
    if (!t->machine)
        return false;
    ThDfa *d = t->machine;
    for (int q = 0; q < d->n_states; q++) {
        if (task->bits)
            d->class[q] = task->bits[(size_t)q * (size_t)g->n_classes + (size_t)g->n_classes - 1];
        else if (t->wanted >= 0)
            d->class[q] = d->class[q] == t->wanted;
    }
    if (!t->language && d->n_classes > g->n_classes)
        t->n_classes = d->n_classes;
    d->n_classes = t->n_classes;
    return true;
}

static bool from_model(ThTeacher *t, const ThCall *call, const ThModel *m, ThError *err)
{
    if (!m->bound) {
        th_fail(err, TH_EVALUE, "the model '%s' has no alphabet yet", t->object->name);
        return th_hint(err, "train it first");
    }
    const ThSignature *g = &m->signature;
    return from_signature(t, call, g, err) && class_option(call, "empty", g, &t->empty, err);
}

bool th_teacher_make(ThTeacher *t, const ThCall *call, ThError *err)
{
    const ThOptions *o = &call->options;
    ThSession *s = t->s;
    size_t most = (size_t)th_setting_int(s, "limit-states");
    bool ok = t->object->kind == TH_AUTOMATON
                  ? from_automaton(t, t->object->as.automaton, most, err)
              : t->object->kind == TH_TASK ? from_task(t, call, t->object->as.task, err)
                                           : from_model(t, call, t->object->as.model, err);
    if (!ok)
        return false;
    t->flip = t->n_classes > 1 ? th_option_real(o, "flip") : 0;
    t->seed = (uint64_t)(th_option_given(o, "seed") ? th_option_int(o, "seed")
                                                    : th_setting_int(s, "seed"));
    ThRange length = th_option_range(o, "length");
    t->sampling = (ThSampling){.n_symbols = t->n_symbols,
                               .context = t,
                               .member = th_teacher_member,
                               .lo = (int)length.lo,
                               .hi = (int)length.hi,
                               .error = th_option_real(o, "error"),
                               .confidence = th_option_real(o, "confidence"),
                               .noise = th_option_real(o, "noise"),
                               .rng = th_rng(t->seed, "learn", 0),
                               .stop = th_stop(s)};
    return true;
}
