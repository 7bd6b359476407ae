internal import KeychainModel
internal import Security

// C names objects by their address. Only these two forms cross the border, and only this module has raw pointers.

/// An object as C has it. The caller owns it, and this module borrows it for the duration of a call.
public typealias Reference = UnsafeRawPointer
/// The place in which C wants an object. C owns that object.
public typealias Place = UnsafeMutablePointer<UnsafeRawPointer?>

/// The object behind a reference.
///
/// - Throws: `errSecParam` for NULL, and for an object of another class.
func borrowed<Object: NSObject>(_ reference: Reference?) throws(Refusal) -> Object {
    guard let object: Object = try unsafe optional(reference) else { throw .unusable("NULL", "\(Object.self)") }
    return object
}

/// The object behind a reference that may be NULL.
///
/// - Throws: `errSecParam` for an object of another class.
func optional<Object: NSObject>(_ reference: Reference?) throws(Refusal) -> Object? {
    guard let reference = unsafe reference else { return nil }
    let object = unsafe Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue()
    if let object = object as? Object { return object }
    throw .unusable("an object of another type", "\(Object.self)")
}

/// Memory that must be there.
func given<Pointer: _Pointer>(_ pointer: Pointer?) throws(Refusal) -> Pointer {
    guard let pointer else { throw .unusable("NULL", "memory") }
    return pointer
}

extension Refusal {
    /// An invalid argument.
    static func unusable(_ given: String, _ wanted: String) -> Refusal {
        Refusal(
            .param, .wrongType, "argument", "An argument is \(given) where \(wanted) is needed.", do: "Check the call.")
    }
}
