import KeychainModel

extension Refusal {
    static func nothingFound(_ request: ItemRequest) -> Refusal {
        Refusal(
            .itemNotFound, .notFound, request.effectiveClass?.code ?? "",
            "No item of the caller's groups matches the query.",
            do: "Check the attributes; items that are synchronised are found only with kSecAttrSynchronizable.")
    }

    /// The device state keeps a protection class closed.
    static func locked(_ accessibility: Accessibility?) -> Refusal {
        let code = accessibility?.code ?? ""
        return Refusal(
            .interactionNotAllowed, .locked, code,
            "Items of the protection class \"\(code)\" are closed while the device is locked.",
            do: "Unlock the keychain (security unlock-keychain), or keep what is needed in the background under "
                + "kSecAttrAccessibleAfterFirstUnlock.")
    }
}

extension AttributeList {
    /// The name of an item with these attributes, for a person.
    var displayName: String {
        let naming: [AttributeID] = [.label, .service, .server, .applicationTag, .account]
        for id in naming {
            switch self[id] {
            case .string(let text)? where !text.isEmpty: return text
            case .data(let bytes)?:
                if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty { return text }
            default: break
            }
        }
        return ""
    }
}
