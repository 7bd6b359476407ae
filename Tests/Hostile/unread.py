"""Programs whose file lies on a file system that does not answer, as the user who has it.

usage: unread.py SOCKET FRAME PROGRAM COUNT

Starts so many processes of a small program that wait, has the file system cease to answer, and has each connect and
ask. Prints how many have asked, and goes on until a line comes. With a count of 0 it attaches a file there to a request
itself; with -1 it does so in each way there is, when it is known who it is. With another number below 0 the process of
that number, less its sign, alone never gets a file closed, which is attached for ten seconds.

The file system is a FUSE of this process, below an overlay: what others look at is asked for in its owner's name then.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
NEW_NAMESPACE, NEW_USERS, PRIVATE = 0x20000, 0x10000000, 0x44000
LOOKUP, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 3, 14, 15, 17, 18
GETXATTR, FLUSH, INIT, OPENDIR, RELEASEDIR = 22, 25, 26, 27, 29
NO_ENTRY, NO_CALL, NO_DATA = -2, -38, -61
ROOT, FILE = 1, 2


def must(result, what):
    if result:
        raise SystemExit(f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind, flags=0, options=None):
    must(libc.mount(source, target, kind, flags, options), f"mount {target.decode()}")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def become_root_of_own_namespace():
    user, group = os.getuid(), os.getgid()
    must(libc.unshare(NEW_USERS | NEW_NAMESPACE), "unshare")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"0 {user} 1")
    write("/proc/self/gid_map", f"0 {group} 1")


def attributes(node, size):
    """struct fuse_attr of a folder with one program."""
    folder = node == ROOT
    return struct.pack(
        "<6Q10I",
        node,
        0 if folder else size,
        0 if folder else (size + 511) // 512,
        1,
        1,
        1,
        0,
        0,
        0,
        0o40755 if folder else 0o100755,
        2 if folder else 1,
        0,
        0,
        0,
        4096,
        0,
    )


def answer(operation, node, body, program):
    """What a request is answered with, or an error's number."""
    if operation == INIT:
        return struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 12, 9, 65536, 1, 0, 0, 0)
    if operation == LOOKUP:
        if body.rstrip(b"\0") != b"program":
            return NO_ENTRY
        return struct.pack("<4Q2I", FILE, 1, 0, 0, 0, 0) + attributes(FILE, len(program))
    if operation == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(node, len(program))
    if operation in (OPEN, OPENDIR):
        return struct.pack("<QII", 1, 0, 0)
    if operation == READ:
        _, offset, size = struct.unpack_from("<QQI", body)
        return program[offset : offset + size]
    if operation in (RELEASE, RELEASEDIR, FLUSH):
        return b""
    if operation == STATFS:
        return struct.pack("<5Q4I24x", 100, 50, 50, 10, 5, 4096, 255, 4096, 0)
    return NO_DATA if operation == GETXATTR else NO_CALL


def serve(device, program, unanswered):
    """Answers until it is stopped."""
    while True:
        try:
            request = os.read(device, 1 << 20)
        except OSError as error:
            if error.errno == 19:
                os._exit(0)
            continue
        _, operation, unique, node = struct.unpack_from("<IIQQ", request)
        # Those that want no answer: forget, batch_forget, interrupt.
        if operation in (2, 36, 42):
            continue
        if operation == FLUSH and closes_for(struct.unpack_from("<I", request, 32)[0], unanswered):
            continue
        found = answer(operation, node, request[40:], program)
        code, content = (found, b"") if isinstance(found, int) else (0, found)
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(content), code, unique) + content)
        except OSError:
            pass


def closes_for(thread, process):
    """Whether a thread is one of a process, whose files are never closed."""
    if not process:
        return False
    with contextlib.suppress(OSError), open(f"/proc/{thread}/status") as file:
        return f"Tgid:\t{process}\n" in file.read()
    return False


def start_file_system(program, unanswered=0):
    mount(b"none", b"/", None, PRIVATE)
    mount(b"own", b"/mnt", b"tmpfs")
    for name in ("fuse", "upper", "work", "top"):
        os.mkdir(f"/mnt/{name}")
    device = os.open("/dev/fuse", os.O_RDWR)
    mount(b"fuse", b"/mnt/fuse", b"fuse", 0, b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % device)
    server = os.fork()
    if server == 0:
        try:
            serve(device, program, unanswered)
        finally:
            os._exit(1)
    os.close(device)
    mount(b"own", b"/mnt/top", b"overlay", 0, b"lowerdir=/mnt/fuse,upperdir=/mnt/upper,workdir=/mnt/work,userxattr")
    return server


def attach(path, server):
    """Sends what is no request with a file that cannot be closed."""
    file = os.open("/mnt/fuse/program", os.O_RDONLY)
    os.kill(server, signal.SIGSTOP)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    socket.send_fds(connection, [b"\xff" * 16], [file])
    print(0, flush=True)
    select.select([sys.stdin], [], [])
    os.kill(server, signal.SIGKILL)
    os._exit(0)


def attach_again_and_again(path, frame):
    """Attaches a file to requests that are answered, or not: one process alone never gets it closed."""
    file, end, connection = os.open("/mnt/top/program", os.O_RDONLY), time.monotonic() + 10, None
    while time.monotonic() < end:
        try:
            connection = connection or identified(path, frame)
            connection.settimeout(1)
            socket.send_fds(connection, [request(EXAMINE)], [file])
            if not connection.recv(65536):
                connection = None
        except (OSError, SystemExit):
            connection = None


EXAMINE, UNLOCK, NOT_FOUND = 21, 3, -25300


def request(code):
    """A request to the device that announces one file."""
    return struct.pack("<IBBBBII", 1, 1, 2, 1, 0, 7, 0) + bytes([code])


def identified(path, frame):
    """A connection that has had an answer: it is known whose it is."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.settimeout(30)
    connection.sendall(frame)
    answer = connection.recv(65536)
    if len(answer) < 16 or struct.unpack("<i", answer[12:16])[0] not in (0, NOT_FOUND):
        raise SystemExit(f"not identified: {answer}")
    return connection


def attach_in_each_way(path, frame, server):
    """Sends files that cannot be closed.

With what is no request, with more than a request has, as a program and as a passcode.
    """
    ways = [(b"\xff" * 16, 1), (b"\xff" * 16, 20), (request(EXAMINE), 1), (request(UNLOCK), 1)] * 5
    files = [[os.open("/mnt/fuse/program", os.O_RDONLY) for _ in range(count)] for _, count in ways]
    connections = [identified(path, frame) for _ in ways]
    os.kill(server, signal.SIGSTOP)
    for connection, (words, _), attached in zip(connections, ways, files):
        try:
            socket.send_fds(connection, [words], attached)
        except OSError as error:
            # Those that came before have had it closed, or nobody reads on.
            print(error, file=sys.stderr)
    print(-1, flush=True)
    select.select([sys.stdin], [], [])
    os.kill(server, signal.SIGKILL)
    os._exit(0)


def main():
    path, count = sys.argv[1], int(sys.argv[4])
    frame, program = (open(name, "rb").read() for name in sys.argv[2:4])
    become_root_of_own_namespace()
    server = start_file_system(program, -count if count < -1 else 0)
    if count < -1:
        attach_again_and_again(path, frame)
        print(count, flush=True)
        select.select([sys.stdin], [], [])
        os.kill(server, signal.SIGKILL)
        os._exit(0)
    if count == 0:
        attach(path, server)
    if count == -1:
        attach_in_each_way(path, frame, server)
    asking = [
        subprocess.Popen(["/mnt/top/program", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(count)
    ]
    try:
        for each in asking:
            each.stdout.readline()
        os.kill(server, signal.SIGSTOP)
        for each in asking:
            each.stdin.write(frame)
            each.stdin.close()
        print(sum(each.stdout.readline() == b"asked\n" for each in asking), flush=True)
        select.select([sys.stdin], [], [])
    finally:
        for each in asking:
            each.kill()
        os.kill(server, signal.SIGKILL)
        for each in asking:
            each.wait()
        os.waitpid(server, 0)


main()
