/* The Temporal Latent Bottleneck (Didolkar et al. 2022) as Ray Chowdhury and Caragea 2024, section
 * 2.3, have it: a string is read in chunks, whose symbols attend to each other and to a memory of a
 * few slots; then the memory reads the chunk. */

#include "models/halting/chunks_trace.h"

static const ThOptionSpec options[] = {
    TH_MODEL_ENCODER_OPTIONS("no"),
    {"layers", TH_INT, "2", 1, TH_POSITION_LAYERS, NULL,
     "layers that a chunk goes through, each with weights of its own"},
    TH_MODEL_CHUNK_OPTIONS,
#include "models/position/position_options.def"
};

typedef struct {
    ThModelEncoder encoder;
    ThModelChunks chunks;
} Layout;

/* The rows of a chunk after all layers, each of which reads the same memory. */
static ThVar read_chunk(const Layout *l, ThTape *t, const ThModelChunk *k, ThVar memory,
                        const ThModelForward *how)
{
    int layers = l->encoder.attention.layers, steps = th_model_chunk_steps(&l->chunks, layers);
    ThModelApplication a = {.strings = k->strings, .h = k->x, .from = -1, .rng = how->rng};
    for (int i = 0; i < layers; i++) {
        a.tag = k->number * steps + i;
        a.memory_tag = a.tag + layers;
        a.memory = th_model_cross_keys(t, &l->encoder.block[i].memory, memory);
        a.h = th_model_encoder_apply(&l->encoder, t, i, &a);
        a.h = th_tape_note(t, a.h, "chunk", a.tag);
    }
    return a.h;
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    int layers = l->encoder.attention.layers, steps = th_model_chunk_steps(&l->chunks, layers);
    ThModelReading r = {.m = m, .c = &l->chunks, .e = &l->encoder, .t = t, .rng = how->rng};
    ThModelChunk k;
    r.x = th_model_encoder_read(&l->encoder, t, m, b, how, &r.strings, NULL);
    if (r.x < 0 || !th_model_reading_begin(&r))
        return -1;
    for (int c = 0; th_model_reading_next(&r, c, &k); c++) {
        ThVar memory = th_model_reading_recall(&r, &k);
        ThVar made = read_chunk(l, t, &k, memory, how);
        if (!th_model_reading_store(&r, &k, c * steps + 2 * layers, memory, made))
            return -1;
    }
    return th_model_reading_answer(&r);
}

static bool bind(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    int layers = (int)th_option_int(&m->options, "layers");
    th_model_encoder_begin(&l->encoder, &b, layers, 0.02);
    l->encoder.anew = true;
    for (b.layer = 0; b.layer < layers; b.layer++)
        th_model_encoder_block(&l->encoder, &b, true, false);
    th_model_chunks_build(&l->chunks, &b, l->encoder.attention.dim);
    th_model_encoder_end(&l->encoder, &b);
    return !b.failed;
}

static bool trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_chunks_trace(&l->chunks, &l->encoder, l->encoder.attention.layers, t, length,
                                 out, err);
}

static const char *changed(const ThOptions *o)
{
    const char *position = th_option_text(o, "position");
    bool added = strcmp(position, "learned") == 0 || strcmp(position, "sinusoidal") == 0;
    return added ? "positions went on from chunk to chunk" : NULL;
}

const ThModelKind th_model_tlb = {
    .name = "tlb",
    .summary = "Temporal Latent Bottleneck: chunks of symbols with a memory of slots between them",
    .source = "Didolkar et al. 2022; Ray Chowdhury and Caragea 2024, section 2",
    .detail = "A string is cut into chunks of chunk= symbols. A chunk goes through layers= layers; "
              "in each its symbols attend to each other, then to the slots of a memory, then comes "
              "a feed-forward layer. Behind the chunk the slots attend to what it has become. One "
              "answer a string is read from the slots after the last chunk; answers at every "
              "position, with causal=yes, are the rows of the chunks. Positions begin anew in "
              "every chunk; with ends=yes the start and end symbols take places in theirs.\n\n"
              "attention shows two layers for each layer, what symbols read of their chunk and of "
              "the slots (the pads), and then the slots as rows, one set behind every chunk. The "
              "paper uses dim=512 heads=8 layers=2 with chunk=20 slots=20 for ListOps and chunk=10 "
              "slots=10 for logical inference.",
    .changed = changed,
    .options = options,
    .check = th_model_chunks_check,
    .bind = bind,
    .reads_pairs = true,
    .forward = forward,
    .trace = trace,
};
