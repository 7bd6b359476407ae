"""The catalogue of texts for people: every row is a text of the sources, and texts that people see have a row.

usage: catalogue_test.py FOLDER-OF-THE-PACKAGE PROGRAM
"""

import json
import pathlib
import re
import subprocess
import sys
import textwrap

from patience import PATIENCE

# Where a text for people stands: behind these words.
SINKS = re.compile(
    r"(?:\bsay\(|\btext\(|\bline\(|\.failed\(|cause:|remedy:|\bcomplain\(|\baskSecretly\(|\bnote =|\.usage\(|\bdo:)\s*$"
)
# A problem stands before the remedy.
PROBLEM = re.compile(r"\s*,\s*do:")
COMMANDS = "Sources/Tools/SecurityCommands"
# Where texts for people are written: the command, and what refuses requests.
COVERED = (
    COMMANDS,
    "Sources/Base/KeychainModel",
    "Sources/Base/FileFormat",
    "Sources/Tools/FileCommands",
    "Sources/Wire/FileAccess",
    "Sources/Wire/KeychainBackup",
    "Sources/Wire/KeychainClient",
    "Sources/Daemon/KeychainPolicy",
    "Sources/Daemon/KeychainStore",
    "Sources/Daemon/KeychainEngine",
    "Sources/Daemon/KeychainServer",
    "Sources/Enclave/SecureEnclave",
)
# Words that are the same in every language.
SAME = {"Enter", "Esc", "Tab", "Space", "Ctrl-S", "security", "ServerURL", "Username"}


def literals(source):
    """The literals of a source: their place, their end, and their text with {n} for what is put in."""
    found, index = [], 0
    while index < len(source):
        if source.startswith("//", index):
            index = max(source.find("\n", index), index + 2)
        elif source.startswith('"""', index):
            end = source.find('"""', index + 3)
            found.append((index, end + 3, paragraph(source[index + 3 : end])))
            index = end + 3
        elif source[index] == '"':
            end, text = literal(source, index + 1, found)
            found.append((index, end, text))
            index = end
        else:
            index += 1
    return found


def paragraph(lines):
    """The text of a literal over several lines, whose lines continue."""
    text = textwrap.dedent(lines.strip("\n").rstrip(" "))
    return re.sub(r"\\\\|\\\n", lambda found: "" if "\n" in found[0] else "\\", text).rstrip("\n")


def literal(source, index, found):
    """The end and the text of a literal; those in what is put in are found too."""
    text, places = "", 0
    while source[index] != '"':
        if source.startswith("\\(", index):
            index, places = interpolation(source, index + 2, found), places + 1
            text += "{%d}" % places
        elif source[index] == "\\":
            text += {"n": "\n", "t": "\t"}.get(source[index + 1], source[index + 1])
            index += 2
        else:
            text += source[index]
            index += 1
    return index + 1, text


def interpolation(source, index, found):
    depth = 1
    while depth:
        if source[index] == '"':
            end, text = literal(source, index + 1, found)
            found.append((index, end, text))
            index = end
            continue
        depth += {"(": 1, ")": -1}.get(source[index], 0)
        index += 1
    return index


def texts(source):
    """Literals, those that are added to one another as one, each with what stands before and behind it."""
    whole = []
    for start, end, text in sorted(literals(source)):
        if whole and start > whole[-1][1] and re.fullmatch(r"\s*\+\s*", source[whole[-1][1] : start]):
            before, _, first = whole[-1]
            count = first.count("{")
            text = first + re.sub(r"{(\d+)}", lambda found, count=count: "{%d}" % (int(found[1]) + count), text)
            whole[-1] = (before, end, text)
        else:
            whole.append((start, end, text))
    return [(source[max(0, start - 200) : start], text, source[end : end + 40]) for start, end, text in whole]


def pattern(text):
    """What a text looks like with anything in its places."""
    return re.compile("".join(".*" if re.fullmatch(r"{\d+}", part) else re.escape(part) for part in parts(text)), re.S)


def parts(text):
    return re.split(r"({\d+})", text)


def words(text):
    """How much of a text is letters."""
    return sum(letter.isalpha() for part in parts(text) if not part.startswith("{") for letter in part)


def main():
    top = pathlib.Path(sys.argv[1])
    lines = (top / "Tables/messages.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    # A place for a number alone is a place like any other in the sources.
    rows = {re.sub(r"({\d+)#}", r"\1}", one): other for one, other in (
        line.split("\t") for line in lines if not line.startswith("# "))}
    sources = {path: texts(path.read_text(encoding="utf-8")) for path in sorted((top / "Sources").rglob("*.swift"))}
    generated = top / COMMANDS / "Language"
    known = {text for path, found in sources.items() if path.parent != generated for _, text, _ in found}
    shown, notes = help_texts(sys.argv[2])
    patterns = [pattern(text) for text in known if "{1}" in text and words(text) > 3]
    unused = [row for row in rows if row not in known | shown and not any(one.fullmatch(row) for one in patterns)]
    unused = [row for row in unused if not any(row in note for note in notes)]
    assert not unused, f"no text of the sources: {unused}"
    whole = [pattern(row) for row in rows if "{1}" in row]
    missing = []
    for path, found in sources.items():
        if not any(path.is_relative_to(top / folder) for folder in COVERED):
            continue
        for before, text, behind in found:
            is_shown = SINKS.search(before) or PROBLEM.match(behind)
            if is_shown and words(text) > 2 and text not in SAME and not is_known(text, rows, whole):
                missing.append(f"{path.name}: {text}")
    assert not missing, "not in Tables/messages.tsv:\n" + "\n".join(missing)
    missing = [text for text in shown if text not in rows] + [note for note in notes if rest(note, rows)]
    assert not missing, "texts of the help that are not in Tables/messages.tsv:\n" + "\n".join(missing)
    foreign = [row for row, chinese in rows.items() if not re.search(r"[\u4e00-\u9fff]", chinese)]
    assert not foreign, f"not in Chinese: {foreign}"
    print(f"{len(rows)} texts, all of them used")


def help_texts(program):
    """The sentences of the help, and for each command what a person should know, which is several texts."""
    done = subprocess.run([program, "--json", "help"], capture_output=True, check=True, text=True, timeout=PATIENCE)
    commands = json.loads(done.stdout)
    shown = {command["summary"] for command in commands}
    shown |= {one["meaning"] for command in commands for one in command["options"] + command["exits"]}
    return shown, [command["notes"] for command in commands]


def rest(note, rows):
    """The first words of a note that no text of the catalogue begins with."""
    while note:
        found = [row for row in rows if note.startswith(row)]
        if not found:
            # An example is the same in every language.
            return "" if note.startswith("    {") else note
        note = note[len(max(found, key=len)) :].removeprefix(" ")
    return ""


def is_known(text, rows, whole):
    """A text that is put together of others is found by what it looks like."""
    return text in rows or any(one.fullmatch(text) for one in whole) or any(map(pattern(text).fullmatch, rows))


main()
