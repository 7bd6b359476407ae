"""The key of a browser's cookies outlives locks and restarts, and no second one is made.

usage: browser_key_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import os
import subprocess
import sys

import desktop_parts
import desktop_user
from desktop_parts import ROOT, Client, bridges, kill, objects
from patience import PATIENCE

PROGRAMS = os.path.abspath(sys.argv[1])
BROWSER = f"{os.path.dirname(os.path.abspath(__file__))}/browser.py"
LOGIN = f"{ROOT}/collection/login"
WAYS = ("libsecret", "bus")


def browser(place, way):
    """The key that a browser gets when it starts; None when it gets none."""
    done = subprocess.run(
        ["/usr/bin/python3", BROWSER, way], capture_output=True, text=True, env=place.environment, timeout=PATIENCE
    )
    return done.stdout.strip() if done.returncode == 0 else None


def locked(place):
    Client(place).service.Lock(objects(LOGIN))


def restarted(place):
    """The daemon and the bridge end, as at a restart of the machine."""
    kill([*place.stores_of_daemons(), *bridges(place)])


def unchanged(_):
    """The keychain stays as it is."""


def kept(place, key):
    """How many keys of browsers there are; the first one is this."""
    open_ones, closed = Client(place).search(application="chromium")
    assert not closed and browser(place, "bus") == key
    return len(open_ones)


def test_a_key_outlives_locks_and_restarts():
    """Unlocked, locked over the bus and restarted with a passcode: twice in a row a browser gets the same key."""
    for way in WAYS:
        with desktop_user.desktop(PROGRAMS) as (place, user):
            user.will("types")
            key = browser(place, way)
            assert key
            for state in (unchanged, locked, restarted, restarted, locked, unchanged):
                state(place)
                found = browser(place, way)
                assert found == key, (way, state.__name__, found)
            assert kept(place, key) == 1, way


def test_a_refusal_makes_no_new_key():
    """A browser whose user does not unlock the keychain gets no key, and has the old one the next time."""
    for way in WAYS:
        with desktop_user.desktop(PROGRAMS) as (place, user):
            key = browser(place, way)
            for state in (locked, restarted):
                state(place)
                user.will("refuses")
                assert browser(place, way) is None, (way, state.__name__)
                user.will("types")
                assert browser(place, way) == key, (way, state.__name__)
            assert kept(place, key) == 1, way


def compare_with_gnome_keyring():
    """With gnome-keyring a browser gets the same key twice, also after a restart, and none while it is locked."""
    if not desktop_parts.keyring_program():
        print("compare_with_gnome_keyring: skipped, gnome-keyring cannot be had here")
        return
    for way in WAYS:
        with desktop_parts.keyring_desktop(PROGRAMS) as place:
            key = browser(place, way)
            assert key and browser(place, way) == key
            locked(place)
            assert browser(place, way) is None
            place.end_keyring()
            place.start_keyring()
            assert browser(place, way) == key
            assert kept(place, key) == 1, way


if __name__ == "__main__":
    desktop_parts.play(globals())
