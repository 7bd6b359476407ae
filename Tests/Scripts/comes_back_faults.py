"""What befalls the processes and the files of a keychain; each can be undone without anybody's help."""

import contextlib
import os
import resource
import shutil
import signal
import time

from comes_back_clients import DEADLINE, Item

KINDS = ("keychaind", "keychain-enclav", "keychain-agent")
# A program with the keychain inside.
EMBEDDED = "embedded"


class Fault:
    """Something that begins, lasts for a while, and is over."""

    def __init__(self, world, rng):
        self.world, self.rng = world, rng

    def text(self):
        return type(self).__name__.lower()

    def lasts(self):
        return self.rng.uniform(0.05, 0.8)

    def end(self):
        pass


class OfProcess(Fault):
    """One that befalls one of the keychain's processes."""

    def __init__(self, world, rng):
        super().__init__(world, rng)
        self.kind = rng.choice((*KINDS, EMBEDDED))
        self.process = None

    def text(self):
        return f"{super().text()} of {self.kind}"

    def begin(self):
        self.process = self.world.process(self.kind)
        if self.process:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                self.befall()


class Kill(OfProcess):
    def befall(self):
        os.kill(self.process, signal.SIGKILL)

    def lasts(self):
        return 0


class Stop(OfProcess):
    """Every fourth stands for longer than a client waits."""

    def befall(self):
        os.kill(self.process, signal.SIGSTOP)

    def lasts(self):
        return DEADLINE + 1 if self.rng.random() < 0.25 else super().lasts()

    def end(self):
        with contextlib.suppress(ProcessLookupError, TypeError):
            os.kill(self.process, signal.SIGCONT)


class StopForGood(Stop):
    """Nobody has it go on; a program of the test's own is left out."""

    def __init__(self, world, rng):
        super().__init__(world, rng)
        self.kind = rng.choice(KINDS)

    def lasts(self):
        return 0

    def end(self):
        pass


class Limit(OfProcess):
    """A limit on what the running process may have, which is lifted again."""

    def befall(self):
        self.before = resource.prlimit(self.process, self.resource)
        most = self.before[1]
        value = self.value() if most == resource.RLIM_INFINITY else min(self.value(), most)
        resource.prlimit(self.process, self.resource, (value, most))

    def end(self):
        with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError, TypeError):
            resource.prlimit(self.process, self.resource, self.before)


class Descriptors(Limit):
    resource = resource.RLIMIT_NOFILE

    def value(self):
        return self.rng.choice((0, 3, self.rng.randrange(64)))


class Threads(Limit):
    resource = resource.RLIMIT_NPROC

    def value(self):
        return 0


class AddressSpace(Limit):
    resource = resource.RLIMIT_AS

    def value(self):
        return self.rng.choice((0, self.used() + self.rng.randrange(1 << 22)))

    def used(self):
        with open(f"/proc/{self.process}/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()


class Data(AddressSpace):
    resource = resource.RLIMIT_DATA

    def used(self):
        with open(f"/proc/{self.process}/statm") as file:
            return int(file.read().split()[5]) * resource.getpagesize()


class PoorStart(Fault):
    """The daemon goes, and the client that starts the next one has hardly anything: neither has what it starts."""

    limits = (
        (resource.RLIMIT_NOFILE, (3, 8, 20, 40, 100)),
        (resource.RLIMIT_NPROC, (0, 1)),
        (resource.RLIMIT_AS, tuple(n << 20 for n in (8, 30, 60, 120, 250))),
        (resource.RLIMIT_DATA, tuple(n << 20 for n in (1, 4, 16, 64))),
    )

    def __init__(self, world, rng):
        super().__init__(world, rng)
        self.limit, values = rng.choice(self.limits)
        self.value = rng.choice(values)

    def text(self):
        names = {value: name for name, value in vars(resource).items() if name.startswith("RLIMIT_")}
        return f"start with {names[self.limit]} {self.value}"

    def begin(self):
        for client in self.world.clients:
            client.pause()
        self.world.kill()
        command = self.world.command
        command.limits = lambda: resource.setrlimit(self.limit, (self.value, self.value))
        command.step(command.items[0], "write")
        command.limits = None

    def end(self):
        for client in self.world.clients:
            client.go_on()


class LostSocket(Fault):
    def begin(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.world.socket)


class LostRuntime(Fault):
    def begin(self):
        shutil.rmtree(os.path.dirname(self.world.socket), ignore_errors=True)


class MovedStore(Fault):
    """The folder of the store is moved away and back.

What is acknowledged meanwhile is in the keychain that is there then.
    """

    def begin(self):
        for client in self.world.clients:
            client.pause()
        os.rename(self.world.home, self.aside)
        player = self.world.player
        item = Item("moved")
        if player.step(item, "write") and not self.isInNewStore(item):
            self.world.figures.fail("a write into a folder that had been moved was acknowledged, and is nowhere")

    @property
    def aside(self):
        return f"{self.world.home}.aside"

    def isInNewStore(self, item):
        return os.path.exists(f"{self.world.home}/keychain.db") and self.world.player.step(item, "read")

    def end(self):
        self.world.kill()
        shutil.rmtree(self.world.home, ignore_errors=True)
        os.rename(self.aside, self.world.home)
        for client in self.world.clients:
            client.go_on()


class KilledHelper(Fault):
    """A helper of git or docker is ended in the middle of what it does."""

    def begin(self):
        helper = self.rng.choice((self.world.git, self.world.docker))
        helper.pause()
        item, value = helper.items[0], str(10_000 + self.rng.randrange(10_000))
        process = helper.begin(item, value)
        time.sleep(self.rng.uniform(0, 0.05))
        process.kill()
        process.communicate()
        item.wrote(value, False, False)
        helper.go_on()

    def lasts(self):
        return 0


class KilledCarrier(KilledHelper):
    """Who brings a passcode is ended in the middle.

The command that has read it, or a program whose user is being asked.
    """

    def begin(self):
        if not self.world.hasPasscode:
            return super().begin()
        process = self.world.command.launch(["unlock-keychain", "-p", self.world.passcode])
        if self.rng.random() < 0.5:
            process.kill()
            process = self.world.asker.launch(["read", "asked"])
        time.sleep(self.rng.uniform(0, 0.4))
        process.kill()
        process.wait()
        return None


ALL = (
    Kill,
    Stop,
    StopForGood,
    Descriptors,
    Threads,
    AddressSpace,
    Data,
    PoorStart,
    LostSocket,
    LostRuntime,
    MovedStore,
    KilledHelper,
    KilledCarrier,
)
