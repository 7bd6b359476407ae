#!/usr/bin/env python3
"""Attacks the system deployment with real users of this machine, and says what became of each attack.

usage: hostile.py [--masked] [--gate] FOLDER-OF-PROGRAMS [WORD...]: attacks whose names have one of the words. As root.
--masked: the daemons do not have SO_PEERPIDFD, as before Linux 6.5.
--gate: without the attacks that hold against a limit how long somebody waits.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "Scripts")]

import deployment  # noqa: E402
import isolation  # noqa: E402
import record  # noqa: E402
import mask  # noqa: E402
import suite  # noqa: E402
import programs  # noqa: E402,F401
import users  # noqa: E402,F401
import own  # noqa: E402,F401
import thieves  # noqa: E402,F401
import anchors  # noqa: E402,F401
import marked  # noqa: E402,F401
import connections  # noqa: E402,F401
import signatures  # noqa: E402,F401
import units  # noqa: E402,F401
import shares  # noqa: E402,F401
import arrivals  # noqa: E402,F401
import takeovers  # noqa: E402,F401
import claims  # noqa: E402,F401


def strangers():
    """Names of attacks on the threats page that are no attack's. Its table has them all (`record.problems`)."""
    before, _, after = record.parts()
    page = " ".join((before + after).split())
    page = re.sub(r"\*\*[^*]*\*\*", "", page)
    named = set(re.findall(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])", page))
    attacks = {name for name, *_ in suite.ATTACKS}
    # Words in italics that are no attack's name are emphasis, and short.
    return [f"on the threats page, and no attack: {name}" for name in sorted(named - attacks) if len(name.split()) > 4]


def main():
    options = {word for word in sys.argv[1:] if word in ("--masked", "--gate")}
    words = [word for word in sys.argv[1:] if word not in options]
    prepare = mask.without_peer_descriptor if "--masked" in options else None
    isolation.enter()
    print(f"Linux {os.uname().release}{', SO_PEERPIDFD masked' if prepare else ''}", flush=True)
    d = deployment.Deployment(os.path.abspath(words[0]), prepare)
    try:
        units.prepare()
        d.add_accounts()
        victim = d.install("victim")
        d.install("intruder.py", os.path.join(HERE, "intruder.py"))
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-o", d.path("bin", "preload.so"), os.path.join(HERE, "preload.c")], check=True
        )
        signatures.entitle(d)
        d.start()
        d.store(victim)
        with open(d.path("bin", "frame"), "wb") as file:
            file.write(d.request(victim))
        anchors.prepare(d)
        signatures.prepare(d)
        signatures.prepare_scripts(d)
        wrong, ended = suite.run(d, words[1:], without_timed="--gate" in options)
    finally:
        try:
            d.stop()
        finally:
            d.remove()
    if os.environ.get("UPDATE_DOCS") and "--gate" not in options:
        record.update(ended, masked=prepare is not None)
    for problem in strangers() + record.problems():
        print(problem)
        wrong += 1
    if "--gate" in options:
        print(f"{len(suite.TIMED)} attacks on how long others wait were left out: hostile_long_test.sh")
    print(f"{wrong} attacks did not end as they must" if wrong else "every attack ended as it must")
    sys.exit(1 if wrong else 0)


main()
