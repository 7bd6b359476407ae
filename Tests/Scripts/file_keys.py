"""The keys of a protected file, and processes that have them in their memory. Root looks.

The keys are known from a backup and the file, as docs/formats/backup.md and docs/formats/file.md say.
"""

import base64
import pathlib

import protected_file
import read_backup
from process_memory import contents


def file_keys(backup, passphrase, path):
    """The keys of a file and of its shelf, by who knows the formats and the passphrase of a backup."""
    records = read_backup.read(pathlib.Path(backup).read_bytes(), 1, passphrase.encode())
    content = pathlib.Path(path).read_bytes()
    claimed = protected_file.Header(content[: protected_file.HEADER])
    for found in records:
        if found["class"] == "shelf" and base64.b64decode(found["id"]) == claimed.own[1]:
            shelf = protected_file.Shelf(found["protection"])
            shelf.id, shelf.wrap_key, shelf.private = (
                base64.b64decode(found[word]) for word in ("id", "wrapKey", "privateKey")
            )
            header, file_key = protected_file.authentic(content, shelf)
            chunks = protected_file.derive(file_key, header.file_id, b"chunks")
            return {"file key": file_key, "key of its chunks": chunks, "wrap key": shelf.wrap_key}
    raise AssertionError("the shelf of the file is not in the backup")


def held(process, keys):
    """The names of the keys that are somewhere in a process's memory."""
    return {name for content in contents(process) for name, key in keys.items() if key in content}


def children(process):
    folder = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(number) for number in folder.read_text().split()]
