"""Several programs that open one keychain at the same moment all go on: on a new store, and on one of an older release.

usage: together_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from patience import PATIENCE

PROGRAMS = 4
STORE = pathlib.Path(__file__).parents[1] / "Support/Fixtures/Stores/version5.tar.xz"


def environment(home):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
    return kept | {"KEYCHAIN_HOME": home, "KEYCHAIN_MODE": "embedded"}


def make_older(home):
    """What a release with version 5 left."""
    shutil.rmtree(home)
    os.mkdir(home, 0o700)
    shutil.unpack_archive(STORE, home)


def run_together(writer, env, names):
    """Each program adds until it has been heard; all of them run at the same time."""
    running = [Adding([writer, "add", name], env) for name in names]
    for program in running:
        program.is_heard()
    for program in running:
        program.end()


class Adding:
    """A program that adds. On a slow machine others may have the store alone for longer than a program waits: one
    that has waited for so long, and no less, is started again.
    """

    WAITS = 3

    def __init__(self, words, env):
        self.words, self.env, self.tries = words, env, 0
        self.start()

    def start(self):
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            self.words, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def is_heard(self):
        while not self.process.stdout.readline():
            waited, error = time.monotonic() - self.begun, self.process.communicate(timeout=PATIENCE)[1].strip()
            self.tries += 1
            if waited < self.WAITS or self.tries > 3 or "-25291" not in error:
                sys.exit(f"{self.words[-1]} was refused after {waited:.1f} s: {error}")
            self.start()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=PATIENCE)


def look(writer, env, name):
    check = subprocess.run([writer, "check", name], env=env, capture_output=True, text=True)
    if check.returncode:
        sys.exit(f"{name}: {check.stdout} {check.stderr}")


def main():
    writer = f"{os.path.abspath(sys.argv[1])}/item-writer"
    for attempt in range(3):
        with tempfile.TemporaryDirectory() as folder:
            home = f"{folder}/keychain"
            env = environment(home)
            run_together(writer, env, [f"new{number}" for number in range(PROGRAMS)])
            look(writer, env, "new0")
            make_older(home)
            run_together(writer, env, [f"old{number}" for number in range(PROGRAMS)])
            look(writer, env, "old3")
            copies = [name for name in os.listdir(home) if name.endswith(".snapshot")]
            if len(copies) != 1:
                sys.exit(f"an older store was copied {len(copies)} times: {copies}")
    print(f"{PROGRAMS} programs at once, on a new and on an older store, three times: nobody was refused")


main()
