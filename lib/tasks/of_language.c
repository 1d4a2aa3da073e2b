#include "tasks/of_language.h"

#include <math.h>

#include "base/intern.h"

/* ---- the language that a task keeps ---------------------------------------------------------- */

ThTaskLanguage *th_task_keep_language(const ThLanguage *l, ThStop *stop, ThError *err)
{
    ThTaskLanguage *d = th_alloc(1, sizeof *d, err);
    if (!d)
        return NULL;
    d->language = th_language_share(l);
    d->stop = stop;
    d->slots = 1;
    pthread_mutex_init(&d->turn, NULL);
    return d;
}

bool th_task_set_language(ThTask *t, const ThLanguage *l, ThStop *stop, ThError *err)
{
    int n;
    char *const *symbol = th_language_symbols(l, &n);
    t->data = th_task_keep_language(l, stop, err);
    return t->data && (n > 0 || th_fail(err, TH_EVALUE, "the language's alphabet is empty")) &&
           th_task_own_names(&t->signature.symbol, &t->signature.n_symbols, symbol, n, err);
}

void *th_task_copy_language(const void *data, ThError *err)
{
    const ThTaskLanguage *d = data;
    return th_task_keep_language(d->language, d->stop, err);
}

void th_task_free_language(void *data)
{
    ThTaskLanguage *d TH_OWNED(free) = data;
    for (int i = 0; i < TH_TASK_KEPT; i++)
        th_language_words_free(d->kept[i].words);
    th_language_free(d->language);
    pthread_mutex_destroy(&d->turn);
    free(d->has);
}

ThLanguageWords *th_task_members(ThTaskLanguage *d, int length, ThError *err)
{
    int i = length % d->slots;
    if (d->kept[i].words && d->kept[i].length == length)
        return d->kept[i].words;
    th_language_words_free(d->kept[i].words);
    d->kept[i].words = th_language_words(d->language, length, d->stop, err);
    d->kept[i].length = length;
    return d->kept[i].words;
}

/* Are there words of a length?  The caller has the turn. */
static bool has_members(ThTaskLanguage *d, int length, bool *has, ThError *err)
{
    size_t need = (size_t)length + 1;
    if (!th_grow(&d->has, &d->has_cap, need, sizeof *d->has, err))
        return false;
    for (; d->has_size < need; d->has_size++)
        d->has[d->has_size] = -1;
    if (d->has[length] < 0) {
        const ThLanguageWords *w = th_task_members(d, length, err);
        if (!w)
            return false;
        d->has[length] = th_language_words_log(w) == -HUGE_VAL ? 0 : 1;
    }
    *has = d->has[length];
    return true;
}

int th_task_near_length(ThTaskLanguage *d, int length, int least)
{
    enum { FARTHEST = 64 };
    int found = -1;
    bool has = false;
    pthread_mutex_lock(&d->turn);
    for (int k = length; found < 0 && k >= least && k > length - FARTHEST; k--)
        if (has_members(d, k, &has, NULL) && has)
            found = k;
    for (int k = length + 1; found < 0 && k < length + FARTHEST; k++)
        if (has_members(d, k, &has, NULL) && has)
            found = k;
    pthread_mutex_unlock(&d->turn);
    return found < 0 ? length : found;
}

bool th_task_draw_words(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    ThTaskLanguage *d = t->data;
    pthread_mutex_lock(&d->turn);
    ThLanguageWords *w = th_task_members(d, length, err);
    bool ok = w != NULL;
    for (int i = 0; ok && i < b->B; i++)
        ok = th_language_draw(w, r, th_batch_token(b, i) + b->T - length, err);
    pthread_mutex_unlock(&d->turn);
    return ok;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The answer to every prefix. */
static bool label_prefixes(const ThTask *t, const ThTaskLanguage *d, const int *word, int n,
                           int *target)
{
    ThLanguageReader *r TH_OWNED(th_language_reader_free) =
        th_language_reader(d->language, d->stop, NULL);
    bool ok = r != NULL;
    for (int i = 0; ok && i < n; i++) {
        ThLanguageAnswer answer;
        ok = th_language_push(r, word[i], NULL, NULL);
        if (ok && t->last_only && i + 1 < n)
            target[i] = -1;
        else if ((ok = ok && th_language_accepts(r, &answer, NULL)))
            target[i] = (int)answer;
    }
    return ok;
}

void th_task_label_members(const ThTask *t, ThBatch *b)
{
    const ThTaskLanguage *d = t->data;
    for (int i = 0; i < b->B; i++) {
        const int *word = th_batch_token(b, i);
        int n = th_batch_length(b, i), *target = th_batch_target(&t->signature, b, i);
        ThLanguageAnswer answer;
        bool whole = t->signature.target == TH_TARGET_FINAL;
        if (whole
                ? th_language_member(d->language, (ThLanguageWord){word, n}, d->stop, &answer, NULL)
                : label_prefixes(t, d, word, n, target)) {
            if (whole)
                *target = (int)answer;
            continue;
        }
        for (int k = 0; k < (whole ? 1 : n); k++)
            target[k] = -1;
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* A member with one symbol replaced, all that are no words with the same probability. */
static bool replace_one(const ThTaskLanguage *d, ThRng *r, int *word, int length, int *edits,
                        ThError *err)
{
    enum { TRIES = 1000 };
    int n;
    th_language_symbols(d->language, &n);
    *edits = 0;
    for (int i = 0; n > 1 && !*edits && i < TRIES; i++) {
        ThLanguageAnswer answer;
        int at = (int)th_rng_below(r, (uint64_t)length), was = word[at];
        int other = (int)th_rng_below(r, (uint64_t)n - 1);
        word[at] = other + (other >= was);
        if (th_stopped(d->stop, err) ||
            !th_language_member(d->language, (ThLanguageWord){word, length}, d->stop, &answer, err))
            return false;
        *edits = answer == TH_LANGUAGE_NO;
        if (!*edits)
            word[at] = was;
    }
    return true;
}

/* A near miss of a word that may be a few symbols longer or shorter. */
static bool edit_some(ThTaskLanguage *d, ThRng *r, int *word, int length, int *edits, ThError *err)
{
    enum { FARTHEST = 3, TRIES = 300 };
    ThLanguageLengths near = {length > FARTHEST ? length - FARTHEST : 0, length + FARTHEST};
    int *own TH_OWNED(free) = th_alloc((size_t)near.hi, sizeof *own, err);
    bool ok = own != NULL;
    *edits = 0;
    for (int i = 0; ok && !*edits && i < TRIES; i++) {
        int n = near.lo + (int)th_rng_below(r, (uint64_t)near.hi - (uint64_t)near.lo + 1);
        bool has = false;
        ok = has_members(d, n, &has, err);
        if (!has)
            continue;
        ThLanguageWords *w = th_task_members(d, n, err);
        ok = w && th_language_draw(w, r, own, err) &&
             th_language_near_miss(d->language, r, near, own, &n, edits, d->stop, err);
        *edits = ok && n == length ? *edits : 0;
    }
    for (int k = 0; *edits && k < length; k++)
        word[k] = own[k];
    return ok;
}

/* A near miss of a word of the same length. */
static bool miss(const ThTask *t, ThTaskLanguage *d, ThRng *r, int *word, int length, int *edits,
                 ThError *err)
{
    enum { WORDS = 20 }; /* some are far from all that are none */
    bool replaced = th_option_choice(&t->options, "outside") == TH_TASK_REPLACED;
    ThLanguageWords *w = th_task_members(d, length, err);
    bool ok = w != NULL;
    int n = length;
    for (int i = 0; ok && !*edits && i < WORDS; i++) {
        ok = th_language_draw(w, r, word, err);
        if (ok && replaced)
            ok = replace_one(d, r, word, length, edits, err);
        else if (ok)
            ok = th_language_near_miss(d->language, r, (ThLanguageLengths){length, length}, word,
                                       &n, edits, d->stop, err);
    }
    return ok;
}

/* A string that is no member; *edits: of a near miss, else 0. */
static bool draw_other(const ThTask *t, ThTaskLanguage *d, ThRng *r, int *word, int length,
                       bool members, bool *found, int *edits, ThError *err)
{
    int outside = th_option_choice(&t->options, "outside");
    bool edited = outside == TH_TASK_EDITED, uniform = outside == TH_TASK_UNIFORM;
    uniform =
        uniform || (!members && !edited) || (outside != TH_TASK_REPLACED && th_rng_below(r, 2));
    *edits = 0;
    if (!uniform && !(edited ? edit_some(d, r, word, length, edits, err)
                             : miss(t, d, r, word, length, edits, err)))
        return false;
    *found = *edits > 0;
    return *found || (!uniform && !edited) ||
           th_language_draw_outside(d->language, r, length, word, found, d->stop, err);
}

static bool none_outside(int length, ThError *err)
{
    th_fail(err, TH_EVALUE, "no string of length %d that is no word was found in a row of tries",
            length);
    return th_hint(err, "nearly all strings of that length are words");
}

bool th_task_draw_members(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    ThTaskLanguage *d = t->data;
    pthread_mutex_lock(&d->turn);
    bool members = false, others = false;
    int edits;
    if (th_option_choice(&t->options, "outside") == TH_TASK_EDITED)
        d->slots = TH_TASK_KEPT;
    bool ok = has_members(d, length, &members, err) &&
              draw_other(t, d, r, th_batch_token(b, 0), length, members, &others, &edits, err);
    int n = !others ? b->B : members ? th_task_half(r, b->B) : 0;
    for (int i = 0; ok && i < b->B; i++) {
        int *word = th_batch_token(b, i);
        bool found = true;
        edits = 0;
        ThLanguageWords *w = i < n ? th_task_members(d, length, err) : NULL;
        ok = i < n ? w && th_language_draw(w, r, word, err)
                   : draw_other(t, d, r, word, length, members, &found, &edits, err);
        if (b->edits)
            b->edits[i] = edits;
        ok = ok && (found || none_outside(length, err));
    }
    pthread_mutex_unlock(&d->turn);
    return ok;
}

/* ---- chance ---------------------------------------------------------------------------------- */

enum { MEASURED = 1000 };

/* The answers of a batch by how often each is given: a class, or a set as the bytes of its bits. */
static double most_frequent(const ThTask *t, const ThBatch *b, ThIntern *seen)
{
    size_t width = t->signature.target == TH_TARGET_BITS ? (size_t)t->signature.n_classes : 1;
    size_t n = (size_t)b->B * th_batch_answers(&t->signature, b) / width, index;
    long *count TH_OWNED(free) = th_alloc(n + 1, sizeof *count, NULL), most = 0, all = 0;
    for (size_t i = 0; count && i < n; i++) {
        const int *answer = b->target + i * width;
        if (*answer < 0)
            continue;
        if (!th_intern(seen, answer, width * sizeof *answer, &index, NULL))
            break;
        all++;
        most = ++count[index] > most ? count[index] : most;
    }
    return all ? (double)most / (double)all : (double)NAN;
}

double th_task_measured_chance(const ThTask *t, int length)
{
    ThBatch b TH_OWNED(th_batch_free) = {.B = MEASURED};
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    ThRng r = th_rng(0, "task.chance", (uint64_t)length);
    bool ok = th_task_sample(t, &r, length, &b, NULL);
    return ok ? most_frequent(t, &b, &seen) : (double)NAN;
}

void th_task_describe_chance(const ThTask *t, ThText *to)
{
    const ThTaskLanguage *d = t->data;
    bool exact = t->machine ||
                 (t->kind == &th_task_kind_recognize && !th_language_may_not_answer(d->language));
    if (!exact)
        th_text_printf(to, "# chance is measured: the most frequent answer of %d strings\n",
                       MEASURED);
}

const ThLanguage *th_task_language(const ThTask *t)
{
    bool is = t->kind == &th_task_kind_recognize && !t->machine && t->data;
    return is ? ((const ThTaskLanguage *)t->data)->language : NULL;
}
