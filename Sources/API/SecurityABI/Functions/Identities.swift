internal import KeychainModel
internal import Security

// SecIdentity.h, SecAccessControl.h and SecImportExport.h.

@_cdecl("SecIdentityGetTypeID")
public func secIdentityGetTypeID() -> UInt { SecIdentityGetTypeID() }

@_cdecl("SecIdentityCreateWithCertificate")
public func secIdentityCreateWithCertificate(
    _ keychainOrArray: Reference?, _ certificateRef: Reference?, _ identityRef: Place?
) -> Int32 {
    unsafe status(identityRef) { (identity: UnsafeMutablePointer<SecIdentity?>) throws(Refusal) in
        try unsafe SecIdentityCreateWithCertificate(optionalValue(keychainOrArray), borrowed(certificateRef), identity)
    }
}

@_cdecl("SecIdentityCreate")
public func secIdentityCreate(
    _ allocator: Reference?, _ certificate: Reference?, _ privateKey: Reference?
) -> Reference? {
    unsafe object(try SecIdentityCreate(nil, borrowed(certificate), borrowed(privateKey)))
}

@_cdecl("SecIdentityCopyCertificate")
public func secIdentityCopyCertificate(_ identityRef: Reference?, _ certificateRef: Place?) -> Int32 {
    unsafe status(certificateRef) { (certificate: UnsafeMutablePointer<SecCertificate?>) throws(Refusal) in
        try unsafe SecIdentityCopyCertificate(borrowed(identityRef), certificate)
    }
}

@_cdecl("SecIdentityCopyPrivateKey")
public func secIdentityCopyPrivateKey(_ identityRef: Reference?, _ privateKeyRef: Place?) -> Int32 {
    unsafe status(privateKeyRef) { (key: UnsafeMutablePointer<SecKey?>) throws(Refusal) in
        try unsafe SecIdentityCopyPrivateKey(borrowed(identityRef), key)
    }
}

@_cdecl("SecAccessControlGetTypeID")
public func secAccessControlGetTypeID() -> UInt { SecAccessControlGetTypeID() }

@_cdecl("SecAccessControlCreateWithFlags")
public func secAccessControlCreateWithFlags(
    _ allocator: Reference?, _ protection: Reference?, _ flags: UInt, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecAccessControlCreateWithFlags(
            nil, value(protection), SecAccessControlCreateFlags(rawValue: flags), error)
    }
}

@_cdecl("SecPKCS12Import")
public func secPKCS12Import(_ pkcs12Data: Reference?, _ options: Reference?, _ items: Place?) -> Int32 {
    unsafe status(items) { (items: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        guard unsafe options != nil else { throw .noPassphrase }
        return try unsafe SecPKCS12Import(borrowed(pkcs12Data), dictionary(options), items)
    }
}

extension Refusal {
    /// As on Apple systems, where missing options mean no passphrase.
    fileprivate static let noPassphrase = Refusal(
        .authFailed, .wrongType, "options", "There are no options, and so no passphrase.",
        do: "Give a dictionary with kSecImportExportPassphrase.")
}

@_cdecl("SecItemImport")
public func secItemImport(
    _ importedData: Reference?, _ fileNameOrExtension: Reference?, _ inputFormat: UnsafeMutablePointer<UInt32>?,
    _ itemType: UnsafeMutablePointer<UInt32>?, _ flags: UInt32, _ keyParams: UnsafeRawPointer?,
    _ importKeychain: Reference?, _ outItems: Place?
) -> Int32 {
    unsafe status(optional: outItems) { (items: UnsafeMutablePointer<CFArray?>?) throws(Refusal) in
        var (format, type) = (SecExternalFormat.formatUnknown, SecExternalItemType.itemTypeUnknown)
        var parameters = try unsafe FileParameters(keyParams)
        let status = try unsafe SecItemImport(
            borrowed(importedData), optionalString(fileNameOrExtension), &format, &type,
            SecItemImportExportFlags(rawValue: flags), &parameters.given, optional(importKeychain), items)
        unsafe inputFormat?.pointee = format.rawValue
        unsafe itemType?.pointee = type.rawValue
        return status
    }
}

@_cdecl("SecItemExport")
public func secItemExport(
    _ secItemOrArray: Reference?, _ outputFormat: UInt32, _ flags: UInt32, _ keyParams: UnsafeRawPointer?,
    _ exportedData: Place?
) -> Int32 {
    unsafe status(exportedData) { (data: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        guard let format = SecExternalFormat(rawValue: outputFormat) else {
            throw .unusable("a number without a meaning", "a SecExternalFormat")
        }
        var parameters = try unsafe FileParameters(keyParams)
        return try unsafe SecItemExport(
            value(secItemOrArray), format, SecItemImportExportFlags(rawValue: flags), &parameters.given, data)
    }
}

/// The passphrase of C's `SecItemImportExportKeyParameters`, behind its version and flags. The other fields are
/// ignored.
@unsafe private struct FileParameters {
    var given = unsafe SecItemImportExportKeyParameters()
    private let passphrase: AnyObject?

    init(_ parameters: UnsafeRawPointer?) throws(Refusal) {
        let reference = unsafe parameters?.load(fromByteOffset: 8, as: Reference?.self) ?? nil
        unsafe passphrase = try optionalValue(reference)
        unsafe given.passphrase = passphrase.map { unsafe .passUnretained($0) }
    }
}
