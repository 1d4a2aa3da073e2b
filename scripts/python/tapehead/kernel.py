"""A kernel for Jupyter: cells are commands, tables are tables, what is plotted stands in the page.

    python3 -m tapehead.kernel install      for the user; --sys-prefix, --prefix=DIR: elsewhere

A command that ends with `> "FILE.svg"` or .png shows the file as well.
"""
import asyncio
import base64
import json
import os
import re
import sys

from ipykernel.kernelbase import Kernel

from . import Error, Interrupted, Lab, __version__

HERE = os.path.dirname(os.path.abspath(__file__))
DRAWN = re.compile(r'>\s*"([^"\n]+\.(svg|png))"')


class TapeheadKernel(Kernel):
    implementation = "tapehead"
    implementation_version = __version__
    language_info = {"name": "tapehead", "mimetype": "text/x-tapehead", "file_extension": ".th"}
    banner = "tapehead: a laboratory for automata and the small sequence models that learn them"

    def __init__(self, **more):
        super().__init__(**more)
        self.lab = Lab()
        self.lab.run("set format text")

    def say(self, text, stream="stdout"):
        self.send_response(self.iopub_socket, "stream", {"name": stream, "text": text})

    def show(self, path, kind):
        try:
            with open(path, "rb") as f:
                data = f.read()
        except OSError:
            return
        mime = {"svg": "image/svg+xml", "png": "image/png"}[kind]
        shown = data.decode() if kind == "svg" else base64.b64encode(data).decode()
        self.send_response(self.iopub_socket, "display_data",
                           {"data": {mime: shown, "text/plain": path}, "metadata": {}})

    def failed(self, name, error):
        lines = str(error).splitlines() or [name]
        content = {"ename": name, "evalue": lines[0], "traceback": lines}
        self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    async def do_execute(self, code, silent, store_history=True, user_expressions=None,
                         allow_stdin=False):
        def told(line):
            if not silent:
                self.say(line if isinstance(line, str) else json.dumps(line) + "\n")
        try:
            await asyncio.get_running_loop().run_in_executor(None, self.lab.run, code, told)
            if self.lab.said and not silent:
                self.say("".join(self.lab.said), "stderr")
        except (KeyboardInterrupt, asyncio.CancelledError, Interrupted) as e:
            if not isinstance(e, Interrupted):
                self.lab.interrupt()
            return self.failed("KeyboardInterrupt", "interrupted")
        except Error as e:
            return self.failed("Error", "".join(self.lab.said).strip() or e)
        if not silent:
            for path, kind in DRAWN.findall(code):
                self.show(path, kind)
        return {"status": "ok", "execution_count": self.execution_count, "payload": [],
                "user_expressions": {}}

    async def do_complete(self, code, cursor_pos):
        before = code[:cursor_pos]
        line = before.rsplit("\n", 1)[-1]
        matches, start = self.lab.complete(line)
        start = cursor_pos - len(line) + len(line.encode()[:start].decode())
        return {"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": cursor_pos,
                "metadata": {}}

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        word = re.search(r"\w*$", code[:cursor_pos]).group() + \
            re.match(r"\w*", code[cursor_pos:]).group()
        try:
            text = self.lab.run(f"help {word}").text if word else ""
        except Error:
            text = ""
        return {"status": "ok", "found": bool(text), "data": {"text/plain": text} if text else {},
                "metadata": {}}

    async def do_is_complete(self, code):
        more = self.lab.incomplete(code)
        return {"status": "incomplete", "indent": "  "} if more else {"status": "complete"}

    async def do_shutdown(self, restart):
        self.lab.close()
        return {"status": "ok", "restart": restart}


def main():
    if sys.argv[1:2] == ["install"]:
        from jupyter_client.kernelspec import KernelSpecManager
        where = dict(a[2:].split("=") if "=" in a else ("prefix", sys.prefix) for a in sys.argv[2:])
        KernelSpecManager().install_kernel_spec(os.path.join(HERE, "kernelspec"), "tapehead",
                                                user=not where, prefix=where.get("prefix"))
        return
    from ipykernel.kernelapp import IPKernelApp
    IPKernelApp.launch_instance(kernel_class=TapeheadKernel)


if __name__ == "__main__":
    main()
