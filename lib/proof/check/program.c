#include "proof/check/program.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "automata/logic/formula.h"
#include "base/intern.h"
#include "base/symbols.h"
#include "proof/check/hard_impl.h"
#include "proof/map_impl.h"

/* What is known of a coordinate at every position but the beginning: a sum of letters, of which one
 * is there, and of what units and heads make.  A number alone is that much of each letter. */
typedef double Sum; /* (n) */

/* What is summed: a letter; a unit, which is its sum, or 0 if that is less; or whether a number and
 * its sum over all positions so far are more than 0. */
typedef enum { LETTER, UNIT, SIGN } Is;
typedef struct {
    double is, begins; /* Is; SIGN: the number */
} Key;

typedef struct {
    ThProofHardRun *k;
    int most, n;      /* atoms: room, and those that there are */
    ThIntern atoms;   /* Key, and the sum (most) */
    double *greatest; /* (most): value of an atom */
    unsigned char *entry;
    Sum *x, *kv, *gives, *means, *units;         /* of coordinates, (…, most) */
    double *bx, *bkv, *bgives, *bmeans, *bunits; /* at the beginning */
    ThError *err;
} Work;

static bool refuse(const Work *w, const char *why)
{
    return th_proof_hard_refuse(w->k, "%s", why);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The most that a sum can be; and the least, by = -1, negated. */
static double most_of(const Work *w, const Sum *s, double by)
{
    double letters = -HUGE_VAL, rest = 0;
    for (int a = 0; a < w->k->symbols; a++)
        letters = fmax(letters, by * s[a]);
    for (int i = w->k->symbols; i < w->n; i++)
        rest += fmax(0, by * s[i]) * w->greatest[i];
    return letters + rest;
}

static double size_of(const Work *w, const Sum *s)
{
    return fmax(fabs(most_of(w, s, 1)), fabs(most_of(w, s, -1)));
}

static bool is_exact(double x)
{
    return x * 4 == floor(x * 4) && fabs(x) <= 1 << 18;
}

/* to <- a sum of rows of `from` times a column of a matrix, plus a bias.  In any order no sum of
 * floats rounds: all are multiples of 1/4, and not large. */
static bool combine(Work *w, const Sum *from, int rows, const double *matrix, int cols, int column,
                    double bias, Sum *to)
{
    double size = fabs(bias);
    bool exact = is_exact(bias);
    for (int i = 0; i < w->most; i++)
        to[i] = i < w->k->symbols ? bias : 0;
    for (int r = 0; r < rows; r++) {
        double by = matrix[r * cols + column];
        const Sum *s = from + (size_t)r * (size_t)w->most;
        for (int i = 0; by != 0 && i < w->n; i++)
            to[i] += by * s[i];
        size += by != 0 ? fabs(by) * size_of(w, s) : 0;
        exact = exact && is_exact(by);
    }
    for (int i = 0; i < w->n; i++)
        exact = exact && is_exact(to[i]);
    return (exact && size <= 1 << 18) ||
           refuse(w, "a number is no multiple of 1/4, or large: sums may round");
}

static bool is_none(const Work *w, const Sum *s)
{
    for (int i = 0; i < w->n; i++)
        if (s[i] != 0)
            return false;
    return true;
}

/* to <- one of an atom, which is added if it is new. */
static bool take_atom(Work *w, Key key, const Sum *of, Sum *to)
{
    size_t sum = (size_t)w->most * sizeof *of, index, before = w->atoms.n;
    memcpy(w->entry, &key, sizeof key);
    memcpy(w->entry + sizeof key, of, sum);
    for (int i = 0; i < w->most; i++)
        ((double *)(void *)(w->entry + sizeof key))[i] += 0.0; /* no -0 */
    if (!th_intern(&w->atoms, w->entry, sizeof key + sum, &index, w->err))
        return false;
    if (w->atoms.n > before) {
        if (w->n == w->most)
            return th_fail(w->err, TH_ELIMIT, "more than %d units and signs", w->most);
        w->greatest[w->n++] = key.is == UNIT ? fmax(0, most_of(w, of, 1)) : 1;
    }
    memset(to, 0, sum);
    to[index] = 1;
    return true;
}

/* to <- what a unit makes of a sum: of letters alone that is known. */
static bool rectify(Work *w, const Sum *of, Sum *to)
{
    bool letters = true, whole = true;
    for (int i = 0; i < w->n; i++) {
        letters = letters && (i < w->k->symbols || of[i] == 0);
        whole = whole && of[i] == floor(of[i]);
    }
    if (!letters && !whole)
        return refuse(w, "what a unit is made of is no whole number");
    if (!letters)
        return take_atom(w, (Key){.is = UNIT}, of, to);
    for (int i = 0; i < w->most; i++)
        to[i] = i < w->k->symbols ? fmax(0, of[i]) : 0;
    return true;
}

/* to <- whether a number and a sum over positions are more than 0, which never are 0. */
static bool sign_of(Work *w, double begins, const Sum *of, Sum *to)
{
    for (int i = 0; i < w->n; i++)
        if (of[i] != floor(of[i]))
            return refuse(w, "what a mean is taken of is no whole number");
    double apart = fabs(begins - nearbyint(begins));
    if (!(apart > 0) || !is_exact(begins))
        return refuse(w, "a sum can be zero where its sign is taken");
    w->k->least = fmin(w->k->least, apart);
    w->k->greatest = fmax(w->k->greatest, fmax(fabs(begins), size_of(w, of)));
    return take_atom(w, (Key){SIGN, begins}, of, to);
}

/* ---- the model ------------------------------------------------------------------------------- */

static Sum *row(const Work *w, Sum *of, int i)
{
    return of + (size_t)i * (size_t)w->most;
}

/* What is added to the means of a head's coordinates. */
static void take_mean(Work *w, const ThProofHardLayer *l, int h)
{
    ThProofHardRun *k = w->k;
    int d = k->dim;
    for (int i = h * k->width; i < (h + 1) * k->width; i++) {
        k->greatest =
            fmax(k->greatest, fmax(fabs(w->bkv[d + i]), size_of(w, row(w, w->kv, d + i))));
        for (int c = 0; c < d; c++) {
            double by = l->output[i * d + c];
            w->bmeans[c] += by * w->bkv[d + i];
            for (int a = 0; by != 0 && a < w->n; a++)
                row(w, w->means, c)[a] += by * row(w, w->kv, d + i)[a];
        }
    }
}

/* What a head sees by the sign of means: the beginning, which has the only key, or all others,
 * whose values are 0. */
static bool take_sign(Work *w, ThProofHardLayer *l, int h)
{
    ThProofHardRun *k = w->k;
    int d = k->dim, first = h * k->width;
    Sum *lead = row(w, w->units, k->hidden), *atom = row(w, w->units, k->hidden + 1);
    double begins = 0;
    memset(lead, 0, (size_t)w->most * sizeof *lead);
    for (int i = first; i < first + k->width; i++) {
        if (!is_none(w, row(w, w->kv, i)) || !is_none(w, row(w, w->kv, d + i)))
            return refuse(w, "a head that takes a sign sees more than the beginning");
        l->key[i] = w->bkv[i];
        w->bgives[i] = w->bkv[d + i];
        for (int c = 0; c < d; c++) {
            double by = k->mean[c] ? w->bkv[i] * l->query[c * d + i] : 0;
            begins += by * w->bmeans[c];
            for (int a = 0; by != 0 && a < w->n; a++)
                lead[a] += by * row(w, w->means, c)[a];
        }
    }
    if (!sign_of(w, begins, lead, atom))
        return false;
    for (int i = first; i < first + k->width; i++)
        for (int a = 0; a < w->n; a++)
            row(w, w->gives, i)[a] = w->bkv[d + i] * atom[a];
    return true;
}

static bool run_layer(Work *w, ThProofHardLayer *l)
{
    ThProofHardRun *k = w->k;
    const int d = k->dim;
    for (int i = 0; i < 2 * d; i++) {
        w->bkv[i] =
            th_proof_hard_product(k, w->bx, d, l->key_value, 2 * d, i, l->key_value_bias[i]);
        if (!combine(w, w->x, d, l->key_value, 2 * d, i, l->key_value_bias[i], row(w, w->kv, i)))
            return false;
    }
    memset(w->gives, 0, (size_t)d * (size_t)w->most * sizeof *w->gives);
    memset(w->bgives, 0, (size_t)d * sizeof *w->bgives);
    for (int h = 0; h < k->heads; h++)
        if (l->task[h] == TH_PROOF_HARD_SIGN && !take_sign(w, l, h))
            return false;
    for (int h = 0; h < k->heads; h++)
        if (l->task[h] == TH_PROOF_HARD_MEAN)
            take_mean(w, l, h);
    Sum *more = row(w, w->units, k->hidden);
    for (int c = 0; c < d; c++) {
        if (k->mean[c])
            continue;
        w->bx[c] += th_proof_hard_product(k, w->bgives, d, l->output, d, c, l->output_bias[c]);
        if (!combine(w, w->gives, d, l->output, d, c, l->output_bias[c], more))
            return false;
        for (int a = 0; a < w->n; a++)
            row(w, w->x, c)[a] += more[a];
    }
    for (int u = 0; u < k->hidden; u++) {
        w->bunits[u] =
            fmax(0, th_proof_hard_product(k, w->bx, d, l->up, k->hidden, u, l->up_bias[u]));
        if (!combine(w, w->x, d, l->up, k->hidden, u, l->up_bias[u], more) ||
            !rectify(w, more, row(w, w->units, u)))
            return false;
    }
    for (int c = 0; c < d; c++) {
        w->bx[c] += th_proof_hard_product(k, w->bunits, k->hidden, l->down, d, c, l->down_bias[c]);
        if (!combine(w, w->units, k->hidden, l->down, d, c, l->down_bias[c], more))
            return false;
        for (int a = 0; a < w->n; a++)
            row(w, w->x, c)[a] += more[a];
        if (!(size_of(w, row(w, w->x, c)) <= 1 << 18) || !(fabs(w->bx[c]) <= 1 << 18))
            return refuse(w, "a number is large: sums may round");
    }
    return k->fits;
}

/* to <- by how much accept leads. */
static bool run_model(Work *w, Sum *to)
{
    ThProofHardRun *k = w->k;
    Sum *reject = row(w, w->units, k->hidden);
    assert(w->x && w->bx);
    for (int c = 0; c < k->dim; c++) {
        w->bx[c] = k->embedding[k->symbols * k->dim + c];
        for (int a = 0; a < k->symbols; a++)
            row(w, w->x, c)[a] = k->embedding[a * k->dim + c];
    }
    for (int i = 0; i < k->layers; i++)
        if (!run_layer(w, &k->layer[i]))
            return false;
    if (!th_proof_hard_adds_up(k) ||
        !combine(w, w->x, k->dim, k->head, 2, 1, k->head_bias[1], to) ||
        !combine(w, w->x, k->dim, k->head, 2, 0, k->head_bias[0], reject))
        return false;
    for (int a = 0; a < w->n; a++)
        to[a] -= reject[a];
    return true;
}

/* ---- the formula ----------------------------------------------------------------------------- */

static bool add_part(Work *w, const ThAutomatonFormula *f, int i, double by, Sum *to);

/* to += all that an `and` joins, and by how many they are. */
static bool add_joined(Work *w, const ThAutomatonFormula *f, int i, int *n, Sum *to)
{
    ThAutomatonPart p = f->part[i];
    if (p.is == TH_AUTOMATON_AND)
        return add_joined(w, f, p.x, n, to) && add_joined(w, f, p.y, n, to);
    ++*n;
    return add_part(w, f, i, 1, to);
}

/* to <- the sum that a unit, or a sign, is of. */
static bool sum_inside(Work *w, const ThAutomatonFormula *f, int i, Sum *to)
{
    ThAutomatonPart p = f->part[i];
    int n = 0;
    if (p.is == TH_AUTOMATON_AND) {
        if (!add_joined(w, f, i, &n, to))
            return false;
        for (int a = 0; a < w->k->symbols; a++)
            to[a] -= n - 1;
        return true;
    }
    for (int k = p.x; k < p.x + p.y; k++)
        if (!add_part(w, f, f->term[k].part, -f->term[k].by, to))
            return false;
    return true;
}

static bool add_part(Work *w, const ThAutomatonFormula *f, int i, double by, Sum *to)
{
    ThAutomatonPart p = f->part[i];
    if (p.is == TH_AUTOMATON_LETTER) {
        to[p.x] += by;
        return true;
    }
    for (int a = 0; a < w->k->symbols && (p.is == TH_AUTOMATON_TRUE || p.is == TH_AUTOMATON_NOT);
         a++)
        to[a] += by;
    if (p.is == TH_AUTOMATON_TRUE)
        return true;
    if (p.is == TH_AUTOMATON_NOT)
        return add_part(w, f, p.x, -by, to);
    Sum *inside TH_OWNED(free) = th_alloc(2 * (size_t)w->most, sizeof *inside, w->err);
    Sum *atom = inside ? inside + w->most : NULL;
    if (!inside || !sum_inside(w, f, i, inside) ||
        !(p.is == TH_AUTOMATON_AND ? rectify(w, inside, atom)
                                   : sign_of(w, p.by + 0.5, inside, atom)))
        return false;
    for (int a = 0; a < w->n; a++)
        to[a] += by * atom[a];
    return true;
}

/* Is a lead some positive number times what is true, less a half? */
static bool is_lead(const Work *w, const Sum *lead, Sum *truth)
{
    double by = 0;
    for (int a = 0; a < w->k->symbols; a++)
        truth[a] -= 0.5;
    for (int a = 0; a < w->n && by == 0; a++)
        by = truth[a] != 0 ? lead[a] / truth[a] : 0;
    for (int a = 0; a < w->n; a++)
        if (lead[a] != by * truth[a])
            return false;
    return by > 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool make_room(Work *w)
{
    enum { MOST_ATOMS = 20000, MOST_NUMBERS = 1 << 25 };
    ThProofHardRun *k = w->k;
    size_t d = (size_t)k->dim, rows = 5 * d + (size_t)k->hidden + 4;
    double most = k->symbols + k->layers * ((double)k->heads + k->hidden) + 64;
    if (most > MOST_ATOMS || most * (double)rows > MOST_NUMBERS)
        return th_fail(w->err, TH_ELIMIT, "the model has too many units and heads to be followed");
    w->most = (int)most;
    size_t n = (size_t)w->most;
    w->x = th_alloc(rows * n, sizeof *w->x, w->err);
    w->bx = th_alloc(6 * d + (size_t)k->hidden, sizeof *w->bx, w->err);
    w->greatest = th_alloc(n, sizeof *w->greatest, w->err);
    w->entry = th_alloc(sizeof(Key) + n * sizeof(Sum), 1, w->err);
    if (!w->x || !w->bx || !w->greatest || !w->entry)
        return false;
    w->kv = w->x + d * n;
    w->gives = w->kv + 2 * d * n;
    w->means = w->gives + d * n;
    w->units = w->means + d * n;
    w->bkv = w->bx + d;
    w->bgives = w->bkv + 2 * d;
    w->bmeans = w->bgives + d;
    w->bunits = w->bmeans + d;
    for (int a = 0; a < k->symbols; a++) { /* letters have the first numbers */
        w->gives[0] = a + 1;
        if (!take_atom(w, (Key){.is = LETTER}, w->gives, w->kv))
            return false;
    }
    w->gives[0] = 0;
    return true;
}

static bool compare(Work *w, const ThAutomatonFormula *f)
{
    Sum *lead TH_OWNED(free) = NULL, *truth;
    if (!make_room(w) || !(lead = th_alloc(2 * (size_t)w->most, sizeof *lead, w->err)))
        return false;
    truth = lead + w->most;
    if (!th_proof_hard_sort(w->k) || !run_model(w, lead) || !add_part(w, f, f->whole, 1, truth))
        return !w->k->fits;
    if (!is_lead(w, lead, truth))
        refuse(w, "what the weights compute is not, step for step, what the formula says");
    return true;
}

/* Is it a bare model with attention=average? */
static bool is_counter(const ThModel *m)
{
    return th_proof_is_bare(m) && th_option_choice(&m->options, "attention") == TH_TAPE_AVERAGE;
}

static void say(const Work *w, ThProofChecked *k)
{
    bool right = w->k->fits;
    k->holds = right;
    k->checks = w->n;
    snprintf(k->why, sizeof k->why, "%s", w->k->out->why);
    const double length[] = {HUGE_VAL, th_proof_hard_certain(w->k, 0x1p-53),
                             th_proof_hard_certain(w->k, 0x1p-24)};
    bool rounds = w->k->least < HUGE_VAL;
    for (int i = 0; right && i < 3; i++)
        k->length[i] = rounds ? length[i] : HUGE_VAL;
    k->in_float = k->in_double = right && !rounds;
    if (right && rounds)
        snprintf(k->why_float, sizeof k->why_float,
                 "means are rounded: their signs are certain up to length %.15g, in double %.15g",
                 th_proof_sure_length(length[2]), th_proof_sure_length(length[1]));
}

bool th_proof_check_program(const ThProofCertificate *c, const ThModel *m, const ThSignature *asked,
                            const char *formula, ThProofChecked *k, ThError *err)
{
    ThProofHard found = {0};
    ThProofHardRun run = {
        .out = &found, .err = err, .fits = true, .least = HUGE_VAL, .greatest = 1};
    ThAutomatonFormula f = {0};
    Work w = {.k = &run, .err = err};
    *k = (ThProofChecked){.holds = false};
    if (!is_counter(m) || m->signature.n_classes != 2 || m->signature.target == TH_TARGET_BITS)
        return th_fail(err, TH_EVALUE, "the model does not count: see compile by=counts");
    if (!th_signature_match(&m->signature, asked, err))
        return false;
    if (c->method != TH_PROOF_BY_PROGRAM || strcmp(c->formula, formula) != 0)
        snprintf(k->why, sizeof k->why, "it is not about this formula");
    else if (!th_symbols_same(c->symbol, c->n_symbols, asked->symbol, asked->n_symbols) ||
             !th_symbols_same(c->class_name, c->n_classes, asked->label, asked->n_classes))
        snprintf(k->why, sizeof k->why, "its symbols or classes are not the model's");
    else
        th_proof_certificate_fits(c, th_proof_digest(&m->params), k->why);
    if (k->why[0])
        return true;
    bool ok = th_proof_hard_open(&run, m) &&
              th_automaton_formula_counted(&f, formula, m->signature.symbol, m->signature.n_symbols,
                                           err) &&
              compare(&w, &f);
    if (ok)
        say(&w, k);
    th_proof_hard_close(&run);
    th_automaton_formula_free(&f);
    th_intern_free(&w.atoms);
    TH_FREE(w.x, w.bx, w.greatest, w.entry);
    return ok;
}
