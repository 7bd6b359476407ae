"""The deployments in which sessions run: the user's daemon, the system service, and a keychain for one job."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

from deployment import VICTIM  # noqa: E402
from keychain_parts import Home  # noqa: E402
from system_service_parts import Service  # noqa: E402

FILES = ("c.p12", "c-legacy.p12", "ca.pem")


class UserPlace:
    """A user with a keychain of their own; its daemon starts with the first command."""

    kind, options = "user", {}

    def __init__(self, programs, folder, files, **variables):
        os.mkdir(folder)
        self.home = Home(programs, folder)
        self.temporary, self.user_home = self.home.temporary, self.home.home
        self.environment = self.home.environment | {"RUNNER_TEMP": self.temporary, "LC_ALL": "C.UTF-8"} | variables
        self.prepare(files)

    def prepare(self, files):
        for name in FILES:
            with open(files / name, "rb") as source, open(f"{self.temporary}/{name}", "wb") as target:
                target.write(source.read())
        os.makedirs(f"{self.user_home}/Library/Keychains", exist_ok=True)

    def values(self):
        login = f"{self.user_home}/Library/Keychains/login.keychain-db"
        path = f"{self.temporary}/app-signing.keychain-db"
        return {"P": path, "LOGIN": login, "HOME": self.user_home}

    def store(self):
        """The folders that may hold secrets, as they may hold nothing in the clear."""
        return [self.user_home, self.temporary]

    def end(self):
        self.home.end()


class JobPlace(UserPlace):
    """A keychain for one job, made for the time of this process."""

    kind = "ci"

    def prepare(self, files):
        super().prepare(files)
        self.memory = self.home.memory()
        self.environment["XDG_RUNTIME_DIR"] = self.memory.__enter__()
        words = [f"{self.home.programs}/security", "ci-start", "--format", "env", "--owner", str(os.getpid())]
        said = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True).stdout
        self.environment |= dict(line.split("=", 1) for line in said.splitlines())

    def values(self):
        folder = os.path.dirname(self.environment["KEYCHAIN_SOCKET"])
        return super().values() | {"JOB": folder}

    def end(self):
        subprocess.run([f"{self.home.programs}/security", "ci-stop"], env=self.environment, check=True)
        super().end()
        self.memory.__exit__(None, None, None)


class SystemPlace(UserPlace):
    """The system service, which must run as root; the session is a user's."""

    kind = "system"
    options = {"user": VICTIM, "group": VICTIM, "extra_groups": []}

    def __init__(self, programs, files, **variables):
        self.service = Service(programs)
        self.service.add_accounts()
        self.service.start()
        self.user_home = self.temporary = self.service.path("home")
        path = f"{self.service.path('libexec')}:{os.environ['PATH']}"
        variables |= {"PATH": path, "RUNNER_TEMP": self.temporary, "LC_ALL": "C.UTF-8"}
        self.environment = self.service.environment(**variables)
        self.environment["OWN"] = self.environment["KEYCHAIN_SOCKET"]
        del self.environment["KEYCHAIN_INTERACTION"]
        self.prepare(files)
        for folder, _, names in os.walk(self.user_home):
            for path in [folder, *(os.path.join(folder, name) for name in names)]:
                os.chown(path, VICTIM, VICTIM)

    def store(self):
        return [self.service.base]

    def end(self):
        try:
            self.service.stop()
        finally:
            self.service.remove()
