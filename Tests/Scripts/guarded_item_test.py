"""Items that take user presence: a program, keychaind, keychain-enclaved, keychain-agent and somebody at a terminal.

usage: guarded_item_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import fcntl
import os
import pathlib
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios

from agent_parts import PROGRAM as PROGRAMS, Person, expect, fake_pinentry, run
from keychain_parts import ASKED
from patience import PATIENCE, eventually

PINENTRIES = {"pinentry-tty": "/usr/bin/pinentry-tty", "the terminal itself": "none"}
CANCELLED = "-128 state.user-canceled"
REFUSED = "-25308 "


class Keychain:
    """A keychain in a folder of its own, and the programs that use it."""

    def __init__(self, programs=PROGRAMS, passcode="1234", protection="ak", **settings):
        self.programs, self.protection = (programs, protection)
        self.folder = tempfile.TemporaryDirectory()
        self.home = f"{self.folder.name}/keychain"
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": self.folder.name,
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "KEYCHAIN_HOME": self.home,
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_MODE": "daemon",
            "KEYCHAIN_TIMEOUT": "60000",
            "KEYCHAIN_DAEMON": f"{programs}/keychaind",
            **ASKED,
            **settings,
        }
        if passcode:
            expect(self.start("security", "set-keychain-password", "-p", passcode).end() == "", "no passcode")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def stop(self):
        """Ends the daemon, if there is one."""
        with contextlib.suppress(OSError):
            daemon = self.daemon()
            os.kill(daemon, signal.SIGTERM)
            eventually(lambda: not alive(daemon), "the daemon does not end")

    def start(self, program, *words, person=None, **settings):
        return Client([f"{self.programs}/{program}", *words], self.environment | settings, person)

    def add(self, **parts):
        return self.start("guarded-item", "add", "a service", self.protection, **parts).end()

    def read(self, person=None, **settings):
        return self.start("guarded-item", "read", "a service", person=person, **settings)

    def daemon(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"{self.home}/keychaind.sock")
            return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]

    def agent(self):
        return child(child(self.daemon(), "keychain-encl"), "keychain-agent")


class Client:
    """A program, at a person's terminal or at none."""

    def __init__(self, words, environment, person):
        self.process = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=person and (lambda: fcntl.ioctl(person.device, termios.TIOCSCTTY, 0)),
        )

    def end(self):
        """What it has written when it has ended."""
        try:
            return self.process.communicate(timeout=PATIENCE)[0].rstrip("\n")
        finally:
            self.process.kill()
            self.process.wait()

    def is_refused(self, rule):
        """It says so by itself: the time in which a user may answer ends with another rule."""
        expect(self.end() == REFUSED + rule, f"not refused with {rule}")


def alive(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def children(process):
    tasks = pathlib.Path(f"/proc/{process}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def child(process, name):
    found = [child for child in children(process) if name in pathlib.Path(f"/proc/{child}/comm").read_text()]
    expect(len(found) == 1, f"{len(found)} processes {name} below {process}")
    return found[0]


def added(keychain):
    outcome = keychain.add()
    expect(outcome == "", f"adding takes nobody, and gives {outcome!r}")


def was_asked(person):
    """Whether the terminal has shown a question; what is typed afterwards is echoed behind it."""
    person.type("this is all\n")
    return "asscode" in person.wait_for("this is all")


def answer(client, person, *typed):
    """What the client says after the person has typed an answer to each question."""
    for keys in typed:
        person.wait_for("guarded-item")
        person.wait_for("asscode:")
        person.type(keys)
    return client.end()


# Asking


def at_the_terminal():
    for name, pinentry in PINENTRIES.items():
        with Keychain(KEYCHAIN_PINENTRY=pinentry) as keychain, Person() as person:
            added(keychain)
            expect(answer(keychain.read(person), person, "1234\n") == "guarded value", f"{name}: the passcode opens")
            outcome = answer(keychain.read(person), person, "4321\n", "1234\n")
            expect(outcome == "guarded value", f"{name}: the second try opens, and not {outcome!r}")
            cancel = "\x04" if name == "pinentry-tty" else "\x03"
            outcome = answer(keychain.read(person), person, cancel)
            expect(outcome == CANCELLED, f"{name}: cancelling gives {outcome!r}")
            expect(person.echoes(), f"{name}: the terminal is not as it was")


def where_nobody_may_be_asked():
    with fake_pinentry() as (pinentry, log), Keychain(KEYCHAIN_PINENTRY=pinentry) as keychain, Person() as person:
        added(keychain)
        keychain.read(person, KEYCHAIN_INTERACTION="never").is_refused("state.needs-user")
        keychain.read().is_refused("state.user-unreachable")
        keychain.read(DISPLAY=":nowhere", KEYCHAIN_INTERACTION="tty").is_refused("state.user-unreachable")
        # Another program sees that it is there, and prompts for nothing.
        listed = keychain.start("security", "dump-keychain", person=person).end()
        expect('"svce"<blob>="a service"' in listed, f"the item is not listed: {listed}")
        expect("guarded value" not in listed, "another program sees the value")
        found = keychain.start("security", "find-generic-password", "-s", "a service", "-w", person=person).end()
        expect("could not be found" in found, f"another program finds it: {found}")
        expect(not was_asked(person), "somebody is asked for another program's item")
        # It writes down its environment when it starts, and every word that it is told.
        expect(not os.path.exists(f"{log}.environment") and not log.read_text(), "a pinentry is started")


def a_client_that_goes():
    for pinentry in PINENTRIES.values():
        with Keychain(KEYCHAIN_PINENTRY=pinentry) as keychain, Person() as person:
            added(keychain)
            client = keychain.read(person)
            person.wait_for("asscode:")
            agent = keychain.agent()
            expect(len(children(agent)) == (0 if pinentry == "none" else 1), "who asks?")
            client.process.kill()
            client.end()
            eventually(lambda: not children(agent), "a pinentry outlives the program that wanted it")
            eventually(person.echoes, "the terminal is not as it was")
            # The next one is asked, and not in the place of the one that went.
            expect(answer(keychain.read(person), person, "1234\n") == "guarded value", "the next one is not served")


# Other ways to have a keychain


def without_a_daemon():
    """Every program begins locked then, so the item's class is one that a lock does not close."""
    with Keychain(KEYCHAIN_PINENTRY="none", protection="dk") as keychain, Person() as person:
        keychain.stop()
        keychain.environment["KEYCHAIN_MODE"] = "embedded"
        added(keychain)
        expect(answer(keychain.read(person), person, "4321\n", "1234\n") == "guarded value", "the passcode opens")
        expect(answer(keychain.read(person), person, "\x03") == CANCELLED, "cancelling cancels")
        keychain.read().is_refused("state.user-unreachable")
        with Person() as undisturbed:
            keychain.read(undisturbed, KEYCHAIN_INTERACTION="never").is_refused("state.needs-user")
            expect(not was_asked(undisturbed), "somebody is asked who may not be")
        client = keychain.read(person)
        person.wait_for("asscode:")
        agent = child(client.process.pid, "keychain-agent")
        client.process.kill()
        client.end()
        eventually(lambda: not alive(agent) and person.echoes(), "the agent outlives its program")


@contextlib.contextmanager
def machine():
    """A folder of programs whose agent finds PAM services where the login's password is "right"."""
    with tempfile.TemporaryDirectory() as folder:
        module = next(
            path for library in ("/usr/lib", "/usr/lib64") for path in pathlib.Path(library).rglob("pam_matrix.so")
        )
        services = pathlib.Path(folder) / "services"
        services.mkdir()
        for name in ("keychain", "login", "other"):
            (services / name).write_text(f"auth required {module} passdb={folder}/passwords\n")
        user = pwd.getpwuid(os.getuid()).pw_name
        pathlib.Path(folder, "passwords").write_text(f"{user}:right:keychain\n{user}:right:login\n")
        for name in ("keychaind", "keychain-enclaved", "guarded-item"):
            shutil.copy(f"{PROGRAMS}/{name}", folder)
        agent = pathlib.Path(folder) / "keychain-agent"
        agent.write_text(
            f"#!/bin/sh\nexport LD_PRELOAD=libpam_wrapper.so PAM_WRAPPER=1 PAM_WRAPPER_SERVICE_DIR={services}\n"
            f'exec {PROGRAMS}/keychain-agent "$@"\n'
        )
        agent.chmod(0o755)
        yield folder


def the_password_of_the_login():
    for mode in ("daemon", "embedded"):
        parts = {"KEYCHAIN_MODE": mode, "KEYCHAIN_PINENTRY": "none", "passcode": ""}
        with machine() as programs, Person() as person:
            with Keychain(programs, **parts) as keychain:
                expect(keychain.add().startswith("-25293 "), f"{mode}: nothing is there to be shown, and it is added")
            with Keychain(programs, KEYCHAIN_LOGIN_PASSWORD="yes", **parts) as keychain:
                outcome = keychain.add()
                expect(outcome == "", f"{mode}: the login's password does not stand in: {outcome}")
                client = keychain.read(person)
                for typed in ("wrong\n", "right\n"):
                    person.wait_for("the password you log in with")
                    person.wait_for("Password: ")
                    person.type(typed)
                outcome = client.end()
                expect(outcome == "guarded value", f"{mode}: the login's password gives {outcome!r}")


if __name__ == "__main__":
    run([at_the_terminal, where_nobody_may_be_asked, a_client_that_goes, without_a_daemon, the_password_of_the_login])
