// Statuses of time stamps and of rules on certificates: -67880 to -67904.

// MARK: - Extensions

/// The certificate lacks an extension that is required.
public let errSecMissingRequiredExtension: OSStatus = -67880
/// The extended key usage must be marked critical.
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881

// MARK: - Time stamps

/// A time stamp was expected and is missing.
public let errSecTimestampMissing: OSStatus = -67882
/// The time stamp is not valid.
public let errSecTimestampInvalid: OSStatus = -67883
/// The time stamp is not trusted.
public let errSecTimestampNotTrusted: OSStatus = -67884
/// The time stamp service is not available.
public let errSecTimestampServiceNotAvailable: OSStatus = -67885
/// The time stamp service does not know the algorithm.
public let errSecTimestampBadAlg: OSStatus = -67886
/// The time stamp service refuses that kind of request.
public let errSecTimestampBadRequest: OSStatus = -67887
/// The data sent to the time stamp service is malformed.
public let errSecTimestampBadDataFormat: OSStatus = -67888
/// The time stamp service has no time source.
public let errSecTimestampTimeNotAvailable: OSStatus = -67889
/// The time stamp service does not support the policy.
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890
/// The time stamp service does not support the extension.
public let errSecTimestampUnacceptedExtension: OSStatus = -67891
/// The time stamp service lacks additional information that was asked for.
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892
/// The time stamp service failed.
public let errSecTimestampSystemFailure: OSStatus = -67893
/// The time of signing was expected and is missing.
public let errSecSigningTimeMissing: OSStatus = -67894
/// The time stamp service rejected the request.
public let errSecTimestampRejection: OSStatus = -67895
/// The time stamp service has not yet dealt with the request.
public let errSecTimestampWaiting: OSStatus = -67896
/// The time stamp service's certificate is about to be revoked.
public let errSecTimestampRevocationWarning: OSStatus = -67897
/// The time stamp service's certificate was revoked.
public let errSecTimestampRevocationNotification: OSStatus = -67898

// MARK: - Rules on certificates

/// A policy of the certificate is not allowed by its chain.
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899
/// A name in the certificate is not allowed by its chain.
public let errSecCertificateNameNotAllowed: OSStatus = -67900
/// The certificate is valid for too long a time.
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901
/// The certificate is an authority's where another kind was expected.
public let errSecCertificateIsCA: OSStatus = -67902
/// The certificate has the same extension twice.
public let errSecCertificateDuplicateExtension: OSStatus = -67903
/// The certificate lacks a statement of qualified certificates.
public let errSecMissingQualifiedCertStatement: OSStatus = -67904
