"""Rules about what refers to what, by the compiler's index."""

import collections
import functools
import os
import re

from files import code
from index import (
    ACCESSOR,
    BASE,
    CHILD,
    IMPLICIT,
    LOCAL,
    OVERRIDE,
    REFERENCE,
    TYPES,
    arrows,
    definitions,
    module_folder,
    occurrences,
    rings,
)
from rule import rule

# Apple's interface refers to itself in circles.
APPLE_SHAPED = "Sources/API/Security"
# Modules that no program has yet, or has not all of: their tests stand for their callers. One that is used leaves
# this list.
AHEAD_OF_USE = (
    "Sources/Base/SyncFormat",
    "Sources/Daemon/SyncMerging",
    "Sources/Daemon/SyncStore",
    "Sources/Base/FileFormat",
)
FUNCTIONS = (12, 16, 17, 18)
ENUM_CASE = 15
NAMED = (*TYPES, *FUNCTIONS, 13, ENUM_CASE, 19, 21)


def within_modules():
    """Arrows between files of one module, by module."""
    found = collections.defaultdict(set)
    for one, other in arrows():
        if module_folder(one) == module_folder(other):
            found[module_folder(one)].add((one, other))
    return found


@rule("files in rings of over five")
def file_rings():
    for module, edges in within_modules().items():
        for ring in rings(edges) if module != APPLE_SHAPED else ():
            if len(ring) > 5:
                yield from ((name, f"a ring of {len(ring)}") for name in sorted(ring))


@rule("folders of a module that use each other")
def folder_rings():
    for module, edges in within_modules().items():
        folders = {(os.path.dirname(one), os.path.dirname(other)) for one, other in edges}
        for ring in rings({(one, other) for one, other in folders if one != other}):
            yield from ((folder, f"one of {len(ring)}") for folder in sorted(ring))


@rule("a module that refers upwards, to one that refers to it")
def module_rings():
    for ring in rings(
        {
            (module_folder(one), module_folder(other))
            for one, other in arrows()
            if module_folder(one) != module_folder(other)
        }
    ):
        yield ", ".join(sorted(ring)), len(ring)


def is_top(one):
    return not any(roles & CHILD for roles, _ in one.relations)


@rule("types of one name in two modules")
def same_types():
    by_name = collections.defaultdict(dict)
    for one in definitions().values():
        if one.kind in TYPES and one.file.startswith("Sources/") and one.file.endswith(".swift") and is_top(one):
            by_name[one.name].setdefault(module_folder(one.file), one)
    for name, places in by_name.items():
        if len(places) > 1:
            yield f"{next(iter(places.values())).file}", f"{name}: {', '.join(sorted(places))}"


@functools.cache
def named_definitions():
    """What somebody gave a name and may remove: no accessor, no local, no requirement that the language makes."""
    required = {usr for one in occurrences() for roles, usr in one.relations if roles & (OVERRIDE | BASE)}
    fulfilling = {one.usr for one in occurrences() if any(roles & (OVERRIDE | ACCESSOR) for roles, _ in one.relations)}
    apart = required | fulfilling
    return [
        one
        for one in definitions().values()
        if one.file.startswith("Sources/") and one.file.endswith(".swift") and one.usr not in apart
        if not one.roles & IMPLICIT and not one.properties & LOCAL and one.kind in NAMED
    ]


def is_public(one):
    """By its text, for the index does not say: for others, or for C."""
    above = "\n".join(code(one.file).splitlines()[max(0, one.line - 3) : one.line])
    is_case = one.kind == ENUM_CASE and one.file.startswith("Sources/API/")
    return is_case or re.search(r"\b(?:public|open)\b|@_cdecl|@c\b", above) is not None


def is_private(one):
    """By its text, as `is_public`."""
    line = code(one.file).splitlines()[one.line - 1]
    return re.search(r"\b(?:private|fileprivate)\b", line) is not None


@functools.cache
def parents():
    """USR -> the USR of the type that a member belongs to."""
    return {one.usr: usr for one in occurrences() for roles, usr in one.relations if roles & CHILD}


def is_entry_point(one, parent):
    """A type marked as the program's entry, or the function of one that the language calls."""
    whole = one if one.kind in TYPES else definitions().get(parent.get(one.usr))
    above = whole and "\n".join(code(whole.file).splitlines()[max(0, whole.line - 3) : whole.line])
    return above is not None and "@main" in above and (one is whole or one.name == "main()")


def made_from_raw_values():
    """The enumerations whose cases are made from raw values: something refers to their `init(rawValue:)`."""
    return {usr.split("8rawValue")[0] for usr in users() if "8rawValue" in usr and usr.endswith("_tcfc")}


@functools.cache
def users():
    """USR -> the top folders of the files that refer to it."""
    found = collections.defaultdict(set)
    for one in occurrences():
        if one.roles & REFERENCE:
            found[one.usr].add(one.file.split("/")[0])
    return found


LENT_TO_C = re.compile(r"@_silgen_name\([^)]*\)\s*(?:\w+\s+)*func \w+\([^)]*Unsafe\w*Pointer<(\w+)>")


def is_read_by_c(one):
    """A member of a type that a C function gets a pointer to: the function reads it where Swift need not.

    So is the first word of an object of Core Foundation (`RuntimeType`).
    """
    if one.name == "runtimeWord":
        return True
    types = set(LENT_TO_C.findall(code(one.file)))
    parents = [definitions().get(usr) for roles, usr in one.relations if roles & CHILD]
    return any(parent and parent.name in types for parent in parents)


@rule("definitions that nothing refers to")
def unreferenced():
    by, parent, raw = users(), parents(), made_from_raw_values()
    for one in named_definitions():
        is_made = one.kind == ENUM_CASE and parent.get(one.usr) in raw
        is_used = one.usr in by or is_public(one) or is_made or is_entry_point(one, parent) or is_read_by_c(one)
        if not is_used:
            yield f"{one.file}:{one.line}", one.name


@rule("definitions that tests alone refer to", threshold=12)
def for_tests_alone():
    by = users()
    for one in named_definitions():
        is_apart = "/KeychainTesting/" in one.file or module_folder(one.file) in AHEAD_OF_USE
        if by.get(one.usr) == {"Tests"} and not is_public(one) and not is_apart:
            yield f"{one.file}:{one.line}", one.name


@rule("functions of one name whose first parameter has no label, over four in a module")
def overloads():
    """A function that fulfils a protocol has its name from there: such functions count once, as the requirement.

    A private one is called in its own file alone, where nobody takes it for another.
    """
    fulfilling = {one.usr for one in occurrences() if any(roles & OVERRIDE for roles, _ in one.relations)}
    found = collections.defaultdict(set)
    for one in definitions().values():
        if one.kind in FUNCTIONS and one.file.startswith("Sources/") and "(_:" in one.name:
            if one.usr not in fulfilling and not is_private(one):
                found[module_folder(one.file), one.name.split("(")[0]].add(one.usr)
    for (module, name), usrs in found.items():
        if len(usrs) > 4 and module != APPLE_SHAPED:
            yield module, f"{name}, {len(usrs)} times"
