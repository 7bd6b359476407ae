import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// A write that may seal items, and meet guarded ones.
protocol WriteCommand {
    var writer: ItemWriter { get }
    /// In front of guarded items.
    var gate: AccessControlGate { get }
    /// Whether items for anchored programs open.
    var isAnchored: Bool { get }
    /// Whether the user may be asked.
    var ui: ItemRequest.AuthenticationUI { get }
}

extension WriteCommand {
    var store: StoreWriter { writer.store }
    var sealer: ItemSealer { writer.sealer }
}

/// The write that a request wants, inside the writer's transaction.
protocol RequestedWrite: WriteCommand {
    var write: AuthorizedWrite { get }

    /// Performs the write and answers the request.
    ///
    /// - Throws: the refusal; the writer then undoes what was changed.
    func run() throws(Refusal)
}

extension RequestedWrite {
    var authorized: AuthorizedRequest { write.authorized }
    var request: ItemRequest { write.authorized.request }
    var deadline: Deadline { write.pending.deadline }
    var gate: AccessControlGate { write.pending.gate ?? writer.plainGate }
    var isAnchored: Bool { write.authorized.isAnchored }
    var ui: ItemRequest.AuthenticationUI { write.authorized.request.authenticationUI }

    /// The class of the items it is about.
    ///
    /// - Throws: `errSecItemNotFound` for a reference that names none.
    func itemClass() throws(Refusal) -> ItemClass {
        guard let itemClass = authorized.itemClass else { throw .nothingFound(request) }
        return itemClass
    }

    /// Answers with what `body` appends.
    func answer(notice: Refusal? = nil, _ body: (ResponseWriter) -> Void = { _ in }) {
        let response = write.pending.writer
        response.begin(id: write.pending.id, notice: notice)
        body(response)
        response.end()
    }
}
