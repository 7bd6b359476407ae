"""The C ABI of an installed SDK.

usage: c_abi_test.py PREFIX HEADER DAEMONS
The header is what Swift's compiler has written of the module SecurityABI; the daemons are those of the build.
"""

import os
import subprocess
import sys
import tempfile
import c_constants
import c_declarations
import c_programs

SYMBOLS = "Tests/C/symbols.txt"
checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}")


def none(found, what):
    check(not found, f"{what}: " + "; ".join(map(str, list(found)[:12])))


def exported(library):
    """The names that C finds in the library."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = (line.split()[-1] for line in listed.splitlines())
    return {name for name in names if not name.startswith("$s")}


def declarations(headers, emitted):
    with open(emitted) as file:
        text = file.read()
    swift = set(c_declarations.swift_functions(text))
    check(len(swift) > 100 and len(headers.constants) > 300, "the declarations were not found")
    none(set(headers.functions) ^ swift, "functions that only the headers or only SecurityABI has")
    none(c_declarations.differing_functions(headers, text), "functions that the headers declare otherwise than Swift")
    # A declaration that is wrong is found.
    wrong = text.replace("int32_t SecItemDelete(void const *", "int32_t SecItemDelete(int64_t ").replace(
        "BOOL SecKeyVerifySignature", "int32_t SecKeyVerifySignature"
    )
    check(
        c_declarations.differing_functions(headers, wrong) == ["SecItemDelete", "SecKeyVerifySignature"],
        "wrong declarations were not found",
    )
    for compiler in ("clang", "gcc"):
        missing = c_declarations.missing_symbols(headers.flags, compiler)
        none(missing, f"symbols that {compiler} does not find in their headers")
    return f"{len(swift)} functions"


def symbols(headers, library):
    declared = set(headers.functions + headers.constants)
    none(declared ^ exported(library), "symbols that only the headers or only the library has")
    if os.environ.get("UPDATE_SYMBOLS"):
        with open(SYMBOLS, "w") as file:
            file.write("\n".join(sorted(declared)) + "\n")
    with open(SYMBOLS) as file:
        promised = set(file.read().split())
    none(promised - declared, "symbols that programs were promised and that are gone")
    none(declared - promised, "symbols that are not in the list (UPDATE_SYMBOLS=1 writes it)")
    return f"{len(declared)} symbols"


def main(prefix, emitted, daemons):
    programs = c_programs.Programs(prefix)
    headers = c_declarations.Headers(programs.flags, prefix)
    print(declarations(headers, emitted))
    print(symbols(headers, f"{prefix}/lib/libSecurity.so.1"))
    with tempfile.TemporaryDirectory() as folder:
        differing, count = c_constants.differing_constants(headers, prefix, programs.libraries, folder)
        none(differing, "constants")
        print(f"{count} constants")
        programs.use(folder)
        none(programs.header_problems(), "headers that do not compile, or not to the letter of the language")
        none(programs.transport_problems(), "Secure Transport without a word on what to use")
        none(programs.example_problems(), "examples")
        none(programs.daemon_problems(daemons), "the example with a daemon")
        none(programs.test_problems(headers.constants), "programs of Tests/C")
        none(programs.leaks(), "leaks")
    print(f"{checks} checks")


main(*sys.argv[1:])
