// Every `kSec…` constant is declared as these are. Foundation does not call `NSString` Sendable, hence
// `nonisolated(unsafe)`; the strings never change, hence `@safe`: programs under strict memory safety use them without
// a mark.

/// The key of an item's class; every query needs it, unless it names one item by reference.
@safe nonisolated(unsafe) public let kSecClass: CFString = "class"
/// The class of passwords of any kind, told apart by account and service.
@safe nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
/// The class of passwords of network accounts, told apart by account, server, protocol and path.
@safe nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"
/// The class of X.509 certificates, told apart by issuer and serial number.
@safe nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"
/// The class of cryptographic keys.
@safe nonisolated(unsafe) public let kSecClassKey: CFString = "keys"
/// The class of identities: a certificate and the private key it belongs to.
@safe nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"
