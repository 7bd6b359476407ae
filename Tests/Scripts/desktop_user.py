"""A desktop with a passcode, and the user who is asked for it."""

import contextlib
import os
import pathlib
import tempfile
import urllib.parse

import desktop_parts
from keychain_parts import ends

PINENTRY = """#!/bin/bash
# A pinentry whose user does what stands in a file.
echo $$ >> {folder}/windows
env > {folder}/environment
echo OK ready
while read -r command rest; do
  case $command in
    SETDESC) echo "$rest" >> {folder}/texts; echo OK ;;
    GETPIN)
      while [ "$(cat {folder}/user)" = waits ]; do sleep 0.02; done
      if [ "$(cat {folder}/user)" = types ]; then echo D 1234; echo OK; else echo ERR 83886179 canceled; fi ;;
    *) echo OK ;;
  esac
done
"""


class User:
    """The user at the desktop, with the windows that they see."""

    def __init__(self, folder):
        self.folder = folder
        os.mkdir(folder)
        for name in ("windows", "texts", "user"):
            pathlib.Path(f"{folder}/{name}").touch()
        self.pinentry = f"{folder}/pinentry"
        pathlib.Path(self.pinentry).write_text(PINENTRY.format(folder=folder))
        os.chmod(self.pinentry, 0o755)

    def will(self, deed):
        """types, refuses, or waits."""
        # A reader never sees half of it.
        pathlib.Path(f"{self.folder}/next").write_text(deed + "\n")
        os.rename(f"{self.folder}/next", f"{self.folder}/user")

    def windows(self):
        return [int(line) for line in pathlib.Path(f"{self.folder}/windows").read_text().split()]

    def open_windows(self):
        return [number for number in self.windows() if os.path.exists(f"/proc/{number}/exe")]

    def last_text(self):
        return urllib.parse.unquote(pathlib.Path(f"{self.folder}/texts").read_text().rstrip("\n").split("\n")[-1])

    def variable(self, name):
        lines = pathlib.Path(f"{self.folder}/environment").read_text().split("\n")
        return next((line.partition("=")[2] for line in lines if line.startswith(f"{name}=")), None)


@contextlib.contextmanager
def desktop(programs):
    """A desktop with a stored secret and a passcode, and its user."""
    with tempfile.TemporaryDirectory(prefix="user.") as folder:
        user = User(f"{folder}/user")
        variables = {"KEYCHAIN_PINENTRY": user.pinentry, "KEYCHAIN_INTERACTION": "auto", "DISPLAY": ":77"}
        with desktop_parts.desktop(programs, **variables) as place:
            place.store("L", "app", "demo")
            assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
            try:
                yield place, user
            finally:
                user.will("refuses")


def restart(place):
    """The daemon ends, as at a restart of the machine."""
    for number in place.daemons().values():
        ends(number)
