"""The session agents of two users of the system service, what they are asked, and programs that pose as one.

usage: session_agent_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

import machine  # noqa: E402
from deployment import OTHER, PROMPTS, PYTHON, VICTIM, stopped  # noqa: E402
from patience import PATIENCE, eventually
from system_service_parts import FAILED, Desktop, Service, asked_at_terminal, check, connected

PASSCODE = "1234567"
USUAL = "/run/keychain-enclaved"
# What chooses a pinentry on this machine (update-alternatives(1)).
CHOICES = "/etc/alternatives"
PINENTRY = """#!/bin/bash
# A pinentry that does for each user what a file says.
folder={folder}/$(id -u)
env >$folder/environment
id -g >$folder/group
echo $$ >>$folder/opened
echo OK
while read -r command rest; do
  echo "$command $rest" >>$folder/said
  if [ "$command" = GETPIN ]; then . $folder/deed; else echo OK; fi
done
echo $$ >>$folder/closed
"""


class Desktops(Service):
    """The service, with a display for each of two users, on which a pinentry of ours answers."""

    def options(self):
        return [*super().options(), "--agent-group", str(PROMPTS)]

    def prepare_displays(self):
        self.pinentries = self.path("pinentries")
        for user in (VICTIM, OTHER):
            os.makedirs(f"{self.pinentries}/{user}")
            os.chown(f"{self.pinentries}/{user}", user, user)
            self.will(f"echo 'D {PASSCODE}'; echo OK", user)
        program = self.path("bin", "pinentry-qt")
        pathlib.Path(program).write_text(PINENTRY.format(folder=self.pinentries))
        os.chmod(program, 0o755)
        choices = self.path("choices")
        os.mkdir(choices, 0o755)
        os.symlink(program, f"{choices}/pinentry")
        machine.cover(CHOICES, choices)
        os.mkdir(USUAL, 0o755)
        machine.cover(USUAL, self.path("enclave-run"))
        built = f"{self.products}/keychain-session-agent"
        self.agent = self.install("keychain-session-agent", built, "libexec", group=PROMPTS, mode=0o2755)

    def will(self, deed, user=VICTIM):
        """What the pinentry does when a user is asked for a passcode, in the shell's words."""
        pathlib.Path(f"{self.pinentries}/{user}/deed").write_text(deed + "\n")

    def said(self, name, user=VICTIM):
        path = pathlib.Path(f"{self.pinentries}/{user}/{name}")
        return path.read_text() if path.exists() else ""

    def forget(self):
        for user in (VICTIM, OTHER):
            for name in ("environment", "said", "opened", "closed"):
                pathlib.Path(f"{self.pinentries}/{user}/{name}").unlink(missing_ok=True)

    @contextlib.contextmanager
    def session_agent(self, program=None, user=VICTIM, **variables):
        """One that runs; it registers in its own time."""
        process = subprocess.Popen(
            [program or self.agent],
            user=user,
            group=user,
            extra_groups=[],
            cwd="/",
            env={"DISPLAY": f":{user}", "LANG": "C.UTF-8", **variables},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    @contextlib.contextmanager
    def unlocked(self):
        """A closed keychain is locked; this one stays open meanwhile."""
        with connected(self):
            self.run(self.command, "unlock-keychain", text=PASSCODE + "\n")
            yield

    def reach(self, user=VICTIM):
        """Where a prompt can appear, as the command says it."""
        done = self.run(self.command, "status", "--json", user=user, env=self.asking())
        return json.loads(done.stdout)["asks"]

    def has_display(self, user=VICTIM):
        return "display" in self.reach(user)

    def asking(self, **variables):
        return self.environment(KEYCHAIN_INTERACTION="auto", **variables)

    def read(self, user=VICTIM, **variables):
        """What a program without a terminal gets to read."""
        words = [self.guarded, "read", "guarded"]
        return self.run(*words, user=user, env=self.asking(**variables), start_new_session=True).stdout

    def begin(self, **variables):
        """A program that asks, and waits."""
        return subprocess.Popen(
            [self.guarded, "read", "guarded"],
            user=VICTIM,
            group=VICTIM,
            extra_groups=[],
            cwd="/",
            env=self.asking(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


OPENS, NOBODY = "guarded value", "-25308"


def asks_on_display(d):
    check("without a session agent there is no display", d.reach() == ["terminal"] and NOBODY in d.read())
    hostile = {"LD_PRELOAD": "/evil.so", "PATH": "/evil", "GTK_MODULES": "evil", "LD_LIBRARY_PATH": "/evil"}
    with d.session_agent(**hostile) as agent:
        eventually(d.has_display, "the session agent does not register")
        check("a program without a terminal is asked for on the display of the session", OPENS in d.read())
        check("the question names the program", d.guarded in d.said("said"), d.said("said"))
        environment = d.said("environment")
        check("the pinentry has the session's display", f"DISPLAY=:{VICTIM}\n" in environment, environment)
        check("and nothing that loads or runs something", "evil" not in environment, environment)
        check("the pinentry does not have the agent's group", d.said("group") == f"{VICTIM}\n", d.said("group"))
        d.forget()
        check("a display that the asking program names counts for nothing", OPENS in d.read(DISPLAY="evil:0"))
        check("and is not used", "evil" not in d.said("environment"), d.said("environment"))
        d.forget()
        said = asked_at_terminal(d, [d.guarded, "read", "guarded"], PASSCODE + "\n")
        check("a program at a terminal is asked for there", OPENS in said and not d.said("opened"), said)
        d.will("echo 'ERR 83886179 cancelled'")
        check("the user may refuse", "-128" in d.read())
        d.will("echo 'D wrong'; echo OK")
        check("a wrong passcode opens nothing", OPENS not in d.read() and d.said("said").count("GETPIN") > 1)
        d.will(f"echo 'D {PASSCODE}'; echo OK")
        traced = d.run(PYTHON, "-c", f"open('/proc/{agent.pid}/mem', 'rb')")
        check("a program of the user cannot read the agent's memory", "PermissionError" in traced.stderr, traced.stderr)
    eventually(lambda: not d.has_display(), "an agent that has gone is still registered")
    check("after its end nobody is asked", NOBODY in d.read())
    d.forget()


def outlives_keychains(d):
    """A keychain that nobody uses is closed, with its enclave. The agent stays for the next one."""
    with d.session_agent() as agent:
        eventually(d.has_display, "the session agent does not register")
        eventually(lambda: "enclave" not in d.processes(), "the keychain is not closed")
        with d.unlocked():
            eventually(d.has_display, "the agent does not serve the next enclave")
            check("an agent serves one enclave after the other", OPENS in d.read() and agent.poll() is None)
        listener = d.processes()["listener"]
        os.kill(listener, signal.SIGKILL)
        eventually(lambda: d.processes().get("listener") not in (None, listener), "no other listener starts")
        # The one that was open has lost who gives it agents.
        eventually(lambda: "enclave" not in d.processes(), "the keychain is not closed")
        eventually(d.has_display, "the agent does not register again")
        check("and registers again when the listener has ended", agent.poll() is None)


def impostors(d):
    copy = d.install("copy", d.agent, "mine", owner=VICTIM, mode=0o2755)
    plain = d.install("plain", d.agent)
    with d.session_agent(copy) as one, d.session_agent(plain) as two:
        eventually(lambda: refusals(d) >= 2, "nobody is refused")
        check("a copy is not believed, whatever group its owner gives it", not d.has_display() and NOBODY in d.read())
        check("and is not asked", not d.said("opened") and one.poll() is None and two.poll() is None)
    poses = f"import socket\ns=socket.socket(socket.AF_UNIX)\ns.connect('{USUAL}/agents')\nprint(s.recv(1))"
    done = d.run(PYTHON, "-c", poses)
    check("another program of the user is refused", done.stdout == "b''\n", done)
    with d.session_agent(user=OTHER):
        eventually(lambda: d.has_display(OTHER), "the other user's agent does not register")
        check("another user's agent does not answer for me", NOBODY in d.read() and not d.has_display())
        check("and hears nothing", not d.said("opened", OTHER))
        with d.session_agent():
            eventually(d.has_display, "the session agent does not register")
            check("each user has an agent", OPENS in d.read() and d.has_display(OTHER))
            check("and mine alone is asked for me", d.said("opened") and not d.said("opened", OTHER))
    d.forget()


def flood(d):
    """Connections without an end of a program that is no agent, and what another user's agent has of that."""
    endless = f"import socket\nwhile True:\n s=socket.socket(socket.AF_UNIX)\n s.connect('{USUAL}/agents')\n"
    process = subprocess.Popen([PYTHON, "-c", endless], user=OTHER, group=OTHER, extra_groups=[], cwd="/")
    try:
        before = pathlib.Path(d.log).read_text().count(f"user {OTHER}")
        eventually(lambda: pathlib.Path(d.log).read_text().count(f"user {OTHER}") > before, "nobody is refused")
        with d.session_agent():
            eventually(d.has_display, "the session agent does not register")
            check("in a flood of another user's connections an agent registers, and is asked", OPENS in d.read())
        check("the flood goes on", process.poll() is None)
    finally:
        process.kill()
        process.wait()
    said = pathlib.Path(d.log).read_text().count(f"user {OTHER}")
    check("and most of it is not in the log", said < 1000, said)
    d.forget()


def refusals(d):
    return pathlib.Path(d.log).read_text().count("it is not the installed one")


def newest_counts(d):
    """Whoever starts many of them gets one, and nobody else waits for it."""
    with contextlib.ExitStack() as stack:
        agents = [stack.enter_context(d.session_agent()) for _ in range(30)]
        eventually(lambda: sum(agent.poll() == 0 for agent in agents) == 29, "more than one agent is registered")
        eventually(d.has_display, "the newest agent is not registered")
        check("of thirty agents the newest is asked", OPENS in d.read() and len(d.said("opened").split()) == 1)
        with d.session_agent(user=OTHER):
            eventually(lambda: d.has_display(OTHER), "another user's agent is not registered")
            check("and other users have theirs", True)
        with d.session_agent(DISPLAY=":66"):
            eventually(lambda: sum(agent.poll() == 0 for agent in agents) == 30, "the older agent is not dismissed")
            eventually(d.has_display, "the newest agent is not registered")
            check("known to succeed: a program of the user chooses another display", OPENS in d.read())
            check("which is where the window is", "DISPLAY=:66\n" in d.said("environment"), d.said("environment"))
    d.forget()


def ended_questions(d):
    with d.session_agent() as agent:
        eventually(d.has_display, "the session agent does not register")
        d.will(f"read -r late; echo 'D {PASSCODE}'; echo OK")
        asking = d.begin()
        eventually(lambda: "GETPIN" in d.said("said"), "no window opens")
        window = int(d.said("opened"))
        asking.kill()
        asking.wait()
        eventually(lambda: not os.path.exists(f"/proc/{window}"), "the window of a withdrawn question stays")
        check("the window goes with the program that asked", agent.poll() is None)
        d.will(f"echo 'D {PASSCODE}'; echo OK")
        eventually(lambda: OPENS in d.read(), "the next question is not asked")
        check("and what came too late opens nothing; the next question is asked", True)
        d.forget()
        d.will("read -r late")
        asking = d.begin()
        eventually(lambda: "GETPIN" in d.said("said"), "no window opens")
        agent.kill()
        said = asking.communicate(timeout=PATIENCE)[0]
        check("a question ends with the agent that has it", NOBODY in said, said)
    d.forget()
    dismissed_windows(d)
    d.will(f"echo 'D {PASSCODE}'; echo OK")
    d.forget()


def dismissed_windows(d):
    """An agent that another one replaces ends after its window, and leaves none."""
    with d.session_agent() as agent:
        eventually(d.has_display, "the session agent does not register")
        asking = d.begin()
        eventually(lambda: "GETPIN" in d.said("said"), "no window opens")
        window = int(d.said("opened"))
        with d.session_agent():
            eventually(lambda: agent.poll() == 0, "the older agent is not dismissed")
            gone = not os.path.exists(f"/proc/{window}") or "State:\tZ" in state(window)
            check("the window of an agent that is dismissed has gone before it", gone, window)
        asking.kill()
        asking.communicate(timeout=PATIENCE)


def state(process):
    try:
        return pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return "State:\tZ"


def silent_agent(d):
    """One that never answers holds up nobody for longer than the program waits that has caused the question."""
    with d.session_agent() as agent:
        eventually(d.has_display, "the session agent does not register")
        with stopped(agent.pid):
            asking = d.begin()
            other = d.run(d.command, "status", user=OTHER)
            check("others are served meanwhile", other.returncode == 0, other.stderr)
            asking.kill()
            asking.wait()
            said = asked_at_terminal(d, [d.guarded, "read", "guarded"], PASSCODE + "\n")
            check("after its program's end the user is asked at a terminal", OPENS in said, said)
        eventually(lambda: OPENS in d.read(), "the agent does not serve again")
        check("an agent that goes on is asked again", True)


def bridge(d, program):
    """A program of the desktop, from the bus to the window: its secret is closed, and the user is asked."""
    with contextlib.ExitStack() as stack:
        with d.unlocked():
            desktop = Desktop(d, program, stack, KEYCHAIN_INTERACTION="auto")
            desktop.store()
            check("a program of the desktop finds what it has stored", desktop.finds())
        enclave = d.processes()["enclave"]
        os.kill(enclave, signal.SIGKILL)
        eventually(lambda: not os.path.exists(f"/proc/{enclave}"))
        check("before the first unlock it gets nothing while nobody can be asked", not desktop.finds())
        stack.enter_context(d.session_agent())
        eventually(d.has_display, "the session agent does not register")
        d.forget()
        check("with a session agent the passcode in a window opens its secret", desktop.finds())
        check("the window names the program", "secret-tool" in d.said("said"), d.said("said"))
        check("and is one", d.said("said").count("GETPIN") == 1, d.said("said"))
        check("on the display of the session", f"DISPLAY=:{VICTIM}\n" in d.said("environment"))
    d.forget()


def main():
    d = Desktops(os.path.abspath(sys.argv[1]))
    machine.leave()
    d.add_accounts()
    program = Desktop.install(d)
    try:
        d.start()
        d.prepare_displays()
        d.command, d.guarded = d.install("security"), d.install("guarded-item", f"{d.products}/guarded-item")
        d.run(d.command, "set-keychain-password", "-p", PASSCODE)
        added = d.run(d.guarded, "add", "guarded", "ak")
        check("an item that takes its user can be added", added.returncode == 0, added.stdout)
        outlives_keychains(d)
        with d.unlocked():
            for part in (asks_on_display, impostors, flood, newest_counts, ended_questions, silent_agent):
                part(d)
        bridge(d, program)
    finally:
        try:
            d.stop()
        finally:
            d.remove()
    sys.exit(1 if FAILED else 0)


main()
