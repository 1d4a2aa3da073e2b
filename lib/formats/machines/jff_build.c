/* What a file of JFLAP means: blocks are put in the place of the states that stand for them, and
 * labels !x and ~ become rules for symbols.  A state of the machine is a state of the file, in an
 * instance of the machine that it stands in. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "formats/notes.h"
#include "formats/machines/jff_build.h"

enum { PAIRS = 64 }; /* transitions of a state that are compared */

/* ---- states of the machine ------------------------------------------------------------------- */

/* The name of a state: those of the blocks that it is in, and its own. */
static void write_name(const ThJffBuilding *b, ThText *t, int flat)
{
    int chain[256], n = 0;
    for (int f = flat; f >= 0 && n < 256; f = b->instance[b->flat[f].instance].owner)
        chain[n++] = f;
    while (n > 0) {
        const ThJffState *s = th_jff_state(b, chain[--n]);
        const char *name = th_jff_text(b->j, s->name);
        if (*name)
            th_text_add(t, name);
        else
            th_text_printf(t, "q%s", th_jff_text(b->j, s->id));
        th_text_add(t, n > 0 ? "." : "");
    }
}

/* Adds a state to the machine, under a name of its own. */
static bool add_state(ThJffBuilding *b, int flat)
{
    ThText t TH_OWNED(th_text_free) = {0};
    write_name(b, &t, flat);
    for (size_t i = b->n_numbered, size = t.size;
         !t.failed && th_tm_find_state(&b->im.b, t.data) >= 0; i++) {
        t.size = size;
        th_text_printf(&t, "_%zu", i);
    }
    int q = t.failed ? -1 : th_format_import_state(&b->im, (ThFormatField){t.data, t.size});
    if (q < 0)
        return false;
    b->order[b->n_numbered++] = (size_t)flat;
    b->flat[flat].number = q;
    if (th_jff_state(b, th_jff_leaving(b, flat))->final)
        b->im.b.m.role[q] = TH_TM_ACCEPTS;
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool reads(const ThJffBuilding *b, const ThJffPattern *p, int symbol)
{
    bool named = false;
    for (size_t i = 0; i < p->n; i++)
        named = named || b->item[p->first + i] == symbol;
    return named != p->others;
}

/* What the tapes of one transition may read: symbols, or TH_TM_ANY alone. */
typedef struct {
    int *symbol[TH_TM_MOST_TAPES];
    int n[TH_TM_MOST_TAPES];
} Choices;

/* What one tape reads, in symbol[0 … *n - 1]. */
static int *list_symbols(const ThJffBuilding *b, const ThJffPattern *p, int *n)
{
    size_t most = p->others ? (size_t)b->im.b.m.n_symbols : p->n, kept = 0;
    const int *item = b->item + p->first;
    int *symbol = th_alloc(most, sizeof *symbol, b->err);
    if (!symbol)
        return NULL;
    for (size_t i = 0; i < most; i++)
        symbol[i] = p->others ? (int)i : item[i];
    for (size_t i = 0; p->others && i < p->n; i++)
        symbol[item[i]] = TH_TM_ANY;
    for (size_t i = 0; i < most; i++)
        if (symbol[i] != TH_TM_ANY)
            symbol[kept++] = symbol[i];
    *n = (int)kept;
    return symbol;
}

static bool list_choices(ThJffBuilding *b, size_t transition, bool any, Choices *c)
{
    size_t k = (size_t)b->j->n_tapes;
    *c = (Choices){{NULL}, {0}};
    for (size_t t = 0; t < k; t++) {
        const ThJffPattern *p = &b->read[transition * k + t];
        bool all = any && p->others && p->n == 0;
        c->symbol[t] =
            all ? th_alloc(1, sizeof *c->symbol[t], b->err) : list_symbols(b, p, &c->n[t]);
        if (!c->symbol[t])
            return false;
        if (all)
            c->symbol[t][c->n[t]++] = TH_TM_ANY;
    }
    return true;
}

/* Adds the rules for all combinations of what the tapes read. */
static bool add_transition(ThJffBuilding *b, size_t transition, int from, int to, bool any)
{
    const ThJffTransition *x = &b->j->transition[transition];
    int k = b->j->n_tapes, at[TH_TM_MOST_TAPES] = {0}, t = 0;
    Choices c;
    bool ok = list_choices(b, transition, any, &c), some = ok;
    for (int i = 0; i < k; i++)
        some = some && c.n[i] > 0;
    while (ok && some && t >= 0) {
        ThTmRule r = {.from = from, .to = to};
        for (int i = 0; i < k; i++) {
            int write = b->write[transition * (size_t)k + (size_t)i];
            r.read[i] = c.symbol[i][at[i]];
            r.write[i] = write == TH_JFF_KEEPS ? TH_TM_ANY : write;
            r.move[i] = x->move[i];
        }
        ok = th_format_import_rule(&b->im, &r, x->line, x->col);
        for (t = k - 1; t >= 0 && ++at[t] == c.n[t]; t--)
            at[t] = 0;
    }
    for (int i = 0; i < k; i++)
        free(c.symbol[i]);
    return ok;
}

/* Can two labels never read the same? */
static bool apart(const ThJffBuilding *b, const ThJffPattern *p, const ThJffPattern *q)
{
    enum { LONG = 16 };
    if ((p->others && q->others) || p->n > LONG || q->n > LONG)
        return false;
    const ThJffPattern *list = p->others ? q : p, *other = p->others ? p : q;
    for (size_t i = 0; i < list->n; i++)
        if (reads(b, other, b->item[list->first + i]))
            return false;
    return true;
}

/* No two transitions of a state fit the same: then ~ may stay "any symbol".  Of many, or long
 * labels, it is not asked. */
static bool disjoint(const ThJffBuilding *b, int leaving)
{
    const ThJff *j = b->j;
    size_t k = (size_t)j->n_tapes, n = 0;
    int first = th_jff_state(b, leaving)->first;
    for (int t = first; t >= 0; t = j->transition[t].next)
        if (++n > PAIRS)
            return false;
    for (int t = first; t >= 0; t = j->transition[t].next) {
        for (int u = j->transition[t].next; u >= 0; u = j->transition[u].next) {
            bool good = false;
            for (size_t i = 0; i < k && !good; i++)
                good = apart(b, &b->read[(size_t)t * k + i], &b->read[(size_t)u * k + i]);
            if (!good)
                return false;
        }
    }
    return true;
}

/* All rules of a state of the machine. */
static bool add_rules(ThJffBuilding *b, size_t number)
{
    int leaving = th_jff_leaving(b, (int)b->order[number]);
    const ThJffState *s = th_jff_state(b, leaving);
    bool ok = true, any = !s->final && disjoint(b, leaving);
    for (int t = s->final ? -1 : s->first; ok && t >= 0; t = b->j->transition[t].next) {
        int to = th_jff_target(b, leaving, &b->j->transition[t]);
        ok = add_transition(b, (size_t)t, (int)number, b->flat[to].number, any);
    }
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int start_state(ThJffBuilding *b)
{
    int initial = b->j->machine[0].initial;
    if (b->start) {
        initial = -1;
        for (int i = 0; i < b->j->machine[0].n_states && initial < 0; i++) {
            ThText t = {0};
            write_name(b, &t, i);
            if (t.data && strcmp(t.data, b->start) == 0)
                initial = b->flat[i].state;
            th_text_free(&t);
        }
        if (initial < 0)
            th_fail(b->err, TH_EVALUE, "the machine has no state %.60s to start in", b->start);
    } else if (initial < 0) {
        th_fail_at(b->err, TH_EPARSE, b->j->machine[0].line, b->j->machine[0].col,
                   "no state is initial");
        th_hint(b->err, "say start=NAME");
    }
    return initial < 0 ? -1 : th_jff_entry(b, b->j->state[initial].local);
}

/* The start state first; then the others, but for blocks. */
static bool number_states(ThJffBuilding *b)
{
    int start = start_state(b);
    b->order = th_alloc(b->n_flat, sizeof *b->order, b->err);
    bool ok = start >= 0 && b->order && add_state(b, start);
    for (int i = 0; ok && i < (int)b->n_flat; i++)
        ok = b->flat[i].inside >= 0 || i == start || add_state(b, i);
    return ok;
}

static bool build(ThJffBuilding *b)
{
    ThTm *m = &b->im.b.m;
    m->n_tapes = b->j->n_tapes;
    m->missing = TH_TM_MISSING_REJECT;
    bool ok = th_jff_put_together(b) && th_jff_read_labels(b) && number_states(b);
    for (size_t i = 0; ok && i < b->n_numbered; i++)
        ok = add_rules(b, i);
    return ok && th_format_import_reject_left(&b->im);
}

static void write_notes(const ThJffBuilding *b)
{
    ThText *notes = b->im.notes;
    size_t dropped = 0;
    for (size_t i = 0; i < b->j->n_transitions; i++)
        dropped += b->j->state[b->j->transition[i].from].final;
    if (dropped)
        th_format_note(notes, "%zu transition%s of final states %s left out", dropped,
                       dropped == 1 ? "" : "s", dropped == 1 ? "was" : "were");
    if (b->expanded)
        th_format_note(notes, "blocks became the states inside them: %zu machine%s in one",
                       b->n_instances, b->n_instances == 1 ? "" : "s");
    if (b->im.b.m.n_rules > b->j->n_transitions)
        th_format_note(notes,
                       "labels for several symbols became a rule for each: %zu instead of "
                       "%zu",
                       b->im.b.m.n_rules, b->j->n_transitions);
}

ThTm *th_jff_build(ThJff *j, const ThFormatMachineReading *how, ThText *notes, ThError *err)
{
    ThJffBuilding b = {.j = j,
                       .im = {.notes = notes, .err = err, .twice = TH_FORMAT_TWICE_CHOICE},
                       .start = how->start,
                       .err = err};
    bool ok = build(&b);
    if (ok)
        write_notes(&b);
    ThTm *m = th_format_import_finish(&b.im, ok);
    if (m && m->nondeterministic)
        th_format_note(notes, "the machine is nondeterministic");
    TH_FREE(b.instance, b.flat, b.read, b.write, b.item, b.order);
    return m;
}
