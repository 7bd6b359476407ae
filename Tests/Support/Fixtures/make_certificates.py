#!/usr/bin/env python3
"""Makes the certificates the tests read: chains good and bad, names of many forms, keys of all types, PKCS#12 files.

Usage: make_certificates.py FOLDER

Writes NAME.der for each certificate, NAME.key (PKCS#8 DER) for its key, NAME.p12 for PKCS#12 files, and facts.json
with what the `cryptography` package says of each certificate. Nothing in it was written by this project's own code.
"""

import datetime
import hashlib
import ipaddress
import json
import subprocess
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from cryptography.x509 import ocsp
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import AuthorityInformationAccessOID, ExtendedKeyUsageOID, NameOID, ObjectIdentifier

folder = sys.argv[1]
now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0, tzinfo=None)
day, second = datetime.timedelta(days=1), datetime.timedelta(seconds=1)
epoch = datetime.datetime(2001, 1, 1)
facts = {}
serials = iter(range(1000, 2000))
oids = {
    "CN": NameOID.COMMON_NAME,
    "O": NameOID.ORGANIZATION_NAME,
    "OU": NameOID.ORGANIZATIONAL_UNIT_NAME,
    "C": NameOID.COUNTRY_NAME,
    "E": NameOID.EMAIL_ADDRESS,
    "L": NameOID.LOCALITY_NAME,
}


def path(name):
    return f"{folder}/{name}"


def name(*parts):
    """Parts are (type, text) or (type, text, ASN.1 type); a list of parts is one set with several values."""

    def attribute(part):
        kind = {"_type": part[2]} if len(part) > 2 else {}
        return x509.NameAttribute(oids[part[0]], part[1], **kind)

    return x509.Name(
        [
            x509.RelativeDistinguishedName([attribute(p) for p in (part if isinstance(part, list) else [part])])
            for part in parts
        ]
    )


def public_bytes(key):
    """The key's bytes as SecKeyCopyExternalRepresentation gives them."""
    if isinstance(key, rsa.RSAPublicKey):
        return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
    if isinstance(key, ec.EllipticCurvePublicKey):
        return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def seconds(certificate, name):
    """Since 2001; the property has another name in newer versions of the package."""
    found = getattr(certificate, name + "_utc", None) or getattr(certificate, name)
    return (found.replace(tzinfo=None) - epoch).total_seconds()


def save(label, certificate, key=None):
    with open(path(label + ".der"), "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.DER))
    if key is not None:
        with open(path(label + ".key"), "wb") as file:
            file.write(
                key.private_bytes(
                    serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
            )
    facts[label] = {
        "version": certificate.version.value + 1,
        "serial": certificate.serial_number,
        "notBefore": seconds(certificate, "not_valid_before"),
        "notAfter": seconds(certificate, "not_valid_after"),
        "publicKeyHash": hashlib.sha1(public_bytes(certificate.public_key())).hexdigest(),
        "subject": certificate.subject.public_bytes().hex(),
        "issuer": certificate.issuer.public_bytes().hex(),
    }
    try:
        identifier = certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        facts[label]["subjectKeyIdentifier"] = identifier.digest.hex()
    except (x509.ExtensionNotFound, ValueError):
        pass


def at(*date):
    """How long ago a date was."""
    return datetime.datetime(*(date + (1, 1))[:3]) - now


def answer(
    label, of, issuer, by, status=ocsp.OCSPCertStatus.GOOD, *, begins=-day, lasts=3 * day, revoked=None, digest=None
):
    """What a responder says; `lasts` may be nothing."""
    issued = now + begins
    builder = ocsp.OCSPResponseBuilder().add_response(
        cert=of.certificate,
        issuer=issuer.certificate,
        algorithm=digest or hashes.SHA1(),
        cert_status=status,
        this_update=issued,
        next_update=None if lasts is None else issued + lasts,
        revocation_time=revoked and now + revoked,
        revocation_reason=x509.ReasonFlags.key_compromise if revoked else None,
    )
    builder = builder.responder_id(ocsp.OCSPResponderEncoding.HASH, by.certificate)
    if by is not issuer:
        builder = builder.certificates([by.certificate])
    with open(path(label + ".ocsp"), "wb") as file:
        file.write(builder.sign(by.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER))


class Authority:
    def __init__(self, certificate, key):
        self.certificate, self.key = certificate, key


def issue(
    label,
    subject,
    issuer=None,
    key=None,
    public=None,
    *,
    ca=None,
    length=None,
    dns=(),
    ips=(),
    emails=(),
    eku=None,
    usage=None,
    begins=-30 * day,
    lasts=390 * day,
    serial=None,
    extra=(),
    identifiers=True,
    constraints=None,
):
    key = key or (None if public else ec.generate_private_key(ec.SECP256R1()))
    signer = issuer.key if issuer else key
    public = public or key.public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(public)
        .serial_number(serial or next(serials))
        .not_valid_before(now + begins)
        .not_valid_after(now + begins + lasts)
    )
    if identifiers:
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
        builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), False)
    if ca is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca, length), True)
    if usage is not None or ca:
        flags = dict.fromkeys(
            [
                "digital_signature",
                "content_commitment",
                "key_encipherment",
                "data_encipherment",
                "key_agreement",
                "key_cert_sign",
                "crl_sign",
                "encipher_only",
                "decipher_only",
            ],
            False,
        )
        for flag in usage if usage is not None else ["key_cert_sign", "crl_sign"]:
            flags[flag] = True
        builder = builder.add_extension(x509.KeyUsage(**flags), True)
    names = (
        [x509.DNSName(n) for n in dns]
        + [x509.IPAddress(ipaddress.ip_address(i)) for i in ips]
        + [x509.RFC822Name(e) for e in emails]
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
    if eku is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage(eku), False)
    if constraints:
        builder = builder.add_extension(constraints, True)
    for extension, critical in extra:
        builder = builder.add_extension(extension, critical)
    digest = None if isinstance(signer, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    certificate = builder.sign(signer, digest)
    save(label, certificate, key)
    return Authority(certificate, key)


server = [ExtendedKeyUsageOID.SERVER_AUTH]
client = [ExtendedKeyUsageOID.CLIENT_AUTH]
host = "www.example.org"

# Authorities.
root = issue("root", name(("C", "DE"), ("O", "Example  Trust"), ("CN", "Example Root")), ca=True, lasts=4000 * day)
middle = issue(
    "intermediate",
    name(("C", "DE"), ("O", "Example  Trust"), ("CN", "Example Intermediate")),
    root,
    ca=True,
    length=0,
    lasts=2000 * day,
)
below = issue("below", name(("O", "Example Trust"), ("CN", "Too Deep")), middle, ca=True, lasts=2000 * day)
expired_authority = issue(
    "intermediate-expired", name(("CN", "Expired Intermediate")), root, ca=True, begins=-900 * day, lasts=800 * day
)
no_signing = issue("intermediate-no-signing", name(("CN", "May Not Sign")), root, ca=True, usage=["crl_sign"])
narrow = issue(
    "intermediate-constrained",
    name(("CN", "Constrained")),
    root,
    ca=True,
    constraints=x509.NameConstraints([x509.DNSName("example.net")], None),
)
namesake = issue(
    "root-namesake", name(("C", "DE"), ("O", "Example  Trust"), ("CN", "Example Root")), ca=True, lasts=4000 * day
)
other_root = issue("root-other", name(("CN", "Other Root")), ca=True, lasts=4000 * day)

# Servers.
leaf = issue(
    "server",
    name(("O", "Example"), ("CN", host)),
    middle,
    dns=[host, "*.apps.example.org"],
    ips=["192.0.2.7", "2001:db8::7"],
    eku=server,
    usage=["digital_signature"],
)
issue("server-expired", name(("CN", host)), middle, dns=[host], eku=server, begins=-100 * day, lasts=50 * day)
issue("server-future", name(("CN", host)), middle, dns=[host], eku=server, begins=50 * day)
issue("server-clientonly", name(("CN", host)), middle, dns=[host], eku=client)
issue("server-nonames", name(("CN", host)), middle, eku=server)
issue("server-noeku", name(("CN", host)), middle, dns=[host])
issue(
    "server-anyeku", name(("CN", host)), middle, dns=[host], eku=[ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE, *server]
)
issue("server-825", name(("CN", host)), middle, dns=[host], eku=server, lasts=825 * day)
issue("server-826", name(("CN", host)), middle, dns=[host], eku=server, lasts=825 * day + second)
issue("server-398", name(("CN", host)), middle, dns=[host], eku=server, lasts=398 * day)
issue("server-399", name(("CN", host)), middle, dns=[host], eku=server, lasts=398 * day + second)
# From before the rules, under authorities that are as old; they are looked at with a date of then.
old_root = issue("root-old", name(("CN", "Old Root")), ca=True, begins=at(2010), lasts=12000 * day)
for label, begins, purpose in (
    ("old", at(2019, 7, 1), None),
    ("new", at(2019, 7, 1) + second, None),
    ("new-named", at(2019, 7, 1) + second, server),
):
    issue(
        f"server-2019-{label}", name(("CN", host)), old_root, dns=[host], eku=purpose, begins=begins, lasts=2000 * day
    )
for label, begins in (("before", at(2020, 9, 1) - second), ("after", at(2020, 9, 1))):
    issue(f"server-2020-{label}", name(("CN", host)), old_root, dns=[host], eku=server, begins=begins, lasts=800 * day)
# One whose authority tells of revocations, and the answers of its responders.
informed = issue(
    "server-informed",
    name(("CN", host)),
    middle,
    dns=[host],
    eku=server,
    extra=[
        (
            x509.AuthorityInformationAccess(
                [
                    x509.AccessDescription(
                        AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier("http://ocsp.example.org")
                    )
                ]
            ),
            False,
        )
    ],
)
responder = issue("responder", name(("CN", "Responder")), middle, eku=[ExtendedKeyUsageOID.OCSP_SIGNING])
not_responder = issue("responder-not", name(("CN", "No Responder")), middle, eku=server)
issue("server-toodeep", name(("CN", host)), below, dns=[host], eku=server)
issue("server-nosigning", name(("CN", host)), no_signing, dns=[host], eku=server)
issue("server-constrained", name(("CN", host)), narrow, dns=[host], eku=server)
issue("server-expired-issuer", name(("CN", host)), expired_authority, dns=[host], eku=server)
issue("server-by-leaf", name(("CN", host)), leaf, dns=[host], eku=server)
issue("server-by-namesake", name(("CN", host)), namesake, dns=[host], eku=server, identifiers=False)
issue("server-selfsigned", name(("CN", host)), dns=[host], eku=server)
issue(
    "server-critical",
    name(("CN", host)),
    middle,
    dns=[host],
    eku=server,
    extra=[(x509.UnrecognizedExtension(ObjectIdentifier("1.2.3.4.5"), b"\x05\x00"), True)],
)
issue("server-weakkey", name(("CN", host)), root, key=rsa.generate_private_key(65537, 1024), dns=[host], eku=server)
issue("client", name(("CN", "A Client")), middle, eku=client, emails=["client@example.org"])

# Mail, names, numbers.
issue("mail", name(("CN", "Ada"), ("E", "Ada@Example.org")), middle, emails=["ada@example.org", "countess@example.net"])
utf8, printable, ia5, bmp, teletex = (
    _ASN1Type.UTF8String,
    _ASN1Type.PrintableString,
    _ASN1Type.IA5String,
    _ASN1Type.BMPString,
    _ASN1Type.T61String,
)
issue("name-utf8", name(("O", "Müller  & Söhne", utf8), ("CN", "  Jörg   Müller ", utf8)), root)
issue("name-printable", name(("O", "Some  Firm", printable), ("CN", " plain  name ", printable)), root)
issue("name-bmp", name(("CN", "Große Firma", bmp)), root)
issue("name-ou", name(("O", "Firm"), ("OU", "Unit")), root)
issue("name-o", name(("C", "DE"), ("O", "Firm")), root)
issue("name-email", name(("E", "who@example.org")), root)
issue("name-country", name(("C", "DE")), root)
issue("name-empty", name(), root, emails=["nobody@example.org"])
issue("name-two", name(("CN", "first"), ("CN", "second")), root)
issue("name-set", name([("CN", "in a set"), ("OU", "unit")]), root)
issue("serial-high", name(("CN", "High")), root, serial=0x80 << 120)
issue("serial-one", name(("CN", "One")), root, serial=1)

# Answers about the informed server, its issuer, and another certificate.
revoked = ocsp.OCSPCertStatus.REVOKED
answer("good", informed, middle, middle)
answer("good-sha256", informed, middle, middle, digest=hashes.SHA256())
answer("good-delegated", informed, middle, responder)
answer("good-undelegated", informed, middle, not_responder)
answer("good-stranger", informed, middle, other_root)
answer("good-stale", informed, middle, middle, begins=-10 * day)
answer("good-endless", informed, middle, middle, lasts=None)
answer("good-early", informed, middle, middle, begins=day)
answer("good-other", leaf, middle, middle)
answer("good-intermediate", middle, root, root)
answer("unknown", informed, middle, middle, ocsp.OCSPCertStatus.UNKNOWN)
answer("revoked", informed, middle, middle, revoked, revoked=-2 * day)
answer("revoked-delegated", informed, middle, responder, revoked, revoked=-2 * day)
answer("revoked-stranger", informed, middle, other_root, revoked, revoked=-2 * day)
answer("revoked-stale", informed, middle, middle, revoked, begins=-10 * day, revoked=-12 * day)
answer("revoked-intermediate", middle, root, root, revoked, revoked=-2 * day)
with open(path("good.ocsp"), "rb") as file:
    forged = bytearray(file.read())
forged[-1] ^= 1
with open(path("good-forged.ocsp"), "wb") as file:
    file.write(forged)
with open(path("good-refused.ocsp"), "wb") as file:
    refused = ocsp.OCSPResponseBuilder.build_unsuccessful(ocsp.OCSPResponseStatus.TRY_LATER)
    file.write(refused.public_bytes(serialization.Encoding.DER))

# Keys of all types.
issue("key-rsa", name(("CN", "RSA")), root, key=rsa.generate_private_key(65537, 2048))
issue("key-p384", name(("CN", "P-384")), root, key=ec.generate_private_key(ec.SECP384R1()))
issue("key-p521", name(("CN", "P-521")), root, key=ec.generate_private_key(ec.SECP521R1()))
issue("key-ed25519", name(("CN", "Ed25519")), root, key=ed25519.Ed25519PrivateKey.generate())
issue("key-x25519", name(("CN", "X25519")), root, public=x25519.X25519PrivateKey.generate().public_key())


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def pem(label):
    for kind in ("der", "key"):
        command = ["x509", "-inform", "DER"] if kind == "der" else ["pkey", "-inform", "DER"]
        openssl(*command, "-in", path(f"{label}.{kind}"), "-out", path(f"{label}.{kind}.pem"))
    return path(f"{label}.der.pem"), path(f"{label}.key.pem")


def pkcs12(label, identity, passphrase, *words):
    certificate, key = pem(identity)
    openssl(
        "pkcs12",
        "-export",
        "-in",
        certificate,
        "-inkey",
        key,
        "-out",
        path(label + ".p12"),
        "-passout",
        "pass:" + passphrase,
        *words,
    )


# A certificate of version 1, as openssl makes it from a request without extensions.
_, key_file = pem("server")
openssl("req", "-new", "-key", key_file, "-subj", "/CN=Version One", "-out", path("v1.csr"))
root_file, root_key = pem("root")
openssl(
    "x509",
    "-req",
    "-in",
    path("v1.csr"),
    "-CA",
    root_file,
    "-CAkey",
    root_key,
    "-set_serial",
    "7",
    "-outform",
    "DER",
    "-out",
    path("version1.der"),
)
with open(path("version1.der"), "rb") as file:
    save("version1", x509.load_der_x509_certificate(file.read()))

# One that is signed over SHA-1, which the package above does not do any more.
openssl(
    "req",
    "-new",
    "-key",
    key_file,
    "-subj",
    f"/CN={host}",
    "-addext",
    f"subjectAltName=DNS:{host}",
    "-out",
    path("sha1.csr"),
)
openssl(
    "x509",
    "-req",
    "-in",
    path("sha1.csr"),
    "-CA",
    root_file,
    "-CAkey",
    root_key,
    "-sha1",
    "-copy_extensions",
    "copyall",
    "-outform",
    "DER",
    "-out",
    path("server-sha1.der"),
)
with open(path("server-sha1.der"), "rb") as file:
    save("server-sha1", x509.load_der_x509_certificate(file.read()))

# One whose public key is a compressed point.
openssl("ec", "-inform", "DER", "-in", path("server.key"), "-conv_form", "compressed", "-out", path("compressed.pem"))
openssl(
    "req",
    "-x509",
    "-new",
    "-key",
    path("compressed.pem"),
    "-subj",
    "/CN=Compressed",
    "-outform",
    "DER",
    "-out",
    path("compressed.der"),
)
with open(path("compressed.der"), "rb") as file:
    save("compressed", x509.load_der_x509_certificate(file.read()))

# PKCS#12 files of the kinds that are met.
chain, _ = pem("intermediate")
with open(path("chain.pem"), "w") as file:
    file.write(open(chain).read() + open(root_file).read())
with_chain = ["-certfile", path("chain.pem"), "-name", "the server"]
pkcs12("aes", "server", "secret", *with_chain)
pkcs12(
    "des3", "server", "secret", "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1", *with_chain
)
pkcs12("legacy", "server", "secret", "-legacy", *with_chain)
pkcs12("aes128", "server", "secret", "-keypbe", "AES-128-CBC", "-certpbe", "AES-128-CBC", *with_chain)
pkcs12("plain", "server", "secret", "-keypbe", "NONE", "-certpbe", "NONE", *with_chain)
pkcs12("nomac", "server", "secret", "-nomac", *with_chain)
pkcs12("hundredthousand", "server", "secret", "-iter", "100000", *with_chain)
pkcs12("empty", "server", "", *with_chain)
pkcs12("unicode", "server", "pässwörd €", *with_chain)
pkcs12("rsa", "key-rsa", "secret", "-name", "RSA")
pkcs12("ed25519", "key-ed25519", "secret")
pkcs12("p521", "key-p521", "secret")
openssl("pkcs12", "-export", "-nokeys", "-in", chain, "-out", path("nokey.p12"), "-passout", "pass:secret")

with open(path("facts.json"), "w") as file:
    json.dump(facts, file)
