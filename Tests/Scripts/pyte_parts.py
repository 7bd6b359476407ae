"""A program on a terminal that pyte draws; the bytes that it has written are kept."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte
from patience import PATIENCE

# The end of each update of the screen.
UPDATED = b"\x1b[?2026l"


class Recording:
    def __init__(self, environment, command, rows, columns):
        self.written = b""
        self.drawn = pyte.Screen(columns, rows)
        self.drawn.write_process_input = lambda text: os.write(self.device, text.encode())
        self.stream = pyte.ByteStream(self.drawn)
        self.process, self.device = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(command[0], command, environment)

    def press(self, keys):
        os.write(self.device, keys)

    def shows(self, *texts, lacks=()):
        """Draws what comes until all texts are on a finished screen.

        Returns the lines of the screen.
        """
        end = time.monotonic() + PATIENCE
        while True:
            finished = self.written.endswith(UPDATED)
            # In the middle of an update, half of a wide character may be drawn over.
            screen = "\n".join(self.lines()) if finished else ""
            if finished and all(text in screen for text in texts) and not any(text in screen for text in lacks):
                return self.lines()
            assert time.monotonic() < end, f"{texts} are not on:\n{screen}"
            self.draw()

    def draw(self):
        if select.select([self.device], [], [], 0.1)[0]:
            data = os.read(self.device, 1 << 16)
            self.written += data
            self.stream.feed(data)

    def lines(self):
        return [line.rstrip() for line in self.drawn.display]

    @property
    def cursor(self):
        return (self.drawn.cursor.y, self.drawn.cursor.x)

    def end(self):
        os.kill(self.process, signal.SIGTERM)
        try:
            while os.read(self.device, 1 << 16):
                pass
        except OSError:
            pass  # The other side is closed.
        os.close(self.device)
        os.waitpid(self.process, 0)
