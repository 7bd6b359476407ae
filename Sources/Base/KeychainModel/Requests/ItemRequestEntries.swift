/// The rules for single entries: each belongs to the class, has a valid type and size, and occurs once.
extension ItemRequest {
    /// Checks all entries of both lists.
    func checkEntries() throws(Refusal) {
        guard let itemClass = effectiveClass else { return }
        try Self.check(query, itemClass, isChange: false)
        if changes.present != 0 { try Self.check(changes, itemClass, isChange: true) }
        guard operation == .restore || changes.entry(.lostVersion) == nil else { throw Self.unexpected(.lostVersion) }
    }

    private static func check(_ list: AttributeList, _ itemClass: ItemClass, isChange: Bool) throws(Refusal) {
        var seen: (attributes: AttributeSet, others: UInt64) = (0, 0)
        try list.visit { (entry) throws(Refusal) in
            guard let attribute = AttributeTable.attribute(id: entry.id) else {
                guard let bit = placeBeside(entry.id, isChange), seen.others & bit == 0 else {
                    throw unexpected(entry.id)
                }
                seen.others |= bit
                return try checkOther(entry, in: list)
            }
            guard seen.attributes & entry.id.bit == 0 else { throw unexpected(entry.id) }
            seen.attributes |= entry.id.bit
            try check(entry, of: attribute, in: list, itemClass)
        }
    }

    /// The bit of a companion entry of a query or a change; nil for an entry that is not allowed there.
    private static func placeBeside(_ id: AttributeID, _ isChange: Bool) -> UInt64? {
        switch id {
        case .valueData: 1
        case .persistentReference where !isChange: 2
        case .hostOrSubdomain where !isChange: 4
        case .sealedKey where !isChange: 8
        case .lostVersion where isChange: 16
        default: nil
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
        // Text attributes are compared and checked as text, so they must be valid text.
        guard attribute.allows(entry.kind), attribute.kind != .string || list.value(entry) != nil else {
            throw Refusal(
                .param, .wrongType, attribute.code, "\(attribute.displayName) has a value of the wrong type.",
                do: "Give it a value of the type its documentation names.")
        }
        guard entry.length <= ItemLimits.attributeBytes else {
            throw Refusal(
                .param, .tooLarge, attribute.code,
                "\(attribute.displayName) has \(entry.length) bytes; an attribute has at most "
                    + "\(ItemLimits.attributeBytes).",
                do: "Keep what is large in the value (kSecValueData).")
        }
        if attribute.id == .lookupAttributes { try checkLookup(list) }
    }

    /// An item with pairs that nobody can read is found by none of them, and a search for such pairs finds nothing.
    private static func checkLookup(_ list: AttributeList) throws(Refusal) {
        guard LookupAttributes(in: list)?.isWithinLimits != true else { return }
        throw Refusal(
            .param, .wrongValue, "satt",
            "kSecAttrLookupAttributes is not a list of pairs, or has more than \(LookupAttributes.mostPairs) pairs, "
                + "\(LookupAttributes.mostBytes) bytes of them, or a name of more than "
                + "\(LookupAttributes.longestName) bytes.",
            do: "Write the list as docs/formats/store.md says, with fewer pairs.")
    }

    /// Checks a companion entry.
    private static func checkOther(_ entry: AttributeList.Entry, in list: AttributeList) throws(Refusal) {
        let kind: AttributeValue.Kind =
            switch entry.id {
            case .hostOrSubdomain: .string
            case .lostVersion: .number
            default: .data
            }
        guard entry.kind == kind, kind == .data || list.value(entry) != nil else { throw unexpected(entry.id) }
        guard entry.id != .valueData || entry.length <= ItemLimits.valueBytes else {
            throw .valueTooLarge(entry.length)
        }
    }

    private static func unexpected(_ id: AttributeID) -> Refusal {
        Refusal(
            .param, .malformedFrame, "attribute \(id.rawValue)",
            "The request names an attribute twice, one nobody knows, or one that has no place there.",
            do: "Use a client of the same version as the daemon.")
    }
}
