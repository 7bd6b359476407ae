// Statuses of certificates and of checking them: -67585 to -67666.

// MARK: - Services, devices and blobs

/// The service that is needed is not available.
public let errSecServiceNotAvailable: OSStatus = -67585
/// The caller is not identified well enough for this.
public let errSecInsufficientClientID: OSStatus = -67586
/// The device was reset during the operation.
public let errSecDeviceReset: OSStatus = -67587
/// The device failed.
public let errSecDeviceFailed: OSStatus = -67588
/// A program could not be added to the access list.
public let errSecAppleAddAppACLSubject: OSStatus = -67589
/// The public key lacks parameters it inherits from elsewhere.
public let errSecApplePublicKeyIncomplete: OSStatus = -67590
/// The signature does not fit the signed data.
public let errSecAppleSignatureMismatch: OSStatus = -67591
/// The start date of the key is not valid.
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592
/// The end date of the key is not valid.
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593
/// A value could not be converted.
public let errSecConversionError: OSStatus = -67594
/// The connection was downgraded to SSL version 2; this may be an attack.
public let errSecAppleSSLv2Rollback: OSStatus = -67595
/// The quota is used up.
public let errSecQuotaExceeded: OSStatus = -67596
/// The file is too large.
public let errSecFileTooBig: OSStatus = -67597
/// The keychain's own record is damaged.
public let errSecInvalidDatabaseBlob: OSStatus = -67598
/// The stored key is damaged.
public let errSecInvalidKeyBlob: OSStatus = -67599
/// The keychain's own record has a version this one cannot read.
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600
/// The stored key has a version this one cannot read.
public let errSecIncompatibleKeyBlob: OSStatus = -67601

// MARK: - Certificates

/// The certificate is for another host.
public let errSecHostNameMismatch: OSStatus = -67602
/// The certificate has a critical extension that is not understood.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603
/// The certificate lacks basic constraints.
public let errSecNoBasicConstraints: OSStatus = -67604
/// The basic constraints do not say whether this is an authority.
public let errSecNoBasicConstraintsCA: OSStatus = -67605
/// The authority key identifier is not valid.
public let errSecInvalidAuthorityKeyID: OSStatus = -67606
/// The subject key identifier is not valid.
public let errSecInvalidSubjectKeyID: OSStatus = -67607
/// The certificate's key may not be used for what the policy asks.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608
/// The certificate's extended key usage does not fit.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609
/// Two certificates of the chain do not fit each other's identifiers.
public let errSecInvalidIDLinkage: OSStatus = -67610
/// The certificate chain is longer than an authority allows.
public let errSecPathLengthConstraintExceeded: OSStatus = -67611
/// The chain's root certificate is not valid.
public let errSecInvalidRoot: OSStatus = -67612

// MARK: - Revocation lists

/// The revocation list has expired.
public let errSecCRLExpired: OSStatus = -67613
/// The revocation list is not valid yet.
public let errSecCRLNotValidYet: OSStatus = -67614
/// No revocation list was found.
public let errSecCRLNotFound: OSStatus = -67615
/// The server of the revocation list does not answer.
public let errSecCRLServerDown: OSStatus = -67616
/// The address of the revocation list is not valid.
public let errSecCRLBadURI: OSStatus = -67617
/// The certificate has an extension that is not understood.
public let errSecUnknownCertExtension: OSStatus = -67618
/// The revocation list has an extension that is not understood.
public let errSecUnknownCRLExtension: OSStatus = -67619
/// The revocation list is not trusted.
public let errSecCRLNotTrusted: OSStatus = -67620
/// The revocation list did not pass the policy.
public let errSecCRLPolicyFailed: OSStatus = -67621
/// The issuing distribution point of the revocation list does not fit.
public let errSecIDPFailure: OSStatus = -67622

// MARK: - Mail and TLS certificates

/// The certificate does not name the mail address.
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623
/// The certificate's extended key usage does not allow mail.
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624
/// The certificate's key usage does not allow mail.
public let errSecSMIMEBadKeyUsage: OSStatus = -67625
/// The key usage of a mail certificate must be marked critical.
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626
/// The certificate names no mail address.
public let errSecSMIMENoEmailAddress: OSStatus = -67627
/// The alternative name of a mail certificate must be marked critical.
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628
/// The certificate's extended key usage does not allow TLS.
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629

// MARK: - Online status of certificates

/// The status responder's answer is malformed.
public let errSecOCSPBadResponse: OSStatus = -67630
/// The request to the status responder is malformed.
public let errSecOCSPBadRequest: OSStatus = -67631
/// The status responder is not available.
public let errSecOCSPUnavailable: OSStatus = -67632
/// The status responder does not know the certificate.
public let errSecOCSPStatusUnrecognized: OSStatus = -67633
/// The data ended too early.
public let errSecEndOfData: OSStatus = -67634
/// Revocation could not be checked completely.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635
/// The network failed.
public let errSecNetworkFailure: OSStatus = -67636
/// The status responder's answer leads to no trusted root.
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637
/// The record was changed by somebody else.
public let errSecRecordModified: OSStatus = -67638
/// The signature of the status responder's answer is wrong.
public let errSecOCSPSignatureError: OSStatus = -67639
/// The status responder's answer has no signer.
public let errSecOCSPNoSigner: OSStatus = -67640
/// The status responder found the request malformed.
public let errSecOCSPResponderMalformedReq: OSStatus = -67641
/// The status responder had an internal error.
public let errSecOCSPResponderInternalError: OSStatus = -67642
/// The status responder is busy; try again later.
public let errSecOCSPResponderTryLater: OSStatus = -67643
/// The status responder wants a signed request.
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644
/// The status responder refused the request.
public let errSecOCSPResponderUnauthorized: OSStatus = -67645
/// The status responder answered another request.
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646

// MARK: - Certificates of code and resources

/// The certificate chain of the signed code has the wrong length.
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647
/// A certificate of the signed code lacks basic constraints.
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648
/// A path length constraint of the signed code's certificates is violated.
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649
/// The signer's certificate lacks an extended key usage.
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650
/// The code is signed for development only.
public let errSecCodeSigningDevelopment: OSStatus = -67651
/// The certificate chain of the signed resource has the wrong length.
public let errSecResourceSignBadCertChainLength: OSStatus = -67652
/// The extended key usage does not allow signing resources.
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653
/// The trust settings deny this certificate.
public let errSecTrustSettingDeny: OSStatus = -67654
/// The subject's name is not valid.
public let errSecInvalidSubjectName: OSStatus = -67655
/// The qualified certificate has a statement that is not understood.
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656

// MARK: - Online accounts

/// The request will be sent when the account's server can be reached.
public let errSecMobileMeRequestQueued: OSStatus = -67657
/// The request was redirected to another server of the account.
public let errSecMobileMeRequestRedirected: OSStatus = -67658
/// The account's server reported an error.
public let errSecMobileMeServerError: OSStatus = -67659
/// The account's server is not available.
public let errSecMobileMeServerNotAvailable: OSStatus = -67660
/// The account's server says the item exists already.
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661
/// A service of the account's server failed.
public let errSecMobileMeServerServiceErr: OSStatus = -67662
/// Such a request to the account's server is under way already.
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663
/// No request to the account's server is under way.
public let errSecMobileMeNoRequestPending: OSStatus = -67664
/// The account's server could not verify the certificate request.
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665
/// The account's server found an inconsistency.
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666
