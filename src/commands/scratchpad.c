/* scratchpad.c - commands that write Turing Programs. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"
#include "commands/modelling.h"
#include "formats/dataset.h"
#include "scratchpad/options.h"

#define DATA(context_)                                                                             \
    {"count",                                                                                      \
     TH_INT,                                                                                       \
     NULL,                                                                                         \
     1,                                                                                            \
     1e12,                                                                                         \
     NULL,                                                                                         \
     "scratchpads to draw, or contexts where they are packed; without it, one is printed"},        \
        {"pack",                                                                                   \
         TH_CHOICE,                                                                                \
         "none",                                                                                   \
         0,                                                                                        \
         0,                                                                                        \
         "none|stream|offset|fill",                                                                \
         "one a row; or rows of context= tokens: cut from one endless stream; each from a stream " \
         "of its own that begins anywhere in a scratchpad; each beginning with a scratchpad, the " \
         "cut part of the last not being scored"},                                                 \
        {"context", TH_INT, context_, 1, 1000000, NULL, "tokens of a packed row"},                 \
        {"loss",                                                                                   \
         TH_CHOICE,                                                                                \
         "all",                                                                                    \
         0,                                                                                        \
         0,                                                                                        \
         "all|answer",                                                                             \
         "whether the tokens of questions are scored, too; .jsonl and .npy say which are"},        \
    {                                                                                              \
        "seed", TH_INT, NULL, 0, 9007199254740991.0, NULL,                                         \
            "of the random numbers; default: set seed"                                             \
    }

#define WHERE                                                                                      \
    "Without operands one is drawn.  With count= or > \"FILE\" they are a data set: .txt has one " \
    "a line, .jsonl a record a line with question, lines and answer apart, .npy their tokens as "  \
    "numbers, with the vocabulary in .vocab.json and what is scored in .mask.npy beside it.  The " \
    "same seed gives the same bytes."

/* ---- one scratchpad or many ------------------------------------------------------------------ */

static ThFormatPacking packing_of(const ShCall *call)
{
    switch (*th_option_text(&call->options, "pack")) {
    case 's':
        return TH_FORMAT_PACK_STREAM;
    case 'o':
        return TH_FORMAT_PACK_OFFSET;
    case 'f':
        return TH_FORMAT_PACK_FILL;
    default:
        return TH_FORMAT_PACK_NONE;
    }
}

/* Where an operand of the scratchpad stands in the call: behind the machine, where it has one. */
static const ShOperand *operand_at(const ShCall *call, const ThPadKind *kind, int i)
{
    int k = i + kind->takes_machine;
    return k < call->n ? &call->operand[k] : NULL;
}

static bool error_at(ThError *err, const ShOperand *o)
{
    return o ? sh_error_inside(err, o) : false;
}

static size_t count_lines(const ThPad *p, const ThPadExample *e)
{
    size_t from = 0, at, size, lines = 2;
    while (th_pad_example_line(p, e, &from, &at, &size))
        lines++;
    return lines;
}

static bool show_one(ShSession *s, const ThPad *p, const ThPadExample *e, ThError *err)
{
    int *id = NULL;
    size_t cap = 0, n, question, marks = p->bos >= 0 ? 2 : 0;
    bool ok = th_pad_encode(p, e, &id, &cap, &n, &question, err);
    free(id);
    if (!ok)
        return false;
    FILE *out = sh_listing(s);
    fwrite(e->text.data, 1, e->text.size, out);
    putc('\n', out);
    sh_result_int(s, "characters", (long long)th_utf8_length(e->text.data));
    sh_result_int(s, "tokens", (long long)(n - marks));
    sh_result_int(s, "lines", (long long)count_lines(p, e));
    sh_result_text(s, "answer", e->text.data + e->answer);
    return true;
}

/* The scratchpad of the operands, or one that is drawn. */
static bool make_one(const ShCall *call, const ThPad *p, uint64_t seed, ThPadExample *e,
                     ThError *err)
{
    const char *operand[2] = {NULL, NULL};
    int n = call->n - p->kind->takes_machine, which = 0;
    ThRng r = th_rng(seed, "scratchpad", 0);
    if (n == 0)
        return th_pad_draw(p, 0, &r, e, err);
    for (int i = 0; i < n && i < 2; i++)
        operand[i] = operand_at(call, p->kind, i)->text;
    return th_pad_write(p, operand, n, &r, e, &which, err) ||
           error_at(err, operand_at(call, p->kind, which));
}

/* Views of the single steps of a run, which stand on a line each. */
static ThPadExample *split_singles(const ThPad *p, const ThPadExample *e, size_t *n, ThError *err)
{
    ThPadExample *one = NULL;
    size_t cap = 0, gap = strlen(p->separator);
    *n = 0;
    for (char *line = e->text.data; *line;) {
        size_t size = strcspn(line, "\n");
        char *end = line + size, *first = strstr(line, p->separator), *last = first;
        if (!th_grow(&one, &cap, *n + 1, sizeof *one, err))
            break;
        for (char *c = first; c && c < end; c = strstr(c + gap, p->separator))
            last = c;
        one[*n] = (ThPadExample){.text = {.data = line, .size = size}};
        one[*n].question = first ? (size_t)(first - line) + gap : size;
        one[(*n)++].answer = last ? (size_t)(last - line) + gap : size;
        line = *end ? end + 1 : end;
    }
    return one;
}

static bool write_data(ShSession *s, const ShCall *call, const ThPad *p, const ThPadExample *given,
                       size_t n, uint64_t seed, ThError *err)
{
    const ThOptions *o = &call->options;
    ThDatasetFigures f;
    ThDataset d = {.pad = p, .seed = seed, .packing = packing_of(call), .stop = sh_stop(s)};
    d.count = given ? (long long)n : th_option_given(o, "count") ? th_option_int(o, "count") : 1;
    d.given = given;
    d.context = (int)th_option_int(o, "context");
    d.score_questions = *th_option_text(o, "loss") == 'a' && strcmp(p->kind->name, "copy") != 0;
    if (th_option_given(o, "loss"))
        d.score_questions = strcmp(th_option_text(o, "loss"), "all") == 0;
    if (call->append)
        return th_fail(err, TH_EUSAGE, "a data set is written whole, not appended");
    bool ok = call->redirect ? th_dataset_write(&d, call->redirect, &f, err)
                             : th_dataset_print(&d, sh_listing(s), &f, err);
    if (!ok)
        return false;
    sh_result_int(s, "rows", f.rows);
    sh_result_int(s, "examples", f.examples);
    sh_result_int(s, "vocabulary", th_pad_tokens(p));
    return true;
}

static bool options_fit(const ShCall *call, const ThPadKind *kind, ThError *err)
{
    const ThOptions *o = &call->options;
    int n = call->n - kind->takes_machine;
    bool count = th_option_given(o, "count");
    if (n > 0 && count)
        return sh_fail_operand(err, operand_at(call, kind, 0), TH_EUSAGE,
                               "count= draws scratchpads: it goes without operands");
    if (!count && packing_of(call) != TH_FORMAT_PACK_NONE)
        return th_fail(err, TH_EUSAGE, "pack= needs count=, the number of contexts");
    return true;
}

static bool scratchpad(ShSession *s, const ShCall *call, const char *name, ThError *err)
{
    const ThPadKind *kind = th_pad_kind(name);
    const ThTm *m = kind->takes_machine ? call->operand[0].object->as.machine : NULL;
    ThOptions options = {0};
    ThPadExample e = {0}, *singles = NULL;
    uint64_t seed = (uint64_t)sh_seed(s, &call->options);
    bool data = call->redirect || th_option_given(&call->options, "count");
    bool operands = call->n - kind->takes_machine > 0;
    if (!options_fit(call, kind, err) || !th_options_copy(&options, &call->options, err))
        return false;
    bool comments = !data || kind->takes_machine || strcmp(name, "sgd") == 0 ||
                    strcmp(name, "copy") == 0 || th_options_set(&options, "comments", "no", err);
    ThPad *p = comments ? th_pad_new(kind, &options, m, err) : NULL;
    bool ok = p && ((data && !operands) || make_one(call, p, seed, &e, err));
    size_t n = 1;
    if (ok && operands && kind->takes_machine && th_option_flag(&options, "single"))
        ok = (singles = split_singles(p, &e, &n, err)) && (!err || err->code == TH_OK);
    if (ok && (data || singles))
        ok = write_data(s, call, p, singles ? singles : operands ? &e : NULL, n, seed, err);
    else if (ok)
        ok = show_one(s, p, &e, err);
    free(singles);
    th_pad_example_free(&e);
    th_pad_free(p);
    th_options_free(&options);
    return ok;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

#define NO_OPTION                                                                                  \
    {                                                                                              \
        NULL, 0, NULL, 0, 0, NULL, NULL                                                            \
    }

static const ThOptionSpec addition_options[] = {TH_PAD_OPTIONS_ADDITION, DATA("500"), NO_OPTION};

SH_COMMAND(
    scratchpad_addition, .group = "scratchpads", .summary = "write out an addition, digit by digit",
    .detail =
        "A Turing Program (Hou et al. 2024): each line is the one before with a small change.  The "
        "head is on the last digit of both numbers, which is written as a letter, a for 0 to j "
        "for 9, and is gone on the next line; ^ stands for a number that has no digits left.  "
        "Behind them stand the carry that goes out and the digits of the sum so far.  | ends a "
        "line.\n\n"
        "Layouts, by style=: compact, what models were trained on; verbose, a line each with "
        "comments, as in the paper's figures; and without steps: plain, 576+361=937; reversed, "
        "675+163=739; blanks, reversed with random blanks; hints, a letter for each place, "
        "a5b7c6+a3b6c1=a9b3c7, shorter numbers filled up with zeros; reversed-hints.\n\n" WHERE,
    .example = "scratchpad addition 4324 139\n"
               "#> 4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,4463)|4463\n"
               "scratchpad addition 99 1 final-carry=fold\n"
               "#> 99+1|9j+b(1,0)|j+^(1,00)|100\n"
               "scratchpad addition digits=2..4 count=2 style=plain seed=1\n"
               "#> 0000+915=0915\n"
               "#> 6042+6187=12229",
    .results = "characters tokens lines answer rows examples vocabulary",
    .args = {{A_TEXT, "X", A_OPTIONAL}, {A_TEXT, "Y", A_OPTIONAL}}, .options = addition_options,
    .flags = C_OWN_REDIRECT | C_PAGED)
{
    return scratchpad(s, call, "addition", err);
}

static const ThOptionSpec multiplication_options[] = {TH_PAD_OPTIONS_MULTIPLICATION, DATA("500"),
                                                      NO_OPTION};

SH_COMMAND(
    scratchpad_multiplication, .group = "scratchpads",
    .summary = "write out a multiplication, digit by digit",
    .detail =
        "As scratchpad addition.  On each line the digit under the head is multiplied by the whole "
        "second number: behind them stand that product, ~, the carry that goes out, and the "
        "digits of the result so far.  Once no digits are left, the carry goes into the result: "
        "a digit a line, as in the paper's figure, or at once, as in its footnote.\n\n" WHERE,
    .example = "scratchpad multiplication 25 4\n"
               "#> 25*4|2f*4(20~2,0)|c*4(08~1,00)|^*4(00~0,100)|100\n"
               "scratchpad multiplication 25 4 style=verbose\n"
               "#> Input:\n"
               "#> 2 5 * 4\n"
               "#> Target:\n"
               "#> <scratch>\n"
               "#> 2 5 * 4\n"
               "#> 2 f * 4 ( 2 0 ~ 2 , 0 )   # 5 * 4 = 20 carry 2\n"
               "#> c * 4 ( 0 8 ~ 1 , 0 0 )   # 2 * 4 = 08 carry 1\n"
               "#> ^ * 4 ( 0 0 ~ 0 , 1 0 0 )   # 0 * 4 = 00 carry 0\n"
               "#> </scratch>\n"
               "#> 1 0 0",
    .results = "characters tokens lines answer rows examples vocabulary",
    .args = {{A_TEXT, "X", A_OPTIONAL}, {A_TEXT, "Y", A_OPTIONAL}},
    .options = multiplication_options, .flags = C_OWN_REDIRECT | C_PAGED)
{
    return scratchpad(s, call, "multiplication", err);
}

static const ThOptionSpec sgd_options[] = {TH_PAD_OPTIONS_SGD, DATA("600"), NO_OPTION};

SH_COMMAND(
    scratchpad_sgd, .group = "scratchpads",
    .summary = "write out linear regression by stochastic gradient descent",
    .detail =
        "Numbers from -1 to 1 are written as the 200 tokens a0 to a199; a100 is 0, and a step is "
        "0.01.  The question is the data: d X1 X2 , Y for each point.  A line is the points that "
        "are left, then the prediction yp for the last of them, the step g and the weights cur "
        "behind the step; the next line goes without that point.\n\n"
        "The paper's tokens show real numbers that are never rounded (strict=hidden), so that a "
        "scratchpad is not a function of its tokens, and an answer counts as right within two "
        "tokens.  strict=from-tokens and strict=requantise make it one.\n\n"
        "DATA is three numbers a point, or the tokens of a question.\n\n" WHERE,
    .example = "scratchpad sgd \"0.5 -0.5 0.2\"\n"
               "#> $ d a150 a50 , a120 | d a150 a50 , a120 yp a100 g a90 a110 cur a110 a90 |",
    .results = "characters tokens lines answer rows examples vocabulary",
    .args = {{A_TEXT, "DATA", A_OPTIONAL}}, .options = sgd_options,
    .flags = C_OWN_REDIRECT | C_PAGED)
{
    return scratchpad(s, call, "sgd", err);
}

static const ThOptionSpec machine_options[] = {TH_PAD_OPTIONS_MACHINE, DATA("500"), NO_OPTION};

SH_COMMAND(
    scratchpad_machine, .group = "scratchpads",
    .summary = "write out a run of a Turing machine, or a step of one",
    .detail =
        "With INPUT, the run on it: configurations, each of which is the state, a bar, and the "
        "cells with a mark on the one under the head, and between them the transitions: the next "
        "state, the symbol written, the move.  Once the machine has stopped, the tape without "
        "the blanks around it is the answer.  Without INPUT, one step on random cells, with the "
        "head and the state anywhere, as the paper trains on.  Several tapes are separated by "
        "bars.\n\n"
        "The cells shown are those of the input, and where the head leaves them a blank is added "
        "(edge=extend).  Tapes that are drawn keep their length (edge=stay).  Where a "
        "nondeterministic machine has a choice, one is drawn.\n\n" WHERE,
    .example = "machine flip { blank _; start s; halt z; s 0 -> 1 R s; s 1 -> 0 R s; s _ -> L z }\n"
               "scratchpad machine flip 01 style=verbose\n"
               "#> s | [0] 1\n"
               "#> ( s ~ 1 ~ R )\n"
               "#> s | 1 [1]\n"
               "#> ( s ~ 0 ~ R )\n"
               "#> s | 1 0 [_]\n"
               "#> ( z ~ _ ~ L )\n"
               "#> z | 1 [0] _\n"
               "#> 1 0\n"
               "scratchpad machine flip 01 names=paper transitions=no steps=1\n"
               "#> s1 | b2 a3 <|SEP|> s1 | a3 b3",
    .results = "characters tokens lines answer rows examples vocabulary",
    .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}}, .options = machine_options,
    .flags = C_OWN_REDIRECT | C_PAGED)
{
    return scratchpad(s, call, "machine", err);
}

static const ThOptionSpec copy_options[] = {TH_PAD_OPTIONS_COPY, DATA("220"), NO_OPTION};

SH_COMMAND(
    scratchpad_copy, .group = "scratchpads", .summary = "write a string and its copy",
    .detail =
        "The tasks on which Hard-ALiBi was tested: $STR|STR. is to be copied in whole; "
        "variant=prefix asks for what follows a part, $PART|STR|REST., variant=suffix names the "
        "part last, $STR|PARTREST., and variant=duplicate copies a string in which a part occurs "
        "twice.  The part is drawn among those that occur once.  Only answers are "
        "scored.\n\n" WHERE,
    .example = "scratchpad copy tapehead\n"
               "#> $tapehead|tapehead.\n"
               "scratchpad copy tapehead variant=prefix ngram=2 seed=3\n"
               "#> $ea|tapehead|d.",
    .results = "characters tokens lines answer rows examples vocabulary",
    .args = {{A_TEXT, "STRING", A_OPTIONAL}}, .options = copy_options,
    .flags = C_OWN_REDIRECT | C_PAGED)
{
    return scratchpad(s, call, "copy", err);
}
