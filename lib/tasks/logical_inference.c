/* Two formulas of propositional logic, and how what they say is related. */

#include "tasks/task_parts.h"
#include "tasks/table.h"

/* Symbols; the last stands between the two formulas. */
enum { OPEN, CLOSE, VARIABLE, N_VARIABLES = 6, AND = VARIABLE + N_VARIABLES, OR, NOT, BETWEEN };
static const char symbols[] = "( ) a b c d e f and or not ,";

/* Classes. */
enum { N_MEANING = 1 << N_VARIABLES };
enum { EQUAL, FORWARD, REVERSE, NEGATION, ALTERNATION, COVER, INDEPENDENT };
static const char classes[] = "= < > ^ | v #";

/* Both formulas use the same four variables, and have three levels of and and or at most: 88
 * symbols. */
enum { USED = 4, BUDGET = 12, LONGEST = 2 * 88 + 1, MOST_OPERATORS = 12, PAIRS_A_LOOK = 1024 };

static const ThOptionSpec options[] = {
    {"split", TH_CHOICE, "train", 0, 0, "train|test",
     "which pairs: 85 in 100 of each number of operators are for training, the others to test on"},
    {"operators", TH_RANGE, NULL, 0, MOST_OPERATORS, NULL,
     "of the formula that has more; 12: or more; default 0..6, with split=test 7..12"},
    {"count", TH_INT, "500000", 1, 100000000, NULL, "how many pairs are drawn, all operators"},
    {"seed", TH_INT, "1", 0, 9007199254740991.0, NULL, "of the pairs"},
    {0},
};
enum { SPLIT_TRAIN, SPLIT_TEST }; /* split= */

/* ---- formulas -------------------------------------------------------------------------------- */

/* The assignments of the variables that make a formula true, one a bit. */
typedef uint64_t Truth;

static const Truth variable[N_VARIABLES] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                            0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                            0xffff0000ffff0000, 0xffffffff00000000};

typedef struct {
    ThRng *r;
    int used[N_VARIABLES]; /* the first USED of them may stand in a formula */
    int token[LONGEST], n;
    int operators; /* of the formula being written */
} Writer;

static void put(Writer *w, int symbol)
{
    w->token[w->n++] = symbol;
}

/* Writes a formula with up to `budget` parts; each is negated with chance 1/3, and is an operation
 * with chance 4/9. */
static Truth write_formula(Writer *w, int budget)
{
    bool negated = th_rng_below(w->r, 3) == 0, leaf = th_rng_below(w->r, 9) >= 4 || budget < 2;
    Truth is;
    w->operators += negated + !leaf;
    if (negated) {
        put(w, OPEN);
        put(w, NOT);
    }
    if (leaf) {
        int which = w->used[th_rng_below(w->r, USED)];
        put(w, VARIABLE + which);
        is = variable[which];
    } else {
        bool and = th_rng_below(w->r, 2) == 0;
        put(w, OPEN);
        Truth left = write_formula(w, budget / 2);
        put(w, OPEN);
        put(w, and? AND : OR);
        Truth right = write_formula(w, budget / 2);
        put(w, CLOSE);
        put(w, CLOSE);
        is = and? left & right : left | right;
    }
    if (!negated)
        return is;
    put(w, CLOSE);
    return ~is;
}

static bool take(ThTaskWord *word, int symbol)
{
    bool has = word->n > 0 && *word->token == symbol;
    word->token += has;
    word->n -= has;
    return has;
}

static bool read_variable(ThTaskWord *word, Truth *is)
{
    for (int i = 0; i < N_VARIABLES; i++)
        if (take(word, VARIABLE + i)) {
            *is = variable[i];
            return true;
        }
    return false;
}

/* Reads a formula as write_formula writes them off the front of a word; false: there is none. */
static bool read_formula(ThTaskWord *word, int depth, Truth *is)
{
    Truth right = 0;
    if (read_variable(word, is))
        return true;
    if (depth == LONGEST || !take(word, OPEN))
        return false;
    if (take(word, NOT)) {
        bool read = read_formula(word, depth + 1, is) && take(word, CLOSE);
        *is = ~*is;
        return read;
    }
    if (!read_formula(word, depth + 1, is) || !take(word, OPEN))
        return false;
    bool and = take(word, AND);
    if ((!and&&!take(word, OR)) || !read_formula(word, depth + 1, &right))
        return false;
    *is = and? *is & right : *is | right;
    return take(word, CLOSE) && take(word, CLOSE);
}

/* Whether each assignment makes it true. */
static bool tell_meaning(const ThTask *t TH_UNUSED, ThTaskWord pair, float *left, float *right)
{
    Truth first = 0, second = 0;
    if (!read_formula(&pair, 0, &first) || !take(&pair, BETWEEN) ||
        !read_formula(&pair, 0, &second) || pair.n > 0)
        return false;
    for (int i = 0; i < N_MEANING; i++) {
        left[i] = (float)(first >> i & 1);
        right[i] = (float)(second >> i & 1);
    }
    return true;
}

static int relation(Truth x, Truth y)
{
    const Truth all = ~(Truth)0;
    bool apart = (x & y) == 0, covers = (x | y) == all;
    return x == y          ? EQUAL
           : (x & ~y) == 0 ? FORWARD
           : (y & ~x) == 0 ? REVERSE
           : apart         ? (covers ? NEGATION : ALTERNATION)
           : covers        ? COVER
                           : INDEPENDENT;
}

/* Writes a pair, both of which say something: returns its class, and the operators of the formula
 * that has more. */
static int write_pair(Writer *w, int *operators)
{
    const Truth all = ~(Truth)0;
    for (;;) {
        for (int i = 0; i < USED; i++) { /* Fisher and Yates */
            int j = i + (int)th_rng_below(w->r, (uint64_t)(N_VARIABLES - i)), swap = w->used[i];
            w->used[i] = w->used[j];
            w->used[j] = swap;
        }
        w->n = w->operators = 0;
        Truth left = write_formula(w, BUDGET);
        *operators = w->operators;
        put(w, BETWEEN);
        w->operators = 0;
        Truth right = write_formula(w, BUDGET);
        *operators = w->operators > *operators ? w->operators : *operators;
        if (left != 0 && left != all && right != 0 && right != all)
            return relation(left, right);
    }
}

/* ---- the set --------------------------------------------------------------------------------- */

/* Different pairs in the order in which they were drawn, and what they are for. */
typedef struct {
    ThTaskPool pool;
    int *operators; /* (n of the table) */
    size_t cap_operators;
    ThRange wanted;
    bool test; /* those that are not for training */
} Set;

static bool draw_pairs(Set *x, ThRng *r, const ThOptions *o, ThStop *stop, ThError *err)
{
    Writer w = {.r = r, .used = {0, 1, 2, 3, 4, 5}};
    long long count = th_option_int(o, "count");
    for (long long i = 0; i < count; i++) {
        int operators, class = write_pair(&w, &operators);
        bool kept;
        operators = operators < MOST_OPERATORS ? operators : MOST_OPERATORS;
        if (i % PAIRS_A_LOOK == 0 && th_stopped_at(stop, (size_t)i, "pairs", err))
            return false;
        if (operators < x->wanted.lo || operators > x->wanted.hi)
            continue;
        size_t n = (size_t)x->pool.table->n;
        if (!th_grow(&x->operators, &x->cap_operators, n + 1, sizeof *x->operators, err) ||
            !th_task_pool_keep(&x->pool, (ThTaskWord){w.token, w.n}, class, &kept, err))
            return false;
        if (kept)
            x->operators[n] = operators;
    }
    return true;
}

/* Lists the pairs of one number of operators that are wanted; returns how many there are then. */
static int choose(const Set *x, int operators, int *row, int n)
{
    int all = 0, seen = 0, d = x->operators ? x->pool.table->n : 0;
    for (int i = 0; i < d; i++)
        all += x->operators[i] == operators;
    for (int i = 0; i < d; i++)
        if (x->operators[i] == operators && (seen++ < all * 85LL / 100) != x->test)
            row[n++] = i;
    return n;
}

/* Moves every tenth row behind the others, which keep their order; returns how many these are. */
static int put_tenths_last(const int *row, int n, int *to)
{
    int train = n - n / 10, first = 0, last = train;
    for (int i = 0; i < n; i++)
        to[i % 10 == 9 ? last++ : first++] = row[i];
    return train;
}

static bool split(const Set *x, ThTaskTable *d, ThError *err)
{
    int n = 0, train = 0;
    int *row TH_OWNED(free) = th_alloc((size_t)d->n, sizeof *row, err);
    int *to TH_OWNED(free) = th_alloc((size_t)d->n, sizeof *to, err);
    bool ok = row && to;
    if (ok) {
        for (long long k = x->wanted.lo; k <= x->wanted.hi; k++)
            n = choose(x, (int)k, row, n);
        train = x->test ? 0 : put_tenths_last(row, n, to);
        ok = n > 0 || th_fail(err, TH_EVALUE, "among so few pairs none has as many operators");
    }
    ok = ok && th_task_table_select(d, x->test ? row : to, n, err);
    d->n_train = train;
    return ok && th_task_table_order(d, NULL, err);
}

static bool draw_set(ThTask *t, ThStop *stop, ThError *err)
{
    ThTaskTable *d = t->data = th_alloc(1, sizeof *d, err);
    if (!d)
        return false;
    const ThOptions *o = &t->options;
    ThRng r = th_rng((uint64_t)th_option_int(o, "seed"), "task.logical_inference", 0);
    Set x = {.pool = {.table = d}, .test = th_option_choice(o, "split") == SPLIT_TEST};
    x.wanted = x.test ? (ThRange){7, MOST_OPERATORS, 1} : (ThRange){0, 6, 1};
    if (th_option_given(o, "operators"))
        x.wanted = th_option_range(o, "operators");
    d->unit = "symbols";
    bool ok = draw_pairs(&x, &r, o, stop, err) && split(&x, d, err);
    th_task_pool_free(&x.pool);
    free(x.operators);
    return ok;
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    if (!th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){0, symbols}, (ThTaskNames){0, classes},
                           err))
        return false;
    t->signature.pairs = true;
    return draw_set(t, from->stop, err);
}

const ThTaskKind th_task_kind_logical_inference = {
    .name = "logical_inference",
    .summary = "how are two formulas related? ( a ( or b ) ) , a",
    .source = "Bowman, Manning and Potts 2015, section 4; Ray Chowdhury and Caragea 2024",
    .detail =
        "Two formulas over four of six variables with not, and, or; neither is always true or "
        "always false.  The answer is = where they are true alike, < where the left one says more, "
        "> where the right one does, ^ where just one is true always, | where both are never true, "
        "v where one at least always is, and # otherwise.  A formula is an operation with chance "
        "4/9, up to three in each other, and is negated with chance 1/3.\n\n"
        "count= pairs are drawn and repeats left out.  Of each number of operators the first 85 in "
        "100 are for training, of which every tenth is to test on; the others are the set of "
        "split=test, to test on alone.  The paper trains on up to six operators, the default, and "
        "tests on each number from 7 to 12: task t7 = logical_inference split=test operators=7.  "
        "Always saying # is right about half of the time, which evaluate prints as chance; one of "
        "the seven at random one time in seven.\n\n"
        "Models that know pairs (encoder, universal, gated_universal, tlb, gutlb, ndr) read each "
        "side by itself; others read both as one string.  With auxiliary_loss= a further head has "
        "to tell from what such a model makes of a formula whether it is true, for each of the 64 "
        "assignments.  How two formulas are related, mostly not at all, says little of either: "
        "with auxiliary_loss=4 as much is learned in a tenth of the steps.",
    .operators = "not and or",
    .options = options,
    .init = init,
    .n_meaning = N_MEANING,
    .meaning = tell_meaning,
    TH_TASK_TABLE,
};
