
#include "turing/analyze.h"

/* ---- configurations with a hash -------------------------------------------------------------- */

/* A run whose tapes are hashed: the sum over the cells that are not blank. */
typedef struct {
    ThTmRunning r;
    uint64_t hash;
    bool bounced; /* the last step stayed at the edge */
} Walk;

static uint64_t cell_hash(int tape, int64_t position, int symbol)
{
    return th_hash_mix(((uint64_t)position << 19) ^ ((uint64_t)symbol << 3) ^ (uint64_t)tape);
}

static bool walk_start(Walk *w, const ThTm *m, const ThTmTapeWords *words, ThError *err)
{
    *w = (Walk){0};
    if (!th_tm_running_start_words(&w->r, m, words, err))
        return false;
    for (int t = 0; t < m->n_tapes; t++) {
        const int *word = words->word[t];
        for (int i = 0; word && i < words->length[t]; i++)
            w->hash += word[i] == m->blank ? 0 : cell_hash(t, i, word[i]);
    }
    return true;
}

static int scanned(const ThTmTape *t)
{
    return t->cell[t->head - t->base];
}

/* One step.  Whether it was made is seen from r.verdict. */
static bool walk_step(Walk *w, ThTmRunLimits limits, ThStop *stop, ThError *err)
{
    const ThTm *m = w->r.machine;
    int64_t at[TH_TM_MOST_TAPES];
    int was[TH_TM_MOST_TAPES];
    uint64_t before = w->r.steps;
    for (int t = 0; t < m->n_tapes; t++) {
        at[t] = w->r.tape[t].head;
        was[t] = scanned(&w->r.tape[t]);
    }
    if (!th_tm_running_go(&w->r, 1, limits, before % 4096 == 0 ? stop : NULL, err))
        return false;
    if (w->r.steps == before || w->r.rule < 0)
        return true;
    const ThTmRule *rule = &m->rule[w->r.rule];
    w->bounced = false;
    for (int t = 0; t < m->n_tapes; t++) {
        int is = rule->write[t] == TH_TM_ANY ? was[t] : rule->write[t];
        if (is != was[t]) {
            w->hash -= was[t] == m->blank ? 0 : cell_hash(t, at[t], was[t]);
            w->hash += is == m->blank ? 0 : cell_hash(t, at[t], is);
        }
        w->bounced = w->bounced || (rule->move[t] < 0 && w->r.tape[t].head == at[t]);
    }
    return true;
}

static bool walk_to(Walk *w, uint64_t step, ThStop *stop, ThError *err)
{
    ThTmRunLimits limits = {step, UINT64_MAX};
    while (w->r.steps < step && !th_tm_verdict_final(w->r.verdict)) {
        uint64_t before = w->r.steps;
        if (!walk_step(w, limits, stop, err))
            return false;
        if (w->r.steps == before)
            break;
    }
    return true;
}

/* ---- configurations that are kept ------------------------------------------------------------ */

typedef struct {
    bool set;
    uint64_t step, hash;
    int state;
    ThTmTape tape[TH_TM_MOST_TAPES];
} Kept;

static void drop(Kept *k)
{
    for (int t = 0; t < TH_TM_MOST_TAPES; t++)
        free(k->tape[t].cell);
    *k = (Kept){0};
}

static bool keep(Kept *k, const Walk *w, ThError *err)
{
    drop(k);
    k->set = true;
    k->step = w->r.steps;
    k->hash = w->hash;
    k->state = w->r.state;
    for (int t = 0; t < w->r.machine->n_tapes; t++) {
        k->tape[t] = w->r.tape[t];
        k->tape[t].cell = th_copy(w->r.tape[t].cell, w->r.tape[t].size, sizeof(uint16_t), err);
        if (!k->tape[t].cell)
            return false;
    }
    return true;
}

/* Cells first … last of `a`, and those that lie by `shift` further in `b`, from last to first. */
static bool same_cells(const ThTmTape *a, const ThTmTape *b, int64_t first, int64_t last,
                       int64_t shift, int blank)
{
    for (int64_t i = last; i >= first; i--)
        if (th_tm_tape_at(a, i, blank) != th_tm_tape_at(b, i + shift, blank))
            return false;
    return true;
}

static bool same_configuration(const Kept *k, const Walk *w)
{
    const ThTm *m = w->r.machine;
    if (k->hash != w->hash || k->state != w->r.state)
        return false;
    for (int t = 0; t < m->n_tapes; t++)
        if (k->tape[t].head != w->r.tape[t].head)
            return false;
    for (int t = 0; t < m->n_tapes; t++) {
        const ThTmTape *a = &w->r.tape[t];
        if (!same_cells(&k->tape[t], a, a->base, a->base + (int64_t)a->size - 1, 0, m->blank))
            return false;
    }
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

/* The records of the head's position in one direction, beyond the input. */
typedef struct {
    int way;          /* 1: to the right */
    uint64_t n, next; /* records so far; at which the next one is kept */
    Kept kept;
    int64_t back; /* how far back to the other side the head went since */
    uint64_t at;  /* number of the record that is kept */
    bool bounced;
} Records;

/* How far a position lies in the direction of the records. */
static int64_t along(const Records *r, int64_t position)
{
    return r->way > 0 ? position : -position;
}

static bool at_record(const Records *r, const Walk *w, int64_t low, int64_t high, int input)
{
    const ThTmTape *t = &w->r.tape[0];
    return r->way > 0 ? t->head > high && t->head >= input : t->head < low;
}

/* Is what the head has seen since the record that is kept the same at this one? */
static bool same_at_record(const Records *r, const Walk *w)
{
    const ThTmTape *a = &r->kept.tape[0], *b = &w->r.tape[0];
    if (!r->kept.set || r->bounced || r->kept.state != w->r.state)
        return false;
    int64_t shift = b->head - a->head, last = a->head, first = r->way > 0 ? r->back : -r->back;
    int blank = w->r.machine->blank;
    if (r->way > 0)
        return same_cells(a, b, first, last, shift, blank);
    for (int64_t i = last; i <= first; i++)
        if (th_tm_tape_at(a, i, blank) != th_tm_tape_at(b, i + shift, blank))
            return false;
    return true;
}

static bool keep_record(Records *r, const Walk *w, ThError *err)
{
    r->back = along(r, w->r.tape[0].head);
    r->bounced = false;
    r->at = r->n;
    return keep(&r->kept, w, err);
}

static void note_step(Records *r, const Walk *w)
{
    int64_t at = along(r, w->r.tape[0].head);
    r->back = at < r->back ? at : r->back;
    r->bounced = r->bounced || w->bounced;
}

static void fill_translation(ThTmRecurrence *a, const Records *r, const Walk *w)
{
    const ThTmTape *from = &r->kept.tape[0];
    int64_t back = along(r, r->back);
    *a = (ThTmRecurrence){.step = r->kept.step,
                          .period = w->r.steps - r->kept.step,
                          .shift = w->r.tape[0].head - from->head,
                          .head = from->head,
                          .state = r->kept.state};
    a->first = r->way > 0 ? back : from->head;
    a->last = r->way > 0 ? from->head : back;
}

/* ---- the first of them ----------------------------------------------------------------------- */

/* The least step from which the configuration comes back after `period` steps. */
static bool first_cycle(const ThTmWork *k, ThTmRecurrence *a, ThError *err)
{
    Walk x = {0}, y = {0};
    Kept kept = {0};
    ThTmRunLimits none = {TH_TM_MOST_STEPS, UINT64_MAX};
    bool same = false, ok = walk_start(&x, k->machine, k->words, err) &&
                            walk_start(&y, k->machine, k->words, err) &&
                            walk_to(&y, a->period, k->stop, err);
    while (ok && !same) {
        same = x.hash == y.hash && x.r.state == y.r.state;
        if (same)
            ok = keep(&kept, &x, err);
        same = same && ok && same_configuration(&kept, &y);
        if (ok && !same)
            ok = walk_step(&x, none, k->stop, err) && walk_step(&y, none, k->stop, err);
    }
    if (ok) {
        const ThTmTape *t = &y.r.tape[0];
        *a = (ThTmRecurrence){.step = x.r.steps, .period = a->period, .head = t->head};
        a->state = x.r.state;
        a->first = t->low;
        a->last = t->high;
    }
    drop(&kept);
    th_tm_running_free(&x.r);
    th_tm_running_free(&y.r);
    return ok;
}

/* A record, and one that lies `gap` records behind it. */
typedef struct {
    int way;
    uint64_t at, gap;
} Pair;

/* Is the second record of a pair the first again?  If so *a tells how. */
static bool try_record(const ThTmWork *k, Pair p, ThTmRecurrence *a, bool *same, ThError *err)
{
    Walk w = {0};
    Records r = {.way = p.way};
    ThTmRunLimits none = {TH_TM_MOST_STEPS, UINT64_MAX};
    bool ok = walk_start(&w, k->machine, k->words, err);
    *same = false;
    while (ok && r.n < p.at + p.gap) {
        int64_t low = w.r.tape[0].low, high = w.r.tape[0].high;
        ok = walk_step(&w, none, k->stop, err);
        note_step(&r, &w);
        if (ok && at_record(&r, &w, low, high, k->words->length[0]) && ++r.n == p.at)
            ok = keep_record(&r, &w, err);
    }
    if (ok && same_at_record(&r, &w)) {
        *same = true;
        fill_translation(a, &r, &w);
    }
    drop(&r.kept);
    th_tm_running_free(&w.r);
    return ok;
}

/* The first record from which they come back, by bisection. */
static bool first_translation(const ThTmWork *k, Pair p, ThTmRecurrence *a, ThError *err)
{
    uint64_t low = 1, high = p.at;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bool same;
        if (!try_record(k, (Pair){p.way, middle, p.gap}, a, &same, err))
            return false;
        if (same)
            high = middle;
        else
            low = middle + 1;
    }
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct {
    const ThTmWork *work;
    Walk w;
    Kept kept; /* the configuration that is waited for */
    uint64_t next;
    Records side[2];
    int n_sides;
} Search;

/* What the last step shows.  low, high: where the head had been before it. */
static bool look(Search *s, ThTmRecurrence *a, ThTmProof *found, int64_t low, int64_t high,
                 ThError *err)
{
    if (s->kept.set && same_configuration(&s->kept, &s->w)) {
        *found = TH_TM_PROOF_CYCLE;
        a->period = s->w.r.steps - s->kept.step;
        return true;
    }
    if (s->w.r.steps == s->next) {
        s->next *= 2;
        if (!keep(&s->kept, &s->w, err))
            return false;
    }
    for (int i = 0; i < s->n_sides; i++) {
        Records *r = &s->side[i];
        note_step(r, &s->w);
        if (!at_record(r, &s->w, low, high, s->work->words->length[0]))
            continue;
        r->n++;
        if (same_at_record(r, &s->w)) {
            *found = TH_TM_PROOF_TRANSLATION;
            fill_translation(a, r, &s->w);
            return true;
        }
        if (r->n == r->next) {
            r->next *= 2;
            if (!keep_record(r, &s->w, err))
                return false;
        }
    }
    return true;
}

static bool search(Search *s, ThTmRecurrence *a, ThTmProof *found, ThError *err)
{
    ThTmRunLimits limits = s->work->limits;
    *found = TH_TM_PROOF_NONE;
    if (!keep(&s->kept, &s->w, err))
        return false;
    while (*found == TH_TM_PROOF_NONE) {
        int64_t low = s->w.r.tape[0].low, high = s->w.r.tape[0].high;
        uint64_t before = s->w.r.steps;
        if (th_tm_verdict_final(s->w.r.verdict) || before >= limits.steps)
            break;
        if (!walk_step(&s->w, limits, s->work->stop, err))
            return false;
        if (th_tm_verdict_final(s->w.r.verdict) || s->w.r.steps == before)
            break;
        if (!look(s, a, found, low, high, err))
            return false;
    }
    if (th_tm_verdict_final(s->w.r.verdict))
        *found = TH_TM_PROOF_STOPS;
    return true;
}

bool th_tm_recur(const ThTmWork *w, ThTmRecurrence *a, ThTmProof *found, ThTmFastFigures *end,
                 ThError *err)
{
    const ThTm *m = w->machine;
    Search s = {.work = w, .next = 1, .side = {{.way = 1, .next = 1}, {.way = -1, .next = 1}}};
    s.n_sides = m->n_tapes > 1 ? 0 : m->edge == TH_TM_TWO_WAY ? 2 : 1;
    *a = (ThTmRecurrence){0};
    bool ok = walk_start(&s.w, m, w->words, err) && search(&s, a, found, err);
    if (ok) {
        ThTmEngine e = {.machine = m, .plain = s.w.r};
        *end = th_tm_engine_figures(&e);
    }
    if (ok && *found == TH_TM_PROOF_CYCLE)
        ok = first_cycle(w, a, err);
    for (int i = 0; ok && *found == TH_TM_PROOF_TRANSLATION && i < s.n_sides; i++) {
        const Records *r = &s.side[i];
        if (a->shift * r->way > 0)
            ok = first_translation(w, (Pair){r->way, r->at, r->n - r->at}, a, err);
    }
    drop(&s.kept);
    for (int i = 0; i < 2; i++)
        drop(&s.side[i].kept);
    th_tm_running_free(&s.w.r);
    return ok;
}
