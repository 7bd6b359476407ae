// Statuses of operations, requests to an authority and data stores: -67806 to -67879.
// MARK: - Operations
#ifndef SECURITY_ERRORS_OPERATIONERRORS_H
#define SECURITY_ERRORS_OPERATIONERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // Operations:
    errSecStagedOperationInProgress = -67806,  // An operation in several steps is under way already
    errSecStagedOperationNotStarted = -67807,  // No operation in several steps was started
    errSecVerifyFailed = -67808,  // The signature does not fit the data
    errSecQuerySizeUnknown = -67809,  // The size of the result cannot be known beforehand
    errSecBlockSizeMismatch = -67810,  // The data's length is no multiple of the block size
    errSecPublicKeyInconsistent = -67811,  // The public key does not fit the private key
    errSecDeviceVerifyFailed = -67812,  // The device could not be verified
    errSecInvalidLoginName = -67813,  // The login name is not valid
    errSecAlreadyLoggedIn = -67814,  // Somebody is logged in already
    errSecInvalidDigestAlgorithm = -67815,  // The digest algorithm is not valid

    // Certificates and authorities:
    errSecInvalidCRLGroup = -67816,  // The group of revocation lists is not valid
    errSecCertificateCannotOperate = -67817,  // The certificate cannot be used for this
    errSecCertificateExpired = -67818,  // The certificate has expired
    errSecCertificateNotValidYet = -67819,  // The certificate is not valid yet
    errSecCertificateRevoked = -67820,  // The certificate has been revoked by its issuer
    errSecCertificateSuspended = -67821,  // The certificate is suspended
    errSecInsufficientCredentials = -67822,  // The credentials do not suffice
    errSecInvalidAction = -67823,  // The action is not valid
    errSecInvalidAuthority = -67824,  // The authority is not valid
    errSecVerifyActionFailed = -67825,  // The action of the verification failed
    errSecInvalidCertAuthority = -67826,  // The certificate authority is not valid
    errSecInvalidCRLAuthority = -67827,  // The authority of the revocation list is not valid
    errSecInvalidCRLEncoding = -67828,  // The encoding of the revocation list is not valid
    errSecInvalidCRLType = -67829,  // The type of the revocation list is not valid
    errSecInvalidCRL = -67830,  // The revocation list is not valid

    // Requests to an authority:
    errSecInvalidFormType = -67831,  // The type of the form is not valid
    errSecInvalidID = -67832,  // The number is not valid
    errSecInvalidIdentifier = -67833,  // The identifier is not valid
    errSecInvalidIndex = -67834,  // The index is not valid
    errSecInvalidPolicyIdentifiers = -67835,  // A policy identifier is not valid
    errSecInvalidTimeString = -67836,  // The time is not written in a valid form
    errSecInvalidReason = -67837,  // The reason is not valid
    errSecInvalidRequestInputs = -67838,  // The inputs of the request are not valid
    errSecInvalidResponseVector = -67839,  // The list of responses is not valid
    errSecInvalidStopOnPolicy = -67840,  // The policy to stop on is not valid
    errSecInvalidTuple = -67841,  // The tuple is not valid
    errSecMultipleValuesUnsupported = -67842,  // Several values are not supported here
    errSecNotTrusted = -67843,  // The trust policy was not trusted
    errSecNoDefaultAuthority = -67844,  // There is no default authority
    errSecRejectedForm = -67845,  // The form was rejected
    errSecRequestLost = -67846,  // The request got lost on its way
    errSecRequestRejected = -67847,  // The authority rejected the request
    errSecUnsupportedAddressType = -67848,  // The type of address is not supported
    errSecUnsupportedService = -67849,  // That service is not supported
    errSecInvalidTupleGroup = -67850,  // The group of tuples is not valid
    errSecInvalidBaseACLs = -67851,  // The base access lists are not valid
    errSecInvalidTupleCredentials = -67852,  // The credentials of the tuple are not valid
    errSecInvalidEncoding = -67853,  // The encoding is not valid
    errSecInvalidValidityPeriod = -67854,  // The validity period is not valid
    errSecInvalidRequestor = -67855,  // Who makes the request is not valid
    errSecRequestDescriptor = -67856,  // The description of the request is not valid
    errSecInvalidBundleInfo = -67857,  // The information on the bundle is not valid
    errSecInvalidCRLIndex = -67858,  // The index of the revocation list is not valid

    // Data stores:
    errSecNoFieldValues = -67859,  // The fields have no values
    errSecUnsupportedFieldFormat = -67860,  // The format of the field is not supported
    errSecUnsupportedIndexInfo = -67861,  // The information on the index is not supported
    errSecUnsupportedLocality = -67862,  // The place of the database is not supported
    errSecUnsupportedNumAttributes = -67863,  // That many attributes are not supported
    errSecUnsupportedNumIndexes = -67864,  // That many indexes are not supported
    errSecUnsupportedNumRecordTypes = -67865,  // That many record types are not supported
    errSecFieldSpecifiedMultiple = -67866,  // A field was given more than once
    errSecIncompatibleFieldFormat = -67867,  // The format of the field does not fit
    errSecInvalidParsingModule = -67868,  // The parser is not valid
    errSecDatabaseLocked = -67869,  // The database is locked at present
    errSecDatastoreIsOpen = -67870,  // The database is open already
    errSecMissingValue = -67871,  // A value is missing
    errSecUnsupportedQueryLimits = -67872,  // The limits of the query are not supported
    errSecUnsupportedNumSelectionPreds = -67873,  // That many conditions are not supported
    errSecUnsupportedOperator = -67874,  // That operator is not supported
    errSecInvalidDBLocation = -67875,  // The database's location is not valid
    errSecInvalidAccessRequest = -67876,  // The request for access is not valid
    errSecInvalidIndexInfo = -67877,  // The information on the index is not valid
    errSecInvalidNewOwner = -67878,  // The owner to be set is not valid
    errSecInvalidModifyMode = -67879,  // The way of modifying is not valid
};

#endif
