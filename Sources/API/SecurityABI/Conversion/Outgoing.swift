internal import CSecurity
internal import Security

/// Hands an object to C, which has to release it; NULL for nil.
///
/// Strings, arrays, dictionaries and errors are converted to Core Foundation's own. Foundation's strings ignore the
/// buffer size of `CFStringGetCString`. Core Foundation does not know Foundation's errors, and ends the process when it
/// has to describe one. Data, dates, numbers, URLs and the objects of `Security` are returned as they are.
func retained(_ object: AnyObject?) -> Reference? {
    switch object {
    case nil: nil
    case let text as NSString: unsafe cfString(text as String)
    case let list as NSArray: unsafe cfArray(list)
    case let entries as NSDictionary: unsafe cfDictionary(entries)
    case let error as NSError: unsafe cfError(error)
    case let object?: unsafe Reference(Unmanaged.passRetained(object).toOpaque())
    }
}

private func cfString(_ text: String) -> Reference? {
    var text = text
    return text.withUTF8 { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe CFObjectMakeString($0.baseAddress, $0.count) }
    }
}

private func cfArray(_ list: NSArray) -> Reference? {
    defer { extendLifetime(list) }
    let made = unsafe elements(of: borrowedReference(list)).map { unsafe retained(at: $0) }
    defer { unsafe release(made) }
    return unsafe CFObjectMakeArray(made, made.count)
}

private func cfDictionary(_ dictionary: NSDictionary) -> Reference? {
    defer { extendLifetime(dictionary) }
    let entries = unsafe Entries(of: borrowedReference(dictionary))
    let keys = unsafe entries.keys.map { unsafe retained(at: $0) }
    let values = unsafe entries.values.map { unsafe retained(at: $0) }
    defer { unsafe release(keys + values) }
    return unsafe CFObjectMakeDictionary(keys, values, keys.count)
}

private func borrowedReference(_ object: AnyObject) -> Reference {
    unsafe Reference(Unmanaged.passUnretained(object).toOpaque())
}

private func retained(at reference: Reference?) -> Reference? {
    guard let reference = unsafe reference else { return nil }
    return unsafe retained(Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue())
}

/// The text entries of the user info: Core Foundation shows them, and errors of this library have no others.
private func cfError(_ error: NSError) -> Reference? {
    let texts = error.userInfo.filter { $0.value is String }
    let domain = unsafe cfString(error.domain)
    let userInfo = unsafe cfDictionary(NSDictionary(dictionary: texts))
    defer { unsafe release([domain, userInfo]) }
    return unsafe CFObjectMakeError(domain, error.code, userInfo)
}

/// Collections retain their elements, so this function releases its own references.
private func release(_ references: [Reference?]) {
    unsafe references.forEach { reference in
        if let reference = unsafe reference { unsafe Unmanaged<AnyObject>.fromOpaque(reference).release() }
    }
}
