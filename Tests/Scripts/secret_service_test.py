"""Programs of the desktop keep their secrets in the keychain: Debian's clients, the protocol, and what goes wrong.

usage: secret_service_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import dbus
import desktop_parts
from desktop_parts import ROOT, Client, Desktop, bridges, kill, kill_bridges, objects, refused
from keychain_parts import ends
from parts import of_this_turn
from patience import PATIENCE

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)


def without_id(text):
    """The output of a search without what is different every time.

    gnome-keyring shows the usual schema of an item that was stored without one now and then.
    """
    different = ("[", "created", "modified", "schema = org.freedesktop.Secret.Generic")
    lines = [line for line in text.split("\n") if not line.startswith(different)]
    return sorted(line for line in lines if line)


def conversation(place):
    """What secret-tool says in a row of calls, without what is different every time."""
    said = []

    def tool(*words, text=None):
        status, out, err = place.tool(*words, text=text)
        searches = words[0] == "search"
        said.append((words[0], status, *((without_id(text) if searches else text) for text in (out, err))))

    tool("store", "--label=L", "app", "demo", "user", "anna", text=b"geheim")
    tool("store", "--label=L", "app", "demo", "user", "anna", text=b"geheim2")
    tool("lookup", "app", "demo", "user", "anna")
    tool("store", "--label=L", "app", "demo", "user", "anna", "extra", "x", text=b"x")
    tool("search", "--all", "app", "demo")
    tool("lookup", "app", "nope")
    tool("search", "app", "nope")
    tool("store", "--label=N", "lines", "two", text=b"a\nb\n")
    tool("lookup", "lines", "two")
    tool("store", "--label=Gr\u00fc\u00dfe", "text", "\u4f60\u597d", text="\u5bc6\u7801".encode())
    tool("search", "text", "\u4f60\u597d")
    tool("clear", "lines", "two")
    tool("lookup", "lines", "two")
    tool("clear", "lines", "two")
    return said


def test_clients_of_debian():
    """secret-tool and Python's keyring store, find, replace and clear; the bus starts the bridge."""
    with desktop() as place:
        assert bridges(place) == []
        said = conversation(place)
        assert said[2][1:] == (0, "geheim2", "") and said[8][2] == "a\nb\n", said
        assert sum(line == "label = L" for line in said[4][2]) == 2, said[4]
        assert [entry[1] for entry in said] == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1], said
        assert len(bridges(place)) == 1
        program = """
import keyring, keyring.backends.SecretService
# Python's keyring has several ways to the service, and takes one by what else is installed.
keyring.set_keyring(keyring.backends.SecretService.Keyring())
print(type(keyring.get_keyring()).__module__)
keyring.set_password("service", "user", "pass w\u00f6rd")
print(keyring.get_password("service", "user"), keyring.get_password("service", "nobody"))
print(keyring.get_credential("service", None).username)
keyring.delete_password("service", "user")
try:
    keyring.delete_password("service", "user")
except keyring.errors.PasswordDeleteError:
    print("gone")
"""
        assert place.python(program) == ["keyring.backends.SecretService", "pass w\u00f6rd None", "user", "gone"]
        # The value is nowhere in the clear.
        for folder, _, names in os.walk(place.home):
            for path in (f"{folder}/{name}" for name in names if os.path.isfile(f"{folder}/{name}")):
                with open(path, "rb") as file:
                    assert b"geheim2" not in file.read(), path
        # A person sees the items by name.
        listed = place.run("list")
        assert "Gr\u00fc\u00dfe" in listed.stdout, listed


def compare_with_gnome_keyring():
    """The same calls get the same answers from gnome-keyring."""
    if not desktop_parts.keyring_program():
        print("compare_with_gnome_keyring: skipped, gnome-keyring cannot be had here")
        return
    with desktop() as place:
        ours = conversation(place)
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        theirs = conversation(place)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == other, f"\n{mine}\ngnome-keyring:\n{other}"


def test_only_equal_attributes_are_replaced():
    """A replacement overwrites the item with exactly its attributes, and keeps its path."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        first = client.create(session, {"a": "1", "b": "2"}, b"both")
        second = client.create(session, {"a": "1"}, b"one", replace=True)
        assert first != second
        assert client.create(session, {"a": "1"}, b"new", replace=True) == second
        assert client.create(session, {"a": "1"}, b"twin") not in (first, second)
        found, locked = client.search(a="1")
        assert len(found) == 3 and list(locked) == []
        values = client.service.GetSecrets(objects(first, second), session)
        assert [bytes(values[path][2]) for path in (first, second)] == [b"both", b"new"]
        assert client.get(first, "Item", "Type") == "org.freedesktop.Secret.Generic"
        typed = client.create(session, {"t": "1"}, Type=dbus.String("org.example", variant_level=1))
        assert list(client.search(**{"xdg:schema": "org.example"})[0]) == [typed]


def test_nothing_stays_of_what_is_deleted():
    """A value that a program has replaced or deleted is in no earlier version once the item is deleted."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        for value in (b"first", b"second"):
            path = client.create(session, {"n": "1"}, value, replace=True)
        assert place.versions() == 1
        assert client.interface(path, "Item").Delete() == "/"
        assert place.versions() == 0


def test_content_types_and_bytes_are_kept():
    """Values are bytes, and come back with the type that they came with."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"a": "1"}, bytes(range(256)))
        item = client.interface(path, "Item")
        item.SetSecret(
            dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(b"\0\xff"), "application/x; charset=y"),
                        signature="oayays"))
        found = item.GetSecret(session)
        assert bytes(found[2]) == b"\0\xff" and found[3] == "application/x; charset=y"
        assert bytes(client.create(session, {"e": "1"}, b"") and client.service.GetSecrets(
            client.search(e="1")[0], session).popitem()[1][2]) == b""


def test_locks_of_the_bus():
    """A lock hides values from all clients, and attributes from none; without a passcode it opens at once."""
    with desktop() as place:
        place.store("L", "app", "demo")
        client = Client(place)
        _, session = client.session()
        (path,), _ = client.search(app="demo")
        done, prompt = client.service.Lock(objects(LOGIN))
        assert list(done) == [LOGIN] and prompt == "/"
        other = Client(place)
        assert [list(part) for part in other.search(app="demo")] == [[], [path]]
        assert other.get(path, "Item", "Label") == "L" and other.get(path, "Item", "Locked")
        refused(lambda: client.interface(path, "Item").GetSecret(session), "Secret.Error.IsLocked")
        assert client.service.GetSecrets(objects(path), session) == {}
        refused(lambda: client.create(session, {"a": "1"}), "Secret.Error.IsLocked")
        refused(lambda: client.interface(path, "Item").Delete(), "Secret.Error.IsLocked")
        done, prompt = other.service.Unlock(objects(path, f"{ROOT}/collection/none"))
        assert list(done) == [path] and prompt == "/"
        assert bytes(client.interface(path, "Item").GetSecret(session)[2]) == b"geheim"


def test_a_keychain_with_a_passcode():
    """A lock then asks for the passcode, a dismissed prompt opens nothing, and what cannot be looked at is no empty
    answer."""
    with desktop() as place:
        place.store("L", "app", "demo")
        result = place.run("set-keychain-password", "-o", "", "-p", "1234")
        assert result.returncode == 0, result.stderr
        client = Client(place)
        _, session = client.session()
        client.service.Lock(objects(LOGIN))
        done, prompt = client.service.Unlock(objects(LOGIN))
        assert list(done) == [] and prompt != "/"
        stranger = Client(place)
        refused(lambda: stranger.interface(prompt, "Prompt").Prompt(""), "UnknownMethod")
        # Nobody can be asked here: the prompt ends by itself, and the client does not hang.
        status, out, _ = place.tool("lookup", "app", "demo")
        assert (status, out) == (1, ""), (status, out)
        client.interface(prompt, "Prompt").Dismiss()
        refused(lambda: client.interface(prompt, "Prompt").Prompt(""), "UnknownMethod")
        # Before the first unlock.
        for number in place.stores_of_daemons():
            ends(number, signal.SIGTERM)
        assert len(client.search(app="demo")[1]) == 1
        refused(lambda: client.create(session, {"a": "1"}), "Secret.Error.IsLocked")
        assert client.service.ReadAlias("default") == LOGIN and client.get(LOGIN, "Collection", "Locked")
        done, prompt = client.service.Unlock(objects(LOGIN))
        assert list(done) == [] and prompt != "/"
        assert place.tool("lookup", "app", "demo")[:2] == (1, "")
        assert place.run("unlock-keychain", "-p", "1234").returncode == 0
        assert len(client.search(app="demo")[0]) == 1


def test_sessions_are_their_clients_own():
    """A session serves the client that opened it; bad keys and unknown algorithms are refused as clients expect."""
    with desktop() as place:
        client, other = Client(place), Client(place)
        _, session = client.session()
        path = client.create(session, {"a": "1"})
        refused(lambda: other.interface(path, "Item").GetSecret(session), "Secret.Error.NoSession")
        refused(lambda: other.create(session, {"a": "2"}), "Secret.Error.NoSession")
        refused(lambda: other.interface(session, "Session").Close(), "Secret.Error.NoSession")
        refused(lambda: client.session("rot13"), "DBus.Error.NotSupported")
        algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
        for key in (b"", b"\0", b"\1", b"\xff" * 128, b"\2" * 200):
            data = dbus.ByteArray(key, variant_level=1)
            refused(lambda: client.session(algorithm, data), "DBus.Error.InvalidArgs")  # noqa: B023
        refused(lambda: client.session(algorithm), "DBus.Error.InvalidArgs")
        # SecretStorage opens one for each item that it reads.
        for _ in range(100):
            client.session()
        assert bytes(client.interface(path, "Item").GetSecret(session)[2]) == b"v"
        client.close()
        other.session()


def test_wrong_calls():
    """Wrong types, properties, paths and sizes get the errors that clients know."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"a": "1"})
        refused(lambda: client.get(f"{ROOT}/collection/none", "Collection", "Label"), "UnknownMethod")
        refused(lambda: client.get("/not/there", "Item", "Label"), "UnknownMethod")
        refused(lambda: client.get(path, "Item", "Nothing"), "InvalidArgs")
        refused(lambda: client.properties(path).Set("org.freedesktop.Secret.Item", "Locked", True), "InvalidArgs")
        refused(lambda: client.service.ReadAlias(dbus.UInt32(1)), "InvalidArgs")
        refused(lambda: client.interface(LOGIN, "Collection").Delete(), "NotSupported")
        refused(lambda: client.create(session, {f"{index}": "" for index in range(65)}), "LimitsExceeded")
        refused(lambda: client.create(session, {"a": "2"}, Colour=dbus.String("red", variant_level=1)), "InvalidArgs")
        # seahorse shows the text in its window.
        seahorse = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
        keyring = dbus.Interface(client.bus.get_object(desktop_parts.NAME, ROOT, introspect=False), seahorse)
        path = dbus.ObjectPath(LOGIN)
        assert "set-keychain-password" in refused(lambda: keyring.ChangeWithPrompt(path), "NotSupported")
        refused(lambda: client.interface(ROOT, "Service").ChangeWithPrompt(path), "UnknownMethod")
        assert client.service.ReadAlias("default") == LOGIN and client.service.ReadAlias("none") == "/"
        made, prompt = client.service.CreateCollection(
            {"org.freedesktop.Secret.Collection.Label": dbus.String("Zweite \u00c4", variant_level=1)}, "second")
        assert "/collection/Zweite_20_c3_84_" in made and prompt == "/"
        assert client.service.ReadAlias("second") == made
        client.create(session, {"a": "in it"}, collection=f"{ROOT}/aliases/second")
        assert len(client.search(a="in it")[0]) == 1
        # Deleting what has items asks, and nobody can be asked.
        assert client.interface(made, "Collection").Delete() != "/"
        assert len(client.search(a="in it")[0]) == 1


def test_programs_in_sandboxes():
    """A program in another mount namespace gets an error, never an empty answer and never the others' secrets."""
    with desktop() as place:
        place.store("L", "app", "demo")
        wrap = ["bwrap", "--dev-bind", "/", "/"]
        if subprocess.run([*wrap, "true"]).returncode != 0:
            print("bwrap makes no sandbox here")
            return
        status, out, err = place.tool("lookup", "app", "demo", wrap=wrap)
        assert status == 1 and out == "" and "sandbox" in err, (status, out, err)


def test_a_program_that_goes_into_a_sandbox():
    """It was outside when it called first; from then on it gets an error, over the same connection."""
    program = """
import ctypes, dbus
bus = dbus.SessionBus()
service = dbus.Interface(bus.get_object("org.freedesktop.secrets", "/org/freedesktop/secrets", introspect=False),
                         "org.freedesktop.Secret.Service")
print(service.ReadAlias("default"))
# The way of a user who is not root: a namespace of users, and in it one of mounts.
if ctypes.CDLL(None, use_errno=True).unshare(0x10020000):
    raise OSError(ctypes.get_errno())
try:
    print(service.ReadAlias("default"))
except dbus.DBusException as error:
    print(error.get_dbus_name())
"""
    with desktop() as place:
        assert place.python(program) == [LOGIN, "org.freedesktop.DBus.Error.AccessDenied"]


def test_everything_comes_back():
    """A killed daemon and a killed bridge are started again by the next call, and nothing is lost."""
    with desktop() as place:
        place.store("L", "app", "demo")
        kill(list(place.stores_of_daemons()))
        assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")
        kill_bridges(place)
        assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")


def test_a_lock_outlives_the_bridge():
    """A bridge that was killed comes back with what was locked over the bus, and any unlock ends that."""
    with desktop() as place:
        place.store("L", "app", "demo")
        assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
        Client(place).service.Lock(objects(LOGIN))
        for _ in range(2):
            kill_bridges(place)
            client = Client(place)
            assert client.get(LOGIN, "Collection", "Locked")
            assert [len(found) for found in client.search(app="demo")] == [0, 1]
        assert place.run("unlock-keychain", "-p", "1234").returncode == 0
        assert place.tool("lookup", "app", "demo") == (0, "geheim", "")
        kill_bridges(place)
        assert place.tool("lookup", "app", "demo") == (0, "geheim", "")


def test_an_answer_that_is_too_large():
    """It is an error, and the bridge lives on. A path that is named often is one."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        paths = [
            client.create(session, {"n": f"{number}"}, bytes(1 << 20), collection=f"{ROOT}/collection/session")
            for number in range(17)
        ]
        (running,) = bridges(place)
        assert list(client.service.GetSecrets(objects(*paths[:1] * 100), session)) == paths[:1]
        refused(lambda: client.service.GetSecrets(objects(*paths), session), "LimitsExceeded")
        assert len(client.service.GetSecrets(objects(*paths[1:]), session)) == 16
        assert bridges(place) == [running]


def test_the_name_is_not_taken_from_another():
    """Where another service runs, the bridge ends and says so."""
    with desktop() as place:
        place.store("L", "app", "demo")
        done = subprocess.run(
            [f"{PROGRAMS}/keychain-secrets"], env=place.environment, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 1 and "org.freedesktop.secrets" in done.stderr, done
        assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")


def test_status_names_the_program():
    """In a session, status says which program keeps the passwords of the desktop, and starts none."""
    with desktop() as place:
        assert "no program keeps passwords for programs of the desktop" in place.run("status").stdout
        assert not bridges(place)
        place.store("L", "app", "demo")
        assert "/keychain-secrets keeps passwords for programs of the desktop" in place.run("status").stdout
        assert "/keychain-secrets" in json.loads(place.run("--json", "status").stdout)["secretService"]
        for desktop_name, words in (("GNOME", "with that program"), ("KDE", "in KWallet"), ("sway", "as a constant")):
            place.environment["XDG_CURRENT_DESKTOP"] = desktop_name
            assert f"keeps its key {words}" in place.run("status").stdout.replace("may keep ", "keeps ")
        # Outside of a session there is nothing to say.
        del place.environment["DBUS_SESSION_BUS_ADDRESS"]
        assert "programs of the desktop" not in place.run("status").stdout


def test_programs_in_a_folder_with_a_blank():
    """The bus starts the bridge from there, and so does a service manager, which the bus asks where it has one."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        programs = f"{folder}/my \"own\" 'programs' \\ 100%n $HOME"
        os.mkdir(programs)
        for name in ("security", "keychaind", "keychain-enclaved", "keychain-agent", "keychain-secrets"):
            shutil.copy(f"{PROGRAMS}/{name}", programs)
        place = Desktop(programs, folder)
        try:
            assert place.run("setup", "-y", "desktop").returncode == 0
            place.start_bus()
            place.store("L", "app", "demo")
            assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")
            place.end_bus()
            place.start_bus("--systemd-activation")
            with service_manager(place) as manager:
                assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")
                assert manager.stdout.readline() == "keychain-secrets.service\n"
        finally:
            place.end()


@contextlib.contextmanager
def service_manager(place):
    """A stand-in of the user's service manager, which starts the units that the bus asks for."""
    manager = subprocess.Popen(
        ["/usr/bin/python3", f"{os.path.dirname(os.path.abspath(__file__))}/service_manager.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=place.environment | {"XDG_CONFIG_HOME": f"{place.home}/.config"},
    )
    try:
        assert manager.stdout.readline() == "ready\n"
        yield manager
    finally:
        manager.stdin.close()
        manager.wait()


if __name__ == "__main__":
    named = [globals()[name] for name in sys.argv[2:]]
    for test in named or of_this_turn([test for name, test in list(globals().items()) if name.startswith("test_")]):
        test()
        print(f"ok {test.__name__}")
