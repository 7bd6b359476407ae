"""A search in a home that has no keychain finds nothing and creates nothing; what is stored makes the keychain.

usage: unmade_keychain_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile

from keychain_parts import ASKED
from patience import PATIENCE

NOT_FOUND = 44
LOGIN = "protocol=https\nhost=git.example.com\n\n"


class Home:
    """A home, and a folder for sockets, in which nobody has been."""

    def __init__(self, programs, folder, mode):
        self.programs, self.folder = programs, folder
        self.home, self.runtime = f"{folder}/home", f"{folder}/run"
        for path in (self.home, self.runtime):
            os.mkdir(path, 0o700)
        self.environment = {
            "HOME": self.home,
            "XDG_RUNTIME_DIR": self.runtime,
            "PATH": os.environ["PATH"],
            "KEYCHAIN_MODE": mode,
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_DAEMON": f"{programs}/keychaind",
            **ASKED,
        }

    def files(self):
        walk = os.walk(self.folder)
        return sorted(os.path.join(path, name) for path, folders, files in walk for name in folders + files)

    def run(self, name, *arguments, text=""):
        """The program under a name of a helper's."""
        program = "security" if name.endswith("-credential-keychain") or name.startswith("git-") else name
        return subprocess.run(
            [name, *arguments],
            executable=f"{self.programs}/{program}",
            input=text,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=PATIENCE,
        )

    def finds_nothing(self, status, *words, text="", output=""):
        before = self.files()
        result = self.run(*words, text=text)
        assert (result.returncode, result.stdout) == (status, output), (words, result)
        assert self.files() == before, (words, "made", set(self.files()) - set(before))
        return result.stderr

    def end_daemon(self):
        store = f"--store {self.home}/.local/share/keychain"
        listing = subprocess.run(["pgrep", "-f", "--", store], capture_output=True, text=True)
        for process in listing.stdout.split():
            with contextlib.suppress(ProcessLookupError):
                ended = os.pidfd_open(int(process))
                signal.pidfd_send_signal(ended, signal.SIGTERM)
                select.select([ended], [], [], PATIENCE)
                os.close(ended)


def look_with_commands(home):
    for kind in ("generic", "internet"):
        errors = home.finds_nothing(NOT_FOUND, "security", f"find-{kind}-password", "-s", "api.example.com", "-w")
        assert "could not be found" in errors and "There is no keychain in" in errors, errors
        home.finds_nothing(NOT_FOUND, "security", f"delete-{kind}-password", "-s", "api.example.com")
    home.finds_nothing(0, "security", "dump-keychain")
    home.finds_nothing(NOT_FOUND, "security", "history")
    home.finds_nothing(0, "security", "file", "shelves")
    errors = home.finds_nothing(NOT_FOUND, "security", "file", "delete-shelf", "0" * 32)
    assert "There is no keychain in" in errors, errors
    errors = home.finds_nothing(50, "security", "find-generic-password", "-s", "x", f"{home.folder}/other.keychain")
    assert "No keychain is called" in errors, errors
    home.finds_nothing(0, "git-credential-keychain", "get", text=LOGIN)
    home.finds_nothing(
        1,
        "docker-credential-keychain",
        "get",
        text="registry.example.com",
        output="credentials not found in native keychain\n",
    )
    home.finds_nothing(0, "docker-credential-keychain", "list", output="{}\n")


def refuses_what_makes_no_sense(home):
    errors = home.finds_nothing(2, "security", "find-generic-password", "-Z")
    assert "Usage" in errors, errors
    os.makedirs(f"{home.home}/.local/share", 0o700)
    os.mkdir(f"{home.home}/.local/share/keychain")
    os.chmod(f"{home.home}/.local/share/keychain", 0o755)
    errors = home.finds_nothing(53, "security", "find-generic-password", "-s", "x")
    assert "chmod 700" in errors, errors
    os.rmdir(f"{home.home}/.local/share/keychain")


def store(home):
    result = home.run("security", "add-generic-password", "-s", "api.example.com", "-a", "ci", "-w", "value")
    assert result.returncode == 0, result
    found = home.run("security", "find-generic-password", "-s", "api.example.com", "-w")
    assert found.stdout == "value\n", found


def main():
    programs = os.path.abspath(sys.argv[1])
    for mode in ("auto", "daemon", "embedded"):
        with tempfile.TemporaryDirectory() as folder:
            home = Home(programs, folder, mode)
            try:
                home.finds_nothing(0, "item-writer", "check", "api.example.com")
                look_with_commands(home)
                refuses_what_makes_no_sense(home)
                store(home)
            finally:
                home.end_daemon()
    print("a search in a home without a keychain finds nothing and makes nothing, in every deployment")


main()
