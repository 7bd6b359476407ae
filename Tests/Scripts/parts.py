"""The parts of a script that root plays, and those that an ordinary user plays.

The run of all tests says in KEYCHAIN_TEST_PARTS whose turn it is. A script that is started alone plays all that its
user may play.
"""

import os

TURN = os.environ.get("KEYCHAIN_TEST_PARTS")
ROOT = os.geteuid() == 0


def of_root(case):
    """Marks a case that takes root's privileges."""
    case.is_of_root = True
    return case


def roots_turn():
    return ROOT and TURN != "user"


def users_turn():
    return TURN != "root"


def of_this_turn(cases):
    return [case for case in cases if (roots_turn() if getattr(case, "is_of_root", False) else users_turn())]
