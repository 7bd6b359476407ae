/// The types of key pairs. The raw value is Apple's: a decimal number written as text (rule keys.type.numbers).
package enum KeyType: String, CaseIterable, Sendable {
    case rsa = "42"
    /// The NIST prime curves.
    case ecSECPrimeRandom = "73"
    /// Signatures (RFC 8032), an extension.
    case ed25519 = "105"
    /// Key agreement (RFC 7748), an extension.
    case x25519 = "106"

    /// The name of the constant.
    package var constant: String {
        switch self {
        case .rsa: "kSecAttrKeyTypeRSA"
        case .ecSECPrimeRandom: "kSecAttrKeyTypeECSECPrimeRandom"
        case .ed25519: "kSecAttrKeyTypeEd25519"
        case .x25519: "kSecAttrKeyTypeX25519"
        }
    }

    /// Whether keys of this type can have this size in bits.
    package func allows(bits: Int) -> Bool {
        switch self {
        // Above 8192 bits an operation takes seconds, which a peer could force on the caller.
        case .rsa: (512...8192).contains(bits)
        case .ecSECPrimeRandom: [192, 224, 256, 384, 521].contains(bits)
        case .ed25519, .x25519: bits == 256
        }
    }

    /// The sizes that ``allows(bits:)`` accepts, as a text.
    package var sizes: String {
        switch self {
        case .rsa: "512 to 8192"
        case .ecSECPrimeRandom: "192, 224, 256, 384 or 521"
        case .ed25519, .x25519: "256"
        }
    }

    /// The number of bytes of a field element or modulus; 66 for 521 bits.
    package static func blockSize(bits: Int) -> Int { (bits + 7) / 8 }

    /// Refuses unsupported sizes (rule keys.type.sizes: -50).
    ///
    /// - Throws: `Refusal` with `.param` and the rule `key.size`.
    package func check(bits: Int) throws(Refusal) {
        guard !isMade(bits: bits) else { return }
        let isAllowed = allows(bits: bits)
        throw Refusal(
            .param, .keySize, "kSecAttrKeySizeInBits",
            "A key of type \(constant) cannot \(isAllowed ? "be made with" : "have") \(bits) bits.",
            do: "Ask for \(isAllowed ? "\(bits + 1)" : sizes).")
    }

    /// Whether keys of this size are made here. From 2048 bits on, OpenSSL halves the size for the two factors (FIPS
    /// 186-4), and of an odd size it would make a key that is one bit shorter.
    package func isMade(bits: Int) -> Bool {
        allows(bits: bits) && !(self == .rsa && bits > 2048 && bits % 2 == 1)
    }

    /// The warning that a new key of this size is too short; nil for sizes with 112 bits of security and more (NIST SP
    /// 800-57 part 1, table 2). Keys of all sizes are made and used, because other programs have such keys.
    package func weakness(bits: Int) -> String? {
        switch self {
        case .rsa where bits < 1024: "An RSA key of \(bits) bits can be broken by anyone; use 2048 bits or more."
        case .rsa where bits < 2048: "An RSA key of \(bits) bits is too weak for new uses; use 2048 bits or more."
        case .ecSECPrimeRandom where bits < 224:
            "A curve of \(bits) bits is too weak for new uses; use 256 bits or more."
        default: nil
        }
    }
}

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
