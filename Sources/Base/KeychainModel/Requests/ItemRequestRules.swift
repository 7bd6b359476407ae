/// The rules for combining the entries of a request (rule queries.dictionary.rules). The engine applies them to every
/// request: any program may be the client, so a check by the client proves nothing.
extension ItemRequest {
    /// Checks the request as a whole.
    ///
    /// - Throws: the refusal of the first rule it breaks; `errSecParam` unless the rule says otherwise.
    package func check() throws(Refusal) {
        try checkUpdatesExisting()
        try checkMissesNothing()
        if operation == .add, let parts = identityParts { return try checkIdentity(parts) }
        try checkClass()
        try checkEntries()
        try checkProtection(query)
        try checkProtection(changes)
        switch operation {
        case .add: try checkAdd()
        case .copyMatching: try checkCopyMatching()
        case .update: try checkUpdate()
        case .delete: try checkDelete()
        case .history, .restore, .forget: try checkVersions()
        }
    }

    /// The parsed persistent reference in the query.
    package var persistentReference: PersistentReference? {
        guard case .data(let bytes)? = query[.persistentReference] else { return nil }
        return PersistentReference(bytes)
    }

    /// The class of the request: the named one, or that of the persistent reference.
    package var effectiveClass: ItemClass? { itemClass ?? persistentReference?.itemClass }

    private func checkClass() throws(Refusal) {
        guard itemClass == nil else { return }
        if query.entry(.persistentReference) != nil { return }
        throw Refusal(
            .param, .classMissing, "class", "The query names no item class.",
            do: "Add kSecClass with one of the kSecClass constants.")
    }

    private func checkProtection(_ list: AttributeList) throws(Refusal) {
        if let value = list[.accessible], value.string.flatMap(Accessibility.init(code:)) == nil {
            throw Refusal(
                .param, .wrongValue, "pdmn", "kSecAttrAccessible has a value that is no protection class.",
                do: "Use one of the kSecAttrAccessible constants.")
        }
        if let entry = list.entry(.synchronizable), entry.kind == .string, list[.synchronizable] != .string("syna") {
            throw Refusal(
                .param, .wrongValue, "sync",
                "kSecAttrSynchronizable is neither a truth value nor kSecAttrSynchronizableAny.",
                do: "Use true, false or kSecAttrSynchronizableAny.")
        }
        guard list.entry(.accessControl) != nil else { return }
        guard let control = list.accessControl else {
            throw Refusal(
                .param, .wrongValue, "accc", "kSecAttrAccessControl is not an access control.",
                do: "Make one with SecAccessControlCreateWithFlags.")
        }
        // An unknown flag might be a requirement.
        guard AccessConstraint(flags: control.flags ?? 0).isUnderstood else {
            throw Refusal(
                .param, .wrongValue, "accc", "The access control contains a flag without a meaning.",
                do: "Make it with SecAccessControlCreateWithFlags and the named flags.")
        }
        if control.hasConstraints, list[.synchronizable]?.number ?? 0 != 0 { throw Self.guardedAndSynchronized }
    }

    private func checkAdd() throws(Refusal) {
        try refuseMatchKeys()
        try refuseSkip()
        if query.entry(.persistentReference) != nil { throw notHere("kSecValuePersistentRef", "v_PersistentRef") }
        if query.entry(.sealedKey) != nil, itemClass != .key || query.entry(.valueData) != nil {
            throw notHere("A key of the Secure Enclave", "v_Ref")
        }
        if query.entry(.accessible) != nil, query.entry(.accessControl) != nil { throw Self.accessibleTwice }
    }

    /// The given attributes must identify the item to change, and the request must contain its value.
    private func checkUpdatesExisting() throws(Refusal) {
        guard updatesExisting else { return }
        guard operation == .add, effectiveClass != .identity, query.entry(.sealedKey) == nil else {
            throw notHere("kSecUseUpdateExisting", "u_UpdateExisting")
        }
    }

    /// Only these look for what is there already.
    private func checkMissesNothing() throws(Refusal) {
        guard missesNothing, operation != .copyMatching, !updatesExisting else { return }
        throw notHere("An option for all matches", "options")
    }

    private func checkCopyMatching() throws(Refusal) {
        try checkReferenceAlone()
        if query.entry(.hostOrSubdomain) != nil, effectiveClass != .internetPassword {
            throw Refusal(
                .unimplemented, .notAllowedHere, "m_HostOrSubdomainOfHost",
                "kSecMatchHostOrSubdomainOfHost looks at internet passwords only.", do: "Use kSecClassInternetPassword."
            )
        }
        // The client evaluates what these keys say of certificates.
        if effectiveClass != .certificate, effectiveClass != .identity,
            let key = matchKey(where: { if case .matchCertificate = $0 { true } else { false } })
        {
            throw Refusal(
                .unimplemented, .notAllowedHere, key.code, "\(key.constant) looks at certificates only.",
                do: "Use kSecClassCertificate or kSecClassIdentity, or leave it out.")
        }
    }

    private func checkUpdate() throws(Refusal) {
        guard effectiveClass != .identity else {
            throw Refusal(
                .param, .notAllowedHere, "class",
                "An identity is not stored as such, and most attributes belong to both its halves.",
                do: "Update the certificate (kSecClassCertificate), the key (kSecClassKey), or one after the other.")
        }
        try checkReferenceAlone()
        try refuseMatchKeys()
        try refuseSkip()
        guard returns.isEmpty else { throw notHere("A kSecReturn key", "r_") }
        if changes.entry(.accessible) != nil, changes.entry(.accessControl) != nil { throw Self.accessibleTwice }
        if changes.entry(.sharingGroup) != nil { throw notHere("kSecAttrSharingGroup", "ggrp") }
    }

    /// Programs written for macOS ask for all items, which is the default anyway. A smaller limit is refused, because
    /// it would not be kept.
    private func checkDelete() throws(Refusal) {
        try checkReferenceAlone()
        try refuseMatchKeys { if case .matchLimit = $0 { limit != .all } else { true } }
        try refuseSkip()
    }

    /// Versions belong to items. Their values can be read only after a restore.
    private func checkVersions() throws(Refusal) {
        guard effectiveClass != .identity else { throw notHere("kSecClassIdentity", "class") }
        try checkReferenceAlone()
        // The old form of a reference is a row number, which earlier versions do not have.
        if let reference = persistentReference, case .row = reference.item {
            throw notHere("An old kSecValuePersistentRef", "v_PersistentRef")
        }
        try refuseMatchKeys { if case .matchLimit = $0 { !isSearch } else { true } }
        guard isSearch || authenticationUI != .skip else { throw notHere("kSecUseAuthenticationUISkip", "u_AuthUI") }
        guard !returns.contains(.data), !returns.contains(.reference) else { throw notHere("A kSecReturn key", "r_") }
    }

    private func checkReferenceAlone() throws(Refusal) {
        if query.entry(.sealedKey) != nil { throw notHere("A key of the Secure Enclave", "v_Ref") }
        guard query.entry(.persistentReference) != nil else { return }
        guard let reference = persistentReference, itemClass == nil || itemClass == reference.itemClass else {
            throw Refusal(
                .param, .wrongValue, "v_PersistentRef",
                "kSecValuePersistentRef is not a persistent reference of this class.",
                do: "Use what kSecReturnPersistentRef gave, without changing it.")
        }
        let extra = query.contains { $0.id != .persistentReference && $0.id != .valueData && $0.id != .accessGroup }
        guard !extra, query[.accessGroup].map({ AccessGroup.isOfSandboxedSecrets($0.string ?? "") }) ?? true else {
            throw Refusal(
                .param, .contradiction, "v_PersistentRef",
                "A persistent reference names one item; attributes cannot be added.",
                do: "Leave the attributes out.")
        }
    }

    private func refuseMatchKeys(where matches: (QueryKey.Role) -> Bool = { _ in true }) throws(Refusal) {
        if let key = matchKey(where: matches) { throw notHere(key.constant, key.code) }
    }

    private func refuseSkip() throws(Refusal) {
        if authenticationUI == .skip { throw notHere("kSecUseAuthenticationUISkip", "u_AuthUI") }
    }

    private func matchKey(where matches: (QueryKey.Role) -> Bool) -> QueryKey? {
        guard matchKeys != 0 else { return nil }
        let present = QueryKey.rows.indices.first {
            matchKeys & (1 << UInt64($0)) != 0 && matches(QueryKey.rows[$0].role)
        }
        return present.map { QueryKey.rows[$0] }
    }

    func notHere(_ name: String, _ key: String) -> Refusal {
        Refusal(
            .param, .notAllowedHere, key, "\(name) has no place in \(operation.functionName).",
            do: "Leave it out, or find the items first with SecItemCopyMatching.")
    }

    /// The refusal of a synchronised item that only this device could open (rule access-control.item.synchronizable).
    package static var guardedAndSynchronized: Refusal {
        Refusal(
            .param, .contradiction, "accc",
            "An access control with flags is bound to this device; such an item cannot be synchronised.",
            do: "Leave kSecAttrSynchronizable out, or the flags of the access control.")
    }

    private static var accessibleTwice: Refusal {
        Refusal(
            .param, .contradiction, "accc",
            "kSecAttrAccessible and kSecAttrAccessControl both say when the item may be opened.",
            do: "Give one of them; an access control names its protection class itself.")
    }
}

extension ItemRequest.Operation {
    /// The function that performs the operation.
    package var functionName: String {
        switch self {
        case .add: "SecItemAdd"
        case .copyMatching: "SecItemCopyMatching"
        case .update: "SecItemUpdate"
        case .delete: "SecItemDelete"
        case .history: "history"
        case .restore: "restore"
        case .forget: "forget"
        }
    }
}
