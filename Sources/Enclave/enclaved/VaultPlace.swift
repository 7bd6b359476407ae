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

    /// The path of the vault, and whether it may be made.
    ///
    /// - Throws: `SystemError` when the master does not say whose it is.
    func find(_ channel: UnixSocket) throws(SystemError) -> (path: String, createIfMissing: Bool) {
        switch self {
        case .file(let path, let createIfMissing): return (path, createIfMissing)
        case .folder(let folder):
            let summons = try EnclaveStartRequest.receive(from: channel, deadline: .after(milliseconds: Self.timeout))
            return ("\(folder)/\(summons.owner)/vault", summons.createIfMissing)
        }
    }
}
