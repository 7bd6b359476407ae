"""What the agent's tests are made of: an enclave's end of its channel, written from
docs/formats/protocol.md; a terminal with a person at
it; a pinentry that does as it is told."""

import contextlib
import os
import pathlib
import pty
import select
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

from patience import PATIENCE

PROGRAM = os.path.abspath(sys.argv[1])
# The time that a person is given in a question that no test lets pass: longer than any wait of a test.
UNHURRIED = 10 * PATIENCE
VARIABLES = [
    "TERM",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "LANGUAGE",
    "LC_ALL",
    "LC_MESSAGES",
    "LC_CTYPE",
    "LANG",
]
KINDS = {"finger": 1, "passcode": 2, "password": 3, "new password": 4, "login": 5, "shown digits": 7, "digits": 8}
ANSWERS = {
    1: "matched",
    2: "no match",
    3: "secret",
    4: "fallback",
    5: "cancelled",
    6: "withdrawn",
    7: "unreachable",
    8: "timed out",
    9: "seen",
}
EVENTS = {1: "locked", 2: "unlocked", 3: "going to sleep", 4: "awake", 5: "ended"}
CONTEXT = bytes(range(48))


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def text(value):
    value = value.encode()
    return struct.pack("<I", len(value)) + value


def question(
    kind,
    terminal="",
    reason="",
    program="/usr/bin/program",
    item="the item",
    interaction=2,
    fallback=None,
    allows_fallback=False,
    failures=0,
    wait=0,
    digits="",
    seconds=UNHURRIED,
    **environment,
):
    body = struct.pack("<IBBII", int(seconds * 1000), KINDS[kind], allows_fallback, failures, wait) + CONTEXT
    body += struct.pack("<BB", interaction, fallback is not None) + text(reason)
    body += b"" if fallback is None else text(fallback)
    body += text(program) + text(item) + text(terminal) + bytes([len(environment)])
    for name, value in environment.items():
        body += bytes([VARIABLES.index(name)]) + text(value)
    # No change of a circle of machines.
    return body + bytes([0]) + text(digits)


class Agent:
    """keychain-agent, and the enclave's end of its channel."""

    def __init__(self, program, *arguments, **environment):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.process = subprocess.Popen(
            [program, "--channel", str(theirs.fileno()), *arguments],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self.ids = 0
        self.events = []
        self.answers = {}
        expect(self.receive() == (1, 0, struct.pack("<I", 3)), "the agent does not greet")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            expect(part, "the agent has closed the channel")
            data += part
        return data

    def receive(self):
        length, word = struct.unpack("<II", self.read(8))
        return word & 0xFF, word >> 8, self.read(length)

    def send(self, operation, body=b"", number=None):
        if number is None:
            self.ids += 1
            number = self.ids
        self.socket.sendall(struct.pack("<II", len(body), operation | number << 8) + body)
        return number

    def take(self):
        """Takes one message: an answer, or an event, which is acknowledged."""
        operation, number, body = self.receive()
        if operation == 8:
            self.events.append(EVENTS[body[0]])
            self.send(9, number=number)
        else:
            expect(operation in (6, 7), "the agent says what it may not")
            self.answers[number] = body if operation == 6 else b"busy"

    def answer(self, number):
        while number not in self.answers:
            self.take()
        return self.answers.pop(number)

    def next_event(self):
        while not self.events:
            self.take()
        return self.events.pop(0)

    def begin(self, kind, *arguments, **parts):
        return self.send(4, question(kind, *arguments, **parts))

    def outcome(self, number):
        body = self.answer(number)
        if body == b"busy":
            return "busy"
        return body[5:].decode() if body[0] == 3 else "<" + ANSWERS[body[0]] + ">"

    def ask(self, kind, *arguments, **parts):
        return self.outcome(self.begin(kind, *arguments, **parts))

    def withdraw(self):
        self.send(5, CONTEXT)

    def biometry(self):
        body = self.answer(self.send(3))
        return body[0], body[5:]

    def report(self):
        body = self.answer(self.send(2))
        texts, offset = [], 1
        while offset < len(body):
            (size,) = struct.unpack_from("<I", body, offset)
            texts.append(body[offset + 4 : offset + 4 + size].decode())
            offset += 4 + size
        return dict(zip(["sensor", "graphical", "terminal", "login", "session"], texts), bus=bool(body[0]))

    def children(self):
        """The processes that the agent has started and that have not been waited for."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        return [child for task in tasks.iterdir() for child in (task / "children").read_text().split()]


class Person:
    """Who sits at a terminal."""

    def __init__(self):
        self.side, self.device = pty.openpty()
        self.path = os.ttyname(self.device)
        self.seen = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.side)
        os.close(self.device)

    def wait_for(self, wanted):
        """Waits for a text, and gives what was seen before it since the last one."""
        deadline = time.monotonic() + PATIENCE
        while wanted not in self.seen:
            expect(time.monotonic() < deadline, f"{wanted!r} does not appear, but {self.seen!r}")
            if select.select([self.side], [], [], 0.1)[0]:
                self.seen += os.read(self.side, 4096).decode(errors="replace")
        before, _, self.seen = self.seen.partition(wanted)
        return before

    def type(self, keys):
        os.write(self.side, keys.encode())

    def echoes(self):
        flags = termios.tcgetattr(self.device)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)


FAKE = """#!/bin/bash
# A pinentry that does as it is told.
env > {log}.environment
{start}
echo OK ready
while read -r command rest; do
  echo "$command $rest" >> {log}
  case $command in
    GETPIN) {pin} ;;
    CONFIRM) {confirm} ;;
    SETREPEAT) {repeat} ;;
    *) echo OK ;;
  esac
done
"""


@contextlib.contextmanager
def fake_pinentry(start="", pin="echo D secret; echo OK", confirm="echo OK", repeat="echo OK"):
    with tempfile.TemporaryDirectory() as folder:
        path, log = pathlib.Path(folder) / "pinentry", pathlib.Path(folder) / "log"
        path.write_text(FAKE.format(log=log, start=start, pin=pin, confirm=confirm, repeat=repeat))
        path.chmod(0o755)
        log.touch()
        yield str(path), log


def run(cases):
    """Runs the cases that the command line names, or all of them."""
    failed = 0
    for case in cases:
        if len(sys.argv) > 2 and case.__name__ not in sys.argv[2:]:
            continue
        begun = time.monotonic()
        try:
            case()
            print(f"  {case.__name__}: {time.monotonic() - begun:.1f} s")
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            failed += 1
            print(f"FAILED: {case.__name__}: {error}")
    sys.exit(1 if failed else 0)
