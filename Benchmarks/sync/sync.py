"""Two machines that keep a keychain in common, over a folder and over PostgreSQL, and a C program that moves the same
bytes: the first sync of many items, and how long a change takes to be seen on the other machine.

usage: sync.py FOLDER-OF-PROGRAMS [ITEMS]
"""

import contextlib
import os
import pathlib
import pwd
import statistics
import subprocess
import sys
import tempfile
import time

if os.getuid() == 0:
    # PostgreSQL serves nobody as root, nor somebody without an account.
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setresgid(nobody.pw_gid, nobody.pw_gid, nobody.pw_gid)
    os.setresuid(nobody.pw_uid, nobody.pw_uid, nobody.pw_uid)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Tests", "Scripts"))

from ordinary_parts import as_user  # noqa: E402
from own_authority import Authority  # noqa: E402
from patience import eventually  # noqa: E402
from postgres_parts import PostgresServer  # noqa: E402
from sync_parts import machines  # noqa: E402

CHANGES = 5


class Folder:
    """A folder that both machines have."""

    name = "a folder"

    def __init__(self, home):
        self.path = f"{home}/shared"
        os.mkdir(self.path)
        os.chmod(self.path, 0o777)

    def begin(self, one, _):
        return self.path, one.sync("setup", "-n", "one", self.path)["circle"]

    def batches(self):
        return [path.read_bytes() for path in pathlib.Path(self.path).glob("*/log/*/*") if path.name[0] != "."]

    def floor(self, kind, source, target):
        return ["folder", source, target] if kind == "all" else ["folder-change", target]

    def end(self):
        pass


class Server:
    """A server on this machine, with TLS, whose writes are durable."""

    name = "PostgreSQL"

    def __init__(self, home, programs):
        self.programs, self.authority = programs, Authority(home, "ours")
        self.server = PostgresServer(*self.authority.certify("localhost"), fsync="on")
        self.administer("--install")
        for role in ("CREATE ROLE alice LOGIN", "ALTER ROLE owner"):
            self.server.ask(f"{role} PASSWORD 'secret'")
        self.administer("--admit", "alice")

    def administer(self, *words):
        return subprocess.run(
            [f"{self.programs}/keychain-sync-server", "--server", self.server.database(), *words],
            check=True, capture_output=True, text=True, preexec_fn=as_user,
        ).stdout.strip()

    def begin(self, one, other):
        for machine in (one, other):
            path = pathlib.Path(f"{machine.home}/.pgpass")
            path.write_text(f"*:{self.server.port}:sync:alice:secret\n")
            path.chmod(0o600)
        url = self.server.url("alice", self.authority.root)
        return url, one.sync("setup", "-n", "one", url, text=self.administer("--invite", "alice"))["circle"]

    def batches(self):
        rows = self.server.ask("SELECT encode(body, 'hex') FROM keychain_sync.slots").split()
        return [bytes.fromhex(row) for row in rows]

    def floor(self, kind, source, _):
        url = self.server.url("owner:secret", self.authority.root) + "&sslmode=verify-full"
        return ["server", source, url] if kind == "all" else ["server-change", url]

    def end(self):
        self.server.end()


def seconds(body):
    start = time.monotonic()
    body()
    return time.monotonic() - start


def until_sent(machine):
    while machine.sync("status")["unsent"]:
        machine.must("sync", "now")


def first_sync(one, other, place, items):
    """The seconds until all items are sent, and until another machine that was added has them all."""
    one.write("fill", str(items))
    start = time.monotonic()
    url, circle = place.begin(one, other)
    until_sent(one)
    sent = time.monotonic() - start
    code = other.sync("join", "-n", "other", url, circle)["code"]
    one.sync("add-device", code)
    one.must("sync", "now")

    def until_there():
        while len(other.items()) < items:
            other.must("sync", "now")

    return sent, seconds(until_there)


@contextlib.contextmanager
def watching(machine):
    """What a program prints that is told of each change."""
    watch = subprocess.Popen(
        [f"{machine.programs}/item-writer", "watch"], env=machine.environment, preexec_fn=as_user,
        stdout=subprocess.PIPE, text=True,
    )
    try:
        assert watch.stdout.readline() == "w\n"
        yield watch.stdout
    finally:
        watch.kill()
        watch.wait()
        watch.stdout.close()


def change_seen(one, other):
    """The seconds from a program's change on one machine until a program on the other one is told and has read it."""
    one.must("sync", "now")
    for machine in (one, other):
        machine.start()
        eventually(lambda machine=machine: machine.sync("status")["problem"] is None, "the carrier has a problem")

    def once(number, told):
        one.write("put", "seen", str(number))
        # What came before may be told once more.
        while f"seen: {number}" not in other.items():
            assert told.readline() == "!\n"

    with watching(other) as told:
        # The first one comes with what was under way.
        once(0, told)
        found = [seconds(lambda number=number: once(number, told)) for number in range(1, CHANGES + 1)]
    for machine in (one, other):
        machine.stop()
    return statistics.median(found)


def floor(program, place, kind, home):
    """The seconds that moving the same bytes takes, the median of some runs."""
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(tempfile.TemporaryDirectory(dir=home))
        for number, batch in enumerate(place.batches() if kind == "all" else []):
            pathlib.Path(f"{source}/{number}").write_bytes(batch)
        found = []
        for _ in range(3):
            target = stack.enter_context(tempfile.TemporaryDirectory(dir=home))
            words = place.floor(kind, source, target)
            done = subprocess.run([program, *words], capture_output=True, text=True, env=os.environ | {"HOME": home})
            if done.returncode != 0:
                sys.exit(f"{words[0]}: {done.stderr}")
            found.append(float(done.stdout) / 1e6)
        return statistics.median(found)


def compiled(home):
    program = f"{home}/move"
    include = subprocess.run(["pg_config", "--includedir"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Wextra", "-D_GNU_SOURCE", f"-I{include}", f"{HERE}/move.c", "-lpq", "-o", program],
        check=True,
    )
    return program


def measure(programs, items, make):
    with machines(programs, "one", "other") as (home, (one, other)):
        place = make(home)
        try:
            sent, there = first_sync(one, other, place, items)
            size = sum(map(len, place.batches()))
            program = compiled(home)
            moved = floor(program, place, "all", home)
            print(f"{place.name}: {items} items in {size / 1e6:.1f} MB")
            print(f"  sent, and read by another machine {sent:7.2f} s {there:7.2f} s")
            print(f"  a C program that moves the bytes  {moved:7.2f} s, a ratio of {(sent + there) / moved:.1f}")
            seen = change_seen(one, other)
            moved = floor(program, place, "change", home)
            print(f"  a change seen by a program there  {seen:7.2f} s")
            print(f"  a C program that moves a change   {moved:7.4f} s")
        finally:
            place.end()


def main():
    programs, items = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    measure(programs, items, Folder)
    measure(programs, items, lambda home: Server(home, programs))


main()
