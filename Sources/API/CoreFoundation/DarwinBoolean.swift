/// C's `Boolean` behind a pointer: one byte, unlike `Bool` with every value but zero meaning true.
@frozen public struct DarwinBoolean: ExpressibleByBooleanLiteral, Equatable, Sendable {
    private var byte: UInt8

    /// Makes the C value of a Swift one.
    public init(_ value: Bool) {
        byte = value ? 1 : 0
    }

    /// Makes a value from `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self.init(value)
    }

    /// The value as a Swift `Bool`.
    public var boolValue: Bool { byte != 0 }

    /// Whether both mean the same, whatever their bytes.
    public static func == (left: DarwinBoolean, right: DarwinBoolean) -> Bool {
        left.boolValue == right.boolValue
    }
}

extension DarwinBoolean: CustomStringConvertible {
    /// "true" or "false".
    public var description: String { boolValue.description }
}
