/* Nested lists with an operation each, and the digit that they come to. */

#include "tasks/task_parts.h"
#include "tasks/table.h"

/* Symbols: the digits, the operations, the end of a list. */
enum { N_DIGITS = 10, MINIMUM = 10, MAXIMUM, MEDIAN, SUM, CLOSE, N_SYMBOLS };
enum { N_OPERATIONS = CLOSE - MINIMUM, MOST_ARGUMENTS = 100, MOST_LENGTH = 100000 };

static const char operations[] = "[MIN [MAX [MED [SM ]";

/* Trees in a row that bring no new string before it is held that there are no more of them. */
enum { MOST_TRIES = 20000000, TREES_A_LOOK = 1024 };

static const ThOptionSpec options[] = {
    {"split", TH_CHOICE, "pool", 0, 0,
     "pool|200_300|500_600|900_1000|arguments_10|arguments_15|lra",
     "which published set is meant; it says what the next options are by default"},
    {"depth", TH_INT, NULL, 1, 100, NULL, "lists are nested at most one less than this"},
    {"arguments", TH_INT, NULL, 2, MOST_ARGUMENTS, NULL, "most parts of a list"},
    {"shortest", TH_INT, NULL, 1, MOST_LENGTH, NULL, "fewest symbols"},
    {"longest", TH_INT, NULL, 1, MOST_LENGTH, NULL, "most symbols"},
    {"count", TH_INT, NULL, 1, 10000000, NULL, "how many different strings are drawn"},
    {"tests", TH_INT, NULL, 0, 10000000, NULL, "how many of them are to test on"},
    {"seed", TH_INT, "1", 0, 9007199254740991.0, NULL, "of the strings"},
    {0},
};

/* What is drawn.  The published sets, in the order of split=. */
typedef struct {
    int depth, arguments, shortest, longest, count, tests;
} Shape;

static const Shape published[] = {
    {20, 5, 1, MOST_LENGTH, 100000, 10000}, {20, 5, 201, 299, 2000, 2000},
    {20, 5, 501, 599, 2000, 2000},          {20, 5, 901, 999, 2000, 2000},
    {9, 10, 100, 1000, 2000, 2000},         {9, 15, 100, 1000, 2000, 2000},
    {10, 10, 501, 1999, 98000, 2000},
};

static bool read_shape(const ThTask *t, Shape *s, ThError *err)
{
    const ThOptions *o = &t->options;
    const Shape *usual = &published[th_option_choice(o, "split")];
    *s = (Shape){
        .depth = (int)th_option_int_or(o, "depth", usual->depth),
        .arguments = (int)th_option_int_or(o, "arguments", usual->arguments),
        .shortest = (int)th_option_int_or(o, "shortest", usual->shortest),
        .longest = (int)th_option_int_or(o, "longest", usual->longest),
        .count = (int)th_option_int_or(o, "count", usual->count),
    };
    int tests = usual->tests < s->count ? usual->tests : s->count;
    s->tests = (int)th_option_int_or(o, "tests", tests);
    if (s->shortest > s->longest)
        return th_fail(err, TH_EUSAGE, "shortest=%d is more than longest=%d", s->shortest,
                       s->longest);
    if (s->tests > s->count)
        return th_fail(err, TH_EUSAGE, "tests=%d is more than count=%d", s->tests, s->count);
    return true;
}

/* ---- one tree -------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The median of an even number of digits is the mean of the middle two, rounded down. */
static int apply(int operation, int *digit, int n)
{
    if (operation == SUM) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += digit[i];
        return sum % N_DIGITS;
    }
    qsort(digit, (size_t)n, sizeof *digit, by_value);
    return operation == MINIMUM   ? digit[0]
           : operation == MAXIMUM ? digit[n - 1]
                                  : (digit[(n - 1) / 2] + digit[n / 2]) / 2;
}

typedef struct {
    const Shape *shape;
    ThRng *r;
    int *token, n; /* room for shape->longest, and one more */
} Writer;

/* Writes a tree and returns its value; -1 if it would be too long. */
static int write_tree(Writer *w, int depth)
{
    const Shape *s = w->shape;
    if (w->n >= s->longest)
        return -1;
    if (depth >= s->depth || th_rng_uniform(w->r) > 0.25)
        return w->token[w->n++] = (int)th_rng_below(w->r, N_DIGITS);
    int operation = MINIMUM + (int)th_rng_below(w->r, N_OPERATIONS);
    int n = 2 + (int)th_rng_below(w->r, (uint64_t)s->arguments - 1), digit[MOST_ARGUMENTS];
    w->token[w->n++] = operation;
    for (int i = 0; i < n; i++)
        if ((digit[i] = write_tree(w, depth + 1)) < 0)
            return -1;
    if (w->n >= s->longest)
        return -1;
    w->token[w->n++] = CLOSE;
    return apply(operation, digit, n);
}

/* ---- lists of anybody ------------------------------------------------------------------------ */

/* -1: not of a list.  Published files have ( and ) besides, which say nothing. */
static int symbol_named(const char *name)
{
    size_t size = strlen(name), n;
    if (size == 1 && strchr("()", *name))
        return N_SYMBOLS;
    if (size == 1 && *name >= '0' && *name <= '9')
        return *name - '0';
    const char *at = operations;
    for (int number = MINIMUM; number < N_SYMBOLS; number++, at += n + 1) {
        n = strcspn(at, " ");
        if (n == size && memcmp(at, name, n) == 0)
            return number;
    }
    return -1;
}

/* Whether there are lists in these symbols, and nothing else. */
static bool are_lists(const ThSignature *s)
{
    bool closes = false, opens = false;
    for (int i = 0; i < s->n_symbols; i++) {
        int symbol = symbol_named(s->symbol[i]);
        if (symbol < 0)
            return false;
        closes = closes || symbol == CLOSE;
        opens = opens || (symbol >= MINIMUM && symbol < CLOSE);
    }
    return opens && closes && s->target == TH_TARGET_FINAL && !s->pairs;
}

/* Closes the list that is open in stack[0] … stack[n-1]: its digit takes its place, and the number
 * that there are then is returned; 0: none is open, or it has no parts. */
static int close_list(int *stack, int n)
{
    int first = n;
    while (first > 0 && stack[first - 1] < N_DIGITS)
        first--;
    if (first == 0 || first == n)
        return 0;
    stack[first - 1] = apply(stack[first - 1], stack + first, n - first);
    return first;
}

/* The digit that a string comes to, with room for it in `stack`; -1 where it is no list. */
static int value_of(const ThSignature *s, ThTaskWord word, int *stack)
{
    int n = 0;
    for (int i = 0; i < word.n; i++) {
        int symbol = symbol_named(s->symbol[word.token[i]]);
        if (symbol < CLOSE)
            stack[n++] = symbol;
        else if (symbol == CLOSE && !(n = close_list(stack, n)))
            return -1;
    }
    return n == 1 && *stack < N_DIGITS ? *stack : -1;
}

static int truth(const ThSignature *s, ThTaskWord word)
{
    int *stack TH_OWNED(free) = are_lists(s) ? th_alloc((size_t)word.n, sizeof *stack, NULL) : NULL;
    const char digit[] = {(char)('0' + (stack ? value_of(s, word, stack) : -1)), '\0'};
    for (int c = 0; c < s->n_classes; c++)
        if (strcmp(s->label[c], digit) == 0)
            return c;
    return -1;
}

/* ---- many different ones --------------------------------------------------------------------- */

static bool fill(ThTaskPool *p, Writer *w, ThStop *stop, ThError *err)
{
    const Shape *s = w->shape;
    int tries = 0;
    for (long long trees = 0; p->table->n < s->count; trees++) {
        if (trees % TREES_A_LOOK == 0 && th_stopped_at(stop, (size_t)p->table->n, "strings", err))
            return false;
        if (tries++ == MOST_TRIES)
            return th_fail(
                err, TH_EVALUE,
                "there seem to be no more than %d such strings: count=%d cannot be drawn",
                p->table->n, s->count);
        w->n = 0;
        int value = write_tree(w, 1);
        bool kept = false;
        if (value < 0 || w->n < s->shortest)
            continue;
        if (!th_task_pool_keep(p, (ThTaskWord){w->token, w->n}, value, &kept, err))
            return false;
        tries = kept ? 0 : tries;
    }
    return true;
}

static bool draw_pool(ThTask *t, const Shape *s, ThStop *stop, ThError *err)
{
    ThTaskTable *d = t->data = th_alloc(1, sizeof *d, err);
    if (!d)
        return false;
    ThRng r = th_rng((uint64_t)th_option_int(&t->options, "seed"), "task.list_ops", 0);
    ThTaskPool p TH_OWNED(th_task_pool_free) = {.table = d};
    Writer w = {.shape = s, .r = &r, .token = th_alloc((size_t)s->longest, sizeof *w.token, err)};
    d->unit = "symbols";
    bool ok = w.token && fill(&p, &w, stop, err);
    free(w.token);
    d->n_train = s->count - s->tests;
    /* Short strings come early, for there are few, so the parts are chosen at random. */
    return ok && th_task_table_order(d, &r, err);
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    Shape s;
    return read_shape(t, &s, err) &&
           th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){N_DIGITS, operations},
                             (ThTaskNames){N_DIGITS, ""}, err) &&
           draw_pool(t, &s, from->stop, err);
}

const ThTaskKind th_task_kind_list_ops = {
    .name = "list_ops",
    .summary = "what does a nested list come to? [MAX 2 9 [MIN 4 7 ] 0 ]",
    .source = "Nangia and Bowman 2018 (ListOps); Tay et al. 2021 (Long Range Arena); Ray Chowdhury "
              "and Caragea 2024, section 4",
    .detail =
        "A digit, or a list of two or more digits and lists with an operation: minimum, maximum, "
        "median (rounded down), sum modulo 10.  A part is a list with chance 1/4 and then has 2 to "
        "arguments= parts, alike often; lists in lists in lists end at depth=.  Different strings "
        "are drawn until there are count=, each by itself, and those of another length than "
        "shortest= to longest= symbols are left out.\n\n"
        "split= chooses a published set.  pool: 100000 strings, of which 10000 are to test "
        "on, of any length; train on t length=1..100 takes the short ones.  200_300, 500_600 "
        "and 900_1000: 2000 longer ones (strictly between the bounds) to test on; the last takes "
        "some twenty seconds to draw.  arguments_10, arguments_15: 100 to 1000 symbols, nested "
        "less, with more parts.  lra: 500 to 2000 symbols, up to 10 parts; 400 MB.  The chance "
        "level that evaluate prints is the share of the most frequent digit, which is far above "
        "1/10 where lists are long.\n\n"
        "run, halting and attention say what a list of your own comes to beside the model's "
        "answer, also of a model that was trained on a file of such lists (help file).",
    .options = options,
    .init = init,
    .truth = truth,
    TH_TASK_TABLE,
};
