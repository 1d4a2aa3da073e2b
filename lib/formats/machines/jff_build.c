/* What a file of JFLAP means: blocks are put in the place of the states that stand for them, and
 * labels !x and ~ become rules for symbols.  A state of the machine is a state of the file, in an
 * instance of the machine that it stands in. */

#include "formats/notes.h"
#include "formats/machines/jff_records.h"

enum { MOST_STATES = 1 << 20, BLANK = 0 };

/* A machine in the place of a block; its states are flat states base, base + 1, … */
typedef struct {
    int machine, base, owner; /* owner: the flat state of the block, or -1 */
} Instance;

/* A state of the file in an instance; inside: the instance that a block stands for, or -1. */
typedef struct {
    int state, instance, inside;
    int number; /* of the machine's state, or -1 */
} Flat;

/* What a label reads: these symbols, or all but these. */
typedef struct {
    bool others;
    size_t first, n; /* in item of the building */
} Pattern;

enum { KEEPS = -1 }; /* a label that writes what was read; else a symbol */

typedef struct {
    ThJff *j;
    ThFormatImport im;
    Instance *instance;
    size_t n_instances, instance_cap;
    Flat *flat;
    size_t n_flat, flat_cap;
    Pattern *read; /* (transitions, tapes) */
    int *write;    /* (transitions, tapes) */
    int *item;     /* symbols */
    size_t n_items, item_cap;
    size_t *order; /* flat states as they are numbered */
    size_t n_numbered;
    bool b_is_blank;
    bool expanded;
    const char *start;
    ThError *err;
} Building;

/* View of a text; "" for -1. */
static const char *text_of(const ThJff *j, int text)
{
    return text < 0 ? "" : th_intern_at(&j->text, (size_t)text, NULL);
}

static bool fail_state(const Building *b, const ThJffState *s, const char *what)
{
    return th_fail_at(b->err, TH_EPARSE, s->line, s->col, "%s", what);
}

static bool fail_transition(const Building *b, const ThJffTransition *t, const char *what)
{
    return th_fail_at(b->err, TH_EPARSE, t->line, t->col, "%s", what);
}

/* ---- states by id, blocks by tag ------------------------------------------------------------- */

static bool find(const ThIntern *t, int machine, int text, int *found, const int *value)
{
    int key[2] = {machine, text};
    size_t i = th_intern_find(t, key, sizeof key);
    *found = i == SIZE_MAX ? -1 : value[i];
    return *found >= 0;
}

/* The insides of blocks are the elements beside them that are called like their tag. */
static bool find_insides(Building *b)
{
    ThJff *j = b->j;
    ThIntern tags TH_OWNED(th_intern_free) = {0};
    int *machine TH_OWNED(free) = th_alloc(j->n_machines, sizeof *machine, b->err);
    bool ok = machine != NULL;
    for (size_t i = 0; ok && i < j->n_machines; i++) {
        size_t index, before = tags.n;
        int key[2] = {j->machine[i].parent, j->machine[i].tag};
        ok = th_intern(&tags, key, sizeof key, &index, b->err);
        if (ok && (index == before || j->machine[machine[index]].n_states == 0))
            machine[index] = (int)i;
    }
    for (size_t i = 0; ok && i < j->n_states; i++) {
        ThJffState *s = &j->state[i];
        if (s->inside < 0 && s->tag >= 0)
            find(&tags, s->machine, s->tag, &s->inside, machine);
        if (s->inside >= 0 && j->machine[s->inside].n_states == 0)
            s->inside = -1;
        if (s->inside >= 0 && j->machine[s->inside].initial < 0)
            ok = fail_state(b, s, "the block has no initial state inside");
    }
    return ok;
}

/* Transitions get states instead of ids, and hang on the state that they leave. */
static bool resolve_ids(Building *b)
{
    ThJff *j = b->j;
    ThIntern ids TH_OWNED(th_intern_free) = {0};
    int *state TH_OWNED(free) = th_alloc(j->n_states, sizeof *state, b->err);
    bool ok = state != NULL;
    for (size_t i = 0; ok && i < j->n_states; i++) {
        size_t index, before = ids.n;
        int key[2] = {j->state[i].machine, j->state[i].id};
        ok = th_intern(&ids, key, sizeof key, &index, b->err) &&
             (index == before || fail_state(b, &j->state[i], "two states have the same id"));
        if (ok)
            state[index] = (int)i;
    }
    for (size_t i = 0; ok && i < j->n_transitions; i++) {
        ThJffTransition *t = &j->transition[i];
        if (!find(&ids, t->machine, t->from, &t->from, state) ||
            !find(&ids, t->machine, t->to, &t->to, state)) {
            ok = fail_transition(b, t, "a transition from or to a state that is not there");
            break;
        }
        ThJffState *s = &j->state[t->from];
        if (s->last < 0)
            s->first = (int)i;
        else
            j->transition[s->last].next = (int)i;
        s->last = (int)i;
    }
    return ok;
}

/* ---- instances ------------------------------------------------------------------------------- */

static bool add_instance(Building *b, int machine, int owner, int *index)
{
    const ThJff *j = b->j;
    size_t more = (size_t)j->machine[machine].n_states, base = b->n_flat;
    if (base + more > MOST_STATES)
        return th_fail_at(b->err, TH_ELIMIT, j->machine[machine].line, j->machine[machine].col,
                          "more than %d states with those inside blocks", MOST_STATES);
    if (!th_grow(&b->instance, &b->instance_cap, b->n_instances + 1, sizeof *b->instance, b->err) ||
        !th_grow(&b->flat, &b->flat_cap, base + more, sizeof *b->flat, b->err))
        return false;
    *index = (int)b->n_instances;
    b->instance[b->n_instances++] = (Instance){machine, (int)base, owner};
    for (int s = j->machine[machine].first; s >= 0; s = j->state[s].next)
        b->flat[b->n_flat++] = (Flat){s, *index, -1, -1};
    return true;
}

static bool make_instances(Building *b)
{
    int index = 0;
    if (!add_instance(b, 0, -1, &index))
        return false;
    for (size_t i = 0; i < b->n_flat; i++) {
        int inside = b->j->state[b->flat[i].state].inside;
        if (inside < 0)
            continue;
        if (!add_instance(b, inside, (int)i, &index))
            return false;
        b->flat[i].inside = index;
        b->expanded = true;
    }
    return true;
}

static const ThJffState *state_of(const Building *b, int flat)
{
    return &b->j->state[b->flat[flat].state];
}

/* The state that is entered with a state of the file: of a block the initial one inside. */
static int entry_of(const Building *b, int flat)
{
    while (b->flat[flat].inside >= 0) {
        const Instance *in = &b->instance[b->flat[flat].inside];
        flat = in->base + b->j->state[b->j->machine[in->machine].initial].local;
    }
    return flat;
}

/* The state whose transitions are taken: a final state inside a block goes on with the block's. */
static int leaving_of(const Building *b, int flat)
{
    while (state_of(b, flat)->final && b->instance[b->flat[flat].instance].owner >= 0)
        flat = b->instance[b->flat[flat].instance].owner;
    return flat;
}

/* Where a transition from there leads. */
static int target_of(const Building *b, int leaving, const ThJffTransition *t)
{
    int base = b->instance[b->flat[leaving].instance].base;
    return entry_of(b, base + b->j->state[t->to].local);
}

static bool put_together(Building *b)
{
    return find_insides(b) && resolve_ids(b) && make_instances(b);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A symbol; -1 and an error for anything else. */
static int read_item(Building *b, const ThJffTransition *t, const char *s, size_t n)
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
        return BLANK;
    if (th_format_field_single(f))
        return th_format_import_symbol(&b->im, f);
    th_fail_at(b->err, TH_EPARSE, t->line, t->col, "a symbol is a single character, not %s",
               th_format_field_show(f, shown));
    return -1;
}

static bool add_item(Building *b, const ThJffTransition *t, const char *s, size_t n)
{
    int item = read_item(b, t, s, n);
    if (item == -1 || !th_grow(&b->item, &b->item_cap, b->n_items + 1, sizeof *b->item, b->err))
        return false;
    b->item[b->n_items++] = item;
    return true;
}

/* x | x,y | !x | !x,y | ~: one character alone is itself. */
static bool read_pattern(Building *b, const ThJffTransition *t, const char *label, Pattern *p)
{
    size_t n = strlen(label);
    const char *bracket = strrchr(label, '}'), *end = label + n;
    *p = (Pattern){.first = b->n_items};
    if (strcmp(label, "~") == 0) {
        p->others = true;
        return true;
    }
    if (th_format_field_single((ThFormatField){label, n}) || n == 0) {
        p->n = 1;
        return add_item(b, t, label, n);
    }
    if (bracket && bracket > label && bracket[1])
        return fail_transition(b, t, "variables of JFLAP, as in a,b}v, are not read");
    p->others = *label == '!' || (*label == '~' && end == label + 1);
    for (const char *c = label + p->others; c < end || (c == end && c == label);) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        c += p->others && *c == '!' && end - c > 1;
        if (!add_item(b, t, c, (size_t)((comma && comma > c ? comma : end) - c)))
            return false;
        c = comma && comma >= c ? comma + 1 : end + 1;
    }
    p->n = b->n_items - p->first;
    return p->n > 0 || p->others || fail_transition(b, t, "a label that reads nothing");
}

static bool read_labels(Building *b)
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
            const char *write = text_of(j, t->write[tape]);
            int *to = &b->write[i * k + tape];
            if (!read_pattern(b, t, text_of(j, t->read[tape]), &b->read[i * k + tape]))
                return false;
            if (t->move[tape] < 0 && !t->block)
                return fail_transition(b, t, "a transition without a move");
            t->move[tape] = t->move[tape] < 0 ? 0 : t->move[tape] - 1;
            bool keeps = strcmp(write, "~") == 0 || (t->block && t->write[tape] < 0);
            *to = keeps ? KEEPS : read_item(b, t, write, strlen(write));
            if (!keeps && *to == -1)
                return false;
        }
    }
    return true;
}

/* Old files have B for the blank; only where they have no other. */
static void look_for_b(Building *b)
{
    const ThJff *j = b->j;
    bool other = false, any = false;
    for (size_t i = 0; j->bare && i < j->n_transitions; i++) {
        for (int t = 0; t < j->n_tapes; t++) {
            const char *read = text_of(j, j->transition[i].read[t]);
            const char *write = text_of(j, j->transition[i].write[t]);
            other = other || !*read || !*write || strstr(read, "□") || strstr(write, "□");
            any = any || strcmp(read, "B") == 0 || strcmp(write, "B") == 0;
        }
    }
    b->b_is_blank = any && !other;
    if (b->b_is_blank)
        th_format_note(b->im.notes, "the symbol B is taken for the blank, as in old files");
}

/* The blank is called _, where no label has that. */
static bool name_blank(Building *b)
{
    const ThJff *j = b->j;
    bool taken = false;
    for (size_t i = 0; !taken && i < j->n_transitions; i++)
        for (int t = 0; t < j->n_tapes; t++)
            taken = taken || strchr(text_of(j, j->transition[i].read[t]), '_') ||
                    strchr(text_of(j, j->transition[i].write[t]), '_');
    const char *name = taken ? "□" : "_";
    b->im.b.m.blank = th_format_import_symbol(&b->im, (ThFormatField){name, strlen(name)});
    return b->im.b.m.blank == BLANK;
}

static bool read_all_labels(Building *b)
{
    look_for_b(b);
    return name_blank(b) && read_labels(b);
}

enum { PAIRS = 64 }; /* transitions of a state that are compared */

/* ---- states of the machine ------------------------------------------------------------------- */

/* The name of a state: those of the blocks that it is in, and its own. */
static void write_name(const Building *b, ThText *t, int flat)
{
    int chain[256], n = 0;
    for (int f = flat; f >= 0 && n < 256; f = b->instance[b->flat[f].instance].owner)
        chain[n++] = f;
    while (n > 0) {
        const ThJffState *s = state_of(b, chain[--n]);
        const char *name = text_of(b->j, s->name);
        if (*name)
            th_text_add(t, name);
        else
            th_text_printf(t, "q%s", text_of(b->j, s->id));
        th_text_add(t, n > 0 ? "." : "");
    }
}

/* Adds a state to the machine, under a name of its own. */
static bool add_state(Building *b, int flat)
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
    if (state_of(b, leaving_of(b, flat))->final)
        b->im.b.m.role[q] = TH_TM_ACCEPTS;
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool reads(const Building *b, const Pattern *p, int symbol)
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
static int *list_symbols(const Building *b, const Pattern *p, int *n)
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

static bool list_choices(Building *b, size_t transition, bool any, Choices *c)
{
    size_t k = (size_t)b->j->n_tapes;
    *c = (Choices){{NULL}, {0}};
    for (size_t t = 0; t < k; t++) {
        const Pattern *p = &b->read[transition * k + t];
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
static bool add_transition(Building *b, size_t transition, int from, int to, bool any)
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
            r.write[i] = write == KEEPS ? TH_TM_ANY : write;
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
static bool apart(const Building *b, const Pattern *p, const Pattern *q)
{
    enum { LONG = 16 };
    if ((p->others && q->others) || p->n > LONG || q->n > LONG)
        return false;
    const Pattern *list = p->others ? q : p, *other = p->others ? p : q;
    for (size_t i = 0; i < list->n; i++)
        if (reads(b, other, b->item[list->first + i]))
            return false;
    return true;
}

/* No two transitions of a state fit the same: then ~ may stay "any symbol".  Of many, or long
 * labels, it is not asked. */
static bool disjoint(const Building *b, int leaving)
{
    const ThJff *j = b->j;
    size_t k = (size_t)j->n_tapes, n = 0;
    int first = state_of(b, leaving)->first;
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
static bool add_rules(Building *b, size_t number)
{
    int leaving = leaving_of(b, (int)b->order[number]);
    const ThJffState *s = state_of(b, leaving);
    bool ok = true, any = !s->final && disjoint(b, leaving);
    for (int t = s->final ? -1 : s->first; ok && t >= 0; t = b->j->transition[t].next) {
        int to = target_of(b, leaving, &b->j->transition[t]);
        ok = add_transition(b, (size_t)t, (int)number, b->flat[to].number, any);
    }
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int start_state(Building *b)
{
    int initial = b->j->machine[0].initial;
    if (b->start) {
        initial = -1;
        for (int i = 0; i < b->j->machine[0].n_states && initial < 0; i++) {
            ThText t TH_OWNED(th_text_free) = {0};
            write_name(b, &t, i);
            if (t.data && strcmp(t.data, b->start) == 0)
                initial = b->flat[i].state;
        }
        if (initial < 0)
            th_fail(b->err, TH_EVALUE, "the machine has no state %.60s to start in", b->start);
    } else if (initial < 0) {
        th_fail_at(b->err, TH_EPARSE, b->j->machine[0].line, b->j->machine[0].col,
                   "no state is initial");
        th_hint(b->err, "say start=NAME");
    }
    return initial < 0 ? -1 : entry_of(b, b->j->state[initial].local);
}

/* The start state first; then the others, but for blocks. */
static bool number_states(Building *b)
{
    int start = start_state(b);
    b->order = th_alloc(b->n_flat, sizeof *b->order, b->err);
    bool ok = start >= 0 && b->order && add_state(b, start);
    for (int i = 0; ok && i < (int)b->n_flat; i++)
        ok = b->flat[i].inside >= 0 || i == start || add_state(b, i);
    return ok;
}

static bool build(Building *b)
{
    ThTm *m = &b->im.b.m;
    m->n_tapes = b->j->n_tapes;
    m->missing = TH_TM_MISSING_REJECT;
    bool ok = put_together(b) && read_all_labels(b) && number_states(b);
    for (size_t i = 0; ok && i < b->n_numbered; i++)
        ok = add_rules(b, i);
    return ok && th_format_import_reject_left(&b->im);
}

static void write_notes(const Building *b)
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
                       "labels for several symbols became a rule for each: %zu instead of %zu",
                       b->im.b.m.n_rules, b->j->n_transitions);
}

ThTm *th_jff_build(ThJff *j, const ThFormatMachineReading *how, ThText *notes, ThError *err)
{
    Building b = {.j = j,
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
