// Attributes of certificates; the keychain reads them from the certificate itself.

/// The key of the subject's name, normalized DER.
@safe nonisolated(unsafe) public let kSecAttrSubject: CFString = "subj"
/// The key of the issuer's name, normalized DER; part of what makes a certificate unique.
@safe nonisolated(unsafe) public let kSecAttrIssuer: CFString = "issr"
/// The key of the serial number; part of what makes a certificate unique.
@safe nonisolated(unsafe) public let kSecAttrSerialNumber: CFString = "slnr"
/// The key of the subject key identifier.
@safe nonisolated(unsafe) public let kSecAttrSubjectKeyID: CFString = "skid"
/// The key of the SHA-1 digest of the public key, which leads to the private key of an identity.
@safe nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = "pkhh"
/// The key of the certificate's X.509 version.
@safe nonisolated(unsafe) public let kSecAttrCertificateType: CFString = "ctyp"
/// The key of the certificate's encoding; 3 is DER.
@safe nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = "cenc"
