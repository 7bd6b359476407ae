internal import CSecurity

// Collections through C's functions, which return the stored objects. Swift's functions would make values of the
// objects. An object of this library would then not wipe itself at its end.

/// Keys and values of a dictionary, which keeps owning them.
@unsafe struct Entries {
    let count: Int
    private(set) var keys: [Reference?]
    private(set) var values: [Reference?]

    init(of dictionary: Reference) {
        unsafe count = CFObjectGetCount(dictionary)
        unsafe keys = [Reference?](repeating: nil, count: count)
        unsafe values = [Reference?](repeating: nil, count: count)
        if unsafe count > 0 { unsafe CFObjectGetEntries(dictionary, &keys, &values) }
    }
}

/// The elements of an array, which keeps owning them.
func elements(of array: Reference) -> [Reference?] {
    let count = unsafe CFObjectGetCount(array)
    var elements = unsafe [Reference?](repeating: nil, count: count)
    if count > 0 { unsafe CFObjectGetElements(array, &elements) }
    return unsafe elements
}
