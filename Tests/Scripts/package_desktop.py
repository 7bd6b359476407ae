"""The package of the desktop serves new users over the bus, leaves others with their older keyring, and goes without a
trace. Root plays it in the view of the file system that package_test.py has made."""

import contextlib
import grp
import os
import pathlib
import pwd
import signal
import subprocess

from patience import PATIENCE, eventually

ACTIVATION = pathlib.Path("/usr/share/dbus-1/services/org.freedesktop.secrets.service")
FORMER = pathlib.Path(f"{ACTIVATION}.before-keychain")
PORTAL = pathlib.Path("/usr/share/xdg-desktop-portal/portals/keychain.portal")
UNIT = "/usr/lib/systemd/user/keychain-secrets.service"
AGENT = "/usr/libexec/keychain-session-agent"
LINK = "/etc/systemd/user/default.target.wants/keychain-secrets.service"
NEW, OLD = 61101, 61102

# Another package that has the name's file, and its service.
OLDER_CONTROL = """Package: older-secrets
Version: 1
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: an older keyring
"""
OLDER_FILE = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/usr/bin/python3 /usr/lib/older-secrets --start\n"
OLDER_PROGRAM = """import dbus.service, sys
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
class Older(dbus.service.Object):
    @dbus.service.method("org.freedesktop.Secret.Service", in_signature="s", out_signature="o")
    def ReadAlias(self, _):
        return "/org/freedesktop/secrets/collection/older"
name = dbus.service.BusName("org.freedesktop.secrets", dbus.SessionBus(mainloop=DBusGMainLoop()))
older = Older(name.get_bus(), "/org/freedesktop/secrets")
GLib.MainLoop().run()
"""


def older_package(folder):
    """Builds it, and gives its path."""
    texts = {
        "DEBIAN/control": OLDER_CONTROL,
        str(ACTIVATION): OLDER_FILE,
        "usr/lib/older-secrets": OLDER_PROGRAM,
    }
    for name, text in texts.items():
        path = pathlib.Path(f"{folder}/older/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["dpkg-deb", "--build", "-Znone", f"{folder}/older", f"{folder}/older.deb"], check=True)
    return f"{folder}/older.deb"


class Session:
    """A session of a user, with a bus that starts services as the system's files say."""

    def __init__(self, user):
        self.user, self.home = user, f"/tmp/home-{user}"
        self.runtime = f"{self.home}/run"
        os.makedirs(self.runtime, 0o700, exist_ok=True)
        for path in (self.home, self.runtime):
            os.chown(path, user, user)
        self.variables = {"HOME": self.home, "XDG_RUNTIME_DIR": self.runtime, "PATH": "/usr/bin:/bin"}

    def words(self, *words):
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *words]

    def run(self, *words, text=""):
        done = subprocess.run(
            self.words(*words), input=text, capture_output=True, text=True, env=self.variables, timeout=PATIENCE
        )
        return done.stdout + done.stderr

    def has_older_keyring(self):
        self.run("mkdir", "-p", f"{self.home}/.local/share/keyrings")
        self.run("touch", f"{self.home}/.local/share/keyrings/login.keyring")

    def default(self):
        """The collection that programs get."""
        call = "org.freedesktop.Secret.Service.ReadAlias"
        place = ("-d", "org.freedesktop.secrets", "-o", "/org/freedesktop/secrets")
        return self.run("gdbus", "call", "--session", *place, "-m", call, "default")

    @contextlib.contextmanager
    def bus(self):
        words = self.words("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address")
        bus = subprocess.Popen(words, stdout=subprocess.PIPE, env=self.variables, text=True)
        self.variables["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        try:
            yield
        finally:
            # What it has started ends with it.
            bus.terminate()
            bus.wait()
            bus.stdout.close()


def end_daemons():
    """Ends the master and all daemons; the service starts them again."""
    user = pwd.getpwnam("_keychain").pw_uid
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{number}").st_uid == user:
                os.kill(int(number), signal.SIGKILL)


def sessions(check, upgrade):
    """Who serves a new user, the same user later, and one with an older keyring."""
    new, old = Session(NEW), Session(OLD)
    with new.bus():
        said = new.default()
        check("the bus starts the bridge for a new user", "/collection/login" in said, said)
        said = new.run("secret-tool", "store", "--label=L", "app", "demo", text="geheim")
        found = new.run("secret-tool", "lookup", "app", "demo")
        check("a program stores a secret and finds it", (said, found) == ("", "geheim"), (said, found))
        upgrade()
        found = new.run("secret-tool", "lookup", "app", "demo")
        check("a program finds it after an upgrade in the middle of the session", found == "geheim", found)
        end_daemons()
        # The bridge from before is refused, and ends; the bus starts the new one.
        found = eventually(lambda: new.run("secret-tool", "lookup", "app", "demo") == "geheim")
        check("and when the keychain's daemon has begun again", found)
    new.has_older_keyring()
    with new.bus():
        found = new.run("secret-tool", "lookup", "app", "demo")
        check("a keyring that PAM makes later takes the user away from nothing", found == "geheim", found)
    old.has_older_keyring()
    with old.bus():
        said = old.default()
        check("a user with an older keyring stays with its service", "/collection/older" in said, said)


# Debian's tools keep these for all packages.
TOOLS = ("/var/lib/dpkg", "/var/cache", "/var/log", "/var/lib/systemd/deb-systemd-user-helper-enabled")


def files(layers):
    """What the view of the file system has and the machine has not, but for what Debian's tools keep."""
    (written, machine), found = layers, set()
    for path, folders, names in os.walk(written):
        inside = path[len(written) :]
        found.update(f"{inside}/{name}" for name in folders + names)
    return {name for name in found if not name.startswith(TOOLS) and not os.path.lexists(machine + name)}


def trial(check, dpkg, layers, packages):
    """Installs the package over another one's file, has its sessions, and purges it."""
    check("another package's file is there before", dpkg("--install", older_package("/tmp")).returncode == 0)
    before = files(layers)
    done = dpkg("--install", *packages)
    check("the package of the desktop installs", done.returncode == 0, done.stdout)
    check("the other's file is kept aside", FORMER.exists() and FORMER.read_text(encoding="utf-8") == OLDER_FILE)
    check("the service manager has the unit, which begins with the session", os.readlink(LINK) == UNIT)
    check("the bus asks the service manager", "SystemdService=keychain-secrets.service\n" in ACTIVATION.read_text())
    check("the portal finds the bridge", "org.freedesktop.impl.portal.Secret" in PORTAL.read_text(encoding="utf-8"))
    verified = subprocess.run(["systemd-analyze", "verify", "--user", "--man=no", UNIT], capture_output=True, text=True)
    check("the unit is well-formed", "keychain-secrets" not in verified.stderr, verified.stderr)
    agent = os.stat(AGENT)
    group = grp.getgrgid(agent.st_gid)
    check(
        "the session agent has a group of its own, without members, by root's word",
        (agent.st_uid, agent.st_mode & 0o7777, group.gr_name, group.gr_mem) == (0, 0o2755, "_keychain-prompts", []),
        (agent, group),
    )

    def upgrade():
        done = dpkg("--install", *packages)
        check("the package of the desktop is upgraded", done.returncode == 0, done.stdout)

    sessions(check, upgrade)
    done = dpkg("--purge", "keychain-desktop")
    check("the package of the desktop is purged", done.returncode == 0, done.stdout)
    left = files(layers) ^ before
    check("nothing of it stays", not left, sorted(left))
    check("the other's file is back", ACTIVATION.read_text(encoding="utf-8") == OLDER_FILE)
    check("the other package is removed", dpkg("--purge", "older-secrets").returncode == 0)
