"""The commands for protected files where calls of the kernel fail, are interrupted or do less than they were asked.

usage: file_faults_test.py FOLDER-OF-PROGRAMS LIBRARY-OF-SHORT-CALLS [TEST...]
"""

import os
import pathlib
import re
import sys

import protected_file
from file_parts import FilesTest, Holder, main
from patience import PATIENCE

CONTENT, EDITED = os.urandom(150_000), os.urandom(140_000)
# What changes files. A disk may be full at each of them.
CHANGES = "write,pwrite64,fsync,fdatasync,ftruncate,fchmod,linkat,rename,renameat,renameat2"
LINE = re.compile(r"^\d+\s+(\w+)\((.*)$")
UNNAMED = re.compile(r"\d+<[^>]*#\d+>")


class Faults(FilesTest):
    library = ""

    def setUp(self):
        super().setUp()
        self.identity = protected_file.Identity()
        self.plain("next", EDITED)
        self.trace = f"{self.home.temporary}/trace"
        editor = self.plain("editor", b'#!/bin/sh\nexec cp "$HOME/next" "$1"\n', 0o755)
        self.home.environment |= {"EDITOR": editor, "HOME": self.home.home}
        # The daemon is there before: none of its calls is the command's.
        self.file("protect", "-o", self.path("sealed"), self.plain("plain", CONTENT))
        self.names = sorted(os.listdir(self.home.home))

    # What replaces a file: words, and the file that is replaced or made.
    def commands(self):
        plain, sealed, new = self.path("plain"), self.path("sealed"), self.path("new")
        return {
            "protect": (["protect", plain], plain),
            "protect -o": (["protect", "-o", new, plain], new),
            "unprotect": (["unprotect", sealed], sealed),
            "move": (["move", "-c", "b", sealed], sealed),
            "recovery": (["recovery", "-R", self.identity.recipient, sealed], sealed),
            "edit": (["edit", sealed], sealed),
            "export": (["export", "-t", self.identity.recipient, "-o", new, sealed], new),
        }

    def renew(self):
        """The files as they are before each command."""
        for name in set(os.listdir(self.home.home)) - set(self.names):
            os.remove(self.path(name))
        self.plain("plain", CONTENT)
        with open(self.path("sealed"), "wb") as file:
            file.write(self.before)

    def traced(self, words, *options):
        """The status of a command, and the lines of its trace."""
        program = ["strace", "-f", "-q", "-y", "-o", self.trace, *options, *self.file_words(*words)]
        with open(os.devnull, "r+b") as nothing:
            with self.started(*program, stdin=nothing, stdout=nothing, stderr=nothing) as run:
                run.wait(PATIENCE)
        return run.returncode, pathlib.Path(self.trace).read_text().splitlines()

    def each_command(self):
        self.before = self.content(self.path("sealed"))
        for name, (words, path) in self.commands().items():
            self.renew()
            yield name, words, path

    # Tests.

    def test_content_is_on_the_disk_before_its_name_and_the_name_before_the_end(self):
        for name, words, path in self.each_command():
            status, lines = self.traced(words, "-e", f"trace={CHANGES}")
            self.assertEqual(0, status, lines[-20:])
            calls = [match.groups() for match in map(LINE.match, lines) if match]
            renamed = max(place for place, (call, _) in enumerate(calls) if call.startswith("rename"))
            self.assertTrue(calls[renamed][1].endswith(f'/{os.path.basename(path)}") = 0'), calls[renamed])
            linked = max(place for place, (call, _) in enumerate(calls) if call == "linkat")
            # The new file has no name until then.
            of_file = [(call, place) for place, (call, words) in enumerate(calls) if UNNAMED.match(words)]
            self.assertEqual(["fchmod", "fsync"], [call for call, _ in of_file[-2:]], name)
            self.assertIn("write", [call for call, _ in of_file[:-2]], name)
            self.assertTrue(of_file[-1][1] < linked < renamed, name)
            folder = [words for call, words in calls[renamed:] if call == "fsync"]
            self.assertTrue(any(words.endswith(f"<{self.home.home}>) = 0") for words in folder), (name, folder))

    def is_as_it_was(self, name, path, was):
        """Whether a file is as before a command; else it is what the command makes of it."""
        now = self.content(path) if os.path.exists(path) else None
        if now == was:
            return True
        if name == "unprotect":
            self.assertEqual(CONTENT, now)
        elif name == "export":
            self.assertTrue(now.startswith(b"age-encryption.org/v1"))
        else:
            self.assertEqual(EDITED if name == "edit" else CONTENT, self.file("cat", path)[0])
        return False

    def test_a_disk_that_is_full_at_any_call_leaves_the_old_file_or_the_new_one(self):
        for name, words, path in self.each_command():
            was = self.content(path) if os.path.exists(path) else None
            failed = []
            for call in CHANGES.split(","):
                number = 1
                while self.is_hit(call, number, name, words, path, was):
                    failed.append(call)
                    number += 1
            print(f"{name}: {len(failed)} calls", flush=True)
            self.assertLessEqual({"write", "fsync", "fchmod", "linkat", "rename"}, set(failed))

    def is_hit(self, call, number, name, words, path, was):
        """Whether a command has a call of that number. It finds the disk full there."""
        self.renew()
        inject = f"inject={call}:error=ENOSPC:when={number}"
        status, lines = self.traced(words, "-e", f"trace={CHANGES}", "-e", inject)
        is_old = self.is_as_it_was(name, path, was)
        place = (name, call, number, lines[-10:])
        self.assertFalse(is_old and status == 0, place)
        made = set() if is_old or was is not None else {os.path.basename(path)}
        self.assertEqual(made, set(os.listdir(self.home.home)) - set(self.names), place)
        return any(line.endswith("(INJECTED)") for line in lines)

    def preload(self):
        self.home.environment |= {"LD_PRELOAD": self.library, "SHORT_CALLS": "4099"}

    def test_interrupted_and_short_calls_change_nothing(self):
        for name, words, path in self.each_command():
            was = self.content(path) if os.path.exists(path) else None
            self.preload()
            self.file(*words)
            del self.home.environment["LD_PRELOAD"]
            self.assertFalse(self.is_as_it_was(name, path, was), name)
        self.preload()
        self.renew()
        sealed = self.file("protect", "-o", "-", "-", data=CONTENT)[0]
        self.assertEqual(CONTENT, self.file("cat", "-", data=sealed)[0])
        self.assertEqual(CONTENT[70_000:80_001], self.file("cat", "-r", "70000-80000", self.path("sealed"))[0])
        self.file("verify", self.path("sealed"))

    def test_interrupted_and_short_calls_change_nothing_in_a_program(self):
        self.preload()
        holder = Holder.of(self.home, self.programs, "daemon")
        # Swift's readLine waits for ever at the end of an input when the last call was interrupted.
        self.addCleanup(holder.process.communicate)
        self.addCleanup(holder.process.kill)
        written, made = self.path("written"), self.path("made")
        holder.must("begin", "it", "a", written)
        for _ in range(3):
            holder.must("write", "it")
        holder.must("close", "it")
        holder.must("length", written, says="300000")
        holder.must("make", "b", made)
        holder.must("open", "it", made)
        holder.must("read", "it")
        holder.must("see", made)


if __name__ == "__main__":
    Faults.library = os.path.abspath(sys.argv.pop(2))
    main()
