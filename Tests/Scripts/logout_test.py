"""A user's runtime directory comes with a login and goes with a logout; the keychain is reached all the same.

usage: logout_test.py FOLDER-OF-PROGRAMS
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

from ordinary_parts import USER, as_user, prepared
from patience import PATIENCE, eventually


class Life:
    """A user who logs in and out, with programs of the session and others, such as cron's."""

    def __init__(self, home):
        self.home, self.runtime = home, f"{home.folder}/run"
        others = {name: value for name, value in home.environment.items() if name != "KEYCHAIN_HOME"}
        self.outside = others | {"XDG_RUNTIME_DIR": f"{home.folder}/none"}
        self.session = others | {"XDG_RUNTIME_DIR": self.runtime}

    def log_in(self):
        os.mkdir(self.runtime, 0o700)
        os.chown(self.runtime, USER, -1)

    def log_out(self):
        shutil.rmtree(self.runtime)

    def run(self, environment, *words):
        done = subprocess.run(
            [f"{self.home.programs}/security", *words],
            env=environment, capture_output=True, text=True, preexec_fn=as_user, timeout=PATIENCE,
        )
        assert done.returncode == 0, (words, done)
        return done.stdout

    def finds(self, environment):
        found = self.run(environment, "find-generic-password", "-s", "api", "-w")
        assert found == "its value\n", found

    def adds(self, environment):
        self.run(environment, "add-generic-password", "-U", "-s", "api", "-a", "ann", "-w", "its value")

    def begin(self, environment):
        """A program that goes on: the command with its lines from a pipe."""
        return subprocess.Popen(
            [f"{self.home.programs}/security", "-i"], env=environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=as_user,
        )


def still_finds(program):
    program.stdin.write("find-generic-password -s api -w\n")
    program.stdin.flush()
    line = program.stdout.readline()
    assert line == "its value\n", line + program.communicate(timeout=PATIENCE)[0]


def cron_comes_first(life):
    """A daemon that cron has started before anybody logged in serves the session, and those who knew it before."""
    life.adds(life.outside)
    before = life.begin(life.outside)
    still_finds(before)
    life.log_in()
    [daemon] = life.home.daemons().values()
    for environment in (life.session, life.outside, life.session):
        life.finds(environment)
    still_finds(before)
    assert list(life.home.daemons().values()) == [daemon]
    before.communicate(timeout=PATIENCE)


def session_ends(life):
    """After a logout cron's programs and those that outlive the session are served, and after the next login all."""
    life.log_in()
    life.adds(life.session)
    program = life.begin(life.session)
    still_finds(program)
    life.finds(life.outside)
    life.log_out()
    eventually(lambda: not life.home.daemons())
    still_finds(program)
    life.finds(life.outside)
    life.log_in()
    life.finds(life.session)
    still_finds(program)
    program.communicate(timeout=PATIENCE)


def many_times(life):
    """Logins and logouts in any order with their use."""
    life.adds(life.outside)
    for number in range(12):
        life.log_in()
        life.finds(life.session if number % 3 else life.outside)
        life.finds(life.outside if number % 2 else life.session)
        life.log_out()
        if number % 4 < 2:
            life.finds(life.outside)


def stopped(life):
    """A daemon that has stopped where nobody looks any more is replaced, as any other is."""
    life.adds(life.outside)
    life.log_in()
    [daemon] = life.home.daemons().values()
    os.kill(daemon, signal.SIGSTOP)
    impatient = life.session | {"KEYCHAIN_TIMEOUT": "1000"}
    words = [f"{life.home.programs}/security", "find-generic-password", "-s", "api", "-w"]

    def is_served():
        done = subprocess.run(words, env=impatient, capture_output=True, text=True, preexec_fn=as_user,
                              timeout=PATIENCE)  # fmt: skip
        return done.stdout == "its value\n"

    eventually(is_served)
    # Its entry goes when init has looked at it.
    eventually(lambda: not os.path.exists(f"/proc/{daemon}"))


def copied(life):
    """A copy of the store's folder has a daemon of its own, although the original's has left its path there."""
    life.adds(life.outside)
    copy = f"{life.home.folder}/copy"
    shutil.copytree(f"{life.home.home}/.local", f"{copy}/.local", ignore=shutil.ignore_patterns("*.sock"))
    for place, folders, files in os.walk(copy):
        for name in [place] + [f"{place}/{name}" for name in folders + files]:
            os.chown(name, USER, -1)
    other = life.outside | {"HOME": copy}
    life.run(other, "delete-generic-password", "-s", "api")
    life.finds(life.outside)
    assert len(life.home.stores_of_daemons()) == 2


def main():
    if os.path.exists(f"/run/user/{USER}"):
        print("logout_test: skipped, it needs a user who is not logged in")
        return
    programs = os.path.abspath(sys.argv[1])
    for case in (cron_comes_first, session_ends, many_times, stopped, copied):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home = prepared(programs, folder)
            os.chown(folder, USER, -1)
            try:
                case(Life(home))
            finally:
                home.end()
        print(f"{case.__name__}: {case.__doc__.splitlines()[0]}")


main()
