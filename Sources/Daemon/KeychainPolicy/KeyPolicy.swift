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
        }
    }
}
