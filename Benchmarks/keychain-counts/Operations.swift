import Foundation
import Security

/// The operations whose budgets are kept, each as a program makes it.
enum Operations {
    /// Counts them all.
    static func count(over connection: CountingConnection) throws -> [(name: String, counts: Counts)] {
        for number in 0..<200 { try check(SecItemAdd(item("kept \(number)"), nil)) }
        return [
            ("find a value", try find(connection, [kSecReturnData])),
            ("find a value and attributes", try find(connection, [kSecReturnData, kSecReturnAttributes])),
            ("find what is not there", try miss(connection)),
            ("enumerate 200 items", try enumerate(connection)),
            (
                "add",
                try Counts.usual(over: connection, prepare: { item("added \($0)") }) { try check(SecItemAdd($0, nil)) }
            ),
            (
                "update",
                try Counts.usual(over: connection, prepare: { (query("added \($0)"), change) }) {
                    try check(SecItemUpdate($0.0, $0.1))
                }
            ),
            (
                "delete",
                try Counts.usual(over: connection, prepare: { query("added \($0)") }) { try check(SecItemDelete($0)) }
            ),
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

    private static func item(_ account: String) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.service", kSecAttrAccount: account,
            kSecValueData: Data("a value of usual length".utf8),
        ] as CFDictionary
    }

    private static func query(_ account: String, returning flags: [CFString] = []) -> CFDictionary {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.service", kSecAttrAccount: account,
        ]
        for flag in flags { query[flag] = true }
        return query as CFDictionary
    }

    private static func check(_ status: OSStatus, is expected: OSStatus = errSecSuccess) throws {
        guard status == expected else {
            throw CountsError("An operation gave \(status): \(SecCopyLastItemError()?.problem ?? "").")
        }
    }
}
