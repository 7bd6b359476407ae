"""Puts older copies of vault and store back, with the programs themselves.

Keychaind, keychain-enclaved, security, swtpm.

usage: older_copies_test.py FOLDER-OF-PROGRAMS [CLASS...]; Kills runs only when it is named
"""

import contextlib
import glob
import json
import os
import pathlib
import random
import select
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from keychain_parts import answers
from patience import PATIENCE, eventually

PROGRAMS = os.path.abspath(sys.argv.pop(1))
# A store is known to be older when two blocks of writes have ended after it, whatever else happens.
MOST_WRITES = 512


@contextlib.contextmanager
def software_tpm(folder):
    """A TPM in software; how tpm2-tss reaches it."""
    path = f"{folder}/tpm"
    program = subprocess.Popen(
        [
            "swtpm",
            "socket",
            "--tpm2",
            "--tpmstate",
            f"dir={folder}",
            "--server",
            f"type=unixio,path={path}",
            "--ctrl",
            f"type=unixio,path={path}.ctrl",
            "--flags",
            "not-need-init,startup-clear",
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: answers(path) or program.poll() is not None)
        if program.poll() is not None:
            raise AssertionError("swtpm does not start")
        yield f"swtpm:path={path}"
    finally:
        program.kill()
        program.wait()


def handles_of(daemon):
    """Handles of a daemon and its children; one of them may end meanwhile."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        with open(f"/proc/{daemon}/task/{daemon}/children", encoding="ascii") as children:
            processes = [daemon, *map(int, children.read().split())]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                yield os.pidfd_open(process)


class Keychain:
    def __init__(self, folder, tpm="none"):
        self.home = f"{folder}/keychain"
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
        self.env = kept | {
            "KEYCHAIN_HOME": self.home,
            "KEYCHAIN_MODE": "daemon",
            "KEYCHAIN_TPM": tpm,
            "KEYCHAIN_DAEMON": f"{PROGRAMS}/keychaind",
        }

    def run(self, *command, text="", **settings):
        return subprocess.run(
            [f"{PROGRAMS}/{command[0]}", *command[1:]],
            env=self.env | settings,
            input=text,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def security(self, *command, text=""):
        return self.run("security", *command, text=text)

    def succeed(self, *command, text=""):
        result = self.security(*command, text=text)
        if result.returncode:
            raise AssertionError(f"{command}: {result.returncode} {result.stderr}")
        return result.stdout

    def add(self, *names):
        lines = [f"add-generic-password -s {name} -a a -w {name} -U\n" for name in names]
        self.succeed("-i", text="".join(lines))

    def value(self, name):
        return self.security("find-generic-password", "-s", name, "-w")

    def set_password(self, new, old=None):
        self.succeed("set-keychain-password", *(["-o", old] if old else []), "-p", new)

    def unlock(self, password):
        return self.security("unlock-keychain", "-p", password)

    @property
    def status(self):
        return json.loads(self.succeed("--json", "status"))

    @property
    def log(self):
        with open(f"{self.home}/keychaind.log", encoding="utf-8") as log:
            return log.read()

    def end(self, number=signal.SIGTERM):
        """Ends the daemon, if one serves, and waits for its end and the enclave's."""
        with socket.socket(socket.AF_UNIX) as client:
            if client.connect_ex(f"{self.home}/keychaind.sock"):
                return
            daemon = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        handles = list(handles_of(daemon))
        if handles:
            signal.pidfd_send_signal(handles[0], number)
        for handle in handles:
            if not select.select([handle], [], [], PATIENCE)[0]:
                raise AssertionError("the daemon or its enclave does not end")
            os.close(handle)

    def files(self, part):
        return glob.glob(f"{self.home}/{'keychain.db*' if part == 'store' else 'vault'}")

    def copy(self, *parts):
        """The files of store or vault, or both, while nobody writes."""
        return {path: pathlib.Path(path).read_bytes() for part in parts for path in self.files(part)}

    def put_back(self, copy, *parts):
        for path in (path for part in parts for path in self.files(part)):
            os.unlink(path)
        for path, content in copy.items():
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)


class OlderCopies(unittest.TestCase):
    tpm = "none"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.keychain = Keychain(folder.name, self.tpm)
        self.addCleanup(self.keychain.end)

    def check_refused(self, age, *names):
        """Nothing opens, and everything says why."""
        keychain = self.keychain
        self.assertEqual(keychain.status["age"], age)
        for name in names:
            found = keychain.value(name)
            self.assertNotEqual(found.returncode, 0)
            self.assertNotIn(name, found.stdout)
        verified = keychain.security("verify-keychain")
        self.assertEqual(verified.returncode, 1)
        self.assertIn("age: ", verified.stdout)
        self.assertIn("older", keychain.log)

    def check_reported(self):
        keychain = self.keychain
        self.assertEqual(keychain.status["age"], "older-store")
        verified = keychain.security("verify-keychain")
        self.assertEqual(verified.returncode, 1)
        self.assertIn("damaged: 0", verified.stdout)
        self.assertIn("age: The store is older", verified.stdout)
        self.assertIn("The store is older", keychain.log)

    def check_sound(self):
        self.assertEqual(self.keychain.status["age"], "current")
        verified = self.keychain.security("verify-keychain")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


class Vaults(OlderCopies):
    def test_under_a_running_daemon_attempts_stay_counted_and_the_old_password_opens_nothing(self):
        keychain = self.keychain
        keychain.set_password("old")
        old = keychain.copy("vault")
        keychain.set_password("new", "old")
        keychain.add("written-later")
        for _ in range(3):
            self.assertNotEqual(keychain.unlock("wrong").returncode, 0)
        keychain.succeed("lock-keychain")
        newest = keychain.copy("vault")
        keychain.put_back(old, "vault")
        refused = keychain.unlock("old")
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(keychain.status["failedAttempts"], 3)
        self.check_refused("older-vault", "written-later")
        keychain.put_back(newest, "vault")
        self.assertEqual(keychain.unlock("new").returncode, 0)
        self.assertEqual(keychain.value("written-later").stdout, "written-later\n")
        self.check_sound()

    def test_at_rest_it_is_refused_with_the_reason_and_works_again_when_the_newest_is_back(self):
        keychain = self.keychain
        keychain.set_password("old")
        keychain.add("written-first")
        keychain.end()
        old = keychain.copy("vault")
        keychain.unlock("old")
        keychain.set_password("new", "old")
        keychain.add("written-later")
        keychain.end()
        newest = keychain.copy("vault")
        keychain.put_back(old, "vault")
        for password in ("old", "new"):
            refused = keychain.security("-v", "unlock-keychain", "-p", password)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("Put the newest vault back", refused.stderr)
        self.check_refused("older-vault", "written-first", "written-later")
        accepted = keychain.security("accept-store", "-p", "old")
        self.assertNotEqual(accepted.returncode, 0)
        keychain.end()
        keychain.put_back(newest, "vault")
        self.assertEqual(keychain.unlock("new").returncode, 0)
        self.assertEqual(keychain.value("written-later").stdout, "written-later\n")
        self.check_sound()

    def test_at_rest_the_attempts_stay_counted_even_after_a_kill(self):
        keychain = self.keychain
        keychain.set_password("right")
        keychain.succeed("lock-keychain")
        old = keychain.copy("vault")
        for _ in range(4):
            self.assertNotEqual(keychain.unlock("wrong").returncode, 0)
        keychain.end(signal.SIGKILL)
        keychain.put_back(old, "vault")
        self.assertNotEqual(keychain.unlock("right").returncode, 0)
        self.check_refused("older-vault")


class Stores(OlderCopies):
    def test_after_an_end_in_good_order_every_older_store_is_noticed_and_served_until_it_is_accepted(self):
        keychain = self.keychain
        keychain.set_password("right")
        keychain.add("first")
        keychain.end()
        old = keychain.copy("store")
        keychain.unlock("right")
        keychain.add("second")
        keychain.end()
        newest = keychain.copy("store")
        keychain.put_back(old, "store")
        keychain.unlock("right")
        self.assertEqual(keychain.value("first").stdout, "first\n")
        self.check_reported()
        keychain.add("third")
        self.check_reported()
        self.assertNotEqual(keychain.security("accept-store", "-p", "wrong").returncode, 0)
        self.check_reported()
        keychain.end()
        keychain.unlock("right")
        self.check_reported()
        keychain.succeed("accept-store", "-p", "right")
        self.check_sound()
        self.assertNotEqual(keychain.security("accept-store", "-p", "right").returncode, 0)
        for name in ("first", "third"):
            self.assertEqual(keychain.value(name).stdout, f"{name}\n")
        keychain.end()
        keychain.put_back(newest, "store")
        keychain.unlock("right")
        self.check_reported()

    def test_after_so_many_writes_an_older_store_is_noticed_whatever_end_they_had(self):
        keychain = self.keychain
        keychain.add("first")
        keychain.end()
        old = keychain.copy("store")
        keychain.add(*(f"item{number}" for number in range(MOST_WRITES)))
        keychain.end(signal.SIGKILL)
        keychain.put_back(old, "store")
        self.assertEqual(keychain.value("first").stdout, "first\n")
        self.check_reported()
        keychain.succeed("accept-store")
        self.check_sound()

    def test_embedded_programs_count_together(self):
        keychain = self.keychain
        keychain.add("first")
        keychain.end()
        old = keychain.copy("store")
        written = 0
        while written < MOST_WRITES:
            with subprocess.Popen(
                [f"{PROGRAMS}/item-writer", "add", f"writer{written}"],
                stdout=subprocess.PIPE,
                env=keychain.env | {"KEYCHAIN_MODE": "embedded"},
                text=True,
            ) as writer:
                for _ in range(100):
                    self.assertTrue(writer.stdout.readline())
                    written += 1
                writer.kill()
        self.check_sound()
        keychain.end(signal.SIGKILL)
        keychain.put_back(old, "store")
        self.check_reported()

    def test_a_store_without_its_mark_or_with_another_is_reported(self):
        keychain = self.keychain
        keychain.add("first")
        keychain.end()
        keychain.add("second")
        keychain.end()
        newest = keychain.copy("store")
        for statement in (
            "DELETE FROM mark",
            "UPDATE mark SET block = block + 100000",
            "UPDATE mark SET changes = changes + 1",
            "UPDATE mark SET code = randomblob(32)",
            "UPDATE mark SET code = x''",
            "UPDATE mark SET block = -1, writes = -9223372036854775808",
        ):
            keychain.put_back(newest, "store")
            with contextlib.closing(sqlite3.connect(f"{keychain.home}/keychain.db")) as database, database:
                database.execute(statement)
            with self.subTest(statement):
                self.assertEqual(keychain.value("second").stdout, "second\n")
                self.check_reported()
            keychain.end()


class WholeFolders(OlderCopies):
    def test_a_folder_restored_whole_opens_as_it_was(self):
        keychain = self.keychain
        keychain.set_password("old")
        keychain.add("first")
        keychain.end()
        old = keychain.copy("store", "vault")
        keychain.unlock("old")
        keychain.add(*(f"item{number}" for number in range(300)))
        keychain.set_password("new", "old")
        keychain.end()
        keychain.put_back(old, "store", "vault")
        self.assertEqual(keychain.unlock("old").returncode, 0)
        self.assertEqual(keychain.value("first").stdout, "first\n")
        self.check_sound()
        keychain.add("second")
        keychain.end()
        self.check_sound()


class OnTPM(OlderCopies):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        tpm = software_tpm(folder.name)
        self.tpm = tpm.__enter__()
        self.addCleanup(tpm.__exit__, None, None, None)
        super().setUp()

    def test_store_and_vault_put_back_together_are_refused_until_they_are_accepted(self):
        keychain = self.keychain
        keychain.set_password("old")
        keychain.add("first")
        keychain.end()
        old = keychain.copy("store", "vault")
        keychain.unlock("old")
        keychain.set_password("new", "old")
        keychain.end()
        keychain.put_back(old, "store", "vault")
        self.assertNotEqual(keychain.unlock("old").returncode, 0)
        self.check_refused("older-keychain", "first")
        self.assertNotEqual(keychain.security("accept-store", "-p", "new").returncode, 0)
        keychain.succeed("accept-store", "-p", "old")
        self.assertEqual(keychain.value("first").stdout, "first\n")
        self.check_sound()
        keychain.end()
        self.assertEqual(keychain.unlock("old").returncode, 0)
        self.check_sound()

    def test_the_vault_put_back_alone_is_not_to_be_accepted(self):
        keychain = self.keychain
        keychain.set_password("old")
        keychain.end()
        old = keychain.copy("vault")
        keychain.unlock("old")
        keychain.set_password("new", "old")
        keychain.add("written-later")
        keychain.end()
        keychain.put_back(old, "vault")
        self.check_refused("older-vault", "written-later")
        self.assertNotEqual(keychain.security("accept-store", "-p", "old").returncode, 0)
        self.check_refused("older-vault", "written-later")

    def test_kills_are_taken_for_nothing_else(self):
        keychain = self.keychain
        for step in range(6):
            keychain.set_password(f"{step + 1}", f"{step}" if step else None)
            keychain.end(signal.SIGKILL if step % 2 else signal.SIGTERM)
            keychain.unlock(f"{step + 1}")
            self.check_sound()


class Kills(OlderCopies):
    def test_kills_at_any_moment_never_look_like_an_older_copy(self):
        """Daemon and enclave are killed while passwords change, attempts fail and items are added."""
        keychain, moment = self.keychain, random.Random(20)
        password = None
        for step in range(25):
            commands = [f"add-generic-password -s item -a {step}.{number} -w x -U" for number in range(80)]
            commands.insert(moment.randrange(80), "unlock-keychain -p wrong")
            commands.insert(
                moment.randrange(80), f"set-keychain-password {f'-o {password} ' if password else ''}-p {step}x"
            )
            with subprocess.Popen(
                [f"{PROGRAMS}/security", "-i"],
                env=keychain.env,
                stdin=subprocess.PIPE,
                text=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as security:
                security.stdin.write("\n".join(commands) + "\n")
                security.stdin.flush()
                # Where the kill falls is left to chance: any moment will do.
                time.sleep(moment.random() * 0.5)
                keychain.end(signal.SIGKILL)
                security.kill()
            self.assertEqual(keychain.status["age"], "current", f"step {step}")
            candidates = [one for one in (f"{step}x", password) if one]
            if keychain.status["passwordIsSet"]:
                password = next(one for one in candidates if keychain.unlock(one).returncode == 0)
            self.check_sound()

    def test_embedded_writers_that_are_killed_together_never_look_like_an_older_copy(self):
        keychain, moment = self.keychain, random.Random(21)
        for step in range(8):
            writers = [
                subprocess.Popen(
                    [f"{PROGRAMS}/item-writer", "add", f"writer{step}.{number}"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=keychain.env | {"KEYCHAIN_MODE": "embedded"},
                )
                for number in range(3)
            ]
            for _ in range(moment.randrange(100, 400)):
                writers[0].stdout.readline()
            for writer in writers:
                writer.kill()
                writer.wait()
                writer.stdout.close()
            self.check_sound()
            keychain.end()


if __name__ == "__main__":
    names = sys.argv[1:] or [one.__name__ for one in OlderCopies.__subclasses__() if one is not Kills]
    unittest.main(argv=[sys.argv[0], *names])
