import KeychainClient
import KeychainModel
import KeychainWire

/// A search whose answer is read a page at a time, so that other clients are served between the pages.
final class SecretPages<Element> {
    private let secrets: KeychainSecrets
    private let element: (ItemResponse.Item) -> Element?
    private var next: ItemRequest?

    /// So many items are read before other clients have their turn.
    private let itemsInPage: UInt32 = 128

    /// - Parameters:
    ///   - request: the search for all items.
    ///   - element: what is read of an item; nil leaves it out.
    init(_ request: ItemRequest, of secrets: KeychainSecrets, _ element: @escaping (ItemResponse.Item) -> Element?) {
        (self.secrets, self.element) = (secrets, element)
        next = request
        next?.limit = .atMost(itemsInPage)
    }

    /// Whether everything has been read.
    var isAtEnd: Bool { next == nil }

    /// Reads the next page, which may be empty and yet not the last.
    ///
    /// - Throws: as ``KeychainSecrets/items(_:in:)``. A refused page is the refusal of the whole.
    func read() throws(Refusal) -> [Element] {
        guard let request = next else { return [] }
        do throws(Refusal) {
            let page = try secrets.ready().send(request)
            next?.cursor = page.cursor
            if page.cursor == 0 { next = nil }
            return page.items.compactMap(element)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            next = nil
            return []
        }
    }
}
