"""The sources that come out of tables: what is committed is what the tables say, and a table that cannot be is refused."""

import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAILED = []
ROW = "Keychain\tGeneral\terrSecOfTheTest\t-99999\tA sentence of the test.\n"
REFUSED = {
    "a row without a sentence": "Keychain\tGeneral\terrSecOfTheTest\t-99999\n",
    "a sentence without an end": "Keychain\tGeneral\terrSecOfTheTest\t-99999\tNo end\n",
    "a row of no file": "Nowhere\tGeneral\terrSecOfTheTest\t-99999\tA sentence.\n",
    "a number with two sentences": "Keychain\tGeneral\terrSecOfTheTest\t-50\tAnother sentence.\n",
    "a name that stands twice": "Keychain\tGeneral\terrSecParam\t-99999\tA sentence.\n",
}


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else f': {detail}'}")
    if not holds:
        FAILED.append(name)


class Copy:
    """Tables, generator and outputs elsewhere."""

    def __init__(self, folder):
        self.folder = folder
        for part in ("Tables", "scripts/generate", "Sources/API/Security", "Sources/CLibraries/CSecurity",
                     "Sources/Base/KeychainModel"):
            copy = shutil.copytree if os.path.isdir(f"{TOP}/{part}") else shutil.copy
            os.makedirs(os.path.dirname(f"{folder}/{part}"), exist_ok=True)
            copy(f"{TOP}/{part}", f"{folder}/{part}")

    def generate(self, *options):
        return subprocess.run([f"{self.folder}/scripts/generate", *options], capture_output=True, text=True)

    def add(self, row):
        with open(f"{self.folder}/Tables/statuses.tsv", "a") as file:
            file.write(row)

    def text(self):
        return subprocess.run(["grep", "-rh", "OfTheTest\\|-99999", f"{self.folder}/Sources"], capture_output=True, text=True).stdout


def in_copy(try_it):
    with tempfile.TemporaryDirectory() as folder:
        try_it(Copy(folder))


def committed(copy):
    done = copy.generate("--check")
    check("what is committed is what the tables say", done.returncode == 0, done.stderr)


def one_row(copy):
    copy.add(ROW)
    check("--check notices a row that is not written yet", copy.generate("--check").returncode == 1)
    check("and has written nothing", copy.text() == "", copy.text())
    check("a row is written", copy.generate().returncode == 0)
    for what in ("public let errSecOfTheTest: OSStatus = -99999", "errSecOfTheTest = -99999,  // A sentence of the test",
                 '-99999: "A sentence of the test."'):
        check(f"a row makes: {what}", what in copy.text(), copy.text())
    check("what is written is what the tables say", copy.generate("--check").returncode == 0)


def by_hand(copy):
    with open(f"{copy.folder}/Sources/API/Security/Errors/KeychainErrors.swift", "a") as file:
        file.write("public let errSecByHand: OSStatus = -1\n")
    done = copy.generate("--check")
    check("--check names a file that was changed by hand", done.returncode == 1 and "KeychainErrors.swift" in done.stderr, done.stderr)


def refused(copy):
    for name, row in REFUSED.items():
        shutil.copy(f"{TOP}/Tables/statuses.tsv", f"{copy.folder}/Tables/statuses.tsv")
        copy.add(row)
        done = copy.generate()
        check(f"{name} is refused", done.returncode == 1 and "Tables/statuses.tsv" in done.stderr, done.stderr)
    check("and nothing is written", copy.text() == "", copy.text())


for one in (committed, one_row, by_hand, refused):
    in_copy(one)
sys.exit(bool(FAILED))
