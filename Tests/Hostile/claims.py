"""Attacks with names that programs claim for themselves: no wall among programs of one user outside of sandboxes, and
of no use to anybody else."""

import os
import subprocess

from deployment import ANCHORED, OTHER, PYTHON, VICTIM
from patience import PATIENCE
from programs import NOTFOUND
from signatures import entitlements, sign
from suite import FAILS, SUCCEEDS, attack

SERVICE, NAME = "claimed", "org.example.claims"
GROUP = f"claimed:{NAME}"


def claiming(d, program, name=NAME):
    """Embeds a name in a program that is there."""
    file, made = d.path("bin", "claim"), program + ".claiming"
    with open(file, "w") as claim:
        claim.write(name)
    subprocess.run(["objcopy", "--add-section", f".keychain.claim={file}", program, made], check=True)
    status = os.stat(program)
    os.rename(made, program)
    os.chown(program, status.st_uid, status.st_gid)
    os.chmod(program, status.st_mode & 0o7777)
    return program


def claimant(d, name, folder="home", owner=VICTIM, claim=NAME, **more):
    """A program in a folder, the user's home unless another is named, that claims."""
    place = d.path(folder)
    if not os.path.isdir(place):
        os.makedirs(place)
        os.chown(place, VICTIM, VICTIM)
    return claiming(d, d.install(name, folder=folder, owner=owner, **more), claim)


def honest(d):
    """The program that has stored the secret under its claim, which is no more where it was then."""
    program = d.path("home", "moved", "app")
    if not os.path.exists(program):
        first = claimant(d, "app", folder="home/built")
        d.store(first, service=SERVICE)
        os.rename(d.path("home", "built"), d.path("home", "moved"))
    if not d.learns(*d.search(program, SERVICE)):
        raise RuntimeError(f"the program does not find its item: {d.said}")
    return program


def asks(d, *words):
    """Whether a program without anything of ours finds the secret, by the request of the honest one."""
    frame = d.path("home", "frame")
    with open(frame, "wb") as file:
        file.write(d.request(honest(d), SERVICE))
    with open(frame, "rb") as file:
        done = subprocess.run(
            words,
            stdin=file,
            capture_output=True,
            user=VICTIM,
            group=VICTIM,
            extra_groups=[],
            cwd="/",
            env=d.environment(),
            timeout=PATIENCE,
        )
    d.said = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode:
        raise RuntimeError(f"it ended with {done.returncode}: {d.said}")
    return d.secret in d.said


def compiled(d, name, *flags):
    program = d.path("home", name)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "claims.c")
    subprocess.run(["cc", "-Wl,--gc-sections", *flags, "-o", program, source], check=True)
    os.chown(program, VICTIM, VICTIM)
    return program


@attack("a program with an embedded claim reads its item from a folder that was moved", SUCCEEDS)
def itself(d):
    return bool(honest(d))


@attack("any other program of the same user that claims the same name, below the user's home", SUCCEEDS)
def same_claim(d):
    return asks(d, compiled(d, "another", f'-DCLAIM="{NAME}"'), d.socket)


@attack("a program in the user's home that claims nothing, or another name", FAILS)
def other_claims(d):
    others = ["org.example.claims2", "Org.example.claims", f"{NAME}\\0x", ""]
    programs = [compiled(d, f"other{number}", f'-DCLAIM="{name}"') for number, name in enumerate(others)]
    return any(asks(d, program, d.socket) for program in [compiled(d, "without"), *programs])


@attack("a program that claims the name outside of its user's home", FAILS, NOTFOUND)
def elsewhere(d):
    honest(d)
    return any(
        d.learns(*d.search(program, SERVICE))
        for program in (claimant(d, "away", folder="bin", owner=0), claimant(d, "away", folder="mine"))
    )


@attack("a symbolic link in the user's home to a program outside of it that claims the name", FAILS, NOTFOUND)
def linked(d):
    honest(d)
    link = d.path("home", "link")
    os.symlink(claimant(d, "linked-to", folder="mine"), link)
    return d.learns(*d.search(link, SERVICE))


@attack("another user's program in the user's home that claims the name", FAILS, NOTFOUND)
def foreign(d):
    honest(d)
    return any(d.learns(*d.search(claimant(d, f"of-{owner}", owner=owner), SERVICE)) for owner in (OTHER, 0))


@attack("another user runs the program that claims the name", FAILS, NOTFOUND)
def by_another(d):
    return d.learns(*d.search(honest(d), SERVICE), user=OTHER)


@attack("the program that claims the name, in a sandbox (bubblewrap)", FAILS, NOTFOUND)
def sandboxed(d):
    return d.learns("bwrap", "--bind", "/", "/", "--dev", "/dev", *d.search(honest(d), SERVICE))


@attack("the program that claims the name, in a namespace of mounts", FAILS, NOTFOUND)
def in_namespace(d):
    return d.learns("unshare", "--user", "--map-current-user", "--mount", *d.search(honest(d), SERVICE))


@attack(
    "a program that claims the name in a folder that it takes for the top of all (chroot), with a home in it", FAILS
)
def jailed(d):
    jail = d.path("mine", "jail")
    place = jail + d.path("home")
    d.run("mkdir", "-p", place)
    os.rename(compiled(d, "jailed", "-static", f'-DCLAIM="{NAME}"'), f"{place}/jailed")
    script = (
        "import os, sys; os.chdir(sys.argv[1]); os.chroot(sys.argv[2])\n"
        "os.execv(sys.argv[3], [sys.argv[3], sys.argv[4]])"
    )
    run, socket = os.path.split(d.socket)
    return asks(
        d, "unshare", "--user", "--map-root-user", PYTHON, "-c", script, run, jail, d.path("home", "jailed"), socket
    )


@attack("HOME is set to a folder with a program that claims the name", FAILS, NOTFOUND)
def other_home(d):
    honest(d)
    program = claimant(d, "at-home", folder="mine")
    return d.learns(*d.search(program, SERVICE), env=d.environment(HOME=d.path("mine")))


@attack("a signed program claims the name", FAILS, NOTFOUND)
def signed(d):
    honest(d)
    return d.learns(*d.search(sign(d, claimant(d, "signed"), "team-key", "team.plist"), SERVICE))


@attack("an anchored program claims the name", FAILS, NOTFOUND)
def anchored(d):
    honest(d)
    return d.learns(*d.search(claimant(d, "claiming-anchored", "bin", 0, group=ANCHORED, mode=0o2755), SERVICE))


@attack(
    "a signature or root's entitlements grant the group that is claimed", FAILS, "any program of a user's can claim it"
)
def granted(d):
    honest(d)
    program, plist = d.install("granted"), d.path("entitlements", "granted.plist")
    with open(plist, "w") as file:
        file.write(
            f'<plist version="1.0"><dict><key>keychain-executable</key><string>{program}</string>'
            f'<key>keychain-access-groups</key><array><string>{GROUP}</string></array></dict></plist>'
        )
    os.utime(d.path("entitlements"))
    try:
        if d.learns(*d.search(program, SERVICE)):
            return True
    finally:
        os.unlink(plist)
    entitlements(d, "granted.plist", GROUP)
    try:
        sign(d, program, "team-key", "granted.plist")
    except RuntimeError:
        return False
    return d.learns(*d.search(program, SERVICE))
