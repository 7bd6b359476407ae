"""A program without a daemon of its own, which has the keychain inside, is as locked as the command's keychain is.

usage: one_lock_state_test.py FOLDER-OF-PROGRAMS
"""

import os
import shutil
import signal
import sys
import tempfile

from inside_parts import Follower
from keychain_parts import Home, ends

LOCKED = "-25308 state.locked"


def program_of(home, mode, **more):
    path = f"{home.folder}/program"
    if not os.path.exists(path):
        shutil.copy(f"{home.programs}/guarded-item", path)
    return Follower(path, home.environment | {"KEYCHAIN_MODE": mode} | more)


def follows(home, mode):
    """A password that is set, locking, unlocking and a password that is removed."""
    program = program_of(home, mode)
    program.says("a value")
    home.says("set-keychain-password", "-p", "pw", "-o", "")
    home.says("lock-keychain")
    program.says(LOCKED)
    home.says("unlock-keychain", "-p", "pw")
    program.says("a value")
    home.says("lock-keychain")
    program.says(LOCKED)
    home.says("unlock-keychain", "-p", "pw")
    home.says("set-keychain-password", "-p", "", "-o", "pw")
    home.says("lock-keychain")
    program.says("a value")
    program.end()


def begins_locked(home, mode):
    """What an error says helps: after `security unlock-keychain` the program goes on."""
    first = program_of(home, mode)
    first.says("a value")
    first.end()
    home.says("set-keychain-password", "-p", "pw", "-o", "")
    end_daemons(home, signal.SIGTERM)
    program = program_of(home, mode)
    program.says(LOCKED)
    home.says("unlock-keychain", "-p", "pw")
    program.says("a value")
    # Without the daemon nobody has shown the password.
    end_daemons(home, signal.SIGKILL)
    program.says(LOCKED)
    home.says("unlock-keychain", "-p", "pw")
    program.says("a value")
    program.end()


def keeps_its_store(home, mode):
    """A daemon of another store is not asked, although its socket is the one that the settings name."""
    if mode == "auto":
        return
    os.mkdir(f"{home.folder}/other")
    other = Home(home.programs, f"{home.folder}/other")
    other.says("add-generic-password", "-s", "followed", "-a", "", "-w", "of another store")
    program = program_of(home, mode, KEYCHAIN_SOCKET=f"{other.home}/k/keychaind.sock")
    program.says("a value")
    home.says("set-keychain-password", "-p", "pw", "-o", "")
    for daemon, store in home.stores_of_daemons().items():
        if store == f"{home.home}/k":
            ends(daemon)
    program.says(LOCKED)
    program.end()


def end_daemons(home, number):
    for daemon in home.daemons().values():
        ends(daemon, number)


def main():
    programs = os.path.abspath(sys.argv[1])
    for case in (follows, begins_locked, keeps_its_store):
        for mode in ("auto", "embedded"):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                home = Home(programs, folder)
                try:
                    case(home, mode)
                finally:
                    home.end()
        print(f"{case.__name__}: {case.__doc__.splitlines()[0]}")


main()
