"""A shell that runs the lines of a session one after the other, with a terminal or without one."""

import contextlib
import os
import select
import signal
import subprocess
import termios
import time

from patience import PATIENCE

# The shell reads its lines from one descriptor and reports on another; no command has either.
LOOP = (
    "trap : HUP\n"
    'while IFS= read -r -d "" session_line <&"$1"; do\n'
    'eval "$session_line" {1}<&- {2}>&- >"$3/out" 2>"$3/err"\n'
    'printf "%s\\0" "$?" >&"$2"\ndone'
)
KEYS = {"^C": b"\x03", "^D": b"\x04"}


class Shell:
    """The process. `folder` holds what the lines write, and is the user's."""

    def __init__(self, folder, has_terminal, environment, **options):
        self.folder, self.master, self.shown = folder, None, b""
        lines, self.lines = os.pipe()
        self.status, status = os.pipe()
        script = LOOP.replace("{1}", str(lines)).replace("{2}", str(status))
        words = ["bash", "-c", script, "session", str(lines), str(status), folder]
        given = self.open_terminal(options) if has_terminal else subprocess.DEVNULL
        self.process = subprocess.Popen(
            ["setsid", *(["--ctty"] if has_terminal else []), *words],
            env=environment,
            stdin=given,
            pass_fds=[lines, status],
            **options,
        )
        for descriptor in [lines, status] + ([given] if has_terminal else []):
            os.close(descriptor)

    def open_terminal(self, options):
        self.master, slave = os.openpty()
        if "user" in options:
            os.fchown(slave, options["user"], -1)
        self.modes = termios.tcgetattr(self.master)
        return slave

    def run(self, step):
        """Output, error and status of a step, and what was wrong at the terminal."""
        os.write(self.lines, step.command.encode() + b"\0")
        typed, start, end = list(step.typed), len(self.shown), time.monotonic() + PATIENCE
        while self.status not in self.ready(end):
            if typed and (at := self.shown.find(typed[0][0].encode(), start)) >= 0:
                start = at + len(typed[0][0].encode())
                self.type(typed.pop(0)[1])
        status = int(os.read(self.status, 16).strip(b"\0") or b"-1")
        return *(self.read(name) for name in ("out", "err")), status, self.wrong(step, typed)

    def ready(self, end):
        """Waits for output of the terminal or the end of the step."""
        watched = [self.status] + ([] if self.master is None else [self.master])
        found, _, _ = select.select(watched, [], [], max(0, end - time.monotonic()))
        if not found:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise TimeoutError(f"no answer; the terminal shows {self.shown[-200:]!r}")
        if self.master in found:
            with contextlib.suppress(OSError):
                self.shown += os.read(self.master, 65536)
        return found

    def type(self, text):
        if text == "(hang up)":
            os.close(self.master)
            self.master = None
        elif text is not None:
            os.write(self.master, KEYS.get(text, text.encode() + b"\n"))

    def wrong(self, step, left):
        """What must not be: a prompt that did not come, a secret that is shown, a terminal in another mode."""
        if left:
            return f"terminal: wanted {left[0][0]!r}, got {self.shown[-200:]!r}"
        secrets = [text for _, text in step.typed if text and len(text) > 3]
        if any(secret.encode() in self.shown for secret in secrets):
            return f"terminal: it shows what was typed: {self.shown[-200:]!r}"
        if self.master is not None and termios.tcgetattr(self.master) != self.modes:
            return "terminal: its modes are not those from before"
        return None

    def read(self, name):
        with open(f"{self.folder}/{name}", errors="surrogateescape") as file:
            return file.read()

    def end(self):
        for descriptor in (self.lines, self.status, self.master):
            if descriptor is not None:
                os.close(descriptor)
        self.process.wait(PATIENCE)
