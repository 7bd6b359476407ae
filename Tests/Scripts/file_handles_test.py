"""A program has thousands of protected files open: a lock closes all of them, an unlock opens them again.

usage: file_handles_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os
import resource

from file_parts import FilesTest, Holder, main
from keychain_parts import ends
from ordinary_parts import as_user

COUNT = int(os.environ.get("FILE_HANDLES", "300"))
LOCKED = "-25308 file.locked"
FEW = 100
# The bytes of an open file while nothing is read. Of few files the memory of everything else is no small part.
IDLE, MANY = 1500, 5000


class Handles(FilesTest):
    def holder(self, mode, descriptors):
        # A daemon that the program starts would have its limit.
        self.assertEqual(0, self.home.run("status").returncode)

        def prepare():
            _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, most))
            as_user()

        holder = Holder.of(self.home, self.programs, mode, prepare)
        self.addCleanup(holder.end)
        holder.must("make", "a", self.path("file"))
        return holder

    def unlock(self):
        self.home.says("unlock-keychain", "-p", "pw")

    def counts(self, holder):
        """The descriptors and the threads of the program, and its memory in kilobytes."""
        folder = f"/proc/{holder.process.pid}"
        with open(f"{folder}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return len(os.listdir(f"{folder}/fd")), len(os.listdir(f"{folder}/task")), int(lines["VmRSS"].split()[0])

    def follows_the_lock(self, mode):
        holder, path = self.holder(mode, COUNT + FEW), self.path("file")
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.unlock()
        holder.must("many", str(FEW // 2), path)
        holder.must("all", says=f"{FEW // 2} ok")
        _, threads, before = self.counts(holder)
        holder.must("many", str(COUNT - FEW // 2), path)
        if COUNT >= MANY:
            self.assertLess(self.counts(holder)[2] - before << 10, IDLE * COUNT)
        holder.must("all", says=f"{COUNT} ok")
        self.assertEqual(threads, self.counts(holder)[1])
        self.home.says("lock-keychain")
        holder.must("all", says=f"{COUNT} {LOCKED}")
        self.unlock()
        holder.must("all", says=f"{COUNT} ok")
        for daemon in self.home.daemons().values():
            ends(daemon)
        holder.must("all", says=f"{COUNT} {LOCKED}")
        self.unlock()
        holder.must("all", says=f"{COUNT} ok")
        self.leaves_nothing(holder)

    def leaves_nothing(self, holder):
        """Files that are closed and opened again take what they took before."""
        before = self.counts(holder)
        for _ in range(3):
            holder.must("fewer", str(COUNT))
            holder.must("many", str(COUNT), self.path("file"))
        after = self.counts(holder)
        # The keychain may have closed descriptors of its own meanwhile.
        self.assertLessEqual(after[0], before[0])
        self.assertLessEqual(after[1], before[1])
        # Less than a kilobyte for each of the files that came since.
        self.assertLess(after[2] - before[2], 3 * COUNT)

    def test_open_files_follow_the_lock_together(self):
        self.follows_the_lock("daemon")

    def test_open_files_follow_the_lock_together_with_the_keychain_inside(self):
        self.follows_the_lock("embedded")

    def fills(self, mode):
        """Opens files until there is no descriptor left; the program and how many they are."""
        holder = self.holder(mode, FEW)
        opened, _, refusal = holder.does("many", str(2 * FEW), self.path("file")).partition(" and ")
        self.assertEqual("-36 keychain.unavailable", refusal)
        self.assertGreater(int(opened), FEW // 2)
        # Open files need no further ones.
        holder.must("all", says=f"{opened} ok")
        return holder, int(opened)

    def test_without_descriptors_a_file_is_refused_and_the_open_ones_go_on(self):
        for mode in ("daemon", "embedded"):
            holder, opened = self.fills(mode)
            holder.must("fewer", "10")
            holder.must("many", "10", self.path("file"))
            holder.must("all", says=f"{opened} ok")

    def test_a_program_without_descriptors_goes_on_when_it_has_some_again(self):
        holder, opened = self.fills("daemon")
        for daemon in self.home.daemons().values():
            ends(daemon)
        # There is none for another connection.
        answers = holder.does("all")
        self.assertNotIn("ok", answers)
        self.assertTrue(answers.startswith(f"{opened} "), answers)
        holder.must("fewer", "10")
        holder.must("all", says=f"{opened - 10} ok")


if __name__ == "__main__":
    main()
