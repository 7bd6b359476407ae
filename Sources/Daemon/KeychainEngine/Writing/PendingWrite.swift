package import KeychainModel
package import KeychainPolicy
package import KeychainWire
package import LinuxSystem

/// A write request on its way: the request, its caller, and the writer of its answer.
///
/// Handed from the thread that received it to the one that writes and back; one of them has it at a time.
package final class PendingWrite: @unchecked Sendable {
    package let request: ItemRequest
    package let caller: CallerIdentity
    package let id: UInt32
    /// When its caller gives up; it is not begun after that.
    package let deadline: Deadline
    /// Has the complete response once the write was performed.
    package let writer = ResponseWriter()
    /// Where the user may have been asked for this write; nil for one that came plainly.
    let gate: AccessControlGate?

    package convenience init(_ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline) {
        self.init(request, from: caller, id: id, by: deadline, past: nil)
    }

    init(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        past gate: AccessControlGate?
    ) {
        self.gate = gate
        self.request = request
        self.caller = caller
        decision = AuditLog.Entry(caller, request)
        self.id = id
        self.deadline = deadline
    }

    /// The result, for the log.
    private(set) var decision: AuditLog.Entry

    func refuse(_ refusal: Refusal) {
        decision.end(in: refusal, request)
        writer.refuse(refusal, id: id)
    }

    /// The policy has let it through.
    func allow(_ authorized: AuthorizedRequest) { decision.scope = authorized.scope }
}

/// A write that the policy has let through.
struct AuthorizedWrite {
    let pending: PendingWrite
    let authorized: AuthorizedRequest

    /// - Throws: the policy's refusal.
    init(_ pending: PendingWrite) throws(Refusal) {
        self.pending = pending
        authorized = try AccessPolicy.authorize(pending.request, from: pending.caller)
        pending.allow(authorized)
    }
}

extension [PendingWrite] {
    /// When nobody waits for any of them any more.
    var latestDeadline: Deadline { map(\.deadline).max() ?? .never }
}
