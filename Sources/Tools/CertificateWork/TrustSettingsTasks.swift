import CertificateWire
import DER
import KeychainCrypto
import KeychainModel
import LinuxSystem
import PropertyLists

/// Apple's file of trust settings: a property list, `trustVersion` 1. `trustList` has a dictionary for each certificate
/// under its SHA-1 digest, whose `trustSettings` are dictionaries by policy (SecTrustSettings.h).
private enum TrustSettingsFile {
    static let version: Int64 = 1
    static let policy = "kSecTrustSettingsPolicy"
    static let policyName = "kSecTrustSettingsPolicyName"
    static let result = "kSecTrustSettingsResult"

    /// The object identifiers of Apple's policies, 1.2.840.113635.100.1.N, as encoded.
    static func identifier(_ policy: CertificatePolicy) -> [UInt8] { arc + [lastArc(policy)] }

    /// The policy of an identifier; for TLS that of the server.
    static func policy(of identifier: [UInt8]) -> CertificatePolicy? {
        CertificatePolicy.allCases.first { $0 != .tlsClient && Self.identifier($0) == identifier }
    }

    private static let arc: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x01]

    private static func lastArc(_ policy: CertificatePolicy) -> UInt8 {
        switch policy {
        case .basic: 2
        case .tlsClient, .tlsServer: 3
        case .mail: 8
        case .eap: 9
        case .ipSec: 11
        case .codeSigning: 16
        case .timeStamping: 20
        }
    }

    static func name(_ policy: CertificatePolicy) -> String {
        switch policy {
        case .basic: "basicX509"
        case .tlsClient, .tlsServer: "sslServer"
        case .mail: "SMIME"
        case .eap: "eapServer"
        case .ipSec: "ipsecServer"
        case .codeSigning: "CodeSigning"
        case .timeStamping: "AppleTimeStamping"
        }
    }
}

extension WriteTrustSettings {
    func answer() throws(Refusal) -> Answer {
        var list: [PropertyList.Entry] = []
        for (encoded, decisions) in settings {
            let certificate = try Certificate(reading: encoded.span)
            do throws(CryptoError) {
                let digest = try Digest.of(encoded.span, .sha1)
                list.append(
                    PropertyList.Entry(key: digest.upperHex, value: record(of: certificate, decisions)))
            } catch { throw error.refusal("certificate") }
        }
        let root = PropertyList.dictionary([
            PropertyList.Entry(key: "trustList", value: .dictionary(list)),
            PropertyList.Entry(key: "trustVersion", value: .integer(TrustSettingsFile.version)),
        ])
        return Answer(SecretBytes(copying: Array(root.document.utf8).span))
    }

    private func record(of certificate: Certificate, _ decisions: [PolicyDecision]) -> PropertyList {
        .dictionary([
            PropertyList.Entry(key: "issuerName", value: .data(certificate.issuer.encoded)),
            PropertyList.Entry(key: "modDate", value: .date(date)),
            PropertyList.Entry(key: "serialNumber", value: .data(certificate.serialNumber)),
            PropertyList.Entry(key: "trustSettings", value: .array(decisions.map(Self.setting))),
        ])
    }

    private static func setting(_ one: PolicyDecision) -> PropertyList {
        .dictionary([
            PropertyList.Entry(
                key: TrustSettingsFile.policy, value: .data(TrustSettingsFile.identifier(one.policy))),
            PropertyList.Entry(
                key: TrustSettingsFile.policyName, value: .string(TrustSettingsFile.name(one.policy))),
            PropertyList.Entry(key: TrustSettingsFile.result, value: .integer(Int64(one.decision.rawValue))),
        ])
    }
}

extension ReadTrustSettings {
    func answer() throws(Refusal) -> Answer {
        let bytes = file.withSpan { $0.array(0, $0.count) }
        let root: PropertyList
        do throws(PropertyList.Malformed) {
            root = try PropertyList(xml: bytes, atMost: CertificateLimits.fileBytes)
        } catch { throw Self.malformed(error.problem, line: error.line) }
        guard root["trustVersion"] == .integer(TrustSettingsFile.version) else {
            throw Self.malformed("its trustVersion is not \(TrustSettingsFile.version)")
        }
        guard case .dictionary(let list)? = root["trustList"], list.count <= CertificateLimits.certificates else {
            throw Self.malformed("it has no trustList")
        }
        var entries: [Entry] = []
        for item in list { entries.append(try Self.entry(item)) }
        return Answer(entries)
    }

    private static func entry(_ item: PropertyList.Entry) throws(Refusal) -> Entry {
        guard let digest = [UInt8](hexadecimal: item.key), digest.count == 20 else {
            throw malformed("a key of its trustList is no SHA-1 digest")
        }
        // No list, or an empty one, trusts a root for everything (SecTrustSettings.h).
        guard case .array(let settings)? = item.value["trustSettings"], !settings.isEmpty else {
            return Entry(digest, [], hasOthers: true)
        }
        let decisions = settings.prefix(256).compactMap(decision)
        return Entry(digest, decisions, hasOthers: decisions.count != settings.count)
    }

    /// The decision of a setting for a policy and nothing narrower; nil for any other.
    private static func decision(_ setting: PropertyList) -> PolicyDecision? {
        let known: Set = [TrustSettingsFile.policy, TrustSettingsFile.policyName, TrustSettingsFile.result]
        guard case .dictionary(let entries) = setting, entries.allSatisfy({ known.contains($0.key) }),
            case .data(let identifier)? = setting[TrustSettingsFile.policy],
            let policy = TrustSettingsFile.policy(of: identifier)
        else { return nil }
        guard let result = setting[TrustSettingsFile.result] else { return PolicyDecision(policy, .trustRoot) }
        guard case .integer(let number) = result, let decision = UInt8(exactly: number).flatMap(TrustDecision.init)
        else { return nil }
        return PolicyDecision(policy, decision)
    }

    private static func malformed(_ problem: String, line: Int = 0) -> Refusal {
        let place = line > 0 ? " (line \(line))" : ""
        return Refusal(
            .decode, Refusal.Rule(rawValue: "trust-settings.malformed"), "file",
            "The file is no file of trust settings: \(problem)\(place).",
            do: "Give a file that trust-settings-export has written.")
    }
}

extension [UInt8] {
    var upperHex: String {
        map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The bytes of hexadecimal digits; nil for other text.
    fileprivate init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
