/* scratchpad.c - commands that write Turing Programs. */

#include "commands/modelling.h"

static const ThOptionSpec options[] = {
    {"count", TH_INT, NULL, 1, 1e12, NULL,
     "scratchpads to draw, or contexts where they are packed; without it, one is printed"},
    {"pack", TH_CHOICE, "none", 0, 0, "none|stream|offset|fill",
     "one a row; or rows of context= tokens: cut from one endless stream; each from a stream of "
     "its own that begins anywhere in a scratchpad; each beginning with a scratchpad, the cut part "
     "of the last not being scored"},
    {"context", TH_INT, NULL, 1, 1000000, NULL,
     "tokens of a packed row; default: as many as the kind was trained on"},
    {"loss", TH_CHOICE, NULL, 0, 0, "all|answer",
     "whether the tokens of questions are scored, too; .jsonl and .npy say which are.  Default: "
     "all, where the kind is not one of answers only"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the random numbers; default: set seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { LOSS_ALL, LOSS_ANSWER }; /* loss=; ThPadPacking has the order of pack= */

/* ---- one scratchpad or many ------------------------------------------------------------------ */

static ThPadPacking packing_of(const ShCall *call)
{
    return (ThPadPacking)th_option_choice(&call->options, "pack");
}

static int operands_of(const ShCall *call, const ThPadKind *kind)
{
    return call->n - 1 - kind->takes_machine;
}

/* Where an operand of the scratchpad stands in the call: behind the kind, and the machine where it
 * has one. */
static const ShOperand *operand_at(const ShCall *call, const ThPadKind *kind, int i)
{
    int k = 1 + i + kind->takes_machine;
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
    int *id TH_OWNED(free) = NULL;
    size_t cap = 0, n, question, marks = p->bos >= 0 ? 2 : 0;
    bool ok = th_pad_encode(p, e, &id, &cap, &n, &question, err);
    if (!ok)
        return false;
    FILE *out = sh_listing(s);
    fwrite(e->text.data, 1, e->text.size, out);
    putc('\n', out);
    sh_results(s, "characters:i tokens:i lines:i answer:s", (long long)th_utf8_length(e->text.data),
               (long long)(n - marks), (long long)count_lines(p, e), e->text.data + e->answer);
    return true;
}

/* The scratchpad of the operands, or one that is drawn. */
static bool make_one(const ShCall *call, const ThPad *p, uint64_t seed, ThPadExample *e,
                     ThError *err)
{
    const char *operand[2] = {NULL, NULL};
    int n = operands_of(call, p->kind);
    ThRng r = th_rng(seed, "scratchpad", 0);
    if (n == 0)
        return th_pad_draw(p, NULL, &r, e, err);
    for (int i = 0; i < n && i < 2; i++)
        operand[i] = operand_at(call, p->kind, i)->text;
    ThPadOperands o = {operand, n < 2 ? n : 2, 0};
    return th_pad_write(p, &o, &r, e, err) || error_at(err, operand_at(call, p->kind, o.wrong));
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
    d.context = p->kind->context;
    if (th_option_given(o, "context"))
        d.context = (int)th_option_int(o, "context");
    d.score_questions = !p->kind->answers_only;
    if (th_option_given(o, "loss"))
        d.score_questions = th_option_choice(o, "loss") == LOSS_ALL;
    if (call->append)
        return th_fail(err, TH_EUSAGE, "a data set is written whole, not appended");
    bool ok = call->redirect ? th_dataset_write(&d, call->redirect, &f, err)
                             : th_dataset_print(&d, sh_listing(s), &f, err);
    if (!ok)
        return false;
    sh_results(s, "rows:i examples:i vocabulary:i", (long long)f.rows, (long long)f.examples,
               (long long)th_pad_tokens(p));
    return true;
}

static bool options_fit(const ShCall *call, const ThPadKind *kind, ThError *err)
{
    const ThOptions *o = &call->options;
    int n = operands_of(call, kind);
    bool count = th_option_given(o, "count");
    if (n > 0 && count)
        return sh_fail_operand(err, operand_at(call, kind, 0), TH_EUSAGE,
                               "count= draws scratchpads: it goes without operands");
    if (!count && packing_of(call) != TH_PAD_PACK_NONE)
        return th_fail(err, TH_EUSAGE, "pack= needs count=, the number of contexts");
    return true;
}

static bool wants_singles(const ThPad *p)
{
    return th_option_known(&p->options, "single") && th_option_flag(&p->options, "single");
}

SH_COMMAND(
    scratchpad, .group = "tasks", .summary = "write out a computation, line by line",
    .detail = "Without operands one is drawn.  With count= or > \"FILE\" they are a data set: .txt "
              "has one a line, .jsonl a record a line with question, lines and answer apart, .npy "
              "their tokens as numbers, with the vocabulary in .vocab.json and what is scored in "
              ".mask.npy beside it.  The same seed gives the same bytes.",
    .results = "characters tokens lines answer rows examples vocabulary",
    .args = {{A_PAD_KIND, "KIND", 0}}, .options = options, .flags = C_OWN_REDIRECT | C_PAGED)
{
    const ThPadKind *kind = th_pad_kind(call->operand[0].text);
    const ThTm *m = kind->takes_machine ? call->operand[1].object->as.machine : NULL;
    ThOptions given = {0};
    ThPadExample e TH_OWNED(th_pad_example_free) = {0}, *singles TH_OWNED(free) = NULL;
    uint64_t seed = (uint64_t)sh_seed(s, &call->options);
    bool data = call->redirect || th_option_given(&call->options, "count");
    bool operands = operands_of(call, kind) > 0;
    if (!options_fit(call, kind, err) || !th_options_copy(&given, &call->options, err))
        return false;
    bool ok = !data || !th_option_known(&given, "comments") ||
              th_options_set(&given, "comments", "no", err);
    ThPad *p TH_OWNED(th_pad_free) = ok ? th_pad_new(kind, &given, m, err) : NULL;
    ok = p && ((data && !operands) || make_one(call, p, seed, &e, err));
    size_t n = 1;
    if (ok && operands && wants_singles(p))
        ok = (singles = split_singles(p, &e, &n, err)) && (!err || err->code == TH_OK);
    if (ok && (data || singles))
        ok = write_data(s, call, p, singles ? singles : operands ? &e : NULL, n, seed, err);
    else if (ok)
        ok = show_one(s, p, &e, err);
    th_options_free(&given);
    return ok;
}
