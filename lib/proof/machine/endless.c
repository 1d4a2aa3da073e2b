/* endless.c - the machine itself: its table, its steps, and what follows from them alone. */

#include <limits.h>
#include <stdio.h>

#include "proof/machine/endless_impl.h"

static bool refuse(Endless *e, const char *why)
{
    snprintf(e->found->why, sizeof e->found->why, "%s", why);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_cell(Endless *e, const char *s, int column)
{
    EndlessRule *r = &e->rule[e->states - 1][column];
    *r = (EndlessRule){0, 1, ENDLESS_STOP};
    if (strncmp(s, "---", 3) == 0 || strncmp(s, "...", 3) == 0)
        return true;
    *r = (EndlessRule){s[0] - '0', s[1] == 'R' ? 1 : -1, s[2] - 'A'};
    return s[0] >= '0' && s[0] <= '9' && (s[1] == 'L' || s[1] == 'R') && s[2] >= 'A' && s[2] <= 'Z';
}

/* Rows are separated by _ or ; or two blanks, cells by one blank or nothing. */
static bool read_table(Endless *e, const char *s)
{
    int n = 0;
    for (e->states = 1; *s; s += 3, n++) {
        size_t gap = strspn(s, " _;");
        if (n > 0 && (gap > 1 || (gap == 1 && *s != ' '))) {
            if (e->states == ENDLESS_STATES || (e->symbols && n != e->symbols))
                return false;
            e->symbols = n;
            e->states++;
            n = 0;
        }
        s += gap;
        if (strlen(s) < 3 || n == ENDLESS_SYMBOLS || !read_cell(e, s, n))
            return false;
    }
    if (n == 0 || (e->symbols && n != e->symbols))
        return false;
    e->symbols = n;
    for (int q = 0; q < e->states; q++)
        for (int a = 0; a < n; a++) {
            if (e->rule[q][a].write >= n)
                return false;
            if (e->rule[q][a].to >= e->states)
                e->rule[q][a].to = ENDLESS_STOP;
        }
    return true;
}

static bool read_numbers(Endless *e, const char *s)
{
    for (char *end; *(s += strspn(s, " ")); s = end) {
        e->number[e->n] = strtoll(s, &end, 10);
        if (end == s || (*end && *end != ' ') || ++e->n == ENDLESS_NUMBERS)
            return false;
    }
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct {
    unsigned char *cell;
    long long size, base, head, low, high; /* low … high: where the head stood */
    int state;
} Run;

static unsigned char cell_at(const Run *r, long long i)
{
    long long k = i + r->base;
    return k < 0 || k >= r->size ? 0 : r->cell[k];
}

/* The tape on both sides as long again. */
static bool lengthen(Run *r, ThError *err)
{
    long long half = r->size / 2 + 64;
    unsigned char *cell = th_alloc((size_t)(r->size + 2 * half), 1, err);
    if (!cell)
        return false;
    memset(cell, 0, (size_t)(r->size + 2 * half));
    if (r->size)
        memcpy(cell + half, r->cell, (size_t)r->size);
    free(r->cell);
    *r = (Run){cell, r->size + 2 * half, r->base + half, r->head, r->low, r->high, r->state};
    return true;
}

/* Up to so many steps, fewer where it stops; *made of them. */
static bool go(Endless *e, Run *r, long long steps, long long *made)
{
    for (*made = 0; *made < steps && r->state != ENDLESS_STOP; ++*made) {
        if (r->head + r->base < 0 || r->head + r->base >= r->size)
            if (!lengthen(r, e->err))
                return false;
        if (*made % 65536 == 0 && th_stopped(e->stop, e->err))
            return false;
        unsigned char *at = &r->cell[r->head + r->base];
        const EndlessRule *x = &e->rule[r->state][*at];
        r->low = r->head < r->low ? r->head : r->low;
        r->high = r->head > r->high ? r->head : r->high;
        *at = (unsigned char)x->write;
        r->head += x->move;
        r->state = x->to;
    }
    return true;
}

static bool check_run(Endless *e)
{
    Run r = {0};
    long long made;
    e->found->stops = true;
    bool ok = go(e, &r, e->number[0], &made);
    long long low = r.head < r.low ? r.head : r.low, high = r.head > r.high ? r.head : r.high;
    e->found->cells = high - low + 1;
    free(r.cell);
    return ok && ((r.state == ENDLESS_STOP && made == e->number[0]) ||
                  refuse(e, "it does not stop after so many steps"));
}

/* Whether what lies where the head can come to, after the first step, is there again, moved, after
 * the other: the head stood on low … high in between; in the direction in which all moves, the
 * whole rest of the tape counts. */
static bool comes_back(const Run *then, const Run *now, long long shift)
{
    long long low = now->low, high = now->high;
    if (then->state != now->state || now->head != then->head + shift)
        return false;
    if (shift > 0)
        high = now->size - now->base;
    if (shift < 0)
        low = -now->base;
    for (long long i = low; i <= high; i++)
        if (cell_at(then, i) != cell_at(now, i + shift))
            return false;
    return true;
}

static bool check_recurrence(Endless *e)
{
    Run r = {0}, then = {0};
    long long made;
    bool ok = go(e, &r, e->number[0], &made);
    if (ok && r.size == 0)
        ok = lengthen(&r, e->err);
    if (ok) {
        then = r;
        then.cell = th_copy(r.cell, (size_t)r.size, 1, e->err);
        r.low = r.high = r.head;
        ok = then.cell && go(e, &r, e->number[1], &made);
    }
    if (ok)
        ok = (e->number[1] > 0 && r.state != ENDLESS_STOP && comes_back(&then, &r, e->number[2])) ||
             refuse(e, "it is not the same after the period");
    TH_FREE(r.cell, then.cell);
    return ok;
}

/* ---- states and symbols alone, and backwards ------------------------------------------------- */

/* The cases that can come, as far as states and symbols tell; whether one of them stops. */
static bool cases(const Endless *e, bool *can)
{
    bool state[ENDLESS_STATES] = {true}, symbol[ENDLESS_SYMBOLS] = {true}, more = true,
         stops = false;
    while (more) {
        more = false;
        for (int q = 0; q < e->states; q++)
            for (int a = 0; a < e->symbols; a++) {
                const EndlessRule *x = &e->rule[q][a];
                bool *is = &can[q * e->symbols + a];
                if (*is || !state[q] || !symbol[a])
                    continue;
                *is = more = symbol[x->write] = true;
                if (x->to == ENDLESS_STOP)
                    stops = true;
                else
                    state[x->to] = true;
            }
    }
    return stops;
}

enum { UNKNOWN = 255, MOST_BACK = 1000 };

typedef struct {
    Endless *e;
    const bool *can;
    unsigned char cell[2 * MOST_BACK + 3]; /* what has to be known of the tape */
    long long nodes;
} Back;

/* All that can have led to a configuration whose scanned cell is known; false where the start can,
 * or where there is no end to it. */
static bool no_way(Back *b, int state, int head, int depth)
{
    Endless *e = b->e;
    bool start = state == 0;
    for (int i = 0; start && i < 2 * MOST_BACK + 3; i++)
        start = b->cell[i] == UNKNOWN || b->cell[i] == 0;
    if (start || ++b->nodes > 1000000)
        return false;
    for (int q = 0; q < e->states; q++)
        for (int a = 0; a < e->symbols; a++) {
            const EndlessRule *x = &e->rule[q][a];
            int at = head - x->move;
            unsigned char was = b->cell[at];
            if (x->to != state || !b->can[q * e->symbols + a] ||
                (was != UNKNOWN && was != x->write))
                continue;
            if (depth == 0)
                return false;
            b->cell[at] = (unsigned char)a;
            bool none = no_way(b, q, at, depth - 1);
            b->cell[at] = was;
            if (!none)
                return false;
        }
    return true;
}

static bool check_backward(Endless *e)
{
    bool can[ENDLESS_STATES * ENDLESS_SYMBOLS] = {false};
    Back b = {.e = e, .can = can};
    cases(e, can);
    memset(b.cell, UNKNOWN, sizeof b.cell);
    bool ok = e->number[0] >= 0 && e->number[0] <= MOST_BACK;
    for (int q = 0; q < e->states; q++)
        for (int a = 0; ok && a < e->symbols; a++) {
            if (e->rule[q][a].to != ENDLESS_STOP || !can[q * e->symbols + a])
                continue;
            b.cell[MOST_BACK + 1] = (unsigned char)a;
            ok = no_way(&b, q, MOST_BACK + 1, (int)e->number[0]);
        }
    return ok || refuse(e, "a way to stop goes back farther, or to the start");
}

static bool check_unreachable(Endless *e)
{
    bool can[ENDLESS_STATES * ENDLESS_SYMBOLS] = {false};
    return !cases(e, can) || refuse(e, "states and symbols alone allow a way to stop");
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool check_contexts(Endless *e)
{
    return th_proof_endless_contexts(e) || refuse(e, "the contexts lead to a way to stop");
}

static bool check_far(Endless *e)
{
    return th_proof_endless_far(e) || refuse(e, "the automaton takes the start for one that stops");
}

static bool check_words(Endless *e)
{
    return th_proof_endless_words(e) || refuse(e, "the repeated words lead to a way to stop");
}

/* Makes the steps, and hands on the tape as it lies before the head. */
static bool check_bouncers(Endless *e)
{
    Run r = {0};
    long long made;
    bool ok = e->number[0] >= 0 && go(e, &r, e->number[0], &made) && r.state != ENDLESS_STOP;
    EndlessTape t = {.state = r.state};
    int right = e->number[1] == 1;
    long long n = right ? r.head + r.base : r.size - (r.head + r.base) - 1;
    n = n < 0 ? 0 : n;
    t.cell = ok && n < INT_MAX ? th_alloc((size_t)n + 1, 1, e->err) : NULL;
    for (long long i = 0; t.cell && i < n; i++, t.n++)
        t.cell[i] = right ? r.cell[i] : r.cell[r.size - 1 - i];
    for (long long i = 0; i < r.size; i++) {
        bool behind = right ? i < r.head + r.base : i > r.head + r.base;
        t.ahead = t.ahead || (!behind && r.cell[i] != 0);
    }
    long long zeros = 0;
    while (zeros < t.n && t.cell[zeros] == 0)
        zeros++;
    EndlessTape rest = {t.cell + zeros, t.n - (int)zeros, t.state, t.ahead};
    ok = t.cell && th_proof_endless_bouncers(e, &rest);
    TH_FREE(t.cell, r.cell);
    return ok || refuse(e, "the formula is not what the tape comes to, and comes to again");
}

static const struct {
    const char *name;
    int least, most; /* numbers */
    bool (*check)(Endless *e);
} proofs[] = {{"run", 1, 1, check_run},
              {"unreachable", 0, 0, check_unreachable},
              {"cycler", 3, 3, check_recurrence},
              {"translated_cycler", 3, 3, check_recurrence},
              {"backward_reasoning", 1, 1, check_backward},
              {"ngram_cps", 2, 2, check_contexts},
              {"far", 3, ENDLESS_NUMBERS, check_far},
              {"repeated_words", 2, 2, check_words},
              {"bouncers", 4, ENDLESS_NUMBERS, check_bouncers}};

bool th_proof_machine(const char *machine, const char *proof, const char *numbers, ThStop *stop,
                      ThProofMachine *found, ThError *err)
{
    ThError own = {0};
    Endless *e TH_OWNED(free) = th_alloc(1, sizeof *e, err);
    if (!e)
        return false;
    *e = (Endless){.stop = stop, .err = &own, .found = found};
    *found = (ThProofMachine){0};
    if (!read_table(e, machine))
        return refuse(e, "the machine cannot be read") || true;
    for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++)
        if (strcmp(proofs[i].name, proof) == 0) {
            if (!read_numbers(e, numbers) || e->n < proofs[i].least || e->n > proofs[i].most)
                return refuse(e, "the proof has other numbers") || true;
            found->holds = proofs[i].check(e);
            return !own.code || th_fail(err, own.code, "%s", own.msg);
        }
    return refuse(e, "there is no such proof") || true;
}
