public import Foundation

/// How a collection holds its objects. On Linux there are only the options.
public final class NSPointerFunctions: NSObject {
    /// What is said of keys, or of values.
    public struct Options: OptionSet, Sendable {
        /// Apple's bits.
        public let rawValue: UInt

        /// Makes options of bits; those that have no name here change nothing.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Objects are retained.
        public static let strongMemory = Options([])
        /// Objects are not retained, and gone from the collection when nobody else does.
        public static let weakMemory = Options(rawValue: 5)
        /// Objects are equal when `isEqual` says so.
        public static let objectPersonality = Options([])
        /// Objects are equal when they are the same.
        public static let objectPointerPersonality = Options(rawValue: 2 << 8)
        /// Objects are copied when they are put in.
        public static let copyIn = Options(rawValue: 1 << 16)
    }
}
