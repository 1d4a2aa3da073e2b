/* Proofs that take many strings at once: what is bounded is what is answered to each of them, near
 * enough; and boxes leave none out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bound.h"
#include "proof/check/string_boxes.h"
#include "proof/check/forms_impl.h"
#include "proof/check/windows.h"
#include "proof/prover.h"

enum { SYMBOLS = 3, LENGTH = 5 };

static const struct {
    const char *kind, *settings;
} given[] = {
    {"transformer", "dim=12 heads=3 layers=1"},
    {"transformer", "dim=12 heads=3 layers=2 position=xl causal=yes"},
    {"transformer", "dim=12 heads=3 layers=3 position=sinusoidal"},
    {"transformer", "dim=8 heads=2 layers=2 position=learned longest=12 causal=yes"},
    {"transformer", "dim=12 heads=3 layers=2 position=alibi"},
    {"gpt", "dim=12 heads=3 layers=2 position=alibi head_bias=yes"},
    {"gpt", "dim=12 heads=3 layers=3 head_bias=yes"},
    {"gpt", "dim=8 heads=2 layers=2 position=rope causal=no block=neox activation=relu scale=yes"},
    {"gpt",
     "dim=12 heads=3 layers=2 position=hard_alibi window_heads=2 window_layers=1 head_bias=yes"},
    {"gpt", "dim=8 heads=2 layers=2 position=hard_alibi norm=after final_norm=no head_bias=yes"},
};
enum { GIVEN = sizeof given / sizeof *given };

/* Gains near to what they begin with, and all else `by` times what was drawn: large numbers bend,
 * and small ones hardly. */
static ThModel *model_of(int i, double by)
{
    ThModel *m = bound_to(given[i].kind, given[i].settings, TH_TARGET_FINAL, SYMBOLS, false);
    for (int k = 0; k < m->params.n; k++) {
        const ThParam *p = &m->params.item[k];
        for (int j = 0; j < p->rows * p->cols; j++) {
            float *x = &m->params.value[p->offset + (size_t)j];
            *x = (float)by * *x + (strstr(p->name, "gain") ? 1 : 0);
        }
    }
    return m;
}

/* Some symbols at each position: all of them at no more than `open` ones. */
static void draw_box(ThRng *r, bool *may, int open)
{
    for (int i = 0; i < LENGTH; i++) {
        int one = (int)th_rng_below(r, SYMBOLS), left_out = (int)th_rng_below(r, SYMBOLS + 2);
        bool fixed = (int)th_rng_below(r, LENGTH - (uint64_t)i) >= open;
        open -= !fixed;
        for (int a = 0; a < SYMBOLS; a++)
            may[i * SYMBOLS + a] = fixed ? a == one : a != left_out;
    }
}

static bool next_word(const bool *may, int *word)
{
    for (int i = LENGTH - 1; i >= 0; i--) {
        for (int a = word[i] + 1; a < SYMBOLS; a++)
            if (may[i * SYMBOLS + a]) {
                word[i] = a;
                return true;
            }
        for (word[i] = 0; !may[i * SYMBOLS + word[i]];)
            word[i]++;
    }
    return false;
}

/* The least and the greatest lead of a class over all strings of a box, one by one. */
static void search_box(const ThModel *m, const bool *may, int class, bool in_float, double lead[2])
{
    ThError err = {0};
    int word[LENGTH] = {0};
    lead[0] = HUGE_VAL;
    lead[1] = -HUGE_VAL;
    for (int i = 0; i < LENGTH; i++)
        while (!may[i * SYMBOLS + word[i]])
            word[i]++;
    do {
        double at[SYMBOLS], off[SYMBOLS], other = -HUGE_VAL;
        assert_true(th_proof_windows_logits(m, word, LENGTH, in_float, at, off, &err));
        for (int c = 0; c < SYMBOLS; c++)
            other = c == class ? other : fmax(other, at[c]);
        lead[0] = fmin(lead[0], at[class] - other);
        lead[1] = fmax(lead[1], at[class] - other);
    } while (next_word(may, word));
}

/* The least lead of a class that forms know of in a box, in arithmetic that rounds by a unit. */
static double bound_of(ThProofDecoder *f, ThProofForms *s, const bool *may, int class, double unit)
{
    double effect[LENGTH];
    int word[LENGTH];
    ThProofFormsLead found = {.word = word, .effect = effect};
    f->unit = unit;
    th_proof_forms_read(s, may, LENGTH);
    th_proof_forms_lead(s, class, &found);
    for (int i = 0; i < LENGTH; i++)
        assert_true(may[i * SYMBOLS + word[i]] && effect[i] >= 0);
    return found.least;
}

/* Where the word's symbols are known, the forms of what is read hold what is computed of it alone.
 */
static void check_word(ThProofDecoder *f, const ThProofForms *s, const int *word)
{
    int row = s->rows - 1;
    double form[1000];
    while (s->symbol[row] != word[LENGTH - 1])
        row--;
    th_proof_decoder_embed(f, word, LENGTH);
    for (int layer = 0; layer < f->layers; layer++)
        th_proof_decoder_layer(f, layer, LENGTH);
    for (int c = 0; c < f->dim; c++) {
        ThProofFormRow x = th_proof_form_row(s, s->x, row * f->dim + c);
        double range[2], at = f->x[(LENGTH - 1) * f->dim + c].at;
        assert_true(s->cols < 1000);
        memcpy(form, x.at, (size_t)s->cols * sizeof *form);
        for (int i = 0; i < LENGTH; i++)
            th_proof_form_settle(s, form, i, word[i]);
        th_proof_form_range(s, form, *x.off, range);
        assert_true(range[0] <= at + 1e-9 && range[1] >= at - 1e-9);
    }
}

static void check_words(ThProofDecoder *f, const ThProofForms *s, const bool *may)
{
    int word[LENGTH] = {0};
    for (int i = 0; i < LENGTH; i++)
        while (!may[i * SYMBOLS + word[i]])
            word[i]++;
    do
        check_word(f, s, word);
    while (next_word(may, word));
}

/* Never more than the least lead is promised.  Adds up by how much less, and how far leads go. */
static void check_box(const ThModel *m, ThProofDecoder *f, ThProofForms *s, ThRng *r, int open,
                      double total[2])
{
    bool may[LENGTH * SYMBOLS];
    double lead[2];
    int class = (int)th_rng_below(r, SYMBOLS);
    draw_box(r, may, open);
    search_box(m, may, class, false, lead);
    double found = bound_of(f, s, may, class, TH_PROOF_POINT_UNITS[0]);
    assert_true(found <= lead[0]);
    check_words(f, s, may);
    assert_true(open > 0 || found > lead[0] - 1e-4);
    total[0] += lead[0] - found;
    total[1] += lead[1] - lead[0];
}

/* Of small numbers, which hardly bend, most of the least lead is promised; not of those that are
 * normalised before they are large. */
static void test_bounds(void **state)
{
    (void)state;
    enum { TRIES = 60 };
    const double share[GIVEN] = {0.0002, 0.0007, 0.00028, 0.00037, 0.00086,
                                 0.13,   0.35,   0.027,   0.115,   0.00045};
    ThError err = {0};
    for (int i = 0; i < GIVEN; i++)
        for (int scale = 0; scale < 2; scale++) {
            ThModel *m = model_of(i, scale ? 0.5 : 0.1);
            ThProofDecoder *f = th_proof_decoder_new(m, LENGTH, 0, &err);
            ThProofForms *forms = th_proof_forms_new(f, LENGTH, &err);
            ThRng r = th_rng((uint64_t)i, "boxes", (uint64_t)scale);
            double total[2] = {0};
            for (int n = 0; n < TRIES; n++)
                check_box(m, f, forms, &r, n % LENGTH, total);
            assert_true(scale || total[0] < share[i] * total[1]);
            th_proof_forms_free(forms);
            free(f);
            th_model_free(m);
        }
}

/* What rounding in single precision takes from a lead: less than numbers with radii say, for much
 * of it is in directions that layer norms take away; of one layer about half of that. */
static void test_rounding(void **state)
{
    (void)state;
    enum { TRIES = 12 };
    const double share[GIVEN] = {0.63, 0.18, 0.026, 0.187, 0.162, 0.0189, 1e-6, 0.16, 0.019, 0.134};
    ThError err = {0};
    for (int i = 0; i < GIVEN; i++) {
        ThModel *m = model_of(i, 0.1);
        ThProofDecoder *f = th_proof_decoder_new(m, LENGTH, 0, &err);
        ThProofForms *forms = th_proof_forms_new(f, LENGTH, &err);
        ThRng r = th_rng((uint64_t)i, "rounding", 0);
        double total[2] = {0};
        for (int n = 0; n < TRIES; n++) {
            bool may[LENGTH * SYMBOLS];
            double lead[2], at[SYMBOLS], off[SYMBOLS], most = 0;
            int word[LENGTH], class = n % SYMBOLS;
            draw_box(&r, may, 0);
            for (int k = 0; k < LENGTH * SYMBOLS; k++)
                if (may[k])
                    word[k / SYMBOLS] = k % SYMBOLS;
            search_box(m, may, class, false, lead);
            double lost = lead[0] - bound_of(f, forms, may, class, TH_PROOF_POINT_UNITS[1]);
            assert_true(th_proof_windows_logits(m, word, LENGTH, true, at, off, &err));
            for (int c = 0; c < SYMBOLS; c++)
                most = c == class ? most : fmax(most, off[c] + off[class]);
            assert_true(lost > 0 && lost < most);
            total[0] += lost;
            total[1] += most;
        }
        assert_true(total[0] > share[i] * total[1]);
        th_proof_forms_free(forms);
        free(f);
        th_model_free(m);
    }
}

/* A line that bends one way, and units that bend, are nowhere farther off than said, and somewhere
 * all but that. */
static void check_line(ThProofFormLine line, const double range[2], double curve(double),
                       double share)
{
    enum { POINTS = 2000 };
    double worst = 0;
    for (int i = 0; i <= POINTS; i++) {
        double x = range[0] + (range[1] - range[0]) * i / POINTS;
        worst = fmax(worst, fabs(curve(x) - line.slope * x - line.offset));
    }
    assert_true(worst <= line.error + 1e-12 && worst >= share * line.error - 1e-9);
}

static double rectified(double x)
{
    return fmax(0, x);
}

static double gelu(double x)
{
    return x * 0.5 * erfc(-x * M_SQRT1_2);
}

static void test_lines(void **state)
{
    (void)state;
    enum { TRIES = 300 };
    ThRng r = th_rng(1, "lines", 0);
    for (int n = 0; n < TRIES; n++) {
        double reach = exp(2 * th_rng_normal(&r)) / 4, at = 2 * th_rng_normal(&r);
        double range[2] = {at - reach, at + reach};
        double value[2] = {exp(range[0]), exp(range[1])},
               slope = (value[1] - value[0]) / (2 * reach);
        check_line(th_proof_form_line(range, value, slope, log(slope), slope), range, exp, 0.99);
        check_line(th_proof_form_unit(at, range, false), range, rectified, 0.99);
        check_line(th_proof_form_unit(at, range, true), range, gelu,
                   reach < 0.1 && fabs(at) < 0.5 ? 0.6 : 0.1);
    }
}

/* ---- attention ------------------------------------------------------------------------------- */

enum { PLACES = 3, LAST = 1, LOOSE = 4 }; /* LOOSE: generators of what is not the symbols' */

/* Forms of random numbers: constants, what symbols add but for that of a place, and generators. */
static void draw_forms(ThRng *r, const ThProofForms *s, ThProofFormRow x, int n, int place,
                       const double size[3])
{
    for (int c = 0; c < n; c++) {
        double *v = th_proof_form(s, x, c);
        memset(v, 0, (size_t)s->wide * sizeof *v);
        v[0] = size[0] * th_rng_normal(r);
        for (int k = 0; k < PLACES * SYMBOLS; k++)
            v[1 + k] = k / SYMBOLS == place ? 0 : size[1] * th_rng_normal(r);
        for (int k = 0; k < LOOSE; k++)
            v[s->set + k] = size[2] * th_rng_normal(r) / (k ? 20 : 1); /* one counts most */
        x.off[c] = 0;
    }
}

/* A form's number for a word, and numbers of generators. */
static double number_of(const ThProofForms *s, const double *v, const int *word,
                        const double *loose)
{
    double sum = v[0];
    for (int i = 0; i < PLACES; i++)
        sum += v[1 + i * SYMBOLS + word[i]];
    for (int k = 0; k < LOOSE; k++)
        sum += v[s->set + k] * loose[k];
    return sum;
}

/* Queries and keys as they are drawn, and as they are seen from their places. */
typedef struct {
    const ThProofForms *s;
    double *query, *both; /* forms of (dim), (rows, 2 dim) */
    const int *word;
    const double *loose;
} Drawn;

static double drawn(const Drawn *x, const double *forms, int i)
{
    return number_of(x->s, forms + (size_t)i * (size_t)x->s->wide, x->word, x->loose);
}

/* Column c of a head's numbers, turned to a place where positions turn them. */
static double turned(const Drawn *x, const double *forms, int first, int c, int place)
{
    const ThProofDecoder *f = x->s->f;
    const int width = f->dim / f->heads, half = width / 2;
    const double own = drawn(x, forms, first + c);
    if (f->places != TH_PROOF_ROPE)
        return own;
    const double angle = place * pow(10000, -(double)(c % half) / half);
    const double other = drawn(x, forms, first + (c + half) % width);
    return cos(angle) * own + (c < half ? -1 : 1) * sin(angle) * other;
}

static double logit(const Drawn *x, int head, int key)
{
    const ThProofDecoder *f = x->s->f;
    const int d = f->dim, width = d / f->heads, i = PLACES - 1, j = x->s->place[key];
    const float *u = th_proof_decoder_weights(f, LAST, "attention.content_bias");
    const float *v = th_proof_decoder_weights(f, LAST, "attention.position_bias");
    double sum = 0;
    for (int c = 0; c < width; c++) {
        const int at = head * width + c;
        const double q = turned(x, x->query, head * width, c, i);
        sum += (q + (u ? (double)u[at] : 0)) * turned(x, x->both, key * 2 * d + head * width, c, j);
        if (f->places == TH_PROOF_XL)
            sum += (q + (double)v[at]) * f->by_places[(f->longest - 1 - (i - j)) * d + at].at;
    }
    const double apart = f->places == TH_PROOF_ALIBI ? f->by_places[head].at * (i - j) : 0;
    return sum / sqrt(width) - (double)(float)apart; /* tables are of single precision */
}

/* What a column of a head is for the last place of a word. */
static double mix(const Drawn *x, int column)
{
    const ThProofForms *s = x->s;
    const int d = s->f->dim, head = column / (d / s->f->heads);
    double up = 0, down = 0;
    for (int j = 0; j < PLACES; j++) {
        int key = s->first[j] + x->word[j];
        double e = exp(logit(x, head, key));
        up += e * drawn(x, x->both, key * 2 * d + d + column);
        down += e;
    }
    return up / down;
}

/* Draws what a row sees, keeps it, and mixes. */
static void draw_mixture(ThRng *r, ThProofForms *s, const double size[3][3], Drawn *x)
{
    const int d = s->f->dim, row = s->rows - 1; /* the last place holds the last symbol */
    draw_forms(r, s, s->query, d, PLACES - 1, size[0]);
    for (int t = 0; t < s->rows; t++)
        for (int part = 0; part < 2; part++)
            draw_forms(r, s, th_proof_form_row(s, s->both, (2 * t + part) * d), d, s->place[t],
                       size[1 + part]);
    memcpy(x->query, s->query.at, (size_t)(d * s->wide) * sizeof *x->query);
    memcpy(x->both, s->both.at, (size_t)(s->rows * 2 * d * s->wide) * sizeof *x->both);
    for (int t = 0; t < s->rows; t++)
        th_proof_forms_turn(s, th_proof_form_row(s, s->both, t * 2 * d), s->place[t]);
    s->taken = 0;
    th_proof_forms_attend(s, LAST, row, s->query, s->mixed);
}

/* What a mixture's forms miss is nowhere more than said; returns how much of it is met. */
static double check_mixture(ThRng *r, ThProofForms *s, const double size[3][3])
{
    enum { TRIES = 400 };
    const int d = s->f->dim;
    int word[PLACES];
    double loose[LOOSE], met = 0;
    Drawn x = {s, malloc((size_t)(d * s->wide) * sizeof *x.query),
               malloc((size_t)(s->rows * 2 * d * s->wide) * sizeof *x.both), word, loose};
    draw_mixture(r, s, size, &x);
    for (int n = 0; n < TRIES; n++) {
        for (int i = 0; i < PLACES; i++)
            word[i] = i == PLACES - 1 ? SYMBOLS - 1 : (int)th_rng_below(r, SYMBOLS);
        for (int k = 0; k < LOOSE; k++)
            loose[k] = th_rng_below(r, 2) ? 1 : -1;
        for (int c = 0; c < d; c++) {
            const double *v = th_proof_form(s, s->mixed, c);
            double own = s->mixed.off[c];
            for (int k = s->own; k < s->set; k++)
                own += fabs(v[k]);
            double off = fabs(mix(&x, c) - number_of(s, v, word, loose));
            assert_true(off <= own);
            met = fmax(met, off / own);
        }
    }
    free(x.query);
    free(x.both);
    return met;
}

/* With one kind of number that is not known at a time beside another, most of what is said to be
 * missed is. */
static void check_attention(const char *settings)
{
    enum { TRIES = 30 };
    static const double size[][3][3] = {
        {{0, 0, 0.05}, {0, 0, 0.05}, {1, 0, 0}},   {{1, 0, 0.05}, {1, 0, 0.05}, {1, 0, 0}},
        {{1, 0.1, 0}, {1, 0.1, 0}, {1, 0, 0}},     {{0.1, 0, 0}, {0.1, 0, 0}, {1, 0.5, 0}},
        {{1, 0, 0}, {1, 0.1, 0.1}, {1, 0.1, 0.1}}, {{0.3, 0, 0}, {0.3, 0, 0}, {1, 0, 0}},
        {{1, 0.5, 0.5}, {1, 0.5, 0.5}, {1, 1, 1}},
    };
    ThError err = {0};
    ThModel *m = bound_to("transformer", settings, TH_TARGET_FINAL, SYMBOLS, false);
    ThProofDecoder *f = th_proof_decoder_new(m, PLACES, 0, &err);
    f->unit = TH_PROOF_POINT_UNITS[0];
    ThProofForms *s = th_proof_forms_new(f, PLACES, &err);
    ThRng r = th_rng(1, "attention", 0);
    bool may[PLACES * SYMBOLS];
    for (int k = 0; k < PLACES * SYMBOLS; k++)
        may[k] = true;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        double met = 0;
        for (int n = 0; n < TRIES; n++) {
            th_proof_forms_read(s, may, PLACES);
            s->cols = s->set + LOOSE;
            met = fmax(met, check_mixture(&r, s, size[i]));
        }
        assert_true(met > (i == 0 ? 0.55 : 0.9));
    }
    th_proof_forms_free(s);
    free(f);
    th_model_free(m);
}

static void test_attention(void **state)
{
    (void)state;
    check_attention("dim=3 heads=3 layers=2 position=learned longest=4");
    check_attention("dim=4 heads=2 layers=2 position=rope");
    check_attention("dim=4 heads=2 layers=2 position=xl");
    check_attention("dim=4 heads=2 layers=2 position=alibi");
}

/* ---- claims ---------------------------------------------------------------------------------- */

enum { UP_TO = 4, STRINGS = 3 + 9 + 27 + 81 };

/* Returns new: a state for each string of up to UP_TO symbols, in their order, and one more. */
static ThDfa *tree(void)
{
    ThDfa *d = th_dfa_new(STRINGS + 2, SYMBOLS, SYMBOLS, NULL);
    for (int q = 0; q < STRINGS + 2; q++)
        for (int a = 0; a < SYMBOLS; a++) {
            int to = q * SYMBOLS + 1 + a;
            d->next[q * SYMBOLS + a] = to <= STRINGS ? to : STRINGS + 1;
        }
    return d;
}

/* A model that answers the first class to everything, by much. */
static ThModel *sure_model(int i)
{
    ThModel *m = model_of(i, 0.1);
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    bias[0] += 20;
    return m;
}

static ThProofClaim *claim_of(const ThModel *m, const ThDfa *d, ThDfa **domain)
{
    ThError err = {0};
    *domain = tree();
    for (int q = 1; q <= STRINGS; q++)
        (*domain)->label[q] = 1;
    (*domain)->n_classes = 2;
    const ThProofAsked asked = {&m->signature, d, *domain, 0, NULL};
    ThProofClaim *claim = th_proof_claim_new(m, &asked, NULL, &err);
    assert_non_null(claim);
    return claim;
}

/* The one string of which another class is asked is found, whichever it is, though all others go by
 * the box; and none is, where there is none. */
static void test_one_string(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = sure_model(5);
    for (int q = 0; q <= STRINGS; q++) {
        ThDfa *d = tree(), *domain = NULL;
        if (q > 0)
            d->label[q] = 2;
        ThProofClaim *claim = claim_of(m, d, &domain);
        ThProofWindows *w = th_proof_strings(m, claim, 0, NULL, &err);
        assert_true(w && w->holds == (q == 0) && w->in_float == (q == 0) && w->wrong == (q > 0));
        assert_true(q == 0 ? w->strings == STRINGS && w->boxes < STRINGS / 2
                           : th_dfa_walk(d, d->start, w->word, (size_t)w->length) == q);
        th_proof_windows_free(w);
        th_proof_claim_free(claim);
        th_dfa_free(domain);
        th_dfa_free(d);
    }
    th_model_free(m);
}

static float *part_of(const ThModel *m, const char *name)
{
    return th_params_at(&m->params, th_params_find(&m->params, name));
}

/* A mean that single precision rounds by all that tells two numbers apart: what a layer norm makes
 * of them is beyond what it is of real numbers, and another class is answered. */
static void test_mean(void **state)
{
    (void)state;
    enum { HIDDEN = 8 };
    ThError err = {0};
    ThModel *m = bound_to("gpt", "dim=2 heads=1 layers=1 activation=relu head_bias=yes",
                          TH_TARGET_FINAL, SYMBOLS, false);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    static const char *const gain[] = {"layer0.norm1.gain", "layer0.norm2.gain", "final_norm.gain"};
    for (int i = 0; i < 3; i++)
        part_of(m, gain[i])[0] = part_of(m, gain[i])[1] = 1;
    for (int i = 0; i < HIDDEN; i++)
        part_of(m, "layer0.feed_forward.up_bias")[i] = 1000;
    for (int i = 0; i < 2 * HIDDEN; i++)
        part_of(m, "layer0.feed_forward.down")[i] = 1000;
    part_of(m, "layer0.feed_forward.down")[2 * (HIDDEN - 1)] -= 0x1p-11F;
    part_of(m, "head")[0] = -1;
    part_of(m, "head_bias")[1] = 1.2F;
    part_of(m, "head_bias")[2] = -100;
    ThDfa *d = tree(), *domain = NULL;
    for (int q = 0; q < STRINGS + 2; q++)
        d->label[q] = 1;
    ThProofClaim *claim = claim_of(m, d, &domain);
    ThProofWindows *w = th_proof_strings(m, claim, 0, NULL, &err);
    int said, word[] = {0};
    assert_true(w && w->holds && !w->in_float);
    assert_true(th_proof_ask(m, word, 1, &said, &err) && said == 0);
    th_proof_windows_free(w);
    th_proof_claim_free(claim);
    th_dfa_free(domain);
    th_dfa_free(d);
    th_model_free(m);
}

/* An alphabet larger than strings are long. */
static void test_alphabet(void **state)
{
    (void)state;
    enum { MANY = 26, SHORT = 2 };
    ThError err = {0};
    ThModel *m = bound_to("gpt", "dim=4 heads=2 layers=1", TH_TARGET_FINAL, MANY, false);
    ThProofDecoder *f = th_proof_decoder_new(m, SHORT, 0, &err);
    ThProofForms *s = th_proof_forms_new(f, SHORT, &err);
    bool may[SHORT * MANY];
    int word[SHORT];
    double effect[SHORT], at[MANY], off[MANY], least = HUGE_VAL;
    ThProofFormsLead lead = {.word = word, .effect = effect};
    for (int k = 0; k < SHORT * MANY; k++)
        may[k] = true;
    f->unit = TH_PROOF_POINT_UNITS[0];
    th_proof_forms_read(s, may, SHORT);
    th_proof_forms_lead(s, 0, &lead);
    for (int i = 0; i < MANY * MANY; i++) {
        const int own[SHORT] = {i / MANY, i % MANY};
        assert_true(th_proof_windows_logits(m, own, SHORT, false, at, off, &err));
        for (int c = 1; c < MANY; c++)
            least = fmin(least, at[0] - at[c]);
    }
    assert_true(lead.least <= least);
    th_proof_forms_free(s);
    free(f);
    th_model_free(m);
}

static void never_sure(void *context, const int *word, int n, int class, bool *sure)
{
    (void)word, (void)n, (void)class;
    ++*(int *)context;
    *sure = false;
}

static bool go_on(void *context, const int *word, int n, int class, bool *end, ThError *err)
{
    (void)context, (void)word, (void)n, (void)class, (void)end, (void)err;
    return true;
}

/* Boxes and strings together are limited. */
static void test_limit(void **state)
{
    (void)state;
    ThModel *m = model_of(5, 0.1);
    ThDfa *d = tree(), *domain = NULL;
    for (int q = 0; q <= STRINGS; q++)
        d->label[q] = q % SYMBOLS;
    ThProofClaim *claim = claim_of(m, d, &domain);
    ThProofDecoder *f = th_proof_decoder_new(m, UP_TO, 0, NULL);
    f->unit = TH_PROOF_POINT_UNITS[0];
    for (int most = 40; most <= 400; most += 360) {
        ThError err = {0};
        ThProofBoxesFound found;
        int asked = 0;
        const ThProofBoxesHow how = {f, claim, UP_TO, most, &asked, never_sure, go_on};
        bool ok = th_proof_boxes(&how, &found, NULL, &err);
        assert_true(ok == (most == 400) && (ok || err.code == TH_ELIMIT));
        assert_true(ok ? asked >= STRINGS : found.single + found.boxes <= most + 2);
    }
    free(f);
    th_proof_claim_free(claim);
    th_dfa_free(domain);
    th_dfa_free(d);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_lines),      cmocka_unit_test(test_attention),
        cmocka_unit_test(test_one_string), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_mean),       cmocka_unit_test(test_alphabet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
