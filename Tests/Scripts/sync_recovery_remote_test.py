"""A machine enters a circle on a server, or in a bucket, by its recovery key when every other one is gone.

usage: sync_recovery_remote_test.py FOLDER-OF-PROGRAMS server|bucket
"""

import os
import pathlib
import sys

from sync_parts import PASSCODE, machines
from sync_places import KEYS, PLACES, administer

WRONG_CODE = "00000-00000-00000-00000-00000-00000"


def is_in_no_circle(machine):
    found = machine.run("sync", "status")
    return found.returncode == 1 and "no circle" in found.stderr and "keychain-carrier" not in machine.must(
        "dump-keychain", "-a")


def recovers(machine, *words, text=""):
    return machine.run("sync", "join", "--recovery", "-n", machine.name, *words, text=text)


def refuses(machine, words, *command, text="", status=1):
    """The command says these words, and the keychain is as it was."""
    done = recovers(machine, *command, text=text)
    assert done.returncode == status and words in done.stderr, (command, done)
    assert is_in_no_circle(machine)


def asked(server):
    return server.ask("SELECT count(*) FROM keychain_sync.invitations")


class OnServer:
    """A server lets a machine in by an invitation into the circle, which its administrator makes."""

    def __init__(self, place, folder, other):
        self.place, self.server, self.url = place, place.server, place.url
        self.other = other.sync("setup", "-n", "other", *place.founding(other), place.url)["circle"]

    def invite(self, circle):
        return administer(self.place.programs, self.server, "--invite", "alice", "--circle", circle)

    def refuses_strangers(self, new, circle, code):
        new_circle = administer(self.place.programs, self.server, "--invite", "alice")
        for wrong in ("0" * 64, new_circle):
            refuses(new, "the invitation was used, has ended, or is of another role", self.url, text=wrong)
        refuses(new, "64 hexadecimal digits", self.url, text="ab")
        into = self.invite(circle)
        setup = new.run("sync", "setup", self.url, text=into)
        assert setup.returncode == 1 and "for a circle that is there" in setup.stderr, setup
        # Who is let into one circle reads no other.
        refuses(new, "could not be read", self.url, circle, text=self.invite(self.other))
        refuses(new, "code", self.url, text=self.invite(self.other), status=51)
        # Each invitation is still good: nobody was let in.
        assert asked(self.server) == "4", asked(self.server)
        return into

    def typed(self, circle, text):
        return (self.url,), text

    def is_away(self, new, circle, text):
        self.server.stop()
        refuses(new, "connection", self.url, text=text)
        self.server.start()

    def is_entered(self, new, late, circle, text):
        """The invitation was good once; the server knows the machine, and tells nobody else anything."""
        assert asked(self.server) == "3", asked(self.server)
        assert self.known(circle) == "2"
        refuses(late, "the invitation was used", self.url, text=text)

    def known(self, circle):
        return self.server.ask(
            f"SELECT count(*) FROM keychain_sync.devices WHERE circle = '\\x{circle}' AND removed IS NULL")

    def is_left_by(self, one, circle):
        """The lost machine's token is no good any more."""
        assert self.known(circle) == "1"
        assert "does not let this machine in" in one.run("sync", "now").stderr


class InBucket:
    """A bucket has the circles of everybody with its keys: the circle is named by its number."""

    def __init__(self, place, folder, other):
        self.store, self.url = place.store, place.url
        self.other = other.sync("setup", "-n", "other", *place.founding(other), place.url)["circle"]

    def refuses_strangers(self, new, circle, code):
        refuses(new, "circle's number behind the URL", self.url, text=KEYS)
        refuses(new, "403", self.url, circle, text="AKEY\nwrong\n")
        refuses(new, "code", self.url, self.other, text=KEYS, status=51)
        return KEYS

    def typed(self, circle, text):
        return (self.url, circle), text

    def is_away(self, new, circle, text):
        self.store.stop()
        refuses(new, "connect", self.url, circle, text=text)
        self.store.start()

    def is_entered(self, new, late, circle, text):
        """The circle's number and the keys are no secret of one machine's: the code is."""
        refuses(late, "code", self.url, self.other, text=text, status=51)

    def is_left_by(self, one, circle):
        one.must("sync", "now")
        assert one.sync("status")["standing"] == "removed"


def begins(one, place):
    """The command that makes the code says what else is to be noted."""
    place.knows(one)
    circle = one.sync("setup", "-n", "one", *place.founding(one), place.url)["circle"]
    one.write("put", "mail", "secret")
    said = one.must("sync", "recovery-key")
    assert f"into this circle then: {circle}" in said or f"number with the code: {circle}" in said, said
    one.must("sync", "now")
    one.end()
    return circle


def enters(new, circle, typed):
    """Everything is there. Without the lost machine a change goes out, under new keys."""
    command, text = typed
    done = recovers(new, *command, text=text)
    assert done.returncode == 0, done
    status = new.sync("status")
    assert (status["circle"], status["standing"], status["problem"]) == (circle, "in", None), status
    assert new.items() == {"mail: secret"}, new.items()


def removes(new, lost):
    new.sync("remove-device", lost)
    new.write("put", "later", "alone")
    new.must("sync", "now")
    assert new.sync("status")["unsent"] == 0


def main():
    programs, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    with machines(programs, "one", "other", "new", "late") as (folder, (one, other, new, late)):
        place = PLACES[kind](programs, folder)
        try:
            for machine in (other, new, late):
                place.knows(machine)
            circle = begins(one, place)
            code = pathlib.Path(f"{folder}/notes/code")
            right = code.read_text()
            there = {"server": OnServer, "bucket": InBucket}[kind](place, folder, other)
            text = there.refuses_strangers(new, circle, code)
            command, _ = there.typed(circle, text)
            there.is_away(new, circle, text)
            code.write_text(WRONG_CODE)
            refuses(new, "code", *command, text=text, status=51)
            code.write_text(right)
            enters(new, circle, there.typed(circle, text))
            there.is_entered(new, late, circle, text)
            removes(new, "one")
            one.must("unlock-keychain", "-p", PASSCODE)
            there.is_left_by(one, circle)
        finally:
            place.end()
    print(f"sync recovery, {kind}: ok")


main()
