package import KeychainModel
package import LinuxSystem

/// How new a store is: what the vault had counted when it was marked, with the enclave's code for that.
///
///     mark = changes:u64 block:u64 code:32
///     age  = isCurrent:u8 [mark]
///
/// Without the enclave's key, an attacker can put back an earlier mark, with all of the store or alone, but cannot make
/// one.
package struct StoreMark: Hashable, Sendable {
    /// The changes of the vault.
    package let changes: UInt64
    /// The blocks of writes that the vault had begun.
    package let block: UInt64
    /// HMAC-SHA256 of both.
    package let code: [UInt8]

    package static let codeBytes = 32

    package init(changes: UInt64, block: UInt64, code: [UInt8]) {
        (self.changes, self.block, self.code) = (changes, block, code)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: changes)
        buffer.append(littleEndian: block)
        buffer.append(code.span)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        (changes, block) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        code = try (0..<Self.codeBytes).map { (_) throws(Refusal) in try reader.integer(UInt8.self) }
    }
}

/// The enclave's verdict on a store's mark.
package enum StoreAge: Hashable, Sendable {
    /// The store is as new as the vault knows it; the mark is what it is to have now.
    case current(StoreMark)
    /// It is older, or has no mark of this vault.
    case older

    package func append(to buffer: SecretBuffer) {
        guard case .current(let mark) = self else { return buffer.append(0) }
        buffer.append(1)
        mark.append(to: buffer)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        self = try reader.integer(UInt8.self) == 1 ? .current(try StoreMark(from: &reader)) : .older
    }
}

/// The enclave's calls for the age of its store.
package protocol EnclaveAgeService: Sendable {
    /// Holds a store's mark against the vault, and gives the one that the store is to have now.
    ///
    /// - Parameters:
    ///   - mark: as it stands in the store, durably; nil when there is none.
    ///   - beginsBlock: whether a block of writes is over. The vault then begins another one, and remembers this mark.
    ///     A store from before that mark is an older one.
    /// - Throws: `errSecNotAvailable` (`vault.older`) when the store has a mark that this vault gives only later.
    func renew(_ mark: StoreMark?, beginsBlock: Bool) throws(Refusal) -> StoreAge

    /// Takes the store that is there for the one that is meant, whatever its mark.
    ///
    /// - Parameter passcode: the passcode; not looked at when none is set.
    /// - Returns: the mark that it is to have.
    /// - Throws: `errSecAuthFailed` for a wrong passcode; as ``renew(_:beginsBlock:)``.
    func acceptStore(_ passcode: FileDescriptor) throws(Refusal) -> StoreMark
}
