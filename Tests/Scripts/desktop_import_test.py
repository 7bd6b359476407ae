"""An import brings along what gnome-keyring has, and changes nothing that the keychain has.

usage: desktop_import_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import json
import os
import subprocess
import sys

import dbus
import desktop_parts
from desktop_import_parts import collection, collections, moved, shown
from desktop_parts import ROOT, SECRET, Client

PROGRAMS = os.path.abspath(sys.argv[1])
ITEMS = [
    ("Mail", {"server": "mail.example", "user": "anna"}, b"geheim"),
    ("\u90ae\u4ef6", {"n": "\u90ae\u4ef6", "xdg:schema": "org.example.Mail"}, "\u4f60\u597d".encode()),
    ("Bytes", {"n": "bytes"}, b"\xff\xfe\x00\n"),
    ("Empty", {"n": "empty"}, b""),
]


def imported(place, *words, source="gnome-keyring", **variables):
    """Runs the import; its status and its output."""
    place.environment |= variables
    done = place.run("import-from", *words, source)
    return done.returncode, done.stdout, done.stderr


@contextlib.contextmanager
def other_service(place, name):
    """A service of a test's own on the bus."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    words = ["/usr/bin/python3", "-B", path]
    with subprocess.Popen(words, env=place.environment, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout.readline() == "ready\n"
            yield
        finally:
            service.kill()


def outcome(place, *words, status=0, source="gnome-keyring"):
    """The outcome of an import as JSON."""
    done = place.run("--json", "import-from", *words, source)
    assert done.returncode == status, done
    return json.loads(done.stdout)


def fill(place):
    """Two collections with items."""
    client = Client(place)
    _, session = client.session()
    work = collection(client, session, "Work")
    for number, (label, attributes, value) in enumerate(ITEMS):
        shown = dbus.String(label, variant_level=1)
        where = work if number == 0 else f"{ROOT}/aliases/default"
        client.create(session, attributes, value, where, Label=shown)
    return work


def test_everything_comes_along():
    """Labels, attributes and values are the same, in collections of the same names; a repetition adds nothing."""
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        place.fails(1, "setup", "-y", "desktop", because="import-from gnome-keyring")
        assert "gnome-keyring-daemon keeps passwords" in place.run("status").stdout
        fill(place)
        for words, text in (
            (("--dry-run",), "4 items would be added"),
            ((), "4 items were added"),
            ((), "0 items were added.\n4 items are in the keychain already"),
        ):
            status, out, err = imported(place, *words)
            assert status == 0 and text in out and "dates" in out, (words, status, out, err)
            assert "geheim" not in out
        client = moved(place)
        _, session = client.session()
        (work,) = [path for path in client.get(ROOT, "Service", "Collections") if "/Work_" in path]
        assert client.get(work, "Collection", "Label") == "Work"
        (mail,) = client.get(work, "Collection", "Items")
        rest = client.get(f"{ROOT}/collection/login", "Collection", "Items")
        found = [shown(client, path, session) for path in (mail, *rest)]
        wanted = list(ITEMS)
        assert sorted(found, key=repr) == sorted(wanted, key=repr), found
        # An item that was changed since stays.
        client.properties(mail).Set(SECRET + "Item", "Label", dbus.String("mine", variant_level=1))
        status, out, _ = imported(place, "-u", LC_ALL="zh_CN.UTF-8")
        assert status == 0 and "3" in out and "1" in out and "\u5bfc\u5165" in out, out
        assert [list(part) for part in client.search()] == [[mail], []]


def test_setup_knows_a_complete_import():
    """Behind one it needs no word more, until the older keyring changes or the import is taken back."""
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        fill(place)

        def is_refused(*words):
            assert imported(place, *words)[0] == 0
            return place.fails(1, "setup", "-y", "desktop", because="import-from gnome-keyring") is None

        def is_done():
            assert imported(place)[0] == 0
            for words in ("-y",), ("-u", "-y"):
                done = place.run("setup", *words, "desktop")
                assert done.returncode == 0, done
            return True

        assert is_refused("-n") and is_done()
        client = Client(place)
        client.create(client.session()[1], {"n": "later"}, b"v")
        assert is_refused("-n") and is_done()
        assert is_refused("-u") and is_done()


def test_what_an_import_made_goes_with_it():
    """Taken back, it leaves no empty collection; one with an item of the user's own, or another label, stays."""
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        fill(place)
        client = Client(place)
        _, session = client.session()
        for label in ("Mine", "Renamed"):
            client.create(session, {"of": label}, b"v", collection(client, session, label))
        assert imported(place)[0] == 0
        client = moved(place)
        _, session = client.session()
        named = {str(client.get(path, "Collection", "Label")): path for path in collections(client)}
        client.create(session, {"n": "own"}, b"v", named["Mine"])
        label = dbus.String("Other", variant_level=1)
        client.properties(named["Renamed"]).Set(SECRET + "Collection", "Label", label)
        status, out, _ = imported(place, "-u")
        assert status == 0 and out.startswith("6 imported items were deleted; 0 were") and ": 1.\n" in out, out
        assert set(collections(client)) == {named["Mine"], named["Renamed"]}, collections(client)
        assert [len(part) for part in client.search()] == [1, 0]
        status, out, _ = imported(place, "-u")
        assert status == 0 and "ollections" not in out, out


def test_what_stays_behind_is_named():
    """A locked collection and an item with another value are left out and named, and the status is 1."""
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        work = fill(place)
        assert imported(place)[0] == 0
        client = Client(place)
        _, session = client.session()
        client.create(session, {"n": "bytes"}, b"other", replace=True)
        client.service.Lock(desktop_parts.objects(work))
        left = {"different": ["label"], "locked": ["Work"], "withoutValue": 0}
        assert outcome(place, "-n", status=1) == {"added": 0, "same": 2} | left
        status, out, _ = imported(place)
        assert status == 1 and "0 items were added" in out and "Work" in out and "locked" in out, out
        assert "with another value" in out, out
        client = moved(place)
        _, session = client.session()
        ((path,), _) = client.search(n="bytes")
        assert shown(client, path, session)[2] == b"\xff\xfe\x00\n"
        status, _, err = imported(place)
        assert status == 1 and "The keychain itself" in err, err
        place.end_bus()
        place.start_bus()
        status, _, err = imported(place)
        assert status == 1 and "No program on this bus" in err, err


def test_an_item_that_cannot_be_read():
    """It is counted, and all others come: no item of a damaged keyring keeps another one out."""
    with desktop_parts.keyring_desktop(PROGRAMS, daemon=False) as place:
        with other_service(place, "odd_keyring.py"):
            for words, first in (("--dry-run",), "2 items would be added"), ((), "2 items were added"):
                status, out, err = imported(place, *words)
                assert status == 1 and first in out and "8 items without a value" in out, (out, err)
                assert "\x1b" not in out
            left = {"different": [], "locked": [], "withoutValue": 8}
            assert outcome(place, "-n", status=1) == {"added": 0, "same": 2} | left
            status, out, _ = imported(place)
            assert status == 1 and "0 items were added.\n2 items are in the keychain already" in out, out
        client = moved(place)
        _, session = client.session()
        found = [shown(client, path, session)[1:] for path in client.search()[0]]
        assert sorted(found, key=repr) == [({"n": "odd text"}, b"a value"), ({"n": "whole"}, b"a value")], found


def test_wallets_of_kde():
    """Passwords, maps and bytes of KWallet come; what is closed is named, what is damaged counted; all are closed."""
    with desktop_parts.keyring_desktop(PROGRAMS, daemon=False) as place:
        status, _, err = imported(place, source="kwallet")
        assert status == 1 and "KWallet does not run" in err, err
        said = json.loads(place.run("--json", "import-from", "kwallet").stderr)
        assert said["status"] == 1 and "KWallet does not run" in said["message"], said
        os.makedirs(f"{place.home}/.local/share/kwalletd")
        with open(f"{place.home}/.local/share/kwalletd/kdewallet.kwl", "wb") as file:
            file.write(b"KWALLET")
        place.fails(1, "setup", "-y", "desktop", because="import-from kwallet")
        with other_service(place, "odd_wallet.py"):
            for words, first in (("-n",), "4 items would be added"), ((), "4 items were added"), ((), "0 items were"):
                status, out, err = imported(place, *words, source="kwallet")
                assert status == 1 and out.startswith(first), (words, status, out, err)
                assert "6 items without a value" in out and "Closed" in out and "gehe" not in out, out
            wallet = place.connect().get_object("org.kde.kwalletd5", "/modules/kwalletd5")
            assert wallet.OpenHandles(dbus_interface="org.example.Test") == 0
        client = moved(place)
        _, session = client.session()
        found = {}
        for path in client.search()[0]:
            label, attributes, value = shown(client, path, session)
            assert label == f"{attributes['server']}/{attributes['user']}" and "/collection/login/" in path, path
            found[label] = attributes["type"], value
        form = found.pop("Form Data/https://h.example/#form")
        assert form[0] == "map" and json.loads(form[1]) == {"user": "ann", "pw": 'p"\\\n'}, form
        assert found == {
            "Passwords/mail": ("password", "gehe\u00efm\U0001f511".encode()),
            "Passwords/none": ("password", b""),
            "Form Data/bytes": ("base64", b"/wAK"),
        }, found
        status, out, _ = imported(place, "-u", source="kwallet")
        assert status == 0 and out.startswith("4 imported items were deleted"), out
        nothing = {"deleted": 0, "changed": 0, "collections": 0}
        assert [outcome(place, "-u", source=source) for source in ("kwallet", "keyring-file")] == [nothing] * 2


if __name__ == "__main__":
    desktop_parts.play(globals(), needs_keyring=True)
