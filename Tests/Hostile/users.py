"""Attacks of other users, of users that call themselves root, and of whoever goes for the service itself."""

import os
import subprocess

from deployment import ENCLAVE, IDENTIFIER, OTHER, PYTHON, SERVICE, VICTIM, wait_until
from patience import PATIENCE
from programs import intrude, victim
from suite import FAILS, attack


@attack("another user runs the program", FAILS, "could not be found")
def other_user(d):
    return d.learns(*d.search(victim(d)), user=OTHER)


@attack("another user who is root in a user namespace of his own", FAILS, "could not be found")
def namespace_root(d):
    return d.learns("unshare", "--user", "--map-root-user", *d.search(victim(d)), user=OTHER)


@attack("another user who maps the victim's number in a user namespace of his own", FAILS, "could not be found")
def namespace_victim(d):
    return d.learns("unshare", "--user", f"--map-user={VICTIM}", *d.search(victim(d)), user=OTHER)


@attack("another user reaches the system's keychain", FAILS, "is for root and for system services")
def system_keychain(d):
    program = d.path("bin", "victim")
    environment = d.environment(KEYCHAIN_SOCKET=d.path("run", "system"))
    d.run(program, "add-generic-password", "-U", "-s", "s", "-a", "a", "-w", d.secret, user=0, env=environment)
    if not d.learns(*d.search(program), user=0, env=environment):
        raise RuntimeError("root cannot read what root has stored: " + d.said)
    return d.learns(*d.search(program), user=OTHER, env=environment) or d.learns(
        "unshare", "--user", "--map-root-user", *d.search(program), user=OTHER, env=environment
    )


DENIED = "Permission denied"


def readable(d, user, *folders):
    """Whether the user reads any file below the folders."""
    for folder in folders:
        for parent, _, names in os.walk(d.path(folder)):
            for name in names:
                path = os.path.join(parent, name)
                done = d.run("cat", path, user=user)
                d.said = done.stderr or path
                if done.returncode == 0:
                    return True
    return False


@attack("the user reads the files of store and vault", FAILS, DENIED)
def files(d):
    if not any(names for folder in ("state", "vaults") for _, _, names in os.walk(d.path(folder))):
        raise RuntimeError("there are no files")
    return readable(d, VICTIM, "state", "vaults")


@attack("the service's user reads the vaults", FAILS, DENIED)
def vaults_of_service(d):
    return readable(d, SERVICE, "vaults")


@attack("the enclave's user reads the stores", FAILS, DENIED)
def stores_of_enclave(d):
    return readable(d, ENCLAVE, "state")


def reaches(d, path, user, word=b"KES1" + (VICTIM).to_bytes(4, "little") + bytes(4)):
    """Whether anybody answers a user who connects and says a word."""
    code = (
        f"import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.settimeout({PATIENCE / 2})\n"
        f"s.connect({path!r})\ns.sendall({word!r})\n"
        "sys.stdout.write('answered' if s.recv(1) else 'closed')"
    )
    done = d.run(PYTHON, "-c", code, user=user)
    d.said = done.stdout + done.stderr
    return "answered" in done.stdout or "timed out" in done.stderr


@attack("the user connects to the enclave", FAILS, DENIED)
def enclave_as_user(d):
    return reaches(d, d.path("enclave-run", "socket"), VICTIM)


@attack("root connects to the enclave as if he were the service", FAILS, "closed|reset|Broken")
def enclave_as_root(d):
    return reaches(d, d.path("enclave-run", "socket"), 0)


@attack("the user connects to the identifier", FAILS, DENIED)
def identifier_as_user(d):
    return reaches(d, d.path("identifier-run", "socket"), VICTIM, bytes(4))


@attack("root connects to the identifier as if he were the service", FAILS, "closed|reset|Broken")
def identifier_as_root(d):
    return reaches(d, d.path("identifier-run", "socket"), 0, bytes(4))


@attack("the user asks for a unit's credential", FAILS, DENIED)
def credential_as_user(d):
    return reaches(d, d.path("run", "credentials"), VICTIM, b"")


def against_service(d, attack_name):
    """Whether the attack succeeds against any process of the service."""
    d.learns(*d.search(victim(d)))
    processes = d.processes()
    missing = {"master", "daemon", "identifier", "listener", "enclave", "agent"} - processes.keys()
    if missing:
        raise RuntimeError(f"no {', '.join(missing)} runs")
    for user in (VICTIM, OTHER):
        for process in processes.values():
            if intrude(d, attack_name, process, user=user):
                return True
    return False


@attack("ptrace of master, daemon, identifier, enclave and agent", FAILS, "refused: Operation not permitted")
def trace_service(d):
    return against_service(d, "trace")


@attack("/proc/PID/mem of master, daemon, identifier, enclave and agent", FAILS, "refused: .*Permission denied")
def memory_of_service(d):
    return against_service(d, "memory")


def filters(status):
    """How many filters of system calls a thread has."""
    with open(status) as file:
        return int(dict(line.split(":", 1) for line in file)["Seccomp_filters"])


@attack("a daemon that has been taken over has no filter of system calls", FAILS, "filtered")
def unfiltered_daemon(d):
    # What the filter refuses, ProcessHardeningTests tries; here it is seen that the running daemons have one, in every
    # thread.
    d.learns(*d.search(victim(d)))
    daemon, own = d.daemon_of(VICTIM), filters(f"/proc/{d.processes()['master']}/status")
    for thread in os.listdir(f"/proc/{daemon}/task"):
        if filters(f"/proc/{daemon}/task/{thread}/status") != own + 1:
            return True
    d.said = "filtered"
    return False


@attack("a signal to master, daemon, identifier, enclave and agent", FAILS, "not permitted")
def signal_service(d):
    d.learns(*d.search(victim(d)))
    for process in d.processes().values():
        done = d.run("kill", "-STOP", str(process))
        d.said = done.stderr
        if done.returncode == 0:
            d.run("kill", "-CONT", str(process), user=0)
            return True
    return False


@attack("another user takes all connections, so that the victim is not served", FAILS)
def flood(d):
    process = subprocess.Popen(
        [PYTHON, d.path("bin", "intruder.py"), "flood", d.socket, "3000"],
        user=OTHER,
        group=OTHER,
        extra_groups=[],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=d.environment(),
    )
    try:
        if int(process.stdout.readline()) < 100:
            raise RuntimeError("the flood got no connections")
        return not d.learns(*d.search(victim(d)))
    finally:
        process.communicate("\n", timeout=PATIENCE)


@attack(
    "the identifier's user, with its capability, opens the memory of a user's program (/proc/PID/mem)",
    FAILS,
    "Permission denied",
)
def memory_for_service(d):
    """CAP_SYS_PTRACE alone: the file belongs to another user, and there is no capability to open it all the same."""
    target = subprocess.Popen(["sleep", "infinity"], user=VICTIM, group=VICTIM, extra_groups=[], cwd="/")
    try:
        # It must be sleep itself, and no copy of this process.
        wait_until(lambda: os.readlink(f"/proc/{target.pid}/exe").endswith("sleep"))
        return intrude(
            d,
            "open_memory",
            target.pid,
            user=0,
            wrapped=[
                "setpriv",
                "--reuid",
                str(IDENTIFIER),
                "--regid",
                str(IDENTIFIER),
                "--clear-groups",
                "--inh-caps",
                "-all,+sys_ptrace",
                "--ambient-caps",
                "-all,+sys_ptrace",
                "--bounding-set",
                "-all,+sys_ptrace",
            ],
        )
    finally:
        target.kill()
        target.wait()
