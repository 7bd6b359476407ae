"""Keeps a round that is not explained, and makes it smaller.

Lines and programs are left out for as long as it still fails.
"""

import json
import os
import shutil
import tempfile

from rounds import Round, count_lines, play
from verdict import judge

# What depends on the moment does not fail each time.
TRIES = 6


def keep(place, case, state, before, after):
    """A folder with the round, the store before it and after it."""
    os.makedirs(place, exist_ok=True)
    folder = tempfile.mkdtemp(dir=place, prefix="case-")
    for name, store in (("before", before), ("after", after)):
        if os.path.isdir(store):
            shutil.copytree(store, f"{folder}/{name}", ignore=shutil.ignore_patterns("*.sock"))
    write(folder, case, state)
    return folder


def write(folder, case, state):
    with open(f"{folder}/case.json", "w") as file:
        json.dump({"case": case.__dict__, "state": state}, file, indent=1)


def load(folder, home):
    """The round that a folder keeps, and what is in its store, which is copied to `home`."""
    with open(f"{folder}/case.json") as file:
        kept = json.load(file)
    if os.path.isdir(f"{folder}/before"):
        shutil.copytree(f"{folder}/before", home)
    return Round(**kept["case"]), kept["state"]


def fails(programs, case, folder, examiner):
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            _, state = load(folder, f"{place}/k")
            problem, _ = judge(play(programs, f"{place}/k", case), state, examiner, f"{place}/k")
            if problem:
                return True
    return False


def shrink(programs, case, folder, examiner):
    """Halves, quarters and so on are left out, of the places first, then of each program's lines."""
    with open(f"{folder}/case.json") as file:
        state = json.load(file)["state"]
    if not fails(programs, case, folder, examiner):
        print("it does not fail again within a few times", flush=True)
        return case
    improved = True
    while improved:
        improved = False
        for smaller in candidates(case):
            if fails(programs, smaller, folder, examiner):
                case, improved = smaller, True
                write(folder, case, state)
                break
    return case


def candidates(case):
    for index in range(len(case.places)):
        yield changed(case, case.places[:index] + case.places[index + 1 :])
    for place, programs in enumerate(case.places):
        for index in range(len(programs)):
            yield with_place(case, place, programs[:index] + programs[index + 1 :])
    parts = 2
    while parts <= 64:
        for place, programs in enumerate(case.places):
            for index, program in enumerate(programs):
                for lines in without_a_part(program["lines"], parts):
                    yield with_place(
                        case, place, programs[:index] + [program | {"lines": lines}] + programs[index + 1 :]
                    )
        parts *= 4


def without_a_part(lines, parts):
    size = max(1, len(lines) // parts)
    if len(lines) < parts:
        return
    for begin in range(0, len(lines), size):
        yield lines[:begin] + lines[begin + size :]


def with_place(case, place, programs):
    return changed(case, case.places[:place] + [programs] + case.places[place + 1 :])


def changed(case, places):
    return Round(case.deployment, places, case.daemon_kills, case.ends_with_kill)
