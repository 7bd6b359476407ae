"""The bridge and the daemon are killed at random moments while thirty programs of the desktop store and look up.

usage: desktop_kills_test.py FOLDER-OF-PROGRAMS [KILLS]; SEED in the environment

Every value whose storing was acknowledged is there once, and no search for a stored item comes back empty.
"""

import contextlib
import json
import os
import random
import sys
import threading

import desktop_parts
from desktop_parts import Client, bridges, kill, objects, other
from patience import PATIENCE, eventually

PROGRAMS = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
CLIENTS = 30
# A kill comes after so many further acknowledged calls at most.
CALLS_BETWEEN = 60
# Stores and looks up until a line comes, and says what was acknowledged. A call that ends in an error may have been
# done or not.
PROGRAM = """
import json, select
from desktop_parts import ROOT

own = "{number}"
may = [None]

def service():
    # A proxy speaks to the bridge that was there when it was made.
    return client.interface(ROOT, "Service")

def opened():
    return service().OpenSession("plain", dbus.String("", variant_level=1))[1]

def say(*words):
    print(json.dumps(words), flush=True)

def store(value, replace, **attributes):
    try:
        client.create(opened(), dict(attributes, client=own), value.encode(), replace=replace)
    except dbus.DBusException:
        return False
    return True

def look():
    try:
        pairs = dbus.Dictionary(dict(client=own, kind="last"), signature="ss")
        paths, locked = service().SearchItems(pairs)
        found = [bytes(secret[2]).decode() for secret in service().GetSecrets(paths, opened()).values()]
    except dbus.DBusException:
        return
    if locked or (found or [None])[0] not in may or len(found) > 1:
        say("wrong", found, may)
    may[:] = found or [None]

value = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    value += 1
    if store(str(value), True, kind="last"):
        may[:] = [str(value)]
        say("last", str(value))
    else:
        may.append(str(value))
    look()
    if store(str(value), False, number=str(value)):
        say("new", str(value))
say("may", may)
"""


class Program:
    """One of the programs, with what it has said."""

    def __init__(self, place, number):
        self.number, self.said = number, []
        self.process = other(place, PROGRAM.replace("{number}", str(number)))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.said.append(json.loads(line))

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("\n")
            self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0, self.number
        self.reader.join()

    def of(self, kind):
        return [words[1:] for words in self.said if words[0] == kind]


def wait_for_calls(programs, count):
    """Until so many further calls were acknowledged."""
    goal = sum(len(program.said) for program in programs) + count
    eventually(lambda: sum(len(program.said) for program in programs) >= goal, "the programs get no more answers")


def kill_some(place, kind):
    """Kills the bridge, the daemon or both, as soon as there are some."""
    looks = {"bridge": [bridges], "daemon": [daemons], "both": [bridges, daemons]}[kind]
    kill([number for look in looks for number in eventually(lambda: look(place))])  # noqa: B023


def daemons(place):
    return list(place.stores_of_daemons())


def values(connection, **attributes):
    """The values of all items with these attributes, by their attribute `number`."""
    _, session = connection.session()
    paths, locked = connection.search(**attributes)
    assert not locked, locked
    secrets = connection.service.GetSecrets(objects(*paths), session)
    assert len(secrets) == len(paths), (len(secrets), len(paths))
    return [
        (str(connection.get(path, "Item", "Attributes").get("number", "")), bytes(secret[2]).decode())
        for path, secret in secrets.items()
    ]


def check(place, program):
    """What a program has stored is there as it was told."""
    assert not program.of("wrong"), program.of("wrong")
    found = values(Client(place), client=str(program.number))
    last = [value for number, value in found if not number]
    [[may]] = program.of("may")
    assert len(last) <= 1 and (last or [None])[0] in may, (program.number, last, may)
    new = [(number, value) for number, value in found if number]
    assert all(number == value for number, value in new) and len(set(new)) == len(new), (program.number, new)
    missing = {value for [value] in program.of("new")} - {value for _, value in new}
    assert not missing, f"{program.number}: acknowledged but gone: {missing}"


def main():
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))
    print(f"SEED={seed}", flush=True)
    rng = random.Random(seed)
    with desktop_parts.desktop(PROGRAMS) as place:
        # The first call makes the keychain.
        Client(place).session()
        programs = [Program(place, number) for number in range(CLIENTS)]
        try:
            eventually(lambda: all(program.said for program in programs), "a program does not begin")
            for _ in range(KILLS):
                wait_for_calls(programs, rng.randint(1, CALLS_BETWEEN))
                kill_some(place, rng.choice(["bridge", "daemon", "both"]))
            wait_for_calls(programs, CALLS_BETWEEN)
            for program in programs:
                program.end()
        finally:
            for program in programs:
                program.process.kill()
        for program in programs:
            check(place, program)
        said = sum(len(program.said) for program in programs)
        done = place.run("verify-keychain")
        assert done.returncode == 0, done
    print(f"ok {KILLS} kills, {said} acknowledged calls of {CLIENTS} programs")


if __name__ == "__main__":
    main()
