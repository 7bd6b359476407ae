internal import FileAccess
internal import FileFormat
public import Foundation
internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
public import LocalAuthentication
public import Security

/// Files whose content is encrypted with keys of the keychain, as `security file` makes and reads them
/// (Apple: Data Protection).
///
///     try ProtectedFile.Options(.complete).write(data, to: url)
///
/// A file opens for the programs of one access group, while its ``Protection`` says so. The name, the size and the
/// times of a file are not hidden. Every function also works in a program that has the keychain inside.
public enum ProtectedFile {
    /// When a file can be made and read. Source: Apple, `FileProtectionType`.
    public enum Protection: Hashable, Sendable, CaseIterable {
        /// While the device is unlocked; open files close when it is locked, and go on when it is unlocked.
        case complete
        /// Made also while the device is locked, and open files go on; opened while it is unlocked. A file of this
        /// class says nothing of its author.
        case completeUnlessOpen
        /// From the first unlock after a start on.
        case completeUntilFirstUserAuthentication
        /// Always. The access group still holds.
        case none
    }

    /// The claims of a file about itself. Nobody has vouched for it before the file is opened.
    public struct Info: Hashable, Sendable {
        /// The class of the file.
        public let protection: Protection
        /// The content in bytes, by the size of the file.
        public let length: UInt64
        /// The identifier of the shelf that has wrapped the file's key, 16 bytes, as `security file shelves` shows it.
        public let shelf: Data
    }

    /// Reads what a file says of itself, without a key.
    ///
    /// - Parameter url: of a file.
    /// - Throws: `SecItemError` with `errSecDecode` (`file.damaged`); the rule `file.not-protected`,
    ///   `file.unsupported`; `errSecIO` when the file cannot be read.
    public static func info(of url: URL) throws(SecItemError) -> Info {
        try refusing { () throws(Refusal) in
            let claim = try FileContent.claim(of: try url.filePath())
            return Info(
                protection: Protection(claim.header.protection), length: claim.length,
                shelf: Data(claim.header.shelfSlot.shelf.bytes))
        }
    }

    /// Encrypts a file in its place, or gives a protected one to another class, group or shelf. The file is replaced
    /// when the new one is complete. The blocks of the old one may stay on the disk.
    ///
    /// - Parameters:
    ///   - options: where the file belongs from now on. A protected one keeps its recovery recipients.
    ///   - url: of a file with a single name. Its owner, permissions and attributes stay.
    ///   - context: for shelves with an access control.
    /// - Throws: `SecItemError`: the keychain's refusal; `errSecIO` for a file that cannot be replaced. Nothing has
    ///   changed then.
    public static func setProtection(
        _ options: Options, of url: URL, context: LAContext? = nil
    ) throws(SecItemError) {
        try refusing { () throws(Refusal) in
            let content = FileContent(try .current(context))
            try content.place(
                try url.filePath(), in: try options.place(), recovery: try options.recipients())
        }
    }
}

extension ProtectedFile.Protection {
    init(_ protection: FileProtection) {
        self =
            switch protection {
            case .complete: .complete
            case .completeUnlessOpen: .completeUnlessOpen
            case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
            case .none: .none
            }
    }

    var inFormat: FileProtection {
        switch self {
        case .complete: .complete
        case .completeUnlessOpen: .completeUnlessOpen
        case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
        case .none: .none
        }
    }
}

extension FileKeychain {
    /// The keychain of the task or the process.
    static func current(_ context: LAContext?) throws(Refusal) -> FileKeychain {
        let session = try KeychainSession.current()
        return FileKeychain(session, asking: try KeychainSession.prompting(in: context, over: session))
    }
}

extension URL {
    func filePath() throws(Refusal) -> String {
        guard isFileURL, !path.isEmpty, !path.contains("\0") else {
            throw Refusal(.param, .wrongValue, "url", "The URL does not name a file.", do: "Pass a file URL.")
        }
        return path
    }
}

/// Turns the refusal of a call into the program's error.
func refusing<Result>(_ body: () throws(Refusal) -> Result) throws(SecItemError) -> Result {
    do throws(Refusal) { return try body() } catch { throw SecItemError(error) }
}
