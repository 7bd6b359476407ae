"""The model itself: histories that a keychain may give, and such that it must not."""

from model import ABSENT, DUPLICATE, NEVER, NOT_FOUND, OK, Call, explain


def call(begin, end, kind, value=None, status=OK):
    return Call(begin, end, kind, value, status)


ALLOWED = [
    ("an add and a read after it", ABSENT, [call(0, 1, "add", "1"), call(2, 3, "get", "1")], {"1"}),
    ("a read beside an add sees either", ABSENT, [call(0, 9, "add", "1"), call(2, 3, "get", None, NOT_FOUND)], {"1"}),
    (
        "two adds at once: one is a duplicate",
        ABSENT,
        [call(0, 5, "add", "1"), call(1, 6, "add", "2", DUPLICATE)],
        {"1"},
    ),
    ("an add without an answer may be there, or not", ABSENT, [call(0, NEVER, "add", "1", None)], {ABSENT, "1"}),
    (
        "an add without an answer may come later",
        ABSENT,
        [call(0, NEVER, "add", "1", None), call(2, 3, "get", None, NOT_FOUND), call(4, 5, "get", "1")],
        {"1"},
    ),
    (
        "a delete among two sets",
        "0",
        [call(0, 5, "set", "1"), call(1, 6, "del"), call(2, 7, "set", "2", NOT_FOUND)],
        {ABSENT},
    ),
    (
        "an add that ends after a delete of what it found",
        "0",
        [call(0, 9, "add", "1", DUPLICATE), call(1, 2, "del")],
        {ABSENT},
    ),
]
REFUSED = [
    ("an acknowledged add is gone", ABSENT, [call(0, 1, "add", "1"), call(2, 3, "get", None, NOT_FOUND)]),
    ("an old value comes back", "0", [call(0, 1, "set", "1"), call(2, 3, "get", "1"), call(4, 5, "get", "0")]),
    ("a value that nobody sent", "0", [call(0, 1, "get", "7")]),
    ("a refused add is there", "0", [call(0, 1, "add", "1", DUPLICATE), call(2, 3, "get", "1")]),
    ("two adds of one item, both acknowledged", ABSENT, [call(0, 5, "add", "1"), call(1, 6, "add", "2")]),
    ("a deleted item is found", "0", [call(0, 1, "del"), call(2, 3, "get", "0")]),
    (
        "an add without an answer is there, and gone again",
        ABSENT,
        [call(0, NEVER, "add", "1", None), call(1, 2, "get", "1"), call(3, 4, "get", None, NOT_FOUND)],
    ),
]

for name, state, calls, expected in ALLOWED:
    assert explain(state, calls) == expected, name
for name, state, calls in REFUSED:
    assert not explain(state, calls), name
print(f"the model: {len(ALLOWED)} histories allowed, {len(REFUSED)} refused")
