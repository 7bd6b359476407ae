"""Logins that browsers and programs for passwords have exported come into the keychain.

usage: import_logins_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import codecs
import csv
import io
import json
import os
import random
import shutil
import subprocess
import tempfile

from import_parts import imported, items, put, report
from keychain_parts import run_parts
from patience import PATIENCE

# The first lines that these programs write, and the cells of one login.
SITE, NAME, USER, PASSWORD, NOTE = "https://www.example.org/login?next=1#top", "Example", "ann", 'p,"w\n', "a, \u00e9"
EXPORTS = {
    "chrome": (["name", "url", "username", "password", "note"], [NAME, SITE, USER, PASSWORD, NOTE]),
    "safari": (
        ["Title", "URL", "Username", "Password", "Notes", "OTPAuth"],
        [NAME, SITE, USER, PASSWORD, NOTE, ""],
    ),
    "keepassxc": (
        ["Group", "Title", "Username", "Password", "URL", "Notes", "TOTP", "Icon", "Last Modified", "Created"],
        ["", NAME, USER, PASSWORD, SITE, NOTE, "", "0", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
    ),
    "bitwarden": (
        "folder favorite type name notes fields reprompt login_uri login_username login_password login_totp".split(),
        ["", "1", "login", NAME, NOTE, "", "0", f"{SITE},https://second.example", USER, PASSWORD, ""],
    ),
    "1password": (
        ["Title", "Url", "Username", "Password", "OTPAuth", "Favorite", "Archived", "Tags", "Notes"],
        [NAME, SITE, USER, PASSWORD, "", "true", "false", "", NOTE],
    ),
    "lastpass": (
        ["url", "username", "password", "totp", "extra", "name", "grouping", "fav"],
        [SITE, USER, PASSWORD, "", NOTE, NAME, "", "0"],
    ),
}
LOGIN = {"srvr": "www.example.org", "ptcl": "htps", "port": 0, "path": "/login", "acct": USER, "sdmn": ""}


def write(home, rows, name="logins.csv", mark=b"", **form):
    """Writes a table as Python's own writer does."""
    text = io.StringIO(newline="")
    csv.writer(text, **form).writerows(rows)
    return put(home, mark + text.getvalue().encode(), name)


def every_export(home):
    """The login is the same, whichever program has exported it."""
    for number, (name, (header, row)) in enumerate(EXPORTS.items()):
        form = {"quoting": csv.QUOTE_ALL} if number % 2 else {"lineterminator": "\n"}
        path = write(home, [header, row], mark=codecs.BOM_UTF8 if number % 3 == 2 else b"", **form)
        assert imported(home, "csv", "-n", path) == report(added=1), name
        assert items(home) == []
        assert imported(home, "csv", path) == report(added=1), name
        (item,) = items(home)
        assert {key: item[key] for key in LOGIN} == LOGIN, (name, item)
        assert (item["labl"], item["icmt"], item["v_Data"]) == (NAME, NOTE, PASSWORD), (name, item)
        assert imported(home, "csv", path) == report(same=1), name
        home.says("import-from", "-u", "csv", out="1 imported items were deleted; 0 were changed since, and stay.\n")
        assert items(home) == []


def realm(home):
    """Firefox's realm is the security domain; its times and numbers are nothing that is missed."""
    header = "url username password httpRealm formActionOrigin guid timeCreated timeLastUsed timePasswordChanged"
    path = write(
        home,
        [header.split(), ["https://h.example:8443", "u", "p", "Staff", "", "{g}", "1", "2", "3"]],
        quoting=csv.QUOTE_ALL,
    )
    assert imported(home, "csv", path) == report(added=1)
    (item,) = items(home)
    assert (item["sdmn"], item["port"], item["srvr"]) == ("Staff", 8443, "h.example"), item


def addresses(home):
    """An address without a scheme, an app's, a user's; and what is for no server."""
    rows = [
        ("plain.example/x", "inet", "srvr", "plain.example"),
        ("android://KEY==@com.example.app/", "inet", "srvr", "com.example.app"),
        ("https://me:secret@user.example/", "inet", "srvr", "user.example"),
        ("https://[2001:db8::1]:8080/", "inet", "srvr", "[2001:db8::1]"),
        ("https://bad.example:port/", "genp", "svce", "Title 4"),
        ("", "genp", "svce", "Title 5"),
        ("https://h.example\\@evil.example/", "genp", "svce", "Title 6"),
        ("https://h.example:0/", "genp", "svce", "Title 7"),
    ]
    table = [[f"Title {n}", url, f"user {n}", f"pw {n}"] for n, (url, *_) in enumerate(rows)]
    path = write(home, [["title", "url", "username", "password"], *table])
    assert imported(home, "csv", path) == report(added=len(rows))
    found = {item["acct"]: item for item in items(home)}
    for n, (_, kind, key, value) in enumerate(rows):
        item = found[f"user {n}"]
        assert (item["class"], item[key], item["v_Data"]) == (kind, value, f"pw {n}"), item
    assert "secret" not in home.run("dump-keychain").stdout


def what_is_there(home):
    """Another password stays, with the status 1, until -U changes it; what was changed since is not taken back."""
    header = ["name", "url", "username", "password"]
    path = write(home, [header, ["A", "https://a.example", "u", "1"], ["B", "https://b.example", "u", "1"]])
    assert imported(home, "csv", path) == report(added=2)
    path = write(home, [header, ["A", "https://a.example", "u", "1"], ["B", "https://b.example", "u", "2"]])
    assert imported(home, "csv", path, status=1) == report(same=1, different=["B"])
    assert imported(home, "-n", "csv", path, "-U") == report(same=1, replaced=1)
    home.says("find-internet-password", "-s", "b.example", "-w", out="1\n")
    assert imported(home, "csv", "-U", path) == report(same=1, replaced=1)
    home.says("find-internet-password", "-s", "b.example", "-w", out="2\n")
    home.says("import-from", "csv", "--undo", out="1 imported items were deleted; 1 were changed since, and stay.\n")
    assert [item["srvr"] for item in items(home)] == ["b.example"]
    # An import that was taken back by mistake comes back, whatever became of its file.
    assert home.run("undelete", "-a", "u").returncode == 0
    assert sorted(item["srvr"] for item in items(home)) == ["a.example", "b.example"]


def left_out(home):
    """Rows without a password, and columns without a place, are named."""
    header = ["name", "url", "username", "password", "totp", "folder"]
    whole, empty = ["A", "", "u", "p", "otpauth://x", "Work"], ["B", "https://b.example", "u", "", "", ""]
    rows = [whole, empty, ["", "", "u", "p", "", ""]]
    path = write(home, [header, *rows])
    assert imported(home, "csv", path) == report(added=1, withoutPassword=2, leftOut={"totp": 1, "folder": 1})
    text = home.run("import-from", "csv", path).stdout
    assert "left out, for want of a place: totp, of 1\n" in text, text
    home.environment["LC_ALL"] = "zh_CN.UTF-8"
    text = home.run("import-from", "csv", path).stdout
    assert "totp" in text and "left out" not in text and "there already" not in text, text


def too_large(home):
    """A login that no item has room for is named with the reason, and all others come."""
    header, other = ["name", "url", "username", "password", "note"], ["B", "https://b.example", "u", "p", ""]
    cells = (["u", "p" * (2 << 20), ""], ["u" * 70_000, "p", ""], ["u", "p", "n" * (2 << 20)])
    for large in [["A", "", *some] for some in cells]:
        path = write(home, [header, large, other])
        assert imported(home, "csv", path, status=1) == report(added=1, refused=["A"])
        text = home.run("import-from", "csv", path).stdout
        assert "A: the keychain does not take it: " in text and " bytes; " in text, text
        home.says("import-from", "-u", "csv", out="1 imported items were deleted; 0 were changed since, and stay.\n")


def damaged(home):
    """Of a file that is no such table nothing is added, and the line is named."""
    good = b"name,password\nA,1\n"
    for content, because in (
        (good + b'"B,2\n', "from line 3"),
        (good + b'"B"x,2\n', "from line 3"),
        (good + b"B\n", "1 fields in place of 2"),
        (good + b"B,2,3\n", "3 fields in place of 2"),
        (good + b"\xff,2\n", "not UTF-8"),
        (b"A,1\nB,2\n", "must be called password"),
        (b"name;password\nA;1\n", "must be called password"),
        (b"\x00" * 4096, "must be called password"),
        (b"", "empty"),
        (b"\n\n", "empty"),
    ):
        home.fails(1, "import-from", "csv", put(home, content), because=because)
    assert items(home) == []


def files_of_others(home):
    """A file that every user may change, a pipe and a folder are no source; one of the daemon's limit neither."""
    good = b"name,password\nA,1\n"
    home.fails(1, "import-from", "csv", put(home, good, mode=0o602), because="may change")
    os.mkfifo(f"{home.temporary}/pipe", 0o600)
    for path in (f"{home.temporary}/pipe", home.temporary, f"{home.temporary}/none"):
        home.fails(1, "import-from", "csv", path, because="")
    home.fails(1, "import-from", "csv", put(home, good + b"x" * (8 << 20)), because="")
    # A word too few undoes nothing.
    assert imported(home, "csv", put(home, good)) == report(added=1)
    assert home.run("import-from", "csv").returncode == 2 and len(items(home)) == 1
    home.says("import-from", "-u", "csv", out="1 imported items were deleted; 0 were changed since, and stay.\n")
    assert items(home) == []


def locked(home):
    """A locked keychain takes nothing, and the import goes on when it is open."""
    home.says("set-keychain-password", "-p", "pw")
    home.says("lock-keychain")
    path = write(home, [["name", "password"], ["A", "1"]])
    assert home.run("import-from", "csv", path).returncode == 36
    home.says("unlock-keychain", "-p", "pw")
    assert imported(home, "csv", path) == report(added=1)


class Store:
    """A password store as pass(1) makes it, with a key of gpg's own."""

    def __init__(self, home):
        # The path of the agent's socket is short.
        self.keys = tempfile.mkdtemp(prefix="gpg.", dir="/tmp")
        self.folder = f"{home.temporary}/store"
        home.environment |= {"GNUPGHOME": self.keys, "PASSWORD_STORE_DIR": self.folder}
        self.environment = dict(home.environment)
        words = ["--passphrase", "", "--quick-generate-key", "ann@example.org", "future-default", "default", "never"]
        self.gpg("--pinentry-mode", "loopback", *words)

    def gpg(self, *words, text=""):
        command = ["gpg", "--batch", "--yes", "--quiet", *words]
        subprocess.run(command, input=text.encode(), env=self.environment, timeout=PATIENCE, check=True)

    def insert(self, name, text):
        os.makedirs(os.path.dirname(f"{self.folder}/{name}"), exist_ok=True)
        self.gpg("-r", "ann@example.org", "-o", f"{self.folder}/{name}.gpg", "-e", text=text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["gpgconf", "--kill", "all"], env=self.environment, timeout=PATIENCE, check=True)
        shutil.rmtree(self.keys, ignore_errors=True)


def password_store(home):
    """Files of pass become logins of the server or of the folder that their path or their lines name."""
    with Store(home) as store:
        store.insert("web/example.org/ann", "one\n")
        store.insert("web/example.com", "two\nlogin: bob\nurl: https://www.example.com:8443/x\nsecond line\n")
        store.insert("deploy/ci", "three\notpauth://totp/x\ncolour: blue\n")
        store.insert("alone", "four")
        store.insert("nothing", "\nlogin: x\n")
        with open(f"{store.folder}/.gpg-id", "w") as file:
            file.write("ann@example.org\n")
        # git's and pass's own files are no logins.
        os.mkdir(f"{store.folder}/.git")
        os.symlink("/etc/hostname", f"{store.folder}/README")
        expected = report(added=4, withoutPassword=1, leftOut={"otpauth": 1})
        assert imported(home, "pass", "--dry-run") == expected and items(home) == []
        assert imported(home, "pass") == expected
        found = {item["labl"]: item for item in items(home)}
        for title, wanted in {
            "web/example.org/ann": {"class": "inet", "srvr": "example.org", "acct": "ann", "v_Data": "one"},
            "web/example.com": {
                "srvr": "www.example.com", "port": 8443, "acct": "bob", "v_Data": "two", "icmt": "second line",
            },
            "deploy/ci": {"class": "genp", "svce": "deploy", "acct": "ci", "v_Data": "three", "icmt": "colour: blue"},
            "alone": {"class": "genp", "svce": "alone", "acct": "alone", "v_Data": "four"},
        }.items():
            assert {key: found[title].get(key) for key in wanted} == wanted, found[title]
        # What gpg does not open is named, and all others come.
        with open(f"{store.folder}/broken.gpg", "wb") as file:
            file.write(b"no message")
        again = expected | {"added": 0, "same": 4, "unreadable": ["broken"]}
        assert imported(home, "pass", store.folder, status=1) == again
        home.fails(1, "import-from", "pass", "/nonexistent", because="No such file")
        # What another import has added stays.
        assert imported(home, "csv", put(home, b"name,password\nA,1\n")) == report(added=1)
        home.says("import-from", "-u", "pass", out="4 imported items were deleted; 0 were changed since, and stay.\n")
        assert [item["labl"] for item in items(home)] == ["A"]
        home.environment["PATH"] = home.programs
        home.fails(1, "import-from", "pass", because="opens the files of pass")


def names_of_a_store(home):
    """Whatever stays out of a store is named: links, closed folders, names that are no text; odd names come along."""
    with Store(home) as store:
        for name in ("plain", "two\nlines", "-v", "shut/one"):
            store.insert(name, "p\n")
        os.makedirs(f"{home.temporary}/outside")
        shutil.copy(f"{store.folder}/plain.gpg", f"{home.temporary}/outside/own.gpg")
        for target, name in (("plain.gpg", "link.gpg"), (f"{home.temporary}/outside", "team"), ("..", "around")):
            os.symlink(target, f"{store.folder}/{name}")
        os.mkfifo(f"{store.folder}/pipe.gpg")
        shutil.copy(f"{store.folder}/plain.gpg", os.fsencode(store.folder) + b"/\xff.gpg")
        os.chmod(f"{store.folder}/shut", 0)
        result = home.run("--json", "import-from", "pass")
        os.chmod(f"{store.folder}/shut", 0o700)
        found = json.loads(result.stdout)
        stays = ["around", "link.gpg", "pipe.gpg", "shut", "team", "\ufffd.gpg"]
        assert (result.returncode, found["added"], sorted(found["notRead"])) == (1, 3, stays), result
        assert {item["labl"] for item in items(home)} == {"plain", "two\nlines", "-v"}
        lines = home.run("import-from", "pass").stdout.splitlines()
        assert {"team: a link or no file, which is left out", "\ufffd.gpg: its name is not UTF-8"} <= set(lines), lines


def lines_of_windows(home):
    """Lines of a store that end as on Windows are lines: no carriage return is part of a password or an account."""
    with Store(home) as store:
        store.insert("a.example", "p w\r\nlogin: bob\r\nurl: https://b.example:1/\r\n\r\nmore\r\n")
        store.insert("only", "pw\r\n")
        store.insert("kept", "\rpw\r")
        assert imported(home, "pass") == report(added=3)
        found = {item["labl"]: item for item in items(home)}
        wanted = {"acct": "bob", "srvr": "b.example", "port": 1, "v_Data": "p w", "icmt": "\nmore"}
        assert {key: found["a.example"][key] for key in wanted} == wanted, found
        assert (found["only"]["v_Data"], found["kept"]["v_Data"]) == ("pw", "\rpw\r")


# What gpg may do in place of its work; $1 and so on are its words.
GPG = """#!/bin/sh
for file; do :; done
case "$file" in
  */half.gpg) echo half; exit 2 ;;
  */killed.gpg) echo killed; kill -9 $$ ;;
  */endless.gpg) exec cat /dev/zero ;;
  */silent.gpg) exec >&-; exec sleep 1000 ;;
  */empty.gpg) ;;
  *) echo good ;;
esac
"""


def gpg_that_fails(home):
    """A gpg that ends half way, writes without end or does not end keeps no other login out, and leaves nothing."""
    folder = f"{home.temporary}/store"
    os.makedirs(f"{home.temporary}/bin")
    os.mkdir(folder)
    names = ["half", "killed", "endless", "silent", "empty", "good"]
    for name in names:
        put(home, b"", f"store/{name}.gpg")
    path = put(home, GPG.encode(), "bin/gpg", mode=0o700)
    home.environment |= {"PATH": f"{os.path.dirname(path)}:{home.environment['PATH']}", "PASSWORD_STORE_DIR": folder}
    expected = report(added=1, unreadable=["endless", "half", "killed", "silent"], withoutPassword=1)
    assert imported(home, "pass", status=1) == expected
    assert {item["labl"]: item["v_Data"] for item in items(home)} == {"good": "good"}


def no_more_room(home):
    """An import that is cut says what has come, and goes on when it is repeated with more room."""
    script = f'#!/bin/sh\nexec {home.programs}/keychaind "$@" --quota-program-items 3\n'
    home.environment["KEYCHAIN_DAEMON"] = put(home, script.encode(), "small", mode=0o700)
    rows = [["name", "password"], *([f"n{number}", "p"] for number in range(5))]
    path = write(home, rows)
    result = home.run("--json", "import-from", "csv", path)
    assert (json.loads(result.stdout), json.loads(result.stderr)["rule"]) == (report(added=3), "keychain.quota"), result
    home.fails(222, "import-from", "csv", path, because="3 are allowed")
    home.end()
    home.environment["KEYCHAIN_DAEMON"] = f"{home.programs}/keychaind"
    assert imported(home, "csv", path) == report(added=2, same=3)


def twice_in_a_file(home):
    """Of a login that is in a file twice the first stays, also with -U, and a trial foretells what comes."""
    header = ["name", "url", "username", "password"]
    row = ["A", "https://a.example", "u"]
    path = write(home, [header, [*row, "1"], [*row, "2"], [*row, "1"]])
    for words in (("-n",), ("-n", "-U"), ("-U",)):
        expected = report(added=1, same=1, different=["A"])
        assert imported(home, "csv", *words, path, status=1) == expected, words
    home.says("find-internet-password", "-s", "a.example", "-w", out="1\n")
    path = write(home, [header, [*row, "3"], [*row, "4"]])
    assert imported(home, "csv", "-U", path, status=1) == report(replaced=1, different=["A"])
    home.says("find-internet-password", "-s", "a.example", "-w", out="3\n")


def odd_cells(home):
    """Zero bytes, formulas and text without end are kept as they are, or named; nothing is cut."""
    header = ["name", "username", "password", "note"]
    cells = ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1", "-1", "\t=1", "a\x00b", "e\u0301" * 2000, "\u202etxt", " "]
    rows = [[f"n{number}{cell}", cell, cell, cell] for number, cell in enumerate(cells)]
    result = home.run("--json", "import-from", "csv", write(home, [header, *rows]))
    done = json.loads(result.stdout)
    assert done["added"] + len(done["refused"]) == len(rows) and done["added"] >= len(rows) - 1, result
    found = {item["acct"]: item for item in items(home)}
    for cell in found:
        assert (found[cell]["v_Data"], found[cell]["icmt"]) == (cell, cell), cell


def steering_text(home):
    """Nothing in a file steers the terminal that the report is written on."""
    path = write(home, [["name", "password", "\x1b[2J"], ["\x1b]0;x\x07", "1", "y"]])
    home.run("import-from", "csv", path)
    path = write(home, [["name", "password", "\x1b[2J"], ["\x1b]0;x\x07", "2", "y"]])
    result = home.run("import-from", "csv", path)
    assert result.returncode == 1 and "\x1b" not in result.stdout + result.stderr, result
    assert "\x07" not in result.stdout, result


def any_text(home):
    """Whatever Python's writer makes of random cells is read back as it was."""
    source = random.Random(20261129)
    letters = ['"', ",", "\n", "\r", "\r\n", " ", "a", "\u00e9", "\u4f60", "\U0001f511", "'", ";", "\t", '""']
    texts = ["".join(source.choices(letters, k=source.randrange(1, 12))) for _ in range(60)]
    rows = [[f"n{n}", f"u{n}", text] for n, text in enumerate(texts)]
    assert imported(home, "csv", write(home, [["title", "username", "password"], *rows])) == report(added=len(rows))
    assert {item["acct"]: item["v_Data"] for item in items(home)} == {row[1]: row[2] for row in rows}


run_parts(
    (
        every_export,
        realm,
        addresses,
        what_is_there,
        left_out,
        too_large,
        damaged,
        files_of_others,
        locked,
        password_store,
        names_of_a_store,
        lines_of_windows,
        gpg_that_fails,
        no_more_room,
        twice_in_a_file,
        odd_cells,
        steering_text,
        any_text,
    )
)
