/* One block, applied again and again, and a small network that says when that is enough: the
 * Universal Transformer (Dehghani et al. 2019), and its gated form with one decision a string; and
 * blocks that are applied once each, the Transformer that they are compared with (Ray Chowdhury and
 * Caragea 2024, sections 2 and 3). */

#include "models/halting/halting.h"
#include "models/attention/sentence_pairs.h"
#include "models/halting/shared_block_trace.h"
#include "models/halting/ponder.h"

#define POOL_OPTION(pooled)                                                                        \
    TH_MODEL_OPTION("pool", TH_CHOICE, pooled, 0, 0, "mean|end",                                   \
                    "what one answer a string is read from: the mean, or the last position")

#define UNIVERSAL_OPTIONS(halting, gated, moved, pooled)                                           \
    TH_MODEL_ENCODER_OPTIONS("yes"), TH_MODEL_THINK_OPTIONS("6", moved),                           \
        TH_MODEL_OPTION(                                                                           \
            "halt", TH_CHOICE, halting, 0, 0, "none|token|global",                                 \
            "what stops: nothing before steps=, every position by itself, or the string"),         \
        TH_MODEL_OPTION("gate", TH_FLAG, gated, 0, 0, NULL,                                        \
                        "whether a gate chooses between what the block makes and what it read"),   \
        POOL_OPTION(pooled)

/* Begins with what is the encoder's own. */
typedef struct {
    ThModelEncoder encoder;
    ThModelThinker thinker;
    int pool;
} Layout;

static bool check_universal(const ThOptions *o, ThError *err)
{
    return th_model_encoder_check(o, true, err);
}

static bool check_encoder(const ThOptions *o, ThError *err)
{
    return th_model_encoder_check(o, false, err);
}

/* ---- forward ---- */

/* From all rows of strings, or for s NULL from those of the answers. */
static ThVar answer(const Layout *l, const ThModel *m, ThTape *t, const ThModelStrings *s, ThVar x)
{
    x = th_model_encoder_finish(&l->encoder, t, x);
    if (s && m->signature.target == TH_TARGET_FINAL)
        x = th_model_encoder_pool(t, s, x, l->pool);
    return th_model_encoder_answer(&l->encoder, t, m, x);
}

/* Of the vectors of one string, ends included. */
static ThVar answer_string(const ThModel *m, ThTape *t, ThVar x)
{
    int rows = th_tape_rows(t, x);
    return answer(m->layout, m, t, &(ThModelStrings){.B = 1, .T = rows, .length = &rows}, x);
}

static ThVar forward_universal(const ThModel *m, ThTape *t, const ThBatch *b,
                               const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThModelCopies of;
    ThModelThought about = {.memory = -1, .name = "state", .rng = how->rng};
    about.x = th_model_encoder_read(&l->encoder, t, m, b, how, &about.strings, &of);
    about.of = &of;
    float *price = th_tape_take(t, 2 * (size_t)b->B, sizeof *price);
    if (about.x < 0 || !price)
        return -1;
    for (int i = 0; i < about.strings.B; i++)
        price[i] = m->signature.pairs ? 0.5f : 1;
    about.price = price;
    bool one = m->signature.target == TH_TARGET_FINAL && l->pool == TH_MODEL_POOL_END;
    if (one && th_model_thinks_by_string(&l->thinker, &l->encoder))
        about.wanted = th_model_encoder_last(t, &about.strings);
    ThVar cost = -1, x = th_model_think(&l->thinker, &l->encoder, t, &about, &cost);
    if (cost >= 0)
        th_tape_tag(t, cost, "cost", -1);
    return answer(l, m, t, about.wanted ? NULL : &about.strings, x);
}

static ThVar forward_encoder(const ThModel *m, ThTape *t, const ThBatch *b,
                             const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThModelApplication a = {.from = -1, .memory = -1, .rng = how->rng};
    ThModelCopies of;
    a.h = th_model_encoder_read(&l->encoder, t, m, b, how, &a.strings, &of);
    for (a.tag = 0; a.h >= 0 && a.tag < l->encoder.attention.layers; a.tag++) {
        a.of = a.tag == 0 ? &of : NULL;
        a.h = th_model_encoder_apply(&l->encoder, t, a.tag, &a);
        a.h = th_tape_tag(t, a.h, "state", a.tag);
    }
    return answer(l, m, t, &a.strings, a.h);
}

/* ---- parameters ---- */

static bool bind_universal(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    l->pool = th_option_choice(o, "pool");
    th_model_encoder_begin(&l->encoder, &b, 1, 0.02);
    th_model_encoder_block(&l->encoder, &b, false, th_option_flag(o, "gate"));
    th_model_thinker_build(&l->thinker, &b, th_option_choice(o, "halt"), l->encoder.attention.dim);
    th_model_encoder_end(&l->encoder, &b);
    return !b.failed;
}

static bool bind_encoder(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    int layers = (int)th_option_int(&m->options, "layers");
    l->pool = th_option_choice(&m->options, "pool");
    th_model_encoder_begin(&l->encoder, &b, layers, 0.02);
    for (b.layer = 0; b.layer < layers; b.layer++)
        th_model_encoder_block(&l->encoder, &b, false, false);
    b.layer = -1;
    th_model_encoder_end(&l->encoder, &b);
    return !b.failed;
}

/* ---- inspection ---- */

static bool halted(const ThModel *m, const ThTape *t, int length, ThModelHalted *to, ThError *err)
{
    const Layout *l = m->layout;
    bool one = th_model_thinks_by_string(&l->thinker, &l->encoder);
    int ends = l->encoder.ends < 0 ? 0 : 1, of[2], strings = th_model_sides_read(t, length, of);
    int longest = of[1] > of[0] ? of[1] : of[0], rows = longest + (longest == 0) + 2 * ends;
    if (!th_model_halted_begin(to, one ? strings : strings * rows, l->thinker.steps, err))
        return false;
    for (int i = 0; i < strings; i++) {
        int own = of[i] + 2 * ends;
        th_model_halted_add(to, t,
                            &(ThModelHaltedPart){.from = one ? i : i * rows,
                                                 .n = one ? 1 : own,
                                                 .position = i * (of[0] + 1) - ends,
                                                 .wide = one ? own : 1});
    }
    return true;
}

static const ThOptionSpec universal_options[] = {
    UNIVERSAL_OPTIONS("token", "no", "no", "mean"),
#include "models/position/position_options.def"
};

enum { HALT_NONE }; /* halt= */

static const char *changed(const ThOptions *o)
{
    if (th_option_flag(o, "causal"))
        return "an answer depended on how many symbols follow";
    return th_option_choice(o, "halt") == HALT_NONE ? "short strings got fewer steps" : NULL;
}

#define UNIVERSAL_KIND                                                                             \
    .changed = changed, .check = check_universal, .bind = bind_universal, .reads_pairs = true,     \
    .forward = forward_universal, .answer = answer_string, .trace = th_model_steps_trace,          \
    .halted = halted

const ThModelKind th_model_universal = {
    .name = "universal",
    .summary = "Universal Transformer: one block again and again, each position halts by itself",
    .source = "Dehghani et al. 2019; Graves 2016; Ray Chowdhury and Caragea 2024, section 2",
    .detail =
        "A block of attention and a feed-forward layer, with layer norm before each, is applied to "
        "a string until a small network says stop, steps= times at most. Before each application a "
        "position gives some of a mass of 1 to its state; its result is the mean of its states by "
        "what they got. Others see the mean so far. Once it has given away threshold=, it stays as "
        "it is. ponder= times the mean number of applications is added to the loss, so that the "
        "model does not go on for nothing. halt=none applies the block steps= times.\n\n"
        "For one answer a string there is a start symbol before it and an end symbol behind it. "
        "The paper uses dim=512 heads=8 steps=10 ponder=0.1.",
    .options = universal_options,
    UNIVERSAL_KIND,
};

static const ThOptionSpec gated_options[] = {
    UNIVERSAL_OPTIONS("global", "yes", "yes", "end"),
#include "models/position/position_options.def"
};

const ThModelKind th_model_gated_universal = {
    .name = "gated_universal",
    .summary = "Universal Transformer with a gate, which halts for the whole string at once",
    .source = "Ray Chowdhury and Caragea 2024, section 3",
    .detail = "As universal, but a gate chooses between what the block makes and what it read, the "
              "decision to stop is one for the string, by the means of its states before and "
              "behind the block, and the answer is read at the end symbol. halt=token, gate=no and "
              "transition=no take one of these away each. With causal=yes the means are those of "
              "the positions up to each, which then halts by itself.",
    .options = gated_options,
    UNIVERSAL_KIND,
};

static const ThOptionSpec encoder_options[] = {
    TH_MODEL_ENCODER_OPTIONS("yes"),
    {"layers", TH_INT, "2", 1, TH_POSITION_LAYERS, NULL, "layers, each with weights of its own"},
    POOL_OPTION("mean"),
#include "models/position/position_options.def"
};

/* Positions that are drawn were not those that vectors are added for. */
static const char *encoder_changed(const ThOptions *o)
{
    const char *over = strcmp(th_option_text(o, "position"), "random") == 0
                           ? th_option_text_or(o, "base_position", "none")
                           : "";
    bool added = strcmp(over, "learned") == 0 || strcmp(over, "sinusoidal") == 0;
    return added ? "no positions were drawn" : NULL;
}

const ThModelKind th_model_encoder = {
    .name = "encoder",
    .summary = "Transformer encoder with layer norm before each part, xPos and a pooled answer",
    .source = "Ray Chowdhury and Caragea 2024, section 2; Sun et al. 2022",
    .detail = "What universal and tlb are compared with: layers= blocks of attention and a "
              "feed-forward layer with GELU, each with weights of its own. For one answer a string "
              "there is a start symbol before it and an end symbol behind it, and the mean of all "
              "positions is looked at. Pairs of strings are read by the same layers and then "
              "compared. The paper uses dim=512 heads=8 layers=4.",
    .changed = encoder_changed,
    .options = encoder_options,
    .check = check_encoder,
    .bind = bind_encoder,
    .reads_pairs = true,
    .forward = forward_encoder,
    .answer = answer_string,
    .trace = th_model_steps_trace,
};
