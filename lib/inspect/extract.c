#include "inspect/extract.h"

#include <stdio.h>

#include "automata/core/build.h"
#include "stats/intervals.h"

/* ---- machines as automata -------------------------------------------------------------------- */

/* Returns new: a minimal machine as an acceptor, or with the names of its classes as outputs. */
static ThAutomaton *automaton_of(const ThDfa *d, char *const *symbol, const char *const *name,
                                 bool language, ThError *err)
{
    if (language)
        return th_automaton_from_dfa(d, symbol, err);
    ThAutomatonBuild b = {0};
    for (int a = 0; a < d->n_symbols; a++)
        th_automaton_build_symbol(&b, symbol[a]);
    for (int q = 0; q < d->n_states; q++) {
        char state[24];
        snprintf(state, sizeof state, "q%d", q);
        th_automaton_build_accept(&b, th_automaton_build_state(&b, state));
        if (name[d->label[q]])
            th_automaton_build_moore(&b, q, th_automaton_build_output(&b, name[d->label[q]]));
    }
    th_automaton_build_start(&b, d->start);
    for (int q = 0; q < d->n_states; q++) {
        for (int a = 0; a < d->n_symbols; a++) {
            int to = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a];
            th_automaton_build_arc(&b, (ThAutomatonArc){q, a, to, TH_AUTOMATON_NO_OUTPUT});
        }
    }
    return th_automaton_build_finish(&b, err);
}

/* The machine of a merging, whose class 0 is "unknown", with the classes of the words: what is
 * unknown is put into class 0, too. */
static void forget_unknown(ThDfa *d)
{
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = d->label[q] > 0 ? d->label[q] - 1 : 0;
    d->n_classes = d->n_classes > 1 ? d->n_classes - 1 : 1;
}

/* ---- by merging ------------------------------------------------------------------------------ */

typedef struct {
    const ThInspectExtraction *how;
    char *const *symbol;
    int n_symbols;
} MergeWatch;

static void merge_step(void *context, const ThRpniStep *step)
{
    const MergeWatch *w = context;
    if (w->how->merge)
        w->how->merge(w->how->context, w->symbol, w->n_symbols, step);
}

static ThDfa *merge_sample(MergeWatch *w, const ThWordsSample *sample, ThRpniReport *report,
                           ThError *err)
{
    ThRpniOptions o = {
        .noise = w->how->noise, .max_states = w->how->states, .context = w, .step = merge_step};
    return th_rpni(sample, &o, report, w->how->stop, err);
}

static void set_interval(ThInspectExtracted *to)
{
    if (to->exact)
        return;
    ThStatsInterval share = th_stats_share((double)to->wrong, (double)to->samples);
    to->low = share.low;
    to->high = share.high;
}

bool th_inspect_merge(const ThWordsLabelled *l, const ThInspectExtraction *how,
                      ThInspectExtracted *to, ThError *err)
{
    MergeWatch w = {how, l->symbol, l->sample.n_symbols};
    *to = (ThInspectExtracted){0};
    ThDfa *d TH_OWNED(th_dfa_free) = merge_sample(&w, &l->sample, &to->merging, err);
    if (d && l->language)
        forget_unknown(d);
    ThDfa *least TH_OWNED(th_dfa_free) = d ? th_dfa_minimize(d, how->stop, err) : NULL;
    const char **name = th_alloc((size_t)l->sample.n_classes + 1, sizeof *name, err);
    for (int c = 0; name && c < l->sample.n_classes; c++)
        name[c + 1] = l->label[c];
    ThAutomaton *a = least && name ? automaton_of(least, l->symbol, name, l->language, err) : NULL;
    to->automaton = a && !l->language ? th_automaton_trim(a, err) : a;
    if (a != to->automaton)
        th_automaton_free(a);
    to->merged = true;
    to->words = l->sample.n;
    to->samples = (long long)l->sample.n;
    to->wrong = (long long)to->merging.conflicts;
    free(name);
    if (to->automaton)
        set_interval(to);
    return to->automaton != NULL;
}

/* Draws words with their classes from an oracle. */
static bool draw_sample(ThInspectTeacher *t, size_t n, ThWordsSample *sample, ThError *err)
{
    size_t longest = (size_t)t->sampling.hi, size = 0, cap = 0;
    *sample = (ThWordsSample){.n_symbols = t->n_symbols, .n_classes = t->n_classes};
    sample->start = th_alloc(n + 1, sizeof *sample->start, err);
    sample->label = th_alloc(n, sizeof *sample->label, err);
    if (!sample->start || !sample->label)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (th_stopped(t->how.stop, err) ||
            !th_grow(&sample->symbol, &cap, size + longest + 1, sizeof *sample->symbol, err))
            return false;
        int length = th_pac_draw(&t->sampling, sample->symbol + size);
        if (!th_inspect_member(t, sample->symbol + size, length, &sample->label[i], err))
            return false;
        size += (size_t)length;
        sample->start[i + 1] = size;
    }
    sample->n = n;
    sample->n_classes = t->n_classes; /* sets are counted as they are met */
    return true;
}

/* ---- by asking ------------------------------------------------------------------------------- */

typedef struct {
    ThInspectTeacher *teacher;
    const ThInspectExtraction *how;
} QueryWatch;

static bool watched_member(void *context, const int *word, int length, int *label, ThError *err)
{
    const QueryWatch *w = context;
    return th_inspect_member(w->teacher, word, length, label, err);
}

static bool watched_members(void *context, const ThLstarWords *words, int *label, ThError *err)
{
    const QueryWatch *w = context;
    return th_inspect_members(w->teacher, words, label, err);
}

static bool watched_exact(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    const QueryWatch *w = context;
    return th_inspect_exact(w->teacher, guess, word, length, err);
}

static bool watched_sampled(void *context, const ThDfa *guess, int **word, int *length,
                            ThError *err)
{
    const QueryWatch *w = context;
    return th_inspect_sampled(w->teacher, guess, word, length, err);
}

static void query_step(void *context, const ThLstarStep *step)
{
    const QueryWatch *w = context;
    if (w->how->query)
        w->how->query(w->how->context, w->teacher, step);
}

static ThDfa *ask_away(ThInspectTeacher *t, const ThInspectExtraction *how, ThInspectExtracted *to,
                       ThError *err)
{
    QueryWatch w = {t, how};
    to->exact = t->machine && t->how.flip <= 0;
    ThLstarOracle oracle = {.n_symbols = t->n_symbols,
                            .n_classes = t->sets ? TH_INSPECT_SETS : t->n_classes,
                            .context = &w,
                            .member = watched_member,
                            .members = t->model ? watched_members : NULL,
                            .equivalent = to->exact ? watched_exact : watched_sampled,
                            .step = query_step};
    ThLstarLimits limits = {
        .states = how->states, .queries = how->queries, .keep_guess = how->noise > 0};
    ThDfa *d = th_lstar(&oracle, &limits, &to->queries, how->stop, err);
    if (!d && err && err->code == TH_ELIMIT)
        th_hint(err, "noise=0.05 accepts an automaton that is wrong on that share of words");
    if (!d && err && err->code == TH_EINTERRUPTED)
        th_hint(err, "so far %lld words were asked for, and %d states told apart",
                to->queries.asked, to->queries.states);
    to->exact = to->exact && !to->queries.limited;
    return d;
}

static bool measure(ThInspectTeacher *t, const ThDfa *d, long long n, long long *wrong,
                    ThError *err)
{
    return th_pac_disagreement(&t->sampling, d, n, wrong, err);
}

/* Of two automata that are both tolerated the smaller is better, else the one that is wrong less.
 */
static bool is_better(const ThDfa *d, long long wrong, const ThDfa *than,
                      const ThInspectExtracted *l, double noise)
{
    double most = noise * (double)l->samples;
    if ((double)wrong <= most && (double)l->wrong <= most)
        return d->n_states < than->n_states;
    return wrong < l->wrong;
}

/* Wrong answers may have led the questions astray: merges words that are drawn, and keeps the
 * better automaton.  *best is minimal, and so is what replaces it. */
static bool try_merging(ThInspectTeacher *t, const ThInspectExtraction *how, ThDfa **best,
                        ThInspectExtracted *to, ThError *err)
{
    ThWordsSample sample TH_OWNED(th_words_sample_free) = {0};
    MergeWatch w = {how, t->symbol, t->n_symbols};
    long long wrong = 0;
    bool ok = draw_sample(t, (size_t)to->samples, &sample, err);
    ThDfa *least TH_OWNED(th_dfa_free) = NULL;
    ThDfa *d TH_OWNED(th_dfa_free) = ok ? merge_sample(&w, &sample, &to->merging, err) : NULL;
    if (d) {
        forget_unknown(d);
        least = th_dfa_minimize(d, how->stop, err);
    }
    ok = least && measure(t, least, to->samples, &wrong, err);
    if (ok && is_better(least, wrong, *best, to, how->noise)) {
        th_dfa_free(*best);
        *best = least;
        least = NULL;
        to->merged = true;
        to->wrong = wrong;
        to->words = sample.n;
    }
    return ok;
}

ThDfa *th_inspect_learn(ThInspectTeacher *t, const ThInspectExtraction *how, ThInspectExtracted *to,
                        ThError *err)
{
    *to = (ThInspectExtracted){.samples = how->samples};
    ThDfa *d TH_OWNED(th_dfa_free) = ask_away(t, how, to, err), *least = NULL;
    bool ok = d && (least = th_dfa_minimize(d, how->stop, err)) &&
              (to->exact || measure(t, least, to->samples, &to->wrong, err));
    if (ok && !to->exact && how->noise > 0)
        ok = try_merging(t, how, &least, to, err);
    if (ok) {
        set_interval(to);
        return least;
    }
    th_dfa_free(least);
    return NULL;
}

ThAutomaton *th_inspect_automaton(const ThInspectTeacher *t, const ThDfa *d, ThError *err)
{
    return t->classes.n_classes
               ? th_automaton_classes_automaton(d, &t->classes, t->symbol, t->automaton, err)
               : automaton_of(d, t->symbol, t->name, t->language, err);
}

bool th_inspect_extract(ThInspectTeacher *t, const ThInspectExtraction *how, ThInspectExtracted *to,
                        ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_inspect_learn(t, how, to, err);
    if (d)
        to->automaton = th_inspect_automaton(t, d, err);
    return to->automaton != NULL;
}
