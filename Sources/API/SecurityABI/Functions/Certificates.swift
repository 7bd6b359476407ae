internal import KeychainModel
internal import Security

// SecCertificate.h.

@_cdecl("SecCertificateGetTypeID")
public func secCertificateGetTypeID() -> UInt { SecCertificateGetTypeID() }

@_cdecl("SecCertificateCreateWithData")
public func secCertificateCreateWithData(_ allocator: Reference?, _ data: Reference?) -> Reference? {
    unsafe object(try SecCertificateCreateWithData(nil, borrowed(data)))
}

@_cdecl("SecCertificateCopyData")
public func secCertificateCopyData(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopyData(borrowed(certificate)))
}

@_cdecl("SecCertificateCopySubjectSummary")
public func secCertificateCopySubjectSummary(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopySubjectSummary(borrowed(certificate)))
}

@_cdecl("SecCertificateCopyShortDescription")
public func secCertificateCopyShortDescription(
    _ alloc: Reference?, _ certificate: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecCertificateCopyShortDescription(nil, borrowed(certificate), error)
    }
}

@_cdecl("SecCertificateCopyLongDescription")
public func secCertificateCopyLongDescription(
    _ alloc: Reference?, _ certificate: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecCertificateCopyLongDescription(nil, borrowed(certificate), error)
    }
}

@_cdecl("SecCertificateCopyValues")
public func secCertificateCopyValues(_ certificate: Reference?, _ keys: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecCertificateCopyValues(borrowed(certificate), optionalArray(keys), error)
    }
}

@_cdecl("SecCertificateCopyCommonName")
public func secCertificateCopyCommonName(_ certificate: Reference?, _ commonName: Place?) -> Int32 {
    unsafe status(commonName) { (name: UnsafeMutablePointer<CFString?>) throws(Refusal) in
        try unsafe SecCertificateCopyCommonName(borrowed(certificate), name)
    }
}

@_cdecl("SecCertificateCopyEmailAddresses")
public func secCertificateCopyEmailAddresses(_ certificate: Reference?, _ emailAddresses: Place?) -> Int32 {
    unsafe status(emailAddresses) { (addresses: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe SecCertificateCopyEmailAddresses(borrowed(certificate), addresses)
    }
}

@_cdecl("SecCertificateCopyKey")
public func secCertificateCopyKey(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopyKey(borrowed(certificate)))
}

@_cdecl("SecCertificateCopyPublicKey")
public func secCertificateCopyPublicKey(_ certificate: Reference?, _ key: Place?) -> Int32 {
    unsafe status(key) { (key: UnsafeMutablePointer<SecKey?>) throws(Refusal) in
        try unsafe SecCertificateCopyPublicKey(borrowed(certificate), key)
    }
}

@_cdecl("SecCertificateCopySerialNumberData")
public func secCertificateCopySerialNumberData(_ certificate: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecCertificateCopySerialNumberData(borrowed(certificate), error)
    }
}

@_cdecl("SecCertificateCopySerialNumber")
public func secCertificateCopySerialNumber(_ certificate: Reference?, _ error: Place?) -> Reference? {
    unsafe secCertificateCopySerialNumberData(certificate, error)
}

@_cdecl("SecCertificateCopyNormalizedIssuerSequence")
public func secCertificateCopyNormalizedIssuerSequence(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopyNormalizedIssuerSequence(borrowed(certificate)))
}

@_cdecl("SecCertificateCopyNormalizedSubjectSequence")
public func secCertificateCopyNormalizedSubjectSequence(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopyNormalizedSubjectSequence(borrowed(certificate)))
}

@_cdecl("SecCertificateCopyNormalizedIssuerContent")
public func secCertificateCopyNormalizedIssuerContent(_ certificate: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecCertificateCopyNormalizedIssuerContent(borrowed(certificate), error)
    }
}

@_cdecl("SecCertificateCopyNormalizedSubjectContent")
public func secCertificateCopyNormalizedSubjectContent(_ certificate: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecCertificateCopyNormalizedSubjectContent(borrowed(certificate), error)
    }
}

@_cdecl("SecCertificateCopyNotValidBeforeDate")
public func secCertificateCopyNotValidBeforeDate(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopyNotValidBeforeDate(borrowed(certificate)))
}

@_cdecl("SecCertificateCopyNotValidAfterDate")
public func secCertificateCopyNotValidAfterDate(_ certificate: Reference?) -> Reference? {
    unsafe object(try SecCertificateCopyNotValidAfterDate(borrowed(certificate)))
}
