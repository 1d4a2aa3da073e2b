/* bbchallenge_list.c - the strings of bbchallenge.org: 1RB1LB_1LA1RZ. */
#include <ctype.h>

#include "formats/machines/machine_read.h"
#include "formats/format_table.h"

enum { LIKELY = 60 };

/* Does a word begin with a cell, or with what is between the rows? */
static bool begins_cell(const char *c, const char *end)
{
    if (c < end && strchr("_;", *c))
        return true;
    return end - c >= 3 && (strncmp(c, "---", 3) == 0 || strncmp(c, "...", 3) == 0 ||
                            (isdigit((unsigned char)c[0]) && (c[1] == 'L' || c[1] == 'R') &&
                             c[2] >= 'A' && c[2] <= 'Z'));
}

size_t th_format_bb_length(const char *line, size_t n)
{
    const char *end = line + n, *last = line;
    for (const char *c = line; c < end;) {
        while (c < end && strchr(" \t", *c))
            c++;
        if (last > line && !begins_cell(c, end))
            break;
        while (c < end && !strchr(" \t", *c))
            last = ++c;
    }
    return (size_t)(last - line);
}

/* One machine, on one line. */
static ThTm *read(const char *text, size_t size, const ThFormatMachineReading *how TH_UNUSED,
                  ThText *notes TH_UNUSED, ThError *err)
{
    ThFormatLines l;
    ThText line TH_OWNED(th_text_free) = {0};
    int at = 0;
    if (!th_format_lines_start(&l, text, size, err))
        return NULL;
    while (th_format_lines_next(&l)) {
        th_format_lines_cut(&l, l.size, 0);
        if (l.n > 0 && at > 0) {
            th_format_lines_fail(&l, l.begin, err, "a second machine: one can be read");
            th_hint(err, "load, run and analyze take a file with a list of machines");
            return NULL;
        }
        if (l.n > 0) {
            at = l.line;
            th_text_add_bytes(&line, l.begin, th_format_bb_length(l.begin, l.size));
        }
    }
    ThError own = {0};
    char *string TH_OWNED(free) = th_text_take(&line, err);
    ThTm *m = string ? th_tm_read_bb(string, &own) : NULL;
    if (string && !m) {
        th_fail_at(err, own.code, at > 0 ? at : 1, own.col > 0 ? own.col : 1, "%s", own.msg);
        th_hint(err, "%s", own.hint);
    }
    return m;
}

static bool write(ThText *to, const ThTm *m, const char *name TH_UNUSED, ThText *notes TH_UNUSED,
                  ThError *err)
{
    bool ok = th_tm_write_bb(to, m, err);
    th_text_add(to, ok ? "\n" : "");
    return ok;
}

/* Does the first line look like cells of a bbchallenge string? */
static int likely(const ThFormatLook *look, bool *sure)
{
    static const char *const fronts[] = {"https://", "http://", "www.", "bbchallenge.org/"};
    if (!look->line)
        return 0;
    const char *c = look->line, *end = c + look->n_line;
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
        return LIKELY;
    end = c + th_format_bb_length(c, (size_t)(end - c));
    bool cell = begins_cell(c, end) && !strchr("_;", *c);
    for (; cell && c < end; c++) {
        *sure = *sure || *c == '_' || *c == ';';
        cell = strchr("0123456789-._; \t\r", *c) || (*c >= 'A' && *c <= 'Z');
    }
    return cell ? LIKELY : 0;
}

const ThFormat th_format_bbchallenge = {
    .name = "bbchallenge",
    .title = "a bbchallenge string",
    .looks = "a string like 1RB1LB_1LA1RZ, in its older spellings too, or its address",
    .extension = ".bb",
    .summary = "a Turing machine as a bbchallenge string",
    .read_machine = read,
    .write_machine = write,
    .likely = likely,
};
