"""Holds what everybody was told in a round, and what is in the store afterwards, against the model."""

import collections

from model import ABSENT, NEVER, NOT_FOUND, OK, Call, explain
from scripts import LARGE, LARGE_COUNT, OTHER

# Answers by which nobody knows whether the call had its effect: the store says so, a daemon went away or did not answer
# in time.
OPEN_RULES = {"store.outcome-unknown"}
DAEMON_RULES = {"keychain.unavailable", "keychain.deadline"}
CERTAIN = (0, -25299, -25300)


def judge(history, before, examiner, home):
    """(what is wrong, or None; what is in the store now). `before` is what was in it before the round."""
    problem, found = examiner.look(home)
    if problem:
        return problem, found
    calls = calls_by_item(history, set(before) | set(found))
    problem = wrong_refusal(history) or wrong_large(found)
    for name in sorted(set(calls) | set(before) | set(found)):
        problem = problem or wrong_item(name, before.get(name, ABSENT), calls.get(name, []), found.get(name, ABSENT))
    return problem, found


def wrong_item(name, before, calls, now):
    if now == "torn":
        return f"{name} has a value that nobody sent"
    possible = explain(before, calls)
    if now in possible:
        return None
    told = "; ".join(
        f"{call.begin}-{call.end} {call.kind} {call.value or ''} {call.status}" for call in up_to_wrong(before, calls)
    )
    return f"{name} was {before} and is {now}, possible is {sorted(map(str, possible))}: {told}"


def up_to_wrong(before, calls):
    """The last of the calls up to the first that is not explained; all of them when only what is there now is not."""
    for end in sorted(call.end for call in calls):
        so_far = [
            call if call.end <= end else call._replace(end=NEVER, status=None) for call in calls if call.begin < end
        ]
        if not explain(before, so_far):
            break
    return sorted(call for call in calls if call.begin < end)[-8:]


def wrong_large(found):
    """The large service is changed as a whole, or not at all."""
    values = {found.get(f"{LARGE}/{account}") for account in range(LARGE_COUNT)}
    return None if len(values) == 1 else f"the large service has {len(values)} values: {sorted(map(str, values))[:5]}"


def wrong_refusal(history):
    for entry in history.entries:
        if entry.words[0] == "clash" and entry.status == OK:
            return f"items were moved to where one has their name: {entry}"
        if entry.rule == "script.unknown-line":
            return f"a line that no player understands: {entry}"
    return None


def calls_by_item(history, names):
    """Each item's calls; a call that concerns a whole service is one of each of its items."""
    names = names | {
        f"{entry.words[1]}/{entry.words[2]}" for entry in history.entries if entry.words[0] in ("add", "set")
    }
    services = collections.defaultdict(list)
    for name in names:
        services[name.split("/")[0]].append(name)
    calls = collections.defaultdict(list)
    for entry in history.entries:
        for name, call in calls_of(entry, services):
            calls[name].append(call)
    return calls


def calls_of(entry, services):
    kind, words = entry.words[0], entry.words
    status, end = entry.status, entry.end
    if status not in CERTAIN:
        # What was refused for any other reason has changed nothing.
        if status is not None and entry.rule not in OPEN_RULES | (DAEMON_RULES if entry.mode == "daemon" else set()):
            return
        status, end = None, NEVER
    if kind in ("add", "set"):
        yield f"{words[1]}/{words[2]}", Call(entry.begin, end, kind, words[3], status)
    elif kind in ("undelete", "restore"):
        yield f"{words[1]}/{words[2]}", Call(
            entry.begin, end, {"undelete": "add", "restore": "set"}[kind], words[3], status
        )
    elif kind == "del":
        yield f"{words[1]}/{words[2]}", Call(entry.begin, end, kind, None, status)
    elif kind == "get" and status is not None:
        yield f"{words[1]}/{words[2]}", Call(entry.begin, end, kind, (entry.result or ["torn"])[0], status)
    elif kind == "setall":
        for name in services[words[1]]:
            yield name, Call(entry.begin, end, "setif", words[2], status)
    elif kind == "delall":
        for name in services[words[1]]:
            yield name, Call(entry.begin, end, "wipe", None, status)
