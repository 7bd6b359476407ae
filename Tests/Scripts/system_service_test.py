"""The system service as its users meet it: system_service_test.py FOLDER-OF-PROGRAMS, as root."""

import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
from deployment import ENCLAVE, OTHER, SERVICE, VICTIM, wait_until  # noqa: E402
from patience import PATIENCE
from system_service_activation import activated
from system_service_parts import FAILED, Service, asked_at_terminal, check, connected, credential, privileges


def lives(d, program):
    check("a user's item is stored and read", d.has(program), d.said)
    status = d.run(program, "status").stdout
    check(
        "status says system daemon, and that the keys are elsewhere",
        "system daemon" in status and "separate process" in status,
        status,
    )
    check("the identifier has CAP_SYS_PTRACE alone, all others have nothing, none can gain any", privileges(d), d.said)
    d.store(program, user=OTHER, secret="of the other")
    check(
        "another user has a keychain of his own",
        d.run(*d.search(program), user=OTHER).stdout.strip() == "of the other" and d.has(program),
    )
    folders = sorted(os.listdir(d.path("state")))
    check(
        "each user's store and vault have folders of their own",
        folders == sorted(os.listdir(d.path("vaults"))) == [str(VICTIM), str(OTHER)],
        folders,
    )
    owners = {
        os.stat(os.path.join(parent, name)).st_uid for parent, _, names in os.walk(d.path("state")) for name in names
    }
    check(
        "the stores are the service's, the vaults the enclave's",
        owners == {SERVICE} and os.stat(d.path("vaults", str(VICTIM), "vault")).st_uid == ENCLAVE,
        owners,
    )


def ends_and_begins(d, program):
    with connected(d):
        d.has(program)
        daemon = d.processes()["daemon"]
    check(
        "a keychain that nobody is connected to is closed, and its enclave with it",
        wait_until(lambda: not {"daemon", "enclave", "agent"} & d.processes().keys(), PATIENCE),
        d.processes(),
    )
    with connected(d):
        check("the next connection opens it again", d.has(program) and d.processes()["daemon"] != daemon, d.said)
    for kind in ("daemon", "enclave", "identifier"):
        with connected(d):
            d.has(program)
            os.kill(d.processes()[kind], signal.SIGKILL)
        check(
            f"when the {kind} dies, the next program is served all the same",
            wait_until(lambda: d.has(program), PATIENCE),
            d.said,
        )
    check("nobody is left unreaped", wait_until(lambda: not zombies(d), PATIENCE), zombies(d))


def zombies(d):
    found = subprocess.run(["ps", "-o", "stat=,args=", "--ppid", str(d.service.pid)], stdout=subprocess.PIPE, text=True)
    return [line for line in found.stdout.splitlines() if line.startswith("Z")]


def keeps_vaults(d, program):
    def close():
        return wait_until(lambda: "daemon" not in d.processes(), PATIENCE)

    close()
    vault, away = d.path("vaults", str(VICTIM), "vault"), d.path("away")
    os.rename(vault, away)
    check(
        "a store without its vault is refused, and the program learns why",
        not d.has(program) and "vault" in d.said,
        d.said,
    )
    check("no vault was made in its place", not os.path.exists(vault))
    check("the refusal ends by itself", close())
    os.rename(away, vault)
    check("with the vault back it opens", d.has(program), d.said)
    close()
    before = open(vault, "rb").read()
    shutil.move(d.path("state", str(VICTIM)), d.path("away-store"))
    d.has(program)
    check("a vault that is there is never overwritten, not even without a store", open(vault, "rb").read() == before)
    close()
    shutil.rmtree(d.path("state", str(VICTIM)))
    shutil.move(d.path("away-store"), d.path("state", str(VICTIM)))
    check("with the store back the item is there", d.has(program), d.said)


def backups(d, program):
    security, words = d.path("libexec", "security"), ("backup", "--dry-run", "/tmp/none")
    done = d.run(security, *words)
    check("without a password a user's programs get no backup", "No password is set" in done.stderr, done)
    d.run(program, "set-keychain-password", "-p", "1234567")
    done = d.run(security, *words)
    check("with one its command makes them", done.stdout.startswith("items: 1\n"), done)
    d.run(program, "set-keychain-password", "-o", "1234567", "-p", "")


def passcodes(d, program):
    check("protection.passcode.none: a keychain without a password is always open", d.has(program))
    done = d.run(program, "set-keychain-password", "-p", "1234567")
    check("a password can be set through the system service", done.returncode == 0, done.stderr)
    d.run(program, "lock-keychain")
    check(
        "protection.passcode.none: a locked keychain gives nothing where nobody may be asked",
        not d.has(program) and "locked" in d.said,
        d.said,
    )
    done = d.run(program, "unlock-keychain", text="wrong\n")
    check("a wrong password is refused", done.returncode == 51, done.stderr)
    done = d.run(program, "unlock-keychain", text="1234567\n")
    check("the right one opens it", done.returncode == 0 and d.has(program), done.stderr + d.said)
    check(
        "protection.passcode.none: a program finds its own items alone",
        not d.has(d.install("another")) and "could not be found" in d.said,
    )
    done = d.run(program, "set-keychain-password", "-o", "1234567", "-p", "")
    check("the password can be removed", done.returncode == 0 and d.has(program), done.stderr)


def prompts(d, victim):
    """An item that takes its user: the agent is another user's, and asks on the terminal that the program hands over.
    """
    program = d.install("guarded-item", f"{d.products}/guarded-item")
    d.run(victim, "set-keychain-password", "-p", "1234567")
    added = d.run(program, "add", "guarded", "ak")
    check("an item that takes its user can be added", added.returncode == 0, added.stdout)
    refused = d.run(program, "read", "guarded", env=d.environment(KEYCHAIN_INTERACTION="auto"))
    check("without a terminal it is refused: nobody can be asked", "-25308" in refused.stdout, refused.stdout)
    said = asked_at_terminal(d, [program, "read", "guarded"], "1234567\n")
    check(
        "at a terminal the user is asked there, and the item opens", "guarded value" in said and program in said, said
    )
    said = asked_at_terminal(d, [program, "read", "guarded"], "\x03")
    check("he may refuse", "guarded value" not in said and "-128" in said, said)
    d.run(victim, "set-keychain-password", "-o", "1234567", "-p", "")


def removed_programs(d):
    """A package's script, run by root, tells the keychains of all users; only what their policy gives up goes."""
    security = d.path("libexec", "security")
    users = (VICTIM, OTHER)
    goes, stays = (d.install(name) for name in ("goes", "stays"))
    for user in users:
        for program in (goes, stays):
            d.store(program, user=user)
    # The victim wants it purged, the other one keeps everything.
    policy = [security, "set-group-policy", f"program:{goes}", "purge"]
    check(
        "access-groups.removal.policy: without a password, nobody could tell the user from his programs",
        d.run(*policy).returncode != 0,
    )
    d.run(security, "set-keychain-password", "-p", "1234567")
    done = d.run(*policy, text="1234567\n")
    check(
        "access-groups.removal.policy: with his password a user says what becomes of a group",
        done.returncode == 0,
        done.stderr,
    )
    d.run(security, "set-keychain-password", "-o", "1234567", "-p", "")
    os.unlink(goes)

    def tell(*more, user=0):
        return d.run(security, "-v", "uninstalled", "--all-users", "-d", d.path("state"), *more, goes, user=user)

    done = tell(user=VICTIM)
    check(
        "access-groups.removal.policy: a user tells nobody else's keychain",
        done.returncode != 0 and "deleted" not in done.stdout,
        done.stdout,
    )
    done = tell()
    check(
        "access-groups.removal.policy: root tells the keychains of all users, and what was to go is gone",
        done.stdout == "deleted: 1\n" and done.returncode == 0,
        done.stdout + done.stderr,
    )
    d.install("goes")
    check("access-groups.removal.policy: its item is gone where the policy said so", not d.has(goes), d.said)
    check("access-groups.removal.policy: and stays where it did not", d.has(goes, user=OTHER), d.said)
    check(
        "access-groups.removal.policy: items of other programs stay",
        all(d.has(stays, user=user) for user in users),
        d.said,
    )


def credentials(d):
    security = d.path("libexec", "security")
    done = d.ask_system(security, "--system", "status")
    check("the command says so where there is no system keychain", done.returncode != 0 or "system" in done.stdout)

    def ask(*words, text=None):
        return d.ask_system(security, *words, text=text)

    for unit, name, value in (("backup.service", "token", "of backup"), ("web@1.service", "token", "of web")):
        done = ask("set-credential", unit, name, text=value + "\n")
        check(f"root stores a credential of {unit}", done.returncode == 0, done.stderr)
    check(
        "a unit gets its credential, byte for byte",
        credential(d, "backup.service", "token") == "of backup",
        credential(d, "backup.service", "token"),
    )
    check("another unit gets its own", credential(d, "web@1.service", "token") == "of web")
    check("a credential that is not there is empty", credential(d, "backup.service", "nothing") == "")
    check("a unit that has none gets nothing", credential(d, "other.service", "token") == "")
    ask("set-credential", "backup", "token", text="changed\n")
    check(
        "a credential can be changed, and a unit's suffix left out",
        credential(d, "backup.service", "token") == "changed",
    )
    listed = ask("list-credentials").stdout
    check(
        "root lists them without values",
        sorted(listed.splitlines()) == ["backup.service token", "web@1.service token"],
        listed,
    )
    file, phrase = d.path("system.backup"), "six words that nobody ever guesses\n"
    done = ask("--system", "backup", file, text=phrase)
    check("root backs the system's keychain up", done.returncode == 0, done.stderr)
    ask("delete-credential", "backup.service", "token")
    check("a deleted one is gone", credential(d, "backup.service", "token") == "")
    done = ask("--system", "restore", file, text=phrase)
    check(
        "and a restore gives the unit its credential back",
        done.returncode == 0 and credential(d, "backup.service", "token") == "changed",
        done.stdout + done.stderr,
    )
    ask("delete-credential", "backup.service", "token")
    done = d.run(
        security, "set-credential", "a", "b", text="x\n", env=d.environment(KEYCHAIN_SOCKET=d.path("run", "system"))
    )
    check("a user stores none", done.returncode != 0)


def clerks(d):
    """The processes that look accounts up."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{number}/cmdline").read().split("\0")
        except OSError:
            continue
        if words[0].startswith(d.base) and "--accounts" in words:
            found.append(int(number))
    return found


def accounts(d, program):
    """Who may have a keychain is looked up beside the master, which nothing holds up."""
    stranger = 1_600_000_321

    def status(user):
        return d.run(program, "find-generic-password", "-s", "nothing", user=user).returncode

    check("a number without an account has no keychain", status(stranger) == 53)
    check("it is looked up by one process", len(clerks(d)) == 1, clerks(d))
    clerk = clerks(d)[0]
    lines = dict(line.split(":", 1) for line in open(f"/proc/{clerk}/status").read().splitlines())
    check(
        "which has no privileges",
        int(lines["CapPrm"], 16) == int(lines["CapEff"], 16) == 0 and lines["NoNewPrivs"].strip() == "1",
        lines,
    )
    os.kill(clerk, signal.SIGKILL)
    answered = status(stranger + 1) == 53
    check("when it dies, the next one answers", answered and wait_until(lambda: clerks(d) != [clerk], PATIENCE))
    d.store(program, user=OTHER)
    check("a keychain is closed", wait_until(lambda: "daemon" not in d.processes(), PATIENCE))
    # One that has just answered, and goes on to say nothing.
    status(stranger + 2)
    os.kill(clerks(d)[0], signal.SIGSTOP)
    check("who has a keychain is served although no account can be looked up", d.has(program, user=OTHER), d.said)
    status(stranger + 3)
    os.kill(clerks(d)[0], signal.SIGSTOP)
    check("who has none is not, for now", status(stranger + 4) == 53)
    check(
        "and the log says that it is not known",
        f"whether user {stranger + 4} has an account cannot be found out now" in open(d.log).read(),
    )
    check(
        "the process that looks accounts up ends when there is nothing to look up",
        wait_until(lambda: not clerks(d), PATIENCE),
    )


def quota(products):
    """A user fills his keychain: his own is full then, and nobody else's."""
    d = Service(products)
    d.options = lambda usual=d.options: [*usual(), "--quota-bytes", "1000000"]
    try:
        program = d.install("victim")
        d.start()
        value, done = "x" * 100_000, None
        for number in range(40):
            done = d.run(program, "-v", "add-generic-password", "-s", f"s{number}", "-a", "a", "-w", value)
            if done.returncode:
                break
        check(
            "a keychain grows to its quota and no further",
            done.returncode != 0 and "--quota-bytes" in done.stderr,
            done.stderr[-300:],
        )
        check("what is in it is read", d.run(*d.search(program, "s0")).stdout.strip() == value)
        check(
            "items of a full keychain can be deleted, and then others be added",
            all(d.run(program, "delete-generic-password", "-s", f"s{n}").returncode == 0 for n in range(3))
            and d.run(program, "add-generic-password", "-s", "new", "-a", "a", "-w", value).returncode == 0,
        )
        check(
            "another user's has room",
            d.run(program, "add-generic-password", "-s", "s", "-a", "a", "-w", value, user=OTHER).returncode == 0,
        )
    finally:
        try:
            d.stop()
        finally:
            d.remove()


def main():
    d = Service(os.path.abspath(sys.argv[1]))
    machine.leave()
    d.add_accounts()
    try:
        program = d.install("victim")
        d.start()
        d.store(program)
        with connected(d):
            lives(d, program)
        ends_and_begins(d, program)
        accounts(d, program)
        keeps_vaults(d, program)
        with connected(d):
            backups(d, program)
            passcodes(d, program)
            prompts(d, program)
            removed_programs(d)
        credentials(d)
        activated(d, program)
    finally:
        try:
            d.stop()
        finally:
            d.remove()
    quota(os.path.abspath(sys.argv[1]))
    sys.exit(1 if FAILED else 0)


main()
