// Attributes that items of every class have.

// MARK: - Access

/// The key of the protection class: when the item can be opened (S-21).
@safe nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
/// The key of the access control: a `SecAccessControl`, which brings its own protection class.
@safe nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"
/// The key of the access group: which programs share the item.
@safe nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
/// The access group of items on smart cards and other tokens.
@safe nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
/// The key of the token that holds the item, such as the Secure Enclave.
@safe nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"
/// The token identifier of the Secure Enclave; for keys only.
@safe nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
/// The key of an access list of the macOS file keychain.
@safe nonisolated(unsafe) public let kSecAttrAccess: CFString = "acls"

// MARK: - Synchronization

/// The key of whether the item belongs to the synchronized part of the keychain.
@safe nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"
/// The value that makes a query find items whether or not they are synchronized.
@safe nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
/// The key of the synchronization view an item asks to belong to.
@safe nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = "vwht"

// MARK: - Description

/// The key of the name a person sees; not part of what makes an item unique.
@safe nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"
/// The key of when the item was added; set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"
/// The key of when the item was last changed; set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"
/// The key of the identifier behind a persistent reference.
@safe nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = "persistref"
/// The misspelt older name of `kSecAttrPersistentReference`.
@safe nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = "persistref"
