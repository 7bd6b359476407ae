"""The processes of a keychain are killed, stopped and starved at random moments, and its files are moved, while clients
work.

usage: comes_back_test.py FOLDER-OF-PROGRAMS [--seconds N | --each] [--seed N] [--only FAULT]

Every call is served, or refused with a reason, and none hangs; what was acknowledged is there; and when a fault
is over, all clients are served again without anybody's help, but for the passcode of a keychain that has one. As
root it goes on as a user whom the limits of processes bind.
"""

import argparse
import contextlib
import math
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import comes_back_faults  # noqa: E402
from comes_back_clients import Asker, Command, DEADLINE, Docker, Embedded, Figures, Git, Player  # noqa: E402
from comes_back_faults import EMBEDDED, KINDS  # noqa: E402
from numbers_of_users import USERS  # noqa: E402
from patience import PATIENCE  # noqa: E402

PASSCODE = "1234"
PINENTRY = """#!/bin/sh
echo OK
while read -r word rest; do
    case $word in
    GETPIN) sleep 0.1; echo D %s; echo OK ;;
    BYE) echo OK; exit 0 ;;
    *) echo OK ;;
    esac
done
"""


class World:
    """A keychain, its clients, and what its processes are."""

    def __init__(self, options, folder, rng, figures, hasPasscode):
        programs = options.programs
        self.home, self.figures, self.hasPasscode = f"{folder}/keychain", figures, hasPasscode
        self.socket, self.commands = f"{folder}/run/keychaind.sock", f"{folder}/bin"
        self.settings = {
            "KEYCHAIN_TIMEOUT": str(DEADLINE * 1000),
            "KEYCHAIN_SOCKET": self.socket,
            "KEYCHAIN_INTERACTION": "never",
            "HOME": folder,
            "DISPLAY": ":9",
            "LANG": "C.UTF-8",
            "KEYCHAIN_PINENTRY": f"{folder}/pinentry",
        }
        self.prepare(programs, folder)
        self.player, self.command, self.git, self.docker = (
            kind(programs, self, figures, random.Random(rng.random())) for kind in (Player, Command, Git, Docker)
        )
        self.embedded = [Embedded(number, programs, self, figures, random.Random(rng.random())) for number in (1, 2)]
        self.clients = [self.player, self.command, self.git, self.docker, *self.embedded]
        if hasPasscode:
            self.lock_in(programs, rng)

    def prepare(self, programs, folder):
        os.mkdir(self.commands)
        for name in ("security", "git-credential-keychain", "docker-credential-keychain"):
            os.symlink(f"{programs}/security", f"{self.commands}/{name}")
        os.symlink(f"{programs}/guarded-item", f"{self.commands}/guarded-item")
        pinentry = pathlib.Path(folder) / "pinentry"
        pinentry.write_text(PINENTRY % PASSCODE)
        pinentry.chmod(0o755)

    def lock_in(self, programs, rng):
        """Sets a passcode, and adds an item that takes the user and a program that asks for it."""
        # Nothing is disturbed yet, and a slow machine has its time.
        self.settings["KEYCHAIN_TIMEOUT"] = "60000"
        status, _, told = self.command.call(["set-keychain-password", "-p", PASSCODE])
        asker = Asker(programs, self, self.figures, random.Random(rng.random()))
        added, output, reason = asker.call(["add", "asked", "ak"])
        if status or added:
            sys.exit(f"there is no passcode: {told} {output} {reason}")
        self.settings["KEYCHAIN_TIMEOUT"] = str(DEADLINE * 1000)
        self.asker, self.passcode = asker, PASSCODE
        self.clients.append(asker)

    def processes(self):
        """The keychain's processes by their names."""
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
                name = pathlib.Path(f"/proc/{number}/comm").read_text().strip()
                if name in KINDS and any(word.startswith(self.home.encode()) for word in words):
                    found[name] = int(number)
        return found

    def process(self, kind):
        """The number of a process of a kind; None where there is none."""
        if kind != EMBEDDED:
            return self.processes().get(kind)
        typist = self.embedded[0].typist
        return typist.process.pid if typist and typist.process.poll() is None else None

    def kill(self):
        for process in self.processes().values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until(lambda: not self.processes(), 10)

    def leave(self):
        """Ends clients and keychain."""
        for client in self.clients:
            client.end()
        self.kill()

    def recovers(self):
        """Who is not served again. A debug build gives an enclave that has stopped a minute."""
        missing = list(self.clients)
        end = time.monotonic() + PATIENCE
        while missing and time.monotonic() < end:
            if self.hasPasscode:
                self.command.call(["unlock-keychain", "-p", PASSCODE])
            missing = [client for client in missing if not client.isServed()]
        return missing


def until(holds, seconds):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def play(world, fault):
    """One fault beside the clients' work, and what comes after it."""
    fault.begin()
    time.sleep(fault.lasts())
    fault.end()
    for client in world.clients:
        client.pause()
    begun = time.monotonic()
    missing = world.recovers()
    taken = time.monotonic() - begun
    if missing:
        names = ", ".join(client.name for client in missing)
        world.figures.fail(f"{names}: not served again after {fault.text()}")
    for client in world.clients:
        if client not in missing and not until(client.look, PATIENCE):
            world.figures.fail(f"{client.name}: its items cannot be read after {fault.text()}")
        client.go_on()
    return taken


def first_start(options, rng, figures):
    """The first daemon of a new keychain gets no enclave; the next one serves."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        world = World(options, folder, rng, figures, False)
        alone = f"{folder}/keychaind"
        shutil.copy(f"{options.programs}/keychaind", alone)
        world.settings["KEYCHAIN_DAEMON"] = alone
        if world.command.step(world.command.items[0], "write"):
            figures.fail("a daemon without an enclave has served")
        del world.settings["KEYCHAIN_DAEMON"]
        if not until(world.command.isServed, PATIENCE):
            figures.fail("nobody is served after the first start of a keychain was cut short")
            keep(world)
        world.kill()


def one_keychain(options, rng, figures, end):
    """Some rounds over one keychain."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        world = World(options, folder, rng, figures, options.each or rng.random() < 0.4)
        for client in world.clients:
            client.start()
        try:
            for _ in range(len(options.faults) if options.each else rng.randrange(4, 12)):
                # Each comes before one comes again.
                options.bag = options.bag or rng.sample(options.faults, len(options.faults))
                fault = options.bag.pop()(world, rng)
                taken = play(world, fault)
                figures.faults += 1
                figures.longest = max(figures.longest, taken)
                if options.verbose:
                    print(f"  {fault.text()}: {taken:.1f} s", flush=True)
                if figures.wrong:
                    print(f"after {fault.text()}, {'with' if world.hasPasscode else 'without'} a passcode", flush=True)
                if figures.wrong or time.monotonic() > end:
                    break
        finally:
            if figures.wrong:
                keep(world)
            world.leave()


def keep(world):
    """What the log says, for who has to find out why."""
    with contextlib.suppress(OSError):
        print(
            "".join(
                f"  log: {line}\n"
                for line in pathlib.Path(f"{world.home}/keychaind.log").read_text().splitlines()[-15:]
            )
        )
    print(f"  processes: {world.processes()}")


def become_nobody(programs):
    """Gives root's privileges up, which no limit binds, where another user may use the programs."""
    folders = [pathlib.Path(programs), *pathlib.Path(programs).parents]
    if os.geteuid() == 0 and all(folder.stat().st_mode & 0o001 for folder in folders):
        os.setgroups([])
        os.setgid(USERS)
        os.setuid(USERS)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--each", action="store_true", help="each fault once")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only", help="names of faults, with commas")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.programs = os.path.abspath(options.programs)
    names = options.only.lower().split(",") if options.only else None
    options.bag = []
    options.faults = [fault for fault in comes_back_faults.ALL if names is None or fault.__name__.lower() in names]
    return options


def main():
    options = arguments()
    become_nobody(options.programs)
    rng, figures = random.Random(options.seed), Figures(PATIENCE)
    end = math.inf if options.each else time.monotonic() + options.seconds
    print(f"seed {options.seed}", flush=True)
    figures.faults = figures.longest = 0
    first_start(options, rng, figures)
    while time.monotonic() < end and not figures.wrong:
        one_keychain(options, rng, figures, end)
        if options.each:
            break
    for problem in figures.wrong:
        print(f"FAILED {problem}")
    print(
        f"{figures.faults} faults beside {figures.calls} calls: {figures.refused} refused with a reason,"
        f" {figures.ended} programs ended, the slowest call {figures.slowest:.1f} s, the longest way back"
        f" {figures.longest:.1f} s"
    )
    sys.exit(1 if figures.wrong else 0)


main()
