internal import CSecurity
internal import Security

/// Hands an object to C, which has to release it; NULL for nil.
///
/// Strings, arrays, dictionaries and errors are made anew as Core Foundation's own. Foundation's strings ignore the size of the
/// buffer that `CFStringGetCString` is given; its errors are none to Core Foundation, which ends the process when it is asked for
/// the description of one. Data, dates, numbers, URLs and the objects of `Security` are handed out as they are.
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
    let elements = unsafe list.map { unsafe retained($0 as AnyObject) }
    defer { unsafe release(elements) }
    return unsafe CFObjectMakeArray(elements, elements.count)
}

private func cfDictionary(_ entries: NSDictionary) -> Reference? {
    var keys: [Reference?] = unsafe []
    var values: [Reference?] = unsafe []
    for (key, value) in entries {
        unsafe keys.append(retained(key as AnyObject))
        unsafe values.append(retained(value as AnyObject))
    }
    defer { unsafe release(keys + values) }
    return unsafe CFObjectMakeDictionary(keys, values, keys.count)
}

/// What of the user info is text: Core Foundation shows it, and our own errors have nothing else.
private func cfError(_ error: NSError) -> Reference? {
    let texts = error.userInfo.filter { $0.value is String }
    let domain = unsafe cfString(error.domain)
    let userInfo = unsafe cfDictionary(NSDictionary(dictionary: texts))
    defer { unsafe release([domain, userInfo]) }
    return unsafe CFObjectMakeError(domain, error.code, userInfo)
}

/// Collections retain what is put into them; our own references go.
private func release(_ references: [Reference?]) {
    unsafe references.forEach { reference in
        if let reference = unsafe reference { unsafe Unmanaged<AnyObject>.fromOpaque(reference).release() }
    }
}
