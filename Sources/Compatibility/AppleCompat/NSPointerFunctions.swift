public import Foundation

/// The memory policy of a collection. On Linux it consists of the options alone.
public final class NSPointerFunctions: NSObject {
    /// The options for keys, or for values.
    public struct Options: OptionSet, Sendable {
        /// Apple's bits.
        public let rawValue: UInt

        /// Makes options of bits. Bits without a name here change nothing.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Objects are retained.
        public static let strongMemory = Options([])
        /// Objects are not retained. They leave the collection with their last strong reference.
        public static let weakMemory = Options(rawValue: 5)
        /// Objects are equal by `isEqual`.
        public static let objectPersonality = Options([])
        /// Objects are equal when they are identical.
        public static let objectPointerPersonality = Options(rawValue: 2 << 8)
        /// Objects are copied when they are put in.
        public static let copyIn = Options(rawValue: 1 << 16)
    }
}
