"""What whoever takes over a process of the service gets: each process is made to try it itself."""

import glob
import os

from deployment import OTHER, VICTIM
from programs import victim
from suite import FAILS, SUCCEEDS, attack
from takeover import Taken


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
        return refused(d, [
            agent.reads_memory(found["enclave"]), agent.may("kill", found["enclave"], 0), agent.may("kill", found["listener"], 0),
            agent.may("prlimit64", found["enclave"], 7, 0, 0), agent.connects(d.path("enclave-run", "socket")),
            agent.may("socket", 2, 1, 0), agent.starts_program()])


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


@attack("a daemon that has been taken over ends or limits another process of the service, or starts a program", FAILS, "refused")
def others_of_daemon(d):
    found = processes(d)
    with Taken(found["daemon"]) as daemon:
        tried = [daemon.starts_program()]
        for other in ("master", "other daemon"):
            tried += [daemon.may("kill", found[other], 0), daemon.may("prlimit64", found[other], 7, 0, 0)]
        return refused(d, tried)


@attack("a daemon that has been taken over opens another keychain's store", SUCCEEDS)
def stores_of_daemon(d):
    with Taken(processes(d)["daemon"]) as daemon:
        return daemon.opens(glob.glob(d.path("state", str(OTHER), "*.db"))[0])


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
        return refused(d, [
            enclave.reads_memory(found["listener"]), enclave.may("kill", found["listener"], 0),
            enclave.connects(d.path("run", "socket")), enclave.may("socket", 2, 1, 0), enclave.starts_program()])


@attack("a master that has been taken over summons any vault", SUCCEEDS)
def vaults_of_master(d):
    word = b"KES1" + OTHER.to_bytes(4, "little") + bytes(4)
    with Taken(processes(d)["master"]) as master:
        return master.connects(d.path("enclave-run", "socket"), word)


@attack("a master that has been taken over opens a vault's file", FAILS, "refused")
def files_of_master(d):
    with Taken(processes(d)["master"]) as master:
        return refused(d, [master.opens(path) for path in vaults(d)])


@attack("the enclaves' listener, taken over, opens a vault's file", SUCCEEDS)
def files_of_listener(d):
    with Taken(processes(d)["listener"]) as listener:
        return all(listener.opens(path) for path in vaults(d))
