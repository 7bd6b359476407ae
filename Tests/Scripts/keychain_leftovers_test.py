"""Folders of keychains that go, and what killed programs leave.

Nothing is acknowledged into a folder that has gone, and nothing of a killed program stays.

usage: keychain_leftovers_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import ctypes
import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
import termios

from keychain_parts import folder, login, run_parts, shown, store_of
from patience import PATIENCE, eventually


def unfinished(home):
    """A creation that was killed leaves no store once the next one begins; a keychain with a name stays."""
    home.says("create-keychain", "-p", "p", "kept.keychain")
    [kept] = home.stores
    for delay in (0.01, 0.02, 0.04, 0.06, 0.08):
        command = [f"{home.programs}/security", "create-keychain", "-p", "p", "killed.keychain"]
        with subprocess.Popen(command, env=home.environment, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.kill()
        home.run("delete-keychain", "killed.keychain")

    # A daemon that was starting may not go on.
    home.says("create-keychain", "-p", "", "next.keychain")
    home.says("delete-keychain", "next.keychain")
    home.says("list-keychains", "--orphans")
    assert home.stores == [kept], home.stores
    home.says("delete-keychain", "kept.keychain")


def leftovers(home):
    """All files of a home but those of the stores there are."""
    names = [f"{place}/{name}" for place, _, files in os.walk(home.home) for name in files]
    kept = ("/lock", "/list")
    return sorted(
        name for name in names if not name.endswith(kept) and not any(f"/{store}/" in name for store in home.stores)
    )


def in_wrapper(home, body):
    """Has the daemon started by a script that does something to the folder of its store before."""
    path = f"{home.temporary}/daemon"
    with open(path, "w") as file:
        file.write(
            '#!/bin/sh\nfor word; do [ "$last" = --store ] && store=$word; last=$word; done\n'
            f'{body}\nexec {home.programs}/keychaind "$@"\n'
        )
    os.chmod(path, 0o700)
    home.environment["KEYCHAIN_DAEMON"] = path


def folder_goes_before_the_daemon(home):
    """A store whose folder was removed, moved, replaced, linked or opened meanwhile is not made, and that is said."""
    changes = {
        'rm -rf "$store"': "was deleted or moved away",
        'mv "$store" "$store.x"': "was deleted or moved away",
        'rm -rf "$store"; mkdir -m 700 "$store"; : >"$store/new"': "was moved or replaced while",
        'mv "$store" "$store.y"; ln -s "$store.y" "$store"': "Not a directory",
        'chmod 755 "$store"': "others may enter it",
    }
    for change, reason in changes.items():
        in_wrapper(home, change)
        home.fails(53, "create-keychain", "-p", "a", "new.keychain", because=reason)
        home.says("list-keychains", out=shown(login(home)))
        assert not home.stores and not os.path.exists(f"{folder(home)}/new.keychain-db"), os.listdir(folder(home))
    # What a link led to is left alone.
    [moved] = [name for name in os.listdir(folder(home)) if name.endswith(".y")]
    assert "name" in os.listdir(f"{folder(home)}/{moved}")
    home.environment["KEYCHAIN_DAEMON"] = f"{home.programs}/keychaind"
    home.says("create-keychain", "-p", "a", "new.keychain")
    home.says("delete-keychain", "new.keychain")


def folder_goes_before_the_enclave(home):
    """A folder that is replaced while its daemon opens it is not served, and the starter is told why."""
    programs = f"{home.temporary}/bin"
    os.mkdir(programs)
    for name in ("security", "keychaind"):
        shutil.copy2(f"{home.programs}/{name}", programs)
    store = f"{home.temporary}/store"
    os.mkdir(store, 0o700)
    for change in (f"mv {store} {store}.x; mkdir -m 700 {store}", f"rm -r {store}"):
        with open(f"{programs}/keychain-enclaved", "w") as file:
            file.write(f'#!/bin/sh\n{change}\nexec {home.programs}/keychain-enclaved "$@"\n')
        os.chmod(f"{programs}/keychain-enclaved", 0o700)
        reader, writer = os.pipe()
        words = ["--named", "--store", store, "--socket", f"{store}/keychaind.sock", "--tpm", "none"]
        daemon = subprocess.Popen(
            [f"{programs}/keychaind", *words, "--ready-fd", str(writer)], pass_fds=(writer,),
            env=home.environment, stderr=subprocess.PIPE, text=True,
        )
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read().decode()
        assert daemon.wait(PATIENCE) == 1 and told and told[0] != "\x01", told
        daemon.stderr.close()


class Session:
    """Commands that share a connection."""

    def __init__(self, home):
        command = [f"{home.programs}/security", "-i"]
        self.process = subprocess.Popen(
            command, env=home.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def finds(self, words, value):
        self.tell(words)
        line = self.process.stdout.readline()
        assert line == f"{value}\n", line

    def end(self):
        return self.process.communicate(timeout=PATIENCE)[0]


def has_request(daemon):
    """Whether a request lies in a socket of a stopped daemon; True where this may not be seen, which takes root."""
    handle = os.pidfd_open(daemon)
    try:
        copies = [copied(handle, int(name)) for name in os.listdir(f"/proc/{daemon}/fd")]
        waiting = [unread(one) for one in copies if one >= 0]
        return not waiting or any(waiting)
    except PermissionError:
        return True
    finally:
        os.close(handle)


def copied(handle, number):
    """A copy of another process's descriptor (pidfd_getfd(2)); negative where it may not be had."""
    return ctypes.CDLL(None).syscall(438, handle, number, 0)


def unread(number):
    """The bytes that nobody has read of a socket; the descriptor is closed."""
    try:
        count = bytearray(4)
        fcntl.ioctl(number, termios.FIONREAD, count) if stat.S_ISSOCK(os.fstat(number).st_mode) else None
        return int.from_bytes(count, sys.byteorder)
    except OSError:
        return 0
    finally:
        os.close(number)


def removed_log(home):
    """A log or a folder that is removed under a running daemon is noticed before the next acknowledgement."""

    def move(store):
        os.rename(store, f"{store}.x")

    def replace(store):
        move(store)
        shutil.copytree(f"{store}.x", store, ignore=shutil.ignore_patterns("*.sock"))

    takes = {
        "log": lambda store: os.remove(f"{store}/keychain.db-wal"),
        "store": lambda store: os.remove(f"{store}/keychain.db"),
        "move": move,
        "replace": replace,
        "remove": shutil.rmtree,
    }
    for name, take in takes.items():
        home.says("create-keychain", "-p", "p", f"{name}.keychain")
        home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", f"{name}.keychain")
        store = store_of(home, f"{name}.keychain")
        session = Session(home)
        session.finds(f"find-generic-password -s s -w {name}.keychain", "x")
        daemon = home.daemons()[store]
        os.kill(daemon, signal.SIGSTOP)
        take(store)
        session.tell(f"add-generic-password -s lost -a a -w x {name}.keychain")
        # Without the folder nothing is sent. Else the request is there when the daemon goes on and looks.
        if name in ("log", "store"):
            eventually(lambda daemon=daemon: has_request(daemon), name)
        session.tell(f"set-keychain-password -o p -p q {name}.keychain")
        os.kill(daemon, signal.SIGCONT)
        said = session.end()
        # Of a folder that was replaced, the next daemon serves what is in it, locked.
        refused = said.count("security: why: ")
        assert refused == 2 or name == "replace" and refused == 1, (name, said)
        if refused == 1:
            home.says("unlock-keychain", "-p", "q", f"{name}.keychain")
            home.says("find-generic-password", "-s", "s", "-w", f"{name}.keychain", out="x\n")
            assert home.run("find-generic-password", "-s", "lost", f"{name}.keychain").returncode == 44
        home.run("delete-keychain", f"{name}.keychain")


def killed_steps(home):
    """What each step of a creation or a deletion leaves when it is killed is gone after the next creation."""
    home.says("create-keychain", "-p", "p", "kept.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "kept.keychain")
    kept = store_of(home, "kept.keychain")
    place, path = folder(home), f"{home.temporary}/killed.keychain"

    def write(name, text=""):
        with open(name, "w") as file:
            file.write(text)
        os.chmod(name, 0o600)

    def begun(number, *, mark=True, store=True, name=True, daemon=False, file=None):
        identifier = f"{number:08x}-0000-4000-8000-000000000000"
        if mark:
            write(f"{place}/{identifier}.new")
        if store:
            os.mkdir(f"{place}/{identifier}", 0o700)
        if name:
            write(f"{place}/{identifier}/name", path)
        if daemon:
            environment = home.environment | {"KEYCHAIN_HOME": f"{place}/{identifier}"}
            subprocess.run([f"{home.programs}/security", "status"], env=environment, check=True, capture_output=True)
        if file is not None:
            write(path, f"keychain-name 1 {identifier} killed\n"[:file])
        return f"{place}/{identifier}"

    begun(1, store=False, name=False)
    begun(2, name=False)
    begun(3)
    begun(4, daemon=True)
    begun(5, file=20)
    write(f"{place}/list.new-abcdef")
    write(f"{place}/00000006-0000-4000-8000-000000000000.new.new-abcdef")
    home.says("create-keychain", "-p", "p", path)
    assert len(home.stores) == 2, home.stores
    home.says("delete-keychain", path)
    # A deletion that was killed when the store was moved.
    gone = begun(7, mark=False, file=500)
    os.rename(gone, f"{gone}.deleted")
    home.says("create-keychain", "-p", "p", path)
    home.says("delete-keychain", path)
    assert home.stores == [os.path.basename(kept)], home.stores
    assert leftovers(home) == [f"{place}/kept.keychain-db"], leftovers(home)
    eventually(lambda: not [store for store in home.daemons() if store.startswith(place) and store != kept])
    home.says("list-keychains", out=shown(login(home), f"{place}/kept.keychain-db"))
    home.says("find-generic-password", "-s", "s", "-w", "kept.keychain", out="x\n")


def completed(home):
    """A creation that was killed when its name file was there is a keychain."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    store = store_of(home, "a.keychain")
    open(f"{store}.new", "w").close()
    home.says("create-keychain", "-p", "p", "b.keychain")
    assert not os.path.exists(f"{store}.new")
    home.says("delete-keychain", "a.keychain", "b.keychain")


def linked_leftovers(home):
    """A link among the leftovers is removed, and what it leads to stays."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    os.mkdir(f"{home.temporary}/precious")
    open(f"{home.temporary}/precious/file", "w").close()
    identifier = "00000001-0000-4000-8000-000000000000"
    for name in (f"{identifier}.deleted", identifier):
        os.symlink(f"{home.temporary}/precious", f"{folder(home)}/{name}")
    open(f"{folder(home)}/{identifier}.new", "w").close()
    home.says("create-keychain", "-p", "p", "b.keychain")
    assert os.listdir(f"{home.temporary}/precious") == ["file"]
    assert not [name for name in os.listdir(folder(home)) if name.startswith(identifier)]
    # A store that is a link, as to the login keychain's folder, is none.
    home.says("add-generic-password", "-s", "login", "-a", "a", "-w", "x", "login.keychain")
    os.symlink(f"{home.home}/k", f"{folder(home)}/{identifier}")
    with open(f"{home.temporary}/link.keychain", "w") as file:
        file.write(f"keychain-name 1 {identifier} link\n")
    os.chmod(f"{home.temporary}/link.keychain", 0o600)
    for words in (["find-generic-password", "-s", "login"], ["delete-keychain"], ["unlock-keychain", "-p", "x"]):
        home.fails(50, *words, f"{home.temporary}/link.keychain", because="names a keychain of another machine")
    home.says("find-generic-password", "-s", "login", "-w", "login.keychain", out="x\n")
    os.remove(f"{folder(home)}/{identifier}")
    home.says("delete-keychain", "a.keychain", "b.keychain")


run_parts(
    (
        folder_goes_before_the_daemon,
        folder_goes_before_the_enclave,
        removed_log,
        unfinished,
        killed_steps,
        completed,
        linked_leftovers,
    )
)
