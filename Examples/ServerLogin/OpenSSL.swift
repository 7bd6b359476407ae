import Foundation

/// The command `openssl`, which does not know this keychain. Any server can verify a signature that it accepts.
enum OpenSSL {
    /// Whether a signature is one of the message by the key.
    ///
    /// - Parameter publicKey: PEM.
    /// - Throws: when the command cannot be run.
    static func verifies(_ signature: Data, of message: Data, publicKey: String) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ content: Data) throws -> String {
            let url = folder.appending(path: name)
            try content.write(to: url)
            return url.path
        }
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "dgst", "-sha256", "-verify", try file("key.pem", Data(publicKey.utf8)), "-signature",
            try file("signature", signature), try file("message", message),
        ]
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return openssl.terminationStatus == 0
    }
}
