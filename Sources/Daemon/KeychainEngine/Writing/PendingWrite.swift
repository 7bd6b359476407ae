package import KeychainModel
package import KeychainPolicy
package import KeychainWire

/// A write on its way: what is asked, by whom, and where the answer goes.
///
/// Handed from the thread that received it to the one that writes and back; one of them has it at a time.
package final class PendingWrite: @unchecked Sendable {
    package let request: ItemRequest
    package let caller: CallerIdentity
    package let id: UInt32
    /// Has the complete response once the write was performed.
    package let writer = ResponseWriter()

    package init(_ request: ItemRequest, from caller: CallerIdentity, id: UInt32) {
        self.request = request
        self.caller = caller
        self.id = id
    }

    func refuse(_ refusal: Refusal) { writer.refuse(refusal, id: id) }
}
