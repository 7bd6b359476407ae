internal import KeychainModel
internal import Security

// SecKeychain.h.

@_cdecl("SecKeychainGetTypeID")
public func secKeychainGetTypeID() -> UInt { SecKeychainGetTypeID() }

@_cdecl("SecKeychainOpen")
public func secKeychainOpen(_ pathName: UnsafePointer<CChar>?, _ keychain: Place?) -> Int32 {
    unsafe status(keychain) { (keychain: UnsafeMutablePointer<SecKeychain?>) throws(Refusal) in
        try unsafe SecKeychainOpen(given(pathName), keychain)
    }
}

@_cdecl("SecKeychainGetPath")
public func secKeychainGetPath(
    _ keychain: Reference?, _ ioPathLength: UnsafeMutablePointer<UInt32>?, _ pathName: UnsafeMutablePointer<CChar>?
) -> Int32 {
    unsafe status(try SecKeychainGetPath(optional(keychain), given(ioPathLength), given(pathName)))
}

@_cdecl("SecKeychainCopyDefault")
public func secKeychainCopyDefault(_ keychain: Place?) -> Int32 {
    unsafe status(keychain) { (keychain: UnsafeMutablePointer<SecKeychain?>) throws(Refusal) in
        unsafe SecKeychainCopyDefault(keychain)
    }
}

@_cdecl("SecKeychainSetDefault")
public func secKeychainSetDefault(_ keychain: Reference?) -> Int32 {
    unsafe status(try SecKeychainSetDefault(optional(keychain)))
}

@_cdecl("SecKeychainCopySearchList")
public func secKeychainCopySearchList(_ searchList: Place?) -> Int32 {
    unsafe status(searchList) { (searchList: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        unsafe SecKeychainCopySearchList(searchList)
    }
}

@_cdecl("SecKeychainSetSearchList")
public func secKeychainSetSearchList(_ searchList: Reference?) -> Int32 {
    unsafe status(try SecKeychainSetSearchList(array(searchList)))
}
