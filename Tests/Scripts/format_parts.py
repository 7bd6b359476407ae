"""Items, stores and programs that the tests of the store's format share."""

import base64
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PROGRAMS = os.path.abspath(sys.argv.pop(1))
READER = pathlib.Path(__file__).with_name("read_store.py")
STORES = pathlib.Path(__file__).parents[1] / "Support/Fixtures/Stores"
PASSCODE = "öffne dich 1234"


def string(text):
    return {"string": text}


def data(content):
    return {"data": base64.b64encode(content).decode()}


def number(value):
    return {"number": value}


def item(item_class, value=b"", **attributes):
    found = {"class": string(item_class), **attributes}
    return found if value is None else {**found, "v_Data": data(value)}


PASSWORDS = [
    item(
        "genp",
        "gehe\u0300im \U0001f511".encode(),
        acct=string("ännä"),
        svce=string("com.example.a"),
        labl=string("Läbel"),
        desc=string("kind"),
        icmt=string("note\n"),
        gena=data(b"\0\1\2"),
        crtr=number(0x61626364),
        type=number(7),
        invi={"boolean": True},
        nega={"boolean": False},
        scrp=number(-1),
        cusi=number(1),
        prot=data(b"p"),
        alis=data(b"x"),
    ),
    item("genp"),
    item("genp", None, acct=string("no value")),
    item("genp", acct=data(b"\xff\xfe\0not text"), svce=string("bytes")),
    item("genp", acct=number(4711), svce=string("a number as account")),
    item("genp", os.urandom(1 << 20), acct=string("1 MiB")),
    item("genp", b"s", acct=string("synchronised"), sync={"boolean": True}),
    *[item("genp", os.urandom(size), acct=string("size"), svce=string(str(size))) for size in (1, 31, 32, 33, 63, 64)],
    *[
        item("genp", b"p", acct=string("protection"), svce=string(p), pdmn=string(p))
        for p in ("ak", "ck", "dk", "aku", "cku", "dku")
    ],
    item(
        "inet",
        b"i",
        acct=string("a"),
        srvr=string("example.org"),
        sdmn=string("realm"),
        ptcl=string("htps"),
        atyp=string("dflt"),
        port=number(443),
        path=string("/p"),
    ),
    item("inet", srvr=data(b"\xff"), port=string("8080")),
]
OTHERS = [
    item(
        "cert",
        b"\x30\x03\x02\x01\x05",
        ctyp=number(3),
        cenc=number(3),
        subj=data(b"subject"),
        issr=data(b"issuer"),
        slnr=data(b"\1"),
        skid=data(b"id"),
        pkhh=data(bytes(20)),
        labl=string("certificate"),
    ),
    item(
        "keys",
        os.urandom(32),
        kcls=string("1"),
        klbl=data(bytes(20)),
        atag=data(b"tag"),
        type=string("42"),
        bsiz=number(2048),
        esiz=number(2048),
        sdat={"date": 1.5},
        edat={"date": -2.25},
        sign={"boolean": True},
        perm={"boolean": True},
        extr={"boolean": True},
        crtr=number(9),
    ),
    item("keys", atag=string("text as tag")),
]
CIRCLE = [
    "CREATE TABLE synccircle (id INTEGER PRIMARY KEY CHECK (id = 1), floor INTEGER NOT NULL)",
    "CREATE TABLE syncrow (class INTEGER NOT NULL, pk BLOB NOT NULL, hlc INTEGER NOT NULL, dirty INTEGER NOT NULL, "
    "origin BLOB, previous BLOB, base INTEGER, PRIMARY KEY (class, pk)) WITHOUT ROWID",
    "CREATE TABLE syncstate (name BLOB PRIMARY KEY, value BLOB NOT NULL, sealed BLOB) WITHOUT ROWID",
    "INSERT INTO synccircle VALUES (1, 0)",
]
WITH_PASSCODE = item("genp", b"needs a passcode", acct=string("protection"), svce=string("akpu"), pdmn=string("akpu"))


def raw_point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def change(folder, *steps):
    command = [f"{PROGRAMS}/item-changer", folder]
    result = subprocess.run(command, input=json.dumps(steps), text=True, capture_output=True)
    if result.returncode:
        sys.exit(f"item-changer: {result.stdout}{result.stderr}")


def expected(value):
    """What an attribute given as `value` is kept as."""
    if "boolean" in value:
        return number(int(value["boolean"]))
    return {"data": base64.b64decode(value["data"]).hex()} if "data" in value else value


def decimal(value):
    text = value.get("string", "")
    return number(int(text)) if text.isdecimal() else value


class StoreTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = f"{temporary.name}/keychain"
        os.mkdir(self.folder, 0o700)

    def read(self, *arguments, passcode="", status=0):
        result = subprocess.run(
            [sys.executable, READER, self.folder, *arguments], input=passcode, text=True, capture_output=True
        )
        self.assertEqual(result.returncode, status, result.stderr + result.stdout[-2000:])
        return json.loads(result.stdout) if status < 2 else result.stderr

    def enter_circle(self):
        """Section 17 of docs/formats/store.md, for a store that has no items yet."""
        for statement in CIRCLE:
            self.sql(statement)

    def sql(self, statement, *values):
        with sqlite3.connect(f"{self.folder}/keychain.db") as database:
            return database.execute(statement, values).fetchall()
