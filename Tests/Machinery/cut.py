"""Somebody cuts a file of the store while a program or a daemon has it open.

usage: cut.py FOLDER-OF-PROGRAMS [--seed N]

keychain.db, its log and the log's index are cut to nothing and to a part, between two calls and, but for the index,
while calls are under way. The process must not be ended by a signal; what it answers is an item's own value or an
error. What it acknowledges afterwards must be there after the next start, and where the index alone was cut,
everything that was there before.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile

from players import Daemon, Examiner, Typist

COUNT, SIZE = 300, 900
# What is called after the cut; what is added or changed then must be there, where that was said.
AFTER = [f"get s {account}" for account in (5, 150, 299)] + [
    "all",
    "add after 1 900001 100",
    "set s 5 900002 100",
    "get s 5",
    "verify",
    "add after 2 900003 3000",
    "snapshot",
    "get after 1",
]


def fill(programs, home):
    """A store whose rows are in the database, but for some that are in the log."""
    player = Typist(programs, home)
    for account in range(COUNT):
        player.do(f"add s {account} {account} {SIZE}")
    player.leave()
    daemon = Daemon(programs, home)
    daemon.end()


class Cut:
    def __init__(self, programs, base, home, mode):
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base, home, ignore=shutil.ignore_patterns("*.sock"))
        self.programs, self.home, self.expected, self.problem = programs, home, {}, None
        self.daemon = Daemon(programs, home) if mode == "daemon" else None
        # A daemon that has ended is not started again, so that its end is seen.
        self.player = Typist(programs, home, mode, {"KEYCHAIN_DAEMON": "/nowhere"})
        for account in range(COUNT):
            self.expected[f"s/{account}"] = {str(account)}
        for line in ["get s 5"] + [f"add log {account} {account} 900" for account in range(20)]:
            self.do(line)

    def do(self, line):
        self.judge(line, self.player.do(line))

    def judge(self, line, answer):
        words = line.split()
        if answer is None:
            self.problem = self.problem or f"the program ended over: {line}"
        elif words[0] in ("add", "set"):
            values = self.expected.setdefault(f"{words[1]}/{words[2]}", set())
            if answer.status == 0:
                values.clear()
            if answer.status == 0 or answer.rule == "store.outcome-unknown":
                values.add(words[3])
        elif words[0] == "get" and answer.status == 0:
            self.look(f"{words[1]}/{words[2]}", answer.result[0])
        elif words[0] == "all" and answer.status == 0:
            for item in answer.result:
                self.look(*item.split("="))

    def look(self, name, value):
        if value not in self.expected.get(name, ()):
            self.problem = self.problem or f"{name} is {value}"

    def cut(self, name, share, while_busy):
        """Cuts it to a share of what it has; nothing where there is no such file."""
        path = f"{self.home}/{name}"
        if not os.path.exists(path):
            return False
        lines = [f"get s {account}" for account in range(COUNT)] if while_busy else []
        self.player.process.stdin.write("".join(line + "\n" for line in lines))
        self.player.process.stdin.flush()
        os.truncate(path, int(os.path.getsize(path) * share))
        for line in lines:
            self.judge(line, self.player.answer())
        return True

    def finish(self, is_index):
        for line in AFTER:
            self.do(line)
        code = self.player.leave()
        if code != 0:
            self.problem = self.problem or f"the program ended with {code}"
        if self.daemon:
            code = self.daemon.end() if self.daemon.process.poll() is None else self.daemon.process.returncode
            if code < 0 and code != -15:
                self.problem = self.problem or f"the daemon ended with {code}"
        examiner = Examiner(self.programs)
        problem, items = examiner.look(self.home)
        for name, value in items.items():
            self.look(name, value)
        missing = [name for name, values in self.expected.items() if values and name not in items]
        if is_index and (problem or missing):
            self.problem = self.problem or f"only the index was cut: {problem} {missing[:5]}"
        lost = [name for name in missing if name.startswith("after/")]
        if lost:
            self.problem = self.problem or f"{lost} was acknowledged after the cut and is gone"
        examiner.process.kill()
        return self.problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    programs, rng, count, wrong = os.path.abspath(options.programs), random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        fill(programs, f"{folder}/base")
        cases = [
            (mode, name, share, busy)
            for mode in ("embedded", "daemon")
            for name in ("keychain.db", "keychain.db-wal", "keychain.db-shm")
            for share in (0, rng.uniform(0.05, 0.95), 0.5)
            for busy in (False, True)
            if not (busy and name.endswith("-shm"))
        ]
        for mode, name, share, busy in cases:
            one = Cut(programs, f"{folder}/base", f"{folder}/k", mode)
            if one.cut(name, share, busy):
                count += 1
                problem = one.finish(name.endswith("-shm"))
                if problem:
                    wrong += 1
                    print(f"{mode}: {name} cut to {share:.2f}{' while busy' if busy else ''}: {problem}", flush=True)
            else:
                one.finish(False)
    print(f"cut files: {count} cases, {wrong} wrong, seed {options.seed}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
