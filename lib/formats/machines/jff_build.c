/* What a file of JFLAP means: blocks are put in the place of the states that stand for them, labels
 * !x and ~ become rules for symbols, and states are told apart by the values of variables.
 *
 * The states are visited from the start (or all of them, where there are no variables) by a queue,
 * each being a state of the file, in an instance of its machine, with values of the variables that
 * are still read later. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/notes.h"
#include "formats/machines/jff_build.h"

enum { PAIRS = 64 }; /* transitions of a state that are compared */

/* ---- states of the machine ------------------------------------------------------------------- */

enum { KEY = 1 + TH_JFF_VARIABLES };

/* The name of a state: those of the blocks that it is in, its own, and values of variables. */
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

static void write_values(const ThJffBuilding *b, ThText *t, const int *key)
{
    bool any = false;
    for (size_t v = 0; v < b->variable.n; v++) {
        if (key[1 + v] < 0)
            continue;
        th_text_printf(t, "%s%s=%s", any ? "," : "[",
                       (const char *)th_intern_at(&b->variable, v, NULL),
                       b->im.b.m.symbol[key[1 + v]]);
        any = true;
    }
    th_text_add(t, any ? "]" : "");
}

/* The number of a state of the machine, which gets a name of its own. */
static int state_number(ThJffBuilding *b, int *key)
{
    size_t index, before = b->config.n;
    for (size_t v = 0; v < b->variable.n; v++)
        if (!(b->live[key[0]] >> v & 1))
            key[1 + v] = -1;
    if (!th_intern(&b->config, key, (1 + b->variable.n) * sizeof *key, &index, b->err))
        return -1;
    if (index < before)
        return (int)index;
    if (before >= TH_JFF_STATES) {
        th_fail(b->err, TH_ELIMIT, "more than %d states with the values of variables",
                TH_JFF_STATES);
        return -1;
    }
    ThText t = {0};
    write_name(b, &t, key[0]);
    write_values(b, &t, key);
    for (size_t i = before, size = t.size; !t.failed && th_tm_find_state(&b->im.b, t.data) >= 0;
         i++) {
        t.size = size;
        th_text_printf(&t, "_%zu", i);
    }
    int q = t.failed ? -1 : th_format_import_state(&b->im, (ThFormatField){t.data, t.size});
    th_text_free(&t);
    if (q >= 0 && th_jff_state(b, th_jff_leaving(b, key[0]))->final)
        b->im.b.m.role[q] = TH_TM_ACCEPTS;
    return q;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A symbol as an item has it, with the values of variables; -1: a variable without one. */
static int value_of(const int *key, int item)
{
    return item <= -2 ? key[1 - 2 - item] : item;
}

static bool reads(const ThJffBuilding *b, const ThJffPattern *p, const int *key, int symbol)
{
    bool named = false;
    for (size_t i = 0; i < p->n; i++)
        named = named || value_of(key, b->item[p->first + i]) == symbol;
    return named != p->others;
}

/* What the tapes of one transition may read: symbols, or TH_TM_ANY alone. */
typedef struct {
    int *symbol[TH_TM_MOST_TAPES];
    int n[TH_TM_MOST_TAPES];
} Choices;

static bool check_values(ThJffBuilding *b, const ThJffTransition *t, const ThJffPattern *p,
                         const int *key)
{
    for (size_t i = 0; i < p->n; i++)
        if (value_of(key, b->item[p->first + i]) < 0)
            return th_jff_fail(b, t, "the label reads a variable that may have no value yet");
    return true;
}

/* What one tape reads, in symbol[0 … *n - 1]. */
static int *list_symbols(const ThJffBuilding *b, const ThJffPattern *p, const int *key, int *n)
{
    size_t most = p->others ? (size_t)b->im.b.m.n_symbols : p->n, kept = 0;
    int *symbol = th_alloc(most, sizeof *symbol, b->err);
    if (!symbol)
        return NULL;
    for (size_t s = 0; p->others && s < most; s++)
        symbol[s] = (int)s;
    for (size_t i = 0; i < p->n; i++) {
        int named = value_of(key, b->item[p->first + i]);
        symbol[p->others ? (size_t)named : i] = p->others ? TH_TM_ANY : named;
    }
    for (size_t s = 0; s < most; s++)
        if (symbol[s] != TH_TM_ANY)
            symbol[kept++] = symbol[s];
    *n = (int)kept;
    return symbol;
}

static bool list_choices(ThJffBuilding *b, size_t transition, const int *key, bool any, Choices *c)
{
    size_t k = (size_t)b->j->n_tapes;
    *c = (Choices){{NULL}, {0}};
    for (size_t t = 0; t < k; t++) {
        const ThJffPattern *p = &b->read[transition * k + t];
        if (!check_values(b, &b->j->transition[transition], p, key))
            return false;
        bool all = any && p->others && p->n == 0 && p->variable < 0;
        c->symbol[t] =
            all ? th_alloc(1, sizeof *c->symbol[t], b->err) : list_symbols(b, p, key, &c->n[t]);
        if (!c->symbol[t])
            return false;
        if (all)
            c->symbol[t][c->n[t]++] = TH_TM_ANY;
    }
    return true;
}

/* Adds the rule for one combination of what the tapes read. */
static bool add_rule(ThJffBuilding *b, size_t transition, int target, const int *key, ThTmRule *r)
{
    const ThJffTransition *t = &b->j->transition[transition];
    size_t k = (size_t)b->j->n_tapes;
    int after[KEY];
    memcpy(after, key, sizeof after);
    after[0] = target;
    for (size_t i = 0; i < k; i++)
        if (b->read[transition * k + i].variable >= 0)
            after[1 + b->read[transition * k + i].variable] = r->read[i];
    for (size_t i = 0; i < k; i++) {
        int write = b->write[transition * k + i];
        r->write[i] = write == TH_JFF_KEEPS ? TH_TM_ANY : value_of(after, write);
        r->move[i] = t->move[i];
        if (write != TH_JFF_KEEPS && r->write[i] < 0)
            return th_jff_fail(b, t, "the label writes a variable that may have no value yet");
    }
    r->to = state_number(b, after);
    return r->to >= 0 && th_format_import_rule(&b->im, r, t->line, t->col);
}

static bool add_transition(ThJffBuilding *b, size_t transition, int from, int target,
                           const int *key, bool any)
{
    int k = b->j->n_tapes, at[TH_TM_MOST_TAPES] = {0}, t = 0;
    Choices c;
    bool ok = list_choices(b, transition, key, any, &c), some = ok;
    for (int i = 0; i < k; i++)
        some = some && c.n[i] > 0;
    while (ok && some && t >= 0) {
        ThTmRule r = {.from = from};
        for (int i = 0; i < k; i++)
            r.read[i] = c.symbol[i][at[i]];
        ok = add_rule(b, transition, target, key, &r);
        for (t = k - 1; t >= 0 && ++at[t] == c.n[t]; t--)
            at[t] = 0;
    }
    for (int i = 0; i < k; i++)
        free(c.symbol[i]);
    return ok;
}

/* Can two labels never read the same? */
static bool apart(const ThJffBuilding *b, const ThJffPattern *p, const ThJffPattern *q,
                  const int *key)
{
    enum { LONG = 16 };
    if ((p->others && q->others) || p->n > LONG || q->n > LONG)
        return false;
    const ThJffPattern *list = p->others ? q : p, *other = p->others ? p : q;
    for (size_t i = 0; i < list->n; i++)
        if (reads(b, other, key, value_of(key, b->item[list->first + i])))
            return false;
    return true;
}

/* No two transitions of a state fit the same: then ~ may stay "any symbol".  Of many, or long
 * labels, it is not asked. */
static bool disjoint(const ThJffBuilding *b, int leaving, const int *key)
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
                good = apart(b, &b->read[(size_t)t * k + i], &b->read[(size_t)u * k + i], key);
            if (!good)
                return false;
        }
    }
    return true;
}

/* All rules of a state of the machine; targets that are new come to the end of the queue. */
static bool add_rules(ThJffBuilding *b, size_t config)
{
    int key[KEY] = {0};
    size_t size;
    const void *bytes = th_intern_at(&b->config, config, &size);
    memcpy(key, bytes, size);
    int leaving = th_jff_leaving(b, key[0]);
    const ThJffState *s = th_jff_state(b, leaving);
    if (s->final)
        return true;
    bool any = disjoint(b, leaving, key);
    for (int t = s->first; t >= 0; t = b->j->transition[t].next)
        if (!add_transition(b, (size_t)t, (int)config,
                            th_jff_target(b, leaving, &b->j->transition[t]), key, any))
            return false;
    return true;
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

/* The start state first; the others too where they do not depend on variables. */
static bool queue_states(ThJffBuilding *b)
{
    int key[KEY], start = start_state(b);
    if (start < 0)
        return false;
    for (int i = -1; i < (b->variable.n ? 0 : (int)b->n_flat); i++) {
        memset(key, 0xff, sizeof key);
        key[0] = i < 0 ? start : i;
        if (b->flat[key[0]].inside < 0 && state_number(b, key) < 0)
            return false;
    }
    return true;
}

static bool build(ThJffBuilding *b)
{
    ThTm *m = &b->im.b.m;
    m->n_tapes = b->j->n_tapes;
    m->missing = TH_TM_MISSING_REJECT;
    bool ok = th_jff_put_together(b) && th_jff_read_labels(b) && queue_states(b);
    for (size_t i = 0; ok && i < b->config.n; i++)
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
    if (b->variable.n)
        th_format_note(notes,
                       "variables became states for each of their values; states that are not "
                       "reached were left out");
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
    free(b.instance);
    free(b.flat);
    free(b.read);
    free(b.write);
    free(b.item);
    free(b.live);
    th_intern_free(&b.variable);
    th_intern_free(&b.config);
    return m;
}
