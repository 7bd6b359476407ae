"""Protected files at their limits: very large ones, in little memory, on a full disk, killed in the middle.

usage: file_limits_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import errno
import os
import resource
import signal
import subprocess

import protected_file
from file_parts import FilesTest, Holder, main
from ordinary_parts import as_user
from patience import PATIENCE, eventually

CHUNK = 1 << 16
# The whole of the file that is streamed does not fit.
MOST_MEMORY = 32 << 20


class Limits(FilesTest):
    def test_a_file_of_100_gib_is_read_at_its_ends(self):
        identity, path = protected_file.Identity(), self.path("large")
        self.file("protect", "-c", "a", "-R", identity.recipient, "-o", path, "-")
        with open(path, "rb") as file:
            preamble = file.read(protected_file.CHUNKS)
        one, file_key = protected_file.authentic(preamble, identity)
        cipher = protected_file.AESGCM(protected_file.derive(file_key, one.file_id, b"chunks"))
        last = (100 << 30) // CHUNK
        with open(path, "r+b") as file:
            for index, content in ((0, b"first" + bytes(CHUNK - 5)), (last, b"the end")):
                file.seek(protected_file.CHUNKS + index * (CHUNK + protected_file.TAG))
                file.write(cipher.encrypt(protected_file.nonce(index, index == last), content, None))
        length = last * CHUNK
        self.assertEqual(b"first", self.file("cat", "-r", "0-4", path)[0])
        self.assertEqual(b"the end", self.file("cat", "-r", f"{length}-", path)[0])
        self.assertEqual(b"", self.file("cat", "-r", f"{length + 7}-", path)[0])
        # Nobody has written what is between them.
        out, reason = self.file("cat", "-r", f"{CHUNK - 3}-{CHUNK + 3}", path, status=-26275 & 0xFF)
        self.assertEqual(b"", out)
        self.assertIn(f"{length + 7} bytes", self.file("info", path)[0].decode())
        with open(path, "r+b") as file:
            file.truncate(protected_file.CHUNKS + last * (CHUNK + protected_file.TAG))
        self.file("cat", "-r", "0-4", path, status=-26275 & 0xFF)

    def memory(self, *words, source, target):
        """The most memory that a command had, in bytes."""
        with open(source, "rb") as given, open(target, "wb") as taken:
            process = self.started(*self.file_words(*words), stdin=given, stdout=taken)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(0, process.returncode)
        return usage.ru_maxrss << 10

    def test_streams_take_little_memory_whatever_their_length(self):
        plain = self.plain("plain", b"")
        os.truncate(plain, 36 << 20)
        sealed, back = self.path("sealed"), self.path("back")
        for words, source, target in ((("protect", "-o", "-", "-"), plain, sealed), (("cat", "-"), sealed, back)):
            self.assertLess(self.memory(*words, source=source, target=target), MOST_MEMORY)
        self.assertEqual(36 << 20, os.path.getsize(back))

    def test_a_full_disk_leaves_the_file_as_it_was(self):
        content = os.urandom(3 << 20)
        path = self.plain("file", content)

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        self.file("protect", path, status=-36 & 0xFF, prepare=small_disk)
        with open(path, "rb") as file:
            self.assertEqual(content, file.read())
        self.file("protect", path)
        with open(path, "rb") as file:
            sealed = file.read()
        for words in (("unprotect",), ("move", "-c", "d"), ("recovery",)):
            self.file(*words, path, status=-36 & 0xFF, prepare=small_disk)
            with open(path, "rb") as file:
                self.assertEqual(sealed, file.read())
        with open("/dev/full", "wb") as full:
            for words in (("protect", "-o", "-", "-"), ("unprotect", "-o", "-", path)):
                self.assertIn(os.strerror(errno.ENOSPC), self.refused_by(full, *words))
        self.assertEqual(["file"], [name for name in os.listdir(self.home.home) if name != "k"])

    def test_a_full_disk_ends_a_programs_file_and_no_chunk_is_sealed_twice(self):
        path = self.plain("file", b"old")

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            as_user()

        self.assertEqual(0, self.home.run("status").returncode)
        holder = Holder.of(self.home, self.programs, "daemon", small_disk)
        self.addCleanup(holder.end)
        holder.must("begin", "it", "a", path)
        answers = [holder.does("write", "it") for _ in range(15)]
        full = answers.index("-36 keychain.unavailable")
        self.assertEqual((["ok"] * full, ["-50 file.ended"] * (14 - full)), (answers[:full], answers[full + 1 :]))
        holder.must("close", "it", says="-50 file.ended")
        self.assertEqual(b"old", self.content(path))
        self.assertEqual(["file"], [name for name in os.listdir(self.home.home) if name != "k"])

    def refused_by(self, output, *words):
        streams = {"stdin": subprocess.PIPE, "stdout": output, "stderr": subprocess.PIPE}
        with self.started(*self.file_words(*words), **streams) as process:
            _, complaint = process.communicate(os.urandom(1 << 20), timeout=PATIENCE)
        self.assertNotEqual(0, process.returncode)
        return complaint.decode()

    def test_a_kill_in_the_middle_leaves_the_file_as_it_was(self):
        old = self.plain("file", b"old")
        self.file("protect", old)
        with open(old, "rb") as file:
            before = file.read()
        process = self.started(*self.file_words("protect", "-o", old, "-"), stdin=subprocess.PIPE)
        process.stdin.write(os.urandom(2 << 20))
        process.stdin.flush()
        eventually(lambda: self.written(process.pid) > 1 << 20)
        process.kill()
        process.communicate()
        with open(old, "rb") as file:
            self.assertEqual(before, file.read())
        self.assertEqual((b"old", ""), self.file("cat", old))
        self.assertEqual(["file"], [name for name in os.listdir(self.home.home) if name != "k"])


if __name__ == "__main__":
    main()
