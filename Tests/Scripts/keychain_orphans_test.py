"""Stores whose name file has gone, items of other programs in a keychain, and what stays of a deleted one.

usage: keychain_orphans_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os
import shutil
import signal
import subprocess

from keychain_parts import folder, login, run_parts, shown, store_of
from patience import PATIENCE, eventually

SECRET, LOST = "secret of the item", "x.keychain"


def made(home, name, password="p"):
    """Makes a keychain with an item, which is open; the result is the folder of its store."""
    home.says("create-keychain", "-p", password, name)
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", SECRET, name)
    return store_of(home, name)


def file_of(home, name):
    return f"{folder(home)}/{name}-db"


def make_another(home):
    home.says("create-keychain", "-p", "p", "another.keychain")
    home.says("delete-keychain", "another.keychain")


def lost_is_locked(home):
    """A store whose name file has gone is locked when that is noticed, and no new name file opens it."""
    store = made(home, LOST)
    direct = home.environment | {"KEYCHAIN_HOME": store}
    command = [f"{home.programs}/security", "find-generic-password", "-s", "s", "-w"]
    assert subprocess.run(command, env=direct, capture_output=True, text=True).stdout == f"{SECRET}\n"
    with open(file_of(home, LOST)) as file:
        line = file.read()
    os.remove(file_of(home, LOST))
    make_another(home)
    assert subprocess.run(command, env=direct, capture_output=True, text=True).returncode == 36
    # The bytes of a name file are no secret: anybody may write them.
    subprocess.run([command[0], "unlock-keychain", "-p", "p"], env=direct, check=True)
    other = f"{home.temporary}/written.keychain"
    with open(other, "w") as file:
        file.write(line)
    os.chmod(other, 0o600)
    for words in (["find-generic-password", "-s", "s", "-w"], ["unlock-keychain", "-u"]):
        result = home.run(*words, other)
        assert result.returncode == 36 and SECRET not in result.stdout, result
    assert home.run("delete-keychain", "-p", "wrong", other).returncode == 51
    home.says("delete-keychain", "-p", "p", other)
    assert not home.stores


def copy_of_one_that_is_away(home):
    """The deletion of a copy takes the password, or --force, while the original's disk is away."""
    for number, password in enumerate(("p", "")):
        name = f"{number}.keychain"
        store = made(home, name, password)
        copied, away = f"{home.temporary}/{number}.copy", f"{home.temporary}/{number}.away"
        shutil.copy(file_of(home, name), copied)
        os.rename(file_of(home, name), away)
        for words in ([], ["-p", "wrong"]):
            assert home.run("delete-keychain", *words, copied).returncode != 0
        assert os.path.exists(f"{store}/keychain.db")
        os.rename(away, file_of(home, name))
        home.run("unlock-keychain", "-p", password, name)
        home.says("find-generic-password", "-s", "s", "-w", name, out=f"{SECRET}\n")
        home.says("delete-keychain", name)


def adopted_by_password(home):
    """A name file that was moved is adopted by the password, and each wrong one counts."""
    store = made(home, LOST)
    new = f"{home.temporary}/new.keychain"
    home.says("default-keychain", "-s", LOST)
    os.rename(file_of(home, LOST), new)
    for number in range(1, 3):
        assert home.run("unlock-keychain", "-p", "wrong", new).returncode == 51
        direct = home.environment | {"KEYCHAIN_HOME": store}
        status = subprocess.run(
            [f"{home.programs}/security", "status"], env=direct, capture_output=True, text=True
        ).stdout
        assert f"{number} wrong in a row" in status, status
    assert os.path.basename(store) in home.run("list-keychains", "--orphans").stdout
    home.says("unlock-keychain", "-p", "p", new)
    home.says("find-generic-password", "-s", "s", "-w", new, out=f"{SECRET}\n")
    home.says("list-keychains", "--orphans")
    home.says("list-keychains", out=shown(login(home), new))
    home.says("default-keychain", out=shown(new))
    make_another(home)
    home.says("find-generic-password", "-s", "s", "-w", new, out=f"{SECRET}\n")
    home.says("delete-keychain", new)
    home.says("list-keychains", out=shown(login(home)))


def cut_adoption(home):
    """An adoption that ended between the search list and the store's own file is done again as a whole."""
    made(home, LOST)
    new = f"{home.temporary}/new.keychain"
    home.says("list-keychains", "-s", "login.keychain", LOST)
    os.rename(file_of(home, LOST), new)
    # The list cannot be written.
    folder = f"{home.home}/k/keychains"
    os.chmod(folder, 0o500)
    home.run("unlock-keychain", "-p", "p", new)
    os.chmod(folder, 0o700)
    home.says("unlock-keychain", "-p", "p", new)
    home.says("list-keychains", out=shown(login(home), new))
    home.says("find-generic-password", "-s", "s", "-w", out=f"{SECRET}\n")
    home.says("delete-keychain", new)


def moved_without_password(home):
    """A moved name file of a keychain without a password leads nowhere until it is back."""
    made(home, LOST, password="")
    new = f"{home.temporary}/new.keychain"
    os.rename(file_of(home, LOST), new)
    home.fails(50, "find-generic-password", "-s", "s", "-w", new, because="is no proof of whose it is")
    os.rename(new, file_of(home, LOST))
    home.says("find-generic-password", "-s", "s", "-w", LOST, out=f"{SECRET}\n")
    # One that was removed, as by the deletion of the same keychain in a copy of the home, is written again.
    os.remove(file_of(home, LOST))
    identifier, path = home.run("list-keychains", "--orphans").stdout.split()
    with open(path.strip('"'), "x") as file:
        file.write(f"keychain-name 1 {identifier} x\n")
    os.chmod(file.name, 0o600)
    home.says("find-generic-password", "-s", "s", "-w", LOST, out=f"{SECRET}\n")
    home.says("delete-keychain", LOST)


def add_as_another(home, store):
    """Another program stores items of its own in the keychain."""
    environment = home.environment | {"KEYCHAIN_HOME": store, "KEYCHAIN_MODE": "daemon"}
    with subprocess.Popen(
        [f"{home.programs}/item-writer", "add", "x"], env=environment, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout.readline() == "0\n"
        writer.kill()


def items_of_others(home):
    """A keychain with other programs' items is deleted open, or with its password; else not, and nothing of it goes."""
    for name in ("open", "locked", "asked"):
        add_as_another(home, made(home, f"{name}.keychain"))
    home.says("delete-keychain", "open.keychain")
    for name in ("locked", "asked"):
        home.says("lock-keychain", f"{name}.keychain")
        assert home.run("delete-keychain", f"{name}.keychain").returncode != 0
        assert home.run("delete-keychain", "-p", "wrong", f"{name}.keychain").returncode == 51
    assert len(home.stores) == 2
    home.says("delete-keychain", "-p", "p", "locked.keychain")
    home.says("delete-keychain", "asked.keychain", text="p\n")
    store = made(home, "empty.keychain", password="")
    add_as_another(home, store)
    home.fails(36, "delete-keychain", "empty.keychain", because="holds items of other programs")
    home.says("find-generic-password", "-s", "s", "-w", "empty.keychain", out=f"{SECRET}\n")
    # Nor does the way over its identifier.
    os.rename(file_of(home, "empty.keychain"), f"{home.temporary}/moved")
    home.fails(36, "delete-keychain", os.path.basename(store), because="holds items of other programs")
    os.rename(f"{home.temporary}/moved", file_of(home, "empty.keychain"))
    home.says("set-keychain-password", "-p", "p", "empty.keychain")
    home.says("delete-keychain", "empty.keychain")
    assert not home.stores


def does_not_open(home):
    """A keychain that does not open now is not deleted by mistake; with --force it is."""
    store = made(home, LOST)
    home.says("lock-keychain", LOST)
    home.end()
    os.rename(f"{store}/vault", f"{store}/vault.away")
    home.fails(53, "delete-keychain", LOST, because="does not open")
    assert os.path.exists(f"{store}/keychain.db")
    home.says("delete-keychain", "--force", LOST)
    assert not home.stores


def own_items(home):
    """A script deletes its own keychain without a question, locked or not, without a terminal and without input."""
    for name, password in (("open", "p"), ("locked", "p"), ("empty", "")):
        made(home, f"{name}.keychain", password)
        home.says("lock-keychain", f"{name}.keychain")
    home.says("unlock-keychain", "-p", "p", "open.keychain")
    for name in ("open", "locked", "empty"):
        result = subprocess.run(
            [f"{home.programs}/security", "delete-keychain", f"{name}.keychain"], env=home.environment,
            stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, timeout=PATIENCE,
        )
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), result
    assert not home.stores


def no_history(home):
    """Nothing of a deleted keychain stays: no earlier version, no log; nothing at all of one in memory."""
    home.says("add-generic-password", "-s", "login", "-a", "a", "-w", "x", "login.keychain")
    store = made(home, LOST)
    home.says("add-generic-password", "-U", "-s", "s", "-a", "a", "-w", "newer", LOST)
    home.says("delete-keychain", LOST)
    identifier = os.path.basename(store).encode()
    for place, _, files in os.walk(home.folder):
        assert identifier.decode() not in place
        for name in [name for name in files if os.path.isfile(f"{place}/{name}")]:
            with open(f"{place}/{name}", "rb") as file:
                assert identifier not in file.read(), f"{place}/{name}"
    assert home.run("history", "-s", "s").returncode != 0 or SECRET not in home.run("history").stdout
    add = "add-generic-password -U -s s -a a -w"
    script = f"{add} earlier-value\n{add} later-value\nhistory\nstatus\n"
    result = home.run("--ephemeral", "-i", text=script)
    assert "earlier-value" not in result.stdout, result
    [place] = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("store:")]
    eventually(lambda: not os.path.exists(os.path.dirname(place)))


def killed_at_any_time(home):
    """Commands, daemons and enclaves that are killed in the midst of creations lose nothing that was acknowledged."""
    kept = made(home, "kept.keychain")
    command = [f"{home.programs}/security", "create-keychain", "-p", "p"]
    acknowledged = set()
    for turn in range(24):
        name = f"{turn}.keychain"
        process = subprocess.Popen([*command, name], env=home.environment, stderr=subprocess.DEVNULL)
        try:
            process.wait(0.005 * turn)
        except subprocess.TimeoutExpired:
            victims = processes_below(folder(home), kept)
            if turn % 3 or not victims:
                process.kill()
            for number in victims if turn % 3 else victims[turn % 2 :][:1]:
                kill(number)
        if process.wait(PATIENCE) == 0:
            acknowledged.add(name)
    make_another(home)
    for name in sorted(acknowledged):
        home.says("unlock-keychain", "-p", "p", name)
        home.says("delete-keychain", name)
    # What was complete when its command was killed is a keychain, and has a name.
    for name in [name for name in os.listdir(folder(home)) if name.endswith("-db") and name != "kept.keychain-db"]:
        home.says("delete-keychain", name)
    # A daemon that is ending keeps its folder's lock for a moment; then the next creation sweeps what is empty for
    # certain, and what is not certain is listed and goes by its identifier.
    eventually(lambda: is_left_by_nothing(home, kept), lambda: home.stores)
    home.says("unlock-keychain", "-p", "p", "kept.keychain")
    home.says("find-generic-password", "-s", "s", "-w", "kept.keychain", out=f"{SECRET}\n")


def is_left_by_nothing(home, kept):
    make_another(home)
    listed = home.run("list-keychains", "--orphans").stdout
    for store in [store for store in home.stores if store in listed]:
        home.run("delete-keychain", "--force", store)
    return home.stores == [os.path.basename(kept)] and home.run("list-keychains", "--orphans").stdout == ""


def processes_below(place, kept):
    """The daemons and enclaves of stores in a folder, but for one of them."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace")
        except OSError:
            continue
        if f"{place}/" in words and kept not in words and "/security\0" not in words:
            found.append(int(number))
    return sorted(found)


def kill(number):
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        pass


def full_disk(home):
    """On a full disk nothing is made by half, and a deletion makes room."""
    disk = f"{home.temporary}/disk"
    os.mkdir(disk, 0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "none", disk], capture_output=True)
    if mounted.returncode:
        print("   without a small disk: it takes root")
        return
    try:
        home.environment["KEYCHAIN_HOME"] = f"{disk}/k"
        home.says("create-keychain", "-p", "p", "a.keychain")
        home.says("add-generic-password", "-s", "s", "-a", "a", "-w", SECRET, "a.keychain")
        names = None
        for size in (0, 100_000, 200_000, 400_000):
            fill(f"{disk}/rest", leaving=size)
            if home.run("create-keychain", "-p", "p", "b.keychain").returncode == 0:
                home.says("delete-keychain", "b.keychain")
            names = sorted(os.listdir(f"{disk}/k/keychains"))
            assert not [name for name in names if name.endswith((".new", ".deleted")) or "b.keychain" in name], names
        fill(f"{disk}/rest", leaving=0)
        assert home.run("delete-keychain", "a.keychain").returncode == 0
        names = sorted(os.listdir(f"{disk}/k/keychains"))
        assert not [name for name in names if len(name) >= 36 or name == "a.keychain-db"], names
        home.says("list-keychains", out=shown(login(home)))
    finally:
        home.end()
        subprocess.run(["umount", "-l", disk], check=True)


def fill(path, leaving):
    if os.path.exists(path):
        os.remove(path)
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                pass
        file.truncate(max(0, os.path.getsize(path) - leaving))


run_parts(
    (
        lost_is_locked,
        copy_of_one_that_is_away,
        adopted_by_password,
        cut_adoption,
        moved_without_password,
        items_of_others,
        does_not_open, own_items,
        no_history,
        killed_at_any_time,
        full_disk,
    )
)
