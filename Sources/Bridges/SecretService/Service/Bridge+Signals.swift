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

    /// Tells that properties have other values.
    func properties(_ values: [String: BusValue], of object: SecretObject) {
        emit(
            BusSignal(
                member: "PropertiesChanged", interface: StandardInterface.properties, path: object.path, client: nil,
                values: [.text(object.interface.rawValue), .properties(values), .list("s", [])]))
    }

    /// Tells that a collection has other items, without listing them.
    func noteItems(of collection: String) {
        emit(
            BusSignal(
                member: "PropertiesChanged", interface: StandardInterface.properties,
                path: SecretObject.collection(collection).path, client: nil,
                values: [
                    .text(SecretInterface.collection.rawValue), .properties([:]), .list("s", [.text("Items")]),
                ]))
    }
}
