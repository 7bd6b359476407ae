"""Applications in sandboxes: each has secrets of its own on the desktop, and what no sandbox names gets an error.

A Flatpak is played by bubblewrap, with the file by which the bridge knows an application, and with Flatpak's copy of
it in the user's runtime folder.

usage: secret_sandbox_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import functools
import json
import os
import pathlib
import subprocess
import sys

import desktop_parts
from desktop_parts import ROOT, kill, kill_bridges
from parts import of_this_turn
from patience import PATIENCE, eventually

PROGRAMS = os.path.abspath(sys.argv[1])
SCRIPTS = os.path.dirname(os.path.abspath(__file__))
LOGIN = f"{ROOT}/collection/login"
MAIL, CHAT = "org.example.Mail", "org.example.Chat"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)
SANDBOX = ["--unshare-pid", "--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
LINKS = [name for name in ("lib", "lib64", "bin") if os.path.islink(f"/{name}")]

# A program on the bus that answers a line for each expression that it is given.
PROGRAM = """
import ctypes, json, os, sys
from types import SimpleNamespace
import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
from desktop_parts import NAME, ROOT, SECRET, Client, ask_bus, objects
client = Client(SimpleNamespace(connect=lambda: dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())))
heard, state = [], {}
def listen(_, message):
    if message.get_type() == dbus.lowlevel.MESSAGE_TYPE_SIGNAL and message.get_path().startswith(ROOT):
        heard.append([message.get_member(), message.get_path()])
client.bus.add_message_filter(listen)
client.bus.add_match_string(f"type='signal',sender='{NAME}'")
def session():
    state.setdefault("session", client.session()[1])
    return state["session"]
def store(value, collection=ROOT + "/aliases/default", **attributes):
    return client.create(session(), attributes, value.encode(), collection=collection)
def values(paths):
    found = client.service.GetSecrets(objects(*paths), session())
    return sorted(bytes(secret[2]).decode() for secret in found.values())
def find(**attributes):
    unlocked, locked = client.search(**attributes)
    return [values(unlocked), len(locked)]
def signals():
    ask_bus(client)
    while GLib.MainContext.default().iteration(False):
        pass
    return [heard.pop(0) for _ in range(len(heard))]
def serve_own_description():
    # The process has a namespace of its own, in which it serves the file system of its description, and never answers.
    libc = ctypes.CDLL(None, use_errno=True)
    def check(result):
        if result:
            raise OSError(ctypes.get_errno(), "a file system cannot be mounted")
    user, group = os.getuid(), os.getgid()
    check(libc.unshare(0x10020000))
    for name, text in (("uid_map", f"{user} {user} 1"), ("setgroups", "deny"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=100644,user_id={user},group_id={group}".encode()
    check(libc.mount(b"fuse", b"/.flatpak-info", b"fuse", 0, options))
    return device
for line in sys.stdin:
    try:
        answer = eval(line)
    except dbus.DBusException as error:
        answer = {"error": error.get_dbus_name().split(".")[-1]}
    print(json.dumps(answer), flush=True)
"""


class Program:
    """A program on the bus, in a sandbox or not."""

    def __init__(self, place, wrap=(), **options):
        self.process = subprocess.Popen(
            [*wrap, "/usr/bin/python3", "-B", "-c", PROGRAM, place.address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=place.environment | {"PYTHONPATH": SCRIPTS}, **options,
        )

    def __call__(self, expression):
        self.process.stdin.write(f"{expression}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)


@contextlib.contextmanager
def program(place, wrap=(), **options):
    running = Program(place, wrap, **options)
    try:
        yield running
    finally:
        running.end()


def info(name, instance):
    return f"[Application]\nname={name}\n[Instance]\ninstance-id={instance}\n"


def write_down(place, instance, words):
    """What Flatpak knows of an instance."""
    folder = pathlib.Path(place.environment["XDG_RUNTIME_DIR"], ".flatpak", instance)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "info").write_text(words)


@contextlib.contextmanager
def sandboxed(place, words, *more):
    """A program in a sandbox that describes itself by these words; without any where they are None."""
    wrap = ["bwrap", *SANDBOX, *(word for link in LINKS for word in ("--symlink", f"usr/{link}", f"/{link}"))]
    wrap += ["--ro-bind", SCRIPTS, SCRIPTS, "--bind", f"{place.folder}/bus", f"{place.folder}/bus", *more]
    if words is None:
        with program(place, wrap) as running:
            yield running
        return
    reading, writing = os.pipe()
    os.write(writing, words.encode())
    os.close(writing)
    wrap += ["--ro-bind-data", str(reading), "/.flatpak-info"]
    try:
        with program(place, wrap, pass_fds=[reading]) as running:
            yield running
    finally:
        os.close(reading)


@contextlib.contextmanager
def application(place, name, instance):
    """An application as Flatpak starts it."""
    write_down(place, instance, info(name, instance))
    with sandboxed(place, info(name, instance)) as running:
        yield running


@contextlib.contextmanager
def three(place):
    """Two applications, and a program outside."""
    with application(place, MAIL, "1") as mail, application(place, CHAT, "2") as chat, program(place) as outside:
        yield mail, chat, outside


def test_each_sees_its_own():
    """Two applications and the programs outside store the same attributes, and each finds its own alone."""
    with desktop() as place, three(place) as all:
        paths = [one(f"store('{value}', app='demo')") for one, value in zip(all, ("mail", "chat", "outside"))]
        for one, value, own in zip(all, ("mail", "chat", "outside"), paths):
            assert one("find(app='demo')") == one("find()") == [[value], 0], value
            assert one("client.get(ROOT + '/collection/login', 'Collection', 'Items')") == [own]
            assert one("client.service.Unlock(objects(ROOT + '/collection/login'))") == [[LOGIN], "/"]
        assert place.tool("lookup", "app", "demo") == (0, "outside", "")
        # A second instance is the same application.
        with application(place, MAIL, "3") as second:
            assert second("find(app='demo')") == [["mail"], 0]
        groups = place.run("dump-keychain", "-a").stdout
        for name in (MAIL, CHAT):
            assert f"secret-service:flatpak:{name}" in groups, groups


def test_paths_of_others_lead_nowhere():
    """With the path of another owner's item nothing is read, changed, deleted, locked or asked for."""
    with desktop() as place, three(place) as all:
        paths = [one(f"store('{value}', app='demo')") for one, value in zip(all, ("mail", "chat", "outside"))]
        gone = {"error": "UnknownMethod"}
        for one, own in zip(all, paths):
            for path in paths:
                if path == own:
                    continue
                assert one(f"client.get('{path}', 'Item', 'Label')") == gone
                assert one(f"client.interface('{path}', 'Item').GetSecret(session())") == gone
                assert one(f"values(['{path}'])") == []
                assert one(f"client.interface('{path}', 'Item').Delete()") == gone
                change = f"client.properties('{path}').Set(SECRET + 'Item', 'Label', dbus.String('x', variant_level=1))"
                assert one(change) == gone
                secret = "dbus.Struct((session(), dbus.ByteArray(b''), dbus.ByteArray(b'x'), 'text/plain'))"
                assert one(f"client.interface('{path}', 'Item').SetSecret({secret})") == gone
        # Neither does the path of a session.
        session = all[2]("[client.session()[1] for _ in range(3)][-1]")
        assert all[0](f"client.service.GetSecrets(objects(), dbus.ObjectPath('{session}'))") == {"error": "NoSession"}
        assert all[0](f"client.interface('{session}', 'Session').Close()") == {"error": "NoSession"}
        assert [one("find(app='demo')") for one in all] == [[[value], 0] for value in ("mail", "chat", "outside")]


def test_collections_and_aliases():
    """A collection and an alias of one are nothing to others, and a collection that goes takes nothing along."""
    with desktop() as place, three(place) as (mail, chat, outside):
        label = "{SECRET + 'Collection.Label': dbus.String('Own', variant_level=1)}"
        own, _ = mail(f"client.service.CreateCollection({label}, 'own')")
        assert mail(f"client.service.SetAlias('default', dbus.ObjectPath('{own}'))") is None
        stored = mail("store('mail', app='demo')")
        assert stored.startswith(own)
        for one in (chat, outside):
            assert one("client.service.ReadAlias('default')") == LOGIN
            assert one("client.service.ReadAlias('own')") == "/"
            assert one(f"client.get('{own}', 'Collection', 'Label')") == {"error": "UnknownMethod"}
            assert one(f"store('x', collection='{own}')") == {"error": "UnknownMethod"}
            assert one("len(client.get(ROOT, 'Service', 'Collections'))") == 2
            assert one("store('other', app='demo')").startswith(LOGIN)
        assert mail("client.service.ReadAlias('default')") == own
        # The collection in memory is one of each owner's, as well.
        session = "ROOT + '/collection/session'"
        for one, value in ((mail, "m"), (chat, "c"), (outside, "o")):
            one(f"store('{value}', collection={session}, kept='in memory')")
        assert [one("find(kept='in memory')")[0] for one in (mail, chat, outside)] == [["m"], ["c"], ["o"]]
        assert mail(f"client.interface('{stored}', 'Item').Delete()") == "/"
        assert mail(f"client.interface('{own}', 'Collection').Delete()") == "/"
        assert mail("client.service.ReadAlias('default')") == LOGIN
        assert [one("find(app='demo')")[0] for one in (mail, chat, outside)] == [[], ["other"], ["other"]]


def test_everything_comes_back_to_its_owner():
    """Bridge and daemon are killed: secrets stay with their owners, and so do locks, until an unlock."""
    with desktop() as place:
        assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
        with three(place) as all:
            for one, value in zip(all, ("mail", "chat", "outside")):
                one(f"store('{value}', app='demo')")
            assert all[0](f"client.service.Lock(objects('{LOGIN}'))") == [[LOGIN], "/"]
            assert [one("find(app='demo')") for one in all] == [[[], 1], [["chat"], 0], [["outside"], 0]]
        kill_bridges(place)
        with three(place) as all:
            assert [one("find(app='demo')") for one in all] == [[[], 1], [["chat"], 0], [["outside"], 0]]
        assert place.run("unlock-keychain", "-p", "1234").returncode == 0
        kill_bridges(place)
        with three(place) as all:
            assert [one("find(app='demo')") for one in all] == [[["mail"], 0], [["chat"], 0], [["outside"], 0]]
        kill(list(place.stores_of_daemons()))
        # Before the first unlock each finds its own as locked.
        with three(place) as all:
            assert [one("find(app='demo')") for one in all] == [[[], 1]] * 3
            assert all[0]("find(app='none')") == [[], 0]
            eventually(lambda: place.run("unlock-keychain", "-p", "1234").returncode == 0)
            assert [one("find(app='demo')") for one in all] == [[["mail"], 0], [["chat"], 0], [["outside"], 0]]


def test_what_no_sandbox_names_is_refused():
    """A sandbox that says nothing, or something that Flatpak does not know, gets an error and stores nothing."""
    with desktop() as place, program(place) as outside:
        outside("store('outside', app='demo')")
        write_down(place, "1", info(MAIL, "1"))
        refused = {"error": "AccessDenied"}
        forged = (info(CHAT, "1"), info(MAIL, "2"), info(MAIL, "1") + "\n", info(MAIL, ".."), "", "nonsense", None)
        for words in forged:
            with sandboxed(place, words) as running:
                for call in ("find(app='demo')", "store('x')", "client.service.ReadAlias('default')"):
                    assert running(call) == refused, (words, call)
        with sandboxed(place, None, "--symlink", "/usr/share", "/.flatpak-info") as running:
            assert running("find(app='demo')") == refused
        with sandboxed(place, info(MAIL, "1")) as running:
            assert running("find(app='demo')") == [[], 0]
            # Flatpak forgets it.
            os.unlink(f"{place.environment['XDG_RUNTIME_DIR']}/.flatpak/1/info")
            assert running("find(app='demo')") == refused
        assert outside("find()") == [["outside"], 0]


def test_nobody_waits_for_a_sandbox():
    """An application whose description lies in a file system that it serves itself is refused, and holds up nobody."""
    with desktop() as place, program(place) as outside:
        words = pathlib.Path(place.folder, "info")
        words.write_text(info(MAIL, "1"))
        write_down(place, "1", info(MAIL, "1"))
        more = ["--dev-bind", "/dev/fuse", "/dev/fuse", "--ro-bind", str(words), "/.flatpak-info"]
        with sandboxed(place, None, *more) as running:
            assert running("find()") == [[], 0]
            assert running("serve_own_description() > 0")
            answer = running("find()")
            assert answer == {"error": "AccessDenied"}, answer
            outside("store('outside', app='demo')")
            assert outside("find()") == [["outside"], 0]


def test_changes_are_heard_by_their_owner():
    """Signals of an application go to it alone, and those of programs outside to none that has called."""
    with desktop() as place, three(place) as all:
        for one in all:
            one("find()")
            one("signals()")
        for speaker in all:
            path = speaker("store('value', app='demo')")
            heard = [one("signals()") for one in all]
            for one, signals in zip(all, heard):
                assert (["ItemCreated", LOGIN] in signals) == (one is speaker), (path, heard)
                assert one is speaker or signals == [], (path, heard)


def test_the_portal_is_for_programs_outside():
    """An application that takes the portal's name gets no master secret of another one."""
    with desktop() as place, application(place, MAIL, "1") as mail:
        assert mail("client.bus.request_name('org.freedesktop.portal.Desktop')") == 1
        backend = "dbus.Interface(client.bus.get_object(NAME, '/org/freedesktop/portal/desktop', introspect=False), "
        backend += "'org.freedesktop.impl.portal.Secret')"
        call = f"{backend}.RetrieveSecret(dbus.ObjectPath('/x'), '{CHAT}', dbus.types.UnixFd(1), "
        call += "dbus.Dictionary({}, signature='sv'))"
        assert mail(call) == {"error": "AccessDenied"}


if __name__ == "__main__":
    named = [globals()[name] for name in sys.argv[2:]]
    for test in named or of_this_turn([test for name, test in list(globals().items()) if name.startswith("test_")]):
        test()
        print(f"ok {test.__name__}")
