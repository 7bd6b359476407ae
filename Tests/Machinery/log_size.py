"""The log of writers that never rest stays small, also beside readers, and so does that of programs that make one
change each.

usage: log_size.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--limit MIB]

Four programs with the keychain inside add, change and delete without a pause, and two read. The log's size is looked
at all the while. Checkpoints that do not get their turn show here: the log would grow for as long as there are
writers. Before that, one program after the other adds one item and ends: the log is put away by the first that finds
it long.
"""

import argparse
import os
import random
import sys
import tempfile
import time

from players import Endless, Examiner, Typist

WRITERS, READERS, ALONE = 4, 2, 45
MIB = 1 << 20


def script(rng, writer):
    """Lines without end, for one that is killed."""
    number = 0
    while True:
        number += 1
        item = f"own{writer} {rng.randrange(40)}"
        yield rng.choice(
            (f"add {item} {number} 3000", f"set {item} {number} 3000", f"set {item} {number} 3000", f"del {item}")
        )


def reading(rng, _):
    while True:
        yield f"get own{rng.randrange(WRITERS)} {rng.randrange(40)}"


def add_one_by_one(programs, home):
    """The largest size that the log had, and the last."""
    sizes = []
    for number in range(ALONE):
        player = Typist(programs, home)
        answer = player.do(f"add single {number} {number} 150000")
        if player.leave() or answer is None or answer.status:
            sys.exit(f"program {number} could not add: {answer}")
        sizes.append(os.path.getsize(f"{home}/keychain.db-wal"))
    return max(sizes), sizes[-1]


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
        longest, last = add_one_by_one(programs, home)
        first = Typist(programs, home)
        lost = [number for number in range(ALONE) if first.do(f"get single {number}").status]
        players = [
            Endless(programs, home, make(random.Random(rng.random()), number))
            for make, count in ((script, WRITERS), (reading, READERS))
            for number in range(count)
        ]
        largest = watch(players, f"{home}/keychain.db-wal", time.monotonic() + options.seconds)
        for player in players:
            player.end()
        first.leave()
        problem, _ = Examiner(programs).look(home)
    print(
        f"size of the log of programs that make one change each: at most {longest / MIB:.1f} MiB, {last / MIB:.1f} at"
        f" the end; lost: {lost or 'nothing'}"
    )
    calls, refused = sum(player.done for player in players), sum(player.refused for player in players)
    print(
        f"size of the log: at most {largest / MIB:.1f} MiB in {options.seconds:.0f} s of {WRITERS} writers beside"
        f" {READERS} readers, {calls} calls, {refused} refused, {problem or 'store in order'}, seed {options.seed}"
    )
    is_put_away = 3 * MIB < longest < 6 * MIB and last < longest
    sys.exit(problem is not None or refused > 0 or largest > options.limit * MIB or not is_put_away or lost != [])


main()
