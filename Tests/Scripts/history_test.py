"""Changes, deletes and brings back items with the command, and kills the daemon meanwhile.

usage: history_test.py FOLDER-OF-PROGRAMS KILLS [--long]; SEED in the environment
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from keychain_parts import ends
from kill_test import daemon_of, environment
from patience import PATIENCE, eventually
from read_store import Store


def fail(*words):
    sys.exit(" ".join(map(str, words)))


class Keychain:
    def __init__(self, programs, home, **more):
        self.programs, self.home = programs, home
        self.environment = environment(home, "daemon", programs) | more

    def run(self, *words):
        return subprocess.run(
            [f"{self.programs}/security", *words], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE,
        )

    def do(self, *words):
        done = self.run(*words)
        if done.returncode:
            fail(words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def set(self, account, value):
        return self.run("add-generic-password", "-U", "-s", "history", "-a", account, "-w", value).returncode == 0

    def value(self, account):
        return self.do("find-generic-password", "-s", "history", "-a", account, "-w").strip()

    def history(self, *words):
        done = self.run("--json", "history", *words)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def end(self):
        daemon = daemon_of(self.home)
        if daemon:
            ends(daemon, signal.SIGTERM)


def commands(keychain):
    """The way there and back by hand."""
    for value in ("one", "two", "three"):
        if not keychain.set("ada", value):
            fail("an item cannot be set")
    versions = keychain.history("-a", "ada")
    if [one["end"] for one in versions] != ["changed", "changed"] or "data" in json.dumps(versions):
        fail("history shows", versions)
    keychain.do("restore-item", "--at", versions[1]["began"], "-a", "ada")
    if keychain.value("ada") != "two":
        fail("restore-item gave", keychain.value("ada"))
    keychain.do("delete-generic-password", "-s", "history", "-a", "ada")
    if "ada" not in keychain.do("undelete", "-s", "history") or keychain.value("ada") != "two":
        fail("undelete gave", keychain.value("ada"))
    if keychain.run("undelete", "-s", "history").returncode != 44:
        fail("an item that is there was brought back")
    keychain.do("delete-generic-password", "-s", "history", "-a", "ada", "--forever")
    if keychain.history():
        fail("what was deleted for ever is kept")


def helper(keychain):
    """What git erases is not kept."""
    login = "protocol=https\nhost=example.org\nusername=ada\npassword=sesame\n\n"
    for verb in ("store", "erase"):
        subprocess.run(
            [f"{keychain.programs}/security", "git-credential", verb],
            env=keychain.environment,
            input=login,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
    if keychain.history():
        fail("a login that git has erased is kept:", keychain.history())


def daily_copies(programs, home, **more):
    """A keychain whose daemon has something to copy. It was not written to since the daemon began, so that its first
    look, after a minute, is enough.
    """
    keychain = Keychain(programs, home, **more)
    keychain.set("ada", "copied")
    keychain.end()
    keychain.do("status")
    return keychain


def copies(keychain):
    return [name for name in os.listdir(keychain.home) if name.endswith("Z.snapshot")]


def daily_copy(keychain, switched_off):
    """The daemon makes the day's copy by itself, from which the item can be read; not with 0 days of history."""
    eventually(lambda: copies(keychain), "there is no copy of the day")
    keychain.end()
    os.replace(f"{keychain.home}/{copies(keychain)[0]}", f"{keychain.home}/keychain.db")
    for ending in ("-wal", "-shm"):
        if os.path.exists(f"{keychain.home}/keychain.db{ending}"):
            os.remove(f"{keychain.home}/keychain.db{ending}")
    if keychain.value("ada") != "copied":
        fail("the copy of the day has not what was there")
    if copies(switched_off):
        fail("there are copies with history-days 0:", copies(switched_off))


def switched_off(programs, home):
    keychain = Keychain(programs, home, KEYCHAIN_HISTORY_DAYS="0")
    for value in ("one", "two"):
        keychain.set("ada", value)
    keychain.do("delete-generic-password", "-s", "history", "-a", "ada")
    if keychain.history() or keychain.run("undelete").returncode != 44:
        fail("something is kept with history-days 0")
    if (
        keychain.run("status").returncode
        or Keychain(programs, home, KEYCHAIN_HISTORY_DAYS="x").run("status").returncode == 0
    ):
        fail("a number of days that is none is taken")
    keychain.end()


def kills(keychain, count, rng):
    """Every acknowledged value is the item's or an earlier version's, in the order in which they were written."""
    written, stop = [], threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            if keychain.set("ada", str(number)):
                written.append(number)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(count):
            # Every second daemon has acknowledged something, however long it took to begin.
            before = len(written)
            if number % 2:
                eventually(lambda before=before: len(written) > before, "nothing is acknowledged")
            time.sleep(rng.uniform(0.02, 0.2))
            daemon = daemon_of(keychain.home)
            if daemon:
                os.kill(daemon, signal.SIGKILL)
    finally:
        stop.set()
        writer.join()
    keychain.do("verify-keychain")
    keychain.end()
    found = Store(keychain.home).read()
    if found["damaged"] or len(found["items"]) != 1:
        fail("after the kills:", found["damaged"], len(found["items"]))
    chain = [int(bytes.fromhex(one["value"])) for one in found["history"] + found["items"]]
    if chain != sorted(set(chain)) or not set(written) <= set(chain):
        fail("acknowledged", written, "found", chain)
    print(f"{count} kills, {len(written)} acknowledged changes: all there, in {len(chain)} versions")


def main():
    programs, count, is_long = os.path.abspath(sys.argv[1]), int(sys.argv[2]), "--long" in sys.argv
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print(f"SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        keychain, daily = Keychain(programs, f"{folder}/keychain"), []
        if is_long:
            # Of the one that is to make none the daemon was there first.
            daily.append(daily_copies(programs, f"{folder}/none", KEYCHAIN_HISTORY_DAYS="0"))
            daily.append(daily_copies(programs, f"{folder}/daily"))
        try:
            commands(keychain)
            helper(keychain)
            kills(keychain, count, random.Random(seed))
            if is_long:
                daily_copy(daily[1], daily[0])
        finally:
            for one in (keychain, *daily):
                one.end()
        switched_off(programs, f"{folder}/off")


main()
