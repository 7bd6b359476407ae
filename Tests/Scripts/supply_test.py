"""Holds the programs in a folder, as the linker has made them, against docs/dependencies.md.

Usage: supply_test.py FOLDER [--trial]
"""

import functools
import json
import os
import re
import subprocess
import sys

from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FOLDER = Path(sys.argv[1])
PROGRAMS = sorted(path.name for path in FOLDER.iterdir())
# What the C library and the toolchain bring, which the table has in its last two rows.
EVERYWHERE = re.compile(
    r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so|ld-linux|libswift|lib_?Foundation|lib_FoundationICU"
    r"|libdispatch|libBlocksRuntime"
)
SONAMES = {
    "libsqlite3": r"libsqlite3\.",
    "libcrypto (OpenSSL)": r"libcrypto\.",
    "libargon2": r"libargon2\.",
    "libexpat": r"libexpat\.",
    "libseccomp": r"libseccomp\.",
    "tpm2-tss": r"libtss2-",
    "libsystemd": r"libsystemd\.",
    "libpam": r"libpam\.",
    "libpq": r"libpq\.",
    "libcurl": r"libcurl\.",
}
# Programs for work have not all the options of those that are installed.
TRIAL = "--trial" in sys.argv
FAILED = []


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else ': ' + str(detail)[:2000]}")
    if not holds:
        FAILED.append(name)


@functools.cache
def readelf(option, program):
    return subprocess.run(
        ["readelf", "-W", option, FOLDER / program], check=True, capture_output=True, text=True
    ).stdout


def needed(program):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", program)))


def check_hardening(program):
    segments, dynamic = readelf("-l", program), readelf("-d", program)
    if is_static(program):
        check(
            f"{program} alone is linked at a fixed place, and asks for no interpreter",
            program == "security" and "INTERP" not in segments,
            program,
        )
    else:
        check_loading(program, dynamic)
    check(f"{program}'s table of functions is read-only then", "GNU_RELRO" in segments, segments)
    flags = re.findall(r"^\s+(\w+)\s+(?:0x\w+\s+){5}([RWE ]{3})", segments, re.M)
    check(f"{program} has segments", len(flags) > 2, segments)
    check(
        f"{program} has nothing that is writable and executable",
        not [f for f in flags if "W" in f[1] and "E" in f[1]],
        flags,
    )
    check(f"{program} has a stack that is not executable", ("GNU_STACK", "RW ") in flags, flags)
    check(f"{program} has no code that is relocated", "TEXTREL" not in dynamic, dynamic)


def is_static(program):
    """Linked at a fixed place, with everything inside: nothing is bound, and its symbols are gone."""
    return re.search(r"Type:\s+EXEC", readelf("-h", program)) is not None


def check_loading(program, dynamic):
    head = readelf("-h", program)
    check(f"{program} is position-independent", re.search(r"Type:\s+DYN", head), head)
    check(
        f"{program} binds before it starts",
        TRIAL or re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic),
        re.findall("Flags.*", dynamic),
    )
    check(f"{program}'s C code has guarded stacks", "__stack_chk_fail" in readelf("-s", program), program)


def rows():
    """The table: what it calls a library, and the cells behind."""
    table = (TOP / "docs/dependencies.md").read_text().split("\n| library |")[1].split("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {row[0]: row[1:] for row in cells}


def users(cell):
    if cell.startswith("all but"):
        return set(PROGRAMS) - set(re.findall(r"`([^`]+)`", cell)) - {"pam_keychain.so"}
    return set(re.findall(r"`([^`]+)`", cell))


def check_table():
    table = rows()
    check(
        "the table has each library, and the two that are everywhere",
        set(SONAMES) < set(table) and len(table) == len(SONAMES) + 2,
        table,
    )
    for library, pattern in SONAMES.items():
        loads = {program for program in PROGRAMS if any(re.match(pattern, name) for name in needed(program))}
        check(
            f"{library} is loaded by whom the table says", loads == users(table[library][2]), (loads, table[library][2])
        )
    known = re.compile("|".join(SONAMES.values()))
    for program in PROGRAMS:
        others = {name for name in needed(program) if not known.match(name) and not EVERYWHERE.match(name)}
        check(f"{program} loads nothing else", not others, others)
    manifest = (TOP / "Package.swift").read_text()
    declared = set(re.findall(r'^ +library(?:OfPrograms)?\("(C\w+)"', manifest, re.M))
    check("Package.swift has as many system libraries as the table", len(declared) == len(SONAMES), declared)


def check_bill():
    table = rows()
    done = subprocess.run([TOP / "scripts/sbom", FOLDER], capture_output=True, text=True)
    check("the bill of materials is made", done.returncode == 0, done.stderr)
    bill = json.loads(done.stdout)
    programs = {one["name"]: one for one in bill["components"] if one["type"] == "application"}
    check("it has each program with its digest", set(programs) == set(PROGRAMS), programs)
    for name, one in programs.items():
        digest = subprocess.run(["sha256sum", FOLDER / name], capture_output=True, text=True).stdout.split()[0]
        check(f"the digest of {name} is sha256sum's", one["hashes"] == [{"alg": "SHA-256", "content": digest}], one)
    references = {one["bom-ref"] for one in bill["components"]}
    edges = {edge["ref"]: set(edge["dependsOn"]) for edge in bill["dependencies"]}
    check(
        "what depends on something says on which of them",
        all(depends <= references for depends in edges.values()),
        edges,
    )
    for library, pattern in SONAMES.items():
        for program in PROGRAMS:
            if any(re.match(pattern, name) for name in needed(program)):
                package = re.search(r"`(lib[a-z0-9]+)", table[library][0])[1].rstrip("0123456789")
                versions = [one for one in edges[program] if f"/{package}" in one and "@" in one]
                check(f"{program} depends on {library} with a version", versions, edges[program])
    refused = subprocess.run([TOP / "scripts/sbom", "/nonexistent"], capture_output=True, text=True)
    check("a folder that is not there is refused", refused.returncode != 0 and "usage" in refused.stderr, refused)


for program in PROGRAMS:
    check_hardening(program)
check_table()
check_bill()
sys.exit(f"{len(FAILED)} failed" if FAILED else 0)
