"""Parts of pki_test.py: verify-cert as scripts of macOS call it, over certificates that openssl has made."""

import json
import subprocess

from pki_parts import expect, openssl

GOOD = "...certificate verification successful.\n"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# Roots of the system in shapes that are rare, and how many others are tried with them.
RARE, OTHERS = ("ACCV", "FNMT", "Actalis", "Certigna", "Certum"), 2
LOOP = """
set -eu
for root in "$1"/*.root.pem; do
  for policy in basic ssl; do
    if ! security verify-cert -l -L -R offline -p "$policy" -c "$root" -r "$root" >/dev/null 2>&1; then
      echo "$policy $root"
    fi
  done
done
"""
SHAPES = {
    "signs": ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"],
    "all": ["basicConstraints=critical,CA:TRUE", "keyUsage=digitalSignature,nonRepudiation,keyCertSign,cRLSign"],
    "no-usage": ["basicConstraints=critical,CA:TRUE"],
    "purpose": ["basicConstraints=CA:TRUE,pathlen:3", "keyUsage=keyCertSign", "extendedKeyUsage=serverAuth"],
}


def made(path, subject, extensions, *more):
    """A self-signed certificate, or one of an issuer's that `more` names, with its key in a file of its name."""
    config = path.with_suffix(".cnf")
    config.write_text("[req]\ndistinguished_name=n\nprompt=no\nx509_extensions=v3\n[n]\nCN=" + subject
                      + "\n[v3]\n" + "\n".join(extensions) + "\n")  # fmt: skip
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", config,
            "-keyout", path.with_suffix(".key"), "-out", path, *(more or ["-days", "9000"]))  # fmt: skip
    return path


def signed_by(issuer, days="365"):
    return ["-CA", issuer, "-CAkey", issuer.with_suffix(".key"), "-days", days]


def system_roots(folder):
    """Certificates of the system's file: those of rare shapes, and the first others."""
    everything = openssl("crl2pkcs7", "-nocrl", "-certfile", BUNDLE)
    blocks = openssl("pkcs7", "-print_certs", input=everything).decode().split("subject=")[1:]
    rare = [block for block in blocks if any(word in block for word in RARE)]
    for number, block in enumerate(rare + [block for block in blocks if block not in rare][:OTHERS]):
        (folder / f"system{number}.root.pem").write_text(block[block.index("-----BEGIN") :])


def roots(keychain, files):
    """The loop by which package managers choose roots accepts each root of a bundle, and no leaf and no expired one."""
    folder = files / "roots"
    folder.mkdir()
    for name, extensions in SHAPES.items():
        made(folder / f"{name}.root.pem", name, extensions)
    old, key = folder / "old.csr", folder / "old.key"
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", "/CN=Old", "-out", old)
    # Without extensions these are certificates of version 1.
    for name, days in (("version1", "9000"), ("expired", "-1")):
        openssl("x509", "-req", "-in", old, "-key", key, "-days", days, "-out", folder / f"{name}.root.pem")
    system_roots(folder)
    made(folder / "mail.root.pem", "Mail", ["basicConstraints=CA:TRUE", "extendedKeyUsage=emailProtection"])
    leaf = ["keyUsage=critical,keyCertSign", "basicConstraints=CA:FALSE"]
    made(folder / "leaf.root.pem", "Leaf", leaf)
    environment = keychain.environment | {"PATH": f"{keychain.programs}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", LOOP, "sh", folder], env=environment, capture_output=True, text=True)
    refused = sorted(line.replace(f"{folder}/", "") for line in done.stdout.splitlines())
    expected = ["basic expired.root.pem", "ssl expired.root.pem", "ssl leaf.root.pem", "ssl mail.root.pem"]
    expect(refused == expected and done.returncode == 0, f"the loop refuses {refused}: {done}")
    root, old = folder / "signs.root.pem", folder / "expired.root.pem"
    for words, name in (
        (["-c", old, "-r", old], "EXPIRED"), (["-c", old, "-r", old, "-p", "ssl"], "EXPIRED"),
        (["-c", root, "-r", root, "-d", "2090-01-01"], "EXPIRED"),
        (["-c", root, "-r", root, "-d", "2000-01-01"], "NOT_VALID_YET"),
    ):
        keychain.says("verify-cert", *words, err=f"Cert Verify Result: CSSMERR_TP_CERT_{name}\n", status=1)
    wrong = "Cert Verify Result: CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE\n"
    keychain.says("verify-cert", "-p", "ssl", "-c", root, "-r", root, err=wrong, status=1)


def words_of_macos(keychain, files):
    """The forms of macOS's options: a root alone, a date, -n without a name, checks of revocation, PEM."""
    root = made(files / "forms.pem", "Forms", SHAPES["signs"])
    leaf = made(files / "forms-leaf.pem", "Leaf", ["subjectAltName=DNS:www.example.com", "extendedKeyUsage=serverAuth"],
                *signed_by(root))  # fmt: skip
    keychain.says("verify-cert", "-r", root, out=GOOD)
    expect(keychain.run("verify-cert", "-r", root, "-r", root).returncode == 2, "of two roots none is the certificate")
    keychain.says("verify-cert", "-n", "-c", root, "-r", root, out=GOOD)
    keychain.says("verify-cert", "-c", root, "-r", root, "-n", out=GOOD)
    named = ("verify-cert", "-p", "ssl", "-c", leaf, "-r", root, "-n")
    keychain.says(*named, "www.example.com", out=GOOD)
    mismatch = "Cert Verify Result: CSSMERR_APPLETP_HOSTNAME_MISMATCH\n"
    keychain.says(*named, "www.example.org", err=mismatch, status=1)
    for date, status in (("2027-06-01-12:00:00", 0), ("2027-06-01", 0), ("2027-06-01T12:00:00Z", 0),
                         ("2090-06-01-12:00:00", 1), ("2027-06-01-25:00:00", 2), ("2027-06-01-12:00:00Z", 2),
                         ("2027-06-01-", 2)):  # fmt: skip
        done = keychain.run("verify-cert", "-c", root, "-r", root, "-d", date)
        expect(done.returncode == status, f"{date}: {done}")
    for check in ("offline", "crl", "ocsp"):
        keychain.says(*named, "www.example.com", "-R", check, out=GOOD)
    told = keychain.run(*named, "www.example.com", "-R", "ocsp", env={"KEYCHAIN_MACOS_COMPAT": ""})
    expect(told.returncode == 0 and b"Nothing is fetched" in told.stderr, f"says what is not done: {told}")
    incomplete = "Cert Verify Result: CSSMERR_APPLETP_INCOMPLETE_REVOCATION_CHECK\n"
    keychain.says(*named, "www.example.com", "-R", "ocsp", "-R", "require", err=incomplete, status=1)
    keychain.says("verify-cert", "-r", root, "-R", "require", out=GOOD)
    expect(keychain.run("verify-cert", "-r", root, "-R", "other").returncode == 2, "no such check")
    shown = keychain.output(*named, "www.example.com", "-P").decode()
    texts = {one: openssl("x509", "-in", one).decode() for one in (leaf, root)}
    expect(shown == f"{GOOD}---\nCertificate chain\n 0: Leaf\n{texts[leaf]} 1: Forms\n{texts[root]}", f"PEM: {shown}")
    answer = json.loads(keychain.output(*named, "www.example.com", "-P", "--json"))
    expect(answer["certificates"] == [texts[leaf], texts[root]], f"PEM in JSON: {answer}")


def excluded_host(keychain, files):
    """A wildcard does not cover a host that an authority of the chain excludes."""
    root = made(files / "names.pem", "Names", SHAPES["signs"])
    limits = "nameConstraints=critical,permitted;DNS:example.com,excluded;DNS:secret.example.com"
    middle = made(files / "middle.pem", "Middle", [*SHAPES["signs"], limits], *signed_by(root, "3000"))
    leaf = made(files / "star.pem", "Star", ["subjectAltName=DNS:*.example.com", "extendedKeyUsage=serverAuth"],
                *signed_by(middle))  # fmt: skip
    words = ("verify-cert", "-p", "ssl", "-c", leaf, "-c", middle, "-r", root, "-n")
    keychain.says(*words, "www.example.com", out=GOOD)
    keychain.says(*words, "secrets.example.com", out=GOOD)
    refused = "Cert Verify Result: CSSMERR_TP_INVALID_NAME\n"
    for host in ("secret.example.com", "SECRET.Example.com", "secret.example.com."):
        keychain.says(*words, host, err=refused, status=1)
