"""The order of the house: counts of what breaks each rule, held against Tests/Tidy/ceilings.json.

usage: tidy.py [--places RULE] [--lower]

A count over its ceiling fails. --lower writes the counts that are below their ceilings as the new ones; no option
raises one.
--places lists where a rule is broken. The index is that of the last debug build, with tests.
"""

import argparse
import json
import os
import sys

import index_rules  # noqa: F401 the rules register themselves
import language_rules  # noqa: F401
import specification_rules  # noqa: F401
import text_rules  # noqa: F401
import time_rules  # noqa: F401
from rule import RULES

CEILINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ceilings.json")


def verdict(rule, count, ceilings):
    """What stands before the line, and whether the rule is kept."""
    ceiling = max(ceilings.get(rule.name, 0), rule.threshold)
    if count > ceiling:
        return f"FAILED  {rule.name}: {count}, at most {ceiling}", False
    aim = "" if count <= rule.threshold else f", at the end {rule.threshold}"
    return f"ok      {rule.name}: {count} of {ceiling}{aim}", True


def lowered(ceilings, counts):
    """The ceilings, each no higher than it was; a rule that is new begins with what there is."""
    return {name: min(count, ceilings.get(name, count)) for name, count in counts.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--places")
    parser.add_argument("--lower", action="store_true")
    options = parser.parse_args()
    if options.places:
        for place, what in next(rule for rule in RULES if rule.name.startswith(options.places)).find():
            print(f"{place}: {what}")
        return
    with open(CEILINGS) as file:
        ceilings = json.load(file)
    counts = {rule.name: sum(1 for _ in rule.find()) for rule in RULES}
    results = [verdict(rule, counts[rule.name], ceilings) for rule in RULES]
    for line, _ in results:
        print(line)
    if options.lower:
        with open(CEILINGS, "w") as file:
            json.dump(lowered(ceilings, counts), file, indent=4, sort_keys=True)
            file.write("\n")
    sys.exit(not all(kept for _, kept in results) and not options.lower)


main()
