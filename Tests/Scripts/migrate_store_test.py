"""`security migrate-store` between a user's own store and the system service, as root.

usage: migrate_store_test.py [--long] FOLDER-OF-PROGRAMS; the long form kills migrations, too
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
from deployment import Deployment  # noqa: E402

NOT_FOUND = 44


class Migration:
    """A user with items from before the service, of the command and of another program."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.folder = deployment.path("home", ".local", "share", "keychain")
        self.command = deployment.path("libexec", "security")
        self.program = deployment.install("program")

    def environment(self, **more):
        return {
            "HOME": self.deployment.path("home"),
            "PATH": "/usr/bin:/bin",
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_PINENTRY": "none",
            "KEYCHAIN_INTERACTION": "never",
            "KEYCHAIN_DAEMON": self.deployment.path("libexec", "keychaind"),
            **more,
        }

    def run(self, *words, older=False, text="", status=0):
        more = {"KEYCHAIN_HOME": self.folder} if older else {}
        done = self.deployment.run(*words, text=text, env=self.environment(**more))
        assert done.returncode == status, (words, done)
        return done

    def add(self, program, service, value, older=False):
        self.run(program, "add-generic-password", "-s", service, "-a", "a", "-w", value, older=older)

    def find(self, program, service, older=False, status=0):
        return self.run(program, "find-generic-password", "-s", service, "-w", older=older, status=status)

    def has(self, program, service, value, older=False):
        return self.find(program, service, older=older).stdout == f"{value}\n"

    def lacks(self, program, service, older=False):
        return self.find(program, service, older=older, status=NOT_FOUND).stderr

    def is_found(self, service, older=False):
        more = {"KEYCHAIN_HOME": self.folder} if older else {}
        done = self.deployment.run(
            self.program, "find-generic-password", "-s", service, "-w", env=self.environment(**more)
        )
        assert done.returncode in (0, NOT_FOUND), done
        assert done.returncode or done.stdout == f"value of {service}\n", done
        return done.returncode == 0

    def kill_migration(self, seconds):
        """Begins one and kills it after a while; its daemons go on."""
        try:
            self.deployment.run(
                self.command, "migrate-store", "--yes", text="secret\n", env=self.environment(), timeout=seconds
            )
        except subprocess.TimeoutExpired:
            pass

    def migrate(self, *options, text="", status=0):
        done = self.run(self.command, "migrate-store", *options, text=text, status=status)
        return done.stdout + done.stderr


def before_the_service(m):
    m.add(m.program, "its", "of the program", older=True)
    m.add(m.command, "forged", "for a team", older=True)
    # The older store is its user's: anything can be put into any group there.
    m.run(m.command, "move-items", "--from", f"program:{m.command}", "--to", "TEAM.app", older=True)
    m.add(m.command, "mine", "of the command", older=True)


def is_told_and_refuses_without_a_word(m):
    told = m.lacks(m.command, "mine")
    assert m.folder in told and "security migrate-store" in told, told
    refused = m.migrate(status=1)
    assert "nothing was moved" in refused and "TEAM.app" in refused and "more than a path" in refused, refused
    shown = m.migrate("--dry-run")
    assert f"moves: program:{m.program}: 1\n" in shown and "moved: 0\n" in shown, shown
    assert m.has(m.program, "its", "of the program", older=True)
    m.lacks(m.program, "its")


def moves(m):
    m.add(m.command, "mine", "of today")
    moved = m.migrate("--yes", status=1)
    assert "moved: 1\n" in moved and "there is such an item already" in moved, moved
    assert m.has(m.program, "its", "of the program")
    m.lacks(m.program, "its", older=True)
    assert m.has(m.command, "mine", "of today") and m.has(m.command, "mine", "of the command", older=True)
    m.run(m.command, "delete-generic-password", "-s", "mine")
    assert "moved: 1\n" in m.migrate("--yes")
    assert m.has(m.command, "mine", "of the command")
    assert m.run(m.command, "verify-keychain").stdout.startswith("checked: "), "it is sound"


def forgets_what_is_empty(m):
    m.run(m.command, "move-items", "--from", "TEAM.app", "--to", f"program:{m.command}", older=True)
    assert "security migrate-store" in m.lacks(m.command, "nothing")
    assert "moved: 1\n" in m.migrate("--yes")
    assert m.has(m.command, "forged", "for a team")
    assert "moved: 0\n" in m.migrate("--yes")
    assert "security migrate-store" not in m.lacks(m.command, "nothing")


def goes_back(m):
    done = m.deployment.run(m.command, "migrate-store", "--back", "--yes", text="", env=m.environment())
    assert done.returncode != 0 and "No password is set" in done.stderr, done
    m.lacks(m.program, "its", older=True)
    m.run(m.command, "set-keychain-password", text="secret\n")
    wrong = m.deployment.run(m.command, "migrate-store", "--back", "--yes", text="wrong\n", env=m.environment())
    assert wrong.returncode == 51, wrong
    m.migrate("--back", "--yes", text="secret\n")
    assert m.has(m.program, "its", "of the program", older=True)
    m.lacks(m.program, "its")
    assert m.migrate("--yes", text="secret\n").count("moved: ") == 1
    assert m.has(m.program, "its", "of the program")


def is_cut_short(m, count=20, tries=3):
    """Killed at any moment: each item is somewhere, one at most in both keychains, and the next run moves the rest."""
    names = [f"cut {number}" for number in range(count)]
    for name in names:
        m.add(m.program, name, f"value of {name}", older=True)
    for number in range(tries):
        m.kill_migration(0.03 * (number + 1))
        # What the daemons were asked for before the kill they may still do: each is asked after that, and answers.
        for older in (True, False):
            m.run(m.command, "verify-keychain", older=older)
        older = [name for name in names if m.is_found(name, older=True)]
        new = [name for name in names if m.is_found(name)]
        assert set(older) | set(new) == set(names) and len(set(older) & set(new)) <= number + 1, (older, new)
    m.deployment.run(m.command, "migrate-store", "--yes", text="secret\n", env=m.environment())
    for name in names:
        assert m.has(m.program, name, f"value of {name}"), name


def main():
    d = Deployment(os.path.abspath(sys.argv[-1]))
    machine.leave()
    d.add_accounts()
    try:
        m = Migration(d)
        before_the_service(m)
        d.start()
        is_told_and_refuses_without_a_word(m)
        moves(m)
        forgets_what_is_empty(m)
        goes_back(m)
        if "--long" in sys.argv:
            is_cut_short(m)
        print("items go from a user's own store to the service and back, into the groups of paths alone")
    finally:
        try:
            d.stop()
        finally:
            d.remove()


main()
