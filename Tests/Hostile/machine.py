"""A view of this machine with accounts of our own in it: mounts that this process and its children alone see.

Nothing of the machine is changed. Programs that are set-user-ID work as ever, for the mounts are root's.
"""

import ctypes
import os
import subprocess

NEW_MOUNTS, BIND, RECURSIVE, PRIVATE = 0x20000, 4096, 16384, 1 << 18
libc = ctypes.CDLL(None, use_errno=True)


def check(code, what):
    if code != 0:
        raise SystemExit(f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind=None, flags=0, data=None):
    words = [word.encode() if word else None for word in (source, target, kind)]
    check(libc.mount(*words, flags, data.encode() if data else None), f"mount {target}")


def leave():
    """From here on, mounts are this process's and its children's own."""
    check(libc.unshare(NEW_MOUNTS), "unshare")
    mount("none", "/", flags=RECURSIVE | PRIVATE)


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
