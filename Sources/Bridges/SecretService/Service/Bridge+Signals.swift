import Systemd

/// Telling the clients of changes.
extension Bridge {
    /// Tells that an object has been made, changed or deleted.
    func signal(_ member: String, from object: SecretObject, _ path: String) {
        emit(
            BusSignal(
                member: member, interface: object.interface.rawValue, path: object.path, client: nil,
                values: [.object(path)]))
    }

    /// Tells which values properties have now. Everybody on the bus hears it, also programs that may not ask: no label
    /// and no attribute is among them.
    func properties(_ values: [String: BusValue], of object: SecretObject) {
        emit(.propertiesChanged(of: object, [.properties(values), .list("s", [])]))
    }

    /// Tells that a property has another value, which those who may can ask for.
    func noteChange(of property: SecretProperty, of object: SecretObject) {
        emit(.propertiesChanged(of: object, [.properties([:]), .list("s", [.text(property.name)])]))
    }

    /// The most items whose paths are sent with every item that is made or deleted: some 36 KB for each client that
    /// watches. Clients learn of the items of larger collections by the signals of the items alone.
    static let mostListed = 500

    /// Tells which items a collection has now.
    ///
    /// `Items` is never told as a name without the value: GLib then forgets the value that it has, and libsecret reads
    /// that at the next signal without a look whether it is there.
    func noteItems(of collection: String) {
        guard let paths = try? paths(of: collection, atMost: Self.mostListed + 1), paths.count <= Self.mostListed
        else { return }
        properties(["Items": .objects(paths)], of: .collection(collection))
    }
}

extension BusSignal {
    fileprivate static func propertiesChanged(of object: SecretObject, _ values: [BusValue]) -> BusSignal {
        BusSignal(
            member: "PropertiesChanged", interface: StandardInterface.properties, path: object.path, client: nil,
            values: [.text(object.interface.rawValue)] + values)
    }
}
