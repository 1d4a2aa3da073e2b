/* write_sgd.c - linear regression by stochastic gradient descent (Hou et al., Section 5.2, Appendix
 * E).
 */
#include "scratchpad/write_sgd.h"

#include <math.h>
#include <stdio.h>

#include "scratchpad/hints.h"
#include "scratchpad/writing.h"

static const ThOptionSpec options[] = {
    {"examples", TH_RANGE, "1..50", 1, 10000, NULL, "points of a problem that is drawn"},
    {"strict", TH_CHOICE, "hidden", 0, 0, "hidden|from-tokens|requantise",
     "what is computed with: the real numbers behind the data's tokens; the tokens' values, the "
     "weights being kept exactly; or nothing but tokens, all results being rounded to them"},
    {"quantiser", TH_CHOICE, "hundredths", 0, 0, "hundredths|points",
     "what a token is: a hundredth, or one of 200 points from -1 to 1, 2/199 apart"},
    {"noise", TH_REAL, "0", 0, 1, NULL, "standard deviation of noise on drawn labels"},
    {"radius", TH_REAL, "0.5", 0, 1, NULL, "the true weights are drawn from a disc so large"},
    {"rate", TH_REAL, "0.5", 0, 1, NULL, "the learning rate"},
    {"style", TH_CHOICE, "turing", 0, 0, "turing|plain|steps",
     "with the steps, or the answer right after the data; steps: a line has its own point only, "
     "and every product and sum"},
    TH_PAD_HINTS_OPTIONS,
    {0}};

static const ThOptionSpec check_options[] = {
    {"strict", TH_CHOICE, "hidden", 0, 0, "hidden|from-tokens|requantise", "of sgd"},
    {"tolerance", TH_INT, NULL, 0, 200, NULL,
     "tokens by which numbers of sgd may differ; default: 2 with strict=hidden, else 0"},
    {"quantiser", TH_CHOICE, "hundredths", 0, 0, "hundredths|points", "of sgd"},
    {"rate", TH_REAL, "0.5", 0, 1, NULL, "the learning rate of sgd"},
    {0}};

double th_pad_sgd_scale(ThPadSgdQuantiser quantiser)
{
    return quantiser == TH_PAD_SGD_HUNDREDTHS ? 100 : 99.5;
}

int th_pad_sgd_token(double value, double scale)
{
    double i = floor(scale * value + 100.5);
    return i < 0 ? 0 : i > TH_PAD_SGD_TOKENS - 1 ? TH_PAD_SGD_TOKENS - 1 : (int)i;
}

double th_pad_sgd_value(int token, double scale)
{
    return (token - 100) / scale;
}

static double rounded(double value, double scale)
{
    return th_pad_sgd_value(th_pad_sgd_token(value, scale), scale);
}

/* The token of a result; where one is all that is kept, the result becomes what it stands for. */
static int token_of(const ThPadSgd *s, double *result, bool shown)
{
    int token = th_pad_sgd_token(*result, s->scale);
    if (shown && s->strict == TH_PAD_SGD_REQUANTISE)
        *result = th_pad_sgd_value(token, s->scale);
    return token;
}

ThPadSgdLine th_pad_sgd_step(ThPadSgd *s, const ThPadSgdPoint *point)
{
    ThPadSgdLine line;
    ThPadSgdPoint q = *point;
    if (s->strict != TH_PAD_SGD_HIDDEN)
        q = (ThPadSgdPoint){{rounded(q.x[0], s->scale), rounded(q.x[1], s->scale)},
                            rounded(q.y, s->scale)};
    double product[2], prediction = 0;
    for (int i = 0; i < 2; i++) {
        product[i] = s->w[i] * q.x[i];
        line.product[i] = token_of(s, &product[i], s->parts);
        prediction += product[i];
    }
    line.prediction = token_of(s, &prediction, true);
    double error = 2 * s->rate * (prediction - q.y);
    line.error = token_of(s, &error, s->parts);
    for (int i = 0; i < 2; i++) {
        double step = error * q.x[i];
        line.step[i] = token_of(s, &step, true);
        s->w[i] -= step;
        line.weight[i] = token_of(s, &s->w[i], true);
    }
    return line;
}

int th_pad_sgd_word(const char *word, unsigned long n)
{
    int value = 0;
    if (n < 2 || n > 4 || word[0] != 'a' || (word[1] == '0' && n > 2))
        return -1;
    for (unsigned long i = 1; i < n; i++) {
        if (word[i] < '0' || word[i] > '9')
            return -1;
        value = 10 * value + word[i] - '0';
    }
    return value < TH_PAD_SGD_TOKENS ? value : -1;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool init(ThPad *p, ThError *err)
{
    char name[16];
    bool ok = true;
    for (int i = 0; ok && i < TH_PAD_SGD_TOKENS; i++) {
        snprintf(name, sizeof name, "a%d", i);
        ok = th_pad_add_token(p, name, err);
    }
    p->words = true;
    p->separator = " | ";
    p->numbers = TH_PAD_SGD_TOKENS;
    p->near = th_option_choice(&p->options, "strict") == TH_PAD_SGD_HIDDEN ? 2 : 0;
    ok = ok && th_pad_add_tokens(p, "$ d yp g cur", err);
    p->answer = th_pad_tokens(p) - 1; /* cur */
    return ok && th_pad_add_tokens(p, ", |", err);
}

static char *put_word(char *to, const char *word)
{
    while (*word)
        *to++ = *word++;
    *to++ = ' ';
    return to;
}

static char *put_token(char *to, int token)
{
    *to++ = 'a';
    if (token >= 100)
        *to++ = (char)('0' + token / 100);
    if (token >= 10)
        *to++ = (char)('0' + token / 10 % 10);
    *to++ = (char)('0' + token % 10);
    *to++ = ' ';
    return to;
}

static char *put_points(char *to, const ThPadSgdPoint *point, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++) {
        to = put_word(to, "d");
        to = put_token(to, th_pad_sgd_token(point[i].x[0], scale));
        to = put_token(to, th_pad_sgd_token(point[i].x[1], scale));
        to = put_word(to, ",");
        to = put_token(to, th_pad_sgd_token(point[i].y, scale));
    }
    return to;
}

/* Behind the copied points.  *answer is set to where the weights begin. */
static char *put_results(char *to, const ThPadSgdLine *line, bool parts, char **answer)
{
    to = put_word(to, "yp");
    if (parts) {
        to = put_token(to, line->product[0]);
        to = put_token(to, line->product[1]);
    }
    to = put_token(to, line->prediction);
    to = put_word(to, "g");
    if (parts)
        to = put_token(to, line->error);
    to = put_token(to, line->step[0]);
    to = put_token(to, line->step[1]);
    *answer = to;
    to = put_word(to, "cur");
    to = put_token(to, line->weight[0]);
    to = put_token(to, line->weight[1]);
    return put_word(to, "|");
}

static double scale_of(const ThOptions *o)
{
    return th_pad_sgd_scale((ThPadSgdQuantiser)th_option_choice(o, "quantiser"));
}

static bool put(const ThPad *p, const ThPadSgdPoint *point, size_t n, ThPadExample *e, ThError *err)
{
    enum { POINT = 5 * 5, RESULTS = 12 * 5 };
    ThPadSgdStyle style = (ThPadSgdStyle)th_option_choice(&p->options, "style");
    ThPadSgd s = {.rate = th_option_real(&p->options, "rate"), .parts = style == TH_PAD_SGD_STEPS};
    s.strict = (ThPadSgdStrict)th_option_choice(&p->options, "strict");
    s.scale = scale_of(&p->options);
    size_t lines = style == TH_PAD_SGD_TURING ? n + 1 : 2;
    char *to = th_pad_example_begin(
        e, n > 20000 ? SIZE_MAX : lines * n * POINT + (n + 1) * RESULTS + 8, err);
    if (!to)
        return false;
    char *begin = to, *data = to + 2, *answer = to;
    to = put_points(put_word(to, "$"), point, n, s.scale);
    size_t question = (size_t)(to - begin) + 2, copied = (size_t)(to - data);
    to = put_word(to, "|");
    for (size_t m = n; m > 0; m--) {
        char *line = to, last[POINT + 1];
        size_t own = (size_t)(put_points(last, &point[m - 1], 1, s.scale) - last);
        if (style == TH_PAD_SGD_TURING)
            to = th_pad_put(to, data, copied);
        if (style == TH_PAD_SGD_STEPS)
            to = th_pad_put(to, last, own);
        ThPadSgdLine results = th_pad_sgd_step(&s, &point[m - 1]);
        to = put_results(to, &results, s.parts, &answer);
        if (style == TH_PAD_SGD_PLAIN && m > 1)
            to = line;
        copied -= own;
    }
    if (style == TH_PAD_SGD_PLAIN) {
        size_t rest = (size_t)(to - answer);
        memmove(begin + question, answer, rest);
        to = begin + question + rest;
        answer = begin + question;
    }
    th_pad_example_end(e, to - 1, question, (size_t)(answer - begin));
    return true;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Reads the points of "d a179 a166 , a76 …" or of numbers, three a point. */
typedef struct {
    double *number, scale;
    size_t n, cap;
} Numbers;

static bool read_number(const char *text, size_t at, size_t size, bool tokens, Numbers *to,
                        ThError *err)
{
    char word[64];
    int token = th_pad_sgd_word(text + at, size);
    double value = th_pad_sgd_value(token, to->scale);
    if (!tokens && size < sizeof word) {
        char *end;
        memcpy(word, text + at, size);
        word[size] = '\0';
        value = strtod(word, &end);
        token = *end == '\0' && value >= -1 && value <= 1 ? 0 : -1;
    }
    if (token < 0) {
        size_t column = 1;
        for (size_t i = 0; i < at; i++)
            column += ((unsigned char)text[i] & 0xc0) != 0x80;
        return th_fail_at(err, TH_EVALUE, 1, (int)column,
                          tokens ? "expected a token a0 to a199, d, ',' or '|'"
                                 : "expected a number from -1 to 1");
    }
    if (!th_grow(&to->number, &to->cap, to->n + 1, sizeof value, err))
        return false;
    to->number[to->n++] = value;
    return true;
}

static bool read_numbers(const char *text, Numbers *to, ThError *err)
{
    static const char between[] = " \t\n,;|";
    bool tokens = strchr("$da", text[strspn(text, between)]) && *text;
    for (size_t i = strspn(text, between); text[i]; i += strspn(text + i, between)) {
        size_t n = strcspn(text + i, between);
        bool mark = tokens && n == 1 && (text[i] == 'd' || text[i] == '$');
        if (!mark && !read_number(text, i, n, tokens, to, err))
            return false;
        i += n;
    }
    if (to->n == 0 || to->n % 3 != 0)
        return th_fail(err, TH_EVALUE, "a point has three numbers, and there are %zu", to->n) ||
               th_hint(err, "write the points as \"0.5 -0.2 0.1; 0.3 0.3 0\" or as \"d a150 a80 , "
                            "a110\"");
    return true;
}

static bool write(const ThPad *p, ThPadOperands *o, ThRng *r TH_UNUSED, ThPadExample *e,
                  ThError *err)
{
    Numbers found = {.scale = scale_of(&p->options)};
    if (o->n != 1)
        return th_fail(err, TH_EUSAGE, "the points of a problem are one operand");
    bool ok = read_numbers(o->text[0], &found, err);
    ThPadSgdPoint *point TH_OWNED(free) = ok ? th_alloc(found.n / 3, sizeof *point, err) : NULL;
    for (size_t i = 0; point && i < found.n / 3; i++) {
        const double *number = found.number;
        point[i] = (ThPadSgdPoint){{number[3 * i], number[3 * i + 1]}, number[3 * i + 2]};
    }
    ok = point && put(p, point, found.n / 3, e, err);
    free(found.number);
    return ok;
}

static double draw_coordinate(ThRng *r)
{
    return 2 * th_rng_uniform(r) - 1;
}

static bool draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err)
{
    const ThOptions *o = &p->options;
    double radius = th_option_real(o, "radius"), noise = th_option_real(o, "noise"), w[2];
    size_t n = (size_t)th_pad_draw_from(*sizes, r);
    ThPadSgdPoint *point TH_OWNED(free) = th_alloc(n, sizeof *point, err);
    if (!point)
        return false;
    do {
        w[0] = draw_coordinate(r);
        w[1] = draw_coordinate(r);
    } while (w[0] * w[0] + w[1] * w[1] > 1);
    for (size_t i = 0; i < n; i++) {
        ThPadSgdPoint *q = &point[i];
        q->x[0] = draw_coordinate(r);
        q->x[1] = draw_coordinate(r);
        q->y = radius * (w[0] * q->x[0] + w[1] * q->x[1]);
        if (noise > 0)
            q->y += noise * th_rng_normal(r);
    }
    return put(p, point, n, e, err);
}

static size_t most(const ThPad *p, size_t n)
{
    enum { POINT = 5, RESULTS = 9, PARTS = 3, ANSWER = 4 };
    ThPadSgdStyle style = (ThPadSgdStyle)th_option_choice(&p->options, "style");
    size_t lines = n * (n + 1) / 2 * POINT + n * RESULTS;
    if (style != TH_PAD_SGD_TURING)
        lines = style == TH_PAD_SGD_PLAIN ? ANSWER : n * (POINT + RESULTS + PARTS);
    return 2 + POINT * n + lines;
}

static bool is_word(const ThPadPiece *token, size_t n, size_t i, const char *word)
{
    return i < n && token[i].n == strlen(word) && memcmp(token[i].s, word, token[i].n) == 0;
}

/* The d of a point has the point's place, in all lines: those of a line are the first ones, but for
 * style=steps, where a line has one, the last that is left. */
static void places(int layout, const ThPadPiece *token, size_t n, int *place)
{
    enum { WORDS = 5 }; /* of a point */
    int next = 1, left = 0;
    bool first = true, steps = false;
    for (size_t i = 0; i < n; i++) {
        bool point = is_word(token, n, i, "d");
        place[i] = point && (!steps || left > 0) ? (steps ? left-- : next++) : 0;
        if (!is_word(token, n, i, "|"))
            continue;
        left = first ? next - 1 : left;
        bool told = layout < 0 ? left > 1 && is_word(token, n, i + 1 + WORDS, "yp")
                               : layout == TH_PAD_SGD_STEPS;
        steps = steps || (first && told);
        first = false;
        next = 1; /* in each line */
    }
}

/* ---- reading back ---------------------------------------------------------------------------- */

static bool recognise(const ThPadChecking *k)
{
    return k->end - k->begin > 1 && k->text[k->begin] == '$' &&
           th_pad_check_is_space(k->text[k->begin + 1]);
}

const ThPadKind th_pad_sgd = {
    .name = "sgd",
    .summary = "write out linear regression by stochastic gradient descent",
    .source = "Hou et al. 2024, Section 5.2 and Appendix E",
    .detail =
        "Numbers from -1 to 1 are written as the 200 tokens a0 to a199; a100 is 0, and a step is "
        "0.01.  The question is the data: d X1 X2 , Y for each point.  A line is the points that "
        "are left, then the prediction yp for the last of them, the step g and the weights cur "
        "behind the step; the next line goes without that point.  With style=steps a line has its "
        "own point only, the two products of weights and coordinates in front of the prediction, "
        "which is their sum, and the error, by 2 and rate=, in front of the step, which is its "
        "product with the coordinates: every number is made of two that stand near it.\n\n"
        "The paper's tokens show real numbers that are never rounded (strict=hidden), so that a "
        "scratchpad is not a function of its tokens, and an answer counts as right within two "
        "tokens.  strict=from-tokens and strict=requantise make it one.\n\n"
        "DATA is three numbers a point, or the tokens of a question.",
    .example = "scratchpad sgd \"0.5 -0.5 0.2\"\n"
               "#> $ d a150 a50 , a120 | d a150 a50 , a120 yp a100 g a90 a110 cur a110 a90 |\n"
               "scratchpad sgd \"0.5 -0.5 0.2; 0.5 0.5 0\" style=steps > \"steps.txt\"\n"
               "check file \"steps.txt\"\n"
               "#> 1 of 1 right",
    .operand = {"DATA", NULL},
    .options = options,
    .layout = "style",
    .check_options = check_options,
    .context = 600,
    .init = init,
    .write = write,
    .draw = draw,
    .most = most,
    .size = "examples",
    .recognise = recognise,
    .check = th_pad_check_sgd,
    .places = places,
    .bars = true,
};
