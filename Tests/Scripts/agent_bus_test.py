"""Asks for fingers and watches a session through keychain-agent itself, on a system bus of the test's own.

usage: agent_bus_test.py KEYCHAIN-AGENT [NAME-OF-CASE ...]
"""

import contextlib
import os
import tempfile

from agent_parts import PROGRAM, Agent, Person, expect, fake_pinentry, run
from bus_parts import Bus, Reader
from patience import eventually

NOTHING, NONE_ENROLLED, READY = 0, 1, 2


def finger_on_terminal(agent, reader):
    with Person() as person:

        def begin(**parts):
            number = agent.begin("finger", person.path, **parts)
            person.wait_for("Touch the fingerprint sensor.")
            person.wait_for("Ctrl-C: Cancel.")
            return number

        for finger, wanted in [("thumb", "<matched>"), ("stranger", "<no match>")]:
            number = begin()
            reader.put(f"SCAN {finger}")
            expect(agent.outcome(number) == wanted, f"{finger} is not {wanted}")
        number = begin(failures=1, allows_fallback=True)
        for retry, shown in [
            (0, "Touch the sensor again."),
            (1, "Too short. Touch or swipe again."),
            (2, "Move the finger to the middle of the sensor."),
            (3, "Lift the finger and touch again."),
        ]:
            reader.put(f"RETRY {retry}")
            person.wait_for(shown)
        person.type("x")
        reader.put("SCAN thumb")
        expect(agent.outcome(number) == "<matched>", "a finger after touches that were not read")
        expect(person.echoes(), "the terminal is not as it was")
        for keys, wanted in [("\n", "<fallback>"), ("\x03", "<cancelled>"), ("\x1b", "<cancelled>")]:
            number = begin(allows_fallback=True)
            person.type(keys)
            expect(agent.outcome(number) == wanted, f"{keys!r} is not {wanted}")
        number = begin(allows_fallback=True, fallback="")
        person.type("\n\x03")
        expect(agent.outcome(number) == "<cancelled>", "there is an alternative although there is none")
        number = begin()
        agent.withdraw()
        expect(agent.outcome(number) == "<withdrawn>", "a finger is not withdrawn")
        # Longer than fprintd takes to begin; nobody comes, however long it is.
        expect(agent.ask("finger", person.path, seconds=5) == "<timed out>", "a finger is waited for too long")


def finger_in_window(reader, environment):
    for confirm, wanted in [
        ("echo OK", "<fallback>"),
        ("echo ERR 83886179 x", "<cancelled>"),
        ("exit", "<unreachable>"),
    ]:
        with fake_pinentry(confirm=confirm) as (path, log), Agent(PROGRAM, "--pinentry", path, **environment) as agent:
            outcome = agent.ask("finger", DISPLAY=":9", allows_fallback=True)
            expect(outcome == wanted, f"{confirm}: {outcome}")
            expect("SETOK Enter Passcode" in log.read_text(), "there is no button for the alternative")
    with fake_pinentry(confirm="echo OK") as (path, log), Agent(PROGRAM, "--pinentry", path, **environment) as agent:
        expect(agent.ask("finger", DISPLAY=":9") == "<cancelled>", "one button means to cancel")
        expect("CONFIRM --one-button" in log.read_text(), "there is a button too many")
    with fake_pinentry(confirm="sleep 1000") as (path, log), Agent(PROGRAM, "--pinentry", path, **environment) as agent:
        number = agent.begin("finger", DISPLAY=":9", allows_fallback=True)
        eventually(lambda: "CONFIRM" in log.read_text(), "no dialog is shown")
        reader.put("RETRY 1")
        eventually(lambda: log.read_text().count("CONFIRM") == 2, "no second dialog is shown")
        expect("SETERROR Too short. Touch or swipe again." in log.read_text(), "the dialog does not say what is wrong")
        reader.put("SCAN thumb")
        expect(agent.outcome(number) == "<matched>", "a finger while a dialog is open")
        eventually(lambda: not agent.children(), "the dialog stays open")


def fingers():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        bus = Bus(folder, stack)
        environment = {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
        with Agent(PROGRAM, "--pinentry", "none", "--alone", **environment) as agent:
            expect(agent.biometry() == (NOTHING, b""), "biometry without fprintd")
            expect(agent.report()["bus"], "the bus is not seen")
            reader = Reader(bus)
            expect(agent.report()["sensor"] == "Virtual device for debugging", agent.report()["sensor"])
            expect(agent.biometry() == (NONE_ENROLLED, b""), "biometry without a finger")
            reader.enrol("thumb", "right-thumb")
            state, first = agent.biometry()
            expect(state == READY and len(first) == 32, "biometry with a finger")
            expect(agent.biometry() == (READY, first), "an enrolment changes by itself")
            finger_on_terminal(agent, reader)
            finger_in_window(reader, environment)
            with Agent(
                PROGRAM, "--pinentry", "none", "--alone", **environment
            ) as other, Person() as one, Person() as two:
                number = agent.begin("finger", one.path)
                one.wait_for("Ctrl-C")
                expect(other.ask("finger", two.path) == "<unreachable>", "two wait for one reader")
                expect(agent.biometry() == (READY, first), "biometry while a finger is waited for")
                agent.withdraw()
                agent.answer(number)
            reader.enrol("index", "right-index-finger")
            second = agent.biometry()[1]
            expect(
                len(second) == 32 and second != first,
                "authentication.biometry.enrolment: a finger that comes does not change the enrolment",
            )
            reader.delete()
            expect(agent.biometry() == (NONE_ENROLLED, b""), "fingers that went are still there")


def several_sessions(agent, bus, mock):
    """Begins with c1 watched, ends with no session."""
    name, root = "org.freedesktop.login1", "/org/freedesktop/login1/session/"

    def change(which, **properties):
        bus.interface(name, root + which, "org.freedesktop.DBus.Mock").UpdateProperties(name + ".Session", properties)

    def begin(which, **properties):
        mock.AddSession(which, "seat0", os.getuid(), "user", True)
        change(which, **properties)
        mock.EmitSignal(name + ".Manager", "SessionNew", "so", [which, root + which])
        return bus.interface(name, root + which, name + ".Session")

    def end(which):
        mock.RemoveObject(root + which)
        mock.EmitSignal(name + ".Manager", "SessionRemoved", "so", [which, root + which])

    def watches(which):
        eventually(lambda: agent.report()["session"] == root + which, f"{which} is not watched")

    hidden = begin("d1", Type="x11", State="online")
    watches("d1")
    begin("d2", Type="wayland")
    watches("d2")
    begin("t1", Type="tty")
    begin("g1", Type="x11", Class="greeter")
    begin("x1", Type="x11", State="closing")
    begin("m1", Type="unspecified", Class="manager")
    end("t1")
    hidden.SetLockedHint(True)
    end("d2")
    expect(agent.next_event() == "locked", "the session that is watched next is locked, and that is not told")
    watches("d1")
    end("d1")
    watches("c1")
    # An end that counted as locked, unlocked or a logout would be told before this.
    bus.interface(name, root + "c1", name + ".Session").Unlock()
    expect(agent.next_event() == "unlocked", "the end of one of two sessions counts")
    # A session with programs that stay is closing until they end; a greeter comes when somebody leaves.
    change("c1", State="closing")
    begin("g2", Type="wayland", Class="greeter")
    expect(agent.next_event() == "ended", "the end of the last session, after a desktop's, does not count as a logout")
    expect(agent.report()["session"] == "", "a session without a person is watched")
    last = begin("t2", Type="tty")
    watches("t2")
    last.Lock()
    expect(agent.next_event() == "locked", "the lock of a later session is not news")
    end("t2")
    expect(agent.next_event() == "locked", "the end of the last session does not count as locked")
    mock_of_user = bus.interface(name, f"/org/freedesktop/login1/user/{os.getuid()}", "org.freedesktop.DBus.Mock")
    mock_of_user.UpdateProperties(name + ".User", {"Linger": True})
    begin("d3", Type="x11")
    watches("d3")
    end("d3")
    expect(agent.next_event() == "locked", "the logout of a user that lingers is told as one")
    mock_of_user.UpdateProperties(name + ".User", {"Linger": False})
    begin("d4", Type="x11")
    watches("d4")
    end("d4")
    expect(agent.next_event() == "ended", "the logout from a desktop is not told")
    end("c1")


def forge(bus, path, interface, member):
    """Sends a signal of another's to every client, each by its own name: the bus lets it through."""
    from dbus.lowlevel import SignalMessage

    for name in bus.connection.list_names():
        if name.startswith(":"):
            signal = SignalMessage(path, interface, member)
            signal.set_destination(name)
            bus.connection.send_message(signal)
    # They are on their way before this is answered.
    bus.connection.get_unix_user(bus.connection.get_unique_name())


def session():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        bus = Bus(folder, stack)
        bus.mock("logind", "org.freedesktop.login1")
        root, name = "/org/freedesktop/login1", "org.freedesktop.login1"
        mock = bus.interface(name, root, "org.freedesktop.DBus.Mock")
        manager = bus.interface(name, root, name + ".Manager")
        mock.AddSession("c0", "seat0", os.getuid() + 1, "other", True)
        mock.AddSession("c1", "seat0", os.getuid(), "user", True)
        own, other = (bus.interface(name, f"{root}/session/{which}", name + ".Session") for which in ("c1", "c0"))
        with Agent(PROGRAM, "--pinentry", "none", "--alone", DBUS_SYSTEM_BUS_ADDRESS=bus.address) as agent:
            eventually(lambda: agent.report()["session"] == f"{root}/session/c1", "the session is not found")
            held = eventually(lambda: manager.ListInhibitors(), "sleep is not held up")
            expect(list(held[0][:2]) == ["sleep", "Keychain"] and held[0][3] == "delay", f"what is held up: {held}")
            other.Lock()
            # Nobody but logind says that a session is unlocked.
            forge(bus, f"{root}/session/c1", name + ".Session", "Unlock")
            for change, wanted in [
                (own.Lock, "locked"),
                (own.Unlock, "unlocked"),
                (lambda: own.SetLockedHint(True), "locked"),
                (lambda: own.SetLockedHint(False), "unlocked"),
            ]:
                change()
                expect(agent.next_event() == wanted, f"the session is not {wanted}")
            own.Lock()
            own.SetLockedHint(True)
            expect(agent.next_event() == "locked", "a lock that is said twice")
            mock.EmitSignal(name + ".Manager", "PrepareForSleep", "b", [True])
            # Nothing lets the machine sleep before the enclave has taken the event.
            eventually(lambda: agent.socket.recv(1, 2) != b"", "no event at falling asleep")
            expect(len(manager.ListInhibitors()) == 1, "the machine may sleep before the keychain is locked")
            expect(agent.next_event() == "going to sleep", "sleep is not seen")
            eventually(lambda: not manager.ListInhibitors(), "the machine may not sleep")
            mock.EmitSignal(name + ".Manager", "PrepareForSleep", "b", [False])
            expect(agent.next_event() == "awake", "waking is not seen")
            eventually(lambda: manager.ListInhibitors(), "the next sleep is not held up")
            own.SetLockedHint(False)
            expect(agent.next_event() == "unlocked", "the session stays locked")
            mock.EmitSignal(name + ".Manager", "SessionRemoved", "so", ["c0", f"{root}/session/c0"])
            several_sessions(agent, bus, mock)
        mock.AddSession("c1", "seat0", os.getuid(), "user", True)
        own = bus.interface(name, f"{root}/session/c1", name + ".Session")
        own.SetLockedHint(True)
        environment = {"DBUS_SYSTEM_BUS_ADDRESS": bus.address, "XDG_SESSION_ID": "c1"}
        with Agent(PROGRAM, "--pinentry", "none", "--alone", **environment) as agent:
            expect(agent.next_event() == "locked", "a session that was locked before is not")


if __name__ == "__main__":
    run([fingers, session])
