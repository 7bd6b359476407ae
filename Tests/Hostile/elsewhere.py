"""Attacks that other tests make. They are rows of the threats page's table, below those of the suite."""

import elsewhere_agents
import elsewhere_desktop
import elsewhere_places

ROWS = {}


def attempt(name, where, result, *tests):
    """A row: what is tried, on which deployment, what comes of it, and the tests below `Tests` that try it."""
    ROWS[name] = [name, where, result, ", ".join(f"`Tests/{test}`" for test in tests)]


attempt("sealed rows, read or changed without keys", "all", "fails", "Scripts/format_test.py", "Machinery/tamper.py")
for name, result, *tests in elsewhere_desktop.ATTEMPTS:
    attempt(name, "all", result, *tests)
attempt("locks another user's keychain by a session of its own", "service", "fails", "Scripts/session_lock_test.py")
for name, result, *tests in elsewhere_agents.ATTEMPTS:
    attempt(name, "service", result, *tests)
attempt("tells the agent in logind's name that the session is unlocked", "all", "fails", "Scripts/agent_bus_test.py")
attempt(
    "poses as a program: renamed, copied, linked, mounted, replaced, forged sandbox, stolen marker group",
    "all",
    "fails",
    "Daemon/CallerIdentificationTests",
)
attempt("requests that skip a rule of the library", "daemons", "fails", "Daemon/KeychainPolicyTests")
attempt(
    "core dump, trace or memory of daemon and enclave",
    "daemons",
    "fails",
    "Daemon/KeychaindTests/ProcessTests.swift",
    "Enclave/SecureEnclaveTests/HardeningTests.swift",
)
attempt(
    "a daemon reaches into processes or starts programs",
    "daemons",
    "fails",
    "Base/LinuxSystemTests/ProcessHardeningTests.swift",
)
attempt(
    "dropped privileges, regained",
    "service",
    "fails",
    "Base/LinuxSystemTests/PrivilegesTests.swift",
    "Scripts/system_service_test.py",
)
attempt(
    "ends or stops processes of the service, or cuts them off from each other, to keep it away",
    "service",
    "fails",
    "Scripts/service_kill_test.py",
)
attempt("passcodes guessed without delay, through restarts", "all", "fails", "Enclave/SecureEnclaveTests")
attempt("private keys in files, or in memory but the enclave's", "all", "fails", "Scripts/enclave_key_test.py")
attempt(
    "secrets in swap, files, logs, core files",
    "all",
    "fails",
    "Base/LinuxSystemTests/SecretMemoryTests.swift",
    "Scripts/leaks_test.py",
)
attempt(
    "foreign text that misleads in prompts, output, JSON, logs",
    "all",
    "fails",
    "Base/LinuxSystemTests/ForeignTextTests.swift",
    "Tools/SecurityCommandsTests/ForeignTextOutputTests.swift",
)
attempt(
    "a TLS server with a wrong or revoked certificate",
    "all",
    "fails",
    "API/SecurityTests/Certificates/TrustRulesTests.swift",
    "Base/KeychainCryptoTests/Certificates/OCSPTests.swift",
)
attempt(
    "the login's password, taken elsewhere than at logins and screen locks",
    "all",
    "fails",
    "Scripts/pam_login_test.py",
)
attempt("loses by `kill -9` what was acknowledged", "all", "fails", "Scripts/kill_test.py")
attempt("loses by power cuts, failing calls or syncs what was acknowledged", "all", "fails", "Machinery")
attempt(
    "the store's tables, changed without a key to have a wrong value, certificate, key or identity answered",
    "all",
    "fails",
    "Machinery/tamper.py",
    "Daemon/KeychainEngineTests/TamperTests.swift",
)
attempt("a row deleted or an old row put back whole, unnoticed", "all", "possible", "Machinery/tamper.py")
attempt(
    "a file of an open store cut, to end a process between calls or lose later writes",
    "all",
    "fails",
    "Machinery/cut.py",
)
attempt("the disk, of a keychain on a TPM", "TPM", "fails", "Enclave/TPMEnclaveTests")
attempt(
    "an older vault put back under a running daemon, to forget attempts or use an old password",
    "all",
    "fails",
    "Scripts/older_copies_test.py",
)
attempt(
    "a vault with an older passcode, slot, setting or failed attempt, put back while nothing runs",
    "all",
    "fails",
    "Scripts/older_copies_test.py",
)
attempt(
    "an older store put back, unnoticed",
    "all",
    "fails",
    "Scripts/older_copies_test.py",
    "Enclave/SecureEnclaveTests/AgeTests.swift",
)
attempt("store and vault of one copy put back, as from a backup", "no TPM", "possible", "Scripts/older_copies_test.py")
attempt(
    "store and vault of one copy put back, after a change of passcode, slot or setting, or an hour's use",
    "TPM",
    "fails",
    "Scripts/older_copies_test.py",
    "Enclave/TPMEnclaveTests/CounterTests.swift",
)
attempt(
    "a backup file with any bit changed, cut, or mixed of several, to have something taken of it",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/BackupTests.swift",
)
attempt(
    "a place or a machine in wrong hands holds a recovery up: by batches that wait for many, a snapshot of one part "
    "many times",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/BatchQueueTests.swift",
    "Enclave/SecureEnclaveTests/Circle/SnapshotRecoveryTests.swift",
)
attempt(
    "a removed machine that can still write to the place keeps a recovery from its circle, by removals that it states "
    "there",
    "daemons",
    "possible",
    "Enclave/SecureEnclaveTests/Circle/CircleRecoveryTests.swift",
)
attempt(
    "a place shows an older state of a circle to such a machine, which shows members and newest change before it sends",
    "daemons",
    "possible",
    "Enclave/SecureEnclaveTests/Circle/CircleRecoveryTests.swift",
)
attempt(
    "a daemon that has been taken over makes a backup without the password, or with keys it was given before",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/EnclaveBackupTests.swift",
)
attempt(
    "a mark of an unfinished creation or deletion, a clock, a disk that is away, a copied folder or name file, "
    "to have a named keychain erased",
    "own daemon",
    "fails",
    "Scripts/keychain_kept_test.py",
    "Scripts/keychain_leftovers_test.py",
    "Scripts/keychain_orphans_test.py",
    "Scripts/keychain_random_test.py",
)
attempt(
    "a name that is not UTF-8, to have another keychain deleted, or another file used",
    "all",
    "fails",
    "Scripts/keychain_attacks_test.py",
    "Tools/SecurityCommandsTests/LongOptionTests.swift",
)
attempt(
    "a repository's file that moves what it names out of sight of the question, or sets what programs obey",
    "all",
    "fails",
    "Scripts/run_files_test.py",
)
attempt(
    "a place in a folder that others may write, prepared with links, pipes and files, to read a secret written there",
    "all",
    "fails",
    "Scripts/shared_folders_test.py",
)
attempt(
    "a folder exchanged for a link while a command works, to have a secret or a signed program written elsewhere",
    "all",
    "fails",
    "Scripts/run_files_test.py",
    "Base/LinuxSystemTests/FileReplacementTests.swift",
)
attempt(
    "a command killed while it decrypts a file, to find the content",
    "all",
    "fails",
    "Scripts/file_command_test.py",
)
attempt(
    "a protected file with bytes changed, cut, exchanged or repeated",
    "all",
    "fails",
    "Base/FileFormatTests",
    "Scripts/file_format_test.py",
)
attempt(
    "any of these on a protected file in place of an item: other programs, names, mounts, containers, users, thieves",
    "service",
    "fails",
    "Hostile/files.py",
)
attempt(
    "names a recovery recipient for all new files of the keychain without its password, or in the vault's file",
    "all",
    "fails",
    "Enclave/SecureEnclaveTests/FileRecoveryTests.swift",
    "Scripts/file_command_test.py",
)
attempt(
    "a slot for recovery put into a file by somebody without its key, or taken from another file",
    "all",
    "fails",
    "Base/FileFormatTests/RecoveryTests.swift",
    "Scripts/file_command_test.py",
)
attempt(
    "a damaged protected file exported to age, or a damaged file of age imported, to look whole there",
    "all",
    "fails",
    "Scripts/file_age_test.py",
)
attempt("an older version of a protected file put back, unnoticed", "all", "possible", "Scripts/file_command_test.py")
attempt(
    "a program's connection closed and its number reused, to have a request sent to somebody else",
    "daemons",
    "fails",
    "Wire/KeychainClientTests/ConnectionTests.swift",
)
attempt(
    "a store's descriptor closed and its number reused, to have another file written",
    "embedded",
    "fails",
    "Daemon/KeychainEngineTests/LostFilesTests.swift",
)
attempt(
    "search pairs damaged while the store is in use, to have an item not found",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/LookupTests.swift",
)
attempt(
    "a program without the password compares guesses at values with a keychain, by a backup file of its own",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/ForgedBackupTests.swift",
    "Scripts/backup_test.py",
)
attempt(
    "a backup file that asks for more memory, time or answers than any, to wear daemon or enclave out",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/ForgedBackupTests.swift",
    "Scripts/backup_test.py",
)
attempt(
    "a backup file with shelves of somebody's own keys, to have files closed, or new files wrapped by them",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/ShelfBackupTests.swift",
    "Enclave/SecureEnclaveTests/EnclaveShelfTests.swift",
)
attempt(
    "a machine in wrong hands deletes shelves that never left their machine, or has new files wrapped by shelves of "
    "its own",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/ShelfSyncTests.swift",
    "Daemon/KeychainEngineTests/ShelfBackupTests.swift",
)
attempt(
    "a machine in wrong hands gives two machines different shelves under one id, to divide the circle",
    "all",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleShelfTests.swift",
    "Daemon/SyncMergingTests/ShelfTests.swift",
)
attempt(
    "a machine in wrong hands deletes the shelves that travel, which a backup brings back",
    "all",
    "possible",
    "Daemon/KeychainEngineTests/ShelfSyncTests.swift",
)
attempt(
    "a backup file that is changed between its check and its restore",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/ForgedBackupTests.swift",
)
attempt(
    "a daemon that has been taken over goes on with a user's backup, for items that come later",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/EnclaveBackupTests.swift",
)
attempt(
    "a daemon that has been taken over adds a machine to its user's circle, or has a foreign statement signed",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleAttackTests.swift",
)
attempt(
    "a daemon that has been taken over has a circle's keys shared with a stranger, or with a machine that was removed",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleAttackTests.swift",
)
attempt(
    "a daemon that has been taken over learns a key of a circle, or opens a record of a locked keychain's",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleAttackTests.swift",
    "Enclave/SecureEnclaveTests/Circle/CircleTests.swift",
)
attempt(
    "an older vault put back, to have a machine that was removed in the circle again",
    "all",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleVaultTests.swift",
)
attempt(
    "a daemon that has been taken over pairs its circle with a machine without the digits, or that is not allowed",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/PairingAttackTests.swift",
)
attempt(
    "a carrier of a pairing reads, alters, replays or reflects its messages, or guesses at its digits",
    "all",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/PairingAttackTests.swift",
    "Base/KeychainCryptoTests/Keys/SPAKE2Tests.swift",
)
attempt(
    "a place swaps, repeats or holds back the messages of two daemons that pair, or a second machine answers them",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/PairingServiceTests.swift",
)
attempt(
    "a machine in wrong hands writes to its circle after its removal, as it or another one has named its later batches",
    "all",
    "fails",
    "Daemon/SyncMergingTests/HostileMemberTests.swift",
)
attempt(
    "a machine in wrong hands has an honest one read by nobody for good, or all others write what nobody can read",
    "all",
    "fails",
    "Daemon/SyncMergingTests/HostileMemberTests.swift",
)
attempt(
    "a machine in wrong hands silences others by a batch that nobody can read, or introduces them once more",
    "all",
    "fails",
    "Daemon/SyncMergingTests/SilencingTests.swift",
)
attempt(
    "a place wears a machine out with removals that nobody has stated",
    "all",
    "fails",
    "Daemon/SyncMergingTests/ShutOutTests.swift",
)
attempt(
    "a member in wrong hands fills vaults with machines, so that others start no more, or take in who is out",
    "all",
    "fails",
    "Daemon/KeychainEngineTests/CircleRoomTests.swift",
    "Base/SyncFormatTests/MembershipRoomTests.swift",
)
attempt(
    "a machine in wrong hands fills the others' vaults so that it cannot be removed, or gives another machine a name",
    "all",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/HostileMachineTests.swift",
)
attempt(
    "a machine in wrong hands gives a newcomer keys under which it would never read the others",
    "all",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/HostileMachineTests.swift",
)
attempt(
    "a place that keeps batches wears a machine out with logs of authors that nobody knows",
    "all",
    "fails",
    "Daemon/SyncMergingTests/WaitingLimitTests.swift",
)
attempt(
    "what carries a circle's batches repeats, withholds, damages and swaps them, or shows older ones",
    "daemons",
    "fails",
    "Daemon/KeychainEngineTests/CircleFailureTests.swift",
)
for name, result, *tests in elsewhere_places.ATTEMPTS:
    attempt(name, "daemons", result, *tests)
attempt(
    "a file of another program's passwords with lying lengths, endless secrets or depth, to end or hold up an import",
    "all",
    "fails",
    "Bridges/SecretServiceTests/KeyringFileAttackTests.swift",
    "Tools/SecurityCommandsTests/JSONPartTests.swift",
    "Scripts/import_exports_test.py",
)
attempt(
    "another program reads the token or the invitation of a machine in files of its home, or in a log",
    "daemons",
    "fails",
    "Scripts/sync_server_test.py",
)
attempt(
    "a machine that was removed from a circle reads on, or goes on writing",
    "daemons",
    "fails",
    "Daemon/KeychainEngineTests/CircleServiceTests.swift",
)
attempt(
    "a program in a sandbox, or any but the command, changes a circle or speaks for its carrier",
    "daemons",
    "fails",
    "Daemon/KeychainEngineTests/CircleServiceTests.swift",
)
attempt(
    "a place offers a forged or an altered circle to a machine that has nothing but a recovery key's code",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleRecoveryTests.swift",
)
attempt(
    "a place shows an older state of a circle to such a machine, which shows members and newest change before it sends",
    "daemons",
    "possible",
    "Enclave/SecureEnclaveTests/Circle/CircleRecoveryTests.swift",
)
attempt(
    "a daemon that has been taken over makes a recovery key, or has a removal signed by one",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/CircleRecoveryTests.swift",
)
attempt(
    "a daemon that has been taken over has its machine leave the circle, or has a statement signed in another circle",
    "daemons",
    "fails",
    "Enclave/SecureEnclaveTests/Circle/LeavingTests.swift",
)
attempt(
    "a place puts files where a machine's next batch is to be, to keep the machine busy",
    "all",
    "fails",
    "Carrier/CircleCarrierTests/CarrierRoundTests.swift",
)
attempt(
    "a machine in wrong hands takes the identifier of another for its name, or a name that looks like another state",
    "all",
    "fails",
    "Tools/SecurityCommandsTests/SyncCommandTests.swift",
)
attempt(
    "a copy of a machine writes in its name unnoticed, as the daemon ends in the moment that it notices",
    "daemons",
    "fails",
    "Daemon/KeychainEngineTests/CircleCrashTests.swift",
)
attempt(
    "what carries a circle's batches rewrites a signature, so that a machine stops as if it were copied",
    "daemons",
    "fails",
    "Daemon/KeychainEngineTests/CircleFailureTests.swift",
)
