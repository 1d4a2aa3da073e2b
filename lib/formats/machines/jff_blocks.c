#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "formats/machines/jff_build.h"

const char *th_jff_text(const ThJff *j, int text)
{
    return text < 0 ? "" : th_intern_at(&j->text, (size_t)text, NULL);
}

static bool fail_state(const ThJffBuilding *b, const ThJffState *s, const char *what)
{
    return th_fail_at(b->err, TH_EPARSE, s->line, s->col, "%s", what);
}

bool th_jff_fail(const ThJffBuilding *b, const ThJffTransition *t, const char *what)
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
static bool find_insides(ThJffBuilding *b)
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
static bool resolve_ids(ThJffBuilding *b)
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
            ok = th_jff_fail(b, t, "a transition from or to a state that is not there");
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

static bool add_instance(ThJffBuilding *b, int machine, int owner, int *index)
{
    const ThJff *j = b->j;
    size_t more = (size_t)j->machine[machine].n_states, base = b->n_flat;
    if (base + more > TH_JFF_STATES)
        return th_fail_at(b->err, TH_ELIMIT, j->machine[machine].line, j->machine[machine].col,
                          "more than %d states with those inside blocks", TH_JFF_STATES);
    if (!th_grow(&b->instance, &b->instance_cap, b->n_instances + 1, sizeof *b->instance, b->err) ||
        !th_grow(&b->flat, &b->flat_cap, base + more, sizeof *b->flat, b->err))
        return false;
    *index = (int)b->n_instances;
    b->instance[b->n_instances++] = (ThJffInstance){machine, (int)base, owner};
    for (int s = j->machine[machine].first; s >= 0; s = j->state[s].next)
        b->flat[b->n_flat++] = (ThJffFlat){s, *index, -1, -1};
    return true;
}

static bool make_instances(ThJffBuilding *b)
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

const ThJffState *th_jff_state(const ThJffBuilding *b, int flat)
{
    return &b->j->state[b->flat[flat].state];
}

int th_jff_entry(const ThJffBuilding *b, int flat)
{
    while (b->flat[flat].inside >= 0) {
        const ThJffInstance *in = &b->instance[b->flat[flat].inside];
        flat = in->base + b->j->state[b->j->machine[in->machine].initial].local;
    }
    return flat;
}

int th_jff_leaving(const ThJffBuilding *b, int flat)
{
    while (th_jff_state(b, flat)->final && b->instance[b->flat[flat].instance].owner >= 0)
        flat = b->instance[b->flat[flat].instance].owner;
    return flat;
}

int th_jff_target(const ThJffBuilding *b, int leaving, const ThJffTransition *t)
{
    int base = b->instance[b->flat[leaving].instance].base;
    return th_jff_entry(b, base + b->j->state[t->to].local);
}

bool th_jff_put_together(ThJffBuilding *b)
{
    return find_insides(b) && resolve_ids(b) && make_instances(b);
}
