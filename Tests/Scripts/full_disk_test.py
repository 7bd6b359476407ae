"""Lets the disk run full under a writer: it is told so, and everything that was acknowledged is there afterwards.

usage: full_disk_test.py FOLDER-OF-PROGRAMS SMALL-DISK
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from keychain_parts import answers
from patience import PATIENCE, eventually


def small_disk():
    """A file may grow to 1 MiB and no further; a write beyond that fails instead of ending the process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def environment(home, mode):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
    return kept | {"KEYCHAIN_HOME": home, "KEYCHAIN_MODE": mode}


def security(programs, env, *words):
    return subprocess.run([f"{programs}/security", *words], env=env, capture_output=True, text=True, timeout=PATIENCE)


def fill(path):
    """Takes all the space that is left."""
    with open(path, "wb", buffering=0) as rest:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while rest.write(b"x" * size):
                    pass
            except OSError:
                pass


def limited_file():
    """A limit that the process has not asked to be told of by an error."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))


def daemon_with_limit(programs, home):
    """A limit on the size of files does not end a daemon, and nothing is lost that it has acknowledged."""
    env = environment(home, "daemon") | {"KEYCHAIN_TPM": "none"}
    daemon = subprocess.Popen(
        [f"{programs}/keychaind"],
        env=env,
        preexec_fn=limited_file,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    script = "".join(f"add limit {number} {number} 9000\n" for number in range(400)) + "get limit 0\n"
    eventually(lambda: answers(f"{home}/keychaind.sock") or daemon.poll() is not None)
    if daemon.poll() is not None:
        sys.exit(f"a daemon with a limit does not start: {daemon.returncode}")
    done = subprocess.run(
        [f"{programs}/item-player"], input=script, env=env, capture_output=True, text=True, timeout=PATIENCE
    )
    told = [line.split(" ", 4)[4].split()[0] for line in done.stdout.splitlines() if line.startswith("E ")]
    if set(told) != {"0", "-34"} or told[-1] != "0" or daemon.poll() is not None:
        sys.exit(f"a limit on the size of files: told {set(told)}, {told[-1:]}, the daemon is {daemon.poll()}")
    daemon.terminate()
    daemon.wait(PATIENCE)
    check = subprocess.run(
        [f"{programs}/item-player", "check"], input=f"{home}\n", env=env, capture_output=True, text=True,
        timeout=PATIENCE,
    )
    there = check.stdout.count("limit/")
    if there != told[:-1].count("0"):
        sys.exit(f"a limit on the size of files: {told.count('0') - 1} acknowledged, {there} there")
    print(f"a daemon with a limit on the size of files: {there} items acknowledged, all there, then -34")


def full_without_index(programs, disk):
    """The log's index has to be made anew where there is no space for it: what is there is found and deleted."""
    home = f"{disk}/embedded"
    env = environment(home, "embedded")

    def play(script):
        done = subprocess.run(
            [f"{programs}/item-player"], input=script, env=env, capture_output=True, text=True, timeout=PATIENCE
        )
        return [line.split(" ", 4)[4].split()[0] for line in done.stdout.splitlines() if line.startswith("E ")]

    added = play("".join(f"add full {number} 1 60000\n" for number in range(400)))
    if "0" not in added or "-34" not in added:
        sys.exit(f"the program was told {set(added)} while the disk became full")
    os.unlink(f"{home}/keychain.db-shm")
    fill(f"{disk}/rest")
    done = play("get full 0\ndel full 1\nget full 1\n")
    if done != ["0", "0", "-25300"]:
        sys.exit(f"a full disk without the log's index: {done}")
    print(
        f"embedded: {added.count('0')} items until the disk was full; found and deleted after the log's index had gone"
    )


def full_for_everybody(programs, disk, mode):
    """A disk without space: adds are errSecDiskFull, deletions work, and what is there is served, before and after."""
    home = f"{disk}/{mode}"
    env = environment(home, mode) | {"KEYCHAIN_DAEMON": f"{programs}/keychaind", "KEYCHAIN_IDLE_EXIT": "1"}
    value = "x" * 60_000
    names = []
    for number in range(400):
        done = security(programs, env, "add-generic-password", "-s", "full", "-a", str(number), "-w", value)
        if done.returncode:
            break
        names.append(str(number))
    status = done.returncode
    if len(names) < 20 or status != 222 or "disk" not in done.stderr.lower():
        sys.exit(f"{mode}: {len(names)} adds, then status {status}: {done.stderr}")
    if security(programs, env, "find-generic-password", "-s", "full", "-a", names[3], "-w").stdout.strip() != value:
        sys.exit(f"{mode}: an item of a full keychain cannot be read")
    for name in names[:10]:
        done = security(programs, env, "delete-generic-password", "-s", "full", "-a", name)
        if done.returncode:
            sys.exit(f"{mode}: {name} cannot be deleted on a full disk: {done.returncode} {done.stderr}")
    for name in names[10:]:
        if security(programs, env, "find-generic-password", "-s", "full", "-a", name).returncode:
            sys.exit(f"{mode}: {name} was lost on a full disk")
    if security(programs, env, "find-generic-password", "-s", "full", "-a", names[0]).returncode != 44:
        sys.exit(f"{mode}: a deleted item is still there")
    print(f"{mode}: {len(names)} items until the disk was full; ten deleted on it, the others are there")


def main():
    programs = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
        env = kept | {"KEYCHAIN_HOME": f"{home}/keychain", "KEYCHAIN_MODE": "embedded"}
        writer = [f"{programs}/item-writer", "add", "full"]
        filling = subprocess.run(writer, env=env, capture_output=True, text=True, preexec_fn=small_disk,
                                 timeout=PATIENCE)  # fmt: skip
        if filling.returncode != 3 or "-34" not in filling.stderr:
            sys.exit(f"the writer was not told that the disk is full: {filling.returncode} {filling.stderr}")
        acknowledged = {int(line) for line in filling.stdout.split()}
        check = subprocess.run([f"{programs}/item-writer", "check", "full"], env=env, capture_output=True, text=True)
        found = {int(line) for line in check.stdout.split()} if check.returncode == 0 else set()
        if check.returncode != 0 or not acknowledged <= found:
            sys.exit(f"lost: {sorted(acknowledged - found)} {check.stdout}")
        if len(acknowledged) < 20:
            sys.exit("the disk was full before anything was written")
        print(f"{len(acknowledged)} items acknowledged before the disk was full, none lost: {filling.stderr.strip()}")
    with tempfile.TemporaryDirectory() as home:
        daemon_with_limit(programs, f"{home}/keychain")
    full_without_index(programs, sys.argv[2])
    shutil.rmtree(f"{sys.argv[2]}/embedded")
    os.unlink(f"{sys.argv[2]}/rest")
    full_for_everybody(programs, sys.argv[2], "daemon")


main()
