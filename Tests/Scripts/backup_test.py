"""Backs a keychain up, drills and restores, as an ordinary user; reads the file by the page of its format alone.

usage: backup_test.py FOLDER-OF-PROGRAMS
"""

import base64
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import protected_file
import read_backup
import write_backup
from keychain_parts import ends
from ordinary_parts import USER, as_user, prepared
from patience import PATIENCE, eventually

PASSPHRASE = "six words that nobody ever guesses"
LETTER = "what the letter says" * 5000


def must(home, *words, text=""):
    done = home.run(*words, text=text)
    assert done.returncode == 0, (words, done)


def add(home, account, value):
    must(home, "add-generic-password", "-U", "-s", "backup", "-a", account, "-w", value)


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


def dates(home):
    """When the last backup was made and opened, as far as `status` knows."""
    return json.loads(home.run("--json", "status").stdout)["backup"]


def makes(home, file):
    """The file has what may leave, says what stays, and is read by who knows the page of its format alone."""
    for account in ("ann", "bob"):
        add(home, account, f"value of {account}")
    assert dates(home) == {"made": None, "opened": None}
    survey = asked(home, "backup", "--dry-run", file, text="")
    assert survey["items"] == 2 and not os.path.exists(file), survey
    assert dates(home)["made"] is None
    # A link of that name is replaced, and not followed.
    other = f"{home.temporary}/other"
    write(other, b"")
    os.symlink(other, file)
    report = asked(home, "backup", file)
    assert not os.path.islink(file) and os.path.getsize(other) == 0
    noted = dates(home)
    assert noted["made"] and not noted["opened"], noted
    assert report["items"] == 2 and report["bytes"] == os.path.getsize(file), report
    assert os.stat(file).st_mode & 0o777 == 0o600
    with open(file, "rb") as content:
        content = content.read()
    assert b"value of" not in content and b"backup" not in content
    parts = read_backup.parts(content, 1, PASSPHRASE.encode())
    items = [item for part in parts for item in read_backup.records(part)]
    values = sorted(base64.b64decode(item["value"]) for item in items)
    assert values == [b"value of ann", b"value of bob"], items
    assert all(base64.b64decode(item["attributes"][3]).decode().endswith("/security") for item in items), items
    # The same backup by another writer, which opens as quickly as a reader lets it.
    made = datetime.datetime.fromisoformat(noted["made"].replace("Z", "+00:00"))
    write(file, write_backup.backup(PASSPHRASE, parts, created=int(made.timestamp())))


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o644)


def merges(home, file):
    """What is not there comes back, the later date wins, and nothing else changes."""
    drilled = asked(home, "drill", file)
    assert outcomes(drilled) == {"backup": "same"} and not drilled["changed"], drilled
    assert dates(home)["opened"], dates(home)
    must(home, "delete-generic-password", "-s", "backup", "-a", "ann", "--forever")
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
    must(home, "delete-generic-password", "-s", "backup", "-a", "ann", "--forever")
    length = int.from_bytes(content[6:8], "little")
    damages = [content[:-1], content + b"\0", content[:length], content[: length + 60], b"", content[:4]]
    for place in (4, length - 1, length, length + 1, length + 40, len(content) - 1):
        damages.append(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    for damaged in damages:
        write(other, damaged)
        assert refusal(home, "restore", other).startswith("backup."), len(damaged)
    assert value(home, "ann") == "", "something was taken of a damaged file"
    assert refusal(home, "drill", "/etc/passwd") == "backup.damaged"
    done = home.run("backup", f"{home.folder}/nowhere/file", text=PASSPHRASE + "\n")
    assert done.returncode == 1 and "next: " in done.stderr, done


def bounds(home):
    """A file that asks for more work or memory than any, or has a part of a size that none has, is not read."""
    file = f"{home.temporary}/forged"
    for cost in ((524289, 3, 1), (65536, 2, 1), (65536, 3, 17)):
        write(file, write_backup.backup(PASSPHRASE, [], cost=cost))
        assert refusal(home, "drill", file) == "backup.damaged", cost
    part = write_backup.password("g", "s", "a", bytes(262_000)) + write_backup.record([]) * 10
    write(file, write_backup.backup(PASSPHRASE, [part]))
    assert refusal(home, "drill", file) == "backup.damaged"


def guesses(home, file):
    """Where no password is asked for, nobody learns whether a guess at an item's value is right."""
    with open(file, "rb") as content:
        parts = read_backup.parts(content.read(), 1, PASSPHRASE.encode())
    (part,) = [part for part in parts if b"value of ann" in part]
    guess = f"{home.temporary}/forged"
    write(guess, write_backup.backup(PASSPHRASE, [part.replace(b"value of ann", b"a wrong word"), part]))
    asked(home, "restore", file)
    for words, tells in ((["drill"], False), (["restore", "--dry-run"], False), (["restore"], True)):
        found = [item["outcome"] for item in asked(home, *words, guess)["items"]]
        wrong, right = found[: len(found) // 2], found[len(found) // 2 :]
        assert "same" in right and (wrong != right) == tells, (words, found)


def others(home, file):
    """Another program gets no backup, and puts none in: not a copy of the command either."""
    elsewhere = f"{home.folder}/elsewhere"
    os.mkdir(elsewhere)
    shutil.copy(f"{home.programs}/security", elsewhere)
    for words in (["backup", "--dry-run", file], ["backup", file], ["drill", file], ["restore", file]):
        done = started(home, f"{elsewhere}/security", "--json", *words).communicate(PASSPHRASE + "\n", PATIENCE)
        assert json.loads(done[1])["rule"] == "backup.not-granted", (words, done)


def unfinished(home):
    return [name for name in os.listdir(home.temporary) if ".new-" in name]


def survives(home, file):
    """A backup that fails or is killed leaves the file as it was; no other file is replaced."""
    old = open(file, "rb").read()
    full = ["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", f"{home.programs}/security"]
    process = started(home, *full, "backup", file)
    before = dates(home)
    _, err = process.communicate(PASSPHRASE + "\n", PATIENCE)
    assert dates(home) == before
    assert process.returncode == 1 and "next: " in err and open(file, "rb").read() == old, (process.returncode, err)
    assert not unfinished(home)
    given_up(home, file)
    assert not unfinished(home) and open(file, "rb").read() == old
    process = started(home, f"{home.programs}/security", "backup", file)
    process.stdin.write(PASSPHRASE + "\n")
    process.stdin.flush()
    eventually(lambda: unfinished(home))
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert open(file, "rb").read() == old
    for name in unfinished(home):
        os.unlink(f"{home.temporary}/{name}")
    pipe = f"{home.temporary}/pipe"
    vault, document = f"{home.home}/k/vault", f"{home.temporary}/document"
    write(document, b"not by us")
    for path in (vault, document):
        before = open(path, "rb").read()
        done = home.run("backup", path, text=PASSPHRASE + "\n")
        assert done.returncode == 1 and "is no backup" in done.stderr and open(path, "rb").read() == before, done
    os.mkfifo(pipe)
    for path in (pipe, home.temporary, "/dev/null"):
        assert home.run("backup", path, text=PASSPHRASE + "\n").returncode == 1, path
        assert home.run("drill", path, text=PASSPHRASE + "\n").returncode == 1, path
    os.unlink(pipe)


def interruptible():
    """The tests may have been started in the background, where shells have SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    as_user()


def given_up(home, file):
    """Ends a backup at its first question."""
    terminal, end = os.openpty()
    if os.getuid() == 0:
        os.chown(os.ttyname(end), USER, USER)
    words = [f"{home.programs}/security", "backup", file]
    process = subprocess.Popen(
        words, env=home.environment, preexec_fn=interruptible, stdin=end, stdout=end, stderr=end, start_new_session=True
    )
    os.close(end)
    text = b""
    while b"passphrase for the backup: " not in text:
        text += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    os.close(terminal)


def goes_on(home, file):
    """A restore whose daemon was killed names what it took; done again, it is whole."""
    many, group, count = f"{home.temporary}/many.backup", f"program:{home.programs}/security", 400
    records = [write_backup.password(group, "many", str(n), bytes(2000)) for n in range(count)]
    # Each part is a transaction of its own: most of them are still to come when the first item is found.
    parts = [b"".join(records[start : start + 2]) for start in range(0, count, 2)]
    write(many, write_backup.backup(PASSPHRASE, parts))
    process = started(home, f"{home.programs}/security", "restore", many)
    process.stdin.write(PASSPHRASE + "\n")
    process.stdin.flush()
    eventually(lambda: process.poll() is not None or home.run("find-generic-password", "-s", "many").returncode == 0)
    assert process.poll() is None
    process.send_signal(signal.SIGSTOP)
    for number in home.stores_of_daemons():
        ends(number)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0 and "incomplete: " in out and "added: " in out and "next: " in err, (out, err)
    again = asked(home, "restore", many)["items"]
    assert len(again) == count and {item["outcome"] for item in again} <= {"added", "same"}, len(again)
    assert {item["outcome"] for item in asked(home, "drill", many)["items"]} == {"same"}


def names(home, file):
    """Each named keychain has a backup of its own, and the others are told."""
    must(home, "create-keychain", "-p", "named", "work.keychain")
    assert [os.path.basename(path) for path in asked(home, "backup", file)["otherKeychains"]] == ["work.keychain-db"]
    must(home, "add-generic-password", "-s", "work", "-a", "ann", "-w", "of work", "work.keychain")
    named = f"{home.temporary}/named.backup"
    report = asked(home, "backup", named, "work.keychain", text="named\n" + PASSPHRASE + "\n")
    assert report["items"] == 1 and len(report["otherKeychains"]) == 1, report
    must(home, "delete-generic-password", "-s", "work", "--forever", "work.keychain")
    again = asked(home, "restore", named, "work.keychain", text=PASSPHRASE + "\nnamed\n")
    assert [item["outcome"] for item in again["items"]] == ["added"], again
    found = home.run("find-generic-password", "-s", "work", "-w", "work.keychain").stdout.strip()
    assert found == "of work", found
    must(home, "delete-keychain", "work.keychain")


def counted(home):
    return json.loads(home.run("--json", "status").stdout)["shelves"]


def letters(home):
    """What the user reads of their two protected files; nothing of one that does not open."""
    return [home.run("file", "cat", f"{home.home}/{name}").stdout for name in ("letter", "here")]


def protects(home, file):
    """Shelves travel; who knows the pages of the formats alone opens a file with one. The one of this device stays."""
    # What is made in the second of a backup counts as in it.
    later = datetime.datetime.fromisoformat(dates(home)["made"]) + datetime.timedelta(seconds=1)
    eventually(lambda: datetime.datetime.now(datetime.timezone.utc) >= later)
    for name, words in (("letter", ["-s", "letters"]), ("here", ["-D", "-s", "desk"])):
        must(home, "file", "protect", *words, "-o", f"{home.home}/{name}", "-", text=LETTER)
    survey = asked(home, "backup", "--dry-run", file, text="")
    assert counted(home) == {"count": 2, "afterBackup": 2}, counted(home)
    report = asked(home, "backup", file)
    for said in (survey, report):
        staying = [(item["class"], item["name"], item["reason"]) for item in said["staying"]]
        assert staying == [("shelf", "desk", "this-device-only")] and said["shelves"] == 1, said
    with open(file, "rb") as content:
        records = read_backup.read(content.read(), 1, PASSPHRASE.encode())
    (found,) = [record for record in records if record["class"] == "shelf"]
    shelf = protected_file.Shelf(found["protection"])
    shelf.id, shelf.wrap_key, shelf.private = (base64.b64decode(found[k]) for k in ("id", "wrapKey", "privateKey"))
    with open(f"{home.home}/letter", "rb") as sealed:
        assert protected_file.read(sealed.read(), shelf) == LETTER.encode()
    drilled = [item for item in asked(home, "drill", file)["items"] if item["class"] == "shelf"]
    assert [(item["name"], item["outcome"]) for item in drilled] == [("letters", "same")], drilled


def keeps_quiet(home, *secrets):
    """No secret is in a file of the home, a log among them."""
    for folder, _, files in [*os.walk(home.home), *os.walk(home.temporary)]:
        for name in files:
            path = f"{folder}/{name}"
            if os.path.isfile(path):
                with open(path, "rb") as content:
                    content = content.read()
                assert not any(secret.encode() in content for secret in secrets), path


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
    must(home, "set-keychain-password", "-p", "pass 1234")
    before = open(file, "rb").read()
    wrong = "wrong\n" + PASSPHRASE + "\n"
    assert refusal(home, "backup", file, text=wrong) == "state.wrong-passcode"
    assert refusal(home, "restore", file, text=PASSPHRASE + "\nwrong\n") == "state.wrong-passcode"
    assert open(file, "rb").read() == before
    must(home, "lock-keychain")
    assert refusal(home, "backup", file, text="pass 1234\n" + PASSPHRASE + "\n") == "state.locked"
    assert refusal(home, "drill", file) == "state.locked"
    must(home, "unlock-keychain", "-p", "pass 1234")
    assert asked(home, "backup", file, text="pass 1234\n" + PASSPHRASE + "\n")["items"] >= 1
    code = home.run("add-unlock-slot", text="pass 1234\n").stdout.strip()
    asked(home, "backup", "--recovery", file, text=code + "\n")
    assert refusal(home, "drill", file) == "backup.no-such-slot"
    return code


def moves(home, file, code):
    """A new keychain, with another vault, gets the items back by the recovery code, and protected files open."""
    assert letters(home) == [LETTER, LETTER]
    home.end()
    shutil.move(f"{home.home}/k", f"{home.home}/lost")
    report = asked(home, "restore", "--recovery", file, text=code + "\n")
    assert {item["outcome"] for item in report["items"]} == {"added"}, report
    assert value(home, "bob") == "later"
    assert letters(home) == [LETTER, ""]


def main(programs):
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(programs, folder)
        shutil.copy(f"{programs}/keychain-file", home.programs)
        file = f"{home.temporary}/keychain.backup"
        try:
            makes(home, file)
            merges(home, file)
            refuses(home, file)
            bounds(home)
            guesses(home, file)
            others(home, file)
            survives(home, file)
            goes_on(home, file)
            names(home, file)
            protects(home, file)
            code = asks(home, file)
            moves(home, file, code)
            keeps_quiet(home, PASSPHRASE, "value of", "pass 1234", code)
        finally:
            home.end()
    print("backup, drill and restore do what they say")


main(os.path.abspath(sys.argv[1]))
