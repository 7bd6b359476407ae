"""Named keychains under attack: hostile names and files, programs that race or are killed, folders that go.

usage: keychain_attacks_test.py FOLDER-OF-PROGRAMS
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from keychain_parts import Home, eventually


def login(home):
    return f"{home.home}/Library/Keychains/login.keychain-db"


def shown(*paths):
    return "".join(f'    "{path}"\n' for path in paths)


def folder(home):
    return f"{home.home}/k/keychains"


def store_of(home, name):
    """The folder of the store that a name file names."""
    with open(f"{folder(home)}/{name}-db") as file:
        return f"{folder(home)}/{file.read().split()[2]}"


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


def unfinished(home):
    """A creation that was killed leaves no store once the next one begins; a keychain with a name stays."""
    home.says("create-keychain", "-p", "p", "kept.keychain")
    [kept] = home.stores
    for delay in (0.01, 0.02, 0.04, 0.06, 0.08):
        command = [f"{home.programs}/security", "create-keychain", "-p", "p", "killed.keychain"]
        with subprocess.Popen(command, env=home.environment, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.kill()
        home.run("delete-keychain", "killed.keychain")

    def is_swept():
        home.says("create-keychain", "-p", "", "next.keychain")
        home.says("delete-keychain", "next.keychain")
        return home.run("list-keychains", "--orphans").stdout == ""

    eventually(is_swept)
    assert home.stores == [kept], home.stores
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


def combining_marks(home):
    """A mark that combines with a slash or a blank makes no other path, and no second note."""
    home.fails(53, "create-keychain", "-p", "", "none/\u0301x", because="Cannot write")
    os.mkdir(f"{home.temporary}/there")
    home.says("create-keychain", "-p", "", "there/\u0301x", cwd=home.temporary)
    assert os.listdir(f"{home.temporary}/there") == ["\u0301x"]
    home.says("delete-keychain", "there/\u0301x", cwd=home.temporary)
    home.says("create-keychain", "-p", "p", "p.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "p.keychain")
    verb = ["set-generic-password-partition-list", "-s", "s", "-k", "p"]
    for identifiers in ("\u0301x", "\u0302y", "last\n\u0301:"):
        assert home.run(*verb, "-S", identifiers, "p.keychain").returncode == 0
    with open(f"{home.home}/k/keychains/partitions") as file:
        assert len(file.read().splitlines()) == 2
    assert "(without effect): last\u0301:" in home.run("dump-keychain", "-a", "p.keychain").stdout
    home.says("delete-keychain", "p.keychain")


def leftovers(home):
    """All files of a home but those of the stores there are."""
    names = [f"{place}/{name}" for place, _, files in os.walk(home.home) for name in files]
    kept = ("/lock", "/list", "/changes")
    return sorted(
        name for name in names if not name.endswith(kept) and not any(f"/{store}/" in name for store in home.stores)
    )


def in_wrapper(home, body):
    """Has the daemon started by a script that does something to the folder of its store before."""
    path = f"{home.temporary}/daemon"
    with open(path, "w") as file:
        file.write(
            '#!/bin/sh\nfor word; do [ "$last" = --store ] && store=$word; last=$word; done\n'
            f'{body}\nexec {home.programs}/keychaind "$@"\n'
        )
    os.chmod(path, 0o700)
    home.environment["KEYCHAIN_DAEMON"] = path


def folder_goes_before_the_daemon(home):
    """A store whose folder was removed, moved, replaced, linked or opened meanwhile is not made, and that is said."""
    changes = {
        'rm -rf "$store"': "was deleted or moved away",
        'mv "$store" "$store.x"': "was deleted or moved away",
        'rm -rf "$store"; mkdir -m 700 "$store"; : >"$store/new"': "was moved or replaced while",
        'mv "$store" "$store.y"; ln -s "$store.y" "$store"': "Not a directory",
        'chmod 755 "$store"': "others may enter it",
    }
    for change, reason in changes.items():
        in_wrapper(home, change)
        home.fails(53, "create-keychain", "-p", "a", "new.keychain", because=reason)
        home.says("list-keychains", out=shown(login(home)))
        assert not home.stores and not os.path.exists(f"{folder(home)}/new.keychain-db"), os.listdir(folder(home))
    # What a link led to is left alone.
    [moved] = [name for name in os.listdir(folder(home)) if name.endswith(".y")]
    assert "name" in os.listdir(f"{folder(home)}/{moved}")
    home.environment["KEYCHAIN_DAEMON"] = f"{home.programs}/keychaind"
    home.says("create-keychain", "-p", "a", "new.keychain")
    home.says("delete-keychain", "new.keychain")


def folder_goes_before_the_enclave(home):
    """A folder that is replaced while its daemon opens it is not served, and the starter is told why."""
    programs = f"{home.temporary}/bin"
    os.mkdir(programs)
    for name in ("security", "keychaind"):
        shutil.copy2(f"{home.programs}/{name}", programs)
    store = f"{home.temporary}/store"
    os.mkdir(store, 0o700)
    for change in (f"mv {store} {store}.x; mkdir -m 700 {store}", f"rm -r {store}"):
        with open(f"{programs}/keychain-enclaved", "w") as file:
            file.write(f'#!/bin/sh\n{change}\nexec {home.programs}/keychain-enclaved "$@"\n')
        os.chmod(f"{programs}/keychain-enclaved", 0o700)
        reader, writer = os.pipe()
        words = ["--named", "--store", store, "--socket", f"{store}/keychaind.sock", "--tpm", "none"]
        daemon = subprocess.Popen(
            [f"{programs}/keychaind", *words, "--ready-fd", str(writer)], pass_fds=(writer,),
            env=home.environment, stderr=subprocess.PIPE, text=True,
        )
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read().decode()
        assert daemon.wait(30) == 1 and told and told[0] != "\x01", told
        daemon.stderr.close()


class Session:
    """Commands that share a connection."""

    def __init__(self, home):
        command = [f"{home.programs}/security", "-i"]
        self.process = subprocess.Popen(
            command, env=home.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def finds(self, words, value):
        self.tell(words)
        line = self.process.stdout.readline()
        assert line == f"{value}\n", line

    def end(self):
        return self.process.communicate(timeout=60)[0]


def removed_log(home):
    """A log or a folder that is removed under a running daemon is noticed before the next acknowledgement."""

    def move(store):
        os.rename(store, f"{store}.x")

    def replace(store):
        move(store)
        shutil.copytree(f"{store}.x", store, ignore=shutil.ignore_patterns("*.sock"))

    takes = {
        "log": lambda store: os.remove(f"{store}/keychain.db-wal"), "store": lambda store: os.remove(f"{store}/keychain.db"),
        "move": move, "replace": replace, "remove": shutil.rmtree,
    }
    for name, take in takes.items():
        home.says("create-keychain", "-p", "p", f"{name}.keychain")
        home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", f"{name}.keychain")
        store = store_of(home, f"{name}.keychain")
        session = Session(home)
        session.finds(f"find-generic-password -s s -w {name}.keychain", "x")
        daemon = home.daemons()[store]
        os.kill(daemon, signal.SIGSTOP)
        take(store)
        session.tell(f"add-generic-password -s lost -a a -w x {name}.keychain")
        session.tell(f"set-keychain-password -o p -p q {name}.keychain")
        os.kill(daemon, signal.SIGCONT)
        said = session.end()
        assert said.count("security: why: ") == 2, (name, said)
        home.run("delete-keychain", f"{name}.keychain")


def killed_steps(home):
    """What each step of a creation or a deletion leaves when it is killed is gone after the next creation."""
    home.says("create-keychain", "-p", "p", "kept.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "kept.keychain")
    kept = store_of(home, "kept.keychain")
    place, path = folder(home), f"{home.temporary}/killed.keychain"

    def write(name, text=""):
        with open(name, "w") as file:
            file.write(text)
        os.chmod(name, 0o600)

    def begun(number, *, mark=True, store=True, name=True, daemon=False, file=None):
        identifier = f"{number:08x}-0000-4000-8000-000000000000"
        if mark:
            write(f"{place}/{identifier}.new")
        if store:
            os.mkdir(f"{place}/{identifier}", 0o700)
        if name:
            write(f"{place}/{identifier}/name", path)
        if daemon:
            environment = home.environment | {"KEYCHAIN_HOME": f"{place}/{identifier}"}
            subprocess.run([f"{home.programs}/security", "status"], env=environment, check=True, capture_output=True)
        if file is not None:
            write(path, f"keychain-name 1 {identifier} killed\n"[:file])
        return f"{place}/{identifier}"

    begun(1, store=False, name=False)
    begun(2, name=False)
    begun(3)
    begun(4, daemon=True)
    begun(5, file=20)
    write(f"{place}/list.new-abcdef")
    write(f"{place}/00000006-0000-4000-8000-000000000000.new.new-abcdef")
    home.says("create-keychain", "-p", "p", path)
    assert len(home.stores) == 2, home.stores
    home.says("delete-keychain", path)
    # A deletion that was killed when the store was moved.
    gone = begun(7, mark=False, file=500)
    os.rename(gone, f"{gone}.deleted")
    home.says("create-keychain", "-p", "p", path)
    home.says("delete-keychain", path)
    assert home.stores == [os.path.basename(kept)], home.stores
    assert leftovers(home) == [f"{place}/kept.keychain-db"], leftovers(home)
    eventually(lambda: not [store for store in home.daemons() if store.startswith(place) and store != kept])
    home.says("list-keychains", out=shown(login(home), f"{place}/kept.keychain-db"))
    home.says("find-generic-password", "-s", "s", "-w", "kept.keychain", out="x\n")


def completed(home):
    """A creation that was killed when its name file was there is a keychain."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    store = store_of(home, "a.keychain")
    open(f"{store}.new", "w").close()
    home.says("create-keychain", "-p", "p", "b.keychain")
    assert not os.path.exists(f"{store}.new")
    home.says("delete-keychain", "a.keychain", "b.keychain")


def linked_leftovers(home):
    """A link among the leftovers is removed, and what it leads to stays."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    os.mkdir(f"{home.temporary}/precious")
    open(f"{home.temporary}/precious/file", "w").close()
    identifier = "00000001-0000-4000-8000-000000000000"
    for name in (f"{identifier}.deleted", identifier):
        os.symlink(f"{home.temporary}/precious", f"{folder(home)}/{name}")
    open(f"{folder(home)}/{identifier}.new", "w").close()
    home.says("create-keychain", "-p", "p", "b.keychain")
    assert os.listdir(f"{home.temporary}/precious") == ["file"]
    assert not [name for name in os.listdir(folder(home)) if name.startswith(identifier)]
    # A store that is a link, as to the login keychain's folder, is none.
    home.says("add-generic-password", "-s", "login", "-a", "a", "-w", "x", "login.keychain")
    os.symlink(f"{home.home}/k", f"{folder(home)}/{identifier}")
    with open(f"{home.temporary}/link.keychain", "w") as file:
        file.write(f"keychain-name 1 {identifier} link\n")
    os.chmod(f"{home.temporary}/link.keychain", 0o600)
    for words in (["find-generic-password", "-s", "login"], ["delete-keychain"], ["unlock-keychain", "-p", "x"]):
        home.fails(50, *words, f"{home.temporary}/link.keychain", because="names a keychain of another machine")
    home.says("find-generic-password", "-s", "login", "-w", "login.keychain", out="x\n")
    os.remove(f"{folder(home)}/{identifier}")
    home.says("delete-keychain", "a.keychain", "b.keychain")


def same_name_twice(home):
    """Of creations of one name at once, one makes it."""
    command = [f"{home.programs}/security", "create-keychain", "-p", "p", "one.keychain"]
    running = [
        subprocess.Popen(command, env=home.environment, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        for _ in range(6)
    ]
    assert sorted(process.wait(60) for process in running) == [0] + [48] * 5
    assert len(home.stores) == 1
    home.says("list-keychains", out=shown(login(home), f"{folder(home)}/one.keychain-db"))
    home.says("delete-keychain", "one.keychain")


def names(home):
    """A name that no file can have, or that would be taken for the login keychain's, makes nothing."""
    os.makedirs(f"{home.home}/Library/Keychains")
    for name, because in {
        "a\nb": "control character", "a\x1b[2Jb": "control character", "": "is empty",
        "x" * 253: "Choose a shorter name", "x/" * 2100 + "a": "Choose a shorter name",
    }.items():
        home.fails(206, "create-keychain", "-p", "p", name, because=because)
    for name in ("./login.keychain-db", "../Keychains/login.keychain", "login.keychain-db"):
        path = f"{home.home}/Library/Keychains/{name}"
        assert home.run("create-keychain", "-p", "p", path).returncode == 48, name
    assert home.run("create-keychain", "-p", "p", "/").returncode == 48
    assert not home.stores and not os.listdir(f"{home.home}/Library/Keychains")
    for name in ("..", "ü\u202e", "-x", "a b", "$(id)", "x" * 252):
        home.says("create-keychain", "-p", "p", "--", name)
        result = home.run("list-keychains")
        assert "\u202e" not in result.stdout, result
        home.says("delete-keychain", "--", name)
    assert not home.stores


def long_list(home):
    """A search list of more names than are kept is refused, and stays as it was."""
    home.says("create-keychain", "-p", "p", "a.keychain")
    before = home.run("list-keychains").stdout
    home.fails(206, "list-keychains", "-s", *["a.keychain"] * 3000, because="more than 256")
    home.says("list-keychains", out=before)
    result = home.run("list-keychains", "-s", "a.keychain", *[f"/nowhere/{number}" for number in range(2000)])
    assert result.returncode == 0 and result.stderr.count("SecKeychainOpen") == 2000
    home.says("list-keychains", out=shown(f"{folder(home)}/a.keychain-db"))
    home.says("list-keychains", "-s", *["a.keychain"] * 256)
    home.fails(206, "create-keychain", "-p", "p", "b.keychain", because="more than 256")
    assert len(home.stores) == 1 and not os.path.exists(f"{folder(home)}/b.keychain-db")
    home.says("delete-keychain", "a.keychain")


def changes(home):
    """Changes of default and search list are noted, and status shows them."""
    assert "lists:" not in home.run("status").stdout
    home.says("create-keychain", "-p", "p", "a.keychain")
    home.says("default-keychain", "-s", "a.keychain")
    home.says("default-keychain", "-s", "a.keychain")
    said = home.run("status").stdout
    path = f"{folder(home)}/a.keychain-db"
    assert f"default is {path}, by {home.programs}/security" in said, said
    assert said.count(": default is") == 1 and "search list is 2 keychains, the first login" in said, said
    assert '"list":"default"' in home.run("--json", "status").stdout.replace(" ", "")
    for number in range(40):
        home.says("list-keychains", "-s", *["a.keychain"] * (number % 2 + 1))
    with open(f"{folder(home)}/changes") as file:
        assert len(file.readlines()) == 32
    home.says("delete-keychain", "a.keychain")


def closed_streams(home):
    """Closed standard streams become neither sockets nor files of a keychain."""
    for number, streams in enumerate(((0,), (1,), (2,), (0, 1, 2))):
        for words in (["create-keychain", "-p", "p"], ["delete-keychain"]):
            process = subprocess.Popen(
                [f"{home.programs}/security", *words, f"{number}.keychain"], env=home.environment,
                preexec_fn=lambda: [os.close(stream) for stream in streams],
            )
            assert process.wait(60) == 0, (streams, words)
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


TESTS = (
    damaged_list,
    unfinished,
    races,
    combining_marks,
    folder_goes_before_the_daemon,
    folder_goes_before_the_enclave,
    removed_log,
    killed_steps,
    completed,
    linked_leftovers,
    same_name_twice,
    names,
    long_list,
    changes,
    closed_streams,
    hostile_environment,
    long_home,
    deleted_under_readers,
)


def main():
    programs, place = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="attacks.")
    chosen = sys.argv[2:]
    try:
        for test in TESTS:
            if chosen and test.__name__ not in chosen:
                continue
            os.mkdir(f"{place}/{test.__name__}")
            home = Home(programs, f"{place}/{test.__name__}")
            try:
                test(home)
            finally:
                home.end()
            print(f"ok {test.__name__}", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)


main()
