/* forge - tries to have something false accepted: changes certificates, models and claims by seed,
 * signs them anew, and asks of whatever the checker accepts for a word or a point that refutes it.
 *
 *     forge [SECONDS [FIRST]]    changes number FIRST (0), FIRST + 1 … for so long (10), and those
 *                                first eighty in any case that are the same tricks of all subjects
 *     forge only N               change N alone, and what it was
 *
 * Prints TAP, a line for each of the subjects.  A change that was accepted and is false is a file
 * build/forge-N.json, where there is one, and a line that says how to make it again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "own.h"
#include "proof/algebra.h"
#include "proof/quantize.h"
#include "subject.h"
#include "truth.h"

/* What is tried with every subject before all else, a few times each. */
enum { FREE = -1, ODD_LENGTHS = 6, RADII = 11, CANCELLING, ANSWERS, RECIPES = 8 };
static const int recipes[RECIPES] = {CANCELLING, ODD_LENGTHS, ANSWERS,    RADII,
                                     CANCELLING, ODD_LENGTHS, CANCELLING, ANSWERS};

typedef struct {
    uint64_t number;
    int recipe;
    ThRng r;
    const Subject *all, *s;
    ThModel *m;           /* s->model, whose weights come back, or one of its own */
    ThProofClaim *claim;  /* s->claim, or one of its own */
    ThSignature asked;    /* borrowed names */
    const ThDfa *machine; /* what is asked */
    ThDfa *other;         /* the same, if it is one of its own */
    const ThDfa *domain;
    bool changed, anew; /* model or claim is; the certificate is to be made */
    char what[400], why[400];
} Change;

typedef struct {
    long tried, accepted, in_float, refuted;
    double seconds;
} Count;

static const char *path = "build/forge.json";
static bool thorough; /* an hour, not ten seconds */

static void note(Change *x, const char *what, long at)
{
    size_t n = strlen(x->what);
    snprintf(x->what + n, sizeof x->what - n, "%s%s %ld", n ? ", " : "", what, at);
}

static int below(Change *x, int n)
{
    return (int)th_rng_below(&x->r, (uint64_t)n);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double changed(Change *x, double was, double other)
{
    static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 0,   1e300,
                                 -1e300,      5e-324,   1000,      1001};
    double by = pow(10, -9 + 10 * th_rng_uniform(&x->r));
    switch (below(x, 8)) {
    case 0:
        return 0;
    case 1:
        return -was;
    case 2:
        return other;
    case 3:
        return odd[below(x, 9)];
    case 4:
        return was * pow(10, below(x, 13) - 6);
    default:
        return was * (1 + (below(x, 2) ? by : -by));
    }
}

static void change_reals(Change *x, double *a, int n, const char *what)
{
    int at = below(x, n);
    note(x, what, at);
    a[at] = changed(x, a[at], a[below(x, n)]);
}

static void change_integers(Change *x, int *a, int n, int low, int high, const char *what)
{
    int at = below(x, n);
    note(x, what, at);
    if (n > 0 && high >= low)
        a[at] = low + below(x, high - low + 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static json_t *section(Change *x, json_t *from)
{
    json_t *at = from, *next = NULL;
    for (int deep = 0; deep < 4 && (json_is_object(at) || json_is_array(at)); deep++) {
        if (deep > 0 && below(x, 3) == 0)
            return at;
        int n = (int)(json_is_object(at) ? json_object_size(at) : json_array_size(at));
        int i = n > 0 ? below(x, n) : 0;
        if (json_is_array(at))
            next = json_array_get(at, (size_t)i);
        else
            for (void *it = json_object_iter(at); it; it = json_object_iter_next(at, it))
                if (i-- == 0)
                    next = json_object_iter_value(it);
        if (!next)
            return at;
        at = next;
    }
    return at;
}

static void change_array(Change *x, json_t *a)
{
    size_t n = json_array_size(a), i = n ? (size_t)below(x, (int)n) : 0,
           j = n ? (size_t)below(x, (int)n) : 0;
    note(x, "array", (long)i);
    if (n == 0)
        return;
    json_t *kept = json_deep_copy(json_array_get(a, i));
    switch (below(x, 4)) {
    case 0:
        json_array_remove(a, i);
        json_decref(kept);
        return;
    case 1:
        json_array_insert_new(a, j, kept);
        return;
    case 2:
        json_array_set(a, i, json_array_get(a, j));
        json_array_set_new(a, j, kept);
        return;
    default:
        json_array_set_new(a, j, kept);
    }
}

static void change_file(Change *x, json_t *file)
{
    json_t *at = section(x, file);
    if (below(x, 12) == 0) { /* a section of another */
        const Subject *from = &x->all[below(x, SUBJECTS)];
        const char *key = NULL;
        json_t *value;
        int n = below(x, (int)json_object_size(file));
        json_object_foreach(file, key, value) if (n-- == 0) break;
        note(x, key ? key : "", from - x->all);
        json_t *other = from->file && key ? json_object_get(from->file, key) : NULL;
        if (other)
            json_object_set_new(file, key, json_deep_copy(other));
        else if (key)
            json_object_del(file, key);
    } else if (json_is_array(at))
        change_array(x, at);
    else if (json_is_integer(at)) {
        note(x, "integer", (long)json_integer_value(at));
        json_integer_set(at, json_integer_value(at) + below(x, 5) - 2);
    } else if (json_is_real(at)) {
        note(x, "real", 0);
        double to = changed(x, json_real_value(at), 1);
        json_real_set(at, isfinite(to) ? to : 1e308);
    }
}

/* Answers that are not asked, or are what is said anyway. */
static void spoil_answers(Change *x, ThProofCertificate *c)
{
    int to = below(x, c->n_classes + 1) - 1;
    note(x, "all answers", to);
    for (int q = 0; q < c->n_states; q++)
        c->answer[q] = to;
}

/* All sets are smaller or larger. */
static void change_radii(Change *x, ThProofCertificate *c)
{
    double by = pow(10, 1.5 * th_rng_uniform(&x->r) - 1);
    note(x, "all radii, per cent", (long)(100 * by));
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] *= by;
}

static void change_numbers(Change *x, ThProofCertificate *c, int which)
{
    int states = c->n_states + c->n_domain;
    switch (which) {
    case 0:
        change_reals(x, c->centre, c->n_labels * c->dim, "centre");
        break;
    case 1:
    case 2:
        change_reals(x, c->radius, c->n_labels, "radius");
        break;
    case 3:
        change_reals(x, &c->slack, 1, "slack");
        break;
    case 4:
        if (c->shape)
            change_reals(x, c->shape, c->n_labels * c->dim * c->dim, "shape");
        break;
    case 5:
        change_integers(x, c->next, c->n_states * c->n_symbols, 0, c->n_states - 1, "next");
        break;
    case 6:
        change_integers(x, c->answer, c->n_states, -1, c->n_classes - 1, "answer");
        break;
    case 7:
        change_integers(x, c->map, c->n_labels * states, 0, c->n_states - 1, "map");
        break;
    case 8:
        change_integers(x, &c->start, 1, 0, c->n_states - 1, "start");
        break;
    case 9:
        if (c->n_domain > 0)
            change_integers(x, c->inside, c->n_domain, 0, 1, "inside");
        break;
    case 10:
        spoil_answers(x, c);
        break;
    default:
        change_radii(x, c);
    }
}

/* Returns new: the subject's certificate with so many changes, signed for the model, or NULL: it
 * is none any more. */
static ThProofCertificate *certificate(Change *x, int edits, int numbers)
{
    ThError err = {0};
    json_t *file = json_deep_copy(x->s->file);
    for (int i = 0; i < edits; i++)
        change_file(x, file);
    bool written = json_dump_file(file, path, JSON_REAL_PRECISION(17)) == 0;
    json_decref(file);
    ThProofCertificate *c = written ? th_proof_certificate_read(path, &err) : NULL;
    for (int i = 0; c && i < numbers; i++)
        change_numbers(x, c, x->recipe == RADII ? RADII : below(x, 14));
    return c;
}

/* ---- models ---------------------------------------------------------------------------------- */

static void change_weights(Change *x, int n)
{
    const ThParams *p = &x->m->params;
    x->changed = true;
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)below(x, (int)p->total), from = (size_t)below(x, (int)p->total);
        note(x, "weight", (long)at);
        p->value[at] = (float)changed(x, (double)p->value[at], (double)p->value[from]);
    }
}

static float *weights(const ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    return i < 0 ? NULL : th_params_at(&m->params, i);
}

/* One class is said whatever comes, or never; or two come near to each other. */
static void spoil_head(Change *x)
{
    int n = x->m->signature.n_classes, a = below(x, n), b = below(x, n);
    float *bias = weights(x->m, "head_bias");
    x->changed = true;
    note(x, "head", a);
    if (below(x, 2)) {
        bias[a] += below(x, 2) ? 100 : -100;
        return;
    }
    bias[a] += 0.5F;
    bias[b] -= 1;
}

/* What hidden units see of two vectors: of symbols, of something drawn. */
static void seen(Change *x, const Own *o, double *u)
{
    double a[OWN_WIDE], b[OWN_WIDE];
    own_leaf(o, below(x, o->n_symbols), a);
    own_leaf(o, below(x, o->n_symbols), b);
    own_middle(o, below(x, 3) == 0 ? NULL : a, b, u);
    for (int i = 0; below(x, 2) && i < o->dim; i++)
        u[i] = th_rng_normal(&x->r);
}

/* Pairs of hidden units that cancel to the last bit, and are as large as can be where they fire. */
static void add_cancelling(Change *x)
{
    x->m = subject_widened(x->s->model);
    x->changed = true;
    Own o;
    own_read(&o, x->m);
    int d = o.dim, wide = d * (int)th_option_int(&x->m->options, "hidden"), pairs = wide / 4;
    bool first = x->recipe != FREE;
    bool together = first || below(x, 4) > 0, large = first || below(x, 4) > 0;
    double u[OWN_WIDE], square = 0, share = th_rng_uniform(&x->r);
    double w = large ? 999 : pow(10, 3 * th_rng_uniform(&x->r));
    double by = large ? 500 : pow(10, 3 * th_rng_uniform(&x->r)) / 2;
    float *up = weights(x->m, "layer0.feed_forward.up");
    float *up_bias = weights(x->m, "layer0.feed_forward.up_bias");
    float *down = weights(x->m, "layer0.feed_forward.down");
    seen(x, &o, u);
    for (int i = 0; i < d; i++)
        square += u[i] * u[i];
    note(x, "cancelling, 1000 log", (long)(1000 * log10(w * by)));
    for (int k = 0; k < pairs; k++) {
        int h = wide / 2 + k, g = wide / 2 + pairs + k;
        for (int i = 0; i < d; i++) {
            up[i * wide + h] = up[i * wide + g] = (float)(w * u[i] / sqrt(square));
            down[h * d + i] = k > 0 && together ? down[(h - 1) * d + i]
                                                : (float)(by * fmin(2, th_rng_normal(&x->r)));
            down[g * d + i] = -down[h * d + i];
        }
        up_bias[h] = up_bias[g] = (float)(-w * share * sqrt(square));
    }
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void exchange_names(Change *x, char **names, int n)
{
    int a = below(x, n), b = below(x, n);
    char *kept = names[a];
    note(x, "names", a);
    names[a] = names[b];
    names[b] = kept;
}

/* Returns new: the same answers, but others, or none, where the length is odd. */
static ThDfa *odd_others(const ThDfa *d, int turn)
{
    int n = d->n_states, k = d->n_symbols;
    ThDfa *to = th_dfa_new(2 * n, k, d->n_classes + (turn == 0), NULL);
    for (int i = 0; i < 2 * n * k; i++)
        to->next[i] = d->next[i % (n * k)] + (i < n * k ? n : 0);
    for (int q = 0; q < 2 * n; q++)
        to->label[q] = q < n       ? d->label[q]
                       : turn == 0 ? d->n_classes
                                   : (d->label[q - n] + turn) % d->n_classes;
    to->start = d->start;
    return to;
}

static void change_claim(Change *x)
{
    static char *symbol[64], *label[64];
    const ThSignature *was = &x->s->task->signature;
    x->changed = true;
    memcpy(symbol, was->symbol, (size_t)was->n_symbols * sizeof *symbol);
    memcpy(label, was->label, (size_t)was->n_classes * sizeof *label);
    x->asked = *was;
    x->asked.symbol = symbol;
    x->asked.label = label;
    x->other = th_dfa_copy(x->machine, NULL);
    switch (x->recipe == ODD_LENGTHS ? x->recipe : below(x, ODD_LENGTHS + 1)) {
    case 0:
        exchange_names(x, symbol, was->n_symbols);
        break;
    case 1:
        exchange_names(x, label, was->n_classes);
        break;
    case 2:
        change_integers(x, x->other->next, x->other->n_states * x->other->n_symbols, 0,
                        x->other->n_states - 1, "asked next");
        break;
    case 3:
        change_integers(x, x->other->label, x->other->n_states, 0, x->other->n_classes - 1,
                        "asked answer");
        break;
    case 4:
        note(x, "all strings", 0);
        x->domain = NULL;
        break;
    case 5:
        x->asked.target = was->target == TH_TARGET_EVERY ? TH_TARGET_FINAL : TH_TARGET_EVERY;
        note(x, "target", x->asked.target);
        break;
    default:
        x->anew = true;
        th_dfa_free(x->other);
        x->other = odd_others(x->machine, (below(x, 5) + 1) % 5 % 3);
        note(x, "odd lengths", x->other->n_classes);
    }
    x->machine = x->other;
    const ThProofAsked asked = {
        .task = &x->asked, .machine = x->machine, .domain = x->domain, .slack = x->s->claim->slack};
    ThError err = {0};
    x->claim = th_proof_claim_new(x->m, &asked, NULL, &err);
}

/* ---- one change ------------------------------------------------------------------------------ */

/* 0: refused, 1: accepted of real numbers, 2: of the program's runs. */
static int accepted_sets(Change *x, ThProofCertificate *c)
{
    ThError err = {0};
    ThProofChecked k = {0};
    bool cell = th_proof_is_cell(x->m);
    ThProofCell *g = cell ? th_proof_cell_new(x->m, &err) : NULL;
    ThProofMap *f = cell ? NULL : th_proof_map_new(x->m, &err);
    if (f || g) {
        c->weights = f ? f->digest : g->digest;
        c->digest = th_proof_certificate_digest(c);
    }
    bool ok = (f || g) && th_proof_check(c, x->m, x->claim, NULL, &k, &err) && k.holds;
    th_proof_map_free(f);
    th_proof_cell_free(g);
    return ok ? 1 + k.in_float : 0;
}

static int accepted_snapped(Change *x)
{
    ThError err = {0};
    ThProofQuantized *q = th_proof_quantize(x->m, x->claim, 100, 1, NULL, &err);
    int accepted = q && q->wrong == 0 ? 1 + q->in_float : 0;
    th_proof_quantized_free(q);
    return accepted;
}

static int accepted_built(Change *x)
{
    ThError err = {0};
    ThMonoid *monoid = th_monoid_new(x->machine, 100, NULL, &err);
    ThProofTruth truth = {x->machine, NULL, monoid};
    int accepted = 0;
    for (int in_float = 0; monoid && accepted == in_float && in_float < 2; in_float++) {
        ThProofAlgebraHow how = {.radius = 1e-3, .slack = 1e-6, .in_float = in_float};
        ThProofAlgebra p;
        accepted += th_proof_algebra(x->m, &truth, &how, &p, &err) && p.right && p.closed;
    }
    th_monoid_free(monoid);
    return accepted;
}

static bool is_true(Change *x, const ThProofCertificate *c, int accepted)
{
    const Said said = {x->m, &x->asked, x->machine, x->domain, accepted == 2};
    int more = thorough ? 4 : 1;
    return (!x->changed ||
            truth_of_words(&said, 120 * more, 2 * more, 300 * more, &x->r, x->why)) &&
           (!c || truth_of_sets(c, x->m, 6 * more, &x->r, x->why));
}

static ThProofCertificate *change(Change *x)
{
    static const int first[] = {
        [ODD_LENGTHS] = 170, [RADII] = 100, [CANCELLING] = 190, [ANSWERS] = 150};
    int kind = x->recipe == FREE ? below(x, 200) : first[x->recipe];
    ThProofCertificate *c = NULL;
    if (x->s->kind != SETS) {
        if (x->s->kind == SNAPPED && below(x, 10) == 0)
            change_claim(x);
        else if (x->recipe != FREE || below(x, 8) == 0)
            spoil_head(x);
        else
            change_weights(x, 1 + below(x, 3));
        return NULL;
    }
    if (kind < 100)
        return certificate(x, 1 + below(x, 2), 0);
    if (kind < 120)
        return certificate(x, 0, 1 + below(x, 2));
    if (kind < 150)
        change_weights(x, 1 + below(x, 3));
    else if (kind < 170)
        spoil_head(x);
    else if (kind < 190 || strcmp(x->m->kind->name, "regulargpt") != 0)
        change_claim(x);
    else
        add_cancelling(x);
    bool anew = x->anew || x->m != x->s->model || (kind >= 150 && below(x, 40) == 0);
    if (anew && x->claim)
        c = subject_certify(x->m, x->claim);
    else
        c = certificate(x, 0, kind >= 150 && kind < 170);
    return c;
}

static bool run(const Subject *all, uint64_t number, Count *count, bool tell)
{
    Change x = {.number = number, .all = all};
    x.r = th_rng(number, "forge", 0);
    x.recipe = number < RECIPES * SUBJECTS ? recipes[number / SUBJECTS] : FREE;
    x.s = &all[number % SUBJECTS];
    ThModel *m = x.m = x.s->model;
    x.claim = x.s->claim;
    x.asked = x.s->task->signature;
    x.machine = th_task_machine(x.s->task, &(ThError){0});
    x.domain = x.s->domain;
    size_t size = m->params.total * sizeof *m->params.value;
    float *kept = malloc(size);
    memcpy(kept, m->params.value, size);
    ThProofCertificate *c = change(&x);
    int accepted = !x.claim               ? 0
                   : x.s->kind == SNAPPED ? accepted_snapped(&x)
                   : x.s->kind == BUILT   ? accepted_built(&x)
                   : c                    ? accepted_sets(&x, c)
                                          : 0;
    bool ok = accepted == 0 || is_true(&x, c, accepted);
    count->tried++;
    count->accepted += accepted > 0;
    count->in_float += accepted == 2;
    count->refuted += !ok;
    if (tell || !ok)
        printf("# change %llu of %s: %s: %s%s%s\n", (unsigned long long)number, x.s->name, x.what,
               !accepted       ? "refused"
               : accepted == 1 ? "accepted"
                               : "accepted of runs",
               ok ? "" : ", but ", x.why);
    if (!ok && c) {
        char name[64];
        snprintf(name, sizeof name, "build/forge-%llu.json", (unsigned long long)number);
        th_proof_certificate_write(c, name, &(ThError){0});
    }
    th_proof_certificate_free(c);
    th_dfa_free(x.other);
    if (x.claim != x.s->claim)
        th_proof_claim_free(x.claim);
    if (x.m != m)
        th_model_free(x.m);
    memcpy(m->params.value, kept, size);
    free(kept);
    return ok;
}

/* What is said before anything is changed. */
static bool run_unchanged(const Subject *all, const Subject *s)
{
    Change x = {
        .all = all, .recipe = FREE, .s = s, .m = s->model, .claim = s->claim, .changed = true};
    x.asked = s->task->signature;
    x.machine = th_task_machine(s->task, &(ThError){0});
    x.domain = s->domain;
    x.r = th_rng(1, s->name, 0);
    ThProofCertificate *c = s->kind == SETS ? certificate(&x, 0, 0) : NULL;
    int accepted = s->kind == SNAPPED ? accepted_snapped(&x)
                   : s->kind == BUILT ? accepted_built(&x)
                                      : accepted_sets(&x, c);
    const Said said = {x.m, &x.asked, x.machine, x.domain, accepted == 2};
    bool ok = accepted > 0 &&
              truth_of_words(&said, thorough ? 100000 : 500, thorough ? 2000 : 5, OWN_LONGEST, &x.r,
                             x.why) &&
              (!c || truth_of_sets(c, x.m, 200, &x.r, x.why));
    printf("# %s: %s %s\n", s->name,
           !accepted       ? "REFUSED"
           : accepted == 1 ? "proved of real numbers"
                           : "proved",
           x.why);
    th_proof_certificate_free(c);
    return ok;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_timed(const Subject *all, uint64_t number, Count *count)
{
    double start = now();
    run(all, number, count, false);
    count->seconds += now() - start;
}

int main(int argc, char **argv)
{
    static Subject subject[SUBJECTS];
    Count count[SUBJECTS] = {{0}};
    bool only = argc > 2 && strcmp(argv[1], "only") == 0;
    double seconds = argc > 1 && !only ? atof(argv[1]) : 10;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, n = first;
    bool right[SUBJECTS];
    char own[64];
    snprintf(own, sizeof own, "build/forge-%ld.tmp", (long)clock() + (long)time(NULL));
    path = own;
    thorough = seconds > 60;
    subjects_make(subject, path);
    for (int i = 0; !only && i < SUBJECTS; i++)
        right[i] = run_unchanged(subject, &subject[i]);
    if (only)
        run(subject, first, &count[first % SUBJECTS], true);
    double end = now() + seconds;
    for (; !only && (n < RECIPES * SUBJECTS || now() < end); n++)
        run_timed(subject, n, &count[n % SUBJECTS]);
    remove(path);
    Count all = {0};
    int bad = 0;
    if (!only)
        printf("1..%d\n", SUBJECTS);
    for (int i = 0; !only && i < SUBJECTS; i++) {
        const Count *c = &count[i];
        bool ok = right[i] && c->refuted == 0;
        printf("%sok %d - %s: %ld changes, %ld accepted, %ld of them of runs, %ld false; %.1f s\n",
               ok ? "" : "not ", i + 1, subject[i].name, c->tried, c->accepted, c->in_float,
               c->refuted, c->seconds);
        all.tried += c->tried;
        all.accepted += c->accepted;
        all.refuted += c->refuted;
        bad += !ok;
    }
    if (!only)
        printf("# %ld changes, %ld accepted, %ld false; next is %llu\n", all.tried, all.accepted,
               all.refuted, (unsigned long long)n);
    subjects_free(subject);
    return bad > 0;
}
