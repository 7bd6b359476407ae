/// A requirement on code. This system does not read Apple's language of requirements, so no object of this class
/// exists.
public final class SecRequirement: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecRequirement.self)
    private let runtimeWord = SecRequirement.runtimeType.word
    init(_ nothing: Never) {}
}

/// Reads a requirement.
///
/// - Parameter requirement: receives nil.
/// - Returns: `errSecCSUnimplemented`. Compare `kSecCodeInfoTeamIdentifier` of `SecCodeCopySigningInformation`.
@discardableResult
public func SecRequirementCreateWithString(
    _ text: CFString, _ flags: SecCSFlags, _ requirement: UnsafeMutablePointer<SecRequirement?>
) -> OSStatus {
    unsafe requirement.pointee = nil
    return errSecCSUnimplemented
}

/// Reads a requirement in binary form.
///
/// - Parameter requirement: receives nil.
/// - Returns: `errSecCSUnimplemented`.
@discardableResult
public func SecRequirementCreateWithData(
    _ data: CFData, _ flags: SecCSFlags, _ requirement: UnsafeMutablePointer<SecRequirement?>
) -> OSStatus {
    unsafe requirement.pointee = nil
    return errSecCSUnimplemented
}
