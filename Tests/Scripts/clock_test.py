"""The wall clock is set, and a time namespace has clocks of its own: waits and lock timers hold.

usage: clock_test.py FOLDER-OF-PROGRAMS WALL-CLOCK-LIBRARY
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Machinery"))

from keychain_parts import answers  # noqa: E402
from kill_test import end_daemon  # noqa: E402
from patience import PATIENCE, eventually  # noqa: E402
from players import Typist  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv[1])
LIBRARY = os.path.abspath(sys.argv[2])
YEARS = 10 * 365 * 86400
JUMPS = (YEARS, -YEARS, 3600, -3600)
# Far ahead: each wait would be over.
NAMESPACE = ["unshare", "--time", "--boottime", "1000000", "--monotonic", "1000000", "--fork"]
LOCKED, WRONG, THROTTLED = "state.locked", "state.wrong-passcode", "state.too-many-attempts"


class Keychain:
    """A keychain with a passcode, in programs whose wall clock is what the test says."""

    def __init__(self, folder):
        self.home, self.clock = f"{folder}/keychain", pathlib.Path(folder) / "clock"
        self.set(0)
        with_passcode = self.program()
        self.expect(with_passcode, "passcode 1234", 0)
        self.expect(with_passcode, "add a b 1 10", 0)
        with_passcode.leave()

    def set(self, seconds, asleep=0):
        self.clock.write_text(f"{seconds} {asleep}\n")

    def program(self, mode="embedded", before=()):
        return Program(self, mode, before)

    @staticmethod
    def expect(program, line, *wanted):
        answer = program.do(line)
        if answer is None or answer.status not in wanted and answer.rule not in wanted:
            sys.exit(f"{line}: {answer} in place of {' or '.join(map(str, wanted))}")


class Program(Typist):
    def __init__(self, keychain, mode, before):
        more = {"LD_PRELOAD": LIBRARY, "WALL_CLOCK": str(keychain.clock)}
        super().__init__(PROGRAMS, keychain.home, mode, more, before)

    def rest(self, milliseconds):
        """Has it do nothing for a while: the time of a lock timer."""
        self.process.stdin.write(f"pause {milliseconds}\n")


def opened(keychain, program, interval=1):
    """Unlocks and reads an item; on a slow machine the interval may pass between the two, and both are done again."""
    for _ in range(10):
        start = time.monotonic()
        keychain.expect(program, "unlock 1234", 0)
        answer = program.do("get a b")
        if answer is not None and answer.status == 0:
            return
        if time.monotonic() - start < interval:
            break
    sys.exit(f"get a b: {answer} in place of 0 within the interval of {interval} s")


def fail(keychain, program):
    for _ in range(5):
        keychain.expect(program, "unlock wrong", WRONG)
    keychain.expect(program, "unlock 1234", THROTTLED)


def waits_hold(keychain):
    """An attempt's wait is not shortened, in the program that runs and in one that starts."""
    program = keychain.program()
    fail(keychain, program)
    for jump in JUMPS:
        keychain.set(jump)
        keychain.expect(program, "unlock 1234", THROTTLED)
        other = keychain.program()
        keychain.expect(other, "unlock 1234", THROTTLED)
        other.leave()
    program.leave()
    print("an attempt at the passcode waits, however the wall clock is set")


def timers_hold(keychain):
    """A keychain locks when its time is over and not before."""
    program = keychain.program()
    keychain.expect(program, "unlock 1234", 0)
    keychain.expect(program, "settings 600", 0)
    for jump in JUMPS:
        keychain.set(jump)
        keychain.expect(program, "get a b", 0)
    keychain.expect(program, "settings 1", 0)
    for jump in JUMPS:
        opened(keychain, program)
        keychain.set(jump)
        program.rest(2100)
        keychain.expect(program, "get a b", LOCKED)
    program.leave()
    print("a keychain locks when its time is over, however the wall clock is set")


def sleep_counts(keychain):
    """A machine that has slept: the clock that counts from the boot is ahead of the one that runs."""
    program = keychain.program()
    keychain.expect(program, "unlock 1234", 0)
    keychain.expect(program, "settings 600", 0)
    keychain.set(500, 500)
    keychain.expect(program, "get a b", 0)
    keychain.set(1200, 1200)
    keychain.expect(program, "get a b", LOCKED)
    fail(keychain, program)
    keychain.set(1230, 1230)
    keychain.expect(program, "unlock 1234", THROTTLED)
    keychain.set(1300, 1300)
    keychain.expect(program, "unlock 1234", 0)
    program.leave()
    print("the time that the machine sleeps counts: for the lock, and for the wait of an attempt")


def history_stays(keychain):
    """A daemon whose wall clock is set ten years ahead drops no earlier version."""
    daemon = subprocess.Popen(
        [
            f"{PROGRAMS}/keychaind",
            "--socket",
            f"{keychain.home}/keychaind.sock",
            "--store",
            keychain.home,
            "--tpm",
            "none",
        ],
        env=os.environ | {"LD_PRELOAD": LIBRARY, "WALL_CLOCK": str(keychain.clock)},
        stderr=subprocess.DEVNULL,
    )
    eventually(lambda: answers(f"{keychain.home}/keychaind.sock") or daemon.poll() is not None)
    daemon.poll() is None or sys.exit("the daemon did not start")
    program = keychain.program("daemon")
    keychain.expect(program, "unlock 1234", 0)
    keychain.expect(program, "del a b", 0)
    program.leave()
    keychain.set(YEARS)
    # What is past is dropped at the end, too.
    daemon.terminate()
    daemon.wait(PATIENCE)
    keychain.set(0)
    program = keychain.program()
    keychain.expect(program, "unlock 1234", 0)
    # With a password its user would be asked.
    keychain.expect(program, "nopasscode 1234", 0)
    keychain.expect(program, "undelete a b 0", 0)
    keychain.expect(program, "get a b", 0)
    keychain.expect(program, "passcode 1234", 0)
    program.leave()
    print("a wall clock that is set ahead drops no earlier version in a daemon that runs")


def namespaces_change_nothing(keychain):
    """Who starts the keychain with other clocks waits as long; its timers run."""
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode:
        return print("clock_test: no run in a time namespace, which takes root and a kernel that has them")
    program = keychain.program()
    fail(keychain, program)
    inside = keychain.program(before=NAMESPACE)
    keychain.expect(inside, "unlock 1234", THROTTLED)
    inside.leave()
    program.leave()
    return print("an attempt at the passcode waits in a time namespace whose clocks are far ahead")


def namespaces_have_timers(keychain):
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode:
        return
    program = keychain.program("daemon", NAMESPACE)
    keychain.expect(program, "unlock 1234", 0)
    keychain.expect(program, "settings 1", 0)
    opened(keychain, program)
    program.rest(2100)
    keychain.expect(program, "get a b", LOCKED)
    keychain.expect(program, "unlock 1234", 0)
    program.leave()
    end_daemon(keychain.home)
    print("a daemon and an enclave in a time namespace serve, and lock in time")


def main():
    for case in (
        waits_hold,
        timers_hold,
        sleep_counts,
        history_stays,
        namespaces_change_nothing,
        namespaces_have_timers,
    ):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            case(Keychain(folder))


main()
