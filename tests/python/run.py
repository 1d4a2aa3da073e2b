#!/usr/bin/python3
"""run.py [TAPEHEAD] - the Python package, the protocol that it speaks, and the kernel of Jupyter; TAP.

The notebooks of examples/notebooks are executed where nbclient and ipykernel are; wheel and source
archive are built and installed where setuptools and wheel are.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGE = os.path.join(ROOT, "scripts/python")
TAPEHEAD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "./tapehead")
os.environ["TAPEHEAD"] = TAPEHEAD
sys.path.insert(0, PACKAGE)
import tapehead  # noqa: E402
from tapehead import arrays  # noqa: E402

count = failed = 0


def say(good, what, why=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good and why:
        print("# " + str(why).replace("\n", "\n# "))


def error_of(lab, text):
    try:
        lab.run(text)
    except tapehead.Error as e:
        return e
    return None


def check_lab():
    with tapehead.Lab() as lab:
        r = lab.run("automaton p = parity\nwords p length=1..3")
        say(r["count"] == 7 and [a["command"] for a in r.answers] == ["automaton", "words"],
            "answers are dicts, in order", r)
        say(not lab.run("").answers and not lab.run("# nothing").answers, "nothing to run is done at once")
        r = lab.run('echo "ä"\nset format text\necho "\\u{1d54f}"\nset format json')
        say(r["text"] == "ä" and r.text == "𝕏\n", "text for people stands beside answers", r)
        e = error_of(lab, "automaton q = parity\nshow nothing\nautomaton r = parity")
        say(e and (e.line, e.column) == (2, 6) and "nothing" in e.message and e.hint,
            "an error has a place and a hint", repr(e))
        say(error_of(lab, "show q") is None and error_of(lab, "show r") is not None,
            "what stands before an error is done, what stands behind it is not")
        say(error_of(lab, "automaton x {") is not None and error_of(lab, "show p") is None,
            "a block without an end is an error, not a wait")
        lab.run('automaton b {\n start q\n accept q\n q a -> q\n}')
        say(lab.incomplete("automaton b {\n start") and not lab.incomplete("list") and
            not lab.incomplete("automaton b }"), "it is known what goes on")
        matches, start = lab.complete("show é; tra")
        say("train" in matches and start == len("show é; ".encode()), "completion", (matches, start))
        say("train MODEL on TASK" in lab.help("train"), "help is text")
        say(lab.figure("plot p")[:5] == b"<?xml" and lab.figure("plot p", "png")[1:4] == b"PNG", "figures are bytes")
        lab.run("model m = gru dim=3\ntrain m on parity steps=1 > '/dev/null'" .replace("'", '"'))
        data = lab._file("activations m abb value=state", "npy")
        rows = [list(r) for r in arrays.read(data)]
        sys.modules["numpy"] = None
        plain = arrays.read(data)
        del sys.modules["numpy"]
        say(len(rows) == 3 and len(rows[0]) == 3 and plain == rows, "arrays, with numpy and without", plain)
        threading.Timer(1, lab.interrupt).start()
        began = time.time()
        e = error_of(lab, "model k = gru dim=64\ntrain k on parity steps=10000000")
        say(isinstance(e, tapehead.Interrupted) and time.time() - began < 20, "commands can be interrupted", repr(e))
        say(lab.run("show k")["steps"] > 0, "and what was there is there afterwards")
        e = error_of(lab, "quit")
        say(error_of(lab, "list") is not None, "a program that has ended is an error", repr(e))
    try:
        tapehead.Lab("/nonexistent/tapehead")
        say(False, "a program that is not there")
    except OSError:
        say(True, "a program that is not there is an error of the system's")


def check_handles():
    """Objects with methods, which are the commands of the program's table."""
    with tempfile.TemporaryDirectory() as folder, tapehead.Lab() as lab:
        lab.run("automaton p = parity\nautomaton q = parity\nmodel m = gru dim=3\ntask t = recognize p")
        a, m, t = lab["p"], lab["m"], lab["t"]
        say([type(x).__name__ for x in (a, m, t)] == ["Automaton", "Model", "Task"] and repr(m) == "<Model m>",
            "objects are of kinds", (a, m, t))
        say(a.words(length=(1, 3))["count"] == 7, "options; a pair is a range")
        say(m.train(on=t, steps=3, length=(1, 5), told=lambda x: None).answers and m.show()["steps"] == 3,
            "operands behind words of a command")
        say(m.train(a, steps=2).answers and m.show()["steps"] == 5, "and in their order")
        path = os.path.join(folder, "an m.safetensors")
        m.save(path, as_="pytorch")
        say(os.path.exists(path), "a word of Python's, and a name with blanks")
        say(a.compare("q | q")["equivalent"], "what stands for an object may be an expression")
        a.minimize(as_="small")
        say(lab["small"].show()["states"] == 2, "a command that defines")
        say(len(m.run("ab", "aab")["predictions"]) == 2, "operands that repeat", m.run("ab", "aab"))
        m.extract("x", on=t, samples=50)
        say(lab["x"].compare(a).answers, "an object has its own place among others")
        say(not hasattr(t, "minimize") and hasattr(a, "minimize") and "minim" not in dir(t) and "words" in dir(a) and
            type(m).train.__doc__ == "train a model on a task", "methods are those of the kind")
        for what, act in (("a name that is not there", lambda: lab["nothing"]), ("an operand too many", lambda: a.words("b", "c")),
                          ("an operand missing", lambda: m.train(steps=1)), ("an option that is not there", lambda: a.words(no=1)),
                          ("no method", lambda: t.minimize())):
            try:
                act()
                say(False, what)
            except (KeyError, TypeError, AttributeError, tapehead.Error) as e:
                say(True, f"refused: {what}, {type(e).__name__}")
        table = lab._ask("commands", "")[0]["commands"]
        say(len(table) > 100 and {"train", "compare models", "words"} <= {c["name"] for c in table},
            "the table has all commands", len(table))


def check_protocol():
    r = subprocess.run([TAPEHEAD, "--version"], text=True, check=False, stdout=subprocess.PIPE)
    say(r.stdout.split()[1] == tapehead.__version__, "the package has the program's version", r.stdout)
    asked = '{"run": "echo one"}\nno JSON\n{"walk": "x"}\n[]\n{"run": "show nothing"}\n{"run": "echo two"}\n'
    r = subprocess.run([TAPEHEAD, "-n", "--serve"], input=asked, text=True, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    done = [json.loads(x) for x in r.stdout.splitlines() if '"done"' in x]
    say([d["status"] for d in done] == ["ok", "error", "error", "error", "error", "ok"] and
        [d["done"] for d in done] == [1, 2, 3, 4, 5, 6] and r.returncode == 0,
        "every request is done, whatever it was", r.stdout + r.stderr)


def check_notebooks():
    try:
        import nbclient
        import nbformat
        import ipykernel  # noqa: F401
    except ImportError as e:
        say(True, f"notebooks # skip {e}")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/jupyter/kernels/tapehead")
        with open(f"{PACKAGE}/tapehead/kernelspec/kernel.json", encoding="utf-8") as f:
            spec = json.load(f)
        spec["argv"][0] = sys.executable
        spec["env"] = {"PYTHONPATH": PACKAGE, "TAPEHEAD": TAPEHEAD, "PYTHONDONTWRITEBYTECODE": "1"}
        with open(f"{folder}/jupyter/kernels/tapehead/kernel.json", "w", encoding="utf-8") as f:
            json.dump(spec, f)
        os.environ.update(JUPYTER_PATH=f"{folder}/jupyter", JUPYTER_RUNTIME_DIR=folder, IPYTHONDIR=folder)
        work = f"{folder}/examples/notebooks"
        os.makedirs(work)
        os.symlink(f"{ROOT}/examples/13-from-pytorch", f"{folder}/examples/13-from-pytorch")

        def executed(nb):
            nbclient.NotebookClient(nb, timeout=300, kernel_name="tapehead",
                                    resources={"metadata": {"path": work}}).execute()
            return nb
        for path in sorted(glob.glob(f"{ROOT}/examples/notebooks/*.ipynb")):
            try:
                nb = executed(nbformat.read(path, as_version=4))
                drawn = [o for c in nb.cells if c.cell_type == "code" for o in c.outputs
                         if o.output_type == "display_data" and "image/svg+xml" in o.data]
                said = "".join(o.text for c in nb.cells if c.cell_type == "code" for o in c.outputs
                               if o.output_type == "stream")
                say(len(drawn) == 1 and ("proved" in said) == ("pytorch" in path),
                    f"{os.path.basename(path)} runs, with its picture", said)
            except Exception as e:  # whatever a notebook dies of
                say(False, os.path.basename(path), e)
        nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("list\nshow nothing")])
        try:
            executed(nb)
            say(False, "a cell that fails")
        except nbclient.exceptions.CellExecutionError as e:
            say("nothing" in str(e), "a cell that fails says why", e)


def check_package():
    try:
        import setuptools  # noqa: F401
        import wheel  # noqa: F401
    except ImportError as e:
        say(True, f"a wheel # skip {e}")
        return
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run(["make", "-s", "-C", ROOT, "python", f"PYTHON_DIST={folder}/dist", f"PYTHON={sys.executable}"], text=True,
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        files = sorted(os.listdir(f"{folder}/dist")) if os.path.isdir(f"{folder}/dist") else []
        say(len(files) == 2 and files[0].endswith("none-any.whl") and files[1].endswith(".tar.gz"),
            "a wheel and a source archive", built.stdout[-2000:])
        if subprocess.run([sys.executable, "-m", "venv", f"{folder}/v"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).returncode:
            say(True, "the wheel installs # skip no venv")
            return
        subprocess.run([f"{folder}/v/bin/pip", "install", "-q", "--no-index", "--no-deps",
                        *(f"{folder}/dist/{f}" for f in files if f.endswith(".whl"))], check=False)
        r = subprocess.run([f"{folder}/v/bin/python", "-c", "import tapehead\nwith tapehead.Lab() as lab:\n"
                            " print(lab.run('automaton p = parity')['states'])"], text=True, cwd=folder,
                           check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        say(r.stdout == "2\n" and os.path.exists(f"{folder}/v/share/jupyter/kernels/tapehead/kernel.json"),
            "the wheel installs, kernel and all", r.stdout)


check_lab()
check_handles()
check_protocol()
check_notebooks()
check_package()
print(f"1..{count}")
sys.exit(failed > 0)
