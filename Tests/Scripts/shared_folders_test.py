"""Two users and a folder that both may write: one writes secrets into it, the other has prepared the place.

usage: shared_folders_test.py FOLDER-OF-PROGRAMS
"""

import concurrent.futures
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

from ordinary_parts import USER, prepared
from patience import PATIENCE

OTHER, GROUP = USER + 1, USER + 2
SECRET = b"the-secret-of-the-item"
PASSPHRASE = "six words that nobody ever guesses\n"
# Root's folder, to which both users may add files: in the first one nobody removes another's.
FOLDERS = {"sticky": 0o1777, "of a group": 0o2770}


def becoming(number):
    """Runs in a child before its program: root becomes a user, with the group that both are in."""

    def become():
        os.umask(0)
        os.setgroups([GROUP])
        os.setresgid(number, number, number)
        os.setresuid(number, number, number)

    return become


@contextlib.contextmanager
def as_other():
    """This process acts on files as the other user."""
    os.setgroups([GROUP])
    os.setegid(OTHER)
    os.seteuid(OTHER)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups([])


class Place:
    """A home, a folder that is shared, and one of the other user's."""

    def __init__(self, home):
        self.home = home
        self.shared, self.theirs = f"{home.folder}/shared", f"{home.folder}/theirs"
        self.precious = f"{home.folder}/precious"
        self.own = f"{home.home}/files"
        for path, owner in ((self.theirs, OTHER), (self.own, USER)):
            os.mkdir(path, 0o755)
            os.chown(path, owner, owner)
        self.write(f"{self.own}/plain", SECRET)
        self.write(f"{self.own}/template", b"{{ kc://deploy/ci }}")
        self.held = []

    def write(self, path, content, owner=USER, mode=0o600):
        with open(path, "wb") as file:
            file.write(content)
        os.chown(path, owner, owner)
        os.chmod(path, mode)

    def run(self, *words, text="", user=USER, **variables):
        return subprocess.run(
            [f"{self.home.programs}/security", *words], input=text, capture_output=True, text=True,
            env=self.home.environment | variables, timeout=PATIENCE, preexec_fn=becoming(user), cwd=self.own,
        )

    def must(self, *words, **options):
        done = self.run(*words, **options)
        assert done.returncode == 0, (words, done)

    @contextlib.contextmanager
    def prepared(self, mode):
        """New shared folder of root's, with a file of the first user's that nobody else is to change."""
        for path in (self.shared, self.theirs):
            shutil.rmtree(path, ignore_errors=True)
        os.mkdir(self.shared)
        os.chown(self.shared, 0, GROUP)
        os.chmod(self.shared, mode)
        os.mkdir(self.theirs)
        os.chown(self.theirs, OTHER, OTHER)
        os.chmod(self.theirs, 0o777)
        self.write(self.precious, b"precious", mode=0o644)
        yield
        while self.held:
            os.close(self.held.pop())

    def readable(self):
        """Everything that the other user can read: files by their names, and those that they hold open."""
        with as_other():
            for top in (self.shared, self.theirs):
                for folder, _, names in os.walk(top):
                    for name in names:
                        with contextlib.suppress(OSError):
                            number = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NONBLOCK)
                            yield f"{folder}/{name}", whole(number)
                            os.close(number)
        for number in self.held:
            with contextlib.suppress(OSError):
                os.lseek(number, 0, os.SEEK_SET)
            yield "a file that they hold", whole(number)

    def check(self, what):
        for name, content in self.readable():
            assert SECRET not in content and b"PRIVATE KEY" not in content, (what, name, content)
        with open(self.precious, "rb") as file:
            assert file.read() == b"precious", what
        status = os.stat(self.precious)
        assert (status.st_uid, status.st_mode & 0o777) == (USER, 0o644), (what, status)


def whole(number):
    with contextlib.suppress(BlockingIOError):
        return os.read(number, 1 << 20)
    return b""


# Commands that write a secret to a place, with their input. A passphrase takes its time: of all traps a backup has two.
WRITERS = {
    "export": (("export", "-t", "privKeys", "-f", "openssl", "-p", "-o", "PLACE"), ""),
    "backup": (("backup", "PLACE"), PASSPHRASE),
    "inject": (("inject", "-t", "-i", "template", "-o", "PLACE"), ""),
    "unprotect": (("file", "unprotect", "-o", "PLACE", "sealed"), ""),
    "protect": (("file", "protect", "-o", "PLACE", "plain"), ""),
}


def nothing(place, path):
    pass


def file_of_theirs(place, path):
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    os.fchmod(number, 0o666)
    place.held.append(number)


def link_to_theirs(place, path):
    target = f"{place.theirs}/{os.path.basename(path)}"
    file_of_theirs(place, target)
    os.symlink(target, path)


def link_to_nothing(place, path):
    os.symlink(f"{place.theirs}/{os.path.basename(path)}", path)


def link_to_precious(place, path):
    os.symlink(place.precious, path)


def second_name(place, path):
    file_of_theirs(place, f"{path}-first")
    os.link(f"{path}-first", path)


def pipe(place, path):
    os.mkfifo(path, 0o666)
    os.chmod(path, 0o666)
    place.held.append(os.open(path, os.O_RDONLY | os.O_NONBLOCK))


def folder(place, path):
    os.mkdir(path)
    os.chmod(path, 0o777)


TRAPS = (nothing, file_of_theirs, link_to_theirs, link_to_nothing, link_to_precious, second_name, pipe, folder)


def write(place, name):
    words, text = WRITERS[name]
    return place.run(*(f"{place.shared}/{name}" if word == "PLACE" else word for word in words), text=text)


def write_all(place, trap=None):
    """Has every command write at once, each to a place of its own; what became of them."""
    names = [name for name in WRITERS if name != "backup" or trap in (nothing, file_of_theirs)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        begun = {name: pool.submit(write, place, name) for name in names}
        return {name: task.result() for name, task in begun.items()}


def traps_at_the_place(place):
    """Whatever the other user has put at the place beforehand, no command writes a secret where they can read it."""
    for name, mode in FOLDERS.items():
        for trap in TRAPS:
            with place.prepared(mode):
                with as_other():
                    for writer in WRITERS:
                        trap(place, f"{place.shared}/{writer}")
                done = write_all(place, trap)
                place.check((name, trap.__name__, done))
                if trap is nothing:
                    for writer, result in done.items():
                        status = os.stat(f"{place.shared}/{writer}")
                        assert (result.returncode, status.st_uid, status.st_mode & 0o077) == (0, USER, 0), result


def traps_for_root(place):
    """Root gives no content to the owner of a file that another user has put into a folder that they may write."""
    shutil.copy(f"{place.own}/plain", f"{place.home.folder}/plain")
    for name, mode in FOLDERS.items():
        with place.prepared(mode):
            path = f"{place.shared}/out"
            with as_other():
                file_of_theirs(place, path)
            variables = {"HOME": f"{place.home.folder}/root", "KEYCHAIN_HOME": f"{place.home.folder}/root/k"}
            os.makedirs(variables["HOME"], exist_ok=True)
            sealed = f"{place.home.folder}/root/sealed"
            done = place.run("file", "protect", "-o", sealed, f"{place.home.folder}/plain", user=0, **variables)
            assert done.returncode == 0, done
            done = place.run("file", "unprotect", "-o", path, sealed, user=0, **variables)
            assert done.returncode != 0 and "belongs to another user" in done.stderr, (name, done)
            place.check(name)


def traps_in_a_race(place):
    """Names that change while a command writes lead no secret elsewhere, and no file of the user's is replaced."""
    for mode in (0o777, 0o2770):
        with place.prepared(mode):
            attacker = subprocess.Popen(
                ["/usr/bin/python3", "-c", RACE, place.shared, place.theirs, place.precious],
                preexec_fn=becoming(OTHER), stdout=subprocess.PIPE,
            )
            try:
                assert attacker.stdout.read(1) == b"."
                for _ in range(2):
                    write_all(place)
            finally:
                attacker.kill()
                attacker.communicate()
            place.check(mode)


# Puts links and files of its own in the place of everything that comes.
RACE = """
import contextlib, os, sys
shared, theirs, precious = sys.argv[1:]
os.write(1, b".")
turn = 0
while True:
    turn += 1
    for name in {*os.listdir(shared), "export", "inject", "unprotect"}:
        path = f"{shared}/{name}"
        with contextlib.suppress(OSError):
            os.rename(path, f"{theirs}/{turn}-{name}")
        with contextlib.suppress(OSError):
            if turn % 3 == 0:
                os.symlink(precious, path)
            elif turn % 3 == 1:
                os.symlink(f"{theirs}/{turn}", path)
            else:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o666))
"""


def files_of_others(place):
    """Passwords of a table that another user owns or may change are not imported, and no keychain is made in a folder
    that another user has prepared."""
    table = b"name,password\nA,1\n"
    for name, mode in FOLDERS.items():
        with place.prepared(mode):
            path = f"{place.shared}/out"
            for owner, permissions in ((OTHER, 0o644), (USER, 0o666)):
                place.write(path, table, owner=owner, mode=permissions)
                done = place.run("import-from", "csv", path)
                assert done.returncode == 1 and "may change" in done.stderr, (name, owner, done)
                os.unlink(path)
            place.write(f"{place.theirs}/table", table, owner=OTHER, mode=0o644)
            with as_other():
                os.symlink(f"{place.theirs}/table", path)
            assert place.run("import-from", "csv", path).returncode == 1, name
            os.unlink(path)
            with as_other():
                folder(place, path)
            words = ("add-generic-password", "-s", "a", "-a", "a", "-w", SECRET.decode())
            done = place.run(*words, KEYCHAIN_HOME=path)
            assert done.returncode != 0 and os.listdir(path) == [], (name, done)


def main():
    programs = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="shared.", ignore_cleanup_errors=True) as top:
        home = prepared(programs, top)
        shutil.copy(f"{programs}/keychain-file", home.programs)
        place = Place(home)
        try:
            place.must("add-generic-password", "-s", "deploy", "-a", "ci", "-w", SECRET.decode())
            place.must("create-keypair", "-a", "ec", "Mine")
            place.must("file", "protect", "-o", "sealed", "plain")
            for case in (traps_at_the_place, traps_for_root, traps_in_a_race, files_of_others):
                case(place)
                print(f"ok {case.__name__}", flush=True)
        finally:
            home.end()


main()
