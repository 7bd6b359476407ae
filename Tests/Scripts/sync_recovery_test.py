"""A machine enters a circle by its recovery key when every other one is gone.

usage: sync_recovery_test.py FOLDER-OF-PROGRAMS
"""

import hashlib
import hmac
import os
import pathlib
import shutil
import sys

import pairing_reader
from ordinary_parts import USER
from patience import eventually
from sync_parts import machines


def code(place):
    return pathlib.Path(f"{place}/notes/code").read_text().strip()


def derived(text):
    """The 16 bytes of a code, and the points of the keys that follow from it, as the format's page says."""
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    bits = 0
    for letter in text.replace("-", ""):
        bits = bits << 5 | letters.index(letter)
    secret, points = (bits >> 22).to_bytes(16, "big"), []
    for use in ("signing", "agreement"):
        number = pairing_reader.derive(secret, None, f"keychain sync 1: recovery {use}".encode(), 40)
        number = int.from_bytes(number, "big") % pairing_reader.ORDER
        points.append(pairing_reader.write(pairing_reader.times(number, pairing_reader.GENERATOR)))
    return secret, b"".join(points)


def is_announced(text, member, folder):
    """The key is the member that the code makes, and the code alone announces it."""
    secret, points = derived(text)
    assert hashlib.sha256(points).digest()[:16].hex() == member, (member, points)
    (circle,) = [path.name for path in pathlib.Path(folder).iterdir() if len(path.name) == 32]
    message = b"keychain sync 1: recovery" + bytes.fromhex(circle)
    statement = points + hmac.new(secret, message, hashlib.sha256).digest()
    logs = [path.read_bytes() for path in pathlib.Path(folder).glob("*/log/*/*")]
    assert sum(statement in batch for batch in logs) == 1, "no batch announces the key"


def keys(machine):
    return [row for row in machine.sync("devices") if row["recoveryKey"] and not row["removed"]]


def is_made(one, folder, place):
    """The code is shown once, by the prompt alone; a second key replaces the first."""
    made = one.sync("recovery-key")
    first = code(place)
    assert len(first.replace("-", "")) == 30 and made["replaced"] == [], (first, made)
    second = one.must("sync", "recovery-key")
    assert code(place) != first and code(place) not in second and "serves no more" in second, second
    one.must("sync", "now")
    (key,) = keys(one)
    assert key["id"] != made["recoveryKey"] and key["heard"], key
    is_announced(code(place), key["id"], folder)
    status = one.must("sync", "status")
    assert f"{key['id']}, a recovery key, since 20" in status, status
    return first


def refuses(new, folder, place, old):
    """A code that serves no more, one of nothing, and an empty folder change nothing."""
    right = code(place)
    for wrong in (old, "00000-00000-00000-00000-00000-00000"):
        pathlib.Path(f"{place}/notes/code").write_text(wrong)
        refused = new.run("sync", "join", "--recovery", "-n", "new", folder)
        assert refused.returncode == 51 and "code" in refused.stderr, refused
        assert "no circle" in new.run("sync", "status").stderr
    pathlib.Path(f"{place}/notes/code").write_text(right)
    empty = f"{place}/empty"
    os.mkdir(empty)
    none = new.run("sync", "join", "-r", "-n", "new", empty)
    assert none.returncode == 1 and "no circle is kept there" in none.stderr, none


def enters(new, folder, place):
    """The code alone brings all items; who is in is asked before anything is sent."""
    before = sorted(os.listdir(next(pathlib.Path(folder).glob("*/log"))))
    joined = new.sync("join", "--recovery", "-n", "new", folder)
    asked = pathlib.Path(f"{place}/notes/asked").read_text()
    (row,) = [row for row in new.sync("devices") if not row["me"] and not row["recoveryKey"]]
    lost = row["id"]
    assert row["name"] == "one", row
    number = "-".join(lost[place : place + 4] for place in range(0, 16, 4))
    assert number in asked and "The newest change there is of 20" in asked, asked
    after = sorted(os.listdir(next(pathlib.Path(folder).glob("*/log"))))
    assert set(after) - set(before) == {joined["me"]}, (before, after, joined)
    assert new.items() == {"mail: secret"}, new.items()
    assert new.sync("status")["standing"] == "in"
    gone = new.must("sync", "remove-device", lost)
    assert "its recovery key is out as well" in gone and "it may know 1 item" in gone, gone
    new.write("put", "later", "alone")
    new.must("sync", "now")
    assert len(keys(new)) == 0, "the lost machine's key stays"


def empties(circle):
    """A circle's folder as somebody who makes it once more has it."""
    for path in (circle, f"{circle}/log"):
        os.mkdir(path)
        if os.getuid() == 0:
            os.chown(path, USER, USER)


def loses_its_place(new, folder):
    """A folder that was emptied takes nothing, and goes on when its files are back; one that is missing is said."""
    circle = f"{folder}/{new.sync('status')['circle']}"
    os.rename(circle, f"{circle}.away")
    new.run("sync", "now")
    assert "begin again with security sync reset" in new.sync("status")["problem"], new.sync("status")
    empties(circle)
    new.write("put", "later", "unsent")
    new.run("sync", "now")
    status = new.must("sync", "status")
    assert "the place has lost batches" in status and "1 change waits" in status, status
    assert not list(pathlib.Path(circle).glob("log/*/*")), "a batch that nobody can follow"
    shutil.rmtree(circle)
    os.rename(f"{circle}.away", circle)
    new.must("sync", "now")
    status = new.sync("status")
    assert (status["unsent"], status["problem"]) == (0, None), status
    assert "lost batches" not in new.must("sync", "status")
    new.write("put", "later", "alone")
    shutil.rmtree(circle)
    empties(circle)
    new.run("sync", "now")
    assert "the place has lost batches" in new.must("sync", "status")


def resets(new, folder):
    """A circle is given up for another one at the same place, while a carrier runs; all items are in it."""
    old = new.sync("status")["circle"]
    new.start()
    begun = new.sync("reset", "-n", "again")
    assert begun["circle"] != old and os.path.isdir(f"{folder}/{begun['circle']}/log"), begun
    status = new.sync("status")
    assert (status["standing"], status["circle"], status["problem"]) == ("in", begun["circle"], None), status
    eventually(lambda: new.sync("status")["unsent"] == 0, "the items are not sent")
    assert new.items() == {"mail: secret", "later: alone"}, new.items()
    new.stop()


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "new") as (place, (one, new)):
        folder = f"{place}/shared"
        os.mkdir(folder)
        if os.getuid() == 0:
            os.chown(folder, USER, USER)
        one.sync("setup", "-n", "one", folder)
        one.write("put", "mail", "secret")
        old = is_made(one, folder, place)
        one.end()
        refuses(new, folder, place, old)
        enters(new, folder, place)
        loses_its_place(new, folder)
        resets(new, folder)
    print("sync recovery: ok")


main()
