"""A passcode is removed by one program while another adds what only a passcode may open.

No item under keys that are gone.

usage: passcode_race.py FOLDER-OF-PROGRAMS [--rounds N] [--seed N]

Both wait for a write transaction that somebody holds, so that either may come first. An add that was acknowledged
before the removal went with it; one after it must be refused. Whatever came first, every row opens, and with a new
passcode such items can be added again.
"""

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import threading
import time

from players import Daemon, Examiner, Typist


def do(player, line):
    answer = player.do(line)
    if answer is None or answer.status != 0:
        raise RuntimeError(f"{line}: {answer}")


def play(programs, home, rng, has_daemon):
    """What is wrong, or None; and the adder's answer."""
    remover = Typist(programs, home)
    do(remover, "passcode first")
    daemon = Daemon(programs, home) if has_daemon else None
    adder = Typist(programs, home, "daemon" if has_daemon else "embedded")
    do(adder, "unlock first")
    do(adder, "addpu one 0 1 100")
    answers = race(home, [(adder, "addpu one 1 2 100"), (remover, "nopasscode first")], rng)
    if answers[1] is None or answers[1].status != 0:
        return f"the passcode is not removed: {answers[1]}", None
    again = Typist(programs, home)
    for line in ("passcode second", "addpu one 2 3 100", "get one 2"):
        answer = again.do(line)
        if answer is None or answer.status != 0:
            return f"{line}: {answer}", answers[0]
    for player in (again, adder, remover):
        player.leave()
    if daemon:
        daemon.end()
    problem, items = Examiner(programs).look(home, ("second",))
    return problem or (None if "one/2" in items else f"one/2 is lost: {items}"), answers[0]


def race(home, calls, rng):
    """Makes the calls at the same time, when the store can be written again."""
    store = sqlite3.connect(f"{home}/keychain.db", isolation_level=None)
    store.execute("BEGIN IMMEDIATE")
    answers = [None] * len(calls)

    def call(index):
        player, line = calls[index]
        answers[index] = player.do(line)

    order = [threading.Thread(target=call, args=(index,)) for index in range(len(calls))]
    for thread in order:
        thread.start()
        time.sleep(rng.uniform(0.02, 0.08))
    store.execute("ROLLBACK")
    for thread in order:
        thread.join()
    store.close()
    return answers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    rng, bad, told = random.Random(options.seed), 0, []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            problem, answer = play(os.path.abspath(options.programs), f"{folder}/k", rng, number % 2 == 1)
            told.append(answer.status if answer else None)
            if problem:
                bad += 1
                print(f"round {number}: the add was told {answer}: {problem}", flush=True)
    print(
        f"removals of a passcode beside adds: {options.rounds} rounds, {told.count(0)} adds came first, {bad} wrong,"
        f" seed {options.seed}"
    )
    sys.exit(bad > 0)


main()
