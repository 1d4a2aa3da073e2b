#include "rasp/evaluate/differ.h"

#include "rasp/evaluate/run_impl.h"

typedef struct {
    ThRaspGraph *g;
    ThRaspSop sop[2];
    const ThRaspAtom *letter;
    size_t n_letters, length;
    ThRaspDifferOf *d;
    ThStop *stop;
} Search;

/* Input number `number` of a length. */
static bool write_input(const Search *s, uint64_t number, ThRaspSeq *input, ThError *err)
{
    ThRaspAtom *x TH_OWNED(free) = th_alloc(s->length, sizeof *x, err);
    if (!x)
        return false;
    for (size_t i = s->length; i-- > 0; number /= s->n_letters)
        x[i] = s->letter[number % s->n_letters];
    return th_rasp_seq_of(x, s->length, input, err);
}

/* Returns new: a run on it. */
static ThRaspRun *run_on(const Search *s, uint64_t number, ThError *err)
{
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    return write_input(s, number, &input, err) ? th_rasp_run_new(s->g, &input, 0, err) : NULL;
}

/* The first element in which the values differ; their number if none. */
static size_t first_value(const Search *s, const ThRaspRun *r)
{
    const ThRaspSeq *x = th_rasp_run_value_of(r, th_rasp_node(s->g, s->sop[0])->canonical);
    const ThRaspSeq *y = th_rasp_run_value_of(r, th_rasp_node(s->g, s->sop[1])->canonical);
    size_t i = 0;
    while (i < r->n && th_rasp_atom_equal(r->atoms, th_rasp_seq_at(x, i), th_rasp_seq_at(y, i)))
        i++;
    return i;
}

/* The same for the rows of selectors. */
static bool first_row(const Search *s, ThRaspRun *r, size_t *at, ThError *err)
{
    ThRaspRows x = {0}, y = {0};
    bool ok = th_rasp_rows_open(&x, r, th_rasp_node(s->g, s->sop[0])->canonical, err) &&
              th_rasp_rows_open(&y, r, th_rasp_node(s->g, s->sop[1])->canonical, err);
    for (*at = 0; ok && *at < r->n; ++*at)
        if (memcmp(th_rasp_rows_row(&x, *at), th_rasp_rows_row(&y, *at),
                   x.words * sizeof *x.bits) != 0)
            break;
    th_rasp_rows_close(&x);
    th_rasp_rows_close(&y);
    return ok;
}

static bool find_first(const Search *s, ThRaspRun *r, size_t *at, ThError *err)
{
    if (th_rasp_is_selector(s->g, s->sop[0]))
        return first_row(s, r, at, err);
    *at = first_value(s, r);
    return true;
}

/* Is this what a program can be wrong about, and not memory or a wish to stop? */
static bool of_program(const ThError *e)
{
    return e->code == TH_EVALUE || e->code == TH_ENUMERIC;
}

/* One input, on which the two may fail separately. */
static bool compare_one(const Search *s, uint64_t number, ThError *err)
{
    ThRaspDifferOf *d = s->d;
    ThRaspRun *r TH_OWNED(th_rasp_run_free) = run_on(s, number, err);
    bool ok = r != NULL;
    for (int k = 0; ok && k < 2; k++) {
        d->why[k] = (ThError){0};
        d->fails[k] = !th_rasp_run_check(r, s->sop[k], s->stop, &d->why[k]);
        ok = !d->fails[k] || of_program(&d->why[k]) ||
             th_fail(err, d->why[k].code, "%s", d->why[k].msg);
    }
    size_t at = 1;
    if (ok && !d->fails[0] && !d->fails[1])
        ok = find_first(s, r, &at, err);
    d->inputs++;
    d->errors += ok && d->fails[0] && d->fails[1];
    d->differ = ok && (d->fails[0] != d->fails[1] || (!d->fails[0] && at < r->n));
    d->at = d->fails[0] != d->fails[1] ? SIZE_MAX : at;
    if (d->differ)
        ok = write_input(s, number, &d->input, err);
    return ok;
}

/* The number of inputs of a length; more than TH_RASP_DIFFER_INPUTS where there are more. */
static uint64_t inputs_of(const Search *s)
{
    uint64_t n = 1;
    for (size_t i = 0; i < s->length && n <= TH_RASP_DIFFER_INPUTS; i++)
        n *= s->n_letters;
    return n;
}

bool th_rasp_differ(ThRaspGraph *g, ThRaspSop a, ThRaspSop b, const ThRaspDifferInputs *in,
                    ThRaspDifferOf *d, ThStop *stop, ThError *err)
{
    Search s = {.g = g,
                .sop = {a, b},
                .letter = in->letter,
                .n_letters = in->n_letters,
                .d = d,
                .stop = stop};
    *d = (ThRaspDifferOf){0};
    if (th_rasp_is_selector(g, a) != th_rasp_is_selector(g, b))
        return th_fail(err, TH_EUSAGE, "an s-op and a selector cannot be compared");
    if (!in->n_letters || in->from > in->to || in->to == 0)
        return th_fail(err, TH_EUSAGE, "there are no inputs to compare on") ||
               th_hint(err, "an alphabet has at least one letter, and an input one symbol");
    for (s.length = in->from ? in->from : 1; s.length <= in->to && !d->differ; s.length++) {
        uint64_t all = inputs_of(&s);
        if (all > TH_RASP_DIFFER_INPUTS - d->inputs) {
            th_rasp_differ_free(d);
            return th_fail(err, TH_ELIMIT, "more than %llu inputs",
                           (unsigned long long)TH_RASP_DIFFER_INPUTS) ||
                   th_hint(err, "a smaller alphabet or shorter inputs give fewer");
        }
        for (uint64_t k = 0; k < all && !d->differ; k++) {
            ThRaspAtomsMark mark = th_rasp_atoms_mark(th_rasp_atoms(g));
            bool ok = !th_stopped(stop, err) && compare_one(&s, k, err);
            th_rasp_atoms_rewind(th_rasp_atoms(g), mark);
            if (!ok) {
                th_rasp_differ_free(d);
                return false;
            }
        }
    }
    return true;
}

void th_rasp_differ_free(ThRaspDifferOf *d)
{
    th_rasp_seq_free(&d->input);
    *d = (ThRaspDifferOf){0};
}
