"""What a guess at a passcode costs (docs/formats/vault.md), by the parameters in the vaults that programs make.

usage: passcode_cost_test.py PROGRAMS
"""

import pathlib
import struct
import sys
import tempfile

from keychain_parts import ASKED, Home
from read_vault import Vault

PASSCODE = b"1234"


class Costs(Vault):
    """A vault that notes the memory in KiB and the passes of its passcode's slot."""

    def slot_key(self, kind, parameters, passcode):
        if kind == 2:
            self.cost = struct.unpack_from("<II", parameters)
        return super().slot_key(kind, parameters, passcode)


def cost(programs, asked, mode):
    with tempfile.TemporaryDirectory(prefix="cost.") as folder:
        home = Home(programs, folder, KEYCHAIN_MODE=mode)
        for name in ASKED:
            del home.environment[name]
        home.environment |= asked
        done = home.run("set-keychain-password", "-p", PASSCODE.decode())
        assert done.returncode == 0, done.stderr
        home.end()
        return Costs(pathlib.Path(f"{home.home}/k/vault").read_bytes(), PASSCODE).cost


def main(programs):
    for mode in ("daemon", "embedded"):
        for asked in ({}, {"KEYCHAIN_TEST_PASSCODES": "no"}, {"KEYCHAIN_TEST_PASSCODES": ""}):
            assert cost(programs, asked, mode) == (64 << 10, 3), (mode, asked)
        assert cost(programs, {"KEYCHAIN_TEST_PASSCODES": "cheap"}, mode) == (8, 1), mode
    print("passcode cost: ok")


main(sys.argv[1])
