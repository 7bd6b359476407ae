"""Settings, slots and passcodes change without a pause beside programs that add, change, delete and read.

Nobody is refused.

usage: state_changes.py FOLDER-OF-PROGRAMS [--seconds N] [--operations N] [--seed N] [--mode MODE]

Nobody locks the keychain, so that each refusal with errSecInteractionNotAllowed (-25308) is a wrong one, and so is
every other but errSecDuplicateItem and errSecItemNotFound. Of programs with the keychain inside each has to show for
itself that it knows a passcode that another has set, so that none is set beside them.
"""

import argparse
import collections
import os
import random
import sys
import tempfile
import time

from players import Daemon, Endless, Examiner, Typist

WRITERS, READERS = 3, 2
SIZES = (8, 100, 3000)


def writing(rng, writer):
    """Lines without end, for one that is killed."""
    number = 0
    yield "unlock first"
    while True:
        number += 1
        item = f"own{writer} {rng.randrange(40)}"
        change = f"{number} {rng.choice(SIZES)}"
        yield rng.choice((f"add {item} {change}", f"set {item} {change}", f"set {item} {change}", f"del {item}"))


def reading(rng, _):
    yield "unlock first"
    while True:
        yield f"get own{rng.randrange(WRITERS)} {rng.randrange(40)}"


# All that one may change of the device's state, in an order in which each is allowed.
CHANGES = {
    "daemon": [
        "passcode first",
        "settings 3600",
        "slot first",
        "passcode first second",
        "settings 0",
        "unlock second",
        "slot second",
        "passcode second third",
        "nopasscode third",
        "settings 7200",
        "settings 0",
    ],
    "embedded": ["settings 3600", "unlock first", "settings 0", "settings 7200", "snapshot"],
}


def change_and_feed(changer, players, figures, options, changes):
    """Makes the changes over and over; what is wrong, or None."""
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and figures["operations"] < options.operations:
        for line in changes:
            for player in players:
                player.feed()
                player.count()
            answer = changer.do(line)
            figures["changes"] += 1
            if answer is None or answer.status != 0:
                return f"{line}: {answer}"
        figures["operations"] = sum(player.done for player in players)
        for player in players:
            if player.refused or player.process.poll() is not None:
                return f"a program is refused or has ended: {sorted(player.reasons)}"
    return None


def run(options, programs, home, mode):
    """Plays one deployment; what is wrong, or None."""
    figures, rng = collections.Counter(), random.Random(options.seed)
    first = Typist(programs, home)
    first.do("add own0 0 1 8")
    if mode == "embedded":
        first.do("passcode first")
    first.leave()
    daemon = Daemon(programs, home) if mode == "daemon" else None
    changer = Typist(programs, home, mode)
    changer.do("unlock first")
    players = [
        Endless(programs, home, make(random.Random(rng.random()), number), mode)
        for make, count in ((writing, WRITERS), (reading, READERS))
        for number in range(count)
    ]
    problem = change_and_feed(changer, players, figures, options, CHANGES[mode])
    for player in players:
        player.end()
    changer.kill()
    if daemon:
        daemon.end()
    damage, _ = Examiner(programs).look(home, ("first", "second", "third"))
    print(
        f"changes of state, {mode}: {figures['operations']} calls of {WRITERS} writers and {READERS} readers beside "
        f"{figures['changes']} changes, {problem or damage or 'none refused'}, seed {options.seed}",
        flush=True,
    )
    return problem or damage


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--operations", type=int, default=1 << 60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--mode", choices=("embedded", "daemon"))
    options = parser.parse_args()
    bad = 0
    for mode in [options.mode] if options.mode else ["daemon", "embedded"]:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            bad += run(options, os.path.abspath(options.programs), f"{folder}/k", mode) is not None
    sys.exit(bad > 0)


main()
