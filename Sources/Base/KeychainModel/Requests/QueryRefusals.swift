/// The refusals of dictionaries that break the rules for queries.
extension Refusal {
    /// The refusal of an unknown key. Most often it is the *name* of a constant written as a string (rule
    /// queries.keys.constant-name).
    static func unknownKey(_ key: String) -> Refusal {
        if let meant = QueryKey.key(ofConstant: key) {
            return Refusal(
                .param, .constantName, key, "\"\(key)\" is the name of a constant, not its value.",
                do: "Write the constant \(key) without quotes; its value is \"\(meant)\".")
        }
        guard key.utf16.count != 4 else {
            return Refusal(
                .noSuchAttribute, .unknownAttribute, key, "No class has an attribute \"\(key)\".",
                do: "Use one of the kSecAttr constants.")
        }
        return Refusal(
            .param, .unknownKey, key, "\"\(key)\" is not a key of a keychain query.",
            do: "Use the kSec constants as keys.")
    }

    static func unknownClass(_ given: String, hint: String?) -> Refusal {
        let remedy = hint.map { "Write the constant \($0) without quotes." } ?? "Use one of the kSecClass constants."
        return Refusal(.noSuchClass, .unknownClass, "class", "There is no item class \(given).", do: remedy)
    }

    static func wrongType(_ key: QueryKey, _ raw: RawValue, _ wanted: String) -> Refusal {
        Refusal(.param, .wrongType, key.code, "\(key.constant) cannot be \(raw.kindName).", do: "Give it \(wanted).")
    }

    static func restricted(_ key: QueryKey) -> Refusal { restricted(key.code, key.constant) }
    static func restricted(_ attribute: ItemAttribute) -> Refusal {
        attribute.code == ItemAttribute.ofAppClips ? .appClip : restricted(attribute.code, attribute.constants[0])
    }

    /// Apple's systems take it for a wrong parameter of any program.
    private static let appClip = Refusal(
        .param, .restrictedAttribute, ItemAttribute.ofAppClips, "clip marks items of app clips, which are not here.",
        do: "Leave it out.")

    private static func restricted(_ subject: String, _ name: String) -> Refusal {
        Refusal(
            .missingEntitlement, .restrictedAttribute, subject,
            "\(name) needs an entitlement that no program here has.",
            do: "Leave it out.")
    }

    static func valueTooLarge(_ size: Int) -> Refusal {
        Refusal(
            .param, .tooLarge, "v_Data", "The value has \(size) bytes; an item keeps at most \(ItemLimits.valueBytes).",
            do: "Encrypt large data into a file of its own and keep only its key in the keychain.")
    }

    static var tooManyKeys: Refusal {
        Refusal(
            .param, .tooLarge, "query", "The dictionary has more than \(ItemLimits.dictionaryKeys) keys.",
            do: "Leave out what no item has.")
    }
}
