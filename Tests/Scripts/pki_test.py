"""Imports, finds, exports, trusts and deletes certificates and keys.

usage: pki_test.py FOLDER-OF-PROGRAMS [--long] [TEST...]
"""

import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from patience import PATIENCE
from pki_parts import PASSPHRASE, Files, Keychain, clear, expect, items_of, mutated, openssl, sha1
from pki_trust import settings_files, trusting
from pki_verify import excluded_host, roots, words_of_macos

CALL = "security: SecKeychainItemImport: "
WRONG = CALL + "MAC verification failed during PKCS12 import (wrong password?).\n"
DUPLICATE = CALL + "The specified item already exists in the keychain.\n"
# How many damaged files are tried, and with which chance: always the same one, or another each time.
IS_LONG = "--long" in sys.argv
DAMAGED, SEED = (1000, random.SystemRandom().randrange(1 << 32)) if IS_LONG else (120, 0)
UNKNOWN = CALL + "Unknown format in import.\n"


def pkcs12(keychain, files):
    """The session of a build machine."""
    archive = files / "c.p12"
    keychain.says("import", archive, "-P", "bad", "-A", "-t", "cert", "-f", "pkcs12", err=WRONG, status=1)
    nothing = files / "nothing.p12"
    error = f"security: Error reading infile {nothing}: No such file or directory\n"
    keychain.says("import", nothing, err=error, status=1)
    words = ("import", archive, "-P", PASSPHRASE, "-A", "-t", "cert", "-f", "pkcs12", "-k", "login.keychain")
    keychain.says(*words, "--dry-run", out="1 identity would be imported.\n")
    expect(keychain.count() == 0 and keychain.keys() == 0, "a dry run stores nothing")
    keychain.says(*words, out="1 identity imported.\n")
    keychain.says(*words, err=DUPLICATE, status=1)
    key = keychain.output("find-key", "-l", "Imported Private Key", "-t", "private").decode()
    expect(key.count("class: 0x00000010 \n") == 1, f"the key has the label that scripts look for: {key}")
    keychain.says("delete-identity", "-c", "Apple Distribution")
    expect(keychain.count() == 0 and keychain.keys() == 0, "the identity is gone")
    keychain.says("import", files / "c-legacy.p12", "-P", PASSPHRASE, out="1 identity imported.\n")
    keychain.says("delete-identity", "-Z", sha1(files / "leaf.pem"))


def passphrases(keychain, files):
    """A passphrase comes in the command line, through a descriptor, or as a line of standard input."""
    archive = files / "c.p12"
    keychain.says("import", archive, stdin=f"{PASSPHRASE}\n".encode(), out="1 identity imported.\n")
    keychain.says("delete-identity", "-c", "Apple Distribution")
    reader, writer = os.pipe()
    os.write(writer, f"{PASSPHRASE}\n".encode())
    os.close(writer)
    keychain.says("import", archive, "--password-fd", reader, pass_fds=[reader], out="1 identity imported.\n")
    keychain.says("delete-identity", "-c", "Apple Distribution")
    keychain.says("import", archive, stdin=b"wrong\n", err=WRONG, status=1)
    expect(keychain.run("import", "-x").returncode == 2, "a file is needed")
    expect(keychain.run("import", archive, "-t", "x").returncode == 2, "no such type")
    said = keychain.run("import", archive, "-f", "pkcs12", "-w")
    expect(said.returncode == 2 and b"Don't know how to wrap" in said.stderr, "PKCS #12 has no wrapped form")
    with_two = keychain.run("import", archive, "-a", "name", "value", "-P", "bad")
    expect(with_two.returncode == 1, "-a takes two words")


def forms(keychain, files):
    """Keys and certificates in all forms of openssl and ssh-keygen."""
    rsa, leaf = files / "leaf.key", files / "leaf.pem"
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", files / "ec.pem")
    openssl("genpkey", "-algorithm", "ed25519", "-out", files / "ed.pem")
    openssl("rsa", "-in", rsa, "-traditional", "-out", files / "pkcs1.pem")
    openssl("rsa", "-in", rsa, "-outform", "DER", "-out", files / "rsa.der")
    openssl("pkcs8", "-topk8", "-in", rsa, "-passout", "pass:x", "-out", files / "wrapped.pem")
    openssl("pkcs8", "-topk8", "-in", rsa, "-passout", "pass:x", "-v1", "PBE-SHA1-3DES", "-outform", "DER",
            "-out", files / "wrapped.der")  # fmt: skip
    openssl("x509", "-in", leaf, "-outform", "DER", "-out", files / "leaf.der")
    openssl("crl2pkcs7", "-nocrl", "-certfile", leaf, "-certfile", files / "ca.pem", "-out", files / "both.p7b")
    openssl("pkcs12", "-export", "-inkey", rsa, "-nocerts", "-passout", "pass:x", "-out", files / "lone.p12")
    openssl("pkcs12", "-export", "-inkey", rsa, "-in", leaf, "-certfile", files / "ca.pem", "-passout", "pass:",
            "-name", "A friendly name", "-out", files / "named.p12")  # fmt: skip
    (files / "all.pem").write_bytes(rsa.read_bytes() + leaf.read_bytes() + (files / "ca.pem").read_bytes())
    key, certificate = "1 key imported.\n", "1 certificate imported.\n"
    both = "1 identity imported.\n1 certificate imported.\n"
    rows = [
        (rsa, [], key), (files / "pkcs1.pem", [], key), (files / "rsa.der", [], key), (files / "ec.pem", [], key),
        (files / "ed.pem", [], key), (files / "wrapped.pem", ["-P", "x"], key),
        (files / "wrapped.der", ["-P", "x", "-w"], key), (leaf, [], certificate), (files / "leaf.der", [], certificate),
        (files / "both.p7b", [], "2 certificates imported.\n"), (files / "lone.p12", ["-P", "x"], key),
        (files / "named.p12", [], both), (files / "all.pem", ["-f", "pemseq"], both),
    ]  # fmt: skip
    if shutil.which("ssh-keygen"):
        for kind in ("rsa", "ecdsa", "ed25519"):
            path = files / f"ssh-{kind}"
            subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "me", "-f", path], check=True)
            rows.append((path, ["-f", "openssh2"], key))
    for path, more, said in rows:
        keychain.says("import", path, *more, out=said)
        if path == files / "named.p12":
            expect(b"A friendly name" in keychain.output("find-key"), "the file's name is the key's")
        clear(keychain)
    if shutil.which("ssh-keygen"):
        path = files / "ssh-sealed"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", path], check=True)
        done = keychain.run("import", path, env={"KEYCHAIN_MACOS_COMPAT": ""})
        expect(done.returncode == 1 and b"ssh-keygen -p" in done.stderr, f"says what to do: {done.stderr}")


def whole(keychain, files):
    """Nothing of a file is imported when a part of it is refused; what is there already stays."""
    leaf = (files / "leaf.key").read_bytes() + (files / "leaf.pem").read_bytes()
    broken = files / "broken.pem"
    broken.write_bytes(leaf + b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    keychain.says("import", broken, err=UNKNOWN, status=1)
    expect(keychain.count() == 0 and keychain.keys() == 0, "nothing of a broken file is there")
    keychain.says("import", files / "leaf.pem", out="1 certificate imported.\n")
    keychain.says("import", files / "c.p12", "-P", PASSPHRASE, out="1 identity imported.\n")
    expect(keychain.count() == 1 and keychain.keys() == 1, "the certificate is there once")
    keychain.says("add-certificates", files / "ca.pem")
    keychain.says("add-certificates", files / "ca.pem", status=1,
                  err=f"security: {files / 'ca.pem'}: already in default keychain\n")  # fmt: skip
    expect(keychain.run("add-certificates", files / "leaf.key").returncode == 1, "a key is no certificate")
    keychain.says("delete-certificate", "-c", "Example CA")
    keychain.says("delete-certificate", "-c", "Example CA", status=1,
                  err='Unable to delete certificate matching "Example CA"')  # fmt: skip
    clear(keychain)


def finding(keychain, files):
    """Certificates by name, address and digest."""
    files.leaf("mail", "/CN=Anna Beispiel/emailAddress=anna@example.com", "emailProtection",
               "subjectAltName=email:anna@example.org")  # fmt: skip
    for name in ("leaf", "mail"):
        keychain.output("import", files / f"{name}.pem")
    pem = keychain.output("find-certificate", "-c", "anna", "-p")
    mail = files / "mail.pem"
    der = openssl("x509", "-in", mail, "-outform", "DER")
    expect(openssl("x509", "-outform", "DER", input=pem) == der, "the PEM is the certificate")
    sha256 = openssl("x509", "-in", mail, "-noout", "-fingerprint", "-sha256").decode().split("=")[1].strip()
    keychain.says("find-certificate", "-Z", "-m", "-p", "-e", "anna@example.com", out=(
        f"SHA-256 hash: {sha256.replace(':', '')}\nSHA-1 hash: {sha1(mail)}\n"
        f"email addresses: anna@example.org, anna@example.com\n{pem.decode()}"))  # fmt: skip
    missing = "security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n"
    keychain.says("find-certificate", "-c", "nobody", err=missing, status=44)
    keychain.says("find-certificate", "-a", "-c", "nobody")
    dump = keychain.output("find-certificate", "-c", "Apple").decode().splitlines()
    expect(dump[2] == "class: 0x80001000 " and '"labl"<blob>="Apple Distribution: Example (ABCDE12345)"' in dump[9],
           f"the dump is the Mac's: {dump}")  # fmt: skip
    missing = "security: SecItemCopyMatching: The specified item could not be found in the keychain.\n"
    keychain.says("find-key", err=missing, status=1)
    files.leaf("second", "/CN=Apple Distribution: Example (ABCDE12345)", "codeSigning")
    keychain.output("import", files / "second.pem")
    name = "Apple Distribution: Example (ABCDE12345)"
    keychain.says("delete-certificate", "-c", name, status=1, err=(
        f'security: "{name}" is ambiguous, matches more than one certificate\n'
        f'Unable to delete certificate matching "{name}"'))  # fmt: skip
    clear(keychain)


def identities(keychain, files):
    """Identities, valid and not."""
    keychain.output("import", files / "c.p12", "-P", PASSPHRASE)
    line = f'  1) {sha1(files / "leaf.pem")} "Apple Distribution: Example (ABCDE12345)"'
    keychain.says("find-identity", "-v", "-p", "codesigning", out="     0 valid identities found\n")
    keychain.says("find-identity", "-p", "codesigning", out=(
        f"\nPolicy: Code Signing\n  Matching identities\n{line} (CSSMERR_TP_NOT_TRUSTED)\n"
        "     1 identities found\n\n  Valid identities only\n     0 valid identities found\n"))  # fmt: skip
    env = {"KEYCHAIN_ANCHORS": str(files / "ca.pem")}
    valid = f"{line}\n     1 valid identities found\n"
    keychain.says("find-identity", "-v", "-p", "codesigning", env=env, out=valid)
    keychain.says("find-identity", "-p", "codesigning", env=env, out=(
        f"\nPolicy: Code Signing\n  Matching identities\n{line}\n     1 identities found\n\n"
        f"  Valid identities only\n{valid}"))  # fmt: skip
    keychain.says("find-identity", "-v", "-p", "ichat", out="     0 valid identities found\n")
    expect(keychain.run("find-identity", "-p", "x").returncode == 2, "no such policy")
    keychain.says("delete-identity", "-c", "Apple Distribution")


def hostile(keychain, files):
    """Files that are made to do harm are refused, soon, and nothing of them is stored."""
    whole_file = (files / "leaf.pem").read_bytes()
    small = openssl("x509", "-in", files / "leaf.pem", "-outform", "DER")
    path = files / "hostile"
    for cut in list(range(0, 40)) + list(range(40, len(small), 97)) + [len(small) - 1]:
        path.write_bytes(small[:cut])
        refused(keychain, path)
    path.write_bytes(small + b"\0")
    refused(keychain, path)
    for zeros in (bytes(1), bytes(4096), whole_file[:200] + b"\0" + whole_file[200:]):
        path.write_bytes(zeros)
        refused(keychain, path)
    headless = whole_file.replace(b"-----BEGIN CERTIFICATE", b"-----BEGIN_CERTIFICATE")
    path.write_bytes((files / "ca.pem").read_bytes() + headless)
    refused(keychain, path)
    path.write_bytes(b"\x30\x80" * 200_000)
    refused(keychain, path)
    path.write_bytes(whole_file.replace(b"-----END", b"-----FIN"))
    refused(keychain, path)
    openssl("pkcs12", "-export", "-inkey", files / "leaf.key", "-in", files / "leaf.pem", "-passout", "pass:x",
            "-iter", "200000000", "-nomaciter", "-keypbe", "NONE", "-certpbe", "NONE", "-out", path)  # fmt: skip
    archive = (files / "c.p12").read_bytes()
    # The iterations of the MAC are the last number of the file.
    expect(archive[-4:] == bytes.fromhex("02020800"), "the file is as this test knows it")
    path.write_bytes(archive[:-4] + bytes.fromhex("02027fff"))
    refused(keychain, path, "-P", PASSPHRASE)
    path.write_bytes(longer_iterations(archive))
    refused(keychain, path, "-P", PASSPHRASE)
    with open(path, "wb") as large:
        large.truncate(100 << 20)
    refused(keychain, path)
    path.unlink()
    os.mkfifo(path)
    refused(keychain, path)
    path.unlink()
    refused(keychain, files.folder)
    expect(keychain.count() == 0 and keychain.keys() == 0, "nothing was stored")


def longer_iterations(archive):
    """The archive with 2^31 - 1 iterations for its MAC: every length on the way grows by two."""
    head = archive[:4]
    expect(head[:2] == b"\x30\x82", "the file is as this test knows it")
    length = int.from_bytes(head[2:], "big") + 2
    body = archive[4:-4]
    # The MAC is the last element: SEQUENCE { digest, salt, iterations }.
    start = body.rfind(b"\x30", 0, len(body) - 60)
    mac = body[start:]
    while mac[1] + 2 != len(mac) + 4:
        start = body.rfind(b"\x30", 0, start)
        mac = body[start:]
    return b"\x30\x82" + length.to_bytes(2, "big") + body[:start] + bytes([0x30, mac[1] + 2]) + mac[2:] + (
        bytes.fromhex("02047fffffff")
    )


def refused(keychain, path, *more):
    done = keychain.run("import", path, *more)
    expect(done.returncode == 1 and not done.stdout, f"{path} is refused: {done}")


def mutations(keychain, files):
    """No damaged file crashes the program, and none is taken in part."""
    everything = b"".join((files / name).read_bytes() for name in ("leaf.key", "leaf.pem", "ca.pem"))
    originals = [(everything, None), *(((files / name).read_bytes(), PASSPHRASE) for name in ("c.p12", "c-legacy.p12"))]
    if shutil.which("ssh-keygen"):
        path = files / "ssh-mutated"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        originals.append((path.read_bytes(), None))
    counts = [items_of(keychain, *original)[1] for original in originals]
    expect(counts[:3] == [3, 2, 2], f"the originals are read: {counts}")

    def worker(seed):
        chance, done = random.Random(seed), 0
        while done < DAMAGED // 2:
            chosen = chance.randrange(len(originals))
            file, passphrase = originals[chosen]
            changed = mutated(file, chance)
            if file.startswith(changed) and changed.rstrip(b"\n-").endswith((b"END CERTIFICATE", b"END PRIVATE KEY")):
                continue  # What is left is a whole file of fewer blocks.
            status, count = items_of(keychain, changed, passphrase)
            expect(status != 0 or count == counts[chosen], f"part of a file was taken: {changed.hex()}")
            done += 1
        return done

    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        done = sum(workers.map(worker, (SEED, SEED + 1)))
    print(f"pki_test: {done} damaged files from seed {SEED}")


def named(keychain, files):
    """A command has the keychain that is named; without a name it looks in the whole search list."""
    path = files / "build.keychain-db"
    keychain.says("create-keychain", "-p", "", path)
    keychain.says("unlock-keychain", "-p", "", path)
    keychain.says("list-keychains", "-d", "user", "-s", path, "login.keychain")
    keychain.says("import", files / "c.p12", "-P", PASSPHRASE, "-k", path, out="1 identity imported.\n")
    keychain.says("add-certificates", files / "ca.pem")
    for names, count in (([path], 1), (["login.keychain"], 0), ([], 1)):
        found = keychain.output("find-identity", *names)
        expect(f"     {count} identities found".encode() in found, f"{names}: {found}")
    for names, count in (([path], 1), (["login.keychain"], 1), ([], 2)):
        expect(keychain.count(*names) == count, f"{names} has {count}")
    dump = keychain.output("find-certificate", "-c", "Apple").decode()
    expect(dump.startswith(f'keychain: "{path}"'), f"the dump names the keychain: {dump}")
    for names, count in ((["-k", path], 1), ([], 2)):
        certificates = keychain.output("export", "-t", "certs", "-p", *names)
        expect(certificates.count(b"BEGIN") == count, f"{names}: {certificates}")
    keychain.says("add-trusted-cert", "-p", "codeSign", "-k", path, files / "ca.pem")
    keychain.output("find-generic-password", "-s", "com.apple.security.trust-settings", "login.keychain")
    expect(keychain.count(path) == 2, "the certificate is kept where -k says")
    valid = keychain.output("find-identity", "-v", "-p", "codesigning", path)
    expect(b"1 valid identities found" in valid, f"the setting counts everywhere: {valid}")
    keychain.says("delete-identity", "-c", "Apple Distribution")
    expect(keychain.count(path) == 1 and keychain.keys() == 0, "the identity is gone where it was")
    expect(keychain.run("import", files / "ca.pem", "-k", "none").returncode == 1, "no such keychain")
    expect(keychain.run("find-identity", "none").returncode == 50, "no such keychain")
    keychain.says("delete-keychain", path)


def program(keychain, files):
    """The program alone does nothing, and without it the command says so."""
    path = f"{keychain.programs}/keychain-pki"
    alone = subprocess.run([path, "--help"], capture_output=True, stdin=subprocess.DEVNULL)
    expect(alone.returncode == 2 and b"started by security" in alone.stderr, "it takes no words")
    for task in (b"", b"\x01", b"\x02\x01", b"\x01\x09", b"\x01\x01\xff\xff\xff\xff"):
        answer = subprocess.run([path], input=task, capture_output=True)
        expect(answer.returncode == 0 and answer.stdout[:4] != b"\0\0\0\0", f"{task} is refused: {answer}")
    with tempfile.TemporaryDirectory() as folder:
        command = shutil.copy(f"{keychain.programs}/security", folder)
        done = subprocess.run([command, "import", files / "leaf.pem"], env=keychain.environment, capture_output=True)
        found = os.path.exists("/usr/bin/keychain-pki") or os.path.exists("/usr/local/bin/keychain-pki")
        expect(found or b"keychain-pki is not installed" in done.stderr, f"says what is missing: {done.stderr}")


def confined(keychain, files):
    """The child has an empty environment, no words, no network, no files and no temporary ones."""
    if not shutil.which("strace"):
        print("pki_test: not looked at what the child does, strace is not installed")
        return
    trace = files / "trace"
    # The daemon runs before, or its life would be traced too.
    keychain.output("import", files / "ca.pem")
    subprocess.run(
        ["strace", "-f", "-s", "200", "-v", "-o", trace, f"{keychain.programs}/security", "import", files / "c.p12"],
        env=keychain.environment, input=f"{PASSPHRASE}\n".encode(), capture_output=True, check=True,
        timeout=PATIENCE)  # fmt: skip
    lines = trace.read_text().splitlines()
    expect(not any(PASSPHRASE in line for line in lines if "execve(" in line), "no passphrase in a command line")
    stored = [path for path in pathlib.Path(keychain.home).rglob("*") if path.is_file()]
    expect(not any(PASSPHRASE.encode() in path.read_bytes() for path in stored), "no passphrase in a file or log")
    start = [line for line in lines if "execve(" in line and "keychain-pki" in line]
    expect(start and '["' + keychain.programs in start[-1] and ", []" in start[-1], f"{start}")
    expect(not any("O_CREAT" in line or "O_TMPFILE" in line for line in lines if "execve" not in line), "no files")
    clear(keychain)


def exporting(keychain, files):
    """openssl reads what is exported, and another keychain imports it."""
    keychain.output("import", files / "c.p12", "-P", PASSPHRASE)
    keychain.output("import", files / "ca.pem")
    target = files / "o.p12"
    for more in ([], ["--legacy"]):
        done = keychain.run("export", "-t", "identities", "-f", "pkcs12", "-P", "x", "-o", target, *more)
        said = f"...{target.stat().st_size} bytes written to {target}\n".encode()
        expect(done.returncode == 0 and done.stderr == said, f"says what it wrote: {done}")
        expect(target.stat().st_mode & 0o777 == 0o600, "the file is its owner's")
        read = openssl("pkcs12", "-in", target, "-passin", "pass:x", "-nodes")
        expect(read.count(b"BEGIN CERTIFICATE") == 1 and read.count(b"BEGIN PRIVATE KEY") == 1, f"{read}")
        expect(openssl("rsa", "-noout", "-modulus", input=read)
               == openssl("rsa", "-in", files / "leaf.key", "-noout", "-modulus"), "the key is the same")  # fmt: skip
        info = subprocess.run(["openssl", "pkcs12", "-in", target, "-passin", "pass:x", "-info", "-noout"],
                              capture_output=True).stderr  # fmt: skip
        expect((b"3-KeyTripleDES" in info or b"pbeWithSHA1And3" in info) == bool(more), f"the cipher: {info}")
    certificates = keychain.output("export", "-t", "certs")
    expect(certificates.count(b"BEGIN CERTIFICATE") == 2 and b"PRIVATE" not in certificates, "certificates alone")
    everything = keychain.output("export")
    expect(everything.count(b"BEGIN ") == 3 and b"RSA PRIVATE KEY" in everything, f"all: {everything}")
    wrapped = keychain.output("export", "-t", "privKeys", "-f", "pkcs8", "-w", "-p", "-P", "y")
    expect(b"ENCRYPTED" in wrapped and b"PRIVATE" in openssl("pkey", "-passin", "pass:y", input=wrapped), "wrapped")
    plain = keychain.output("export", "-t", "privKeys", "-f", "pkcs8", "-p")
    expect(b"BEGIN PRIVATE KEY" in plain and openssl("pkey", "-noout", input=plain) == b"", "PKCS #8")
    message = keychain.output("export", "-t", "certs", "-f", "pkcs7", "-p")
    expect(openssl("pkcs7", "-print_certs", input=message).count(b"BEGIN") == 2, "PKCS #7")
    other = Keychain(keychain.programs, keychain.home + "-other")
    other.says("import", target, "-P", "x", "-x", out="1 identity imported.\n")
    failed = other.run("export", "-t", "privKeys", "-o", files / "none")
    expect(failed.returncode == 1 and b'"Imported Private Key" cannot be exported' in failed.stderr, f"{failed}")
    expect(not (files / "none").exists(), "nothing was written")
    other.end()
    expect(keychain.run("export", "-f", "x509", "-t", "privKeys").returncode == 1, "X.509 holds no key")
    expect(keychain.run("export", "-f", "bsafe").returncode == 1, "a format of old")
    expect(keychain.run("export", "-t", "x").returncode == 2, "no such type")
    keychain.says("export", "-t", "pubKeys", status=1, err=(
        "security: SecKeychainItemExport: The specified item could not be found in the keychain.\n"))  # fmt: skip


def keypairs(keychain, files):
    """New keys, in the keychain and in the enclave."""
    keychain.says("create-keypair", "-a", "ec", "Mine")
    found = keychain.output("find-key", "-l", "Mine").decode()
    expect(found.count("keychain: ") == 2, "both halves are there")
    line = keychain.output("export", "-t", "pubKeys", "-f", "openssh2").decode()
    expect(line.startswith("ecdsa-sha2-nistp256 "), f"OpenSSH reads it: {line}")
    if shutil.which("ssh-keygen"):
        (files / "mine.pub").write_text(line)
        subprocess.run(["ssh-keygen", "-l", "-f", files / "mine.pub"], check=True, capture_output=True)
        for kind, words in (("ed25519", []), ("rsa", ["-b", "2048"]), ("ecdsa", ["-b", "384"])):
            name = f"public-{kind}"
            made = ["ssh-keygen", "-q", "-N", "", "-C", f"my {kind}", "-t", kind, *words, "-f", files / name]
            subprocess.run(made, check=True, capture_output=True)
            imported = keychain.run("import", files / f"{name}.pub")
            expect(imported.returncode == 0, f"a public key of OpenSSH is imported: {imported}")
            found = keychain.output("find-key", "-l", f"my {kind}", "-t", "public").decode()
            expect(found.count("keychain: ") == 1, f"it has its comment as its name: {found}")
    keychain.says("create-keypair", "-s", "1024", "Weak")
    weak = keychain.run("create-keypair", "-s", "1024", "Weak", env={"KEYCHAIN_MACOS_COMPAT": "0"})
    expect(weak.returncode == 0 and b"too weak" in weak.stderr, f"says that it is weak, unlike macOS: {weak}")
    keychain.says("create-keypair", "--enclave", "Sealed")
    expect("Sealed" in keychain.output("find-key", "-s", "-t", "private").decode(), "the sealed key is there")
    failed = keychain.run("export", "-t", "privKeys")
    expect(failed.returncode == 1 and not failed.stdout, f"{failed}")
    expect(b'"Sealed" cannot be exported' in failed.stderr, f"{failed}")
    for words, status in ((["-a", "dsa"], 1), (["-a", "x"], 2), (["-s", "100"], 2), (["--enclave", "-a", "rsa"], 2)):
        expect(keychain.run("create-keypair", *words).returncode == status, f"{words} is refused")


def messages(keychain, files):
    """openssl reads signed and encrypted messages, and the other way round."""
    keychain.output("import", files / "mail.pem")
    keychain.output("import", files / "mail.key")
    text = b"A message.\n"
    signed = keychain.output("cms", "-S", "-N", "anna", "-H", "SHA256", "-G", stdin=text)
    (files / "signed").write_bytes(signed)
    read = openssl("cms", "-verify", "-inform", "DER", "-in", files / "signed", "-CAfile", files / "ca.pem",
                   "-binary")  # fmt: skip
    expect(read == text, "openssl verifies it")
    expect(keychain.output("cms", "-D", "-i", files / "signed") == text, "so does the command")
    expect(keychain.output("cms", "-D", "-n", "-i", files / "signed") == b"", "without its content")
    at = signed.index(text)
    forged = signed[:at] + b"B" + signed[at + 1 :]
    failed = keychain.run("cms", "-D", stdin=forged)
    expect(failed.returncode == 1 and not failed.stdout, "a forged one gives nothing")
    detached = keychain.output("cms", "-S", "-T", "-N", "anna", stdin=text)
    expect(text not in detached, "the content is outside")
    (files / "text").write_bytes(text)
    expect(keychain.output("cms", "-D", "-c", files / "text", stdin=detached) == text, "and is given")
    sealed = keychain.output("cms", "-E", "-r", "anna@example.com", stdin=text)
    opened = openssl("cms", "-decrypt", "-inform", "DER", "-inkey", files / "mail.key", "-recip", files / "mail.pem",
                     "-binary", input=sealed)  # fmt: skip
    expect(opened == text, "openssl decrypts it")
    theirs = openssl("cms", "-encrypt", "-binary", "-outform", "DER", files / "mail.pem", input=text)
    expect(keychain.output("cms", "-D", stdin=theirs) == text, "the command decrypts openssl's")
    for words, status in ((["-C"], 1), ([], 2), (["-S"], 2), (["-S", "-N", "nobody"], 1), (["-E", "-r", "x"], 1)):
        expect(keychain.run("cms", *words, stdin=text).returncode == status, f"{words} is refused")


TESTS = [
    pkcs12, passphrases, forms, whole, finding, identities, named, hostile, mutations, program, confined, trusting,
    settings_files, roots, words_of_macos, excluded_host, exporting, keypairs, messages,
]  # fmt: skip


def main(programs, *names):
    with tempfile.TemporaryDirectory(prefix="pki-") as folder:
        files = Files(f"{folder}/files")
        for test in [test for test in TESTS if not names or test.__name__ in names]:
            keychain = Keychain(programs, f"{folder}/{test.__name__}")
            try:
                test(keychain, files)
            finally:
                keychain.end()
            print(f"ok: {test.__doc__.splitlines()[0]}")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), *(word for word in sys.argv[2:] if word != "--long"))
