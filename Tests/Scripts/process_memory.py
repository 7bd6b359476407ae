"""The memory of another process, as root reads it."""

import pathlib
import re


def contents(process):
    """The content of each part of a process's memory that it may read itself."""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{process}/maps").read_text().splitlines():
            start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
            if "r" not in rights or line.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            try:
                memory.seek(int(start, 16))
                yield memory.read(int(end, 16) - int(start, 16))
            except OSError:
                continue
