"""The setup of the desktop and its undo: files come and go as a whole, and nobody's secrets stay behind unnoticed.

usage: desktop_setup_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import functools
import os
import pathlib
import sys
import tempfile

import desktop_parts
from desktop_parts import ROOT, Client, Desktop
from parts import of_root, of_this_turn

PROGRAMS = os.path.abspath(sys.argv[1])
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)
UNIT = ".config/systemd/user/keychain-secrets.service"
KEYRING = """[keyring]
display-name=Login
ctime=0
mtime=0
lock-on-idle=false
lock-after=false

[1]
item-type=0
display-name=Older
secret=older
mtime=1
ctime=1

[1:attribute0]
name=n
type=string
value=older
"""


def test_setup_and_undo():
    """setup writes four files and undo leaves nothing; an older keyring or wallet is not left behind without a word."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = Desktop(PROGRAMS, folder)
        keyrings = f"{place.home}/.local/share/keyrings"
        os.makedirs(keyrings)
        open(f"{keyrings}/login.keyring", "wb").close()
        place.fails(1, "setup", "-y", "desktop", because="login.keyring has secrets of an older keyring")
        assert place.run("setup", "-y", "--without-import", "desktop").returncode == 0
        files = [
            ".local/share/dbus-1/services/org.freedesktop.secrets.service",
            ".config/systemd/user/keychain-secrets.service",
            ".config/systemd/user/gnome-keyring-daemon.service.d/keychain.conf",
            ".config/autostart/gnome-keyring-secrets.desktop",
        ]
        assert all(os.path.exists(f"{place.home}/{name}") for name in files)
        assert "nothing has to be changed" in place.run("setup", "-y", "-w", "desktop").stdout
        assert place.run("setup", "-u", "-y", "desktop").returncode == 0
        left = [f"{path}/{name}" for path, _, names in os.walk(place.home) for name in names]
        assert left == [f"{keyrings}/login.keyring"], left
        for folder in (".local/share/dbus-1", ".config/systemd", ".config/autostart"):
            assert not os.path.exists(f"{place.home}/{folder}"), folder
        os.makedirs(f"{place.home}/.local/share/dbus-1/services")
        with open(f"{place.home}/{files[0]}", "w") as file:
            file.write("[D-BUS Service]\n")
        place.fails(1, "setup", "-y", "-w", "desktop", because="is there already")
        assert place.run("setup", "-u", "-y", "desktop").returncode == 0
        assert os.path.exists(f"{place.home}/{files[0]}")


def test_setup_and_a_link_to_nothing():
    """A place that is a link to a missing file is named, and stays what it is."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = Desktop(PROGRAMS, folder)
        services = f"{place.home}/.local/share/dbus-1/services"
        os.makedirs(services)
        link = f"{services}/org.freedesktop.secrets.service"
        os.symlink(f"{place.home}/elsewhere", link)
        place.fails(1, "setup", "-y", "desktop", because="which is not there")
        assert place.run("setup", "-u", "-y", "desktop").returncode in (0, 1)
        assert os.readlink(link) == f"{place.home}/elsewhere"


def test_setup_does_all_or_nothing():
    """A file that cannot be written takes the first ones back, and a foreign one that is as wished stays."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = Desktop(PROGRAMS, folder)
        wallets, autostart = f"{place.home}/.local/share/kwalletd", f"{place.home}/.config/autostart"
        for path in (wallets, autostart):
            os.makedirs(path)
        open(f"{wallets}/kdewallet.kwl", "wb").close()
        place.fails(1, "setup", "-y", "desktop", because="kdewallet.kwl has secrets of an older keyring")
        hidden = f"{autostart}/gnome-keyring-secrets.desktop"
        with open(hidden, "w") as file:
            file.write("[Desktop Entry]\nHidden = true\n")
        # A link that leads nowhere is a folder that cannot be made.
        os.symlink("/nowhere/at/all", f"{place.home}/.config/systemd")
        assert place.run("setup", "-y", "-w", "desktop").returncode == 1
        assert not os.path.exists(f"{place.home}/.local/share/dbus-1")
        os.unlink(f"{place.home}/.config/systemd")
        done = place.run("setup", "-y", "-w", "desktop")
        assert done.returncode == 0 and "preview" in done.stdout, done
        undone = place.run("setup", "-u", "-y", "desktop")
        assert "as they were" in undone.stdout and os.path.exists(hidden), undone


@of_root
def test_setup_in_the_home_of_another():
    """Root changes nothing there."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = Desktop(PROGRAMS, folder)
        os.chown(place.home, 33, 33)
        place.fails(1, "setup", "-y", "desktop", because="is another user's home")
        assert os.listdir(place.home) == []


def test_undo_names_what_would_stay_behind():
    """An item that the service from before does not have is named; collections and what was imported are not."""
    with desktop() as place:
        keyring = pathlib.Path(place.home, "own.keyring")
        keyring.write_text(KEYRING)
        assert place.run("import-from", "keyring-file", str(keyring)).returncode == 0
        assert place.tool("lookup", "n", "older") == (0, "older", "")
        undo = ("setup", "-u", "-y", "desktop")
        assert place.run(*undo).returncode == 0 and not os.path.exists(f"{place.home}/{UNIT}")
        assert place.run("setup", "-y", "desktop").returncode == 0
        place.store("Mine \x1b[1m", "n", "mine")
        place.fails(1, *undo, because="1 items of desktop programs are in the keychain alone")
        said = place.run(*undo)
        assert "“Mine" in said.stdout and "\x1b" not in said.stdout and "Older" not in said.stdout, said
        assert "--without-export" in said.stderr and os.path.exists(f"{place.home}/{UNIT}"), said
        assert place.run("setup", "-u", "-n", "desktop").returncode == 0
        # What was imported and changed since is in the keychain alone, too.
        client = Client(place)
        client.create(client.session()[1], {"n": "older"}, b"newer", f"{ROOT}/aliases/default", replace=True)
        place.fails(1, *undo, because="2 items of desktop programs are in the keychain alone")
        assert place.run("setup", "-u", "-y", "-x", "desktop").returncode == 0
        assert not os.path.exists(f"{place.home}/{UNIT}") and place.tool("lookup", "n", "mine")[:2] == (0, "geheim")


if __name__ == "__main__":
    named = [globals()[name] for name in sys.argv[2:]]
    for test in named or of_this_turn([test for name, test in list(globals().items()) if name.startswith("test_")]):
        test()
        print(f"ok {test.__name__}")
