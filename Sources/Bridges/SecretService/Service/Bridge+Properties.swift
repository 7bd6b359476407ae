import KeychainModel
import Systemd

/// Properties: they come from what the keychain says without asking anybody.
extension Bridge {
    func answerProperties(_ call: BusCall, _ object: SecretObject) throws(BusFailure) -> BusAnswer {
        switch call.member {
        case "Get":
            let names = try call.arguments("ss").compactMap(\.string)
            let property = try property(names[1], in: names[0], of: object)
            guard let collection = object.ifCollection, property.name == "Items" else {
                return .values([.variant(try value(of: property, object))])
            }
            return try listing(of: try self.collection(collection).name) { [.variant(.objects($0))] }
        case "GetAll":
            let name = try call.arguments("s").compactMap(\.string)[0]
            guard name.isEmpty || name == object.interface.rawValue else { return .values([.properties([:])]) }
            let values = try allValues(of: object)
            guard let collection = object.ifCollection else { return .values([.properties(values)]) }
            return try listing(of: collection) { [.properties(values.merging(["Items": .objects($0)]) { $1 })] }
        case "Set":
            let arguments = try call.arguments("ssv")
            let property = try property(arguments[1].string ?? "", in: arguments[0].string ?? "", of: object)
            guard let value = arguments[2].content, property.isWritable, value.signature == property.signature else {
                throw .invalid("The property \(property.name) does not take this.")
            }
            try set(property, value, of: object)
            return .values([])
        default: throw BusFailure(.unknownMethod, "\(call.interface) has no method \(call.member).")
        }
    }

    /// Answers with the paths of a collection's items, which are read a page at a time.
    private func listing(
        of collection: String, _ answer: @escaping ([String]) -> [BusValue]
    ) throws(BusFailure) -> BusAnswer {
        guard collection != SecretCollection.session else { return .values(answer(try paths(of: collection))) }
        let pages = try asking { () throws(Refusal) in try secrets.namePages(in: collection) }
        var names: [String] = []
        return .steps { () throws(BusFailure) in
            names += try asking { () throws(Refusal) in try pages.read() }
            return pages.isAtEnd ? answer(Self.paths(of: names, in: collection)) : nil
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

    /// The values of all properties, but for a collection's items, which may be many.
    private func allValues(of object: SecretObject) throws(BusFailure) -> [String: BusValue] {
        var values: [String: BusValue] = [:]
        switch object {
        case .service, .session, .prompt:
            for property in SecretProperty.list(of: object.interface) {
                values[property.name] = try value(of: property, object)
            }
        case .collection(let name):
            let (collection, isLocked) = (try collection(name), try isLocked(name))
            for property in SecretProperty.list(of: .collection) where property.name != "Items" {
                values[property.name] = property.name == "Locked" ? .flag(isLocked) : value(of: property, collection)
            }
        case .item(let name, _):
            let (item, isLocked) = (try item(object), try isLocked(name))
            for property in SecretProperty.list(of: .item) {
                values[property.name] = property.name == "Locked" ? .flag(isLocked) : value(of: property, item)
            }
        }
        return values
    }

    /// The value of one property, without asking for what the others are made of.
    private func value(of property: SecretProperty, _ object: SecretObject) throws(BusFailure) -> BusValue {
        switch (object, property.name) {
        case (.service, _): return .objects(try collections().map(\.object.path))
        case (.collection(let name), "Locked"):
            if ![SecretCollection.login, SecretCollection.session].contains(name) { _ = try collection(name) }
            return .flag(try isLocked(name))
        case (.collection(let name), _): return value(of: property, try collection(name))
        case (.item(let collection, _), "Locked"):
            _ = try item(object)
            return .flag(try isLocked(collection))
        case (.item, _): return value(of: property, try item(object))
        case (.session, _), (.prompt, _): throw .gone(object.path)
        }
    }

    private func value(of property: SecretProperty, _ collection: SecretCollection) -> BusValue {
        switch property.name {
        case "Label": .text(collection.label)
        case "Created": Self.date(collection.created)
        default: Self.date(collection.modified)
        }
    }

    private func value(of property: SecretProperty, _ item: SecretItem) -> BusValue {
        switch property.name {
        case "Attributes": .pairs(item.lookup.shown)
        case "Label": .text(item.label)
        case "Type": .text(item.lookup.itemKind)
        case "Created": Self.date(item.created)
        default: Self.date(item.modified)
        }
    }

    private static func date(_ seconds: Double) -> BusValue { .long(UInt64(max(0, seconds))) }

    private func set(_ property: SecretProperty, _ value: BusValue, of object: SecretObject) throws(BusFailure) {
        switch object {
        case .collection(let name): try relabel(try collection(name), value.string ?? "")
        case .item(let collection, _):
            let item = try item(object)
            try checkUnlocked(collection, "Cannot change an item in a locked collection")
            try change(item, try Self.change(of: item, property, value))
        case .service, .session, .prompt: throw .gone(object.path)
        }
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
            try secrets.addCollection(collection.name, label: label, aliases: collection.aliases)
        }
        signal("CollectionChanged", from: .service, collection.object.path)
    }

    private static func change(
        of item: SecretItem, _ property: SecretProperty, _ value: BusValue
    ) throws(BusFailure) -> SecretChange {
        var lookup = item.lookup
        switch property.name {
        case "Label":
            try check(lookup, value.string ?? "")
            return SecretChange(label: value.string)
        case "Attributes": lookup.pairs = try value.pairs() ?? [:]
        default: lookup.kind = value.string ?? ""
        }
        try check(lookup, item.label)
        return SecretChange(lookup: lookup, hasOtherAttributes: true)
    }
}
