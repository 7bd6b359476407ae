"""Looks for secrets where none may be: files, logs, command lines, core files, and the memory of the daemon, the
enclave, the agent and a client.

A run does everything that touches a secret: values are added, read, changed, deleted and brought back; the password
of the keychain is set, given rightly and wrongly, at a pipe and at the terminal, and changed; a recovery code is
made; the log is long. Every secret has a mark of its own, 24 random letters. What may be swapped is what the kernel
does not say is locked (VmFlags, proc(5)). All of it runs as a user who may lock only so much memory; root's enclave
locks everything. That the search finds what is there is shown by a mark that the client holds on purpose.

usage: leaks_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import pathlib
import re
import resource
import secrets
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

# A number of nobody's, who has no other processes.
from numbers_of_users import USERS as USER  # noqa: E402

BUILT = os.path.abspath(sys.argv[1])
NAMES = ["keychaind", "keychain-enclaved", "keychain-agent", "security", "guarded-item"]
LOCKABLE = 8 << 20
TIMEOUT = 30
MARKS = {}


def mark(name):
    """A new secret of that name, in ASCII."""
    MARKS[name] = "".join(secrets.choice(string.ascii_letters) for _ in range(24))
    return MARKS[name]


def until(condition, what):
    deadline = time.monotonic() + TIMEOUT
    while not (value := condition()):
        if time.monotonic() > deadline:
            sys.exit(f"not in {TIMEOUT} s: {what}")
        time.sleep(0.01)
    return value


class Keychain:
    """A keychain whose daemon writes its log, and whatever else it writes, below one folder."""

    def __init__(self, folder):
        self.folder, self.home, self.programs = folder, f"{folder}/keychain", f"{folder}/bin"
        for name in ("tmp", "run", "bin"):
            os.mkdir(f"{folder}/{name}", 0o700)
        for name in NAMES:
            shutil.copy(f"{BUILT}/{name}", self.programs)
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": folder,
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "TMPDIR": f"{folder}/tmp",
            "XDG_RUNTIME_DIR": f"{folder}/run",
            "KEYCHAIN_HOME": self.home,
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_MODE": "daemon",
            "KEYCHAIN_SOCKET": f"{folder}/socket",
            "DISPLAY": ":0",
        }
        self.write_pinentry()
        self.log = open(f"{folder}/log", "w")
        for path in [folder, *pathlib.Path(folder).rglob("*")]:
            os.chown(path, USER, USER)
        self.daemon = self.start(
            "keychaind",
            "--socket",
            f"{folder}/socket",
            "--store",
            self.home,
            "--tpm",
            "none",
            "--pinentry",
            f"{folder}/pinentry",
            stdout=self.log,
            stderr=self.log,
        )
        until(lambda: os.path.exists(f"{folder}/socket"), "the daemon listens")

    def start(self, program, *words, more=None, **streams):
        return subprocess.Popen(
            [f"{self.programs}/{program}", *words],
            cwd=self.folder,
            env=self.environment | (more or {}),
            user=USER,
            group=USER,
            extra_groups=[],
            **streams,
        )

    def finish(self, program, *words, given=""):
        """What a program that comes to its end says: its exit code, its output, its errors."""
        process = self.start(
            program, *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        output, errors = process.communicate(given, timeout=TIMEOUT)
        return process.returncode, output, errors

    def run(self, *words, given="", code=0):
        ended, output, errors = self.finish("security", *words, given=given)
        if ended != code:
            sys.exit(f"security {' '.join(words)}: {ended}, not {code}: {errors}")
        return output

    def write_pinentry(self):
        """One that gives what is in a file; the agent sees what there is when it starts."""
        pathlib.Path(f"{self.folder}/answer").touch()
        with open(f"{self.folder}/pinentry", "w") as script:
            script.write(
                "#!/bin/sh\necho 'OK hello'\nwhile read -r word rest; do case $word in\nGETPIN) echo \"D $(cat"
                f" {self.folder}/answer)\"; echo OK;;\nBYE) echo OK; exit 0;;\n*) echo OK;;\nesac; done\n"
            )
        os.chmod(f"{self.folder}/pinentry", 0o700)

    def processes(self):
        """The daemon and all below it, by their numbers and names."""
        found, waiting = {}, [self.daemon.pid]
        while waiting:
            process = waiting.pop()
            with contextlib.suppress(OSError):
                found[process] = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
                for task in pathlib.Path(f"/proc/{process}/task").iterdir():
                    waiting += map(int, (task / "children").read_text().split())
        return found


def values(keychain):
    """Everything that an item's value goes through."""
    find = ("find-generic-password", "-s", "leaks", "-a", "one", "-w")
    first, second = mark("the first value"), mark("the second value")
    keychain.run("add-generic-password", "-s", "leaks", "-a", "one", "-j", mark("a comment"), "-w", given=first)
    keychain.run("add-generic-password", "-U", "-s", "leaks", "-a", "one", "-w", given=second)
    keychain.run("history")
    if keychain.run(*find).strip() != second or second not in keychain.run("dump-keychain", "-d"):
        sys.exit("the value is not what was stored")
    for number in range(40):
        keychain.run("add-generic-password", "-s", "leaks", "-a", f"many {number}", "-w", given=mark(f"value {number}"))
    keychain.run("delete-generic-password", "-s", "leaks", "-a", "one")
    keychain.run("find-generic-password", "-s", "leaks", "-a", "one", "-w", code=44)
    keychain.run("undelete", "-s", "leaks", "-a", "one")
    if keychain.run(*find).strip() != second:
        sys.exit("what was brought back is not what was deleted")
    keychain.run("verify-keychain")
    keychain.run(
        "git-credential", "store", given=f"protocol=https\nhost=x.example\nusername=u\npassword={mark('a token')}\n\n"
    )


def passwords(keychain):
    """Everything that the keychain's password goes through."""
    first, second, wrong = mark("the first password"), mark("the second password"), mark("a wrong password")
    keychain.run("set-keychain-password", given=f"{first}\n{first}\n")
    keychain.run("lock-keychain")
    keychain.run("unlock-keychain", given=wrong, code=51)
    keychain.run("unlock-keychain", given=first)
    keychain.run("set-keychain-password", given=f"{first}\n{second}\n{second}\n")
    keychain.run("lock-keychain")
    keychain.run("unlock-keychain", given=second)
    return second


def guarded(keychain, password):
    """An item that the user guards, asked for by a pinentry."""
    added = keychain.finish("guarded-item", "add", "a service", "ak")
    answer = pathlib.Path(f"{keychain.folder}/answer")
    answer.write_text(password)
    read = keychain.finish("guarded-item", "read", "a service")
    answer.write_text("")
    if added[0] or read[:2] != (0, "guarded value\n"):
        sys.exit(f"the guarded item: {added}, {read}")


def client(keychain):
    """A program that reads a value, lets go of it, and stays."""
    held, read = mark("what the client holds"), mark("what the client has let go of")
    keychain.run("add-generic-password", "-s", "client", "-a", "one", "-w", given=read)
    program = keychain.start(
        "security", "-i", more={"HELD": held}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    os.set_blocking(program.stdout.fileno(), False)
    program.stdin.write("find-generic-password -s client -a one -w\nfind-generic-password -s client -a one\n")
    program.stdin.flush()
    heard = []

    def hear():
        with contextlib.suppress(BlockingIOError):
            heard.append(os.read(program.stdout.fileno(), 1 << 16))
        return b"svce" in b"".join(heard)

    until(hear, "the client answers")
    if read.encode() not in b"".join(heard):
        sys.exit("the client did not read the value")
    return program


def searched(process, swappable):
    """What can be read of a process's memory, range by range.

Without what is locked, if only what may be swapped is asked for.
    """
    ranges = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", pathlib.Path(f"/proc/{process}/smaps").read_text(), flags=re.M)
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for text in filter(None, ranges):
            start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", text).groups()
            flags = re.search(r"VmFlags:(.*)", text)[1].split()
            if "r" not in rights or "[v" in text.split("\n")[0] or swappable and "lo" in flags:
                continue
            with contextlib.suppress(OSError):
                memory.seek(int(start, 16))
                yield text.split("\n")[0], memory.read(int(end, 16) - int(start, 16))


def found_in_memory(process, swappable=True):
    found = []
    for place, content in searched(process, swappable):
        found += [
            f"{name}, {content.count(secret.encode())} times in {place}"
            for name, secret in MARKS.items()
            if secret.encode() in content
        ]
    return found


def found_in_files(folder):
    found = []
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            found += [
                f"{name} in {path.relative_to(folder)}"
                for name, secret in MARKS.items()
                if secret.encode() in content or secret.encode("utf-16-le") in content
            ]
    return found


def dies(keychain):
    """Nobody leaves a core file, whatever the limit."""
    for process in keychain.processes():
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGABRT)
    keychain.daemon.wait(TIMEOUT)


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (LOCKABLE, LOCKABLE))
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        keychain = Keychain(folder)
        values(keychain)
        password = passwords(keychain)
        guarded(keychain, password)
        program = client(keychain)
        names = keychain.processes()
        if not {"keychaind", "keychain-enclav", "keychain-agent"} <= set(names.values()):
            sys.exit(f"these processes run: {names}")
        for process, name in names.items():
            problems += [f"{name}: {what}" for what in found_in_memory(process)]
        held = found_in_memory(program.pid, swappable=False)
        if not any(what.startswith("what the client holds") for what in held):
            sys.exit("the search does not find what the client holds")
        problems += [f"the client: {what}" for what in held if not what.startswith("what the client holds")]
        program.stdin.close()
        program.wait()
        dies(keychain)
        problems += found_in_files(folder)
        count = sum(path.is_file() for path in pathlib.Path(folder).rglob("*"))
    if problems:
        sys.exit("\n".join(problems))
    print(
        f"{len(MARKS)} secrets: none in {count} files, nor in memory of {', '.join(names.values())} that may be"
        " swapped, nor in the client's"
    )


main()
