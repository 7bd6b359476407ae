"""Vaults that programs for passwords have exported in formats of their own come into the keychain.

usage: import_exports_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import json
import zipfile

from import_parts import imported, items, put, report
from keychain_parts import run_parts


def vault(home, *found, **more):
    """A file as Bitwarden exports it."""
    content = {"encrypted": False, "folders": [{"id": "f1", "name": "Work"}], "items": list(found)} | more
    return put(home, json.dumps(content, indent=2).encode(), "vault.json")


def login(name, uris, username, password, **more):
    """A login as Bitwarden writes it: whatever has no value is null."""
    uris = [{"match": None, "uri": uri} for uri in uris]
    inner = {"fido2Credentials": [], "uris": uris, "username": username, "password": password, "totp": None}
    inner |= {key: more.pop(key) for key in ("totp", "fido2Credentials") if key in more}
    usual = {"passwordHistory": None, "revisionDate": "2026-01-01T00:00:00.000Z", "deletedDate": None, "id": "i1"}
    usual |= {"organizationId": None, "folderId": None, "type": 1, "reprompt": 0, "favorite": False}
    return usual | {"name": name, "notes": None, "login": inner, "collectionIds": None} | more


def note(name, text):
    return {"type": 2, "name": name, "notes": text, "favorite": False, "secureNote": {"type": 0}, "login": None}


def bitwarden(home):
    """Logins and notes come with all that an item has a place for; the rest is counted or named."""
    text = 'p"\\\u00e9\U0001f511\t\n'
    rich = {"folderId": "f1", "fields": [{"name": "PIN", "value": "1", "type": 1}], "totp": "otpauth://totp/x"}
    rich |= {"passwordHistory": [{"password": "old"}], "fido2Credentials": [{"credentialId": "x"}], "notes": "a\nb"}
    path = vault(
        home,
        login("Shop", ["https://shop.example:8443/in", "https://other.example"], "ann", text, **rich),
        login("Router", [], "root", "r"),
        login("Empty", ["https://e.example"], "ann", None),
        login("Bare", ["https://bare.example"], None, "b") | {"login": None},
        note("Codes", "1234\n5678"),
        {"type": 3, "name": "Visa", "card": {"number": "4111"}},
        {"type": 5, "name": "Key", "sshKey": {"privateKey": "x"}},
        {"name": "Nameless kind"},
        7,
    )
    lost = dict.fromkeys(("fields", "folderId", "passwordHistory", "totp", "fido2Credentials", "uris"), 1)
    stays = ["Visa", "Key", "Nameless kind", ""]
    expected = report(added=3, withoutPassword=2, notRead=stays, leftOut=lost)
    assert imported(home, "bitwarden", "-n", path, status=1) == expected and items(home) == []
    assert imported(home, "bitwarden", path, status=1) == expected
    found = {item["labl"]: item for item in items(home)}
    for title, wanted in {
        "Shop": {"srvr": "shop.example", "port": 8443, "path": "/in", "acct": "ann", "v_Data": text, "icmt": "a\nb"},
        "Router": {"class": "genp", "svce": "Router", "acct": "root", "v_Data": "r"},
        "Codes": {"class": "genp", "svce": "Codes", "acct": "", "v_Data": "1234\n5678"},
    }.items():
        assert {key: found[title].get(key) for key in wanted} == wanted, found[title]
    # A repetition adds nothing; a change is named, and taken with -U; the undo takes back what nobody has changed.
    assert imported(home, "bitwarden", path, status=1) == expected | {"added": 0, "same": 3}
    path = vault(home, login("Router", [], "root", "new"))
    assert imported(home, "bitwarden", path, status=1) == report(different=["Router"])
    assert imported(home, "bitwarden", "-U", path) == report(replaced=1)
    assert imported(home, "1password", "-u") == {"deleted": 0, "changed": 0}
    text = home.run("import-from", "bitwarden", vault(home, {"type": 4, "name": "Ann"})).stdout
    assert "Ann: neither a login nor a note, and left out\n" in text, text
    home.says("import-from", "-u", "bitwarden", out="2 imported items were deleted; 1 were changed since, and stay.\n")


def no_vault(home):
    """Of a file that is encrypted, damaged, cut or another program's nothing is added, and the reason is said."""
    whole = json.dumps({"items": [login("A", [], "u", "p")]}).encode()
    for content, because in (
        (json.dumps({"encrypted": True, "passwordProtected": True, "data": "2.x"}).encode(), "encrypted"),
        (whole[:-1], "damaged or cut"),
        (whole + b"}", "damaged or cut"),
        (b"", "damaged or cut"),
        (b"[]", "damaged or cut"),
        (b"{}", "no list of items"),
        (b'{"items": {"a": 1}}', "no list of items"),
        (b'{"items": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}", "damaged or cut"),
        (whole + b" " * (8 << 20), ""),
    ):
        home.fails(1, "import-from", "bitwarden", put(home, content), because=because)
    home.fails(1, "import-from", "bitwarden", put(home, whole, mode=0o602), because="may change")
    assert home.run("import-from", "bitwarden").returncode == 2
    assert items(home) == []


# A dump as macOS writes it: a generic password, one whose value its user has not allowed, an internet password, a key.
DUMP = r"""keychain: "/Users/ann/Library/Keychains/login.keychain-db"
version: 512
class: "genp"
attributes:
    0x00000007 <blob>="Router"
    0x00000008 <blob>=<NULL>
    "acct"<blob>=0x61C3A9  "a\303\251"
    "cdat"<timedate>=0x32303233303130323033303430355A00  "20230102030405Z\000"
    "crtr"<uint32>="aapl"
    "cusi"<sint32>=<NULL>
    "desc"<blob>="AirPort network password"
    "gena"<blob>=0x00FF41  "\000\377A"
    "icmt"<blob>="say "hi""
    "invi"<sint32>=0x00000001  "\000\000\000\001"
    "mdat"<timedate>=0x32303233303130323033303430355A00  "20230102030405Z\000"
    "nega"<sint32>=<NULL>
    "prot"<blob>=<NULL>
    "scrp"<sint32>=<NULL>
    "svce"<blob>="Router"
    "type"<uint32>=<NULL>
data:
0x70C3A90A  "p\303\251\012"
keychain: "/Users/ann/Library/Keychains/login.keychain-db"
version: 512
class: "genp"
attributes:
    0x00000007 <blob>="Other"
    "acct"<blob>="ann"
    "svce"<blob>="Other"
data:
keychain: "/Users/ann/Library/Keychains/login.keychain-db"
version: 512
class: "inet"
attributes:
    0x00000007 <blob>="web.example"
    "acct"<blob>="ann"
    "atyp"<blob>="form"
    "path"<blob>="/in"
    "port"<uint32>=0x000020FB
    "ptcl"<uint32>="htps"
    "sdmn"<blob>=<NULL>
    "srvr"<blob>="web.example"
data:
"a"b c"
keychain: "/Users/ann/Library/Keychains/login.keychain-db"
version: 512
class: 0x0000000F
attributes:
    0x00000001 <blob>="My key"
"""


def dump_of_macos(home):
    """Passwords come with their attributes; what has no value or no place is counted or named."""
    path = put(home, DUMP.encode(), "dump.txt")
    expected = report(added=2, withoutPassword=1, notRead=["My key"], leftOut={"desc": 1})
    assert imported(home, "macos", "-n", path, status=1) == expected and items(home) == []
    assert imported(home, "macos", path, status=1) == expected
    found = {item["labl"]: item for item in items(home)}
    for title, wanted in {
        "Router": {"svce": "Router", "acct": "a\u00e9", "icmt": 'say "hi"', "v_Data": "p\u00e9\n", "invi": 1},
        "web.example": {
            "srvr": "web.example", "acct": "ann", "path": "/in", "port": 8443, "ptcl": "htps", "atyp": "form",
            "sdmn": "", "v_Data": 'a"b c',
        },
    }.items():
        assert {key: found[title].get(key) for key in wanted} == wanted, found[title]
    assert imported(home, "macos", path, status=1) == expected | {"added": 0, "same": 2}
    home.says("import-from", "-u", "macos", out="2 imported items were deleted; 0 were changed since, and stay.\n")


def dump_of_our_own(home):
    """All that `dump-keychain -d` shows of a password comes back, but for dates and the kind."""
    words = [
        ("add-generic-password", "-s", "S\n", "-a", "\u4f60", "-w", "p\\1", "-j", 'a "note"', "-G", "\x01x"),
        ("add-generic-password", "-s", "plain", "-a", "ann", "-w", "0x41", "-C", "aapl", "-c", "Code"),
        ("add-internet-password", "-s", "a.example", "-a", "u", "-r", "ssh ", "-P", "2222", "-p", "/x", "-w", '"'),
        ("add-internet-password", "-s", "a.example", "-a", "u", "-w", "\u00e9\n\n"),
    ]
    for command in words:
        assert home.run(*command).returncode == 0, command
    before = shown(home)
    path = put(home, home.run("dump-keychain", "-d").stdout.encode(), "dump.txt")
    assert imported(home, "macos", path) == report(same=4)
    for item in items(home):
        code = "find-generic-password" if item["class"] == "genp" else "find-internet-password"
        words = ["-a", item["acct"], "-l", item["labl"]]
        assert home.run(code.replace("find", "delete"), *words).returncode == 0, item
    assert items(home) == []
    assert imported(home, "macos", path) == report(added=4)
    assert shown(home) == before


def shown(home):
    """The dump without dates and kind."""
    text = home.run("dump-keychain", "-d").stdout
    hidden = ('"cdat"', '"mdat"', '"desc"')
    return sorted(
        "\n".join(line for line in record.splitlines() if not line.strip().startswith(hidden))
        for record in text.split("keychain: ")
    )


def no_dump(home):
    """Of a text that is no dump, is cut in a line or has lists of access nothing is added, and the line is named."""
    for content, because in (
        (b"", "line 1 "),
        (b"\n", "line 1 "),
        (DUMP[:-2].encode(), "line 49 "),
        (DUMP.encode().replace(b"0x00FF41", b"0x00FF4"), "line 12 "),
        (DUMP.encode().replace(b"0x00FF41", b"0x00FG41"), "line 12 "),
        (DUMP.encode().replace(b"version: 512\n", b"access: 1 entries\n", 1), "access are not read"),
        (DUMP.encode().replace(b'"a"b c"', b'"a"b c'), "line 44 "),
        (DUMP.encode() + b"x" * 1000, "damaged or cut"),
        (DUMP.encode() + b"\x00" * (8 << 20), ""),
    ):
        home.fails(1, "import-from", "macos", put(home, content), because=because)
    home.fails(1, "import-from", "macos", put(home, DUMP.encode(), mode=0o602), because="may change")
    assert items(home) == []


def archive(home, text, name="export.data", **files):
    """A file as 1Password exports it: an archive with a text and with documents."""
    path = put(home, b"", "export.1pux")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("export.attributes", json.dumps({"version": 3}))
        file.writestr(name, text if isinstance(text, bytes) else json.dumps(text))
        for other, content in files.items():
            file.writestr(f"files/{other}", content)
    return path


def account(*found):
    vaults = [{"attrs": {"name": "Private"}, "items": list(found)}]
    return {"accounts": [{"attrs": {"accountName": "Ann"}, "vaults": vaults}]}


def item(title, category, url="", **details):
    usual = {"loginFields": [], "notesPlain": "", "sections": [], "passwordHistory": []}
    urls = [{"label": "website", "url": url}] if url else []
    overview = {"title": title, "url": url, "urls": urls, "tags": []}
    return {"categoryUuid": category, "state": "active", "details": usual | details, "overview": overview}


def fields(username, password):
    return [
        {"value": username, "name": "u", "fieldType": "T", "designation": "username"},
        {"value": password, "name": "p", "fieldType": "P", "designation": "password"},
    ]


def one_password(home):
    """Logins, single passwords and notes come; sections and tags are counted, items of other kinds named."""
    rich = item("Shop", "001", "https://shop.example/in", loginFields=fields("ann", 'p"\\\u00e9'), notesPlain="n")
    rich["details"]["sections"] = [{"title": "Extra", "fields": [{"title": "PIN", "value": {"concealed": "1"}}]}]
    # Further fields of a website's form have no designation; a button has no value.
    pin = {"value": "1234", "name": "pin", "fieldType": "T", "designation": ""}
    rich["details"]["loginFields"] += [pin, {"name": "save", "fieldType": "I", "value": ""}]
    rich["details"]["passwordHistory"] = [{"value": "old", "time": 1}]
    rich["overview"] |= {"tags": ["work"], "urls": rich["overview"]["urls"] * 2}
    found = [
        rich,
        item("Single", "005", password="s"),
        item("Codes", "003", notesPlain="1234"),
        {"item": item("Wrapped", "001", loginFields=fields("bob", "w"))},
        item("Empty", "001", loginFields=fields("ann", "")),
        item("Visa", "002"),
        None,
    ]
    path = archive(home, account(*found), document=b"x" * 100_000)
    lost = dict.fromkeys(("loginFields", "passwordHistory", "sections", "tags", "urls"), 1)
    expected = report(added=4, withoutPassword=1, notRead=["Visa", ""], leftOut=lost)
    assert imported(home, "1password", "-n", path, status=1) == expected and items(home) == []
    assert imported(home, "1password", path, status=1) == expected
    there = {item["labl"]: item for item in items(home)}
    for title, wanted in {
        "Shop": {"srvr": "shop.example", "path": "/in", "acct": "ann", "v_Data": 'p"\\\u00e9', "icmt": "n"},
        "Single": {"class": "genp", "svce": "Single", "v_Data": "s"},
        "Codes": {"class": "genp", "svce": "Codes", "acct": "", "v_Data": "1234"},
        "Wrapped": {"svce": "Wrapped", "acct": "bob", "v_Data": "w"},
    }.items():
        assert {key: there[title].get(key) for key in wanted} == wanted, there[title]
    assert imported(home, "1password", path, status=1) == expected | {"added": 0, "same": 4}
    home.says("import-from", "-u", "1password", out="4 imported items were deleted; 0 were changed since, and stay.\n")


def no_archive(home):
    """Of what is no such archive, is cut, bursts or asks for a password nothing is added, and the reason is said."""
    whole = open(archive(home, account(item("A", "005", password="s"))), "rb").read()
    for content, because in (
        (b"", "no export.data"),
        (b"PK", "no export.data"),
        (whole[:-30], "no export.data"),
        (whole[: len(whole) // 2], "no export.data"),
        (open(archive(home, {}, name="other"), "rb").read(), "no export.data"),
        (open(archive(home, b'{"accounts": "' + b" " * (40 << 20) + b'"}'), "rb").read(), "no export.data"),
        (open(archive(home, b'{"accounts": ['), "rb").read(), "damaged or cut"),
        (open(archive(home, {"accounts": 1}), "rb").read(), "no export.data"),
    ):
        home.fails(1, "import-from", "1password", put(home, content, "broken.1pux"), because=because)
    home.fails(1, "import-from", "1password", put(home, whole, mode=0o602), because="may change")
    # A name that unzip would take for a pattern names the file, and a variable of unzip's changes nothing.
    path = put(home, whole, "[a-z]*.1pux")
    home.environment["UNZIP"] = "-l"
    assert imported(home, "1password", "-n", path) == report(added=1)
    # An encrypted archive is refused, and nobody is asked.
    locked = bytearray(whole)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = locked.find(mark)
        while place >= 0:
            locked[place + offset] |= 1
            place = locked.find(mark, place + 1)
    home.fails(1, "import-from", "1password", put(home, bytes(locked)), because="no export.data")
    home.environment["PATH"] = home.programs
    home.fails(1, "import-from", "1password", path, because="opens the archives")
    assert items(home) == []


def no_trial_of_an_undo(home):
    """A trial together with an undo is refused, and deletes nothing."""
    assert imported(home, "bitwarden", vault(home, login("Router", [], "root", "r"))) == report(added=1)
    for words in (("-n", "-u", "bitwarden"), ("--undo", "--dry-run", "gnome-keyring"), ("-n", "-u", "keyring-file")):
        assert home.run("import-from", *words).returncode == 2, words
    assert [item["labl"] for item in items(home)] == ["Router"]


run_parts(
    (
        bitwarden,
        no_trial_of_an_undo,
        no_vault,
        dump_of_macos,
        dump_of_our_own,
        no_dump,
        one_password,
        no_archive,
    )
)
