/* The vectors of places=: which rows of the table a text has, by hand and by another model that has
 * them as positions; where training begins in the table; reading symbol by symbol; files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbols.h"
#include "bound.h"
#include "given.h"
#include "models/position/position.h"
#include "models/state.h"

enum { LONGEST = 20, MOST = 64, ROOM = MOST * 64 };

/* Rows of the table (a text at its beginning), lines and parts of lines, by hand. */
static const struct {
    const char *pad, *settings, *text;
    int row[MOST], line[MOST], part[MOST];
} known[] = {
    {"addition",
     "style=reversed fill=yes",
     "$356+940=207",
     {0, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4},
     {0},
     {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2}},
    {"addition",
     "fill=yes",
     "$024+009|02e+00j(1,3)|0c+0a(0,33)",
     {0, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1,
      3, 1, 4, 1, 1, 2, 3, 1, 2, 3, 1, 2, 1, 3, 4, 1},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
     {0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1,
      2, 2, 3, 3, 3, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3}},
    {"copy", "", "$cab|cab.", {0, 2, 3, 4, 1, 2, 3, 4, 1}, {0, 0, 0, 0, 0, 1, 1, 1, 1}, {0}},
};

static int text_of(const ThTask *t, const char *text, int *token)
{
    int n = 0;
    for (; text[n]; n++) {
        const char symbol[2] = {text[n], '\0'};
        token[n] = 0;
        while (strcmp(t->signature.symbol[token[n]], symbol) != 0)
            token[n]++;
    }
    return n;
}

static ThModel *bound_on(const ThTask *t, const char *kind, const char *settings)
{
    ThError err = {0};
    ThModel *m = made_model(kind, settings);
    if (!th_model_bind(m, &t->signature, 1, &err))
        fail_msg("%s", err.msg);
    scatter(m, 0.4);
    return m;
}

static const float *table(const ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    assert_true(i >= 0);
    return th_params_at(&m->params, i);
}

static double *answers(const ThModel *m, int *token, int n, ThRng *r)
{
    ThError err = {0};
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, t, &(ThBatch){.B = 1, .T = n, .token = token},
                               &(ThModelForward){.share = true, .rng = r});
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    double *to = calloc(ROOM, sizeof *to);
    th_tape_read(t, z, to);
    th_tape_free(t);
    return to;
}

/* Relative to 1 + the size of each. */
static double apart(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return most;
}

/* Makes of the table of positions of `to` what the tables of `from` say of these rows, lines and
 * parts, and of all else the same. */
static void put_as_positions(ThModel *to, const ThModel *from, const int *row, const int *line,
                             const int *part, int n, int lines, int parts)
{
    for (int i = 0; i < to->params.n; i++) {
        const ThParam *p = &to->params.item[i];
        if (strcmp(p->name, "position") != 0)
            memcpy(to->params.value + p->offset, table(from, p->name),
                   (size_t)p->rows * (size_t)p->cols * sizeof(float));
    }
    int dim = to->params.item[th_params_find(&to->params, "position")].cols;
    float *position =
        to->params.value + to->params.item[th_params_find(&to->params, "position")].offset;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < dim; c++)
            position[i * dim + c] =
                table(from, "place")[row[i] * dim + c] +
                (lines ? table(from, "place_line")[line[i] % lines * dim + c] : 0) +
                (parts ? table(from, "place_part")[part[i] % parts * dim + c] : 0);
}

static const char *const kinds[] = {"gpt layers=2",
                                    "bare layers=2 causal=yes",
                                    "transformer layers=2 causal=yes",
                                    "encoder layers=2 causal=yes",
                                    "universal steps=2 causal=yes",
                                    "tlb layers=2 causal=yes chunk=64 slots=2"};

/* Two models of one kind and of one size, one of which has the places and one positions. */
static ThModel *of_kind(const ThTask *t, const char *kind, const char *more)
{
    char name[32], settings[256];
    size_t n = strcspn(kind, " ");
    snprintf(name, sizeof name, "%.*s", (int)n, kind);
    snprintf(settings, sizeof settings, "dim=12 heads=3 %s %s", kind + n + 1, more);
    return bound_on(t, name, settings);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int lines = 0; lines <= 2; lines += 2) {
                char more[128];
                ThTask *t = made_pad_task(known[i].pad, known[i].settings, NULL);
                int token[MOST], n = text_of(t, known[i].text, token);
                snprintf(more, sizeof more,
                         "position=none places=coupled longest_place=%d place_lines=%d "
                         "place_parts=%d",
                         LONGEST, lines, 3 * (lines > 0));
                ThModel *a = of_kind(t, kinds[k], more),
                        *b = of_kind(t, kinds[k], "position=learned longest=64");
                int row[MOST] = {0}, line[MOST] = {0}, part[MOST] = {0};
                /* The mark of a text's beginning has the first place; bare has a symbol of its own
                 * in front, which has none. */
                int own = strncmp(kinds[k], "bare", 4) == 0;
                for (int j = 0; j < n; j++) {
                    row[j + own] = known[i].row[j] ? known[i].row[j] : 1;
                    line[j + own] = known[i].line[j];
                    part[j + own] = known[i].part[j];
                }
                put_as_positions(b, a, row, line, part, n + own, lines, 3 * (lines > 0));
                double *x = answers(a, token, n, NULL), *y = answers(b, token, n, NULL);
                if (!(apart(x, y, n * t->signature.n_classes) < 1e-4))
                    fail_msg("%s of %s: %g", known[i].text, kinds[k],
                             apart(x, y, n * t->signature.n_classes));
                free(x);
                free(y);
                th_model_free(a);
                th_model_free(b);
                th_task_free(t);
            }
}

/* A cell may have any symbol, $ too, which begins texts elsewhere; <|SEP|> ends a line. */
static void test_cells(void **state)
{
    (void)state;
    static const char *const text[] = {"<|BOS|>", "a", "|", "$",   "[x]", "$",
                                       "<|SEP|>", "a", "|", "[$]", "x",   "$"};
    static const int row[] = {0, 1, 1, 2, 3, 4, 1, 1, 1, 2, 3, 4},
                     line[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    enum { N = sizeof text / sizeof *text };
    ThTm *m = th_tm_parse("blank x; start a; halt z\na \"$\" -> x R z\na x -> x L a", NULL);
    ThTask *t = made_pad_task("machine", "names=own length=3", m);
    int token[N], place[N], got[N];
    assert_string_equal(t->signature.places.kind, "machine");
    for (int i = 0; i < N; i++) {
        token[i] = th_symbols_find(t->signature.symbol, t->signature.n_symbols, text[i]);
        if (token[i] < 0)
            fail_msg("no token %s", text[i]);
    }
    assert_true(t->signature.places.set(&t->signature, token, N, place, got, NULL));
    for (int i = 0; i < N; i++)
        if (place[i] + (i > 0) != row[i] || got[i] != line[i])
            fail_msg("%d: %s has %d in line %d", i, text[i], place[i], got[i]);
    th_task_free(t);
    th_tm_free(m);
}

/* Digits of a number count from its first one; what is none has row 0. */
static void test_abacus(void **state)
{
    (void)state;
    static const int row[] = {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 4};
    ThTask *t = made_pad_task("addition", "style=reversed", NULL);
    int token[MOST], n = text_of(t, "$356+94=2070", token);
    ThModel *a = of_kind(t, kinds[0], "position=none places=abacus"),
            *b = of_kind(t, kinds[0], "position=learned longest=64");
    put_as_positions(b, a, row, row, row, n, 0, 0);
    double *x = answers(a, token, n, NULL), *y = answers(b, token, n, NULL);
    assert_true(apart(x, y, n * t->signature.n_classes) < 1e-6);
    free(x);
    free(y);
    th_model_free(a);
    th_model_free(b);
    th_task_free(t);
}

/* χ² of how often a text is answered as in each of n_ways ways, z, in so many draws, where `share`
 * says how likely they are, NULL: one as another; nothing else is ever met.  Frees what z has. */
static double spread_of(const ThModel *m, int *token, int n, double **z, int n_ways,
                        const double *share, int draws)
{
    int seen[LONGEST] = {0}, cells = n * m->signature.n_classes;
    double chi = 0;
    ThRng r = th_rng(1, "beginnings", 0);
    for (int k = 0; k < draws; k++) {
        double *y = answers(m, token, n, &r);
        int s = 0;
        while (s < n_ways && apart(y, z[s], cells) > 1e-9)
            s++;
        assert_true(s < n_ways);
        seen[s]++;
        free(y);
    }
    for (int s = 0; s < n_ways; s++) {
        double wanted = draws * (share ? share[s] : 1.0 / n_ways);
        chi += (seen[s] - wanted) * (seen[s] - wanted) / wanted;
        free(z[s]);
    }
    return chi;
}

/* While training a text begins at each place from which it fits in the table, as often as at any
 * other; a row of none stays. */
static void test_beginnings(void **state)
{
    (void)state;
    enum { DRAWS = 4000, DIM = 12, STARTS = LONGEST - 3 + 1 };
    double *z[STARTS];
    ThTask *t = made_pad_task("addition", "style=reversed", NULL);
    int token[MOST], n = text_of(t, "$356+94=207", token);
    ThModel *m = of_kind(t, kinds[0], "position=none places=abacus longest_place=20");
    float *rows = m->params.value + m->params.item[th_params_find(&m->params, "place")].offset;
    float kept[(LONGEST + 1) * DIM];
    memcpy(kept, rows, sizeof kept);
    for (int s = 0; s < STARTS; s++) { /* the text at the beginning of a table that begins later */
        memcpy(rows + DIM, kept + (s + 1) * DIM, (size_t)(LONGEST - s) * DIM * sizeof *rows);
        z[s] = answers(m, token, n, NULL);
    }
    memcpy(rows, kept, sizeof kept);
    double chi = spread_of(m, token, n, z, STARTS, NULL, DRAWS);
    assert_true(chi < 41); /* 17 degrees of freedom, one in a thousand */
    th_model_free(m);
    th_task_free(t);
}

/* How likely three rows of a table of five are, the first and the last of which are these: of every
 * length from 3 to 5 a stretch that has them, and of its rows any three. */
static double gaps_share(int first, int last)
{
    static const double threes[] = {[3] = 1, 4, 10};
    double share = 0;
    for (int stretch = 3; stretch <= 5; stretch++)
        for (int start = 1; start + stretch <= 6; start++)
            if (start <= first && last < start + stretch)
                share += 1 / (3.0 * (6 - stretch) * threes[stretch]);
    return share;
}

/* With place_draw=random it has any rows, in order; a row of none stays. */
static void test_gaps(void **state)
{
    (void)state;
    enum { DRAWS = 4000, DIM = 12, ROWS = 5, WAYS = 10 };
    double *z[WAYS], share[WAYS], sum = 0;
    ThTask *t = made_pad_task("addition", "style=reversed", NULL);
    int token[MOST], n = text_of(t, "$356+94=207", token), way = 0;
    ThModel *start = of_kind(t, kinds[0], "position=none places=abacus longest_place=5"),
            *m = of_kind(t, kinds[0],
                         "position=none places=abacus longest_place=5 place_draw=random");
    float *rows = start->params.value + m->params.item[th_params_find(&m->params, "place")].offset;
    float kept[(ROWS + 1) * DIM];
    memcpy(m->params.value, start->params.value, m->params.total * sizeof(float));
    memcpy(kept, rows, sizeof kept);
    for (int a = 1; a <= ROWS; a++)
        for (int b = a + 1; b <= ROWS; b++)
            for (int c = b + 1; c <= ROWS; c++) {
                memcpy(rows + DIM, kept + (ptrdiff_t)a * DIM, DIM * sizeof *rows);
                memcpy(rows + 2 * DIM, kept + (ptrdiff_t)b * DIM, DIM * sizeof *rows);
                memcpy(rows + 3 * DIM, kept + (ptrdiff_t)c * DIM, DIM * sizeof *rows);
                share[way] = gaps_share(a, c);
                sum += share[way];
                z[way++] = answers(start, token, n, NULL);
            }
    assert_int_equal(way, WAYS);
    assert_true(fabs(sum - 1) < 1e-12);
    double *one = answers(m, token, n, NULL), *two = answers(m, token, n, NULL);
    assert_true(apart(one, two, n * t->signature.n_classes) == 0); /* drawn once and for all */
    free(one);
    free(two);
    double chi = spread_of(m, token, n, z, WAYS, share, DRAWS);
    assert_true(chi < 28); /* nine degrees of freedom, one in a thousand */
    th_model_free(start);
    th_model_free(m);
    th_task_free(t);
}

/* Its lines begin anywhere, too, in a circle. */
static void test_line_beginnings(void **state)
{
    (void)state;
    enum { DRAWS = 1500, DIM = 12, LINES = 3 };
    double *z[LINES];
    ThTask *t = made_pad_task("copy", "", NULL);
    int token[MOST], n = text_of(t, "$cab|cab.", token), cells = n * t->signature.n_classes;
    ThModel *m = of_kind(t, kinds[0], "position=none places=coupled longest_place=4 place_lines=3");
    float *rows = m->params.value + m->params.item[th_params_find(&m->params, "place_line")].offset;
    float kept[LINES * DIM];
    memcpy(kept, rows, sizeof kept);
    for (int s = 0; s < LINES; s++) {
        for (int i = 0; i < LINES * DIM; i++)
            rows[i] = kept[(i + s * DIM) % (LINES * DIM)];
        z[s] = answers(m, token, n, NULL);
    }
    memcpy(rows, kept, sizeof kept);
    double *first = answers(m, token, n, NULL);
    assert_true(apart(first, z[0], cells) == 0);
    free(first);
    double chi = spread_of(m, token, n, z, LINES, NULL, DRAWS);
    assert_true(chi < 14); /* two degrees of freedom, one in a thousand */
    th_model_free(m);
    th_task_free(t);
}

/* Texts of a batch, which begin where they would alone, and have nothing behind their ends. */
static void test_ragged(void **state)
{
    (void)state;
    static const char *const text[] = {"$12+90=12", "$1+2=3", "$3561+9400=2"};
    enum { B = 3, T = 12 };
    ThTask *t = made_pad_task("addition", "style=reversed fill=yes", NULL);
    ThModel *m = of_kind(t, kinds[0], "position=none places=coupled longest_place=20");
    int token[B * T] = {0}, length[B], classes = t->signature.n_classes;
    double all[B * T * 32];
    ThTape *tape = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
    for (int b = 0; b < B; b++)
        length[b] = text_of(t, text[b], token + (ptrdiff_t)b * T);
    th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
    th_tape_read(tape,
                 th_model_forward(m, tape,
                                  &(ThBatch){.B = B, .T = T, .token = token, .length = length},
                                  &(ThModelForward){.share = true}),
                 all);
    for (int b = 0; b < B; b++) {
        double *one = answers(m, token + (ptrdiff_t)b * T, length[b], NULL);
        assert_true(apart(one, all + (ptrdiff_t)b * T * classes, length[b] * classes) < 1e-9);
        free(one);
    }
    th_tape_free(tape);
    th_model_free(m);
    th_task_free(t);
}

/* A text is read symbol by symbol as at once, behind its question (begin 0) or its first symbols; B
 * of them, past the first room for keys; and again after what was read ahead has been forgotten. */
static void read_on(const char *kind, const char *settings, int begin, int B)
{
    enum { MOST_TEXTS = 2, N = 120 };
    ThTask *t = made_pad_task("addition", "fill=yes digits=5", NULL);
    ThModel *m = of_kind(t, kind, settings);
    ThBatch b = {.B = B};
    ThRng r = th_rng(2, "texts", 0);
    ThRange sizes = {5, 5, 1};
    assert_true(t->kind->study(t, &r, &sizes, &b, NULL));
    assert_true(b.T > 70);
    int question = prompt_of(&t->signature, &b, 0), classes = t->signature.n_classes;
    int piece[MOST_TEXTS * N];
    float z[MOST_TEXTS * 32];
    for (int cached = 0; cached < 2; cached++) {
        ThModelState *s = th_model_open(m, cached ? TH_MODEL_CACHED : TH_MODEL_UNCACHED, B, NULL);
        assert_int_equal(th_model_cached(s), cached);
        for (int at = 0, n; at < b.T; at += n) {
            n = at == 0 ? (begin ? begin : question) : 1 + (at % 3 == 0 && at + 1 < b.T);
            for (int i = 0; i < B * n; i++)
                piece[i] = th_batch_token(&b, i / n)[at + i % n];
            assert_true(th_model_feed(s, piece, n, z, NULL));
            for (int i = 0; i < B; i++) {
                double *whole = answers(m, th_batch_token(&b, i), at + n, NULL), most = 0;
                for (int c = 0; c < classes; c++) {
                    double x = whole[(at + n - 1) * classes + c];
                    most = fmax(most, fabs(x - (double)z[i * classes + c]) / (1 + fabs(x)));
                }
                if (!(most < 5e-3))
                    fail_msg("symbol %d of text %d: %g", at + n, i, most);
                free(whole);
            }
        }
        th_model_close(s);
    }
    th_batch_free(&b);
    th_model_free(m);
    th_task_free(t);
}

static void test_symbol_by_symbol(void **state)
{
    (void)state;
    read_on("gpt layers=2", "position=hard_alibi places=coupled", 0, 2);
    read_on("bare layers=2 causal=yes", "position=none places=coupled", 0, 2);
    read_on("gpt layers=2", "position=hard_alibi places=coupled place_parts=5", 0, 2);
    for (int texts = 1; texts <= 2; texts++) /* whose rows move while the question is read */
        read_on("gpt layers=2", "position=hard_alibi places=coupled place_draw=random", 3, texts);
    read_on("bare layers=2 causal=yes", "position=none places=coupled place_draw=random", 3, 2);
}

/* ---- what does not fit, and files ---- */

static void expect_refused(const char *settings, const ThTask *t, const char *why)
{
    ThError err = {0};
    const ThModelKind *k = th_model_kind("gpt");
    ThOptions o = {0};
    set_all(&o, k->options, settings);
    ThModel *m = th_model_new(k, &o, &err);
    assert_false(m && th_model_bind(m, &t->signature, 1, &err));
    if (!strstr(err.msg, why))
        fail_msg("%s", err.msg);
    th_options_free(&o);
    th_model_free(m);
}

static void test_refusals(void **state)
{
    (void)state;
    ThTask *t = made_pad_task("addition", "style=reversed hints=20", NULL),
           *u = made_pad_task("copy", "", NULL),
           *v = made_pad_task("addition", "style=reversed", NULL);
    expect_refused("places=coupled", t, "gives no places");
    expect_refused("places=coupled", v, "gives no places"); /* not filled up */
    expect_refused("places=abacus", u, "no symbol of the task is one");
    expect_refused("place_draw=random", u, "says nothing without places=");
    expect_refused("longest_place=30", u, "says nothing without places=");
    expect_refused("places=abacus place_lines=2", v, "place_lines= says nothing to places=abacus");
    expect_refused("places=abacus place_parts=2", v, "place_parts= says nothing to places=abacus");
    th_task_free(t);
    th_task_free(u);
    th_task_free(v);
}

/* A text of more places than the table has, with what it takes. */
static void test_ends(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_pad_task("copy", "", NULL);
    ThModel *m = of_kind(t, kinds[0], "position=none places=coupled longest_place=5");
    int token[MOST], n = text_of(t, "$cabd|ca", token);
    free(answers(m, token, n, NULL));
    ThTape *tape = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
    th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
    n = text_of(t, "$cabdb|ca", token);
    th_model_forward(m, tape, &(ThBatch){.B = 1, .T = n, .token = token},
                     &(ThModelForward){.share = true});
    assert_false(th_tape_ok(tape, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_non_null(strstr(err.msg, "longest_place=6"));
    th_tape_free(tape);
    th_model_free(m);
    th_task_free(t);
}

/* A model that reads places is of the kind and layout that gave them; one that reads none, of
 * any. */
static void test_signatures(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_pad_task("addition", "style=reversed fill=yes", NULL),
           *u = made_pad_task("addition", "style=reversed", NULL),
           *w = made_pad_task("addition", "style=plain fill=yes", NULL);
    ThModel *m = bound_on(t, "gpt", "places=coupled"), *other = bound_on(t, "gpt", "");
    assert_true(th_model_bind(m, &t->signature, 1, &err));
    assert_false(th_model_bind(m, &u->signature, 1, &err));
    assert_non_null(strstr(err.msg, "gives none"));
    err = (ThError){0};
    assert_false(th_model_bind(m, &w->signature, 1, &err));
    assert_non_null(strstr(err.msg, "another layout"));
    assert_true(th_model_bind(other, &u->signature, 1, NULL));
    ThModel *copy = th_model_copy(m, NULL);
    assert_string_equal(copy->signature.places.kind, "addition");
    th_model_free(copy);
    th_model_free(m);
    th_model_free(other);
    th_task_free(t);
    th_task_free(u);
    th_task_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_cells),
        cmocka_unit_test(test_abacus),     cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_gaps),       cmocka_unit_test(test_line_beginnings),
        cmocka_unit_test(test_ragged),     cmocka_unit_test(test_symbol_by_symbol),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_ends),
        cmocka_unit_test(test_signatures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
