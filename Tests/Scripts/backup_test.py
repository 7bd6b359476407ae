"""Backs a keychain up, drills and restores, as an ordinary user; reads the file by the page of its format alone.

usage: backup_test.py FOLDER-OF-PROGRAMS
"""

import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import read_backup
from ordinary_parts import as_user, prepared
from patience import PATIENCE

PASSPHRASE = "six words that nobody ever guesses"


def add(home, account, value):
    home.says("add-generic-password", "-U", "-s", "backup", "-a", account, "-w", value)


def value(home, account):
    return home.run("find-generic-password", "-s", "backup", "-a", account, "-w").stdout.strip()


def asked(home, *words, text=PASSPHRASE + "\n", status=0):
    """What a command that is asked for a passphrase writes as JSON."""
    done = home.run("--json", *words, text=text)
    assert done.returncode == status, (words, done)
    return json.loads(done.stdout if done.stdout else done.stderr)


def outcomes(report):
    return {item["name"]: item["outcome"] for item in report["items"]}


def refusal(home, *words, text=PASSPHRASE + "\n"):
    done = home.run("--json", *words, text=text)
    assert done.returncode != 0 and not done.stdout, (words, done)
    return json.loads(done.stderr)["rule"]


def makes(home, file):
    """The file has what may leave, says what stays, and is read by who knows the page of its format alone."""
    for account in ("ann", "bob"):
        add(home, account, f"value of {account}")
    done = home.run("create-keypair", "-h")
    survey = asked(home, "backup", "--dry-run", file, text="")
    assert survey["items"] == 2 and not os.path.exists(file), (survey, done)
    report = asked(home, "backup", file)
    assert report["items"] == 2 and report["bytes"] == os.path.getsize(file), report
    assert os.stat(file).st_mode & 0o777 == 0o600
    with open(file, "rb") as content:
        content = content.read()
    assert b"value of" not in content and b"backup" not in content
    items = read_backup.read(content, 1, PASSPHRASE.encode())
    values = sorted(base64.b64decode(item["value"]) for item in items)
    assert values == [b"value of ann", b"value of bob"], items
    assert all(base64.b64decode(item["attributes"][3]).decode().endswith("/security") for item in items), items


def merges(home, file):
    """What is not there comes back, the later date wins, and nothing else changes."""
    drilled = asked(home, "drill", file)
    assert outcomes(drilled) == {"backup": "same"} and not drilled["changed"], drilled
    home.says("delete-generic-password", "-s", "backup", "-a", "ann", "--forever")
    add(home, "bob", "later")
    assert sorted(i["outcome"] for i in asked(home, "restore", "--dry-run", file)["items"]) == ["added", "kept"]
    assert value(home, "ann") == "", "a dry run has changed something"
    assert sorted(i["outcome"] for i in asked(home, "restore", file)["items"]) == ["added", "kept"]
    assert (value(home, "ann"), value(home, "bob")) == ("value of ann", "later")
    versions = [json.loads(line) for line in home.run("--json", "history", "-a", "bob").stdout.splitlines()]
    assert len(versions) == 1, versions
    again = asked(home, "restore", file)
    assert sorted(i["outcome"] for i in again["items"]) == ["kept", "same"], again
    assert len(home.run("--json", "history", "-a", "bob").stdout.splitlines()) == 1


def refuses(home, file):
    """Another passphrase and every damage are told apart, and nothing is taken of such a file."""
    assert refusal(home, "restore", file, text="another passphrase\n") == "backup.wrong-passphrase"
    assert refusal(home, "backup", file, text="short\n") == "query.wrong-value"
    with open(file, "rb") as content:
        content = content.read()
    other = f"{home.temporary}/other"
    home.says("delete-generic-password", "-s", "backup", "-a", "ann", "--forever")
    length = int.from_bytes(content[6:8], "little")
    damages = [content[:-1], content + b"\0", content[:length], content[: length + 60], b"", content[:4]]
    for place in (4, length - 1, length + 1, length + 40, len(content) - 1):
        damages.append(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    for damaged in damages:
        with open(other, "wb") as copy:
            copy.write(damaged)
        os.chmod(other, 0o644)
        assert refusal(home, "restore", other).startswith("backup."), len(damaged)
    assert value(home, "ann") == "", "something was taken of a damaged file"
    assert refusal(home, "drill", "/etc/passwd") == "backup.damaged"
    done = home.run("backup", f"{home.folder}/nowhere/file", text=PASSPHRASE + "\n")
    assert done.returncode == 1 and "next: " in done.stderr, done


def others(home, file):
    """Another program gets no backup, and puts none in: not a copy of the command either."""
    elsewhere = f"{home.folder}/elsewhere"
    os.mkdir(elsewhere)
    shutil.copy(f"{home.programs}/security", elsewhere)
    for words in (["backup", "--dry-run", file], ["backup", file], ["drill", file], ["restore", file]):
        done = started(home, f"{elsewhere}/security", "--json", *words).communicate(PASSPHRASE + "\n", PATIENCE)
        assert json.loads(done[1])["rule"] == "backup.not-granted", (words, done)


def survives(home, file):
    """What cannot be written, or is killed, leaves the file as it was, or the new one as a whole."""
    old = open(file, "rb").read()
    full = ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh", f"{home.programs}/security"]
    process = started(home, *full, "backup", file)
    _, err = process.communicate(PASSPHRASE + "\n", PATIENCE)
    assert process.returncode == 1 and "next: " in err and open(file, "rb").read() == old, (process.returncode, err)
    assert os.listdir(home.temporary).count("keychain.backup") == 1
    for _ in range(3):
        process = started(home, f"{home.programs}/security", "backup", file)
        process.stdin.write(PASSPHRASE + "\n")
        process.stdin.flush()
        time.sleep(random.uniform(0, 1.5))
        process.kill()
        process.communicate(timeout=PATIENCE)
        read_backup.read(open(file, "rb").read(), 1, PASSPHRASE.encode())


def started(home, *words):
    return subprocess.Popen(
        words,
        env=home.environment,
        preexec_fn=as_user,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def asks(home, file):
    """With a password nothing leaves and nothing comes without it; locked, nothing is opened."""
    home.says("set-keychain-password", "-p", "pass 1234")
    before = open(file, "rb").read()
    wrong = "wrong\n" + PASSPHRASE + "\n"
    assert refusal(home, "backup", file, text=wrong) == "state.wrong-passcode"
    assert refusal(home, "restore", file, text=PASSPHRASE + "\nwrong\n") == "state.wrong-passcode"
    assert open(file, "rb").read() == before
    home.says("lock-keychain")
    assert refusal(home, "backup", file, text="pass 1234\n" + PASSPHRASE + "\n") == "state.locked"
    assert refusal(home, "drill", file) == "state.locked"
    home.says("unlock-keychain", "-p", "pass 1234")
    assert asked(home, "backup", file, text="pass 1234\n" + PASSPHRASE + "\n")["items"] >= 1
    code = home.run("add-unlock-slot", text="pass 1234\n").stdout.strip()
    asked(home, "backup", "--recovery", file, text=code + "\n")
    assert refusal(home, "drill", file) == "backup.no-such-slot"
    return code


def moves(home, file, code):
    """A new keychain, with another vault, gets the items back by the recovery code."""
    home.end()
    shutil.move(f"{home.home}/k", f"{home.home}/lost")
    report = asked(home, "restore", "--recovery", file, text=code + "\n")
    assert {item["outcome"] for item in report["items"]} == {"added"}, report
    assert value(home, "bob") == "later"


def main(programs):
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(programs, folder)
        file = f"{home.temporary}/keychain.backup"
        try:
            makes(home, file)
            merges(home, file)
            refuses(home, file)
            others(home, file)
            survives(home, file)
            moves(home, file, asks(home, file))
        finally:
            home.end()
    print("backup, drill and restore do what they say")


main(os.path.abspath(sys.argv[1]))
