/// The kinds of key pairs there are. The raw value is Apple's: a decimal number written as text (semantics A.2).
package enum KeyType: String, CaseIterable, Sendable {
    case rsa = "42"
    /// The NIST prime curves.
    case ecSECPrimeRandom = "73"
    /// Signatures (RFC 8032), an extension.
    case ed25519 = "105"
    /// Key agreement (RFC 7748), an extension.
    case x25519 = "106"

    /// The name of the constant that programs write.
    package var constant: String {
        switch self {
        case .rsa: "kSecAttrKeyTypeRSA"
        case .ecSECPrimeRandom: "kSecAttrKeyTypeECSECPrimeRandom"
        case .ed25519: "kSecAttrKeyTypeEd25519"
        case .x25519: "kSecAttrKeyTypeX25519"
        }
    }

    /// Whether there are keys of this type with this many bits.
    package func allows(bits: Int) -> Bool {
        switch self {
        // Below 1024 bits keys have been factored; above 8192 an operation takes seconds, which a peer could make us spend.
        case .rsa: (1024...8192).contains(bits) && bits.isMultiple(of: 8)
        case .ecSECPrimeRandom: [256, 384, 521].contains(bits)
        case .ed25519, .x25519: bits == 256
        }
    }

    /// The sizes that ``allows(bits:)`` takes, in words.
    package var sizes: String {
        switch self {
        case .rsa: "a multiple of 8 from 1024 to 8192"
        case .ecSECPrimeRandom: "256, 384 or 521"
        case .ed25519, .x25519: "256"
        }
    }

    /// How many bytes a field element or modulus of such a key has; 66 for 521 bits.
    package static func blockSize(bits: Int) -> Int { (bits + 7) / 8 }

    /// Refuses sizes that are not made (semantics F.1: -50).
    ///
    /// - Throws: `Refusal` with `.param` and the rule `key.size`.
    package func check(bits: Int) throws(Refusal) {
        guard !allows(bits: bits) else { return }
        throw Refusal(
            .param, .keySize, "kSecAttrKeySizeInBits",
            "A key of type \(constant) cannot have \(bits) bits.\(why(bits))",
            do: "Ask for \(sizes).")
    }

    private func why(_ bits: Int) -> String {
        switch self {
        case .ecSECPrimeRandom where bits == 192 || bits == 224:
            " Curves of 192 and 224 bits are too weak for new keys and are not offered."
        case .rsa where (512..<1024).contains(bits): " RSA below 1024 bits can be broken by anyone."
        default: ""
        }
    }
}
