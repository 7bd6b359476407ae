"""Files of a repository, as an ordinary user at a real terminal: nothing that a yes allows is out of sight, and a file
sets no variable that nobody has looked at.

usage: run_files_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import stat
import subprocess
import sys
import tempfile

from ordinary_parts import USER, as_user, prepared
from parts import of_root, of_this_turn
from tmux_parts import Pane

NEVER = """PATH ld_preload BASH_ENV Http_Proxy NO_PROXY Git_Dir KEYCHAIN_HOME NODE_OPTIONS PythonPath npm_config_x RM AR
    CC GCC_EXEC_PREFIX PYTEST_ADDOPTS NODE_V8_COVERAGE LESS"""
NAMED = """CORP_PROXY Corp_Proxy COMPILER_PATH CPATH APP_HOME CFLAGS LDFLAGS X_OPTS X_OPTIONS X_ADDOPTS X_PLUGINS
    X_PRELOAD X_WRAPPER KUBE_EDITOR X_PAGER X_BINARY_DIR X_EXECUTABLE_DIR SWIFT_EXEC HOSTCC
    CC_FOR_BUILD VAULT_ADDR GH_HOST AWS_ENDPOINT_URL_S3 TWINE_REPOSITORY_URL DOTNET_CAFILE"""


class Repository:
    def __init__(self, home):
        self.home, self.folder = home, f"{home.folder}/repository"
        os.mkdir(self.folder)

    def write(self, name, text, mode=0o644):
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def run(self, text, *words):
        self.write(".env", text)
        return self.home.run("run", "--env-file", ".env", "--mask", "never", *words, cwd=self.folder)


class Question:
    """A command at a terminal of tmux, run by the user of the home."""

    def __init__(self, repository, *words, rows=24, columns=80):
        home = repository.home
        command = [f"{home.programs}/security", *words]
        if os.getuid() == 0:
            command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
        command = ["env", "-C", repository.folder, *command]
        # A server that is ending would take the next window for its own.
        folder = tempfile.mkdtemp(dir=home.folder)
        self.pane = Pane(folder, home.environment, command, rows=rows, columns=columns)

    def __enter__(self):
        return self.pane

    def __exit__(self, *_):
        self.pane.end()


def nothing_scrolls_away(repository):
    """The screen has every item with the question, or the question is not asked."""
    words = ("run", "--env-file", ".env", "--", "sh", "-c", "echo got ${#X}")
    long = "_" * 2100
    repository.write(".env", f"X=kc://bank/main\n{long}=kc://deploy/ci\nTOKEN=kc://deploy/ci\n")
    with Question(repository, *words) as pane:
        screen = pane.shows("line 2 is refused", "ended with 1")
        assert "Go on" not in screen, screen
    name = "_" * 120
    for count in (2, 40):
        for columns in (80, 37):
            flood = "".join(f"{name}{number}=kc://deploy/ci\n" for number in range(count))
            repository.write(".env", f"X=kc://bank/main\n{flood}TOKEN=kc://deploy/ci\n")
            with Question(repository, *words, columns=columns) as pane:
                if count == 40:
                    screen = pane.shows("ended with 1")
                    assert "Go on" not in pane.history(), screen
                    continue
                screen = pane.shows("Go on? [y/N]")
                assert "X = kc://bank/main" in screen and "TOKEN = kc://deploy/ci" in screen, screen
                pane.keys("n", "Enter")
                pane.shows("ended with 1")
    # Hexagrams, which terminals draw in two columns: as many as would fit if they had one.
    for count, answer in ((120, "Go on? [y/N]"), (79 * 14, "more than can be asked")):
        repository.write(".env", f"X=kc://bank/main\nA={chr(0x4DC0) * count}\nTOKEN=kc://deploy/ci\n")
        with Question(repository, *words) as pane:
            screen = pane.shows(answer)
            if "Go on" in answer:
                assert "not used before" in screen and "TOKEN = kc://deploy/ci" in screen, screen
                pane.keys("n", "Enter")
            pane.shows("ended with 1")
    repository.write("t.in", "{{ kc://bank/main }}" + "".join(f"{{{{ kc://none/{n} }}}}" for n in range(200)))
    with Question(repository, "inject", "-i", "t.in", "-o", "t.out") as pane:
        pane.shows("more than can be asked", "ended with 1")
        assert "Go on" not in pane.history()


def values_are_seen(repository):
    """A yes allows the values that stand in the question; a value with one other character is asked about again."""
    words = ("run", "--env-file", ".env", "--mask", "never", "--", "sh", "-c", "echo got $LEVEL")
    for level in ("debug", "trace"):
        repository.write(".env", f"LEVEL={level}\nTOKEN=kc://deploy/ci\n")
        with Question(repository, *words) as pane:
            pane.shows(f'LEVEL="{level}"', "TOKEN = kc://deploy/ci", "Go on? [y/N]")
            pane.keys("y", "Enter")
            pane.shows(f"got {level}", "ended with 0")
    done = repository.run(f"LEVEL={level}\nTOKEN=kc://deploy/ci\n", *words[5:])
    assert (done.returncode, done.stdout) == (0, "got trace\n"), done
    repository.write(".env", "LEVEL=" + "x" * 3000 + "\n")
    with Question(repository, *words) as pane:
        pane.shows("more than can be asked", "ended with 1")


def a_trusted_file_sets_references(repository):
    """With --trust-file other values, and references under other names than those of secrets, need the variable's name,
    and the refusal names all of them."""
    text, show = "TOKEN=kc://deploy/ci\nA=1\nB=2\nA=3\n", ("--", "sh", "-c", "echo $TOKEN $A $B")
    done = repository.run(text, "--trust-file", *show)
    assert done.returncode == 1 and done.stdout == "", done
    assert "--allow A --allow B" in done.stderr, done
    done = repository.run(text, "--trust-file", "--allow", "A", *show)
    assert done.returncode == 1 and "sets B" in done.stderr, done
    done = repository.run(text, "--trust-file", "--allow", "A", "--allow", "B", *show)
    assert (done.returncode, done.stdout) == (0, "a-token 3 2\n"), done
    done = repository.run("TOKEN=kc://deploy/ci\n", "--trust-file", *show)
    assert (done.returncode, done.stdout) == (0, "a-token\n"), done
    for name in ("SOMETHING", "DATABASE_URL", "TOKEN_COMMANDS", "PASSWORD_SERVER"):
        words = ("--trust-file", "--allow", "TOKEN", "--", "printenv", name)
        done = repository.run(f"TOKEN=kc://deploy/ci\n{name}=kc://deploy/ci\n", *words)
        assert done.returncode == 1 and done.stdout == "" and f"--allow {name}." in done.stderr, done
        words = ("--trust-file", "--allow", name, "--", "printenv", name)
        done = repository.run(f"{name}=kc://deploy/ci\n", *words)
        assert (done.returncode, done.stdout) == (0, "a-token\n"), done


def names_that_programs_obey(repository):
    """Some are never set, others where the command line names them; to a value or a reference, in any case."""
    for value in ("x", "kc://deploy/ci"):
        for name in NEVER.split():
            done = repository.run(f"{name}={value}\n", "--trust-file", "--allow", name, "--", "true")
            assert done.returncode == 1 and f"does not set {name}" in done.stderr, (name, done)
        for name in NAMED.split():
            line = f"{name}={value}\n"
            done = repository.run(line, "--trust-file", "--allow", "X", "--", "true")
            assert done.returncode == 1 and f"--allow {name}" in done.stderr, (name, done)
            done = repository.run(line, "--trust-file", "--allow", name, "--", "printenv", name)
            assert (done.returncode, done.stdout) == (0, "x\n" if value == "x" else "a-token\n"), (name, done)
    repository.write("Makefile", "all:\n\t$(RM) x\n")
    repository.write("evil.sh", "#!/bin/sh\ntouch taken\n", 0o755)
    done = repository.run("TOKEN=kc://deploy/ci\nRM=./evil.sh\n", "--trust-file", "--", "make")
    assert done.returncode == 1 and not os.path.exists(f"{repository.folder}/taken"), done


def linked(repository):
    """Makes a file and two links that lead to it, and returns the file's path."""
    folder = repository.folder
    repository.write("real.env", "TOKEN=kc://deploy/ci\n")
    for name, target in (("second.env", "real.env"), ("link.env", "second.env")):
        with contextlib.suppress(FileExistsError):
            os.symlink(target, f"{folder}/{name}")
    for name in ("link.env", "second.env", "real.env"):
        if os.getuid() == 0:
            os.lchown(f"{folder}/{name}", USER, USER)
    return f"{os.path.realpath(folder)}/real.env"


def links_show_where_they_lead(repository):
    """A link is shown with the file that it leads to, and followed only where nobody else could have made it."""
    folder, real = repository.folder, linked(repository)
    words = ("run", "--env-file", "link.env", "--", "sh", "-c", "echo got ${#TOKEN}")
    repository.write("t.in", "no item, but a file of the user's own\n")
    os.symlink("t.in", f"{folder}/link.in")
    for case in (words, ("inject", "-i", "link.in", "-o", "link.out")):
        with Question(repository, *case, columns=200) as pane:
            pane.shows(f"read from {real if case is words else real.replace('real.env', 't.in')}", "Go on? [y/N]")
            pane.keys("n", "Enter")
            pane.shows("ended with 1")
    trusted = ("run", "--trust-file", "--mask", "never", "--env-file")
    show = ("--", "sh", "-c", "echo $TOKEN")
    own = repository.home.run(*trusted, "link.env", *show, cwd=folder)
    assert (own.returncode, own.stdout) == (0, "a-token\n"), own
    with open(real, encoding="utf-8") as file:
        command = [f"{repository.home.programs}/security", *trusted, "/dev/stdin", *show]
        given = subprocess.run(
            command, stdin=file, env=repository.home.environment, preexec_fn=as_user, capture_output=True, check=True
        )
    assert given.stdout == b"a-token\n", given
    others = [(folder, 0o777), (real, 0o666)]
    for place, mode in others:
        before = os.stat(place).st_mode
        os.chmod(place, mode)
        done = repository.home.run(*trusted, "link.env", *show, cwd=folder)
        assert done.returncode == 1 and f"name it itself: {real}" in done.stderr and done.stdout == "", done
        done = repository.home.run(*trusted, "real.env", *show, cwd=folder)
        assert (done.returncode, done.stdout) == (0, "a-token\n"), done
        os.chmod(place, before)
    # In a sticky folder a link of the user's own is nobody else's.
    os.chmod(folder, 0o1777)
    assert repository.home.run(*trusted, "link.env", *show, cwd=folder).returncode == 0
    os.chmod(folder, 0o755)


def a_folder_that_is_exchanged(repository):
    """A file that is made goes into the folder that the question was about, whatever stands in its place by then; what
    is no file is not replaced."""
    folder = repository.folder
    repository.write("keys.in", "a line of the repository's\n{{ kc://deploy/ci }}\n")
    for name in ("shared", "private"):
        os.mkdir(f"{folder}/{name}")
        if os.getuid() == 0:
            os.chown(f"{folder}/{name}", USER, USER)
    with Question(repository, "inject", "-i", "keys.in", "-o", "shared/keys", columns=200) as pane:
        pane.shows(f"{os.path.realpath(folder)}/shared/keys", "Go on? [y/N]")
        os.rename(f"{folder}/shared", f"{folder}/moved")
        os.symlink("private", f"{folder}/shared")
        pane.keys("y", "Enter")
        pane.shows("ended with 0")
    assert os.listdir(f"{folder}/private") == [] and os.listdir(f"{folder}/moved") == ["keys"]
    os.mkfifo(f"{folder}/pipe")
    done = repository.home.run("inject", "-t", "-i", "keys.in", "-o", "pipe", cwd=folder)
    assert done.returncode == 1 and stat.S_ISFIFO(os.stat(f"{folder}/pipe").st_mode), done


@of_root
def links_of_others(repository):
    """A link of another user's, and a link to a file of theirs, are not followed; the question says whose a file is."""
    folder, real = repository.folder, linked(repository)
    show = ("--trust-file", "--mask", "never", "--env-file", "link.env", "--", "sh", "-c", "echo $TOKEN")
    for path in (f"{folder}/link.env", real):
        os.lchown(path, USER + 1, USER + 1)
        done = repository.home.run("run", *show, cwd=folder)
        assert done.returncode == 1 and f"name it itself: {real}" in done.stderr, done
        if path != real:
            os.lchown(path, USER, USER)
    with Question(repository, "run", "--env-file", "real.env", "--", "true", columns=200) as pane:
        pane.shows(f"the file belongs to user {USER + 1}", "Go on? [y/N]")
        pane.keys("n", "Enter")
        pane.shows("ended with 1")


def main():
    programs = os.path.abspath(sys.argv[1])
    cases = (nothing_scrolls_away, values_are_seen, a_trusted_file_sets_references, names_that_programs_obey)
    cases += (links_show_where_they_lead, a_folder_that_is_exchanged, links_of_others)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = prepared(programs, folder)
        repository = Repository(home)
        os.chown(repository.folder, *((USER, USER) if os.getuid() == 0 else (-1, -1)))
        home.says("add-generic-password", "-s", "bank", "-a", "main", "-w", "a-fortune")
        home.says("add-generic-password", "-s", "deploy", "-a", "ci", "-w", "a-token")
        try:
            for case in of_this_turn(cases):
                case(repository)
                print(f"{case.__name__}: {case.__doc__.splitlines()[0]}")
        finally:
            home.end()


main()
