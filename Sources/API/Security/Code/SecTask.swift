internal import CodeSignature
internal import KeychainModel

/// A process and its entitlements. Only this process can be looked at.
///
/// The entitlements are those of the executable's signature (docs/guides/signing.md). The keychain may grant a program
/// more by other rules: `security identity` shows the result.
public final class SecTask: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecTask.self)
    private let runtimeWord = SecTask.runtimeType.word
    fileprivate let code: SignedCode

    fileprivate init(_ code: SignedCode) { self.code = code }
}

/// Makes a task of this process.
///
/// - Returns: the task; nil when the executable cannot be read or its signature is invalid.
@discardableResult
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? {
    try? SecTask(SignedCode.ofThisProcess.get())
}

/// The statement of Apple's kernel about the sender of a message.
public struct audit_token_t: Sendable {
    /// Its eight words.
    public var val: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0, 0, 0, 0)
    /// A token without a word.
    public init() {}
    /// A token of words.
    public init(val: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)) { self.val = val }
}

/// Makes a task of another process. Not possible here: Linux hands out no audit tokens, and process numbers prove
/// nothing.
///
/// - Returns: nil; ``SecCopyLastItemError()`` names the alternative.
@discardableResult
public func SecTaskCreateWithAuditToken(_ allocator: CFAllocator?, _ token: audit_token_t) -> SecTask? {
    _ = notHere("Linux has no audit tokens; ask the kernel for the peer of a socket (SO_PEERPIDFD, SO_PEERCRED).")
    return nil
}

/// Returns the code signing status that the kernel of Apple systems would report for a task.
///
/// - Returns: 1 (`CS_VALID`) for a program whose signature holds, 0 for one that has none.
@discardableResult
public func SecTaskGetCodeSignStatus(_ task: SecTask) -> UInt32 { task.code.signature == nil ? 0 : 1 }

/// Returns an entitlement of a task.
///
/// - Parameters:
///   - entitlement: its key, such as `keychain-access-groups`.
///   - error: never set: an entitlement that is not there is nil.
/// - Returns: the value: a string, number, array …; nil when there is none.
@discardableResult
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
    task.code.signature?.entitlements.value(entitlement as String)?.object
}

/// Returns several entitlements of a task.
///
/// - Parameters:
///   - entitlements: an array of their keys.
///   - error: receives `errSecParam`, with the result nil, when something else is in the array.
/// - Returns: those that are there, by their keys.
@discardableResult
public func SecTaskCopyValuesForEntitlements(
    _ task: SecTask, _ entitlements: CFArray, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    let values = NSMutableDictionary()
    for entry in entitlements {
        guard let key = entry as? String else {
            let refusal = Refusal(
                .param, .wrongType, "entitlements", "A key of an entitlement is not a string.", do: "Give strings.")
            unsafe error?.pointee = .passRetained(refusal.asCFError)
            return nil
        }
        if let value = SecTaskCopyValueForEntitlement(task, NSString(string: key), nil) {
            values.setObject(value, forKey: NSString(string: key))
        }
    }
    return values
}

/// Returns the identifier that the signer gave the program.
///
/// - Parameter error: receives `errSecCSUnsigned`, with the result nil, for a program that is not signed.
@discardableResult
public func SecTaskCopySigningIdentifier(
    _ task: SecTask, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    guard let signature = task.code.signature else {
        unsafe error?.pointee = .passRetained(SignedCode.unsigned.asCFError)
        return nil
    }
    return NSString(string: signature.identifier)
}
