"""pam_keychain in the stacks of a whole machine: real sudo, su, login and sshd, real libpam in a screen locker's order.

usage: pam_login_test.py FOLDER-OF-PROGRAMS FOLDER-OF-THE-MODULE FOLDER-OF-PARTS, as root. The machine is left as it
was: accounts and services are mounted for this process alone.
"""

import contextlib
import os
import pathlib
import pty
import re
import select
import shutil
import socket
import subprocess
import sys
import threading
import time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Tests/Hostile"))

import machine  # noqa: E402
from deployment import ENCLAVE, SERVICE, Deployment  # noqa: E402
from keychain_parts import ends  # noqa: E402
from patience import PATIENCE  # noqa: E402

products, modules, parts = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
ALICE, BOB = 61310, 61311
PASSWORDS = {"kc-alice": "alice's own 1", "kc-bob": "bob's own 2"}
NUMBERS = {"kc-alice": ALICE, "kc-bob": BOB}
checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit("FAILED: " + what)


def profile(kind):
    """The packaged profile's words for a kind of call."""
    text = (root / "packaging/debian/pam-configs/keychain").read_text()
    return re.search(rf"^{kind}:\n\toptional\tpam_keychain\.so(.*)$", text, re.M)[1].strip()


class Machine(Deployment):
    """A machine with our service: alice and bob have accounts, and keychains with the passwords of their logins.
    """

    def __init__(self):
        super().__init__(str(products))
        machine.leave()
        machine.fresh("/run")
        for name in PASSWORDS:
            home = self.home(name)
            os.makedirs(home, 0o700)
            os.chown(home, NUMBERS[name], NUMBERS[name])
        accounts = {name: (NUMBERS[name], password) for name, password in PASSWORDS.items()}
        accounts |= (
            {"sshd": (61320, None)} if not subprocess.run(["id", "sshd"], capture_output=True).returncode == 0 else {}
        )
        machine.add_accounts(self.base, accounts, self.home)
        machine.add_lines(self.base, "/etc/sudoers", ["Defaults !lecture", "kc-alice ALL=(ALL) ALL"])
        os.mkdir(self.path("pam.d"))
        self.services()
        machine.cover("/etc/pam.d", self.path("pam.d"))
        self.program = self.install("security")

    def home(self, name):
        return self.path("homes", name)

    @property
    def socket(self):
        return "/run/keychaind/socket"

    def options(self):
        words = super().options()
        words[words.index("--sockets") + 1] = "/run/keychaind"
        return words

    def mount(self):
        """The sockets are where programs look for them."""

    def services(self, options=None):
        """Writes Debian's stacks, with the packaged lines of ours or with other words behind the module's name."""
        module = f"optional {modules}/pam_keychain.so"
        ours = {
            kind: f"{kind.lower()} {module} {profile(kind) if options is None else options}\n"
            for kind in ("Auth", "Session", "Password")
        }
        common = {
            "common-auth": (
                "auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so\n"
                + ours["Auth"]
            ),
            "common-account": "account required pam_permit.so\n",
            "common-session": "session required pam_permit.so\n" + ours["Session"],
            "common-password": "password required pam_unix.so\n" + ours["Password"],
        }
        whole = "".join(f"@include {name}\n" for name in common)
        for name, text in common.items():
            pathlib.Path(self.path("pam.d", name)).write_text(text)
        for name in ("sudo", "sudo-i", "su", "su-l", "login", "sshd", "swaylock", "gdm-password", "other"):
            pathlib.Path(self.path("pam.d", name)).write_text(whole)

    def security(self, name, *words, text=None):
        return self.run(self.program, *words, user=NUMBERS[name], text=text, env=self.environment(HOME=self.home(name)))

    def protect(self):
        for name, password in PASSWORDS.items():
            done = self.security(name, "set-keychain-password", text=password + "\n")
            check(done.returncode == 0, f"{name} sets a password: {done.stderr}")

    def lock(self):
        for name in PASSWORDS:
            self.security(name, "lock-keychain")
            check(not self.is_open(name), f"the keychain of {name} is locked")

    def is_open(self, name):
        said = self.security(name, "status").stdout
        return re.search(r"lock state: *(\S+)", said)[1] == "unlocked"

    def is_blamed(self, name):
        """Whether somebody has shown a wrong password to the keychain."""
        return "wrong in a row" in self.security(name, "status").stdout

    def wrong_to_nobody(self, what):
        for name in PASSWORDS:
            check(not self.is_blamed(name), f"{what}: no wrong password is shown to the keychain of {name}")

    def orders(self, name, service, *words, user=0, env=None):
        done = subprocess.run(
            [parts / "orders", "/etc/pam.d", service, name, PASSWORDS[name], *words],
            user=user,
            group=user,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            env=env or {},
        )
        return done.stdout + done.stderr


class Listener:
    """Whoever listens at a path as a user, and what comes there."""

    def __init__(self, path, user):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
            os.chown(folder, user, user)
        self.path, self.news, self.callers = path, b"", []
        self.socket = socket.socket(socket.AF_UNIX)
        # The kernel says of a listener who it was when it began to listen.
        os.setresuid(user, user, 0)
        try:
            self.socket.bind(path)
            self.socket.listen()
        finally:
            os.setresuid(0, 0, 0)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                caller, _ = self.socket.accept()
            except OSError:
                return
            number = int.from_bytes(caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], "little")
            self.callers.append((os.stat(f"/proc/{number}/mem").st_uid, open(f"/proc/{number}/limits").read()))
            bytes_, files, _, _ = socket.recv_fds(caller, 4096, 4)
            for file in files:
                self.news += os.pread(file, 4096, 0)
                os.close(file)
            self.news += bytes_
            caller.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        os.unlink(self.path)


def on_terminal(words, password, user=None, then="exit\n"):
    """Runs a program on a terminal of its own and types the password when it is asked for; gives what was said."""
    child, terminal = pty.fork()
    if child == 0:
        if user is not None:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        os.chdir("/")
        os.execve(words[0], words, {"PATH": "/usr/bin:/bin", "TERM": "dumb"})
    said, lines, deadline = b"", [password + "\n", then], time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            said += os.read(terminal, 4096)
        except OSError:
            break
        if lines and re.search(rb"(assword[^\n]*: *|[$#>] )$", said):
            os.write(terminal, lines.pop(0).encode())
    os.close(terminal)
    os.waitpid(child, 0)
    return said.decode()


def sudo(m, target="kc-bob"):
    done = subprocess.run(
        ["sudo", "-k", "-S", "-u", target, "id", "-un"],
        user=ALICE,
        group=ALICE,
        extra_groups=[],
        cwd="/",
        input=PASSWORDS["kc-alice"] + "\n",
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
    )
    check(done.stdout.strip() == target, f"sudo works: {done.stdout}{done.stderr}")


def sudo_gives_no_password_to_the_target(m):
    m.lock()
    for _ in range(5):
        sudo(m)
    m.wrong_to_nobody("five times sudo")
    check(not m.is_open("kc-alice"), "sudo is no login: it unlocks nothing")
    done = m.security("kc-bob", "unlock-keychain", text=PASSWORDS["kc-bob"] + "\n")
    check(done.returncode == 0, f"after five times sudo the target's own password opens its keychain: {done.stderr}")
    # Not even where an administrator wants it at sudo: what alice has typed is not bob's.
    m.lock()
    m.services("only_if=sudo")
    sudo(m)
    m.wrong_to_nobody("sudo, where the module is wanted at sudo")
    m.services()


def a_password_dies_when_the_user_changes(m):
    m.lock()
    for words in (
        ["auth", "acct", "user=kc-bob", "reinitialize", "open"],
        ["auth", "user=kc-bob", "establish"],
        ["auth", "user=kc-bob", "open"],
    ):
        check(m.orders("kc-alice", "login", *words) == "", f"libpam is asked for {words}")
        m.wrong_to_nobody(" ".join(words))
    check(not m.is_open("kc-alice"), "nothing is unlocked meanwhile")
    check(m.orders("kc-alice", "login", "auth", "user=kc-bob", "establish", "user=kc-alice", "open") == "", "and back")
    check(not m.is_open("kc-alice"), "a password that has died does not come back with its user")


def su_is_no_login(m):
    m.lock()
    said = on_terminal(["/usr/bin/su", "kc-alice", "-c", "id -un"], PASSWORDS["kc-alice"], user=BOB)
    check("kc-alice" in said, f"su works: {said}")
    said = on_terminal(["/usr/bin/su", "-", "kc-alice", "-c", "id -un"], PASSWORDS["kc-alice"], user=BOB)
    check("kc-alice" in said, f"su - works: {said}")
    check(not m.is_open("kc-alice"), "su unlocks nothing")
    m.wrong_to_nobody("su")


def login_unlocks(m):
    m.lock()
    said = on_terminal(["/usr/bin/login", "-p", "kc-alice"], PASSWORDS["kc-alice"])
    check(m.is_open("kc-alice"), f"a login unlocks: {said}")
    check(not m.is_open("kc-bob"), "and not another's keychain")
    m.wrong_to_nobody("a login")


def sshd_unlocks(m):
    m.lock()
    folder = pathlib.Path(m.path("ssh"))
    folder.mkdir(mode=0o755)
    os.mkdir("/run/sshd", 0o755)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
    (folder / "config").write_text(
        f"Port 61322\nListenAddress 127.0.0.1\nHostKey {folder}/key\nUsePAM yes\nPasswordAuthentication yes\n"
        "KbdInteractiveAuthentication no\nPrintMotd no\nPidFile none\n"
    )
    (folder / "ask").write_text(f'#!/bin/sh\necho "{PASSWORDS["kc-alice"]}"\n')
    (folder / "ask").chmod(0o755)
    library = parts / "openssh/usr/lib"
    server = subprocess.Popen(
        [parts / "openssh/usr/sbin/sshd", "-D", "-e", "-f", folder / "config"],
        stderr=subprocess.PIPE,
        text=True,
        env={"LD_LIBRARY_PATH": ":".join(str(path) for path in library.iterdir()), "PATH": "/usr/bin:/bin"},
    )
    try:
        line = server.stderr.readline()
        while "listening" not in line:
            check(line, "sshd serves")
            line = server.stderr.readline()
        done = subprocess.run(
            [
                "ssh",
                "-F",
                "none",
                "-p",
                "61322",
                "-o",
                "StrictHostKeyChecking=no",
                "-o",
                "UserKnownHostsFile=/dev/null",
                "kc-alice@127.0.0.1",
                "id",
                "-un",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", "SSH_ASKPASS": str(folder / "ask"), "SSH_ASKPASS_REQUIRE": "force"},
        )
        check(done.stdout.strip() == "kc-alice", f"ssh works: {done.stdout}{done.stderr}")
    finally:
        server.terminate()
        server.wait()
    check(m.is_open("kc-alice"), "a login over ssh, with a password, unlocks")
    m.wrong_to_nobody("ssh")


def screen_lockers_unlock(m):
    for service, user in (("swaylock", ALICE), ("gdm-password", 0)):
        m.lock()
        for flag in ("refresh", "reinitialize", "establish"):
            check(m.orders("kc-alice", service, "auth", "acct", flag, user=user) == "", f"{service} lets alice in")
            check(m.is_open("kc-alice"), f"{service} unlocks with {flag}, as user {user}")
            m.lock()
        check(m.orders("kc-alice", service, "auth", "acct", "delete", user=user) == "", f"{service} takes leave")
        check(not m.is_open("kc-alice"), "a login that is taken back unlocks nothing")
    # A locker runs as the user, and has no business with another's keychain.
    m.orders("kc-bob", "swaylock", "auth", "refresh", user=ALICE)
    check(not m.is_open("kc-bob"), "a locker of alice's does not unlock the keychain of bob")


def nobody_else_listens(m):
    """Without the service: whoever listens where a user's own daemon would."""
    places = [f"{m.home(name)}/.local/share/keychain/keychaind.sock" for name in PASSWORDS]
    for place, number in zip(places, NUMBERS.values()):
        with Listener(place, number) as listener:
            sudo(m)
            check(
                m.orders("kc-alice", "login", "auth", "establish", "open") == "", "a login goes on without the service"
            )
            check(not listener.callers, "the packaged module speaks with the service and with nobody else")
            m.services("only_if=sudo,login")
            sudo(m)
            check(not listener.news, "nobody gets the password that was typed for sudo")
            m.services()


def own_daemon_unlocks(m):
    """Without the service, a login of root's starts the user's own daemon, which has no privilege, and unlocks."""
    programs, home = m.path("libexec"), m.home("kc-alice")
    m.services(f"auto_start daemon={programs}/keychaind command={programs}/security")
    variables = {"HOME": home, "PATH": "/usr/bin:/bin", "KEYCHAIN_DAEMON": f"{programs}/keychaind"}

    def security(*words, text=None):
        done = m.run(f"{programs}/security", *words, user=ALICE, text=text, env=variables)
        check(done.returncode == 0, f"{words[0]} of alice's: {done.stderr}")
        return done.stdout

    def is_open():
        return re.search(r"lock state: *(\S+)", security("status"))[1] == "unlocked"

    security("add-generic-password", "-s", "mail", "-a", "alice", "-w", "s3cret")
    security("set-keychain-password", text=PASSWORDS["kc-alice"] + "\n")
    try:
        for started in (True, False):
            security("lock-keychain")
            if not started:
                end_daemons(home)
            said = on_terminal(["/usr/bin/login", "-p", "kc-alice"], PASSWORDS["kc-alice"])
            check(is_open(), f"a login unlocks the keychain of a daemon of alice's own: {said}")
    finally:
        end_daemons(home)
        shutil.rmtree(f"{home}/.local")
        m.services()


def end_daemons(home):
    """Ends the daemons below a home."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().decode(errors="replace").split("\0")
            if words[0].endswith("/keychaind") and any(word.startswith(home) for word in words):
                ends(int(path.parent.name))


def the_child_is_closed_in(m):
    m.services("command=/nowhere")
    place = f"{m.home('kc-alice')}/run/keychain/keychaind.sock"
    runtime = f"{m.home('kc-alice')}/run"
    with Listener(place, ALICE) as listener:
        said = m.orders(
            "kc-alice",
            "login",
            f"env=XDG_RUNTIME_DIR={runtime}",
            "auth",
            "establish",
            env={"LD_PRELOAD": str(parts / "watcher.so"), "WATCHED": m.home("kc-alice")},
        )
        check("root looks" not in said, f"root looks at none of the user's files: {said}")
        check(
            PASSWORDS["kc-alice"].encode() in listener.news,
            "a daemon of the user's own is spoken to, where that is wanted",
        )
        owner, limits = listener.callers[0]
        check(
            re.search(r"Max core file size +0 +0 ", limits), "the child that speaks for the login leaves no core file"
        )
        check(owner == 0, "nor may its user look into it")
    m.services()


def main():
    m = Machine()
    try:
        m.start()
        m.protect()
        for test in (
            sudo_gives_no_password_to_the_target,
            a_password_dies_when_the_user_changes,
            su_is_no_login,
            login_unlocks,
            sshd_unlocks,
            screen_lockers_unlock,
        ):
            test(m)
        m.stop()
        shutil.rmtree("/run/keychaind")
        for test in (own_daemon_unlocks, nobody_else_listens, the_child_is_closed_in):
            test(m)
    finally:
        m.stop()
        m.remove()
    print(f"pam_keychain at logins: {checks} checks")


main()
