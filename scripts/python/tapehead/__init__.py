"""tapehead from Python: a session of the program, answers as dicts, arrays and pictures.

    import tapehead
    lab = tapehead.Lab()
    lab.run("automaton p = parity; words p length=1..3")     a Result: .answers, dicts; .text
    lab.run("model m = gru dim=8; train m on parity steps=200 > 'log.csv'")
    lab.array("activations m abba")                          an array of numpy's, or a list
    lab["m"].evaluate(on=lab["p"], length=(1, 40))           what has a name, with the commands for it
    lab.figure("plot automaton p")                           the bytes of an SVG; or kind="png"

The program is `tapehead` of the path, or what the environment variable TAPEHEAD says.
"""
import json
import os
import signal
import subprocess
import tempfile
import threading

__version__ = "0.1.0"
__all__ = ["Error", "Interrupted", "Lab", "Result"]


class Error(Exception):
    """A command failed: what it said, where (line and column of the text), and what may help."""

    def __init__(self, message, source=None, line=None, column=None, hint=None):
        super().__init__(message)
        self.message, self.source, self.line, self.column, self.hint = message, source, line, column, hint

    def __str__(self):
        at = f"line {self.line}, column {self.column}: " if self.line else ""
        return at + self.message + (f" (hint: {self.hint})" if self.hint else "")


class Interrupted(Error):
    """The commands were stopped by interrupt()."""


class Result:
    """What commands answered: dicts, in order, and text that is for people."""

    def __init__(self, answers, text):
        self.answers, self.text = answers, text

    def __getitem__(self, key):
        """A member of the last answer that has it."""
        for answer in reversed(self.answers):
            if key in answer:
                return answer[key]
        raise KeyError(key)

    def __repr__(self):
        return "\n".join([json.dumps(a, ensure_ascii=False) for a in self.answers] + [self.text]).strip()


class Lab:
    """A session.  Only one thread at a time may run commands; any may interrupt them.

    shell=True lets ! and | run commands of the shell.  safe=True keeps all writing to the folder
    that Python is in now."""

    def __init__(self, program=None, options=(), shell=False, safe=False):
        command = [program or os.environ.get("TAPEHEAD", "tapehead"), "-n", "-q", *options,
                   *["--allow-shell"] * shell, *["--safe"] * safe, "--serve"]
        self.scratch = os.getcwd() if safe else None
        # A group of its own, so that Ctrl-C comes once: from here.
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, encoding="utf-8",
                                      start_new_session=True)
        self.said, self.classes = [], None
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self):
        for line in self.child.stderr:
            self.said.append(line)

    def _ask(self, name, text, told=None):
        """Sends a request; returns the done-mark, answers and text.  told gets each line at once."""
        self.said.clear()
        try:
            self.child.stdin.write(json.dumps({name: text}) + "\n")
            self.child.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise Error("the program has ended") from None
        answers, lines = [], []
        for line in self.child.stdout:
            try:
                answer = json.loads(line)
            except ValueError:
                answer = None
            if isinstance(answer, dict) and "done" in answer:
                return answer, answers, "".join(lines)
            if isinstance(answer, dict):
                answers.append(answer)
            else:
                lines.append(line)
            if told:
                told(answer if isinstance(answer, dict) else line)
        raise Error("the program has ended", hint="".join(self.said).strip() or None)

    def run(self, text, told=None):
        """Runs commands, up to the first that fails, which raises Error."""
        try:
            done, answers, said = self._ask("run", text, told)
        except KeyboardInterrupt:
            self.interrupt()
            raise
        failed = next((a["error"] for a in answers if "error" in a), None)
        if done["status"] == "interrupted":
            raise Interrupted("interrupted")
        if done["status"] != "ok":
            f = failed or {"message": "".join(self.said).strip() or "a command failed"}
            raise Error(f["message"], f.get("source"), f.get("line"), f.get("column"), f.get("hint"))
        return Result(answers, said)

    def __getitem__(self, name):
        """What has the name, as an object whose methods are the commands that take such a thing."""
        kinds = [o["kind"] for o in self.run("list")["objects"] if o["name"] == name]
        if not kinds:
            raise KeyError(name)
        if self.classes is None:
            from . import handles
            self.classes = handles.classes(self._ask("commands", "")[0]["commands"])
        return self.classes[kinds[0]](self, name)

    def complete(self, text):
        """What may stand at the end of a text, and the byte that these begin at."""
        done = self._ask("complete", text)[0]
        return done["matches"], done["start"]

    def incomplete(self, text):
        """Do the commands go on behind the text?"""
        return self._ask("incomplete", text)[0]["incomplete"]

    def help(self, topic=""):
        self.run("set format text")
        try:
            return self.run(f"help {topic}").text
        finally:
            self.run("set format json")

    def _file(self, command, ending):
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            path = os.path.join(folder, "it." + ending)
            self.run(f"{command} > {json.dumps(path)}")
            with open(path, "rb") as f:
                return f.read()

    def figure(self, command, kind="svg"):
        """The bytes of what a command plots: svg, png or pdf."""
        return self._file(command, kind)

    def array(self, command):
        """What a command gives as numbers: an array of numpy's; a list of lists without numpy."""
        from . import arrays
        return arrays.read(self._file(command, "npy"))

    def interrupt(self):
        """As Ctrl-C: the command that runs stops at its next safe point."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)

    def close(self):
        if self.child.stdin and not self.child.stdin.closed:
            try:
                self.child.stdin.close()
            except BrokenPipeError:
                pass
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.listener.join(1)
        self.child.stdout.close()
        self.child.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
