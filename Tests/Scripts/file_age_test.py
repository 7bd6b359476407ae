"""Protected files become files of age and come back, by the user's own program age.

usage: file_age_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os
import pty
import signal

from file_parts import FilesTest, main
from ordinary_parts import as_user

# More than is read at once.
CONTENT = os.urandom((1 << 20) + 100_000)
NOT_INSTALLED = 1
IO = -36 & 0xFF


class Age(FilesTest):
    def setUp(self):
        super().setUp()
        self.key = self.path("key")
        self.run_as_user("age-keygen", "-o", self.key)
        self.recipient = self.run_as_user("age-keygen", "-y", self.key).decode().strip()
        self.file("protect", "-R", self.recipient, "-o", self.path("file"), "-", data=CONTENT)

    def run_as_user(self, *words, data=b"", status=0):
        out, self.complaint = self.done(*words, data=data, status=status)
        return out

    def file(self, *words, data=b"", status=0):
        return self.run_as_user(*self.file_words(*words), data=data, status=status)

    def decrypted(self, path, status=0):
        return self.run_as_user("age", "-d", "-i", self.key, path, status=status)

    def test_a_file_becomes_one_of_age_and_comes_back(self):
        self.file("export", "-t", self.recipient, "-o", self.path("out.age"), self.path("file"))
        self.assertEqual(CONTENT, self.decrypted(self.path("out.age")))
        self.file("import", "-i", self.key, "-c", "a", "-o", self.path("back"), self.path("out.age"))
        self.assertEqual(CONTENT, self.file("cat", self.path("back")))
        self.assertIn(b"class a", self.file("info", self.path("back")))
        # By an identity, without the keychain; and through pipes.
        piped = self.file("export", "-t", self.recipient, "-i", self.key, "-o", "-", self.path("file"))
        sealed = self.file("import", "-i", self.key, "-o", "-", "-", data=piped)
        self.assertEqual(CONTENT, self.file("cat", "-", data=sealed))

    def test_damage_makes_no_whole_file_of_age(self):
        with open(self.path("file"), "r+b") as file:
            file.truncate(1 << 20)
        self.file("export", "-t", self.recipient, "-o", self.path("out.age"), self.path("file"), status=-26275 & 0xFF)
        self.assertFalse(os.path.exists(self.path("out.age")))
        piped = self.file("export", "-t", self.recipient, "-o", "-", self.path("file"), status=-26275 & 0xFF)
        with open(self.path("piped.age"), "wb") as file:
            file.write(piped)
        self.decrypted(self.path("piped.age"), status=1)

    def test_a_file_of_age_that_is_not_whole_becomes_no_whole_one(self):
        aged = self.run_as_user("age", "-r", self.recipient, data=CONTENT)
        for part in (aged[:-1], aged[: 1 << 20], aged[:-40] + bytes(40), aged[:10]):
            self.file("import", "-i", self.key, "-o", self.path("back"), "-", data=part, status=IO)
            self.assertFalse(os.path.exists(self.path("back")))
        sealed = self.file("import", "-i", self.key, "-o", "-", "-", data=aged[:-1], status=IO)
        self.file("cat", "-", data=sealed, status=-26275 & 0xFF)

    def test_a_wrong_recipient_or_identity_leaves_everything_as_it_was(self):
        self.plain("kept", b"kept")
        self.file("export", "-t", "age1nobody", "-o", self.path("kept"), self.path("file"), status=IO)
        self.assertIn("age1nobody", self.complaint)
        self.assertIn("age has ended", self.complaint)
        self.run_as_user("age-keygen", "-o", self.path("other"))
        aged = self.run_as_user("age", "-r", self.recipient, data=CONTENT)
        self.file("import", "-i", self.path("other"), "-o", self.path("kept"), "-", data=aged, status=IO)
        with open(self.path("kept"), "rb") as file:
            self.assertEqual(b"kept", file.read())
        for words in (
            ("export", "-o", "x", self.path("file")),
            ("export", "-t", self.recipient, self.path("file")),
            ("export", "-p", "-t", self.recipient, "-o", "x", self.path("file")),
            ("import", "-i", "-", "-o", "x", "-"),
        ):
            self.file(*words, status=2)

    def test_without_age_the_reason_is_named(self):
        self.home.environment["PATH"] = self.home.programs
        self.file("export", "-t", self.recipient, "-o", "x", self.path("file"), status=NOT_INSTALLED)
        self.assertIn("age is not installed", self.complaint)

    def at_terminal(self, words, talk):
        """Runs a command at a terminal of its own, and what answers there."""
        child, terminal = pty.fork()
        if child == 0:
            as_user()
            os.execve(words[0], words, self.home.environment)
        try:
            talk(terminal)
        finally:
            _, status = os.waitpid(child, 0)
            os.close(terminal)
        return os.waitstatus_to_exitcode(status)

    def until(self, terminal, text):
        shown = b""
        while text not in shown:
            shown += os.read(terminal, 4096)
        return shown

    def test_age_asks_for_its_passphrase_at_the_terminal(self):
        def twice(terminal):
            for _ in range(2):
                self.until(terminal, b"passphrase")
                self.until(terminal, b":")
                os.write(terminal, b"open sesame\n")
            self.drain(terminal)

        def once(terminal):
            self.until(terminal, b":")
            os.write(terminal, b"open sesame\n")
            self.drain(terminal)

        program = f"{self.home.programs}/security"
        out, back = self.path("out.age"), self.path("back")
        self.assertEqual(0, self.at_terminal([program, "file", "export", "-p", "-o", out, self.path("file")], twice))
        self.assertEqual(0, self.at_terminal([program, "file", "import", "-o", back, out], once))
        self.assertEqual(CONTENT, self.file("cat", back))

    @staticmethod
    def drain(terminal):
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:
            pass

    def test_a_long_task_says_how_far_it_is(self):
        reader, writer = os.pipe()
        os.write(writer, b"x" * 10)

        def talk(terminal):
            os.close(reader)
            os.set_blocking(writer, True)
            # More than a piece was taken, and there will be more.
            os.write(writer, bytes(60_000))
            for _ in range(40):
                os.write(writer, bytes(60_000))
            self.until(terminal, b"2 MiB")
            os.close(writer)
            self.drain(terminal)

        child, terminal = pty.fork()
        if child == 0:
            os.dup2(reader, 0)
            os.close(writer)
            as_user()
            words = [f"{self.home.programs}/security", "file", "protect", "-o", self.path("long"), "-"]
            os.execve(words[0], words, self.home.environment)
        talk(terminal)
        self.assertEqual(0, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os.close(terminal)
        self.assertIn(b"2460010 bytes", self.file("info", self.path("long")))

    def test_a_change_in_its_place_says_how_far_it_is(self):
        (daemon,) = self.home.daemons().values()
        self.addCleanup(os.kill, daemon, signal.SIGCONT)

        def talk(terminal):
            # Nobody answers, so that the task lasts.
            self.until(terminal, b"0 of 1 MiB")
            os.kill(daemon, signal.SIGCONT)
            self.drain(terminal)

        for words in (("move", "-c", "d"), ("recovery",)):
            os.kill(daemon, signal.SIGSTOP)
            self.assertEqual(0, self.at_terminal(self.file_words(*words, self.path("file")), talk))
        self.assertIn(b"class d", self.file("info", self.path("file")))


if __name__ == "__main__":
    main()
