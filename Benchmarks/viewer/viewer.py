"""What the viewer takes with 100,000 items: its first rows, a key of each kind, and its own memory.

viewer.py FOLDER-OF-PROGRAMS [ITEMS]
"""

import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Tests", "Scripts"))

from keychain_parts import Home, eventually  # noqa: E402

ROUNDS = 9
AT_ONCE = 10_000
CURSOR_REPORT = b"\x1b[6n"
# Milliseconds and kB.
BUDGETS = {"first rows": 100, "a key": 16, "own memory": 20480}
KEYS = {
    "down": b"j",
    "a page": b"\x1b[6~",
    "end": b"G",
    "home": b"g",
    "a category": b"2",
    "all": b"1",
    "sort": b"s",
    "reverse": b"S",
    "search": b"/",
    "a letter": b"e",
    "a rarer word": b"x",
    "clear": b"\x15\r",
}


def fill(home, count):
    """Adds the items through commands that read others."""
    home.says("add-generic-password", "-s", "first", "-a", "ann", "-w", "x")
    numbers = range(count - 1)
    for start in range(0, count - 1, AT_ONCE):
        words = "".join(
            f"add-generic-password -s service-{number * 7919 % count} -a user{number % 97} -w v\n"
            for number in numbers[start : start + AT_ONCE]
        )
        done = home.run("-q", "-i", text=words)
        assert done.returncode == 0, done.stderr


class Screen:
    """The viewer on a terminal of 24×80; it tells when something was drawn."""

    def __init__(self, home):
        self.process, self.device = pty.fork()
        if self.process == 0:
            environment = home.environment | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "LINES": "24"}
            os.execve(f"{home.programs}/security", ["security", "browse"], environment)
        subprocess.run(["stty", "rows", "24", "cols", "80"], stdin=self.device, check=True)

    def wait(self, text=None, quiet=0.3):
        """The moment of the last output before a silence, or of a text that is drawn at once."""
        last, output = None, b""
        while select.select([self.device], [], [], 60 if last is None else quiet)[0]:
            drawn = os.read(self.device, 65536)
            last = time.monotonic()
            # The viewer asks where the cursor is after one character of its frame.
            if CURSOR_REPORT in drawn:
                os.write(self.device, b"\x1b[1;2R")
            output += drawn
            if text and text in output:
                break
        return last

    def press(self, key):
        """Milliseconds until all that a key draws has been drawn."""
        start = time.monotonic()
        os.write(self.device, key)
        return 1000 * (self.wait(quiet=0.12) - start)

    def children(self):
        with open(f"/proc/{self.process}/task/{self.process}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]

    def memory(self):
        """The memory that the drawing process has for itself, in kB."""
        with open(f"/proc/{self.children()[0]}/smaps_rollup", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file if "kB" in line)
        return int(lines["Private_Dirty"].split()[0])

    def end(self):
        # An Escape and a letter at once would be one key.
        for key in (b"\x1b", b"q"):
            os.write(self.device, key)
            time.sleep(0.2)
        os.waitpid(self.process, 0)


def line(name, value, unit, budget):
    print(f"{name:28}{value:10.1f} {unit:4}{budget:8}")
    return value <= budget


def measure(home, count):
    kept = []
    starts = []
    for _ in range(5):
        start = time.monotonic()
        screen = Screen(home)
        screen.wait(b"service-1")
        starts.append(1000 * (time.monotonic() - start))
        # While items are read, something is drawn for each 500.
        whole = screen.wait(quiet=0.7) - start
        screen.end()
    print(f"{count:,} items, all read in {whole:.2f} s          budget")
    kept.append(line("first rows", statistics.median(starts), "ms", BUDGETS["first rows"]))
    screen = Screen(home)
    screen.wait(quiet=0.7)
    times = {name: [] for name in KEYS}
    for _ in range(ROUNDS):
        for name, key in KEYS.items():
            times[name].append(screen.press(key))
    for name, values in times.items():
        kept.append(line(name, statistics.median(values), "ms", BUDGETS["a key"]))
    kept.append(line("own memory", screen.memory(), "kB", BUDGETS["own memory"]))
    screen.end()
    return all(kept)


def main():
    programs = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Home(programs, folder)
        try:
            fill(home, count)
            eventually(lambda: home.stores_of_daemons())
            kept = measure(home, count)
        finally:
            home.end()
    sys.exit(not kept)


main()
