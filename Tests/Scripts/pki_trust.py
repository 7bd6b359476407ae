"""Parts of pki_test.py: the user's trust settings, and files of them."""

import plistlib

from pki_parts import PASSPHRASE, clear, expect, openssl, sha1


def trusting(keychain, files):
    """The user's settings make identities valid for code signing, and for nothing that strangers depend on."""
    ca, leaf = files / "ca.pem", files / "leaf.pem"
    keychain.output("import", files / "c.p12", "-P", PASSPHRASE)
    line = f'  1) {sha1(leaf)} "Apple Distribution: Example (ABCDE12345)"'
    none = "     0 valid identities found\n"
    keychain.says("add-trusted-cert", "-r", "trustRoot", "-p", "codeSign", ca)
    keychain.says("find-identity", "-v", "-p", "codesigning", out=f"{line}\n     1 valid identities found\n")
    keychain.says("find-identity", "-v", out=none)
    keychain.says("dump-trust-settings", out=(
        "Number of trusted certs = 1\nCert 0: Example CA\n   Number of trust settings : 1\n   Trust Setting 0:\n"
        "      Policy OID            : Code Signing\n"
        "      Result Type           : kSecTrustSettingsResultTrustRoot\n"))  # fmt: skip
    for policy in ([], ["-p", "ssl"], ["-p", "smime"], ["-p", "codeSign", "-p", "eap"], ["-d"]):
        expect(keychain.run("add-trusted-cert", *policy, ca).returncode == 1, f"{policy} is not a user's to trust")
    keychain.says("verify-cert", "-c", leaf, "-p", "codeSign", out="...certificate verification successful.\n")
    untrusted = "Cert Verify Result: CSSMERR_TP_NOT_TRUSTED\n"
    keychain.says("verify-cert", "-c", leaf, err=untrusted, status=1)
    keychain.says("verify-cert", "-c", leaf, "-r", ca, "-t", out=(
        "...certificate verification successful.\n---\nCertificate chain\n"
        " 0: Apple Distribution: Example (ABCDE12345)\n 1: Example CA\n"))  # fmt: skip
    expired = "Cert Verify Result: CSSMERR_TP_CERT_EXPIRED\n"
    keychain.says("verify-cert", "-c", leaf, "-r", ca, "-d", "2090-01-01", err=expired, status=1)
    wrong = "Cert Verify Result: CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE\n"
    keychain.says("verify-cert", "-c", leaf, "-r", ca, "-p", "ssl", err=wrong, status=1)
    nothing = keychain.run("verify-cert")
    expect(nothing.returncode == 2 and nothing.stderr.startswith(b"***No certs specified.\n"), "no certificate")
    keychain.says("add-trusted-cert", "-r", "deny", "-p", "codeSign", ca)
    denied = "SecTrustEvaluate result: kSecTrustResultDeny\n"
    keychain.says("verify-cert", "-c", leaf, "-r", ca, "-p", "codeSign", err=denied, status=1)
    keychain.says("find-identity", "-v", "-p", "codesigning", out=none)
    keychain.says("remove-trusted-cert", ca)
    keychain.says("remove-trusted-cert", ca, status=1, err=(
        "security: SecTrustSettingsRemoveTrustSettings: "
        "The specified item could not be found in the keychain.\n"))  # fmt: skip
    no_file = keychain.run("add-trusted-cert", "-p", "basic")
    expect(no_file.returncode == 2 and no_file.stderr.startswith(b"No cert file specified.\n"), "no file")
    leaf_as_root = keychain.run("add-trusted-cert", "-p", "basic", leaf)
    expect(leaf_as_root.returncode == 1, "a leaf is no root")


def settings_files(keychain, files):
    """Python's reader of property lists reads the file of settings, and what it writes is imported."""
    ca, leaf, target = files / "ca.pem", files / "leaf.pem", files / "settings.plist"
    none = "security: SecTrustSettingsCreateExternalRepresentation: No Trust Settings were found.\n"
    keychain.says("trust-settings-export", target, err=none, status=1)
    keychain.says("add-trusted-cert", "-p", "codeSign", "-p", "basic", ca)
    keychain.output("trust-settings-export", target)
    file = plistlib.loads(target.read_bytes())
    expect(file["trustVersion"] == 1 and list(file["trustList"]) == [sha1(ca)], f"Apple's form: {file}")
    entry = file["trustList"][sha1(ca)]
    serial = openssl("x509", "-in", ca, "-noout", "-serial").decode().strip().removeprefix("serial=")
    expect(int.from_bytes(entry["serialNumber"], "big") == int(serial, 16), "the serial number is openssl's")
    oid = bytes.fromhex("2a864886f76364 01".replace(" ", ""))
    expect(
        [(one["kSecTrustSettingsPolicy"], one["kSecTrustSettingsResult"]) for one in entry["trustSettings"]]
        == [(oid + b"\x10", 1), (oid + b"\x02", 1)],
        f"the settings: {entry}",
    )
    keychain.says("remove-trusted-cert", ca)
    absent = keychain.run("trust-settings-import", target)
    expect(absent.returncode == 1 and b"1 of the certificates are not in the keychain" in absent.stderr, f"{absent}")
    keychain.says("dump-trust-settings", err=(
        "security: SecTrustSettingsCopyCertificates: No Trust Settings were found.\n"), status=1)  # fmt: skip
    keychain.output("import", ca)
    keychain.output("import", leaf)
    keychain.says("trust-settings-import", target)
    keychain.says("verify-cert", "-c", leaf, "-p", "codeSign", out="...certificate verification successful.\n")
    # What counts for strangers is left out, and so is a leaf as a root and what is narrower than a policy.
    tls = {"kSecTrustSettingsPolicy": oid + b"\x03", "kSecTrustSettingsResult": 1}
    deny = {"kSecTrustSettingsPolicy": oid + b"\x10", "kSecTrustSettingsResult": 3}
    host = {**tls, "kSecTrustSettingsPolicy": oid + b"\x02", "kSecTrustSettingsPolicyString": "a"}
    file["trustList"] = {
        sha1(ca): {"trustSettings": [tls, deny, host]},
        sha1(leaf): {"trustSettings": [{**deny, "kSecTrustSettingsResult": 1}]},
    }
    target.write_bytes(plistlib.dumps(file))
    partly = keychain.run("trust-settings-import", target)
    expect(partly.returncode == 0 and partly.stderr.count(b"are left out") == 2, f"what is left out is named: {partly}")
    said = keychain.output("dump-trust-settings").decode()
    expect(said.startswith("Number of trusted certs = 1\n") and "ResultDeny" in said and "Root" not in said, said)
    for bad in (b"", b"no plist", plistlib.dumps([]), plistlib.dumps({"trustVersion": 2, "trustList": {}}),
                plistlib.dumps({"trustVersion": 1, "trustList": {"zz": {}}}), target.read_bytes()[:-30]):  # fmt: skip
        target.write_bytes(bad)
        refused = keychain.run("trust-settings-import", target)
        expect(refused.returncode == 93 and b"could not be decoded" in refused.stderr, f"{bad[:40]}: {refused}")
    expect(keychain.run("trust-settings-import", files / "nothing").returncode == 1, "no file")
    expect(keychain.run("trust-settings-import", "-d", target).returncode == 1, "not for all users")
    expect(keychain.output("dump-trust-settings").decode() == said, "a refused file changes nothing")
    keychain.says("remove-trusted-cert", ca)
    clear(keychain)
