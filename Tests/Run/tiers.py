"""Which tier each script belongs to, and what a tier is for: the one table of this fact."""

GATE, LONG, RELEASE = "gate", "long", "release"

# What a tier's command is, and what it has that the gate has not.
TIERS = {
    GATE: ("make test", "what proves behaviour"),
    LONG: ("make test-long", "kills at random moments, soaks, attacks on timing, full matrices, new seeds"),
    RELEASE: ("make test-release", "what builds something else than the debug tree"),
}

# Every script that is in neither of these is in the gate.
LONG_SCRIPTS = {
    "history",
    "load",
    "service_kill",
}
RELEASE_SCRIPTS = {
    "architecture",
    "budgets",
    "c_abi",
    "declarations",
    "fuzz_corpora",
    "neighbours",
    "package",
    "recipes",
    "reproducible",
    "sanitizers",
    "sdk",
    "sdk_library",
}

# Suites of the Swift tests that have a long form; the gate runs their short one.
LONG_SUITES = set()


def tier(script):
    if script in RELEASE_SCRIPTS:
        return RELEASE
    return LONG if script in LONG_SCRIPTS or script.endswith("_long") else GATE
