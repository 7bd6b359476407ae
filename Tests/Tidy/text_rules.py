"""Rules about lines, files and names, which need nothing but the text."""

import collections
import os
import re

from files import ROOT, code, comments, lines, listed, named, prose, text
from rule import rule

CODE = ("Sources", "Tests", "Examples", "Benchmarks", "Package.swift")
COLUMNS = 120


def long_lines(names, passes=lambda line: False):
    for name in names:
        for number, line in enumerate(lines(name), 1):
            if len(line) > COLUMNS and not passes(line):
                yield f"{name}:{number}", len(line)


@rule("columns of Swift over 120")
def swift_columns():
    return long_lines(named(CODE, ".swift"))


@rule("columns of C over 120")
def c_columns():
    return long_lines(named(CODE, ".c", ".h"))


@rule("columns of Python over 120")
def python_columns():
    return long_lines(named("", ".py"))


@rule("columns of pages over 120")
def page_columns():
    """A table's row and a link cannot be broken."""
    unbreakable = re.compile(r"\s*\||.*https?://\S{60}")
    return long_lines(named("", ".md"), unbreakable.match)


@rule("files of Sources over 400 lines")
def long_sources():
    return ((name, len(lines(name))) for name in named("Sources", ".swift", ".c", ".h") if len(lines(name)) > 400)


@rule("files of Tests over 500 lines")
def long_tests():
    return ((name, len(lines(name))) for name in named("Tests", ".swift", ".py", ".c") if len(lines(name)) > 500)


@rule("files under 25 lines without a declaration of their own")
def scraps():
    """A file of exported imports declares what its module offers."""
    own = re.compile(
        r"^(?:@\w+(?:\([^)]*\))? )*"
        r"(?:public |package |internal |private |fileprivate |final |indirect |nonisolated |nonisolated\(unsafe\) )*"
        r"(?:struct|class|enum|protocol|actor|func|let|var|typealias) |^@_exported public import ",
        re.M,
    )
    for name in named("Sources", ".swift"):
        if len(lines(name)) < 25 and not own.search(code(name)) and os.path.basename(name) != "main.swift":
            yield name, len(lines(name))


@rule("file names that stand twice")
def same_names():
    by_name = collections.defaultdict(list)
    for name in named("Sources", ".swift"):
        if os.path.basename(name) != "main.swift":
            by_name[os.path.basename(name)].append(name)
    return ((paths[0], ", ".join(paths[1:])) for paths in by_name.values() if len(paths) > 1)


@rule("references that lead nowhere")
def dangling_references():
    cited = re.compile(
        r"\b[Ss]emantics(?: [A-K]\b|\.md|$)|\bS-\d+\b|\bdesign \d|\(limits: section|checklist" r"|\"[A-K]\.\d+: "
    )
    for name in named(CODE, ".swift", ".c", ".h", ".py", ".sh") + named("", ".md"):
        if not name.startswith("Tests/Tidy/"):
            for number, line in enumerate(lines(name), 1):
                for found in cited.findall(line):
                    yield f"{name}:{number}", found


@rule("links to files that are not there")
def dead_links():
    for name in named("", ".md"):
        for number, line in enumerate(lines(name), 1):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"`[^`]*`", "", line)):
                path = os.path.normpath(os.path.join(os.path.dirname(name), target))
                if not re.match(r"\w+:", target) and not os.path.exists(f"{ROOT}/{path}"):
                    yield f"{name}:{number}", target


@rule("sleeps in Tests")
def sleeps():
    """Tests wait by `eventually`, in Tests/Support/Waiting.swift; a program that a test drives may pause when told."""
    called = re.compile(r"\b(?:usleep|nanosleep|Task\.sleep|Thread\.sleep|sleep)\(")
    for name in named("Tests", ".swift"):
        if name == "Tests/Support/Waiting.swift" or name.startswith("Tests/Programs/"):
            continue
        for number, line in enumerate(code(name).splitlines(), 1):
            if called.search(line):
                yield f"{name}:{number}", line.strip()


@rule("a Mutex, a try! or a mark of something left to do, in Sources")
def forbidden():
    found = re.compile(r"\bMutex\s*[<(]|\btry!|\b(?:TODO|FIXME|XXX)\b")
    for name in named("Sources", ".swift", ".c", ".h"):
        places = list(enumerate(code(name).splitlines(), 1)) + comments(name)
        for number, line in places:
            if found.search(line):
                yield f"{name}:{number}", line.strip()


def functions(name):
    """Each function of a Swift file as (line, name, lines), by its braces."""
    body = code(name)
    for found in re.finditer(r"\b(?:func\s+(\S+?)\s*[<(]|(init|deinit|subscript)\b[^{}\n]*[({])", body):
        start = body.find("{", found.end() - 1)
        semicolon = body.find("\n\n", found.end())
        if start < 0 or (0 <= semicolon < start):
            continue
        depth, place = 0, start
        while place < len(body):
            depth += {"{": 1, "}": -1}.get(body[place], 0)
            if depth == 0:
                break
            place += 1
        first = body.count("\n", 0, found.start()) + 1
        yield first, found.group(1) or found.group(2), body.count("\n", found.start(), place) + 1


def long_functions(folder, most):
    for name in named(folder, ".swift"):
        for line, function, length in functions(name):
            if length > most:
                yield f"{name}:{line}", f"{function}, {length} lines"


@rule("functions of Sources over 40 lines")
def long_source_functions():
    return long_functions("Sources", 40)


@rule("functions of Tests over 60 lines")
def long_test_functions():
    return long_functions("Tests", 60)


def tests(name):
    """The lines on which the functions of tests begin: the next function after each @Test."""
    body = code(name)
    for found in re.finditer(r"@Test\b", body):
        function = re.compile(r"\bfunc\s").search(body, found.end())
        if function:
            yield body.count("\n", 0, function.start()) + 1


@rule("tests without an expectation or a call that may throw")
def empty_tests():
    proof = re.compile(r"#expect|#require|\btry\b|Issue\.record|\b(?:expect|check|require|prove)\w*\(")
    for name in named("Tests", ".swift"):
        body, marked = code(name).splitlines(), set(tests(name))
        for line, function, length in functions(name):
            whole = "\n".join(body[line - 1 : line - 1 + length])
            if line in marked and not proof.search(whole):
                yield f"{name}:{line}", function
