"""Programs of the desktop wait for no long call: neither their own short ones, nor those of other programs.

usage: secret_turns_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import functools
import os
import signal
import sys

import dbus
import dbus.lowlevel
import desktop_parts
from dbus.mainloop.glib import DBusGMainLoop
from desktop_parts import NAME, ROOT, SECRET, Client, answered, ask_bus, bridges, other, stopped_bridge
from gi.repository import GLib
from patience import PATIENCE, eventually

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)


def in_order(place, *calls):
    """The calls' numbers in the order of their answers; all have reached the bridge before it looks at the first."""
    (bridge,) = bridges(place)
    # One connection keeps the order of answers.
    bus = dbus.bus.BusConnection(place.address, mainloop=DBusGMainLoop())
    answers, errors = [], []
    os.kill(bridge, signal.SIGSTOP)
    try:
        for number, (path, *call) in enumerate(calls):
            bus.call_async(NAME, path, *call, lambda *_, number=number: answers.append(number), errors.append)
        # The bus has taken all calls when it answers the last, which is its own.
        bus.name_has_owner(NAME)
    finally:
        os.kill(bridge, signal.SIGCONT)

    def all_answered():
        while GLib.MainContext.default().iteration(False):
            pass
        return len(answers) + len(errors) == len(calls)

    eventually(all_answered)
    bus.close()
    assert not errors, errors
    return answers


def test_nobody_waits_for_a_long_list():
    """A call for one property is answered before those that came earlier and list items."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        client.create(session, {"n": "1"})
        properties = "org.freedesktop.DBus.Properties"
        lists = (
            (LOGIN, properties, "Get", "ss", (SECRET + "Collection", "Items")),
            (LOGIN, properties, "GetAll", "s", (SECRET + "Collection",)),
            (ROOT, SECRET + "Service", "SearchItems", "a{ss}", (dbus.Dictionary(signature="ss"),)),
            (LOGIN, SECRET + "Collection", "SearchItems", "a{ss}", ({"n": "1"},)),
        )
        label = (LOGIN, properties, "Get", "ss", (SECRET + "Collection", "Label"))
        assert in_order(place, *lists, label)[0] == len(lists)


LONG = """
import dbus.lowlevel
from desktop_parts import NAME, ROOT, SECRET, ask_bus, objects
_, session = client.session()
print(client.bus.get_unique_name(), flush=True)
path = sys.stdin.readline().strip()
# Each path is looked at once, and most of these lead nowhere.
method, count = sys.stdin.readline().split()
many = objects(path, *(f"{path[:-5]}{number:05x}" for number in range(int(count))))
message = dbus.lowlevel.MethodCallMessage(NAME, ROOT, SECRET + "Service", method)
arguments, signature = ([many, session], "aoo") if method == "GetSecrets" else ([many], "ao")
message.append(*arguments, signature=signature)
call = client.bus.send_message_with_reply(message, lambda answer: None, require_main_loop=False)
ask_bus(client)
print("sent", flush=True)
sys.stdin.readline()
"""


def test_other_clients_are_served_during_a_long_call():
    """A call for very many objects is answered in steps: what another client has asked meanwhile is answered before."""
    for method, count in (("GetSecrets", 4_000), ("Lock", 60_000), ("Unlock", 60_000)):
        check_others_are_served(method, count)


def check_others_are_served(method, count):
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"n": "1"})
        with other(place, LONG) as long:
            name = long.stdout.readline().strip()
            with answered(place) as seen:
                with stopped_bridge(place):
                    print(f"{path}\n{method} {count}", file=long.stdin, flush=True)
                    assert long.stdout.readline() == "sent\n"
                    for _ in range(10):
                        search(client, "1")
                    ask_bus(client)

                def all_answered():
                    while GLib.MainContext.default().iteration(False):
                        pass
                    return len(seen) == 11

                eventually(all_answered)
                assert seen.index(name) == 10, (method, seen)
            long.communicate("\n", timeout=PATIENCE)


def search(client, number):
    """Sends a search and does not wait for its answer."""
    message = dbus.lowlevel.MethodCallMessage(NAME, ROOT, SECRET + "Service", "SearchItems")
    message.append(dbus.Dictionary({"n": number}, signature="ss"), signature="a{ss}")
    client.bus.send_message_with_reply(message, lambda answer: None, require_main_loop=False)


if __name__ == "__main__":
    desktop_parts.play(globals())
