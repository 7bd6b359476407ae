"""The list of attacks and the table of what became of them."""

import re

ATTACKS = []
# Attacks whose outcome is how long somebody waits: on a busy machine they tell nothing.
TIMED = set()

# Where an attack is made.
PLACES = EMBEDDED, OWN_DAEMON, SERVICE = "embedded", "user's daemon", "system service"

# What must come of an attack.
FAILS, SUCCEEDS = "must fail", "known to succeed"


def attack(name, expected, because="", where=(SERVICE,), is_timed=False):
    """Registers an attack: a function of the deployment that says whether it got what it wanted.

    One that must fail has to fail for its reason: what was said must match `because`, or something else was in its way.
    `is_timed`: how long somebody waits is held against a limit.
    """

    def register(body):
        ATTACKS.append((name, expected, because, body, where))
        if is_timed:
            TIMED.add(name)
        return body

    return register


def chosen(only, without_timed):
    """The attacks whose names have one of the words, or all of them."""
    for name, expected, because, body, _ in ATTACKS:
        is_wanted = not only or any(word in name for word in only)
        if is_wanted and not (without_timed and name in TIMED):
            yield name, expected, because, body


def run(deployment, only=(), without_timed=False):
    """Runs attacks and prints the table; how many did not end as they must, and the names of the others."""
    wrong, ended, width = 0, set(), max(len(name) for name, *_ in ATTACKS)
    for name, expected, because, body in chosen(only, without_timed):
        deployment.said = ""
        try:
            outcome = body(deployment)
            succeeded = bool(outcome)
            right = succeeded == (expected == SUCCEEDS)
            result = "succeeded" if succeeded else "failed"
            if not succeeded and not re.search(because, deployment.said):
                right, result = False, "failed, but for another reason"
        except Exception as error:  # An attack that cannot be made proves nothing.
            right, result = False, f"could not be made: {type(error).__name__}: {error}"
        wrong += not right
        if right:
            ended.add(name)
        print(f"{'ok    ' if right else 'WRONG '} {name:{width}}  {expected:16}  {result}", flush=True)
        if not right and deployment.said:
            print("        " + deployment.said.replace("\n", "\n        "), flush=True)
    return wrong, ended
