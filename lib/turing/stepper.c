#include "turing/stepper.h"

#include "base/scan.h"
#include "base/symbols.h"

/* What a step changed. */
typedef struct {
    int state, rule;
    uint16_t scanned[TH_TM_MOST_TAPES];
    int8_t moved[TH_TM_MOST_TAPES];
    uint8_t lower, higher; /* tapes, as bits: the head came to a cell beyond those seen before */
    bool counted;          /* it was a step, not just the notice that no rule applies */
} Change;

struct ThTmStepper {
    const ThTm *m;
    bool started;
    ThTmRunning run;
    ThRng rng;
    Change *ring;
    size_t size, most; /* of the ring: now, and at most */
    size_t n, next;    /* changes in it, and where the next one goes */
    ThTmBreakpoint *point;
    size_t n_points, cap;
    bool *rule_breaks; /* (n_rules): some breakpoint is at that rule */
    bool other_breaks; /* some is at no rule */
};

/* ---- life ------------------------------------------------------------------------------------ */

ThTmStepper *th_tm_stepper_new(const ThTm *m, ThError *err)
{
    ThTmStepper *s = th_alloc(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->m = m;
    s->rule_breaks = th_alloc(m->n_rules, sizeof *s->rule_breaks, err);
    bool ok = s->rule_breaks != NULL;
    for (size_t i = 0; ok && i < m->n_rules; i++)
        ok = !m->rule[i].pause || th_tm_stepper_break(s, (ThTmBreakpoint){-1, -1, (int)i}, err);
    return TH_KEEP_IF(ok, s, th_tm_stepper_free);
}

void th_tm_stepper_free(ThTmStepper *s)
{
    if (!s)
        return;
    th_tm_running_free(&s->run);
    TH_FREE(s->ring, s->point, s->rule_breaks, s);
}

static bool has_choice(const ThTmRunning *r, int choice, ThError *err)
{
    size_t n;
    th_tm_running_choices(r, &n);
    if (choice <= 0 || (size_t)choice <= n)
        return true;
    th_fail(err, TH_EVALUE, "there is no choice %d here", choice);
    return th_hint(err, n == 1 ? "one rule applies" : "%zu rules apply", n);
}

void th_tm_stepper_take(ThTmStepper *s, ThTmRunning *r, size_t undo, uint64_t seed)
{
    th_tm_running_free(&s->run);
    free(s->ring);
    s->run = *r;
    if (!th_tm_verdict_final(r->verdict))
        s->run.verdict = TH_TM_GOES_ON;
    s->rng = th_rng(seed, "machine.choice", 0);
    s->run.choose = &s->rng;
    s->ring = NULL;
    s->size = s->n = s->next = 0;
    s->most = undo;
    s->started = true;
    *r = (ThTmRunning){0};
}

bool th_tm_stepper_start(ThTmStepper *s, const ThTmTapeWords *words, size_t undo, uint64_t seed,
                         int choice, ThError *err)
{
    ThTmRunning fresh;
    if (!th_tm_running_start_words(&fresh, s->m, words, err))
        return false;
    if (!has_choice(&fresh, choice, err)) {
        th_tm_running_free(&fresh);
        return false;
    }
    th_tm_stepper_take(s, &fresh, undo, seed);
    return true;
}

const ThTmRunning *th_tm_stepper_running(const ThTmStepper *s)
{
    return s->started ? &s->run : NULL;
}

size_t th_tm_stepper_undo(const ThTmStepper *s)
{
    return s->n;
}

/* ---- forwards -------------------------------------------------------------------------------- */

/* The ring grows to its bound, from then on it forgets the oldest change for the newest. */
static bool remember(ThTmStepper *s, const Change *c, ThError *err)
{
    if (s->most == 0)
        return true;
    if (s->n == s->size && s->size < s->most) {
        size_t cap = s->size;
        if (!th_grow(&s->ring, &cap, s->size + 1, sizeof *s->ring, err))
            return false;
        s->size = cap < s->most ? cap : s->most;
        s->next = s->n;
    }
    s->ring[s->next] = *c;
    s->next = (s->next + 1) % s->size;
    s->n += s->n < s->size;
    return true;
}

static Change before_step(const ThTmRunning *r)
{
    Change c = {.state = r->state, .rule = r->rule};
    for (int k = 0; k < r->machine->n_tapes; k++)
        c.scanned[k] = *th_tm_tape_scanned(&r->tape[k]);
    return c;
}

/* The rule of the next step, -1 where there is none. */
static int choose(ThTmStepper *s, int choice)
{
    size_t n;
    const size_t *among = th_tm_running_choices(&s->run, &n);
    if (n == 0)
        return -1;
    if (choice > 0)
        return (int)among[choice - 1];
    return (int)among[n > 1 ? th_rng_below(&s->rng, n) : 0];
}

static bool step(ThTmStepper *s, int choice, ThError *err)
{
    ThTmRunning *r = &s->run;
    ThTmRunLimits limits = {TH_TM_MOST_STEPS, UINT64_MAX};
    Change c = before_step(r);
    int64_t head[TH_TM_MOST_TAPES] = {0}, low[TH_TM_MOST_TAPES] = {0}, high[TH_TM_MOST_TAPES] = {0};
    uint64_t steps = r->steps;
    for (int k = 0; k < s->m->n_tapes; k++) {
        head[k] = r->tape[k].head;
        low[k] = r->tape[k].low;
        high[k] = r->tape[k].high;
    }
    if (!th_tm_running_apply(r, choose(s, choice), limits, err))
        return false;
    for (int k = 0; k < s->m->n_tapes; k++) {
        c.moved[k] = (int8_t)(r->tape[k].head - head[k]);
        c.lower |= (uint8_t)((r->tape[k].low < low[k]) << k);
        c.higher |= (uint8_t)((r->tape[k].high > high[k]) << k);
    }
    c.counted = r->steps > steps;
    return r->verdict == TH_TM_OUT_OF_STEPS || remember(s, &c, err);
}

static bool scans(const ThTmRunning *r, int symbol)
{
    for (int k = 0; k < r->machine->n_tapes; k++)
        if (*th_tm_tape_scanned(&r->tape[k]) == symbol)
            return true;
    return false;
}

/* The breakpoint that the last step has come to, or SIZE_MAX. */
static size_t breakpoint(const ThTmStepper *s)
{
    const ThTmRunning *r = &s->run;
    bool at_rule = r->rule >= 0 && s->rule_breaks[r->rule];
    for (size_t i = 0; (at_rule || s->other_breaks) && i < s->n_points; i++) {
        const ThTmBreakpoint *b = &s->point[i];
        if ((b->rule < 0 || b->rule == r->rule) && (b->state < 0 || b->state == r->state) &&
            (b->symbol < 0 || scans(r, b->symbol)))
            return i;
    }
    return SIZE_MAX;
}

bool th_tm_stepper_go(ThTmStepper *s, uint64_t n, int choice, size_t *at, ThStop *stop,
                      ThError *err)
{
    enum { LOOK = 4096 };
    *at = SIZE_MAX;
    if (!has_choice(&s->run, choice, err))
        return false;
    for (uint64_t i = 0; i < n && s->run.verdict == TH_TM_GOES_ON && *at == SIZE_MAX; i++) {
        if (i % LOOK == 0 && th_stopped(stop, err))
            return false;
        if (!step(s, i == 0 ? choice : 0, err))
            return false;
        *at = breakpoint(s);
    }
    return true;
}

/* ---- backwards ------------------------------------------------------------------------------- */

static void take_back(ThTmRunning *r, const Change *c)
{
    for (int k = 0; k < r->machine->n_tapes; k++) {
        ThTmTape *t = &r->tape[k];
        bool lower = c->lower >> k & 1, higher = c->higher >> k & 1;
        t->low += lower;
        t->high -= higher;
        r->cells -= lower + higher;
        /* The cell is there: the head has stood on it. */
        th_tm_tape_move(t, -c->moved[k], r->machine->blank, NULL);
        *th_tm_tape_scanned(t) = c->scanned[k];
    }
    r->steps -= c->counted;
    r->state = c->state;
    r->rule = c->rule;
    r->verdict = TH_TM_GOES_ON;
}

uint64_t th_tm_stepper_back(ThTmStepper *s, uint64_t n)
{
    uint64_t made = 0;
    while (made < n && s->n > 0) {
        s->next = (s->next + s->size - 1) % s->size;
        s->n--;
        take_back(&s->run, &s->ring[s->next]);
        made += s->ring[s->next].counted;
    }
    return made;
}

/* ---- breakpoints ----------------------------------------------------------------------------- */

static void index_breaks(ThTmStepper *s)
{
    memset(s->rule_breaks, 0, s->m->n_rules * sizeof *s->rule_breaks);
    s->other_breaks = false;
    for (size_t i = 0; i < s->n_points; i++)
        if (s->point[i].rule >= 0)
            s->rule_breaks[s->point[i].rule] = true;
        else
            s->other_breaks = true;
}

bool th_tm_stepper_break(ThTmStepper *s, ThTmBreakpoint b, ThError *err)
{
    for (size_t i = 0; i < s->n_points; i++)
        if (memcmp(&s->point[i], &b, sizeof b) == 0)
            return true;
    if (!TH_APPEND(s->point, s->n_points, s->cap, err, b))
        return false;
    if (b.rule >= 0)
        s->rule_breaks[b.rule] = true;
    else
        s->other_breaks = true;
    return true;
}

size_t th_tm_stepper_breaks(const ThTmStepper *s)
{
    return s->n_points;
}

ThTmBreakpoint th_tm_stepper_breakpoint(const ThTmStepper *s, size_t i)
{
    return s->point[i];
}

void th_tm_stepper_clear(ThTmStepper *s, size_t i)
{
    memmove(&s->point[i], &s->point[i + 1], (s->n_points - i - 1) * sizeof *s->point);
    s->n_points--;
    index_breaks(s);
}

/* ---- rules by their case --------------------------------------------------------------------- */

/* A name or *, which is TH_TM_ANY, as its number; -2 and an error. */
static int number_of(const ThTokens *t, const ThToken *at, char *const *name, int n,
                     const char *what, ThError *err)
{
    char shown[TH_TOKEN_SHOWN];
    if (at->kind == '*')
        return TH_TM_ANY;
    bool named = at->kind == TH_TOKEN_WORD || at->kind == TH_TOKEN_STRING;
    int i = named ? th_symbols_find(name, n, th_token_text(t, at)) : -1;
    if (i >= 0)
        return i;
    if (named)
        th_fail_at(err, TH_EVALUE, at->line, at->col, "no %s %s", what,
                   th_token_show(t, at, shown));
    else
        th_token_unexpected(t, at, what[1] == 't' ? "a state" : "a symbol", err);
    return -2;
}

/* Reads "STATE SYMBOL [| SYMBOL…]" into the case of a rule. */
static bool read_case(const ThTm *m, const ThTokens *t, ThTmRule *r, ThError *err)
{
    const ThToken *at = t->token;
    r->from = number_of(t, at, m->state, m->n_states, "state", err);
    for (int k = 0; k < m->n_tapes && r->from != -2; k++) {
        if (k > 0 && (++at)->kind != '|')
            return th_token_unexpected(t, at, "'|' and what the next tape reads", err);
        r->read[k] = number_of(t, ++at, m->symbol, m->n_symbols, "symbol", err);
        if (r->read[k] == -2)
            return false;
    }
    if (r->from == -2)
        return false;
    ++at;
    return at->kind == TH_TOKEN_END || at->kind == '\n' ||
           th_token_unexpected(t, at, "the end of the rule's case", err);
}

int *th_tm_rules_for(const ThTm *m, const char *text, size_t *n, ThError *err)
{
    ThTokens t TH_OWNED(th_tokens_free) = {0};
    ThTmRule r = {0};
    *n = 0;
    int *rule = th_alloc(m->n_rules, sizeof *rule, err);
    bool ok = rule && th_tokens_read(&t, text, err) && read_case(m, &t, &r, err);
    for (size_t i = 0; ok && i < m->n_rules; i++) {
        bool same = m->rule[i].from == r.from;
        for (int k = 0; k < m->n_tapes; k++)
            same = same && m->rule[i].read[k] == r.read[k];
        if (same)
            rule[(*n)++] = (int)i;
    }
    if (ok && *n == 0)
        th_fail(err, TH_EVALUE, "no rule is for the case %s", text);
    if (ok && *n > 0)
        return rule;
    free(rule);
    return NULL;
}
