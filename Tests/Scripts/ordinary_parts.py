"""A home of an ordinary user's, with programs that the user may use."""

import os
import shutil

from keychain_parts import Home

# Root plays somebody who has no account.
USER = os.getuid() or 1500
NAMES = ("security", "keychaind", "keychain-enclaved", "keychain-agent", "keychain-pki")


def as_user(user=USER):
    """Runs in a child before its program: root becomes an ordinary user."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


class OrdinaryHome(Home):
    def run(self, *words, **options):
        return super().run(*words, preexec_fn=as_user, **options)


def prepared(programs, folder):
    """A home and programs that the user may use."""
    copies = f"{folder}/programs"
    os.mkdir(copies)
    for name in NAMES:
        shutil.copy(f"{programs}/{name}", copies)
    home = OrdinaryHome(copies, folder)
    os.chmod(folder, 0o755)
    if os.getuid() == 0:
        for path in (home.home, home.temporary):
            os.chown(path, USER, USER)
    return home
