import KeychainModel
import Systemd

/// A search for items, done a page at a time: other clients are served between the pages. Where the keychain cannot say
/// whether there is an item, the search ends in an error.
final class SecretSearch {
    private let bridge: Bridge
    private let wanted: LookupAttributes.Pairs
    private let collection: String?
    private var found: [SecretMatch] = []
    /// Open items with what they have; nil where the index alone is asked, which knows items that are closed.
    private var items: SecretPages<SecretItem>?
    /// The collections that the index is still to be asked for, the next one last.
    private var places: [String] = []
    private var names: (pages: SecretPages<String>, place: String, read: [String])?

    /// - Parameter collection: nil for all collections.
    init(_ wanted: LookupAttributes.Pairs, in collection: String?, _ bridge: Bridge) throws(BusFailure) {
        (self.bridge, self.wanted, self.collection) = (bridge, wanted, collection)
        guard collection != SecretCollection.session else { return }
        if wanted.isEmpty {
            try askIndex()
        } else {
            items = try asking { () throws(Refusal) in try bridge.secrets.itemPages(wanted, in: collection) }
        }
    }

    /// Reads a page.
    ///
    /// - Returns: all matches with the last page, those without other attributes first, then the newest; nil before.
    func step() throws(BusFailure) -> [SecretMatch]? {
        if let items {
            try read(items)
        } else {
            try readNames()
        }
        guard items == nil, names == nil, places.isEmpty else { return nil }
        return (inMemory + found).sorted(by: SecretMatch.comesFirst)
    }

    private var inMemory: [SecretMatch] {
        guard collection ?? SecretCollection.session == SecretCollection.session else { return [] }
        return bridge.memory.all.filter { $0.matches(wanted) }.map { SecretMatch($0, wanted) }
    }

    private func read(_ pages: SecretPages<SecretItem>) throws(BusFailure) {
        do throws(BusFailure) {
            let page = try asking { () throws(Refusal) in try pages.read() }
            found += page.map { SecretMatch($0, wanted) }
            if pages.isAtEnd { items = nil }
        } catch {
            guard error.name == .isLocked else { throw error }
            items = nil
            try askIndex()
        }
    }

    // MARK: - The index

    /// Begins with the index alone. Items of a collection that nobody knows now have no path.
    private func askIndex() throws(BusFailure) {
        found = []
        let all = if let collection { [collection] } else { try bridge.collections().map(\.name) }
        places = all.filter { $0 != SecretCollection.session }.reversed()
    }

    private func readNames() throws(BusFailure) {
        if names == nil, let place = places.popLast() {
            let pages = try asking { () throws(Refusal) in try bridge.secrets.namePages(wanted, in: place) }
            names = (pages, place, [])
        }
        guard let (pages, place, _) = names else { return }
        names?.read += try asking { () throws(Refusal) in try pages.read() }
        guard pages.isAtEnd, let read = names?.read else { return }
        names = nil
        found += read.reversed().map { SecretMatch(named: $0, in: place) }
        bridge.note(wanted, of: read)
        if places.isEmpty { try checkHidden() }
    }

    /// Refuses to say that there is nothing where the index knows matches without a collection.
    private func checkHidden() throws(BusFailure) {
        guard found.isEmpty, collection == nil, !wanted.isEmpty else { return }
        let hidden = try asking { () throws(Refusal) in try bridge.secrets.names(wanted, in: nil, atMost: 1) }
        guard hidden.isEmpty else {
            throw .locked("The collection of an item with these attributes is known after the first unlock")
        }
    }
}
