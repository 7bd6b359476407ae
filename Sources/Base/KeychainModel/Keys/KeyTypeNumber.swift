/// Key types in frames and sealed rows: the number of `kSecAttrKeyType`.
extension KeyType {
    /// The number of the type, which fits a byte.
    package var number: UInt8 {
        switch self {
        case .rsa: 42
        case .ecSECPrimeRandom: 73
        case .ed25519: 105
        case .x25519: 106
        }
    }

    /// The type of this number; nil for an unknown one.
    package init?(number: UInt8) { self.init(rawValue: String(number)) }
}
