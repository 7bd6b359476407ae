"""What a keychain may answer.

Every item is a register that each call changes, or finds, at one moment between its begin and its end.

A history of one item is a list of calls. `explain` says whether there is an order of these moments in which every
answer is right, and what the item may be afterwards. A call without an answer may have had its effect at any moment
after its begin, or none.
"""

import collections

OK, DUPLICATE, NOT_FOUND = 0, -25299, -25300
ABSENT = None
NEVER = float("inf")

# kind is add, set, del, get, wipe (delete if there) or setif (set if there); status is None where there is no answer,
# or one that leaves open whether the call had its effect.
Call = collections.namedtuple("Call", "begin end kind value status")


def after(state, call):
    """What an item is after a call that found it as `state`; a tuple of possibilities, empty when the answer is wrong.
    """
    kind, value, status = call.kind, call.value, call.status
    if kind == "get":
        if status is None:
            return (state,)
        expected = value if status == OK else ABSENT
        return (state,) if state == expected else ()
    changed = {
        "add": value if state is ABSENT else state,
        "set": state if state is ABSENT else value,
        "setif": state if state is ABSENT else value,
        "del": ABSENT,
        "wipe": ABSENT,
    }[kind]
    if status is None:
        return (changed,)
    had_effect = {
        "add": state is ABSENT,
        "set": state is not ABSENT,
        "del": state is not ABSENT,
        "wipe": True,
        "setif": True,
    }[kind]
    if status == OK:
        return (changed,) if had_effect else ()
    if kind in ("wipe", "setif"):
        return (state,) if state is ABSENT else ()
    return (state,) if not had_effect else ()


def explain(state, calls):
    """The set of what the item may be after its calls; empty when no order explains the answers.

    Calls begin and end in order of time. A configuration is a state and the open calls that already had their
    moment; when a call ends it must have had it, so before that any open calls are let have theirs.
    """
    events = sorted(
        [(call.begin, 1, number) for number, call in enumerate(calls)]
        + [(call.end, 0, number) for number, call in enumerate(calls) if call.end != NEVER]
    )
    configurations, running = {(state, frozenset())}, set()
    for _, begins, number in events:
        if begins:
            running.add(number)
            continue
        configurations = with_moment(configurations, running, calls, number)
        running.discard(number)
        if not configurations:
            return set()
    return {state for state, _ in reach(configurations, running, calls)}


def with_moment(configurations, running, calls, number):
    if len(running) == 1 and all(not done for _, done in configurations):
        return {(found, frozenset()) for state, _ in configurations for found in after(state, calls[number])}
    return {(state, done - {number}) for state, done in reach(configurations, running, calls) if number in done}


def reach(configurations, running, calls):
    """All configurations that come of these when open calls have their moments."""
    seen, new = set(configurations), list(configurations)
    while new:
        state, done = new.pop()
        for number in running - done:
            for found in after(state, calls[number]):
                configuration = (found, done | {number})
                if configuration not in seen:
                    seen.add(configuration)
                    new.append(configuration)
    return seen
