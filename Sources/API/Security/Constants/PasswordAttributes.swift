// Attributes of generic and internet passwords.

// MARK: - Both kinds of passwords

/// The key of the account name; part of what makes a password unique.
@safe nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
/// The key of a text that says what kind of item it is.
@safe nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"
/// The key of a comment by the user.
@safe nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
/// The key of the creator, a number of four characters.
@safe nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"
/// The key of the item's type, a number of four characters.
@safe nonisolated(unsafe) public let kSecAttrType: CFString = "type"
/// The key of whether user interfaces should leave the item out.
@safe nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"
/// The key of whether the item stands for "no password is stored here".
@safe nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"

// MARK: - Generic passwords

/// The key of the service a password belongs to; with the account it makes a generic password unique.
@safe nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
/// The key of data the program may use freely; it does not make an item unique.
@safe nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"

// MARK: - Internet passwords

/// The key of the server's name or address.
@safe nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"
/// The key of the port number.
@safe nonisolated(unsafe) public let kSecAttrPort: CFString = "port"
/// The key of the path on the server.
@safe nonisolated(unsafe) public let kSecAttrPath: CFString = "path"
/// The key of the protocol, one of the `kSecAttrProtocol…` values.
@safe nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"
/// The key of the authentication scheme, one of the `kSecAttrAuthenticationType…` values.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = "atyp"
/// The key of the security domain, the realm of an HTTP server.
@safe nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"
