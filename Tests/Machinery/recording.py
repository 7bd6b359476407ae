"""Runs programs with shim.c loaded, and keeps what they did to their store and what they were told."""

import atexit
import os
import shutil
import subprocess
import tempfile

import trace
from players import Daemon, Examiner, Typist, environment
from rounds import Entry


def build_shim():
    """Compiles shim.c; its path. It goes with this process."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder = tempfile.mkdtemp(prefix="shim.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = f"{folder}/shim.so"
    subprocess.run(
        [
            "cc",
            "-std=gnu11",
            "-O1",
            "-Wall",
            "-Werror",
            "-fPIC",
            "-shared",
            "-D_GNU_SOURCE",
            "-o",
            made,
            f"{here}/shim.c",
            "-ldl",
            "-lpthread",
        ],
        check=True,
    )
    return made


def folder_to_keep(name):
    """Where the state of a failed case stays: below the build, where the user may write there."""
    return f".build/{name}" if os.access(".build", os.W_OK) else f"{tempfile.gettempdir()}/{name}"


class Loaded:
    """The environment of programs that have the shim loaded."""

    def __init__(self, shim, place, home, fault=None, shadow=False):
        self.control, self.trace = f"{place}/control", f"{place}/trace"
        with open(self.control, "wb") as file:
            file.write(bytes(4096))
        self.variables = {
            "LD_PRELOAD": shim,
            "SHIM_FOLDER": home,
            "SHIM_CONTROL": self.control,
            "SHIM_TRACE": self.trace,
        }
        if fault:
            self.variables["SHIM_FAULT"] = fault
        if shadow:
            os.makedirs(f"{place}/shadow", exist_ok=True)
            self.variables["SHIM_SHADOW"] = f"{place}/shadow"

    @property
    def marked(self):
        return self.variables | {"SHIM_MARKS": "1"}

    @property
    def fired(self):
        """Whether the fault was reached."""
        with open(self.control, "rb") as file:
            content = file.read()
        # Behind the lock (40 bytes) and the word that says it is ready.
        return content[44] != 0


class Recorded:
    """A scenario: the disk and the items at its beginning, what was done to the files, and the lines of each process.
    """

    def __init__(self, name, disk, items, records, scripts, modes):
        self.name, self.disk, self.items, self.records = name, disk, items, records
        self.scripts, self.modes = scripts, modes


class Marks:
    """What players had begun and been told up to a point of the record. Scripts are by process."""

    def __init__(self, scripts, modes=None):
        self.scripts, self.modes, self.open, self.entries = scripts, modes or {}, {}, []

    def take(self, record, position):
        for line in record.data.decode().splitlines():
            words = line.split()
            key = (words[1], words[2])
            if words[2] == "0":
                continue
            if words[0] == "B":
                self.open[key] = position
            else:
                call = self.scripts[int(words[1])][int(words[2]) - 1].split()
                self.entries.append(
                    Entry(
                        words[1],
                        call,
                        self.open.pop(key),
                        position,
                        int(words[4]),
                        words[5],
                        words[6:],
                        self.modes.get(int(words[1]), "embedded"),
                    )
                )

    def history(self):
        """As verdict.py takes it."""
        waiting = [
            Entry(process, self.scripts[int(process)][int(line) - 1].split(), begin, None, None, None, [])
            for (process, line), begin in self.open.items()
        ]
        return type("History", (), {"entries": self.entries + waiting})()


class Recorder:
    """A store, players with the shim, and their scripts."""

    def __init__(self, programs, shim, place, rng):
        self.programs, self.place, self.rng = programs, place, rng
        self.home, self.items, self.disk = f"{place}/k", {}, trace.Disk()
        self.loaded, self.scripts, self.modes, self.number = Loaded(shim, place, self.home), {}, {}, 0

    def begin_with(self, lines):
        """Makes a store, closes it, and takes all of it for what is on the disk."""
        player = Typist(self.programs, self.home)
        for line in lines:
            player.do(line)
        player.leave()
        problem, self.items = Examiner(self.programs).look(self.home)
        if problem:
            raise RuntimeError(problem)
        self.disk = trace.Disk(self.home)

    def player(self, mode="embedded"):
        return Player(self, Typist(self.programs, self.home, mode, self.loaded.marked), mode)

    def daemon(self):
        return Daemon(self.programs, self.home, self.loaded.variables)

    def fresh(self):
        self.number += 1
        return self.number

    def some_calls(self, player, count, services=("one", "two")):
        for _ in range(count):
            item = f"{self.rng.choice(services)} {self.rng.randrange(8)}"
            line = self.rng.choice(("add {} {} {}", "add {} {} {}", "set {} {} {}", "del {}"))
            player.do(line.format(item, self.fresh(), self.rng.choice((8, 100, 900, 5000))))


class Player:
    """A typist whose lines are known by its process."""

    def __init__(self, recorder, typist, mode):
        self.typist, self.lines = typist, []
        recorder.scripts[typist.process.pid] = self.lines
        recorder.modes[typist.process.pid] = mode

    def do(self, line):
        self.lines.append(line)
        return self.typist.do(line)

    def leave(self):
        self.typist.leave()


def one_program(recorder):
    recorder.begin_with(["add one 0 900001 100"])
    player = recorder.player()
    recorder.some_calls(player, 40)
    player.leave()


def three_programs(recorder):
    recorder.begin_with(["add one 0 900001 100"])
    players = [recorder.player() for _ in range(3)]
    for _ in range(20):
        for player in players:
            recorder.some_calls(player, recorder.rng.randrange(3))
    for player in players:
        player.leave()


def large_changes(recorder):
    """Changes that do not fit into what SQLite keeps in memory, one of them rolled back, beside another program."""
    count = 260
    recorder.begin_with(
        [f"add large {account} {900000 + account} 9000" for account in range(count)]
        + [f"add other {count - 1} 990000 8"]
    )
    first, second = recorder.player(), recorder.player()
    for _ in range(3):
        first.do("clash large other")
        recorder.some_calls(second, 50)
        first.do(f"setall large {recorder.fresh()} 9000")
        recorder.some_calls(second, 3)
        recorder.some_calls(first, 1)
    first.leave()
    second.leave()


def owning_daemon(recorder):
    recorder.begin_with(["add one 0 900001 100"])
    daemon = recorder.daemon()
    players = [recorder.player("daemon") for _ in range(2)]
    for _ in range(25):
        for player in players:
            recorder.some_calls(player, recorder.rng.randrange(3))
    for player in players:
        player.leave()
    daemon.end()


def sharing_daemon(recorder):
    recorder.begin_with(["add one 0 900001 100"])
    inside = recorder.player()
    recorder.some_calls(inside, 2)
    daemon = recorder.daemon()
    outside = recorder.player("daemon")
    for _ in range(20):
        recorder.some_calls(inside, recorder.rng.randrange(3))
        recorder.some_calls(outside, recorder.rng.randrange(3))
    inside.leave()
    outside.leave()
    daemon.end()


def new_store(recorder):
    """From nothing: the keychain is made, and has its first items."""
    os.makedirs(recorder.home, 0o700)
    player = recorder.player()
    recorder.some_calls(player, 8)
    player.leave()


SCENARIOS = [one_program, three_programs, owning_daemon, sharing_daemon, large_changes, new_store]


def record(scenario, programs, shim, place, rng):
    """Plays a scenario and gives what was recorded."""
    recorder = Recorder(programs, shim, place, rng)
    scenario(recorder)
    return Recorded(
        scenario.__name__,
        recorder.disk,
        recorder.items,
        trace.read(recorder.loaded.trace),
        recorder.scripts,
        recorder.modes,
    )
