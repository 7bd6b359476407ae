package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The wrapped secret key of a row that its user guards, as the store keeps it in place of a ``RowKeyRecord``'s 60
/// bytes.
///
///     guardedRowKey = head box:bytes
///     head          = version:u8 0:u8 0:u16 flags:u64 guardBinding
///     box           = under the class key: the row's key, or a box of it under the application password's key
///
/// The row's identity and the whole head are associated data of the box. So nobody who stores the key can change the
/// flags. It is always longer than a key without access control.
package struct GuardedRowKey: Hashable, Sendable {
    package static let version: UInt8 = 1
    /// The most bytes the encoded form has.
    package static let mostBytes =
        12 + 4 + GuardBinding.enrolmentBytes + 4 + GuardBinding.passwordBytes + 4 + boxLimit
    /// A key in two boxes.
    package static let boxLimit = RowKeyRecord.wrappedBytes + 28

    /// The bits of the access control.
    package let flags: UInt64
    package let binding: GuardBinding
    package let box: [UInt8]

    package init(flags: UInt64, binding: GuardBinding, box: [UInt8] = []) {
        (self.flags, self.binding, self.box) = (flags, binding, box)
    }

    /// Reads a key from the store. A key that can be read may still be forged; only the enclave can tell.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for bytes that are not exactly a guarded row key.
    package init(decoding bytes: [UInt8]) throws(Refusal) {
        var reader = WireReader(SecretBytes(copying: bytes.span))
        guard try reader.integer(UInt32.self) == UInt32(Self.version) else { throw .malformed("a guarded row key") }
        flags = try reader.integer(UInt64.self)
        binding = try GuardBinding(from: &reader)
        box = try reader.bytes(atMost: Self.boxLimit)
        guard reader.isAtEnd else { throw .malformed("the end of a guarded row key") }
    }

    /// The encoded form.
    package var bytes: [UInt8] {
        let buffer = SecretBuffer(capacity: 256)
        appendHead(to: buffer)
        buffer.append(bytes: box.span)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    /// The bytes in the clear. They are authenticated.
    package var head: [UInt8] {
        let buffer = SecretBuffer(capacity: 128)
        appendHead(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private func appendHead(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(Self.version))
        buffer.append(littleEndian: flags)
        binding.append(to: buffer)
    }
}
