#include "scratchpad/pack.h"

void th_pad_packer_begin(ThPadPacker *k, const ThPadPackRules *rules)
{
    *k = (ThPadPacker){.rules = *rules};
}

void th_pad_packer_free(ThPadPacker *k)
{
    th_pad_example_free(&k->drawn);
    free(k->id);
}

bool th_pad_pack_example(ThPadPacker *k, ThError *err)
{
    const ThPadPackRules *rules = &k->rules;
    if (th_stopped(rules->stop, err))
        return false;
    k->e = rules->given ? &rules->given[k->index % rules->n_given] : &k->drawn;
    ThRng r =
        rules->walk ? th_rng_walk(rules->walk) : th_rng(rules->seed, "scratchpad", k->index++);
    return rules->given || th_pad_draw(rules->pad, rules->sizes, &r, &k->drawn, err);
}

bool th_pad_pack_tokens(ThPadPacker *k, ThError *err)
{
    k->at = k->legal = 0;
    return th_pad_pack_example(k, err) &&
           th_pad_encode(k->rules.pad, k->e, &k->id, &k->cap, &k->n, &k->question, err);
}

/* Of the tokens from k->at on, the first of a line whose source has not been cut off: what is left
 * of a line that is cut, then as many lines as a line is away from its source. */
static size_t first_with_source(const ThPadPacker *k)
{
    const ThPad *p = k->rules.pad;
    size_t at = k->at;
    if (at == 0)
        return 0;
    int lines = p->source + (k->id[at - 1] != p->line_end);
    for (; at < k->n && lines > 0; at++)
        lines -= k->id[at] == p->line_end;
    return at;
}

/* Where in a scratchpad a row begins. */
static bool begin_row(ThPadPacker *k, size_t row, ThError *err)
{
    const ThPadPackRules *rules = &k->rules;
    bool goes_on = rules->packing == TH_PAD_PACK_STREAM && k->n > 0;
    if (!goes_on && !th_pad_pack_tokens(k, err))
        return false;
    ThRng r = th_rng(rules->seed, "scratchpad.offset", row);
    if (rules->packing == TH_PAD_PACK_OFFSET)
        k->at = th_rng_below(&r, k->n);
    if (rules->skip_cut)
        k->legal = first_with_source(k);
    return true;
}

bool th_pad_pack_row(ThPadPacker *k, size_t row, int *token, unsigned char *scored, ThError *err)
{
    const ThPadPackRules *rules = &k->rules;
    size_t i = 0, begun = 0;
    if (!begin_row(k, row, err))
        return false;
    while (i < rules->context) {
        if (k->at == k->n && !th_pad_pack_tokens(k, err))
            return false;
        begun = i;
        for (; i < rules->context && k->at < k->n; i++, k->at++) {
            token[i] = k->id[k->at];
            scored[i] = k->at >= k->legal && (rules->score_questions || k->at >= k->question);
        }
    }
    if (rules->packing == TH_PAD_PACK_FILL && k->at < k->n)
        memset(scored + begun, 0, rules->context - begun);
    if (rules->packing == TH_PAD_PACK_STREAM)
        k->at -= rules->overlap;
    return true;
}
