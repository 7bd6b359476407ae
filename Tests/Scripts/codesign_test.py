"""Signs executables with the programs themselves: team keys in files and in the enclave, files of several machines,
whatever strip and objcopy make of them. A reader written from docs/formats/signature.md and
openssl verify them too.

usage: codesign_test.py FOLDER-OF-PROGRAMS
"""

import base64
import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile

import read_signature

from parts import roots_turn, users_turn
from patience import PATIENCE

TARGETS = [
    "x86_64-linux-gnu",
    "aarch64-linux-gnu",
    "riscv64-linux-gnu",
    "armv7-linux-gnueabi",
    "s390x-linux-gnu",
    "powerpc-linux-gnu",
]
SOURCE = "int value = 7; char room[10000]; void _start(void) { value += room[5]; for (;;); }\n"
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>keychain-access-groups</key>
    <array>
        <string>%s</string>
    </array>
</dict>
</plist>
"""


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


class Signer:
    def __init__(self, folder, programs):
        self.home = f"{folder}/keychain"
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
        self.env = kept | {
            "KEYCHAIN_HOME": self.home,
            "KEYCHAIN_MODE": "daemon",
            "KEYCHAIN_TPM": "none",
            "KEYCHAIN_DAEMON": f"{programs}/keychaind",
        }
        self.security = f"{programs}/security"

    def run(self, *words, status=0, **options):
        done = subprocess.run(
            [self.security, "codesign", *words],
            env=self.env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
            **options,
        )
        expect(done.returncode == status, f"{words} gave {done.returncode}, not {status}: {done.stderr}")
        return done

    def stop_daemon(self):
        with socket.socket(socket.AF_UNIX) as client:
            if client.connect_ex(f"{self.home}/keychaind.sock") != 0:
                return
            daemon = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            handle = os.pidfd_open(daemon)
        try:
            signal.pidfd_send_signal(handle, signal.SIGTERM)
            expect(select.select([handle], [], [], 10)[0], "the daemon does not end")
        finally:
            os.close(handle)


def openssl_verifies(signature, folder):
    """Whether openssl believes the signature too."""
    public, signed = bytes.fromhex(signature["public"]), bytes.fromhex(signature["signed"])
    raw = bytes.fromhex(signature["signature"])
    heads = {"ed25519": "302a300506032b6570032100", "p256": "3059301306072a8648ce3d020106082a8648ce3d030107034200"}
    key, message, proof = (pathlib.Path(folder, name) for name in ("key.der", "message", "proof"))
    key.write_bytes(bytes.fromhex(heads[signature["algorithm"]]) + public)
    message.write_bytes(signed)
    command = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        key,
        "-keyform",
        "DER",
        "-rawin",
        "-in",
        message,
        "-sigfile",
        proof,
    ]
    if signature["algorithm"] == "p256":
        numbers = [raw[:32], raw[32:]]
        parts = [(b"\0" if number.lstrip(b"\0")[0] & 0x80 else b"") + number.lstrip(b"\0") for number in numbers]
        body = b"".join(b"\x02" + bytes([len(part)]) + part for part in parts)
        proof.write_bytes(b"\x30" + bytes([len(body)]) + body)
        command = ["openssl", "dgst", "-sha256", "-verify", key, "-keyform", "DER", "-signature", proof, message]
    else:
        proof.write_bytes(raw)
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def independent(path):
    """What the reader of the documents says: a signature, None, or False for one that does not hold."""
    try:
        return read_signature.read(pathlib.Path(path).read_bytes())
    except read_signature.Unsigned:
        return None
    except read_signature.Refused:
        return False


def make_program(folder, target="x86_64-linux-gnu", name="program"):
    source, path = f"{folder}/program.c", f"{folder}/{name}"
    pathlib.Path(source).write_text(SOURCE)
    subprocess.run(
        ["clang", f"--target={target}", "-nostdlib", "-static", "-fuse-ld=lld", "-O1", "-g", source, "-o", path],
        check=True,
    )
    return path


def keys(signer, folder):
    """Keys are made, kept from others and never overwritten; those of openssl serve too."""
    team = signer.run("--create-team-key", f"{folder}/team.pem").stdout.strip()
    expect(len(team) == 20, f"a Team ID: {team}")
    expect(stat.S_IMODE(os.stat(f"{folder}/team.pem").st_mode) == 0o600, "only its owner reads a new key")
    before = pathlib.Path(folder, "team.pem").read_bytes()
    signer.run("--create-team-key", f"{folder}/team.pem", status=1)
    expect(pathlib.Path(folder, "team.pem").read_bytes() == before, "a key is not overwritten")
    expect(signer.run("--team-id", f"{folder}/team.pem").stdout.strip() == team, "the Team ID is shown")
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{folder}/p256.pem"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-out", f"{folder}/rsa.pem"], check=True, stderr=subprocess.DEVNULL
    )
    signer.run("--team-id", f"{folder}/p256.pem")
    expect("team key" in signer.run("--team-id", f"{folder}/rsa.pem", status=1).stderr, "RSA is no team key")
    with passphrase(b"correct horse\n") as number:
        guarded = signer.run("--create-team-key", f"{folder}/guarded.pem", "-p", str(number), pass_fds=[number]).stdout
    with passphrase(b"correct horse\n") as number:
        expect(
            signer.run("-T", f"{folder}/guarded.pem", "-p", str(number), pass_fds=[number]).stdout == guarded,
            "a key under a passphrase",
        )
    with passphrase(b"wrong\n") as number:
        done = signer.run("-T", f"{folder}/guarded.pem", "-p", str(number), pass_fds=[number], status=1)
        expect("passphrase is wrong" in done.stderr, "a wrong passphrase")
    subprocess.run(
        ["openssl", "pkey", "-in", f"{folder}/guarded.pem", "-passin", "pass:correct horse", "-noout"], check=True
    )
    return team


@contextlib.contextmanager
def passphrase(line):
    reader, writer = os.pipe()
    try:
        os.write(writer, line)
        yield reader
    finally:
        os.close(reader)
        os.close(writer)


def machines(signer, folder, team):
    """Files of every machine, by both kinds of keys, verified by three."""
    plist = pathlib.Path(folder, "app.entitlements")
    plist.write_text(PLIST % "$(AppIdentifierPrefix)com.example.shared")
    for target in TARGETS:
        for key, algorithm in (("team.pem", "ed25519"), ("p256.pem", "p256")):
            program = make_program(folder, target)
            signer.run("-s", f"{folder}/{key}", "--entitlements", str(plist), "-i", "com.example.app", program)
            signature = independent(program)
            expect(signature and signature["algorithm"] == algorithm, f"{target} with {algorithm}")
            expect(openssl_verifies(signature, folder), f"openssl verifies {target} with {algorithm}")
            shown = json.loads(signer.run("-d", "--json", program).stdout)
            expect(shown["groups"] == signature["groups"] and shown["team"] == signature["team"], "the same groups")
            expect(shown["codeDigest"] == signature["digest"], "the same digest")
            if key == "team.pem":
                expect(signature["groups"] == [f"{team}.com.example.shared", f"{team}.com.example.app"], "the groups")
            expect(signer.run("-d", "--entitlements", "-", program).stdout == plist.read_text(), "the entitlements")


def tools(signer, folder):
    """What strip and its relatives leave of the note; LLVM's are one program, which is in the toolchain."""
    for name in ("llvm-strip", "llvm-objcopy"):
        os.symlink(os.path.join(os.path.dirname(shutil.which("clang")), "llvm-objcopy"), f"{folder}/{name}")
    llvm_strip, llvm_objcopy = f"{folder}/llvm-strip", f"{folder}/llvm-objcopy"
    program = make_program(folder)
    signer.run("-s", f"{folder}/team.pem", program)
    keep = [["strip", "-o"], ["strip", "-g", "-o"], [llvm_strip, "-g", "-o"], [llvm_strip, "--strip-all-gnu", "-o"]]
    for command in [["cp"], ["objcopy"], [llvm_objcopy]]:
        copy(signer, command + [program, f"{folder}/copy"], 0)
    for command in keep:
        copy(signer, command + [f"{folder}/copy", program], 0)
    copy(signer, ["objcopy", "--add-section", f".x={folder}/program.c", program, f"{folder}/copy"], 0)
    copy(signer, [llvm_strip, "-o", f"{folder}/copy", program], 1)
    copy(signer, ["objcopy", "-R", ".note.keychain", program, f"{folder}/copy"], 1)
    subprocess.run(["strip", "-o", f"{folder}/copy", program], check=True)
    signer.run("-f", "-s", f"{folder}/p256.pem", f"{folder}/copy")
    expect(independent(f"{folder}/copy")["algorithm"] == "p256", "a stripped file is signed again")


def copy(signer, command, status):
    """Makes FOLDER/copy of the program; whether its signature holds."""
    subprocess.run(command, check=True)
    path = next(word for word in command if word.endswith("/copy"))
    signer.run("--verify", path, status=status)
    expect(bool(independent(path)) == (status == 0), f"the same verdict after {command[0]}")


def alterations(signer, folder):
    """The product and the reader of the documents agree about 400 altered files."""
    original = pathlib.Path(make_program(folder, name="altered"))
    signer.run("-s", f"{folder}/team.pem", str(original))
    good, source = original.read_bytes(), random.Random(14)
    note = good.index(b"keychain\0") - 12
    places = [range(len(good)), range(note, note + 260), range(64)]
    paths = []
    for number in range(400):
        data = bytearray(good)
        for _ in range(source.choice([1, 1, 2, 4])):
            data[source.choice(source.choice(places))] ^= 1 << source.randrange(8)
        if number % 20 == 0:
            del data[source.randrange(len(data)) :]
        paths.append(pathlib.Path(folder, f"altered-{number}"))
        paths[-1].write_bytes(data)
    shown = signer.run("--verify", "--json", *map(str, paths), status=1).stdout.splitlines()
    verdicts = [json.loads(line) for line in shown]
    expect(len(verdicts) == len(paths), "a verdict for each")
    for path, verdict in zip(paths, verdicts):
        expect(verdict["valid"] == bool(independent(path)), f"the same verdict about {path.name}: {verdict}")
        path.unlink()
    valid = sum(verdict["valid"] for verdict in verdicts)
    expect(0 < valid < 400, f"{valid} files of 400 hold")


def refusals(signer, folder, team):
    """access-groups.entitlements.unchanged: what is refused leaves the file as it was."""
    program = pathlib.Path(make_program(folder))
    before, plist = program.read_bytes(), pathlib.Path(folder, "wrong.entitlements")
    other = signer.run("-T", f"{folder}/p256.pem").stdout.strip()
    for group in (f"{other}.com.example.shared", "com.example.shared", "*", "$(SRCROOT).x", f"{team}."):
        plist.write_text(PLIST % group)
        signer.run("-s", f"{folder}/team.pem", "-e", str(plist), str(program), status=1)
    plist.write_text("{}")
    signer.run("-s", f"{folder}/team.pem", "-e", str(plist), str(program), status=1)
    signer.run("-s", f"{folder}/team.pem", "-i", "a b", str(program), status=1)
    signer.run("-s", f"{folder}/nothing.pem", str(program), status=1)
    expect(program.read_bytes() == before, "a refused file is as it was")
    expect("not signed at all" in signer.run("-v", str(program), status=1).stderr, "an unsigned file")
    signer.run("--remove-signature", str(program), status=1)
    signer.run(status=2)
    signer.run("-s", f"{folder}/team.pem", status=2)
    signer.run("-Z", status=2)
    script = pathlib.Path(folder, "script")
    script.write_text("#!/bin/sh\n")
    expect("ELF" in signer.run("-s", f"{folder}/team.pem", str(script), status=1).stderr, "a script is not signed")
    signer.run("-s", f"{folder}/team.pem", str(program))
    signed = program.read_bytes()
    expect("already signed" in signer.run("-s", f"{folder}/team.pem", str(program), status=1).stderr, "signed already")
    expect(program.read_bytes() == signed, "a signed file is as it was")
    expect([name for name in os.listdir(folder) if ".new-" in name] == [], "nothing half-made is left")


def files(signer, folder):
    """Links, permissions, and what a signature does not give."""
    program = pathlib.Path(make_program(folder))
    program.chmod(0o751)
    link = pathlib.Path(folder, "link")
    link.symlink_to(program)
    signer.run("-s", f"{folder}/team.pem", str(link))
    expect(link.is_symlink() and independent(program)["identifier"] == "link", "a symbolic link stays one")
    expect(stat.S_IMODE(program.stat().st_mode) == 0o751, "permissions stay")
    os.link(program, f"{folder}/second")
    expect("hard links" in signer.run("-f", "-s", f"{folder}/team.pem", str(program)).stderr, "other names are told of")
    program.chmod(0o2755)
    signer.run("-f", "-s", f"{folder}/team.pem", str(program))
    expect(program.stat().st_mode & stat.S_ISGID, "its owner keeps a setgid bit")
    program.chmod(0o644)
    signer.run("--remove-signature", str(program))
    expect(independent(program) is None, "a signature is removed")
    with program.open("ab") as end:
        end.write(b"payload")
    done = signer.run("-s", f"{folder}/team.pem", str(program))
    expect("does not cover the 7 bytes" in done.stderr, "a payload is told of")
    expect(b"payload" in program.read_bytes(), "a payload stays")
    python = shutil.copy(make_program(folder), f"{folder}/python3.11")
    expect("interpreter" in signer.run("-s", f"{folder}/team.pem", python).stderr, "an interpreter is told of")
    pathlib.Path(folder, "team.pem").chmod(0o644)
    expect("chmod 600" in signer.run("-f", "-s", f"{folder}/team.pem", python).stderr, "a key that others read")
    pathlib.Path(folder, "team.pem").chmod(0o600)


def other_owner(programs):
    """Who may not give files away signs a copy, which is their own, and is told what it has lost."""
    with tempfile.TemporaryDirectory(prefix="codesign-") as folder:
        os.chmod(folder, 0o777)
        program = pathlib.Path(make_program(folder))
        program.chmod(0o2755)
        os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
        for name in ("security", "keychain-codesign"):
            shutil.copy(f"{programs}/{name}", folder)
        signer = Signer(folder, folder)
        signer.run("-c", f"{folder}/team.pem", user=65534, group=65534, extra_groups=[])
        told = signer.run("-s", f"{folder}/team.pem", str(program), user=65534, group=65534, extra_groups=[]).stderr
        for part in ("another owner", "no longer setuid or setgid", "lost its capabilities"):
            expect(part in told, f"{part}: {told}")
        status = program.stat()
        expect(status.st_uid == 65534 and stat.S_IMODE(status.st_mode) == 0o755, "the copy is its signer's")
        expect(independent(program), "and is signed")


def statements(signer, folder, team):
    """Rotations and handovers, read from their files by another."""
    program, rotation = make_program(folder), f"{folder}/rotation.pem"
    signer.run("-s", f"{folder}/team.pem", "--rotate", f"{folder}/p256.pem", "-o", rotation)
    signer.run("-s", f"{folder}/p256.pem", "-S", rotation, program)
    signature = independent(program)
    expect(signature["team"] == team and signature["rotations"] == 1, "a rotated key signs for the old team")
    combined = pathlib.Path(folder, "combined.pem")
    combined.write_text(pathlib.Path(folder, "p256.pem").read_text() + pathlib.Path(rotation).read_text())
    combined.chmod(0o600)
    expect(signer.run("-T", str(combined)).stdout.strip() == team, "a key's file brings its rotations")
    signer.run("-T", f"{folder}/team.pem", "-S", rotation, status=1)
    other = signer.run("-T", f"{folder}/p256.pem").stdout.strip()
    handover = f"{folder}/handover.pem"
    signer.run("-s", str(combined), "--hand-over", f"{team}.notes", "--to", f"{other}.notes", "-o", handover)
    shown = json.loads(signer.run("-d", "--json", handover).stdout)
    expect(shown["from"] == f"{team}.notes" and shown["teamidentifier"] == team, "a handover is shown")
    body = "".join(pathlib.Path(handover).read_text().splitlines()[1:-1])
    read = read_signature.statement(base64.b64decode(body))
    expect(read["content"] == (f"{team}.notes", f"{other}.notes") and read["team"] == team, "a handover is read")
    signer.run("-s", f"{folder}/p256.pem", "-H", f"{team}.notes", "-t", f"{other}.notes", status=1)
    signer.run("-s", f"{folder}/team.pem", "-H", f"{team}.notes", "-t", "notes", status=1)
    signer.run("-s", f"{folder}/team.pem", "-H", f"{team}.notes", status=2)


def enclave(signer, folder):
    """A key that never leaves the enclave signs like any other."""
    program = make_program(folder)
    team = signer.run("--create-team-key", "enclave:example team").stdout.strip()
    signer.run("--create-team-key", "enclave:example team", status=1)
    expect(signer.run("-T", "enclave:example team").stdout.strip() == team, "the enclave's key is found")
    signer.run("-s", "enclave:example team", program)
    signature = independent(program)
    expect(signature["team"] == team and openssl_verifies(signature, folder), "the enclave's signature holds")
    signer.run("-s", "enclave:other", program, "-f", status=1)
    signer.run("--create-team-key", "enclave:x", "--algorithm", "ed25519", status=2)
    signer.run("-s", f"{folder}/team.pem", "--rotate", "enclave:example team", "-o", f"{folder}/into-enclave.pem")
    signer.run("-f", "-s", "enclave:example team", "-S", f"{folder}/into-enclave.pem", program)
    expect(independent(program)["rotations"] == 1, "a team's key moves into the enclave")


def main():
    programs = os.path.abspath(sys.argv[1])
    if roots_turn():
        other_owner(programs)
    if not users_turn():
        return
    with tempfile.TemporaryDirectory(prefix="codesign-") as folder:
        signer = Signer(folder, programs)
        try:
            team = keys(signer, folder)
            machines(signer, folder, team)
            tools(signer, folder)
            alterations(signer, folder)
            refusals(signer, folder, team)
            files(signer, folder)
            statements(signer, folder, team)
            enclave(signer, folder)
        finally:
            signer.stop_daemon()


if __name__ == "__main__":
    main()
