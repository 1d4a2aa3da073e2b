/* compile_programs.c - programs of RASP and Turing machines as models. */

#include "commands/inspection/proofs.h"
#include "rasp.h"

static bool say_cost(ShSession *s, const ThCompileProgram *p, const ThCompileProgramSize *z,
                     ThError *err)
{
    ThRaspCost c TH_OWNED(th_rasp_cost_free) = {0};
    size_t heads = 0;
    if (!th_rasp_cost(p->graph, p->sop, &c, err))
        return false;
    for (uint32_t k = 0; k < c.layers; k++)
        heads += c.merged[k];
    sh_say_folded(
        s, "  %d head%s in %d layer%s (cost: %zu in %u), %d coordinates of the stream in use",
        z->heads, sh_plural(z->heads), z->attending, sh_plural(z->attending), heads, c.layers,
        z->stream);
    sh_say_folded(s, "  run on all %lld inputs of up to %d symbol%s: every answer is the program's",
                  z->inputs, p->length, sh_plural(p->length));
    sh_results(s, "inputs:i heads:i layers:i", (long long)z->inputs, (long long)z->heads,
               (long long)z->attending);
    return true;
}

static ThModel *compile(ShSession *s, const ShCall *call, const ThCompileProgram *p, ThError *err)
{
    ThCompileProgramSize z;
    ThModel *m = th_compile_program(p, &s->bounds, &z, err);
    if (!m)
        return NULL;
    const ThOptions *o = &m->options;
    sh_say(s, "%s: bare dim=%lld heads=%lld layers=%lld hidden=%lld%s, %zu parameters\n",
           call->operand[1].text, th_option_int(o, "dim"), th_option_int(o, "heads"),
           th_option_int(o, "layers"), th_option_int(o, "hidden"),
           th_option_flag(o, "causal") ? " causal=yes" : "", th_params_count(&m->params));
    return TH_KEEP_IF(say_cost(s, p, &z, err), m, th_model_free);
}

ThModel *sh_compile_program(ShSession *s, const ShCall *call, ThError *err)
{
    const ThOptions *o = &call->options;
    ThRaspValue v = {0};
    int n = 0, length = (int)th_option_int_or(o, "length", 4);
    if (length > 64)
        return th_null(
            th_fail(err, TH_ELIMIT, "length=%d: an s-op's inputs have 64 symbols at most", length));
    if (!sh_rasp_value_of(s, call->operand[0].object, &v, err))
        return NULL;
    ThCompileProgram p = {
        .graph = th_rasp_graph(s->rasp), .sop = v.as.sop, .length = length, .stop = sh_stop(s)};
    char **name = th_symbols_list(th_option_text(o, "tokens"), false, &n, err);
    ThRaspAtom *letter = name ? th_rasp_letters(p.graph, name, n, err) : NULL;
    p.letter = letter;
    p.name = name;
    p.n_letters = n;
    ThModel *m = letter ? compile(s, call, &p, err) : NULL;
    TH_FREE(letter, name);
    return m;
}

/* ---- machines -------------------------------------------------------------------------------- */

/* Lets the model write the run on an input beside the machine. */
static bool follow(ShSession *s, const ShCall *call, const ThModel *m, const ThTm *machine,
                   ThError *err)
{
    const ThOptions *o = &call->options;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTmRunStart start;
    ThCompileFollowed f;
    ThTmRunLimits limits = {(uint64_t)th_option_int(o, "steps"), UINT64_MAX};
    bool ok = th_tm_tape_words_read(&words, machine, th_option_text_or(o, "input", ""), err) &&
              th_tm_run_start(&start, machine, &words, err) &&
              th_compile_follow(m, &start, limits, sh_stop(s), &f, err);
    if (!ok)
        return false;
    bool exact = f.right == f.tokens, fits = f.tokens >= f.room - f.line;
    bool ended = th_tm_verdict_final(f.extent.verdict);
    sh_results(s, "tokens:i right_tokens:i exact:b", f.tokens, f.right, exact && fits && ended);
    if (!exact && !th_option_flag(o, "partial"))
        return th_fail(err, TH_EVALUE,
                       "the model writes %lld tokens of the run right, then one is wrong",
                       f.right) ||
               th_hint(err,
                       "ngrams tells which n is enough (here n=%lld); partial=yes keeps the model",
                       th_option_int(o, "n"));
    ThText t TH_OWNED(th_text_free) = {0};
    if (!exact)
        th_text_printf(&t,
                       "right for %lld tokens, then one is wrong; ngrams tells which n is enough",
                       f.right);
    else if (!fits)
        th_text_printf(&t, "all %lld tokens that fit are right, context=%lld is for all", f.tokens,
                       f.room);
    else
        th_text_printf(&t, "all %lld tokens are right", f.tokens);
    sh_say_folded(s, "  writes the run of %llu step%s%s, lines of %d tokens: %s",
                  (unsigned long long)f.extent.steps, sh_plural(f.extent.steps),
                  ended ? "" : ", which goes on", f.line, th_text_string(&t));
    return true;
}

ThModel *sh_compile_machine(ShSession *s, const ShCall *call, ThError *err)
{
    const ThOptions *o = &call->options;
    const ThTm *machine = call->operand[0].object->as.machine;
    ThTmTokens tokens = {machine, false};
    ThTmRunStart start;
    if (!th_tm_run_start(&start, machine, &(ThTmTapeWords){0}, err))
        return NULL;
    ThModel *m = th_compile_machine(&tokens, (int)th_option_int(o, "n"),
                                    (int)th_option_int(o, "context"), &s->bounds, err);
    if (!m)
        return NULL;
    const ThOptions *size = &m->options;
    sh_say(s, "%s: bare dim=%lld heads=%lld layers=%lld hidden=%lld causal=yes, %zu parameters\n",
           call->operand[1].text, th_option_int(size, "dim"), th_option_int(size, "heads"),
           th_option_int(size, "layers"), th_option_int(size, "hidden"),
           th_params_count(&m->params));
    return TH_KEEP_IF(follow(s, call, m, machine, err), m, th_model_free);
}
