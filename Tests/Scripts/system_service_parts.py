"""What the tests of the system service share: the deployment, what it may do, and the outcome of each check."""

import contextlib
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

from deployment import PYTHON, VICTIM, Deployment  # noqa: E402

from patience import PATIENCE, eventually

FAILED = []


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else ': ' + str(detail)}", flush=True)
    if not holds:
        FAILED.append(name)


class Service(Deployment):
    """A deployment whose keychains are closed soon when nobody is connected."""

    def options(self):
        return [*super().options(), "--idle-exit", "1"]

    def has(self, program, **options):
        return self.learns(*self.search(program), **options)

    def ask_system(self, program, *words, text=None):
        environment = self.environment(KEYCHAIN_SOCKET=self.path("run", "system"))
        return self.run(program, *words, user=0, env=environment, text=text)


@contextlib.contextmanager
def connected(d, user=VICTIM):
    """Somebody of the victim's is connected meanwhile, so that his keychain is not closed, and locked, however slow
    this machine is.
    """
    code = (
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\n"
        f"s.connect({d.socket!r})\nprint(flush=True)\nsys.stdin.readline()\n"
    )
    process = subprocess.Popen(
        [PYTHON, "-c", code],
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        process.stdout.readline()
        yield
    finally:
        process.communicate("\n", timeout=PATIENCE)


class Desktop:
    """A session's bus of the victim's, and the bridge on it."""

    @staticmethod
    def install(d):
        """The daemon knows the bridge that is there when it starts."""
        return d.install("keychain-secrets", f"{d.products}/keychain-secrets", "libexec")

    def __init__(self, d, bridge, stack, **variables):
        self.d, self.folder = d, d.path("mine", "session")
        os.mkdir(self.folder, 0o700)
        os.chown(self.folder, VICTIM, VICTIM)
        address = f"unix:path={self.folder}/bus"
        self.environment = d.environment(
            DBUS_SESSION_BUS_ADDRESS=address, XDG_RUNTIME_DIR=self.folder, **variables
        )
        self.begin(stack, "dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}")
        eventually(lambda: os.path.exists(f"{self.folder}/bus"))
        self.begin(stack, bridge)
        eventually(lambda: d.run(bridge, "--owner", env=self.environment).stdout.strip() == bridge)

    def begin(self, stack, *words):
        process = subprocess.Popen(
            words, user=VICTIM, group=VICTIM, extra_groups=[], cwd="/", env=self.environment,
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        stack.callback(process.wait)
        stack.callback(process.kill)

    def store(self):
        return self.d.run("secret-tool", "store", "--label=L", "n", "1", text="geheim", env=self.environment)

    def finds(self):
        return self.d.run("secret-tool", "lookup", "n", "1", env=self.environment).stdout == "geheim"


def privileges(d):
    for kind, process in d.processes().items():
        lines = dict(line.split(":", 1) for line in open(f"/proc/{process}/status").read().splitlines())
        # It starts the others as what they are.
        if kind == "supervisor":
            continue
        wanted = 0x80000 if kind == "identifier" else 0
        sets = {int(lines[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb", "CapBnd")}
        if sets != {wanted} or lines["Groups"].strip():
            d.said = f"{kind}: {sets}"
            return False
        # The agent alone may start a program with privileges.
        if kind not in ("agent", "listener") and lines["NoNewPrivs"].strip() != "1":
            d.said = f"{kind} may gain privileges"
            return False
    return True


def credential(d, unit, name, user=0):
    """Asks as systemd does: its end is bound to an abstract name that says who wants what."""
    code = (
        "import os,socket,sys\ns=socket.socket(socket.AF_UNIX)\n"
        f"s.bind(b'\\0'+os.urandom(8).hex().encode()+{('/unit/' + unit + '/' + name).encode()!r})\n"
        f"s.settimeout({PATIENCE})\ns.connect({d.path('run', 'credentials')!r})\ndata=b''\n"
        "while True:\n p=s.recv(65536)\n if not p: break\n data+=p\n"
        "sys.stdout.buffer.write(data)"
    )
    done = d.run("/usr/bin/python3", "-c", code, user=user)
    return done.stdout if done.returncode == 0 else done.stderr


def asked_at_terminal(d, words, typed):
    """What a program of the victim's says at a terminal of its own, where somebody types."""
    process, terminal = pty.fork()
    if process == 0:
        os.setgroups([])
        os.setgid(VICTIM)
        os.setuid(VICTIM)
        os.execve(words[0], words, d.environment(KEYCHAIN_INTERACTION="auto", TERM="xterm", LANG="C.UTF-8"))
    said, answered = "", False
    while True:
        try:
            part = os.read(terminal, 4096).decode("utf-8", "replace")
        except OSError:
            break
        said += part
        if not part:
            break
        if typed is not None and not answered and "asscode" in said and said.rstrip().endswith(":"):
            os.write(terminal, typed.encode())
            answered = True
    os.waitpid(process, 0)
    os.close(terminal)
    return said
