"""Items that programs of the desktop have stored are found, or the answer is an error and never "nothing".

usage: secret_data_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import functools
import os
import pathlib
import shutil
import sqlite3
import sys
import threading

import dbus
import desktop_parts
from desktop_parts import NAME, ROOT, SECRET, Client, bridges, kill, kill_bridges, objects, refused
from patience import eventually

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
SESSION = f"{ROOT}/collection/session"
desktop = functools.partial(desktop_parts.desktop, PROGRAMS)


def restarted(place):
    """A client after the daemon and the bridge have ended, as after a restart of the machine."""
    kill(list(place.stores_of_daemons()))
    kill_bridges(place)
    return Client(place)


def made(client, label, alias=""):
    properties = {SECRET + "Collection.Label": dbus.String(label, variant_level=1)}
    return client.service.CreateCollection(properties, alias)[0]


def found(client, **attributes):
    """The open and the closed items that a search finds."""
    return [[str(path) for path in part] for part in client.search(**attributes)]


def test_before_the_first_unlock():
    """A search names the items that it matches, as locked; what is closed is not shown; nothing is hidden."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"app": "demo", "user": "anna"}, b"geheim")
        work = made(client, "Work", "work")
        other = client.create(session, {"app": "demo", "user": "bert"}, collection=work)
        assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
        client = restarted(place)
        assert found(client, app="demo", user="anna") == [[], [path]]
        assert sorted(found(client, app="demo")[1]) == sorted([path, other])
        assert sorted(found(client)[1]) == sorted([path, other])
        assert found(client, app="nope") == found(client, app="demo", user="carla") == [[], []]
        assert list(client.get(LOGIN, "Collection", "Items")) == [path]
        assert list(client.interface(work, "Collection").SearchItems({"user": "bert"})) == [other]
        assert client.service.ReadAlias("work") == work and client.get(work, "Collection", "Locked")
        shown = client.properties(path).GetAll(SECRET + "Item")
        assert shown["Locked"] and shown["Label"] == "" and dict(shown["Attributes"]) == {"app": "demo", "user": "anna"}
        refused(lambda: client.get(path[:-4] + "0000", "Item", "Locked"), "UnknownMethod")
        _, session = client.session()
        assert client.service.GetSecrets(objects(path), session) == {}
        refused(lambda: client.interface(path, "Item").GetSecret(session), "Secret.Error.IsLocked")
        refused(lambda: client.create(session, {"app": "demo"}, replace=True), "Secret.Error.IsLocked")
        refused(lambda: client.interface(path, "Item").Delete(), "Secret.Error.IsLocked")
        assert place.run("unlock-keychain", "-p", "1234").returncode == 0
        assert found(client, user="anna") == [[path], []]
        assert client.get(path, "Item", "Label") == "label"
        assert bytes(client.interface(path, "Item").GetSecret(session)[2]) == b"geheim"


@contextlib.contextmanager
def damaged(place, change):
    """The store with a row that is not as it was written, while nobody has it open."""
    kill(list(place.stores_of_daemons()))
    with contextlib.closing(sqlite3.connect(f"{place.home}/k/keychain.db", isolation_level=None)) as store:
        rows = store.execute("SELECT * FROM genp WHERE id = (SELECT max(id) FROM genp)")
        names = [name for name, *_ in rows.description]
        (row,) = rows
        store.execute(f"UPDATE genp SET {change} WHERE id = {row[0]}")
    yield
    kill(list(place.stores_of_daemons()))
    with contextlib.closing(sqlite3.connect(f"{place.home}/k/keychain.db", isolation_level=None)) as store:
        assignments = ", ".join(f"{name} = ?" for name in names)
        store.execute(f"UPDATE genp SET {assignments} WHERE id = {row[0]}", row)


def test_a_damaged_item_is_an_error_and_never_nothing():
    """Whichever column of an item is damaged: every way to it ends in an error, and others are found as before."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        whole = client.create(session, {"n": "2"})
        path = client.create(session, {"n": "1"}, b"geheim")
        for change in columns(place):
            with damaged(place, change):
                for way in (
                    lambda: client.search(n="1"),
                    lambda: client.search(),
                    lambda: client.interface(LOGIN, "Collection").SearchItems({"n": "1"}),
                    lambda: client.service.GetSecrets(objects(path), session),
                    lambda: client.interface(path, "Item").GetSecret(session),
                    lambda: client.get(path, "Item", "Label"),
                    lambda: client.get(LOGIN, "Collection", "Items"),
                    lambda: client.create(session, {"n": "1"}, b"new", replace=True),
                ):
                    message = refused(way, "DBus.Error.Failed")
                    assert "verify-keychain" in message, (change, message)
                assert found(client, n="2") == [[whole], []], change
                assert client.get(LOGIN, "Collection", "Label") == "Login"
        assert found(client, n="1") == [[path], []]


def columns(place):
    """A change of each column of an item but its number."""
    kill(list(place.stores_of_daemons()))
    with contextlib.closing(sqlite3.connect(f"{place.home}/k/keychain.db")) as store:
        names = [(name, kind) for _, name, kind, *_ in store.execute("PRAGMA table_info(genp)") if name != "id"]
    flips = {"pdmn": "8 - pdmn", "sync": "1 - sync", "tomb": "1 - tomb"}
    for name, kind in names:
        if kind == "INTEGER":
            yield f"{name} = {flips[name]}"
        else:
            yield f"{name} = CAST(substr({name}, 1, length({name}) - 1) || x'00ff' AS BLOB)"
    assert {"pk", "uuid", "meta", "data", "code", "agrp", "svce"} <= {name for name, _ in names}


def moved(place, folder):
    """The programs in another folder, from which the bus starts them."""
    kill(list(place.stores_of_daemons()))
    kill_bridges(place)
    os.mkdir(folder)
    for name in ("keychaind", "keychain-enclaved", "keychain-agent", "keychain-secrets"):
        shutil.copy(f"{PROGRAMS}/{name}", folder)
    starting(place, f"{folder}/keychain-secrets")


def starting(place, program):
    """Has the bus start another program."""
    file = pathlib.Path(f"{place.home}/.local/share/dbus-1/services/org.freedesktop.secrets.service")
    lines = [f"Exec={program}" if line.startswith("Exec=") else line for line in file.read_text().split("\n")]
    file.write_text("\n".join(lines))
    bus = place.connect()
    dbus.Interface(bus.get_object("org.freedesktop.DBus", "/"), "org.freedesktop.DBus").ReloadConfig()


def test_the_bridge_is_one_owner_wherever_it_is():
    """Programs in another folder find what those before them have stored."""
    with desktop() as place:
        place.store("L", "app", "demo")
        moved(place, f"{place.folder}/elsewhere")
        assert place.tool("lookup", "app", "demo") == (0, "geheim", "")
        (running,) = bridges(place)
        assert os.readlink(f"/proc/{running}/exe") == f"{place.folder}/elsewhere/keychain-secrets"
        # A program of another name is not the bridge, and not told that there is nothing.
        shutil.copy(f"{PROGRAMS}/keychain-secrets", f"{place.folder}/elsewhere/another")
        kill_bridges(place)
        starting(place, f"{place.folder}/elsewhere/another")
        status, out, err = place.tool("lookup", "app", "demo")
        assert status == 1 and out == "" and "secret-service" in err, (status, out, err)


def test_what_was_stored_under_paths_is_gathered():
    """Items of a bridge's path, as earlier releases stored them, come along; until they can, nothing is "not there"."""
    with desktop() as place:
        place.store("L", "app", "demo")
        old = "program:/usr/local/libexec/keychain-secrets"
        assert place.run("move-items", "--from", "secret-service", "--to", old).returncode == 0
        kill_bridges(place)
        assert place.tool("lookup", "app", "demo") == (0, "geheim", "")
        assert place.run("move-items", "--from", "secret-service", "--to", old).returncode == 0
        assert place.run("set-keychain-password", "-o", "", "-p", "1234").returncode == 0
        client = restarted(place)
        refused(lambda: client.search(app="demo"), "Secret.Error.IsLocked")
        assert place.run("unlock-keychain", "-p", "1234").returncode == 0
        assert len(found(client, app="demo")[0]) == 1


def test_aliases_tell_the_truth():
    """An alias names what it was given to, or the call is refused; too many are refused and take no others along."""
    with desktop() as place:
        client = Client(place)
        service = client.service
        service.SetAlias("work", dbus.ObjectPath(LOGIN))
        assert service.ReadAlias("work") == service.ReadAlias("default") == LOGIN
        service.SetAlias("default", dbus.ObjectPath(SESSION))
        assert service.ReadAlias("default") == SESSION and service.ReadAlias("session") == SESSION
        # Taken away, it is that of `login` again, from which nobody takes it.
        service.SetAlias("default", dbus.ObjectPath("/"))
        assert service.ReadAlias("default") == LOGIN
        refused(lambda: service.SetAlias("default", dbus.ObjectPath("/")), "NotSupported")
        service.SetAlias("default", dbus.ObjectPath(SESSION))
        service.SetAlias("default", dbus.ObjectPath(LOGIN))
        assert service.ReadAlias("default") == LOGIN
        refused(lambda: service.SetAlias("default", dbus.ObjectPath("/")), "NotSupported")
        for alias, path in (("login", SESSION), ("session", LOGIN)):
            refused(lambda: service.SetAlias(alias, dbus.ObjectPath(path)), "NotSupported")  # noqa: B023
        refused(lambda: service.SetAlias("a", dbus.ObjectPath(f"{ROOT}/collection/none")), "NoSuchObject")
        service.SetAlias("work", dbus.ObjectPath("/"))
        assert service.ReadAlias("work") == "/"
        path = made(client, "Second", "second")
        # A path with an alias is one of the collection and of its items.
        service.SetAlias("other", dbus.ObjectPath(f"{ROOT}/aliases/second"))
        assert service.ReadAlias("other") == path
        service.SetAlias("other", dbus.ObjectPath("/"))
        assert service.ReadAlias("other") == "/" and service.ReadAlias("second") == path
        _, session = client.session()
        item = client.create(session, {"a": "1"}, collection=path).replace(path, f"{ROOT}/aliases/second")
        assert list(service.GetSecrets(objects(item), session)) == [item]
        for number in range(63):
            service.SetAlias(f"a{number}", dbus.ObjectPath(path))
        refused(lambda: service.SetAlias("more", dbus.ObjectPath(path)), "LimitsExceeded")
        assert service.ReadAlias("second") == service.ReadAlias("a62") == path
        refused(lambda: made(client, "Third", "x" * 2000), "LimitsExceeded")
        message = refused(lambda: client.get(f"{ROOT}/aliases/none", "Collection", "Label"), "UnknownMethod")
        assert f"{ROOT}/aliases/none" in message
        # They are kept.
        client = restarted(place)
        assert client.service.ReadAlias("a62") == path


def test_names_are_compared_byte_by_byte():
    """Two attributes that Unicode calls equivalent are two, and each finds the item."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        both = {"\u00e9": "1", "e\u0301": "2"}
        path = client.create(session, both)
        for name, value in both.items():
            assert found(client, **{name: value}) == [[path], []]
        assert found(client, **{"\u00e9": "2"}) == [[], []]
        assert dict(client.get(path, "Item", "Attributes")) == both
        client.service.SetAlias("\u00e9", dbus.ObjectPath(LOGIN))
        assert client.service.ReadAlias("e\u0301") == "/"


def test_the_item_that_is_asked_for_comes_first():
    """An item with exactly the attributes comes before a newer one with more."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        exact = client.create(session, {"server": "s", "user": "anna"})
        newer = client.create(session, {"server": "s", "user": "anna", "port": "81"})
        newest = client.create(session, {"server": "s", "user": "bert"})
        assert found(client, server="s", user="anna") == [[exact, newer], []]
        assert found(client, server="s")[0][0] == newest


def test_the_usual_schema_is_none():
    """An item without a schema and one with the usual are the same item, in the keychain and in memory."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        usual = {"a": "1", "xdg:schema": "org.freedesktop.Secret.Generic"}
        for collection in (LOGIN, SESSION):
            path = client.create(session, {"a": "1"}, collection=collection)
            for attributes in (usual, {"a": "1"}):
                assert client.create(session, attributes, b"new", collection, replace=True) == path
            other = {"a": "1", "xdg:schema": "org.example.Other"}
            assert client.create(session, other, b"new", collection, replace=True) != path


def test_the_session_has_the_same_limits():
    """The session's collection takes no larger value and no longer label than the others."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        label = dbus.String("l" * 70_000, variant_level=1)
        for collection in (LOGIN, SESSION):
            for value, more in ((b"v" * ((1 << 20) + 1), {}), (b"v", {"Label": label})):
                refused(lambda: client.create(session, {}, value, collection, **more), "LimitsExceeded")  # noqa: B023


def test_login_has_dates_and_every_node_its_children():
    """Viewers show when the collection was made, and find all objects from the root on."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"a": "1"})
        assert client.get(LOGIN, "Collection", "Created") > 0 and client.get(LOGIN, "Collection", "Modified") > 0
        seen, paths = set(), ["/"]
        while paths:
            node = paths.pop()
            seen.add(node)
            shown = client.bus.get_object(desktop_parts.NAME, node, introspect=False)
            text = dbus.Interface(shown, "org.freedesktop.DBus.Introspectable").Introspect()
            names = [part.split('"')[0] for part in text.split('<node name="')[1:]]
            paths += [f"{node.rstrip('/')}/{name}" for name in names]
        assert {LOGIN, SESSION, path, session, f"{ROOT}/aliases/default"} <= seen, seen


def test_two_bridges_replace_one_item():
    """Programs on two buses of one user store the same item at once: there is one, with the value of either."""
    with desktop() as place:
        other = second_bus(place)
        try:
            clients = [Client(place), Client(other)]
            sessions = [client.session()[1] for client in clients]
            for number in range(10):
                store = functools.partial(Client.create, attributes={"n": str(number)}, replace=True)
                threads = [
                    threading.Thread(target=store, args=(client, session))
                    for client, session in zip(clients, sessions, strict=True)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert len(found(clients[0], n=str(number))[0]) == 1, number
            # The account of attributes that an item no longer has is free: the other item stays.
            (path,), _ = clients[0].search(n="1")
            attributes = dbus.Dictionary({"m": "1"}, signature="ss", variant_level=1)
            clients[0].properties(path).Set(SECRET + "Item", "Attributes", attributes)
            assert clients[0].create(sessions[0], {"n": "1"}, replace=True) != path
            assert found(clients[0], m="1") == [[path], []]
        finally:
            other.bus.terminate()
            other.bus.wait()


def test_no_collection_has_the_name_of_an_older_one():
    """A bridge that deletes everything of a name meets nothing that another bridge has stored in a new collection."""
    with desktop() as place:
        other = second_bus(place)
        try:
            first, second = Client(place), Client(other)
            _, session = second.session()
            old = made(first, "Round")
            assert first.interface(old, "Collection").Delete() == "/"
            new = [made(client, "Round") for client in (second, first, second)]
            assert len({old, *new}) == 4, (old, new)
            assert all(path.startswith(f"{ROOT}/collection/Round_") for path in new), new
            item = second.create(session, {"of": "new"}, collection=new[0])
            assert first.interface(new[1], "Collection").Delete() == "/"
            assert found(second, of="new") == [[item], []]
        finally:
            other.end_bus()


def second_bus(place):
    """Another bus of the same home."""
    other = object.__new__(desktop_parts.Desktop)
    other.__dict__ |= place.__dict__
    other.folder = f"{place.folder}/second"
    os.mkdir(other.folder)
    other.address = f"unix:path={other.folder}/bus"
    other.environment = place.environment | {"DBUS_SESSION_BUS_ADDRESS": other.address}
    other.start_bus()
    return other


def requests(place, call):
    """How many requests about items the bridge makes for a call."""

    def made():
        lines = place.run("decisions").stdout.split("\n")
        return sum("keychain-secrets" in line for line in lines)

    before = made()
    call()
    return made() - before


PAGE = 128


def check_costs(place, client, session, path, items):
    """With so many items, calls make no more requests to the keychain than these."""
    interface = client.interface(LOGIN, "Collection")
    pages = items // PAGE + 1
    calls = {
        "Label": (lambda: client.get(LOGIN, "Collection", "Label"), 1),
        "Locked": (lambda: client.get(LOGIN, "Collection", "Locked"), 0),
        "Created": (lambda: client.get(LOGIN, "Collection", "Created"), 1),
        "Items": (lambda: client.get(LOGIN, "Collection", "Items"), 1 + pages),
        "GetAll": (lambda: client.properties(LOGIN).GetAll(SECRET + "Collection"), 1 + pages),
        "SearchItems": (lambda: client.search(n="first"), 1),
        "SearchItems of a collection": (lambda: interface.SearchItems({"n": "first"}), 2),
        "SearchItems for all": (lambda: client.search(), 1 + pages),
        "GetSecret": (lambda: client.interface(path, "Item").GetSecret(session), 1),
        "GetSecrets": (lambda: client.service.GetSecrets(objects(path, path, path), session), 3),
        "Lock": (lambda: client.service.Lock(objects(LOGIN)), 2),
        "Unlock": (lambda: client.service.Unlock(objects(LOGIN)), 2),
        "CreateItem": (lambda: client.create(session, {"more": "1"}), 4),
        "CreateItem in place of another": (lambda: client.create(session, {"more": "1"}, replace=True), 4),
    }
    for name, (call, most) in calls.items():
        asked = requests(place, call)
        assert asked <= most, f"{name}: {asked} requests with {items} items, not {most}"


def test_a_property_costs_the_same_with_many_items():
    """The requests to the keychain for a call do not grow with the collection; those for values are one for each."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"n": "first"})
        check_costs(place, client, session, path, 1)
        for number in range(PAGE + 20):
            client.create(session, {"n": str(number)})
        check_costs(place, client, session, path, PAGE + 25)


def own_memory(place):
    """The bridge's memory that no file has, in KiB."""
    (bridge,) = bridges(place)
    lines = pathlib.Path(f"/proc/{bridge}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


def has_looked_at_all(client):
    """Whether a search has looked at the pairs of all items, which may take several calls after many were added."""
    try:
        return client.search(n="first")[0]
    except dbus.DBusException as error:
        assert "by its deadline" in error.get_dbus_message(), error
        return False


def ten_thousand_items():
    """With ten thousand items no call costs more, one that locks or adds asks for none of them, and none is kept."""
    with desktop() as place:
        client = Client(place)
        _, session = client.session()
        path = client.create(session, {"n": "first"})
        before = own_memory(place)
        for number in range(10_000):
            client.create(session, {"n": str(number)})
        assert own_memory(place) - before < 2 << 10, "the bridge keeps the items that are added"
        eventually(lambda: has_looked_at_all(client))
        check_costs(place, client, session, path, 10_005)
        # A list takes its paths, as long as it is under way.
        assert own_memory(place) - before < 16 << 10, "the bridge keeps the items that are listed"
        assert len(client.get(LOGIN, "Collection", "Items")) == len(client.search()[0]) >= 10_000
        assert requests(place, lambda: client.service.Lock(objects(LOGIN))) <= 1
        assert requests(place, lambda: client.service.Unlock(objects(LOGIN))) <= 1
        assert requests(place, lambda: client.create(session, {"more": "1"})) <= 2


if __name__ == "__main__":
    desktop_parts.play(globals())
