"""A client of a bus that writes its messages itself, and so sends answers and signals that are not its own."""

import os
import socket

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

DRIVER, DRIVER_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
KINDS = Gio.DBusMessageType
# In a namespace of users, the same user would have another number.
USER = os.getuid()


class Forger:
    """A connection of its own."""

    def __init__(self, address):
        self.serial, self.buffer = 0, b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(address.partition("path=")[2].partition(",")[0])
        self.socket.sendall(f"\0AUTH EXTERNAL {str(USER).encode().hex()}\r\nBEGIN\r\n".encode())
        while not self.buffer.endswith(b"\r\n"):
            self.buffer += self.socket.recv(1)
        self.buffer = b""
        self.name = self.ask(DRIVER, DRIVER_PATH, DRIVER, "Hello").get_body()[0]

    def close(self):
        self.socket.close()

    def end(self):
        """Also for one that reads meanwhile."""
        self.socket.shutdown(socket.SHUT_RDWR)

    def send(self, *messages):
        """All in one piece, so that nobody comes between them. The serial of the first."""
        pieces = []
        for message in messages:
            self.serial += 1
            message.set_serial(self.serial)
            pieces.append(message.to_blob(Gio.DBusCapabilityFlags.NONE))
        self.socket.sendall(b"".join(pieces))
        return self.serial - len(messages) + 1

    def next(self):
        """The next message that comes."""
        self.read(16)
        count = Gio.DBusMessage.bytes_needed(self.buffer[:16])
        self.read(count)
        message, self.buffer = self.buffer[:count], self.buffer[count:]
        return Gio.DBusMessage.new_from_blob(message, Gio.DBusCapabilityFlags.NONE)

    def read(self, count):
        while len(self.buffer) < count:
            piece = self.socket.recv(count - len(self.buffer))
            assert piece, "the bus has closed the connection"
            self.buffer += piece

    def answer(self, serial):
        while True:
            message = self.next()
            if message.get_reply_serial() == serial:
                return message

    def ask(self, *names, values=None):
        return self.answer(self.send(call(*names, values=values)))

    def owner(self, name):
        """The unique name, and the number of the process."""
        values = GLib.Variant("(s)", [name])
        process = self.ask(DRIVER, DRIVER_PATH, DRIVER, "GetConnectionUnixProcessID", values=values)
        owner = self.ask(DRIVER, DRIVER_PATH, DRIVER, "GetNameOwner", values=values)
        return owner.get_body()[0], process.get_body()[0]


def call(service, path, interface, member, values=None):
    message = Gio.DBusMessage.new_method_call(service, path, interface, member)
    if values:
        message.set_body(values)
    return message


def forged_answers(receiver, serials, values=None):
    """Answers to calls of the receiver; errors where there are no values."""
    for serial in serials:
        message = Gio.DBusMessage.new()
        message.set_message_type(KINDS.METHOD_RETURN if values else KINDS.ERROR)
        message.set_destination(receiver)
        message.set_reply_serial(serial)
        if values:
            message.set_body(values)
        else:
            message.set_error_name("org.freedesktop.DBus.Error.Failed")
        yield message


def forged_signal(receiver, path, interface, member, values):
    message = Gio.DBusMessage.new_signal(path, interface, member)
    message.set_destination(receiver)
    message.set_body(values)
    return message


def gone(receiver, name, comes=False):
    """The bus's own signal that a client has left, or comes."""
    values = GLib.Variant("(sss)", [name, "" if comes else name, name if comes else ""])
    return forged_signal(receiver, DRIVER_PATH, DRIVER, "NameOwnerChanged", values)
