import Security

/// A dictionary as programs write it.
typealias Attributes = [CFString: Any]

/// The result of a query.
struct Found {
    let status: OSStatus
    let object: CFTypeRef?

    var data: Data? { object as? Data }
    var attributes: [String: Any]? { object as? [String: Any] }
    var list: [[String: Any]]? { object as? [[String: Any]] }
    var count: Int? { (object as? [Any])?.count }
}

@discardableResult
func add(_ item: Attributes) -> OSStatus { SecItemAdd(item as CFDictionary, nil) }

func addReturning(_ item: Attributes) -> Found {
    var object: CFTypeRef?
    let status = unsafe SecItemAdd(item as CFDictionary, &object)
    return Found(status: status, object: object)
}

func find(_ query: Attributes) -> Found { find(query as CFDictionary) }

func find(_ query: CFDictionary) -> Found {
    var object: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query, &object)
    return Found(status: status, object: object)
}

func update(_ query: Attributes, _ changes: Attributes) -> OSStatus {
    SecItemUpdate(query as CFDictionary, changes as CFDictionary)
}

@discardableResult
func delete(_ query: Attributes) -> OSStatus { SecItemDelete(query as CFDictionary) }

/// The value of the one item a query finds.
func value(_ query: Attributes) -> Data? { find(query + [kSecReturnData: true]).data }

/// The attributes of the one item a query finds.
func attributes(_ query: Attributes) -> [String: Any]? { find(query + [kSecReturnAttributes: true]).attributes }

/// How many items a query finds.
func count(_ query: Attributes) -> Int {
    find(query + [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]).count ?? 0
}

func accessControl(_ protection: CFString, _ flags: SecAccessControlCreateFlags = []) -> SecAccessControl? {
    SecAccessControlCreateWithFlags(nil, protection, flags, nil)
}
