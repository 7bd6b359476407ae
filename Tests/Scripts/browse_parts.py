"""The viewer with its keychain, for the tests that look at its screens."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from keychain_parts import Home
from parts import of_this_turn
from patience import eventually
from tmux_parts import Pane

SECRET = "p9#kT-wq7-Lm2x"


class Viewer(Pane):
    """`security browse` with its keychain."""

    def __init__(self, home, *options, term="screen-256color", locale="C.UTF-8", pane=(), shell=None, **size):
        self.home = home
        home.viewers.append(self)
        environment = home.environment | {"LANG": locale, "LC_ALL": locale, "TERM": "xterm-256color"}
        command = ["env", f"TERM={term}", f"{home.programs}/security", "browse", *options]
        super().__init__(tempfile.mkdtemp(dir=home.folder), environment, command, options=pane, shell=shell, **size)

    def reveal(self):
        self.shows("deploy")
        self.keys("End")
        self.keys("r")
        self.shows(SECRET, "hides in")

    @property
    def child(self):
        """The process that draws; its parent looks after it."""
        return eventually(lambda: (self.processes("security") + [None, None])[1])

    @property
    def guard(self):
        return self.processes("security")[0]

    def is_restored(self):
        """Whether the terminal is as it was before: its first screen, its cursor, no reports, lines and an echo."""
        flags = self.flags("alternate_on", "mouse_any_flag", "mouse_sgr_flag")
        return not flags and self.flags("cursor_flag", "wrap_flag") and {"icanon", "echo", "isig"} <= self.settings()

    def gives_back_the_shell(self):
        """Waits until the shell has its terminal again: what is typed before that may be the viewer's."""
        number = int(self.tmux("display-message", "-p", "-t", ":0", "#{pane_pid}"))
        eventually(lambda: leads_its_terminal(number), lambda: "the shell has no terminal:\n" + self.history())

    def says_in_shell(self, command, text):
        """Has the shell run a command, which writes a text that is not in it."""
        self.gives_back_the_shell()
        self.keys(command, "Enter")
        self.shows(text)

    def has_ended(self, text="ended with 0"):
        screen = self.shows(text)
        assert SECRET not in self.history(), self.history()
        return screen


def leads_its_terminal(number):
    """Whether the process's group is the one that reads its terminal (proc(5), pgrp and tpgid)."""
    with open(f"/proc/{number}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return fields[2] == fields[5]


def signal_daemons(home, number):
    for process in home.stores_of_daemons():
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def filled(programs, folder):
    home = Home(programs, folder)
    home.viewers = []
    for name in ("api", "backup"):
        home.says("add-generic-password", "-s", name, "-a", "ann", "-w", f"{name}'s value")
    home.says("add-internet-password", "-s", "github.com", "-a", "octo", "-r", "htps", "-w", "token")
    home.says("add-generic-password", "-s", "zz deploy", "-a", "张三", "-w", SECRET)
    return home


def with_second(home, password):
    """A second keychain, whose item's value is shown: the viewer of both."""
    home.says("create-keychain", "-p", password, "second.keychain")
    home.says("list-keychains", "-s", "login.keychain", "second.keychain")
    home.says("add-generic-password", "-s", "in second", "-a", "bob", "-w", "its value", "second.keychain")
    viewer = Viewer(home)
    viewer.shows("5 items")
    viewer.keys("/", "in second", "Enter", "r")
    viewer.shows("its value", "hides in")
    return viewer


def play(cases, at_once=1):
    """Plays each case in a home of its own, so many of them at once: most of them wait for a limit of the product.

    The command line has the folder of programs, and the names of cases when not all are wanted.
    """
    programs, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    wanted = [case for case in of_this_turn(cases) if not names or case.__name__ in names]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        if not all(pool.map(lambda case: holds(case, programs), wanted)):
            sys.exit(1)


def holds(case, programs):
    """Whether a case holds; nothing that it has started is left."""
    begun = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home = filled(programs, folder)
            try:
                case(home)
            finally:
                end(home)
    except Exception:
        print(f"FAILED: {case.__name__}:\n{traceback.format_exc()}", flush=True)
        return False
    said = (case.__doc__ or case.__name__).splitlines()[0]
    print(f"{case.__name__}, {time.monotonic() - begun:.1f} s: {said}", flush=True)
    return True


def end(home):
    """Ends the viewers and the daemons of a home. A daemon that is stopped ends when it goes on."""
    for viewer in home.viewers:
        viewer.end()
    signal_daemons(home, signal.SIGCONT)
    home.end()


def our_root(home):
    """The files of a private key and of its certificate, made by OpenSSL."""
    files = [f"{home.folder}/{name}.pem" for name in ("key", "root")]
    words = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Our Root"]
    subprocess.run(["openssl", "req", *words, "-keyout", files[0], "-out", files[1]], check=True, capture_output=True)
    return files
