"""The log of writers that never rest stays small, also beside readers.

usage: log_size.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--limit MIB]

Four programs with the keychain inside add, change and delete without a pause, and two read. The log's size is looked at all the
while. Checkpoints that do not get their turn show here: the log would grow for as long as there are writers.
"""

import argparse
import os
import random
import sys
import tempfile
import time

from players import Endless, Examiner, Typist

WRITERS, READERS = 4, 2
MIB = 1 << 20


def script(rng, writer):
    """Lines without end, for one that is killed."""
    number = 0
    while True:
        number += 1
        item = f"own{writer} {rng.randrange(40)}"
        yield rng.choice((f"add {item} {number} 3000", f"set {item} {number} 3000", f"set {item} {number} 3000", f"del {item}"))


def reading(rng, _):
    while True:
        yield f"get own{rng.randrange(WRITERS)} {rng.randrange(40)}"


def watch(players, log, end):
    """The largest size that the log had."""
    largest = 0
    while time.monotonic() < end:
        for player in players:
            player.feed()
            player.count()
        largest = max(largest, os.path.getsize(log))
        time.sleep(0.005)
    return largest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--limit", type=int, default=32)
    options = parser.parse_args()
    programs, rng = os.path.abspath(options.programs), random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        home = f"{folder}/k"
        first = Typist(programs, home)
        first.do("add one 0 1 8")
        players = [Endless(programs, home, make(random.Random(rng.random()), number))
                   for make, count in ((script, WRITERS), (reading, READERS)) for number in range(count)]
        largest = watch(players, f"{home}/keychain.db-wal", time.monotonic() + options.seconds)
        for player in players:
            player.end()
        first.leave()
        problem, _ = Examiner(programs).look(home)
    calls, refused = sum(player.done for player in players), sum(player.refused for player in players)
    print(f"size of the log: at most {largest / MIB:.1f} MiB in {options.seconds:.0f} s of {WRITERS} writers beside {READERS} readers, "
          f"{calls} calls, {refused} refused, {problem or 'store in order'}, seed {options.seed}")
    sys.exit(problem is not None or refused > 0 or largest > options.limit * MIB)


main()
