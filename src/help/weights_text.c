/* weights_text.c - `help weights` and a section of the manual: what names and shapes of parameters
 * do not say.  tests/reference computes every kind of model by these rules. */
#include "help/help.h"

const char *const sh_weights_guide[] = {
    "show M lists the parameters of a model, save M \"m.safetensors\" writes them.  Vectors are "
    "rows, x W + b.  Besides names and shapes one has to know:",
    "Attention.  key_value is the keys' matrix with the values' beside it; a head is a group of "
    "neighbouring columns.  Logits are divided by the root of a head's width before any bias of "
    "position is added.  regulargpt and transformer multiply embeddings (not the pad) by the root "
    "of dim, others do not.  GELU is exact, x times the normal distribution function, and norms "
    "add 1e-5 to the variance.  With block=llama rows are divided by √(mean of squares + "
    "norm_epsilon), and the feed-forward layer is (SiLU(x gate) times (x up)) down.  from and to, "
    "with fan_in=, are numbers of coordinates.",
    "Positions.  kerple's numbers count by their size, from 0.01 on.  fire's threshold is in units "
    "of 512 symbols.  random draws positions once for each length, the same for all strings.",
    "Recurrent networks.  The columns of lstm are input gate, candidate, forget gate (to which "
    "forget= is added) and output gate; those of gru are update gate, reset gate and candidate.  "
    "layer1.input and those above read the state of the layer below.  The head reads the ReLU of "
    "the last state, or what head= says, through head_hidden and its activation where there is "
    "one.",
    "Linear recurrences.  A layer reads the norm of its input, and adds what it makes to the "
    "input, save the last one, which adds nothing; then come a norm, a head with ReLU and answer.  "
    "With decoder=yes norms are RMS norms, every layer adds, and then its feed-forward layer does, "
    "which reads norm2; the head is answer alone.  "
    "pd_ssm has its norms behind the layers, and adds nothing.  Row 0 of convolution is for the "
    "symbol itself, row 1 for the one before.  In deltanet's convolution query, keys and values "
    "stand side by side, and the query is divided by the root of its width.  lru has input = [Re "
    "B, Im B], output = [Re C; -Im C], and eigenvalues exp(-exp(size) + i exp(phase)).  s4 and s4d "
    "have half of the eigenvalues, of which decay is ln(-Re) and frequency Im, and step = ln of "
    "the step.  mamba's select is [step, B, C], and its decay ln(-A), a row for each state.",
    "Halting.  With halt=none the block is applied steps= times; else up to n + 1 times to a "
    "string of n symbols, and in causal models up to k + 1 times at symbol k.",
    "From PyTorch.  load FILE kind=KIND reads state dicts, save M FILE as=pytorch writes those of "
    "rnn, lstm and gru, and of others with the options that stand below (- where one is not "
    "given).  A symbol that began every string there, and pads that the network read behind it, as "
    "who takes out[:, -1] of a padded batch has them read, are symbols like others here: with "
    "symbols=\"_ab^\" the string ab is ^ab__.  Of flash-linear-attention, delta_net is also "
    "gated_deltanet and gated_deltaproduct, "
    "with values as wide as keys; its other layers (gated linear attention, retention, …) and "
    "Mamba-2 compute what no model here does, and are refused by the names of their tensors.  The "
    "authors of the five papers published no weights; kind=lrnn reads what the code of "
    "one saves, arithmetic.py of tinghanf/RegluarLRNN, and the others' names no kind= knows.  "
    "Below stand tensors with their shapes, where %d is the "
    "layer from 0, h "
    "the "
    "width of the state, u that of the head's hidden layer, d the width of a transformer, f that "
    "of its feed-forward layers, and what becomes of them: blocks 0213/4 are the four blocks of "
    "the "
    "tensor in this order, - for the negative, . for none; where keys and values have fewer heads "
    "than "
    "queries, each serves as many queries beside each other.  What stands before net., embedding., "
    "positions., hidden. and head. may be called otherwise: load finds it.  Most biases may be "
    "missing.  Of recurrent networks symbols are rows of embedding.weight, or columns of "
    "weight_ih_l0.",
    NULL};

void sh_help_exchange(ShDocument *d)
{
    size_t n;
    const ThFormatLayout *l = th_format_layouts(&n);
    for (size_t i = 0; i < n; i++) {
        ThText lead = {0};
        th_text_printf(&lead, "kind=%s, %s, is here %s %s%s%s:", l[i].kind, l[i].module, l[i].model,
                       l[i].options, l[i].out && *l[i].out ? "; as=pytorch with " : "",
                       l[i].out ? l[i].out : "");
        sh_document_gap(d);
        sh_document_lead(d, lead.data ? lead.data : l[i].kind);
        th_text_free(&lead);
        for (const ThFormatRow *const *list = l[i].rows; *list; list++)
            for (const ThFormatRow *r = *list; r->parameter; r++) {
                ThText name = {0}, what = {0};
                th_text_printf(&name, "%s %s", r->tensor, r->shape);
                th_text_printf(&what, "%s%s%s%s%s", r->parameter, r->blocks ? ", blocks " : "",
                               r->blocks ? r->blocks : "",
                               r->flags & TH_FORMAT_ADDED ? ", added" : "",
                               r->flags & TH_FORMAT_EMBEDDED ? ", times the embeddings" : "");
                sh_document_term(d, name.data ? name.data : r->tensor, what.data ? what.data : "");
                th_text_free(&name);
                th_text_free(&what);
            }
    }
}
