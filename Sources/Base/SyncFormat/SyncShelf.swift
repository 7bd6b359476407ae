package import KeychainModel
package import LinuxSystem

/// The body of a shelf's record on a machine: that of an item, whose value is the shelf's key.
///
///     value = commitment:32 key
///
/// On a machine, `key` is sealed by its enclave for itself. The enclave alone puts the body into a box for others, with
/// the key in the clear in it, and takes it out. The commitment is the hash of the key in the clear, so that machines
/// can compare shelves without having their keys.
package struct SyncShelf: Sendable {
    /// Bytes of a commitment.
    package static let commitmentSize = 32
    /// The longest sealed key: one of a TPM has some hundred bytes.
    package static let keyBytes = 4096
    /// The id of a shelf, with which its key begins.
    package static let idBytes = 16
    /// The longest list: a shelf has a group, a name, a control, and dates.
    package static let listBytes = 16 << 10

    package let attributes: AttributeList
    package let commitment: [UInt8]
    package let key: SecretBytes

    package init(_ attributes: AttributeList, commitment: [UInt8], key: SecretBytes) {
        (self.attributes, self.commitment, self.key) = (attributes, commitment, key)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a body, or one that is too long.
    package init(decoding span: Span<UInt8>) throws(SyncMalformed) {
        let item = try SyncItem(decoding: span)
        guard item.previous == nil else { throw .value }
        guard item.attributes.encodedCount <= Self.listBytes else { throw .length }
        let keyCount = item.value.count - Self.commitmentSize
        guard (Self.idBytes + 1...Self.keyBytes).contains(keyCount) else { throw .length }
        attributes = item.attributes
        (commitment, key) = item.value.withSpan { value in
            let end = value.count
            return (
                value.array(0, Self.commitmentSize),
                SecretBytes(copying: value.extracting(Self.commitmentSize..<end))
            )
        }
    }

    /// What names the shelf, in place of a primary key.
    package var id: [UInt8] { key.withSpan { $0.array(0, Self.idBytes) } }

    /// The body.
    package func encoded() -> SecretBytes {
        let value = SecretBuffer(capacity: 256)
        value.append(commitment.span)
        key.withSpan { value.append($0) }
        return SyncItem(attributes, value: value.finish()).encoded()
    }

    /// The body without the key.
    var compared: SecretBytes {
        let buffer = SecretBuffer(capacity: 512)
        attributes.append(to: buffer)
        buffer.append(commitment.span)
        return buffer.finish()
    }
}
