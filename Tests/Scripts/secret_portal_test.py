"""The backend of the portal for secrets: an application's master secret, for ever the same.

xdg-desktop-portal is played by a client that has its name on the bus, but for one case with Debian's own. A Flatpak is
played there by bubblewrap, with the file by which the portal knows an application.

usage: secret_portal_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import concurrent.futures
import contextlib
import copy
import functools
import glob
import os
import pathlib
import socket
import subprocess
import sys

import dbus
import desktop_parts
from desktop_import_parts import moved
from desktop_parts import NAME, ROOT, Client, kill, kill_bridges, refused
from parts import of_this_turn
from patience import PATIENCE, eventually

PROGRAMS = os.path.abspath(sys.argv[1])
PATH = "/org/freedesktop/portal/desktop"
INTERFACE = "org.freedesktop.impl.portal.Secret"
SCHEMA = "org.freedesktop.portal.Secret"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)


class Portal:
    """The frontend, which asks for applications."""

    def __init__(self, place):
        self.bus = place.connect()
        assert self.bus.request_name("org.freedesktop.portal.Desktop") == dbus.bus.REQUEST_NAME_REPLY_PRIMARY_OWNER

    def call(self, application, file, bus=None):
        """Asks for a secret; the response."""
        backend = dbus.Interface((bus or self.bus).get_object(NAME, PATH, introspect=False), INTERFACE)
        handle = dbus.ObjectPath("/org/freedesktop/portal/desktop/request/1_1/t")
        options = dbus.Dictionary({"token": dbus.String("t", variant_level=1)}, signature="sv")
        response, results = backend.RetrieveSecret(handle, application, dbus.types.UnixFd(file), options)
        assert results == {}
        return response

    def secret(self, application):
        reading, writing = os.pipe()
        try:
            response = self.call(application, writing)
        finally:
            os.close(writing)
        with os.fdopen(reading, "rb") as file:
            secret = file.read()
        assert response == 0 and len(secret) == 64, (response, len(secret))
        return secret


def test_a_secret_is_for_ever():
    """It is the same after the ends of bridge and daemon, another application has another, and no client finds it."""
    with desktop() as place:
        portal = Portal(place)
        secret, other = portal.secret("org.example.Mail"), portal.secret("org.example.Chat")
        assert secret != other and secret == portal.secret("org.example.Mail")
        kill_bridges(place)
        kill(list(place.stores_of_daemons()))
        assert portal.secret("org.example.Mail") == secret and portal.secret("org.example.Chat") == other
        # Programs outside of sandboxes share one.
        assert portal.secret("") == portal.secret("") != secret
        client = Client(place)
        for attributes in ({}, {"app_id": "org.example.Mail"}, {"xdg:schema": SCHEMA}):
            assert [list(found) for found in client.search(**attributes)] == [[], []], attributes
        client.create(client.session()[1], {"app_id": "org.example.Mail", "xdg:schema": SCHEMA}, b"planted")
        assert portal.secret("org.example.Mail") == secret
        assert "org.freedesktop.impl.portal.Secret\tpass\torg.example.Mail" in place.run("list").stdout


@contextlib.contextmanager
def second_bus(place):
    """Another session of the same user, with a bridge of its own."""
    second = copy.copy(place)
    second.folder = f"{place.folder}/second"
    os.mkdir(second.folder)
    second.address = f"unix:path={second.folder}/bus"
    second.environment = place.environment | {"DBUS_SESSION_BUS_ADDRESS": second.address}
    second.start_bus()
    try:
        yield second
    finally:
        second.end_bus()


def test_two_sessions_at_once():
    """Two bridges that are asked for the same applications at once give the same secrets."""
    with desktop() as place, second_bus(place) as second, concurrent.futures.ThreadPoolExecutor() as both:
        portals = [Portal(place), Portal(second)]
        assert len({portal.secret("org.example.First") for portal in portals}) == 1
        names = [f"org.example.New{number}" for number in range(30)]
        answers = list(both.map(lambda portal: [portal.secret(name) for name in names], portals))
        assert answers[0] == answers[1] and len(set(answers[0])) == 30


def test_only_the_portal_asks():
    """Any other client is refused, also while the portal is there, and names that are paths are refused to all."""
    with desktop() as place:
        portal = Portal(place)
        portal.secret("org.example.Mail")
        other = place.connect()
        reading, writing = os.pipe()
        refused(lambda: portal.call("org.example.Mail", writing, other), "AccessDenied")
        for name in ("..", "a/b", "a b", "x" * 256):
            refused(lambda: portal.call(name, writing), "InvalidArgs")  # noqa: B023
        os.close(writing)
        assert os.read(reading, 1) == b""
        os.close(reading)


def test_ways_to_the_application():
    """A socket takes it as a pipe does. A file, and a pipe that is full, get nothing, and the bridge lives on."""
    with desktop() as place:
        portal = Portal(place)
        secret = portal.secret("org.example.Mail")
        near, far = socket.socketpair()
        assert portal.call("org.example.Mail", far.fileno()) == 0
        assert near.recv(100) == secret
        with open(f"{place.home}/file", "wb") as file:
            refused(lambda: portal.call("org.example.Mail", file.fileno()), "InvalidArgs")
        assert os.path.getsize(f"{place.home}/file") == 0
        reading, writing = os.pipe()
        filler = os.open(f"/proc/self/fd/{writing}", os.O_WRONLY | os.O_NONBLOCK)
        with open(filler, "wb", buffering=0) as full:
            while full.write(bytes(4096)) is not None:
                pass
        refused(lambda: portal.call("org.example.Mail", writing), "InvalidArgs")
        assert portal.secret("org.example.Mail") == secret
        for number in (reading, writing):
            os.close(number)


def test_nothing_is_made_where_something_would_be_lost():
    """An application that has passwords under another secret gets an error, and after an import that secret. What a
    program on the bus stores for it does not count."""
    with desktop() as place:
        portal = Portal(place)
        folder = pathlib.Path(place.home, ".var/app/org.example.Old/data/keyrings")
        folder.mkdir(parents=True)
        assert portal.secret("org.example.Old") == portal.secret("org.example.Old")
        names = ("org.example.Older", "org.example.Oldest")
        for name in names:
            folder = pathlib.Path(place.home, f".var/app/{name}/data/keyrings")
            folder.mkdir(parents=True)
            (folder / "default.keyring").touch()
            reading, writing = os.pipe()
            text = refused(lambda: portal.call(name, writing), "Error.Failed")  # noqa: B023
            assert "import" in text, text
            os.close(reading)
            os.close(writing)
        client = Client(place)
        _, session = client.session()
        for name, schema in zip((*names, "org.example.New"), ({"xdg:schema": SCHEMA}, {}, {}), strict=True):
            client.create(session, {"app_id": name} | schema, b"planted" * 9)
        for name in names:
            refused(lambda: portal.secret(name), "Error.Failed")  # noqa: B023
        assert b"planted" not in portal.secret("org.example.New")
        bring_keyring(place, {names[0]: ({"xdg:schema": SCHEMA}, OLDER), names[1]: ({}, OLDER[::-1])})
        assert [portal.secret(name) for name in names] == [OLDER, OLDER[::-1]]


# What another keyring's portal has given out.
OLDER = bytes(range(64))


def bring_keyring(place, applications, status=0):
    """Imports a keyring in which the portal of gnome-keyring 46 or 42 has kept the secrets of applications."""
    lines = ["[keyring]", "display-name=Portal", "ctime=0", "mtime=0", "lock-on-idle=false", "lock-after=false", ""]
    for number, (name, (more, secret)) in enumerate(applications.items()):
        lines += [f"[{number}]", "item-type=0", f"display-name=Key of {name}", f"binary-secret={secret.hex()}"]
        lines += ["mtime=1", "ctime=1", ""]
        for index, (key, value) in enumerate(({"app_id": name} | more).items()):
            lines += [f"[{number}:attribute{index}]", f"name={key}", "type=string", f"value={value}", ""]
    keyring = pathlib.Path(place.home, "portal.keyring")
    keyring.write_text("\n".join(lines))
    done = place.run("import-from", "keyring-file", str(keyring))
    assert done.returncode == status, done
    return done.stdout


def test_what_an_import_brings_to_the_portal():
    """A secret that the portal has otherwise stays and is named; the undo of an import takes its own along."""
    with desktop() as place:
        portal = Portal(place)
        own = portal.secret("org.example.Mail")
        keys = {name: ({}, OLDER) for name in ("org.example.Mail", "org.example.Chat")}
        text = bring_keyring(place, keys, status=1)
        assert "2 items were added" in text and "left out: “Key of org.example.Mail”" in text, text
        assert "Chat”" not in text, text
        assert portal.secret("org.example.Chat") == OLDER and portal.secret("org.example.Mail") == own
        assert place.run("import-from", "-u", "keyring-file").returncode == 0
        assert portal.secret("org.example.Chat") != OLDER and portal.secret("org.example.Mail") == own


def test_a_snap_with_passwords_gets_no_new_secret():
    """Its file may be in the home of a revision, or beside them; one without passwords gets a secret."""
    with desktop() as place:
        portal = Portal(place)
        for number, path in enumerate(("snap/{}/current", "snap/{}/x1", "snap/{}/common", ".snap/data/{}/7")):
            folder = pathlib.Path(place.home, path.format(f"old{number}"), ".local/share/keyrings")
            folder.mkdir(parents=True)
            (folder / "default.keyring").touch()
            pathlib.Path(place.home, path.format(f"new{number}"), ".local/share/keyrings").mkdir(parents=True)
            text = refused(lambda: portal.secret(f"snap.old{number}"), "Error.Failed")  # noqa: B023
            assert "import" in text and str(folder) in text, text
            assert portal.secret(f"snap.new{number}") == portal.secret(f"snap.new{number}")


def test_what_gnome_keyring_gave_out_stays():
    """The secret that gnome-keyring's own backend has made comes with an import, and the application gets it again."""
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        portal = Portal(place)
        older = portal.secret("org.example.Mail")
        assert older == portal.secret("org.example.Mail")
        # gnome-keyring offers an item of its backend over the bus from its next start on.
        for status, text in ((1, "0 items were added"), (0, "1 items were added")):
            done = place.run("import-from", "gnome-keyring")
            assert done.returncode == status and text in done.stdout, done
            place.end_keyring()
            place.start_keyring()
        moved(place)
        portal = Portal(place)
        assert portal.secret("org.example.Mail") == older == portal.secret("org.example.Mail")
        assert portal.secret("org.example.Chat") != older


def test_before_the_first_unlock():
    """There is an error, never another secret."""
    with desktop() as place:
        portal = Portal(place)
        secret = portal.secret("org.example.Mail")
        assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
        kill(list(place.stores_of_daemons()))
        reading, writing = os.pipe()
        for name in ("org.example.Mail", "org.example.New"):
            refused(lambda: portal.call(name, writing), "Error.IsLocked")  # noqa: B023
        os.close(reading)
        os.close(writing)
        eventually(lambda: place.run("unlock-keychain", "-p", "1234").returncode == 0)
        assert portal.secret("org.example.Mail") == secret


def test_its_description():
    """It says what backends of the portal have."""
    with desktop() as place:
        bus = place.connect()
        portal = bus.get_object(NAME, PATH, introspect=False)
        properties = dbus.Interface(portal, "org.freedesktop.DBus.Properties")
        assert properties.Get(INTERFACE, "version") == 1 == properties.GetAll(INTERFACE)["version"]
        text = dbus.Interface(portal, "org.freedesktop.DBus.Introspectable").Introspect()
        assert "RetrieveSecret" in text and ROOT not in text


# As scripts/deps has unpacked it; where it is installed, that one.
UNPACKED = os.path.abspath(".build/xdg-desktop-portal")
# An application asks for its secret, and prints it.
APPLICATION = """
import os, dbus
reading, writing = os.pipe()
portal = dbus.SessionBus().get_object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop",
                                      introspect=False)
options = dbus.Dictionary({}, signature="sv")
dbus.Interface(portal, "org.freedesktop.portal.Secret").RetrieveSecret(dbus.types.UnixFd(writing), options)
os.close(writing)
print(os.fdopen(reading, "rb").read().hex())
"""
SANDBOX = ["--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
LINKS = [name for name in ("lib", "lib64", "bin") if os.path.islink(f"/{name}")]


@contextlib.contextmanager
def real_portal(place):
    """xdg-desktop-portal as Debian has it, with this project's description of the backend."""
    program = next(
        path for path in ("/usr/libexec/xdg-desktop-portal", f"{UNPACKED}/usr/libexec/xdg-desktop-portal")
        if os.path.exists(path)
    )
    running = subprocess.Popen(
        [program],
        stderr=subprocess.DEVNULL,
        env=place.environment | {
            "XDG_DESKTOP_PORTAL_DIR": os.path.abspath("packaging/desktop"),
            "XDG_CURRENT_DESKTOP": "sway",
            "LD_LIBRARY_PATH": ":".join(glob.glob(f"{UNPACKED}/usr/lib/*")),
        },
    )
    try:
        bus = place.connect()
        eventually(lambda: bus.name_has_owner("org.freedesktop.portal.Desktop"))
        yield
    finally:
        running.terminate()
        running.wait()


def secret_of_flatpak(place, name):
    """The secret that an application gets that the portal takes for a Flatpak."""
    reading, writing = os.pipe()
    os.write(writing, f"[Application]\nname={name}\n[Instance]\ninstance-id=1\n".encode())
    os.close(writing)
    words = ["bwrap", *SANDBOX, *(word for link in LINKS for word in ("--symlink", f"usr/{link}", f"/{link}"))]
    words += ["--bind", place.folder, place.folder, "--ro-bind-data", str(reading), "/.flatpak-info"]
    try:
        return asked(place, words, pass_fds=[reading])
    finally:
        os.close(reading)


def asked(place, words=(), **options):
    done = subprocess.run(
        [*words, "/usr/bin/python3", "-c", APPLICATION],
        env=place.environment, capture_output=True, text=True, timeout=PATIENCE, **options,
    )
    assert done.returncode == 0 and len(done.stdout) == 129, done
    return done.stdout


def test_with_the_portal_of_debian():
    """Applications get their secrets through xdg-desktop-portal itself, each the same again, and others others."""
    with desktop() as place, real_portal(place):
        mail, chat = (secret_of_flatpak(place, f"org.example.{name}") for name in ("Mail", "Chat"))
        assert len({mail, chat, asked(place)}) == 3
        assert secret_of_flatpak(place, "org.example.Mail") == mail
        assert "org.freedesktop.impl.portal.Secret\tpass\torg.example.Chat" in place.run("list").stdout


if __name__ == "__main__":
    named = [globals()[name] for name in sys.argv[2:]]
    for test in named or of_this_turn([test for name, test in list(globals().items()) if name.startswith("test_")]):
        test()
        print(f"ok {test.__name__}")
