import KeychainModel
import KeychainWire

/// The lines about a key: its type, its class, its size, its uses, and whether it can be exported.
enum KeyLines {
    private static let uses: [(AttributeID, String)] = [
        (.canSign, "sign"), (.canVerify, "verify"), (.canEncrypt, "encrypt"), (.canDecrypt, "decrypt"),
        (.canDerive, "derive"), (.canWrap, "wrap"), (.canUnwrap, "unwrap"),
    ]

    /// - Returns: nothing for an item that is no key.
    static func lines(
        of found: ItemResponse.Item, say: (Words) -> String
    ) -> [(label: String, text: String)] {
        guard found.itemClass == .key else { return [] }
        let attributes = found.attributes
        let isTrue = { (id: AttributeID) in (attributes[id]?.number ?? 0) != 0 }
        let can = uses.filter { isTrue($0.0) }.map { say($0.1) }.joined(separator: ", ")
        let size = attributes[.keySizeInBits]?.number.map { "\($0) bits" } ?? ""
        let isInHardware = !attributes.shownText(.tokenID).isEmpty
        let lines: [(label: String, text: String)] = [
            ("Type", type(attributes)), ("Key class", keyClass(attributes)), ("Size", size),
            ("Uses", can.isEmpty ? "none" : can),
            ("Exportable", isInHardware ? "never: the Secure Enclave has it" : isTrue(.isExtractable) ? "yes" : "no"),
        ]
        return lines.filter { !$0.text.isEmpty }.map { ($0.label, say(Words($0.text))) }
    }

    private static func type(_ attributes: AttributeList) -> String {
        guard attributes[.keyClass]?.number != 2, let number = attributes[.type]?.number else { return "" }
        return switch KeyType(rawValue: "\(number)") {
        case .rsa: "RSA"
        case .ecSECPrimeRandom: "EC"
        case .ed25519: "Ed25519"
        case .x25519: "X25519"
        case nil: "\(number)"
        }
    }

    private static func keyClass(_ attributes: AttributeList) -> String {
        switch attributes[.keyClass]?.number.flatMap({ KeyClass(rawValue: "\($0)") }) {
        case .public: "public"
        case .private: "private"
        case .symmetric: "symmetric"
        case nil: ""
        }
    }
}
