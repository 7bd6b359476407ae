"""The values of the C headers' constants, held against Swift's: two programs print them, one in each language."""

import re
import subprocess

C_PROGRAM = """
#include <stdio.h>
static void text(const char *name, CFStringRef string) {
    char buffer[256];
    if (CFGetTypeID(string) != CFStringGetTypeID()) return;
    if (CFStringGetCString(string, buffer, sizeof buffer, kCFStringEncodingUTF8)) printf("%s=%s\\n", name, buffer);
}
int main(void) {
"""
SWIFT_PROGRAM = """
import LocalAuthentication
import Security
func show(_ name: String, _ value: CFString) { print("\\(name)=\\(value as String)") }
func show(_ name: String, _ value: some BinaryInteger) { print("\\(name)=\\(value)") }
func show<T: RawRepresentable>(_ name: String, _ value: T) where T.RawValue == CFString { show(name, value.rawValue) }
func show<T: RawRepresentable>(_ name: String, _ value: T) where T.RawValue: BinaryInteger {
    show(name, value.rawValue)
}
func show(_ name: String, _ value: SecRandomRef?) { show(name, value == nil ? 0 : 1) }
"""
# C's names that Swift has otherwise, beside those of docs/coverage-symbols.tsv.
OWN_NAMES = {
    "kSecAccessControlAnchoredProgram": "SecAccessControlCreateFlags.anchoredProgram",
    "kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512": "SecKeyAlgorithm.edDSASignatureMessageCurve25519SHA512",
    "kLAErrorDomain": "LAErrorDomain as CFString",
}
# Numbers that C alone has. The classes of files are those of docs/formats/file.md, section 2.
OWN_NAMES |= {
    "kSecFileProtectionComplete": "1",
    "kSecFileProtectionCompleteUnlessOpen": "2",
    "kSecFileProtectionCompleteUntilFirstUserAuthentication": "3",
    "kSecFileProtectionNone": "4",
    "kSecFileProtectionThisDeviceOnly": "1 << 8",
}


def swift_names():
    names = {}
    with open("docs/coverage-symbols.tsv") as table:
        for line in table:
            _, name, swift = line.rstrip("\n").split("\t")
            type_name, _, member = swift.partition(".")
            names[name] = f"{type_name}([])" if member == "[]" else swift or name
    return names | OWN_NAMES


def c_program(headers):
    lines = [f'    text("{name}", {name});' for name in headers.constants if name != "kSecRandomDefault"]
    numbers = [name for name in headers.numbers + headers.macros if name != "kLAErrorDomain"]
    lines += [f'    printf("{name}=%lld\\n", (long long){name});' for name in numbers]
    lines += ['    printf("kSecRandomDefault=%d\\n", kSecRandomDefault != NULL);']
    lines += ['    printf("kLAErrorDomain=%s\\n", kLAErrorDomain);']
    includes = "#include <Security/Security.h>\n#include <LocalAuthentication/LocalAuthentication.h>\n"
    return includes + C_PROGRAM + "\n".join(lines) + "\n}\n"


def swift_program(headers):
    names = swift_names()
    wanted = headers.constants + headers.numbers + headers.macros
    return SWIFT_PROGRAM + "\n".join(f'show("{name}", {names.get(name, name)})' for name in wanted) + "\n"


def printed(command, **options):
    output = subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout
    return dict(line.split("=", 1) for line in output.splitlines())


def differing_constants(headers, prefix, libraries, folder):
    """Names whose values differ, or that only one language has; and how many there are."""
    with open(f"{folder}/constants.c", "w") as file:
        file.write(c_program(headers))
    with open(f"{folder}/main.swift", "w") as file:
        file.write(swift_program(headers))
    run_path = f"{prefix}/lib"
    subprocess.run(
        [
            "clang",
            *headers.flags,
            f"{folder}/constants.c",
            *libraries,
            f"-Wl,-rpath,{run_path}",
            "-o",
            f"{folder}/constants",
        ],
        check=True,
    )
    subprocess.run(
        [
            "swiftc",
            "-Onone",
            "-I",
            f"{prefix}/lib/swift-keychain/sdk",
            "-L",
            run_path,
            "-Xlinker",
            "-rpath",
            "-Xlinker",
            run_path,
            f"{folder}/main.swift",
            "-o",
            f"{folder}/swift-constants",
        ],
        check=True,
    )
    c, swift = printed([f"{folder}/constants"]), printed([f"{folder}/swift-constants"])
    wanted = set(headers.constants + headers.numbers + headers.macros)
    differing = [name for name in sorted(wanted) if name not in c or c[name] != swift.get(name)]
    return [f"{name}: {c.get(name)} in C, {swift.get(name)} in Swift" for name in differing], len(wanted)
