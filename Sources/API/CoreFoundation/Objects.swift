/// Returns whether two objects have the same content.
///
/// - Parameters: the objects; nil traps, as in C.
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
    guard let left = cf1! as? NSObject else { return cf1! === cf2! }
    return left.isEqual(cf2!)
}

/// Returns a hash of an object's content.
///
/// - Parameter cf: the object; nil traps, as in C.
public func CFHash(_ cf: CFTypeRef!) -> CFHashCode {
    guard let object = cf! as? NSObject else { return CFHashCode(bitPattern: ObjectIdentifier(cf!).hashValue) }
    return CFHashCode(bitPattern: object.hash)
}

/// Returns a text that describes an object.
///
/// - Parameter cf: the object; nil traps, as in C.
public func CFCopyDescription(_ cf: CFTypeRef!) -> CFString! {
    NSString(string: String(describing: cf!))
}

/// Turns a Swift value into the object that Core Foundation's functions take.
///
/// - Parameter value: any value; a Swift structure that bridges becomes its class.
@discardableResult
public func CFBridgingRetain(_ value: Any?) -> CFTypeRef? {
    value as AnyObject?
}

/// Turns an object of Core Foundation into a Swift value.
///
/// - Parameter object: any object.
@discardableResult
public func CFBridgingRelease(_ object: CFTypeRef?) -> Any? {
    object
}
