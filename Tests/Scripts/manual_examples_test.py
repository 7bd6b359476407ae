"""Every example of every manual page is executed with a real daemon and ends with 0; every page is well formed.

usage: manual_examples_test.py FOLDER-OF-PROGRAMS

A page's examples run in their order, in a home of the page's own. A row of PAGES prepares it, answers for the person at
the terminal, and looks at what became of it. A page without a row is run as it is, so no example is left out.
"""

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile

from keychain_parts import Home
from manual_parts import examples, lint, pages, translated
from parts import roots_turn, users_turn
from patience import PATIENCE

SECRET = "sesame"
# Programs of others, which examples call. Each fails when it does not get what the example promises.
OTHERS = {
    "make-token": "echo token",
    "docker": f'[ "$1" = login ] && [ "$(cat)" = {SECRET} ]',
    "wl-copy": 'cat >"$HOME/clipboard"',
}
SERVE = f'#!/bin/sh\n[ "$TOKEN" = {SECRET} ] || {{ [ "$USER_NAME" = ci ] && [ "$(cat "$KEY_FILE")" = {SECRET} ]; }}\n'
MAKEFILE = f'publish:\n\t@[ "$$TOKEN" = {SECRET} ]\ntest:\n\t@[ -n "$$KEYCHAIN_CI" ]\n'
CARRIED = ("KEYCHAIN_SOCKET", "KEYCHAIN_CI")


class Place(Home):
    """A home with a folder of work, in which a person gives the examples of a page."""

    def __init__(self, programs, folder):
        super().__init__(programs, folder, WAYLAND_DISPLAY="none", TERM="dumb", GIT_CONFIG_NOSYSTEM="1")
        self.work, self.helpers = f"{folder}/work", f"{folder}/bin"
        for path in (self.work, self.helpers):
            os.mkdir(path, 0o700)
        for name, text in OTHERS.items():
            self.write(f"{self.helpers}/{name}", f"#!/bin/sh\n{text}\n", 0o755)
        for name in ("git", "docker"):
            os.symlink(f"{programs}/security", f"{self.helpers}/{name}-credential-keychain")
        self.write(f"{self.work}/serve", SERVE, 0o755)
        self.write(f"{self.work}/Makefile", MAKEFILE)
        self.write(f"{self.work}/.env", "LOG_LEVEL=debug\nTOKEN=kc://deploy/ci\n")
        self.write(f"{self.work}/settings.json.in", '{ "token": {{ kc://deploy/ci | json }} }\n')
        self.environment |= {
            "PATH": f"{self.helpers}:{self.environment['PATH']}",
            "GITHUB_ENV": f"{folder}/github.env",
            "DEPLOY_TOKEN": SECRET,
            "KEYCHAIN_PASSWORD": "of the keychain",
            "P12_PASSWORD": "of the file",
        }

    def write(self, path, text, mode=0o600):
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)

    def read(self, name):
        with open(f"{self.folder}/{name}") as file:
            return file.read()

    def must(self, *words, text=""):
        result = self.run(*words, text=text)
        assert result.returncode == 0, (words, result)
        return result.stdout

    def give(self, command, dialog, text):
        """Runs an example as a shell does; a variable of a job's keychain stays for the next one."""
        kept = f"{self.folder}/kept"
        script = f"{command}\nstatus=$?; env -0 >'{kept}'; exit $status"
        status, output = self.at_terminal(script, dialog) if dialog is not None else self.by_pipe(script, text)
        assert status == 0, f"{command}: {status}\n{output}"
        for line in self.read("kept").split("\0"):
            name, _, value = line.partition("=")
            if name in CARRIED:
                self.environment[name] = value
        return output

    def by_pipe(self, script, text):
        result = subprocess.run(
            ["sh", "-c", script],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
            cwd=self.work,
            timeout=PATIENCE,
        )
        return result.returncode, result.stdout

    def at_terminal(self, script, dialog):
        """A person who waits for a question before they type the answer."""
        child, side = pty.fork()
        if child == 0:
            os.chdir(self.work)
            os.execvpe("sh", ["sh", "-c", script], self.environment)
        seen, dialog = "", list(dialog)
        while select.select([side], [], [], PATIENCE)[0]:
            try:
                part = os.read(side, 4096)
            except OSError:
                break
            seen += part.decode(errors="replace")
            if dialog and dialog[0][0] in seen:
                os.write(side, (dialog.pop(0)[1] + "\n").encode())
        os.close(side)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert not dialog, f"{dialog[0][0]!r} was not asked in {seen!r}"
        return status, seen


class Page:
    """How the examples of a page are run: `answers` and `texts` are for the examples that begin so."""

    def __init__(self, prepare=None, answers=None, texts=None, after=None):
        self.prepare, self.answers, self.texts, self.after = prepare, answers or {}, texts or {}, after

    def run(self, place, commands):
        used = set()
        if self.prepare:
            self.prepare(place)
        output = "".join(
            place.give(command, self.found(self.answers, command, used), self.found(self.texts, command, used) or "")
            for command in commands
        )
        unused = {*self.answers, *self.texts} - used
        assert not unused, f"there is no such example: {unused}"
        if self.after:
            self.after(place, output)

    @staticmethod
    def found(table, command, used):
        for beginning, value in table.items():
            if command.startswith(beginning):
                used.add(beginning)
                return value
        return None


def deploy(place):
    place.must("add", "deploy/ci", text=SECRET)


def changed(place):
    deploy(place)
    place.must("edit", "deploy/ci", "comment=each quarter")


def deleted(place):
    deploy(place)
    place.must("rm", "-y", "deploy/ci")


def job(place):
    place.give('eval "$(security ci-start --ttl 10m)"', None, "")
    assert "KEYCHAIN_CI" in place.environment


def login_of_docker(place):
    login = json.dumps({"ServerURL": "registry.example", "Username": "ci", "Secret": SECRET})
    place.must("docker-credential", "store", text=login)


def program_to_sign(place):
    shutil.copy(shutil.which("true"), f"{place.work}/App")
    groups = "<array><string>$(AppIdentifierPrefix)com.example.shared</string></array>"
    text = f'<plist version="1.0"><dict><key>keychain-access-groups</key>{groups}</dict></plist>\n'
    place.write(f"{place.work}/App.entitlements", text)


def certificate(place):
    """A certificate with its key in a file, as a Mac's job imports it."""
    make = (
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=Job 2>/dev/null && "
        'openssl pkcs12 -export -inkey key.pem -in cert.pem -out certificate.p12 -passout "pass:$P12_PASSWORD"'
    )
    status, output = place.by_pipe(make, "")
    assert status == 0, output


def holds(name, text):
    """Afterwards a file of the page's home has a text."""

    def check(place, output):
        assert text in place.read(name), (name, place.read(name))

    return check


def says(*texts):
    """The examples have written these."""

    def check(place, output):
        for text in texts:
            assert text in output, (text, output)

    return check


def has_login_of_git(place, output):
    asked = "protocol=https\nhost=git.example.org\n\n"
    status, output = place.by_pipe("git credential fill", asked)
    assert status == 0 and f"password={SECRET}" in output, output


def has_job_in_file(place, output):
    variables = dict(line.split("=", 1) for line in place.read("github.env").splitlines())
    assert sorted(variables) == sorted(CARRIED), variables
    place.environment |= variables
    place.must("ci-stop")


def has_ended(place, output):
    assert not os.path.exists(place.environment["KEYCHAIN_SOCKET"])


def ends_jobs(place, output):
    assert "0 valid identities found" in output and "Number" not in output, output
    has_job_in_file(place, output)


YES = [("Go on? [y/N] ", "y")]
DELETES = [("Type yes to go on: ", "yes")]
LEAVES = [("browse> ", "quit")]
PAGES = {
    "security.1": Page(
        texts={"security add-generic-password": SECRET}, after=says("example\tpass\tada", "See security(1).")
    ),
    "security-history.1": Page(changed, after=says("deploy")),
    "security-undelete.1": Page(deleted, after=says("Brought back deploy (ci).")),
    "security-ci-start.1": Page(after=has_job_in_file),
    "security-ci-stop.1": Page(job, after=has_ended),
    "security-browse.1": Page(deploy, answers={"security browse": LEAVES}, after=says("1 items. Type ? for help.")),
    "security-run.1": Page(deploy, answers={"security run --env-file": YES}),
    "security-inject.1": Page(
        deploy, answers={"security inject": YES}, after=holds("work/settings.json", f'"{SECRET}"')
    ),
    "security-list.1": Page(lambda place: place.must("add", "github/octo", text="x"), after=says("github")),
    "security-show.1": Page(deploy, answers={"security show kc://": []}, after=says("kc://deploy/ci", SECRET)),
    "security-copy.1": Page(deploy, after=holds("home/clipboard", "ci")),
    "security-generate.1": Page(after=says("bits")),
    "security-add.1": Page(
        texts={"security add": SECRET}, after=says("Added deploy (ci).", "Added github.com (octo).")
    ),
    "security-edit.1": Page(changed, texts={"security edit deploy/ci -p": "new"}, after=says("Changed deploy (ci).")),
    "security-rm.1": Page(deploy, answers={"security rm": DELETES}, after=says("Deleted deploy (ci).")),
    "security-purge.1": Page(deploy, answers={"security purge": DELETES}, after=says("It cannot be brought back.")),
    "git-credential-keychain.1": Page(texts={"security add-internet": SECRET}, after=has_login_of_git),
    "docker-credential-keychain.1": Page(login_of_docker, after=says(SECRET)),
    "keychain-entitlements.5": Page(program_to_sign, after=says("com.example.shared")),
    "keychain-ci.7": Page(certificate, after=ends_jobs),
    "keychain-references.7": Page(
        texts={"security add": SECRET}, after=holds("work/settings.json", f'"{SECRET}"')
    ),
    "security-mac.7": Page(after=says(SECRET, "login.keychain", "set-key-partition-list")),
}


def users_examples(programs, folder):
    count = 0
    for page in pages():
        name = os.path.basename(page)
        commands = [command for prompt, command in examples(page) if prompt == "$"]
        row = PAGES.pop(name, Page())
        if not commands:
            assert not (row.answers or row.texts or row.prepare), f"{name} has no example"
            continue
        os.mkdir(f"{folder}/{name}")
        place = Place(programs, f"{folder}/{name}")
        with place.memory():
            try:
                row.run(place, commands)
            finally:
                if "KEYCHAIN_CI" in place.environment:
                    place.run("ci-stop")
                place.end()
        print(f"ok {name}: {len(commands)} examples")
        count += len(commands)
    assert not PAGES, f"there are no such pages: {sorted(PAGES)}"
    return count


def examples_of_root(programs):
    """Those are given to a system service of the test's own."""
    found = [(page, command) for page in pages() for prompt, command in examples(page) if prompt == "#"]
    from system_service_parts import Service  # noqa: PLC0415
    import machine  # noqa: PLC0415

    service = Service(programs)
    machine.leave()
    service.add_accounts()
    try:
        service.start()
        variables = {
            "PATH": f"{service.path('libexec')}:/usr/sbin:/usr/bin:/bin",
            "HOME": service.base,
            "KEYCHAIN_SOCKET": service.path("run", "system"),
        }
        for page, command in found:
            done = subprocess.run(
                ["sh", "-c", command], input=SECRET, capture_output=True, text=True, env=variables, timeout=PATIENCE
            )
            assert done.returncode == 0, (page, command, done)
            print(f"ok {os.path.basename(page)}: # {command}")
    finally:
        try:
            service.stop()
        finally:
            service.remove()
    return len(found)


def well_formed():
    tools = set()
    for page in translated():
        original = f"docs/man/{os.path.basename(page)}"
        assert examples(page) == examples(original), f"{page} has other examples than {original}"
    for page in pages() + translated():
        found, used = lint(page)
        assert not found.strip(), f"{page}:\n{found}"
        tools |= set(used)
    print(f"ok {len(pages() + translated())} pages with {', '.join(sorted(tools)) or 'nothing: no formatter here'}")


def main():
    programs, folder = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="manual.")
    try:
        count = examples_of_root(programs) if roots_turn() else 0
        if users_turn():
            well_formed()
            count += users_examples(programs, folder)
        print(f"ok {count} examples")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
