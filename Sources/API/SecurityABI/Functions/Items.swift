internal import KeychainModel
internal import Security

// SecItem.h, SecBase.h, SecRandom.h and SecExtensions.h. The Swift functions document each operation; these functions
// only convert C's arguments and results.

@_cdecl("SecItemCopyMatching")
public func secItemCopyMatching(_ query: Reference?, _ result: Place?) -> Int32 {
    unsafe status(optional: result) { (result: UnsafeMutablePointer<CFTypeRef?>?) throws(Refusal) in
        try unsafe SecItemCopyMatching(dictionary(query), result)
    }
}

@_cdecl("SecItemAdd")
public func secItemAdd(_ attributes: Reference?, _ result: Place?) -> Int32 {
    unsafe status(optional: result) { (result: UnsafeMutablePointer<CFTypeRef?>?) throws(Refusal) in
        try unsafe SecItemAdd(dictionary(attributes), result)
    }
}

@_cdecl("SecItemUpdate")
public func secItemUpdate(_ query: Reference?, _ attributesToUpdate: Reference?) -> Int32 {
    unsafe status(try SecItemUpdate(dictionary(query), dictionary(attributesToUpdate)))
}

@_cdecl("SecItemDelete")
public func secItemDelete(_ query: Reference?) -> Int32 {
    unsafe status(try SecItemDelete(dictionary(query)))
}

@_cdecl("SecCopyErrorMessageString")
public func secCopyErrorMessageString(_ status: Int32, _ reserved: UnsafeMutableRawPointer?) -> Reference? {
    unsafe retained(SecCopyErrorMessageString(status, reserved))
}

@_cdecl("SecCopyLastItemError")
public func secCopyLastItemError() -> Reference? {
    guard let error = SecCopyLastItemError() else { return nil }
    return unsafe retained(error as NSError)
}

@_cdecl("SecRandomCopyBytes")
public func secRandomCopyBytes(_ rnd: OpaquePointer?, _ count: Int, _ bytes: UnsafeMutableRawPointer?) -> Int32 {
    guard let bytes = unsafe bytes else { return count == 0 ? errSecSuccess : errSecParam }
    return unsafe SecRandomCopyBytes(rnd, count, bytes)
}
