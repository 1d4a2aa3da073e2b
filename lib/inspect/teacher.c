#include "inspect/teacher.h"

#include "automata/infer/rpni.h"
#include "base/symbols.h"
#include "lab/evaluate.h"

/* The number of a row of bits as a class, which is named when it is met for the first time. */
static bool class_of_set(ThInspectTeacher *t, const ThSignature *g, const int *bit, int *label,
                         ThError *err)
{
    size_t n = (size_t)g->n_classes, index, before = t->set.n;
    unsigned char *row TH_OWNED(free) = th_alloc(n, 1, err);
    for (size_t i = 0; row && i < n; i++)
        row[i] = bit[i] != 0;
    bool ok = row && th_intern(&t->set, row, n, &index, err);
    if (!ok || index < before) {
        *label = ok ? (int)index : 0;
        return ok;
    }
    if (index >= TH_INSPECT_SETS)
        return th_fail(err, TH_ELIMIT, "the model answers with more than %d different sets",
                       TH_INSPECT_SETS);
    ThText name = {0};
    th_lab_write_set(g, bit, &name);
    t->name[index] = t->set_name[index] = th_text_take(&name, err);
    t->n_classes = (int)t->set.n;
    *label = (int)index;
    return t->name[index] != NULL;
}

typedef struct {
    ThInspectTeacher *teacher;
    const ThLstarWords *words;
    size_t *number; /* of the words that the model reads */
    int *label;
} Asked;

/* The class of a word, from what the model says of it. */
static bool class_of_answer(void *context, size_t i, const int *answer, ThError *err)
{
    const Asked *a = context;
    ThInspectTeacher *t = a->teacher;
    const ThSignature *g = &t->model->signature;
    size_t word = a->number[i], length = a->words->start[word + 1] - a->words->start[word];
    size_t width = g->target == TH_TARGET_BITS ? (size_t)g->n_classes : 1;
    const int *last = answer + (g->target == TH_TARGET_FINAL ? 0 : (length - 1) * width);
    int *label = &a->label[word];
    if (t->sets)
        return class_of_set(t, g, last, label, err);
    *label = g->target == TH_TARGET_BITS ? last[t->wanted]
             : t->wanted >= 0            ? *last == t->wanted
                                         : *last;
    return true;
}

static int class_of_nothing(const ThInspectTeacher *t)
{
    return t->language || t->sets ? 0 : t->n_classes - 1;
}

/* The class of what is due after words that lead to a state. */
static bool class_due(ThInspectTeacher *t, int state, int *label, ThError *err)
{
    const ThInspectTruth *due = t->how.truth;
    const int *answer = due->answer + state * due->width;
    if (*answer < 0)
        *label = class_of_nothing(t);
    else if (t->sets)
        return class_of_set(t, due->signature, answer, label, err);
    else if (due->width > 1)
        *label = answer[t->wanted];
    else
        *label = t->wanted >= 0 && due->wanted < 0 ? *answer == t->wanted : *answer;
    return true;
}

/* Fills the class of a word that is not the model's to read: the empty one, or one about which
 * nothing is asked.  *read tells whether it is. */
static bool class_unread(ThInspectTeacher *t, const int *word, size_t length, int *label,
                         bool *read, ThError *err)
{
    const ThInspectTruth *due = t->how.truth;
    *read = length > 0;
    if (length == 0 && due)
        return class_due(t, due->machine->start, label, err);
    if (length == 0)
        *label = t->sets ? 0 : t->wanted >= 0 ? t->empty == t->wanted : t->empty;
    if (length > 0 && due && th_dfa_class(due->machine, word, length) == 0) {
        *label = class_of_nothing(t);
        *read = false;
    }
    return true;
}

/* The words that the model is to read; the others get their classes. */
static bool gather(ThInspectTeacher *t, Asked *a, ThWordsSample *read, ThError *err)
{
    const ThLstarWords *words = a->words;
    for (size_t i = 0; i < words->n; i++) {
        const int *word = words->symbol + words->start[i];
        size_t length = words->start[i + 1] - words->start[i];
        bool is_read;
        if (!class_unread(t, word, length, &a->label[i], &is_read, err))
            return false;
        if (!is_read)
            continue;
        memcpy(read->symbol + read->start[read->n], word, length * sizeof *word);
        a->number[read->n++] = i;
        read->start[read->n] = read->start[read->n - 1] + length;
    }
    return true;
}

static bool classes_of_model(ThInspectTeacher *t, const ThLstarWords *words, int *label,
                             ThError *err)
{
    ThWordsSample read TH_OWNED(th_words_sample_free) = {
        .symbol = th_alloc(words->start[words->n] + 1, sizeof(int), err),
        .start = th_alloc(words->n + 1, sizeof(size_t), err)};
    Asked a = {t, words, th_alloc(words->n + 1, sizeof *a.number, err), label};
    bool ok = read.symbol && read.start && a.number && gather(t, &a, &read, err);
    ThLstarWords wanted = {read.n, read.symbol, read.start};
    ThInspectRead how = {&wanted, &a, class_of_answer, t->how.stop, false};
    ok = ok && th_inspect_read(&t->reader, &how, err);
    free(a.number);
    return ok;
}

static bool class_of_program(ThInspectTeacher *t, const int *word, int length, int *label,
                             ThError *err)
{
    bool accepts = t->empty == 1;
    if (length > 0 && !th_rasp_accepts(&t->program, word, length, &accepts, err))
        return false;
    *label = accepts;
    return true;
}

static bool class_of_language(const ThInspectTeacher *t, const int *word, int length, int *label,
                              ThError *err)
{
    ThLanguageAnswer answer;
    if (!th_language_member(t->words, (ThLanguageWord){word, length}, t->how.stop, &answer, err))
        return false;
    *label = answer == TH_LANGUAGE_YES;
    return answer != TH_LANGUAGE_UNKNOWN ||
           th_fail(err, TH_EVALUE, "a word of %d symbol%s got no answer within the steps", length,
                   &"s"[length == 1]) ||
           th_hint(err,
                   "an automaton accepts or rejects: steps= gives a machine more time, length= "
                   "draws shorter words");
}

static uint64_t hash_of(const ThInspectTeacher *t, const int *word, int length)
{
    uint64_t h = length ? th_hash_bytes(word, (size_t)length * sizeof *word) : 0;
    return th_hash_mix(h ^ th_hash_mix(t->how.seed + 1));
}

static void count_asked(ThInspectTeacher *t)
{
    if (++t->asked % 64 == 0 && t->how.asked)
        t->how.asked(t->how.context, t->asked);
}

/* Some answers are turned on purpose. */
static int flip(const ThInspectTeacher *t, const int *word, int length, int label)
{
    uint64_t h = hash_of(t, word, length);
    if (t->how.flip <= 0 || (double)(h >> 11) * 0x1p-53 >= t->how.flip)
        return label;
    return (label + 1 + (int)(h % (uint64_t)(t->n_classes - 1))) % t->n_classes;
}

bool th_inspect_members(void *teacher, const ThLstarWords *words, int *label, ThError *err)
{
    ThInspectTeacher *t = teacher;
    if (t->model && !classes_of_model(t, words, label, err))
        return false;
    for (size_t i = 0; i < words->n; i++) {
        const int *word = words->symbol + words->start[i];
        int length = (int)(words->start[i + 1] - words->start[i]);
        if (t->program.graph && !class_of_program(t, word, length, &label[i], err))
            return false;
        if (t->words && !class_of_language(t, word, length, &label[i], err))
            return false;
        if (t->machine)
            label[i] = th_dfa_class(t->machine, word, (size_t)length);
        label[i] = flip(t, word, length, label[i]);
        count_asked(t);
    }
    return true;
}

bool th_inspect_member(void *teacher, const int *word, int length, int *label, ThError *err)
{
    ThLstarWords one = {1, word, (size_t[]){0, (size_t)length}};
    return th_inspect_members(teacher, &one, label, err);
}

bool th_inspect_exact(void *teacher, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThInspectTeacher *t = teacher;
    ThError own = {0};
    *word = th_dfa_distinguish(t->machine, guess, length, t->how.stop, &own);
    if (own.code != TH_OK && err && err->code == TH_OK)
        *err = own;
    return own.code == TH_OK;
}

bool th_inspect_sampled(void *teacher, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThInspectTeacher *t = teacher;
    return th_pac_equivalent(&t->sampling, guess, word, length, err);
}

void th_inspect_teacher_free(ThInspectTeacher *t)
{
    th_dfa_free(t->machine);
    TH_FREE_EACH(t->set_name, t->set.n);
    th_intern_free(&t->set);
    th_inspect_reader_free(&t->reader);
    free(t->name);
    th_automaton_classes_free(&t->classes);
}

/* The names of the classes. */
static bool name_classes(ThInspectTeacher *t, char *const *name, int n, ThError *err)
{
    t->name = th_alloc((size_t)n + 1, sizeof *t->name, err);
    if (!t->name)
        return false;
    for (int i = 0; i < n; i++)
        t->name[i] = name[i];
    t->n_classes = n + (t->how.truth != NULL);
    return true;
}

static bool name_verdicts(ThInspectTeacher *t, ThError *err)
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
static bool from_transducer(ThInspectTeacher *t, const ThAutomaton *a, ThError *err)
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

static bool from_automaton(ThInspectTeacher *t, const ThAutomaton *a, ThError *err)
{
    t->automaton = a;
    t->symbol = a->symbol;
    t->n_symbols = a->n_symbols;
    if (th_automaton_transducer(a))
        return from_transducer(t, a, err);
    t->language = true;
    t->machine = th_automaton_acceptor(a, t->how.most_states, t->how.stop, err);
    return t->machine && name_verdicts(t, err);
}

static bool is_verdict(const ThSignature *g)
{
    return g->target == TH_TARGET_FINAL && g->n_classes == 2 &&
           strcmp(g->label[0], "reject") == 0 && strcmp(g->label[1], "accept") == 0;
}

static bool hint_classes(const ThSignature *g, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < g->n_classes && t.size < 200; i++)
        th_text_printf(&t, " %s", g->label[i]);
    return th_hint(err, "the classes are%s", th_text_string(&t));
}

/* Sets *class to the number of a class by its name, where that is not NULL; an error for a name
 * that is no class. */
static bool class_named(const char *option, const char *name, const ThSignature *g, int *label,
                        ThError *err)
{
    if (!name)
        return true;
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
static bool name_sets(ThInspectTeacher *t, const ThSignature *g, ThError *err)
{
    int label, *none TH_OWNED(free) = th_alloc((size_t)g->n_classes, sizeof *none, err);
    t->sets = true;
    t->name = th_alloc(TH_INSPECT_SETS, sizeof *t->name, err);
    t->set_name = th_alloc(TH_INSPECT_SETS, sizeof *t->set_name, err);
    return none && t->name && t->set_name && class_of_set(t, g, none, &label, err);
}

/* What a task and a model have in common.  A class, or one of the bits, that accepts makes a
 * language. */
static bool from_signature(ThInspectTeacher *t, const ThSignature *g, ThError *err)
{
    t->symbol = g->symbol;
    t->n_symbols = g->n_symbols;
    t->wanted = -1;
    if (!class_named("accept", t->how.accept, g, &t->wanted, err))
        return false;
    t->language = t->wanted >= 0 || is_verdict(g);
    if (t->language)
        return name_verdicts(t, err);
    return g->target == TH_TARGET_BITS ? name_sets(t, g, err)
                                       : name_classes(t, g->label, g->n_classes, err);
}

/* The classes of a task's states where its answers are bits. */
static bool classes_of_bits(ThInspectTeacher *t, const ThTask *task, ThDfa *d, ThError *err)
{
    const ThSignature *g = &task->signature;
    int *bit TH_OWNED(free) = th_alloc((size_t)g->n_classes, sizeof *bit, err);
    bool ok = bit != NULL;
    for (int q = 0; ok && q < d->n_states; q++) {
        for (int i = 0; i < g->n_classes; i++)
            bit[i] = task->bits[(size_t)q * (size_t)g->n_classes + (size_t)i];
        if (t->language)
            d->label[q] = bit[t->wanted];
        else
            ok = class_of_set(t, g, bit, &d->label[q], err);
    }
    return ok;
}

static bool from_task(ThInspectTeacher *t, const ThTask *task, ThError *err)
{
    const ThSignature *g = &task->signature;
    if (!from_signature(t, g, err))
        return false;
    const ThDfa *machine = th_task_machine(task, err);
    if (!machine)
        return false;
    ThDfa *d = t->machine = th_dfa_copy(machine, err);
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
static bool class_of_empty(ThInspectTeacher *t, const ThSignature *g, ThError *err)
{
    t->empty = g->target == TH_TARGET_BITS ? -1 : 0;
    if (t->sets && t->how.empty)
        return th_fail(err, TH_EVALUE, "empty= needs accept=: here the empty word has the set {}");
    return class_named("empty", t->how.empty, g, &t->empty, err);
}

static bool from_model(ThInspectTeacher *t, const ThModel *m, ThError *err)
{
    t->model = t->reader.model = m;
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has no alphabet yet") ||
               th_hint(err, "train it first");
    const ThSignature *g = &m->signature;
    if (!from_signature(t, g, err) || !class_of_empty(t, g, err))
        return false;
    if (t->sets && t->how.flip > 0)
        return th_fail(err, TH_EVALUE, "flip= needs accept= where the answers are sets");
    return true;
}

static bool finish(ThInspectTeacher *t, bool made)
{
    const ThInspectTeaching *how = &t->how;
    t->how.flip = t->n_classes > 1 ? how->flip : 0;
    t->how.accept = t->how.empty = NULL; /* borrowed until now */
    t->sampling = (ThPac){.n_symbols = t->n_symbols,
                          .context = t,
                          .member = th_inspect_member,
                          .members = t->model ? th_inspect_members : NULL,
                          .lo = (int)how->length.lo,
                          .hi = (int)how->length.hi,
                          .error = how->error,
                          .confidence = how->confidence,
                          .noise = how->noise,
                          .rng = th_rng(how->seed, "learn", 0),
                          .stop = how->stop};
    return made;
}

ThDfa *th_inspect_due(ThInspectTeacher *t, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_copy(t->how.truth->machine, err);
    bool ok = d != NULL;
    for (int q = 0; ok && q < d->n_states; q++)
        ok = class_due(t, q, &d->label[q], err);
    if (ok)
        d->n_classes = t->n_classes;
    return ok ? th_dfa_minimize(d, t->how.stop, err) : NULL;
}

bool th_inspect_teach_automaton(ThInspectTeacher *t, const ThAutomaton *a,
                                const ThInspectTeaching *how, ThError *err)
{
    t->how = *how;
    return finish(t, from_automaton(t, a, err));
}

bool th_inspect_teach_task(ThInspectTeacher *t, const ThTask *task, const ThInspectTeaching *how,
                           ThError *err)
{
    t->how = *how;
    return finish(t, from_task(t, task, err));
}

bool th_inspect_teach_model(ThInspectTeacher *t, const ThModel *m, const ThInspectTeaching *how,
                            ThError *err)
{
    t->how = *how;
    return finish(t, from_model(t, m, err));
}

bool th_inspect_teach_program(ThInspectTeacher *t, const ThRaspWords *program, char **symbol,
                              int n_symbols, const ThInspectTeaching *how, ThError *err)
{
    bool accept = how->empty && strcmp(how->empty, "accept") == 0;
    t->how = *how;
    t->program = *program;
    t->symbol = symbol;
    t->n_symbols = n_symbols;
    t->language = true;
    t->empty = accept;
    if (how->empty && !accept && strcmp(how->empty, "reject") != 0)
        return th_fail(err, TH_EVALUE, "empty= is reject or accept here");
    return finish(t, name_verdicts(t, err));
}

bool th_inspect_teach_language(ThInspectTeacher *t, const ThLanguage *l,
                               const ThInspectTeaching *how, ThError *err)
{
    char *const *symbol = th_language_symbols(l, &t->n_symbols);
    t->how = *how;
    t->words = l;
    memcpy(&t->symbol, &symbol, sizeof symbol); /* views, as those of others */
    t->language = true;
    return finish(t, name_verdicts(t, err));
}
