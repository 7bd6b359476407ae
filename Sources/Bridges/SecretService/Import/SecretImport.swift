import KeychainClient
import KeychainModel
import LinuxSystem
import Systemd

/// Copies what another keyring has into the keychain. Nothing is written before all was read, and nothing that
/// the keychain has is changed. Items that are there already are left out, so that an import that was cut goes on when
/// it is repeated.
struct SecretImport<Source: SecretSource> {
    private let source: Source
    private let secrets: KeychainSecrets
    private var report = ImportReport()
    /// The items that are to be added, with their collections.
    private var wanted: [(collection: SecretCollection, item: OtherService.Item)] = []
    /// The master secrets of applications, each with its item.
    private var masters: [String: OtherService.Item] = [:]

    init(from source: Source, to secrets: KeychainSecrets) { (self.source, self.secrets) = (source, secrets) }

    /// Reads everything, and adds what is not there.
    ///
    /// - Parameter isTrial: nothing is added.
    static func run(
        from source: Source, to secrets: KeychainSecrets, isTrial: Bool
    ) throws -> ImportReport {
        var work = SecretImport(from: source, to: secrets)
        try work.read()
        if !isTrial { try work.add() }
        return work.report
    }

    private mutating func read() throws {
        var known = try asking { () throws(Refusal) in try secrets.collections() }
        for collection in try source.collections() {
            guard !collection.isLocked else {
                report.closed.append(collection.label)
                continue
            }
            report.collections.append(collection.path)
            let place = Self.place(of: collection, among: &known)
            try source.items(of: collection) { item in try note(item, for: place) }
        }
        for (application, item) in masters { try checkMaster(item, of: application) }
    }

    /// The portal's item comes along like any other, because a program may have stored it. The portal itself has a copy
    /// that no program on the bus can make.
    private mutating func noteMaster(_ item: OtherService.Item) {
        guard let application = item.lookup.applicationOfMaster else { return }
        if masters[application]?.lookup.isOfPortal != true { masters[application] = item }
    }

    /// Leaves out what the portal has otherwise: an application uses it already.
    private mutating func checkMaster(_ item: OtherService.Item, of application: String) throws {
        let known = try asking { () throws(Refusal) in try secrets.masterSecret(of: application) }
        guard let known else { return }
        masters[application] = nil
        if !known.isEqual(to: item.value) { report.different.append(item.label) }
    }

    /// The collection that takes the items of another: `login` for the default one, else one with the same label.
    private static func place(
        of collection: OtherService.Collection, among known: inout [SecretCollection]
    ) -> SecretCollection {
        if collection.isDefault {
            return SecretCollection(name: SecretCollection.login, label: SecretCollection.loginLabel)
        }
        let found = known.first { $0.label.hasBytes(of: collection.label) && $0.name != SecretCollection.login }
        if let found {
            return found
        }
        let made = SecretCollection(
            name: SecretCollection.freshName(for: collection.label), label: collection.label)
        known.append(made)
        return made
    }

    private mutating func note(_ item: OtherService.Item?, for place: SecretCollection) throws {
        guard let item, (try? Bridge.check(item.lookup, item.label)) != nil, item.value.count <= ItemLimits.valueBytes
        else { return report.unreadable += 1 }
        noteMaster(item)
        switch try presence(of: item, in: place) {
        case .absent:
            report.added += 1
            wanted.append((place, item))
        case .same: report.same += 1
        case .other: report.different.append(item.label)
        }
    }

    /// Whether the keychain has an item with the same attributes.
    private enum Presence { case absent, same, other }

    private func presence(of item: OtherService.Item, in place: SecretCollection) throws -> Presence {
        try asking { () throws(Refusal) -> Presence in
            let found = try secrets.items(item.lookup.pairs, in: place.name).filter {
                $0.lookup.all == item.lookup.all && (!item.lookup.pairs.isEmpty || $0.label == item.label)
            }
            for old in found {
                let value = try secrets.item(named: old.name, in: place.name, withValue: true)?.value
                if let value, value.isEqual(to: item.value) { return .same }
            }
            return found.isEmpty ? .absent : .other
        }
    }

    private func add() throws {
        let note = Source.origin.rawValue
        var made = Set(try asking { () throws(Refusal) in try secrets.collections() }.map(\.name))
        for (place, item) in wanted {
            try asking { () throws(Refusal) in
                if made.insert(place.name).inserted {
                    try secrets.addCollection(place.name, label: place.label, aliases: [], note: note)
                }
                _ = try secrets.add(
                    to: place.name, label: item.label, item.lookup, item.value, replacing: false, note: note)
            }
        }
        for (application, item) in masters {
            try asking { () throws(Refusal) in
                try secrets.addMasterSecret(item.value, of: application, note: note)
            }
        }
    }
}

extension LookupAttributes {
    private static let portal = "org.freedesktop.portal.Secret"

    /// The application whose master secret another keyring's portal keeps under these attributes; nil for any other
    /// item. Older releases of gnome-keyring, such as Debian 12's (42.1), give it no schema.
    fileprivate var applicationOfMaster: String? {
        guard all.count == 2, [Self.generic, Self.portal].contains(itemKind), let name = pairs["app_id"]?.text,
            SecretPortal.isName(name)
        else { return nil }
        return name
    }

    /// Whether the item says that it is the portal's.
    fileprivate var isOfPortal: Bool { itemKind == Self.portal }
}
