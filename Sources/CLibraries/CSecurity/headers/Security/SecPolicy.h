// Trust policies: what a certificate is to be good for.
#ifndef SECURITY_SECPOLICY_H
#define SECURITY_SECPOLICY_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Flags of SecPolicyCreateRevocation.
CF_ENUM(CFOptionFlags) {
    kSecRevocationOCSPMethod = 1ul << 0,
    kSecRevocationCRLMethod = 1ul << 1,
    kSecRevocationPreferCRL = 1ul << 2,
    kSecRevocationRequirePositiveResponse = 1ul << 3,
    kSecRevocationNetworkAccessDisabled = 1ul << 4,
    kSecRevocationUseAnyAvailableMethod = kSecRevocationOCSPMethod | kSecRevocationCRLMethod,
};

CFTypeID SecPolicyGetTypeID(void);

// Basic X.509 validation.
SecPolicyRef SecPolicyCreateBasicX509(void) SEC_RETAINED;
// TLS, of a server that has this name, or of a client.
SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef SEC_NULLABLE hostname) SEC_RETAINED;
SecPolicyRef SEC_NULLABLE SecPolicyCreateRevocation(CFOptionFlags revocationFlags) SEC_RETAINED;
// One of the kSecPolicyApple policies, with what a certificate must have besides.
SecPolicyRef SEC_NULLABLE SecPolicyCreateWithProperties(
    CFTypeRef policyIdentifier, CFDictionaryRef SEC_NULLABLE properties) SEC_RETAINED;
CFDictionaryRef SEC_NULLABLE SecPolicyCopyProperties(SecPolicyRef policyRef) SEC_RETAINED;

// Policies:
extern const CFStringRef kSecPolicyAppleX509Basic;  // Basic X.509 validation
extern const CFStringRef kSecPolicyAppleSSL;  // TLS
extern const CFStringRef kSecPolicyAppleSSLServer;  // The server's side of TLS
extern const CFStringRef kSecPolicyAppleSSLClient;  // The client's side of TLS
extern const CFStringRef kSecPolicyAppleSMIME;  // Signed and encrypted mail
extern const CFStringRef kSecPolicyAppleEAP;  // Network access by EAP
extern const CFStringRef kSecPolicyAppleEAPServer;  // The server's side of EAP
extern const CFStringRef kSecPolicyAppleEAPClient;  // The client's side of EAP
extern const CFStringRef kSecPolicyAppleIPsec;  // IPsec
extern const CFStringRef kSecPolicyAppleIPSecServer;  // The server's side of IPsec
extern const CFStringRef kSecPolicyAppleIPSecClient;  // The client's side of IPsec
extern const CFStringRef kSecPolicyAppleiChat;  // Instant messages
extern const CFStringRef kSecPolicyApplePKINITClient;  // The client's side of Kerberos with certificates
extern const CFStringRef kSecPolicyApplePKINITServer;  // The server's side of Kerberos with certificates
extern const CFStringRef kSecPolicyAppleCodeSigning;  // Signed programs
extern const CFStringRef kSecPolicyAppleIDValidation;  // Certificates of Apple accounts
extern const CFStringRef kSecPolicyMacAppStoreReceipt;  // Receipts of the Mac App Store
extern const CFStringRef kSecPolicyAppleTimeStamping;  // Time stamps
extern const CFStringRef kSecPolicyAppleRevocation;  // Revocation checks
extern const CFStringRef kSecPolicyApplePassbookSigning;  // Signed passes
extern const CFStringRef kSecPolicyApplePayIssuerEncryption;  // Encryption to an issuer of payment cards

// Properties of a policy:
extern const CFStringRef kSecPolicyOid;  // The key of the policy's identifier
extern const CFStringRef kSecPolicyName;  // The key of the name the certificate must bear
extern const CFStringRef kSecPolicyClient;  // The key of whether the certificate is the client's
extern const CFStringRef kSecPolicyRevocationFlags;  // The key of how revocation is checked
extern const CFStringRef kSecPolicyTeamIdentifier;  // The key of the team the certificate must belong to

// Key usages a policy can demand:
extern const CFStringRef kSecPolicyKU_DigitalSignature;  // The key of whether the key must be for signatures
// The key of whether the key must be for signatures that bind the signer
extern const CFStringRef kSecPolicyKU_NonRepudiation;
extern const CFStringRef kSecPolicyKU_KeyEncipherment;  // The key of whether the key must be for encrypting keys
extern const CFStringRef kSecPolicyKU_DataEncipherment;  // The key of whether the key must be for encrypting data
extern const CFStringRef kSecPolicyKU_KeyAgreement;  // The key of whether the key must be for key agreement
extern const CFStringRef kSecPolicyKU_KeyCertSign;  // The key of whether the key must be for signing certificates
extern const CFStringRef kSecPolicyKU_CRLSign;  // The key of whether the key must be for signing revocation lists
extern const CFStringRef kSecPolicyKU_EncipherOnly;  // The key of whether an agreed key must be for encryption only
extern const CFStringRef kSecPolicyKU_DecipherOnly;  // The key of whether an agreed key must be for decryption only

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
