"""Plays a command as an ordinary user, in a home that nobody has used.

usage: ordinary.py COMMAND [WORD...]

The user has no privilege, one group, and new folders for HOME, TMPDIR and XDG_RUNTIME_DIR. When root plays it, the user
is a number with an account in a mount namespace: a private `/etc/passwd` names it, and the project can be reached even
if a folder above lets only root in. Anybody else plays it as themselves.
"""

import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "Tests/Hostile"))

from numbers_of_users import PLACE, USERS as NUMBER  # noqa: E402

INSIDE = "--inside"
BIND, RECURSIVE, DETACHED = 0x1000, 0x4000, 2
# Variables that lead to folders and buses of the user who runs the tests.
FOREIGN = ("XDG_", "DBUS_", "SUDO_", "KEYCHAIN_HOME")
libc = ctypes.CDLL(None, use_errno=True)


def apart(command):
    """The command line that plays a command as an ordinary user."""
    alone = ["unshare", "--mount", "--propagation", "private"] if os.geteuid() == 0 else []
    return [*alone, sys.executable, "-B", __file__, INSIDE, *command]


def problem():
    """Why root cannot play an ordinary user here; nothing if it can."""
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if os.geteuid() == 0 and done.returncode != 0:
        return "Root plays users in mount namespaces, which are refused here. Start the tests as an ordinary user."
    return None


def mount(source, target, kind=None, flags=0, data=None):
    words = [word and os.fsencode(word) for word in (source, target, kind)]
    if libc.mount(*words, flags, data and data.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"{target} cannot be mounted: {os.strerror(ctypes.get_errno())}")


def make_reachable(paths):
    """Everybody may reach each path: a folder that lets only some in is covered by one that lets all in."""
    opened = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in paths]
    for path, handle in opened:
        if closed := next((folder for folder in [*reversed(path.parents), path] if not may_enter(folder)), None):
            mount("cover", closed, "tmpfs", data="mode=755")
            path.mkdir(parents=True, exist_ok=True)
            show(pathlib.Path(f"/proc/self/fd/{handle}"), path)
        os.close(handle)


def make_own(folder, keeping):
    """The folder has nothing but these paths of it: what programs of others leave there, by names that they do not
    choose, stands in nobody's way.
    """
    if folder in keeping:
        return
    kept = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in keeping if folder in path.parents]
    mount("own", folder, "tmpfs", data="mode=1777")
    for path, handle in kept:
        path.mkdir(parents=True, exist_ok=True)
        mount(f"/proc/self/fd/{handle}", path, flags=BIND | RECURSIVE)
        os.close(handle)


def show(folder, path):
    """What is in a folder is at the path, whatever the mode of the folder."""
    for entry in folder.iterdir():
        target = path / entry.name
        if entry.is_symlink():
            target.symlink_to(entry.readlink())
        else:
            target.mkdir() if entry.is_dir() else target.touch()
            mount(entry, target, flags=BIND | RECURSIVE)


def may_enter(folder):
    return folder.stat().st_mode & stat.S_IXOTH


def paths_of_everybody():
    """Those folders of PATH that everybody may enter: the user's has no others."""
    folders = [pathlib.Path(word) for word in os.environ["PATH"].split(":") if os.path.isdir(word)]
    return ":".join(str(path) for path in folders if all(may_enter(folder) for folder in [path, *path.parents]))


def toolchain():
    """The folder of the Swift toolchain, whose libraries the built programs load."""
    said = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(json.loads(said)["paths"]["runtimeResourcePath"]).parents[1]


def make_account(folder, home):
    """The number has a name: what looks it up finds it in files that this namespace alone has."""
    name = f"kc-user-{PLACE}"
    lines = {"passwd": f"{name}:x:{NUMBER}:{NUMBER}:A user:{home}:/bin/sh", "group": f"{name}:x:{NUMBER}:"}
    for base, line in lines.items():
        own = folder / base
        own.write_text(pathlib.Path(f"/etc/{base}").read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
        own.chmod(0o644)
        mount(own, f"/etc/{base}", flags=BIND)
    return name


def become_user():
    os.setgroups([])
    os.setresgid(NUMBER, NUMBER, NUMBER)
    os.setresuid(NUMBER, NUMBER, NUMBER)


class Place:
    """The folders of one user, as short as sockets want their paths."""

    def __init__(self):
        self.outer = pathlib.Path(os.path.realpath(tempfile.gettempdir()))
        self.folder = self.outer / f"u{PLACE}"
        self.home, self.temporary, self.runtime = (self.folder / name for name in ("h", "t", "r"))
        # A run that was killed has left its own.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o755)
        for folder in (self.home, self.temporary, self.runtime):
            folder.mkdir(mode=0o700)
        self.user = os.environ.get("USER", "user")

    def give(self):
        """As root: the folders and the account are the user's, and what lies in memory is nobody else's."""
        if not os.stat(__file__).st_mode & stat.S_IROTH:
            sys.exit(f"An ordinary user cannot read the files of {TOP}. Run chmod -R go+rX {TOP}.")
        needed = [TOP, self.outer, toolchain()]
        make_own(pathlib.Path("/tmp"), needed)
        make_reachable(needed)
        for folder in (self.home, self.temporary):
            os.chown(folder, NUMBER, NUMBER)
        mount("runtime", self.runtime, "tmpfs", data=f"mode=700,uid={NUMBER},gid={NUMBER}")
        mount("shared", "/dev/shm", "tmpfs", data="mode=1777")
        self.user = make_account(self.folder, self.home)

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        self.path = paths_of_everybody() if os.geteuid() == 0 else os.environ["PATH"]
        own = {"PATH": self.path, "HOME": self.home, "TMPDIR": self.temporary, "XDG_RUNTIME_DIR": self.runtime}
        return kept | {name: str(path) for name, path in own.items()} | {"USER": self.user, "LOGNAME": self.user}

    def leave(self):
        """Files that the command has left behind come to where all of them are looked for."""
        for left in os.listdir(self.temporary):
            with contextlib.suppress(OSError):
                os.rename(self.temporary / left, self.outer / left)
        libc.umount2(os.fsencode(self.runtime), DETACHED)
        shutil.rmtree(self.folder, ignore_errors=True)


def main(words):
    if words[0] != INSIDE:
        os.execvp((command := apart(words))[0], command)
    root = os.geteuid() == 0
    place = Place()
    try:
        if root:
            place.give()
        who = {"preexec_fn": become_user} if root else {}
        # The number is this user's until the command has ended.
        return subprocess.run(words[1:], cwd=TOP, env=place.environment(), check=False, **who).returncode
    finally:
        place.leave()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
