// Statuses of time stamps and of rules on certificates: -67880 to -67904.
// MARK: - Extensions
#ifndef SECURITY_ERRORS_TIMESTAMPERRORS_H
#define SECURITY_ERRORS_TIMESTAMPERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // Extensions:
    errSecMissingRequiredExtension = -67880,  // The certificate lacks an extension that is required
    errSecExtendedKeyUsageNotCritical = -67881,  // The extended key usage must be marked critical

    // Time stamps:
    errSecTimestampMissing = -67882,  // A time stamp was expected and is missing
    errSecTimestampInvalid = -67883,  // The time stamp is not valid
    errSecTimestampNotTrusted = -67884,  // The time stamp is not trusted
    errSecTimestampServiceNotAvailable = -67885,  // The time stamp service is not available
    errSecTimestampBadAlg = -67886,  // The time stamp service does not know the algorithm
    errSecTimestampBadRequest = -67887,  // The time stamp service refuses that kind of request
    errSecTimestampBadDataFormat = -67888,  // The data sent to the time stamp service is malformed
    errSecTimestampTimeNotAvailable = -67889,  // The time stamp service has no time source
    errSecTimestampUnacceptedPolicy = -67890,  // The time stamp service does not support the policy
    errSecTimestampUnacceptedExtension = -67891,  // The time stamp service does not support the extension
    // The time stamp service lacks additional information that was asked for
    errSecTimestampAddInfoNotAvailable = -67892,
    errSecTimestampSystemFailure = -67893,  // The time stamp service failed
    errSecSigningTimeMissing = -67894,  // The time of signing was expected and is missing
    errSecTimestampRejection = -67895,  // The time stamp service rejected the request
    errSecTimestampWaiting = -67896,  // The time stamp service has not yet dealt with the request
    errSecTimestampRevocationWarning = -67897,  // The time stamp service's certificate is about to be revoked
    errSecTimestampRevocationNotification = -67898,  // The time stamp service's certificate was revoked

    // Rules on certificates:
    errSecCertificatePolicyNotAllowed = -67899,  // A policy of the certificate is not allowed by its chain
    errSecCertificateNameNotAllowed = -67900,  // A name in the certificate is not allowed by its chain
    errSecCertificateValidityPeriodTooLong = -67901,  // The certificate is valid for too long a time
    errSecCertificateIsCA = -67902,  // The certificate is an authority's where another kind was expected
    errSecCertificateDuplicateExtension = -67903,  // The certificate has the same extension twice
    errSecMissingQualifiedCertStatement = -67904,  // The certificate lacks a statement of qualified certificates
};

#endif
