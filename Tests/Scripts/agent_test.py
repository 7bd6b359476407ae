"""Asks a person at a terminal and at a display through keychain-agent itself.

usage: agent_test.py KEYCHAIN-AGENT [NAME-OF-CASE ...]
"""

import ctypes
import os
import pathlib
import signal
import subprocess
import tempfile

from agent_parts import PROGRAM, Agent, Person, expect, fake_pinentry, run
from patience import PATIENCE, eventually

# landlock_create_ruleset, asked for the version of what it knows.
HAS_LANDLOCK = ctypes.CDLL(None).syscall(444, None, 0, 1) > 0

NO_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}


def plain(*arguments, **environment):
    return Agent(PROGRAM, *arguments, **{**NO_BUS, **environment})


# Nothing to ask with


def without_a_bus():
    """Each question ends at once with this outcome, and not when its time is over."""
    with plain("--pinentry", "none") as agent, Person() as person:
        expect(agent.biometry() == (0, b""), "biometry without a bus")
        expect(agent.ask("finger", person.path) == "<unreachable>", "a finger without a bus")
        report = agent.report()
        expect(not report["bus"] and not report["sensor"] and not report["session"], "a report without a bus")
        expect(agent.ask("passcode") == "<unreachable>", "a passcode without a terminal")
        expect(agent.ask("passcode", person.path, interaction=0) == "<unreachable>", "a passcode where nobody may ask")
        expect(agent.ask("passcode", DISPLAY=":0") == "<unreachable>", "a display without a pinentry")
        expect(agent.ask("login") == "<unreachable>", "a login without a terminal")


def hardening():
    with plain("--pinentry", "none") as agent:
        folder = pathlib.Path(f"/proc/{agent.process.pid}")
        status = (folder / "status").read_text()
        # unix_chkpwd needs its privileges.
        expect("NoNewPrivs:\t0" in status, "the agent may not gain privileges")
        core = [line for line in (folder / "limits").read_text().splitlines() if line.startswith("Max core file size")]
        expect(core[0].split()[4:6] == ["0", "0"], "the agent may dump core")
        expect(os.stat(folder / "mem").st_uid == 0, "the agent can be read by its own user")
        expect(os.getsid(agent.process.pid) == agent.process.pid, "the agent is in somebody's session")


def confinement():
    """Who has no login's password checked is confined, in every thread, and asks all the same."""
    with tempfile.TemporaryDirectory() as folder:
        for words in [["--pinentry", "none", "--alone"], ["--pinentry", "none", "--keep-from", folder]]:
            with plain(*words) as agent, Person() as person:
                number = agent.begin("passcode", person.path)
                person.wait_for("Passcode: ")
                person.type("1234\n")
                expect(agent.outcome(number) == "1234", f"a passcode at a terminal with {words}")
                for task in pathlib.Path(f"/proc/{agent.process.pid}/task").iterdir():
                    status = (task / "status").read_text()
                    expect(
                        "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status, f"a thread is not confined with {words}"
                    )


def confined_pinentry():
    """A pinentry of an agent that is kept from a folder asks, and is kept from it, too."""
    with tempfile.TemporaryDirectory() as folder:
        vault = pathlib.Path(folder) / "vault"
        vault.write_text("keys")
        pin = f"echo D $(cat {vault} || echo nothing); echo OK"
        with fake_pinentry(pin=pin) as (path, _), plain("--pinentry", path, "--keep-from", folder) as agent:
            expect(
                agent.ask("passcode", DISPLAY=":9") == ("nothing" if HAS_LANDLOCK else "keys"),
                "a pinentry reads the vault",
            )


def ends_in_order():
    """With a question open: when the enclave goes, and at a signal."""
    for end in [lambda agent: agent.socket.close(), lambda agent: agent.process.send_signal(signal.SIGTERM)]:
        with plain("--pinentry", "none") as agent, Person() as person:
            agent.begin("passcode", person.path)
            person.wait_for("Passcode: ")
            expect(not person.echoes(), "a passcode is shown")
            end(agent)
            expect(agent.process.wait(PATIENCE) == 0, "the agent does not end")
            expect(person.echoes(), "the terminal is not as it was")


# Pinentries


def pinentry_on_terminal():
    for program, enter in [("/usr/bin/pinentry-tty", "\n"), ("/usr/bin/pinentry-curses", "\r")]:
        with plain("--pinentry", program) as agent, Person() as person:

            def begin(**parts):
                return agent.begin("passcode", person.path, reason="Because", TERM="xterm", LANG="C.UTF-8", **parts)

            number = begin()
            person.wait_for("the item")
            person.wait_for("Because")
            # The last thing that both draw, and the place where both wait.
            person.wait_for("asscode:")
            person.type("s3 %cret" + enter)
            expect(agent.outcome(number) == "s3 %cret", f"{program} gives another passcode")
            # Whether it has drawn anything in this time does not matter.
            number = begin(seconds=1.2)
            expect(agent.outcome(number) == "<timed out>", f"{program} does not end in time")
            number = begin()
            person.wait_for("asscode:")
            agent.withdraw()
            expect(agent.outcome(number) == "<withdrawn>", f"{program} is not withdrawn")
            eventually(lambda: not agent.children(), f"{program} is left")


def shown_digits():
    """The digits of a pairing stand in a dialog until they are closed, declined or withdrawn."""
    outcomes = {"echo OK": "<seen>", "echo ERR 83886179 canceled": "<cancelled>", "exit 3": "<unreachable>"}
    for confirm, outcome in outcomes.items():
        with fake_pinentry(confirm=confirm) as (path, log), plain("--pinentry", path) as agent:
            found = agent.ask("shown digits", DISPLAY=":9", digits="1234 5678")
            expect(found == outcome, f"{confirm!r} is {found}")
            expect("Enter these digits on the other machine: 1234 5678" in log.read_text(), "the digits are not shown")
            expect("GETPIN" not in log.read_text(), "something is asked for")
    with fake_pinentry(confirm="sleep 1000") as (path, log), plain("--pinentry", path) as agent:
        number = agent.begin("shown digits", DISPLAY=":9", digits="1234 5678")
        eventually(lambda: "CONFIRM" in log.read_text(), "no dialog opens")
        agent.withdraw()
        expect(agent.outcome(number) == "<withdrawn>", "the dialog stays")
    with fake_pinentry(pin="echo D 12345678; echo OK") as (path, log), plain("--pinentry", path) as agent:
        expect(agent.ask("digits", DISPLAY=":9") == "12345678", "the digits are others")
        expect("SETPROMPT Digits:" in log.read_text(), "a password is asked for")


def odd_pinentries():
    cases = [
        ("echo D s%250ecret; echo OK", "s%0ecret"),
        ("echo D one; echo D ' two'; echo OK", "one two"),
        ("echo OK", ""),
        ("echo ERR 83886179 canceled", "<cancelled>"),
        ("echo ERR 83886142 timeout", "<timed out>"),
        ("echo ERR 83886194 no", "<cancelled>"),
        ("echo ERR 83886278 fully", "<cancelled>"),
        ("echo ERR 1 general", "<unreachable>"),
        ("echo hello", "<unreachable>"),
        ("echo D %zz; echo OK", "<unreachable>"),
        ("head -c 100000 /dev/zero | tr '\\0' x", "<unreachable>"),
        ("yes D aaaaaaaa", "<unreachable>"),
        ("yes '# comment'", "<unreachable>"),
        ("sleep 1000", "<timed out>"),
        ("exit 3", "<unreachable>"),
        ("echo INQUIRE QUALITY", "<unreachable>"),
        ("kill -9 $$", "<unreachable>"),
    ]
    for pin, wanted in cases:
        in_time = {"seconds": 0.5} if pin.startswith("sleep") else {}
        with fake_pinentry(pin=pin) as (path, _), plain("--pinentry", path) as agent:
            outcome = agent.ask("passcode", DISPLAY=":9", **in_time)
            expect(outcome == wanted, f"{pin}: {outcome}")
            expect(not agent.children(), f"{pin}: a process is left")
    for start in ["exit 0", "echo ERR 1 no; sleep 1000", "head -c 5000 /dev/zero; sleep 1000"]:
        with fake_pinentry(start=start) as (path, _), plain("--pinentry", path) as agent:
            expect(agent.ask("passcode", DISPLAY=":9") == "<unreachable>", start)
            expect(not agent.children(), f"{start}: a process is left")


def broken_pinentry_and_terminal():
    """A pinentry that does not work is no reason not to ask."""
    with plain("--pinentry", "/nowhere/pinentry") as agent, Person() as person:
        number = agent.begin("passcode", person.path, DISPLAY=":9")
        person.wait_for("Passcode: ")
        person.type("typed\n")
        expect(agent.outcome(number) == "typed", "the terminal is not tried")


def what_a_pinentry_is_told():
    with fake_pinentry() as (path, log), plain("--pinentry", path, SECRET="1") as agent:
        expect(
            agent.ask("passcode", DISPLAY=":9", LANG="zh_CN.UTF-8", reason="a\nb%", failures=1, wait=5) == "secret", ""
        )
        told = log.read_text().splitlines()
        described = [line for line in told if line.startswith("SETDESC ")]
        expect(
            described == [
                "SETDESC “/usr/bin/program”想要使用“the item”。%0A它给出的理由：“a b%25”%0A请输入您的钥匙串密码。"
            ],
            str(described),
        )
        for line in [
            "OPTION display=:9",
            "OPTION lc-ctype=zh_CN.UTF-8",
            "SETERROR 尝试次数过多，请等待 5 秒。",
            "SETTITLE 钥匙串",
        ]:
            expect(line in told, f"{line} is not told: {told}")
        expect("cache" not in log.read_text(), "a pinentry may keep what it is told")
        variables = {line.split("=")[0] for line in pathlib.Path(f"{log}.environment").read_text().splitlines()}
        expect(variables - {"PWD", "SHLVL", "_", "OLDPWD"} == {"DISPLAY", "LANG"}, f"a pinentry inherits {variables}")


def new_passwords():
    repeated = "echo S PIN_REPEATED; echo D new; echo OK"
    with fake_pinentry(pin=repeated) as (path, log), plain("--pinentry", path) as agent:
        expect(agent.ask("new password", DISPLAY=":9") == "new", "a new password that the pinentry has repeated")
        expect(log.read_text().count("GETPIN") == 1, "it is asked for again")
    # A pinentry that cannot repeat is asked twice, until both are the same.
    counting = 'n=$((n+1)); case $n in 1) echo D one;; 2) echo D two;; *) echo D same;; esac; echo OK'
    for repeat in ["echo OK", "echo ERR 536871187 unknown"]:
        with fake_pinentry(pin=counting, repeat=repeat) as (path, log), plain("--pinentry", path) as agent:
            expect(agent.ask("new password", DISPLAY=":9") == "same", "a new password that is asked for twice")
            told = log.read_text()
            expect(told.count("GETPIN") == 4 and "SETERROR The two are not the same." in told, told)


# The login's password


def login_password():
    modules = "/usr/lib/x86_64-linux-gnu/pam_wrapper"
    modules = (
        modules
        if os.path.isdir(modules)
        else subprocess.run(
            ["sh", "-c", "dirname $(find /usr/lib* -name pam_matrix.so | head -1)"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(f"{folder}/keychain").write_text(f"auth required {modules}/pam_matrix.so passdb={folder}/db\n")
        pathlib.Path(f"{folder}/broken").write_text("auth required /nowhere/pam_none.so\n")
        pathlib.Path(f"{folder}/db").write_text(f"{user}:right:keychain\n")
        environment = {"LD_PRELOAD": "libpam_wrapper.so", "PAM_WRAPPER": "1", "PAM_WRAPPER_SERVICE_DIR": folder}
        with plain("--pinentry", "none", "--login-service", "keychain", **environment) as agent, Person() as person:
            for typed, wanted in [
                ("right\n", "<matched>"),
                ("wrong\n", "<no match>"),
                ("\n", "<no match>"),
                ("\x03", "<cancelled>"),
            ]:
                number = agent.begin("login", person.path)
                person.wait_for("Enter the password you log in with.")
                person.wait_for("Password: ")
                person.type(typed)
                outcome = agent.outcome(number)
                expect(outcome == wanted, f"{typed!r}: {outcome}")
            number = agent.begin("login", person.path)
            person.wait_for("Password: ")
            agent.withdraw()
            expect(agent.outcome(number) == "<withdrawn>", "a login is not withdrawn")
        with plain("--pinentry", "none", "--login-service", "broken", **environment) as agent, Person() as person:
            outcome = agent.ask("login", person.path)
            expect(outcome in ("<unreachable>", "<no match>"), f"a broken service: {outcome}")


if __name__ == "__main__":
    run(
        [
            without_a_bus,
            hardening,
            confinement,
            confined_pinentry,
            ends_in_order,
            pinentry_on_terminal,
            odd_pinentries,
            shown_digits,
            broken_pinentry_and_terminal,
            what_a_pinentry_is_told,
            new_passwords,
            login_password,
        ]
    )
