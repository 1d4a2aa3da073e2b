/* config.json, in which Hugging Face's files have what their tensors do not tell. */
#include <unistd.h>

#include "base/file.h"
#include "formats/models/exchange_impl.h"
#include "formats/models/metadata.h"

/* A key of a kind of load, and the option that it is; or what it has to be where it is there. */
static const struct {
    const char *kind, *key, *option, *must;
} keys[] = {
    {"gpt2", "n_head", "heads", NULL},
    {"gpt2", "activation_function", "activation", NULL},
    {"gpt2", "layer_norm_epsilon", NULL, "1e-05"},
    {"gpt2", "scale_attn_by_inverse_layer_idx", NULL, "false"},
    {"gpt2", "scale_attn_weights", NULL, "true"},
    {"gpt_neox", "num_attention_heads", "heads", NULL},
    {"gpt_neox", "hidden_act", "activation", NULL},
    {"gpt_neox", "rotary_pct", "rotary_fraction", NULL},
    {"gpt_neox", "rotary_emb_base", "base", NULL},
    {"gpt_neox", "use_parallel_residual", "block", NULL},
    {"gpt_neox", "layer_norm_eps", NULL, "1e-05"},
    {"gpt_neox", "rope_scaling", NULL, "null"},
    {"llama", "num_attention_heads", "heads", NULL},
    {"llama", "hidden_act", NULL, "silu"},
    {"llama", "rms_norm_eps", "norm_epsilon", NULL},
    {"llama", "rope_theta", "base", NULL},
    {"llama", "rope_parameters.rope_theta", "base", NULL},
    {"llama", "rope_parameters.rope_type", NULL, "default"},
    {"llama", "rope_scaling.rope_type", NULL, "default"},
    {"llama", "rope_scaling.type", NULL, "default"},
    {"llama", "partial_rotary_factor", NULL, "1"},
    {"llama", "sliding_window", NULL, "null"},
    {"llama", "attention_bias", NULL, "false"},
    {"llama", "mlp_bias", NULL, "false"},
    {"mamba", "hidden_act", NULL, "silu"},
    {"mamba", "layer_norm_epsilon", "norm_epsilon", NULL},
    {"mamba", "use_bias", NULL, "false"},
    {"mamba", "rms_norm", NULL, "true"},
    {"delta_net", "norm_eps", "norm_epsilon", NULL},
    {"delta_net", "allow_neg_eigval", "eigenvalues", NULL},
    {"delta_net", "qk_norm", NULL, "l2"},
    {"delta_net", "qk_activation", NULL, "silu"},
    {"delta_net", "expand_k", NULL, "1"},
    {"delta_net", "expand_v", NULL, "1"},
    {"delta_net", "hidden_act", NULL, "swish"},
    {"delta_net", "conv_bias", NULL, "false"},
    {"delta_net", "attn", NULL, "null"},
};

/* Names of values of an option there and here. */
static const char *const values[][3] = {{"activation", "gelu_new", "gelu_tanh"},
                                        {"activation", "gelu_pytorch_tanh", "gelu_tanh"},
                                        {"activation", "gelu_fast", "gelu_tanh"},
                                        {"block", "true", "neox"},
                                        {"block", "false", "gpt2"},
                                        {"eigenvalues", "true", "signed"},
                                        {"eigenvalues", "false", "positive"}};

static ThFormatShownName text_of(const json_t *value)
{
    ThFormatShownName v;
    if (json_is_string(value))
        return th_format_shown_name(json_string_value(value));
    if (json_is_number(value))
        snprintf(v.text, sizeof v.text, "%g", json_number_value(value));
    else
        snprintf(v.text, sizeof v.text, "%s",
                 json_is_true(value)    ? "true"
                 : json_is_false(value) ? "false"
                 : json_is_null(value)  ? "null"
                                        : "something else");
    return v;
}

static bool follow(const char *path, size_t i, const json_t *value, ThOptions *o, ThError *err)
{
    ThFormatShownName v = text_of(value);
    const char *name = v.text;
    if (keys[i].must)
        return strcmp(name, keys[i].must) == 0 ||
               th_fail(err, TH_EVALUE, "%s: %s is %s, and only %s is known here", path, keys[i].key,
                       name, keys[i].must);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (strcmp(values[k][0], keys[i].option) == 0 && strcmp(values[k][1], v.text) == 0)
            name = values[k][2];
    ThError own = {0};
    return th_options_set(o, keys[i].option, name, &own) ||
           th_fail(err, own.code, "%s: %s: %s", path, keys[i].key, own.msg);
}

/* A view of the value of "key" or "object.key", or NULL. */
static const json_t *member(const json_t *all, const char *key)
{
    char outer[64];
    const char *dot = strchr(key, '.');
    if (!dot)
        return json_object_get(all, key);
    snprintf(outer, sizeof outer, "%.*s", (int)(dot - key), key);
    return json_object_get(json_object_get(all, outer), dot + 1);
}

static bool read_keys(const ThFormatImport *in, const char *path, ThOptions *o, ThError *err)
{
    enum { MOST = 1 << 20 };
    size_t n;
    char *text TH_OWNED(free) = th_file_read(path, MOST, &n, err);
    if (!text)
        return false;
    json_t *all = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
    bool ok = json_is_object(all) || th_fail(err, TH_EPARSE, "%s is not valid JSON", path);
    for (size_t i = 0; ok && i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = member(all, keys[i].key);
        if (value && strcmp(keys[i].kind, in->layout->kind) == 0)
            ok = follow(path, i, value, o, err);
    }
    json_decref(all);
    return ok;
}

bool th_format_exchange_config(const ThFormatImport *in, ThOptions *o, ThError *err)
{
    const char *slash = strrchr(in->path, '/');
    ThText t = {0};
    if (slash)
        th_text_add_bytes(&t, in->path, (size_t)(slash - in->path) + 1);
    th_text_add(&t, "config.json");
    char *path TH_OWNED(free) = th_text_take(&t, err);
    return path && (access(path, F_OK) != 0 || read_keys(in, path, o, err));
}
