"""Swift programs hold protected files open: with a daemon, with the keychain inside, and on a TPM in software.

usage: protected_files_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os

from file_parts import FilesTest, Holder, main
from keychain_parts import ends
from patience import eventually
from tpm_parts import software_tpm

CLASSES = "abcd"
LOCKED = "-25308"
CONTENT = bytes(number * 31 & 0xFF for number in range(200_000))


class ProtectedFiles(FilesTest):
    def goes(self, holder, *words):
        """The classes in which something goes through; in the others it is refused as locked."""
        through = ""
        for letter in CLASSES:
            answer = holder.does(*[word.format(letter) for word in words])
            self.assertTrue(answer == "ok" or answer.startswith(LOCKED), (words, letter, answer))
            through += letter if answer == "ok" else ""
        return through

    def state(self, holder):
        """The classes in which files are made, opened, read on and written on."""
        return (
            self.goes(holder, "make", "{}", self.path("more")),
            self.goes(holder, "see", self.path("{}")),
            self.goes(holder, "read", "{}"),
            self.goes(holder, "write", "{}"),
        )

    def kill_daemons(self):
        """A program that waits for the next unlock may have started another one already."""
        for daemon in self.home.daemons().values():
            ends(daemon)

    def holds(self, mode):
        holder = Holder(self.home, self.programs, mode)
        self.addCleanup(holder.end)
        for letter in CLASSES:
            path = self.path(letter)
            holder.must("make", letter, path)
            holder.must("open", letter, path)
            holder.must("begin", letter, letter, self.path(f"new-{letter}"))
        self.assertEqual((CLASSES,) * 4, self.state(holder))
        return holder

    def follows_the_lock(self, mode):
        holder = self.holds(mode)
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.home.says("unlock-keychain", "-p", "pw")
        self.assertEqual((CLASSES,) * 4, self.state(holder))
        self.home.says("lock-keychain")
        # Refused at once, and noticed soon.
        self.assertEqual(("bcd", "cd", "bcd", "bcd"), self.state(holder))
        holder.must("available", says="false")
        eventually(lambda: holder.does("told") == "unavailable")
        self.home.says("unlock-keychain", "-p", "pw")
        self.assertEqual((CLASSES,) * 4, self.state(holder))
        eventually(lambda: holder.does("told") == "available")
        self.kill_daemons()
        # Nobody has shown the password to the keychain that answers now.
        self.assertEqual(("bd", "d", "bd", "bd"), self.state(holder))
        self.home.says("unlock-keychain", "-p", "pw")
        self.assertEqual((CLASSES,) * 4, self.state(holder))
        # What was refused has left nothing behind, and what was taken is all there.
        for letter, times in zip(CLASSES, (4, 6, 5, 6)):
            holder.must("close", letter)
            holder.must("length", self.path(f"new-{letter}"), says=str(100_000 * times))

    def test_with_a_daemon_files_follow_the_lock(self):
        self.follows_the_lock("daemon")

    def test_with_the_keychain_inside_files_follow_the_lock_of_the_command(self):
        self.follows_the_lock("embedded")

    def test_on_a_tpm_files_follow_the_lock(self):
        with software_tpm(f"{self.folder}/tpm") as address:
            self.home.environment["KEYCHAIN_TPM"] = address
            self.follows_the_lock("daemon")

    def test_a_keychain_that_has_gone_has_no_open_files(self):
        holder = self.holds("daemon")
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        os.rename(f"{self.home.programs}/keychaind", f"{self.home.programs}/gone")
        self.kill_daemons()
        for letter in "ac":
            self.assertNotEqual("ok", holder.does("read", letter))
            self.assertNotEqual("ok", holder.does("write", letter))
        for letter in "bd":
            holder.must("read", letter)
            holder.must("write", letter)
        holder.must("available", says="false")
        os.rename(f"{self.home.programs}/gone", f"{self.home.programs}/keychaind")

    def test_the_command_and_programs_have_the_same_files(self):
        holder = Holder(self.home, self.programs, "daemon")
        self.addCleanup(holder.end)
        path = self.plain("file", CONTENT)
        holder.must("move", "b", path)
        self.assertIn("class b", self.home.run("file", "info", path).stdout)
        holder.must("info", path, says="completeUnlessOpen")
        # Another program of the user has another group.
        self.assertIn("access", self.home.run("file", "cat", path).stderr)
        holder.must("see", path)


if __name__ == "__main__":
    main()
