"""A kernel without SO_PEERPIDFD, as those before Linux 6.5 are: a filter of system calls that answers as they do."""

import ctypes
import platform
import struct

GETSOCKOPT = {"x86_64": 55, "aarch64": 209}
LEVEL, OPTION, ENOPROTOOPT = 1, 77, 92
LOAD, IS, RETURN = 0x20, 0x15, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2


def without_peer_descriptor():
    """To be called by root in the process that is to be without it, with all that it starts."""
    # struct seccomp_data: the call's number at 0, its arguments of eight bytes from 16 on.
    program = [
        (LOAD, 0, 0, 0),
        (IS, 0, 5, GETSOCKOPT[platform.machine()]),
        (LOAD, 0, 0, 24),
        (IS, 0, 3, LEVEL),
        (LOAD, 0, 0, 32),
        (IS, 0, 1, OPTION),
        (RETURN, 0, 0, ERROR | ENOPROTOOPT),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
