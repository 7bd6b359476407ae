"""Each claim to an identity, against each way in which an attacker can hold a connection that the program made or seems
to have made.
"""

import os
import subprocess

import anchors
import signatures
from deployment import ANCHORED, PYTHON, VICTIM, stopped
from patience import PATIENCE
from suite import FAILS, SUCCEEDS, attack

INTRODUCED = "was not introduced"
FOREIGN = "another process than the one that connected"
ENDED = "has ended"


class Claim:
    """A program with an item: `program` as it is, `interpreter` the same claim of a program that does what it is told.
    """

    def __init__(self, name, program, service, is_marked=False):
        self.name, self.program, self.service, self.is_marked = name, program, service, is_marked

    def interpreter(self, d):
        path = d.install("interpreter-" + self.name.split()[1], os.path.realpath(PYTHON))
        if self.is_marked:
            os.chown(path, 0, ANCHORED)
            os.chmod(path, 0o2755)
        elif self.program is signatures.signed:
            signatures.sign(d, path, "team-key", "team.plist")
        return path

    def frames(self, d):
        """Files with the requests to store the secret, under a name of this claim's, and to find it."""
        paths = []
        for kind in ("add", "find"):
            path = d.path("bin", f"{kind}-{self.name.split()[1]}")
            words = (
                ["-v", "add-generic-password", "-s", self.name, "-a", "a", "-w", d.secret]
                if kind == "add"
                else (d.search("", self.name)[1:])
            )
            with open(path, "wb") as file:
                file.write(d.recorded(d.path("bin", "victim"), *words))
            paths.append(path)
        return paths


CLAIMS = [
    Claim("an unsigned program", lambda d: d.path("bin", "victim"), "s"),
    Claim("a signed program", signatures.signed, signatures.SERVICE),
    Claim("an anchored program", anchors.anchored, anchors.SERVICE, is_marked=True),
]


def marked():
    """What an anchored program that starts others would make of one: the mark as effective group, not as the real one.
    """
    os.setgroups([])
    os.setresgid(VICTIM, ANCHORED, ANCHORED)
    os.setresuid(VICTIM, VICTIM, VICTIM)


def attacker(d, *words, is_marked=False, **options):
    who = {"preexec_fn": marked} if is_marked else {"user": VICTIM, "group": VICTIM, "extra_groups": []}
    return subprocess.Popen(
        [PYTHON, d.path("bin", "intruder.py"), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd="/",
        env=d.environment(),
        **who,
        **options,
    )


def said(d, process):
    # Not communicate(), which does not see what was read ahead of a line.
    process.stdin.close()
    d.said = process.stdout.read()
    process.wait(PATIENCE)
    return d.secret in d.said


def frame_of(d, claim):
    path = d.path("bin", "frame-" + claim.name.split()[1])
    with open(path, "wb") as file:
        file.write(d.request(d.path("bin", "victim"), claim.service))
    return path


def becomes_then_asks(d, claim):
    return said(
        d, attacker(d, "exec_after_connect", d.socket, frame_of(d, claim), claim.program(d), is_marked=claim.is_marked)
    )


def asks_then_becomes(d, claim, is_marked=None):
    # The race that the attacker would have to win, won for him: nothing is looked at before he has become the program.
    d.learns(*d.search(d.path("bin", "victim")))
    process = attacker(
        d,
        "exec_after_asking",
        d.socket,
        frame_of(d, claim),
        claim.program(d),
        is_marked=claim.is_marked if is_marked is None else is_marked,
    )
    return while_stopped(d, process)


def while_stopped(d, process):
    """Has the attacker do its part while the daemon stands still, and no longer; whether it gets the secret then."""
    must_say(process, "about")
    with stopped(d.daemon_of(VICTIM)):
        go(process)
        must_say(process, "ready")
    return said(d, process)


def must_say(process, line):
    if (first := process.stdout.readline()) != line + "\n":
        raise RuntimeError(f"the attacker does not get so far: {first}{process.communicate()[0]}")


def go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def held(d, claim, way):
    """The program itself asks, and gets its item; then somebody else has its connection."""
    add, find = claim.frames(d)
    process = subprocess.Popen(
        [
            claim.interpreter(d),
            d.path("bin", "intruder.py"),
            "hold",
            d.socket,
            add,
            find,
            d.secret,
            way,
            "introduced" if claim.is_marked else "plain",
        ],
        user=VICTIM,
        group=VICTIM,
        extra_groups=[],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd="/",
        env=d.environment(),
    )
    first = process.stdout.readline()
    if first != "the program has its item\n":
        raise RuntimeError(f"the program itself does not get its item: {first}{process.communicate()[0]}")
    if way == "number":
        return reused(d, process)
    return said(d, process)


def reused(d, process):
    """The holder of the connection gets the number of the program, which has ended."""
    process.wait(PATIENCE)
    number = int(process.stdout.readline())
    # Nobody but the service begins processes here, and seldom.
    for _ in range(50):
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(number - 1))
        go(process)
        if process.stdout.readline() == "got it\n":
            return said(d, process)
    process.kill()
    raise RuntimeError("the number could not be had again")


for claim in CLAIMS:
    opens = FAILS if claim.is_marked else SUCCEEDS
    ways = [
        ("connected before it was executed, asked by another process", FAILS, FOREIGN, becomes_then_asks),
        ("connected and asked before it was executed", opens, INTRODUCED if claim.is_marked else "", asks_then_becomes),
        ("its connection handed over (SCM_RIGHTS)", FAILS, FOREIGN, lambda d, claim: held(d, claim, "handed")),
        (
            "its connection inherited by a child that executes another program",
            FAILS,
            FOREIGN,
            lambda d, claim: held(d, claim, "inherited"),
        ),
        ("its connection inherited by a forked child", FAILS, FOREIGN, lambda d, claim: held(d, claim, "forked")),
        ("its connection used under its number after its end", FAILS, ENDED, lambda d, claim: held(d, claim, "number")),
    ]
    for way, expected, because, body in ways:
        attack(f"{claim.name}: {way}", expected, because)(lambda d, body=body, claim=claim: body(d, claim))


@attack(
    "an anchored program: connected and asked before it was executed, without the mark", FAILS, anchors.WITHOUT_MARKER
)
def without_mark(d):
    return asks_then_becomes(d, CLAIMS[2], is_marked=False)


@attack("an anchored program: executed again by the attacker between its introduction and a request", FAILS, ENDED)
def executed_again(d):
    # The interpreter stands for an anchored program that executes what it is told, and is executed by that once more.
    claim = CLAIMS[2]
    add, find = claim.frames(d)
    process = subprocess.Popen(
        [claim.interpreter(d), d.path("bin", "intruder.py"), "return_to", d.socket, add, find, d.secret],
        user=VICTIM,
        group=VICTIM,
        extra_groups=[],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd="/",
        env=d.environment(),
    )
    if process.stdout.readline() != "the program has its item\n":
        raise RuntimeError("the program itself does not get its item: " + process.communicate()[0])
    go(process)
    return while_stopped(d, process)
