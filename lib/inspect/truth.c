#include "inspect/truth.h"

#include "base/symbols.h"
#include "lab/evaluate.h"

enum { NOTHING = -1 };

/* A task, and what its symbols and classes are called in the model. */
typedef struct {
    const ThTask *task;
    int *symbol;   /* (symbols of the model): of the task, or NOTHING */
    int *label;    /* (classes of the task): of the model */
    int elsewhere; /* the answer where the task does not know a symbol */
} Source;

static bool in_sets(const ThInspectTruth *t)
{
    return t->signature->target == TH_TARGET_BITS && t->wanted < 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The bits of a state; all 0 where no accepted word goes on. */
static void read_bits(const Source *f, int q, int width, int *to)
{
    int n = f->task->signature.n_classes;
    bool any = false;
    for (int c = 0; c < width; c++)
        to[c] = 0;
    for (int c = 0; c < n; c++) {
        to[f->label[c]] = f->task->bits[q * n + c];
        any |= f->task->bits[q * n + c] != 0;
    }
    for (int c = 0; !any && c < width; c++)
        to[c] = NOTHING;
}

/* A set of names between braces, as bits; false for what is none. */
static bool read_set(const ThSignature *g, const char *text, int *to)
{
    size_t n = strlen(text);
    if (n < 2 || text[0] != '{' || text[n - 1] != '}')
        return false;
    for (int c = 0; c < g->n_classes; c++)
        to[c] = 0;
    for (const char *at = text + 1; at < text + n - 1;) {
        size_t size = strcspn(at, ",}");
        int c = 0;
        while (c < g->n_classes &&
               !(strlen(g->label[c]) == size && strncmp(g->label[c], at, size) == 0))
            c++;
        if (c == g->n_classes)
            return false;
        to[c] = 1;
        at += size + 1;
    }
    return true;
}

/* The answer of a state of the task's machine. */
static bool fill_state(ThInspectTruth *t, const Source *f, int q, ThError *err)
{
    const ThSignature *own = &f->task->signature;
    int *to = t->answer + q * t->width, c = f->task->machine->label[q];
    for (int i = 0; i < t->width; i++)
        to[i] = NOTHING;
    if (f->task->bits)
        read_bits(f, q, t->width, to);
    else if (in_sets(t))
        return c >= own->n_classes || read_set(t->signature, own->label[c], to) ||
               th_fail(err, TH_EVALUE, "'%s' is no set of the model's symbols", own->label[c]);
    else
        *to = c < own->n_classes ? f->label[c] : NOTHING;
    return true;
}

static bool fill(ThInspectTruth *t, const Source *f, ThError *err)
{
    int known = f->task->machine->n_states;
    t->last_only = f->task->last_only;
    t->machine = th_dfa_widen(f->task->machine, t->signature->n_symbols, f->symbol, err);
    t->answer = t->machine ? th_alloc((size_t)t->machine->n_states * (size_t)t->width,
                                      sizeof *t->answer, err)
                           : NULL;
    if (!t->answer)
        return false;
    bool whole = t->signature->target == TH_TARGET_FINAL || t->last_only || in_sets(t);
    t->machine->n_classes = 2;
    for (int q = 0; q < t->machine->n_states; q++) {
        if (q < known && !fill_state(t, f, q, err))
            return false;
        for (int i = 0; q >= known && i < t->width; i++)
            t->answer[q * t->width + i] = f->elsewhere;
        t->machine->label[q] = !whole || t->answer[q * t->width] != NOTHING;
    }
    return true;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static bool begin(ThInspectTruth *t, const ThSignature *g, ThError *err)
{
    t->signature = g;
    t->wanted = -1;
    t->width = g->target == TH_TARGET_BITS ? g->n_classes : 1;
    return g->n_symbols > 0 || th_fail(err, TH_EVALUE, "the model has no alphabet yet") ||
           th_hint(err, "train it first");
}

/* Returns new: 0, 1, 2, … */
static int *all_the_same(int n, ThError *err)
{
    int *number = th_alloc((size_t)n + 1, sizeof *number, err);
    for (int i = 0; number && i < n; i++)
        number[i] = i;
    return number;
}

bool th_inspect_truth_of_task(ThInspectTruth *t, const ThSignature *g, const ThTask *task,
                              ThError *err)
{
    if (!begin(t, g, err) || !th_signature_match(g, &task->signature, err) ||
        !th_task_machine(task, err))
        return false;
    Source f = {.task = task,
                .symbol = all_the_same(g->n_symbols, err),
                .label = all_the_same(g->n_classes, err)};
    bool ok = f.symbol && f.label && fill(t, &f, err);
    TH_FREE(f.symbol, f.label);
    return ok;
}

/* ---- automata -------------------------------------------------------------------------------- */

static bool is_verdict(const ThSignature *g)
{
    return g->target != TH_TARGET_BITS && g->n_classes == 2 && strcmp(g->label[0], "reject") == 0 &&
           strcmp(g->label[1], "accept") == 0;
}

/* Returns new: the task of the kind whose answers are those of the model. */
static ThTask *task_of(const ThInspectTruth *t, const ThAutomaton *a, ThError *err)
{
    bool outputs = th_automaton_transducer(a);
    bool language = t->wanted >= 0 || (is_verdict(t->signature) && !outputs);
    const ThTaskKind *kind = th_task_kind(language     ? "recognize"
                                          : outputs    ? "output"
                                          : in_sets(t) ? "next_symbols"
                                                       : "track");
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_init(&o, kind->options, err);
    ThTask *task = ok ? th_task_new(kind, &o, &(ThTaskSource){.automaton = a}, err) : NULL;
    return task;
}

/* Finds what the model calls the automaton's symbols. */
static bool match_symbols(const ThInspectTruth *t, char *const *own, int n, int *symbol,
                          ThError *err)
{
    const ThSignature *g = t->signature;
    for (int i = 0; i < n; i++)
        if (th_symbols_find(g->symbol, g->n_symbols, own[i]) < 0)
            return th_fail(err, TH_EVALUE, "the %s reads '%s', which the model does not",
                           t->language ? "language" : "automaton", own[i]);
    for (int i = 0; i < g->n_symbols; i++)
        symbol[i] = th_symbols_find(own, n, g->symbol[i]);
    return true;
}

/* Finds what the model calls the automaton's answers, which are classes unless they are verdicts,
 * or sets. */
static bool match_labels(const ThInspectTruth *t, const ThTask *task, int *label, ThError *err)
{
    const ThSignature *g = t->signature, *own = &task->signature;
    bool named = t->wanted < 0 && (task->bits || !in_sets(t));
    for (int c = 0; named && c < own->n_classes; c++) {
        label[c] = th_symbols_find(g->label, g->n_classes, own->label[c]);
        if (label[c] < 0)
            return th_fail(err, TH_EVALUE,
                           "the automaton says '%s', which is no class of the model",
                           own->label[c]) ||
                   th_hint(err, "accept=%s: the class that the automaton accepts", g->label[0]);
    }
    return true;
}

static bool want(ThInspectTruth *t, const char *accept, ThError *err)
{
    const ThSignature *g = t->signature;
    t->wanted = accept ? th_symbols_find(g->label, g->n_classes, accept) : -1;
    t->width = accept ? 1 : t->width;
    return !accept || t->wanted >= 0 ||
           th_fail(err, TH_EVALUE, "accept=%s: there is no class of that name", accept);
}

bool th_inspect_truth_of_automaton(ThInspectTruth *t, const ThSignature *g, const ThAutomaton *a,
                                   const char *accept, ThError *err)
{
    if (!begin(t, g, err) || !want(t, accept, err))
        return false;
    ThTask *task TH_OWNED(th_task_free) = task_of(t, a, err);
    Source f = {.task = task,
                .symbol = all_the_same(g->n_symbols, err),
                .label = task ? all_the_same(task->signature.n_classes, err) : NULL};
    bool verdict = t->wanted >= 0 || is_verdict(g);
    f.elsewhere = verdict ? 0 : NOTHING;
    bool ok = task && f.symbol && f.label &&
              match_symbols(t, task->signature.symbol, task->signature.n_symbols, f.symbol, err) &&
              match_labels(t, task, f.label, err) && fill(t, &f, err);
    TH_FREE(f.symbol, f.label);
    return ok;
}

bool th_inspect_truth_of_language(ThInspectTruth *t, const ThSignature *g, const ThLanguage *l,
                                  const char *accept, ThError *err)
{
    int n;
    char *const *own = th_language_symbols(l, &n);
    if (!begin(t, g, err) || !want(t, accept, err))
        return false;
    if (!accept && !is_verdict(g))
        return th_fail(err, TH_EVALUE, "the classes of the model are not reject and accept") ||
               th_hint(err, "accept=%s: the class that the language accepts",
                       g->label[g->n_classes > 1]);
    t->wanted = accept ? t->wanted : 1;
    t->language = th_language_share(l);
    t->symbol = all_the_same(g->n_symbols, err);
    t->machine = th_dfa_new(1, g->n_symbols, 2, err);
    t->answer = all_the_same(2, err); /* reject, accept */
    if (!t->symbol || !t->machine || !t->answer)
        return false;
    t->machine->label[0] = 1;
    return match_symbols(t, own, n, t->symbol, err);
}

void th_inspect_truth_free(ThInspectTruth *t)
{
    th_dfa_free(t->machine);
    th_language_free(t->language);
    TH_FREE(t->answer, t->symbol);
    *t = (ThInspectTruth){0};
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* What a model says at a position, in the terms of the truth. */
static void read_answer(const ThInspectTruth *t, const int *answer, int position, int *said)
{
    const ThSignature *g = t->signature;
    size_t width = g->target == TH_TARGET_BITS ? (size_t)g->n_classes : 1;
    const int *row = answer + (g->target == TH_TARGET_FINAL ? 0 : (size_t)position * width);
    for (int i = 0; t->wanted < 0 && i < t->width; i++)
        said[i] = row[i];
    if (t->wanted >= 0)
        *said = g->target == TH_TARGET_BITS ? row[t->wanted] : *row == t->wanted;
}

/* A language is asked about every prefix that the model answers to. */
static int wrong_of_language(const ThInspectTruth *t, ThLanguageWord word, const int *answer,
                             const int **due, int *said, ThStop *stop, ThError *err)
{
    bool whole = t->signature->target == TH_TARGET_FINAL, known = true;
    ThLanguageReader *r TH_OWNED(th_language_reader_free) =
        th_language_reader(t->language, stop, err);
    int found = r ? TH_INSPECT_TRUTH_RIGHT : TH_INSPECT_TRUTH_ERROR;
    for (int i = 0; r && i < word.n; i++) {
        ThLanguageAnswer is = TH_LANGUAGE_NO;
        int own = t->symbol[word.symbol[i]];
        known = known && own >= 0;
        if (known && !th_language_push(r, own, NULL, err))
            return TH_INSPECT_TRUTH_ERROR;
        if (whole && i < word.n - 1)
            continue;
        if (known && !th_language_accepts(r, &is, err))
            return TH_INSPECT_TRUTH_ERROR;
        read_answer(t, answer, i, said);
        *due = t->answer + (is == TH_LANGUAGE_YES);
        if (is == TH_LANGUAGE_UNKNOWN)
            found = TH_INSPECT_TRUTH_OPEN;
        else if (**due != *said)
            return i;
    }
    return found;
}

int th_inspect_truth_wrong(const ThInspectTruth *t, const int *word, int length, const int *answer,
                           const int **due, int *said, ThStop *stop, ThError *err)
{
    if (t->language)
        return wrong_of_language(t, (ThLanguageWord){word, length}, answer, due, said, stop, err);
    const ThDfa *d = t->machine;
    bool whole = t->signature->target == TH_TARGET_FINAL || t->last_only;
    int q = d->start;
    for (int i = 0; i < length; i++) {
        q = d->next[q * d->n_symbols + word[i]];
        *due = t->answer + q * t->width;
        if (**due == NOTHING || (whole && i < length - 1))
            continue;
        read_answer(t, answer, i, said);
        if (memcmp(*due, said, (size_t)t->width * sizeof *said) != 0)
            return i;
    }
    return -1;
}

void th_inspect_truth_write(const ThInspectTruth *t, const int *answer, ThText *to)
{
    const ThSignature *g = t->signature;
    if (*answer == NOTHING)
        th_text_add(to, "-");
    else if (t->wanted >= 0)
        th_text_add(to, *answer ? "accept" : "reject");
    else if (!in_sets(t))
        th_text_add(to, g->label[*answer]);
    else
        th_lab_write_set(g, answer, to);
}
