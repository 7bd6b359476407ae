package import KeychainCrypto
import KeychainModel
import KeychainWire
package import LinuxSystem

/// The beginning of a backup: what opens it.
///
///     header = "KCBK" version:u16 length:u16 salt:32 count:u8 *slot proof:32
///     proof  = HMAC-SHA256(key(`header`), the header before it)
///
/// The proof binds every byte of the header to the file key, and the file key to the header: of two keys that open a
/// slot, at most one is that of the file. Every box of the file has it as associated data.
package struct BackupHeader: Sendable, Equatable {
    package let salt: [UInt8]
    package let slots: [BackupSlot]
    package let proof: [UInt8]
    /// The header as it stands in the file.
    package let bytes: [UInt8]

    package static let proofBytes = 32
    /// A passphrase and a few recovery codes.
    package static let mostSlots = 8
    /// Each is tried: more would keep the reader's machine at work.
    private static let mostPassphrases = 2

    /// Whether there may be shelves in the parts; a backup without has the version of readers that know none.
    package var hasShelves: Bool { bytes.span.littleEndian(UInt16.self, at: 4) >= BackupFraming.version }

    /// Makes the header of a new backup.
    ///
    /// - Throws: `CryptoError.invalidParameter` without a slot, or with too many; `.libraryFailure`.
    package init(_ slots: [BackupSlot], of keys: BackupKeys, hasShelves: Bool = false) throws(CryptoError) {
        guard (1...Self.mostSlots).contains(slots.count) else { throw .invalidParameter }
        let buffer = SecretBuffer(capacity: 512)
        let magic = BackupFraming.magic
        buffer.append(magic.span)
        buffer.append(littleEndian: hasShelves ? BackupFraming.version : 1)
        buffer.append(littleEndian: 0 as UInt16)
        let salt = keys.salt
        buffer.append(salt.span)
        buffer.append(UInt8(slots.count))
        for slot in slots { slot.append(to: buffer) }
        buffer.overwrite(littleEndian: UInt16(buffer.count + Self.proofBytes), at: 6)
        let start = buffer.withSpan { $0.array(0, $0.count) }
        (self.salt, self.slots) = (salt, slots)
        proof = try keys.proof(of: start)
        bytes = start + proof
    }

    /// Reads a header, which is believed when a credential has opened it.
    ///
    /// - Throws: `notABackup` for bytes that are not exactly a header; `cost` for a slot out of bounds.
    package init(decoding bytes: [UInt8]) throws(BackupProblem) {
        guard bytes.count <= BackupFraming.headerBytes else { throw .notABackup }
        var reader = WireReader(SecretBytes(copying: bytes.span))
        do throws(Refusal) {
            let start = try reader.array(BackupFraming.headerStart)
            guard try BackupFraming.headerLength(start) == bytes.count else { throw .malformed("the header") }
            salt = try reader.array(BackupKeys.saltBytes)
        } catch { throw .notABackup }
        slots = try Self.slots(from: &reader)
        do throws(Refusal) { proof = try reader.array(Self.proofBytes) } catch { throw .notABackup }
        guard reader.isAtEnd else { throw .notABackup }
        self.bytes = bytes
    }

    private static func slots(from reader: inout WireReader) throws(BackupProblem) -> [BackupSlot] {
        let count: UInt8
        do throws(Refusal) { count = try reader.integer(UInt8.self) } catch { throw .notABackup }
        guard (1...mostSlots).contains(Int(count)) else { throw .notABackup }
        var slots: [BackupSlot] = []
        for _ in 0..<count {
            if let slot = try BackupSlot.read(from: &reader) { slots.append(slot) }
        }
        guard slots.count(where: { $0.kind == .passphrase }) <= mostPassphrases else { throw .cost }
        return slots
    }

    /// Opens the backup.
    ///
    /// - Throws: `noSlot` when nothing of this kind opens it, `wrongCredential`; `damaged` when the credential is right
    ///   and the header is not.
    package func open(_ kind: BackupSlot.Kind, _ credential: SecretBytes) throws(BackupProblem) -> BackupKeys {
        let mine = slots.filter { $0.kind == kind }
        guard !mine.isEmpty else { throw .noSlot }
        do throws(CryptoError) {
            for slot in mine {
                guard let fileKey = try slot.open(credential, fileSalt: salt) else { continue }
                let keys = BackupKeys(fileKey: fileKey, salt: salt)
                let proof = try keys.proof(of: Array(bytes.dropLast(Self.proofBytes)))
                if ConstantTime.areEqual(proof.span, self.proof.span) { return keys }
                throw .authenticationFailed
            }
        } catch { throw error == .authenticationFailed ? .damaged("its header") : .crypto(error) }
        throw .wrongCredential
    }
}
