"""Installs the Debian packages for real, over a copy of this machine's files that nothing else sees, and removes them
again.

protection.storage.packages: what the keychain holds survives the removal and the reinstallation of the package. Run
as root in a mount namespace of its own: package_test.py FOLDER DEBS, with a folder to mount on.
"""

import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import package_desktop

TOP = sys.argv[1]
DEBS = [os.path.abspath(path) for path in sys.argv[2:]]
FAILED = []


def run(*words, check=True, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.returncode}\n{done.stdout}")
    return done


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else ': ' + str(detail)}", flush=True)
    if not holds:
        FAILED.append(name)


def overlay():
    """Becomes root of a view of the file system whose changes go with the mount namespace."""
    top = TOP
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "tmpfs", top)
    for name in ("upper", "work", "root"):
        os.mkdir(f"{top}/{name}")
    run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={top}/upper,workdir={top}/work", f"{top}/root")
    for name in ("proc", "sys", "dev"):
        run("mount", "--rbind", f"/{name}", f"{top}/root/{name}")
    for name in ("run", "tmp"):
        run("mount", "-t", "tmpfs", "tmpfs", f"{top}/root/{name}")
    # What is written there, and what was there before, as long as this process lives.
    layers = [f"/proc/self/fd/{os.open(path, os.O_RDONLY)}" for path in (f"{top}/upper", "/")]
    os.mkdir(f"{top}/root/tmp/debs")
    for path in DEBS:
        run("cp", path, f"{top}/root/tmp/debs/")
    os.chroot(f"{top}/root")
    os.chdir("/")
    # A daemon of the machine's own init must not be spoken to.
    with open("/usr/sbin/policy-rc.d", "w") as file:
        file.write("#!/bin/sh\nexit 101\n")
    os.chmod("/usr/sbin/policy-rc.d", 0o755)
    # A number without an account has no keychain.
    with open("/etc/passwd", "a") as file:
        file.writelines(f"kc-{user}:x:{user}:{user}::/nonexistent:/bin/sh\n" for user in (61101, 61102))
    return layers


def apt(*words):
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive", PATH="/usr/sbin:/usr/bin:/sbin:/bin")
    return run("dpkg", *words, env=environment, check=False)


def packages(desktop=False):
    return sorted(path for path in glob.glob("/tmp/debs/*") if ("keychain-desktop_" in path) == desktop)


def install():
    paths = packages()
    done = apt("--install", *paths)
    check("the packages install", done.returncode == 0, done.stdout)


class Service:
    """The system service, started as root does it without systemd."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            ["/usr/libexec/keychaind", "--system", "--tpm", "none", "--ready-fd", str(writer)],
            pass_fds=[writer],
            stderr=open("/tmp/service.log", "a"),
        )
        os.close(writer)
        if os.read(reader, 1) != b"\1":
            raise SystemExit("the service does not start:\n" + open("/tmp/service.log").read())
        os.close(reader)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        check("the service ends with success", self.process.wait(30) == 0)


PAGES = "/usr/share/doc/swift-keychain"
# Without a compiler: the library's own function, on what the machine has of Swift's runtime.
RANDOM = "import ctypes; b = bytes(16); print(ctypes.CDLL('libSecurity.so.1').SecRandomCopyBytes(None, 16, b), any(b))"


def named_pages(root):
    """The pages that the code names, in help and in messages."""
    found = set()
    for path in glob.glob(f"{root}/Sources/**/*.swift", recursive=True):
        with open(path) as file:
            found.update(re.findall(r"docs/[a-z/-]+\.md", file.read()))
    return found


def manual(root):
    """The pages of the manual, as packages have them; those of the desktop come with the desktop."""
    pages = glob.glob(f"{root}/docs/man/*.[1-9]")
    return {
        f"/usr/share/man/man{path[-1]}/{os.path.basename(path)}.gz"
        for path in pages
        if not os.path.basename(path).startswith(("keychain-secrets.", "keychain-session-agent."))
    }


def pages_are_found(pages):
    missing = {page for page in pages if not os.path.exists(page)}
    check("the manual's pages are installed", len(pages) > 20 and not missing, missing)
    named = {command["page"] for command in json.loads(security("--json", "help").stdout)}
    missing = {page for page in named if f"/usr/share/man/man{page[-2]}/{page[:-3]}.{page[-2]}.gz" not in pages}
    check("the pages that help names are among them", "security-run(1)" in named and not missing, missing)
    if shutil.which("man"):
        found = run("man", "--locale=C", "security-run", check=False, env={"PATH": "/usr/bin:/bin", "HOME": "/tmp"})
        check("man shows the page of a command", "SECURITY-RUN(1)" in found.stdout, found.stdout[:200])


def carrier_is_found():
    """It starts from where the command looks for it; the bridge is in a package of its own."""
    programs = glob.glob("/usr/libexec/keychain*") + glob.glob("/usr/bin/security") + glob.glob("/usr/lib/libSecurity*")
    hearing = [path for path in programs if b"KEYCHAIN_TEST_" in pathlib.Path(path).read_bytes()]
    check("no installed program hears what tests ask of a debug build", programs and not hearing, str(hearing))
    said = run("/usr/libexec/keychain-carrier", "--help", check=False, env={"HOME": "/tmp"})
    check("the carrier starts", said.returncode == 0 and "keychain-carrier" in said.stdout, said.stdout)
    bridge = "/usr/libexec/keychain-secrets"
    check("the bridge of the desktop comes with a package of its own", not os.path.exists(bridge))


def without_service():
    """The library's package is one that stands alone."""
    paths = {name: sorted(glob.glob(f"/tmp/debs/{name}_*.deb")) for name in ("libsecurity1", "swift-keychain-dev")}
    if not paths["libsecurity1"]:
        return
    done = apt("--install", *paths["swift-keychain-dev"])
    check(
        "the package for building programs needs the one for running them",
        done.returncode != 0 and "libsecurity1" in done.stdout,
        done.stdout,
    )
    apt("--purge", "swift-keychain-dev")
    done = apt("--install", *paths["libsecurity1"])
    check("the library's package installs without the service", done.returncode == 0, done.stdout)
    used = run(sys.executable, "-c", RANDOM, check=False, env={"PATH": "/usr/bin:/bin", "HOME": "/tmp"})
    check("a program uses the library", used.stdout == "0 True\n", used.stdout)
    listed = run("dpkg", "--listfiles", "libsecurity1", "swift-keychain-dev", check=False).stdout
    check(
        "it has the library and no header", "/usr/lib/libSecurity.so.1\n" in listed and "/include" not in listed, listed
    )
    check("it is removed", apt("--purge", "libsecurity1").returncode == 0)


def security(*words, user=None, text=None):
    command = ["/usr/bin/security", *words]
    if user is not None:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
    clean = {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean)


def find(user):
    return security("find-generic-password", "-s", "mail", "-a", "ada", "-w", user=user).stdout.strip()


def main():
    named, pages = named_pages(os.getcwd()), manual(os.getcwd())
    layers = overlay()
    without_service()
    install()
    missing = {page for page in named if not os.path.exists(f"{PAGES}/{page}")}
    check("the pages that help and messages name are there", named and not missing, missing)
    pages_are_found(pages)
    carrier_is_found()
    for name in ("_keychain", "_enclave", "_keychain-identifier"):
        check(f"the user {name} is there", run("id", name, check=False).returncode == 0)
    check(
        "the group of anchored programs is there",
        run("getent", "group", "_keychain-anchored", check=False).returncode == 0,
    )
    with Service():
        for user in (61101, 61102):
            security("add-generic-password", "-s", "mail", "-a", "ada", "-w", f"secret of {user}", user=user)
            check(f"user {user} reads an item through the system service", find(user) == f"secret of {user}")
        status = security("status", user=61101).stdout
        check("status says that the system daemon serves", "system daemon" in status, status)
        done = security("set-credential", "backup", "token", text="of the unit\n")
        check("root stores a unit's credential", done.returncode == 0, done.stderr)
        listed = security("list-credentials").stdout
        check("root lists the units' credentials", listed == "backup.service token\n", listed)
        package_desktop.trial(check, apt, layers, packages(desktop=True))
    for path in ("/var/lib/keychain", "/var/lib/keychain-enclave"):
        check(f"{path} is closed to everybody else", os.stat(path).st_mode & 0o777 == 0o700)

    done = apt("--remove", "libpam-keychain", "swift-keychain")
    check("the packages are removed", done.returncode == 0 and not os.path.exists("/usr/bin/security"), done.stdout)
    check(
        "protection.storage.packages: removing the package keeps the keychains",
        os.path.exists("/var/lib/keychain/61101/keychain.db"),
    )
    install()
    with Service():
        check(
            "protection.storage.packages: after removal and reinstallation the items are readable",
            find(61101) == "secret of 61101" and find(61102) == "secret of 61102",
        )

    for answer in ("false", "true"):
        # dpkg asks nobody here, so the answer is that of the question's default or of who has set it.
        run("debconf-set-selections", input=f"swift-keychain swift-keychain/delete-keychains boolean {answer}\n")
        done = apt("--purge", "libpam-keychain", "swift-keychain")
        kept = os.path.exists("/var/lib/keychain/61101/keychain.db")
        vaults = os.path.exists("/var/lib/keychain-enclave/61101/vault")
        check(
            f"purging with the answer {answer} {'keeps' if answer == 'false' else 'deletes'} the keychains",
            done.returncode == 0 and kept == vaults == (answer == "false"),
            done.stdout,
        )
        if answer == "false":
            install()
            with Service():
                check(
                    "protection.storage.packages: after purging with keychains kept, the items are readable",
                    find(61101) == "secret of 61101",
                )
    sys.exit(1 if FAILED else 0)


main()
