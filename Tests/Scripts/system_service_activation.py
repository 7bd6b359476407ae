"""The system service on sockets that are passed on, as systemd starts it."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

from deployment import ANCHORED, ENCLAVE, IDENTIFIER, PROMPTS, PYTHON, SERVICE, VICTIM  # noqa: E402
from patience import PATIENCE
from system_service_parts import check, connected, credential, privileges

FOLDERS = ("run", "enclave-run", "identifier-run")


def listen(path, owner, mode):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    listener.listen(128)
    return listener


def start(log, user, sockets, capabilities, *command):
    """Starts a program with these sockets from descriptor 3 on, as a user with these capabilities alone."""
    script = f"export LISTEN_PID=$$ LISTEN_FDS={len(sockets)}; exec \"$@\""

    def place():
        high = [fcntl.fcntl(each.fileno(), fcntl.F_DUPFD, 100) for each in sockets]
        for index, number in enumerate(high):
            os.dup2(number, 3 + index)
            os.close(number)

    limits = [f"--{kind}-caps=-all{capabilities}" for kind in ("inh", "ambient")]
    limits += [f"--bounding-set=-all{capabilities}", "--no-new-privs"]
    return subprocess.Popen(
        ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *limits]
        + ["sh", "-c", script, "sh", *command],
        preexec_fn=place,
        close_fds=False,
        stderr=log,
        stdout=log,
    )


def start_enclave(d, log):
    path = d.path("enclave-run", "socket")
    command = [d.path("libexec", "keychain-enclaved"), "--listen", path, "--state", d.path("vaults")]
    command += ["--accept-from", str(SERVICE), "--tpm", "none", "--agent-group", str(PROMPTS)]
    # Their names say what they are for, and not their order.
    sockets = [listen(d.path("enclave-run", "agents"), 0, 0o666), listen(path, SERVICE, 0o600)]
    return start(log, ENCLAVE, sockets, "", *command)


def first_word(d, group):
    """What the listener of the enclaves says first to a program of the victim's with this group."""
    code = f"import socket\ns=socket.socket(socket.AF_UNIX)\ns.settimeout({PATIENCE})\n"
    code += f"s.connect({d.path('enclave-run', 'agents')!r})\nprint(s.recv(1))"
    words = [PYTHON, "-c", code]
    done = subprocess.run(words, user=VICTIM, group=group, extra_groups=[], cwd="/", stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def start_identifier(d, log):
    path = d.path("identifier-run", "socket")
    command = ["env", "NOTIFY_SOCKET=" + d.path("identifier-run", "notify"), d.path("libexec", "keychaind")]
    command += ["--identify", path, "--accept-from", str(SERVICE)]
    command += ["--anchor-group", str(ANCHORED), "--entitlements", d.path("entitlements")]
    return start(log, IDENTIFIER, [listen(path, SERVICE, 0o600)], ",+sys_ptrace", *command)


def start_service(d, log):
    clients = [
        listen(d.path("run", name), 0, mode)
        for name, mode in (("socket", 0o666), ("system", 0o666), ("credentials", 0o600))
    ]
    return start(log, SERVICE, clients, "", d.path("libexec", "keychaind"), "--system", *d.options())


def listen_as_manager(d):
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(d.path("identifier-run", "notify"))
    os.chmod(d.path("identifier-run", "notify"), 0o666)
    manager.settimeout(PATIENCE)
    return manager


def activated(d, program):
    """The units' way: the sockets are passed on, and the users and capabilities are there already."""
    d.stop()
    for folder in FOLDERS:
        shutil.rmtree(d.path(folder))
        os.makedirs(d.path(folder))
    log = open(d.log, "a")
    enclave = start_enclave(d, log)
    manager = listen_as_manager(d)
    identifier = start_identifier(d, log)
    service = start_service(d, log)
    try:
        check("started with sockets passed on, as systemd does, it serves the same keychain", d.has(program), d.said)
        check("and units' credentials", credential(d, "web@1.service", "token") == "of web")
        with connected(d):
            d.has(program)
            check("it has the same privileges then", privileges(d), d.said)
            check("a session agent gets a channel to its user's enclave", first_word(d, PROMPTS) == "b'\\x01'")
            check("and a program without the agent's group gets none", first_word(d, VICTIM) == "b''")
        check("the identifier tells the service manager that it goes on", manager.recv(100) == b"WATCHDOG=1")
    finally:
        manager.close()
        for process in (service, enclave, identifier):
            process.terminate()
        check(
            "all end when they are told to",
            service.wait(PATIENCE) == 0
            and enclave.wait(PATIENCE) in (0, -signal.SIGTERM)
            and identifier.wait(PATIENCE) in (0, -signal.SIGTERM),
        )
