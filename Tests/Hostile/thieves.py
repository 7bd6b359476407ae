"""What root gets, and a thief: with the disk, with a backup, with a machine that sleeps."""

import os
import shutil

from deployment import VICTIM
from patience import PATIENCE
from programs import intrude, victim
from suite import FAILS, SUCCEEDS, attack

LOCKED = "User interaction is not allowed|is locked|locked"


def steal(d, *parts):
    """A copy of the victim's keychain in the thief's own folder: of its store, its vault, or both."""
    folder = d.path("stolen")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder, 0o700)
    if "store" in parts:
        for name in os.listdir(d.path("state", str(VICTIM))):
            if name != "keychain.lock":
                shutil.copy(d.path("state", str(VICTIM), name), folder)
    if "vault" in parts:
        shutil.copy(d.path("vaults", str(VICTIM), "vault"), folder)
    return folder


def opens(d, folder):
    """Whether a daemon of the thief's own, on his machine, gives him the secret."""
    process, path, serves = d.own_daemon(folder)
    try:
        if not serves:
            d.said = open(f"{folder}/log").read()
            return False
        learned = d.learns(*d.search(victim(d)), user=0, env=d.environment(KEYCHAIN_SOCKET=path))
        d.said += open(f"{folder}/log").read()
        return learned
    finally:
        process.terminate()
        process.wait(PATIENCE)


def with_passcode(d, body):
    """Runs something while the victim's keychain has a passcode."""
    command = d.path("libexec", "security")
    done = d.run(command, "set-keychain-password", "-p", "1234567")
    if done.returncode:
        raise RuntimeError("no passcode can be set: " + done.stderr)
    try:
        return body()
    finally:
        said = d.said
        d.run(command, "unlock-keychain", text="1234567\n")
        done = d.run(command, "set-keychain-password", "-o", "1234567", "-p", "")
        if done.returncode or not d.learns(*d.search(victim(d))):
            raise RuntimeError(f"the passcode stays: {done.stderr} {d.said}")
        d.said = said


@attack("protection.limit.root: root runs the program as the user", SUCCEEDS)
def root_as_user(d):
    return d.learns("setpriv", f"--reuid={VICTIM}", f"--regid={VICTIM}", "--clear-groups", *d.search(victim(d)), user=0)


@attack("protection.limit.root: root reads the memory of the enclave", SUCCEEDS)
def root_reads_memory(d):
    d.learns(*d.search(victim(d)))
    return intrude(d, "memory", d.processes()["enclave"], user=0)


@attack("a thief with the disk, of a keychain without a passcode", SUCCEEDS)
def disk(d):
    return opens(d, steal(d, "store", "vault"))


@attack("a thief with the disk, of a keychain with a passcode", FAILS, LOCKED)
def disk_with_passcode(d):
    return with_passcode(d, lambda: opens(d, steal(d, "store", "vault")))


@attack("a thief with a backup of the store, without the vault", FAILS, "vault")
def store_alone(d):
    return opens(d, steal(d, "store"))


@attack("a thief with a backup of the vault, without the store", FAILS, "could not be found")
def vault_alone(d):
    return opens(d, steal(d, "vault"))


@attack("whoever wakes a machine whose keychain was locked", FAILS, LOCKED)
def locked(d):
    def steal_locked():
        if d.run(d.path("libexec", "security"), "lock-keychain").returncode:
            raise RuntimeError("it cannot be locked")
        return d.learns(*d.search(victim(d)))

    return with_passcode(d, steal_locked)


@attack("whoever wakes a machine whose keychain was not locked", SUCCEEDS)
def unlocked(d):
    return with_passcode(d, lambda: d.learns(*d.search(victim(d))))
