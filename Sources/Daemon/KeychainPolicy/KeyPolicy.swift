package import KeychainModel
package import KeychainWire

/// A key request that the policy has let through: its key is bound to a group of the caller's.
package struct AuthorizedKeyRequest: Sendable {
    package let request: KeyRequest

    // Of this room alone, as `AuthorizedRequest`'s is.
    init(_ request: KeyRequest) { self.request = request }
}

extension AccessPolicy {
    /// Lets a key request through or says why not. A new key that names no group goes where the caller's items go by
    /// default.
    ///
    /// The keychain's own command may have any key attested that it is handed: that says where the key is and what its
    /// public half is, and lets nobody use it.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group the caller has not been granted; a sealed key says itself which
    ///   group it belongs to and whether it wants an anchored program, and the enclave that nobody has changed it.
    package static func authorize(
        _ request: KeyRequest, from caller: CallerIdentity
    ) throws(Refusal) -> AuthorizedKeyRequest {
        switch request {
        case .make(var binding):
            binding.group = try targetGroup(binding.group.isEmpty ? nil : binding.group, of: caller)
            return AuthorizedKeyRequest(.make(binding))
        case .use(let key, let use):
            let isInspection = use.algorithm == KeyUse.attestation && caller.mayInspectAllGroups
            if isInspection { return AuthorizedKeyRequest(request) }
            try caller.check(key.binding.group, toWrite: false)
            guard caller.isAnchored || !AccessConstraint(flags: key.binding.control).needsAnchor else {
                throw .notAnchored
            }
            return AuthorizedKeyRequest(request)
        // The engine looks up the shelf first, and asks about that.
        case .file: throw .unknownShelf
        }
    }

    /// Lets a caller use a shelf, which the engine has found, or says why not.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group that the caller has not been granted, and for a shelf that
    ///   wants an anchored program.
    package static func authorize(_ shelf: Shelf, from caller: CallerIdentity) throws(Refusal) {
        try caller.check(shelf.key.binding.group, toWrite: false)
        guard caller.isAnchored || !AccessConstraint(flags: shelf.key.binding.control).needsAnchor else {
            throw .notAnchored
        }
    }

    /// The place of a shelf that new files of the caller go to. One that names no group is where the caller's items go
    /// by default.
    ///
    /// - Throws: `errSecMissingEntitlement` as for an item that is added, and for a shelf that wants an anchored
    ///   program.
    package static func authorize(_ place: ShelfPlace, from caller: CallerIdentity) throws(Refusal) -> ShelfPlace {
        var place = place
        let named = place.binding.group.isEmpty ? nil : place.binding.group
        place.binding.group = try targetGroup(named, of: caller)
        let constraint = AccessConstraint(flags: place.binding.control)
        guard caller.isAnchored || !constraint.needsAnchor else { throw .notAnchored }
        return place
    }
}

extension CallerIdentity {
    /// Whether the caller may use a shelf.
    package func mayUse(shelf: Shelf) -> Bool {
        do throws(Refusal) { try AccessPolicy.authorize(shelf, from: self) } catch { return false }
        return true
    }
}

extension Refusal {
    /// A file's shelf says whose it is; without it nothing is authorized.
    package static let unknownShelf = Refusal(
        .internalError, .internalError, "shelf", "A request about a file was authorized before its shelf was known.",
        do: "Report this as a bug.")
}
