import Foundation
import LocalAuthentication
import Security

/// A password that requires its owner's authentication, or an application password (rules
/// access-control.password.credential, access-control.add.free).
public struct GuardedPassword {
    private let identity: [String: Any]

    /// A password of this service and account.
    public init(service: String, account: String) {
        identity = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }

    /// Stores a password that requires the owner's finger or passcode for reading. Storing it asks nobody. It fails
    /// with `errSecAuthFailed` when no passcode is set.
    public func add(_ password: String) -> OSStatus {
        var dictionary = identity
        let accessControl = SecAccessControlCreateWithFlags(
            kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
        if accessControl != nil {
            dictionary[kSecAttrAccessControl as String] = accessControl
        }
        dictionary[kSecValueData as String] = password.data(using: .utf8)
        return SecItemAdd(dictionary as CFDictionary, nil)
    }

    /// Reads the password, with a text for the prompt. It blocks until the owner has answered: not for the main thread.
    public func find(prompt: String = "Authenticate to retrieve x") -> (status: OSStatus, password: String?) {
        var dictionary = identity
        dictionary[kSecUseOperationPrompt as String] = prompt
        return read(dictionary)
    }

    /// Reads the password after the owner has authenticated in a context, which may serve other reads too.
    /// `LAError.userCancel` is no failure of the program.
    public func find(after context: LAContext, reason: String) async throws -> String? {
        do {
            guard try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) else {
                return nil
            }
        } catch LAError.userCancel {
            return nil
        }
        var dictionary = identity
        dictionary[kSecUseAuthenticationContext as String] = context
        return read(dictionary).password
    }

    /// Stores a password under an application password, such as a server provides after login. It works on a device
    /// without passcode and finger.
    public func add(_ password: String, under applicationPassword: String) -> OSStatus {
        var dictionary = under(applicationPassword)
        var error: Unmanaged<CFError>?
        let accessControl = SecAccessControlCreateWithFlags(
            kCFAllocatorDefault, kSecAttrAccessibleWhenUnlocked, SecAccessControlCreateFlags.applicationPassword,
            &error)
        if accessControl != nil {
            dictionary[kSecAttrAccessControl as String] = accessControl
        }
        dictionary[kSecValueData as String] = password.data(using: .utf8)
        return SecItemAdd(dictionary as CFDictionary, nil)
    }

    /// Reads a password that was stored under an application password.
    public func find(under applicationPassword: String) -> (status: OSStatus, password: String?) {
        read(under(applicationPassword))
    }

    private func under(_ applicationPassword: String) -> [String: Any] {
        var dictionary = identity
        let localAuthenticationContext = LAContext.init()
        let theApplicationPassword = applicationPassword.data(using: String.Encoding.utf8)!
        localAuthenticationContext.setCredential(
            theApplicationPassword, type: LACredentialType.applicationPassword)
        dictionary[kSecUseAuthenticationContext as String] = localAuthenticationContext
        return dictionary
    }

    private func read(_ dictionary: [String: Any]) -> (status: OSStatus, password: String?) {
        var query = dictionary
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        return (status, (found as? Data).flatMap { String(data: $0, encoding: .utf8) })
    }
}
