"""Who plays each test: an ordinary user, unless one of these tables says otherwise.

Root finds nothing that a user is refused: what root plays proves nothing about the users of the product.
"""

import os

# Scripts that root plays whole, and why no other user can.
ROOT = {
    "claim": "two users meet, and programs are installed for all",
    "claim_long": "two users meet, and homes are hidden from the service",
    "enclave_key": "the memory of hardened processes is read",
    "file_memory": "the memory of hardened processes is read",
    "hostile": "attackers are users of their own, and the service is root's",
    "hostile_files": "attackers are users of their own, and the service is root's",
    "hostile_long": "attackers are users of their own, and the service is root's",
    "leaks": "the memory of hardened processes is read",
    "migrate_store": "items go to the system service",
    "migrate_store_long": "items go to the system service",
    "package": "packages are installed",
    "pam_login": "users log in by sudo, su, login and sshd",
    "policy": "the administrator's file is below /etc, and the system service reads it",
    "run_path": "folders have other owners",
    "service_kill_long": "processes of the system service are killed",
    "session_agent": "two users meet, and the system service is started",
    "session_lock": "the system service is started",
    "shared_folders": "two users meet",
    "system_service": "the system service is started",
    "system_service_files": "the system service is started",
}

# Scripts that an ordinary user plays, and of which root plays the parts that are marked `of_root`.
PARTS = {
    "browse": "the memory of the viewer is read",
    "codesign": "a file has another owner",
    "daemon_link": "namespaces hide processes and folders",
    "desktop_prompts": "the disk of a hardened daemon fails",
    "desktop_setup": "a home has another owner",
    "keychains": "a file has another owner",
    "manual_examples": "examples are the administrator's",
    "one_daemon": "namespaces hide processes and folders, and another user listens",
    "run_files": "files have another owner",
    "sessions": "the system service is started",
    "sessions_long": "the system service is started",
}

# Scripts that play no user and build below .build: the owner of the project plays them.
BUILDER = {
    "architecture",
    "budgets",
    "c_abi",
    "codesign_package",
    "declarations",
    "fuzz_corpora",
    "load",
    "neighbours",
    "recipes",
    "reproducible",
    "sanitizers",
    "sdk",
    "sdk_library",
    "tidy",
}

# Suites of the Swift tests that root plays after an ordinary user, because a user has to leave some of their tests out.
SUITES = {
    "CallerIdentificationTests.AnchorTests": "programs are marked with a group",
    "CallerIdentificationTests.AnchoredProcessTests": "programs are marked with a group",
    "CallerIdentificationTests.ApartTests": "programs are marked with a group",
    "CallerIdentificationTests.ClaimProcessTests": "a process has another root",
    "CallerIdentificationTests.HangingProgramTests": "a file system hangs",
    "CallerIdentificationTests.InstalledTests": "a file has another owner",
    "CallerIdentificationTests.KnownProcessTests": "a process changes its group",
    "CallerIdentificationTests.NumberNamespaceTests": "a namespace has numbers of its own",
    "CallerIdentificationTests.OtherUserDaemonTests": "two users meet",
    "CallerIdentificationTests.ReusedNumberTests": "a namespace has numbers of its own",
    "KeychainClientTests.SystemServiceTests": "the system service is at its place below /run",
    "LinuxSystemTests.ChildProcessTests": "a process changes its group",
    "LinuxSystemTests.PrivilegesTests": "root becomes a user",
    "SecureEnclaveTests.HardeningTests": "the memory of a hardened process is read",
    "SecurityCommandsTests.AnchorCommandTests": "programs are marked with a group",
    "SecurityCommandsTests.LoadedFilesTests": "files have other owners",
}

IS_ROOT = os.geteuid() == 0
USERS, ROOTS, BUILDERS = "user", "root", "builder"


def of_script(name):
    """The players of a script, in their order."""
    if name in ROOT or name in BUILDER:
        return [ROOTS if name in ROOT else BUILDERS]
    return [USERS, ROOTS] if name in PARTS else [USERS]


def of_suite(name):
    return present([USERS, ROOTS] if name in SUITES else [USERS])


def present(players):
    """Those of them who can be played here."""
    return [player for player in players if player != ROOTS or IS_ROOT]


def missing(names):
    """What is not proved when no root plays: scripts, and parts of scripts."""
    if IS_ROOT:
        return []
    whole = [f"{name} ({ROOT[name]})" for name in sorted(ROOT) if name in names]
    return whole + [f"a part of {name} ({PARTS[name]})" for name in sorted(PARTS) if name in names]
