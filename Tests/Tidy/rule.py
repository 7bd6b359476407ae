"""A rule: its name, how many places may break it at the end, and a function that yields each place that does."""

import collections

Rule = collections.namedtuple("Rule", "name threshold find")
RULES = []


def rule(name, threshold=0):
    """Takes a function into the list of rules. It yields (place, what) for each finding."""

    def register(find):
        RULES.append(Rule(name, threshold, find))
        return find

    return register
