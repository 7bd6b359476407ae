"""Attacks on keychains of a user's own, without the service.

Inside a program (embedded), or with a daemon that he has started.
"""

import contextlib
import os

from deployment import OTHER, VICTIM
from patience import PATIENCE
from programs import victim
from suite import EMBEDDED, FAILS, OWN_DAEMON, SUCCEEDS, attack


def home(d):
    return d.path("home", "own")


def demo(d, *words, text=None, **more):
    """The example program with a keychain of the victim's own, which is inside it unless `more` says otherwise."""
    own = {"KEYCHAIN_HOME": home(d), "KEYCHAIN_MODE": "embedded", "KEYCHAIN_TPM": "none", **more}
    environment = d.environment(**own)
    if "KEYCHAIN_SOCKET" not in own:
        del environment["KEYCHAIN_SOCKET"]
    return d.run(d.path("bin", "keychain-demo"), *words, text=text, env=environment)


def embedded(d):
    """Has the victim store the secret with a program that carries its keychain; gives the keychain's folder."""
    if not os.path.exists(d.path("bin", "keychain-demo")):
        d.install("keychain-demo", f"{d.products}/keychain-demo")
    done = demo(d, "set", "a", text=d.secret)
    if done.returncode or d.secret not in demo(d, "get", "a").stdout:
        raise RuntimeError(f"the secret is not stored: {done.stderr}")
    return home(d)


@contextlib.contextmanager
def daemon(d, folder):
    """A daemon of the victim's own; gives its socket."""
    process, path, serves = d.own_daemon(folder, user=VICTIM, group=VICTIM, extra_groups=[], cwd="/")
    try:
        if not serves:
            raise RuntimeError("the user's daemon does not start: " + open(f"{folder}/log").read())
        yield path
    finally:
        process.terminate()
        process.wait(PATIENCE)


def stored(d, path, user=VICTIM):
    """Has the victim's program find the secret at a socket, as a user."""
    return d.learns(*d.search(victim(d)), user=user, env=d.environment(KEYCHAIN_SOCKET=path))


@attack(
    "another user reads the files of a user's own keychain", FAILS, "Permission denied", where=(EMBEDDED, OWN_DAEMON)
)
def files_of_another(d):
    folder = embedded(d)
    d.run("chmod", "755", os.path.dirname(folder), user=0)
    names = [os.path.join(folder, name) for name in os.listdir(folder)]
    if not any(name.endswith("keychain.db") for name in names):
        raise RuntimeError(f"there is no store: {names}")
    for name in names:
        done = d.run("cp", name, "/dev/null", user=OTHER)
        d.said = done.stderr
        if done.returncode == 0:
            return True
    return False


@attack(
    "another user connects to a user's own daemon",
    FAILS,
    "Permission denied|access.foreign-user|another user",
    where=(OWN_DAEMON,),
)
def daemon_of_another(d):
    with daemon(d, embedded(d)) as path:
        d.run(
            victim(d),
            "add-generic-password",
            "-U",
            "-s",
            "s",
            "-a",
            "a",
            "-w",
            d.secret,
            env=d.environment(KEYCHAIN_SOCKET=path),
        )
        if not stored(d, path):
            raise RuntimeError("the victim himself is not served: " + d.said)
        return stored(d, path, user=OTHER)


@attack(
    "another user connects to a user's own daemon, to which the way was opened",
    FAILS,
    "keychain belongs to user",
    where=(OWN_DAEMON,),
)
def open_daemon_of_another(d):
    with daemon(d, embedded(d)) as path:
        for opened in (os.path.dirname(path), path):
            os.chmod(opened, 0o777)
        try:
            if stored(d, path, user=OTHER) or "another user listens there" not in d.said:
                raise RuntimeError("a program does not look who listens: " + d.said)
            # Root of a namespace cannot tell; the daemon can.
            words = ["unshare", "--user", "--map-root-user", *d.search(victim(d))]
            return d.learns(*words, user=OTHER, env=d.environment(KEYCHAIN_SOCKET=path))
        finally:
            os.chmod(os.path.dirname(path), 0o700)


@attack(
    "another program of the same user opens the files of a user's own keychain", SUCCEEDS, where=(EMBEDDED, OWN_DAEMON)
)
def files_of_his_own(d):
    folder = embedded(d)
    copy = d.path("mine", "copy")
    done = d.run("cp", "-r", folder, copy)
    if done.returncode:
        raise RuntimeError(done.stderr)
    with daemon(d, copy) as path:
        done = demo(d, "get", "a", KEYCHAIN_MODE="daemon", KEYCHAIN_SOCKET=path)
        d.said = done.stdout + done.stderr
        return d.secret in d.said
