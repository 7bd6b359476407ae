"""Attacks of the user on a program that the kernel marks, by what he may set.

Environment, home, and the files in there.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess

from deployment import ANCHORED, VICTIM
from patience import eventually
from programs import NOTFOUND
from suite import FAILS, attack

SERVICE = "anchored"
SETTINGS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "Wire", "KeychainClient", "Setting.swift"
)


def anchored(d):
    return d.path("bin", "anchored")


def settings():
    """All settings there are, as (variable, key)."""
    return re.findall(r'variable: "(\w+)", key: "([\w-]+)"', open(SETTINGS).read())


def with_file(d, **lines):
    """A home whose configuration file says this."""
    home = d.path("home", "set")
    os.makedirs(f"{home}/.config/keychain", exist_ok=True)
    with open(f"{home}/.config/keychain/keychain.conf", "w") as file:
        file.writelines(f"{key.replace('_', '-')} = {value}\n" for key, value in lines.items())
    return {"HOME": home}


@contextlib.contextmanager
def in_account(d, **lines):
    """The configuration file in the home that /etc/passwd has for the user."""
    folder = d.path("home", ".config")
    os.makedirs(f"{folder}/keychain")
    try:
        with open(f"{folder}/keychain/keychain.conf", "w") as file:
            file.writelines(f"{key.replace('_', '-')} = {value}\n" for key, value in lines.items())
        yield
    finally:
        shutil.rmtree(folder)


def ways(d, variable, key, value):
    """The environments by which a program can be told a setting."""
    file = with_file(d, **{key: value})
    yield {variable: value}
    yield file
    yield {"XDG_CONFIG_HOME": file["HOME"] + "/.config"}
    # The home of the account, which no variable names.
    with in_account(d, **{key: value}):
        yield {"HOME": ""}


@attack("a setting of the user's changes what an anchored program does (each setting, by variable and file)", FAILS)
def every_setting(d):
    known = settings()
    if len(known) < 10:
        raise RuntimeError(f"the table of settings was not found: {known}")
    for variable, key in known:
        # What is no value of any setting is refused by whoever reads it.
        for environment in ways(d, variable, key, "../\tno value"):
            if not d.learns(*d.search(anchored(d), SERVICE), env=d.environment(**environment)):
                d.said = f"{variable}, {sorted(environment)}: {d.said}"
                return True
    return False


@attack("folders of the user's change where an anchored program looks (HOME, XDG folders)", FAILS)
def every_folder(d):
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_DIRS", "XDG_STATE_HOME"):
        # A file in the place of the folder: whoever looks in there says so.
        for value in (d.path("bin", "anchored"), d.path("home", "set"), ""):
            if not d.learns(*d.search(anchored(d), SERVICE), env=d.environment(**{name: value})):
                return True
    return False


def recorder(d):
    """A socket of the attacker's that takes what is sent there."""
    path = d.path("home", "recorder")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o666)
    listener.listen()
    # A program that has ended has connected before.
    listener.setblocking(False)
    return listener, path


@attack("an anchored program hands what it stores to a socket of the attacker's", FAILS)
def stores_elsewhere(d):
    words = [anchored(d), "add-generic-password", "-s", "new", "-a", "a", "-w", d.secret]
    for variable, key in [("KEYCHAIN_SOCKET", "socket")]:
        listener, path = recorder(d)
        try:
            for environment in ways(d, variable, key, path):
                done = d.run(*words, env=d.environment(**environment, KEYCHAIN_TIMEOUT="2000"))
                d.said = done.stderr
                try:
                    connection, _ = listener.accept()
                except BlockingIOError:
                    continue
                with connection:
                    return d.secret.encode() in connection.recv(65536)
        finally:
            listener.close()
            os.unlink(path)
    return False


@attack("an anchored program keeps its items in a folder of the attacker's", FAILS)
def keeps_elsewhere(d):
    folder = d.path("home", "keychain")
    environment = with_file(d, home=folder, mode="embedded")
    for more in (
        environment,
        {"KEYCHAIN_HOME": folder, "KEYCHAIN_MODE": "daemon", "KEYCHAIN_DAEMON": d.path("libexec", "keychaind")},
    ):
        done = d.run(
            anchored(d),
            "add-generic-password",
            "-U",
            "-s",
            "new",
            "-a",
            "a",
            "-w",
            d.secret,
            env={"PATH": "/usr/bin:/bin", "HOME": d.path("home"), "KEYCHAIN_INTERACTION": "never", **more},
        )
        d.said = done.stderr
        if os.path.exists(folder):
            return True
    return False


@attack("certificates of the attacker's are believed in an anchored program", FAILS)
def believes_others(d):
    lister, file = d.install("lister", f"{d.products}/anchor-lister", group=ANCHORED, mode=0o2755), d.path(
        "home", "mine.pem"
    )
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=attacker",
            "-keyout",
            "/dev/null",
            "-out",
            file,
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    os.chmod(file, 0o644)
    usual = d.run(lister).stdout
    if int(usual) < 2:
        raise RuntimeError(f"this machine has no certificates: {usual}")
    for environment in ways(d, "KEYCHAIN_ANCHORS", "anchors", file):
        done = d.run(lister, env=d.environment(**environment))
        d.said = done.stdout + done.stderr
        if done.stdout != usual:
            return True
    return False


def stepping_stone(d):
    """A program of the attacker's that an anchored program would start as its daemon."""
    report, program = d.path("home", "report"), d.path("mine", "evil")
    with open(program, "w") as file:
        file.write(
            f"#!/usr/bin/python3\nimport sys\nsys.path.insert(0, {d.path('bin')!r})\nimport intruder\n"
            f"intruder.stepping_stone({d.socket!r}, {d.path('bin', 'anchored-frame')!r}, {anchored(d)!r}, {report!r})\n"
        )
    os.chmod(program, 0o755)
    return program, report


@attack(
    "an anchored program starts the attacker's as its daemon, which becomes another anchored program", FAILS, NOTFOUND
)
def starts_attacker(d):
    clock = d.install("clock", group=ANCHORED, mode=0o2755)
    evil, report = stepping_stone(d)
    environments = [
        {"KEYCHAIN_HOME": d.path("home", "h"), "KEYCHAIN_DAEMON": evil, "KEYCHAIN_SOCKET": ""},
        {**with_file(d, home=d.path("home", "h"), daemon=evil, mode="daemon"), "KEYCHAIN_SOCKET": ""},
    ]
    for environment in environments:
        before = processes_of(VICTIM)
        d.learns(*d.search(clock, SERVICE), env=d.environment(**environment))
        # Whatever it has started.
        eventually(lambda: processes_of(VICTIM) <= before, "what it has started goes on")
        if os.path.exists(report):
            with open(report, errors="replace") as file:
                d.said = file.read()
            return True
    return False


def processes_of(user):
    """The numbers of a user's processes."""
    found = set()
    for number in filter(str.isdigit, os.listdir("/proc")):
        # It may have ended since.
        with contextlib.suppress(OSError), open(f"/proc/{number}/status") as file:
            if f"\nUid:\t{user}\t" in file.read():
                found.add(number)
    return found
