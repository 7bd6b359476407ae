"""Processes of the service in an attacker's hands: root has a process itself make the system calls that whoever has
taken it over would make, so that its own user, capabilities, filters and restrictions answer.
"""

import ctypes
import errno
import os
import platform
import signal
import socket
import struct

from patience import eventually

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PEEK, POKE, STEP, GETREGS, SETREGS, ATTACH, DETACH = 2, 5, 9, 12, 13, 16, 17

# The numbers of system calls on x86-64, by what they are called there.
CALLS = {
    "close": 3,
    "socket": 41,
    "connect": 42,
    "sendto": 44,
    "sendmsg": 46,
    "shutdown": 48,
    "socketpair": 53,
    "execve": 59,
    "kill": 62,
    "ptrace": 101,
    "openat": 257,
    "prlimit64": 302,
    "process_vm_readv": 310,
}

CURRENT, SEIZE = -100, 0x4206

# struct user_regs_struct, as far as it is used.
REGISTERS = 27
R10, R9, R8, RAX, RDX, RSI, RDI, ORIGINAL, RIP, RSP = 7, 8, 9, 10, 12, 13, 14, 15, 16, 19


class Taken:
    """A process whose first thread makes system calls for us; it goes on as if nothing had been."""

    def __init__(self, process):
        if platform.machine() != "x86_64":
            raise RuntimeError("the registers of this machine are not known here")
        self.process = process

    def __enter__(self):
        # It waits in a system call, whose instruction is used again.
        eventually(self._is_stopped_in_a_call, f"{self.process} is never in a system call")
        self.room = (self.before[RSP] - 4096) & ~15
        return self

    def _is_stopped_in_a_call(self):
        self._ptrace(ATTACH)
        os.waitpid(self.process, 0x40000000)
        self.before = self._registers()
        if self.before[ORIGINAL] < 2**63:
            return True
        self._ptrace(DETACH)
        return False

    def __exit__(self, *_):
        self._set(self.before)
        self._ptrace(DETACH)

    def _ptrace(self, request, address=None, data=None):
        ctypes.set_errno(0)
        result = libc.ptrace(request, self.process, address, data)
        if result == -1 and ctypes.get_errno():
            raise OSError(ctypes.get_errno(), "ptrace")
        return result

    def _registers(self):
        values = (ctypes.c_uint64 * REGISTERS)()
        self._ptrace(GETREGS, None, ctypes.addressof(values))
        return list(values)

    def _set(self, registers):
        values = (ctypes.c_uint64 * REGISTERS)(*registers)
        self._ptrace(SETREGS, None, ctypes.addressof(values))

    def _place(self, data):
        """Puts bytes into its memory; gives their address."""
        data += bytes(-len(data) % 8)
        address = self.room
        self.room += len(data)
        for offset in range(0, len(data), 8):
            self._ptrace(POKE, address + offset, struct.unpack_from("<q", data, offset)[0])
        return address

    def call(self, name, *arguments):
        """Has it make a system call; gives the result, or raises its error. Bytes are put into its memory."""
        self.room = (self.before[RSP] - 4096) & ~15
        words = [self._place(word) if isinstance(word, bytes) else word for word in arguments]
        registers = list(self.before)
        registers[RAX], registers[ORIGINAL] = CALLS[name], 2**64 - 1
        registers[RIP] -= 2
        for register, word in zip([RDI, RSI, RDX, R10, R8, R9], words + [0] * 6):
            registers[register] = word % 2**64
        self._set(registers)
        self._ptrace(STEP)
        _, status = os.waitpid(self.process, 0x40000000)
        if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != signal.SIGTRAP:
            raise RuntimeError(f"{name} did not return")
        result = ctypes.c_int64(self._registers()[RAX]).value
        if result < 0:
            raise OSError(-result, f"{name}: {os.strerror(-result)}")
        return result

    def may(self, name, *arguments, refusals=(errno.EPERM, errno.EACCES)):
        """Whether it may make a call; any other error than a refusal is our mistake."""
        try:
            self.result = self.call(name, *arguments)
            return True
        except OSError as error:
            if error.errno in refusals:
                return False
            raise

    def opens(self, path):
        """Whether it opens a file or folder for reading."""
        if not self.may("openat", CURRENT, path.encode() + b"\0", 0, 0):
            return False
        self.call("close", self.result)
        return True

    def connects(self, path, word=b""):
        """Whether it connects to a unix socket, and may say a word there."""
        if not self.may("socket", socket.AF_UNIX, socket.SOCK_STREAM, 0):
            return False
        number, address = self.result, struct.pack("<H", socket.AF_UNIX) + path.encode() + b"\0"
        connected = self.may("connect", number, address, len(address))
        if connected and word:
            self.call("sendto", number, word, len(word), 0, 0, 0)
        self.call("close", number)
        return connected

    def reads_memory(self, process):
        """Whether it looks into another process's memory, in any of three ways."""
        return (
            self.may("ptrace", SEIZE, process, 0, 0)
            or self.copies_memory(process)
            or self.opens(f"/proc/{process}/mem")
        )

    def copies_memory(self, process):
        """Whether it may copy from another process's memory; that nothing is where it looks comes after that."""
        here, there = (struct.pack("<QQ", address, 8) for address in (self.before[RSP] - 8192, 8))
        try:
            return self.may("process_vm_readv", process, here, 1, there, 1, 0)
        except OSError as error:
            if error.errno == errno.EFAULT:
                return True
            raise

    def leaves_unread(self):
        """Sends descriptors between sockets of its own, which it does not read, until the kernel wants no more.

How many.
        """
        pair, most, sent = self.before[RSP] - 65536, 253, 0
        while True:
            self.call("socketpair", socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, 0, pair)
            first = self._ptrace(PEEK, pair) & 0xFFFFFFFF
            # A message of a byte with as many descriptors as one carries, all of the same socket.
            self.room = pair + 64
            control = self._place(
                struct.pack("<Qii", 16 + 4 * most, socket.SOL_SOCKET, socket.SCM_RIGHTS)
                + struct.pack("<i", first) * most
            )
            part = self._place(struct.pack("<QQ", pair, 1))
            message = self._place(struct.pack("<QQQQQQQ", 0, 0, part, 1, control, 16 + 4 * most, 0))
            try:
                while True:
                    self.call("sendmsg", first, message, 0)
                    sent += most
            except OSError as error:
                if error.errno == errno.ETOOMANYREFS:
                    return sent
                if error.errno != errno.EAGAIN:
                    raise

    def starts_program(self):
        # The file is there and no program: who may start it is told so.
        return self.may("execve", b"/etc/hostname\0", 0, 0, refusals=(errno.EPERM,))
