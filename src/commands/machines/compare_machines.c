/* compare_machines.c - whether two Turing machines compute the same, input by input. */

#include "commands/machines/machines.h"

static const ThOptionSpec compare_machines_options[] = {
    {"length", TH_RANGE, "0..6", 0, 1000, NULL, "lengths of the inputs"},
    SH_RUN_LIMITS_OF("1000000"),
    {"configurations", TH_INT, "1000000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"codes", TH_FLAG, "no", 0, 0, NULL,
     "N has the symbols 0 and 1, and inputs and tapes by the codes of convert to=binary"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* The inputs that are gone through, and what was found. */
typedef struct {
    ShSession *s;
    const ShCall *call;
    const ThTm *reads; /* the first machine as it was typed: its symbols make the inputs */
    char **symbol;     /* of both machines but the blanks: views */
    int n_symbols;
    int *word, length;
    long long inputs, open; /* open: a run came to a limit */
    bool differ, choices;   /* one of them has choices: tapes do not count */
    bool codes;             /* the second one reads what to=binary makes of inputs */
    ShMachineEnd end[2];    /* of the input that was run last */
} Search;

static bool is_shared(const ThTm *m, const char *symbol)
{
    int s = th_symbols_find(m->symbol, m->n_symbols, symbol);
    return s >= 0 && s != m->blank;
}

/* Is it a machine as convert to=binary makes them? */
static bool is_binary(const ThTm *m)
{
    return m->n_tapes == 1 && m->n_symbols == 2 && strcmp(m->symbol[m->blank], "0") == 0 &&
           strcmp(m->symbol[!m->blank], "1") == 0;
}

static bool find_symbols(Search *x, ThError *err)
{
    const ThTm *m = x->reads, *other = x->call->operand[1].object->as.machine;
    x->codes = th_option_flag(&x->call->options, "codes");
    x->choices = m->branching || other->branching;
    if (x->codes && (m->n_tapes > 1 || !is_binary(other)))
        return sh_fail_operand(err, &x->call->operand[1], TH_EVALUE,
                               "codes= is for a machine of one tape and, behind it, one with the "
                               "symbols 0, the blank, and 1");
    x->symbol = th_alloc((size_t)m->n_symbols, sizeof *x->symbol, err);
    for (int i = 0; x->symbol && i < m->n_symbols; i++)
        if (i != m->blank && (x->codes || is_shared(other, m->symbol[i])))
            x->symbol[x->n_symbols++] = m->symbol[i];
    if (x->n_symbols > 0 || !x->symbol || th_option_range(&x->call->options, "length").hi == 0)
        return x->symbol != NULL;
    sh_fail_operand(err, &x->call->operand[1], TH_EVALUE,
                    "the machines share no symbol but the blank");
    return th_hint(err, "length=0 compares them on the blank tape");
}

static bool ends_itself(const ShMachineEnd *e)
{
    ThTmVerdict v = e->figures.verdict;
    return v != TH_TM_GOES_ON && v <= TH_TM_ENDLESS;
}

static const char *tape_of(const ShMachineEnd *e)
{
    return th_text_string(&e->tape);
}

/* Returns new: the word as an input of a machine, whose other symbols say whether blanks stand
 * between those of the word. */
static char *input_of(const Search *x, const ThTm *m, ThError *err)
{
    bool single = th_symbols_single(m->symbol, m->n_symbols);
    ThText t = {0};
    for (int i = 0; i < x->length; i++)
        th_text_printf(&t, i && !single ? " %s" : "%s", x->symbol[x->word[i]]);
    return th_text_take(&t, err);
}

/* Returns new: the same by the codes of the first machine. */
static char *code_of(const Search *x, ThError *err)
{
    const ThTm *m = x->call->operand[0].object->as.machine;
    int width = th_tm_binary_width(m);
    ThText t = {0};
    for (int i = 0; i < x->length; i++) {
        int symbol = th_symbols_find(m->symbol, m->n_symbols, x->symbol[x->word[i]]);
        for (int bit = width; bit-- > 0;)
            th_text_add(&t, th_tm_binary_code(m, symbol) >> bit & 1 ? "1" : "0");
    }
    return th_text_take(&t, err);
}

/* Runs both on the word; what differs is the verdict, or the tape at the end. */
static bool run_both(Search *x, ThError *err)
{
    bool ok = true;
    for (int k = 0; ok && k < 2; k++) {
        ShCall one = *x->call;
        one.operand += k;
        th_text_free(&x->end[k].tape);
        x->end[k] = (ShMachineEnd){.coded = x->codes};
        char *input TH_OWNED(free) = x->codes && k == 1
                                         ? code_of(x, err)
                                         : input_of(x, one.operand->object->as.machine, err);
        ok = input && (sh_machine_end(x->s, &one, input, &x->end[k], err) ||
                       sh_error_inside(err, one.operand));
    }
    ThTmVerdict one = x->end[0].figures.verdict, other = x->end[1].figures.verdict;
    bool decided = ok && ends_itself(&x->end[0]) && ends_itself(&x->end[1]);
    x->inputs++;
    x->open += !decided;
    x->differ = decided && (one != other || (!x->choices && x->end[0].digest != x->end[1].digest));
    return ok;
}

/* The next word of the same length, first in order first; false behind the last. */
static bool next_word(Search *x)
{
    int i = x->length;
    while (i > 0 && ++x->word[i - 1] == x->n_symbols)
        x->word[--i] = 0;
    return i > 0;
}

static bool search(Search *x, ThError *err)
{
    ThRange length = th_option_range(&x->call->options, "length");
    x->word = th_alloc((size_t)length.hi + 1, sizeof *x->word, err);
    bool ok = x->word != NULL;
    for (long long n = length.lo; ok && !x->differ && n <= length.hi; n += length.step) {
        x->length = (int)n;
        memset(x->word, 0, ((size_t)n + 1) * sizeof *x->word);
        do {
            ok = run_both(x, err) && !th_stopped(sh_stop(x->s), err);
        } while (ok && !x->differ && next_word(x));
    }
    return ok;
}

/* On which inputs, and in what. */
static void say_same(const Search *x)
{
    ThRange length = th_option_range(&x->call->options, "length");
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < x->n_symbols; i++)
        th_text_printf(&t, "%s%s", i ? " " : " over ", x->symbol[i]);
    sh_say(x->s, "the same%s on %lld of %lld input%s of %lld to %lld symbol%s%s\n",
           x->choices ? " verdict" : "", x->inputs - x->open, x->inputs, sh_plural(x->inputs),
           length.lo, length.hi, sh_plural(length.hi), th_text_string(&t));
}

static bool report(const Search *x, ThError *err)
{
    char *word TH_OWNED(free) =
        th_symbols_text(x->symbol, x->n_symbols, x->word, x->differ ? x->length : 0, err);
    if (!word)
        return false;
    bool agree = !x->differ && x->open == 0;
    sh_results(x->s, "agree:b word:s inputs:i open:i", agree, word, (long long)x->inputs,
               (long long)x->open);
    if (x->differ)
        sh_say(x->s, "they differ on %s\n", *word ? word : "the blank tape");
    for (int k = 0; x->differ && k < 2; k++) {
        sh_say(x->s, "  %s: %s", x->call->operand[k].text,
               th_tm_verdict_name(x->end[k].figures.verdict));
        if (!x->choices)
            sh_say(x->s, ", tape %s", *tape_of(&x->end[k]) ? tape_of(&x->end[k]) : "blank");
        sh_say(x->s, "\n");
    }
    if (!x->differ)
        say_same(x);
    if (x->open > 0)
        sh_say(
            x->s,
            "%lld input%s: a run came to a limit (steps=%lld or another), and nothing is known\n",
            x->open, sh_plural(x->open), th_option_int(&x->call->options, "steps"));
    return true;
}

SH_COMMAND(
    compare_machines, .group = "machines",
    .summary = "tell whether two Turing machines do the same on all short inputs",
    .detail =
        "Both are run on every word over the symbols that they share, blanks left out, the "
        "shortest first; one tape differs from another as far as it is not blank.  The first input "
        "is shown for which one halts, accepts or rejects otherwise than the other, or leaves "
        "another tape.  Where a run comes to a limit (see run), nothing is known of that input: "
        "$open counts these, and steps= gives them more.  $agree is yes where every input was "
        "decided, and the same; of other inputs it says nothing.  Machines with choices are "
        "followed as run does; their runs leave different tapes, so only verdicts count.\n\n"
        "With codes=yes N is what convert M as N to=binary has made, or another machine of the "
        "symbols 0, the blank, and 1: it gets the codes of M's inputs, all symbols of M but its "
        "blank, and its tape is compared with the codes of M's tape, cell by cell from where the "
        "head stood first.  In place of an M with edges the two-way one is run that to=binary is "
        "made of.\n\n"
        "compare M N is the same where M is the name of a machine.",
    .example = SH_EXAMPLE_MACHINE "machine same {\n"
                                  "  start r ; halt end\n"
                                  "  r 0,1 -> R r\n"
                                  "  r _   -> L c\n"
                                  "  c 1   -> 0 L c\n"
                                  "  c 0   -> 1 S end\n"
                                  "  c _   -> _ S end\n"
                                  "}\n"
                                  "compare increment same\n"
                                  "#> they differ on the blank tape\n"
                                  "#>   increment: halted, tape 1\n"
                                  "#>   same: halted, tape blank",
    .results = "agree word inputs open", .args = {{A_MACHINE, "M", 0}, {A_MACHINE, "N", 0}},
    .options = compare_machines_options, .flags = C_BY_KIND)
{
    enum { MOST_RULES = 4000000 };
    const ThTm *m = call->operand[0].object->as.machine;
    Search x = {.s = s, .call = call, .reads = m};
    bool edge = th_option_flag(&call->options, "codes") && m->edge != TH_TM_TWO_WAY;
    ThTm *wide TH_OWNED(th_tm_free) = edge ? th_tm_unbounded(m, MOST_RULES, err) : NULL;
    ShObject object = *call->operand[0].object;
    ShOperand operand[2] = {call->operand[0], call->operand[1]};
    ShCall own = *call;
    own.operand = operand;
    if (edge && !wide)
        return sh_error_inside(err, operand);
    if (edge) { /* what to=binary is made of */
        object.as.machine = wide;
        operand[0].object = &object;
        x.call = &own;
    }
    bool ok = find_symbols(&x, err) && search(&x, err) && report(&x, err);
    for (int k = 0; k < 2; k++)
        th_text_free(&x.end[k].tape);
    TH_FREE(x.symbol, x.word);
    return ok;
}
