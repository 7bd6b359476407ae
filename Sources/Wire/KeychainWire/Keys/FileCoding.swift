package import KeychainModel
package import LinuxSystem

// How what stands in the header of a protected file travels.
extension WireReader {
    /// The identifier of a shelf.
    package mutating func shelfID() throws(Refusal) -> ShelfID {
        let bytes = try array(ShelfID.size)
        guard let id = ShelfID(bytes.span) else { throw .malformed("the shelf") }
        return id
    }

    /// The identifier of a file's content.
    package mutating func fileID() throws(Refusal) -> FileID {
        let bytes = try array(FileID.size)
        guard let id = FileID(bytes.span) else { throw .malformed("the file") }
        return id
    }
}

extension FileSlot {
    /// Appends the slot to a message under construction:
    ///
    ///     slot = kind:u8 shelf id:16 wrapped:bytes
    package func append(to buffer: SecretBuffer) {
        buffer.append(kind)
        buffer.append(shelf.bytes.span)
        buffer.append(bytes: wrapped.span)
    }

    /// Reads a slot of a shelf within a message.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read, or is none of a shelf's.
    package init(from reader: inout WireReader) throws(Refusal) {
        try self.init(from: &reader, isOfShelf: true)
    }

    fileprivate init(from reader: inout WireReader, isOfShelf: Bool) throws(Refusal) {
        let (kind, shelf) = (try reader.integer(UInt8.self), try reader.shelfID())
        guard let known = Kind(rawValue: kind), known.isOfShelf == isOfShelf else {
            throw .malformed("the kind of a slot")
        }
        self.init(kind: kind, shelf: shelf, wrapped: try reader.bytes(atMost: known.wrappedSize))
        guard isWhole else { throw .malformed("the size of a slot") }
    }
}

/// The key of a file that is to be written, and the slots that its header gets:
///
///     fileKey = slot key:32 [count:u8 *slot]                   ; slots of the keychain's recovery recipients
package struct MadeFileKey: Sendable {
    package let slot: FileSlot
    package let key: SecretBytes
    package let recovery: [FileSlot]

    /// The size of a file's key in bytes.
    package static let keyBytes = 32

    package init(slot: FileSlot, key: SecretBytes, recovery: [FileSlot] = []) {
        (self.slot, self.key, self.recovery) = (slot, key, recovery)
    }

    /// Appends slot and key to a message under construction.
    package func append(to buffer: SecretBuffer) {
        slot.append(to: buffer)
        key.withSpan { buffer.append($0) }
        // Earlier releases know no more.
        guard !recovery.isEmpty else { return }
        buffer.append(UInt8(clamping: recovery.count))
        for slot in recovery { slot.append(to: buffer) }
    }

    /// Reads slot and key within a message.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when they cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let slot = try FileSlot(from: &reader)
        let key = try reader.secret(Self.keyBytes)
        self.init(slot: slot, key: key, recovery: reader.isAtEnd ? [] : try Self.recovery(from: &reader))
    }

    private static func recovery(from reader: inout WireReader) throws(Refusal) -> [FileSlot] {
        let count = try reader.integer(UInt8.self)
        guard count > 0, count <= RecoveryTexts.most else { throw .malformed("the number of recovery recipients") }
        var slots: [FileSlot] = []
        for _ in 0..<count { slots.append(try FileSlot(from: &reader, isOfShelf: false)) }
        return slots
    }
}
