"""A large update that is rolled back, beside another process that adds: what that one was told is stored must be there.

usage: rollback.py FOLDER-OF-PROGRAMS [TRIES] [SEED]

Two processes with the keychain inside. The first changes some thousand items in one call, which is refused at the
last of them, when much of it has left the memory for the log; the second adds items; the first adds one. Both go in
the ordinary way, or are killed. How much of a change leaves the memory depends on its size, so each try has some
more items than the last.
"""

import os
import random
import shutil
import sys
import tempfile

from players import Examiner, Typist

FEWEST, MOST, SIZE = 1500, 4500, 200


class Base:
    """A store that grows; each try has a copy of it."""

    def __init__(self, programs, home):
        self.programs, self.home, self.sent, self.numbers = programs, home, {}, 0

    def add(self, player, service, account):
        self.numbers += 1
        number = str(self.numbers)
        answer = player.do(f"add {service} {account} {number} {SIZE}")
        if answer is None or answer.status != 0:
            raise RuntimeError(f"an add was refused: {answer}")
        self.sent[f"{service}/{account}"] = number

    def grow(self, count):
        """Adds to the large service, and puts an item in the way of its last."""
        player = Typist(self.programs, self.home)
        last = len(self.sent) - 2
        if self.sent and player.do(f"del other {last}").status == 0:
            del self.sent[f"other/{last}"]
        for account in range(len(self.sent), count):
            self.add(player, "large", account)
        self.add(player, "other", count - 1)
        player.leave()


def one_try(base, home, rng, examiner):
    """What is wrong with the store afterwards, and what is missing of what was acknowledged."""
    tried = Base(base.programs, home)
    tried.sent, tried.numbers = dict(base.sent), base.numbers
    shutil.copytree(base.home, home)
    first, second = Typist(base.programs, home), Typist(base.programs, home)
    answer = first.do("clash large other")
    if answer is None or answer.status != -25299:
        raise RuntimeError(f"the large update was not refused as a duplicate: {answer}")
    for account in range(rng.randrange(20, 80)):
        tried.add(second, "small", account)
    tried.add(first, "small", "last")
    for player in (first, second):
        player.leave() if rng.random() < 0.5 else player.kill()
    problem, found = examiner.look(home)
    lost = [name for name, number in tried.sent.items() if found.get(name) != number]
    return problem, lost


def main():
    programs = os.path.abspath(sys.argv[1])
    tries = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    rng, examiner, bad = random.Random(seed), Examiner(programs), 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        base = Base(programs, f"{folder}/base")
        for number in range(tries):
            base.grow(FEWEST + (MOST - FEWEST) * (number + 1) // tries)
            # Opened and closed: the log is empty.
            examiner.look(base.home)
            problem, lost = one_try(base, f"{folder}/try", rng, examiner)
            shutil.rmtree(f"{folder}/try")
            if problem or lost:
                bad += 1
                print(f"{len(base.sent)} items: {problem or ''} lost {len(lost)}: {' '.join(lost[:8])}")
    print(f"rolled-back updates: {tries} tries, {bad} with a loss, seed {seed}")
    sys.exit(bad > 0)


main()
