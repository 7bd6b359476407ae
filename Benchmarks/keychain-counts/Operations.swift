import Foundation
import KeychainModel
import Security

/// The operations whose budgets are kept, each as a program makes it.
enum Operations {
    /// An operation with what was counted of it.
    struct Counted {
        let name: String
        let counts: Counts
        var fields = Counts.fields
    }

    /// Counts them all.
    ///
    /// - Parameter enter: has the keychain belong to a circle of machines.
    static func count(over connection: CountingConnection, enter: () throws -> Void) throws -> [Counted] {
        for number in 0..<200 { try check(SecItemAdd(item("kept \(number)"), nil)) }
        let reads = [
            Counted(name: "find a value", counts: try find(connection, [kSecReturnData])),
            Counted(
                name: "find a value and attributes",
                counts: try find(connection, [kSecReturnData, kSecReturnAttributes])),
            Counted(name: "find what is not there", counts: try miss(connection)),
            Counted(name: "enumerate 200 items", counts: try enumerate(connection)),
        ]
        let alone = try writes(connection)
        let forAllDevices = try writes(connection, sync: true).map { $0.named("an item for all devices") }
        try enter()
        let others = try writes(connection).map { $0.named("in a circle") }
        let shared = try writes(connection, sync: true).map { $0.named("an item for all devices in a circle") }
        return reads + alone + forAllDevices + others + shared + [try lookup(connection)]
    }

    /// The search of programs of the desktop. Its items come last, so that no other operation has more to do for them.
    private static func lookup(_ connection: CountingConnection) throws -> Counted {
        for number in 0..<200 {
            let pairs = LookupAttributes(pairs: ["user": "ann", "server": ExactText("server \(number)")])
            try check(SecItemAdd(item("looked up \(number)", with: [kSecAttrLookupAttributes: pairs.data]), nil))
        }
        let counts = try Counts.usual(over: connection, prepare: { lookupQuery("server \($0)") }) {
            var found: CFTypeRef?
            try check(unsafe SecItemCopyMatching($0, &found))
        }
        return Counted(name: "find by two pairs among 200", counts: counts, fields: Counts.ofIndex)
    }

    private static func lookupQuery(_ server: String) -> CFDictionary {
        let pairs = LookupAttributes(pairs: ["user": "ann", "server": ExactText(server)])
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrLookupAttributes: pairs.data, kSecReturnData: true,
        ]
        return query as CFDictionary
    }

    private static func writes(_ connection: CountingConnection, sync: Bool = false) throws -> [Counted] {
        let add = try Counts.usual(over: connection, prepare: { item("added \($0)", sync: sync) }) {
            try check(SecItemAdd($0, nil))
        }
        let update = try Counts.usual(over: connection, prepare: { (query("added \($0)", sync: sync), change) }) {
            try check(SecItemUpdate($0.0, $0.1))
        }
        let delete = try Counts.usual(over: connection, prepare: { query("added \($0)", sync: sync) }) {
            try check(SecItemDelete($0))
        }
        return [
            Counted(name: "add", counts: add), Counted(name: "update", counts: update),
            Counted(name: "delete", counts: delete),
        ]
    }

    private static func find(_ connection: CountingConnection, _ returns: [CFString]) throws -> Counts {
        try Counts.usual(over: connection, prepare: { query("kept \($0)", returning: returns) }) {
            var found: CFTypeRef?
            try check(unsafe SecItemCopyMatching($0, &found))
        }
    }

    private static func miss(_ connection: CountingConnection) throws -> Counts {
        try Counts.usual(over: connection, prepare: { query("missing \($0)", returning: [kSecReturnData]) }) {
            var found: CFTypeRef?
            try check(unsafe SecItemCopyMatching($0, &found), is: errSecItemNotFound)
        }
    }

    private static func enumerate(_ connection: CountingConnection) throws -> Counts {
        let all: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            kSecReturnData: true,
        ]
        return try Counts.usual(over: connection, prepare: { _ in all as CFDictionary }) {
            var found: CFTypeRef?
            try check(unsafe SecItemCopyMatching($0, &found))
        }
    }

    private static var change: CFDictionary { [kSecValueData: Data("another value".utf8)] as CFDictionary }

    private static func item(
        _ account: String, sync: Bool = false, with others: [CFString: Any] = [:]
    ) -> CFDictionary {
        let more = sync ? [kSecAttrSynchronizable: true as Any] : others
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.service", kSecAttrAccount: account,
            kSecValueData: Data("a value of usual length".utf8),
        ]
        return item.merging(more) { $1 } as CFDictionary
    }

    private static func query(
        _ account: String, returning flags: [CFString] = [], sync: Bool = false
    ) -> CFDictionary {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.service", kSecAttrAccount: account,
        ]
        for flag in flags + (sync ? [kSecAttrSynchronizable] : []) { query[flag] = true }
        return query as CFDictionary
    }

    private static func check(_ status: OSStatus, is expected: OSStatus = errSecSuccess) throws {
        guard status == expected else {
            throw CountsError("An operation gave \(status): \(SecCopyLastItemError()?.problem ?? "").")
        }
    }
}

extension LookupAttributes {
    fileprivate var data: Data { Data(encoded) }
}

extension Operations.Counted {
    fileprivate func named(_ what: String) -> Self {
        Self(name: "\(name), \(what)", counts: counts, fields: Counts.ofCircle)
    }
}
