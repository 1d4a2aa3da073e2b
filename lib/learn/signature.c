#include "learn/signature.h"

static char **copy_names(char *const *from, int n, ThError *err)
{
    char **to = th_alloc((size_t)n, sizeof *to, err);
    for (int i = 0; to && i < n; i++) {
        to[i] = th_strdup(from[i], err);
        if (!to[i]) {
            while (i-- > 0)
                free(to[i]);
            free(to);
            return NULL;
        }
    }
    return to;
}

bool th_signature_copy(ThSignature *to, const ThSignature *from, ThError *err)
{
    *to = (ThSignature){
        .target = from->target, .next = from->next, .pairs = from->pairs, .places = from->places};
    to->symbol = copy_names(from->symbol, from->n_symbols, err);
    if (!to->symbol)
        return false;
    to->n_symbols = from->n_symbols;
    to->label = copy_names(from->label, from->n_classes, err);
    if (!to->label) {
        th_signature_free(to);
        return false;
    }
    to->n_classes = from->n_classes;
    return true;
}

void th_signature_free(ThSignature *s)
{
    TH_FREE_EACH(s->symbol, s->n_symbols);
    for (int i = 0; i < s->n_classes; i++)
        free(s->label[i]); // NOLINT(clang-analyzer-core.NullDereference): none without names
    free(s->label);
    *s = (ThSignature){0};
}

/* A model that reads no places has none, and reads any task. */
static bool match_places(const ThSignaturePlaces *model, const ThSignaturePlaces *task,
                         ThError *err)
{
    if (!model->kind)
        return true;
    if (!task->kind)
        return th_fail(err, TH_EVALUE,
                       "the model reads the places of a scratchpad, and the task gives none");
    return (strcmp(model->kind, task->kind) == 0 && model->layout == task->layout) ||
           th_fail(err, TH_EVALUE,
                   "the model reads places as a scratchpad of kind %s gives them, "
                   "in another layout or of another kind than here (%s)",
                   model->kind, task->kind);
}

static bool match_names(const char *what, char *const *a, int n, char *const *b, int m,
                        ThError *err)
{
    if (n != m)
        return th_fail(err, TH_EVALUE, "the model has %d %s, the task %d", n, what, m);
    for (int i = 0; i < n; i++)
        if (strcmp(a[i], b[i]) != 0)
            return th_fail(err, TH_EVALUE, "of the %s, number %d is '%s' in the model, '%s' here",
                           what, i + 1, a[i], b[i]);
    return true;
}

bool th_signature_match(const ThSignature *model, const ThSignature *task, ThError *err)
{
    static const char *const targets[] = {"one class a string", "one class a position",
                                          "a set of symbols a position"};
    static const char *const next[] = {"labels what it reads", "goes on with the text"};
    if (model->target != task->target)
        return th_fail(err, TH_EVALUE, "the model answers with %s, the task asks for %s",
                       targets[model->target], targets[task->target]);
    if (model->next != task->next)
        return th_fail(err, TH_EVALUE, "the model %s, the task %s", next[model->next],
                       next[task->next]);
    if (model->pairs != task->pairs)
        return th_fail(err, TH_EVALUE, "the model reads %s, the task has %s",
                       model->pairs ? "pairs" : "single strings",
                       task->pairs ? "pairs" : "single strings");
    return match_places(&model->places, &task->places, err) &&
           match_names("input symbols", model->symbol, model->n_symbols, task->symbol,
                       task->n_symbols, err) &&
           (match_names("output classes", model->label, model->n_classes, task->label,
                        task->n_classes, err) ||
            (model->n_classes == 2 && strcmp(model->label[0], "reject") == 0 &&
             th_hint(err, "the model says which words are of a language: recognize(A) is such a "
                          "task, A an automaton")));
}
