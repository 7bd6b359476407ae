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


# What takes long begins first, the longest before all others, so that no worker is alone at the end: scripts, and
# modules of the Swift tests. The order is that of their measured times.
LONGEST = [
    "sdk",
    "neighbours",
    "budgets",
    "sync",
    "sync_format",
    "hostile",
    "one_daemon",
    "machinery",
    "KeychaindTests",
    "comes_back",
    "system_service",
    "backup",
    "browse_changes",
    "older_copies",
    "keychain_orphans",
    "KeychainEngineTests",
    "pki",
    "keychain_kept",
    "keychain_attacks",
    "keychain_random",
    "generate",
    "supply",
    "tidy",
    "format",
    "browse_faults",
    "daemon_link",
    "pam",
    "SecurityTests",
    "SecureEnclaveTests",
    "kill",
    "secret_service",
    "protected_files",
    "PostgresTransportTests",
    "SyncMergingTests",
]


def place(test):
    """The place of a test in the order in which they begin: of a script's name, or a part's of the Swift tests."""
    name = test.removesuffix("-root").removesuffix("_long").split("-")[0]
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def tier(script):
    if script in RELEASE_SCRIPTS:
        return RELEASE
    return LONG if script in LONG_SCRIPTS or script.endswith("_long") else GATE
