"""Power cuts: what real programs write is recorded, and every state is opened that a disk may hold of it.

usage: crash.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--moments N] [--bound N]
                [--samples N] [--only NAME]

At every sync, change of a name and answer of the recorded programs, the states of the disk at that moment (trace.py
says which) are put into a folder and opened by a real reader. What was acknowledged by then must be there with its
value, what was never sent must not, and what was refused must not; every row must open, and SQLite must find the
file sound.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time

import recording
import trace
from model import ABSENT, NEVER, Call, explain
from players import Examiner
from verdict import calls_by_item


class Found:
    """States that were opened, by their content: the same state comes again and again."""

    def __init__(self, examiner, place):
        self.examiner, self.place, self.known = examiner, place, {}

    def look(self, folder):
        key = hash(tuple(sorted(folder.items())))
        if key not in self.known:
            self.known[key] = self.open(folder)
        return self.known[key]

    def open(self, folder):
        shutil.rmtree(self.place, ignore_errors=True)
        os.makedirs(self.place, 0o700)
        for name, content in folder.items():
            with open(os.open(f"{self.place}/{name}", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                file.write(content)
        return self.examiner.look(self.place)


def examine(recorded, found, rng, options, figures, end):
    """Goes through a record; the first thing that is wrong, or None."""
    disk, marks = recorded.disk, recording.Marks(recorded.scripts, recorded.modes)
    moments = choose(recorded.records, rng, options, end)
    for position, record in enumerate(recorded.records):
        is_answer = is_an_answer(record)
        if is_answer:
            marks.take(record, position)
        if position in moments:
            for folder in disk.states(rng, options.bound, options.samples):
                figures["states"] += 1
                problem = judge(folder, recorded, marks, found)
                if problem:
                    keep(options, recorded, folder, position, problem)
                    return problem
        if record.kind == "m":
            if not is_answer:
                marks.take(record, position)
        else:
            disk.apply(record)
    figures["opened"] += len(found.known)
    return None


def is_an_answer(record):
    return record.kind == "m" and record.data.startswith(b"E ")


# How many states are opened in a second, about.
PACE = 60


def choose(records, rng, options, end):
    """The moments to look at.

As many as are asked for, else as many as there is time for. The disk may hold most just before
something becomes certain.
    """
    moments = [position for position, record in enumerate(records) if record.kind in "sfdcru" or is_an_answer(record)]
    count = options.moments or int(max(1, end - time.monotonic()) * PACE / (options.samples + 2))
    return set(moments if count >= len(moments) else rng.sample(moments, count))


def judge(folder, recorded, marks, found):
    if "keychain.made" not in folder and not recorded.items:
        # Nothing was acknowledged before the keychain was made.
        if not any(entry.status == 0 for entry in marks.entries):
            return None
    problem, items = found.look(folder)
    if problem:
        return problem
    calls = calls_by_item(marks.history(), set(items) | set(recorded.items))
    for name in set(calls) | set(items) | set(recorded.items):
        possible = explain(recorded.items.get(name, ABSENT), calls.get(name, []))
        if items.get(name, ABSENT) not in possible:
            told = [(call.kind, call.value, call.status) for call in calls.get(name, [])]
            return f"{name} is {items.get(name)}, possible is {sorted(map(str, possible))}: {told[-6:]}"
    return None


def keep(options, recorded, folder, position, problem):
    os.makedirs(options.keep, exist_ok=True)
    place = tempfile.mkdtemp(dir=options.keep, prefix=f"{recorded.name}-")
    for name, content in folder.items():
        with open(f"{place}/{name}", "wb") as file:
            file.write(content)
    print(f"{recorded.name}: at record {position}: {problem}; kept in {place}", flush=True)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--moments", type=int, help="so many of each scenario, once, however long it takes")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--bound", type=int, default=64)
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--only")
    parser.add_argument("--keep", default=recording.folder_to_keep("crash"))
    return parser.parse_args()


def main():
    options = arguments()
    rng, examiner, bad = random.Random(options.seed), Examiner(os.path.abspath(options.programs)), 0
    shim, end = recording.build_shim(), time.monotonic() + options.seconds
    figures = {"states": 0, "opened": 0, "records": 0, "rounds": 0}
    while bad == 0 and (figures["rounds"] == 0 or not options.moments and time.monotonic() < end):
        figures["rounds"] += 1
        for scenario in recording.SCENARIOS:
            if options.only and scenario.__name__ != options.only:
                continue
            with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
                recorded = recording.record(scenario, os.path.abspath(options.programs), shim, place, rng)
                figures["records"] += len(recorded.records)
                share = max(1.0, (end - time.monotonic()) / len(recording.SCENARIOS))
                problem = examine(
                    recorded, Found(examiner, f"{place}/state"), rng, options, figures, time.monotonic() + share
                )
                bad += problem is not None
    print(
        f"power cuts: {figures['states']} states of {figures['records']} records, {figures['opened']} opened, {bad}"
        f" wrong, seed {options.seed}"
    )
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
