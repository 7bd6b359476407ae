"""The tests of object stores, in their long form, with Ceph's gateway in place of the stand-in.

usage: object_store_long_test.py

Cluster and gateway listen on loopback, keep everything in memory, and end with the test.
"""

import contextlib
import os
import pathlib
import socket
import subprocess
import tempfile
import urllib.request
import uuid

from patience import PATIENCE, eventually

TOP = pathlib.Path(__file__).resolve().parents[2]
ROOT = TOP / ".build/ceph"
LIBRARIES = f"{ROOT}/usr/lib/x86_64-linux-gnu"
PROGRAM = TOP / ".build/debug/swift-keychainPackageTests.xctest"

CONFIGURATION = """
[global]
fsid = {fsid}
mon_host = v1:127.0.0.1:{monitor}
mon_initial_members = a
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = {folder}/keyring
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_warn = 1
mon_data_avail_crit = 1
ms_bind_msgr2 = false
osd_objectstore = memstore
memstore_device_bytes = 268435456
run_dir = {folder}
crash_dir = {folder}
admin_socket =
pid_file =
log_file = {folder}/$name.log
mon_data = {folder}/mon
osd_data = {folder}/osd
rgw_data = {folder}/rgw
erasure_code_dir = {libraries}/ceph/erasure-code
osd_class_dir = {libraries}/rados-classes
plugin_dir = {libraries}/ceph
rgw_frontends = beast endpoint=127.0.0.1:{gateway}
rgw_thread_pool_size = 8
rgw_enable_apis = s3
"""

KEYS = {
    "mon.": ("mon", "allow *"),
    "client.admin": ("mon", "allow *", "osd", "allow *"),
    "osd.0": ("mon", "allow profile osd", "osd", "allow *"),
    "client.rgw": ("mon", "allow rw", "osd", "allow rwx"),
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """A monitor, a place for objects, and the gateway that speaks S3's protocol."""

    def __init__(self, folder):
        self.folder, self.gateway, self.running = folder, free_port(), []
        for name in ("mon", "osd", "rgw"):
            os.mkdir(f"{folder}/{name}")
        fsid, monitor = str(uuid.uuid4()), free_port()
        pathlib.Path(f"{folder}/ceph.conf").write_text(
            CONFIGURATION.format(
                fsid=fsid, monitor=monitor, gateway=self.gateway, folder=folder, libraries=LIBRARIES))
        self.environment = os.environ | {
            "CEPH_CONF": f"{folder}/ceph.conf",
            "LD_LIBRARY_PATH": f"{LIBRARIES}:{ROOT}/lib/x86_64-linux-gnu:{LIBRARIES}/ceph",
        }
        self.make_keys()
        self.run("monmaptool", "--create", "--addv", "a", f"[v1:127.0.0.1:{monitor}]", "--fsid", fsid, "monmap")
        self.run("osdmaptool", "--createsimple", "1", "osdmap", "--clobber")
        self.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap", "--osdmap", "osdmap", "--keyring", "keyring")
        self.start("ceph-mon", "-i", "a", "-f")
        self.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", str(uuid.uuid4()))
        self.start("ceph-osd", "-i", "0", "-f")
        self.start("radosgw", "-n", "client.rgw", "-f")

    def make_keys(self):
        for number, (name, rights) in enumerate(KEYS.items()):
            words = [word for kind, right in zip(rights[::2], rights[1::2]) for word in ("--cap", kind, right)]
            self.run("ceph-authtool", *(["-C"] if number == 0 else []), "keyring", "-n", name, "--gen-key", *words)

    def words(self, name, arguments):
        return [f"{ROOT}/usr/bin/{name}", *arguments]

    def run(self, name, *arguments):
        subprocess.run(
            self.words(name, arguments), cwd=self.folder, env=self.environment, check=True, capture_output=True)

    def start(self, name, *arguments):
        self.running.append(
            subprocess.Popen(
                self.words(name, arguments), cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))

    def is_ready(self):
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.gateway}/", timeout=PATIENCE) as answer:
                return answer.status == 200
        return False

    def make_bucket(self):
        """A bucket of the user whose keys the tests have."""
        self.run(
            "radosgw-admin", "-n", "client.rgw", "user", "create", "--uid=u", "--display-name=u",
            "--access-key=AKEY", "--secret-key=SKEY")
        url = f"http://127.0.0.1:{self.gateway}/bucket"
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        subprocess.run(
            ["curl", "-sf", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "AKEY:SKEY",
             "-H", f"x-amz-content-sha256: {empty}", url], check=True)
        return url

    def end(self):
        for program in reversed(self.running):
            program.terminate()
        for program in self.running:
            program.wait()


def main():
    with tempfile.TemporaryDirectory(prefix="ceph.") as folder:
        cluster = Cluster(folder)
        try:
            eventually(cluster.is_ready)
            bucket = cluster.make_bucket()
            words = ["--testing-library", "swift-testing", "--no-parallel", "--filter", "^ObjectTransportTests"]
            subprocess.run(
                [PROGRAM, *words], cwd=TOP, check=True,
                env=os.environ | {"KEYCHAIN_TEST_BUCKET": bucket, "KEYCHAIN_TEST_FORM": "long"})
        finally:
            cluster.end()


main()
