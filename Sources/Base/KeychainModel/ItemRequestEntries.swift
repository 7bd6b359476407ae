/// The rules on single entries: each belongs to the class, has a kind and a size it can have, and comes once.
extension ItemRequest {
    /// Checks all entries of both lists.
    func checkEntries() throws(Refusal) {
        guard let itemClass = effectiveClass else { return }
        try Self.check(query, itemClass, beside: Self.besideQuery)
        if changes.present != 0 { try Self.check(changes, itemClass, beside: Self.besideChanges) }
    }

    private static let besideQuery: [AttributeID] = [
        .valueData, .persistentReference, .hostOrSubdomain, .sealedKey,
    ]
    private static let besideChanges: [AttributeID] = [.valueData]

    private static func check(
        _ list: AttributeList, _ itemClass: ItemClass, beside others: [AttributeID]
    ) throws(Refusal) {
        var seen: (attributes: UInt64, others: [AttributeID]) = (0, [])
        try list.visit { (entry) throws(Refusal) in
            guard let attribute = AttributeTable.attribute(id: entry.id) else {
                guard others.contains(entry.id), !seen.others.contains(entry.id) else { throw unexpected(entry.id) }
                seen.others.append(entry.id)
                return try checkOther(entry, in: list)
            }
            guard seen.attributes & entry.id.bit == 0 else { throw unexpected(entry.id) }
            seen.attributes |= entry.id.bit
            try check(entry, of: attribute, in: list, itemClass)
        }
    }

    private static func check(
        _ entry: AttributeList.Entry, of attribute: ItemAttribute, in list: AttributeList, _ itemClass: ItemClass
    ) throws(Refusal) {
        guard attribute.belongs(to: itemClass) else {
            throw Refusal(
                .noSuchAttribute, .unknownAttribute, attribute.code,
                "Items of \(itemClass.constant) have no attribute \(attribute.displayName).",
                do: "Leave it out, or use the class that has it.")
        }
        // What is text by its kind is compared and decided upon as text: it must be some.
        guard attribute.allows(entry.kind), attribute.kind != .string || list.value(entry) != nil else {
            throw Refusal(
                .param, .wrongType, attribute.code, "\(attribute.displayName) has a value of the wrong type.",
                do: "Give it a value of the type its documentation names.")
        }
        guard entry.length <= ItemLimits.attributeBytes else {
            throw Refusal(
                .param, .tooLarge, attribute.code,
                "\(attribute.displayName) has \(entry.length) bytes; an attribute has at most \(ItemLimits.attributeBytes).",
                do: "Keep what is large in the value (kSecValueData).")
        }
    }

    /// What travels beside the attributes.
    private static func checkOther(_ entry: AttributeList.Entry, in list: AttributeList) throws(Refusal) {
        let isText = entry.id == .hostOrSubdomain
        guard entry.kind == (isText ? .string : .data), !isText || list.value(entry) != nil else {
            throw unexpected(entry.id)
        }
        guard entry.id != .valueData || entry.length <= ItemLimits.valueBytes else {
            throw ItemRequestBuilder.valueTooLarge(entry.length)
        }
    }

    private static func unexpected(_ id: AttributeID) -> Refusal {
        Refusal(
            .param, .malformedFrame, "attribute \(id.rawValue)",
            "The request names an attribute twice, one nobody knows, or one that has no place there.",
            do: "Use a client of the same version as the daemon.")
    }
}
