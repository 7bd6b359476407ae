"""No keychain is erased that nobody asked to delete, and no file that is not the keychain's.

usage: keychain_kept_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os

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


run_parts((lost_again_and_again, of_a_job, killed_at_its_last_call, beside_other_files))
