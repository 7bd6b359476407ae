import LinuxSystem

/// A text that must not be shown, and the name that stands in its place.
///
/// It is a pattern: each of its units is written as itself or as one of its escapes (``WrittenByte``), and so each
/// mixture of them is found.
struct MaskedForm {
    enum Alphabet {
        /// A unit is a byte.
        case bytes
        /// A unit is four bits, a digit in either case.
        case hexadecimal
        /// A unit is six bits, a digit of either alphabet.
        case base64

        /// The unit that a byte of a text stands for; nil for none.
        func unit(of byte: UInt8) -> UInt8? {
            switch self {
            case .bytes: byte
            case .hexadecimal: WrittenByte.hexDigit(byte)
            case .base64: WrittenByte.base64Digit(byte)
            }
        }
    }

    let name: String
    let alphabet: Alphabet
    let units: SecretBytes
    /// The bits of the first unit that belong to the value.
    var firstBits: UInt8 = 0xFF
    /// The same of the last one.
    var lastBits: UInt8 = 0xFF

    /// The bits of a unit that belong to the value; 0xFF for all.
    func bits(at unit: Int) -> UInt8 {
        (unit == 0 ? firstBits : 0xFF) & (unit == units.count - 1 ? lastBits : 0xFF)
    }

    /// The bytes that a unit may be written as, without an escape.
    func alternatives(at unit: Int) -> [UInt8] {
        units.withSpan { units in
            guard unit < units.count else { return [] }
            return (0...UInt8.max).filter { byte in
                alphabet.unit(of: byte).map { $0 & bits(at: unit) == units[unit] } ?? false
            }
        }
    }
}
