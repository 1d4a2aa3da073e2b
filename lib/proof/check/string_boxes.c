#include "proof/check/string_boxes.h"

#include <math.h>

#include "proof/check/forms.h"

enum { FEW = 12 /* strings: what a box costs is more */ };

typedef struct {
    const ThProofBoxesHow *how;
    ThProofBoxesFound *found;
    ThProofForms *forms;
    int n, symbols, classes, places, points; /* a point: a state with a place of the domain */
    const bool *may;                         /* of the present box */
    double *before; /* (n + 1, points): prefixes of so many symbols that lead to a point */
    double *behind; /* (n + 1, points, classes): what follows and is asked about, by class */
    double *count;  /* (2 classes): strings of the box, and of a part of it */
    int *word;
    double *effect;
    bool *one;   /* the box of a string */
    bool *stack; /* boxes, n symbols numbers each */
    size_t depth, cap;
    bool end;
} Search;

/* ---- counting -------------------------------------------------------------------------------- */

static int start_of(const Search *s)
{
    const ThDfa *m = s->how->claim->machine, *d = s->how->claim->domain;
    return m->start * s->places + (d ? d->start : 0);
}

static int step(const Search *s, int point, int symbol)
{
    const ThDfa *m = s->how->claim->machine, *d = s->how->claim->domain;
    int state = m->next[point / s->places * m->n_symbols + symbol], place = point % s->places;
    return state * s->places + (d ? d->next[place * d->n_symbols + symbol] : 0);
}

/* What is asked behind a point: a class, or -1. */
static int asked(const Search *s, int point)
{
    const ThDfa *m = s->how->claim->machine, *d = s->how->claim->domain;
    int class = m->label[point / s->places];
    return class >= s->classes || (d && d->label[point % s->places] == 0) ? -1 : class;
}

static double *behind(const Search *s, int i, int point)
{
    return s->behind + ((size_t)i * (size_t)s->points + (size_t)point) * (size_t)s->classes;
}

static bool may(const Search *s, int i, int symbol)
{
    return s->may[i * s->symbols + symbol];
}

static void count_behind(Search *s)
{
    size_t row = (size_t)s->points * (size_t)s->classes;
    memset(s->behind, 0, (size_t)(s->n + 1) * row * sizeof *s->behind);
    for (int p = 0; p < s->points; p++)
        if (asked(s, p) >= 0)
            behind(s, s->n, p)[asked(s, p)] = 1;
    for (int i = s->n - 1; i >= 0; i--)
        for (int p = 0; p < s->points; p++)
            for (int a = 0; a < s->symbols; a++)
                for (int c = 0; may(s, i, a) && c < s->classes; c++)
                    behind(s, i, p)[c] += behind(s, i + 1, step(s, p, a))[c];
}

static void count_before(Search *s)
{
    memset(s->before, 0, (size_t)(s->n + 1) * (size_t)s->points * sizeof *s->before);
    s->before[start_of(s)] = 1;
    for (int i = 0; i < s->n; i++)
        for (int p = 0; p < s->points; p++)
            for (int a = 0; a < s->symbols; a++)
                if (may(s, i, a))
                    s->before[(i + 1) * s->points + step(s, p, a)] += s->before[i * s->points + p];
}

/* count (classes) <- strings of the box with a symbol at a position that are asked about. */
static void count_part(const Search *s, int i, int symbol, double *count)
{
    memset(count, 0, (size_t)s->classes * sizeof *count);
    for (int p = 0; p < s->points; p++) {
        const double *rest = behind(s, i + 1, step(s, p, symbol)),
                     by = s->before[i * s->points + p];
        for (int c = 0; by > 0 && c < s->classes; c++)
            count[c] += by * rest[c];
    }
}

static double total_of(const double *count, int n)
{
    double total = 0;
    for (int c = 0; c < n; c++)
        total += count[c];
    return total;
}

/* Strings times the entropy of their classes. */
static double doubt(const double *count, int n)
{
    double total = total_of(count, n), sum = 0;
    for (int c = 0; c < n; c++)
        sum += count[c] > 0 ? count[c] * log(total / count[c]) : 0;
    return sum;
}

/* ---- splitting ------------------------------------------------------------------------------- */

static bool is_open(const Search *s, int i)
{
    int n = 0;
    for (int a = 0; a < s->symbols; a++)
        n += may(s, i, a);
    return n > 1;
}

/* The position whose symbol says most about the class. */
static int most_telling(Search *s)
{
    int best = -1;
    double least = HUGE_VAL;
    count_before(s);
    for (int i = 0; i < s->n; i++) {
        double left = 0;
        if (!is_open(s, i))
            continue;
        for (int a = 0; a < s->symbols; a++) {
            if (!may(s, i, a))
                continue;
            count_part(s, i, a, s->count + s->classes);
            left += doubt(s->count + s->classes, s->classes);
        }
        if (left < least || best < 0) {
            least = left;
            best = i;
        }
    }
    return best;
}

/* The position whose symbol moves the lead most; where that is not known, the first. */
static int most_moving(const Search *s)
{
    int best = -1;
    for (int i = 0; i < s->n; i++)
        if (is_open(s, i) && (best < 0 || s->effect[i] > s->effect[best]))
            best = i;
    return best;
}

static size_t size_of(const Search *s)
{
    return (size_t)s->n * (size_t)s->symbols;
}

/* Puts the parts of the box on the stack, with the first symbol on top. */
static bool split(Search *s, int position, ThError *err)
{
    const size_t size = size_of(s);
    if (!th_grow(&s->stack, &s->cap, (s->depth + (size_t)s->symbols) * size, sizeof *s->stack, err))
        return false;
    for (int a = s->symbols - 1; a >= 0; a--) {
        if (!may(s, position, a))
            continue;
        bool *part = s->stack + s->depth++ * size;
        memcpy(part, s->may, size * sizeof *part);
        for (int b = 0; b < s->symbols; b++)
            part[position * s->symbols + b] = b == a;
    }
    return true;
}

/* ---- a box ----------------------------------------------------------------------------------- */

/* *sure <- does a class surely lead in all of a box? */
static void ask_forms(Search *s, const bool *box, int class, ThProofFormsLead *lead, bool *sure)
{
    s->found->boxes++;
    th_proof_forms_read(s->forms, box, s->n);
    th_proof_forms_lead(s->forms, class, lead);
    *sure = lead->least > 0;
    if (*sure)
        s->found->lead = fmin(s->found->lead, lead->least);
}

/* The string in s->word. */
static bool look_at(Search *s, int class, ThStop *stop, ThError *err)
{
    const ThProofBoxesHow *h = s->how;
    const long long done = ++s->found->single + s->found->boxes;
    bool sure;
    if (done > h->most)
        return th_fail(err, TH_ELIMIT,
                       "strings of %d symbols are not sure in %lld boxes, or one by one", s->n,
                       h->most);
    if (th_stopped_at(stop, (size_t)done, "boxes", err))
        return false;
    h->string(h->context, s->word, s->n, class, &sure);
    for (int k = 0; !sure && k < s->n * s->symbols; k++)
        s->one[k] = s->word[k / s->symbols] == k % s->symbols;
    if (!sure)
        ask_forms(s, s->one, class, &(ThProofFormsLead){.least = 0}, &sure);
    return sure || h->open(h->context, s->word, s->n, class, &s->end, err);
}

/* Goes through the strings of the box that are asked about, from position i on. */
static bool look_at_all(Search *s, int i, int point, ThStop *stop, ThError *err)
{
    if (i == s->n)
        return look_at(s, asked(s, point), stop, err);
    for (int a = 0; !s->end && a < s->symbols; a++) {
        int to = step(s, point, a);
        s->word[i] = a;
        if (may(s, i, a) && total_of(behind(s, i + 1, to), s->classes) > 0 &&
            !look_at_all(s, i + 1, to, stop, err))
            return false;
    }
    return true;
}

/* Is a class sure to lead in the whole box?  If not, the string of which it is least so as far as
 * forms say is looked at, for there may be something wrong. */
static bool try_forms(Search *s, int class, bool *sure, ThStop *stop, ThError *err)
{
    ThProofFormsLead lead = {.word = s->word, .effect = s->effect};
    int point = start_of(s);
    ask_forms(s, s->may, class, &lead, sure);
    if (*sure)
        return true;
    for (int i = 0; i < s->n; i++)
        point = step(s, point, s->word[i]);
    return asked(s, point) < 0 || look_at(s, class, stop, err);
}

static bool take_box(Search *s, ThStop *stop, ThError *err)
{
    int classes = 0, class = -1;
    bool sure = false;
    count_behind(s);
    memcpy(s->count, behind(s, 0, start_of(s)), (size_t)s->classes * sizeof *s->count);
    for (int c = 0; c < s->classes; c++)
        if (s->count[c] > 0) {
            class = c;
            classes++;
        }
    if (total_of(s->count, s->classes) <= FEW)
        return look_at_all(s, 0, start_of(s), stop, err);
    if (classes > 1)
        return split(s, most_telling(s), err);
    if (!try_forms(s, class, &sure, stop, err))
        return false;
    return sure || split(s, most_moving(s), err);
}

/* ---- all lengths ----------------------------------------------------------------------------- */

/* All strings of a length become the box. */
static void begin(Search *s, bool *box, int n)
{
    s->n = n;
    s->depth = 0;
    s->may = box;
    for (size_t k = 0; k < size_of(s); k++)
        box[k] = true;
}

static bool take_length(Search *s, bool *box, int n, ThStop *stop, ThError *err)
{
    begin(s, box, n);
    bool ok = take_box(s, stop, err);
    while (ok && !s->end && s->depth > 0) {
        memcpy(box, s->stack + --s->depth * size_of(s), size_of(s) * sizeof *box);
        ok = take_box(s, stop, err);
    }
    return ok;
}

bool th_proof_boxes(const ThProofBoxesHow *how, ThProofBoxesFound *found, ThStop *stop,
                    ThError *err)
{
    const ThDfa *m = how->claim->machine, *d = how->claim->domain;
    Search s = {.how = how,
                .found = found,
                .symbols = how->f->n_symbols,
                .classes = how->f->n_classes,
                .places = d ? d->n_states : 1};
    s.points = m->n_states * s.places;
    const size_t rows = (size_t)(how->longest + 1) * (size_t)s.points, n = (size_t)how->longest;
    bool *box TH_OWNED(free) = th_alloc(n * (size_t)s.symbols, sizeof *box, err);
    bool *one TH_OWNED(free) = s.one = th_alloc(n * (size_t)s.symbols, sizeof *one, err);
    ThProofForms *forms TH_OWNED(th_proof_forms_free) =
        th_proof_forms_new(how->f, how->longest, err);
    double *before TH_OWNED(free) = s.before = th_alloc(rows, sizeof *before, err);
    double *rest TH_OWNED(free) = s.behind = th_alloc(rows * (size_t)s.classes, sizeof *rest, err);
    double *count TH_OWNED(free) = s.count = th_alloc(2 * (size_t)s.classes, sizeof *count, err);
    double *effect TH_OWNED(free) = s.effect = th_alloc(n, sizeof *effect, err);
    int *word TH_OWNED(free) = s.word = th_alloc(n, sizeof *word, err);
    bool ok = box && one && forms && before && rest && count && effect && word;
    s.forms = forms;
    *found = (ThProofBoxesFound){.lead = HUGE_VAL};
    for (int length = 1; ok && length <= how->longest; length++) {
        begin(&s, box, length);
        count_behind(&s);
        found->strings += total_of(behind(&s, 0, start_of(&s)), s.classes);
    }
    for (int length = 1; ok && !s.end && length <= how->longest; length++)
        ok = take_length(&s, box, length, stop, err);
    free(s.stack);
    return ok;
}
