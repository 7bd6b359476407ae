"""A small disk that a test lets run full."""

import os


def fill(path, leaving):
    """Takes all the space that is left, but for some bytes."""
    with open(path, "wb", buffering=0) as rest:
        try:
            while rest.write(b"x" * 4096):
                pass
        except OSError:
            pass
        rest.truncate(max(0, os.path.getsize(path) - leaving))
