import KeychainModel
import LinuxSystem

/// An item as a list showed it: its lasting name and its version.
///
///     row = keychain:text reference:bytes changed:u64     ; changed is the IEEE 754 form of seconds since 2001
package struct ListedRow: Hashable, Sendable {
    /// The identifier of a named keychain; empty for the login keychain.
    package var keychain: String
    /// The persistent reference.
    package var reference: [UInt8]
    /// When the item was changed last, in seconds since 2001.
    package var changed: Double

    package init(keychain: String, reference: [UInt8], changed: Double) {
        (self.keychain, self.reference, self.changed) = (keychain, reference, changed)
    }

    /// As many rows of a list are kept: nobody counts further.
    package static let most = 1000
    private static let longestReference = 64

    func append(to buffer: SecretBuffer) {
        buffer.append(text: keychain)
        buffer.append(bytes: reference.span)
        buffer.append(littleEndian: changed.bitPattern)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        keychain = try reader.name()
        reference = try reader.bytes(atMost: Self.longestReference)
        changed = Double(bitPattern: try reader.integer(UInt64.self))
    }

    /// Reads a list with its number of rows in front.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for more than ``most``.
    static func list(from reader: inout WireReader) throws(Refusal) -> [ListedRow] {
        let count = Int(try reader.integer(UInt16.self))
        guard count <= most else { throw .malformed("the number of rows") }
        var rows: [ListedRow] = []
        for _ in 0..<count { rows.append(try ListedRow(from: &reader)) }
        return rows
    }
}
