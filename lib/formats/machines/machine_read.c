#include "formats/machines/machine_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/symbols.h"
#include "formats/notes.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static int column_of(const char *begin, const char *at)
{
    int column = 1;
    for (const char *c = begin; c < at; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    return column;
}

bool th_format_lines_start(ThFormatLines *l, const char *text, size_t size, ThError *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t skip = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    const char *begin = text + skip;
    *l = (ThFormatLines){.next = begin, .end = text + size};
    int line = 1;
    for (const char *c = begin; c < l->end;) {
        unsigned char b = (unsigned char)*c;
        size_t n = th_utf8_next(c, (size_t)(l->end - c), NULL);
        if (n == 0 || (b < ' ' && b != '\n' && b != '\t' && b != '\r') || b == 0x7f)
            return th_fail_at(err, TH_EPARSE, line, column_of(begin, c),
                              n == 0 ? "not valid UTF-8" : "a control character");
        c += n;
        if (b == '\n') {
            line++;
            begin = c;
        }
    }
    return true;
}

int th_format_lines_column(const ThFormatLines *l, const char *at)
{
    return column_of(l->begin, at);
}

bool th_format_lines_next(ThFormatLines *l)
{
    if (l->next >= l->end)
        return false;
    const char *stop = memchr(l->next, '\n', (size_t)(l->end - l->next));
    l->begin = l->next;
    l->size = (size_t)((stop ? stop : l->end) - l->begin);
    l->next = stop ? stop + 1 : l->end;
    l->n = 0;
    l->line++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void add_field(ThFormatLines *l, const char *from, const char *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    if (l->n < TH_FORMAT_MOST_FIELDS)
        l->field[l->n] = (ThFormatField){from, (size_t)(to - from)};
    l->n++;
}

void th_format_lines_cut(ThFormatLines *l, size_t n, char separator)
{
    const char *c = l->begin, *end = l->begin + n;
    l->n = 0;
    while (separator || c < end) {
        while (!separator && c < end && is_blank(*c))
            c++;
        const char *from = c;
        while (c < end && (separator ? *c != separator : !is_blank(*c)))
            c++;
        if (separator || c > from)
            add_field(l, from, c);
        if (separator && c++ >= end)
            return;
    }
}

bool th_format_field_is(ThFormatField f, const char *text)
{
    return strlen(text) == f.n && strncasecmp(f.s, text, f.n) == 0;
}

bool th_format_field_starts(ThFormatField f, const char *text)
{
    size_t n = strlen(text);
    return f.n >= n && strncasecmp(f.s, text, n) == 0;
}

bool th_format_field_single(ThFormatField f)
{
    return f.n > 0 && th_utf8_next(f.s, f.n, NULL) == f.n;
}

int th_format_field_move(ThFormatField f)
{
    static const struct {
        const char *name;
        int move;
    } moves[] = {{"l", -1},   {"r", 1}, {"s", 0},   {"*", 0},     {"<", -1},
                 {">", 1},    {"-", 0}, {"n", 0},   {"left", -1}, {"right", 1},
                 {"stay", 0}, {"=", 0}, {"none", 0}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (th_format_field_is(f, moves[i].name))
            return moves[i].move;
    return -2;
}

const char *th_format_field_show(ThFormatField f, char buffer[TH_FORMAT_FIELD_SHOWN])
{
    enum { ROOM = TH_FORMAT_FIELD_SHOWN - 8 };
    size_t n = 0, used = 0;
    while (used < f.n) {
        size_t k = th_utf8_next(f.s + used, f.n - used, NULL);
        if (k == 0 || n + k > ROOM)
            break;
        memcpy(buffer + 1 + n, f.s + used, k);
        n += k;
        used += k;
    }
    buffer[0] = '"';
    snprintf(buffer + 1 + n, TH_FORMAT_FIELD_SHOWN - 1 - n, used < f.n ? "…\"" : "\"");
    return buffer;
}

bool th_format_lines_fail(const ThFormatLines *l, const char *at, ThError *err, const char *format,
                          ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return th_fail_at(err, TH_EPARSE, l->line, column_of(l->begin, at), "%s", message);
}

/* ---- machines -------------------------------------------------------------------------------- */

static bool out_of_memory(ThFormatImport *im)
{
    return th_fail(im->err, TH_ENOMEM, "out of memory for a machine");
}

static const char *name_of(ThFormatImport *im, ThFormatField f)
{
    im->name.size = 0;
    th_text_add_bytes(&im->name, f.s, f.n);
    return im->name.failed ? NULL : th_text_string(&im->name);
}

static int added(ThFormatImport *im, int number)
{
    if (!im->b.failed && !im->name.failed)
        return number;
    out_of_memory(im);
    return -1;
}

int th_format_import_state(ThFormatImport *im, ThFormatField f)
{
    const char *name = name_of(im, f);
    return added(im, name ? th_tm_state(&im->b, name) : -1);
}

int th_format_import_symbol(ThFormatImport *im, ThFormatField f)
{
    const char *name = name_of(im, f);
    int s = added(im, name ? th_tm_symbol(&im->b, name) : -1);
    if (s < TH_TM_MOST_SYMBOLS)
        return s;
    th_fail(im->err, TH_ELIMIT, "more than %d symbols", TH_TM_MOST_SYMBOLS);
    return -1;
}

static bool same_action(const ThTmRule *a, const ThTmRule *b, int n_tapes)
{
    size_t size = (size_t)n_tapes * sizeof *a->write;
    return a->to == b->to && a->pause == b->pause && memcmp(a->write, b->write, size) == 0 &&
           memcmp(a->move, b->move, size) == 0;
}

static bool append_rule(ThFormatImport *im, const ThTmRule *r, int line)
{
    size_t n = im->b.m.n_rules;
    if (!th_grow(&im->line, &im->line_cap, n + 1, sizeof *im->line, im->err))
        return false;
    im->line[n] = line;
    th_tm_add(&im->b, r);
    return !im->b.failed || out_of_memory(im);
}

/* A rule that stands there twice as it is counts once, in whatever reading. */
static bool add_choice(ThFormatImport *im, const ThTmRule *r, int line)
{
    int n = im->b.m.n_tapes, key[3 * TH_TM_MOST_TAPES + 2] = {r->from, r->to};
    size_t size = (size_t)n * sizeof *key, before = im->whole.n, index = 0;
    memcpy(key + 2, r->read, size);
    memcpy(key + 2 + n, r->write, size);
    memcpy(key + 2 + 2 * n, r->move, size);
    if (!th_intern(&im->whole, key, 3 * size + 2 * sizeof *key, &index, im->err))
        return false;
    if (index < before) {
        im->repeated++;
        return true;
    }
    return append_rule(im, r, line);
}

static bool add_second(ThFormatImport *im, const ThTmRule *r, size_t first, int line, int col)
{
    ThTmRule *old = &im->b.m.rule[first];
    if (same_action(old, r, im->b.m.n_tapes)) {
        im->repeated++;
        return true;
    }
    if (im->twice == TH_FORMAT_TWICE_FAILS)
        return th_fail_at(im->err, TH_EPARSE, line, col,
                          "a second rule for the same state and symbols; the first is in line %d",
                          im->line[first]);
    if (im->replaced++ == 0) {
        im->replaced_line = im->line[first];
        im->replacing = line;
    }
    *old = *r;
    im->line[first] = line;
    return true;
}

bool th_format_import_rule(ThFormatImport *im, const ThTmRule *r, int line, int col)
{
    int key[TH_TM_MOST_TAPES + 1] = {r->from};
    size_t before = im->cases.n, index = 0;
    if (im->b.m.n_rules + im->repeated + im->replaced >= TH_FORMAT_MOST_IMPORTED)
        return th_fail_at(im->err, TH_ELIMIT, line, col, "more than %d rules",
                          TH_FORMAT_MOST_IMPORTED);
    memcpy(key + 1, r->read, (size_t)im->b.m.n_tapes * sizeof *key);
    if (!th_intern(&im->cases, key, ((size_t)im->b.m.n_tapes + 1) * sizeof *key, &index, im->err))
        return false;
    if (index < before && im->twice != TH_FORMAT_TWICE_CHOICE)
        return add_second(im, r, im->rule_of[index], line, col);
    if (index == before) {
        if (!th_grow(&im->rule_of, &im->rule_of_cap, index + 1, sizeof *im->rule_of, im->err))
            return false;
        im->rule_of[index] = im->b.m.n_rules;
    }
    return im->twice == TH_FORMAT_TWICE_CHOICE ? add_choice(im, r, line) : append_rule(im, r, line);
}

ThTmRole th_format_role_of_name(const char *name)
{
    static const char *const fronts[] = {"halt", "q", "state", "h", ""};
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        size_t n = strlen(fronts[i]);
        if (strncasecmp(name, fronts[i], n) != 0)
            continue;
        const char *rest = name + n + (n > 0 && name[n] && strchr("-_.", name[n]));
        if (strncasecmp(rest, "accept", 6) == 0)
            return TH_TM_ACCEPTS;
        if (strncasecmp(rest, "reject", 6) == 0)
            return TH_TM_REJECTS;
    }
    return strncasecmp(name, "halt", 4) == 0 ? TH_TM_HALTS : TH_TM_RUNS;
}

bool *th_format_import_left(const ThFormatImport *im)
{
    bool *left = th_alloc((size_t)im->b.m.n_states, sizeof *left, im->err);
    for (size_t i = 0; left && i < im->b.m.n_rules; i++)
        if (im->b.m.rule[i].from != TH_TM_ANY)
            left[im->b.m.rule[i].from] = true;
    return left;
}

bool th_format_import_stopping(ThFormatImport *im, const char *which, bool halts)
{
    static const char *const says[] = {"", "halts", "accepts", "rejects"};
    ThTm *m = &im->b.m;
    bool *left TH_OWNED(free) = th_format_import_left(im);
    for (int q = 0; left && q < m->n_states; q++) {
        ThTmRole role = th_format_role_of_name(m->state[q]);
        if (left[q])
            continue;
        m->role[q] = role == TH_TM_RUNS ? TH_TM_HALTS : role;
        if (m->role[q] != TH_TM_HALTS || halts)
            th_format_note(im->notes, "the state %.60s%s %s", m->state[q], which, says[m->role[q]]);
        if (role == TH_TM_ACCEPTS)
            m->missing = TH_TM_MISSING_REJECT;
    }
    return left != NULL;
}

bool th_format_import_reject_left(ThFormatImport *im)
{
    ThTm *m = &im->b.m;
    bool *left TH_OWNED(free) = th_format_import_left(im);
    for (int q = 0; left && q < m->n_states; q++)
        if (m->role[q] == TH_TM_RUNS && !left[q])
            m->role[q] = TH_TM_REJECTS;
    return left != NULL;
}

int th_format_import_start(ThFormatImport *im, const char *name)
{
    int q = th_tm_find_state(&im->b, name);
    if (q >= 0)
        return q;
    th_fail(im->err, TH_EVALUE, "the machine has no state %.60s to start in", name);
    const char *near =
        th_nearest(name, (const char *const *)im->b.m.state, (size_t)im->b.m.n_states);
    if (near)
        th_hint(im->err, "did you mean %.60s?", near);
    return -1;
}

/* Names must be such as the language can write, and a terminal can show. */
static bool check_names(const ThTm *m, ThError *err)
{
    bool single = th_symbols_single(m->symbol, m->n_symbols);
    for (int k = 0; k < m->n_states + m->n_symbols; k++) {
        bool state = k < m->n_states;
        const char *name = state ? m->state[k] : m->symbol[k - m->n_states];
        if (!*name)
            return th_fail(err, TH_EVALUE, "a %s has no name", state ? "state" : "symbol");
        for (const char *c = name; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                return th_fail(err, TH_EVALUE, "a name holds a control character");
        if (!state && !single && strchr(name, ' '))
            return th_fail(err, TH_EVALUE,
                           "the symbol \"%.60s\" holds a blank, which separates symbols", name);
    }
    return true;
}

/* Rules that leave a state which stops are never used. */
static void drop_stopping(ThFormatImport *im)
{
    ThTm *m = &im->b.m;
    size_t kept = 0;
    for (size_t i = 0; i < m->n_rules; i++) {
        int q = m->rule[i].from;
        if (q == TH_TM_ANY || m->role[q] == TH_TM_RUNS)
            m->rule[kept++] = m->rule[i];
    }
    size_t dropped = m->n_rules - kept;
    m->n_rules = kept;
    if (dropped)
        th_format_note(im->notes, "%zu rule%s of states that stop the machine %s left out", dropped,
                       dropped == 1 ? "" : "s", dropped == 1 ? "was" : "were");
}

static void note_rules(const ThFormatImport *im)
{
    if (im->repeated)
        th_format_note(im->notes, "%zu rule%s stood there twice", im->repeated,
                       im->repeated == 1 ? "" : "s");
    if (im->replaced == 1)
        th_format_note(im->notes, "the rule in line %d replaces that in line %d for the same case",
                       im->replacing, im->replaced_line);
    if (im->replaced > 1)
        th_format_note(im->notes,
                       "%zu rules replace others for the same case; the first is in line %d, for "
                       "that in line %d",
                       im->replaced, im->replacing, im->replaced_line);
}

static void import_free(ThFormatImport *im)
{
    th_tm_build_free(&im->b);
    th_intern_free(&im->cases);
    th_intern_free(&im->whole);
    th_text_free(&im->name);
    TH_FREE(im->rule_of, im->line);
    im->rule_of = NULL;
    im->line = NULL;
}

ThTm *th_format_import_finish(ThFormatImport *im, bool good)
{
    ThTm *m = NULL;
    if (good && !im->b.failed && check_names(&im->b.m, im->err)) {
        drop_stopping(im);
        note_rules(im);
        bool declared = im->b.m.nondeterministic;
        im->b.m.nondeterministic = im->twice == TH_FORMAT_TWICE_CHOICE;
        m = th_tm_finish(&im->b, im->err);
        if (m)
            m->nondeterministic = declared || m->branching;
    } else if (good && im->b.failed) {
        out_of_memory(im);
    }
    import_free(im);
    return m;
}
