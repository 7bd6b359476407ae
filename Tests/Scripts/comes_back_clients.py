"""Clients of a keychain whose processes are disturbed, and what each of their items may be after what they were told.
"""

import json
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Machinery"))

from players import Typist, environment  # noqa: E402

# What a call may take, as the clients are told (KEYCHAIN_TIMEOUT): seconds.
DEADLINE = 4
NOT_FOUND, DUPLICATE, NOT_AVAILABLE = -25300, -25299, -25291


class Figures:
    """What became of all calls, and what was wrong with them."""

    def __init__(self, slack):
        """`slack`: what a call may take beyond its deadline, as machines are slow: seconds."""
        self.lock, self.slack = threading.Lock(), slack
        self.calls = self.refused = self.ended = 0
        self.slowest, self.wrong = 0, []

    def count(self, what, begun, isRefused, reason):
        taken = time.monotonic() - begun
        with self.lock:
            self.calls += 1
            self.refused += isRefused
            self.slowest = max(self.slowest, taken)
            if taken > DEADLINE + self.slack:
                self.wrong.append(f"{what} took {taken:.1f} s")
            if isRefused and not reason:
                self.wrong.append(f"{what} was refused without a reason")

    def fail(self, problem):
        with self.lock:
            self.wrong.append(problem)


class Item:
    """One item of a client: the values that it may have, None for there being none."""

    def __init__(self, name):
        self.name, self.values = name, {None}

    def wrote(self, value, isDone, isKnown):
        if isDone:
            self.values = {value}
        elif not isKnown:
            self.values.add(value)

    def read(self, value, figures, who):
        if value not in self.values:
            figures.fail(f"{who}: {self.name} is {value}, which should be one of {sorted(map(str, self.values))}")
        self.values = {value}


class Client(threading.Thread):
    """Writes and reads its own items until it is told to stop, one call after the other."""

    def __init__(self, programs, world, figures, rng):
        super().__init__(daemon=True)
        self.programs, self.world, self.figures, self.rng = programs, world, figures, rng
        self.name = type(self).__name__.lower()
        self.items = [Item(f"item{number}") for number in range(3)]
        self.number, self.isOver, self.mayGo = 0, False, threading.Event()
        self.isBusy = threading.Lock()
        self.mayGo.set()

    def run(self):
        while not self.isOver:
            self.mayGo.wait()
            with self.isBusy:
                # It may have been paused on the way here.
                if self.mayGo.is_set() and not self.isOver:
                    self.step(self.rng.choice(self.items), self.rng.choice(("write", "write", "read", "remove")))
            time.sleep(self.rng.uniform(0, 0.02))

    def step(self, item, what):
        begun = time.monotonic()
        if what == "read":
            isDone, reason, value = self.read(item)
            if isDone:
                item.read(value, self.figures, self.name)
        else:
            self.number += 1
            value = str(self.number) if what == "write" else None
            isDone, reason, isKnown = self.write(item, value) if value else self.remove(item)
            item.wrote(value, isDone, isKnown)
        self.figures.count(f"{self.name}: {what}", begun, not isDone, reason)
        return isDone

    def isServed(self):
        """Whether it is served again."""
        return all(self.step(self.items[0], what) for what in ("write", "read"))

    def look(self):
        """Reads all items."""
        return all([self.step(item, "read") for item in self.items])

    def pause(self):
        self.mayGo.clear()
        with self.isBusy:
            pass

    def go_on(self):
        self.mayGo.set()

    def end(self):
        self.isOver = True
        self.mayGo.set()
        self.join()


class Player(Client):
    """A program of the public API that stays connected."""

    mode = "daemon"
    typist = None

    @property
    def home(self):
        return self.world.home

    def do(self, line):
        if self.typist is None or self.typist.process.poll() is not None:
            self.typist = Typist(self.programs, self.home, self.mode, self.world.settings)
        answer = self.typist.do(line)
        if answer is None:
            self.figures.ended += 1
            self.typist.process.wait()
            self.typist = None
        return answer

    def change(self, line, expected=(0,)):
        answer = self.do(line)
        if answer is None:
            return False, "it was ended", False
        # Nobody knows what became of a call that nobody has answered.
        isKnown = answer.status != NOT_AVAILABLE and answer.rule != "store.outcome-unknown"
        return answer.status in expected, answer.rule.strip("-"), isKnown

    def write(self, item, value):
        if item.values == {None}:
            return self.change(f"add {self.name} {item.name} {value} 64")
        if None not in item.values:
            return self.change(f"set {self.name} {item.name} {value} 64")
        done = self.change(f"add {self.name} {item.name} {value} 64", (0, DUPLICATE))
        return self.change(f"set {self.name} {item.name} {value} 64") if done[0] else done

    def remove(self, item):
        return self.change(f"del {self.name} {item.name}", (0, NOT_FOUND))

    def read(self, item):
        answer = self.do(f"get {self.name} {item.name}")
        if answer is None:
            return False, "it was ended", None
        found = answer.result[0] if answer.result else None
        return answer.status in (0, NOT_FOUND), answer.rule.strip("-"), found

    def end(self):
        super().end()
        if self.typist:
            self.typist.leave()


class Embedded(Player):
    """A program with the keychain inside, beside another one over the same store."""

    mode = "embedded"

    def __init__(self, number, *more):
        super().__init__(*more)
        self.name += str(number)

    @property
    def home(self):
        return f"{self.world.home}.embedded"


class Command(Client):
    """The command `security`, a process for each call."""

    program, limits, more = "security", None, {}

    def environment(self):
        return environment(self.programs, self.world.home, "daemon", self.world.settings | self.more)

    def call(self, words, text=""):
        """Its exit status, its output, and what it says of a refusal."""
        try:
            done = subprocess.run(
                [f"{self.world.commands}/{self.program}", *words],
                input=text,
                env=self.environment(),
                capture_output=True,
                text=True,
                preexec_fn=self.limits,
                timeout=10 * (DEADLINE + self.figures.slack),
            )
        except subprocess.TimeoutExpired:
            self.figures.fail(f"{self.name}: {words[0]} hangs")
            return 1, "", "it hangs"
        if done.returncode < 0:
            self.figures.ended += 1
        return done.returncode, done.stdout, done.stderr.strip() or ("it was ended" if done.returncode < 0 else "")

    def begin(self, item, value):
        """Starts a write and does not wait for it."""
        words, text = self.writing(item, value)
        process = self.launch(words)
        process.stdin.write(text)
        process.stdin.flush()
        return process

    def launch(self, words):
        return subprocess.Popen(
            [f"{self.world.commands}/{self.program}", *words],
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def change(self, words, text="", also=()):
        status, output, reason = self.call(words, text)
        return status == 0 or status in also, reason or output, False

    def write(self, item, value):
        return self.change(*self.writing(item, value))

    def writing(self, item, value):
        return ["add-generic-password", "-U", "-s", self.name, "-a", item.name, "-w", value], ""

    def remove(self, item):
        return self.change(["delete-generic-password", "-s", self.name, "-a", item.name], also=(44,))

    def read(self, item):
        status, output, reason = self.call(["find-generic-password", "-s", self.name, "-a", item.name, "-w"])
        return status in (0, 44), reason, output.strip() or None


class Git(Command):
    """git's credential helper, as git calls it."""

    program = "git-credential-keychain"

    def of(self, item):
        return f"protocol=https\nhost={item.name}.example\nusername=ann\n"

    def writing(self, item, value):
        return ["store"], self.of(item) + f"password={value}\n\n"

    def remove(self, item):
        return self.change(["erase"], self.of(item) + "\n")

    def read(self, item):
        status, output, reason = self.call(["get"], self.of(item) + "\n")
        found = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
        return status == 0, reason, found.get("password")


class Docker(Command):
    """docker's credential helper, as docker calls it."""

    program = "docker-credential-keychain"
    missing = "credentials not found in native keychain\n"

    def writing(self, item, value):
        return ["store"], json.dumps(
            {"ServerURL": f"https://{item.name}.example/v1/", "Username": "ann", "Secret": value}
        )

    def remove(self, item):
        status, output, reason = self.call(["erase"], f"https://{item.name}.example/v1/")
        return status == 0 or output == self.missing, reason or output, False

    def read(self, item):
        status, output, reason = self.call(["get"], f"https://{item.name}.example/v1/")
        if status == 0:
            return True, "", json.loads(output)["Secret"]
        return output == self.missing, reason or output, None


class Asker(Command):
    """A program whose item opens only when the user has entered the passcode, which a pinentry does."""

    program, value, more = "guarded-item", "guarded value", {"KEYCHAIN_INTERACTION": "auto"}

    def step(self, item, what):
        begun = time.monotonic()
        status, output, reason = self.call(["read", "asked"])
        if status == 0 and output.strip() != self.value:
            self.figures.fail(f"{self.name}: {output!r} is not the value")
        self.figures.count(f"{self.name}: read", begun, status != 0, reason or output.strip())
        return status == 0
