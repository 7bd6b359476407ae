"""A server that speaks PostgreSQL's protocol, and answers every query with what no server should.

usage: postgres_server.py FOLDER copy|rows|notices|columns|message|silence|rounds

It listens on the socket of a server in the folder, prints a line when it does, and ends with its input.
"""

import os
import socket
import struct
import sys
import threading

FOLDER, KIND = sys.argv[1:]
KEPT = []


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


def text(*words):
    return b"".join(word.encode() + b"\0" for word in words)


ROW = message(b"D", struct.pack("!HI", 1, 1 << 20) + bytes(1 << 20))
COLUMN = text("x") + struct.pack("!IHIHIH", 0, 0, 17, 65535, 4294967295, 1)
COLUMNS = message(b"T", struct.pack("!H", 1) + COLUMN)
WIDE = 10_000
NO_VALUES = message(b"D", struct.pack("!H", WIDE) + b"\xff" * 4 * WIDE)
NOTICE = message(b"N", text("SNOTICE", "C00000", "M" + "shown?" * 1000) + b"\0")
SETTINGS = {"server_version": "15", "in_hot_standby": "off", "default_transaction_read_only": "off"}


def ask_for_rounds(client):
    """Has the client prove its password by many rounds, makes a file when it has, and keeps the connection."""
    client.sendall(message(b"R", struct.pack("!I", 10) + text("SCRAM-SHA-256") + b"\0"))
    nonce = client.recv(4096).split(b",r=")[1]
    challenge = b"r=" + nonce + b"server,s=c2FsdA==,i=4000000"
    client.sendall(message(b"R", struct.pack("!I", 11) + challenge))
    if client.recv(1):
        open(f"{FOLDER}/proved{client.fileno()}", "w", encoding="utf-8").close()


def serve(client):
    size = struct.unpack("!I", client.recv(4, socket.MSG_WAITALL))[0]
    client.recv(size - 4, socket.MSG_WAITALL)
    if KIND == "rounds":
        ask_for_rounds(client)
        KEPT.append(client)
        return
    client.sendall(message(b"R", struct.pack("!I", 0)))
    for name, value in SETTINGS.items():
        client.sendall(message(b"S", text(name, value)))
    client.sendall(message(b"Z", b"I"))
    client.recv(1)
    if KIND == "copy":
        client.sendall(message(b"G", struct.pack("!BH", 0, 0)))
    if KIND == "columns":
        # An answer that ends, small on its way, and large for a reader that keeps a place for each column.
        client.sendall(message(b"T", struct.pack("!H", WIDE) + COLUMN * WIDE))
        for _ in range(500):
            client.sendall(NO_VALUES)
        client.sendall(message(b"C", text("SELECT")) + message(b"Z", b"I"))
    if KIND == "message":
        # Most of a row of two gigabytes.
        client.sendall(COLUMNS + b"D" + struct.pack("!I", 0x7FFF0000))
    if KIND == "rows":
        client.sendall(COLUMNS)
    while KIND in ("rows", "notices"):
        client.sendall(ROW if KIND == "rows" else NOTICE)
    client.recv(1 << 20)
    client.recv(1 << 20)


def answer(client):
    try:
        serve(client)
    except OSError:
        client.close()


listener = socket.socket(socket.AF_UNIX)
listener.bind(f"{FOLDER}/.s.PGSQL.5432")
listener.listen()


def accept():
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
print("listening", flush=True)
sys.stdin.read()
os._exit(0)
