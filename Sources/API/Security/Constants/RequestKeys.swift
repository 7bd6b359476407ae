// Keys that say what a call gives, what it wants back and how it is carried out.

// MARK: - Values

/// The key of the secret itself, as data.
@safe nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
/// The key of a certificate, key or identity object.
@safe nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
/// The key of a reference that names one item and outlives the process.
@safe nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: - Results

/// The key of whether the secret is returned.
@safe nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
/// The key of whether the attributes are returned.
@safe nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
/// The key of whether an object for the item is returned.
@safe nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
/// The key of whether a persistent reference is returned.
@safe nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"

// MARK: - Authentication

/// The key of an `LAContext` whose authentication counts for the call.
@safe nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// The key of the reason the user reads when asked to authenticate.
@safe nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// The key of whether the user may be asked.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// The user may be asked; the default.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// The call fails with `errSecInteractionNotAllowed` where the user would be asked.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Items for which the user would be asked are left out of the results.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// The key of the older switch that means the same as `kSecUseAuthenticationUIFail`.
@safe nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

// MARK: - Which keychain

/// The key of whether a Mac uses the data protection keychain; here there is no other.
@safe nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// The key of whether the keychain that all users share is meant.
@safe nonisolated(unsafe) public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"
/// The key of the keychain file to add to.
@safe nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"
/// The key of the items to work on.
@safe nonisolated(unsafe) public let kSecUseItemList: CFString = "u_ItemList"

// MARK: - Extensions

/// The key of whether `SecItemAdd` changes the item that is already there under the same primary key, as
/// `SecItemUpdate` would, in one step that no other program can come between. Not in Apple's API.
@safe nonisolated(unsafe) public let kSecUseUpdateExisting: CFString = "u_UpdateExisting"
