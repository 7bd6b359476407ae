"""A user whose programs have the keychain inside, next to the command and the daemons that it starts."""

import os
import shutil
import subprocess
import sys
import tempfile

from keychain_parts import Home, ends
from parts import of_this_turn
from patience import PATIENCE


class Follower:
    """`guarded-item follow`, alone in its folder: it finds no daemon that it could start."""

    def __init__(self, path, environment):
        kept = {name: value for name, value in environment.items() if name != "KEYCHAIN_DAEMON"}
        self.process = subprocess.Popen(
            [path, "follow", "followed"], env=kept, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def says(self, wanted):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().strip()
        assert line.startswith(wanted), (line, wanted)

    def end(self):
        self.process.communicate(timeout=PATIENCE)


class User:
    """A user with a runtime directory and a home. Some programs have the keychain inside."""

    def __init__(self, programs, folder):
        self.home = Home(programs, folder)
        self.runtime = f"{folder}/run"
        os.mkdir(self.runtime, 0o700)
        os.mkdir(f"{folder}/inside")
        for name in ("guarded-item", "item-player", "item-writer"):
            shutil.copy(f"{programs}/{name}", f"{folder}/inside")
        self.inside = f"{folder}/inside"
        self.session = self.variables(XDG_RUNTIME_DIR=self.runtime)
        # The directory of nobody's: a program without one looks for that of its number.
        self.cron = self.variables(XDG_RUNTIME_DIR=f"{folder}/none")

    def variables(self, **more):
        kept = {name: value for name, value in self.home.environment.items() if name != "KEYCHAIN_HOME"}
        return kept | more

    @property
    def store(self):
        return f"{self.home.home}/.local/share/keychain"

    def run(self, environment, *words):
        return subprocess.run(
            [f"{self.home.programs}/security", *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def does(self, environment, *words):
        done = self.run(environment, *words)
        assert done.returncode == 0, (words, done)
        return done.stdout

    def state(self, environment):
        [line] = [line for line in self.does(environment, "status").splitlines() if line.startswith("lock state:")]
        return line.split(":")[1].strip()

    def follow(self, environment):
        return Follower(f"{self.inside}/guarded-item", environment)

    def daemons(self):
        return list(self.home.stores_of_daemons())

    def kill_daemons(self):
        for daemon in self.daemons():
            ends(daemon)


class Player:
    """A program with the keychain inside, which does what its lines say."""

    def __init__(self, user):
        words = {name: value for name, value in user.session.items() if name != "KEYCHAIN_DAEMON"}
        self.process = subprocess.Popen([f"{user.inside}/item-player"], env=words, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)  # fmt: skip

    def begins(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def answers(self):
        while not (answer := self.process.stdout.readline()).startswith("E "):
            assert answer, "it has ended"
        return answer.split(" ", 4)[4].strip()

    def does(self, line, wanted):
        self.begins(line)
        found = self.answers()
        assert found == wanted, f"{line}: {found!r} in place of {wanted!r}"

    def is_connected(self):
        folder = f"/proc/{self.process.pid}/fd"
        return any(os.readlink(f"{folder}/{number}").startswith("socket:") for number in os.listdir(folder))

    def ends(self):
        self.process.communicate(timeout=PATIENCE)


def main(cases):
    """Runs the cases, or those that are named, each with a user of its own: FOLDER-OF-PROGRAMS [CASE ...]."""
    programs = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    for case in of_this_turn(cases):
        if wanted and case.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            user = User(programs, folder)
            try:
                case(user)
            finally:
                user.home.end()
        print(f"{case.__name__}: {case.__doc__.splitlines()[0]}", flush=True)
