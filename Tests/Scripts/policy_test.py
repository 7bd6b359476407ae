"""The administrator's policy (/etc/keychain/keychain.conf) in every deployment, as root.

usage: policy_test.py FOLDER-OF-PROGRAMS

The file is in a view of the machine that this process and its children alone have.
"""

import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
from deployment import VICTIM, Deployment  # noqa: E402

FILE = "/etc/keychain/keychain.conf"


class Machine:
    """A user's home, and the machine's policy."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.command = deployment.path("libexec", "security")
        self.writer = deployment.install("writer", f"{deployment.products}/item-writer")
        # A view of /etc with a folder more in it.
        etc = deployment.path("etc")
        shutil.copytree("/etc", etc, symlinks=True, ignore_dangling_symlinks=True)
        os.makedirs(f"{etc}/keychain", 0o755, exist_ok=True)
        machine.cover("/etc", etc)

    def demand(self, text, mode=0o644):
        with open(FILE, "w") as file:
            file.write(text)
        os.chmod(FILE, mode)

    def environment(self, name, **more):
        """Another home each time, so that its daemon is started with the policy of the time."""
        folder = self.deployment.path("home", name)
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
            os.chown(folder, VICTIM, VICTIM)
        return {
            "HOME": folder,
            "PATH": "/usr/bin:/bin",
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_PINENTRY": "none",
            "KEYCHAIN_INTERACTION": "never",
            "KEYCHAIN_HOME": f"{folder}/k",
            "KEYCHAIN_DAEMON": self.deployment.path("libexec", "keychaind"),
            **more,
        }

    def run(self, environment, *words, text=""):
        return self.deployment.run(self.command, *words, text=text, env=environment)

    def refuses(self, environment, *words, text="", place=FILE):
        done = self.run(environment, *words, text=text)
        assert done.returncode != 0 and place in done.stderr, (words, done)

    def does(self, environment, *words, text=""):
        done = self.run(environment, *words, text=text)
        assert done.returncode == 0, (words, done)
        return done.stdout


def passcodes(m, environment):
    """A daemon's keychain: what its user may not do about its password."""
    m.does(environment, "add-generic-password", "-s", "s", "-a", "a", "-w", "v")
    m.refuses(environment, "set-keychain-password", text="short\n")
    assert "password:    not set" in m.does(environment, "status")
    m.does(environment, "set-keychain-password", text="long enough\n")
    m.refuses(environment, "set-keychain-password", text="long enough\nshort\n")
    m.refuses(environment, "set-keychain-password", "-p", "", text="long enough\n")
    m.does(environment, "unlock-keychain", "-p", "long enough")
    m.refuses(environment, "set-keychain-settings", "-t", "3600")
    m.does(environment, "set-keychain-settings", "-l", "-t", "60")
    status = m.does(environment, "status")
    assert FILE in status and "after 60 s without use" in status, status
    assert m.does(environment, "find-generic-password", "-s", "s", "-w") == "v\n"


def own_daemon(m):
    m.demand("minimum-passcode = 8\nlock-after = 300\nlock-on-sleep = yes\n")
    passcodes(m, m.environment("own"))


def service(m):
    m.deployment.start()
    environment = m.environment("service")
    del environment["KEYCHAIN_HOME"]
    passcodes(m, environment)


def settings(m):
    m.demand("history-days = 7\n")
    environment = m.environment("settings")
    m.does(environment, "add-generic-password", "-s", "s", "-a", "a", "-w", "v")
    m.refuses({**environment, "KEYCHAIN_HISTORY_DAYS": "0"}, "find-generic-password", "-s", "s", place=f"{FILE}:1")
    by_hand = m.deployment.run(
        m.deployment.path("libexec", "keychaind"),
        "--history-days",
        "0",
        "--socket",
        "/nowhere/s",
        "--store",
        "/nowhere/k",
        env=environment,
    )
    assert by_hand.returncode != 0 and f"{FILE}:1" in by_hand.stderr, by_hand


def embedded(m):
    m.demand("require-tpm = yes\n")
    environment = m.environment("embedded", KEYCHAIN_MODE="embedded")
    done = m.deployment.run(m.writer, "add", "s", env=environment)
    assert done.returncode == 3 and FILE in done.stderr, done
    assert not os.path.exists(environment["KEYCHAIN_HOME"] + "/vault"), "no vault is made"
    # The same through a daemon.
    served = {**environment, "KEYCHAIN_MODE": "auto"}
    m.refuses(served, "add-generic-password", "-s", "s", "-a", "a", "-w", "v", place="")
    assert not os.path.exists(environment["KEYCHAIN_HOME"] + "/vault"), "no vault is made"
    log = open(environment["KEYCHAIN_HOME"] + "/keychaind.log").read()
    assert FILE in log, log


def throw_away(m):
    """A job's keychain has settings of its own, which are stricter, and a password that is long enough."""
    fixed = "history-days = 5\npinentry = /usr/bin/pinentry\nlogin-password = yes\ntpm = device:/dev/tpmrm0\n"
    for text in (fixed, "minimum-passcode = 30\n", "minimum-passcode = 1024\nlock-after = 300\n"):
        m.demand(text)
        environment = m.environment("job")
        # The user says nothing of these.
        del environment["KEYCHAIN_PINENTRY"], environment["KEYCHAIN_TPM"]
        printed = m.does(environment, "ci-start", "--ttl", "10m", "--format", "env")
        job = environment | dict(line.split("=", 1) for line in printed.splitlines())
        try:
            m.does(job, "add-generic-password", "-U", "-s", "s", "-a", "a", "-w", "v")
            assert m.does(job, "find-generic-password", "-s", "s", "-w") == "v\n"
        finally:
            m.does(job, "ci-stop")
    # The user is told why a daemon has not started.
    m.demand("require-tpm = yes\n")
    m.refuses(m.environment("job"), "ci-start", "--ttl", "10m")
    # A daemon by hand is no way around it.
    m.demand("history-days = 5\n")
    words = ("--throw-away", "--ttl", "60", "--history-days", "999", "--socket", "/nowhere/s", "--store", "/nowhere/k")
    by_hand = m.deployment.run(m.deployment.path("libexec", "keychaind"), *words, env=m.environment("job"))
    assert by_hand.returncode != 0 and f"{FILE}:1" in by_hand.stderr, by_hand


def believes_root_alone(m):
    folder = os.path.dirname(FILE)
    for change in (
        lambda: os.chmod(FILE, 0o666),
        lambda: os.chown(FILE, VICTIM, VICTIM),
        lambda: os.chmod(folder, 0o777),
    ):
        m.demand("lock-after = 300\n")
        change()
        m.refuses(m.environment("doubt"), "add-generic-password", "-s", "s", "-a", "a", "-w", "v")
        os.chown(FILE, 0, 0)
        os.chmod(folder, 0o755)
    m.demand("lock-after = soon\n")
    m.refuses(m.environment("doubt"), "find-generic-password", "-s", "s", place=f"{FILE}:1")
    m.demand("# nothing\n")
    m.does(m.environment("doubt"), "add-generic-password", "-s", "s", "-a", "a", "-w", "v")


def main():
    d = Deployment(os.path.abspath(sys.argv[1]))
    machine.leave()
    d.add_accounts()
    try:
        m = Machine(d)
        for part in (own_daemon, settings, embedded, throw_away, believes_root_alone):
            part(m)
        m.demand("minimum-passcode = 8\nlock-after = 300\nlock-on-sleep = yes\n")
        service(m)
        print("the administrator's policy holds in every deployment, and is believed from root alone")
    finally:
        try:
            d.stop()
        finally:
            d.remove()


main()
