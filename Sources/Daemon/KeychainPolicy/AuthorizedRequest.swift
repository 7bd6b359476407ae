package import KeychainModel

/// A request that the policy has let through, with the groups it may touch.
///
/// Its initialiser belongs to this room: what the store takes has been authorised, or it could not exist.
package final class AuthorizedRequest: Sendable {
    package let request: ItemRequest
    /// The class it is about: named, or that of the persistent reference.
    package let itemClass: ItemClass?
    /// The groups whose items the request may see or change.
    package let scope: Scope
    /// Where an added item goes.
    package let targetGroup: String
    /// The caller that looks at the attributes of all groups; nil for every other request.
    package let inspector: CallerIdentity?
    /// Values may be opened; false for an inspection across groups.
    package var mayOpenValues: Bool { inspector == nil }
    /// Items that demand an anchored program may be opened.
    package let isAnchored: Bool
    /// An inspection may show the attributes of such items.
    package let mayShowAnchored: Bool
    /// The parts of an identity's addition, the certificate first; empty for every other request.
    package let parts: [AuthorizedRequest]

    package enum Scope: Hashable, Sendable {
        case allGroups
        case groups([String])
    }

    init(
        _ request: ItemRequest, _ caller: CallerIdentity, scope: Scope, targetGroup: String = "",
        isInspection: Bool = false, parts: [AuthorizedRequest] = []
    ) {
        self.request = request
        itemClass = request.effectiveClass
        self.scope = scope
        self.targetGroup = targetGroup
        inspector = isInspection ? caller : nil
        isAnchored = caller.isAnchored
        mayShowAnchored = caller.mayShowAnchored
        self.parts = parts
    }
}

extension AuthorizedRequest.Scope {
    /// The group of an application in a sandbox, if that is all there is: what it stores through the bridge to the
    /// desktop takes no room from others.
    package var sandboxed: String? {
        guard case .groups(let names) = self, names.count == 1, AccessGroup.isOfSandboxedSecrets(names[0]) else {
            return nil
        }
        return names[0]
    }
}
