"""A store has one daemon, which everybody finds, and one lock state: wherever it listens, and however it is spelt.

usage: one_daemon_test.py FOLDER-OF-PROGRAMS
"""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

from inside_parts import Player, main
from keychain_parts import ends
from parts import of_root
from patience import PATIENCE, eventually

LOCKED = "-25308 state.locked"


def spelt_otherwise(user):
    """A program that spells the home otherwise is as locked, and as open, as the command is."""
    os.symlink(user.home.home, f"{user.home.folder}/by-link")
    user.does(user.session, "add-generic-password", "-s", "api", "-a", "ann", "-w", "x")
    spellings = [
        {"HOME": f"{user.home.home}/"}, {"HOME": f"{user.home.folder}/./home"}, {"HOME": f"{user.home.folder}/by-link"},
        {"KEYCHAIN_HOME": f"{user.store}/"},
    ]
    programs = [user.follow(base | spelling) for spelling in spellings for base in (user.session, user.cron)]
    for program in programs:
        program.says("a value")
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    user.does(user.session, "lock-keychain")
    for program in programs:
        program.says(LOCKED)
    user.does(user.session, "unlock-keychain", "-p", "pw")
    for program in programs:
        program.says("a value")
        program.end()
    # Cron finds the session's daemon by another way to the same folder.
    user.does(user.cron | {"HOME": f"{user.home.folder}/by-link"}, "find-generic-password", "-s", "api")
    assert len(user.daemons()) == 1


def locked_before_its_end(user):
    """What a daemon has locked stays locked when the daemon has ended: a program that was open is open no more."""
    program = Player(user)
    program.does("add s a 1 10", "0 -")
    program.does("passcode pw", "0 -")
    program.does("get s a", "0 - 1")
    for number in (signal.SIGTERM, signal.SIGKILL):
        user.does(user.session, "lock-keychain")
        for daemon in user.daemons():
            ends(daemon, number)
        program.does("get s a", LOCKED)
        program.does("unlock pw", "0 -")
        program.does("get s a", "0 - 1")
    program.ends()


def outlived(user):
    """A program that could start no daemon goes on by itself when the one that it asks has ended."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    program = Player(user)
    program.does("add s a 1 10", "0 -")
    user.kill_daemons()
    program.does("add s b 2 10", "0 -")
    program.does("get s a", "0 - 1")
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    program.does("get s a", "0 - 1")
    user.kill_daemons()
    program.does("get s a", LOCKED)
    program.ends()


def killed_when_asked(user):
    """What a daemon has not read when it is killed, a program that could start none does by itself."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    [daemon] = user.daemons()
    os.kill(daemon, signal.SIGSTOP)
    program = Player(user)
    program.begins("add s a 1 10")
    eventually(program.is_connected)
    ends(daemon)
    assert (answer := program.answers()) == "0 -", answer
    program.does("get s a", "0 - 1")
    program.ends()


def link_removed(user):
    """A daemon that is not found any more ends, and the next one is found."""
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    user.does(user.session, "unlock-keychain", "-p", "pw")
    program = user.follow(user.session)
    program.says("a value")
    [before] = user.daemons()
    os.remove(f"{user.store}/keychaind.link")
    eventually(lambda: not os.path.exists(f"/proc/{before}"))
    user.does(user.session, "lock-keychain")
    program.says(LOCKED)
    program.end()


def cannot_be_found(user):
    """A daemon that cannot say where it is does not serve, and nothing is said to be locked by it."""
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    user.kill_daemons()
    os.remove(f"{user.store}/keychaind.link")
    os.mkdir(f"{user.store}/keychaind.link")
    done = user.run(user.session, "lock-keychain")
    assert done.returncode != 0 and "keychaind.link" in done.stderr, done


def two_places(user):
    """Daemons that are started in two places at once become one, beside programs with the keychain inside too."""
    program = user.follow(user.session)
    program.says("a value")
    for _ in range(4):
        words = [f"{user.home.programs}/security", "add-generic-password", "-U", "-s", "api", "-a", "ann", "-w", "x"]
        started = [subprocess.Popen(words, env=environment) for environment in (user.session, user.cron)]
        assert [one.wait(timeout=PATIENCE) for one in started] == [0, 0]
        assert len(user.daemons()) == 1, user.daemons()
        user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
        user.does(user.session, "lock-keychain")
        for environment in (user.cron, user.session):
            assert user.state(environment) == "locked"
        program.says(LOCKED)
        user.does(user.cron, "unlock-keychain", "-p", "pw")
        user.does(user.session, "set-keychain-password", "-p", "", "-o", "pw")
        user.kill_daemons()
    program.end()


def another_place(user):
    """A second daemon of the store, at a socket of its own, is refused with the place of the first."""
    user.does(user.session, "add-generic-password", "-s", "api", "-a", "ann", "-w", "x")
    done = user.run(user.session | {"KEYCHAIN_SOCKET": f"{user.home.folder}/other.sock"}, "find-generic-password",
                    "-s", "api")  # fmt: skip
    assert done.returncode != 0 and f"{user.runtime}/keychain/keychaind.sock" in done.stderr, done
    assert len(user.daemons()) == 1


def two_homes(user):
    """Homes that share a runtime directory keep their items apart, before and after the daemons' ends."""
    homes = [user.session | {"HOME": f"{user.home.folder}/{name}"} for name in ("home", "second")]
    os.mkdir(f"{user.home.folder}/second", 0o700)
    for number in range(3):
        for place, environment in enumerate(homes):
            user.does(environment, "add-generic-password", "-U", "-s", f"of {place}", "-a", "ann", "-w", f"{number}")
        for daemon in user.daemons()[number:]:
            ends(daemon)
        for place, environment in enumerate(homes):
            found = user.does(environment, "find-generic-password", "-s", f"of {place}", "-w")
            assert found == f"{number}\n", found
            assert user.run(environment, "find-generic-password", "-s", f"of {1 - place}").returncode == 44


def old_place(user):
    """Where the daemon of another home listens now, nobody looks for that of this one."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    user.kill_daemons()
    other = user.session | {"HOME": f"{user.home.folder}/second"}
    os.mkdir(f"{user.home.folder}/second", 0o700)
    user.does(other, "add-generic-password", "-s", "theirs", "-a", "ann", "-w", "x")
    user.does(user.cron, "find-generic-password", "-s", "mine")
    user.does(user.cron, "set-keychain-password", "-p", "777", "-o", "")
    assert user.state(other) == "unlocked"
    assert user.run(other, "find-generic-password", "-s", "mine").returncode == 44


def by_hard_links(user):
    """A backup made of hard links is a store of its own, with the daemon of the other alive or not."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    backup = f"{user.home.folder}/backup"
    os.mkdir(backup, 0o700)
    for name in os.listdir(user.store):
        if name == "keychaind.link":
            os.link(f"{user.store}/{name}", f"{backup}/{name}")
        elif not name.endswith(".sock"):
            shutil.copy(f"{user.store}/{name}", backup)
    other = user.session | {"KEYCHAIN_HOME": backup}
    for _ in range(2):
        user.does(other, "delete-generic-password", "-s", "mine")
        user.does(user.session, "find-generic-password", "-s", "mine")
        user.does(other, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
        user.kill_daemons()


@of_root
def in_a_namespace(user):
    """In a namespace where the daemon of another home is reached and not seen, nothing is sent to it."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    other = user.session | {"HOME": f"{user.home.folder}/second"}
    os.mkdir(f"{user.home.folder}/second", 0o700)
    words = ["add-generic-password", "-s", "theirs", "-a", "ann", "-w", "x"]
    apart = ["unshare", "-pf", "--mount-proc", f"{user.home.programs}/security"]
    subprocess.run([*apart, *words], env=other, check=True, capture_output=True, timeout=PATIENCE)
    assert user.run(user.session, "find-generic-password", "-s", "theirs").returncode == 44


def stopped_early(user):
    """A daemon that has stopped before it listens is ended by the next one."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    [daemon] = user.daemons()
    os.kill(daemon, signal.SIGSTOP)
    shutil.rmtree(f"{user.runtime}/keychain")
    user.does(user.session, "find-generic-password", "-s", "mine")
    eventually(lambda: daemon not in user.daemons())


@of_root
def in_another_view(user):
    """A daemon that serves is left alone by one that does not see its socket, which says which process it is."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    [daemon] = user.daemons()
    find = f"exec {user.home.programs}/security find-generic-password -s mine"
    words = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o mode=700 none {user.runtime} && {find}"]
    done = subprocess.run(words, env=user.session, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode != 0 and f"process {daemon} has locked" in done.stderr, done
    eventually(lambda: user.daemons() == [daemon])


def without_watches(user):
    """A daemon that the kernel tells nothing ends by itself when its socket has gone."""
    limit = "echo 0 > /proc/sys/user/max_inotify_instances"
    if subprocess.run(["unshare", "-Ur", "sh", "-c", limit], capture_output=True, check=False).returncode != 0:
        print("without_watches: skipped, there are no user namespaces with limits here")
        return
    add = f"{user.home.programs}/security add-generic-password -s mine -a ann -w x"
    subprocess.run(["unshare", "-Ur", "sh", "-c", f"{limit} && {add}"], env=user.session, check=True, timeout=PATIENCE)
    [daemon] = user.daemons()
    shutil.rmtree(user.runtime)
    eventually(lambda: daemon not in user.daemons())
    os.mkdir(user.runtime, 0o700)
    user.does(user.session, "find-generic-password", "-s", "mine")


@of_root
def of_another_user(user):
    """Another user who listens where a daemon would is shown neither a password nor a value."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    user.kill_daemons()
    path = f"{user.runtime}/keychain/keychaind.sock"
    os.remove(path)
    for folder in (user.home.folder, user.runtime, f"{user.runtime}/keychain"):
        os.chmod(folder, 0o777)
    thief = listen_as(65534, path)
    user.does(user.session, "unlock-keychain", "-p", "pw")
    user.does(user.session, "find-generic-password", "-s", "mine")
    thief.stdin.close()
    assert thief.stdout.read() == b"", "something was sent"
    thief.wait(timeout=PATIENCE)


def listen_as(number, path):
    """A process of another user that writes whatever it is sent to its output."""
    text = """
import os, select, socket, sys
os.setresgid(%d, %d, %d); os.setresuid(%d, %d, %d)
listener = socket.socket(socket.AF_UNIX); listener.bind(%r); os.chmod(%r, 0o777); listener.listen(8)
os.write(2, b"ready")
sources = [listener, sys.stdin]
while sys.stdin in sources:
    for source in select.select(sources, [], [])[0]:
        if source is listener: sources.append(listener.accept()[0])
        elif source is sys.stdin: sources.remove(source)
        else:
            received = source.recv(4096)
            os.write(1, received)
            if not received: sources.remove(source)
""" % ((number,) * 6 + (path, path))
    process = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)  # fmt: skip
    assert process.stderr.read(5) == b"ready"
    return process


def without_descriptors(user):
    """A program that cannot open the file which says so does not take the keychain for open."""
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    user.does(user.session, "unlock-keychain", "-p", "pw")
    program = user.follow(user.session | {"KEYCHAIN_MODE": "embedded"})
    program.says("a value")
    user.kill_daemons()
    program.says(LOCKED)
    user.does(user.session, "lock-keychain")
    number = program.process.pid
    resource.prlimit(number, resource.RLIMIT_NOFILE, (3, 1024))
    program.says("-25")
    resource.prlimit(number, resource.RLIMIT_NOFILE, (1024, 1024))
    program.says(LOCKED)
    program.end()


def password_beside_writers(user):
    """A password that is set while programs write refuses none of them: nobody has locked anything."""
    words = {name: value for name, value in user.session.items() if name != "KEYCHAIN_DAEMON"}
    writers = [Writer(user, f"writer{number}", words) for number in range(4)]
    for _ in range(3):
        user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
        user.does(user.session, "set-keychain-password", "-p", "", "-o", "pw")
    for writer in writers:
        writer.check()


class Writer:
    """A program with the keychain inside, which adds items and writes which are stored."""

    def __init__(self, user, name, words):
        self.words = [f"{user.inside}/item-writer", "check", name], words
        self.said = f"{user.home.folder}/{name}"
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen([f"{user.inside}/item-writer", "add", name], env=words, stdout=said,
                                            stderr=subprocess.PIPE)  # fmt: skip
        eventually(self.stored)

    def stored(self):
        with open(self.said, encoding="utf-8") as said:
            return [line for line in said if line.endswith("\n")]

    def check(self):
        assert self.process.poll() is None, self.process.stderr.read()
        self.process.kill()
        self.process.wait()
        words, environment = self.words
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        missing = {line.strip() for line in self.stored()} - set(done.stdout.split())
        assert done.returncode == 0 and not missing, (missing, done)


def silent(user):
    """Behind a listener that takes nobody a program with the keychain inside answers in its time, and not by itself."""
    program = user.follow(user.session | {"KEYCHAIN_TIMEOUT": "600000"})
    program.says("a value")
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    [daemon] = user.daemons()
    os.kill(daemon, signal.SIGSTOP)
    fillers = filled(f"{user.runtime}/keychain/keychaind.sock")
    begun = time.monotonic()
    program.says("-25291 keychain.unavailable")
    # Far less than the ten minutes that a request may take.
    assert time.monotonic() - begun < 300, time.monotonic() - begun
    os.kill(daemon, signal.SIGCONT)
    for filler in fillers:
        filler.close()
    program.says("a value")
    program.end()


def filled(path):
    """Connections that fill the queue of a listener."""
    fillers = []
    while True:
        filler = socket.socket(socket.AF_UNIX)
        filler.setblocking(False)
        try:
            filler.connect(path)
        except BlockingIOError:
            return fillers
        fillers.append(filler)


CASES = (
    spelt_otherwise, locked_before_its_end, outlived, killed_when_asked, link_removed, cannot_be_found, two_places,
    another_place, two_homes, old_place, by_hard_links, in_a_namespace, in_another_view, stopped_early,
    without_watches, of_another_user, without_descriptors, password_beside_writers, silent,
)


main(CASES)
