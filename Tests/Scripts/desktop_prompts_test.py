"""Prompts for programs of an ordinary user's desktop: what they open and name, where they appear, when they end.

usage: desktop_prompts_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import contextlib
import functools
import itertools
import os
import pathlib
import subprocess
import sys

import dbus
import desktop_user
from desktop_parts import NAME, ROOT, SECRET, Client, bridges, kill_bridges, objects, other, refused
from desktop_user import restart
from parts import of_root, of_this_turn
from patience import eventually

PROGRAMS = os.path.abspath(sys.argv[1])
LOGIN = f"{ROOT}/collection/login"
UNLOCK = "\u60f3\u8981\u89e3\u9501\u60a8\u7684\u94a5\u5319\u4e32"
REASON = "\u89e3\u9501\u684c\u9762\u7a0b\u5e8f\u7684\u5bc6\u7801"
desktop = functools.partial(desktop_user.desktop, PROGRAMS)


def prompting(made, *paths):
    """Shows the prompt of an unlock."""
    done, prompt = made.service.Unlock(objects(*paths))
    assert prompt != "/", done
    shown = made.interface(prompt, "Prompt")
    shown.Prompt("")
    return shown


def has_ended(prompt):
    try:
        prompt.Prompt("")
        return False
    except dbus.DBusException:
        return True


def test_before_the_first_unlock():
    """A prompt unlocks the keychain, and the passcode is typed once."""
    with desktop() as (place, user):
        restart(place)
        user.will("types")
        assert place.tool("store", "--label=M", "app", "two", text=b"y") == (0, "", "")
        assert len(user.windows()) == 1
        assert "never unlocked" not in place.run("status").stdout
        assert place.tool("lookup", "app", "two")[:2] == (0, "y")
        assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")
        assert place.tool("search", "app", "demo")[0] == 0
        assert len(user.windows()) == 1
        # The way of browsers: the default collection is unlocked, then searched.
        restart(place)
        program = """
import secretstorage
collection = secretstorage.get_default_collection(secretstorage.dbus_init())
print(collection.is_locked(), collection.unlock(), collection.is_locked())
print([item.get_secret() for item in collection.search_items({"app": "demo"})])
"""
        assert place.python(program) == ["True False False", "[b'geheim']"]
        assert len(user.windows()) == 2


def test_a_refused_prompt():
    """It opens nothing."""
    with desktop() as (place, user):
        restart(place)
        user.will("refuses")
        assert place.tool("store", "--label=M", "app", "two", text=b"y")[0] == 1
        assert len(user.windows()) == 1
        assert "never unlocked" in place.run("status").stdout


def test_any_unlock_ends_a_lock_from_the_bus():
    """Also one of a keychain that is unlocked; nobody is asked."""
    with desktop() as (place, user):
        made = Client(place)
        for lock in (False, True):
            made.service.Lock(objects(LOGIN))
            assert made.get(LOGIN, "Collection", "Locked")
            if lock:
                assert place.run("lock-keychain").returncode == 0
                assert made.get(LOGIN, "Collection", "Locked")
            assert place.run("unlock-keychain", "-p", "1234").returncode == 0
            assert not made.get(LOGIN, "Collection", "Locked")
            assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")
        assert user.windows() == []


def test_a_question_ends_with_its_client():
    """The window goes when its client leaves the bus or dismisses the prompt, and the next one is asked at once."""
    with desktop() as (place, user):
        first, second = Client(place), Client(place)
        first.service.Lock(objects(LOGIN))
        user.will("waits")
        prompting(first, LOGIN)
        (window,) = eventually(user.open_windows)
        first.close()
        eventually(lambda: window not in user.open_windows(), "the window outlives its client")
        prompt = prompting(second, LOGIN)
        (window,) = eventually(user.open_windows)
        prompt.Dismiss()
        refused(lambda: prompt.Prompt(""), "UnknownMethod")
        eventually(lambda: window not in user.open_windows(), "the window outlives its prompt")
        user.will("types")
        assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")


def test_an_agreed_deletion():
    """It deletes the collection that the user was asked about; no later one, and none that has another label."""
    with desktop() as (place, user):
        user.will("types")
        made = Client(place)
        (_, session), label = made.session(), SECRET + "Collection.Label"
        kept = {label: dbus.String("Old", variant_level=1)}

        def collection(**attributes):
            path, _ = made.service.CreateCollection(dbus.Dictionary(kept, signature="sv"), "")
            return path, made.create(session, attributes, collection=path)

        def agrees(prompt):
            shown = made.interface(prompt, "Prompt")
            shown.Prompt("")
            eventually(lambda: has_ended(shown))

        path, item = collection(of="first")
        prompt = made.interface(path, "Collection").Delete()
        made.interface(item, "Item").Delete()
        assert made.interface(path, "Collection").Delete() == "/"
        gone, (path, _) = path, collection(of="second")
        assert path != gone, "a path is used again"
        agrees(prompt)
        assert len(made.search(of="second")[0]) == 1
        prompt = made.interface(path, "Collection").Delete()
        made.properties(path).Set(SECRET + "Collection", "Label", dbus.String("Bank", variant_level=1))
        agrees(prompt)
        assert len(made.search(of="second")[0]) == 1
        agrees(made.interface(path, "Collection").Delete())
        assert made.search(of="second") == ([], []), "a deletion that was agreed to did not happen"
        assert place.versions() == 0, "earlier versions stay of a collection that was deleted"


@contextlib.contextmanager
def traced(process, calls, deed):
    """A process, to whose system calls strace does something."""
    words = ["strace", "-f", "-qq", "-o", "/dev/null", "-p", str(process), "-e", f"trace={calls}"]
    tracer = subprocess.Popen([*words, "-e", f"inject={calls}:{deed}"], stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: "TracerPid:\t0\n" not in pathlib.Path(f"/proc/{process}/status").read_text())
        yield
    finally:
        # Asked to end, strace waits for the threads of a process that it has killed, sometimes for ever.
        tracer.kill()
        tracer.wait()


@contextlib.contextmanager
def killed_at(place, call, count):
    """The bridge, which is killed as it begins this system call for the so-many-th time; whether it was."""
    (bridge,) = bridges(place)
    with traced(bridge, call, f"signal=KILL:when={count}"):
        yield lambda: not os.path.exists(f"/proc/{bridge}/exe")


def test_a_kill_in_an_agreed_deletion():
    """Wherever the bridge is killed, the collection is there with all of its items, or it is gone with all of them."""
    with desktop() as (place, user):
        label, outcomes = SECRET + "Collection.Label", []
        for count in itertools.count(1):
            made = Client(place)
            _, session = made.session()
            kept = dbus.Dictionary({label: dbus.String(f"Old{count}", variant_level=1)}, signature="sv")
            path, _ = made.service.CreateCollection(kept, "")
            for number in range(3):
                made.create(session, {"of": f"{count}", "n": f"{number}"}, collection=path)
            shown = made.interface(made.interface(path, "Collection").Delete(), "Prompt")
            user.will("waits")
            shown.Prompt("")
            eventually(user.open_windows)
            owner = made.bus.get_name_owner(NAME)
            with killed_at(place, "sendto,sendmsg", count) as was_killed:
                user.will("types")
                # The bridge itself is not asked: it would count.
                eventually(lambda: was_killed() or f"Old{count}\t" not in place.run("list").stdout)  # noqa: B023
                killed = was_killed()
            if killed:
                # A client that comes before the bus has heard of it would speak to the one that was killed.
                eventually(lambda: not made.bus.name_has_owner(owner))  # noqa: B023
            made.close()
            looking = Client(place)
            if killed:
                eventually(lambda: len(bridges(place)) < 2)
            listed = path in looking.get(ROOT, "Service", "Collections")
            outcomes.append((killed, listed, len(looking.search(of=f"{count}")[0])))
            looking.close()
            if not killed:
                break
        assert all(found == 3 * listed for _, listed, found in outcomes), outcomes
        # There were kills before the deletion and in it, and one came too late.
        assert {(True, True, 3), (True, False, 0), (False, False, 0)} == set(outcomes), outcomes


@of_root
def test_a_disk_that_fails_in_an_agreed_deletion():
    """The collection is there with all of its items, or gone with all of them, and the next bridge deletes the rest."""
    with desktop() as (place, user):
        user.will("types")
        label, outcomes = SECRET + "Collection.Label", []
        # The deletion itself takes some thirty writes.
        for count in itertools.count(1, 14):
            made = Client(place)
            _, session = made.session()
            kept = dbus.Dictionary({label: dbus.String("Old", variant_level=1)}, signature="sv")
            path, _ = made.service.CreateCollection(kept, "")
            for number in range(3):
                made.create(session, {"of": f"{count}", "n": f"{number}"}, collection=path)
            shown = made.interface(made.interface(path, "Collection").Delete(), "Prompt")
            (daemon,) = place.stores_of_daemons()
            with traced(daemon, "pwrite64", f"error=ENOSPC:when={count}+"):
                shown.Prompt("")
                eventually(lambda: has_ended(shown))  # noqa: B023
                seen = path in made.get(ROOT, "Service", "Collections"), len(made.search(of=f"{count}")[0])
            left = place.run("list").stdout.count("label\t")
            # Other calls of this bridge do not wait for another failure.
            made.create(session, {"of": "others"}, replace=True, Label=dbus.String("other", variant_level=1))
            made.close()
            kill_bridges(place)
            made = Client(place)
            later = path in made.get(ROOT, "Service", "Collections"), len(made.search(of=f"{count}")[0])
            # A commit that the disk has refused may have been one.
            assert seen in (later, (True, 3)), (seen, later)
            outcomes.append((later, left - place.run("list").stdout.count("label\t")))
            if later[0]:
                for item in made.search(of=f"{count}")[0]:
                    made.interface(item, "Item").Delete()
            made.close()
            if outcomes[-1] == ((False, 0), 0):
                break
        assert {((True, 3), 0), ((False, 0), 3), ((False, 0), 0)} == set(outcomes), outcomes


def test_one_question_for_all():
    """Five clients wait for one window, and its answer serves them all."""
    with desktop() as (place, user):
        clients = [Client(place) for _ in range(5)]
        clients[0].service.Lock(objects(LOGIN))
        user.will("waits")
        prompts = [prompting(made, LOGIN) for made in clients]
        eventually(user.open_windows)
        user.will("types")
        for prompt in prompts:
            eventually(lambda: has_ended(prompt))  # noqa: B023
        assert len(user.windows()) == 1
        assert not clients[0].get(LOGIN, "Collection", "Locked")


def test_a_prompt_names_the_program_that_asks():
    """In the words of its user's language, on its user's display."""
    with desktop() as (place, user):
        tool = os.path.realpath("/usr/bin/secret-tool")
        user.will("types")
        texts = {"C.UTF-8": "wants to unlock your keychain", "zh_CN.UTF-8": UNLOCK}
        for number, (locale, text) in enumerate(texts.items()):
            restart(place)
            place.environment |= {"LC_ALL": locale, "DISPLAY": f":{80 + number}"}
            assert place.tool("store", "--label=M", "app", "two", text=b"y") == (0, "", "")
            assert tool in user.last_text() and text in user.last_text(), user.last_text()
            assert "keychain-secrets" not in user.last_text(), user.last_text()
            assert user.variable("DISPLAY") == f":{80 + number}"
        # An unlocked keychain asks for the user's presence alone, and says why.
        Client(place).service.Lock(objects(LOGIN))
        assert place.tool("lookup", "app", "demo")[:2] == (0, "geheim")
        assert tool in user.last_text() and REASON in user.last_text()


def test_a_label_does_not_change_the_question():
    """However long it is, and whatever marks it has, it stands in quotation marks, and all of the question is shown."""
    with desktop() as (place, user):
        user.will("waits")
        made = Client(place)
        (_, session), label = made.session(), SECRET + "Collection.Label"
        shown = {
            "A" * 3000: "AAA[...]AAA",
            "\u65e5\u672c" * 600: "[...]",
            "e\u0301" * 900: "[...]",
            "x\u201d. Nothing is deleted. Ignore \u201c": "'x . Nothing is deleted. Ignore'",
            "x' now. \u2018y\u2019 \u00aby\u00bb \uff02\"`": "'x now. y y'",
            "a\nb\u2028c\u0085d": "'a b c d'",
        }
        for text, part in shown.items():
            kept = dbus.Dictionary({label: dbus.String(text, variant_level=1)}, signature="sv")
            path, _ = made.service.CreateCollection(kept, "")
            made.create(session, {"a": "1"}, collection=path)
            prompt = made.interface(made.interface(path, "Collection").Delete(), "Prompt")
            prompt.Prompt("")
            (window,) = eventually(user.open_windows)
            eventually(lambda: "delete the collection '" in user.last_text())
            assert part in user.last_text() and "' and everything in it" in user.last_text(), user.last_text()
            assert user.last_text().split("'", 1)[1].count("'") == 1, user.last_text()
            prompt.Dismiss()
            eventually(lambda: window not in user.open_windows())  # noqa: B023
            pathlib.Path(f"{user.folder}/texts").write_text("\n")


EXEC = """
import os
(prompt,) = [client.service.Unlock(dbus.Array(["/org/freedesktop/secrets/collection/login"], signature="o"))[1]]
client.interface(prompt, "Prompt").Prompt("")
for number in map(int, os.listdir("/proc/self/fd")):
    if os.path.exists(f"/proc/self/fd/{number}") and os.readlink(f"/proc/self/fd/{number}").startswith("socket:"):
        os.set_inheritable(number, True)
os.execv("/bin/cat", ["cat"])
"""


def test_a_program_that_becomes_another_one():
    """A question names the program that has asked for it, whatever its process runs when the question's turn comes."""
    with desktop() as (place, user):
        user.will("waits")
        first = Client(place)
        path, _ = first.service.CreateCollection(
            dbus.Dictionary({SECRET + "Collection.Label": dbus.String("C", variant_level=1)}, signature="sv"), "")
        first.create(first.session()[1], {"a": "1"}, collection=path)
        first.service.Lock(objects(LOGIN))
        shown = first.interface(first.interface(path, "Collection").Delete(), "Prompt")
        shown.Prompt("")
        (window,) = eventually(user.open_windows)
        with other(place, EXEC) as second:
            eventually(lambda: os.path.realpath(f"/proc/{second.pid}/exe").endswith("/cat"))
            shown.Dismiss()
            eventually(lambda: [number for number in user.open_windows() if number != window])
            eventually(lambda: REASON in user.last_text() or "desktop programs" in user.last_text())
            assert os.path.realpath("/usr/bin/python3") in user.last_text(), user.last_text()
            second.stdin.close()


if __name__ == "__main__":
    named = [globals()[name] for name in sys.argv[2:]]
    for test in named or of_this_turn([test for name, test in list(globals().items()) if name.startswith("test_")]):
        test()
        print(f"ok {test.__name__}")
