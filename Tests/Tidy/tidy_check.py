"""Each rule about text finds what is planted for it, and nothing in a package without faults: usage: tidy_check.py"""

import os
import subprocess
import sys
import tempfile

import files
import language_rules  # noqa: F401 the rules register themselves
import specification_rules  # noqa: F401
import text_rules  # noqa: F401
import time_rules  # noqa: F401
from rule import RULES

LONG = "x" * 130
PLANTED = {
    "columns of Swift": ("Sources/A/M/One.swift", f"struct One {{}} // {LONG}\n"),
    "columns of C": ("Sources/A/M/one.c", f"// {LONG}\n"),
    "columns of Python": ("Tests/one.py", f"# {LONG}\n"),
    "columns of pages": ("docs/one.md", f"{LONG} {LONG}\n"),
    "names of groups": ("Sources/Daemon/KeychainPolicy/One.swift", "let isOwn = groups.contains(group)\n"),
    "paths of keychains": ("Sources/Wire/KeychainClient/Named/One.swift", "let isSame = path == other\n"),
    "files of Sources over": ("Sources/A/M/One.swift", "let a = 1\n" * 401),
    "files of Tests over": ("Tests/One.swift", "let a = 1\n" * 501),
    "files under 25": ("Sources/A/M/One.swift", "extension Int { var one: Int { 1 } }\n"),
    "file names": ("Sources/A/N/Good.swift", "struct Other {}\n"),
    "references that": ("Sources/A/M/One.swift", "struct One {} // semantics B.1\n"),
    "rules that are cited": (
        "Sources/A/M/One.swift",
        "/// One (rules items.add.result, items.no.such).\nstruct One {}\n",
    ),
    "rules of docs/specification that are": (
        "docs/specification/keys.md",
        "### keys.use.sign\nA key signs.\nTests: yes\n",
    ),
    "rules of docs/specification that stand": ("docs/specification/keys.md", "### items.add.result\nA key signs.\n"),
    "links to files": ("docs/one.md", "[a page](nowhere.md)\n"),
    "sleeps": ("Tests/One.swift", "func wait() { usleep(1) }\n"),
    "comparisons with elapsed": ("Tests/one.py", "assert time.monotonic() - start < 2\n"),
    "time-outs": ("Tests/one.py", "run(timeout=20)\n"),
    "loops in Tests": ("Tests/One.swift", "func wait() { while !done { sched_yield() } }\n"),
    "a Mutex": ("Sources/A/M/One.swift", "struct One { let x = try! call() }\n"),
    "functions of Sources": ("Sources/A/M/One.swift", "func one() {\n" + "    call()\n" * 41 + "}\n"),
    "functions of Tests": ("Tests/One.swift", "func one() {\n" + "    call()\n" * 61 + "}\n"),
    "tests without": ("Tests/One.swift", "@Test(\"nothing\")\nfunc one() {\n    call()\n}\n"),
    "he, him": ("Sources/A/M/One.swift", "/// The user and his password.\nstruct One {}\n"),
    "words that": ("Sources/A/M/One.swift", "/// Begins anew.\nstruct One {}\n"),
    "sentences that begin": ("Sources/A/M/One.swift", "/// Who is faster waits.\nstruct One {}\n"),
    "sentences of over": ("docs/one.md", "A " + "word " * 40 + "ends.\n"),
}
GOOD = {
    "Sources/A/M/Good.swift": "/// A name, of `his` choice in code alone.\nstruct Good {}\n",
    "Tests/GoodTests.swift": "@Test(\"one is one\")\nfunc one() {\n    #expect(1 == 1)\n}\n",
    "docs/specification/items.md": "### items.add.result\nAn add stores the item.\nTests: yes\n",
    "Tests/RuleTests.swift": "@Test(\"an add\", .rule(\"items.add.result\"))\nfunc one() {\n    #expect(1 == 1)\n}\n",
    "docs/good.md": "A sentence.\n\n| a table | " + LONG + " |\n",
}


def counts(planted):
    """What each rule finds in a package with these files."""
    with tempfile.TemporaryDirectory() as folder:
        files.ROOT = text_rules.ROOT = folder
        for cached in (files.listed, files.text, files.code, files.comments, files.prose):
            cached.cache_clear()
        for name, content in planted.items():
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            with open(f"{folder}/{name}", "w") as file:
                file.write(content)
        subprocess.run(["git", "init", "-q", folder], check=True)
        return {rule.name: sum(1 for _ in rule.find()) for rule in RULES}


def main():
    failed = [f"{name} finds something where nothing is wrong" for name, count in counts(GOOD).items() if count]
    for name in counts(GOOD):
        prefix = next((prefix for prefix in PLANTED if name.startswith(prefix)), None)
        if prefix is None:
            failed.append(f"nothing is planted for: {name}")
            continue
        path, content = PLANTED[prefix]
        if not counts(GOOD | {path: content})[name]:
            failed.append(f"does not find what is planted: {name}")
    print("\n".join(failed) or f"{len(RULES)} rules find what is planted")
    sys.exit(bool(failed))


main()
