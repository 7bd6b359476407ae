"""Names that programs claim for themselves, with a user's own daemon, the system service and embedded, as root.

usage: claim_test.py [--swift | --hidden] FOLDER-OF-PROGRAMS
--swift: programs in Swift are built, too.
--hidden: the service hides homes from itself. As the first process of a namespace.
"""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Hostile"))

import machine  # noqa: E402
from deployment import VICTIM, Deployment  # noqa: E402

NAME, NOT_FOUND, PARAMETER = "org.example.claim-test", 44, 206
GROUP = f"claimed:{NAME}"
SWIFT = '@section(".keychain.claim") @used\nlet claim: InlineArray<%d, UInt8> = [%s]\nprint("runs")\n'


class Claims:
    """A user's home with programs in it; `environment` says which keychain they have."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.home = deployment.path("home")
        self.command = deployment.path("libexec", "security")
        with open(deployment.path("bin", "claim"), "w") as file:
            file.write(NAME)
        claimed = deployment.path("bin", "claiming")
        subprocess.run(
            ["objcopy", "--add-section", f".keychain.claim={deployment.path('bin', 'claim')}", self.command, claimed],
            check=True,
        )
        self.claimed, self.environment, self.password = claimed, {}, ""

    def at(self, *names):
        return os.path.join(self.home, *names)

    def install(self, source, *names):
        path = self.at(*names)
        if not os.path.isdir(os.path.dirname(path)):
            subprocess.run(["mkdir", "-p", os.path.dirname(path)], check=True, user=VICTIM, group=VICTIM)
        shutil.copy(source, path)
        os.chown(path, VICTIM, VICTIM)
        os.chmod(path, 0o755)
        return path

    def variables(self):
        return {
            "HOME": self.home,
            "PATH": "/usr/bin:/bin",
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_PINENTRY": "none",
            "KEYCHAIN_INTERACTION": "never",
            "KEYCHAIN_DAEMON": self.deployment.path("libexec", "keychaind"),
            **self.environment,
        }

    def run(self, *words, status=0, text=""):
        done = self.deployment.run(*words, text=text, env=self.variables())
        assert done.returncode == status, (words, done)
        return done.stdout if status == 0 else done.stderr

    def add(self, program, service, value):
        self.run(program, "add-generic-password", "-s", service, "-a", "a", "-w", value)

    def finds(self, program, service, value):
        assert self.run(program, "find-generic-password", "-s", service, "-w") == f"{value}\n"

    def lacks(self, program, service):
        self.run(program, "find-generic-password", "-s", service, "-w", status=NOT_FOUND)

    def identity(self, *words):
        return json.loads(self.run(*words, "--json"))


def finds_its_items_wherever_it_lies(m):
    debug = m.install(m.claimed, "project", ".build", "debug", "app")
    m.add(debug, "wherever", "it lies")
    for names in ((".build", "release", "app"), (".local", "bin", "app")):
        m.finds(m.install(m.claimed, "project" if names[0] == ".build" else "", *names), "wherever", "it lies")
    os.rename(m.at("project"), m.at("renamed"))
    m.finds(m.at("renamed", ".build", "debug", "app"), "wherever", "it lies")
    m.lacks(m.install(m.command, "renamed", "unclaimed"), "wherever")
    shutil.rmtree(m.at("renamed"))
    identity = m.identity(m.at(".local", "bin", "app"), "identity")
    assert identity["identity"] == "claimed" and identity["authority"] == NAME, identity
    assert identity["groups"] == [GROUP, "program:" + m.at(".local", "bin", "app")], identity


def items_of_its_path_move_when_told(m):
    program = m.install(m.command, "moving", "app")
    m.add(program, "before", "the claim")
    m.install(m.claimed, "moving", "app")
    # Nothing has moved by itself, and nothing is lost.
    m.finds(program, "before", "the claim")
    elsewhere = m.install(m.claimed, "moved", "app")
    m.lacks(elsewhere, "before")
    m.run(m.command, "move-items", "--from", f"program:{program}", "--to", GROUP, text=m.password)
    m.finds(elsewhere, "before", "the claim")
    m.finds(program, "before", "the claim")
    m.lacks(m.install(m.command, "moving", "app"), "before")
    m.run(m.command, "move-items", "--from", GROUP, "--to", f"program:{program}", text=m.password)
    m.finds(program, "before", "the claim")
    m.lacks(elsewhere, "before")


def mistyped_names_are_said(m):
    for name in ("claimed:", "claimed:org.", f"claimed:{'x' * 65}", "claimed:a b"):
        said = m.run(m.command, "move-items", "--from", "program:/none", "--to", name, status=PARAMETER)
        assert "No program can claim" in said, said
    for words in (
        ("set-group-policy", GROUP, "purge"),
        ("rename-group", GROUP, "claimed:org.example.other"),
        ("rename-group", "program:/none", GROUP),
    ):
        assert "programs claim themselves" in m.run(m.command, *words, status=PARAMETER)


def what_is_no_claim_says_why(m):
    wrong = m.deployment.path("bin", "wrong")
    with open(m.deployment.path("bin", "wrong-name"), "w") as file:
        file.write("org.example.")
    subprocess.run(["objcopy", "--add-section", f".keychain.claim={file.name}", m.command, wrong], check=True)
    program = m.install(wrong, "wrong")
    for said in (m.run(program, "identity"), m.run(m.command, "identity", program)):
        assert "its claim opens nothing: a name has 1 to 64" in said, said
    outside = m.deployment.install("outside", m.claimed)
    for said in (m.run(outside, "identity"), m.run(m.command, "identity", outside)):
        assert "belongs to another user" in said, said
    mine = m.deployment.install("outside", m.claimed, folder="mine", owner=VICTIM)
    assert f"does not lie below {m.home}" in m.run(mine, "identity")
    why = m.run(m.command, "why", "-s", "none", "--as", program)
    assert f"program:{program}" in why and "claimed:" not in why, why


def is_embedded_in_c(m):
    source = os.path.join(HERE, "..", "Hostile", "claims.c")
    for flags in ([], ["-O2", "-Wl,--gc-sections"], ["-static", "-s"]):
        made = m.deployment.path("bin", "made")
        subprocess.run(["cc", f'-DCLAIM="{NAME}"', *flags, "-o", made, source], check=True)
        assert m.identity(m.command, "identity", m.install(made, "in-c"))["groups"][0] == GROUP, flags


def is_embedded_in_swift(m):
    swift = m.deployment.path("bin", "main.swift")
    with open(swift, "w") as file:
        file.write(SWIFT % (len(NAME) + 1, ", ".join(str(byte) for byte in NAME.encode() + b"\0")))
    for flags in (["-Onone"], ["-O", "-Xlinker", "--gc-sections", "-Xlinker", "-s"]):
        subprocess.run(["swiftc", *flags, swift, "-o", m.deployment.path("bin", "in-swift")], check=True)
        program = m.install(m.deployment.path("bin", "in-swift"), "in-swift")
        assert m.identity(m.command, "identity", program)["groups"][0] == GROUP, flags


def an_embedded_keychain_answers_alike(m):
    made, demo = m.deployment.path("bin", "claiming-demo"), f"{m.deployment.products}/keychain-demo"
    claim = m.deployment.path("bin", "claim")
    subprocess.run(["objcopy", "--add-section", f".keychain.claim={claim}", demo, made], check=True)
    m.run(m.install(made, "one", "demo"), "set", "a", text="embedded")
    assert "embedded" in m.run(m.install(made, "other", "demo"), "get", "a")
    plain = m.install(demo, "one", "plain")
    assert m.deployment.run(plain, "get", "a", env=m.variables()).returncode != 0


def is_carried_to_the_service(m):
    m.environment = {}
    m.run(m.command, "migrate-store", "--yes", text=m.password * 8, status=1)
    m.finds(m.at(".local", "bin", "app"), "carried", "over")
    m.finds(m.install(m.claimed, "again", "app"), "carried", "over")
    m.lacks(m.install(m.command, "again", "unclaimed"), "carried")


STEPS = [
    finds_its_items_wherever_it_lies,
    items_of_its_path_move_when_told,
    mistyped_names_are_said,
    what_is_no_claim_says_why,
    is_embedded_in_c,
]


def in_the_service(m, steps, what):
    m.deployment.start()
    m.environment, m.password = {"KEYCHAIN_SOCKET": m.deployment.socket}, "long enough\n"
    m.run(m.command, "set-keychain-password", text=m.password)
    for step in steps:
        step(m)
        print(f"ok      {what}: {step.__name__}", flush=True)


def in_all_deployments(m):
    m.environment = {"KEYCHAIN_HOME": m.at(".local", "share", "keychain")}
    for step in STEPS:
        step(m)
        print(f"ok      user's daemon: {step.__name__}", flush=True)
    m.add(m.at(".local", "bin", "app"), "carried", "over")
    m.environment = {"KEYCHAIN_HOME": m.at("inside"), "KEYCHAIN_MODE": "embedded"}
    an_embedded_keychain_answers_alike(m)
    print("ok      embedded: an_embedded_keychain_answers_alike", flush=True)
    in_the_service(m, [*STEPS, is_carried_to_the_service], "system service")


def hide_homes(deployment):
    """What a unit of systemd's with ProtectHome sees; the first process, which is this one, sees them."""
    machine.leave()
    machine.fresh(deployment.path("home"), "000")


def main():
    hides = "--hidden" in sys.argv
    if "--swift" in sys.argv:
        STEPS.append(is_embedded_in_swift)
    deployment = Deployment(os.path.abspath(sys.argv[-1]))
    if hides:
        deployment.prepare = lambda: hide_homes(deployment)
    machine.leave()
    deployment.add_accounts()
    try:
        if hides:
            in_the_service(Claims(deployment), STEPS[:3], "service that hides homes")
        else:
            in_all_deployments(Claims(deployment))
    finally:
        try:
            deployment.stop()
        finally:
            deployment.remove()


main()
