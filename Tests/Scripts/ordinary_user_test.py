"""`run`, `inject` and `browse` as an ordinary user: the user's own daemon may look at a program only while that does
not hide its memory.

usage: ordinary_user_test.py FOLDER-OF-PROGRAMS
"""

import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

from keychain_parts import ends, store_of
from ordinary_parts import as_user, prepared
from patience import PATIENCE, eventually


def runs(home):
    """`run` gives a program its value, and so does `inject` a file."""
    home.says("add-generic-password", "-s", "api", "-a", "ann", "-w", "its value")
    done = home.run("run", "--env", "TOKEN=kc://api/ann", "--", "sh", "-c", "test \"$TOKEN\" = 'its value'")
    assert done.returncode == 0, done
    with open(f"{home.folder}/template", "w", encoding="ascii") as file:
        file.write("token={{ kc://api/ann }}\n")
    done = home.run("inject", "-t", "-i", f"{home.folder}/template", "-o", f"{home.temporary}/out")
    assert done.returncode == 0, done
    with open(f"{home.temporary}/out", encoding="ascii") as file:
        assert file.read() == "token=its value\n"


def shows(home):
    """`browse` shows a value, and finds daemons that were killed again: that of another keychain, then its own."""
    home.says("add-generic-password", "-s", "api", "-a", "ann", "-w", "its value")
    home.says("create-keychain", "-p", "", "second.keychain")
    home.says("list-keychains", "-s", "login.keychain", "second.keychain")
    home.says("add-generic-password", "-s", "in-second", "-a", "bob", "-w", "other", "second.keychain")
    child, device = pty.fork()
    if child == 0:
        as_user()
        environment = home.environment | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        os.execve(f"{home.programs}/security", ["security", "browse"], environment)
    subprocess.run(["stty", "rows", "24", "cols", "80"], stdin=device, check=True)
    try:
        reads(device, b"api")
        os.write(device, b"r")
        reads(device, b"its value")
        for _ in range(2):
            os.write(device, b"\x1b")
            time.sleep(1)
        reads(device, b"in-second", press=b"\x0c")
        second = store_of(home, "second.keychain")
        killed = home.daemons()[second]
        ends(killed)
        drain(device)
        reads(device, b"in-second", press=b"\x0c", until=lambda: home.daemons().get(second, killed) != killed)
        for daemon in home.daemons().values():
            ends(daemon)
        reads(device, b"its value", press=b"r")
    finally:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)


def tells(home):
    """In a home that cannot be written to, a search finds nothing, and an addition names the folder."""
    os.chmod(home.home, 0o500)
    done = home.run("find-generic-password", "-s", "api")
    assert done.returncode == 44 and "nothing has been stored" in done.stderr, done
    done = home.run("add-generic-password", "-s", "api", "-a", "ann", "-w", "its value")
    assert done.returncode == 53 and f"folder {home.home}/k cannot be used: mkdir" in done.stderr, done
    os.chmod(home.home, 0o700)
    home.says("add-generic-password", "-s", "api", "-a", "ann", "-w", "its value")


def drain(device):
    """Takes what was drawn until now."""
    while select.select([device], [], [], 0)[0]:
        os.read(device, 65536)


def reads(device, text, press=b"", until=lambda: True):
    """Waits until the text is drawn and something else holds, and presses a key meanwhile."""
    (end, drawn) = (time.monotonic() + PATIENCE, b"")
    while text not in drawn or not until():
        assert time.monotonic() < end, drawn[-2000:]
        os.write(device, press)
        if select.select([device], [], [], 0.5)[0]:
            new = os.read(device, 65536)
            # The viewer asks where the cursor is after one character of its frame.
            if b"\x1b[6n" in new:
                os.write(device, b"\x1b[1;2R")
            drawn += new


def main():
    programs = os.path.abspath(sys.argv[1])
    for case in (runs, shows, tells):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home = prepared(programs, folder)
            try:
                case(home)
                eventually(lambda: home.daemons())
            finally:
                home.end()
        print(f"{case.__name__}: {case.__doc__.splitlines()[0]}")


main()
