/* What tensors of other programs are called, how they lie, and what they are here: rows, as
 * the state dicts of the modules say.  A name is what is left of it behind the prefix of a
 * role: net, embedding, positions, hidden, head. */
#include "formats/models/exchange.h"

enum {
    TURNED = TH_FORMAT_TURNED,
    LACKS = TH_FORMAT_MAY_LACK,
    ADDED = TH_FORMAT_ADDED | LACKS,
    TAPS = TH_FORMAT_TAPS,
    PART = TH_FORMAT_ADDED | TH_FORMAT_APART
};

static const ThFormatRow read_out[] = {
    {"head_hidden", "hidden.weight", "(u, h)", NULL, TURNED | LACKS},
    {"head_hidden_bias", "hidden.bias", "(u)", NULL, TURNED | LACKS},
    {"head", "head.weight", "(classes, h or u)", NULL, TURNED | TH_FORMAT_CLASSES},
    {"head_bias", "head.bias", "(classes)", NULL, TURNED | LACKS | TH_FORMAT_CLASSES},
    {0}};

static const ThFormatRow rnn[] = {
    {"input", "net.weight_ih_l0", "(h, inputs)", NULL, TURNED | TH_FORMAT_EMBEDDED},
    {"layer%d.input", "net.weight_ih_l%d", "(h, h)", NULL, TURNED | TH_FORMAT_ABOVE},
    {"layer%d.input_bias", "net.bias_ih_l%d", "(h)", NULL, TURNED | LACKS},
    {"layer%d.recurrent", "net.weight_hh_l%d", "(h, h)", NULL, TURNED},
    {"layer%d.recurrent_bias", "net.bias_hh_l%d", "(h)", NULL, TURNED | LACKS},
    {0}};

/* Gates i, f, g, o there and i, g, f, o here. */
static const ThFormatRow lstm[] = {
    {"input", "net.weight_ih_l0", "(4 h, inputs)", "0213/4", TURNED | TH_FORMAT_EMBEDDED},
    {"layer%d.input", "net.weight_ih_l%d", "(4 h, h)", "0213/4", TURNED | TH_FORMAT_ABOVE},
    {"layer%d.recurrent", "net.weight_hh_l%d", "(4 h, h)", "0213/4", TURNED},
    {"layer%d.bias", "net.bias_ih_l%d", "(4 h)", "0213/4", TURNED | LACKS | TH_FORMAT_FORGET},
    {"layer%d.bias", "net.bias_hh_l%d", "(4 h)", "0213/4", TURNED | ADDED},
    {0}};

/* Gates r, z, n there and z, r, n here, where z is 1 - z. */
static const ThFormatRow gru[] = {
    {"input", "net.weight_ih_l0", "(3 h, inputs)", "-102/3", TURNED | TH_FORMAT_EMBEDDED},
    {"layer%d.input", "net.weight_ih_l%d", "(3 h, h)", "-102/3", TURNED | TH_FORMAT_ABOVE},
    {"layer%d.recurrent", "net.weight_hh_l%d", "(3 h, h)", "-102/3", TURNED},
    {"layer%d.input_bias", "net.bias_ih_l%d", "(3 h)", "-102/3", TURNED | LACKS},
    {"layer%d.input_bias", "net.bias_hh_l%d", "(3 h)", "-10./3", TURNED | ADDED},
    {"layer%d.candidate_bias", "net.bias_hh_l%d", "(3 h)", "2/3", TURNED | LACKS},
    {0}};

static const ThFormatRow embedded[] = {
    {"embedding", "embedding.weight", "(symbols, d)", NULL, TH_FORMAT_SYMBOLS},
    {"position", "positions.weight", "(positions, d)", NULL, LACKS},
    {0}};

static const ThFormatRow encoder[] = {
    {"layer%d.attention.query", "net.layers.%d.self_attn.in_proj_weight", "(3 d, d)", "0/3",
     TURNED},
    {"layer%d.attention.key_value", "net.layers.%d.self_attn.in_proj_weight", "(3 d, d)", "12/3",
     TURNED},
    {"layer%d.attention.query_bias", "net.layers.%d.self_attn.in_proj_bias", "(3 d)", "0/3",
     TURNED | LACKS},
    {"layer%d.attention.key_value_bias", "net.layers.%d.self_attn.in_proj_bias", "(3 d)", "12/3",
     TURNED | LACKS},
    {"layer%d.attention.output", "net.layers.%d.self_attn.out_proj.weight", "(d, d)", NULL, TURNED},
    {"layer%d.attention.output_bias", "net.layers.%d.self_attn.out_proj.bias", "(d)", NULL,
     TURNED | LACKS},
    {"layer%d.feed_forward.up", "net.layers.%d.linear1.weight", "(f, d)", NULL, TURNED},
    {"layer%d.feed_forward.up_bias", "net.layers.%d.linear1.bias", "(f)", NULL, TURNED | LACKS},
    {"layer%d.feed_forward.down", "net.layers.%d.linear2.weight", "(d, f)", NULL, TURNED},
    {"layer%d.feed_forward.down_bias", "net.layers.%d.linear2.bias", "(d)", NULL, TURNED | LACKS},
    {"layer%d.norm1.gain", "net.layers.%d.norm1.weight", "(d)", NULL, TURNED},
    {"layer%d.norm1.offset", "net.layers.%d.norm1.bias", "(d)", NULL, TURNED | LACKS},
    {"layer%d.norm2.gain", "net.layers.%d.norm2.weight", "(d)", NULL, TURNED},
    {"layer%d.norm2.offset", "net.layers.%d.norm2.bias", "(d)", NULL, TURNED | LACKS},
    {"final_norm.gain", "net.norm.weight", "(d)", NULL, TURNED},
    {"final_norm.offset", "net.norm.bias", "(d)", NULL, TURNED | LACKS},
    {0}};

/* Matrices lie (in, out) here. */
static const ThFormatRow gpt2[] = {
    {"embedding", "net.wte.weight", "(symbols, d)", NULL, TH_FORMAT_SYMBOLS},
    {"position", "net.wpe.weight", "(positions, d)", NULL, 0},
    {"layer%d.attention.query", "net.h.%d.attn.c_attn.weight", "(d, 3 d)", "0/3", 0},
    {"layer%d.attention.key_value", "net.h.%d.attn.c_attn.weight", "(d, 3 d)", "12/3", 0},
    {"layer%d.attention.query_bias", "net.h.%d.attn.c_attn.bias", "(3 d)", "0/3", TURNED},
    {"layer%d.attention.key_value_bias", "net.h.%d.attn.c_attn.bias", "(3 d)", "12/3", TURNED},
    {"layer%d.attention.output", "net.h.%d.attn.c_proj.weight", "(d, d)", NULL, 0},
    {"layer%d.attention.output_bias", "net.h.%d.attn.c_proj.bias", "(d)", NULL, TURNED},
    {"layer%d.feed_forward.up", "net.h.%d.mlp.c_fc.weight", "(d, f)", NULL, 0},
    {"layer%d.feed_forward.up_bias", "net.h.%d.mlp.c_fc.bias", "(f)", NULL, TURNED},
    {"layer%d.feed_forward.down", "net.h.%d.mlp.c_proj.weight", "(f, d)", NULL, 0},
    {"layer%d.feed_forward.down_bias", "net.h.%d.mlp.c_proj.bias", "(d)", NULL, TURNED},
    {"layer%d.norm1.gain", "net.h.%d.ln_1.weight", "(d)", NULL, TURNED},
    {"layer%d.norm1.offset", "net.h.%d.ln_1.bias", "(d)", NULL, TURNED},
    {"layer%d.norm2.gain", "net.h.%d.ln_2.weight", "(d)", NULL, TURNED},
    {"layer%d.norm2.offset", "net.h.%d.ln_2.bias", "(d)", NULL, TURNED},
    {"final_norm.gain", "net.ln_f.weight", "(d)", NULL, TURNED},
    {"final_norm.offset", "net.ln_f.bias", "(d)", NULL, TURNED},
    {0}};

/* Each head has its query, key and value beside each other. */
#define QKV "net.layers.%d.attention.query_key_value."
static const ThFormatRow neox[] = {
    {"embedding", "net.embed_in.weight", "(symbols, d)", NULL, TH_FORMAT_SYMBOLS},
    {"layer%d.attention.query", QKV "weight", "(3 d, d)", "0/3", TURNED | TH_FORMAT_HEADS},
    {"layer%d.attention.key_value", QKV "weight", "(3 d, d)", "12/3", TURNED | TH_FORMAT_HEADS},
    {"layer%d.attention.query_bias", QKV "bias", "(3 d)", "0/3", TURNED | TH_FORMAT_HEADS},
    {"layer%d.attention.key_value_bias", QKV "bias", "(3 d)", "12/3", TURNED | TH_FORMAT_HEADS},
    {"layer%d.attention.output", "net.layers.%d.attention.dense.weight", "(d, d)", NULL, TURNED},
    {"layer%d.attention.output_bias", "net.layers.%d.attention.dense.bias", "(d)", NULL, TURNED},
    {"layer%d.feed_forward.up", "net.layers.%d.mlp.dense_h_to_4h.weight", "(f, d)", NULL, TURNED},
    {"layer%d.feed_forward.up_bias", "net.layers.%d.mlp.dense_h_to_4h.bias", "(f)", NULL, TURNED},
    {"layer%d.feed_forward.down", "net.layers.%d.mlp.dense_4h_to_h.weight", "(d, f)", NULL, TURNED},
    {"layer%d.feed_forward.down_bias", "net.layers.%d.mlp.dense_4h_to_h.bias", "(d)", NULL, TURNED},
    {"layer%d.norm1.gain", "net.layers.%d.input_layernorm.weight", "(d)", NULL, TURNED},
    {"layer%d.norm1.offset", "net.layers.%d.input_layernorm.bias", "(d)", NULL, TURNED},
    {"layer%d.norm2.gain", "net.layers.%d.post_attention_layernorm.weight", "(d)", NULL, TURNED},
    {"layer%d.norm2.offset", "net.layers.%d.post_attention_layernorm.bias", "(d)", NULL, TURNED},
    {"final_norm.gain", "net.final_layer_norm.weight", "(d)", NULL, TURNED},
    {"final_norm.offset", "net.final_layer_norm.bias", "(d)", NULL, TURNED},
    {0}};

/* Keys and values of fewer heads than queries serve several each. */
#define LLAMA "net.layers.%d."
static const ThFormatRow llama[] = {
    {"embedding", "net.embed_tokens.weight", "(symbols, d)", NULL, TH_FORMAT_SYMBOLS},
    {"layer%d.attention.query", LLAMA "self_attn.q_proj.weight", "(d, d)", NULL, TURNED},
    {"layer%d.attention.key_value", LLAMA "self_attn.k_proj.weight", "(d, d), or fewer heads",
     "0./1", TURNED | TH_FORMAT_GROUPS},
    {"layer%d.attention.key_value", LLAMA "self_attn.v_proj.weight", "(d, d), or fewer heads",
     ".0/1", TURNED | TH_FORMAT_GROUPS | PART},
    {"layer%d.attention.output", LLAMA "self_attn.o_proj.weight", "(d, d)", NULL, TURNED},
    {"layer%d.feed_forward.gate", LLAMA "mlp.gate_proj.weight", "(f, d)", NULL, TURNED},
    {"layer%d.feed_forward.up", LLAMA "mlp.up_proj.weight", "(f, d)", NULL, TURNED},
    {"layer%d.feed_forward.down", LLAMA "mlp.down_proj.weight", "(d, f)", NULL, TURNED},
    {"layer%d.norm1.gain", LLAMA "input_layernorm.weight", "(d)", NULL, TURNED},
    {"layer%d.norm2.gain", LLAMA "post_attention_layernorm.weight", "(d)", NULL, TURNED},
    {"final_norm.gain", "net.norm.weight", "(d)", NULL, TURNED},
    {0}};

/* Of a convolution's kernel the last column is for the symbol itself. */
#define MIXER "net.layers.%d.mixer."
static const ThFormatRow mamba[] = {
    {"layer%d.input", MIXER "in_proj.weight", "(2 e, d)", "0/2", TURNED},
    {"layer%d.gate", MIXER "in_proj.weight", "(2 e, d)", "1/2", TURNED},
    {"layer%d.convolution", MIXER "conv1d.weight", "(e, 1, 4)", NULL, TURNED | TAPS},
    {"layer%d.convolution_bias", MIXER "conv1d.bias", "(e)", NULL, TURNED | LACKS},
    {"layer%d.select", MIXER "x_proj.weight", "(r + 2 n, e)", NULL, TURNED},
    {"layer%d.time", MIXER "dt_proj.weight", "(e, r)", NULL, TURNED},
    {"layer%d.time_bias", MIXER "dt_proj.bias", "(e)", NULL, TURNED},
    {"layer%d.decay", MIXER "A_log", "(e, n)", NULL, TURNED},
    {"layer%d.skip", MIXER "D", "(e)", NULL, TURNED},
    {"layer%d.output", MIXER "out_proj.weight", "(d, e)", NULL, TURNED},
    {"layer%d.norm.gain", "net.layers.%d.norm.weight", "(d)", NULL, TURNED},
    {"final_norm.gain", "net.norm_f.weight", "(d)", NULL, TURNED},
    {0}};

/* Of s corrections a symbol; rows step, head, component. */
#define DELTA "net.layers.%d.attn."
static const ThFormatRow delta[] = {
    {"layer%d.query", DELTA "q_proj.weight", "(d, d)", NULL, TURNED},
    {"layer%d.key", DELTA "k_proj.weight", "(s d, d)", NULL, TURNED},
    {"layer%d.value", DELTA "v_proj.weight", "(s d, d)", NULL, TURNED},
    {"layer%d.rate", DELTA "b_proj.weight", "(s heads, d)", NULL, TURNED},
    {"layer%d.convolution", DELTA "q_conv1d.weight", "(d, 1, 4)", "q", TURNED | TAPS},
    {"layer%d.convolution", DELTA "k_conv1d.weight", "(s d, 1, 4)", "k", TURNED | TAPS | PART},
    {"layer%d.convolution", DELTA "v_conv1d.weight", "(s d, 1, 4)", "v", TURNED | TAPS | PART},
    {"layer%d.decay", DELTA "A_log", "(heads)", NULL, TURNED},
    {"layer%d.time", DELTA "a_proj.weight", "(heads, d)", NULL, TURNED},
    {"layer%d.time_bias", DELTA "dt_bias", "(heads)", NULL, TURNED},
    {"layer%d.gate", DELTA "g_proj.weight", "(d, d)", NULL, TURNED},
    {"layer%d.read.gain", DELTA "o_norm.weight", "(d / heads)", NULL, TURNED},
    {"layer%d.output", DELTA "o_proj.weight", "(d, d)", NULL, TURNED},
    {"layer%d.norm.gain", "net.layers.%d.attn_norm.weight", "(d)", NULL, TURNED},
    {"layer%d.norm2.gain", "net.layers.%d.mlp_norm.weight", "(d)", NULL, TURNED},
    {"layer%d.feed_forward.gate", "net.layers.%d.mlp.gate_proj.weight", "(f, d)", NULL, TURNED},
    {"layer%d.feed_forward.up", "net.layers.%d.mlp.up_proj.weight", "(f, d)", NULL, TURNED},
    {"layer%d.feed_forward.down", "net.layers.%d.mlp.down_proj.weight", "(d, f)", NULL, TURNED},
    {"final_norm.gain", "net.norm.weight", "(d)", NULL, TURNED},
    {0}};

/* What the authors' code of Fan et al. 2024 saves, block_model.py and arithmetic.py. */
#define BLOCK "net.layers.%d."
static const ThFormatRow lrnn[] = {
    {"embedding", "embedding.weight", "(symbols, d)", NULL, TH_FORMAT_SYMBOLS},
    {"layer%d.norm.gain", "net.ln.%d.weight", "(d)", NULL, TURNED},
    {"layer%d.norm.offset", "net.ln.%d.bias", "(d)", NULL, TURNED},
    {"layer%d.transition.up", BLOCK "gen_block.0.weight", "(d b, d)", NULL, TURNED},
    {"layer%d.transition.up_bias", BLOCK "gen_block.0.bias", "(d b)", NULL, TURNED},
    {"layer%d.transition.blocks", BLOCK "gen_block.2.weight", "(d b, d b)", NULL, TURNED},
    {"layer%d.transition.blocks_bias", BLOCK "gen_block.2.bias", "(d b)", NULL, TURNED},
    {"layer%d.value.up", BLOCK "gen_value.0.weight", "(d, d)", NULL, TURNED},
    {"layer%d.value.up_bias", BLOCK "gen_value.0.bias", "(d)", NULL, TURNED},
    {"layer%d.value.down", BLOCK "gen_value.2.weight", "(d, d)", NULL, TURNED},
    {"layer%d.value.down_bias", BLOCK "gen_value.2.bias", "(d)", NULL, TURNED},
    {"layer%d.start", BLOCK "a0", "(1 x d/b x b)", NULL, TURNED},
    {"final_norm.gain", "net.ln_final.weight", "(d)", NULL, TURNED},
    {"final_norm.offset", "net.ln_final.bias", "(d)", NULL, TURNED},
    {"head", "hidden.weight", "(d, d)", NULL, TURNED},
    {"head_bias", "hidden.bias", "(d)", NULL, TURNED},
    {"answer", "head.weight", "(classes, d)", NULL, TURNED | TH_FORMAT_CLASSES},
    {"answer_bias", "head.bias", "(classes)", NULL, TURNED | TH_FORMAT_CLASSES},
    {0}};

static const ThFormatRow answers[] = {
    {"embedding", "embedding.weight", "(symbols, d)", NULL, TH_FORMAT_SYMBOLS},
    {"answer", "head.weight", "(classes, d)", NULL, TURNED | TH_FORMAT_CLASSES},
    {"answer_bias", "head.bias", "(classes)", NULL, TURNED | LACKS | TH_FORMAT_CLASSES},
    {0}};

static const ThFormatRow classes[] = {
    {"head", "head.weight", "(classes, d)", NULL, TURNED | TH_FORMAT_CLASSES},
    {"head_bias", "head.bias", "(classes)", NULL, TURNED | LACKS | TH_FORMAT_CLASSES},
    {0}};

#define LISTS(...)                                                                                 \
    (const ThFormatRow *const[])                                                                   \
    {                                                                                              \
        __VA_ARGS__, read_out, NULL                                                                \
    }
#define DECODES(...)                                                                               \
    (const ThFormatRow *const[])                                                                   \
    {                                                                                              \
        __VA_ARGS__, classes, NULL                                                                 \
    }
#define OUT "norm=before causal=yes scale=no "
#define RECURS(...)                                                                                \
    (const ThFormatRow *const[])                                                                   \
    {                                                                                              \
        __VA_ARGS__, answers, NULL                                                                 \
    }
static const ThFormatLayout layouts[] = {
    {"rnn", "torch.nn.RNN", "rnn", "activation=tanh head=linear", "", ".weight_hh_l0", 1,
     LISTS(rnn)},
    {"lstm", "torch.nn.LSTM", "lstm", "forget=0 head=linear", "", ".weight_hh_l0", 4, LISTS(lstm)},
    {"gru", "torch.nn.GRU", "gru", "head=linear", "", ".weight_hh_l0", 3, LISTS(gru)},
    {"transformer_encoder", "torch.nn.TransformerEncoder", "gpt",
     "causal=no norm=after activation=relu final_norm=no",
     "block=gpt2 position=none|learned activation=-|gelu|relu",
     ".layers.0.self_attn.in_proj_weight", 0, DECODES(embedded, encoder)},
    {"gpt2", "GPT2Model", "gpt", "activation=gelu_tanh",
     OUT "block=gpt2 position=learned activation=gelu_tanh", ".h.0.attn.c_attn.weight", 0,
     DECODES(gpt2)},
    {"gpt_neox", "GPTNeoXModel", "gpt", "block=neox position=rope rotary_fraction=0.25",
     OUT "block=gpt2|neox position=rope rotary_pairs=-|halves",
     ".layers.0.attention.query_key_value.weight", 0, DECODES(neox)},
    {"llama", "LlamaModel", "gpt", "block=llama position=rope norm_epsilon=1e-6",
     OUT "block=llama position=rope rotary_pairs=-|halves", ".layers.0.self_attn.q_proj.weight", 0,
     DECODES(llama)},
    {"mamba", "MambaForCausalLM", "mamba", "decoder=yes",
     "decoder=yes eigenvalues=positive mlp_width=-", ".layers.0.mixer.in_proj.weight", 0,
     RECURS(mamba)},
    {"delta_net", "DeltaNet of flash-linear-attention", "deltanet",
     "decoder=yes eigenvalues=positive norm_epsilon=1e-6", "decoder=yes",
     ".layers.0.attn.q_proj.weight", 0, RECURS(delta)},
    {"lrnn", "code of Fan et al. 2024", "lrnn", "norm=code", NULL, ".layers.0.gen_block.0.weight",
     0, (const ThFormatRow *const[]){lrnn, NULL}},
};

const ThFormatLayout *th_format_layouts(size_t *n)
{
    *n = sizeof layouts / sizeof *layouts;
    return layouts;
}
