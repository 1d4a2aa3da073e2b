/* The Gated Universal Transformer within the Temporal Latent Bottleneck (Ray Chowdhury and Caragea
 * 2024, section 3.4): each chunk goes through one gated block until it has halted as a whole. */

#include "models/halting/chunks_trace.h"

static const ThOptionSpec options[] = {
    TH_MODEL_ENCODER_OPTIONS("no"),
    TH_MODEL_THINK_OPTIONS("3", "yes"),
    TH_MODEL_CHUNK_OPTIONS,
#include "models/position/position_options.def"
};

typedef struct {
    ThModelEncoder encoder;
    ThModelThinker thinker;
    ThModelChunks chunks;
} Layout;

/* What an application to a chunk costs: the price of a string is the mean over its chunks. */
static float *price(const ThModelReading *r, const ThModelChunk *k)
{
    float *to = th_tape_take(r->t, (size_t)k->strings.B, sizeof *to);
    for (int i = 0; to && i < k->strings.B; i++) {
        int n = th_model_chunk_count(r->c, r->strings.length[k->string[i]]);
        to[i] = (r->m->signature.pairs ? 0.5f : 1) / (float)n;
    }
    return to;
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    int most = l->thinker.steps, steps = th_model_chunk_steps(&l->chunks, most);
    ThModelReading r = {.m = m, .c = &l->chunks, .e = &l->encoder, .t = t, .rng = how->rng};
    ThModelChunk k;
    ThVar cost = -1;
    r.x = th_model_encoder_read(&l->encoder, t, m, b, how, &r.strings, NULL);
    if (r.x < 0 || !th_model_reading_begin(&r))
        return -1;
    for (int c = 0; th_model_reading_next(&r, c, &k); c++) {
        ThVar memory = th_model_reading_recall(&r, &k);
        ThModelThought about = {.strings = k.strings,
                                .x = k.x,
                                .memory =
                                    th_model_cross_keys(t, &l->encoder.block[0].memory, memory),
                                .number = c * steps,
                                .price = price(&r, &k),
                                .rng = how->rng,
                                .name = "chunk"};
        ThVar made = about.price ? th_model_think(&l->thinker, &l->encoder, t, &about, &cost) : -1;
        if (!th_model_reading_store(&r, &k, c * steps + 2 * most, memory, made))
            return -1;
    }
    if (cost >= 0)
        th_tape_tag(t, cost, "cost", -1);
    return th_model_reading_answer(&r);
}

static bool bind(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    th_model_encoder_begin(&l->encoder, &b, 1, 0.02);
    l->encoder.anew = true;
    th_model_encoder_block(&l->encoder, &b, true, true);
    th_model_thinker_build(&l->thinker, &b, TH_MODEL_HALT_GLOBAL, l->encoder.attention.dim);
    th_model_chunks_build(&l->chunks, &b, l->encoder.attention.dim);
    th_model_encoder_end(&l->encoder, &b);
    return !b.failed;
}

static bool trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_chunks_trace(&l->chunks, &l->encoder, l->thinker.steps, t, length, out, err);
}

static bool halted(const ThModel *m, const ThTape *t, int length, ThModelHalted *to, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_chunks_halted(&l->chunks, &l->encoder, &l->thinker, t, length, to, err);
}

static const char *changed(const ThOptions *o)
{
    const char *position = th_option_text(o, "position");
    if (strcmp(position, "learned") == 0 || strcmp(position, "sinusoidal") == 0)
        return "positions went on from chunk to chunk";
    return th_option_flag(o, "causal") ? "an answer depended on how many symbols follow" : NULL;
}

const ThModelKind th_model_gutlb = {
    .name = "gutlb",
    .summary = "gated_universal within tlb: each chunk halts by itself",
    .source = "Ray Chowdhury and Caragea 2024, section 3",
    .detail =
        "As tlb, but instead of layers there is one block with a gate, which is applied to a chunk "
        "until that has given away threshold= of its mass, steps= times at most; the memory reads "
        "the mean of its states. Decisions see the means of the chunk's states before and behind "
        "the block, with causal=yes those of the positions up to each, which then halts by itself. "
        "What ponder= makes of the loss is the mean over chunks. The paper uses steps=5 "
        "ponder=0.1 and else what it uses for tlb.",
    .changed = changed,
    .options = options,
    .check = th_model_chunks_check,
    .bind = bind,
    .reads_pairs = true,
    .forward = forward,
    .trace = trace,
    .halted = halted,
};
