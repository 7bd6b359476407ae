"""Runs a tier: its tests several at a time, those that fail once more alone, and then ends what they left behind.

usage: run.py TIER [OPTION OF PYTEST...]

A test that fails and then passes alone is unstable: the tier has passed, its last lines say so, and both outputs stay.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

import ordinary
import players
import tiers
from test_scripts import names

TOP = pathlib.Path(__file__).resolve().parents[2]
RESULTS = TOP / ".build/tests"
PROGRAMS = os.path.realpath(TOP / ".build/debug")
# An option of the caller's may leave no test: pytest's word for that.
NO_TESTS = 5
# Files of the compiler's and pytest's own.
OTHERS = ("TemporaryDirectory.", "pytest-of-", "swift-")
# So many lines of the end name failures.
LINES = 8


class Tier:
    def __init__(self, name, options):
        self.name, self.options = name, options
        self.folder = RESULTS / name
        shutil.rmtree(self.folder, ignore_errors=True)
        # Every test's temporary files are in here, and every process that one starts names it: what is left is found.
        self.temporary = tempfile.mkdtemp(prefix="k")
        os.chmod(self.temporary, 0o1777)

    def play(self, round_, *options):
        """One run of pytest; whether it passed, and the names of what passed and of what failed."""
        folder = self.folder / round_
        folder.mkdir(parents=True)
        command = [sys.executable, "-m", "pytest", "--rootdir", "Tests/Run", "--tier", self.name, "--outputs", folder]
        command += ["--override-ini", f"cache_dir={TOP}/.build/pytest", "--junit-xml", folder / "tests.xml"]
        command += ["--tb", "short", "-rs", "--durations", "15", *options, *self.options, "Tests/Run"]
        status = subprocess.run(command, cwd=TOP, env=self.environment(), check=False).returncode
        (passed, failed) = outcomes(folder / "tests.xml")
        return (status == 0 or (status == NO_TESTS and not failed), passed, failed)

    def environment(self):
        # Tests start TPMs of their own; wrong passwords must not count in the machine's.
        own = {"KEYCHAIN_TPM": "none", "KEYCHAIN_TEST_PASSCODES": "cheap", "PYTHONDONTWRITEBYTECODE": "1"}
        own |= {"TMPDIR": self.temporary, "PROGRAMS": PROGRAMS}
        form = {"KEYCHAIN_TEST_FORM": "long"} if self.name == tiers.LONG else {}
        return os.environ | form | own

    def end(self):
        """Ends every process that was left behind, and removes all files; what there was."""
        left = [f"process {number}: {said}" for number, said in self.processes()]
        left += [f"mount {place}" for place in self.mounts()]
        files = [name for name in sorted(os.listdir(self.temporary)) if not is_others(name)]
        left += [f"file {self.temporary}/{name}" for name in files]
        for number, _ in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        for place in self.mounts():
            subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(self.temporary, ignore_errors=True)
        return left

    def settle(self):
        """Daemons that were told to end do so; one that nobody told goes on."""
        end = time.monotonic() + 10
        while self.processes() and time.monotonic() < end:
            time.sleep(0.1)

    def processes(self):
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            words = contents(f"/proc/{number}/cmdline")
            named = words + contents(f"/proc/{number}/environ")
            if int(number) != os.getpid() and self.temporary in named:
                found.append((int(number), words.replace("\0", " ").strip()))
        return found

    def mounts(self):
        places = [line.split()[4] for line in contents("/proc/self/mountinfo").splitlines()]
        return [place for place in reversed(places) if place.startswith(self.temporary + "/")]


def is_others(name):
    """Whether a file is no test's. SwiftPM names its locks by the paths that they lock, with underscores."""
    return name.startswith(OTHERS) or (name.startswith("_") and name.endswith(".lock"))


def contents(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def outcomes(report):
    """The names of the tests that passed and of those that failed: a script's, or a part's of the Swift tests."""
    if not report.exists():
        return (set(), {"pytest"})
    (passed, failed) = (set(), set())
    for case in ElementTree.parse(report).iter("testcase"):
        faults = {child.tag for child in case} & {"failure", "error", "skipped"}
        of_its_kind = failed if faults - {"skipped"} else passed if not faults else set()
        of_its_kind.add(case.get("name").split("[")[-1].rstrip("]"))
    return (passed, failed)


def not_run(tier):
    """The other tiers, with their scripts."""
    for other, (command, what) in tiers.TIERS.items():
        if other != tier and tier == tiers.GATE:
            scripts = sorted(name for name in names() if tiers.tier(name) == other)
            yield f"not run here: {command} ({what}): {' '.join(scripts)}"


def not_proved(tier):
    """What root's part is in this tier, where the tests were not started by root."""
    missing = players.missing({name for name in names() if tiers.tier(name) == tier})
    if missing:
        yield f"not proved here, it takes root: {', '.join(missing)}"


def main(name, *options):
    if problem := ordinary.problem():
        sys.exit(problem)
    tier = Tier(name, options)
    again, left = (set(), set()), []
    try:
        # Many tests wait, for a daemon or a disk. The order is that of `tiers.LONGEST`.
        workers = os.environ.get("WORKERS", str((os.cpu_count() or 1) + 2))
        passed, _, failed = tier.play(
            "first", "--numprocesses", workers, "--dist", "loadgroup", "--no-loadscope-reorder"
        )
        tier.settle()
        if not passed:
            passed, *again = tier.play("again", "--last-failed", "--last-failed-no-failures", "none")
            passed, again[1] = settled(passed, failed, *again)
            tier.settle()
    finally:
        left = tier.end()
    report(tier, passed, failed & again[0], again[1], left)
    return 0 if passed else 1


def settled(passed, failed, *again):
    """Whether all that failed has passed alone, and what has not. A first round that broke off names nothing."""
    missing = (failed or {"pytest"}) - again[0]
    return passed and not missing, again[1] | missing


def report(tier, passed, unstable, failed, left):
    for line in [*not_run(tier.name), *not_proved(tier.name), *(f"left behind: {what}" for what in left[:LINES])]:
        print(line)
    for name in sorted(unstable):
        print(f"unstable: {name} failed once and passed alone; outputs: {tier.folder}/{{first,again}}/{name}.log")
    for name in sorted(failed)[:LINES]:
        print(f"FAILED {name}: {tier.folder}/again/{name}.log")
    print(f"{tiers.TIERS[tier.name][0]}: {'passed' if passed else f'{len(failed)} failed, outputs in {tier.folder}'}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
