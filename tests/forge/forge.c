/* forge - tries to have something false accepted: changes certificates, models and claims by seed,
 * signs them anew, and asks of whatever the checker accepts for a word or a point that refutes it.
 *
 *     forge [SECONDS [FIRST [NAME]]]    changes number FIRST (0), FIRST + 1 … for so long (10), and
 *                                those first ten of each subject in any case; of one by its name
 *     forge only N               change N alone, and what it was
 *
 * Prints TAP, a line for each of the subjects.  A change that was accepted and is false is a file
 * build/forge-N.json, where there is one, and a line that says how to make it again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "change.h"
#include "machine.h"
#include "own.h"
#include "proof/check/algebra.h"
#include "proof/check/hard.h"
#include "proof/check/program.h"
#include "proof/check/quantize.h"
#include "truth.h"

typedef struct {
    long tried, accepted, in_float, refuted;
    double seconds;
} Count;

typedef struct {
    Count subject[SUBJECTS], kind[CHANGE_KINDS];
} Counts;

static const char *path = "build/forge.json";
static bool thorough; /* an hour, not ten seconds */

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

/* Of words up to a length; 0: of all. */
static int accepted_by(Change *x, ThProofMethod method, double longest)
{
    ThError err = {0};
    ThProofChecked k = {0};
    ThProofCertificate *c = th_proof_certificate_by(method, x->m, x->claim, longest, &err);
    bool ok = c && th_proof_check(c, x->m, x->claim, NULL, &k, &err) && k.holds;
    th_proof_certificate_free(c);
    x->longest = longest > 0 ? longest : x->longest;
    x->certain = ok ? k.length[2] : 0;
    return ok ? 1 + k.in_float : 0;
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

/* Of words up to a length, which is the greatest that is said, or one beyond: that is to be
 * refused. */
static int accepted_soft(Change *x)
{
    ThError err = {0};
    ThProofHard h;
    if (!th_proof_hard(x->m, x->claim, 100000, NULL, &h, &err))
        return 0;
    return accepted_by(x, TH_PROOF_BY_TABLE, h.lengths[0] + (th_rng_below(&x->r, 4) == 0));
}

/* Of words up to a length that phases, too, are right for; of runs it may be shorter. */
static int accepted_steps(Change *x)
{
    static const double length[] = {3, 6, 10, 60, 300};
    return accepted_by(x, TH_PROOF_BY_STEPS, length[x->number / SUBJECTS % 5]);
}

static int accepted_program(Change *x)
{
    ThError err = {0};
    ThProofChecked k = {0};
    char *formula TH_OWNED(free) = subject_formula(&x->formula);
    ThProofCertificate *c = th_proof_certificate_program(x->m, formula, &err);
    bool ok = c && th_proof_check_program(c, x->m, &x->asked, formula, &k, &err) && k.holds;
    th_proof_certificate_free(c);
    x->certain = ok ? k.length[2] : 0;
    return ok ? 1 + k.in_float : 0;
}

/* Words are looked for where what is said is not what was true before: of length 10 at most and
 * 100,000 of them where there is time, else few. */
static bool is_true(Change *x, const ThProofCertificate *c, int accepted)
{
    const Said said = {x->m,          &x->asked,  x->machine, x->domain,
                       accepted == 2, x->longest, x->certain};
    bool all = thorough && x->number % 97 == 0;
    TruthHow how = {.words = all        ? 100000
                             : thorough ? 480
                                        : 120,
                    .longest_word = 10,
                    .drawn = all        ? 20
                             : thorough ? 8
                                        : 2,
                    .longest = all        ? OWN_LONGEST
                               : thorough ? 1200
                                          : 300,
                    .climbs = all        ? 200
                              : thorough ? 24
                                         : 6,
                    .slack = x->claim->slack};
    return (!x->changed || truth_of_words(&said, &how, &x->r, x->why)) &&
           (!c || truth_of_sets(c, x->m, &how, &x->r, x->why));
}

static int judge(Change *x, ThProofCertificate *c)
{
    return !x->claim                ? 0
           : x->s->kind == SNAPPED  ? accepted_snapped(x)
           : x->s->kind == BUILT    ? accepted_built(x)
           : x->s->kind == WINDOWED ? accepted_by(x, TH_PROOF_BY_WINDOWS, 0)
           : x->s->kind == COUNTED  ? accepted_by(x, TH_PROOF_BY_COUNTS, 0)
           : x->s->kind == WHOLE    ? accepted_by(x, TH_PROOF_BY_STRINGS, 0)
           : x->s->kind == HARD     ? accepted_by(x, TH_PROOF_BY_TABLE, 0)
           : x->s->kind == SOFT     ? accepted_soft(x)
           : x->s->kind == PROGRAM  ? accepted_program(x)
           : x->s->kind == STEPPED  ? accepted_steps(x)
           : c                      ? accepted_sets(x, c)
                                    : 0;
}

static void tell_of(const Change *x, const ThProofCertificate *c, int accepted, bool ok)
{
    printf("# change %llu of %s: %s: %s%s%s\n", (unsigned long long)x->number, x->s->name, x->what,
           !accepted       ? "refused"
           : accepted == 1 ? "accepted"
                           : "accepted of runs",
           ok ? "" : ", but ", x->why);
    if (!ok && c) {
        char name[64];
        snprintf(name, sizeof name, "build/forge-%llu.json", (unsigned long long)x->number);
        th_proof_certificate_write(c, name, &(ThError){0});
    }
}

static void count_one(Count *c, int accepted, bool ok, double seconds)
{
    c->tried++;
    c->accepted += accepted > 0;
    c->in_float += accepted == 2;
    c->refuted += !ok;
    c->seconds += seconds;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_machine(const Subject *all, uint64_t number, Counts *counts, bool tell)
{
    Change x;
    bool ok;
    double start = now();
    change_begin(&x, all, &all[number % SUBJECTS], number);
    x.kind = IN_NUMBERS;
    int accepted = machine_accepted(&x, &ok);
    if (tell || !ok)
        tell_of(&x, NULL, accepted, ok);
    count_one(&counts->subject[number % SUBJECTS], accepted, ok, now() - start);
    count_one(&counts->kind[x.kind], accepted, ok, now() - start);
}

static void run(const Subject *all, uint64_t number, Counts *counts, bool tell)
{
    Change x;
    double start = now();
    change_begin(&x, all, &all[number % SUBJECTS], number);
    x.path = path;
    const ThParams *p = &x.m->params;
    float *kept = malloc(p->total * sizeof *kept);
    memcpy(kept, p->value, p->total * sizeof *kept);
    ThProofCertificate *c = change_make(&x);
    int accepted = judge(&x, c);
    bool ok = accepted == 0 || is_true(&x, c, accepted);
    if (tell || !ok)
        tell_of(&x, c, accepted, ok);
    count_one(&counts->subject[number % SUBJECTS], accepted, ok, now() - start);
    count_one(&counts->kind[x.kind], accepted, ok, now() - start);
    th_proof_certificate_free(c);
    change_undo(&x);
    memcpy(p->value, kept, p->total * sizeof *kept);
    free(kept);
}

static void run_one(const Subject *all, uint64_t number, Counts *counts, bool tell)
{
    if (all[number % SUBJECTS].kind == MACHINE)
        run_machine(all, number, counts, tell);
    else
        run(all, number, counts, tell);
}

/* Those that take milliseconds have more turns, with numbers of their own. */
static void run_some(const Subject *all, uint64_t number, Counts *counts)
{
    SubjectKind kind = all[number % SUBJECTS].kind;
    uint64_t turns = kind == MACHINE ? 400 : kind >= SOFT ? 24 : 1;
    for (uint64_t k = 0; k < turns; k++)
        run_one(all, number + SUBJECTS * (k << 24), counts, false);
}

/* What is said before anything is changed. */
static bool run_unchanged(const Subject *all, const Subject *s)
{
    Change x;
    if (s->kind == MACHINE)
        return true;
    change_begin(&x, all, s, 0);
    x.path = path;
    ThProofCertificate *c = s->kind == SETS ? change_nothing(&x) : NULL;
    int accepted = judge(&x, c);
    const Said said = {x.m, &x.asked, x.machine, x.domain, accepted == 2, x.longest, x.certain};
    TruthHow how = {.words = thorough ? 100000 : 500,
                    .longest_word = 10,
                    .drawn = thorough ? 200 : 5,
                    .longest = OWN_LONGEST,
                    .climbs = 200,
                    .slack = s->claim->slack};
    bool ok = (accepted > 0) == (s->kind != OPEN) && truth_of_words(&said, &how, &x.r, x.why) &&
              (!c || truth_of_sets(c, x.m, &how, &x.r, x.why));
    printf("# %s: %s %s\n", s->name,
           !accepted       ? "not proved"
           : accepted == 1 ? "proved of real numbers"
                           : "proved",
           x.why);
    th_proof_certificate_free(c);
    change_undo(&x);
    return ok;
}

static bool report(const Counts *counts, const Subject *subject, const bool *right, uint64_t next)
{
    Count all = {0};
    bool good = true;
    printf("1..%d\n", SUBJECTS);
    for (int i = 0; i < SUBJECTS; i++) {
        const Count *c = &counts->subject[i];
        bool ok = right[i] && c->refuted == 0;
        printf("%sok %d - %s: %ld changes, %ld accepted, %ld of them of runs, %ld false; %.1f s\n",
               ok ? "" : "not ", i + 1, subject[i].name, c->tried, c->accepted, c->in_float,
               c->refuted, c->seconds);
        all.tried += c->tried;
        all.accepted += c->accepted;
        all.refuted += c->refuted;
        good &= ok;
    }
    for (int i = 0; i < CHANGE_KINDS; i++) {
        const Count *c = &counts->kind[i];
        printf("# %s: %ld changes, %ld accepted, %ld of them of runs, %ld false; %.1f s\n",
               change_kind_name[i], c->tried, c->accepted, c->in_float, c->refuted, c->seconds);
    }
    printf("# %ld changes, %ld accepted, %ld false; next is %llu\n", all.tried, all.accepted,
           all.refuted, (unsigned long long)next);
    return good;
}

int main(int argc, char **argv)
{
    static Subject subject[SUBJECTS];
    static Counts counts;
    bool only = argc > 2 && strcmp(argv[1], "only") == 0, right[SUBJECTS], good = true;
    double seconds = argc > 1 && !only ? atof(argv[1]) : 10;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, n = first;
    const char *name = argc > 3 ? argv[3] : NULL;
    char own[64];
    snprintf(own, sizeof own, "build/forge-%ld.tmp", (long)clock() + (long)time(NULL));
    path = own;
    thorough = seconds > 60;
    subjects_make(subject, path);
    if (only)
        run_one(subject, first, &counts, true);
    for (int i = 0; !only && i < SUBJECTS; i++)
        right[i] =
            (name && strcmp(name, subject[i].name) != 0) || run_unchanged(subject, &subject[i]);
    for (double end = now() + seconds; !only && (n < CHANGE_FIRST * SUBJECTS || now() < end); n++)
        if (!name || strcmp(name, subject[n % SUBJECTS].name) == 0)
            run_some(subject, n, &counts);
    remove(path);
    if (!only)
        good = report(&counts, subject, right, n);
    subjects_free(subject);
    return !good;
}
