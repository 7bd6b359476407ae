"""Content of 10 GiB goes through `protect` and `cat` in little memory, and comes back as it was.
None of it reaches a disk.

usage: file_limits_long_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os
import subprocess
import threading

from file_parts import FilesTest, main

PIECE = os.urandom((1 << 20) - 8)
PIECES = 10 << 10
MOST_MEMORY = 64 << 20


def piece(index):
    """No two pieces are the same, so that none comes twice or in another's place unseen."""
    return index.to_bytes(8, "big") + PIECE


class LongStreams(FilesTest):
    def memory(self, process):
        """The most memory that a program had when it has ended, in bytes."""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(0, process.returncode)
        return usage.ru_maxrss << 10

    def fed(self, process):
        """Begins to write all pieces to a program."""

        def feed():
            with process.stdin as pipe:
                for index in range(PIECES):
                    pipe.write(piece(index))

        thread = threading.Thread(target=feed)
        thread.start()
        self.addCleanup(thread.join)

    def test_10_gib_are_streamed_in_64_mib_of_memory(self):
        pipe = subprocess.PIPE
        sealing = self.started(*self.file_words("protect", "-o", "-", "-"), stdin=pipe, stdout=pipe)
        with sealing.stdout as sealed:
            opening = self.started(*self.file_words("cat", "-"), stdin=sealed, stdout=pipe)
        self.fed(sealing)
        with opening.stdout as content:
            for index in range(PIECES):
                # Compared here: the failure would show two pieces.
                self.assertTrue(content.read(1 << 20) == piece(index), index)
            self.assertEqual(b"", content.read(1))
        for process in (sealing, opening):
            self.assertLess(self.memory(process), MOST_MEMORY)


if __name__ == "__main__":
    main()
