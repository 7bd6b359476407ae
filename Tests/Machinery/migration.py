"""A program that brings a store up to date is stopped in the middle, and others open the store meanwhile.

usage: migration.py FOLDER-OF-PROGRAMS [--stopped SECONDS]

Whoever has the time waits until it is done, longer than for anybody else who has the store; whoever has not is told
what goes on.
"""

import argparse
import fcntl
import os
import shutil
import signal
import struct
import sys
import tempfile
import time

from faults import FIXTURES
from players import Typist
from rounds import end_daemon

# struct flock, and the commands for open file description locks (fcntl(2)).
LOCK, GET, UNLOCKED = struct.Struct("hhxxxxqqixxxx"), 36, fcntl.F_UNLCK
GROUP = {"PLAYER_GROUP": "TEST.player"}


def is_marked(file):
    found = fcntl.fcntl(file, GET, LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))
    return LOCK.unpack(found)[0] != UNLOCKED


def stop_in_the_middle(programs, home):
    """A program that was stopped while it brings the store up to date; None where it was faster."""
    os.makedirs(home, 0o700)
    shutil.unpack_archive(f"{FIXTURES}/old-store.tar.xz", home)
    file = os.open(f"{home}/keychain.lock", os.O_RDWR | os.O_CREAT, 0o600)
    player = Typist(programs, home, "embedded", GROUP)
    try:
        while not is_marked(file) and player.process.poll() is None:
            time.sleep(0.0005)
        player.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, player.process.pid, os.WSTOPPED)
        if is_marked(file):
            return player
    finally:
        os.close(file)
    player.process.send_signal(signal.SIGCONT)
    player.leave()
    return None


def check(holds, what):
    if not holds:
        sys.exit(f"migration: {what}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--stopped", type=float, default=4)
    options = parser.parse_args()
    programs = os.path.abspath(options.programs)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        first = None
        for number in range(100):
            first = stop_in_the_middle(programs, f"{folder}/{number}")
            if first:
                break
        check(first, "it could not be stopped in the middle")
        home = f"{folder}/{number}"
        begin = time.monotonic()
        waiting = [Typist(programs, home, "embedded", GROUP), Typist(programs, home, "daemon")]
        for player in waiting:
            player.process.stdin.write("get one 0\n")
            player.process.stdin.flush()
        hasty = Typist(programs, home, "embedded", {"KEYCHAIN_TIMEOUT": "500"})
        answer = hasty.do("get one 0")
        check(answer and answer.status == -25291, f"who has no time gets {answer}")
        hasty.leave()
        time.sleep(max(0, begin + options.stopped - time.monotonic()))
        first.process.send_signal(signal.SIGCONT)
        answers = [player.answer() for player in waiting]
        check(answers[0] and answers[0].status == 0, f"the program that waited gets {answers[0]}")
        check(answers[1] and answers[1].status in (0, -25300), f"the daemon that waited gives {answers[1]}")
        for player in [first, *waiting]:
            check(player.leave() == 0, "a program ended with an error")
        end_daemon(home, signal.SIGTERM)
    print(f"migration: two waited {options.stopped:.0f} s for a third, one was told what goes on")


if __name__ == "__main__":
    main()
