"""No keychain is erased that nobody asked to delete, and no file that is not the keychain's.

usage: keychain_kept_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os
import shutil

from keychain_parts import folder, run_parts, store_of

VALUE, NAME = "value of the item", "x.keychain"
LONG_AGO = 0


def made(home, name, password="p"):
    home.says("create-keychain", "-p", password, name)
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", VALUE, name)
    return os.path.basename(store_of(home, name))


def file_of(home, name=NAME):
    return f"{folder(home)}/{name}-db"


def make_another(home, number):
    home.says("create-keychain", "-p", "p", f"another{number}.keychain")


def mark_loss(home, store):
    """A release that erased lost stores has left this, and a clock may have been behind."""
    mark = f"{folder(home)}/{store}/lost"
    with open(mark, "w", encoding="ascii"):
        os.utime(mark, (LONG_AGO, LONG_AGO))


def has_its_item(home, name=NAME):
    home.says("find-generic-password", "-s", "s", "-w", name, out=f"{VALUE}\n")


def lost_again_and_again(home):
    """A store without a password stays while its disk is away, whatever marks and clocks of an earlier loss say."""
    store = made(home, NAME, password="")
    away = f"{home.temporary}/away"
    for number in range(3):
        os.rename(file_of(home), away)
        make_another(home, number)
        mark_loss(home, store)
        make_another(home, number + 10)
        os.rename(away, file_of(home))
        has_its_item(home)
    assert store in home.stores


def of_a_job(home):
    """A job's keychain on a disk stays as any other does."""
    home.environment["CI"] = "true"
    store = made(home, NAME)
    os.rename(file_of(home), f"{home.temporary}/away")
    make_another(home, 1)
    mark_loss(home, store)
    make_another(home, 2)
    assert store in home.stores and store in home.run("list-keychains", "--orphans").stdout


def killed_at_its_last_call(home):
    """A creation that was killed when all but its mark was done is complete from its first use on."""
    store = made(home, NAME)
    mark = f"{folder(home)}/{store}.new"
    with open(mark, "w", encoding="ascii"):
        os.chmod(mark, 0o600)
    has_its_item(home)
    assert not os.path.exists(mark)
    moved = f"{home.temporary}/moved.keychain"
    os.rename(file_of(home), moved)
    home.says("unlock-keychain", "-p", "p", moved)
    os.rename(moved, f"{home.temporary}/away")
    make_another(home, 1)
    os.rename(f"{home.temporary}/away", moved)
    home.says("unlock-keychain", "-p", "p", moved)
    has_its_item(home, moved)


def mark_creation(home, store):
    """A copy of the folder from the end of a creation has this mark."""
    with open(f"{folder(home)}/{store}.new", "w", encoding="ascii"):
        pass


def kept_as_lost(home, store):
    """The next creation leaves a store whose name file is away, and says that it is there."""
    make_another(home, len(home.stores))
    assert store in home.stores, home.stores
    assert store in home.run("list-keychains", "--orphans").stdout
    assert not os.path.exists(f"{folder(home)}/{store}.new")


def used_beside_a_mark_of_its_creation(home):
    """A mark of an unfinished creation takes back no store that was ever used, whatever brought the mark back."""
    store = made(home, NAME)
    away = f"{home.temporary}/away"
    for _ in range(2):
        home.says("lock-keychain", NAME)
        home.end()
        os.rename(file_of(home), away)
        mark_creation(home, store)
        kept_as_lost(home, store)
        os.rename(away, file_of(home))
        home.says("unlock-keychain", "-p", "p", NAME)
        has_its_item(home)
    # An item that was deleted comes back with undelete.
    assert home.run("delete-generic-password", "-s", "s", NAME).returncode == 0
    os.rename(file_of(home), away)
    mark_creation(home, store)
    kept_as_lost(home, store)


def unread_beside_a_mark_of_its_creation(home):
    """Of a store that does not open, or has other files, nobody knows whether it was used: it stays."""
    store = made(home, NAME)
    place, away = f"{folder(home)}/{store}", f"{home.temporary}/vault"
    home.end()
    os.rename(file_of(home), f"{home.temporary}/name")
    os.rename(f"{place}/vault", away)
    mark_creation(home, store)
    kept_as_lost(home, store)
    home.end()
    os.rename(away, f"{place}/vault")
    os.rename(f"{home.temporary}/name", file_of(home))
    home.says("unlock-keychain", "-p", "p", NAME)
    has_its_item(home)
    empty = os.path.basename(store_of(home, "another1.keychain"))
    os.remove(file_of(home, "another1.keychain"))
    with open(f"{folder(home)}/{empty}/thesis.txt", "w", encoding="ascii"):
        pass
    mark_creation(home, empty)
    kept_as_lost(home, empty)


def brought_back_beside_its_deletion(home):
    """A keychain that was brought back from a copy stays, whatever an unfinished deletion has left of it."""
    for number, password in enumerate(("", "p")):
        name = f"{number}.keychain"
        store = made(home, name, password)
        place = f"{folder(home)}/{store}"
        home.end()
        shutil.copytree(place, f"{home.temporary}/{number}", ignore=shutil.ignore_patterns("*.sock"))
        os.rename(place, f"{place}.deleted")
        shutil.copytree(f"{home.temporary}/{number}", place)
        make_another(home, number)
        assert not os.path.exists(f"{place}.deleted")
        home.says("unlock-keychain", "-p", password, name)
        has_its_item(home, name)
        assert f"/{name}-db" in home.run("list-keychains").stdout
        # Nor does it stand in the way of one that is asked for.
        os.mkdir(f"{place}.deleted", 0o700)
        with open(f"{place}.deleted/vault", "w", encoding="ascii"):
            pass
        home.says("delete-keychain", name)
        assert not [left for left in os.listdir(folder(home)) if left.startswith(store)]


def login_after_another(home):
    """The login keychain goes with its own password, whatever stands before it in the command line."""
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", VALUE, "login.keychain")
    home.says("set-keychain-password", "-p", "own", "login.keychain")
    for number, password in enumerate(("", "other")):
        made(home, f"{number}.keychain", password)
        words = ("delete-keychain", "--login", "-p", "other")
        assert home.run(*words, f"{number}.keychain", "login.keychain").returncode == 51
        has_its_item(home, "login.keychain")
    made(home, NAME)
    home.says("delete-keychain", "--login", "-p", "own", NAME, "login.keychain")
    assert home.run("find-generic-password", "-s", "s", "login.keychain").returncode == 44
    assert not home.stores


def beside_other_files(home):
    """The deletion of login's keychain names its own files: what others have in its folder stays."""
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", VALUE)
    home.says("set-keychain-password", "-p", "pw")
    assert home.run("snapshot").returncode == 0
    place = home.environment["KEYCHAIN_HOME"]
    others = ["id_rsa", "thesis.txt", "keychain.db.txt", "vault.bak", "keychain.db.copy.snapshot"]
    for name in others:
        with open(f"{place}/{name}", "w", encoding="ascii") as file:
            file.write(name)
    home.says("delete-keychain", "--login", "-p", "pw", "login.keychain")
    left = [name for name in os.listdir(place) if not name.startswith("keychaind.") and name != "keychains"]
    assert sorted(left) == sorted(others), left
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", VALUE)
    home.says("find-generic-password", "-s", "s", "-w", out=f"{VALUE}\n")


run_parts(
    (
        lost_again_and_again,
        of_a_job,
        killed_at_its_last_call,
        used_beside_a_mark_of_its_creation,
        unread_beside_a_mark_of_its_creation,
        brought_back_beside_its_deletion,
        login_after_another,
        beside_other_files,
    )
)
