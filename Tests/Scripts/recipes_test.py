"""The recipes for a query key, an access-control flag and an algorithm (CONTRIBUTING.md), carried out.

A copy of KeychainModel gets the rows and nothing else. It is compiled with a check, against the modules of the debug
build. Recipes for an attribute, a status and a constant have tests of their own: Tests/Machinery/new_attribute.py and
generate_test.py.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = f"{TOP}/Sources/Base/KeychainModel"
BUILD = f"{TOP}/.build/debug"
# Each recipe: the file, the text that its row follows or replaces, and the text with the row.
RECIPES = (
    (
        "Requests/QueryKey.swift",
        "role: .updateExisting),\n",
        'role: .updateExisting),\n        .init(code: "m_New", constant: "kSecMatchNew", role: .matchIgnored),\n',
    ),
    (
        "Attributes/AccessConstraint.swift",
        "package static let anchoredProgram: UInt64 = 1 << 48\n",
        "package static let anchoredProgram: UInt64 = 1 << 48\n    package static let new: UInt64 = 1 << 49\n",
    ),
    ("Attributes/AccessConstraint.swift", "        | anchoredProgram\n", "        | anchoredProgram | new\n"),
    (
        "Keys/KeyAlgorithmTable.swift",
        '    Row("RSAEncryptionRaw"',
        '    Row("EdDSANew", "sign:EdDSA:new", .signature(.ed25519, of: .bytes)),\n    Row("RSAEncryptionRaw"',
    ),
)
CHECK = """
@main enum Check {
    static func main() {
        guard QueryKey.rows.last?.code == "m_New" else { fatalError("the query key is not the last row") }
        guard AccessConstraint(flags: AccessConstraint.new).isUnderstood else { fatalError("the flag is unknown") }
        guard !AccessConstraint(flags: 1 << 50).isUnderstood else { fatalError("any flag is understood") }
        let algorithm = KeyAlgorithm(constant: "EdDSANew")
        guard algorithm?.name == "algid:sign:EdDSA:new" else { fatalError("no such algorithm") }
        print("found")
    }
}
"""


def edit(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.count(old) == 1, f"{path} no longer has one place for the recipe: {old}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


# As Package.swift has them for every module.
FEATURES = "ExistentialAny InternalImportsByDefault MemberImportVisibility".split()
OPTIONS = "-module-name KeychainModel -Onone -parse-as-library -swift-version 6".split()


def system_objects():
    """The objects of the modules below. A folder of builds also keeps those of files that are gone."""
    sources = glob.glob(f"{TOP}/Sources/Base/LinuxSystem/**/*.swift", recursive=True)
    swift = [f"{BUILD}/LinuxSystem.build/{os.path.basename(source)}.o" for source in sources]
    c = [os.path.basename(source) + ".o" for source in glob.glob(f"{TOP}/Sources/CLibraries/CLinux/*.c")]
    return swift + [f"{BUILD}/CLinux.build/{name}" for name in c]


def compile_check(folder):
    command = [os.environ.get("SWIFTC", "swiftc"), *OPTIONS]
    command += ["-package-name", re.sub(r"\W", "_", os.path.basename(TOP).lower())]
    command += ["-I", f"{BUILD}/Modules", "-I", f"{TOP}/Sources/CLibraries/CLinux/include"]
    command += ["-Xcc", f"-fmodule-map-file={BUILD}/CLinux.build/module.modulemap"]
    for feature in FEATURES:
        command += ["-enable-upcoming-feature", feature]
    command += glob.glob(f"{folder}/**/*.swift", recursive=True) + system_objects()
    subprocess.run([*command, "-o", f"{folder}/check"], check=True)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = f"{scratch}/KeychainModel"
        shutil.copytree(MODEL, folder)
        for file, old, new in RECIPES:
            edit(f"{folder}/{file}", old, new)
        with open(f"{folder}/Check.swift", "w", encoding="utf-8") as file:
            file.write(CHECK)
        compile_check(folder)
        done = subprocess.run([f"{folder}/check"], capture_output=True, text=True)
        if done.stdout != "found\n":
            sys.exit(f"FAILED: {done.stderr}")
    print("ok      a query key, an access-control flag and an algorithm are a row each")


main()
