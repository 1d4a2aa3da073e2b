"""What is tried: a network, and how it is loaded.  A case is the arguments of a class of nets.py, which
kind= tells, then the options of load."""

LETTERS = "abcdefgh"
CLASSES = "x y z"

# name: (arguments, more arguments, options of load)
CASES = {
    "rnn-tanh": (("RNN", 3, 3, 5), {}, "kind=rnn"),
    "rnn-relu": (("RNN", 3, 3, 5), {"layers": 3, "nonlinearity": "relu", "embed": 4},
                 "kind=rnn activation=relu"),
    "rnn-plain": (("RNN", 4, 2, 6), {"layers": 2, "bias": False, "head_bias": False}, "kind=rnn"),
    "lstm": (("LSTM", 3, 3, 5), {}, "kind=lstm"),
    "lstm-embedded": (("LSTM", 3, 3, 5), {"layers": 4, "embed": 7, "hidden": 6}, "kind=lstm"),
    "lstm-plain": (("LSTM", 2, 2, 4), {"bias": False}, "kind=lstm"),
    "lstm-one-row": (("LSTM", 2, 1, 6), {"embed": 3}, "kind=lstm"),
    "gru": (("GRU", 3, 3, 5), {"layers": 2}, "kind=gru"),
    "gru-embedded": (("GRU", 5, 3, 4), {"layers": 3, "embed": 4, "hidden": 4, "act": "Tanh"},
                     "kind=gru head_activation=tanh"),
    "gru-gelu": (("GRU", 3, 3, 4), {"embed": 2, "hidden": 9, "act": "GELU", "bias": False},
                 "kind=gru head_activation=gelu"),
    "encoder": ((3, 3, 12, 3, 2), {}, "kind=transformer_encoder heads=3"),
    "encoder-causal": ((3, 3, 12, 2, 2), {"causal": True, "before": True, "act": "gelu", "final": True,
                                          "positions": "learned", "scale": True},
                       "kind=transformer_encoder heads=2 causal=yes norm=before activation=gelu scale=yes"),
    "encoder-bare": ((4, 2, 8, 2, 1), {"causal": True, "positions": "none", "wide": 1},
                     "kind=transformer_encoder heads=2 causal=yes answers=every"),
    "gpt2": ((3, 3, 12, 3, 2), {}, "kind=gpt2 heads=3"),
    "gpt2-tied": ((5, 5, 8, 2, 1), {"tied": True}, "kind=gpt2 heads=2 answers=next"),
    "neox": ((3, 3, 16, 2, 1), {}, "kind=gpt_neox heads=2"),
    "gru-each": (("GRU", 3, 3, 5), {"embed": 6, "layers": 2}, "kind=gru answers=every"),
    "llama": ((3, 3, 12, 3, 2), {"shared": 3}, "kind=llama heads=3"),
    "llama-tied": ((5, 5, 16, 4, 1), {"tied": True, "wide": 40, "epsilon": 0.125},
                   "kind=llama heads=4 answers=next norm_epsilon=0.125"),
    "mamba": ((3, 3, 12, 2), {}, "kind=mamba"),
    "mamba-tied": ((5, 5, 20, 1), {"tied": True, "rank": 3, "expand": 1, "rows": 8, "names": "embedding"},
                   "kind=mamba answers=next"),
    "deltanet": ((3, 3, 12, 3, 2), {}, "kind=delta_net"),
    "deltanet-gated": ((4, 2, 8, 2, 1), {"gate": True, "forget": True, "signed": True, "epsilon": 0.125},
                       "kind=delta_net eigenvalues=signed norm_epsilon=0.125 answers=every"),
    "deltaproduct": ((3, 3, 12, 2, 1), {"steps": 3, "forget": True}, "kind=delta_net"),
    "deltanet-long": ((3, 3, 6, 1, 1), {"short": False, "gate": True}, "kind=delta_net"),
    "lrnn": ((4, 3, 8, 4, 2), {}, "kind=lrnn answers=every"),
}


def symbols_of(name):
    return next(x for x in CASES[name][0] if isinstance(x, int))


def loading(name):
    """The options behind load "FILE"."""
    args, _, options = CASES[name]
    classes = [x for x in args if isinstance(x, int)][1]
    named = "" if "next" in options else f' classes="{CLASSES[:max(classes, 2) * 2 - 1]}"'
    return f'{options} symbols="{LETTERS[:symbols_of(name)]}"{named}'


def network(nets, name):
    """The network of a case, before its weights are drawn."""
    args, more, options = CASES[name]
    kinds = {"transformer_encoder": nets.Encoder, "gpt2": nets.GPT2, "gpt_neox": nets.NeoX,
             "llama": nets.Llama, "mamba": nets.Mamba, "delta_net": nets.DeltaNet,
             "lrnn": nets.LRNN}
    kind = options.split()[0].split("=")[1]
    return kinds.get(kind, nets.Recurrent)(*args, **more)


def each(name):
    """Does it answer behind every symbol?"""
    return "answers=" in CASES[name][2]
