"""The recipe for a new attribute (CONTRIBUTING.md), carried out: the next two free numbers and the largest.

usage: [SWIFT=...] new_attribute.py FOLDER-OF-THE-PACKAGE FOLDER-OF-PROGRAMS SCRATCH-FOLDER

A copy of the package gets three rows and nothing else. Its program opens a keychain that a program of today has made,
stores an item with the new attributes, finds and changes it by each of them; and the program of today still reads its
own items there.
"""

import os
import shutil
import subprocess
import sys
import tempfile

TABLE = "Sources/Base/KeychainModel/Attributes/AttributeTable.swift"
NUMBERS = "Sources/Base/KeychainModel/Attributes/AttributeID.swift"
PROGRAM = "Tests/Programs/key-user/main.swift"
ROWS = {64: ("nwaa", ".blob"), 65: ("nwab", ".number"), 119: ("nwac", ".data")}

USER = '''import Foundation
import Security

func status(_ name: String, _ found: OSStatus, _ expected: OSStatus) {
    if found != expected { fatalError("\\(name): \\(found), not \\(expected)") }
}
func query(_ more: [String: Any]) -> CFDictionary {
    (["class": "genp"] as [String: Any]).merging(more) { $1 } as CFDictionary
}
let values: [String: Any] = ["nwaa": "first", "nwab": 7, "nwac": Data([1, 2, 3])]
status("the old item", SecItemCopyMatching(query(["svce": "old"]), nil), errSecSuccess)
let added = values.merging(["svce": "new", "v_Data": Data("v".utf8)]) { $1 }
status("an addition", SecItemAdd(query(added), nil), errSecSuccess)
for (code, value) in values {
    var found: CFTypeRef?
    let all = query([code: value, "r_Attributes": true, "m_Limit": "m_LimitAll"])
    status(code, SecItemCopyMatching(all, &found), errSecSuccess)
    let items = found as! [[String: Any]]
    if items.count != 1 || items[0]["svce"] as? String != "new" { fatalError("\\(code): \\(items)") }
    for other in values.keys where items[0][other] == nil { fatalError("\\(other) is missing") }
    let another = query([code: code == "nwab" ? 8 : "other"])
    status("another \\(code)", SecItemCopyMatching(another, nil), errSecItemNotFound)
}
let change = ["nwaa": "second", "nwab": 9] as CFDictionary
status("a change", SecItemUpdate(query(["nwaa": "first"]), change), errSecSuccess)
status("what was", SecItemCopyMatching(query(["nwaa": "first"]), nil), errSecItemNotFound)
status("what is", SecItemCopyMatching(query(["nwaa": "second", "nwab": 9]), nil), errSecSuccess)
let old = query(["svce": "old", "nwaa": "second"])
status("the old item by a new attribute", SecItemCopyMatching(old, nil), errSecItemNotFound)
status("a class without it", SecItemCopyMatching(["class": "cert", "nwab": 9] as CFDictionary, nil), errSecItemNotFound)
print("found")
'''


def edit(path, change):
    with open(path) as file:
        text = file.read()
    changed = change(text)
    assert changed != text, path
    with open(path, "w") as file:
        file.write(changed)


def copy(package, folder):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=package, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if os.path.isfile(f"{package}/{name}"):
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            shutil.copy(f"{package}/{name}", f"{folder}/{name}")


def add_rows(folder):
    rows = "".join(
        f'\n        .init(AttributeID(rawValue: {number}), "{code}", "kSecAttrNew{number}", kind: {kind}, in: all,'
        f' "New {number}."),'
        for number, (code, kind) in ROWS.items()
    )
    edit(
        f"{folder}/{TABLE}",
        lambda text: text.replace(
            "private static let common: [ItemAttribute] = [", "private static let common: [ItemAttribute] = [" + rows, 1
        ),
    )
    with open(f"{folder}/{PROGRAM}", "w") as file:
        file.write(USER)


def environment(home):
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "KEYCHAIN_HOME": f"{home}/keychain",
        "KEYCHAIN_TPM": "none",
        "KEYCHAIN_PINENTRY": "none",
        "KEYCHAIN_INTERACTION": "never",
        "KEYCHAIN_MODE": "embedded",
        "SWIFT_BACKTRACE": "enable=no",
    }


def run(home, *words):
    done = subprocess.run(words, env=environment(home), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (words, done)
    return done.stdout


def add_some(home, program, count=5):
    """Has a program add items until some are acknowledged; gives how many."""
    with subprocess.Popen([program, "add", "old"], env=environment(home), stdout=subprocess.PIPE, text=True) as adding:
        for _ in range(count):
            assert adding.stdout.readline().strip(), "nothing was acknowledged"
        adding.kill()
    return count


def main():
    package, programs, folder = (os.path.abspath(path) for path in sys.argv[1:4])
    copy(package, folder)
    add_rows(folder)
    swift = os.environ.get("SWIFT", "swift")
    subprocess.run([swift, "build", "--product", "key-user"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    built = subprocess.run(
        [swift, "build", "--show-bin-path"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as home:
        # One program of two builds: both have the group of its path.
        program = f"{home}/program"
        shutil.copy(f"{programs}/item-writer", program)
        written = add_some(home, program)
        shutil.copy(f"{built}/key-user", program)
        assert run(home, program) == "found\n"
        shutil.copy(f"{programs}/item-writer", program)
        assert run(home, program, "check", "old").count("\n") >= written
    print("three new attributes are stored, found, changed and told from what has none, over a keychain of today")


main()
