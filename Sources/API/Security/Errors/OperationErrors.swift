// Statuses of operations, requests to an authority and data stores: -67806 to -67879.

// MARK: - Operations

/// An operation in several steps is under way already.
public let errSecStagedOperationInProgress: OSStatus = -67806
/// No operation in several steps was started.
public let errSecStagedOperationNotStarted: OSStatus = -67807
/// The signature does not fit the data.
public let errSecVerifyFailed: OSStatus = -67808
/// The size of the result cannot be known beforehand.
public let errSecQuerySizeUnknown: OSStatus = -67809
/// The data's length is no multiple of the block size.
public let errSecBlockSizeMismatch: OSStatus = -67810
/// The public key does not fit the private key.
public let errSecPublicKeyInconsistent: OSStatus = -67811
/// The device could not be verified.
public let errSecDeviceVerifyFailed: OSStatus = -67812
/// The login name is not valid.
public let errSecInvalidLoginName: OSStatus = -67813
/// Somebody is logged in already.
public let errSecAlreadyLoggedIn: OSStatus = -67814
/// The digest algorithm is not valid.
public let errSecInvalidDigestAlgorithm: OSStatus = -67815

// MARK: - Certificates and authorities

/// The group of revocation lists is not valid.
public let errSecInvalidCRLGroup: OSStatus = -67816
/// The certificate cannot be used for this.
public let errSecCertificateCannotOperate: OSStatus = -67817
/// The certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818
/// The certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// The certificate has been revoked by its issuer.
public let errSecCertificateRevoked: OSStatus = -67820
/// The certificate is suspended.
public let errSecCertificateSuspended: OSStatus = -67821
/// The credentials do not suffice.
public let errSecInsufficientCredentials: OSStatus = -67822
/// The action is not valid.
public let errSecInvalidAction: OSStatus = -67823
/// The authority is not valid.
public let errSecInvalidAuthority: OSStatus = -67824
/// The action of the verification failed.
public let errSecVerifyActionFailed: OSStatus = -67825
/// The certificate authority is not valid.
public let errSecInvalidCertAuthority: OSStatus = -67826
/// The authority of the revocation list is not valid.
public let errSecInvalidCRLAuthority: OSStatus = -67827
/// The encoding of the revocation list is not valid.
public let errSecInvalidCRLEncoding: OSStatus = -67828
/// The type of the revocation list is not valid.
public let errSecInvalidCRLType: OSStatus = -67829
/// The revocation list is not valid.
public let errSecInvalidCRL: OSStatus = -67830

// MARK: - Requests to an authority

/// The type of the form is not valid.
public let errSecInvalidFormType: OSStatus = -67831
/// The number is not valid.
public let errSecInvalidID: OSStatus = -67832
/// The identifier is not valid.
public let errSecInvalidIdentifier: OSStatus = -67833
/// The index is not valid.
public let errSecInvalidIndex: OSStatus = -67834
/// A policy identifier is not valid.
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835
/// The time is not written in a valid form.
public let errSecInvalidTimeString: OSStatus = -67836
/// The reason is not valid.
public let errSecInvalidReason: OSStatus = -67837
/// The inputs of the request are not valid.
public let errSecInvalidRequestInputs: OSStatus = -67838
/// The list of responses is not valid.
public let errSecInvalidResponseVector: OSStatus = -67839
/// The policy to stop on is not valid.
public let errSecInvalidStopOnPolicy: OSStatus = -67840
/// The tuple is not valid.
public let errSecInvalidTuple: OSStatus = -67841
/// Several values are not supported here.
public let errSecMultipleValuesUnsupported: OSStatus = -67842
/// The trust policy was not trusted.
public let errSecNotTrusted: OSStatus = -67843
/// There is no default authority.
public let errSecNoDefaultAuthority: OSStatus = -67844
/// The form was rejected.
public let errSecRejectedForm: OSStatus = -67845
/// The request got lost on its way.
public let errSecRequestLost: OSStatus = -67846
/// The authority rejected the request.
public let errSecRequestRejected: OSStatus = -67847
/// The type of address is not supported.
public let errSecUnsupportedAddressType: OSStatus = -67848
/// That service is not supported.
public let errSecUnsupportedService: OSStatus = -67849
/// The group of tuples is not valid.
public let errSecInvalidTupleGroup: OSStatus = -67850
/// The base access lists are not valid.
public let errSecInvalidBaseACLs: OSStatus = -67851
/// The credentials of the tuple are not valid.
public let errSecInvalidTupleCredentials: OSStatus = -67852
/// The encoding is not valid.
public let errSecInvalidEncoding: OSStatus = -67853
/// The validity period is not valid.
public let errSecInvalidValidityPeriod: OSStatus = -67854
/// Who makes the request is not valid.
public let errSecInvalidRequestor: OSStatus = -67855
/// The description of the request is not valid.
public let errSecRequestDescriptor: OSStatus = -67856
/// The information on the bundle is not valid.
public let errSecInvalidBundleInfo: OSStatus = -67857
/// The index of the revocation list is not valid.
public let errSecInvalidCRLIndex: OSStatus = -67858

// MARK: - Data stores

/// The fields have no values.
public let errSecNoFieldValues: OSStatus = -67859
/// The format of the field is not supported.
public let errSecUnsupportedFieldFormat: OSStatus = -67860
/// The information on the index is not supported.
public let errSecUnsupportedIndexInfo: OSStatus = -67861
/// The place of the database is not supported.
public let errSecUnsupportedLocality: OSStatus = -67862
/// That many attributes are not supported.
public let errSecUnsupportedNumAttributes: OSStatus = -67863
/// That many indexes are not supported.
public let errSecUnsupportedNumIndexes: OSStatus = -67864
/// That many record types are not supported.
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865
/// A field was given more than once.
public let errSecFieldSpecifiedMultiple: OSStatus = -67866
/// The format of the field does not fit.
public let errSecIncompatibleFieldFormat: OSStatus = -67867
/// The parser is not valid.
public let errSecInvalidParsingModule: OSStatus = -67868
/// The database is locked at present.
public let errSecDatabaseLocked: OSStatus = -67869
/// The database is open already.
public let errSecDatastoreIsOpen: OSStatus = -67870
/// A value is missing.
public let errSecMissingValue: OSStatus = -67871
/// The limits of the query are not supported.
public let errSecUnsupportedQueryLimits: OSStatus = -67872
/// That many conditions are not supported.
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873
/// That operator is not supported.
public let errSecUnsupportedOperator: OSStatus = -67874
/// The database's location is not valid.
public let errSecInvalidDBLocation: OSStatus = -67875
/// The request for access is not valid.
public let errSecInvalidAccessRequest: OSStatus = -67876
/// The information on the index is not valid.
public let errSecInvalidIndexInfo: OSStatus = -67877
/// The owner to be set is not valid.
public let errSecInvalidNewOwner: OSStatus = -67878
/// The way of modifying is not valid.
public let errSecInvalidModifyMode: OSStatus = -67879
