"""The sources that come out of tables: committed files match their tables, and a malformed table is refused."""

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

CONSTANT = "RequestKeys\tValues\tkSecOfTheTest\tv_OfTheTest\tSecItemRequest\tSecItem.h\tA sentence of the test.\n"
REFUSED_CONSTANTS = {
    "a constant without a sentence": CONSTANT.rsplit("\t", 1)[0] + "\n",
    "a constant whose sentence has no end": CONSTANT.replace("test.", "test"),
    "a constant of no file": CONSTANT.replace("RequestKeys", "Nowhere"),
    "a constant of an unknown header": CONSTANT.replace("SecItemRequest", "Nowhere"),
    "a constant without a value": CONSTANT.replace("v_OfTheTest", ""),
    "a constant whose value ends the string": CONSTANT.replace("v_OfTheTest", 'v_Of"TheTest'),
    "a constant that stands twice": CONSTANT.replace("kSecOfTheTest", "kSecClass"),
}
REFUSED_TEXTS = {
    "a text without a translation": "A text of the test.\n",
    "a text with two translations": "A text of the test.\tone\ttwo\n",
    "a translation with other places": "A text of {1}.\ttext\n",
    "a text that stands twice": "Deleted.\tdeleted\n",
}
WRITTEN_CONSTANT = (
    'public let kSecOfTheTest: CFString = "v_OfTheTest"',
    "extern const CFStringRef kSecOfTheTest;  // A sentence of the test.",
    'STRING_CONSTANT(kSecOfTheTest, "v_OfTheTest")',
    "\nkSecOfTheTest\n",
    "SecItem.h\tkSecOfTheTest\t\n",
)


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else f': {detail}'}")
    if not holds:
        FAILED.append(name)


class Copy:
    """Tables, generator and outputs elsewhere."""

    def __init__(self, folder):
        self.folder = folder
        for part in (
            "Tables",
            "scripts/generate",
            "Sources/API/Security",
            "Sources/CLibraries/CSecurity",
            "Sources/Base/KeychainModel",
            "Sources/Tools/SecurityCommands/Language",
            "Tests/C/symbols.txt",
            "docs/coverage-symbols.tsv",
        ):
            copy = shutil.copytree if os.path.isdir(f"{TOP}/{part}") else shutil.copy
            os.makedirs(os.path.dirname(f"{folder}/{part}"), exist_ok=True)
            copy(f"{TOP}/{part}", f"{folder}/{part}")

    def generate(self, *options):
        return subprocess.run([f"{self.folder}/scripts/generate", *options], capture_output=True, text=True)

    def add(self, row, table="statuses"):
        with open(f"{self.folder}/Tables/{table}.tsv", "a") as file:
            file.write(row)

    def text(self):
        """All lines that the test's rows made."""
        places = [f"{self.folder}/{place}" for place in ("Sources", "Tests", "docs")]
        return subprocess.run(["grep", "-rh", "OfTheTest\\|-99999", *places], capture_output=True, text=True).stdout


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
    for what in (
        "public let errSecOfTheTest: OSStatus = -99999",
        "errSecOfTheTest = -99999,  // A sentence of the test.",
        '-99999: "A sentence of the test."',
    ):
        check(f"a row makes: {what}", what in copy.text(), copy.text())
    check("what is written is what the tables say", copy.generate("--check").returncode == 0)


def one_constant(copy):
    copy.add(CONSTANT, "constants")
    check("--check notices a constant that is not written yet", copy.generate("--check").returncode == 1)
    check("and has written nothing of it", copy.text() == "", copy.text())
    check("a constant is written", copy.generate().returncode == 0)
    for what in WRITTEN_CONSTANT:
        check(f"a constant makes: {what.strip()}", what in copy.text(), copy.text())
    check("a written constant is what the table says", copy.generate("--check").returncode == 0)


def by_hand(copy):
    with open(f"{copy.folder}/Sources/API/Security/Errors/KeychainErrors.swift", "a") as file:
        file.write("public let errSecByHand: OSStatus = -1\n")
    done = copy.generate("--check")
    named = done.returncode == 1 and "KeychainErrors.swift" in done.stderr
    check("--check names a file that was changed by hand", named, done.stderr)


def refused(copy):
    for table, rows in (("statuses", REFUSED), ("constants", REFUSED_CONSTANTS), ("messages", REFUSED_TEXTS)):
        for name, row in rows.items():
            copy.add(row, table)
            done = copy.generate()
            told = done.returncode == 1 and f"Tables/{table}.tsv" in done.stderr
            check(f"{name} is refused", told, done.stderr)
            shutil.copy(f"{TOP}/Tables/{table}.tsv", f"{copy.folder}/Tables/{table}.tsv")
    check("and nothing is written", copy.text() == "", copy.text())


for one in (committed, one_row, one_constant, by_hand, refused):
    in_copy(one)
sys.exit(bool(FAILED))
