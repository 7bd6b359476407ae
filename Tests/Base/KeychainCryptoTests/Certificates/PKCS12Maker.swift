import DER

/// Writes PKCS#12 files without a MAC (RFC 7292 section 4), which no other program does.
enum PKCS12Maker {
    /// A file of safes that are not encrypted, each with these bags.
    static func file(_ safes: [[[UInt8]]]) -> [UInt8] {
        file(safes: safes.map { info(.data, element(.octetString, element(.sequence, $0.flatMap { $0 }))) })
    }

    static func file(safes: [[UInt8]]) -> [UInt8] {
        let content = element(.octetString, element(.sequence, safes.flatMap { $0 }))
        return element(.sequence, [2, 1, 3] + info(.data, content))
    }

    static func bag(_ type: DERObjectIdentifier, _ content: [UInt8]) -> [UInt8] { info(type, content) }

    /// A safe encrypted with PBES2 and this derivation.
    static func encryptedSafe(_ derivation: [UInt8]) -> [UInt8] {
        let content = object(.data) + cipher(derivation) + element(.implicit(0), [UInt8](repeating: 7, count: 32))
        return info(.encryptedData, element(.sequence, [2, 1, 0] + element(.sequence, content)))
    }

    /// Random content encrypted with PBES2 and this derivation.
    static func sealed(_ derivation: [UInt8]) -> [UInt8] {
        element(.sequence, cipher(derivation) + element(.octetString, [UInt8](repeating: 7, count: 32)))
    }

    /// An algorithm whose parameters are a salt and numbers.
    static func derivation(_ type: DERObjectIdentifier, _ numbers: [UInt64]) -> [UInt8] {
        var writer = DERWriter()
        writer.element(.octetString, [UInt8](repeating: 1, count: 8))
        for number in numbers { writer.integer(number) }
        return element(.sequence, object(type) + element(.sequence, writer.bytes))
    }

    private static func cipher(_ derivation: [UInt8]) -> [UInt8] {
        let aes = object(.aes256CBC) + element(.octetString, [UInt8](repeating: 2, count: 16))
        return element(.sequence, object(.pbes2) + element(.sequence, derivation + element(.sequence, aes)))
    }

    private static func info(_ type: DERObjectIdentifier, _ content: [UInt8]) -> [UInt8] {
        element(.sequence, object(type) + element(.explicit(0), content))
    }

    static func object(_ identifier: DERObjectIdentifier) -> [UInt8] {
        element(.objectIdentifier, identifier.content)
    }

    static func element(_ tag: DERTag, _ content: [UInt8]) -> [UInt8] {
        var writer = DERWriter()
        writer.element(tag, content)
        return writer.bytes
    }
}

extension DERWriter {
    /// Writes a non-negative integer.
    mutating func integer(_ value: UInt64) {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }.drop { $0 == 0 }
        element(.integer, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
    }
}

extension DERObjectIdentifier {
    static let data = Self(1, 2, 840, 113549, 1, 7, 1)
    static let encryptedData = Self(1, 2, 840, 113549, 1, 7, 6)
    static let pbkdf2 = Self(1, 2, 840, 113549, 1, 5, 12)
    static let pbes2 = Self(1, 2, 840, 113549, 1, 5, 13)
    static let scrypt = Self(1, 3, 6, 1, 4, 1, 11591, 4, 11)
    static let aes256CBC = Self(2, 16, 840, 1, 101, 3, 4, 1, 42)
    static let keyBag = Self(1, 2, 840, 113549, 1, 12, 10, 1, 1)
    static let shroudedKeyBag = Self(1, 2, 840, 113549, 1, 12, 10, 1, 2)
    static let unknownBag = Self(1, 2, 3, 4)
}

/// A DSA key of this size in PKCS#8, without its public half (RFC 3279 section 2.3.2).
func signatureKey(bytes: Int) -> [UInt8] {
    let number = [0x41] + [UInt8](repeating: 0xC1, count: bytes - 1)
    var writer = DERWriter()
    writer.element(.sequence) { writer in
        writer.integer(0)
        writer.element(.sequence) { writer in
            writer.objectIdentifier(DERObjectIdentifier(1, 2, 840, 10040, 4, 1))
            writer.element(.sequence) { writer in
                for part in [number, [0x41, 0xC1], number] { writer.element(.integer, part) }
            }
        }
        writer.element(.octetString, PKCS12Maker.element(.integer, number))
    }
    return writer.bytes
}
