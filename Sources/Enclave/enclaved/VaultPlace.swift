import EnclaveWire
import KeychainWire
import LinuxSystem

/// Where the enclave's vault is.
enum VaultPlace: Equatable {
    case file(String, createIfMissing: Bool)
    /// In a folder of vaults of the system service; the master names the owner.
    case folder(String)

    /// Nil for a path that is not absolute.
    init?(_ file: String?, _ createIfMissing: Bool, folder: String?) {
        if let folder, folder.hasPrefix("/"), file == nil, !createIfMissing {
            self = .folder(folder)
        } else if let file, file.hasPrefix("/"), folder == nil {
            self = .file(file, createIfMissing: createIfMissing)
        } else {
            return nil
        }
    }

    /// Whether it is one of the system service's. The daemon of a user has made the folder of the user's own.
    var isOfService: Bool { if case .folder = self { true } else { false } }

    /// How long the master may take to say whose vault it needs: milliseconds.
    private static let timeout = 10_000

    /// A vault that was found.
    struct Found {
        let path: String
        let createIfMissing: Bool
        /// The user whose it is, if that is another one than the enclave's.
        let user: UInt32?
    }

    /// - Throws: `SystemError` when the master does not say whose it is.
    func find(_ channel: UnixSocket) throws(SystemError) -> Found {
        switch self {
        case .file(let path, let createIfMissing):
            return Found(path: path, createIfMissing: createIfMissing, user: nil)
        case .folder(let folder):
            let summons = try EnclaveStartRequest.receive(from: channel, deadline: .after(milliseconds: Self.timeout))
            let user: UInt32? = if case .user(let user) = summons.owner { user } else { nil }
            return Found(
                path: "\(folder)/\(summons.owner)/vault", createIfMissing: summons.createIfMissing, user: user)
        }
    }
}
