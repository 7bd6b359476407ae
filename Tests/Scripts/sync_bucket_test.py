"""Two machines of an ordinary user's keep a keychain in common in a bucket, which a stand-in for an object store has.

usage: sync_bucket_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import sys

from own_authority import Authority
from patience import eventually
from sync_parts import machines
from sync_places import KEYS, Store


def is_in_no_circle(machine):
    found = machine.run("sync", "status")
    return found.returncode == 1 and "no circle" in found.stderr


def is_tried(machine, store, careless, folder):
    """A store that cannot be verified, that does not know the keys, or ignores conditions changes nothing."""
    other = Authority(folder, "others")
    for url, keys, words in [
        (store.url(authorities=other.root), KEYS, "authorities=FILE"),
        (store.url("127.0.0.1"), KEYS, "certificate"),
        (store.url(), "AKEY\nwrong\n", "403"),
        (store.url(), "AKEY\n", "canceled"),
        (store.url(), "\n\n", "access key"),
        (store.url() + "&verify=no", KEYS, "authorities="),
        (store.url().replace("https:", "http:").replace("localhost", "example.org"), KEYS, "https://HOST/BUCKET"),
        (store.url().replace("//", "//AKEY:SKEY@"), KEYS, "neither the absolute path"),
        (careless.url(), KEYS, "ignores If-None-Match"),
    ]:
        done = machine.run("sync", "setup", url, text=keys)
        assert done.returncode != 0 and words in done.stderr.replace("User canceled", "canceled"), (url, done)
        assert is_in_no_circle(machine)


def joins(one, other, url):
    keys = pathlib.Path(f"{one.home}/keys")
    keys.write_text(KEYS)
    one.write("put", "before", "the circle")
    circle = one.sync("setup", "-n", "one", "-i", str(keys), url)["circle"]
    keys.unlink()
    code = other.sync("join", "-n", "other", url, circle, text=KEYS)["code"]
    one.sync("add-device", code)
    for machine in (one, other, one, other):
        machine.must("sync", "now")
    assert other.items() == {"before: the circle"} and other.sync("status")["standing"] == "in"
    for machine in (one, other):
        for path in pathlib.Path(machine.home).rglob("*"):
            assert not path.is_file() or b"SKEY" not in path.read_bytes(), path


def loses_its_store(one, other, store):
    """A store that is away is named in the status; what changed meanwhile arrives when it is back."""
    for machine in (one, other):
        machine.environment |= {"SSLKEYLOGFILE": f"{machine.home}/keys.log", "ALL_PROXY": "http://127.0.0.1:1"}
        machine.start()
    store.stop()
    one.write("put", "meanwhile", "kept")
    eventually(lambda: "connect" in (one.sync("status")["problem"] or ""), lambda: one.sync("status"))
    assert one.carrier.poll() is None and one.sync("status")["unsent"] == 1
    store.start()
    for machine in (one, other):
        machine.must("sync", "now")
        assert machine.sync("status")["problem"] is None
    assert "meanwhile: kept" in other.items()
    # Nobody writes down the keys of a connection.
    assert not any(pathlib.Path(f"{machine.home}/keys.log").exists() for machine in (one, other))


def removes(one, other):
    one.sync("remove-device", "other")
    for machine in (one, other):
        machine.must("sync", "now")
    assert other.sync("status")["standing"] == "removed"
    one.write("put", "secret", "of one alone")
    for machine in (one, other):
        machine.must("sync", "now")
    assert "meanwhile: kept" in other.items() and not any("secret" in item for item in other.items())
    other.must("sync", "leave")
    assert "keychain-carrier" not in other.must("dump-keychain", "-a")


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "other") as (folder, (one, other)):
        authority, stores = Authority(folder, "ours"), []
        try:
            stores += [Store(folder, "store", authority), Store(folder, "careless", authority, "ignores-conditions")]
            is_tried(one, *stores, folder)
            joins(one, other, stores[0].url())
            loses_its_store(one, other, stores[0])
            removes(one, other)
        finally:
            for store in stores:
                store.stop()
    print("sync bucket: ok")


main()
