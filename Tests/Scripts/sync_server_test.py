"""Two machines of an ordinary user's keep a keychain in common over a real PostgreSQL server, carried by the program.

usage: sync_server_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import signal
import subprocess
import sys

from own_authority import Authority
from patience import eventually
from sync_parts import both_ways, machines
from sync_places import administer, gets_a_password, serve

AWAY = "connection"
DISMISS = "keychain_sync.dismiss(bytea, bytea, bytea, bytea[], bytea[], bytea[])"
# Variables by which libpq would write nothing, call another address, trust a ticket, or read another file.
STEERING = {
    "PGOPTIONS": "-c default_transaction_read_only=on", "PGHOSTADDR": "127.0.0.3", "PGGSSENCMODE": "require",
    "PGSERVICE": "other", "PGSSLCRL": "/etc/passwd",
}


def is_in_no_circle(machine):
    found = machine.run("sync", "status")
    return found.returncode == 1 and "no circle" in found.stderr


def is_verified(machine, server, folder, authority, invitation):
    """A server that cannot be verified is refused before anything is changed, and so is a password in its URL."""
    other = Authority(folder, "others")
    good = server.url("alice", authority.root)
    for url, words in [
        (server.url("alice", other.root), "certificate verify failed: name the file of the server's authorities"),
        (good.split("?")[0], "sslrootcert=FILE"),
        (server.url("alice", authority.root, "127.0.0.1"), "does not match host name"),
        (f"{good}&sslmode=require", "verify-full"),
        (f"{good}&pass%77ord=x", "password"),
        (good.replace("alice@", "alice:secret@"), "neither the absolute path"),
        (good.replace("alice@", "nobody@"), "put it into ~/.pgpass"),
    ]:
        done = machine.run("sync", "setup", url, text=invitation)
        assert done.returncode == 1 and words in done.stderr, (url, done)
        assert is_in_no_circle(machine)
    assert "ssl=on" in server.tls or server.ask("SHOW ssl") == "on"


def bounds_an_answer(machine, folder):
    """A server that announces a row of two gigabytes gets no memory for it."""
    place = pathlib.Path(f"{folder}/hostile")
    place.mkdir(mode=0o755)
    script = pathlib.Path(__file__).with_name("postgres_server.py")
    words = [sys.executable, "-B", str(script), str(place), "message"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout.readline() == "listening\n"
        os.chmod(f"{place}/.s.PGSQL.5432", 0o777)
        done = machine.run("sync", "setup", f"postgresql://alice@/sync?host={place}", text="0" * 64)
        server.stdin.close()
    assert done.returncode == 1 and "memory" in done.stderr and is_in_no_circle(machine), done


def uses_an_invitation_once(one, other, url, invitation):
    """A wrong invitation and one that was used are refused before anything is changed."""
    for wrong in ("", "ab", "0" * 64, invitation[:-1] + ("0" if invitation[-1] != "0" else "1")):
        done = one.run("sync", "setup", url, text=wrong + "\n")
        assert done.returncode == 1 and "invitation" in done.stderr and is_in_no_circle(one), (wrong, done)
    # From a file, as an administrator hands it over.
    file = pathlib.Path(f"{one.home}/invitation")
    file.write_text(invitation + "\n")
    circle = one.sync("setup", "-n", "one", "-i", str(file), url)["circle"]
    file.unlink()
    done = other.run("sync", "setup", url, text=invitation)
    assert done.returncode == 1 and "the invitation was used" in done.stderr and is_in_no_circle(other), done
    return circle


def keeps_its_secrets(machine, server, invitation):
    """Neither invitation nor token is in a file of the home, or in what the server writes down."""
    for path in pathlib.Path(machine.home).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert invitation.encode() not in content and bytes.fromhex(invitation) not in content, path
    assert invitation not in pathlib.Path(server.log).read_text()
    assert server.ask("SELECT count(*) FROM keychain_sync.invitations") == "0"


def joins(one, other, url, circle, server):
    """A machine is added while the server is away: the command says what is left, and is repeated."""
    one.write("put", "before", "the circle")
    code = other.sync("join", "-n", "other", url, circle)["code"]
    waits = other.run("sync", "now")
    assert waits.returncode == 1 and "not added yet" in other.sync("status")["problem"], waits
    one.must("sync", "now")
    server.stop()
    done = one.run("sync", "add-device", code)
    assert done.returncode == 1 and "does not know it yet" in done.stderr, done
    server.start()
    one.sync("add-device", code)
    for machine in (one, other, one, other):
        machine.must("sync", "now")
    assert other.items() == {"before: the circle"} and other.sync("status")["standing"] == "in"
    assert server.ask("SELECT count(*) FROM keychain_sync.devices WHERE removed IS NULL") == "2"


def travels(one, other):
    """Carriers that run are told of a change by the server. No variable of their environment steers them."""
    for machine in (one, other):
        machine.environment |= STEERING
        machine.start()
    both_ways(one, other)


def loses_its_server(one, other, server):
    """A server that is away is named in the status, for people and programs; what waits arrives when it is back."""
    server.stop()
    one.write("put", "meanwhile", "kept")
    eventually(lambda: AWAY in (one.sync("status")["problem"] or ""), "the status says nothing")
    assert AWAY in one.must("sync", "status") and one.sync("status")["unsent"] == 1
    assert one.carrier.poll() is None
    server.start()
    for machine in (one, other):
        machine.must("sync", "now")
        assert machine.sync("status")["problem"] is None
    eventually(lambda: "meanwhile: kept" in other.items(), "the item does not arrive")


def runs_out_of_room(one, other, server):
    """A circle whose room is used up takes nothing, its machines say so, and with more room the change is sent."""
    server.ask("UPDATE keychain_sync.circles SET quota = bytes")
    one.write("put", "later", "waits for room")
    eventually(lambda: "no more room" in (one.sync("status")["problem"] or ""), "the status says nothing")
    assert one.sync("status")["unsent"] == 1
    server.ask("UPDATE keychain_sync.circles SET quota = 67108864")
    one.must("sync", "now")
    eventually(lambda: "later: waits for room" in other.items(), "the item does not arrive")
    status = one.sync("status")
    assert status["unsent"] == 0 and status["problem"] is None, status


def loses_its_token(one, other, server):
    """A token that the administrator has withdrawn is told; another machine goes on."""
    device = other.sync("status")["me"]
    change = "UPDATE keychain_sync.devices SET removed = {} WHERE device = '\\x" + device + "'"
    server.ask(change.format("now()"))
    refused = other.run("sync", "now")
    assert refused.returncode == 1 and "does not let this machine in" in refused.stderr, refused
    assert "does not let this machine in" in other.sync("status")["problem"]
    one.must("sync", "now")
    other.environment["LC_ALL"] = "zh_CN.UTF-8"
    assert "服务器不让本机进入" in other.must("sync", "status")
    del other.environment["LC_ALL"]
    server.ask(change.format("NULL"))
    other.must("sync", "now")


def is_killed_before_it_dismisses(one, server):
    """A carrier that is killed when the batch of a removal is there, and its tokens still are, leaves those to the next
    one."""
    tokens = "SELECT count(*) FROM keychain_sync.devices WHERE removed IS NULL"
    server.ask(f"REVOKE EXECUTE ON FUNCTION {DISMISS} FROM keychain_sync_tenant")
    one.sync("remove-device", "other")

    def has_sent_alone():
        status = one.sync("status")
        return status["unsent"] == 0 and "permission denied" in (status["problem"] or "")

    eventually(has_sent_alone, "the removal is not sent, or tokens are ended")
    one.stop(signal.SIGKILL)
    assert server.ask(tokens) == "3"
    server.ask(f"GRANT EXECUTE ON FUNCTION {DISMISS} TO keychain_sync_tenant")
    one.start()
    eventually(lambda: server.ask(tokens) == "1", "tokens are still good")


def removes(one, other, server):
    """A removed machine's token goes with the next look of any other, with one that it has registered; it hears nothing
    new."""
    shown = other.sync("status")
    # As the machine itself could have registered it.
    server.ask(
        "INSERT INTO keychain_sync.devices (circle, device, token_hash, registrars) "
        f"VALUES ('\\x{shown['circle']}', '\\x{'0b' * 16}', sha256('token'), ARRAY['\\x{shown['me']}'::bytea])")
    is_killed_before_it_dismisses(one, server)
    mine = "SELECT encode(device, 'hex') FROM keychain_sync.devices WHERE removed IS NULL"
    assert server.ask(mine) == one.sync("status")["me"]
    one.write("put", "secret", "of one alone")
    one.must("sync", "now")
    refused = other.run("sync", "now")
    assert refused.returncode == 1 and "was removed" in other.sync("status")["problem"], refused
    assert "mail: second" in other.items() and not any("secret" in item for item in other.items())
    other.must("sync", "leave")
    assert "mail: second" in other.items() and is_in_no_circle(other)
    # What it showed to the server is gone with the circle.
    assert "keychain-carrier" not in other.must("dump-keychain", "-a")
    assert "keychain-carrier" in one.must("dump-keychain", "-a")


def main():
    programs = os.path.abspath(sys.argv[1])
    with machines(programs, "one", "other") as (folder, (one, other)):
        server, authority = serve(programs, folder)
        try:
            for machine in (one, other):
                gets_a_password(machine, server)
            invitation = administer(programs, server, "--invite", "alice")
            is_verified(one, server, folder, authority, invitation)
            bounds_an_answer(one, folder)
            url = server.url("alice", authority.root)
            circle = uses_an_invitation_once(one, other, url, invitation)
            keeps_its_secrets(one, server, invitation)
            joins(one, other, url, circle, server)
            travels(one, other)
            loses_its_server(one, other, server)
            runs_out_of_room(one, other, server)
            loses_its_token(one, other, server)
            removes(one, other, server)
        finally:
            server.end()
    print("sync server: ok")


main()
