"""A Secret Service some of whose items cannot be read, as a keyring with damage has them.

usage: odd_keyring.py, on the bus of DBUS_SESSION_BUS_ADDRESS; writes a line when it has the name
"""

import hashlib
import hmac
import secrets
import subprocess

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"
SECRET, PROPERTIES = "org.freedesktop.Secret.", "org.freedesktop.DBus.Properties"
COLLECTION = f"{ROOT}/collection/login"
# RFC 2409, the second group of Oakley.
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE65381FFFFFFFFFFFFFFFF",
    16,
)
# What is wrong with each item; the last ones are as they should be.
ITEMS = (
    "gone", "no value", "damaged value", "other cipher", "no attributes", "many attributes", "long label", "long value",
    "whole", "odd text",
)  # fmt: skip


class Failed(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.Failed"


def shared_key(theirs):
    """The key of the session, and this side's public half."""
    own = secrets.randbelow(PRIME)
    common = pow(int.from_bytes(theirs), own, PRIME).to_bytes(128)
    extracted = hmac.digest(bytes(32), common, "sha256")
    return hmac.new(extracted, b"\x01", hashlib.sha256).digest()[:16], pow(2, own, PRIME).to_bytes(128)


def encrypted(value, key):
    vector = secrets.token_bytes(16)
    words = ["openssl", "enc", "-aes-128-cbc", "-K", key.hex(), "-iv", vector.hex()]
    return vector, subprocess.run(words, input=value, capture_output=True, check=True).stdout


class Keyring(dbus.service.FallbackObject):
    key = b""

    @dbus.service.method(SECRET + "Service", in_signature="sv", out_signature="vo")
    def OpenSession(self, _, theirs):
        self.key, own = shared_key(bytes(theirs))
        return dbus.ByteArray(own), f"{ROOT}/session/s"

    @dbus.service.method(SECRET + "Service", in_signature="s", out_signature="o")
    def ReadAlias(self, name):
        return COLLECTION if name == "default" else "/"

    @dbus.service.method(SECRET + "Service", in_signature="ao", out_signature="aoo")
    def Unlock(self, objects):
        return objects, "/"

    @dbus.service.method(SECRET + "Service", in_signature="aoo", out_signature="a{o(oayays)}")
    def GetSecrets(self, paths, session):
        kinds = {path: ITEMS[int(path.rsplit("/", 1)[1])] for path in paths}
        if "damaged value" in kinds.values():
            raise Failed("an item is damaged")
        return {path: self.secret(kind, session) for path, kind in kinds.items() if kind != "no value"}

    def secret(self, kind, session):
        vector, text = encrypted(b"v" * (2 << 20) if kind == "long value" else b"a value", self.key)
        if kind == "other cipher":
            vector, text = b"", b"12345"
        return dbus.Struct((session, dbus.ByteArray(vector), dbus.ByteArray(text), "text/plain"), signature="oayays")

    @dbus.service.method(
        PROPERTIES, in_signature="s", out_signature="a{sv}", rel_path_keyword="place"
    )
    def GetAll(self, interface, place):
        if interface == SECRET + "Service":
            return {"Collections": dbus.Array([COLLECTION], signature="o")}
        if interface == SECRET + "Collection":
            items = dbus.Array([f"{COLLECTION}/{number}" for number in range(len(ITEMS))], signature="o")
            return {"Label": "Login", "Locked": False, "Items": items}
        kind = ITEMS[int(place.rsplit("/", 1)[1])]
        if kind == "gone":
            raise Failed("there is no such item")
        many = {f"n{number}": "x" for number in range(100)}
        pairs = many if kind == "many attributes" else {"n": kind}
        label = "l" * (2 << 20) if kind == "long label" else "\x1b[2J" if kind == "odd text" else kind
        attributes = {} if kind == "no attributes" else {"Attributes": dbus.Dictionary(pairs, signature="ss")}
        return {"Label": label, "Locked": False} | attributes


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(NAME, bus, do_not_queue=True)
keyring = Keyring(bus, ROOT)
print("ready", flush=True)
GLib.MainLoop().run()
