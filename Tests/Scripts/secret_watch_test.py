"""Programs that watch the Secret Service live, see what others do, and hear no label and no attribute in a signal.

usage: secret_watch_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import json
import os
import re
import subprocess
import sys

import dbus
import gi
from desktop_parts import NAME, ROOT, SECRET, Client, desktop, objects
from patience import eventually

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
SESSION = f"{ROOT}/collection/session"


class Watcher:
    """A program with living collections of libsecret."""

    def __init__(self, place):
        self.program = subprocess.Popen(
            ["/usr/bin/python3", f"{os.path.dirname(os.path.abspath(__file__))}/secret_watcher.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=place.environment,
        )
        assert self.program.stdout.readline() == "ready\n", self.program.stderr.read()

    def seen(self):
        self.program.stdin.write("\n")
        self.program.stdin.flush()
        line = self.program.stdout.readline()
        assert line, (self.program.wait(), self.program.stderr.read())
        return json.loads(line)

    def sees(self, collection, labels):
        eventually(lambda: self.seen()[collection] == labels, lambda: f"it sees {self.seen()}, and not {labels}")

    def end(self):
        """It has lived to its end, and complained of nothing."""
        self.program.stdin.close()
        complaints = self.program.stderr.read()
        assert (self.program.wait(), complaints) == (0, ""), complaints


@contextlib.contextmanager
def watching(place):
    watcher = Watcher(place)
    try:
        yield watcher
        watcher.end()
    finally:
        watcher.program.kill()
        watcher.program.wait()


def test_a_watcher_lives_and_sees_both_items():
    """Another program stores, renames and deletes items; a watcher sees each change."""
    with desktop(PROGRAMS) as place:
        place.store("zero", "n", "0")
        with watching(place) as watcher:
            watcher.sees("login", ["zero"])
            place.store("one", "n", "1")
            place.store("two", "n", "2")
            watcher.sees("login", ["one", "two", "zero"])
            client = Client(place)
            (path,), _ = client.search(n="1")
            client.properties(path).Set(SECRET + "Item", "Label", dbus.String("renamed", variant_level=1))
            watcher.sees("login", ["renamed", "two", "zero"])
            assert place.tool("clear", "n", "0")[0] == 0
            watcher.sees("login", ["renamed", "two"])
            client.service.Lock(objects(LOGIN))
            client.service.Unlock(objects(LOGIN))
            place.store("three", "n", "3")
            watcher.sees("login", ["renamed", "three", "two"])


def test_a_watcher_of_a_large_collection_lives():
    """Above 500 items their paths are not sent with each one; the watcher lives."""
    with desktop(PROGRAMS) as place:
        client = Client(place)
        _, session = client.session()
        for number in range(501):
            last = client.create(session, {"n": str(number)}, collection=SESSION)
        with watching(place) as watcher:
            for number in ("more", "still more"):
                client.create(session, {"n": number}, collection=SESSION)
            client.interface(last, "Item").Delete()
            # It has heard of all that when it has heard of this.
            place.store("L", "n", "1")
            watcher.sees("login", ["L"])


def listening(place, heard):
    """A connection that hears every signal of the service; what it hears is added to a list."""
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(place.address, flags, None, None)
    bus.signal_subscribe(
        NAME, None, None, None, None, Gio.DBusSignalFlags.NONE, lambda *words: heard.append((words[4], words[5]))
    )
    return bus


def test_signals_have_no_label_and_no_attribute():
    """A program that may not ask hears signals too: they name what has changed, and say nothing of it."""
    with desktop(PROGRAMS) as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"user": "ada.lovelace"})
        made, _ = client.service.CreateCollection(
            {SECRET + "Collection.Label": dbus.String("first", variant_level=1)}, ""
        )
        heard = []
        bus = listening(place, heard)
        item, collection = client.properties(path), client.properties(made)
        item.Set(SECRET + "Item", "Label", dbus.String("Bank of Ada", variant_level=1))
        attributes = dbus.Dictionary({"user": "Ada King"}, signature="ss", variant_level=1)
        item.Set(SECRET + "Item", "Attributes", attributes)
        collection.Set(SECRET + "Collection", "Label", dbus.String("Bank of England", variant_level=1))
        client.create(session, {"user": "ada.lovelace"}, replace=True)
        client.service.Lock(objects(LOGIN))
        wanted = {"ItemChanged": path, "CollectionChanged": made}

        def all_heard():
            while GLib.MainContext.default().iteration(False):
                pass
            return set(wanted.items()) <= {(member, values.unpack()[0]) for member, values in heard}

        eventually(all_heard)
        # GLib forgets a value whose name comes without it, and a program is then given none.
        forgotten = [values.unpack()[2] for member, values in heard if member == "PropertiesChanged"]
        assert not any(forgotten), forgotten
        text = "".join(str(values) for _, values in heard)
        # Names in paths have hexadecimal digits, which may spell a word.
        words = re.sub("[0-9a-f]{8,}", "", text)
        assert not any(word in words for word in ("Ada", "ada", "Bank")), text
        bus.close_sync(None)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not sys.argv[2:] or name in sys.argv[2:]):
            test()
            print(f"ok {name}")
