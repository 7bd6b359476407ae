"""Programs of an ordinary user's desktop keep their secrets in the keychain, with the user's own daemon.

usage: ordinary_desktop_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

from desktop_parts import Desktop
from keychain_parts import ends
from ordinary_parts import NAMES

# The bus asks who its user is: one that has an account.
USER = pwd.getpwnam("games").pw_uid


def as_user():
    """Runs in a child before its program: root becomes an ordinary user."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)


class OrdinaryDesktop(Desktop):
    """A desktop whose programs all belong to an ordinary user, its bus and what the bus starts among them."""

    def run(self, *words, **options):
        return super().run(*words, preexec_fn=as_user, **options)

    def start_bus(self, *options):
        with becoming_user():
            super().start_bus(*options)

    def tool(self, *words, **options):
        with becoming_user():
            return super().tool(*words, **options)


@contextlib.contextmanager
def becoming_user():
    """What is started meanwhile becomes the user."""
    start = subprocess.Popen.__init__
    subprocess.Popen.__init__ = lambda self, *words, **more: start(self, *words, preexec_fn=as_user, **more)
    try:
        yield
    finally:
        subprocess.Popen.__init__ = start


def prepared(programs, folder):
    copies = f"{folder}/programs"
    os.mkdir(copies)
    for name in (*NAMES, "keychain-secrets"):
        shutil.copy(f"{programs}/{name}", copies)
    place = OrdinaryDesktop(copies, folder)
    os.chmod(folder, 0o755)
    if os.getuid() == 0:
        os.chown(folder, USER, USER)
        for path, folders, _ in os.walk(folder):
            for name in folders if path != copies else ():
                os.chown(f"{path}/{name}", USER, USER)
    return place


def stores_and_finds(place):
    """A secret is stored, found, found again after the daemon was killed, and removed."""
    result = place.run("setup", "-y", "desktop")
    assert result.returncode == 0, result.stderr
    place.start_bus()
    place.store("L", "app", "demo")
    assert place.tool("lookup", "app", "demo") == (0, "geheim", "")
    for number in place.daemons().values():
        ends(number)
    assert place.tool("lookup", "app", "demo") == (0, "geheim", "")
    assert place.tool("clear", "app", "demo") == (0, "", "")
    assert place.tool("lookup", "app", "demo") == (1, "", "")


def main():
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = prepared(os.path.abspath(sys.argv[1]), folder)
        try:
            stores_and_finds(place)
        finally:
            place.end()
    print("the desktop of an ordinary user keeps its secrets")


main()
