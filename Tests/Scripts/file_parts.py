"""Protected files in a home of an ordinary user's: the command, and a program that holds them open."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from ordinary_parts import as_user, prepared
from patience import PATIENCE


class FilesTest(unittest.TestCase):
    """A test with a home that has the programs for protected files."""

    programs = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="keychain-tests-")
        self.home = prepared(self.programs, self.folder)
        self.home.environment["LANG"] = "C"
        shutil.copy(f"{self.programs}/keychain-file", self.home.programs)
        # Last of all: a program that is not ended yet may start another daemon.
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(self.home.end)

    def path(self, name):
        return f"{self.home.home}/{name}"

    def owned(self, path):
        home = os.stat(self.home.home)
        os.chown(path, home.st_uid, home.st_gid)
        return path

    def plain(self, name, content, mode=0o640):
        """A file of the user's with this content."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return self.owned(path)

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def started(self, *words, prepare=lambda: None, **streams):
        """A program that the user runs, which goes on."""

        def begin():
            prepare()
            as_user()

        return subprocess.Popen(words, env=self.home.environment, preexec_fn=begin, **streams)

    def done(self, *words, data=b"", status=0, prepare=lambda: None, output=subprocess.PIPE):
        """What a program of the user's writes, and its complaint."""
        streams = {"stdin": subprocess.PIPE, "stdout": output, "stderr": subprocess.PIPE}
        with self.started(*words, prepare=prepare, **streams) as process:
            out, complaint = process.communicate(data, timeout=PATIENCE)
        self.assertEqual(status, process.returncode, (words, complaint))
        return out, complaint.decode()

    def file_words(self, *words):
        return [f"{self.home.programs}/security", "file", *words]

    def file(self, *words, **options):
        """The same of `security file`."""
        return self.done(*self.file_words(*words), **options)

    def written(self, process):
        """The bytes in a process's files below the home."""
        folder, written = f"/proc/{process}/fd", 0
        for name in os.listdir(folder):
            if os.readlink(f"{folder}/{name}").startswith(f"{self.home.home}/"):
                written += os.stat(f"{folder}/{name}").st_size
        return written


class Holder:
    """`file-holder`, which does what it is told, line by line."""

    def __init__(self, path, environment, prepare=as_user):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [path], env=environment, text=True, stdin=pipe, stdout=pipe, preexec_fn=prepare, cwd="/"
        )

    @classmethod
    def of(cls, home, programs, mode, prepare=as_user):
        """One of a home's user, with a daemon or with the keychain inside."""
        # Alone in its folder it finds no daemon that it could start.
        path = f"{home.folder}/{mode}/file-holder"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            shutil.copy(f"{programs}/file-holder", path)
        kept = {name: value for name, value in home.environment.items() if mode == "daemon" or "DAEMON" not in name}
        return cls(path, kept | {"KEYCHAIN_MODE": mode}, prepare)

    def tell(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().strip()

    def does(self, *words):
        self.tell(*words)
        return self.answer()

    def must(self, *words, says="ok"):
        answer = self.does(*words)
        assert answer == says, (words, answer)

    def end(self):
        self.process.communicate(timeout=PATIENCE)


class LockTable:
    """Files of all classes in one folder, which a program holds open: what goes through says the class and the lock."""

    CLASSES, LOCKED = "abcd", "-25308"

    def __init__(self, holder, folder):
        self.holder, self.folder, self.mark = holder, folder, ""
        for letter in self.CLASSES:
            path = self.path(letter)
            holder.must("make", letter, path)
            holder.must("open", letter, path)
            holder.must("begin", letter, letter, self.path(f"new-{letter}"))
        self.must_be_all()

    def path(self, name):
        return f"{self.folder}/{name}"

    def goes(self, *words):
        """The classes in which something goes through; in the others it is refused as locked."""
        through = ""
        for letter in self.CLASSES:
            answer = self.holder.does(*[word.format(letter) for word in words])
            assert answer == "ok" or answer.startswith(self.LOCKED), (words, letter, answer)
            through += letter if answer == "ok" else ""
        return through

    def must(self, *expected):
        """Holds the classes in which files are made, opened, read on and written on against what is expected."""
        found = (
            self.goes("make", "{}", self.path("more")),
            self.goes("see", self.path("{}" + self.mark)),
            self.goes("read", "{}"),
            self.goes("write", "{}"),
        )
        assert found == expected, (found, expected)

    def rename(self):
        """Gives the files that are held open other names, and their folder, in which others are being written."""
        for letter in self.CLASSES:
            os.rename(self.path(letter + self.mark), self.path(letter + self.mark + "-renamed"))
        self.mark += "-renamed"
        os.rename(self.folder, f"{self.folder}-renamed")
        self.folder += "-renamed"

    def must_be_all(self):
        self.must(*[self.CLASSES] * 4)

    def must_end_whole(self, **times):
        """Closes the files that were begun: what was refused has left nothing behind, and what was taken is there."""
        for letter, count in times.items():
            self.holder.must("close", letter)
            self.holder.must("length", self.path(f"new-{letter}"), says=str(100_000 * count))


def main():
    """Runs the tests of a script, whose first word is the folder of the programs."""
    FilesTest.programs = sys.argv.pop(1)
    unittest.main(verbosity=2)
