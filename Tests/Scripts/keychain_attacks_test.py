"""Named keychains under attack: hostile names, lists and surroundings, and programs that race.

usage: keychain_attacks_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import os
import shutil
import subprocess
import threading

from keychain_parts import folder, login, run_parts, shown
from patience import PATIENCE


def damaged_list(home):
    """With a list that is none nothing is made, deleted or changed, and the way out is said."""
    home.says("create-keychain", "-p", "p", "kept.keychain")
    folder = f"{home.home}/k/keychains"
    with open(f"{folder}/list", "rb") as file:
        good = file.read()
    for content in (b"", b"\0\xff", good + b"search ../x\n", good[:-1], b"x" * (2 << 20)):
        with open(f"{folder}/list", "wb") as file:
            file.write(content)
        for words in (
            ["create-keychain", "-p", "p", "new.keychain"], ["delete-keychain", "kept.keychain"], ["list-keychains"]
        ):
            home.fails(53, *words, because="Cannot read the search list")
        assert sorted(os.listdir(folder)) == sorted(["kept.keychain-db", "list", "lock", *home.stores])
        assert len(home.stores) == 1
    os.remove(f"{folder}/list")
    home.says("list-keychains", out=shown(login(home)))
    home.says("delete-keychain", "kept.keychain")


def races(home):
    """Of programs that make and delete one name, each is told the truth, and nothing is left."""
    statuses = []

    def work():
        for _ in range(4):
            for words in (["create-keychain", "-p", "", "race.keychain"], ["delete-keychain", "race.keychain"]):
                statuses.append(home.run(*words).returncode)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {0, 48, 50}, statuses
    home.run("delete-keychain", "race.keychain")
    assert not home.stores
    home.says("list-keychains", out=shown(login(home)))


def bytes_as_names(home):
    """A name that is not UTF-8 is refused: repaired, two would be one, and one keychain deleted for another."""
    home.says("create-keychain", "-p", "", "\ufffdx.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "\ufffdx.keychain")
    for words in (
        ["create-keychain", "-p", ""], ["delete-keychain"], ["default-keychain", "-s"], ["list-keychains", "-s"],
        ["unlock-keychain", "-p", ""], ["find-generic-password", "-s", "s"],
    ):
        done = home.run(*words, b"\xffx.keychain")
        assert done.returncode == 2 and "is not UTF-8" in done.stderr, (words, done)
    home.says("find-generic-password", "-s", "s", "-w", "\ufffdx.keychain", out="x\n")
    # So it is with a folder whose name would be repaired to that of another one.
    for name in (b"\xff", "\ufffd".encode()):
        os.mkdir(os.fsencode(home.temporary) + b"/" + name)
    repaired = f"{home.temporary}/\ufffd"
    home.says("create-keychain", "-p", "", "./y.keychain", cwd=repaired)
    for command in ("create-keychain", "delete-keychain"):
        words = [command, "-p", "", "./y.keychain"]
        done = home.run(*words, cwd=os.fsencode(home.temporary) + b"/\xff")
        assert done.returncode != 0, done
    assert os.listdir(repaired) == ["y.keychain"]
    home.says("delete-keychain", "./y.keychain", cwd=repaired)
    home.says("delete-keychain", "\ufffdx.keychain")


def combining_marks(home):
    """A mark that combines with a slash or a blank makes no other path."""
    home.fails(53, "create-keychain", "-p", "", "none/\u0301x", because="Cannot write")
    os.mkdir(f"{home.temporary}/there")
    home.says("create-keychain", "-p", "", "there/\u0301x", cwd=home.temporary)
    assert os.listdir(f"{home.temporary}/there") == ["\u0301x"]
    home.says("delete-keychain", "there/\u0301x", cwd=home.temporary)


def same_name_twice(home):
    """Of creations of one name at once, one makes it."""
    command = [f"{home.programs}/security", "create-keychain", "-p", "p", "one.keychain"]
    running = [
        subprocess.Popen(command, env=home.environment, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        for _ in range(6)
    ]
    assert sorted(process.wait(PATIENCE) for process in running) == [0] + [48] * 5
    assert len(home.stores) == 1
    home.says("list-keychains", out=shown(login(home), f"{folder(home)}/one.keychain-db"))
    home.says("delete-keychain", "one.keychain")


def names(home):
    """A name that no file can have, or that would be taken for the login keychain's, makes nothing."""
    os.makedirs(f"{home.home}/Library/Keychains")
    for name, because in {
        "a\nb": "control character", "a\x1b[2Jb": "control character", "": "is empty",
        "x" * 253: "Choose a shorter name", "x/" * 2100 + "a": "Choose a shorter name",
        "..": "that of a folder", ".": "that of a folder", f"{home.temporary}/..": "that of a folder",
        "/": "that of a folder", "new/": "that of a folder", f"{home.temporary}/": "that of a folder",
    }.items():
        home.fails(206, "create-keychain", "-p", "p", name, because=because)
    for name in ("./login.keychain-db", "../Keychains/login.keychain", "login.keychain-db"):
        path = f"{home.home}/Library/Keychains/{name}"
        assert home.run("create-keychain", "-p", "p", path).returncode == 48, name
    assert not home.stores and not os.listdir(f"{home.home}/Library/Keychains")
    for name in ("ü\u202e", "-x", "a b", "$(id)", "x" * 252):
        home.says("create-keychain", "-p", "p", "--", name)
        result = home.run("list-keychains")
        assert "\u202e" not in result.stdout, result
        home.says("delete-keychain", "--", name)
    assert not home.stores


def long_list(home):
    """A search list of more names than are kept is refused, and stays as it was."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    before = home.run("list-keychains").stdout
    names = [shutil.copy(f"{folder(home)}/a.keychain-db", f"{home.temporary}/{number}") for number in range(257)]
    home.fails(206, "list-keychains", "-s", *names, because="more than 256")
    home.says("list-keychains", out=before)
    result = home.run("list-keychains", "-s", "a.keychain", *[f"/nowhere/{number}" for number in range(2000)])
    assert result.returncode == 50 and result.stderr.count("SecKeychainOpen") == 1
    home.says("list-keychains", out=before)
    home.says("list-keychains", "-s", *names[1:])
    home.fails(206, "create-keychain", "-p", "p", "b.keychain", because="more than 256")
    assert len(home.stores) == 1 and not os.path.exists(f"{folder(home)}/b.keychain-db")
    home.says("delete-keychain", "a.keychain")


def former_files(home):
    """Files of earlier releases that nobody reads any more go when the next keychain is made."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    for name in ("changes", "partitions"):
        with open(f"{folder(home)}/{name}", "w") as file:
            file.write("what an earlier release wrote\n")
    home.says("create-keychain", "-p", "p", "b.keychain")
    assert not {"changes", "partitions"} & set(os.listdir(folder(home)))
    home.says("delete-keychain", "a.keychain", "b.keychain")


def closed_streams(home):
    """Closed standard streams become neither sockets nor files of a keychain."""
    for number, streams in enumerate(((0,), (1,), (2,), (0, 1, 2))):
        for words in (["create-keychain", "-p", "p"], ["delete-keychain"]):
            process = subprocess.Popen(
                [f"{home.programs}/security", *words, f"{number}.keychain"], env=home.environment,
                preexec_fn=lambda: [os.close(stream) for stream in streams],
            )
            assert process.wait(PATIENCE) == 0, (streams, words)
    assert not home.stores


def hostile_environment(home):
    """Variables of a hostile environment lead to no other store, and long ones are no trouble."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    kept = dict(home.environment)
    for change in (
        {"HOME": "relative"}, {"HOME": ""}, {"HOME": "/nowhere"}, {"TMPDIR": "/nowhere", "XDG_RUNTIME_DIR": "x\ny"},
        {"LD_LIBRARY_PATH": "/nowhere", "LISTEN_FDS": "3", "LISTEN_PID": "1"}, {"CI": "x" * 100_000}, {"PATH": ""},
    ):
        home.environment = kept | change
        home.says("unlock-keychain", "-p", "p", "a.keychain")
        name = f"{home.temporary}/other.keychain"
        home.says("create-keychain", "-p", "q", name)
        home.says("delete-keychain", name)
    home.environment = kept
    assert len(home.stores) == 1
    home.says("delete-keychain", "a.keychain")


def long_home(home):
    """A home whose path is longer than a socket's may be."""
    path = f"{home.temporary}/{'x' * 200}"
    os.mkdir(path, 0o700)
    home.environment |= {"HOME": path, "KEYCHAIN_HOME": f"{path}/k"}
    home.says("create-keychain", "-p", "p", "a.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "a.keychain")
    home.says("find-generic-password", "-s", "s", "-w", "a.keychain", out="x\n")
    home.says("delete-keychain", "a.keychain")
    assert not [name for name in os.listdir(f"{path}/k/keychains") if len(name) == 36]


def deleted_under_readers(home):
    """Programs that read a keychain while it is deleted find its items or are told that it has gone."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "a.keychain")
    statuses, has_begun = [], threading.Semaphore(0)

    def read():
        while True:
            result = home.run("find-generic-password", "-s", "s", "-w", "a.keychain")
            statuses.append((result.returncode, result.stdout))
            has_begun.release()
            if result.returncode == 50:
                return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(6):
        has_begun.acquire()
    home.says("delete-keychain", "a.keychain")
    for reader in readers:
        reader.join()
    assert set(statuses) <= {(0, "x\n"), (50, ""), (53, "")}, set(statuses)
    assert not home.stores


run_parts(
    (
        damaged_list,
        races,
        bytes_as_names,
        combining_marks,
        same_name_twice,
        names,
        long_list,
        former_files,
        closed_streams,
        hostile_environment,
        long_home,
        deleted_under_readers,
    )
)
