#!/usr/bin/env python3
"""terminal.py TAPEHEAD SAYS SCRIPT... - runs lines at the prompt in a terminal that answers, when it is
asked what it shows, as SAYS tells: sixel, kitty, neither, or nothing at all.  Prints how often it was
asked, which pictures it was sent, and how long the session took."""
import os
import pty
import re
import select
import signal
import sys
import time

program, says, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
answer = {"sixel": b"\033[?62;4;22c", "neither": b"\033[?62;22c", "silent": b"",
          "kitty": b"\033_Gi=31;OK\033\\\033[?62;22c"}[says]
child, fd = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm-256color"
    os.environ.pop("DISPLAY", None)
    os.environ.pop("WAYLAND_DISPLAY", None)
    os.execv(program, [program, "-n", "-q"])
begun, seen, asked, typed = time.time(), b"", 0, False
while time.time() - begun < 30:
    if not typed and b"tapehead> " in seen:
        typed = True
        os.write(fd, "".join(line + "\n" for line in lines + ["quit"]).encode())
    if not select.select([fd], [], [], 0.1)[0]:
        continue
    try:
        got = os.read(fd, 65536)
    except OSError:
        break
    if not got:
        break
    seen += got
    while seen.count(b"\033[c") > asked:
        asked += 1
        os.write(fd, answer)
for _ in range(50):
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    time.sleep(0.1)
else:
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
print("status", os.waitstatus_to_exitcode(status))
print("asked", asked)
print("sixel", len(re.findall(rb"\033P[0-9;]*q", seen)))
print("kitty", len(re.findall(rb"\033_Ga=T,f=100", seen)))
if says == "kitty":
    import base64
    pieces = re.findall(rb"\033_G(?:a=T,f=100,q=2,)?m=([01]);([A-Za-z0-9+/=]*)\033\\", seen)
    image = base64.b64decode(b"".join(data for _, data in pieces))
    whole = image.startswith(b"\x89PNG") and image.rstrip().endswith(b"IEND\xaeB`\x82")
    ends = [more for more, _ in pieces]
    print("png", whole and ends[-1:] == [b"0"] and set(ends[:-1]) <= {b"1"}
          and all(len(data) <= 4096 for _, data in pieces))
print("seven", len(re.findall(rb"[\r\n]7\r", seen)))
