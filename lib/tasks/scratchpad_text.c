/* Turing Programs to be gone on with: the question stands before a model, which writes the lines
 * and the answer (Hou et al. 2024, sections 3 and 4). */
#include <limits.h>
#include <stdio.h>

#include "scratchpad/check_text.h"
#include "scratchpad/pack.h"
#include "tasks/scratchpad_places.h"
#include "tasks/task_parts.h"

static const ThOptionSpec options[] = {
    {"pack", TH_CHOICE, NULL, 0, 0, "none|stream|offset|fill",
     "what training reads.  none: whole scratchpads; windows of context= tokens otherwise: stream, "
     "one behind the other; offset, each begins anywhere; fill, each begins with a scratchpad.  "
     "Default: none, with context= offset"},
    {"context", TH_INT, NULL, 2, 1000000, NULL,
     "tokens of such a window; default: as many as the kind was trained on"},
    {"loss", TH_CHOICE, NULL, 0, 0, "all|answer",
     "whether training scores the tokens of questions, too; default: all, but for copies"},
    {"cut-off", TH_CHOICE, "score", 0, 0, "score|skip",
     "skip: no loss on the lines whose source a window's beginning has cut off"},
    {0}};
enum { LOSS_ALL, LOSS_ANSWER };       /* loss=; ThPadPacking has the order of pack= */
enum { CUT_OFF_SCORE, CUT_OFF_SKIP }; /* cut-off= */

/* ---- making ---------------------------------------------------------------------------------- */

static ThPadPacking packing_of(const ThOptions *o)
{
    if (th_option_given(o, "pack"))
        return (ThPadPacking)th_option_choice(o, "pack");
    return th_option_given(o, "context") ? TH_PAD_PACK_OFFSET : TH_PAD_PACK_NONE;
}

/* A token's name.  Where all others are characters, its marks of beginning and end are, too, so
 * that a prompt can be typed as a text. */
static char *name_of(const ThPad *p, int id, ThError *err)
{
    size_t size;
    const char *name = th_pad_token(p, id, &size);
    if (!p->words && id == p->bos)
        return th_strdup("$", err);
    if (!p->words && id == p->eos)
        return th_strdup(".", err);
    return th_strndup(name, size, err);
}

static bool name_tokens(char ***list, int *n, const ThPad *p, ThError *err)
{
    int count = th_pad_tokens(p);
    *list = th_alloc((size_t)count, sizeof **list, err);
    for (*n = 0; *list && *n < count; ++*n)
        if (!((*list)[*n] = name_of(p, *n, err)))
            return false;
    return *list != NULL;
}

static bool options_fit(const ThOptions *o, ThError *err)
{
    bool packed = packing_of(o) != TH_PAD_PACK_NONE;
    if (!packed && th_option_given(o, "context"))
        return th_fail(err, TH_EUSAGE, "context= is of windows, and pack=none reads none");
    if (!packed && th_option_choice(o, "cut-off") == CUT_OFF_SKIP)
        return th_fail(err, TH_EUSAGE, "whole scratchpads have no line that is cut off") ||
               th_hint(err, "context= has training read windows");
    return true;
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    ThSignature *s = &t->signature;
    const ThPadKind *kind = th_pad_kind(from->pad);
    if (!kind)
        return th_fail(err, TH_EUSAGE, "no scratchpad is named '%s'", from->pad) ||
               th_hint(err, "help scratchpad lists the kinds");
    if (kind->takes_machine && !from->machine)
        return th_fail(err, TH_EUSAGE, "a scratchpad of a machine needs one");
    if (!options_fit(&t->options, err))
        return false;
    ThPad *p = t->data = th_pad_new(kind, &t->options, from->machine, err);
    if (p && th_option_known(&p->options, "comments") &&
        !th_options_set(&p->options, "comments", "no", err))
        return false;
    s->target = TH_TARGET_EVERY;
    s->next = true;
    if (p)
        s->places = th_task_places(p);
    return p && name_tokens(&s->symbol, &s->n_symbols, p, err) &&
           name_tokens(&s->label, &s->n_classes, p, err);
}

static void *copy_data(const void *data, ThError *err)
{
    return th_pad_copy_of(data, err);
}

static void free_data(void *data)
{
    th_pad_free(data);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int tokens(const ThTask *t, int length)
{
    size_t most = th_pad_most(t->data, length) - 1;
    return most < INT_MAX ? (int)most : INT_MAX;
}

static ThRange lengths(const ThTask *t)
{
    return th_pad_sizes(t->data);
}

static bool scores_questions(const ThTask *t)
{
    const ThPad *p = t->data;
    return th_option_given(&t->options, "loss") ? th_option_choice(&t->options, "loss") == LOSS_ALL
                                                : !p->kind->answers_only;
}

/* Puts n+1 tokens into a row: all but the last are read, each is asked for behind the one before.
 */
static void put_row(const ThTask *t, ThBatch *b, int row, const int *id, int n)
{
    memcpy(th_batch_token(b, row), id, (size_t)n * sizeof *id);
    memcpy(th_batch_target(&t->signature, b, row), id + 1, (size_t)n * sizeof *id);
    if (b->length)
        b->length[row] = n;
}

/* Takes the loss off the question, as it is read: up to its last token but one. */
static void mask_question(const ThTask *t, ThBatch *b, int row, size_t question)
{
    int *target = th_batch_target(&t->signature, b, row);
    for (size_t i = 0; i + 1 < question; i++)
        target[i] = -1;
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    ThRange sizes = {length, length, 1};
    ThPadPackRules rules = {
        .pad = t->data, .seed = r->walk ? 0 : th_rng_next(r), .walk = r->walk, .sizes = &sizes};
    ThPadPacker k TH_OWNED(th_pad_packer_free) = {0};
    bool ok = true;
    th_pad_packer_begin(&k, &rules);
    for (int i = 0; ok && i < b->B; i++) {
        ok = th_pad_pack_tokens(&k, err);
        if (!ok)
            break;
        put_row(t, b, i, k.id, (int)k.n - 1);
        mask_question(t, b, i, k.question);
    }
    return ok;
}

/* All rows before the batch's width is known. */
static bool study_whole(const ThTask *t, ThPadPacker *k, ThBatch *b, ThError *err)
{
    const int rows = b->B;
    int *id = NULL, *end = th_alloc(2 * (size_t)rows, sizeof *end, err), n = 0;
    int *question = end ? end + rows : NULL;
    size_t cap = 0;
    bool ok = end != NULL;
    b->T = 1;
    for (int i = 0; ok && i < rows; i++) {
        ok = th_pad_pack_tokens(k, err) && k->n < (size_t)(INT_MAX - n) &&
             th_grow(&id, &cap, (size_t)n + k->n, sizeof *id, err);
        if (!ok)
            break;
        memcpy(id + n, k->id, k->n * sizeof *id);
        b->T = (int)k->n - 1 > b->T ? (int)k->n - 1 : b->T;
        end[i] = n += (int)k->n;
        question[i] = (int)k->question;
    }
    ok = ok && th_batch_reserve(b, &t->signature, true, err);
    for (int i = 0; ok && i < rows; i++) {
        int from = i ? end[i - 1] : 0;
        put_row(t, b, i, id + from, end[i] - from - 1);
        if (!k->rules.score_questions)
            mask_question(t, b, i, (size_t)question[i]);
    }
    TH_FREE(id, end);
    if (!ok)
        return false;
    th_batch_pad(b, &t->signature);
    th_batch_trim(b, &t->signature);
    return true;
}

static bool study_windows(const ThTask *t, ThPadPacker *k, ThBatch *b, ThError *err)
{
    size_t width = k->rules.context;
    int *id TH_OWNED(free) = th_alloc(width, sizeof *id, err);
    unsigned char *scored TH_OWNED(free) = th_alloc(width, sizeof *scored, err);
    b->T = (int)width - 1;
    bool ok = id && scored && th_batch_reserve(b, &t->signature, false, err);
    for (int i = 0; ok && i < b->B; i++) {
        ok = th_pad_pack_row(k, (size_t)i, id, scored, err);
        if (!ok)
            break;
        put_row(t, b, i, id, b->T);
        int *target = th_batch_target(&t->signature, b, i);
        for (int j = 0; j < b->T; j++)
            target[j] = scored[j + 1] ? target[j] : -1;
    }
    return ok;
}

static bool study(const ThTask *t, ThRng *r, const ThRange *sizes, ThBatch *b, ThError *err)
{
    const ThOptions *o = &t->options;
    const ThPad *p = t->data;
    ThPadPackRules rules = {.pad = p,
                            .seed = th_rng_next(r),
                            .sizes = sizes,
                            .packing = packing_of(o),
                            .context = (size_t)th_option_int_or(o, "context", p->kind->context) + 1,
                            .overlap = 1,
                            .score_questions = scores_questions(t),
                            .skip_cut = th_option_choice(o, "cut-off") == CUT_OFF_SKIP};
    ThPadPacker k TH_OWNED(th_pad_packer_free) = {0};
    th_pad_packer_begin(&k, &rules);
    return (rules.packing == TH_PAD_PACK_NONE ? study_whole : study_windows)(t, &k, b, err);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* What the checker is told: what it can be told and the task's options say. */
static bool rules_of(const ThPad *p, ThOptions *o, ThPadCheckRules *rules, ThError *err)
{
    const ThOptions *own = &p->options;
    *rules = (ThPadCheckRules){.kind = p->kind, .machine = p->machine, .options = o};
    rules->answered = p->machine && th_option_given(own, "inputs");
    if (p->kind->layout)
        rules->style = th_option_text(own, p->kind->layout);
    bool ok = th_pad_check_options(o, err);
    for (size_t i = 0; ok && i < own->n; i++)
        if (own->item[i].text && th_option_known(o, own->item[i].spec->name))
            ok = th_options_set(o, own->item[i].spec->name, own->item[i].text, err);
    if (ok && p->machine && !th_option_given(own, "steps") && !th_option_given(own, "inputs"))
        ok = th_options_set(o, "steps", "1", err);
    return ok;
}

/* A prompt with what was said behind it, as text and token by token. */
typedef struct {
    ThText text;
    size_t *end; /* of each token */
    int n;
} Spoken;

static bool speak(Spoken *s, const ThPad *p, const ThTaskWord *part, ThError *err)
{
    s->end = th_alloc((size_t)part[0].n + (size_t)part[1].n + 1, sizeof *s->end, err);
    for (int k = 0; s->end && k < 2; k++) {
        for (int i = 0; i < part[k].n; i++) {
            th_pad_decode(p, part[k].token + i, 1, &s->text);
            s->end[s->n++] = s->text.size;
            th_text_add(&s->text, p->words ? " " : "");
        }
    }
    return s->end && (!s->text.failed || th_fail(err, TH_ENOMEM, "out of memory"));
}

static bool check(const ThPad *p, const ThText *text, ThPadChecked *c, ThError *err)
{
    ThOptions o TH_OWNED(th_options_free) = {0};
    ThPadCheckRules rules;
    return rules_of(p, &o, &rules, err) && th_pad_check(text->data, text->size, &rules, c, err);
}

/* A slip where the end was due is one of going on. */
static void tell_slip(ThTaskVerdict *v, const ThPadChecked *c, int at)
{
    const char *expected = *c->expected ? c->expected : "the end";
    v->at = at;
    v->kind = *c->expected ? th_pad_slip_name(c->slip) : "late end";
    snprintf(v->what, sizeof v->what, "line %zu, column %zu: it is %s and should be %s", c->line,
             c->column, *c->found ? c->found : "the end", expected);
}

static bool judge(const ThTask *t, ThTaskWord prompt, ThTaskWord said, ThTaskVerdict *v,
                  ThError *err)
{
    const ThPad *p = t->data;
    Spoken s = {0};
    ThPadChecked c = {0};
    int at = 0;
    bool ended = p->eos < 0 || (said.n > 0 && said.token[said.n - 1] == p->eos);
    bool ok = speak(&s, p, (const ThTaskWord[]){prompt, said}, err) && check(p, &s.text, &c, err);
    while (ok && at < s.n && (!c.slip || s.end[at] <= c.offset))
        at++;
    if (ok && at < prompt.n)
        ok = th_fail(err, TH_EVALUE, "this is no prompt of a task of kind %s", t->kind->name) ||
             th_hint(err, "sample shows some: a prompt ends where the answers begin");
    if (ok && c.slip) {
        tell_slip(v, &c, at - prompt.n);
    } else if (ok) {
        v->right = ended;
        v->at = said.n;
        v->kind = ended ? "" : "late end";
        snprintf(v->what, sizeof v->what, "%s", ended ? "" : "it is complete and has no end");
    }
    th_text_free(&s.text);
    free(s.end);
    return ok;
}

static bool same_answer(const ThTask *t, ThTaskWord said, ThTaskWord truth)
{
    return th_pad_same_answer(t->data, said.token, (size_t)said.n, truth.token, (size_t)truth.n);
}

static int separator(const ThTask *t)
{
    return ((const ThPad *)t->data)->line_end;
}

/* ---- the kind -------------------------------------------------------------------------------- */

static void describe(const ThTask *t, ThText *to)
{
    const ThPad *p = t->data;
    ThRange sizes = th_pad_sizes(p);
    th_text_printf(to, "# training  %s=%lld..%lld", p->kind->size, sizes.lo, sizes.hi);
    if (packing_of(&t->options) == TH_PAD_PACK_NONE)
        th_text_add(to, ", whole scratchpads\n");
    else
        th_text_printf(to, ", windows of %lld tokens\n",
                       th_option_int_or(&t->options, "context", p->kind->context));
}

const ThTaskKind th_task_kind_scratchpad = {
    .name = "scratchpad",
    .summary = "write out a computation, line by line, behind its question",
    .source = "Hou et al. 2024, sections 3 and 4",
    .detail =
        "task t = scratchpad KIND, with the options of that kind of scratchpad (help scratchpad), "
        "and a machine's name behind scratchpad machine.  A model answers at every position with "
        "the token that follows.  Digits and signs are tokens, with $ for <|BOS|> and . for "
        "<|EOS|>; those of sgd and machine are words.\n\n"
        "digits=, examples= or length= are the sizes that training sees, unless train is given "
        "length=; evaluate and sample draw whole scratchpads of the sizes in their length=, whose "
        "lines and answers are asked for.  Training reads whole scratchpads, or with context= "
        "windows of a stream of them, as the paper does.  In a window that begins within a "
        "scratchpad the first lines cannot be known: their sources have been cut off, which "
        "cut-off=skip leaves out of the loss.  The windows of a batch with pack=stream are one "
        "stretch of a stream.\n\n"
        "What a model writes is judged by the scratchpad's own checker, as check does.",
    .takes_pad = true,
    .ragged = true,
    .options = options,
    .init = init,
    .tokens = tokens,
    .draw = draw,
    .study = study,
    .lengths = lengths,
    .judge = judge,
    .same_answer = same_answer,
    .separator = separator,
    .describe = describe,
    .copy_data = copy_data,
    .free_data = free_data,
};
