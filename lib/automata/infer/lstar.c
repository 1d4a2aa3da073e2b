#include "automata/infer/lstar.h"

#include "base/intern.h"

typedef struct {
    const ThLstarOracle *o;
    const ThLstarLimits *limits;
    ThLstarReport *report;
    ThStop *stop;
    ThLstarTable t;
    size_t states_cap, length_cap, row_cap, suffix_cap, suffix_length_cap, cell_cap, state_cap;
    size_t n_placed; /* rows that have their state */
    int width;       /* columns that a row has room for */
    ThIntern asked;  /* words whose class is known */
    int *answer;     /* (asked.n) */
    size_t answer_cap;
    ThIntern rows; /* of the states, in their order */
    int *buffer;   /* a word in the making */
    size_t buffer_cap;
} Learner;

static void learner_free(Learner *l)
{
    TH_FREE_EACH(l->t.word, l->t.n_states);
    TH_FREE_EACH(l->t.suffix, l->t.n_suffixes);
    TH_FREE_EACH(l->t.cell, l->t.n_rows);
    TH_FREE(l->t.length, l->t.row, l->t.suffix_length, l->t.state, l->answer, l->buffer);
    th_intern_free(&l->asked);
    th_intern_free(&l->rows);
}

static void tell(const Learner *l, ThLstarStep step)
{
    step.table = &l->t;
    if (l->o->step)
        l->o->step(l->o->context, &step);
}

/* ---- questions ---- */

/* Finds the number of a word, which is to be asked for where it is new. */
static bool note(Learner *l, const int *word, int length, size_t *index, ThError *err)
{
    size_t bytes = (size_t)length * sizeof *word;
    *index = th_intern_find(&l->asked, word, bytes);
    if (*index != SIZE_MAX) {
        l->report->repeated++;
        return true;
    }
    if (l->limits->queries && l->report->asked >= l->limits->queries)
        return th_fail(err, TH_ELIMIT, "more than %lld membership queries, with %d state%s found",
                       l->limits->queries, l->t.n_states, l->t.n_states == 1 ? "" : "s");
    l->report->asked++;
    return th_intern(&l->asked, word, bytes, index, err);
}

static bool ask_one_by_one(Learner *l, size_t first, ThError *err)
{
    size_t bytes;
    for (size_t i = first; i < l->asked.n; i++) {
        const int *word = th_intern_at(&l->asked, i, &bytes);
        if (th_stopped_at(l->stop, (size_t)l->t.n_states, "states", err) ||
            !l->o->member(l->o->context, word, (int)(bytes / sizeof *word), &l->answer[i], err))
            return false;
    }
    return true;
}

static bool ask_together(Learner *l, size_t first, ThError *err)
{
    size_t n = l->asked.n - first, size = 0, bytes;
    for (size_t i = 0; i < n; i++) {
        th_intern_at(&l->asked, first + i, &bytes);
        size += bytes / sizeof(int);
    }
    int *symbol TH_OWNED(free) = th_alloc(size + 1, sizeof *symbol, err);
    size_t *start TH_OWNED(free) = th_alloc(n + 1, sizeof *start, err);
    bool ok = symbol && start;
    for (size_t i = 0; ok && i < n; i++) {
        const int *word = th_intern_at(&l->asked, first + i, &bytes);
        memcpy(symbol + start[i], word, bytes);
        start[i + 1] = start[i] + bytes / sizeof *word;
    }
    ThLstarWords words = {n, symbol, start};
    ok = ok && !th_stopped_at(l->stop, (size_t)l->t.n_states, "states", err) &&
         l->o->members(l->o->context, &words, l->answer + first, err);
    return ok;
}

/* The classes of all words noted from number `first` on. */
static bool answer_from(Learner *l, size_t first, ThError *err)
{
    if (first == l->asked.n)
        return true;
    return th_grow(&l->answer, &l->answer_cap, l->asked.n, sizeof *l->answer, err) &&
           (l->o->members ? ask_together : ask_one_by_one)(l, first, err);
}

/* The class of a word, asked for once only. */
static bool ask(Learner *l, const int *word, int length, int *label, ThError *err)
{
    size_t index, known = l->asked.n;
    if (!note(l, word, length, &index, err) || !answer_from(l, known, err))
        return false;
    *label = l->answer[index];
    return true;
}

typedef struct {
    const int *at;
    int n;
} Word;

/* Puts u, one symbol (-1: none) and v into the buffer. */
static bool join(Learner *l, Word u, int symbol, Word v, int *length, ThError *err)
{
    size_t n = (size_t)u.n + (symbol >= 0) + (size_t)v.n;
    if (n > INT32_MAX / 2)
        return th_fail(err, TH_ELIMIT, "a word of %zu symbols is too long", n);
    if (!th_grow(&l->buffer, &l->buffer_cap, n + 1, sizeof *l->buffer, err))
        return false;
    memcpy(l->buffer, u.at, (size_t)u.n * sizeof *u.at);
    if (symbol >= 0)
        l->buffer[u.n++] = symbol;
    if (v.n)
        memcpy(l->buffer + u.n, v.at, (size_t)v.n * sizeof *v.at);
    *length = (int)n;
    return true;
}

static bool join_row(Learner *l, size_t r, const int *v, int n_v, int *length, ThError *err)
{
    size_t k = (size_t)l->t.n_symbols, i = r ? (r - 1) / k : 0;
    int symbol = r ? (int)((r - 1) % k) : -1;
    Word u = {l->t.word[i], l->t.length[i]};
    return join(l, u, symbol, (Word){v, n_v}, length, err);
}

/* Fills the cells of all rows and columns from these on; a cell holds the number of its word until
 * all are known. */
static bool fill(Learner *l, size_t row, int suffix, ThError *err)
{
    ThLstarTable *t = &l->t;
    size_t index, known = l->asked.n;
    int length = 0;
    for (size_t r = row; r < t->n_rows; r++)
        for (int e = suffix; e < t->n_suffixes; e++) {
            if (!join_row(l, r, t->suffix[e], t->suffix_length[e], &length, err) ||
                !note(l, l->buffer, length, &index, err))
                return false;
            t->cell[r][e] = (int)index;
        }
    if (!answer_from(l, known, err))
        return false;
    for (size_t r = row; r < t->n_rows; r++)
        for (int e = suffix; e < t->n_suffixes; e++)
            t->cell[r][e] = l->answer[t->cell[r][e]];
    return true;
}

/* ---- rows and columns ---- */

/* Adds the rows of the words of the last state followed by every symbol; first: the empty word. */
static bool add_rows(Learner *l, size_t n, ThError *err)
{
    ThLstarTable *t = &l->t;
    if (!th_grow(&t->cell, &l->cell_cap, t->n_rows + n, sizeof *t->cell, err) ||
        !th_grow(&t->state, &l->state_cap, t->n_rows + n, sizeof *t->state, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        int *cell = th_alloc((size_t)l->width, sizeof *cell, err);
        if (!cell)
            return false;
        t->cell[t->n_rows++] = cell;
    }
    return fill(l, t->n_rows - n, 0, err);
}

/* Makes a row's word a state. */
static bool add_state(Learner *l, size_t r, ThError *err)
{
    ThLstarTable *t = &l->t;
    size_t n = (size_t)t->n_states, index;
    int length = 0;
    if (l->limits->states && t->n_states >= l->limits->states)
        return th_fail(err, TH_ELIMIT, "more than %d state%s, after %lld membership queries",
                       l->limits->states, l->limits->states == 1 ? "" : "s", l->report->asked);
    if (!th_grow(&t->word, &l->states_cap, n + 1, sizeof *t->word, err) ||
        !th_grow(&t->length, &l->length_cap, n + 1, sizeof *t->length, err) ||
        !th_grow(&t->row, &l->row_cap, n + 1, sizeof *t->row, err) ||
        (n && !join_row(l, r, NULL, 0, &length, err)))
        return false;
    t->word[n] = th_alloc((size_t)length + 1, sizeof **t->word, err);
    if (!t->word[n])
        return false;
    if (length)
        memcpy(t->word[n], l->buffer, (size_t)length * sizeof **t->word);
    t->length[n] = length;
    t->row[n] = r;
    t->n_states++;
    if (r == 0 && !add_rows(l, 1, err))
        return false;
    if (!th_intern(&l->rows, t->cell[r], (size_t)t->n_suffixes * sizeof **t->cell, &index, err))
        return false;
    t->state[r] = (int)n;
    tell(l, (ThLstarStep){.event = TH_LSTAR_STATE, .row = r});
    return add_rows(l, (size_t)t->n_symbols, err);
}

static bool widen_rows(Learner *l, ThError *err)
{
    if (l->t.n_suffixes < l->width)
        return true;
    int width = 2 * l->width;
    for (size_t r = 0; r < l->t.n_rows; r++) {
        int *cell = realloc(l->t.cell[r], (size_t)width * sizeof *cell);
        if (!cell)
            return th_fail(err, TH_ENOMEM, "out of memory for %zu rows", l->t.n_rows);
        l->t.cell[r] = cell;
    }
    l->width = width;
    return true;
}

/* Adds a column; the rows of the states are told apart anew. */
static bool add_suffix(Learner *l, const int *word, int length, ThError *err)
{
    ThLstarTable *t = &l->t;
    size_t n = (size_t)t->n_suffixes, index;
    if (!widen_rows(l, err) ||
        !th_grow(&t->suffix, &l->suffix_cap, n + 1, sizeof *t->suffix, err) ||
        !th_grow(&t->suffix_length, &l->suffix_length_cap, n + 1, sizeof *t->suffix_length, err))
        return false;
    t->suffix[n] = th_alloc((size_t)length + 1, sizeof **t->suffix, err);
    if (!t->suffix[n])
        return false;
    if (length)
        memcpy(t->suffix[n], word, (size_t)length * sizeof *word);
    t->suffix_length[n] = length;
    t->n_suffixes++;
    if (!fill(l, 0, (int)n, err))
        return false;
    th_intern_free(&l->rows);
    for (int i = 0; i < t->n_states; i++) {
        size_t bytes = (size_t)t->n_suffixes * sizeof **t->cell;
        if (!th_intern(&l->rows, t->cell[t->row[i]], bytes, &index, err))
            return false;
    }
    l->n_placed = 0;
    return true;
}

/* Gives every row its state; rows that equal no state's become one. */
static bool close_table(Learner *l, ThError *err)
{
    ThLstarTable *t = &l->t;
    for (; l->n_placed < t->n_rows; l->n_placed++) {
        size_t r = l->n_placed, bytes = (size_t)t->n_suffixes * sizeof **t->cell;
        size_t q = th_intern_find(&l->rows, t->cell[r], bytes);
        if (q == SIZE_MAX && !add_state(l, r, err))
            return false;
        if (q != SIZE_MAX)
            t->state[r] = (int)q;
    }
    return true;
}

static ThDfa *guess_of(const Learner *l, ThError *err)
{
    const ThLstarTable *t = &l->t;
    ThDfa *d = th_dfa_new(t->n_states, t->n_symbols, l->o->n_classes, err);
    if (!d)
        return NULL;
    for (int q = 0; q < t->n_states; q++)
        d->label[q] = t->cell[t->row[q]][0];
    for (size_t r = 1; r < t->n_rows; r++)
        d->next[r - 1] = t->state[r];
    return d;
}

/* ---- counterexamples ---- */

/* The class of what the guess makes of the first i symbols, followed by the others. */
static bool ask_from(Learner *l, const ThDfa *guess, Word word, int i, int *label, ThError *err)
{
    int q = th_dfa_walk(guess, guess->start, word.at, (size_t)i), n = 0;
    Word u = {l->t.word[q], l->t.length[q]};
    return join(l, u, -1, (Word){word.at + i, word.n - i}, &n, err) &&
           ask(l, l->buffer, n, label, err);
}

/* Binary search for a symbol after which the guess leads to a state that the rest of the word tells
 * from the true one; that rest becomes a column. */
static bool split_by(Learner *l, const ThDfa *guess, const int *word, int length, int truth,
                     ThError *err)
{
    int lo = 0, hi = length, label = 0;
    while (hi - lo > 1) {
        int middle = lo + (hi - lo) / 2;
        if (!ask_from(l, guess, (Word){word, length}, middle, &label, err))
            return false;
        if (label == truth)
            lo = middle;
        else
            hi = middle;
    }
    tell(l,
         (ThLstarStep){
             .event = TH_LSTAR_SUFFIX, .guess = guess, .word = word + hi, .length = length - hi});
    return add_suffix(l, word + hi, length - hi, err);
}

/* Improves the guess until it is right about the word.  Consumes *guess, which becomes the next. */
static bool learn_from(Learner *l, ThDfa **guess, const int *word, int length, ThError *err)
{
    int truth = 0;
    if (!ask(l, word, length, &truth, err))
        return false;
    if (truth == th_dfa_class(*guess, word, (size_t)length))
        return th_fail(err, TH_EVALUE,
                       "the oracle takes back what it said about a word of %d "
                       "symbols: its answers depend on more than the word",
                       length);
    l->report->counterexamples++;
    if (length > l->report->longest)
        l->report->longest = length;
    tell(l, (ThLstarStep){.event = TH_LSTAR_COUNTEREXAMPLE,
                          .guess = *guess,
                          .word = word,
                          .length = length,
                          .label = truth});
    while (truth != th_dfa_class(*guess, word, (size_t)length)) {
        if (!split_by(l, *guess, word, length, truth, err) || !close_table(l, err))
            return false;
        ThDfa *next = guess_of(l, err);
        if (!next)
            return false;
        th_dfa_free(*guess);
        *guess = next;
    }
    return true;
}

/* Guesses until the oracle agrees. */
static bool converse(Learner *l, ThDfa **guess, ThError *err)
{
    for (;;) {
        int *word = NULL, length = 0;
        l->report->guesses++;
        tell(l, (ThLstarStep){.event = TH_LSTAR_GUESS, .guess = *guess});
        if (th_stopped(l->stop, err) ||
            !l->o->equivalent(l->o->context, *guess, &word, &length, err))
            return false;
        if (!word)
            return true;
        bool ok = learn_from(l, guess, word, length, err);
        free(word);
        if (!ok)
            return false;
    }
}

ThDfa *th_lstar(const ThLstarOracle *o, const ThLstarLimits *limits, ThLstarReport *report,
                ThStop *stop, ThError *err)
{
    Learner l = {.o = o, .limits = limits, .report = report, .stop = stop, .width = 8};
    ThError own = {0};
    *report = (ThLstarReport){0};
    l.t.n_symbols = o->n_symbols;
    ThDfa *guess = NULL;
    bool ok = add_suffix(&l, NULL, 0, &own) && add_state(&l, 0, &own) && close_table(&l, &own) &&
              (guess = guess_of(&l, &own)) && converse(&l, &guess, &own);
    if (!ok && own.code == TH_ELIMIT && limits->keep_guess && guess)
        ok = report->limited = true;
    report->states = guess ? guess->n_states : l.t.n_states;
    report->suffixes = l.t.n_suffixes;
    learner_free(&l);
    if (ok)
        return guess;
    if (err && err->code == TH_OK)
        *err = own;
    th_dfa_free(guess);
    return NULL;
}
