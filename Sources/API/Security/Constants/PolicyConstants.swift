// Trust policies: what a certificate is to be good for.

// MARK: - Policies

/// Basic X.509 validation.
@safe nonisolated(unsafe) public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// TLS.
@safe nonisolated(unsafe) public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// The server's side of TLS.
@safe nonisolated(unsafe) public let kSecPolicyAppleSSLServer: CFString = "1.2.840.113635.100.1.3.1"
/// The client's side of TLS.
@safe nonisolated(unsafe) public let kSecPolicyAppleSSLClient: CFString = "1.2.840.113635.100.1.3.2"
/// Signed and encrypted mail.
@safe nonisolated(unsafe) public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// Network access by EAP.
@safe nonisolated(unsafe) public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// The server's side of EAP.
@safe nonisolated(unsafe) public let kSecPolicyAppleEAPServer: CFString = "1.2.840.113635.100.1.9.1"
/// The client's side of EAP.
@safe nonisolated(unsafe) public let kSecPolicyAppleEAPClient: CFString = "1.2.840.113635.100.1.9.2"
/// IPsec.
@safe nonisolated(unsafe) public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// The server's side of IPsec.
@safe nonisolated(unsafe) public let kSecPolicyAppleIPSecServer: CFString = "1.2.840.113635.100.1.11.1"
/// The client's side of IPsec.
@safe nonisolated(unsafe) public let kSecPolicyAppleIPSecClient: CFString = "1.2.840.113635.100.1.11.2"
/// Instant messages.
@safe nonisolated(unsafe) public let kSecPolicyAppleiChat: CFString = "1.2.840.113635.100.1.12"
/// The client's side of Kerberos with certificates.
@safe nonisolated(unsafe) public let kSecPolicyApplePKINITClient: CFString = "1.2.840.113635.100.1.14"
/// The server's side of Kerberos with certificates.
@safe nonisolated(unsafe) public let kSecPolicyApplePKINITServer: CFString = "1.2.840.113635.100.1.15"
/// Signed programs.
@safe nonisolated(unsafe) public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"
/// Certificates of Apple accounts.
@safe nonisolated(unsafe) public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"
/// Receipts of the Mac App Store.
@safe nonisolated(unsafe) public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"
/// Time stamps.
@safe nonisolated(unsafe) public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"
/// Revocation checks.
@safe nonisolated(unsafe) public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"
/// Signed passes.
@safe nonisolated(unsafe) public let kSecPolicyApplePassbookSigning: CFString = "1.2.840.113635.100.1.22"
/// Encryption to an issuer of payment cards.
@safe nonisolated(unsafe) public let kSecPolicyApplePayIssuerEncryption: CFString = "1.2.840.113635.100.1.39"

// MARK: - Properties of a policy

/// The key of the policy's identifier.
@safe nonisolated(unsafe) public let kSecPolicyOid: CFString = "SecPolicyOid"
/// The key of the name the certificate must bear.
@safe nonisolated(unsafe) public let kSecPolicyName: CFString = "SecPolicyName"
/// The key of whether the certificate is the client's.
@safe nonisolated(unsafe) public let kSecPolicyClient: CFString = "SecPolicyClient"
/// The key of how revocation is checked.
@safe nonisolated(unsafe) public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"
/// The key of the team the certificate must belong to.
@safe nonisolated(unsafe) public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

// MARK: - Key usages a policy can demand

/// The key of whether the key must be for signatures.
@safe nonisolated(unsafe) public let kSecPolicyKU_DigitalSignature: CFString = "CE_KU_DigitalSignature"
/// The key of whether the key must be for signatures that bind the signer.
@safe nonisolated(unsafe) public let kSecPolicyKU_NonRepudiation: CFString = "CE_KU_NonRepudiation"
/// The key of whether the key must be for encrypting keys.
@safe nonisolated(unsafe) public let kSecPolicyKU_KeyEncipherment: CFString = "CE_KU_KeyEncipherment"
/// The key of whether the key must be for encrypting data.
@safe nonisolated(unsafe) public let kSecPolicyKU_DataEncipherment: CFString = "CE_KU_DataEncipherment"
/// The key of whether the key must be for key agreement.
@safe nonisolated(unsafe) public let kSecPolicyKU_KeyAgreement: CFString = "CE_KU_KeyAgreement"
/// The key of whether the key must be for signing certificates.
@safe nonisolated(unsafe) public let kSecPolicyKU_KeyCertSign: CFString = "CE_KU_KeyCertSign"
/// The key of whether the key must be for signing revocation lists.
@safe nonisolated(unsafe) public let kSecPolicyKU_CRLSign: CFString = "CE_KU_CRLSign"
/// The key of whether an agreed key must be for encryption only.
@safe nonisolated(unsafe) public let kSecPolicyKU_EncipherOnly: CFString = "CE_KU_EncipherOnly"
/// The key of whether an agreed key must be for decryption only.
@safe nonisolated(unsafe) public let kSecPolicyKU_DecipherOnly: CFString = "CE_KU_DecipherOnly"

// MARK: - How revocation is checked

/// By the issuer's online service.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// By the issuer's list.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// By the list, where both are there.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// No answer is as bad as a bad one.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Nothing is fetched.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Whatever way there is.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod
