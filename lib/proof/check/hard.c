#include "proof/check/hard_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/symbols.h"
#include "models/position/position.h"

enum { NOBODY = -1 };
static const double GRID = 4, EXACT = 1 << 18; /* numbers are multiples of 1/4; sums are at most */

typedef ThProofHardLayer Layer;
typedef ThProofHardRun Hard;

static double *remembered(const Hard *k, double *state, int layer, int head)
{
    return state + (layer * k->heads + head) * (1 + k->width);
}

bool th_proof_hard_refuse(Hard *k, const char *format, ...)
{
    va_list values;
    if (k->out->why[0] == '\0') {
        va_start(values, format);
        vsnprintf(k->out->why, sizeof k->out->why, format, values);
        va_end(values);
    }
    k->fits = false;
    return false;
}

/* ---- exact sums ------------------------------------------------------------------------------ */

bool th_proof_hard_on_grid(double x)
{
    return x * GRID == floor(x * GRID);
}

double th_proof_hard_product(Hard *k, const double *x, int rows, const double *matrix, int cols,
                             int column, double bias)
{
    double sum = bias, size = fabs(bias);
    bool grid = th_proof_hard_on_grid(bias);
    for (int i = 0; i < rows; i++) {
        double w = matrix[i * cols + column];
        if (w == 0 || x[i] == 0)
            continue;
        grid = grid && th_proof_hard_on_grid(w) && th_proof_hard_on_grid(x[i]);
        sum += x[i] * w;
        size += fabs(x[i] * w);
    }
    if (!grid || size > EXACT || !th_proof_hard_on_grid(sum))
        th_proof_hard_refuse(k, "a number is no multiple of 1/4, or large: sums may round");
    return sum;
}

/* ---- what heads do --------------------------------------------------------------------------- */

bool th_proof_hard_is_zero(const double *matrix, int rows, int cols, int first, int n)
{
    for (int i = 0; i < rows; i++)
        for (int c = first; c < first + n; c++)
            if (matrix[i * cols + c] != 0)
                return false;
    return true;
}

static bool sort_heads(Hard *k, Layer *l)
{
    for (int h = 0; h < k->heads; h++) {
        int first = h * k->width;
        bool fixed = th_proof_hard_is_zero(l->query, k->dim, k->dim, first, k->width);
        bool none = fixed && th_proof_hard_is_zero(l->query_bias, 1, k->dim, first, k->width);
        l->task[h] = !k->average ? TH_PROOF_HARD_LATEST
                     : none      ? TH_PROOF_HARD_MEAN
                                 : TH_PROOF_HARD_SIGN;
        if (!k->average && !fixed)
            return th_proof_hard_refuse(k, "what a head looks at depends on its query");
        for (int c = 0; k->average && none && c < k->dim; c++)
            for (int i = first; i < first + k->width; i++)
                k->mean[c] = k->mean[c] || l->output[i * k->dim + c] != 0;
    }
    return true;
}

/* Coordinates that hold means are written by such heads and read by signs alone, and these read
 * nothing else. */
static bool keep_apart(Hard *k, const Layer *l)
{
    for (int c = 0; c < k->dim; c++) {
        bool good = !k->mean[c] ||
                    (th_proof_hard_is_zero(l->key_value + c * 2 * k->dim, 1, 0, 0, 2 * k->dim) &&
                     th_proof_hard_is_zero(l->up + c * k->hidden, 1, 0, 0, k->hidden) &&
                     th_proof_hard_is_zero(l->down, k->hidden, k->dim, c, 1) &&
                     l->down_bias[c] == 0 && l->output_bias[c] == 0);
        for (int h = 0; h < k->heads; h++) {
            int first = h * k->width;
            bool sign = l->task[h] == TH_PROOF_HARD_SIGN;
            bool read = !th_proof_hard_is_zero(l->query + c * k->dim, 1, 0, first, k->width);
            bool written =
                !th_proof_hard_is_zero(l->output + first * k->dim, k->width, k->dim, c, 1);
            for (int i = first; k->mean[c] && i < first + k->width; i++)
                good = good && th_proof_hard_on_grid(l->query[c * k->dim + i]) &&
                       th_proof_hard_on_grid(l->output[i * k->dim + c]) &&
                       fabs(l->query[c * k->dim + i]) < 256 &&
                       fabs(l->output[i * k->dim + c]) < 256;
            good = good && !(sign && read && !k->mean[c]) && !(sign && written && k->mean[c]) &&
                   !(k->average && !sign && written && !k->mean[c]) &&
                   !(sign && !th_proof_hard_is_zero(l->query_bias, 1, k->dim, first, k->width));
        }
        if (!good)
            return th_proof_hard_refuse(k, "means are mixed with other numbers");
    }
    return true;
}

/* Is the coordinate 0 but at the beginning? */
static bool is_beginning(const Hard *k, int c)
{
    bool is = th_proof_hard_is_zero(k->embedding, k->symbols, k->dim, c, 1) && !k->mean[c];
    for (int i = 0; is && i < k->layers; i++)
        is = th_proof_hard_is_zero(k->layer[i].output, k->dim, k->dim, c, 1) &&
             th_proof_hard_is_zero(k->layer[i].down, k->hidden, k->dim, c, 1) &&
             k->layer[i].output_bias[c] == 0 && k->layer[i].down_bias[c] == 0;
    return is;
}

/* Are the values in two columns the same, times sign, at all positions but the beginning? */
static bool is_same(const Hard *k, const Layer *l, const bool *beginning, int a, int b, double sign)
{
    const double *value = l->key_value + k->dim, *bias = l->key_value_bias + k->dim;
    if (bias[a] != sign * bias[b])
        return false;
    for (int c = 0; c < k->dim; c++)
        if (!beginning[c] && value[c * 2 * k->dim + a] != sign * value[c * 2 * k->dim + b])
            return false;
    return true;
}

/* Sums of the same values are remembered once: each is the first of them, times sign, and what it
 * has at the beginning. */
static bool find_same(Hard *k)
{
    bool *beginning TH_OWNED(free) = th_alloc((size_t)k->dim, sizeof *beginning, k->err);
    for (int c = 0; beginning && c < k->dim; c++)
        beginning[c] = is_beginning(k, c);
    for (int i = 0; beginning && i < k->layers * k->dim; i++) {
        Layer *l = &k->layer[i / k->dim];
        int b, a = i % k->dim;
        for (b = 0; b < a; b++) {
            if (l->task[b / k->width] != TH_PROOF_HARD_MEAN)
                continue;
            l->sign[a] = is_same(k, l, beginning, a, b, 1) ? 1 : -1;
            if (l->sign[a] > 0 || is_same(k, l, beginning, a, b, -1))
                break;
        }
        l->same[a] = b;
        l->sign[a] = b == a ? 1 : l->sign[a];
    }
    return beginning != NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The next of `radix` choices, in the order in which they are met. */
static int choose(Hard *k, int radix)
{
    enum { MOST = 64 };
    if (k->used == MOST) {
        th_proof_hard_refuse(k, "too much is unknown of large sums");
        return 0;
    }
    if (k->used == k->digits) {
        k->digit[k->digits] = 0;
        k->digits++;
    }
    k->radix[k->used] = radix;
    return k->digit[k->used++];
}

/* Goes to the next choices; false after the last. */
static bool next_choices(Hard *k)
{
    while (k->digits > 0 && k->digit[k->digits - 1] + 1 >= k->radix[k->digits - 1])
        k->digits--;
    if (k->digits == 0)
        return false;
    k->digit[k->digits - 1]++;
    return true;
}

/* A sum with one more value: of one that was large it is unknown whether it still is. */
static double add_up(Hard *k, double sum, double value)
{
    if (isinf(sum) && (sum > 0) != (value > 0) && value != 0) {
        int way = choose(k, 1 + (int)fabs(value));
        double back = k->bound - (way - 1);
        return way == 0 ? sum : sum > 0 ? back : -back;
    }
    sum += value;
    return fabs(sum) > k->bound ? copysign(HUGE_VAL, sum) : sum;
}

/* ---- one position ---------------------------------------------------------------------------- */

/* What head h of a layer gives, from what is remembered of the positions before; and remembers this
 * one.  `first` is the beginning, which sees itself. */
static void attend(Hard *k, int layer, int h, bool first, const double *query, const double *kv,
                   double *gives)
{
    const Layer *l = &k->layer[layer];
    int column = h * k->width, d = k->dim;
    const double *key = kv + column, *value = kv + d + column;
    double *was = remembered(k, k->from, layer, h), *is = remembered(k, k->to, layer, h);
    double score = th_proof_hard_product(k, key, k->width, query + column, 1, 0, 0);
    if (k->soft)
        th_proof_soft_note(k, layer, h, first, score, value);
    if (l->task[h] == TH_PROOF_HARD_LATEST || l->task[h] == TH_PROOF_HARD_BEFORE) {
        bool later = first || l->task[h] == TH_PROOF_HARD_BEFORE || score >= was[0];
        bool own = first || (k->soft && l->task[h] == TH_PROOF_HARD_LATEST && later);
        memcpy(gives + column, own ? value : was + 1, (size_t)k->width * sizeof *gives);
        is[0] = later ? score : was[0];
        memcpy(is + 1, later ? value : was + 1, (size_t)k->width * sizeof *is);
    } else if (l->task[h] == TH_PROOF_HARD_MEAN) {
        for (int c = 0; c < k->width; c++) {
            k->greatest = fmax(k->greatest, fabs(value[c]));
            if (!first && value[c] != floor(value[c]))
                th_proof_hard_refuse(k, "what a mean is taken of is no whole number");
            if (first)
                l->value[column + c] = value[c];
            else if (l->same[column + c] == column + c)
                is[1 + c] = add_up(k, was[1 + c], value[c]);
        }
    } else if (first) {
        memcpy(l->key + column, key, (size_t)k->width * sizeof *key);
        memcpy(l->value + column, value, (size_t)k->width * sizeof *value);
        memcpy(gives + column, value, (size_t)k->width * sizeof *gives);
    } else {
        double lead = 0, near = 0;
        for (int c = 0; c < k->width; c++) {
            if (key[c] != 0 || value[c] != 0)
                th_proof_hard_refuse(k, "a head that takes a sign sees more than the beginning");
            lead += l->key[column + c] != 0 ? l->key[column + c] * k->z[column + c] : 0;
            near += l->key[column + c] * k->z[d + column + c];
        }
        if (lead == 0 || isnan(lead))
            th_proof_hard_refuse(k, "a sum is zero where its sign is taken");
        else if (lead > 0 ? near <= 0 : near >= 0)
            th_proof_hard_refuse(k, "what is added to a large sum can be more than that");
        k->least = fmin(k->least, fabs(near));
        for (int c = 0; c < k->width; c++)
            gives[column + c] = lead > 0 ? l->value[column + c] : 0;
    }
}

/* The sum in column i of a layer's values; near: with a large one as small as it can be. */
static double sum_of(const Hard *k, int layer, int i, bool near)
{
    const Layer *l = &k->layer[layer];
    int of = l->same[i];
    double sum = remembered(k, k->to, layer, of / k->width)[1 + of % k->width];
    sum = near && isinf(sum) ? copysign(k->bound + 1, sum) : sum;
    return l->value[i] + l->sign[i] * sum;
}

/* Queries of the sums, for signs: into k->z. */
static void query_sums(Hard *k, const Layer *l)
{
    for (int at = 0; at < 2 * k->dim; at++) {
        const double *sums = k->sums + (at < k->dim ? 0 : k->dim);
        k->z[at] = 0;
        for (int i = 0; i < k->dim; i++) {
            double w = l->query[i * k->dim + at % k->dim];
            if (k->mean[i] && w != 0 && sums[i] != 0)
                k->z[at] += sums[i] * w;
        }
    }
}

static void run_layer(Hard *k, int layer, bool first)
{
    const Layer *l = &k->layer[layer];
    int d = k->dim;
    double *kv = k->hidden_units, *query = kv + 2 * d, *gives = query + d, *units = gives + d;
    for (int c = 0; c < 2 * d; c++)
        kv[c] = th_proof_hard_product(k, k->x, d, l->key_value, 2 * d, c, l->key_value_bias[c]);
    for (int c = 0; c < d; c++)
        query[c] = k->average ? 0 : l->query_bias[c];
    memset(gives, 0, (size_t)d * sizeof *gives);
    query_sums(k, l);
    for (int h = 0; h < k->heads; h++)
        attend(k, layer, h, first, query, kv, gives);
    for (int c = 0; c < d; c++) {
        if (!k->mean[c])
            k->x[c] += th_proof_hard_product(k, gives, d, l->output, d, c, l->output_bias[c]);
        for (int i = 0; k->mean[c] && i < d; i++) {
            double w = l->task[i / k->width] == TH_PROOF_HARD_MEAN ? l->output[i * d + c] : 0;
            for (int near = 0; w != 0 && near < 2; near++)
                k->sums[near * d + c] += w * sum_of(k, layer, i, near);
        }
        if (k->soft && k->seen_by[c] / d == layer && k->seen_by[c] >= 0 && k->x[c] != 0 &&
            k->x[c] != 1)
            th_proof_hard_refuse(k, "what a head sees is neither 0 nor 1");
    }
    for (int u = 0; u < k->hidden; u++)
        units[u] = fmax(0, th_proof_hard_product(k, k->x, d, l->up, k->hidden, u, l->up_bias[u]));
    for (int c = 0; c < d; c++)
        k->x[c] += th_proof_hard_product(k, units, k->hidden, l->down, d, c, l->down_bias[c]);
    for (int c = 0; c < d; c++)
        if (fabs(k->x[c]) > EXACT)
            th_proof_hard_refuse(k, "a number is large: sums may round");
}

/* k->to <- what is remembered behind a symbol, or the beginning; k->logits. */
static void run_symbol(Hard *k, int symbol)
{
    bool first = symbol == k->symbols;
    k->used = 0;
    memset(k->to, 0, (size_t)k->size * sizeof *k->to);
    memset(k->sums, 0, 2 * (size_t)k->dim * sizeof *k->sums);
    memcpy(k->x, k->embedding + symbol * k->dim, (size_t)k->dim * sizeof *k->x);
    for (int i = 0; i < k->layers && k->fits; i++)
        run_layer(k, i, first);
    for (int c = 0; c < k->classes; c++)
        k->logits[c] =
            th_proof_hard_product(k, k->x, k->dim, k->head, k->classes, c, k->head_bias[c]);
    for (int i = 0; i < k->size; i++)
        k->to[i] += 0.0; /* no -0, which has other bytes */
}

/* ---- all strings ----------------------------------------------------------------------------- */

/* What is known at a point: what is remembered, the states of machine and domain. */
typedef struct {
    int machine, domain;
    double state[];
} Point;

typedef struct {
    Hard *k;
    ThIntern seen; /* of Point */
    int *parent, *symbol;
    size_t parent_cap, symbol_cap, bytes, limit;
    Point *point;
} Search;

/* The word that leads to a point, and a symbol more. */
static void write_word(const Search *s, size_t at, int symbol, char *to, size_t room)
{
    enum { LONGEST = 40 };
    int word[LONGEST], n = 0;
    ThText t TH_OWNED(th_text_free) = {0};
    word[LONGEST - ++n] = symbol;
    for (; at > 0 && n < LONGEST; at = (size_t)s->parent[at])
        word[LONGEST - ++n] = s->symbol[at];
    const ThSignature *g = &s->k->claim->asked;
    th_symbols_write(&t, g->symbol, g->n_symbols, word + LONGEST - n, n);
    snprintf(to, room, "%s%.120s", at > 0 ? "… " : "", th_text_string(&t));
}

static bool add_point(Search *s, size_t from, int symbol)
{
    size_t index, before = s->seen.n;
    if (!th_intern(&s->seen, s->point, s->bytes, &index, s->k->err))
        return false;
    if (s->seen.n == before)
        return true;
    if (s->seen.n > s->limit)
        return th_fail(s->k->err, TH_ELIMIT, "more than %zu things can be remembered", s->limit);
    if (!th_grow(&s->parent, &s->parent_cap, index + 1, sizeof *s->parent, s->k->err) ||
        !th_grow(&s->symbol, &s->symbol_cap, index + 1, sizeof *s->symbol, s->k->err))
        return false;
    s->parent[index] = (int)from;
    s->symbol[index] = symbol;
    return true;
}

/* Is a class ahead of all others; or where nothing rounds, is it what a run says: of equals the
 * first? */
static bool answers(const Hard *k, int class, bool alone)
{
    for (int c = 0; c < k->classes; c++)
        if (c != class && !(k->logits[class] > k->logits[c]) &&
            (alone || c < class || k->logits[class] < k->logits[c]))
            return false;
    return true;
}

/* Follows one symbol in all ways; false: an error, or it is not right. */
static bool follow(Search *s, size_t at, int symbol)
{
    Hard *k = s->k;
    const ThProofClaim *c = k->claim;
    Point here = *(const Point *)th_intern_at(&s->seen, at, NULL);
    int to = c->machine->next[here.machine * k->symbols + symbol],
        in = c->domain ? c->domain->next[here.domain * k->symbols + symbol] : 0;
    bool asked = c->machine->label[to] < k->classes && (!c->domain || c->domain->label[in] == 1);
    k->digits = 0;
    do {
        const Point *from = th_intern_at(&s->seen, at, NULL);
        memcpy(k->from, from->state, (size_t)k->size * sizeof *k->from);
        run_symbol(k, symbol);
        k->out->steps++;
        if (!k->fits)
            return false;
        if (asked && !answers(k, c->machine->label[to], true)) {
            char word[160];
            write_word(s, at, symbol, word, sizeof word);
            k->out->wrong = !k->average && !k->soft && !answers(k, c->machine->label[to], false);
            return th_proof_hard_refuse(k, "the answer to %s is %s%s", word,
                                        k->out->wrong ? "not " : "perhaps not ",
                                        c->asked.label[c->machine->label[to]]);
        }
        s->point->machine = to;
        s->point->domain = in;
        memcpy(s->point->state, k->to, (size_t)k->size * sizeof *k->to);
        if (!add_point(s, at, symbol))
            return false;
    } while (next_choices(k));
    return true;
}

static bool search(Hard *k, size_t limit, ThStop *stop)
{
    Search s = {.k = k, .limit = limit};
    s.bytes = sizeof(Point) + (size_t)k->size * sizeof(double);
    s.point = th_alloc(1, s.bytes, k->err);
    bool ok = s.point != NULL;
    if (ok) {
        k->digits = 0;
        run_symbol(k, k->symbols);
        s.point->machine = k->claim->machine->start;
        s.point->domain = k->claim->domain ? k->claim->domain->start : 0;
        memcpy(s.point->state, k->to, (size_t)k->size * sizeof *k->to);
        ok = k->fits && add_point(&s, 0, NOBODY);
    }
    for (size_t i = 0; ok && i < s.seen.n; i++)
        for (int a = 0; ok && a < k->symbols; a++)
            ok = !th_stopped(stop, k->err) && follow(&s, i, a);
    k->out->states = (int)s.seen.n;
    th_intern_free(&s.seen);
    TH_FREE(s.parent, s.symbol, s.point);
    return ok;
}

/* By how much a value counts, at most, where the sign of its sum is taken. */
static double reach_of(const Hard *k, const Layer *l, int head)
{
    double total = 0;
    for (int c = head * k->width; c < (head + 1) * k->width; c++)
        for (int i = 0; i < k->dim; i++) {
            double weight = k->mean[i] ? fabs(l->key[c] * l->query[i * k->dim + c]) : 0;
            for (int j = 0; weight > 0 && j < k->layers * k->dim; j++)
                total += weight * fabs(k->layer[j / k->dim].output[j % k->dim * k->dim + i]);
        }
    return total;
}

static double farthest_reach(const Hard *k)
{
    double reach = 0;
    for (int i = 0; i < k->layers; i++)
        for (int h = 0; h < k->heads; h++)
            reach =
                fmax(reach,
                     k->layer[i].task[h] == TH_PROOF_HARD_SIGN ? reach_of(k, &k->layer[i], h) : 0);
    return reach;
}

bool th_proof_hard_adds_up(Hard *k)
{
    const double most = 1 << 26; /* times EXACT and 4^4: less than 2^53 */
    return farthest_reach(k) <= most ||
           th_proof_hard_refuse(k, "what a sign is taken of is a sum of large numbers");
}

/* Up to which length the means of sums keep their signs: weights of 1/n that are rounded, sums in
 * any order and what is done with them, sums of a head's columns and of a query's rows, are off by
 * γ of the greatest value, and a sum is `least` at least. */
double th_proof_hard_certain(const Hard *k, double unit)
{
    double reach = farthest_reach(k), spare = 8 + k->width + k->dim;
    double most = floor(sqrt(0.99 * k->least / (reach * k->greatest * unit))) - spare;
    return most > 0 ? most : 0;
}

bool th_proof_is_bare(const ThModel *m)
{
    return m->bound && strcmp(m->kind->name, "bare") == 0 && !th_position_has_places(&m->options);
}

bool th_proof_is_hard(const ThModel *m)
{
    return th_proof_is_bare(m) &&
           (th_option_choice(&m->options, "attention") != TH_TAPE_SOFT || th_proof_is_soft(m));
}

bool th_proof_is_soft(const ThModel *m)
{
    return th_proof_is_bare(m) && th_option_choice(&m->options, "attention") == TH_TAPE_SOFT &&
           th_option_flag(&m->options, "causal") &&
           strcmp(th_option_text(&m->options, "position"), "learned") == 0 &&
           th_params_find(&m->params, "position") >= 0;
}

bool th_proof_hard_sort(Hard *k)
{
    memset(k->mean, 0, (size_t)k->dim * sizeof *k->mean);
    if (k->soft)
        th_proof_soft_sort(k);
    for (int i = 0; !k->soft && k->fits && i < k->layers; i++)
        sort_heads(k, &k->layer[i]);
    for (int i = 0; k->fits && i < k->layers; i++)
        keep_apart(k, &k->layer[i]);
    for (int c = 0; k->fits && c < k->dim; c++)
        if (k->mean[c] && !(th_proof_hard_is_zero(k->embedding, k->symbols + 1, k->dim, c, 1) &&
                            th_proof_hard_is_zero(k->head + c * k->classes, 1, 0, 0, k->classes)))
            th_proof_hard_refuse(k, "means are mixed with other numbers");
    return k->fits;
}

/* With sums known up to a bound. */
static bool try_bound(Hard *k, double bound, size_t limit, ThStop *stop)
{
    *k->out = (ThProofHard){.means = k->average};
    k->bound = bound;
    k->fits = true;
    k->least = HUGE_VAL;
    k->greatest = 1;
    bool ok =
        th_proof_hard_sort(k) && find_same(k) && search(k, limit, stop) && th_proof_hard_adds_up(k);
    k->out->length = ok && k->average ? th_proof_hard_certain(k, 0x1p-24) : 0;
    if (ok && k->soft)
        ok = th_proof_soft_lengths(k, stop, k->out->lengths, &k->out->off);
    k->out->right = ok;
    return ok || !k->fits;
}

bool th_proof_hard(const ThModel *m, const ThProofClaim *claim, size_t limit, ThStop *stop,
                   ThProofHard *proof, ThError *err)
{
    static const double bounds[] = {2, 4, 8, 16, 32};
    Hard k = {.claim = claim, .out = proof, .err = err};
    if (!th_proof_is_hard(m))
        return th_fail(err, TH_EVALUE, "the model's attention is not hard");
    bool ok = th_proof_hard_open(&k, m);
    for (size_t i = 0; ok && i < sizeof bounds / sizeof *bounds; i++) {
        ok = try_bound(&k, bounds[i], limit, stop);
        if (!k.average || proof->right)
            break;
    }
    th_proof_hard_close(&k);
    return ok;
}
