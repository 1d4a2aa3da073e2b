/* The labels of JFLAP's machines: x, !x, ~ and lists of symbols. */
#include <string.h>

#include "base/memory.h"
#include "formats/notes.h"
#include "formats/machines/jff_build.h"

/* ---- labels ---------------------------------------------------------------------------------- */

/* A symbol; -1 and an error for anything else. */
static int read_item(ThJffBuilding *b, const ThJffTransition *t, const char *s, size_t n)
{
    char shown[TH_FORMAT_FIELD_SHOWN];
    while (n > 1 && *s == ' ') {
        s++;
        n--;
    }
    while (n > 1 && s[n - 1] == ' ')
        n--;
    ThFormatField f = {s, n};
    if (n == 0 || th_format_field_is(f, "□") ||
        (b->b_is_blank && th_format_field_is(f, "B") && *s == 'B'))
        return TH_JFF_BLANK;
    if (th_format_field_single(f))
        return th_format_import_symbol(&b->im, f);
    th_fail_at(b->err, TH_EPARSE, t->line, t->col, "a symbol is a single character, not %s",
               th_format_field_show(f, shown));
    return -1;
}

static bool add_item(ThJffBuilding *b, const ThJffTransition *t, const char *s, size_t n)
{
    int item = read_item(b, t, s, n);
    if (item == -1 || !th_grow(&b->item, &b->item_cap, b->n_items + 1, sizeof *b->item, b->err))
        return false;
    b->item[b->n_items++] = item;
    return true;
}

/* x | x,y | !x | !x,y | ~: one character alone is itself. */
static bool read_pattern(ThJffBuilding *b, const ThJffTransition *t, const char *label,
                         ThJffPattern *p)
{
    size_t n = strlen(label);
    const char *bracket = strrchr(label, '}'), *end = label + n;
    *p = (ThJffPattern){.first = b->n_items};
    if (strcmp(label, "~") == 0) {
        p->others = true;
        return true;
    }
    if (th_format_field_single((ThFormatField){label, n}) || n == 0) {
        p->n = 1;
        return add_item(b, t, label, n);
    }
    if (bracket && bracket > label && bracket[1])
        return th_jff_fail(b, t, "variables of JFLAP, as in a,b}v, are not read");
    p->others = *label == '!' || (*label == '~' && end == label + 1);
    for (const char *c = label + p->others; c < end || (c == end && c == label);) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        c += p->others && *c == '!' && end - c > 1;
        if (!add_item(b, t, c, (size_t)((comma && comma > c ? comma : end) - c)))
            return false;
        c = comma && comma >= c ? comma + 1 : end + 1;
    }
    p->n = b->n_items - p->first;
    return p->n > 0 || p->others || th_jff_fail(b, t, "a label that reads nothing");
}

static bool read_labels(ThJffBuilding *b)
{
    const ThJff *j = b->j;
    size_t k = (size_t)j->n_tapes;
    b->read = th_alloc(j->n_transitions * k, sizeof *b->read, b->err);
    b->write = th_alloc(j->n_transitions * k, sizeof *b->write, b->err);
    if (!b->read || !b->write)
        return false;
    for (size_t i = 0; i < j->n_transitions; i++) {
        ThJffTransition *t = &j->transition[i];
        for (size_t tape = 0; tape < k; tape++) {
            const char *write = th_jff_text(j, t->write[tape]);
            int *to = &b->write[i * k + tape];
            if (!read_pattern(b, t, th_jff_text(j, t->read[tape]), &b->read[i * k + tape]))
                return false;
            if (t->move[tape] < 0 && !t->block)
                return th_jff_fail(b, t, "a transition without a move");
            t->move[tape] = t->move[tape] < 0 ? 0 : t->move[tape] - 1;
            bool keeps = strcmp(write, "~") == 0 || (t->block && t->write[tape] < 0);
            *to = keeps ? TH_JFF_KEEPS : read_item(b, t, write, strlen(write));
            if (!keeps && *to == -1)
                return false;
        }
    }
    return true;
}

/* Old files have B for the blank; only where they have no other. */
static void look_for_b(ThJffBuilding *b)
{
    const ThJff *j = b->j;
    bool other = false, any = false;
    for (size_t i = 0; j->bare && i < j->n_transitions; i++) {
        for (int t = 0; t < j->n_tapes; t++) {
            const char *read = th_jff_text(j, j->transition[i].read[t]);
            const char *write = th_jff_text(j, j->transition[i].write[t]);
            other = other || !*read || !*write || strstr(read, "□") || strstr(write, "□");
            any = any || strcmp(read, "B") == 0 || strcmp(write, "B") == 0;
        }
    }
    b->b_is_blank = any && !other;
    if (b->b_is_blank)
        th_format_note(b->im.notes, "the symbol B is taken for the blank, as in old files");
}

/* The blank is called _, where no label has that. */
static bool name_blank(ThJffBuilding *b)
{
    const ThJff *j = b->j;
    bool taken = false;
    for (size_t i = 0; !taken && i < j->n_transitions; i++)
        for (int t = 0; t < j->n_tapes; t++)
            taken = taken || strchr(th_jff_text(j, j->transition[i].read[t]), '_') ||
                    strchr(th_jff_text(j, j->transition[i].write[t]), '_');
    const char *name = taken ? "□" : "_";
    b->im.b.m.blank = th_format_import_symbol(&b->im, (ThFormatField){name, strlen(name)});
    return b->im.b.m.blank == TH_JFF_BLANK;
}

bool th_jff_read_labels(ThJffBuilding *b)
{
    look_for_b(b);
    return name_blank(b) && read_labels(b);
}
