#include <math.h>

#include "automata/words/log_count.h"
#include "tasks/of_language.h"

static bool name_answers(ThTask *t, const ThLanguage *l, ThError *err)
{
    bool open = l && th_language_may_not_answer(l);
    return th_task_names(&t->signature.label, &t->signature.n_classes,
                         (ThTaskNames){0, open ? "reject accept no_answer" : "reject accept"}, err);
}

/* Of an automaton a language is made where near misses are to be drawn. */
static bool init_automaton(ThTask *t, const ThTaskSource *from, ThError *err)
{
    const ThAutomaton *a = from->automaton;
    ThSignature *s = &t->signature;
    t->machine = th_task_own_acceptor(a, err);
    if (!t->machine || !name_answers(t, NULL, err))
        return false;
    if (th_option_choice(&t->options, "outside") == TH_TASK_UNIFORM)
        return th_task_own_names(&s->symbol, &s->n_symbols, a->symbol, a->n_symbols, err);
    ThLanguage *l TH_OWNED(th_language_free) = th_language_of_automaton(a, 0, from->stop, err);
    return l && th_task_set_language(t, l, from->stop, err);
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    if (!from->language)
        return init_automaton(t, from, err);
    return th_task_set_language(t, from->language, from->stop, err) &&
           name_answers(t, from->language, err);
}

/* Counts of the words of one class. */
static ThWordCount *count(const ThTask *t, int label, int length, ThError *err)
{
    const ThDfa *d = t->machine;
    bool *wanted TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *wanted, err);
    if (!wanted)
        return NULL;
    for (int q = 0; q < d->n_states; q++)
        wanted[q] = d->label[q] == label;
    return th_words_count(d, wanted, length, err);
}

static bool any(const ThTask *t, const ThWordCount *c, int length)
{
    return th_words_log(c, t->machine->start, length) > -HUGE_VAL;
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    if (t->data)
        return th_task_draw_members(t, r, length, b, err);
    ThWordCount *sort[2] = {count(t, 0, length, err), NULL};
    sort[1] = sort[0] ? count(t, 1, length, err) : NULL;
    bool ok = sort[1] != NULL;
    if (ok) {
        bool members = any(t, sort[1], length), others = any(t, sort[0], length);
        int n = !others ? b->B : members ? th_task_half(r, b->B) : 0;
        for (int i = 0; i < b->B; i++)
            th_words_draw(sort[i < n], r, th_batch_token(b, i), length);
    }
    th_words_free(sort[0]);
    th_words_free(sort[1]);
    return ok;
}

typedef struct {
    const ThDfa *d;
    int length;
    bool sort[2];
} Sorts;

static bool note_sorts(void *context, int k, const bool *reached)
{
    Sorts *s = context;
    for (int q = 0; k == s->length && q < s->d->n_states; q++)
        s->sort[s->d->label[q]] |= reached[q];
    return true;
}

/* Half where there are both sorts. */
static double chance_of_language(const ThTask *t, int length)
{
    ThTaskLanguage *d = t->data;
    pthread_mutex_lock(&d->turn);
    const ThLanguageWords *w = th_task_members(d, length, NULL);
    double n = w ? th_language_words_log(w) : (double)NAN;
    pthread_mutex_unlock(&d->turn);
    double all = length * log((double)t->signature.n_symbols);
    if (th_language_may_not_answer(d->language) || isnan(n))
        return th_task_measured_chance(t, length);
    return n == -HUGE_VAL || n > all - 1e-9 ? 1 : 0.5;
}

static double chance(const ThTask *t, int length)
{
    if (!t->machine)
        return chance_of_language(t, length);
    Sorts s = {.d = t->machine, .length = length};
    if (!th_dfa_reach(t->machine, length, note_sorts, &s, NULL))
        return (double)NAN;
    return s.sort[0] && s.sort[1] ? 0.5 : 1;
}

static const ThOptionSpec options[] = {TH_TASK_OUTSIDE_OPTION, TH_TASK_LANGUAGE_OPTIONS, {0}};

const ThTaskKind th_task_kind_recognize = {
    .name = "recognize",
    .summary = "does the string belong to a language?",
    .source = "any regular language; protocol of Chi et al. 2023 for D_n and Tomita",
    .detail =
        "task t = recognize A, where A is an automaton or an expression, or names a grammar or any "
        "other language.  Half of the strings are accepted and half rejected where a length has "
        "both sorts; within each sort every string of the length is equally likely.  The strings "
        "are drawn by counting the ways to accept, and to reject, from every state with every "
        "number of symbols left; of a grammar by counting its trees.\n\n"
        "With outside=near every second one of the strings that are rejected is a near miss, as "
        "Butoi et al. 2025 (FLaRe) draw them, but of the same length, so that lengths tell "
        "nothing: a word with K of its symbols replaced or moved, where K is 1, 2, ... with "
        "probability 1/2, 1/4, ...; with outside=replaced all are words with one symbol replaced, "
        "as in MLRegTest's adversarial sets, where the length has words.  With outside=edited "
        "symbols are put in, taken out or replaced, as in FLaRe, of words of up to 3 symbols more "
        "or less: a length without words "
        "has near misses, too.",
    .takes_automaton = true,
    .takes_language = true,
    .options = options,
    .init = init,
    .draw = draw,
    .label = th_task_label_members,
    .copy_data = th_task_copy_language,
    .free_data = th_task_free_language,
    .describe = th_task_describe_chance,
    .chance = chance,
};
