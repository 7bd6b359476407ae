"""Machines of an ordinary user's that keep a keychain in common: homes, real daemons and carriers."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import ordinary_parts
from keychain_parts import ends
from ordinary_parts import USER, OrdinaryHome, as_user
from patience import PATIENCE, eventually

PASSCODE = "1234"
# It notes digits, codes and who is said to read along, and enters what is noted. Folders above a keychain's are closed
# to it.
PINENTRY = f"""#!/bin/sh
digits=PLACE/notes/digits
echo OK
while read -r word rest; do
    case $word in
    SETDESC) text=$rest; echo OK ;;
    CONFIRM) echo "$text" | sed -n 's/.*machine: \\([0-9]* [0-9]*\\).*/\\1/p' >"$digits.new"
        mv "$digits.new" "$digits"
        case $text in
        *"this code"*) echo "$text" | sed -n 's/.*machines: \\([0-9A-Z-]*\\).*/\\1/p' >PLACE/notes/code ;;
        esac
        echo OK ;;
    GETPIN) case $text in
        *eight*) echo D "$(cat "$digits")" ;;
        *"code of the circle"*) echo D "$(cat PLACE/notes/code)" ;;
        *"recovery key"*) echo "$text" >PLACE/notes/asked; echo D {PASSCODE} ;;
        *) echo D {PASSCODE} ;;
        esac
        echo OK ;;
    BYE) echo OK; exit 0 ;;
    *) echo OK ;;
    esac
done
"""
PROGRAMS = (*ordinary_parts.NAMES, "keychain-carrier", "keychain-file", "item-writer")


class Machine(OrdinaryHome):
    """A machine: a home with a keychain that has a passcode, and the carrier."""

    def __init__(self, name, programs, folder, **variables):
        os.mkdir(f"{folder}/{name}")
        shown = {"DISPLAY": ":9", "KEYCHAIN_PINENTRY": f"{folder}/pinentry"}
        super().__init__(programs, f"{folder}/{name}", **shown, **variables)
        self.name, self.carrier = name, None
        for path in (self.folder, self.home, self.temporary):
            os.chmod(path, 0o755)
            if os.getuid() == 0:
                os.chown(path, USER, USER)
        self.must("set-keychain-password", "-p", PASSCODE)

    def must(self, *words, **options):
        done = self.run(*words, **options)
        assert done.returncode == 0, (self.name, words, done.stdout, done.stderr)
        return done.stdout

    def sync(self, *words, **options):
        return json.loads(self.must("--json", "sync", *words, **options) or "null")

    def begin(self, *words):
        """A command that goes on meanwhile."""
        return subprocess.Popen(
            [f"{self.programs}/security", "--json", "sync", *words],
            env=self.environment,
            preexec_fn=as_user,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def write(self, *words):
        done = subprocess.run(
            [f"{self.programs}/item-writer", *words],
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=PATIENCE,
            preexec_fn=as_user,
        )
        assert done.returncode == 0, (self.name, words, done)
        return set(done.stdout.splitlines())

    def items(self):
        return self.write("show")

    def start(self):
        """The carrier, as a service manager would start it."""
        self.carrier = subprocess.Popen(
            [f"{self.programs}/keychain-carrier"], env=self.environment, preexec_fn=as_user, stderr=subprocess.PIPE
        )

    def stop(self, what=signal.SIGTERM):
        if self.carrier:
            ends(self.carrier.pid, what)
            self.carrier.wait()
            self.carrier.stderr.close()
        self.carrier = None


def shown(one, place):
    """A command that adds a machine, and the digits that it shows."""
    note = pathlib.Path(f"{place}/notes/digits")
    note.unlink(missing_ok=True)
    adding = one.begin("add-device")

    def found():
        assert adding.poll() is None, adding.communicate()
        return note.exists() and note.read_text().strip()

    return adding, eventually(found, "no digits are shown")


def finished(command):
    out, errors = command.communicate(timeout=PATIENCE)
    return command.returncode, out, errors


def both_ways(one, other):
    """An item arrives, and its change on the way back."""
    one.write("put", "mail", "first")
    eventually(lambda: "mail: first" in other.items(), "the item does not arrive")
    other.write("put", "mail", "second")
    eventually(lambda: "mail: second" in one.items(), "the change does not arrive")


@contextlib.contextmanager
def machines(programs, *names):
    """Machines with these names, the folder of all that they are made in, and the programs they use."""
    place, made = tempfile.mkdtemp(prefix="sync."), []
    try:
        copies, notes = f"{place}/programs", f"{place}/notes"
        os.mkdir(copies)
        os.mkdir(notes)
        if os.getuid() == 0:
            os.chown(notes, USER, USER)
        for name in PROGRAMS:
            shutil.copy(f"{programs}/{name}", copies)
        pinentry = pathlib.Path(f"{place}/pinentry")
        pinentry.write_text(PINENTRY.replace("PLACE", place))
        pinentry.chmod(0o755)
        os.chmod(place, 0o777)
        made += [Machine(name, copies, place) for name in names]
        yield place, made
    finally:
        for machine in made:
            machine.stop()
            machine.end()
        shutil.rmtree(place, ignore_errors=True)
