"""A random sequence of what happens to keychains in years: no item is lost that nobody asked to delete.

usage: keychain_random_test.py FOLDER-OF-PROGRAMS WALL-CLOCK-LIBRARY [STEPS]; SEED, or a new seed, is printed

Keychains are made with and without a password, also by jobs, in a folder and on a disk. Their name files are moved,
copied and adopted, the disk is away for a while, clocks and the times of files change, copies bring back stores and
marks of other moments, daemons end, and creations, writes and deletions are killed at any of their system calls. A
model knows which items were stored. After each step the stores of all keychains are there, and now and then every item
is looked for.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

from keychain_parts import Home, ends, folder
from patience import PATIENCE

# Calls that change files, and all at which a file is reached or written.
CHANGES = "unlink,unlinkat,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,rmdir"
CALLS = f"{CHANGES},openat,fsync,fdatasync,write,pwrite64,flock,connect,sendmsg"
# A creation makes so many of the first, and of all.
CHANGES_OF_ONE, CALLS_OF_ONE = 15, 400
YEAR = 365 * 86400
MOST = 7
PLACES = ("folder", "disk")


class Keychain:
    """What was stored, and where its name file is."""

    def __init__(self, path, password, store):
        self.path = self.known_at = path
        self.password, self.store = password, store
        self.items, self.unsure = {}, set()

    def __repr__(self):
        return f"{os.path.basename(self.path)} ({len(self.items)} items, password {self.password!r})"


class World:
    """A user's keychains, with a disk that comes and goes."""

    def __init__(self, programs, place, library, seed):
        self.home = Home(programs, place)
        self.random, self.seed = random.Random(seed), seed
        self.clock = f"{place}/clock"
        self.set_clock(0)
        self.home.environment |= {"LD_PRELOAD": library, "WALL_CLOCK": self.clock, "KEYCHAIN_INTERACTION": "never"}
        self.keychains, self.number, self.log, self.counts = [], 0, [], {}
        for name in PLACES:
            os.mkdir(f"{place}/{name}")

    # What is done.

    def step(self):
        does = self.random.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        keychain = self.random.choice(self.keychains) if self.keychains else None
        if does in (World.create, World.kill_creation) or keychain:
            self.log.append(f"{does.__name__} {keychain or ''}")
            self.counts[does.__name__] = self.counts.get(does.__name__, 0) + 1
            does(self, keychain)
        self.expect_stores()

    def create(self, _, kill=None):
        """Makes a keychain; one that was killed exists if its name file leads to it."""
        if len(self.keychains) >= MOST:
            return
        path, password = self.new_path(), self.random.choice(("", "", "pw"))
        before = set(self.home.stores)
        status = self.run("create-keychain", "-p", password, path, job=self.random.random() < 0.3, kill=kill)
        assert kill or status == 0, (status, self.said)
        made = [store for store in self.home.stores if store not in before and self.leads_to(path) == store]
        if not made and not kill:
            raise AssertionError(f"{path} leads to no store: {self.said}")
        for store in made:
            keychain = Keychain(path, password, store)
            if not kill or self.opens(keychain):
                self.keychains.append(keychain)

    def kill_creation(self, keychain):
        self.create(keychain, kill=self.any_call())

    def add(self, keychain, kill=None):
        if not self.opens(keychain):
            return
        account, value = f"a{self.random.randrange(40)}", f"v{self.random.getrandbits(32):x}"
        words = ("add-generic-password", "-U", "-s", "s", "-a", account, "-w", value, keychain.path)
        status = self.run(*words, kill=kill)
        if status == 0:
            keychain.items[account] = value
            keychain.unsure.discard(account)
        else:
            assert kill, (status, self.said)
            keychain.unsure.add(account)

    def kill_add(self, keychain):
        self.add(keychain, kill=self.any_call())

    def delete_item(self, keychain):
        if not keychain.items or not self.opens(keychain):
            return
        account = self.random.choice(sorted(keychain.items))
        if self.run("delete-generic-password", "-s", "s", "-a", account, keychain.path) == 0:
            del keychain.items[account]
        else:
            assert account in keychain.unsure, self.said

    def delete(self, keychain, kill=None):
        """A deletion that was asked for; one that was killed has deleted the keychain or not."""
        if not self.is_reached(keychain):
            return
        status = self.run("delete-keychain", keychain.path, kill=kill)
        assert kill or status == 0, (status, self.said)
        if status == 0 or not os.path.exists(keychain.path) or not self.opens(keychain):
            self.keychains.remove(keychain)

    def kill_deletion(self, keychain):
        self.delete(keychain, kill=self.any_call())

    def delete_lost(self, keychain):
        """A store is deleted by its identifier, while its name file is away."""
        if not self.is_here(keychain) and self.run("delete-keychain", keychain.store) == 0:
            self.keychains.remove(keychain)

    def move(self, keychain):
        if self.is_here(keychain):
            new = self.new_path()
            os.rename(keychain.path, new)
            keychain.path = new

    def adopt(self, keychain):
        if self.is_here(keychain) and keychain.password:
            status = self.run("unlock-keychain", "-p", keychain.password, keychain.path)
            assert status == 0, (status, self.said)
            keychain.known_at = keychain.path

    def copy(self, keychain):
        """A copy of a name file, and its end, change nothing."""
        if self.is_here(keychain):
            copied = shutil.copy(keychain.path, self.new_path())
            self.run("unlock-keychain", "-p", keychain.password, copied)
            self.run("find-generic-password", "-s", "s", copied)
            os.remove(copied)

    def lock(self, keychain):
        if self.is_reached(keychain):
            self.run("lock-keychain", keychain.path)

    def unmount(self, _):
        away, here = f"{self.home.folder}/away", f"{self.home.folder}/disk"
        os.rename(*((away, here) if os.path.exists(away) else (here, away)))

    def look(self, _):
        for words in (("list-keychains",), ("list-keychains", "--orphans"), ("status",)):
            self.run(*words)

    def job(self, _):
        """A job's own keychain comes and goes."""
        words = ("ci-start", "--format", "env")
        if self.run(*words, job=True) == 0:
            told = dict(line.split("=", 1) for line in self.said.splitlines() if "=" in line)
            self.home.environment |= told
            self.run("ci-stop", job=True)
            for name in told:
                del self.home.environment[name]

    def change_clock(self, _):
        self.set_clock(self.random.choice((0, 60, -86400, 3 * 86400, YEAR, -YEAR, -40 * YEAR)))

    def touch(self, keychain):
        """Files get other times, as copies and wrong clocks give them."""
        top = folder(self.home)
        paths = [f"{top}/{name}" for name in os.listdir(top)]
        paths += [f"{top}/{keychain.store}/{name}" for name in os.listdir(f"{top}/{keychain.store}")]
        for path in self.random.sample(paths, min(4, len(paths))):
            moment = self.random.choice((0, 600, 10**9, 4 * 10**9))
            if os.path.lexists(path):
                os.utime(path, (moment, moment), follow_symlinks=False)

    def bring_back_mark(self, keychain):
        """A copy of the folder from another moment has the mark of an unfinished creation or deletion."""
        place = f"{folder(self.home)}/{keychain.store}"
        if not keychain.items:
            return
        if self.random.random() < 0.6:
            with open(f"{place}.new", "w", encoding="ascii"):
                pass
        else:
            shutil.copytree(place, f"{place}.deleted", ignore=shutil.ignore_patterns("*.sock"), dirs_exist_ok=True)

    def bring_back_store(self, keychain):
        """The folder of a store is put away, or gone where another one was put away; a copy of it takes its place."""
        place = f"{folder(self.home)}/{keychain.store}"
        daemon = self.home.daemons().get(place)
        if daemon:
            ends(daemon)
        shutil.copytree(place, f"{self.home.folder}/copy", ignore=shutil.ignore_patterns("*.sock"))
        if self.random.random() < 0.5 or os.path.exists(f"{place}.deleted"):
            shutil.rmtree(place)
        else:
            os.rename(place, f"{place}.deleted")
        os.rename(f"{self.home.folder}/copy", place)

    def end_daemons(self, _):
        for daemon in self.home.daemons().values():
            if self.random.random() < 0.7:
                ends(daemon, self.random.choice((signal.SIGKILL, signal.SIGTERM)))

    def look_for_items(self, keychain):
        if self.opens(keychain):
            self.expect_items(keychain)

    # What must hold.

    def expect_stores(self):
        for keychain in self.keychains:
            place = f"{folder(self.home)}/{keychain.store}"
            assert os.path.exists(f"{place}/vault") and os.path.exists(f"{place}/keychain.db"), f"lost: {keychain}"

    def expect_items(self, keychain):
        for account, value in keychain.items.items():
            status = self.run("find-generic-password", "-s", "s", "-a", account, "-w", keychain.path)
            found = self.said.strip() if status == 0 else f"status {status}: {self.said}"
            assert found == value or account in keychain.unsure, f"{keychain}, {account}: {found}, not {value}"

    def expect_everything(self):
        """With the disk there and each name file where its keychain is known, each item is found."""
        self.set_clock(0)
        if os.path.exists(f"{self.home.folder}/away"):
            self.unmount(None)
        for keychain in self.keychains:
            if not keychain.password:
                os.rename(keychain.path, keychain.known_at)
                keychain.path = keychain.known_at
            assert self.opens(keychain), f"lost: {keychain}: {self.said}"
            self.expect_items(keychain)

    # How.

    def is_here(self, keychain):
        return os.path.exists(keychain.path)

    def is_reached(self, keychain):
        """Whether its name file leads to it without an adoption."""
        return self.is_here(keychain) and (keychain.path == keychain.known_at)

    def opens(self, keychain):
        """Opens a keychain that can be opened now."""
        if not self.is_here(keychain) or (not keychain.password and keychain.path != keychain.known_at):
            return False
        if not keychain.password:
            return self.run("show-keychain-info", keychain.path) == 0
        # A locked one says of what it has that it is closed.
        some = next(iter(keychain.items), None)
        if some and self.run("find-generic-password", "-s", "s", "-a", some, "-w", keychain.path) == 0:
            return True
        if self.run("unlock-keychain", "-p", keychain.password, keychain.path) != 0:
            return False
        keychain.known_at = keychain.path
        return True

    def new_path(self):
        self.number += 1
        here = [name for name in PLACES if os.path.isdir(f"{self.home.folder}/{name}")]
        return f"{self.home.folder}/{self.random.choice(here)}/{self.number}.keychain"

    def leads_to(self, path):
        try:
            with open(path, encoding="ascii") as file:
                return file.read().split()[2]
        except (OSError, IndexError):
            return None

    def set_clock(self, seconds):
        with open(self.clock, "w", encoding="ascii") as file:
            file.write(f"{seconds} 0\n")

    def any_call(self):
        """A call at which a command, or what it has started, is killed: before it or after it."""
        calls, most = self.random.choice(((CHANGES, CHANGES_OF_ONE), (CALLS, CALLS_OF_ONE)))
        instead = self.random.choice(("", ":error=EINTR"))
        return calls, f"inject={calls}:signal=SIGKILL{instead}:when={self.random.randint(1, most)}"

    def run(self, *words, job=False, kill=None):
        """The status of a command; `said` is what it has written."""
        command = [f"{self.home.programs}/security", *words]
        environment = self.home.environment | ({"CI": "true"} if job else {})
        if kill:
            # Daemons that it starts are followed; they outlive it, and so would a pipe.
            command = ["strace", "-D", "-f", "-o", "/dev/null", "-e", f"trace={kill[0]}", "-e", kill[1], *command]
        with tempfile.TemporaryFile("w+", dir=self.home.folder) as output:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
            status = subprocess.run(command, env=environment, timeout=PATIENCE, check=False, **streams).returncode
            output.seek(0)
            self.said = output.read()
        self.log.append(f"  {status}: {' '.join(words)}{f' [{kill[1]}]' if kill else ''}")
        return status


# What happens how often.
ACTIONS = {
    World.add: 24,
    World.look_for_items: 8,
    World.move: 9,
    World.adopt: 3,
    World.unmount: 7,
    World.create: 7,
    World.kill_creation: 7,
    World.kill_add: 5,
    World.kill_deletion: 1,
    World.delete: 2,
    World.delete_lost: 1,
    World.delete_item: 4,
    World.copy: 3,
    World.lock: 3,
    World.look: 4,
    World.job: 1,
    World.change_clock: 5,
    World.bring_back_mark: 5,
    World.bring_back_store: 3,
    World.touch: 6,
    World.end_daemons: 5,
}


def play(world, steps):
    for step in range(steps):
        world.step()
        if step % 1000 == 999:
            print(f"{step + 1} steps", flush=True)
    world.expect_everything()


def main():
    programs, library = (os.path.abspath(path) for path in sys.argv[1:3])
    steps = int(sys.argv[3]) if sys.argv[3:] else 200
    seed = int(os.environ.get("SEED") or random.randrange(1 << 30))
    print(f"seed {seed}, {steps} steps", flush=True)
    place = tempfile.mkdtemp(prefix="random.")
    world = World(programs, place, library, seed)
    try:
        with world.home.memory():
            play(world, steps)
        items = sum(len(keychain.items) for keychain in world.keychains)
        print(f"{len(world.keychains)} keychains with {items} items are whole after {world.counts}")
    except BaseException:
        print(f"FAILED with seed {seed}; the last steps:", *world.log[-60:], sep="\n", flush=True)
        raise
    finally:
        world.home.end()
        shutil.rmtree(place, ignore_errors=True)


main()
