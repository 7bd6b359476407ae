// What an evaluation of trust and the display of a certificate report.

// MARK: - Results of an evaluation

/// The key of the date the evaluation took as the present.
@safe nonisolated(unsafe) public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// The key of whether the certificate has extended validation.
@safe nonisolated(unsafe) public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"
/// The key of the organization named by extended validation.
@safe nonisolated(unsafe) public let kSecTrustOrganizationName: CFString = "Organization"
/// The key of the verdict.
@safe nonisolated(unsafe) public let kSecTrustResultValue: CFString = "TrustResultValue"
/// The key of whether revocation was checked.
@safe nonisolated(unsafe) public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// The key of until when the revocation check holds.
@safe nonisolated(unsafe) public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"
/// The key of whether the certificate stands in public logs.
@safe nonisolated(unsafe) public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"
/// The key of whether the certificate is exempt from public logs.
@safe nonisolated(unsafe) public let kSecTrustCertificateTransparencyWhiteList: CFString =
    "TrustCertificateTransparencyWhiteList"
/// The key of the statements of a qualified certificate.
@safe nonisolated(unsafe) public let kSecTrustQCStatements: CFString = "TrustQCStatements"
/// The key of whether the certificate is a qualified one for web sites.
@safe nonisolated(unsafe) public let kSecTrustQWACValidation: CFString = "TrustQWACValidation"

// MARK: - Properties of a certificate for display

/// The key of a property's type.
@safe nonisolated(unsafe) public let kSecPropertyKeyType: CFString = "type"
/// The key of a property's label.
@safe nonisolated(unsafe) public let kSecPropertyKeyLabel: CFString = "label"
/// The key of a property's label in the user's language.
@safe nonisolated(unsafe) public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
/// The key of a property's value.
@safe nonisolated(unsafe) public let kSecPropertyKeyValue: CFString = "value"

// MARK: - Types of properties, values of `kSecPropertyKeyType`

/// A title.
@safe nonisolated(unsafe) public let kSecPropertyTypeTitle: CFString = "title"
/// An error.
@safe nonisolated(unsafe) public let kSecPropertyTypeError: CFString = "error"
/// A warning.
@safe nonisolated(unsafe) public let kSecPropertyTypeWarning: CFString = "warning"
/// A success.
@safe nonisolated(unsafe) public let kSecPropertyTypeSuccess: CFString = "success"
/// A section with properties of its own.
@safe nonisolated(unsafe) public let kSecPropertyTypeSection: CFString = "section"
/// Data.
@safe nonisolated(unsafe) public let kSecPropertyTypeData: CFString = "data"
/// Text.
@safe nonisolated(unsafe) public let kSecPropertyTypeString: CFString = "string"
/// A URL.
@safe nonisolated(unsafe) public let kSecPropertyTypeURL: CFString = "url"
/// A date.
@safe nonisolated(unsafe) public let kSecPropertyTypeDate: CFString = "date"
/// An array.
@safe nonisolated(unsafe) public let kSecPropertyTypeArray: CFString = "array"
/// A number.
@safe nonisolated(unsafe) public let kSecPropertyTypeNumber: CFString = "number"
