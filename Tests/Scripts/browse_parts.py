"""The viewer with its keychain, for the tests that look at its screens."""

import os
import subprocess
import sys
import tempfile

from keychain_parts import Home, eventually
from tmux_parts import Pane

SECRET = "p9#kT-wq7-Lm2x"


class Viewer(Pane):
    """`security browse` with its keychain."""

    def __init__(self, home, *options, term="screen-256color", locale="C.UTF-8", pane=(), shell=None, **size):
        self.home = home
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
        return eventually_value(lambda: (self.processes("security") + [None, None])[1])

    @property
    def guard(self):
        return self.processes("security")[0]

    def is_restored(self):
        """Whether the terminal is as it was before: its first screen, its cursor, no reports, lines and an echo."""
        flags = self.flags("alternate_on", "mouse_any_flag", "mouse_sgr_flag")
        return not flags and self.flags("cursor_flag", "wrap_flag") and {"icanon", "echo", "isig"} <= self.settings()

    def has_ended(self, text="ended with 0"):
        screen = self.shows(text)
        assert SECRET not in self.history(), self.history()
        return screen


def eventually_value(find):
    eventually(lambda: find() is not None)
    return find()


def filled(programs, folder):
    home = Home(programs, folder)
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


def play(cases):
    """Plays each case in a home of its own. The command line has the folder of programs."""
    programs = os.path.abspath(sys.argv[1])
    for case in cases:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home = filled(programs, folder)
            try:
                case(home)
            finally:
                home.end()
        print(f"{case.__name__}: {(case.__doc__ or case.__name__).splitlines()[0]}")


def our_root(home):
    """The files of a private key and of its certificate, made by OpenSSL."""
    files = [f"{home.folder}/{name}.pem" for name in ("key", "root")]
    words = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Our Root"]
    subprocess.run(["openssl", "req", *words, "-keyout", files[0], "-out", files[1]], check=True, capture_output=True)
    return files
