"""Broken builds of the storage, and which check catches each.

usage: [SWIFT=...] [BEFORE_BUILD="nice -n 10"] mutants.py FOLDER-OF-THE-PACKAGE SCRATCH-FOLDER [MUTANT...]

The package is copied, broken in one place, built, and given to the checks until one finds something wrong. A mutant
is a text to find and what stands in its place; a text that is not there, or not as often as it should be, ends this
at once: the code has moved, and the mutant must move with it. Exit status 1 when a mutant is caught by nothing.

Two mistakes were in code of ours that is gone. What stands for a buffer of log frames that is kept over a rollback
is a refused change that is kept; for a checkpoint that counts before its sync, one that counts without.
"""

import collections
import filecmp
import os
import shutil
import subprocess
import sys
import time

PRODUCTS = ("item-player", "item-writer", "keychaind", "keychain-enclaved", "security")
HERE = "Tests/Machinery"
STORE, ENGINE = "Sources/Daemon/KeychainStore", "Sources/Daemon/KeychainEngine"

Change = collections.namedtuple("Change", "path old new count", defaults=(1,))
Mutant = collections.namedtuple("Mutant", "what changes checks")

CHECKS = {
    "power cuts": [f"{HERE}/crash.py", "{bin}", "--seconds", "60", "--seed", "1"],
    "failed pages, one program": [
        f"{HERE}/faults.py",
        "{bin}",
        "--kind",
        "sync",
        "--only",
        "add",
        "--seconds",
        "90",
        "--seed",
        "1",
        "--first",
    ],
    "failed pages, daemon": [
        f"{HERE}/faults.py",
        "{bin}",
        "--kind",
        "sync",
        "--only",
        "daemon",
        "--seconds",
        "120",
        "--seed",
        "1",
        "--first",
    ],
    "power cuts, large changes": [
        f"{HERE}/crash.py",
        "{bin}",
        "--seconds",
        "60",
        "--seed",
        "1",
        "--only",
        "large_changes",
    ],
    "tests of the writing connection": ["swift", "test", "--filter", "SpillTests"],
    "tests of checkpoints": ["swift", "test", "--filter", "CheckpointTests"],
    "several processes": [f"{HERE}/race.py", "{bin}", "--seconds", "60", "--seed", "7"],
    "rolled-back updates": [f"{HERE}/rollback.py", "{bin}", "6", "1"],
    "size of the log": [f"{HERE}/log_size.py", "{bin}", "--seconds", "10", "--seed", "1"],
    "tampering": [f"{HERE}/tamper.py", "{bin}", "--seconds", "180", "--seed", "1"],
    "tampering, answers alone": [f"{HERE}/tamper.py", "{bin}", "--seconds", "240", "--seed", "1", "--answers"],
    "older copies": ["Tests/Scripts/older_copies_test.py", "{bin}"],
}

TAG = Change(
    f"{STORE}/Query/AttributeDigester+RowCode.swift",
    "return statement.withBlob(first + RowCodes.index(of: itemClass)) { $0.isEqual(to: expected.span) }",
    "return statement.withBlob(first + RowCodes.index(of: itemClass)) { $0.count >= 0 || $0.isEqual(to:"
    " expected.span) }",
)
COLUMNS = Change(
    f"{ENGINE}/Reading/AskedAttributes.swift",
    "guard isInGroups(opened, start) else { return false }\n            var areMet = true",
    "guard opened.count < start else { return true }\n            var areMet = true",
)

MUTANTS = {
    "no-sync": Mutant(
        "syncs are left out",
        [Change(f"{STORE}/Items/ItemStore.swift", "PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF", 3)],
        ["power cuts"],
    ),
    "sync-error-ignored": Mutant(
        "a commit whose sync failed counts as one",
        [
            # SQLITE_IOERR_FSYNC
            Change(
                f"{STORE}/Database/Statement.swift",
                "case SQLITE_DONE: return false",
                "case SQLITE_DONE, 1034: return false",
            )
        ],
        ["failed pages, one program", "failed pages, daemon"],
    ),
    "use-after-failed-sync": Mutant(
        "a failed sync is told and does not end the use of the store",
        [
            Change(
                f"{STORE}/Items/StoreWriter.swift",
                "            store.failure.note(error.unknownOutcome)\n",
                "            try undo()\n",
            )
        ],
        ["failed pages, one program", "failed pages, daemon"],
    ),
    "no-log-on-disk": Mutant(
        "the log that another process left is believed to be on the disk",
        [
            Change(
                f"{STORE}/Items/ItemStore.swift",
                "try LogOnDisk.ensure(of: path, isNew: !exists(at: madePath(in: folder)))",
                "",
            )
        ],
        ["failed pages, one program", "failed pages, daemon"],
    ),
    "checkpoint-beside-writers": Mutant(
        "a checkpoint is made beside writers, and a part of one counts without a sync",
        [
            Change(
                f"{STORE}/Database/Database.swift",
                "nil, SQLITE_CHECKPOINT_FULL, nil, nil)",
                "nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)",
            )
        ],
        ["tests of checkpoints"],
    ),
    "checkpoint-without-sync": Mutant(
        "a checkpoint counts before the disk has it",
        [
            Change(
                f"{STORE}/Database/Database.swift",
                "let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL,",
                "unsafe sqlite3_exec(handle, \"PRAGMA synchronous = OFF\", nil, nil, nil)\n"
                "        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL,",
            ),
            Change(
                f"{STORE}/Database/Database.swift",
                "        switch code & 0xFF {\n        case SQLITE_OK: return true\n",
                "        unsafe sqlite3_exec(handle, \"PRAGMA synchronous = FULL\", nil, nil, nil)\n"
                "        switch code & 0xFF {\n        case SQLITE_OK: return true\n",
            ),
        ],
        ["power cuts, large changes"],
    ),
    "pages-written-early": Mutant(
        "pages of a change are written before its commit, and then a savepoint is undone",
        [Change(f"{STORE}/Items/ItemStore.swift", "PRAGMA cache_spill = OFF; ", "")],
        ["tests of the writing connection"],
    ),
    "refused-change-kept": Mutant(
        "what a refused change has written is kept",
        [Change(f"{STORE}/Items/StoreWriter.swift", "try run(.rollback)", "try run(.commit)")],
        ["rolled-back updates", "several processes"],
    ),
    "no-tag-check": Mutant("the code of a row is not looked at", [TAG], ["tampering"]),
    "no-column-check": Mutant(
        "what was opened is not held against what was asked, nor the row's code looked at",
        [TAG, COLUMNS],
        ["tampering, answers alone"],
    ),
    "no-group-filter": Mutant(
        "every program sees all groups",
        [
            Change(
                "Sources/Daemon/KeychainPolicy/AuthorizedRequest.swift",
                "        self.scope = scope\n",
                "        self.scope = .allGroups\n",
            )
        ],
        ["tampering"],
    ),
    "counter-stands": Mutant(
        "no block of writes ever ends, so that the counter is not advanced",
        [
            Change(
                f"{ENGINE}/Requests/AgeKeeper.swift",
                "guard store.writesInBlock >= Self.block else { return }",
                "guard store.writesInBlock >= Int64.max else { return }",
            ),
            Change(
                f"{ENGINE}/Requests/AgeKeeper.swift",
                "guard store.writesInBlock > 0 else { return }",
                "guard store.writesInBlock == Int64.max else { return }",
            ),
        ],
        ["older copies"],
    ),
}


class Copy:
    """The package elsewhere, where it may be broken."""

    def __init__(self, package, scratch):
        self.package, self.folder = os.path.abspath(package), os.path.abspath(f"{scratch}/copy")
        self.bring()

    def bring(self):
        """Makes it like the package; what is the same keeps its time, so that it is not built anew."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=self.package,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            source, copied = f"{self.package}/{name}", f"{self.folder}/{name}"
            if os.path.exists(source) and not (os.path.exists(copied) and filecmp.cmp(source, copied, shallow=False)):
                os.makedirs(os.path.dirname(copied), exist_ok=True)
                shutil.copy(source, copied)

    def apply(self, changes):
        for change in changes:
            path = f"{self.folder}/{change.path}"
            with open(path) as file:
                text = file.read()
            if text.count(change.old) != change.count:
                sys.exit(f"{change.path} has this {text.count(change.old)} times and not {change.count}: {change.old}")
            with open(path, "w") as file:
                file.write(text.replace(change.old, change.new))

    def build(self):
        swift, before = os.environ.get("SWIFT", "swift"), os.environ.get("BEFORE_BUILD", "").split()
        command = " && ".join(f"{swift} build --product {product}" for product in PRODUCTS)
        done = subprocess.run([*before, "sh", "-c", command], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"it does not build:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def check(self, name):
        """What the check says where it finds something; None where it finds nothing."""
        command = [part.replace("{bin}", f"{self.folder}/.build/debug") for part in CHECKS[name]]
        command[:1] = (
            os.environ.get("SWIFT", "swift").split() if command[0] == "swift" else [sys.executable, command[0]]
        )
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        return None if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()


def telling(lines):
    """The line that says what was wrong."""
    said = [line for line in lines if ": " in line and not line.startswith((" ", "Traceback"))]
    return (said or lines or ["?"])[0][:160]


def try_one(copy, name):
    mutant, begin = MUTANTS[name], time.monotonic()
    copy.bring()
    copy.apply(mutant.changes)
    copy.build()
    built = time.monotonic() - begin
    for check in mutant.checks:
        found = copy.check(check)
        print(f"  {check}: {'nothing' if found is None else telling(found)}", flush=True)
        if found is not None:
            print(f"{name} ({mutant.what}): caught by {check}; built in {built:.0f} s", flush=True)
            return True
    print(f"{name} ({mutant.what}): NOT CAUGHT", flush=True)
    return False


def main():
    copy = Copy(sys.argv[1], sys.argv[2])
    # All are looked for before the first is built.
    for name in MUTANTS:
        copy.apply(MUTANTS[name].changes)
        copy.bring()
    caught = [try_one(copy, name) for name in sys.argv[3:] or MUTANTS]
    print(f"{sum(caught)} of {len(caught)} mutants caught")
    sys.exit(not all(caught))


main()
