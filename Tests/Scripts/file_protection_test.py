"""Code from iOS that protects its files by Foundation's means really does, after one file was added to its target.

The program `ios-notes` is that code, unedited, with the file that the setup writes.

usage: file_protection_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from ordinary_parts import as_user, prepared
from patience import PATIENCE

MAGIC = bytes.fromhex("894B4346494C450A")
SOURCES = pathlib.Path(__file__).parent.parent / "Programs/ios-notes"
NAME = "FileProtection.swift"


class FileProtection(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="keychain-tests-")
        self.home = prepared(PROGRAMS, self.folder)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(self.home.end)
        for name in ("keychain-file", "ios-notes"):
            shutil.copy(f"{PROGRAMS}/{name}", self.home.programs)
        self.notes = f"{self.home.home}/notes"
        os.mkdir(self.notes)
        self.owned(self.notes)

    def owned(self, path):
        home = os.stat(self.home.home)
        os.chown(path, home.st_uid, home.st_gid)

    def does(self, *words, status=0):
        done = subprocess.run(
            [f"{self.home.programs}/ios-notes", self.notes, *words],
            env=self.home.environment | {"KEYCHAIN_MODE": "daemon"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            preexec_fn=as_user,
            check=False,
        )
        self.assertEqual(status, done.returncode, (words, done))
        return done.stdout.strip()

    def disk(self, name):
        return pathlib.Path(f"{self.notes}/{name}").read_bytes()

    def test_what_code_from_ios_protects_is_encrypted_and_locks(self):
        self.does("save", "letter", "a secret")
        self.assertTrue(self.disk("letter").startswith(MAGIC) and b"a secret" not in self.disk("letter"))
        self.assertEqual("a secret", self.does("load", "letter"))
        self.assertEqual("NSFileProtectionComplete 8", self.does("describe", "letter"))
        # Foundation's own function keeps what the file has.
        self.does("rewrite", "letter", "another secret")
        self.assertTrue(self.disk("letter").startswith(MAGIC))
        self.assertEqual("NSFileProtectionComplete 14", self.does("describe", "letter"))
        # The shelf of class B is made while the keychain is unlocked.
        self.assertEqual("true", self.does("create", "early", "while unlocked"))
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.home.says("lock-keychain")
        self.assertEqual("no permission", self.does("load", "letter", status=1))
        self.assertEqual("true", self.does("create", "new", "while locked"))
        self.assertEqual("no permission", self.does("load", "new", status=1))
        self.home.says("unlock-keychain", "-p", "pw")
        self.assertEqual(("another secret", "while locked"), (self.does("load", "letter"), self.does("load", "new")))

    def test_an_attribute_protects_a_file_and_plain_ones_stay_plain(self):
        self.does("rewrite", "plain", "everybody's")
        self.assertEqual((b"everybody's", "no protection 11"), (self.disk("plain"), self.does("describe", "plain")))
        self.assertEqual("everybody's", self.does("load", "plain"))
        self.does("protect", "plain", "complete")
        self.assertTrue(self.disk("plain").startswith(MAGIC))
        self.does("protect", "plain", "none")
        # Nothing is decrypted on the disk.
        self.assertTrue(self.disk("plain").startswith(MAGIC))
        self.assertEqual("NSFileProtectionNone 11", self.does("describe", "plain"))
        damaged = bytearray(self.disk("plain"))
        damaged[8200] ^= 1
        pathlib.Path(f"{self.notes}/plain").write_bytes(damaged)
        self.does("load", "plain", status=1)

    def setup_says(self, *words, status=0):
        done = self.home.run("--json", "setup", *words, "swift", cwd=self.package)
        self.assertEqual(status, done.returncode, (words, done))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_the_setup_adds_the_file_lists_uses_and_takes_it_back(self):
        self.package = f"{self.home.home}/package"
        target = f"{self.package}/Sources/Notes"
        os.makedirs(target)
        for name in ("NoteStore.swift", "main.swift"):
            shutil.copy(SOURCES / name, target)
        pathlib.Path(f"{self.package}/Package.swift").write_text("let package = Package(name: \"Notes\")\n")
        for path, _, names in os.walk(self.package):
            for name in ["", *names]:
                self.owned(f"{path}/{name}")
        self.home.environment["PWD"] = self.package
        found = {"path": f"{target}/NoteStore.swift", "protects": False}
        self.assertEqual(found, self.setup_says("--check", status=1)[0])
        self.setup_says("-y", "--file-protection")
        self.assertEqual((SOURCES / NAME).read_text(), pathlib.Path(f"{target}/{NAME}").read_text())
        self.assertEqual([found | {"protects": True}], self.setup_says("--check"))
        self.setup_says("-y", "--undo")
        self.assertEqual({"NoteStore.swift", "main.swift"}, set(os.listdir(target)))


if __name__ == "__main__":
    PROGRAMS = sys.argv.pop(1)
    unittest.main(verbosity=2)
