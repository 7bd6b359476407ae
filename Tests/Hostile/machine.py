"""A view of this machine with accounts of our own in it: mounts that this process and its children alone see.

Nothing of the machine is changed. Programs that are set-user-ID work as ever, for the mounts are root's. Processes that
have left do not meet those of another test in /run, in shared memory or on the network.
"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys

NEW_MOUNTS, NEW_NETWORK, BIND, RECURSIVE, PRIVATE = 0x20000, 0x40000000, 4096, 16384, 1 << 18
# Where to read and change the flags of a network's interface, and the flag of one that works.
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 1
libc = ctypes.CDLL(None, use_errno=True)
has_left = False


def check(code, what):
    if code != 0:
        raise SystemExit(f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind=None, flags=0, data=None):
    words = [word.encode() if word else None for word in (source, target, kind)]
    check(libc.mount(*words, flags, data.encode() if data else None), f"mount {target}")


def leave():
    """From here on, mounts are this process's and its children's own; so are /run, shared memory and the network.

    A process whose parent has left gets mounts of its own alone.
    """
    global has_left
    check(libc.unshare(NEW_MOUNTS), "unshare")
    mount("none", "/", flags=RECURSIVE | PRIVATE)
    if has_left:
        return
    has_left = True
    fresh("/run")
    os.mkdir("/run/lock")
    os.chmod("/run/lock", 0o1777)
    fresh("/dev/shm", "1777")
    # A folder of the login's is not there any more.
    if os.environ.get("XDG_RUNTIME_DIR", "").startswith("/run/"):
        del os.environ["XDG_RUNTIME_DIR"]
    leave_network()
    # A test that is told to end removes what it has made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def leave_network():
    """From here on, ports and abstract names are this process's and its children's own, and nobody else is reached."""
    check(libc.unshare(NEW_NETWORK), "unshare")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        found = fcntl.ioctl(any_socket, GET_FLAGS, struct.pack("16sH22x", b"lo", 0))
        _, flags = struct.unpack("16sH22x", found)
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH22x", b"lo", flags | UP))


def cover(target, source):
    """Puts a file or folder in the place of another one, which must be there."""
    mount(source, target, flags=BIND)


def fresh(folder, mode="755"):
    mount("tmpfs", folder, "tmpfs", data=f"mode={mode}")


def add_lines(folder, path, lines):
    """Adds lines to a file of the machine's, as we see it."""
    if not lines:
        return
    copy = os.path.join(folder, os.path.basename(path))
    status, text = os.stat(path), open(path).read()
    with open(copy, "w") as file:
        file.write(text + ("\n" if text and not text.endswith("\n") else "") + "".join(line + "\n" for line in lines))
    os.chown(copy, status.st_uid, status.st_gid)
    os.chmod(copy, status.st_mode & 0o7777)
    cover(path, copy)


def add_accounts(folder, accounts, home, subordinates=()):
    """Adds accounts, each a name with its number and its password or None; a group of the same number goes with each.

    `subordinates`: lines of /etc/subuid and /etc/subgid.
    """
    add_lines(
        folder,
        "/etc/passwd",
        [f"{name}:x:{number}:{number}::{home(name)}:/bin/sh" for name, (number, _) in accounts.items()],
    )
    add_lines(folder, "/etc/group", [f"{name}:x:{number}:" for name, (number, _) in accounts.items()])
    add_lines(
        folder,
        "/etc/shadow",
        [f"{name}:{digest(password)}:19000:0:99999:7:::" for name, (_, password) in accounts.items()],
    )
    for path in ("/etc/subuid", "/etc/subgid"):
        add_lines(folder, path, list(subordinates))


def digest(password):
    if password is None:
        return "!"
    return subprocess.run(
        ["openssl", "passwd", "-6", password], check=True, capture_output=True, text=True
    ).stdout.strip()
