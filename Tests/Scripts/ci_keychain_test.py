"""A keychain for one job lies in memory and ends with its owner, after a time, or when it is told to.

usage: ci_keychain_test.py FOLDER-OF-PROGRAMS
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

from keychain_parts import Home, ends
from patience import PATIENCE, eventually

TMPFS = "tmpfs"


def start(home, *words):
    """Starts one, and has the home's commands use it; the result is its folder."""
    result = home.run("ci-start", "--format", "env", *words)
    assert result.returncode == 0, result
    variables = dict(line.split("=", 1) for line in result.stdout.splitlines())
    assert sorted(variables) == ["KEYCHAIN_CI", "KEYCHAIN_SOCKET"], variables
    home.environment |= variables
    return os.path.dirname(variables["KEYCHAIN_SOCKET"])


def forget(home):
    for name in ("KEYCHAIN_CI", "KEYCHAIN_SOCKET"):
        del home.environment[name]


def file_system(path):
    return subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True, check=True).stdout.strip()


def store_and_stop(home):
    folder = start(home, "--ttl", "10m", "--name", "job-1")
    assert file_system(folder) == TMPFS and oct(os.stat(folder).st_mode & 0o777) == "0o700"
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "secret")
    home.says("find-generic-password", "-s", "s", "-w", out="secret\n")
    home.says("create-keychain", "-p", "p", "signing.keychain")
    home.says("add-generic-password", "-s", "n", "-a", "a", "-w", "named", "signing.keychain")
    home.says("find-generic-password", "-s", "n", "-w", out="named\n")
    assert os.path.isfile(f"{folder}/keychains/signing.keychain-db")
    assert home.run("status").stdout.count("password:") == 1
    home.says("ci-stop")
    assert not os.path.exists(folder)
    home.says("ci-stop")
    # Nothing takes its place.
    home.fails(53, "add-generic-password", "-s", "s", "-a", "a", "-w", "x", because="has ended")
    assert not os.path.exists(folder)
    forget(home)
    assert not os.path.exists(f"{home.home}/k/keychain.db")
    eventually(lambda: not [store for store in daemons_below(folder)])


def daemons_below(folder):
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                if f"{folder}/" in file.read().decode(errors="replace"):
                    yield int(number)
        except OSError:
            continue


def owner(home):
    """It ends with the process that it belongs to."""
    with subprocess.Popen(["sleep", "600"]) as process:
        folder = start(home, "--owner", str(process.pid))
        home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "secret")
        process.kill()
    eventually(lambda: not os.path.exists(folder))
    forget(home)


# The leader of the session ends at once. When it has been waited for, its child goes on as a shell.
ORPHAN = """
import os, sys, time
leader = os.getpid()
if os.fork():
    os._exit(0)
while os.path.exists(f'/proc/{leader}'):
    time.sleep(0.01)
os.execv('/bin/sh', ['sh', '-c', sys.argv[1]])
"""
# As a service manager does: a process of another session adopts the shell before it starts anything.
ADOPTION = """
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
if os.fork() == 0:
    os.setsid()
    leader = os.getpid()
    if os.fork() == 0:
        while os.path.exists(f'/proc/{leader}'):
            time.sleep(0.01)
        os.execv('/bin/sh', ['sh', '-c', sys.argv[1]])
    os._exit(0)
os.wait()
os.wait()
"""


def adopted(home):
    """A process of another session is no owner: without one, and without --ttl, nothing is started."""
    answer = f"{home.folder}/answer"
    script = f"exec '{home.programs}/security' ci-start >'{answer}' 2>&1"
    subprocess.run([sys.executable, "-c", ADOPTION, script], env=home.environment, timeout=PATIENCE, check=True)
    with open(answer) as file:
        said = file.read()
    assert "no process was found that ends with the job" in said and "--ttl" in said, said


def ownerless(home):
    """Where the session's leader has ended, it ends with the first ancestor in the session."""
    started, pipe = f"{home.folder}/started", f"{home.folder}/pipe"
    script = f"'{home.programs}/security' ci-start >'{started}'; read line <'{pipe}'"
    os.mkfifo(pipe)
    subprocess.run(
        [sys.executable, "-c", ORPHAN, script], env=home.environment, start_new_session=True,
        timeout=PATIENCE, check=True,
    )
    eventually(lambda: os.path.exists(started) and "KEYCHAIN_CI" in open(started).read())
    with open(started) as file:
        folder = os.path.dirname(file.read().split("'")[1])
    assert os.path.exists(folder)
    with open(pipe, "w") as end:
        end.write("\n")
    eventually(lambda: not os.path.exists(folder))


def next_owner(home):
    """A worker that ends while the daemon starts is followed by the leader of the session."""
    worker, daemon, pipe = (f"{home.folder}/{name}" for name in ("gitlab-runner", "keychaind", "pipe"))
    real, number = home.environment["KEYCHAIN_DAEMON"], f"{home.folder}/number"
    starts = f"echo $$ >'{number}'; '{home.programs}/security' ci-start >'{home.folder}/started' 2>&1; true"
    one = f"$(cat '{number}')"
    ends = f"test -e '{number}' && kill -9 {one} && tail --pid={one} -f /dev/null && rm '{number}'"
    for path, script in ((worker, starts), (daemon, f"{ends}; exec '{real}' \"$@\"")):
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)
    os.mkfifo(pipe)
    leader = f"'{worker}'; read line <'{pipe}'; true"
    environment = home.environment | {"KEYCHAIN_DAEMON": daemon}
    with subprocess.Popen(["/bin/sh", "-c", leader], env=environment, start_new_session=True):
        started = f"{home.folder}/started"
        eventually(lambda: os.path.exists(started) and open(started).read().endswith("\n"))
        with open(started) as file:
            said = file.read()
        with open(pipe, "w") as end:
            assert "KEYCHAIN_CI" in said and not os.path.exists(number), said
            folder = os.path.dirname(said.split("'")[1])
            assert os.path.exists(folder)
            end.write("\n")
    eventually(lambda: not os.path.exists(folder))


def time_to_live(home):
    # The command must have ended with success before the time is over.
    folder = start(home, "--ttl", "5s", "--owner", str(os.getpid()))
    eventually(lambda: not os.path.exists(folder))
    forget(home)


def password(home):
    """Its password is the one that is given, else nobody's."""
    start(home, "--ttl", "10m")
    home.says("lock-keychain")
    assert home.run("unlock-keychain", "-p", "a guess").returncode == 51
    home.says("ci-stop")
    forget(home)
    reader, writer = os.pipe()
    os.write(writer, b"known\n")
    os.close(writer)
    result = home.run("ci-start", "--ttl", "10m", "--password-fd", str(reader), pass_fds=(reader,))
    assert result.returncode == 0 and result.stdout.startswith("export KEYCHAIN_SOCKET='/"), result
    words = result.stdout.replace("export ", "").replace("'", "").strip().split("; ")
    home.environment |= dict(word.split("=", 1) for word in words)
    home.says("lock-keychain")
    assert home.run("unlock-keychain", "-p", "other").returncode == 51
    home.says("unlock-keychain", "-p", "known")
    home.says("ci-stop")
    forget(home)


def killed(home):
    """The daemon of a keychain that was killed is not started again, and the next one clears up."""
    folder = start(home, "--ttl", "10m")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "secret")
    [daemon] = [number for number in daemons_below(folder) if name(number) == "keychaind"]
    ends(daemon)
    home.fails(53, "find-generic-password", "-s", "s", because="has ended")
    assert os.path.exists(folder)
    forget(home)
    start(home, "--ttl", "10m")
    assert not os.path.exists(folder)
    home.says("ci-stop")
    forget(home)


def half_made(home):
    """A folder that a killed ci-start has made is cleared up by the next one; one that is being made is not."""
    base = os.path.dirname(start(home, "--ttl", "10m"))
    home.says("ci-stop")
    forget(home)
    left, begun = [f"{base}/keychain-ci-{digit * 32}" for digit in "ab"]
    for folder in (left, begun):
        os.mkdir(folder, 0o700)
        open(f"{folder}/vault", "w").close()
    lock = os.open(begun, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    start(home, "--ttl", "10m")
    assert not os.path.exists(left) and os.listdir(begun) == ["vault"]
    home.says("ci-stop")
    forget(home)
    os.close(lock)
    start(home, "--ttl", "10m")
    assert not os.path.exists(begun)
    home.says("ci-stop")
    forget(home)


def at_once(home):
    """Jobs that start at the same time do not clear each other up."""
    command = [f"{home.programs}/security", "ci-start", "--ttl", "10m", "--format", "env"]
    running = [
        subprocess.Popen(command, env=home.environment, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    for process in running:
        variables = dict(line.split("=", 1) for line in process.communicate(timeout=PATIENCE)[0].splitlines())
        assert process.returncode == 0, process
        home.environment |= variables
        home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "secret")
        home.says("ci-stop")
        forget(home)


def name(number):
    with open(f"/proc/{number}/comm") as file:
        return file.read().strip()


def ephemeral(home):
    """Commands of one process share a keychain that ends with the process."""
    script = (
        "add-generic-password -s s -a a -w x\nfind-generic-password -s s -w\n"
        "create-keychain -p p n.keychain\nlist-keychains\n"
    )
    result = home.run("--ephemeral", "-i", text=script)
    assert result.returncode == 0 and result.stdout.startswith("x\n"), result
    folder = os.path.dirname(os.path.dirname(result.stdout.splitlines()[-1].strip().strip('"')))
    assert "/keychain-run-" in folder, folder
    eventually(lambda: not os.path.exists(folder))
    assert not os.path.exists(f"{home.home}/k/keychain.db")


def mistakes(home):
    for words in (["--name", "../x"], ["--name", ""], ["--ttl", "0s"], ["--ttl", "x"], ["--owner", "0"]):
        assert home.run("ci-start", "--ttl", "60s", *words).returncode == 2, words
    assert home.run("ci-start", "--ttl", "60s", "--format", "csh").returncode == 2
    ended = subprocess.Popen(["true"])
    ended.wait()
    home.fails(53, "ci-start", "--owner", str(ended.pid), because="has ended")
    home.fails(206, "ci-stop", because="KEYCHAIN_CI")
    # A folder that ci-start has not made is not removed.
    precious = f"{home.temporary}/keychain-ci-{'0' * 32}"
    os.mkdir(precious, 0o700)
    open(f"{precious}/file", "w").close()
    home.environment |= {"KEYCHAIN_CI": "0" * 32, "KEYCHAIN_SOCKET": f"{precious}/keychaind.sock"}
    if file_system(precious) != TMPFS:
        home.says("ci-stop")
        assert os.path.exists(f"{precious}/file")
    home.environment["KEYCHAIN_CI"] = "1" * 32
    home.fails(206, "ci-stop", because="KEYCHAIN_SOCKET")
    forget(home)


def hostile_folder(home):
    """A folder in memory whose name has a line end adds no line to what a job reads."""
    folder = f"/dev/shm/ci-test-{os.getpid()}\nLD_PRELOAD=x"
    os.mkdir(folder, 0o700)
    own, home.environment["XDG_RUNTIME_DIR"] = home.environment["XDG_RUNTIME_DIR"], folder
    try:
        start(home, "--ttl", "10m")
        assert "\n" not in home.environment["KEYCHAIN_SOCKET"]
        home.says("ci-stop")
        forget(home)
        assert not os.listdir(folder)
    finally:
        shutil.rmtree(folder)
        home.environment["XDG_RUNTIME_DIR"] = own


TESTS = (
    store_and_stop,
    owner,
    ownerless,
    next_owner,
    adopted,
    time_to_live,
    password,
    killed,
    half_made,
    at_once,
    ephemeral,
    mistakes,
    hostile_folder,
)


def main():
    programs, folder = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="ci.")
    try:
        for test in TESTS:
            os.mkdir(f"{folder}/{test.__name__}")
            home = Home(programs, f"{folder}/{test.__name__}")
            with home.memory():
                try:
                    test(home)
                finally:
                    if "KEYCHAIN_CI" in home.environment:
                        home.run("ci-stop")
                    home.end()
            print(f"ok {test.__name__}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
