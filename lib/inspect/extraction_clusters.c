/* States as clusters of vectors, transitions by majority, clusters split where they disagree. */

#include "inspect/linkage.h"
#include "inspect/extraction_methods.h"

/* ---- strings of the task --------------------------------------------------------------------- */

static bool append(ThWordsSample *to, const ThBatch *b, size_t *cap, ThError *err)
{
    for (int i = 0; i < b->B; i++) {
        size_t n = (size_t)th_batch_length(b, i), at = to->start[to->n];
        if (!th_grow(&to->symbol, cap, at + n, sizeof *to->symbol, err))
            return false;
        memcpy(to->symbol + at, th_batch_token(b, i), n * sizeof *to->symbol);
        to->start[++to->n] = at + n;
    }
    return true;
}

bool th_inspect_strings(const ThInspectWaysPlan *plan, int n, ThWordsSample *to, ThError *err)
{
    ThRange l = plan->length;
    size_t lengths = th_range_count(l), cap = 0;
    ThRng r = th_rng(plan->seed, "inspect.strings", 0);
    int *count TH_OWNED(free) = th_alloc(lengths, sizeof *count, err);
    *to = (ThWordsSample){.n_symbols = plan->task->signature.n_symbols};
    to->start = th_alloc((size_t)n + 1, sizeof *to->start, err);
    ThBatch b TH_OWNED(th_batch_free) = {0};
    bool ok = count && to->start;
    for (int i = 0; ok && i < n; i++)
        count[th_rng_below(&r, lengths)]++;
    for (size_t i = 0; ok && i < lengths; i++) {
        b.B = count[i];
        ok = !th_stopped(plan->stop, err) &&
             (b.B == 0 ||
              (th_task_sample(plan->task, &r, (int)(l.lo + (long long)i * l.step), &b, err) &&
               append(to, &b, &cap, err)));
    }
    return ok;
}

enum { MOST_WORDS = 1200, SHORT_WORDS = 300, NONE = -1 };

/* Shares of a cluster's vectors that may go another way than most: the first with which there are
 * not too many clusters. */
static const double tolerances[] = {0, 0.01, 0.05};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

/* Words, all prefixes of each among them, with the vector that the model ends with. */
typedef struct {
    const ThInspectWaysPlan *plan;
    ThIntern word; /* ints */
    int n, k, dim;
    int *parent, *last; /* (n): the word without its last symbol, or NONE; that symbol */
    int *label;         /* (n): class */
    int *next;          /* (n, k): the word with a symbol behind it, or NONE */
    double *vector;     /* (n, dim) */
    int *block, n_blocks;
    double tolerated; /* share of a block that may disagree with it */
    int *moved;       /* (n): the block that a word comes to when its own is split */
} Words;

/* ---- the words ------------------------------------------------------------------------------- */

/* Adds a word with its prefixes, as long as there is room for all. */
static bool add(Words *w, const int *word, size_t length, ThError *err)
{
    size_t index;
    for (size_t n = 1; n <= length && w->word.n < MOST_WORDS; n++)
        if (!th_intern(&w->word, word, n * sizeof *word, &index, err))
            return false;
    return true;
}

/* All short words, and strings of the task with their prefixes. */
static bool gather(Words *w, ThError *err)
{
    ThWordsSample s TH_OWNED(th_words_sample_free) = {0};
    size_t bytes, shortest = w->k < SHORT_WORDS ? SHORT_WORDS : (size_t)w->k, length;
    int word[SHORT_WORDS + 2];
    bool ok = true;
    for (int a = 0; ok && a < w->k; a++)
        ok = add(w, &a, 1, err);
    for (size_t i = 0; ok && w->word.n < shortest && i < w->word.n; i++) {
        th_intern_at(&w->word, i, &bytes);
        length = bytes / sizeof *word;
        if (length > SHORT_WORDS)
            break;
        memcpy(word, th_intern_at(&w->word, i, NULL), bytes);
        for (word[length] = 0; ok && word[length] < w->k; word[length]++)
            ok = add(w, word, length + 1, err);
    }
    ok = ok && th_inspect_strings(w->plan, MOST_WORDS, &s, err);
    for (size_t i = 0, step = 7919; ok && i < s.n && w->word.n < MOST_WORDS; i++) {
        size_t j = i * step % s.n; /* of all lengths, which come in order */
        ok = add(w, s.symbol + s.start[j], s.start[j + 1] - s.start[j], err);
    }
    w->n = (int)w->word.n;
    return ok;
}

static bool link_words(Words *w, ThError *err)
{
    size_t n = (size_t)w->n, bytes;
    w->parent = th_alloc(n, sizeof *w->parent, err);
    w->last = th_alloc(n, sizeof *w->last, err);
    w->label = th_alloc(n, sizeof *w->label, err);
    w->block = th_alloc(n, sizeof *w->block, err);
    w->moved = th_alloc(n, sizeof *w->moved, err);
    w->next = th_alloc(n * (size_t)w->k, sizeof *w->next, err);
    if (!w->parent || !w->last || !w->label || !w->block || !w->moved || !w->next)
        return false;
    memset(w->next, 0xff, n * (size_t)w->k * sizeof *w->next);
    for (int i = 0; i < w->n; i++) {
        const int *word = th_intern_at(&w->word, (size_t)i, &bytes);
        size_t at = th_intern_find(&w->word, word, bytes - sizeof *word);
        w->last[i] = word[bytes / sizeof *word - 1];
        w->parent[i] = at == SIZE_MAX ? NONE : (int)at;
        if (w->parent[i] != NONE)
            w->next[w->parent[i] * w->k + w->last[i]] = i;
    }
    return true;
}

static bool ask_labels(Words *w, ThInspectTeacher *t, ThError *err)
{
    size_t bytes, *start TH_OWNED(free) = th_alloc((size_t)w->n + 1, sizeof *start, err);
    for (size_t i = 0; start && i < (size_t)w->n; i++) {
        th_intern_at(&w->word, i, &bytes);
        start[i + 1] = start[i] + bytes / sizeof(int);
    }
    int *symbol TH_OWNED(free) = start ? th_alloc(start[w->n] + 1, sizeof *symbol, err) : NULL;
    for (size_t i = 0; symbol && i < (size_t)w->n; i++)
        memcpy(symbol + start[i], th_intern_at(&w->word, i, NULL),
               (start[i + 1] - start[i]) * sizeof *symbol);
    ThLstarWords words = {(size_t)w->n, symbol, start};
    return symbol && th_inspect_members(t, &words, w->label, err);
}

/* ---- their vectors --------------------------------------------------------------------------- */

/* The vector that the last layer has for the end of a word. */
static bool read_vector(Words *w, int i, ThError *err)
{
    size_t bytes;
    const int *word = th_intern_at(&w->word, (size_t)i, &bytes);
    ThModelTrace *t TH_OWNED(th_model_trace_free) =
        th_model_trace(w->plan->model, word, (int)(bytes / sizeof *word), err);
    if (!t)
        return false;
    const ThModelTraceLayer *l = t->n_layers ? &t->layer[t->n_layers - 1] : NULL;
    bool ok = l && l->n_rows > 0;
    if (!ok)
        th_fail(err, TH_EVALUE, "the model has no layers to show");
    if (ok && !w->vector) {
        w->dim = l->dim;
        ok = (w->vector = th_alloc((size_t)w->n * (size_t)w->dim, sizeof *w->vector, err)) != NULL;
    }
    if (ok)
        memcpy(w->vector + (size_t)i * (size_t)w->dim,
               l->state + (size_t)(l->n_rows - 1) * (size_t)l->dim,
               (size_t)w->dim * sizeof *w->vector);
    return ok;
}

static bool cluster(Words *w, ThError *err)
{
    for (int i = 0; i < w->n; i++)
        if (th_stopped(w->plan->stop, err) || !read_vector(w, i, err))
            return false;
    return th_linkage(w->vector, (size_t)w->n, (size_t)w->dim, w->block, &w->n_blocks,
                      w->plan->stop, err);
}

/* ---- splitting ------------------------------------------------------------------------------- */

/* What a block is split by: the class (symbol NONE), or where a symbol leads.  NONE: unknown. */
static int seen(const Words *w, int i, int symbol)
{
    if (symbol == NONE)
        return w->label[i];
    int to = w->next[i * w->k + symbol];
    return to == NONE ? NONE : w->block[to];
}

/* Counts what the words of a block see, in count, (values).  Returns what most of them do, NONE if
 * nothing is known; *others becomes how many see something else. */
static int majority(const Words *w, int block, int symbol, int *count, int values, int *others)
{
    int all = 0, most = NONE;
    memset(count, 0, (size_t)values * sizeof *count);
    for (int i = 0; i < w->n; i++) {
        int value = w->block[i] == block ? seen(w, i, symbol) : NONE;
        if (value == NONE)
            continue;
        all++;
        if (++count[value] > (most == NONE ? 0 : count[most]))
            most = value;
    }
    *others = most == NONE ? 0 : all - count[most];
    return most;
}

/* Splits a block where more than are tolerated see something else than most: each value that is
 * seen often enough gets a block of its own.  Returns whether it did. */
static bool split(Words *w, int block, int symbol, int *count, int values)
{
    int others, most = majority(w, block, symbol, count, values, &others), before = w->n_blocks;
    double all = most == NONE ? 0 : (double)(count[most] + others);
    if (others <= w->tolerated * all)
        return false;
    for (int v = 0; v < values; v++)
        count[v] = v != most && count[v] > w->tolerated * all / 2 ? w->n_blocks++ : block;
    for (int i = 0; i < w->n; i++) { /* all of them before any moves */
        int value = w->block[i] == block ? seen(w, i, symbol) : NONE;
        w->moved[i] = value == NONE ? w->block[i] : count[value];
    }
    memcpy(w->block, w->moved, (size_t)w->n * sizeof *w->block);
    return w->n_blocks > before;
}

/* Splits until no block disagrees with itself. */
static bool split_all(Words *w, int classes, ThError *err)
{
    size_t room = (size_t)w->n + (size_t)classes + 1;
    int *count TH_OWNED(free) = th_alloc(room, sizeof *count, err);
    bool ok = count != NULL, again = true;
    while (ok && again) {
        again = false;
        for (int b = 0; ok && b < w->n_blocks; b++)
            for (int a = NONE; ok && a < w->k; a++) {
                again |= split(w, b, a, count, a == NONE ? classes : w->n_blocks);
                ok = !th_stopped(w->plan->stop, err) &&
                     (w->n_blocks <= w->plan->states ||
                      th_fail(err, TH_ELIMIT, "more than %d cluster%s", w->plan->states,
                              w->plan->states == 1 ? "" : "s"));
            }
    }
    return ok;
}

static bool refine(Words *w, int classes, ThError *err)
{
    int clusters = w->n_blocks;
    int *cluster TH_OWNED(free) = th_copy(w->block, (size_t)w->n, sizeof *cluster, err);
    bool ok = false;
    for (int i = 0; cluster && !ok && i < TOLERANCES; i++) {
        ThError own = {0};
        memcpy(w->block, cluster, (size_t)w->n * sizeof *cluster);
        w->n_blocks = clusters;
        w->tolerated = tolerances[i];
        ok = split_all(w, classes, &own);
        if (!ok && (own.code != TH_ELIMIT || i == TOLERANCES - 1)) {
            th_fail(err, own.code, "%s", own.msg);
            break;
        }
    }
    return ok;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* State 0 is the empty word, the others are blocks; where no word goes on, a state stays. */
static ThDfa *machine_of(const Words *w, int empty, int classes, ThError *err)
{
    int *count TH_OWNED(free) = th_alloc((size_t)w->n_blocks + (size_t)classes, sizeof *count, err),
               others;
    ThDfa *d TH_OWNED(th_dfa_free) = count ? th_dfa_new(w->n_blocks + 1, w->k, classes, err) : NULL;
    if (d)
        d->label[0] = empty;
    for (int i = 0; d && i < w->n; i++)
        if (w->parent[i] == NONE)
            d->next[w->last[i]] = w->block[i] + 1;
    for (int b = 0; d && b < w->n_blocks; b++) {
        d->label[b + 1] = majority(w, b, NONE, count, classes, &others);
        for (int a = 0; a < w->k; a++) {
            int to = majority(w, b, a, count, w->n_blocks, &others);
            d->next[(b + 1) * w->k + a] = (to == NONE ? b : to) + 1;
        }
    }
    return d ? th_dfa_minimize(d, w->plan->stop, err) : NULL;
}

ThDfa *th_inspect_by_clusters(ThInspectTeacher *t, const ThInspectWaysPlan *plan, ThError *err)
{
    Words w = {.plan = plan, .k = t->n_symbols};
    int word = 0, empty = 0;
    ThDfa *d = NULL;
    if (!plan->model->kind->trace)
        th_fail(err, TH_EVALUE, "the model has no layers to show");
    else if (gather(&w, err) && link_words(&w, err) && ask_labels(&w, t, err) &&
             th_inspect_member(t, &word, 0, &empty, err) && cluster(&w, err) &&
             refine(&w, t->n_classes, err))
        d = machine_of(&w, empty, t->n_classes, err);
    TH_FREE(w.parent, w.last, w.label, w.next, w.block, w.moved, w.vector);
    th_intern_free(&w.word);
    return d;
}
