"""Two machines of an ordinary user's keep a keychain in common over a folder, carried by the real program.

usage: sync_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

from ordinary_parts import USER, as_user
from patience import eventually
from sync_parts import PASSCODE, both_ways, finished, machines, shown


def is_clean(folder):
    """Whether no message of a pairing is left."""
    return not os.path.isdir(f"{folder}/pair") or not os.listdir(f"{folder}/pair")


def carrier_of(command):
    """The carrier that a command has started."""

    def found():
        for path in pathlib.Path(f"/proc/{command.pid}/task").glob("*/children"):
            for child in path.read_text().split():
                if b"--pair" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                    return int(child)
        return None

    return eventually(found, "no carrier runs")


def loses_its_carrier(one, place):
    """A command whose carrier has ended, and cannot be started again, ends and says why."""
    program = f"{one.programs}/keychain-carrier"
    adding, _ = shown(one, place)
    os.rename(program, program + ".away")
    os.kill(carrier_of(adding), signal.SIGKILL)
    code, _, errors = finished(adding)
    os.rename(program + ".away", program)
    assert code != 0 and "does not come back" in errors, (code, errors)


def pairs(one, other, place):
    """Wrong digits and commands that are ended change nothing; right digits bring the second machine in."""
    folder = f"{place}/shared"
    one.write("put", "before", "the circle")
    os.chmod(folder, 0o555)
    failed = one.run("sync", "setup", "-n", "one", folder)
    assert failed.returncode == 1 and "begun already" in failed.stderr, failed
    os.chmod(folder, 0o755)
    one.sync("setup", "-n", "one", folder)
    joined = one.run("sync", "setup", folder)
    assert joined.returncode != 0, "a second circle"
    adding, digits = shown(one, place)
    pathlib.Path(f"{place}/notes/digits").write_text("0000 0001" if digits == "0000 0000" else "0000 0000")
    refused = other.run("sync", "join", folder, "-n", "other")
    assert refused.returncode == 51 and "one try" in refused.stderr, refused
    code, _, errors = finished(adding)
    assert code == 51 and "does not know the digits" in errors, (code, errors)
    assert len(one.sync("devices")) == 1 and "no circle" in other.run("sync", "status").stderr
    for what in (signal.SIGINT, signal.SIGKILL):
        adding, _ = shown(one, place)
        eventually(lambda: not is_clean(folder), "no share is carried")
        adding.send_signal(what)
        finished(adding)
        eventually(lambda: is_clean(folder), "the messages stay")
    loses_its_carrier(one, place)
    adding, _ = shown(one, place)
    # A carrier that is killed is started again, and both commands go on.
    os.kill(carrier_of(adding), signal.SIGKILL)
    joined = other.sync("join", folder, "-n", "other")
    assert joined["machine"]["name"] == "one" and joined["folder"] == folder, joined
    code, out, errors = finished(adding)
    assert code == 0, (code, out, errors)
    added = json.loads(out)
    assert added["machine"] == {"id": joined["me"], "name": "other"} and added["folder"] == folder, added
    eventually(lambda: is_clean(folder), "the messages stay")
    for machine in (one, other, one, other):
        machine.must("sync", "now")
    assert other.items() == {"before: the circle"}, other.items()
    assert other.sync("status")["standing"] == "in"
    prints = [{row["digits"] for row in machine.sync("fingerprint")} for machine in (one, other)]
    assert prints[0] == prints[1] and len(prints[0]) == 3, prints
    for machine in (one, other):
        assert {shown["name"] for shown in machine.sync("devices")} == {"one", "other"}


def joins_by_code(one, other, folder):
    """A machine that left comes back by its code."""
    code = other.sync("join", "-n", "again", folder, one.sync("status")["circle"])["code"]
    assert other.sync("status")["standing"] == "waits"
    bad = one.run("sync", "add-device", code[:-3] + "AAA")
    assert bad.returncode != 0 and "copied as a whole" in bad.stderr, bad
    added = one.sync("add-device", code)
    assert added["machine"] == {"id": other.sync("status")["me"], "name": "again"}, added
    for machine in (one, other, one, other):
        machine.must("sync", "now")
    assert "secret: of one alone" in other.items(), other.items()


def travels(one, other):
    """Carriers that run bring a change, another way too, and a deletion."""
    for machine in (one, other):
        machine.start()
    both_ways(one, other)
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


def password(one):
    return one.must("find-generic-password", "-w", "-s", "web", "-a", "ann").strip()


def conflicts(one, other):
    """Two machines change one password; the change that has lost is listed on both, restored, and arrives."""
    for machine in (one, other):
        machine.stop()
        machine.must("sync", "now")
    one.must("edit", "web/ann", "password=the earlier value")
    other.must("edit", "web/ann", "password=the later value")
    for machine in (one, other, one):
        machine.must("sync", "now")
    assert [password(one), password(other)] == ["the later value"] * 2
    for machine in (one, other):
        (lost,) = machine.sync("conflicts")
        assert machine.sync("status")["conflicts"] == 1, machine.sync("status")
        assert (lost["loser"]["name"], lost["winner"]["name"]) == ("one", "other"), lost
        assert lost["loser"]["written"] < lost["winner"]["written"] and lost["attributes"]["acct"] == "ann", lost
        assert "value" not in json.dumps(lost) and "value" not in machine.must("sync", "conflicts")
        # A reader that was written from the format's page finds the same in the store, which no daemon has open.
        machine.end()
        reader = [sys.executable, f"{os.path.dirname(__file__)}/read_store.py", f"{machine.home}/k", "--passcode"]
        found = json.loads(subprocess.run(reader, input=PASSCODE.encode(), capture_output=True, check=True).stdout)
        (kept,) = [version for version in found["history"] if "lost" in version]
        assert [kept["lost"][who] for who in ("loser", "winner")] == [lost[who]["id"] for who in ("loser", "winner")]
        assert bytes.fromhex(kept["value"]) == b"the earlier value" and found["damaged"] == [], found["damaged"]
        machine.must("unlock-keychain", "-p", PASSCODE)
    refused = one.run("sync", "conflicts", "--restore", "0")
    assert refused.returncode == 1 and "no lost version 0" in refused.stderr, refused
    (lost,) = one.sync("conflicts")
    assert one.sync("conflicts", "--restore", str(lost["id"])) == {"restored": "web (ann)", "id": lost["id"]}
    assert password(one) == "the earlier value" and one.sync("conflicts") == []
    for machine in (one, other):
        machine.must("sync", "now")
    assert password(other) == "the earlier value" and other.sync("conflicts") == []


def undeletes(one, other):
    """An item that one machine deletes comes back on the other, whose history says which machine has deleted it."""
    other.must("rm", "--yes", "web/ann")
    for machine in (other, one):
        machine.must("sync", "now")
    assert 'deleted on "other" genp' in one.must("history", "web/ann"), one.must("history", "web/ann")
    one.must("undelete", "web/ann")
    for machine in (one, other):
        machine.must("sync", "now")
    assert [password(one), password(other)] == ["the earlier value"] * 2
    for machine in (one, other):
        machine.start()


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
    # Its carrier may have ended, because `now` was at it before; a service manager would start it again.
    one.stop()
    one.start()
    one.write("put", "later", "after the unlock")
    other.start()
    eventually(other.daemons, "the carrier starts no daemon")
    other.must("unlock-keychain", "-p", PASSCODE)
    eventually(lambda: "later: after the unlock" in other.items(), "the change does not arrive")
    assert other.carrier.poll() is None


def removes(one, other):
    """A removed machine keeps what it had and hears nothing new."""
    removed = one.must("sync", "remove-device", "other")
    assert "take its access to the place away" in removed, removed
    one.must("sync", "now")
    eventually(lambda: other.run("sync", "now") and other.sync("status")["standing"] == "removed")
    one.write("put", "secret", "of one alone")
    one.must("sync", "now")
    other.run("sync", "now")
    assert "mail: second" in other.items() and not any("secret" in item for item in other.items())
    # A folder in the place of the unit's file cannot be taken away.
    unit = f"{other.home}/.config/systemd/user/keychain-carrier.service"
    os.makedirs(unit)
    left = other.run("sync", "leave")
    assert left.returncode == 0 and unit in left.stderr, left
    os.rmdir(unit)
    gone = other.run("sync", "status")
    assert gone.returncode == 1 and "no circle" in gone.stderr, gone
    assert "mail: second" in other.items()


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "other") as (place, (one, other)):
        folder = f"{place}/shared"
        os.mkdir(folder)
        if os.getuid() == 0:
            os.chown(folder, USER, USER)
        pairs(one, other, place)
        travels(one, other)
        conflicts(one, other)
        undeletes(one, other)
        is_killed(one, other)
        loses_its_folder(one, other, folder)
        pauses(one, other)
        waits_for_the_unlock(one, other)
        removes(one, other)
        joins_by_code(one, other, folder)
    print("sync: ok")


main()
