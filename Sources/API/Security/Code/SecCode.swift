internal import CodeSignature
internal import KeychainModel

/// Running code: this process.
public final class SecCode: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecCode.self)
    private let runtimeWord = SecCode.runtimeType.word
    let code: SignedCode

    fileprivate init(_ code: SignedCode) { self.code = code }
}

/// Options for looking at code. Those beyond the default are accepted and change nothing: all signed code is always
/// verified.
public struct SecCSFlags: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Flags by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Nothing special.
    public static let defaultFlags: SecCSFlags = []
    /// Revocation is considered.
    public static let enforceRevocationChecks = Self(rawValue: 1 << 30)
    /// Nothing is fetched.
    public static let noNetworkAccess = Self(rawValue: 1 << 29)
    /// The date of the signature counts.
    public static let considerExpiration = Self(rawValue: 1 << 31)
}

/// `SecCodeCopySigningInformation`: what is in every answer.
public let kSecCSDefaultFlags: UInt32 = 0
/// `SecCodeCopySigningInformation`: certificates and team.
public let kSecCSSigningInformation: UInt32 = 1 << 1
/// `SecCodeCopySigningInformation`: requirements and entitlements.
public let kSecCSRequirementInformation: UInt32 = 1 << 2

/// Returns the code of this process.
///
/// - Parameter code: receives it.
/// - Returns: `errSecSuccess`, or the status of an invalid signature.
@discardableResult
public func SecCodeCopySelf(_ flags: SecCSFlags, _ code: UnsafeMutablePointer<SecCode?>) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe code.pointee = SecCode(try SignedCode.ofThisProcess.get())
        return nil
    }
}

/// Returns the executable of running code.
///
/// - Parameter staticCode: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCodeCopyStaticCode(
    _ code: SecCode, _ flags: SecCSFlags, _ staticCode: UnsafeMutablePointer<SecStaticCode?>
) -> OSStatus {
    unsafe staticCode.pointee = SecStaticCode(code.code)
    return errSecSuccess
}

/// Checks running code against its signature.
///
/// - Returns: `errSecSuccess`; `errSecCSUnsigned`; `errSecCSUnimplemented` for a call with a requirement.
@discardableResult
public func SecCodeCheckValidity(_ code: SecCode, _ flags: SecCSFlags, _ requirement: SecRequirement?) -> OSStatus {
    code.code.validity(requirement)
}

extension SignedCode {
    func validity(_ requirement: SecRequirement?) -> OSStatus {
        guard requirement == nil else { return errSecCSUnimplemented }
        return signature == nil ? errSecCSUnsigned : errSecSuccess
    }
}
