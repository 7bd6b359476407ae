"""A program that tries to use up the Secret Service is refused, and the others are served as before.

usage: secret_limits_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import functools
import os
import subprocess
import sys

import dbus
import dbus.lowlevel
import desktop_parts
from desktop_parts import (
    NAME,
    ROOT,
    SECRET,
    Client,
    answered,
    ask_bus,
    bridges,
    objects,
    other,
    refused,
    stopped_bridge,
)
from gi.repository import GLib
from parts import of_this_turn
from patience import PATIENCE, eventually

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)

def send(client, path, interface, member, signature="", *arguments):
    """Sends a call that has no answer: the bus itself counts those that have one."""
    message = dbus.lowlevel.MethodCallMessage(NAME, path, interface, member)
    message.append(signature=signature, *arguments)
    message.set_no_reply(True)
    client.bus.send_message(message)


def test_others_have_their_turn():
    """Thousands of calls of one process, sent before, do not come before the one call of another."""
    with desktop() as place:
        flooder, second = Client(place), Client(place)
        _, session = second.session()
        flooder.session()
        with stopped_bridge(place):
            for _ in range(3000):
                send(flooder, LOGIN, "org.freedesktop.DBus.Properties", "GetAll", "s", SECRET + "Collection")
            # Every call of the process, whatever its connection, comes after those.
            ask_bus(flooder)
            secret = dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(b"v"), "t"), signature="oayays")
            attributes = dbus.Dictionary({"flood": "over"}, signature="ss", variant_level=1)
            properties = dbus.Dictionary({SECRET + "Item.Attributes": attributes}, signature="sv")
            send(second, LOGIN, SECRET + "Collection", "CreateItem", "a{sv}(oayays)b", properties, secret, False)
            ask_bus(second)
        with other(place, "print(len(client.search(flood='over')[0]))") as honest:
            assert honest.communicate(timeout=PATIENCE)[0] == "0\n"
        flooder.close()


def test_sessions_and_prompts_of_a_process():
    """However many connections a process has, it ends its own sessions, and has sixteen prompts."""
    with desktop() as place:
        place.store("L", "app", "demo")
        assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
        program = """
_, session = client.session()
path = client.search(app='demo')[0][0]
print('ready', flush=True)
sys.stdin.readline()
print(bytes(client.interface(path, 'Item').GetSecret(session)[2]).decode(), flush=True)
sys.stdin.readline()
print(client.service.Unlock(dbus.Array(['/org/freedesktop/secrets/collection/login'], signature='o'))[1] != '/')
"""
        with other(place, program) as honest:
            assert honest.stdout.readline() == "ready\n"
            attackers = [Client(place) for _ in range(20)]
            _, first = attackers[0].session()
            for attacker in attackers[1:]:
                for _ in range(250):
                    plain = ("plain", dbus.String("", variant_level=1))
                    send(attacker, ROOT, SECRET + "Service", "OpenSession", "sv", *plain)
                attacker.session()
            (path,), _ = attackers[0].search(app="demo")
            # Of 4,770, some have ended.
            counts = [open_sessions(attacker) for attacker in attackers]
            assert sum(counts) == 4096, counts
            honest.stdin.write("\n")
            honest.stdin.flush()
            assert honest.stdout.readline() == "geheim\n"
            assert bytes(attackers[0].interface(path, "Item").GetSecret(first)[2]) == b"geheim"
            attackers[0].service.Lock(objects(LOGIN))
            for attacker in attackers[:16]:
                assert attacker.service.Unlock(objects(LOGIN))[1] != "/"
            text = refused(lambda: attackers[16].service.Unlock(objects(LOGIN)), "LimitsExceeded")
            assert "16 prompts" in text, text
            assert honest.communicate("\n", timeout=PATIENCE)[0] == "True\n"


def open_sessions(client):
    """As introspection lists them."""
    path = f"{ROOT}/session"
    text = client.bus.call_blocking(NAME, path, "org.freedesktop.DBus.Introspectable", "Introspect", "", ())
    return text.count("<node name=")


# Calls with descriptors that their content does not name. D-Bus has no such calls in its libraries.
DESCRIPTORS = """
import array, os, re, socket, struct, sys

def field(code, kind, content):
    return struct.pack("BB", code, 1) + kind + b"\\0" + content

def text(words):
    return struct.pack("<I", len(words)) + words + b"\\0"

def padded(content):
    return content + bytes(-len(content) % 8)

def call(path, interface, member, name, files=0, signature=b"", body=b""):
    parts = [field(1, b"o", text(path)), field(2, b"s", text(interface)), field(3, b"s", text(member))]
    parts += [field(6, b"s", text(name))]
    parts += [struct.pack("BB", 8, 1) + b"g\\0" + bytes([len(signature)]) + signature + b"\\0"] if signature else []
    parts += [field(9, b"u", struct.pack("<I", files))] if files else []
    fields = b"".join(map(padded, parts[:-1])) + parts[-1]
    flags = 1 if files else 0
    head = struct.pack("<BBBBIII", ord("l"), 1, flags, 1, len(body), 1, len(fields))
    return padded(head + fields) + body

bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])
bus.sendall(b"\\0AUTH EXTERNAL " + sys.argv[2].encode().hex().encode() + b"\\r\\n")
assert b"OK" in bus.recv(1000)
bus.sendall(b"NEGOTIATE_UNIX_FD\\r\\n")
assert b"AGREE" in bus.recv(1000)
bus.sendall(b"BEGIN\\r\\n" + call(b"/org/freedesktop/DBus", b"org.freedesktop.DBus", b"Hello", b"org.freedesktop.DBus"))
assert bus.recv(1)
null = os.open("/dev/null", os.O_RDONLY)
files = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 16))]
message = call(b"/org/freedesktop/secrets", b"org.freedesktop.Secret.Service", b"SearchItems",
               b"org.freedesktop.secrets", 16, b"a{ss}", bytes(8))
for _ in range(int(sys.argv[3])):
    sent = bus.sendmsg([message], files)
    bus.sendall(message[sent:])
bus.sendall(call(b"/org/freedesktop/DBus", b"org.freedesktop.DBus", b"GetId", b"org.freedesktop.DBus"))
# The bus has passed on all of them when it names itself.
answers = b""
while not re.search(b"[0-9a-f]{32}", answers):
    answers += bus.recv(1 << 16)
print("sent", flush=True)
sys.stdin.readline()
"""


@contextlib.contextmanager
def sending_descriptors(place, calls, *wrap):
    """A program that has sent so many calls with sixteen descriptors each, and stays on the bus."""
    words = ["/usr/bin/python3", "-B", "-c", DESCRIPTORS, place.address.partition("=")[2], str(os.getuid()), str(calls)]
    program = subprocess.Popen([*wrap, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with program:
        assert program.stdout.readline() == "sent\n"
        yield
        program.stdin.close()


def descriptors(number):
    return len(os.listdir(f"/proc/{number}/fd"))


def test_descriptors_that_nobody_asked_for():
    """Calls that wait hold no descriptors, whichever program has sent them, also while the bridge is started."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        client.create(session, {"of": "session"}, collection=f"{ROOT}/collection/session")
        (running,) = bridges(place)
        before = descriptors(running)
        for wrap in ((), ("unshare", "-Urm")):
            with sending_descriptors(place, 3000, *wrap):
                assert len(client.search(of="session")[0]) == 1
                assert descriptors(running) < before + 100, descriptors(running)
        assert bridges(place) == [running]
        desktop_parts.kill_bridges(place)
        with sending_descriptors(place, 3000):
            assert [list(found) for found in Client(place).search(of="session")] == [[], []]
            (running,) = bridges(place)
            assert descriptors(running) < before + 100, descriptors(running)


def test_calls_that_the_library_answers():
    """One process that never stops pinging stops nobody: so many are answered before the call of another."""
    with desktop() as place:
        client = Client(place)
        client.session()
        with other(place, PINGS) as pinging:
            name = pinging.stdout.readline().strip()
            with answered(place) as seen:
                with stopped_bridge(place):
                    send_search(client)
                    ask_bus(client)
                    pinging.stdin.write("\n")
                    pinging.stdin.flush()
                    assert pinging.stdout.readline() == "sent\n"
                eventually(lambda: iterated() or len(seen) == 8_001)
                # Its few steps come after a thousand messages each.
                assert seen.index(client.bus.get_unique_name()) < 6_000, seen.index(client.bus.get_unique_name())
                assert seen.count(name) == 8_000
            pinging.communicate("\n", timeout=PATIENCE)


PINGS = """
import dbus.lowlevel
from desktop_parts import NAME, ROOT, ask_bus
print(client.bus.get_unique_name(), flush=True)
sys.stdin.readline()
for _ in range(8_000):
    message = dbus.lowlevel.MethodCallMessage(NAME, ROOT, "org.freedesktop.DBus.Peer", "Ping")
    client.bus.send_message(message)
ask_bus(client)
print("sent", flush=True)
sys.stdin.readline()
"""


def send_search(client):
    message = dbus.lowlevel.MethodCallMessage(NAME, ROOT, SECRET + "Service", "SearchItems")
    message.append(dbus.Dictionary({"n": "1"}, signature="ss"), signature="a{ss}")
    client.bus.send_message(message)


def iterated():
    while GLib.MainContext.default().iteration(False):
        pass


def test_calls_that_are_too_large():
    """They are refused before anything is made of them, and the bridge lives on."""
    with desktop() as place:
        client = Client(place)
        client.session()
        running = bridges(place)
        refused(lambda: client.search(a="x" * (17 << 20)), "LimitsExceeded")
        refused(lambda: client.service.Unlock(objects(*["/a"] * 600_000)), "LimitsExceeded")
        assert [list(found) for found in client.search(**{f"a{number}": "" for number in range(64)})] == [[], []]
        many = {f"a{number}": "" for number in range(65)}
        refused(lambda: client.search(**many), "LimitsExceeded")
        refused(lambda: client.interface(LOGIN, "Collection").SearchItems(many), "LimitsExceeded")
        properties = {f"a{number}": True for number in range(99)}
        refused(lambda: client.service.CreateCollection(properties, ""), "InvalidArgs")
        assert [list(found) for found in client.search(a="x")] == [[], []]
        assert bridges(place) == running


def test_memory_of_the_session_collection():
    """A process has half of it, and another one adds on."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        place_of_session = f"{ROOT}/collection/session"
        for number in range(32):
            client.create(session, {"n": f"{number}"}, bytes(1 << 20), collection=place_of_session)
        refused(lambda: client.create(session, {"n": "32"}, collection=place_of_session), "LimitsExceeded")
        program = f"client.create(client.session()[1], {{'n': 'other'}}, collection={place_of_session!r})"
        with other(place, program) as honest:
            assert honest.wait(PATIENCE) == 0
        assert len(client.search(n="other")[0]) == 1


def test_collections():
    """There are so many that one search reads all their names."""
    with desktop() as place:
        client = Client(place)
        made = []
        properties = {SECRET + "Collection.Label": dbus.String("many", variant_level=1)}

        def create():
            made.append(client.service.CreateCollection(properties, "")[0])

        def create_until_refused():
            for _ in range(140):
                create()

        refused(create_until_refused, "LimitsExceeded")
        # `login` and `session` are among them.
        assert len(made) == 126, len(made)
        assert client.interface(made[0], "Collection").Delete() == "/"
        create()


if __name__ == "__main__":
    named = [globals()[name] for name in sys.argv[2:]]
    for test in named or of_this_turn([test for name, test in list(globals().items()) if name.startswith("test_")]):
        test()
        print(f"ok {test.__name__}")
