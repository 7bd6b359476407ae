import KeychainModel
import Systemd

/// Properties: they come from what the keychain says without asking anybody.
extension Bridge {
    func answerProperties(_ call: BusCall, _ object: SecretObject) throws(BusFailure) -> [BusValue] {
        switch call.member {
        case "Get":
            let names = try call.arguments("ss").compactMap(\.string)
            return [.variant(try value(of: try property(names[1], in: names[0], of: object), object))]
        case "GetAll":
            let name = try call.arguments("s").compactMap(\.string)[0]
            guard name.isEmpty || name == object.interface.rawValue else { return [.properties([:])] }
            return [.properties(try allValues(of: object))]
        case "Set":
            let arguments = try call.arguments("ssv")
            let property = try property(arguments[1].string ?? "", in: arguments[0].string ?? "", of: object)
            guard let value = arguments[2].content, property.isWritable, value.signature == property.signature else {
                throw .invalid("The property \(property.name) does not take this.")
            }
            try set(property, value, of: object)
            return []
        default: throw BusFailure(.unknownMethod, "\(call.interface) has no method \(call.member).")
        }
    }

    private func property(
        _ name: String, in interface: String, of object: SecretObject
    ) throws(BusFailure) -> SecretProperty {
        let found = SecretProperty.find(name, of: object.interface)
        guard let found, interface.isEmpty || interface == object.interface.rawValue else {
            throw .invalid("There is no property “\(name)” in “\(interface)” here.")
        }
        return found
    }

    private func allValues(of object: SecretObject) throws(BusFailure) -> [String: BusValue] {
        switch object {
        case .service: return ["Collections": .objects(try collections().map(\.object.path))]
        case .collection(let name): return try values(of: try collection(name))
        case .item: return try values(of: try item(object))
        case .session, .prompt: return [:]
        }
    }

    private func value(of property: SecretProperty, _ object: SecretObject) throws(BusFailure) -> BusValue {
        guard let value = try allValues(of: object)[property.name] else {
            throw .locked("The property \(property.name) is known after the first unlock")
        }
        return value
    }

    /// Before the first unlock nobody knows the items, so they are left out.
    private func values(of collection: SecretCollection) throws(BusFailure) -> [String: BusValue] {
        var values: [String: BusValue] = [
            "Label": .text(collection.label), "Locked": .flag(try isLocked(collection.name)),
            "Created": .long(UInt64(max(0, collection.created))),
            "Modified": .long(UInt64(max(0, collection.modified))),
        ]
        do throws(BusFailure) {
            values["Items"] = .objects(try items(of: collection.name).map(\.object.path))
        } catch {
            guard error.name == .isLocked else { throw error }
        }
        return values
    }

    private func values(of item: SecretItem) throws(BusFailure) -> [String: BusValue] {
        [
            "Locked": .flag(try isLocked(item.collection)), "Attributes": .texts(item.lookup.shown),
            "Label": .text(item.label), "Type": .text(item.lookup.itemKind),
            "Created": .long(UInt64(max(0, item.created))),
            "Modified": .long(UInt64(max(0, item.modified))),
        ]
    }

    private func set(_ property: SecretProperty, _ value: BusValue, of object: SecretObject) throws(BusFailure) {
        switch object {
        case .collection(let name): try relabel(try collection(name), value.string ?? "")
        case .item(let collection, _):
            let item = try item(object)
            try checkUnlocked(collection, "Cannot change an item in a locked collection")
            try change(item, try Self.change(of: item, property, value))
        case .service, .session, .prompt: throw .gone(object.path)
        }
        noteChange(of: property, of: object)
    }

    private func relabel(_ collection: SecretCollection, _ label: String) throws(BusFailure) {
        guard collection.name != SecretCollection.session else {
            throw BusFailure(.notSupported, "The collection “\(collection.name)” keeps its name.")
        }
        try checkUnlocked(collection.name, "Cannot rename a locked collection")
        try asking { () throws(Refusal) in
            guard collection.reference.isEmpty else {
                return try secrets.change(collection.reference, SecretChange(label: label))
            }
            try secrets.addCollection(collection.name, label: label, aliases: [])
        }
        signal("CollectionChanged", from: .service, collection.object.path)
    }

    private static func change(
        of item: SecretItem, _ property: SecretProperty, _ value: BusValue
    ) throws(BusFailure) -> SecretChange {
        var lookup = item.lookup
        switch property.name {
        case "Label": return SecretChange(label: value.string)
        case "Attributes": lookup.pairs = value.textEntries ?? [:]
        default: lookup.kind = value.string ?? ""
        }
        guard lookup.isWithinLimits else { throw tooMuch }
        return SecretChange(lookup: lookup)
    }
}
