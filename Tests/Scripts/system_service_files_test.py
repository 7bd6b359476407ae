"""A program of a user's holds protected files open while the system service locks, ends and comes back.

usage: system_service_files_test.py FOLDER-OF-PROGRAMS [tpm], as root; with a TPM in software.
"""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
from deployment import ENCLAVE, VICTIM, Deployment  # noqa: E402
from file_keys import file_keys, held  # noqa: E402
from file_parts import Holder, LockTable  # noqa: E402
from keychain_parts import ends  # noqa: E402
from ordinary_parts import as_user  # noqa: E402
from patience import eventually  # noqa: E402
from tpm_parts import software_tpm  # noqa: E402

PASSWORD, PASSPHRASE = "1234567", "six words that nobody guesses"


class Files:
    """The victim's files, and the program that holds them."""

    def __init__(self, service):
        self.service, self.security = service, service.path("libexec", "security")
        program = service.install("file-holder", f"{service.products}/file-holder")
        self.holder = Holder(program, service.environment(), lambda: as_user(VICTIM))
        self.table = LockTable(self.holder, service.path("home"))

    def says(self, *words, text=""):
        done = self.service.run(self.security, *words, text=text)
        assert done.returncode == 0, (words, done)
        return done.stdout

    def unlock(self):
        self.says("unlock-keychain", "-p", PASSWORD)

    def keys(self):
        backup = self.service.path("home", "keychain.backup")
        self.says("backup", backup, text=f"{PASSWORD}\n{PASSPHRASE}\n")
        return file_keys(backup, PASSPHRASE, self.table.path("a"))

    def must_be_in_no_process(self, keys):
        """Neither in the program, nor in the service."""
        processes = {"program": self.holder.process.pid} | self.service.processes()
        for name, number in processes.items():
            eventually(lambda number=number: not held(number, keys), what=lambda: (name, held(number, keys)))


def follow_the_lock(files):
    """Open files of classes A and C refuse at once, and go on after the unlock."""
    table, holder = files.table, files.holder
    assert ("TPM 2.0" in files.says("status")) == (files.service.tpm != "none")
    files.says("set-keychain-password", "-p", PASSWORD)
    files.unlock()
    table.must_be_all()
    keys = files.keys()
    eventually(lambda: holder.does("read", "a") == "ok" and "key of its chunks" in held(holder.process.pid, keys))
    files.says("lock-keychain")
    table.must("bcd", "cd", "bcd", "bcd")
    files.must_be_in_no_process(keys)
    holder.must("available", says="false")
    eventually(lambda: holder.does("told") == "unavailable")
    files.unlock()
    table.must_be_all()
    eventually(lambda: holder.does("told") == "available")


def follow_the_daemon(files):
    """A keychain that died is before its first unlock; its enclave's death locks it too."""
    for kind in ("daemon", "enclave"):
        ends(files.service.processes()[kind])
        eventually(lambda: files.holder.does("read", "a") != "ok", f"class A is open without the {kind}")
        # The connection that broke is noticed by its next request.
        eventually(lambda: files.holder.does("see", files.table.path("d")) == "ok", f"the {kind} does not come back")
        files.table.must("bd", "d", "bd", "bd")
        files.unlock()
        files.table.must_be_all()


def have_no_service(files):
    """Without a service nobody says that a class is open."""
    files.service.stop()
    for letter, goes in zip("abcd", (False, True, False, True)):
        for word in ("read", "write"):
            assert (files.holder.does(word, letter) == "ok") == goes, (word, letter)
    files.holder.must("available", says="false")
    files.service.start()
    files.table.must("bd", "d", "bd", "bd")
    files.unlock()
    files.table.must_be_all()


def play(service):
    files = None
    try:
        service.start()
        files = Files(service)
        for case in (follow_the_lock, follow_the_daemon, have_no_service):
            case(files)
            print(f"ok {case.__name__}: {case.__doc__}", flush=True)
    finally:
        if files:
            files.holder.end()
        try:
            service.stop()
        finally:
            service.remove()


def main():
    service = Deployment(os.path.abspath(sys.argv[1]))
    machine.leave()
    service.add_accounts()
    if sys.argv[2:] != ["tpm"]:
        return play(service)
    with software_tpm(service.path("tpm"), lambda: as_user(ENCLAVE), ENCLAVE) as service.tpm:
        play(service)


main()
