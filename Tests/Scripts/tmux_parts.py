"""A program on a terminal of tmux, whose screen and scrollback can be read."""

import os
import shlex
import subprocess

from patience import PATIENCE, eventually


class Pane:
    """One window of a tmux server of the test's own."""

    def __init__(self, folder, environment, command, rows=24, columns=80, options=(), shell=None):
        self.socket = f"{folder}/tmux"
        self.environment = {name: value for name, value in environment.items() if name != "TMUX"}
        start = ["new-session", "-d", "-x", str(columns), "-y", str(rows)]
        words = shlex.join(command)
        settings = [word for option in options for word in ("set-option", "-gw", *option, ";")]
        # A server without a session ends at once; options come before the window that they are about.
        # The user's own shell, which runs the line, may stay its parent unless it is told not to.
        window = f"exec {shell}" if shell else f"{words}; echo ended with $?; exec sleep 600"
        self.tmux("start-server", ";", "set-option", "-g", "exit-empty", "off", ";", *settings, *start, window)
        if shell:
            self.keys(words, "Enter")

    def tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *words],
            env=self.environment,
            # The program writes its files where its user may.
            cwd=os.path.dirname(self.socket),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", ":0").split("\n")

    def history(self):
        """Everything that the terminal keeps."""
        return self.tmux("capture-pane", "-p", "-S", "-", "-t", ":0")

    def flags(self, *names):
        """Those of the named modes that are on."""
        values = self.tmux("display-message", "-p", "-t", ":0", " ".join(f"#{{{name}}}" for name in names)).split(" ")
        return {name for name, value in zip(names, values, strict=True) if value.strip() == "1"}

    def settings(self):
        """The settings of the terminal that are on, by stty's names."""
        device = self.tmux("display-message", "-p", "-t", ":0", "#{pane_tty}").strip()
        words = subprocess.run(["stty", "-F", device, "-a"], capture_output=True, text=True, check=True).stdout
        return set(words.replace(";", " ").split())

    def keys(self, *keys):
        """Presses keys. What follows an Escape at once would be one sequence with it: `escape` waits for its effect."""
        assert "Escape" not in keys[:-1], keys
        for key in keys:
            self.tmux("send-keys", "-t", ":0", key)

    def escape(self, *texts, lacks=None):
        """Presses Escape, and waits until all texts are on the screen, and one is not."""
        self.keys("Escape")
        if lacks is not None:
            self.lacks(lacks)
        return self.shows(*texts)

    def bytes(self, data):
        for start in range(0, len(data), 200):
            self.tmux("send-keys", "-t", ":0", "-H", *(f"{byte:x}" for byte in data[start : start + 200]))

    def resize(self, rows, columns):
        self.tmux("resize-window", "-t", ":0", "-x", str(columns), "-y", str(rows))

    def shows(self, *texts):
        """Waits until all texts are on the screen, and gives it."""

        def shown():
            screen = "\n".join(self.screen())
            return screen if all(text in screen for text in texts) else None

        return eventually(shown, lambda: f"{texts} are not on:\n" + "\n".join(self.screen()))

    def lacks(self, text):
        def shown():
            return "\n".join(self.screen())

        eventually(lambda: text not in shown(), lambda: f"{text} stays on:\n{shown()}")

    def processes(self, name):
        """The processes of a program below the pane, the oldest first."""
        top = int(self.tmux("display-message", "-p", "-t", ":0", "#{pane_pid}"))
        found, rest = [], [top]
        while rest:
            number = rest.pop(0)
            rest += children(number)
            if words(number)[:1] and os.path.basename(words(number)[0]) == name:
                found.append(number)
        return found

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


def children(number):
    try:
        with open(f"/proc/{number}/task/{number}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def words(number):
    try:
        with open(f"/proc/{number}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:
        return [""]
