"""Rules about docs/specification: what is cited is there, and what is marked as tested has a test."""

import re

from files import comments, named, text
from rule import rule

NAME = r"[a-z][a-z-]*\.[a-z][a-z-]*\.[a-z][a-z0-9-]*"
LIST = rf"{NAME}(?:, {NAME})*"
FOLDER = "docs/specification/"


def chapters():
    return [name for name in named(FOLDER, ".md")]


def specified():
    """The names of all rules, each with whether it is marked as tested."""
    found = {}
    for name in chapters():
        for part in re.split(r"^### ", text(name), flags=re.M)[1:]:
            found[part.split("\n")[0].strip()] = re.search(r"^Tests: yes$", part, re.M) is not None
    return found


def citations():
    """Each citation of a rule as (place, name)."""
    for name in named(("Sources", "Tests", "Examples", "Benchmarks"), ".swift", ".c", ".h"):
        for line, words in comments(name):
            for names in re.findall(rf"\b[Rr]ules? ({LIST})", words):
                yield from ((f"{name}:{line}", cited) for cited in names.split(", "))
        for names in re.findall(rf'"[^"\n]*\(rules? ({LIST})\)', text(name)):
            yield from ((name, cited) for cited in names.split(", "))
        for names in re.findall(r"\.rule\(([^)]*)\)", text(name)):
            yield from ((name, cited) for cited in re.findall(r'"([^"]*)"', names))
    for name in named("Tests", ".py"):
        if not name.startswith("Tests/Tidy/"):
            for names in re.findall(rf'(?:"|\brules? )({LIST})', text(name)):
                yield from ((name, cited) for cited in names.split(", ") if cited.split(".")[0] in subjects())
    for name in named(FOLDER, "capabilities.md"):
        for names in re.findall(rf"\| ({LIST}) \|$", text(name), re.M):
            yield from ((name, cited) for cited in names.split(", "))


def subjects():
    return {name[len(FOLDER) : -len(".md")] for name in chapters()}


@rule("rules that are cited and not in docs/specification")
def unknown_rules():
    known = specified()
    return ((place, cited) for place, cited in citations() if cited not in known)


@rule("rules of docs/specification that are marked as tested and cited by no test")
def untested_rules():
    tested = {cited for place, cited in citations() if place.startswith("Tests/")}
    return ((FOLDER, name) for name, marked in specified().items() if marked and name not in tested)


@rule("rules of docs/specification that stand in another chapter than their name says, or twice")
def misplaced_rules():
    seen = set()
    for name in chapters():
        for found in re.findall(r"^### (.*)$", text(name), re.M):
            if not name.endswith(f"/{found.split('.')[0]}.md") or found in seen or not re.fullmatch(NAME, found):
                yield name, found
            seen.add(found)
