"""What an attacker's process does: intruder.py ATTACK ARGUMENTS, as the user it attacks from. Prints what it gets."""

import ctypes
import os
import select
import socket
import struct
import subprocess
import sys
import time

# How long anything may take that must happen, seconds.
PATIENCE = 120


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


def ask(connection, frame):
    """Sends a recorded request and prints the answer's bytes."""
    connection.settimeout(PATIENCE)
    try:
        connection.sendall(frame)
        answer = connection.recv(65536)
    except OSError as error:
        return print(f"refused: {error}")
    sys.stdout.write(answer.decode("utf-8", "replace") or "closed")


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
    until(lambda: has_become(child, program))
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
        until(lambda: has_become(process, program))
        sys.stdout = open(report, "w", errors="replace")
        ask(connection, frame_of(frame))
        sys.stdout.flush()
        os.kill(process, 9)
        os._exit(0)
    os.dup2(reader, 0)
    os.execv(program, [program, "-i"])


def until(condition):
    while not condition():
        time.sleep(0.01)


def has_become(process, program):
    """Whether a process executes a program and waits for something, as even a process shows that may not be looked at.

    It has the program's name before its marks, and does not wait in between.
    """
    with open(f"/proc/{process}/stat") as file:
        name, _, rest = file.read().partition("(")[2].rpartition(")")
    return name == os.path.basename(program)[:15] and rest.split()[0] == "S"


def await_word():
    """Lets the suite do something before the attack goes on."""
    print("about", flush=True)
    sys.stdin.readline()


def exec_after_asking(path, frame, program):
    """The child connects, asks, and becomes the program that may; its parent reads the answer."""
    await_word()
    reader, writer = os.pipe()
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        connection = connect(path)
        connection.sendall(frame_of(frame))
        socket.send_fds(theirs, [b"x"], [connection.fileno()])
        os.dup2(reader, 0)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execv(program, [program, "-i"])
    _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    until(lambda: has_become(child, program))
    print("ready", flush=True)
    ask(socket.socket(fileno=descriptors[0]), b"")
    os.kill(child, 9)
    os.waitpid(child, 0)


def introduce(connection):
    """Sends the number that the keychain gives to whoever it has just identified."""
    for body in (b"", None):
        body = answer[20:] if body is None else body
        connection.sendall(struct.pack("<IBBBBII", len(body), 1, 6, 0, 0, 7, 0) + body)
        answer = connection.recv(65536)
        if struct.unpack("<i", answer[12:16])[0] != 0:
            return print(answer.decode("utf-8", "replace"), flush=True)
        length = struct.unpack("<I", answer[16:20])[0]
        answer = answer[:16] + answer[16:20] + answer[20 + length :]


def has_item(connection, add, find, secret):
    """Stores the secret and finds it, as the program that this is."""
    connection.settimeout(PATIENCE)
    connection.sendall(frame_of(add))
    connection.recv(65536)
    connection.sendall(frame_of(find))
    answer = connection.recv(65536).decode("utf-8", "replace")
    if secret not in answer:
        print(answer, flush=True)
        sys.exit(1)
    print("the program has its item", flush=True)


def hold(path, add, find, secret, way, introduction):
    """Run by the program itself: gets its item, then lets another process have its connection."""
    connection = connect(path)
    if introduction == "introduced":
        introduce(connection)
    has_item(connection, add, find, secret)
    if way == "handed":
        ours, theirs = socket.socketpair()
        process = subprocess.Popen(
            ["/usr/bin/python3", __file__, "receive", str(theirs.fileno()), find], pass_fds=[theirs.fileno()]
        )
        socket.send_fds(ours, [b"x"], [connection.fileno()])
        process.wait(PATIENCE)
    elif way == "inherited":
        subprocess.run(
            ["/usr/bin/python3", __file__, "handed_socket", str(connection.fileno()), find],
            pass_fds=[connection.fileno()],
            timeout=PATIENCE,
        )
    elif way == "forked":
        child = os.fork()
        if child == 0:
            ask(connection, frame_of(find))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
    elif way == "number":
        subprocess.Popen(
            ["/usr/bin/python3", __file__, "reuse", str(connection.fileno()), find, str(os.getpid())],
            pass_fds=[connection.fileno()],
        )


def with_library(path, library, frame):
    """Run by an anchored program: has a library in it, and asks."""
    ctypes.CDLL(library)
    connection = connect(path)
    introduce(connection)
    ask(connection, frame_of(frame))


def receive(channel, frame):
    """A connection that comes as a descriptor."""
    _, descriptors, _, _ = socket.recv_fds(socket.socket(fileno=int(channel)), 1, 1)
    ask(socket.socket(fileno=descriptors[0]), frame_of(frame))


def reuse(connection, frame, number):
    """Asks over a connection from under the number of the process that made it, once that has ended."""
    until(lambda: not os.path.exists(f"/proc/{number}"))
    print(number, flush=True)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            if os.getpid() != int(number):
                os._exit(1)
            print("got it", flush=True)
            ask(socket.socket(fileno=int(connection)), frame_of(frame))
            sys.stdout.flush()
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            return
        print("missed", flush=True)


def return_to(path, add, find, secret):
    """Run by an anchored program: gets its item, executes the attacker's program, which asks and executes it again."""
    connection = connect(path)
    introduce(connection)
    has_item(connection, add, find, secret)
    connection.set_inheritable(True)
    sys.stdin.readline()
    os.execv(
        "/usr/bin/python3", ["python3", __file__, "ask_and_return", str(connection.fileno()), find, sys.executable]
    )


def ask_and_return(number, frame, program):
    connection = socket.socket(fileno=int(number))
    await_word()
    connection.sendall(frame_of(frame))
    if os.fork() == 0:
        until(lambda: has_become(os.getppid(), program))
        print("ready", flush=True)
        ask(connection, b"")
        sys.stdout.flush()
        os._exit(0)
    os.execv(program, [program, "-c", "import os; os.wait()"])


def orphaned_connection(path, frame, asker, *processes):
    """The child connects and ends; whoever reuses its number is to be taken for it. Waits for a word in between.

    `processes`: those of the service that have to do with connections.
    """
    await_word()
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        connection = connect(path)
        if asker == "child":
            connection.sendall(frame_of(frame))
        socket.send_fds(theirs, [b"x"], [connection.fileno()])
        # The service takes the connection as long as the child lives.
        until(lambda: is_taken(path, processes))
        os._exit(0)
    _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    os.waitpid(child, 0)
    print(child, flush=True)
    sys.stdin.readline()
    ask(socket.socket(fileno=descriptors[0]), b"" if asker == "child" else frame_of(frame))


def is_taken(path, processes):
    """Whether no connection waits to be accepted, and the processes have nothing to do (proc_net(5), proc_pid_stat(5)).
    """
    with open("/proc/net/unix") as file:
        sockets = [line.split() for line in file]
    if any(socket[5] == "02" and socket[-1] == path for socket in sockets):
        return False
    return all(is_idle(process) for process in processes)


def is_idle(process):
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] not in "ST":
                return False
    return True


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
            connection.settimeout(20)
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


def newcomers(path, frame, processes):
    """Has new processes connect and ask, one after the other in so many places, until a line comes."""
    request = frame_of(frame)
    reader, writer = os.pipe()
    for _ in range(int(processes)):
        if os.fork() == 0:
            os.close(writer)
            while not select.select([reader], [], [], 0)[0]:
                child = os.fork()
                if child == 0:
                    connection = connect(path)
                    connection.settimeout(20)
                    connection.sendall(request)
                    connection.recv(65536)
                    os._exit(0)
                os.waitpid(child, 0)
            os._exit(0)
    print(processes, flush=True)
    sys.stdin.readline()
    os.close(writer)
    for _ in range(int(processes)):
        os.wait()


def many_numbers(path, count):
    """Connects as one number after the other, in many processes, until a line comes; as root of a user namespace."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)

    def work(number):
        while True:
            number += 1
            if os.fork() == 0:
                os.setgid(number % 65536)
                os.setuid(number % 65536)
                for _ in range(3):
                    try:
                        connect(path)
                    except OSError:
                        pass
                os._exit(0)
            os.waitpid(-1, os.WNOHANG)
            try:
                if os.read(reader, 1) == b"":
                    os._exit(0)
            except BlockingIOError:
                pass

    for part in range(int(count)):
        if os.fork() == 0:
            os.close(writer)
            work(1 + part * (65536 // int(count)))
    time.sleep(1)
    print(count, flush=True)
    sys.stdin.readline()


def begun(path, request):
    """A connection with the beginning of a request; nothing if none is taken. A machine that has much to do refuses
    some programs at first, because it does not know them in time.
    """
    for _ in range(20):
        connection = connect(path)
        connection.settimeout(60)
        try:
            connection.sendall(request)
            return connection
        except OSError:
            connection.close()
    return None


def hog(path, count, size, processes="1"):
    """Sends the beginnings of frames and keeps the connections until a line comes; each process has its part of them.
    """
    head = (
        (2**20 - 64).to_bytes(4, "little")
        + bytes([1, 1, 0, 0])
        + (1).to_bytes(4, "little")
        + (60000).to_bytes(4, "little")
    )
    reader, writer = os.pipe()
    ours, theirs = os.pipe()
    for _ in range(int(processes)):
        if os.fork() == 0:
            os.close(ours)
            os.close(writer)
            kept = []
            for _ in range(int(count) // int(processes)):
                connection = begun(path, head + bytes(int(size)))
                if connection is None:
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
