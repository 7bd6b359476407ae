"""What the manual pages say: their examples, as a shell takes them, and whether the pages are well formed."""

import glob
import os
import re
import shutil
import subprocess

MARKS = {
    r"\-": "-",
    r"\(aq": "'",
    r"\(dq": '"',
    r"\(ga": "`",
    r"\(ha": "^",
    r"\(ti": "~",
    r"\&": "",
    r"\e": "\\",
}


def pages():
    return sorted(glob.glob("docs/man/*.[1-9]"))


def translated():
    return sorted(glob.glob("docs/man/*/man[1-9]/*.[1-9]"))


def plain(line):
    return re.sub(r"\\(?:\((?:aq|dq|ga|ha|ti)|[-&e])", lambda found: MARKS[found.group()], line)


def examples(page):
    """The command lines of a page with their prompts: `$` for users, `#` for root; in displays, and nowhere else."""
    found, section, is_display = [], "", False
    with open(page, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(".Sh "):
                section = line[4:]
            elif line.startswith(".Bd -literal"):
                is_display = True
            elif line.startswith(".Ed") and is_display:
                is_display = False
            elif is_display and re.match(r"\$ " if section != "EXAMPLES" else r"[$#] ", line):
                found.append((line[0], plain(line[2:])))
            is_outside = re.match(r"\.(Dl|D1|Ql) \"?[$#] [a-z]", line) or (not is_display and line.startswith("$ "))
            assert not is_outside, f"{page}: an example outside of a display: {line}"
    assert found or section_is_absent(page), f"{page}: EXAMPLES has no command"
    return found


def section_is_absent(page):
    with open(page, encoding="utf-8") as file:
        return ".Sh EXAMPLES\n" not in file.read()


def has_groff():
    """Whether `man` is the one that can warn: mandoc has a command of that name, and small systems have a stub."""
    if not (shutil.which("groff") and shutil.which("man")):
        return False
    version = subprocess.run(["man", "--version"], capture_output=True, text=True)
    return version.returncode == 0 and version.stdout.startswith("man 2.")


def lint(page):
    """What the formatters that this machine has find fault with."""
    checks = []
    if shutil.which("mandoc"):
        checks.append(["mandoc", "-T", "lint", "-W", "warning", page])
    if has_groff():
        checks.append(["man", "--warnings", "--local-file", page])
    found = ""
    for words in checks:
        environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80")
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        said = done.stderr + (done.stdout if words[0] == "mandoc" else "")
        found += said if said.strip() or done.returncode == 0 else f"{words}: {done.returncode}\n"
    return found, [words[0] for words in checks]
