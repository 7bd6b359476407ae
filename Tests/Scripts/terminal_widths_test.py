"""The table of character widths is what the C library and a real terminal have.

usage: terminal_widths_test.py
"""

import ctypes
import locale
import os
import re
import sys
import tempfile
import termios
import tty
import unicodedata

from tmux_parts import Pane

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = f"{TOP}/Sources/Tools/TerminalText/WidthTable.swift"
COLUMNS = {"zero": 0, "wide": 2, "ambiguous": 1}
HEXAGRAMS = range(0x4DC0, 0x4E00)


def ranges():
    """The table's ranges, each with its columns."""
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    for name, columns in COLUMNS.items():
        cells = text.split(f"let {name}: [UInt32] = [")[1].split("]")[0]
        numbers = [int(number, 16) for number in re.findall("0x[0-9A-F]+", cells)]
        yield from ((first, last, columns) for first, last in zip(numbers[::2], numbers[1::2], strict=True))


def has_width(code):
    return unicodedata.category(chr(code)) not in ("Cc", "Cn", "Cs", "Co", "Zl", "Zp")


def table():
    """The columns of every character that has a width."""
    columns = {code: 1 for code in range(0x110000) if has_width(code)}
    for first, last, own in ranges():
        columns.update((code, own) for code in range(first, last + 1) if code in columns)
    return columns


def compare(expected, actual, place):
    wrong = [f"U+{code:04X} {expected[code]}, {place} {own}" for code, own in actual if own != expected[code]]
    assert not wrong, wrong[:40]


def the_c_library(expected):
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    width = ctypes.CDLL(None).wcwidth
    width.argtypes = [ctypes.c_int32]
    known = [(code, width(code)) for code in expected]
    compare(expected, [(code, own) for code, own in known if own >= 0], "the C library")


def ask(path, codes):
    """Runs in the terminal: writes each character and asks where the cursor is."""
    tty.setraw(0, termios.TCSANOW)
    with open(path, "w", encoding="ascii") as file:
        for code in codes:
            # A mark without a letter before it may be drawn by itself.
            os.write(1, f"\r\033[2Ka{chr(code)}\033[6n".encode())
            answer = b""
            while not answer.endswith(b"R"):
                answer += os.read(0, 1)
            file.write(f"{code} {int(answer[:-1].split(b';')[1]) - 2}\n")


def a_terminal(expected, folder):
    """The hexagrams, and both ends of each range with their neighbours."""
    codes = set(HEXAGRAMS)
    for first, last, _ in ranges():
        codes |= {first - 1, first, last, last + 1}
    codes = sorted(code for code in codes if code in expected)
    path, words = f"{folder}/widths", " ".join(map(str, codes))
    with open(f"{folder}/codes", "w", encoding="ascii") as file:
        file.write(words)
    command = [sys.executable, "-B", os.path.abspath(__file__), path, f"{folder}/codes"]
    pane = Pane(folder, os.environ | {"LC_ALL": "C.UTF-8"}, command)
    try:
        pane.shows("ended with 0")
    finally:
        pane.end()
    with open(path, encoding="ascii") as file:
        actual = [tuple(map(int, line.split())) for line in file]
    assert len(actual) == len(codes)
    compare(expected, actual, "the terminal")


def main():
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="ascii") as file:
            return ask(sys.argv[1], list(map(int, file.read().split())))
    expected = table()
    assert all(expected[code] == 2 for code in HEXAGRAMS)
    the_c_library(expected)
    with tempfile.TemporaryDirectory() as folder:
        a_terminal(expected, folder)
    print("the table, the C library and a terminal have the same widths")


main()
