#include "formats/models/exchange.h"

#include <stdio.h>

#include "formats/models/exchange_impl.h"
#include "formats/models/metadata.h"
#include "formats/models/safetensors.h"
#include "models/ablation.h"

const ThOptionSpec th_format_exchange_options[] = {
    {"kind", TH_CHOICE, NULL, 0, 0,
     "rnn|lstm|gru|transformer_encoder|gpt2|gpt_neox|llama|mamba|delta_net|lrnn",
     "the tensors are those of PyTorch's module of this kind: help weights has their names"},
    {"symbols", TH_STRING, NULL, 0, 0, NULL,
     "with kind=: the alphabet in the order of its numbers there, a character each, or words with "
     "blanks between them"},
    {"first", TH_INT, "0", 0, 1 << 20, NULL,
     "with kind=: the number of the first symbol there, where others are for padding"},
    {"classes", TH_STRING, NULL, 0, 0, NULL,
     "with kind=: what is answered, words in the order of the head's rows"},
    {"answers", TH_CHOICE, "final", 0, 0, "final|every|next",
     "with kind=: one class for a string, behind its last symbol; one behind every symbol; next: "
     "the symbol that follows"},
    {"map", TH_STRING, NULL, 0, 0, NULL,
     "with kind=: a file of lines ROLE = NAME, for modules whose names do not tell: net, "
     "embedding, positions, hidden, head"},
    {"ignore", TH_STRING, NULL, 0, 0, NULL,
     "with kind=: beginnings of names of tensors that are not needed, blanks between them"},
    {"activation", TH_CHOICE, NULL, 0, 0, "relu|tanh|gelu|gelu_tanh",
     "with kind=rnn, transformer_encoder, gpt2, gpt_neox: what a unit does; what the module does "
     "if not given: tanh, relu, gelu_tanh, gelu"},
    {"heads", TH_INT, NULL, 1, 1024, NULL,
     "with kind=transformer_encoder, gpt2, gpt_neox, llama: attention heads, which no tensor "
     "tells; read of a config.json beside the file"},
    {"norm_epsilon", TH_REAL, NULL, 0, 1, NULL,
     "with kind=llama: what is added to mean squares; read of a config.json, 1e-6 if not given"},
    {"eigenvalues", TH_CHOICE, NULL, 0, 0, "signed|positive",
     "with kind=delta_net: signed for allow_neg_eigval, read of a config.json; positive if not "
     "given"},
    {"norm", TH_CHOICE, NULL, 0, 0, "before|after",
     "with kind=transformer_encoder: before for norm_first=True, after if not given"},
    {"causal", TH_FLAG, NULL, 0, 0, NULL,
     "with kind=transformer_encoder: it had a causal mask; no if not given"},
    {"scale", TH_FLAG, NULL, 0, 0, NULL,
     "with kind=transformer_encoder: embeddings are multiplied by the root of their width; no if "
     "not given"},
    {"head", TH_CHOICE, "linear", 0, 0, "relu|linear|tanh",
     "with kind=: what stands between the last state and the head"},
    {"head_activation", TH_CHOICE, "relu", 0, 0, "relu|tanh|gelu",
     "with kind=: what stands within a head of two layers"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
    char text[96];
} Name;

static Name numbered(const char *pattern, int layer)
{
    Name n;
    const char *at = strstr(pattern, "%d");
    if (at)
        snprintf(n.text, sizeof n.text, "%.*s%d%s", (int)(at - pattern), pattern, layer, at + 2);
    else
        snprintf(n.text, sizeof n.text, "%s", pattern);
    return n;
}

/* The parameter of a row in a layer, or -1: layer 0 may go without its number. */
static int parameter_of(const ThModel *m, const ThFormatRow *r, int layer)
{
    int i = th_params_find(&m->params, numbered(r->parameter, layer).text);
    const char *dot = strchr(r->parameter, '.');
    if (i < 0 && layer == 0 && dot && strstr(r->parameter, "layer%d."))
        i = th_params_find(&m->params, dot + 1);
    return r->flags & TH_FORMAT_ABOVE && layer == 0 ? -1 : i;
}

/* Number i of a row's parameter is what `sign` times number `at` of the tensor is; sign 0: it is
 * nothing of it. */
typedef struct {
    size_t at;
    int sign;
} Source;

typedef struct {
    const ThFormatRow *row;
    int number[40], sign[40];  /* of the blocks, -1: none */
    size_t n, of;              /* blocks of the parameter, of the tensor */
    size_t rows, cols;         /* of the parameter */
    size_t shape[2];           /* of the tensor */
    size_t dims, heads, group; /* group: heads of the parameter that are one of the tensor's */
} Plan;

/* Queries, keys and values of s steps side by side: 1, s and s blocks. */
static void plan_steps(Plan *l, char part, size_t steps)
{
    size_t first = part == 'q' ? 0 : part == 'k' ? 1 : 1 + steps;
    l->of = part == 'q' ? 1 : steps;
    do {
        l->number[l->n] = l->n < first || l->n >= first + l->of ? -1 : (int)(l->n - first);
        l->sign[l->n] = 1;
    } while (++l->n < 1 + 2 * steps);
}

/* An option that only some models have; 1: it has not. */
static size_t size_of(const ThModel *m, const char *option)
{
    return th_option_known(&m->options, option) ? (size_t)th_option_int(&m->options, option) : 1;
}

static void plan_blocks(Plan *l, const char *c)
{
    for (int sign = 1; *c != '/'; c++) {
        if (*c == '-') {
            sign = -1;
            continue;
        }
        l->number[l->n] = *c == '.' ? -1 : *c - '0';
        l->sign[l->n++] = sign;
        sign = 1;
    }
    l->n += l->n == 0; /* never: a list names a block at least, which the analyser cannot see */
    l->of = (size_t)(c[1] - '0');
}

/* How a row's tensor lies. */
static Plan plan(const ThFormatRow *r, const ThParam *p, const ThModel *m)
{
    Plan l = {.row = r,
              .rows = (size_t)p->rows,
              .cols = (size_t)p->cols,
              .heads = size_of(m, "heads"),
              .group = 1};
    if (r->blocks && strchr("qkv", *r->blocks))
        plan_steps(&l, *r->blocks, size_of(m, "steps"));
    else
        plan_blocks(&l, r->blocks ? r->blocks : "0/1");
    bool turned = r->flags & TH_FORMAT_TURNED;
    size_t wide = l.cols / l.n * l.of;
    l.dims = strchr(r->shape, ',') ? 2 : 1;
    l.shape[0] = l.dims == 1 || turned ? wide : l.rows;
    l.shape[1] = turned ? l.rows : wide;
    return l;
}

static Source source_of(const Plan *l, size_t i)
{
    size_t row = i / l->cols, col = i % l->cols, wide = l->cols / l->n, block = col / wide;
    size_t within = col % wide, each = wide / l->heads;
    if (l->number[block] < 0)
        return (Source){0};
    if (l->row->flags & TH_FORMAT_TAPS)
        row = l->rows - 1 - row;
    size_t number = (size_t)l->number[block];
    if (l->group > 1)
        within = within / each / l->group * each + within % each;
    size_t at = l->row->flags & TH_FORMAT_HEADS
                    ? (within / each * l->of + number) * each + within % each
                    : number * wide + within;
    return (Source){l->row->flags & TH_FORMAT_TURNED ? at * l->rows + row : row * wide * l->of + at,
                    l->sign[block]};
}

static bool same_shape(const ThFormatArray *a, const size_t *shape, size_t dims)
{
    return a->dims == dims && memcmp(a->shape, shape, dims * sizeof *shape) == 0;
}

static bool fail_shape(const ThFormatArray *a, const ThFormatRow *r, const size_t *shape,
                       size_t dims, ThError *err)
{
    return th_fail(err, TH_EVALUE, "the tensor '%s' is %s, not %s, as %s of this network must be",
                   th_format_shown_name(a->known).text, th_format_shape(a->shape, a->dims).text,
                   th_format_shape(shape, dims).text, r->shape);
}

/* ---- from there ------------------------------------------------------------------------------ */

/* Embeddings of the symbols times a matrix of theirs: a row for each symbol, and zeros for the row
 * that is for none.  Without embeddings symbols stand for columns. */
static bool fill_embedded(const ThFormatImport *in, const ThParam *p, const ThFormatArray *w,
                          const Plan *l, ThError *err)
{
    const ThFormatArray *e = in->embedding;
    size_t symbols = (size_t)in->m->signature.n_symbols, inputs = e ? e->shape[1] : w->shape[1];
    size_t shape[2] = {l->cols / l->n * l->of, inputs};
    Plan own = *l;
    own.rows = inputs;
    if (!same_shape(w, shape, 2))
        return fail_shape(w, l->row, shape, 2, err);
    for (size_t s = 0; s < symbols; s++)
        for (size_t c = 0; c < l->cols; c++) {
            double sum = 0;
            for (size_t k = e ? 0 : in->first + s; k < (e ? inputs : in->first + s + 1); k++) {
                Source from = source_of(&own, k * l->cols + c);
                float by = e ? e->value[(in->first + s) * inputs + k] : 1;
                sum += from.sign * (double)w->value[from.at] * (double)by;
            }
            in->m->params.value[p->offset + s * l->cols + c] = (float)sum;
        }
    return true;
}

/* The tensor has so many times fewer heads. */
static void share_heads(Plan *l, const ThFormatArray *a)
{
    size_t there = a->dims > 0 ? a->shape[0] : 0;
    if (there == 0 || l->shape[0] % there != 0 || l->heads % (l->shape[0] / there) != 0)
        return;
    l->group = l->shape[0] / there;
    l->shape[0] = there;
}

static bool fill_row(const ThFormatImport *in, const ThFormatRow *r, int layer, ThError *err)
{
    int index = parameter_of(in->m, r, layer);
    if (index < 0)
        return true;
    Name name = numbered(r->tensor, layer);
    const ThParam *p = &in->m->params.item[index];
    ThFormatArray *a = th_format_arrays_find(in->arrays, name.text);
    bool next = r->flags & TH_FORMAT_CLASSES && in->m->signature.next;
    if (!a && next && !(r->flags & TH_FORMAT_MAY_LACK))
        a = in->embedding; /* which the head is */
    if (!a)
        return r->flags & TH_FORMAT_MAY_LACK ||
               th_fail(err, TH_EVALUE, "the tensor '%s' is missing", name.text);
    a->used = true;
    Plan l = plan(r, p, in->m);
    if (r->flags & TH_FORMAT_EMBEDDED)
        return fill_embedded(in, p, a, &l, err);
    float *to = th_params_at(&in->m->params, index);
    bool second = r->flags & TH_FORMAT_CLASSES && l.cols == 2 && a->shape[0] == 1;
    size_t shift = 0;
    if (r->flags & TH_FORMAT_SYMBOLS || next) { /* of more rows than symbols */
        shift = in->first * l.shape[1];
        l.shape[0] =
            a->dims > 0 && a->shape[0] >= in->first + l.shape[0] ? a->shape[0] : l.shape[0];
    }
    l.shape[0] = second ? 1 : l.shape[0];
    if (r->flags & TH_FORMAT_GROUPS)
        share_heads(&l, a);
    if (!same_shape(a, l.shape, l.dims))
        return fail_shape(a, r, l.shape, l.dims, err);
    for (size_t i = 0; i < l.rows * l.cols; i++) {
        Source from = source_of(&l, i);
        if (second)
            from = (Source){i / 2, (int)(i % 2)};
        if (r->flags & TH_FORMAT_ADDED)
            to[i] += (float)from.sign * a->value[from.at + shift];
        else
            to[i] = (float)from.sign * a->value[from.at + shift];
    }
    return true;
}

static int layers_of(const ThModel *m)
{
    return (int)th_option_int(&m->options, "layers");
}

bool th_format_exchange_fill(const ThFormatImport *in, ThError *err)
{
    memset(in->m->params.value, 0, in->m->params.total * sizeof *in->m->params.value);
    for (const ThFormatRow *const *list = in->layout->rows; *list; list++)
        for (const ThFormatRow *r = *list; r->parameter; r++)
            for (int k = 0; k < (strstr(r->tensor, "%d") ? layers_of(in->m) : 1); k++)
                if (!fill_row(in, r, k, err))
                    return false;
    return true;
}

/* ---- and back -------------------------------------------------------------------------------- */

/* Tensors that are made. */
static bool make(ThFormatArrays *to, const char *name, const Plan *l, ThFormatArray **made,
                 ThError *err)
{
    *made = th_format_arrays_find(to, name);
    if (*made)
        return true;
    if (!th_grow(&to->item, &to->cap, to->n + 1, sizeof *to->item, err))
        return false;
    ThFormatArray a = {.dims = l->dims, .shape = {l->shape[0], l->dims == 1 ? 1 : l->shape[1]}};
    a.n = a.shape[0] * a.shape[1];
    a.dims += l->row->flags & TH_FORMAT_TAPS ? 1 : 0; /* (channels, 1, taps) */
    a.name = th_strdup(name, err);
    a.value = th_alloc(a.n, sizeof *a.value, err);
    to->item[to->n] = a;
    *made = &to->item[to->n++];
    return a.name && a.value;
}

/* What stands in the second of two summands is in the first, but for what both are parts of. */
static bool make_row(const ThModel *m, const ThFormatRow *r, int layer, ThFormatArrays *to,
                     ThError *err)
{
    int index = parameter_of(m, r, layer);
    ThFormatArray *t;
    if (index < 0)
        return true;
    ThParam p = m->params.item[index];
    const float *from = th_params_at(&m->params, index);
    if (r->flags & TH_FORMAT_EMBEDDED)
        p.rows--; /* the row of no symbol */
    Plan l = plan(r, &p, m);
    if (!make(to, numbered(r->tensor, layer).text, &l, &t, err))
        return false;
    bool apart = !(r->flags & TH_FORMAT_ADDED) || r->flags & TH_FORMAT_APART;
    for (size_t i = 0; apart && i < l.rows * l.cols; i++) {
        Source at = source_of(&l, i);
        if (at.sign != 0)
            t->value[at.at] = (float)at.sign * from[i];
    }
    size_t wide = l.cols / l.n;
    for (size_t i = 0; r->flags & TH_FORMAT_FORGET && i < wide; i++)
        t->value[wide + i] += (float)th_option_real(&m->options, "forget");
    return true;
}

static bool write(const ThFormatArrays *a, const ThModel *m, const char *path, ThError *err)
{
    ThSafetensorsMatrix *to TH_OWNED(free) = th_alloc(a->n, sizeof *to, err);
    for (size_t i = 0; to && i < a->n; i++) {
        const ThFormatArray *t = &a->item[i];
        bool vector = t->dims == 1;
        to[i] = (ThSafetensorsMatrix){t->name, vector ? 1 : (int)t->shape[0],
                                      (int)t->shape[vector ? 0 : 1], (int)t->dims, t->value};
    }
    return to && th_safetensors_write(to, a->n, m, path, err);
}

/* Has a model what its layout there has? */
static bool goes(const ThModel *m, const ThFormatLayout *l)
{
    char text[128], *rest = text;
    bool all = l->out && strcmp(l->model, m->kind->name) == 0;
    snprintf(text, sizeof text, "%s", l->out ? l->out : "");
    for (char *key; all && (key = strtok_r(rest, " ", &rest));) {
        char *choices = strchr(key, '=');
        *choices++ = '\0';
        const char *value = th_option_text_or(&m->options, key, "-");
        all = th_choice_index(choices, value, strlen(value)) >= 0;
    }
    return all;
}

bool th_format_exchange_save(const ThModel *m, const char *path, ThError *err)
{
    size_t n, i = 0;
    const ThFormatLayout *l = th_format_layouts(&n);
    while (i < n && !goes(m, &l[i]))
        i++;
    if (i == n)
        return th_fail(err, TH_EVALUE, "no module of PyTorch's is such a %s", m->kind->name) ||
               th_hint(err, "help weights says which models as=pytorch is for");
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the %s has not been trained: it has no tensors",
                       m->kind->name);
    ThFormatArrays made TH_OWNED(th_format_arrays_free) = {0};
    bool ok = th_model_whole(m, "the file", err);
    for (const ThFormatRow *const *list = l[i].rows; ok && *list; list++)
        for (const ThFormatRow *r = *list; ok && r->parameter; r++)
            for (int k = 0; ok && k < (strstr(r->tensor, "%d") ? layers_of(m) : 1); k++)
                ok = make_row(m, r, k, &made, err);
    return ok && write(&made, m, path, err);
}
