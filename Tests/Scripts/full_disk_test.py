"""Lets the disk run full under a writer: it is told so, and everything that was acknowledged is there afterwards.

usage: full_disk_test.py FOLDER-OF-PROGRAMS
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile


def small_disk():
    """A file may grow to 1 MiB and no further; a write beyond that fails instead of ending the process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def main():
    programs = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
        env = kept | {"KEYCHAIN_HOME": f"{home}/keychain", "KEYCHAIN_MODE": "embedded"}
        writer = [f"{programs}/item-writer", "add", "full"]
        filling = subprocess.run(writer, env=env, capture_output=True, text=True, preexec_fn=small_disk, timeout=120)
        if filling.returncode != 3 or not filling.stderr.strip():
            sys.exit(f"the writer was not told that the disk is full: {filling.returncode} {filling.stderr}")
        acknowledged = {int(line) for line in filling.stdout.split()}
        check = subprocess.run([f"{programs}/item-writer", "check", "full"], env=env, capture_output=True, text=True)
        found = {int(line) for line in check.stdout.split()} if check.returncode == 0 else set()
        if check.returncode != 0 or not acknowledged <= found:
            sys.exit(f"lost: {sorted(acknowledged - found)} {check.stdout}")
        if len(acknowledged) < 20:
            sys.exit("the disk was full before anything was written")
        print(f"{len(acknowledged)} items acknowledged before the disk was full, none lost: {filling.stderr.strip()}")


main()
