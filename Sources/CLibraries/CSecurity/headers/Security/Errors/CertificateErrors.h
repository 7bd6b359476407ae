// Statuses of certificates and of checking them: -67585 to -67666.
// MARK: - Services, devices and blobs
#ifndef SECURITY_ERRORS_CERTIFICATEERRORS_H
#define SECURITY_ERRORS_CERTIFICATEERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // Services, devices and blobs:
    errSecServiceNotAvailable = -67585,  // The service that is needed is not available
    errSecInsufficientClientID = -67586,  // The caller is not identified well enough for this
    errSecDeviceReset = -67587,  // The device was reset during the operation
    errSecDeviceFailed = -67588,  // The device failed
    errSecAppleAddAppACLSubject = -67589,  // A program could not be added to the access list
    errSecApplePublicKeyIncomplete = -67590,  // The public key lacks parameters it inherits from elsewhere
    errSecAppleSignatureMismatch = -67591,  // The signature does not fit the signed data
    errSecAppleInvalidKeyStartDate = -67592,  // The start date of the key is not valid
    errSecAppleInvalidKeyEndDate = -67593,  // The end date of the key is not valid
    errSecConversionError = -67594,  // A value could not be converted
    errSecAppleSSLv2Rollback = -67595,  // The connection was downgraded to SSL version 2; this may be an attack
    errSecQuotaExceeded = -67596,  // The quota is used up
    errSecFileTooBig = -67597,  // The file is too large
    errSecInvalidDatabaseBlob = -67598,  // The keychain's own record is damaged
    errSecInvalidKeyBlob = -67599,  // The stored key is damaged
    errSecIncompatibleDatabaseBlob = -67600,  // The keychain's own record has a version this one cannot read
    errSecIncompatibleKeyBlob = -67601,  // The stored key has a version this one cannot read

    // Certificates:
    errSecHostNameMismatch = -67602,  // The certificate is for another host
    errSecUnknownCriticalExtensionFlag = -67603,  // The certificate has a critical extension that is not understood
    errSecNoBasicConstraints = -67604,  // The certificate lacks basic constraints
    errSecNoBasicConstraintsCA = -67605,  // The basic constraints do not say whether this is an authority
    errSecInvalidAuthorityKeyID = -67606,  // The authority key identifier is not valid
    errSecInvalidSubjectKeyID = -67607,  // The subject key identifier is not valid
    errSecInvalidKeyUsageForPolicy = -67608,  // The certificate's key may not be used for what the policy asks
    errSecInvalidExtendedKeyUsage = -67609,  // The certificate's extended key usage does not fit
    errSecInvalidIDLinkage = -67610,  // Two certificates of the chain do not fit each other's identifiers
    errSecPathLengthConstraintExceeded = -67611,  // The certificate chain is longer than an authority allows
    errSecInvalidRoot = -67612,  // The chain's root certificate is not valid

    // Revocation lists:
    errSecCRLExpired = -67613,  // The revocation list has expired
    errSecCRLNotValidYet = -67614,  // The revocation list is not valid yet
    errSecCRLNotFound = -67615,  // No revocation list was found
    errSecCRLServerDown = -67616,  // The server of the revocation list does not answer
    errSecCRLBadURI = -67617,  // The address of the revocation list is not valid
    errSecUnknownCertExtension = -67618,  // The certificate has an extension that is not understood
    errSecUnknownCRLExtension = -67619,  // The revocation list has an extension that is not understood
    errSecCRLNotTrusted = -67620,  // The revocation list is not trusted
    errSecCRLPolicyFailed = -67621,  // The revocation list did not pass the policy
    errSecIDPFailure = -67622,  // The issuing distribution point of the revocation list does not fit

    // Mail and TLS certificates:
    errSecSMIMEEmailAddressesNotFound = -67623,  // The certificate does not name the mail address
    errSecSMIMEBadExtendedKeyUsage = -67624,  // The certificate's extended key usage does not allow mail
    errSecSMIMEBadKeyUsage = -67625,  // The certificate's key usage does not allow mail
    errSecSMIMEKeyUsageNotCritical = -67626,  // The key usage of a mail certificate must be marked critical
    errSecSMIMENoEmailAddress = -67627,  // The certificate names no mail address
    errSecSMIMESubjAltNameNotCritical = -67628,  // The alternative name of a mail certificate must be marked critical
    errSecSSLBadExtendedKeyUsage = -67629,  // The certificate's extended key usage does not allow TLS

    // Online status of certificates:
    errSecOCSPBadResponse = -67630,  // The status responder's answer is malformed
    errSecOCSPBadRequest = -67631,  // The request to the status responder is malformed
    errSecOCSPUnavailable = -67632,  // The status responder is not available
    errSecOCSPStatusUnrecognized = -67633,  // The status responder does not know the certificate
    errSecEndOfData = -67634,  // The data ended too early
    errSecIncompleteCertRevocationCheck = -67635,  // Revocation could not be checked completely
    errSecNetworkFailure = -67636,  // The network failed
    errSecOCSPNotTrustedToAnchor = -67637,  // The status responder's answer leads to no trusted root
    errSecRecordModified = -67638,  // The record was changed by somebody else
    errSecOCSPSignatureError = -67639,  // The signature of the status responder's answer is wrong
    errSecOCSPNoSigner = -67640,  // The status responder's answer has no signer
    errSecOCSPResponderMalformedReq = -67641,  // The status responder found the request malformed
    errSecOCSPResponderInternalError = -67642,  // The status responder had an internal error
    errSecOCSPResponderTryLater = -67643,  // The status responder is busy; try again later
    errSecOCSPResponderSignatureRequired = -67644,  // The status responder wants a signed request
    errSecOCSPResponderUnauthorized = -67645,  // The status responder refused the request
    errSecOCSPResponseNonceMismatch = -67646,  // The status responder answered another request

    // Certificates of code and resources:
    errSecCodeSigningBadCertChainLength = -67647,  // The certificate chain of the signed code has the wrong length
    errSecCodeSigningNoBasicConstraints = -67648,  // A certificate of the signed code lacks basic constraints
    // A path length constraint of the signed code's certificates is violated
    errSecCodeSigningBadPathLengthConstraint = -67649,
    errSecCodeSigningNoExtendedKeyUsage = -67650,  // The signer's certificate lacks an extended key usage
    errSecCodeSigningDevelopment = -67651,  // The code is signed for development only
    errSecResourceSignBadCertChainLength = -67652,  // The certificate chain of the signed resource has the wrong length
    errSecResourceSignBadExtKeyUsage = -67653,  // The extended key usage does not allow signing resources
    errSecTrustSettingDeny = -67654,  // The trust settings deny this certificate
    errSecInvalidSubjectName = -67655,  // The subject's name is not valid
    errSecUnknownQualifiedCertStatement = -67656,  // The qualified certificate has a statement that is not understood

    // Online accounts:
    errSecMobileMeRequestQueued = -67657,  // The request will be sent when the account's server can be reached
    errSecMobileMeRequestRedirected = -67658,  // The request was redirected to another server of the account
    errSecMobileMeServerError = -67659,  // The account's server reported an error
    errSecMobileMeServerNotAvailable = -67660,  // The account's server is not available
    errSecMobileMeServerAlreadyExists = -67661,  // The account's server says the item exists already
    errSecMobileMeServerServiceErr = -67662,  // A service of the account's server failed
    errSecMobileMeRequestAlreadyPending = -67663,  // Such a request to the account's server is under way already
    errSecMobileMeNoRequestPending = -67664,  // No request to the account's server is under way
    errSecMobileMeCSRVerifyFailure = -67665,  // The account's server could not verify the certificate request
    errSecMobileMeFailedConsistencyCheck = -67666,  // The account's server found an inconsistency
};

#endif
