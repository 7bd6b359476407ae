#!/usr/bin/env python3
"""Makes the suite's attacks on an item against a protected file in place of it. Everybody can read the file.

usage: files.py FOLDER-OF-PROGRAMS [WORD...]: attacks whose names have one of the words. As root.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "Scripts")]

import anchors  # noqa: E402
import claims  # noqa: E402
import isolation  # noqa: E402
import programs  # noqa: E402
import signatures  # noqa: E402
import suite  # noqa: E402
import thieves  # noqa: E402
import users  # noqa: E402
from deployment import ANCHORED, VICTIM, Deployment  # noqa: E402

# Those that run a program, or get into one. Left out are those that send a recorded request, for they get a file's key
# at most and no content: entitled scripts, connections that are handed on, numbers of processes that come again, and
# claims of programs that know no files. So are those on lists of items and on the decisions about them.
ATTACKS = {
    programs: "itself another copied renamed named symlinked symlinked_away hard_linked bind_mounted container bubble "
    "preloaded traced read_memory replaced replaced_own",
    users: "other_user namespace_root namespace_victim",
    claims: "itself elsewhere linked foreign by_another sandboxed in_namespace other_home anchored signed granted",
    anchors: "itself without_privileges copied preloaded",
    signatures: "itself same_team copied unsigned forged truncated altered other_key other_prefix overwritten",
    thieves: "root_as_user disk disk_with_passcode store_alone vault_alone locked unlocked",
}
# The shelf of the file is there, and of another group; other users and keychains do not have it.
REFUSED = "is not entitled to the access group|The shelf that wrapped the file's key is not in this keychain"


class Files(Deployment):
    """The secret is the content of protected files, which copies of the command for them write and read."""

    def install(self, name, source=None, **options):
        return super().install(name, source or f"{self.products}/keychain-file", **options)

    def file(self, service):
        return self.path("home", f"{service}.kcf")

    def store(self, program, service="s", secret=None, user=VICTIM):
        words = [program, "protect", "-c", "a", "-o", self.file(service), "-"]
        done = self.run(*words, text=secret or self.secret, user=user)
        if done.returncode:
            raise AssertionError(f"{program} cannot protect: {done.stderr}")
        os.chmod(self.file(service), 0o644)

    def search(self, program, service="s"):
        return [program, "cat", self.file(service)]

    def waits(self, program):
        return [program, "protect", "-o", self.path("home", "waits.kcf"), "-"]


def choose():
    """Leaves the suite the attacks above, with the reasons for which files are refused."""
    bodies = {vars(module)[name] for module, names in ATTACKS.items() for name in names.split()}
    chosen = [one for one in suite.ATTACKS if one[3] in bodies]
    assert len(chosen) == len(bodies), "a function above is no attack"
    suite.ATTACKS[:] = [
        (name, expected, REFUSED if because == programs.NOTFOUND else because, body, where)
        for name, expected, because, body, where in chosen
    ]


def main():
    choose()
    isolation.enter()
    d = Files(os.path.abspath(sys.argv[1]))
    try:
        d.add_accounts()
        victim = d.install("victim")
        shutil.copy(f"{HERE}/intruder.py", d.path("bin"))
        library = ["cc", "-shared", "-fPIC", "-o", d.path("bin", "preload.so"), f"{HERE}/preload.c"]
        subprocess.run(library, check=True)
        d.start()
        d.store(victim)
        d.store(d.install("anchored", group=ANCHORED, mode=0o2755), service=anchors.SERVICE)
        signatures.prepare(d)
        wrong, _ = suite.run(d, sys.argv[2:])
    finally:
        try:
            d.stop()
        finally:
            d.remove()
    print(f"{wrong} attacks did not end as they must" if wrong else "every attack ended as it must")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
