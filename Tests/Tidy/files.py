"""The files of the package, and what of their text is code, a comment or prose."""

import functools
import os
import re
import subprocess

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
# Strings, raw strings and comments of Swift and C, longest opening first.
TOKEN = re.compile(
    r'#"""(?:.|\n)*?"""#|"""(?:.|\n)*?"""|#"(?:[^"]|"(?!#))*"#|"(?:\\.|[^"\\\n])*"' r'|//[^\n]*|/\*(?:.|\n)*?\*/'
)


@functools.cache
def listed():
    """Every file that git knows of or would take, and that is there."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(name for name in done.stdout.splitlines() if os.path.isfile(f"{ROOT}/{name}"))


def named(folders, *endings):
    """Files below one of these folders (one alone, or several) with one of these endings."""
    folders = (folders,) if isinstance(folders, str) else folders
    return [name for name in listed() if name.startswith(folders) and name.endswith(endings)]


@functools.cache
def text(name):
    with open(f"{ROOT}/{name}", encoding="utf-8") as file:
        return file.read()


def lines(name):
    return text(name).splitlines()


@functools.cache
def code(name):
    """The text of a Swift or C file, strings and comments replaced by blanks of the same lines."""
    return TOKEN.sub(lambda found: '""' + "\n" * found.group().count("\n"), text(name))


def prose_lines(lines):
    """The words of a comment's lines without its indented blocks, which are tables or grammars."""
    return [line.strip(" \t/*") for line in lines if not re.match(r"\s*\* {3,}\S", line)]


@functools.cache
def comments(name):
    """The prose of a Swift or C file's comments as (line, paragraph): lines that follow each other are one."""
    paragraphs, last, table, after_blank = [], None, False, False
    for found in TOKEN.finditer(text(name)):
        token = found.group()
        if not token.startswith("/"):
            continue
        line = text(name).count("\n", 0, found.start()) + 1
        words = " ".join(prose_lines(token.splitlines()))
        indented = re.match(r"//+ {4,}", token)
        table, after_blank = bool(indented and (table or after_blank)), words == ""
        if table:
            words = ""
        if last is not None and line == last + 1 and words and paragraphs[-1][1] and not words.startswith("- "):
            paragraphs[-1] = (paragraphs[-1][0], f"{paragraphs[-1][1]} {words}")
        else:
            paragraphs.append((line, words))
        last = line + token.count("\n")
    return [(line, words) for line, words in paragraphs if words]


@functools.cache
def prose(name):
    """The paragraphs of a page as (line, paragraph): no code, no table, no heading."""
    paragraphs, words, begin, fenced = [], [], 0, False
    for number, line in enumerate(lines(name) + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        is_text = line.strip() and not fenced and not re.match(r"\s*(```|\||#|<|    )", line)
        starts = re.match(r"\s*([-*]|\d+\.) ", line)
        if words and (not is_text or starts):
            paragraphs.append((begin, " ".join(words)))
            words = []
        if is_text:
            begin = begin if words else number
            words.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip())
    return paragraphs
