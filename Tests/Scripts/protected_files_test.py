"""Swift programs hold protected files open: with a daemon, with the keychain inside, and on a TPM in software.

usage: protected_files_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os

from file_parts import FilesTest, Holder, LockTable, main
from keychain_parts import ends
from patience import eventually
from tpm_parts import software_tpm

CONTENT = bytes(number * 31 & 0xFF for number in range(200_000))


class ProtectedFiles(FilesTest):
    def kill_daemons(self):
        """A program that waits for the next unlock may have started another one already."""
        for daemon in self.home.daemons().values():
            ends(daemon)

    def holder(self, mode):
        holder = Holder.of(self.home, self.programs, mode)
        self.addCleanup(holder.end)
        return holder

    def unlock(self):
        self.home.says("unlock-keychain", "-p", "pw")

    def follows_the_lock(self, mode):
        holder = self.holder(mode)
        os.mkdir(self.path("files"))
        table = LockTable(holder, self.owned(self.path("files")))
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.unlock()
        table.rename()
        table.must_be_all()
        self.home.says("lock-keychain")
        # Refused at once, and noticed soon.
        table.rename()
        table.must("bcd", "cd", "bcd", "bcd")
        holder.must("available", says="false")
        eventually(lambda: holder.does("told") == "unavailable")
        self.unlock()
        table.must_be_all()
        eventually(lambda: holder.does("told") == "available")
        self.kill_daemons()
        # Nobody has shown the password to the keychain that answers now.
        table.must("bd", "d", "bd", "bd")
        self.unlock()
        table.must_be_all()
        table.must_end_whole(a=4, b=6, c=5, d=6)

    def test_with_a_daemon_files_follow_the_lock(self):
        self.follows_the_lock("daemon")

    def test_with_the_keychain_inside_files_follow_the_lock_of_the_command(self):
        self.follows_the_lock("embedded")

    def test_on_a_tpm_files_follow_the_lock(self):
        with software_tpm(f"{self.folder}/tpm") as address:
            self.home.environment["KEYCHAIN_TPM"] = address
            self.follows_the_lock("daemon")
            self.assertIn("TPM 2.0", self.home.run("status").stdout)

    def test_a_keychain_that_has_gone_has_no_open_files(self):
        holder = self.holder("daemon")
        LockTable(holder, self.home.home)
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
        holder = self.holder("daemon")
        path = self.plain("file", CONTENT)
        holder.must("move", "b", path)
        self.assertIn("class b", self.home.run("file", "info", path).stdout)
        holder.must("info", path, says="completeUnlessOpen")
        # Another program of the user has another group.
        self.assertIn("access", self.home.run("file", "cat", path).stderr)
        holder.must("see", path)


if __name__ == "__main__":
    main()
