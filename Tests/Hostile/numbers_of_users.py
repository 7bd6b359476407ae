"""Numbers for the users of a test: no other test on this machine has them at the same time."""

import socket

FIRST, EACH, MOST = 61400, 40, 100
# Numbers that belong to a user besides (subuid(5)), and numbers without an account.
FIRST_SUBORDINATE, SUBORDINATES = 1_700_000_000, 65536
FIRST_STRANGER, STRANGERS = 1_600_000_000, 1000


def take():
    """A place among the tests that run now, and what holds it until this process ends: a name of a socket."""
    for place in range(MOST):
        holder = socket.socket(socket.AF_UNIX)
        try:
            holder.bind(f"\0keychain-test-numbers-{place}")
        except OSError:
            holder.close()
        else:
            return place, holder
    raise SystemExit(f"{MOST} tests with users of their own run on this machine")


PLACE, HOLDER = take()
USERS = FIRST + PLACE * EACH
SUBORDINATE = FIRST_SUBORDINATE + PLACE * SUBORDINATES
STRANGER = FIRST_STRANGER + PLACE * STRANGERS
