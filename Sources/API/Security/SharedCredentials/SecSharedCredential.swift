internal import KeychainModel
internal import LinuxSystem

// Credentials that an app shares with its web site through the browser. This system has no such browser.

/// Saves a credential for a web site.
///
/// - Parameters:
///   - fqdn: the site.
///   - account: the account.
///   - password: the password; nil removes it.
///   - completionHandler: receives `errSecUnimplemented`.
public func SecAddSharedWebCredential(
    _ fqdn: CFString, _ account: CFString, _ password: CFString?,
    _ completionHandler: @escaping @Sendable (CFError?) -> Void
) {
    completionHandler(Refusal.notHere("SecAddSharedWebCredential", noBrowser).asCFError)
}

/// Asks the user for a credential of a web site.
///
/// - Parameters:
///   - fqdn: the site; nil for all of the program's.
///   - account: the account; nil for any.
///   - completionHandler: receives no credentials, and `errSecUnimplemented`.
public func SecRequestSharedWebCredential(
    _ fqdn: CFString?, _ account: CFString?, _ completionHandler: @escaping @Sendable (CFArray?, CFError?) -> Void
) {
    completionHandler(nil, Refusal.notHere("SecRequestSharedWebCredential", noBrowser).asCFError)
}

private let noBrowser = "no browser shares its passwords with programs."

/// Makes a password that is hard to guess and easy to type.
///
/// - Returns: three groups of six letters and digits with hyphens between, from the kernel's random numbers: 88 bits.
///   Letters that look alike are left out; one is a capital, one a digit.
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    while true {
        let characters = (0..<18).map { _ in alphabet[Int(number(below: UInt8(alphabet.count)))] }
        let groups = stride(from: 0, to: 18, by: 6).map { String(characters[$0..<$0 + 6]) }
        let isMixed = characters.contains(where: \.isNumber) && characters.contains(where: \.isUppercase)
        if isMixed { return NSString(string: groups.joined(separator: "-")) }
    }
}

private let alphabet = Array("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")

/// A random number below a bound, without bias.
private func number(below limit: UInt8) -> UInt8 {
    let fair = UInt8.max - UInt8.max % limit
    while true {
        let byte = Randomness.bytes(1)[0]
        if byte < fair { return byte % limit }
    }
}
