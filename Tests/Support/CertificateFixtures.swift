import Glibc
import LinuxSystem

/// Certificates, keys and PKCS#12 files made by others: the `cryptography` package and the openssl command, once for
/// all tests of the process. `Fixtures/make_certificates.py` says which there are.
package enum CertificateFixtures {
    /// The bytes of a file, such as `server.der`.
    package static func bytes(_ name: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path(name), O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var span = bytes.mutableSpan
        let count = try file.readFully(into: &span, deadline: soon)
        return Array(bytes.prefix(count))
    }

    /// The path of a file.
    package static func path(_ name: String) throws -> String { try folder.get().file(name) }

    private static let folder: Result<TemporaryDirectory, any Error> = Result {
        let folder = try TemporaryDirectory()
        let script = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let maker = try RunningProgram(
            "/usr/bin/env", ["python3", "-W", "ignore", "/\(script)/Fixtures/make_certificates.py", folder.path])
        guard maker.waitForExit() == 0 else {
            throw SystemError(code: ENOENT, call: "make_certificates.py", advice: "scripts/deps installs what it needs")
        }
        // A static value is never freed.
        atexit { (try? CertificateFixtures.folder.get())?.remove() }
        return folder
    }
}
