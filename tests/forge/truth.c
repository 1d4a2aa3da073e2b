#include "truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/evaluate.h"
#include "own.h"

enum { MOST_STATES = 64, CLIMB = 40 };

/* ---- words ----------------------------------------------------------------------------------- */

static int place_of(const char *name, char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

/* from (states) <- does some word lead from a state to acceptance? */
static void find_alive(const ThDfa *d, bool *from)
{
    for (int q = 0; q < d->n_states; q++)
        from[q] = d->label[q] == 1;
    for (int round = 0; round < d->n_states; round++)
        for (int i = 0; i < d->n_states * d->n_symbols; i++)
            from[i / d->n_symbols] |= from[d->next[i]];
}

/* to (length) <- the class of the model's own numbers that is right behind each prefix, -1: it is
 * not asked. */
static void find_right(const Said *s, const int *word, int length, int *to)
{
    bool alive[MOST_STATES] = {false}, every = s->asked->target == TH_TARGET_EVERY;
    const ThSignature *has = &s->m->signature;
    if (s->domain)
        find_alive(s->domain, alive);
    int q = s->machine->start, p = s->domain ? s->domain->start : 0;
    for (int i = 0; i < length; i++) {
        q = s->machine->next[q * s->machine->n_symbols + word[i]];
        p = s->domain ? s->domain->next[p * s->domain->n_symbols + word[i]] : 0;
        bool meant = !s->domain || (every ? alive[p] : s->domain->label[p] == 1);
        int class = s->machine->label[q];
        bool asked = meant && (every || i == length - 1) && class < s->asked->n_classes;
        to[i] = asked ? place_of(s->asked->label[class], has->label, has->n_classes) : -1;
        to[i] = asked && to[i] < 0 ? has->n_classes : to[i]; /* a class that it does not have */
    }
}

static bool tell(const Said *s, const int *word, int at, const char *who, char why[400])
{
    int n = snprintf(why, 400, "answer %d of the word", at + 1);
    for (int i = 0; i <= at && n < 340; i++)
        n += snprintf(why + n, 400 - (size_t)n, " %s", s->asked->symbol[word[i]]);
    snprintf(why + n, 400 - (size_t)n, " is wrong in %s", who);
    return false;
}

static bool try_word(const Said *s, const Own *o, const int *word, int length, char why[400])
{
    static int right[OWN_LONGEST], answer[OWN_LONGEST], token[OWN_LONGEST];
    ThError err = {0};
    bool every = s->m->signature.target == TH_TARGET_EVERY, any = false;
    const ThSignature *has = &s->m->signature;
    bool runs = s->in_float || length <= s->certain;
    find_right(s, word, length, right);
    for (int i = 0; i < length; i++) {
        token[i] = place_of(s->asked->symbol[word[i]], has->symbol, has->n_symbols);
        any |= right[i] >= 0;
        if (token[i] < 0)
            return tell(s, word, i, "a symbol that the model does not have", why);
    }
    if (!any)
        return true;
    if (runs && !th_lab_predict(s->m, token, length, answer, &err))
        return tell(s, word, length - 1, err.msg, why);
    for (int i = 0; i < length; i++) {
        if (right[i] < 0)
            continue;
        if (runs && answer[every ? i : 0] != right[i])
            return tell(s, word, i, "a run", why);
        if (!s->in_float && own_answer(o, token, i + 1) != right[i])
            return tell(s, word, i, "double precision", why);
    }
    return true;
}

/* Any word; one of few symbols; a short one again and again. */
static void draw(const Said *s, ThRng *r, int *word, int length)
{
    int k = s->asked->n_symbols, way = (int)th_rng_below(r, 3);
    int period = way == 2 ? 1 + (int)th_rng_below(r, 5) : length;
    double rare = way == 1 ? 0.1 : 1;
    int often = (int)th_rng_below(r, (uint64_t)k);
    for (int i = 0; i < length; i++)
        word[i] = i >= period                ? word[i - period]
                  : th_rng_uniform(r) < rare ? (int)th_rng_below(r, (uint64_t)k)
                                             : often;
}

bool truth_of_words(const Said *s, const TruthHow *how, ThRng *r, char why[400])
{
    static int word[OWN_LONGEST];
    Own o;
    int length = 1, k = s->asked->n_symbols;
    bool own = own_read(&o, s->m), ok = own || s->in_float;
    word[0] = -1;
    for (int n = 0; ok && n < how->words; n++) {
        int i = length - 1;
        while (i >= 0 && ++word[i] == k)
            word[i--] = 0;
        if (i < 0)
            memset(word, 0, (size_t)++length * sizeof *word);
        if (length > fmin(how->longest_word, s->longest))
            break;
        ok = try_word(s, &o, word, length, why);
    }
    for (int n = 0; ok && n < how->drawn; n++) {
        length = (int)exp(th_rng_uniform(r) * log(fmin(how->longest, s->longest)));
        draw(s, r, word, length);
        ok = try_word(s, &o, word, length, why);
    }
    return ok || !(own || s->in_float);
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef struct {
    const ThProofCertificate *c;
    Own o;
    bool *ends;   /* (n_domain): does an even number of symbols lead from there inside? */
    double slack; /* greater one of what it says and of what was asked for */
    int i, j;     /* what meets: a set or -1: nothing, or the start; a set or symbol */
} Sets;

static bool is_set(const Sets *s, int i)
{
    return i >= 0 && i < s->c->n_labels;
}

static int after(const Sets *s, int i, int q)
{
    const ThProofCertificate *c = s->c;
    if (is_set(s, i))
        return c->map[i * (c->n_states + c->n_domain) + q];
    if (i >= c->n_labels)
        return c->next[q * c->n_symbols + i - c->n_labels];
    return s->o.tree ? q : c->start;
}

static bool complete(const Sets *s, int i)
{
    return i >= s->c->n_labels || (i >= 0 && s->c->complete[i]);
}

static void find_ends(Sets *s)
{
    const ThProofCertificate *c = s->c;
    const int *next = c->next + c->n_states * c->n_symbols;
    for (int q = 0; q < c->n_domain; q++)
        s->ends[q] = c->inside[q];
    for (int round = 0; round < c->n_domain; round++)
        for (int q = 0; q < c->n_domain; q++)
            for (int ab = 0; ab < c->n_symbols * c->n_symbols; ab++) {
                int a = next[q * c->n_symbols + ab / c->n_symbols] - c->n_states;
                s->ends[q] |= s->ends[next[a * c->n_symbols + ab % c->n_symbols] - c->n_states];
            }
}

static bool occurs(const Sets *s)
{
    const ThProofCertificate *c = s->c;
    bool found = c->n_domain == 0;
    for (int q = c->n_states; q < c->n_states + c->n_domain; q++)
        found |= (complete(s, s->i) || q == c->first) &&
                 s->ends[after(s, s->j, after(s, s->i, q)) - c->n_states];
    return found;
}

static bool meet(const Sets *s)
{
    int n = s->c->n_labels;
    if (!s->o.tree)
        return s->i < n && s->j >= n;
    return s->i < 0 || ((s->i >= n) == (s->j >= n) && complete(s, s->j));
}

/* Solves x A = v by elimination, A symmetric; |x|. */
static double seen_through(const double *a, const double *v, int d)
{
    static double m[OWN_WIDE][OWN_WIDE + 1];
    for (int i = 0; i < d; i++) {
        memcpy(m[i], a + i * d, (size_t)d * sizeof *a);
        m[i][d] = v[i];
    }
    double square = 0;
    for (int p = 0; p < d; p++) {
        int best = p;
        for (int i = p; i < d; i++)
            best = fabs(m[i][p]) > fabs(m[best][p]) ? i : best;
        for (int k = 0; k <= d; k++) {
            double kept = m[p][k];
            m[p][k] = m[best][k];
            m[best][k] = kept;
        }
        for (int i = 0; i < d; i++)
            for (int k = d; i != p && k >= p; k--)
                m[i][k] -= m[i][p] / m[p][p] * m[p][k];
    }
    for (int i = 0; i < d; i++)
        square += pow(m[i][d] / m[i][i], 2);
    return sqrt(square);
}

/* to <- centre + radius A z of a set; a symbol's vector; the start. */
static void point(const Sets *s, int i, const double *z, double *to)
{
    const ThProofCertificate *c = s->c;
    int d = c->dim;
    if (!is_set(s, i)) {
        own_start(&s->o, to);
        if (i >= c->n_labels)
            own_leaf(&s->o, i - c->n_labels, to);
        return;
    }
    const double *a = c->shape ? c->shape + (size_t)i * (size_t)(d * d) : NULL;
    for (int k = 0; k < d; k++) {
        double along = a ? 0 : z[k];
        for (int l = 0; a && l < d; l++)
            along += a[k * d + l] * z[l];
        to[k] = c->centre[i * d + k] + c->radius[i] * along;
    }
}

/* How far from its centre the image of a point is in the set of what the pair stands for, as a
 * share of its radius; of several such sets the best. */
static double image(const Sets *s, const double *z)
{
    const ThProofCertificate *c = s->c;
    int d = c->dim, states = c->n_states + c->n_domain;
    double x[OWN_WIDE], y[OWN_WIDE], to[OWN_WIDE], off[OWN_WIDE], least = HUGE_VAL;
    point(s, s->i, z, x);
    if (s->o.tree) {
        point(s, s->j, z + d, y);
        own_combine(&s->o, s->i < 0 ? NULL : x, y, to);
    } else
        own_step(&s->o, x, s->j - c->n_labels, to);
    for (int l = 0; l < c->n_labels; l++) {
        bool same = !s->o.tree || c->complete[l] == complete(s, s->i);
        for (int q = 0; same && q < states; q++)
            same = c->map[l * states + q] == after(s, s->j, after(s, s->i, q));
        if (!same)
            continue;
        double square = 0;
        for (int k = 0; k < d; k++) {
            off[k] = to[k] - c->centre[l * d + k];
            square += off[k] * off[k];
        }
        double by = c->shape ? seen_through(c->shape + (size_t)l * (size_t)(d * d), off, d)
                             : sqrt(square) + s->slack;
        least = fmin(least, by / c->radius[l]);
    }
    return least;
}

/* By how much the right answer leads at a point of set i; not asked: 1. */
static double lead(const Sets *s, const double *z)
{
    const ThProofCertificate *c = s->c;
    double x[OWN_WIDE], logit[OWN_WIDE], least = 1;
    bool inside = c->n_domain == 0 || c->inside[after(s, s->i, c->first) - c->n_states];
    int right = inside ? c->answer[after(s, s->i, c->start)] : -1;
    point(s, s->i, z, x);
    own_logits(&s->o, x, logit);
    for (int q = 0; right >= 0 && q < c->n_classes; q++)
        least = q == right ? least : fmin(least, logit[right] - logit[q] - 2 * s->slack);
    return least;
}

static void onto_ball(double *z, int d)
{
    double square = 0;
    for (int i = 0; i < d; i++)
        square += z[i] * z[i];
    for (int i = 0; i < d; i++)
        z[i] /= square > 1 ? sqrt(square) : 1;
}

/* Steps from a place drawn on the surface, as long as they make it worse.  What is to grow is the
 * image's share, or the lead negated. */
static double climb(const Sets *s, bool answers, ThRng *r)
{
    double z[2 * OWN_WIDE], other[2 * OWN_WIDE], best = -HUGE_VAL, step = 1;
    int d = s->c->dim;
    for (int n = 0; n < CLIMB; n++, step *= 0.93) {
        for (int i = 0; i < 2 * d; i++)
            other[i] = (n == 0 ? 0 : z[i]) + (n == 0 ? 3 : step) * th_rng_normal(r);
        onto_ball(other, d);
        onto_ball(other + d, d);
        double value = answers ? -lead(s, other) : image(s, other);
        if (value > best) {
            best = value;
            memcpy(z, other, sizeof z);
        }
    }
    return best;
}

bool truth_of_sets(const ThProofCertificate *c, const ThModel *m, const TruthHow *how, ThRng *r,
                   char why[400])
{
    Sets s = {.c = c, .slack = fmax(c->slack, how->slack)};
    bool ends[MOST_STATES] = {false};
    if (c->n_labels == 0 || !own_read(&s.o, m))
        return true;
    s.ends = ends;
    find_ends(&s);
    for (int n = 0; n < how->climbs; n++) {
        s.i = (int)th_rng_below(r, (uint64_t)c->n_labels);
        if (n % 4 == 0 && climb(&s, true, r) >= 0) {
            snprintf(why, 400, "a point of set %d is answered wrong", s.i + 1);
            return false;
        }
        s.i = (int)th_rng_below(r, (uint64_t)(c->n_labels + c->n_symbols + 1)) - 1;
        s.j = (int)th_rng_below(r, (uint64_t)(c->n_labels + c->n_symbols));
        if (!meet(&s) || !occurs(&s))
            continue;
        double most = climb(&s, false, r);
        if (!(most <= 1 + 1e-9)) {
            snprintf(why, 400, "%d with %d leads to %.9g of the radius", s.i + 1, s.j + 1, most);
            return false;
        }
    }
    return true;
}
