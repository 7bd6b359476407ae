"""An ordinary user is one, and the tables of who plays which script are right."""

import shutil
import subprocess
import sys

import players
import tiers
import pytest
from conftest import TOP
from test_scripts import names
from test_swift import listed

# What a script says of itself: it is root's, or some of its parts are.
SAYS_ROOT = 'if [ "$(id -u)" -ne 0 ]; then echo'
MARKS_PARTS = ("@of_root", "roots_turn()")
# What the played user says of itself.
QUESTIONS = """
import os, pwd, stat, sys
folders = [os.environ[name] for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")]
for folder in folders:
    entry = os.stat(folder)
    assert (entry.st_uid, stat.S_IMODE(entry.st_mode), os.listdir(folder)) == (os.getuid(), 0o700, []), folder
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
assert len(set(folders)) == 3 and int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
assert 0 not in os.getresuid() + os.getresgid() and os.access("Tests/Run/ordinary.py", os.R_OK)
if sys.argv[1:] == ["root"]:
    assert os.getgroups() == [] and not os.access("Makefile", os.W_OK)
    assert pwd.getpwuid(os.getuid()).pw_dir == os.environ["HOME"]
"""


def test_every_script_has_its_players():
    tables = [set(players.ROOT), set(players.PARTS), players.BUILDER]
    assert sum(map(len, tables)) == len(set.union(*tables)) and set.union(*tables) <= names()


def test_every_suite_of_roots_is_there(request):
    if request.config.getoption("--tier") == tiers.GATE:
        assert set(players.SUITES) <= {test.split("/")[0] for test in listed()}


def test_what_is_roots_says_so():
    scripts = {name: (TOP / f"Tests/Scripts/{name}_test.sh").read_text(encoding="utf-8") for name in names()}
    assert {name for name, text in scripts.items() if SAYS_ROOT in text} == set(players.ROOT)
    marked = set()
    for path in TOP.glob("Tests/Scripts/*_test.py"):
        if any(mark in path.read_text(encoding="utf-8") for mark in MARKS_PARTS):
            marked.add(path.name.removesuffix("_test.py"))
    assert marked == {name.removesuffix("_long") for name in players.PARTS}


@pytest.mark.parametrize("mode", [0o755, 0o700])
def test_an_ordinary_user_has_a_home_and_nothing_of_roots(mode, tmp_path):
    """Also where the project lets nobody but its owner in; pytest's folders above it never do."""
    project = tmp_path / "project"
    for name in ("Makefile", "Tests/Run/ordinary.py", "Tests/Hostile/numbers_of_users.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, project / name)
    project.chmod(mode)
    words = ["python3", "-c", QUESTIONS, *(["root"] if players.IS_ROOT else [])]
    subprocess.run([sys.executable, "-B", project / "Tests/Run/ordinary.py", *words], check=True)
