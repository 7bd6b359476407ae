"""Commands that replace a protected file are killed at random system calls: the file is always the old or the new one.

usage: file_kills_test.py FOLDER-OF-PROGRAMS; FILE_KILLS says how often, SEED, or a new seed, is printed
"""

import os
import pathlib
import random
import re
import shutil

import protected_file
from file_parts import FilesTest, main
from patience import PATIENCE

KILLS = int(os.environ.get("FILE_KILLS", "1000"))
# What touches files, and at most how often a command does that.
CALLS = {"openat": 200, "write": 20, "read": 40, "fsync": 2, "fchmod": 2, "linkat": 1, "rename": 1, "unlink": 2}
# The folder of an editor's content, which a command that is killed leaves in memory.
EDITED = re.compile(r'mkdir\("([^"]*/keychain-edit-\w+)"')


class Kills(FilesTest):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("SEED") or random.randrange(1 << 32))
        self.chance = random.Random(self.seed)
        self.secrets = [self.chance.randbytes(300_000), self.chance.randbytes(200_000)]
        self.identity = protected_file.Identity()
        # The daemon is there before, and is not traced.
        first = self.plain("first", b"first")
        self.file("protect", first)
        os.remove(first)
        self.trace = f"{self.home.temporary}/trace"
        os.mkdir(f"{self.home.temporary}/given")
        self.next, self.key = f"{self.home.temporary}/given/next", f"{self.home.temporary}/given/key"
        editor = f"{self.home.temporary}/given/editor"
        for path, text in ((editor, f'#!/bin/sh\nexec cp {self.next} "$1"\n'), (self.key, self.identity.text + "\n")):
            pathlib.Path(path).write_text(text)
            os.chmod(path, 0o755)
        self.home.environment["EDITOR"] = editor

    def is_killed(self, call, count, *words):
        """Runs the command, which is killed at its call of that number; whether it was."""
        calls = ",".join([*CALLS, "mkdir"])
        kill = ["-e", f"trace={calls}", "-e", f"inject={call}:signal=KILL:when={count}"]
        with open(os.devnull, "r+b") as nothing:
            streams = {"stdin": nothing, "stdout": nothing, "stderr": nothing}
            with self.started(
                "strace", "-f", "-q", "-o", self.trace, *kill, *self.file_words(*words), **streams
            ) as run:
                run.wait(PATIENCE)
        trace = pathlib.Path(self.trace).read_text()
        for left in EDITED.findall(trace):
            shutil.rmtree(left, ignore_errors=True)
        return "+++ killed by SIGKILL +++" in trace

    def state(self, path):
        """Whether the file is sealed, whether it has a recovery recipient, and which of the contents it has."""
        content = self.content(path)
        if content in self.secrets:
            return False, False, self.secrets.index(content)
        kinds = [kind for kind, *_ in protected_file.Header(content[: protected_file.HEADER]).slots]
        return True, protected_file.RECOVERY in kinds, self.secrets.index(self.file("cat", path)[0])

    def choose(self, state):
        """A command, and the state that it makes of a file's."""
        is_sealed, has_recipient, secret = state
        if not is_sealed:
            return ["protect"], (True, False, secret)
        recipient = ["-R", self.identity.recipient]
        pathlib.Path(self.next).write_bytes(self.secrets[1 - secret])
        return self.chance.choice(
            [
                (["unprotect"], (False, False, secret)),
                (["move", "-c", self.chance.choice("abcd")], state),
                (["recovery", *([] if has_recipient else recipient)], (True, not has_recipient, secret)),
                (["edit", *(recipient if has_recipient else [])], (True, has_recipient, 1 - secret)),
                (["export", "-t", self.identity.recipient, "-o", f"{self.home.home}/age"], state),
            ]
        )

    def expect_export(self, secret):
        """An age file is whole, or not there."""
        path = f"{self.home.home}/age"
        if not os.path.exists(path):
            return 0
        self.assertEqual(self.secrets[secret], self.done("age", "-d", "-i", self.key, path)[0])
        os.remove(path)
        return 1

    def remove_complete(self, call):
        """Between two calls a complete file has another name, under which a command that is killed leaves it."""
        for name in os.listdir(self.home.home):
            if name not in ("file", "k", "age"):
                self.assertEqual("rename", call, name)
                self.assertRegex(name, r"^(file|age)\.new-\w+$")
                os.remove(self.path(name))

    def test_the_file_is_the_old_or_the_new_one(self):
        path = self.plain("file", self.secrets[0])
        state, kills, changed, most, used = self.state(path), 0, 0, {}, {}
        while kills < KILLS:
            words, made = self.choose(state)
            call = self.chance.choice(list(CALLS))
            count = self.chance.randrange(most.get((words[0], call), CALLS[call])) + 1
            is_killed = self.is_killed(call, count, *words, path)
            found = self.state(path)
            self.assertIn(found, (state, made), (self.seed, words, call, count))
            changed += self.expect_export(state[2]) or found != state
            self.remove_complete(call if is_killed else "")
            if is_killed:
                kills += 1
                used[words[0]] = used.get(words[0], 0) + 1
            else:
                # It has no call of that number.
                self.assertEqual(made, found)
                most[words[0], call] = max(count - 1, 1)
            state = found
        print(f"seed {self.seed}: kills {used}; {changed} commands have done their work", flush=True)


if __name__ == "__main__":
    main()
