import KeychainModel
import LinuxSystem

/// The associated data of both sealed parts of a row. It makes sure that no part opens in another row, class or
/// protection class.
///
///     identity = version:u8 class:u8 pdmn:u8 sync:u8 tomb:u8 zero:u8 zero:u16 uuid:16 pk:16
struct RowIdentity {
    static let version: UInt8 = 1
    static let size = 40

    /// The parts of a row, each of which gets the identity with its own last byte.
    enum Part: UInt8 {
        case metadataKey = 1
        case metadata = 2
        case value = 3
    }

    private var bytes: InlineArray<41, UInt8>

    init(
        itemClass: ItemClass, accessibility: Accessibility, isSynchronizable: Bool, isTombstone: Bool,
        uuid: Span<UInt8>, primaryKey: Span<UInt8>
    ) {
        bytes = InlineArray(repeating: 0)
        bytes[0] = Self.version
        bytes[1] = itemClass.rawValue
        bytes[2] = accessibility.rawValue
        bytes[3] = isSynchronizable ? 1 : 0
        bytes[4] = isTombstone ? 1 : 0
        var span = bytes.mutableSpan
        span.copy(uuid.extracting(first: 16), to: 8)
        span.copy(primaryKey.extracting(first: 16), to: 24)
    }

    /// Lends the associated data of a part.
    func withBytes<Result, Failure: Error>(
        of part: Part, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes = bytes
        bytes[Self.size] = part.rawValue
        return try body(bytes.span)
    }
}
