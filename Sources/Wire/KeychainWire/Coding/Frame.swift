package import KeychainModel
package import LinuxSystem

/// The head of every message on a keychain socket.
///
///     frame  = length:u32  version:u8  kind:u8  descriptors:u8  zero:u8  id:u32  word:u32  body
///
/// All integers are little-endian; `length` counts the body alone. `word` is the caller's deadline in milliseconds in a
/// request and the `OSStatus` in a response. `descriptors` counts the file descriptors attached to the frame.
package struct FrameHeader: Equatable, Sendable {
    @inlinable package static var size: Int { 16 }
    package static let version: UInt8 = 1
    /// Where the id lies, which is in the same place in all versions, so that any frame can be answered.
    package static let idOffset = 8

    package var length: Int
    package var kind: Kind
    package var descriptors = 0
    package var id: UInt32
    package var word: UInt32

    package enum Kind: UInt8, Sendable {
        /// One of the four verbs.
        case item = 1
        /// Device state, passcode, status, verification.
        case device = 2
        /// An answer; what it answers is known by its id.
        case response = 3
        /// Making and using keys that only the enclave sees.
        case key = 4
        /// A request that may need the user.
        case authentication = 5
        /// A program that the kernel marks shows that it asks itself.
        case introduction = 6
    }

    package init(length: Int, kind: Kind, descriptors: Int = 0, id: UInt32, word: UInt32) {
        self.length = length
        self.kind = kind
        self.descriptors = descriptors
        self.id = id
        self.word = word
    }

    /// Reads the head of a frame.
    ///
    /// - Returns: nil when fewer than ``size`` bytes are there yet.
    /// - Throws: `errSecParam` (`wire.malformed`) for another version, an unknown kind, or a length over the limit.
    package init?(_ span: Span<UInt8>, limit: Int) throws(Refusal) {
        guard span.count >= Self.size else { return nil }
        length = Int(span.littleEndian(UInt32.self, at: 0))
        guard span[4] == Self.version else { throw Self.wrongVersion(span[4]) }
        guard let kind = Kind(rawValue: span[5]), span[7] == 0, span[6] <= WireLimits.descriptors else {
            throw Refusal.malformed("the head of the frame")
        }
        guard length <= limit else { throw Self.tooLong(length, limit) }
        self.kind = kind
        descriptors = Int(span[6])
        id = span.littleEndian(UInt32.self, at: Self.idOffset)
        word = span.littleEndian(UInt32.self, at: 12)
    }

    /// Appends the head to a frame under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: length))
        buffer.append(Self.version)
        buffer.append(kind.rawValue)
        buffer.append(UInt8(truncatingIfNeeded: descriptors))
        buffer.append(0)
        buffer.append(littleEndian: id)
        buffer.append(littleEndian: word)
    }

    private static func wrongVersion(_ version: UInt8) -> Refusal {
        Refusal(
            .notAvailable, .malformedFrame, "version",
            "The frame is of protocol version \(version), not \(Self.version).",
            do: "Use a client and a daemon of the same release.")
    }

    /// The refusal of a frame over the limit; who notices it before sending saves the way.
    package static func tooLong(_ length: Int, _ limit: Int) -> Refusal {
        Refusal(
            .param, .tooLarge, "frame", "The frame announces \(length) bytes; at most \(limit) are taken.",
            do: "Keep large data in a file of its own and only its key in the keychain.")
    }
}
