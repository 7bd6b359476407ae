"""What connections and requests cost in the system service, and what memory it takes.

Service.py FOLDER-OF-PROGRAMS, as root.
"""

import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("HOSTILE", os.path.join(HERE, "..", "..", "Tests", "Hostile")))

import machine  # noqa: E402
from deployment import ANCHORED, VICTIM, Deployment  # noqa: E402

PROCESSES, ROUNDS = 51, 300


def times(d, client):
    """First connection of a process, later ones, and requests: medians in microseconds."""
    runs = []
    for _ in range(PROCESSES):
        done = d.run(client, d.socket, d.path("bin", "frame"), str(ROUNDS if len(runs) < 5 else 1))
        if done.returncode:
            raise SystemExit(done.stderr)
        runs.append([float(word) for word in done.stdout.split()])
    long = runs[:5]
    # The first process of a program has its file read.
    return (
        statistics.median(run[0] for run in runs[1:]),
        statistics.median(run[1] for run in long),
        statistics.median(run[2] for run in long),
    )


def memory(d):
    """Resident and own memory of each process, in MB."""
    found = {}
    for kind, process in d.processes().items():
        with open(f"/proc/{process}/smaps_rollup") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line and "kB" in line)
        found[kind] = [int(lines[name].split()[0]) / 1024 for name in ("Rss", "Pss", "Private_Dirty")]
    return found


def main():
    d = Deployment(os.path.abspath(sys.argv[1]))
    machine.leave()
    d.add_accounts()
    try:
        victim = d.install("victim")
        subprocess.run(["cc", "-O2", "-o", d.path("bin", "client"), os.path.join(HERE, "client.c")], check=True)
        plain = d.install("plain", d.path("bin", "client"))
        anchored = d.install("anchored", d.path("bin", "client"), group=ANCHORED, mode=0o2755)
        # A file that was changed just now is not believed to rest.
        time.sleep(3)
        d.start()
        d.store(victim)
        with open(d.path("bin", "frame"), "wb") as file:
            file.write(d.request(victim))
        print("microseconds: first connection of a process, later connections, requests")
        for name, client in (("a program", plain), ("an anchored program", anchored)):
            print(f"{name:22}" + "".join(f"{value:10.1f}" for value in times(d, client)))
        print("MB: resident, shared out (PSS), own")
        figures = memory(d)
        for kind, values in figures.items():
            print(f"{kind:22}" + "".join(f"{value:10.1f}" for value in values))
        print(f"{'all':22}" + "".join(f"{sum(column):10.1f}" for column in zip(*figures.values())))
    finally:
        try:
            d.stop()
        finally:
            d.remove()


main()
