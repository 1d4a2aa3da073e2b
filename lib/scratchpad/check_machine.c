/* check_machine.c - runs of Turing machines, against a machine's rules or against those that the
 * run itself shows. */

#include "scratchpad/machine_text.h"

typedef struct {
    ThPadMachineText t;
    const ThTm *m;
    ThPadConfiguration now;
    size_t old_head[TH_TM_MOST_TAPES]; /* where the cells that were written last stand now */
    ThIntern cases;         /* states with what was read, of which the transition is known */
    ThPadTransition *known; /* (cases.n) */
    size_t known_cap;
    long long made;
    bool stopped;  /* the machine has */
    bool may_stop; /* it may have: a head was held at an edge */
    int lines;     /* 1: transitions are written; 0: they are not; -1: not known yet */
} Checker;

/* ---- which transition ------------------------------------------------------------------------ */

/* The number of the case that the machine is in.  `add`: a new one gets a number, too; else
 * SIZE_MAX. */
static size_t case_of(Checker *x, bool add)
{
    int key[TH_TM_MOST_TAPES + 1] = {x->now.state};
    size_t size = sizeof *key * (size_t)(x->t.n_tapes + 1), i = SIZE_MAX;
    for (int k = 0; k < x->t.n_tapes; k++)
        key[k + 1] = x->now.tape[k].cell[x->now.tape[k].head];
    if (!add)
        return th_intern_find(&x->cases, key, size);
    if (!th_intern(&x->cases, key, size, &i, x->t.err) ||
        !th_grow(&x->known, &x->known_cap, i + 1, sizeof *x->known, x->t.err)) {
        x->t.failed = true;
        return SIZE_MAX;
    }
    return i;
}

static bool same(const ThPadTransition *a, const ThPadTransition *b, int n_tapes)
{
    size_t n = sizeof *a->write * (size_t)n_tapes;
    return a->state == b->state && memcmp(a->write, b->write, n) == 0 &&
           memcmp(a->move, b->move, n) == 0;
}

/* What the machine must do, if that is known; of several choices the one that was made. */
static bool wanted_transition(Checker *x, const ThPadTransition *made, ThPadTransition *to)
{
    if (!x->m) {
        size_t i = case_of(x, false);
        if (i != SIZE_MAX)
            *to = x->known[i];
        return i != SIZE_MAX;
    }
    size_t n;
    const size_t *choice = th_pad_configuration_choices(x->m, &x->now, &n);
    for (size_t i = n; i-- > 0;) {
        *to = th_pad_transition_of(x->m, &x->m->rule[choice[i]], &x->now);
        if (made && same(to, made, x->t.n_tapes))
            return true;
    }
    return n > 0;
}

static void remember(Checker *x, const ThPadTransition *made)
{
    size_t before = x->cases.n, i = x->m ? SIZE_MAX : case_of(x, true);
    if (i != SIZE_MAX && i == before)
        x->known[i] = *made;
}

/* ---- comparing configurations ---------------------------------------------------------------- */

static bool wants(Checker *x, size_t at, ThPadSlip slip, bool is_state, int i, bool marked)
{
    ThText name TH_OWNED(th_text_free) = {0};
    th_pad_machine_text_name(&x->t, is_state, i, marked, &name);
    th_pad_machine_text_slip(&x->t, at, slip, th_text_string(&name));
    return false;
}

static bool compare_state(Checker *x, const ThPadLine *line, size_t *at)
{
    if (*at >= line->to)
        return wants(x, *at, TH_PAD_SLIP_COPY, true, x->now.state, false);
    int state = th_pad_machine_text_state(&x->t, *at);
    bool marked;
    if (x->t.failed)
        return false;
    if (state == x->now.state) {
        ++*at;
        return true;
    }
    bool cell = x->t.at_head && th_pad_machine_text_symbol(&x->t, *at, &marked) >= 0;
    ThPadSlip slip = cell ? TH_PAD_SLIP_MOVE : state < 0 ? TH_PAD_SLIP_FORMAT : TH_PAD_SLIP_STATE;
    return wants(x, *at, slip, true, x->now.state, false);
}

static bool compare_cell(Checker *x, const ThPadLine *line, size_t at, int k, size_t i)
{
    const ThPadCellRow *row = &x->now.tape[k];
    bool marked = false, head = i == row->head;
    if (at >= line->to)
        return wants(x, at, TH_PAD_SLIP_COPY, false, row->cell[i], head);
    int symbol = th_pad_machine_text_symbol(&x->t, at, &marked);
    if (x->t.failed)
        return false;
    if (symbol == row->cell[i] && marked == head)
        return true;
    ThPadSlip slip = TH_PAD_SLIP_MOVE;
    if (symbol < 0) {
        bool state = x->t.at_head && th_pad_machine_text_state(&x->t, at) >= 0;
        slip = th_pad_machine_text_is(&x->t, at, "|") ? TH_PAD_SLIP_COPY
               : state                                ? TH_PAD_SLIP_MOVE
                                                      : TH_PAD_SLIP_FORMAT;
    } else if (symbol != row->cell[i]) {
        slip = i == x->old_head[k] ? TH_PAD_SLIP_WRITE : TH_PAD_SLIP_COPY;
    }
    return wants(x, at, slip, false, row->cell[i], head);
}

static bool compare_bar(Checker *x, const ThPadLine *line, size_t *at)
{
    if (*at < line->to && th_pad_machine_text_is(&x->t, *at, "|")) {
        ++*at;
        return true;
    }
    bool marked, cell = *at < line->to && th_pad_machine_text_symbol(&x->t, *at, &marked) >= 0;
    return th_pad_machine_text_slip(&x->t, *at, cell ? TH_PAD_SLIP_COPY : TH_PAD_SLIP_FORMAT, "|");
}

static bool compare_end(Checker *x, const ThPadLine *line, size_t at)
{
    bool marked;
    if (at >= line->to)
        return true;
    bool cell = th_pad_machine_text_symbol(&x->t, at, &marked) >= 0;
    return th_pad_machine_text_slip(&x->t, at, cell ? TH_PAD_SLIP_COPY : TH_PAD_SLIP_FORMAT, "");
}

/* Compares a line with the configuration that must stand there. */
static bool compare(Checker *x, const ThPadLine *line)
{
    size_t at = line->from;
    if (!x->t.at_head && (!compare_state(x, line, &at) || !compare_bar(x, line, &at)))
        return false;
    for (int k = 0; k < x->t.n_tapes; k++) {
        const ThPadCellRow *row = &x->now.tape[k];
        if (k > 0 && !compare_bar(x, line, &at))
            return false;
        for (size_t i = 0; i < row->n; i++, at++) {
            bool state = x->t.at_head && k == 0 && i == row->head;
            if (state && !compare_state(x, line, &at))
                return false;
            if (!compare_cell(x, line, at, k, i))
                return false;
        }
    }
    return compare_end(x, line, at);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* What fills a new cell: the machine's blank; a1; or what stands there. */
static int blank_of(Checker *x, const ThPadLine *line, bool left)
{
    size_t one;
    bool marked;
    if (x->m)
        return x->m->blank;
    if (x->t.paper) {
        if (!th_intern(&x->t.symbol, "1", 1, &one, x->t.err))
            x->t.failed = true;
        return x->t.failed ? 0 : (int)one;
    }
    size_t at = left ? line->from + (x->t.at_head ? 1 : 2) : line->to - 1;
    int symbol = at < line->to ? th_pad_machine_text_symbol(&x->t, at, &marked) : -1;
    return symbol < 0 ? x->now.tape[0].cell[0] : symbol;
}

/* Applies a transition; the line that follows tells whether a cell is added where a head leaves. */
static bool apply(Checker *x, const ThPadTransition *made, const ThPadLine *line)
{
    ThPadCells cells = TH_PAD_CELLS_STAY;
    ThTmEdge edge = x->m ? x->m->edge : TH_TM_TWO_WAY;
    ThPadStepEnd end;
    bool left = false;
    for (int k = 0; k < x->t.n_tapes; k++) {
        const ThPadCellRow *row = &x->now.tape[k];
        x->old_head[k] = row->head;
        if (th_pad_machine_text_cells(&x->t, line, k) <= row->n)
            continue;
        cells = TH_PAD_CELLS_EXTEND;
        left = made->move[k] < 0 && row->head == 0 && edge == TH_TM_TWO_WAY;
        x->old_head[k] += left;
    }
    int blank = cells == TH_PAD_CELLS_EXTEND ? blank_of(x, line, left) : 0;
    ThPadTapes on = {x->t.n_tapes, cells, edge, blank};
    if (x->t.failed || !th_pad_configuration_step(&x->now, made, &on, &end, x->t.err)) {
        x->t.failed = true;
        return false;
    }
    x->made++;
    x->may_stop =
        end != TH_PAD_STEP_DONE && (edge == TH_TM_EDGE_REJECT || edge == TH_TM_EDGE_ERROR);
    x->stopped = end == TH_PAD_STEP_STOPPED;
    return true;
}

/* A transition's line and the configuration behind it. */
static bool check_written(Checker *x, const ThPadLine *line)
{
    ThPadTransition made = {0}, wanted = {0};
    ThPadLine next;
    if (!th_pad_machine_text_transition(&x->t, line, NULL, &made)) {
        /* What is wrong before it stops being a transition comes first. */
        ThPadChecked first = *x->t.c;
        if (x->t.failed || !wanted_transition(x, NULL, &wanted))
            return false;
        th_pad_machine_text_transition(&x->t, line, &wanted, &made);
        if (x->t.c->offset > first.offset)
            *x->t.c = first;
        return false;
    }
    if (wanted_transition(x, &made, &wanted) &&
        !th_pad_machine_text_transition(&x->t, line, &wanted, &made))
        return false;
    remember(x, &made);
    if (!th_pad_machine_text_line(&x->t, &next))
        return th_pad_machine_text_slip(&x->t, x->t.w.n, TH_PAD_SLIP_EARLY_END, "a configuration");
    return !x->t.failed && apply(x, &made, &next) && compare(x, &next);
}

/* What a step must have been that leads to the configuration of a line.  *sure: no edge is in the
 * way of knowing its move. */
static bool infer(Checker *x, const ThPadLine *line, ThPadTransition *made, bool *sure)
{
    ThPadConfiguration then TH_OWNED(th_pad_configuration_free) = {0};
    ThPadChecked before = *x->t.c;
    bool ok = th_pad_machine_text_configuration(&x->t, line, &then);
    *x->t.c = before; /* what is wrong is said by comparing */
    made->state = ok ? then.state : x->now.state;
    *sure = ok;
    for (int k = 0; k < x->t.n_tapes; k++) {
        const ThPadCellRow *row = &x->now.tape[k], *new = &then.tape[k];
        bool left = ok && new->n == row->n + 1 && row->head == 0 && new->head == 0;
        size_t at = row->head + left;
        made->write[k] = ok && at < new->n ? new->cell[at] : row->cell[row->head];
        made->move[k] = !ok || new->head == at ? 0 : new->head < at ? -1 : 1;
        *sure = *sure && (made->move[k] != 0 || (row->head > 0 && row->head + 1 < row->n));
    }
    return !x->t.failed;
}

static bool check_unwritten(Checker *x, const ThPadLine *line)
{
    ThPadTransition made = {0}, wanted = {0};
    bool sure;
    if (!infer(x, line, &made, &sure))
        return false;
    if (wanted_transition(x, &made, &wanted))
        made = wanted;
    else if (sure)
        remember(x, &made);
    return !x->t.failed && apply(x, &made, line) && compare(x, line);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The symbol that is left out around an answer of n cells: the machine's blank, or one that could
 * be. */
static int answer_blank(const Checker *x, const ThPadCellRow *row, size_t n)
{
    size_t first, end;
    if (x->m)
        return x->m->blank;
    th_pad_configuration_extent(row, row->cell[0], &first, &end);
    if (end - first == n)
        return row->cell[0];
    th_pad_configuration_extent(row, row->cell[row->n - 1], &first, &end);
    return end - first == n ? row->cell[row->n - 1] : -1;
}

static bool compare_answer(Checker *x, const ThPadLine *line)
{
    size_t at = line->from;
    for (int k = 0; k < x->t.n_tapes; k++) {
        const ThPadCellRow *row = &x->now.tape[k];
        size_t first, end, n = 0;
        if (k > 0 && !compare_bar(x, line, &at))
            return false;
        while (at + n < line->to && !th_pad_machine_text_is(&x->t, at + n, "|"))
            n++;
        th_pad_configuration_extent(row, answer_blank(x, row, n), &first, &end);
        for (size_t i = first; i < end; i++, at++) {
            bool marked = false;
            int symbol = at < line->to ? th_pad_machine_text_symbol(&x->t, at, &marked) : -2;
            if (symbol == row->cell[i] && !marked)
                continue;
            ThPadSlip slip = symbol == -1 ? TH_PAD_SLIP_FORMAT : TH_PAD_SLIP_COPY;
            return !x->t.failed && wants(x, at, slip, false, row->cell[i], false);
        }
    }
    return compare_end(x, line, at);
}

/* True if the rules say that the run goes on. */
static bool goes_on(Checker *x)
{
    ThPadTransition next = {0};
    return !x->stopped && wanted_transition(x, NULL, &next);
}

static bool answer_is_blank(const Checker *x)
{
    for (int k = 0; k < x->t.n_tapes; k++) {
        size_t first, end;
        th_pad_configuration_extent(&x->now.tape[k], x->m->blank, &first, &end);
        if (first < end)
            return false;
    }
    return x->t.n_tapes == 1;
}

static bool can_stop(const ThTm *m)
{
    size_t rules = 0;
    for (int q = 0; q < m->n_states; q++)
        if (m->role[q] != TH_TM_RUNS)
            return true;
    for (size_t i = 0; m->table && i < (size_t)m->n_states * (size_t)m->n_symbols; i++)
        rules += m->table[i] >= 0;
    return !m->table || rules < (size_t)m->n_states * (size_t)m->n_symbols;
}

/* The text ends behind a configuration. */
static bool check_end(Checker *x)
{
    long long asked = th_option_int(x->t.k->options, "steps");
    const char *what = "a step";
    bool early = x->made == 0 || (asked > 0 && x->made < asked);
    if (x->m && !goes_on(x)) {
        what = "the tape as the answer";
        bool answered = x->t.k->rules->answered || (x->made > 1 && x->made != asked);
        early = answered && !answer_is_blank(x);
    } else if (x->m && x->made > 1 && asked == 0) {
        early = can_stop(x->m) && !x->may_stop;
    }
    return !early || th_pad_machine_text_slip(&x->t, x->t.w.n, TH_PAD_SLIP_EARLY_END, what);
}

static bool is_configuration(Checker *x, const ThPadLine *line)
{
    bool front = line->to - line->from > 1 && th_pad_machine_text_is(&x->t, line->from + 1, "|");
    if (!x->t.at_head)
        return front && th_pad_machine_text_bars(&x->t, line) + 1 == x->t.n_tapes;
    for (size_t i = line->from; i < line->to; i++) {
        bool marked;
        if (th_pad_machine_text_symbol(&x->t, i, &marked) >= 0 && marked)
            return true;
    }
    return false;
}

static bool check_answer(Checker *x, const ThPadLine *line)
{
    ThPadLine extra;
    if (goes_on(x) && !x->may_stop) {
        size_t at = line->from;
        th_pad_machine_text_slip(&x->t, at, TH_PAD_SLIP_EARLY_END, "a step");
        return false;
    }
    if (!compare_answer(x, line))
        return false;
    if (!th_pad_machine_text_line(&x->t, &extra))
        return true;
    return th_pad_machine_text_slip(&x->t, line->to, TH_PAD_SLIP_FORMAT, "");
}

static bool check_lines(Checker *x)
{
    ThPadLine line;
    if (!th_pad_machine_text_begin(&x->t, &line) ||
        !th_pad_machine_text_configuration(&x->t, &line, &x->now))
        return false;
    while (th_pad_machine_text_line(&x->t, &line)) {
        bool written = line.from < line.to && th_pad_machine_text_is(&x->t, line.from, "(");
        bool step = written || is_configuration(x, &line);
        if (x->t.failed)
            return false;
        if (!step)
            return check_answer(x, &line);
        if ((x->m && !goes_on(x)) || (x->lines >= 0 && x->lines != written))
            return th_pad_machine_text_slip(&x->t, line.from, TH_PAD_SLIP_FORMAT,
                                            x->lines == 1 ? "(" : "the answer");
        x->lines = written;
        if (!(written ? check_written(x, &line) : check_unwritten(x, &line)))
            return false;
    }
    return check_end(x);
}

bool th_pad_check_machine(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    Checker x = {.m = k->rules->machine, .lines = -1};
    x.t = (ThPadMachineText){.k = k, .m = x.m, .c = c, .err = err};
    bool right = check_lines(&x), failed = x.t.failed;
    c->style = x.t.separator && *x.t.separator == '\n' ? "verbose" : "compact";
    th_pad_machine_text_free(&x.t);
    th_pad_configuration_free(&x.now);
    th_intern_free(&x.cases);
    free(x.known);
    return (right || c->slip) && !failed;
}
