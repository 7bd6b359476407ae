/// The decisions of this project where Wycheproof leaves them open ("acceptable"), by the flags of a case: the first
/// row with one of them counts.
struct WycheproofDecision: Sendable {
    let flag: String
    let accepts: Bool
    let reason: String

    static let table = [
        Self("ZeroSharedSecret", false, "a secret that anyone can know is refused (RFC 7748, section 6.1)"),
        Self(
            "CompressedPoint", false,
            "external representations and certificates have whole points (rule keys.form.strict)"),
        Self("UnnamedCurve", false, "a curve must be named (RFC 5480, 2.1.1); parameters can be chosen by an attacker"),
        Self("InvalidAsn", false, "what is not DER in its one encoding is not read"),
        Self("MissingNull", false, "a DigestInfo has its NULL (RFC 8017, 9.2), and is compared whole"),
        Self("NonCanonicalPublic", true, "the coordinate is reduced (RFC 7748, section 5)"),
        Self("Twist", true, "X25519 is safe on the twist (RFC 7748, section 5)"),
        Self("SpecialPublicKey", true, "a rare key, but one"),
        Self("EdgeCaseMultiplication", true, "a rare key, but one"),
        Self("EdgeCaseShared", true, "a rare secret, but one"),
        Self("SmallPublicKey", true, "a rare key, but one"),
        Self("Ktv", true, "RFC 7748's own vector"),
    ]

    private init(_ flag: String, _ accepts: Bool, _ reason: String) {
        (self.flag, self.accepts, self.reason) = (flag, accepts, reason)
    }

    /// Whether a case must succeed; nil when there is no decision.
    static func accepts(result: String, flags: [String]) -> Bool? {
        switch result {
        case "valid": true
        case "invalid": false
        default: table.first { flags.contains($0.flag) }?.accepts
        }
    }
}
