internal import KeychainModel

/// Makes an access control from a protection class and the required authentication (Apple,
/// `SecAccessControlCreateWithFlags`).
///
/// ```swift
/// var error: Unmanaged<CFError>?
/// let control = SecAccessControlCreateWithFlags(
///     nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, &error)
/// ```
///
/// - Parameters:
///   - allocator: ignored.
///   - protection: one of the seven `kSecAttrAccessible…` values.
///   - flags: the required authentication; empty for none.
///   - error: receives, with the result nil, an error of `NSOSStatusErrorDomain` with the code `errSecParam`. It names
///     the part that does not fit and the remedy. The caller releases it.
/// - Returns: the access control, or nil when the parts do not fit.
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    unsafe explaining(error) { () throws(Refusal) in
        let accessibility = try accessibility(protection)
        try flags.checkCombination()
        return SecAccessControl(protection: accessibility.code, flags: flags)
    }
}

private func accessibility(_ protection: CFTypeRef) throws(Refusal) -> Accessibility {
    if let code = protection as? NSString, let known = Accessibility(code: String(describing: code)) { return known }
    throw Refusal(
        .param, .wrongValue, "protection", "The protection is not a protection class.",
        do: "Pass one of the seven kSecAttrAccessible… values.")
}

extension SecAccessControlCreateFlags {
    private static let additions: Self = [.privateKeyUsage, .applicationPassword, .anchoredProgram]
    private static let named: Self = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and, additions,
    ]

    fileprivate func checkCombination() throws(Refusal) {
        // An unknown bit might be a constraint, so it is refused.
        if !isSubset(of: Self.named) {
            throw refusal("The flags contain a bit without a meaning.", do: "Use the named flags only.")
        }
        if isSuperset(of: [.or, .and]) {
            throw refusal("or and and exclude each other.", do: "Pass one; without either, all constraints count.")
        }
        if isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
            throw refusal("biometryAny and biometryCurrentSet exclude each other.", do: "Choose one of them.")
        }
        if contains(.userPresence), !subtracting(Self.additions).isSubset(of: .userPresence) {
            throw refusal(
                "userPresence goes together with applicationPassword, privateKeyUsage and anchoredProgram only.",
                do: "Leave the others out, or name the constraints singly, such as biometryAny and devicePasscode.")
        }
    }

    private func refusal(_ problem: String, do remedy: String) -> Refusal {
        Refusal(.param, .contradiction, "flags", problem, do: remedy)
    }
}
