"""The units of a backup without its user: well formed, and the command in them does what they say.

usage: backup_timer_test.py FOLDER-OF-PROGRAMS
"""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from ordinary_parts import as_user, prepared
from patience import PATIENCE

UNITS = "packaging/systemd/keychain-backup@"
PASSWORD, PASSPHRASE = "pass of ann 1234", "six words that nobody ever guesses"


def unit(kind):
    """A unit's settings; of one that stands twice, the last."""
    settings = configparser.ConfigParser(interpolation=None, strict=False)
    settings.optionxform = str
    settings.read(f"{UNITS}.{kind}")
    return settings


def well_formed(folder, programs):
    """Systemd finds nothing to say about the units of a user."""
    names = []
    for kind in ("service", "timer"):
        with open(f"{UNITS}.{kind}") as file:
            text = file.read().replace("@BIN@", programs)
        names.append(f"{folder}/keychain-backup@ann.{kind}")
        with open(names[-1], "w") as file:
            file.write(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0 and not done.stderr, done


def started(home, given, programs=None, left=()):
    """Runs the unit's command with a credential and a folder, as systemd does, in the unit's environment alone."""
    state, credentials = f"{home.temporary}/state", f"{home.temporary}/credentials"
    for path in (state, credentials):
        shutil.rmtree(path, ignore_errors=True)
        subprocess.run(["mkdir", "-m", "700", path], preexec_fn=as_user, check=True)
    with open(f"{credentials}/keychain-backup", "w") as file:
        file.write(given)
    os.chmod(f"{credentials}/keychain-backup", 0o444)
    for name in left:
        with open(f"{state}/{name}", "w"):
            pass
    line = unit("service")["Service"]["ExecStart"].replace("@BIN@", programs or home.programs).replace("%%", "%")
    command = re.fullmatch(r"/bin/sh -ec '(.*)'", line).group(1)
    return state, subprocess.run(
        ["/bin/sh", "-ec", command],
        env=home.environment | {"STATE_DIRECTORY": state, "CREDENTIALS_DIRECTORY": credentials},
        preexec_fn=as_user,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def on_a_bad_disk(home):
    """The command, whose file is not what was written."""
    folder = f"{home.folder}/bad"
    os.mkdir(folder)
    with open(f"{folder}/security", "w") as file:
        file.write(f'#!/bin/sh\n[ "$2" != backup ] || {{ {home.programs}/security "$@" && printf x >>"$3"; exit; }}\n')
        file.write(f'exec {home.programs}/security "$@"\n')
    os.chmod(f"{folder}/security", 0o755)
    return folder


def must(home, *words):
    done = home.run(*words)
    assert done.returncode == 0, (words, done)


def main(programs):
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(programs, folder)
        try:
            well_formed(folder, home.programs)
            must(home, "add-generic-password", "-s", "service", "-a", "ann", "-w", "value")
            must(home, "set-keychain-password", "-p", PASSWORD)
            state, done = started(home, f"{PASSWORD}\n{PASSPHRASE}\n", left=["1.backup.new-aB3dE6"])
            assert done.returncode == 0 and not done.stderr, done
            assert PASSWORD not in done.stdout and PASSPHRASE not in done.stdout, done
            # What is said of items is not kept in the journal, which others read.
            assert unit("service")["Service"]["StandardOutput"] == "null"
            (name,) = os.listdir(state)
            drilled = home.run("--json", "drill", f"{state}/{name}", text=PASSPHRASE + "\n")
            assert [item["outcome"] for item in json.loads(drilled.stdout)["items"]] == ["same"], drilled
            _, done = started(home, f"{PASSWORD}\n{PASSPHRASE}\n", programs=on_a_bad_disk(home))
            assert done.returncode != 0 and "security: drill: " in done.stderr, done
            # A password that has changed since, or a locked keychain, gives no file.
            state, done = started(home, f"another\n{PASSPHRASE}\n")
            assert done.returncode != 0 and "security: " in done.stderr and not os.listdir(state), done
            must(home, "lock-keychain")
            state, done = started(home, f"{PASSWORD}\n{PASSPHRASE}\n")
            assert done.returncode != 0 and "security: " in done.stderr and not os.listdir(state), done
        finally:
            home.end()
    print("the timer's unit makes a backup, or says why not")


main(os.path.abspath(sys.argv[1]))
