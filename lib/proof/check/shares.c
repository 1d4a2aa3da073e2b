#include "proof/check/shares.h"

#include <stdio.h>

#include "base/intern.h"
#include "models/ablation.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/decoder.h"
#include "proof/map_impl.h"
#include "proof/prover.h"

typedef ThProofDecoder Net;

enum {
    NOTHING = -1, /* is asked, or is sure */
    BOTH = -2,    /* answers are asked for */
    MOST_BOXES = 400000,
    MOST_HALVINGS = 40, /* of a simplex, one after the other */
    HULL_HALVINGS = 10,
    MOST_CASES = 8000000, /* numbers in counts, of all strings that are told apart */
    TRIED = 60000         /* the same, where a wrong string is looked for only */
};
static const double LONGEST = 1 << 22; /* of runs in single precision that are looked at */

/* Counts of symbols, with the last one, and where automaton and domain are: what a string is known
 * by.  `from` is the case without the last symbol. */
typedef struct {
    int length, from;
} Way;

typedef struct {
    Net *f;
    const ThProofClaim *claim;
    ThProofWindows *out;
    ThStop *stop;
    int n, places, points; /* symbols; states of the domain; states, places and last symbols */
    bool *stays;           /* (points): is there behind arbitrarily long strings */
    int *want;             /* (n): what is asked behind these, NOTHING or BOTH */
    ThProofNumber *hull;   /* (layers, n, dim): vectors of positions anywhere, behind each layer */
    double *low, *high;    /* (n): shares */
    int *symbol;           /* (2 n): the first row of each */
    int *said;             /* (n): of a box: the sure answer behind each symbol */
    ThIntern cases, counts;
    Way *way;
    size_t room;
    int *vector;      /* (cases.n): its counts */
    int *answer;      /* (2, counts.n, n): of real numbers, and of runs; NOTHING: not sure */
    const int *count; /* (counts.n, n) */
    int unsure; /* length of the shortest string that a float run may answer otherwise; 0: none */
} Look;

/* ---- the model over a box -------------------------------------------------------------------- */

static int rows_of(const Net *f)
{
    return f->apart ? 2 * f->n_symbols : f->n_symbols;
}

/* Puts what is known of positions anywhere into the first rows. */
static void put_anywhere(Look *k, int layer)
{
    size_t all = (size_t)k->n * (size_t)k->f->dim;
    memcpy(k->f->x, k->hull + (size_t)layer * all, all * sizeof *k->hull);
}

/* What is behind each symbol, in its last row, where shares are those of the box. */
static void run(Look *k)
{
    Net *f = k->f;
    th_proof_decoder_embed(f, k->symbol, rows_of(f));
    for (int layer = 0; layer < f->layers; layer++) {
        th_proof_decoder_layer(f, layer, rows_of(f));
        if (f->apart)
            put_anywhere(k, layer);
    }
}

/* k->said <- what is sure of the box. */
static void decide(Look *k)
{
    double lead;
    run(k);
    k->out->boxes++;
    for (int a = 0; a < k->n; a++) {
        th_proof_decoder_read(k->f, rows_of(k->f) - k->n + a);
        k->said[a] = th_proof_decoder_surely(k->f, &lead);
    }
}

/* ---- simplices ------------------------------------------------------------------------------- */

/* k->low, k->high <- the box around n corners (n, n), each of which are shares. */
static void box_around(Look *k, const double *corner)
{
    for (int a = 0; a < k->n; a++) {
        k->low[a] = k->high[a] = corner[a];
        for (int i = 1; i < k->n; i++) {
            k->low[a] = fmin(k->low[a], corner[i * k->n + a]);
            k->high[a] = fmax(k->high[a], corner[i * k->n + a]);
        }
    }
}

static double distance(const double *x, const double *y, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++)
        d = fmax(d, fabs(x[i] - y[i]));
    return d;
}

typedef bool (*OnSimplex)(Look *k, double *corner, int halvings);

/* Both halves of a simplex, across its longest edge, one after the other.  Shares are sums of
 * powers of two: nothing is rounded. */
static bool halve(Look *k, double *corner, int halvings, OnSimplex then)
{
    int n = k->n, ends[2] = {0, 1};
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (distance(corner + i * n, corner + j * n, n) >
                distance(corner + ends[0] * n, corner + ends[1] * n, n)) {
                ends[0] = i;
                ends[1] = j;
            }
    bool ok = n > 1;
    for (int half = 0; ok && half < 2; half++) {
        double *moved = corner + ends[half] * n;
        const double *other = corner + ends[1 - half] * n;
        for (int a = 0; a < n; a++)
            moved[a] = (moved[a] + other[a]) / 2;
        ok = then(k, corner, halvings + 1);
        for (int a = 0; a < n; a++)
            moved[a] = 2 * moved[a] - other[a];
    }
    return ok;
}

static bool on_all(Look *k, OnSimplex then, ThError *err)
{
    double *corner TH_OWNED(free) = th_alloc((size_t)k->n * (size_t)k->n, sizeof *corner, err);
    for (int a = 0; corner && a < k->n; a++)
        corner[a * k->n + a] = 1;
    return corner && then(k, corner, 0);
}

/* Widens the hull of positions in the first layer by those of a simplex. */
static bool widen(Look *k, double *corner, int halvings)
{
    if (k->n > 1 && halvings < HULL_HALVINGS)
        return halve(k, corner, halvings, widen);
    box_around(k, corner);
    th_proof_decoder_embed(k->f, k->symbol, k->n);
    th_proof_decoder_layer(k->f, 0, k->n);
    for (int i = 0; i < k->n * k->f->dim; i++) {
        ThProofNumber x = k->f->x[i], *h = &k->hull[i];
        double low = fmin(h->at - h->off, x.at - x.off), high = fmax(h->at + h->off, x.at + x.off);
        *h = h->off < 0 ? x : (ThProofNumber){(low + high) / 2, (high - low) / 2 * TH_PROOF_WIDER};
    }
    return true;
}

/* From now on numbers are those of such runs.  Finds where positions anywhere can be. */
static bool begin(Look *k, double unit, double positions, ThError *err)
{
    Net *f = k->f;
    f->unit = unit;
    f->positions = positions;
    if (k->hull == NULL)
        return true;
    for (int i = 0; i < k->n * f->dim; i++)
        k->hull[i].off = -1;
    f->apart = false;
    bool ok = on_all(k, widen, err);
    f->apart = true;
    for (int layer = 1; layer < f->layers; layer++) {
        put_anywhere(k, layer - 1);
        th_proof_decoder_layer(f, layer, k->n);
        size_t all = (size_t)k->n * (size_t)f->dim;
        memcpy(k->hull + (size_t)layer * all, f->x, all * sizeof *f->x);
    }
    return ok;
}

/* ---- strings of any length ------------------------------------------------------------------- */

/* Is the answer sure for all shares in the simplex? */
static bool sure(Look *k, double *corner, int halvings)
{
    int unsure = NOTHING;
    box_around(k, corner);
    decide(k);
    for (int a = 0; a < k->n; a++)
        if (k->want[a] >= 0 && k->high[a] > 0 && k->said[a] != k->want[a])
            unsure = k->said[a] >= 0 || unsure < 0 ? a : unsure;
    if (unsure < 0)
        return true;
    ThProofWindows *w = k->out;
    const char *symbol = k->f->m->signature.symbol[unsure];
    if (k->said[unsure] < 0 && halvings < MOST_HALVINGS && w->boxes < MOST_BOXES &&
        !th_stopped(k->stop, &(ThError){0}))
        return k->n > 1 && halve(k, corner, halvings, sure);
    snprintf(w->why, sizeof w->why,
             "behind %.20s the answer %s where shares of %.20s are %.6g to %.6g", symbol,
             k->said[unsure] < 0 ? "is not sure" : "is wrong", k->f->m->signature.symbol[0],
             k->low[0], k->high[0]);
    return false;
}

/* Up to which length single precision is sure of strings of any length. */
static bool find_length(Look *k, ThError *err)
{
    ThProofWindows *w = k->out;
    for (double length = LONGEST; w->holds && w->certain == 0 && length >= 16; length /= 2) {
        if (th_stopped_at(k->stop, (size_t)w->boxes, "boxes", err) ||
            !begin(k, TH_PROOF_POINT_UNITS[1], length, err))
            return false;
        if (on_all(k, sure, err))
            w->certain = length;
        w->why[0] = '\0';
    }
    return true;
}

/* ---- what the automaton asks ------------------------------------------------------------------
 */

static int follow(const Look *k, int point, int a)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    int q = point / k->n / k->places, place = point / k->n % k->places;
    q = m->next[q * k->n + a];
    place = d ? d->next[place * k->n + a] : 0;
    return (q * k->places + place) * k->n + a;
}

/* The start, as if behind the first symbol. */
static int start_of(const Look *k)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    return (m->start * k->places + (d ? d->start : 0)) * k->n;
}

/* The class asked for in a point, or NOTHING. */
static int asked(const Look *k, int point)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    int label = m->label[point / k->n / k->places];
    bool meant = label < k->f->n_classes && (!d || d->label[point / k->n % k->places] != 0);
    return meant ? label : NOTHING;
}

/* Finds the points that strings lead to, and takes away one after another that no point leads to:
 * what stays is met behind strings of any length.  k->out->reach <- the length of the longest
 * string behind which something else is asked. */
static bool find_points(Look *k, ThError *err)
{
    size_t all = (size_t)k->points;
    int *queue TH_OWNED(free) = th_alloc(all, sizeof *queue, err), n = 0, gone = 0;
    int *ways TH_OWNED(free) = th_alloc(all, sizeof *ways, err);
    int *depth TH_OWNED(free) = th_alloc(all, sizeof *depth, err);
    if (!queue || !ways || !depth)
        return false;
    for (int i = -1; i < n; i++)
        for (int a = 0; a < k->n; a++) {
            int to = follow(k, i < 0 ? start_of(k) : queue[i], a);
            ways[to] += i >= 0;
            if (!k->stays[to])
                queue[n++] = to;
            k->stays[to] = true;
        }
    int *free_points TH_OWNED(free) = th_alloc(all, sizeof *free_points, err), m = 0;
    for (int i = 0; free_points && i < n; i++)
        if (ways[queue[i]] == 0)
            free_points[m++] = queue[i];
    for (; gone < m; gone++) {
        int at = free_points[gone];
        k->stays[at] = false;
        depth[at]++;
        if (asked(k, at) >= 0 && depth[at] > k->out->reach)
            k->out->reach = depth[at];
        for (int a = 0; a < k->n; a++) {
            int to = follow(k, at, a);
            depth[to] = depth[to] > depth[at] ? depth[to] : depth[at];
            if (--ways[to] == 0)
                free_points[m++] = to;
        }
    }
    return free_points != NULL;
}

/* k->want <- what is asked behind strings of any length.  Returns whether that is one answer a
 * symbol. */
static bool find_wanted(Look *k)
{
    const ThSignature *g = &k->f->m->signature;
    ThProofWindows *w = k->out;
    for (int a = 0; a < k->n; a++)
        k->want[a] = NOTHING;
    for (int i = 0; i < k->points; i++) {
        int *want = &k->want[i % k->n], class = k->stays[i] ? asked(k, i) : NOTHING;
        w->endless |= class >= 0;
        if (class >= 0 && *want >= 0 && *want != class) {
            snprintf(w->why, sizeof w->why,
                     "strings ending in %.20s are answered %.20s and %.20s however long they are, "
                     "and shares cannot decide that for ever",
                     g->symbol[i % k->n], g->label[*want], g->label[class]);
            return false;
        }
        *want = class >= 0 ? class : *want;
    }
    return true;
}

/* ---- counts -----------------------------------------------------------------------------------
 */

/* Adds a case, where it is new. */
static bool add_case(Look *k, int *key, Way way, ThError *err)
{
    size_t index, vector, before = k->cases.n, wide = (size_t)k->n;
    if (!th_intern(&k->cases, key, (wide + 1) * sizeof *key, &index, err) ||
        !th_intern(&k->counts, key, wide * sizeof *key, &vector, err))
        return false;
    if (index < before)
        return true;
    if (index == k->room) {
        size_t room = 2 * k->room + 1024;
        Way *more = realloc(k->way, room * sizeof *more);
        if (more)
            k->way = more;
        int *vectors = more ? realloc(k->vector, room * sizeof *vectors) : NULL;
        if (!vectors)
            return th_fail(err, TH_ENOMEM, "out of memory for counts of symbols");
        k->vector = vectors;
        k->room = room;
    }
    k->way[index] = way;
    k->vector[index] = (int)vector;
    return true;
}

/* All cases, in the order of lengths; or the first so many where all is not asked for. */
static bool find_cases(Look *k, bool all, ThError *err)
{
    const size_t limit = (size_t)(all ? MOST_CASES : TRIED) / (size_t)(k->n + 1);
    int *key TH_OWNED(free) = th_alloc((size_t)k->n + 1, sizeof *key, err);
    bool ok = key != NULL;
    for (ptrdiff_t i = -1; ok && i < (ptrdiff_t)k->cases.n; i++) {
        Way at = i < 0 ? (Way){0, -1} : k->way[i];
        if (all && at.length >= k->out->reach)
            break;
        if (k->cases.n > limit)
            return !all ||
                   th_fail(err, TH_ELIMIT, "counts of up to %d symbols are more than %zu cases",
                           k->out->reach, limit);
        for (int a = 0; ok && a < k->n; a++) {
            memset(key, 0, ((size_t)k->n + 1) * sizeof *key);
            if (i >= 0)
                memcpy(key, th_intern_at(&k->cases, (size_t)i, NULL),
                       ((size_t)k->n + 1) * sizeof *key);
            key[k->n] = follow(k, i < 0 ? start_of(k) : key[k->n], a);
            key[a]++;
            ok = add_case(k, key, (Way){at.length + 1, (int)i}, err);
        }
        ok = ok && !th_stopped_at(k->stop, k->cases.n, "counts of symbols", err);
    }
    return ok;
}

/* The share of symbol a in counts number i. */
static double share_of(const Look *k, int i, int a)
{
    const int *count = k->count + (ptrdiff_t)i * k->n;
    double all = 0;
    for (int b = 0; b < k->n; b++)
        all += count[b];
    return count[a] / all;
}

/* Widens the box by what shares of counts were rounded.  Returns the symbol in whose share it is
 * widest. */
static int box_of(Look *k, const int *list, int n)
{
    int widest = 0;
    for (int a = 0; a < k->n; a++) {
        k->low[a] = 1;
        k->high[a] = 0;
        for (int i = 0; i < n; i++) {
            double share = share_of(k, list[i], a);
            k->low[a] = fmin(k->low[a], share * (1 - 0x1p-50));
            k->high[a] = fmax(k->high[a], share * (1 + 0x1p-50));
        }
        if (k->high[a] - k->low[a] > k->high[widest] - k->low[widest])
            widest = a;
    }
    return widest;
}

/* Answers a list of counts in one arithmetic: as one box where that is sure, else in two parts. */
static bool answer(Look *k, int *list, int n, int *to, ThError *err)
{
    int widest = box_of(k, list, n), left = 0;
    bool all_sure = true, narrow = k->high[widest] - k->low[widest] < 1e-12;
    double middle = (k->low[widest] + k->high[widest]) / 2;
    if (th_stopped_at(k->stop, (size_t)k->out->boxes, "boxes", err))
        return false;
    decide(k);
    for (int a = 0; a < k->n; a++)
        all_sure &= k->said[a] >= 0 || k->high[a] == 0;
    if (all_sure || narrow) {
        for (int i = 0; i < n; i++)
            memcpy(to + (ptrdiff_t)list[i] * k->n, k->said, (size_t)k->n * sizeof *to);
        return true;
    }
    for (int i = 0; i < n; i++)
        if (share_of(k, list[i], widest) < middle) {
            int other = list[left];
            list[left++] = list[i];
            list[i] = other;
        }
    return answer(k, list, left, to, err) && answer(k, list + left, n - left, to, err);
}

static bool answer_all(Look *k, double positions, ThError *err)
{
    size_t n = k->counts.n, size = n * (size_t)k->n;
    int *list TH_OWNED(free) = th_alloc(n, sizeof *list, err);
    k->answer = th_alloc(2 * size, sizeof *k->answer, err);
    if (!list || !k->answer || n == 0)
        return list && k->answer;
    k->count = th_intern_at(&k->counts, 0, NULL);
    for (int in_float = 0; in_float < 2; in_float++) {
        for (size_t i = 0; i < n; i++)
            list[i] = (int)i;
        if (!begin(k, TH_PROOF_POINT_UNITS[in_float], positions, err) ||
            !answer(k, list, (int)n, k->answer + (size_t)in_float * size, err))
            return false;
    }
    k->out->strings = (long long)n;
    return true;
}

/* Keeps the string of a case, that is answered wrong (said NOTHING: perhaps). */
static bool keep(Look *k, size_t i, int right, int said, ThError *err)
{
    ThProofWindows *w = k->out;
    if (w->word && (w->wrong || said < 0))
        return true;
    int length = k->way[i].length, *word = th_alloc((size_t)length, sizeof *word, err);
    if (!word)
        return false;
    for (ptrdiff_t at = (ptrdiff_t)i; at >= 0; at = k->way[at].from) {
        const int *key = th_intern_at(&k->cases, (size_t)at, NULL);
        word[k->way[at].length - 1] = key[k->n] % k->n;
    }
    if (said >= 0 && !th_proof_ask(k->f->m, word, length, &said, err)) {
        free(word);
        return false;
    }
    free(w->word);
    w->word = word;
    w->length = length;
    w->wrong = said >= 0 && said != right;
    w->right = right;
    w->answer = said;
    return true;
}

/* Compares all cases with what the automaton asks; those that are not sure count where all are
 * meant. */
static bool compare(Look *k, bool all, ThError *err)
{
    size_t size = k->counts.n * (size_t)k->n;
    ThProofWindows *w = k->out;
    for (size_t i = 0; i < k->cases.n && !w->wrong; i++) {
        const int *key = th_intern_at(&k->cases, i, NULL);
        int right = asked(k, key[k->n]), a = key[k->n] % k->n;
        const int *said = k->answer + (ptrdiff_t)k->vector[i] * k->n + a;
        if (right < 0)
            continue;
        w->answers++;
        w->in_float &= said[size] == right;
        if (said[size] != right && (k->unsure == 0 || k->way[i].length < k->unsure))
            k->unsure = k->way[i].length;
        if (*said != right && (all || *said >= 0) && !keep(k, i, right, *said, err))
            return false;
    }
    return true;
}

/* ---- all in all -------------------------------------------------------------------------------
 */

static bool look(Look *k, ThError *err)
{
    ThProofWindows *w = k->out;
    if (!find_points(k, err))
        return false;
    bool known = find_wanted(k);
    if (known && w->endless) {
        if (!begin(k, TH_PROOF_POINT_UNITS[0], k->n, err))
            return false;
        known = on_all(k, sure, err);
        if (th_stopped_at(k->stop, (size_t)w->boxes, "boxes", err))
            return false;
    }
    double longest = known ? w->reach : LONGEST;
    if (!find_cases(k, known, err) || !answer_all(k, longest, err) || !compare(k, known, err))
        return false;
    w->holds = known && !w->word;
    w->in_float &= w->holds && !w->endless;
    if (w->endless && !find_length(k, err))
        return false;
    if (k->unsure > 0) /* of the strings that were looked at one by one */
        w->certain = fmin(w->certain, k->unsure - 1);
    return true;
}

bool th_proof_counts_fit(const ThModel *m)
{
    return th_proof_decoder_known(m, "none") && m->signature.n_symbols <= TH_PROOF_CHILDREN &&
           (m->signature.target == TH_TARGET_FINAL || th_option_flag(&m->options, "causal"));
}

static bool few(const Look *k, const ThProofClaim *c, ThError *err)
{
    const double all = (double)c->machine->n_states * k->places * k->n;
    return all <= MOST_CASES ||
           th_fail(err, TH_ELIMIT, "%.3g states of automaton and domain are too many", all);
}

static void look_free(Look *k)
{
    TH_FREE(k->f, k->stays, k->want, k->hull, k->low, k->symbol, k->said, k->way, k->vector,
            k->answer);
    th_intern_free(&k->cases);
    th_intern_free(&k->counts);
}

/* Makes room; the claim may be NULL. */
static bool prepare(Look *k, const ThModel *m, double slack, ThError *err)
{
    int n = k->n = m->signature.n_symbols;
    const ThProofClaim *c = k->claim;
    k->places = c && c->domain ? c->domain->n_states : 1;
    if (c && !few(k, c, err))
        return false;
    k->points = c ? c->machine->n_states * k->places * n : 0;
    k->f = th_proof_decoder_new(m, 2 * n, slack, err);
    k->stays = th_alloc((size_t)k->points + 1, sizeof *k->stays, err);
    k->want = th_alloc((size_t)n, sizeof *k->want, err);
    k->low = th_alloc(2 * (size_t)n, sizeof *k->low, err);
    k->symbol = th_alloc(2 * (size_t)n, sizeof *k->symbol, err);
    k->said = th_alloc((size_t)n, sizeof *k->said, err);
    if (!k->f || !k->stays || !k->want || !k->low || !k->symbol || !k->said)
        return false;
    k->high = k->low + n;
    k->f->share[0] = k->low;
    k->f->share[1] = k->high;
    for (int i = 0; i < 2 * n; i++)
        k->symbol[i] = i % n;
    k->f->apart = th_option_flag(&m->options, "causal") && k->f->layers > 1;
    size_t all = (size_t)k->f->layers * (size_t)n * (size_t)k->f->dim;
    return !k->f->apart || (k->hull = th_alloc(all, sizeof *k->hull, err));
}

bool th_proof_counts_logits(const ThModel *m, const double *const share[2], double positions,
                            bool in_float, double *at, double *off, ThError *err)
{
    Look k = {.out = &(ThProofWindows){.boxes = 0}};
    bool ok = prepare(&k, m, 0, err) && begin(&k, TH_PROOF_POINT_UNITS[in_float], positions, err);
    for (int a = 0; ok && a < k.n; a++) {
        k.low[a] = share[0][a];
        k.high[a] = share[1][a];
    }
    if (ok)
        run(&k);
    for (int i = 0; ok && i < k.n * k.f->n_classes; i++) {
        int c = i % k.f->n_classes;
        if (c == 0)
            th_proof_decoder_read(k.f, rows_of(k.f) - k.n + i / k.f->n_classes);
        at[i] = k.f->logit[c].at;
        off[i] = k.f->logit[c].off;
    }
    look_free(&k);
    return ok;
}

ThProofWindows *th_proof_counts(const ThModel *m, const ThProofClaim *claim, double slack,
                                ThStop *stop, ThError *err)
{
    if (!th_proof_counts_fit(m))
        return th_null(th_fail(err, TH_EVALUE, "positions of the model are told apart"));
    if (!th_model_whole(m, "a proof", err) || !th_proof_moderate(&m->params, err))
        return NULL;
    ThProofWindows *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (ThProofWindows){.in_float = true, .lead = HUGE_VAL};
    Look k = {.claim = claim, .out = w, .stop = stop};
    bool ok = prepare(&k, m, slack, err) && look(&k, err);
    look_free(&k);
    return TH_KEEP_IF(ok, w, th_proof_windows_free);
}
