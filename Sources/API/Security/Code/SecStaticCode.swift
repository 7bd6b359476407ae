internal import CodeSignature
internal import KeychainModel

/// Code on disk.
public final class SecStaticCode: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecStaticCode.self)
    private let runtimeWord = SecStaticCode.runtimeType.word
    let code: SignedCode

    init(_ code: SignedCode) { self.code = code }
}

/// Reads an executable, and verifies its signature.
///
/// - Parameters:
///   - path: where it is.
///   - staticCode: receives it.
/// - Returns: `errSecSuccess`, also for one that is not signed; `errSecCSStaticCodeNotFound`; the status of a signature
///   that does not hold. ``SecCopyLastItemError()`` says which rule spoke.
@discardableResult
public func SecStaticCodeCreateWithPath(
    _ path: CFURL, _ flags: SecCSFlags, _ staticCode: UnsafeMutablePointer<SecStaticCode?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe staticCode.pointee = SecStaticCode(try SignedCode(at: path.path ?? ""))
        return nil
    }
}

/// Returns whether an executable is what was signed, as it was when it was read.
///
/// - Returns: `errSecSuccess`, `errSecCSUnsigned`, or `errSecCSUnimplemented` where there is a requirement.
@discardableResult
public func SecStaticCodeCheckValidity(
    _ staticCode: SecStaticCode, _ flags: SecCSFlags, _ requirement: SecRequirement?
) -> OSStatus {
    staticCode.code.validity(requirement)
}

/// Returns where code lies.
///
/// - Parameter path: receives the URL of the file.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCodeCopyPath(
    _ staticCode: SecStaticCode, _ flags: SecCSFlags, _ path: UnsafeMutablePointer<CFURL?>
) -> OSStatus {
    unsafe path.pointee = NSURL(fileURLWithPath: staticCode.code.path)
    return errSecSuccess
}

/// Returns what a signature says.
///
/// - Parameter information: receives a dictionary with `kSecCodeInfoMainExecutable` and, for signed code,
///   `kSecCodeInfoIdentifier`, `kSecCodeInfoTeamIdentifier`, `kSecCodeInfoUnique` (the digest of what is loaded and executed),
///   `kSecCodeInfoEntitlements` (the file) and `kSecCodeInfoEntitlementsDict`.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCodeCopySigningInformation(
    _ code: SecStaticCode, _ flags: SecCSFlags, _ information: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
    unsafe information.pointee = code.code.information
    return errSecSuccess
}

extension SignedCode {
    fileprivate var information: CFDictionary {
        let entries = NSMutableDictionary()
        entries.setObject(NSURL(fileURLWithPath: path), forKey: kSecCodeInfoMainExecutable)
        guard let signature else { return entries }
        entries.setObject(NSString(string: signature.identifier), forKey: kSecCodeInfoIdentifier)
        entries.setObject(NSString(string: signature.team.text), forKey: kSecCodeInfoTeamIdentifier)
        entries.setObject(NSData(copying: signature.codeDigest), forKey: kSecCodeInfoUnique)
        entries.setObject(NSData(copying: signature.plist), forKey: kSecCodeInfoEntitlements)
        entries.setObject(signature.entitlements.all.object, forKey: kSecCodeInfoEntitlementsDict)
        return entries
    }
}
