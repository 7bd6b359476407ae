"""The N-th write, sync, truncation, open, mapping, allocation or read fails, for each N; each answer must be true.

usage: faults.py FOLDER-OF-PROGRAMS [--seconds N] [--seed N] [--only SCENARIO] [--kind KIND] [--every | --each]
                 [--cases N]

A scenario runs once to count its calls of each kind; then it runs again for each call of each kind with that one
failing, once or from then on. The program must answer, not die; what it acknowledged must be there, what it refused
must not, unless it said that it does not know. Another program goes on then without a fault; and the store is opened,
as it was left and as a power cut at some moments would have left it.
Failed syncs are tried with pages that the system keeps and takes for clean (ext4) and with pages that it drops (XFS).
"""

import argparse
import collections
import errno
import itertools
import math
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import crash
import recording
import trace
import verdict
from model import ABSENT, explain
from players import Daemon, Examiner, Typist, environment
from rounds import History, end_daemon

from keychain_parts import answers
from patience import PATIENCE, eventually

LARGE = 2000
KINDS = ("write", "sync", "truncate", "open", "mmap", "sqlite", "openssl", "read")
ERRORS = {
    "write": (errno.EIO, errno.ENOSPC),
    "sync": (errno.EIO,),
    "truncate": (errno.ENOSPC, errno.EIO),
    "open": (errno.EMFILE, errno.EIO),
    "mmap": (errno.ENOMEM,),
    "sqlite": (errno.ENOMEM,),
    "openssl": (errno.ENOMEM,),
    "read": (errno.EIO,),
}

Scenario = collections.namedtuple("Scenario", "name before lines passcodes more with_daemon", defaults=((), {}, False))
Case = collections.namedtuple("Case", "scenario kind number error often drops")

CHANGES = ("add", "set", "del", "setall", "clash", "delall", "undelete", "restore")
AFTERWARDS = ["add after 1 800001 100", "set after 1 800002 900", "add after 2 800003 8"]
# What the programs of the next start do.
NEXT_START = ["add next 1 810001 100", "set next 1 810002 3000", "add next 2 810003 8", "get one 0"]
SOME = [f"add one {account} {account + 1} 100" for account in range(4)]
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")

SCENARIOS = [
    Scenario("add", SOME, ["add two 0 700000 100", "add two 1 700001 12000"] + AFTERWARDS),
    Scenario(
        "update",
        [f"add large {account} {account + 1} 200" for account in range(LARGE)],
        ["setall large 700000 200"] + AFTERWARDS,
    ),
    Scenario(
        "rollback",
        [f"add large {account} {account + 1} 900" for account in range(LARGE)] + [f"add other {LARGE - 1} 9999 8"],
        ["clash large other"] + AFTERWARDS,
    ),
    Scenario("delete", SOME + ["add two 0 600000 12000"], ["del two 0", "del one 0", "delall one"] + AFTERWARDS),
    Scenario(
        "passcode",
        SOME + ["passcode first-code"],
        ["unlock first-code", "passcode first-code second-code"] + AFTERWARDS,
        ("second-code", "first-code"),
    ),
    Scenario(
        "slot", SOME + ["passcode first-code"], ["unlock first-code", "slot first-code"] + AFTERWARDS, ("first-code",)
    ),
    Scenario("snapshot", SOME, ["snapshot", "set one 0 700000 100"] + AFTERWARDS),
    Scenario(
        "restore", SOME + ["del one 0", "set one 1 600000 3000"], ["undelete one 0 1", "restore one 1 2"] + AFTERWARDS
    ),
    Scenario("creation", None, ["add one 0 700000 100", "add one 1 700001 100"] + AFTERWARDS),
    Scenario(
        "migration",
        "old-store",
        ["get one 0", "set one 0 700000 100"] + AFTERWARDS,
        (),
        {"PLAYER_GROUP": "TEST.player"},
    ),
    Scenario("tpm", SOME, ["totpm"] + AFTERWARDS, (), {"PLAYER_TPM": "", "PLAYER_GROUP": "TEST.player"}),
    Scenario(
        "daemon",
        SOME,
        ["add two 0 700000 100", "set one 0 700001 900", "del one 1"]
        + [f"add three {account} {710000 + account} 3000" for account in range(60)]
        + AFTERWARDS,
        with_daemon=True,
    ),
]


class Bench:
    """Prepared stores, the shim, and a reader for each kind of environment."""

    def __init__(self, programs, shim, place, chip):
        self.programs, self.shim, self.place, self.chip = programs, shim, place, chip
        self.examiners = {}

    def more(self, scenario):
        return {name: value or self.chip.address for name, value in scenario.more.items()}

    def examiner(self, scenario):
        more = self.more(scenario)
        return self.examiners.setdefault(str(more), Examiner(self.programs, more))

    def prepared(self, scenario):
        """A folder with the store that the scenario begins with; None for none."""
        home = f"{self.place}/{scenario.name}"
        if scenario.before is None:
            return None
        if not os.path.isdir(home):
            if isinstance(scenario.before, str):
                os.makedirs(home, 0o700)
                shutil.unpack_archive(f"{FIXTURES}/{scenario.before}.tar.xz", home)
            else:
                self.make(scenario, home)
        return home

    def make(self, scenario, home):
        player = Typist(self.programs, home, "embedded", self.more(scenario))
        for line in scenario.before:
            answer = player.do(line)
            if answer is None or answer.status != 0:
                raise RuntimeError(f"{scenario.name}: {line}: {answer}")
        player.leave()
        problem, _ = self.examiner(scenario).look(home, scenario.passcodes)
        if problem:
            raise RuntimeError(f"{scenario.name}: {problem}")

    def items(self, scenario):
        """What is in the prepared store."""
        home = self.prepared(scenario)
        if home is None:
            return {}
        with tempfile.TemporaryDirectory(dir=self.place) as folder:
            shutil.copytree(home, f"{folder}/k")
            problem, items = self.examiner(scenario).look(f"{folder}/k", scenario.passcodes)
            if problem:
                raise RuntimeError(f"{scenario.name}: {problem}")
            return items


class Run:
    """A scenario with one fault, or none."""

    def __init__(self, bench, scenario, fault, drops):
        self.bench, self.scenario = bench, scenario
        self.folder = tempfile.mkdtemp(dir=bench.place)
        self.home = f"{self.folder}/k"
        prepared = bench.prepared(scenario)
        if prepared:
            shutil.copytree(prepared, self.home)
        else:
            os.makedirs(self.home, 0o700)
        self.disk = trace.Disk(self.home, syncs_names=fault.startswith("open"))
        self.loaded = recording.Loaded(bench.shim, self.folder, self.home, fault, drops)
        if drops:
            for name in os.listdir(self.home):
                shutil.copy(f"{self.home}/{name}", f"{self.folder}/shadow/{os.stat(f'{self.home}/{name}').st_ino}")
        self.history, self.problem = History(), None
        self.mode = "daemon" if scenario.with_daemon else "embedded"

    def play(self):
        """Runs it to its end, and then the programs of a next start, which have no fault."""
        self.processes = {}
        self.play_once(self.loaded.variables, self.scenario.lines, may_fail=True)
        without = {name: value for name, value in self.loaded.variables.items() if name != "SHIM_FAULT"}
        self.play_once(without, [f"unlock {code}" for code in self.scenario.passcodes] + NEXT_START, may_fail=False)

    def play_once(self, variables, lines, may_fail):
        """One program, and a daemon where the scenario has one."""
        daemon = None
        if self.scenario.with_daemon:
            daemon = self.start_daemon(variables, may_fail)
            # Nobody else starts one, for that would not be in the record.
            variables = self.loaded.variables | {"SHIM_FAULT": "", "KEYCHAIN_DAEMON": "/nowhere"}
        player = self.play_script(lines, self.bench.more(self.scenario) | variables | {"SHIM_MARKS": "1"})
        if player.returncode != 0 and not (player.returncode == 4 and may_fail):
            self.problem = self.problem or f"the program ended with {player.returncode}"
        if daemon:
            end_daemon(self.home, signal.SIGTERM)
            code = daemon.process.wait()
            if code < 0:
                self.problem = self.problem or f"the daemon ended with {code}"

    def play_script(self, lines, variables):
        """The player, when it has ended."""
        name = f"{self.folder}/record.{len(self.processes)}"
        with open(name, "wb") as record:
            player = subprocess.Popen(
                [f"{self.bench.programs}/item-player", "batch"],
                stdin=subprocess.PIPE,
                stdout=record,
                stderr=subprocess.DEVNULL,
                env=environment(self.bench.programs, self.home, self.mode, variables),
            )
            try:
                player.communicate("".join(line + "\n" for line in lines).encode(), timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                player.kill()
                player.wait()
                self.problem = "the program did not come to its end"
        self.processes[player.pid] = lines
        self.history.read(lines, name, self.mode)
        # A store that could not be made is opened once more by the next call, which begins with what the disk has.
        if self.scenario.before is not None:
            own = [entry for entry in self.history.entries if int(entry.process) == player.pid]
            self.problem = self.problem or use_after_failure(own)
        return player

    def start_daemon(self, variables, may_fail):
        try:
            return Daemon(self.bench.programs, self.home, variables)
        except RuntimeError as error:
            # Over a failing disk it may refuse to start.
            if not may_fail:
                self.problem = self.problem or str(error)
            return None

    @property
    def counts(self):
        with open(self.loaded.control, "rb") as file:
            content = file.read()
        return dict(zip(KINDS, struct.unpack_from(f"={len(KINDS)}Q", content, 48)))

    def wrong(self, items, rng):
        """What is wrong after it: as its files are, and after a power cut."""
        return self.problem or self.wrong_after_cut(items, rng) or self.wrong_in(self.home, items, self.history)

    def wrong_in(self, folder, items, history):
        examiner = self.bench.examiner(self.scenario)
        problem, found = examiner.look(folder, self.scenario.passcodes)
        if problem and not self.was_made(folder, history):
            return None
        return (
            problem or wrong_passcode(self.scenario, history, examiner.passcode) or wrong_items(items, history, found)
        )

    def was_made(self, folder, history):
        """A keychain that was never made, and in which nothing was stored, need not open."""
        return self.scenario.before is not None or any(entry.status == 0 for entry in history.entries)

    def wrong_after_cut(self, items, rng):
        records = trace.read(self.loaded.trace)
        marks = recording.Marks(self.processes, {process: self.mode for process in self.processes})
        moments = [
            place for place, record in enumerate(records) if record.kind in "sfdcru" or crash.is_an_answer(record)
        ]
        chosen = set(rng.sample(moments, min(3, len(moments)))) | {len(records) - 1}
        chosen |= {min(place + 1, len(records) - 1) for place, record in enumerate(records) if record.kind == "f"}
        for place, record in enumerate(records):
            if record.kind == "m":
                marks.take(record, place)
            else:
                self.disk.apply(record)
            if place in chosen:
                for state in self.disk.states(rng, 2, 1):
                    folder = f"{self.folder}/cut"
                    shutil.rmtree(folder, ignore_errors=True)
                    write(state, folder)
                    problem = self.wrong_in(folder, items, marks.history())
                    if problem:
                        return f"after a power cut at {place} of {len(records)}: {problem}"
        return None

    def clear(self):
        shutil.rmtree(self.folder)


def write(state, folder):
    os.makedirs(folder, 0o700)
    for name, content in state.items():
        with open(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)


def use_after_failure(entries):
    """What one program was told after the disk had failed a write of its: everything must be refused."""
    failed = None
    for entry in entries:
        if failed and entry.status == 0:
            return f"the store is used on after a failed write: {' '.join(failed.words)}, then {' '.join(entry.words)}"
        if entry.words[0] in CHANGES and entry.rule in verdict.OPEN_RULES:
            failed = failed or entry
    return None


def wrong_passcode(scenario, history, passcode):
    if not scenario.passcodes:
        return None
    allowed = {scenario.passcodes[-1]}
    for entry in history.entries:
        if entry.words[0] == "passcode":
            if entry.status == 0:
                allowed = {entry.words[2]}
            elif entry.status is None or entry.rule in verdict.OPEN_RULES:
                allowed.add(entry.words[2])
    return None if passcode in allowed else f"the passcode is {passcode} and not of {allowed}"


def wrong_items(items, history, found):
    calls = verdict.calls_by_item(history, set(items) | set(found))
    for name in set(calls) | set(items) | set(found):
        possible = explain(items.get(name, ABSENT), calls.get(name, []))
        if found.get(name, ABSENT) not in possible:
            told = [(call.kind, call.value, call.status) for call in calls.get(name, [])]
            return f"{name} is {found.get(name)}, possible is {sorted(map(str, possible))}: {told[-6:]}"
    return None


def cases(bench, scenario, kinds, options):
    """What there is of a scenario: calls of each kind, by each error, once and from then on. Sixty calls of a kind,
    unless all are asked for (`--every`); or all, each in one of those ways, by turns (`--each`).
    """
    for kind in kinds:
        # Allocations are counted only where they may fail.
        run = Run(bench, scenario, f"{kind}:{1 << 40}:5:once", False)
        run.play()
        count = run.counts[kind]
        run.clear()
        ways = list(itertools.product(ERRORS[kind], ("once", "always"), (False, True) if kind == "sync" else (False,)))
        every = options.every or options.each or options.number is not None or count <= 60
        numbers = range(1, count + 1) if every else sorted({1 + index * (count - 1) // 59 for index in range(60)})
        for number in numbers:
            for way in [ways[number % len(ways)]] if options.each else ways:
                yield Case(scenario, kind, number, *way)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only")
    parser.add_argument("--kind")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--number", type=int, help="only this call of each kind")
    parser.add_argument("--cases", type=int, help="so many of each kind, however long they take")
    parser.add_argument("--first", action="store_true", help="end at the first wrong verdict")
    return parser.parse_args()


def attack(options, bench, rng):
    figures = collections.Counter()
    chosen = [
        scenario
        for scenario in SCENARIOS
        if options.only in (None, scenario.name) and (bench.chip or scenario.name != "tpm")
    ]
    kinds = [kind for kind in KINDS if options.kind in (None, kind)]
    todo = [
        case
        for scenario in chosen
        for case in cases(bench, scenario, kinds, options)
        if options.number in (None, case.number)
    ]
    rng.shuffle(todo)
    count = len(todo)
    if options.cases:
        todo = [case for kind in kinds for case in [case for case in todo if case.kind == kind][: options.cases]]
    items = {scenario.name: bench.items(scenario) for scenario in chosen}
    end = math.inf if options.cases else time.monotonic() + options.seconds
    for case in todo:
        if time.monotonic() > end or (options.first and figures["wrong"]):
            break
        run = Run(bench, case.scenario, f"{case.kind}:{case.number}:{case.error}:{case.often}", case.drops)
        run.play()
        problem = run.wrong(items[case.scenario.name], rng)
        figures["cases"] += 1
        figures["reached"] += run.loaded.fired
        if problem:
            figures["wrong"] += 1
            pages = ", pages dropped" if case.drops else ""
            print(
                f"{case.scenario.name}: {case.kind} {case.number} fails with {case.error} {case.often}{pages}:"
                f" {problem}",
                flush=True,
            )
        run.clear()
    return figures, count


class Chip:
    """A TPM in software, for the programs of a scenario; it serves one after the other."""

    def __init__(self, place):
        self.path = f"{place}/chip.sock"
        os.makedirs(f"{place}/chip")
        self.process = subprocess.Popen(
            [
                "swtpm",
                "socket",
                "--tpm2",
                "--tpmstate",
                f"dir={place}/chip",
                "--server",
                f"type=unixio,path={self.path}",
                "--ctrl",
                f"type=unixio,path={self.path}.ctrl",
                "--flags",
                "not-need-init,startup-clear",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: answers(self.path) or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise RuntimeError("swtpm does not start")

    @property
    def address(self):
        return f"swtpm:path={self.path}"

    def end(self):
        self.process.kill()
        self.process.wait()


def main():
    options = arguments()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        chip = Chip(place)
        try:
            bench = Bench(os.path.abspath(options.programs), recording.build_shim(), place, chip)
            figures, count = attack(options, bench, rng)
        finally:
            chip.end()
    print(
        f"faults: {figures['cases']} of {count} cases, {figures['reached']} reached, {figures['wrong']} wrong, seed"
        f" {options.seed}"
    )
    sys.exit(figures["wrong"] > 0)


if __name__ == "__main__":
    main()
