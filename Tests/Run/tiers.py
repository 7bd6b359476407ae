"""Which tier each script belongs to, and what a tier is for: the one table of this fact."""

GATE, LONG, RELEASE = "gate", "long", "release"

# What a tier's command is, and what it has that the gate has not.
TIERS = {
    GATE: ("make test", "what proves behaviour"),
    LONG: ("make test-long", "kills at random moments, soaks, attacks on timing, full matrices, new seeds"),
    RELEASE: ("make test-release", "what builds something else than the debug tree"),
}

# The long form of a script is called NAME_long, and is in the long tier; so are these. What is in neither set is in the
# gate.
LONG_SCRIPTS = {"load"}
RELEASE_SCRIPTS = {
    "architecture",
    "budgets",
    "c_abi",
    "codesign_package",
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


def tier(script):
    if script in RELEASE_SCRIPTS:
        return RELEASE
    return LONG if script in LONG_SCRIPTS or script.endswith("_long") else GATE
