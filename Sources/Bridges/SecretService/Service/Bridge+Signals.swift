import Systemd

/// Telling the clients of changes.
extension Bridge {
    /// Tells that an object has been made, changed or deleted.
    func signal(_ member: String, from object: SecretObject, _ path: String) {
        tell(
            BusSignal(
                member: member, interface: object.interface.rawValue, path: object.path, client: nil,
                values: [.object(path)]))
    }

    /// Tells which values properties have now. Everybody on the bus may hear it, also programs that may not ask.
    ///
    /// No label and no attribute is among them, and neither are their names. GLib would forget the value that it has,
    /// and a program that asks libsecret before the next signal would be given none. `ItemChanged` and
    /// `CollectionChanged` have libsecret read all of an object again, and keep the old value until then.
    func properties(_ values: [String: BusValue], of object: SecretObject) {
        let words: [BusValue] = [.text(object.interface.rawValue), .properties(values), .list("s", [])]
        tell(
            BusSignal(
                member: "PropertiesChanged", interface: StandardInterface.properties, path: object.path, client: nil,
                values: words))
    }

    /// The most items whose paths are sent with every item that is made or deleted: some 36 KB for each client that
    /// watches. Clients learn of the items of larger collections by the signals of the items alone.
    static let mostListed = 500

    /// Tells which items a collection has after one more, or one less.
    func noteItems(of collection: String, change: Int) {
        surplus[collection]? += change
        if let paths = listed(collection) { properties(["Items": .objects(paths)], of: .collection(collection)) }
    }

    /// The paths of a collection's items; nil where they are not listed. A collection with many more is not asked for
    /// again before so many were deleted: otherwise each new item would cost as much as all.
    func listed(_ collection: String) -> [String]? {
        guard surplus[collection] ?? 0 <= 0, let paths = try? paths(of: collection, atMost: 2 * Self.mostListed)
        else { return nil }
        surplus[collection] = paths.count - Self.mostListed
        return paths.count <= Self.mostListed ? paths : nil
    }
}
