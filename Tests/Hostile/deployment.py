"""A system deployment in a folder of its own, with users of its own: what the attacks are made against."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import machine
from keychain_parts import ASKED
from numbers_of_users import SUBORDINATE, SUBORDINATES, USERS
from patience import PATIENCE, eventually

# The interpreter that every user may run.
PYTHON = "/usr/bin/python3"

# Where the system service is on every machine.
USUAL = "/run/keychaind"

# Numbers that nobody has. Those of users get accounts, for the time of the test.
SERVICE, ENCLAVE, IDENTIFIER, VICTIM, OTHER = (USERS + offset for offset in (1, 2, 3, 10, 11))
# The groups of anchored programs and of session agents.
ANCHORED, PROMPTS = USERS + 20, USERS + 21


class Deployment:
    """The service, running; `base` is readable for everybody and its programs are root's."""

    def __init__(self, products, prepare=None):
        # Called in the process of each daemon before it is executed.
        self.prepare = prepare
        # Below folders that are root's: entitlements are believed nowhere else.
        self.base = tempfile.mkdtemp(prefix="keychain-hostile-", dir="/var/lib")
        os.chmod(self.base, 0o755)
        for name in ("bin", "libexec", "home", "mine", "entitlements"):
            os.mkdir(self.path(name), 0o755)
        os.chown(self.path("home"), VICTIM, VICTIM)
        os.chown(self.path("mine"), VICTIM, VICTIM)
        self.products, self.tpm = products, "none"
        programs = ("keychaind", "keychain-enclaved", "keychain-agent", "keychain-codesign", "keychain-pki")
        for name in ("security", *programs):
            if os.path.exists(f"{products}/{name}"):
                shutil.copy(f"{products}/{name}", self.path("libexec", name))
        self.secret = secrets.token_hex(16)
        self.service = None
        self.made_usual = self.is_mounted = False

    def path(self, *names):
        return os.path.join(self.base, *names)

    @property
    def socket(self):
        return self.path("run", "socket")

    def options(self):
        return [
            "--user",
            str(SERVICE),
            "--enclave-user",
            str(ENCLAVE),
            "--identifier-user",
            str(IDENTIFIER),
            "--sockets",
            self.path("run"),
            "--identifier",
            self.path("identifier-run", "socket"),
            "--state",
            self.path("state"),
            "--enclave",
            self.path("enclave-run", "socket"),
            "--enclave-state",
            self.path("vaults"),
            "--tpm",
            self.tpm,
            "--anchor-group",
            str(ANCHORED),
            "--entitlements",
            self.path("entitlements"),
        ]

    @property
    def log(self):
        return self.path("log")

    def add_accounts(self, **more):
        """Gives the users accounts, as this process and its children see the machine (machine.leave)."""
        accounts = {"kc-victim": (VICTIM, None), "kc-other": (OTHER, None), **more}
        subordinates = [f"kc-other:{SUBORDINATE}:{SUBORDINATES}"]
        machine.add_accounts(self.base, accounts, lambda name: self.path("home"), subordinates)

    def start(self):
        self.service, serves = self.daemon(self.log, "--system", *self.options())
        if not serves:
            raise SystemExit("the service does not start: " + open(self.log).read())
        self.mount()

    def mount(self):
        """Puts the sockets where programs that take no setting look for them, as this process sees the machine
        (machine.leave).
        """
        if not os.path.isdir(USUAL):
            os.mkdir(USUAL, 0o755)
            self.made_usual = True
        self.unmount()
        machine.cover(USUAL, self.path("run"))
        self.is_mounted = True

    def unmount(self):
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", USUAL], check=True)
        self.is_mounted = False

    def daemon(self, log, *options, **more):
        """Starts a daemon; gives its process, and whether it serves."""
        reader, writer = os.pipe()
        with open(log, "a") as file:
            process = subprocess.Popen(
                [self.path("libexec", "keychaind"), *options, "--ready-fd", str(writer)],
                pass_fds=[writer],
                stderr=file,
                stdout=file,
                preexec_fn=None if "user" in more else self.prepare,
                **more,
            )
        os.close(writer)
        serves = os.read(reader, 1) == b"\1"
        os.close(reader)
        return process, serves

    def own_daemon(self, folder, **more):
        """Starts a daemon over the keychain in a folder; gives its process, its socket, and whether it serves."""
        path = f"{folder}/own.sock"
        process, serves = self.daemon(
            f"{folder}/log",
            "--socket",
            path,
            "--store",
            folder,
            "--tpm",
            "none",
            "--pinentry",
            "none",
            "--login-password",
            "no",
            "--history-days",
            "30",
            **more,
        )
        return process, path, serves

    def stop(self):
        if self.service:
            self.service.terminate()
            try:
                code = self.service.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            finally:
                self.service = None
            if code != 0:
                raise SystemExit(f"the service ended with {code}: " + open(self.log).read())

    def kill(self):
        """Ends the service's processes, whatever they are doing."""
        self.service.kill()
        self.service.wait()
        self.kill_programs()

    def kill_programs(self):
        """Ends all that runs programs from the deployment's folder, as daemons of users' own do."""

        def ended():
            found = self.running()
            for process in found:
                # It may have ended since.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return not found

        eventually(ended, "programs of the deployment go on")

    def running(self):
        """Processes whose program is in the deployment's folder, but zombies, which have none."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{number}/exe").startswith(self.base + "/"):
                    found.append(int(number))
        return found

    def remove(self):
        self.unmount()
        self.kill_programs()
        shutil.rmtree(self.base)
        if self.made_usual:
            os.rmdir(USUAL)

    def install(self, name, source=None, folder="bin", owner=0, mode=0o755, group=None):
        """Copies a program, `security` unless another is named, and gives its path."""
        target = self.path(folder, name)
        if os.path.lexists(target):
            os.unlink(target)
        shutil.copy(source or f"{self.products}/security", target)
        os.chown(target, owner, owner if group is None else group)
        os.chmod(target, mode)
        return target

    def environment(self, **more):
        return {
            "KEYCHAIN_SOCKET": self.socket,
            "HOME": self.path("home"),
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "KEYCHAIN_INTERACTION": "never",
            **ASKED,
            **more,
        }

    def run(self, *words, user=VICTIM, text=None, env=None, timeout=PATIENCE, **options):
        return subprocess.run(
            words,
            user=user,
            group=user,
            extra_groups=[],
            env=env or self.environment(),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=timeout,
            cwd="/",
            **options,
        )

    def store(self, program, service="s", secret=None, user=VICTIM):
        """Has a program store the secret as its own."""
        done = self.run(
            program,
            "-v",
            "add-generic-password",
            "-U",
            "-s",
            service,
            "-a",
            "a",
            "-w",
            secret or self.secret,
            user=user,
        )
        if done.returncode:
            raise AssertionError(f"{program} cannot store: {done.stderr}")

    @staticmethod
    def search(program, service="s"):
        return [program, "-v", "find-generic-password", "-s", service, "-a", "a", "-w"]

    @staticmethod
    def waits(program):
        """A program's words with which it waits for its input, and needs none of it."""
        return [program, "-i"]

    def learns(self, *words, **options):
        """Whether what runs prints the secret; all its output is kept for the report."""
        done = self.run(*words, **options)
        self.said = (done.stdout + done.stderr).strip()
        return self.secret in self.said

    def request(self, program, service="s"):
        """The bytes with which a program asks for the secret."""
        return self.recorded(*self.search(program, service))

    def recorded(self, *words):
        """The first request of a program, recorded at a socket that answers nothing."""
        path = self.path("home", "recorder")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen()
        asking = subprocess.Popen(
            words,
            user=VICTIM,
            group=VICTIM,
            extra_groups=[],
            cwd="/",
            env=self.environment(KEYCHAIN_SOCKET=path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            listener.settimeout(PATIENCE)
            connection, _ = listener.accept()
            connection.settimeout(PATIENCE)
            frame = connection.recv(65536)
            while len(frame) < 16 + int.from_bytes(frame[:4], "little"):
                frame += connection.recv(65536)
            return frame
        finally:
            asking.kill()
            asking.wait()
            listener.close()
            os.unlink(path)

    def daemon_of(self, user):
        """The daemon of a user's keychain."""
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    words = file.read().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if words[0].startswith(self.base) and words[1:3] == ["--keychain", str(user)]:
                return int(number)
        raise RuntimeError(f"no daemon of user {user} runs")

    def processes(self):
        """The service's processes by what they are: supervisor, master, identifier, daemon, listener, enclave, agent.
        """
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = open(f"/proc/{number}/cmdline").read().split("\0")
            except OSError:
                continue
            if not words[0].startswith(self.base):
                continue
            # It looks accounts up, and has no privileges.
            if "--accounts" in words:
                continue
            name = os.path.basename(words[0])
            role = {"--system": "supervisor", "--master": "master", "--identify": "identifier"}
            kind = {
                "keychaind": role.get(words[1], "daemon"),
                "keychain-enclaved": "listener" if "--listen" in words else "enclave",
                "keychain-agent": "agent",
            }.get(name)
            if kind:
                found[kind] = int(number)
        # systemd needs no supervisor: what it has started is the master.
        if "master" not in found and "supervisor" in found:
            found["master"] = found.pop("supervisor")
        return found


@contextlib.contextmanager
def stopped(process):
    """While all threads of a process stand still."""
    os.kill(process, signal.SIGSTOP)
    try:
        eventually(lambda: states(process) == {"T"}, f"{process} does not stop")
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def states(process):
    """What the threads of a process do, a letter for each thing (proc_pid_stat(5))."""
    found = set()
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/stat") as file:
            found.add(file.read().rpartition(")")[2].split()[0])
    return found


def wait_until(condition, seconds=PATIENCE):
    """Whether a condition holds in time; asked again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
