"""A gate that says that it has passed has run everything, and names what tests have left behind."""

import signal
import subprocess

import conftest
import run
import tiers


def test_each_tier_ends_what_hangs():
    """The release tier builds the product twice in one test: it has longer than the gate."""
    assert conftest.LIMITS.keys() == tiers.TIERS.keys()
    assert conftest.LIMITS[tiers.GATE] == min(conftest.LIMITS.values()) < conftest.LIMITS[tiers.RELEASE]


def test_a_round_that_broke_off_has_not_passed():
    """A test that failed passes alone, or is red; a first round without results is red, whatever comes after it."""
    assert run.settled(True, {"a"}, {"a"}, set()) == (True, set())
    assert run.settled(True, {"a", "b"}, {"a"}, set()) == (False, {"b"})
    assert run.settled(False, {"a"}, set(), {"a"}) == (False, {"a"})
    assert run.settled(True, {"pytest"}, set(), set()) == (False, {"pytest"})
    assert run.settled(True, set(), set(), set()) == (False, {"pytest"})


def test_locks_of_swiftpm_are_not_left_behind():
    """Wherever the project lies: a lock has the name of what it locks. A file of a test is told."""
    assert run.is_others("_home_ann_swift-keychain_.build.lock") and run.is_others("_root_.swiftpm.lock")
    assert not run.is_others("tmp.aB3") and not run.is_others("keychain.lock") and not run.is_others("_store")


def test_programs_of_tests_hear_signals_that_the_caller_ignores():
    """A tier in the background of a script ignores Ctrl-C, and one under nohup ignores the end of its terminal."""
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        conftest.hear_signals()
        for number in numbers:
            with subprocess.Popen(["sleep", "3600"]) as process:
                process.send_signal(number)
                assert process.wait() == -number
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
