"""The places of a circle, as tests make them: a folder, a PostgreSQL server, and a bucket of a stand-in for a store."""

import contextlib
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

from ordinary_parts import USER, as_user
from own_authority import Authority
from patience import PATIENCE, eventually
from postgres_parts import PostgresServer
from sync_parts import finished, shown

PASSWORD = "of the role alice"
KEYS = "AKEY\nSKEY\n"
STORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "object_server.py")


def owned(path):
    """What root makes is the ordinary user's."""
    if os.getuid() == 0:
        os.chown(path, USER, USER)


def write(path, text):
    pathlib.Path(path).write_text(text)
    os.chmod(path, 0o600)
    owned(path)


class Store:
    """A stand-in for an object store, over TLS; what it has outlives it."""

    def __init__(self, folder, name, authority, *words):
        self.words, self.files = words, (*authority.certify("localhost"), f"{folder}/{name}.objects")
        self.port, self.process, self.root = "0", None, authority.root
        for path in self.files[:2]:
            os.chmod(path, 0o644)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-B", STORE, *self.words, *self.files, self.port], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, preexec_fn=as_user,
        )
        self.port = self.process.stdout.readline().strip()

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(PATIENCE)
            self.process.stdout.close()
        self.process = None

    def url(self, host="localhost", authorities=None):
        return f"https://{host}:{int(self.port)}/bucket?authorities={authorities or self.root}"


def administer(programs, server, *words, database="sync"):
    """The administrator's program, over the server's socket."""
    done = subprocess.run(
        [f"{programs}/keychain-sync-server", "--server", server.database(database), *words],
        capture_output=True, text=True, timeout=PATIENCE, preexec_fn=as_user,
    )
    assert done.returncode == 0, done
    return done.stdout.strip()


def gets_a_password(machine, server):
    write(f"{machine.home}/.pgpass", f"*:{server.port}:*:alice:{PASSWORD}\n")


def serve(programs, folder):
    """A server with TLS, ready for circles of the role alice."""
    authority = Authority(folder, "ours")
    files = authority.certify("localhost")
    for path in files:
        owned(path)
    server = PostgresServer(*files)
    administer(programs, server, "--install")
    server.ask(f"CREATE ROLE alice LOGIN PASSWORD '{PASSWORD}'")
    administer(programs, server, "--admit", "alice")
    return server, authority


class FolderPlace:
    """A folder that all machines have."""

    def __init__(self, programs, folder, name="shared"):
        self.folder, self.url = folder, f"{folder}/{name}"
        if not os.path.exists(self.url):
            os.mkdir(self.url)
            owned(self.url)

    def knows(self, machine):
        """What a machine has before it names the place."""

    def founding(self, machine):
        """The words behind `setup` or `reset`, without the place."""
        return ()

    def recovering(self, machine, circle):
        """The words behind `join --recovery`."""
        return (self.url,)

    def adds(self, one, other):
        adding, _ = shown(one, self.folder)
        other.sync("join", self.url, "-n", other.name)
        code, out, errors = finished(adding)
        assert code == 0, (code, out, errors)

    def slots(self, circle):
        """The bytes of all slots by (device, seq, part), in digits."""
        found = {}
        for path in pathlib.Path(f"{self.url}/{circle}").rglob("*"):
            if path.is_file():
                found[slot(path.relative_to(f"{self.url}/{circle}").as_posix())] = path.read_bytes()
        return found

    @contextlib.contextmanager
    def copied(self):
        """Another place with the same content."""
        subprocess.run(["cp", "-a", self.url, f"{self.folder}/copy"], check=True)
        try:
            yield FolderPlace(None, self.folder, "copy")
        finally:
            shutil.rmtree(f"{self.folder}/copy")

    def end(self):
        """Nothing runs for it."""


def slot(name):
    """A slot by its name behind the circle's."""
    words = name.split("/")
    return (words[1], words[2], words[3] if words[0] == "part" else None)


class RemotePlace:
    """Machines are added by their codes."""

    def adds(self, one, other):
        circle = one.sync("status")["circle"]
        code = other.sync("join", *self.joining(other), "-n", other.name, self.url, circle)["code"]
        one.sync("add-device", code)

    def joining(self, machine):
        return ()


class ServerPlace(RemotePlace):
    """A PostgreSQL server, over TLS."""

    def __init__(self, programs, folder):
        self.programs, self.database = programs, "sync"
        self.server, self.authority = serve(programs, folder)

    @property
    def url(self):
        return self.server.url("alice", self.authority.root, database=self.database)

    def knows(self, machine):
        gets_a_password(machine, self.server)

    def invited(self, machine, *words):
        """The words that name the file of a new invitation."""
        path = f"{machine.home}/invitation"
        write(path, administer(self.programs, self.server, "--invite", "alice", *words, database=self.database))
        return ("-i", path)

    def founding(self, machine):
        return self.invited(machine)

    def recovering(self, machine, circle):
        return (*self.invited(machine, "--circle", circle), self.url)

    def slots(self, circle):
        rows = self.server.ask(
            "SELECT encode(device, 'hex'), lpad(to_hex(seq), 16, '0'), part, encode(body, 'hex') "
            f"FROM keychain_sync.slots WHERE circle = '\\x{circle}'", self.database)
        found = {}
        for device, seq, part, body in (row.split("|") for row in rows.splitlines()):
            found[device, seq, None if part == "-1" else f"{int(part):08x}"] = bytes.fromhex(body)
        return found

    @contextlib.contextmanager
    def copied(self):
        copy = ServerPlace.__new__(ServerPlace)
        copy.programs, copy.database, copy.server, copy.authority = (
            self.programs, "copy", self.server, self.authority)
        # Sessions of programs that have ended stay for a moment.
        eventually(lambda: self.server.ask("SELECT count(*) FROM pg_stat_activity WHERE datname = 'sync'") == "1")
        self.server.ask("CREATE DATABASE copy TEMPLATE sync", "postgres")
        try:
            yield copy
        finally:
            self.server.ask("DROP DATABASE copy WITH (FORCE)", "postgres")

    def end(self):
        self.server.end()


class BucketPlace(RemotePlace):
    """A bucket."""

    def __init__(self, programs, folder, name="store", authority=None):
        self.folder = folder
        self.authority = authority or Authority(folder, "ours")
        self.store = Store(folder, name, self.authority)

    @property
    def url(self):
        return self.store.url()

    def knows(self, machine):
        write(f"{machine.home}/keys", KEYS)

    def founding(self, machine):
        return ("-i", f"{machine.home}/keys")

    joining = founding

    def recovering(self, machine, circle):
        return (*self.founding(machine), self.url, circle)

    def slots(self, circle):
        head, found = f"/bucket/{circle}/", {}
        for name, body in self.objects().items():
            if name.startswith(head) and name != head + "probe":
                found[slot(name.removeprefix(head))] = body
        return found

    def objects(self):
        self.store.stop()
        with open(self.store.files[2], "rb") as kept:
            found = pickle.load(kept)
        self.store.start()
        return found

    @contextlib.contextmanager
    def copied(self):
        self.store.stop()
        shutil.copy(self.store.files[2], f"{self.folder}/copy.objects")
        owned(f"{self.folder}/copy.objects")
        self.store.start()
        copy = BucketPlace(None, self.folder, "copy", self.authority)
        try:
            yield copy
        finally:
            copy.end()
            os.unlink(f"{self.folder}/copy.objects")

    def end(self):
        self.store.stop()


PLACES = {"folder": FolderPlace, "server": ServerPlace, "bucket": BucketPlace}
