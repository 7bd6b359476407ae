package import KeychainModel
package import LinuxSystem

/// The body of a shelf's record.
///
///     shelf = id:16 made:i64 commitment:32 nameLength:u32 name keyLength:u32 key zeros       ; a multiple of 32 bytes
///
/// On a machine, `key` is sealed by its enclave for itself. The enclave alone puts the body into a box for others, with
/// the private keys in the clear in it, and takes it out. The commitment is a hash of the id, the head of the key and
/// the private keys, so that machines can compare shelves without having their keys.
package struct SyncShelf: Sendable {
    /// Bytes of a commitment.
    package static let commitmentSize = 32
    /// The longest sealed key: one has a group of 5 KiB at most, two private keys and some hundred bytes besides.
    package static let keyBytes = 8 << 10
    /// The longest name: that of a request.
    package static let nameBytes = 255
    private static let blockSize = 32

    /// The shelf's name, in place of a primary key.
    package let id: ShelfID
    /// Seconds since 2001.
    package let made: Int64
    package let name: String
    package let commitment: [UInt8]
    /// The sealed key of the store, as this machine has it, or as it travels.
    package let key: SecretBytes

    /// - Parameter commitment: 32 bytes; zeros where it is not known.
    package init(id: ShelfID, made: Int64, name: String, commitment: [UInt8], key: SecretBytes) {
        (self.id, self.made, self.name, self.commitment, self.key) = (id, made, name, commitment, key)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a body, or one that is too long.
    package init(decoding span: Span<UInt8>) throws(SyncMalformed) {
        guard span.count % Self.blockSize == 0 else { throw .length }
        var cursor = SyncCursor(0..<span.count)
        let identifier = try cursor.take(ShelfID.size)
        made = try cursor.integer(Int64.self, in: span)
        commitment = try cursor.array(Self.commitmentSize, in: span)
        let text = try cursor.run(atMost: Self.nameBytes, in: span)
        let sealed = try cursor.run(atMost: Self.keyBytes, in: span)
        guard cursor.remaining < Self.blockSize, !sealed.isEmpty else { throw .padding }
        try cursor.zeros(in: span)
        let id = ShelfID(span.extracting(identifier))
        guard let id, id != .zero, let name = span.text(text.lowerBound, text.count) else { throw .value }
        self.id = id
        self.name = name
        key = SecretBytes(copying: span.extracting(sealed))
    }

    /// The body.
    package func encoded() -> SecretBytes {
        let (buffer, text) = (SecretBuffer(capacity: 512), Array(name.utf8))
        buffer.append(id.bytes.span)
        buffer.append(littleEndian: made)
        buffer.append(commitment.span)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: text.count))
        buffer.append(text.span)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: key.count))
        key.withSpan { buffer.append($0) }
        buffer.append(count: (Self.blockSize - buffer.count % Self.blockSize) % Self.blockSize) { _ in }
        return buffer.finish()
    }

    /// The part by which machines compare shelves. Each keeps the name and the time that came to it first: a member in
    /// wrong hands can send others, and nothing rests on them.
    package var compared: [UInt8] { id.bytes + commitment }
}
