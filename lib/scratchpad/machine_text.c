#include "scratchpad/machine_text.h"

#include <stdio.h>

static const char *word_text(const ThPadMachineText *t, size_t word, size_t *size)
{
    *size = t->w.word[word].size;
    return t->k->text + t->w.word[word].at;
}

bool th_pad_machine_text_is(const ThPadMachineText *t, size_t word, const char *text)
{
    return word < t->w.n && th_pad_word_is(t->k, &t->w.word[word], text);
}

bool th_pad_machine_text_slip(ThPadMachineText *t, size_t word, ThPadSlip slip,
                              const char *expected)
{
    bool end = word >= t->w.n;
    size_t size = 0, at = t->k->end;
    if (!end) {
        word_text(t, word, &size);
        at = t->w.word[word].at;
    }
    th_pad_slip_wanted(t->c, end ? TH_PAD_SLIP_EARLY_END : slip, at, expected, t->k->text + at,
                       size);
    return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_reserved(const char *s, size_t n)
{
    static const char *const marks[] = {"|",        "(",        ")",        "~",
                                        TH_PAD_BOS, TH_PAD_EOS, TH_PAD_SEP, "\n"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (n == strlen(marks[i]) && memcmp(s, marks[i], n) == 0)
            return true;
    return false;
}

/* The number of a name.  Of a machine that is known no other names are taken. */
static int number_of(ThPadMachineText *t, ThIntern *names, const char *s, size_t n)
{
    size_t i = th_intern_find(names, s, n);
    if (i == SIZE_MAX && t->m)
        return -1;
    if (i == SIZE_MAX && !th_intern(names, s, n, &i, t->err)) {
        t->failed = true;
        return -1;
    }
    return i <= UINT16_MAX ? (int)i : -1;
}

int th_pad_machine_text_symbol(ThPadMachineText *t, size_t word, bool *marked)
{
    size_t n;
    const char *s = word_text(t, word, &n);
    *marked = t->paper ? s[0] == 'b' : n > 2 && s[0] == '[' && s[n - 1] == ']';
    if (is_reserved(s, n) || (t->paper && (n < 2 || (s[0] != 'a' && s[0] != 'b'))))
        return -1;
    if (t->paper)
        return number_of(t, &t->symbol, s + 1, n - 1);
    return *marked ? number_of(t, &t->symbol, s + 1, n - 2) : number_of(t, &t->symbol, s, n);
}

int th_pad_machine_text_state(ThPadMachineText *t, size_t word)
{
    size_t n;
    const char *s = word_text(t, word, &n);
    if (is_reserved(s, n) || (t->paper && (n < 2 || s[0] != 's')))
        return -1;
    return t->paper ? number_of(t, &t->state, s + 1, n - 1) : number_of(t, &t->state, s, n);
}

void th_pad_machine_text_name(const ThPadMachineText *t, bool is_state, int i, bool marked,
                              ThText *to)
{
    size_t n;
    const char *s = th_intern_at(is_state ? &t->state : &t->symbol, (size_t)i, &n);
    to->size = 0;
    if (t->paper)
        th_text_add(to, is_state ? "s" : marked ? "b" : "a");
    else if (marked)
        th_text_add(to, "[");
    th_text_add_bytes(to, s, n);
    th_text_add(to, marked && !t->paper ? "]" : "");
}

static bool add_machine_names(ThPadMachineText *t)
{
    char number[16];
    size_t index;
    for (int i = 0; i < t->m->n_symbols + t->m->n_states; i++) {
        bool state = i >= t->m->n_symbols;
        int k = state ? i - t->m->n_symbols : i;
        const char *name = state ? t->m->state[k] : t->m->symbol[k];
        snprintf(number, sizeof number, "%d", k + 1);
        name = t->paper ? number : name;
        t->failed = t->failed ||
                    !th_intern(state ? &t->state : &t->symbol, name, strlen(name), &index, t->err);
    }
    return !t->failed;
}

/* ---- lines ----------------------------------------------------------------------------------- */

bool th_pad_machine_text_line(ThPadMachineText *t, ThPadLine *line)
{
    if (!t->more)
        return false;
    line->from = line->to = t->next;
    while (line->to < t->w.n && !th_pad_machine_text_is(t, line->to, t->separator))
        line->to++;
    t->more = line->to < t->w.n;
    t->next = line->to + 1;
    return true;
}

int th_pad_machine_text_bars(const ThPadMachineText *t, const ThPadLine *line)
{
    int n = 0;
    bool front =
        !t->at_head && line->to - line->from > 1 && th_pad_machine_text_is(t, line->from + 1, "|");
    for (size_t i = line->from + (front ? 2 : 0); i < line->to && n < TH_TM_MOST_TAPES; i++)
        n += th_pad_machine_text_is(t, i, "|");
    return n;
}

/* True if a cell has the head in the paper's names, b1, and none has it in others, [x]. */
static bool has_paper_names(const ThPadMachineText *t, const ThPadLine *line)
{
    bool paper = false;
    for (size_t i = line->from; i < line->to; i++) {
        size_t n;
        const char *s = word_text(t, i, &n);
        if (n > 2 && s[0] == '[' && s[n - 1] == ']')
            return false;
        paper = paper || (n > 1 && s[0] == 'b' && s[1] >= '0' && s[1] <= '9');
    }
    return paper;
}

bool th_pad_machine_text_begin(ThPadMachineText *t, ThPadLine *first)
{
    t->separator = TH_PAD_SEP;
    const char *s = t->k->text + t->k->begin, *end = t->k->text + t->k->end;
    while (s && (s = memchr(s, '<', (size_t)(end - s))) &&
           ((size_t)(end - s) < sizeof TH_PAD_SEP - 1 ||
            memcmp(s, TH_PAD_SEP, sizeof TH_PAD_SEP - 1) != 0))
        s++;
    if (!s)
        t->separator = "\n";
    if (!th_pad_words_read(&t->w, t->k, *t->separator == '\n', t->err)) {
        t->failed = true;
        return false;
    }
    t->more = true;
    t->comma = -1;
    th_pad_machine_text_line(t, first);
    t->paper = has_paper_names(t, first);
    t->at_head = first->to - first->from < 2 || !th_pad_machine_text_is(t, first->from + 1, "|");
    t->n_tapes = th_pad_machine_text_bars(t, first) + 1;
    if (t->m && !add_machine_names(t))
        return false;
    if (t->n_tapes > TH_TM_MOST_TAPES || (t->m && t->n_tapes != t->m->n_tapes))
        return th_pad_machine_text_slip(t, first->from, TH_PAD_SLIP_FORMAT,
                                        t->m ? "the machine's tapes" : "at most 5 tapes");
    return true;
}

void th_pad_machine_text_free(ThPadMachineText *t)
{
    th_intern_free(&t->symbol);
    th_intern_free(&t->state);
    free(t->w.word);
    *t = (ThPadMachineText){0};
}

/* The words of tape k of a configuration; where the state stands before the head, with it. */
static ThPadLine tape_words(const ThPadMachineText *t, const ThPadLine *line, int k)
{
    ThPadLine tape = {line->from + (t->at_head ? 0 : 2), line->to};
    tape.from = tape.from < line->to ? tape.from : line->to;
    for (size_t i = tape.from; i <= line->to; i++) {
        if (i < line->to && !th_pad_machine_text_is(t, i, "|"))
            continue;
        tape.to = i;
        if (k-- == 0)
            return tape;
        tape.from = i < line->to ? i + 1 : i;
    }
    return (ThPadLine){line->to, line->to};
}

size_t th_pad_machine_text_cells(ThPadMachineText *t, const ThPadLine *line, int k)
{
    ThPadLine tape = tape_words(t, line, k);
    size_t n = tape.to - tape.from;
    return n - (t->at_head && k == 0 && n > 0);
}

/* ---- configurations -------------------------------------------------------------------------- */

static bool read_tape(ThPadMachineText *t, ThPadLine tape, size_t skip, ThPadCellRow *row)
{
    size_t marks = 0;
    row->n = 0;
    for (size_t i = tape.from; i < tape.to; i++) {
        bool marked;
        if (i == skip)
            continue;
        int symbol = th_pad_machine_text_symbol(t, i, &marked);
        if (symbol < 0 || (marked && marks > 0))
            return !t->failed && th_pad_machine_text_slip(t, i, TH_PAD_SLIP_FORMAT, "a symbol");
        if (marked)
            row->head = row->n;
        marks += marked;
        if (!th_pad_configuration_add(row, symbol, t->err)) {
            t->failed = true;
            return false;
        }
    }
    return marks == 1 ||
           th_pad_machine_text_slip(t, tape.to, TH_PAD_SLIP_FORMAT, "a cell with the head");
}

/* The word before the scanned cell, or that behind the last. */
static size_t state_word(ThPadMachineText *t, ThPadLine tape)
{
    for (size_t i = tape.from + 1; i < tape.to; i++) {
        bool marked;
        if (th_pad_machine_text_symbol(t, i, &marked) >= 0 && marked)
            return i - 1;
    }
    return tape.to;
}

bool th_pad_machine_text_configuration(ThPadMachineText *t, const ThPadLine *line,
                                       ThPadConfiguration *to)
{
    size_t at = t->at_head ? state_word(t, tape_words(t, line, 0)) : line->from;
    if (t->failed)
        return false;
    to->state = at < line->to ? th_pad_machine_text_state(t, at) : -1;
    if (to->state < 0)
        return !t->failed && th_pad_machine_text_slip(t, at, TH_PAD_SLIP_FORMAT, "a state");
    for (int k = 0; k < t->n_tapes; k++)
        if (!read_tape(t, tape_words(t, line, k), k == 0 && t->at_head ? at : SIZE_MAX,
                       &to->tape[k]))
            return false;
    return true;
}

/* ---- transitions ----------------------------------------------------------------------------- */

static bool named_slip(ThPadMachineText *t, size_t word, ThPadSlip slip, bool is_state, int wanted)
{
    ThText name TH_OWNED(th_text_free) = {0};
    th_pad_machine_text_name(t, is_state, wanted, false, &name);
    th_pad_machine_text_slip(t, word, slip, th_text_string(&name));
    return false;
}

/* A part of a line, or a slip. */
static bool part_is_there(ThPadMachineText *t, const ThPadLine *line, size_t at, const char *what)
{
    return at < line->to || th_pad_machine_text_slip(t, at, TH_PAD_SLIP_FORMAT, what);
}

static bool read_mark(ThPadMachineText *t, const ThPadLine *line, size_t *at, const char *mark)
{
    if (*at < line->to && th_pad_machine_text_is(t, *at, mark)) {
        ++*at;
        return true;
    }
    return th_pad_machine_text_slip(t, *at, TH_PAD_SLIP_FORMAT, mark);
}

static bool read_action(ThPadMachineText *t, const ThPadLine *line, size_t *at, int k,
                        const ThPadTransition *wanted, ThPadTransition *to)
{
    static const char *const moves[] = {"L", "S", "R"};
    bool marked, comma = t->comma == 1;
    if ((comma && !read_mark(t, line, at, "~")) || !part_is_there(t, line, *at, "a symbol"))
        return false;
    to->write[k] = th_pad_machine_text_symbol(t, *at, &marked);
    if (to->write[k] < 0 || marked)
        return !t->failed && th_pad_machine_text_slip(t, *at, TH_PAD_SLIP_FORMAT, "a symbol");
    if (wanted && to->write[k] != wanted->write[k])
        return named_slip(t, *at, TH_PAD_SLIP_WRITE, false, wanted->write[k]);
    ++*at;
    if ((comma && !read_mark(t, line, at, "~")) || !part_is_there(t, line, *at, "a move"))
        return false;
    for (int i = 0; i < 3; i++) {
        if (!th_pad_machine_text_is(t, *at, moves[i]))
            continue;
        to->move[k] = i - 1;
        if (wanted && to->move[k] != wanted->move[k])
            return th_pad_machine_text_slip(t, *at, TH_PAD_SLIP_MOVE, moves[wanted->move[k] + 1]);
        ++*at;
        return true;
    }
    return th_pad_machine_text_slip(t, *at, TH_PAD_SLIP_FORMAT, "a move");
}

bool th_pad_machine_text_transition(ThPadMachineText *t, const ThPadLine *line,
                                    const ThPadTransition *wanted, ThPadTransition *to)
{
    size_t at = line->from;
    if (t->comma < 0)
        t->comma = th_pad_machine_text_is(t, line->from + 2, "~");
    if (!read_mark(t, line, &at, "(") || !part_is_there(t, line, at, "a state"))
        return false;
    to->state = th_pad_machine_text_state(t, at);
    if (to->state < 0)
        return !t->failed && th_pad_machine_text_slip(t, at, TH_PAD_SLIP_FORMAT, "a state");
    if (wanted && to->state != wanted->state)
        return named_slip(t, at, TH_PAD_SLIP_STATE, true, wanted->state);
    at++;
    for (int k = 0; k < t->n_tapes; k++)
        if (!read_action(t, line, &at, k, wanted, to))
            return false;
    if (!read_mark(t, line, &at, ")"))
        return false;
    return at == line->to || th_pad_machine_text_slip(t, at, TH_PAD_SLIP_FORMAT, t->separator);
}
