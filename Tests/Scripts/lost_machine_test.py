"""A machine is lost with its TPM, and another one, with a TPM of its own, gets items and files back by backup and code.

usage: lost_machine_test.py FOLDER-OF-PROGRAMS
"""

import json
import os
import shutil
import sys
import tempfile

from ordinary_parts import prepared
from tpm_parts import software_tpm

PASSWORD = "pass of the first 1234"


def must(home, *words, text=""):
    result = home.run(*words, text=text)
    assert result.returncode == 0, (words, result)
    return result.stdout


def value(home):
    return home.run("find-generic-password", "-s", "service", "-w").stdout.strip()


def letter(home):
    return f"{home.temporary}/letter"


def protection(home):
    return json.loads(must(home, "--json", "status"))["protection"]


def first_machine(home, file):
    """Makes items and a backup on a TPM, and gives the code that is written on paper."""
    must(home, "add-generic-password", "-s", "service", "-a", "ann", "-w", "value of ann")
    must(home, "set-keychain-password", "-p", PASSWORD)
    assert protection(home) == "hardware", protection(home)
    code = must(home, "add-unlock-slot", text=PASSWORD + "\n").strip()
    must(home, "file", "protect", "-c", "a", "-o", letter(home), "-", text="what the letter says")
    must(home, "backup", "--recovery", file, text=code + "\n")
    home.end()
    return code


def main(programs):
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(programs, folder)
        shutil.copy(f"{programs}/keychain-file", home.programs)
        file, lost = f"{home.temporary}/keychain.backup", f"{home.home}/lost"
        try:
            with software_tpm(f"{home.home}/first") as tpm:
                home.environment["KEYCHAIN_TPM"] = tpm
                code = first_machine(home, file)
            with software_tpm(f"{home.home}/second") as tpm:
                home.environment["KEYCHAIN_TPM"] = tpm
                # The disk of the lost machine is of no use here, not even with its password or the code.
                for words in (["unlock-keychain", "-p", PASSWORD], ["unlock-keychain", "-R"]):
                    assert home.run(*words, text=code + "\n").returncode != 0, words
                assert value(home) == "" and home.run("file", "cat", letter(home)).returncode != 0
                home.end()
                shutil.move(f"{home.home}/k", lost)
                must(home, "restore", "--recovery", file, text=code + "\n")
                assert protection(home) == "hardware" and value(home) == "value of ann"
                assert must(home, "file", "cat", letter(home)) == "what the letter says"
        finally:
            home.end()
    print("backup and code give a lost machine's items and files back")


main(os.path.abspath(sys.argv[1]))
