package import KeychainCrypto
import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A way to open a backup: the file key, wrapped for one credential.
///
///     slot       = kind:u8 length:u16 body:length
///     passphrase = memory:u32 passes:u32 lanes:u32 salt:16 box:60      ; kind 1
///     recovery   = salt:16 box:60                                      ; kind 2
///     box        = box(key, kind:u8 ‖ the body before it ‖ the header's salt, file key)
///
/// The key of a passphrase is HKDF over Argon2id of it; that of a recovery code is HKDF over the 16 bytes that the code
/// encodes.
package struct BackupSlot: Sendable, Equatable {
    package typealias Kind = BackupCredential

    package let kind: Kind
    let cost: Argon2id?
    let salt: [UInt8]
    let box: [UInt8]

    private static let saltBytes = 16
    private static let boxBytes = BackupKeys.keyBytes + AESGCM.overhead

    /// Wraps the keys of a backup.
    ///
    /// - Parameter cost: of a guess, for a passphrase.
    /// - Throws: `CryptoError.libraryFailure`, also when there is not enough memory.
    package init(
        _ kind: Kind, _ credential: SecretBytes, cost: BackupCost, holding keys: BackupKeys
    ) throws(CryptoError) {
        self.kind = kind
        self.cost = kind == .passphrase ? try cost.derivation : nil
        salt = Randomness.bytes(Self.saltBytes)
        let head = Self.head(kind, self.cost, salt)
        let key = try Self.key(kind, self.cost, salt, credential, keys.salt)
        box = try key.withSpan { (key) throws(CryptoError) in
            let cipher = try AESGCM(key: key)
            return try keys.fileKey.withSpan { (fileKey) throws(CryptoError) in
                try cipher.seal(fileKey, aad: (head + keys.salt).span)
            }
        }
    }

    /// The file key in the slot; nil when the credential is another.
    func open(_ credential: SecretBytes, fileSalt: [UInt8]) throws(CryptoError) -> SecretBytes? {
        let key = try Self.key(kind, cost, salt, credential, fileSalt)
        let (opened, head) = (SecretBytes(count: BackupKeys.keyBytes), Self.head(kind, cost, salt))
        do throws(CryptoError) {
            try key.withSpan { (key) throws(CryptoError) in
                let cipher = try AESGCM(key: key)
                try opened.withMutableSpan { (span) throws(CryptoError) in
                    try cipher.open(box.span, aad: (head + fileSalt).span, into: &span)
                }
            }
        } catch {
            if error == .authenticationFailed { return nil }
            throw error
        }
        return opened
    }

    private static func key(
        _ kind: Kind, _ cost: Argon2id?, _ salt: [UInt8], _ credential: SecretBytes, _ fileSalt: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        guard let cost else {
            return try BackupKeys.derive(from: credential, salt: fileSalt + salt, kind.purpose)
        }
        let stretched = try credential.withSpan { (credential) throws(CryptoError) in
            try cost.derive(from: credential, salt: salt.span, count: BackupKeys.keyBytes)
        }
        return try BackupKeys.derive(from: stretched, salt: fileSalt + salt, kind.purpose)
    }

    /// The kind, and the body before the box.
    private static func head(_ kind: Kind, _ cost: Argon2id?, _ salt: [UInt8]) -> [UInt8] {
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(kind.rawValue)
        if let cost { for number in [cost.memory, cost.passes, cost.lanes] { buffer.append(littleEndian: number) } }
        buffer.append(salt.span)
        return buffer.withSpan { $0.array(0, $0.count) }
    }
}

extension BackupCredential {
    fileprivate var purpose: [UInt8] { Array((self == .passphrase ? "passphrase" : "recovery").utf8) }
}

extension BackupSlot {
    func append(to buffer: SecretBuffer) {
        let body = Self.head(kind, cost, salt).dropFirst() + box
        buffer.append(kind.rawValue)
        buffer.append(littleEndian: UInt16(body.count))
        buffer.append(Array(body).span)
    }

    /// Reads a slot; nil for one of a kind that this release does not know.
    static func read(from reader: inout WireReader) throws(BackupProblem) -> BackupSlot? {
        let kind: Kind?
        let body: WireReader
        do throws(Refusal) {
            kind = Kind(rawValue: try reader.integer(UInt8.self))
            body = WireReader(try reader.secret(Int(try reader.integer(UInt16.self))))
        } catch { throw .notABackup }
        return if let kind { try BackupSlot(kind, body) } else { nil }
    }

    private init(_ kind: Kind, _ body: WireReader) throws(BackupProblem) {
        var body = body
        self.kind = kind
        cost = kind == .passphrase ? try BackupCost.read(from: &body) : nil
        do throws(Refusal) {
            (salt, box) = (try body.array(Self.saltBytes), try body.array(Self.boxBytes))
        } catch { throw .notABackup }
        guard body.isAtEnd else { throw .notABackup }
    }
}
