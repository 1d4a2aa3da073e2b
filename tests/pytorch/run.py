#!/usr/bin/python3
"""run.py [TAPEHEAD] - networks of PyTorch's modules, loaded and saved; TAP.

Files of fixtures/, which make.py wrote with PyTorch, and what the networks answered there are tried
everywhere.  Where torch can be imported, networks of every kind with weights drawn anew answer 1,000
strings of up to 40 symbols, and models of the program go out and are compared there.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "../../scripts/python"))
sys.path.insert(0, os.path.join(HERE, "../../examples/13-from-pytorch"))
import cases  # noqa: E402

TAPEHEAD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "./tapehead")
count = failed = 0


def say(good, what, why=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good and why:
        print("# " + str(why).replace("\n", "\n# "))


def tapehead(script, *options):
    r = subprocess.run([TAPEHEAD, "-q", *options, "-"], input=script, text=True, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.stdout, r.stderr, r.returncode


def answers(path, options, words):
    """Probabilities (rows of classes) of the strings, one after the other; or an error's text."""
    script = f'load "{path}" as m {options}\nset format json\n'
    for i in range(0, len(words), 200):
        script += "run m " + " ".join(words[i:i + 200]) + "\n"
    out, err, status = tapehead(script)
    if status:
        return err
    lines = [json.loads(x) for x in out.splitlines() if '"predictions"' in x]
    return [list(p["p"].values()) for line in lines for p in line["predictions"]]


def worst(got, wanted):
    if isinstance(got, str) or len(got) != len(wanted):
        return got if isinstance(got, str) else f"{len(got)} rows, {len(wanted)} wanted"
    return max(abs(a - b) for x, y in zip(got, wanted) for a, b in zip(x, y))


def check(what, got, wanted, most):
    off = worst(got, wanted)
    say(not isinstance(off, str) and off <= most, what, f"off by {off}")
    return off


def text(word):
    return "".join(cases.LETTERS[i] for i in word)


def check_fixtures():
    with open(f"{HERE}/fixtures/expected.json", encoding="utf-8") as f:
        expected = json.load(f)
    for name, (words, wanted) in expected.items():
        options = cases.loading(name.split(".")[0])
        check(f"fixture {name}", answers(f"{HERE}/fixtures/{name}", options, words), wanted, 1e-5)


def check_refusals():
    good = f"{HERE}/fixtures/lstm.safetensors"
    two = 'symbols="ab" classes="n y"'
    three = 'symbols="abc" classes="x y z"'
    for options, part in [
            (f"kind=gru {three}", "kind=lstm"), (f"kind=lstm {two}", "3 x 5, not 2 x 5"),
            ('kind=lstm symbols="abcd" classes="x y z"', "4 symbols"),
            ('kind=lstm classes="x y z"', "symbols= is missing"),
            ('kind=lstm symbols="aba" classes="x y z"', "twice"),
            ('kind=lstm symbols="abc"', "classes= is missing"),
            (three, "kind="), ("", "kind="), (f'kind=lstm {three} map="none"', "none")]:
        got = answers(good, options, ["a"])
        say(isinstance(got, str) and part in got, f"refused: {options or 'no kind'}", got)


def check_torch():
    try:
        import torch
        import nets
        import tapehead.pytorch as pytorch
    except ImportError as e:
        say(True, f"networks with weights drawn anew # skip {e}")
        return
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        most = {}
        for seed, name in enumerate(cases.CASES):
            # of rectified units sums grow with the length
            recurs = name.startswith(("mamba", "delta", "lrnn"))
            size = 0.5 if recurs or name == "rnn-relu" else 0.9
            net = nets.stir(cases.network(nets, name), seed + 100, size)
            words = nets.words(cases.symbols_of(name), 200 if recurs else 1000, 40, seed)
            path = f"{folder}/{name}.safetensors"
            nets.save(nets.state(net), path, indent=seed % 3)
            options, wanted = cases.loading(name), wanted_of(net, words, cases.each(name))
            most[name] = check(f"{name}: {len(words)} strings", answers(path, options, [text(w) for w in words]),
                               wanted, 1e-5)
            if name == "lrnn":
                continue  # no module of PyTorch's
            tapehead(f'load "{path}" as m {options}\nsave m "{folder}/o.safetensors" as=pytorch\n')
            if not os.path.exists(f"{folder}/o.safetensors"):
                say(False, f"{name}: and back", "no file")
                continue
            back = pytorch.load(f"{folder}/o.safetensors")
            again = torch.softmax(back([text(w) for w in words[:200]]), 1).tolist()
            check(f"{name}: and back", again, wanted[:len(again)], 5e-6)
        print("# furthest off: " + ", ".join(f"{k} {v}" for k, v in most.items()))
        check_own(folder, pytorch, torch)
        check_config(folder, nets)
        check_files(folder, nets)


def wanted_of(net, words, every):
    import torch
    rows = []
    for w in words:
        z = net(w)
        z = z if every else z[-1:]
        z = torch.cat([torch.zeros_like(z), z], 1) if z.shape[1] == 1 else z
        rows += torch.softmax(z.double(), 1).tolist()
    return rows


def check_own(folder, pytorch, torch):
    """Models of the program, trained a little, in PyTorch."""
    import load
    script = "automaton p = parity\ntask t = recognize p\ntask e = track p\n"
    kinds = ["rnn dim=7", "rnn dim=5 layers=2 activation=tanh head=linear", "lstm dim=6",
             "lstm dim=5 layers=3 forget=0.5 head=tanh", "gru dim=1 head=linear",
             "gru dim=5 layers=4 head_hidden=6 head_activation=gelu", "rnn dim=4 head_hidden=1",
             "gpt dim=8 heads=2", "gpt dim=12 heads=3 block=neox rotary_fraction=0.5 base=50",
             "gpt dim=8 heads=2 block=llama norm_epsilon=0.25 head_bias=yes", "gpt dim=8 heads=4 position=none final_norm=no",
             "gpt dim=8 heads=2 position=learned longest=64 norm=after activation=relu scale=yes causal=no",
             "gpt dim=9 heads=3 layers=1 position=learned longest=40 activation=gelu_tanh",
             "mamba dim=6 state=3 layers=2 decoder=yes", "deltanet dim=8 heads=2 decoder=yes mlp_width=5 layers=2",
             "deltanet dim=6 heads=1 decoder=yes convolution=no gate=yes forget=yes steps=2 norm_epsilon=0.125"]
    for i, kind in enumerate(kinds):
        task = ("t", "e")[i % 2]
        script += f'model m = {kind}\ntrain m on {task} steps=20 length=1..9 lr=2e-2 > "/dev/null"\n' \
                  f'save m "{folder}/{i}.safetensors"\nsave m "{folder}/{i}p.safetensors" as=pytorch\ndrop m\n'
    err = tapehead(script)[1]
    words = ["a", "b", "ab", "bba", "abbbaabab", "bababbbbaaabbababbababbbbba"]
    for kind in ("gpt dim=8 heads=2 position=alibi", "gpt dim=8 heads=2 norm=after", "transformer dim=8 heads=2", "mamba dim=4 state=2",
                 "mamba dim=4 state=2 decoder=yes mlp_width=3", "mamba dim=4 state=2 decoder=yes eigenvalues=signed",
                 "gpt dim=8 heads=2 rotary_pairs=neighbours"):
        said = tapehead(f'automaton p = parity\nmodel m = {kind}\ntrain m on p steps=1 > "/dev/null"\n'
                        f'save m "{folder}/no.safetensors" as=pytorch\n')[1]
        say("no module" in said and not os.path.exists(f"{folder}/no.safetensors"), f"refused: {kind} as=pytorch", said)
    for i, kind in enumerate(kinds):
        if err:
            say(False, kind, err)
            continue
        net = pytorch.load(f"{folder}/{i}p.safetensors")
        said = answers(f"{folder}/{i}.safetensors", "", words)
        check(f"in PyTorch: {kind}", said, torch.softmax(net(words).double(), 1).tolist(), 1e-6)
        if kind.split()[0] in ("rnn", "lstm", "gru"):
            net = load.Network(f"{folder}/{i}p.safetensors")
            check(f"by the example's forty lines: {kind}", said,
                  torch.cat([torch.softmax(net(w).double(), 1) for w in words]).tolist(), 1e-6)


def check_config(folder, nets):
    """What no tensor tells stands in a config.json beside the file."""
    words = nets.words(3, 30, 20, 9)
    texts = [text(w) for w in words]
    for kind, net, config, wrong in (
            ("gpt2", nets.GPT2(3, 3, 12, 3, 2), {"n_head": 3, "activation_function": "gelu_new", "n_embd": 12,
                                                 "layer_norm_epsilon": 1e-5}, [{"layer_norm_epsilon": 1e-6}]),
            ("gpt_neox", nets.NeoX(3, 3, 16, 2, 2, 0.5, False),
             {"num_attention_heads": 2, "rotary_pct": 0.5, "use_parallel_residual": False, "hidden_act": "gelu",
              "rope_scaling": None}, [{"hidden_act": "swish"}, {"rope_scaling": {"type": "linear"}}]),
            ("llama", nets.Llama(3, 3, 12, 3, 2, shared=3, epsilon=0.25, base=50.0),
             {"num_attention_heads": 3, "num_key_value_heads": 1, "hidden_act": "silu", "rms_norm_eps": 0.25,
              "rope_parameters": {"rope_theta": 50.0, "rope_type": "default"}, "sliding_window": None},
             [{"sliding_window": 4}, {"rope_parameters": {"rope_theta": 50.0, "rope_type": "yarn"}},
              {"rope_scaling": {"rope_type": "llama3", "factor": 8}}, {"hidden_act": "gelu"}])):
        where = f"{folder}/{kind}"
        os.mkdir(where)
        own = nets.state(nets.stir(net, 3))
        buffer = {"gpt2": ".h.0.attn.bias", "gpt_neox": ".layers.0.attention.bias",
                  "llama": ".layers.0.self_attn.rotary_emb.inv_freq"}[kind]
        own[next(iter(own)).split(".")[0] + buffer] = own[next(iter(own))][:1]
        nets.save(own, f"{where}/model.safetensors")
        options = f'kind={kind} symbols="abc" classes="x y z"'
        got = answers(f"{where}/model.safetensors", options, texts)
        say(isinstance(got, str) and "heads= is missing" in got, f"refused: {kind} without heads", got)
        for more, refusal in [({}, None)] + [(w, next(iter(w))) for w in wrong]:
            with open(f"{where}/config.json", "w", encoding="utf-8") as f:
                json.dump({**config, **more}, f)
            got = answers(f"{where}/model.safetensors", options, texts)
            if refusal:
                say(isinstance(got, str) and refusal in got, f"refused: {kind} with {more}", got)
            else:
                check(f"{kind} with a config.json", got, wanted_of(net, words, False), 1e-5)


def check_files(folder, nets):
    """What names and files may be like, and what they may not."""
    import numpy as np
    net = nets.stir(nets.Recurrent("GRU", 3, 3, 5, layers=2, embed=4, hidden=4), 5)
    words, own = nets.words(3, 50, 20, 5), nets.state(net)
    wanted, texts = wanted_of(net, words, False), [text(w) for w in words]
    options = 'kind=gru symbols="abc" classes="x y z"'
    path = f"{folder}/m.safetensors"

    def tried(what, tensors, refusal=None, more="", most=1e-5, kinds=None):
        nets.save(tensors, path, kinds=kinds)
        got = answers(path, f"{options} {more}", texts)
        if refusal:
            say(isinstance(got, str) and refusal in got, f"refused: {what}", got)
        else:
            check(what, got, wanted, most)

    tried("prefixes of wrappers", {"_orig_mod.module." + k: v for k, v in own.items()})
    tried("a counter besides", {**own, "steps": np.array(7)})
    tried("double precision", {k: v.astype("float64") for k, v in own.items()})
    tried("half precision", {k: v.astype("float16") for k, v in own.items()}, most=0.2)
    tried("16 bits of a brain", {k: (v.view("uint32") >> 16).astype("uint16") for k, v in own.items()},
          most=0.5, kinds=dict.fromkeys(own, "BF16"))
    tried("a tensor missing", {k: v for k, v in own.items() if "hh_l1" not in k or "bias" in k},
          "is missing")
    tried("a tensor too many", {**own, "scale": np.ones(4, "float32")}, "scale")
    tried("that is ignored", {**own, "scale": np.ones(4, "float32")}, more='ignore="scale"')
    tried("turned over", {k: v.T.copy() if "weight_hh_l1" in k else v for k, v in own.items()},
          "5 x 15")
    tried("both directions", {**own, "net.weight_ih_l0_reverse": own["net.weight_ih_l0"]}, "both")
    tried("projections", {**own, "net.weight_hr_l0": own["net.weight_hh_l0"]}, "proj_size")
    from_mamba = nets.state(nets.stir(nets.Mamba(3, 3, 6, 1), 1))
    from_delta = nets.state(nets.stir(nets.DeltaNet(3, 3, 6, 2, 1), 1))
    mixer, attn = "backbone.layers.0.mixer.", "model.layers.0.attn."
    for kind, what, tensors, refusal in [
            ("mamba", "a Mamba-2", {**from_mamba, mixer + "dt_bias": np.ones(6, "float32")}, "Mamba-2"),
            ("delta_net", "a GLA", {**from_delta, attn + "gk_proj.0.weight": np.ones((2, 6), "float32")}, "gated linear"),
            ("mamba", "a width that does not fit", {**from_mamba, mixer + "A_log": np.ones((13, 3), "float32")},
             "13 is no multiple of dim=6"),
            ("delta_net", "a bias of a convolution", {**from_delta, attn + "q_conv1d.bias": np.ones(6, "float32")}, "no part"),
            ("delta_net", "no strength", {k: v for k, v in from_delta.items() if "b_proj" not in k}, "no tensor tells heads="),
            ("delta_net", "no embeddings", {k: v for k, v in from_delta.items() if "embed" not in k}, "head")]:
        nets.save(tensors, path)
        got = answers(path, f'kind={kind} symbols="abc" classes="x y z"', texts)
        say(isinstance(got, str) and refusal in got, f"refused: {kind} with {what}", got)
    tried("two networks", {**own, **{"other." + k: v for k, v in own.items()}}, "map=")
    tried("not finite", {**own, "fc.2.bias": np.array([0, np.nan, 1], "float32")}, "finite")
    twin = {"a.w.weight": own["fc.0.weight"], "a.w.bias": own["fc.0.bias"], **own}
    with open(f"{folder}/map.txt", "w", encoding="utf-8") as f:
        f.write("hidden = a.w  # the same numbers\nhead = fc.2\n")
    tried("a map", {k: v for k, v in twin.items() if "fc.0" not in k}, more=f'map="{folder}/map.txt"')
    rows = {**own, "embed.weight": np.vstack([own["embed.weight"][:1] * 9, own["embed.weight"]])}
    tried("a row for padding", rows, more="first=1")
    for how, archive in (("stored", np.savez), ("compressed", np.savez_compressed)):
        archive(f"{folder}/m.npz", **{k: np.asfortranarray(v).astype(">f8") for k, v in own.items()})
        got = answers(f"{folder}/m.npz", options, texts)
        if how == "stored":
            check("an archive of NumPy's, columns first and high bytes first", got, wanted, 1e-5)
        else:
            say(isinstance(got, str) and "compressed" in got, "refused: compressed", got)
    np.savez(f"{folder}/m.npz", x=np.array([{}], dtype=object))
    got = answers(f"{folder}/m.npz", options, texts)
    say(isinstance(got, str) and "numbers" in got, "refused: objects", got)
    import torch
    torch.save(net.state_dict(), f"{folder}/m.safetensors")
    got = answers(path, options, texts)
    say(isinstance(got, str) and "pickle" in got, "refused: a pickle", got)


def check_commands():
    """What is loaded is a model: all that can be asked of one, and why where it cannot be."""
    no_later, far = "there is no later level", "knows 64 positions"
    refused = {  # of compare, extract, clusters, lens, patch, certify, report, activations, trace, train, evaluate
        "rnn-tanh": [no_later], "lstm": [no_later], "gru": [],
        "encoder": [far, "no proof is known of models of kind gpt"], "encoder-causal": [far, "kind gpt"],
        "gpt2": [far, "kind gpt"], "neox": ["no layer before", no_later, "kind gpt"], "llama": ["kind gpt"],
        "mamba": ["more than 9 states", "kind mamba"], "deltanet": ["more than 9 states", "kind deltanet"],
        "lrnn": ["proofs about lrnn are for layers=1"]}
    page = os.path.join(tempfile.gettempdir(), f"report-{os.getpid()}.txt")
    for name, reasons in refused.items():
        symbols = "abcd"[:cases.symbols_of(name)]
        moves = "; ".join(f"{q} {s} -> {'pqr'[(i + k) % 3]}" for i, q in enumerate("pqr") for k, s in enumerate(symbols))
        script = f"""load "{HERE}/fixtures/{name}.safetensors" as m {cases.loading(name).replace("every", "final")}
automaton a {{ start p; output p x; output q y; output r z; {moves} }}
task t = output a labels=final
compare m a length=1..4
extract x from m on t samples=50 length=1..5 states={9 if "more than 9 states" in reasons else 200}
clusters m on t
lens m abc
patch m from abc to acb
certify m on t
report m on t length=1..5:2 > "{page}"
activations m abc
trace m abc
train m on t steps=2 length=1..6
evaluate m on t length=1..5
"""
        err = tapehead(script, "-k")[1]
        said = [line for line in err.splitlines() if "error:" in line]
        say(len(said) == len(reasons) and all(r in line for r, line in zip(reasons, said)),
            f"{name}: all commands on it, and why not", err)
        say(os.path.exists(page) and os.path.getsize(page) > 500, f"{name}: its page")
        os.path.exists(page) and os.remove(page)


def check_parts():
    """An index and its parts: what one file would say, and what is refused."""
    def bytes_of(tensors):
        at, header, data = 0, {}, b""
        for name, (shape, raw) in tensors.items():
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + len(raw)]}
            at, data = at + len(raw), data + raw
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data

    with open(f"{HERE}/fixtures/gru.safetensors", "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    whole = {k: (v["shape"], data[slice(*v["data_offsets"])]) for k, v in header.items() if k[0] != "_"}
    parts = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    where = {k: parts[i % 2] for i, k in enumerate(sorted(whole))}
    with open(f"{HERE}/fixtures/expected.json", encoding="utf-8") as f:
        words, wanted = json.load(f)["gru.safetensors"]
    first, last, options = min(whole), max(whole), cases.loading("gru")
    with tempfile.TemporaryDirectory() as top:
        folder = f"{top}/net"
        os.mkdir(folder)
        for part in parts:
            with open(f"{folder}/{part}", "wb") as f:
                f.write(bytes_of({k: v for k, v in whole.items() if where[k] == part}))
        with open(f"{top}/out.safetensors", "wb") as f:
            f.write(bytes_of({first: whole[first]}))
        with open(f"{folder}/text.safetensors", "w", encoding="utf-8") as f:
            f.write("no tensors at all")
        for what, index, refusal in [
                ("parts", {"metadata": {"total_size": 1}, "weight_map": where}, None),
                ("a part that is not there", {"weight_map": {**where, first: "none.safetensors"}}, "none.safetensors"),
                ("a tensor that is in another part", {"weight_map": {**where, last: parts[0]}}, f"'{last}' is not in"),
                ("a tensor that is in no part", {"weight_map": {**where, "x": parts[1]}}, "'x' is not in"),
                ("a part outside", {"weight_map": {**where, first: "../out.safetensors"}}, "beside the index"),
                ("a part with its whole path", {"weight_map": {**where, first: f"{top}/out.safetensors"}}, "beside"),
                ("a part that is the folder above", {"weight_map": {**where, first: ".."}}, "beside the index"),
                ("a part that is no name", {"weight_map": {**where, first: 3}}, "is no name"),
                ("a part that holds no tensors", {"weight_map": {**where, first: "text.safetensors"}}, "not a model"),
                ("no parts", {"weight_map": {}}, "weight_map"), ("no map", {"metadata": {}}, "weight_map"),
                ("a list", [where], "weight_map"), ("what is no JSON", None, "weight_map")]:
            path = f"{folder}/model.safetensors.index.json"
            with open(path, "w", encoding="utf-8") as f:
                f.write('{"weight_map": {' if index is None else json.dumps(index))
            got = answers(path, options, words)
            if refusal is None:
                check(f"an index and its parts: {what}", got, wanted, 1e-5)
            else:
                say(isinstance(got, str) and refusal in got, f"refused: an index of {what}", got)


def check_report():
    """The page about a loaded network: all sections, drawn, escaped, and why one is not there."""
    ending = f"{HERE}/../../examples/13-from-pytorch/ending.npz"
    with tempfile.TemporaryDirectory() as folder:
        out, err, status = tapehead(
            f'load "{ending}" as e kind=rnn symbols="abc" classes="reject accept"\n'
            f'load "{ending}" as f kind=rnn symbols="abc" classes="<no> yes"\n'
            'automaton ending = regex "(a|b|c)*ab"\ntask last = output ending labels=final\n'
            f'report e on ending length=1..9:4 > "{folder}/e.html"\nreport f on ending > "{folder}/f.html"\n'
            f'report e on ending > "{folder}/e.txt"\nset format text\nlist\n'.replace(
                "task last = output ending labels=final\n", ""))
        pages = {}
        for name in ("e.html", "f.html", "e.txt"):
            if os.path.exists(f"{folder}/{name}"):
                with open(f"{folder}/{name}", encoding="utf-8") as f:
                    pages[name] = f.read()
        say(status == 0 and len(pages) == 3 and "report_" not in out, "report leaves pages and nothing else", err)
        e, f, plain = (pages.get(name, "") for name in ("e.html", "f.html", "e.txt"))
        say(e.count("<svg") == 2 and e.count("<h2>") == 7 and "not said" not in e and "they agree" in e and "of a torch.nn.RNN" in e and
            "proved" in e and "queries   task             yes" in e and "\n     9" in e, "all is on the page", e[:2000])
        say("&lt;no&gt;" in f and "<no>" not in f and "not said" in f, "names are escaped, and what does not fit says so")
        say(e.count("q1 b -&gt; q2") == 2 and plain.count("q1 b -> q2") == 2, "both automata are there")


check_fixtures()
check_refusals()
check_commands()
check_parts()
check_report()
check_torch()
print(f"1..{count}")
sys.exit(failed > 0)
