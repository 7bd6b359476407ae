/// A property of an object.
struct SecretProperty {
    let interface: SecretInterface
    let name: String
    let signature: String
    var isWritable = false

    var fullName: String { "\(interface.rawValue).\(name)" }

    static let all: [SecretProperty] = [
        .init(interface: .service, name: "Collections", signature: "ao"),
        .init(interface: .collection, name: "Items", signature: "ao"),
        .init(interface: .collection, name: "Label", signature: "s", isWritable: true),
        .init(interface: .collection, name: "Locked", signature: "b"),
        .init(interface: .collection, name: "Created", signature: "t"),
        .init(interface: .collection, name: "Modified", signature: "t"),
        .init(interface: .item, name: "Locked", signature: "b"),
        .init(interface: .item, name: "Attributes", signature: "a{ss}", isWritable: true),
        .init(interface: .item, name: "Label", signature: "s", isWritable: true),
        .init(interface: .item, name: "Type", signature: "s", isWritable: true),
        .init(interface: .item, name: "Created", signature: "t"),
        .init(interface: .item, name: "Modified", signature: "t"),
    ]

    static func list(of interface: SecretInterface) -> [SecretProperty] { all.filter { $0.interface == interface } }

    static func find(_ name: String, of interface: SecretInterface) -> SecretProperty? {
        all.first { $0.interface == interface && $0.name == name }
    }
}

/// A signal of an object.
struct SecretSignal {
    let interface: SecretInterface
    let name: String
    let signature: String

    static let all: [SecretSignal] = [
        .init(interface: .service, name: "CollectionCreated", signature: "o"),
        .init(interface: .service, name: "CollectionDeleted", signature: "o"),
        .init(interface: .service, name: "CollectionChanged", signature: "o"),
        .init(interface: .collection, name: "ItemCreated", signature: "o"),
        .init(interface: .collection, name: "ItemDeleted", signature: "o"),
        .init(interface: .collection, name: "ItemChanged", signature: "o"),
        .init(interface: .prompt, name: "Completed", signature: "bv"),
    ]
}
