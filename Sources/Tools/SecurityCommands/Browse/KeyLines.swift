import KeychainModel
import KeychainWire

/// The lines about a key: its half, its size, its uses, and whether it may leave the keychain.
enum KeyLines {
    private static let uses: [(AttributeID, String)] = [
        (.canSign, "sign"), (.canVerify, "verify"), (.canEncrypt, "encrypt"), (.canDecrypt, "decrypt"),
        (.canDerive, "derive"), (.canWrap, "wrap"), (.canUnwrap, "unwrap"),
    ]

    /// - Returns: nothing for an item that is no key.
    static func lines(of found: ItemResponse.Item) -> [(label: String, text: String)] {
        guard found.itemClass == .key else { return [] }
        let attributes = found.attributes
        let isTrue = { (id: AttributeID) in (attributes[id]?.number ?? 0) != 0 }
        let can = uses.filter { isTrue($0.0) }.map(\.1).joined(separator: ", ")
        let size = attributes[.keySizeInBits]?.number.map { "\($0) bits" } ?? ""
        let isInHardware = !attributes.shownText(.tokenID).isEmpty
        let lines: [(label: String, text: String)] = [
            ("Half", half(attributes)), ("Size", size), ("Uses", can.isEmpty ? "none" : can),
            ("Leaves", isInHardware ? "never: the Secure Enclave has it" : isTrue(.isExtractable) ? "yes" : "no"),
        ]
        return lines.filter { !$0.text.isEmpty }
    }

    private static func half(_ attributes: AttributeList) -> String {
        switch attributes[.keyClass]?.number.flatMap({ KeyClass(rawValue: "\($0)") }) {
        case .public: "public"
        case .private: "private"
        case .symmetric: "symmetric"
        case nil: ""
        }
    }
}
