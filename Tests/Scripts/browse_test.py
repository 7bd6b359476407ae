"""The viewer on a real terminal multiplexer, with a real daemon.

usage: browse_test.py FOLDER-OF-PROGRAMS
"""

import json
import os
import random
import re
import signal

from browse_parts import SECRET, Viewer, our_root, play
from parts import of_root
from patience import eventually

PASSWORD = "open sesame"
WITHOUT_SCREEN = [("alternate-screen", "off")]


def items(home):
    return home.run("list", "--sort", "name").stdout


# MARK: looking


def looks(home):
    """The list, its sort and search, an item's pages, and help."""
    viewer = Viewer(home)
    viewer.shows("login", "unlocked", "4 items", ">api", "github.com", "张三", "Enter:open")
    viewer.keys("j", "j", "Enter")
    viewer.shows("github.com (octo)", "kc://github.com/octo?class=inet", "••••••••••", "[Attributes]")
    viewer.keys("w")
    viewer.shows("[Access]", "This command reads and changes it.")
    viewer.keys("h")
    viewer.shows("[History]", "There is no earlier version.")
    viewer.escape("CHANGED")
    viewer.keys("/", "g", "i", "t")
    viewer.shows("Search: git", "1 of 4", ">github.com")
    viewer.lacks("backup")
    viewer.keys("Escape")
    viewer.shows("backup")
    viewer.keys("/", "kind:none")
    viewer.shows("is none of")
    viewer.escape("backup", lacks="is none of")
    viewer.keys("S")
    viewer.shows("NAME ▼")
    viewer.keys("3")
    viewer.lacks("backup")
    viewer.escape("backup")
    viewer.keys("?")
    viewer.shows("KEYS", "reveal or hide")
    viewer.escape(lacks="reveal or hide")
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


def sizes_and_terminals(home):
    """Every size, locale and terminal has its screen; what is too small says so."""
    for rows, columns in ((24, 80), (10, 40), (40, 120), (60, 200)):
        viewer = Viewer(home, rows=rows, columns=columns)
        viewer.shows("api", "login")
        assert all(len(line) <= columns for line in viewer.screen())
        viewer.keys("Enter")
        viewer.shows("Service")
        viewer.end()
    small = Viewer(home, rows=9, columns=39)
    small.shows("40×10 at least")
    small.resize(24, 80)
    small.shows("api")
    small.end()
    for locale, frame in (("POSIX", "|"), ("zh_CN.UTF-8", "│"), ("C.UTF-8", "│")):
        viewer = Viewer(home, locale=locale)
        viewer.shows("api", frame)
        viewer.end()
    for term in ("xterm-256color", "tmux-256color", "vt100", "linux", "screen"):
        viewer = Viewer(home, term=term)
        viewer.shows("api")
        viewer.keys("q")
        viewer.has_ended()
        viewer.end()


GUIDE = "docs/guides/browse.md"
README = "README.md"


def pictures(home):
    """The pictures of the guide and of README are what the terminal shows; UPDATE_DOCS=1 writes them."""
    viewer = Viewer(home)
    viewer.shows(">api", "Changed")
    shown = [viewer.screen()]
    viewer.keys("j", "j", "Enter")
    viewer.shows("[Attributes]", "Reference")
    shown.append(viewer.screen())
    viewer.keys("Escape")
    viewer.resize(12, 80)
    viewer.shows(">github.com", "Tab:pane")
    small = viewer.screen()
    viewer.end()
    put_pictures(GUIDE, shown)
    put_pictures(README, [small])


def put_pictures(page, screens):
    """Holds the pictures of a page against screens, or writes them."""
    times = re.compile(r"today \d\d:\d\d(:\d\d)?")
    blocks = [
        "```text\n" + "\n".join(times.sub("today 09:41:00", line.rstrip()) for line in screen).rstrip() + "\n```"
        for screen in screens
    ]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    new = iter(blocks)
    made = re.sub(r"```text\n(.*?\n)?```", lambda _: next(new), text, flags=re.DOTALL)
    if os.environ.get("UPDATE_DOCS"):
        with open(page, "w", encoding="utf-8") as file:
            file.write(made)
    else:
        assert made == text, f"{page} shows something else; UPDATE_DOCS=1 writes it"


# MARK: a value leaves nothing behind


def hides(home):
    """Each key, a report of the lost focus and a resize hide a value at once."""
    viewer = Viewer(home)
    viewer.reveal()
    for data in (b"j", b"\x1b[O", b"\x1b[<64;3;3M", b"\x0c", b"\x1b[200~d\x1b[201~", b"c", b"\t"):
        viewer.bytes(data)
        viewer.lacks(SECRET)
        back_to_the_list(viewer)
        viewer.keys("End", "r")
        viewer.shows(SECRET, "hides in")
    viewer.resize(30, 90)
    viewer.lacks(SECRET)
    assert SECRET not in viewer.history()
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


def back_to_the_list(viewer):
    """Presses Escape as often as it takes: each closes a message, a menu or a page, and the next waits for that."""
    while "CHANGED" not in "\n".join(before := viewer.screen()):
        viewer.keys("Escape")
        eventually(lambda: viewer.screen() != before)  # noqa: B023


def endings(home):
    """However the viewer ends, the terminal has its settings and nothing of the value, in its scrollback neither."""
    for end, text in (
        (lambda viewer: viewer.keys("q"), "ended with 0"),
        (lambda viewer: viewer.keys("C-c", "C-c"), "ended with 0"),
        (lambda viewer: os.kill(viewer.child, signal.SIGTERM), "ended with"),
        (lambda viewer: os.kill(viewer.child, signal.SIGKILL), "ended by signal 9"),
        (lambda viewer: os.kill(viewer.guard, signal.SIGTERM), "ended with"),
        # The shell may say so on the second screen, which goes.
        (lambda viewer: os.kill(viewer.guard, signal.SIGKILL), ""),
    ):
        viewer = Viewer(home)
        viewer.reveal()
        child = viewer.child
        end(viewer)
        eventually(lambda number=child: not os.path.exists(f"/proc/{number}"))
        viewer.has_ended(text)
        viewer.lacks(SECRET)
        eventually(lambda shown=viewer: shown.is_restored())
        assert SECRET not in viewer.history()
        viewer.end()


def killed_before_a_shell(home):
    """An interactive shell finds its terminal restored after each of both processes was killed."""
    for part in ("guard", "child"):
        viewer = Viewer(home, shell="sh -i")
        viewer.reveal()
        child = viewer.child
        os.kill(getattr(viewer, part), signal.SIGKILL)
        eventually(lambda number=child: not os.path.exists(f"/proc/{number}"))
        viewer.lacks(SECRET)
        viewer.says_in_shell("echo $((6 * 7))", "42")
        eventually(lambda shown=viewer: not shown.flags("alternate_on", "mouse_any_flag"))
        assert SECRET not in viewer.history()
        viewer.end()


def suspends(home):
    """Ctrl-Z and a stop by others give the shell its terminal without the value, and fg brings the viewer back."""
    for stop in (lambda viewer: viewer.keys("C-z"), lambda viewer: os.kill(viewer.child, signal.SIGSTOP)):
        viewer = Viewer(home, shell="bash --norc --noprofile -i")
        viewer.reveal()
        stop(viewer)
        viewer.lacks(SECRET)
        eventually(lambda shown=viewer: not shown.flags("alternate_on", "mouse_any_flag"))
        viewer.says_in_shell("echo $((6 * 7))", "42")
        viewer.keys("fg", "Enter")
        assert SECRET not in viewer.shows("[Attributes]", "••••••••••")
        viewer.keys("r")
        viewer.shows(SECRET)
        viewer.keys("q")
        viewer.lacks(SECRET)
        viewer.says_in_shell("echo $((7 * 7))", "49")
        assert SECRET not in viewer.history()
        viewer.end()


def lone_screen(home):
    """A terminal with one screen keeps what is drawn on it: no value is shown there."""
    for options in ({"pane": WITHOUT_SCREEN}, {"term": "linux"}, {"term": "vt100"}):
        viewer = Viewer(home, **options)
        viewer.shows("deploy")
        viewer.keys("End", "r")
        viewer.shows("The value is not shown here")
        viewer.escape(lacks="The value is not shown here")
        viewer.keys("q", "q")
        viewer.has_ended()
        viewer.end()


def resize_storm(home):
    viewer = Viewer(home)
    viewer.reveal()
    for number in range(60):
        viewer.resize(10 + number % 30, 40 + number * 7 % 90)
        if number % 10 == 5:
            viewer.keys("r")
    viewer.resize(24, 80)
    # What is drawn after the last change of the size: the terminal may still show what was drawn before.
    viewer.keys("C-l", "?")
    viewer.lacks(SECRET)
    viewer.shows("KEYS")
    viewer.escape("Tab:page", "[Attributes]", lacks="KEYS")
    # The picture of before the help may be on the screen still: an Escape that is answered is told from it.
    viewer.lacks("CHANGED")
    viewer.escape("CHANGED")
    assert SECRET not in viewer.history()
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


@of_root
def memory(home):
    """The memory of the process does not have the value any more when it is hidden."""
    viewer = Viewer(home)
    viewer.reveal()
    viewer.keys("Escape")
    viewer.lacks(SECRET)
    eventually(lambda: SECRET.encode() not in readable_memory(viewer.child), "the value stays in memory")
    viewer.end()


def readable_memory(number):
    content = b""
    with open(f"/proc/{number}/maps", encoding="utf-8") as maps, open(f"/proc/{number}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if not rights.startswith("rw"):
                continue
            try:
                memory.seek(start)
                content += memory.read(end - start)
            except (OSError, ValueError):
                continue
    assert len(content) > 1 << 20
    return content


# MARK: acting


def acts(home):
    """Delete and undo, add with a typed password, edit, and a change that another program makes meanwhile. A key that
    came before the question is no answer to it.
    """
    viewer = Viewer(home)
    viewer.shows(">api")
    viewer.keys("d")
    viewer.shows("Delete api (ann)?")
    viewer.keys("Enter")
    viewer.shows("Nothing was changed.", "4 items")
    viewer.bytes(b"dy")
    viewer.shows("Delete api (ann)?")
    viewer.keys("Escape")
    viewer.shows("Nothing was changed.", "4 items")
    viewer.keys("d")
    viewer.shows("Delete api (ann)?")
    viewer.keys("y")
    viewer.shows("Deleted. u brings it back.", "3 items")
    viewer.keys("u")
    viewer.shows("Brought back.", "4 items")
    viewer.keys("a")
    viewer.shows("Add a password")
    viewer.keys("new one", "Tab", "ann", "C-s")
    viewer.shows("The new password of new one (ann)", "password for new one (ann):")
    viewer.keys("typed value", "Enter")
    viewer.shows("retype password for new one (ann)")
    viewer.keys("typed value", "Enter")
    viewer.shows("Saved.", "5 items")
    assert home.run("find-generic-password", "-s", "new one", "-w").stdout == "typed value\n"
    viewer.keys("Home", "e")
    viewer.shows("Edit: api (ann)")
    viewer.keys("Tab", "Tab", "Tab", "my comment")
    home.says("add-generic-password", "-U", "-s", "api", "-a", "ann", "-j", "theirs", "-w", "changed")
    viewer.keys("C-s")
    viewer.shows("was changed by another program meanwhile")
    viewer.keys("Escape")
    assert "theirs" in home.run("show", "api").stdout
    viewer.keys("C-s")
    viewer.shows("was changed by another program meanwhile")
    viewer.keys("m")
    viewer.shows("Saved.")
    assert "my comment" in home.run("show", "api").stdout
    assert home.run("find-generic-password", "-s", "api", "-w").stdout == "changed\n"
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


def certificates(home):
    """A certificate's trust, its file, and a key's uses."""
    files = our_root(home)
    home.run("import", files[1])
    home.run("import", files[0])
    viewer = Viewer(home)
    viewer.shows("6 items")
    viewer.keys("4", "Enter")
    viewer.shows("certificate", "Our Root", "v:trust", "x:export", "Issuer", "Serial", "Expires", "SHA-256")
    viewer.keys("v")
    viewer.shows("[Trust]", "X.509 Basic: The chain does not end in", "SSL (server)")
    viewer.escape(lacks="Tab:page")
    viewer.keys("Enter")
    viewer.shows("CN=Our Root", "Serial", "Valid from", "SHA-256", "P-256")
    viewer.keys("x")
    viewer.shows("[Our-Root.pem")
    viewer.keys("Escape")
    viewer.shows("Nothing was written.")
    viewer.keys("x")
    viewer.shows("[Our-Root.pem")
    viewer.keys("Enter")
    viewer.shows("Written: Our-Root.pem")
    folder = os.readlink(f"/proc/{viewer.guard}/cwd")
    with open(f"{folder}/Our-Root.pem", encoding="ascii") as written, open(files[1], encoding="ascii") as root:
        assert written.read().split() == root.read().split()
    with open(f"{folder}/Our-Root.pem", "w", encoding="ascii") as changed:
        changed.write("mine")
    viewer.keys("x")
    viewer.shows("[Our-Root.pem")
    viewer.keys("Enter")
    viewer.shows("There is a file of this name already.")
    viewer.keys("Escape")
    viewer.shows("[Our-Root.pem")
    with open(f"{folder}/Our-Root.pem", encoding="ascii") as kept:
        assert kept.read() == "mine"
    viewer.keys("Enter")
    viewer.shows("There is a file of this name already.")
    viewer.keys("w")
    viewer.shows("Written: Our-Root.pem")
    with open(f"{folder}/Our-Root.pem", encoding="ascii") as written, open(files[1], encoding="ascii") as root:
        assert written.read().split() == root.read().split()
    os.remove(f"{folder}/Our-Root.pem")
    viewer.escape(lacks="[Attributes]")
    viewer.keys("5", "Enter")
    viewer.shows("Type       EC", "Key class", "private", "256 bits", "sign", "Exportable")
    viewer.end()


def spells(home):
    """Space spells a value; the next key hides that too."""
    viewer = Viewer(home)
    viewer.reveal()
    viewer.keys("Space")
    viewer.shows("p nine hash k capital-t hyphen")
    viewer.keys("Space")
    viewer.lacks("nine hash")
    viewer.keys("w")
    viewer.shows("LATEST REQUESTS", "allowed")
    viewer.keys("Space")
    viewer.shows("CHANGED")
    viewer.keys("q")
    screen = viewer.has_ended()
    assert "nine hash" not in screen + viewer.history()
    viewer.end()


def noise(home):
    """Sequences, reports and pastes of every kind change nothing in the keychain."""
    viewer, before = Viewer(home), items(home)
    viewer.shows("api")
    generator = random.Random(7)
    for _ in range(40):
        viewer.bytes(b"".join(random_sequence(generator) for _ in range(20)))
    viewer.keys("C-l")
    eventually(lambda: "login" in "\n".join(viewer.screen()))
    assert items(home) == before
    viewer.end()


def random_sequence(generator):
    letters = bytes(generator.choice(b"dyDmers0123456789;?<>=") for _ in range(generator.randrange(8)))
    return generator.choice(
        [
            b"\x1b[" + bytes(byte for byte in letters if byte < 0x40) + generator.choice([b"d", b"y", b"M@@@", b"u"]),
            b"\x1b]0;" + letters + b"\x07",
            b"\x1bP" + letters + b"\x1b\\",
            b"\x1b[200~" + letters + b"\x1b[201~",
            b"\x1bO" + generator.choice([b"d", b"y", b"P"]),
            b"\x1b[<%d;%d;%dM" % (generator.randrange(70), generator.randrange(90), generator.randrange(30)),
            b"\x1bd",
            b"\xff\xc3",
        ]
    )


def locks(home):
    """Locking while the viewer is open erases everything first; its own prompt opens the keychain again."""
    home.says("set-keychain-password", "-p", PASSWORD, "-o", "")
    viewer = Viewer(home)
    viewer.reveal()
    home.says("lock-keychain")
    viewer.shows("This keychain is locked.", "LOCKED")
    assert SECRET not in viewer.history() and "deploy" not in viewer.history()
    viewer.keys("Enter")
    viewer.shows("password to unlock")
    viewer.keys("wrong", "Enter")
    viewer.shows("This is not the password of the keychain.")
    viewer.keys("Enter")
    viewer.shows("password to unlock")
    viewer.keys(PASSWORD, "Enter")
    viewer.shows("api", "unlocked")
    assert PASSWORD not in viewer.history()
    viewer.keys("L")
    viewer.shows("This keychain is locked.")
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


def lines(home):
    """The linear mode is a transcript: no cursor movement, no colour, and no value that was not asked for."""
    talk = "find git\nopen 1\nreveal\nreveal --print\ndelete\nkeep\nfind deploy\nopen 1\nnonsense\nquit\n"
    result = home.run("browse", "--linear", text=talk)
    assert result.returncode == 0 and "\x1b" not in result.stdout, result
    for text in (
        "4 items. Type ? for help.",
        "1  github.com, internet password, account octo, security",
        "1 of 4 items.",
        "The password is hidden.",
        "This mode keeps what it prints",
        "token",
        "It was kept.",
        "is no word here",
    ):
        assert text in result.stdout, (text, result.stdout)
    assert SECRET not in result.stdout
    assert len(items(home).splitlines()) == 4


def changes_in_lines(home):
    """The linear mode adds and edits a password, and brings back one of the deleted items."""
    talk = "add robot\nci\nits comment\n\ntyped value\nfind robot\nopen 1\nedit\n\n\nmy label\n-\ngenerate\nquit\n"
    said = home.run("browse", "--linear", text=talk).stdout
    assert "Added robot (ci)." in said and "Comment, now its comment:" in said and "Saved." in said, said
    kept = json.loads(home.run("show", "--json", "robot").stdout)["attributes"]
    assert kept["labl"] == "my label" and not kept.get("icmt"), kept
    assert home.run("find-generic-password", "-s", "robot", "-w").stdout not in ("typed value\n", "\n")
    for name in ("backup", "api"):
        assert home.run("delete-generic-password", "-s", name).returncode == 0
    said = home.run("browse", "--linear", text="deleted\nundelete 2\nundelete 9\nfind foo:bar\nquit\n").stdout
    assert "1  api, ann, generic password, deleted today" in said and "Brought back backup (ann)." in said, said
    assert "undelete takes the number" in said and "There is no filter foo:" in said, said
    assert home.run("find-generic-password", "-s", "backup").returncode == 0


def locked_lines(home):
    """The linear mode names nothing of a keychain that was locked meanwhile."""
    assert "There is no password" in home.run("browse", "--linear", text="lock\nquit\n").stdout
    home.says("set-keychain-password", "-p", PASSWORD, "-o", "")
    talk = home.run("browse", "--linear", text="list\nopen 1\nlock\nlist\nopen 1\nfind api\nquit\n").stdout
    before, after = talk.split("Locked.")
    assert "1  api" in before and "github.com" in before, talk
    assert "The keychain login is locked." in after and "api" not in after.replace("api\n", ""), talk
    assert "github.com" not in after, talk


play((
    looks, pictures, sizes_and_terminals, hides, endings, killed_before_a_shell, suspends, lone_screen, resize_storm,
    memory, spells, certificates, noise, lines, changes_in_lines, locked_lines, acts, locks,
), at_once=2)
