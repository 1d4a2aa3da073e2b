#include "formats/machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/exchange.h"
#include "formats/machine_read.h"

typedef ThTm *Read(const char *text, size_t size, const ThFormatMachineReading *how, ThText *notes,
                   ThError *err);
typedef bool Write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err);

/* ---- bbchallenge ----------------------------------------------------------------------------- */

/* One machine, on one line. */
static ThTm *bb_read(const char *text, size_t size, const ThFormatMachineReading *how,
                     ThText *notes, ThError *err)
{
    ThFormatLines l;
    ThText line = {0};
    int at = 0;
    (void)how;
    (void)notes;
    if (!th_format_lines_start(&l, text, size, err))
        return NULL;
    while (th_format_lines_next(&l)) {
        th_format_lines_cut(&l, l.size, 0);
        if (l.n > 0 && at > 0) {
            th_format_lines_fail(&l, l.begin, err, "a second machine: one can be read");
            th_text_free(&line);
            return NULL;
        }
        if (l.n > 0) {
            at = l.line;
            th_text_add_bytes(&line, l.begin, l.size);
        }
    }
    ThError own = {0};
    char *string = th_text_take(&line, err);
    ThTm *m = string ? th_tm_read_bb(string, &own) : NULL;
    free(string);
    if (string && !m) {
        th_fail_at(err, own.code, at > 0 ? at : 1, own.col > 0 ? own.col : 1, "%s", own.msg);
        th_hint(err, "%s", own.hint);
    }
    return m;
}

static bool bb_write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err)
{
    (void)name;
    (void)notes;
    bool ok = th_tm_write_bb(to, m, err);
    th_text_add(to, ok ? "\n" : "");
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name, *title;
    Read *read;
    Write *write;
} formats[TH_FORMAT_N_MACHINES] = {
    {"bbchallenge", "a bbchallenge string", bb_read, bb_write},
    {"morphett", "a program of jsturing (morphett.info)", th_format_morphett_read,
     th_format_morphett_write},
    {"simulator", "a program of turingmachinesimulator.com", th_format_simulator_read,
     th_format_simulator_write},
    {"jflap", "a Turing machine of JFLAP", th_jff_turing_read, th_jff_turing_write},
    {"viz", "a machine of turingmachine.io", th_format_viz_read, th_format_viz_write},
    {"quintuples", "a list of quintuples", th_format_quintuples_read, th_format_quintuples_write},
};

const char *th_format_machine_format_name(ThFormatMachine f)
{
    return f < TH_FORMAT_N_MACHINES ? formats[f].name : "none";
}

const char *th_format_machine_format_title(ThFormatMachine f)
{
    return f < TH_FORMAT_N_MACHINES ? formats[f].title : "no machine";
}

ThTm *th_format_machine_read(ThFormatMachine f, const char *text, size_t size,
                             const ThFormatMachineReading *how, ThText *notes, ThError *err)
{
    static const ThFormatMachineReading none = {0};
    ThError own = {0};
    ThTm *m = formats[f].read(text, size, how ? how : &none, notes, err ? err : &own);
    return m;
}

bool th_format_machine_write(ThText *to, ThFormatMachine f, const ThTm *m, const char *name,
                             ThText *notes, ThError *err)
{
    ThError own = {0};
    return formats[f].write(to, m, name, notes, err ? err : &own);
}

/* ---- recognising ----------------------------------------------------------------------------- */

enum { LOOKED_AT = 1 << 16 }; /* bytes, in whole lines */

/* Does the first line look like cells of a bbchallenge string? */
static bool like_bb(const ThFormatLines *first, bool *sure)
{
    static const char *const fronts[] = {"https://", "http://", "www.", "bbchallenge.org/"};
    const char *c = first->begin, *end = c + first->size;
    while (c < end && *c == ' ')
        c++;
    *sure = false;
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        if (th_format_field_starts((ThFormatField){c, (size_t)(end - c)}, fronts[i])) {
            c += strlen(fronts[i]);
            *sure = i == 3;
        }
    }
    if (*sure)
        return true;
    bool cell =
        end - c >= 3 &&
        (strncmp(c, "---", 3) == 0 ||
         (*c >= '0' && *c <= '9' && (c[1] == 'L' || c[1] == 'R') && c[2] >= 'A' && c[2] <= 'Z'));
    for (; cell && c < end; c++) {
        *sure = *sure || *c == '_' || *c == ';';
        cell = strchr("0123456789-_; \t\r", *c) || (*c >= 'A' && *c <= 'Z');
    }
    return cell;
}

static bool is_key(const ThFormatLines *l, const char *key)
{
    ThFormatField line = {l->begin, l->size};
    return th_format_field_starts(line, key);
}

static bool like_header(const ThFormatLines *l)
{
    return is_key(l, "init:") || is_key(l, "name:") || is_key(l, "accept:") || is_key(l, "init :");
}

/* `start state:`, in quotes or not, anywhere. */
static bool like_viz(const char *text, size_t size)
{
    static const char key[] = "start state";
    size_t n = sizeof key - 1;
    for (const char *c = text, *end = text + size; end - c > (ptrdiff_t)n; c++) {
        c = memchr(c, *key, (size_t)(end - c) - n);
        if (!c)
            return false;
        if (memcmp(c, key, n) != 0)
            continue;
        const char *after = c + n;
        while (after < end && strchr("\"' ", *after))
            after++;
        if (after < end && *after == ':')
            return true;
    }
    return false;
}

/* Is the line, without its comment, a rule of jsturing?  1: yes; 0: it is empty; -1: no. */
static int like_morphett(ThFormatLines *l, bool *halts)
{
    const char *comment = memchr(l->begin, ';', l->size);
    th_format_lines_cut(l, comment ? (size_t)(comment - l->begin) : l->size, 0);
    const ThFormatField *f = l->field;
    if (l->n == 0)
        return 0;
    if (l->n < 5 || l->n > 6 || th_format_field_move(f[3]) < -1 ||
        (l->n == 6 && !th_format_field_is(f[5], "!")) ||
        !(th_format_field_single(f[1]) || th_format_field_is(f[1], "else")) ||
        !(th_format_field_single(f[2]) || th_format_field_is(f[2], "same")))
        return -1;
    *halts = *halts || th_format_field_starts(f[4], "halt");
    return 1;
}

static int like_quintuple(ThFormatLines *l)
{
    const char *c = l->begin, *end = l->begin + l->size;
    while (c < end && strchr(" \t\r", *c))
        c++;
    if (c == end || strchr("#%;", *c) || (end - c > 1 && c[0] == '/' && c[1] == '/'))
        return 0;
    bool comma = memchr(c, ',', (size_t)(end - c)) != NULL;
    th_format_lines_cut(l, l->size, comma ? ',' : 0);
    if (l->n < 5)
        return -1;
    ThFormatField last = l->field[4];
    while (last.n > 1 && strchr(")]}>;, ", last.s[last.n - 1]))
        last.n--;
    bool digit = comma && last.n == 1 && (*last.s == '0' || *last.s == '1');
    return th_format_field_move(l->field[3]) >= -1 || th_format_field_move(last) >= -1 || digit
               ? 1
               : -1;
}

/* Most of the lines are rules in this format. */
static ThFormatMachine by_lines(const char *text, size_t size, bool *sure)
{
    int morphett[3] = {0}, quintuple[3] = {0};
    bool halts = false;
    ThFormatLines l;
    if (!th_format_lines_start(&l, text, size, NULL))
        return TH_FORMAT_N_MACHINES;
    while (th_format_lines_next(&l)) {
        morphett[1 + like_morphett(&l, &halts)]++;
        quintuple[1 + like_quintuple(&l)]++;
    }
    *sure = morphett[2] > 0 && morphett[0] == 0 && halts;
    if (morphett[2] > morphett[0])
        return TH_FORMAT_MORPHETT;
    return quintuple[2] > quintuple[0] ? TH_FORMAT_QUINTUPLES : TH_FORMAT_N_MACHINES;
}

/* The first line that holds something besides a comment //. */
static bool first_line(ThFormatLines *l, const char *text, size_t size)
{
    bool any = th_format_lines_start(l, text, size, NULL);
    while (any && (any = th_format_lines_next(l))) {
        const char *c = l->begin, *end = c + l->size;
        while (c < end && strchr(" \t\r", *c))
            c++;
        if (c < end && !(end - c > 1 && c[0] == '/' && c[1] == '/')) {
            l->size -= (size_t)(c - l->begin);
            l->begin = c;
            return true;
        }
    }
    return false;
}

ThFormatMachine th_format_machine_sniff(const char *text, size_t size, bool *sure)
{
    ThFormatLines l;
    bool own = false;
    sure = sure ? sure : &own;
    *sure = true;
    size_t skip = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (skip < size && strchr(" \t\r\n", text[skip]) && text[skip])
        skip++;
    if (skip < size && text[skip] == '<')
        return TH_FORMAT_JFLAP;
    /* A line that is cut off, or a character, would look odd. */
    size_t n = size;
    for (n = n > LOOKED_AT ? LOOKED_AT : n; n < size && n > 0 && text[n - 1] != '\n';)
        n--;
    if (!first_line(&l, text, n)) {
        *sure = false;
        return like_viz(text, size) ? TH_FORMAT_VIZ : TH_FORMAT_N_MACHINES;
    }
    if (like_header(&l))
        return TH_FORMAT_SIMULATOR;
    if (like_viz(text, size))
        return TH_FORMAT_VIZ;
    if (like_bb(&l, sure))
        return TH_FORMAT_BBCHALLENGE;
    return by_lines(text, n, sure);
}
