/* The labels of JFLAP's machines: x, !x, ~, a,b}v, and the variables in them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/notes.h"
#include "formats/machines/jff_build.h"

/* ---- labels ---------------------------------------------------------------------------------- */

/* Variables are what stands behind a } in some label. */
static bool find_variables(ThJffBuilding *b)
{
    const ThJff *j = b->j;
    for (size_t i = 0; i < j->n_transitions; i++) {
        for (int t = 0; t < j->n_tapes; t++) {
            const char *label = th_jff_text(j, j->transition[i].read[t]);
            const char *bracket = strrchr(label, '}');
            size_t index;
            if (!bracket || !bracket[1] || bracket == label)
                continue;
            const char *name = bracket + 1 + strspn(bracket + 1, " ");
            if (!th_intern(&b->variable, name, strlen(name) + 1, &index, b->err))
                return false;
            if (b->variable.n > TH_JFF_VARIABLES)
                return th_fail_at(b->err, TH_ELIMIT, j->transition[i].line, j->transition[i].col,
                                  "more than %d variables", TH_JFF_VARIABLES);
        }
    }
    return true;
}

/* A symbol, or -2 - v for a variable; -1 and an error for anything else. */
static int read_item(ThJffBuilding *b, const ThJffTransition *t, const char *s, size_t n)
{
    char shown[TH_FORMAT_FIELD_SHOWN];
    while (n > 1 && *s == ' ') {
        s++;
        n--;
    }
    while (n > 1 && s[n - 1] == ' ')
        n--;
    for (size_t v = 0; v < b->variable.n; v++) {
        const char *name = th_intern_at(&b->variable, v, NULL);
        if (strlen(name) == n && memcmp(name, s, n) == 0)
            return -2 - (int)v;
    }
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

/* x | !x | !x,y | ~ | a,b}v: one character alone is itself. */
static bool read_pattern(ThJffBuilding *b, const ThJffTransition *t, const char *label,
                         ThJffPattern *p)
{
    size_t n = strlen(label);
    const char *bracket = strrchr(label, '}'), *end = label + n;
    *p = (ThJffPattern){.first = b->n_items, .variable = -1};
    if (strcmp(label, "~") == 0) {
        p->others = true;
        return true;
    }
    if (th_format_field_single((ThFormatField){label, n}) || n == 0) {
        p->n = 1;
        return add_item(b, t, label, n);
    }
    if (bracket && bracket > label && bracket[1]) {
        const char *name = bracket + 1 + strspn(bracket + 1, " ");
        p->variable = (int)th_intern_find(&b->variable, name, strlen(name) + 1);
        end = bracket;
    }
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

/* ---- variables ------------------------------------------------------------------------------- */

static uint64_t variables_in(const ThJffBuilding *b, const ThJffPattern *p)
{
    uint64_t set = 0;
    for (size_t i = 0; i < p->n; i++)
        if (b->item[p->first + i] <= -2)
            set |= UINT64_C(1) << (-2 - b->item[p->first + i]);
    return set;
}

/* What a transition needs before it, given what is read behind it. */
static uint64_t needed_by(const ThJffBuilding *b, size_t transition, uint64_t after)
{
    size_t k = (size_t)b->j->n_tapes;
    uint64_t reads = 0;
    for (size_t t = 0; t < k; t++)
        if (b->write[transition * k + t] <= -2)
            after |= UINT64_C(1) << (-2 - b->write[transition * k + t]);
    for (size_t t = 0; t < k; t++) {
        const ThJffPattern *p = &b->read[transition * k + t];
        reads |= variables_in(b, p);
        if (p->variable >= 0)
            after &= ~(UINT64_C(1) << p->variable);
    }
    return reads | after;
}

/* Variables that are read later, by rounds until nothing changes.  Where that takes long, all are
 * taken to be: then there may be more states than need be. */
static bool find_live(ThJffBuilding *b)
{
    enum { MOST_WORK = 50000000 };
    size_t work = 0;
    b->live = th_alloc(b->n_flat, sizeof *b->live, b->err);
    bool changed = b->live && b->variable.n > 0;
    while (changed && work <= MOST_WORK) {
        changed = false;
        for (size_t i = b->n_flat; i-- > 0 && work <= MOST_WORK;) {
            int leaving = th_jff_leaving(b, (int)i);
            uint64_t live = b->live[i];
            for (int t = th_jff_state(b, leaving)->first; t >= 0; t = b->j->transition[t].next) {
                live |= needed_by(b, (size_t)t,
                                  b->live[th_jff_target(b, leaving, &b->j->transition[t])]);
                work++;
            }
            changed = changed || live != b->live[i];
            b->live[i] = live;
            work++;
        }
    }
    if (changed)
        memset(b->live, 0xff, b->n_flat * sizeof *b->live);
    return b->live != NULL;
}

bool th_jff_read_labels(ThJffBuilding *b)
{
    look_for_b(b);
    return name_blank(b) && find_variables(b) && read_labels(b) && find_live(b);
}
