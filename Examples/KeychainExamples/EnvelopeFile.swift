import Foundation
import Security

/// A large file on the disk under a key in the keychain (rule items.value.envelope): the keychain keeps 44 bytes,
/// however large the file is.
///
/// GnuPG encrypts with AES-256 and an integrity check. Its key comes through a pipe, so no list of processes shows it.
/// Deleting the key destroys the file and all its copies.
public struct EnvelopeFile {
    /// Errors other than those of the file system.
    public enum Failure: Error, Equatable {
        /// The keychain refused.
        case keychain(OSStatus)
        /// `gpg` failed, for example because the file was changed or encrypted under another key.
        case encryption(exitStatus: Int32)
    }

    private let key: [CFString: Any]

    /// The files sealed under the key of this name.
    public init(keyName: String) {
        key = [kSecClass: kSecClassGenericPassword, kSecAttrService: keyName, kSecAttrAccount: "file key"]
    }

    /// Encrypts a file, under a new key when there is none yet.
    public func seal(_ file: URL, to sealed: URL) throws {
        let limits = ["--s2k-count", "65536"]  // The key is random: stretching it brings nothing.
        try run(["--symmetric", "--cipher-algo", "AES256"] + limits, try findKey() ?? makeKey(), file, sealed)
    }

    /// Decrypts a file.
    public func open(_ sealed: URL, to file: URL) throws {
        guard let key = try findKey() else { throw Failure.keychain(errSecItemNotFound) }
        try run(["--decrypt"], key, sealed, file)
    }

    /// Deletes the key: nobody can open its files any more.
    public func destroyKey() -> OSStatus { SecItemDelete(key as CFDictionary) }

    private func findKey() throws -> Data? {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(key.merging([kSecReturnData: true]) { $1 } as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let found = found as? Data else { throw Failure.keychain(status) }
        return found
    }

    private func makeKey() throws -> Data {
        var bytes = [UInt8](repeating: 0, count: 32)
        let filled = SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes)
        guard filled == errSecSuccess else { throw Failure.keychain(filled) }
        let new = Data(bytes).base64EncodedData()
        let item = key.merging([kSecValueData: new, kSecAttrLabel: "Key of encrypted files"]) { $1 }
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw Failure.keychain(status) }
        return new
    }

    private func run(_ arguments: [String], _ key: Data, _ input: URL, _ output: URL) throws {
        let gpg = Process()
        gpg.executableURL = URL(filePath: "/usr/bin/gpg")
        let quietly = ["--batch", "--quiet", "--yes", "--no-autostart", "--pinentry-mode", "loopback"]
        gpg.arguments = quietly + ["--passphrase-fd", "0", "--output", output.path] + arguments + [input.path]
        let pipe = Pipe()
        gpg.standardInput = pipe
        gpg.standardError = FileHandle.nullDevice
        try gpg.run()
        try pipe.fileHandleForWriting.write(contentsOf: key)
        try pipe.fileHandleForWriting.close()
        gpg.waitUntilExit()
        guard gpg.terminationStatus == 0 else { throw Failure.encryption(exitStatus: gpg.terminationStatus) }
    }
}
