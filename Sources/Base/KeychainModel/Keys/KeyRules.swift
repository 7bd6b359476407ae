/// The rules about keys.
extension Refusal.Rule {
    package static let keyType = Self(rawValue: "key.type")
    package static let keySize = Self(rawValue: "key.size")
    package static let keyData = Self(rawValue: "key.malformed")
    package static let keyAlgorithm = Self(rawValue: "key.algorithm-not-supported")
    package static let keyInput = Self(rawValue: "key.input")
    package static let keyParameter = Self(rawValue: "key.parameter")
    package static let keySignature = Self(rawValue: "key.signature")
    package static let keyNotExtractable = Self(rawValue: "key.not-extractable")
}
