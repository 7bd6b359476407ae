"""Requests as docs/formats/protocol.md has them."""

import struct

# Becomes another text each time a frame is played.
TEXT = "@@@@@@@@"
ITEM, DEVICE, KEY, AUTHENTICATION = 1, 2, 4, 5
ADD, SEARCH = 1, 2
VALUE, ATTRIBUTES = 1, 2
DESCRIPTION, ACCOUNT, SERVICE, DATA = 8, 18, 19, 0xF001


def frame(kind, body, descriptors=0, milliseconds=0):
    return struct.pack("<IBBBBII", len(body), 1, kind, descriptors, 0, 1, milliseconds) + body


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def attributes(entries):
    listed = b""
    for number, value in sorted(entries.items()):
        kind, content = (2, value) if isinstance(value, bytes) else (1, value.encode())
        listed += struct.pack("<HBBI", number, kind, 0, len(content)) + content
    return listed


def item(operation, entries, returns=0, limit=1):
    query = attributes(entries)
    head = struct.pack("<BBBBBBHIQQI", operation, 1, returns, 0, 0, 0, 0, limit, 0, 0, len(query))
    return frame(ITEM, head + query)


def add(service, size=16, account=TEXT):
    return item(ADD, {SERVICE: service, ACCOUNT: account, DATA: bytes(size)}, limit=0)


def lookup(service, account):
    return item(SEARCH, {SERVICE: service, ACCOUNT: account}, VALUE)


def listing(service):
    return item(SEARCH, {SERVICE: service}, VALUE | ATTRIBUTES, limit=0)


def everything():
    return item(SEARCH, {}, VALUE | ATTRIBUTES, limit=0)


def scan(limit=0):
    """What no column has, so that every item that may be meant is opened."""
    return item(SEARCH, {DESCRIPTION: "nothing has this description"}, ATTRIBUTES, limit)


def make_key():
    return frame(KEY, struct.pack("<BBBHQ", 1, 1, 0, 0, 0) + text(""))


def status():
    return frame(DEVICE, b"\x01")


def verify():
    return frame(DEVICE, struct.pack("<BBq", 6, 1, 0))


def unlock():
    return frame(DEVICE, b"\x03", descriptors=1)


def prompt():
    """Asks the user, on a display that is not there."""
    surroundings = text("") + b"\x01" + b"\x01" + text(":99")
    question = struct.pack("<BB", 2, 0) + text("a reason") + text("") + text("") + surroundings
    return frame(AUTHENTICATION, b"\x02\x01\x02" + bytes(16) + question)
