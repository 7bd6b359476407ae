"""Files of gnome-keyring are imported without it, encrypted and plain.

usage: desktop_keyring_file_test.py FOLDER-OF-PROGRAMS [NAME-OF-CASE ...]
"""

import hashlib
import os
import struct
import subprocess
import sys

import dbus
import desktop_parts
from desktop_import_parts import collection, collections, moved, shown
from desktop_parts import ROOT, Client
from patience import PATIENCE

PROGRAMS = os.path.abspath(sys.argv[1])
# Values that gnome-keyring's own reader changes in a plain file, or that break it.
ITEMS = [
    ("Plain", {"n": "plain"}, b"geheim"),
    ("\u90ae\u4ef6 \\s", {"n": " \u90ae\u4ef6\n", "xdg:schema": "org.example.Mail"}, "\u4f60\u597d".encode()),
    ("Bytes", {"n": "bytes"}, b"\xff\xfe\x00\n"),
    ("Blanks", {"n": "blanks"}, b"  lead\\s\\n\\x"),
    ("Lines", {"n": "lines"}, b"one\n\npassword_expiry_utc=1\n[2]\nmtime=1\nlast"),
]


def imported(place, *words, password=None, **variables):
    """Runs the import; its status, its output and its errors. A password comes through a pipe."""
    place.environment |= variables
    if password is None:
        done = place.run("import-from", *words)
        return done.returncode, done.stdout, done.stderr
    reader, writer = os.pipe()
    os.write(writer, password + b"\n")
    os.close(writer)
    done = place.run("import-from", "-F", str(reader), *words, pass_fds=(reader,))
    os.close(reader)
    return done.returncode, done.stdout, done.stderr


def test_files_of_gnome_keyring():
    """An encrypted file and a plain one: labels, attributes and values are those that programs have stored."""
    with desktop_parts.keyring_desktop(PROGRAMS) as place:
        client = Client(place)
        _, session = client.session()
        for label, password in (("Work", b"pw"), ("Open", b"")):
            made = collection(client, session, label, password)
            for name, attributes, value in ITEMS:
                client.create(session, attributes, value, made, Label=dbus.String(name, variant_level=1))
        client.create(session, {"n": "login"}, b"of the login")
        place.end_keyring()
        folder = f"{place.home}/.local/share/keyrings"
        login, work, plain = (f"{folder}/{name}.keyring" for name in ("login", "Work", "Open"))
        before = {path: open(path, "rb").read() for path in (login, work, plain)}
        assert b"geheim" in before[plain] and b"geheim" not in before[work]
        status, out, err = imported(place, "keyring-file", work, password=b"wrong")
        assert status == 1 and out == "" and "password" in err, (status, out, err)
        status, out, err = imported(place, "keyring-file", work)
        assert status == 1 and "--password-fd" in err, (status, out, err)
        for words, text in (
            (("-n",), "5 items would be added"),
            ((), "5 items were added"),
            ((), "0 items were added.\n5 items are in the keychain already"),
        ):
            for path, password in ((work, b"pw"), (plain, None)):
                status, out, err = imported(place, *words, "keyring-file", path, password=password)
                assert status == 0 and text in out and "geheim" not in out, (words, path, status, out, err)
        assert imported(place, "keyring-file", login, password=b"pw")[0] == 0
        assert before == {path: open(path, "rb").read() for path in before}
        client = moved(place)
        _, session = client.session()
        named = {str(client.get(path, "Collection", "Label")): path for path in collections(client)}
        for label in ("Work", "Open"):
            found = [shown(client, path, session) for path in client.get(named[label], "Collection", "Items")]
            assert sorted(found, key=repr) == sorted(ITEMS, key=repr), (label, found)
        (path,) = client.get(f"{ROOT}/collection/login", "Collection", "Items")
        assert shown(client, path, session)[1:] == ({"n": "login"}, b"of the login")
        status, out, _ = imported(place, "-u", "keyring-file", LC_ALL="zh_CN.UTF-8")
        assert status == 0 and "11" in out and "\u5bfc\u5165" in out, out
        assert collections(client) == []


def number(value):
    return struct.pack(">I", value)


def text(value):
    return number(0xFFFFFFFF) if value is None else number(len(value)) + value


def encrypted(items, password=b"pw", iterations=100, count=None, major=0, attributes=None):
    """A file as gnome-keyring writes it, by the description of its format."""
    head = b"GnomeKeyring\n\r\0\n" + bytes([major, 0, 0, 0]) + text(b"Written") + bytes(16) + bytes(8)
    head += number(iterations) + b"saltsalt" + bytes(16)
    head += number(len(items) if count is None else count)
    plain = b""
    for place, (label, pairs, value, kind) in enumerate(items):
        head += number(place) + number(kind) + number(1) + text(b"n") + number(0) + text(b"hash")
        plain += text(label) + text(value) + bytes(16) + text(None) + bytes(16)
        plain += number(len(pairs) if attributes is None else attributes)
        for name, pair in pairs.items():
            plain += text(name) + (number(1) + number(pair) if isinstance(pair, int) else number(0) + text(pair))
        plain += number(1) + number(3) + text(b"program") + text(b"/usr/bin/x") + text(None) + number(0)
    plain += bytes(-len(plain) % 16)
    plain = hashlib.md5(plain).digest() + plain
    digest = hashlib.sha256(password + b"saltsalt").digest()
    for _ in range(1, min(iterations, 1000)):
        digest = hashlib.sha256(digest).digest()
    words = ["-aes-128-cbc", "-nopad", "-K", digest[:16].hex(), "-iv", digest[16:].hex()]
    done = subprocess.run(["openssl", "enc", *words], input=plain, capture_output=True, timeout=PATIENCE, check=True)
    return head + text(done.stdout)


ONE = [(b"Label", {b"server": b"h", b"port": 443}, b"value", 1)]


def put(place, content, name="some.keyring", mode=0o600):
    path = f"{place.temporary}/{name}"
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    return path


def test_damaged_encrypted_files():
    """A file that is cut, has more than it says, asks for endless work or has a later version adds nothing."""
    with desktop_parts.keyring_desktop(PROGRAMS, daemon=False) as place:
        whole = encrypted(ONE)
        for content, because in [
            *((whole[:size], "") for size in range(16, len(whole), 5)),
            (whole[:-1] + bytes([whole[-1] ^ 1]), "password"),
            (encrypted(ONE, iterations=0xFFFFFFFF), "damaged"),
            (encrypted(ONE, iterations=0), "damaged"),
            (encrypted(ONE, count=0xFFFFFFFF), "damaged"),
            (encrypted(ONE, attributes=0xFFFFFFFE), "damaged"),
            (encrypted(ONE, major=1), "later version"),
        ]:
            status, out, err = imported(place, "-n", "keyring-file", put(place, content), password=b"pw")
            assert status == 1 and out == "" and because in err and "keychain-secrets: " in err, (content, out, err)
        path = put(place, whole, mode=0o602)
        status, _, err = imported(place, "keyring-file", path, password=b"pw")
        assert status == 1 and "no other user" in err, err
        for words in (("keyring-file",), ("-U", "keyring-file", path), ("-u", "keyring-file", path)):
            assert imported(place, *words)[0] == 2, words
        # Numbers are text for programs, and an old type is the schema.
        path = put(place, encrypted([*ONE, (b"\xff", {}, b"x", 0)]))
        status, out, err = imported(place, "keyring-file", path, password=b"pw")
        assert status == 1 and "1 items were added" in out and "1 items without a value" in out, (out, err)
        client = moved(place)
        _, session = client.session()
        ((path,), _) = client.search(port="443")
        attributes = {"server": "h", "port": "443", "xdg:schema": "org.gnome.keyring.NetworkPassword"}
        assert shown(client, path, session) == ("Label", attributes, b"value"), shown(client, path, session)


HEAD = b"[keyring]\ndisplay-name=Own\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n\n"


def plain(identifier, secret, rest=b""):
    return (
        b"[%s]\nitem-type=0\ndisplay-name=Item %s\n" % (identifier, identifier)
        + b"secret=%s\nmtime=1\nctime=1\n%s\n" % (secret, rest)
        + b"[%s:attribute0]\nname=n\ntype=string\nvalue=%s\n\n" % (identifier, identifier)
        + b"[%s:acl0]\ndisplay-name=x\npath=/x\nread-access=true\n\n" % identifier
    )


def test_uncertain_plain_files():
    """An item of which not everything is certain is counted and left out; all others come."""
    with desktop_parts.keyring_desktop(PROGRAMS, daemon=False) as place:
        good = plain(b"1", b"good")
        for number_of, content in (
            (0, good),
            (1, good + plain(b"2", b"a\nmtime=1\nctime=1\n\nmore")),
            (1, good + plain(b"2", b"a", rest=b"other=1\n")),
            (2, good + plain(b"2", b"a") + plain(b"2", b"b") + plain(b"x", b"c")),
            (1, good + b"[2]\nitem-type=0\ndisplay-name=cut\nsecret=half a sec"),
            (1, good + b"[2]\nitem-type=0\ndisplay-name=none\nmtime=1\nctime=1\n\n"),
            (1, good + b"[2]\nitem-type=0\ndisplay-name=bad \\q\nsecret=a\nmtime=1\nctime=1\n\n"),
            (1, good + b"[2]\nitem-type=0\nbinary-secret=0+\nmtime=1\nctime=1\n\n"),
            (1, good + b"[2]\nitem-type=0\nbinary-secret=00\nsecret=a\nmtime=1\nctime=1\n\n"),
        ):
            path = put(place, HEAD + content)
            status, out, err = imported(place, "-n", "keyring-file", path)
            assert status == (1 if number_of else 0) and out.startswith("1 items would be added"), (content, out, err)
            assert not number_of or f"{number_of} items without a value" in out, (content, out, err)
        for content in (b"", b"x\n", good, b"[keyring\n" + good, b"\n" * 1000, b"GnomeKeyring\n\r\0"):
            status, out, err = imported(place, "-n", "keyring-file", put(place, content))
            assert status == 1 and out == "" and "no keyring of gnome-keyring" in err, (content, out, err)


if __name__ == "__main__":
    desktop_parts.play(globals(), needs_keyring=True)
