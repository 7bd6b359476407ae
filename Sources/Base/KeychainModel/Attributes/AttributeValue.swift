/// A value as a program put it into a query dictionary, before it is checked against an attribute.
package enum RawValue: Sendable {
    case string(String)
    case data([UInt8])
    case number(Int64)
    case boolean(Bool)
    case date(Double)
    case uuid([UInt8])
    case accessControl(AccessControl)
    case null
    /// A value that no attribute takes; the name of its type is for the explanation.
    case other(String)

    /// The name of this kind of value in messages.
    package var kindName: String {
        switch self {
        case .string: "a string"
        case .data: "data"
        case .number: "a number"
        case .boolean: "a boolean"
        case .date: "a date"
        case .uuid: "a UUID"
        case .accessControl: "an access control"
        case .null: "null"
        case .other(let type): "an object of type \(type)"
        }
    }
}

/// A value of an attribute, as stored, sent and returned. Strings stay strings and data stays data (A.2).
@usableFromInline package enum AttributeValue: Hashable, Sendable {
    case string(String)
    case data([UInt8])
    case number(Int64)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)

    /// The mark of the value's type in its encoded form.
    package enum Kind: UInt8, Sendable {
        case string = 1
        case data = 2
        case number = 3
        case date = 4
    }

    package var kind: Kind {
        switch self {
        case .string: .string
        case .data: .data
        case .number: .number
        case .date: .date
        }
    }

    package var string: String? {
        switch self {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        case .number, .date: nil
        }
    }

    package var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The bytes of the value's encoded form.
    package var bytes: [UInt8] {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        case .number(let number): number.littleEndianBytes
        case .date(let seconds): seconds.bitPattern.littleEndianBytes
        }
    }
}

extension FixedWidthInteger {
    /// The integer's bytes, least significant first.
    package var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }
}
