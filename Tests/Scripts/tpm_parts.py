"""A TPM in software for a test of an ordinary user's."""

import contextlib
import os
import subprocess

from keychain_parts import answers
from ordinary_parts import USER, as_user
from patience import eventually


@contextlib.contextmanager
def software_tpm(folder, prepare=as_user, user=USER):
    """A TPM in software, and how tpm2-tss reaches it. `prepare` makes its process the user's."""
    os.mkdir(folder, 0o700)
    if os.getuid() == 0:
        os.chown(folder, user, user)
    path = f"{folder}/tpm"
    program = subprocess.Popen(
        ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={folder}"]
        + ["--server", f"type=unixio,path={path}", "--ctrl", f"type=unixio,path={path}.ctrl"]
        + ["--flags", "not-need-init,startup-clear"],
        stderr=subprocess.DEVNULL,
        preexec_fn=prepare,
    )
    try:
        eventually(lambda: answers(path) or program.poll() is not None)
        assert program.poll() is None, "swtpm does not start"
        yield f"swtpm:path={path}"
    finally:
        program.kill()
        program.wait()
