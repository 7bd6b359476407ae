"""A file that one machine of a circle protects opens on another, to which it was copied, as far as its shelf travels.

usage: sync_files_test.py FOLDER-OF-PROGRAMS
"""

import json
import os
import pathlib
import subprocess
import sys

import circle_shelves
import protected_file
from circle_reader import Circle
from ordinary_parts import USER
from sync_parts import finished, machines, shown
from sync_places import FolderPlace

CONTENT = "the letters of a summer\n" * 5_000
NO_SHELF = -25300 & 0xFF
# One of each class from one machine, and one from the other.
SHELVES = 5


def owned(path):
    if os.getuid() == 0:
        os.chown(path, USER, USER)
    return path


def file(machine, *words, **options):
    return machine.run("file", *words, **options)


def protect(machine, name, *words):
    """A protected file in the machine's home."""
    path = pathlib.Path(f"{machine.home}/{name}")
    path.write_text(CONTENT)
    owned(path)
    machine.must("file", "protect", *words, str(path))
    assert CONTENT.encode()[:64] not in path.read_bytes()
    return path


def copied(path, machine):
    """A copy of a file in the home of a machine."""
    copy = pathlib.Path(f"{machine.home}/copy-{path.name}")
    copy.write_bytes(path.read_bytes())
    return str(owned(copy))


def opens(machine, path):
    return file(machine, "cat", str(path)).stdout == CONTENT


def meet(*members):
    for machine in (*members, *members):
        machine.must("sync", "now")


def pairs(one, other, folder, place):
    one.sync("setup", "-n", "one", folder)
    adding, _ = shown(one, place)
    other.sync("join", folder, "-n", "other")
    code, out, errors = finished(adding)
    assert code == 0, (code, out, errors)
    meet(one, other)


def travel(one, other):
    """Files of each class open on the other machine, and what that protects by its own shelf opens on the first."""
    files = {letter: protect(one, f"letters-{letter}", "-c", letter) for letter in "abcd"}
    closed = file(other, "cat", copied(files["a"], other))
    assert closed.returncode == NO_SHELF and closed.stdout == "", closed
    meet(one, other)
    for path in files.values():
        assert opens(other, copied(path, other)), path
    for machine in (one, other):
        status = json.loads(machine.must("--json", "status"))
        assert status["shelves"]["count"] == 4, status["shelves"]
    back = protect(other, "answer", "-c", "a")
    assert file(one, "cat", copied(back, one)).returncode == NO_SHELF, "a new file of a shelf that came from there"
    meet(one, other)
    assert opens(one, copied(back, one)), "a new file of the other machine"
    other.must("lock-keychain")
    assert file(other, "cat", str(back)).returncode != 0, "a file of class a opens while locked"
    assert opens(other, copied(files["c"], other))
    other.must("unlock-keychain", "-p", "1234")
    return files


def stay(one, other):
    """A file of this device alone opens nowhere else, and `why` says what is missing there."""
    path = protect(one, "diary", "-c", "a", "-D")
    meet(one, other)
    copy = copied(path, other)
    assert opens(one, path) and file(other, "cat", copy).returncode == NO_SHELF
    said = other.must("why", copy)
    assert "file.no-shelf" in said and "it stays on another device" in said and "What to do:" in said, said
    assert json.loads(other.must("--json", "why", copy))["refusal"]["rule"] == "file.no-shelf"


def read_shelves(folder, code):
    """The shelves of the circle in a folder, as somebody reads them who has its code alone."""
    (circle,) = (name for name in os.listdir(folder) if len(name) == 32)
    return circle_shelves.shelves(Circle(circle, FolderPlace(None, *os.path.split(folder)).slots(circle), code))


def read_independently(one, files, folder, place):
    """A reader that was written from the formats' pages opens the files with the code of the recovery key alone."""
    one.sync("recovery-key")
    one.must("sync", "now")
    code = pathlib.Path(f"{place}/notes/code").read_text().strip()
    shelves = read_shelves(folder, code)
    assert len(shelves) == SHELVES, shelves
    for letter, path in files.items():
        shown = json.loads(one.must("--json", "file", "info", str(path)))
        shelf = shelves[shown["shelf"]]
        assert "abcd"[shelf.protection - 1] == letter and shelf.name == "", (letter, vars(shelf))
        assert protected_file.read(path.read_bytes(), shelf).decode() == CONTENT
    batches = b"".join(path.read_bytes() for path in pathlib.Path(folder).glob("*/log/*/*"))
    for shelf in shelves.values():
        assert shelf.group.encode() not in batches and shelf.wrap_key not in batches, "something lies in the clear"
    return code


def delete(one, other, files, folder, code):
    """A shelf is deleted on all machines or on none, when somebody has confirmed that."""
    path = files["c"]
    shelf = json.loads(one.must("--json", "file", "info", str(path)))["shelf"]
    refused = file(other, "delete-shelf", shelf)
    assert refused.returncode != 0 and "security file delete-shelf -f" in refused.stderr, refused
    meet(other, one)
    assert opens(one, path) and opens(other, copied(path, other))
    other.must("file", "delete-shelf", "-f", shelf)
    meet(other, one)
    for machine in (one, other):
        assert file(machine, "cat", copied(path, machine)).returncode == NO_SHELF
        assert "it was deleted" in machine.must("why", copied(path, machine))
    assert read_shelves(folder, code)[shelf] is None
    assert opens(one, files["a"]) and opens(other, copied(files["a"], other)), "another shelf went, too"


def keep(machine, deleted):
    """The store has records of the shelves that travel, and the reader that was written from its page opens them."""
    machine.end()
    reader = [sys.executable, f"{os.path.dirname(__file__)}/read_store.py", f"{machine.home}/k", "--passcode"]
    found = json.loads(subprocess.run(reader, input=b"1234", capture_output=True, check=True).stdout)
    rows = [(one["row"], one["dirty"]) for one in found["circle"] if one["class"] == "shelf"]
    assert rows.count(("shelf", 0)) == SHELVES - deleted and found["damaged"] == [], rows
    assert len([row for row, _ in rows if row == "tombstone"]) <= deleted, rows


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "other") as (place, (one, other)):
        folder = f"{place}/shared"
        os.mkdir(folder)
        owned(folder)
        pairs(one, other, folder, place)
        files = travel(one, other)
        stay(one, other)
        code = read_independently(one, files, folder, place)
        delete(one, other, files, folder, code)
        for machine in (one, other):
            keep(machine, deleted=1)
    print("sync of files: ok")


main()
