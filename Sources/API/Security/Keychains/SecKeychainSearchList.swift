internal import KeychainClient
internal import KeychainModel

// The default and the search list steer the command `security`, and programs that ask for them here. An item function
// that is given no keychain uses that of the login (rule keychains.list.none).

/// Returns the default keychain; that of the login where the default has gone.
///
/// - Parameter keychain: receives it.
/// - Returns: `errSecSuccess`; `errSecNotAvailable` when the list cannot be read.
///
/// Source: Apple, SecKeychainCopyDefault.
@discardableResult
public func SecKeychainCopyDefault(_ keychain: UnsafeMutablePointer<SecKeychain?>) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe keychain.pointee = nil
        let keychains = try NamedKeychainSession.keychains()
        unsafe keychain.pointee = SecKeychain(keychains.place(of: try keychains.standard()))
        return nil
    }
}

/// Changes the default keychain of the user.
///
/// - Parameter keychain: the new default.
/// - Returns: `errSecSuccess`; `errSecParam` for nil; `errSecNoSuchKeychain` or `errSecInvalidKeychain` for a path that
///   names none; `errSecNotAvailable` in the system service, and when the list cannot be written.
///
/// Source: Apple, SecKeychainSetDefault.
@discardableResult
public func SecKeychainSetDefault(_ keychain: SecKeychain?) -> OSStatus {
    reporting { () throws(Refusal) in
        guard let keychain else { throw .noDefault }
        let keychains = try NamedKeychainSession.keychains()
        _ = try keychains.keychain(at: keychain.place)
        try keychains.changeList { $0.standard = keychain.place }
        return nil
    }
}

/// Returns the search list of the user, without keychains that have gone.
///
/// - Parameter searchList: receives an array of `SecKeychain`.
/// - Returns: `errSecSuccess`; `errSecNotAvailable` when the list cannot be read.
///
/// Source: Apple, SecKeychainCopySearchList.
@discardableResult
public func SecKeychainCopySearchList(_ searchList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe searchList.pointee = nil
        let keychains = try NamedKeychainSession.keychains()
        let found = try keychains.searched().map { SecKeychain(keychains.place(of: $0)) }
        unsafe searchList.pointee = NSArray(array: found)
        return nil
    }
}

/// Changes the search list of the user.
///
/// - Parameter searchList: an array of `SecKeychain`; may be empty.
/// - Returns: `errSecSuccess`; `errSecInvalidKeychain` for an element that is no keychain; `errSecParam` for more than
///   256; `errSecNoSuchKeychain` for a path that names none; `errSecNotAvailable` in the system service, and when the
///   list cannot be written. The list is unchanged then.
///
/// Source: Apple, SecKeychainSetSearchList.
@discardableResult
public func SecKeychainSetSearchList(_ searchList: CFArray) -> OSStatus {
    reporting { () throws(Refusal) in
        let places = try SecKeychain.list(searchList, "searchList").map(\.place)
        let keychains = try NamedKeychainSession.keychains()
        for place in places { _ = try keychains.keychain(at: place) }
        try keychains.changeList { $0.search = places }
        return nil
    }
}

extension Refusal {
    fileprivate static let noDefault = Refusal(
        .param, .wrongValue, "keychain", "There is always a default keychain.",
        do: "Give a SecKeychain; SecKeychainOpen with login.keychain has the first.")
}
