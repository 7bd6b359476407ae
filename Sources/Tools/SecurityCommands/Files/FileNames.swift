package import KeychainModel

extension FileProtection {
    /// The letter that names the class on command lines.
    package var letter: String {
        switch self {
        case .complete: "a"
        case .completeUnlessOpen: "b"
        case .completeUntilFirstUserAuthentication: "c"
        case .none: "d"
        }
    }
}

extension ShelfID {
    private static let digits = Array("0123456789abcdef")

    /// Its bytes in hexadecimal.
    package var text: String { String(bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }) }

    /// Reads an identifier; nil for another number of digits.
    package init?(text: String) {
        let values = text.compactMap(\.hexDigitValue)
        guard values.count == text.utf8.count, values.count == 2 * Self.size else { return nil }
        let bytes = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
        self.init(bytes.span)
    }
}
