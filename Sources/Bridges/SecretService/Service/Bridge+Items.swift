import KeychainModel
import LinuxSystem
import Systemd

/// The methods of collections and items.
extension Bridge {
    func searchCollection(_ call: MethodCall) throws(BusFailure) -> BusAnswer {
        guard case .collection(let name) = call.object else { throw .gone(call.path) }
        let search = try SecretSearch(call.pairs(0), in: try collection(name).name, self)
        return .steps { () throws(BusFailure) in
            try search.step().map { [.objects($0.map(\.object.path))] }
        }
    }

    func createItem(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        guard case .collection(let name) = call.object else { throw .gone(call.path) }
        let collection = try collection(name)
        try checkUnlocked(name, "Cannot create an item in a locked collection")
        let properties = try call.properties(0)
        let label = try Self.label(properties, .item)
        let (value, contentType) = try received(call.arguments[1], from: call.client)
        let lookup = LookupAttributes(
            pairs: try properties["\(SecretInterface.item.rawValue).Attributes"]?.pairs() ?? [:],
            kind: properties["\(SecretInterface.item.rawValue).Type"]?.string ?? "", contentType: contentType)
        try Self.check(lookup, label)
        if call.flag(2), let old = try replaced(by: lookup, in: name) {
            let isOther = ExactText(old.lookup.kind) != ExactText(lookup.kind)
            try change(old, SecretChange(label: label, lookup: lookup, hasOtherAttributes: isOther), value: value)
            return [.object(old.object.path), .object("/")]
        }
        let replaces = call.flag(2) && !lookup.pairs.isEmpty
        let added = try add(to: collection, label, lookup, value, replacing: replaces, by: call.client)
        let item = SecretObject.item(collection: name, added)
        signal("ItemCreated", from: .collection(name), item.path)
        noteItems(of: name, change: 1)
        return [.object(item.path), .object("/")]
    }

    private func add(
        to collection: SecretCollection, _ label: String, _ lookup: LookupAttributes, _ value: SecretBytes,
        replacing: Bool, by client: String
    ) throws(BusFailure) -> String {
        guard collection.name == SecretCollection.session else {
            return try asking { () throws(Refusal) in
                if collection.name == SecretCollection.login, collection.reference.isEmpty { try beginLogin() }
                return try secrets.add(to: collection.name, label: label, lookup, value, replacing: replacing)
            }
        }
        guard let name = memory.add(label: label, lookup, value, by: clients.owner(of: client)) else {
            throw memoryIsFull
        }
        return name
    }

    /// Gives the collection that always exists a record with its first item, so that it has a date.
    private func beginLogin() throws(Refusal) {
        do throws(Refusal) {
            try secrets.addCollection(SecretCollection.login, label: SecretCollection.loginLabel, aliases: [])
        } catch {
            guard error.status == .duplicateItem else { throw error }
        }
    }

    func deleteItem(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let item = try item(call.object)
        try checkUnlocked(item.collection, "Cannot delete an item in a locked collection")
        if item.collection == SecretCollection.session {
            memory.delete(item)
        } else {
            try asking { () throws(Refusal) in try secrets.delete(item.reference) }
        }
        signal("ItemDeleted", from: .collection(item.collection), call.object.path)
        noteItems(of: item.collection, change: -1)
        return [.object("/")]
    }

    func getSecret(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let session = try session(call.text(0), of: call.client)
        guard case .item(let collection, _) = call.object, try !marked().contains(collection) else {
            throw .locked("Cannot get secret of a locked object")
        }
        let (item, value) = try openItem(call.object, withValue: true)
        return [try session.sealed(value, item.lookup.contentType, in: call.text(0))]
    }

    func setSecret(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let item = try item(call.object)
        let (value, contentType) = try received(call.arguments[0], from: call.client)
        try checkUnlocked(item.collection, "Cannot set secret of a locked item")
        var lookup = item.lookup
        lookup.contentType = contentType
        try Self.check(lookup, item.label)
        try change(item, SecretChange(lookup: lookup), value: value)
        return []
    }

    /// Changes an item and tells everybody.
    func change(_ item: SecretItem, _ change: SecretChange, value: SecretBytes? = nil) throws(BusFailure) {
        if item.collection == SecretCollection.session {
            guard memory.change(item, change, value: value) else { throw memoryIsFull }
        } else {
            try asking { () throws(Refusal) in try secrets.change(item.reference, change, value: value) }
        }
        signal("ItemChanged", from: .collection(item.collection), item.object.path)
    }

    /// The value of a secret that has come from a client, and its media type.
    private func received(_ secret: BusValue, from client: String) throws(BusFailure) -> (SecretBytes, String) {
        guard let parts = secret.parts, parts.count == 4, let parameters = parts[1].secret, let value = parts[2].secret
        else {
            throw .invalid("A secret is a session, parameters, a value and its type.")
        }
        let session = try session(parts[0].string ?? "", of: client)
        let opened = try session.opened(parameters, value)
        guard opened.count <= ItemLimits.valueBytes else {
            throw BusFailure(.limitsExceeded, "A value has \(ItemLimits.valueBytes) bytes at most.")
        }
        return (opened, parts[3].string ?? "")
    }

    /// Refuses what no item may have, in memory as in the keychain.
    static func check(_ lookup: LookupAttributes, _ label: String) throws(BusFailure) {
        guard lookup.isWithinLimits else { throw .tooManyAttributes }
        guard label.utf8.count <= ItemLimits.attributeBytes else {
            throw BusFailure(.limitsExceeded, "A label has \(ItemLimits.attributeBytes) bytes at most.")
        }
    }

    private var memoryIsFull: BusFailure {
        BusFailure(
            .limitsExceeded,
            "The session's collection has \(memory.capacity) items and \(memory.bytes >> 20) MiB of values at most, "
                + "half of it for one program. Delete items there, or take another collection.")
    }
}
