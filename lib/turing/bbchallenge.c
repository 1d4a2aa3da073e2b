/* bbchallenge strings: rows of cells, a cell being the symbol written, the move, the next state. */
#include <stdio.h>

#include "turing/tm_machine.h"

enum { MOST_ROWS = 25, MOST_CELLS = 10 };

/* The cells of all rows one after another, and where they stood. */
typedef struct {
    int rows, width;
    char cell[MOST_ROWS * MOST_CELLS][3];
    int col[MOST_ROWS * MOST_CELLS];
    int row_cells[MOST_ROWS], row_col[MOST_ROWS];
    int n;
    ThError *err;
} Reader;

static bool fail_col(const Reader *r, int col, const char *what)
{
    th_fail_at(r->err, TH_EPARSE, 1, col, "%s", what);
    return th_hint(r->err, "a machine is written like \"1RB1LB_1LA1RZ\"");
}

static bool begin_row(Reader *r, int col)
{
    if (r->rows == MOST_ROWS)
        return fail_col(r, col, "more than 25 states");
    r->row_col[r->rows++] = col;
    return true;
}

static bool read_cell(Reader *r, const char *s, int col)
{
    bool empty = strncmp(s, "---", 3) == 0 || strncmp(s, "...", 3) == 0;
    if (r->row_cells[r->rows - 1] == MOST_CELLS)
        return fail_col(r, col, "more than 10 symbols in a row");
    if (!empty && (s[0] < '0' || s[0] > '9'))
        return fail_col(r, col, "expected the digit that is written, or ---");
    if (!empty && s[1] != 'L' && s[1] != 'R')
        return fail_col(r, col + 1, "expected the move L or R");
    if (!empty && (s[2] < 'A' || s[2] > 'Z'))
        return fail_col(r, col + 2, "expected the letter of a state");
    memcpy(r->cell[r->n], empty ? "---" : s, 3);
    r->col[r->n++] = col;
    r->row_cells[r->rows - 1]++;
    return true;
}

/* Skips what separates two cells; *next says that a row ends with it. */
static const char *skip_separator(const char *s, bool *next)
{
    const char *from = s;
    while (*s == ' ')
        s++;
    *next = s - from > 1;
    if (*s == '_' || *s == ';') {
        *next = true;
        s++;
    }
    while (*s == ' ')
        s++;
    return s;
}

/* No separator at all: two symbols are assumed. */
static bool lone_row(const char *text)
{
    return !strpbrk(text, "_; ") && strlen(text) % 6 == 0 && strlen(text) > 6;
}

static bool read_rows(Reader *r, const char *text, int col)
{
    const char *s = text;
    bool pairs = lone_row(text), next = true;
    while (*s) {
        int at = col + (int)(s - text);
        if (next && !begin_row(r, at))
            return false;
        if (!read_cell(r, s, at))
            return false;
        s = skip_separator(s + 3, &next);
        if (pairs)
            next = r->row_cells[r->rows - 1] == 2;
    }
    if (next && !pairs && r->n > 0)
        return fail_col(r, col + (int)strlen(text), "expected another row");
    return true;
}

/* The letter of the state that stops: that of the cells which lead past the rows, else Z. */
static char halt_letter(const Reader *r)
{
    for (int i = 0; i < r->n; i++)
        if (r->cell[i][2] >= 'A' + r->rows)
            return r->cell[i][2];
    return 'Z';
}

/* Z halts, as H and the letter behind that of the last row; others may be rows that were forgotten.
 */
static bool check_letters(const Reader *r)
{
    char halt = halt_letter(r);
    for (int i = 0; i < r->n; i++) {
        char to = r->cell[i][2];
        bool usual = to == 'Z' || to == 'H' || to == 'A' + r->rows;
        if (to < 'A' + r->rows || (to == halt && usual))
            continue;
        if (to == halt)
            th_fail_at(r->err, TH_EPARSE, 1, r->col[i] + 2, "the state %c has no row", to);
        else
            th_fail_at(r->err, TH_EPARSE, 1, r->col[i] + 2,
                       "the states %c and %c have no row, and one state halts", halt, to);
        return th_hint(r->err, "Z is the state that halts; all others have a row, after a _");
    }
    return true;
}

static bool check_rows(Reader *r)
{
    r->width = r->row_cells[0];
    if (r->rows == 0)
        return fail_col(r, 1, "no machine");
    for (int i = 1; i < r->rows; i++)
        if (r->row_cells[i] != r->width)
            return fail_col(r, r->row_col[i], "the rows differ in length");
    for (int i = 0; i < r->n; i++)
        if (r->cell[i][0] - '0' >= r->width)
            return fail_col(r, r->col[i], "the row has no such symbol");
    return check_letters(r);
}

static ThTm *build(const Reader *r, ThError *err)
{
    ThTmBuild b = {.m = {.n_tapes = 1, .busy_beaver = true}};
    char name[2] = "";
    bool stops = false;
    for (int q = 0; q < r->rows; q++) {
        name[0] = (char)('A' + q);
        th_tm_state(&b, name);
    }
    for (int s = 0; s < r->width; s++) {
        name[0] = (char)('0' + s);
        th_tm_symbol(&b, name);
    }
    name[0] = halt_letter(r);
    for (int i = 0; i < r->n; i++) {
        const char *c = r->cell[i];
        ThTmRule rule = {.from = i / r->width, .read = {i % r->width}, .undefined = *c == '-'};
        rule.write[0] = rule.undefined ? r->width > 1 : c[0] - '0';
        rule.move[0] = rule.undefined || c[1] == 'R' ? 1 : -1;
        bool halts = rule.undefined || c[2] >= 'A' + r->rows;
        rule.to = halts ? th_tm_state(&b, name) : c[2] - 'A';
        stops = stops || halts;
        th_tm_add(&b, &rule);
    }
    if (stops && !b.failed)
        b.m.role[r->rows] = TH_TM_HALTS;
    return th_tm_finish(&b, err);
}

/* The characters before the machine: blanks, and the address of its page. */
static int skip_address(const char *text)
{
    static const char *const parts[] = {"https://", "http://", "www.", "bbchallenge.org/"};
    size_t at = strspn(text, " \t");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(text + at, parts[i], strlen(parts[i])) == 0)
            at += strlen(parts[i]);
    return (int)at;
}

ThTm *th_tm_read_bb(const char *text, ThError *err)
{
    ThError own = {0};
    Reader r = {.err = err ? err : &own};
    int address = skip_address(text), col = address + 1 + (int)strspn(text + address, " \t");
    const char *machine = text + col - 1;
    size_t n = strcspn(machine, address > 0 ? "?&#/" : "");
    while (n > 0 && strchr(" \t\r\n", machine[n - 1]))
        n--;
    char *line TH_OWNED(free) = th_strndup(machine, n, r.err);
    bool ok = line && read_rows(&r, line, col) && check_rows(&r);
    return ok ? build(&r, r.err) : NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool refuse(ThError *err, const char *why)
{
    th_fail(err, TH_EVALUE, "the machine has no bbchallenge string: %s", why);
    return th_hint(err, "that takes one two-way tape, moves L and R, up to 10 symbols, a rule for "
                        "each case, and one state that halts");
}

static bool check_roles(const ThTm *m, int *halt, ThError *err)
{
    *halt = -1;
    for (int q = 0; q < m->n_states; q++) {
        if (m->role[q] == TH_TM_ACCEPTS || m->role[q] == TH_TM_REJECTS)
            return refuse(err, "a state accepts or rejects");
        if (m->role[q] == TH_TM_HALTS && *halt >= 0)
            return refuse(err, "two states halt");
        *halt = m->role[q] == TH_TM_HALTS ? q : *halt;
    }
    if (m->start == *halt)
        return refuse(err, "it halts where it starts");
    return m->n_states - (*halt >= 0) <= MOST_ROWS || refuse(err, "more than 25 states");
}

/* Does the machine keep to what a string can say? */
static bool check_machine(const ThTm *m, int *halt, ThError *err)
{
    if (m->n_tapes != 1)
        return refuse(err, "it has several tapes");
    if (m->edge != TH_TM_TWO_WAY)
        return refuse(err, "its tape has an edge");
    if (m->n_symbols > MOST_CELLS)
        return refuse(err, "more than 10 symbols");
    if (m->branching)
        return refuse(err, "it has a choice between rules");
    if (!check_roles(m, halt, err))
        return false;
    for (size_t i = 0; i < m->n_rules; i++)
        if (m->rule[i].move[0] == 0)
            return refuse(err, "a rule stands still");
    for (int q = 0; q < m->n_states; q++) {
        for (int s = 0; s < m->n_symbols; s++) {
            if (q == *halt || th_tm_rule(m, q, &s) >= 0)
                continue;
            char why[128];
            snprintf(why, sizeof why, "state %.40s has no rule for %.40s", m->state[q],
                     m->symbol[s]);
            return refuse(err, why);
        }
    }
    return true;
}

/* Numbers for writing: the start state is row 0 and the blank is 0, the others keep their order. */
static int rank(int i, int first, int skip)
{
    if (i == first)
        return 0;
    int after = i + (i < first);
    return after - (skip >= 0 && i > skip);
}

static void write_cell(ThText *t, const ThTm *m, int q, int s, int halt)
{
    int i = th_tm_rule(m, q, &s);
    const ThTmRule *r = &m->rule[i];
    if (r->undefined) {
        th_text_add(t, "---");
        return;
    }
    int write = r->write[0] == TH_TM_ANY ? s : r->write[0], to = r->to == TH_TM_ANY ? q : r->to;
    char letter = to == halt ? 'Z' : (char)('A' + rank(to, m->start, halt));
    if (to == halt && m->busy_beaver)
        letter = m->state[halt][0];
    th_text_printf(t, "%d%c%c", rank(write, m->blank, -1), r->move[0] < 0 ? 'L' : 'R', letter);
}

bool th_tm_write_bb(ThText *t, const ThTm *m, ThError *err)
{
    int halt = -1, state[MOST_ROWS + 1] = {0}, symbol[MOST_CELLS] = {0};
    if (!check_machine(m, &halt, err))
        return false;
    for (int q = 0; q < m->n_states; q++)
        if (q != halt)
            state[rank(q, m->start, halt)] = q;
    for (int s = 0; s < m->n_symbols; s++)
        symbol[rank(s, m->blank, -1)] = s;
    /* One row of pairs of cells would be read as rows of two. */
    bool lone = m->n_states - (halt >= 0) == 1 && m->n_symbols > 2 && m->n_symbols % 2 == 0;
    for (int row = 0; row < m->n_states - (halt >= 0); row++) {
        th_text_add(t, row ? "_" : "");
        for (int c = 0; c < m->n_symbols; c++) {
            th_text_add(t, lone && c ? " " : "");
            write_cell(t, m, state[row], symbol[c], halt);
        }
    }
    return true;
}
