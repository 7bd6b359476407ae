"""What the SDK's tests are made of: packages in empty folders, and runs of them with a keychain of their own."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SWIFT = os.environ.get("SWIFT", "swift")
COMPILER = SWIFT.removesuffix("swift") + "swiftc"
FAILED = []
# Swift 6.3's second build system crashes now and then in its own threads, which says nothing of what it builds.
ATTEMPTS = 4

# A program that stores a secret, reads it back and removes it.
STORES = """
let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "sdk", kSecAttrAccount: "ann"]
var added = query
added[kSecValueData] = Data("s3cret".utf8)
precondition(SecItemAdd(added as CFDictionary, nil) == errSecSuccess)
var asked = query
asked[kSecReturnData] = true
var result: CFTypeRef?
precondition(SecItemCopyMatching(asked as CFDictionary, &result) == errSecSuccess)
precondition(SecItemDelete(query as CFDictionary) == errSecSuccess)
print(String(decoding: result as! Data, as: UTF8.self))
"""

# What a target says that does not ask for Security.
SEES = """
#if canImport(Security)
    {0}("sees Security")
#else
    {0}("sees nothing")
#endif
"""


def check(name, holds, detail=""):
    print(f"{'ok     ' if holds else 'FAILED '} {name}{'' if holds else ': ' + str(detail)}", flush=True)
    if not holds:
        FAILED.append(name)


def run(*words, folder=None, expected=0, attempts=1, **variables):
    """What a command writes; it must end as expected. One that a signal ends may have several attempts."""
    done = subprocess.run(
        words,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ, **variables),
    )
    if done.returncode < 0 and attempts > 1:
        print(f"again   {' '.join(words)}: ended by signal {-done.returncode}", flush=True)
        return run(*words, folder=folder, expected=expected, attempts=attempts - 1, **variables)
    if done.returncode != expected:
        raise AssertionError(f"{' '.join(words)}: {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def program(path, home, expected=0):
    """What a program writes that has a keychain of its own."""
    return run(path, expected=expected, KEYCHAIN_HOME=home, KEYCHAIN_MODE="embedded", KEYCHAIN_TPM="none")


class Package:
    """A package in a folder that was empty."""

    def __init__(self, folder, files):
        self.folder = folder
        for name, text in files.items():
            self.write(name, text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def files(self):
        """All files but those of builds, with what is in them."""
        found = {}
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = os.path.join(folder, name)
                with open(path) as file:
                    found[os.path.relpath(path, self.folder)] = file.read()
        return found

    def build(self, prefix, *options, system="native"):
        options = (*options, "--build-system", system)
        build = lambda *more: run(
            SWIFT,
            "build",
            *more,
            *options,
            folder=self.folder,
            attempts=ATTEMPTS,
            PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig",
        )
        build()
        self.products = build("--show-bin-path").strip()

    def start(self, name):
        return program(f"{self.products}/{name}", f"{self.folder}/.keychain").strip()
