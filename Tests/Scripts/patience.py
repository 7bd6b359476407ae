"""How long a test waits at most for what must happen.

A wait ends as soon as its condition holds, so a long limit costs nothing: it only ends a test that hangs. It holds on a
machine that is many times slower than this one; KEYCHAIN_TEST_PATIENCE multiplies it.
"""

import os
import time

PATIENCE = 120 * float(os.environ.get("KEYCHAIN_TEST_PATIENCE", "1"))


def eventually(condition, what="it did not happen"):
    """Waits until a condition holds, and gives its value; one that is false is asked again."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.02)
    return value
