import CertificateWire
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The user's decisions about certificates, each an item of this command.
///
/// Any program of the user may start this command, so a setting counts for basic chains and code signing alone, in this
/// command's own evaluations.
struct UserTrustSettings {
    static let service = "com.apple.security.trust-settings"
    /// The policies that a setting may be about.
    static let policies: [CertificatePolicy] = [.basic, .codeSigning]

    private let session: Session
    private let stored: StoredCertificates

    init(_ session: Session, _ call: String) {
        self.session = session
        stored = StoredCertificates(session: session, call: call)
    }

    /// All settings, the oldest first. One that cannot be read says nothing.
    func all() throws(CommandFailure) -> [TrustSetting] {
        try items().compactMap(\.trustSetting)
    }

    private func items() throws(CommandFailure) -> [StoredCertificates.Stored] {
        try atLogin { () throws(CommandFailure) in
            try stored.items(
                .genericPassword, ["r_Attributes", "r_Data", "r_PersistentRef"], [("svce", .string(Self.service))])
        }
    }

    /// Runs something in the login keychain, which has the settings. When it is locked the session stays there, and an
    /// offer to unlock is about it.
    private func atLogin<Result>(_ body: () throws(CommandFailure) -> Result) throws(CommandFailure) -> Result {
        let place = session.place
        try session.turn(to: ChosenKeychain.login, stored.call)
        let result = try body()
        try session.turn(to: place, stored.call)
        return result
    }

    /// Replaces what was said about a certificate.
    ///
    /// - Parameter facts: those of the certificate.
    func set(_ setting: TrustSetting, _ facts: CertificateFacts) throws(CommandFailure) {
        _ = try atLogin { () throws(CommandFailure) in
            try session.send(stored.call) { () throws(Refusal) in
                var builder = ItemRequestBuilder(.add)
                try builder.set("class", .string(ItemClass.genericPassword.code))
                try builder.set("svce", .string(Self.service))
                try builder.set("acct", .string(facts.sha256.upperHex))
                try builder.set("labl", .string(facts.summary))
                try builder.set("desc", .string("trust setting"))
                try builder.fill(value: setting.encoded)
                try builder.set("u_UpdateExisting", .boolean(true))
                return try builder.build()
            }
        }
    }

    /// Forgets what was said about a certificate.
    ///
    /// - Returns: false when nothing was.
    func remove(_ certificate: [UInt8]) throws(CommandFailure) -> Bool {
        var isFound = false
        for item in try items() {
            guard item.trustSetting?.certificate == certificate else { continue }
            try stored.delete(item)
            isFound = true
        }
        return isFound
    }
}

extension StoredCertificates.Stored {
    /// The setting that the item holds; nil for none that can be read.
    fileprivate var trustSetting: TrustSetting? {
        item.attributes.secret(.valueData).flatMap { try? TrustSetting(decoding: $0) }
    }
}

/// The user's decisions about one certificate, by policy.
///
///     setting = version:u8 certificate count:u8 *(policy:u8 decision:u8)
struct TrustSetting {
    /// In DER.
    let certificate: [UInt8]
    let decisions: [(policy: CertificatePolicy, decision: TrustDecision)]

    private static let version: UInt8 = 1

    init(_ certificate: [UInt8], _ decisions: [(policy: CertificatePolicy, decision: TrustDecision)]) {
        (self.certificate, self.decisions) = (certificate, decisions)
    }

    /// - Throws: `errSecParam` for bytes that are no setting.
    init(decoding bytes: SecretBytes) throws(Refusal) {
        var reader = WireReader(bytes)
        guard try reader.integer(UInt8.self) == Self.version else { throw .malformed("a trust setting") }
        certificate = try reader.bytes(atMost: CertificateLimits.certificateBytes)
        var decisions: [(policy: CertificatePolicy, decision: TrustDecision)] = []
        for _ in 0..<(try reader.integer(UInt8.self)) {
            guard let policy = CertificatePolicy(rawValue: try reader.integer(UInt8.self)),
                let decision = TrustDecision(rawValue: try reader.integer(UInt8.self))
            else { throw .malformed("a trust setting") }
            decisions.append((policy, decision))
        }
        guard reader.isAtEnd else { throw .malformed("a trust setting") }
        self.decisions = decisions
    }

    var encoded: SecretBytes {
        let buffer = SecretBuffer()
        buffer.append(Self.version)
        buffer.append(bytes: certificate.span)
        buffer.append(UInt8(truncatingIfNeeded: decisions.count))
        for (policy, decision) in decisions {
            buffer.append(policy.rawValue)
            buffer.append(decision.rawValue)
        }
        return buffer.finish()
    }

    /// The decision about the certificate for a policy; nil for none, and for a policy that no setting is about.
    func decision(for policy: CertificatePolicy) -> TrustDecision? {
        guard UserTrustSettings.policies.contains(policy) else { return nil }
        return decisions.last { $0.policy == policy }?.decision
    }
}
