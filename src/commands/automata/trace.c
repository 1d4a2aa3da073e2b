/* trace.c - constructions step by step, as on a board: determinize, minimize, learn. */
#include <math.h>

#include "learn.h"

/* Appends {q0, q1}. */
static void write_set(ThText *t, const ThAutomaton *a, const int *state, size_t n)
{
    th_text_add(t, "{");
    for (size_t i = 0; i < n; i++) {
        th_text_add(t, i ? ", " : "");
        th_text_add(t, a->state[state[i]]);
    }
    th_text_add(t, "}");
}

/* ---- determinize ----------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    const ThAutomaton *a;
    long long step, arcs, accepting;
} SubsetBoard;

/* One line of the board: where a set goes by a symbol. */
static bool subset_row(SubsetBoard *b, const ThAutomatonSubsetStep *x, ThError *err)
{
    ThText from = {0}, to = {0}, note = {0};
    write_set(&from, b->a, x->from, x->n_from);
    write_set(&to, b->a, x->to, x->n_to);
    if (x->fresh)
        th_text_printf(&note, "new: s%d%s", x->to_number, x->accepts ? ", accepts" : "");
    else
        th_text_printf(&note, "s%d", x->to_number);
    char *f = th_text_take(&from, err), *g = th_text_take(&to, err), *n = th_text_take(&note, err);
    char name[24];
    snprintf(name, sizeof name, "s%d", x->from_number);
    b->accepting += x->fresh && x->accepts;
    if (f && g && n)
        sh_row(b->s, ++b->step, name, f, x->symbol < 0 ? "" : b->a->symbol[x->symbol], g, n);
    TH_FREE(f, g, n);
    return f && g && n;
}

static bool subset_step(void *context, const ThAutomatonSubsetStep *x, ThError *err)
{
    SubsetBoard *b = context;
    if (x->symbol >= 0) {
        b->arcs++;
        return subset_row(b, x, err);
    }
    ThText set = {0};
    write_set(&set, b->a, x->to, x->n_to);
    char *text TH_OWNED(free) = th_text_take(&set, err);
    if (!text)
        return false;
    sh_say(b->s, "s0 is %s: the start states and what empty moves reach from there%s\n", text,
           x->accepts ? "; it accepts" : "");
    b->accepting += x->accepts;
    return true;
}

SH_COMMAND(
    trace_determinize, .group = "automata", .summary = "show the subset construction step by step",
    .detail = "Every line says where a set of states leads by a symbol.  A set that has not been "
              "seen before gets the next number, and its own lines later.  The set {} is the sink. "
              " The automaton itself stays as it is.",
    .example = "automaton ends = tomita(1)\n"
               "trace determinize ends\n"
               "#> s0 is {q0}: the start states and what empty moves reach from there; it accepts\n"
               "#> step  state  set   symbol  leads_to  which_is\n"
               "#>    1  s0     {q0}  0       {}        new: s1\n"
               "#>    2  s0     {q0}  1       {q0}      s0\n"
               "#>    3  s1     {}    0       {}        s1\n"
               "#>    4  s1     {}    1       {}        s1\n"
               "#> 2 sets, 1 of them accepts",
    .results = "states transitions accepting", .args = {{A_AUTOMATON, "A", 0}}, .flags = C_PAGED)
{
    SubsetBoard b = {.s = s, .a = call->operand[0].object->as.automaton};
    sh_table(s, "steps", "step:i state:s set:s symbol:s leads_to:s which_is:s");
    int states = 0;
    bool ok = th_automaton_subset_steps(b.a, (size_t)sh_setting_int(s, "limit-states"), subset_step,
                                        &b, &states, sh_stop(s), err);
    sh_table_end(s);
    if (!ok)
        return sh_error_inside(err, &call->operand[0]);
    sh_say(s, "%d set%s, %lld of them accept%s\n", states, sh_plural(states), b.accepting,
           b.accepting == 1 ? "s" : "");
    sh_results(s, "states:i transitions:i accepting:i", (long long)states, (long long)b.arcs,
               (long long)b.accepting);
    return true;
}

/* ---- minimize -------------------------------------------------------------------------------- */

/* Names of the states of the machine: of the automaton where it was deterministic, s0, s1, … where
 * it had to be made so; and one more for the sink. */
typedef struct {
    ShSession *s;
    const ThAutomaton *a;
    bool renamed;
    char buffer[2][24];
} PartitionBoard;

static const char *state_name(PartitionBoard *b, int q, int which)
{
    if (!b->renamed && q < b->a->n_states)
        return b->a->state[q];
    if (!b->renamed)
        return "(sink)";
    snprintf(b->buffer[which], sizeof b->buffer[which], "s%d", q);
    return b->buffer[which];
}

/* The states of every block, one block after the other: those of block b are member[first[b]] …
 * member[first[b + 1] - 1]. */
typedef struct {
    int *member, *first;
} Blocks;

static void blocks_free(Blocks *b)
{
    TH_FREE(b->member, b->first);
}

static bool sort_into_blocks(Blocks *b, const ThAutomatonPartitionStep *x, ThError *err)
{
    int n = x->d->n_states;
    b->member = th_alloc((size_t)n, sizeof *b->member, err);
    b->first = th_alloc((size_t)x->n_blocks + 2, sizeof *b->first, err);
    if (!b->member || !b->first)
        return false;
    for (int q = 0; q < n; q++)
        if (x->reachable[q])
            b->first[x->block[q] + 2]++;
    for (int i = 2; i < x->n_blocks + 2; i++)
        b->first[i] += b->first[i - 1];
    for (int q = 0; q < n; q++)
        if (x->reachable[q])
            b->member[b->first[x->block[q] + 1]++] = q;
    return true;
}

static void write_block(ThText *t, PartitionBoard *b, const int *member, int n)
{
    th_text_add(t, "{");
    for (int i = 0; i < n; i++) {
        th_text_add(t, i ? ", " : "");
        th_text_add(t, state_name(b, member[i], 0));
    }
    th_text_add(t, "}");
}

/* Why a block is not the one that it was part of: a symbol by which its first state and the first
 * state of what was split off part ways. */
static void write_reason(ThText *t, PartitionBoard *b, const ThAutomatonPartitionStep *x, int block)
{
    int q = x->first[block], p = x->split_from[block];
    if (p < 0)
        return;
    int symbol = x->by[block];
    size_t k = (size_t)x->d->n_symbols;
    int to_q = x->d->next[(size_t)q * k + (size_t)symbol],
        to_p = x->d->next[(size_t)p * k + (size_t)symbol];
    th_text_printf(t, "by %s ", b->a->symbol[symbol]);
    th_text_printf(t, "%s goes to B%d, ", state_name(b, p, 0), x->before[to_p]);
    th_text_printf(t, "%s to B%d", state_name(b, q, 0), x->before[to_q]);
}

static bool block_row(PartitionBoard *b, const ThAutomatonPartitionStep *x, const Blocks *all,
                      int block, ThError *err)
{
    ThText set = {0}, why = {0};
    char name[24];
    snprintf(name, sizeof name, "B%d", block);
    write_block(&set, b, all->member + all->first[block],
                all->first[block + 1] - all->first[block]);
    if (x->round > 0)
        write_reason(&why, b, x, block);
    else if (x->d->n_classes != 2)
        th_text_add(&why, "the same outputs");
    else
        th_text_add(&why, x->d->label[x->first[block]] ? "accept" : "reject");
    char *states = th_text_take(&set, err), *reason = th_text_take(&why, err);
    if (states && reason)
        sh_row(b->s, (long long)x->round, name, states, reason);
    TH_FREE(states, reason);
    return states && reason;
}

static bool partition_step(void *context, const ThAutomatonPartitionStep *x, ThError *err)
{
    PartitionBoard *b = context;
    Blocks all = {0};
    bool ok = sort_into_blocks(&all, x, err);
    for (int i = 0; ok && i < x->n_blocks; i++)
        ok = !th_stopped_at(sh_stop(b->s), (size_t)x->n_blocks, "blocks", err) &&
             block_row(b, x, &all, i, err);
    blocks_free(&all);
    return ok;
}

SH_COMMAND(
    trace_minimize, .group = "automata", .summary = "show the minimization round by round",
    .detail =
        "Moore's algorithm: in round 0 a block holds the states that accept, another those that do "
        "not (or one block for every output); in round n the states that no word of up to n "
        "symbols tells apart.  A block that is new says by which symbol its states part from those "
        "that they were with.  The last round changes nothing: its blocks are the states of the "
        "minimal automaton.  A nondeterministic automaton is made deterministic first (trace "
        "determinize shows how), and (sink) is where missing transitions lead.",
    .example = "automaton p = tomita(1)\n"
               "trace minimize p\n"
               "#> round  block  states    why\n"
               "#>     0  B0     {q0}      accept\n"
               "#>     0  B1     {(sink)}  reject\n"
               "#> round 1 changes nothing: 2 states",
    .results = "states rounds", .args = {{A_AUTOMATON, "A", 0}}, .flags = C_PAGED)
{
    const ThAutomaton *a = call->operand[0].object->as.automaton;
    PartitionBoard b = {.s = s, .a = a, .renamed = !th_automaton_deterministic(a)};
    size_t most = (size_t)sh_setting_int(s, "limit-states");
    ThAutomatonClasses classes TH_OWNED(th_automaton_classes_free) = {0};
    bool outputs = th_automaton_transducer(a);
    ThDfa *d TH_OWNED(th_dfa_free) = NULL;
    if (!outputs)
        d = th_automaton_acceptor(a, most, sh_stop(s), err);
    else if (th_automaton_classes_of(&classes, a, err))
        d = th_automaton_classes_dfa(a, classes.of_state, classes.n_classes, err);
    int rounds = 0, blocks = 0;
    sh_table(s, "blocks", "round:i block:s states:s why:s");
    bool ok =
        d && th_automaton_partition_steps(d, partition_step, &b, &rounds, &blocks, sh_stop(s), err);
    sh_table_end(s);
    if (!ok)
        return sh_error_inside(err, &call->operand[0]);
    sh_say(s, "round %d changes nothing: %d state%s\n", rounds, blocks, sh_plural(blocks));
    sh_results(s, "states:i rounds:i", (long long)blocks, (long long)rounds);
    return true;
}

/* ---- learn ----------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    long long guesses;
    char **step; /* (n): what was done, for the table of json and csv */
    size_t n, cap;
} LearnBoard;

/* Appends a word; the empty one as "". */
static void write_word(ThText *t, char *const *symbol, int n_symbols, const int *word, int length)
{
    if (length == 0)
        th_text_add(t, "\"\"");
    th_symbols_write(t, symbol, n_symbols, word, length);
}

static void write_class(ThText *t, const ThInspectTeacher *teacher, int label)
{
    const char *name = teacher->name[label];
    if (teacher->language)
        th_text_add(t, label ? "1" : "0");
    else if (name)
        th_text_add(t, name);
    else
        th_text_printf(t, "#%d", label);
}

/* The word of a row. */
static void write_row_word(ThText *t, const ThInspectTeacher *teacher, const ThLstarTable *x,
                           size_t r)
{
    size_t k = (size_t)x->n_symbols, i = r ? (r - 1) / k : 0;
    int symbol = r ? (int)((r - 1) % k) : 0, length = x->length[i];
    int *word TH_OWNED(free) = th_alloc((size_t)length + 1, sizeof *word, NULL);
    if (!word) {
        t->failed = true;
        return;
    }
    memcpy(word, x->word[i], (size_t)length * sizeof *word);
    word[length] = symbol;
    write_word(t, teacher->symbol, teacher->n_symbols, word, length + (r > 0));
}

static bool is_state(const ThLstarTable *x, size_t r)
{
    return x->row[x->state[r]] == r;
}

/* Prints one cell, padded to a width. */
static void say_cell(ShSession *s, ThText *t, int width)
{
    char *text TH_OWNED(free) = th_text_take(t, NULL);
    int used = text ? th_utf8_width(text) : 0;
    sh_say(s, "%s%*s", text ? text : "", width > used ? width - used : 0, "");
}

static int width_of(ThText *t, int least)
{
    char *text TH_OWNED(free) = th_text_take(t, NULL);
    int width = text ? th_utf8_width(text) : 0;
    return width > least ? width : least;
}

/* Widths of the columns: 0 the word, 1 the state, 2 … the suffixes. */
static int *measure(const ThInspectTeacher *teacher, const ThLstarTable *x)
{
    int *width = th_alloc((size_t)x->n_suffixes + 2, sizeof *width, NULL);
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t r = 0; width && r < x->n_rows; r++) {
        write_row_word(&t, teacher, x, r);
        width[0] = width_of(&t, width[0]);
        th_text_printf(&t, "q%d", x->state[r]);
        width[1] = width_of(&t, width[1]);
        for (int e = 0; e < x->n_suffixes; e++) {
            write_class(&t, teacher, x->cell[r][e]);
            width[e + 2] = width_of(&t, width[e + 2]);
        }
    }
    for (int e = 0; width && e < x->n_suffixes; e++) {
        write_word(&t, teacher->symbol, teacher->n_symbols, x->suffix[e], x->suffix_length[e]);
        width[e + 2] = width_of(&t, width[e + 2]);
    }
    return width;
}

static void say_table_row(ShSession *s, const ThInspectTeacher *teacher, const ThLstarTable *x,
                          size_t r, const int *width)
{
    ThText t = {0};
    sh_say(s, "  ");
    write_row_word(&t, teacher, x, r);
    say_cell(s, &t, width[0] + 2);
    th_text_printf(&t, "q%d", x->state[r]);
    say_cell(s, &t, width[1]);
    for (int e = 0; e < x->n_suffixes; e++) {
        sh_say(s, "  ");
        write_class(&t, teacher, x->cell[r][e]);
        say_cell(s, &t, e + 1 < x->n_suffixes ? width[e + 2] : 0);
    }
    sh_say(s, "\n");
}

/* The table as Angluin draws it: the words of the states above, those one symbol longer below. */
static void say_board(ShSession *s, const ThInspectTeacher *teacher, const ThLstarTable *x)
{
    int *width TH_OWNED(free) = measure(teacher, x);
    ThText t = {0};
    if (!width)
        return;
    int whole = width[0] + 2 + width[1];
    sh_say(s, "  %*s", whole, "");
    for (int e = 0; e < x->n_suffixes; e++) {
        sh_say(s, "  ");
        write_word(&t, teacher->symbol, teacher->n_symbols, x->suffix[e], x->suffix_length[e]);
        say_cell(s, &t, e + 1 < x->n_suffixes ? width[e + 2] : 0);
        whole += 2 + width[e + 2];
    }
    sh_say(s, "\n");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t r = 0; r < x->n_rows; r++)
            if (is_state(x, r) == (pass == 0))
                say_table_row(s, teacher, x, r, width);
        if (pass == 0) {
            sh_say(s, "  ");
            for (int i = 0; i < whole; i++)
                sh_say(s, "-");
            sh_say(s, "\n");
        }
    }
}

/* Says a line, and keeps it for the table. */
static void note(LearnBoard *b, ThText *t)
{
    char *text = th_text_take(t, NULL);
    if (!text)
        return;
    sh_say(b->s, "%s\n", text);
    if (sh_out(b->s) || !th_grow(&b->step, &b->cap, b->n + 1, sizeof *b->step, NULL))
        free(text);
    else
        b->step[b->n++] = text;
}

static void watch_query(void *context, const ThInspectTeacher *teacher, const ThLstarStep *x)
{
    LearnBoard *b = context;
    ThText t = {0};
    if (x->event == TH_LSTAR_STATE) {
        th_text_add(&t, "the row of ");
        write_row_word(&t, teacher, x->table, x->row);
        th_text_printf(&t, " is new: state q%d", x->table->n_states - 1);
        note(b, &t);
        return;
    }
    if (x->event == TH_LSTAR_GUESS) {
        th_text_printf(&t, "the table is closed: guess %lld, %d state%s", ++b->guesses,
                       x->guess->n_states, sh_plural(x->guess->n_states));
        note(b, &t);
        say_board(b->s, teacher, x->table);
        return;
    }
    bool suffix = x->event == TH_LSTAR_SUFFIX;
    th_text_add(&t, suffix ? "the guess and the oracle part before its tail " : "no: on ");
    write_word(&t, teacher->symbol, teacher->n_symbols, x->word, x->length);
    if (suffix) {
        th_text_add(&t, ", which becomes a column");
    } else {
        th_text_add(&t, " the guess says ");
        write_class(&t, teacher, th_dfa_class(x->guess, x->word, (size_t)x->length));
        th_text_add(&t, ", the oracle ");
        write_class(&t, teacher, x->label);
    }
    note(b, &t);
}

static void watch_merge(void *context, char *const *symbol, int n_symbols, const ThRpniStep *x)
{
    LearnBoard *b = context;
    ThText t = {0};
    write_word(&t, symbol, n_symbols, x->word, x->depth);
    if (x->into >= 0)
        th_text_printf(&t, " is merged into q%d (score %.4g)", x->into, x->score);
    else if (x->depth == 0)
        th_text_printf(&t, " is the start: q%d", x->state);
    else if (isinf(x->score))
        th_text_printf(&t, " contradicts every state: it becomes q%d", x->state);
    else
        th_text_printf(&t, " fits no state (best score %.4g): it becomes q%d", x->score, x->state);
    note(b, &t);
}

/* In json and csv the steps are a table. */
static void list_steps(LearnBoard *b)
{
    if (!sh_out(b->s)) {
        sh_table(b->s, "steps", "step:i what:s");
        for (size_t i = 0; i < b->n; i++)
            sh_row(b->s, (long long)i + 1, b->step[i]);
        sh_table_end(b->s);
    }
    TH_FREE_EACH(b->step, b->n);
}

SH_COMMAND(
    trace_learn, .group = "automata", .summary = "show how an automaton is learned, step by step",
    .detail =
        "As learn does, without defining anything.  From an oracle: the table of answers at every "
        "guess.  A row is a word, a column a suffix, a cell the class of the two together (1 and 0 "
        "for accept and reject); above the line are the words of the states, below those with one "
        "more symbol.  A counterexample is cut where the guess and the oracle part, and its tail "
        "becomes a column.  From a file: which state of the tree of words is merged into which, "
        "with the number of labels that agree, or becomes a state of the result.  A guess has a "
        "sink where it needs one; what is learned is counted without.",
    .example = "automaton p = parity\n"
               "trace learn p\n"
               "#> the row of \"\" is new: state q0\n"
               "#> the row of b is new: state q1\n"
               "#> the table is closed: guess 1, 2 states\n"
               "#>           \"\"\n"
               "#>   \"\"  q0  1\n"
               "#>   b   q1  0\n"
               "#>   ----------\n"
               "#>   a   q0  1\n"
               "#>   ba  q1  0\n"
               "#>   bb  q0  1\n"
               "#> learned: 2 states, 4 transitions\n"
               "#>   5 membership queries (0 more answered from memory), 1 guess\n"
               "#>   the oracle agrees on every word",
    .results =
        "states transitions symbols queries guesses counterexamples merges disagreement low high",
    .args = {{A_OBJECT, "ORACLE", 0}}, .args2 = {{A_FILE, "FILE", 0}}, .options = sh_learn_options,
    .flags = C_PAGED)
{
    LearnBoard b = {.s = s};
    ShLearnWatch watch = {&b, watch_query, watch_merge};
    ThInspectExtracted l;
    bool ok = sh_learn_call(s, call, &call->operand[0], &watch, &l, err);
    list_steps(&b);
    if (ok)
        sh_learned_report(s, call, &l, "learned");
    th_automaton_free(ok ? l.automaton : NULL);
    return ok;
}
