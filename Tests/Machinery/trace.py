"""Reads what shim.c has written down, and says what a disk may hold after a power cut at any point of it.

A disk has what was synced. Of what was written to a file since its last sync it has any part, in units of 512 bytes,
each as any of these writes left it; of the changes of its length, those up to any one. Changes of names come to the
disk in their order, and all of them when the folder is synced. A sync that failed leaves the file's pages marked
clean: what was written before it never comes to the disk, unless it is written again.
"""

import copy
import os
import struct

SECTOR, PAGE = 512, 4096
HEADER = struct.Struct("=IIIIQQQ")


class Record:
    def __init__(self, kind, process, file, name, offset, length, data):
        self.kind, self.process, self.file, self.name = kind, process, file, name
        self.offset, self.length, self.data = offset, length, data


def read(path):
    """The records in their order."""
    with open(path, "rb") as file:
        content = file.read()
    records, position = [], 0
    while position + HEADER.size <= len(content):
        magic, kind, process, name_length, number, offset, length = HEADER.unpack_from(content, position)
        if magic != 0x4D494853:
            raise ValueError(f"the record of writes is broken at {position}")
        position += HEADER.size
        name = content[position : position + name_length].decode()
        position += name_length
        data = b""
        if chr(kind) in "wrm":
            data = content[position : position + length]
            position += length
        records.append(Record(chr(kind), process, number, name, offset, length, data))
    return records


class File:
    """What the disk has of a file for certain, and what was done to it since."""

    def __init__(self, content=b""):
        self.durable = bytearray(content)
        self.pending = []
        self.size = len(content)

    def write(self, offset, data):
        end = offset + len(data)
        while offset < end:
            count = min(SECTOR - offset % SECTOR, end - offset)
            self.pending.append((offset, data[:count]))
            data, offset = data[count:], offset + count
        self.size = max(self.size, end)

    def resize(self, size):
        self.pending.append((size, None))
        self.size = size

    def sync(self):
        self.durable = self.content(range(len(self.pending)), self.size)
        self.pending = []

    def fail(self):
        """Its pages are clean now, whatever the disk has; its length is known to the file system."""
        self.pending = []
        self.durable = self.content([], self.size)

    def content(self, chosen, size):
        """With some of what is pending, in order; as long as `size`."""
        made = bytearray(self.durable)
        for index in chosen:
            offset, data = self.pending[index]
            if data is None:
                del made[offset:]
                continue
            if len(made) < offset + len(data):
                made.extend(bytes(offset + len(data) - len(made)))
            made[offset : offset + len(data)] = data
        del made[size:]
        made.extend(bytes(size - len(made)))
        return made

    def sizes(self):
        """What its length may be."""
        lengths, size = [len(self.durable)], len(self.durable)
        for offset, data in self.pending:
            size = offset if data is None else max(size, offset + len(data))
            if size != lengths[-1]:
                lengths.append(size)
        return lengths


class Disk:
    """A folder as it may be after a power cut."""

    def __init__(self, folder=None, syncs_names=False):
        """Begins with a folder all of which is on the disk, or with an empty one.

        syncs_names: a new file that is synced has its name on the disk, too, as file systems of Linux have it;
        fsync(2) does not promise it. SQLite relies on it where it cannot open the folder.
        """
        self.syncs_names = syncs_names
        self.files, self.names, self.changes = {}, {}, []
        for name in os.listdir(folder) if folder and os.path.isdir(folder) else []:
            path = f"{folder}/{name}"
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.names[name] = os.stat(path).st_ino
                    self.files[self.names[name]] = File(file.read())

    def apply(self, record):
        file = self.files.setdefault(record.file, File()) if record.file else None
        match record.kind:
            case "w":
                file.write(record.offset, record.data)
            case "t":
                file.resize(record.offset)
            case "s":
                file.sync()
                if self.syncs_names:
                    self.sync_name(record.file)
            case "f":
                file.fail()
            case "d":
                self.names, self.changes = self.entries(len(self.changes)), []
            case "c":
                self.changes.append(("c", record.name, record.file))
            case "r":
                self.changes.append(("r", record.name, record.data.decode()))
            case "u":
                self.changes.append(("u", record.name, None))

    def sync_name(self, number):
        made = [index for index, change in enumerate(self.changes) if change[0] == "c" and change[2] == number]
        if made:
            self.names, self.changes = self.entries(made[-1] + 1), self.changes[made[-1] + 1 :]

    def entries(self, count):
        """The names after so many of the changes that are pending."""
        names = dict(self.names)
        for kind, name, other in self.changes[:count]:
            if kind == "c":
                names[name] = other
            elif kind == "u":
                names.pop(name, None)
            elif name in names:
                names[other] = names.pop(name)
        return names

    def states(self, rng, bound, samples):
        """Folders that the disk may hold, each as a dictionary of contents: all of them where there are at most
        `bound`, else some of the likeliest to hurt and `samples` at random.
        """
        names = self.entries(len(self.changes))
        parts = [
            (number, index)
            for number in sorted(set(names.values()))
            if number in self.files
            for index in range(len(self.files[number].pending))
        ]
        if 2 ** min(len(parts), 40) * (len(self.changes) + 1) <= bound:
            for count in range(len(self.changes) + 1):
                for bits in range(2 ** len(parts)):
                    yield self.folder(count, [part for place, part in enumerate(parts) if bits >> place & 1], None)
            return
        yield self.folder(len(self.changes), parts, None)
        yield self.folder(0, [], rng)
        for _ in range(samples):
            yield self.folder(rng.randrange(len(self.changes) + 1), self.some(parts, rng), rng)

    @staticmethod
    def some(parts, rng):
        """A part of what is pending: a beginning, an end, all but one, one alone, or each by the throw of a coin."""
        if not parts:
            return []
        cut = rng.randrange(len(parts) + 1)
        one = rng.choice(parts)
        odds = rng.random()
        return rng.choice(
            (
                lambda: parts[:cut],
                lambda: parts[cut:],
                lambda: [part for part in parts if part != one],
                lambda: [one],
                lambda: [part for part in parts if rng.random() < odds],
            )
        )()

    def folder(self, count, parts, rng):
        chosen = {}
        for number, index in parts:
            chosen.setdefault(number, []).append(index)
        made = {}
        for name, number in self.entries(count).items():
            file = self.files.get(number)
            if file is None or name.endswith("-shm"):
                continue
            sizes = file.sizes()
            size = rng.choice((sizes[0], sizes[-1], rng.choice(sizes))) if rng else sizes[-1]
            made[name] = bytes(file.content(chosen.get(number, []), size))
        return made

    def copy(self):
        return copy.deepcopy(self)
