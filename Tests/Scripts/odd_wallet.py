"""A daemon of KWallet's, as far as programs read from it, some of whose entries cannot be read.

usage: odd_wallet.py, on the bus of DBUS_SESSION_BUS_ADDRESS; writes a line when it has the name
"""

import struct

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

KWALLET = "org.kde.KWallet"
PASSWORD, STREAM, MAP = 1, 2, 3


def text(value):
    """A text as Qt writes it; None is a null."""
    if value is None:
        return b"\xff\xff\xff\xff"
    units = value.encode("utf-16-be")
    return struct.pack(">I", len(units)) + units


def table(**pairs):
    return struct.pack(">I", len(pairs)) + b"".join(text(part) for pair in pairs.items() for part in pair)


ENTRIES = {
    "Passwords": {
        "mail": (PASSWORD, text("gehe\u00efm\U0001f511")),
        "none": (PASSWORD, text(None)),
        "cut": (PASSWORD, text("value")[:-1]),
        "half": (PASSWORD, struct.pack(">I", 2) + b"\xd8\x00"),
        "more": (PASSWORD, text("value") + b"x"),
    },
    "Form Data": {
        "https://h.example/#form": (MAP, table(user="ann", pw='p"\\\n')),
        "huge": (MAP, b"\xff\xff\xff\xff"),
        "bytes": (STREAM, b"\xff\x00\n"),
        "gone": (PASSWORD, None),
        "unknown": (0, b"x"),
    },
    "Empty": {},
}


class Failed(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.Failed"


class Wallet(dbus.service.Object):
    open_handles = 0

    @dbus.service.method(KWALLET, in_signature="", out_signature="b")
    def isEnabled(self):
        return True

    @dbus.service.method(KWALLET, in_signature="", out_signature="s")
    def networkWallet(self):
        return "kdewallet"

    @dbus.service.method(KWALLET, in_signature="", out_signature="as")
    def wallets(self):
        return ["kdewallet", "Closed", "Second"]

    @dbus.service.method(KWALLET, in_signature="sxs", out_signature="i")
    def open(self, wallet, window, client):
        self.open_handles += wallet != "Closed"
        return {"kdewallet": 7, "Second": 8}.get(wallet, -1)

    @dbus.service.method(KWALLET, in_signature="ibs", out_signature="i")
    def close(self, handle, force, client):
        self.open_handles -= 1
        return 0

    @dbus.service.method(KWALLET, in_signature="is", out_signature="as")
    def folderList(self, handle, client):
        return dbus.Array(list(ENTRIES) if handle == 7 else ["Empty"], signature="s")

    @dbus.service.method(KWALLET, in_signature="iss", out_signature="as")
    def entryList(self, handle, folder, client):
        return dbus.Array(list(ENTRIES[folder]), signature="s")

    @dbus.service.method(KWALLET, in_signature="isss", out_signature="i")
    def entryType(self, handle, folder, key, client):
        return ENTRIES[folder][key][0]

    @dbus.service.method(KWALLET, in_signature="isss", out_signature="ay")
    def readEntry(self, handle, folder, key, client):
        value = ENTRIES[folder][key][1]
        if value is None:
            raise Failed("the entry is damaged")
        return dbus.ByteArray(value)

    @dbus.service.method("org.example.Test", in_signature="", out_signature="i")
    def OpenHandles(self):
        return self.open_handles


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName("org.kde.kwalletd5", bus, do_not_queue=True)
wallet = Wallet(bus, "/modules/kwalletd5")
print("ready", flush=True)
GLib.MainLoop().run()
