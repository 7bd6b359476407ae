"""`security run` and `security inject` with a real daemon and real commands.

usage: run_test.py FOLDER-OF-PROGRAMS
"""

import base64
import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile

from kill_test import daemon_of, environment
from patience import PATIENCE, eventually

SECRET = "s3cret-value-of-a-token"


class Keychain:
    def __init__(self, programs, folder):
        self.security, self.folder = os.path.join(programs, "security"), folder
        self.home = os.path.join(folder, "keychain")
        self.environment = environment(self.home, "daemon", programs) | {"KEYCHAIN_TPM": "none"}

    def run(self, *words, **more):
        variables = self.environment | more.pop("env", {})
        return subprocess.run(
            [self.security, *words], env=variables, cwd=self.folder, capture_output=True, timeout=PATIENCE, **more
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
    closed = os.path.join(keychain.folder, "closed")
    os.mkdir(closed, 0)
    search = {"PATH": closed + ":" + os.environ["PATH"]}
    expect(keychain.run(*given, "--", "no-such-program", env=search), 127, "", "was not found")
    expect(keychain.run(*given, "--", "true", env=search), 0, "")
    search["PATH"] = keychain.folder + ":" + search["PATH"]
    expect(keychain.run(*given, "--", "plain.txt", env=search), 126, "", "cannot be executed")
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
    expect(keychain.run(*run, "--env-file", ".env", "--trust-file", "--allow", "PLAIN", "--allow", "T", *shell), 0,
           f"{SECRET} a b\n")
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


def read_until(file, text, shown=b""):
    """Reads what a program shows until a text is there, or all of it."""
    while text is None or text.encode() not in shown:
        assert select.select([file], [], [], PATIENCE)[0], shown
        try:
            more = os.read(file, 4096)
        except OSError:
            more = b""
        if not more:
            assert text is None, (text, shown)
            return shown
        shown += more
    return shown


class Person:
    """A program at a terminal, and the person who types."""

    def __init__(self, keychain, *words):
        self.shown = b""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(keychain.folder)
            os.execve(words[0], words, keychain.environment)

    def sees(self, text):
        self.shown = read_until(self.terminal, text, self.shown)

    def types(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        """The exit status and all that was shown."""
        self.sees(None)
        # Closed before the program has ended, the terminal would send it SIGHUP.
        status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        os.close(self.terminal)
        return status, self.shown.decode()


COUNTER = """import signal, sys
numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2]
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print("ready", flush=True)
print("got", int(signal.sigwait(numbers)), flush=True)
print("again" if signal.sigtimedwait(numbers, 0.5) else "once", flush=True)
"""


def check_terminal(keychain):
    """Ctrl-C reaches the command once, masked or not; a job stops and goes on; keys and the end of input arrive."""
    script = keychain.write("counter.py", COUNTER)
    run = f"{keychain.security} run --env T=kc://deploy/ci --mask"
    for words in (f"{run} auto -- python3 {script}", f"{run} always -- python3 {script}"):
        for tail in ("", " | (trap '' INT; exec cat)"):
            person = Person(keychain, "/bin/sh", "-c", words + tail)
            person.sees("ready")
            person.types("\3")
            status, shown = person.end()
            # The shell around it dies of the same key.
            assert status in (0, -2) and "got 2" in shown and "once" in shown, (words, tail, status, shown)
    person = Person(keychain, keychain.security, *"run --env T=kc://deploy/ci --mask always -- sh -c".split(),
                    "echo $T; echo ready; cat; tty")
    person.sees("ready")
    person.types("typed\r")
    person.sees("typed\r\ntyped")
    person.types("\4")
    status, shown = person.end()
    assert "[masked:T]" in shown and "/dev/pts/" in shown, shown
    assert SECRET not in shown, shown
    for mask in ("auto", "never"):
        person = Person(keychain, "/bin/bash", "--norc", "-i")
        person.sees("bash-")
        person.types(f"{run} {mask} -- sh -c 'echo rea''dy; read x; echo got $x' | cat\n")
        person.sees("ready")
        person.types("\x1a")
        person.sees("Stopped")
        person.types("fg\n")
        person.types("word\n")
        person.sees("got word")
        person.types("exit\n")
        assert person.end()[0] == 0, person.shown


def check_signals(keychain):
    """A signal to the masking process reaches the command once; its crash and its end leave nothing."""
    script = keychain.write("counter.py", COUNTER)
    words = [keychain.security, "run", "--env", "T=kc://deploy/ci", "--"]

    def start(*command):
        return subprocess.Popen(
            [*words, *command], env=keychain.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        with start("python3", script) as process:
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(number)
            assert process.stdout.read() == f"got {int(number)}\nonce\n".encode() and process.wait() == 0
    for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL):
        with start("sh", "-c", "echo $$; exec sleep 600") as process:
            command = int(process.stdout.readline())
            process.send_signal(number)
            assert process.wait() == -number
            # No crash shows memory, and the command does not outlive it.
            assert process.stderr.read() == b"", number
            eventually(lambda: not is_running(command))


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def check_children_and_disk(keychain):
    """What children of the command have of a value, and that no way but inject leaves it on the disk."""
    child = "sh -c 'tr \"\\0\" \"\\n\" < /proc/$$/environ | grep -c c[r]et-value'; "
    os.remove(os.path.join(keychain.folder, "t.out"))
    opened = "sh -c 'cat $T' < /dev/null"
    ways = [
        ("--env", "T=kc://deploy/ci", child + "sh -c 'echo $T'", f"1\n{SECRET}\n"),
        ("--fd", "T=kc://deploy/ci", child + opened, f"0\n{SECRET}"),
        ("--file", "T=kc://deploy/ci", child + opened, f"0\n{SECRET}"),
        ("--stdin", "kc://deploy/ci", child + "cat > /dev/null; sh -c cat", "0\n"),
    ]
    for option, value, script, shown in ways:
        expect(keychain.run("run", option, value, "--mask", "never", "--", "sh", "-c", script), 0, shown)
        # A child that closes its descriptors has neither.
        if option in ("--fd", "--file"):
            close = "import os,subprocess; subprocess.run(['sh','-c','cat $T'], close_fds=True)"
            done = keychain.run("run", option, value, "--mask", "never", "--", "python3", "-c", close)
            assert SECRET.encode() not in done.stdout, (option, done)
        assert not files_with(SECRET, keychain.folder), option
    keychain.write("disk.in", "{{ kc://deploy/ci }}")
    expect(keychain.run("inject", "-t", "-i", "disk.in", "-o", "disk.out"), 0, "")
    assert files_with(SECRET, keychain.folder) == ["disk.out"]
    os.remove(os.path.join(keychain.folder, "disk.out"))


def files_with(text, folder):
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    if text.encode() in file.read():
                        found.append(name)
    return found


def check_broken_masks(keychain):
    """Line ends within base64 and hexadecimal, and single lines of a value, hide nothing from the mask."""
    long = "".join(f"{number:03}+/?" for number in range(40))
    keychain.add("masks", "long", long)
    keychain.add("masks", "lines", "first line of it\nsecond line of it\n")
    words = ["run", "--env", "L=kc://masks/long", "--env", "M=kc://masks/lines", "--", "sh", "-c"]
    expect(keychain.run(*words, 'printf %s "$L" | base64'), 0, "[masked:L]==\n" if len(long) % 3 else "[masked:L]\n")
    expect(keychain.run(*words, 'printf %s "$L" | od -An -v -tx1 | tr -d " "'), 0, "[masked:L]\n")
    expect(keychain.run(*words, 'echo "$M" | sed "s/^/> /"'), 0, "> [masked:M]\n> [masked:M]\n> \n")


WRITER = """import base64, binascii, html, json, os, re, shlex
from urllib.parse import quote, quote_plus
T = os.environ["T"]
B = T.encode()
small = re.sub("%..", lambda found: found[0].lower(), quote(T))
for form in [
    T, repr(T), ascii(T), repr(B), str([T]), json.dumps(T), json.dumps(T, ensure_ascii=False),
    json.dumps(json.dumps(T)), quote(T), quote(T, safe=""), quote_plus(T), quote(quote(T)), small,
    html.escape(T), html.escape(html.escape(T)),
    T.encode("ascii", "xmlcharrefreplace").decode(), T.encode("unicode_escape").decode(), shlex.quote(T),
    base64.b64encode(B).decode(), base64.urlsafe_b64encode(b"xy" + B + b"z").decode(), B.hex(), B.hex(":").upper(),
    binascii.b2a_qp(B).decode(), quote(base64.b64encode(B)),
]:
    print(form)
"""
SHELL = """printf '%q\\n' "$T"; LC_ALL=C printf '%q\\n' "$T"; echo "${T@Q}"; declare -p T; (set -x; : "$T") 2>&1
printf %s "$T" | od -An -v -tx1; printf %s "$T" | sed -n l; printf %s "$T" | iconv -t utf-16be; echo
printf %s "$T" | GREP_COLORS='mt=01;31' grep --color=always '[A-Z]'; printf %s "$T" | base64 -w 7 | sed 's/^/  /'
cd "$(mktemp -d)" && touch "$T" && for s in c escape shell-escape-always; do ls --quoting-style=$s; done; rm "$T"
"""


def check_programs(keychain):
    """What Python, bash and everybody's tools write of a value in their own ways is masked."""
    value = "pä'ß \"QZX\\VWK&<JGY>!"
    keychain.add("programs", "a", value)
    environment = {"LC_ALL": "C.UTF-8", "TMPDIR": keychain.folder}
    for command in (("python3", "-c", WRITER), ("bash", "-c", SHELL)):
        done = keychain.run("run", "--env", "T=kc://programs/a", "--", *command, env=environment)
        shown = done.stdout.decode()
        assert done.returncode == 0 and not done.stderr, done
        assert not any(part in shown for part in ("QZX", "VWK", "JGY", "5158")), shown
        for line in shown.splitlines():
            rest = line.replace("[masked:T]", "")
            assert rest != line and len(rest) < 24, (line, shown)


def check_questions(keychain):
    """A template is asked about once; a flood of lines moves no item out of sight; a value has no zero byte."""
    keychain.write("asked.in", "{{ kc://deploy/ci }}")
    words = (keychain.security, "inject", "-i", "asked.in", "-o", "asked.out")
    person = Person(keychain, *words)
    person.sees("Go on? [y/N]")
    person.types("y\r")
    assert person.end()[0] == 0, person.shown
    expect(keychain.run(*words[1:], start_new_session=True), 0, "")
    words = (keychain.security, "run", "--env-file", "flood.env", "--", "true")
    keychain.write("flood.env", "T=kc://deploy/ci\n" + "".join(f"A{number}=x\n" for number in range(50)))
    person = Person(keychain, *words)
    person.sees("Go on? [y/N]")
    lines = person.shown.decode().splitlines()
    assert lines[-2] == "  T = kc://deploy/ci" and max(map(len, lines)) < 80 and 'A49="x"' in lines[-3], lines
    person.types("n\r")
    assert person.end()[0] == 1, person.shown
    for value, count in (("kc://deploy/other", 50), ("x", 5000)):
        keychain.write("flood.env", "T=kc://deploy/ci\n" + "".join(f"A{n}={value}\n" for n in range(count)))
        status, shown = Person(keychain, *words).end()
        assert status == 1 and "more than can be asked about" in shown, shown
    keychain.write("zero.env", "A=x\0LD_PRELOAD=y\n")
    zero = keychain.run("run", "--trust-file", "--env-file", "zero.env", "--", "true")
    expect(zero, 1, "", "zero byte")
    keychain.write("big.env", "A=" + "x" * 150_000 + "\n")
    big = keychain.run("run", "--trust-file", "--allow", "A", "--env-file", "big.env", "--", "true")
    expect(big, 126, "", "--fd or --file")


def check_search_list(keychain):
    """References are looked up in the search list and in the default keychain; the question names the keychain."""
    path = os.path.join(keychain.folder, "job.keychain")
    words = ["run", "--env", "T=kc://token/ci", "--mask", "never", "--", "sh", "-c", "echo got $T"]
    expect(keychain.run("create-keychain", "-p", "", path), 0)
    expect(keychain.run("default-keychain", "-s", path), 0)
    keychain.add("token", "ci", SECRET)
    expect(keychain.run(*words), 0, f"got {SECRET}\n")
    expect(keychain.run(*words, env={"KEYCHAIN_KEYCHAIN": "login.keychain"}), 44, "")
    expect(keychain.run("run", "--all", "token", "--mask", "never", "--", "sh", "-c", "echo $ci"), 0, f"{SECRET}\n")
    # The default counts also where the search list does not have it.
    expect(keychain.run("list-keychains", "-s", "login.keychain"), 0)
    expect(keychain.run(*words), 0, f"got {SECRET}\n")
    expect(keychain.run("default-keychain", "-s"), 0)
    expect(keychain.run(*words), 44, "", "No generic password")
    # The first of the list is meant; an item of another service is found behind it.
    expect(keychain.run("list-keychains", "-s", path, "login.keychain"), 0)
    expect(keychain.run("add-generic-password", "-s", "token", "-a", "ci", "-w", "of login", "login.keychain"), 0)
    keychain.write("search.in", "{{ kc://token/ci }} {{ kc://short/a }}")
    asked = (keychain.security, "inject", "-i", "search.in", "-o", "search.out")
    person = Person(keychain, *asked)
    person.sees("Go on? [y/N]")
    shown = person.shown.decode().replace("\r\n    ", "").splitlines()
    assert shown[-3:-1] == [f'  kc://token/ci, in the keychain "{path}"', "  kc://short/a"], shown
    person.types("y\r")
    assert person.end()[0] == 0, person.shown
    with open(os.path.join(keychain.folder, "search.out")) as file:
        assert file.read() == f"{SECRET} abc"
    # The answer is remembered, in the login keychain.
    expect(keychain.run(*asked[1:], start_new_session=True), 0, "")
    expect(keychain.run("delete-keychain", path), 0)
    expect(keychain.run(*asked[1:], start_new_session=True), 0, "")


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
            checks = [check_ends, check_status, check_places, check_masks, check_repository, check_inject]
            checks += [check_terminal, check_signals, check_children_and_disk, check_broken_masks, check_programs]
            checks += [check_questions, check_search_list]
            for check in checks:
                check(keychain)
        finally:
            daemon = daemon_of(keychain.home)
            if daemon:
                # It writes until it has ended.
                ended = os.pidfd_open(daemon)
                os.kill(daemon, signal.SIGTERM)
                select.select([ended], [], [], PATIENCE)
                os.close(ended)
    print("run and inject hand over what was asked for, and nothing else")


main()
