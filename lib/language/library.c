#include "language/library.h"

#include "base/symbols.h"

/* A definition: the inside of a block, as it stands or made for a number; neither: computed. */
typedef struct {
    ThLanguageRow row;
    const char *kind, *text;
    void (*made)(ThText *t, int k);
} Definition;

static void write_dyck(ThText *t, int k)
{
    int n;
    char **symbol TH_OWNED(free) = th_symbols_list(TH_LANGUAGE_BRACKETS, false, &n, NULL);
    th_text_add(t, "alphabet");
    for (int i = 0; symbol && i < 2 * k; i++)
        th_text_printf(t, " \"%s\"", symbol[i]);
    th_text_add(t, "\nS -> epsilon");
    for (int i = 0; symbol && i < k; i++)
        th_text_printf(t, " | \"%s\" S \"%s\" S", symbol[2 * i], symbol[2 * i + 1]);
}

/* Operators with 1, 2, … operands: the counter says how many values are wanted besides one. */
static void write_boolean(ThText *t, int k)
{
    static const char *const names[] = {"~", "+", ">", "op4", "op5", "op6", "op7", "op8"};
    th_text_add(t, "counters 1\nalphabet 0 1");
    for (int i = 0; i < k; i++)
        th_text_printf(t, " \"%s\"", names[i]);
    th_text_add(t, "\nstart p\np 0,1 where + -> p / -1\np 0,1 where 0 -> q\naccept q");
    for (int i = 0; i < k; i++)
        th_text_printf(t, "\np \"%s\" -> p / +%d", names[i], i);
}

/* Moves on a cycle of five, and the place that they lead to. */
static void write_cycle(ThText *t, int k TH_UNUSED)
{
    th_text_add(t, "alphabet \"<\" \">\" \"=\" 0 1 2 3 4");
    for (int q = 0; q < 5; q++)
        th_text_printf(t, "\nP%d -> \"<\" P%d | \">\" P%d | \"=\" P%d | %d", q, (q + 4) % 5,
                       (q + 1) % 5, q, q);
}

/* Operations on digits, from left to right modulo 5, =, and the value. */
static void write_arithmetic(ThText *t, int k TH_UNUSED)
{
    static const char sign[] = "+-*";
    th_text_add(t, "alphabet 0 1 2 3 4 \"+\" \"-\" \"*\" \"=\"\nS -> 0 V0");
    for (int v = 1; v < 5; v++)
        th_text_printf(t, " | %d V%d", v, v);
    for (int v = 0; v < 5; v++) {
        th_text_printf(t, "\nV%d -> \"=\" E%d", v, v);
        for (int o = 0; o < 3; o++)
            th_text_printf(t, " | \"%c\" O%d%d", sign[o], o, v);
        th_text_printf(t, "\nE%d -> %d", v, v);
        for (int o = 0; o < 3; o++)
            for (int d = 0; d < 5; d++) {
                int value[] = {v + d, v - d + 5, v * d};
                if (d == 0)
                    th_text_printf(t, "\nO%d%d ->", o, v);
                th_text_printf(t, "%s %d V%d", d ? " |" : "", d, value[o] % 5);
            }
    }
}

static const Definition library[] = {
    {.row = {"anbn", "a^n b^n", 0, 0},
     .kind = "counters",
     .text = "start p; p a -> p / +1; p b -> q / -1; q b -> q / -1; accept p where 0; accept q "
             "where 0"},
    {.row = {"anbncn", "a^n b^n c^n", 0, 0},
     .kind = "counters",
     .text = "counters 2; start p; p a -> p / +1 0; p b -> q / -1 +1; q b -> q / -1 +1\n"
             "q c where 0 + -> r / 0 -1; r c -> r / 0 -1; accept p where 0 0; accept r where 0 0"},
    {.row = {"anbncndn", "a^n b^n c^n d^n", 0, 0},
     .kind = "counters",
     .text = "counters 2; start p; p a -> p / +1 0; p b -> q / -1 +1; q b -> q / -1 +1\n"
             "q c where 0 + -> r / +1 -1; r c -> r / +1 -1\n"
             "r d where + 0 -> s / -1 0; s d -> s / -1 0; accept p where 0 0; accept s where 0 0"},
    {.row = {"arithmetic_answer", "d+d*d...=d, from left to right modulo 5", 0, 0},
     .kind = "grammar",
     .made = write_arithmetic},
    {.row = {"binary_addition", "x+y=z, the lowest bit first", 0, 0}},
    {.row = {"binary_multiplication", "x*y=z, the lowest bit first", 0, 0}},
    {.row = {"boolean_K", "expressions of 0 and 1 with operators of 1 ... K operands before these",
             1, 8},
     .kind = "counters",
     .made = write_boolean},
    {.row = {"bucket_sort", "w#v where v is w sorted, over 1 to 5", 0, 0}},
    {.row = {"compute_sqrt", "x=z, z the root of x rounded down, the lowest bit first", 0, 0}},
    {.row = {"cycle_answer", "moves < > = on a cycle of five, and the place", 0, 0},
     .kind = "grammar",
     .made = write_cycle},
    {.row = {"dyck_K", "balanced brackets of K kinds, of any depth", 1, TH_LANGUAGE_MOST_KINDS},
     .kind = "grammar",
     .made = write_dyck},
    {.row = {"majority", "more 1 than 0", 0, 0},
     .kind = "counters",
     .text = "alphabet 0 1; start p; p 1 -> p / +1; p 0 where + -> p / -1; p 0 where 0 -> n / +1\n"
             "n 0 -> n / +1; n 1 where + -> n / -1; n 1 where 0 -> p / +1; accept p where +"},
    {.row = {"marked_copy", "w#w", 0, 0}},
    {.row = {"marked_reversal", "w#v where v is w backwards", 0, 0},
     .kind = "grammar",
     .text = "alphabet 0 1 \"#\"; S -> 0 S 0 | 1 S 1 | \"#\""},
    {.row = {"missing_duplicate", "ww with a 1 replaced by _", 0, 0}},
    {.row = {"odds_first", "w#v, v the 1st, 3rd, ... then the 2nd, 4th, ... of w", 0, 0}},
    {.row = {"shuffle_K", "brackets of K kinds, each balanced by itself", 1,
             TH_LANGUAGE_MOST_KINDS}},
    {.row = {"stack_manipulation", "bits, pushes and pops, # and the stack from its top", 0, 0}},
    {.row = {"unmarked_reversal", "wv where v is w backwards", 0, 0},
     .kind = "grammar",
     .text = "alphabet 0 1; S -> 0 S 0 | 1 S 1 | epsilon"},
};

enum { ROWS = sizeof library / sizeof *library };

const ThLanguageRow *th_language_library(size_t i)
{
    return i < ROWS ? &library[i].row : NULL;
}

/* Is it a row's name?  *k: the number that stands for K, else 0. */
static bool is_named(const ThLanguageRow *row, const char *name, int *k)
{
    size_t n = strlen(row->name) - (row->most > 0);
    *k = 0;
    if (row->most == 0 || strncmp(name, row->name, n) != 0)
        return row->most == 0 && strcmp(name, row->name) == 0;
    *k = name[n] >= '1' && name[n] <= '9' && !name[n + 1] ? name[n] - '0' : 0;
    return *k >= row->least && *k <= row->most;
}

ThLanguage *th_language_named(const char *name, ThError *err)
{
    int k;
    const Definition *d = library;
    while (d < library + ROWS && !is_named(&d->row, name, &k))
        d++;
    if (d == library + ROWS)
        return NULL;
    if (!d->kind)
        return th_language_computed(k ? "shuffle_" : name, k, err);
    ThText t TH_OWNED(th_text_free) = {0};
    if (d->made)
        d->made(&t, k);
    else
        th_text_add(&t, d->text);
    return t.data ? th_language_parse(d->kind, t.data, err) : NULL;
}
