"""A gate that says that it has passed has run everything."""

import run


def test_a_round_that_broke_off_has_not_passed():
    """A test that failed passes alone, or is red; a first round without results is red, whatever comes after it."""
    assert run.settled(True, {"a"}, {"a"}, set()) == (True, set())
    assert run.settled(True, {"a", "b"}, {"a"}, set()) == (False, {"b"})
    assert run.settled(False, {"a"}, set(), {"a"}) == (False, {"a"})
    assert run.settled(True, {"pytest"}, set(), set()) == (False, {"pytest"})
    assert run.settled(True, set(), set(), set()) == (False, {"pytest"})
