import Foundation
import Security

/// Whole objects, archived, under the name of a service (rule items.value.archive).
public enum ArchiveKeychain {
    private static func query(_ service: String) -> NSMutableDictionary {
        let query = NSMutableDictionary()
        query.setObject(kSecClassGenericPassword, forKey: kSecClass)
        query.setObject(service as NSString, forKey: kSecAttrService)
        query.setObject(service as NSString, forKey: kSecAttrAccount)
        return query
    }

    /// Stores an object in place of the one there was.
    @discardableResult
    public static func add(_ object: NSObject & NSSecureCoding, service: String) throws -> Bool {
        let item = query(service)
        SecItemDelete(item)
        item.setObject(try archived(object) as NSData, forKey: kSecValueData)
        return SecItemAdd(item, nil) == errSecSuccess
    }

    /// The object, if there is one of this class.
    public static func object<Object: NSObject & NSSecureCoding>(of type: Object.Type, service: String) throws
        -> Object?
    {
        let query = query(service)
        query.setObject(kCFBooleanTrue!, forKey: kSecReturnData)
        query.setObject(kSecMatchLimitOne, forKey: kSecMatchLimit)
        var found: CFTypeRef?
        guard SecItemCopyMatching(query, &found) == errSecSuccess, let data = found as? Data else { return nil }
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    }

    /// Changes the object that is there.
    public static func update(_ object: NSObject & NSSecureCoding, service: String) throws -> Bool {
        let change = NSMutableDictionary()
        change.setObject(try archived(object) as NSData, forKey: kSecValueData)
        return SecItemUpdate(query(service), change) == errSecSuccess
    }

    /// Deletes the object.
    public static func delete(service: String) -> Bool { SecItemDelete(query(service)) == errSecSuccess }

    private static func archived(_ object: NSObject & NSSecureCoding) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }
}
