internal import CodeSignature
internal import KeychainModel

/// Code on disk.
public final class SecStaticCode: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecStaticCode.self)
    private let runtimeWord = SecStaticCode.runtimeType.word
    let code: SignedCode

    init(_ code: SignedCode) { self.code = code }
}

/// Reads an executable and verifies its signature.
///
/// - Parameters:
///   - path: the URL of the file.
///   - staticCode: receives the code.
/// - Returns: `errSecSuccess`, also for an unsigned executable; `errSecCSStaticCodeNotFound`; the status of an invalid
///   signature. ``SecCopyLastItemError()`` names the rule.
@discardableResult
public func SecStaticCodeCreateWithPath(
    _ path: CFURL, _ flags: SecCSFlags, _ staticCode: UnsafeMutablePointer<SecStaticCode?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe staticCode.pointee = SecStaticCode(try SignedCode(at: path.path ?? ""))
        return nil
    }
}

/// Checks an executable against its signature, in the state in which it was read.
///
/// - Returns: `errSecSuccess`; `errSecCSUnsigned`; `errSecCSUnimplemented` for a call with a requirement.
@discardableResult
public func SecStaticCodeCheckValidity(
    _ staticCode: SecStaticCode, _ flags: SecCSFlags, _ requirement: SecRequirement?
) -> OSStatus {
    staticCode.code.validity(requirement)
}

/// Returns the location of code.
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

/// Returns the contents of a signature.
///
/// - Parameter information: receives a dictionary. It has `kSecCodeInfoMainExecutable`. Signed code also has
///   `kSecCodeInfoIdentifier`, `kSecCodeInfoTeamIdentifier`, `kSecCodeInfoUnique` (the digest of the loaded and
///   executed parts), `kSecCodeInfoEntitlements` (the file) and `kSecCodeInfoEntitlementsDict`.
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
