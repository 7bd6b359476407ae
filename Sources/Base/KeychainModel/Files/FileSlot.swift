import LinuxSystem

/// One way to the file key: it, wrapped by a shelf, or to a recipient who can do without the keychain.
///
///     slot = kind:u8 0:u8 size:u16 id:16 wrapped:size          ; the id of the shelf or the recipient
package struct FileSlot: Hashable, Sendable {
    /// Kinds that this release knows. A reader passes over slots of other kinds.
    package enum Kind: UInt8, Sendable {
        /// Wrapped by the shelf's secret key: a program of its group wrote the file.
        case shelf = 1
        /// Wrapped to the shelf's public key, while its secret key was locked away: anybody may have written the file.
        case shelfPublic = 2
        /// Wrapped to the public key of a recovery recipient: its private key opens the file without the keychain.
        case recovery = 3

        /// Whether a shelf unwraps it. A header has exactly one such slot.
        package var isOfShelf: Bool { self != .recovery }

        /// The size of what is wrapped, in bytes.
        package var wrappedSize: Int { self == .shelf ? 60 : 80 }
    }

    /// The bytes in front of what is wrapped.
    package static let headSize = 20
    /// The bytes that all slots of a header have together.
    package static let room = 4000

    /// The kind's number.
    package let kind: UInt8
    /// The identifier of the shelf; in a slot for recovery, that of the recipient.
    package let shelf: ShelfID
    package let wrapped: [UInt8]

    /// A slot with any content; ``isWhole`` says whether a reader takes it.
    package init(kind: UInt8, shelf: ShelfID, wrapped: [UInt8]) {
        (self.kind, self.shelf, self.wrapped) = (kind, shelf, wrapped)
    }

    /// The size of the whole slot in bytes.
    package var size: Int { Self.headSize + wrapped.count }

    /// Whether what is wrapped has the size of its kind; that of an unknown kind is not known.
    package var isWhole: Bool {
        guard kind != 0 else { return false }
        return Kind(rawValue: kind).map { $0.wrappedSize == wrapped.count } ?? (wrapped.count <= Self.room)
    }

    /// Appends the slot to a header under construction.
    package func append(to bytes: inout [UInt8]) {
        let size = UInt16(truncatingIfNeeded: wrapped.count)
        bytes += [kind, 0, UInt8(size & 0xFF), UInt8(size >> 8)] + shelf.bytes + wrapped
    }

    /// Reads the slot at an offset of the bytes; nil for one that is not whole.
    package init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard offset <= bytes.count - Self.headSize, bytes[offset + 1] == 0 else { return nil }
        let size = Int(bytes.littleEndian(UInt16.self, at: offset + 2))
        let start = offset + Self.headSize
        guard size <= bytes.count - start else { return nil }
        guard let shelf = ShelfID(bytes.extracting(offset + 4..<start)) else { return nil }
        self.init(kind: bytes[offset], shelf: shelf, wrapped: bytes.array(start, size))
        guard isWhole else { return nil }
    }
}
