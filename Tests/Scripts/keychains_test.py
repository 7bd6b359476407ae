"""Named keychains as scripts of macOS use them, next to each other and after a crash.

usage: keychains_test.py FOLDER-OF-PROGRAMS
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid

from keychain_parts import Home, ends, login, shown
from parts import of_root, of_this_turn, users_turn
from patience import eventually

PASSWORD = "keychain pass"


def guide(home):
    """The lines of GitHub's guide that need no certificate."""
    path = f"{home.temporary}/app-signing.keychain-db"
    home.says("create-keychain", "-p", PASSWORD, path)
    assert oct(os.stat(path).st_mode & 0o777) == "0o600"
    home.says(
        "create-keychain",
        "-p",
        PASSWORD,
        path,
        status=48,
        err=f"security: SecKeychainCreate {path}: A keychain with the same name already exists.\n",
    )
    home.says("set-keychain-settings", "-lut", "21600", path)
    home.says(
        "show-keychain-info", path, err=f'Keychain "{path}" lock-on-sleep use-lock-interval timeout=21600s\n'
    )
    wrong = "The user name or passphrase you entered is not correct."
    home.says("unlock-keychain", "-p", "wrong", path, status=51, err=f"security: SecKeychainUnlock {path}: {wrong}\n")
    home.says("unlock-keychain", "-p", PASSWORD, path)
    home.says("list-keychain", "-d", "user", "-s", path)
    home.says("list-keychains", out=shown(path))
    home.says("list-keychains", "-d", "user", "-s", path, "login.keychain")
    home.says("list-keychains", "-d", "user", out=shown(path, login(home)))
    return path


def fastlane(home):
    """An empty password, ~/Library/Keychains, and a default that is deleted."""
    assert "set-key-partition-list" in home.run("-h").stdout
    path = f"{home.home}/Library/Keychains/fastlane_tmp_keychain"
    home.says("create-keychain", "-p", "", path)
    assert os.path.isfile(f"{path}-db") and not os.path.exists(path)
    home.says("default-keychain", out=shown(login(home)))
    home.says("default-keychain", "-s", path)
    home.says("default-keychain", out=shown(f"{path}-db"))
    home.says("unlock-keychain", "-p", "", path)
    assert home.run("unlock-keychain", "-p", "other", path).returncode == 51
    home.says("set-keychain-settings", "-t", "3600", "-l", path)
    home.says("add-generic-password", "-s", "default", "-a", "a", "-w", "there")
    home.says("find-generic-password", "-s", "default", "-w", f"{path}-db", out="there\n")
    home.says("delete-keychain", path)
    home.says("default-keychain", out=shown(login(home)))
    assert home.run("find-generic-password", "-s", "default").returncode == 44


def bare_names(home):
    home.says("create-keychain", "-p", PASSWORD, "signing_temp.keychain")
    assert os.path.isfile(f"{home.home}/k/keychains/signing_temp.keychain-db")
    home.says("set-keychain-settings", "-lut", "21600", "signing_temp.keychain")
    home.says("unlock-keychain", "-p", PASSWORD, "signing_temp.keychain")
    home.says("list-keychains", "-d", "user", "-s", "signing_temp.keychain", "login.keychain")
    home.says("delete-keychain", "signing_temp.keychain")
    assert not home.stores
    home.says("list-keychains", out=shown(login(home)))


def locked_and_gone(home, path):
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "secret", path)
    home.says("lock-keychain", path)
    refused = "User interaction is not allowed."
    err = f"security: SecKeychainCopySettings {path}: {refused}\n"
    # The test of scripts for a locked keychain.
    home.says("show-keychain-info", path, status=36, err=err)
    result = home.run("find-generic-password", "-s", "s", "-w", path)
    assert result.returncode == 36 and not result.stdout, result
    home.says("unlock-keychain", "-p", PASSWORD, path)
    assert home.run("show-keychain-info", path).returncode == 0
    home.says("find-generic-password", "-s", "s", "-w", path, out="secret\n")
    assert f'keychain: "{path}"' in home.run("dump-keychain", path).stdout
    home.says("delete-keychain", path)
    assert not os.path.exists(path)
    missing = "The specified keychain could not be found."
    home.says("delete-keychain", path, status=50, err=f"security: SecKeychainDelete: {missing}\n")
    home.says(
        "delete-keychain",
        status=49,
        err="security: SecKeychainDelete: The specified keychain is not a valid keychain file.\n",
    )
    eventually(lambda: not [store for store in home.daemons() if "/keychains/" in store])
    assert not home.stores


def sessions(programs, folder):
    """Two at once do not disturb each other."""
    failures = []

    def session(name):
        home = Home(programs, f"{folder}/{name}")
        try:
            path = guide(home)
            locked_and_gone(home, path)
            fastlane(home)
            bare_names(home)
        except BaseException as error:  # noqa: BLE001 whatever it is, the test fails
            failures.append((name, error))
        finally:
            home.end()

    for name in ("one", "two"):
        os.mkdir(f"{folder}/{name}")
    threads = [threading.Thread(target=session, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, error in failures:
        raise AssertionError(name) from error


def places(home):
    """Operands, -k, the variable, the search list and the default each choose the keychain."""
    home.says("create-keychain", "-p", "a", "a.keychain", "b.keychain")
    home.says("add-generic-password", "-s", "x", "-a", "1", "-w", "in a", "a.keychain")
    home.says("add-generic-password", "-k", "b.keychain", "-s", "x", "-a", "1", "-w", "in b")
    home.says("add-internet-password", "-s", "x", "-a", "1", "-w", "in login")
    home.says("find-generic-password", "-s", "x", "-w", out="in a\n")
    home.says("find-generic-password", "-k", "b.keychain", "-s", "x", "-w", out="in b\n")
    assert home.run("find-generic-password", "-s", "x", "login.keychain").returncode == 44
    home.says("list-keychains", "-s", "b.keychain", "a.keychain")
    home.says("find-generic-password", "-s", "x", "-w", out="in b\n")
    assert home.run("find-internet-password", "-s", "x").returncode == 44
    home.environment["KEYCHAIN_KEYCHAIN"] = "a.keychain"
    home.says("find-generic-password", "-s", "x", "-w", out="in a\n")
    home.says("lock-keychain")
    del home.environment["KEYCHAIN_KEYCHAIN"]
    # A locked one does not hide what another has.
    home.says("list-keychains", "-s", "a.keychain", "b.keychain")
    home.says("find-generic-password", "-s", "x", "-w", out="in b\n")
    home.says("list-keychains", "-s", "a.keychain")
    assert home.run("find-generic-password", "-s", "x").returncode == 36
    home.says("list-keychains", "-s", "a.keychain", "b.keychain")
    home.says("delete-generic-password", "-s", "y", "b.keychain", status=44, err=NOT_FOUND)
    home.says("list-keychains", "-s")
    home.says("list-keychains")
    assert home.run("find-generic-password", "-s", "x").returncode == 44
    result = home.run("list-keychains", "-s", "b.keychain", "nothing.keychain")
    assert result.returncode == 50 and "SecKeychainOpen nothing.keychain" in result.stderr, result
    home.says("list-keychains")
    names = [f"{home.home}/k/keychains/{name}.keychain-db" for name in "ab"]
    home.says("list-keychains", "-s", *names)
    os.rename(names[0], names[0] + ".away")
    # The list's own names may be given again, also of a keychain that is away.
    home.says("list-keychains", "-s", *names, "login.keychain")
    home.says("list-keychains", out=shown(*names, login(home)))
    os.rename(names[0] + ".away", names[0])
    assert home.run("list-keychains", "b.keychain").returncode == 2
    assert "Invalid domain: x" in home.run("list-keychains", "-d", "x").stderr
    home.says("list-keychains", "-d", "common")
    home.says("login-keychain", out=shown(login(home)))
    assert home.run("login-keychain", "-s", "b.keychain").returncode == 1
    home.says("delete-keychain", "a.keychain", "b.keychain")


NOT_FOUND = "security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n"


def identity(folder):
    """A key and its certificate in one file."""
    path = f"{folder}/identity.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Of Y", "-days", "2"]
    subprocess.run([*words, "-keyout", path, "-out", f"{path}.crt"], check=True, capture_output=True)
    with open(f"{path}.crt") as certificate, open(path, "a") as file:
        file.write(certificate.read())
    return path


def unopened(home):
    """A keychain of the search list that does not open hides nothing of those behind it, and is named."""
    home.says("create-keychain", "-p", "", "z.keychain")
    home.says("create-keychain", "-p", "y", "y.keychain")
    home.says("add-generic-password", "-s", "iny", "-a", "a", "-w", "Y", "y.keychain")
    assert home.run("import", identity(home.temporary), "-k", "y.keychain").returncode == 0
    path = f"{home.home}/k/keychains/z.keychain-db"
    with open(path) as file:
        store = f"{home.home}/k/keychains/{file.read().split()[2]}"
    ends(home.daemons()[store])
    os.truncate(f"{store}/vault", 10)
    for status, out, words in (
        (0, "Y\n", ["find-generic-password", "-s", "iny", "-w"]),
        (0, "got Y\n", ["run", "--env", "T=kc://iny/a", "--mask", "never", "--", "sh", "-c", "echo got $T"]),
        (53, "", ["find-generic-password", "-s", "nowhere", "-w"]),
        (53, "", ["run", "--env", "T=kc://nowhere", "--", "true"]),
        (0, "BEGIN CERTIFICATE", ["find-certificate", "-a", "-p"]),
        (0, "BEGIN CERTIFICATE", ["find-certificate", "-p"]),
        (53, "", ["find-certificate", "-a", "-c", "nobody"]),
        (0, "Of Y", ["find-identity"]),
        (0, "0x00000010", ["find-key"]),
        (0, '"iny"', ["dump-keychain"]),
        (0, "iny", ["list"]),
        (53, "", ["find-generic-password", "-s", "iny", "z.keychain"]),
        (53, '"iny"', ["dump-keychain", "z.keychain", "y.keychain"]),
    ):
        result = home.run(*words)
        assert result.returncode == status and out in result.stdout, (words, result)
        named = f"security: the keychain {path} does not open\n"
        assert result.stderr.count(named) == 1 and result.stderr.count("why: ") == 1, (words, result)
    quiet = home.run("-q", "find-generic-password", "-s", "iny", "-w")
    assert quiet.returncode == 0 and not quiet.stderr, quiet
    # All others are locked before it is said.
    assert home.run("lock-keychain", "-a").returncode == 53
    assert home.run("show-keychain-info", "y.keychain").returncode == 36
    home.says("unlock-keychain", "-p", "y", "y.keychain")
    home.says("delete-keychain", "y.keychain")


def unusable(home):
    """A name file that leads to no store is named, hides no other keychain, and takes no new item elsewhere."""
    home.says("create-keychain", "-p", "", "u.keychain")
    home.says("add-generic-password", "-s", "here", "-a", "a", "-w", "value")
    path = f"{home.home}/k/keychains/u.keychain-db"
    home.says("list-keychains", "-s", "u.keychain", "login.keychain", path, "login.keychain")
    home.says("list-keychains", out=shown(path, login(home)))
    assert home.run("list").stdout.count("here") == 1
    home.says("default-keychain", "-s", "u.keychain")
    os.rename(path, f"{path}.away")
    # Its disk may be away.
    home.says("find-generic-password", "-s", "here", "-w", out="value\n")
    for make in (os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)):
        make(path)
        for status, words in (
            (0, ["find-generic-password", "-s", "here", "-w"]),
            (0, ["run", "--env", "T=kc://here/a", "--", "true"]),
            (49, ["find-generic-password", "-s", "nowhere"]),
        ):
            result = home.run(*words)
            assert result.returncode == status, (words, result)
            named = f"security: the keychain {path} does not open\n"
            assert result.stderr.count(named) == 1 and "does not name a keychain" in result.stderr, (words, result)
        home.fails(49, "add-generic-password", "-s", "new", "-a", "a", "-w", "x", because="does not name a keychain")
        os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    os.rename(f"{path}.away", path)
    home.says("find-generic-password", "-s", "new", status=44, err=NOT_FOUND)
    home.says("default-keychain", "-s", "login.keychain")
    home.says("delete-keychain", "u.keychain")


def partitions(home):
    """The order of checks is macOS's, and what is given is shown."""
    verb = "set-generic-password-partition-list"
    home.says("create-keychain", "-p", "p", "p.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "x", "p.keychain")
    assert home.run(verb, "-k", "p", "p.keychain").returncode == 2
    assert home.run(verb, "-S", "apple:", "-k", "p", "p.keychain", "p.keychain").returncode == 2
    wrong = "The user name or passphrase you entered is not correct."
    home.says(verb, "-S", "apple:", "-k", "q", "p.keychain", status=1, err=f"security: SecKeychainUnlock: {wrong}\n")
    missing = "The specified item could not be found in the keychain."
    for words in ([verb, "-s", "t"], ["set-key-partition-list", "-l", "No such key"]):
        home.says(
            *words, "-S", "a:", "-k", "p", "p.keychain", status=1, err=f"security: SecItemCopyMatching: {missing}\n"
        )
    result = home.run("-M", verb, "-S", "apple-tool:,apple:", "-s", "s", "-k", "p", "p.keychain")
    assert (result.returncode, result.stderr) == (0, "") and result.stdout.count('class: "genp"') == 1, result
    assert "apple-tool:" not in home.run("dump-keychain", "-a", "p.keychain").stdout
    home.says("find-generic-password", "-s", "s", "-w", "p.keychain", out="x\n")
    home.says("delete-keychain", "p.keychain")


def spellings(home):
    """Two names with an accent, in one scalar and in two, are two keychains, as the kernel has it."""
    one, other = "caf\u00e9.keychain", "cafe\u0301.keychain"
    home.says("create-keychain", "-p", "a", one, other)
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "of other", other)
    home.says("default-keychain", "-s", other)
    home.says("delete-keychain", one)
    path = f"{home.home}/k/keychains/{other}-db"
    home.says("list-keychains", out=shown(login(home), path))
    home.says("default-keychain", out=shown(path))
    home.says("find-generic-password", "-s", "s", "-w", out="of other\n")
    home.says("delete-keychain", other)


def copies(home):
    """Deleting a copy of a name file is refused, and deletes nothing; a moved one is the keychain's."""
    home.says("create-keychain", "-p", "a", "original.keychain")
    home.says("add-generic-password", "-s", "s", "-a", "a", "-w", "kept", "original.keychain")
    name, copy = f"{home.home}/k/keychains/original.keychain-db", f"{home.temporary}/copy.keychain"
    shutil.copy(name, copy)
    home.fails(53, "delete-keychain", copy, because=f"{copy} is a copy of {name}")
    home.says("find-generic-password", "-s", "s", "-w", "original.keychain", out="kept\n")
    home.says("delete-keychain", "original.keychain")
    assert home.run("delete-keychain", copy).returncode == 50


def crash(home):
    """A daemon that is killed takes its keychain's open state with it, and nothing of another's."""
    home.says("create-keychain", "-p", "a", "a.keychain")
    home.says("create-keychain", "-p", "b", "b.keychain")
    for name in ("a", "b"):
        home.says("add-generic-password", "-s", "s", "-a", "a", "-w", name, f"{name}.keychain")
    with open(f"{home.home}/k/keychains/a.keychain-db") as file:
        store = f"{home.home}/k/keychains/{file.read().split()[2]}"
    ends(home.daemons()[store])
    home.says("find-generic-password", "-s", "s", "-w", "b.keychain", out="b\n")
    assert home.run("find-generic-password", "-s", "s", "-w", "a.keychain").returncode == 36
    home.says("unlock-keychain", "-p", "a", "a.keychain")
    home.says("find-generic-password", "-s", "s", "-w", "a.keychain", out="a\n")
    home.says("delete-keychain", "a.keychain", "b.keychain")


def hostile_files(home):
    """A file at the path of a keychain opens nothing by what it says."""
    path = f"{home.temporary}/real.keychain"
    home.says("create-keychain", "-p", "a", path)
    with open(path) as file:
        line = file.read()
    assert "a\n" not in line.split() and len(line.splitlines()) == 1

    def put(make):
        place = f"{home.temporary}/hostile.keychain"
        if os.path.lexists(place):
            os.remove(place)
        make(place)
        return place

    def written(content):
        def make(place):
            with open(place, "wb") as file:
                file.write(content)

        return make

    def huge(place):
        with open(place, "wb") as file:
            file.truncate(1 << 30)

    def writable(place):
        written(line.encode())(place)
        os.chmod(place, 0o666)

    own = line.split()[2]
    others = [
        lambda place: os.symlink(path, place),
        os.mkfifo,
        huge,
        writable,
        written(b""),
        written(line.encode()[:-1]),
        written(line.encode() * 2),
        written(line.replace(own, f"../{own[3:]}").encode()),
        written(line.replace(own, own.upper()).encode()),
        written(line.replace(own, own + "/.").encode()),
    ]
    for make in others:
        home.fails(49, "unlock-keychain", "-p", "a", put(make), because="does not name a keychain")
    other = put(written(line.replace(own, str(uuid.uuid4())).encode()))
    home.fails(50, "unlock-keychain", "-p", "a", other, because="names a keychain of another machine")
    home.fails(50, "unlock-keychain", "-p", "a", f"{home.temporary}/none", because="No keychain is called")
    # Whoever copies the name has the name, and the password is asked for as before.
    copy = put(written(line.encode()))
    home.says("lock-keychain", copy)
    assert home.run("unlock-keychain", "-u", path).returncode == 36
    for place in (other, copy):
        home.fails(48, "create-keychain", "-p", "a", place, because="security: why: ")
    assert len(home.stores) == 1
    home.says("delete-keychain", path)
    home.fails(50, "delete-keychain", copy, because="names a keychain of another machine")


@of_root
def foreign_file(home):
    """A name file of another user's names no keychain."""
    path = f"{home.temporary}/real.keychain"
    home.says("create-keychain", "-p", "a", path)
    os.chown(path, 65534, 65534)
    home.fails(49, "unlock-keychain", "-p", "a", path, because="does not name a keychain")


def orphans(home):
    """A store whose name file has gone is shown and is deleted by its identifier alone."""
    path = f"{home.temporary}/lost.keychain"
    home.says("create-keychain", "-p", "a", path)
    home.says("list-keychains", "--orphans")
    os.remove(path)
    [store] = home.stores
    home.says("list-keychains", "--orphans", out=f'    {store} "{path}"\n')
    # The search list has a name that is not there: it is passed over.
    assert home.run("find-generic-password", "-s", "s").returncode == 44
    home.says("delete-keychain", store)
    assert not home.stores


def limits(home):
    """A user has so many stores and no more; what was not made leaves nothing."""
    folder = f"{home.home}/k/keychains"
    home.says("create-keychain", "-p", "", "first.keychain")
    fakes = [f"{folder}/{uuid.uuid4()}" for _ in range(63)]
    for fake in fakes:
        os.mkdir(fake, 0o700)
    home.fails(53, "create-keychain", "-p", "", "more.keychain", because="There are 64 keychains")
    assert not os.path.exists(f"{folder}/more.keychain-db")
    for fake in fakes:
        shutil.rmtree(fake)

    def no_space():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))

    result = home.run("create-keychain", "-p", "", "more.keychain", preexec_fn=no_space)
    assert result.returncode != 0 and "security: why: " in result.stderr, result
    assert not os.path.exists(f"{folder}/more.keychain-db") and len(home.stores) == 1, home.stores
    home.fails(53, "create-keychain", "-p", "", "/nowhere/more.keychain", because="Cannot write")
    assert len(home.stores) == 1
    home.says("create-keychain", "-p", "", "more.keychain")
    home.says("delete-keychain", "more.keychain", "first.keychain")


def login_stays(home):
    home.says("add-generic-password", "-s", "kept", "-a", "a", "-w", "x")
    home.says("set-keychain-password", "-p", "pass")
    home.fails(206, "delete-keychain", "login.keychain", because="is not deleted by its name alone")
    home.fails(51, "delete-keychain", "--login", "-p", "wrong", "login.keychain", because="security: why: ")
    home.says("find-generic-password", "-s", "kept", "-w", out="x\n")
    home.says("create-keychain", "-p", "", "other.keychain")
    home.says("delete-keychain", "--login", "-p", "pass", "login.keychain")
    assert home.run("find-generic-password", "-s", "kept").returncode == 44
    assert len(home.stores) == 1
    home.says("delete-keychain", "other.keychain")


def main():
    programs, folder = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="keychains.")
    try:
        if users_turn():
            sessions(programs, folder)
        cases = (places, unopened, unusable, partitions, spellings, copies, crash)
        cases += (hostile_files, foreign_file, orphans, limits, login_stays)
        for test in of_this_turn(cases):
            os.mkdir(f"{folder}/{test.__name__}")
            home = Home(programs, f"{folder}/{test.__name__}")
            try:
                test(home)
            finally:
                home.end()
            print(f"ok {test.__name__}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
