internal import DER
internal import KeychainCrypto

// The fields of a certificate and its subject.

/// Returns a name of the subject for people: its common name, otherwise its unit, organisation or address. Without
/// these it is an alternative name or any other text of the name.
///
/// - Returns: the name; nil when the certificate has no such text.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    let summary = certificate.certificate.subjectSummary
    return summary.isEmpty ? nil : NSString(string: summary)
}

/// Returns the subject's common name; the last one, when there are several.
///
/// - Parameter commonName: receives the name, or nil.
/// - Returns: `errSecSuccess`, or `errSecInternalError` when the certificate has none.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    let name = certificate.certificate.commonName
    unsafe commonName.pointee = name.map { NSString(string: $0) }
    return name == nil ? errSecInternalError : errSecSuccess
}

/// Returns the mail addresses a certificate names: those of its alternative names, then those of the subject.
///
/// - Parameter emailAddresses: receives an array of strings, empty when there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let addresses = certificate.certificate.emailAddresses.map { NSString(string: $0) }
    unsafe emailAddresses.pointee = NSArray(array: addresses)
    return errSecSuccess
}

/// Returns the serial number: the content of its DER integer, with a zero before a high first bit.
///
/// - Parameter error: never set: every certificate has a serial number.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(copying: certificate.certificate.serialNumber)
}

/// Returns the serial number, under the name it had on iOS before 11.
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
    SecCertificateCopySerialNumberData(certificate, nil)
}

/// Returns the serial number, under the name it had on macOS before 10.13.
@discardableResult
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe SecCertificateCopySerialNumberData(certificate, error)
}

/// Returns the issuer's name as a DER sequence, in the form in which names are compared. The form has ASCII letters in
/// upper case, no blanks at the ends, and single blanks. `kSecMatchIssuers` takes such names.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    sequence(certificate.certificate.issuer)
}

/// Returns the subject's name as a DER sequence, in the form in which names are compared.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    sequence(certificate.certificate.subject)
}

private func sequence(_ name: DistinguishedName) -> CFData {
    var writer = DERWriter()
    writer.element(.sequence, name.normalized)
    return NSData(copying: writer.bytes)
}

/// Returns when a certificate begins to be valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.notBefore)
}

/// Returns when a certificate ceases to be valid.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.notAfter)
}
