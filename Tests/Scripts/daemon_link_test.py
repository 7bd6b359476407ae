"""The file that leads to a store's daemon, and the lock on it: what others do to them opens nothing and ends nobody.

usage: daemon_link_test.py FOLDER-OF-PROGRAMS
"""

import os
import shutil
import socket
import subprocess

from inside_parts import Player, main
from parts import of_root
from patience import PATIENCE, eventually

LOCKED = "-25308 state.locked"
OPEN = "0 - 1"


def link(user):
    return f"{user.store}/keychaind.link"


def listens_at(user):
    with open(link(user), encoding="utf-8") as file:
        return file.readline().strip()


def opened(user):
    """A program that has set a password, so that its own keychain is open."""
    program = Player(user)
    program.does("add s a 1 10", "0 -")
    program.does("passcode pw", "0 -")
    program.does("get s a", OPEN)
    return program


def emptied(path):
    with open(path, "wb"):
        pass


def without_file(user):
    """What was locked stays locked when the file that would tell is removed, emptied or no file."""
    program = opened(user)
    for change in (os.remove, emptied):
        user.does(user.session, "lock-keychain")
        user.kill_daemons()
        change(link(user))
        for _ in range(2):
            program.does("get s a", LOCKED)
        program.does("unlock pw", "0 -")
        program.does("get s a", OPEN)
    user.does(user.session, "lock-keychain")
    user.kill_daemons()
    os.remove(link(user))
    os.mkfifo(link(user))
    program.does("get s a", "-25291 keychain.unavailable")
    program.ends()


def with_older_file(user):
    """What was locked stays locked when the file is the older one again, of a backup."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    user.kill_daemons()
    program, kept = opened(user), f"{user.home.folder}/kept"
    for restore in (shutil.copy2, replaced):
        program.does("unlock pw", "0 -")
        shutil.copy2(link(user), kept)
        user.does(user.session, "lock-keychain")
        user.kill_daemons()
        restore(kept, link(user))
        program.does("get s a", LOCKED)
    program.ends()


def replaced(kept, path):
    shutil.copy2(kept, f"{path}.new")
    os.rename(f"{path}.new", path)


def own_files_sent(user):
    """A daemon that is sent a file of its store keeps its lock until it ends, and then another follows."""
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    for name in ("keychaind.link", "keychain.db"):
        user.does(user.session, "unlock-keychain", "-p", "pw")
        program = user.follow(user.session)
        program.says("a value")
        [daemon] = user.daemons()
        with socket.socket(socket.AF_UNIX) as peer, open(f"{user.store}/{name}", "rb") as file:
            peer.connect(listens_at(user))
            socket.send_fds(peer, [bytes(64)], [file.fileno()])
            eventually(lambda ended=daemon: ended not in user.daemons())
        user.does(user.cron, "lock-keychain")
        program.says(LOCKED)
        program.end()
        assert len(user.daemons()) == 1


@of_root
def another_in_its_place(user):
    """A daemon that serves is not ended because another one, where its socket seems to be, does not answer."""
    user.does(user.session, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    [daemon] = user.daemons()
    second = f"{user.home.folder}/second"
    os.mkdir(second, 0o700)
    command = f"{user.home.programs}/security"
    script = f"""
        mount -t tmpfs -o mode=700 none {user.runtime}
        HOME={second} {command} add-generic-password -s yours -a bob -w y
        for other in $(pgrep -x keychaind); do grep -qa {second} /proc/$other/cmdline && break; done
        kill -STOP $other
        {command} find-generic-password -s mine; status=$?
        sleep 11
        kill -CONT $other
        exit $status
    """
    words = ["unshare", "-m", "--propagation", "private", "sh", "-c", script]
    done = subprocess.run(words, env=user.session, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode != 0 and daemon in user.daemons(), done


def moved_store(user):
    """A daemon whose store is moved ends, although its socket is elsewhere: the copy in its place has its own."""
    user.does(user.session, "set-keychain-password", "-p", "pw", "-o", "")
    user.does(user.session, "unlock-keychain", "-p", "pw")
    program = user.follow(user.session)
    program.says("a value")
    [before] = user.daemons()
    os.rename(user.store, f"{user.store}.old")
    subprocess.run(["cp", "-a", f"{user.store}.old", user.store], check=True)
    eventually(lambda: before not in user.daemons())
    user.does(user.session, "lock-keychain")
    program.says(LOCKED)
    program.end()


def wrong_inside(user):
    """A daemon without a runtime directory is found although somebody has emptied the file that leads to it."""
    user.does(user.cron, "add-generic-password", "-s", "mine", "-a", "ann", "-w", "x")
    [daemon] = user.daemons()
    emptied(link(user))
    user.does(user.session, "find-generic-password", "-s", "mine")
    assert user.daemons() == [daemon]


@of_root
def in_a_container(user):
    """Who asks a daemon in a container, from where it does not see them, is told so."""
    command = f"{user.home.programs}/security"
    script = f"{command} add-generic-password -s inside -a ann -w x && echo stored && read line"
    container = subprocess.Popen(
        ["unshare", "-pf", "--mount-proc", "sh", "-c", script], env=user.session, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert container.stdout.readline() == "stored\n"
    done = user.run(user.session, "find-generic-password", "-s", "inside")
    assert done.returncode != 0 and "runs in a container" in done.stderr, done
    container.communicate("\n", timeout=PATIENCE)
    eventually(lambda: not user.daemons())
    user.does(user.session, "find-generic-password", "-s", "inside")


CASES = (
    without_file, with_older_file, own_files_sent, another_in_its_place, moved_store, wrong_inside, in_a_container,
)


main(CASES)
