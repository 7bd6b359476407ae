"""The viewer while its daemon is stopped or gone, and when it is ended at a prompt.

usage: browse_faults_test.py FOLDER-OF-PROGRAMS [--long] [NAME-OF-CASE ...]
"""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

from browse_parts import SECRET, Viewer, play, signal_daemons
from patience import PATIENCE, eventually

PASSWORD = "pass phrase"


def ends_at_its_prompt(home):
    """A signal ends the viewer while it asks for a password, and the terminal has its echo again."""
    home.says("set-keychain-password", "-p", PASSWORD, "-o", "")
    home.says("lock-keychain")
    for process, number in (("child", signal.SIGTERM), ("guard", signal.SIGTERM), ("guard", signal.SIGKILL)):
        viewer = Viewer(home)
        viewer.shows("This keychain is locked.")
        viewer.keys("Enter")
        viewer.shows("password to unlock")
        child = viewer.child
        os.kill(getattr(viewer, process), number)
        eventually(lambda gone=child: not os.path.exists(f"/proc/{gone}"))
        viewer.has_ended("")
        eventually(lambda shown=viewer: shown.is_restored())
        viewer.end()


def stopped_daemon(home):
    """A daemon that is stopped takes the value from the screen, keys work, and it comes back with its daemon."""
    viewer = Viewer(home)
    viewer.reveal()
    signal_daemons(home, signal.SIGSTOP)
    viewer.lacks(SECRET)
    viewer.shows("did not answer in time")
    signal_daemons(home, signal.SIGCONT)
    viewer.shows("4 items", "[Attributes]", "Reference")
    viewer.escape("CHANGED")
    viewer.reveal()
    signal_daemons(home, signal.SIGSTOP)
    viewer.lacks(SECRET)
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()
    signal_daemons(home, signal.SIGCONT)


def late_answer(home):
    """A value that comes after a key is not shown, nor in the screen of another item."""
    viewer = Viewer(home)
    viewer.shows("deploy")
    viewer.keys("End")
    viewer.shows(">zz deploy")
    signal_daemons(home, signal.SIGSTOP)
    viewer.keys("r", "C-l")
    signal_daemons(home, signal.SIGCONT)
    assert SECRET not in viewer.shows("Reference", "••••••••••")
    viewer.escape("CHANGED")
    viewer.keys("Home")
    viewer.shows(">api")
    viewer.bytes(b"r\x1b[Dj\r")
    assert "api's value" not in viewer.shows("backup (ann)", "Reference", "••••••••••")
    viewer.bytes(b"r?")
    viewer.shows("reveal or hide")
    viewer.escape(lacks="reveal or hide")
    assert "waiting" not in viewer.shows("backup (ann)", "••••••••••")
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


def low_screen(home):
    """On a low screen a value without room is refused, and one with room leaves nothing behind."""
    home.says("add-generic-password", "-s", "zzz token", "-a", "ann", "-w", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd")
    viewer = Viewer(home, rows=10, columns=40)
    viewer.shows("api")
    viewer.keys("End", "r")
    assert "0123456789A" not in viewer.shows("The value is too long")
    viewer.escape(lacks="The value is too long")
    viewer.escape(">zzz token")
    viewer.keys("k")
    viewer.shows(">zz deploy")
    viewer.keys("r")
    viewer.shows("p9#kT-wq7-L", "m2x")
    viewer.keys("Space")
    viewer.shows("too long to be spelled")
    viewer.lacks("p9#kT")
    viewer.keys("r")
    viewer.shows("p9#kT-wq7-L", "m2x")
    viewer.keys("Tab")
    viewer.lacks("p9#kT")
    assert "m2x" not in viewer.history()
    viewer.end()


def unfinished_input(home):
    """A sequence that does not end hides a value, and a string that does not end takes no keys for long."""
    viewer = Viewer(home)
    for data in (b"\x1b[", b"\x1b]0;", b"\x1b[200~x"):
        viewer.reveal()
        viewer.bytes(data)
        viewer.lacks(SECRET)
        viewer.bytes({b"\x1b[": b"A", b"\x1b]0;": b"\x07", b"\x1b[200~x": b"\x1b[201~"}[data])
        viewer.escape("CHANGED")
    viewer.bytes(b"\x1bP")
    eventually(lambda: viewer.keys("/") or "Search: /" in "\n".join(viewer.screen()))
    viewer.end()


def stopped_viewer(home):
    """A viewer that others stop has its value erased and the terminal given back, and takes it again."""
    viewer = Viewer(home)
    viewer.reveal()
    guard = viewer.guard
    os.kill(viewer.child, signal.SIGSTOP)
    viewer.lacks(SECRET)
    eventually(lambda: state(guard) == "T" and viewer.is_restored())
    os.kill(guard, signal.SIGCONT)
    assert SECRET not in viewer.shows("zz deploy", "••••••••••", "[Attributes]")
    viewer.keys("r")
    viewer.shows(SECRET)
    viewer.keys("q")
    viewer.has_ended()
    eventually(viewer.is_restored)
    viewer.end()


def state(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        return file.read().split()[2]


def no_answer(home):
    """A daemon that is stopped holds no key up for long; a change without an answer is said to be open."""
    viewer = Viewer(home)
    viewer.shows(">api")
    signal_daemons(home, signal.SIGSTOP)
    viewer.keys("Enter", "?")
    viewer.shows("KEYS", "reveal or hide")
    signal_daemons(home, signal.SIGCONT)
    viewer.escape(lacks="reveal or hide")
    viewer.keys("Left")
    viewer.shows(">api", "4 items", "Enter:open")
    viewer.keys("d")
    viewer.shows("Delete api (ann)?")
    signal_daemons(home, signal.SIGSTOP)
    viewer.keys("y")
    viewer.shows("may or may not be stored")
    signal_daemons(home, signal.SIGCONT)
    viewer.shows("items", "backup")
    viewer.end()


def full_terminal(home):
    """A terminal that takes no output for a while is drawn again later, without the value. A key that comes before a
    question is drawn does not answer it.
    """
    process, device = on_full_terminal(home)
    try:
        asked_on_full_terminal(device, process)
        assert SECRET.encode() not in taken(device, "•".encode())
        assert home.run("find-generic-password", "-s", "zz deploy").returncode == 0
        os.write(device, b"q")
        assert b"\x1b[?1049l" in taken(device, b"\x1b[?1049l")
        while is_open(device):
            pass
        assert os.waitpid(process, 0)[1] == 0
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise
    finally:
        os.close(device)


def on_full_terminal(home):
    """A viewer that shows a value, on a terminal whose output nobody takes."""
    process, device = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        environment = home.environment | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        os.execve(f"{home.programs}/security", ["security", "browse"], environment)
    taken(device, b"deploy")
    os.write(device, b"Gr")
    taken(device, SECRET.encode())
    return process, device


def asked_on_full_terminal(device, process):
    """Fills the terminal, has a question asked that nobody sees, answers it, and then takes the output."""
    with open(os.readlink(f"/proc/{process}/fd/0"), "rb+", buffering=0) as inside:
        # Each redrawing is much more than what the terminal keeps; one that is taken makes room for the next.
        while select.select([], [inside], [], 0)[1]:
            before = unread(device)
            os.write(device, b"\x0c")
            eventually(lambda: unread(device) > before or not select.select([], [inside], [], 0)[1])  # noqa: B023
        os.write(device, b"d")
        eventually(lambda: unread(inside) == 0, "the key is not taken")
        os.write(device, b"y")
    # A write is given up after five seconds.
    select.select([], [], [], 6)
    taken(device, b"Delete")
    while select.select([device], [], [], 0.5)[0]:
        os.read(device, 1 << 16)
    os.write(device, b"n\x0c")


def is_open(device):
    """Takes output, until the other side is closed."""
    try:
        return bool(os.read(device, 1 << 16))
    except OSError:
        return False


def unread(device):
    """How many bytes the terminal has not taken."""
    return struct.unpack("I", fcntl.ioctl(device, termios.FIONREAD, b"    "))[0]


def taken(device, text):
    """Takes what comes until a text has come."""
    written = b""
    while text not in written:
        assert select.select([device], [], [], PATIENCE)[0], written
        written += os.read(device, 1 << 16)
    return written


def keeps_forms(home):
    """What is typed into a form stays: beside a stopped daemon, a lock by others and a Ctrl-C."""
    home.says("set-keychain-password", "-p", PASSWORD, "-o", "")
    viewer = Viewer(home)
    viewer.shows("4 items")
    viewer.keys("a")
    viewer.shows("Add a password")
    viewer.keys("quick")
    viewer.shows("[quick")
    signal_daemons(home, signal.SIGSTOP)
    viewer.shows("did not answer in time")
    viewer.keys("Escape")
    viewer.shows("A form is open.")
    viewer.keys("q")
    signal_daemons(home, signal.SIGCONT)
    viewer.shows("Add a password", "[quick")
    viewer.keys("C-c")
    viewer.shows("Ctrl-C again leaves.", "[quick")
    home.says("lock-keychain")
    viewer.shows("This keychain is locked.")
    home.says("unlock-keychain", "-p", PASSWORD)
    viewer.shows("Add a password", "[quick")
    viewer.keys("-", "1")
    viewer.shows("[quick-1")
    viewer.escape("Escape again gives up what was typed")
    viewer.escape("Nothing was saved.")
    viewer.end()


def lost_daemon(home):
    viewer = Viewer(home)
    viewer.shows("api")
    home.end()
    # The next look starts a daemon again, or says that there is none.
    viewer.keys("R")
    viewer.shows("api", "4 items")
    viewer.end()


def unopened_keychain(home):
    """A keychain that does not open is named in a note, and hides no item of the others."""
    home.says("create-keychain", "-p", "", "z.keychain")
    path = f"{home.home}/k/keychains/z.keychain-db"
    with open(path, "w", encoding="ascii") as file:
        file.write("no keychain\n")
    viewer = Viewer(home)
    viewer.shows("4 items", ">api", "the keychain z does not open")
    viewer.keys("Down")
    viewer.lacks("does not open")
    viewer.keys("R")
    viewer.shows("4 items", "the keychain z does not open")
    viewer.end()
    viewer = Viewer(home, locale="zh_CN.UTF-8")
    viewer.shows(">api", "钥匙串 z 无法打开")
    viewer.end()


def locks_its_view(home, password=""):
    """After a time without a key names are hidden, until Enter, or the password of a keychain that has one."""
    if password:
        home.says("set-keychain-password", "-p", password, "-o", "")
    viewer = Viewer(home, "--idle", "1")
    viewer.shows("4 items", "api")
    viewer.shows("The view was locked after a time without a key.")
    viewer.keys("R")
    viewer.lacks("api")
    viewer.keys("Enter")
    if password:
        viewer.shows("password to unlock")
        viewer.keys(password, "Enter")
    viewer.shows("4 items", "api")
    viewer.end()


def locks_its_view_with_password(home):
    """The view of a keychain with a password opens with it."""
    locks_its_view(home, PASSWORD)


# The longest first. A view is locked after a minute at the earliest.
LONG = (locks_its_view, locks_its_view_with_password)
CASES = (
    no_answer, keeps_forms, stopped_daemon, full_terminal, ends_at_its_prompt, late_answer, low_screen,
    unfinished_input, stopped_viewer, lost_daemon, unopened_keychain,
)  # fmt: skip
IS_LONG = "--long" in sys.argv
sys.argv = [word for word in sys.argv if word != "--long"]
play(LONG + CASES if IS_LONG else CASES, at_once=4)
