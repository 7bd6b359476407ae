package import KeychainModel
package import LinuxSystem

/// The head of every message on a keychain socket.
///
///     frame  = length:u32  version:u8  kind:u8  descriptors:u8  zero:u8  id:u32  word:u32  body
///
/// All integers are little-endian; `length` counts the body alone. `word` is the caller's deadline in milliseconds in a
/// request and the `OSStatus` in a response. `descriptors` counts the file descriptors that travel beside the frame.
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
        /// What may have to ask the user.
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

/// A request as it travels in a frame.
package protocol FrameBody {
    /// Appends the body to a frame under construction.
    func append(to buffer: SecretBuffer)
}

extension ItemRequest: FrameBody {}
extension DeviceRequest: FrameBody {}
extension KeyRequest: FrameBody {}
extension AuthenticationRequest: FrameBody {}

/// What a peer may make grow, each with its reason.
package enum WireLimits {
    /// A value of 1 MiB and twice as many attributes as any class can carry at their largest common size.
    @inlinable package static var requestBody: Int { ItemLimits.valueBytes + (512 << 10) }
    /// One item at its largest, or a page of smaller ones.
    @inlinable package static var responseBody: Int { requestBody + (256 << 10) }
    /// A page of an enumeration is closed when it has grown to this: large enough that the round trip does not count, small
    /// enough that a reader of a million items costs the daemon no memory.
    package static let pageBytes = 256 << 10
    /// An old and a new passcode.
    package static let descriptors = 2
    /// Longest passcode, in bytes.
    package static let passcodeBytes = 1024
    /// A caller that names no deadline gets this one, in milliseconds.
    package static let defaultDeadline: UInt32 = 60_000
    /// The longest time a watch lasts before it is answered as it stands: milliseconds.
    package static let longestWatch: UInt32 = 60_000
    /// The longest deadline a caller may ask for: milliseconds.
    package static let longestDeadline: UInt32 = 600_000
    /// What may have to ask the user gets at least this long: milliseconds.
    package static let promptDeadline: UInt32 = 180_000
}

extension Refusal {
    /// A frame whose inside is broken.
    package static func malformed(_ what: String) -> Refusal {
        Refusal(
            .param, .malformedFrame, "frame", "The frame cannot be read: \(what) is broken.",
            do: "Use a client and a daemon of the same release.")
    }
}
