#include "proof/check/linear_steps.h"

#include <stdio.h>

#include "base/symbols.h"
#include "models/ablation.h"
#include "proof/check/check_impl.h"
#include "proof/check/linear_impl.h"
#include "proof/map_impl.h"
#include "proof/prover.h"

enum { NOBODY = -1 };
/* Numbers that are nearer than this are those of one state: what they differ by is added with every
 * symbol, so that it is less where errors add up too soon. */
static const double COARSEST = 1e-3, FINEST = 1e-5, FINER = 0.1, ENOUGH = 1000;

/* A state beside those of machine and domain, with how it was come to. */
typedef struct {
    int machine, domain, from, symbol;
    int before; /* the point before it with the same states, or NOBODY */
} Point;

typedef struct {
    ThProofLinear *f;
    const ThProofClaim *claim;
    ThProofSteps *out;
    ThStop *stop;
    size_t size, parts, limit; /* numbers of a state; parts of all layers */
    size_t pairs;              /* of states of machine and domain */
    Point *point;
    double *state; /* (n, size) */
    double same;
    int *next;    /* (n, symbols) */
    int n, *last; /* the last point of each pair of states */
    size_t room[3];
    double *radius, *grows, *norm, *now; /* (parts) each; (size) */
} Steps;

static int in_domain(const ThProofClaim *c, int place, int symbol)
{
    return c->domain ? c->domain->next[place * c->domain->n_symbols + symbol] : 0;
}

static int *last_of(const Steps *k, int machine, int domain)
{
    return &k->last[domain * k->claim->machine->n_states + machine];
}

/* ---- what is met ----------------------------------------------------------------------------- */

static bool is_same(const Steps *k, const double *a, const double *b)
{
    for (size_t i = 0; i < k->size; i++)
        if (!(fabs(a[i] - b[i]) <= k->same * fmax(1, fabs(a[i]))))
            return false;
    return true;
}

/* The number of k->now at these states, which may be new. */
static bool find_point(Steps *k, Point p, int *to, ThError *err)
{
    int *last = last_of(k, p.machine, p.domain);
    for (*to = k->n > 0 ? *last : NOBODY; *to != NOBODY; *to = k->point[*to].before)
        if (is_same(k, k->now, k->state + (size_t)*to * k->size))
            return true;
    size_t n = (size_t)k->n + 1, symbols = (size_t)k->f->n_symbols;
    if (!th_grow(&k->point, &k->room[0], n, sizeof *k->point, err) ||
        !th_grow(&k->state, &k->room[1], n * k->size, sizeof *k->state, err) ||
        !th_grow(&k->next, &k->room[2], n * symbols, sizeof *k->next, err))
        return false;
    p.before = *last;
    *to = *last = k->n;
    k->point[k->n++] = p;
    memcpy(k->state + (size_t)*to * k->size, k->now, k->size * sizeof *k->now);
    return true;
}

/* k->f <- what a symbol makes of a point; k->now, where it is given, the state. */
static void step(Steps *k, int from, int symbol,
                 void see(Steps *k, int layer, int from, int symbol))
{
    th_proof_linear_embed(k->f, symbol);
    size_t one = k->size / (size_t)k->f->layers;
    for (int i = 0; i < k->f->layers; i++) {
        th_proof_linear_layer(k->f, i, k->state + (size_t)from * k->size + (size_t)i * one);
        see(k, i, from, symbol);
    }
    th_proof_linear_read(k->f);
    k->out->steps++;
}

static void take_state(Steps *k, int layer, int from, int symbol)
{
    (void)from, (void)symbol;
    int one = k->f->parts * k->f->part;
    for (int i = 0; i < one; i++)
        k->now[layer * one + i] = k->f->after[i].at;
}

/* The class that is asked for behind a symbol from a point, or NOBODY. */
static int asked(const Steps *k, int from, int symbol)
{
    const ThProofClaim *c = k->claim;
    const Point *p = &k->point[from];
    int label = c->machine->label[c->machine->next[p->machine * k->f->n_symbols + symbol]];
    bool counts = !c->domain || c->domain->label[in_domain(c, p->domain, symbol)] == 1;
    return counts && label < k->f->n_classes ? label : NOBODY;
}

/* A string that real numbers answer wrongly: does the model? */
static bool ask(Steps *k, int from, int symbol, int right, ThError *err)
{
    enum { LONGEST = 40 };
    int length = 1, said, at = from;
    for (; at > 0; at = k->point[at].from)
        length++;
    int *word TH_OWNED(free) = th_alloc((size_t)length, sizeof *word, err);
    if (!word)
        return false;
    word[length - 1] = symbol;
    for (int i = length - 2; i >= 0; i--, from = k->point[from].from)
        word[i] = k->point[from].symbol;
    if (!th_proof_ask(k->f->m, word, length, &said, err))
        return false;
    const ThSignature *g = &k->claim->asked;
    ThText t TH_OWNED(th_text_free) = {0};
    th_symbols_write(&t, g->symbol, g->n_symbols, word, length < LONGEST ? length : LONGEST);
    k->out->wrong = said != right;
    snprintf(k->out->why, sizeof k->out->why,
             "the model is %s on %.80s%s: it says %.30s, not %.30s",
             k->out->wrong ? "wrong" : "as good as wrong", th_text_string(&t),
             length < LONGEST ? "" : " …", g->label[said], g->label[right]);
    return true;
}

static int best_of(const ThProofLinear *f)
{
    int best = 0;
    for (int c = 1; c < f->n_classes; c++)
        best = f->wide[c].at > f->wide[best].at ? c : best;
    return best;
}

static bool walk(Steps *k, ThError *err)
{
    const ThDfa *m = k->claim->machine;
    int to = 0, first = k->claim->domain ? k->claim->domain->start : 0;
    k->f->arithmetic = TH_PROOF_IN_REALS;
    k->f->unit = TH_PROOF_POINT_UNITS[0];
    th_proof_linear_start(k->f, k->now);
    if (!find_point(k, (Point){m->start, first, NOBODY, NOBODY, NOBODY}, &to, err))
        return false;
    for (int i = 0; i < k->n; i++)
        for (int a = 0; a < m->n_symbols; a++) {
            if (th_stopped(k->stop, err))
                return false;
            step(k, i, a, take_state);
            int right = asked(k, i, a);
            if (right != NOBODY && best_of(k->f) != right)
                return ask(k, i, a, right, err);
            Point p = {m->next[k->point[i].machine * m->n_symbols + a],
                       in_domain(k->claim, k->point[i].domain, a), i, a, NOBODY};
            if (!find_point(k, p, &to, err))
                return false;
            k->next[i * m->n_symbols + a] = to;
            if ((size_t)k->n > k->limit) {
                snprintf(k->out->why, sizeof k->out->why,
                         "the model is in more than %zu states beside the automaton", k->limit);
                return true;
            }
        }
    return true;
}

/* ---- how far steps lead ---------------------------------------------------------------------- */

/* How far the parts of a layer are from where they should be. */
static void measure(Steps *k, int layer, int from, int symbol)
{
    const ThProofLinear *f = k->f;
    int to = k->next[from * f->n_symbols + symbol], one = f->parts * f->part;
    const double *due = k->state + (size_t)to * k->size + (size_t)(layer * one);
    double *far = k->now, *off = k->now + f->part;
    for (int p = 0; p < f->parts; p++) {
        for (int i = 0; i < f->part; i++) {
            far[i] = f->after[p * f->part + i].at - due[p * f->part + i];
            off[i] = f->after[p * f->part + i].off;
        }
        double grows = th_proof_linear_size(f, far, f->part) +
                       th_proof_linear_size(f, off, f->part) + f->slack;
        double *most = &k->grows[layer * f->parts + p], *norm = &k->norm[layer * f->parts + p];
        *most = grows > *most || isnan(grows) ? grows : *most;
        *norm = f->norm[p] > *norm || isnan(f->norm[p]) ? f->norm[p] : *norm;
    }
}

/* Is the answer behind a symbol surely right? */
static bool is_right(const Steps *k, int from, int symbol)
{
    const ThProofNumber *z = k->f->wide;
    int right = asked(k, from, symbol);
    for (int c = 0; right != NOBODY && c < k->f->n_classes; c++)
        if (c != right && !(z[right].at - z[right].off > z[c].at + z[c].off))
            return false;
    return true;
}

/* Makes all steps from within the radii; *sure: choices and answers are what they should be. */
static bool make_steps(Steps *k, bool *sure, ThError *err)
{
    memset(k->grows, 0, k->parts * sizeof *k->grows);
    memset(k->norm, 0, k->parts * sizeof *k->norm);
    *sure = true;
    for (int i = 0; *sure && i < k->n; i++)
        for (int a = 0; *sure && a < k->f->n_symbols; a++) {
            if (th_stopped(k->stop, err))
                return false;
            step(k, i, a, measure);
            *sure = k->f->sure && is_right(k, i, a);
        }
    return true;
}

/* The radius that a part needs on strings of up to so many symbols, with what is added to it now.
 */
static double needed(const Steps *k, size_t p, double symbols)
{
    double norm = k->norm[p], grows = k->grows[p];
    if (norm < 1)
        return grows / (1 - norm);
    double more = grows + (norm - 1) * k->radius[p];
    return isnan(more) ? HUGE_VAL : more > 0 ? symbols * more : 0;
}

/* Are there radii within which all parts stay so long?  What is added to a part depends on those of
 * others, so that they are made larger until they are enough. */
static bool stays(Steps *k, double symbols, bool *yes, ThError *err)
{
    const double spare = 1 + 1e-2;
    bool sure = true, grown = true;
    memset(k->radius, 0, k->parts * sizeof *k->radius);
    *yes = false;
    for (int i = 0; grown && i < 8 + 4 * k->f->layers; i++) {
        if (!make_steps(k, &sure, err))
            return false;
        if (!sure)
            return true;
        grown = false;
        for (size_t p = 0; p < k->parts; p++) {
            double due = needed(k, p, symbols) * (1 + 1e-9);
            if (!(due < HUGE_VAL))
                return true;
            grown = grown || due > k->radius[p];
            k->radius[p] = due > k->radius[p] ? due * spare : k->radius[p];
        }
    }
    *yes = !grown;
    return true;
}

/* Every length, or the greatest power of two that is shown: of runs at most twice that of real
 * numbers, which is tried first. */
static bool find_length(Steps *k, int arithmetic, ThError *err)
{
    const double real = k->out->length[TH_PROOF_IN_REALS];
    const bool bounded = arithmetic != TH_PROOF_IN_REALS && real > 0 && real < HUGE_VAL;
    int low = -1, high = bounded ? ilogb(real) + 2 : 1000, half = bounded ? high - 2 : high / 2;
    bool yes;
    k->f->arithmetic = arithmetic;
    k->f->unit = TH_PROOF_POINT_UNITS[arithmetic == TH_PROOF_IN_FLOAT];
    if (!stays(k, HUGE_VAL, &yes, err))
        return false;
    k->out->length[arithmetic] = yes ? HUGE_VAL : 0;
    while (!yes && high - low > 1) {
        bool so;
        if (!stays(k, exp2(half), &so, err))
            return false;
        low = so ? half : low;
        high = so ? high : half;
        half = so && bounded ? low + 1 : (low + high) / 2;
    }
    if (!yes && low >= 0)
        k->out->length[arithmetic] = exp2(low);
    if (!yes && low < 0)
        snprintf(k->out->why, sizeof k->out->why,
                 "what weights and rounding are off by can change an answer at once");
    return true;
}

static bool make_room(Steps *k, ThError *err)
{
    const ThProofClaim *c = k->claim;
    const ThProofLinear *f = k->f;
    size_t one = (size_t)f->parts * (size_t)f->part, layers = (size_t)f->layers;
    k->pairs = (size_t)c->machine->n_states * (size_t)(c->domain ? c->domain->n_states : 1);
    k->size = one * layers;
    k->parts = (size_t)f->parts * layers;
    k->last = th_alloc(k->pairs, sizeof *k->last, err);
    k->radius = th_alloc(3 * k->parts + k->size + 2 * one, sizeof *k->radius, err);
    if (!k->last || !k->radius)
        return false;
    k->grows = k->radius + k->parts;
    k->norm = k->grows + k->parts;
    k->now = k->norm + k->parts;
    k->f->radius = k->radius;
    return true;
}

/* Follows the model with k->same as it is; *k->out says what is shown. */
static bool prove(Steps *k, ThError *err)
{
    *k->out = (ThProofSteps){.states = 0};
    k->n = 0;
    for (size_t i = 0; i < k->pairs; i++)
        k->last[i] = NOBODY;
    bool ok = walk(k, err), met = ok && k->out->why[0] == '\0';
    for (int i = 0; ok && met && i < TH_PROOF_ARITHMETICS; i++)
        ok = find_length(k, i, err);
    for (int i = 0; i < TH_PROOF_ARITHMETICS; i++)
        k->out->why[0] = k->out->length[i] > 0 ? '\0' : k->out->why[0];
    k->out->states = k->n;
    return ok;
}

bool th_proof_steps(const ThModel *m, const ThProofClaim *claim, size_t limit, ThStop *stop,
                    ThProofSteps *proof, ThError *err)
{
    ThProofSteps found;
    *proof = (ThProofSteps){.states = 0};
    if (!th_proof_has_steps(m))
        return th_fail(err, TH_EVALUE, "the model is no linear recurrence as compile makes them");
    if (!th_model_whole(m, "a proof", err) || !th_proof_finite(&m->params, err))
        return false;
    ThProofLinear *f TH_OWNED(free) = th_proof_linear_new(m, claim->slack, err);
    Steps k = {.f = f, .claim = claim, .out = &found, .stop = stop, .limit = limit};
    bool ok = f && make_room(&k, err);
    bool goes_on = true;
    for (k.same = COARSEST; ok && goes_on && k.same > FINEST / 2; k.same *= FINER) {
        ok = prove(&k, err);
        bool first = k.same >= COARSEST, better = found.length[0] > proof->length[0];
        goes_on = found.length[0] > 0 && found.length[0] < ENOUGH && (first || better);
        *proof = first || better ? found : *proof;
    }
    TH_FREE(k.point, k.state, k.next, k.last, k.radius);
    return ok;
}
