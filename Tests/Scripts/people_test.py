"""The verbs for people (list show copy generate add edit rm undelete purge) with a real daemon.

usage: people_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading

from agent_parts import Person
from keychain_parts import Home, ends
from patience import PATIENCE, eventually


def gives(home, *words, out, status=0, text=""):
    result = home.run(*words, text=text)
    assert (result.returncode, result.stdout) == (status, out), (words, result)
    return result.stderr


def listed(home, *words):
    """Name, kind, account and keychain of each item."""
    result = home.run("list", *words)
    assert result.returncode == 0, result
    return [tuple(line.split("\t")[:4]) for line in result.stdout.splitlines()]


def from_add_to_purge(home):
    gives(home, "add", "deploy/ci", "comment=each quarter", text="sesame", out="Added deploy (ci).\n")
    error = gives(home, "add", "deploy/ci", text="other", out="", status=45)
    assert "There is an item of this name already." in error and "security edit" in error, error
    gives(home, "find-generic-password", "-s", "deploy", "-w", out="sesame\n")
    shown = home.run("show", "DEPLOY").stdout
    assert "each quarter" in shown and "sesame" not in shown and "kc://deploy/ci" in shown, shown
    gives(home, "show", "deploy", "-p", out="", status=1)
    assert "sesame" in home.run("show", "deploy", "-p", "--force-stdout").stdout
    assert json.loads(home.run("show", "deploy", "-p", "-F", "--json").stdout)["password"] == "sesame"
    gives(home, "edit", "deploy/ci", "-p", "comment=", text="changed", out="Changed deploy (ci).\n")
    gives(home, "find-generic-password", "-s", "deploy", "-w", out="changed\n")
    assert "each quarter" not in home.run("show", "deploy").stdout
    gives(home, "rm", "deploy/ci", out="", status=1)
    out = "Deleted deploy (ci). `security undelete kc://deploy/ci` brings it back.\n"
    gives(home, "rm", "deploy/ci", "-y", out=out)
    assert listed(home) == [] and listed(home, "kind:deleted") == [("deploy", "deleted", "ci", "login")]
    gives(home, "undelete", "kc://deploy/ci", out="Brought back deploy (ci).\n")
    gives(home, "find-generic-password", "-s", "deploy", "-w", out="changed\n")
    gives(home, "purge", "deploy/ci", "-y", out="Deleted deploy (ci). It cannot be brought back.\n")
    assert listed(home, "kind:deleted") == []
    gives(home, "undelete", "deploy/ci", out="", status=44)


def several_match(home):
    for account in ("a", "b"):
        gives(home, "add", f"deploy/{account}", text="x", out=f"Added deploy ({account}).\n")
    for words in (("show", "deploy"), ("rm", "deploy", "-y"), ("edit", "deploy", "comment=x"), ("copy", "deploy")):
        result = home.run(*words)
        assert result.returncode == 1 and result.stdout == "", result
        assert "deploy" in result.stderr and "security: next: security " in result.stderr, result
    assert len(listed(home)) == 2
    gives(home, "rm", "deploy/a", "none/such", "-y", out="", status=44)
    assert len(listed(home)) == 2


def keychains(home):
    """Items are found in all keychains of the search list; a change stays in the keychain of its item."""
    home.says("create-keychain", "-p", "", "work.keychain")
    gives(home, "add", "mail/me", text="login's", out="Added mail (me).\n")
    home.says("add-generic-password", "-s", "deploy", "-a", "ci", "-w", "work's", "work.keychain")
    assert sorted(listed(home)) == [("deploy", "pass", "ci", "work"), ("mail", "pass", "me", "login")]
    assert "work's" in home.run("show", "deploy", "-p", "-F").stdout
    gives(home, "edit", "deploy/ci", "-p", text="new", out="Changed deploy (ci).\n")
    home.says("find-generic-password", "-s", "deploy", "-w", "work.keychain", out="new\n")
    home.says("default-keychain", "-s", "work.keychain")
    gives(home, "add", "second/one", text="x", out="Added second (one).\n")
    assert ("second", "pass", "one", "work") in listed(home)
    home.environment["KEYCHAIN_KEYCHAIN"] = "login.keychain"
    assert listed(home) == [("mail", "pass", "me", "login")]
    gives(home, "show", "deploy", out="", status=44)
    del home.environment["KEYCHAIN_KEYCHAIN"]
    home.says("set-keychain-password", "-o", "", "-p", "pass", "work.keychain")
    home.says("lock-keychain", "work.keychain")
    result = home.run("list")
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["mail"], result
    assert result.stderr == "1 item. Others are sealed until the keychain is unlocked.\n", result.stderr
    home.fails(36, "show", "deploy", because="The keychain is locked")
    gives(home, "rm", "mail/me", "-y", out="Deleted mail (me). `security undelete kc://mail/me` brings it back.\n")
    home.says("unlock-keychain", "-p", "pass", "work.keychain")
    assert home.run("rm", "deploy/ci", "-y").returncode == 0
    deleted = [("deploy", "deleted", "ci", "work"), ("mail", "deleted", "me", "login")]
    assert sorted(listed(home, "kind:deleted")) == deleted
    with_presence(home)
    home.says("find-generic-password", "-s", "deploy", "-w", "work.keychain", out="new\n")


def with_presence(home):
    """With a password, what was deleted comes back only when somebody at a terminal has shown presence."""
    for words in (("undelete", "deploy/ci"), ("--json", "undelete", "deploy/ci")):
        result = home.run(*words, start_new_session=True)
        assert result.returncode == 36 and result.stdout == "", (words, result)
    home.fails(36, "undelete", "deploy/ci", because="user")
    with Person() as person:
        wrong = at_terminal(home, person, "security undelete deploy/ci")
        person.wait_for("asscode:")
        person.type("\x03")
        assert wrong.communicate(timeout=PATIENCE)[0] == "" and wrong.returncode == 128, wrong.returncode
        right = at_terminal(home, person, "security undelete deploy/ci")
        person.wait_for("asscode:")
        person.type("pass\n")
        assert right.communicate(timeout=PATIENCE)[0] == "Brought back deploy (ci).\n" and right.returncode == 0


def at_terminal(home, person, script, output=subprocess.PIPE):
    """A shell that is the first process of a session at a person's terminal."""
    return subprocess.Popen(
        ["sh", "-c", script],
        stdin=person.device,
        stdout=output,
        stderr=person.device,
        text=True,
        env=home.environment | {"KEYCHAIN_PINENTRY": "none", "LANG": "C.UTF-8"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(person.device, termios.TIOCSCTTY, 0),
    )


def rows(home):
    """A row of the last list on this terminal is an item, for this session and until the item is changed."""
    for account in ("a", "b"):
        gives(home, "add", f"deploy/{account}", text="x", out=f"Added deploy ({account}).\n")
    with Person() as person:

        def shows(script, *texts):
            process = at_terminal(home, person, f"{script}; echo ended with $?", person.device)
            for text in (*texts, "ended with"):
                person.wait_for(text)
            assert process.wait(PATIENCE) == 0

        shows("security list -r; security show '#2'", "NAME", "2 items", "Account", " a")
        shows("security show '#1'", "could not be found", "security: why: The last `security list` on this terminal")
        edit = "security list; security edit '#1' comment=x; security show '#2'; security show '#1'"
        shows(edit, "Changed deploy (a).", " b", "was changed or deleted since it was listed")
        shows("security list | cat; security rm '#1' -y", "2 items", "could not be found")
    result = home.run("rm", "#1", "-y", start_new_session=True)
    assert result.returncode == 2 and "#1 names a row of a list at a terminal" in result.stderr, result
    assert len(listed(home)) == 2


class Lost:
    """Passes everything on to the daemon, and ends the daemon between the commit of an addition and its answer."""

    ITEM, ADDITION = 1, 1

    def __init__(self, home):
        self.home = home
        self.daemon = f"{home.home}/k/keychaind.sock"
        self.path = f"{home.temporary}/lost.sock"
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.carry, args=self.socket.accept()[:1], daemon=True).start()

    def carry(self, client):
        with client, socket.socket(socket.AF_UNIX) as daemon, contextlib.suppress(OSError):
            daemon.connect(self.daemon)
            while request := frame(client):
                daemon.sendall(request)
                answer = frame(daemon)
                if request[5] == self.ITEM and request[16] == self.ADDITION:
                    return [ends(number) for number in self.home.daemons().values()]
                client.sendall(answer)


def frame(stream):
    head = stream.recv(16, socket.MSG_WAITALL)
    return head and head + stream.recv(struct.unpack("<I", head[:4])[0], socket.MSG_WAITALL)


def unknown_outcome(home):
    """A change whose answer is lost with the daemon may or may not have been stored; the password is not shown."""
    home.run("status")
    lost = Lost(home)
    own, home.environment["KEYCHAIN_SOCKET"] = dict(home.environment), lost.path
    for words in (("add", "deploy/ci"), ("generate", "--save", "backup/disk"), ("add-generic-password", "-s", "old")):
        home.run("status")
        secret = ["-w", "x", "-a", "x"] if words[0] == "add-generic-password" else []
        result = home.run(*words, *secret, text="sesame")
        assert (result.returncode, result.stdout) == (75, ""), (words, result)
        assert "may or may not have been stored" in result.stderr, result.stderr
        assert "security: why: " in result.stderr and "security: next: Look whether" in result.stderr, result.stderr
        # The next daemon serves before the next word.
        home.environment = dict(own)
        eventually(lambda: home.run("status").returncode == 0)
        home.environment["KEYCHAIN_SOCKET"] = lost.path
    home.environment = own
    assert [item[0] for item in listed(home, "--sort", "name")] == ["backup", "deploy", "old"]


def hostile_names(home):
    """A name cannot draw over the terminal, add a line to a list, or become a word of a command."""
    name = "a\x1b[2Jb\u202ec\nd\te $(touch pwned) 部门"
    home.says("add-generic-password", "-s", name, "-a", "$(touch pwned)", "-w", "x")
    for words in (("list",), ("show", "部门"), ("rm", "部", "-y"), ("show", "部门", "--json")):
        result = home.run(*words)
        for text in (result.stdout, result.stderr):
            assert not any(character in text for character in "\x1b\u202e"), (words, text)
    assert len(home.run("list").stdout.splitlines()) == 1
    assert json.loads(home.run("list", "--json").stdout)["name"] == name
    removal = home.run("rm", "部门", "-y")
    assert removal.returncode == 1 and len(listed(home)) == 1, removal
    offered = removal.stderr.splitlines()[-1].removeprefix("security: next: ")
    assert os.system(f"cd {home.temporary} && {' '.join(environment(home))} {offered} -y >/dev/null") == 0, offered
    assert listed(home) == [] and not os.path.exists(f"{home.temporary}/pwned")


def environment(home):
    return ["env", "-i", *(f"{name}='{value}'" for name, value in home.environment.items())]


def generated(home):
    result = home.run("generate")
    assert result.returncode == 0 and "bits" in result.stderr, result
    assert len(result.stdout) == 21 and result.stdout.count("-") == 2, result.stdout
    saved = home.run("generate", "--save", "new/one", "-l", "30").stdout.strip()
    assert len(saved) == 30
    gives(home, "find-generic-password", "-s", "new", "-w", out=f"{saved}\n")
    gives(home, "generate", "--rules", "minlength: 9; maxlength: 5", out="", status=2)
    gives(home, "generate", "--save", "new/one", out="", status=45)
    gives(home, "find-generic-password", "-s", "new", "-w", out=f"{saved}\n")


def main():
    programs, folder = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="people.")
    try:
        for test in (from_add_to_purge, several_match, keychains, hostile_names, generated, rows, unknown_outcome):
            os.mkdir(f"{folder}/{test.__name__}")
            home = Home(programs, f"{folder}/{test.__name__}")
            try:
                test(home)
            finally:
                home.end()
            print(f"ok {test.__name__}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
