"""Rules about time: no test of the gate judges a clock, waits by a limit of its own, or holds a processor to wait."""

import re

from files import code, lines, named
from rule import rule

# What waits and measures on purpose, and what runs in another tier than the gate alone.
EXEMPT = {
    "Tests/Scripts/patience.py": "the one limit",
    "Tests/Support/Waiting.swift": "the one limit",
    "Tests/Run/run.py": "runs the tests",
    "Tests/Scripts/history_test.py": "the long tier's alone",
    "Tests/Scripts/service_kill_test.py": "the long tier's alone",
    "Tests/Hostile/arrivals.py": "attacks on waiting, the long tier's alone",
    "Tests/Hostile/unread.py": "attacks for so long",
    "Tests/Scripts/one_daemon_test.py": "minutes below the deadline of the product that it tells from",
    "Tests/Daemon/KeychainEngineTests/DeadlineTests.swift": "seconds below the deadline that it tells from",
    "Tests/Daemon/KeychaindTests/LaunchTests.swift": "far below the deadline that it tells from",
    "Tests/Daemon/KeychainServerTests/IdentificationFlowTests.swift": "asks for at least so long",
    "Tests/Scripts/clock_test.py": "tells a slow machine from a lock that comes early",
    "Tests/Scripts/package_test.py": "the release tier's alone",
    "Tests/Scripts/c_programs.py": "the release tier's alone",
    "Tests/Scripts/recipes_test.py": "the release tier's alone",
}
# Machinery and load measure; their short forms count.
FOLDERS = ("Tests/Load/", "Tests/Machinery/", "Tests/Fuzz/", "Tests/Tidy/", "Tests/Programs/")


def of_gate(*endings):
    for name in named("Tests", *endings):
        if name not in EXEMPT and not name.startswith(FOLDERS):
            yield name


def places(pattern, *endings):
    found = re.compile(pattern)
    for name in of_gate(*endings):
        # Comments of Swift may name what the code avoids.
        text = code(name).splitlines() if name.endswith(".swift") else lines(name)
        for number, line in enumerate(text, 1):
            if found.search(line):
                yield f"{name}:{number}", line.strip()


@rule("comparisons with elapsed time in Tests")
def judged_clocks():
    """A lower bound is sound: a machine can only be slower."""
    yield from places(r"\b(?:took|elapsed|duration)\b *<|(?:monotonic|perf_counter|time)\(\) *- *\w+ *<", ".py")
    yield from places(
        r"\b(?:took|elapsed|duration)\b *<|Nanoseconds *- *\w+ *<|ContinuousClock|\.timeLimit\(", ".swift"
    )


@rule("time-outs of a test's own")
def private_limits():
    yield from places(r"\btimeout=\d+[,)]|\bwait\([1-9]|\bseconds=\d\d|(?:monotonic|time)\(\) *\+ *\d", ".py")


@rule("loops in Tests that hold a processor while they wait")
def busy_loops():
    yield from places(r"^\s*while .*: *pass$", ".py")
    yield from places(r"\bsched_yield\(\)|\bwhile (?!try)[^{]*\{ *\}", ".swift")
