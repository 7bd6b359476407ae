"""Programs in C, C++ and Python on a keychain of their own, with what pkg-config says and nothing else."""

import os
import select
import signal
import socket
import struct
import subprocess
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
C_DIALECTS = ["c99", "c11", "gnu17"]
CXX_DIALECTS = ["c++11", "c++17", "c++20"]


class Programs:
    def __init__(self, prefix):
        self.prefix = prefix
        self.flags = self._pkg_config("--cflags")
        self.libraries = self._pkg_config("--libs")

    def _pkg_config(self, what):
        environment = os.environ | {"PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig"}
        command = ["pkg-config", what, "security"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    def use(self, folder):
        """Works in a folder, with a certificate and an archive that openssl has made."""
        self.folder = folder
        key, pem = f"{folder}/key.pem", f"{folder}/certificate.pem"
        for command in (
            [
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-keyout",
                key,
                "-out",
                pem,
                "-subj",
                "/CN=example.org",
                "-days",
                "30",
            ],
            ["x509", "-in", pem, "-outform", "der", "-out", f"{folder}/certificate.der"],
            ["pkcs12", "-export", "-in", pem, "-inkey", key, "-passout", "pass:test", "-out", f"{folder}/archive.p12"],
        ):
            subprocess.run(["openssl", *command], check=True, capture_output=True)
        self.certificate, self.archive = f"{folder}/certificate.der", f"{folder}/archive.p12"

    def header_problems(self):
        """Every header by itself, in every dialect, by both compilers."""
        headers = f"{self.prefix}/include/swift-keychain"
        names = [
            os.path.relpath(os.path.join(at, file), headers)
            for at, _, files in os.walk(headers)
            for file in files
            if file.endswith(".h")
        ]
        # Twice, because a program may include a header twice; together, and each alone.
        sources = [self._including(sorted(names) * 2), *(self._including([name] * 2) for name in sorted(names))]
        compilers = [
            ("clang", "c", C_DIALECTS, ["-fblocks"]),
            ("clang", "c", C_DIALECTS, []),
            ("gcc", "c", C_DIALECTS, []),
            ("clang++", "c++", CXX_DIALECTS, []),
            ("g++", "c++", CXX_DIALECTS, []),
        ]
        problems = []
        for compiler, language, dialects, more in compilers:
            for dialect in dialects:
                command = [compiler, f"-std={dialect}", *more, "-Wpedantic", "-fsyntax-only", "-x", language, "-"]
                problems += [problem for source in sources for problem in self._compiled(command, source)]
        cache = f"-fmodules-cache-path={self.folder}/modules"
        module = ["clang", "-fmodules", "-fblocks", cache, "-fsyntax-only", "-x", "c", "-"]
        return problems + self._compiled(module, "#include <Security/Security.h>\nint x = errSecParam;\n")

    @staticmethod
    def _including(names):
        return "".join(f"#include <{name}>\n" for name in names) + "int main(void) { return 0; }\n"

    def transport_problems(self):
        """A program that uses Secure Transport is told what to use instead, by each compiler."""
        source = "#include <Security/Security.h>\nint main(void) { return SSLHandshake(0); }\n"
        problems = []
        for compiler, language in (("clang", "c"), ("gcc", "c"), ("clang++", "c++"), ("g++", "c++")):
            built = subprocess.run(
                [compiler, "-fsyntax-only", *self.flags, "-x", language, "-"],
                input=source,
                capture_output=True,
                text=True,
            )
            if built.returncode == 0 or "Secure Transport is not here: use OpenSSL" not in built.stderr:
                problems.append(f"{compiler}: {built.stderr[:800]}")
        return problems

    def _compiled(self, command, source=None, libraries=()):
        built = subprocess.run(
            [*command, *WARNINGS, *self.flags, *libraries], input=source, capture_output=True, text=True
        )
        return [] if built.returncode == 0 else [" ".join(command) + "\n" + built.stderr[:1500]]

    def _built(self, compiler, source, *more):
        """Where the program of a source is; its problems if there is none."""
        program = f"{self.folder}/{os.path.basename(source).split('.')[0]}-{compiler}"
        libraries = [*self.libraries, *more, f"-Wl,-rpath,{self.prefix}/lib"]
        return program, self._compiled([compiler, source, "-o", program], libraries=libraries)

    def _run(self, command, **variables):
        with tempfile.TemporaryDirectory() as home:
            kept = {name: value for name, value in os.environ.items() if not name.startswith("KEYCHAIN_")}
            own = {"KEYCHAIN_HOME": home, "KEYCHAIN_MODE": "embedded", "KEYCHAIN_TPM": "none"}
            return subprocess.run(command, env=kept | own | variables, capture_output=True, text=True, timeout=300)

    def daemon_problems(self, daemons):
        """A program in C whose keychain is in a daemon, which it starts."""
        program, problems = self._built("clang", "Examples/C/password.c")
        with tempfile.TemporaryDirectory() as home:
            own = {"KEYCHAIN_HOME": home, "KEYCHAIN_MODE": "daemon", "KEYCHAIN_DAEMON": f"{daemons}/keychaind"}
            problems = problems or self._problems([program], ["password: second secret"], **own)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(f"{home}/keychaind.sock")
                daemon = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            handle = os.pidfd_open(daemon)
            signal.pidfd_send_signal(handle, signal.SIGTERM)
            if not select.select([handle], [], [], 30)[0]:
                problems.append("the daemon did not end")
            os.close(handle)
        return problems

    def _problems(self, command, wanted, **variables):
        done = self._run(command, **variables)
        if done.returncode == 0 and all(text in done.stdout for text in wanted):
            return []
        return [f"{command[0]} ended with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"]

    def example_problems(self):
        password = ["store: Success", "already exists", "account: anna", "password: second secret", "because: No item"]
        signature = [
            "no key: -50, The operation couldn’t be completed. (OSStatus error -50 - A key of type",
            "bytes holds",
            "of other data: -67808",
        ]
        both = ["password: second secret", "deleted twice: The specified item could not be found", "256 bytes holds"]
        examples = [
            ("clang", "Examples/C/password.c", password),
            ("gcc", "Examples/C/password.c", password),
            ("clang", "Examples/C/signature.c", signature),
            ("gcc", "Examples/C/signature.c", signature),
            ("clang++", "Examples/C++/keychain.cpp", both),
            ("g++", "Examples/C++/keychain.cpp", both),
        ]
        problems = []
        for compiler, source, wanted in examples:
            program, failures = self._built(compiler, source)
            problems += failures or self._problems([program], wanted)
        python = ["added twice: The specified item already", "password: second secret", "of other data: -67808", "done"]
        return problems + self._problems(
            ["python3", "Examples/Python/keychain.py"], python, LD_LIBRARY_PATH=f"{self.prefix}/lib"
        )

    def test_problems(self, constants):
        problems = []
        both, blocks = ["clang", "gcc"], ["-fblocks", "-ldispatch", "-lBlocksRuntime"]
        for name, compilers, arguments, options in (
            ("arguments", both, [], []),
            ("objects", both, [self.certificate], []),
            ("items", both, [], ["-lpthread"]),
            ("keychains", both, [], []),
            ("files", both, [], []),
            ("changes", both, [], ["-lpthread"]),
            ("strictness", both, constants, ["-ldl"]),
            ("callbacks", ["clang"], [self.certificate], blocks),
        ):
            for compiler in compilers:
                program, failures = self._built(compiler, f"Tests/C/{name}.c", *options)
                problems += failures or self._problems([program, *arguments], [f"{name}:"])
        return problems

    def leaks(self):
        """What the address sanitizer finds, and whether it finds a leak that is there."""
        program, problems = self._built("clang", "Tests/C/leaks.c", "-g", "-fsanitize=address", "-lswiftCore")
        if problems:
            return problems
        options = f"suppressions={os.getcwd()}/Tests/Support/leaks.supp:print_suppressions=0"
        command = [program, self.certificate, self.archive]
        problems = self._problems(command, ["leaks:"], LSAN_OPTIONS=options)
        leaking = self._run([*command, "leak"], LSAN_OPTIONS=options)
        if leaking.returncode == 0 or "LeakSanitizer" not in leaking.stderr:
            problems.append("a leak that is there was not found")
        return problems
