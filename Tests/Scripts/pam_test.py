"""pam_keychain against the real daemon, through pam_wrapper and pamtester.

usage: pam_test.py FOLDER-OF-PROGRAMS FOLDER-OF-THE-MODULE
"""

import os
import pathlib
import pwd
import signal
import subprocess
import sys
import tempfile
import time

from keychain_parts import ASKED, ends

programs, modules = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
user = pwd.getpwuid(os.getuid()).pw_name
wrapper = "libpam_wrapper.so"
checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit("FAILED: " + what)


class Machine:
    """A keychain, its daemon, and the services of a machine where `user` logs in with a password."""

    def __init__(self, options="auto_start", daemon=None, login="right", module="pam_keychain.so"):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.store = self.path / "k"
        self.password, self.module = login, module
        self.services = self.path / "services"
        self.services.mkdir()
        self.daemon = daemon or str(programs / "keychaind")
        self.write(options)

    def write(self, options, first=None):
        places = f"store={self.store} daemon={self.daemon} command={programs}/security"
        module = f"{modules}/{self.module} {places} {options}"
        giver = f"{modules}/pam_giver.so password={self.password}"
        for name in ("login", "other"):
            (self.services / name).write_text(
                f"auth required {first or giver}\nauth optional {module}\naccount required pam_permit.so\n"
                f"password required {giver}\npassword optional {module}\n"
                f"session required pam_permit.so\nsession optional {module}\n"
            )

    def environment(self):
        return {
            "PATH": "/usr/bin:/bin",
            "KEYCHAIN_HOME": str(self.store),
            "KEYCHAIN_DAEMON": str(programs / "keychaind"),
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_MODE": "daemon",
            "HOME": str(self.path),
            **ASKED,
        }

    def security(self, *words, code=0, text=""):
        run = subprocess.run(
            [programs / "security", *words], env=self.environment(), input=text, capture_output=True, text=True
        )
        check(run.returncode == code, f"security {words[0]} gives {code}: {run.returncode} {run.stderr}")
        return run.stdout

    def wrapped(self):
        return {
            "PATH": "/usr/bin:/bin",
            "LD_PRELOAD": wrapper,
            "PAM_WRAPPER": "1",
            "PAM_WRAPPER_SERVICE_DIR": str(self.services),
        }

    def login(self, *calls, text="right\n", service="login"):
        started = time.monotonic()
        run = subprocess.run(
            ["pamtester", service, user, *calls], env=self.wrapped(), input=text, capture_output=True, text=True
        )
        self.took = time.monotonic() - started
        self.errors = run.stderr
        return run.returncode == 0

    def state(self):
        return [line.split(":")[1].strip() for line in self.security("status").splitlines() if "lock state" in line][0]

    def lock(self):
        self.security("lock-keychain")
        check(self.state() == "locked", "lock-keychain locks")

    def processes(self):
        found = subprocess.run(
            ["pgrep", "-f", "--", f"--store {self.store}( |$)"], capture_output=True, text=True
        ).stdout
        return [int(line) for line in found.split()]

    def stop(self, number=signal.SIGTERM):
        for process in self.processes():
            if number in (signal.SIGTERM, signal.SIGKILL):
                ends(process, number)
            else:
                os.kill(process, number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGKILL)
        self.folder.cleanup()


def right_password_unlocks():
    with Machine() as machine:
        machine.security("add-generic-password", "-s", "mail", "-a", "ann", "-w", "s3cret")
        machine.security("set-keychain-password", text="right\n")
        machine.lock()
        check(machine.login("authenticate", "open_session"), "the login succeeds")
        check(machine.state() == "unlocked", "the login's password unlocks the running daemon")
        machine.stop()
        check(machine.login("authenticate", "open_session"), "the login succeeds without a daemon")
        check(machine.processes(), "auto_start starts the daemon")
        check(machine.state() == "unlocked", "the daemon that the login started is unlocked")
        check(machine.security("find-generic-password", "-s", "mail", "-w") == "s3cret\n", "and its items open")
        machine.lock()
        check(machine.login("authenticate", "setcred"), "a screen locker unlocks its screen")
        check(machine.state() == "unlocked", "and the keychain, without a session")


def wrong_password_does_not():
    with Machine(login="other") as machine:
        machine.security("set-keychain-password", text="right\n")
        machine.lock()
        check(machine.login("authenticate", "open_session", text="other\n"), "a login with another password goes on")
        check(machine.state() == "locked", "and unlocks nothing")
        check("1 wrong in a row" in machine.security("status"), "it counts as one attempt")
        check(not machine.login("authenticate", "open_session", text="nonsense\n"), "a failed login fails")
        check("1 wrong in a row" in machine.security("status"), "and shows its password to nobody")


def password_changes():
    with Machine() as machine:
        machine.security("set-keychain-password", text="right\n")
        machine.security("add-generic-password", "-s", "mail", "-a", "ann", "-w", "s3cret")
        check(
            machine.login("chauthtok", text="right\nnew\nnew\n"), "the login's password is changed: " + machine.errors
        )
        machine.lock()
        machine.security("unlock-keychain", code=51, text="right\n")
        machine.security("unlock-keychain", text="new\n")
        check(
            machine.security("find-generic-password", "-s", "mail", "-w") == "s3cret\n", "the items are what they were"
        )
        machine.password = "new"
        machine.write("auto_start")
        machine.lock()
        check(machine.login("authenticate", "open_session", text="new\n"), "the next login has the new one")
        check(machine.state() == "unlocked", "and it unlocks")
        machine.security("set-keychain-password", text="new\nown\n")
        check(
            machine.login("chauthtok", text="new\nnewer\nnewer\n"), "a keychain with its own password refuses nothing"
        )
        machine.lock()
        machine.security("unlock-keychain", text="own\n")
        machine.security("set-keychain-password", "-p", "", text="own\n")
        check(
            machine.login("chauthtok", text="new\nnewer\nnewer\n"), "a keychain without a password refuses nothing"
        )
        # The first password takes no old one.
        machine.security("set-keychain-password", text="first\n")


def logins_only():
    with Machine() as machine:
        machine.security("set-keychain-password", text="right\n")
        machine.lock()
        check(machine.login("authenticate", "setcred", "open_session", service="other"), "what is no login goes on")
        check(machine.state() == "locked", "and unlocks nothing")
        check(machine.login("authenticate", "setcred"), "a login")
        check(machine.state() == "unlocked", "unlocks")


def options():
    with Machine(options="auto_start only_if=gdm,other debug nonsense") as machine:
        machine.security("set-keychain-password", text="right\n")
        machine.lock()
        check(machine.login("authenticate", "open_session"), "a service that is not named goes on")
        check(machine.state() == "locked", "and unlocks nothing")
        check(machine.login("authenticate", "open_session", service="other"), "one that is named")
        check(machine.state() == "unlocked", "unlocks")
        machine.stop()
        machine.write("")
        check(machine.login("authenticate", "open_session"), "without auto_start the login goes on")
        check(not machine.processes(), "and no daemon is started")
    with Machine(options="auto_start required", daemon="/nowhere/keychaind") as machine:
        machine.write("auto_start required")
        for service in machine.services.iterdir():
            service.write_text(service.read_text().replace("session optional", "session required"))
        check(not machine.login("authenticate", "open_session"), "required refuses a login without a keychain")


# The texts of PAM for its results (pam_strerror(3)).
WRONG, NOBODY, UNOPENED, UNASKED = (
    "Authentication failure", "Authentication service cannot retrieve authentication info",
    "Authentication service cannot retrieve user credentials", "Error in service module",
)


def failures_have_names():
    """With `required` a program is told why: another password, nobody there, no answer, nothing that opens."""
    with Machine(options="required") as machine:

        def fails(text, what):
            for service in machine.services.iterdir():
                service.write_text(service.read_text().replace("session optional", "session required"))
            check(not machine.login("authenticate", "open_session"), f"{what}: the login fails")
            check(text in machine.errors, f"{what}: {machine.errors}")

        machine.security("set-keychain-password", text="own\n")
        machine.lock()
        fails(WRONG, "a keychain with another password")
        machine.module = "installed/pam_keychain.so"
        machine.write("required")
        machine.stop(signal.SIGSTOP)
        fails(NOBODY, "a daemon that does not answer")
        machine.stop(signal.SIGCONT)
        machine.stop()
        machine.module = "pam_keychain.so"
        machine.write("required")
        fails(NOBODY, "no daemon")
        machine.write("required auto_start")
        os.truncate(machine.store / "vault", 10)
        fails(UNOPENED, "a damaged vault")
        machine.daemon = "/bin/false"
        machine.write("required auto_start")
        fails(UNASKED, "a daemon that cannot be started")


def nothing_holds_a_login_up():
    with Machine(daemon="/nowhere/keychaind") as machine:
        check(machine.login("authenticate", "setcred", "open_session"), "a login without a daemon installed goes on")
        check(machine.login("chauthtok", text="right\nnew\nnew\n"), "and a password is changed")
    with Machine(daemon="/bin/false") as machine:
        check(machine.login("authenticate", "open_session"), "a login with a daemon that does not start goes on")
    with Machine(module="installed/pam_keychain.so") as machine:
        machine.security("set-keychain-password", text="right\n")
        machine.stop(signal.SIGSTOP)
        check(machine.login("authenticate", "open_session"), "a login with a daemon that does not answer goes on")
        check(machine.took > 4, f"after some seconds: {machine.took:.2f} s")
        machine.stop(signal.SIGCONT)


def secrets_are_wiped():
    needle = "xylophone-quartz-41"
    with Machine(login=needle) as machine:
        machine.security("set-keychain-password", text=needle + "\n")
        machine.lock()
        # A file of services with the password in it would be read into memory.
        machine.password = "-"
        machine.write("auto_start", first=f"{modules}/pam_giver.so fd=0")
        for keep, remembered in ((["keep"], "keeps it to the end"), ([], "gives it to the keychain")):
            run = subprocess.run(
                [modules / "searcher", machine.services, "login", user, needle[::-1], *keep],
                input=needle,
                capture_output=True,
                text=True,
            )
            fields = run.stdout.split()
            check(len(fields) == 4 and fields[0] == "0", f"the search runs: {run.stdout}{run.stderr}")
            check(int(fields[1]) >= 1, f"the search finds the password while it is remembered ({remembered})")
            check(fields[3] == "0", f"after pam_end the password is nowhere ({remembered}): {fields[3]}")
        check(machine.state() == "unlocked", "and the keychain is open")


for test in (
    right_password_unlocks,
    wrong_password_does_not,
    password_changes,
    logins_only,
    options,
    failures_have_names,
    nothing_holds_a_login_up,
    secrets_are_wiped,
):
    test()
print(f"pam_keychain: {checks} checks")
