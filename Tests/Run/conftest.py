"""One run of a tier: the Swift tests in parts, and the scripts that drive the built programs, several at a time."""

import os
import pathlib
import re
import signal
import subprocess

import pytest

import ordinary
import players
import tiers

TOP = pathlib.Path(__file__).resolve().parents[2]
# A command that hangs ends after so many seconds. No test of the gate takes a tenth of it, of the others half.
LIMITS = {tiers.GATE: 1800, tiers.LONG: 7200, tiers.RELEASE: 14400}
PATIENCE = float(os.environ.get("KEYCHAIN_TEST_PATIENCE", "1"))


def hear_signals():
    """Has all that is started from here hear signals. A caller in the background of a script ignores them, or one under
    nohup, and so would each program of a test. What has a handler here is as it should be there."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


hear_signals()


def pytest_addoption(parser):
    parser.addoption("--tier", default=tiers.GATE, choices=tiers.TIERS, help="which tests run")
    parser.addoption("--outputs", help="a folder where each test's output is kept")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: tiers.place(item.callspec.id if hasattr(item, "callspec") else ""))


@pytest.fixture
def run(request):
    """Runs a command in the package's folder as a player. Its output is the report of a test that fails."""

    limit = LIMITS[request.config.getoption("--tier")] * PATIENCE

    def run(player, *command):
        command = ordinary.apart(command) if player == players.USERS else command
        environment = os.environ | {"KEYCHAIN_TEST_PARTS": player}
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = ended(command, limit, env=environment, **streams)
        keep(request, done.stdout)
        print(done.stdout)
        return done

    return run


def ended(command, limit, **streams):
    """What a command and its children did; a hanging one is ended with its session."""
    with subprocess.Popen(command, cwd=TOP, text=True, errors="replace", start_new_session=True, **streams) as process:
        try:
            (said, _) = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            (said, _) = process.communicate()
            said += f"\nit did not end within {limit:.0f} s"
    return subprocess.CompletedProcess(command, process.returncode, said)


def keep(request, said):
    if folder := request.config.getoption("--outputs"):
        with open(f"{folder}/{request.node.callspec.id}.log", "a", encoding="utf-8") as file:
            file.write(said)


def left_out(said):
    """What the output of a test says that it could not prove here."""
    return re.findall(r"^.*\bskipped\b.*$", said, re.MULTILINE)
