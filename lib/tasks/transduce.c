/* From sequence to sequence: a transducer reads a word and writes another. */
#include "automata/operations/sequential.h"
#include "automata/words/words.h"
#include "tasks/of_language.h"

typedef struct {
    ThAutomaton *t; /* sequential */
    ThDfa *read;    /* the words that it reads */
} Transduction;

static void free_transduction(void *data)
{
    Transduction *d TH_OWNED(free) = data;
    if (d) {
        th_automaton_free(d->t);
        th_dfa_free(d->read);
    }
}

static Transduction *new_transduction(ThAutomaton *t, ThError *err)
{
    Transduction *d = th_alloc(1, sizeof *d, err);
    if (d)
        *d = (Transduction){t, t ? th_task_own_acceptor(t, err) : NULL};
    else
        th_automaton_free(t);
    if (d && d->read)
        return d;
    free_transduction(d);
    return NULL;
}

static void *copy_transduction(const void *data, ThError *err)
{
    return new_transduction(th_automaton_copy(((const Transduction *)data)->t, err), err);
}

static const Transduction *data_of(const ThTask *t)
{
    return t->data;
}

static bool init_transduction(ThTask *t, const ThTaskSource *from, ThError *err)
{
    enum { MOST = 1 << 16 };
    const ThAutomaton *a = from->automaton;
    ThSignature *s = &t->signature;
    ThAutomaton *seq = th_automaton_sequential(a, (ThAutomatonWork){MOST, from->stop}, err);
    t->data = seq ? new_transduction(seq, err) : NULL;
    s->target = TH_TARGET_EVERY;
    for (int i = 0; t->data && i < a->n_symbols; i++)
        if (strcmp(a->symbol[i], "_") == 0)
            return th_fail(err, TH_EVALUE, "_ is the blank, and cannot be a symbol");
    for (int i = 0; t->data && i < a->n_outputs; i++)
        if (strcmp(a->output[i], "end") == 0)
            return th_fail(err, TH_EVALUE, "end is what is said behind all, and cannot be written");
    return t->data &&
           th_task_names_and(&s->symbol, &s->n_symbols, a->symbol, a->n_symbols, "_", err) &&
           th_task_names_and(&s->label, &s->n_classes, a->output, a->n_outputs, "end", err);
}

/* Follows a transition; its output goes to *to, of which there may be no more than counted. */
static int take(const ThAutomatonArc *a, int *to, int *n)
{
    if (a->output != TH_AUTOMATON_NO_OUTPUT) {
        if (to)
            to[*n] = a->output;
        ++*n;
    }
    return a->to;
}

/* Along what a transition writes besides. */
static int settle(const ThAutomaton *t, int q, int *to, int *n)
{
    while (!t->accept[q] && t->first[q + 1] == t->first[q] + 1 &&
           t->arc[t->first[q]].symbol == TH_AUTOMATON_EPSILON)
        q = take(&t->arc[t->first[q]], to, n);
    return q;
}

/* The state behind a symbol; -1. */
static int step(const ThAutomaton *t, int q, int symbol, int *to, int *n)
{
    for (size_t i = t->first[q]; i < t->first[q + 1]; i++)
        if (t->arc[i].symbol == symbol)
            return settle(t, take(&t->arc[i], to, n), to, n);
    return -1;
}

/* What is written at the end; false where the word is not read. */
static bool finish(const ThAutomaton *t, int q, int *to, int *n)
{
    while (!t->accept[q]) {
        const ThAutomatonArc *a = &t->arc[t->first[q]]; /* empty moves stand first */
        if (t->first[q] == t->first[q + 1] || a->symbol != TH_AUTOMATON_EPSILON)
            return false;
        q = take(a, to, n);
    }
    return true;
}

static int start_of(const ThAutomaton *t)
{
    int q = 0;
    while (!t->start[q])
        q++;
    return q;
}

/* The longest output of the words of a length; -1: there are none. */
static int longest(const ThAutomaton *t, int length)
{
    size_t states = (size_t)t->n_states;
    int *most TH_OWNED(free) = th_alloc(2 * states, sizeof *most, NULL), found = -1, n = 0;
    if (!most)
        return -1;
    int *next = most + states, start = settle(t, start_of(t), NULL, &n);
    for (size_t q = 0; q < states; q++)
        most[q] = (int)q == start ? n : -1;
    for (int i = 0; i < length; i++) {
        memset(next, -1, states * sizeof *next);
        for (size_t q = 0; q < states; q++)
            for (int a = 0; most[q] >= 0 && a < t->n_symbols; a++) {
                int written = most[q], to = step(t, (int)q, a, NULL, &written);
                if (to >= 0 && written > next[to])
                    next[to] = written;
            }
        memcpy(most, next, states * sizeof *most);
    }
    for (size_t q = 0; q < states; q++) {
        int written = most[q];
        if (written >= 0 && finish(t, (int)q, NULL, &written) && written > found)
            found = written;
    }
    return found;
}

/* The nearest length that words have, the longer of two. */
static int length_of(const ThTask *t, int length)
{
    const ThAutomaton *a = data_of(t)->t;
    for (int d = 0; d <= 2 * a->n_states + length; d++)
        if (longest(a, length + d) >= 0)
            return length + d;
        else if (length > d && longest(a, length - d) >= 0)
            return length - d;
    return length;
}

static int tokens_of(const ThTask *t, int length)
{
    int n = longest(data_of(t)->t, length);
    return length + (n < 0 ? 0 : n) + 1;
}

static bool draw_word(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    ThWordSampler *w TH_OWNED(th_word_sampler_free) =
        th_word_sampler(data_of(t)->read, length, NULL, err);
    bool ok = w != NULL;
    for (int i = 0; ok && i < b->B; i++) {
        int *word = th_batch_token(b, i);
        ok = th_word_sample(w, r, word, err);
        for (int k = length; k < b->T; k++)
            word[k] = t->signature.n_symbols - 1;
    }
    return ok;
}

/* The answer to a row, or none where it is no word with blanks behind it. */
static void label_row(const ThTask *t, const int *word, int all, int *target)
{
    const ThAutomaton *a = data_of(t)->t;
    int blank = t->signature.n_symbols - 1, length = 0, n = 0, q = settle(a, start_of(a), NULL, &n);
    for (int k = 0; k < all; k++)
        length += word[k] != blank;
    for (int k = 0; q >= 0 && k < length; k++)
        q = word[k] == blank ? -1 : step(a, q, word[k], NULL, &n);
    bool read = q >= 0 && finish(a, q, NULL, &n) && length + n < all;
    for (int k = 0; k < all; k++)
        target[k] = -1;
    if (!read)
        return;
    n = 0;
    q = settle(a, start_of(a), target + length, &n);
    for (int k = 0; k < length; k++)
        q = step(a, q, word[k], target + length, &n);
    finish(a, q, target + length, &n);
    target[length + n] = t->signature.n_classes - 1;
}

static void label_words(const ThTask *t, ThBatch *b)
{
    for (int i = 0; i < b->B; i++)
        label_row(t, th_batch_token(b, i), th_batch_length(b, i),
                  th_batch_target(&t->signature, b, i));
}

const ThTaskKind th_task_kind_transduce = {
    .name = "transduce",
    .summary = "what does a transducer write for the string?",
    .source = "any sequential function: Choffrut; Mohri 1997",
    .detail =
        "task t = transduce T, where T is a transducer that writes one word for a word and can do "
        "so while it reads, or an expression of one (functional T tells): from sequence to "
        "sequence.  Every word of the length that T reads is equally likely.  The answer is asked "
        "for at the blanks _ behind the string, as many as it can be long and one more, the first "
        "of which behind the answer wants end.  length= is that of the string without them, or "
        "the nearest that T reads.",
    .takes_automaton = true,
    .init = init_transduction,
    .length = length_of,
    .tokens = tokens_of,
    .draw = draw_word,
    .label = label_words,
    .copy_data = copy_transduction,
    .free_data = free_transduction,
    .chance = th_task_measured_chance,
};
