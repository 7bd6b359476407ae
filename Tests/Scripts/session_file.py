"""A session as a file: what is typed, and everything that must come back.

    % user ci       the deployments in which it runs; all of them without such a line
    % terminal      it needs a terminal; `% no terminal` is the opposite
    % no macos      its commands are not macOS's
    # why           a comment
    $ command       a line for the shell, which keeps its variables and its folder
    @ prompt        what the terminal shows during the line, before
    < text          this is typed there: a line, ^C, ^D, or (hang up)
    > text          a line of standard output
    ! text          a line of standard error, as macOS writes it
    = 1             the exit status; 0 without such a line

Names in angle brackets stand for what differs between runs (session_text.py).
"""

import dataclasses

DEPLOYMENTS = ("user", "ci", "system")


@dataclasses.dataclass
class Step:
    """A line for the shell and what it must answer."""

    place: str
    command: str
    out: list = dataclasses.field(default_factory=list)
    err: list = dataclasses.field(default_factory=list)
    typed: list = dataclasses.field(default_factory=list)
    status: int = 0


class SessionFile:
    """The steps of a file, and where it runs."""

    def __init__(self, path):
        self.path, self.steps = path, []
        self.deployments, self.terminal, self.has_macos = DEPLOYMENTS, None, True
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file.read().splitlines(), 1):
                self.add(f"{path}:{number}", line)
        if not any(step.out or step.err or step.typed or step.status for step in self.steps):
            raise SystemExit(f"{path}: the session checks nothing")

    def runs(self, deployment, has_terminal, is_compatible):
        is_here = deployment in self.deployments and self.terminal in (None, has_terminal)
        return is_here and (self.has_macos or not is_compatible)

    def add(self, place, line):
        mark, text = line[:1], line[2:]
        if mark in ("#", ""):
            return
        if mark == "%":
            self.restrict(place, text)
        elif mark == "$":
            self.steps.append(Step(place, text))
        elif mark not in ">!=@<" or not self.steps or line[1:2] not in ("", " "):
            raise SystemExit(f"{place}: no line of a session: {line}")
        else:
            self.answer(place, self.steps[-1], mark, text)

    def restrict(self, place, text):
        words = text.split()
        if text in ("terminal", "no terminal"):
            self.terminal = text == "terminal"
        elif text == "no macos":
            self.has_macos = False
        elif words and set(words) <= set(DEPLOYMENTS):
            self.deployments = words
        else:
            raise SystemExit(f"{place}: no deployment: {text}")

    @staticmethod
    def answer(place, step, mark, text):
        if mark == "=":
            step.status = int(text)
        elif mark == "@":
            step.typed.append((text, None))
        elif mark == "<":
            if not step.typed or step.typed[-1][1] is not None:
                raise SystemExit(f"{place}: nothing has asked for this")
            step.typed[-1] = (step.typed[-1][0], text)
        else:
            (step.out if mark == ">" else step.err).append(text)
