#include "turing/nexttoken.h"

#include <stdio.h>

#include "base/intern.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

int th_tm_token_of_symbol(const ThTmTokens *t, int symbol)
{
    if (!t->walls)
        return TH_TM_TOKEN_FIRST + symbol;
    return symbol < 2 ? TH_TM_TOKEN_BEGIN + symbol : TH_TM_TOKEN_FIRST + symbol - 2;
}

static int first_state(const ThTmTokens *t)
{
    return TH_TM_TOKEN_FIRST + t->machine->n_symbols - (t->walls ? 2 : 0);
}

int th_tm_token_of_state(const ThTmTokens *t, int state)
{
    return first_state(t) + state;
}

int th_tm_token_count(const ThTmTokens *t)
{
    return first_state(t) + t->machine->n_states;
}

static bool is_state(const ThTmTokens *t, int token)
{
    return token >= first_state(t);
}

/* The symbol of a token, or -1. */
static int symbol_of(const ThTmTokens *t, int token)
{
    if (token >= TH_TM_TOKEN_FIRST && token < first_state(t))
        return token - TH_TM_TOKEN_FIRST + (t->walls ? 2 : 0);
    bool wall = t->walls && (token == TH_TM_TOKEN_BEGIN || token == TH_TM_TOKEN_END);
    return wall ? token - TH_TM_TOKEN_BEGIN : -1;
}

void th_tm_token_write(ThText *t, const ThTmTokens *k, int token)
{
    static const char *const mark[] = {"(end of line)", "(begin)", "(end)", "(filler)"};
    int symbol = symbol_of(k, token);
    if (is_state(k, token))
        th_text_add(t, k->machine->state[token - first_state(k)]);
    else
        th_text_add(t, symbol >= 0 ? k->machine->symbol[symbol] : mark[token]);
}

int th_tm_configuration_length(const ThTmTokens *t, int64_t first, int64_t last)
{
    return (int)(last - first) + 3 + (t->walls ? 0 : 2);
}

void th_tm_configuration_tokens(const ThTmTokens *t, const ThTmRunning *r, int64_t first,
                                int64_t last, int *token)
{
    int n = 0;
    if (!t->walls)
        token[n++] = TH_TM_TOKEN_BEGIN;
    for (int64_t i = first; i <= last; i++) {
        int symbol = th_tm_tape_at(&r->tape[0], i, r->machine->blank);
        token[n++] = th_tm_token_of_symbol(t, symbol);
        if (i == r->tape[0].head)
            token[n++] = th_tm_token_of_state(t, r->state);
    }
    if (!t->walls)
        token[n++] = TH_TM_TOKEN_END;
    token[n] = TH_TM_TOKEN_GAP;
}

/* ---- one step, seen from one place ----------------------------------------------------------- */

/* The rule for a state and the token before it, or NULL. */
static const ThTmRule *rule_for(const ThTmTokens *t, int state, int cell)
{
    int read = symbol_of(t, cell);
    int rule = read < 0 ? -1 : th_tm_rule(t->machine, state - first_state(t), &read);
    return rule < 0 ? NULL : &t->machine->rule[rule];
}

/* The move of a state at place p: 1, 0, -1. */
static int move_of(const ThTmTokens *t, const int *x, int p)
{
    const ThTmRule *r = rule_for(t, x[p], x[p - 1]);
    if (!r)
        return 0;
    bool bounces = !t->walls && r->move[0] < 0 && t->machine->edge != TH_TM_TWO_WAY && p >= 2 &&
                   x[p - 2] == TH_TM_TOKEN_BEGIN;
    return bounces ? 0 : r->move[0];
}

/* What stands at place p once the state and the scanned cell are new, before the head moves. */
static int changed(const ThTmTokens *t, const int *x, int p)
{
    const ThTmRule *r;
    if (p + 1 < 5 && is_state(t, x[p + 1]) && (r = rule_for(t, x[p + 1], x[p])))
        return r->write[0] == TH_TM_ANY ? x[p] : th_tm_token_of_symbol(t, r->write[0]);
    if (p > 0 && is_state(t, x[p]) && (r = rule_for(t, x[p], x[p - 1])))
        return r->to == TH_TM_ANY ? x[p] : th_tm_token_of_state(t, r->to);
    return x[p];
}

int th_tm_next_local(const ThTmTokens *t, const int x[5])
{
    int here = is_state(t, x[2]) ? move_of(t, x, 2) : 0;
    int behind = is_state(t, x[1]) ? move_of(t, x, 1) : 0;
    int ahead = is_state(t, x[3]) ? move_of(t, x, 3) : 0;
    if (here > 0 || ahead < 0)
        return changed(t, x, 3);
    if (behind > 0 || here < 0)
        return changed(t, x, 1);
    return changed(t, x, 2);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The greatest token that followed, by key: a gram, or an integer. */
typedef struct {
    ThIntern key;
    int *most;
    size_t cap;
    uint64_t count; /* of the configuration that the keys belong to */
} Table;

struct ThTmNext {
    ThTmTokens tokens;
    int n, width; /* width = n + 1 */
    ThTmKeys keys;
    uint64_t read;                /* tokens */
    int window[5];                /* the last ones */
    int *gram, *turned;           /* (width): the last of the text and of its successor */
    uint64_t count, turned_count; /* gaps in both */
    Table table[2];               /* by the parity of the count; integer keys use the first */
};

static bool put(Table *t, const void *key, size_t size, int value, ThError *err)
{
    size_t i, before = t->key.n;
    if (!th_intern(&t->key, key, size, &i, err) ||
        !th_grow(&t->most, &t->cap, t->key.n, sizeof *t->most, err))
        return false;
    t->most[i] = i < before && t->most[i] > value ? t->most[i] : value;
    return true;
}

uint64_t th_tm_next_integer_key(const int *gram, int n, uint64_t count)
{
    uint64_t sum = 0, scale = 1;
    for (int i = 0; i <= n; i++)
        sum = sum * 32 + (uint64_t)gram[i];
    for (int i = 0; i < n; i++)
        scale *= 32;
    return count + scale * sum;
}

/* The table for keys of a configuration; what it held of an earlier one is forgotten. */
static Table *table_for(ThTmNext *p, uint64_t count)
{
    Table *t = &p->table[count & 1];
    if (t->count != count) {
        th_intern_rewind(&t->key, 0);
        t->count = count;
    }
    return t;
}

static bool remember(ThTmNext *p, int value, ThError *err)
{
    uint64_t key = th_tm_next_integer_key(p->turned, p->n, p->turned_count);
    if (p->keys == TH_TM_KEYS_INTEGER)
        return put(&p->table[0], &key, sizeof key, value, err);
    return put(table_for(p, p->turned_count), p->turned, (size_t)p->width * sizeof *p->turned,
               value, err);
}

static int look_up(ThTmNext *p)
{
    bool integer = p->keys == TH_TM_KEYS_INTEGER;
    uint64_t key = th_tm_next_integer_key(p->gram, p->n, p->count);
    const Table *t = integer ? &p->table[0] : table_for(p, p->count);
    size_t i = integer ? th_intern_find(&t->key, &key, sizeof key)
                       : th_intern_find(&t->key, p->gram, (size_t)p->width * sizeof *p->gram);
    return i == SIZE_MAX ? 0 : t->most[i];
}

/* ---- the program ----------------------------------------------------------------------------- */

ThTmNext *th_tm_next_new(const ThTmTokens *t, int n, ThTmKeys keys, ThError *err)
{
    enum { INTEGER_TOKENS = 32 };
    if (keys == TH_TM_KEYS_INTEGER && th_tm_token_count(t) > INTEGER_TOKENS)
        return th_null(th_fail(err, TH_EVALUE, "integer keys are for up to %d tokens; here are %d",
                               INTEGER_TOKENS, th_tm_token_count(t)) ||
                       th_hint(err, "keys=tuple takes any number"));
    ThTmNext *p = th_alloc(1, sizeof *p, err);
    if (!p)
        return NULL;
    *p = (ThTmNext){.tokens = *t, .n = n, .width = n + 1, .keys = keys};
    p->gram = th_alloc((size_t)p->width, sizeof *p->gram, err);
    p->turned = th_alloc((size_t)p->width, sizeof *p->turned, err);
    return TH_KEEP_IF(p->gram && p->turned, p, th_tm_next_free);
}

void th_tm_next_free(ThTmNext *p)
{
    if (!p)
        return;
    th_intern_free(&p->table[0].key);
    th_intern_free(&p->table[1].key);
    TH_FREE(p->table[0].most, p->table[1].most, p->gram, p->turned, p);
}

/* Appends a token to the last ones, newest first; a gap forgets those before it and itself. */
static void append(int *gram, int width, uint64_t *count, int token)
{
    if (token == TH_TM_TOKEN_GAP) {
        memset(gram, 0, (size_t)width * sizeof *gram);
        ++*count;
        return;
    }
    memmove(gram + 1, gram, (size_t)(width - 1) * sizeof *gram);
    gram[0] = token;
}

bool th_tm_next_push(ThTmNext *p, int token, int *next, ThError *err)
{
    int turned = p->read < 2 ? TH_TM_TOKEN_FILLER : th_tm_next_local(&p->tokens, p->window);
    memmove(p->window, p->window + 1, 4 * sizeof *p->window);
    p->window[4] = token;
    p->read++;
    append(p->gram, p->width, &p->count, token);
    append(p->turned, p->width, &p->turned_count, turned);
    if (!remember(p, th_tm_next_local(&p->tokens, p->window), err))
        return false;
    *next = look_up(p);
    return true;
}

/* ---- against the machine --------------------------------------------------------------------- */

/* The last place before `place` and other than it-1 where the same n+1 tokens end; those that begin
 * before the configuration do not count. */
static int ends_again(const int *token, int length, int place, int n)
{
    for (int end = place - 1, at = n; at < length; at++)
        if (at != end && end >= n &&
            memcmp(token + at - n, token + end - n, (size_t)(n + 1) * sizeof *token) == 0)
            return at;
    return -1;
}

typedef struct {
    ThTmSimulation *x;
    ThTmNext *next;
    int *token;
    int length, n;
    int predicted; /* for the first token of the next configuration */
} Comparison;

/* Reads a configuration; where `count` is set, its tokens are compared with the predictions. */
static bool read_configuration(Comparison *c, uint64_t step, bool count, ThError *err)
{
    for (int i = 0; i < c->length; i++) {
        bool right = c->predicted == c->token[i];
        if (count) {
            c->x->tokens++;
            c->x->right += right;
        }
        if (count && !right && c->x->exact) {
            c->x->exact = false;
            c->x->step = step;
            c->x->place = i;
            c->x->stands = c->token[i];
            c->x->predicted = c->predicted;
            c->x->again = ends_again(c->token, c->length, i, c->n);
        }
        if (!th_tm_next_push(c->next, c->token[i], &c->predicted, err))
            return false;
    }
    return true;
}

static bool compare_run(Comparison *c, const ThTmTokens *t, const ThTmRunStart *s, ThStop *stop,
                        ThError *err)
{
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    const ThTmRunExtent *e = &c->x->extent;
    ThTmRunLimits limits = {e->steps, UINT64_MAX};
    bool ok = th_tm_running_from(&r, s, err);
    for (uint64_t step = 0; ok && step <= e->steps; step++) {
        ok = step == 0 || th_tm_running_go(&r, 1, limits, stop, err);
        if (!ok)
            break;
        th_tm_configuration_tokens(t, &r, e->first, e->last, c->token);
        ok = read_configuration(c, step, step > 0, err);
    }
    return ok;
}

bool th_tm_simulate(ThTmSimulation *x, const ThTmRunStart *s, const ThTmSimulationRules *how,
                    ThStop *stop, ThError *err)
{
    enum { MOST_CELLS = 1 << 24 };
    ThTmTokens t = {s->machine, how->walls};
    *x = (ThTmSimulation){.exact = true, .again = -1};
    if (!th_tm_run_extent(&x->extent, s, how->limits, stop, err))
        return false;
    if (x->extent.last - x->extent.first >= MOST_CELLS)
        return th_fail(err, TH_ELIMIT, "the run needs more than %d cells", MOST_CELLS);
    ThTmGramsWanted wanted = {.from = 1, .least = how->n, .first = true};
    Comparison c = {.x = x, .n = how->n};
    c.length = th_tm_configuration_length(&t, x->extent.first, x->extent.last);
    c.token = th_alloc((size_t)c.length, sizeof *c.token, err);
    c.next = th_tm_next_new(&t, how->n, how->keys, err);
    bool ok = c.token && c.next && compare_run(&c, &t, s, stop, err) &&
              th_tm_grams(&x->repeated, s, &x->extent, &wanted, stop, err);
    x->unique = ok && x->repeated.longest == how->n;
    th_tm_next_free(c.next);
    free(c.token);
    return ok;
}

/* ---- the paper's experiment ------------------------------------------------------------------ */

ThTm *th_tm_random_walled(int states, int symbols, ThRng *rng, ThError *err)
{
    ThTmBuild b = {0};
    char name[32];
    th_tm_symbol(&b, "<");
    th_tm_symbol(&b, ">");
    for (int i = 1; i <= symbols; i++) {
        snprintf(name, sizeof name, "a%d", i);
        th_tm_symbol(&b, name);
    }
    for (int i = 1; i <= states; i++) {
        snprintf(name, sizeof name, "s%d", i);
        th_tm_state(&b, name);
    }
    for (int q = 0; q < states; q++) {
        for (int a = 0; a < symbols + 2; a++) {
            ThTmRule r = {.from = q, .read = {a}, .write = {a}};
            r.to = (int)th_rng_below(rng, (uint64_t)states);
            r.move[0] = a == 0 ? 1 : -1;
            if (a >= 2) {
                r.write[0] = 2 + (int)th_rng_below(rng, (uint64_t)symbols);
                r.move[0] = th_rng_below(rng, 2) ? 1 : -1;
            }
            th_tm_add(&b, &r);
        }
    }
    b.m.n_tapes = 1;
    b.m.blank = 1;
    return th_tm_finish(&b, err);
}

bool th_tm_random_walled_words(ThTmTapeWords *w, const ThTm *m, int length, ThRng *rng,
                               ThError *err)
{
    *w = (ThTmTapeWords){.length = {length + 2}};
    w->word[0] = th_alloc((size_t)length + 2, sizeof *w->word[0], err);
    if (!w->word[0])
        return false;
    for (int i = 1; i <= length; i++)
        w->word[0][i] = 2 + (int)th_rng_below(rng, (uint64_t)(m->n_symbols - 2));
    w->word[0][length + 1] = 1;
    return true;
}

bool th_tm_next_trial(ThTmSimulation *x, const ThTmNextTrial *trial, ThRng *rng, ThStop *stop,
                      ThError *err)
{
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTm *m TH_OWNED(th_tm_free) = th_tm_random_walled(trial->states, trial->symbols, rng, err);
    bool ok = m && th_tm_random_walled_words(&words, m, trial->length, rng, err);
    if (ok) {
        ThTmRunStart s = {.machine = m, .words = &words};
        s.head = 1 + (int64_t)th_rng_below(rng, (uint64_t)trial->length);
        s.state = (int)th_rng_below(rng, (uint64_t)trial->states);
        ThTmSimulationRules how = {true, trial->n, trial->keys, {trial->steps, UINT64_MAX}};
        ok = th_tm_simulate(x, &s, &how, stop, err);
    }
    return ok;
}
