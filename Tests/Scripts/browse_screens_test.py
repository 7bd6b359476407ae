"""The viewer's screens: as they are kept in screens/, and drawn by pyte as by tmux.

usage: browse_screens_test.py FOLDER-OF-PROGRAMS [--long]

With --long each size is drawn with every locale on every terminal. UPDATE_SCREENS=1 writes the kept ones.
"""

import os
import re
import sys
import tempfile

from browse_parts import filled
from patience import eventually
from pyte_parts import Recording
from tmux_parts import Pane

SIZES = ((10, 40), (24, 80), (30, 100), (40, 120), (50, 200))
LOCALES = ("C", "en_US.UTF-8", "zh_CN.UTF-8")
IS_LONG = "--long" in sys.argv
TERMINALS = ("xterm-256color", "tmux-256color", "screen", "linux", "vt100")
# Those that draw the frame's lines wrongly, or whose users see another alphabet.
IN_ASCII = ("linux", "vt100")
FOLDER = f"{os.path.dirname(os.path.abspath(__file__))}/screens"
TIME = re.compile(r"\d\d:\d\d(:\d\d)?")

# A name, keys, texts that the screen then has at every size, and one that it has no more.
STEPS = (
    ("list", b"", (">api", "github.com", "deploy"), "reading"),
    ("search", b"/git", ("Search: git", ">github.com"), "deploy"),
    ("item", b"\r\r", ("github.com (octo)", "Server"), "reading"),
    ("question", b"d", ("Delete github.com (octo)?",), "reading"),
    ("help", b"n?", ("KEYS",), "Delete"),
)

CHINESE_STEPS = (
    ("list", b"", (">api", "github.com", "deploy", "已解锁"), "正在读取"),
    ("search", b"/git", ("搜索：", ">github.com"), "deploy"),
    ("item", b"\r\r", ("github.com (octo)", "服务器"), "正在读取"),
    ("question", b"d", ("要删除 github.com (octo) 吗？",), "正在读取"),
    ("help", b"n?", ("按键",), "要删除"),
)


def environment(home, term, locale, messages="C"):
    kept = {name: value for name, value in home.environment.items() if name not in ("LANG", "LC_ALL", "TMUX")}
    return kept | {"TERM": term, "LC_CTYPE": locale, "LC_MESSAGES": messages}


def recorded(home, size, term, locale, messages="C"):
    return Recording(environment(home, term, locale, messages), [f"{home.programs}/security", "browse"], *size)


def kept(size, is_ascii):
    return f"{FOLDER}/{size[1]}x{size[0]}-{'ascii' if is_ascii else 'lines'}.txt"


def screens(home, size, term, locale, steps=STEPS, messages="C"):
    """All screens as one text, with a time that is always the same."""
    viewer, text = recorded(home, size, term, locale, messages), ""
    for name, keys, texts, gone in steps:
        viewer.press(keys)
        lines = viewer.shows(*texts, lacks=(gone,))
        text += f"== {name}\n" + "".join(f"{line}\n" for line in lines)
    viewer.end()
    return TIME.sub(lambda found: "09:41:00"[: len(found[0])], text)


def as_kept(home):
    """Each of five sizes has its screens, with every locale and terminal."""
    every = [(locale, term) for locale in LOCALES for term in TERMINALS]
    some = [("C", "xterm-256color"), ("en_US.UTF-8", "xterm-256color"), ("en_US.UTF-8", "linux")]
    for size in SIZES:
        for locale, term in every if IS_LONG else some:
            is_ascii = locale == "C" or term in IN_ASCII
            compare(kept(size, is_ascii), screens(home, size, term, locale), (locale, term))


def in_chinese(home):
    """Each of five sizes has its screens in Chinese, also where the system has no such locale."""
    for size in SIZES:
        text = screens(home, size, "xterm-256color", "C.UTF-8", CHINESE_STEPS, "zh_CN.UTF-8")
        compare(f"{FOLDER}/{size[1]}x{size[0]}-chinese.txt", text, "zh_CN")


def compare(path, text, combination):
    if os.environ.get("UPDATE_SCREENS"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(path, encoding="utf-8") as file:
        assert text == file.read(), f"{path} is not what {combination} shows:\n{text}"


class Replay(Pane):
    """Bytes that a program has written, on a terminal of tmux."""

    def __init__(self, folder, environment, size):
        self.path, self.played = f"{folder}/bytes", 0
        os.mkfifo(self.path)
        rows, columns = size
        command = ["sh", "-c", f"stty raw -echo; exec cat {self.path}"]
        super().__init__(folder, environment, command, rows=rows, columns=columns)
        self.file = open(self.path, "wb", buffering=0)

    def play(self, written):
        """Plays what was not played yet."""
        self.file.write(written[self.played :])
        self.played = len(written)

    def picture(self):
        place = self.tmux("display-message", "-p", "-t", ":0", "#{cursor_y} #{cursor_x}").split()
        return [line.rstrip() for line in self.screen()[:-1]], tuple(map(int, place))

    def end(self):
        super().end()
        self.file.close()


def two_terminals(home):
    """pyte and tmux draw the same from the same bytes: texts, wide characters, and the place of the cursor."""
    for size in SIZES if IS_LONG else [(24, 80)]:
        for locale in ("C", "C.UTF-8"):
            viewer = recorded(home, size, "xterm-256color", locale)
            with tempfile.TemporaryDirectory(dir=home.folder) as folder:
                replay = Replay(folder, environment(home, "xterm-256color", "C.UTF-8"), size)
                for name, keys, texts, gone in STEPS:
                    viewer.press(keys)
                    viewer.shows(*texts, lacks=(gone,))
                    replay.play(viewer.written)
                    agree(viewer, replay, (size, locale, name))
                replay.end()
            viewer.end()


def agree(viewer, replay, place):
    ours = (viewer.lines(), viewer.cursor)
    try:
        eventually(lambda: replay.picture() == ours)
    except AssertionError:
        raise AssertionError(f"{place}: pyte draws\n{ours}\nand tmux\n{replay.picture()}") from None


def main():
    programs = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = filled(programs, folder)
        try:
            for case in (two_terminals, as_kept, in_chinese):
                case(home)
                print(f"{case.__name__}: {case.__doc__.splitlines()[0]}")
        finally:
            home.end()


main()
