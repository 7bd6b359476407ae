"""Commands that replace a protected file are killed at random system calls: the file is always the old or the new one.

usage: file_kills_long_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import random

from file_parts import FilesTest, main
from patience import PATIENCE

KILLS = int(os.environ.get("FILE_KILLS", "1000"))
# What touches files. A command has a few hundred of them in all.
CALLS = (
    "openat,pwrite64,write,fsync,fdatasync,ftruncate,fchmod,fchown,fsetxattr,linkat,rename,renameat2,unlink,unlinkat"
)


class Kills(FilesTest):
    def setUp(self):
        super().setUp()
        self.seed = random.randrange(1 << 32)
        self.chance, self.secret = random.Random(self.seed), os.urandom(300_000)
        # The daemon is there before, and is not traced.
        first = self.plain("first", b"first")
        self.file("protect", first)
        os.remove(first)
        self.trace = f"{self.home.temporary}/trace"

    def is_killed(self, count, *words):
        """Runs the command, which is killed at its call of that number; whether it was."""
        kill = ["-e", f"trace={CALLS}", "-e", f"inject={CALLS}:signal=KILL:when={count}"]
        with self.started("strace", "-f", "-q", "-o", self.trace, *kill, *self.file_words(*words)) as run:
            run.wait(PATIENCE)
        return "+++ killed by SIGKILL +++" in pathlib.Path(self.trace).read_text()

    def is_sealed(self, path):
        """Whether the file is sealed. Its content is always the same, and it is alone in its folder."""
        self.assertEqual(["file"], [name for name in os.listdir(self.home.home) if name != "k"])
        if self.content(path) == self.secret:
            return False
        self.assertEqual(self.secret, self.file("cat", path)[0])
        return True

    def words(self, is_sealed):
        """A command that changes the file."""
        if is_sealed:
            return self.chance.choice([["unprotect"], ["move", "-c", self.chance.choice("abcd")]])
        return ["protect"]

    def test_the_file_is_the_old_or_the_new_one(self):
        path = self.plain("file", self.secret)
        kills, changed, most = 0, 0, {}
        while kills < KILLS:
            was_sealed = self.is_sealed(path)
            words = self.words(was_sealed)
            count = self.chance.randrange(1, most.get(words[0], 400))
            if self.is_killed(count, *words, path):
                kills += 1
                changed += self.is_sealed(path) != was_sealed
            else:
                # It has no call of that number.
                most[words[0]] = count
        print(f"seed {self.seed}: {kills} kills, of which {changed} came after the change; calls {most}", flush=True)


if __name__ == "__main__":
    main()
