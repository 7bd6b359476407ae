"""A desktop of a test's own: a home, a session bus, and the keychain or gnome-keyring as its Secret Service."""

import contextlib
import glob
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import dbus
from dbus.mainloop.glib import DBusGMainLoop
from keychain_parts import Home, answers, ends
from patience import PATIENCE, eventually

ROOT = "/org/freedesktop/secrets"
NAME = "org.freedesktop.secrets"
SECRET = "org.freedesktop.Secret."
CONFIGURATION = """<busconfig><type>session</type><listen>unix:path={path}</listen><standard_session_servicedirs/>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy><limit name="service_start_timeout">600000</limit><limit name="auth_timeout">600000</limit>
<limit name="max_replies_per_connection">50000</limit></busconfig>"""


class Desktop(Home):
    """A home with a session bus, on which clients find the service by its name."""

    def __init__(self, programs, folder, **variables):
        super().__init__(programs, folder)
        runtime = f"{folder}/run"
        os.mkdir(runtime, 0o700)
        self.address = f"unix:path={folder}/bus"
        self.environment |= {
            "XDG_RUNTIME_DIR": runtime,
            # Without it the bus looks into the home of the account.
            "XDG_DATA_HOME": f"{self.home}/.local/share",
            "XDG_DATA_DIRS": f"{folder}/no-data",
            "DBUS_SESSION_BUS_ADDRESS": self.address,
            "KEYCHAIN_INTERACTION": "never",
            "LC_ALL": "C.UTF-8",
            # Where libsecret can be called from Python, there is another backend over the same service.
            "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
        } | variables
        self.bus = None

    def start_bus(self, *options):
        """The bus reads where services are when it starts."""
        pathlib.Path(f"{self.folder}/bus.conf").write_text(CONFIGURATION.format(path=f"{self.folder}/bus"))
        words = ["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile", *options]
        self.bus = subprocess.Popen(words, env=self.environment, stderr=subprocess.DEVNULL)
        eventually(lambda: answers(f"{self.folder}/bus"))

    def connect(self):
        return dbus.bus.BusConnection(self.address)

    def tool(self, *words, text=None, wrap=()):
        """Runs secret-tool; its status and its output."""
        done = subprocess.run(
            [*wrap, "secret-tool", *words], input=text, capture_output=True, env=self.environment, timeout=PATIENCE
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def store(self, label, *words, text="geheim"):
        status, out, err = self.tool("store", f"--label={label}", *words, text=text.encode())
        assert (status, out, err) == (0, "", ""), (status, out, err)

    def python(self, program, module="keyring"):
        done = subprocess.run(
            ["/usr/bin/python3", "-c", program], capture_output=True, text=True, env=self.environment, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split("\n")[:-1]

    def versions(self):
        """How many earlier versions of items the store keeps, while nobody has it open."""
        kill(list(self.stores_of_daemons()))
        with contextlib.closing(sqlite3.connect(f"{self.home}/k/keychain.db")) as store:
            return store.execute("SELECT count(*) FROM history").fetchone()[0]

    def end_bus(self):
        if self.bus:
            # The services that the bus has started end with it.
            self.bus.terminate()
            self.bus.wait()
            self.bus = None

    def end(self):
        self.end_bus()
        super().end()


@contextlib.contextmanager
def desktop(programs, **variables):
    """A desktop that is set up, with a bus that starts the bridge."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = Desktop(programs, folder, **variables)
        try:
            result = place.run("setup", "-y", "desktop")
            assert result.returncode == 0, result.stderr
            place.start_bus()
            yield place
        finally:
            place.end()


# As scripts/deps has unpacked it; where it is installed, that one.
UNPACKED = os.path.abspath(".build/gnome-keyring")


def keyring_program():
    """gnome-keyring and the folders of its libraries; None where it cannot be had."""
    daemon = shutil.which("gnome-keyring-daemon") or f"{UNPACKED}/usr/bin/gnome-keyring-daemon"
    libraries = ":".join(glob.glob(f"{UNPACKED}/usr/lib/*"))
    variables = os.environ | {"LD_LIBRARY_PATH": libraries}
    if not os.path.exists(daemon):
        return None
    done = subprocess.run([daemon, "--version"], env=variables, stdout=subprocess.DEVNULL)
    return (daemon, libraries) if done.returncode == 0 else None


class KeyringDesktop(Desktop):
    """A desktop on which gnome-keyring keeps the secrets. Its login keyring has the password `pw`."""

    keyring = None

    def start_keyring(self):
        daemon, libraries = keyring_program()
        self.keyring = subprocess.Popen(
            [daemon, "--unlock", "--foreground", "--components=secrets", f"--control-directory={self.folder}/control"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment | {"LD_LIBRARY_PATH": libraries},
        )
        self.keyring.stdin.write(b"pw")
        self.keyring.stdin.close()
        eventually(lambda: self.connect().name_has_owner(NAME))

    def end_keyring(self):
        if self.keyring:
            self.keyring.terminate()
            self.keyring.wait()
            self.keyring = None

    def end(self):
        self.end_keyring()
        super().end()


@contextlib.contextmanager
def keyring_desktop(programs, daemon=True):
    """A desktop with gnome-keyring; without the daemon, for another service in its place."""
    with tempfile.TemporaryDirectory(prefix="desktop.") as folder:
        place = KeyringDesktop(programs, folder)
        try:
            place.start_bus()
            if daemon:
                place.start_keyring()
            yield place
        finally:
            place.end()


class Client:
    """A connection to the bus that speaks the protocol itself."""

    def __init__(self, desktop):
        self.bus = desktop.connect()
        self.service = self.interface(ROOT, "Service")

    def interface(self, path, name):
        return dbus.Interface(self.bus.get_object(NAME, path, introspect=False), SECRET + name)

    def properties(self, path):
        return dbus.Interface(self.bus.get_object(NAME, path, introspect=False), "org.freedesktop.DBus.Properties")

    def get(self, path, interface, name):
        return self.properties(path).Get(SECRET + interface, name)

    def session(self, algorithm="plain", data=None):
        data = dbus.String("", variant_level=1) if data is None else data
        return self.service.OpenSession(algorithm, data)

    def create(self, session, attributes, value=b"v", collection=f"{ROOT}/aliases/default", replace=False, **more):
        properties = {
            SECRET + "Item.Label": dbus.String("label", variant_level=1),
            SECRET + "Item.Attributes": dbus.Dictionary(attributes, signature="ss", variant_level=1),
        } | {SECRET + "Item." + name: content for name, content in more.items()}
        secret = dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(value), "text/plain"), signature="oayays")
        path, prompt = self.interface(collection, "Collection").CreateItem(
            dbus.Dictionary(properties, signature="sv"), secret, replace, signature="a{sv}(oayays)b"
        )
        assert prompt == "/", prompt
        return path

    def search(self, **attributes):
        return self.service.SearchItems(dbus.Dictionary(attributes, signature="ss"))

    def close(self):
        self.bus.close()


# The calls of another process: what it finds by these attributes, and the use of a session.
OTHER = """
import sys
from desktop_parts import Client
from types import SimpleNamespace
import dbus
client = Client(SimpleNamespace(connect=lambda: dbus.bus.BusConnection(sys.argv[1])))
{}
"""


def other(place, program):
    """Another process on the bus; it waits for a line before its second part."""
    return subprocess.Popen(
        ["/usr/bin/python3", "-B", "-c", OTHER.format(program), place.address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=place.environment | {"PYTHONPATH": os.path.dirname(os.path.abspath(__file__))},
    )


def ask_bus(client):
    """The bus has passed on what the client has sent before."""
    client.bus.call_blocking("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", "", ())


@contextlib.contextmanager
def stopped_bridge(place):
    """Meanwhile the bridge does nothing, and the bus keeps what it is sent."""
    (bridge,) = bridges(place)
    os.kill(bridge, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(bridge, signal.SIGCONT)


@contextlib.contextmanager
def answered(place):
    """The clients that the bridge answers, in order, as a monitor of the bus sees it."""
    bus, seen = dbus.bus.BusConnection(place.address, mainloop=DBusGMainLoop()), []
    rule = f"sender='{bus.get_name_owner(NAME)}'"

    def note(_, message):
        if message.get_reply_serial():
            seen.append(message.get_destination())

    bus.add_message_filter(note)
    monitoring = "org.freedesktop.DBus.Monitoring"
    bus.call_blocking(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", monitoring, "BecomeMonitor", "asu", ([rule], 0)
    )
    yield seen
    bus.close()


def objects(*paths):
    """A list of objects, as D-Bus has them."""
    return dbus.Array(paths, signature="o")


def refused(call, name):
    """The call ends in the error with this name."""
    try:
        result = call()
    except dbus.DBusException as error:
        found = error.get_dbus_name()
        assert found.endswith(name), f"{found}: {error.get_dbus_message()}"
        return error.get_dbus_message()
    raise AssertionError(f"it was not refused: {result}")


def bridges(desktop):
    """The bridges of a desktop, by their numbers."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
            variables = pathlib.Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
            if words[0].endswith(b"/keychain-secrets") and f"HOME={desktop.home}".encode() in variables:
                found.append(int(number))
    return found


def kill(numbers):
    for number in numbers:
        ends(number)


def kill_bridges(desktop):
    """Kills the bridges, and waits until the bus knows: until then a client may be bound to one that is dead."""
    bus = desktop.connect()
    kill(bridges(desktop))
    eventually(lambda: not bus.name_has_owner(NAME))
    bus.close()


def play(names, needs_keyring=False):
    """Runs a script's tests: those that its command line names, else all."""
    if needs_keyring and not keyring_program():
        sys.exit("gnome-keyring cannot be had here")
    for name, test in list(names.items()):
        if name in sys.argv[2:] if sys.argv[2:] else name.startswith("test_"):
            test()
            print(f"ok {name}")
