"""Clients of the bus that send answers and signals in the name of others, as a bus lets them by its stock
configuration: nobody gets in by that, nobody is put out, and no window opens elsewhere.

usage: secret_forgery_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import ctypes
import functools
import os
import subprocess
import sys
import threading

import desktop_parts
import desktop_user
from desktop_parts import NAME, ROOT, SECRET, Client, objects
from forger import DRIVER, DRIVER_PATH, Forger, GLib, call, forged_answers, gone
from patience import PATIENCE

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
ADDRESS = "DBUS_SESSION_BUS_ADDRESS"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)
search = functools.partial(call, NAME, ROOT, f"{SECRET}Service", "SearchItems")


@contextlib.contextmanager
def sandboxed(place, role):
    """A function of this file, run by a program in a sandbox: its output is a pipe, and its input ends it."""
    program = subprocess.Popen(
        ["/usr/bin/python3", "-B", os.path.abspath(__file__), PROGRAMS, f"as:{role.__name__}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=place.environment,
    )
    try:
        yield program
    finally:
        program.stdin.close()
        program.kill()
        program.wait()


def enter_sandbox():
    """The way of a user who is not root: a namespace of users, and in it one of mounts."""
    if ctypes.CDLL(None, use_errno=True).unshare(0x10020000):
        raise OSError(ctypes.get_errno(), "unshare")


def claims_to_be_the_bridge():
    """Answers the bridge's question who it is, with the bridge's own number. Prints what it gets for it."""
    bridge, process = Forger(os.environ[ADDRESS]).owner(NAME)
    wanted = GLib.Variant("(a{ss})", [{"app": "demo"}])
    claim = GLib.Variant("(a{sv})", [{"ProcessID": GLib.Variant("u", process)}])
    last = 0
    for _ in range(20):
        # The bridge asks about a connection that it has not seen.
        forger = Forger(os.environ[ADDRESS])
        serial = forger.send(search(values=wanted), *forged_answers(bridge, range(last + 1, last + 9), claim))
        answer = forger.answer(serial)
        last = answer.get_serial()
        print(answer.get_error_name(), flush=True)
        forger.close()


def answers_everything():
    """Refuses whatever the bridge asks the bus, before the bus answers."""
    forger = Forger(os.environ[ADDRESS])
    bridge, _ = forger.owner(NAME)
    last = forger.ask(NAME, ROOT, f"{SECRET}Service", "ReadAlias", values=GLib.Variant("(s)", ["x"])).get_serial()
    print("ready", flush=True)
    while True:
        forger.send(*forged_answers(bridge, range(last, last + 100)))


def test_a_claim_to_be_another_program():
    """A program in a sandbox is refused, whatever it answers for the bus."""
    with desktop() as place:
        place.store("L", "app", "demo")
        with sandboxed(place, claims_to_be_the_bridge) as program:
            answers = program.stdout.read().split()
        assert len(answers) == 20 and set(answers) == {f"{DRIVER}.Error.AccessDenied"}, answers


def test_a_flood_of_answers():
    """Programs outside sandboxes are served meanwhile."""
    with desktop() as place:
        place.store("L", "app", "demo")
        with sandboxed(place, answers_everything) as program:
            assert program.stdout.readline() == "ready\n"
            for _ in range(5):
                assert place.tool("lookup", "app", "demo") == (0, "geheim", "")


def test_a_departure_that_another_tells_of():
    """A client's session and prompts stay, for the bus has not said that it left."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        forger = Forger(place.address)
        bridge, _ = forger.owner(NAME)
        forger.send(gone(bridge, client.bus.get_unique_name()))
        forger.ask(NAME, ROOT, f"{SECRET}Service", "ReadAlias", values=GLib.Variant("(s)", ["x"]))
        client.create(session, {"app": "demo"})
        forger.close()


def manage(manager, other):
    """Answers for the service manager, and before that another program does."""
    with contextlib.suppress(AssertionError, OSError):
        while True:
            question = manager.next()
            if question.get_member() != "Get":
                continue
            for client, display in ((other, ":666"), (manager, ":88")):
                values = GLib.Variant("(v)", [GLib.Variant("as", [f"DISPLAY={display}"])])
                client.send(*forged_answers(question.get_sender(), [question.get_serial()], values))
                # What it has sent is on its way before the next one sends.
                client.ask(DRIVER, DRIVER_PATH, DRIVER, "GetId")


def test_a_display_of_another_program():
    """The window of a program without display opens where the service manager itself has the session."""
    with desktop_user.desktop(PROGRAMS) as (place, user):
        user.will("types")
        manager, other = Forger(place.address), Forger(place.address)
        name = GLib.Variant("(su)", ["org.freedesktop.systemd1", 0])
        manager.ask(DRIVER, DRIVER_PATH, DRIVER, "RequestName", values=name)
        answers = threading.Thread(target=manage, args=(manager, other))
        answers.start()
        Client(place).service.Lock(objects(LOGIN))
        words = ["setsid", "-w", "env", "-u", "DISPLAY", "secret-tool", "lookup", "app", "demo"]
        done = subprocess.run(words, capture_output=True, env=place.environment, timeout=PATIENCE)
        assert done.stdout == b"geheim", done
        assert user.variable("DISPLAY") == ":88", user.variable("DISPLAY")
        manager.end()
        answers.join()


if __name__ == "__main__":
    if sys.argv[2:] and sys.argv[2].startswith("as:"):
        enter_sandbox()
        globals()[sys.argv[2].removeprefix("as:")]()
        sys.exit()
    desktop_parts.play(globals())
