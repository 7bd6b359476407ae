"""A certificate authority of a test's own, and certificates for servers on this machine."""

import pathlib
import subprocess

EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Authority:
    """Its certificate is in the file `root`."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.root, self.key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
        openssl("req", "-x509", *EC, "-subj", f"/CN={name}", "-days", "2", "-keyout", self.key, "-out", self.root)

    def certify(self, host):
        """The files of a key, and of a certificate for a host."""
        key, request, certificate = (f"{self.folder}/{self.name}.{host}.{end}" for end in ("key", "csr", "pem"))
        openssl("req", *EC, "-subj", f"/CN={host}", "-keyout", key, "-out", request)
        extensions = pathlib.Path(f"{self.folder}/{self.name}.{host}.ext")
        extensions.write_text(f"subjectAltName=DNS:{host}\n")
        signed = ("-CA", self.root, "-CAkey", self.key, "-CAcreateserial", "-extfile", str(extensions), "-days", "2")
        openssl("x509", "-req", "-in", request, *signed, "-out", certificate)
        return key, certificate
