"""Two machines of an ordinary user's keep a keychain in common over a folder, carried by the real program.

usage: sync_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import signal
import subprocess
import sys

from ordinary_parts import USER, as_user
from patience import eventually
from sync_parts import PASSCODE, machines


def joins(one, other, folder):
    """The second machine gives its code to the first, and reads what the first had."""
    one.write("put", "before", "the circle")
    circle = one.sync("setup", "-n", "one", folder)["circle"]
    joined = one.run("sync", "setup", folder)
    assert joined.returncode != 0, "a second circle"
    code = other.sync("join", "-n", "other", folder, circle)["code"]
    assert other.sync("status")["standing"] == "waits"
    bad = one.run("sync", "add-device", code[:-3] + "AAA")
    assert bad.returncode != 0 and "copied as a whole" in bad.stderr, bad
    one.sync("add-device", code)
    for machine in (one, other, one, other):
        machine.must("sync", "now")
    assert other.items() == {"before: the circle"}, other.items()
    assert other.sync("status")["standing"] == "in"
    # The name of the machine that has begun the circle is known there alone.
    prints = [{row["digits"] for row in machine.sync("fingerprint")} for machine in (one, other)]
    assert prints[0] == prints[1] and len(prints[0]) == 3, prints
    assert {machine["name"] for machine in one.sync("devices")} == {"one", "other"}
    assert {machine["name"] for machine in other.sync("devices")} == {"", "other"}


def travels(one, other):
    """Carriers that run bring a change, another way too, and a deletion."""
    for machine in (one, other):
        machine.start()
    one.write("put", "mail", "first")
    eventually(lambda: "mail: first" in other.items(), "the item does not arrive")
    other.write("put", "mail", "second")
    eventually(lambda: "mail: second" in one.items(), "the change does not arrive")
    one.write("drop", "before")
    eventually(lambda: "before: the circle" not in other.items(), "the deletion does not arrive")
    one.must("add", "-S", "web/ann", "password=by the command")
    eventually(
        lambda: other.run("find-generic-password", "-w", "-s", "web", "-a", "ann").stdout == "by the command\n",
        "the item of the command does not arrive",
    )
    second = subprocess.run(
        [f"{one.programs}/keychain-carrier"], env=one.environment, preexec_fn=as_user, capture_output=True, text=True
    )
    assert second.returncode == 75, second


def is_killed(one, other):
    """A carrier that is killed while it works is followed by another, and nothing is lost."""
    for number in range(5):
        one.write("put", f"item{number}", "killed")
        one.sync("status")
        with contextlib.suppress(subprocess.SubprocessError):
            one.run("sync", "now")
        one.stop(signal.SIGKILL)
        one.start()
    one.must("sync", "now")
    wanted = {f"item{number}: killed" for number in range(5)}
    eventually(lambda: wanted <= other.items(), lambda: f"of {wanted} there are {other.items()}")


def loses_its_folder(one, other, folder):
    """A folder that is away is named in the status, and what changed meanwhile arrives when it is back."""
    os.rename(folder, folder + ".away")
    done = one.run("sync", "now")
    one.write("put", "meanwhile", "kept")
    eventually(lambda: folder in (one.sync("status")["problem"] or ""), "the status says nothing")
    assert not os.path.exists(folder), done
    os.rename(folder + ".away", folder)
    one.must("sync", "now")
    assert one.sync("status")["problem"] is None
    eventually(lambda: other.run("sync", "now").returncode == 0 and "meanwhile: kept" in other.items())


def pauses(one, other):
    one.sync("pause")
    assert one.sync("status")["paused"]
    refused = one.run("sync", "now")
    assert refused.returncode == 1 and "security sync resume" in refused.stderr, refused
    one.sync("resume")
    one.must("sync", "now")


def waits_for_the_unlock(one, other):
    """A carrier that begins before the first unlock waits for it."""
    other.stop()
    other.end()
    one.write("put", "later", "after the unlock")
    other.start()
    eventually(other.daemons, "the carrier starts no daemon")
    other.must("unlock-keychain", "-p", PASSCODE)
    eventually(lambda: "later: after the unlock" in other.items(), "the change does not arrive")
    assert other.carrier.poll() is None


def removes(one, other):
    """A removed machine keeps what it had and hears nothing new."""
    one.sync("remove-device", "other")
    one.must("sync", "now")
    eventually(lambda: other.run("sync", "now") and other.sync("status")["standing"] == "removed")
    one.write("put", "secret", "of one alone")
    one.must("sync", "now")
    other.run("sync", "now")
    assert "mail: second" in other.items() and not any("secret" in item for item in other.items())
    other.must("sync", "leave")
    gone = other.run("sync", "status")
    assert gone.returncode == 1 and "no circle" in gone.stderr, gone
    assert "mail: second" in other.items()


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "other") as (place, (one, other)):
        folder = f"{place}/shared"
        os.mkdir(folder)
        if os.getuid() == 0:
            os.chown(folder, USER, USER)
        joins(one, other, folder)
        travels(one, other)
        is_killed(one, other)
        loses_its_folder(one, other, folder)
        pauses(one, other)
        waits_for_the_unlock(one, other)
        removes(one, other)
    print("sync: ok")


main()
