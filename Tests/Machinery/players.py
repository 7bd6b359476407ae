"""Programs that use a keychain and write down what they were told (Tests/Programs/item-player), and the daemon they may
use.
"""

import os
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Scripts"))

from patience import eventually  # noqa: E402


def environment(programs, home, mode, more=None):
    """A program's environment with a keychain of its own: mode is embedded or daemon."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KEYCHAIN_")}
    own = {
        "KEYCHAIN_HOME": home,
        "KEYCHAIN_MODE": mode,
        "KEYCHAIN_DAEMON": f"{programs}/keychaind",
        "KEYCHAIN_TPM": "none",
    }
    return kept | own | (more or {})


class Answer:
    """What a call gave."""

    def __init__(self, words):
        self.status, self.rule, self.result = int(words[0]), words[1], words[2:]

    def __repr__(self):
        return f"{self.status} {self.rule}"


class Typist:
    """A player that is told one line at a time; `before` are the words of a command that starts it."""

    def __init__(self, programs, home, mode="embedded", more=None, before=()):
        self.process = subprocess.Popen(
            [*before, f"{programs}/item-player"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=environment(programs, home, mode, more),
        )

    def do(self, line):
        """What the call gave; None when the process ended over it."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        return self.answer()

    def answer(self):
        """What the next call gave; None when the process ended over it."""
        for text in self.process.stdout:
            words = text.split()
            if words and words[0] == "E" and len(words) >= 6:
                return Answer(words[4:])
        return None

    def leave(self):
        """Ends it in the ordinary way; its exit code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.read()
        return self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Endless:
    """A player that is told more than it can do, for as long as somebody feeds it."""

    def __init__(self, programs, home, lines, mode="embedded"):
        self.process = subprocess.Popen(
            [f"{programs}/item-player"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(programs, home, mode),
        )
        self.lines, self.done, self.refused, self.reasons = lines, 0, 0, set()
        os.set_blocking(self.process.stdout.fileno(), False)
        os.set_blocking(self.process.stdin.fileno(), False)
        self.rest = b""

    def feed(self):
        try:
            self.rest = self.rest or "".join(next(self.lines) + "\n" for _ in range(100)).encode()
            self.rest = self.rest[os.write(self.process.stdin.fileno(), self.rest) :]
        except BlockingIOError:
            pass

    def count(self):
        """Takes the answers that are there."""
        answers = self.process.stdout.read() or b""
        ends = [line.split() for line in answers.split(b"\n") if line.startswith(b"E ")]
        self.done += len(ends)
        wrong = [words for words in ends if len(words) > 4 and words[4] not in (b"0", b"-25299", b"-25300")]
        self.refused += len(wrong)
        self.reasons |= {b" ".join(words[4:6]).decode() for words in wrong}

    def end(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Daemon:
    """keychaind over a store, started here so that its end can be waited for."""

    def __init__(self, programs, home, more=None):
        self.home = home
        self.process = subprocess.Popen(
            [f"{programs}/keychaind"],
            env=environment(programs, home, "daemon", more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: self.answers() or self.process.poll() is not None, f"keychaind does not serve {home}")
        if self.process.poll() is not None:
            raise RuntimeError(f"keychaind does not serve {home}")

    def answers(self):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(f"{self.home}/keychaind.sock")
            except OSError:
                return False
            credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return struct.unpack("3i", credentials)[0] == self.process.pid

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait()


class Examiner:
    """Opens whole stores in one process and says what is in each."""

    def __init__(self, programs, more=None):
        self.programs, self.more = programs, more
        self.process = self.passcode = None

    def look(self, folder, passcodes=()):
        """(None, items) of a store in order, or (what is wrong, {}). The store is opened, which may change its files.

        Which of the passcodes opened it is in `passcode`; None when none did, or none was tried.
        """
        for _ in range(2):
            line = self.ask(" ".join([folder, *passcodes]))
            # A copy that is made before a migration has the second in its name: a retry within it is refused.
            if "write a snapshot" in line:
                time.sleep(1.1)
            elif line:
                break
        if not line:
            return f"the reader ended over {folder}", {}
        status, report, items, passcode = line.rstrip("\n").split("\t")
        self.passcode = None if passcode == "-" else passcode
        if os.path.exists(f"{folder}/keychain.db-wal.damaged"):
            return "a log that was cut short is taken for a damaged one", {}
        if int(status) not in (0, -25300) or not report.endswith(" damage="):
            return f"{status} {report}", {}
        return None, dict(item.split("=") for item in items.split())

    def ask(self, folder):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [f"{self.programs}/item-player", "check"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
                env=environment(self.programs, "/nowhere", "embedded", self.more),
            )
        try:
            self.process.stdin.write(folder + "\n")
        except BrokenPipeError:
            return ""
        return self.process.stdout.readline()
