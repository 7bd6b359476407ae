"""A home with keychains of its own, and the command that runs in it."""

import contextlib
import functools
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from patience import PATIENCE, eventually

# The wishes of the runner to programs that tests start, which get an environment of their own.
ASKED = {name: value for name, value in os.environ.items() if name.startswith("KEYCHAIN_TEST_PASSCODES")}


class Home:
    """A home of a test's own: its keychain, its folder for jobs, and the programs that were built."""

    def __init__(self, programs, folder, **variables):
        self.programs, self.folder = programs, folder
        self.home, self.temporary = f"{folder}/home", f"{folder}/job"
        for path in (self.home, self.temporary):
            os.mkdir(path, 0o700)
        self.environment = {
            "HOME": self.home,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "KEYCHAIN_HOME": f"{self.home}/k",
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_DAEMON": f"{programs}/keychaind",
        } | ASKED | variables

    @property
    def stores(self):
        folder = f"{self.home}/k/keychains"
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return sorted(name for name in names if len(name) == 36 and os.path.isdir(f"{folder}/{name}"))

    def run(self, *words, text="", **options):
        return subprocess.run(
            [f"{self.programs}/security", *words],
            input=text,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=PATIENCE,
            **options,
        )

    def says(self, *words, out="", err="", status=0, text="", **options):
        """The command writes exactly this, as macOS's does."""
        result = self.run("-M", *words, text=text, **options)
        found = (result.returncode, result.stdout, result.stderr)
        assert found == (status, out, err), f"{words}:\n{found}\nin place of\n{(status, out, err)}"

    def fails(self, status, *words, because):
        """The command fails, and says why and what to do."""
        result = self.run(*words)
        assert result.returncode == status, (words, result)
        assert because in result.stderr and "security: next: " in result.stderr, (words, result.stderr)

    def daemons(self):
        """The numbers of the daemons of this home, each with the folder of its store."""
        return {store: number for number, store in self.stores_of_daemons().items()}

    def stores_of_daemons(self):
        """One that ends and the one that follows it have the same store."""
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace").split("\0")
            except OSError:
                continue
            if words[0].endswith("/keychaind") and any(word.startswith(self.folder) for word in words):
                found[int(number)] = words[words.index("--store") + 1]
        return found

    def starters(self):
        """Programs of this home whose parent has ended: one that was killed may have begun to start a daemon."""
        parents = filter(None, map(self.parent, filter(str.isdigit, os.listdir("/proc"))))
        return {number for number, parent in parents if parent == adopter()}

    def parent(self, name):
        """A process with its parent, where it is one of the built programs, or what has not yet become one."""
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                isOwn = f"HOME={self.home}".encode() in file.read().split(b"\0")
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            isBuilt = os.readlink(f"/proc/{name}/exe").startswith(f"{self.programs}/")
        except OSError:
            return None
        return (int(name), parent) if isOwn and isBuilt else None

    @contextlib.contextmanager
    def memory(self):
        """A runtime directory of the home's own for the keychains of jobs: nobody else's job clears up there."""
        folder = tempfile.mkdtemp(prefix="keychain-tests-", dir="/dev/shm")
        self.environment["XDG_RUNTIME_DIR"] = folder
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def end(self):
        """Ends the daemons, each with one signal; a command that is ending may still start one."""
        told, looks = set(), []

        def have_ended():
            running = self.stores_of_daemons().keys()
            for number in running - told:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGTERM)
                    # A test that has failed may have left it stopped.
                    os.kill(number, signal.SIGCONT)
            told.update(running)
            # A process that has forked and ended between a list of all and a look at it is in neither.
            looks.append(not running and not self.starters())
            return all(looks[-2:]) and len(looks) > 1

        eventually(have_ended)


@functools.cache
def adopter():
    """The process that becomes the parent of processes whose own has ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        parent = os.getpid()
        if os.fork() == 0:
            with contextlib.suppress(ProcessLookupError):
                select.select([os.pidfd_open(parent)], [], [])
            os.write(writing, str(os.getppid()).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        return int(said.read())


def ends(number, what=signal.SIGKILL):
    """Ends a process and waits until it has ended: the kernel kills it when it is its turn.

    A process that is being killed has no command line any more, and still its files, locks and sockets.
    """
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(number)
        try:
            signal.pidfd_send_signal(handle, what)
            assert select.select([handle], [], [], PATIENCE)[0], f"process {number} does not end"
        finally:
            os.close(handle)


def answers(path):
    """Whether a server listens; its socket is there a moment earlier."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path) == 0


def login(home):
    return f"{home.home}/Library/Keychains/login.keychain-db"


def shown(*paths):
    return "".join(f'    "{path}"\n' for path in paths)


def folder(home):
    """The folder of named keychains."""
    return f"{home.home}/k/keychains"


def store_of(home, name):
    """The folder of the store that a name file names."""
    with open(f"{folder(home)}/{name}-db") as file:
        return f"{folder(home)}/{file.read().split()[2]}"


def run_parts(tests):
    """Runs each test in a home of its own; the command line has the programs, and names where a few are wanted."""
    programs, place = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="keychains.")
    try:
        for test in [test for test in tests if not sys.argv[2:] or test.__name__ in sys.argv[2:]]:
            os.mkdir(f"{place}/{test.__name__}")
            home = Home(programs, f"{place}/{test.__name__}")
            try:
                test(home)
            finally:
                if "KEYCHAIN_CI" in home.environment:
                    home.run("ci-stop")
                home.end()
            print(f"ok {test.__name__}", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
