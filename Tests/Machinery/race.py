"""Several processes over one keychain do random things, are killed and come again.

Every answer must be explained by the model.

usage: race.py FOLDER-OF-PROGRAMS [--seconds N] [--operations N] [--seed N] [--keep FOLDER] [--shrink]
       race.py FOLDER-OF-PROGRAMS --case FOLDER [--repeat N]

A round: two to six programs with the keychain inside, or programs of a daemon, or both, play random scripts (adds,
changes, deletions, searches, a change of everything, one that is refused at its last item and rolled back), some
with forked children. Some are killed and others come in their place; so is the daemon. Then everybody goes, the
store is opened and every row and the file are looked at. `model.py` says whether the answers and what is there now
are explained.

A round that is not explained is kept as a folder: the store as it was before, and the scripts. With --shrink it is
made smaller by leaving lines out for as long as it still fails; --case plays it again.
"""

import argparse
import collections
import math
import os
import random
import sys
import tempfile
import time

from players import Examiner
from recording import folder_to_keep
from rounds import Round, count_lines, play
from scripts import Scripts
from shrink import keep, load, shrink
from verdict import judge


class Figures(collections.Counter):
    def text(self):
        names = ("operations", "rounds", "stores", "kills", "forks", "unanswered", "refused", "unexplained")
        return ", ".join(f"{self[name]} {name}" for name in names)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--operations", type=int, default=1 << 60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", default=folder_to_keep("race"))
    parser.add_argument("--case")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--repeat", type=int, default=20)
    return parser.parse_args()


def play_case(options, examiner):
    """Plays a kept round again and again; fails when one of the times is not explained."""
    bad = 0
    for number in range(options.repeat):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            case, before = load(options.case, f"{folder}/k")
            history = play(options.programs, f"{folder}/k", case)
            problem, _ = judge(history, before, examiner, f"{folder}/k")
            bad += problem is not None
            print(f"{number}: {problem or 'explained'}", flush=True)
    sys.exit(bad > 0)


def seconds(options):
    """Where the operations are counted, no clock ends the race."""
    return options.seconds or (20 if options.operations == 1 << 60 else math.inf)


def race(options, examiner):
    figures, end = Figures(), time.monotonic() + seconds(options)
    rng = random.Random(options.seed)
    while time.monotonic() < end and figures["operations"] < options.operations and not figures["unexplained"]:
        figures["stores"] += 1
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            one_store(options, rng, f"{folder}/k", examiner, figures, end)
        if figures["stores"] % 20 == 0:
            print(f"so far: {figures.text()}", flush=True)
    print(f"several processes: {figures.text()}, seed {options.seed}")
    sys.exit(figures["unexplained"] > 0)


def one_store(options, rng, home, examiner, figures, end):
    """Some rounds over a store that each finds as the last has left it."""
    scripts, state = Scripts(rng), {}
    for number in range(rng.randrange(4, 16)):
        case = Round.random(rng, scripts, is_first=number == 0)
        with tempfile.TemporaryDirectory(dir="/dev/shm") as before:
            os.system(f"cp -a {home} {before}/k 2>/dev/null")
            history = play(options.programs, home, case)
            problem, found = judge(history, state, examiner, home)
            history.count(figures)
            if problem:
                figures["unexplained"] += 1
                report(options, case, state, f"{before}/k", home, problem, examiner)
                return
        state = found
        if time.monotonic() > end or figures["operations"] > options.operations:
            return


def report(options, case, state, before, home, problem, examiner):
    print(f"NOT EXPLAINED: {problem}", flush=True)
    folder = keep(options.keep, case, state, before, home)
    print(f"kept in {folder}", flush=True)
    if options.shrink:
        smaller = shrink(options.programs, case, folder, examiner)
        print(
            f"{count_lines(case)} lines, {count_lines(smaller)} after that: race.py PROGRAMS --case {folder}",
            flush=True,
        )


def main():
    options = arguments()
    options.programs = os.path.abspath(options.programs)
    examiner = Examiner(options.programs)
    play_case(options, examiner) if options.case else race(options, examiner)


main()
