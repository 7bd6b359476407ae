"""The Swift tests, divided by suites.

Each part runs its tests one after the other in a process of its own. Tests that block their thread would otherwise hold
the few threads that the library of tests has, and nothing would run beside them.
"""

import collections
import functools
import os
import re
import subprocess

import pytest

import players
import tiers
from conftest import TOP

# So many tests go into one part: about as long as the longest script.
PART = 60


@functools.cache
def listed():
    """Every test of the debug build, as MODULE.SUITE/function()."""
    done = subprocess.run([*program(), "--list-tests"], cwd=TOP, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if re.match(r"\w+\.\w+/", line)]


def program():
    """The tests of the debug build, or those that `scripts/sanitize` has built."""
    built = os.environ.get("KEYCHAIN_TEST_BUILD", ".build/debug")
    return [f"{built}/swift-keychainPackageTests.xctest", "--testing-library", "swift-testing"]


def parts(tests):
    """Lists of suites that make a part each: a module, or a piece of a large one, with one player."""
    suites = collections.Counter(test.split("/")[0] for test in tests)
    played = [(suite in players.SUITES, player, suite) for suite in suites for player in players.of_suite(suite)]
    made = []
    for has_roots, player, suite in sorted(played):
        kind = {"module": suite.split(".")[0], "player": player, "has_roots": has_roots}
        if not made or not kind.items() <= made[-1].items() or made[-1]["count"] + suites[suite] > PART:
            made.append({**kind, "count": 0, "suites": []})
        made[-1]["count"] += suites[suite]
        made[-1]["suites"].append(suite)
    return made


def of_tier(tier):
    """The gate has every suite, and the long tier again in its long form: KEYCHAIN_TEST_FORM says which."""
    return [] if tier == tiers.RELEASE else listed()


def name(part):
    root = "-root" if part["player"] == players.ROOTS else ""
    return f"{part['module']}-{part['suites'][0].split('.')[1]}{root}"


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", parts(of_tier(metafunc.config.getoption("--tier"))), ids=name)


def test_swift(part, run):
    names = "|".join(re.escape(suite) for suite in part["suites"])
    done = run(part["player"], *program(), "--no-parallel", "--filter", f"^({names})/")
    # A report that is cut has this part of it whole.
    failures = [line for line in done.stdout.splitlines() if "recorded an issue" in line or "Fatal error" in line]
    assert done.returncode == 0, "\n".join(failures)
    ran = re.search(r"Test run with (\d+) tests", done.stdout)
    assert ran and int(ran[1]) == part["count"], f"{ran and ran[1]} of {part['count']} tests have run"
    missing = re.findall(r"^➜.*skipped.*$", done.stdout, re.MULTILINE)
    if part["has_roots"] and part["player"] == players.USERS and players.IS_ROOT:
        return
    if missing and not players.IS_ROOT:
        pytest.skip("\n".join(missing))
    assert not missing, "where root starts the tests everything runs:\n" + "\n".join(missing)
