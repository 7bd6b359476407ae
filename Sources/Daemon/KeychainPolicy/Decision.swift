package import KeychainModel

/// The access policy's answer to a request.
package enum Decision: Sendable {
    /// It may go on, within this scope.
    case allowed(AuthorizedRequest)
    /// It may not; the refusal has the rule that spoke and what to do.
    case refused(Refusal)
}

extension AccessPolicy {
    /// Decides on a request: ``authorize(_:from:)`` as a value.
    package static func decide(_ request: ItemRequest, from caller: CallerIdentity) -> Decision {
        do throws(Refusal) { return .allowed(try authorize(request, from: caller)) } catch { return .refused(error) }
    }
}
