/* write_machine.c - runs of Turing machines, a configuration a line (Hou et al., Section 5.3,
 * Appendix F and Figure 1). */
#include <stdio.h>

#include "base/symbols.h"
#include "scratchpad/configuration_text.h"
#include "scratchpad/hints.h"
#include "scratchpad/writing.h"
#include "turing/engine.h"

static const ThOptionSpec options[] = {
    {"length", TH_RANGE, "2..50", 1, 100000, NULL, "cells of tapes that are drawn"},
    {"inputs", TH_STRING, NULL, 0, 0, NULL,
     "the symbols of inputs that are drawn: runs on them are written from the start state to the "
     "end.  Default: any configuration is drawn"},
    {"steps", TH_INT, NULL, 1, 1000000, NULL,
     "steps at most; default: 1 from a configuration that is drawn, 100 on an input that is drawn, "
     "1000 on one that is given"},
    {"single", TH_FLAG, "no", 0, 0, NULL, "each step of the run on an input by itself"},
    {"edge", TH_CHOICE, NULL, 0, 0, "stay|extend|avoid",
     "what a move beyond the cells shown does: the head stays; a blank cell is added; such tapes "
     "are drawn again.  Default: stay in configurations that are drawn, extend on an input"},
    {"names", TH_CHOICE, "auto", 0, 0, "auto|paper|own",
     "names: a1 for symbols, b1 under the head, s1 for states; or the machine's own, [ ] marking "
     "the head.  auto: the paper's where the machine has a1 and s1"},
    {"transitions", TH_FLAG, "yes", 0, 0, NULL, "write the transition between configurations"},
    {"state", TH_CHOICE, "front", 0, 0, "front|head",
     "where the state stands: in front of the tape and a bar, or right before the scanned cell"},
    {"comma", TH_FLAG, "yes", 0, 0, NULL, "write ~ between the parts of a transition"},
    {"style", TH_CHOICE, "compact", 0, 0, "compact|verbose",
     "one line, <|SEP|> separating configurations; or a line for each"},
    TH_PAD_HINTS_OPTIONS,
    {0}};
enum { EDGE_STAY, EDGE_EXTEND, EDGE_AVOID }; /* edge= */
enum { STATE_FRONT, STATE_HEAD };            /* state= */
enum { STYLE_COMPACT, STYLE_VERBOSE };       /* style= */
typedef enum { NAMES_AUTO, NAMES_PAPER, NAMES_OWN } Names;

static const ThOptionSpec check_options[] = {
    {"steps", TH_INT, "0", 0, 1e15, NULL,
     "steps that a run without an end must have; 0: any number"},
    {0}};

enum { LONG_RUN = 1000, DRAWN_RUN = 100, TRIES = 1000 };

/* ---- names ----------------------------------------------------------------------------------- */

/* A symbol, a symbol under the head, a state. */
typedef enum { NAMED_SYMBOL, NAMED_MARKED, NAMED_STATE } Named;

static bool numbered(char *const *name, int n, char letter)
{
    for (int i = 0; i < n; i++) {
        char wanted[24];
        snprintf(wanted, sizeof wanted, "%c%d", letter, i + 1);
        if (strcmp(name[i], wanted) != 0)
            return false;
    }
    return true;
}

/* Names that a scratchpad cannot show: they have blanks, or are marks of its own. */
static bool is_plain_name(const char *name)
{
    static const char *const marks[] = {"|", "(", ")", "~", TH_PAD_BOS, TH_PAD_EOS, TH_PAD_SEP};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(name, marks[i]) == 0)
            return false;
    return *name && !strpbrk(name, " \t\n") && *name != '[';
}

static bool names_plain(const ThTm *m, ThError *err)
{
    const char *bad = NULL;
    for (int i = 0; i < m->n_symbols && !bad; i++)
        bad = is_plain_name(m->symbol[i]) ? NULL : m->symbol[i];
    for (int i = 0; i < m->n_states && !bad; i++)
        bad = is_plain_name(m->state[i]) ? NULL : m->state[i];
    if (!bad)
        return true;
    return th_fail(err, TH_EVALUE, "the name '%.60s' cannot be told from the marks of a scratchpad",
                   bad) ||
           th_hint(err, "names=paper numbers symbols and states instead");
}

/* Does names= mean the paper's names?  auto does where the machine has them, or has names that a
 * scratchpad cannot show. */
static bool paper_names(const ThTm *m, Names names)
{
    if (names != NAMES_AUTO)
        return names == NAMES_PAPER;
    return (numbered(m->symbol, m->n_symbols, 'a') && numbered(m->state, m->n_states, 's')) ||
           !names_plain(m, NULL);
}

/* Sets *t to a name: a1, b1, s1; or the machine's own. */
static void write_name(const ThTm *m, bool paper, Named what, int i, ThText *t)
{
    static const char letter[] = {[NAMED_SYMBOL] = 'a', [NAMED_MARKED] = 'b', [NAMED_STATE] = 's'};
    t->size = 0;
    if (paper)
        th_text_printf(t, "%c%d", letter[what], i + 1);
    else if (what == NAMED_MARKED)
        th_text_printf(t, "[%s]", m->symbol[i]);
    else
        th_text_add(t, what == NAMED_SYMBOL ? m->symbol[i] : m->state[i]);
}

static bool add_names(ThPad *p, bool paper, ThError *err)
{
    const ThTm *m = p->machine;
    int n = m->n_symbols, count = 2 * n + m->n_states;
    ThText t TH_OWNED(th_text_free) = {0};
    bool ok = true;
    p->of_machine = th_alloc((size_t)count, sizeof *p->of_machine, err);
    for (int i = 0; ok && p->of_machine && i < count; i++) {
        Named what = i < n ? NAMED_SYMBOL : i < 2 * n ? NAMED_MARKED : NAMED_STATE;
        size_t index = 0;
        write_name(m, paper, what, i < n ? i : i < 2 * n ? i - n : i - 2 * n, &t);
        ok = (t.data && !t.failed) || th_fail(err, TH_ENOMEM, "out of memory");
        ok = ok && th_intern(&p->token, t.data, t.size, &index, err) &&
             th_pad_add_token(p, t.data, err);
        p->of_machine[i] = (int)index;
    }
    return ok && p->of_machine;
}

static bool stays(const ThTm *m)
{
    for (size_t i = 0; i < m->n_rules; i++)
        for (int k = 0; k < m->n_tapes; k++)
            if (m->rule[i].move[k] == 0)
                return true;
    return false;
}

/* Returns new: the symbols of inputs that are drawn, or NULL. */
static int *input_symbols(const ThPad *p, int *n, ThError *err)
{
    return th_symbols_read(p->machine->symbol, p->machine->n_symbols,
                           th_option_text(&p->options, "inputs"), n, err);
}

static bool draws_inputs(const ThPad *p)
{
    return th_option_given(&p->options, "inputs");
}

static bool inputs_known(const ThPad *p, ThError *err)
{
    int n = 0, *symbol TH_OWNED(free) = draws_inputs(p) ? input_symbols(p, &n, err) : NULL;
    if (!draws_inputs(p) || n > 0)
        return true;
    return symbol ? th_fail(err, TH_EUSAGE, "inputs= names no symbol") : false;
}

/* Places are cells, which keep theirs in all lines. */
static bool places_fit(const ThPad *p, ThError *err)
{
    const ThOptions *o = &p->options;
    bool step = !draws_inputs(p) && th_option_int_or(o, "steps", 1) == 1;
    bool fit = p->machine->n_tapes == 1 && step && th_option_choice(o, "state") == STATE_FRONT &&
               th_option_choice(o, "style") == STYLE_COMPACT &&
               (!th_option_given(o, "edge") || th_option_choice(o, "edge") != EDGE_EXTEND);
    return fit ||
           th_fail(err, TH_EUSAGE,
                   "hints= is of single steps of a machine with one tape whose cells stay") ||
           th_hint(err, "without inputs=, steps=, state=head, style=verbose and edge=extend");
}

static bool init(ThPad *p, ThError *err)
{
    bool paper = paper_names(p->machine, (Names)th_option_choice(&p->options, "names"));
    bool verbose = th_option_choice(&p->options, "style") == STYLE_VERBOSE;
    if ((!paper && !names_plain(p->machine, err)) || !inputs_known(p, err))
        return false;
    p->words = true;
    p->source = th_option_flag(&p->options, "transitions") ? 2 : 1;
    p->separator = verbose ? "\n" : " " TH_PAD_SEP " ";
    return add_names(p, paper, err) && th_pad_add_tokens(p, "L R", err) &&
           (!stays(p->machine) || th_pad_add_token(p, "S", err)) &&
           th_pad_add_tokens(p, "( ) | ~", err) &&
           th_pad_add_token(p, verbose ? "\n" : TH_PAD_SEP, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct {
    const ThPad *p;
    const ThTm *m;
    bool transitions, at_head, comma;
    ThPadCells cells;
    bool avoid;
    long long steps;
    ThPadConfiguration c;
    long long made;     /* steps so far */
    bool stopped, left; /* the machine has stopped; a head was held at the end of the cells */
} Writer;

static Writer writer_of(const ThPad *p, bool drawn)
{
    const ThOptions *o = &p->options;
    bool anywhere = drawn && !draws_inputs(p);
    Writer w = {.p = p, .m = p->machine, .steps = anywhere ? 1 : drawn ? DRAWN_RUN : LONG_RUN};
    int edge = th_option_given(o, "edge") ? th_option_choice(o, "edge")
               : anywhere                 ? EDGE_STAY
                                          : EDGE_EXTEND;
    w.transitions = th_option_flag(o, "transitions");
    w.at_head = th_option_choice(o, "state") == STATE_HEAD;
    w.comma = th_option_flag(o, "comma");
    w.cells = edge == EDGE_EXTEND ? TH_PAD_CELLS_EXTEND : TH_PAD_CELLS_STAY;
    w.avoid = edge == EDGE_AVOID;
    if (th_option_given(o, "steps"))
        w.steps = th_option_int(o, "steps");
    return w;
}

static void put_id(ThText *t, const ThPad *p, int id)
{
    size_t size;
    const char *name = th_pad_token(p, id, &size);
    th_text_add_bytes(t, name, size);
    th_text_add_bytes(t, " ", 1);
}

static void put_state(ThText *t, const Writer *w, int state)
{
    put_id(t, w->p, w->p->of_machine[2 * w->m->n_symbols + state]);
}

/* The blank behind the last token goes away with the separator that follows. */
static void end_line(ThText *t)
{
    if (t->size > 0 && t->data[t->size - 1] == ' ')
        t->data[--t->size] = '\0';
}

static void put_configuration(ThText *t, const Writer *w)
{
    const int *symbol = w->p->of_machine, *marked = symbol + w->m->n_symbols;
    if (!w->at_head) {
        put_state(t, w, w->c.state);
        th_text_add_bytes(t, "| ", 2);
    }
    for (int k = 0; k < w->m->n_tapes; k++) {
        const ThPadCellRow *row = &w->c.tape[k];
        if (k > 0)
            th_text_add_bytes(t, "| ", 2);
        for (size_t i = 0; i < row->n; i++) {
            if (i == row->head && k == 0 && w->at_head)
                put_state(t, w, w->c.state);
            put_id(t, w->p, (i == row->head ? marked : symbol)[row->cell[i]]);
        }
    }
    end_line(t);
}

static void put_transition(ThText *t, const Writer *w, const ThPadTransition *x)
{
    static const char *const moves[] = {"L ", "S ", "R "};
    const char *comma = w->comma ? "~ " : "";
    th_text_add(t, "( ");
    put_state(t, w, x->state);
    for (int k = 0; k < w->m->n_tapes; k++) {
        th_text_add(t, comma);
        put_id(t, w->p, w->p->of_machine[x->write[k]]);
        th_text_add(t, comma);
        th_text_add(t, moves[x->move[k] + 1]);
    }
    th_text_add(t, ")");
}

/* The tapes without the blanks around them. */
static void put_answer(ThText *t, const Writer *w)
{
    for (int k = 0; k < w->m->n_tapes; k++) {
        size_t first, end;
        const ThPadCellRow *row = &w->c.tape[k];
        th_pad_configuration_extent(row, w->m->blank, &first, &end);
        th_text_add(t, k > 0 ? "| " : "");
        for (size_t i = first; i < end; i++)
            put_id(t, w->p, w->p->of_machine[row->cell[i]]);
    }
    end_line(t);
}

/* The next transition by the rules, one of several being drawn.  False where there is none. */
static bool next_transition(const Writer *w, ThRng *r, ThPadTransition *x)
{
    size_t n;
    const size_t *choice = th_pad_configuration_choices(w->m, &w->c, &n);
    if (n == 0)
        return false;
    size_t i = n > 1 ? th_rng_below(r, n) : 0;
    *x = th_pad_transition_of(w->m, &w->m->rule[choice[i]], &w->c);
    return true;
}

static bool too_long(const ThPadExample *e)
{
    return e->text.failed || e->text.size >= (size_t)1 << 30;
}

/* One step, the lines of which are appended. */
static bool put_step(Writer *w, ThRng *r, ThPadExample *e, ThError *err)
{
    ThPadTransition x;
    ThPadStepEnd end;
    w->stopped = !next_transition(w, r, &x);
    if (w->stopped)
        return true;
    if (w->transitions) {
        th_text_add(&e->text, w->p->separator);
        put_transition(&e->text, w, &x);
    }
    ThPadTapes on = {w->m->n_tapes, w->cells, w->m->edge, w->m->blank};
    if (!th_pad_configuration_step(&w->c, &x, &on, &end, err))
        return false;
    w->stopped = end == TH_PAD_STEP_STOPPED;
    w->left = w->left || end == TH_PAD_STEP_HELD;
    w->made++;
    th_text_add(&e->text, w->p->separator);
    e->answer = e->text.size;
    put_configuration(&e->text, w);
    return true;
}

/* The run from w->c on. */
static bool put_run(Writer *w, ThRng *r, ThPadExample *e, ThError *err)
{
    size_t n;
    w->made = 0;
    w->left = false;
    if (!th_pad_example_begin(e, 0, err))
        return false;
    put_configuration(&e->text, w);
    e->question = e->answer = e->text.size;
    while (!w->stopped && w->made < w->steps && !too_long(e))
        if (!put_step(w, r, e, err))
            return false;
    th_pad_configuration_choices(w->m, &w->c, &n);
    w->stopped = w->stopped || n == 0;
    if (w->stopped && w->steps > 1) {
        th_text_add(&e->text, w->p->separator);
        e->answer = e->text.size;
        put_answer(&e->text, w);
    }
    if (e->text.size > e->question)
        e->question += strlen(w->p->separator);
    return th_pad_example_good(e, err);
}

/* Each step of the run by itself, a line each. */
static bool put_singles(Writer *w, ThRng *r, ThPadExample *e, ThError *err)
{
    ThPadExample one TH_OWNED(th_pad_example_free) = {0};
    ThText all TH_OWNED(th_text_free) = {0};
    long long most = w->steps;
    bool ok = true;
    w->steps = 1;
    for (long long i = 0; ok && !w->stopped && i < most && !too_long(&one); i++) {
        ok = put_run(w, r, &one, err);
        if (ok && w->made > 0) {
            th_text_add(&all, i > 0 ? "\n" : "");
            th_text_add_bytes(&all, one.text.data, one.text.size);
        }
    }
    if (ok && (ok = th_pad_example_begin(e, all.size, err) != NULL)) {
        char *end = th_pad_put(e->text.data, th_text_string(&all), all.size);
        th_pad_example_end(e, end, 0, all.size);
    }
    return ok;
}

static bool start_on(Writer *w, const char *input, ThError *err)
{
    ThTmTapeWords words;
    const ThTm *m = w->m;
    bool ok = th_tm_tape_words_read(&words, m, input, err);
    if (!ok)
        return false;
    ok = th_tm_tape_words_at_start(&words, err);
    w->c.state = m->start;
    for (int k = 0; ok && k < m->n_tapes; k++) {
        ThPadCellRow *row = &w->c.tape[k];
        for (int i = 0; ok && i < words.length[k]; i++)
            ok = th_pad_configuration_add(row, words.word[k][i], err);
        ok = ok && (row->n > 0 || th_pad_configuration_add(row, m->blank, err));
    }
    th_tm_tape_words_free(&words);
    return ok;
}

static bool write(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err)
{
    bool single = th_option_flag(&p->options, "single");
    Writer w = writer_of(p, false);
    bool ok = start_on(&w, o->n > 0 ? o->text[0] : "", err);
    if (ok && single && th_option_choice(&p->options, "style") == STYLE_VERBOSE)
        ok = th_fail(err, TH_EUSAGE, "single=yes writes a step a line: style=compact");
    ok = ok && (single ? put_singles(&w, r, e, err) : put_run(&w, r, e, err));
    if (ok && w.left && w.avoid)
        ok = th_fail(err, TH_EVALUE, "the head leaves the cells of the input, and edge=avoid");
    th_pad_configuration_free(&w.c);
    return ok;
}

/* A configuration drawn uniformly, of the states that run. */
static bool draw_start(Writer *w, size_t cells, ThRng *r, ThError *err)
{
    const ThTm *m = w->m;
    do
        w->c.state = (int)th_rng_below(r, (uint64_t)m->n_states);
    while (m->role[w->c.state] != TH_TM_RUNS && !th_rng_rejects(r));
    for (int k = 0; k < m->n_tapes; k++) {
        ThPadCellRow *row = &w->c.tape[k];
        row->n = 0;
        for (size_t i = 0; i < cells; i++)
            if (!th_pad_configuration_add(row, (int)th_rng_below(r, (uint64_t)m->n_symbols), err))
                return false;
        row->head = th_rng_below(r, cells);
    }
    return true;
}

/* The start of a run on a drawn input; the other tapes are blank. */
static bool draw_input(Writer *w, size_t cells, ThRng *r, ThError *err)
{
    int n = 0, *symbol TH_OWNED(free) = input_symbols(w->p, &n, err);
    bool ok = symbol != NULL;
    w->c.state = w->m->start;
    for (int k = 0; ok && k < w->m->n_tapes; k++) {
        ThPadCellRow *row = &w->c.tape[k];
        row->n = row->head = 0;
        for (size_t i = 0; ok && i < (k == 0 ? cells : 1); i++)
            ok = th_pad_configuration_add(
                row, k == 0 ? symbol[th_rng_below(r, (uint64_t)n)] : w->m->blank, err);
    }
    return ok;
}

static bool can_start(const ThTm *m)
{
    for (int q = 0; q < m->n_states; q++)
        if (m->role[q] == TH_TM_RUNS)
            return m->n_rules > 0;
    return false;
}

static bool draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err)
{
    Writer w = writer_of(p, true);
    bool ok = can_start(w.m), good = false, inputs = draws_inputs(p);
    for (int i = 0; ok && !good && i < TRIES; i++) {
        size_t cells = (size_t)th_pad_draw_from(*sizes, r);
        w.stopped = false;
        ok = (inputs ? draw_input : draw_start)(&w, cells, r, err) && put_run(&w, r, e, err);
        good = w.made > 0 && !(w.left && w.avoid) && (!inputs || w.stopped);
        if (ok && !good && th_rng_rejects(r))
            break;
    }
    th_pad_configuration_free(&w.c);
    if (ok && !good && inputs)
        return th_fail(err, TH_EVALUE,
                       "no input was found on which the machine stops within %lld steps%s", w.steps,
                       w.avoid ? " without leaving it" : "") ||
               th_hint(err, "steps= allows more");
    if (!good)
        return th_fail(err, TH_EVALUE, "no tape was found on which the machine makes a step%s",
                       w.avoid ? " without leaving it" : "");
    return ok;
}

/* With extend a tape grows by a cell a step at most, and the answer has none more. */
static size_t most(const ThPad *p, size_t cells)
{
    Writer w = writer_of(p, true);
    size_t tapes = (size_t)w.m->n_tapes, steps = (size_t)w.steps, tokens = 0;
    for (size_t i = 0; i <= steps; i++)
        tokens += 2 + tapes * (cells + (w.cells == TH_PAD_CELLS_EXTEND ? i : 0) + 1);
    tokens += w.transitions ? steps * (4 + tapes * (w.comma ? 4 : 2)) : 0;
    return tokens - 1 + (steps > 1 ? tapes * (cells + steps + 1) : 0);
}

static bool is(const ThPadPiece *token, const char *text)
{
    return token->n == strlen(text) && memcmp(token->s, text, token->n) == 0;
}

/* The cells of configurations, which stand behind a state and a bar. */
static void places(int layout TH_UNUSED, const ThPadPiece *token, size_t n, int *place)
{
    int next = 0;
    for (size_t i = 0; i < n; i++) {
        bool bar = is(&token[i], "|"), end = is(&token[i], TH_PAD_SEP);
        place[i] = bar || end ? 0 : next;
        next = bar ? 1 : end ? 0 : next + (next > 0);
    }
}

/* ---- reading back ---------------------------------------------------------------------------- */

/* Marks of configurations and transitions, in what no other kind claims. */
static bool recognise(const ThPadChecking *k)
{
    if ((k->end - k->begin > 1 && k->text[k->begin] == '$') || th_pad_check_is_sum(k, '+') ||
        th_pad_check_is_sum(k, '*'))
        return false;
    return th_pad_check_is_run(k) || th_pad_check_has(k, k->end, "| ") ||
           th_pad_check_has(k, k->end, "[") || th_pad_check_has(k, k->end, "( ");
}

const ThPadKind th_pad_machine = {
    .name = "machine",
    .summary = "write out a run of a Turing machine, or a step of one",
    .source = "Hou et al. 2024, Section 5.3 and Appendix F",
    .detail = "With INPUT, the run on it: configurations, each of which is the state, a bar, and "
              "the cells with a mark on the one under the head, and between them the transitions: "
              "the next state, the symbol written, the move.  Once the machine has stopped, the "
              "tape without the blanks around it is the answer.  Without INPUT, one step on random "
              "cells, with the head and the state anywhere, as the paper trains on; with "
              "inputs=SYMBOLS, a run on a drawn input of these symbols, from the start state to "
              "its end.  Several tapes are separated by bars.\n\n"
              "The cells shown are those of the input, and where the head leaves them a blank is "
              "added (edge=extend).  Tapes that are drawn keep their length (edge=stay).  Where a "
              "nondeterministic machine has a choice, one is drawn.",
    .example = "machine flip { blank _; start s; halt z; s 0 -> 1 R s; s 1 -> 0 R s; s _ -> L z }\n"
               "scratchpad machine flip 01 style=verbose\n"
               "#> s | [0] 1\n"
               "#> ( s ~ 1 ~ R )\n"
               "#> s | 1 [1]\n"
               "#> ( s ~ 0 ~ R )\n"
               "#> s | 1 0 [_]\n"
               "#> ( z ~ _ ~ L )\n"
               "#> z | 1 [0] _\n"
               "#> 1 0\n"
               "scratchpad machine flip 01 names=paper transitions=no steps=1\n"
               "#> s1 | b2 a3 <|SEP|> s1 | a3 b3",
    .operand = {"INPUT", NULL},
    .options = options,
    .layout = "style",
    .check_options = check_options,
    .takes_machine = true,
    .context = 500,
    .init = init,
    .write = write,
    .draw = draw,
    .most = most,
    .size = "length",
    .recognise = recognise,
    .check = th_pad_check_machine,
    .places = places,
    .places_fit = places_fit,
};
