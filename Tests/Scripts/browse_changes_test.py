"""The viewer shows what other programs change while it is open, and moves items between groups.

usage: browse_changes_test.py FOLDER-OF-PROGRAMS
"""

import json
import os
import shutil
import signal

from browse_parts import SECRET, Viewer, our_root, play, with_second
from keychain_parts import store_of


def follows(home):
    """Items that others add, change and delete come, change and go; the selected one stays selected."""
    viewer = Viewer(home)
    viewer.shows("4 items", ">api")
    viewer.keys("j")
    viewer.shows(">backup")
    home.says("add-generic-password", "-s", "aaa", "-a", "bob", "-w", "x")
    viewer.shows("5 items", "aaa", ">backup")
    home.says("add-generic-password", "-U", "-s", "aaa", "-a", "bob", "-l", "relabelled", "-j", "text", "-w", "y")
    viewer.keys("/", "relabelled")
    viewer.shows("1 of 5", "aaa")
    viewer.escape("backup", lacks="1 of 5")
    viewer.keys("Home")
    viewer.shows(">aaa")
    viewer.keys("Enter")
    viewer.shows("aaa (bob)", "relabelled")
    home.says("add-generic-password", "-U", "-s", "aaa", "-a", "bob", "-j", "their comment", "-w", "y")
    viewer.shows("their comment")
    viewer.keys("Escape")
    assert home.run("delete-generic-password", "-s", "aaa").returncode == 0
    viewer.shows("4 items", "backup")
    viewer.lacks("aaa")
    viewer.keys("q")
    viewer.has_ended()
    viewer.end()


def identities(home):
    """A certificate whose key comes later is an identity then, with a page of its trust, and can be exported."""
    files = our_root(home)
    viewer = Viewer(home)
    viewer.shows("4 items")
    home.run("import", files[1])
    viewer.shows("5 items")
    viewer.keys("6")
    viewer.shows("Nothing matches.")
    home.run("import", files[0])
    viewer.shows("6 items", "Our Root")
    viewer.keys("v")
    viewer.shows("[Trust]", "X.509 Basic: The chain does not end in")
    viewer.keys("x")
    viewer.shows("Write Our Root into a file", "[Our-Root.pem")
    viewer.keys("Enter")
    viewer.shows("Written: Our-Root.pem")
    written = f"{os.readlink(f'/proc/{viewer.guard}/cwd')}/Our-Root.pem"
    with open(written, encoding="ascii") as file, open(files[1], encoding="ascii") as root:
        assert file.read().split() == root.read().split()
    os.remove(written)
    viewer.end()


def other_keychains_lock(home):
    """Another keychain that is locked elsewhere takes its value and names from the screen, and brings them back."""
    viewer = with_second(home, "pw")
    home.says("lock-keychain", "second.keychain")
    viewer.lacks("its value")
    viewer.lacks("in second (bob)")
    viewer.keys("Escape")
    viewer.shows("4 items", "api")
    viewer.keys("a")
    viewer.shows("Add a password")
    viewer.keys("new")
    home.says("unlock-keychain", "-p", "pw", "second.keychain")
    viewer.shows("5 items", "Add a password", "[new")
    viewer.end()


def changed_while_shown(home):
    """A value that is shown goes when others change its item, also when its comment is as long as it can be."""
    viewer = Viewer(home)
    viewer.reveal()
    home.says("add-generic-password", "-U", "-s", "zz deploy", "-a", "张三", "-j", "x" * 60_000, "-w", "other")
    viewer.lacks(SECRET)
    viewer.shows("Comment    xxxxx")
    viewer.keys("r")
    viewer.shows("other", "hides in")
    viewer.end()


def deleted_while_shown(home):
    """A value goes with its item, when another program deletes that."""
    viewer = Viewer(home)
    viewer.reveal()
    assert home.run("delete-generic-password", "-s", "zz deploy").returncode == 0
    viewer.lacks(SECRET)
    viewer.shows("Another program has deleted this item.", "3 items")
    viewer.end()


def long_comment(home):
    """A comment that is longer than what can be typed stays whole when another field is changed."""
    comment = "lang " * 800 + "end"
    home.says("add-generic-password", "-s", "aa long", "-a", "ann", "-j", comment, "-w", "x")
    viewer = Viewer(home)
    viewer.shows(">aa long")
    viewer.keys("e")
    viewer.shows("Edit: aa long")
    viewer.keys("C-s")
    viewer.shows("Nothing was changed.")
    viewer.keys("Tab", "Tab", "C-u", "a label", "C-s")
    viewer.shows("Saved.")
    kept = json.loads(home.run("show", "--json", "aa long").stdout)
    assert kept["attributes"]["icmt"] == comment and kept["attributes"]["labl"] == "a label", kept
    viewer.end()


def changed_at_the_prompt(home):
    """A change that another program writes while a new password is typed is not replaced without a question."""
    viewer = Viewer(home)
    viewer.shows(">api")
    viewer.keys("e")
    viewer.shows("Edit: api (ann)", "stays as it is")
    viewer.keys("BTab", "Space")
    viewer.shows("will be asked for")
    viewer.keys("C-s")
    viewer.shows("password for ")
    home.says("add-generic-password", "-U", "-s", "api", "-a", "ann", "-j", "theirs", "-w", "changed")
    viewer.keys("mine", "Enter")
    viewer.shows("retype password for ")
    viewer.keys("mine", "Enter")
    viewer.shows("was changed by another program meanwhile")
    viewer.keys("Escape")
    viewer.shows("Edit: api (ann)")
    assert home.run("find-generic-password", "-s", "api", "-w").stdout == "changed\n"
    viewer.end()


def second_stops(home):
    """Beside a second keychain that does not answer the viewer hides its value, goes on, and loses no form."""
    viewer = with_second(home, "")
    daemon = home.daemons()[store_of(home, "second.keychain")]
    os.kill(daemon, signal.SIGSTOP)
    viewer.lacks("its value")
    viewer.keys("Escape")
    viewer.shows(">in second")
    viewer.keys("a")
    viewer.shows("Add a password")
    viewer.keys("typed")
    viewer.shows("[typed")
    viewer.shows("4 items", "[typed")
    os.kill(daemon, signal.SIGCONT)
    viewer.shows("5 items", "[typed")
    viewer.end()


def reads_again(home):
    """Many items that are read again keep the selected one, and the deleted ones follow what others delete."""
    words = "".join(f"add-generic-password -s item{number:04} -a a -w v\n" for number in range(1200))
    assert home.run("-q", "-i", text=words).returncode == 0
    viewer = Viewer(home)
    viewer.shows("1,204 items")
    viewer.keys("/", "item", "Enter", "End")
    viewer.shows(">item1199")
    viewer.keys("R")
    viewer.shows(">item1199", "1,204 items")
    assert home.run("delete-generic-password", "-s", "item0007").returncode == 0
    viewer.keys("Escape")
    viewer.lacks("Search:")
    viewer.keys("7")
    viewer.shows("item0007")
    assert home.run("delete-generic-password", "-s", "item0008").returncode == 0
    viewer.shows("1,202 items", "item0007", "item0008")
    assert home.run("undelete", "item0008").returncode == 0
    viewer.shows("1,203 items", "item0007")
    viewer.lacks("item0008")
    viewer.end()


def deleted_after_lock(home):
    """Deleted items are there again when others have locked and unlocked the keychain."""
    home.says("set-keychain-password", "-p", "pw", "-o", "")
    assert home.run("delete-generic-password", "-s", "backup").returncode == 0
    viewer = Viewer(home)
    viewer.shows("3 items")
    viewer.keys("7")
    viewer.shows(">backup")
    home.says("lock-keychain")
    viewer.shows("LOCKED")
    viewer.lacks("backup")
    home.says("unlock-keychain", "-p", "pw")
    viewer.shows(">backup")
    viewer.end()


def brought_back(home):
    """What another program has brought back meanwhile is not deleted for ever, neither by an old key nor by a new."""
    assert home.run("delete-generic-password", "-s", "backup").returncode == 0
    viewer = Viewer(home)
    viewer.shows("3 items")
    viewer.keys("7")
    viewer.shows(">backup")
    viewer.keys("u")
    viewer.shows("4 items")
    viewer.lacks(">backup")
    viewer.keys("D", "y", "?")
    # Both have been taken when the help is there.
    viewer.shows("KEYS", "reveal or hide")
    assert home.run("find-generic-password", "-s", "backup").returncode == 0
    viewer.end()
    assert home.run("delete-generic-password", "-s", "backup").returncode == 0
    viewer = Viewer(home)
    viewer.shows("3 items")
    viewer.keys("7")
    viewer.shows(">backup")
    viewer.keys("D")
    viewer.shows("for ever")
    assert home.run("undelete", "backup").returncode == 0
    viewer.keys("y")
    viewer.shows("not deleted any more")
    assert home.run("find-generic-password", "-s", "backup").returncode == 0
    viewer.end()


def added_where_shown(home):
    """A password that is added goes into the keychain that the list is narrowed to."""
    home.says("create-keychain", "-p", "", "second.keychain")
    home.says("list-keychains", "-s", "login.keychain", "second.keychain")
    viewer = Viewer(home, columns=40, rows=10)
    viewer.shows("4 items")
    viewer.keys("Tab", "Tab")
    viewer.shows("second", "Nothing matches.")
    viewer.keys("a")
    viewer.shows("[will be asked for")
    viewer.keys("new name", "Tab", "ann", "C-s")
    viewer.shows("password for ")
    viewer.keys("its value", "Enter")
    viewer.shows("retype password for ")
    viewer.keys("its value", "Enter")
    viewer.shows("Saved.", ">new name")
    assert home.run("find-generic-password", "-s", "new name", "second.keychain").returncode == 0
    assert home.run("find-generic-password", "-s", "new name", "login.keychain").returncode == 44
    viewer.end()


def created_elsewhere(home):
    """A keychain that another program creates appears by itself, with the keychain of each item."""
    viewer = Viewer(home, columns=120)
    viewer.shows("4 items", "CHANGED")
    home.says("create-keychain", "-p", "pw", "second.keychain")
    home.says("list-keychains", "-s", "login.keychain", "second.keychain")
    home.says("add-generic-password", "-s", "there", "-a", "bob", "-w", "x", "second.keychain")
    viewer.shows("5 items", "KEYCHAIN ", "CHANGED")
    line = next(line for line in viewer.screen() if " there " in line)
    assert "second" in line, line
    home.says("lock-keychain", "second.keychain")
    viewer.shows("second  locked")
    viewer.keys("a", "new name", "BTab")
    viewer.shows("[login")
    viewer.keys("Space")
    viewer.shows("[second")
    viewer.end()


def versions(home):
    """The page of changes says what was changed and by which program, and brings the selected one back."""
    words = ("add-generic-password", "-U", "-s", "api", "-a", "ann")
    home.says(*words, "-j", "first", "-w", "one")
    home.says(*words, "-j", "second", "-w", "two")
    viewer = Viewer(home)
    viewer.shows(">api")
    viewer.keys("h")
    screen = viewer.shows("changed: Comment", "Comment: first → second", "none → first")
    # A long path goes on in the next line.
    page = "".join(line.partition("│")[2].strip() for line in screen.splitlines())
    assert page.count("/security") == 2, screen
    viewer.keys("u")
    viewer.shows("Bring back what api (ann) was before this change?")
    viewer.keys("Enter")
    viewer.shows("Nothing was changed.")
    assert home.run("find-generic-password", "-s", "api", "-w").stdout == "two\n"
    viewer.keys("u")
    viewer.shows("Bring back what api (ann) was before this change?")
    viewer.keys("y")
    viewer.shows("Brought back.", "Comment    first")
    assert home.run("find-generic-password", "-s", "api", "-w").stdout == "one\n"
    viewer.escape("CHANGED")
    viewer.keys("Home", "j", "h")
    viewer.shows("There is no earlier version.")
    viewer.keys("w")
    viewer.shows("nothing found")
    viewer.lacks("refused")
    viewer.end()


def in_chinese(home):
    """The pages of trust and of changes are in the user's language."""
    home.run("import", our_root(home)[1])
    home.says("add-generic-password", "-U", "-s", "api", "-a", "ann", "-j", "text", "-w", "x")
    viewer = Viewer(home, locale="zh_CN.UTF-8")
    viewer.shows(">api")
    viewer.keys("h")
    viewer.shows("已更改：注释", "注释: 无 → text")
    viewer.escape(">api")
    viewer.keys("4", "v")
    viewer.shows("证书链", "各用途的信任", "证书链的末端不是受信任的证书。")
    viewer.end()


def moves(home):
    """A signed copy of the command moves an item to another of its groups, and not to one that it lacks."""
    team = signed(home, "one", "two")
    home.says("add-generic-password", "-s", "mine", "-a", "me", "-w", "x")
    viewer = Viewer(home)
    viewer.shows("5 items")
    viewer.keys("/", "mine", "Enter", "e")
    viewer.shows("Edit: mine (me)", f"{team}.one")
    viewer.keys("BTab", "BTab", "C-u", f"{team}.three", "C-s")
    viewer.shows(f"{team}.three", "Esc closes this.")
    viewer.escape("Edit: mine (me)", lacks="Esc closes this.")
    viewer.keys("C-u", f"{team}.two", "C-s")
    viewer.shows("Saved.")
    moved = json.loads(home.run("list", "--json", "mine").stdout)
    assert moved["group"] == f"{team}.two", moved
    viewer.end()


def signed(home, *groups):
    """Has the home use a copy of the programs whose command is signed for groups, and gives the Team ID."""
    folder = f"{home.folder}/signed"
    os.mkdir(folder)
    for name in ("security", "keychaind", "keychain-enclaved", "keychain-agent", "keychain-pki"):
        shutil.copy(f"{home.programs}/{name}", folder)
    made = home.run("codesign", "--create-team-key", f"{home.folder}/team.pem")
    texts = "".join(f"<string>$(AppIdentifierPrefix){group}</string>" for group in groups)
    with open(f"{home.folder}/entitlements", "w", encoding="ascii") as file:
        file.write(f'<plist version="1.0"><dict><key>keychain-access-groups</key><array>{texts}</array></dict></plist>')
    words = ["-s", f"{home.folder}/team.pem", "-e", f"{home.folder}/entitlements", "-i", "org.example.command"]
    done = home.run("codesign", *words, f"{folder}/security")
    assert done.returncode == 0, done
    home.end()
    home.programs = folder
    home.environment |= {"KEYCHAIN_DAEMON": f"{folder}/keychaind", "PATH": f"{folder}:{os.environ['PATH']}"}
    return made.stdout.split()[-1]


play((
    # The longest first.
    second_stops, follows, identities, other_keychains_lock, changed_while_shown, deleted_while_shown, long_comment,
    changed_at_the_prompt,
    reads_again, deleted_after_lock, brought_back, added_where_shown,
    created_elsewhere, versions, in_chinese, moves,
), at_once=2)
