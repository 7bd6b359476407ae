"""A PostgreSQL server of a test's own, which an ordinary user starts: over TLS on this machine, and on a socket."""

import glob
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from ordinary_parts import as_user
from patience import PATIENCE, eventually

TOP = pathlib.Path(__file__).resolve().parents[2]
UNPACKED = TOP / ".build/postgresql"


def programs():
    """The folder of the server's programs: the system's own, or those that `scripts/deps` has unpacked."""
    found = [path for root in ("", UNPACKED) for path in glob.glob(f"{root}/usr/lib/postgresql/*/bin/initdb")]
    assert found, "no PostgreSQL server is here: scripts/deps"
    return os.path.dirname(found[0])


class PostgresServer:
    """A server with a database `sync`, whose owner enters over a socket, and others over TLS with a password."""

    def __init__(self, key, certificate, fsync="off"):
        self.folder = tempfile.mkdtemp(prefix="postgres.", dir="/dev/shm")
        self.data, self.log, self.process = f"{self.folder}/data", f"{self.folder}/log", None
        self.fsync = fsync
        self.tls = [f"ssl_key_file={key}", f"ssl_cert_file={certificate}"]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.run("initdb", "--no-sync", "--auth-host=scram-sha-256", "-U", "owner", "-D", self.data)
        hosts = pathlib.Path(f"{self.data}/pg_hba.conf")
        hosts.write_text("local all owner trust\nhostssl sync,copy all 127.0.0.1/32 scram-sha-256\n")
        self.start()
        self.run("createdb", "-h", self.folder, "-p", str(self.port), "-U", "owner", "sync")

    def database(self, name="sync"):
        return f"postgresql://owner@{self.folder.replace('/', '%2F')}:{self.port}/{name}"

    def url(self, role, authority, host="localhost", database="sync"):
        return f"postgresql://{role}@{host}:{self.port}/{database}?sslrootcert={authority}"

    def run(self, name, *words):
        environment = os.environ | {"LD_LIBRARY_PATH": f"{UNPACKED}/usr/lib/x86_64-linux-gnu"}
        done = subprocess.run(
            [f"{programs()}/{name}", *words], capture_output=True, text=True, env=environment, preexec_fn=as_user,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, (name, words, done)
        return done.stdout

    def ask(self, statement, database="sync"):
        options = ("-qtAX", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port), "-U", "owner")
        return self.run("psql", *options, "-c", statement, database).strip()

    def start(self):
        settings = [
            "ssl=on", *self.tls, f"unix_socket_directories={self.folder}", "listen_addresses=127.0.0.1",
            f"port={self.port}", f"fsync={self.fsync}", "shared_buffers=4MB", "max_connections=30", "log_statement=all",
            "log_parameter_max_length=0",
            "dynamic_shared_memory_type=mmap",
        ]
        words = [word for setting in settings for word in ("-c", setting)]
        environment = os.environ | {"LD_LIBRARY_PATH": f"{UNPACKED}/usr/lib/x86_64-linux-gnu"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [f"{programs()}/postgres", "-D", self.data, *words], stderr=log, stdout=log, env=environment,
                preexec_fn=as_user,
            )
        eventually(self.is_ready, lambda: pathlib.Path(self.log).read_text())

    def is_ready(self):
        assert self.process.poll() is None, pathlib.Path(self.log).read_text()
        state = pathlib.Path(f"{self.data}/postmaster.pid")
        # The server makes the file, and writes into it then.
        lines = state.read_text().splitlines() if state.exists() else []
        return bool(lines) and lines[-1].startswith("ready")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(PATIENCE)
        self.process = None

    def end(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
