"""Parts of the system service are ended or stopped at random moments while clients ask: service_kill_test.py
FOLDER-OF-PROGRAMS, with SEED in the environment, as root. Every call is served, or refused with a reason, and all
goes on without anybody's help.
"""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
import takeover  # noqa: E402
from deployment import OTHER, VICTIM, Deployment, wait_until  # noqa: E402
from patience import PATIENCE  # noqa: E402

# How long a call may take, as the clients say: seconds.
DEADLINE = 20
# A call that takes so long hangs. Until all is as before, a debug build gives an enclave that has stopped a minute.
HANG = DEADLINE + PATIENCE
KINDS = ("agent", "identifier", "enclave")
# Which are found out and ended when they have stopped for good.
STOPPED = (*KINDS, "daemon", "master", "listener")
# Which descriptor the supervisor has given a process to live by.
LIFELINE = 3
FAILED = []


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else ': ' + str(detail)}", flush=True)
    if not holds:
        FAILED.append(name)


class Clients:
    """Programs of two users that ask again and again, and what became of each call."""

    def __init__(self, d, program):
        self.d, self.calls, self.hanging, self.isOver = d, [], [], False
        searches = [d.search(program), [program, "status"]]
        self.threads = [
            threading.Thread(target=self.ask, args=(words, user)) for words in searches for user in (VICTIM, OTHER)
        ]
        for thread in self.threads:
            thread.start()

    def ask(self, words, user):
        environment = self.d.environment(KEYCHAIN_TIMEOUT=str(DEADLINE * 1000))
        while not self.isOver:
            try:
                done = self.d.run(*words, user=user, env=environment, timeout=HANG)
            except subprocess.TimeoutExpired:
                self.hanging.append(words)
                return
            self.calls.append((done.returncode, done.stderr.strip()))

    def end(self):
        self.isOver = True
        for thread in self.threads:
            thread.join()


def strike(d, kind, what):
    """Ends or stops one process of a kind, at a random moment."""
    time.sleep(random.uniform(0, 0.5))
    if not wait_until(lambda: kind in d.processes(), PATIENCE):
        return f"no {kind} runs"
    try:
        os.kill(d.processes()[kind], what)
    except (KeyError, ProcessLookupError):
        pass
    return None


def pause(d, kind, _):
    """Stops one process of a kind for a while that it may survive."""
    missing = strike(d, kind, signal.SIGSTOP)
    process = d.processes().get(kind)
    time.sleep(random.uniform(0, 4))
    try:
        if process:
            os.kill(process, signal.SIGCONT)
    except ProcessLookupError:
        pass
    return missing


def recovers(d, program):
    """Whether both users are served again."""

    def served():
        return all(d.run(*d.search(program), user=user).returncode == 0 for user in (VICTIM, OTHER))

    return wait_until(served, PATIENCE)


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    random.seed(seed)
    print(f"seed {seed}", flush=True)
    d = Deployment(os.path.abspath(sys.argv[1]))
    machine.leave()
    d.add_accounts()
    try:
        program = d.install("victim")
        d.start()
        first_start(d, program)
        for user in (VICTIM, OTHER):
            d.store(program, user=user)
        for what, kinds in ((signal.SIGKILL, KINDS), (signal.SIGSTOP, STOPPED)):
            for kind in kinds:
                times = 3 if what == signal.SIGKILL else 1
                trouble(d, program, f"{what.name} of the {kind}", strike, kind, what, times)
        trouble(d, program, "SIGSTOP and SIGCONT of the identifier", pause, "identifier", None, 5)
        cut_off(d, program)
        silence(d, program)
        follow(d, program)
        wait_until(lambda: not stopped(d), PATIENCE)
        check("nothing that was stopped is left", not stopped(d), stopped(d))
    finally:
        try:
            d.stop()
        finally:
            d.remove()
    sys.exit(1 if FAILED else 0)


def trouble(d, program, name, make, kind, what, times):
    """Something happens so many times while clients ask."""
    clients, missing = Clients(d, program), None
    try:
        for _ in range(times):
            missing = missing or make(d, kind, what)
        isServed = recovers(d, program)
    finally:
        clients.end()
    check(f"{name}: the service goes on without help", not missing and isServed, missing)
    check(f"{name}: each call of {len(clients.calls)} ends", not clients.hanging, clients.hanging[:3])
    silent = [call for call in clients.calls if call[0] != 0 and not call[1]]
    check(f"{name}: who is refused is told why", not silent, silent[:3])


def first_start(d, program):
    """The first daemon of a new keychain is ended while it waits for its enclave, which is never made."""
    listener = wait_until(lambda: "listener" in d.processes(), PATIENCE) and d.processes()["listener"]
    os.kill(listener, signal.SIGSTOP)
    asking = subprocess.Popen(
        [program, "status"],
        user=VICTIM,
        group=VICTIM,
        extra_groups=[],
        cwd="/",
        env=d.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Its folder is there, so it is on the way to its enclave, or has got there.
    began = wait_until(lambda: os.path.isdir(d.path("state", str(VICTIM))), PATIENCE) and not is_there(
        d, "vaults", "vault"
    )
    store = wait_until(lambda: is_there(d, "state", "keychain.db"), 0.5)
    # On a slow machine the supervisor may have ended one of them before.
    with contextlib.suppress(ProcessLookupError, RuntimeError):
        os.kill(d.daemon_of(VICTIM), signal.SIGKILL)
    # What was asked of it goes with it.
    with contextlib.suppress(ProcessLookupError):
        os.kill(listener, signal.SIGKILL)
    asking.wait(HANG)
    check("a new keychain has no store before it has a vault", began and not store)
    served = wait_until(lambda: d.run(program, "status").returncode == 0, PATIENCE)
    d.store(program)
    check(
        "when the first daemon of a keychain is killed before there is a vault, the next one makes both",
        served and is_there(d, "state", "keychain.db") and is_there(d, "vaults", "vault"),
    )


def is_there(d, folder, name):
    return os.path.exists(d.path(folder, str(VICTIM), name))


def cut_off(d, program):
    """A daemon's channel to the identifier ends, and both go on."""
    wait_until(lambda: recovers(d, program), PATIENCE)
    before = d.daemon_of(VICTIM), d.processes()["identifier"]
    channels = packet_sockets(before[0])
    with takeover.Taken(before[0]) as taken:
        for channel in channels:
            taken.call("shutdown", channel, socket.SHUT_RDWR)
    isServed = recovers(d, program)
    after = d.daemon_of(VICTIM), d.processes()["identifier"]
    check(
        "a daemon whose channel to the identifier ends gets another one",
        channels and isServed and before == after,
        (channels, isServed, before, after),
    )


def packet_sockets(process):
    """The descriptors of a process that are sockets which keep messages apart."""
    with open("/proc/net/unix") as file:
        inodes = {line.split()[6] for line in file if line.split()[4] == "0005"}
    links = {name: os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")}
    return [int(name) for name, link in links.items() if link[:8] == "socket:[" and link[8:-1] in inodes]


def silence(d, program):
    """The identifier closes what it gives signs of life through, and goes on."""
    wait_until(lambda: "identifier" in d.processes(), PATIENCE)
    identifier = d.processes()["identifier"]
    with takeover.Taken(identifier) as taken:
        taken.call("close", LIFELINE)
    before = seconds(d.service.pid)
    time.sleep(4)
    check("a sign of life that has ended does not keep the supervisor busy", seconds(d.service.pid) - before < 0.5)
    ended = wait_until(lambda: d.processes().get("identifier", identifier) != identifier, PATIENCE)
    check("who gives no sign of life any more is ended and started again", ended and recovers(d, program))


def follow(d, program):
    """The next supervisor is started while the processes of one that was killed are still ending."""
    for _ in range(3):
        d.service.kill()
        d.service.wait()
        d.start()
        check("a supervisor that follows a killed one has all processes running", recovers(d, program))
    slow_end(d, program)
    # What has listened in the other's place has ended by now.
    time.sleep(1)
    check("and goes on to have them", recovers(d, program) and "identifier" in d.processes())


def slow_end(d, program):
    """The next supervisor is started while the master of a killed one cannot end."""
    master = d.processes()["master"]
    os.kill(master, signal.SIGSTOP)
    d.service.kill()
    d.service.wait()
    goes_on = threading.Timer(3, os.kill, (master, signal.SIGCONT))
    goes_on.start()
    d.start()
    goes_on.join()
    check(
        "a supervisor waits for a master that takes its time to end",
        recovers(d, program) and d.processes()["master"] != master,
    )


def seconds(process):
    """The processor's time that a process has taken."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stopped(d):
    """The service's processes that are stopped."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline") as file:
                isOurs = file.read().startswith(d.path("libexec"))
            with open(f"/proc/{number}/stat") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if isOurs and state == "T":
            found.append(int(number))
    return found


main()
