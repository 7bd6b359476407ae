"""What whoever takes over a process of the service gets: each process is made to try it itself."""

import contextlib
import errno
import glob
import os
import signal
import subprocess

from deployment import OTHER, PYTHON, VICTIM, wait_until
from patience import PATIENCE
from programs import victim
from suite import FAILS, SUCCEEDS, attack
from takeover import CURRENT, Taken


def processes(d):
    """The service's processes, with keychains of two users open."""
    program = victim(d)
    for user in (OTHER, VICTIM):
        d.run(program, "-v", "add-generic-password", "-U", "-s", "own", "-a", "a", "-w", "value", user=user)
    d.learns(*d.search(program))
    d.said = ""
    found = d.processes()
    found["daemon"], found["other daemon"] = d.daemon_of(VICTIM), d.daemon_of(OTHER)
    return found


def vaults(d):
    found = glob.glob(d.path("vaults", "*", "vault"))
    if len(found) < 2:
        raise RuntimeError("there are no vaults of two users")
    return found


def refused(d, done):
    """Whether anything that was tried succeeded; says that it was refused."""
    d.said = "refused" if not any(done) else f"succeeded: {[index for index, each in enumerate(done) if each]}"
    return any(done)


@attack("an agent that has been taken over opens a vault", FAILS, "refused")
def vaults_of_agent(d):
    with Taken(processes(d)["agent"]) as agent:
        return refused(d, [agent.opens(path) or agent.opens(os.path.dirname(path)) for path in vaults(d)])


@attack("an agent that has been taken over reaches an enclave, the listener, a network or a program", FAILS, "refused")
def others_of_agent(d):
    found = processes(d)
    with Taken(found["agent"]) as agent:
        return refused(
            d,
            [
                agent.reads_memory(found["enclave"]),
                agent.may("kill", found["enclave"], 0),
                agent.may("kill", found["listener"], 0),
                agent.may("prlimit64", found["enclave"], 7, 0, 0),
                agent.connects(d.path("enclave-run", "socket")),
                agent.may("socket", 2, 1, 0),
                agent.starts_program(),
            ],
        )


@attack("a daemon that has been taken over summons another user's vault", FAILS, "refused")
def vault_of_daemon(d):
    found = processes(d)
    word = b"KES1" + OTHER.to_bytes(4, "little") + bytes(4)
    with Taken(found["daemon"]) as daemon:
        return refused(d, [daemon.connects(d.path("enclave-run", "socket"), word), *map(daemon.opens, vaults(d))])


@attack("a daemon that has been taken over reads the memory of another process of the service", FAILS, "refused")
def memory_of_daemon(d):
    found = processes(d)
    with Taken(found["daemon"]) as daemon:
        return refused(d, [daemon.reads_memory(found[each]) for each in found if each != "daemon"])


@attack(
    "a daemon that has been taken over ends or limits another process of the service, or starts a program",
    FAILS,
    "refused",
)
def others_of_daemon(d):
    found = processes(d)
    with Taken(found["daemon"]) as daemon:
        tried = [daemon.starts_program()]
        for other in ("master", "other daemon"):
            tried += [daemon.may("kill", found[other], 0), daemon.may("prlimit64", found[other], 7, 0, 0)]
        return refused(d, tried)


def stores(d, user):
    """A keychain's folder, and the files in it."""
    folder = d.path("state", str(user))
    return [folder, *glob.glob(f"{folder}/*")]


@attack("a daemon that has been taken over opens another keychain's store", FAILS, "refused")
def stores_of_daemon(d):
    with Taken(processes(d)["daemon"]) as daemon:
        if not all(daemon.opens(path) for path in stores(d, VICTIM)):
            raise RuntimeError("it does not even open its own")
        return refused(d, [daemon.opens(path) for path in [d.path("state"), *stores(d, OTHER)]])


@contextlib.contextmanager
def caller(d, user=VICTIM):
    """A program of a user's that runs."""
    process = subprocess.Popen(
        [PYTHON, "-c", "input()"], user=user, group=user, extra_groups=[], cwd="/", stdin=subprocess.PIPE
    )
    try:
        # It must be Python itself, and no copy of this process.
        wait_until(lambda: b"input()" in open(f"/proc/{process.pid}/cmdline", "rb").read())
        yield process.pid
    finally:
        process.communicate(b"\n", timeout=PATIENCE)


@attack(
    "a daemon that has been taken over leaves so many descriptors unread that others are not served",
    SUCCEEDS,
    is_timed=True,
)
def descriptors_of_daemon(d):
    found = processes(d)
    asks = d.search(victim(d), "own")
    try:
        with Taken(found["daemon"]) as daemon:
            count = daemon.leaves_unread()
        done = d.run(*asks, user=OTHER, env=d.environment(KEYCHAIN_TIMEOUT="5000"))
        d.said = f"{count} descriptors; {done.returncode} {done.stderr}"
    finally:
        os.kill(found["daemon"], signal.SIGKILL)
    if not wait_until(lambda: d.run(*asks, user=OTHER).returncode == 0):
        raise RuntimeError("when that daemon has ended, others are not served")
    return done.returncode != 0


@attack("a daemon that has been taken over reads the memory of a caller, or sees what it runs", FAILS, "refused")
def callers_of_daemon(d):
    found = processes(d)
    with caller(d) as program, Taken(found["daemon"]) as daemon:
        return refused(
            d,
            [
                daemon.reads_memory(program),
                *(daemon.opens(f"/proc/{program}/{name}") for name in ("exe", "maps", "environ", "root/etc")),
            ],
        )


@attack("an identifier that has been taken over opens a store or a vault", FAILS, "refused")
def files_of_identifier(d):
    found = processes(d)
    paths = [d.path("state"), *stores(d, VICTIM), d.path("vaults"), *vaults(d)]
    # Nor by way of the processes that have them.
    paths += [
        f"/proc/{found[each]}/{where}{path}"
        for each in ("master", "daemon", "enclave")
        for path in paths
        for where in ("root", "cwd")
    ]
    paths += [f"/proc/{found[each]}/fd" for each in ("master", "daemon", "enclave")]
    with Taken(found["identifier"]) as identifier:
        return refused(
            d,
            [
                identifier.may(
                    "openat", CURRENT, path.encode() + b"\0", 0, 0, refusals=(errno.EPERM, errno.EACCES, errno.ENOENT)
                )
                for path in paths
            ],
        )


@attack("an identifier that has been taken over reads or writes the memory of another process", FAILS, "refused")
def memory_of_identifier(d):
    found = processes(d)
    with caller(d) as program, Taken(found["identifier"]) as identifier:
        others = [program, *(found[each] for each in found if each != "identifier")]
        return refused(d, [identifier.reads_memory(each) for each in others])


@attack(
    "an identifier that has been taken over reaches an enclave, a network, a program, or an end to another process",
    FAILS,
    "refused",
)
def others_of_identifier(d):
    found = processes(d)
    with caller(d) as program, Taken(found["identifier"]) as identifier:
        others = [program, *(found[each] for each in ("master", "daemon", "enclave"))]
        return refused(
            d,
            [
                identifier.connects(d.path("enclave-run", "socket")),
                identifier.connects(d.path("run", "socket")),
                identifier.may("socket", 2, 1, 0),
                identifier.starts_program(),
                *(identifier.may("kill", each, 0) for each in others),
                *(identifier.may("prlimit64", each, 7, 0, 0) for each in others),
            ],
        )


@attack("an identifier that has been taken over sees what any user's program runs", SUCCEEDS)
def callers_of_identifier(d):
    found = processes(d)
    with caller(d) as program, caller(d, OTHER) as other, Taken(found["identifier"]) as identifier:
        return all(identifier.opens(f"/proc/{each}/{name}") for each in (program, other) for name in ("exe", "maps"))


@attack("an enclave that has been taken over opens another vault", FAILS, "refused")
def vaults_of_enclave(d):
    with Taken(processes(d)["enclave"]) as enclave:
        own = [path for path in vaults(d) if enclave.opens(path)]
        if not own:
            raise RuntimeError("it does not even open its own")
        return refused(d, own[1:])


@attack("an enclave that has been taken over reaches another process, a network or a program", FAILS, "refused")
def others_of_enclave(d):
    found = processes(d)
    with Taken(found["enclave"]) as enclave:
        return refused(
            d,
            [
                enclave.reads_memory(found["listener"]),
                enclave.may("kill", found["listener"], 0),
                enclave.connects(d.path("run", "socket")),
                enclave.may("socket", 2, 1, 0),
                enclave.starts_program(),
            ],
        )


@attack("a master that has been taken over summons any vault", SUCCEEDS)
def vaults_of_master(d):
    word = b"KES1" + OTHER.to_bytes(4, "little") + bytes(4)
    with Taken(processes(d)["master"]) as master:
        return master.connects(d.path("enclave-run", "socket"), word)


@attack("a master that has been taken over opens a vault's file", FAILS, "refused")
def files_of_master(d):
    with Taken(processes(d)["master"]) as master:
        return refused(d, [master.opens(path) for path in vaults(d)])


@attack("a master that has been taken over sees what a user's program runs", FAILS, "refused")
def callers_of_master(d):
    found = processes(d)
    with caller(d) as program, Taken(found["master"]) as master:
        return refused(
            d, [master.reads_memory(program), *(master.opens(f"/proc/{program}/{name}") for name in ("exe", "maps"))]
        )


@attack("the enclaves' listener, taken over, opens a vault's file", SUCCEEDS)
def files_of_listener(d):
    with Taken(processes(d)["listener"]) as listener:
        return all(listener.opens(path) for path in vaults(d))
