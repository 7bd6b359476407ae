"""What the compiler noted of the package: definitions, and who refers to them."""

import collections
import functools
import os
import shutil
import subprocess
import tempfile

from files import ROOT, listed

HERE = os.path.dirname(os.path.abspath(__file__))
DECLARATION, DEFINITION, REFERENCE, IMPLICIT = 1, 2, 4, 1 << 8
CHILD, BASE, OVERRIDE, ACCESSOR, CONTAINED = 1 << 9, 1 << 10, 1 << 11, 1 << 15, 1 << 16
ENUM, STRUCT, CLASS, PROTOCOL, EXTENSION, TYPEALIAS = 5, 6, 7, 8, 9, 11
TYPES = (ENUM, STRUCT, CLASS, PROTOCOL, TYPEALIAS)
LOCAL = 1 << 7

Occurrence = collections.namedtuple("Occurrence", "file module line roles kind subkind properties usr name relations")


def toolchain():
    """The folder that has bin/swiftc."""
    return os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swiftc"))))


def build_reader(folder):
    tools, reader = toolchain(), f"{folder}/read_index"
    subprocess.run(
        [
            "cc",
            "-O2",
            f"-I{tools}/local/include",
            f"{HERE}/read_index.c",
            "-o",
            reader,
            f"-L{tools}/lib",
            "-lIndexStore",
            f"-Wl,-rpath,{tools}/lib",
        ],
        check=True,
    )
    return reader


def newest():
    """The folder with the index of the last debug build."""
    return os.environ.get("TIDY_INDEX", f"{ROOT}/.build/debug/index/store")


@functools.cache
def occurrences():
    """Every occurrence in a file that is still there."""
    there = set(listed())
    with tempfile.TemporaryDirectory() as folder:
        command = [build_reader(folder), newest(), os.environ.get("TIDY_ROOT", ROOT)]
        done = subprocess.run(command, capture_output=True, check=True)
    found = []
    for line in done.stdout.decode(errors="replace").splitlines():
        file, module, number, roles, kind, subkind, properties, usr, name, *relations = line.split("\t")
        if file in there:
            links = [(int(link.split("=", 1)[0], 16), link.split("=", 1)[1]) for link in relations]
            numbers = (int(number), int(roles, 16), int(kind), int(subkind), int(properties, 16))
            found.append(Occurrence(file, module, *numbers, usr, name, links))
    return found


@functools.cache
def definitions():
    """The first definition of each symbol."""
    found = {}
    for one in occurrences():
        if one.roles & DEFINITION and one.kind != EXTENSION:
            found.setdefault(one.usr, one)
    return found


@functools.cache
def arrows():
    """File to file within Sources: (from, to) -> how often."""
    defined, found = definitions(), collections.Counter()
    for one in occurrences():
        target = defined.get(one.usr)
        if one.roles & REFERENCE and target and one.file != target.file:
            if one.file.startswith("Sources/") and target.file.startswith("Sources/"):
                found[one.file, target.file] += 1
    return found


def module_folder(name):
    """Sources/LAYER/MODULE of a file."""
    return "/".join(name.split("/")[:3])


def rings(edges):
    """Groups of nodes that reach each other, by Tarjan's way without recursion."""
    after = collections.defaultdict(set)
    for one, other in edges:
        after[one].add(other)
        after.setdefault(other, set())
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in list(after):
        if root in number:
            continue
        work = [(root, iter(after[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group = set()
                    while node not in group:
                        group.add(stack.pop())
                    on_stack -= group
                    if len(group) > 1:
                        found.append(group)
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(after[following])))
            elif following in on_stack:
                low[node] = min(low[node], number[following])
    return found
