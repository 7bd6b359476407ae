"""`security run` and `security inject` with a real daemon and real commands.

usage: run_test.py FOLDER-OF-PROGRAMS
"""

import base64
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

from kill_test import daemon_of, environment

SECRET = "s3cret-value-of-a-token"


class Keychain:
    def __init__(self, programs, folder):
        self.security, self.folder = os.path.join(programs, "security"), folder
        self.home = os.path.join(folder, "keychain")
        self.environment = environment(self.home, "daemon", programs) | {"KEYCHAIN_TPM": "none"}

    def run(self, *words, **more):
        variables = self.environment | more.pop("env", {})
        return subprocess.run(
            [self.security, *words], env=variables, cwd=self.folder, capture_output=True, timeout=60, **more
        )

    def add(self, service, account, value):
        assert self.run("add-generic-password", "-s", service, "-a", account, "-w", value).returncode == 0

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


def expect(done, status, output=None, error=None):
    assert done.returncode == status, done
    if output is not None:
        assert done.stdout == output.encode(), done
    if error is not None:
        assert error.encode() in done.stderr, done
    if status and error:
        assert SECRET.encode() not in done.stderr, done


def check_ends(keychain):
    """The exit status and the signal are the command's, masked or not."""
    given = ["run", "--env", "TOKEN=kc://deploy/ci"]
    for mask in ("never", "always"):
        shell = [*given, "--mask", mask, "--", "sh", "-c"]
        expect(keychain.run(*shell, "exit 7"), 7, "")
        expect(keychain.run(*shell, "kill -TERM $$"), -signal.SIGTERM)
        expect(keychain.run(*given, "--mask", mask, "--", "no-such-program"), 127, "", "was not found")
        keychain.write("plain.txt", "text", 0o644)
        expect(keychain.run(*given, "--mask", mask, "--", "./plain.txt"), 126, "", "cannot be executed")
    expect(keychain.run("run", "--env", "A=kc://none/such", "--", "touch", "made"), 44, "", "No generic password")
    assert not os.path.exists(os.path.join(keychain.folder, "made"))
    expect(keychain.run("run", "--env", "A=kc://deploy", "--", "true"), 1, "", "names 2 items")
    expect(keychain.run("run", "--env", "A=x", "--", "true"), 2)
    expect(keychain.run("run", "true"), 2, error="behind --")


def check_status(keychain):
    reader, writer = os.pipe()
    words = ["run", "--status-fd", str(writer), "--env", "A=kc://deploy/ci", "--", "sh", "-c", "exit 3"]
    expect(keychain.run(*words, pass_fds=[writer]), 3)
    os.close(writer)
    assert json.loads(os.read(reader, 200)) == {"started": True, "exit": 3}
    os.close(reader)


def check_places(keychain):
    """Each way hands the value over, and it shows in no command line."""
    never = ["--mask", "never", "--", "sh", "-c"]
    show = "cat /proc/$$/cmdline /proc/$PPID/cmdline | tr '\\0' '\\n' | grep -c c[r]et-value; "
    expect(keychain.run("run", "--env", "T=kc://deploy/ci", *never, show + "echo $T"), 0, f"0\n{SECRET}\n")
    environ = "tr '\\0' '\\n' < /proc/$$/environ | grep -c c[r]et-value; "
    expect(keychain.run("run", "--env", "T=kc://deploy/ci", *never, environ), 0, "1\n")
    expect(keychain.run("run", "--fd", "T=kc://deploy/ci", *never, environ + "cat $T"), 0, f"0\n{SECRET}")
    expect(keychain.run("run", "--file", "T=kc://deploy/ci", *never, "cat $T $T"), 0, SECRET * 2)
    expect(keychain.run("run", "--stdin", "kc://deploy/ci", *never, environ + "cat"), 0, f"0\n{SECRET}")
    expect(keychain.run("run", "--env", "T=kc://deploy/ci", *never, "ulimit -Hc"), 0, "0\n")
    expect(keychain.run("run", "--all", "deploy", *never, "echo $ci-$other"), 0, f"{SECRET}-another-value\n")


def check_masks(keychain):
    """A secret is masked in each form and across writes; other output stays as it is, 10 MB of it."""
    words = ["run", "--env", "TOKEN=kc://deploy/ci", "--", "sh", "-c"]
    mask = "[masked:TOKEN]"
    expect(keychain.run(*words, "echo a $TOKEN b; echo $TOKEN >&2"), 0, f"a {mask} b\n", mask)
    expect(keychain.run(*words, "printf %s ${TOKEN%value*}; printf %s value${TOKEN#*value}"), 0, mask)
    for offset in range(3):
        text = base64.b64encode(b"x" * offset + SECRET.encode() + b"yz").decode()
        done = keychain.run(*words, f"printf %s {text}")
        assert mask in done.stdout.decode(), (offset, done)
    expect(keychain.run(*words, f"printf %s {SECRET.encode().hex()}"), 0, mask)
    count = 10_000
    loop = f'i=0; while [ $i -lt {count} ]; do echo "$filler $TOKEN"; i=$((i+1)); done'
    done = keychain.run(*words, loop, env={"filler": "f" * 1000})
    assert done.stdout == (("f" * 1000 + f" {mask}\n") * count).encode(), len(done.stdout)
    short = keychain.run("run", "--env", "T=kc://short/a", "--", "sh", "-c", "echo $T")
    expect(short, 0, "abc\n", "T is shorter than 6 bytes")


def check_repository(keychain):
    """What comes with a repository names no item without an answer, and takes over no program."""
    run = ["run", "--mask", "never"]
    keychain.write(".env", "# a comment\nexport T='kc://deploy/ci'\nPLAIN=\"a b\" # more\n")
    shell = ["--", "sh", "-c", "echo $T $PLAIN"]
    refused = keychain.run(*run, "--env-file", ".env", *shell, start_new_session=True)
    expect(refused, 1, "", "was not looked at before")
    expect(keychain.run(*run, "--env-file", ".env", "--trust-file", *shell), 0, f"{SECRET} a b\n")
    for name in ("PATH", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND", "KEYCHAIN_HOME", "NODE_OPTIONS", "PYTHONPATH"):
        keychain.write("bad.env", f"{name}=x\n")
        expect(keychain.run(*run, "--trust-file", "--env-file", "bad.env", *shell), 1, "", "line 1 is refused")
    os.mkfifo(os.path.join(keychain.folder, "pipe.env"))
    expect(keychain.run(*run, "--trust-file", "--env-file", "pipe.env", *shell), 1, "", "cannot be read")
    passed = keychain.run(*run, "--", "sh", "-c", "echo $TITLE", env={"TITLE": "kc://deploy/ci"})
    expect(passed, 0, "kc://deploy/ci\n", "passed on as they are: TITLE")
    named = keychain.run(*run, "--inherit", "TITLE", "--", "sh", "-c", "echo $TITLE", env={"TITLE": "kc://deploy/ci"})
    expect(named, 0, SECRET + "\n")
    keychain.write("true", "#!/bin/sh\necho fake\n", 0o755)
    path = {"PATH": ".::" + os.environ["PATH"]}
    expect(keychain.run(*run, "--env", "T=kc://deploy/ci", "--", "true", env=path), 0, "")
    keychain.write("script", '#!/bin/sh -e\necho "$0 $1"\n', 0o755)
    expect(keychain.run(*run, "--", "./script", "word"), 0, "./script word\n")


def check_inject(keychain):
    template = "a={{ kc://deploy/ci }}\nb={{ kc://deploy/ci | json }} {{{{ c={{ kc://deploy/ci | base64 }}\n"
    keychain.write("t.in", template)
    expect(keychain.run("inject", "-i", "t.in", start_new_session=True), 1, "", "was not looked at before")
    encoded = base64.b64encode(SECRET.encode()).decode()
    text = f'a={SECRET}\nb="{SECRET}" {{{{ c={encoded}\n'
    expect(keychain.run("inject", "-t", "-i", "t.in"), 0, text)
    expect(keychain.run("inject", "-t", "-i", "t.in", "-o", "t.out"), 0, "")
    path = os.path.join(keychain.folder, "t.out")
    assert os.stat(path).st_mode & 0o777 == 0o600
    with open(path) as file:
        assert file.read() == text
    for bad in ("{{ .Values }}", "{{ kc://deploy/ci | other }}", "{{ kc://deploy/ci", "{{ kc://none/such }}"):
        keychain.write("bad.in", f"x\n{bad}\n")
        done = keychain.run("inject", "-t", "-i", "bad.in", "-o", "bad.out")
        assert done.returncode in (1, 44) and not os.path.exists(os.path.join(keychain.folder, "bad.out")), done


def main():
    with tempfile.TemporaryDirectory() as folder:
        keychain = Keychain(sys.argv[1], folder)
        try:
            keychain.add("deploy", "ci", SECRET)
            keychain.add("deploy", "other", "another-value")
            keychain.add("short", "a", "abc")
            for check in (check_ends, check_status, check_places, check_masks, check_repository, check_inject):
                check(keychain)
        finally:
            daemon = daemon_of(keychain.home)
            if daemon:
                # It writes until it has ended.
                ended = os.pidfd_open(daemon)
                os.kill(daemon, signal.SIGTERM)
                select.select([ended], [], [], 20)
                os.close(ended)
    print("run and inject hand over what was asked for, and nothing else")


main()
