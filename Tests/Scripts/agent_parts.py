"""What agent_test.py is made of: an enclave's end of the agent's channel, written from docs/protocol.md; a system bus of its own
with fprintd and its virtual reader, polkit and logind (python-dbusmock); a terminal with a person at it."""

import contextlib
import os
import pathlib
import pty
import select
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

PATIENCE = 20
VARIABLES = ["TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "LANGUAGE",
             "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG"]
KINDS = {"finger": 1, "passcode": 2, "password": 3, "new password": 4, "login": 5}
ANSWERS = {1: "matched", 2: "no match", 3: "secret", 4: "fallback", 5: "cancelled", 6: "withdrawn", 7: "unreachable",
           8: "timed out"}
EVENTS = {1: "locked", 2: "unlocked", 3: "going to sleep", 4: "awake"}
CONTEXT = bytes(range(48))


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def until(condition, what):
    """Waits for a condition that another process brings about; its value."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        expect(time.monotonic() < deadline, what)
        time.sleep(0.01)


def text(value):
    value = value.encode()
    return struct.pack("<I", len(value)) + value


def question(kind, terminal="", reason="", program="/usr/bin/program", item="the item", interaction=2, fallback=None,
             allows_fallback=False, failures=0, wait=0, seconds=PATIENCE, **environment):
    body = struct.pack("<IBBII", int(seconds * 1000), KINDS[kind], allows_fallback, failures, wait) + CONTEXT
    body += struct.pack("<BB", interaction, fallback is not None) + text(reason)
    body += b"" if fallback is None else text(fallback)
    body += text(program) + text(item) + text(terminal) + bytes([len(environment)])
    for name, value in environment.items():
        body += bytes([VARIABLES.index(name)]) + text(value)
    return body


class Agent:
    """keychain-agent, and the enclave's end of its channel."""

    def __init__(self, program, *arguments, **environment):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.process = subprocess.Popen(
            [program, "--channel", str(theirs.fileno()), *arguments], pass_fds=[theirs.fileno()], env=environment,
            stdin=subprocess.DEVNULL)
        theirs.close()
        self.ids = 0
        self.events = []
        self.answers = {}
        expect(self.receive() == (1, 0, struct.pack("<I", 1)), "the agent does not greet")

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
        return word & 0xff, word >> 8, self.read(length)

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
            size, = struct.unpack_from("<I", body, offset)
            texts.append(body[offset + 4:offset + 4 + size].decode())
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
        deadline = time.monotonic() + PATIENCE
        while wanted not in self.seen:
            expect(time.monotonic() < deadline, f"{wanted!r} does not appear, but {self.seen!r}")
            if select.select([self.side], [], [], 0.1)[0]:
                self.seen += os.read(self.side, 4096).decode(errors="replace")
        self.seen = self.seen.partition(wanted)[2]

    def type(self, keys):
        os.write(self.side, keys.encode())

    def echoes(self):
        flags = termios.tcgetattr(self.device)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)


@contextlib.contextmanager
def running(*command, ready=None, **environment):
    """A program that runs meanwhile."""
    program = subprocess.Popen(command, env={"PATH": "/usr/bin:/bin", **environment}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        until(lambda: program.poll() is not None or ready(), f"{command[0]} does not start")
        expect(program.poll() is None, f"{command[0]} ends at once")
        yield program
    finally:
        program.terminate()
        try:
            program.wait(5)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


class Bus:
    """A system bus of its own."""

    CONFIGURATION = """<busconfig><type>system</type><listen>unix:path={path}</listen><policy context="default">
        <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
        <allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
        </policy></busconfig>"""

    def __init__(self, folder, stack):
        import dbus
        self.dbus, self.folder, self.stack = dbus, folder, stack
        path = f"{folder}/bus"
        self.address = f"unix:path={path}"
        pathlib.Path(f"{folder}/bus.conf").write_text(self.CONFIGURATION.format(path=path))
        stack.enter_context(running("dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile",
                                    ready=lambda: os.path.exists(path)))
        self.connection = dbus.bus.BusConnection(self.address)

    def has(self, name):
        return self.connection.name_has_owner(name)

    def mock(self, template, name):
        self.stack.enter_context(running("/usr/bin/python3", "-m", "dbusmock", "--system", "--template", template,
                                         ready=lambda: self.has(name), DBUS_SYSTEM_BUS_ADDRESS=self.address))

    def interface(self, name, path, interface):
        return self.dbus.Interface(self.connection.get_object(name, path), interface)


class Reader:
    """fprintd with libfprint's virtual reader."""

    NAME = "net.reactivated.Fprint"

    def __init__(self, bus):
        self.bus, self.path = bus, f"{bus.folder}/reader"
        state = f"{bus.folder}/state"
        os.mkdir(state, 0o700)
        bus.mock("polkitd", "org.freedesktop.PolicyKit1")
        policy = bus.interface("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
                               "org.freedesktop.DBus.Mock")
        policy.AllowUnknown(True)
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin"}
        bus.stack.enter_context(running(
            "/usr/libexec/fprintd", "-t", ready=lambda: bus.has(self.NAME), FP_VIRTUAL_DEVICE=self.path,
            STATE_DIRECTORY=state, DBUS_SYSTEM_BUS_ADDRESS=bus.address))

    def put(self, command):
        with socket.socket(socket.AF_UNIX) as reader:
            until(lambda: reader.connect_ex(self.path) == 0, "the reader does not take a finger")
            reader.sendall(command.encode())

    def enrol(self, finger, name):
        program = subprocess.Popen(["fprintd-enroll", "-f", name], env=self.environment, stdout=subprocess.PIPE,
                                   text=True)
        for line in program.stdout:
            if "Enrolling" in line or "stage-passed" in line:
                self.put(f"SCAN {finger}")
        expect(program.wait(PATIENCE) == 0, "a finger cannot be enrolled")

    def delete(self, name=None):
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        command = ["fprintd-delete", user] + (["-f", name] if name else [])
        subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)
