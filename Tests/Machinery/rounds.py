"""One round of several processes over a keychain: who plays what, who is killed when, and what everybody was told."""

import collections
import os
import random
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

from players import environment

from patience import PATIENCE

# One line of a script as it was carried out: who, the line, when it began and ended, and the answer (None without one).
Entry = collections.namedtuple("Entry", "process words begin end status rule result mode", defaults=("embedded",))


class Round:
    """What is played: for each place at the table the programs that play there one after the other.

    deployment is embedded, daemon or shared (a daemon beside programs with the keychain inside). A program is a
    dictionary: its lines, its mode, and after how many seconds it is killed (None for never). `daemon_kills` are
    moments too.
    """

    def __init__(self, deployment, places, daemon_kills=(), ends_with_kill=False):
        self.deployment, self.places = deployment, places
        self.daemon_kills, self.ends_with_kill = list(daemon_kills), ends_with_kill

    @classmethod
    def random(cls, rng, scripts, is_first):
        if is_first:
            return cls("embedded", [[program(scripts.beginning(), "embedded")]])
        deployment = rng.choice(("embedded", "embedded", "daemon", "shared"))
        places = [
            [cls.random_program(rng, scripts, deployment) for _ in range(rng.randrange(1, 4))]
            for _ in range(rng.randrange(2, 7))
        ]
        if rng.random() < 0.4:
            cls.begin_with_refused_change(places, scripts)
        kills = [rng.uniform(0.05, 1) for _ in range(rng.randrange(3))] if deployment != "embedded" else []
        return cls(deployment, places, kills, rng.random() < 0.5)

    @staticmethod
    def begin_with_refused_change(places, scripts):
        """One changes very much while the log is empty, and is refused; the others write when it has been."""
        for place in places:
            place[0]["lines"][:0] = ["pause 200"]
        places[0][0]["lines"][:1] = scripts.refused_change()
        places[0][0]["kill_after"] = None

    @staticmethod
    def random_program(rng, scripts, deployment):
        mode = {"embedded": "embedded", "daemon": "daemon"}.get(deployment) or rng.choice(("embedded", "daemon"))
        lines = scripts.random(rng.randrange(20, 400), may_fork=mode == "embedded")
        return program(lines, mode, rng.uniform(0.02, 0.6) if rng.random() < 0.3 else None)


def program(lines, mode, kill_after=None):
    return {"lines": lines, "mode": mode, "kill_after": kill_after}


def count_lines(case):
    return sum(len(program["lines"]) for place in case.places for program in place)


class History:
    """What everybody was told in one round."""

    def __init__(self):
        self.entries, self.kills, self.forks = [], 0, 0

    def read(self, lines, record, mode="embedded"):
        """Takes the record of one program and its forked children."""
        open_calls = {}
        with open(record) as text:
            for row in text:
                words = row.split()
                if not row.endswith("\n") or len(words) < 4:
                    continue
                key, moment = (words[1], words[2]), int(words[3])
                if int(words[2]) == 0:
                    continue
                if words[0] == "B":
                    open_calls[key] = moment
                elif len(words) >= 6:
                    entry = Entry(
                        words[1],
                        lines[int(words[2]) - 1].split(),
                        open_calls.pop(key),
                        moment,
                        int(words[4]),
                        words[5],
                        words[6:],
                        mode,
                    )
                    self.entries.append(entry)
        for (process, line), begin in open_calls.items():
            self.entries.append(Entry(process, lines[int(line) - 1].split(), begin, None, None, None, []))
        self.forks += sum(line.startswith("fork") for line in lines)

    def count(self, figures):
        figures["operations"] += len(self.entries)
        figures["rounds"] += 1
        figures["kills"] += self.kills
        figures["forks"] += self.forks
        figures["unanswered"] += sum(entry.status is None for entry in self.entries)
        figures["refused"] += sum(entry.status not in (None, 0, -25299, -25300) for entry in self.entries)


def play(programs, home, case):
    """Plays a round to its end: nobody has the store open when this returns."""
    history, lock = History(), threading.Lock()
    with tempfile.TemporaryDirectory() as records:
        holder = hold(programs, home) if case.deployment == "shared" else None
        threads = [
            threading.Thread(target=play_place, args=(programs, home, place, f"{records}/{number}", history, lock))
            for number, place in enumerate(case.places)
        ]
        for thread in threads:
            thread.start()
        for moment in sorted(case.daemon_kills):
            time.sleep(moment / len(case.daemon_kills))
            history.kills += end_daemon(home, signal.SIGKILL)
        for thread in threads:
            thread.join()
        if case.deployment != "embedded":
            history.kills += (
                end_daemon(home, signal.SIGKILL if case.ends_with_kill else signal.SIGTERM) and case.ends_with_kill
            )
        if holder:
            holder.stdin.close()
            holder.wait()
    return history


def hold(programs, home):
    """A program with the keychain inside that has the store open, so that a daemon that comes has to share it."""
    holder = subprocess.Popen(
        [f"{programs}/item-player"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env=environment(programs, home, "embedded"),
    )
    holder.stdin.write("get large 0\n")
    holder.stdin.flush()
    holder.stdout.readline()
    holder.stdout.readline()
    return holder


def play_place(programs, home, place, record, history, lock):
    for number, part in enumerate(place):
        name = f"{record}.{number}"
        was_killed = play_program(programs, home, part, name)
        with lock:
            history.kills += was_killed
            history.read(part["lines"], name, part["mode"])


def play_program(programs, home, part, record):
    """Plays one script to its end, or until its time; whether it was killed. Its forked children have ended then, too.
    """
    with open(record, "a") as output, tempfile.TemporaryFile("w+") as script:
        script.write("".join(line + "\n" for line in part["lines"]))
        script.flush()
        script.seek(0)
        player = subprocess.Popen(
            [f"{programs}/item-player", "batch"],
            stdin=script,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=environment(programs, home, part["mode"]),
            start_new_session=True,
        )
        try:
            player.wait(part["kill_after"])
        except subprocess.TimeoutExpired:
            player.kill()
        code = player.wait()
        # The children of one that was killed play on; they are killed with it, as a whole group.
        if code != 0:
            end_group(player.pid)
        return code == -signal.SIGKILL


def end_group(group):
    """Kills what is left of a group of processes and waits until none of it is there."""
    try:
        while True:
            os.killpg(group, signal.SIGKILL)
            time.sleep(0.001)
    except ProcessLookupError:
        pass


def end_daemon(home, number):
    """Ends the daemon behind the socket, if there is one, and waits for its end."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(f"{home}/keychaind.sock")
        except OSError:
            return 0
        process = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    try:
        handle = os.pidfd_open(process)
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return 0
    ended = select.select([handle], [], [], PATIENCE)[0]
    os.close(handle)
    if not ended:
        raise RuntimeError(f"the daemon of {home} does not end")
    return 1
