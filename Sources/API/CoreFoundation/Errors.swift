/// Makes an error.
///
/// - Parameters:
///   - allocator: ignored.
///   - domain: what the code belongs to, such as `kCFErrorDomainOSStatus`.
///   - code: the code, an `OSStatus` for that domain.
///   - userInfo: entries by string key; entries with other keys are left out.
public func CFErrorCreate(
    _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
    var entries: [String: Any] = [:]
    for (key, value) in userInfo ?? NSDictionary() {
        guard let name = key as? String else { continue }
        entries[name] = value
    }
    return NSError(domain: String(describing: domain!), code: code, userInfo: entries)
}

/// Returns an error's code.
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }

/// Returns an error's domain.
public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { NSString(string: error.domain) }

/// Returns an error's description for the user.
public func CFErrorCopyDescription(_ error: CFError!) -> CFString! { NSString(string: error.localizedDescription) }

/// Returns why the error happened, if it says so.
public func CFErrorCopyFailureReason(_ error: CFError!) -> CFString! {
    error.localizedFailureReason.map { NSString(string: $0) }
}

/// Returns an error's user info.
public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! { NSDictionary(dictionary: error.userInfo) }
