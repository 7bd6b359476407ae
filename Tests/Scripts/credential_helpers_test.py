"""The credential helpers with their real clients, a real daemon, and links by the names that git and docker look for.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

from patience import PATIENCE


class Keychain:
    """A keychain of its own, its daemon, and a folder with the helpers on the path."""

    def __init__(self, programs, folder):
        self.home = os.path.join(folder, "keychain")
        bin_folder = os.path.join(folder, "bin")
        os.mkdir(bin_folder)
        for name in ("git-credential-keychain", "docker-credential-keychain"):
            os.symlink(os.path.join(programs, "security"), os.path.join(bin_folder, name))
        self.environment = {
            "PATH": bin_folder + ":" + os.environ["PATH"],
            "HOME": folder,
            "KEYCHAIN_HOME": self.home,
            "KEYCHAIN_TPM": "none",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
        }
        # A helper that would keep a plain copy of every login.
        self.run(["git", "config", "--global", "credential.helper", "store"])
        self.before = self.read(".gitconfig")
        self.security = os.path.join(programs, "security")
        self.run([self.security, "setup", "-y", "git", "docker"])

    def read(self, name):
        with open(os.path.join(self.home_folder(), name)) as file:
            return file.read()

    def run(self, command, text="", status=0):
        result = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=PATIENCE,
            cwd=self.home_folder(),
        )
        assert result.returncode == status, (command, result)
        return result.stdout

    def home_folder(self):
        return self.environment["HOME"]

    def stop(self):
        listing = subprocess.run(["pgrep", "-f", "--", "--store " + self.home], capture_output=True, text=True)
        for process in listing.stdout.split():
            # It writes until it has ended.
            with contextlib.suppress(ProcessLookupError):
                ended = os.pidfd_open(int(process))
                signal.pidfd_send_signal(ended, signal.SIGTERM)
                select.select([ended], [], [], 20)
                os.close(ended)


def check_certificate(keychain):
    """The password of a client certificate, whose login has a path and no host, comes back and can be erased."""
    asked = "protocol=cert\nhost=\nusername=\npath=/keys/{}.p12\n"
    helper = "git-credential-keychain"
    for name in ("one", "two"):
        keychain.run([helper, "store"], asked.format(name) + f"password=of {name}\n\n")
    for name in ("one", "two"):
        assert keychain.run([helper, "get"], asked.format(name) + "\n") == f"username=\npassword=of {name}\n"
    assert keychain.run([helper, "get"], "protocol=cert\npath=/keys/one.p12\n\n") == "username=\npassword=of one\n"
    assert keychain.run([helper, "get"], asked.format("other") + "\n") == ""
    keychain.run([helper, "erase"], asked.format("one") + "password=of one\n\n")
    assert keychain.run([helper, "get"], asked.format("one") + "\n") == ""
    # A login for a host is not one for a file.
    keychain.run([helper, "store"], "protocol=https\npath=/keys/two.p12\nusername=\npassword=x\n\n")
    assert keychain.run([helper, "get"], "protocol=https\npath=/keys/two.p12\n\n") == ""


def check_git(keychain):
    login = "protocol=https\nhost=git.example\nusername=ann\npassword=s3cret\n\n"
    asked = "protocol=https\nhost=git.example\n\n"
    keychain.run(["git", "credential", "fill"], asked, status=128)
    keychain.run(["git", "credential", "approve"], login)
    filled = keychain.run(["git", "credential", "fill"], asked)
    assert filled == "protocol=https\nhost=git.example\nusername=ann\npassword=s3cret\n", filled
    # Another port is another server; a URL is taken apart by git.
    keychain.run(["git", "credential", "fill"], "protocol=https\nhost=git.example:8443\n\n", status=128)
    assert "password=s3cret" in keychain.run(["git", "credential", "fill"], "url=https://ann@git.example/a/b.git\n\n")
    keychain.run(["git", "credential", "reject"], login)
    keychain.run(["git", "credential", "fill"], asked, status=128)


def check_git_empty(keychain):
    """Git's own tests store a login with an empty name and password, and one with a token alone."""
    for login in ("username=\npassword=\n", "username=\npassword=token\n", "username=ann\npassword=\n"):
        asked = "protocol=https\nhost=sso.example\n"
        keychain.run(["git-credential-keychain", "store"], asked + login + "\n")
        assert keychain.run(["git-credential-keychain", "get"], asked + "\n") == login, login
        keychain.run(["git-credential-keychain", "erase"], asked + login + "\n")
        assert keychain.run(["git-credential-keychain", "get"], asked + "\n") == "", login


def check_no_port(keychain):
    """What is no port, such as 0, is no address: nothing is found, stored or erased there, least of all elsewhere."""
    of_port = "protocol=https\nhost=port.example{}\nusername=ann\n"
    for port, password in (("", "usual"), (":8443", "other")):
        keychain.run(["git-credential-keychain", "store"], of_port.format(port) + f"password={password}\n\n")
    helper = "docker-credential-keychain"
    keychain.run([helper, "store"], json.dumps({"ServerURL": "port.example", "Username": "ann", "Secret": "of-docker"}))
    for port in (":0", ":00", ":65536", ":-1", ":+443", ":8443x", ":", ":\uff14\uff14\uff13"):
        asked = of_port.format(port)
        for operation in ("get", "store", "erase"):
            words = ["git-credential-keychain", operation]
            assert keychain.run(words, asked + "password=evil\n\n") == "", (port, operation)
        for operation in ("get", "erase"):
            said = keychain.run([helper, operation], f"https://port.example{port}/", status=1)
            assert "of-docker" not in said and "not the address of a server" in said, (port, said)
    for port, password in (("", "usual"), (":8443", "other")):
        filled = keychain.run(["git-credential-keychain", "get"], of_port.format(port) + "\n")
        assert filled.endswith(f"password={password}\n"), filled
    # An empty name is a name: another account's login is not for it.
    empty = "protocol=https\nhost=port.example\nusername=\n\n"
    assert keychain.run(["git-credential-keychain", "get"], empty) == ""
    # Later checks list docker's logins.
    keychain.run([helper, "erase"], "port.example")


def check_git_over_paths(keychain):
    keychain.run(["git", "config", "--global", "credential.useHttpPath", "true"])
    for path, password in (("a.git", "one"), ("b.git", "two")):
        keychain.run(
            ["git", "credential", "approve"],
            f"protocol=https\nhost=h.example\npath={path}\nusername=ann\npassword={password}\n\n",
        )
    for path, password in (("a.git", "one"), ("b.git", "two")):
        filled = keychain.run(["git", "credential", "fill"], f"protocol=https\nhost=h.example\npath={path}\n\n")
        assert f"password={password}\n" in filled, filled


def check_docker(keychain):
    helper = "docker-credential-keychain"
    missing = "credentials not found in native keychain\n"
    assert keychain.run([helper, "get"], "https://r.example/v1/", status=1) == missing
    login = {"ServerURL": "https://r.example/v1/", "Username": "ann", "Secret": 'a "secret" \\ é 🔑'}
    # Go's encoder escapes what could be HTML.
    keychain.run([helper, "store"], json.dumps({**login, "Username": "<token>"}).replace("<", "\\u003c"))
    assert json.loads(keychain.run([helper, "get"], "https://r.example/v1/")) == {**login, "Username": "<token>"}
    keychain.run([helper, "store"], json.dumps(login))
    assert json.loads(keychain.run([helper, "list"])) == {"https://r.example/v1/": "ann"}
    assert json.loads(keychain.run([helper, "get"], "https://r.example/v1/\n")) == login
    keychain.run([helper, "erase"], "https://r.example/v1/")
    assert keychain.run([helper, "get"], "https://r.example/v1/", status=1) == missing
    assert "swift-keychain" in keychain.run([helper, "version"])


def check_apart(keychain):
    """One server and account: git's login, docker's and the user's own are three, and none is another's."""
    helper, server, account = "docker-credential-keychain", "forge.example", "ann"
    asked = f"protocol=https\nhost={server}\nusername={account}\n"
    own = [keychain.security, "find-internet-password", "-s", server, "-a", account, "-r", "htps", "-w"]
    keychain.run(["git", "credential", "approve"], asked + "password=of-git\n\n")
    keychain.run([helper, "store"], json.dumps({"ServerURL": server, "Username": account, "Secret": "of-docker"}))
    # A script of the user's finds git's where there is nothing of the user's own, as on macOS.
    assert keychain.run(own) == "of-git\n"
    keychain.run([keychain.security, "add-internet-password", *own[2:-1], "-w", "of-user"])

    def everything():
        filled = keychain.run(["git", "credential", "fill"], asked + "\n")
        docker = json.loads(keychain.run([helper, "get"], server))
        return filled.splitlines()[-1], docker["Secret"], keychain.run(own)

    assert everything() == ("password=of-git", "of-docker", "of-user\n"), everything()
    keychain.run([helper, "erase"], server)
    keychain.run([helper, "get"], server, status=1)
    assert keychain.run(["git", "credential", "fill"], asked + "\n").endswith("password=of-git\n")
    keychain.run(["git", "credential", "reject"], asked + "password=of-git\n\n")
    keychain.run(["git", "credential", "fill"], asked + "\n", status=128)
    assert keychain.run(own) == "of-user\n"


def check_older(keychain):
    """Logins from before helpers had a security domain are found, and move into it."""
    add = [keychain.security, "add-internet-password", "-s", "old.example", "-r", "htps"]
    keychain.run([*add, "-a", "ann", "-D", "git credential", "-w", "of-git"])
    docker = ["-a", "bob", "-D", "docker credential", "-l", "Docker Credentials", "-j", "old.example"]
    keychain.run([*add, *docker, "-w", "of-docker"])
    keychain.run([*add, "-a", "cat", "-w", "of-user"])
    filled = keychain.run(["git", "credential", "fill"], "protocol=https\nhost=old.example\n\n")
    assert filled.endswith("username=ann\npassword=of-git\n"), filled
    assert json.loads(keychain.run(["docker-credential-keychain", "list"])) == {"old.example": "bob"}
    found = [keychain.security, "find-internet-password", "-s", "old.example"]
    assert keychain.run([*found, "-d", "git-credential", "-w"]) == "of-git\n"
    assert keychain.run([*found, "-d", "docker-credential", "-w"]) == "of-docker\n"
    assert keychain.run([*found, "-w"]) == "of-user\n"


def check_pipe(keychain):
    """A password that comes through a pipe and is not read, for want of -w, is not lost without a word."""
    for before, after, isTold in ([], [], True), ([], ["-w"], False), (["-M"], [], False):
        words = [*before, "add-generic-password", "-s", "pipe", "-a", f"{before}{after}", *after]
        done = subprocess.run(
            [keychain.security, *words],
            input="secret",
            capture_output=True,
            text=True,
            env=keychain.environment,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done
        assert ("password is empty" in done.stderr) == isTold, done


def check_undo(keychain):
    home = keychain.home_folder()
    assert not os.path.exists(os.path.join(home, ".git-credentials")), "another helper kept a login"
    assert json.loads(keychain.read(".docker/config.json")) == {"credsStore": "keychain"}
    keychain.run(["git", "config", "--global", "--unset", "credential.useHttpPath"])
    keychain.run([keychain.security, "setup", "--undo", "-y", "git", "docker"])
    assert keychain.run(["git", "config", "--get-all", "credential.helper"]) == "store\n"
    assert keychain.read(".gitconfig").rstrip() == keychain.before.rstrip()
    assert json.loads(keychain.read(".docker/config.json")) == {}


def main():
    with tempfile.TemporaryDirectory() as folder:
        keychain = Keychain(sys.argv[1], folder)
        try:
            check_git(keychain)
            check_certificate(keychain)
            check_git_empty(keychain)
            check_no_port(keychain)
            check_git_over_paths(keychain)
            check_docker(keychain)
            check_apart(keychain)
            check_older(keychain)
            check_pipe(keychain)
            check_undo(keychain)
        finally:
            keychain.stop()
    print("git and docker keep their logins in the keychain")


main()
