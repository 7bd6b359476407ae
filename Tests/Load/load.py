"""One program attacks, another one looks up and adds.

How much slower is it than beside the same attack on another daemon?

usage: load.py FOLDER-OF-PROGRAMS [--short] [--rounds N] [--seconds S] [--items N] [--only WORD] [--json]

Two daemons run on this machine. Each round attacks the honest program's own and then the other one, which is the
control: it takes the same of the processors. Measured is what the honest program waits for a lookup, an add, a
listing of 16 items, and a lookup on a new connection. What counts is the 99th percentile of a round's answers, and
of the rounds the median: the attacked daemon's is at most 3 times the control's. The floor of judgement is a quarter
of a millisecond: a smaller difference is less than what one switch of the processor between two programs takes, and
not judged. Where the slowest round of the control reaches into that line, the rounds do not tell an attack from
noise: the row says that it is not clear, and does not pass.

The short form, which shares its machine with other tests, says only whether somebody is slowed by another order: its
line is 10 at the 50th, in the better of two rounds, and its floor a millisecond.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Scripts"))

import frames  # noqa: E402
from attacks import table  # noqa: E402
from patience import PATIENCE, eventually  # noqa: E402

LINE = 3
ROUGH_LINE = 10
# What the scheduler of a busy machine does within this is nobody's fault, microseconds; of one with many other things
# to do.
FLOOR = 250
ROUGH_FLOOR = 1000
# What the honest program waits for.
VERBS = ("lookup", "add", "listing", "connection")
LISTED = 16
PAUSE = 1000


class Daemon:
    def __init__(self, programs, folder):
        self.folder, self.socket = folder, f"{folder}/socket"
        os.mkdir(folder, 0o700)
        pinentry = f"{folder}/pinentry"
        with open(pinentry, "w") as script:
            script.write("#!/bin/sh\nexec sleep 1000\n")
        os.chmod(pinentry, 0o700)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
        self.log = open(f"{folder}/log", "w")
        self.process = subprocess.Popen(
            [
                f"{programs}/keychaind",
                "--socket",
                self.socket,
                "--store",
                f"{folder}/store",
                "--tpm",
                "none",
                "--pinentry",
                pinentry,
                "--quota-items",
                "4000000",
                "--quota-program-items",
                "2000000",
                "--quota-program-bytes",
                str(1 << 40),
                "--quota-bytes",
                str(1 << 41),
                "--quota-requests",
                "0",
            ],
            env=kept | {"KEYCHAIN_HOME": folder},
            stdout=self.log,
            stderr=self.log,
        )
        eventually(self.serves, "the daemon does not serve")

    def serves(self):
        """Whether it takes connections: its socket is there before it listens."""
        if self.process.poll() is not None:
            sys.exit(f"the daemon did not start: {open(self.log.name).read()}")
        with socket.socket(socket.AF_UNIX) as connection, contextlib.suppress(OSError):
            connection.connect(self.socket)
            return True
        return False

    def check(self):
        if self.process.poll() is not None:
            sys.exit(f"the daemon ended with {self.process.returncode}: {open(self.log.name).read()[-2000:]}")

    def megabytes(self):
        self.check()
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


class Players:
    """The client under as many names as there are programs."""

    def __init__(self, folder, copies):
        self.folder = folder
        source = f"{os.path.dirname(os.path.abspath(__file__))}/player.c"
        subprocess.run(["cc", "-O2", "-o", f"{folder}/honest", source], check=True)
        self.attackers = [f"{folder}/attacker{number}" for number in range(copies)]
        for name in self.attackers:
            shutil.copy(f"{folder}/honest", name)
        self.frames = {}

    def file(self, frame):
        if frame not in self.frames:
            self.frames[frame] = f"{self.folder}/{len(self.frames)}.frame"
            with open(self.frames[frame], "wb") as file:
                file.write(frame)
        return self.frames[frame]

    def play(self, program, way, daemon, frame, *numbers):
        return subprocess.Popen(
            [program, way, daemon.socket, self.file(frame), *map(str, numbers)], stdout=subprocess.PIPE, text=True
        )

    def fill(self, program, daemon, frame, count):
        answer = self.play(program, "flood", daemon, frame, 16, 4, count).communicate()[0].split()
        if answer[1] != "0":
            sys.exit(f"{program}: {answer[1]} of {count} were refused")

    def prepare(self, daemon, items):
        honest = f"{self.folder}/honest"
        self.fill(honest, daemon, frames.add("honest", account="account"), 1)
        self.fill(honest, daemon, frames.add("honest"), items)
        self.fill(honest, daemon, frames.add("listed"), LISTED)
        for attacker in self.attackers:
            self.fill(attacker, daemon, frames.add("own", 32), items if attacker == self.attackers[0] else items // 8)
            self.fill(attacker, daemon, frames.add("large", 1 << 20, "large"), 1)

    def attack(self, attack, daemon):
        each = max(1, attack.connections // attack.programs)
        return [
            self.play(attacker, attack.way, daemon, attack.frame, each, attack.amount)
            for attacker in self.attackers[: attack.programs]
        ]

    def honest(self, daemon, seconds):
        """The times of each verb in microseconds, and how many were refused."""
        lookup = frames.lookup("honest", "account")
        played = {
            "lookup": ("measure", lookup),
            "add": ("measure", frames.add("measured")),
            "listing": ("measure", frames.listing("listed")),
            "connection": ("connect", lookup),
        }
        players = {
            verb: self.play(f"{self.folder}/honest", *way, daemon, frame, seconds, PAUSE)
            for verb, (*way, frame) in played.items()
        }
        times, refused = {}, 0
        for verb, player in players.items():
            lines = player.communicate()[0].split("\n")
            # Where nothing was answered, the whole time was one wait.
            times[verb] = [float(one) for one in lines[0].split()] or [seconds * 1e6]
            refused += int(lines[1])
        return times, refused


def percentile(times, part):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * part))]


class Row:
    """What was measured of one attack: verbs × (p50, p99) × (attacked, control), a value for each round."""

    def __init__(self, attack, is_short):
        self.attack, self.is_short = attack, is_short
        self.values = {(verb, part): ([], []) for verb in VERBS for part in (0.5, 0.99)}
        self.samples = {verb: [] for verb in VERBS}
        self.refused, self.megabytes, self.after, self.played = 0, 0, 0, []

    def note(self, side, times):
        for verb in VERBS:
            self.samples[verb].append(len(times[verb]))
            for part in (0.5, 0.99):
                self.values[verb, part][side].append(percentile(times[verb], part))

    def figure(self, verb, part):
        attacked, control = (statistics.median(side) for side in self.values[verb, part])
        return attacked, control, attacked / control

    def keeps(self, verb):
        attacked, control, ratio = self.figure(verb, 0.99)
        return ratio <= LINE or attacked - control < FLOOR

    def is_clear(self, verb):
        """Whether what is over the line is more than what the control's own rounds differ by."""
        attacked, control = self.values[verb, 0.99]
        return statistics.median(attacked) > max(control) * LINE and min(attacked) > statistics.median(control) * LINE

    def keeps_roughly(self, verb):
        """In half a second nothing can be said of the slowest.

What an attack does it does in every round, and to most answers.
        """
        return any(a / c <= ROUGH_LINE or a - c < ROUGH_FLOOR for a, c in zip(*self.values[verb, 0.5]))

    def passes(self):
        keeps = self.keeps_roughly if self.is_short else self.keeps
        return self.refused == 0 and all(keeps(verb) for verb in VERBS)

    def cell(self, verb):
        attacked, _, ratio = self.figure(verb, 0.5 if self.is_short else 0.99)
        text = f"{attacked / 1000:.2f} ms × {ratio:.1f}"
        if self.is_short or self.keeps(verb):
            return text
        return f"**{text}**" if self.is_clear(verb) else f"{text}, not clear"

    def line(self):
        refused = f", {self.refused} refused" if self.refused else ""
        verdict = " **over the line**" if self.is_short and not self.passes() else ""
        cells = " | ".join(self.cell(verb) for verb in VERBS)
        return f"| {self.attack.name} | {cells} | {self.megabytes:.0f}, {self.after:.0f} MB{refused}{verdict} |"

    def record(self):
        return {
            "attack": self.attack.name,
            "refused": self.refused,
            "megabytes": self.megabytes,
            "after": self.after,
            "played": self.played,
            "samples": self.samples,
            "figures": {f"{verb} p{int(part * 100)}": self.figure(verb, part) for verb, part in self.values},
            "rounds": {f"{verb} p{int(part * 100)}": sides for (verb, part), sides in self.values.items()},
        }


def one_side(players, daemon, attacked, attack, options, row, side):
    seconds = options.seconds
    running = players.attack(attack, attacked)
    # So long it takes to make thousands of connections.
    try:
        time.sleep(options.settle)
        times, refused = players.honest(daemon, seconds)
        if side == 0:
            row.refused += refused
            row.megabytes = max(row.megabytes, attacked.megabytes())
    finally:
        for player in running:
            player.terminate()
    played = [player.communicate()[0].split() for player in running]
    if side == 0:
        row.played.append(played)
    row.note(side, times)


def measure(players, daemons, attack, options):
    row = Row(attack, options.short)
    for _ in range(options.rounds):
        for side in (0, 1):
            one_side(players, daemons[0], daemons[side], attack, options, row, side)
            time.sleep(options.rest)
    row.after = daemons[0].megabytes()
    return row


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--items", type=int, default=10000)
    parser.add_argument("--rest", type=float, default=0.3)
    parser.add_argument("--settle", type=float, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", default="")
    parser.add_argument("--log", default="", help="where to put a copy of what the attacked daemon wrote")
    options = parser.parse_args()
    if options.short:
        options.rounds, options.seconds, options.items, options.rest, options.settle = 2, 0.5, 1000, 0.1, 0.4
    return options


def main():
    options = arguments()
    attacks = [attack for attack in table() if (attack.short or not options.short) and options.only in attack.name]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        players = Players(folder, max(attack.programs for attack in attacks))
        daemons = [Daemon(os.path.abspath(options.programs), f"{folder}/{name}") for name in ("attacked", "control")]
        try:
            for daemon in daemons:
                players.prepare(daemon, options.items)
            part = "p50" if options.short else "p99"
            print(f"| attack | lookup {part} × control | {' | '.join(VERBS[1:])} | memory most, after |")
            print("|---|---|---|---|---|---|", flush=True)
            for attack in attacks:
                rows.append(measure(players, daemons, attack, options))
                print(rows[-1].line(), flush=True)
        finally:
            for daemon in daemons:
                daemon.stop()
            if options.log:
                shutil.copy(daemons[0].log.name, options.log)
    if options.json:
        with open(options.json, "w") as file:
            json.dump([row.record() for row in rows], file, indent=1)
    over = [row.attack.name for row in rows if not row.passes()]
    print("load average:", *os.getloadavg(), file=sys.stderr)
    if over:
        sys.exit(f"over the line of {ROUGH_LINE if options.short else LINE} times the control: {'; '.join(over)}")
    print(f"{len(rows)} attacks, none over {ROUGH_LINE if options.short else LINE} times its control")


if __name__ == "__main__":
    main()
