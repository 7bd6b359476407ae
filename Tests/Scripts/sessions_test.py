"""Runs the sessions of Tests/Sessions in every deployment, with a terminal and without one.

usage: sessions_test.py FOLDER-OF-PROGRAMS [--long] [SESSION...]

With --long they run in all seven places; otherwise each deployment has one.
"""

import concurrent.futures
import contextlib
import glob
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
from parts import roots_turn, users_turn  # noqa: E402
from pki_parts import Files  # noqa: E402
from session_file import SessionFile  # noqa: E402
from session_places import JobPlace, SystemPlace, UserPlace  # noqa: E402
from session_shell import Shell  # noqa: E402
from session_text import Text, lines, without_reasons  # noqa: E402

# What is typed or given in the sessions, and may be in no file, log or command line afterwards.
SECRETS = ("keychain pass", "p12 pass", "words of mine", "the secret", "in the pipe")
IS_LONG = "--long" in sys.argv
TOP = pathlib.Path(__file__).resolve().parents[1]


class Run:
    """Sessions in one place, with or without a terminal, in the form of macOS or of this command."""

    def __init__(self, place, has_terminal, is_compatible):
        self.place, self.has_terminal, self.is_compatible = place, has_terminal, is_compatible
        self.name = f"{place.kind}{', terminal' if has_terminal else ''}{', macOS' if is_compatible else ''}"

    def session(self, session):
        folder = tempfile.mkdtemp(prefix="session.", dir=self.place.temporary)
        if user := self.place.options.get("user"):
            os.chown(folder, user, user)
        shell = Shell(folder, self.has_terminal, self.environment(), cwd=self.place.temporary, **self.place.options)
        try:
            for step in session.steps:
                if found := self.answer(shell, step):
                    return f"{step.place}: {self.name}: {found}"
        finally:
            shell.end()
            shutil.rmtree(folder)
        return None

    def answer(self, shell, step):
        try:
            return self.difference(step, *shell.run(step))
        except TimeoutError as error:
            return str(error)

    def environment(self):
        return self.place.environment | ({"KEYCHAIN_MACOS_COMPAT": "1"} if self.is_compatible else {})

    def difference(self, step, out, err, status, wrong):
        text = Text(self.place.values())
        got, reason = without_reasons(step, lines(err), self.is_compatible)
        found = wrong or text.difference("standard output", step.out, lines(out))
        found = found or text.difference("standard error", step.err, got)
        if not found and status != step.status:
            found = f"status: wanted {step.status}, got {status}: {err}"
        return found or reason

    def runs(self, session):
        return session.runs(self.place.kind, self.has_terminal, self.is_compatible)

    def all(self, sessions):
        found = [self.session(each) for each in sessions if self.runs(each)]
        found += shown_secrets(self.place.store())
        return [each for each in found if each]


def shown_secrets(folders):
    """Files and processes in which a secret of the sessions can be read."""
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(parent, name)
                if os.path.isfile(path) and (secret := shown(pathlib.Path(path).read_bytes())):
                    yield f"{path}: it holds {secret!r}"
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        # The command itself is given passwords by its words in the sessions of others, who run meanwhile.
        with contextlib.suppress(OSError):
            words = path.read_bytes()
            if os.path.basename(words.split(b"\0")[0]).startswith(b"keychain") and (secret := shown(words)):
                yield f"a command line holds {secret!r}: {words}"


def shown(data):
    return next((secret for secret in SECRETS if secret.encode() in data), None)


def places(programs, folder, files):
    """Two at once, each with a folder of its own; the form and the terminal change from one to the next."""
    gate = [(UserPlace, False, True), (JobPlace, True, False)]
    rest = [(UserPlace, True, False), (JobPlace, False, False), (JobPlace, True, True), (UserPlace, True, True)]
    for number, (kind, has_terminal, is_compatible) in enumerate(gate[:1] + rest if IS_LONG else gate):
        yield kind, (programs, f"{folder}/{number}", files), has_terminal, is_compatible


def run(kind, words, has_terminal, is_compatible, sessions):
    place = kind(*words)
    try:
        return Run(place, has_terminal, is_compatible).all(sessions)
    finally:
        place.end()


def system(programs, files, sessions):
    """The service: the terminal and the form change together, if both are wanted."""
    place = SystemPlace(programs, files)
    try:
        forms = (False, True) if IS_LONG else (True,)
        return [found for each in forms for found in Run(place, each, each).all(sessions)]
    finally:
        place.end()


def main():
    programs, wanted = os.path.abspath(sys.argv[1]), [word for word in sys.argv[2:] if word != "--long"]
    sessions = [SessionFile(path) for path in sorted(glob.glob(f"{TOP}/Sessions/*.session"))]
    sessions = [each for each in sessions if not wanted or pathlib.Path(each.path).stem in wanted]
    if roots_turn():
        machine.leave()
    folder = tempfile.mkdtemp(prefix="sessions.")
    try:
        files = Files(f"{folder}/files")
        found = system(programs, files, sessions) if roots_turn() else []
        mine = places(programs, folder, files) if users_turn() else ()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            rows = [pool.submit(run, *row, sessions) for row in mine]
            found += [each for row in rows for each in row.result()]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(found) or f"ok {len(sessions)} sessions")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
