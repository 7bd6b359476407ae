"""Attacks on signed programs and their groups, and on scripts that root has entitled."""

import os
import shutil

from deployment import PYTHON, VICTIM
from programs import NOTFOUND
from suite import FAILS, SUCCEEDS, attack

SERVICE = "team"
BROKEN = "ignature|changed after it was signed|code\\.|team\\.|entitlements\\."


def codesign(d, *words):
    done = d.run(d.path("libexec", "security"), "codesign", *words, user=0)
    d.said = done.stdout + done.stderr
    return done


def entitlements(d, name, group):
    path = d.path("bin", name)
    with open(path, "w") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>'
            f'<key>keychain-access-groups</key><array><string>{group}</string></array></dict></plist>\n'
        )
    return path


def sign(d, program, key, list_):
    done = codesign(d, "-f", "-s", d.path("bin", key), "-e", d.path("bin", list_), program)
    if done.returncode:
        raise RuntimeError(f"{program} cannot be signed: {done.stderr}")
    os.chmod(program, 0o755)
    return program


def signed(d):
    return d.path("bin", "signed")


def prepare(d):
    """A signed program with an item in its team's group, and a second team."""
    teams = {}
    for key in ("team-key", "other-key"):
        for words in (("-c", d.path("bin", key)), ("-T", d.path("bin", key))):
            done = codesign(d, *words)
            if done.returncode:
                raise RuntimeError("no team key can be made: " + done.stderr)
        teams[key] = done.stdout.split()[-1]
    d.team, d.other_team = teams["team-key"], teams["other-key"]
    entitlements(d, "team.plist", f"{d.team}.shared")
    entitlements(d, "other.plist", f"{d.other_team}.shared")
    sign(d, d.install("signed"), "team-key", "team.plist")
    d.store(signed(d), service=SERVICE)


def prepare_scripts(d):
    """An item of the group that root has given to a script."""
    d.store(d.path("bin", "storer"), service="script")
    with open(d.path("bin", "script-frame"), "wb") as file:
        file.write(d.request(d.path("bin", "storer"), "script"))


def changed(d, name, change):
    """A copy of the signed program, changed; in the attacker's own folder, as he would have it."""
    path = d.path("mine", name)
    with open(signed(d), "rb") as file:
        content = change(bytearray(file.read()))
    with open(path, "wb") as file:
        file.write(content)
    os.chown(path, VICTIM, VICTIM)
    os.chmod(path, 0o755)
    return path


@attack("a signed program reads its team's item", SUCCEEDS)
def itself(d):
    return d.learns(*d.search(signed(d), SERVICE))


@attack("another program signed by the same team, for the same group", SUCCEEDS)
def same_team(d):
    return d.learns(*d.search(sign(d, d.install("second"), "team-key", "team.plist"), SERVICE))


@attack("a copy of a signed program elsewhere, which is the same program", SUCCEEDS)
def copied(d):
    return d.learns(*d.search(changed(d, "same", bytes), SERVICE))


@attack("the same program without its signature", FAILS, NOTFOUND)
def unsigned(d):
    return d.learns(*d.search(d.install("unsigned"), SERVICE))


@attack("a forged signature: the note of a signed program in another one", FAILS, BROKEN)
def forged(d):
    # One byte of the program's own text is another one; the note stays.
    def change(content):
        place = content.index(b"Show all items of the keychain.")
        content[place] ^= 0x20
        return content

    return d.learns(*d.search(changed(d, "forged", change), SERVICE))


@attack("a truncated signature", FAILS, BROKEN + "|cannot execute|Exec format")
def truncated(d):
    def change(content):
        place = content.rindex(d.team.encode())
        content[place + 8 : place + 24] = bytes(16)
        return content

    return d.learns(*d.search(changed(d, "truncated", change), SERVICE))


@attack("altered entitlements in a signed program", FAILS, BROKEN)
def altered(d):
    return d.learns(
        *d.search(
            changed(
                d, "altered", lambda content: content.replace(f"{d.team}.shared".encode(), f"{d.team}.sharee".encode())
            ),
            SERVICE,
        )
    )


@attack("a signature by another key", FAILS, NOTFOUND)
def other_key(d):
    return d.learns(*d.search(sign(d, d.install("other"), "other-key", "other.plist"), SERVICE))


@attack("a group with another team's prefix", FAILS, "Team ID|prefix|begin")
def other_prefix(d):
    program = d.install("prefixed")
    done = codesign(d, "-f", "-s", d.path("bin", "other-key"), "-e", d.path("bin", "team.plist"), program)
    return done.returncode == 0 and d.learns(*d.search(program, SERVICE))


@attack("a signed program with another team's name written over its own", FAILS, BROKEN)
def overwritten(d):
    path = sign(d, d.install("overwritten"), "other-key", "other.plist")
    with open(path, "rb") as file:
        content = file.read().replace(d.other_team.encode(), d.team.encode())
    with open(path, "wb") as file:
        file.write(content)
    return d.learns(*d.search(path, SERVICE))


def entitle(d):
    """A script that root has entitled, its interpreter, and a program of the same group.

Before the service reads the lists.
    """
    interpreter, storer = d.install("entitled-python", os.path.realpath(PYTHON)), d.install("storer")
    code = (
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.settimeout(20)\n"
        f"s.connect({d.socket!r})\ns.sendall(open({d.path('bin', 'script-frame')!r},'rb').read())\n"
        "sys.stdout.write(s.recv(65536).decode('utf-8','replace'))\n"
    )
    for name in ("entitled-script", "other-script"):
        with open(d.path("bin", name), "w") as file:
            file.write(code)
        os.chmod(d.path("bin", name), 0o755)
    lists = {
        "script": (
            f"<key>keychain-script</key><string>{d.path('bin', 'entitled-script')}</string>"
            f"<key>keychain-interpreter</key><string>{interpreter}</string>"
        ),
        "storer": f"<key>keychain-executable</key><string>{storer}</string>",
    }
    for name, words in lists.items():
        with open(d.path("entitlements", f"{name}.plist"), "w") as file:
            file.write(
                f'<plist version="1.0"><dict>{words}<key>keychain-access-groups</key>'
                '<array><string>example.scripts</string></array></dict></plist>\n'
            )


def scripts(d):
    return d.path("bin", "entitled-python")


@attack("a script that root has entitled", SUCCEEDS)
def entitled_script(d):
    return d.learns(scripts(d), d.path("bin", "entitled-script"))


@attack(
    "another script under the interpreter of an entitled one", FAILS, "could not be found|matches the query|No item"
)
def other_script(d):
    return d.learns(scripts(d), d.path("bin", "other-script"))


@attack("other code in the interpreter, under the entitled script's name", SUCCEEDS)
def posing_script(d):
    # Arguments are a process's own word: nobody is kept out by them.
    place = d.path("mine", "site")
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    with open(f"{place}/sitecustomize.py", "w") as file:
        file.write(f"exec(open({d.path('bin', 'other-script')!r}).read())\nraise SystemExit\n")
    return d.learns(scripts(d), d.path("bin", "entitled-script"), env=d.environment(PYTHONPATH=place))
