#include <math.h>

#include "automata/words/log_count.h"
#include "tasks/of_language.h"

/* A minimal machine has one state at most from which acceptance is out of reach. */
static bool is_dead(const ThDfa *d, int q)
{
    for (int a = 0; a < d->n_symbols; a++)
        if (d->next[q * d->n_symbols + a] != q)
            return false;
    return d->label[q] == 0;
}

/* Fills bits (n_states, n_symbols + 1): which symbols may follow, and whether the word may end. */
static void fill_bits(const ThDfa *d, int *bits)
{
    for (int q = 0; q < d->n_states; q++, bits += d->n_symbols + 1) {
        for (int a = 0; a < d->n_symbols; a++)
            bits[a] = !is_dead(d, d->next[q * d->n_symbols + a]);
        bits[d->n_symbols] = d->label[q];
    }
}

/* Makes the class of a state the number of its row of bits among the different ones. */
static void class_by_bits(ThDfa *d, const int *bits)
{
    size_t n = (size_t)d->n_symbols + 1;
    d->n_classes = 0;
    for (int q = 0; q < d->n_states; q++) {
        int p = 0;
        while (p < q && memcmp(bits + (size_t)p * n, bits + (size_t)q * n, n * sizeof *bits) != 0)
            p++;
        d->label[q] = p < q ? d->label[p] : d->n_classes++;
    }
}

static bool may_end(const ThTask *t, int q)
{
    int n = t->signature.n_classes;
    return t->bits[q * n + n - 1];
}

/* Looks for the drawn length: the greatest member's length up to the one wanted, else the least
 * beyond it. */
typedef struct {
    const ThTask *t;
    int wanted, found; /* 0: none yet */
} Search;

static bool note_length(void *context, int k, const bool *reached)
{
    Search *s = context;
    bool member = false;
    for (int q = 0; k > 0 && !member && q < s->t->machine->n_states; q++)
        member = reached[q] && may_end(s->t, q);
    if (member && (k <= s->wanted || s->found == 0))
        s->found = k;
    return k < s->wanted || s->found == 0;
}

/* A word longer than the number of states can be shortened, so the search need not go further. */
static int drawn_length(const ThTask *t, int length)
{
    if (!t->machine)
        return th_task_near_length(t->data, length, 1);
    Search s = {.t = t, .wanted = length};
    int limit = length > t->machine->n_states ? length : t->machine->n_states;
    return th_dfa_reach(t->machine, limit, note_length, &s, NULL) && s.found ? s.found : length;
}

/* How many symbols a word may be longer, where prefixes are not known. */
static int ahead_of(const ThTask *t, const ThLanguage *l)
{
    return th_option_given(&t->options, "ahead") ? (int)th_option_int(&t->options, "ahead")
                                                 : th_language_ahead(l);
}

static bool fits_ahead(const ThTask *t, const ThLanguage *l, ThError *err)
{
    int ahead = ahead_of(t, l), n;
    th_language_symbols(l, &n);
    if (th_language_knows_prefixes(l))
        return !th_option_given(&t->options, "ahead") ||
               th_fail(err, TH_EUSAGE, "ahead= is for languages whose prefixes are not known");
    return ahead * log(n) <= log(TH_LANGUAGE_MOST_TRIED) ||
           th_fail(err, TH_ELIMIT, "%d^%d words would have to be asked for, behind every prefix", n,
                   ahead);
}

static bool init_language(ThTask *t, const ThTaskSource *from, ThError *err)
{
    int n;
    char *const *symbol = th_language_symbols(from->language, &n);
    t->signature.target = TH_TARGET_BITS;
    return th_task_set_language(t, from->language, from->stop, err) &&
           fits_ahead(t, from->language, err) &&
           th_task_names_and(&t->signature.label, &t->signature.n_classes, symbol, n, "end", err);
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    if (from->language)
        return init_language(t, from, err);
    const ThAutomaton *a = from->automaton;
    ThSignature *s = &t->signature;
    s->target = TH_TARGET_BITS;
    if (th_option_given(&t->options, "ahead"))
        return th_fail(err, TH_EUSAGE, "ahead= is for languages whose prefixes are not known");
    t->machine = th_task_own_acceptor(a, err);
    if (!t->machine ||
        !th_task_own_names(&s->symbol, &s->n_symbols, a->symbol, a->n_symbols, err) ||
        !th_task_names_and(&s->label, &s->n_classes, a->symbol, a->n_symbols, "end", err))
        return false;
    ThDfa *d = t->machine;
    size_t n = (size_t)d->n_symbols + 1;
    t->bits = th_alloc((size_t)d->n_states, n * sizeof *t->bits, err);
    if (!t->bits)
        return false;
    fill_bits(d, t->bits);
    class_by_bits(d, t->bits);
    Search search = {.t = t, .wanted = 1};
    return th_dfa_reach(d, d->n_states, note_length, &search, err) &&
           (search.found ||
            th_fail(err, TH_EVALUE, "the automaton accepts no word but perhaps the empty one"));
}

static ThWordCount *count_members(const ThTask *t, int length, ThError *err)
{
    bool *wanted TH_OWNED(free) = th_alloc((size_t)t->machine->n_states, sizeof *wanted, err);
    if (!wanted)
        return NULL;
    for (int q = 0; q < t->machine->n_states; q++)
        wanted[q] = may_end(t, q);
    return th_words_count(t->machine, wanted, length, err);
}

/* The sets behind every prefix, for languages without a machine. */
static void label_sets(const ThTask *t, ThBatch *b)
{
    const ThTaskLanguage *d = t->data;
    int n = t->signature.n_classes, ahead = ahead_of(t, d->language);
    bool *next TH_OWNED(free) = th_alloc((size_t)n, sizeof *next, NULL);
    for (int i = 0; i < b->B; i++) {
        const int *word = th_batch_token(b, i);
        int length = th_batch_length(b, i), *target = th_batch_target(&t->signature, b, i);
        ThLanguageReader *r = next ? th_language_reader(d->language, d->stop, NULL) : NULL;
        bool ok = r != NULL;
        for (int k = 0; k < length; k++, target += n) {
            ok = ok && th_language_push(r, word[k], NULL, NULL);
            bool known = ok && th_language_next(r, ahead, next, NULL);
            for (int c = 0; c < n; c++)
                target[c] = known ? next[c] : -1;
        }
        th_language_reader_free(r);
    }
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    if (t->data)
        return th_task_draw_words(t, r, length, b, err);
    ThWordCount *c TH_OWNED(th_words_free) = count_members(t, length, err);
    if (!c)
        return false;
    bool ok = th_words_log(c, t->machine->start, length) > -HUGE_VAL ||
              th_fail(err, TH_ENOMEM, "out of memory (looking for words of length %d)", length);
    for (int i = 0; ok && i < b->B; i++)
        th_words_draw(c, r, th_batch_token(b, i), length);
    return ok;
}

typedef struct {
    const ThWordCount *count;
    int length;
} Members;

static double weight(const void *context, int position, int state, int symbol)
{
    const Members *m = context;
    return th_words_next(m->count, state, m->length - position, symbol);
}

static double chance(const ThTask *t, int length)
{
    if (!t->machine)
        return th_task_measured_chance(t, length);
    ThWordCount *c TH_OWNED(th_words_free) = count_members(t, length, NULL);
    if (!c)
        return (double)NAN;
    return th_task_chance_by_weight(t, length, weight, &(Members){c, length});
}

static void describe(const ThTask *t, ThText *to)
{
    const ThTaskLanguage *d = t->data;
    if (d && !th_language_knows_prefixes(d->language))
        th_text_printf(to, "# a symbol may follow if a word of at most %d more symbols says so\n",
                       ahead_of(t, d->language));
    th_task_describe_chance(t, to);
}

static const ThOptionSpec options[] = {
    {"ahead", TH_INT, NULL, 0, 1000, NULL,
     "of languages that are asked about whole words: how many symbols a word may be longer; "
     "default: as many as a thousand words allow"},
    TH_TASK_LANGUAGE_OPTIONS,
    {0}};

const ThTaskKind th_task_kind_next_symbols = {
    .name = "next_symbols",
    .summary = "which symbols may follow every prefix of a word of a language?",
    .source = "Bhattamishra et al. 2020 (character prediction), for any regular language",
    .detail = "task t = next_symbols A, where A is an automaton or an expression, or names a "
              "grammar or another language.  Accepted words "
              "only, every one of the length equally likely; a length without words is drawn as "
              "the next shorter one that has some, else the next longer.  After each symbol the "
              "answer is a set: the symbols with which an accepted word may go on, and end where "
              "it may end.  An answer counts as right if the whole set is.\n\n"
              "Whether some word begins with a prefix cannot be told of Turing machines and s-ops: "
              "of them, of formulas that count and of what is drawn from=, a symbol may follow if "
              "a word that is at most ahead= symbols longer says so, all of which are tried.  "
              "Behind a prefix where some of these got no answer nothing is asked.",
    .options = options,
    .takes_automaton = true,
    .takes_language = true,
    .init = init,
    .length = drawn_length,
    .draw = draw,
    .label = label_sets,
    .copy_data = th_task_copy_language,
    .free_data = th_task_free_language,
    .describe = describe,
    .chance = chance,
};
