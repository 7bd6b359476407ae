"""All parts of the storage machinery, and processes that are disturbed, one after the other, for as long as it is told;
each with a seed of its own.

usage: soak.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--share SECONDS]

Each turn plays every part, with the turn's number as its seed. Which turn is next is said at its begin: --seed with
that number begins there again. The first wrong verdict ends it, with the command that plays it again.
"""

import argparse
import os
import subprocess
import sys
import time

from faults import SCENARIOS

HERE = os.path.dirname(os.path.abspath(__file__))


def parts(programs, seconds, seed):
    """Each part: its name, and its command for so many seconds."""
    python = [sys.executable, "-u"]

    def machinery(script, *more):
        return python + [f"{HERE}/{script}", programs, *more]

    timed = ["--seconds", str(seconds), "--seed", str(seed)]
    # To count the calls of all scenarios takes longer than a turn, so that each turn has another.
    scenario = ["--every", "--first", "--only", SCENARIOS[seed % len(SCENARIOS)].name]
    return [
        ("power cuts", machinery("crash.py", *timed)),
        ("faults", machinery("faults.py", *scenario, *timed)),
        ("failed pages", machinery("faults.py", *scenario, "--kind", "sync", *timed)),
        ("cut files", machinery("cut.py", "--seed", str(seed))),
        ("several processes", machinery("race.py", "--shrink", *timed)),
        ("rolled-back updates", machinery("rollback.py", str(max(2, seconds // 5)), str(seed))),
        ("size of the log", machinery("log_size.py", "--seconds", str(max(5, seconds // 10)), "--seed", str(seed))),
        (
            "changes of state",
            machinery("state_changes.py", "--seconds", str(max(5, seconds // 4)), "--seed", str(seed)),
        ),
        (
            "removals of a passcode",
            machinery("passcode_race.py", "--rounds", str(max(4, seconds // 3)), "--seed", str(seed)),
        ),
        ("tampering", machinery("tamper.py", *timed)),
        ("kills", python + [f"{HERE}/../Scripts/kill_test.py", programs, str(max(30, seconds * 2))]),
        ("disturbed processes", python + [f"{HERE}/../Scripts/comes_back_test.py", programs, *timed]),
    ]


def play(programs, seconds, seed):
    """One turn; ends the program where a part has a wrong verdict."""
    print(f"turn with seed {seed}", flush=True)
    for name, command in parts(programs, seconds, seed):
        code = subprocess.run(command, env=os.environ | {"SEED": str(seed)}).returncode
        if code:
            sys.exit(f"{name}: a wrong verdict with seed {seed}; again: {' '.join(command)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=int, default=60, help="seconds of a part in a turn")
    options = parser.parse_args()
    programs, end, seed = os.path.abspath(options.programs), time.monotonic() + options.seconds, options.seed
    while time.monotonic() < end:
        play(programs, min(options.share, max(5, int(options.seconds) // 8)), seed)
        seed += 1
    print(f"turns {options.seed} to {seed - 1}: nothing wrong")


main()
